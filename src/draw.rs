//! Pictures for people: tints, frames and words, drawn by imageproc with one bundled font. All that is drawn into pictures
//! (what was read of them, what a tile was compared with, films of games) is drawn with these few functions.

use crate::geometry::Rect;
use ab_glyph::FontRef;
use image::{Rgba, RgbaImage};
use imageproc::drawing::{Blend, draw_filled_rect_mut, draw_text_mut, text_size};
use imageproc::rect::Rect as Area;
use std::sync::LazyLock;

/// Red, green, blue.
pub type Colour = [u8; 3];

/// Words on a dark ground: they can be read on any picture.
pub const INK: Colour = [255, 255, 255];
/// The ground for them.
pub const PAPER: Colour = [20, 20, 30];

static FONT: LazyLock<FontRef<'static>> = LazyLock::new(|| {
    FontRef::try_from_slice(include_bytes!("../assets/dejavu/DejaVuSansCondensed-Bold.ttf"))
        .expect("the bundled font is a font")
});

/// The smallest height, in pixels, at which the font's digits can be told apart.
pub const SMALLEST: f32 = 9.0;

/// Lays a colour over a part of a picture, as far as it is inside; it makes up `share` (0..1) of what shows then.
pub fn tint(picture: &mut RgbaImage, part: Rect, colour: Colour, share: f64) {
    let Rect { left, top, width, height } = part;
    if width == 0 || height == 0 || left >= picture.width() || top >= picture.height() {
        return;
    }
    let [r, g, b] = colour;
    let alpha = (255.0 * share.clamp(0.0, 1.0)).round() as u8;
    let area = Area::at(left as i32, top as i32).of_size(width, height);
    // Only a canvas that owns its picture blends: it is lent to it, not copied.
    let mut canvas = Blend(std::mem::take(picture));
    draw_filled_rect_mut(&mut canvas, area, Rgba([r, g, b, alpha]));
    *picture = canvas.0;
}

/// A frame of `thick` pixels inside the edges of a part of a picture.
pub fn frame(picture: &mut RgbaImage, part: Rect, colour: Colour, thick: u32) {
    let Rect { left, top, width, height } = part;
    let (across, down) = (thick.min(width), thick.min(height));
    for side in [
        Rect { height: down, ..part },
        Rect { top: top + height - down, height: down, ..part },
        Rect { width: across, ..part },
        Rect { left: left + width - across, width: across, ..part },
    ] {
        tint(picture, side, colour, 1.0);
    }
}

/// Width and height of a line of text whose letters are `height` pixels high, in pixels.
pub fn text_room(text: &str, height: f32) -> (u32, u32) {
    text_size(height, &*FONT, text)
}

/// Writes a line of text whose top left corner is `x`, `y`; what is outside of the picture is left out.
pub fn write(picture: &mut RgbaImage, (x, y): (i32, i32), text: &str, height: f32, ink: Colour) {
    let [r, g, b] = ink;
    draw_text_mut(picture, Rgba([r, g, b, u8::MAX]), x, y, height, &*FONT, text);
}

/// Writes a line of text on a ground of its own; tells how wide that is.
pub fn label(picture: &mut RgbaImage, (x, y): (u32, u32), text: &str, height: f32, ink: Colour, paper: Colour) -> u32 {
    let (width, tall) = text_room(text, height);
    let room = (height / 5.0).round() as u32;
    tint(picture, Rect { left: x, top: y, width: width + 2 * room, height: tall }, paper, 0.82);
    write(picture, ((x + room) as i32, y as i32), text, height, ink);
    width + 2 * room
}

/// Writes a word into the middle of a part of a picture, as large as fits but no larger than `height`; not at all where it
/// could not be read.
pub fn write_within(picture: &mut RgbaImage, part: Rect, text: &str, height: f32, ink: Colour) {
    let (width, tall) = text_room(text, height);
    let fits = (part.width as f32 / width.max(1) as f32).min(part.height as f32 / tall.max(1) as f32).min(1.0);
    let height = height * fits;
    if height < SMALLEST {
        return;
    }
    let (width, tall) = text_room(text, height);
    let middle = |from: u32, room: u32, length: u32| from as i32 + (room as i32 - length as i32) / 2;
    let place = (middle(part.left, part.width, width), middle(part.top, part.height, tall));
    write(picture, place, text, height, ink);
}

/// The words of a text in lines that fit into `width` pixels; a word that does not fit has a line of its own.
pub fn wrapped(text: &str, height: f32, width: u32) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if text_room(&format!("{line} {word}"), height).0 <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain() -> RgbaImage {
        RgbaImage::from_pixel(60, 40, Rgba([200, 200, 200, 255]))
    }

    #[test]
    fn nothing_is_drawn_outside_of_a_part_or_of_the_picture() {
        let part = Rect { left: 10, top: 5, width: 30, height: 20 };
        let mut picture = plain();
        tint(&mut picture, part, [0; 3], 0.5);
        frame(&mut picture, part, [255, 0, 0], 2);
        write_within(&mut picture, part, "88", 16.0, [0; 3]);
        let inside = |x, y| (10..40).contains(&x) && (5..25).contains(&y);
        assert!(picture.enumerate_pixels().all(|(x, y, pixel)| inside(x, y) || *pixel == plain()[(x, y)]));
        assert_eq!(picture[(10, 5)].0, [255, 0, 0, 255]);
        assert!(picture[(12, 7)][0].abs_diff(100) <= 1, "half of 200 and half of 0: {:?}", picture[(12, 7)]);
        let far = Rect { left: 50, top: 30, width: 100, height: 100 };
        tint(&mut picture, far, [0; 3], 1.0);
        frame(&mut picture, Rect { left: 90, ..far }, [0; 3], 3);
        write(&mut picture, (-20, 35), "far", 20.0, [0; 3]);
        assert_eq!((picture.dimensions(), picture[(59, 39)].0), ((60, 40), [0, 0, 0, 255]));
    }

    #[test]
    fn every_digit_can_be_told_from_every_other_at_the_smallest_size() {
        let drawn = |digit: usize| {
            let mut picture = plain();
            write(&mut picture, (2, 2), &digit.to_string(), SMALLEST, [0; 3]);
            picture
        };
        for (one, other) in (0..10).flat_map(|one| (0..one).map(move |other| (one, other))) {
            let (one, other) = (drawn(one), drawn(other));
            let apart: u32 = one.pixels().zip(other.pixels()).map(|(a, b)| u32::from(a[0].abs_diff(b[0]))).sum();
            assert!(apart >= 400, "as much as two whole pixels: {apart}");
        }
    }

    #[test]
    fn what_could_not_be_read_is_not_written() {
        let mut picture = plain();
        write_within(&mut picture, Rect { left: 5, top: 5, width: 7, height: 7 }, "100%", 20.0, [0; 3]);
        assert_eq!(picture, plain());
    }

    #[test]
    fn lines_are_no_wider_than_asked() {
        let lines = wrapped("one two three four five six seven", 14.0, 90);
        assert!(lines.len() > 1 && lines.iter().all(|line| text_room(line, 14.0).0 <= 90), "{lines:?}");
        assert_eq!(lines.join(" "), "one two three four five six seven");
    }
}
