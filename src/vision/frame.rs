//! The frame around a board → [`Grid`]: for clients whose tiles have no borders, as in a terminal, where an empty tile is
//! nothing at all. Its corners are looked for pixel by pixel; four of them around a whole number of tiles may enclose a board, and
//! its tiles say whether they do.

use super::grid::Grid;
use crate::board::Tile;
use crate::client::Theme;
use image::{Rgba, RgbaImage};

/// The corners of a theme's frame, and the size of the tiles in it, in pixels.
#[derive(Clone, Debug)]
pub struct Frame {
    corners: [Corner; 4],
    tile: (u32, u32),
}

impl Frame {
    /// Of a theme that has one, unless it has pictures of one colour.
    pub(super) fn new(theme: &Theme) -> Option<Self> {
        let corners: Option<Vec<Corner>> = theme.frame.as_ref()?.pictures.iter().map(Corner::new).collect();
        let hidden = theme.pictures.iter().find(|picture| picture.tile == Tile::Hidden)?;
        Some(Self { corners: corners?.try_into().ok()?, tile: hidden.pixels.dimensions() })
    }

    /// Every grid with its four corners in a picture, and at least `smallest` columns and rows.
    pub fn grids(&self, picture: &RgbaImage, smallest: u32) -> Vec<Grid> {
        let [top_left, top_right, bottom_left, bottom_right] = &self.corners;
        let ends = bottom_right.places(picture);
        let mut grids = Vec::new();
        for (x, y) in top_left.places(picture) {
            let (left, top) = (x + top_left.picture.width(), y + top_left.picture.height());
            for &(right, bottom) in &ends {
                let tiles = |from: u32, to: u32, length: u32| {
                    let room = to.checked_sub(from)?;
                    (room % length == 0 && room / length >= smallest).then_some(room / length)
                };
                let counts = (tiles(left, right, self.tile.0), tiles(top, bottom, self.tile.1));
                let (Some(columns), Some(lines)) = counts else { continue };
                let is_frame =
                    top.checked_sub(top_right.picture.height()).is_some_and(|y| top_right.is_at(picture, right, y))
                        && left
                            .checked_sub(bottom_left.picture.width())
                            .is_some_and(|x| bottom_left.is_at(picture, x, bottom));
                let edges = |from: u32, count: u32, length: u32| {
                    (0..=count).map(|index| f64::from(from + index * length)).collect()
                };
                if is_frame {
                    grids.push(Grid {
                        columns: edges(left, columns, self.tile.0),
                        lines: edges(top, lines, self.tile.1),
                    });
                }
            }
        }
        grids
    }
}

/// A picture that is looked for pixel for pixel.
#[derive(Clone, Debug)]
struct Corner {
    picture: RgbaImage,
    /// The pixel that differs most from the first one: few places of a screen have it.
    telling: (u32, u32),
}

/// Colours nearer than this are the same: text is drawn a little differently beside other text.
const ALIKE: u8 = 16;

/// More places are no corners of a frame but part of a pattern.
const CORNERS: usize = 200;

impl Corner {
    /// Nothing if the picture is of one colour.
    fn new(picture: &RgbaImage) -> Option<Self> {
        let first = picture.pixels().next()?;
        let far = |pixel: &Rgba<u8>| (0..3).map(|part| u32::from(pixel.0[part].abs_diff(first.0[part]))).sum::<u32>();
        let (x, y, pixel) = picture.enumerate_pixels().max_by_key(|(_, _, pixel)| far(pixel))?;
        (far(pixel) > 0).then(|| Self { picture: picture.clone(), telling: (x, y) })
    }

    /// Where it is in a picture: its top left corners.
    fn places(&self, picture: &RgbaImage) -> Vec<(u32, u32)> {
        let (width, height) = picture.dimensions();
        let (across, down) = self.picture.dimensions();
        let (all_x, all_y) = ((width + 1).saturating_sub(across) as usize, (height + 1).saturating_sub(down));
        if all_x == 0 {
            return Vec::new();
        }
        // Every pixel of the screen is asked, so first the two that tell most, straight from memory.
        let marks = [(0, 0), self.telling].map(|(x, y)| (x as usize, y as usize, self.picture.get_pixel(x, y).0));
        let line = |x: usize, y: usize| &picture.as_raw()[(y * width as usize + x) * 4..][..all_x * 4];
        let alike = |one: &[u8], other: &[u8; 4]| (0..3).all(|part| one[part].abs_diff(other[part]) < ALIKE);
        let mut places = Vec::new();
        for y in 0..all_y {
            let [first, telling] = marks.map(|(dx, dy, _)| line(dx, y as usize + dy).chunks_exact(4));
            for (x, (first, telling)) in (0..).zip(first.zip(telling)) {
                if alike(telling, &marks[1].2) && alike(first, &marks[0].2) && self.is_at(picture, x, y) {
                    places.push((x, y));
                }
            }
            if places.len() > CORNERS {
                return Vec::new();
            }
        }
        places
    }

    fn is_at(&self, picture: &RgbaImage, x: u32, y: u32) -> bool {
        let alike = |(dx, dy): (u32, u32)| {
            let (here, there) = (self.picture.get_pixel(dx, dy), picture.get_pixel_checked(x + dx, y + dy));
            there.is_some_and(|there| (0..3).all(|part| here.0[part].abs_diff(there.0[part]) < ALIKE))
        };
        self.picture.enumerate_pixels().all(|(dx, dy, _)| alike((dx, dy)))
    }
}
