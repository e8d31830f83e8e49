//! Which risk to take: what each candidate is worth, from the numbers it can show.

use super::constraints::{MINE, NONE, UNKNOWN};
use super::endgame::Endgame;
use super::probability::Engine;
use std::time::Duration;

/// What a search may cost and how it weighs; every field is part of the table of what gained how much.
#[derive(Clone, Debug, PartialEq)]
pub struct Effort {
    /// Endgames of at most so many explanations are searched to the end.
    pub explanations: usize,
    /// Sets of explanations searched for one endgame.
    pub steps: usize,
    /// Candidates: tiles whose chance to be safe is at least this share of the highest.
    pub band: f64,
    /// At most so many candidates.
    pub candidates: usize,
    /// Endgames met in the look-ahead with at most so many explanations are searched.
    pub leaf_explanations: usize,
}

impl Effort {
    /// What fits into `think` for one guess. The clock is not asked, so that a game played again is the same game:
    /// the longest endgame allowed takes about `think` on a common machine, the usual one a hundredth of it.
    pub fn within(think: Duration) -> Self {
        let share = think.as_secs_f64() / 0.1;
        // A set of explanations takes 1 to 5 microseconds; 800 explanations rarely need 20,000 sets.
        let scaled = |usual: f64, least: f64, most: f64| (usual * share).clamp(least, most) as usize;
        Self {
            explanations: scaled(800.0, 10.0, 20_000.0),
            steps: scaled(20_000.0, 50.0, 20_000_000.0),
            band: if share < 0.01 { 0.97 } else { 0.9 },
            candidates: scaled(1200.0, 2.0, 12.0),
            leaf_explanations: scaled(300.0, 1.0, 30.0),
        }
    }
}

/// Merged states of a position beyond which it is not looked ahead: 4,000 take about half a millisecond, and there may
/// be a hundred positions to count. Expert positions have 50 on average.
const WIDEST: usize = 4_000;

/// Looks ahead again and again without new memory.
#[derive(Clone, Debug, Default)]
pub struct Lookahead {
    child: Engine,
    /// For endgames.
    pub endgame: Endgame,
    candidates: Vec<Candidate>,
}

#[derive(Clone, Copy, Debug)]
struct Candidate {
    tile: u32,
    safe: f64,
    worth: f64,
    degree: u8,
}

impl Lookahead {
    /// The tile to risk in the position of `engine`, in which nothing is certain; `None` where one position alone
    /// takes so long that looking ahead would exceed every budget.
    pub fn choose(&mut self, engine: &Engine, openable: impl Fn(u32) -> bool, effort: &Effort) -> Option<u32> {
        if engine.counter.cost() > WIDEST {
            return None;
        }
        self.find_candidates(engine, openable, effort);
        let mut candidates = std::mem::take(&mut self.candidates);
        let mut best: Option<Candidate> = None;
        for candidate in &mut candidates {
            if best.is_some_and(|best| candidate.safe <= best.worth) {
                continue;
            }
            candidate.worth = self.worth(engine, candidate, best.map_or(0.0, |best| best.worth), effort);
            if best.is_none_or(|best| candidate.worth > best.worth) {
                best = Some(*candidate);
            }
        }
        self.candidates = candidates;
        best.map(|best| best.tile)
    }

    fn find_candidates(&mut self, engine: &Engine, openable: impl Fn(u32) -> bool, effort: &Effort) {
        let tiles = &engine.constraints.tiles;
        let unknown = || (0..tiles.len() as u32).filter(|&tile| tiles[tile as usize] == UNKNOWN && openable(tile));
        let highest = unknown().map(|tile| 1.0 - engine.risk[tile as usize]).fold(0.0, f64::max);
        self.candidates.clear();
        for tile in unknown() {
            let safe = 1.0 - engine.risk[tile as usize];
            if safe >= highest * effort.band {
                let around = engine.position.neighbours.of(tile);
                let degree = around.iter().filter(|&&other| tiles[other as usize] == UNKNOWN).count() as u8;
                self.candidates.push(Candidate { tile, safe, worth: 0.0, degree });
            }
        }
        // Away from the numbers all tiles are alike but for their surroundings; a few of them will do.
        let rank = |candidate: &Candidate| (candidate.safe * 1e9) as u64;
        self.candidates.sort_by_key(|candidate| (std::cmp::Reverse(rank(candidate)), candidate.degree));
        let mut far = 0;
        self.candidates.retain(|candidate| {
            far += usize::from(engine.constraints.box_of[candidate.tile as usize] == NONE);
            engine.constraints.box_of[candidate.tile as usize] != NONE || far <= 4
        });
        self.candidates.truncate(effort.candidates);
    }

    /// What is to be expected after opening a tile: the sum over the numbers it can show.
    fn worth(&mut self, engine: &Engine, candidate: &Candidate, enough: f64, effort: &Effort) -> f64 {
        let around = engine.position.neighbours.of(candidate.tile);
        let tiles = &engine.constraints.tiles;
        let known = around.iter().filter(|&&other| tiles[other as usize] == MINE).count() as u8;
        let unknown = around.iter().filter(|&&other| tiles[other as usize] == UNKNOWN).count() as u8;
        let (mut worth, mut left) = (0.0, candidate.safe);
        for number in known..=known + unknown {
            if left < 1e-12 || worth + left <= enough {
                break;
            }
            if self.child.solve_opened(engine, candidate.tile, number).is_err() {
                continue;
            }
            let probability = (self.child.log_explanations - engine.log_explanations).exp();
            left -= probability;
            worth += probability * self.value(engine, effort);
        }
        worth
    }

    /// What the position in `child` is worth.
    fn value(&mut self, engine: &Engine, effort: &Effort) -> f64 {
        let child = &mut self.child;
        if child.log_explanations < (effort.leaf_explanations as f64).ln() {
            child.divide();
            if let Some(worth) = self.endgame.search(child, &engine.position, effort.leaf_explanations, effort.steps) {
                return worth.win;
            }
        }
        if !child.constraints.safe.is_empty() {
            return 1.0;
        }
        child.divide();
        let (mut first, mut second) = (0.0f64, 0.0f64);
        let mut take = |safe: f64| {
            if safe > first {
                second = first;
                first = safe;
            } else if safe > second {
                second = safe;
            }
        };
        for (boxed, tally) in child.constraints.boxes.iter().zip(&child.counter.tallies) {
            let tiles = boxed.cells().len();
            take(1.0 - tally.mines / tiles as f64);
        }
        if child.constraints.rest > 0 {
            take(1.0 - child.rest_risk);
        }
        // Four parts best, one part second best: measured by Hill (JSMinesweeper).
        if first > 1.0 - 1e-12 { 1.0 } else { 0.8 * first + 0.2 * second }
    }
}
