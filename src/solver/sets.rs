//! Sets of explanations: the words that one is known by, what is known of sets met before, and parting a set by what its
//! members say.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};

/// What was found for keys that are random already.
pub(super) type Found<K, V> = HashMap<K, V, BuildHasherDefault<Unchanged>>;

/// Takes a key as it is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Unchanged(u64);

impl Hasher for Unchanged {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = self.0.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }

    fn write_u128(&mut self, key: u128) {
        self.0 = key as u64;
    }
}

/// How many members of a set are won under best play: exactly, or at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Won(u32);

impl Won {
    /// Up to 2^31 members, which is more than any search takes up.
    pub fn new(most: u64, is_exact: bool) -> Self {
        Self((most as u32) << 1 | u32::from(is_exact))
    }

    pub fn most(self) -> u64 {
        (self.0 >> 1).into()
    }

    pub fn is_exact(self) -> bool {
        self.0 & 1 == 1
    }
}

/// What is known of sets met before, by key.
#[derive(Clone, Debug)]
pub(super) struct Known<K>(Found<K, Won>);

impl<K> Default for Known<K> {
    fn default() -> Self {
        Self(HashMap::default())
    }
}

impl<K: Eq + Hash> Known<K> {
    #[inline]
    pub fn get(&self, key: &K) -> Option<Won> {
        self.0.get(key).copied()
    }

    pub fn insert(&mut self, key: K, won: Won) {
        self.0.insert(key, won);
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }
}

/// Odd random constants.
pub(super) const ODD: [u64; 2] = [0x9E37_79B9_7F4A_7C15, 0xD6E8_FEB8_6659_FD93];

/// A word in which every bit depends on all bits (after SplitMix64).
#[inline]
pub(super) fn spread(word: u64) -> u64 {
    let word = (word ^ (word >> 32)).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ (word >> 29)
}

/// Parts sets by what their members say, one after another without new memory.
#[derive(Clone, Debug)]
pub(super) struct Parting<T> {
    /// The members, each with what it says: to be filled before [`Parting::part`].
    pub said: Vec<(u64, T)>,
    /// What was said so far, and where to find it: by where it falls in a table of twice as many places.
    met: Vec<u64>,
    table: Vec<u32>,
}

impl<T> Default for Parting<T> {
    fn default() -> Self {
        Self { said: Vec::new(), met: Vec::new(), table: Vec::new() }
    }
}

impl<T: Copy> Parting<T> {
    /// Puts the members into `into`, a place for each of them, so that those that say the same lie together, in the order in which
    /// it was first said; how many they are is added to `sizes`.
    pub fn part(&mut self, into: &mut [T], sizes: &mut Vec<usize>) {
        let mask = (2 * self.said.len()).next_power_of_two() - 1;
        self.table.clear();
        self.table.resize(mask + 1, u32::MAX);
        self.met.clear();
        let first = sizes.len();
        for (said, _) in &mut self.said {
            let mut place = *said as usize & mask;
            while self.table[place] != u32::MAX && self.met[self.table[place] as usize] != *said {
                place = (place + 1) & mask;
            }
            if self.table[place] == u32::MAX {
                self.table[place] = self.met.len() as u32;
                self.met.push(*said);
                sizes.push(0);
            }
            *said = self.table[place].into();
            sizes[first + *said as usize] += 1;
        }
        let (starts, mut next) = (&mut self.met, 0);
        for (start, &size) in starts.iter_mut().zip(&sizes[first..]) {
            *start = next;
            next += size as u64;
        }
        for &(group, member) in &self.said {
            let start = &mut starts[group as usize];
            into[*start as usize] = member;
            *start += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_that_say_the_same_lie_together() {
        let mut parting = Parting::default();
        for (said, expected, sizes) in [
            (vec![7, 3, 7, 7, 3, 9], vec![0, 2, 3, 1, 4, 5], vec![3, 2, 1]),
            (vec![5], vec![0], vec![1]),
            // All of them fall on one place of the table.
            (vec![0, 64, 0, 128, 64], vec![0, 2, 1, 4, 3], vec![2, 2, 1]),
        ] {
            parting.said = said.into_iter().zip(0..).collect();
            let (mut into, mut found) = (vec![0; expected.len()], vec![]);
            parting.part(&mut into, &mut found);
            assert_eq!((into, found), (expected, sizes));
        }
    }

    #[test]
    fn what_is_won_is_kept_with_whether_it_is_exact() {
        let mut known = Known::default();
        known.insert(1u64, Won::new(3_000_000, false));
        known.insert(2u64, Won::new(5, true));
        assert_eq!(known.get(&1).map(|won| (won.most(), won.is_exact())), Some((3_000_000, false)));
        assert_eq!(known.get(&2).map(|won| (won.most(), won.is_exact())), Some((5, true)));
        assert_eq!((known.get(&3), known.len()), (None, 2));
    }
}
