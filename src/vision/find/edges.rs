//! Frame → [`Edges`]: where the picture changes, computed once and shared by all who look for something that repeats.
//!
//! One measure serves everywhere: the difference of two neighbouring lines of pixels of which each is averaged along the
//! edge. A stipple of single pixels is flat then, and tiles of two tones in turn do not cancel, for every run is taken by itself.

use crate::vision::grid::{Way, pitch};
use crate::vision::tile::patch::SIDE;
use image::RgbaImage;

/// How much of an edge there is at a place along a board, of 255: the mean over runs of a quarter of a tile of the difference of
/// neighbouring pixels' averages, the largest within `reach` pixels. `across` are the edges of the tiles along it: what lies between large ones is spread
/// over more pixels where it is enlarged, so pixels are neighbours that are half a part of a patch apart.
pub fn strength(picture: &RgbaImage, way: Way, edge: f64, across: &[f64], reach: f64) -> f64 {
    let (limit, side) = (way.length(picture) as i32, way.across().length(picture) as i32);
    let reach = reach.max(1.0).round() as i32;
    let apart = (pitch(across) / NEIGHBOURING).round().max(1.0) as usize;
    let (from, to) = (edge.round() as i32 - reach - 1, edge.round() as i32 + reach + apart as i32 - 1);
    let count = (to - from + 1) as usize;
    let raw = picture.as_raw();
    let grey = |at: i32, other: i32| {
        let (x, y) = way.pixel(at.clamp(0, limit - 1) as u32, other.clamp(0, side - 1) as u32);
        let pixel = &raw[(y as usize * picture.width() as usize + x as usize) * 4..][..3];
        f64::from(u16::from(pixel[0]) + 2 * u16::from(pixel[1]) + u16::from(pixel[2])) / 4.0
    };
    let (mut sum, mut runs) = (0.0, 0usize);
    let mut means = vec![0.0; count];
    for tile in across.windows(2).step_by((across.len() / ASKED).max(1)) {
        let quarter = (tile[1] - tile[0]) / 4.0;
        for part in [1.0, 2.0] {
            let (first, last) = ((tile[0] + quarter * part) as i32, (tile[0] + quarter * (part + 1.0)) as i32);
            // An even number of pixels, and no more than tell.
            let length = (last - first).clamp(2, 16) & !1;
            for (index, mean) in means.iter_mut().enumerate() {
                let at = from + index as i32;
                *mean = (first..first + length).map(|other| grey(at, other)).sum::<f64>() / f64::from(length);
            }
            sum += means.iter().zip(&means[apart..]).map(|(one, next)| (next - one).abs()).fold(0.0, f64::max);
            runs += 1;
        }
    }
    sum / runs.max(1) as f64
}

/// Neighbouring pixels are this part of a tile apart: half a part of a patch.
const NEIGHBOURING: f64 = 2.0 * SIDE as f64;
/// Tiles along an edge that are asked for it.
const ASKED: usize = 12;

/// Whether the edges of tiles that look so cancel in pairs of pixels, by where they begin: at half its size, a picture of them shows nothing along
/// one way then that is as strong as `least`, of 255.
pub fn may_cancel(tile_picture: &RgbaImage, least: u8) -> bool {
    if tile_picture.width().min(tile_picture.height()) == 0 {
        return false;
    }
    // What is across the middle of a tile, along it.
    let means = |way: Way| -> Vec<f64> {
        let across = way.across().length(tile_picture);
        let middle = across / 4..(across - across / 4).max(across / 4 + 1);
        let grey = |at: u32, other: u32| {
            let (x, y) = way.pixel(at, other);
            f64::from(grey(tile_picture.get_pixel(x, y).0)) / 4.0
        };
        let mean =
            |at: u32| middle.clone().map(|other| grey(at, other)).sum::<f64>() / f64::from(middle.end - middle.start);
        (0..way.length(tile_picture)).map(mean).collect()
    };
    let shows_in_part = |way: Way| {
        let means = means(way);
        let length = means.len();
        // Two tiles in a row: of an odd number of pixels every second one begins at an odd one.
        let shows = |(first, tile): (usize, usize)| {
            // Before and after a tile is the same tile again.
            let half =
                |place: usize| (means[(2 * place + first) % length] + means[(2 * place + first + 1) % length]) / 2.0;
            let mut places = (tile * length).div_ceil(2)..((tile + 1) * length).div_ceil(2);
            places.any(|place| (half(place) - half(place + 1)).abs() >= f64::from(least))
        };
        let shown = [(0, 0), (0, 1), (1, 0), (1, 1)].map(shows);
        shown.contains(&true) && shown.contains(&false)
    };
    Way::BOTH.into_iter().any(shows_in_part)
}

/// Places in a strip.
pub const STRIP: usize = 8;

