//! Whether a reading can be acted on: it must keep the rules of the game, go on from the reading before it, and show
//! what was clicked.

use super::aim::Move;
use crate::board::{BoardError, Tile};
use crate::geometry::{BoardSize, Cell};
use crate::vision::Reading;

/// What is wrong with a reading.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Doubt {
    /// Tiles that were recognised before are not any more.
    #[error(
        "{count} tiles that were seen before cannot be recognised any more, as at {cell}: something covers the board"
    )]
    Covered {
        /// How many.
        count: usize,
        /// One of them.
        cell: Cell,
    },
    /// An open tile changed, which the game does not allow.
    #[error("the open tile at {cell} was read as {was} and is read as {is} now")]
    Changed {
        /// Where.
        cell: Cell,
        /// In board text.
        was: char,
        /// In board text.
        is: char,
    },
    /// A tile without mines around it opens all of them, always.
    #[error("the 0 at {0} has hidden tiles around it, which the game would have opened")]
    Flood(Cell),
    /// The numbers are impossible.
    #[error("{0}")]
    Rules(#[from] BoardError),
    /// These tiles do not show what was clicked.
    #[error("{} clicked tiles have not changed", .0.len())]
    NotYet(Vec<Cell>),
}

/// So many unrecognised tiles at once are not a rare number without a picture, but something over the board.
const COVERED: usize = 4;

/// Whether mines are shown, as at the end of a game.
pub fn is_over(tiles: &[Tile]) -> bool {
    tiles.iter().any(|tile| matches!(tile, Tile::Mine | Tile::Exploded | Tile::WrongFlag))
}

/// Says what is wrong with `reading`, if anything is. `before` are the tiles before `moves` were made; `is_late`: there
/// is no use in waiting longer, so a clicked tile that is not recognised is accepted as such.
pub fn check(
    reading: &Reading,
    before: Option<&[Tile]>,
    moves: &[Move],
    mines: Option<u32>,
    is_late: bool,
) -> Result<(), Doubt> {
    let tiles: Vec<Tile> = reading.tiles.iter().map(|reading| reading.tile).collect();
    let size = reading.grid.size();
    if is_over(&tiles) {
        return Ok(());
    }
    if let Some(before) = before {
        same_game(size, before, &tiles, is_late)?;
    }
    flooded(size, &tiles)?;
    reading.board(mines)?;
    let missing = moves.iter().filter(|to_do| {
        let tile = tiles[size.index(to_do.cell)];
        !(to_do.wanted.is_met(tile) || is_late && tile == Tile::Unrecognised)
    });
    let missing: Vec<Cell> = missing.map(|to_do| to_do.cell).collect();
    if missing.is_empty() { Ok(()) } else { Err(Doubt::NotYet(missing)) }
}

/// Open tiles stay open and keep their number, and what was recognised stays so.
fn same_game(size: BoardSize, before: &[Tile], now: &[Tile], is_late: bool) -> Result<(), Doubt> {
    let pairs = || size.cells().zip(before.iter().zip(now));
    let lost = pairs().filter(|(_, (was, is))| **was != Tile::Unrecognised && **is == Tile::Unrecognised);
    let lost: Vec<(Cell, Tile)> = lost.map(|(cell, (was, _))| (cell, *was)).collect();
    let were_open = lost.iter().any(|(_, was)| was.number().is_some());
    if let Some(&(cell, _)) = lost.first()
        && (were_open || lost.len() >= COVERED || !is_late)
    {
        return Err(Doubt::Covered { count: lost.len(), cell });
    }
    for (cell, (was, is)) in pairs() {
        if was.number().is_some() && *is != Tile::Unrecognised && was != is {
            return Err(Doubt::Changed { cell, was: was.to_char(), is: is.to_char() });
        }
    }
    Ok(())
}

/// Catches the look of a pressed tile, which in many clients is that of a 0.
fn flooded(size: BoardSize, tiles: &[Tile]) -> Result<(), Doubt> {
    let is_dry = |cell: Cell| {
        tiles[size.index(cell)] == Tile::Open(0)
            && size.neighbours(cell).any(|other| matches!(tiles[size.index(other)], Tile::Hidden | Tile::Question))
    };
    size.cells().find(|&cell| is_dry(cell)).map_or(Ok(()), |cell| Err(Doubt::Flood(cell)))
}
