//! One tile brought to a fixed size, so that tiles of every scale can be compared with the same pictures.
//!
//! A tile is averaged over [`SIDE`] x [`SIDE`] equal parts (area averaging: each part is the mean of the pixels it covers,
//! by the share it covers). That is exact for fractional edges, and turns a stipple into its mean.

use image::RgbaImage;
use wide::{f32x4, f32x8, i16x8, i32x8, u8x16, u16x8};

/// Parts across and down. The smallest tiles in use are about 16 pixels wide, and their digits need all of them.
pub const SIDE: usize = 16;
/// Values of a patch: red, green and blue of every part.
pub const VALUES: usize = SIDE * SIDE * 3;

/// A tile at the fixed size, part by part, row by row, red, green, blue, 0..255: as 16 bits, in which differences are
/// taken and multiplied eight at a time.
pub type Patch = [i16; VALUES];

/// Blocks of a [`Sketch`] across and down.
const BLOCKS: usize = 4;
/// Parts of a patch in a block.
pub const BLOCK: usize = SIDE * SIDE / (BLOCKS * BLOCKS);

/// A patch at a quarter of its size: the sum of every block, red, green and blue. Two patches differ by at least as much as
/// their sketches do (a mean of squares is no less than the square of the mean).
pub type Sketch = [i16; BLOCKS * BLOCKS * 3];

/// The sketch of a patch.
pub fn sketch(patch: &Patch) -> Sketch {
    let mut sketch: Sketch = [0; BLOCKS * BLOCKS * 3];
    for (lines, blocks) in patch.chunks_exact(VALUES / BLOCKS).zip(sketch.chunks_exact_mut(BLOCKS * 3)) {
        let mut sums = [0i16; SIDE * 3];
        for line in lines.chunks_exact(SIDE * 3) {
            // At most 16 times 255.
            sums.iter_mut().zip(line).for_each(|(sum, value)| *sum = sum.wrapping_add(*value));
        }
        for (block, parts) in blocks.chunks_exact_mut(3).zip(sums.chunks_exact(SIDE / BLOCKS * 3)) {
            for part in parts.chunks_exact(3) {
                block.iter_mut().zip(part).for_each(|(sum, value)| *sum += value);
            }
        }
    }
    sketch
}

/// The pixels that make up each part along one axis, with their shares in 256ths.
#[derive(Clone, Debug)]
pub struct Taps {
    /// The first pixel of every part.
    first: [u32; SIDE],
    /// Pixels in the widest part.
    width: usize,
    /// So many for every part; what is not needed is 0.
    shares: Vec<f32>,
    end: u32,
    /// Which pixels count at all, from the first on.
    used: Vec<bool>,
}

/// Pixels of a part that are averaged across it at least: of a larger one every second, third and so on tells as much.
const ENOUGH: usize = 3;

impl Taps {
    /// For a tile from `from` to `to` (pixels, may be fractional) along an axis of `limit` pixels.
    /// `None` if it does not lie within them.
    pub fn new(from: f64, to: f64, limit: u32) -> Option<Self> {
        if !(from >= -1e-6 && to > from && to <= f64::from(limit) + 1e-6) {
            return None;
        }
        let part = (to - from) / SIDE as f64;
        let place = |index: usize| {
            let (start, end) = (from + part * index as f64, from + part * (index + 1) as f64);
            let first = (start.max(0.0) + 1e-6) as u32;
            (start, end, first, ((end - 1e-6).ceil() as u32).clamp(first + 1, limit.max(first + 1)))
        };
        let places: [_; SIDE] = std::array::from_fn(place);
        let width = places.iter().map(|(_, _, first, last)| (last - first) as usize).max().unwrap_or(1);
        let mut shares = vec![0.0; SIDE * width];
        for (&(start, end, first, last), into) in places.iter().zip(shares.chunks_exact_mut(width)) {
            let share = |pixel: u32| (end.min(f64::from(pixel + 1)) - start.max(f64::from(pixel))).max(0.0) / part;
            in_256ths((first..last).map(share), into);
        }
        let (first, end) = (places.map(|(_, _, first, _)| first), places[SIDE - 1].3);
        Some(Self { first, width, shares, end, used: vec![true; (end - first[0]) as usize] })
    }

    /// The same with only as many pixels of a part as tell.
    pub fn thinned(mut self) -> Self {
        let step = self.width / ENOUGH;
        if step > 1 {
            self.used.fill(false);
            let start = self.first[0];
            for (first, shares) in self.first.iter().zip(self.shares.chunks_exact_mut(self.width)) {
                let count = shares.iter().filter(|share| **share > 0.0).count();
                let chosen = (step / 2..count).step_by(step);
                let share = 1.0 / chosen.len().max(1) as f64;
                let mut thin = vec![0.0; chosen.len()];
                in_256ths(chosen.clone().map(|_| share), &mut thin);
                shares.fill(0.0);
                for (index, share) in chosen.zip(thin) {
                    shares[index] = share;
                    self.used[(first - start) as usize + index] = true;
                }
            }
        }
        self
    }

