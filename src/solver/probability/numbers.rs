//! Everything that every number of a tile would say, at once: how likely it is, and how safe the next move would be.
//!
//! The components are not counted anew for each of them. In the passes over a component that the tile touches, and in the
//! tree of products, every count is one by the mines around the tile ([`count::around`](crate::solver::count::around)); of
//! what it does not touch the counts stay as they are.

use super::{Engine, Series, both};
use crate::solver::constraints::{NONE, Position, UNKNOWN};
use crate::solver::count::around::{Beside, ByMines, Passes};

/// What is known once a tile is open and shows a number.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Shown {
    /// The chance of that: no mine on the tile, and so many around it.
    pub chance: f64,
    /// How likely the safest tile is to be safe then, of those of which this is not certain: taken by boxes, for the tiles of a box are alike.
    pub safest: f64,
    /// The same of the safest tile of another box.
    pub second: f64,
}

impl Shown {
    fn take(&mut self, safe: f64) {
        if safe > self.safest {
            (self.safest, self.second) = (safe, self.safest);
        } else if safe > self.second {
            self.second = safe;
        }
    }
}

/// Asks this of one tile after another, without new memory.
#[derive(Clone, Debug, Default)]
pub struct Numbers {
    /// How the tile lies to every box.
    beside: Vec<Beside>,
    passes: Vec<Passes>,
    /// The nodes of the tree of products, those that are others than the engine's.
    products: Vec<Node>,
    others: Vec<Node>,
}

#[derive(Clone, Debug, Default)]
struct Node {
    is_new: bool,
    series: Series,
}

fn at<'a>(nodes: &'a [Node], old: &'a [Series], node: usize) -> &'a Series {
    if nodes[node].is_new { &nodes[node].series } else { &old[node] }
}

impl Numbers {
    /// What opening `tile` would say, by the unknown mines around it; after [`Engine::chain`]. The number shown is so many
    /// more than the mines around it that are known.
    pub fn of(&mut self, engine: &Engine, position: &Position, tile: u32) -> [Shown; 9] {
        let constraints = &engine.constraints;
        let components = engine.counter.components.len();
        self.begin(2 * components.max(1) - 1, components, constraints.boxes.len());
        let mut far = Far { tiles: constraints.rest, around: 0, is_inside: false };
        let is_unknown = |tile: &&u32| constraints.tiles[**tile as usize] == UNKNOWN;
        for &other in position.neighbours.of(tile).iter().filter(is_unknown) {
            match constraints.box_of[other as usize] {
                NONE => far.around += 1,
                number => self.beside[number as usize].around += 1,
            }
        }
        if is_unknown(&&tile) {
            match constraints.box_of[tile as usize] {
                NONE => far.is_inside = true,
                number => self.beside[number as usize].is_inside = true,
            }
        }
        self.go_forward(engine);
        let mut shown = [Shown::default(); 9];
        self.weigh(engine, far, &mut shown);
        self.go_back(engine, &mut shown);
        shown
    }

    fn begin(&mut self, nodes: usize, components: usize, boxes: usize) {
        self.beside.clear();
        self.beside.resize(boxes, Beside::default());
        self.passes.resize_with(components.max(self.passes.len()), Passes::default);
        for tree in [&mut self.products, &mut self.others] {
            tree.resize_with(nodes.max(tree.len()), Node::default);
            tree.iter_mut().for_each(|node| node.is_new = false);
        }
    }

    /// Through the components that the tile touches, and up the tree.
    fn go_forward(&mut self, engine: &Engine) {
        let components = &engine.counter.components;
        for (component, counted) in components.iter().enumerate() {
            if !counted.boxes().any(|number| self.beside[number as usize].is_touched()) {
                continue;
            }
            let node = components.len() - 1 + component;
            let old = &engine.products[node];
            let Node { is_new, series } = &mut self.products[node];
            *is_new = true;
            let pass = &mut self.passes[component];
            pass.forward(counted, &self.beside);
            series.begin(old.fewest, old.len(), pass.degree());
            for (used, reach, chances) in pass.last(counted) {
                if reach > 0.0 {
                    series.add(used, &[old.terms[used] / reach], chances);
                }
            }
        }
        for node in (0..components.len().saturating_sub(1)).rev() {
            let (above, below) = self.products.split_at_mut(2 * node + 1);
            if below[0].is_new || below[1].is_new {
                let [left, right] = [0, 1].map(|side| at(below, &engine.products[2 * node + 1..], side));
                let series = &mut above[node].series;
                series.set_product(left, right);
                let scale = engine.products[node].scale;
                series.terms.iter_mut().for_each(|term| *term /= scale);
                above[node].is_new = true;
            }
        }
    }

