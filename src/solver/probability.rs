//! The exact risk of every tile, over the whole board.
//!
//! Components meet only in the total number of mines. Their counts by mines used are multiplied up a binary tree; the
//! ways to lay the remaining mines on tiles without information weigh every total; going down the tree again gives
//! each component the weight of everything else, and the second pass of [`Counter`] the risk of its boxes.
//!
//! Big boards would leave the range of floating point numbers, so there every mine is first weighed by the odds at
//! which the typical total comes out (`balance`): such a tilt changes no probability, for all explanations of a
//! board have the same number of mines. Whether something is *possible* never rests on a rounded number: a count that
//! is not zero stays above zero whatever is scaled, and tiles are safe or mines by the counts that are zero.
//!
//! If the total is not known, every covered tile is taken to hold a mine with the density of an expert board,
//! [`UNKNOWN_TOTAL_DENSITY`], independently of all others, before the numbers are looked at.

mod draw;
mod numbers;

pub use numbers::{Numbers, Shown};

use super::constraints::{Constraints, MINE, Position, SAFE, UNKNOWN};
use super::count::{Counter, TooWide};
use super::singles::Singles;
use super::ways::log_choose;
use super::{GuessKind, Impossible};
use crate::board::Board;
use crate::geometry::{BoardSize, Cell};
use num_bigint::BigUint;

/// Density of mines where their total is not known: 99 on 30x16.
pub const UNKNOWN_TOTAL_DENSITY: f64 = 99.0 / 480.0;

/// Work that a player does before a position is refused, in merged states: some 30 ms and 30 MB. Games come to 41,000
/// states at most (`results/solver.md`).
pub(super) const REACH: usize = 400_000;

/// The same for a question about one position, for which a person waits: about a second and 200 MB.
const PATIENT: usize = 3_000_000;

/// Unknown tiles from which on counts are balanced; below, no count can leave the range of an `f64`.
const BALANCE_FROM: usize = 900;

/// Why a position has no risks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unsolved {
    /// Nothing explains it.
    #[error(transparent)]
    Impossible(#[from] Impossible),
    /// It would take too long.
    #[error(
        "this position is beyond reach: its widest frontier is estimated to need more than {states} merged states; \
         open more of the numbers that separate its parts"
    )]
    BeyondReach {
        /// States tried before giving up.
        states: usize,
    },
}

/// What is known of every tile of a board.
#[derive(Clone, Debug, PartialEq)]
pub struct Risks {
    size: BoardSize,
    risk: Vec<f64>,
}

impl Risks {
    /// The chance of a mine on a tile that may hold one (covered or not recognised); 0 and 1 are certain, and nothing
    /// uncertain is rounded to them. `None` for open tiles; 1 for a mine that is shown.
    pub fn risk(&self, cell: Cell) -> Option<f64> {
        Some(self.risk[self.size.index(cell)]).filter(|risk| !risk.is_nan())
    }

    /// The risk that all tiles share of which no number of `board` tells anything, if there are such tiles and it is not certain.
    pub fn elsewhere(&self, board: &Board) -> Option<f64> {
        let far = |&cell: &Cell| self.size.neighbours(cell).all(|other| board.tile(other).number().is_none());
        self.size.cells().filter(far).find_map(|cell| self.risk(cell).filter(|&risk| risk > 0.0 && risk < 1.0))
    }

    /// All cells whose risk is exactly `risk`, row by row.
    pub fn cells_at(&self, risk: f64) -> impl Iterator<Item = Cell> {
        self.risk.iter().enumerate().filter(move |(_, at)| **at == risk).map(|(index, _)| self.size.cell(index))
    }
}

/// The exact risk of every tile of `board`.
///
/// # Errors
/// Nothing explains the board, or it is beyond reach.
pub fn risks(board: &Board) -> Result<Risks, Unsolved> {
    let mut engine = Engine::default();
    engine.position.read(board);
    engine.constraints.conclude(&engine.position)?;
    engine.solve()?;
    Ok(Risks { size: board.size(), risk: engine.risk })
}

