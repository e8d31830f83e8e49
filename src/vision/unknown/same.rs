//! Whether a picture shows the same at two places ([`Same`]): what a board repeats is the same a tile further on, whatever it is. A tile
//! need not be a whole number of pixels wide, so the picture is slightly smeared, and what lies between its pixels is interpolated.

use crate::vision::grid::Way;
use image::RgbaImage;

/// Levels of a channel by which the same colour may differ at least.
const SLACK: f32 = 2.0;
/// Share of the contrast around a place by which it may differ, too: an edge between two pixels is not quite the same a little further on.
const BLURRED: f32 = 0.2;
/// Levels of a channel between neighbouring pixels from which on there is something to be seen: chequered tiles differ by 8.
const SEEN: u8 = 6;

/// A picture, ready to be compared with itself.
pub struct Same {
    width: i32,
    height: i32,
    /// Smeared over the pixels beside each.
    smeared: Vec<[u8; 4]>,
    /// How much every channel changes around a pixel.
    contrast: Vec<[u8; 4]>,
    /// The most that any channel does so across, and down.
    changes: Vec<[u8; 2]>,
}

impl Same {
    /// Of a picture.
    pub fn new(picture: &RgbaImage) -> Self {
        let (width, height) = picture.dimensions();
        let pixels = picture.as_raw().as_chunks::<4>().0;
        let by_channel = |a: &[u8; 4], b: &[u8; 4], c: &[u8; 4], of: fn(u8, u8, u8) -> u8| {
            std::array::from_fn(|channel| of(a[channel], b[channel], c[channel]))
        };
        let around = |of: fn(u8, u8, u8) -> u8| {
            let size = (width as usize, height as usize);
            let across = beside(pixels, size, 1, |a, b, c| by_channel(a, b, c, of));
            beside(&across, size, size.0, |a, b, c| by_channel(a, b, c, of))
        };
        let (least, most) = (around(|a, b, c| a.min(b).min(c)), around(|a, b, c| a.max(b).max(c)));
        let size = (width as usize, height as usize);
        let change = |a: &[u8; 4], b: &[u8; 4], c: &[u8; 4]| {
            let range = |channel: usize| {
                let three = [a[channel], b[channel], c[channel]];
                three.iter().max().unwrap_or(&0) - three.iter().min().unwrap_or(&0)
            };
            [range(0).max(range(1)).max(range(2)); 4]
        };
        let (across, down) = (beside(pixels, size, 1, change), beside(pixels, size, size.0, change));
        let changes = across.iter().zip(&down).map(|(across, down)| [across[0], down[0]]).collect();
        let smeared = around(|a, b, c| ((u16::from(a) + 2 * u16::from(b) + u16::from(c) + 2) / 4) as u8);
        let contrast = least.iter().zip(&most).map(|(least, most)| std::array::from_fn(|c| most[c] - least[c]));
        Self { width: width as i32, height: height as i32, contrast: contrast.collect(), smeared, changes }
    }

    /// How long the picture is along a way, in pixels.
    pub fn length(&self, way: Way) -> i32 {
        if way == Way::Columns { self.width } else { self.height }
    }

    fn index(&self, (x, y): (i32, i32)) -> Option<usize> {
        ((0..self.width).contains(&x) && (0..self.height).contains(&y)).then_some((y * self.width + x) as usize)
    }

    /// Whether the picture shows the same at a place and so many pixels further on; not outside of it.
    pub fn is_same(&self, (x, y): (i32, i32), by: (f64, f64)) -> bool {
        let (right, down) = (by.0.floor(), by.1.floor());
        let (u, v) = ((by.0 - right) as f32, (by.1 - down) as f32);
        let (left, top) = (x + right as i32, y + down as i32);
        let near = (left + i32::from(u >= 0.5), top + i32::from(v >= 0.5));
        let (Some(own), Some(near)) = (self.index((x, y)), self.index(near)) else { return false };
        let corner = |dx: i32, dy: i32| {
            let place = ((left + dx).clamp(0, self.width - 1), (top + dy).clamp(0, self.height - 1));
            &self.smeared[(place.1 * self.width + place.0) as usize]
        };
        let corners = [corner(0, 0), corner(1, 0), corner(0, 1), corner(1, 1)];
        (0..3).all(|channel| {
            let [a, b, c, d] = corners.map(|pixel| f32::from(pixel[channel]));
            let (upper, lower) = (a + (b - a) * u, c + (d - c) * u);
            let contrast = self.contrast[own][channel].max(self.contrast[near][channel]);
            let apart = f32::from(self.smeared[own][channel]) - (upper + (lower - upper) * v);
            apart.abs() <= SLACK + BLURRED * f32::from(contrast)
        })
    }

    /// Whether something changes at a place along a way.
    pub fn is_seen(&self, place: (i32, i32), way: Way) -> bool {
        self.index(place).is_some_and(|index| self.changes[index][usize::from(way == Way::Lines)] >= SEEN)
    }
}

/// Every pixel made of itself and of those so far before and after it (at the border of itself).
fn beside(
    pixels: &[[u8; 4]],
    (width, height): (usize, usize),
    by: usize,
    make: impl Fn(&[u8; 4], &[u8; 4], &[u8; 4]) -> [u8; 4],
) -> Vec<[u8; 4]> {
    let mut all = Vec::with_capacity(pixels.len());
    for y in 0..height {
        for x in 0..width {
            let index = y * width + x;
            let (first, last) = if by == 1 { (x == 0, x + 1 == width) } else { (y == 0, y + 1 == height) };
            let before = if first { index } else { index - by };
            let after = if last { index } else { index + by };
            all.push(make(&pixels[before], &pixels[index], &pixels[after]));
        }
    }
    all
}
