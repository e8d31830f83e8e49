//! Exact play by the graph of positions: what a position is worth under best play, or under greedy play.
//!
//! Nakov & Wei (sections 7-9) show that the game is a Markov decision problem over positions, without cycles because
//! every move opens a tile, so one backward pass over the graph of positions finds every value. Their ways to cut the
//! graph are all here, in one form: a position is the *set of its explanations* over the tiles that are not certain.
//! Sure tiles are opened at once (9.4), mines that are certain drop out (9.5), so do numbers that tell nothing any
//! more, and positions that leave the same explanations are one node, however they came about (9.1, 9.6, 9.7).

mod census;
mod deals;
mod follow;
mod improve;
mod position;
mod symmetry;

use crate::board::Board;
use crate::game::Rule;
use crate::geometry::Cell;
use crate::solver::sets::{Found, ODD, spread};

pub use super::best_play::BeyondReach;
pub use census::{Census, census};
use deals::{BestPlay, Deals};
pub use follow::{FollowError, Followed, Mistake, follow};
pub use improve::{Improved, improve};
use position::Tiles;
pub use position::{Deal, Position, Reach};
use symmetry::Turn;
pub use symmetry::images;

/// What a player is after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// To win: a value is a chance of winning.
    Win,
    /// To open as many tiles as possible before a mine: a value is an expected number of tiles. This is the shaped
    /// reward of Nakov & Wei (section 7), and the "state value" of their tables.
    Moves,
}

/// How a player chooses; both open what is certainly safe first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Play {
    /// Whatever serves the goal best.
    Optimal,
    /// The tile with the lowest risk, any of them with the same chance (Nakov & Wei, section 6).
    Greedy,
}

/// The graph of positions, as far as it has been walked. Values are remembered by set of explanations.
pub struct Graph {
    goal: Goal,
    play: Play,
    tiles: Tiles,
    /// The symmetries of a small board; none on others.
    turns: Vec<Turn>,
    /// The value of every node, times its weight.
    values: Found<u128, f64>,
    /// Work that may still be done for this position.
    work_left: usize,
    /// Room to sort deals in.
    sorted: Vec<(u8, Deal)>,
    /// The search for the most wins; the other goals and players are followed by `values`.
    best_play: Option<BestPlay>,
}

/// A position and its moves, weighed.
#[derive(Clone, Debug, PartialEq)]
pub struct Worth {
    /// What the position is worth to the player: a chance of winning, or a number of tiles.
    pub value: f64,
    /// Every move that was weighed, in the order of the tiles. Where tiles are certainly safe the others are not
    /// weighed against them: opening the safe ones costs nothing (Nakov & Wei, theorem 8.1).
    pub moves: Vec<Move>,
    /// Deals won, and all deals, where the value is a chance of winning found by search: the value as a fraction.
    pub of_deals: Option<(u64, u64)>,
}

/// A tile to open.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Move {
    /// Where.
    pub cell: Cell,
    /// The chance of a mine, 0..1.
    pub risk: f64,
    /// What the position is worth if it is played, mines and all.
    pub value: f64,
}

/// What an untouched board is worth under best play, as a fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Optimum {
    /// A first click that is worth most.
    pub cell: Cell,
    /// The deals that are won.
    pub wins: u64,
    /// All deals that the rule of the first click can make there.
    pub deals: u64,
    /// Sets of deals that were searched.
    pub sets: usize,
}

