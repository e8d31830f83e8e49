//! One picture of a tile, ready to be compared ([`Look`]), and a tile to be compared with it ([`Seen`]).
//!
//! A picture may lie a fraction of a pixel beside the tile, or be a little larger or smaller: at another scale it always
//! does. So distances are measured to everything a picture can become by a slight shift and stretch: the nearest point of the
//! plane that its derivatives span (the tangent distance of Simard, LeCun and Denker, 1993), within [`SLACK`]. Where tiles are
//! translucent, becoming lighter or darker all over is one more direction, within the theme's `tint`, and where a desktop stretches them becoming
//! softer, as far as that may smear. The same directions tell
//! how far a tile lies beside its picture (Lucas and Kanade, 1981), which is how a grid is laid to less than a pixel.

use super::patch::{BLOCK, Patch, SIDE, Sketch, VALUES, sketch, whole};
use crate::board::Tile;
use crate::client::Picture;
use crate::vision::find::propose::{profile_of, profile_of_hidden};
use crate::vision::grid::Way;
use image::{Rgba, RgbaImage};
use std::ops::Range;
use wide::{f32x8, i16x8, i32x4};

/// How far a picture may be shifted, or its borders moved by a stretch, in parts of a patch: a grid is known to about half
/// a pixel, which is half a part of the smallest tiles, and a client may round a tile to the next whole pixel.
const SLACK: f32 = 0.75;
/// The least contrast of a picture that tells it from a plain surface, in grey levels, and how alike light and dark lie at least in what it shows. Chosen
/// beside the tiles of 1,500 spoilt screenshots (every 24th), of which as many are read with it; rings of one pixel on tiles of 38 have a contrast of 12.
const CONTRAST: f32 = 10.0;
const ALIKE: f32 = 0.25;
/// Differences within a picture that nobody sees.
pub const PLAIN: i16 = 4;

/// One picture, ready to be compared.
#[derive(Clone, Debug)]
pub struct Look {
    /// What it is a picture of.
    pub tile: Tile,
    /// Width of the picture.
    pub width: u32,
    /// The picture as a tile.
    pub seen: Seen,
    /// 1 where the picture is opaque, 0 where it is not to be compared.
    pub mask: Option<Box<Patch>>,
    /// How many of its values are compared.
    values: u32,
    /// How much lighter or darker it may be, in grey levels.
    tint: f32,
    tangents: Vec<Tangent>,
    /// How far it can move by shift and stretch.
    pub most: f32,
    /// Where it has edges, across and down.
    pub profile: (Vec<f32>, Vec<f32>),
}

/// A direction in which a picture changes when it is shifted or stretched a little.
#[derive(Clone, Debug)]
pub struct Tangent {
    /// Of length [`ONE`].
    direction: Box<Patch>,
    /// How far along it the picture is, times [`ONE`].
    start: i32,
    /// How far it may go.
    limit: f32,
    /// The way in which it is shifted, if it is not stretched.
    shifts: Option<Way>,
}

/// The length of a direction: as long as fits 16 bits.
const ONE: f32 = 16384.0;

impl Look {
    /// Of a picture that may become lighter or darker by `tint` grey levels.
    pub fn new(picture: &Picture, tint: f32) -> Self {
        let profile_of = if picture.tile == Tile::Hidden { profile_of_hidden } else { profile_of };
        let profile = profile_of(&picture.pixels);
        let (patch, mask) = (whole(&picture.pixels), mask(&picture.pixels));
        Self::of(picture.tile, picture.pixels.width(), patch, mask, tint, None, profile)
    }

    /// Of a tile that nobody has named, which may be a little lighter or darker elsewhere.
    pub fn unnamed(patch: Patch, tint: f32) -> Self {
        Self::of(Tile::Unrecognised, 0, patch, None, tint, None, (Vec::new(), Vec::new()))
    }

    /// Root of the mean squared difference to a tile after the best shift and tint, in grey levels.
    pub fn apart(&self, seen: &Seen) -> f32 {
        self.aligned(self.distance(seen), seen).sqrt()
    }

