//! Seeing: where the minefield is in a picture ([`Grid`]) and what is on its tiles ([`Reading`]).

pub mod annotate;
mod border;
pub mod classify;
pub mod counter;
pub mod doubt;
pub mod frame;
mod ground;
pub mod lattice;
pub mod locate;
pub mod patch;
pub mod read;
pub mod tone;

use crate::board::{Board, BoardError, Tile};
use crate::client::{Anchor, Spot};
use crate::geometry::{BoardSize, Cell, Pixel, Rect};
use serde::{Deserialize, Serialize};

/// Where the tiles are in a picture: the edges of every column and row, in pixels, which may be fractional. The pitch
/// need not be uniform (gnome-mines gives its first columns a pixel more), so origin and pitch are only a summary.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Grid {
    /// The left edge of every column, and the right edge of the last.
    pub columns: Vec<f64>,
    /// The top edge of every row, and the bottom edge of the last.
    pub lines: Vec<f64>,
}

impl Grid {
    /// Columns and rows.
    pub fn size(&self) -> BoardSize {
        BoardSize::new(self.columns.len() as u32 - 1, self.lines.len() as u32 - 1)
    }

    /// The top left corner of the first tile.
    pub fn origin(&self) -> Pixel {
        Pixel { x: self.columns[0], y: self.lines[0] }
    }

    /// The mean distance between tiles, across and down.
    pub fn pitch(&self) -> (f64, f64) {
        let mean = |edges: &[f64]| (edges[edges.len() - 1] - edges[0]) / (edges.len() - 1) as f64;
        (mean(&self.columns), mean(&self.lines))
    }

    /// The pixels of one tile, rounded to whole ones.
    pub fn tile(&self, cell: Cell) -> Rect {
        let span = |edges: &[f64], index: u32| {
            let (from, to) = (edges[index as usize].round(), edges[index as usize + 1].round());
            (from as u32, (to - from) as u32)
        };
        let (left, width) = span(&self.columns, cell.x);
        let (top, height) = span(&self.lines, cell.y);
        Rect { left, top, width, height }
    }

    /// The middle of one tile.
    pub fn center(&self, cell: Cell) -> Pixel {
        let middle = |edges: &[f64], index: u32| (edges[index as usize] + edges[index as usize + 1]) / 2.0;
        Pixel { x: middle(&self.columns, cell.x), y: middle(&self.lines, cell.y) }
    }

    /// Where a place given relative to the board is.
    pub fn spot(&self, spot: Spot) -> Pixel {
        let (left, right) = (self.columns[0], self.columns[self.columns.len() - 1]);
        let (top, bottom) = (self.lines[0], self.lines[self.lines.len() - 1]);
        let (middle, half) = ((left + right) / 2.0, (top + bottom) / 2.0);
        let (x, y) = match spot.from {
            Anchor::TopLeft => (left, top),
            Anchor::Top => (middle, top),
            Anchor::TopRight => (right, top),
            Anchor::Left => (left, half),
            Anchor::Center => (middle, half),
            Anchor::Right => (right, half),
            Anchor::BottomLeft => (left, bottom),
            Anchor::Bottom => (middle, bottom),
            Anchor::BottomRight => (right, bottom),
        };
        let (across, down) = self.pitch();
        Pixel { x: x + spot.tiles[0] * across + spot.pixels[0], y: y + spot.tiles[1] * down + spot.pixels[1] }
    }

    /// The board and `margin` tiles around it, as far as they are in a picture of this size.
    pub fn around(&self, (width, height): (u32, u32), margin: f64) -> Rect {
        let (across, down) = self.pitch();
        let span = |edges: &[f64], room: f64, limit: u32| {
            let from = (edges[0] - room).clamp(0.0, f64::from(limit)).floor() as u32;
            let to = (edges[edges.len() - 1] + room).clamp(0.0, f64::from(limit)).ceil() as u32;
            (from, to - from)
        };
        let (left, width) = span(&self.columns, margin * across, width);
        let (top, height) = span(&self.lines, margin * down, height);
        Rect { left, top, width, height }
    }

