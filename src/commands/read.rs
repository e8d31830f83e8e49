//! `minesight read`: one screenshot, or the screen now, as a board.

use crate::cli::ReadArgs;
use crate::client;
use crate::geometry::{BoardSize, Cell};
use crate::page::sight::{self, Found};
use crate::screenshot::Screenshot;
use crate::vision::annotate::{annotate, explain};
use crate::vision::{Eyes, Reading, Sight, Standing, Tried, find_and_tell};
use anyhow::{Context, bail};
use image::imageops::crop_imm;
use serde::Serialize;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// Reads the board and prints it, with whatever else was asked for.
pub fn run(args: &ReadArgs) -> anyhow::Result<()> {
    let clients = client::known(args.client.calibration.as_deref(), args.client.templates.as_deref())?;
    let mut eyes: Vec<Eyes> = match &args.client.client {
        Some(name) => vec![Eyes::new(Arc::new(client::by_name(&clients, name)?.clone()))],
        None => clients.into_iter().map(|client| Eyes::new(Arc::new(client))).collect(),
    };
    let (shot, capture) = timed(|| look(args.image.as_deref()));
    let shot = shot?;
    let ((found, tried), locate) = timed(|| find_and_tell(&mut eyes, &shot));
    let (whose, sight) = match found {
        Ok(found) => found,
        Err(error) => {
            if let Some(path) = &args.page {
                save_page(path, args, &shot, &Found::Nothing(error.to_string()), &tried)?;
            }
            return Err(error.into());
        }
    };
    let eyes = &mut eyes[whose];
    let (mut reading, read) = timed(|| eyes.read(&shot, &sight));
    reading.mines_left = eyes.mines_left(&shot, &reading);
    let level = || Some(eyes.client().level_of(reading.grid.size())?.mines);
    let mines = args.mines.or(reading.mines()).or_else(level);
    pictures(args, &shot, &sight, eyes, &reading)?;
    if let Some(path) = &args.page {
        let theme = &eyes.client().themes[eyes.theme(&sight)];
        let compare = |cell| eyes.compare(&shot, &sight, cell);
        let belief = [theme.belief.accept, theme.belief.margin];
        save_page(
            path,
            args,
            &shot,
            &Found::Board { reading: &reading, mines, belief, files: &theme.tiles, compare: &compare },
            &tried,
        )?;
    }
    let mut out = std::io::stdout().lock();
    if args.json {
        let report = Report::new(&reading, mines, Milliseconds { capture, locate, read });
        writeln!(out, "{}", serde_json::to_string(&report)?)?;
    } else {
        print(&mut out, &reading, mines)?;
    }
    Ok(())
}

fn save_page(path: &Path, args: &ReadArgs, shot: &Screenshot, found: &Found, tried: &[Tried]) -> anyhow::Result<()> {
    let name = args.image.as_ref().and_then(|image| image.file_name());
    let name = name.map_or("screen.png".into(), |name| name.to_string_lossy());
    let page = sight::sight(&name, &shot.pixels, found, tried)?;
    std::fs::write(path, page).with_context(|| format!("{} cannot be written; give another file", path.display()))?;
    eprintln!("{}", path.display());
    Ok(())
}

/// The pictures that were asked for.
fn pictures(args: &ReadArgs, shot: &Screenshot, sight: &Sight, eyes: &Eyes, reading: &Reading) -> anyhow::Result<()> {
    let size = reading.grid.size();
    if let Some(path) = &args.annotate {
        save(&annotate(&shot.pixels, reading), path)?;
    }
    if let Some(cell) = args.explain {
        if !size.contains(cell) {
            bail!(
                "--explain {},{}: the board that was found has {} columns and {} rows",
                cell.x,
                cell.y,
                size.width,
                size.height
            );
        }
        let compared = eyes.compare(shot, sight, cell);
        for other in compared.iter().take(5) {
            eprintln!("{cell}: {} {:.3}", other.tile.to_char(), other.score);
        }
        if let Some(path) = &args.explain_to {
            save(&explain(&shot.pixels, reading, cell, &compared), path)?;
        }
    }
    if let Some(folder) = &args.unrecognised {
        std::fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display()))?;
        for cell in reading.unrecognised() {
            let area = reading.grid.tile(cell);
            let tile = crop_imm(&shot.pixels, area.left, area.top, area.width, area.height).to_image();
            save(&tile, &folder.join(format!("{}-{}-{}.png", reading.client, cell.x, cell.y)))?;
        }
    }
    Ok(())
}

