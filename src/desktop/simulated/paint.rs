//! Paints the built-in client: tile pictures at any pitch, on a plain window and desktop.

use super::DialogAt;
use crate::board::Tile;
use crate::client::Theme;
use crate::geometry::{BoardSize, Cell, Pixel, Rect};
use crate::vision::Grid;
use image::imageops::{self, FilterType};
use image::{Rgba, RgbaImage};
use std::collections::HashMap;

const DESKTOP: Rgba<u8> = Rgba([58, 110, 165, 255]);
const WINDOW: Rgba<u8> = Rgba([214, 211, 206, 255]);
const DIALOG: Rgba<u8> = Rgba([250, 245, 230, 255]);
/// Of letters.
const INK: Rgba<u8> = Rgba([20, 20, 30, 255]);
/// Of what is written over a board when its game is over.
const WHITE: Rgba<u8> = Rgba([255; 4]);
/// A line around what has the keyboard.
const FOCUSED: Rgba<u8> = Rgba([30, 120, 230, 255]);
/// Of a terminal.
const BLACK: Rgba<u8> = Rgba([0, 0, 0, 255]);
/// No client paints a tile like this.
const SMUDGE: Rgba<u8> = Rgba([255, 0, 255, 255]);

/// Pictures of every look of a tile, ready to be painted at any size.
#[derive(Clone, Debug)]
pub struct Skin {
    pictures: Vec<(Tile, RgbaImage)>,
    /// The corners of the frame around the board, if it has one: top left, top right, bottom left, bottom right.
    corners: Vec<RgbaImage>,
    /// What tiles look like whose column and row are not both odd or both even, where that differs.
    by_turns: Vec<(Tile, RgbaImage)>,
    /// What shines through tiles that are not opaque, stretched over the window.
    backdrop: Option<RgbaImage>,
    /// The pictures at the sizes painted so far (tiles of one board may differ by a pixel).
    scaled: HashMap<(Tile, bool, u32, u32), RgbaImage>,
    /// What shines through at the last size of the window.
    stretched: Option<RgbaImage>,
}

impl Skin {
    /// A skin of these pictures, of which there may be several for one look, at different scales.
    pub fn new(pictures: impl IntoIterator<Item = (Tile, RgbaImage)>) -> Self {
        Self {
            pictures: pictures.into_iter().collect(),
            corners: Vec::new(),
            by_turns: Vec::new(),
            backdrop: None,
            scaled: HashMap::new(),
            stretched: None,
        }
    }

    /// The same with other pictures for every other tile, as on a chessboard.
    pub fn by_turns(self, pictures: impl IntoIterator<Item = (Tile, RgbaImage)>) -> Self {
        Self { by_turns: pictures.into_iter().collect(), ..self }
    }

    /// The same on a picture that fills the window.
    pub fn over(self, backdrop: RgbaImage) -> Self {
        Self { backdrop: Some(backdrop), stretched: None, ..self }
    }

    /// What lies behind the tiles in a window of this size.
    fn stretched(&mut self, width: u32, height: u32) -> Option<&RgbaImage> {
        let backdrop = self.backdrop.as_ref()?;
        if self.stretched.as_ref().is_none_or(|known| known.dimensions() != (width, height)) {
            self.stretched = Some(imageops::resize(backdrop, width, height, FilterType::Triangle));
        }
        self.stretched.as_ref()
    }

    /// Paints what lies behind the tiles, if there is something.
    pub fn paint_backdrop(&mut self, canvas: &mut RgbaImage, grid: &Grid) {
        let Rect { left, top, width, height } = window_place(grid);
        let Some(stretched) = self.stretched(width, height) else { return };
        imageops::replace(canvas, stretched, left.into(), top.into());
    }

    /// Paints that again below one tile.
    fn clear(&mut self, canvas: &mut RgbaImage, grid: &Grid, tile: Rect) {
        let window = window_place(grid);
        let Some(stretched) = self.stretched(window.width, window.height) else { return };
        let (x, y) = (tile.left - window.left, tile.top - window.top);
        let part = imageops::crop_imm(stretched, x, y, tile.width, tile.height).to_image();
        imageops::replace(canvas, &part, tile.left.into(), tile.top.into());
    }

    /// A client's theme as a skin.
    pub fn of(theme: &Theme) -> Self {
        let painted = |pixels: &RgbaImage| {
            let mut pixels = pixels.clone();
            if theme.backdrop {
                // What shows through is the part of a picture that did so when it was taken.
                pixels.pixels_mut().for_each(|pixel| pixel[3] = u8::MAX);
            }
            pixels
        };
        let skin = Self::new(theme.pictures.iter().map(|picture| (picture.tile, painted(&picture.pixels))));
        Self { corners: theme.frame.as_ref().map_or(Vec::new(), |frame| frame.pictures.clone()), ..skin }
    }

