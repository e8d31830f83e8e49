//! The players of the literature, one file each, and what several of them share: notes on tiles, coupled sets of
//! equations, and those sets weighed over the whole board.

mod coupled_sets;
mod csp;
mod deducer;
mod equation;
mod greedy;
mod heuristic_csp;
mod human_like;
mod limited_search;
mod notes;
mod optimal;
mod placements;
mod single_point;
mod weighed_sets;

pub use csp::{Csp, SetSize, set_sizes};
pub use deducer::Deducer;
pub use greedy::Greedy;
pub use heuristic_csp::HeuristicCsp;
pub use limited_search::{LimitedSearch, LimitedSearchProbability};
pub use optimal::Optimal;
pub use single_point::SinglePoint;

use super::{LowestRisk, guess};
use crate::solver::lots::{draw, lots, lots_of};
