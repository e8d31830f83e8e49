//! Picture → the same without what repeats all over it: a wallpaper of a board's own pitch goes on where the board's lines end, and hides them.

use super::propose::{Axis, Lattice};
use crate::geometry::Cell;
use crate::vision::grid::Grid;
use crate::vision::tile::patch::{Patch, SIDE};
use crate::vision::tile::tiles::Tiles;
use image::{Rgba, RgbaImage};

/// A screen's outermost tiles that are asked for what they show, and how many of these must show the same: nothing but a wallpaper is there on most
/// sides.
const ASKED: usize = 60;
const COMMON: f64 = 0.5;
/// Share of them from which a tile counts as one of the wallpaper: where tiles are no whole number of pixels wide there are several kinds.
const SOME: f64 = 0.1;
/// Grey levels by which what repeats differs from its mean: a plain ground hides nothing.
const PLAIN: f32 = 2.0;
/// Levels by which a part of a tile may differ where it shows the same.
const SLACK: i16 = 24;
/// Share of a tile's parts that show the same where it is one of the wallpaper's.
const SAME: f64 = 0.9;

/// The picture with the wallpaper that goes on like a lattice painted over in one colour; nothing if there is none.
pub fn without(tiles: &Tiles, lattice: &Lattice) -> Option<RgbaImage> {
    let (width, height) = tiles.picture.dimensions();
    let grid = Grid { columns: all_over(&lattice.columns, width), lines: all_over(&lattice.lines, height) };
    let (size, show) = (grid.size(), |cell: Cell| tiles.with_cell(&grid, cell, |seen| **seen));
    let is_outer = |cell: &Cell| cell.x.min(cell.y) == 0 || cell.x + 1 == size.width || cell.y + 1 == size.height;
    let every = size.cells().filter(is_outer).count().div_ceil(ASKED).max(1);
    let outer: Vec<Cell> = size.cells().filter(is_outer).step_by(every).collect();
    let is_drawn = |cell: &&Cell| tiles.with_cell(&grid, **cell, |seen| seen.contrast() > PLAIN) == Some(true);
    let asked: Vec<Patch> = outer.iter().filter(is_drawn).filter_map(|cell| show(*cell)).collect();
    let mut paper: Vec<&Patch> = Vec::new();
    let is_one = |paper: &[&Patch], patch: &Patch| paper.iter().any(|one| share(one, patch) >= SAME);
    for patch in &asked {
        let as_many = asked.iter().filter(|other| share(patch, other) >= SAME).count();
        if as_many as f64 >= SOME * outer.len() as f64 && !is_one(&paper, patch) {
            paper.push(patch);
        }
    }
    let shown = asked.iter().filter(|patch| is_one(&paper, patch)).count();
    if paper.is_empty() || (shown as f64) < COMMON * outer.len() as f64 {
        return None;
    }
    let colour = mean(paper[0]);
    let mut rest = tiles.picture.clone();
    for cell in size.cells().filter(|cell| show(*cell).is_some_and(|patch| is_one(&paper, &patch))) {
        let tile = grid.tile(cell);
        for y in tile.top..tile.top + tile.height {
            (tile.left..tile.left + tile.width).for_each(|x| rest.put_pixel(x, y, colour));
        }
    }
    Some(rest)
}

/// The edges of an axis, on to both ends of a picture.
fn all_over(axis: &Axis, length: u32) -> Vec<f64> {
    let first = axis.edges[0];
    let (before, behind) = ((first / axis.pitch) as i64, ((f64::from(length) - first) / axis.pitch) as i64);
    (-before..=behind).map(|at| first + axis.pitch * at as f64).collect()
}

/// Share of the parts of two tiles that show the same.
fn share(one: &Patch, other: &Patch) -> f64 {
    let parts = one.as_chunks::<3>().0.iter().zip(other.as_chunks::<3>().0);
    let same = parts.filter(|(one, other)| one.iter().zip(*other).all(|(one, other)| (one - other).abs() <= SLACK));
    same.count() as f64 / (SIDE * SIDE) as f64
}

fn mean(patch: &Patch) -> Rgba<u8> {
    let sum = |channel: usize| patch.as_chunks::<3>().0.iter().map(|part| i32::from(part[channel])).sum::<i32>();
    let [red, green, blue] = [0, 1, 2].map(|channel| (sum(channel) / (SIDE * SIDE) as i32).clamp(0, 255) as u8);
    Rgba([red, green, blue, 255])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vision::find::propose::{Proposals, Source};

    /// Raised squares of 20 pixels all over a screen, or a plain one, with a plain window.
    fn screen(has_paper: bool) -> RgbaImage {
        RgbaImage::from_fn(640, 400, |x, y| {
            let (u, v) = (x % 20, y % 20);
            let light = match () {
                () if (200..350).contains(&x) && (110..250).contains(&y) => 90,
                () if has_paper && (u < 2 || v < 2) => 240,
                () if has_paper && (u > 17 || v > 17) => 130,
                () => 190,
            };
            Rgba([light, light, light, 255])
        })
    }

    #[test]
    fn what_repeats_all_over_a_screen_is_painted_over_and_nothing_else() {
        let picture = screen(true);
        let lattice = Proposals::new(&picture).get(Source::Clear, 0).unwrap();
        let rest = without(&Tiles::new(&picture), &lattice).unwrap();
        let at = |x: u32, y: u32| rest.get_pixel(x, y)[0];
        assert!((205..345).all(|x| at(x, 180) == 90));
        assert!([(40, 40), (60, 300), (500, 200), (600, 380)].iter().all(|&(x, y)| at(x, y) == at(30, 30)));
        let plain = screen(false);
        assert!(without(&Tiles::new(&plain), &lattice).is_none());
    }
}
