//! What was seen, drawn for people: [`annotate`] lays grid, labels and scores over the board; [`explain`] shows one tile beside
//! the pictures it was compared with. Both enlarge what is small and say what their labels mean, so that they can be read at
//! any scale.

use super::reading::Reading;
use super::tile::classify::Compared;
use crate::board::Tile;
use crate::draw::{INK, PAPER, frame, label, text_room, wrapped, write};
use crate::geometry::{Cell, Rect};
use image::imageops::{self, FilterType};
use image::{Rgba, RgbaImage};

const KNOWN: [u8; 3] = [0, 200, 255];
const UNKNOWN: [u8; 3] = [255, 60, 170];
/// A tile this wide has room for its label with a score, and for the runner-up with its own below.
const LEGIBLE: f64 = 72.0;
/// Height of what a tile was taken for, of its score, of the runner-up, and of the legend, in pixels.
const LOOK: f32 = 26.0;
const SCORE: f32 = 15.0;
const OTHER: f32 = 15.0;
const LEGEND: f32 = 18.0;
/// Width and height of an explained tile, and the room around it.
const LARGE: u32 = 160;
const ROOM: u32 = 14;

/// The board with a frame around every tile, what it was taken for and how well that matches above, and the runner-up with its
/// score below. Tiles that were not recognised have a thick frame.
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
    let place = |edge: f64, from: u32| ((edge - f64::from(from)).max(0.0) * f64::from(factor)).round() as u32;
    for (cell, tile) in grid.size().cells().zip(&reading.tiles) {
        let (x, y) = (cell.x as usize, cell.y as usize);
        let (x0, x1) = (place(grid.columns[x], left), place(grid.columns[x + 1], left));
        let (y0, y1) = (place(grid.lines[y], top), place(grid.lines[y + 1], top));
        let known = tile.tile != Tile::Unrecognised;
        let (colour, thick) = if known { (KNOWN, 1) } else { (UNKNOWN, 4) };
        frame(&mut drawn, Rect { left: x0, top: y0, width: x1 - x0, height: y1 - y0 }, colour, thick);
        let wide = label(
            &mut drawn,
            (x0 + 2, y0 + 2),
            &tile.tile.to_char().to_string(),
            LOOK,
            if known { INK } else { UNKNOWN },
            PAPER,
        );
        let score = percent(tile.score);
        let score = if known { score } else { format!("{} {score}", tile.best.to_char()) };
        label(&mut drawn, (x0 + 2 + wide, y0 + 2), &score, SCORE, INK, PAPER);
        if let Some((other, score)) = tile.runner_up {
            let text = format!("{} {}", other.to_char(), percent(score));
            let (_, tall) = text_room(&text, OTHER);
            label(&mut drawn, (x0 + 2, (y1 - 2).saturating_sub(tall)), &text, OTHER, INK, PAPER);
        }
    }
    let legend = format!(
        "{} ({}): {} columns, {} rows. Above in every tile: what it was taken for, and how near its best picture is (100% is \
         identical). Below: the runner-up. A thick frame and ~: not recognised, with what it is nearest to.",
        reading.client,
        reading.theme,
        grid.size().width,
        grid.size().height
    );
    with_words(&drawn, &legend)
}

/// One tile, large, and beside it the best pictures of every look, with what they are of and how near they are.
pub fn explain(picture: &RgbaImage, reading: &Reading, cell: Cell, compared: &[Compared]) -> RgbaImage {
    let shown = &compared[..compared.len().min(6)];
    let (across, down) = (LARGE + ROOM, LARGE + 2 * ROOM + text_room("0", LEGEND).1);
    let mut sheet = paper(across * (shown.len() as u32 + 1) + ROOM, down);
    let area = reading.grid.tile(cell);
    let tile = imageops::crop_imm(picture, area.left, area.top, area.width, area.height).to_image();
    let mut put = |index: u32, tile: &RgbaImage, text: &str| {
        let large = imageops::resize(tile, LARGE, LARGE, FilterType::Nearest);
        let x = index * across + ROOM;
        imageops::overlay(&mut sheet, &large, x.into(), ROOM.into());
        write(&mut sheet, (x as i32, (LARGE + ROOM + ROOM / 2) as i32), text, LEGEND, INK);
    };
    put(0, &tile, "the tile");
    for (index, other) in shown.iter().enumerate() {
        put(index as u32 + 1, &other.pixels, &format!("{} {}", name(other.tile), percent(other.score)));
    }
    let found = reading.tiles[reading.grid.size().index(cell)];
    let verdict = if found.tile == Tile::Unrecognised {
        format!("not recognised; nearest to {}", name(found.best))
    } else {
        format!("read as {}", name(found.tile))
    };
    let words = format!(
        "Column {}, row {}: {verdict}. Score {} (100% is identical), lead over the runner-up {:.2} (1 is on the spot, 0 \
         halfway).",
        cell.x,
        cell.y,
        percent(found.score),
        found.lead
    );
    with_words(&sheet, &words)
}

/// A tile in words.
fn name(tile: Tile) -> String {
    match tile {
        Tile::Hidden => "hidden".into(),
        Tile::Open(0) => "empty (0)".into(),
        Tile::Open(number) => number.to_string(),
        Tile::Flag => "flag".into(),
        Tile::Question => "question".into(),
        Tile::Mine => "mine".into(),
        Tile::Exploded => "exploded".into(),
        Tile::WrongFlag => "wrong flag".into(),
        Tile::Unrecognised => "nothing".into(),
    }
}

/// Never rounded to what it is not: 100% is identical.
fn percent(score: f32) -> String {
    format!("{}%", (score.clamp(0.0, 1.0) * 100.0).floor())
}

fn paper(width: u32, height: u32) -> RgbaImage {
    let [r, g, b] = PAPER;
    RgbaImage::from_pixel(width, height, Rgba([r, g, b, u8::MAX]))
}

/// A picture with words below it.
fn with_words(picture: &RgbaImage, words: &str) -> RgbaImage {
    let width = picture.width().max(LARGE * 2);
    let lines = wrapped(words, LEGEND, width - 2 * ROOM);
    let (_, tall) = text_room("0", LEGEND);
    let mut sheet = paper(width, picture.height() + lines.len() as u32 * tall + 2 * ROOM);
    imageops::overlay(&mut sheet, picture, 0, 0);
    for (index, line) in lines.iter().enumerate() {
        let y = picture.height() + ROOM + index as u32 * tall;
        write(&mut sheet, (ROOM as i32, y as i32), line, LEGEND, INK);
    }
    sheet
}