/// A picture at half or a quarter of its size, in grey (which turns a stipple of single pixels into flat grey), and where it has
/// straight edges.
pub struct Edges<'a> {
    /// The picture.
    pub picture: &'a RgbaImage,
    /// Pixels of the picture across and down a place.
    pub unit: usize,
    /// Places across.
    pub width: usize,
    /// Places down.
    pub height: usize,
    pixels: Vec<u8>,
}

impl<'a> Edges<'a> {
    /// Of a picture at half its size.
    pub fn new(picture: &'a RgbaImage) -> Self {
        Self::halved(picture, 0)
    }

    /// The same from the second pixel each way on: what cancels in a pair of pixels there does not here.
    pub fn odd(&self) -> Self {
        Self::halved(self.picture, 1)
    }

    fn halved(picture: &'a RgbaImage, first: usize) -> Self {
        let full = picture.width() as usize;
        let (width, height) = (full.saturating_sub(first) / 2, (picture.height() as usize).saturating_sub(first) / 2);
        let mut pixels = vec![0u8; width * height];
        let mut sums = vec![0u64; width];
        let from = picture.as_raw().get(4 * full * first..).unwrap_or_default();
        for (row, pair) in pixels.chunks_exact_mut(width.max(1)).zip(from.chunks_exact(8 * full.max(1))) {
            let (upper, lower) = pair.split_at(4 * full);
            let pairs = upper[4 * first..].as_chunks().0.iter().zip(lower[4 * first..].as_chunks().0);
            // One after the other, each is computed several at a time.
            sums.iter_mut().zip(pairs).for_each(|(sum, (upper, lower))| *sum = grey_of_four(*upper, *lower));
            row.iter_mut().zip(&sums).for_each(|(place, sum)| *place = (*sum >> 4) as u8);
        }
        Self { picture, unit: 2, width, height, pixels }
    }

    /// At half of this size again: there, what was smeared by being enlarged is sharp.
    pub fn coarser(&self) -> Self {
        let (width, height) = (self.width / 2, self.height / 2);
        let mut pixels = vec![0u8; width * height];
        for (row, pair) in pixels.chunks_exact_mut(width.max(1)).zip(self.pixels.chunks_exact(2 * self.width.max(1))) {
            let (upper, lower) = pair.split_at(self.width);
            let pairs = upper.as_chunks::<2>().0.iter().zip(lower.as_chunks::<2>().0);
            for (pixel, (upper, lower)) in row.iter_mut().zip(pairs) {
                let sum = [upper[0], upper[1], lower[0], lower[1]].map(u16::from).iter().sum::<u16>();
                *pixel = (sum >> 2) as u8;
            }
        }
        Self { picture: self.picture, unit: self.unit * 2, width, height, pixels }
    }

    fn row(&self, y: usize) -> &[u8] {
        &self.pixels[y * self.width..][..self.width]
    }

    /// For every strip of lines, the columns with an edge on their right, of at least this difference, in so many of the lines.
    pub fn strips_of_columns(&self, most: u8, least: u8) -> Vec<Bits> {
        let mut strips = Vec::with_capacity(self.height / STRIP);
        let mut counts = vec![0u8; self.width];
        for strip in 0..self.height / STRIP {
            counts.fill(0);
            for y in strip * STRIP..(strip + 1) * STRIP {
                let row = self.row(y);
                for ((count, a), b) in counts.iter_mut().zip(row).zip(row.iter().skip(1)) {
                    *count += u8::from(a.abs_diff(*b) >= least);
                }
            }
            strips.push(Bits::new(counts.iter().map(|&count| count >= most)));
        }
        lasting(&strips)
    }

    /// For every strip of columns, the lines with such an edge below them.
    pub fn strips_of_rows(&self, most: u8, least: u8) -> Vec<Bits> {
        let mut strips = vec![Bits::empty(self.height); self.width / STRIP];
        let mut edges = vec![0u8; self.width];
        for y in 0..self.height.saturating_sub(1) {
            for ((edge, a), b) in edges.iter_mut().zip(self.row(y)).zip(self.row(y + 1)) {
                *edge = u8::from(a.abs_diff(*b) >= least);
            }
            for (strip, part) in strips.iter_mut().zip(edges.chunks_exact(STRIP)) {
                if part.iter().sum::<u8>() >= most {
                    strip.set(y);
                }
            }
        }
        lasting(&strips)
    }
}

/// How strong the edges of a picture are at every place along a way between two pixels, of 255: the mean difference of the two pixels
/// on each side, over some pairs of lines between `first` and `last` across it.
pub fn profile(picture: &RgbaImage, way: Way, (from, to): (usize, usize), (first, last): (usize, usize)) -> Profile {
    let to = to.min(way.length(picture) as usize);
    let from = from.min(to);
    let others = samples(first, last.min((way.across().length(picture) as usize).saturating_sub(1)));
    let mut values = vec![0.0; to - from];
    match way {
        Way::Columns => add_columns(picture, from, &others, &mut values),
        Way::Lines => add_lines(picture, from, &others, &mut values),
    }
    Profile { from, values }
}

