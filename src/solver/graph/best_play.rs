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
//! A *dead* tile, which shows the same number in all deals in which it is safe, is never better than one that tells
//! something; if all are dead the most likely deal is played for.

use super::symmetry::Turn;
use super::{BeyondReach, Deal, Unchanged, ones};
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

/// Searches sets of deals on one board; what it finds is kept.
#[derive(Default)]
pub(super) struct BestPlay {
    around: Vec<u64>,
    turns: Vec<Turn>,
    /// By fingerprint: deals won, doubled, and one more if that is exact and not only a bound from above.
    known: HashMap<u128, u64, BuildHasherDefault<Unchanged>>,
    work_left: usize,
    /// Whether moves are only being put in order: then large sets are not looked up, which would take longer than it
    /// spares.
    is_ordering: bool,
    /// Room to sort in, and the parts of all moves in work, as a stack.
    keyed: Vec<(u64, Deal)>,
    parts: Vec<Part>,
}

/// Sets from so many deals on are looked up by the least of their images' fingerprints; smaller ones by their own.
const TURNED: usize = 48;

/// Sets from so many deals on have their moves put in order by the sum of the bounds of what they lead to.
const ORDERED: usize = 12;

/// A set of deals without any safe tile, as a range of its parent's.
#[derive(Clone, Copy, Debug)]
struct Part {
    begin: usize,
    end: usize,
    covered: u64,
    key: u128,
    /// Deals won: exactly, or at most.
    won: u64,
    is_exact: bool,
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
        self.settle(deals, 0, covered);
        let most = self.parts[first..].iter().map(|part| part.won).sum();
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
        let ends = self.sort_by_number(deals, tile);
        let mut most: u64 = deals[..ends[8]].iter().map(|deal| u64::from(deal.weight)).sum();
        let (mut begin, mut numbers) = (0, 0);
        for end in ends {
            if begin == end {
                continue;
            }
            numbers += 1;
            let (first, same) = (self.parts.len(), &mut deals[begin..end]);
            let all: u64 = same.iter().map(|deal| u64::from(deal.weight)).sum();
            self.settle(same, begin, covered & !(1 << tile));
            most -= all - self.parts[first..].iter().map(|part| part.won).sum::<u64>();
            if most <= enough {
                return Err(most);
            }
            begin = end;
        }
        Ok((most, numbers > 1))
    }

    /// Opens everything that is safe, to the end, and adds what is left to `parts`; the first deal is at `offset` there.
    fn settle(&mut self, deals: &mut [Deal], offset: usize, mut covered: u64) {
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
        if deals.len() > 1 && deals.iter().any(is_over) {
            deals.sort_unstable_by_key(|deal| !is_over(deal));
            let open = deals.partition_point(is_over);
            let won = deals[..open].iter().map(|deal| u64::from(deal.weight)).sum();
            self.parts.push(Part { begin: offset, end: offset + open, covered: 0, key: 0, won, is_exact: true });
            return self.settle(&mut deals[open..], offset + open, covered);
        }
        let mut telling = ones(safe).filter(|&tile| self.around[tile] & uncertain != 0).peekable();
        if telling.peek().is_some() {
            self.keyed.clear();
            self.keyed.extend(deals.iter().map(|deal| (0, *deal)));
            for tile in telling {
                let around = self.around[tile];
                for (shown, deal) in &mut self.keyed {
                    let number = u64::from((deal.mines & around).count_ones());
                    *shown = (*shown ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
                    *shown ^= *shown >> 29;
                }
            }
            let first = self.keyed[0].0;
            if self.keyed.iter().any(|(shown, _)| *shown != first) {
                self.keyed.sort_unstable_by_key(|(shown, _)| *shown);
                let sizes: Vec<usize> = self.keyed.chunk_by(|one, other| one.0 == other.0).map(<[_]>::len).collect();
                deals.iter_mut().zip(&self.keyed).for_each(|(deal, (_, sorted))| *deal = *sorted);
                let mut begin = 0;
                for size in sizes {
                    self.settle(&mut deals[begin..begin + size], offset + begin, covered);
                    begin += size;
                }
                return;
            }
        }
        let part = self.part(deals, offset, covered, uncertain);
        self.parts.push(part);
    }

    /// What is known of a set without safe tiles before it is searched.
    fn part(&self, deals: &[Deal], offset: usize, covered: u64, uncertain: u64) -> Part {
        let (begin, end, covered) = (offset, offset + deals.len(), covered & uncertain);
        // Two deals without a tile that is safe in both: one of them is played for.
        if deals.len() <= 2 {
            return Part { begin, end, covered, key: 0, won: heaviest(deals), is_exact: true };
        }
        let is_looked_up = !self.is_ordering || deals.len() < TURNED;
        let key = if is_looked_up { self.key(deals, uncertain) } else { 0 };
        let (won, is_exact) = match self.known.get(&key).filter(|_| is_looked_up) {
            Some(known) => (known >> 1, known & 1 == 1),
            None => {
                let (mines, all) = mines_at(deals, covered);
                (ones(covered).map(|tile| all - mines[tile]).max().unwrap_or(0), false)
            }
        };
        Part { begin, end, covered, key, won, is_exact }
    }

    /// Searches the parts from `first` on; `most` deals are won at most.
    fn finish(&mut self, deals: &mut [Deal], first: usize, mut most: u64, enough: u64) -> Result<u64, BeyondReach> {
        // Small parts first: they are cheap, and what they lose is known early.
        self.parts[first..].sort_unstable_by_key(|part| (part.end - part.begin, part.begin));
        for index in first..self.parts.len() {
            let part = self.parts[index];
            if most <= enough {
                break;
            }
            if part.is_exact {
                continue;
            }
            let others = most - part.won;
            let won = self.search(&mut deals[part.begin..part.end], part, enough.saturating_sub(others))?;
            most = others + won;
        }
        Ok(most)
    }

    /// The deals of a part that are won, by its best tile. Exact if more than `enough`.
    fn search(&mut self, deals: &mut [Deal], part: Part, enough: u64) -> Result<u64, BeyondReach> {
        let (mines, all) = mines_at(deals, part.covered);
        let mut tiles: Vec<(u64, usize)> = ones(part.covered).map(|tile| (all - mines[tile], tile)).collect();
        let by_most = |&(most, tile): &(u64, usize)| (std::cmp::Reverse(most), tile);
        tiles.sort_unstable_by_key(by_most);
        self.work_left = self.work_left.checked_sub(deals.len() * tiles.len()).ok_or(BeyondReach)?;
        // Any deal can be played for, whatever the others are.
        let heaviest = heaviest(deals);
        let (mut best, mut bound) = (enough.max(heaviest), heaviest);
        let first = self.parts.len();
        if deals.len() >= ORDERED {
            self.is_ordering = true;
            for (most, tile) in tiles.iter_mut().take_while(|(most, _)| *most > best) {
                *most = match self.open(deals, part.covered, *tile, best) {
                    Ok((most, true)) => most,
                    Ok((_, false)) => 0,
                    Err(most) => most,
                };
                self.parts.truncate(first);
            }
            self.is_ordering = false;
            tiles.sort_unstable_by_key(by_most);
        }
        for &(most, tile) in &tiles {
            if most <= best {
                bound = bound.max(most);
                break;
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
        self.known.insert(part.key, won << 1 | u64::from(is_exact));
        Ok(won)
    }

    /// Sorts the deals by the number that `tile` shows, those with a mine there last. Gives where each number ends.
    fn sort_by_number(&mut self, deals: &mut [Deal], tile: usize) -> [usize; 9] {
        let around = self.around[tile];
        let shows =
            |deal: &Deal| if deal.mines >> tile & 1 == 1 { 9 } else { (deal.mines & around).count_ones() as usize };
        let mut places = [0; 11];
        self.keyed.clear();
        for deal in &*deals {
            let number = shows(deal);
            places[number + 1] += 1;
            self.keyed.push((number as u64, *deal));
        }
        for number in 0..10 {
            places[number + 1] += places[number];
        }
        for (number, deal) in &self.keyed {
            let place = &mut places[*number as usize];
            deals[*place] = *deal;
            *place += 1;
        }
        std::array::from_fn(|number| places[number])
    }

    /// A fingerprint of a set of deals, whatever their order, and of large sets the same for its images: 128 bits, so
    /// that two of a billion sets share theirs with a chance below 1e-20.
    fn key(&self, deals: &[Deal], uncertain: u64) -> u128 {
        let plain = |deal: &Deal| deal.mines & uncertain;
        if deals.len() < TURNED || self.turns.len() < 2 {
            return u128::from(sum(deals, plain, FIRST)) << 64 | u128::from(sum(deals, plain, SECOND));
        }
        let turned = self.turns.iter().map(|turn| (sum(deals, |deal| turn.image(plain(deal)), FIRST), turn));
        let Some((first, turn)) = turned.min_by_key(|(first, _)| *first) else { return 0 };
        u128::from(first) << 64 | u128::from(sum(deals, |deal| turn.image(plain(deal)), SECOND))
    }
}

/// Odd random constants, one for each half of a fingerprint.
const FIRST: u64 = 0x9E37_79B9_7F4A_7C15;
const SECOND: u64 = 0xD6E8_FEB8_6659_FD93;

/// The sum over some deals of a word in which every bit depends on all bits of a deal (after SplitMix64).
#[inline]
fn sum(deals: &[Deal], mines: impl Fn(&Deal) -> u64, odd: u64) -> u64 {
    let word = |deal: &Deal| {
        let mut z = (mines(deal) ^ odd).wrapping_add(u64::from(deal.weight)).wrapping_mul(odd);
        z = (z ^ (z >> 32)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 29)
    };
    deals.iter().map(word).fold(0, u64::wrapping_add)
}

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