/// The share of the explanations that have a mine on each tile: the same as [`risks`], except where the total of mines
/// is not known. There every arrangement that explains `board` counts the same here, as in [`explanations`].
///
/// # Errors
/// Nothing explains the board, or it is beyond reach.
pub fn shares(board: &Board) -> Result<Risks, Unsolved> {
    let mut engine = Engine { unknown_total: Density(0.5), reach: Reach(PATIENT), ..Engine::default() };
    engine.position.read(board);
    engine.constraints.conclude(&engine.position)?;
    engine.solve()?;
    Ok(Risks { size: board.size(), risk: engine.risk })
}

/// The natural logarithm of the chance that mines laid at random agree with all that is open on `board`: a mine on every covered tile
/// with this density, independently of all others, if their total is not known, else that many on the covered tiles.
///
/// # Errors
/// Nothing explains the board, or it is beyond reach.
pub fn log_chance(board: &Board, density: f64) -> Result<f64, Unsolved> {
    let mut engine = Engine { unknown_total: Density(density), ..Engine::default() };
    engine.position.read(board);
    engine.constraints.conclude(&engine.position)?;
    engine.solve()?;
    let covered = board.tiles().iter().filter(|tile| tile.may_be_mine()).count();
    let Some(mines) = board.mines() else {
        // Tiles without information take every value; of the others, mines that were concluded are not in the sum yet, nor are the
        // numbers of mines in all components together.
        let totals = engine.products[0].terms.iter().sum::<f64>().ln();
        let settled = (covered - engine.constraints.rest as usize) as f64;
        let concluded = engine.constraints.mines.len() as f64;
        return Ok(engine.log_explanations
            + totals
            + concluded * (density / (1.0 - density)).ln()
            + settled * (1.0 - density).ln());
    };
    let shown = board.tiles().iter().filter(|tile| tile.is_shown_mine()).count() as i64;
    Ok(engine.log_explanations - log_choose(&mut engine.log_factorials, covered as i64, i64::from(mines) - shown))
}

/// The exact number of arrangements of mines that explain `board`; 0 if there is none. If the total is not known,
/// arrangements of any total count.
///
/// # Errors
/// The board is beyond reach.
pub fn explanations(board: &Board) -> Result<BigUint, Unsolved> {
    let mut engine = Engine::default();
    engine.position.read(board);
    if engine.constraints.conclude(&engine.position).is_err() {
        return Ok(BigUint::ZERO);
    }
    engine.constraints.group(&engine.position);
    engine.counter.count(&engine.constraints, 1.0, PATIENT).map_err(Reach(PATIENT).exceeded())?;
    Ok(super::explanations::total(&engine.constraints, &engine.counter))
}

/// Counts by mines used, from `fewest` up; for [`Numbers`] each of them by the mines around a tile, from 0 to `degree`.
#[derive(Clone, Debug, Default)]
struct Series {
    fewest: usize,
    degree: usize,
    terms: Vec<f64>,
    /// What the terms were divided by.
    scale: f64,
}

impl Series {
    fn len(&self) -> usize {
        self.terms.len() / (self.degree + 1)
    }

    fn term(&self, index: usize) -> &[f64] {
        &self.terms[index * (self.degree + 1)..][..=self.degree]
    }

    fn begin(&mut self, fewest: usize, len: usize, degree: usize) {
        (self.fewest, self.degree) = (fewest, degree);
        self.terms.clear();
        self.terms.resize(len * (degree + 1), 0.0);
    }

    /// Adds the product of two terms to the term `index`.
    #[inline]
    fn add(&mut self, index: usize, one: &[f64], other: &[f64]) {
        let into = &mut self.terms[index * (self.degree + 1)..][..=self.degree];
        for (place, &one) in one.iter().enumerate().filter(|(_, one)| **one > 0.0) {
            for (sum, &other) in into[place..].iter_mut().zip(other) {
                *sum += both(one, other);
            }
        }
    }

    /// The counts of two parts together.
    fn set_product(&mut self, one: &Series, other: &Series) {
        self.begin(one.fewest + other.fewest, one.len() + other.len() - 1, one.degree + other.degree);
        for index in 0..one.len() {
            for more in 0..other.len() {
                self.add(index + more, one.term(index), other.term(more));
            }
        }
    }

