//! What is on the tiles of a board ([`Reading`]), as far as it was recognised.

use super::grid::Grid;
use crate::board::{Board, BoardError, Tile};
use crate::geometry::Cell;
use serde::Serialize;

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

    /// As [`standing`], of its tiles.
    pub fn standing(&self, mines: Option<u32>) -> Standing {
        standing(&self.tiles.iter().map(|reading| reading.tile).collect::<Vec<_>>(), mines)
    }

    /// The lowest score among the recognised tiles.
    pub fn lowest_score(&self) -> f32 {
        let known = self.tiles.iter().filter(|reading| reading.tile != Tile::Unrecognised);
        known.map(|reading| reading.score).fold(1.0, f32::min)
    }
}

/// How a game stands, as far as its tiles tell; `mines` if their number is known. A client may show its mines at a win, too: then nothing is
/// hidden but they, and where all of them are told (none by being hidden), a tile that is not recognised is no mine but a rare number. Where every safe tile is
/// known to be open, it does not matter what the others look like.
pub fn standing(tiles: &[Tile], mines: Option<u32>) -> Standing {
    let has = |tile: Tile| tiles.contains(&tile);
    let count = |is: fn(Tile) -> bool| tiles.iter().filter(|&&tile| is(tile)).count();
    if has(Tile::Exploded) {
        return Standing::Lost;
    }
    let (shown, covered, open) =
        (count(Tile::is_shown_mine), count(Tile::is_covered), count(|tile| tile.number().is_some()));
    let is_over = shown > 0 || has(Tile::WrongFlag);
    let only_flags = !has(Tile::Hidden) && !has(Tile::Question);
    let is_cleared = match mines.map(|mines| mines as usize) {
        Some(mines) => {
            let all_safe_open = open + mines == tiles.len() && !has(Tile::WrongFlag);
            let is_told = !has(Tile::Unrecognised) || is_over && only_flags;
            all_safe_open || is_told && shown + covered == mines
        }
        None => !has(Tile::Unrecognised) && !has(Tile::WrongFlag) && only_flags && (is_over || covered > 0),
    };
    match (is_cleared, is_over) {
        (true, _) => Standing::Won,
        (false, true) => Standing::Lost,
        (false, false) if has(Tile::Unrecognised) => Standing::Unknown,
        (false, false) => Standing::Playing,
    }
}
