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
use super::endgame::{Endgame, Limits};
use super::probability::{Engine, Numbers, Shown};
use super::sets::Found;
use std::time::Duration;

/// What a search may cost; every field is part of the table of what gained how much.
#[derive(Clone, Debug, PartialEq)]
pub struct Effort {
    /// Endgames within these limits are searched, not looked ahead in.
    pub endgame: Limits,
    /// Work that is done before a look-ahead ends with what it has found so far, in merged states; reading a position counts
    /// as a state for every eight tiles. So the time of a guess has a bound that does not depend on the machine, whatever
    /// the board: a state takes about 0.1 microseconds.
    pub work: usize,
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
    /// Deals played on behind the choice of looking ahead and behind others ([`play_on`](super::play_on)), on a board of
    /// expert; none below twice the usual time.
    pub deals: usize,
}

impl Effort {
    /// What fits into `think` for one guess. The clock is not asked, so that a game played again is the same game:
    /// the longest endgame allowed takes about half of `think` on a common machine, the usual guess a hundredth.
    pub fn within(think: Duration) -> Self {
        let share = think.as_secs_f64() / 0.1;
        // A look takes half a nanosecond to one (measured on endgames of 700 to 30,000 explanations).
        let scaled = |usual: f64, least: f64, most: f64| (usual * share).clamp(least, most) as usize;
        Self {
            endgame: Limits {
                explanations: scaled(20_000.0, 10.0, 1_000_000.0),
                thorough: scaled(500.0, 10.0, 20_000.0),
                looks: scaled(100_000_000.0, 100_000.0, 10_000_000_000.0),
            },
            work: scaled(600_000.0, 20_000.0, 60_000_000.0),
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
            // A deal takes about a millisecond at expert, for six tiles that all stay in play; half of the deals are spared. Fewer than a
            // hundred gain nothing (`results/solver.md`, "Playing on").
            deals: if share < 2.0 { 0 } else { scaled(80.0, 0.0, 8000.0) },
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

/// Worths that differ by less are equal: the same sum in another order. Among equals the first candidate is taken.
const TIE: f64 = 1e-9;

/// Tiles away from the numbers are alike but for their surroundings: so many of them are candidates, and replies.
const FAR: usize = 4;
const FAR_REPLIES: usize = 2;

/// Where the choice is away from the numbers, all tiles that touch one next to a number are looked at, too: those of them that are better by two
/// openings, at most so many, by as many openings as the choice.
const BESIDE: usize = 3;

/// One of them is taken if it is worth so many times what the choice is. The choice is mostly a corner or an edge, which opens more often than
/// others; that is worth about a hundredth which the next few openings do not show (`results/solver.md`, "Tiles beside those next to numbers").
const AHEAD: f64 = 1.02;

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
    /// The share of the explanations in which it is none.
    safe: f64,
    /// How much likelier it is to be safe than that ([`Engine::leaning`]).
    lean: f64,
    /// Its unknown neighbours.
    degree: u8,
    worth: f64,
}

impl Candidate {
    /// The chance that it is no mine.
    fn chance(&self) -> f64 {
        self.safe * self.lean
    }

    /// The higher the safer.
    fn rank(&self) -> u64 {
        (self.chance() * 1e9) as u64
    }
}

impl Lookahead {
    /// The tile to risk in the position of `engine`, in which nothing is certain; `None` where one position alone
    /// takes so long that looking ahead would exceed every budget.
    pub fn choose(&mut self, engine: &mut Engine, openable: impl Fn(u32) -> bool, effort: &Effort) -> Option<u32> {
        let (best, by_two) = self.best(engine, &openable, effort)?;
        let is_far = engine.constraints.box_of[best.tile as usize] == NONE;
        let looks_beside = is_far && effort.openings > 2 && !is_wide(engine, effort) && !self.search.is_spent();
        Some(if looks_beside { self.beside(engine, openable, best, by_two, effort.openings) } else { best.tile })
    }

    /// The best of the candidates, and the highest worth of all by two openings.
    fn best(
        &mut self,
        engine: &mut Engine,
        openable: impl Fn(u32) -> bool,
        effort: &Effort,
    ) -> Option<(Candidate, f64)> {
        if engine.counter.cost() > WIDEST {
            return None;
        }
        engine.chain();
        let engine = &*engine;
        let is_wide = is_wide(engine, effort);
        let mut by_two = 0.0;
        let most = effort.openings + usize::from(is_wide);
        self.levels.resize_with(most.saturating_sub(2), Engine::default);
        let Self { levels, candidates, search, .. } = self;
        search.begin(effort.replies, effort.work);
        let (band, count) = if is_wide { WIDE } else { (effort.band, effort.candidates) };
        find_candidates(engine, openable, band, count, candidates);
        for openings in 2..=most {
            candidates.sort_by(|a, b| b.worth.total_cmp(&a.worth));
            let goes_on = openings < most;
            // Those that go on must all be known, not only the best.
            let leading = if goes_on && !is_wide { effort.deep } else { 1 };
            let close = CLOSE.get(openings - 2).filter(|_| is_wide && goes_on).copied().unwrap_or(1.0);
            let mut leaders = Leaders::new(leading, close);
            for candidate in &mut *candidates {
                let enough = leaders.enough();
                let worth = if candidate.chance() > enough {
                    let even =
                        search.worth(levels, engine, &engine.position, *candidate, openings, enough / candidate.lean);
                    even * candidate.lean
                } else {
                    candidate.chance()
                };
                if search.is_spent() {
                    break;
                }
                candidate.worth = (worth / TIE).round() * TIE;
                leaders.add(candidate.worth);
            }
            if search.is_spent() {
                break;
            }
            if openings == 2 {
                by_two = leaders.highest.first().copied().unwrap_or(0.0);
            }
            let enough = leaders.enough();
            if goes_on && is_wide {
                candidates.retain(|candidate| candidate.worth >= enough);
            } else if goes_on {
                candidates.sort_by(|a, b| b.worth.total_cmp(&a.worth));
                candidates.truncate(effort.deep);
            }
        }
        candidates.iter().rev().max_by(|a, b| a.worth.total_cmp(&b.worth)).map(|&best| (best, by_two))
    }

    /// `chosen`, away from the numbers and the best by so many openings, or a tile that touches one next to a number and is worth more by
    /// [`AHEAD`]. Only those that are better by two openings than all candidates were are looked at further.
    fn beside(
        &mut self,
        engine: &Engine,
        openable: impl Fn(u32) -> bool,
        chosen: Candidate,
        by_two: f64,
        openings: usize,
    ) -> u32 {
        let Self { levels, candidates, search, .. } = self;
        let (position, constraints) = (&engine.position, &engine.constraints);
        let is_unknown = |tile: u32| constraints.tiles[tile as usize] == UNKNOWN;
        let is_far = |tile: u32| constraints.box_of[tile as usize] == NONE;
        let is_beside =
            |tile: u32| position.neighbours.of(tile).iter().any(|&other| is_unknown(other) && !is_far(other));
        let tiles = 0..constraints.tiles.len() as u32;
        let tiles = tiles.filter(|&tile| is_unknown(tile) && is_far(tile) && is_beside(tile) && openable(tile));
        let is_new = |tile: &u32| candidates.iter().all(|candidate| candidate.tile != *tile);
        let mut better: Vec<Candidate> = Vec::new();
        for tile in tiles.filter(is_new) {
            let lean = engine.leaning(tile);
            let safe = (1.0 - engine.risk[tile as usize]) / lean;
            let mut other = Candidate { lean, ..candidate(engine, position, tile, safe) };
            other.worth = lean * search.worth(levels, engine, position, other, 2, 0.0);
            if search.is_spent() {
                return chosen.tile;
            }
            if other.worth > by_two {
                better.push(other);
            }
        }
        better.sort_by(|one, other| other.worth.total_cmp(&one.worth));
        let (mut best, mut enough) = (chosen.tile, chosen.worth * AHEAD);
        for &other in better.iter().take(BESIDE) {
            let worth = other.lean * search.worth(levels, engine, position, other, openings, enough / other.lean);
            if search.is_spent() {
                break;
            }
            if worth > enough {
                (best, enough) = (other.tile, worth);
            }
        }
        best
    }
}

/// Whether there are so few explanations that the wider and deeper search is taken.
fn is_wide(engine: &Engine, effort: &Effort) -> bool {
    engine.log_explanations <= effort.deeper && engine.counter.cost() <= WIDEST / 4
}

/// The highest worths so far, and what is enough to be left out.
struct Leaders {
    highest: Vec<f64>,
    count: usize,
    close: f64,
}

impl Leaders {
    /// What is not among the `count` highest is left out, and what is worth less than this share of the lowest of them.
    fn new(count: usize, close: f64) -> Self {
        Self { highest: Vec::with_capacity(count + 1), count, close }
    }

    fn add(&mut self, worth: f64) {
        let place = self.highest.partition_point(|other| *other >= worth);
        self.highest.insert(place, worth);
        self.highest.truncate(self.count);
    }

    /// Candidates that are not worth more are left out.
    fn enough(&self) -> f64 {
        self.highest.get(self.count - 1).map_or(0.0, |lowest| lowest * self.close)
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
            let lean = engine.leaning(tile);
            into.push(Candidate { lean, ..candidate(engine, &engine.position, tile, safe / lean) });
        }
    }
    keep_best(engine, into, FAR, most);
}

fn candidate(engine: &Engine, position: &Position, tile: u32, safe: f64) -> Candidate {
    let around = position.neighbours.of(tile).iter();
    let degree = around.filter(|&&other| engine.constraints.tiles[other as usize] == UNKNOWN).count() as u8;
    Candidate { tile, safe, lean: 1.0, degree, worth: 0.0 }
}

/// The safest first, among equals those with the fewest unknown neighbours; `far` away from the numbers, `most` in all.
fn keep_best(engine: &Engine, candidates: &mut Vec<Candidate>, far: usize, most: usize) {
    candidates.sort_by_key(|candidate| (std::cmp::Reverse(candidate.rank()), candidate.degree));
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
    /// What it is worth: exactly, or at most.
    value: f64,
    is_exact: bool,
}

/// One search: what was opened on the way, and what was found before.
#[derive(Clone, Debug, Default)]
struct Search {
    replies: usize,
    /// Work that is left; see [`Effort::work`].
    work_left: usize,
    /// The tiles opened on the way and what they showed, whatever the order.
    key: u64,
    numbers: Numbers,
    /// By key and the openings left to count.
    known: Found<u64, Seen>,
    /// Memory for the replies of every level.
    lists: Vec<Vec<Candidate>>,
}

impl Search {
    fn begin(&mut self, replies: usize, work: usize) {
        (self.replies, self.work_left) = (replies, work);
        self.key = 0;
        self.known.clear();
    }

