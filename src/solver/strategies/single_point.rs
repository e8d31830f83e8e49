//! `single-point`: Pedersen 2004, section 5.2, algorithm 1.

use super::notes::{Note, Notes};
use super::{draw, guess, lots_of};
use crate::board::{Board, Tile};
use crate::geometry::Cell;
use crate::solver::{Decision, Impossible, Reason, Setup, Strategy};
use std::collections::VecDeque;

/// Looks at one number at a time: are all the tiles around it safe, or all of them mines? Otherwise it opens any tile
/// at random. The first move is the top left corner (section 5.1.4).
///
/// A move leads to a look at the number that was opened and those beside it, unless it opened a zero; no other number
/// is looked at until there is a move beside it. (The algorithm as printed looks at the neighbours only, the text
/// before it at the tile itself; this is both.) So it overlooks some of what single numbers show, and what it overlooks
/// depends on the order of its moves. The board does not tell that order; but all moves follow from the seed and the
/// numbers, so they are gone through again from the first one, until the first that has not been made yet.
#[derive(Clone, Debug)]
pub struct SinglePoint {
    seed: u64,
}

impl SinglePoint {
    /// The player.
    pub fn new(setup: &Setup) -> Self {
        Self { seed: setup.seed }
    }
}

impl Strategy for SinglePoint {
    fn name(&self) -> &'static str {
        "single-point"
    }

    fn new_game(&mut self, seed: u64) {
        self.seed = seed;
    }

    fn decide(&self, board: &Board) -> Result<Decision, Impossible> {
        Ok(History::new(board).replay(self.seed))
    }
}

/// One tile opened (or marked as a mine, if `true`).
type Move = (Cell, bool);

/// The game up to some move, as the player remembers it.
struct History<'a> {
    board: &'a Board,
    /// Tiles not moved to are `Unknown`, opened ones `Open`, marked ones `Mine`.
    notes: Vec<Note>,
    /// The set S of the paper: moves known to be safe, mines in front.
    safe_moves: VecDeque<Move>,
    /// Whether a tile is in S, or was.
    listed: Vec<bool>,
}

impl<'a> History<'a> {
    fn new(board: &'a Board) -> Self {
        let note = |tile: &Tile| if tile.is_shown_mine() { Note::Mine } else { Note::Unknown };
        Self {
            board,
            notes: board.tiles().iter().map(note).collect(),
            safe_moves: VecDeque::new(),
            listed: vec![false; board.tiles().len()],
        }
    }

    /// Plays on from the first move to the first one that is not on the board yet.
    fn replay(mut self, seed: u64) -> Decision {
        loop {
            while let Some((cell, mine)) = self.safe_moves.pop_front() {
                if !mine && self.board.tile(cell).number().is_none() {
                    return self.open_all(cell);
                }
                self.make(cell, mine);
            }
            let choices = self.choices();
            let untouched = choices.len() == self.notes.len();
            let choice = match choices.first() {
                Some(&top_left) if untouched => Some(top_left),
                _ => draw(&choices, &mut lots_of(seed, self.notes.iter().map(|&note| note as u8))),
            };
            let Some(choice) = choice else { return Notes::new(self.board).nothing() };
            if self.board.tile(choice).number().is_some() {
                self.make(choice, false);
            } else if let Some(&given) = choices.iter().find(|&&cell| self.board.tile(cell).number().is_some()) {
                // Somebody else opened it: the rule of the first click, or a person.
                self.make(given, false);
            } else {
                let left = self.board.mines().map(|mines| f64::from(mines) - self.mines().len() as f64);
                let risk = left.map_or(0.5, |left| (left / choices.len() as f64).clamp(0.0, 1.0));
                return guess(self.board, choice, risk, self.mines());
            }
        }
    }

    /// The tiles that a guess may fall on.
    fn choices(&self) -> Vec<Cell> {
        let tiles = self.board.tiles().iter().zip(&self.notes).enumerate();
        tiles
            .filter(|(_, (tile, note))| **note == Note::Unknown && (tile.is_covered() || tile.number().is_some()))
            .map(|(index, _)| self.board.size().cell(index))
            .collect()
    }

    fn mines(&self) -> Vec<Cell> {
        let marked = |cell: &Cell| self.notes[self.board.size().index(*cell)] == Note::Mine;
        self.board.cells_where(Tile::is_covered).filter(marked).collect()
    }

    /// To open `first` and all others of S that are still covered: nothing can change what is in S.
    fn open_all(&self, first: Cell) -> Decision {
        let others = self.safe_moves.iter().filter(|(_, mine)| !mine).map(|&(cell, _)| cell);
        let open = std::iter::once(first).chain(others).filter(|&cell| self.board.tile(cell).is_covered()).collect();
        Decision { open, mines: self.mines(), reason: Reason::Certain }
    }

    fn make(&mut self, cell: Cell, mine: bool) {
        let size = self.board.size();
        self.notes[size.index(cell)] = if mine { Note::Mine } else { Note::Open };
        self.listed[size.index(cell)] = true;
        if !mine && self.board.tile(cell).number() == Some(0) {
            self.list_around(cell, false);
        } else {
            size.square(cell, 1).for_each(|near| self.look_at(near));
        }
    }

    /// Are all unknown tiles around this number safe, or all of them mines?
    fn look_at(&mut self, cell: Cell) {
        let size = self.board.size();
        if self.notes[size.index(cell)] != Note::Open {
            return;
        }
        let Some(number) = self.board.tile(cell).number() else { return };
        let count = |wanted| size.neighbours(cell).filter(|&near| self.notes[size.index(near)] == wanted).count();
        let (mines, unknown) = (count(Note::Mine), count(Note::Unknown));
        if mines == usize::from(number) {
            self.list_around(cell, false);
        } else if mines + unknown == usize::from(number) {
            self.list_around(cell, true);
        }
    }

    fn list_around(&mut self, cell: Cell, mine: bool) {
        let size = self.board.size();
        for near in size.neighbours(cell) {
            let index = size.index(near);
            if self.notes[index] != Note::Unknown || std::mem::replace(&mut self.listed[index], true) {
                continue;
            }
            if mine {
                self.safe_moves.push_front((near, true));
            } else {
                self.safe_moves.push_back((near, false));
            }
        }
    }
}