fn print(out: &mut impl Write, reading: &Reading, mines: Option<u32>) -> anyhow::Result<()> {
    let size = reading.grid.size();
    let mines = mines.map_or("?".to_string(), |mines| mines.to_string());
    writeln!(out, "{} {} {mines}", size.width, size.height)?;
    for row in rows(reading) {
        writeln!(out, "{row}")?;
    }
    let corner = reading.grid.origin();
    let (across, _) = reading.grid.pitch();
    eprintln!(
        "{} ({}) at {:.0},{:.0}, tiles {across:.1} pixels wide, lowest score {:.2}",
        reading.client,
        reading.theme,
        corner.x,
        corner.y,
        reading.lowest_score()
    );
    let unknown = reading.unrecognised().count();
    if unknown > 0 {
        eprintln!("{unknown} of {} tiles not recognised; --annotate seen.png or --explain X,Y show why", size.tiles());
    }
    Ok(())
}

fn rows(reading: &Reading) -> Vec<String> {
    let width = reading.grid.size().width as usize;
    reading.tiles.chunks(width).map(|row| row.iter().map(|tile| tile.tile.to_char()).collect()).collect()
}

/// `read --json`.
#[derive(Serialize)]
struct Report<'a> {
    client: &'a str,
    theme: &'a str,
    width: u32,
    height: u32,
    origin: [f64; 2],
    pitch: [f64; 2],
    columns: &'a [f64],
    lines: &'a [f64],
    rows: Vec<String>,
    lowest_score: f32,
    unrecognised: Vec<Cell>,
    mines_left: Option<i32>,
    state: Standing,
    ms: Milliseconds,
}

/// How long each step took.
#[derive(Serialize)]
struct Milliseconds {
    capture: f64,
    locate: f64,
    read: f64,
}

impl<'a> Report<'a> {
    fn new(reading: &'a Reading, mines: Option<u32>, ms: Milliseconds) -> Self {
        let BoardSize { width, height } = reading.grid.size();
        let (origin, pitch) = (reading.grid.origin(), reading.grid.pitch());
        Self {
            client: &reading.client,
            theme: &reading.theme,
            width,
            height,
            origin: [origin.x, origin.y],
            pitch: [pitch.0, pitch.1],
            columns: &reading.grid.columns,
            lines: &reading.grid.lines,
            rows: rows(reading),
            lowest_score: reading.lowest_score(),
            unrecognised: reading.unrecognised().collect(),
            mines_left: reading.mines_left,
            state: reading.standing(mines),
            ms,
        }
    }
}

fn look(image: Option<&Path>) -> anyhow::Result<Screenshot> {
    let Some(path) = image else { return screen() };
    let picture = image::ImageReader::open(path)
        .with_context(|| format!("{} cannot be opened", path.display()))?
        .with_guessed_format()?
        .decode()
        .with_context(|| format!("{} is not a picture that can be read (PNG, JPEG or GIF)", path.display()))?;
    Ok(Screenshot::from_picture(picture.into_rgba8()))
}

#[cfg(feature = "eyes")]
fn screen() -> anyhow::Result<Screenshot> {
    use crate::desktop::{Desktop, screen::Screen};
    Ok(Screen::open()?.look(None)?)
}

#[cfg(not(feature = "eyes"))]
fn screen() -> anyhow::Result<Screenshot> {
    bail!("this build cannot look at the screen (feature `look` is off); give a screenshot: minesight read shot.png")
}

fn save(picture: &image::RgbaImage, path: &Path) -> anyhow::Result<()> {
    picture.save(path).with_context(|| format!("{} cannot be written", path.display()))?;
    eprintln!("{}", path.display());
    Ok(())
}

/// What `work` gives, and how many milliseconds it took.
fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed().as_secs_f64() * 1e3)
}
