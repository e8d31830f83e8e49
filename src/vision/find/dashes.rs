//! [`Frame`] → [`Grid`]s: boards within a frame that is drawn of dashes, as a terminal does, at any scale. Along its sides marks are evenly spaced
//! ([`Rule`]): they tell how wide a character is, and where its row begins and ends.

use super::frame::{Corner, Frame};
use crate::vision::colour::ground::Colour;
use crate::vision::grid::{Grid, SMALLEST};
use crate::vision::tile::tiles::Tiles;
use image::{Rgba, RgbaImage};
use std::collections::HashMap;
use wide::u8x16;

/// A number of tiles is whole within such a part of one: a pixel of the smallest ones.
const WHOLE: f64 = 0.1;
/// How alike light and dark lie at least in a corner's picture and in what is seen of it (1 if they lie the same), and by which part of a pixel it
/// is moved to be seen best. A dash in place of freesweep's cross has 0.65 to 0.68 at any scale, and the cross at 0.8 of its size 0.82.
const CORRELATED: f32 = 0.75;
const STEP: f64 = 0.25;
/// Pixels across and down that are asked for their colour, and how many of them a board's ground fills at least.
const ASKED: u32 = 64;
const FILLED: usize = 40;

/// Every grid between two rows of dashes that are so long, and so far from each other, as a frame has them for a whole number of tiles, at any
/// scale.
pub fn grids(frame: &Frame, tiles: &Tiles) -> Vec<Grid> {
    let width = frame.corners[0].picture.width();
    let ground = ground(&frame.corners[0].picture);
    if !has_ground(tiles.picture, ground) {
        return Vec::new();
    }
    // Its sides have a dash for every character, and its corners are characters.
    let rules = rules(tiles.picture, ground, (2 + SMALLEST * frame.tile.0 / width) as usize);
    let mut grids = Vec::new();
    for (index, top) in rules.iter().enumerate() {
        let (half, scale) = (top.pitch() / 2.0, top.pitch() / f64::from(width));
        let even = |from: f64, to: f64, tile: u32| even(from, to, f64::from(tile) * scale);
        let Some(columns) = even(top.ends.0 + half, top.ends.1 - half, frame.tile.0) else { continue };
        // Both rows of dashes lie alike in their characters.
        let is_whole = |rule: &&Rule| {
            let high = f64::from(frame.corners[0].picture.height()) * scale;
            even(top.y + high, rule.y, frame.tile.1).is_some()
        };
        let below: Vec<&Rule> = rules[index + 1..].iter().filter(|rule| rule.is_below(top)).filter(is_whole).collect();
        let start = if below.is_empty() { None } else { row(frame, tiles, top, [0, 1]) };
        let lines = start.into_iter().flat_map(|(_, start)| {
            let ends = below.iter().filter_map(|rule| row(frame, tiles, rule, [2, 3]));
            ends.filter_map(move |(end, _)| even(start, end, frame.tile.1))
        });
        grids.extend(lines.map(|lines| Grid { columns: columns.clone(), lines }));
    }
    grids
}

/// The top and bottom of the row of characters that a rule belongs to, if these corners are its first and last one.
fn row(frame: &Frame, tiles: &Tiles, rule: &Rule, corners: [usize; 2]) -> Option<(f64, f64)> {
    let [left, right] = corners.map(|corner| &frame.corners[corner]);
    let (left, right) = (seen_at(left, tiles, rule, rule.ends.0)?, seen_at(right, tiles, rule, rule.ends.1)?);
    let is_level = (left.0 - right.0).abs() < (left.1 - left.0) * WHOLE;
    is_level.then_some(((left.0 + right.0) / 2.0, (left.1 + right.1) / 2.0))
}

