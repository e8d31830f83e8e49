//! How long finding a board takes on every screenshot of `tests/fixtures`, on one thread: processor time of that thread, so that other
//! work on the machine counts for little. Screenshots smaller than 1920x1080 stand on a plain desktop of that size.
//!
//! `EVERY=4 PART=1` takes only the second, sixth, ... screenshot; `ONLY='named client'` only that row; `TIMES=file` also adds every time to
//! that file.
//! `scripts/compare-eyes OLD NEW` runs two trees by turns and prints both tables.

use super::setting;
use super::shots::{Known, fixtures, misplaced, name_of, open, pictures, shots};
use image::imageops::{self, FilterType};
use image::{Rgba, RgbaImage};
use minesight::client;
use minesight::screenshot::Screenshot;
use minesight::vision::Grid;
use minesight::vision::find::locate::{LocateError, Sight};
use minesight::vision::{Eyes, find_any};
use std::hint::black_box;
use std::io::Write;
use std::sync::Arc;

const SCREEN: (u32, u32) = (1920, 1080);
const LARGE: (u32, u32) = (3840, 2160);

/// Milliseconds of processor time that this thread has had.
#[cfg(unix)]
fn clock() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
}

#[cfg(not(unix))]
fn clock() -> f64 {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed().as_secs_f64() * 1e3
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = clock();
    let result = work();
    (result, clock() - start)
}

/// Times of one kind.
struct Kind {
    name: &'static str,
    times: Vec<(f64, String)>,
    refused: Vec<String>,
    wrong: Vec<String>,
}

#[derive(Default)]
struct Table(Vec<Kind>);

impl Table {
    fn add(&mut self, name: &'static str, picture: &str, ms: f64) -> &mut Kind {
        let known = self.0.iter().position(|kind| kind.name == name);
        let index = known.unwrap_or_else(|| {
            self.0.push(Kind { name, times: Vec::new(), refused: Vec::new(), wrong: Vec::new() });
            self.0.len() - 1
        });
        self.0[index].times.push((ms, picture.to_owned()));
        // At once: a run that is stopped has not been in vain.
        if let Ok(path) = std::env::var("TIMES") {
            let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
            writeln!(file, "{name}\t{picture}\t{ms:.4}").unwrap();
        }
        &mut self.0[index]
    }

    /// A look that must find the board there is, or none.
    fn look(
        &mut self,
        name: &'static str,
        picture: &str,
        work: impl FnOnce() -> Result<(usize, Sight), LocateError>,
        truth: Option<(usize, &Grid)>,
    ) {
        if !is_asked(name) {
            return;
        }
        let (found, ms) = timed(work);
        let kind = self.add(name, picture, ms);
        match (found, truth) {
            (Ok((whose, sight)), Some((truly, grid))) if whose == truly && misplaced(&sight.grid, grid).is_none() => {}
            (Ok((whose, sight)), _) => kind.wrong.push(format!("{picture}: {} of client {whose}", sight.grid.size())),
            (Err(error), Some(_)) => kind.refused.push(format!("{picture}: {error}")),
            (Err(_), None) => {}
        }
    }

    fn print(&mut self) {
        println!("| | pictures | median | 90% | worst | | refused | wrong |\n|---|---:|---:|---:|---:|---|---:|---:|");
        for Kind { name, times, refused, wrong } in &mut self.0 {
            times.sort_by(|a, b| a.0.total_cmp(&b.0));
            let at = |share: f64| times[((times.len() - 1) as f64 * share).round() as usize].0;
            let (worst, whose) = &times[times.len() - 1];
            println!(
                "| {name} | {} | {:.2} ms | {:.2} ms | {worst:.2} ms | {whose} | {} | {} |",
                times.len(),
                at(0.5),
                at(0.9),
                refused.len(),
                wrong.len()
            );
        }
        for Kind { name, refused, wrong, .. } in &self.0 {
            refused.iter().for_each(|refusal| println!("{name}: refused: {refusal}"));
            wrong.iter().for_each(|wrong| println!("{name}: wrong: {wrong}"));
        }
    }
}

/// Whether this row is to be measured.
fn is_asked(name: &str) -> bool {
    std::env::var("ONLY").map_or(true, |only| only == name)
}

/// A picture on a plain desktop of a size, in its middle; as it is if it is larger.
fn on_desktop(picture: &RgbaImage, (width, height): (u32, u32)) -> (RgbaImage, (f64, f64)) {
    let (wide, high) = picture.dimensions();
    if wide >= width && high >= height {
        return (picture.clone(), (0.0, 0.0));
    }
    let mut screen = RgbaImage::from_pixel(width.max(wide), height.max(high), Rgba([58, 110, 165, 255]));
    let (left, top) = ((screen.width() - wide) / 2, (screen.height() - high) / 2);
    imageops::replace(&mut screen, picture, left.into(), top.into());
    (screen, (left.into(), top.into()))
}

