//! What a screen, a window system or a file format does to a picture.

use image::codecs::jpeg::JpegEncoder;
use image::imageops::{self, FilterType};
use image::{DynamicImage, Rgba, RgbaImage};
use minesight::vision::Grid;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::BTreeMap;

/// Another size, as an enlarged window or a display scale makes it.
pub fn scaled(picture: &RgbaImage, factor: f64, filter: FilterType) -> RgbaImage {
    let length = |pixels: u32| (f64::from(pixels) * factor).round() as u32;
    imageops::resize(picture, length(picture.width()), length(picture.height()), filter)
}

/// How pixels between pixels are made up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// Straight lines between pixels; a smaller picture is averaged.
    Triangle,
    /// Straight lines between the nearest pixels, whatever the size: what graphics cards do by themselves.
    Bilinear,
    /// Smooth curves through the pixels (Catmull and Rom's), sharper than straight lines.
    CatmullRom,
}

impl Kernel {
    fn at(self, distance: f64) -> f64 {
        let d = distance.abs();
        match self {
            Kernel::Triangle | Kernel::Bilinear => (1.0 - d).max(0.0),
            Kernel::CatmullRom if d < 1.0 => (1.5 * d - 2.5) * d * d + 1.0,
            Kernel::CatmullRom if d < 2.0 => ((2.5 - 0.5 * d) * d - 4.0) * d + 2.0,
            Kernel::CatmullRom => 0.0,
        }
    }

    /// Which pixels of a line of `from` make up every pixel of the enlarged line, with their weights.
    fn weights(self, from: u32, factor: f64, phase: f64) -> Vec<Vec<(usize, f32)>> {
        let reach = if self == Kernel::CatmullRom { 2.0 } else { 1.0 };
        let wide = if self == Kernel::Bilinear { 1.0 } else { (1.0 / factor).max(1.0) };
        let length = (f64::from(from) * factor + phase).ceil() as u32;
        let of = |place: u32| {
            let center = (f64::from(place) + 0.5 - phase) / factor - 0.5;
            let (first, last) = ((center - reach * wide).ceil() as i64, (center + reach * wide).floor() as i64);
            let weight = |at: i64| self.at((at as f64 - center) / wide);
            let sum: f64 = (first..=last).map(weight).sum();
            let inside = |at: i64| at.clamp(0, i64::from(from) - 1) as usize;
            (first..=last).map(|at| (inside(at), (weight(at) / sum) as f32)).collect()
        };
        (0..length).map(of).collect()
    }
}

/// Another size, beginning at a part of a pixel, as a desktop draws a window that knows nothing of its scale.
pub fn stretched(picture: &RgbaImage, factor: f64, (right, down): (f64, f64), kernel: Kernel) -> RgbaImage {
    let (columns, lines) =
        (kernel.weights(picture.width(), factor, right), kernel.weights(picture.height(), factor, down));
    let stride = columns.len() * 3;
    let mut wide = vec![0.0f32; stride * picture.height() as usize];
    for (line, from) in wide.chunks_exact_mut(stride).zip(picture.as_raw().chunks_exact(picture.width() as usize * 4)) {
        for (pixel, parts) in line.chunks_exact_mut(3).zip(&columns) {
            for &(at, weight) in parts {
                pixel.iter_mut().zip(&from[4 * at..]).for_each(|(sum, &value)| *sum += weight * f32::from(value));
            }
        }
    }
    let mut stretched = RgbaImage::from_pixel(columns.len() as u32, lines.len() as u32, Rgba([255; 4]));
    let mut sums = vec![0.0f32; stride];
    for (parts, line) in lines.iter().zip(stretched.chunks_exact_mut(columns.len() * 4)) {
        sums.fill(0.0);
        for &(at, weight) in parts {
            sums.iter_mut().zip(&wide[at * stride..]).for_each(|(sum, &value)| *sum += weight * value);
        }
        for (pixel, sum) in line.chunks_exact_mut(4).zip(sums.chunks_exact(3)) {
            pixel.iter_mut().zip(sum).for_each(|(value, sum)| *value = sum.round().clamp(0.0, 255.0) as u8);
        }
    }
    stretched
}

