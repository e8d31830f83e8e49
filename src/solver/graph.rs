//! Exact play by the graph of positions: what a position is worth under best play, or under greedy play.
//!
//! Nakov & Wei (sections 7-9) show that the game is a Markov decision problem over positions, without cycles because
//! every move opens a tile, so one backward pass over the graph of positions finds every value. Their ways to cut the
//! graph are all here, in one form: a position is the *set of its explanations* over the tiles that are not certain.
//! Sure tiles are opened at once (9.4), mines that are certain drop out (9.5), so do numbers that tell nothing any
//! more, and positions that leave the same explanations are one node, however they came about (9.1, 9.6, 9.7).

mod census;

use crate::board::Board;
use crate::game::Rule;
use crate::geometry::{BoardSize, Cell};
use std::collections::HashMap;

pub use census::{Census, census};

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

/// One way the mines may lie, and how often it occurs beside the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deal {
    /// Its mines, one bit a tile.
    pub mines: u64,
    /// Its weight; 1 where every arrangement is as likely as the next.
    pub weight: u32,
}

/// A position as the graph sees it: the tiles that are covered and every way the mines may lie under them.
#[derive(Clone, Debug)]
pub struct Position {
    tiles: Tiles,
    /// Tiles that can be opened, one bit each.
    covered: u64,
    deals: Vec<Deal>,
}

/// The tiles that have a bit, and for each the bits of those that touch it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Tiles {
    cells: Vec<Cell>,
    around: Vec<u64>,
}

/// A position that is too large to be held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too many tiles or explanations to search every way the game can go")]
pub struct BeyondReach;

/// The most tiles that can be covered: a bit each.
const MOST_TILES: usize = 64;

/// How much of a position is looked at before it is given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// Explanations listed.
    pub deals: usize,
    /// Steps taken to find them.
    pub steps: usize,
    /// Nodes of the graph valued.
    pub nodes: usize,
}

impl Reach {
    /// Enough for every board of up to 4x4: 12,870 explanations at most (65,536 where the number of mines is not
    /// known) and about 200,000 nodes, within a second.
    pub const SMALL_BOARD: Reach = Reach { deals: 1 << 16, steps: 1 << 20, nodes: 1_000_000 };
    /// The end of a game on a larger board, within some milliseconds.
    pub const ENDGAME: Reach = Reach { deals: 200, steps: 50_000, nodes: 20_000 };
}

/// Nodes remembered from one position to the next: some 100 MB.
const MEMORY: usize = 2_000_000;

impl Position {
    /// The position on `board`, every explanation as likely as the next. Tiles that were not recognised may hold a
    /// mine, but nobody can open them.
    ///
    /// # Errors
    /// More than 64 tiles without a number, or more explanations than are in reach.
    pub fn of_board(board: &Board, reach: Reach) -> Result<Self, BeyondReach> {
        let tiles = Tiles::of_board(board)?;
        let covered = tiles.bits(|cell| board.tile(cell).is_covered());
        let deals = tiles.explanations(board, reach)?.into_iter().map(|mines| Deal { mines, weight: 1 }).collect();
        Ok(Self { tiles, covered, deals })
    }

    /// What the first click on `cell` of an untouched board meets, as `rule` lays the mines. Under the rules where the
    /// game itself begins (`hinted`, `opened`) this is a click without any promise.
    ///
    /// # Errors
    /// As [`Position::of_board`].
    pub fn at_first_click(board: &Board, rule: Rule, cell: Cell, reach: Reach) -> Result<Self, BeyondReach> {
        let mut position = Self::of_board(board, reach)?;
        let size = board.size();
        let click = 1u64 << size.index(cell);
        match rule {
            Rule::Any | Rule::Hinted | Rule::Opened => {}
            Rule::Safe => position.keep(|deal| deal.mines & click == 0),
            Rule::Zero => {
                // Where there is no room for an opening, as much of it as there is room for: as the game does it.
                let room = size.tiles() - board.mines().unwrap_or(0) as usize;
                let around = std::iter::once(cell).chain(size.neighbours(cell)).take(room);
                let free = around.fold(0u64, |bits, other| bits | 1 << size.index(other));
                position.keep(|deal| deal.mines & free == 0);
            }
            Rule::Windows => position.move_mine(click, size),
        }
        Ok(position)
    }

