//! One tile brought to a fixed size, so that tiles of every scale can be compared with the same pictures.
//!
//! A tile is averaged over [`SIDE`] x [`SIDE`] equal parts (area averaging: each part is the mean of the pixels it covers,
//! by the share it covers). That is exact for fractional edges, and turns a stipple into its mean.

use image::RgbaImage;

/// Parts across and down. The smallest tiles in use are about 16 pixels wide, and their digits need all of them.
pub const SIDE: usize = 16;
/// Values of a patch: red, green and blue of every part.
pub const VALUES: usize = SIDE * SIDE * 3;

/// A tile at the fixed size, part by part, row by row, red, green, blue.
pub type Patch = [u8; VALUES];

/// The pixels that make up each part along one axis, with their shares in 256ths.
#[derive(Clone, Debug)]
pub struct Taps {
    first: u32,
    parts: Vec<(u32, Vec<u16>)>,
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
        let parts: Vec<_> = (0..SIDE)
            .map(|index| {
                let (start, end) = (from + part * index as f64, from + part * (index + 1) as f64);
                let first = (start.max(0.0) + 1e-6) as u32;
                let last = ((end - 1e-6).ceil() as u32).clamp(first + 1, limit.max(first + 1));
                let share = |pixel: u32| (end.min(f64::from(pixel + 1)) - start.max(f64::from(pixel))).max(0.0) / part;
                (first, in_256ths((first..last).map(share)))
            })
            .collect();
        let (last, shares) = &parts[SIDE - 1];
        Some(Self { first: parts[0].0, end: last + shares.len() as u32, parts })
    }
}

/// Rounds shares that sum to 1 to 256ths that sum to 256.
fn in_256ths(shares: impl Iterator<Item = f64>) -> Vec<u16> {
    let mut done = 0;
    let mut sum = 0.0;
    shares
        .map(|share| {
            sum += share;
            let up_to = ((sum * 256.0).round() as u16).min(256);
            let rounded = up_to - done;
            done = up_to;
            rounded
        })
        .collect()
}

/// Averages the pixels of one tile; `row` is scratch space.
pub fn patch(picture: &RgbaImage, across: &Taps, down: &Taps, row: &mut Vec<u16>) -> Patch {
    let stride = picture.width() as usize * 4;
    let raw = picture.as_raw();
    let (left, right) = (across.first as usize * 4, (across.end as usize * 4).min(stride));
    let mut patch = [0; VALUES];
    for (part, (first, shares)) in down.parts.iter().enumerate() {
        row.clear();
        row.resize(right - left, 0);
        for (index, &share) in shares.iter().enumerate() {
            let start = (*first as usize + index) * stride;
            let Some(pixels) = raw.get(start + left..start + right) else { break };
            for (sum, &value) in row.iter_mut().zip(pixels) {
                // At most 255 * 256. Checks for more would keep the compiler from using vectors.
                *sum = sum.wrapping_add(u16::from(value).wrapping_mul(share));
            }
        }
        for (place, (first, shares)) in across.parts.iter().enumerate() {
            let mut sums = [0u32; 4];
            let start = (*first as usize) * 4 - left;
            for (pixel, &share) in row[start.min(row.len())..].chunks_exact(4).zip(shares) {
                for (sum, &value) in sums.iter_mut().zip(pixel) {
                    *sum = sum.wrapping_add(u32::from(value).wrapping_mul(u32::from(share)));
                }
            }
            for (channel, &sum) in sums[..3].iter().enumerate() {
                patch[(part * SIDE + place) * 3 + channel] = ((sum + (1 << 15)) >> 16) as u8;
            }
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
