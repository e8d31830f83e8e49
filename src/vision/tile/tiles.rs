//! A picture's tiles, brought to the fixed size: each once, whoever asks for it and how often, and wherever the same pixels show it. Most tiles
//! of a board are hidden or empty, to the pixel.

use super::look::Seen;
use super::patch::{Scratch, Taps, patch};
use super::skin::Skin;
use crate::geometry::Cell;
use crate::vision::grid::{Grid, Way};
use crate::vision::reading::TileReading;
use image::RgbaImage;
use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

/// Where a tile is: left, right, top and bottom edge, in 256ths of a pixel.
type Place = [i64; 4];

/// A tile of a picture by what it shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TileId {
    index: usize,
    /// How often all that came before was forgotten.
    forgotten: usize,
}

/// The tiles of one picture.
pub struct Tiles<'a> {
    /// The picture.
    pub picture: &'a RgbaImage,
    memory: RefCell<Memory>,
}

#[derive(Default)]
struct Memory {
    taps: Map<(i64, i64, Way), Option<Arc<Taps>>>,
    /// Which of the patches a tile is, by where it is, and by its pixels.
    places: Map<Place, Option<usize>>,
    pixels: Map<u64, usize>,
    /// In blocks, for there are thousands of them.
    patches: Vec<Vec<Seen>>,
    /// What they were taken for, with the pictures of this skin.
    readings: Map<usize, TileReading>,
    skin: Option<Arc<Skin>>,
    /// What was asked of them, and the answers.
    once: Map<(usize, Question), f64>,
    scratch: Scratch,
    /// How often all of that was forgotten.
    forgotten: usize,
}

type Map<K, V> = HashMap<K, V, BuildHasherDefault<Fast>>;

/// What is asked of tiles, and whose: the number of a skin.
pub type Question = (u64, Asked);

/// What is asked of tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Asked {
    /// How near they are to the skin's pictures.
    Near,
    /// Whether light and dark lie in them as in its hidden or empty ones.
    Akin,
}

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

    /// Which of all that were asked for the tile between these edges is: the same for those that show the same pixels.
    pub fn which(&self, across: (f64, f64), down: (f64, f64)) -> Option<TileId> {
        let memory = &mut *self.memory.borrow_mut();
        let index = memory.index(self.picture, place(across, down))?;
        Some(TileId { index, forgotten: memory.forgotten })
    }

    /// What `look` makes of a tile of a grid, which is asked once only for every question and what a tile shows.
    pub fn once(&self, grid: &Grid, cell: Cell, question: Question, look: impl FnOnce(&Seen) -> f64) -> Option<f64> {
        let memory = &mut *self.memory.borrow_mut();
        let (across, down) = sides(grid, cell);
        let index = memory.index(self.picture, place(across, down))?;
        let Memory { patches, once, .. } = memory;
        Some(*once.entry((index, question)).or_insert_with(|| look(&patches[index / BLOCK][index % BLOCK])))
    }

    /// What a tile of a grid is taken for.
    pub fn reading(&self, grid: &Grid, cell: Cell, skin: &Arc<Skin>) -> TileReading {
        let memory = &mut *self.memory.borrow_mut();
        if !memory.skin.as_ref().is_some_and(|known| Arc::ptr_eq(known, skin)) {
            memory.readings.clear();
            memory.skin = Some(skin.clone());
        }
        let (across, down) = sides(grid, cell);
        let Some(index) = memory.index(self.picture, place(across, down)) else { return TileReading::NOTHING };
        let Memory { patches, readings, .. } = memory;
        *readings.entry(index).or_insert_with(|| skin.classify(&patches[index / BLOCK][index % BLOCK]))
    }
}

impl Memory {
    fn patch(&mut self, picture: &RgbaImage, place: Place) -> Option<&Seen> {
        let index = self.index(picture, place)?;
        self.patches.get(index / BLOCK)?.get(index % BLOCK)
    }

    /// Which of the patches a tile is, which may be a new one.
    fn index(&mut self, picture: &RgbaImage, place: Place) -> Option<usize> {
        if self.places.len() > REMEMBERED {
            self.places.clear();
            self.pixels.clear();
            self.patches.clear();
            self.readings.clear();
            self.once.clear();
            self.forgotten += 1;
        }
        let Memory { taps, places, pixels, patches, scratch, .. } = self;
        *places.entry(place).or_insert_with(|| {
            let mut taps = |from: i64, to: i64, way: Way| {
                let new = || {
                    let taps = Taps::new(from as f64 / 256.0, to as f64 / 256.0, way.length(picture))?;
                    Some(Arc::new(if way == Way::Lines { taps.thinned() } else { taps }))
                };
                taps.entry((from, to, way)).or_insert_with(new).clone()
            };
            let (across, down) = (taps(place[0], place[1], Way::Columns)?, taps(place[2], place[3], Way::Lines)?);
            let index = *pixels.entry(key(picture, place, &across, &down)).or_insert_with(|| {
                if patches.last().is_none_or(|block| block.len() == BLOCK) {
                    patches.push(Vec::with_capacity(BLOCK));
                }
                let count = (patches.len() - 1) * BLOCK;
                let block = &mut patches[count / BLOCK];
                block.push(Seen::new(patch(picture, &across, &down, scratch)));
                count + block.len() - 1
            });
            Some(index)
        })
    }
}

/// A number for what a tile shows: the pixels that count, and where in them it begins and ends.
fn key(picture: &RgbaImage, [left, right, top, bottom]: Place, across: &Taps, down: &Taps) -> u64 {
    let within = |from: i64, to: i64| (from.rem_euclid(256) as u64) << 32 | (to - from) as u64;
    // Two sums, so that one need not wait for the other.
    let (mut one, mut other) = (within(left, right), within(top, bottom));
    for line in down.lines(picture, across) {
        let (pairs, rest) = line.as_chunks::<16>().0.as_chunks::<2>();
        for [first, second] in pairs {
            one = folded(one, u128::from_le_bytes(*first));
            other = folded(other, u128::from_le_bytes(*second));
        }
        rest.iter().for_each(|word| one = folded(one, u128::from_le_bytes(*word)));
        let pixels = line.as_chunks::<16>().1.as_chunks::<4>().0;
        if !pixels.is_empty() {
            other =
                folded(other, pixels.iter().fold(0, |word, pixel| word << 32 | u128::from(u32::from_le_bytes(*pixel))));
        }
    }
    let mut both = Fast(one);
    both.write_u64(other);
    both.finish()
}

/// A number with four pixels in it: the product of both halves, its own halves one upon the other (the inner step of wyhash; a third faster than
/// a multiplication for every two pixels).
fn folded(number: u64, pixels: u128) -> u64 {
    let (one, other) = (pixels as u64 ^ number, (pixels >> 64) as u64 ^ GOLDEN);
    let product = u128::from(one) * u128::from(other);
    product as u64 ^ (product >> 64) as u64
}

/// A number whose bits are spread well: 2 to the 64th by the golden ratio.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

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
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(GOLDEN);
    }
}

fn place(across: (f64, f64), down: (f64, f64)) -> Place {
    // Rounded, for edges up to a million pixels before the picture: `round` is a call of a function, and this is asked most of all.
    const BEFORE: i64 = 1 << 28;
    [across.0, across.1, down.0, down.1].map(|edge| (edge * 256.0 + (BEFORE as f64 + 0.5)) as i64 - BEFORE)
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
