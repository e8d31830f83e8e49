//! Pictures of which only what changed is kept: the last picture of every part of the screen, and how the next one
//! differs from it.

use crate::geometry::ScreenPoint;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{DynamicImage, ExtendedColorType, ImageEncoder, RgbaImage};

/// The last picture of every part of the screen that was looked at.
#[derive(Clone, Debug, Default)]
pub struct Pictures {
    last: Vec<(ScreenPoint, RgbaImage)>,
}

/// How a picture differs from the one before.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Where its corner belongs.
    pub at: [u32; 2],
    /// The box around all that changed. Pixels that did not are transparent, so pictures themselves must be opaque.
    pub pixels: RgbaImage,
}

impl Pictures {
    /// The last picture with this corner and size.
    pub fn last(&self, origin: ScreenPoint, size: [u32; 2]) -> Option<&RgbaImage> {
        self.last
            .iter()
            .find(|(at, picture)| *at == origin && [picture.width(), picture.height()] == size)
            .map(|(_, p)| p)
    }

    /// Takes the next picture, and tells what changed: all of it if this part was never looked at, nothing if it looks
    /// the same.
    pub fn next(&mut self, origin: ScreenPoint, picture: &RgbaImage) -> Option<Change> {
        let size = [picture.width(), picture.height()];
        match self.last_mut(origin, size) {
            Some(last) => {
                let change = difference(last, [0, 0], picture)?;
                last.copy_from_slice(picture);
                Some(change)
            }
            None => {
                self.last.push((origin, picture.clone()));
                Some(Change { at: [0, 0], pixels: picture.clone() })
            }
        }
    }

    /// Makes the next picture from what changed, the reverse of [`Pictures::next`].
    ///
    /// # Errors
    /// The change does not fit into a picture of this size, or there is nothing it could be a change of.
    pub fn apply(
        &mut self,
        origin: ScreenPoint,
        size: [u32; 2],
        change: Option<&Change>,
    ) -> Result<&RgbaImage, String> {
        if let Some(Change { at, pixels }) = change
            && (0..2).any(|side| {
                at[side].checked_add([pixels.width(), pixels.height()][side]).is_none_or(|end| end > size[side])
            })
        {
            let [width, height] = size;
            return Err(format!("it does not fit into a picture of {width}x{height}"));
        }
        if self.last_mut(origin, size).is_none() {
            match change {
                Some(Change { pixels, .. }) if [pixels.width(), pixels.height()] == size => {
                    self.last.push((origin, RgbaImage::new(size[0], size[1])));
                }
                _ => return Err("there is no earlier picture that it could be a change of".to_owned()),
            }
        }
        let picture = self.last_mut(origin, size).expect("was added if it was missing");
        if let Some(Change { at, pixels }) = change {
            for (x, y, &pixel) in pixels.enumerate_pixels().filter(|(.., pixel)| pixel[3] != 0) {
                picture.put_pixel(at[0] + x, at[1] + y, pixel);
            }
        }
        Ok(picture)
    }

    fn last_mut(&mut self, origin: ScreenPoint, size: [u32; 2]) -> Option<&mut RgbaImage> {
        let found = |(at, picture): &&mut (ScreenPoint, RgbaImage)| {
            *at == origin && [picture.width(), picture.height()] == size
        };
        self.last.iter_mut().find(found).map(|(_, picture)| picture)
    }
}

/// How `new` differs from what `old` shows from `[left, top]` on, as far as it lies inside of it.
pub fn difference(old: &RgbaImage, [left, top]: [u32; 2], new: &RgbaImage) -> Option<Change> {
    let width = old.width().saturating_sub(left).min(new.width()) as usize;
    let height = old.height().saturating_sub(top).min(new.height()) as usize;
    if width == 0 {
        return None;
    }
    let old = |y: usize| &row(old, top as usize + y)[4 * left as usize..][..4 * width];
    let new = |y: usize| &row(new, y)[..4 * width];
    let first = (0..height).find(|&y| old(y) != new(y))?;
    let last = (first..height).rfind(|&y| old(y) != new(y))?;
    let (mut from, mut to) = (width, 0);
    for y in first..=last {
        let mut differ = old(y).chunks_exact(4).zip(new(y).chunks_exact(4)).map(|(old, new)| old != new);
        if let Some(x) = differ.position(|differs| differs) {
            from = from.min(x);
            to = (x + differ.rposition(|differs| differs).map_or(1, |more| more + 2)).max(to);
        }
    }
    let mut pixels = Vec::with_capacity(4 * (to - from) * (last - first + 1));
    for y in first..=last {
        let both = old(y).chunks_exact(4).zip(new(y).chunks_exact(4));
        let kept = both.take(to).skip(from).map(|(old, new)| if old == new { &[0; 4] } else { new });
        pixels.extend(kept.flatten());
    }
    let pixels = RgbaImage::from_raw((to - from) as u32, (last - first + 1) as u32, pixels);
    Some(Change { at: [from as u32, first as u32], pixels: pixels.expect("every pixel was written") })
}

/// One row of a picture.
fn row(picture: &RgbaImage, y: usize) -> &[u8] {
    let bytes = 4 * picture.width() as usize;
    &picture.as_raw()[y * bytes..][..bytes]
}