    /// The lines of a tile that count, of these taps down, and of each the bytes that others span across.
    pub fn lines<'a>(&'a self, picture: &'a RgbaImage, across: &Taps) -> impl Iterator<Item = &'a [u8]> {
        let (left, right) = (across.first[0] as usize * 4, across.end as usize * 4);
        let lines = picture.as_raw().chunks_exact(picture.width() as usize * 4).skip(self.first[0] as usize);
        lines.zip(&self.used).filter(|(_, used)| **used).map(move |(line, _)| &line[left..right])
    }

    /// The first pixel of every part, and the shares of it and those after it.
    fn parts(&self) -> impl Iterator<Item = (usize, &[f32])> {
        self.first.iter().map(|first| *first as usize).zip(self.shares.chunks_exact(self.width))
    }
}

/// Rounds shares that sum to 1 to 256ths that sum to 256.
fn in_256ths(shares: impl Iterator<Item = f64>, into: &mut [f32]) {
    let (mut done, mut sum) = (0.0, 0.0);
    for (share, into) in shares.zip(into) {
        sum += share;
        let up_to = f64::from((sum * 256.0 + 0.5) as u16).min(256.0);
        *into = (up_to - done) as f32;
        done = up_to;
    }
}

/// Memory to work in.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// The tile, line by line.
    tile: Vec<[u8; BYTES]>,
    /// A row of parts, every value of every pixel.
    sums: Vec<[u16x8; 2]>,
    /// The same, pixel by pixel.
    pixels: Vec<f32x4>,
}

/// Bytes of a tile that are added at a time.
const BYTES: usize = 16;

/// Averages the pixels of one tile.
pub fn patch(picture: &RgbaImage, across: &Taps, down: &Taps, scratch: &mut Scratch) -> Patch {
    let Scratch { tile, sums, pixels } = scratch;
    let (left, right) = (across.first[0] as usize * 4, across.end as usize * 4);
    let (top, bottom) = (down.first[0] as usize, down.end as usize);
    let count = (right - left).div_ceil(BYTES);
    tile.resize((bottom - top) * count, [0; BYTES]);
    // Its lines lie far apart in memory, which is read faster all at once.
    let used = tile.chunks_exact_mut(count).zip(&down.used).filter(|(_, used)| **used);
    for ((line, _), pixels) in used.zip(down.lines(picture, across)) {
        line.as_flattened_mut()[..right - left].copy_from_slice(pixels);
    }
    sums.resize(count, [u16x8::ZERO; 2]);
    // The last parts may have shares of 0 beyond the end.
    pixels.resize(count * BYTES / 4 + across.width, f32x4::ZERO);
    let mut patch = [0; VALUES];
    for ((first, shares), line) in down.parts().zip(patch.as_chunks_mut::<{ SIDE * 3 }>().0) {
        sums.fill([u16x8::ZERO; 2]);
        for (values, &share) in
            tile[(first - top) * count..].chunks_exact(count).zip(shares).filter(|(_, share)| **share > 0.0)
        {
            let share = u16x8::splat(share as u16);
            for ([low, high], values) in sums.iter_mut().zip(values) {
                let values = u8x16::new(*values);
                // At most 255 * 256.
                *low += u16x8::from_u8x16_low(values) * share;
                *high += u16x8::from_u8x16_high(values) * share;
            }
        }
        for (pixels, sums) in pixels.as_chunks_mut::<2>().0.iter_mut().zip(sums.as_flattened()) {
            let [a, b, c, d, e, f, g, h] = i32x8::from_u16x8(*sums).round_float().to_array();
            *pixels = [f32x4::new([a, b, c, d]), f32x4::new([e, f, g, h])];
        }
        match across.width {
            1 => mix::<1>(pixels, across, line),
            2 => mix::<2>(pixels, across, line),
            3 => mix::<3>(pixels, across, line),
            4 => mix::<4>(pixels, across, line),
            _ => mix_many(pixels, across, line),
        }
    }
    patch
}

/// Weighs the pixels of a row by the shares of its parts, of `N` pixels each.
fn mix<const N: usize>(pixels: &[f32x4], across: &Taps, line: &mut [i16; SIDE * 3]) {
    let mut sums = [HALF; SIDE];
    for ((first, shares), sum) in across.first.iter().zip(across.shares.as_chunks::<N>().0).zip(&mut sums) {
        let Some(pixels) = pixels[(first - across.first[0]) as usize..].first_chunk::<N>() else { continue };
        *sum = (0..N).fold(HALF, |sum, index| sum + pixels[index] * shares[index]);
    }
    round(&sums, line);
}

/// The same for parts of any width.
fn mix_many(pixels: &[f32x4], across: &Taps, line: &mut [i16; SIDE * 3]) {
    let mut sums = [HALF; SIDE];
    for ((first, shares), sum) in across.parts().zip(&mut sums) {
        let pixels = pixels[first - across.first[0] as usize..].iter().zip(shares);
        *sum = pixels.fold(HALF, |sum, (pixel, &share)| sum + *pixel * share);
    }
    round(&sums, line);
}

