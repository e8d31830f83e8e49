//! The exact number of explanations of every component, by mines used.
//!
//! The boxes of a component are decided one after another. All that matters of the decisions so far is what the open
//! witnesses still need and how many mines were used: choices that agree on these are merged into one [`Node`]. The
//! cost follows the width of the frontier, not its length. The layers of nodes are kept, so that a second pass from
//! the end gives the tally of every box for any weighing of the mines used (forward and backward, as in a hidden
//! Markov model).

pub mod around;

use super::constraints::Constraints;
use super::ways::CHOOSE;

/// Four bits for every open witness, from the lowest; the mines used are counted above them.
const USED_SHIFT: u32 = 104;
/// So many witnesses may be open at a time.
const SLOTS: u32 = USED_SHIFT / 4;
/// Counts above this are scaled down.
const LARGE: f64 = 1e120;

/// Decisions so far that agree on everything that matters later.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// What the open witnesses still need, and the mines used.
    key: u128,
    /// Ways to come here, in units of the scale of the component.
    forward: f64,
    /// Weight of all ways from here to the end.
    backward: f64,
    /// Where its successors are, among the edges of its component.
    edges: u32,
    /// The fewest mines its box can take; the successors follow by one mine more each.
    fewest: u8,
    successors: u8,
}

/// One box decided.
#[derive(Clone, Copy, Debug)]
struct Layer {
    number: u32,
    tiles: u8,
    first: u32,
    end: u32,
}

/// A component as counted.
#[derive(Clone, Debug, Default)]
pub struct Counted {
    nodes: Vec<Node>,
    edges: Vec<u32>,
    layers: Vec<Layer>,
    /// Of every edge the chance to go on by it, and of every node to come by there; after [`Counter::chain`].
    chances: Vec<f64>,
    reach: Vec<f64>,
    /// The first node of the last layer.
    last: u32,
    /// The fewest mines it can hold, if `ways` has any entry.
    pub fewest: u32,
    /// Ways to explain it by mines used, from `fewest` up, times `exp(-log_scale)`. Never zero by rounding: where an
    /// entry is zero there is no explanation.
    pub ways: Vec<f64>,
    /// What `ways` were scaled by.
    pub log_scale: f64,
}

impl Counted {
    fn begin(&mut self) {
        self.nodes.clear();
        self.edges.clear();
        self.layers.clear();
        self.log_scale = 0.0;
        self.nodes.push(Node { key: 0, forward: 1.0, backward: 0.0, edges: 0, fewest: 0, successors: 0 });
    }

    /// The same component in another position, in which its boxes have other numbers.
    fn take_over(&mut self, before: &Counted, renumbered: &[u32]) {
        self.nodes.clone_from(&before.nodes);
        self.edges.clone_from(&before.edges);
        self.layers.clone_from(&before.layers);
        self.ways.clone_from(&before.ways);
        (self.last, self.fewest, self.log_scale) = (before.last, before.fewest, before.log_scale);
        for layer in &mut self.layers {
            layer.number = renumbered[layer.number as usize];
        }
    }

    /// Keeps the counts of the layer from `first` on in range; returns the logarithm of what they were divided by.
    fn scale_down(&mut self, first: usize) -> f64 {
        let layer = &mut self.nodes[first..];
        let largest = layer.iter().fold(0.0f64, |largest, node| largest.max(node.forward));
        if largest < LARGE && largest > 1.0 / LARGE || largest == 0.0 {
            return 0.0;
        }
        for node in layer {
            node.forward = (node.forward / largest).max(f64::MIN_POSITIVE);
        }
        largest.ln()
    }

    fn read_ways(&mut self) {
        let last = &self.nodes[self.last as usize..];
        let used = |node: &Node| (node.key >> USED_SHIFT) as u32;
        self.ways.clear();
        let Some(fewest) = last.iter().map(used).min() else { return };
        let most = last.iter().map(used).max().unwrap_or(fewest);
        self.fewest = fewest;
        self.ways.resize((most - fewest + 1) as usize, 0.0);
        for node in last {
            self.ways[(used(node) - fewest) as usize] += node.forward;
        }
    }

