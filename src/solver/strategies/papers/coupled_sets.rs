//! What several players search: equations ("so many mines among these tiles"), the coupled sets they fall into, and
//! all solutions of a set, tallied by the mines they need.

use super::notes::Notes;
use crate::solver::ways::CHOOSE;
use std::collections::HashMap;

/// So many mines among these tiles (by their numbers on the board, ascending).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Equation {
    pub cells: Vec<u32>,
    pub mines: i32,
}

/// Tiles that are in the same equations: how many of them hold a mine matters, not which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    pub cells: Vec<u32>,
    /// Places in the list of equations, ascending.
    pub equations: Vec<u32>,
}

/// Equations that hang together by common tiles, and those tiles.
#[derive(Clone, Debug, Default)]
pub(crate) struct CoupledSet {
    pub equations: Vec<u32>,
    pub groups: Vec<Group>,
}

/// All solutions of a coupled set. Counts are of solutions tile by tile, whatever was merged to get them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Solutions {
    /// How many solutions need so many mines; the place in the list is the number of mines.
    pub by_mines: Vec<f64>,
    /// For each group, in how many of those one given tile of the group is a mine.
    pub mined: Vec<Vec<f64>>,
    /// For each group, in how many of those one given tile of the group is free. Counted by itself: a difference of
    /// rounded numbers could not tell whether there is none.
    pub free: Vec<Vec<f64>>,
}

/// Bound on the work of one set, in merged states. The sets of an expert game have hundreds; a set that needs more
/// than this is left unsolved, so that no board, however large, can keep a player thinking for more than a second.
const MOST_STATES: usize = 200_000;
/// Equations that may be open at once: four bits of a key each.
const MOST_OPEN: usize = 32;

/// The equations of the open numbers that still have unknown tiles around them.
pub(crate) fn equations(notes: &Notes) -> Vec<Equation> {
    let size = notes.board().size();
    let equation = |(cell, number)| {
        let (unknown, mines) = notes.around(cell, number);
        let cells: Vec<u32> = unknown.into_iter().map(|cell| size.index(cell) as u32).collect();
        (!cells.is_empty()).then_some(Equation { cells, mines })
    };
    notes.board().numbers().filter_map(equation).collect()
}

/// The equations of each tile.
pub(crate) fn equations_of_tiles(equations: &[Equation], tiles: usize) -> Vec<Vec<u32>> {
    let mut of_tile = vec![Vec::new(); tiles];
    for (index, equation) in equations.iter().enumerate() {
        equation.cells.iter().for_each(|&cell| of_tile[cell as usize].push(index as u32));
    }
    of_tile
}

/// Tiles in the same equations, in the order of their first tile.
pub(crate) fn groups(equations: impl Iterator<Item = (u32, impl AsRef<Equation>)>) -> Vec<Group> {
    let mut of_tile: Vec<(u32, Vec<u32>)> = Vec::new();
    let mut place: HashMap<u32, usize> = HashMap::new();
    for (index, equation) in equations {
        for &cell in &equation.as_ref().cells {
            let at = *place.entry(cell).or_insert_with(|| {
                of_tile.push((cell, Vec::new()));
                of_tile.len() - 1
            });
            of_tile[at].1.push(index);
        }
    }
    let mut groups: Vec<Group> = Vec::new();
    let mut known: HashMap<Vec<u32>, usize> = HashMap::new();
    for (cell, equations) in of_tile {
        match known.get(&equations) {
            Some(&at) => groups[at].cells.push(cell),
            None => {
                known.insert(equations.clone(), groups.len());
                groups.push(Group { cells: vec![cell], equations });
            }
        }
    }
    groups
}

impl AsRef<Equation> for Equation {
    fn as_ref(&self) -> &Equation {
        self
    }
}

/// The coupled sets of some equations.
pub(crate) fn coupled_sets(equations: &[Equation]) -> Vec<CoupledSet> {
    let all = groups((0..).zip(equations));
    let mut groups_of = vec![Vec::new(); equations.len()];
    for (index, group) in all.iter().enumerate() {
        group.equations.iter().for_each(|&equation| groups_of[equation as usize].push(index));
    }
    let mut seen = vec![false; equations.len()];
    let mut taken = vec![false; all.len()];
    let mut sets = Vec::new();
    for first in 0..equations.len() {
        if std::mem::replace(&mut seen[first], true) {
            continue;
        }
        let mut set = CoupledSet::default();
        let mut waiting = vec![first];
        while let Some(equation) = waiting.pop() {
            set.equations.push(equation as u32);
            for &index in &groups_of[equation] {
                if std::mem::replace(&mut taken[index], true) {
                    continue;
                }
                let unseen = |&other: &u32| !std::mem::replace(&mut seen[other as usize], true);
                waiting.extend(all[index].equations.iter().copied().filter(unseen).map(|other| other as usize));
                set.groups.push(all[index].clone());
            }
        }
        set.equations.sort_unstable();
        sets.push(set);
    }
    sets
}

