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
