//! What may be controls of a client, by a picture of it.

use crate::geometry::Rect;
use crate::screenshot::cut;
use image::{GrayImage, Luma, RgbaImage};
use imageproc::region_labelling::{Connectivity, connected_components};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::ops::{Range, RangeInclusive};

/// Pixels of a square of the coarse picture in which things hang together.
const SQUARE: u32 = 4;
/// The same for what stands so near to the edge of its window that it would be one with that.
const SMALL_SQUARE: u32 = 2;
/// Colours that may be the ground that buttons stand on.
const GROUNDS: usize = 3;
/// Grey levels by which something differs from the ground around it.
const STANDS_OUT: u8 = 12;

/// How wide and high a button of a page is, in pixels, and how far letters of one word are apart, in their height.
pub const BUTTON: [RangeInclusive<u32>; 2] = [16..=480, 12..=160];
const LETTERS: f64 = 0.7;
/// How high letters on a button are, in pixels.
pub const LETTER: RangeInclusive<u32> = 6..=28;
/// Grey levels by which letters differ from the ground of their line.
pub const INK: u8 = 60;

/// Colours that a button may have that is of one colour but for what is written on it, and the share of it that is, at least.
const COLOURS: usize = 8;
const FILLED: f64 = 0.7;
/// Pixels within which the line along a side of a button is, and the share of the side that it takes at least: corners may be round.
const ALONG: usize = 6;
const LINED: f64 = 0.7;
/// Grey levels by which a box differs from the page around it.
const STANDS_OUT_OF_PAGE: u8 = 16;

/// What may be buttons in a part of a picture, by how wide and high they are, in pixels: what stands out from one of its commonest colours,
/// which are those of its ground, and of what is around it; then, for a button may touch the end of its ground, what is of one colour.
pub fn buttons_in(
    picture: &RgbaImage,
    is_in: &dyn Fn(u32, u32) -> bool,
    sizes: &[RangeInclusive<u32>; 2],
) -> Vec<Rect> {
    let part = || picture.enumerate_pixels().filter(|(x, y, _)| is_in(*x, *y));
    let colours = commonest(part().map(|(_, _, pixel)| pixel.0));
    let grounds = colours.iter().copied().take(GROUNDS);
    let on = |(ground, square): ([u8; 4], u32)| {
        let stands_out = part().filter(move |(_, _, pixel)| differ(pixel.0, ground, STANDS_OUT));
        things_by(square, picture.dimensions(), stands_out.map(|(x, y, _)| (x, y)))
    };
    let is_one = |rect: &Rect| sizes[0].contains(&rect.width) && sizes[1].contains(&rect.height);
    let mut rects: Vec<Rect> = Vec::new();
    let ways = grounds.flat_map(|ground| [(ground, SQUARE), (ground, SMALL_SQUARE)]);
    let of_colour = |colour: [u8; 4]| {
        let is_of_it = move |x: u32, y: u32| is_in(x, y) && !differ(picture.get_pixel(x, y).0, colour, STANDS_OUT / 2);
        let all = part().filter(move |(x, y, _)| is_of_it(*x, *y));
        let boxes: Vec<Rect> = things_by(SMALL_SQUARE, picture.dimensions(), all.map(|(x, y, _)| (x, y))).collect();
        boxes.into_iter().filter(move |rect| {
            let across = rect.left..(rect.left + rect.width).min(picture.width());
            let down = rect.top..(rect.top + rect.height).min(picture.height());
            let filled =
                down.flat_map(|y| across.clone().map(move |x| (x, y))).filter(|&(x, y)| is_of_it(x, y)).count();
            filled as f64 >= FILLED * f64::from(rect.width * rect.height)
        })
    };
    for rect in ways.flat_map(on).chain(colours.iter().copied().take(COLOURS).flat_map(of_colour)).filter(is_one) {
        let center = rect.center();
        if !rects.iter().any(|known| known.contains(center) && rect.contains(known.center())) {
            rects.push(rect);
        }
    }
    rects
}

/// The boxes around what hangs together of a picture, by what stands out in it; to whole squares.
pub fn things(size: (u32, u32), stands_out: impl Iterator<Item = (u32, u32)>) -> impl Iterator<Item = Rect> {
    things_by(SQUARE, size, stands_out)
}

