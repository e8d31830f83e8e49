//! Whether a [`Grid`] is the whole board: what lies beyond its four sides.

use super::border::{is_fenced, is_framed};
use super::edges::strength;
use super::extent::Strip;
use super::lines::has_lines_throughout;
use crate::board::Tile;
use crate::client::{Client, Level};
use crate::geometry::BoardSize;
use crate::vision::grid::{Grid, Way, pitch};
use crate::vision::tile::likeness::FITTING;
use crate::vision::tile::patch::SIDE;
use crate::vision::tile::skin::Skin;
use crate::vision::tile::tiles::Tiles;
use image::{RgbaImage, imageops};
use std::ops::Range;

/// What a grid is, as far as its sides tell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rim {
    /// The whole board.
    Whole,
    /// A part of a board of this size, of which something covers the rest.
    PartOf(BoardSize),
    /// There is more beyond a side, or may be.
    GoesOn,
    /// It goes on beyond this edge of the picture, or may do so.
    CutOff(&'static str),
    /// No board of this client: it offers none of this size.
    NoSize,
}

/// Tiles by which a pattern may reach beyond a board: its frame may be where the next edge would be.
const BEYOND: f64 = 1.5;
/// Pixels in which the beginning of a tile cannot be told from the edge of a window.
const SLIVER: f64 = 3.0;
/// A nearness that no frame or ground beside a board has to its tiles, but tiles of which the place is not well known.
const AKIN: f64 = 0.2;
/// The share of the nearness of the board's own outermost tiles from which on what is next to them may be more of it (chosen: a bar as dark as hidden
/// tiles was half as near).
const AS_NEAR: f64 = 0.7;
/// Colours nearer than this are the same part of a tile, one tile further on.
const ALIKE: u8 = 24;

/// What is to be asked about a grid.
pub struct Question<'a> {
    /// The picture.
    pub tiles: &'a Tiles<'a>,
    /// Whose board it may be.
    pub client: &'a Client,
    /// Whether a picture lies behind it.
    pub has_backdrop: bool,
    /// Whether the desktop stretches it.
    pub is_smeared: bool,
    /// The pictures of its tiles.
    pub skin: &'a Skin,
    /// Where they are.
    pub grid: &'a Grid,
    /// The lattice by which it was found.
    pub pattern: &'a Grid,
}

/// One side of a board.
struct Side<'a> {
    name: &'static str,
    way: Way,
    /// Whether it is the right or the lower one.
    is_last: bool,
    /// From here outwards there is no tile any more.
    edge: f64,
    /// To the next tile outwards.
    step: f64,
    /// The edges of the tiles along it.
    across: &'a [f64],
}