    /// The mines used at a node of the last layer, from `fewest` up.
    fn used(&self, node: usize) -> usize {
        (self.nodes[node].key >> USED_SHIFT) as usize - self.fewest as usize
    }

    /// Its boxes, in the order in which they were decided.
    pub fn boxes(&self) -> impl Iterator<Item = u32> {
        self.layers.iter().map(|layer| layer.number)
    }

    /// The logarithm of the number of explanations.
    pub fn log_ways(&self) -> f64 {
        self.ways.iter().sum::<f64>().ln() + self.log_scale
    }
}

/// Told each assignment, as boxes with their mines; says whether to go on.
pub type Visit<'a> = dyn FnMut(&[(u32, u8)]) -> bool + 'a;

/// What is known of a box after the second pass.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// Expected mines, times the total weight.
    pub mines: f64,
    /// Bit k is set if some explanation has k mines here; exact.
    pub possible: u16,
}

/// Too many nodes, or too many witnesses open at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooWide;

/// Counts components; made to be used again and again without new memory.
#[derive(Clone, Debug, Default)]
pub struct Counter {
    /// The components counted so far, in the order of [`Constraints::components`].
    pub components: Vec<Counted>,
    /// Memory of components that are no more.
    spare: Vec<Counted>,
    /// What a mine weighed.
    odds: f64,
    cost: usize,
    /// One entry a box.
    pub tallies: Vec<Tally>,
    plan: Plan,
    table: Merger,
}

/// Nodes of the next layer by key: a hash table that is emptied by counting up.
#[derive(Clone, Debug, Default)]
struct Merger {
    slots: Vec<(u32, u32)>,
    stamp: u32,
}

/// The order in which boxes are decided.
#[derive(Clone, Debug, Default)]
struct Plan {
    /// Unassigned tiles left in every witness; slot of every witness.
    left: Vec<u8>,
    slot: Vec<u8>,
    decided: Vec<bool>,
    open: Vec<u32>,
    /// Slots that are taken.
    used_slots: u32,
    /// How many others each witness would open, or [`UNKNOWN_COST`] where that has changed.
    cost: Vec<u8>,
}

const CLOSED: u8 = u8::MAX;
const UNKNOWN_COST: u8 = u8::MAX;

impl Counter {
    /// Counts all components; every mine weighs `odds` (1 to count explanations).
    ///
    /// # Errors
    /// The work exceeds `limit` nodes, or the frontier is too wide to begin with.
    pub fn count(&mut self, constraints: &Constraints, odds: f64, limit: usize) -> Result<(), TooWide> {
        self.count_opened(constraints, odds, limit, &Counter::default())
    }

    /// The same after [`Constraints::group_opened`]; components that were taken over are as in `parent`, if a mine weighed
    /// the same there.
    ///
    /// # Errors
    /// As for [`Counter::count`].
    pub fn count_opened(
        &mut self,
        constraints: &Constraints,
        odds: f64,
        limit: usize,
        parent: &Counter,
    ) -> Result<(), TooWide> {
        (self.odds, self.cost) = (odds, 0);
        self.tallies.clear();
        self.tallies.resize(constraints.boxes.len(), Tally::default());
        self.plan.begin(constraints);
        let weights = weights(odds);
        while self.components.len() > constraints.components.len() {
            self.spare.extend(self.components.pop());
        }
        while self.components.len() < constraints.components.len() {
            self.components.push(self.spare.pop().unwrap_or_default());
        }
        for (component, &(begin, end)) in constraints.components.iter().enumerate() {
            let before = parent.components.get(constraints.taken_over[component] as usize);
            if let Some(before) = before.filter(|_| odds == parent.odds) {
                self.components[component].take_over(before, &constraints.renumbered);
            } else {
                let walk = &constraints.walk[begin as usize..end as usize];
                let mut counted = std::mem::take(&mut self.components[component]);
                let done = self.count_component(constraints, walk, &weights, limit, &mut counted);
                self.components[component] = counted;
                if done.is_err() {
                    self.cost += self.components[component].nodes.len();
                    return done;
                }
            }
            self.cost += self.components[component].nodes.len();
        }
        Ok(())
    }

