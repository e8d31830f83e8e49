//! One tile + the pictures of a theme → [`TileReading`].
//!
//! Tiles are compared by squared colour difference at a fixed size (see [`super::patch`]). What a difference *means* is
//! measured by the pictures themselves. Let `d(A, B)` be the distance between the pictures of two looks:
//!
//! - the **lead** of A over B for a tile x is `(d²(x,B) - d²(x,A)) / d²(A,B)`: the place of x on the line from A to B, 1 at A,
//!   0 halfway, -1 at B. Pixels in which A and B agree cancel out, so a faint thin number on a large tile is told from
//!   another by its own strokes;
//! - the **score** is `1 - d(x,A) / d(A, nearest other look)`: a tile that differs from A by as much as other looks do
//!   could be a look nobody has a picture of.
//!
//! A tile is recognised if its score reaches `accept` and its lead over every other tile reaches `margin`
//! ([`Belief`]).
//!
//! A picture may lie a fraction of a pixel beside the tile, or be a little larger or smaller: at another scale it always
//! does. So distances are measured to everything a picture can become by a slight shift and stretch: the nearest point of the
//! plane that its derivatives span (the tangent distance of Simard, LeCun and Denker, 1993), within [`SLACK`]. Where tiles are
//! translucent, becoming lighter or darker all over is one more direction, within the theme's `tint`.

use super::TileReading;
use super::frame::Frame;
use super::lattice::profile_of;
use super::patch::{BLOCK, Patch, SIDE, Sketch, VALUES, sketch, whole};
use crate::board::Tile;
use crate::client::{Belief, Picture, Theme};
use image::{Rgba, RgbaImage};
use std::ops::Range;
use std::sync::OnceLock;
use wide::{i16x8, i32x4};

/// The pictures of a theme, ready to be compared.
#[derive(Clone, Debug)]
pub struct Looks {
    belief: Belief,
    looks: Vec<Look>,
    /// Squared distance between every two looks, row by row.
    apart: Vec<f32>,
    /// How much of the difference between every two looks the second may make up for by shift and stretch, row by row.
    along: Vec<f32>,
    aspect: f64,
    scales: Vec<u32>,
    frame: Option<Frame>,
    sized: Option<Box<PerWidth>>,
}

/// A theme of which some looks keep their size in pixels (see [`Fixed`]), as it is on tiles of every width in whole pixels,
/// made when it is needed.
#[derive(Clone, Debug)]
struct PerWidth {
    theme: Theme,
    at: Vec<OnceLock<(Theme, Looks)>>,
}

/// The pictures of a theme that are compared with tiles of one size.
#[derive(Clone, Debug)]
pub struct Scaled<'a> {
    all: &'a Looks,
    chosen: Vec<usize>,
    /// The theme they are pictures of, if they were made for this size.
    own: Option<&'a Theme>,
}

/// One of a theme's pictures, and how near a tile is to it.
#[derive(Clone, Debug)]
pub struct Compared {
    /// What it is a picture of.
    pub tile: Tile,
    /// The picture.
    pub pixels: RgbaImage,
    /// How near the tile is, 0..1.
    pub score: f32,
}

/// How far a picture may be shifted, or its borders moved by a stretch, in parts of a patch: a grid is known to about half
/// a pixel, which is half a part of the smallest tiles, and a client may round a tile to the next whole pixel.
const SLACK: f32 = 0.75;
/// Differences within a picture that nobody sees.
const PLAIN: i16 = 4;
/// Widths of tiles for which looks of a fixed size are made, in pixels: beyond them a number is but a dot.
const SMALLEST: f64 = 12.0;
const WIDEST: usize = 256;
/// A lead that leaves no doubt: how much larger it is tells nothing.
const CLEAR: f32 = 0.5;
/// A score at which no shift or stretch is needed.
const EXACT: f32 = 0.95;

