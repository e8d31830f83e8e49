//! What was on the screen: pixels, and where on the screen they were.

use crate::geometry::{Pixel, ScreenPoint};
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
            x: self.origin.x + (pixel.x / self.scale).floor() as i32,
            y: self.origin.y + (pixel.y / self.scale).floor() as i32,
        }
    }

    /// Where in the picture the mouse's `point` is; may lie outside of it.
    pub fn to_pixel(&self, point: ScreenPoint) -> Pixel {
        Pixel { x: f64::from(point.x - self.origin.x) * self.scale, y: f64::from(point.y - self.origin.y) * self.scale }
    }
}