/// So far into a tile reach the corners that a client smooths, as a share of it.
const CORNER: f64 = 0.16;
/// Squared distance of two colours from which a mixture of both tells how much there is of each: 20 levels a channel.
const TOLD: f64 = 1200.0;

/// A pixel near a corner of its tile: where it is, how far from the nearest edges, and the tile's colour.
type Near = ((u32, u32), (u32, u32), [u8; 3]);

/// What is drawn on a ground of this colour on one of another: the ground itself, and what a client mixed with it where it smooths the corners of its
/// tiles, by how much of the ground is in each pixel. A tile nearly as light as its ground does not tell that: there it is as in the same place of
/// others, for all tiles have one shape. What lies around the board is exchanged where it is the ground alone.
pub fn on_other_ground(picture: &RgbaImage, grid: &Grid, from: [u8; 3], to: [u8; 3]) -> RgbaImage {
    let colour = |x: u32, y: u32| -> [u8; 3] { picture.get_pixel(x, y).0[..3].try_into().unwrap_or_default() };
    let apart = |a: [u8; 3], b: [u8; 3]| (0..3).map(move |at| f64::from(a[at]) - f64::from(b[at]));
    let mut painted = picture.clone();
    for pixel in painted.pixels_mut().filter(|pixel| pixel.0[..3] == from) {
        pixel.0[..3].copy_from_slice(&to);
    }
    let mut near: Vec<Near> = Vec::new();
    for cell in grid.size().cells() {
        let tile = grid.tile(cell);
        let all = || {
            (tile.top..tile.top + tile.height).flat_map(|y| (tile.left..tile.left + tile.width).map(move |x| (x, y)))
        };
        let mut counts: BTreeMap<[u8; 3], usize> = BTreeMap::new();
        all()
            .map(|(x, y)| colour(x, y))
            .filter(|own| *own != from)
            .for_each(|own| *counts.entry(own).or_default() += 1);
        let Some((&face, _)) = counts.iter().max_by_key(|(_, count)| **count) else { continue };
        let edge = |at: u32, start: u32, length: u32| (at - start).min(start + length - 1 - at);
        let reach = |length: u32| (f64::from(length) * CORNER).ceil() as u32;
        for (x, y) in all().filter(|&(x, y)| colour(x, y) != from) {
            let place = (edge(x, tile.left, tile.width), edge(y, tile.top, tile.height));
            if place.0 <= reach(tile.width) && place.1 <= reach(tile.height) {
                near.push(((x, y), place, face));
            }
        }
    }
    let told = |(x, y): (u32, u32), face: [u8; 3]| {
        let all: f64 = apart(face, from).map(|by| by * by).sum();
        let along: f64 = apart(face, from).zip(apart(colour(x, y), from)).map(|(a, b)| a * b).sum();
        (all >= TOLD).then(|| (along / all).clamp(0.0, 1.0))
    };
    let mut shares: BTreeMap<(u32, u32), Vec<f64>> = BTreeMap::new();
    for &(at, place, face) in &near {
        shares.entry(place).or_default().extend(told(at, face));
    }
    shares.values_mut().for_each(|shares| shares.sort_by(f64::total_cmp));
    let usual = |place| shares.get(&place).and_then(|shares| shares.get(shares.len() / 2).copied());
    for (at, place, face) in near {
        let ground = 1.0 - told(at, face).or_else(|| usual(place)).unwrap_or(1.0);
        let own = colour(at.0, at.1);
        let mixed = |part: usize| f64::from(own[part]) + ground * (f64::from(to[part]) - f64::from(from[part]));
        let pixel = painted.get_pixel_mut(at.0, at.1);
        (0..3).for_each(|part| pixel.0[part] = mixed(part).round().clamp(0.0, 255.0) as u8);
    }
    painted
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