impl Looks {
    /// Prepares a theme's pictures.
    pub fn new(theme: &Theme) -> Self {
        let mut looks: Vec<Look> = theme.pictures.iter().map(|picture| Look::new(picture, theme.tint)).collect();
        let one_way: Vec<f32> =
            looks.iter().flat_map(|a| looks.iter().map(|b| a.aligned(a.distance(&b.seen()), &b.seen()))).collect();
        let count = looks.len();
        let apart: Vec<f32> = (0..count * count)
            .map(|index| one_way[index].min(one_way[index % count * count + index / count]))
            .collect();
        for index in 0..count {
            let others = (0..count).filter(|&other| looks[other].tile != looks[index].tile);
            looks[index].reach = others.map(|other| apart[index * count + other].sqrt()).fold(f32::INFINITY, f32::min);
        }
        let along = looks.iter().flat_map(|a| looks.iter().map(|b| b.most_along(a))).collect();
        let hidden = theme.pictures.iter().find(|picture| picture.tile == Tile::Hidden);
        let aspect =
            hidden.map_or(1.0, |picture| f64::from(picture.pixels.width()) / f64::from(picture.pixels.height()));
        Self {
            belief: theme.belief,
            looks,
            apart,
            along,
            aspect,
            scales: theme.scales.clone(),
            frame: Frame::new(theme),
            sized: theme.fixed.is_some().then(|| Box::new(PerWidth::new(theme))),
        }
    }

    /// Width of a tile by its height.
    pub fn aspect(&self) -> f64 {
        self.aspect
    }

    /// The frame around the board, where that is what it is found by.
    pub fn frame(&self) -> Option<&Frame> {
        self.frame.as_ref()
    }

    /// Where tiles of this width have edges, across and down (see [`super::lattice::Axis::profile`]): of hidden tiles, of open
    /// ones without a number, and of all numbers together, one pair for every kind and scale. Lines of a fixed width lie
    /// elsewhere in a tile of another size, so only the pictures for this size are asked.
    pub fn profiles(&self, width: f64) -> Vec<(Vec<f32>, Vec<f32>)> {
        if let Some((_, looks)) = self.of_width(width) {
            return looks.profiles(width);
        }
        let kinds = [|tile| tile == Tile::Hidden, |tile| tile == Tile::Open(0), |tile| matches!(tile, Tile::Open(1..))];
        let scaled = self.scales.iter().map(|&scale| self.nearest(width / f64::from(scale)));
        let of = |chosen: &[usize], wanted: fn(Tile) -> bool| {
            let wanted = chosen.iter().map(|&look| &self.looks[look]).filter(|look| wanted(look.tile));
            wanted.map(|look| look.profile.clone()).reduce(|mut sum, profile| {
                sum.0.iter_mut().zip(&profile.0).for_each(|(sum, value)| *sum += value);
                sum.1.iter_mut().zip(&profile.1).for_each(|(sum, value)| *sum += value);
                sum
            })
        };
        scaled.flat_map(|chosen| kinds.into_iter().filter_map(move |kind| of(&chosen, kind))).collect()
    }

    /// The pictures for tiles of this width, at every scale.
    pub fn at(&self, width: f64) -> Scaled<'_> {
        if let Some((theme, looks)) = self.of_width(width) {
            return Scaled { own: Some(theme), ..looks.at(width) };
        }
        let mut chosen: Vec<usize> =
            self.scales.iter().flat_map(|&scale| self.nearest(width / f64::from(scale))).collect();
        chosen.sort_unstable();
        chosen.dedup();
        Scaled { all: self, chosen, own: None }
    }

    /// The theme as it is on tiles of this width, where it has looks that do not grow with the tile.
    fn of_width(&self, width: f64) -> Option<&(Theme, Looks)> {
        let sized = self.sized.as_ref()?;
        let width = width.round();
        let slot = sized.at.get(width as usize)?;
        (width >= SMALLEST).then(|| slot.get_or_init(|| sized.of_width(self, width)))
    }

    /// Of every look the pictures of the nearest size below and above.
    fn nearest(&self, width: f64) -> Vec<usize> {
        let of_size = |index: usize| f64::from(self.looks[index].width);
        let is_nearest = |&index: &usize| {
            let own = of_size(index);
            let between =
                (0..self.looks.len()).filter(|&other| self.looks[other].tile == self.looks[index].tile).any(|other| {
                    let other = of_size(other);
                    (own < other && other <= width) || (width <= other && other < own)
                });
            !between
        };
        (0..self.looks.len()).filter(is_nearest).collect()
    }
}

impl PerWidth {
    fn new(theme: &Theme) -> Self {
        Self { theme: theme.clone(), at: vec![OnceLock::new(); WIDEST] }
    }

