//! The one question "is this a tile of the board?" ([`Likeness`]), and how it is asked of many tiles.

use super::look::Seen;
use super::skin::Skin;
use super::tiles::{Asked, Tiles, spread};
use crate::board::Tile;
use crate::geometry::Cell;
use crate::vision::colour::ground::Colour;
use crate::vision::grid::Grid;
use std::sync::Arc;

/// Says of a tile how much it is one of the board's.
pub trait Likeness {
    /// Which one it is, if what it says of a tile is to be remembered.
    fn id(&self) -> Option<u64>;

    /// How near it is to tiles of the board: 1 is identical, 0 as far as two looks are from each other, -1 at least.
    fn near(&self, seen: &Seen) -> f64;

    /// What can be told of it.
    fn kind(&self, seen: &Seen) -> Kind;

    /// Whether an empty tile looks like any plain surface: then the board goes on only where there is more.
    fn has_plain_tiles(&self) -> bool;

    /// How far its content lies right of and below where it is on a tile of the board, in 16ths of a tile, and how sure that is
    /// (0 if not at all).
    fn shift(&self, seen: &Seen) -> Option<[(f32, f32); 2]>;

    /// The colour between its tiles, if it is one that tells them apart.
    fn ground(&self) -> Option<Colour> {
        None
    }
}

/// What can be told of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// None of the board's.
    Strange,
    /// Like an empty tile, as a flat background may be.
    Plain,
    /// Exactly an empty tile.
    Empty,
    /// More than an empty tile.
    Marked,
}

/// A nearness below which tiles are no nearer to any picture than the pictures to each other, whatever is done about the
/// phase.
pub const HOPELESS: f64 = -0.5;
/// A nearness with which nearly all tiles recognised are enough to look no further.
pub const FITTING: f64 = 0.5;
/// A match so good that no other phase or pattern can be better.
pub const CERTAIN: f64 = 0.9;
/// A nearness that cannot be mended.
pub const EXACT: f64 = 0.98;

impl Likeness for Skin {
    fn id(&self) -> Option<u64> {
        Some(self.id)
    }

    fn near(&self, seen: &Seen) -> f64 {
        self.nearness(seen)
    }

    fn kind(&self, seen: &Seen) -> Kind {
        let reading = self.classify(seen);
        // What is as plain as an empty tile is exactly like it, too.
        let is_exact = || reading.score > 0.9 || !self.has_plain_zero() && self.is_exact(seen);
        match reading.tile {
            Tile::Unrecognised => Kind::Strange,
            Tile::Open(0) if is_exact() => Kind::Empty,
            Tile::Open(0) => Kind::Plain,
            _ => Kind::Marked,
        }
    }

    fn has_plain_tiles(&self) -> bool {
        self.has_plain_zero()
    }

    fn shift(&self, seen: &Seen) -> Option<[(f32, f32); 2]> {
        Skin::shift(self, seen)
    }

    fn ground(&self) -> Option<Colour> {
        self.all.theme.ground
    }
}

/// Share of tiles recognised among about `count` spread over a grid, and their mean score (0 where not recognised).
pub fn judge(tiles: &Tiles, skin: &Arc<Skin>, grid: &Grid, count: usize) -> (f64, f64) {
    let (mut known, mut score, mut all) = (0.0, 0.0, 0.0f64);
    for cell in spread(grid, count) {
        let reading = tiles.reading(grid, cell, skin);
        all += 1.0;
        if reading.tile != Tile::Unrecognised {
            (known, score) = (known + 1.0, score + f64::from(reading.score));
        }
    }
    (known / all.max(1.0), score / all.max(1.0))
}

/// How near tiles are to the board's, on average of about `count` of them; or no more than `enough`, which is known sooner.
pub fn nearness(tiles: &Tiles, likeness: &dyn Likeness, grid: &Grid, count: usize, enough: f64) -> f64 {
    let cells: Vec<_> = spread(grid, count).collect();
    let near = |cell| near(tiles, grid, cell, likeness).unwrap_or(0.0);
    let all = cells.len();
    mean(cells.into_iter().map(near), all, enough)
}

/// How near a tile of a grid is to the board's; `None` if it is not wholly in the picture.
pub fn near(tiles: &Tiles, grid: &Grid, cell: Cell, likeness: &dyn Likeness) -> Option<f64> {
    let near = |seen: &Seen| likeness.near(seen);
    match likeness.id() {
        Some(id) => tiles.once(grid, cell, (id, Asked::Near), near),
        None => tiles.with_cell(grid, cell, near),
    }
}

/// The mean of `all` values, each at most 1; or no more than `enough`, as soon as it cannot be more, or the first few are all so far
/// that nothing is to be expected of the others.
pub fn mean(values: impl Iterator<Item = f64>, all: usize, enough: f64) -> f64 {
    let all = (all as f64).max(1.0);
    let (mut most, mut sum) = (all, 0.0);
    for (index, value) in values.enumerate() {
        (most, sum) = (most - 1.0 + value, sum + value);
        if most <= enough * all {
            return most / all;
        }
        if index + 1 == FIRST && enough >= HOPELESS && sum < FIRST as f64 * (HOPELESS - 0.25) {
            return enough.min(sum / FIRST as f64);
        }
    }
    sum / all
}

/// So many tiles are the first few.
const FIRST: usize = 4;
