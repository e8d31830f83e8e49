//! Theme + [`Variation`] → [`Skin`]: the pictures of a theme as the screen may show them on tiles of one width.
//!
//! A screen shows a theme's pictures on another ground where the desktop's theme chooses it, smeared where the desktop
//! stretches windows, in other colours where a night light or the brightness changes them, or all of that together. So a variation is
//! a value, and what it makes of the pictures is made here, once for every width, and remembered.

use super::look::{Look, Seen, squares};
use super::patch::{SIDE, smeared, whole};
use crate::board::Tile;
use crate::client::{Belief, Fixed, Picture, Theme};
use crate::vision::colour::ground::{self, Colour};
use crate::vision::colour::tone::Tone;
use crate::vision::find::frame::Frame;
use crate::vision::find::propose::Source;
use image::RgbaImage;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

/// What the screen makes of a theme's pictures.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Variation {
    /// The colour between the tiles, where it is not that of the pictures.
    pub ground: Option<Colour>,
    /// How wide the gap with that colour is, in hundredths of a tile, where it was seen.
    pub gap: Option<u8>,
    /// By how much the desktop stretches the window, smoothly: 1 where it lies between two pixels only.
    pub stretch: Option<f64>,
    /// What brings the colours back.
    pub tone: Option<Tone>,
}

/// Deviation of the most that a desktop smooths, in pixels of a client's pictures: a picture enlarged by straight lines between its pixels, or
/// moved by half of one. By curves, or where a line meets a pixel, it is less.
const SOFT: f32 = 0.7;

/// The pictures of a theme, ready to be compared.
#[derive(Debug)]
pub struct Looks {
    /// What is believed.
    pub belief: Belief,
    /// One a picture.
    pub looks: Vec<Arc<Look>>,
    /// The theme they are pictures of.
    pub theme: Theme,
    /// Of every two looks, row by row: most skins are dropped before anybody asks for it.
    pairs: Vec<Pair>,
}

/// What is known of two looks.
#[derive(Debug, Default)]
struct Pair {
    /// Their squared distance.
    apart: OnceLock<f32>,
    /// How much of their difference the second may make up for by shift and stretch.
    along: OnceLock<f32>,
    /// Their distance as they are, less what shift and stretch may make up for at most.
    least: OnceLock<f32>,
}

impl Looks {
    /// Prepares a theme's pictures.
    fn new(theme: Theme) -> Self {
        let looks = theme.pictures.iter().map(|picture| Arc::new(Look::new(picture, theme.tint))).collect();
        Self::of(theme, looks)
    }

    /// Of a theme, a look for each of its pictures.
    fn of(theme: Theme, looks: Vec<Arc<Look>>) -> Self {
        let pairs = (0..looks.len() * looks.len()).map(|_| Default::default()).collect();
        Self { belief: theme.belief, looks, theme, pairs }
    }

    fn pair(&self, one: usize, other: usize) -> &Pair {
        &self.pairs[one * self.looks.len() + other]
    }

    /// Squared distance between two looks, whichever is the first.
    pub fn apart(&self, one: usize, other: usize) -> f32 {
        let (one, other) = (one.min(other), one.max(other));
        let (a, b) = (&self.looks[one], &self.looks[other]);
        *self.pair(one, other).apart.get_or_init(|| one_way(a, b).min(one_way(b, a)))
    }

    /// How much of the difference between two looks the second may make up for by shift and stretch.
    pub fn along(&self, one: usize, other: usize) -> f32 {
        let (a, b) = (&self.looks[one], &self.looks[other]);
        *self.pair(one, other).along.get_or_init(|| b.most_along(a))
    }

    /// No more than the distance between two looks, whichever is the first, however they are shifted and stretched: by this measure of how far they are
    /// apart as they are.
    fn at_least(&self, one: usize, other: usize, far: fn(&Look, &Seen) -> f32) -> f32 {
        let (a, b) = (&self.looks[one], &self.looks[other]);
        (far(a, &b.seen).min(far(b, &a.seen)).sqrt() - a.most.max(b.most)).max(0.0)
    }