/// The optimum of an untouched board whose first click follows `rule`, exactly.
///
/// # Errors
/// More work than is in reach.
pub fn optimum(board: &Board, rule: Rule, reach: Reach) -> Result<Optimum, BeyondReach> {
    let mut graph = Graph::new(Goal::Win, Play::Optimal);
    let mut best: Option<Optimum> = None;
    let size = board.size();
    for cell in size.cells() {
        // A board looks the same from all its corners, unless the mines move to the first free tile.
        if rule != Rule::Windows && images(size, cell).any(|image| size.index(image) < size.index(cell)) {
            continue;
        }
        let position = Position::at_first_click(board, rule, cell, reach)?;
        let Some(tile) = position.tiles.cells.iter().position(|&other| other == cell) else { continue };
        graph.enter(&position, reach);
        let all = weight_of(&position.deals) as u64;
        // Only what wins a larger share is of interest.
        let share = |best: Optimum| u128::from(best.wins) * u128::from(all) / u128::from(best.deals.max(1));
        let enough = best.map_or(0, |best| share(best) as u64);
        let Some(best_play) = &mut graph.best_play else { continue };
        let Position { deals, covered, .. } = position;
        let wins = best_play.won_after(deals, covered, tile, enough)?;
        let sets = best_play.len();
        match &mut best {
            Some(best) if wins <= enough => best.sets = sets,
            _ => best = Some(Optimum { cell, wins, deals: all, sets }),
        }
    }
    best.ok_or(BeyondReach)
}

impl Worth {
    /// The moves worth most.
    pub fn best(&self) -> impl Iterator<Item = &Move> {
        let most = self.moves.iter().map(|play| play.value).fold(0.0, f64::max);
        self.moves.iter().filter(move |play| play.value >= most - 1e-12)
    }
}

impl Graph {
    /// An empty graph.
    pub fn new(goal: Goal, play: Play) -> Self {
        let (tiles, turns, values, sorted) = (Tiles::default(), Vec::new(), Found::default(), Vec::new());
        let best_play = (goal == Goal::Win && play == Play::Optimal).then(|| BestPlay::new(Deals::default()));
        Self { goal, play, tiles, turns, values, work_left: 0, sorted, best_play }
    }

    /// What `position` is worth, and every move in it.
    ///
    /// # Errors
    /// More work than is in reach.
    pub fn worth(&mut self, position: &Position, reach: Reach) -> Result<Worth, BeyondReach> {
        self.enter(position, reach);
        let mut deals = position.deals.clone();
        let total = weight_of(&deals).max(1.0);
        let value = self.value(&mut deals, position.covered)? / total;
        let safe = position.safe();
        if !safe.is_empty() || position.deals.len() < 2 {
            let moves = safe.into_iter().map(|cell| Move { cell, risk: 0.0, value }).collect();
            return Ok(Worth { value, moves, of_deals: self.of_deals(value, total) });
        }
        let (won, open) = self.split_won(&mut deals, position.covered);
        let mut moves = Vec::new();
        for tile in ones(position.covered) {
            let value = self.after_opening(&mut deals[open..], position.covered, tile, f64::NEG_INFINITY)?;
            let (cell, risk) = (position.tiles.cells[tile], position.risk(tile));
            moves.push(Move { cell, risk, value: (won + value) / total });
        }
        Ok(Worth { value, moves, of_deals: self.of_deals(value, total) })
    }

    /// A chance of winning as deals won and all deals: whole numbers, as long as they fit into the digits of an `f64`.
    fn of_deals(&self, value: f64, deals: f64) -> Option<(u64, u64)> {
        (self.goal == Goal::Win && self.play == Play::Optimal).then(|| ((value * deals).round() as u64, deals as u64))
    }

    /// The move worth most, the safest of them: found faster than by weighing all moves. `None` if there is no tile
    /// to open.
    ///
    /// # Errors
    /// More work than is in reach.
    pub fn best_move(&mut self, position: &Position, reach: Reach) -> Result<Option<Move>, BeyondReach> {
        self.enter(position, reach);
        let mut deals = position.deals.clone();
        let total = weight_of(&deals).max(1.0);
        let value = self.value(&mut deals, position.covered)?;
        let (won, open) = self.split_won(&mut deals, position.covered);
        let enough = value - won - 1e-9;
        for (safe, tile) in by_safety(&deals, position.covered) {
            if self.after_opening(&mut deals[open..], position.covered, tile, enough)? > enough {
                let cell = position.tiles.cells[tile];
                return Ok(Some(Move { cell, risk: 1.0 - safe / total, value: value / total }));
            }
        }
        Ok(None)
    }

