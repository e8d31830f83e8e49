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

use super::TileReading;
use super::lattice::profile_of;
use super::patch::{Patch, SIDE, VALUES, whole};
use crate::board::Tile;
use crate::client::{Belief, Theme};

/// The pictures of a theme, ready to be compared.
#[derive(Clone, Debug)]
pub struct Looks {
    belief: Belief,
    looks: Vec<Look>,
    /// Squared distance between every two looks, row by row.
    apart: Vec<f32>,
    /// Width of a tile by its height.
    aspect: f64,
    /// Where a tile has edges, across and down: hidden tiles, open ones, numbers.
    profiles: Vec<(Vec<f32>, Vec<f32>)>,
}

#[derive(Clone, Debug)]
struct Look {
    tile: Tile,
    patch: Box<Patch>,
    /// 255 where the picture is opaque, if it is not so everywhere.
    mask: Option<Box<Patch>>,
    /// Distance to the nearest picture of another tile.
    reach: f32,
}

impl Look {
    /// Mean squared difference, over the opaque parts.
    fn distance(&self, patch: &Patch) -> f32 {
        let Some(mask) = &self.mask else { return squares(&self.patch, patch) as f32 / VALUES as f32 };
        let (mut sum, mut values) = (0, 0);
        for ((a, b), m) in self.patch.iter().zip(patch).zip(mask.iter()) {
            if *m != 0 {
                sum += u32::from(a.abs_diff(*b)).pow(2);
                values += 1;
            }
        }
        sum as f32 / values.max(1) as f32
    }
}

fn squares(a: &Patch, b: &Patch) -> i32 {
    let difference = |(a, b): (&u8, &u8)| i32::from(i16::from(*a) - i16::from(*b));
    a.iter().zip(b).map(difference).map(|d| d * d).sum()
}

impl Looks {
    /// Prepares a theme's pictures.
    pub fn new(theme: &Theme) -> Self {
        let mut looks: Vec<Look> = theme
            .pictures
            .iter()
            .map(|picture| Look {
                tile: picture.tile,
                patch: Box::new(whole(&picture.pixels)),
                mask: mask(&picture.pixels),
                reach: f32::INFINITY,
            })
            .collect();
        let apart: Vec<f32> = looks.iter().flat_map(|a| looks.iter().map(|b| a.distance(&b.patch))).collect();
        for index in 0..looks.len() {
            let row = &apart[index * looks.len()..][..looks.len()];
            let others = looks.iter().zip(row).filter(|(other, _)| other.tile != looks[index].tile);
            looks[index].reach = others.map(|(_, distance)| distance.sqrt()).fold(f32::INFINITY, f32::min);
        }
        let hidden = theme.pictures.iter().find(|picture| picture.tile == Tile::Hidden);
        let aspect =
            hidden.map_or(1.0, |picture| f64::from(picture.pixels.width()) / f64::from(picture.pixels.height()));
        Self { belief: theme.belief, looks, apart, aspect, profiles: profiles(theme) }
    }

    /// Width of a tile by its height.
    pub fn aspect(&self) -> f64 {
        self.aspect
    }

    /// Where tiles have edges, across and down, one pair for every kind of tile (see [`super::lattice::Axis::profile`]).
    pub fn profiles(&self) -> &[(Vec<f32>, Vec<f32>)] {
        &self.profiles
    }

    /// What a tile is taken for.
    pub fn classify(&self, patch: &Patch) -> TileReading {
        let distances: Vec<f32> = self.looks.iter().map(|look| look.distance(patch)).collect();
        let by_distance = |a: &usize, b: &usize| distances[*a].total_cmp(&distances[*b]);
        let Some(best) = (0..self.looks.len()).min_by(by_distance) else {
            return TileReading {
                tile: Tile::Unrecognised,
                best: Tile::Unrecognised,
                score: 0.0,
                lead: 0.0,
                runner_up: None,
            };
        };
        let look = &self.looks[best];
        let others = (0..self.looks.len()).filter(|&other| self.looks[other].tile != look.tile);
        let lead = |other: usize| {
            (distances[other] - distances[best]) / self.apart[best * self.looks.len() + other].max(f32::EPSILON)
        };
        let second = others.map(|other| (other, lead(other))).min_by(|a, b| a.1.total_cmp(&b.1));
        let score = self.score(best, distances[best]);
        let lead = second.map_or(1.0, |(_, lead)| lead);
        let known = score >= self.belief.accept && lead >= self.belief.margin;
        TileReading {
            tile: if known { look.tile } else { Tile::Unrecognised },
            best: look.tile,
            score,
            lead: lead.clamp(0.0, 1.0),
            runner_up: second.map(|(other, _)| (self.looks[other].tile, self.score(other, distances[other]))),
        }
    }

    fn score(&self, look: usize, distance: f32) -> f32 {
        let reach = self.looks[look].reach;
        // With pictures of one tile only there is nothing to measure by but the whole range of colours.
        let reach = if reach.is_finite() { reach.max(f32::EPSILON) } else { 255.0 };
        (1.0 - distance.sqrt() / reach).max(0.0)
    }
}

/// The edges of hidden tiles, of open ones without a number, and of all numbers together.
fn profiles(theme: &Theme) -> Vec<(Vec<f32>, Vec<f32>)> {
    let add = |sum: &mut Vec<f32>, profile: &[f32]| sum.iter_mut().zip(profile).for_each(|(sum, value)| *sum += value);
    let of = |wanted: fn(Tile) -> bool| {
        let mut sums: Option<(Vec<f32>, Vec<f32>)> = None;
        for picture in theme.pictures.iter().filter(|picture| wanted(picture.tile)) {
            let (across, down) = profile_of(&picture.pixels);
            let (all_across, all_down) = sums.get_or_insert_with(|| (vec![0.0; across.len()], vec![0.0; down.len()]));
            add(all_across, &across);
            add(all_down, &down);
        }
        sums
    };
    let kinds = [|tile| tile == Tile::Hidden, |tile| tile == Tile::Open(0), |tile| matches!(tile, Tile::Open(1..))];
    kinds.into_iter().filter_map(of).collect()
}

/// Which parts of a picture are to be compared; `None` if all are.
fn mask(picture: &image::RgbaImage) -> Option<Box<Patch>> {
    if picture.pixels().all(|pixel| pixel[3] == 255) {
        return None;
    }
    let mut alpha = picture.clone();
    for pixel in alpha.pixels_mut() {
        *pixel = image::Rgba([pixel[3], pixel[3], pixel[3], 255]);
    }
    let mut mask = whole(&alpha);
    for part in &mut mask {
        *part = if *part >= 128 { 255 } else { 0 };
    }
    debug_assert_eq!(mask.len(), SIDE * SIDE * 3);
    Some(Box::new(mask))
}
