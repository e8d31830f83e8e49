//! What was on the screen: pixels, and where on the screen they were.

use crate::geometry::{Pixel, Rect, ScreenPoint, ScreenRect};
use image::RgbaImage;

/// Pixels with their place on the screen.
#[derive(Clone, Debug)]
pub struct Screenshot {
    /// The picture, in physical pixels.
    pub pixels: RgbaImage,
    /// Where the mouse would point at the picture's top left corner.
    pub origin: ScreenPoint,
    /// Pixels per unit of the mouse: 1 on most screens, 2 on a macOS Retina display.
    pub scale: f64,
}

impl Screenshot {
    /// A picture from a file: its corner is the corner of the screen, its pixels are the mouse's units.
    pub fn from_picture(pixels: RgbaImage) -> Self {
        Self { pixels, origin: ScreenPoint { x: 0, y: 0 }, scale: 1.0 }
    }

    /// Where the mouse has to go to point at `pixel`.
    pub fn to_screen(&self, pixel: Pixel) -> ScreenPoint {
        ScreenPoint {
            x: self.origin.x.saturating_add((pixel.x / self.scale).floor() as i32),
            y: self.origin.y.saturating_add((pixel.y / self.scale).floor() as i32),
        }
    }

    /// Where in the picture the mouse's `point` is; may lie outside of it.
    pub fn to_pixel(&self, point: ScreenPoint) -> Pixel {
        Pixel {
            x: (f64::from(point.x) - f64::from(self.origin.x)) * self.scale,
            y: (f64::from(point.y) - f64::from(self.origin.y)) * self.scale,
        }
    }

    /// A part of this picture, in the mouse's units, as far as it lies inside; all of it if no part is asked for.
    /// Nothing where it lies outside.
    pub fn part(&self, part: Option<ScreenRect>) -> Option<Screenshot> {
        let Screenshot { pixels, origin, scale } = self;
        let unit = |pixels: u32| (f64::from(pixels) / scale).floor() as u32;
        let whole = ScreenRect { corner: *origin, width: unit(pixels.width()), height: unit(pixels.height()) };
        let Some(part) = part else { return Some(self.clone()) };
        let part = part.overlap(whole)?;
        let Pixel { x, y } = self.to_pixel(part.corner);
        let length = |units: u32| (f64::from(units) * scale).round() as u32;
        let rect = Rect { left: x as u32, top: y as u32, width: length(part.width), height: length(part.height) };
        Some(Screenshot { pixels: cut(pixels, rect)?, origin: part.corner, scale: *scale })
    }

    /// Whether a part of this picture shows the same pixels as a part of another one, as far as they lie inside.
    pub fn shows_the_same(&self, at: Rect, other: &Screenshot, there: Rect) -> bool {
        (at.width, at.height) == (there.width, there.height) && self.lines(at).eq(other.lines(there))
    }

    /// The pixels of a part of this picture line by line, as far as they lie inside.
    pub fn lines(&self, part: Rect) -> impl Iterator<Item = Option<&[u8]>> {
        lines(&self.pixels, part)
    }
}

/// The pixels of a part of a picture line by line, as far as they lie inside.
pub fn lines(picture: &RgbaImage, part: Rect) -> impl Iterator<Item = Option<&[u8]>> {
    let width = picture.width();
    let length = part.width.min(width.saturating_sub(part.left)) as usize * 4;
    (part.top..part.top + part.height).map(move |line| {
        let start = (line as usize * width as usize + part.left.min(width) as usize) * 4;
        picture.as_raw().get(start..start + length)
    })
}

/// A rectangle of a picture, as far as it lies inside. Line by line, for this is done at every look.
pub fn cut(pixels: &RgbaImage, rect: Rect) -> Option<RgbaImage> {
    let (width, height) = (
        rect.width.min(pixels.width().saturating_sub(rect.left)),
        rect.height.min(pixels.height().saturating_sub(rect.top)),
    );
    let left = rect.left.min(pixels.width());
    let mut lines = Vec::with_capacity(width as usize * height as usize * 4);
    for line in rect.top..rect.top + height {
        let start = (line as usize * pixels.width() as usize + left as usize) * 4;
        lines.extend_from_slice(&pixels.as_raw()[start..start + width as usize * 4]);
    }
    RgbaImage::from_raw(width, height, lines)
}