impl Question<'_> {
    /// The answer.
    pub fn answer(&self) -> Rim {
        let (client, size) = (self.client, self.grid.size());
        let is_framed = || self.is_framed();
        let sides = self.sides();
        if client.has_size(size) {
            // Of which the client has such a level may still be but a part of a larger one.
            let is_part = sides.iter().any(|side| self.is_continued(side));
            let is_strip =
                || client.custom_boards && is_strip_of_level(client, size) && !is_framed() && !self.is_fenced();
            return if is_part || is_strip() { Rim::GoesOn } else { Rim::Whole };
        }
        if let Some(level) = cut_level(client, size)
            && !(client.custom_boards && is_framed())
        {
            return Rim::PartOf(level);
        }
        if !client.custom_boards {
            return Rim::NoSize;
        }
        if let Some(side) = sides.iter().find(|side| self.is_cut(side)) {
            return Rim::CutOff(side.name);
        }
        let goes_on = |side: &Side| self.is_repeated(side) || self.is_torn(side) || self.has_more(side);
        if !is_framed() || sides.iter().any(goes_on) { Rim::GoesOn } else { Rim::Whole }
    }

    /// Whether it has a border on all sides.
    pub fn is_framed(&self) -> bool {
        is_framed(self.tiles.picture, self.grid, self.has_backdrop, self.is_smeared)
    }

    fn is_fenced(&self) -> bool {
        self.has_backdrop && is_fenced(self.tiles.picture, self.grid, self.is_smeared)
    }

    fn sides(&self) -> [Side<'_>; 4] {
        let side = |name, way: Way, is_last: bool| {
            let edges = self.grid.edges(way);
            let (edge, step) = if is_last { (edges[edges.len() - 1], pitch(edges)) } else { (edges[0], -pitch(edges)) };
            Side { name, way, is_last, edge, step, across: self.grid.edges(way.across()) }
        };
        [
            side("left", Way::Columns, false),
            side("right", Way::Columns, true),
            side("top", Way::Lines, false),
            side("bottom", Way::Lines, true),
        ]
    }

    /// The last tiles of the board.
    fn outermost(&self, side: &Side) -> Strip<'_> {
        Strip::new(self.tiles, side.way, (side.edge, side.edge - side.step), side.across)
    }

    /// The tiles that would be next, also a pixel nearer and further, for the last edge may be off by that.
    fn beyond(&self, side: &Side) -> impl Iterator<Item = Strip<'_>> {
        let (way, edge, step, across) = (side.way, side.edge, side.step, side.across.to_vec());
        let strip = move |by: f64| Strip::new(self.tiles, way, (edge + by, edge + by + step), &across);
        [0.0, -1.0, 1.0].into_iter().map(strip)
    }

    /// Whether what is next looks like tiles, its half away from the board alone, too: what is next to that may be a frame. It must do so about as well as
    /// the board's own beside it: a picture that is unlike all others is the nearest one to much that is as dark.
    fn is_continued(&self, side: &Side) -> bool {
        let near = FITTING.max(AS_NEAR * self.outermost(side).nearness(self.skin, f64::NEG_INFINITY));
        let (columns, lines) = side.outer_half();
        let alike = |strip: &Strip, columns: &Range<usize>, lines: &Range<usize>| {
            strip.is_often(|patch| self.skin.part_nearness(patch, columns, lines).is_some_and(|is| is > near))
        };
        self.beyond(side).any(|strip| {
            // Words on a ground that looks like a tile look like tiles, too, but nothing lies between them.
            alike(&strip, &columns, &lines)
                && alike(&strip, &(0..SIDE), &(0..SIDE))
                && has_lines_throughout(self.tiles.picture, &strip.grid)
        })
    }

    /// Whether anything next may be a tile.
    fn has_more(&self, side: &Side) -> bool {
        let (columns, lines) = side.outer_half();
        let is_akin = |strip: &Strip, near: f64, columns: &Range<usize>, lines: &Range<usize>| {
            strip.is_often(|patch| self.skin.part_nearness(patch, columns, lines).is_some_and(|is| is > near))
        };
        self.beyond(side).any(|strip| {
            let is_tile = |cell| {
                strip.with(cell, |patch| {
                    self.skin.part_nearness(patch, &columns, &lines).is_some_and(|is| is > FITTING)
                        && !matches!(self.skin.classify(patch).tile, Tile::Unrecognised | Tile::Open(0))
                })
            };
            is_akin(&strip, AKIN, &columns, &lines)
                && (strip.is_ranked(self.skin, |rank| rank.marked > 0) || is_akin(&strip, AKIN, &(0..SIDE), &(0..SIDE)))
                || strip.all().any(|cell| is_tile(cell) == Some(true))
                // Where the last edge went astray tiles are far from their pictures until these are shifted.
                || strip.is_ranked(self.skin, |rank| rank.marked * 2 > rank.all)
        })
    }

    /// Whether the pattern a board was found by goes on beyond a side. What else there is on the screen may have an edge at the
    /// right place, but not all along the board, again and again.
    fn is_repeated(&self, side: &Side) -> bool {
        let strength = |edge: &f64| strength(self.tiles.picture, side.way, *edge, side.across, 1.0);
        let far = |edge: f64| (edge - side.edge) * side.step.signum();
        let (beyond, inside): (Vec<f64>, Vec<f64>) =
            self.pattern.edges(side.way).iter().partition(|&&edge| far(edge) > side.step.abs() / 2.0);
        if !beyond.iter().any(|&edge| far(edge) > BEYOND * side.step.abs()) {
            return false;
        }
        let usual = inside.iter().map(strength).sum::<f64>() / inside.len().max(1) as f64;
        beyond.iter().map(strength).all(|strength| strength * 2.0 >= usual)
    }

    /// Whether the outermost tiles may be none: most are not recognised, or they fit half as well as the rest, as where the edges
    /// went astray.
    fn is_torn(&self, side: &Side) -> bool {
        let edges = self.grid.edges(side.way);
        let strips = edges.windows(2).map(|edge| Strip::new(self.tiles, side.way, (edge[0], edge[1]), side.across));
        let strips: Vec<Strip> = strips.collect();
        let near: Vec<f64> = strips.iter().map(|strip| strip.nearness(self.skin, f64::NEG_INFINITY)).collect();
        let usual = near.iter().sum::<f64>() / near.len() as f64;
        let at = if side.is_last { strips.len() - 1 } else { 0 };
        near[at] * 2.0 < usual || !strips[at].is_ranked(self.skin, |rank| rank.known * 2 >= rank.all)
    }

    /// Whether there is no room for one more tile, and what is left of the picture, if anything, looks like the beginning of one.
    fn is_cut(&self, side: &Side) -> bool {
        let limit = f64::from(side.way.length(self.tiles.picture));
        let room = if side.is_last { limit - side.edge } else { side.edge };
        room < SLIVER || room < side.step.abs() && (self.repeats(side, room) || self.begins(side, room))
    }

    /// Whether what the picture shows of the next tiles repeats tiles of their line or column, however far in, in half of the places at least: the ones
    /// just beside them may all show numbers.
    fn repeats(&self, side: &Side, room: f64) -> bool {
        let picture = self.tiles.picture;
        let seen = room.min(side.step.abs() / 2.0).floor();
        let from = if side.is_last { side.edge } else { side.edge - seen };
        // All of these have the same place within a tile, whole tiles apart.
        let inwards = 1..self.grid.edges(side.way).len();
        let alike = side.across.windows(2).filter(|edges| {
            let middle = ((edges[0] + edges[1]) / 2.0).max(0.0) as u32;
            let is_again = |tiles: usize| {
                (0..seen as u32).all(|offset| {
                    let at = (from + f64::from(offset)).floor();
                    let pixel = |at: f64| {
                        let (x, y) = side.way.pixel(at.max(0.0) as u32, middle);
                        picture.get_pixel(x.min(picture.width() - 1), y.min(picture.height() - 1))
                    };
                    let is_alike =
                        |other: f64| pixel(at).0.iter().zip(pixel(other).0).all(|(a, b)| a.abs_diff(b) < ALIKE);
                    // Tiles that are no whole number of pixels apart have their lines a pixel nearer or farther.
                    let same = at - side.step * tiles as f64;
                    is_alike(same.floor()) || is_alike(same.ceil())
                })
            };
            inwards.clone().any(is_again)
        });
        alike.count() * 2 > side.across.len() - 1
    }

    /// Whether as much as the picture shows of the next tiles looks like tiles, in a quarter of the places at least.
    fn begins(&self, side: &Side, room: f64) -> bool {
        // The same tiles in a picture that is large enough; what it does not show is not compared.
        let (picture, way) = (self.tiles.picture, side.way);
        let (missing, shown) = ((side.step.abs() - room).ceil() as u32 + 1, room.ceil() as u32);
        let (width, height) = way.pixel(missing + shown, way.across().length(picture));
        let mut larger = RgbaImage::new(width, height);
        let from = if side.is_last { way.length(picture) - shown } else { 0 };
        let (left, top) = way.pixel(from, 0);
        let (across, down) = way.pixel(shown, way.across().length(picture));
        let part = imageops::crop_imm(picture, left, top, across, down).to_image();
        let at = if side.is_last { 0 } else { missing };
        let (x, y) = way.pixel(at, 0);
        imageops::replace(&mut larger, &part, x.into(), y.into());
        let edge = side.edge - f64::from(from) + f64::from(at);
        let seen = ((room / side.step.abs() * SIDE as f64) as usize).clamp(1, SIDE);
        let parts = if side.is_last { 0..seen } else { SIDE - seen..SIDE };
        let (columns, lines) = way.pair(parts, 0..SIDE);
        let tiles = Tiles::new(&larger);
        let strip = Strip::new(&tiles, way, (edge, edge + side.step), side.across);
        strip.is_often(|patch| self.skin.part_nearness(patch, &columns, &lines).is_some_and(|is| is > FITTING))
    }
}

