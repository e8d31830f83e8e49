//! How many deals of a set are won under best play, as a whole number: the exact optimum, found by search with bounds.
//!
//! A set of deals is all that a player knows. Tiles that are safe in every deal are opened at once and part the set by
//! what they show; else every tile that tells something is tried, the most promising first:
//!
//! ```text
//!             { deals }                     won: at most those in which the safest tile is safe
//!            /         \
//!      open A           open B ...          won: the sum over the numbers it can show
//!     /  |   \
//!    1   2    3         mines are lost      a move is left as soon as the sum of the bounds
//!    |   |    |                             cannot beat the best move so far
//!  {..} {..} {..}                           sets met before, turned or mirrored, are looked up
//! ```
//!
//! The sum of the bounds of what a move leads to is worked out when the move is the most promising, and decides whether
//! it still is; so it is for the sets that a move leads to, before any of them is searched.
//!
//! A *dead* tile, which shows the same number in all deals in which it is safe, is never better than one that tells
//! something; if all are dead the most likely deal is played for.

use super::symmetry::{Turn, least};
use super::{BeyondReach, Deal, fingerprint, ones, sort_by_number};
use crate::solver::sets::{Known, ODD, Parting, Won, spread};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Searches sets of deals on one board; what it finds is kept.
#[derive(Default)]
pub(super) struct BestPlay {
    around: Vec<u64>,
    turns: Vec<Turn>,
    /// By fingerprint.
    known: Known<u128>,
    work_left: usize,
    /// Whether moves are only being put in order: then large sets are not looked up, which would take longer than it
    /// spares.
    is_ordering: bool,
    /// Room to sort deals in: by one number, and by all that they say.
    sorted: Vec<(u8, Deal)>,
    parting: Parting<Deal>,
    /// The parts of all moves in work that have to be searched, as a stack.
    parts: Vec<Part>,
}

/// Sets from so many deals on are not looked up while moves are put in order.
const LARGE: usize = 48;

/// Sets from so many deals on have their moves put in order by the sum of the bounds of what they lead to.
const ORDERED: usize = 12;

/// Sets from so many deals on are bounded by their moves before any set beside them is searched.
const REFINED: usize = 65;

/// A set of deals without any safe tile that has to be searched, as a range of its parent's.
#[derive(Clone, Copy, Debug)]
struct Part {
    begin: usize,
    end: usize,
    covered: u64,
    key: u128,
    /// Deals won at most.
    won: u64,
}

impl BestPlay {
    pub fn new(around: &[u64], turns: Vec<Turn>) -> Self {
        Self { around: around.to_vec(), turns, ..Self::default() }
    }

    /// Sets remembered.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// The work that may be done from now on: deals looked at, times tiles.
    pub fn allow(&mut self, work: usize) {
        self.work_left = work;
    }

    /// The weight of the deals that are won under best play if the tiles of `covered` are left. Exact if more than
    /// `enough`; else no more than what is returned are won. The deals are put in another order, never changed.
    ///
    /// # Errors
    /// More work than is allowed.
    pub fn won(&mut self, deals: &mut [Deal], covered: u64, enough: u64) -> Result<u64, BeyondReach> {
        let first = self.parts.len();
        let most = self.settle(deals, 0, covered);
        let won = self.finish(deals, first, most, enough);
        self.parts.truncate(first);
        won
    }

    /// The same if `tile` is opened next.
    ///
    /// # Errors
    /// More work than is allowed.
    pub fn won_after(
        &mut self,
        deals: &mut [Deal],
        covered: u64,
        tile: usize,
        enough: u64,
    ) -> Result<u64, BeyondReach> {
        let first = self.parts.len();
        let most = self.open(deals, covered, tile, enough).map_or_else(|most| most, |(most, _)| most);
        let won = if most > enough { self.finish(deals, first, most, enough) } else { Ok(most) };
        self.parts.truncate(first);
        won
    }

    /// Parts the deals by the number at `tile`; `parts` grows. Returns the deals won at most and whether the tile tells
    /// anything; an error if it is not more than `enough`.
    fn open(&mut self, deals: &mut [Deal], covered: u64, tile: usize, enough: u64) -> Result<(u64, bool), u64> {
        let ends = sort_by_number(deals, tile, self.around[tile], &mut self.sorted);
        let mut most: u64 = deals[..ends[8]].iter().map(|deal| u64::from(deal.weight)).sum();
        let (mut begin, mut numbers) = (0, 0);
        for end in ends {
            if begin == end {
                continue;
            }
            numbers += 1;
            let same = &mut deals[begin..end];
            let all: u64 = same.iter().map(|deal| u64::from(deal.weight)).sum();
            most -= all - self.settle(same, begin, covered & !(1 << tile));
            if most <= enough {
                return Err(most);
            }
            begin = end;
        }
        Ok((most, numbers > 1))
    }