fn line(picture: &RgbaImage, y: usize, from: usize, count: usize) -> &[[u8; 4]] {
    let start = (y * picture.width() as usize + from) * 4;
    picture.as_raw()[start..start + count * 4].as_chunks().0
}

fn add_columns(picture: &RgbaImage, from: usize, lines: &[usize], values: &mut [f32]) {
    let count = values.len();
    let (mut row, mut sums) = (vec![0i16; count], vec![0i32; count]);
    for &y in lines {
        let (upper, lower) = (line(picture, y, from, count), line(picture, y + 1, from, count));
        row.iter_mut().zip(upper.iter().zip(lower)).for_each(|(sum, (a, b))| *sum = grey(*a) + grey(*b));
        for (value, window) in sums.iter_mut().skip(2).zip(row.windows(4)) {
            *value += i32::from(((window[2] + window[3] - window[0] - window[1]).abs() >> 4).min(STRONG));
        }
    }
    values.iter_mut().zip(sums).for_each(|(value, sum)| *value = sum as f32 / lines.len().max(1) as f32);
}

fn add_lines(picture: &RgbaImage, from: usize, columns: &[usize], values: &mut [f32]) {
    let width = picture.width() as usize;
    let count = columns.len().max(1);
    let mut rows = vec![0i16; values.len() * count];
    for (y, row) in rows.chunks_exact_mut(count).enumerate() {
        let line = line(picture, from + y, 0, width);
        row.iter_mut().zip(columns).for_each(|(sum, &x)| *sum = grey(line[x]) + grey(line[x + 1]));
    }
    let rows: Vec<&[i16]> = rows.chunks_exact(count).collect();
    for (value, window) in values.iter_mut().skip(2).zip(rows.windows(4)) {
        let [a, b, c, d] = window else { continue };
        // At most 80 times 48.
        let sum = a.iter().zip(*b).zip(c.iter().zip(*d)).fold(0i16, |sum, ((a, b), (c, d))| {
            let difference = c.wrapping_add(*d).wrapping_sub(a.wrapping_add(*b));
            sum.wrapping_add((difference.wrapping_abs() >> 4).min(STRONG))
        });
        *value = f32::from(sum) / count as f32;
    }
}

/// Red, green twice and blue of two pixels and the two below them. Two channels of two pixels are added at a time, 16 bits each.
fn grey_of_four(upper: [u8; 8], lower: [u8; 8]) -> u64 {
    const EVEN: u64 = 0x00ff_00ff_00ff_00ff;
    let (upper, lower) = (u64::from_le_bytes(upper), u64::from_le_bytes(lower));
    let red_and_blue = (upper & EVEN) + (lower & EVEN);
    let green = (upper >> 8 & EVEN) + (lower >> 8 & EVEN);
    let both = red_and_blue + (red_and_blue >> 16) + 2 * (green & 0xffff_0000_ffff);
    (both + (both >> 32)) & 0xffff
}

/// Red, green twice and blue, in a form of which several are computed at a time.
fn grey(pixel: [u8; 4]) -> i16 {
    let pixel = u32::from_le_bytes(pixel);
    ((pixel & 0xff) + (pixel >> 7 & 0x1fe) + (pixel >> 16 & 0xff)) as i16
}

/// How strong edges are along one way, from pixel `from` on.
pub struct Profile {
    /// The first pixel.
    pub from: usize,
    /// One value a pixel.
    pub values: Vec<f32>,
}

/// Pairs of lines (or columns) that are looked at for a profile.
const SAMPLES: usize = 80;
/// An edge is as strong as its difference, up to this: a high contrast is not a better edge.
const STRONG: i16 = 48;

/// At most [`SAMPLES`] places between two, evenly spread.
fn samples(from: usize, to: usize) -> Vec<usize> {
    let count = SAMPLES.min(to.saturating_sub(from));
    (0..count).map(|index| from + (to - from) * index / count).collect()
}

/// Keeps the edges that go on in the strip before or after.
fn lasting(strips: &[Bits]) -> Vec<Bits> {
    let none = Bits { words: vec![0; strips.first().map_or(0, |bits| bits.words.len())] };
    (0..strips.len())
        .map(|index| {
            let before = if index > 0 { &strips[index - 1] } else { &none };
            let after = strips.get(index + 1).unwrap_or(&none);
            let words = strips[index].words.iter().zip(&before.words).zip(&after.words);
            Bits { words: words.map(|((own, a), b)| own & (a | b)).collect() }
        })
        .collect()
}