/// Where a corner is seen so that it is as wide as the marks of a rule are apart, its middle is here and it shows the rule: its top and bottom.
fn seen_at(corner: &Corner, tiles: &Tiles, rule: &Rule, middle: f64) -> Option<(f64, f64)> {
    let wide = rule.pitch();
    let high = wide * f64::from(corner.picture.height()) / f64::from(corner.picture.width());
    let alike = |top: f64, middle: f64| {
        let across = (middle - wide / 2.0, middle + wide / 2.0);
        tiles.with(across, (top, top + high), |seen| corner.look.correlation(seen)).unwrap_or(-1.0)
    };
    let tops = (0..=(high / STEP) as u32).map(|step| rule.y - high + STEP * f64::from(step));
    let top = tops.max_by(|&one, &other| alike(one, middle).total_cmp(&alike(other, middle)))?;
    let is_alike = (-2..=2).any(|step| alike(top, middle + STEP * f64::from(step)) > CORRELATED);
    is_alike.then_some((top, top + high))
}

/// The edges of a whole number of tiles, and no fewer than a board has, between two places, if there is one of about this size.
fn even(from: f64, to: f64, tile: f64) -> Option<Vec<f64>> {
    let (all, count) = ((to - from) / tile, ((to - from) / tile).round());
    let edge = |index: u32| from + (to - from) * f64::from(index) / count;
    ((all - count).abs() < WHOLE && count >= f64::from(SMALLEST)).then(|| (0..=count as u32).map(edge).collect())
}

/// The colour of most of a picture.
fn ground(picture: &RgbaImage) -> Colour {
    let mut counts: HashMap<[u8; 3], usize> = HashMap::new();
    picture.pixels().for_each(|&Rgba([red, green, blue, _])| *counts.entry([red, green, blue]).or_default() += 1);
    counts.into_iter().max_by_key(|&(colour, count)| (count, colour)).map_or([0; 3], |(colour, _)| colour)
}

/// Whether there is a ground of this colour anywhere in a picture that is large enough for a board.
fn has_ground(picture: &RgbaImage, ground: Colour) -> bool {
    let at = |index: u32, length: u32| (index * 2 + 1) * length / (ASKED * 2);
    let is_ground = |(x, y)| {
        let pixel = picture.get_pixel(at(x, picture.width()), at(y, picture.height()));
        apart(pixel.0, ground) < CLEAR
    };
    (0..ASKED).flat_map(|y| (0..ASKED).map(move |x| (x, y))).filter(|&place| is_ground(place)).nth(FILLED).is_some()
}

/// A line of marks.
#[derive(Clone, Debug, PartialEq)]
struct Rule {
    /// Where their middles are: the first, and the last.
    ends: (f64, f64),
    /// The middle of the lines of pixels that show them.
    y: f64,
    /// How many there are.
    marks: usize,
}

impl Rule {
    /// The distance between two marks.
    fn pitch(&self) -> f64 {
        (self.ends.1 - self.ends.0) / (self.marks - 1) as f64
    }

    /// Whether another one has its marks in the same places, to a pixel or two.
    fn is_below(&self, other: &Rule) -> bool {
        let near = |one: f64, other: f64| (one - other).abs() < ASTRAY;
        self.marks == other.marks && near(self.ends.0, other.ends.0) && near(self.ends.1, other.ends.1)
    }
}

/// A mark differs from the ground on both sides of it by so much more than these do, as a sum of three channels: 24 levels each.
const CLEAR: i32 = 72;
/// Distances between marks are the same within so many pixels, or such a share of them where that is more.
const EVEN: f64 = 1.0;
const EVENLY: f64 = 0.08;
/// The smallest distance between marks, in pixels.
const CLOSEST: f64 = 4.0;
/// Lines of marks are in the same place within so many pixels.
const ASTRAY: f64 = 1.5;

