//! What was seen, drawn for people: [`annotate`] lays grid, labels and scores over the board; [`explain`] shows one tile beside
//! the pictures it was compared with. Both enlarge what is small, so that they can be read at any scale.

use super::classify::Compared;
use super::reading::Reading;
use crate::board::Tile;
use crate::geometry::Cell;
use image::imageops::{self, FilterType};
use image::{Rgba, RgbaImage};

const KNOWN: Rgba<u8> = Rgba([0, 200, 255, 255]);
const UNKNOWN: Rgba<u8> = Rgba([255, 0, 160, 255]);
const INK: Rgba<u8> = Rgba([255, 255, 255, 255]);
const PAPER: Rgba<u8> = Rgba([20, 20, 30, 255]);
/// A tile this wide has room for its label and two scores.
const LEGIBLE: f64 = 54.0;
/// Width of an explained tile.
const LARGE: u32 = 160;

/// The board with a frame around every tile (pink where it was not recognised), its label and score above, and the runner-up
/// with its score below. Scores are in hundredths.
pub fn annotate(picture: &RgbaImage, reading: &Reading) -> RgbaImage {
    let grid = &reading.grid;
    let (pitch, _) = grid.pitch();
    let factor = (LEGIBLE / pitch).ceil().max(1.0) as u32;
    let (width, height) = picture.dimensions();
    let bounds = |edges: &[f64], limit: u32| {
        let from = (edges[0] - pitch).floor().clamp(0.0, f64::from(limit)) as u32;
        let to = (edges[edges.len() - 1] + pitch).ceil().clamp(0.0, f64::from(limit)) as u32;
        (from, to.saturating_sub(from).max(1))
    };
    let ((left, across), (top, down)) = (bounds(&grid.columns, width), bounds(&grid.lines, height));
    let part = imageops::crop_imm(picture, left, top, across, down).to_image();
    let mut drawn = imageops::resize(&part, across * factor, down * factor, FilterType::Nearest);
    let place = |edge: f64, from: u32| ((edge - f64::from(from)) * f64::from(factor)).round() as i64;
    for (cell, tile) in grid.size().cells().zip(&reading.tiles) {
        let (x, y) = (cell.x as usize, cell.y as usize);
        let (x0, x1) = (place(grid.columns[x], left), place(grid.columns[x + 1], left));
        let (y0, y1) = (place(grid.lines[y], top), place(grid.lines[y + 1], top));
        let known = tile.tile != Tile::Unrecognised;
        frame(&mut drawn, (x0, y0), (x1 - 1, y1 - 1), if known { KNOWN } else { UNKNOWN });
        let label = format!("{}{:02}", tile.best.to_char(), hundredths(tile.score));
        write(&mut drawn, (x0 + 2, y0 + 2), &label, 2, if known { INK } else { UNKNOWN });
        if let Some((other, score)) = tile.runner_up {
            let label = format!("{}{:02}", other.to_char(), hundredths(score));
            write(&mut drawn, (x0 + 2, y1 - 10), &label, 1, INK);
        }
    }
    drawn
}

/// One tile, large, and beside it the best pictures of every look, with what they are of and their score.
pub fn explain(picture: &RgbaImage, reading: &Reading, cell: Cell, compared: &[Compared]) -> RgbaImage {
    let shown = compared.len().min(6);
    let mut sheet = RgbaImage::from_pixel(LARGE * (shown as u32 + 1) + 10, LARGE + 24, PAPER);
    let area = reading.grid.tile(cell);
    let tile = imageops::crop_imm(picture, area.left, area.top, area.width, area.height).to_image();
    let mut put = |index: u32, tile: &RgbaImage, text: &str| {
        let large = imageops::resize(tile, LARGE - 10, LARGE - 10, FilterType::Nearest);
        let x = i64::from(index * LARGE + 10);
        imageops::overlay(&mut sheet, &large, x, 8);
        write(&mut sheet, (x, i64::from(LARGE)), text, 3, INK);
    };
    let found = reading.tiles[reading.grid.size().index(cell)];
    put(0, &tile, &format!("{}", found.tile.to_char()));
    for (index, other) in compared.iter().take(shown).enumerate() {
        put(index as u32 + 1, &other.pixels, &format!("{} {:02}", other.tile.to_char(), hundredths(other.score)));
    }
    sheet
}

fn hundredths(score: f32) -> u32 {
    (score.clamp(0.0, 0.99) * 100.0) as u32
}

fn frame(picture: &mut RgbaImage, (x0, y0): (i64, i64), (x1, y1): (i64, i64), colour: Rgba<u8>) {
    for x in x0..=x1 {
        dot(picture, (x, y0), colour);
        dot(picture, (x, y1), colour);
    }
    for y in y0..=y1 {
        dot(picture, (x0, y), colour);
        dot(picture, (x1, y), colour);
    }
}

fn dot(picture: &mut RgbaImage, (x, y): (i64, i64), colour: Rgba<u8>) {
    if x >= 0 && y >= 0 && x < i64::from(picture.width()) && y < i64::from(picture.height()) {
        picture.put_pixel(x as u32, y as u32, colour);
    }
}

/// Writes text on a dark ground, each dot of a letter `size` pixels wide.
fn write(picture: &mut RgbaImage, (x, y): (i64, i64), text: &str, size: i64, colour: Rgba<u8>) {
    for (index, character) in text.chars().enumerate() {
        let left = x + index as i64 * 4 * size;
        let rows = letter(character);
        for line in -1..6i64 {
            for column in -1..4i64 {
                let on =
                    (0..5).contains(&line) && (0..3).contains(&column) && rows[line as usize] >> (2 - column) & 1 == 1;
                for (dx, dy) in (0..size).flat_map(|dx| (0..size).map(move |dy| (dx, dy))) {
                    dot(picture, (left + column * size + dx, y + line * size + dy), if on { colour } else { PAPER });
                }
            }
        }
    }
}

/// Letters three dots wide and five high, a row a number.
fn letter(character: char) -> [u8; 5] {
    match character {
        '0' => [7, 5, 5, 5, 7],
        '1' => [2, 6, 2, 2, 7],
        '2' => [7, 1, 7, 4, 7],
        '3' => [7, 1, 3, 1, 7],
        '4' => [5, 5, 7, 1, 1],
        '5' => [7, 4, 7, 1, 7],
        '6' => [7, 4, 7, 5, 7],
        '7' => [7, 1, 2, 2, 2],
        '8' => [7, 5, 7, 5, 7],
        '9' => [7, 5, 7, 1, 7],
        'F' => [7, 4, 6, 4, 4],
        '#' => [5, 7, 5, 7, 5],
        '?' => [7, 1, 2, 0, 2],
        '*' => [0, 5, 2, 5, 0],
        'X' => [5, 5, 2, 5, 5],
        'x' => [0, 0, 5, 2, 5],
        '~' => [0, 3, 6, 0, 0],
        _ => [0; 5],
    }
}