    fn of(
        tile: Tile,
        width: u32,
        patch: Patch,
        mask: Option<Box<Patch>>,
        tint: f32,
        softer: Option<Patch>,
        profile: (Vec<f32>, Vec<f32>),
    ) -> Self {
        let values = mask.as_ref().map_or(VALUES as u32, |mask| mask.iter().map(|&m| m as u32).sum()).max(1);
        // What is masked never differs, however the rest is shifted.
        let tangents = tangents(&patch, mask.as_deref(), tint > 0.0, softer.as_ref());
        let most = tangents.iter().map(|tangent| tangent.limit.powi(2)).sum::<f32>().sqrt() / (values as f32).sqrt();
        Self { tile, width, seen: Seen::new(patch), mask, values, tint, tangents, most, profile }
    }

    /// The same look as anything between a sharp and a soft patch. Its edges stay where they are.
    pub fn between(&self, sharp: &Patch, soft: &Patch) -> Self {
        let patch = std::array::from_fn(|index| (sharp[index] + soft[index]) / 2);
        let softer = std::array::from_fn(|index| soft[index] - sharp[index]);
        Self::of(self.tile, self.width, patch, self.mask.clone(), self.tint, Some(softer), self.profile.clone())
    }

    /// Mean squared difference to the picture as it is, but for its tint.
    pub fn distance(&self, seen: &Seen) -> f32 {
        let Some(mask) = &self.mask else {
            // (a - b)² = a² + b² - 2ab
            let far = self.seen.square + seen.square - 2 * product(&self.seen, seen);
            return self.tinted(far as f32 / VALUES as f32, seen.total - self.seen.total);
        };
        let far = squares_within(&self.seen, seen, mask) as f32 / self.values as f32;
        if self.tint == 0.0 { far } else { self.tinted(far, product(mask, seen) - product(mask, &self.seen)) }
    }

    /// How alike light and dark lie in the picture and in a tile, -1..1: the correlation of all values, each beside the mean of its channel. What
    /// colour both are says nothing: a green tile would be like every green one.
    pub fn correlation(&self, seen: &Seen) -> f32 {
        let (own, other) = (self.seen.contrast(), seen.contrast());
        // What is flat is like nothing.
        if own < 1.0 || other < 1.0 {
            return 0.0;
        }
        covariance(product(&self.seen, seen), self.seen.totals, seen.totals) / (own * other)
    }

    /// Whether light and dark lie otherwise in a tile than in the picture, where that has so much of them that it tells. If all other looks are far
    /// away, as discs of strong colours are from rings of thin lines, a page with nothing or with words on it is nearest to the rings.
    pub fn is_other(&self, seen: &Seen) -> bool {
        self.mask.is_none() && self.seen.contrast() >= CONTRAST && self.correlation(seen) < ALIKE
    }

    /// Whether an empty tile has no border on a side, whatever the colour of that, where the picture has one: it is a plain
    /// surface then, or partly under one.
    pub fn lacks_border(&self, patch: &Patch) -> bool {
        if self.mask.is_none() || self.tile != Tile::Open(0) {
            return false;
        }
        let (start, middle, end) = (0..SIDE / 4, SIDE / 4..SIDE * 3 / 4, SIDE * 3 / 4..SIDE);
        let sides = [(&start, &middle), (&end, &middle), (&middle, &start), (&middle, &end)];
        let has_line = |patch: &Patch, (columns, lines): (&Range<usize>, &Range<usize>)| {
            (0..3).any(|channel| {
                let place = |(x, y)| (y * SIDE + x) * 3 + channel;
                let places = || lines.clone().flat_map(|y| columns.clone().map(move |x| (x, y)));
                let values = || places().map(|at| patch[place(at)]);
                values().max().unwrap_or(0) - values().min().unwrap_or(0) >= PLAIN
            })
        };
        sides.into_iter().any(|side| has_line(&self.seen, side) && !has_line(patch, side))
    }

    /// No more than the distance, by a look at the sketches.
    pub fn least(&self, seen: &Seen) -> f32 {
        if self.mask.is_some() {
            return 0.0;
        }
        let far = squares(&self.seen.sketch, &seen.sketch) as f32 / (BLOCK * VALUES) as f32;
        self.tinted(far, seen.total - self.seen.total)
    }

    /// What is left of a distance to a tile that is lighter by so much, summed over its values, if the picture may become lighter or
    /// darker.
    fn tinted(&self, far: f32, lighter: i32) -> f32 {
        let offset = lighter as f32 / self.values as f32;
        let step = offset.clamp(-self.tint, self.tint);
        (far - 2.0 * step * offset + step * step).max(0.0)
    }