    /// Columns `pitch` pixels wide, and rows as high as the pictures are then, from `corner` on.
    pub fn grid(&self, size: BoardSize, corner: (u32, u32), pitch: f64) -> Grid {
        let aspect = self.pictures.first().map_or(1.0, |(_, tile)| f64::from(tile.width()) / f64::from(tile.height()));
        let edges = |count: u32, start: u32, length: f64| {
            (0..=count).map(|index| f64::from(start) + f64::from(index) * length).collect()
        };
        Grid { columns: edges(size.width, corner.0, pitch), lines: edges(size.height, corner.1, pitch / aspect) }
    }

    /// Paints the corners of the frame around the board, which do not grow with it, and the ground it has in common with them.
    pub fn paint_frame(&self, canvas: &mut RgbaImage, grid: &Grid) {
        let [top_left, top_right, bottom_left, bottom_right] = self.corners.as_slice() else { return };
        let Rect { left, top, width, height } = bounds(grid);
        let (right, bottom) = (i64::from(left + width), i64::from(top + height));
        fill(canvas, Rect { left, top, width, height }, *top_left.get_pixel(0, 0));
        let mut put = |corner: &RgbaImage, x: i64, y: i64| imageops::replace(canvas, corner, x, y);
        put(top_left, i64::from(left) - i64::from(top_left.width()), i64::from(top) - i64::from(top_left.height()));
        put(top_right, right, i64::from(top) - i64::from(top_right.height()));
        put(bottom_left, i64::from(left) - i64::from(bottom_left.width()), bottom);
        put(bottom_right, right, bottom);
    }

    /// Width of the largest pictures: the size at which nothing has to be enlarged.
    pub fn natural_pitch(&self) -> f64 {
        self.pictures.iter().map(|(_, picture)| picture.width()).max().map_or(16.0, f64::from)
    }

    /// Whether there are pictures of several sizes: then the client's tiles grow with its window.
    pub fn has_sizes(&self) -> bool {
        self.pictures.iter().any(|(_, picture)| f64::from(picture.width()) != self.natural_pitch())
    }

    /// Paints one tile where the grid has it, lighter by so many grey levels.
    pub fn paint_tile(&mut self, canvas: &mut RgbaImage, grid: &Grid, cell: Cell, tile: Tile, lighter: i32) {
        let Rect { left, top, width, height } = grid.tile(cell);
        self.clear(canvas, grid, Rect { left, top, width, height });
        let Some(picture) = self.scaled(tile, (cell.x + cell.y) % 2 == 1, width, height) else {
            return fill(canvas, Rect { left, top, width, height }, SMUDGE);
        };
        if lighter != 0 {
            let lighter = imageops::brighten(picture, lighter);
            imageops::overlay(canvas, &lighter, left.into(), top.into());
        } else {
            imageops::overlay(canvas, picture, left.into(), top.into());
        }
    }

    /// What is painted for a tile: itself, or what a client without this look shows instead. `None` if it has nothing to
    /// show, and a tile that looks like nothing known is painted.
    pub fn look_of(&self, tile: Tile) -> Option<Tile> {
        let has = |tile: &Tile| self.pictures.iter().any(|(of, _)| of == tile);
        let stand_in = match tile {
            Tile::Mine if has(&Tile::Exploded) => Tile::Exploded,
            Tile::Exploded | Tile::WrongFlag => Tile::Mine,
            Tile::Question | Tile::Flag | Tile::Mine => Tile::Hidden,
            other => other,
        };
        [tile, stand_in].into_iter().find(has)
    }

    fn scaled(&mut self, tile: Tile, is_odd: bool, width: u32, height: u32) -> Option<&RgbaImage> {
        let tile = self.look_of(tile)?;
        let is_other = is_odd && self.by_turns.iter().any(|(of, _)| *of == tile);
        let pictures = if is_other { &self.by_turns } else { &self.pictures };
        let of_tile = pictures.iter().filter(|(of, _)| *of == tile);
        let (_, picture) = of_tile.min_by_key(|(_, picture)| picture.width().abs_diff(width))?;
        Some(self.scaled.entry((tile, is_other, width, height)).or_insert_with(|| {
            if (picture.width(), picture.height()) == (width, height) {
                picture.clone()
            } else {
                imageops::resize(picture, width, height, FilterType::Triangle)
            }
        }))
    }
}

