//! Coupled sets with all their solutions, weighed over the whole board: what `csp` and `heuristic-csp` judge tiles by.

use super::coupled_sets::{CoupledSet, Equation, Solutions, coupled_sets};
use super::notes::{Note, Notes};
use super::{draw, lots};
use crate::geometry::Cell;
use crate::solver::ways::log_choose;
use crate::solver::{Decision, GuessKind, Impossible, Reason};

/// What one solution of a coupled set counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weighing {
    /// As much as there are ways to lay the other mines.
    Ways,
    /// As much as any other that the number of mines allows.
    Alike,
}

/// The coupled sets with their solutions, weighed over the whole board.
pub(crate) struct Sets {
    sets: Vec<(CoupledSet, Solutions)>,
    /// For each set, what a total of mines weighs; 0 where the board has not mines enough, or too many.
    weights: Vec<Vec<f64>>,
    /// Unknown tiles in no constraint, and how likely each of them is a mine.
    unconstrained: Vec<Cell>,
    unconstrained_risk: f64,
}

/// The weight of each mine where the total is not known: the odds of an expert board.
const ODDS: f64 = 99.0 / 381.0;

impl Sets {
    /// Step 3. Sets beyond the bound on work are left out, as if nothing were known of their tiles.
    pub fn solve(notes: &Notes, constraints: &[Equation], weighing: Weighing) -> Result<Self, Impossible> {
        let solved = coupled_sets(constraints).into_iter().filter_map(|set| {
            let solutions = set.solve(constraints)?;
            Some((set, solutions))
        });
        Self::weigh(notes, solved.collect(), weighing)
    }

    /// Weighs solved sets by all that is known of the number of mines.
    pub fn weigh(notes: &Notes, sets: Vec<(CoupledSet, Solutions)>, weighing: Weighing) -> Result<Self, Impossible> {
        let size = notes.board().size();
        let mut constrained = vec![false; size.tiles()];
        for cell in sets.iter().flat_map(|(set, _)| &set.groups).flat_map(|group| &group.cells) {
            constrained[*cell as usize] = true;
        }
        let unconstrained: Vec<Cell> =
            notes.cells(Note::Unknown).filter(|&cell| !constrained[size.index(cell)]).collect();
        let left = notes.board().mines().map(|mines| i64::from(mines) - notes.cells(Note::Mine).count() as i64);
        let totals: Vec<&[f64]> = sets.iter().map(|(_, solutions)| solutions.by_mines.as_slice()).collect();
        let (mut weights, mut unconstrained_risk) =
            weigh(&totals, unconstrained.len(), left).ok_or(Impossible { near: None })?;
        if weighing == Weighing::Alike {
            weights.iter_mut().flatten().filter(|weight| **weight > 0.0).for_each(|weight| *weight = 1.0);
            if let Some(left) = left.filter(|_| unconstrained_risk > 0.0) {
                let expected = expected_elsewhere(&totals, &weights, left) / unconstrained.len().max(1) as f64;
                unconstrained_risk = expected.min(1.0);
            }
        }
        Ok(Self { sets, weights, unconstrained, unconstrained_risk })
    }

    /// Solutions of a set with a given tile of a group free or mined, and all of them, as weighed.
    fn weighed(&self, set: usize, tally: &[f64]) -> f64 {
        tally.iter().zip(&self.weights[set]).map(|(ways, weight)| ways * weight).sum()
    }

    fn risk(&self, set: usize, group: usize) -> f64 {
        let solutions = &self.sets[set].1;
        let (mined, free) = (self.weighed(set, &solutions.mined[group]), self.weighed(set, &solutions.free[group]));
        mined / (mined + free)
    }

