//! The screenshots of `tests/fixtures` as they would look elsewhere: moved, at other scales, in other colours, compressed, noisy,
//! under a pointer, partly covered, partly off the screen, two clients on one screen. A tile that is not recognised or a
//! board that is refused is allowed and counted; a wrong tile, or a board of the wrong size or at the wrong place, is not.
//!
//! `cargo test --release --no-default-features --test robustness -- --include-ignored --nocapture` prints the table that is in
//! `results/vision.md`.

mod decoys;
mod distort;
mod shots;
mod stretched;

use image::RgbaImage;
use image::imageops::{self, FilterType};
use minesight::client::{self, Client};
use minesight::geometry::Rect;
use minesight::screenshot::Screenshot;
use minesight::vision::{Eyes, find_any};
use minesight::vision::{Grid, TileReading};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;
use shots::{Known, Shot, fixtures, misplaced, open, shots};
use std::collections::BTreeMap;
use std::sync::Arc;

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
    spoil: Spoil,
}

/// Makes the spoilt picture, where that can be done to this one.
type Spoil = Box<dyn Fn(&Shot) -> Option<Variant> + Send + Sync>;

/// What came of some pictures.
#[derive(Default)]
struct Tally {
    pictures: usize,
    /// Every tile is read, and read rightly.
    right: usize,
    refused: Vec<String>,
    /// Boards of the wrong size or at the wrong place.
    misplaced: usize,
    tiles: usize,
    unrecognised: usize,
    wrong: usize,
    /// Boards that are misplaced and tiles that are wrong.
    faults: Vec<String>,
}

impl Tally {
    fn add(&mut self, mut other: Tally) {
        self.pictures += other.pictures;
        self.right += other.right;
        self.refused.append(&mut other.refused);
        self.misplaced += other.misplaced;
        self.tiles += other.tiles;
        self.unrecognised += other.unrecognised;
        self.wrong += other.wrong;
        self.faults.append(&mut other.faults);
    }
}

/// How much of the surroundings of a board stays in the picture, in pixels.
const SURROUNDINGS: f64 = 260.0;

fn eyes_of(client: &Client) -> Eyes {
    Eyes::new(Arc::new(client.clone()))
}

fn all_eyes() -> Vec<Eyes> {
    client::bundled().unwrap().iter().map(eyes_of).collect()
}

/// Every `nth` screenshot, to be cut down to the board and its surroundings when it is needed.
fn all_shots(nth: usize) -> Vec<Known> {
    shots(&client::bundled().unwrap(), nth)
}

/// A screenshot cut down to the board and its surroundings.
fn part(known: &Known) -> Shot {
    known.open().around([SURROUNDINGS; 2])
}

