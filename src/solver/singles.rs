//! What single numbers say of a board, kept from one board of a game to the next: only what changed is looked at.
//!
//! A number with as many mines around it as it says has no other; one with as many tiles left as it asks for mines has them
//! all there. What follows from this, to the end, is the same in whatever order it is found, so it does not matter which
//! boards were seen before.

use super::Impossible;
use super::constraints::{KnownRow, MINE, MUTE, Position, SAFE, UNKNOWN};
use crate::geometry::{BoardSize, Cell};

/// See the module. Tiles lie row by row with a rim of one tile around them, so that every tile has eight neighbours, the
/// same steps away.
#[derive(Clone, Debug, Default)]
pub struct Singles {
    size: Option<BoardSize>,
    /// The position as it was last.
    seen: Vec<u8>,
    /// What is known of every tile, as in a [`Position`]; what was concluded is filled in.
    tiles: Vec<u8>,
    /// Around every tile: tiles of which nothing is known, and known mines.
    unknown: Vec<u8>,
    mines: Vec<u8>,
    /// Numbers to be looked at.
    agenda: Vec<usize>,
    /// All tiles that were concluded to be safe and are not open.
    safe: usize,
}

impl Singles {
    /// Takes over `position`: what changed, if it goes on from the one before, else all of it.
    ///
    /// # Errors
    /// A number contradicts what is known around it.
    pub fn read(&mut self, position: &Position) -> Result<(), Impossible> {
        let concluded = if self.size == Some(position.size()) { self.go_on(position) } else { None };
        let concluded = concluded.unwrap_or_else(|| {
            self.begin(position.size());
            self.go_on(position).expect("anything goes on from a board nobody touched")
        });
        if concluded.is_err() {
            self.size = None;
        }
        concluded
    }

    /// Whether a tile is known to be safe that is not open.
    pub fn has_safe(&self) -> bool {
        self.safe > 0
    }

    /// What is known of every tile, row by row.
    pub fn rows(&self) -> impl Iterator<Item = KnownRow<'_>> {
        let (width, height) = self.size.map_or((0, 0), |size| (size.width as usize, size.height as usize));
        (1..=height).map(move |row| {
            let within = row * (width + 2) + 1..row * (width + 2) + 1 + width;
            KnownRow {
                tiles: &self.tiles[within.clone()],
                mines: &self.mines[within.clone()],
                unknown: &self.unknown[within],
            }
        })
    }

    fn place(&self, cell: Cell) -> usize {
        (cell.y as usize + 1) * self.stride() + cell.x as usize + 1
    }

    fn stride(&self) -> usize {
        self.size.map_or(0, |size| size.width as usize + 2)
    }

    /// A board nobody touched.
    fn begin(&mut self, size: BoardSize) {
        self.size = Some(size);
        self.seen.clear();
        self.seen.resize(size.tiles(), UNKNOWN);
        let rimmed = (size.width as usize + 2) * (size.height as usize + 2);
        for (tiles, value) in [(&mut self.tiles, MUTE), (&mut self.unknown, 0), (&mut self.mines, 0)] {
            tiles.clear();
            tiles.resize(rimmed, value);
        }
        for cell in size.cells() {
            let at = self.place(cell);
            self.tiles[at] = UNKNOWN;
            self.unknown[at] = size.degree(cell) as u8;
        }
        self.agenda.clear();
        self.safe = 0;
    }

    /// Takes up what changed; `None` if this cannot have been the position before.
    fn go_on(&mut self, position: &Position) -> Option<Result<(), Impossible>> {
        let size = position.size();
        let width = size.width as usize;
        for (row, tiles) in position.tiles.chunks(width).enumerate() {
            let first = row * width;
            if self.seen[first..first + width] == *tiles {
                continue;
            }
            for (column, &tile) in tiles.iter().enumerate() {
                let before = std::mem::replace(&mut self.seen[first + column], tile);
                let at = (row + 1) * (width + 2) + column + 1;
                let contradicted = if tile == MINE { SAFE } else { MINE };
                if before == tile {
                    continue;
                }
                if before != UNKNOWN || self.tiles[at] == contradicted {
                    return None;
                }
                if self.tiles[at] == UNKNOWN {
                    self.settle(at, if tile == MINE { MINE } else { SAFE });
                }
                if tile != MINE {
                    self.safe -= usize::from(tile != SAFE);
                    self.tiles[at] = tile;
                    self.agenda.push(at);
                }
            }
        }
        Some(self.conclude(size))
    }

    fn conclude(&mut self, size: BoardSize) -> Result<(), Impossible> {
        while let Some(at) = self.agenda.pop() {
            let (number, mines, unknown) = (self.tiles[at], self.mines[at], self.unknown[at]);
            if number > 8 {
                continue;
            }
            if mines > number || mines + unknown < number {
                let index = (at / self.stride() - 1) * size.width as usize + at % self.stride() - 1;
                return Err(Impossible::near(size, index as u32));
            }
            if unknown == 0 || (number != mines && number != mines + unknown) {
                continue;
            }
            let concluded = if number == mines { SAFE } else { MINE };
            for other in around(at, self.stride()) {
                if self.tiles[other] == UNKNOWN {
                    self.settle(other, concluded);
                }
            }
        }
        Ok(())
    }

    /// Fills in what is known of a tile, [`SAFE`] or [`MINE`], and tells it to the tiles around it.
    fn settle(&mut self, at: usize, known: u8) {
        self.tiles[at] = known;
        self.safe += usize::from(known == SAFE);
        let is_mine = u8::from(known == MINE);
        for other in around(at, self.stride()) {
            self.unknown[other] = self.unknown[other].wrapping_sub(1);
            self.mines[other] = self.mines[other].wrapping_add(is_mine);
            let (number, mines, unknown) = (self.tiles[other], self.mines[other], self.unknown[other]);
            if number <= mines || (number <= 8 && number >= mines + unknown) {
                self.agenda.push(other);
            }
        }
    }
}