    /// Distance of a look to the nearest of some others.
    fn reach(&self, index: usize, others: impl Iterator<Item = usize>) -> f32 {
        let mut others: Vec<(f32, usize)> =
            others.map(|other| (self.at_least(index, other, Look::least), other)).collect();
        others.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut reach = f32::INFINITY;
        for (sketched, other) in others {
            if sketched >= reach {
                break;
            }
            // A shift and a stretch cost ten times what the difference as it is does.
            let pair = self.pair(index.min(other), index.max(other));
            if *pair.least.get_or_init(|| self.at_least(index, other, Look::distance)) < reach {
                reach = reach.min(self.apart(index, other).sqrt());
            }
        }
        reach
    }
}

/// Squared distance of the second of two looks to what the first can become.
fn one_way(a: &Look, b: &Look) -> f32 {
    if a.tile == b.tile { 0.0 } else { a.aligned(a.distance(&b.seen), &b.seen) }
}

/// What a skin is made of: what the screen makes of the pictures, but for how much they are stretched, the width of those of a fixed size, and
/// which are chosen, by scale. Tiles of several widths are often compared with the same pictures.
#[derive(Clone, Debug, PartialEq)]
struct Recipe {
    variation: Variation,
    fixed: Option<u32>,
    scales: Vec<Vec<usize>>,
}

/// A skin that was made for tiles of a width.
#[derive(Clone, Debug)]
struct Made {
    variation: Variation,
    width: u32,
    recipe: Recipe,
    skin: Arc<Skin>,
}

/// The pictures of a theme that are compared with tiles of one width, as the screen shows them.
#[derive(Clone, Debug)]
pub struct Skin {
    /// A number that no other has.
    pub id: u64,
    /// Of these.
    pub all: Arc<Looks>,
    /// Which of them.
    pub chosen: Vec<usize>,
    /// Distance of each of all to the nearest of the chosen that is another tile: what is only asked for its edges needs none.
    reach: OnceLock<Vec<f32>>,
    /// Where tiles have edges, across and down (see [`crate::vision::find::propose::Axis::profile`]): hidden tiles, open ones without a
    /// number, and all numbers together, one pair for every kind and scale.
    pub profiles: Vec<(Vec<f32>, Vec<f32>)>,
}

/// So many skins were made.
static MADE: AtomicU64 = AtomicU64::new(0);

impl Skin {
    /// The pictures of each scale.
    fn new(all: Arc<Looks>, scales: &[Vec<usize>]) -> Self {
        let kinds = [|tile| tile == Tile::Hidden, |tile| tile == Tile::Open(0), |tile| matches!(tile, Tile::Open(1..))];
        let of = |chosen: &[usize], wanted: fn(Tile) -> bool| {
            let wanted = chosen.iter().map(|&look| &all.looks[look]).filter(|look| wanted(look.tile));
            wanted.map(|look| look.profile.clone()).reduce(|mut sum, profile| {
                sum.0.iter_mut().zip(&profile.0).for_each(|(sum, value)| *sum += value);
                sum.1.iter_mut().zip(&profile.1).for_each(|(sum, value)| *sum += value);
                sum
            })
        };
        let profiles = scales.iter().flat_map(|chosen| kinds.into_iter().filter_map(|kind| of(chosen, kind))).collect();
        let mut chosen: Vec<usize> = scales.iter().flatten().copied().collect();
        chosen.sort_unstable();
        chosen.dedup();
        Self { id: MADE.fetch_add(1, Ordering::Relaxed), all, chosen, reach: OnceLock::new(), profiles }
    }

    /// Distance of a picture to the nearest of another tile.
    pub fn reach(&self, index: usize) -> f32 {
        let all = &self.all;
        let reach = |index: usize| {
            let is_other = |other: &usize| all.looks[*other].tile != all.looks[index].tile;
            all.reach(index, self.chosen.iter().copied().filter(is_other))
        };
        let reaches = || {
            let mut reaches = vec![f32::INFINITY; all.looks.len()];
            self.chosen.iter().for_each(|&index| reaches[index] = reach(index));
            reaches
        };
        self.reach.get_or_init(reaches)[index]
    }
}

