//! The two passes over a component once more, with the mines around one tile counted along.
//!
//! Opening a tile says how many mines are around it. With every node goes how likely each number of them is, so one pass
//! says of all numbers what counting says of one. Nothing is merged or ordered anew: the nodes are those of the count,
//! and a step from one to the next is taken with the chance it has among all explanations ([`super::Counter::chain`]).

use super::Counted;
use crate::solver::ways::CHOOSE;

/// Something for every number of mines around a tile.
pub type ByMines = [f64; 9];

/// How a tile lies to a box.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Beside {
    /// Tiles of the box that touch it.
    pub around: u8,
    /// Whether it is in the box itself.
    pub is_inside: bool,
}

impl Beside {
    /// Whether the box has anything to do with the tile.
    pub fn is_touched(self) -> bool {
        self.around > 0 || self.is_inside
    }

    /// By the mines in a box of so many tiles, and by those of them around the tile: how likely that is, and no mine on the
    /// tile.
    fn shares(self, tiles: u8) -> [ByMines; 9] {
        let mut shares = [[0.0; 9]; 9];
        let apart = usize::from(tiles - self.around - u8::from(self.is_inside));
        for around in 0..=usize::from(self.around) {
            for other in 0..=apart {
                let ways = CHOOSE[usize::from(self.around)][around] * CHOOSE[apart][other];
                shares[around + other][around] = ways / CHOOSE[usize::from(tiles)][around + other];
            }
        }
        shares
    }
}

/// The passes over one component; made to be used again and again without new memory.
#[derive(Clone, Debug, Default)]
pub struct Passes {
    /// For every node the chance to come by there, with so many mines around the tile and none on it.
    forward: Vec<ByMines>,
    /// For every node the chance of so many more from there on, in this component and outside.
    backward: Vec<ByMines>,
    /// The mines around the tile can be up to so many, in this component.
    degree: usize,
}

impl Passes {
    /// The first pass; `beside` says of every box how the tile lies to it.
    pub fn forward(&mut self, counted: &Counted, beside: &[Beside]) {
        let Counted { nodes, edges, layers, chances, reach, .. } = counted;
        let first = layers.iter().position(|layer| beside[layer.number as usize].is_touched()).unwrap_or(layers.len());
        let known = layers.get(first).map_or(nodes.len(), |layer| layer.end as usize);
        self.forward.clear();
        self.forward.extend(reach[..known].iter().map(|&reach| [reach, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]));
        self.forward.resize(nodes.len(), [0.0; 9]);
        self.degree = 0;
        for layer in &layers[first..] {
            let beside = beside[layer.number as usize];
            let shares = if beside.is_touched() { beside.shares(layer.tiles) } else { [[0.0; 9]; 9] };
            let (before, after) = self.forward.split_at_mut(layer.end as usize);
            for (node, here) in nodes[layer.first as usize..].iter().zip(&before[layer.first as usize..]) {
                for more in 0..usize::from(node.successors) {
                    let edge = node.edges as usize + more;
                    let next = &mut after[(edges[edge] - layer.end) as usize];
                    if !beside.is_touched() {
                        add_all(next, chances[edge], here);
                        continue;
                    }
                    let shares = &shares[usize::from(node.fewest) + more];
                    for around in 0..=usize::from(beside.around) {
                        add(&mut next[around..], chances[edge] * shares[around], &here[..=self.degree]);
                    }
                }
            }
            self.degree += usize::from(beside.around);
        }
    }

    /// The mines around the tile can be up to so many, in this component.
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// What the first pass found: for every number of mines in the component, from its `fewest` up, its chance, and with how
    /// many around the tile and none on it.
    pub fn last(&self, counted: &Counted) -> impl Iterator<Item = (usize, f64, &[f64])> {
        let nodes = counted.last as usize..counted.nodes.len();
        nodes.map(move |node| (counted.used(node), counted.reach[node], &self.forward[node][..=self.degree]))
    }

    /// The second pass: `outside` says for every number of mines in the component how likely so many mines are around the
    /// tile outside, up to `most`. Tells `take` of every part of a box how many tiles it has and, by the mines around
    /// the tile, how many mines, where all together weigh what is returned.
    pub fn backward(
        &mut self,
        counted: &Counted,
        beside: &[Beside],
        most: usize,
        outside: impl Fn(usize) -> ByMines,
        mut take: impl FnMut(u8, &ByMines, &ByMines),
    ) {
        let Counted { nodes, edges, layers, chances, .. } = counted;
        self.backward.clear();
        self.backward.resize(nodes.len(), [0.0; 9]);
        let mut total = [0.0; 9];
        for node in counted.last as usize..nodes.len() {
            self.backward[node] = outside(counted.used(node));
            add_product(&mut total, &self.forward[node][..=self.degree], &self.backward[node][..=most]);
        }
        let mut most = most;
        for layer in layers.iter().rev() {
            let beside = beside[layer.number as usize];
            let shares = if beside.is_touched() { beside.shares(layer.tiles) } else { [[0.0; 9]; 9] };
            self.degree -= usize::from(beside.around);
            let (mut mines, mut mines_around) = ([0.0; 9], [0.0; 9]);
            let (before, after) = self.backward.split_at_mut(layer.end as usize);
            for from in layer.first as usize..layer.end as usize {
                let node = &nodes[from];
                let (mut all, mut with_mines, mut with_around) = ([0.0; 9], [0.0; 9], [0.0; 9]);
                for more in 0..usize::from(node.successors) {
                    let edge = node.edges as usize + more;
                    let next = &after[(edges[edge] - layer.end) as usize];
                    let count = usize::from(node.fewest) + more;
                    if !beside.is_touched() {
                        add_all(&mut all, chances[edge], next);
                        add_all(&mut with_mines, chances[edge] * count as f64, next);
                        continue;
                    }
                    let next = &next[..=most];
                    let shares = &shares[count];
                    for around in 0..=usize::from(beside.around).min(count) {
                        let chance = chances[edge] * shares[around];
                        add(&mut all[around..], chance, next);
                        add(&mut with_mines[around..], chance * (count - around) as f64, next);
                        if around > 0 {
                            add(&mut with_around[around..], chance * around as f64, next);
                        }
                    }
                }
                before[from] = all;
                let (here, most) = (&self.forward[from][..=self.degree], most + usize::from(beside.around));
                add_product(&mut mines, here, &with_mines[..=most]);
                if beside.around > 0 {
                    add_product(&mut mines_around, here, &with_around[..=most]);
                }
            }
            most += usize::from(beside.around);
            let apart = layer.tiles - beside.around - u8::from(beside.is_inside);
            if apart > 0 {
                take(apart, &mines, &total);
            }
            if beside.around > 0 {
                take(beside.around, &mines_around, &total);
            }
        }
    }
}

#[inline]
fn add(to: &mut [f64], factor: f64, terms: &[f64]) {
    for (sum, term) in to.iter_mut().zip(terms) {
        *sum += factor * term;
    }
}

/// The same for all numbers: most steps have nothing to do with the tile, and a loop of known length is the faster one.
#[inline]
fn add_all(to: &mut ByMines, factor: f64, terms: &ByMines) {
    for (sum, term) in to.iter_mut().zip(terms) {
        *sum += factor * term;
    }
}

#[inline]
fn add_product(to: &mut ByMines, one: &[f64], other: &[f64]) {
    for (place, &factor) in one.iter().enumerate() {
        add(&mut to[place..], factor, other);
    }
}
