//! The screenshots of `tests/fixtures` as they would look elsewhere: moved, at other scales, in other colours, compressed, noisy,
//! under a pointer, partly covered, partly off the screen, two clients on one screen. A tile that is not recognised or a
//! board that is refused is allowed and counted; a wrong tile, or a board of the wrong size or at the wrong place, is not.
//!
//! `cargo test --release --no-default-features --test robustness -- --include-ignored --nocapture` prints the table that is in
//! `results/vision.md`.

mod distort;

use image::RgbaImage;
use image::imageops::{self, FilterType};
use minesight::client;
use minesight::geometry::{Cell, Rect};
use minesight::screenshot::Screenshot;
use minesight::vision::Grid;
use minesight::vision::{Eyes, find_any};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// One screenshot with what is known of it.
struct Shot {
    name: String,
    /// Whose it is.
    whose: usize,
    picture: RgbaImage,
    grid: Grid,
    truth: Vec<char>,
}

/// A picture made from one.
struct Variant {
    picture: RgbaImage,
    /// Where the board is in it; may reach beyond it.
    grid: Grid,
    /// What lies over the picture.
    cover: Option<Rect>,
}

/// One way to spoil a picture.
struct Distortion {
    kind: &'static str,
    strength: String,
    spoil: Box<dyn Fn(&Shot) -> Variant>,
}

/// What came of some pictures.
#[derive(Default)]
struct Tally {
    pictures: usize,
    refused: Vec<String>,
    tiles: usize,
    unrecognised: usize,
    faults: Vec<String>,
}

/// How much of the surroundings of a board stays in the picture, in pixels.
const SURROUNDINGS: u32 = 260;

fn pictures(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "png"));
    files.sort();
    files
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

fn open(path: &Path) -> RgbaImage {
    image::open(path).unwrap().into_rgba8()
}

fn all_eyes() -> Vec<Eyes> {
    client::bundled().unwrap().into_iter().map(|client| Eyes::new(Arc::new(client))).collect()
}

/// Every `nth` screenshot that is read without a fault as it is, cut down to the board and its surroundings.
fn shots(eyes: &mut [Eyes], nth: usize) -> Vec<Shot> {
    let mut shots = Vec::new();
    for (whose, eyes) in eyes.iter_mut().enumerate() {
        let folder = fixtures().join(&eyes.client().name);
        let files = if folder.is_dir() { pictures(&folder) } else { Vec::new() };
        for path in files.into_iter().step_by(nth) {
            let text = std::fs::read_to_string(path.with_extension("board")).unwrap();
            let truth: Vec<char> = text
                .lines()
                .skip(1)
                .flat_map(|row| row.chars())
                .map(|tile| if tile == '.' { '0' } else { tile })
                .collect();
            let shot = Screenshot::from_picture(open(&path));
            let Ok(sight) = eyes.find(&shot) else { continue };
            if truth.contains(&'~') || truth.len() != sight.grid.size().tiles() {
                continue;
            }
            let (picture, grid) = around(&shot.pixels, &sight.grid);
            let name = path.strip_prefix(fixtures()).unwrap().with_extension("").display().to_string();
            shots.push(Shot { name, whose, picture, grid, truth });
        }
    }
    shots
}

/// The board and its surroundings.
fn around(picture: &RgbaImage, grid: &Grid) -> (RgbaImage, Grid) {
    let span = |edges: &[f64], limit: u32| {
        let from = (edges[0] as u32).saturating_sub(SURROUNDINGS);
        (from, (edges[edges.len() - 1] as u32 + SURROUNDINGS).min(limit) - from)
    };
    let ((left, width), (top, height)) = (span(&grid.columns, picture.width()), span(&grid.lines, picture.height()));
    (imageops::crop_imm(picture, left, top, width, height).to_image(), grid.moved(left.into(), top.into()))
}

