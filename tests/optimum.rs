//! The optimum of small boards, counted once more by a program that shares nothing with the solver but the question: its own
//! neighbours and numbers, sets of deals as lists, remembered by the deals in them, no symmetry but that of the first click.
//!
//! What a player knows is the set of deals that show what is open. A tile that is safe in all of them is opened, which
//! costs nothing; else every tile is tried. A set is won at most as often as its safest tile is safe, and a tile is left
//! when the sum of that over all it can show is no more than another wins.

use minesight::board::Board;
use minesight::game::Rule;
use minesight::geometry::BoardSize;
use minesight::solver::graph::{Reach, optimum};
use std::collections::HashMap;

struct Count {
    width: usize,
    height: usize,
    /// The mines of every deal, a bit a tile.
    deals: Vec<u64>,
    /// What each tile shows in every deal; of its own mine it knows nothing.
    shown: Vec<Vec<u8>>,
    /// A random word a deal: a set is remembered by the sum of its words.
    words: Vec<u128>,
    /// Deals of a set that are won: exactly, or at most.
    known: HashMap<u128, (u32, bool)>,
}

/// A set of deals with the tiles that are open or known to be mines, to be searched.
struct Set {
    deals: Vec<u32>,
    /// Deals won at most.
    most: u32,
}

impl Count {
    fn new(width: usize, height: usize, mines: u32) -> Self {
        let tiles = width * height;
        let touches = |one: usize, other: usize| {
            one != other && (one % width).abs_diff(other % width) <= 1 && (one / width).abs_diff(other / width) <= 1
        };
        // Every set of so many tiles, from the lowest number with so many bits to the highest.
        let mut deals = Vec::new();
        let mut deal: u64 = (1 << mines) - 1;
        while deal < 1 << tiles {
            deals.push(deal);
            let lowest = deal & deal.wrapping_neg();
            let carried = deal + lowest;
            deal = carried | (((deal ^ carried) >> 2) / lowest);
        }
        let shown = (0..tiles).map(|tile| {
            let beside: Vec<usize> = (0..tiles).filter(|&other| touches(tile, other)).collect();
            deals.iter().map(|deal| beside.iter().map(|other| (deal >> other & 1) as u8).sum()).collect()
        });
        let shown = shown.collect();
        // A generator of Lehmer's kind, modulo 2^128; the sums of its upper bits are spread well enough.
        let mut state: u128 = 0x2545_F491_4F6C_DD1D_9E6D_3A0B_77C1_51A5;
        let mut word = || {
            state = state.wrapping_mul(0xDA94_2042_E4DD_58B5);
            state >> 64
        };
        let words = deals.iter().map(|_| word() << 64 | word()).collect();
        Self { width, height, deals, shown, words, known: HashMap::new() }
    }

    fn is_mine(&self, deal: u32, tile: usize) -> bool {
        self.deals[deal as usize] >> tile & 1 == 1
    }

    /// Opens whatever is safe in all of `deals`, again and again; appends what has to be searched, and returns how many
    /// deals are won at most.
    fn open_safe(&self, deals: Vec<u32>, searched: &mut Vec<Set>) -> u32 {
        if deals.len() == 1 {
            return 1;
        }
        let mines = deals.iter().fold(0, |mines, &deal| mines | self.deals[deal as usize]);
        let safe = (0..self.width * self.height).filter(|tile| mines >> tile & 1 == 0);
        for tile in safe {
            let shown = &self.shown[tile];
            let first = shown[deals[0] as usize];
            if deals.iter().any(|&deal| shown[deal as usize] != first) {
                return self.by_number(&deals, tile).into_iter().map(|deals| self.open_safe(deals, searched)).sum();
            }
        }
        let most = match self.known.get(&self.key(&deals)) {
            Some(&(won, true)) => return won,
            Some(&(most, false)) => most,
            None => self.safest(&deals),
        };
        searched.push(Set { deals, most });
        most
    }

    /// The deals in which `tile` is safe, by its number.
    fn by_number(&self, deals: &[u32], tile: usize) -> Vec<Vec<u32>> {
        let mut parts = vec![Vec::new(); 9];
        for &deal in deals.iter().filter(|&&deal| !self.is_mine(deal, tile)) {
            parts[usize::from(self.shown[tile][deal as usize])].push(deal);
        }
        parts.retain(|part| !part.is_empty());
        parts
    }

    fn key(&self, deals: &[u32]) -> u128 {
        deals.iter().fold(0, |key, &deal| key.wrapping_add(self.words[deal as usize]))
    }

    /// For every tile that is a mine in some deal, in how many it is safe.
    fn safe(&self, deals: &[u32]) -> Vec<(u32, usize)> {
        let mut mines = vec![0; self.width * self.height];
        for &deal in deals {
            let mut left = self.deals[deal as usize];
            while left != 0 {
                mines[left.trailing_zeros() as usize] += 1;
                left &= left - 1;
            }
        }
        let uncertain = mines.into_iter().enumerate().filter(|&(_, mines)| mines > 0 && mines < deals.len() as u32);
        uncertain.map(|(tile, mines)| (deals.len() as u32 - mines, tile)).collect()
    }