/// A screen with nothing on it.
pub fn desktop((width, height): (u32, u32)) -> RgbaImage {
    RgbaImage::from_pixel(width, height, DESKTOP)
}

/// A plain window around the board, with or without a frame around that.
pub fn window(canvas: &mut RgbaImage, grid: &Grid, dialog_at: DialogAt) {
    fill(canvas, window_place(grid), WINDOW);
    if dialog_at == DialogAt::Whole {
        let Rect { left, top, width, height } = bounds(grid);
        fill(canvas, Rect { left: left - 2, top: top - 2, width: width + 4, height: height + 4 }, DIALOG);
    }
}

/// Where the window around the board is.
pub fn window_place(grid: &Grid) -> Rect {
    let board = bounds(grid);
    let (side, head) = (grid.pitch().0 as u32 / 2, (2.5 * grid.pitch().1) as u32);
    let (left, top) = (board.left.saturating_sub(side), board.top.saturating_sub(head));
    let width = board.left + board.width + side - left;
    let height = board.top + board.height + side - top;
    Rect { left, top, width, height }
}

/// Two fields at the top of the window, with a number in each or empty.
pub fn fields(canvas: &mut RgbaImage, grid: &Grid, is_filled: bool) {
    let window = window_place(grid);
    for left in [window.left + 10, window.left + 80] {
        let field = Rect { left, top: window.top + 44, width: 56, height: 22 };
        framed(canvas, field);
        if is_filled {
            fill(canvas, Rect { left: left + 5, top: field.top + 6, width: 3, height: 10 }, INK);
        }
    }
}

/// A button, by its middle, with letters in it.
pub fn button(canvas: &mut RgbaImage, at: Pixel) {
    let place = Rect { left: at.x as u32 - 32, top: at.y as u32 - 11, width: 64, height: 22 };
    framed(canvas, place);
    for left in (place.left + 18..place.left + 46).step_by(8) {
        fill(canvas, Rect { left, top: place.top + 6, width: 4, height: 10 }, INK);
    }
}

/// A box with a line around it.
fn framed(canvas: &mut RgbaImage, Rect { left, top, width, height }: Rect) {
    fill(canvas, Rect { left, top, width, height }, INK);
    fill(canvas, Rect { left: left + 1, top: top + 1, width: width - 2, height: height - 2 }, WINDOW);
}

/// A page of the client's in place of its board, by how many are still to come: a heading, what can be clicked, and what looks like that.
pub fn page(canvas: &mut RgbaImage, grid: &Grid, page: usize) {
    let window = window_place(grid);
    fill(canvas, window, WINDOW);
    let letters = |canvas: &mut RgbaImage, at: Rect| {
        for letter in (0..at.width).step_by(8) {
            let stroke = Rect { left: at.left + letter, width: 4.min(at.width - letter), ..at };
            fill(canvas, stroke, INK);
        }
    };
    let heading =
        Rect { left: window.left + window.width / 4, top: window.top + 40, width: window.width / 2, height: 16 };
    letters(canvas, heading);
    let button = page_button(grid, page);
    fill(canvas, button, DIALOG);
    letters(canvas, Rect { left: button.left + 10, top: button.top + 6, width: button.width - 20, height: 12 });
    fill(canvas, Rect { top: window.top + window.height - 30, height: 24, ..button }, DIALOG);
}

/// What leads on from a page.
pub fn page_button(grid: &Grid, page: usize) -> Rect {
    let window = window_place(grid);
    let top = window.top + 70 + 30 * (page % 2) as u32;
    Rect { left: window.left + window.width / 3, top, width: window.width / 3, height: 24 }
}

/// What leads out of a client's page, and is all that shows beyond.
pub fn link(canvas: &mut RgbaImage, grid: &Grid) {
    fill(canvas, link_place(grid), DIALOG);
}

/// Where that is.
pub fn link_place(grid: &Grid) -> Rect {
    let Rect { left, top, .. } = window_place(grid);
    Rect { left: left + 12, top: top + 8, width: 72, height: 22 }
}

/// A dialog of the client's.
pub fn dialog(canvas: &mut RgbaImage, grid: &Grid, at: DialogAt) {
    fill(canvas, dialog_place(grid, at), DIALOG);
}

/// The ground of a terminal, where pictures of tiles show it through.
pub fn ground(pixels: &mut RgbaImage, grid: &Grid, cell: Cell) {
    fill(pixels, grid.tile(cell), BLACK);
}

