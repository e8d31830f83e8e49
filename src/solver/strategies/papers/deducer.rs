//! `equation`, `human-like` and `placements`: players that differ only in how they look for certain tiles.

use super::notes::Notes;
use super::{draw, equation, guess, human_like, lots, placements};
use crate::board::Board;
use crate::solver::{Decision, Impossible, Setup, Strategy};

/// Opens what it works out to be certain, and else any tile at random, from the first move on.
#[derive(Clone, Debug)]
pub struct Deducer {
    name: &'static str,
    deduce: fn(&mut Notes) -> Result<(), Impossible>,
    seed: u64,
}

impl Deducer {
    /// `equation`: PGMS, as Studholme 2001 describes it.
    pub fn equation(setup: &Setup) -> Self {
        Self { name: "equation", deduce: equation::deduce, seed: setup.seed }
    }

    /// `human-like`: Slagle 2019, strategies 1 to 7.
    pub fn human_like(setup: &Setup) -> Self {
        Self { name: "human-like", deduce: human_like::deduce, seed: setup.seed }
    }

    /// `placements`: Slagle 2019, version 3 of SatisfactoryPlacements.
    pub fn placements(setup: &Setup) -> Self {
        Self { name: "placements", deduce: placements::deduce, seed: setup.seed }
    }
}

impl Strategy for Deducer {
    fn name(&self) -> &'static str {
        self.name
    }

    fn new_game(&mut self, seed: u64) {
        self.seed = seed;
    }

    fn decide(&self, board: &Board) -> Result<Decision, Impossible> {
        let mut notes = Notes::new(board);
        (self.deduce)(&mut notes)?;
        let at_random = || match draw(&notes.choices(), &mut lots(self.seed, board)) {
            Some(cell) => guess(board, cell, notes.density(), notes.mines()),
            None => notes.nothing(),
        };
        Ok(notes.certain().unwrap_or_else(at_random))
    }
}
