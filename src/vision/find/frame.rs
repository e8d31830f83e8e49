//! The frame around a board → [`Grid`]: for clients whose tiles have no borders, as in a terminal, where an empty tile is
//! nothing at all. Its corners are looked for pixel by pixel; four of them around a whole number of tiles may enclose a board, and
//! its tiles say whether they do. What a screen shows at another scale `dashes` finds.

use crate::board::Tile;
use crate::client::{Picture, Theme};
use crate::vision::grid::{Grid, SMALLEST};
use crate::vision::tile::look::Look;
use image::RgbaImage;
use wide::u8x16;

/// The corners of a theme's frame, and the size of the tiles in it, in pixels.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Top left and right, bottom left and right.
    pub corners: [Corner; 4],
    /// Width and height of a tile.
    pub tile: (u32, u32),
}

impl Frame {
    /// Of a theme that has one, unless it has pictures of one colour.
    pub fn new(theme: &Theme) -> Option<Self> {
        let corners: Option<Vec<Corner>> = theme.frame.as_ref()?.pictures.iter().map(Corner::new).collect();
        let hidden = theme.pictures.iter().find(|picture| picture.tile == Tile::Hidden)?;
        Some(Self { corners: corners?.try_into().ok()?, tile: hidden.pixels.dimensions() })
    }

    /// Every grid with its four corners in a picture, and as many columns and rows as a board has at least.
    pub fn grids(&self, picture: &RgbaImage) -> Vec<Grid> {
        let [top_left, top_right, bottom_left, bottom_right] = &self.corners;
        let (wide, high) = self.tile;
        let mut grids = Vec::new();
        for (x, y) in top_left.places(picture) {
            let (left, top) = (x + top_left.picture.width(), y + top_left.picture.height());
            let (above, before) =
                (top.checked_sub(top_right.picture.height()), left.checked_sub(bottom_left.picture.width()));
            let (Some(above), Some(before)) = (above, before) else { continue };
            let room = |from: u32, to: u32, tile: u32| SMALLEST..=to.saturating_sub(from) / tile;
            let columns =
                room(left, picture.width(), wide).filter(|n| top_right.is_at(picture, left + n * wide, above));
            let lines =
                room(top, picture.height(), high).filter(|n| bottom_left.is_at(picture, before, top + n * high));
            let (columns, lines): (Vec<u32>, Vec<u32>) = (columns.collect(), lines.collect());
            let edges =
                |from: u32, count: u32, tile: u32| (0..=count).map(|index| f64::from(from + index * tile)).collect();
            for (across, down) in columns.iter().flat_map(|&across| lines.iter().map(move |&down| (across, down))) {
                if bottom_right.is_at(picture, left + across * wide, top + down * high) {
                    grids.push(Grid { columns: edges(left, across, wide), lines: edges(top, down, high) });
                }
            }
        }
        grids
    }
}

/// A picture that is looked for pixel for pixel.
#[derive(Clone, Debug)]
pub struct Corner {
    /// As it is in the pictures.
    pub picture: RgbaImage,
    /// The same, to be compared with what a screen shows at any scale.
    pub look: Look,
    /// A column of pixels of one colour that differs most from the pixels on its left, as long as there is any: its first, and how many.
    line: (u32, u32),
    long: u32,
}

/// Colours nearer than this are the same: text is drawn a little differently beside other text.
const ALIKE: u8 = 16;

/// Colours further apart than this are no longer alike when both are drawn a little differently.
const OTHER: u8 = 3 * ALIKE;

/// More places are no corners of a frame but part of a pattern.
const CORNERS: usize = 200;

impl Corner {
    /// Nothing if no two pixels beside each other differ clearly.
    pub fn new(picture: &RgbaImage) -> Option<Self> {
        let is_edge = |x: u32, y: u32| {
            !(0..3).all(|part| picture.get_pixel(x, y)[part].abs_diff(picture.get_pixel(x - 1, y)[part]) < OTHER)
        };
        let long = |x: u32, y: u32| {
            let same = |&other: &u32| picture.get_pixel(x, other) == picture.get_pixel(x, y) && is_edge(x, other);
            (y..picture.height()).take_while(same).count() as u32
        };
        let places = (0..picture.height()).flat_map(|y| (1..picture.width()).map(move |x| (x, y)));
        let line = places.max_by_key(|&(x, y)| long(x, y))?;
        let long = long(line.0, line.1);
        let look = Look::new(&Picture { tile: Tile::Hidden, file: String::new(), pixels: picture.clone() }, 0.0);
        (long > 0).then(|| Self { picture: picture.clone(), look, line, long })
    }

    /// Where it is in a picture: its top left corners.
    fn places(&self, picture: &RgbaImage) -> Vec<(u32, u32)> {
        let (width, height) = picture.dimensions();
        let (across, down) = self.picture.dimensions();
        let (all_x, all_y) = ((width + 1).saturating_sub(across) as usize, (height + 1).saturating_sub(down));
        if all_x == 0 {
            return Vec::new();
        }
        let pixels = |pixel: [u8; 4]| u8x16::new(std::array::from_fn(|index| pixel[index % 4]));
        // Wherever it is, one line of so many holds a pixel of its own line, four of which are asked at a time.
        let (dx, dy) = (self.line.0 as usize, self.line.1);
        let [red, green, blue, _] = self.picture.get_pixel(self.line.0, dy).0;
        let (own, limit) = (pixels([red, green, blue, 0]), pixels([ALIKE - 1, ALIKE - 1, ALIKE - 1, u8::MAX]));
        let mut places = Vec::new();
        for seen_y in (dy + self.long - 1..height).step_by(self.long as usize) {
            let line = &picture.as_raw()[(seen_y as usize * width as usize + dx) * 4..][..all_x * 4];
            let mut before = 0;
            let (fours, rest) = line.as_chunks::<16>();
            let mut last = [0; 16];
            last[..rest.len()].copy_from_slice(rest);
            for (at, four) in fours.iter().chain([&last]).enumerate() {
                let seen = u8x16::new(*four);
                let apart = seen.saturating_sub(own) | own.saturating_sub(seen);
                let alike = apart.saturating_sub(limit).simd_eq(u8x16::ZERO).to_bitmask();
                let alike = alike & alike >> 1 & alike >> 2 & 0x1111;
                // On its left is something else.
                let begins = alike & !(alike << 4 | before);
                before = alike >> 12 & 1;
                if begins == 0 {
                    continue;
                }
                for x in (0..4).filter(|pixel| begins >> (pixel * 4) & 1 == 1).map(|pixel| at * 4 + pixel) {
                    let x = x as u32;
                    let tops = (0..self.long).filter_map(|by| seen_y.checked_sub(dy + by)).filter(|&y| y < all_y);
                    places.extend(tops.filter(|&y| self.is_at(picture, x, y)).map(|y| (x, y)));
                }
            }
            if places.len() > CORNERS {
                return Vec::new();
            }
        }
        places
    }

    /// Whether it is here.
    fn is_at(&self, picture: &RgbaImage, x: u32, y: u32) -> bool {
        let alike = |(dx, dy): (u32, u32)| {
            let (here, there) = (self.picture.get_pixel(dx, dy), picture.get_pixel_checked(x + dx, y + dy));
            there.is_some_and(|there| (0..3).all(|part| here.0[part].abs_diff(there.0[part]) < ALIKE))
        };
        self.picture.enumerate_pixels().all(|(dx, dy, _)| alike((dx, dy)))
    }
}
