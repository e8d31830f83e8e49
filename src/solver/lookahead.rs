//! Which risk to take: how likely the next openings are to go well after it.
//!
//! The worth of a tile is the chance to open it and some more tiles after it without a loss, the best at every step,
//! over all numbers they can show. A safe tile is an opening like any other: where a position has as many as there are
//! openings left to count, nothing can go wrong; where it has fewer, what they show is looked at, too. With two
//! openings the worth is the safety of the next move, the measure that most players use; three tell candidates apart
//! better, and four better still (`results/solver.md`), as totte174/minesolve found.
//!
//! Two openings are counted first, then more: only for the candidates that came close, and what positions were worth
//! before bounds what they can be worth now.

use super::constraints::{MINE, NONE, Position, SAFE, UNKNOWN};
use super::endgame::{Endgame, Plain};
use super::probability::Engine;
use std::collections::HashMap;
use std::time::Duration;

/// What a search may cost; every field is part of the table of what gained how much.
#[derive(Clone, Debug, PartialEq)]
pub struct Effort {
    /// Endgames of at most so many explanations are searched, not looked ahead in.
    pub explanations: usize,
    /// Up to so many, all ways to go on are searched; beyond, all first moves, and from then on the safest tile is opened.
    pub thorough: usize,
    /// Looks at what a tile shows under one explanation, in the search of one endgame.
    pub looks: usize,
    /// Candidates: tiles whose chance to be safe is at least this share of the highest.
    pub band: f64,
    /// At most so many candidates.
    pub candidates: usize,
    /// Openings counted for the candidates that are best by two.
    pub openings: usize,
    /// So many of those.
    pub deep: usize,
    /// With at most so many explanations (the natural logarithm of their number), the wider and deeper search: one
    /// opening more, and [`WIDE`].
    pub deeper: f64,
    /// At most so many candidates in the positions behind them.
    pub replies: usize,
}

impl Effort {
    /// What fits into `think` for one guess. The clock is not asked, so that a game played again is the same game:
    /// the longest endgame allowed takes about half of `think` on a common machine, the usual guess a hundredth.
    pub fn within(think: Duration) -> Self {
        let share = think.as_secs_f64() / 0.1;
        // A look takes half a nanosecond to one (measured on endgames of 700 to 30,000 explanations).
        let scaled = |usual: f64, least: f64, most: f64| (usual * share).clamp(least, most) as usize;
        Self {
            explanations: scaled(20_000.0, 10.0, 60_000.0),
            thorough: scaled(500.0, 10.0, 20_000.0),
            looks: scaled(100_000_000.0, 100_000.0, 40_000_000_000.0),
            band: if share < 0.01 { 0.97 } else { 0.9 },
            candidates: scaled(1200.0, 2.0, 12.0),
            openings: if share < 0.05 { 2 } else { 3 },
            deep: scaled(6.0, 2.0, 12.0),
            deeper: match share {
                ..0.5 => 0.0,
                ..3.0 => DEEPER,
                _ => f64::INFINITY,
            },
            replies: 6,
        }
    }
}

/// Merged states of a position beyond which it is not looked ahead: 4,000 take about half a millisecond, and there may
/// be a hundred positions to count. Expert positions have 50 on average.
const WIDEST: usize = 4_000;

/// Explanations (logarithm) up to which the wider and deeper search fits into the usual time: 10^50.
const DEEPER: f64 = 115.0;

/// Band and number of the candidates of the wider search.
const WIDE: (f64, usize) = (0.8, 20);

/// The wider search goes on, after two openings and after three, with the candidates whose worth is at least this share of the
/// highest.
const CLOSE: [f64; 2] = [0.85, 0.95];

/// In positions behind a candidate, tiles whose chance to be safe is at least this share of the highest are tried.
const REPLY_BAND: f64 = 0.9;

/// Tiles away from the numbers are alike but for their surroundings: so many of them are candidates, and replies.
const FAR: usize = 4;
const FAR_REPLIES: usize = 2;

/// Looks ahead again and again without new memory.
#[derive(Clone, Debug, Default)]
pub struct Lookahead {
    /// For endgames.
    pub endgame: Endgame,
    /// The positions behind the one in work, each one opening further.
    levels: Vec<Engine>,
    candidates: Vec<Candidate>,
    search: Search,
}

/// A tile that may be opened next.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    tile: u32,
    /// The chance that it is none.
    safe: f64,
    /// Its unknown neighbours.
    degree: u8,
    worth: f64,
}