/// Edges times a factor.
fn enlarged(grid: &Grid, factor: f64) -> Grid {
    let times = |edges: &[f64]| edges.iter().map(|edge| edge * factor).collect();
    Grid { columns: times(&grid.columns), lines: times(&grid.lines) }
}

/// The same place in another picture.
fn same_place(picture: RgbaImage, shot: &Shot) -> Variant {
    Variant { picture, grid: shot.grid.clone(), cover: None }
}

fn distortions() -> Vec<Distortion> {
    let mut all: Vec<Distortion> = Vec::new();
    let mut add =
        |kind, strength: String, spoil: Box<dyn Fn(&Shot) -> Variant>| all.push(Distortion { kind, strength, spoil });
    add("none", String::new(), Box::new(|shot| same_place(shot.picture.clone(), shot)));
    for (dx, dy) in [(1.0, 0.0), (1.0, 1.0), (7.0, 3.0), (0.5, 0.0), (0.5, 0.5), (0.25, 0.75)] {
        let spoil = move |shot: &Shot| Variant {
            picture: distort::moved(&shot.picture, dx, dy),
            grid: shot.grid.moved(-dx, -dy),
            cover: None,
        };
        add("moved by pixels", format!("{dx}, {dy}"), Box::new(spoil));
    }
    for (kind, filter) in [("scaled, smooth", FilterType::Triangle), ("scaled, nearest pixel", FilterType::Nearest)] {
        for step in (8..=20).filter(|&step| step != 10) {
            let factor = f64::from(step) / 10.0;
            let spoil = move |shot: &Shot| Variant {
                picture: distort::scaled(&shot.picture, factor, filter),
                grid: enlarged(&shot.grid, factor),
                cover: None,
            };
            add(kind, format!("{factor:.1}"), Box::new(spoil));
        }
    }
    for by in [-60, -30, -15, 15, 30, 60] {
        let curve = move |_, value| value + f64::from(by) / 255.0;
        add(
            "brightness",
            format!("{by:+}"),
            Box::new(move |shot| same_place(distort::toned(&shot.picture, curve), shot)),
        );
    }
    for gamma in [0.6, 0.8, 0.9, 1.1, 1.25, 1.6] {
        let curve = move |_, value: f64| value.powf(1.0 / gamma);
        add("gamma", format!("{gamma}"), Box::new(move |shot| same_place(distort::toned(&shot.picture, curve), shot)));
    }
    for contrast in [0.6, 0.8, 1.2] {
        let curve = move |_, value: f64| 0.5 + (value - 0.5) * contrast;
        add(
            "contrast",
            format!("{contrast}"),
            Box::new(move |shot| same_place(distort::toned(&shot.picture, curve), shot)),
        );
    }
    for blue in [0.9, 0.75, 0.5] {
        // Red stays, green goes down half as much as blue: about what night lights do.
        let curve = move |channel: usize, value: f64| value * [1.0, (1.0 + blue) / 2.0, blue][channel];
        add(
            "night light",
            format!("blue x {blue}"),
            Box::new(move |shot| same_place(distort::toned(&shot.picture, curve), shot)),
        );
    }
    for quality in [95, 85, 75, 50, 25] {
        add(
            "JPEG",
            format!("quality {quality}"),
            Box::new(move |shot| same_place(distort::jpeg(&shot.picture, quality), shot)),
        );
    }
    for deviation in [2.0, 4.0, 8.0, 16.0, 32.0] {
        let spoil = move |shot: &Shot| same_place(distort::noisy(&shot.picture, deviation, 1), shot);
        add("noise", format!("deviation {deviation}"), Box::new(spoil));
    }
    for size in [1.0, 2.0] {
        for at in 0..3u64 {
            let spoil = move |shot: &Shot| {
                let mut rng = dice(shot, at);
                let (x, y) = (within(&mut rng, &shot.grid.columns), within(&mut rng, &shot.grid.lines));
                let cover =
                    Rect { left: x as u32, top: y as u32, width: (13.0 * size) as u32, height: (20.0 * size) as u32 };
                let cover = Rect {
                    left: cover.left.saturating_sub(size as u32),
                    top: cover.top.saturating_sub(size as u32),
                    ..cover
                };
                Variant { cover: Some(cover), ..same_place(distort::pointed(&shot.picture, (x, y), size), shot) }
            };
            add("pointer", format!("size {size}"), Box::new(spoil));
        }
    }
    for share in [0.1, 0.3, 0.5] {
        for (what, at) in [
            ("page-article", 0),
            ("page-forms", 1),
            ("page-spreadsheet", 2),
            ("wallpaper-white", 3),
            ("puzzle-solo", 4),
        ] {
            let path = fixtures().join("none").join(what).with_extension("png");
            let spoil = move |shot: &Shot| covered(shot, &open(&path), share, at);
            add("covered by a window", format!("{share} of the board"), Box::new(spoil));
        }
    }
    for tiles in [0.3, 1.0, 1.6, 4.5] {
        for side in 0..4 {
            add("off the screen", format!("{tiles} tiles"), Box::new(move |shot| cut(shot, tiles, side)));
        }
    }
    all
}

