//! Fields of a page that numbers are typed into, or a level is chosen in: what is in them is lost where the page is loaded again.

use super::controls::{buttons_in, commonest, differ, is_filled, is_framed};
use crate::geometry::Rect;
use crate::screenshot::cut;
use image::RgbaImage;
use std::ops::RangeInclusive;

/// How wide and high a field is, in pixels.
const FIELD: [RangeInclusive<u32>; 2] = [28..=260, 14..=48];
/// Pixels along the sides of a box in which its frame is: boxes are found to whole squares of 4 pixels, and a frame is 1 or 2 wide.
const FRAME: u32 = 6;
/// Grey levels by which what is written differs from the ground it stands on, at least.
const INK: u8 = 60;
/// By how many times its room at the left what is written in a field has more at its right: on a button both are the same, or nearly.
const ASIDE: u32 = 3;

/// The fields in a part of a picture.
pub fn fields(picture: &RgbaImage, is_in: &dyn Fn(u32, u32) -> bool) -> Vec<Rect> {
    let mut found = buttons_in(picture, is_in, &FIELD);
    found.retain(|rect| is_field(picture, *rect));
    found
}

/// Whether what may be a button is a field: a box in which something stands at the left.
pub fn is_field(picture: &RgbaImage, rect: Rect) -> bool {
    let is_box = rect.width > rect.height && (is_framed(picture, rect) || is_filled(picture, rect));
    is_box && is_written_aside(picture, rect)
}

/// Whether what is written in a box stands at its left, with the rest of it free.
fn is_written_aside(picture: &RgbaImage, rect: Rect) -> bool {
    let Some((width, height)) = rect.width.checked_sub(2 * FRAME).zip(rect.height.checked_sub(2 * FRAME)) else {
        return false;
    };
    let inner = Rect { left: rect.left + FRAME, top: rect.top + FRAME, width, height };
    let Some(inside) = cut(picture, inner).filter(|inside| inside.width() > 0 && inside.height() > 0) else {
        return false;
    };
    let Some(ground) = commonest(inside.pixels().map(|pixel| pixel.0)).first().copied() else { return false };
    let ink = inside.enumerate_pixels().filter(|(_, _, pixel)| differ(pixel.0, ground, INK)).map(|(x, _, _)| x);
    let ends = ink.fold(None, |ends: Option<(u32, u32)>, x| {
        Some(ends.map_or((x, x), |(first, last)| (first.min(x), last.max(x))))
    });
    ends.is_some_and(|(first, last)| width - 1 - last > ASIDE * (first + FRAME))
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgba;

    #[test]
    fn what_is_written_at_the_left_of_a_box_is_in_a_field_and_in_the_middle_on_a_button() {
        // A frame with two strokes of ink in it, so far from its left.
        let drawn = |at: u32| {
            RgbaImage::from_fn(140, 60, |x, y| {
                let is_frame = (20..=80).contains(&x)
                    && (20..=42).contains(&y)
                    && ([20, 80].contains(&x) || [20, 42].contains(&y));
                let is_ink = (27..36).contains(&y) && [at, at + 1, at + 5, at + 6].contains(&x);
                let light = if is_frame || is_ink { 40 } else { 240 };
                Rgba([light, light, light, 255])
            })
        };
        let all = |_: u32, _: u32| true;
        assert_eq!(fields(&drawn(27), &all).len(), 1);
        assert_eq!(fields(&drawn(47), &all), []);
        // Nothing is written there.
        assert_eq!(fields(&drawn(100), &all), []);
    }
}
