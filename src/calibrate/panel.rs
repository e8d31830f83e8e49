//! What a client draws over a part of its own board at the end of a game, with what is written there: its buttons may touch each other.

use super::controls::{BUTTON, LETTER, differ, lettering, things, words};
use crate::geometry::{Rect, ScreenPoint};
use image::RgbaImage;

/// Grey levels by which a pixel is no more what it was before.
const CAME: u8 = 16;

/// Such a box.
#[derive(Clone, Debug)]
pub struct Panel {
    /// Two corners of it, on the screen.
    pub corners: [ScreenPoint; 2],
    /// Two corners of all that came with it, and of each of the words there.
    pub came: Vec<[ScreenPoint; 2]>,
    pub words: Vec<[ScreenPoint; 2]>,
}

impl Panel {
    /// Whether a point on the screen lies in it.
    pub fn contains(&self, at: ScreenPoint) -> bool {
        let [first, last] = self.corners;
        (first.x..last.x).contains(&at.x) && (first.y..last.y).contains(&at.y)
    }
}

/// The boxes around what came in a part of a picture (pixels) since another one of the same size, if it is, and the words there.
pub fn what_came(before: &RgbaImage, now: &RgbaImage, part: Rect) -> [Vec<Rect>; 2] {
    if before.dimensions() != now.dimensions() {
        return Default::default();
    }
    let (right, bottom) = (part.left + part.width, part.top + part.height);
    let within = |x: u32, y: u32| (part.left..right).contains(&x) && (part.top..bottom).contains(&y);
    let pairs = before.enumerate_pixels().zip(now.pixels());
    let came = pairs.filter(|((x, y, then), now)| within(*x, *y) && differ(then.0, now.0, CAME));
    let boxes: Vec<Rect> = things(now.dimensions(), came.map(|((x, y, _), _)| (x, y))).collect();
    let written = boxes.iter().flat_map(|rect| {
        let across = rect.left..(rect.left + rect.width).min(right);
        words(lettering(now, &across, rect.top..(rect.top + rect.height).min(bottom), &LETTER))
    });
    let words = written.filter(|word| BUTTON[0].contains(&word.width)).collect();
    [boxes, words]
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgba;

    #[test]
    fn two_buttons_that_touch_are_two_words_also_over_tiles() {
        // Tiles with dark lines; then a pale box over two of them, with a line between its two buttons and letters on both.
        let tiles = |x: u32, y: u32| if x.is_multiple_of(47) || y.is_multiple_of(47) { 60 } else { 130 };
        let before = RgbaImage::from_fn(240, 120, |x, y| Rgba([tiles(x, y), tiles(x, y), tiles(x, y), 255]));
        let now = RgbaImage::from_fn(240, 120, |x, y| {
            let is_box = (40..180).contains(&x) && (60..86).contains(&y);
            let is_letter = (68..80).contains(&y) && x % 7 < 4 && [50..110, 136..164].iter().any(|on| on.contains(&x));
            let light = match () {
                () if is_box && is_letter => 70,
                () if is_box && x == 123 => 180,
                () if is_box => 236,
                () => tiles(x, y),
            };
            Rgba([light, light, light, 255])
        });
        let part = Rect { left: 0, top: 47, width: 188, height: 47 };
        let [boxes, words] = what_came(&before, &now, part);
        assert_eq!(boxes, [Rect { left: 40, top: 60, width: 140, height: 28 }], "to whole squares");
        let middles: Vec<u32> = words.iter().map(|word| word.left + word.width / 2).collect();
        assert_eq!(middles.len(), 2, "{middles:?}");
        assert!(middles[0].abs_diff(80) <= 4 && middles[1].abs_diff(150) <= 4, "{middles:?}");
        assert_eq!(what_came(&now, &now, part), [vec![], vec![]], "nothing came");
    }
}
