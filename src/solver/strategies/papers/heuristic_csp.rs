//! `heuristic-csp`: align-els, "An Artificial Intelligence Approach to Minesweeper", heuristics 1 to 7.

use super::coupled_sets::{CoupledSet, Equation, coupled_sets, equations};
use super::notes::{Note, Notes};
use super::weighed_sets::{Sets, Weighing};
use super::{draw, guess, lots};
use crate::board::Board;
use crate::geometry::Cell;
use crate::solver::{Decision, Impossible, Reason, Setup, Strategy};

/// Begins on the tile with the fewest neighbours (heuristic 1), opens a safe tile as soon as it is found (2), solves
/// single numbers first (3), then the directly constrained tiles (4) in independent sets (5), by backtracking with
/// forward checking over equations sorted by their length (6 and 7). Else it opens the tile with the lowest chance of a
/// mine, equation (3), by lot among equals.
///
/// The paper takes B/(MN) as the chance of a mine on tiles without information, by an assumption that it says not to
/// hold; equation (3) itself gives their chance from the mines that are left, and that is used.
#[derive(Clone, Debug)]
pub struct HeuristicCsp {
    seed: u64,
}

impl HeuristicCsp {
    /// The player.
    pub fn new(setup: &Setup) -> Self {
        Self { seed: setup.seed }
    }
}

impl Strategy for HeuristicCsp {
    fn name(&self) -> &'static str {
        "heuristic-csp"
    }

    fn new_game(&mut self, seed: u64) {
        self.seed = seed;
    }

    fn decide(&self, board: &Board) -> Result<Decision, Impossible> {
        let size = board.size();
        let mut notes = Notes::new(board);
        if board.is_untouched() {
            let fewest = notes.choices().into_iter().min_by_key(|&cell| size.degree(cell));
            let start = fewest.map(|cell| guess(board, cell, notes.density(), Vec::new()));
            return Ok(start.unwrap_or_else(|| notes.nothing()));
        }
        notes.single_points()?; // heuristics 3 and 6
        if let Some(certain) = notes.certain() {
            return Ok(certain);
        }
        let equations = equations(&notes);
        let mut solved = Vec::new();
        for set in coupled_sets(&equations) {
            // A set too large for backtracking is solved by merging, which finds the same; one too large for that, too,
            // is left out.
            let solutions = set.enumerate(&equations, &by_length(&set, &equations)).or_else(|| set.solve(&equations));
            let Some(solutions) = solutions else { continue };
            let safe =
                set.groups.iter().zip(&solutions.mined).filter(|(_, mined)| mined.iter().all(|&ways| ways == 0.0));
            let cells = safe.flat_map(|(group, _)| &group.cells).map(|&cell| size.cell(cell as usize));
            let open: Vec<Cell> = cells.filter(|&cell| board.tile(cell).is_covered()).collect();
            if !open.is_empty() {
                return Ok(Decision { open, mines: notes.mines(), reason: Reason::Certain }); // heuristic 2
            }
            solved.push((set, solutions));
        }
        let sets = Sets::weigh(&notes, solved, Weighing::Ways)?;
        sets.conclude(&mut notes)?;
        Ok(notes.certain().unwrap_or_else(|| self.safest(&notes, &sets)))
    }
}

impl HeuristicCsp {
    fn safest(&self, notes: &Notes, sets: &Sets) -> Decision {
        let board = notes.board();
        let size = board.size();
        let mut risks = vec![sets.unconstrained_risk(); size.tiles()];
        sets.risks().for_each(|(cell, risk)| risks[cell as usize] = risk);
        let risk = |cell: Cell| risks[size.index(cell)];
        let choices: Vec<Cell> = notes.choices().into_iter().filter(|&cell| notes.get(cell) == Note::Unknown).collect();
        let lowest = choices.iter().map(|&cell| risk(cell)).fold(f64::INFINITY, f64::min);
        let safest: Vec<Cell> = choices.into_iter().filter(|&cell| risk(cell) <= lowest + 1e-9).collect();
        match draw(&safest, &mut lots(self.seed, board)) {
            Some(cell) => guess(board, cell, risk(cell), notes.mines()),
            None => notes.nothing(),
        }
    }
}

/// Heuristic 7: equations with many tiles first, and the tiles in the order in which they are seen there.
fn by_length(set: &CoupledSet, equations: &[Equation]) -> Vec<usize> {
    let mut sorted = set.equations.clone();
    sorted.sort_by_key(|&equation| std::cmp::Reverse(equations[equation as usize].cells.len()));
    let mut order: Vec<usize> = Vec::with_capacity(set.groups.len());
    for equation in sorted {
        let seen =
            |(index, group): (usize, &super::coupled_sets::Group)| group.equations.contains(&equation).then_some(index);
        let new: Vec<usize> =
            set.groups.iter().enumerate().filter_map(seen).filter(|index| !order.contains(index)).collect();
        order.extend(new);
    }
    order
}