/// A number in the environment.
fn setting(name: &str) -> Option<usize> {
    std::env::var(name).ok().map(|value| value.parse().unwrap_or_else(|_| panic!("{name}={value} is not a number")))
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

/// What a night light leaves of a channel: red stays, green goes down half as much as blue.
fn night(blue: f64) -> impl Fn(usize, f64) -> f64 {
    move |channel, value| value * [1.0, (1.0 + blue) / 2.0, blue][channel]
}

fn distortions() -> Vec<Distortion> {
    let mut all: Vec<Distortion> = Vec::new();
    type Always = Box<dyn Fn(&Shot) -> Variant + Send + Sync>;
    let mut add = |kind, strength: String, spoil: Always| {
        all.push(Distortion { kind, strength, spoil: Box::new(move |shot| Some(spoil(shot))) });
    };
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
        add(
            "night light",
            format!("blue x {blue}"),
            Box::new(move |shot| same_place(distort::toned(&shot.picture, night(blue)), shot)),
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
fn judge(eyes: &mut Eyes, shot: &Shot, variant: Variant) -> Tally {
    let mut tally = Tally { pictures: 1, ..Tally::default() };
    let screen = Screenshot::from_picture(variant.picture);
    let sight = match eyes.find(&screen) {
        Ok(sight) => sight,
        Err(error) => {
            tally.refused.push(format!("{}: {error}", shot.name));
            return tally;
        }
    };
    let reading = eyes.read(&screen, &sight);
    if let Some(fault) = misplaced(&reading.grid, &variant.grid) {
        tally.misplaced = 1;
        tally.faults.push(format!("{}: {fault}", shot.name));
        return tally;
    }
    for (cell, (tile, &truth)) in shot.grid.size().cells().zip(reading.tiles.iter().zip(&shot.truth)) {
        let is_touched = variant.cover.is_some_and(|cover| overlaps(variant.grid.tile(cell), cover));
        let read = tile.tile.to_char();
        tally.tiles += 1;
        if read == '~' {
            tally.unrecognised += usize::from(!is_touched);
        } else if read != truth {
            tally.wrong += 1;
            tally.faults.push(format!(
                "{}: {cell} is {truth}, read as {read}: score {}, lead {}",
                shot.name, tile.score, tile.lead
            ));
        }
    }
    tally.right = usize::from(tally.unrecognised + tally.wrong == 0);
    tally
}

/// The screenshots, as `open` gives them, under every distortion that is `wanted` (its number, that of the screenshot), each with eyes
/// that have seen nothing: tables by distortion and by client, and all faults.
fn survey(
    shots: &[Known],
    open: fn(&Known) -> Shot,
    distortions: &[Distortion],
    wanted: impl Fn(usize, usize) -> bool + Sync,
) -> (String, Vec<String>) {
    let eyes = all_eyes();
    let read = |(index, known): (usize, &Known)| {
        let shot = open(known);
        let judge = |number: usize| {
            let Distortion { kind, strength, spoil } = &distortions[number];
            let variant = spoil(&shot)?;
            let kept = std::env::var("SAVE").ok().map(|folder| (folder, variant.picture.clone()));
            let tally = judge(&mut eyes[shot.whose].clone(), &shot, variant);
            if let Some((folder, picture)) = kept.filter(|_| !tally.refused.is_empty() || !tally.faults.is_empty()) {
                let name = format!("{} {kind} {strength}", shot.name).replace(['/', ' ', ',', '%'], "-");
                picture.save(format!("{folder}/{name}.png")).unwrap();
            }
            Some((number, shot.whose, tally))
        };
        (0..distortions.len()).filter(|&number| wanted(number, index)).filter_map(judge).collect::<Vec<_>>()
    };
    let mut tallies: Vec<(usize, usize, Tally)> = shots.par_iter().enumerate().flat_map_iter(read).collect();
    tallies.sort_by_key(|(number, ..)| *number);
    let (mut rows, mut clients) = (Vec::<(String, Tally)>::new(), BTreeMap::<String, Tally>::new());
    let mut faults = Vec::new();
    for (number, whose, mut tally) in tallies {
        let Distortion { kind, strength, .. } = &distortions[number];
        let row = format!("{kind} | {strength}");
        tally.faults.iter_mut().for_each(|fault| *fault = format!("{kind} {strength}: {fault}"));
        faults.extend(tally.faults.iter().cloned());
        let client = clients.entry(format!("{} | {kind}", eyes[whose].client().name)).or_default();
        client.add(Tally { refused: tally.refused.clone(), faults: tally.faults.clone(), ..tally });
        let known = rows.iter().position(|(name, _)| *name == row);
        let index = known.unwrap_or_else(|| {
            rows.push((row, Tally::default()));
            rows.len() - 1
        });
        rows[index].1.add(tally);
    }
    if std::env::var("REFUSED").is_ok() {
        rows.iter().for_each(|(row, tally)| tally.refused.iter().for_each(|refusal| println!("{row}: {refusal}")));
    }
    let all = rows.iter().fold(Tally::default(), |mut all, (_, tally)| {
        all.add(Tally { refused: tally.refused.clone(), faults: Vec::new(), ..*tally });
        all
    });
    let by_row = table("distortion | strength", rows.iter().map(|(row, tally)| (row.as_str(), tally)));
    let by_client = table("client | distortion", clients.iter().map(|(row, tally)| (row.as_str(), tally)));
    let sum = table("all | ", [(" | ", &all)]);
    (format!("{by_row}\n{by_client}\n{sum}"), faults)
}

fn table<'a>(first: &str, rows: impl IntoIterator<Item = (&'a str, &'a Tally)>) -> String {
    let mut table = format!(
        "| {first} | pictures | refused | | wholly right | wrong boards | tiles read | not recognised | wrong tiles |\n\
         |---|---|---:|---:|---:|---:|---:|---:|---:|---:|\n"
    );
    for (row, tally) in rows {
        let share = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
        table += &format!(
            "| {row} | {} | {} | {:.1}% | {} | {} | {} | {:.2}% | {} |\n",
            tally.pictures,
            tally.refused.len(),
            share(tally.refused.len(), tally.pictures),
            tally.right,
            tally.misplaced,
            tally.tiles,
            share(tally.unrecognised, tally.tiles),
            tally.wrong
        );
    }
    table
}

fn assert_faultless((table, faults): (String, Vec<String>)) {
    println!("{table}");
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults[..faults.len().min(40)].join("\n"));
}

/// Every distortion on a few screenshots, other ones for each.
#[test]
#[ignore = "takes a minute or two"]
fn no_tile_of_a_spoilt_screenshot_is_read_wrongly() {
    assert_faultless(survey(&all_shots(7), part, &distortions(), |distortion, shot| (distortion + shot) % 10 == 0));
}

/// `EVERY=4` takes every fourth screenshot, `KIND=scaled` only what is called like that; `REFUSED=1` lists what is refused.
#[test]
#[ignore = "takes a quarter of an hour"]
fn no_tile_of_any_spoilt_screenshot_is_read_wrongly() {
    let (kind, distortions) = (std::env::var("KIND").unwrap_or_default(), distortions());
    let is_wanted = |distortion: usize, _: usize| distortions[distortion].kind.contains(&kind);
    assert_faultless(survey(&all_shots(setting("EVERY").unwrap_or(1)), part, &distortions, is_wanted));
}

/// What desktops make of windows at other scales. `EVERY=8` takes every eighth of the pictures, of all kinds, `KIND=dark` only what is
/// called like that, `SHOT=dark` only screenshots of such names; `REFUSED=1` lists what is refused, and `SAVE=folder` keeps its pictures.
#[test]
#[ignore = "takes an hour"]
fn no_tile_of_a_stretched_window_is_read_wrongly() {
    let [kind, name] = ["KIND", "SHOT"].map(|name| std::env::var(name).unwrap_or_default());
    let every = setting("EVERY").unwrap_or(1);
    let clients = client::bundled().unwrap();
    let (mut shots, distortions) = (shots(&clients, 1), stretched::distortions(&clients));
    shots.retain(|shot| shot.name.contains(&name));
    // One after the other, so that screenshots, phases and scales all change from one to the next.
    let is_wanted = |distortion: usize, shot: usize| {
        distortions[distortion].kind.contains(&kind) && (distortion + 3 * shot).is_multiple_of(every)
    };
    assert_faultless(survey(&shots, Known::open, &distortions, is_wanted));
}

/// The boards are where `places.json` says, by the eyes as they are. `REGENERATE=1` writes the file anew from all boards that are read
/// without a fault; look at what changed.
#[test]
#[ignore = "reads all screenshots"]
fn boards_are_where_they_were() {
    let mut found = BTreeMap::new();
    for mut eyes in all_eyes() {
        for path in shots::pictures(&eyes.client().name) {
            let screen = Screenshot::from_picture(open(&path));
            let Ok(sight) = eyes.find(&screen) else { continue };
            let reading = eyes.read(&screen, &sight);
            let truth = shots::truth_of(&path);
            let is_right =
                |(tile, &truth): (&TileReading, &char)| ['~', truth].contains(&tile.tile.to_char()) || truth == '~';
            if reading.tiles.len() == truth.len() && reading.tiles.iter().zip(&truth).all(is_right) {
                let rounded = |edges: &[f64]| edges.iter().map(|edge| (edge * 100.0).round() / 100.0).collect();
                let grid = Grid { columns: rounded(&sight.grid.columns), lines: rounded(&sight.grid.lines) };
                found.insert(shots::name_of(&path), grid);
            }
        }
    }
    if std::env::var("REGENERATE").is_ok() {
        let lines: Vec<String> =
            found.iter().map(|(name, grid)| format!("{name:?}: {}", serde_json::to_string(grid).unwrap())).collect();
        std::fs::write(shots::places_file(), format!("{{\n{}\n}}\n", lines.join(",\n"))).unwrap();
    }
    for (name, grid) in shots::places() {
        let fault = found.get(&name).map_or(Some("not read".to_owned()), |found| misplaced(found, &grid));
        assert_eq!(fault, None, "{name}");
    }
}

/// Two screens beside each other: the one that is asked for is read, and without asking, one of the two.
#[test]
fn of_two_clients_the_one_that_is_asked_for_is_read() {
    let mut eyes = all_eyes();
    let shots: Vec<Shot> = all_shots(17).iter().map(part).collect();
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
            tally.add(judge(&mut eyes[shot.whose], shot, variant));
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

/// Of an untouched board on a dark desktop under a night light 15x10 of 16x16 tiles were taken for a whole one, with its first edges eight pixels astray.
#[test]
fn a_part_of_a_dark_board_is_none() {
    let (clients, mut eyes) = (client::bundled().unwrap(), all_eyes());
    let known = all_shots(1);
    let shot = known.iter().find(|known| known.name == "gnome-mines/intermediate-0-start").unwrap().open();
    let is_wanted = |way: &&Distortion| way.kind == "dark, night, window stretched" && way.strength == "175%";
    let ways = stretched::distortions(&clients);
    let variant = (ways.iter().find(is_wanted).unwrap().spoil)(&shot).unwrap();
    let tally = judge(&mut eyes[shot.whose], &shot, variant);
    assert!(tally.faults.is_empty() && tally.refused.is_empty(), "{:?} {:?}", tally.faults, tally.refused);
}

/// With the last row 0.3 tiles beyond the screen 9x8 of 9x9 tiles were taken for a whole board: what shows of that row looks like few of the tiles just
/// above it, which have numbers.
#[test]
fn a_board_that_ends_beyond_the_screen_is_no_smaller_one() {
    let mut eyes = all_eyes();
    let known = all_shots(1);
    let shot = part(known.iter().find(|known| known.name == "kmines/scale2-0-lost3").unwrap());
    for side in 0..4 {
        let tally = judge(&mut eyes[shot.whose], &shot, cut(&shot, 0.3, side));
        assert!(tally.faults.is_empty(), "side {side}: {:?}", tally.faults);
    }
}

/// What a desktop makes of a window that it enlarges: tiles are smeared, a stipple is flat in some places and has stripes in others.
#[test]
fn boards_that_were_enlarged_smoothly_are_read() {
    let mut eyes = all_eyes();
    let names = ["winemine/intermediate-0-lost", "xdemineur/expert-1-lost", "xbomb/beginner-0-start"];
    let is_wanted = |known: &&Known| names.contains(&known.name.as_str());
    let wanted: Vec<Shot> = all_shots(1).iter().filter(is_wanted).map(part).collect();
    assert_eq!(wanted.len(), names.len());
    for shot in wanted {
        for factor in [1.3, 1.7] {
            let picture = distort::scaled(&shot.picture, factor, FilterType::Triangle);
            let variant = Variant { picture, grid: enlarged(&shot.grid, factor), cover: None };
            let tally = judge(&mut eyes[shot.whose], &shot, variant);
            assert!(tally.faults.is_empty(), "{factor}: {:?}", tally.faults);
            assert!(tally.refused.is_empty(), "{factor}: {:?}", tally.refused);
            assert!(tally.unrecognised * 10 <= tally.tiles, "{factor}: {} of {}", tally.unrecognised, tally.tiles);
        }
    }
}