    /// What opening `cell`, a covered tile, is worth.
    ///
    /// # Errors
    /// More work than is in reach.
    pub fn worth_of(&mut self, position: &Position, cell: Cell, reach: Reach) -> Result<Move, BeyondReach> {
        self.enter(position, reach);
        let nothing = Move { cell, risk: 1.0, value: 0.0 };
        let tile = position.tiles.cells.iter().position(|&other| other == cell);
        let Some(tile) = tile.filter(|tile| position.covered >> tile & 1 == 1) else { return Ok(nothing) };
        if position.deals.is_empty() {
            return Ok(nothing);
        }
        let value = self.after_opening(&mut position.deals.clone(), position.covered, tile, f64::NEG_INFINITY)?;
        Ok(Move { cell, risk: position.risk(tile), value: value / weight_of(&position.deals) })
    }

    /// Forgets the nodes if they belong to another board, or are too many.
    fn enter(&mut self, position: &Position, reach: Reach) {
        let known = self.best_play.as_ref().map_or(self.values.len(), BestPlay::len);
        if self.tiles != position.tiles || known > reach.memory() {
            self.tiles = position.tiles.clone();
            self.turns = self.tiles.whole.map_or(Vec::new(), Turn::all);
            self.values.clear();
            if self.best_play.is_some() {
                self.best_play = Some(BestPlay::new(Deals::new(&self.tiles.around, self.turns.clone())));
            }
        }
        self.work_left = reach.work;
        if let Some(best_play) = &mut self.best_play {
            best_play.allow(reach.work);
        }
    }

    /// The value of a position times its weight. The deals are put in another order, never changed.
    fn value(&mut self, deals: &mut [Deal], covered: u64) -> Result<f64, BeyondReach> {
        if let Some(best_play) = &mut self.best_play {
            return Ok(best_play.won(deals.iter().copied(), covered, 0)?.0 as f64);
        }
        match deals {
            [] => return Ok(0.0),
            [deal] => return Ok(f64::from(deal.weight) * self.most_reward(&[*deal], covered)),
            _ => {}
        }
        let any = deals.iter().fold(0, |any, deal| any | deal.mines);
        let all = deals.iter().fold(any, |all, deal| all & deal.mines);
        if let Some(safe) = ones(covered & !any).next() {
            return self.after_opening(deals, covered, safe, f64::NEG_INFINITY);
        }
        let (won, open) = self.split_won(deals, covered);
        if open > 0 {
            return Ok(won + self.value(&mut deals[open..], covered)?);
        }
        let open = covered & any & !all;
        let unit = deals.iter().fold(0, |unit, deal| gcd(unit, deal.weight));
        let key = self.key(deals, any & !all, open, unit);
        if let Some(value) = self.values.get(&key) {
            return Ok(value * f64::from(unit));
        }
        let work = deals.len() * open.count_ones() as usize;
        self.work_left = self.work_left.checked_sub(work).ok_or(BeyondReach)?;
        let value = match self.play {
            Play::Optimal => self.best(deals, covered, open)?,
            Play::Greedy => self.greedy(deals, covered, open)?,
        };
        self.values.insert(key, value / f64::from(unit));
        Ok(value)
    }

    /// The most that any tile of `open` is worth.
    fn best(&mut self, deals: &mut [Deal], covered: u64, open: u64) -> Result<f64, BeyondReach> {
        let most = self.most_reward(deals, covered);
        let mut best = 0.0;
        // The safest first: what a tile is worth is bounded by how safe it is.
        for (safe, tile) in by_safety(deals, open) {
            if safe * most <= best {
                break;
            }
            best = f64::max(best, self.after_opening(deals, covered, tile, best)?);
        }
        Ok(best)
    }

