//! `best`: certain moves; exact play where an endgame, or an enclosed part, can be searched to its end; corners until something opens; else the tile
//! whose worth, over the numbers it can show, is the highest.

use crate::board::Board;
use crate::game::Rule;
use crate::solver::lookahead::{Effort, Lookahead, even_pair};
use crate::solver::opening;
use crate::solver::play_on;
use crate::solver::probability::Engine;
use crate::solver::safest::{self, Certain};
use crate::solver::{Decision, Impossible, Reason, Setup, Strategy};
use std::cell::RefCell;
use std::time::Duration;

/// What the player that is played on with thinks: two openings, and the shortest endgames.
const QUICK: Duration = Duration::from_millis(1);

/// Risks that differ by less are equal: the same sum in another order.
const EQUAL: f64 = 1e-9;

/// The player. What it keeps between decisions is memory to work in, nothing learned.
#[derive(Clone, Debug)]
pub struct Best {
    rule: Rule,
    effort: Effort,
    /// They play on behind the tiles that may be risked, where there is time for it: one for each thread.
    quick: RefCell<Vec<Best>>,
    work: RefCell<(Engine, Lookahead)>,
}

impl Best {
    /// Ready to play.
    pub fn new(setup: &Setup) -> Self {
        let effort = Effort::within(setup.think);
        // Of the deals of `windows` some are likelier than others, which is not dealt.
        let plays_on = effort.deals > 0 && setup.rule != Rule::Windows;
        let players = if plays_on { setup.threads.max(1) } else { 0 };
        let quick = (0..players).map(|_| Self::new(&Setup { think: QUICK, ..setup.clone() })).collect();
        Self { rule: setup.rule, effort, quick: RefCell::new(quick), work: RefCell::default() }
    }

    /// Until something opens: the next corner, where no tile is safer. Where mines are moved to the corner (`windows`) corners are others.
    fn corner(&self, board: &Board, engine: &Engine) -> Option<u32> {
        if self.rule == Rule::Windows {
            return None;
        }
        let (size, risk) = (board.size(), &engine.risk);
        // Open tiles have no risk, which compares with nothing.
        let least = risk.iter().copied().fold(1.0, f64::min);
        let corner = opening::corner(board, |corner| risk[size.index(corner)] <= least + EQUAL)?;
        Some(size.index(corner) as u32)
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
        let tile = exact.map(|worth| worth.tile).or_else(|| even_pair(engine, openable)).or_else(|| {
            let corner = self.corner(board, engine);
            let tile = corner.or_else(|| lookahead.choose(engine, openable, effort))?;
            let quick = &mut *self.quick.borrow_mut();
            if quick.is_empty() {
                return Some(tile);
            }
            let cell = board.size().cell(tile as usize);
            Some(board.size().index(play_on::choose(engine, board, cell, quick, effort.deals)) as u32)
        });
        // Where no choice wins, each is as good: even a mine.
        let Some(tile) = tile.filter(|&tile| engine.risk[tile as usize] < 1.0) else {
            return Ok(safest::guess(engine, board, mines));
        };
        let (risk, kind) = (engine.risk[tile as usize], engine.guess_kind(tile));
        Ok(Decision { open: vec![board.size().cell(tile as usize)], mines, reason: Reason::Guess { risk, kind } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Game, State};
    use crate::geometry::{BoardSize, Cell};
    use crate::solver::probability::REACH;
    use rand::seq::SliceRandom;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// Processor time of this thread so far; zero where the system does not tell it.
    fn processor_time() -> Duration {
        let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
        Duration::from_nanos(told.split(' ').next().and_then(|nanos| nanos.parse().ok()).unwrap_or(0))
    }

    /// The longest moves on boards of which up to half of the safe tiles are opened by lot, and which are then played
    /// on whatever happens.
    /// `cargo test --release --no-default-features how_long_a_move -- --ignored --nocapture`
    #[test]
    #[ignore = "prints a table, minutes"]
    fn how_long_a_move_takes() {
        let player = Best::new(&Setup::default());
        for (side, mines, games) in [
            ((30, 16), 99, 300),
            ((30, 16), 130, 300),
            ((50, 50), 500, 30),
            ((50, 50), 750, 30),
            ((50, 50), 875, 30),
            ((50, 50), 1000, 30),
            ((50, 50), 1125, 30),
            ((100, 100), 3000, 5),
            ((200, 200), 8250, 2),
        ] {
            let size = BoardSize::new(side.0, side.1);
            let (mut decisions, mut longest, mut beyond) = (0, Duration::ZERO, 0);
            for seed in 0..games {
                let mut game = Game::deal(size, mines, Rule::Safe, seed).unwrap();
                let mut lots = Xoshiro256PlusPlus::seed_from_u64(seed);
                game.open(Cell::new(0, 0));
                let mut safe: Vec<Cell> = size.cells().filter(|&cell| !game.is_mine(cell)).collect();
                safe.shuffle(&mut lots);
                safe.truncate(lots.random_range(1..=safe.len() / 2));
                safe.into_iter().for_each(|cell| _ = game.open(cell));
                while game.state() == State::Playing {
                    let began = processor_time();
                    let decision = player.decide(game.board()).unwrap();
                    longest = longest.max(processor_time() - began);
                    decisions += 1;
                    let states = player.work.borrow().0.counter.cost();
                    beyond += u32::from(decision.reason != Reason::Certain && states > REACH);
                    for cell in decision.open {
                        // Instead of a mine the first tile that is none.
                        let first =
                            size.cells().find(|&cell| !game.is_mine(cell) && game.board().tile(cell).is_covered());
                        let cell = if game.is_mine(cell) { first } else { Some(cell) };
                        cell.into_iter().for_each(|cell| _ = game.open(cell));
                    }
                }
            }
            println!("{size}/{mines}: {decisions} decisions, longest {longest:?}, {beyond} beyond reach");
        }
    }
}