    /// Step 5: a set whose solutions all need the same number of mines, and none of whose tiles touches an unknown tile
    /// outside of it. Nothing will ever make this guess easier, so it comes first, to lose early if at all.
    pub fn craps_shoot(&self, notes: &Notes) -> Option<Decision> {
        let size = notes.board().size();
        for (index, (set, solutions)) in self.sets.iter().enumerate() {
            let totals =
                solutions.by_mines.iter().zip(&self.weights[index]).filter(|(ways, weight)| **ways * **weight > 0.0);
            let cells = || set.groups.iter().flat_map(|group| &group.cells).map(|&cell| size.cell(cell as usize));
            let inside: std::collections::HashSet<Cell> = cells().collect();
            let is_enclosed = || {
                let around = cells().flat_map(|cell| size.neighbours(cell));
                around.into_iter().all(|near| notes.get(near) != Note::Unknown || inside.contains(&near))
            };
            if totals.count() != 1 || !is_enclosed() {
                continue;
            }
            let risks: Vec<f64> = (0..set.groups.len()).map(|group| self.risk(index, group)).collect();
            let (safest, &risk) = risks.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1))?;
            if risk > 0.0 {
                let cell = set.groups[safest].cells.iter().map(|&cell| size.cell(cell as usize));
                let mut openable = cell.filter(|&cell| notes.board().tile(cell).is_covered());
                let reason = Reason::Guess { risk, kind: GuessKind::CrapsShoot };
                if let Some(cell) = openable.next() {
                    return Some(Decision { open: vec![cell], mines: notes.mines(), reason });
                }
            }
        }
        None
    }

    /// Step 4: notes what all solutions agree on.
    pub fn conclude(&self, notes: &mut Notes) -> Result<(), Impossible> {
        let size = notes.board().size();
        for (index, (set, solutions)) in self.sets.iter().enumerate() {
            for (place, group) in set.groups.iter().enumerate() {
                let note = match self.risk(index, place) {
                    _ if self.weighed(index, &solutions.mined[place]) == 0.0 => Note::Safe,
                    _ if self.weighed(index, &solutions.free[place]) == 0.0 => Note::Mine,
                    _ => continue,
                };
                for &cell in &group.cells {
                    notes.set(size.cell(cell as usize), note)?;
                }
            }
        }
        if self.unconstrained_risk == 0.0 {
            self.unconstrained.iter().try_for_each(|&cell| notes.set(cell, Note::Safe))?;
        }
        Ok(())
    }

    /// Steps 6 and 7.
    pub fn guess(&self, notes: &Notes, seed: u64) -> Decision {
        let board = notes.board();
        let size = board.size();
        let educated = self.risks().filter_map(|(cell, risk)| {
            let cell = size.cell(cell as usize);
            (board.tile(cell).is_covered() && notes.get(cell) == Note::Unknown).then_some((cell, risk))
        });
        let educated = educated.min_by(|a, b| a.1.total_cmp(&b.1));
        let elsewhere = self.unconstrained_choice(notes, seed).map(|cell| (cell, self.unconstrained_risk));
        let (cell, risk, kind) = match (educated, elsewhere) {
            _ if board.is_untouched() => match elsewhere {
                Some((cell, risk)) => (notes.choices().first().copied().unwrap_or(cell), risk, GuessKind::Start),
                None => return notes.nothing(),
            },
            (Some((cell, risk)), other) if other.is_none_or(|(_, other)| other >= risk) => {
                (cell, risk, GuessKind::Educated)
            }
            (_, Some((cell, risk))) => (cell, risk, GuessKind::Unconstrained),
            _ => return notes.nothing(),
        };
        Decision { open: vec![cell], mines: notes.mines(), reason: Reason::Guess { risk, kind } }
    }

    /// The risk of each tile in no set.
    pub fn unconstrained_risk(&self) -> f64 {
        self.unconstrained_risk
    }

    /// The risk of every constrained tile.
    pub fn risks(&self) -> impl Iterator<Item = (u32, f64)> {
        self.sets.iter().enumerate().flat_map(move |(index, (set, _))| {
            set.groups.iter().enumerate().flat_map(move |(place, group)| {
                let risk = self.risk(index, place);
                group.cells.iter().map(move |&cell| (cell, risk))
            })
        })
    }

    /// Step 7: a random corner, else a random tile of the edge, else an inner tile whose number would share the most
    /// tiles with the constraints there are.
    fn unconstrained_choice(&self, notes: &Notes, seed: u64) -> Option<Cell> {
        let board = notes.board();
        let size = board.size();
        let constrained: std::collections::HashSet<u32> = self.risks().map(|(cell, _)| cell).collect();
        let value = |cell: Cell| {
            let across = cell.x == 0 || cell.x + 1 == size.width;
            let down = cell.y == 0 || cell.y + 1 == size.height;
            let shared = size.neighbours(cell).filter(|&near| constrained.contains(&(size.index(near) as u32))).count();
            match (across, down) {
                (true, true) => 100,
                (true, false) | (false, true) => 99,
                (false, false) => shared,
            }
        };
        let choices = || self.unconstrained.iter().copied().filter(|&cell| board.tile(cell).is_covered());
        let best = choices().map(value).max()?;
        draw(&choices().filter(|&cell| value(cell) == best).collect::<Vec<_>>(), &mut lots(seed, board))
    }
}

