//! The client's own count: picture + grid + [`Counter`] → mines left.
//!
//! A display is cut into its places. Text is found by its strokes: what is darker than everything a few pixels around it (a
//! closing less the picture itself, the "bottom hat" of mathematical morphology), whatever the ground is; or, where no count is
//! dark, what is lighter. Connected strokes
//! are characters, characters near each other words, and exactly one word must be what the counter says.
//!
//! A character is compared like a tile is ([`super::tile::classify`]): its picture must be near one look and far from the others.
//! Anything unsure means no count: a wrong one would be worse than none.

use super::grid::Grid;
use super::tile::patch::{Patch, VALUES, whole};
use crate::client::{Counter, Shows};
use image::{Rgba, RgbaImage};

/// A counter's digits, ready to be compared.
#[derive(Clone, Debug)]
pub struct Digits {
    counter: Counter,
    looks: Vec<Look>,
}

/// One picture of a digit.
#[derive(Clone, Debug)]
struct Look {
    digit: String,
    patch: Box<Patch>,
    /// Distance to the nearest picture of another digit.
    reach: f32,
}

/// The least score that is believed, as for tiles: nearer than half the way to any other digit.
const ACCEPT: f32 = 0.5;
/// The least lead over every other digit, as for tiles.
const MARGIN: f32 = 0.4;
/// The counter's own word for what is no digit.
const UNKNOWN: &str = "~";

impl Digits {
    /// Prepares a counter's pictures.
    pub fn new(counter: &Counter) -> Self {
        let look = |(digit, picture): &(String, RgbaImage)| {
            let ink = Ink::new(picture.width() as usize, picture.height() as usize, |x, y| brightness(picture, x, y));
            Look { digit: digit.clone(), patch: Box::new(ink.patch()), reach: f32::INFINITY }
        };
        let mut looks: Vec<Look> = counter.pictures.iter().map(look).collect();
        for index in 0..looks.len() {
            let others = looks.iter().filter(|other| other.digit != looks[index].digit);
            looks[index].reach = others.map(|other| distance(&other.patch, &looks[index].patch)).fold(255.0, f32::min);
        }
        Self { counter: counter.clone(), looks }
    }

    /// What the counter shows, if that is beyond doubt. `flags` are those on the board, where all its tiles are known: a
    /// counter that names them must agree.
    pub fn mines_left(&self, picture: &RgbaImage, grid: &Grid, flags: Option<u32>) -> Option<i32> {
        let area = Area::new(picture, grid, &self.counter)?;
        let counts = |words: Vec<String>| words.iter().filter_map(|word| self.count(word)).collect::<Vec<_>>();
        let text = |ink| counts(self.words(&characters(picture, &area, ink)));
        let counts = match self.counter.places {
            Some(places) => counts(vec![self.display(picture, &area, places)]),
            None => {
                Some(text(|value| value)).filter(|dark| !dark.is_empty()).unwrap_or_else(|| text(|value| 255 - value))
            }
        };
        let &[(shown, total)] = &counts[..] else { return None };
        match total {
            Some(total) => (flags? as i32 == shown).then_some(total - shown),
            None => Some(shown),
        }
    }

    /// What a word says: the number shown, and the mines, if it names them too.
    fn count(&self, word: &str) -> Option<(i32, Option<i32>)> {
        let number = |digits: &str| -> Option<i32> {
            let plain = !digits.is_empty() && digits.chars().all(|digit| digit.is_ascii_digit());
            if plain { digits.parse().ok() } else { None }
        };
        match self.counter.shows {
            Shows::Left => Some((number(word)?, None)),
            Shows::FlagsOfMines => {
                let (flags, mines) = word.split_once('/')?;
                Some((number(flags)?, Some(number(mines)?)))
            }
        }
    }

    fn display(&self, picture: &RgbaImage, area: &Area, places: u32) -> String {
        let width = area.width / places as usize;
        let place = |index: usize| {
            let left = area.left + index * width;
            let ink = Ink::new(width, area.height, |x, y| brightness(picture, left + x, area.top + y));
            self.classify(&ink.patch())
        };
        (0..places as usize).map(place).collect()
    }