    /// What everything but `own` weighs, where everything but `own` and `sibling` weighs `weight`.
    fn set_others(&mut self, weight: &Series, own: &Series, sibling: &Series) {
        self.begin(own.fewest, own.len(), weight.degree + sibling.degree);
        for index in 0..own.len() {
            for more in 0..sibling.len() {
                self.add(index, weight.term(index + more), sibling.term(more));
            }
        }
    }
}

/// The chance of a mine on a tile before the numbers are looked at.
#[derive(Clone, Copy, Debug)]
struct Density(f64);

impl Default for Density {
    fn default() -> Self {
        Density(UNKNOWN_TOTAL_DENSITY)
    }
}

/// So many merged states are in reach.
#[derive(Clone, Copy, Debug)]
struct Reach(usize);

impl Default for Reach {
    fn default() -> Self {
        Reach(REACH)
    }
}

impl Reach {
    /// What is said of a position that takes more.
    fn exceeded(self) -> impl Fn(TooWide) -> Unsolved {
        move |TooWide| Unsolved::BeyondReach { states: self.0 }
    }
}

/// Works out positions one after another, without new memory.
#[derive(Clone, Debug, Default)]
pub struct Engine {
    reach: Reach,
    /// What is assumed where the total of mines is not known.
    unknown_total: Density,
    /// What single numbers say of the board before, to go on from.
    pub singles: Singles,
    /// The position in work.
    pub position: Position,
    /// What it says.
    pub constraints: Constraints,
    /// How its components were counted.
    pub counter: Counter,
    /// The risk of every tile: 0 and 1 only where certain, not a number where open.
    pub risk: Vec<f64>,
    /// The risk of tiles without information.
    pub rest_risk: f64,
    /// By tile how much likelier it is to be safe than the explanations alone say; empty where they are all alike.
    leaning: Vec<f64>,
    /// Natural logarithm of the number of explanations (of their total weight, if the total of mines is not known).
    pub log_explanations: f64,
    /// Nodes of the product tree: children of i are 2i + 1 and 2i + 2.
    products: Vec<Series>,
    /// The weight of everything else, in the same tree.
    others: Vec<Series>,
    /// What everything else weighs for one component, at the odds of its counts.
    tilted: Vec<f64>,
    /// Components whose number of mines is the same in every explanation.
    fixed: Vec<bool>,
    /// What a mine weighed when the components were counted, and what the counts were tilted by afterwards.
    odds: f64,
    tilt: f64,
    log_factorials: Vec<f64>,
}

impl Engine {
    /// Works out the risk of every tile, after [`Constraints::conclude`].
    ///
    /// # Errors
    /// Nothing explains the position, or it is beyond reach.
    pub fn solve(&mut self) -> Result<(), Unsolved> {
        let position = std::mem::take(&mut self.position);
        self.constraints.group(&position);
        let weighed = self.weigh_all(&position, &Counter::default());
        self.position = position;
        weighed?;
        self.divide();
        self.fill_in();
        self.leaning.clear();
        if self.position.moved_mine {
            self.lean();
        }
        Ok(())
    }

    /// How much likelier a tile is to be safe than by the number of explanations alone.
    pub fn leaning(&self, tile: u32) -> f64 {
        self.leaning.get(tile as usize).copied().unwrap_or(1.0)
    }

    /// Explanations that begin with k mines count k + 1 times: once for every j up to k in the sum over all explanations
    /// that begin with j mines. The risks become those of the sum; nothing becomes certain by it.
    fn lean(&mut self) {
        let mut forced = Engine::default();
        forced.position.clone_from(&self.position);
        forced.position.moved_mine = false;
        let even = self.risk.clone();
        let (mut sum, mut share) = (1.0, 1.0);
        let mut last = even.clone();
        for tile in 0..even.len() {
            match self.constraints.tiles[tile] {
                MINE => {}
                UNKNOWN => {
                    forced.position.tiles[tile] = MINE;
                    if forced.constraints.conclude(&forced.position).is_err() || forced.solve().is_err() {
                        break;
                    }
                    share = (forced.log_explanations - self.log_explanations).exp();
                    last.clone_from(&forced.risk);
                }
                _ => break,
            }
            if share < 1e-12 {
                break;
            }
            sum += share;
            self.risk.iter_mut().zip(&last).for_each(|(risk, last)| *risk += share * last);
        }
        for (risk, &even) in self.risk.iter_mut().zip(&even) {
            *risk = if even == 0.0 || even == 1.0 { even } else { *risk / sum };
        }
        let ratio = |(&risk, &even): (&f64, &f64)| if even < 1.0 { (1.0 - risk) / (1.0 - even) } else { 1.0 };
        self.leaning.extend(self.risk.iter().zip(&even).map(ratio));
    }