fn things_by(
    square: u32,
    (width, height): (u32, u32),
    stands_out: impl Iterator<Item = (u32, u32)>,
) -> impl Iterator<Item = Rect> {
    let mut coarse = GrayImage::new(width.div_ceil(square), height.div_ceil(square));
    stands_out.for_each(|(x, y)| coarse.put_pixel(x / square, y / square, Luma([255])));
    let parts = connected_components(&coarse, Connectivity::Eight, Luma([0]));
    let mut boxes: BTreeMap<u32, [u32; 4]> = BTreeMap::new();
    for (x, y, part) in parts.enumerate_pixels().filter(|(_, _, part)| part.0[0] > 0) {
        let [left, top, right, bottom] = boxes.entry(part.0[0]).or_insert([x, y, x, y]);
        (*left, *top, *right, *bottom) = ((*left).min(x), (*top).min(y), (*right).max(x), (*bottom).max(y));
    }
    boxes.into_values().map(move |[left, top, right, bottom]| Rect {
        left: left * square,
        top: top * square,
        width: (right - left + 1) * square,
        height: (bottom - top + 1) * square,
    })
}

/// What stands out of the ground of its line, as letters do, if it is so high: a bar may be lighter at its top than below, and a page have a
/// ground that is nowhere the same.
pub fn lettering(picture: &RgbaImage, across: &Range<u32>, down: Range<u32>, high: &RangeInclusive<u32>) -> Vec<Rect> {
    // A board that was followed may lie partly beside the picture.
    let (across, down) = (clipped(across, picture.width()), clipped(&down, picture.height()));
    let pixels = move |y: u32| across.clone().map(move |x| (x, y));
    let colour = |(x, y): (u32, u32)| picture.get_pixel(x, y).0;
    let out_of_line = |y: u32| {
        let ground = middle(pixels(y).map(colour));
        pixels(y).filter(move |&at| ground.is_some_and(|ground| differ(colour(at), ground, INK)))
    };
    let mut all: Vec<Rect> = things(picture.dimensions(), down.flat_map(out_of_line)).collect();
    all.retain(|rect| high.contains(&rect.height));
    all
}

/// Boxes on one line that are no further apart than letters are, as one, if that is no larger than a button.
pub fn words(mut boxes: Vec<Rect>) -> Vec<Rect> {
    boxes.sort_by_key(|rect| (rect.left, rect.top));
    let mut words: Vec<Rect> = Vec::new();
    for rect in boxes {
        let right = rect.left + rect.width;
        let joined = words.iter().position(|word| {
            let overlap = (word.top + word.height).min(rect.top + rect.height).saturating_sub(word.top.max(rect.top));
            let is_on_line = 2 * overlap > word.height.min(rect.height);
            let gap = f64::from(rect.left.saturating_sub(word.left + word.width));
            let width = right.max(word.left + word.width) - word.left;
            is_on_line && gap <= LETTERS * f64::from(word.height.min(rect.height)) && BUTTON[0].contains(&width)
        });
        match joined {
            Some(index) => {
                let word = words[index];
                let (top, left) = (word.top.min(rect.top), word.left);
                let bottom = (word.top + word.height).max(rect.top + rect.height);
                let width = right.max(word.left + word.width) - left;
                words[index] = Rect { left, top, width, height: bottom - top };
            }
            None => words.push(rect),
        }
    }
    words.sort_by_key(|rect| (rect.top, rect.left));
    words
}

/// What of a stretch lies in a picture of this length.
fn clipped(stretch: &Range<u32>, length: u32) -> Range<u32> {
    stretch.start.min(length)..stretch.end.min(length)
}

/// The middle of all colours, channel by channel; nothing of none.
pub fn middle(pixels: impl Iterator<Item = [u8; 4]>) -> Option<[u8; 4]> {
    let mut counts = [[0usize; 256]; 4];
    let mut all = 0;
    for pixel in pixels {
        pixel.iter().zip(&mut counts).for_each(|(value, counts)| counts[usize::from(*value)] += 1);
        all += 1;
    }
    let half = |counts: &[usize; 256]| {
        let mut below = 0;
        let value = counts.iter().position(|count| {
            below += count;
            2 * below > all
        });
        value.unwrap_or(0) as u8
    };
    (all > 0).then(|| [0, 1, 2, 3].map(|channel| half(&counts[channel])))
}

/// Whether most of a box has one colour that is not that of the page around it, as a button has, and letters have not.
pub fn is_filled(page: &RgbaImage, rect: Rect) -> bool {
    let outside = page.get_pixel_checked(rect.left.saturating_sub(3), rect.top.saturating_sub(3));
    let Some((outside, inside)) = outside.zip(cut(page, rect)) else { return false };
    let differing = inside.pixels().filter(|pixel| differ(pixel.0, outside.0, STANDS_OUT_OF_PAGE)).count();
    4 * differing > 3 * (inside.width() * inside.height()) as usize
}