    fn count_component(
        &mut self,
        constraints: &Constraints,
        walk: &[u32],
        weights: &[[f64; 9]; 9],
        limit: usize,
        counted: &mut Counted,
    ) -> Result<(), TooWide> {
        counted.begin();
        let mut first = 0;
        // The end of the walk is far from its beginning: a good end to start from.
        self.plan.open.push(walk[walk.len() - 1]);
        self.plan.used_slots = 0;
        let limit = limit.saturating_sub(self.cost);
        while let Some(witness) = self.plan.next_witness(constraints) {
            for &number in constraints.witnesses[witness as usize].boxes() {
                if self.plan.decided[number as usize] {
                    continue;
                }
                self.plan.decide(constraints, number);
                let end = counted.nodes.len();
                self.decide(constraints, number, (first, end), weights, limit, counted)?;
                counted.log_scale += counted.scale_down(end);
                first = end;
            }
        }
        counted.last = first as u32;
        counted.read_ways();
        Ok(())
    }

    /// Decides box `number`: from the nodes `first..end` to a new layer behind them.
    #[inline]
    fn decide(
        &mut self,
        constraints: &Constraints,
        number: u32,
        (first, end): (usize, usize),
        weights: &[[f64; 9]; 9],
        limit: usize,
        counted: &mut Counted,
    ) -> Result<(), TooWide> {
        let decided = &constraints.boxes[number as usize];
        let tiles = decided.cells().len() as u8;
        let mut opened = 0u128;
        let mut step = 1u128 << USED_SHIFT;
        let mut asks = [(0u32, 0u8); 8];
        let mut closing = 0u32;
        for (ask, &witness) in asks.iter_mut().zip(decided.witnesses()) {
            let at = witness as usize;
            if self.plan.slot[at] == CLOSED {
                let slot = self.plan.used_slots.trailing_ones();
                if slot >= SLOTS {
                    return Err(TooWide);
                }
                self.plan.used_slots |= 1 << slot;
                self.plan.open(constraints, witness, slot as u8);
                opened |= u128::from(constraints.witnesses[at].need) << (4 * slot);
            }
            self.plan.left[at] -= tiles;
            let shift = 4 * u32::from(self.plan.slot[at]);
            step = step.wrapping_sub(1 << shift);
            *ask = (shift, self.plan.left[at]);
            if self.plan.left[at] == 0 {
                closing |= 1 << self.plan.slot[at];
            }
        }
        self.plan.used_slots &= !closing;
        let asks = &asks[..decided.witnesses().len()];
        let weights = &weights[usize::from(tiles)];
        self.table.begin(end - first);
        for index in first..end {
            if counted.nodes.len() > limit {
                return Err(TooWide);
            }
            let Node { key, forward, .. } = counted.nodes[index];
            let key = key | opened;
            let (mut fewest, mut most) = (0u8, tiles);
            for &(shift, left) in asks {
                let need = (key >> shift) as u8 & 15;
                most = most.min(need);
                fewest = fewest.max(need.saturating_sub(left));
            }
            let edges = counted.edges.len() as u32;
            let mut successors = 0;
            if fewest <= most {
                successors = most - fewest + 1;
                for mines in fewest..=most {
                    let next = key.wrapping_add(step.wrapping_mul(u128::from(mines)));
                    // What is possible stays possible, however unlikely.
                    let ways = (forward * weights[usize::from(mines)]).max(f64::MIN_POSITIVE);
                    let node = self.table.merge(&mut counted.nodes, end, next, ways);
                    counted.edges.push(node);
                }
            }
            let node = &mut counted.nodes[index];
            (node.edges, node.fewest, node.successors) = (edges, fewest, successors);
        }
        counted.layers.push(Layer { number, tiles, first: first as u32, end: end as u32 });
        Ok(())
    }