/// A theme, and the skins that were made of it.
#[derive(Debug)]
pub struct Skins {
    own: Arc<Looks>,
    /// Width of a tile by its height: the least and the most.
    aspect: [f64; 2],
    /// Whether its hidden tiles must be looked for at odd pixels, too.
    pub may_cancel: bool,
    /// Whether its looks are [`is_fine`], once that was asked.
    is_fine: OnceLock<bool>,
    /// The frame around the board, where that is what it is found by.
    pub frame: Option<Frame>,
    /// The colours it has.
    pub palette: Palette,
    made: Mutex<Vec<Made>>,
}

impl Clone for Skins {
    fn clone(&self) -> Self {
        let made = Mutex::new(self.made().clone());
        let (own, frame, palette) = (self.own.clone(), self.frame.clone(), self.palette.clone());
        Self { own, frame, palette, made, is_fine: self.is_fine.clone(), ..*self }
    }
}

/// Width by height of tiles of which a picture has so many pixels, the least and the most: those that are no squares may be a part of a pixel
/// wider or narrower, and higher or lower, as in a page that divides its width among its columns.
fn aspect((width, height): (u32, u32)) -> [f64; 2] {
    let part = if width == height { 0.0 } else { 1.0 };
    let (width, height) = (f64::from(width), f64::from(height));
    [(width - part) / (height + part), (width + part) / (height - part).max(part)]
}

/// So many times as far as another tile's picture a tile is hopeless (`likeness::HOPELESS`).
const FINE: f64 = 1.5;

/// Whether a tile a pixel beside its place is that far from its own picture, as large as tiles are compared.
fn is_fine(own: &Picture, all: &[Picture]) -> bool {
    let (width, height) = own.pixels.dimensions();
    let moved = |dx: u32, dy: u32| {
        RgbaImage::from_fn(width, height, |x, y| *own.pixels.get_pixel((x + dx) % width, (y + dy) % height))
    };
    let here = whole(&own.pixels);
    let far = |other: &RgbaImage| f64::from(squares(&here, &whole(other))).sqrt();
    let others = all.iter().filter(|other| other.tile != own.tile && other.pixels.dimensions() == (width, height));
    let reach = others.map(|other| far(&other.pixels)).fold(f64::INFINITY, f64::min);
    [(1, 0), (0, 1), (width - 1, 0), (0, height - 1)].into_iter().any(|(dx, dy)| far(&moved(dx, dy)) > FINE * reach)
}

/// So many skins of a theme are remembered: more widths and variations are not met on one screen.
const REMEMBERED: usize = 64;

/// Widths of tiles for which looks of a fixed size are made, in pixels: beyond them a number is but a dot.
const FIXED: std::ops::Range<f64> = 12.0..128.0;

impl Skins {
    /// Prepares a theme's pictures.
    pub fn new(theme: &Theme) -> Self {
        let hidden = theme.pictures.iter().find(|picture| picture.tile == Tile::Hidden);
        Self {
            aspect: hidden.map_or([1.0; 2], |picture| aspect(picture.pixels.dimensions())),
            may_cancel: hidden.is_some_and(|picture| Source::cancels(&picture.pixels)),
            is_fine: OnceLock::new(),
            frame: Frame::new(theme),
            palette: Palette::new(theme),
            own: Arc::new(Looks::new(theme.clone())),
            made: Mutex::default(),
        }
    }

    /// The width of a tile by its height that a lattice with these pitches may have, the nearest to its own.
    pub fn aspect(&self, across: f64, down: f64) -> f64 {
        let [least, most] = self.aspect;
        (across / down).clamp(least, most)
    }

    /// Whether its looks differ by so little that a tile a pixel beside its place is nearer to none of them.
    pub fn is_fine(&self) -> bool {
        let all = &self.own.theme.pictures;
        let hidden = || all.iter().find(|picture| picture.tile == Tile::Hidden);
        *self.is_fine.get_or_init(|| hidden().is_some_and(|picture| is_fine(picture, all)))
    }

    /// The theme they are made of.
    pub fn theme(&self) -> &Theme {
        &self.own.theme
    }

