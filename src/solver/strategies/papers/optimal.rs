//! `optimal`: the best move there is (Nakov & Wei, "Minesweeper, #Minesweeper", sections 7 to 10).
//!
//! On boards of up to 16 tiles (4x4) every decision is exact, the first one included. On larger boards the graph of
//! positions is beyond anyone's reach at first; there it plays as [`LowestRisk`] does until few enough explanations
//! are left, and exactly from then on.
//!
//! The paper maximises the expected number of tiles opened and takes that for the same as winning. It is not (see
//! [`Goal`]), so this player maximises the chance of winning.

use super::{LowestRisk, guess};
use crate::board::Board;
use crate::game::Rule;
use crate::geometry::BoardSize;
use crate::solver::graph::{BeyondReach, Goal, Graph, Move, Play, Position, Reach, Worth, images, optimum};
use crate::solver::{Decision, Impossible, Reason, Setup, Strategy};
use std::cell::RefCell;
use std::collections::HashMap;

/// The player. What it keeps between decisions is what it has worked out already: the part of the graph it has walked,
/// and its choice on small boards, where games come to the same positions again and again.
pub struct Optimal {
    rule: Rule,
    graph: RefCell<Graph>,
    choices: RefCell<HashMap<Board, Option<Move>>>,
    lowest_risk: LowestRisk,
}

/// Tiles of the largest board that is searched whole.
const SMALL: usize = 16;
/// So many choices are remembered.
const MEMORY: usize = 200_000;

impl Optimal {
    /// Ready to play.
    pub fn new(setup: &Setup) -> Self {
        let graph = RefCell::new(Graph::new(Goal::Win, Play::Optimal));
        let choices = RefCell::default();
        Self { rule: setup.rule, graph, choices, lowest_risk: LowestRisk::new(setup) }
    }

    /// The exact chance of winning from `board` under best play, and after every move that is worth a thought.
    ///
    /// # Errors
    /// Too many explanations are left; never on boards of up to 16 tiles with a known number of mines.
    pub fn worth(&self, board: &Board) -> Result<Worth, BeyondReach> {
        self.worth_within(board, reach(board.size()))
    }

    /// The same, looking as far as `reach`.
    ///
    /// # Errors
    /// Too many explanations are left.
    pub fn worth_within(&self, board: &Board, reach: Reach) -> Result<Worth, BeyondReach> {
        let mut graph = self.graph.borrow_mut();
        if !self.is_promised_start(board) {
            return graph.worth(&Position::in_game(board, self.rule, reach)?, reach);
        }
        if board.size().tiles() > SMALL {
            let best = optimum(board, self.rule, reach)?;
            let value = best.wins as f64 / best.deals as f64;
            let moves = vec![Move { cell: best.cell, risk: 0.0, value }];
            return Ok(Worth { value, moves, of_deals: Some((best.wins, best.deals)) });
        }
        let mut moves: Vec<Move> = Vec::new();
        for cell in board.size().cells() {
            // A board looks the same from all its corners, unless the mines move to the first free tile.
            let is_image = |other: &&Move| images(board.size(), cell).any(|image| image == other.cell);
            let seen = moves.iter().find(is_image).filter(|_| self.rule != Rule::Windows);
            moves.push(match seen {
                Some(seen) => Move { cell, ..*seen },
                None => graph.worth_of(&Position::at_first_click(board, self.rule, cell, reach)?, cell, reach)?,
            });
        }
        let value = moves.iter().map(|play| play.value).fold(0.0, f64::max);
        Ok(Worth { value, moves, of_deals: None })
    }

    /// Whether this is the first click of a game that promises something about it.
    fn is_promised_start(&self, board: &Board) -> bool {
        board.is_untouched() && !board.is_cleared() && self.rule.is_promised()
    }

    /// The best move, where it can be found.
    fn choice(&self, board: &Board) -> Option<Move> {
        let find = || {
            if self.is_promised_start(board) {
                return self.worth(board).ok()?.best().next().copied();
            }
            let reach = reach(board.size());
            let position = Position::in_game(board, self.rule, reach).ok()?;
            self.graph.borrow_mut().best_move(&position, reach).ok()?
        };
        if board.size().tiles() > SMALL {
            return find();
        }
        let mut choices = self.choices.borrow_mut();
        if choices.len() > MEMORY {
            choices.clear();
        }
        *choices.entry(board.clone()).or_insert_with(find)
    }
}

impl Strategy for Optimal {
    fn name(&self) -> &'static str {
        "optimal"
    }

    fn decide(&self, board: &Board) -> Result<Decision, Impossible> {
        let decision = self.lowest_risk.decide(board)?;
        if decision.reason == Reason::Certain || decision.open.is_empty() {
            return Ok(decision);
        }
        match self.choice(board) {
            Some(best) if !decision.open.contains(&best.cell) => Ok(guess(board, best.cell, best.risk, decision.mines)),
            _ => Ok(decision),
        }
    }
}

/// How far to search: whole boards of up to 4x4, the ends of games on larger ones.
fn reach(size: BoardSize) -> Reach {
    if size.tiles() <= SMALL { Reach::SMALL_BOARD } else { Reach::ENDGAME }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Cell;

    fn decide(text: &str, rule: Rule) -> Decision {
        Optimal::new(&Setup { rule, ..Setup::default() }).decide(&text.parse().unwrap()).unwrap()
    }

    #[test]
    fn it_opens_what_is_worth_most_not_what_is_safest() {
        // Nakov & Wei, figure 1, in which the corner is as good as the paper's move; and one in which only a riskier
        // tile is best.
        let decision = decide("4 2 3\n###2\n#2##", Rule::Any);
        assert!([(0, 0), (0, 1), (2, 0), (2, 1)].map(Cell::from).contains(&decision.open[0]), "{decision:?}");
        assert_eq!(decision.mines, [Cell::new(3, 1)]);
    }

    #[test]
    fn the_first_click_of_a_small_board_is_exact() {
        // With 9 mines on 4x4 the centre wins most often, with 3 a corner (see tests/nakov_wei.rs).
        for (mines, degree) in [(3, 3), (9, 8)] {
            let decision = decide(&format!("4 4 {mines}\n####\n####\n####\n####"), Rule::Any);
            assert_eq!(BoardSize::new(4, 4).degree(decision.open[0]), degree, "{decision:?}");
            assert_eq!(decision.reason.risk(), f64::from(mines) / 16.0);
        }
        assert_eq!(decide("4 4 3\n####\n####\n####\n####", Rule::Safe).reason.risk(), 0.0);
    }

    #[test]
    fn no_board_is_too_large_to_decide() {
        for (width, height, mines) in [(1, 1, 0), (1, 1, 1), (8, 8, 10), (9, 9, 80), (30, 16, 99), (1, 70, 69)] {
            let board = Board::hidden(BoardSize::new(width, height), mines).unwrap();
            for rule in [Rule::Safe, Rule::Zero, Rule::Any, Rule::Windows, Rule::Hinted, Rule::Opened] {
                let optimal = Optimal::new(&Setup { rule, ..Setup::default() });
                let decision = optimal.decide(&board).unwrap();
                assert_eq!(decision.open.is_empty(), mines as usize == board.size().tiles(), "{board} {rule}");
            }
        }
    }
}