    /// Whether any arrangement of mines explains the position.
    pub fn is_consistent(&self) -> bool {
        !self.deals.is_empty()
    }

    /// Every explanation.
    pub fn deals(&self) -> &[Deal] {
        &self.deals
    }

    /// How many tiles have a bit.
    pub fn tiles(&self) -> usize {
        self.tiles.cells.len()
    }

    /// The cell of bit `tile` in [`Deal::mines`].
    pub fn cell(&self, tile: usize) -> Cell {
        self.tiles.cells[tile]
    }

    /// Covered cells that are a mine in no explanation.
    pub fn safe(&self) -> Vec<Cell> {
        self.cells(self.covered & !self.deals.iter().fold(0, |any, deal| any | deal.mines))
    }

    /// Covered cells that are a mine in every explanation.
    pub fn mines(&self) -> Vec<Cell> {
        self.cells(self.deals.iter().fold(self.covered, |all, deal| all & deal.mines))
    }

    /// The share of the explanations that have a mine on bit `tile`.
    pub fn risk(&self, tile: usize) -> f64 {
        weight_of(self.deals.iter().filter(|deal| deal.mines >> tile & 1 == 1)) / weight_of(&self.deals)
    }

    fn cells(&self, bits: u64) -> Vec<Cell> {
        ones(bits).map(|tile| self.tiles.cells[tile]).collect()
    }

    fn keep(&mut self, wanted: impl Fn(&Deal) -> bool) {
        self.deals.retain(wanted);
    }

    /// A mine under the click moves to the first free tile from the top left; deals that become the same add up.
    fn move_mine(&mut self, click: u64, size: BoardSize) {
        let mut weights: HashMap<u64, u32> = HashMap::new();
        for deal in &self.deals {
            let first_free = deal.mines.trailing_ones();
            let has_room = (first_free as usize) < size.tiles();
            let moved =
                if deal.mines & click != 0 && has_room { deal.mines ^ click | 1 << first_free } else { deal.mines };
            *weights.entry(moved).or_default() += deal.weight;
        }
        self.deals = weights.into_iter().map(|(mines, weight)| Deal { mines, weight }).collect();
        self.deals.sort_unstable_by_key(|deal| deal.mines);
    }
}

impl Tiles {
    /// All tiles where they have a bit each, so that positions of one board share their nodes; else those that may
    /// hold a mine.
    fn of_board(board: &Board) -> Result<Self, BeyondReach> {
        let cells: Vec<Cell> = if board.size().tiles() <= MOST_TILES {
            board.size().cells().collect()
        } else {
            board.cells_where(|tile| tile.may_be_mine()).take(MOST_TILES + 1).collect()
        };
        if cells.len() > MOST_TILES {
            return Err(BeyondReach);
        }
        let touching = |cell: &Cell| {
            let touches = cells.iter().enumerate().filter(|(_, other)| cell.touches(**other));
            touches.fold(0, |bits, (tile, _)| bits | 1 << tile)
        };
        let around = cells.iter().map(touching).collect();
        Ok(Self { cells, around })
    }

    fn bits(&self, wanted: impl Fn(Cell) -> bool) -> u64 {
        self.cells.iter().enumerate().filter(|(_, cell)| wanted(**cell)).fold(0, |bits, (tile, _)| bits | 1 << tile)
    }

