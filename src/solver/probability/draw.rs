//! One explanation by lot: where the mines may be for all that is known, every explanation with its own chance.

use super::Engine;
use crate::board::Board;
use crate::geometry::Cell;
use crate::solver::constraints::{MINE, NONE, SAFE, UNKNOWN};
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

impl Engine {
    /// Solves `board` as it is, or as if told that this tile is safe; `None` where nothing explains it, or where it is beyond
    /// reach.
    pub fn solve_where(&mut self, board: &Board, safe: Option<Cell>) -> Option<()> {
        self.position.read(board);
        if let Some(cell) = safe {
            self.position.tiles[board.size().index(cell)] = SAFE;
        }
        self.constraints.conclude(&self.position).ok()?;
        self.solve().ok()
    }

    /// Draws an explanation of the position, after [`Engine::solve`]: all its mines, those that are known included, by
    /// their number on the board. The tallies of the boxes are lost; the risks stay.
    ///
    /// The total of mines in the components is drawn first, then shared out down the tree of products, then every
    /// component is walked from its first box to its last.
    pub fn draw(&mut self, lots: &mut Xoshiro256PlusPlus) -> Vec<u32> {
        let constraints = &self.constraints;
        let known = constraints.tiles.iter().enumerate().filter(|(_, tile)| **tile == MINE);
        let mut mines: Vec<u32> = known.map(|(tile, _)| tile as u32).collect();
        let (product, weight) = (&self.products[0], &self.others[0]);
        let chances = product.terms.iter().zip(&weight.terms).map(|(ways, worth)| ways * worth);
        let total = product.fewest + pick(chances, lots);
        let mut rest: Vec<u32> = (0..constraints.tiles.len() as u32)
            .filter(|&tile| constraints.tiles[tile as usize] == UNKNOWN && constraints.box_of[tile as usize] == NONE)
            .collect();
        match constraints.mines_left {
            Some(left) => keep_some(&mut rest, (left - total as i64).max(0) as usize, lots),
            None => rest.retain(|_| lots.random::<f64>() < self.unknown_total.0),
        }
        mines.extend(rest);
        let count = self.counter.components.len();
        let mut shares = if count > 0 { vec![(0, total)] } else { vec![] };
        let mut chosen = Vec::new();
        while let Some((node, total)) = shares.pop() {
            if node + 1 >= count {
                self.draw_component(node + 1 - count, total, lots, &mut chosen);
                continue;
            }
            let (left, right) = (&self.products[2 * node + 1], &self.products[2 * node + 2]);
            let both = total - left.fewest - right.fewest;
            let others =
                (0..left.terms.len()).map(|more| both.checked_sub(more).and_then(|less| right.terms.get(less)));
            let chances = left.terms.iter().zip(others).map(|(ways, other)| ways * other.unwrap_or(&0.0));
            let own = left.fewest + pick(chances, lots);
            shares.extend([(2 * node + 1, own), (2 * node + 2, total - own)]);
        }
        for (number, count) in chosen {
            let mut cells = self.constraints.boxes[number as usize].cells().to_vec();
            keep_some(&mut cells, count.into(), lots);
            mines.extend(cells);
        }
        mines
    }

    /// Draws the mines of every box of a component that holds `total` of them.
    fn draw_component(
        &mut self,
        component: usize,
        total: usize,
        lots: &mut Xoshiro256PlusPlus,
        chosen: &mut Vec<(u32, u8)>,
    ) {
        let counted = &self.counter.components[component];
        let mut weight = vec![0.0; counted.ways.len()];
        weight[total - counted.fewest as usize] = 1.0;
        self.counter.tally(component, &weight, self.odds);
        self.counter.draw(component, self.odds, &mut || lots.random(), chosen);
    }
}

/// The place of one of these chances, drawn; they need not add up to one.
fn pick(chances: impl Iterator<Item = f64> + Clone, lots: &mut Xoshiro256PlusPlus) -> usize {
    let mut left = lots.random::<f64>() * chances.clone().sum::<f64>();
    let mut last = 0;
    for (place, chance) in chances.enumerate().filter(|(_, chance)| *chance > 0.0) {
        last = place;
        left -= chance;
        if left < 0.0 {
            break;
        }
    }
    last
}

/// Keeps `count` of `tiles`, any of them with the same chance.
fn keep_some(tiles: &mut Vec<u32>, count: usize, lots: &mut Xoshiro256PlusPlus) {
    let count = count.min(tiles.len());
    for place in 0..count {
        let other = lots.random_range(place..tiles.len());
        tiles.swap(place, other);
    }
    tiles.truncate(count);
}

#[cfg(test)]
mod tests {
    use crate::board::Board;
    use crate::solver::probability::Engine;
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use std::collections::HashMap;

    #[test]
    fn every_explanation_is_drawn_as_often_as_any_other() {
        // Two components that meet only in the total, boxes of several tiles, and tiles without information.
        for text in ["6 3 4\n##1###\n######\n##1###", "5 2 2\n#1###\n#1#1#", "4 2 3\n####\n####"] {
            let board: Board = text.parse().unwrap();
            let mut engine = Engine::default();
            engine.position.read(&board);
            engine.constraints.conclude(&engine.position).unwrap();
            engine.solve().unwrap();
            let all = engine.log_explanations.exp().round();
            let mut lots = Xoshiro256PlusPlus::seed_from_u64(5);
            let mut seen: HashMap<Vec<u32>, u32> = HashMap::new();
            let draws = 400 * all as u32;
            for _ in 0..draws {
                let mut mines = engine.draw(&mut lots);
                mines.sort_unstable();
                assert_eq!(Some(mines.len() as u32), board.mines());
                *seen.entry(mines).or_default() += 1;
            }
            assert_eq!(seen.len(), all as usize, "{text}");
            // Chi-square with all - 1 degrees of freedom: mean all - 1, variance twice that; five deviations.
            let square: f64 = seen.values().map(|&count| (f64::from(count) - 400.0).powi(2) / 400.0).sum();
            assert!((square - all).abs() < 5.0 * (2.0 * all).sqrt() + 1.0, "{text}: {square} for {all}");
        }
    }
}
