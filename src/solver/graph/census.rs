//! How many positions a board has: the state spaces of Nakov & Wei's tables.

use super::symmetry::symmetries;
use crate::geometry::BoardSize;
use std::collections::HashSet;

/// The number of positions that can come up on a board and are not over: some tiles open with their numbers, no mine
/// among them, and at least one arrangement of the mines that shows just this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Census {
    /// Every position counted.
    pub positions: usize,
    /// Positions that are turned or mirrored into each other counted once.
    pub up_to_symmetry: usize,
}

/// Counts the positions of a board of `size` with this many mines.
///
/// # Panics
/// More than 16 tiles.
pub fn census(size: BoardSize, mines: u32) -> Census {
    assert!(size.tiles() <= 16, "a board of {size} has too many positions to be counted");
    let symmetries = symmetries(size);
    let mut census = Census { positions: 0, up_to_symmetry: 0 };
    for open in 0..1u32 << size.tiles() {
        if open.count_ones() + mines >= size.tiles() as u32 {
            continue; // Every tile without a mine is open: the game is over.
        }
        // One of each set of open tiles that are images of each other; the others have as many positions.
        let images: HashSet<u32> = symmetries.iter().map(|symmetry| image(open, symmetry)).collect();
        if images.iter().any(|image| *image < open) {
            continue;
        }
        let fixing: Vec<_> = symmetries.iter().filter(|symmetry| image(open, symmetry) == open).collect();
        let shown = distinct(arrangements(size, open, mines).map(|field| numbers(size, open, field)).collect());
        census.positions += images.len() * shown.len();
        let smallest_image = |shown: &u64| fixing.iter().map(|symmetry| shown_image(*shown, symmetry)).min();
        census.up_to_symmetry += distinct(shown.iter().filter_map(smallest_image).collect()).len();
    }
    census
}

/// Where a set of tiles goes.
fn image(tiles: u32, symmetry: &[usize]) -> u32 {
    symmetry.iter().enumerate().fold(0, |image, (from, to)| image | (tiles >> from & 1) << to)
}

/// Where numbers, four bits a tile, go.
fn shown_image(shown: u64, symmetry: &[usize]) -> u64 {
    symmetry.iter().enumerate().fold(0, |image, (from, to)| image | (shown >> (4 * from) & 15) << (4 * to))
}

/// Every way to lay the mines on the tiles that are not open.
fn arrangements(size: BoardSize, open: u32, mines: u32) -> impl Iterator<Item = u32> {
    let covered = !open & ((1u64 << size.tiles()) - 1) as u32;
    let subsets = std::iter::successors(Some(covered), move |subset| Some(subset.checked_sub(1)? & covered));
    subsets.filter(move |subset| subset.count_ones() == mines)
}

/// What the open tiles show, four bits a tile.
fn numbers(size: BoardSize, open: u32, field: u32) -> u64 {
    let around = |tile: usize| {
        size.neighbours(size.cell(tile)).filter(|&other| field >> size.index(other) & 1 == 1).count() as u64
    };
    (0..size.tiles()).filter(|tile| open >> tile & 1 == 1).fold(0, |shown, tile| shown | around(tile) << (4 * tile))
}

fn distinct(mut shown: Vec<u64>) -> Vec<u64> {
    shown.sort_unstable();
    shown.dedup();
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_boards_by_hand() {
        // One mine among two tiles: nothing open. Among four: one, four or six sets of open tiles, all showing 1s.
        assert_eq!(census(BoardSize::new(2, 1), 1), Census { positions: 1, up_to_symmetry: 1 });
        assert_eq!(census(BoardSize::new(2, 2), 1), Census { positions: 11, up_to_symmetry: 4 });
    }
}
