//! `greedy`: the tile that is least likely to be a mine, whichever of them (Nakov & Wei, "Minesweeper, #Minesweeper",
//! section 6). The chance of a mine is the exact one, over the whole board; among equals the lot decides, and it also
//! decides where to begin, for at the start all tiles are equal.

use super::{draw, guess, lots};
use crate::board::Board;
use crate::game::Rule;
use crate::geometry::Cell;
use crate::solver::probability::Engine;
use crate::solver::safest::{Certain, certain, estimate};
use crate::solver::{Decision, Impossible, Reason, Setup, Strategy};
use std::cell::RefCell;

/// The player.
#[derive(Clone, Debug)]
pub struct Greedy {
    rule: Rule,
    seed: u64,
    engine: RefCell<Engine>,
}

impl Greedy {
    /// Ready to play.
    pub fn new(setup: &Setup) -> Self {
        Self { rule: setup.rule, seed: setup.seed, engine: RefCell::default() }
    }
}

impl Strategy for Greedy {
    fn name(&self) -> &'static str {
        "greedy"
    }

    fn new_game(&mut self, seed: u64) {
        self.seed = seed;
    }

    fn decide(&self, board: &Board) -> Result<Decision, Impossible> {
        let mut engine = self.engine.borrow_mut();
        let mines = match certain(&mut engine, board, self.rule)? {
            Certain::Moves(decision) => return Ok(decision),
            Certain::BeyondReach => return Ok(estimate(&engine, board)),
            Certain::Nothing { mines } => mines,
        };
        let covered: Vec<Cell> = board.cells_where(|tile| tile.is_covered()).collect();
        let risk = |cell: &Cell| engine.risk[board.size().index(*cell)];
        let lowest = covered.iter().map(risk).fold(1.0, f64::min);
        // Equal but for the order of the sums counts as equal.
        let safest: Vec<Cell> = covered.into_iter().filter(|cell| risk(cell) <= lowest * (1.0 + 1e-9)).collect();
        let Some(cell) = draw(&safest, &mut lots(self.seed, board)) else {
            return Ok(Decision { open: vec![], mines, reason: Reason::Certain });
        };
        let is_promised = board.is_untouched() && self.rule != Rule::Any;
        Ok(guess(board, cell, if is_promised { 0.0 } else { lowest }, mines))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_game_draws_its_own_lots() {
        let mut greedy = Greedy::new(&Setup::default());
        let board = Board::hidden(crate::geometry::BoardSize::new(4, 4), 4).unwrap();
        let starts = (0..50).map(|seed| {
            greedy.new_game(seed);
            greedy.decide(&board).unwrap().open[0]
        });
        assert!(starts.collect::<std::collections::HashSet<_>>().len() > 10);
    }

    #[test]
    fn it_takes_any_of_the_safest() {
        // Nakov & Wei, figure 1: three tiles at risk 1/3, two at 1/2.
        let board: Board = "4 2 3\n###2\n#2##".parse().unwrap();
        let mut times = [0; 3];
        for seed in 0..300 {
            let decision = Greedy::new(&Setup { seed, ..Setup::default() }).decide(&board).unwrap();
            let place = [(0, 0), (1, 0), (0, 1)].iter().position(|&cell| decision.open == [cell.into()]);
            times[place.expect("one of the safest")] += 1;
            assert!((decision.reason.risk() - 1.0 / 3.0).abs() < 1e-12);
            assert_eq!(decision.mines, [Cell::new(3, 1)]);
        }
        assert!(times.iter().all(|&times| times > 60), "{times:?}");
    }

    #[test]
    fn it_begins_anywhere() {
        let board = "5 5 5\n#####\n#####\n#####\n#####\n#####".parse().unwrap();
        let start = |seed| Greedy::new(&Setup { seed, ..Setup::default() }).decide(&board).unwrap().open[0];
        let mut starts: Vec<Cell> = (0..500).map(start).collect();
        starts.sort();
        starts.dedup();
        assert_eq!(starts.len(), 25);
    }
}