    /// The second pass over a component: `weight` is what each number of mines used is worth, from `fewest` up (0
    /// where it is impossible). Fills in the tallies of its boxes, which share the returned total weight.
    pub fn tally(&mut self, component: usize, weight: &[f64], odds: f64) -> f64 {
        let weights = weights(odds);
        let Counted { nodes, edges, layers, last, fewest, .. } = &mut self.components[component];
        let mut total = 0.0;
        for node in &mut nodes[*last as usize..] {
            node.backward = weight[((node.key >> USED_SHIFT) as u32 - *fewest) as usize];
            total += node.forward * node.backward;
        }
        // Scaling one pass or the other changes all products of a layer alike, so each layer is its own measure.
        for layer in layers.iter().rev() {
            let weights = &weights[usize::from(layer.tiles)];
            let (mut mines, mut all, mut largest, mut possible) = (0.0, 0.0, 0.0f64, 0u16);
            let (before, after) = nodes.split_at_mut(layer.end as usize);
            for node in &mut before[layer.first as usize..] {
                let (mut backward, mut with_mines, mut alive) = (0.0, 0.0, 0u16);
                let successors = &edges[node.edges as usize..][..usize::from(node.successors)];
                for (more, &edge) in successors.iter().enumerate() {
                    let value = after[(edge - layer.end) as usize].backward;
                    if value > 0.0 {
                        let count = usize::from(node.fewest) + more;
                        let value = weights[count] * value;
                        backward += value;
                        with_mines += count as f64 * value;
                        alive |= 1 << count;
                    }
                }
                if alive != 0 {
                    backward = backward.max(f64::MIN_POSITIVE);
                }
                node.backward = backward;
                possible |= alive;
                mines += node.forward * with_mines;
                all += node.forward * backward;
                largest = largest.max(backward);
            }
            if !(1.0 / LARGE..=LARGE).contains(&largest) {
                for node in &mut before[layer.first as usize..] {
                    if node.backward > 0.0 {
                        node.backward = (node.backward / largest).max(f64::MIN_POSITIVE);
                    }
                }
            }
            let share = if all > 0.0 { mines / all } else { 0.0 };
            self.tallies[layer.number as usize] = Tally { mines: share, possible };
        }
        total
    }

    /// The ways through a component as a chain of chances, after [`Counter::tally`] with the weight of the mines used.
    pub fn chain(&mut self, component: usize, odds: f64) {
        let weights = weights(odds);
        let Counted { nodes, edges, layers, chances, reach, .. } = &mut self.components[component];
        chances.clear();
        chances.resize(edges.len(), 0.0);
        reach.clear();
        reach.resize(nodes.len(), 0.0);
        reach[0] = 1.0;
        for layer in layers {
            let weights = &weights[usize::from(layer.tiles)];
            for index in layer.first as usize..layer.end as usize {
                let Node { edges: begin, fewest, successors, .. } = nodes[index];
                let mut sum = 0.0;
                for edge in begin as usize..begin as usize + usize::from(successors) {
                    let mines = usize::from(fewest) + edge - begin as usize;
                    chances[edge] = weights[mines] * nodes[edges[edge] as usize].backward;
                    sum += chances[edge];
                }
                for edge in begin as usize..begin as usize + usize::from(successors) {
                    chances[edge] = if sum > 0.0 { chances[edge] / sum } else { 0.0 };
                    reach[edges[edge] as usize] += reach[index] * chances[edge];
                }
            }
        }
    }