/// Choices so far that agree on what the open equations still need.
struct Node {
    key: u128,
    /// Ways to get here, by mines used.
    ways: Vec<f64>,
    /// Mines put into the next group, and the node that leads to.
    edges: Vec<(usize, usize)>,
}

impl CoupledSet {
    /// Number of tiles.
    pub fn tiles(&self) -> usize {
        self.groups.iter().map(|group| group.cells.len()).sum()
    }

    /// All solutions, or nothing if there are too many to be merged within the bound on work.
    ///
    /// The groups are decided one after another; choices that leave the open equations the same needs are merged, so
    /// the cost follows the width of the set and not the number of its solutions.
    pub fn solve(&self, equations: &[Equation]) -> Option<Solutions> {
        let (order, slots) = self.order()?;
        let mut layers: Vec<Vec<Node>> = vec![vec![Node { key: 0, ways: vec![1.0], edges: Vec::new() }]];
        let mut left: HashMap<u32, usize> = self.equations.iter().map(|&equation| (equation, 0)).collect();
        for group in &self.groups {
            group
                .equations
                .iter()
                .for_each(|equation| *left.get_mut(equation).expect("of this set") += group.cells.len());
        }
        let mut begun: HashMap<u32, bool> = HashMap::new();
        let mut states = 0;
        for &index in &order {
            let group = &self.groups[index];
            let mut needs = Vec::with_capacity(group.equations.len());
            for &equation in &group.equations {
                let after = left.get_mut(&equation).expect("of this set");
                *after -= group.cells.len();
                let first = begun.insert(equation, true).is_none();
                needs.push((slots[&equation] * 4, first.then_some(equations[equation as usize].mines), *after));
            }
            let last = layers.last_mut().expect("begins with one");
            let next = advance(last, group.cells.len(), &needs);
            states += next.len();
            if states > MOST_STATES {
                return None;
            }
            layers.push(next);
        }
        let solutions = self.tally(&order, &layers);
        // Some thousand tiles in one set leave the range of the numbers.
        solutions.total().is_finite().then_some(solutions)
    }

    /// The same by backtracking: groups are given mines in this order, and a choice is given up as soon as an equation
    /// has too many mines or too few tiles left. Nothing if that takes more steps than [`MOST_STEPS`].
    pub fn enumerate(&self, equations: &[Equation], order: &[usize]) -> Option<Solutions> {
        let none = vec![vec![0.0; self.tiles() + 1]; self.groups.len()];
        let mut search = Backtracking {
            set: self,
            order,
            // Equations of the set by their place in the list of all.
            needs: equations.iter().map(|equation| equation.mines).collect(),
            left: equations.iter().map(|equation| equation.cells.len() as i32).collect(),
            chosen: vec![0; self.groups.len()],
            steps: 0,
            found: Solutions { by_mines: vec![0.0; self.tiles() + 1], mined: none.clone(), free: none },
        };
        search.decide(0, 0, 1.0).then_some(search.found)
    }

    /// The groups so that few equations are open at a time, and the place of each equation in the keys; nothing if
    /// the keys have no room.
    fn order(&self) -> Option<(Vec<usize>, HashMap<u32, usize>)> {
        let mut left: HashMap<u32, Vec<usize>> = HashMap::new();
        for (index, group) in self.groups.iter().enumerate() {
            group.equations.iter().for_each(|&equation| left.entry(equation).or_default().push(index));
        }
        let (mut order, mut slots) = (Vec::new(), HashMap::new());
        let mut free: Vec<usize> = (0..MOST_OPEN).rev().collect();
        let mut open: Vec<u32> = Vec::new();
        let mut next = (!self.groups.is_empty()).then_some(0);
        while let Some(index) = next {
            order.push(index);
            for &equation in &self.groups[index].equations {
                if let std::collections::hash_map::Entry::Vacant(slot) = slots.entry(equation) {
                    slot.insert(free.pop()?);
                    open.push(equation);
                }
                left.get_mut(&equation).expect("of this set").retain(|&other| other != index);
            }
            open.retain(|equation| {
                let done = left[equation].is_empty();
                if done {
                    free.push(slots[equation]);
                }
                !done
            });
            next = open.iter().min_by_key(|equation| left[equation].len()).map(|equation| left[equation][0]);
        }
        Some((order, slots))
    }