    /// The chance of every number, and how safe tiles are then that no number but this one touches.
    fn weigh(&mut self, engine: &Engine, far: Far, shown: &mut [Shown; 9]) {
        let (product, weight) = (at(&self.products, &engine.products, 0), &engine.others[0]);
        let Node { is_new, series: others } = &mut self.others[0];
        let apart = far.tiles - far.around - u32::from(far.is_inside);
        *is_new = far.around > 0 || far.is_inside;
        let (mut all, mut total) = (0.0, [0.0; 9]);
        let (mut mines, mut mines_around) = ([0.0; 9], [0.0; 9]);
        others.begin(weight.fewest, weight.len(), far.around as usize);
        for (index, &weight) in weight.terms.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
            all += both(weight, engine.products[0].terms[index]);
            let left = engine.constraints.mines_left.map(|mines| mines - (others.fewest + index) as i64);
            let density = engine.unknown_total.0;
            let chances = far.chances(left, density);
            let chances = &chances[..=far.around as usize];
            others.add(index, &[weight], chances);
            for (inside, &ways) in product.term(index).iter().enumerate() {
                for (around, &chance) in chances.iter().enumerate() {
                    let value = ways * weight * chance;
                    let apart = left.map_or(density * f64::from(apart), |left| (left - around as i64) as f64);
                    total[inside + around] += value;
                    mines[inside + around] += value * apart;
                    mines_around[inside + around] += value * around as f64;
                }
            }
        }
        for (number, shown) in shown.iter_mut().enumerate().filter(|(number, _)| total[*number] > 0.0) {
            shown.chance = total[number] / all;
            if apart > 0 {
                shown.take(1.0 - mines[number] / total[number] / f64::from(apart));
            }
            if far.around > 0 {
                shown.take(1.0 - mines_around[number] / total[number] / f64::from(far.around));
            }
        }
    }

    /// Down the tree, and back through the components about which something would be learned.
    fn go_back(&mut self, engine: &Engine, shown: &mut [Shown; 9]) {
        let components = &engine.counter.components;
        for node in 0..components.len().saturating_sub(1) {
            for (child, sibling) in [(2 * node + 1, 2 * node + 2), (2 * node + 2, 2 * node + 1)] {
                if self.others[node].is_new || self.products[sibling].is_new {
                    let (above, below) = self.others.split_at_mut(child);
                    let [own, sibling] = [child, sibling].map(|node| at(&self.products, &engine.products, node));
                    below[0].series.set_others(at(above, &engine.others, node), own, sibling);
                    below[0].is_new = true;
                }
            }
        }
        for (component, counted) in components.iter().enumerate() {
            let node = components.len() - 1 + component;
            let (is_touched, is_weighed) = (self.products[node].is_new, self.others[node].is_new);
            if !is_touched && (!is_weighed || engine.fixed[component]) {
                let mut own = Shown::default();
                for number in counted.boxes() {
                    let tiles = engine.constraints.boxes[number as usize].cells().len();
                    own.take(1.0 - engine.counter.tallies[number as usize].mines / tiles as f64);
                }
                for shown in &mut *shown {
                    shown.take(own.safest);
                    shown.take(own.second);
                }
                continue;
            }
            let pass = &mut self.passes[component];
            if !is_touched {
                pass.forward(counted, &self.beside);
            }
            let (old, new) = (&engine.others[node], &self.others[node].series);
            let outside = |used: usize| {
                let mut chances = [0.0; 9];
                if !is_weighed {
                    chances[0] = 1.0;
                } else if old.terms[used] > 0.0 {
                    chances.iter_mut().zip(new.term(used)).for_each(|(chance, term)| *chance = term / old.terms[used]);
                }
                chances
            };
            let most = if is_weighed { new.degree } else { 0 };
            pass.backward(counted, &self.beside, most, outside, |tiles, mines: &ByMines, total: &ByMines| {
                for (shown, (mines, total)) in shown.iter_mut().zip(mines.iter().zip(total)) {
                    if *total > 0.0 {
                        shown.take(1.0 - mines / total / f64::from(tiles));
                    }
                }
            });
        }
    }
}

