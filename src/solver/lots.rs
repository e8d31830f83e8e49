//! Chance that can be repeated: lots that come from a seed and what is known of the board.

use crate::board::Board;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::hash::Hasher;

/// Where a player draws its lots on this board: the same on every machine for the same seed and board.
pub(crate) fn lots(seed: u64, board: &Board) -> Xoshiro256PlusPlus {
    lots_of(seed, board.tiles().iter().map(|tile| tile.to_char() as u8))
}

/// Where a player draws its lots when it knows this much.
pub(crate) fn lots_of(seed: u64, known: impl Iterator<Item = u8>) -> Xoshiro256PlusPlus {
    let mut hash = Fnv(seed ^ 0xcbf2_9ce4_8422_2325);
    known.for_each(|byte| hash.write_u8(byte));
    Xoshiro256PlusPlus::seed_from_u64(hash.finish())
}

/// One of `choices`, by lot; nothing if there is nothing to choose from.
pub(crate) fn draw<T: Copy>(choices: &[T], lots: &mut Xoshiro256PlusPlus) -> Option<T> {
    (!choices.is_empty()).then(|| choices[lots.random_range(0..choices.len())])
}

/// FNV-1a, whose result is fixed for all time, unlike that of the standard library's hashers.
struct Fnv(u64);

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}