    /// Opens everything that is safe, to the end, and adds what has to be searched to `parts`; the first deal is at
    /// `offset` there. Returns the deals won at most.
    fn settle(&mut self, deals: &mut [Deal], offset: usize, mut covered: u64) -> u64 {
        if let [deal] = deals {
            return deal.weight.into();
        }
        let (mut any, mut all) = (0, u64::MAX);
        for deal in &*deals {
            any |= deal.mines;
            all &= deal.mines;
        }
        let safe = covered & !any;
        covered &= any;
        let uncertain = any & !all & covered;
        // Only where the number of mines is not known can one deal be over and another not.
        let is_over = |deal: &Deal| deal.mines & covered == covered;
        if deals.iter().any(is_over) {
            deals.sort_unstable_by_key(|deal| !is_over(deal));
            let open = deals.partition_point(is_over);
            let won: u64 = deals[..open].iter().map(|deal| u64::from(deal.weight)).sum();
            return won + self.settle(&mut deals[open..], offset + open, covered);
        }
        if let Some(sizes) = self.sort_by_numbers(deals, safe, uncertain) {
            let (mut begin, mut won) = (0, 0);
            for size in sizes {
                won += self.settle(&mut deals[begin..begin + size], offset + begin, covered);
                begin += size;
            }
            return won;
        }
        self.part(deals, offset, covered & uncertain)
    }

    /// Sorts the deals by the numbers that the tiles of `safe` show; the sizes of what is alike, or nothing if all is.
    fn sort_by_numbers(&mut self, deals: &mut [Deal], safe: u64, uncertain: u64) -> Option<Vec<usize>> {
        // A random word a tile, times its number, and the sum over the tiles: so every mine adds the words of the safe
        // tiles around it.
        let mut says = [0u64; 64];
        for tile in ones(safe) {
            let word = spread(tile as u64 ^ ODD[0]);
            ones(self.around[tile] & uncertain).for_each(|mine| says[mine] = says[mine].wrapping_add(word));
        }
        let said = |deal: &Deal| ones(deal.mines & uncertain).fold(0u64, |sum, mine| sum.wrapping_add(says[mine]));
        let first = said(&deals[0]);
        deals.iter().find(|deal| said(deal) != first)?;
        self.parting.said.clear();
        self.parting.said.extend(deals.iter().map(|deal| (spread(said(deal)), *deal)));
        let mut sizes = Vec::new();
        self.parting.part(deals, &mut sizes);
        Some(sizes)
    }

    /// What is won at most of a set without safe tiles, before it is searched; `parts` grows where it has to be.
    fn part(&mut self, deals: &[Deal], begin: usize, covered: u64) -> u64 {
        // Two deals without a tile that is safe in both: one of them is played for.
        if deals.len() <= 2 {
            return heaviest(deals);
        }
        let (mines, all) = mines_at(deals, covered);
        let mut won = ones(covered).map(|tile| all - mines[tile]).max().unwrap_or(0);
        let mut key = 0;
        if !self.is_ordering || deals.len() < LARGE {
            key = self.key(deals, covered, &mines);
            if let Some(known) = self.known.get(&key) {
                won = known.most();
                if known.is_exact() {
                    return won;
                }
            }
        }
        self.parts.push(Part { begin, end: begin + deals.len(), covered, key, won });
        won
    }

    /// Searches the parts from `first` on; `most` deals are won at most.
    fn finish(&mut self, deals: &mut [Deal], first: usize, mut most: u64, enough: u64) -> Result<u64, BeyondReach> {
        // Small parts first: they are cheap, and what they lose is known early.
        self.parts[first..].sort_unstable_by_key(|part| (part.end - part.begin, part.begin));
        if enough > 0 {
            // All of them one step further first: most moves that are not good enough show it by then.
            for index in (first..self.parts.len()).rev() {
                let part = self.parts[index];
                if part.end - part.begin < REFINED {
                    break;
                }
                let won = self.refine(&mut deals[part.begin..part.end], part)?;
                self.parts[index].won = won;
                most -= part.won - won;
                if most <= enough {
                    return Ok(most);
                }
            }
        }
        for index in first..self.parts.len() {
            let part = self.parts[index];
            if most <= enough {
                break;
            }
            let others = most - part.won;
            let won = self.search(&mut deals[part.begin..part.end], part, enough.saturating_sub(others))?;
            most = others + won;
        }
        Ok(most)
    }