    fn made(&self) -> std::sync::MutexGuard<'_, Vec<Made>> {
        self.made.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Its pictures for tiles of this width, in pixels, as the screen shows them.
    pub fn skin(&self, variation: Variation, width: f64) -> Arc<Skin> {
        let width = width.round().clamp(1.0, 10_000.0) as u32;
        let mut made = self.made();
        if let Some(known) = made.iter().find(|made| (made.variation, made.width) == (variation, width)) {
            return known.skin.clone();
        }
        let recipe = self.recipe(variation, width);
        let known = made.iter().find(|made| made.recipe == recipe).map(|made| made.skin.clone());
        let skin = known.unwrap_or_else(|| Arc::new(self.make(&recipe)));
        if made.len() >= REMEMBERED {
            made.clear();
        }
        made.push(Made { variation, width, recipe, skin: skin.clone() });
        skin
    }

    /// Whether what lies behind shows through its tiles, so that their colours tell little.
    pub fn is_translucent(&self) -> bool {
        self.theme().tint > 0.0 || self.own.looks.iter().any(|look| look.tile == Tile::Hidden && look.mask.is_some())
    }

    /// Whether a stretched window looks other than the pictures for tiles as large as it shows.
    pub fn has_sizes(&self) -> bool {
        let widths = |tile: Tile| self.own.looks.iter().filter(move |look| look.tile == tile).map(|look| look.width);
        self.theme().fixed.is_some() || widths(Tile::Hidden).max() != widths(Tile::Hidden).min()
    }

    fn recipe(&self, variation: Variation, width: u32) -> Recipe {
        let drawn = f64::from(width) / variation.stretch.unwrap_or(1.0);
        let fixed = self.theme().fixed.as_ref().filter(|_| FIXED.contains(&drawn)).map(|_| drawn.round() as u32);
        let scales = if fixed.is_some() { Vec::new() } else { self.scales(&self.own.looks, drawn) };
        Recipe { variation: Variation { stretch: variation.stretch.map(|_| 1.0), ..variation }, fixed, scales }
    }

    /// The pictures of each scale that are nearest to a width.
    fn scales(&self, looks: &[Arc<Look>], width: f64) -> Vec<Vec<usize>> {
        self.theme().scales.iter().map(|scale| nearest(looks, width / scale)).collect()
    }

    fn make(&self, &Recipe { variation, fixed, ref scales }: &Recipe) -> Skin {
        let (all, scales) = match (&self.theme().fixed, fixed.map(f64::from)) {
            (Some(fixed), Some(width)) => {
                let all = self.of_width(fixed, width);
                let scales = self.scales(&all.looks, width);
                (all, scales)
            }
            _ => (self.own.clone(), scales.clone()),
        };
        if variation == Variation::default() {
            return Skin::new(all, &scales);
        }
        let mut chosen: Vec<usize> = scales.iter().flatten().copied().collect();
        chosen.sort_unstable();
        chosen.dedup();
        let place = |index: &usize| chosen.binary_search(index).unwrap_or(0);
        let scales: Vec<Vec<usize>> = scales.iter().map(|scale| scale.iter().map(place).collect()).collect();
        let gap = variation.gap.map(|gap| f32::from(gap) / 100.0);
        let painted = variation.ground.and_then(|ground| ground::on(&all.theme, ground, gap, &chosen));
        let is_painted = painted.is_some();
        let own = || chosen.iter().map(|&index| all.theme.pictures[index].clone()).collect();
        let mut pictures: Vec<Picture> = painted.unwrap_or_else(own);
        // What a desktop stretches, the screen changes after that.
        let toned = variation.tone.filter(|_| variation.stretch.is_none());
        if let Some(tone) = toned {
            pictures.iter_mut().for_each(|picture| picture.pixels = tone.painted(&picture.pixels));
        }
        let look = |(&index, picture): (&usize, &Picture)| {
            let painted = || Arc::new(Look::new(picture, all.theme.tint));
            let look = if is_painted || toned.is_some() { painted() } else { all.looks[index].clone() };
            if variation.stretch.is_none() {
                return look;
            }
            let soft = smeared(&look.seen, SOFT * SIDE as f32 / look.width as f32);
            let [sharp, soft] =
                [&look.seen, &soft].map(|patch| variation.tone.map_or(*patch, |tone| tone.spoilt(patch)));
            Arc::new(look.between(&sharp, &soft))
        };
        let looks = chosen.iter().zip(&pictures).map(look).collect();
        let ground = if is_painted { variation.ground } else { all.theme.ground };
        let ground = ground.map(|ground| variation.tone.map_or(ground, |tone| tone.shown(ground)));
        Skin::new(Arc::new(Looks::of(Theme { ground, ..with(&all.theme, pictures) }, looks)), &scales)
    }