/// A fingerprint of a picture: FNV-1a (Fowler, Noll, Vo), eight bytes at a time because screens are large.
pub fn print(picture: &RgbaImage) -> String {
    let (offset, prime) = (0xcbf2_9ce4_8422_2325_u64, 0x0000_0100_0000_01b3_u64);
    let mut words = picture.as_raw().chunks_exact(8);
    let mut hash = offset;
    // Rotating brings the high bits, where a multiplication leaves its mark, back to where the next one starts.
    let mut mix = |word: u64| hash = (hash ^ word).wrapping_mul(prime).rotate_left(29);
    words.by_ref().for_each(|word| mix(u64::from_le_bytes(word.try_into().expect("eight bytes"))));
    words.remainder().iter().for_each(|&byte| mix(u64::from(byte)));
    mix(u64::from(picture.width()));
    format!("{hash:016x}")
}

/// A change as PNG, opaque if it is.
pub fn encode(change: &Change) -> Vec<u8> {
    if change.pixels.pixels().any(|pixel| pixel[3] == 0) {
        encode_as(change.pixels.as_raw(), change.pixels.dimensions(), ExtendedColorType::Rgba8)
    } else {
        encode_opaque(&change.pixels)
    }
}

/// A picture as PNG, without transparency.
pub fn encode_opaque(picture: &RgbaImage) -> Vec<u8> {
    let pixels = DynamicImage::ImageRgba8(picture.clone()).into_rgb8();
    encode_as(pixels.as_raw(), pixels.dimensions(), ExtendedColorType::Rgb8)
}

fn encode_as(pixels: &[u8], (width, height): (u32, u32), colours: ExtendedColorType) -> Vec<u8> {
    let mut png = Vec::new();
    // Flat surfaces become runs of zeros when each line is taken as its difference from the one above.
    PngEncoder::new_with_quality(&mut png, CompressionType::Fast, FilterType::Up)
        .write_image(pixels, width, height, colours)
        .expect("writing to memory cannot fail, and the pixels fill the picture");
    png
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgba;

    fn picture(width: u32, height: u32, paint: impl Fn(u32, u32) -> [u8; 3]) -> RgbaImage {
        RgbaImage::from_fn(width, height, |x, y| {
            let [r, g, b] = paint(x, y);
            Rgba([r, g, b, 255])
        })
    }

    #[test]
    fn changes_make_the_same_pictures_again() {
        let (here, there) = (ScreenPoint { x: 0, y: 0 }, ScreenPoint { x: -7, y: 3 });
        let plain = picture(40, 30, |x, y| [x as u8, y as u8, 0]);
        let dotted =
            picture(40, 30, |x, y| if (x, y) == (3, 5) || (x, y) == (17, 21) { [0; 3] } else { [x as u8, y as u8, 0] });
        let small = picture(8, 8, |_, _| [9; 3]);
        let shown = [(here, &plain), (here, &plain), (there, &small), (here, &dotted), (there, &small), (here, &plain)];
        let (mut writing, mut reading) = (Pictures::default(), Pictures::default());
        let mut kept = Vec::new();
        for (origin, picture) in shown {
            let change = writing.next(origin, picture);
            kept.push(change.as_ref().map_or(0, |change| change.pixels.width() * change.pixels.height()));
            let again = reading.apply(origin, [picture.width(), picture.height()], change.as_ref()).unwrap();
            assert_eq!(again, picture);
        }
        assert_eq!(kept, [1200, 0, 64, 15 * 17, 0, 15 * 17]);
    }

    #[test]
    fn a_part_is_compared_as_far_as_it_lies_inside() {
        let old = picture(20, 10, |x, y| [x as u8, y as u8, 0]);
        let part = |left: u32, top: u32| picture(6, 6, move |x, y| [(left + x) as u8, (top + y) as u8, 0]);
        for [left, top] in [[3, 2], [17, 8], [20, 3], [3, 10], [99, 99]] {
            let mut part = part(left, top);
            assert_eq!(difference(&old, [left, top], &part), None, "{left} {top}");
            part.put_pixel(1, 1, Rgba([9; 4]));
            part.put_pixel(2, 1, Rgba([9; 4]));
            let change = difference(&old, [left, top], &part).map(|change| (change.at, change.pixels.dimensions()));
            assert_eq!(change, (left < 19 && top < 9).then_some(([1, 1], (if left < 18 { 2 } else { 1 }, 1))));
        }
    }

    #[test]
    fn changes_that_do_not_fit_are_refused() {
        let origin = ScreenPoint { x: 0, y: 0 };
        let change = |x, y, side| Change { at: [x, y], pixels: picture(side, side, |_, _| [1; 3]) };
        let mut pictures = Pictures::default();
        assert!(pictures.apply(origin, [4, 4], None).is_err());
        assert!(pictures.apply(origin, [4, 4], Some(&change(0, 0, 2))).is_err());
        assert!(pictures.apply(origin, [4, 4], Some(&change(0, 0, 4))).is_ok());
        assert!(pictures.apply(origin, [4, 4], Some(&change(3, 0, 2))).is_err());
        assert!(pictures.apply(origin, [4, 4], Some(&change(u32::MAX, 0, 2))).is_err());
    }

    #[test]
    fn every_pixel_and_the_shape_leave_their_print() {
        let plain = picture(6, 4, |_, _| [7; 3]);
        let mut prints = vec![print(&plain), print(&picture(4, 6, |_, _| [7; 3]))];
        for index in 0..24 {
            prints.push(print(&picture(6, 4, |x, y| if y * 6 + x == index { [7, 7, 8] } else { [7; 3] })));
        }
        let different: std::collections::BTreeSet<_> = prints.iter().collect();
        assert_eq!(different.len(), prints.len());
    }
}