    /// Draws the mines of every box of a component, after [`Counter::tally`] with the weight of the mines used: each
    /// assignment with its own chance. `lots` gives numbers from 0 to 1.
    pub fn draw(&self, component: usize, odds: f64, lots: &mut dyn FnMut() -> f64, chosen: &mut Vec<(u32, u8)>) {
        let weights = weights(odds);
        let counted = &self.components[component];
        let mut at = 0;
        for layer in &counted.layers {
            let Node { edges, fewest, successors, .. } = counted.nodes[at as usize];
            let chance = |more: u8| {
                let next = counted.edges[edges as usize + usize::from(more)];
                weights[usize::from(layer.tiles)][usize::from(fewest + more)] * counted.nodes[next as usize].backward
            };
            let mut left = lots() * (0..successors).map(chance).sum::<f64>();
            let mut taken = None;
            for more in (0..successors).filter(|&more| chance(more) > 0.0) {
                taken = Some(more);
                left -= chance(more);
                if left < 0.0 {
                    break;
                }
            }
            let more = taken.expect("a node that can be reached leads somewhere");
            chosen.push((layer.number, fewest + more));
            at = counted.edges[edges as usize + usize::from(more)];
        }
    }

    /// Exact ways to explain a component by mines used, from its `fewest` up.
    pub fn exact_ways(&self, component: usize) -> Vec<num_bigint::BigUint> {
        use num_bigint::BigUint;
        let counted = &self.components[component];
        let layers = &counted.layers;
        let mut current = vec![BigUint::from(1u32)];
        for (place, layer) in layers.iter().enumerate() {
            let next_end = layers.get(place + 1).map_or(counted.nodes.len() as u32, |next| next.end);
            let mut next = vec![BigUint::ZERO; (next_end - layer.end) as usize];
            for (node, ways) in counted.nodes[layer.first as usize..layer.end as usize].iter().zip(&current) {
                for more in 0..usize::from(node.successors) {
                    let target = counted.edges[node.edges as usize + more] - layer.end;
                    let choose = CHOOSE[usize::from(layer.tiles)][usize::from(node.fewest) + more] as u32;
                    next[target as usize] += ways * choose;
                }
            }
            current = next;
        }
        let mut ways = vec![BigUint::ZERO; counted.ways.len()];
        let last = &counted.nodes[counted.last as usize..];
        for (node, count) in last.iter().zip(current) {
            ways[((node.key >> USED_SHIFT) as u32 - counted.fewest) as usize] += count;
        }
        ways
    }

    /// Every assignment of mines to the boxes of a component that explains it and, after [`Counter::tally`], agrees
    /// with the rest of the board: `visit` is told box and mines of each, and the mines used. Stops when `visit`
    /// returns false.
    pub fn assignments(&self, component: usize, visit: &mut Visit<'_>) -> bool {
        let counted = &self.components[component];
        let mut chosen = Vec::with_capacity(counted.layers.len());
        counted.layers.is_empty() || counted.follow(&counted.layers, 0, &mut chosen, visit)
    }

    /// Nodes made by the last count, or taken over: its cost.
    pub fn cost(&self) -> usize {
        self.cost
    }
}

impl Counted {
    fn follow(&self, layers: &[Layer], node: u32, chosen: &mut Vec<(u32, u8)>, visit: &mut Visit<'_>) -> bool {
        let Some((layer, rest)) = layers.split_first() else { return visit(chosen) };
        let Node { edges, fewest, successors, .. } = self.nodes[node as usize];
        (0..successors).all(|more| {
            let next = self.edges[edges as usize + usize::from(more)];
            if self.nodes[next as usize].backward == 0.0 {
                return true;
            }
            chosen.push((layer.number, fewest + more));
            let goes_on = self.follow(rest, next, chosen, visit);
            chosen.pop();
            goes_on
        })
    }
}

/// What k mines in a box of n weigh.
fn weights(odds: f64) -> [[f64; 9]; 9] {
    let mut weights = CHOOSE;
    if odds != 1.0 {
        for row in &mut weights {
            row.iter_mut().enumerate().for_each(|(mines, weight)| *weight *= odds.powi(mines as i32));
        }
    }
    weights
}

impl Plan {
    fn begin(&mut self, constraints: &Constraints) {
        self.left.clear();
        self.left.extend(constraints.witnesses.iter().map(|witness| witness.unknown));
        self.slot.clear();
        self.slot.resize(constraints.witnesses.len(), CLOSED);
        self.decided.clear();
        self.decided.resize(constraints.boxes.len(), false);
        self.open.clear();
        self.cost.clear();
        self.cost.resize(constraints.witnesses.len(), UNKNOWN_COST);
    }