    /// Looks that keep their size as they are on tiles of this width, and the nearest pictures of all: a screenshot may have been
    /// enlarged with all that is in it, and then they are as large as in the pictures there are.
    fn of_width(&self, fixed: &Fixed, width: f64) -> Arc<Looks> {
        let own = &self.own.theme;
        let is_fixed = |picture: &&Picture| fixed.looks.contains(picture.tile.to_char());
        let of_size = |tile: Tile| {
            let own = own.pictures.iter().filter(is_fixed).filter(|picture| picture.tile == tile);
            let widest = own.max_by_key(|picture| picture.pixels.width())?;
            Some(Picture { tile, file: widest.file.clone(), pixels: fixed.of_size(&widest.pixels, width as u32) })
        };
        let sized: Vec<Picture> = own.looks().filter_map(of_size).collect();
        let others = nearest(&self.own.looks, width);
        let looks = sized.iter().map(|picture| Arc::new(Look::new(picture, own.tint)));
        let looks = looks.chain(others.iter().map(|&index| self.own.looks[index].clone())).collect();
        let pictures = sized.iter().cloned().chain(others.iter().map(|&index| own.pictures[index].clone())).collect();
        Arc::new(Looks::of(with(own, pictures), looks))
    }
}

/// A theme with other pictures, of the size they have: its own are not copied.
fn with(theme: &Theme, pictures: Vec<Picture>) -> Theme {
    let (name, scales, tiles) = (theme.name.clone(), theme.scales.clone(), BTreeMap::new());
    Theme { name, scales, tiles, pictures, fixed: None, frame: None, ..*theme }
}

/// Of every tile the pictures of the nearest size below and above. Tiles of a board whose pitch is no whole number are of two widths, a pixel apart: those
/// are one size.
fn nearest(looks: &[Arc<Look>], width: f64) -> Vec<usize> {
    let mut sizes: Vec<(Tile, f64, f64)> = Vec::new();
    for look in looks {
        let own = f64::from(look.width);
        let at = sizes.iter().position(|(tile, ..)| *tile == look.tile).unwrap_or_else(|| {
            sizes.push((look.tile, f64::NEG_INFINITY, f64::INFINITY));
            sizes.len() - 1
        });
        let (_, below, above) = &mut sizes[at];
        if own <= width {
            *below = below.max(own);
        }
        if own >= width {
            *above = above.min(own);
        }
    }
    let is_nearest = |look: &Look| {
        let own = f64::from(look.width);
        let is_of = |size: f64| (own - size).abs() <= 1.0;
        sizes.iter().any(|&(tile, below, above)| tile == look.tile && (is_of(below) || is_of(above)))
    };
    (0..looks.len()).filter(|&index| is_nearest(&looks[index])).collect()
}

/// The colours of a theme's pictures, in 32 steps a channel and one to either side, and how much of a tile each may fill: what tells at
/// once which themes a part of the screen may show. The page around a text has the colour of many a tile's light border, but no tile is
/// all border, and so no board is.
#[derive(Clone, Debug)]
pub struct Palette(HashMap<u16, f64>);

/// Share of a picture that a colour must cover to be one of its colours: what is rarer is where a digit is smoothed.
const COVERING: usize = 40;
/// How much more of a board a colour may fill than of any picture: lines are thinner on larger tiles, and beside a board there is more
/// of its colours.
const MORE: f64 = 1.5;

impl Palette {
    fn new(theme: &Theme) -> Self {
        let mut palette = Self(HashMap::new());
        for picture in &theme.pictures {
            palette.add(&picture.pixels);
        }
        // The plain part of a tile grows with it.
        if theme.fixed.is_some() {
            palette.0.values_mut().for_each(|share| *share = 1.0);
        }
        palette
    }

