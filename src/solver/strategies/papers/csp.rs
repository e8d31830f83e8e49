//! `csp`: Studholme 2001, steps 1 to 7.

use super::coupled_sets::{CoupledSet, Equation, coupled_sets, equations};
use super::notes::{Note, Notes};
use super::weighed_sets::{Sets, Weighing};
use crate::board::Board;
use crate::solver::{Decision, Impossible, Setup, Strategy};
use serde::{Deserialize, Serialize};

/// A constraint for each number, simplified where one is part of another (steps 1 and 2); all solutions of each
/// coupled set of them, tallied by the mines they need (3); what all of them agree on (4), after the craps shoots (5);
/// else the safest constrained tile (6) or, if that is safer, one away from all numbers: corner, edge, or the inner tile
/// that overlaps the constraints most (7). The first move is the top left corner.
///
/// The paper counts all solutions of a set alike, and its own tables show the estimates to be wrong. Here a solution
/// weighs as much as there are ways to lay the other mines on the other tiles ([`Csp::new`]); nothing else differs from
/// the player as printed ([`Csp::as_printed`]), whose figures are those of the paper.
#[derive(Clone, Debug)]
pub struct Csp {
    seed: u64,
    weighing: Weighing,
}

impl Csp {
    /// The player, solutions weighed as they should be.
    pub fn new(setup: &Setup) -> Self {
        Self { seed: setup.seed, weighing: Weighing::Ways }
    }

    /// The player as the paper prints it, all solutions alike.
    pub fn as_printed(setup: &Setup) -> Self {
        Self { seed: setup.seed, weighing: Weighing::Alike }
    }
}

impl Strategy for Csp {
    fn name(&self) -> &'static str {
        match self.weighing {
            Weighing::Ways => "csp",
            Weighing::Alike => "csp-as-printed",
        }
    }

    fn new_game(&mut self, seed: u64) {
        self.seed = seed;
    }

    fn decide(&self, board: &Board) -> Result<Decision, Impossible> {
        let mut notes = Notes::new(board);
        let constraints = simplify(&mut notes)?;
        if let Some(certain) = notes.certain() {
            return Ok(certain);
        }
        let sets = Sets::solve(&notes, &constraints, self.weighing)?;
        if let Some(craps_shoot) = sets.craps_shoot(&notes) {
            return Ok(craps_shoot);
        }
        sets.conclude(&mut notes)?;
        if let Some(certain) = notes.certain() {
            return Ok(certain);
        }
        Ok(sets.guess(&notes, self.seed))
    }
}

/// A coupled set of constraints that had to be solved.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SetSize {
    /// Its tiles, which are the variables.
    pub tiles: u32,
    /// Its constraints.
    pub constraints: u32,
    /// How many solutions it has, tile by tile, whatever the number of mines on the board.
    pub solutions: f64,
}

impl SetSize {
    /// Variables less constraints: the paper's measure of how hard a set is to solve. Constraints that follow from
    /// others are counted, so it may be 0 or less.
    pub fn freedom(self) -> i64 {
        i64::from(self.tiles) - i64::from(self.constraints)
    }
}

/// The coupled sets that are left to step 3 on this board: none where steps 1 and 2 find a safe tile. Sets beyond the
/// bound on work are left out.
pub fn set_sizes(board: &Board) -> Vec<SetSize> {
    let mut notes = Notes::new(board);
    let Ok(constraints) = simplify(&mut notes) else { return Vec::new() };
    if notes.certain().is_some() {
        return Vec::new();
    }
    let size = |set: CoupledSet| {
        let solutions = set.solve(&constraints)?.total();
        Some(SetSize { tiles: set.tiles() as u32, constraints: set.equations.len() as u32, solutions })
    };
    coupled_sets(&constraints).into_iter().filter_map(size).collect()
}

/// Steps 1 and 2: notes what trivial constraints show, and takes constraints that are part of others away from them,
/// until nothing changes. Returns the constraints that remain.
pub(super) fn simplify(notes: &mut Notes) -> Result<Vec<Equation>, Impossible> {
    let size = notes.board().size();
    loop {
        notes.single_points()?;
        let mut constraints = equations(notes);
        while subtract_parts(&mut constraints) {}
        let mut moved = false;
        for Equation { cells, mines } in &constraints {
            let note = match *mines {
                0 => Note::Safe,
                all if all == cells.len() as i32 => Note::Mine,
                some if some < 0 || some > cells.len() as i32 => {
                    return Err(Impossible { near: cells.first().map(|&cell| size.cell(cell as usize)) });
                }
                _ => continue,
            };
            for &cell in cells {
                notes.set(size.cell(cell as usize), note)?;
            }
            moved = true;
        }
        if !moved {
            return Ok(constraints);
        }
    }
}

/// Takes each constraint away from those it is a part of; whether anything changed.
fn subtract_parts(constraints: &mut Vec<Equation>) -> bool {
    constraints.sort_unstable_by(|a, b| a.cells.cmp(&b.cells));
    constraints.dedup_by(|a, b| a == b);
    let mut changed = false;
    for part in 0..constraints.len() {
        let Some(&first) = constraints[part].cells.first() else { continue };
        for whole in 0..constraints.len() {
            let other = &constraints[whole].cells;
            // Sorted lists: most constraints lie elsewhere.
            if other.first().is_none_or(|&low| low > first) || other.last().is_none_or(|&high| high < first) {
                continue;
            }
            let small = &constraints[part];
            let is_part = whole != part
                && small.cells.len() <= constraints[whole].cells.len()
                && small.cells.iter().all(|cell| constraints[whole].cells.binary_search(cell).is_ok());
            if !is_part {
                continue;
            }
            let (cells, mines) = (small.cells.clone(), small.mines);
            constraints[whole].cells.retain(|cell| cells.binary_search(cell).is_err());
            constraints[whole].mines -= mines;
            changed = true;
        }
    }
    // An empty constraint that still asks for mines would be a contradiction, which the next look at the numbers finds.
    constraints.retain(|constraint| !constraint.cells.is_empty());
    changed
}
