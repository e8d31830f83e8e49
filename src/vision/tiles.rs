//! A picture's tiles, brought to the fixed size: each once, whoever asks for it and how often.

use super::grid::{Grid, Way};
use super::look::Seen;
use super::patch::{Scratch, Taps, patch};
use super::reading::TileReading;
use super::skin::Skin;
use crate::geometry::Cell;
use image::RgbaImage;
use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

/// Where a tile is: left, right, top and bottom edge, in 256ths of a pixel.
type Place = [i64; 4];

/// The tiles of one picture.
pub struct Tiles<'a> {
    /// The picture.
    pub picture: &'a RgbaImage,
    memory: RefCell<Memory>,
}

#[derive(Default)]
struct Memory {
    taps: Map<(i64, i64, Way), Option<Arc<Taps>>>,
    /// Which of the patches a tile is.
    places: Map<Place, Option<usize>>,
    /// In blocks, for there are thousands of them.
    patches: Vec<Vec<Seen>>,
    /// What they were taken for, with the pictures of this skin.
    readings: Map<Place, TileReading>,
    skin: Option<Arc<Skin>>,
    scratch: Scratch,
}

type Map<K, V> = HashMap<K, V, BuildHasherDefault<Fast>>;

/// Patches of a block.
const BLOCK: usize = 64;
/// Patches that are remembered at most, of 1.5 kB each.
const REMEMBERED: usize = 20_000;

impl<'a> Tiles<'a> {
    /// Of a picture.
    pub fn new(picture: &'a RgbaImage) -> Self {
        Self { picture, memory: RefCell::default() }
    }

    /// What `look` makes of the tile between these edges, in pixels; `None` if it is not wholly in the picture.
    pub fn with<T>(&self, across: (f64, f64), down: (f64, f64), look: impl FnOnce(&Seen) -> T) -> Option<T> {
        let memory = &mut *self.memory.borrow_mut();
        memory.patch(self.picture, place(across, down)).map(look)
    }

    /// The same of a tile of a grid.
    pub fn with_cell<T>(&self, grid: &Grid, cell: Cell, look: impl FnOnce(&Seen) -> T) -> Option<T> {
        let (across, down) = sides(grid, cell);
        self.with(across, down, look)
    }

    /// What a tile of a grid is taken for.
    pub fn reading(&self, grid: &Grid, cell: Cell, skin: &Arc<Skin>) -> TileReading {
        let memory = &mut *self.memory.borrow_mut();
        if !memory.skin.as_ref().is_some_and(|known| Arc::ptr_eq(known, skin)) {
            memory.readings.clear();
            memory.skin = Some(skin.clone());
        }
        let (across, down) = sides(grid, cell);
        let place = place(across, down);
        if let Some(reading) = memory.readings.get(&place) {
            return *reading;
        }
        let reading = memory.patch(self.picture, place).map_or(TileReading::NOTHING, |patch| skin.classify(patch));
        memory.readings.insert(place, reading);
        reading
    }
}

impl Memory {
    fn patch(&mut self, picture: &RgbaImage, place: Place) -> Option<&Seen> {
        if self.places.len() > REMEMBERED {
            self.places.clear();
            self.patches.clear();
        }
        let Memory { taps, places, patches, scratch, .. } = self;
        let known = *places.entry(place).or_insert_with(|| {
            let mut taps = |from: i64, to: i64, way: Way| {
                let new = || {
                    let taps = Taps::new(from as f64 / 256.0, to as f64 / 256.0, way.length(picture))?;
                    Some(Arc::new(if way == Way::Lines { taps.thinned() } else { taps }))
                };
                taps.entry((from, to, way)).or_insert_with(new).clone()
            };
            let (across, down) = (taps(place[0], place[1], Way::Columns)?, taps(place[2], place[3], Way::Lines)?);
            if patches.last().is_none_or(|block| block.len() == BLOCK) {
                patches.push(Vec::with_capacity(BLOCK));
            }
            let block = patches.last_mut()?;
            block.push(Seen::new(patch(picture, &across, &down, scratch)));
            Some((patches.len() - 1) * BLOCK + patches.last()?.len() - 1)
        });
        let index = known?;
        patches.get(index / BLOCK)?.get(index % BLOCK)
    }
}

/// A multiplicative hash over words: the standard one costs more than comparing a tile.
#[derive(Default)]
pub struct Fast(u64);

impl Hasher for Fast {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 29)
    }

    fn write(&mut self, bytes: &[u8]) {
        let mut words = bytes.chunks_exact(8);
        for word in &mut words {
            self.write_u64(u64::from_le_bytes(word.try_into().unwrap_or_default()));
        }
        for &byte in words.remainder() {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

fn place(across: (f64, f64), down: (f64, f64)) -> Place {
    [across.0, across.1, down.0, down.1].map(|edge| (edge * 256.0).round() as i64)
}

fn sides(grid: &Grid, cell: Cell) -> ((f64, f64), (f64, f64)) {
    let side = |edges: &[f64], at: u32| (edges[at as usize], edges[at as usize + 1]);
    (side(&grid.columns, cell.x), side(&grid.lines, cell.y))
}

/// About `count` cells spread over all of a grid, so that every column is among them.
pub fn spread(grid: &Grid, count: usize) -> impl Iterator<Item = Cell> {
    let size = grid.size();
    let mut step = (size.tiles() / count.max(1)).max(1);
    // A step that shares no factor with the width visits every column.
    while step > 1 && gcd(step, size.width as usize) > 1 {
        step += 1;
    }
    (step / 2..size.tiles()).step_by(step).map(move |index| size.cell(index))
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}