    /// Looks that keep their size as they are on tiles of this width, and the nearest pictures of all.
    fn of_width(&self, all: &Looks, width: f64) -> (Theme, Looks) {
        let mut theme = Theme { fixed: None, pictures: Vec::new(), ..self.theme.clone() };
        let Some(fixed) = &self.theme.fixed else { return (self.theme.clone(), all.clone()) };
        let is_fixed = |picture: &&Picture| fixed.looks.contains(picture.tile.to_char());
        for tile in self.theme.looks() {
            let own = self.theme.pictures.iter().filter(is_fixed).filter(|picture| picture.tile == tile);
            if let Some(widest) = own.max_by_key(|picture| picture.pixels.width()) {
                let pixels = fixed.of_size(&widest.pixels, width as u32);
                theme.pictures.push(Picture { tile, file: widest.file.clone(), pixels });
            }
        }
        // A screenshot may have been enlarged with all that is in it: then they are as large as in the pictures there are.
        theme.pictures.extend(all.nearest(width).into_iter().map(|index| self.theme.pictures[index].clone()));
        let looks = Looks::new(&theme);
        (theme, looks)
    }
}

impl Scaled<'_> {
    /// What a tile is taken for.
    pub fn classify(&self, patch: &Patch) -> TileReading {
        let looks = &self.all.looks;
        let all = self.distances(patch);
        let nearest = all.iter().min_by(|a, b| a.distance.total_cmp(&b.distance));
        let Some(&Near { look: best, distance, .. }) = nearest else { return TileReading::NOTHING };
        let others = all.iter().filter(|other| looks[other.look].tile != looks[best].tile);
        let lead = |other: &Near| self.lead(best, distance, other.look, other.distance);
        let second = others.map(|other| (other.look, other.distance, lead(other)));
        let second = second.min_by(|a, b| a.2.total_cmp(&b.2));
        let (score, lead) = (self.score(best, distance), second.map_or(1.0, |(_, _, lead)| lead));
        let known =
            score >= self.all.belief.accept && lead >= self.all.belief.margin && !looks[best].lacks_border(patch);
        TileReading {
            tile: if known { looks[best].tile } else { Tile::Unrecognised },
            best: looks[best].tile,
            score,
            lead: lead.clamp(0.0, 1.0),
            runner_up: second.map(|(other, far, _)| (looks[other].tile, self.score(other, far))),
        }
    }

    /// The pictures with their distances: as they are if one of them is as good as identical, or else shifted and stretched to
    /// the tile. Those that are clearly too far away to matter are at least as far as is said.
    fn distances(&self, patch: &Patch) -> Vec<Near> {
        let looks = &self.all.looks;
        let seen = Seen::new(patch);
        let mut all: Vec<Near> = self.chosen.iter().map(|&look| Near::new(look, &looks[look], &seen)).collect();
        let likeliest = all.iter_mut().min_by(|a, b| a.distance.total_cmp(&b.distance));
        let Some(mut nearest) = likeliest.map(|near| (near.look, near.plain(looks, &seen))) else { return all };
        for near in &mut all {
            if near.distance < nearest.1 && near.plain(looks, &seen) < nearest.1 {
                nearest = (near.look, near.distance);
            }
        }
        // However it is shifted and stretched.
        let moved = |look: usize, far: f32| (far.sqrt() - looks[look].most).max(0.0).powi(2);
        let may_be = |look: usize, far: f32| self.score(look, moved(look, far)) >= self.all.belief.accept;
        let is_like_any =
            all.iter_mut().any(|near| may_be(near.look, near.distance) && may_be(near.look, near.plain(looks, &seen)));
        let is_exact = self.score(nearest.0, nearest.1) >= EXACT;
        if !is_like_any {
            all.iter_mut().for_each(|near| _ = near.plain(looks, &seen));
        } else {
            let mut best = nearest;
            if !is_exact {
                best.1 = looks[best.0].aligned(best.1, &seen);
            }
            let clear = self.all.belief.margin.max(CLEAR);
            let at_least = |look: usize, far: f32| match is_exact {
                true => far,
                // The tile differs from the nearest picture by little, and how that lies to this one is known.
                false => {
                    let along = self.all.along[nearest.0 * looks.len() + look] + nearest.1.sqrt();
                    moved(look, far).max(far - along * along)
                }
            };
            loop {
                let before = best.0;
                for near in all.iter_mut().filter(|near| near.known != Known::Aligned) {
                    let is_clear =
                        |near: &Near| self.lead(best.0, best.1, near.look, at_least(near.look, near.distance)) > clear;
                    if is_clear(near) {
                        continue;
                    }
                    near.plain(looks, &seen);
                    if is_exact || !is_clear(near) {
                        if !is_exact {
                            near.distance = looks[near.look].aligned(near.distance, &seen);
                        }
                        near.known = Known::Aligned;
                        if near.distance < best.1 {
                            best = (near.look, near.distance);
                        }
                    }
                }
                // What was clear of the best one before may not be clear of this one.
                if best.0 == before {
                    break;
                }
            }
            for near in all.iter_mut().filter(|near| near.known != Known::Aligned) {
                near.distance = at_least(near.look, near.distance);
            }
        }
        all
    }

    /// Whether an open tile without a number looks like any plain surface, as far as its picture is compared.
    pub fn has_plain_zero(&self) -> bool {
        let zeros = self.chosen.iter().map(|&look| &self.all.looks[look]).filter(|look| look.tile == Tile::Open(0));
        zeros.into_iter().any(|look| {
            let compared = |index: &usize| look.mask.as_ref().is_none_or(|mask| mask[*index] != 0);
            let greens = (1..VALUES).step_by(3).filter(compared).map(|index| look.patch[index]);
            greens.clone().max().unwrap_or(0) - greens.min().unwrap_or(0) < PLAIN
        })
    }

    /// All pictures of this scale with their scores, the best first.
    pub fn compare(&self, patch: &Patch, theme: &Theme) -> Vec<Compared> {
        let seen = Seen::new(patch);
        let theme = self.own.unwrap_or(theme);
        let compared = |&look: &usize| Compared {
            tile: self.all.looks[look].tile,
            pixels: theme.pictures[look].pixels.clone(),
            score: self.score(look, {
                let look = &self.all.looks[look];
                look.aligned(look.distance(&seen), &seen)
            }),
        };
        let mut all: Vec<Compared> = self.chosen.iter().map(compared).collect();
        all.sort_by(|a, b| b.score.total_cmp(&a.score));
        all
    }

    /// How near the nearest picture is just as it is, for finding the place of tiles: 1 is identical, -1 is far away.
    pub fn nearness(&self, patch: &Patch) -> f64 {
        let seen = Seen::new(patch);
        let looks = || self.chosen.iter().map(|&index| &self.all.looks[index]);
        let least: Vec<f32> = looks().map(|look| look.least(&seen).sqrt() / look.reach).collect();
        let likeliest = (0..least.len()).min_by(|&a, &b| least[a].total_cmp(&least[b]));
        let far = |look: &Look| look.distance(&seen).sqrt() / look.reach;
        let mut nearest = likeliest.map_or(2.0, |index| far(&self.all.looks[self.chosen[index]]).min(2.0));
        for (index, (look, &least)) in looks().zip(&least).enumerate() {
            if least < nearest && Some(index) != likeliest {
                nearest = nearest.min(far(look));
            }
        }
        1.0 - f64::from(nearest)
    }

    /// The nearest picture just as it is, and how near it is.
    pub fn nearest_picture(&self, patch: &Patch) -> Option<(&Patch, f64)> {
        let seen = Seen::new(patch);
        let near = |&index: &usize| {
            let look = &self.all.looks[index];
            (&*look.patch, 1.0 - f64::from(look.distance(&seen).sqrt() / look.reach))
        };
        self.chosen.iter().map(near).max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// The pictures of one tile.
    pub fn pictures(&self, tile: Tile) -> Vec<&Patch> {
        let looks = self.chosen.iter().map(|&index| &self.all.looks[index]);
        looks.filter(|look| look.tile == tile).map(|look| &*look.patch).collect()
    }

    /// Whether a tile is one of the pictures, as far as anybody can see.
    pub fn is_exact(&self, patch: &Patch) -> bool {
        let seen = Seen::new(patch);
        let mut looks = self.chosen.iter().map(|&look| &self.all.looks[look]);
        looks.any(|look| look.aligned(look.distance(&seen), &seen).sqrt() < f32::from(PLAIN))
    }

    /// How near the nearest picture is just as it is, by a part of a tile only; `None` if that part is plain, as any surface is.
    pub fn part_nearness(&self, patch: &Patch, columns: &Range<usize>, lines: &Range<usize>) -> Option<f64> {
        let places = || lines.clone().flat_map(|y| columns.clone().map(move |x| (y * SIDE + x) * 3));
        let greens = || places().map(|place| patch[place + 1]);
        let is_plain = greens().max()? - greens().min()? < PLAIN;
        if is_plain {
            return None;
        }
        let mut part = [0; VALUES];
        places().for_each(|place| part[place..place + 3].fill(1));
        let values = (columns.len() * lines.len() * 3) as f32;
        let near = |&look: &usize| {
            let look = &self.all.looks[look];
            (squares_within(&look.patch, patch, &part) as f32 / values).sqrt() / look.reach
        };
        Some(1.0 - f64::from(self.chosen.iter().map(near).fold(f32::INFINITY, f32::min)))
    }

    fn lead(&self, best: usize, distance: f32, other: usize, far: f32) -> f32 {
        (far - distance) / self.all.apart[best * self.all.looks.len() + other].max(f32::EPSILON)
    }

    fn score(&self, look: usize, distance: f32) -> f32 {
        let reach = self.all.looks[look].reach;
        // With pictures of one tile only there is nothing to measure by but the whole range of colours.
        let reach = if reach.is_finite() { reach.max(f32::EPSILON) } else { 255.0 };
        (1.0 - distance.sqrt() / reach).max(0.0)
    }
}

