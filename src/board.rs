//! What is known of a minefield: [`Tile`], [`Board`], and the rules a board must keep to be believed.

mod text;

use crate::geometry::{BoardSize, Cell};
pub use text::ParseError;

/// What is on one tile, as far as a player can see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tile {
    /// Not opened, no mark on it.
    Hidden,
    /// Opened: the number of mines that touch it, 0 to 8.
    Open(u8),
    /// Hidden, marked with a flag. A mark is the player's opinion; the solver does not believe it.
    Flag,
    /// Hidden, marked with a question mark.
    Question,
    /// A mine, shown at the end of a game.
    Mine,
    /// The mine the game was lost on.
    Exploded,
    /// A flag on a tile without a mine, shown at the end of a lost game.
    WrongFlag,
    /// Not recognised: it may be anything. No constraint comes from it and it is never clicked.
    Unrecognised,
}

impl Tile {
    /// The number on an open tile.
    pub fn number(self) -> Option<u8> {
        match self {
            Tile::Open(number) => Some(number),
            _ => None,
        }
    }

    /// Whether a click could still open it: hidden, with or without a mark.
    pub fn is_covered(self) -> bool {
        matches!(self, Tile::Hidden | Tile::Flag | Tile::Question)
    }

    /// Whether it is a mine beyond doubt: shown by the game at its end.
    pub fn is_shown_mine(self) -> bool {
        matches!(self, Tile::Mine | Tile::Exploded)
    }

    /// Whether it may hold a mine for all that is known of this tile alone: covered, or not recognised.
    pub fn may_be_mine(self) -> bool {
        self.is_covered() || self == Tile::Unrecognised
    }
}

/// Validated knowledge of a minefield: its size, its number of mines if known, and every tile.
///
/// A board is checked when it is made ([`Board::new`]): every number must be possible by itself, and so must the
/// total. Whether all numbers are possible *together* is a question for the solver.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Board {
    size: BoardSize,
    mines: Option<u32>,
    tiles: Vec<Tile>,
}

/// Why some tiles are not a board.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BoardError {
    /// Zero columns or rows.
    #[error("a board of {0} has no tiles: width and height must be at least 1")]
    Empty(BoardSize),
    /// The tiles do not fill the board.
    #[error("a board of {size} has {} tiles, not {found}", size.tiles())]
    WrongLength {
        /// The size asked for.
        size: BoardSize,
        /// How many tiles were given.
        found: usize,
    },
    /// More mines than tiles.
    #[error("{mines} mines do not fit on a board of {size}")]
    TooManyMines {
        /// The size.
        size: BoardSize,
        /// The mines asked for.
        mines: u32,
    },
    /// An open tile whose number cannot be reached, or is exceeded, by the tiles around it.
    #[error(
        "the {number} at {cell} is impossible: {shown} mines shown around it and {possible} tiles that may hold one"
    )]
    ImpossibleNumber {
        /// Where.
        cell: Cell,
        /// The number.
        number: u8,
        /// Mines shown around it.
        shown: u32,
        /// Tiles around it that may hold a mine, beside those shown.
        possible: u32,
    },
    /// The tiles that may hold a mine are too few for the mines of the board, or more mines are shown than there are.
    #[error("{mines} mines are impossible: {shown} are shown and {possible} more tiles may hold one")]
    ImpossibleTotal {
        /// The mines of the board.
        mines: u32,
        /// Mines shown.
        shown: u32,
        /// Other tiles that may hold a mine.
        possible: u32,
    },
}

impl Board {
    /// A board at the start of a game: every tile hidden.
    ///
    /// # Errors
    /// No tiles, or more mines than tiles.
    pub fn hidden(size: BoardSize, mines: u32) -> Result<Self, BoardError> {
        Self::new(size, Some(mines), vec![Tile::Hidden; size.tiles()])
    }

    /// A board with these tiles, row by row; `mines` is the total number of mines, `None` if it is not known.
    ///
    /// # Errors
    /// The tiles do not fill the board, or contradict the rules of the game (see [`BoardError`]).
    pub fn new(size: BoardSize, mines: Option<u32>, tiles: Vec<Tile>) -> Result<Self, BoardError> {
        if size.width == 0 || size.height == 0 {
            return Err(BoardError::Empty(size));
        }
        if tiles.len() != size.tiles() {
            return Err(BoardError::WrongLength { size, found: tiles.len() });
        }
        let board = Self { size, mines, tiles };
        board.check()?;
        Ok(board)
    }

    /// For the rules: the tiles to be opened and marked in place.
    pub(crate) fn tiles_mut(&mut self) -> &mut [Tile] {
        &mut self.tiles
    }