    fn add(&mut self, picture: &RgbaImage) {
        let places = (0..picture.height()).flat_map(|y| (0..picture.width()).map(move |x| (x, y)));
        let opaque = places.filter(|&(x, y)| picture.get_pixel(x, y)[3] == 255);
        let mut seen: Vec<u16> = opaque.map(|(x, y)| bin(colour_at(picture, x, y))).collect();
        seen.sort_unstable();
        let least = seen.len() / COVERING;
        let mut filled: HashMap<u16, usize> = HashMap::new();
        for run in seen.chunk_by(|a, b| a == b).filter(|run| run.len() > least) {
            let of = |by: u16| (run[0] >> by) & 31;
            let near = |value: u16| value.saturating_sub(1)..=(value + 1).min(31);
            for (red, green) in near(of(10)).flat_map(|red| near(of(5)).map(move |green| (red, green))) {
                for blue in near(of(0)) {
                    *filled.entry(red << 10 | green << 5 | blue).or_default() += run.len();
                }
            }
        }
        for (colour, pixels) in filled {
            let share = self.0.entry(colour).or_default();
            *share = share.max(MORE * pixels as f64 / seen.len() as f64);
        }
    }

    /// How much of some colours (of [`colour_at`]) a board of these tiles may have, 0..1.
    pub fn share(&self, colours: &[[u8; 4]]) -> f64 {
        let mut seen: Vec<u16> = colours.iter().map(|colour| bin(*colour)).collect();
        seen.sort_unstable();
        let all = seen.len().max(1) as f64;
        let own = |run: &[u16]| self.0.get(&run[0]).map_or(0.0, |most| most.min(run.len() as f64 / all));
        seen.chunk_by(|a, b| a == b).map(own).sum()
    }
}

/// The mean colour of a pixel and those around it: neither noise nor a stipple changes it much.
pub fn colour_at(picture: &RgbaImage, x: u32, y: u32) -> [u8; 4] {
    let (last_x, last_y) = (picture.width() - 1, picture.height() - 1);
    let mut sum = [0u16; 4];
    for y in [y.saturating_sub(1), y, (y + 1).min(last_y)] {
        for x in [x.saturating_sub(1), x, (x + 1).min(last_x)] {
            sum.iter_mut().zip(picture.get_pixel(x, y).0).for_each(|(sum, value)| *sum += u16::from(value));
        }
    }
    sum.map(|sum| (sum / 9) as u8)
}

fn bin([red, green, blue, _]: [u8; 4]) -> u16 {
    u16::from(red >> 3) << 10 | u16::from(green >> 3) << 5 | u16::from(blue >> 3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgba;

    #[test]
    fn a_picture_of_whole_pixels_tells_the_shape_of_a_tile_to_a_pixel() {
        for (width, height) in [(105.5f64, 77.3f64), (22.4, 20.6), (16.9, 24.0)] {
            let sizes = [f64::floor, f64::ceil]
                .into_iter()
                .flat_map(|a| [f64::floor, f64::ceil].map(|b| (a(width), b(height))));
            for (wide, high) in sizes {
                let [least, most] = aspect((wide as u32, high as u32));
                assert!((least..=most).contains(&(width / height)), "{width}x{height}: {wide}x{high}");
            }
        }
        assert_eq!([aspect((16, 16)), aspect((1, 1))], [[1.0; 2]; 2]);
        assert_eq!(aspect((3, 1)), [1.0, 4.0]);
    }

    #[test]
    fn widths_a_pixel_apart_are_one_size() {
        let look = |width: u32| {
            let pixels = RgbaImage::from_pixel(width, width, Rgba([100, 100, 100, 255]));
            Arc::new(Look::new(&Picture { tile: Tile::Hidden, file: String::new(), pixels }, 0.0))
        };
        let looks: Vec<Arc<Look>> = [20, 30, 31, 40, 44].into_iter().map(look).collect();
        assert_eq!(nearest(&looks, 30.0), [1, 2], "a pitch of 30.4");
        assert_eq!(nearest(&looks, 31.0), [1, 2], "a pitch of 30.6");
        assert_eq!(nearest(&looks, 35.0), [1, 2, 3]);
        assert_eq!(nearest(&looks, 50.0), [4]);
    }
}
