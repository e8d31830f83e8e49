//! What a client draws over a part of its own board at the end of a game: a box that says how it ended, with buttons.

use super::Evidence;
use crate::geometry::{Cell, Rect};
use crate::vision::Grid;
use crate::vision::unknown::looks::{COVERED, LookId, Looks};
use image::RgbaImage;
use std::collections::{BTreeMap, BTreeSet};

/// The largest share of a board that lies under it: else it is a page in place of the board.
const MOST: f64 = 0.7;

impl Evidence {
    /// Where that is, in pixels: the largest patch of tiles with looks that are not known, without those that are in another such patch, too, as the looks
    /// of mines are. Nothing where no more than a few tiles are like that, or most of all.
    pub fn panel(&self, picture: &RgbaImage, grid: &Grid) -> Option<Rect> {
        let size = grid.size();
        let known: Vec<bool> = self.looks.recognise(picture, grid).iter().map(Option::is_some).collect();
        let strange = Looks::new(self.alike()).within(self.rim()).sort_except(picture, grid, &known);
        // Patches of tiles that are not known, and those of every look: on which of them it is.
        let mut left: Vec<bool> = strange.iter().map(Option::is_some).collect();
        let patches: Vec<Vec<bool>> = std::iter::from_fn(|| {
            let first = left.iter().position(|is_left| *is_left)?;
            let patch = size.patch(&left, size.cell(first));
            left.iter_mut().zip(&patch).for_each(|(is_left, is_in)| *is_left &= !is_in);
            Some(patch)
        })
        .collect();
        let mut places: BTreeMap<LookId, BTreeSet<usize>> = BTreeMap::new();
        for (number, patch) in patches.iter().enumerate() {
            let looks = strange.iter().zip(patch).filter(|(_, is_in)| **is_in).filter_map(|(look, _)| *look);
            looks.for_each(|look| _ = places.entry(look).or_default().insert(number));
        }
        let is_over = |index: usize| strange[index].is_some_and(|look| places[&look].len() == 1);
        let patches = patches.iter().map(|patch| -> Vec<Cell> {
            let own = (0..patch.len()).filter(|&index| patch[index] && is_over(index));
            own.map(|index| size.cell(index)).collect()
        });
        let patch = patches.max_by_key(Vec::len)?;
        if patch.len() < COVERED || patch.len() as f64 > MOST * size.tiles() as f64 {
            return None;
        }
        let span = |of: fn(&Cell) -> u32, edges: &[f64]| {
            let (first, last) = (patch.iter().map(of).min()?, patch.iter().map(of).max()?);
            let (from, to) = (edges[first as usize].max(0.0) as u32, edges[last as usize + 1].ceil() as u32);
            Some((from, to - from))
        };
        let ((left, width), (top, height)) = (span(|cell| cell.x, &grid.columns)?, span(|cell| cell.y, &grid.lines)?);
        Some(Rect { left, top, width, height })
    }
}
