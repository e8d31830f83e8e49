//! Several monitors in one picture: the only place where the mouse's units (points on macOS, pixels elsewhere) become pixels.

use crate::desktop::{DesktopError, ScreenRect, everything};
use crate::screenshot::Screenshot;
use image::RgbaImage;
use image::imageops::{self, FilterType};

/// Where the monitors are, and how fine a picture of all of them is.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// Each monitor, in the mouse's units.
    pub places: Vec<ScreenRect>,
    /// Pixels per unit of the mouse on the finest monitor; pictures of the others are enlarged to it.
    pub scale: f64,
}

impl Layout {
    /// One picture of a part of the screen, or of all of it. `capture` gives that part of a monitor (by its number), in its own pixels.
    ///
    /// # Errors
    /// The part is on no monitor, or those of `capture`.
    pub fn picture(
        &self,
        part: Option<ScreenRect>,
        mut capture: impl FnMut(usize, ScreenRect) -> Result<RgbaImage, DesktopError>,
    ) -> Result<Screenshot, DesktopError> {
        let everything = everything(&self.places);
        let wanted = part.map_or(Some(everything), |part| part.overlap(everything));
        let wanted = wanted.ok_or_else(|| DesktopError::Capture("that part lies outside of every monitor".into()))?;
        let pixels = |length: u32| (f64::from(length) * self.scale).round() as u32;
        let mut canvas = RgbaImage::new(pixels(wanted.width), pixels(wanted.height));
        for (number, place) in self.places.iter().enumerate() {
            let Some(shared) = place.overlap(wanted) else { continue };
            let mut picture = capture(number, shared)?;
            let (width, height) = (pixels(shared.width), pixels(shared.height));
            if (picture.width(), picture.height()) != (width, height) {
                picture = imageops::resize(&picture, width, height, FilterType::Nearest);
            }
            if shared == wanted {
                canvas = picture;
                break;
            }
            let (right, down) = (shared.corner.x - wanted.corner.x, shared.corner.y - wanted.corner.y);
            let at = |distance: i32| (f64::from(distance) * self.scale).round() as i64;
            imageops::replace(&mut canvas, &picture, at(right), at(down));
        }
        Ok(Screenshot { pixels: canvas, origin: wanted.corner, scale: self.scale })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Pixel, ScreenPoint};
    use image::Rgba;

    fn place(x: i32, y: i32, width: u32, height: u32) -> ScreenRect {
        ScreenRect { corner: ScreenPoint { x, y }, width, height }
    }

    /// A monitor whose every pixel tells where it is, in the mouse's units, and how many of its pixels lie in one.
    fn captured(scale: f64, part: ScreenRect) -> RgbaImage {
        let pixels = |length: u32| (f64::from(length) * scale).round() as u32;
        RgbaImage::from_fn(pixels(part.width), pixels(part.height), |x, y| {
            let unit = |from: i32, pixel: u32| (from + (f64::from(pixel) / scale).floor() as i32) as u8;
            Rgba([unit(part.corner.x, x), unit(part.corner.y, y), scale as u8, 255])
        })
    }

    /// What is shown at a point of the mouse must be what is at that point.
    fn check(layout: &Layout, scales: &[f64], part: Option<ScreenRect>, points: &[(i32, i32)]) {
        let shot = layout.picture(part, |number, part| Ok(captured(scales[number], part))).unwrap();
        for &(x, y) in points {
            let Pixel { x: across, y: down } = shot.to_pixel(ScreenPoint { x, y });
            let shown = shot.pixels.get_pixel(across as u32, down as u32).0;
            assert_eq!((shown[0], shown[1]), (x as u8, y as u8), "{x},{y} of {part:?}");
            let back = shot.to_screen(Pixel { x: across + 0.5, y: down + 0.5 });
            assert_eq!(back, ScreenPoint { x, y });
        }
    }

    #[test]
    fn points_are_pixels_where_the_scale_is_one() {
        let layout = Layout { places: vec![place(0, 0, 64, 40)], scale: 1.0 };
        check(&layout, &[1.0], None, &[(0, 0), (63, 39), (20, 7)]);
        check(&layout, &[1.0], Some(place(10, 5, 12, 9)), &[(10, 5), (21, 13)]);
    }

    #[test]
    fn a_fine_monitor_beside_and_above_a_coarse_one() {
        // A display of two pixels a point, and one of one pixel a point to the left of it and higher up.
        let layout = Layout { places: vec![place(0, 0, 64, 40), place(-50, -20, 50, 30)], scale: 2.0 };
        let scales = [2.0, 1.0];
        assert_eq!(everything(&layout.places), place(-50, -20, 114, 60));
        check(&layout, &scales, None, &[(0, 0), (63, 39), (-50, -20), (-1, 9), (31, 17)]);
        check(&layout, &scales, Some(place(-10, -5, 30, 20)), &[(-10, -5), (-1, 9), (0, 0), (19, 14)]);
        check(&layout, &scales, Some(place(-40, -10, 7, 7)), &[(-40, -10), (-34, -4)]);
    }

    #[test]
    fn a_monitor_of_one_and_a_half_pixels_a_point() {
        let layout = Layout { places: vec![place(0, 0, 60, 40)], scale: 1.5 };
        let shot = layout.picture(None, |_, part| Ok(captured(1.5, part))).unwrap();
        assert_eq!(shot.pixels.dimensions(), (90, 60));
        for (x, y) in [(0, 0), (2, 4), (58, 38)] {
            let pixel = shot.to_pixel(ScreenPoint { x, y });
            assert_eq!(shot.to_screen(Pixel { x: pixel.x + 0.5, y: pixel.y + 0.5 }), ScreenPoint { x, y });
        }
    }

    #[test]
    fn a_part_beside_every_monitor_is_none() {
        let layout = Layout { places: vec![place(0, 0, 64, 40)], scale: 2.0 };
        let beside = layout.picture(Some(place(64, 0, 10, 10)), |_, part| Ok(captured(2.0, part)));
        assert!(matches!(beside, Err(DesktopError::Capture(_))));
    }
}