    /// The same grid in a picture whose corner lies `x`, `y` pixels further right and down.
    pub fn moved(&self, x: f64, y: f64) -> Grid {
        let shift = |edges: &[f64], by: f64| edges.iter().map(|edge| edge - by).collect();
        Grid { columns: shift(&self.columns, x), lines: shift(&self.lines, y) }
    }
}

/// What one tile looks like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TileReading {
    /// What it is taken for; [`Tile::Unrecognised`] if no match is good enough or two are too close.
    pub tile: Tile,
    /// The best match.
    pub best: Tile,
    /// How well the best picture matches, 0..1, 1 is identical.
    pub score: f32,
    /// How far the best match leads over every match that means something else: 1 is on the spot, 0 is halfway.
    pub lead: f32,
    /// The match that means something else and comes closest, with its score.
    pub runner_up: Option<(Tile, f32)>,
}

impl TileReading {
    /// Nothing could be compared.
    pub const NOTHING: TileReading =
        TileReading { tile: Tile::Unrecognised, best: Tile::Unrecognised, score: 0.0, lead: 0.0, runner_up: None };
}

/// How a game stands, as far as the screen shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// It goes on.
    Playing,
    /// It is won.
    Won,
    /// It is lost.
    Lost,
    /// It cannot be told.
    Unknown,
}

/// Everything that was read of one picture. It may hold unrecognised tiles and contradictions; [`Reading::board`] is
/// the only way to a board that can be acted on.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The client it was taken for.
    pub client: String,
    /// The theme it was taken for.
    pub theme: String,
    /// Where the tiles are.
    pub grid: Grid,
    /// Every tile, row by row.
    pub tiles: Vec<TileReading>,
    /// What the client's counter shows (mines less flags), where it has one that could be read.
    pub mines_left: Option<i32>,
}

impl Reading {
    /// The tiles as a board with `mines` mines, if they keep the rules of the game.
    ///
    /// # Errors
    /// The tiles contradict the rules.
    pub fn board(&self, mines: Option<u32>) -> Result<Board, BoardError> {
        Board::new(self.grid.size(), mines, self.tiles.iter().map(|reading| reading.tile).collect())
    }

    /// All mines of the board, as far as the client's counter tells: those left and those with a flag.
    pub fn mines(&self) -> Option<u32> {
        let count = |tile: Tile| self.tiles.iter().filter(|reading| reading.tile == tile).count() as i32;
        if count(Tile::Unrecognised) > 0 {
            return None;
        }
        u32::try_from(self.mines_left? + count(Tile::Flag) + count(Tile::WrongFlag)).ok()
    }

    /// Every tile that was not recognised.
    pub fn unrecognised(&self) -> impl Iterator<Item = Cell> {
        let size = self.grid.size();
        let all = self.tiles.iter().enumerate();
        all.filter(|(_, reading)| reading.tile == Tile::Unrecognised).map(move |(index, _)| size.cell(index))
    }

    /// How the game stands, as far as the tiles tell; `mines` if the number of mines is known.
    pub fn standing(&self, mines: Option<u32>) -> Standing {
        let count = |wanted: fn(Tile) -> bool| self.tiles.iter().filter(|reading| wanted(reading.tile)).count();
        if count(|tile| tile.is_shown_mine() || tile == Tile::WrongFlag) > 0 {
            return Standing::Lost;
        }
        if count(|tile| tile == Tile::Unrecognised) > 0 {
            return Standing::Unknown;
        }
        let covered = count(Tile::is_covered);
        let all_flagged = covered > 0 && covered == count(|tile| tile == Tile::Flag);
        if all_flagged || mines.is_some_and(|mines| covered == mines as usize) {
            Standing::Won
        } else {
            Standing::Playing
        }
    }

    /// The lowest score among the recognised tiles.
    pub fn lowest_score(&self) -> f32 {
        let known = self.tiles.iter().filter(|reading| reading.tile != Tile::Unrecognised);
        known.map(|reading| reading.score).fold(1.0, f32::min)
    }
}
