//! Screenshots of real clients with their truth, through `minesight check`: no tile may be read wrongly, all but a few must be
//! recognised (a board that is not found at all is refused, and counted), no mine counter either, and pictures without a board
//! must be refused. See `tests/fixtures/README.md`.

use image::{Rgba, RgbaImage, imageops};
use minesight::board::Tile;
use minesight::check::{Checked, Fixtures, Row, Whose, check, fixtures};
use minesight::client;
use minesight::geometry::{BoardSize, Cell};
use minesight::screenshot::Screenshot;
use minesight::vision::{Eyes, find_any};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

fn checked(whose: Whose) -> Vec<Checked> {
    let clients = client::bundled().unwrap();
    let Fixtures { screenshots, .. } = fixtures(&[folder()], &clients).unwrap();
    assert!(screenshots.iter().any(|fixture| fixture.truth.is_none()), "no pictures without a board");
    check(&screenshots, clients, whose, &|| {}).unwrap()
}

#[test]
fn no_tile_of_any_screenshot_is_read_wrongly() {
    let all = checked(Whose::Folder);
    for one in all.iter().filter(|one| one.is_refused() || one.not_recognised() > 0) {
        println!("{}: {:?}, {} not recognised", one.image.display(), one.outcome, one.not_recognised());
    }
    let Row { screenshots, refused, right, not_recognised, counters, counters_read, .. } = Row::of(&all);
    println!(
        "{not_recognised} of {} tiles not recognised, {refused} of {screenshots} pictures refused",
        right + not_recognised
    );
    println!("{counters_read} of {counters} counters read");
    let faults: Vec<String> = all.iter().flat_map(Checked::faults).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(right > 0, "no fixtures");
    assert!(refused * 100 < screenshots, "{refused} of {screenshots} pictures refused");
    assert!(counters_read * 3 > counters * 2, "only {counters_read} of {counters} counters read");
    assert!(not_recognised * 500 < right, "{not_recognised} tiles not recognised, {right} are");
}

/// A pattern that ends in the middle of a large screen has a rim like a board's.
#[test]
fn what_is_no_board_is_none_on_a_large_screen() {
    let eyes: Vec<Eyes> = client::bundled().unwrap().into_iter().map(|client| Eyes::new(Arc::new(client))).collect();
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder().join("none")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "png"));
    assert!(!files.is_empty());
    let board = |file: &PathBuf| {
        let picture = image::open(file).unwrap().into_rgba8();
        let mut screen = RgbaImage::from_pixel(3840, 2160, Rgba([58, 110, 165, 255]));
        let (left, top) = ((3840 - picture.width()) / 2, (2160 - picture.height()) / 2);
        imageops::replace(&mut screen, &picture, left.into(), top.into());
        let (whose, sight) = find_any(&mut eyes.clone(), &Screenshot::from_picture(screen)).ok()?;
        Some(format!("{}: {} of {}", file.display(), sight.grid.size(), eyes[whose].client().name))
    };
    let boards: Vec<String> = files.par_iter().filter_map(board).collect();
    assert!(boards.is_empty(), "{}", boards.join("\n"));
}

/// Where no tile is hidden, only thin lines tell where tiles begin: won boards of many deals, painted with the client's own pictures over
/// the one that was not found at first.
#[test]
fn won_boards_of_thin_lines_are_found() {
    const CORNER: (i64, i64) = (45, 92);
    let client = client::by_name(&client::bundled().unwrap(), "winemine").unwrap().clone();
    let screen = image::open(folder().join("winemine/beginner-3-won.png")).unwrap().into_rgba8();
    let (size, eyes) = (BoardSize::new(9, 9), Eyes::new(Arc::new(client.clone())));
    let is_missed = |&seed: &u64| {
        let mut cells: Vec<Cell> = size.cells().collect();
        cells.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(seed));
        let mines = &cells[..10];
        let tile = |cell: Cell| match mines.contains(&cell) {
            true => Tile::Flag,
            false => Tile::Open(size.neighbours(cell).filter(|other| mines.contains(other)).count() as u8),
        };
        let mut shot = Screenshot::from_picture(screen.clone());
        for cell in size.cells() {
            let picture = client.themes[0].pictures.iter().find(|picture| picture.tile == tile(cell)).unwrap();
            let (x, y) = (CORNER.0 + 16 * i64::from(cell.x), CORNER.1 + 16 * i64::from(cell.y));
            imageops::replace(&mut shot.pixels, &picture.pixels, x, y);
        }
        let mut eyes = eyes.clone();
        let read = eyes.find(&shot).map(|sight| eyes.read(&shot, &sight));
        !read.is_ok_and(|read| read.tiles.iter().map(|reading| reading.tile).eq(size.cells().map(tile)))
    };
    let missed: Vec<u64> = (0..100).into_par_iter().filter(is_missed).collect();
    assert!(missed.is_empty(), "deals {missed:?}");
}