/// A row of bits: the places of a strip that have an edge.
#[derive(Clone, Debug)]
pub struct Bits {
    /// 64 places each.
    pub words: Vec<u64>,
}

impl Bits {
    fn empty(len: usize) -> Self {
        Self { words: vec![0; len.div_ceil(64)] }
    }

    /// From one value a place.
    pub fn new(bits: impl ExactSizeIterator<Item = bool>) -> Self {
        let mut row = Self::empty(bits.len());
        for (index, bit) in bits.enumerate() {
            row.words[index / 64] |= u64::from(bit) << (index % 64);
        }
        row
    }

    fn set(&mut self, index: usize) {
        self.words[index / 64] |= 1 << (index % 64);
    }

    /// Adds those of another row of bits.
    pub fn add(&mut self, other: &Bits) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, more)| *word |= more);
    }

    /// Takes one out.
    pub fn unset(&mut self, index: usize) {
        if let Some(word) = self.words.get_mut(index / 64) {
            *word &= !(1 << (index % 64));
        }
    }

    /// The places that have an edge.
    pub fn ones(&self) -> impl Iterator<Item = usize> + '_ {
        ones(self.words.iter().copied().enumerate())
    }

    /// How many have.
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Every bit with both its neighbours.
    pub fn widened(&self) -> Bits {
        let words = &self.words;
        let at = |index: usize| words.get(index).copied().unwrap_or(0);
        let wide = |index: usize| {
            let (left, right) = (if index > 0 { at(index - 1) } else { 0 }, at(index + 1));
            at(index) | (at(index) << 1) | (left >> 63) | (at(index) >> 1) | (right << 63)
        };
        Bits { words: (0..words.len()).map(wide).collect() }
    }

    /// Where rows of `N` more bits begin that lie `pitch` apart, one place more or less: words of bits, without those that have none.
    pub fn chains<'b, const N: usize>(
        &'b self,
        widened: &'b Bits,
        pitch: f64,
    ) -> impl Iterator<Item = (usize, u64)> + 'b {
        // Rounded to the nearest.
        let links: [usize; N] = std::array::from_fn(|link| (pitch * (link + 1) as f64 + 0.5) as usize);
        let links = links.map(|by| (widened.words.get(by / 64..).unwrap_or_default(), (by % 64) as u32));
        let word = move |(index, &own): (usize, &u64)| {
            let mut left = own;
            for (words, part) in links {
                if left == 0 {
                    return None;
                }
                let at = |index: usize| words.get(index).copied().unwrap_or(0);
                // Twice, for nothing of it is left where the whole of a word is meant.
                left &= at(index) >> part | at(index + 1) << 1 << (63 - part);
            }
            (left != 0).then_some((index, left))
        };
        self.words.iter().enumerate().filter_map(word)
    }
}

/// The places of the bits that are set in words.
pub fn ones(words: impl Iterator<Item = (usize, u64)>) -> impl Iterator<Item = usize> {
    words.flat_map(|(index, word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some(index * 64 + bit)
        })
    })
}

/// How many bits are set in words.
pub fn bits_in(words: impl Iterator<Item = (usize, u64)>) -> u32 {
    words.map(|(_, word)| word.count_ones()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgba;

    #[test]
    fn tiles_of_two_tones_have_edges_and_a_stipple_has_none() {
        let across: Vec<f64> = (0..9).map(|index| f64::from(index) * 20.0).collect();
        let tones = RgbaImage::from_fn(160, 160, |x, y| Rgba([if (x / 20 + y / 20) % 2 == 0 { 90 } else { 110 }; 4]));
        let stipple = RgbaImage::from_fn(160, 160, |x, y| Rgba([if (x + y) % 2 == 0 { 0 } else { 255 }; 4]));
        for way in Way::BOTH {
            assert!(strength(&tones, way, 80.0, &across, 2.0) > 15.0);
            assert!(strength(&stipple, way, 80.0, &across, 2.0) < 1.0);
        }
    }

    #[test]
    fn a_picture_of_a_few_pixels_has_no_strips_of_edges() {
        for (width, height) in [(1, 64), (2, 64), (3, 64), (64, 1), (64, 3), (1, 1)] {
            let picture = RgbaImage::from_fn(width, height, |x, y| Rgba([if (x + y) % 9 < 4 { 0 } else { 255 }; 4]));
            let halved = Edges::new(&picture);
            for edges in [halved.odd(), halved.coarser(), halved.coarser().coarser(), halved] {
                let strips = [edges.strips_of_columns(1, 10), edges.strips_of_rows(1, 10)].concat();
                assert!(strips.iter().all(|strip| strip.count() == 0), "{width}x{height}");
            }
        }
    }
}
