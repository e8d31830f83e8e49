//! Boards as text, the notation of tests, fixtures and logs:
//! `#` hidden, `0`-`8` open (`.` is read as `0`), `F` flag, `?` question mark, `*` mine shown, `X` exploded mine,
//! `x` wrong flag, `~` not recognised; one line a row, under an optional header `WIDTH HEIGHT MINES`.

use super::{Board, BoardError, Tile};
use crate::geometry::BoardSize;
use std::fmt;
use std::str::FromStr;

/// Why a text is not a board; lines and columns are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// A character that means nothing.
    #[error("line {line}, column {column}: {found:?} is not a tile; expected one of # . 0-8 F ? * X x ~")]
    Tile {
        /// Line in the text.
        line: usize,
        /// Column in that line.
        column: usize,
        /// The character.
        found: char,
    },
    /// A row longer or shorter than the first one, or than the header says.
    #[error("line {line}, column {column}: the row has {found} tiles, expected {expected}")]
    RowLength {
        /// Line in the text.
        line: usize,
        /// The first column that is missing or too much.
        column: usize,
        /// Tiles in this row.
        found: usize,
        /// Tiles wanted.
        expected: usize,
    },
    /// More or fewer rows than the header says.
    #[error("line {line}, column 1: the board has {found} rows, expected {expected}")]
    RowCount {
        /// Line in the text.
        line: usize,
        /// Rows found.
        found: usize,
        /// Rows wanted.
        expected: usize,
    },
    /// A first line that looks like a header but is none.
    #[error("line {line}, column {column}: the header is `WIDTH HEIGHT MINES` (MINES may be ?), not {found:?}")]
    Header {
        /// Line in the text.
        line: usize,
        /// The first wrong column.
        column: usize,
        /// What was there.
        found: String,
    },
    /// No rows at all.
    #[error("line 1, column 1: no tiles in the text")]
    Nothing,
    /// Every character is fine, but the board cannot be.
    #[error(transparent)]
    Board(#[from] BoardError),
}

impl Tile {
    /// The character of this tile.
    pub fn to_char(self) -> char {
        match self {
            Tile::Hidden => '#',
            Tile::Open(number) => char::from(b'0' + number),
            Tile::Flag => 'F',
            Tile::Question => '?',
            Tile::Mine => '*',
            Tile::Exploded => 'X',
            Tile::WrongFlag => 'x',
            Tile::Unrecognised => '~',
        }
    }

    /// The tile of this character, if it is one.
    pub fn from_char(character: char) -> Option<Self> {
        Some(match character {
            '#' => Tile::Hidden,
            '.' => Tile::Open(0),
            '0'..='8' => Tile::Open(character as u8 - b'0'),
            'F' => Tile::Flag,
            '?' => Tile::Question,
            '*' => Tile::Mine,
            'X' => Tile::Exploded,
            'x' => Tile::WrongFlag,
            '~' => Tile::Unrecognised,
            _ => return None,
        })
    }
}

/// A header line: size and number of mines.
fn header(line: usize, text: &str) -> Result<(BoardSize, Option<u32>), ParseError> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let wrong = |index: usize| {
        let column = words.get(index).map_or(text.len(), |word| word.as_ptr() as usize - text.as_ptr() as usize);
        ParseError::Header { line, column: column + 1, found: text.trim().to_owned() }
    };
    let number = |index: usize| words.get(index).and_then(|word| word.parse::<u32>().ok()).ok_or_else(|| wrong(index));
    let size = BoardSize::new(number(0)?, number(1)?);
    let mines = if words.get(2) == Some(&"?") { None } else { Some(number(2)?) };
    if words.len() > 3 { Err(wrong(3)) } else { Ok((size, mines)) }
}

impl FromStr for Board {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let mut lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim_end())).peekable();
        while lines.next_if(|(_, line)| line.is_empty()).is_some() {}
        // Only a header has blanks between its words.
        let header = match lines.next_if(|(_, line)| line.trim().contains(char::is_whitespace)) {
            Some((line, text)) => Some(header(line, text)?),
            None => None,
        };
        let mut tiles = Vec::new();
        let (mut rows, mut width, mut last) = (0, header.map(|(size, _)| size.width as usize), 1);
        let mut blank = None;
        for (line, text) in lines {
            last = line;
            if text.is_empty() {
                blank = blank.or(Some(line));
                continue;
            }
            if let Some(line) = blank {
                let expected = width.unwrap_or(0);
                return Err(ParseError::RowLength { line, column: 1, found: 0, expected });
            }
            let before = tiles.len();
            for (column, found) in text.chars().enumerate() {
                tiles.push(Tile::from_char(found).ok_or(ParseError::Tile { line, column: column + 1, found })?);
            }
            let found = tiles.len() - before;
            let expected = *width.get_or_insert(found);
            if found != expected {
                return Err(ParseError::RowLength { line, column: found.min(expected) + 1, found, expected });
            }
            rows += 1;
        }
        let (size, mines) = match header {
            Some((size, _)) if size.height as usize != rows && size.tiles() > 0 => {
                return Err(ParseError::RowCount { line: last, found: rows, expected: size.height as usize });
            }
            Some(header) => header,
            None if rows == 0 => return Err(ParseError::Nothing),
            None => (BoardSize::new(width.unwrap_or(0) as u32, rows as u32), None),
        };
        Ok(Board::new(size, mines, tiles)?)
    }
}

/// Header and rows, as [`Board::from_str`] reads them.
impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mines = self.mines.map_or("?".to_owned(), |mines| mines.to_string());
        write!(f, "{} {} {mines}", self.size.width, self.size.height)?;
        for row in self.rows() {
            write!(f, "\n{row}")?;
        }
        Ok(())
    }
}

impl Board {
    /// The rows as text, without the header.
    pub fn rows(&self) -> impl Iterator<Item = String> {
        self.tiles.chunks(self.size.width as usize).map(|row| row.iter().map(|tile| tile.to_char()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn errors_name_line_and_column() {
        for (text, place) in [
            ("", "line 1, column 1"),
            ("##\n#9", "line 2, column 2"),
            ("##\n#", "line 2, column 2"),
            ("##\n###", "line 2, column 3"),
            ("2 2 1\n##", "line 2, column 1"),
            ("2 x 1\n##\n##", "line 1, column 3"),
            ("2 2\n##\n##", "line 1, column 4"),
            ("2 2 1 7\n##\n##", "line 1, column 7"),
            ("##\n\n##", "line 2, column 1"),
        ] {
            let error = text.parse::<Board>().expect_err(text).to_string();
            assert!(error.starts_with(place), "{text:?}: {error}");
        }
        assert!("0 3 0\n".parse::<Board>().unwrap_err().to_string().contains("at least 1"));
    }

    #[test]
    fn header_is_optional_and_dots_are_zeros() {
        let board: Board = "..1#\n..1#\n".parse().unwrap();
        assert_eq!(board.mines(), None);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(width in 1u32..6, height in 1u32..6, picks in proptest::collection::vec(0usize..6, 36)) {
            // Tiles that never contradict each other.
            let kinds = [Tile::Hidden, Tile::Flag, Tile::Question, Tile::Mine, Tile::WrongFlag, Tile::Unrecognised];
            let size = BoardSize::new(width, height);
            let tiles = (0..size.tiles()).map(|i| kinds[picks[i]]).collect();
            let board = Board::new(size, None, tiles).unwrap();
            prop_assert_eq!(board.to_string().parse::<Board>().unwrap(), board);
        }
    }
}