    /// Counts back from the end: how many solutions go through each choice.
    fn tally(&self, order: &[usize], layers: &[Vec<Node>]) -> Solutions {
        let end = layers.last().expect("begins with one");
        let by_mines = end.first().map_or(Vec::new(), |node| node.ways.clone());
        let none = vec![vec![0.0; by_mines.len()]; self.groups.len()];
        let (mut mined, mut free) = (none.clone(), none);
        // By mines used from here on.
        let mut rest: Vec<Vec<f64>> = vec![vec![1.0]; end.len()];
        for (&index, layer) in order.iter().zip(layers).rev() {
            let tiles = self.groups[index].cells.len();
            let mut before = Vec::with_capacity(layer.len());
            for node in layer {
                let mut from_here = Vec::new();
                for &(mines, to) in &node.edges {
                    add_shifted(&mut from_here, &rest[to], mines, CHOOSE[tiles][mines]);
                    // One given tile is a mine, or is free; the others are chosen.
                    let if_mined = if mines > 0 { CHOOSE[tiles - 1][mines - 1] } else { 0.0 };
                    let if_free = CHOOSE[tiles - 1][mines];
                    for (used, way) in node.ways.iter().enumerate().filter(|(_, way)| **way > 0.0) {
                        add_shifted(&mut mined[index], &rest[to], used + mines, way * if_mined);
                        add_shifted(&mut free[index], &rest[to], used + mines, way * if_free);
                    }
                }
                before.push(from_here);
            }
            rest = before;
        }
        Solutions { by_mines, mined, free }
    }
}

/// Bound on one search by backtracking, in groups that were given mines: about a tenth of a second.
const MOST_STEPS: usize = 300_000;

struct Backtracking<'a> {
    set: &'a CoupledSet,
    order: &'a [usize],
    /// Mines each equation still asks for, and tiles it has left for them.
    needs: Vec<i32>,
    left: Vec<i32>,
    chosen: Vec<usize>,
    steps: usize,
    found: Solutions,
}

impl Backtracking<'_> {
    /// Goes through all choices for the groups from `depth` on; false if the bound was reached.
    fn decide(&mut self, depth: usize, used: usize, ways: f64) -> bool {
        let Some(&index) = self.order.get(depth) else {
            self.keep(used, ways);
            return true;
        };
        let set = self.set;
        let group = &set.groups[index];
        let tiles = group.cells.len();
        for (mines, &choices) in CHOOSE[tiles].iter().enumerate().take(tiles + 1) {
            self.steps += 1;
            if self.steps > MOST_STEPS {
                return false;
            }
            self.put(group, mines as i32, tiles as i32);
            self.chosen[index] = mines;
            let fits = |&equation: &u32| {
                let (need, left) = (self.needs[equation as usize], self.left[equation as usize]);
                (0..=left).contains(&need)
            };
            let within = !group.equations.iter().all(fits) || self.decide(depth + 1, used + mines, ways * choices);
            self.put(group, -(mines as i32), -(tiles as i32));
            if !within {
                return false;
            }
        }
        true
    }

    fn put(&mut self, group: &Group, mines: i32, tiles: i32) {
        for &equation in &group.equations {
            self.needs[equation as usize] -= mines;
            self.left[equation as usize] -= tiles;
        }
    }

    fn keep(&mut self, used: usize, ways: f64) {
        self.found.by_mines[used] += ways;
        for (index, group) in self.set.groups.iter().enumerate() {
            let (mines, tiles) = (self.chosen[index] as f64, group.cells.len() as f64);
            self.found.mined[index][used] += ways * mines / tiles;
            self.found.free[index][used] += ways * (tiles - mines) / tiles;
        }
    }
}

/// Decides one group: `needs` has, for each of its equations, the place of its bits, what it asks for if it begins
/// here, and how many tiles it has left afterwards.
fn advance(layer: &mut [Node], tiles: usize, needs: &[(usize, Option<i32>, usize)]) -> Vec<Node> {
    let mut next: Vec<Node> = Vec::new();
    let mut place: HashMap<u128, usize> = HashMap::new();
    for node in layer {
        'mines: for (mines, &choices) in CHOOSE[tiles].iter().enumerate().take(tiles + 1) {
            let mut key = node.key;
            for &(shift, begins, left) in needs {
                let before = begins.unwrap_or(((key >> shift) & 15) as i32);
                let after = before - mines as i32;
                if after < 0 || after as usize > left {
                    continue 'mines;
                }
                key = (key & !(15 << shift)) | ((after as u128) << shift);
            }
            let to = *place.entry(key).or_insert_with(|| {
                next.push(Node { key, ways: Vec::new(), edges: Vec::new() });
                next.len() - 1
            });
            add_shifted(&mut next[to].ways, &node.ways, mines, choices);
            node.edges.push((mines, to));
        }
    }
    next
}