impl Lookahead {
    /// The tile to risk in the position of `engine`, in which nothing is certain; `None` where one position alone
    /// takes so long that looking ahead would exceed every budget.
    pub fn choose(&mut self, engine: &Engine, openable: impl Fn(u32) -> bool, effort: &Effort) -> Option<u32> {
        if engine.counter.cost() > WIDEST {
            return None;
        }
        let is_wide = engine.log_explanations <= effort.deeper && engine.counter.cost() <= WIDEST / 4;
        let most = effort.openings + usize::from(is_wide);
        self.levels.resize_with(most.max(2), Engine::default);
        let Self { levels, candidates, search, .. } = self;
        search.begin(effort.replies);
        let (band, count) = if is_wide { WIDE } else { (effort.band, effort.candidates) };
        find_candidates(engine, openable, band, count, candidates);
        for openings in 2..=most {
            candidates.sort_by(|a, b| b.worth.total_cmp(&a.worth));
            if openings > 2 && !is_wide {
                candidates.truncate(effort.deep);
            }
            let close = CLOSE.get(openings - 2).filter(|_| is_wide && openings < most).copied().unwrap_or(1.0);
            let mut best = 0.0f64;
            for candidate in &mut *candidates {
                let enough = best * close;
                candidate.worth = if candidate.safe > enough {
                    search.worth(levels, engine, &engine.position, *candidate, openings, enough)
                } else {
                    0.0
                };
                best = best.max(candidate.worth);
            }
            if is_wide {
                candidates.retain(|candidate| candidate.worth >= best * close);
            }
        }
        candidates.iter().rev().max_by(|a, b| a.worth.total_cmp(&b.worth)).map(|best| best.tile)
    }
}

/// A tile of two that hold exactly one mine and that nothing can ever tell apart: every tile still to be opened touches
/// both or neither. To win, one of them must be opened at even odds, sooner or later; what it shows is known sooner now.
/// So no other move is better (exchange the two in every explanation: all other numbers stay as they are).
pub fn even_pair(engine: &Engine, openable: impl Fn(u32) -> bool) -> Option<u32> {
    let (tiles, neighbours) = (&engine.constraints.tiles, &engine.position.neighbours);
    let boxes = engine.constraints.boxes.iter().zip(&engine.counter.tallies);
    let pairs =
        boxes.filter(|(_, tally)| tally.possible == 1 << 1).filter_map(|(boxed, _)| boxed.cells().try_into().ok());
    let is_told_apart = |[one, other]: [u32; 2]| {
        let alone = move |of: u32, not: u32| {
            let others = neighbours.of(not);
            neighbours.of(of).iter().filter(move |tile| **tile != not && !others.contains(tile))
        };
        alone(one, other).chain(alone(other, one)).any(|&tile| matches!(tiles[tile as usize], UNKNOWN | SAFE))
    };
    pairs.filter(|&pair| !is_told_apart(pair)).flatten().find(|&tile| openable(tile))
}

fn find_candidates(engine: &Engine, openable: impl Fn(u32) -> bool, band: f64, most: usize, into: &mut Vec<Candidate>) {
    let tiles = &engine.constraints.tiles;
    let unknown = || (0..tiles.len() as u32).filter(|&tile| tiles[tile as usize] == UNKNOWN && openable(tile));
    let highest = unknown().map(|tile| 1.0 - engine.risk[tile as usize]).fold(0.0, f64::max);
    into.clear();
    for tile in unknown() {
        let safe = 1.0 - engine.risk[tile as usize];
        if safe >= highest * band {
            into.push(candidate(engine, &engine.position, tile, safe));
        }
    }
    keep_best(engine, into, FAR, most);
}

fn candidate(engine: &Engine, position: &Position, tile: u32, safe: f64) -> Candidate {
    let around = position.neighbours.of(tile).iter();
    let degree = around.filter(|&&other| engine.constraints.tiles[other as usize] == UNKNOWN).count() as u8;
    Candidate { tile, safe, degree, worth: 0.0 }
}

/// The safest first, among equals those with the fewest unknown neighbours; `far` away from the numbers, `most` in all.
fn keep_best(engine: &Engine, candidates: &mut Vec<Candidate>, far: usize, most: usize) {
    let rank = |candidate: &Candidate| (candidate.safe * 1e9) as u64;
    candidates.sort_by_key(|candidate| (std::cmp::Reverse(rank(candidate)), candidate.degree));
    let mut seen = 0;
    candidates.retain(|candidate| {
        let is_far = engine.constraints.box_of[candidate.tile as usize] == NONE;
        seen += usize::from(is_far);
        !is_far || seen <= far
    });
    candidates.truncate(most);
}

