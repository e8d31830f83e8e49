//! One tile + a [`Skin`] → [`TileReading`].
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
//! ([`crate::client::Belief`]).

use super::look::{Look, PLAIN, Seen, squares_within};
use super::patch::{Patch, SIDE, VALUES};
use super::skin::Skin;
use crate::board::Tile;
use crate::vision::grid::Way;
use crate::vision::reading::TileReading;
use image::RgbaImage;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

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

/// A lead that leaves no doubt: how much larger it is tells nothing.
const CLEAR: f32 = 0.5;
/// A score at which no shift or stretch is needed.
const EXACT: f32 = 0.95;

/// A reach, in grey levels, below which what is between pixels or was rounded makes one look of another: nothing less than [`EXACT`] is believed there.
/// Pale digits of 8 pixels on tiles of 96 are 0.3 to 0.8 apart, and of 1134 such tiles that were read from a score of 0.7 on six were taken for others.
const FAINTEST: f32 = 1.5;

/// The reach of a look that is the only one of its theme, in grey levels: about that of the faintest of the known themes.
const LONE: f32 = 12.0;

impl Skin {
    /// What a tile is taken for.
    pub fn classify(&self, seen: &Seen) -> TileReading {
        let looks = &self.all.looks;
        let all = self.distances(seen);
        let nearest = all.iter().min_by(|a, b| a.distance.total_cmp(&b.distance));
        let Some(&Near { look: best, distance, .. }) = nearest else { return TileReading::NOTHING };
        let others = all.iter().filter(|other| looks[other.look].tile != looks[best].tile);
        let lead = |other: &Near| self.lead(best, distance, other.look, other.distance);
        let second = others.map(|other| (other.look, other.distance, lead(other)));
        let second = second.min_by(|a, b| a.2.total_cmp(&b.2));
        let (score, lead) = (self.score(best, distance), second.map_or(1.0, |(_, _, lead)| lead));
        let accept = if self.reach_of(best) < FAINTEST { EXACT } else { 0.0 }.max(self.all.belief.accept);
        // A client whose lines between tiles fall to one or the other has pictures without a border, too.
        let may_be = |other: &Near| self.score(other.look, other.distance) >= accept;
        let same = || all.iter().filter(|other| looks[other.look].tile == looks[best].tile && may_be(other));
        let is_other = || same().all(|other| looks[other.look].lacks_border(seen)) || looks[best].is_other(seen);
        let known = score >= accept && lead >= self.all.belief.margin && !is_other();
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
    fn distances(&self, seen: &Seen) -> Vec<Near> {
        let looks = &self.all.looks;
        let mut all: Vec<Near> = self.chosen.iter().map(|&look| Near::new(look, &looks[look], seen)).collect();
        let likeliest = all.iter_mut().min_by(|a, b| a.distance.total_cmp(&b.distance));
        let Some(mut nearest) = likeliest.map(|near| (near.look, near.plain(looks, seen))) else { return all };
        for near in &mut all {
            if near.distance < nearest.1 && near.plain(looks, seen) < nearest.1 {
                nearest = (near.look, near.distance);
            }
        }
        // However it is shifted and stretched.
        let moved = |look: usize, far: f32| (far.sqrt() - looks[look].most).max(0.0).powi(2);
        let may_be = |look: usize, far: f32| self.score(look, moved(look, far)) >= self.all.belief.accept;
        let is_like_any =
            all.iter_mut().any(|near| may_be(near.look, near.distance) && may_be(near.look, near.plain(looks, seen)));
        let is_exact = self.score(nearest.0, nearest.1) >= EXACT;
        if !is_like_any {
            all.iter_mut().for_each(|near| _ = near.plain(looks, seen));
        } else {
            let mut best = nearest;
            if !is_exact {
                best.1 = looks[best.0].aligned(best.1, seen);
            }
            let clear = self.all.belief.margin.max(CLEAR);
            let at_least = |look: usize, far: f32| match is_exact {
                true => far,
                // The tile differs from the nearest picture by little, and how that lies to this one is known.
                false => {
                    let along = self.all.along(nearest.0, look) + nearest.1.sqrt();
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
                    near.plain(looks, seen);
                    if is_exact || !is_clear(near) {
                        if !is_exact {
                            near.distance = looks[near.look].aligned(near.distance, seen);
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
        self.looks().filter(|look| look.tile == Tile::Open(0)).any(is_plain_look)
    }

    /// Whether a tile can be nothing but the board's: it is recognised, and more than a plain surface, as is the picture it is nearest to. A word on
    /// the ground looks like that, too.
    pub fn is_shown(&self, seen: &Seen) -> bool {
        let is_plain_surface = || self.likeliest(seen).is_some_and(|(index, _)| is_plain_look(&self.all.looks[index]));
        !is_plain(seen.iter().skip(1).step_by(3).copied())
            && self.classify(seen).tile != Tile::Unrecognised
            && !is_plain_surface()
    }

    /// All pictures of this scale with their scores, the best first.
    pub fn compare(&self, seen: &Seen) -> Vec<Compared> {
        let compared = |&look: &usize| Compared {
            tile: self.all.looks[look].tile,
            pixels: self.all.theme.pictures[look].pixels.clone(),
            score: self.score(look, {
                let look = &self.all.looks[look];
                look.aligned(look.distance(seen), seen)
            }),
        };
        let mut all: Vec<Compared> = self.chosen.iter().map(compared).collect();
        all.sort_by(|a, b| b.score.total_cmp(&a.score));
        all
    }

    /// How near the nearest picture is just as it is, for finding the place of tiles: 1 is identical, -1 is far away.
    pub fn nearness(&self, seen: &Seen) -> f64 {
        self.likeliest(seen).map_or(-1.0, |(_, far)| 1.0 - f64::from(far.min(2.0)))
    }

    /// The nearest picture just as it is, and how far it is as a share of its reach.
    fn likeliest(&self, seen: &Seen) -> Option<(usize, f32)> {
        let share = |index: usize, squared: f32| squared.sqrt() / self.reach_of(index);
        let least: Vec<f32> =
            self.chosen.iter().map(|&index| share(index, self.all.looks[index].least(seen))).collect();
        let far = |index: usize| share(index, self.all.looks[index].distance(seen));
        let first = (0..least.len()).min_by(|&a, &b| least[a].total_cmp(&least[b]))?;
        let mut nearest = (self.chosen[first], far(self.chosen[first]));
        for (&index, &least) in self.chosen.iter().zip(&least) {
            if least < nearest.1 && index != self.chosen[first] {
                let far = far(index);
                nearest = if far < nearest.1 { (index, far) } else { nearest };
            }
        }
        Some(nearest)
    }

    /// How far a tile's content lies right of (or below) the picture that is nearest, in parts of a patch, and how sure that is; `None`
    /// if no picture is near enough to tell.
    pub fn shift(&self, seen: &Seen) -> Option<[(f32, f32); 2]> {
        let (index, far) = self.likeliest(seen)?;
        let shift = |way| self.all.looks[index].shift(seen, way).unwrap_or((0.0, 0.0));
        (far < 1.5).then(|| Way::BOTH.map(shift))
    }

    /// The nearest picture just as it is, and how near it is.
    pub fn nearest_picture(&self, seen: &Seen) -> Option<(&Patch, f64)> {
        let (index, far) = self.likeliest(seen)?;
        Some((&self.all.looks[index].seen, 1.0 - f64::from(far)))
    }

    /// The pictures that are compared.
    pub fn looks(&self) -> impl Iterator<Item = &Look> {
        self.chosen.iter().map(|&index| &*self.all.looks[index])
    }

    /// The sizes of the pictures that are compared, in pixels.
    pub fn sizes(&self) -> BTreeSet<(u32, u32)> {
        self.chosen.iter().map(|&index| self.all.theme.pictures[index].pixels.dimensions()).collect()
    }

    /// The pictures of one tile.
    pub fn pictures(&self, tile: Tile) -> Vec<&Patch> {
        self.looks().filter(|look| look.tile == tile).map(|look| &*look.seen).collect()
    }

    /// Whether a tile is one of the pictures, as far as anybody can see.
    pub fn is_exact(&self, seen: &Seen) -> bool {
        self.looks().any(|look| look.aligned(look.distance(seen), seen).sqrt() < f32::from(PLAIN))
    }

    /// How near the nearest picture is just as it is, by a part of a tile only; `None` if that part is plain, as any surface is.
    pub fn part_nearness(&self, patch: &Patch, columns: &Range<usize>, lines: &Range<usize>) -> Option<f64> {
        let places = || lines.clone().flat_map(|y| columns.clone().map(move |x| (y * SIDE + x) * 3));
        if is_plain(places().map(|place| patch[place + 1])) {
            return None;
        }
        let mut part = [0; VALUES];
        places().for_each(|place| part[place..place + 3].fill(1));
        let values = (columns.len() * lines.len() * 3) as f32;
        let near = |&index: &usize| {
            let look = &self.all.looks[index];
            (squares_within(&look.seen, patch, &part) as f32 / values).sqrt() / self.reach_of(index)
        };
        Some(1.0 - f64::from(self.chosen.iter().map(near).fold(f32::INFINITY, f32::min)))
    }

    fn lead(&self, best: usize, distance: f32, other: usize, far: f32) -> f32 {
        (far - distance) / self.all.apart(best, other).max(f32::EPSILON)
    }

    fn score(&self, look: usize, distance: f32) -> f32 {
        (1.0 - distance.sqrt() / self.reach_of(look)).max(0.0)
    }

    /// Distance to the nearest picture of another tile. With pictures of one tile only there is nothing to measure by but the
    /// contrast of what is on it.
    fn reach_of(&self, look: usize) -> f32 {
        let reach = self.reach(look);
        if reach.is_finite() { reach.max(f32::EPSILON) } else { LONE }
    }
}

/// Whether a picture is a plain surface, as far as it is compared.
fn is_plain_look(look: &Look) -> bool {
    let compared = |index: &usize| look.mask.as_ref().is_none_or(|mask| mask[*index] != 0);
    is_plain((1..VALUES).step_by(3).filter(compared).map(|index| look.seen[index]))
}

/// Whether nobody sees a difference between these values of one channel.
fn is_plain(values: impl Iterator<Item = i16> + Clone) -> bool {
    values.clone().max().unwrap_or(0) - values.min().unwrap_or(0) < PLAIN
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
    fn plain(&mut self, looks: &[Arc<Look>], seen: &Seen) -> f32 {
        if self.known == Known::Least {
            (self.distance, self.known) = (looks[self.look].distance(seen), Known::Plain);
        }
        self.distance
    }
}