    /// How far it is to another picture along all directions of shift and stretch, as the root of a mean square.
    pub fn most_along(&self, other: &Look) -> f32 {
        if self.mask.is_some() || other.mask.is_some() {
            return f32::INFINITY;
        }
        let along = self.tangents.iter().map(|tangent| tangent.along(&other.seen));
        (along.map(|along| along * along).sum::<f32>() / self.values as f32).sqrt()
    }

    /// Mean squared difference to the nearest shift and stretch of the picture, of a tile at this distance from it.
    pub fn aligned(&self, distance: f32, seen: &Seen) -> f32 {
        let gained: f32 = self
            .tangents
            .iter()
            .map(|tangent| {
                let along = tangent.along(seen);
                let step = along.clamp(-tangent.limit, tangent.limit);
                2.0 * step * along - step * step
            })
            .sum();
        (distance - gained / self.values as f32).max(0.0)
    }
}

impl Look {
    /// How far a tile's content lies right of (or below) where it is in the picture, in parts of a patch, and how sure that is: the
    /// square of what a shift by a part changes.
    pub fn shift(&self, seen: &Seen, way: Way) -> Option<(f32, f32)> {
        let tangent = self.tangents.iter().find(|tangent| tangent.shifts == Some(way))?;
        let length = tangent.limit / SLACK;
        Some((-tangent.along(seen) / length, length * length))
    }
}

impl Tangent {
    /// How far a tile is from the picture in this direction.
    fn along(&self, patch: &Patch) -> f32 {
        (product(&self.direction, patch) - self.start) as f32 / ONE
    }
}

/// A tile to be compared.
#[derive(Clone, Debug)]
pub struct Seen {
    patch: Patch,
    sketch: Sketch,
    /// The sum of its squares.
    square: i32,
    /// The sum of its values, and of every channel's.
    total: i32,
    totals: [f32; 3],
}

impl Seen {
    /// Of a tile.
    pub fn new(patch: Patch) -> Self {
        let sketch = sketch(&patch);
        let mut totals = [0; 3];
        for block in sketch.as_chunks::<3>().0 {
            totals.iter_mut().zip(block).for_each(|(total, &sum)| *total += i32::from(sum));
        }
        let (square, total) = (product(&patch, &patch), totals.iter().sum());
        Self { patch, sketch, square, total, totals: totals.map(|total| total as f32) }
    }

    /// How far its values are from the mean of their channel, in grey levels (standard deviation).
    pub fn contrast(&self) -> f32 {
        covariance(self.square, self.totals, self.totals).max(0.0).sqrt()
    }
}

impl std::ops::Deref for Seen {
    type Target = Patch;

    fn deref(&self) -> &Patch {
        &self.patch
    }
}

/// The mean product of what values are beside the means of their channels, from the sum of their products and the sums of the channels.
fn covariance(product: i32, one: [f32; 3], other: [f32; 3]) -> f32 {
    let means: f32 = one.iter().zip(other).map(|(one, other)| one * other).sum();
    (product as f32 - means * 3.0 / VALUES as f32) / VALUES as f32
}

/// The sum of squared differences.
pub fn squares(a: &[i16], b: &[i16]) -> i32 {
    let (a, b) = (a.as_chunks().0, b.as_chunks().0);
    sum(a.iter().zip(b).map(|(a, b)| {
        let difference = i16x8::new(*a) - i16x8::new(*b);
        difference.dot(difference)
    }))
}

/// The same where a mask is 1 and not 0.
pub fn squares_within(a: &Patch, b: &Patch, mask: &Patch) -> i32 {
    let (a, b, mask) = (a.as_chunks().0, b.as_chunks().0, mask.as_chunks().0);
    sum(a.iter().zip(b).zip(mask).map(|((a, b), mask)| {
        let difference = i16x8::new(*a) - i16x8::new(*b);
        difference.dot(difference * i16x8::new(*mask))
    }))
}

/// The sum of products.
pub fn product(a: &Patch, b: &Patch) -> i32 {
    let (a, b) = (a.as_chunks().0, b.as_chunks().0);
    sum(a.iter().zip(b).map(|(a, b)| i16x8::new(*a).dot(i16x8::new(*b))))
}

