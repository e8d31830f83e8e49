//! What a client paints around a tile that was clicked: a line around the one that has the keyboard reaches over its neighbours, which are what
//! they were all the same.

use crate::geometry::{BoardSize, Cell, Rect};
use crate::vision::Grid;
use image::{GenericImage, GenericImageView, RgbaImage};

/// How far such a line reaches into a neighbour at most, as a share of its sides: figures begin further in.
const REACH: f64 = 0.2;

/// The picture with the tiles beside these, of which only what lies along those has changed, as they were `before`: an opened tile changes on all
/// sides. Nothing if there are none.
pub fn without(before: &RgbaImage, now: &RgbaImage, grid: &Grid, clicked: &[Cell]) -> Option<RgbaImage> {
    if before.dimensions() != now.dimensions() {
        return None;
    }
    let size = grid.size();
    let is_touched = |cell: &Cell| is_touched(before, now, grid.tile(*cell), *cell, clicked);
    let mut beside: Vec<Cell> = clicked.iter().flat_map(|&cell| around(size, cell)).collect();
    beside.sort_unstable();
    beside.dedup();
    beside.retain(|cell| !clicked.contains(cell) && is_touched(cell));
    let mut clean = now.clone();
    for &cell in &beside {
        let Rect { left, top, width, height } = grid.tile(cell);
        let tile = before.view(left, top, width, height);
        clean.copy_from(&*tile, left, top).ok()?;
    }
    (!beside.is_empty()).then_some(clean)
}

fn around(size: BoardSize, cell: Cell) -> Vec<Cell> {
    let is_on_it = cell.x < size.width && cell.y < size.height;
    if is_on_it { size.neighbours(cell).collect() } else { Vec::new() }
}

/// Whether something of a tile has changed, and only along the tiles that were clicked.
fn is_touched(before: &RgbaImage, now: &RgbaImage, tile: Rect, cell: Cell, clicked: &[Cell]) -> bool {
    let reach = |side: u32| ((f64::from(side) * REACH).ceil() as u32).max(1);
    // Whether a place along one way is on the side where the other tile is.
    let is_near = |at: u32, side: u32, from: u32, to: u32| match from.cmp(&to) {
        std::cmp::Ordering::Less => at + reach(side) >= side,
        std::cmp::Ordering::Equal => true,
        std::cmp::Ordering::Greater => at < reach(side),
    };
    let mut has_changed = false;
    for (x, y) in (0..tile.height).flat_map(|y| (0..tile.width).map(move |x| (x, y))) {
        let pixel = |picture: &RgbaImage| picture.get_pixel_checked(tile.left + x, tile.top + y).copied();
        let (Some(then), Some(is)) = (pixel(before), pixel(now)) else { return false };
        if then == is {
            continue;
        }
        has_changed = true;
        let is_beside = |other: &Cell| {
            let is_neighbour = other.x.abs_diff(cell.x) <= 1 && other.y.abs_diff(cell.y) <= 1;
            is_neighbour && is_near(x, tile.width, cell.x, other.x) && is_near(y, tile.height, cell.y, other.y)
        };
        if !clicked.iter().any(is_beside) {
            return false;
        }
    }
    has_changed
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgba;

    const SIDE: u32 = 20;

    fn grid() -> Grid {
        let edges = |count: u32| (0..=count).map(|edge| f64::from(edge * SIDE)).collect();
        Grid { columns: edges(4), lines: edges(3) }
    }

    /// Raised tiles, those of `open` flat, with a ring of two pixels around one that reaches over its neighbours.
    fn board(open: &[Cell], ring: Option<Cell>) -> RgbaImage {
        RgbaImage::from_fn(4 * SIDE, 3 * SIDE, |x, y| {
            let (cell, u, v) = (Cell::new(x / SIDE, y / SIDE), x % SIDE, y % SIDE);
            let is_on_ring = ring.is_some_and(|ring| {
                let off = |at: u32, tile: u32| {
                    let (from, to) = (i64::from(tile * SIDE) - 2, i64::from((tile + 1) * SIDE) + 2);
                    let at = i64::from(at);
                    (from..to).contains(&at).then(|| (at - from).min(to - 1 - at))
                };
                off(x, ring.x).zip(off(y, ring.y)).is_some_and(|(a, b)| a.min(b) < 2)
            });
            let is_border = u.min(v) < 2 || u.max(v) >= SIDE - 2;
            let light = match (is_on_ring, is_border && !open.contains(&cell)) {
                (true, _) => 90,
                (_, true) => 240,
                _ => 180,
            };
            Rgba([light, light, light, 255])
        })
    }

    #[test]
    fn a_ring_around_a_tile_is_nothing_on_those_beside_it() {
        let (at, before) = (Cell::new(1, 1), board(&[], None));
        let now = board(&[], Some(at));
        let clean = without(&before, &now, &grid(), &[at]).unwrap();
        for cell in grid().size().cells().filter(|cell| *cell != at) {
            let Rect { left, top, width, height } = grid().tile(cell);
            let tile = |picture: &RgbaImage| picture.view(left, top, width, height).to_image();
            assert_eq!(tile(&clean), tile(&before), "{cell}");
        }
        // The next one has it, then, and the last one has not.
        let next = Cell::new(2, 1);
        let later = board(&[], Some(next));
        assert!(without(&clean, &later, &grid(), &[at, next]).is_some());
    }

    #[test]
    fn tiles_that_were_opened_stay_open() {
        let (at, before) = (Cell::new(1, 1), board(&[], None));
        let now = board(&[at, Cell::new(2, 1), Cell::new(0, 0)], None);
        assert_eq!(without(&before, &now, &grid(), &[at]), None);
    }
}