/// One picture, ready to be compared.
#[derive(Clone, Debug)]
struct Look {
    tile: Tile,
    /// Width of the picture.
    width: u32,
    patch: Box<Patch>,
    sketch: Sketch,
    /// The sum of its squares.
    square: i32,
    /// The sum of its values.
    total: i32,
    /// 1 where the picture is opaque, 0 where it is not to be compared.
    mask: Option<Box<Patch>>,
    /// How many of its values are compared.
    values: u32,
    /// How much lighter or darker it may be, in grey levels.
    tint: f32,
    tangents: Vec<Tangent>,
    /// How far it can move by shift and stretch.
    most: f32,
    /// Distance to the nearest picture of another tile.
    reach: f32,
    /// Where it has edges, across and down.
    profile: (Vec<f32>, Vec<f32>),
}

/// A direction in which a picture changes when it is shifted or stretched a little.
#[derive(Clone, Debug)]
struct Tangent {
    /// Of length [`ONE`].
    direction: Box<Patch>,
    /// How far along it the picture is, times [`ONE`].
    start: i32,
    /// How far it may go.
    limit: f32,
}

/// The length of a direction: as long as fits 16 bits.
const ONE: f32 = 16384.0;

impl Look {
    fn new(picture: &Picture, tint: f32) -> Self {
        let patch = Box::new(whole(&picture.pixels));
        let mask = mask(&picture.pixels);
        let values = mask.as_ref().map_or(VALUES as u32, |mask| mask.iter().map(|&m| m as u32).sum()).max(1);
        // What is masked never differs, however the rest is shifted.
        let tangents = tangents(&patch, mask.as_deref(), tint > 0.0);
        let most = tangents.iter().map(|tangent| tangent.limit.powi(2)).sum::<f32>().sqrt() / (values as f32).sqrt();
        let width = picture.pixels.width();
        let profile = profile_of(&picture.pixels);
        let Seen { sketch, square, total, .. } = Seen::new(&patch);
        Self {
            tile: picture.tile,
            width,
            patch,
            sketch,
            square,
            total,
            mask,
            values,
            tint,
            tangents,
            most,
            reach: f32::INFINITY,
            profile,
        }
    }