/// A position met before.
#[derive(Clone, Copy, Debug)]
struct Seen {
    log_explanations: f64,
    /// What it is worth: exactly, or at most.
    value: f64,
    is_exact: bool,
}

/// One search: what was opened on the way, and what was found before.
#[derive(Clone, Debug, Default)]
struct Search {
    replies: usize,
    /// The tiles opened on the way and what they showed, whatever the order.
    key: u64,
    /// By key and the openings left to count.
    known: HashMap<u64, Seen, Plain>,
    /// Memory for the replies of every level.
    lists: Vec<Vec<Candidate>>,
}

impl Search {
    fn begin(&mut self, replies: usize) {
        self.replies = replies;
        self.key = 0;
        self.known.clear();
    }

    /// The chance to open `candidate`, safe or not, and then further tiles, `openings` in all, without a loss. Anything
    /// up to `enough` once more than that is out of reach.
    fn worth(
        &mut self,
        levels: &mut [Engine],
        parent: &Engine,
        position: &Position,
        candidate: Candidate,
        openings: usize,
        enough: f64,
    ) -> f64 {
        let Some((child, deeper)) = levels.split_first_mut() else { return candidate.safe };
        let around = position.neighbours.of(candidate.tile);
        let count = |kind: u8| around.iter().filter(|&&other| parent.constraints.tiles[other as usize] == kind).count();
        let (known, unknown) = (count(MINE) as u8, count(UNKNOWN) as u8);
        let numbers = known..=known + unknown;
        let (mut worth, mut left) = (0.0, candidate.safe);
        // A position is hardly ever worth more than it was with one opening less to count (but for the leaves, where the
        // second best tile counts, too).
        let mut bounds = [None; 9];
        if openings > 3 {
            for number in numbers.clone() {
                let before = self.known.get(&(self.key ^ word(candidate.tile, number) ^ (openings - 1) as u64));
                bounds[usize::from(number)] = before.map(|seen| {
                    let probability = (seen.log_explanations - parent.log_explanations).exp();
                    left -= probability * (1.0 - seen.value);
                    probability * seen.value
                });
            }
        }
        for number in numbers {
            if left < 1e-12 || worth + left <= enough {
                break;
            }
            self.key ^= word(candidate.tile, number);
            let layer = self.key ^ openings as u64;
            let most = |probability: f64| bounds[usize::from(number)].unwrap_or(probability);
            let needed = |probability: f64| (enough - worth - (left - most(probability))) / probability;
            let share = |log_explanations: f64| (log_explanations - parent.log_explanations).exp();
            let seen = self.known.get(&layer);
            let seen = seen.filter(|seen| seen.is_exact || seen.value <= needed(share(seen.log_explanations)));
            let (probability, value) = match seen {
                Some(seen) => (share(seen.log_explanations), seen.value),
                None => {
                    let is_possible = child.solve_opened(parent, position, candidate.tile, number).is_ok();
                    let log_explanations = if is_possible { child.log_explanations } else { f64::NEG_INFINITY };
                    let probability = share(log_explanations);
                    let (mut value, mut seen) = (0.0, Seen { log_explanations, value: 0.0, is_exact: true });
                    if is_possible {
                        let needed = needed(probability);
                        value = self.value(child, deeper, position, openings - 1, needed);
                        seen.is_exact = openings == 2 || value > needed;
                        // A little less, lest rounding makes a move that is no better look better.
                        seen.value = if seen.is_exact { value } else { needed - 1e-9 };
                    }
                    self.known.insert(layer, seen);
                    (probability, value)
                }
            };
            self.key ^= word(candidate.tile, number);
            left -= most(probability);
            worth += probability * value;
        }
        worth
    }

