//! `best`: certain moves; exact play where an endgame, or an enclosed part, can be searched to its end; else the tile
//! whose worth, over the numbers it can show, is the highest.

use crate::board::Board;
use crate::game::Rule;
use crate::solver::lookahead::{Effort, Lookahead, even_pair};
use crate::solver::probability::Engine;
use crate::solver::safest::{self, Certain};
use crate::solver::{Decision, Impossible, Reason, Setup, Strategy};
use std::cell::RefCell;

/// The player. What it keeps between decisions is memory to work in, nothing learned.
#[derive(Clone, Debug)]
pub struct Best {
    rule: Rule,
    effort: Effort,
    work: RefCell<(Engine, Lookahead)>,
}

impl Best {
    /// Ready to play.
    pub fn new(setup: &Setup) -> Self {
        Self { rule: setup.rule, effort: Effort::within(setup.think), work: RefCell::default() }
    }
}

impl Strategy for Best {
    fn name(&self) -> &'static str {
        "best"
    }

    fn decide(&self, board: &Board) -> Result<Decision, Impossible> {
        if let Some(start) = safest::start(board, self.rule) {
            return Ok(start);
        }
        let (engine, lookahead) = &mut *self.work.borrow_mut();
        let mines = match safest::certain(engine, board, self.rule)? {
            Certain::Moves(decision) => return Ok(decision),
            Certain::BeyondReach => return Ok(safest::estimate(engine, board)),
            Certain::Nothing { mines } => mines,
        };
        let effort = &self.effort;
        let openable = |tile: u32| board.tiles()[tile as usize].is_covered();
        let endgame = &mut lookahead.endgame;
        let exact = endgame.search(engine, &openable, effort.endgame).or_else(|| {
            let mut components = 0..engine.constraints.components.len();
            components.find_map(|component| {
                let is_enclosed = engine.is_enclosed(component);
                is_enclosed.then(|| endgame.search_enclosed(engine, component, &openable, effort.endgame)).flatten()
            })
        });
        let tile = exact
            .map(|worth| worth.tile)
            .or_else(|| even_pair(engine, openable))
            .or_else(|| lookahead.choose(engine, openable, effort));
        // Where no choice wins, each is as good: even a mine.
        let Some(tile) = tile.filter(|&tile| engine.risk[tile as usize] < 1.0) else {
            return Ok(safest::guess(engine, board, mines));
        };
        let (risk, kind) = (engine.risk[tile as usize], engine.guess_kind(tile));
        Ok(Decision { open: vec![board.size().cell(tile as usize)], mines, reason: Reason::Guess { risk, kind } })
    }
}
