//! Turning and mirroring a board onto itself: a position and its image are worth the same.

use crate::geometry::{BoardSize, Cell};
use std::cmp::Ordering;

/// Where `cell` goes by every symmetry of a board: eight of a square, four of a rectangle. The first leaves it where
/// it is.
pub fn images(size: BoardSize, cell: Cell) -> impl Iterator<Item = Cell> {
    let (right, bottom) = (size.width - 1, size.height - 1);
    let mirrored = move |x: u32, y: u32| [(x, y), (right - x, y), (x, bottom - y), (right - x, bottom - y)];
    let turned = (right == bottom).then(|| mirrored(cell.y, cell.x));
    mirrored(cell.x, cell.y).into_iter().chain(turned.into_iter().flatten()).map(Cell::from)
}

/// The symmetries of a board: for each, where every tile goes. The first leaves all where they are.
pub fn symmetries(size: BoardSize) -> Vec<Vec<usize>> {
    let count = images(size, Cell::new(0, 0)).count();
    let image = |symmetry: usize, cell: Cell| images(size, cell).nth(symmetry).map_or(0, |image| size.index(image));
    (0..count).map(|symmetry| size.cells().map(|cell| image(symmetry, cell)).collect()).collect()
}

/// A symmetry for sets of up to 64 tiles, a bit each: the images of all sets of every eight tiles.
#[derive(Clone, Debug)]
pub struct Turn {
    eights: Vec<[u64; 256]>,
    /// Where every tile comes from.
    from: Vec<usize>,
}

impl Turn {
    /// The symmetries of a board of up to 64 tiles.
    pub fn all(size: BoardSize) -> Vec<Turn> {
        let table = |eight: &[usize]| -> [u64; 256] {
            std::array::from_fn(|set| {
                eight.iter().enumerate().fold(0, |image, (from, to)| image | (set as u64 >> from & 1) << to)
            })
        };
        let turn = |symmetry: Vec<usize>| {
            let mut from = vec![0; symmetry.len()];
            symmetry.iter().enumerate().for_each(|(tile, to)| from[*to] = tile);
            Turn { eights: symmetry.chunks(8).map(table).collect(), from }
        };
        symmetries(size).into_iter().map(turn).collect()
    }

    /// The image of a set of tiles.
    #[inline]
    pub fn image(&self, tiles: u64) -> u64 {
        self.eights.iter().zip(tiles.to_le_bytes()).fold(0, |image, (table, eight)| image | table[usize::from(eight)])
    }
}

/// Those of `turns` whose image of `counts`, one a tile, comes first: the same image of a set and of all its images, and
/// mostly by a single turn.
pub fn least<'a>(turns: &'a [Turn], counts: &[u64; 64]) -> impl Iterator<Item = &'a Turn> {
    let compared = |one: &Turn, other: &Turn| {
        let image = |turn: &'_ Turn, tile: usize| counts[turn.from[tile]];
        let tiles = 0..one.from.len();
        tiles
            .map(|tile| image(one, tile).cmp(&image(other, tile)))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    };
    let mut found = [0u8; 8];
    let mut count = 0;
    for (index, turn) in turns.iter().enumerate() {
        let order = if count == 0 { Ordering::Less } else { compared(turn, &turns[usize::from(found[0])]) };
        match order {
            Ordering::Less => (found[0], count) = (index as u8, 1),
            Ordering::Equal => (found[count], count) = (index as u8, count + 1),
            Ordering::Greater => {}
        }
    }
    (0..count).map(move |place| &turns[usize::from(found[place])])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn a_square_has_eight_symmetries_and_a_rectangle_four() {
        for (size, count) in [(BoardSize::new(3, 3), 8), (BoardSize::new(4, 2), 4)] {
            let symmetries = symmetries(size);
            assert_eq!(symmetries.len(), count);
            assert_eq!(symmetries.iter().collect::<HashSet<_>>().len(), count);
            assert!(symmetries[0].iter().enumerate().all(|(from, to)| from == *to));
        }
    }

    #[test]
    fn neighbours_stay_neighbours() {
        let size = BoardSize::new(4, 4);
        for (turn, symmetry) in Turn::all(size).iter().zip(symmetries(size)) {
            for cell in size.cells() {
                let around = size.neighbours(cell).fold(0u64, |set, other| set | 1 << size.index(other));
                let image = size.cell(symmetry[size.index(cell)]);
                let expected = size.neighbours(image).fold(0u64, |set, other| set | 1 << size.index(other));
                assert_eq!(turn.image(around), expected);
            }
        }
    }
}
