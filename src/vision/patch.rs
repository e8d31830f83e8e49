//! One tile brought to a fixed size, so that tiles of every scale can be compared with the same pictures.
//!
//! A tile is averaged over [`SIDE`] x [`SIDE`] equal parts (area averaging: each part is the mean of the pixels it covers,
//! by the share it covers). That is exact for fractional edges, and turns a stipple into its mean.

use image::RgbaImage;
use std::ops::Range;

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
    /// The first pixel of every part, and where its shares begin and end.
    parts: [(u32, Range<u32>); SIDE],
    /// Those of one part after those of the other.
    shares: Vec<u16>,
    end: u32,
}

impl Taps {
    /// For a tile from `from` to `to` (pixels, may be fractional) along an axis of `limit` pixels.
    /// `None` if it does not lie within them.
    pub fn new(from: f64, to: f64, limit: u32) -> Option<Self> {
        if !(from >= -1e-6 && to > from && to <= f64::from(limit) + 1e-6) {
            return None;
        }
        let part = (to - from) / SIDE as f64;
        let mut shares = Vec::with_capacity(SIDE * (part as usize + 2));
        let mut last = 0;
        let parts = std::array::from_fn(|index| {
            let (start, end) = (from + part * index as f64, from + part * (index + 1) as f64);
            let first = (start.max(0.0) + 1e-6) as u32;
            last = ((end - 1e-6).ceil() as u32).clamp(first + 1, limit.max(first + 1));
            let share = |pixel: u32| (end.min(f64::from(pixel + 1)) - start.max(f64::from(pixel))).max(0.0) / part;
            let begin = shares.len() as u32;
            in_256ths((first..last).map(share), &mut shares);
            (first, begin..shares.len() as u32)
        });
        Some(Self { parts, shares, end: last })
    }

    /// The first pixel of every part, and the shares of it and those after it.
    fn parts(&self) -> impl Iterator<Item = (usize, &[u16])> {
        let shares = |range: &Range<u32>| &self.shares[range.start as usize..range.end as usize];
        self.parts.iter().map(move |(first, range)| (*first as usize, shares(range)))
    }
}

/// Rounds shares that sum to 1 to 256ths that sum to 256.
fn in_256ths(shares: impl Iterator<Item = f64>, into: &mut Vec<u16>) {
    let mut done = 0;
    let mut sum = 0.0;
    into.extend(shares.map(|share| {
        sum += share;
        let up_to = ((sum * 256.0 + 0.5) as u16).min(256);
        let rounded = up_to - done;
        done = up_to;
        rounded
    }));
}

/// Averages the pixels of one tile; `row` is scratch space.
pub fn patch(picture: &RgbaImage, across: &Taps, down: &Taps, row: &mut Vec<u16>) -> Patch {
    let stride = picture.width() as usize * 4;
    let raw = picture.as_raw();
    let (left, right) = (across.parts[0].0 as usize * 4, (across.end as usize * 4).min(stride));
    let mut patch = [0; VALUES];
    row.clear();
    row.resize(right - left, 0);
    for ((first, shares), line) in down.parts().zip(patch.as_chunks_mut::<{ SIDE * 3 }>().0) {
        let lines = (first..).map_while(|y| raw.get(y * stride + left..y * stride + right)).zip(shares);
        row.fill(0);
        for (pixels, &share) in lines {
            for (sum, &value) in row.iter_mut().zip(pixels) {
                // At most 255 * 256. Checks for more would keep the compiler from using vectors.
                *sum = sum.wrapping_add(u16::from(value).wrapping_mul(share));
            }
        }
        let (pixels, _) = row.as_chunks::<4>();
        for ((first, shares), place) in across.parts().zip(line.as_chunks_mut::<3>().0) {
            let mut sums = [0u32; 4];
            for (pixel, &share) in pixels[(first - left / 4).min(pixels.len())..].iter().zip(shares) {
                let of = |channel: usize| u32::from(pixel[channel]).wrapping_mul(u32::from(share));
                sums = std::array::from_fn(|channel| sums[channel].wrapping_add(of(channel)));
            }
            *place = std::array::from_fn(|channel| ((sums[channel] + (1 << 15)) >> 16) as i16);
        }
    }
    patch
}

/// The patch of a whole picture.
pub fn whole(picture: &RgbaImage) -> Patch {
    let taps = |pixels: u32| Taps::new(0.0, f64::from(pixels), pixels);
    match (taps(picture.width()), taps(picture.height())) {
        (Some(across), Some(down)) => patch(picture, &across, &down, &mut Vec::new()),
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
            let patch = patch(&picture, &taps, &taps, &mut Vec::new());
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