    /// Its picture as a tile.
    fn seen(&self) -> Seen<'_> {
        Seen { patch: &self.patch, sketch: self.sketch, square: self.square, total: self.total }
    }

    /// Mean squared difference to the picture as it is, but for its tint.
    fn distance(&self, seen: &Seen) -> f32 {
        let Some(mask) = &self.mask else {
            // (a - b)² = a² + b² - 2ab
            let far = self.square + seen.square - 2 * product(&self.patch, seen.patch);
            return self.tinted(far as f32 / VALUES as f32, seen.total - self.total);
        };
        let far = squares_within(&self.patch, seen.patch, mask) as f32 / self.values as f32;
        if self.tint == 0.0 { far } else { self.tinted(far, product(mask, seen.patch) - product(mask, &self.patch)) }
    }

    /// Whether an empty tile has no border on a side, whatever the colour of that, where the picture has one: it is a plain
    /// surface then, or partly under one.
    fn lacks_border(&self, patch: &Patch) -> bool {
        if self.mask.is_none() || self.tile != Tile::Open(0) {
            return false;
        }
        let (start, middle, end) = (0..SIDE / 4, SIDE / 4..SIDE * 3 / 4, SIDE * 3 / 4..SIDE);
        let sides = [(&start, &middle), (&end, &middle), (&middle, &start), (&middle, &end)];
        let has_line = |patch: &Patch, (columns, lines): (&Range<usize>, &Range<usize>)| {
            (0..3).any(|channel| {
                let place = |(x, y)| (y * SIDE + x) * 3 + channel;
                let places = || lines.clone().flat_map(|y| columns.clone().map(move |x| (x, y)));
                let values = || places().map(|at| patch[place(at)]);
                values().max().unwrap_or(0) - values().min().unwrap_or(0) >= PLAIN
            })
        };
        sides.into_iter().any(|side| has_line(&self.patch, side) && !has_line(patch, side))
    }

    /// No more than the distance, by a look at the sketches.
    fn least(&self, seen: &Seen) -> f32 {
        if self.mask.is_some() {
            return 0.0;
        }
        let far = squares(&self.sketch, &seen.sketch) as f32 / (BLOCK * VALUES) as f32;
        self.tinted(far, seen.total - self.total)
    }

    /// What is left of a distance to a tile that is lighter by so much, summed over its values, if the picture may become lighter or
    /// darker.
    fn tinted(&self, far: f32, lighter: i32) -> f32 {
        let offset = lighter as f32 / self.values as f32;
        let step = offset.clamp(-self.tint, self.tint);
        (far - 2.0 * step * offset + step * step).max(0.0)
    }

    /// How far it is to another picture along all directions of shift and stretch, as the root of a mean square.
    fn most_along(&self, other: &Look) -> f32 {
        if self.mask.is_some() || other.mask.is_some() {
            return f32::INFINITY;
        }
        let along = self.tangents.iter().map(|tangent| tangent.along(&other.patch));
        (along.map(|along| along * along).sum::<f32>() / self.values as f32).sqrt()
    }

    /// Mean squared difference to the nearest shift and stretch of the picture, of a tile at this distance from it.
    fn aligned(&self, distance: f32, seen: &Seen) -> f32 {
        let gained: f32 = self
            .tangents
            .iter()
            .map(|tangent| {
                let along = tangent.along(seen.patch);
                let step = along.clamp(-tangent.limit, tangent.limit);
                2.0 * step * along - step * step
            })
            .sum();
        (distance - gained / self.values as f32).max(0.0)
    }
}

