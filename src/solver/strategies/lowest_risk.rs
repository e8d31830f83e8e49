//! `lowest-risk`: every certain move, else the tile with the lowest exact risk; among equals one next to a number,
//! then corner, edge, interior.

use crate::board::Board;
use crate::game::Rule;
use crate::solver::probability::Engine;
use crate::solver::safest::{Certain, certain, estimate, guess, start};
use crate::solver::{Decision, Impossible, Setup, Strategy};
use std::cell::RefCell;

/// The player. What it keeps between decisions is memory to work in, nothing learned.
#[derive(Clone, Debug)]
pub struct LowestRisk {
    rule: Rule,
    engine: RefCell<Engine>,
}

impl LowestRisk {
    /// Ready to play.
    pub fn new(setup: &Setup) -> Self {
        Self { rule: setup.rule, engine: RefCell::default() }
    }
}

impl Strategy for LowestRisk {
    fn name(&self) -> &'static str {
        "lowest-risk"
    }

    fn decide(&self, board: &Board) -> Result<Decision, Impossible> {
        if let Some(start) = start(board, self.rule) {
            return Ok(start);
        }
        let mut engine = self.engine.borrow_mut();
        match certain(&mut engine, board, self.rule)? {
            Certain::Moves(decision) => Ok(decision),
            Certain::Nothing { mines } => Ok(guess(&engine, board, mines)),
            Certain::BeyondReach => Ok(estimate(&engine, board)),
        }
    }
}