    /// The mean over the safest tiles of `open`.
    fn greedy(&mut self, deals: &mut [Deal], covered: u64, open: u64) -> Result<f64, BeyondReach> {
        let tiles = by_safety(deals, open);
        let safest: Vec<_> = tiles.iter().filter(|(safe, _)| *safe == tiles[0].0).collect();
        let mut sum = 0.0;
        for (_, tile) in &safest {
            sum += self.after_opening(deals, covered, *tile, f64::NEG_INFINITY)?;
        }
        Ok(sum / safest.len() as f64)
    }

    /// What a position is worth once `tile` is opened, times its weight; anything up to `enough` if it is no more
    /// than that.
    fn after_opening(
        &mut self,
        deals: &mut [Deal],
        covered: u64,
        tile: usize,
        enough: f64,
    ) -> Result<f64, BeyondReach> {
        if let Some(best_play) = &mut self.best_play {
            return Ok(best_play.won_after(deals.iter().copied(), covered, tile, enough.max(0.0) as u64)? as f64);
        }
        let ends = sort_by_number(deals, tile, self.tiles.around[tile], &mut self.sorted);
        let most = self.most_reward(deals, covered);
        let mut left = weight_of(&deals[..ends[8]]);
        let mut value = if self.goal == Goal::Moves { left } else { 0.0 };
        let mut begin = 0;
        for end in ends {
            let same = &mut deals[begin..end];
            begin = end;
            if same.is_empty() {
                continue;
            }
            if value + left * most <= enough {
                break;
            }
            left -= weight_of(&*same);
            value += self.value(same, covered & !(1 << tile))?;
        }
        Ok(value)
    }

    /// Puts the deals in front in which every covered tile is a mine: there the game is won already. Gives what they
    /// are worth and how many they are.
    fn split_won(&self, deals: &mut [Deal], covered: u64) -> (f64, usize) {
        let is_won = |deal: &Deal| deal.mines & covered == covered;
        if !deals.iter().any(is_won) {
            return (0.0, 0);
        }
        deals.sort_by_key(|deal| !is_won(deal));
        let open = deals.partition_point(is_won);
        (weight_of(&deals[..open]) * self.most_reward(&deals[..open], covered), open)
    }

    /// The most that any of `deals` can still bring.
    fn most_reward(&self, deals: &[Deal], covered: u64) -> f64 {
        let free = |deal: &Deal| (covered & !deal.mines).count_ones();
        match self.goal {
            Goal::Win => 1.0,
            Goal::Moves => f64::from(deals.iter().map(free).max().unwrap_or(0)),
        }
    }

    /// A fingerprint of a set of deals and the tiles that can be opened, the same for its images.
    fn key(&self, deals: &[Deal], uncertain: u64, open: u64, unit: u32) -> u128 {
        let key = |image: &dyn Fn(u64) -> u64| {
            let deals = deals.iter().map(|deal| (image(deal.mines & uncertain), deal.weight / unit));
            fingerprint(deals.chain([(image(open), 0)]))
        };
        let turned = self.turns.iter().map(|turn| key(&|tiles| turn.image(tiles)));
        turned.min().unwrap_or_else(|| key(&|tiles| tiles))
    }
}

/// Sorts the deals by the number that `tile`, with the tiles of `around` around it, shows, those with a mine there last.
/// Gives where each number ends; `room` is memory to sort in.
fn sort_by_number(deals: &mut [Deal], tile: usize, around: u64, room: &mut Vec<(u8, Deal)>) -> [usize; 9] {
    let mut places = [0; 11];
    room.clear();
    room.reserve_exact(deals.len());
    for deal in &*deals {
        let is_mine = deal.mines >> tile & 1 == 1;
        let number = if is_mine { 9 } else { (deal.mines & around).count_ones() as u8 };
        places[usize::from(number) + 1] += 1;
        room.push((number, *deal));
    }
    for number in 0..10 {
        places[number + 1] += places[number];
    }
    for (number, deal) in room {
        let place = &mut places[usize::from(*number)];
        deals[*place] = *deal;
        *place += 1;
    }
    std::array::from_fn(|number| places[number])
}