    /// Takes up a box; its witnesses may cost less now.
    fn decide(&mut self, constraints: &Constraints, number: u32) {
        self.decided[number as usize] = true;
        for &witness in constraints.boxes[number as usize].witnesses() {
            self.cost[witness as usize] = UNKNOWN_COST;
        }
    }

    /// Opens a witness; those that share boxes with it may cost less now.
    fn open(&mut self, constraints: &Constraints, witness: u32, slot: u8) {
        self.slot[witness as usize] = slot;
        for &number in constraints.witnesses[witness as usize].boxes() {
            for &other in constraints.boxes[number as usize].witnesses() {
                self.cost[other as usize] = UNKNOWN_COST;
            }
        }
        if !self.open.contains(&witness) {
            self.open.push(witness);
        }
    }

    /// The open witness that can be finished while opening the fewest others.
    fn next_witness(&mut self, constraints: &Constraints) -> Option<u32> {
        let Self { left, slot, decided, open, cost, .. } = self;
        open.retain(|&witness| left[witness as usize] > 0);
        for &witness in &*open {
            if cost[witness as usize] != UNKNOWN_COST {
                continue;
            }
            let undecided = constraints.witnesses[witness as usize].boxes().iter();
            let undecided = undecided.filter(|&&number| !decided[number as usize]);
            let mut new = [NONE_SEEN; 16];
            let mut count = 0;
            for &number in undecided {
                for &other in constraints.boxes[number as usize].witnesses() {
                    if slot[other as usize] == CLOSED && !new[..count].contains(&other) && count < new.len() {
                        new[count] = other;
                        count += 1;
                    }
                }
            }
            cost[witness as usize] = count as u8;
        }
        let best = open.iter().enumerate().min_by_key(|&(_, &witness)| cost[witness as usize])?.0;
        Some(open.swap_remove(best))
    }
}

const NONE_SEEN: u32 = u32::MAX;

impl Merger {
    /// Forgets everything; room for the successors of `nodes` nodes.
    fn begin(&mut self, nodes: usize) {
        let wanted = (nodes * 4).next_power_of_two().max(64);
        if self.slots.len() < wanted {
            self.slots = vec![(0, 0); wanted];
            self.stamp = 0;
        }
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.slots.fill((0, 0));
            self.stamp = 1;
        }
    }

    /// The node with this key in the layer that begins at `first`; made if it is not there; `ways` are added to it.
    #[inline]
    fn merge(&mut self, nodes: &mut Vec<Node>, first: usize, key: u128, ways: f64) -> u32 {
        if (nodes.len() - first) * 2 >= self.slots.len() {
            self.grow(nodes, first);
        }
        let mask = self.slots.len() - 1;
        let mut at = hash(key) & mask;
        loop {
            let (stamp, node) = self.slots[at];
            if stamp != self.stamp {
                self.slots[at] = (self.stamp, nodes.len() as u32);
                nodes.push(Node { key, forward: ways, backward: 0.0, edges: 0, fewest: 0, successors: 0 });
                return nodes.len() as u32 - 1;
            }
            if nodes[node as usize].key == key {
                nodes[node as usize].forward += ways;
                return node;
            }
            at = (at + 1) & mask;
        }
    }

    fn grow(&mut self, nodes: &[Node], first: usize) {
        self.slots = vec![(0, 0); self.slots.len() * 4];
        self.stamp = 1;
        let mask = self.slots.len() - 1;
        for (index, node) in nodes.iter().enumerate().skip(first) {
            let mut at = hash(node.key) & mask;
            while self.slots[at].0 == self.stamp {
                at = (at + 1) & mask;
            }
            self.slots[at] = (self.stamp, index as u32);
        }
    }
}

#[inline]
fn hash(key: u128) -> usize {
    let folded = (key as u64) ^ ((key >> 64) as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (folded.wrapping_mul(0xD6E8_FEB8_6659_FD93) >> 32) as usize
}
