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
use crate::geometry::{BoardSize, Cell};
use crate::solver::graph::{BeyondReach, Goal, Graph, Move, Play, Position, Reach, Worth};
use crate::solver::{Decision, Impossible, Reason, Setup, Strategy};
use std::cell::RefCell;

/// The player. What it keeps between decisions is the part of the graph it has walked already.
pub struct Optimal {
    rule: Rule,
    graph: RefCell<Graph>,
    lowest_risk: LowestRisk,
}

impl Optimal {
    /// Ready to play.
    pub fn new(setup: &Setup) -> Self {
        let graph = RefCell::new(Graph::new(Goal::Win, Play::Optimal));
        Self { rule: setup.rule, graph, lowest_risk: LowestRisk::new(setup) }
    }

    /// The exact chance of winning from `board` under best play, and after every move that is worth a thought.
    ///
    /// # Errors
    /// Too many explanations are left; never on boards of up to 16 tiles with a known number of mines.
    pub fn worth(&self, board: &Board) -> Result<Worth, BeyondReach> {
        let reach = reach(board.size());
        let mut graph = self.graph.borrow_mut();
        let is_promised = matches!(self.rule, Rule::Safe | Rule::Zero | Rule::Windows);
        if !board.is_untouched() || board.is_cleared() || !is_promised {
            return graph.worth(&Position::of_board(board, reach)?, reach);
        }
        let mut moves: Vec<Move> = Vec::new();
        for cell in board.size().cells() {
            // A board looks the same from all its corners, unless the mines move to the first free tile.
            let images = images(board.size(), cell);
            let seen = moves.iter().find(|other| self.rule != Rule::Windows && images.contains(&other.cell));
            moves.push(match seen {
                Some(seen) => Move { cell, ..*seen },
                None => graph.worth_of(&Position::at_first_click(board, self.rule, cell, reach)?, cell, reach)?,
            });
        }
        let value = moves.iter().map(|play| play.value).fold(0.0, f64::max);
        Ok(Worth { value, moves })
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
        let Ok(worth) = self.worth(board) else { return Ok(decision) };
        match worth.best().next() {
            Some(best) if !decision.open.contains(&best.cell) => Ok(guess(board, best.cell, best.risk, decision.mines)),
            _ => Ok(decision),
        }
    }
}

/// How far to search: whole boards of up to 4x4, the ends of games on larger ones.
fn reach(size: BoardSize) -> Reach {
    if size.tiles() <= 16 { Reach::SMALL_BOARD } else { Reach::ENDGAME }
}

/// Where `cell` goes when the board is mirrored and, if it is square, turned.
fn images(size: BoardSize, cell: Cell) -> Vec<Cell> {
    let (right, bottom) = (size.width - 1, size.height - 1);
    let mirrored = |x: u32, y: u32| [(x, y), (right - x, y), (x, bottom - y), (right - x, bottom - y)];
    let mut images = mirrored(cell.x, cell.y).to_vec();
    if size.width == size.height {
        images.extend(mirrored(cell.y, cell.x));
    }
    images.into_iter().map(Cell::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