/// Adds `factor` times `from`, moved up by `shift` places.
fn add_shifted(to: &mut Vec<f64>, from: &[f64], shift: usize, factor: f64) {
    if to.len() < from.len() + shift {
        to.resize(from.len() + shift, 0.0);
    }
    to[shift..].iter_mut().zip(from).for_each(|(to, from)| *to += factor * from);
}

impl Solutions {
    /// All solutions.
    pub fn total(&self) -> f64 {
        self.by_mines.iter().sum()
    }

    /// The fewest and the most mines that any solution needs; nothing if there is no solution.
    pub fn mine_bounds(&self) -> Option<(usize, usize)> {
        let fewest = self.by_mines.iter().position(|&ways| ways > 0.0)?;
        Some((fewest, self.by_mines.iter().rposition(|&ways| ways > 0.0)?))
    }

    /// The solutions in which one given tile of a group is a mine.
    pub fn mined(&self, group: usize) -> f64 {
        self.mined[group].iter().sum()
    }

    /// The solutions in which one given tile of a group is free.
    pub fn free(&self, group: usize) -> f64 {
        self.free[group].iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Solutions by mines, and for each tile in how many of all it is a mine: every assignment is tried.
    fn brute_force(equations: &[Equation], tiles: u32) -> (Vec<f64>, Vec<f64>) {
        let mut by_mines = vec![0.0; tiles as usize + 1];
        let mut mined = vec![0.0; tiles as usize];
        for mines in 0u32..1 << tiles {
            let holds = |equation: &Equation| {
                equation.cells.iter().filter(|&&cell| mines >> cell & 1 == 1).count() as i32 == equation.mines
            };
            if equations.iter().all(holds) {
                by_mines[mines.count_ones() as usize] += 1.0;
                (0..tiles).filter(|tile| mines >> tile & 1 == 1).for_each(|tile| mined[tile as usize] += 1.0);
            }
        }
        (by_mines, mined)
    }

    #[test]
    fn solutions_equal_those_found_by_trying_everything() {
        use rand::{RngExt, SeedableRng};
        let mut rng = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(5);
        for _ in 0..2000 {
            // One chain of overlapping windows, so that all is one set.
            let tiles = rng.random_range(3..=12u32);
            let mut equations: Vec<Equation> = Vec::new();
            for first in 0..tiles - 1 {
                let last = rng.random_range(first + 1..=(first + 4).min(tiles - 1));
                let cells: Vec<u32> = (first..=last).collect();
                let mines = rng.random_range(0..=cells.len() as i32);
                equations.push(Equation { cells, mines });
            }
            let sets = coupled_sets(&equations);
            assert_eq!(sets.len(), 1);
            let found = sets[0].solve(&equations).unwrap();
            let (by_mines, mined) = brute_force(&equations, tiles);
            let order: Vec<usize> = (0..sets[0].groups.len()).collect();
            let listed = sets[0].enumerate(&equations, &order).unwrap();
            assert!((listed.total() - found.total()).abs() < 1e-9);
            for index in order {
                assert!((listed.mined(index) - found.mined(index)).abs() < 1e-9);
                assert!((listed.free(index) - found.free(index)).abs() < 1e-9);
            }
            assert_eq!(found.total(), by_mines.iter().sum::<f64>());
            for (mines, &ways) in found.by_mines.iter().enumerate() {
                assert_eq!(ways, by_mines[mines]);
            }
            for (index, group) in sets[0].groups.iter().enumerate() {
                group.cells.iter().for_each(|&cell| assert_eq!(found.mined(index), mined[cell as usize]));
                assert_eq!(found.mined(index) + found.free(index), found.total());
            }
        }
    }

    #[test]
    fn equations_without_common_tiles_are_not_coupled() {
        let equation = |cells: &[u32]| Equation { cells: cells.to_vec(), mines: 1 };
        let sets = coupled_sets(&[equation(&[0, 1]), equation(&[2, 3]), equation(&[1, 4])]);
        let members: Vec<_> = sets.iter().map(|set| (set.equations.clone(), set.tiles())).collect();
        assert_eq!(members, [(vec![0, 2], 3), (vec![1], 2)]);
    }
}