/// Whether a box has a line along each of its sides, as a button has that is raised out of its ground, and words have not.
pub fn is_framed(page: &RgbaImage, rect: Rect) -> bool {
    let outside = page.get_pixel_checked(rect.left.saturating_sub(3), rect.top.saturating_sub(3));
    let Some((outside, inside)) = outside.zip(cut(page, rect)) else { return false };
    let stands_out = |x: u32, y: u32| differ(inside.get_pixel(x, y).0, outside.0, STANDS_OUT_OF_PAGE);
    let (width, height) = inside.dimensions();
    // Boxes are found to whole squares of pixels.
    let along = |from: &mut dyn Iterator<Item = u32>, length: u32, is_line: &dyn Fn(u32, u32) -> bool| {
        from.take(ALONG).any(|at| {
            let count = (0..length).filter(|&other| is_line(at, other)).count();
            count as f64 >= LINED * f64::from(length)
        })
    };
    let (column, row) = (|x: u32, y: u32| stands_out(x, y), |y: u32, x: u32| stands_out(x, y));
    along(&mut (0..width), height, &column)
        && along(&mut (0..width).rev(), height, &column)
        && along(&mut (0..height), width, &row)
        && along(&mut (0..height).rev(), width, &row)
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

/// Whether all pixels of a picture have the same colour, but for so much.
pub fn is_plain(picture: &RgbaImage, most: u8) -> bool {
    let first = picture.pixels().next().copied();
    picture.pixels().all(|pixel| first.is_some_and(|first| !differ(first.0, pixel.0, most)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgba;

    #[test]
    fn a_button_near_the_edge_of_its_window_is_one() {
        let picture = RgbaImage::from_fn(400, 100, |x, y| {
            let is_border =
                (50..=150).contains(&x) && (62..=91).contains(&y) && ([50, 150].contains(&x) || [62, 91].contains(&y));
            let light = if is_border || y >= 96 { 40 } else { 238 };
            Rgba([light, light, light, 255])
        });
        let button = Rect { left: 50, top: 62, width: 101, height: 30 };
        let found = buttons_in(&picture, &|_, _| true, &[24..=260, 12..=80]);
        assert!(found.iter().any(|rect| rect.contains(button.center()) && rect.width < 110), "{found:?}");
    }

    #[test]
    fn a_button_that_touches_the_end_of_its_ground_is_one() {
        // A bar with two boxes as high as it is, and another ground below.
        let picture = RgbaImage::from_fn(800, 160, |x, y| {
            let is_box = [190..260, 540..610].iter().any(|across| across.contains(&x));
            let light = match y {
                0..70 if is_box => 228,
                0..70 => 178,
                _ => 128,
            };
            Rgba([light, light, light, 255])
        });
        let found = buttons_in(&picture, &|_, _| true, &[24..=260, 12..=80]);
        for left in [190, 540] {
            let button = Rect { left, top: 0, width: 70, height: 70 };
            assert!(found.iter().any(|rect| rect.contains(button.center()) && rect.width < 80), "{left}: {found:?}");
        }
    }

    #[test]
    fn a_raised_button_has_a_frame_and_a_word_has_none() {
        let grey = |light: u8| Rgba([light, light, light, 255]);
        let mut page = RgbaImage::from_pixel(120, 60, grey(210));
        let button = Rect { left: 20, top: 16, width: 44, height: 20 };
        let (right, bottom) = (button.left + button.width - 1, button.top + button.height - 1);
        for x in button.left..=right {
            page.put_pixel(x, button.top, grey(255));
            page.put_pixel(x, bottom, grey(90));
        }
        for y in button.top..=bottom {
            page.put_pixel(button.left, y, grey(255));
            page.put_pixel(right, y, grey(90));
        }
        // Letters: two strokes each, with gaps between them.
        let word = Rect { left: 76, top: 20, width: 32, height: 12 };
        for x in (word.left..word.left + word.width).filter(|x| x % 4 < 2) {
            (word.top..word.top + word.height).for_each(|y| page.put_pixel(x, y, grey(0)));
        }
        assert!(is_framed(&page, button) && !is_framed(&page, word));
        let found_to_squares = Rect { left: 18, top: 14, width: 48, height: 24 };
        assert!(is_framed(&page, found_to_squares));
        assert!(!is_filled(&page, button), "it has the colour of its ground");
    }
}