/// How a tile lies to the tiles of which nothing is known but their mines in all.
#[derive(Clone, Copy, Debug)]
struct Far {
    tiles: u32,
    around: u32,
    is_inside: bool,
}

impl Far {
    /// With `left` mines on them, or the density where nobody knows: how likely it is that the tile is none and so many of
    /// them are around it.
    fn chances(self, left: Option<i64>, density: f64) -> ByMines {
        let mut chances = [0.0; 9];
        // Tile by tile: the chance of a mine after so many mines on so many tiles.
        let mine = |tiles: u32, mines: usize| match left {
            Some(left) => ((left - mines as i64) as f64 / f64::from(self.tiles - tiles)).clamp(0.0, 1.0),
            None => density,
        };
        chances[0] = if self.is_inside { 1.0 - mine(0, 0) } else { 1.0 };
        for around in 0..self.around {
            let tiles = around + u32::from(self.is_inside);
            for mines in (0..=around as usize).rev() {
                let chance = chances[mines];
                chances[mines + 1] += chance * mine(tiles, mines);
                chances[mines] = chance * (1.0 - mine(tiles, mines));
            }
        }
        chances
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::game::{Game, Rule, State};
    use crate::geometry::BoardSize;
    use crate::solver::constraints::MINE;
    use crate::solver::{Reason, Setup, by_name};

    /// What is known with `tile` open and this number shown, worked out for that number alone.
    fn alone(engine: &Engine, tile: u32, number: u8) -> Option<Shown> {
        let mut child = Engine::default();
        child.solve_opened(engine, &engine.position, tile, number).ok()?;
        child.divide();
        let chance = (child.log_explanations - engine.log_explanations).exp();
        let mut shown = Shown { chance, ..Shown::default() };
        if !child.constraints.safe.is_empty() {
            shown.safest = 1.0;
        }
        for (boxed, tally) in child.constraints.boxes.iter().zip(&child.counter.tallies) {
            shown.take(1.0 - tally.mines / boxed.cells().len() as f64);
        }
        if child.constraints.rest > 0 {
            shown.take(1.0 - child.rest_risk);
        }
        Some(shown)
    }

    /// Every number of every unknown tile; how many were asked for.
    fn check(board: &Board) -> usize {
        let engine = Engine::chained(board);
        let (mut numbers, mut asked) = (Numbers::default(), 0);
        for tile in (0..board.tiles().len() as u32).filter(|&tile| engine.constraints.tiles[tile as usize] == UNKNOWN) {
            let around = engine.position.neighbours.of(tile).iter();
            let known = around.filter(|&&other| engine.constraints.tiles[other as usize] == MINE).count() as u8;
            for (more, together) in numbers.of(&engine, &engine.position, tile).into_iter().enumerate() {
                let number = known + more as u8;
                let alone = alone(&engine, tile, number).filter(|_| number <= 8).unwrap_or_default();
                let is_near = |one: f64, other: f64| (one - other).abs() < 1e-9;
                let what = || format!("{together:?}, not {alone:?}, for {number} at {tile} of\n{board}");
                assert!(is_near(together.chance, alone.chance), "{}", what());
                if alone.chance < 1e-9 {
                    continue;
                }
                assert!(is_near(together.safest, alone.safest), "{}", what());
                // What is concluded is in no box any more.
                assert!(alone.safest == 1.0 || is_near(together.second, alone.second), "{}", what());
                asked += 1;
            }
        }
        asked
    }

    #[test]
    fn all_numbers_together_say_what_each_says_alone() {
        let player = by_name("lowest-risk", &Setup::default()).unwrap();
        let mut asked = 0;
        for (width, height, mines, games) in [(5, 4, 5, 150), (9, 9, 12, 40), (30, 16, 99, 8), (50, 30, 330, 1)] {
            for seed in 0..games {
                let mut game = Game::deal(BoardSize::new(width, height), mines, Rule::Safe, seed).unwrap();
                while game.state() == State::Playing {
                    let decision = player.decide(game.board()).unwrap();
                    if decision.reason != Reason::Certain {
                        asked += check(game.board());
                    }
                    decision.open.into_iter().for_each(|cell| _ = game.open(cell));
                }
            }
        }
        assert!(asked > 20_000, "{asked}");
    }
}