    /// The words of an area, a character that is not known as [`UNKNOWN`].
    fn words(&self, characters: &[Character]) -> Vec<String> {
        let mut words = Vec::new();
        let known: Vec<&str> = characters.iter().map(|character| self.classify(&character.ink.patch())).collect();
        let is_digit = |index: &usize| known[*index].starts_with(|first: char| first.is_ascii_digit());
        let mut taken = vec![false; characters.len()];
        for first in (0..characters.len()).filter(is_digit) {
            if taken[first] {
                continue;
            }
            // Everything on the line of this digit, from left to right.
            let height = characters[first].height() as f64;
            let on_line = |index: &usize| characters[first].shares_line(&characters[*index]);
            let mut line: Vec<usize> = (0..characters.len()).filter(on_line).collect();
            line.sort_by_key(|&index| characters[index].left);
            let mut word = String::new();
            let mut end: Option<usize> = None;
            for index in line {
                taken[index] = true;
                let character = &characters[index];
                let gap = end.map_or(0.0, |end| character.left as f64 - end as f64);
                // Around a slash there may be spaces.
                let near = if word.ends_with('/') || known[index] == "/" { SPACE } else { APART };
                if gap > near * height || character.height() as f64 > FRAME * height {
                    words.push(std::mem::take(&mut word));
                }
                if character.height() as f64 <= FRAME * height {
                    word.push_str(known[index]);
                    end = Some(end.map_or(character.right, |end| end.max(character.right)));
                }
            }
            words.push(word);
        }
        words
    }

    fn classify(&self, patch: &Patch) -> &str {
        let distances: Vec<f32> = self.looks.iter().map(|look| distance(&look.patch, patch)).collect();
        let nearest = (0..self.looks.len()).min_by(|&a, &b| distances[a].total_cmp(&distances[b]));
        let Some(best) = nearest else { return UNKNOWN };
        let look = &self.looks[best];
        let lead = |(other, far): (&Look, &f32)| {
            (far.powi(2) - distances[best].powi(2)) / distance(&other.patch, &look.patch).powi(2)
        };
        let others = self.looks.iter().zip(&distances).filter(|(other, _)| other.digit != look.digit);
        let is_clear = others.map(lead).all(|lead| lead >= MARGIN);
        if is_clear && 1.0 - distances[best] / look.reach >= ACCEPT { &look.digit } else { UNKNOWN }
    }
}

/// Characters of one word are nearer than this, in heights of a digit: the widest gap is that between two ones.
const APART: f64 = 0.4;
/// And with a space between them, nearer than this.
const SPACE: f64 = 1.0;
/// What is so many times as high as a digit is a frame around words, not a part of one.
const FRAME: f64 = 1.6;

/// Root mean squared difference.
fn distance(a: &Patch, b: &Patch) -> f32 {
    let square = |(a, b): (&i16, &i16)| u32::from(a.abs_diff(*b)).pow(2);
    (a.iter().zip(b).map(square).sum::<u32>() as f32 / VALUES as f32).sqrt()
}

fn brightness(picture: &RgbaImage, x: usize, y: usize) -> u8 {
    let Rgba([red, green, blue, _]) = *picture.get_pixel(x as u32, y as u32);
    red.max(green).max(blue)
}

/// The counter's area in whole pixels of a picture.
struct Area {
    left: usize,
    top: usize,
    width: usize,
    height: usize,
}

impl Area {
    /// `None` if a display is not wholly in the picture, or nothing of a text is.
    fn new(picture: &RgbaImage, grid: &Grid, counter: &Counter) -> Option<Self> {
        let (first, last) = (grid.spot(counter.area[0]), grid.spot(counter.area[1]));
        let span = |from: f64, to: f64, limit: u32| {
            let (from, to) = (from.round(), to.round());
            let (inside, end) = (from.max(0.0), to.min(f64::from(limit)));
            let is_whole = (inside, end) == (from, to);
            (end > inside && (is_whole || counter.places.is_none()))
                .then_some((inside as usize, (end - inside) as usize))
        };
        let (left, width) = span(first.x, last.x, picture.width())?;
        let (top, height) = span(first.y, last.y, picture.height())?;
        Some(Self { left, top, width, height })
    }
}

/// Strength of strokes, 0..255.
struct Ink {
    width: usize,
    height: usize,
    values: Vec<u8>,
}

impl Ink {
    fn new(width: usize, height: usize, value: impl Fn(usize, usize) -> u8) -> Self {
        let values = (0..width * height).map(|index| value(index % width, index / width)).collect();
        Self { width, height, values }
    }

    fn at(&self, x: usize, y: usize) -> u8 {
        self.values[y * self.width + x]
    }