/// A client's own cursor: a bar on either side of a tile.
pub fn cursor(pixels: &mut RgbaImage, grid: &Grid, cell: Cell) {
    let Rect { left, top, width, height } = grid.tile(cell);
    let (wide, third) = ((width / 8).max(1), height / 3);
    for left in [left + wide, left + width - 2 * wide] {
        fill(pixels, Rect { left, top: top + third, width: wide, height: third }, WHITE);
    }
}

/// A blue line along the sides of a tile, within it, or around its middle.
pub fn line_around(pixels: &mut RgbaImage, grid: &Grid, cell: Cell, is_inside: bool) {
    let Rect { left, top, width, height } = grid.tile(cell);
    let (across, down) = if is_inside { (width / 4, height / 4) } else { (0, 0) };
    let tile = Rect { left: left + across, top: top + down, width: width - 2 * across, height: height - 2 * down };
    let (right, bottom) = (tile.left + tile.width - 2, tile.top + tile.height - 2);
    let lying = [tile.top, bottom].map(|top| Rect { top, height: 2, ..tile });
    let standing = [tile.left, right].map(|left| Rect { left, width: 2, ..tile });
    lying.into_iter().chain(standing).for_each(|line| fill(pixels, line, FOCUSED));
}

/// A dark dash in the middle of a tile.
pub fn dash(pixels: &mut RgbaImage, grid: &Grid, cell: Cell) {
    let Rect { left, top, width, height } = grid.tile(cell);
    fill(pixels, Rect { left: left + width / 3, top: top + height / 2 - 1, width: width / 3, height: 3 }, INK);
}

/// Something dark and translucent over the board, with what might be letters on it.
pub fn shade(canvas: &mut RgbaImage, grid: &Grid) {
    let Rect { left, top, width, height } = bounds(grid);
    for y in top..(top + height).min(canvas.height()) {
        for x in left..(left + width).min(canvas.width()) {
            let Rgba([red, green, blue, opacity]) = *canvas.get_pixel(x, y);
            canvas.put_pixel(x, y, Rgba([red / 2, green / 2, blue / 2, opacity]));
        }
    }
    // Each has another height, and its bar elsewhere.
    let (letter, tall) = ((width / 16).max(2), (height / 6).max(2));
    for number in 0..10 {
        let at = left + width / 6 + number * (letter + letter / 3);
        let lower = number * 5 % 7 * tall / 14;
        let stroke = Rect { left: at, top: top + height / 2 + lower, width: letter / 3, height: tall - lower };
        fill(canvas, stroke, WHITE);
        let bar = Rect {
            top: top + height / 2 + tall * (1 + number * 3 % 7) / 10,
            width: letter,
            height: tall / 7,
            ..stroke
        };
        fill(canvas, bar, WHITE);
    }
}

/// Where the dialog is.
pub fn dialog_place(grid: &Grid, at: DialogAt) -> Rect {
    let Rect { left, top, width, height } = bounds(grid);
    match at {
        DialogAt::Middle => {
            Rect { left: left + width / 4, top: top + height / 4, width: width / 2, height: height / 2 }
        }
        DialogAt::Corner => Rect { left, top, width: width / 6, height: height / 6 },
        DialogAt::Whole => Rect { left: left + 1, top, width: width - 2, height },
        DialogAt::Beside => Rect { left: 0, top: 0, width: window_place(grid).left, height },
    }
}

/// A place for another window of the same size, as far down and right as the screen goes.
pub fn below(grid: &Grid, (width, height): (i32, i32)) -> Rect {
    let own = window_place(grid);
    let (left, top) = (width - own.width as i32, height - own.height as i32);
    Rect { left: left.max(0) as u32, top: top.max(0) as u32, ..own }
}

/// The pixels of all tiles together.
pub fn bounds(grid: &Grid) -> Rect {
    let (across, down) = (grid.size().width, grid.size().height);
    let (first, last) = (grid.tile(Cell::new(0, 0)), grid.tile(Cell::new(across - 1, down - 1)));
    let (width, height) = (last.left + last.width - first.left, last.top + last.height - first.top);
    Rect { left: first.left, top: first.top, width, height }
}

/// Paints a rectangle, as far as it is on the picture.
pub fn fill(canvas: &mut RgbaImage, rect: Rect, colour: Rgba<u8>) {
    let (width, height) = canvas.dimensions();
    let (left, right) = (rect.left.min(width), (rect.left + rect.width).min(width));
    for y in rect.top..(rect.top + rect.height).min(height) {
        let line = (y * width) as usize;
        let samples = canvas.as_flat_samples_mut().samples;
        let row = &mut samples[(line + left as usize) * 4..(line + right as usize) * 4];
        row.chunks_exact_mut(4).for_each(|pixel| pixel.copy_from_slice(&colour.0));
    }
}
