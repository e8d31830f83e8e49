//! What a screen, a window system or a file format does to a picture.

use image::codecs::jpeg::JpegEncoder;
use image::imageops::{self, FilterType};
use image::{DynamicImage, Rgba, RgbaImage};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Another size, as an enlarged window or a display scale makes it.
pub fn scaled(picture: &RgbaImage, factor: f64, filter: FilterType) -> RgbaImage {
    let length = |pixels: u32| (f64::from(pixels) * factor).round() as u32;
    imageops::resize(picture, length(picture.width()), length(picture.height()), filter)
}

/// Moved right and down, by parts of a pixel too; what comes in at the border repeats it.
pub fn moved(picture: &RgbaImage, dx: f64, dy: f64) -> RgbaImage {
    let (width, height) = picture.dimensions();
    let at = |x: f64, y: f64, channel: usize| {
        let clamp = |value: f64, limit: u32| value.clamp(0.0, f64::from(limit - 1)) as u32;
        f64::from(picture.get_pixel(clamp(x, width), clamp(y, height))[channel])
    };
    RgbaImage::from_fn(width, height, |x, y| {
        let (x, y) = (f64::from(x) - dx, f64::from(y) - dy);
        let (left, top, right_share, lower_share) = (x.floor(), y.floor(), x - x.floor(), y - y.floor());
        Rgba([0, 1, 2, 3].map(|channel| {
            let row = |y| at(left, y, channel) * (1.0 - right_share) + at(left + 1.0, y, channel) * right_share;
            (row(top) * (1.0 - lower_share) + row(top + 1.0) * lower_share).round() as u8
        }))
    })
}

/// Every channel through a curve over 0..1.
pub fn toned(picture: &RgbaImage, curve: impl Fn(usize, f64) -> f64) -> RgbaImage {
    let tables: Vec<Vec<u8>> = (0..3)
        .map(|channel| {
            let tone = |value: u8| (curve(channel, f64::from(value) / 255.0).clamp(0.0, 1.0) * 255.0).round() as u8;
            (0..=255).map(tone).collect()
        })
        .collect();
    let mut toned = picture.clone();
    for pixel in toned.pixels_mut() {
        for (channel, table) in tables.iter().enumerate() {
            pixel[channel] = table[usize::from(pixel[channel])];
        }
    }
    toned
}

/// Stored as JPEG and opened again.
pub fn jpeg(picture: &RgbaImage, quality: u8) -> RgbaImage {
    let mut bytes = Vec::new();
    let opaque = DynamicImage::from(picture.clone()).into_rgb8();
    JpegEncoder::new_with_quality(&mut bytes, quality).encode_image(&opaque).unwrap();
    image::load_from_memory(&bytes).unwrap().into_rgba8()
}

/// Noise of this standard deviation in every channel of every pixel (four uniform numbers added are near enough to normal).
pub fn noisy(picture: &RgbaImage, deviation: f64, seed: u64) -> RgbaImage {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut noisy = picture.clone();
    for pixel in noisy.pixels_mut() {
        for value in &mut pixel.0[..3] {
            let sum: f64 = (0..4).map(|_| rng.random_range(-1.0..1.0)).sum();
            *value = (f64::from(*value) + sum * deviation * (3.0f64 / 4.0).sqrt()).round().clamp(0.0, 255.0) as u8;
        }
    }
    noisy
}

/// A mouse pointer with its tip at a place: black with a white rim, 12 x 19 pixels times `size`.
pub fn pointed(picture: &RgbaImage, (x, y): (f64, f64), size: f64) -> RgbaImage {
    /// Left and right end of the black part in every line, as X11's `left_ptr` and Windows' arrow have it.
    const ARROW: [(i32, i32); 19] = [
        (0, 0),
        (0, 1),
        (0, 2),
        (0, 3),
        (0, 4),
        (0, 5),
        (0, 6),
        (0, 7),
        (0, 8),
        (0, 9),
        (0, 10),
        (0, 11),
        (0, 6),
        (0, 7),
        (0, 8),
        (5, 8),
        (5, 9),
        (6, 9),
        (7, 8),
    ];
    let inside = |u: i32, v: i32| ARROW.get(v as usize).is_some_and(|&(from, to)| v >= 0 && (from..=to).contains(&u));
    let mut pointed = picture.clone();
    for dy in (-size) as i32..(20.0 * size) as i32 {
        for dx in (-size) as i32..(13.0 * size) as i32 {
            let (u, v) = ((f64::from(dx) / size).floor() as i32, (f64::from(dy) / size).floor() as i32);
            let near = (-1..=1).any(|a| (-1..=1).any(|b| inside(u + a, v + b)));
            let (at_x, at_y) = (x as i32 + dx, y as i32 + dy);
            let on = at_x >= 0 && at_y >= 0 && (at_x as u32) < picture.width() && (at_y as u32) < picture.height();
            if on && near {
                let colour = if inside(u, v) { Rgba([0, 0, 0, 255]) } else { Rgba([255, 255, 255, 255]) };
                pointed.put_pixel(at_x as u32, at_y as u32, colour);
            }
        }
    }
    pointed
}