    /// In the middle of a square as high as it is, the strongest stroke as bright as can be: so that the shape alone counts.
    fn patch(&self) -> Patch {
        let side = self.height.max(self.width);
        let most = u32::from(self.values.iter().copied().max().unwrap_or(0)).max(1);
        let (left, top) = ((side - self.width) / 2, (side - self.height) / 2);
        let mut square = RgbaImage::from_pixel(side as u32, side as u32, Rgba([0, 0, 0, 255]));
        for (index, &value) in self.values.iter().enumerate() {
            let value = (u32::from(value) * 255 / most) as u8;
            let (x, y) = (left + index % self.width, top + index / self.width);
            square.put_pixel(x as u32, y as u32, Rgba([value, value, value, 255]));
        }
        whole(&square)
    }

    /// What is darker than everything around it: the closing with a square of `2 * reach + 1` pixels, less the picture.
    fn strokes(&self, reach: usize) -> Ink {
        let closed = self.extreme(reach, u8::max).extreme(reach, u8::min);
        Ink::new(self.width, self.height, |x, y| closed.at(x, y).saturating_sub(self.at(x, y)))
    }

    /// The greatest (or least) value within `reach` pixels across and down.
    fn extreme(&self, reach: usize, choose: fn(u8, u8) -> u8) -> Ink {
        let across = Ink::new(self.width, self.height, |x, y| {
            let row = &self.values[y * self.width..][..self.width];
            let near = &row[x.saturating_sub(reach)..(x + reach + 1).min(self.width)];
            near.iter().copied().fold(self.at(x, y), choose)
        });
        Ink::new(self.width, self.height, |x, y| {
            let near = y.saturating_sub(reach)..(y + reach + 1).min(self.height);
            near.map(|y| across.at(x, y)).fold(across.at(x, y), choose)
        })
    }
}

/// A connected stroke, with its place in the area.
struct Character {
    left: usize,
    right: usize,
    top: usize,
    bottom: usize,
    ink: Ink,
}

impl Character {
    fn height(&self) -> usize {
        self.bottom - self.top
    }

    /// Whether at least half of the lower one's height is beside the other.
    fn shares_line(&self, other: &Character) -> bool {
        let shared = self.bottom.min(other.bottom).saturating_sub(self.top.max(other.top));
        shared * 2 >= self.height().min(other.height())
    }
}

/// Strokes of a character are at most this wide, half of it on either side, in pixels: a digit three times the usual size.
const STROKE: usize = 6;
/// The least difference between a stroke and its ground: text is made to be seen.
const FAINT: u8 = 64;

/// The characters of an area that are dark after every brightness was changed like this: the dark ones, or the light ones of a
/// dark desktop.
fn characters(picture: &RgbaImage, area: &Area, ink: fn(u8) -> u8) -> Vec<Character> {
    let bright = Ink::new(area.width, area.height, |x, y| ink(brightness(picture, area.left + x, area.top + y)));
    let strokes = bright.strokes(STROKE);
    let least = (strokes.values.iter().copied().max().unwrap_or(0) / 2).max(FAINT);
    let mut seen = vec![false; strokes.values.len()];
    let mut found = Vec::new();
    for start in 0..strokes.values.len() {
        if seen[start] || strokes.values[start] < least {
            continue;
        }
        let (mut todo, mut own) = (vec![start], Vec::new());
        seen[start] = true;
        while let Some(index) = todo.pop() {
            own.push((index % area.width, index / area.width));
            let (x, y) = (index % area.width, index / area.width);
            for y in y.saturating_sub(1)..(y + 2).min(area.height) {
                for x in x.saturating_sub(1)..(x + 2).min(area.width) {
                    let next = y * area.width + x;
                    if !seen[next] && strokes.values[next] >= least {
                        seen[next] = true;
                        todo.push(next);
                    }
                }
            }
        }
        found.push(character(&strokes, &own));
    }
    found
}

fn character(strokes: &Ink, own: &[(usize, usize)]) -> Character {
    let bounds = |values: &dyn Fn(&(usize, usize)) -> usize| {
        let (least, most) = own.iter().map(values).fold((usize::MAX, 0), |(a, b), value| (a.min(value), b.max(value)));
        (least, most + 1)
    };
    let ((left, right), (top, bottom)) = (bounds(&|pixel| pixel.0), bounds(&|pixel| pixel.1));
    let (width, height) = (right - left, bottom - top);
    let mut values = vec![0; width * height];
    for &(x, y) in own {
        values[(y - top) * width + x - left] = strokes.at(x, y);
    }
    Character { left, right, top, bottom, ink: Ink { width, height, values } }
}