/// The same board after a click: up to five hidden tiles look like an open one.
fn clicked(picture: &RgbaImage, grid: &Grid, truth: &[char]) -> Option<RgbaImage> {
    let size = grid.size();
    let of = |wanted: char| (0..truth.len()).filter(move |&index| truth[index] == wanted).map(|index| size.cell(index));
    let from = grid.tile(of('1').next()?);
    let tile = imageops::crop_imm(picture, from.left, from.top, from.width, from.height).to_image();
    let mut after = picture.clone();
    for cell in of('#').take(5) {
        let to = grid.tile(cell);
        imageops::replace(&mut after, &tile, to.left.into(), to.top.into());
    }
    Some(after)
}

/// What finds and reads a board of any client.
fn any(eyes: &mut [Eyes], shot: &Screenshot) -> Result<(usize, Sight), LocateError> {
    let (whose, sight) = find_any(eyes, shot)?;
    black_box(eyes[whose].read(shot, &sight));
    Ok((whose, sight))
}

fn named(eyes: &mut Eyes, whose: usize, shot: &Screenshot) -> Result<(usize, Sight), LocateError> {
    let sight = eyes.find(shot)?;
    black_box(eyes.read(shot, &sight));
    Ok((whose, sight))
}

fn copy(table: &mut Table, name: &'static str, picture: &str, shot: &Screenshot) {
    let mut copy = shot.pixels.clone();
    let (_, ms) = timed(|| {
        copy.copy_from_slice(&shot.pixels);
        black_box(&mut copy);
    });
    table.add(name, picture, ms);
}

#[test]
#[ignore = "takes a quarter of an hour"]
fn times() {
    let (every, part) = (setting("EVERY").unwrap_or(1), setting("PART").unwrap_or(0));
    let (clients, loading) = timed(|| client::bundled().unwrap());
    let (all, preparing) =
        timed(|| clients.iter().map(|client| Eyes::new(Arc::new(client.clone()))).collect::<Vec<Eyes>>());
    println!("once: {loading:.0} ms to load all clients, {preparing:.0} ms to make eyes for them\n");
    let mut table = Table::default();
    let mut used = all.clone();
    for shot in shots(&clients, 1).iter().skip(part).step_by(every).map(Known::open) {
        let (name, whose) = (shot.name.as_str(), shot.whose);
        let (picture, corner) = on_desktop(&shot.picture, SCREEN);
        let (grid, screen) = (shot.grid.moved(-corner.0, -corner.1), Screenshot::from_picture(picture));
        let truth = Some((whose, &grid));
        let mut eyes = all.clone();
        table.look("any client", name, || any(&mut eyes, &screen), truth);
        table.look("any client, the same again", name, || any(&mut eyes, &screen), truth);
        table.look("any client, eyes used before", name, || any(&mut used, &screen), truth);
        let mut eyes = all[whose].clone();
        table.look("named client", name, || named(&mut eyes, whose, &screen), truth);
        table.look("named client, the same again", name, || named(&mut eyes, whose, &screen), truth);
        let warm = "warm, five tiles changed";
        if is_asked(warm)
            && let (Ok(sight), Some(after)) = (eyes.find(&screen), clicked(&screen.pixels, &grid, &shot.truth))
        {
            let after = Screenshot::from_picture(after);
            eyes.read(&screen, &sight);
            table.add(warm, name, timed(|| black_box(eyes.read(&after, &sight))).1);
        }
        copy(&mut table, "copy of the frame", name, &screen);
        let (large, by) = on_desktop(&screen.pixels, LARGE);
        let (grid, large) = (grid.moved(-by.0, -by.1), Screenshot::from_picture(large));
        let truth = Some((whose, &grid));
        table.look("3840x2160, any client", name, || any(&mut all.clone(), &large), truth);
        table.look("3840x2160, named client", name, || named(&mut all[whose].clone(), whose, &large), truth);
        copy(&mut table, "3840x2160, copy of the frame", name, &large);
    }
    let none = pictures("none");
    for path in none.iter().skip(part).step_by(every) {
        let (name, picture) = (name_of(path), on_desktop(&open(path), SCREEN).0);
        let screen = Screenshot::from_picture(picture);
        let mut eyes = all.clone();
        table.look("no board, all clients", &name, || any(&mut eyes, &screen), None);
        table.look("no board, all clients, the same again", &name, || any(&mut eyes, &screen), None);
        table.look("no board, all clients, eyes used before", &name, || any(&mut used, &screen), None);
        let large = Screenshot::from_picture(on_desktop(&screen.pixels, LARGE).0);
        table.look("3840x2160, no board, all clients", &name, || any(&mut all.clone(), &large), None);
    }
    // As much on the screen as there is room for: four at a time.
    for paths in none.chunks(4).skip(part).step_by(every) {
        let mut screen = RgbaImage::new(LARGE.0, LARGE.1);
        for (index, path) in paths.iter().enumerate() {
            let (x, y) = (index as i64 % 2 * 1920, index as i64 / 2 * 1080);
            let quarter = imageops::resize(&open(path), SCREEN.0, SCREEN.1, FilterType::Nearest);
            imageops::replace(&mut screen, &quarter, x, y);
        }
        let screen = Screenshot::from_picture(screen);
        table.look(
            "3840x2160, no board four times, all clients",
            &name_of(&paths[0]),
            || any(&mut all.clone(), &screen),
            None,
        );
    }
    assert!(fixtures().is_dir());
    table.print();
    assert!(table.0.iter().all(|kind| kind.wrong.is_empty()), "boards at wrong places");
}