impl Tangent {
    /// How far a tile is from the picture in this direction.
    fn along(&self, patch: &Patch) -> f32 {
        (product(&self.direction, patch) - self.start) as f32 / ONE
    }
}

/// A tile to be compared.
struct Seen<'a> {
    patch: &'a Patch,
    sketch: Sketch,
    /// The sum of its squares.
    square: i32,
    /// The sum of its values.
    total: i32,
}

impl<'a> Seen<'a> {
    fn new(patch: &'a Patch) -> Self {
        let sketch = sketch(patch);
        let total = sketch.iter().map(|&sum| i32::from(sum)).sum();
        Self { patch, sketch, square: product(patch, patch), total }
    }
}

/// A picture, and how far a tile is from it.
struct Near {
    look: usize,
    distance: f32,
    known: Known,
}

/// What a distance is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    /// It is no less than this.
    Least,
    /// To the picture as it is.
    Plain,
    /// To the picture as it is compared in the end.
    Aligned,
}

impl Near {
    fn new(index: usize, look: &Look, seen: &Seen) -> Self {
        Self { look: index, distance: look.least(seen), known: Known::Least }
    }

    /// The distance to the picture as it is, at least.
    fn plain(&mut self, looks: &[Look], seen: &Seen) -> f32 {
        if self.known == Known::Least {
            (self.distance, self.known) = (looks[self.look].distance(seen), Known::Plain);
        }
        self.distance
    }
}