    fn check(&self) -> Result<(), BoardError> {
        let (shown, possible) = self.mine_bounds(self.tiles.iter().copied());
        if let Some(mines) = self.mines {
            if mines as usize > self.size.tiles() {
                return Err(BoardError::TooManyMines { size: self.size, mines });
            }
            if shown > mines || shown + possible < mines {
                return Err(BoardError::ImpossibleTotal { mines, shown, possible });
            }
        }
        for (cell, number) in self.numbers() {
            let around = self.size.neighbours(cell).map(|other| self.tile(other));
            let (shown, possible) = self.mine_bounds(around);
            if shown > u32::from(number) || shown + possible < u32::from(number) {
                return Err(BoardError::ImpossibleNumber { cell, number, shown, possible });
            }
        }
        Ok(())
    }

    /// Mines shown among `tiles`, and other tiles among them that may hold one.
    fn mine_bounds(&self, tiles: impl Iterator<Item = Tile>) -> (u32, u32) {
        tiles.fold((0, 0), |(shown, possible), tile| {
            (shown + u32::from(tile.is_shown_mine()), possible + u32::from(tile.may_be_mine()))
        })
    }

    /// Width and height.
    pub fn size(&self) -> BoardSize {
        self.size
    }

    /// The total number of mines, if known.
    pub fn mines(&self) -> Option<u32> {
        self.mines
    }

    /// The same tiles with another total of mines.
    ///
    /// # Errors
    /// That many mines are impossible on these tiles.
    pub fn with_mines(&self, mines: Option<u32>) -> Result<Self, BoardError> {
        Self::new(self.size, mines, self.tiles.clone())
    }

    /// What is on `cell`. Panics if the cell is not on the board.
    pub fn tile(&self, cell: Cell) -> Tile {
        self.tiles[self.size.index(cell)]
    }

    /// All tiles, row by row.
    pub fn tiles(&self) -> &[Tile] {
        &self.tiles
    }

    /// All cells with a given property of their tile, row by row.
    pub fn cells_where(&self, wanted: impl Fn(Tile) -> bool) -> impl Iterator<Item = Cell> {
        self.tiles.iter().enumerate().filter(move |(_, tile)| wanted(**tile)).map(|(index, _)| self.size.cell(index))
    }

    /// Every open tile with its number, row by row.
    pub fn numbers(&self) -> impl Iterator<Item = (Cell, u8)> {
        self.tiles.iter().enumerate().filter_map(|(index, tile)| Some((self.size.cell(index), tile.number()?)))
    }

    /// Whether nothing has been opened yet.
    pub fn is_untouched(&self) -> bool {
        self.tiles.iter().all(|tile| tile.is_covered())
    }

    /// Whether a mine has gone off.
    pub fn is_lost(&self) -> bool {
        self.tiles.contains(&Tile::Exploded)
    }

    /// Whether every tile without a mine is open (needs the number of mines; nothing may be unrecognised).
    pub fn is_cleared(&self) -> bool {
        let closed = self.tiles.iter().filter(|tile| tile.is_covered() || tile.is_shown_mine()).count();
        !self.is_lost()
            && !self.tiles.contains(&Tile::Unrecognised)
            && self.mines.is_some_and(|mines| mines as usize == closed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(text: &str) -> Result<Board, ParseError> {
        text.parse()
    }

    #[test]
    fn impossible_boards_are_refused() {
        for (text, complaint) in [
            ("3 1 1\n2##", "impossible"), // a 2 with one covered neighbour
            ("3 1 1\n0*0", "impossible"), // a 0 beside a mine
            ("2 1 3\n##", "do not fit"),  // more mines than tiles
            ("2 1 2\n#1", "impossible"),  // one tile for two mines
            ("3 1 1\n**#", "impossible"), // more mines shown than there are
        ] {
            let error = board(text).expect_err(text).to_string();
            assert!(error.contains(complaint), "{text:?}: {error}");
        }
    }

    #[test]
    fn an_unrecognised_tile_may_be_anything() {
        assert!(board("3 1 ?\n1~1").is_ok());
        assert!(!board("2 1 1\n~1").unwrap().is_cleared());
    }

    #[test]
    fn cleared_and_lost() {
        assert!(board("2 1 1\n#1").unwrap().is_cleared());
        assert!(board("2 1 1\nF1").unwrap().is_cleared());
        assert!(!board("2 1 1\n##").unwrap().is_cleared());
        assert!(board("2 1 1\nX1").unwrap().is_lost());
        assert!(!board("2 1 1\nX1").unwrap().is_cleared());
    }
}