/// The eight tiles around one, row by row.
fn around(at: usize, stride: usize) -> [usize; 8] {
    [at - stride - 1, at - stride, at - stride + 1, at - 1, at + 1, at + stride - 1, at + stride, at + stride + 1]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::game::{Game, Rule, State};

    fn position(board: &Board) -> Position {
        let mut position = Position::default();
        position.read(board);
        position
    }

    fn known(singles: &Singles) -> Vec<u8> {
        singles.rows().flat_map(|row| row.tiles.to_vec()).collect()
    }

    /// Whatever was seen before, the same is known of a board: of a game from its first click to its last, and of the next.
    #[test]
    fn what_was_seen_before_does_not_matter() {
        let mut kept = Singles::default();
        let mut concluded = 0;
        for seed in 0..60 {
            let (size, mines) = if seed % 3 == 0 { ((30, 16), 99) } else { ((9, 9), 10) };
            let mut game = Game::deal(BoardSize::new(size.0, size.1), mines, Rule::Safe, seed).unwrap();
            let mut tile = seed as usize;
            while game.state() == State::Playing {
                tile = (tile * 31 + 7) % game.board().tiles().len();
                game.open(game.board().size().cell(tile));
                let mut fresh = Singles::default();
                fresh.read(&position(game.board())).unwrap();
                kept.read(&position(game.board())).unwrap();
                assert_eq!(known(&kept), known(&fresh), "{}", game.board());
                assert_eq!(kept.safe, fresh.safe);
                concluded += kept.safe;
                tile += 1;
            }
        }
        assert!(concluded > 100, "{concluded}");
    }

    #[test]
    fn a_contradiction_is_told_and_forgotten() {
        let mut singles = Singles::default();
        let board = |text: &str| position(&text.parse().unwrap());
        assert!(singles.read(&board("3 2 ?\n1#2\n###")).is_ok());
        assert!(singles.read(&board("5 1 ?\n1#0#1")).is_err());
        assert!(singles.read(&board("5 1 ?\n1#2#1")).is_ok());
        assert_eq!(known(&singles), [1, MINE, 2, MINE, 1]);
    }
}