/// All lines of at least so many marks on a ground, from the top down.
fn rules(picture: &RgbaImage, ground: Colour, least: usize) -> Vec<Rule> {
    let mut done: Vec<Rule> = Vec::new();
    // What the line of pixels before showed, with how clear it is, and over how many lines that goes.
    let mut open: Vec<(Rule, f64)> = Vec::new();
    let mut values = Vec::with_capacity(picture.width() as usize);
    for (line, y) in picture.as_raw().chunks_exact(picture.width() as usize * 4).zip(0..) {
        let mut next = Vec::new();
        values.clear();
        if changes(line, ground) >= 2 * least as u32 {
            values.extend(line.as_chunks::<4>().0.iter().map(|pixel| apart(*pixel, ground)));
        }
        for (ends, marks, clear) in rows(&values, least) {
            let own = Rule { ends, y: f64::from(y) + 0.5, marks };
            let before = open.iter().position(|(rule, _)| own.is_below(rule)).map(|at| open.swap_remove(at));
            next.push(before.map_or((own.clone(), clear), |(rule, sum)| {
                let all = sum + clear;
                let mean = |one: f64, other: f64| (one * sum + other * clear) / all;
                let ends = (mean(rule.ends.0, own.ends.0), mean(rule.ends.1, own.ends.1));
                (Rule { ends, y: mean(rule.y, own.y), marks }, all)
            }));
        }
        done.extend(std::mem::replace(&mut open, next).into_iter().map(|(rule, _)| rule));
    }
    done.extend(open.into_iter().map(|(rule, _)| rule));
    done
}

/// How often a line of pixels changes from its ground to something else, or back, up to three pixels at its end: what costs least to ask.
fn changes(line: &[u8], ground: Colour) -> u32 {
    const FAR: u8 = (CLEAR / 3) as u8;
    let pixels = |[red, green, blue]: Colour, alpha: u8| {
        let pixel = [red, green, blue, alpha];
        u8x16::new(std::array::from_fn(|index| pixel[index % 4]))
    };
    let (own, limit) = (pixels(ground, 0), pixels([FAR - 1; 3], u8::MAX));
    let (mut changes, mut before) = (0, 0);
    for four in line.as_chunks::<16>().0 {
        let seen = u8x16::new(*four);
        let far = (seen.saturating_sub(own) | own.saturating_sub(seen)).saturating_sub(limit);
        let alike = far.simd_eq(u8x16::ZERO).to_bitmask();
        let is_ground = alike & alike >> 1 & alike >> 2 & 0x1111;
        changes += (is_ground ^ (is_ground << 4 | before) & 0x1111).count_ones();
        before = is_ground >> 12 & 1;
    }
    changes
}

/// How far a colour is from the ground: the sum of three channels.
fn apart(pixel: [u8; 4], ground: Colour) -> i32 {
    pixel.iter().zip(ground).map(|(own, other)| i32::from(own.abs_diff(other))).sum()
}

/// Rows of evenly spaced marks in a line of pixels: where their first and last mark are, how many, and how clear these are.
fn rows(values: &[i32], least: usize) -> Vec<((f64, f64), usize, f64)> {
    let marks = marks(values);
    let mut rows = Vec::new();
    let mut first = 0;
    for at in 1..=marks.len() {
        let is_even = || {
            let step = marks.get(at)?.0 - marks[at - 1].0;
            let usual =
                if at - first > 1 { (marks[at - 1].0 - marks[first].0) / (at - 1 - first) as f64 } else { step };
            Some(step >= CLOSEST && (step - usual).abs() <= EVEN.max(EVENLY * usual))
        };
        if is_even() != Some(true) {
            if at - first >= least {
                let clear = marks[first..at].iter().map(|(_, clear)| clear).sum();
                rows.push(((marks[first].0, marks[at - 1].0), at - first, clear));
            }
            // The last one may be the first of others.
            first = if at - first > 1 { at - 1 } else { at };
        }
    }
    rows
}