    /// Takes over the position of `parent`, on the board of `on`, with `tile` open and showing `number`, as far as the number of explanations
    /// (`log_explanations`); [`Engine::divide`] goes on to the tallies of the boxes.
    ///
    /// # Errors
    /// Nothing explains the position, or it is beyond reach.
    pub fn solve_opened(&mut self, parent: &Engine, on: &Position, tile: u32, number: u8) -> Result<(), Unsolved> {
        self.constraints.conclude_opened(on, &parent.constraints, tile, number)?;
        self.constraints.group_opened(on, &parent.constraints, tile);
        self.weigh_all(on, &parent.counter)
    }

    /// Counts and weighs what is grouped; of components that were taken over the counts are those of `before`.
    fn weigh_all(&mut self, position: &Position, before: &Counter) -> Result<(), Unsolved> {
        let mut odds = self.first_odds();
        let reach = self.reach;
        self.counter.count_opened(&self.constraints, odds, reach.0, before).map_err(reach.exceeded())?;
        let mut tilt = 1.0;
        if odds != 1.0 && self.constraints.mines_left.is_some() {
            tilt = self.balance(odds) / odds;
            let degree = self.counter.components.iter().map(|counted| counted.ways.len()).max().unwrap_or(0);
            // Where a component is so large that the counts themselves went out of range, count again.
            for _ in 0..3 {
                if degree as f64 * f64::ln(tilt).abs() < 200.0 {
                    break;
                }
                odds *= tilt;
                self.counter.count(&self.constraints, odds, reach.0).map_err(reach.exceeded())?;
                tilt = self.balance(odds) / odds;
            }
        }
        (self.odds, self.tilt) = (odds, tilt);
        self.multiply(position, tilt)?;
        Ok(self.weigh(odds, tilt)?)
    }

    /// What a mine weighs at first.
    fn first_odds(&self) -> f64 {
        let unknown = f64::from(self.constraints.rest) + self.boxed_tiles() as f64;
        match self.constraints.mines_left {
            None => self.unknown_total.0 / (1.0 - self.unknown_total.0),
            Some(_) if (unknown as usize) < BALANCE_FROM => 1.0,
            Some(mines) => {
                let share = (mines as f64 / unknown).clamp(0.001, 0.999);
                share / (1.0 - share)
            }
        }
    }

    fn boxed_tiles(&self) -> usize {
        self.constraints.boxes.iter().map(|boxed| boxed.cells().len()).sum()
    }

    /// The odds at which the expected total of mines is the true one; `counted_at` are those of the counts.
    fn balance(&self, counted_at: f64) -> f64 {
        let mines = self.constraints.mines_left.unwrap_or(0) as f64;
        let rest = f64::from(self.constraints.rest);
        let excess = |log_odds: f64| {
            let tilt = log_odds - counted_at.ln();
            let expected = self.counter.components.iter().map(|counted| {
                let log_weight = |index: usize| counted.ways[index].ln() + tilt * index as f64;
                let largest = (0..counted.ways.len()).map(log_weight).fold(f64::NEG_INFINITY, f64::max);
                let (mut sum, mut mines) = (0.0, 0.0);
                for index in 0..counted.ways.len() {
                    let weight = (log_weight(index) - largest).exp();
                    sum += weight;
                    mines += weight * index as f64;
                }
                f64::from(counted.fewest) + if sum > 0.0 { mines / sum } else { 0.0 }
            });
            let odds = log_odds.exp();
            expected.sum::<f64>() + rest * odds / (1.0 + odds) - mines
        };
        let (mut low, mut high) = (-12.0f64, 12.0f64);
        for _ in 0..40 {
            let middle = (low + high) / 2.0;
            if excess(middle) > 0.0 { high = middle } else { low = middle }
        }
        ((low + high) / 2.0).exp()
    }

