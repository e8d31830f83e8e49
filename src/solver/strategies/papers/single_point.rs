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
/// A move leads to a look at the numbers near it, unless it opened a zero; no other number is looked at until there is a
/// move beside it. So it overlooks some of what single numbers show, and what it overlooks depends on the order of its
/// moves. The board does not tell that order; but all moves follow from the seed and the numbers, so they are gone
/// through again from the first one, until the first that has not been made yet.
///
/// Which numbers are near, and where in the queue a move goes, the paper says in two ways and its figures show to be a
/// third: the algorithm as printed looks at the neighbours of the move only, the text before it at the tile itself; both
/// together win 9 points less than the paper's program did at 10x10, and 8 less at 16x16. Of some hundred readings
/// that were played the one here is the only one to meet the paper's wins, guesses and wins after a zero at all three
/// levels: the tile, its neighbours and what surrounds the zeros among them are looked at, and the neighbours of a zero
/// go to the front of the queue, like mines.
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
    /// The set S of the paper: moves known to be safe, mines and the neighbours of zeros in front.
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
        if !mine && self.is_zero(cell) {
            let new = self.new_around(cell);
            new.into_iter().for_each(|near| self.safe_moves.push_front((near, false)));
            return;
        }
        let beside: Vec<Cell> = size.square(cell, 1).collect();
        let mut near = beside.clone();
        for zero in beside.into_iter().filter(|&other| self.is_zero(other)) {
            near.extend(size.neighbours(zero));
        }
        near.into_iter().for_each(|other| self.look_at(other));
    }

    fn is_zero(&self, cell: Cell) -> bool {
        self.notes[self.board.size().index(cell)] == Note::Open && self.board.tile(cell).number() == Some(0)
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
            let new = self.new_around(cell);
            self.safe_moves.extend(new.into_iter().map(|near| (near, false)));
        } else if mines + unknown == usize::from(number) {
            let new = self.new_around(cell);
            new.into_iter().for_each(|near| self.safe_moves.push_front((near, true)));
        }
    }

    /// The unknown tiles around this one that are not in S yet, the last one first; they are about to be.
    fn new_around(&mut self, cell: Cell) -> Vec<Cell> {
        let size = self.board.size();
        let is_new = |&near: &Cell| {
            let index = size.index(near);
            self.notes[index] == Note::Unknown && !std::mem::replace(&mut self.listed[index], true)
        };
        let mut new: Vec<Cell> = size.neighbours(cell).filter(is_new).collect();
        new.reverse();
        new
    }
}