/// Half of what is rounded to. Sums are whole numbers below 2^24, which are exact.
const HALF: f32x4 = f32x4::new([32_768.0; 4]);

/// Sums of values times 2^16, and [`HALF`], without the factor: red, green and blue of every part.
fn round(sums: &[f32x4; SIDE], line: &mut [i16; SIDE * 3]) {
    let mut parts = [[0; 4]; SIDE];
    for (parts, [one, other]) in parts.as_chunks_mut::<2>().0.iter_mut().zip(sums.as_chunks().0) {
        let ([a, b, c, d], [e, f, g, h]) = (one.to_array(), other.to_array());
        let whole = (f32x8::new([a, b, c, d, e, f, g, h]) * (1.0 / 65_536.0)).fast_trunc_int();
        let [a, b, c, d, e, f, g, h] = i16x8::from_i32x8_saturate(whole).to_array();
        *parts = [[a, b, c, d], [e, f, g, h]];
    }
    for (part, values) in parts.iter().enumerate() {
        // What is one too many is overwritten by the next part.
        let end = (part * 3 + 4).min(SIDE * 3);
        line[part * 3..end].copy_from_slice(&values[..end - part * 3]);
    }
}

/// A patch smeared by a bell curve of this deviation, in parts. Beyond its borders the same tile follows, as on most of a board.
pub fn smeared(patch: &Patch, deviation: f32) -> Patch {
    const REACH: usize = 3;
    let weights: [f32; REACH + 1] = std::array::from_fn(|by| (-0.5 * (by as f32 / deviation.max(1e-3)).powi(2)).exp());
    let all = weights[0] + 2.0 * weights[1..].iter().sum::<f32>();
    let near = |at: usize| {
        (0..=2 * REACH).map(move |by| {
            let place = (at + by + SIDE - REACH) % SIDE;
            (place, weights[by.abs_diff(REACH)] / all)
        })
    };
    let mut across = [0.0; VALUES];
    for (line, smeared) in patch.chunks_exact(SIDE * 3).zip(across.chunks_exact_mut(SIDE * 3)) {
        for (at, smeared) in smeared.chunks_exact_mut(3).enumerate() {
            for (place, weight) in near(at) {
                (0..3).for_each(|channel| smeared[channel] += f32::from(line[place * 3 + channel]) * weight);
            }
        }
    }
    let mut both = [0.0; VALUES];
    for (at, smeared) in both.chunks_exact_mut(SIDE * 3).enumerate() {
        for (place, weight) in near(at) {
            let line = &across[place * SIDE * 3..][..SIDE * 3];
            smeared.iter_mut().zip(line).for_each(|(sum, value)| *sum += value * weight);
        }
    }
    both.map(|value: f32| (value + 0.5) as i16)
}

/// The patch of a whole picture.
pub fn whole(picture: &RgbaImage) -> Patch {
    let taps = |pixels: u32| Taps::new(0.0, f64::from(pixels), pixels);
    match (taps(picture.width()), taps(picture.height())) {
        (Some(across), Some(down)) => patch(picture, &across, &down.thinned(), &mut Scratch::default()),
        _ => [0; VALUES],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgba;

    #[test]
    fn a_flat_tile_stays_flat_at_any_size_and_place() {
        let picture = RgbaImage::from_pixel(64, 64, Rgba([10, 200, 255, 255]));
        for (from, to) in [(0.0, 16.0), (0.0, 13.0), (3.25, 23.75), (0.5, 63.5), (0.0, 64.0), (10.0, 17.0)] {
            let taps = Taps::new(from, to, 64).unwrap();
            let patch = patch(&picture, &taps, &taps, &mut Scratch::default());
            assert!(patch.chunks(3).all(|part| part == [10, 200, 255]), "{from} {to}");
        }
    }

    #[test]
    fn a_tile_of_the_fixed_size_is_itself() {
        let picture = RgbaImage::from_fn(16, 16, |x, y| Rgba([(x * 16) as u8, (y * 16) as u8, 7, 255]));
        let patch = whole(&picture);
        assert_eq!(patch[3..6], [16, 0, 7]);
        assert_eq!(patch[SIDE * 3..SIDE * 3 + 3], [0, 16, 7]);
    }

    #[test]
    fn a_stipple_becomes_its_mean() {
        let picture = RgbaImage::from_fn(64, 64, |x, y| Rgba([((x + y) % 2 * 254) as u8, 0, 0, 255]));
        assert!(whole(&picture).chunks(3).all(|part| part[0] == 127));
    }

    #[test]
    fn outside_of_the_picture_there_is_no_tile() {
        assert!(Taps::new(-1.0, 10.0, 64).is_none());
        assert!(Taps::new(60.0, 65.0, 64).is_none());
    }
}
