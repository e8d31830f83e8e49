//! The deals of a whole board, as the search for best play asks them: what tiles show is counted from the mines, and a set is
//! known by what is uncertain in it, turned or mirrored.

use super::symmetry::{Turn, least};
use super::{Deal, fingerprint, ones};
use crate::solver::best_play::{Bounds, Look, Source};
use crate::solver::sets::{ODD, spread};

/// The search of whole boards.
pub(super) type BestPlay = crate::solver::best_play::BestPlay<Deals>;

/// The board that deals are made on.
#[derive(Clone, Debug, Default)]
pub(super) struct Deals {
    around: Vec<u64>,
    turns: Vec<Turn>,
}

/// The weight of the deals with a mine on each tile, and of all.
#[derive(Clone, Debug)]
pub(super) struct Mines {
    mines: [u64; 64],
    all: u64,
}

impl Default for Mines {
    fn default() -> Self {
        Self { mines: [0; 64], all: 0 }
    }
}

impl Deals {
    pub fn new(around: &[u64], turns: Vec<Turn>) -> Self {
        Self { around: around.to_vec(), turns }
    }

    /// What the tiles of `safe` show of the deals goes into `said`; false if it is the same for all.
    fn say(&self, deals: &[Deal], safe: u64, uncertain: u64, said: &mut Vec<(u64, Deal)>) -> bool {
        // A random word a tile, times its number, and the sum over the tiles: so every mine adds the words of the safe
        // tiles around it.
        let mut says = [0u64; 64];
        for tile in ones(safe) {
            let word = spread(tile as u64 ^ ODD[0]);
            ones(self.around[tile] & uncertain).for_each(|mine| says[mine] = says[mine].wrapping_add(word));
        }
        let says = |deal: &Deal| ones(deal.mines & uncertain).fold(0u64, |sum, mine| sum.wrapping_add(says[mine]));
        let first = says(&deals[0]);
        if deals.iter().all(|deal| says(deal) == first) {
            return false;
        }
        said.clear();
        said.extend(deals.iter().map(|deal| (spread(says(deal)), *deal)));
        true
    }
}

impl Source for Deals {
    type Member = Deal;
    /// Tiles that are covered, none of which is open.
    type Left = u64;
    type Key = u128;
    type Survey = Mines;

    const BOUNDS: Bounds = Bounds { ordered: 12, large: 48, refined: 65 };

    fn weight(&self, deals: &[Deal]) -> u64 {
        deals.iter().map(|deal| u64::from(deal.weight)).sum()
    }

    fn of_two(&self, one: Deal, other: Deal, covered: u64) -> u64 {
        let mines = one.mines | other.mines;
        let tells = |tile: usize| {
            (one.mines & self.around[tile]).count_ones() != (other.mines & self.around[tile]).count_ones()
        };
        let uncertain = covered & mines;
        let is_over = |deal: Deal| deal.mines & uncertain == uncertain;
        if is_over(one) || is_over(other) || ones(covered & !mines).any(tells) {
            u64::from(one.weight) + u64::from(other.weight)
        } else {
            one.weight.max(other.weight).into()
        }
    }

    fn most_alike(&self, deals: &[Deal]) -> u64 {
        deals.iter().map(|deal| u64::from(deal.weight)).max().unwrap_or(0)
    }

    fn look(&self, deals: &mut [Deal], covered: &mut u64, survey: &mut Mines, said: &mut Vec<(u64, Deal)>) -> Look {
        let (mut any, mut all) = (0, u64::MAX);
        for deal in &*deals {
            any |= deal.mines;
            all &= deal.mines;
        }
        // Only where the number of mines is not known, or a tile cannot be opened, can one deal be over and another not.
        let left = *covered & any;
        let is_over = |deal: &Deal| deal.mines & left == left;
        if deals.iter().any(is_over) {
            deals.sort_unstable_by_key(|deal| !is_over(deal));
            return Look::Over(deals.partition_point(is_over));
        }
        // What certain mines add is the same for all.
        let is_told = self.say(deals, *covered & !any, any & !all, said);
        *covered = left;
        if is_told {
            return Look::Apart;
        }
        let uncertain = left & !all;
        *covered = uncertain;
        *survey = Mines::default();
        for deal in &*deals {
            let weight = u64::from(deal.weight);
            survey.all += weight;
            ones(deal.mines & uncertain).for_each(|tile| survey.mines[tile] += weight);
        }
        Look::Nothing
    }

    /// The same for the images of a set.
    fn key(&self, deals: &[Deal], uncertain: u64, survey: Option<&Mines>) -> Option<u128> {
        let mines = &survey?.mines;
        let (any, all) = deals.iter().fold((0, u64::MAX), |(any, all), deal| (any | deal.mines, all & deal.mines));
        // Where some tiles cannot be opened, it matters which.
        let open = (any & !all != uncertain).then_some(uncertain);
        let key = |image: &dyn Fn(u64) -> u64| {
            let deals = deals.iter().map(|deal| (image(deal.mines & !all), deal.weight));
            fingerprint(deals.chain(open.map(|open| (image(open), 0))))
        };
        let turned = least(&self.turns, mines).map(|turn| key(&|tiles| turn.image(tiles)));
        turned.min().or_else(|| Some(key(&|tiles| tiles)))
    }

    fn choices(&self, survey: &Mines, uncertain: u64) -> impl Iterator<Item = (u64, usize)> {
        ones(uncertain).map(|tile| (survey.all - survey.mines[tile], tile))
    }

    fn shown(&self, tile: usize) -> impl Fn(Deal) -> u8 {
        let around = self.around[tile];
        move |deal: Deal| {
            if deal.mines >> tile & 1 == 1 { 0 } else { 1 + (deal.mines & around).count_ones() as u8 }
        }
    }

    fn without(&self, covered: u64, tile: usize) -> u64 {
        covered & !(1 << tile)
    }

    fn tiles(&self, uncertain: u64) -> usize {
        uncertain.count_ones() as usize
    }
}