    /// Up the tree: the counts of all components together.
    fn multiply(&mut self, position: &Position, tilt: f64) -> Result<(), Impossible> {
        let count = self.counter.components.len();
        let nodes = (2 * count.max(1)) - 1;
        self.products.resize_with(nodes.max(self.products.len()), Series::default);
        self.others.resize_with(nodes.max(self.others.len()), Series::default);
        self.log_explanations = 0.0;
        if count == 0 {
            self.products[0].begin(0, 1, 0);
            self.products[0].terms[0] = 1.0;
            return Ok(());
        }
        for (component, counted) in self.counter.components.iter().enumerate() {
            if counted.ways.is_empty() {
                let first = self.constraints.components[component].0 as usize;
                let witness = self.constraints.walk[first] as usize;
                return Err(Impossible::near(position.size(), self.constraints.witnesses[witness].cell));
            }
            let leaf = &mut self.products[count - 1 + component];
            leaf.fewest = counted.fewest as usize;
            leaf.terms.clear();
            leaf.terms.extend_from_slice(&counted.ways);
            let log_tilted = tilt_terms(&mut leaf.terms, tilt);
            leaf.scale = normalise(&mut leaf.terms);
            self.log_explanations += counted.log_scale + log_tilted + leaf.scale.ln();
        }
        for node in (0..count - 1).rev() {
            let (above, below) = self.products.split_at_mut(2 * node + 1);
            let (left, right) = (&below[0], &below[1]);
            let product = &mut above[node];
            product.set_product(left, right);
            product.scale = normalise(&mut product.terms);
            self.log_explanations += product.scale.ln();
        }
        Ok(())
    }

    /// What every total of mines in the components is worth, and with it the risk of the rest.
    fn weigh(&mut self, odds: f64, tilt: f64) -> Result<(), Impossible> {
        let product = &self.products[0];
        let weight = &mut self.others[0];
        weight.begin(product.fewest, product.terms.len(), 0);
        let rest = i64::from(self.constraints.rest);
        let Some(mines) = self.constraints.mines_left else {
            weight.terms.fill(1.0);
            self.rest_risk = self.unknown_total.0;
            return Ok(());
        };
        let first = product.fewest as i64;
        let last = first + product.terms.len() as i64 - 1;
        let (low, high) = (first.max(mines - rest), last.min(mines));
        if low > high {
            return Err(Impossible { near: None });
        }
        // Going from one total to the next multiplies C(rest, mines - total) by a fraction; begin at the largest.
        let odds = odds * tilt;
        let peak = (mines as f64 - odds * (rest - mines + 1) as f64) / (1.0 + odds);
        let peak = (peak.ceil() as i64).clamp(low, high);
        let step = |total: i64| (mines - total) as f64 / (rest - mines + total + 1) as f64 / odds;
        weight.terms[(peak - first) as usize] = 1.0;
        let mut value = 1.0f64;
        for total in peak..high {
            value = (value * step(total)).max(f64::MIN_POSITIVE);
            weight.terms[(total + 1 - first) as usize] = value;
        }
        value = 1.0;
        for total in (low..peak).rev() {
            value = (value / step(total)).max(f64::MIN_POSITIVE);
            weight.terms[(total - first) as usize] = value;
        }
        let (mut sum, mut rest_mines, mut may_be_safe, mut may_be_mine) = (0.0, 0.0, false, false);
        for (index, (&ways, &worth)) in product.terms.iter().zip(&weight.terms).enumerate() {
            let value = both(ways, worth);
            if value > 0.0 {
                let left = mines - first - index as i64;
                sum += value;
                rest_mines += value * left as f64;
                may_be_safe |= left < rest;
                may_be_mine |= left > 0;
            }
        }
        if sum == 0.0 {
            return Err(Impossible { near: None });
        }
        self.rest_risk = certain_or(rest_mines / sum / rest.max(1) as f64, may_be_safe, may_be_mine);
        let log_ways = log_choose(&mut self.log_factorials, rest, mines - peak);
        self.log_explanations += log_ways + sum.ln() - odds.ln() * peak as f64 + tilt.ln() * first as f64;
        Ok(())
    }

