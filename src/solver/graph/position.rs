//! A position with all its explanations, one bit a tile.

use super::{ones, weight_of};
use crate::board::Board;
use crate::game::Rule;
use crate::geometry::{BoardSize, Cell};
use crate::solver::best_play::BeyondReach;
use std::collections::HashMap;

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
    pub(super) tiles: Tiles,
    /// Tiles that can be opened, one bit each.
    pub(super) covered: u64,
    pub(super) deals: Vec<Deal>,
}

/// The tiles that have a bit, and for each the bits of those that touch it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tiles {
    /// The size of the board, if all its tiles have their bit.
    pub whole: Option<BoardSize>,
    pub cells: Vec<Cell>,
    pub around: Vec<u64>,
}

/// The most tiles that can be covered: a bit each.
const MOST_TILES: usize = 64;

/// How much of a position is looked at before it is given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// Explanations listed.
    pub deals: usize,
    /// Steps taken to find them.
    pub steps: usize,
    /// Work to value the nodes of the graph: tiles weighed times explanations, about 0.3 microseconds each.
    pub work: usize,
}

impl Reach {
    /// Enough for every board of up to 4x4: 12,870 explanations at most (65,536 where the number of mines is not
    /// known), within a second.
    pub const SMALL_BOARD: Reach = Reach { deals: 1 << 16, steps: 1 << 20, work: 50_000_000 };
    /// The end of a game on a larger board, within some milliseconds.
    pub const ENDGAME: Reach = Reach { deals: 200, steps: 50_000, work: 30_000 };
    /// Whole boards of up to 6x6 with 6 mines, within half a minute and 150 MB (`results/solver.md`).
    pub const WHOLE_BOARD: Reach = Reach { deals: 4_000_000, steps: 100_000_000, work: usize::MAX };
    /// The end of a game on a larger board, within some seconds.
    pub const PATIENT: Reach = Reach { deals: 20_000, steps: 2_000_000, work: 10_000_000 };

    /// [`Reach::PATIENT`] with so many times the patience.
    pub fn times(self, patience: f64) -> Reach {
        let scaled = |usual: usize| (usual as f64 * patience.max(1.0)) as usize;
        Reach { deals: scaled(self.deals).min(4_000_000), steps: scaled(self.steps), work: scaled(self.work) }
    }
}

impl Reach {
    /// Nodes remembered from one position to the next: some 100 MB, but for whole boards.
    pub(super) fn memory(self) -> usize {
        if self.work == usize::MAX { usize::MAX } else { 3_000_000 }
    }
}

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

    /// The same in a game whose first click followed `rule`: under `windows` an explanation that begins with k mines comes
    /// from k + 1 deals.
    ///
    /// # Errors
    /// As [`Position::of_board`].
    pub fn in_game(board: &Board, rule: Rule, reach: Reach) -> Result<Self, BeyondReach> {
        let mut position = Self::of_board(board, reach)?;
        if rule == Rule::Windows && !board.is_untouched() {
            // The first tiles, as long as they may be mines: those that are shown to be, and the bits of the others.
            let bit =
                |cell: Cell| position.tiles.cells.iter().position(|&other| other == cell).map(|tile| 1u64 << tile);
            let may_be_mine = |cell: &Cell| board.tile(*cell).may_be_mine() || board.tile(*cell).is_shown_mine();
            let first = board.size().cells().take_while(may_be_mine);
            let first: Vec<Option<u64>> =
                first.map(|cell| bit(cell).filter(|_| board.tile(cell).may_be_mine())).collect();
            for deal in &mut position.deals {
                let mines = first.iter().take_while(|bit| bit.is_none_or(|bit| deal.mines & bit != 0));
                deal.weight += mines.count() as u32;
            }
        }
        Ok(position)
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
        let whole = Some(board.size()).filter(|size| size.tiles() <= MOST_TILES);
        let cells: Vec<Cell> = match whole {
            Some(size) => size.cells().collect(),
            None => board.cells_where(|tile| tile.may_be_mine()).take(MOST_TILES + 1).collect(),
        };
        if cells.len() > MOST_TILES {
            return Err(BeyondReach);
        }
        let touching = |cell: &Cell| {
            let touches = cells.iter().enumerate().filter(|(_, other)| cell.touches(**other));
            touches.fold(0, |bits, (tile, _)| bits | 1 << tile)
        };
        let around = cells.iter().map(touching).collect();
        Ok(Self { whole, cells, around })
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
