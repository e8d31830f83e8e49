//! `single-point`: Pedersen 2004, section 5.2, algorithm 1.

use super::notes::Notes;
use super::{draw, guess, lots};
use crate::board::Board;
use crate::geometry::Cell;
use crate::solver::{Decision, Impossible, Setup, Strategy};

/// Looks at one number at a time: are all the tiles around it safe, or all of them mines? Otherwise it opens any tile
/// at random. The first move is the top left corner (section 5.1.4).
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
        let mut notes = Notes::new(board);
        notes.single_points()?;
        if let Some(certain) = notes.certain() {
            return Ok(certain);
        }
        Ok(top_left_or_random(&notes, self.seed))
    }
}

/// Pedersen's first move, and his guess where nothing is known of the risks: each unknown tile is as good as another.
pub(crate) fn top_left_or_random(notes: &Notes, seed: u64) -> Decision {
    let board = notes.board();
    let choices = notes.choices();
    let start = choices.first().copied().filter(|_| board.is_untouched());
    match start.or_else(|| draw::<Cell>(&choices, &mut lots(seed, board))) {
        Some(cell) => guess(board, cell, notes.density(), notes.mines()),
        None => notes.nothing(),
    }
}