    /// The chance to open `openings` more tiles without a loss; anything up to `enough` if it is not more.
    fn value(
        &mut self,
        engine: &mut Engine,
        deeper: &mut [Engine],
        position: &Position,
        openings: usize,
        enough: f64,
    ) -> f64 {
        if engine.constraints.safe.len() >= openings {
            return 1.0;
        }
        engine.divide();
        let (mut safe, mut first, mut second) = (engine.constraints.safe.len(), 0.0f64, 0.0f64);
        let mut free = engine.constraints.safe.first().copied();
        let mut take = |chance: f64, tile: Option<u32>, tiles: usize| {
            if chance > 1.0 - 1e-12 {
                safe += tiles;
                free = free.or(tile);
            }
            if chance > first {
                (first, second) = (chance, first);
            } else if chance > second {
                second = chance;
            }
        };
        for (boxed, tally) in engine.constraints.boxes.iter().zip(&engine.counter.tallies) {
            let cells = boxed.cells();
            take(1.0 - tally.mines / cells.len() as f64, Some(cells[0]), cells.len());
        }
        if engine.constraints.rest > 0 {
            take(1.0 - engine.rest_risk, None, engine.constraints.rest as usize);
        }
        if safe >= openings {
            return 1.0;
        }
        if let Some(tile) = free {
            let free = Candidate { tile, safe: 1.0, degree: 0, worth: 0.0 };
            return self.worth(deeper, engine, position, free, openings, enough);
        }
        if openings == 1 {
            // Four parts best, one part second best: measured by Hill (JSMinesweeper).
            return 0.8 * first + 0.2 * second;
        }
        if first <= enough {
            return first;
        }
        let mut replies = self.lists.pop().unwrap_or_default();
        find_replies(engine, position, first * REPLY_BAND, self.replies, &mut replies);
        let mut best = 0.0f64;
        for &reply in &replies {
            if reply.safe > best {
                best = best.max(self.worth(deeper, engine, position, reply, openings, best.max(enough)));
            }
        }
        self.lists.push(replies);
        best
    }
}

/// The safest tiles of a position of which only the tallies are known.
fn find_replies(engine: &Engine, position: &Position, least: f64, most: usize, into: &mut Vec<Candidate>) {
    into.clear();
    for (boxed, tally) in engine.constraints.boxes.iter().zip(&engine.counter.tallies) {
        let safe = 1.0 - tally.mines / boxed.cells().len() as f64;
        if safe >= least {
            into.extend(boxed.cells().iter().map(|&tile| candidate(engine, position, tile, safe)));
        }
    }
    let safe = 1.0 - engine.rest_risk;
    if engine.constraints.rest > 0 && safe >= least {
        let constraints = &engine.constraints;
        let far = (0..constraints.tiles.len() as u32)
            .filter(|&tile| constraints.tiles[tile as usize] == UNKNOWN && constraints.box_of[tile as usize] == NONE);
        into.extend(far.map(|tile| candidate(engine, position, tile, safe)));
    }
    keep_best(engine, into, FAR_REPLIES, most);
}

/// A random word for a tile that shows a number (the output function of SplitMix64).
fn word(tile: u32, number: u8) -> u64 {
    let mut z = (u64::from(tile) << 8 | u64::from(number)).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, Tile};
    use crate::game::{Game, Rule, State};
    use crate::geometry::BoardSize;
    use crate::solver::endgame::win_probability;
    use crate::solver::probability::explanations;
    use crate::solver::{Reason, Setup, by_name};

    /// The chance of winning if `tile` is opened next.
    fn win_after(board: &Board, tile: usize) -> f64 {
        let ways = |board: &Board| explanations(board).unwrap().to_string().parse::<f64>().unwrap();
        let after = (0..=8).filter_map(|number| {
            let mut tiles = board.tiles().to_vec();
            tiles[tile] = Tile::Open(number);
            let next = Board::new(board.size(), board.mines(), tiles).ok()?;
            (ways(&next) > 0.0).then(|| ways(&next) * win_probability(&next).unwrap().unwrap())
        });
        after.sum::<f64>() / ways(board)
    }

    #[test]
    fn nothing_is_better_than_a_pair_that_nothing_tells_apart() {
        let size = BoardSize::new(6, 5);
        let player = by_name("lowest-risk", &Setup::default()).unwrap();
        let (mut engine, mut seen) = (Engine::default(), 0);
        for seed in 0..400 {
            let mut game = Game::deal(size, 8, Rule::Safe, seed).unwrap();
            while game.state() == State::Playing {
                let decision = player.decide(game.board()).unwrap();
                if decision.reason != Reason::Certain && !game.board().is_untouched() {
                    engine.position.read(game.board());
                    engine.constraints.conclude(&engine.position).unwrap();
                    engine.solve().unwrap();
                    let few = engine.log_explanations < 300f64.ln();
                    if let Some(tile) = even_pair(&engine, |_| true).filter(|_| few) {
                        let (win, best) = (win_after(game.board(), tile as usize), win_probability(game.board()));
                        let best = best.unwrap().unwrap();
                        assert!((win - best).abs() < 1e-9, "{win}, not {best}, for {tile} on\n{}", game.board());
                        seen += 1;
                    }
                }
                decision.open.into_iter().for_each(|cell| _ = game.open(cell));
            }
        }
        assert!(seen > 20, "{seen} positions");
    }
}