/// Chance that is the same every time for one picture.
fn dice(shot: &Shot, salt: u64) -> Xoshiro256PlusPlus {
    let name = shot.name.bytes().fold(salt, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    Xoshiro256PlusPlus::seed_from_u64(name)
}

fn within(rng: &mut Xoshiro256PlusPlus, edges: &[f64]) -> f64 {
    rng.random_range(edges[0]..edges[edges.len() - 1]).floor()
}

/// A part of another screenshot laid over this share of the board, anywhere on it.
fn covered(shot: &Shot, other: &RgbaImage, share: f64, salt: u64) -> Variant {
    let mut rng = dice(shot, salt);
    let (board, area) = (bounds(&shot.grid), f64::sqrt(share));
    let (width, height) = ((board.width as f64 * area) as u32, (board.height as f64 * area) as u32);
    let left = board.left + rng.random_range(0..=board.width - width);
    let top = board.top + rng.random_range(0..=board.height - height);
    let from = (rng.random_range(0..=other.width() - width), rng.random_range(0..=other.height() - height));
    let window = imageops::crop_imm(other, from.0, from.1, width, height).to_image();
    let mut picture = shot.picture.clone();
    imageops::replace(&mut picture, &window, left.into(), top.into());
    Variant { cover: Some(Rect { left, top, width, height }), ..same_place(picture, shot) }
}

/// The picture ends so many tiles before the board does: left, top, right or bottom.
fn cut(shot: &Shot, tiles: f64, side: usize) -> Variant {
    let (board, (across, down)) = (bounds(&shot.grid), shot.grid.pitch());
    let (dx, dy) = ((tiles * across).round() as u32, (tiles * down).round() as u32);
    let (width, height) = shot.picture.dimensions();
    let (left, top) = (if side == 0 { board.left + dx } else { 0 }, if side == 1 { board.top + dy } else { 0 });
    let right = if side == 2 { board.left + board.width - dx } else { width };
    let bottom = if side == 3 { board.top + board.height - dy } else { height };
    let picture = imageops::crop_imm(&shot.picture, left, top, right - left, bottom - top).to_image();
    Variant { picture, grid: shot.grid.moved(left.into(), top.into()), cover: None }
}

fn bounds(grid: &Grid) -> Rect {
    let span = |edges: &[f64]| (edges[0].round() as u32, (edges[edges.len() - 1] - edges[0]).round() as u32);
    let ((left, width), (top, height)) = (span(&grid.columns), span(&grid.lines));
    Rect { left, top, width, height }
}

fn overlaps(tile: Rect, cover: Rect) -> bool {
    let meet = |a: u32, wide: u32, b: u32, other: u32| a < b + other && b < a + wide;
    meet(tile.left, tile.width, cover.left, cover.width) && meet(tile.top, tile.height, cover.top, cover.height)
}

/// Reads one picture and compares it with the truth.
fn judge(eyes: &mut Eyes, shot: &Shot, variant: Variant, tally: &mut Tally) {
    tally.pictures += 1;
    let screen = Screenshot::from_picture(variant.picture);
    let sight = match eyes.find(&screen) {
        Ok(sight) => sight,
        Err(error) => {
            tally.refused.push(format!("{}: {error}", shot.name));
            return;
        }
    };
    let reading = eyes.read(&screen, &sight);
    if let Some(fault) = misplaced(&reading.grid, &variant.grid) {
        tally.faults.push(format!("{}: {fault}", shot.name));
        return;
    }
    for (cell, (tile, &truth)) in shot.grid.size().cells().zip(reading.tiles.iter().zip(&shot.truth)) {
        let is_touched = variant.cover.is_some_and(|cover| overlaps(variant.grid.tile(cell), cover));
        let read = tile.tile.to_char();
        tally.tiles += 1;
        if read == '~' {
            tally.unrecognised += usize::from(!is_touched);
        } else if read != truth {
            tally.faults.push(format!(
                "{}: {cell} is {truth}, read as {read}: score {}, lead {}",
                shot.name, tile.score, tile.lead
            ));
        }
    }
}

/// What is wrong with a grid, if it is not of the same size within half a tile of where the board is.
fn misplaced(found: &Grid, truth: &Grid) -> Option<String> {
    let (size, place) = (found.size(), found.center(Cell::new(0, 0)));
    let (true_size, true_place, (across, down)) = (truth.size(), truth.center(Cell::new(0, 0)), truth.pitch());
    let far = (place.x - true_place.x).abs() > across / 2.0 || (place.y - true_place.y).abs() > down / 2.0;
    (size != true_size || far).then(|| {
        format!(
            "board of {size} at {:.0},{:.0}, it is {true_size} at {:.0},{:.0}",
            place.x, place.y, true_place.x, true_place.y
        )
    })
}

/// Every `nth` screenshot under every distortion that is `wanted`, as a table and with all faults.
fn survey(nth: usize, wanted: impl Fn(usize, usize) -> bool) -> (String, Vec<String>) {
    let mut eyes = all_eyes();
    let shots = shots(&mut eyes, nth);
    assert!(!shots.is_empty(), "no fixtures");
    let mut rows: Vec<(&str, String, Tally)> = Vec::new();
    for (number, distortion) in distortions().into_iter().enumerate() {
        let known =
            rows.iter().position(|(kind, strength, _)| (*kind, strength) == (distortion.kind, &distortion.strength));
        let row = known.unwrap_or_else(|| {
            rows.push((distortion.kind, distortion.strength.clone(), Tally::default()));
            rows.len() - 1
        });
        for (_, shot) in shots.iter().enumerate().filter(|(index, _)| wanted(number, *index)) {
            let variant = (distortion.spoil)(shot);
            judge(&mut eyes[shot.whose], shot, variant, &mut rows[row].2);
        }
    }
    let mut table = String::from(
        "| distortion | strength | pictures | refused | tiles read | not recognised | wrong |\n|---|---|---:|---:|---:|---:|---:|\n",
    );
    let mut faults = Vec::new();
    for (kind, strength, tally) in rows {
        let share = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
        table += &format!(
            "| {kind} | {strength} | {} | {:.1}% | {} | {:.2}% | {} |\n",
            tally.pictures,
            share(tally.refused.len(), tally.pictures),
            tally.tiles,
            share(tally.unrecognised, tally.tiles),
            tally.faults.len()
        );
        faults.extend(tally.faults.into_iter().map(|fault| format!("{kind} {strength}: {fault}")));
    }
    (table, faults)
}

/// Every distortion on a few screenshots, other ones for each.
#[test]
#[ignore = "takes a minute or two"]
fn no_tile_of_a_spoilt_screenshot_is_read_wrongly() {
    let (table, faults) = survey(7, |distortion, shot| (distortion + shot) % 10 == 0);
    println!("{table}");
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults[..faults.len().min(40)].join("\n"));
}

