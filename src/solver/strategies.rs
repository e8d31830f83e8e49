//! The players: this project's own here, those of the literature as their papers describe them in [`papers`].

mod best;
mod lowest_risk;
mod papers;

pub use best::Best;
pub use lowest_risk::LowestRisk;
pub use papers::{
    Csp, Deducer, Greedy, HeuristicCsp, LimitedSearch, LimitedSearchProbability, Optimal, SetSize, SinglePoint,
    set_sizes,
};

use crate::board::Board;
use crate::geometry::Cell;
use crate::solver::{Decision, GuessKind, Reason};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::hash::Hasher;

/// Where a player draws its lots on this board: the same on every machine for the same seed and board.
pub(crate) fn lots(seed: u64, board: &Board) -> Xoshiro256PlusPlus {
    lots_of(seed, board.tiles().iter().map(|tile| tile.to_char() as u8))
}

/// Where a player draws its lots when it knows this much.
pub(crate) fn lots_of(seed: u64, known: impl Iterator<Item = u8>) -> Xoshiro256PlusPlus {
    let mut hash = Fnv(seed ^ 0xcbf2_9ce4_8422_2325);
    known.for_each(|byte| hash.write_u8(byte));
    Xoshiro256PlusPlus::seed_from_u64(hash.finish())
}

/// One of `choices`, by lot; nothing if there is nothing to choose from.
pub(crate) fn draw<T: Copy>(choices: &[T], lots: &mut Xoshiro256PlusPlus) -> Option<T> {
    (!choices.is_empty()).then(|| choices[lots.random_range(0..choices.len())])
}

/// To open one tile at some risk. What sort of guess it is can be seen from the board, a craps shoot excepted.
pub(crate) fn guess(board: &Board, cell: Cell, risk: f64, mines: Vec<Cell>) -> Decision {
    let kind = if board.is_untouched() {
        GuessKind::Start
    } else if board.size().neighbours(cell).any(|other| board.tile(other).number().is_some()) {
        GuessKind::Educated
    } else {
        GuessKind::Unconstrained
    };
    Decision { open: vec![cell], mines, reason: Reason::Guess { risk, kind } }
}

/// FNV-1a, whose result is fixed for all time, unlike that of the standard library's hashers.
struct Fnv(u64);

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}