    /// Every arrangement of mines that explains the board, by going through the tiles and giving up at the first
    /// number that can no longer come out.
    fn explanations(&self, board: &Board, reach: Reach) -> Result<Vec<u64>, BeyondReach> {
        let unknown = self.bits(|cell| board.tile(cell).may_be_mine());
        let mut search = Search { sums: Vec::new(), order: Vec::new(), found: Vec::new(), reach, steps: 0 };
        for (cell, number) in board.numbers() {
            let shown = board.size().neighbours(cell).filter(|&other| board.tile(other).is_shown_mine()).count();
            let tiles = unknown & self.bits(|other| other.touches(cell));
            search.add(tiles, u32::from(number) - shown as u32);
        }
        if let Some(mines) = board.mines() {
            let shown = board.cells_where(|tile| tile.is_shown_mine()).count();
            search.add(unknown, mines - shown as u32);
        }
        search.add_tiles(unknown);
        search.run(0, 0, unknown)?;
        Ok(search.found)
    }
}

/// A backtracking search for all sets of tiles with given sums.
struct Search {
    /// So many mines among these tiles.
    sums: Vec<(u64, u32)>,
    /// The tiles in the order in which they are decided: those of one number together.
    order: Vec<usize>,
    found: Vec<u64>,
    reach: Reach,
    steps: usize,
}

impl Search {
    fn add(&mut self, tiles: u64, mines: u32) {
        self.sums.push((tiles, mines));
        if tiles.count_ones() <= 8 {
            self.add_tiles(tiles);
        }
    }

    fn add_tiles(&mut self, tiles: u64) {
        let new = ones(tiles).filter(|tile| !self.order.contains(tile)).collect::<Vec<_>>();
        self.order.extend(new);
    }

    /// Decides tile `depth` of the order and all after it; `open` are the tiles not decided yet.
    fn run(&mut self, depth: usize, mines: u64, open: u64) -> Result<(), BeyondReach> {
        self.steps += 1;
        let possible = self.sums.iter().all(|&(tiles, wanted)| {
            let placed = (mines & tiles).count_ones();
            placed <= wanted && wanted <= placed + (open & tiles).count_ones()
        });
        if !possible {
            return Ok(());
        }
        let Some(&tile) = self.order.get(depth) else {
            self.found.push(mines);
            return if self.found.len() > self.reach.deals { Err(BeyondReach) } else { Ok(()) };
        };
        if self.steps > self.reach.steps {
            return Err(BeyondReach);
        }
        self.run(depth + 1, mines, open & !(1 << tile))?;
        self.run(depth + 1, mines | 1 << tile, open & !(1 << tile))
    }
}

/// The graph of positions, as far as it has been walked. Values are remembered by set of explanations.
pub struct Graph {
    goal: Goal,
    play: Play,
    tiles: Tiles,
    /// The value of every node, times its weight.
    values: HashMap<u128, f64>,
    /// Nodes that may still be added for this position.
    room: usize,
}