impl Side<'_> {
    /// The half of a tile that is away from the board, in parts of a patch.
    fn outer_half(&self) -> (Range<usize>, Range<usize>) {
        let half = if self.is_last { SIDE / 2..SIDE } else { 0..SIDE / 2 };
        self.way.pair(half, 0..SIDE)
    }
}

/// The level of which a board of this size may be a part: as wide but lower, or as high but narrower, than any level of the client
/// is, or than this one by little. Something lies over the rest of it.
fn cut_level(client: &Client, size: BoardSize) -> Option<BoardSize> {
    let low = client.levels.iter().all(|level| size.height < level.height);
    let narrow = client.levels.iter().all(|level| size.width < level.width);
    let little = |is: u32, whole: u32| is < whole && is * 5 >= whole * 4;
    let part_of = |level: &BoardSize| {
        (size.width == level.width && (low || little(size.height, level.height)))
            || (size.height == level.height && (narrow || little(size.width, level.width)))
    };
    client.levels.iter().map(Level::size).find(part_of)
}

/// Whether a board of this size is what a window over one side of a larger level leaves of that: 16x16 of 30x16.
fn is_strip_of_level(client: &Client, size: BoardSize) -> bool {
    let is_strip = |level: BoardSize| {
        (size.height == level.height && size.width < level.width)
            || (size.width == level.width && size.height < level.height)
    };
    client.levels.iter().map(Level::size).any(is_strip)
}