    /// Whether all work that was allowed is done; then nothing found since says anything.
    fn is_spent(&self) -> bool {
        self.work_left == 0
    }

    /// The chance to open `candidate`, safe or not, and then further tiles, `openings` in all, without a loss: exactly, if
    /// more than `enough`; else at most what is returned, which is not more than `enough`.
    fn worth(
        &mut self,
        levels: &mut [Engine],
        parent: &Engine,
        position: &Position,
        candidate: Candidate,
        openings: usize,
        enough: f64,
    ) -> f64 {
        let constraints = &parent.constraints;
        let around = position.neighbours.of(candidate.tile).iter();
        let known = around.filter(|&&other| constraints.tiles[other as usize] == MINE).count() as u8;
        // Certain moves that are left over are certain still.
        let is_sure = constraints.safe.iter().any(|&tile| tile != candidate.tile);
        let all_shown = self.numbers.of(parent, position, candidate.tile);
        self.work_left = self.work_left.saturating_sub(parent.counter.cost());
        let is_safe = |shown: &Shown| is_sure || shown.safest > 1.0 - 1e-12;
        if openings == 2 {
            // Four parts best, one part second best: measured by Hill (JSMinesweeper).
            let value = |shown: &Shown| if is_safe(shown) { 1.0 } else { 0.8 * shown.safest + 0.2 * shown.second };
            return all_shown.iter().map(|shown| shown.chance * value(shown)).sum();
        }
        let Some((child, deeper)) = levels.split_first_mut() else { return candidate.safe };
        // No position is worth more than its safest tile is safe, and hardly ever more than it was with one opening less to
        // count (but for the leaves, where the second best tile counts, too).
        let most = all_shown.map(|shown| shown.chance * if is_safe(&shown) { 1.0 } else { shown.safest });
        let key = |number: u8| self.key ^ word(candidate.tile, known + number);
        let bounds: [f64; 9] = std::array::from_fn(|number| {
            let before = self.known.get(&(key(number as u8) ^ (openings - 1) as u64)).filter(|_| openings > 3);
            before.map_or(most[number], |seen| most[number].min(all_shown[number].chance * seen.value))
        });
        let (mut worth, mut left) = (0.0, bounds.iter().sum::<f64>());
        for number in 0..9u8 {
            let (chance, bound) = (all_shown[usize::from(number)].chance, bounds[usize::from(number)]);
            if chance == 0.0 {
                continue;
            }
            if left < 1e-12 || self.is_spent() {
                break;
            }
            if worth + left <= enough {
                return worth + left;
            }
            left -= bound;
            let needed = (enough - worth - left) / chance;
            self.key ^= word(candidate.tile, known + number);
            let layer = self.key ^ openings as u64;
            let seen = self.known.get(&layer).filter(|seen| seen.is_exact || seen.value <= needed);
            worth += chance
                * match seen {
                    Some(seen) => seen.value,
                    None => {
                        let is_possible = child.solve_opened(parent, position, candidate.tile, known + number).is_ok();
                        self.work_left = self.work_left.saturating_sub(child.counter.cost() + position.tiles.len() / 8);
                        let (mut value, mut seen) = (0.0, Seen { value: 0.0, is_exact: true });
                        if is_possible {
                            value = self.value(child, deeper, position, openings - 1, needed);
                            seen.is_exact = value > needed;
                            // A little less, lest rounding makes a move that is no better look better.
                            seen.value = if seen.is_exact { value } else { needed - 1e-9 };
                        }
                        if !self.is_spent() {
                            self.known.insert(layer, seen);
                        }
                        value
                    }
                };
            self.key ^= word(candidate.tile, known + number);
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
        let (mut safe, mut first) = (engine.constraints.safe.len(), 0.0f64);
        let mut free = engine.constraints.safe.first().copied();
        let mut take = |chance: f64, tile: Option<u32>, tiles: usize| {
            if chance > 1.0 - 1e-12 {
                safe += tiles;
                free = free.or(tile);
            }
            first = first.max(chance);
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
            let free = Candidate { tile, safe: 1.0, lean: 1.0, degree: 0, worth: 0.0 };
            engine.chain();
            return self.worth(deeper, engine, position, free, openings, enough);
        }
        if first <= enough {
            return first;
        }
        engine.chain();
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
    let far = Candidate { tile: NONE, safe, lean: 1.0, degree: 0, worth: 0.0 };
    let is_among_best = || into.iter().filter(|other| other.rank() > far.rank()).count() < most;
    if engine.constraints.rest > 0 && safe >= least && is_among_best() {
        let constraints = &engine.constraints;
        let tiles = (0u32..).zip(constraints.tiles.iter().zip(&constraints.box_of));
        let begin = into.len();
        for (tile, _) in tiles.filter(|(_, (known, boxed))| **known == UNKNOWN && **boxed == NONE) {
            let far = candidate(engine, position, tile, safe);
            // Only these few are kept: there may be hundreds to be sorted.
            let is_full = into.len() == begin + FAR_REPLIES;
            if is_full && into.last().is_some_and(|last| last.degree <= far.degree) {
                continue;
            }
            let place = begin + into[begin..].partition_point(|other| other.degree <= far.degree);
            into.insert(place, far);
            into.truncate(begin + FAR_REPLIES);
        }
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
            (ways(&next) > 0.0).then(|| ways(&next) * win_probability(&next, Rule::Safe).unwrap().unwrap())
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
                        let (win, best) =
                            (win_after(game.board(), tile as usize), win_probability(game.board(), Rule::Safe));
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

    /// Positions of expert games in which nothing is certain, and of which many explanations are left.
    fn guesses(size: BoardSize, mines: u32, seeds: std::ops::Range<u64>) -> Vec<Board> {
        let player = by_name("lowest-risk", &Setup::default()).unwrap();
        let mut boards = Vec::new();
        for seed in seeds {
            let mut game = Game::deal(size, mines, Rule::Zero, seed).unwrap();
            game.open((3, 3).into());
            while game.state() == State::Playing {
                let decision = player.decide(game.board()).unwrap();
                if decision.reason != Reason::Certain {
                    boards.push(game.board().clone());
                }
                decision.open.into_iter().for_each(|cell| _ = game.open(cell));
            }
        }
        boards
    }

    /// The exact worth of every candidate by so many openings, with nothing cut off.
    fn worths(engine: &Engine, effort: &Effort, openings: usize) -> Vec<(u32, f64)> {
        let (mut levels, mut search, mut candidates) = (vec![Engine::default(); openings], Search::default(), vec![]);
        find_candidates(engine, |_| true, effort.band, effort.candidates, &mut candidates);
        let worth = |&candidate: &Candidate| {
            search.begin(effort.replies, usize::MAX);
            (candidate.tile, search.worth(&mut levels, engine, &engine.position, candidate, openings, -1.0))
        };
        candidates.iter().map(worth).collect()
    }

    #[test]
    fn the_best_by_two_openings_go_on_to_three() {
        // Few go on, so that it matters which.
        let effort = Effort { deep: 2, deeper: 0.0, ..Effort::within(Duration::from_millis(100)) };
        let mut told = 0;
        for board in guesses(BoardSize::new(30, 16), 99, 0..40) {
            let mut engine = Engine::chained(&board);
            if engine.log_explanations < 20.0 {
                continue;
            }
            let mut by_two = worths(&engine, &effort, 2);
            by_two.sort_by(|one, other| other.1.total_cmp(&one.1));
            if by_two.len() <= effort.deep || by_two[1].1 - by_two[2].1 < 1e-6 {
                continue;
            }
            let by_three = worths(&engine, &effort, 3);
            let of = |tile: u32| by_three.iter().find(|(other, _)| *other == tile).unwrap().1;
            let expected = by_two[..effort.deep].iter().map(|(tile, _)| of(*tile)).fold(0.0, f64::max);
            let chosen = Lookahead::default().best(&mut engine, |_| true, &effort).unwrap().0.tile;
            assert!((of(chosen) - expected).abs() < 1e-6, "{} for {expected}\n{board}", of(chosen));
            told += 1;
        }
        assert!(told > 20, "{told}");
    }

    #[test]
    fn a_tile_beside_those_next_to_numbers_is_taken_where_it_is_ahead() {
        let effort = Effort::within(Duration::from_millis(100));
        let player = by_name("best", &Setup::default()).unwrap();
        let (mut stayed, mut taken) = (0, 0);
        for seed in 0..300 {
            let mut game = Game::deal(BoardSize::new(30, 16), 99, Rule::Safe, seed).unwrap();
            while game.state() == State::Playing {
                let decision = player.decide(game.board()).unwrap();
                if decision.reason != Reason::Certain && !game.board().is_untouched() {
                    match taken_beside(game.board(), &effort) {
                        true => taken += 1,
                        false => stayed += 1,
                    }
                }
                decision.open.into_iter().for_each(|cell| _ = game.open(cell));
            }
        }
        assert!(stayed > 100 && taken > 3, "{stayed} {taken}");
    }

    /// Whether another tile than the best of the candidates is taken; then it is one that may be, and as far ahead as it must be.
    fn taken_beside(board: &Board, effort: &Effort) -> bool {
        let mut engine = Engine::chained(board);
        let (best, _) = Lookahead::default().best(&mut engine, |_| true, effort).unwrap();
        let chosen = Lookahead::default().choose(&mut engine, |_| true, effort).unwrap();
        if chosen == best.tile {
            return false;
        }
        let is_far = |tile: u32| engine.constraints.box_of[tile as usize] == NONE;
        let mut around = engine.position.neighbours.of(chosen).iter();
        assert!(is_far(best.tile) && is_far(chosen) && around.any(|tile| !is_far(*tile)), "{board}");
        let (mut levels, mut search) = (vec![Engine::default(); 3], Search::default());
        search.begin(effort.replies, usize::MAX);
        let other = candidate(&engine, &engine.position, chosen, 1.0 - engine.risk[chosen as usize]);
        let worth = search.worth(&mut levels, &engine, &engine.position, other, effort.openings, -1.0);
        let all = worths(&engine, effort, effort.openings);
        let of_best = all.iter().find(|(tile, _)| *tile == best.tile).unwrap().1;
        assert!(worth > AHEAD * of_best - 1e-6, "{worth} for {of_best}\n{board}");
        true
    }

    #[test]
    fn a_guess_has_an_end_whatever_the_board() {
        let usual = Effort::within(Duration::from_millis(100));
        let mut lookahead = Lookahead::default();
        for board in guesses(BoardSize::new(30, 16), 99, 0..5) {
            lookahead.choose(&mut Engine::chained(&board), |_| true, &usual);
            assert!(!lookahead.search.is_spent(), "more work than a common guess may need:\n{board}");
        }
        // Less than it takes to look at every candidate once.
        let board = guesses(BoardSize::new(150, 150), 3800, 0..1).pop().unwrap();
        let mut engine = Engine::chained(&board);
        let little = Effort { work: 3 * engine.counter.cost(), ..usual };
        let chosen = lookahead.choose(&mut engine, |_| true, &little);
        assert!(lookahead.search.is_spent() && (chosen.is_some() || engine.counter.cost() > WIDEST));
    }
}