    /// Down the tree: the weight of everything else for every component, and the tallies of its boxes.
    pub fn divide(&mut self) {
        let (odds, tilt) = (self.odds, self.tilt);
        let count = self.counter.components.len();
        self.fixed.clear();
        self.fixed.resize(count, false);
        for node in 0..count.saturating_sub(1) {
            for (child, sibling) in [(2 * node + 1, 2 * node + 2), (2 * node + 2, 2 * node + 1)] {
                let (above, below) = self.others.split_at_mut(child);
                let (weight, into) = (&above[node], &mut below[0]);
                let (own, other) = (&self.products[child], &self.products[sibling]);
                into.set_others(weight, own, other);
                normalise(&mut into.terms);
            }
        }
        for component in 0..count {
            let weight = &mut self.tilted;
            weight.clone_from(&self.others[count - 1 + component].terms);
            let ways = &self.counter.components[component].ways;
            let possible = weight.iter().zip(ways).filter(|(worth, ways)| **worth > 0.0 && **ways > 0.0).count();
            self.fixed[component] = possible == 1;
            tilt_terms(weight, tilt);
            self.counter.tally(component, weight, odds);
        }
    }

    /// The ways through all components as chains of chances, for [`Numbers`]; after [`Engine::divide`].
    pub fn chain(&mut self) {
        (0..self.counter.components.len()).for_each(|component| self.counter.chain(component, self.odds));
    }

    fn fill_in(&mut self) {
        self.risk.clear();
        let constraints = &self.constraints;
        let mut risk_of = [f64::NAN; 1 << u8::BITS];
        (risk_of[usize::from(UNKNOWN)], risk_of[usize::from(SAFE)], risk_of[usize::from(MINE)]) =
            (self.rest_risk, 0.0, 1.0);
        self.risk.extend(constraints.tiles.iter().map(|&tile| risk_of[usize::from(tile)]));
        for (boxed, tally) in constraints.boxes.iter().zip(&self.counter.tallies) {
            let tiles = boxed.cells();
            let all = 1u16 << tiles.len();
            let share = tally.mines / tiles.len() as f64;
            let risk = certain_or(share, tally.possible & !all != 0, tally.possible & !1 != 0);
            tiles.iter().for_each(|&tile| self.risk[tile as usize] = risk);
        }
    }

    /// A board's, with its chain, as tests ask for it.
    #[cfg(test)]
    pub fn chained(board: &Board) -> Self {
        let mut engine = Self::default();
        engine.position.read(board);
        engine.constraints.conclude(&engine.position).unwrap();
        engine.solve().unwrap();
        engine.chain();
        engine
    }

    /// What sort of guess it is to open tile `index`, after [`Engine::solve`].
    pub fn guess_kind(&self, index: u32) -> GuessKind {
        match self.component_of(index) {
            None => GuessKind::Unconstrained,
            Some(component) if self.is_enclosed(component) => GuessKind::CrapsShoot,
            Some(_) => GuessKind::Educated,
        }
    }

    /// The component of an unknown tile, unless it is in none.
    pub fn component_of(&self, index: u32) -> Option<usize> {
        let number = self.constraints.box_of[index as usize];
        let boxed = self.constraints.boxes.get(number as usize)?;
        Some(self.constraints.witnesses[boxed.witnesses()[0] as usize].component as usize)
    }

    /// Whether a component holds the same number of mines in all explanations.
    pub fn is_fixed(&self, component: usize) -> bool {
        self.fixed[component]
    }

    /// Whether nothing learned elsewhere can help in this component: its number of mines is the same in all
    /// explanations, and none of its tiles touches an unknown tile outside.
    pub fn is_enclosed(&self, component: usize) -> bool {
        if !self.fixed[component] {
            return false;
        }
        let constraints = &self.constraints;
        let is_outside =
            |tile: &u32| constraints.tiles[*tile as usize] == UNKNOWN && self.component_of(*tile) != Some(component);
        let (begin, end) = constraints.components[component];
        constraints.walk[begin as usize..end as usize]
            .iter()
            .flat_map(|&witness| constraints.witnesses[witness as usize].boxes())
            .flat_map(|&number| constraints.boxes[number as usize].cells())
            .all(|&tile| !self.position.neighbours.of(tile).iter().any(is_outside))
    }
}

