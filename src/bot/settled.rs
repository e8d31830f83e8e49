//! Which pictures of tiles a client has left as they are: a board that shows nothing else is painted, however short a time ago that was.

use crate::geometry::Rect;
use crate::screenshot::Screenshot;
use crate::vision::Grid;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// The pictures of tiles on the boards of one game that had come to rest.
#[derive(Default)]
pub struct Settled {
    pictures: HashSet<u64>,
    /// The last of these boards: most of the next one is the same.
    last: Option<(Arc<Screenshot>, Grid)>,
}

impl Settled {
    /// A board that has not changed for a while, or shows nothing that is new.
    pub fn add(&mut self, shot: &Arc<Screenshot>, grid: &Grid) {
        let changed: Vec<Rect> = self.changed(shot, grid).collect();
        self.pictures.extend(changed.into_iter().map(|tile| key(shot, tile)));
        self.last = Some((shot.clone(), grid.clone()));
    }

    /// Whether every tile of a board shows one of these pictures, pixel for pixel.
    pub fn has(&self, shot: &Screenshot, grid: &Grid) -> bool {
        self.changed(shot, grid).all(|tile| self.pictures.contains(&key(shot, tile)))
    }

    /// The tiles that are not what they were on the last board.
    fn changed(&self, shot: &Screenshot, grid: &Grid) -> impl Iterator<Item = Rect> {
        let last = self.last.as_ref().filter(|(_, then)| then == grid);
        let is_same = move |tile: &Rect| last.is_some_and(|(last, _)| last.shows_the_same(*tile, shot, *tile));
        grid.size().cells().map(|cell| grid.tile(cell)).filter(move |tile| !is_same(tile))
    }
}

/// A number for a part of a picture.
pub fn key(shot: &Screenshot, tile: Rect) -> u64 {
    let mut hasher = DefaultHasher::new();
    (tile.width, tile.height).hash(&mut hasher);
    for line in shot.lines(tile) {
        line.hash(&mut hasher);
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{Rgba, RgbaImage};

    /// Two tiles of these colours.
    fn shot(colours: [u8; 2]) -> Arc<Screenshot> {
        let pixels = RgbaImage::from_fn(20, 10, |x, _| Rgba([colours[x as usize / 10], 0, 0, 255]));
        Arc::new(Screenshot::from_picture(pixels))
    }

    #[test]
    fn a_tile_may_show_whatever_another_one_has_shown() {
        let grid = Grid { columns: vec![0.0, 10.0, 20.0], lines: vec![0.0, 10.0] };
        let mut settled = Settled::default();
        assert!(!settled.has(&shot([1, 1]), &grid), "nothing was seen yet");
        settled.add(&shot([1, 1]), &grid);
        assert!(settled.has(&shot([1, 1]), &grid));
        assert!(!settled.has(&shot([1, 2]), &grid));
        settled.add(&shot([1, 2]), &grid);
        assert!(settled.has(&shot([2, 1]), &grid) && settled.has(&shot([2, 2]), &grid));
        assert!(!settled.has(&shot([2, 3]), &grid));
        let other = Grid { columns: vec![0.0, 5.0, 20.0], lines: vec![0.0, 10.0] };
        assert!(!settled.has(&shot([1, 1]), &other), "other tiles");
    }
}