/// The weight of some deals together.
fn weight_of<'a>(deals: impl IntoIterator<Item = &'a Deal>) -> f64 {
    deals.into_iter().map(|deal| u64::from(deal.weight)).sum::<u64>() as f64
}

/// The tiles of `open` with the weight of the deals that have no mine there, the safest first.
fn by_safety(deals: &[Deal], open: u64) -> Vec<(f64, usize)> {
    let mut mines = [0u64; 64];
    for deal in deals {
        ones(deal.mines & open).for_each(|tile| mines[tile] += u64::from(deal.weight));
    }
    let total = weight_of(deals);
    let mut tiles: Vec<(f64, usize)> = ones(open).map(|tile| (total - mines[tile] as f64, tile)).collect();
    tiles.sort_by(|one, other| other.0.total_cmp(&one.0));
    tiles
}

/// The numbers of the bits that are set.
fn ones(bits: u64) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(bits), |bits| Some(bits & bits.wrapping_sub(1)))
        .take_while(|bits| *bits != 0)
        .map(|bits| bits.trailing_zeros() as usize)
}

fn gcd(one: u32, other: u32) -> u32 {
    if other == 0 { one } else { gcd(other, one % other) }
}

/// A fingerprint of deals, whatever their order: 128 bits, so that two of a billion sets share theirs with a chance below
/// 1e-20.
#[inline]
fn fingerprint(deals: impl Iterator<Item = (u64, u32)>) -> u128 {
    let (first, second) = deals.fold((0u64, 0u64), |(first, second), (mines, weight)| {
        let word = mines.wrapping_add(u64::from(weight).wrapping_mul(ODD[1])) ^ ODD[0];
        let word = |odd: u64| spread(word.wrapping_mul(odd));
        (first.wrapping_add(word(ODD[0])), second.wrapping_add(word(ODD[1])))
    });
    u128::from(first) << 64 | u128::from(second)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Tile;
    use crate::geometry::BoardSize;

    fn position(text: &str) -> Position {
        Position::of_board(&text.parse().unwrap(), Reach::SMALL_BOARD).unwrap()
    }

    fn worth(goal: Goal, play: Play, position: &Position) -> Worth {
        Graph::new(goal, play).worth(position, Reach::SMALL_BOARD).unwrap()
    }

    /// Nakov & Wei, figure 1: 5 unknown tiles, one of the first three and one of the other two is a mine. (The text
    /// says 2 mines: those still to be found, beside the one that is certain.)
    const FIGURE_1: &str = "4 2 3\n###2\n#2##";

    #[test]
    fn greedy_is_not_optimal_on_2x4() {
        let position = position(FIGURE_1);
        assert_eq!(position.mines(), [Cell::new(3, 1)]);
        let risks = [(0, 0), (1, 0), (0, 1), (2, 0), (2, 1)].map(|(x, y)| position.risk((y * 4 + x) as usize));
        let third = 1.0 / 3.0;
        assert_eq!(risks, [third, third, third, 0.5, 0.5]);
        let best = worth(Goal::Win, Play::Optimal, &position);
        assert!((best.value - 1.0 / 3.0).abs() < 1e-12);
        assert!(best.best().any(|play| play.cell == Cell::new(2, 0)), "the paper's move: {best:?}");
        // The paper's sum for greedy, 1/3 (2/3 1/4 + 2/3 1/2 + 2/3 1/2), is 5/18; its result, 2/9, is right: after
        // (1, 1) or (2, 1) greedy chooses among four tiles at risk 1/2, two of which lead to 1/2 and two to 1/4.
        let greedy = worth(Goal::Win, Play::Greedy, &position);
        assert!((greedy.value - 2.0 / 9.0).abs() < 1e-12, "{greedy:?}");
    }

    #[test]
    fn a_board_with_nothing_to_learn_is_a_guess_per_mine() {
        // Two separate 50/50s.
        let position = position("5 2 2\n#101#\n#101#");
        assert_eq!(worth(Goal::Win, Play::Optimal, &position).value, 0.25);
    }

    #[test]
    fn explanations_are_those_of_brute_force() {
        // Every way to uncover some tiles of random fields: the listed explanations are those that show the same.
        let size = BoardSize::new(4, 3);
        let mut bits = 0x9E37_79B9_7F4A_7C15u64;
        for _ in 0..300 {
            bits = bits.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let mines = bits >> 20 & bits >> 33 & 0xFFF;
            let open = bits >> 45 & !mines & 0xFFF;
            let shown = |mines: u64| -> Vec<Tile> {
                let number = |cell| size.neighbours(cell).filter(|&other| mines >> size.index(other) & 1 == 1).count();
                let is_open = |cell| open >> size.index(cell) & 1 == 1;
                size.cells()
                    .map(|cell| if is_open(cell) { Tile::Open(number(cell) as u8) } else { Tile::Hidden })
                    .collect()
            };
            let tiles = shown(mines);
            let board = Board::new(size, Some(mines.count_ones()), tiles.clone()).unwrap();
            let listed = Position::of_board(&board, Reach::SMALL_BOARD).unwrap();
            let mut listed: Vec<u64> = listed.deals().iter().map(|deal| deal.mines).collect();
            listed.sort_unstable();
            let fits =
                |other: &u64| other & open == 0 && other.count_ones() == mines.count_ones() && shown(*other) == tiles;
            assert_eq!(listed, (0..1 << 12).filter(fits).collect::<Vec<u64>>(), "{board}");
        }
    }

    /// Best play by its definition: every tile, every number, no cut but the game's own rules.
    fn by_definition(size: BoardSize, covered: u64, deals: &[u64]) -> f64 {
        if deals.contains(&covered) {
            return 1.0;
        }
        let number = |tile: usize, mines: u64| {
            size.neighbours(size.cell(tile)).filter(|&other| mines >> size.index(other) & 1 == 1).count()
        };
        let after = |tile: usize| -> f64 {
            (0..=8)
                .map(|shown| {
                    let fits = |mines: &&u64| **mines >> tile & 1 == 0 && number(tile, **mines) == shown;
                    let left: Vec<u64> = deals.iter().filter(fits).copied().collect();
                    let share = left.len() as f64 / deals.len() as f64;
                    if left.is_empty() { 0.0 } else { share * by_definition(size, covered & !(1 << tile), &left) }
                })
                .sum()
        };
        (0..size.tiles()).filter(|tile| covered >> tile & 1 == 1).map(after).fold(0.0, f64::max)
    }

    #[test]
    fn no_cut_changes_a_value() {
        for (width, height) in [(1, 1), (1, 5), (2, 2), (3, 2), (2, 4)] {
            let size = BoardSize::new(width, height);
            for mines in 0..size.tiles() as u32 {
                let position = Position::of_board(&Board::hidden(size, mines).unwrap(), Reach::SMALL_BOARD).unwrap();
                let deals: Vec<u64> = position.deals().iter().map(|deal| deal.mines).collect();
                let expected = by_definition(size, position.covered, &deals);
                let value = worth(Goal::Win, Play::Optimal, &position).value;
                assert!((value - expected).abs() < 1e-12, "{size}, {mines} mines: {value} for {expected}");
            }
        }
    }

    /// The deals won where only the tiles of `open` can be opened, and the game tells when none of them is left.
    fn won_by_definition(size: BoardSize, open: u64, deals: &[u64]) -> u64 {
        let (over, deals): (Vec<u64>, Vec<u64>) = deals.iter().partition(|&&deal| open & !deal == 0);
        let after = |tile: usize| -> u64 {
            let shown = |deal: u64| {
                size.neighbours(size.cell(tile)).filter(|&other| deal >> size.index(other) & 1 == 1).count()
            };
            let fitting = |number: usize| -> Vec<u64> {
                deals.iter().copied().filter(|deal| deal >> tile & 1 == 0 && shown(*deal) == number).collect()
            };
            (0..=8).map(fitting).map(|deals| won_by_definition(size, open & !(1 << tile), &deals)).sum()
        };
        let most = if deals.is_empty() { 0 } else { ones(open).map(after).max().unwrap_or(0) };
        over.len() as u64 + most
    }

    #[test]
    fn tiles_that_cannot_be_opened_and_unknown_totals_are_searched_to_the_end() {
        let size = BoardSize::new(3, 3);
        let mut graph = Graph::new(Goal::Win, Play::Optimal);
        let mut bits = 0x9E37_79B9_7F4A_7C15u64;
        for round in 0..400 {
            bits = bits.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let (laid, unread) = (bits >> 20 & bits >> 33 & 0x1FF, bits >> 28 & bits >> 51 & 0x1FF);
            let open = bits >> 45 & bits >> 12 & !laid & !unread & 0x1FF;
            let number = |deal: u64, cell: Cell| {
                size.neighbours(cell).filter(|&other| deal >> size.index(other) & 1 == 1).count() as u8
            };
            let tile = |cell: Cell| match 1u64 << size.index(cell) {
                bit if open & bit != 0 => Tile::Open(number(laid, cell)),
                bit if unread & bit != 0 => Tile::Unrecognised,
                _ => Tile::Hidden,
            };
            let total = (round % 3 > 0).then_some(laid.count_ones());
            let board = Board::new(size, total, size.cells().map(tile).collect()).unwrap();
            let position = Position::of_board(&board, Reach::SMALL_BOARD).unwrap();
            let deals: Vec<u64> = position.deals().iter().map(|deal| deal.mines).collect();
            let won = won_by_definition(size, position.covered, &deals);
            let found = graph.worth(&position, Reach::SMALL_BOARD).unwrap();
            assert_eq!(found.of_deals, Some((won, deals.len() as u64)), "{board}");
        }
    }

    #[test]
    fn the_first_click_follows_the_rule() {
        let board = Board::hidden(BoardSize::new(3, 3), 2).unwrap();
        let value = |rule, x, y| {
            let cell = Cell::new(x, y);
            let position = Position::at_first_click(&board, rule, cell, Reach::SMALL_BOARD).unwrap();
            Graph::new(Goal::Win, Play::Optimal).worth_of(&position, cell, Reach::SMALL_BOARD).unwrap().value
        };
        for (x, y) in [(0, 0), (1, 0), (1, 1)] {
            let (any, safe) = (value(Rule::Any, x, y), value(Rule::Safe, x, y));
            assert!((any - safe * 7.0 / 9.0).abs() < 1e-12, "a safe start is worth 9/7 of any start");
            assert!(value(Rule::Zero, x, y) >= safe);
        }
        // The centre touches everything: with no room for an opening the game leaves one way to lay the mines.
        assert_eq!(value(Rule::Zero, 1, 1), 1.0);
        // Under the top left corner the mine has only one place to go, so less is known than after a safe start.
        assert!((value(Rule::Windows, 0, 0) - value(Rule::Safe, 0, 0)).abs() > 1e-3);
    }

    #[test]
    fn too_much_is_refused() {
        let board = Board::hidden(BoardSize::new(9, 9), 10).unwrap();
        assert!(Position::of_board(&board, Reach::SMALL_BOARD).is_err());
        let board = Board::hidden(BoardSize::new(8, 8), 10).unwrap();
        assert!(Position::of_board(&board, Reach::SMALL_BOARD).is_err());
        let position = position("4 4 6\n####\n####\n####\n####");
        let few = Reach { work: 1000, ..Reach::SMALL_BOARD };
        assert_eq!(Graph::new(Goal::Win, Play::Optimal).worth(&position, few), Err(BeyondReach));
    }
}