    /// A bound of what is won of a part: by its best tile, the sum of the bounds of what that leads to.
    fn refine(&mut self, deals: &mut [Deal], part: Part) -> Result<u64, BeyondReach> {
        let (mut tiles, mut best) = (self.tiles(deals, part.covered)?, heaviest(deals));
        while let Some((most, _, Reverse(tile))) = tiles.pop().filter(|(most, ..)| *most > best && best < part.won) {
            best = best.max(self.bound(deals, part.covered, tile, best).min(most));
        }
        let won = best.min(part.won);
        self.known.insert(part.key, Won::new(won, false));
        Ok(won)
    }

    /// Every tile with the deals in which it is safe, the safest first; none is bounded by what it leads to yet.
    fn tiles(&mut self, deals: &[Deal], covered: u64) -> Result<Choices, BeyondReach> {
        let (mines, all) = mines_at(deals, covered);
        let tiles: Choices = ones(covered).map(|tile| (all - mines[tile], false, Reverse(tile))).collect();
        self.work_left = self.work_left.checked_sub(deals.len() * tiles.len()).ok_or(BeyondReach)?;
        Ok(tiles)
    }

    /// The sum of the bounds of what `tile` leads to; not exact where it is not more than `enough`.
    fn bound(&mut self, deals: &mut [Deal], covered: u64, tile: usize, enough: u64) -> u64 {
        let first = self.parts.len();
        self.is_ordering = true;
        let most = match self.open(deals, covered, tile, enough) {
            Ok((most, true)) => most,
            Ok((_, false)) => 0,
            Err(most) => most,
        };
        self.is_ordering = false;
        self.parts.truncate(first);
        most
    }

    /// The deals of a part that are won, by its best tile. Exact if more than `enough`.
    fn search(&mut self, deals: &mut [Deal], part: Part, enough: u64) -> Result<u64, BeyondReach> {
        let mut tiles = self.tiles(deals, part.covered)?;
        // Any deal can be played for, whatever the others are.
        let heaviest = heaviest(deals);
        let (mut best, mut bound) = (enough.max(heaviest), heaviest);
        let first = self.parts.len();
        while let Some((most, is_bounded, Reverse(tile))) = tiles.pop() {
            if most <= best {
                bound = bound.max(most);
                break;
            }
            if !is_bounded && deals.len() >= ORDERED {
                tiles.push((self.bound(deals, part.covered, tile, best), true, Reverse(tile)));
                continue;
            }
            let won = match self.open(deals, part.covered, tile, best) {
                Ok((_, false)) => 0,
                Ok((most, true)) => self.finish(deals, first, most, best)?,
                Err(most) => most,
            };
            self.parts.truncate(first);
            (best, bound) = (best.max(won), bound.max(won));
        }
        let (won, is_exact) = if best > enough { (best, true) } else { (bound, false) };
        self.known.insert(part.key, Won::new(won, is_exact));
        Ok(won)
    }

    /// A fingerprint of a set of deals, the same for its images. `mines` is what [`mines_at`] says of the set.
    fn key(&self, deals: &[Deal], uncertain: u64, mines: &[u64; 64]) -> u128 {
        let key = |image: &dyn Fn(u64) -> u64| {
            fingerprint(deals.iter().map(|deal| (image(deal.mines & uncertain), deal.weight)))
        };
        let turned = least(&self.turns, mines).map(|turn| key(&|tiles| turn.image(tiles)));
        turned.min().unwrap_or_else(|| key(&|tiles| tiles))
    }
}

/// Tiles with what they win at most, whether that is by what they lead to, and their number.
type Choices = BinaryHeap<(u64, bool, Reverse<usize>)>;

/// The weight of the deals with a mine on each tile of `open`, and of all deals.
fn mines_at(deals: &[Deal], open: u64) -> ([u64; 64], u64) {
    let (mut mines, mut all) = ([0; 64], 0);
    for deal in deals {
        let weight = u64::from(deal.weight);
        all += weight;
        ones(deal.mines & open).for_each(|tile| mines[tile] += weight);
    }
    (mines, all)
}

fn heaviest(deals: &[Deal]) -> u64 {
    deals.iter().map(|deal| u64::from(deal.weight)).max().unwrap_or(0)
}