/// What each total of each set weighs: the sum over the totals of the other sets, times the ways to lay the mines left
/// on `rest` tiles; and the chance of a mine on one of those. Nothing if no totals fit together.
fn weigh(totals: &[&[f64]], rest: usize, left: Option<i64>) -> Option<(Vec<Vec<f64>>, f64)> {
    let most: usize = totals.iter().map(|ways| ways.len().saturating_sub(1)).sum();
    let (most, end) = match left {
        Some(left) if left < 0 => return None,
        Some(left) => (most.min(left as usize), ways_to_lay(rest, left as usize, most.min(left as usize))),
        None => (most, (0..=most).map(|mines| ODDS.powi(mines as i32)).collect()),
    };
    // Ahead: what `used` mines before a set weigh for all that comes after them. Behind: ways to have used them.
    let mut ahead = vec![end];
    for ways in totals.iter().rev() {
        let after = ahead.last().expect("begins with one");
        let sum =
            |used: usize| ways.iter().zip(after.get(used..).unwrap_or(&[])).map(|(way, weight)| way * weight).sum();
        ahead.push(normalised((0..=most).map(sum).collect()));
    }
    ahead.reverse();
    let mut behind = vec![1.0];
    let mut weights = Vec::with_capacity(totals.len());
    for (ways, after) in totals.iter().zip(&ahead[1..]) {
        let sum =
            |mines: usize| behind.iter().zip(after.get(mines..).unwrap_or(&[])).map(|(way, weight)| way * weight).sum();
        weights.push(normalised((0..ways.len()).map(sum).collect()));
        let mut both = vec![0.0; (behind.len() + ways.len() - 1).min(most + 1)];
        for (used, before) in behind.iter().enumerate() {
            both.iter_mut().skip(used).zip(*ways).for_each(|(to, way)| *to += before * way);
        }
        behind = normalised(both);
    }
    let end = &ahead[totals.len()];
    let sum: f64 = behind.iter().zip(end).map(|(way, weight)| way * weight).sum();
    if sum.is_nan() || sum <= 0.0 {
        return None;
    }
    let risk = match left {
        _ if rest == 0 => 1.0,
        None => ODDS / (1.0 + ODDS),
        Some(left) => {
            let mines = behind
                .iter()
                .zip(end)
                .enumerate()
                .map(|(used, (way, weight))| way * weight * (left as f64 - used as f64));
            mines.sum::<f64>() / sum / rest as f64
        }
    };
    Some((weights, risk))
}

/// The mines left for the unconstrained tiles: all but the mean needs of the sets, if all their solutions count alike.
/// Rounded needs may promise more or less than there can be; a mine is never held to be impossible for that.
fn expected_elsewhere(totals: &[&[f64]], weights: &[Vec<f64>], left: i64) -> f64 {
    let mean = |(ways, weights): (&&[f64], &Vec<f64>)| {
        let counts = || ways.iter().zip(weights).map(|(way, weight)| way * weight);
        counts().enumerate().map(|(mines, count)| mines as f64 * count).sum::<f64>() / counts().sum::<f64>()
    };
    (left as f64 - totals.iter().zip(weights).map(mean).sum::<f64>()).max(1e-9)
}

/// C(rest, left - used) for `used` up to `most`, scaled so that the largest is 1.
fn ways_to_lay(rest: usize, left: usize, most: usize) -> Vec<f64> {
    let mut table = Vec::new();
    let log: Vec<f64> = (0..=most)
        .map(|used| match left - used {
            mines if mines <= rest => log_choose(&mut table, rest as i64, mines as i64),
            _ => f64::NEG_INFINITY,
        })
        .collect();
    let largest = log.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    log.iter().map(|&log| if log == f64::NEG_INFINITY { 0.0 } else { (log - largest).exp() }).collect()
}

/// Scaled so that the largest is 1.
fn normalised(mut values: Vec<f64>) -> Vec<f64> {
    let largest = values.iter().copied().fold(0.0, f64::max);
    if largest > 0.0 {
        values.iter_mut().for_each(|value| *value /= largest);
    }
    values
}