#[test]
#[ignore = "takes a quarter of an hour"]
fn no_tile_of_any_spoilt_screenshot_is_read_wrongly() {
    let nth = std::env::var("EVERY").ok().and_then(|every| every.parse().ok()).unwrap_or(1);
    let (table, faults) = survey(nth, |_, _| true);
    println!("{table}");
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults[..faults.len().min(40)].join("\n"));
}

/// Two screens beside each other: the one that is asked for is read, and without asking, one of the two.
#[test]
fn of_two_clients_the_one_that_is_asked_for_is_read() {
    let mut eyes = all_eyes();
    let shots = shots(&mut eyes, 17);
    let (mut faults, mut refused) = (Vec::new(), Vec::new());
    for (index, first) in shots.iter().enumerate() {
        let others = shots.iter().cycle().skip(index + 1).take(shots.len());
        let Some(second) = others.into_iter().find(|other| other.whose != first.whose) else { continue };
        let offset = first.picture.width();
        let height = first.picture.height().max(second.picture.height());
        let mut picture = RgbaImage::new(offset + second.picture.width(), height);
        imageops::replace(&mut picture, &first.picture, 0, 0);
        imageops::replace(&mut picture, &second.picture, offset.into(), 0);
        let moved = second.grid.moved(-f64::from(offset), 0.0);
        let mut tally = Tally::default();
        for (shot, grid) in [(first, &first.grid), (second, &moved)] {
            let variant = Variant { picture: picture.clone(), grid: grid.clone(), cover: None };
            judge(&mut eyes[shot.whose], shot, variant, &mut tally);
        }
        faults.append(&mut tally.faults);
        refused.extend(
            tally.refused.into_iter().map(|refusal| format!("{} beside {}: {refusal}", first.name, second.name)),
        );
        let (whose, sight) = find_any(&mut eyes, &Screenshot::from_picture(picture)).unwrap();
        let fits = |wanted: usize, grid: &Grid| whose == wanted && misplaced(&sight.grid, grid).is_none();
        if !fits(first.whose, &first.grid) && !fits(second.whose, &moved) {
            faults.push(format!("{} beside {}: {sight:?}", first.name, second.name));
        }
    }
    println!("{} boards; not found:\n{}", 2 * shots.len(), refused.join("\n"));
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(refused.len() * 10 <= 2 * shots.len(), "{} of {}", refused.len(), 2 * shots.len());
}

/// What a desktop makes of a window that it enlarges: tiles are smeared, a stipple is flat in some places and has stripes in others.
#[test]
fn boards_that_were_enlarged_smoothly_are_read() {
    let mut eyes = all_eyes();
    let names = ["winemine/intermediate-0-lost", "xdemineur/expert-1-lost", "xbomb/beginner-0-start"];
    let all = shots(&mut eyes, 1);
    let wanted: Vec<&Shot> = all.iter().filter(|shot| names.contains(&shot.name.as_str())).collect();
    assert_eq!(wanted.len(), names.len());
    for shot in wanted {
        for factor in [1.3, 1.7] {
            let mut tally = Tally::default();
            let picture = distort::scaled(&shot.picture, factor, FilterType::Triangle);
            let variant = Variant { picture, grid: enlarged(&shot.grid, factor), cover: None };
            judge(&mut eyes[shot.whose], shot, variant, &mut tally);
            assert!(tally.faults.is_empty(), "{factor}: {:?}", tally.faults);
            assert!(tally.refused.is_empty(), "{factor}: {:?}", tally.refused);
            assert!(tally.unrecognised * 10 <= tally.tiles, "{factor}: {} of {}", tally.unrecognised, tally.tiles);
        }
    }
}
