//! What single numbers say of a board, kept from one board of a game to the next: only what changed is looked at.
//!
//! A number with as many mines around it as it says has no other; one with as many tiles left as it asks for mines has them
//! all there. What follows from this, to the end, is the same in whatever order it is found, so it does not matter which
//! boards were seen before.

use super::Impossible;
use super::constraints::{Constraints, MINE, MUTE, Position, SAFE, UNKNOWN};
use crate::geometry::{BoardSize, Cell};

/// See the module. Tiles lie row by row with a rim of one tile around them, so that every tile has eight neighbours, the
/// same steps away.
#[derive(Clone, Debug, Default)]
pub struct Singles {
    size: Option<BoardSize>,
    /// The position as it was last.
    seen: Vec<u8>,
    tiles: Vec<Known>,
    /// The number of each of these tiles on the board.
    index: Vec<u32>,
    /// Where each tile of the board is among them.
    at: Vec<u32>,
    /// Numbers to be looked at.
    agenda: Vec<usize>,
    /// Tiles that are known to be safe and are not open, known mines, and numbers that still have unknown tiles.
    safe: Plane,
    known_mines: Plane,
    asking: Plane,
    unknown_left: u32,
}

/// What is known of a tile.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// As in a [`Position`]; what was concluded is filled in.
    tile: u8,
    /// Around it: tiles of which nothing is known, and known mines.
    unknown: u8,
    mines: u8,
}

/// A set of tiles, a bit each, row by row.
#[derive(Clone, Debug, Default, PartialEq)]
struct Plane(Vec<u64>);

impl Plane {
    fn begin(&mut self, tiles: usize) {
        self.0.clear();
        self.0.resize(tiles.div_ceil(64), 0);
    }

    fn insert(&mut self, index: usize) {
        self.0[index / 64] |= 1 << (index % 64);
    }

    fn remove(&mut self, index: usize) {
        self.0[index / 64] &= !(1 << (index % 64));
    }

    fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    /// Calls `each` with every tile, row by row.
    fn for_each(&self, mut each: impl FnMut(u32)) {
        for (place, &word) in self.0.iter().enumerate() {
            let mut left = word;
            while left != 0 {
                each(64 * place as u32 + left.trailing_zeros());
                left &= left - 1;
            }
        }
    }
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
        !self.safe.is_empty()
    }

    /// Tiles that are known to be safe and are not open, and known mines, row by row.
    pub fn list(&self, safe: &mut Vec<u32>, mines: &mut Vec<u32>) {
        for (plane, list) in [(&self.safe, safe), (&self.known_mines, mines)] {
            list.clear();
            plane.for_each(|tile| list.push(tile));
        }
    }

    /// Hands over what is known of `position`.
    pub fn hand_over(&self, position: &Position, into: &mut Constraints) {
        self.list(&mut into.safe, &mut into.mines);
        into.take_up(position, self.unknown_left);
        self.asking.for_each(|tile| {
            let Known { tile: number, unknown, mines } = self.tiles[self.at[tile as usize] as usize];
            into.ask(tile, number - mines, unknown);
        });
    }

    /// The number of a tile on the board.
    fn index(&self, at: usize) -> usize {
        self.index[at] as usize
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
        self.tiles.clear();
        self.tiles.resize(rimmed, Known { tile: MUTE, unknown: 0, mines: 0 });
        self.index.clear();
        self.index.resize(rimmed, u32::MAX);
        self.at.clear();
        for cell in size.cells() {
            let at = self.place(cell);
            self.index[at] = size.index(cell) as u32;
            self.at.push(at as u32);
            self.tiles[at] = Known { tile: UNKNOWN, unknown: size.degree(cell) as u8, mines: 0 };
        }
        self.agenda.clear();
        for plane in [&mut self.safe, &mut self.known_mines, &mut self.asking] {
            plane.begin(size.tiles());
        }
        self.unknown_left = size.tiles() as u32;
    }

    /// Takes up what changed; `None` if this cannot have been the position before.
    fn go_on(&mut self, position: &Position) -> Option<Result<(), Impossible>> {
        // Eight tiles are compared at once.
        let (eights, rest) = position.tiles.as_chunks::<8>();
        let mut seen = std::mem::take(&mut self.seen);
        let (seen_eights, seen_rest) = seen.as_chunks_mut::<8>();
        for (place, (seen, tiles)) in seen_eights.iter_mut().zip(eights).enumerate() {
            if seen != tiles && !self.take_up(8 * place, seen, tiles) {
                return None;
            }
        }
        if !self.take_up(8 * eights.len(), seen_rest, rest) {
            return None;
        }
        self.seen = seen;
        Some(self.conclude(position.size()))
    }

    /// Takes up some tiles from `first` on; false if `seen` cannot have been there before.
    fn take_up(&mut self, first: usize, seen: &mut [u8], tiles: &[u8]) -> bool {
        for (index, (seen, &tile)) in (first..).zip(seen.iter_mut().zip(tiles)) {
            if *seen == tile {
                continue;
            }
            let before = std::mem::replace(seen, tile);
            let at = self.at[index] as usize;
            let contradicted = if tile == MINE { SAFE } else { MINE };
            if before != UNKNOWN || self.tiles[at].tile == contradicted {
                return false;
            }
            if self.tiles[at].tile == UNKNOWN {
                self.settle(at, if tile == MINE { MINE } else { SAFE });
            }
            if tile != MINE && tile != SAFE {
                self.safe.remove(index);
                self.tiles[at].tile = tile;
                if tile <= 8 && self.tiles[at].unknown > 0 {
                    self.asking.insert(index);
                }
                self.agenda.push(at);
            }
        }
        true
    }

    fn conclude(&mut self, size: BoardSize) -> Result<(), Impossible> {
        while let Some(at) = self.agenda.pop() {
            let Known { tile: number, unknown, mines } = self.tiles[at];
            if number > 8 {
                continue;
            }
            if mines > number || mines + unknown < number {
                return Err(Impossible::near(size, self.index(at) as u32));
            }
            if unknown == 0 || (number != mines && number != mines + unknown) {
                continue;
            }
            let concluded = if number == mines { SAFE } else { MINE };
            for other in around(at, self.stride()) {
                if self.tiles[other].tile == UNKNOWN {
                    self.settle(other, concluded);
                }
            }
        }
        Ok(())
    }

    /// Fills in what is known of a tile, [`SAFE`] or [`MINE`], and tells it to the tiles around it.
    fn settle(&mut self, at: usize, known: u8) {
        self.tiles[at].tile = known;
        self.unknown_left -= 1;
        let index = self.index(at);
        if known == MINE { &mut self.known_mines } else { &mut self.safe }.insert(index);
        let is_mine = u8::from(known == MINE);
        for other in around(at, self.stride()) {
            let Known { tile: number, unknown, mines } = &mut self.tiles[other];
            *unknown = unknown.wrapping_sub(1);
            *mines += is_mine;
            if *number > 8 {
                continue;
            }
            // Whether it has something to say now; or too many mines, or too few tiles.
            let is_told = *number <= *mines || *number >= *mines + *unknown;
            if *unknown == 0 {
                let other = self.index(other);
                self.asking.remove(other);
            }
            if is_told {
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
        singles.size.unwrap().cells().map(|cell| singles.tiles[singles.place(cell)].tile).collect()
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
                assert_eq!(
                    (&kept.safe, &kept.known_mines, &kept.asking),
                    (&fresh.safe, &fresh.known_mines, &fresh.asking)
                );
                assert_eq!(kept.unknown_left, fresh.unknown_left);
                concluded += usize::from(kept.has_safe());
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
