//! What a player has worked out so far about the covered tiles of one board.

use crate::board::Board;
use crate::geometry::Cell;
use crate::solver::{Decision, Impossible, Reason};

/// What is known of one tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Note {
    /// It is open.
    Open,
    /// It may hold a mine or not.
    Unknown,
    /// Covered, and certainly without a mine.
    Safe,
    /// Certainly a mine.
    Mine,
}

/// A note for every tile of a board.
#[derive(Clone, Debug)]
pub(crate) struct Notes<'a> {
    board: &'a Board,
    notes: Vec<Note>,
}

impl<'a> Notes<'a> {
    /// What can be seen without thinking.
    pub fn new(board: &'a Board) -> Self {
        let notes = board.tiles().iter().map(|tile| match tile {
            tile if tile.number().is_some() => Note::Open,
            tile if tile.may_be_mine() => Note::Unknown,
            tile if tile.is_shown_mine() => Note::Mine,
            _ => Note::Safe, // a flag that the end of the game showed to be wrong
        });
        Self { board, notes: notes.collect() }
    }

    /// The board these notes are about.
    pub fn board(&self) -> &'a Board {
        self.board
    }

    /// What is known of `cell`.
    pub fn get(&self, cell: Cell) -> Note {
        self.notes[self.board.size().index(cell)]
    }

    /// Notes what `cell` is.
    ///
    /// # Errors
    /// The opposite was noted before.
    pub fn set(&mut self, cell: Cell, note: Note) -> Result<(), Impossible> {
        let old = &mut self.notes[self.board.size().index(cell)];
        match *old {
            Note::Unknown => *old = note,
            same if same == note => {}
            _ => return Err(Impossible { near: Some(cell) }),
        }
        Ok(())
    }

    /// The tiles with this note, row by row.
    pub fn cells(&self, wanted: Note) -> impl Iterator<Item = Cell> {
        let size = self.board.size();
        self.notes.iter().enumerate().filter(move |(_, note)| **note == wanted).map(move |(index, _)| size.cell(index))
    }

    /// The unknown tiles around an open number, and how many mines they hold.
    pub fn around(&self, cell: Cell, number: u8) -> (Vec<Cell>, i32) {
        let mut mines = i32::from(number);
        // Most numbers have nothing unknown around them, and need no memory.
        let mut unknown = Vec::new();
        let size = self.board.size();
        for y in cell.y.saturating_sub(1)..(cell.y + 2).min(size.height) {
            let row = y as usize * size.width as usize;
            for x in cell.x.saturating_sub(1)..(cell.x + 2).min(size.width) {
                // The number itself is open, and says nothing here.
                match self.notes[row + x as usize] {
                    Note::Unknown => unknown.push(Cell::new(x, y)),
                    Note::Mine => mines -= 1,
                    Note::Open | Note::Safe => {}
                }
            }
        }
        (unknown, mines)
    }

    /// The unknown tiles that could be opened, row by row.
    pub fn choices(&self) -> Vec<Cell> {
        self.cells(Note::Unknown).filter(|&cell| self.board.tile(cell).is_covered()).collect()
    }

    /// The share of mines among the unknown tiles, 0..1; a half where the number of mines is not known.
    pub fn density(&self) -> f64 {
        let unknown = self.cells(Note::Unknown).count();
        match self.board.mines() {
            Some(mines) if unknown > 0 => {
                let left = f64::from(mines) - self.cells(Note::Mine).count() as f64;
                (left / unknown as f64).clamp(0.0, 1.0)
            }
            _ => 0.5,
        }
    }

    /// Covered tiles noted as mines.
    pub fn mines(&self) -> Vec<Cell> {
        self.cells(Note::Mine).filter(|&cell| self.board.tile(cell).is_covered()).collect()
    }

    /// To open everything that was noted as safe; nothing if there is no such tile.
    pub fn certain(&self) -> Option<Decision> {
        let open: Vec<Cell> = self.cells(Note::Safe).filter(|&cell| self.board.tile(cell).is_covered()).collect();
        (!open.is_empty()).then(|| Decision { open, mines: self.mines(), reason: Reason::Certain })
    }

    /// To open nothing: there is nothing left to open.
    pub fn nothing(&self) -> Decision {
        Decision { open: Vec::new(), mines: self.mines(), reason: Reason::Certain }
    }

    /// Notes all that follows from one number at a time: all its unknown neighbours are mines, or none is.
    ///
    /// # Errors
    /// A number cannot be.
    pub fn single_points(&mut self) -> Result<(), Impossible> {
        let board = self.board;
        let size = board.size();
        let mut waiting: Vec<(Cell, u8)> = board.numbers().collect();
        while let Some((cell, number)) = waiting.pop() {
            let (unknown, mines) = self.around(cell, number);
            if mines < 0 || mines as usize > unknown.len() {
                return Err(Impossible { near: Some(cell) });
            }
            let note = match mines {
                _ if unknown.is_empty() => continue,
                0 => Note::Safe,
                _ if mines as usize == unknown.len() => Note::Mine,
                _ => continue,
            };
            for other in unknown {
                self.set(other, note)?;
                let again = size.neighbours(other).filter_map(|near| Some((near, board.tile(near).number()?)));
                waiting.extend(again);
            }
        }
        Ok(())
    }
}