fn sum(parts: impl Iterator<Item = i32x4>) -> i32 {
    parts.fold(i32x4::ZERO, |sum, part| sum + part).reduce_add()
}

/// The directions of shift and stretch, across and down, and of becoming softer, where that is one (from half of it less to half of it more), at right
/// angles to each other (Gram-Schmidt), and to becoming lighter where that is a direction of its own.
fn tangents(patch: &Patch, mask: Option<&Patch>, is_tinted: bool, softer: Option<&Patch>) -> Vec<Tangent> {
    let half = (SIDE as f32 - 1.0) / 2.0;
    let counts: Option<Direction> = mask.map(|mask| std::array::from_fn(|index| f32::from(mask[index])));
    let direction = |down: bool, stretch: bool| -> Direction {
        let mut slopes = [0.0; VALUES];
        for (place, slopes) in slopes.chunks_exact_mut(3).enumerate() {
            let (x, y) = (place % SIDE, place / SIDE);
            let (along, step) = if down { (y, SIDE * 3) } else { (x, 3) };
            let (before, after) = (along.saturating_sub(1), (along + 1).min(SIDE - 1));
            let weight = if stretch { (along as f32 - half) / half } else { 1.0 } / 2.0;
            let start = place * 3 - along * step;
            for (channel, slope) in slopes.iter_mut().enumerate() {
                let value = |at: usize| patch[start + at * step + channel];
                *slope = f32::from(value(after) - value(before)) * weight;
            }
        }
        slopes
    };
    let shifts = [(false, false), (true, false), (false, true), (true, true)].into_iter().map(|(down, stretch)| {
        let way = if down { Way::Lines } else { Way::Columns };
        (direction(down, stretch), SLACK, (!stretch).then_some(way))
    });
    let softer = softer.map(|softer| (softer.map(f32::from), 0.5, None));
    let mut units: Vec<(Direction, f32, Option<Way>)> = Vec::new();
    for (mut vector, slack, way) in shifts.chain(softer) {
        if let Some(counts) = &counts {
            vector.iter_mut().zip(counts).for_each(|(value, count)| *value *= count);
        }
        if is_tinted {
            let counts = counts.unwrap_or([1.0; VALUES]);
            let mean = vector.iter().sum::<f32>() / counts.iter().sum::<f32>().max(1.0);
            vector.iter_mut().zip(&counts).for_each(|(value, count)| *value -= mean * count);
        }
        for (unit, ..) in &units {
            let along = dot(unit, &vector);
            vector.iter_mut().zip(unit).for_each(|(value, unit)| *value -= along * unit);
        }
        let length = dot(&vector, &vector).sqrt();
        if length > 1.0 {
            vector.iter_mut().for_each(|value| *value /= length);
            units.push((vector, length * slack, way));
        }
    }
    let tangent = |(unit, limit, shifts): (Direction, f32, Option<Way>)| {
        let mut direction = Box::new([0; VALUES]);
        direction.iter_mut().zip(&unit).for_each(|(whole, value)| *whole = (value * ONE) as i16);
        Tangent { start: product(&direction, patch), direction, limit, shifts }
    };
    units.into_iter().map(tangent).collect()
}

/// A change of every value.
type Direction = [f32; VALUES];

fn dot(a: &Direction, b: &Direction) -> f32 {
    let parts = a.as_chunks().0.iter().zip(b.as_chunks().0);
    parts.fold(f32x8::ZERO, |sum, (a, b)| sum + f32x8::new(*a) * f32x8::new(*b)).reduce_add()
}

/// A part of a picture is compared if so much of it is opaque, of 255: more than half, for what lies below the rest is not what a screen shows there.
/// With nine tenths a screen without a board took a seventh longer, for less is left to tell its patterns from tiles.
const OPAQUE: i16 = 129;

/// Which parts of a picture are to be compared; `None` if all are.
fn mask(picture: &RgbaImage) -> Option<Box<Patch>> {
    if picture.pixels().all(|pixel| pixel[3] == 255) {
        return None;
    }
    let mut alpha = picture.clone();
    for pixel in alpha.pixels_mut() {
        *pixel = Rgba([pixel[3], pixel[3], pixel[3], 255]);
    }
    Some(Box::new(whole(&alpha).map(|part| i16::from(part >= OPAQUE))))
}