/// A product of two counts: above zero if both are, however small.
#[inline]
fn both(a: f64, b: f64) -> f64 {
    if a > 0.0 && b > 0.0 { (a * b).max(f64::MIN_POSITIVE) } else { 0.0 }
}

/// Divides by the largest term and returns that.
fn normalise(terms: &mut [f64]) -> f64 {
    let largest = terms.iter().copied().fold(0.0, f64::max);
    if largest == 0.0 || largest == 1.0 {
        return 1.0;
    }
    for term in terms.iter_mut().filter(|term| **term > 0.0) {
        *term = (*term / largest).max(f64::MIN_POSITIVE);
    }
    largest
}

/// Multiplies the n-th term by the n-th power of `tilt`, scaled so that nothing overflows; returns the logarithm of what
/// they were divided by.
fn tilt_terms(terms: &mut [f64], tilt: f64) -> f64 {
    if tilt == 1.0 {
        return 0.0;
    }
    let log_tilt = tilt.ln();
    let log_term = |(index, term): (usize, &f64)| term.ln() + log_tilt * index as f64;
    let largest = terms.iter().enumerate().map(log_term).fold(f64::NEG_INFINITY, f64::max);
    for (index, term) in terms.iter_mut().enumerate().filter(|(_, term)| **term > 0.0) {
        *term = (log_term((index, term)) - largest).exp().max(f64::MIN_POSITIVE);
    }
    largest
}

/// 0 or 1 where it is certain, and only there.
fn certain_or(risk: f64, may_be_safe: bool, may_be_mine: bool) -> f64 {
    match (may_be_safe, may_be_mine) {
        (_, false) => 0.0,
        (false, true) => 1.0,
        (true, true) => risk.clamp(f64::MIN_POSITIVE, 1.0 - f64::EPSILON),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Game, Rule, State};
    use std::time::{Duration, Instant};

    /// The widest positions of games that go on whatever happens, for the choice of [`REACH`].
    #[test]
    #[ignore = "prints a table, minutes"]
    fn how_wide_positions_are() {
        let mut engine = Engine::default();
        for (width, height, mines, games) in [
            (30, 16, 99, 400),
            (30, 24, 200, 100),
            (30, 16, 120, 300),
            (50, 50, 500, 15),
            (50, 50, 625, 15),
            (50, 50, 875, 25),
            (50, 50, 1000, 25),
        ] {
            let size = BoardSize::new(width, height);
            let (mut costs, mut longest) = (Vec::new(), (Duration::ZERO, 0));
            for seed in 0..games {
                let mut game = Game::deal(size, mines, Rule::Zero, seed).unwrap();
                game.open(Cell::new(width / 2, height / 2));
                while game.state() == State::Playing {
                    let began = Instant::now();
                    engine.position.read(game.board());
                    engine.constraints.conclude(&engine.position).unwrap();
                    engine.solve().unwrap();
                    longest = longest.max((began.elapsed(), engine.counter.cost()));
                    costs.push(engine.counter.cost());
                    // All that is certain, or else the safest tile that is no mine.
                    let risk = |cell: &Cell| engine.risk[size.index(*cell)];
                    let hidden = game.board().cells_where(|tile| tile.is_covered());
                    let mut safe: Vec<Cell> = hidden.filter(|&cell| !game.is_mine(cell)).collect();
                    safe.sort_by(|one, other| risk(one).total_cmp(&risk(other)));
                    safe.truncate(safe.iter().filter(|cell| risk(cell) == 0.0).count().max(1));
                    for cell in safe {
                        if game.board().tile(cell).is_covered() {
                            game.open(cell);
                        }
                    }
                }
            }
            costs.sort_unstable();
            let beyond = |most: usize| costs.iter().filter(|cost| **cost > most).count();
            println!(
                "{width}x{height}/{mines}: {} positions, widest {:?}, beyond 100,000 {}, 300,000 {}, 1,000,000 {}, \
                 longest {longest:?}",
                costs.len(),
                costs.last(),
                beyond(100_000),
                beyond(300_000),
                beyond(1_000_000),
            );
        }
    }
}
