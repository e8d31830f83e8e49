//! What may be controls of a client, by a picture of it.

use crate::geometry::Rect;
use image::{GrayImage, Luma, RgbaImage};
use imageproc::region_labelling::{Connectivity, connected_components};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::ops::RangeInclusive;

/// Pixels of a square of the coarse picture in which buttons are looked for.
const SQUARE: u32 = 4;
/// Colours that may be the ground that buttons stand on.
const GROUNDS: usize = 3;
/// Grey levels by which something differs from the ground around it.
const STANDS_OUT: u8 = 12;

/// What may be buttons in a part of a picture, by how wide and high they are, in pixels: what stands out from one of its commonest colours,
/// which are those of its ground, and of what is around it.
pub fn buttons_in(
    picture: &RgbaImage,
    is_in: &dyn Fn(u32, u32) -> bool,
    sizes: &[RangeInclusive<u32>; 2],
) -> Vec<Rect> {
    let part = || picture.enumerate_pixels().filter(|(x, y, _)| is_in(*x, *y));
    let grounds = commonest(part().map(|(_, _, pixel)| pixel.0)).into_iter().take(GROUNDS);
    let on = |ground: [u8; 4]| {
        let stands_out = part().filter(move |(_, _, pixel)| differ(pixel.0, ground, STANDS_OUT));
        things(picture.dimensions(), stands_out.map(|(x, y, _)| (x, y)))
    };
    let mut rects: Vec<Rect> = grounds.flat_map(on).collect();
    rects.retain(|rect| sizes[0].contains(&rect.width) && sizes[1].contains(&rect.height));
    rects
}

/// The boxes around what hangs together of a picture, by what stands out in it; to whole squares.
pub fn things((width, height): (u32, u32), stands_out: impl Iterator<Item = (u32, u32)>) -> impl Iterator<Item = Rect> {
    let mut coarse = GrayImage::new(width.div_ceil(SQUARE), height.div_ceil(SQUARE));
    stands_out.for_each(|(x, y)| coarse.put_pixel(x / SQUARE, y / SQUARE, Luma([255])));
    let parts = connected_components(&coarse, Connectivity::Eight, Luma([0]));
    let mut boxes: BTreeMap<u32, [u32; 4]> = BTreeMap::new();
    for (x, y, part) in parts.enumerate_pixels().filter(|(_, _, part)| part.0[0] > 0) {
        let [left, top, right, bottom] = boxes.entry(part.0[0]).or_insert([x, y, x, y]);
        (*left, *top, *right, *bottom) = ((*left).min(x), (*top).min(y), (*right).max(x), (*bottom).max(y));
    }
    boxes.into_values().map(|[left, top, right, bottom]| Rect {
        left: left * SQUARE,
        top: top * SQUARE,
        width: (right - left + 1) * SQUARE,
        height: (bottom - top + 1) * SQUARE,
    })
}

/// The commonest colours, the commonest first.
pub fn commonest(pixels: impl Iterator<Item = [u8; 4]>) -> Vec<[u8; 4]> {
    let mut counts: HashMap<[u8; 4], usize> = HashMap::new();
    pixels.for_each(|pixel| *counts.entry(pixel).or_default() += 1);
    let mut all: Vec<([u8; 4], usize)> = counts.into_iter().collect();
    all.sort_by_key(|&(colour, count)| (Reverse(count), colour));
    all.into_iter().map(|(colour, _)| colour).collect()
}

/// Whether two colours differ by more than so much.
pub fn differ(one: [u8; 4], other: [u8; 4], most: u8) -> bool {
    one.iter().zip(other).any(|(one, other)| one.abs_diff(other) > most)
}