    fn safest(&self, deals: &[u32]) -> u32 {
        self.safe(deals).into_iter().map(|(safe, _)| safe).max().unwrap_or(1)
    }

    /// Deals won if `tile` is opened next: exactly if more than `enough`, else no more than what is returned.
    fn after(&mut self, deals: &[u32], tile: usize, enough: u32) -> u32 {
        let mut sets = Vec::new();
        let parts = self.by_number(deals, tile);
        let mut most: u32 = parts.into_iter().map(|part| self.open_safe(part, &mut sets)).sum();
        sets.sort_by_key(|set| set.deals.len());
        for set in sets {
            if most <= enough {
                break;
            }
            let others = most - set.most;
            most = others + self.won(&set.deals, enough.saturating_sub(others));
        }
        most
    }

    /// Deals of a set without safe tiles that are won: exactly if more than `enough`, else no more than what is returned.
    fn won(&mut self, deals: &[u32], enough: u32) -> u32 {
        let key = self.key(deals);
        if let Some(&(won, is_exact)) = self.known.get(&key)
            && (is_exact || won <= enough)
        {
            return won;
        }
        // Whatever is opened, one deal can be played for.
        let (mut best, mut most) = (enough.max(1), 1);
        let mut tiles = self.safe(deals);
        if deals.len() > 20 {
            // In large sets the tiles are put in order by what they may win, not by how safe they are.
            for (safe, tile) in &mut tiles {
                let bound = |part| self.open_safe(part, &mut Vec::new());
                *safe = self.by_number(deals, *tile).into_iter().map(bound).sum();
            }
        }
        tiles.sort_by(|one, other| other.cmp(one));
        for (bound, tile) in tiles {
            if bound <= best {
                most = most.max(bound);
                break;
            }
            let won = self.after(deals, tile, best);
            (best, most) = (best.max(won), most.max(won));
        }
        let found = if best > enough { (best, true) } else { (most, false) };
        self.known.insert(key, found);
        found.0
    }

    /// Wins and deals of the first click that wins the largest share, where the tiles that `promised` names are free of
    /// mines in every deal.
    fn best_start(&mut self, promised: impl Fn(usize, usize) -> bool) -> (u64, u64) {
        let (width, height) = (self.width, self.height);
        let mut best = (0, 1);
        for first in 0..width * height {
            let (x, y) = (first % width, first / width);
            let is_image = 2 * x >= width || 2 * y >= height || (width == height && y > x);
            if is_image {
                continue;
            }
            let free =
                (0..width * height).filter(|&tile| promised(first, tile)).fold(0u64, |free, tile| free | 1 << tile);
            let deals: Vec<u32> =
                (0..self.deals.len() as u32).filter(|&deal| self.deals[deal as usize] & free == 0).collect();
            let enough = best.0 * deals.len() as u64 / best.1;
            let won = u64::from(self.after(&deals, first, enough as u32));
            if won > enough {
                best = (won, deals.len() as u64);
            }
        }
        best
    }
}

/// Both rules, by both programs; the share is the same, whichever first click it was found with.
fn compare(width: u32, height: u32, mines: u32) {
    let board = Board::hidden(BoardSize::new(width, height), mines).unwrap();
    let mut count = Count::new(width as usize, height as usize, mines);
    let stride = width as usize;
    let beside = |one: usize, other: usize| {
        (one % stride).abs_diff(other % stride) <= 1 && (one / stride).abs_diff(other / stride) <= 1
    };
    // With less room than that the game promises less of an opening.
    let has_room = mines + 9 <= width * height;
    for rule in [Rule::Safe, Rule::Zero].into_iter().take(1 + usize::from(has_room)) {
        let (won, deals) = count.best_start(|first, tile| tile == first || (rule == Rule::Zero && beside(first, tile)));
        let found = optimum(&board, rule, Reach::WHOLE_BOARD).unwrap();
        println!(
            "{width}x{height}/{mines} {rule}: {won} of {deals}, {} sets; the solver {} of {}",
            count.known.len(),
            found.wins,
            found.deals
        );
        assert_eq!(won * found.deals, found.wins * deals, "{width}x{height}/{mines} {rule}");
    }
}

#[test]
fn the_optimum_of_small_boards_counted_twice() {
    for (width, height, most) in [(3, 3, 4), (4, 3, 4), (4, 4, 4)] {
        (1..=most).for_each(|mines| compare(width, height, mines));
    }
}

/// `cargo test --release --no-default-features --test optimum -- --ignored --nocapture`
#[test]
#[ignore = "minutes"]
fn the_optimum_of_larger_boards_counted_twice() {
    for (width, height, mines) in [(5, 4, 4), (5, 5, 5), (6, 5, 5), (6, 6, 6)] {
        compare(width, height, mines);
    }
}