/// The sum of squared differences.
fn squares(a: &[i16], b: &[i16]) -> i32 {
    let (a, b) = (a.as_chunks().0, b.as_chunks().0);
    sum(a.iter().zip(b).map(|(a, b)| {
        let difference = i16x8::new(*a) - i16x8::new(*b);
        difference.dot(difference)
    }))
}

/// The same where a mask is 1 and not 0.
fn squares_within(a: &Patch, b: &Patch, mask: &Patch) -> i32 {
    let (a, b, mask) = (a.as_chunks().0, b.as_chunks().0, mask.as_chunks().0);
    sum(a.iter().zip(b).zip(mask).map(|((a, b), mask)| {
        let difference = i16x8::new(*a) - i16x8::new(*b);
        difference.dot(difference * i16x8::new(*mask))
    }))
}

/// The sum of products.
fn product(a: &Patch, b: &Patch) -> i32 {
    let (a, b) = (a.as_chunks().0, b.as_chunks().0);
    sum(a.iter().zip(b).map(|(a, b)| i16x8::new(*a).dot(i16x8::new(*b))))
}

fn sum(parts: impl Iterator<Item = i32x4>) -> i32 {
    parts.fold(i32x4::ZERO, |sum, part| sum + part).reduce_add()
}

/// The directions of shift and stretch, across and down, at right angles to each other (Gram-Schmidt), and to becoming lighter
/// where that is a direction of its own.
fn tangents(patch: &Patch, mask: Option<&Patch>, is_tinted: bool) -> Vec<Tangent> {
    let at = |x: usize, y: usize, channel: usize| f32::from(patch[(y * SIDE + x) * 3 + channel]);
    let half = (SIDE as f32 - 1.0) / 2.0;
    let direction = |down: bool, stretch: bool| -> Vec<f32> {
        let slope = |index: usize| {
            let (channel, x, y) = (index % 3, index / 3 % SIDE, index / 3 / SIDE);
            let along = if down { y } else { x };
            let (before, after) = (along.saturating_sub(1), (along + 1).min(SIDE - 1));
            let value = |place| if down { at(x, place, channel) } else { at(place, y, channel) };
            let weight = if stretch { (along as f32 - half) / half } else { 1.0 };
            let counts = mask.map_or(1.0, |mask| f32::from(mask[index]));
            (value(after) - value(before)) / 2.0 * weight * counts
        };
        (0..VALUES).map(slope).collect()
    };
    let mut units: Vec<(Vec<f32>, f32)> = Vec::new();
    for (down, stretch) in [(false, false), (true, false), (false, true), (true, true)] {
        let mut vector = direction(down, stretch);
        if is_tinted {
            let counts = |index: usize| mask.map_or(1.0, |mask| f32::from(mask[index]));
            let mean = vector.iter().sum::<f32>() / (0..VALUES).map(counts).sum::<f32>().max(1.0);
            vector.iter_mut().enumerate().for_each(|(index, value)| *value -= mean * counts(index));
        }
        for (unit, _) in &units {
            let along: f32 = unit.iter().zip(&vector).map(|(a, b)| a * b).sum();
            vector.iter_mut().zip(unit).for_each(|(value, unit)| *value -= along * unit);
        }
        let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
        if length > 1.0 {
            vector.iter_mut().for_each(|value| *value /= length);
            units.push((vector, length));
        }
    }
    let tangent = |(unit, length): (Vec<f32>, f32)| {
        let mut direction = Box::new([0; VALUES]);
        direction.iter_mut().zip(&unit).for_each(|(whole, value)| *whole = (value * ONE) as i16);
        Tangent { start: product(&direction, patch), direction, limit: length * SLACK }
    };
    units.into_iter().map(tangent).collect()
}

/// Which parts of a picture are to be compared; `None` if all are.
fn mask(picture: &RgbaImage) -> Option<Box<Patch>> {
    if picture.pixels().all(|pixel| pixel[3] == 255) {
        return None;
    }
    let mut alpha = picture.clone();
    for pixel in alpha.pixels_mut() {
        *pixel = Rgba([pixel[3], pixel[3], pixel[3], 255]);
    }
    Some(Box::new(whole(&alpha).map(|part| i16::from(part >= 128))))
}
