//! Every tile of a known grid → what it is taken for, with a [`Memory`] of what was seen, so that only tiles that changed are
//! compared again.

use super::grid::Grid;
use super::kept::{is_uneven, redrawn};
use super::reading::TileReading;
use super::tile::skin::Skin;
use super::tile::tiles::{Fast, Tiles};
use crate::board::Tile;
use crate::geometry::Cell;
use image::RgbaImage;
use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// What was seen before.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// The grid and the skin the rest is about.
    grid: Option<(Grid, Arc<Skin>)>,
    /// The last picture of the board, tile by tile, each line by line.
    pixels: Vec<u8>,
    tiles: Vec<TileReading>,
    /// The same picture of a tile in the same place of its pixels has the same key.
    pub keys: Vec<u64>,
    /// Every picture of a tile met so far, by its key.
    known: HashMap<u64, TileReading>,
    /// The last picture had tiles that were never met and not recognised.
    pub has_news: bool,
}

/// So many different pictures of tiles are remembered at most (a client whose tiles never repeat would fill the memory).
const REMEMBERED: usize = 20_000;

impl Memory {
    /// What every tile of a grid is taken for. Where its columns or rows `grow` tiles may keep their size.
    pub fn read(&mut self, picture: &RgbaImage, grid: &Grid, skin: &Arc<Skin>, grow: bool) -> Vec<TileReading> {
        let is_same = |other: &Arc<Skin>| Arc::ptr_eq(other, skin);
        let grow = grow && is_uneven(grid);
        let same = self.grid.as_ref().is_some_and(|(known, other)| known == grid && is_same(other));
        if self.grid.as_ref().is_some_and(|(_, other)| !is_same(other)) || self.known.len() > REMEMBERED {
            self.known.clear();
        }
        if !same {
            self.grid = Some((grid.clone(), skin.clone()));
            self.pixels.clear();
            self.tiles.clear();
            self.keys.clear();
        }
        self.keys.resize(grid.size().tiles(), 0);
        let patches = Tiles::new(picture);
        let size = grid.size();
        let (mut tiles, mut from) = (Vec::with_capacity(size.tiles()), 0);
        self.has_news = false;
        for (index, cell) in size.cells().enumerate() {
            let Some(tile) = Window::new(picture, grid, cell) else {
                return self.without_memory(&patches, grid, skin);
            };
            let to = from + tile.bytes();
            let unchanged = same && self.pixels.get(from..to).is_some_and(|before| tile.equals(before));
            if unchanged {
                tiles.push(self.tiles[index]);
            } else {
                if self.pixels.len() < to {
                    self.pixels.resize(to, 0);
                }
                tile.copy_to(&mut self.pixels[from..to]);
                self.keys[index] = key(&self.pixels[from..to], tile.width, grid, cell);
                let reading = *self.known.entry(self.keys[index]).or_insert_with(|| {
                    let reading = match patches.reading(grid, cell, skin) {
                        unknown if grow && unknown.tile == Tile::Unrecognised => {
                            kept(&patches, grid, cell, skin).unwrap_or(unknown)
                        }
                        whole => whole,
                    };
                    self.has_news |= reading.tile == Tile::Unrecognised;
                    reading
                });
                tiles.push(reading);
            }
            from = to;
        }
        self.tiles.clone_from(&tiles);
        tiles
    }

    /// A grid that is not wholly in the picture: what is outside is not recognised.
    fn without_memory(&mut self, tiles: &Tiles, grid: &Grid, skin: &Arc<Skin>) -> Vec<TileReading> {
        self.grid = None;
        self.has_news = true;
        self.keys = (0..grid.size().tiles() as u64).collect();
        grid.size().cells().map(|cell| tiles.reading(grid, cell, skin)).collect()
    }
}

/// What a tile is taken for as it would look were it as large as some pictures.
fn kept(tiles: &Tiles, grid: &Grid, cell: Cell, skin: &Arc<Skin>) -> Option<TileReading> {
    let redrawn = skin.sizes().into_iter().flat_map(|size| redrawn(tiles.picture, grid, cell, size));
    let all = redrawn.map(|tile| Tiles::new(&tile).reading(&Grid::only(tile.dimensions()), Cell::new(0, 0), skin));
    all.filter(|reading| reading.tile != Tile::Unrecognised).max_by(|a, b| a.score.total_cmp(&b.score))
}

/// The whole pixels of one tile in a picture.
struct Window<'a> {
    picture: &'a RgbaImage,
    left: usize,
    top: usize,
    width: usize,
    height: usize,
}

impl<'a> Window<'a> {
    /// `None` if it is not wholly in the picture.
    fn new(picture: &'a RgbaImage, grid: &Grid, cell: Cell) -> Option<Self> {
        let span = |edges: &[f64], index: u32, limit: u32| {
            let (from, to) = (edges[index as usize], edges[index as usize + 1]);
            let inside = from >= 0.0 && to <= f64::from(limit);
            inside.then(|| (from as usize, to.ceil() as usize - from as usize))
        };
        let (left, width) = span(&grid.columns, cell.x, picture.width())?;
        let (top, height) = span(&grid.lines, cell.y, picture.height())?;
        Some(Self { picture, left, top, width, height })
    }

    fn bytes(&self) -> usize {
        self.width * self.height * 4
    }

    fn rows(&self) -> impl Iterator<Item = &[u8]> {
        let stride = self.picture.width() as usize * 4;
        let first = self.top * stride + self.left * 4;
        (0..self.height).map(move |y| &self.picture.as_raw()[first + y * stride..][..self.width * 4])
    }

    fn equals(&self, before: &[u8]) -> bool {
        self.rows().zip(before.chunks_exact(self.width * 4)).all(|(now, before)| now == before)
    }

    fn copy_to(&self, place: &mut [u8]) {
        for (row, place) in self.rows().zip(place.chunks_exact_mut(self.width * 4)) {
            place.copy_from_slice(row);
        }
    }
}

/// A number for the picture of a tile: its pixels, its width and where in them it begins and ends, in 256ths of a pixel as tiles are
/// compared: what has one key is read as one thing, whichever of it was met first.
fn key(pixels: &[u8], width: usize, grid: &Grid, cell: Cell) -> u64 {
    let mut hasher = Fast::default();
    let (x, y) = (cell.x as usize, cell.y as usize);
    for edge in [grid.columns[x], grid.columns[x + 1], grid.lines[y], grid.lines[y + 1]] {
        (((edge * 256.0).round() as u64) % 256).hash(&mut hasher);
    }
    (width, pixels).hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_that_are_compared_differently_have_different_keys() {
        let key_at = |left: f64| {
            let grid = Grid { columns: vec![left, left + 10.0], lines: vec![0.0, 10.0] };
            key(&[7; 440], 11, &grid, Cell::new(0, 0))
        };
        // Between two 256ths the nearer one counts, as in `Tiles`.
        assert_eq!(key_at(3.0), key_at(3.0 + 0.4 / 256.0));
        assert_ne!(key_at(3.0), key_at(3.0 + 0.6 / 256.0));
        assert_eq!(key_at(3.0 + 0.6 / 256.0), key_at(3.0 + 1.4 / 256.0));
    }
}
