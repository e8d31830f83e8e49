//! What the bot makes of a picture, drawn into it: the grid, the risk of every tile, and where it clicks next.

use crate::board::Board;
use crate::draw::{frame, tint, write_within};
use crate::geometry::{Cell, Rect};
use crate::session::Chosen;
use crate::solver::probability::risks;
use crate::vision::Grid;
use image::RgbaImage;

/// Safe, doubtful, mine: colours that people with any sort of colour vision can tell apart (Okabe and Ito, 2008).
const SAFE: [u8; 3] = [0, 158, 115];
const DOUBT: [u8; 3] = [240, 228, 66];
const MINE: [u8; 3] = [213, 94, 0];
/// The next click: if it is certain, and if it is a guess.
const CLICK: [u8; 3] = [0, 114, 178];
const GUESS: [u8; 3] = [204, 0, 140];
const LINES: [u8; 3] = [86, 180, 233];
const DIGITS: [u8; 3] = [10; 3];

/// How much of a tint covers what is below.
const TINT: f64 = 0.42;

/// Draws the bot's view of a decision.
pub fn draw(picture: &mut RgbaImage, grid: &Grid, board: &Board, chosen: &Chosen) {
    let size = board.size();
    if grid.size() != size {
        return;
    }
    if let Ok(risks) = risks(board) {
        let elsewhere = risks.elsewhere(board);
        for (cell, risk) in size.cells().filter_map(|cell| Some((cell, risks.risk(cell)?))) {
            tint(picture, grid.tile(cell), colour(risk), TINT);
            // Where nothing is known all risks are the same: no need to say so on every tile.
            if risk > 0.0 && risk < 1.0 && Some(risk) != elsewhere {
                percent(picture, grid.tile(cell), risk);
            }
        }
    }
    draw_grid(picture, grid);
    let (click, width) = if chosen.guess.is_some() { (GUESS, 3) } else { (CLICK, 2) };
    chosen
        .open
        .iter()
        .filter(|&&cell| size.contains(cell))
        .for_each(|&cell| frame(picture, grid.tile(cell), click, width));
}

/// The edges of the tiles.
pub fn draw_grid(picture: &mut RgbaImage, grid: &Grid) {
    let last = |edges: &[f64]| edges[edges.len() - 1].round() as u32;
    let (left, top) = (grid.columns[0].round() as u32, grid.lines[0].round() as u32);
    let (right, bottom) = (last(&grid.columns), last(&grid.lines));
    for x in grid.columns.iter().map(|edge| edge.round() as u32) {
        tint(picture, Rect { left: x, top, width: 1, height: bottom - top }, LINES, 0.5);
    }
    for y in grid.lines.iter().map(|edge| edge.round() as u32) {
        tint(picture, Rect { left, top: y, width: right - left, height: 1 }, LINES, 0.5);
    }
}

/// A frame around a tile, to point at it.
pub fn point_at(picture: &mut RgbaImage, grid: &Grid, cell: Cell) {
    frame(picture, grid.tile(cell), GUESS, 3);
}

/// From safe over doubtful, at the risk of a coin's toss, to mine.
fn colour(risk: f64) -> [u8; 3] {
    let mix = |from: [u8; 3], to: [u8; 3], share: f64| -> [u8; 3] {
        std::array::from_fn(|part| (f64::from(from[part]) * (1.0 - share) + f64::from(to[part]) * share).round() as u8)
    };
    if risk < 0.5 { mix(SAFE, DOUBT, risk * 2.0) } else { mix(DOUBT, MINE, risk * 2.0 - 1.0) }
}

/// A risk in per cent, in the middle of a tile.
fn percent(picture: &mut RgbaImage, tile: Rect, risk: f64) {
    // Rounded to neither of the two that are certain.
    let percent = (100.0 * risk).round().clamp(1.0, 99.0);
    let height = 0.75 * tile.height.min(tile.width) as f32;
    write_within(picture, tile, &percent.to_string(), height, DIGITS);
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgba;

    #[test]
    fn nothing_is_drawn_outside_of_the_picture_or_the_board() {
        let grid = Grid { columns: vec![-3.0, 7.4, 17.8], lines: vec![2.0, 12.5, 40.0] };
        let board: Board = "2 2 1\n1#\n##".parse().unwrap();
        let chosen = Chosen {
            rows: None,
            total: Some(1),
            open: vec![Cell::new(1, 1), Cell::new(9, 9)],
            mines: vec![],
            risk: 0.3,
            guess: None,
        };
        let plain = RgbaImage::from_pixel(30, 20, Rgba([200, 200, 200, 255]));
        let mut picture = plain.clone();
        draw(&mut picture, &grid, &board, &chosen);
        assert_ne!(picture, plain);
        assert!((19..30).all(|x| (0..20).all(|y| picture.get_pixel(x, y) == plain.get_pixel(x, y))));
        let part = grid.around((30, 20), 1.0);
        assert_eq!((part.left, part.top, part.left + part.width, part.top + part.height), (0, 0, 29, 20));
    }

    #[test]
    fn risks_go_from_safe_to_mine() {
        assert_eq!([colour(0.0), colour(0.5), colour(1.0)], [SAFE, DOUBT, MINE]);
    }
}