/// A position and its moves, weighed.
#[derive(Clone, Debug, PartialEq)]
pub struct Worth {
    /// What the position is worth to the player: a chance of winning, or a number of tiles.
    pub value: f64,
    /// Every move that was weighed, in the order of the tiles. Where tiles are certainly safe the others are not
    /// weighed against them: opening the safe ones costs nothing (Nakov & Wei, theorem 8.1).
    pub moves: Vec<Move>,
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
        let tiles = Tiles { cells: Vec::new(), around: Vec::new() };
        Self { goal, play, tiles, values: HashMap::new(), room: 0 }
    }

    /// How many nodes have been valued.
    pub fn nodes(&self) -> usize {
        self.values.len()
    }

    /// What `position` is worth, and every move in it.
    ///
    /// # Errors
    /// More nodes than are in reach.
    pub fn worth(&mut self, position: &Position, reach: Reach) -> Result<Worth, BeyondReach> {
        self.enter(position, reach);
        let mut deals = position.deals.clone();
        let total = weight_of(&deals).max(1.0);
        let value = self.value(&mut deals, position.covered)? / total;
        let safe = position.safe();
        if !safe.is_empty() || position.deals.len() < 2 {
            let moves = safe.into_iter().map(|cell| Move { cell, risk: 0.0, value }).collect();
            return Ok(Worth { value, moves });
        }
        let (won, open) = self.split_won(&mut deals, position.covered);
        let mut moves = Vec::new();
        for tile in ones(position.covered) {
            let value = self.after_opening(&mut deals[open..], position.covered, tile, f64::NEG_INFINITY)?;
            let (cell, risk) = (position.tiles.cells[tile], position.risk(tile));
            moves.push(Move { cell, risk, value: (won + value) / total });
        }
        Ok(Worth { value, moves })
    }

    /// What opening `cell`, a covered tile, is worth.
    ///
    /// # Errors
    /// More nodes than are in reach.
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
        if self.tiles != position.tiles || self.values.len() > MEMORY {
            self.tiles = position.tiles.clone();
            self.values.clear();
        }
        self.room = reach.nodes;
    }

    /// The value of a position times its weight. The deals are put in another order, never changed.
    fn value(&mut self, deals: &mut [Deal], covered: u64) -> Result<f64, BeyondReach> {
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
        let key = key(deals, any & !all, open, unit);
        if let Some(value) = self.values.get(&key) {
            return Ok(value * f64::from(unit));
        }
        let value = match self.play {
            Play::Optimal => self.best(deals, covered, open)?,
            Play::Greedy => self.greedy(deals, covered, open)?,
        };
        self.room = self.room.checked_sub(1).ok_or(BeyondReach)?;
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
        let around = self.tiles.around[tile];
        let number = |deal: &Deal| (deal.mines & around).count_ones();
        deals.sort_unstable_by_key(|deal| (deal.mines >> tile & 1, number(deal)));
        let safe = deals.partition_point(|deal| deal.mines >> tile & 1 == 0);
        let most = self.most_reward(deals, covered);
        let mut left = weight_of(&deals[..safe]);
        let mut value = if self.goal == Goal::Moves { left } else { 0.0 };
        for same in deals[..safe].chunk_by_mut(|one, other| number(one) == number(other)) {
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
}

fn weight_of<'a>(deals: impl IntoIterator<Item = &'a Deal>) -> f64 {
    deals.into_iter().map(|deal| f64::from(deal.weight)).sum()
}

/// The tiles of `open` with the weight of the deals that have no mine there, the safest first.
fn by_safety(deals: &[Deal], open: u64) -> Vec<(f64, usize)> {
    let safe = |tile: usize| weight_of(deals.iter().filter(|deal| deal.mines >> tile & 1 == 0));
    let mut tiles: Vec<(f64, usize)> = ones(open).map(|tile| (safe(tile), tile)).collect();
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

/// A fingerprint of a set of deals, whatever their order: 128 bits, so that two of a billion sets share theirs with a
/// chance below 1e-20.
fn key(deals: &[Deal], uncertain: u64, open: u64, unit: u32) -> u128 {
    deals.iter().fold(mix(u128::from(open) << 32), |sum, deal| {
        sum.wrapping_add(mix(u128::from(deal.mines & uncertain) << 64 | u128::from(deal.weight / unit)))
    })
}

/// Spreads every bit over all bits, one to one (multiply and shift, twice, with odd random constants).
fn mix(bits: u128) -> u128 {
    const ODD: [u128; 2] = [0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835, 0xD6E8_FEB8_6659_FD93_A076_1D64_78BD_642F];
    let bits = bits.wrapping_mul(ODD[0]);
    let bits = (bits ^ bits >> 67).wrapping_mul(ODD[1]);
    let bits = (bits ^ bits >> 61).wrapping_mul(ODD[0]);
    bits ^ bits >> 64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Tile;

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
        let few = Reach { nodes: 100, ..Reach::SMALL_BOARD };
        assert_eq!(Graph::new(Goal::Win, Play::Optimal).worth(&position, few), Err(BeyondReach));
    }
}
