//! What a client draws over a part of its own board at the end of a game: a box that says how it ended, with buttons.

use super::Evidence;
use crate::geometry::{Cell, Rect};
use crate::vision::Grid;
use crate::vision::looks::{COVERED, LookId, Looks};
use image::RgbaImage;
use std::collections::BTreeMap;

/// The largest share of a board that lies under it: else it is a page in place of the board.
const MOST: f64 = 0.7;

impl Evidence {
    /// Where that is, in pixels: the largest patch of tiles with looks that are not known, and of which none is anywhere else on the board, as those of
    /// mines are. Nothing where no more than a few tiles are like that, or most of all.
    pub fn panel(&self, picture: &RgbaImage, grid: &Grid) -> Option<Rect> {
        let size = grid.size();
        let known: Vec<bool> = self.looks.recognise(picture, grid).iter().map(Option::is_some).collect();
        let strange = Looks::new(self.alike()).within(self.rim()).sort_except(picture, grid, &known);
        let mut tiles: BTreeMap<LookId, Vec<Cell>> = BTreeMap::new();
        for (cell, look) in size.cells().zip(&strange).filter_map(|(cell, look)| Some((cell, (*look)?))) {
            tiles.entry(look).or_default().push(cell);
        }
        let mut is_over = vec![false; size.tiles()];
        for cells in tiles.values() {
            let mut set = vec![false; size.tiles()];
            cells.iter().for_each(|cell| set[size.index(*cell)] = true);
            if size.hang_together(&set, cells[0]) {
                cells.iter().for_each(|cell| is_over[size.index(*cell)] = true);
            }
        }
        let patches = std::iter::from_fn(move || {
            let first = is_over.iter().position(|is_over| *is_over)?;
            let patch = size.patch(&is_over, size.cell(first));
            is_over.iter_mut().zip(&patch).for_each(|(is_over, is_reached)| *is_over &= !is_reached);
            Some(size.cells().zip(patch).filter(|(_, is_in)| *is_in).map(|(cell, _)| cell).collect::<Vec<Cell>>())
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
