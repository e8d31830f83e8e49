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