/// The middles of all marks in a line of pixels, and how clear they are.
fn marks(values: &[i32]) -> Vec<(f64, f64)> {
    let mut marks = Vec::new();
    let (mut low, mut high, mut peak) = (i32::MAX, None, 0);
    for (at, &value) in values.iter().enumerate() {
        match high {
            None if value > low.saturating_add(CLEAR) => (high, peak) = (Some(value), at),
            None => low = low.min(value),
            Some(most) if value > most => (high, peak) = (Some(value), at),
            Some(most) if value < (low + most) / 2 => {
                let half = f64::from(low + most) / 2.0;
                // Where it is half as far from the ground as it gets, between two pixels.
                let cross = |inside: usize, outside: usize| {
                    let (from, to) = (f64::from(values[inside]), f64::from(values[outside]));
                    let part = if from > to { (from - half) / (from - to) } else { 0.5 };
                    inside as f64 + (outside as f64 - inside as f64) * part
                };
                let begins = (0..peak).rev().find(|&before| f64::from(values[before]) < half).unwrap_or(0);
                let (left, right) = (cross((begins + 1).min(peak), begins), cross(at - 1, at));
                marks.push(((left + right) / 2.0 + 0.5, f64::from(most - low)));
                (low, high) = (value, None);
            }
            Some(_) => {}
        }
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::imageops::{self, FilterType};

    #[test]
    fn marks_are_counted_as_far_as_they_are_even() {
        let is_mark = |x: u32, y: u32| match y {
            20 | 21 => x < 150 && x % 10 >= 6 || (180..240).contains(&x) && x % 12 < 5,
            40 => x < 100 && x % 10 >= 6,
            _ => false,
        };
        let picture = RgbaImage::from_fn(300, 60, |x, y| Rgba([if is_mark(x, y) { 200 } else { 10 }, 10, 10, 255]));
        let found = rules(&picture, [10, 10, 10], 5);
        let told: Vec<(f64, f64, usize, f64)> =
            found.iter().map(|rule| (rule.ends.0, rule.y, rule.marks, rule.pitch())).collect();
        assert_eq!(told, [(8.0, 21.0, 15, 10.0), (182.5, 21.0, 5, 12.0), (8.0, 40.5, 10, 10.0)]);
    }

    /// Characters of 10x20 pixels as a terminal draws them: its dash lies lower than the bar of its cross, as in most fonts.
    fn character(of: char) -> RgbaImage {
        RgbaImage::from_fn(10, 20, |x, y| {
            let is_drawn = match of {
                '+' => (1..9).contains(&x) && y == 10 || (4..6).contains(&x) && (6..15).contains(&y),
                '-' => (2..8).contains(&x) && y == 12,
                '|' => (4..6).contains(&x),
                _ => false,
            };
            let grey = if is_drawn { 229 } else { 0 };
            Rgba([grey, grey, grey, 255])
        })
    }

    fn written(lines: &[String]) -> RgbaImage {
        let mut picture = RgbaImage::from_pixel(600, 400, Rgba([0, 0, 0, 255]));
        for (line, y) in lines.iter().zip(0..) {
            for (of, x) in line.chars().zip(0..) {
                imageops::replace(&mut picture, &character(of), 57 + 10 * x, 33 + 20 * y);
            }
        }
        picture
    }

    /// A board of 9x6 tiles of three characters, without some columns of characters at its left.
    fn board(without: usize) -> RgbaImage {
        let side = format!("+{}+", "-".repeat(27));
        let row = format!("|{}|", " - ".repeat(9));
        let lines = [vec![side.clone()], vec![row; 6], vec![side]].concat();
        written(&lines.iter().map(|line| line[without..].to_string()).collect::<Vec<_>>())
    }

    #[test]
    fn a_frame_of_dashes_is_found_at_any_scale_and_only_whole() {
        let corner = Corner::new(&character('+')).unwrap();
        let frame = Frame { corners: std::array::from_fn(|_| corner.clone()), tile: (30, 20) };
        for factor in [0.9, 1.0, 1.3, 2.0] {
            let scaled = |picture: RgbaImage| {
                let length = |pixels: u32| (f64::from(pixels) * factor).round() as u32;
                imageops::resize(&picture, length(picture.width()), length(picture.height()), FilterType::Triangle)
            };
            let found = |picture: &RgbaImage| grids(&frame, &Tiles::new(picture));
            let grids = found(&scaled(board(0)));
            let [grid] = &grids[..] else { panic!("at {factor}: {grids:?}") };
            assert_eq!(grid.size().to_string(), "9x6");
            let (left, top) = (67.0 * factor, 53.0 * factor);
            let off = (grid.origin().x - left).abs().max((grid.origin().y - top).abs());
            assert!(off < 0.5, "at {factor}: {:?} is not {left}, {top}", grid.origin());
            // Without its first corner, from a dash that may begin a tile.
            assert_eq!(found(&scaled(board(3))), []);
        }
    }
}
