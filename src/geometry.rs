//! Places: on the board ([`Cell`]), in a picture ([`Pixel`], [`Rect`]) and on the screen ([`ScreenPoint`]).

use serde::{Deserialize, Serialize};

/// One place on a board: column and row, 0-based, from the top left. What is on it is a [`crate::board::Tile`].
///
/// Serialised as `[x, y]`, as everywhere in the formats of this program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "(u32, u32)", into = "(u32, u32)")]
pub struct Cell {
    /// Column, 0 is the leftmost.
    pub x: u32,
    /// Row, 0 is the topmost.
    pub y: u32,
}

impl Cell {
    /// The cell in column `x` and row `y`.
    pub const fn new(x: u32, y: u32) -> Self {
        Self { x, y }
    }

    /// Whether the two cells touch, diagonals included; a cell does not touch itself.
    pub fn touches(self, other: Cell) -> bool {
        self != other && self.x.abs_diff(other.x) <= 1 && self.y.abs_diff(other.y) <= 1
    }
}

impl From<(u32, u32)> for Cell {
    fn from((x, y): (u32, u32)) -> Self {
        Self { x, y }
    }
}

impl From<Cell> for (u32, u32) {
    fn from(cell: Cell) -> Self {
        (cell.x, cell.y)
    }
}

impl std::fmt::Display for Cell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "[{}, {}]", self.x, self.y)
    }
}

/// Width and height of a board, in tiles. Tiles are numbered row by row from the top left (`index`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BoardSize {
    /// Number of columns.
    pub width: u32,
    /// Number of rows.
    pub height: u32,
}

impl BoardSize {
    /// A board of `width` columns and `height` rows.
    pub const fn new(width: u32, height: u32) -> Self {
        Self { width, height }
    }

    /// Number of tiles.
    pub const fn tiles(self) -> usize {
        self.width as usize * self.height as usize
    }

    /// Whether `cell` is on the board.
    pub const fn contains(self, cell: Cell) -> bool {
        cell.x < self.width && cell.y < self.height
    }

    /// The number of `cell`, row by row.
    pub const fn index(self, cell: Cell) -> usize {
        cell.y as usize * self.width as usize + cell.x as usize
    }

    /// The cell with number `index`.
    pub const fn cell(self, index: usize) -> Cell {
        Cell { x: (index % self.width as usize) as u32, y: (index / self.width as usize) as u32 }
    }

    /// All cells, row by row.
    pub fn cells(self) -> impl Iterator<Item = Cell> {
        (0..self.height).flat_map(move |y| (0..self.width).map(move |x| Cell { x, y }))
    }

    /// The up to eight cells that touch `cell`, row by row.
    pub fn neighbours(self, cell: Cell) -> impl Iterator<Item = Cell> {
        self.square(cell, 1).filter(move |&other| other != cell)
    }

    /// Whether all cells of a set, said of every cell row by row, hang together with `from`, by their sides or corners, as tiles do that a
    /// click opens.
    pub fn hang_together(self, set: &[bool], from: Cell) -> bool {
        set.iter().zip(self.patch(set, from)).all(|(is_in, is_reached)| !is_in || is_reached)
    }

    /// Which cells of a set hang together with `from`, and that itself, row by row.
    pub fn patch(self, set: &[bool], from: Cell) -> Vec<bool> {
        let mut is_reached = vec![false; set.len()];
        is_reached[self.index(from)] = true;
        let mut next = vec![from];
        while let Some(cell) = next.pop() {
            for other in self.neighbours(cell) {
                let index = self.index(other);
                if set[index] && !std::mem::replace(&mut is_reached[index], true) {
                    next.push(other);
                }
            }
        }
        is_reached
    }

    /// All cells at most `radius` columns and rows away from `cell`, itself included, row by row.
    pub fn square(self, cell: Cell, radius: u32) -> impl Iterator<Item = Cell> {
        let (left, right) = (cell.x.saturating_sub(radius), (cell.x + radius + 1).min(self.width));
        let (top, bottom) = (cell.y.saturating_sub(radius), (cell.y + radius + 1).min(self.height));
        (top..bottom).flat_map(move |y| (left..right).map(move |x| Cell { x, y }))
    }

    /// How many cells touch `cell`: 8 inside, 5 on an edge, 3 in a corner (fewer on boards one tile thin).
    pub fn degree(self, cell: Cell) -> u32 {
        let across = 1 + u32::from(cell.x > 0) + u32::from(cell.x + 1 < self.width);
        let down = 1 + u32::from(cell.y > 0) + u32::from(cell.y + 1 < self.height);
        across * down - 1
    }
}

impl std::fmt::Display for BoardSize {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

/// A point in a [`crate::screenshot::Screenshot`], in its own pixels from its top left corner.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pixel {
    /// Pixels from the left.
    pub x: f64,
    /// Pixels from the top.
    pub y: f64,
}

/// A point where the mouse can be sent. On scaled displays and on several monitors this differs from a [`Pixel`];
/// only [`crate::screenshot::Screenshot::to_screen`] converts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ScreenPoint {
    /// The mouse's unit, from the left edge of the primary monitor; may be negative.
    pub x: i32,
    /// The mouse's unit, from the top edge of the primary monitor; may be negative.
    pub y: i32,
}

/// A rectangle of pixels in a screenshot; `left`, `top` belong to it, `left + width`, `top + height` do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rect {
    /// Leftmost column of pixels.
    pub left: u32,
    /// Topmost line of pixels.
    pub top: u32,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
}

impl Rect {
    /// The middle.
    pub fn center(self) -> Pixel {
        Pixel {
            x: f64::from(self.left) + f64::from(self.width) / 2.0,
            y: f64::from(self.top) + f64::from(self.height) / 2.0,
        }
    }

    /// Whether the pixel lies inside.
    pub fn contains(self, pixel: Pixel) -> bool {
        pixel.x >= f64::from(self.left)
            && pixel.y >= f64::from(self.top)
            && pixel.x < f64::from(self.left) + f64::from(self.width)
            && pixel.y < f64::from(self.top) + f64::from(self.height)
    }
}

/// A part of the screen, in the mouse's units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScreenRect {
    /// Its top left corner.
    pub corner: ScreenPoint,
    /// Width in the mouse's units.
    pub width: u32,
    /// Height in the mouse's units.
    pub height: u32,
}

impl ScreenRect {
    /// The point in its middle.
    pub fn middle(self) -> ScreenPoint {
        ScreenPoint { x: self.corner.x + self.width as i32 / 2, y: self.corner.y + self.height as i32 / 2 }
    }

    /// Whether `point` lies inside.
    pub fn contains(self, point: ScreenPoint) -> bool {
        let (dx, dy) = (i64::from(point.x) - i64::from(self.corner.x), i64::from(point.y) - i64::from(self.corner.y));
        (0..i64::from(self.width)).contains(&dx) && (0..i64::from(self.height)).contains(&dy)
    }

    /// What both have in common, if they have.
    pub fn overlap(self, other: ScreenRect) -> Option<ScreenRect> {
        let span = |from: i32, length: u32, other_from: i32, other_length: u32| {
            let start = i64::from(from.max(other_from));
            let end = (i64::from(from) + i64::from(length)).min(i64::from(other_from) + i64::from(other_length));
            (end > start).then_some((start as i32, (end - start) as u32))
        };
        let (x, width) = span(self.corner.x, self.width, other.corner.x, other.width)?;
        let (y, height) = span(self.corner.y, self.height, other.corner.y, other.height)?;
        Some(ScreenRect { corner: ScreenPoint { x, y }, width, height })
    }

    /// How far, across and down, this must be moved to lie wholly `within` another one: along each side on which it is no longer than that, and lies
    /// beyond it by more than `slack`.
    pub fn way_into(self, within: ScreenRect, slack: i32) -> (i32, i32) {
        let span = |from: i32, length: u32, first: i32, room: u32| {
            let (before, after) = (first.saturating_sub(from), from.saturating_sub(first));
            let beyond = i64::from(after) + i64::from(length) - i64::from(room);
            let beyond = i32::try_from(beyond).unwrap_or(i32::MAX);
            match (length <= room, before > slack, beyond > slack) {
                (true, true, _) => before,
                (true, _, true) => -beyond,
                _ => 0,
            }
        };
        (
            span(self.corner.x, self.width, within.corner.x, within.width),
            span(self.corner.y, self.height, within.corner.y, within.height),
        )
    }

    /// The smallest that holds both.
    pub fn around(self, other: ScreenRect) -> ScreenRect {
        let span = |from: i32, length: u32, other_from: i32, other_length: u32| {
            let start = from.min(other_from);
            let end = (i64::from(from) + i64::from(length)).max(i64::from(other_from) + i64::from(other_length));
            (start, u32::try_from(end - i64::from(start)).unwrap_or(u32::MAX))
        };
        let (x, width) = span(self.corner.x, self.width, other.corner.x, other.width);
        let (y, height) = span(self.corner.y, self.height, other.corner.y, other.height);
        ScreenRect { corner: ScreenPoint { x, y }, width, height }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_opened_hangs_together_and_mines_that_show_do_not() {
        let size = BoardSize::new(5, 3);
        for (changed, expected) in [
            ("..... ..x.. .....", true),
            ("..... ..... .....", true),
            ("xx... .xx.. ..xx.", true),
            ("xx... ..x.. ...x.", true), // by their corners
            ("x.... ..x.. .....", false),
            ("..x.. ..x.x x....", false),
        ] {
            let tiles: Vec<bool> = changed.split_whitespace().flat_map(str::chars).map(|tile| tile == 'x').collect();
            assert_eq!(size.hang_together(&tiles, Cell::new(2, 1)), expected, "{changed}");
        }
    }

    #[test]
    fn a_window_is_moved_no_farther_than_onto_the_screen() {
        let rect = |x, y, width, height| ScreenRect { corner: ScreenPoint { x, y }, width, height };
        let screen = rect(0, 24, 1920, 1056);
        for (window, expected) in [
            (rect(100, 100, 800, 600), (0, 0)),
            (rect(100, 700, 800, 600), (0, -220)),
            (rect(-50, 100, 800, 600), (50, 0)),
            (rect(1900, -200, 800, 600), (-780, 224)),
            (rect(-20, 500, 800, 600), (0, 0)),      // by its shadow
            (rect(-100, 700, 2000, 600), (0, -220)), // too wide
            (rect(i32::MAX, i32::MIN, u32::MAX, 10), (0, i32::MAX)),
        ] {
            assert_eq!(window.way_into(screen, 32), expected, "{window:?}");
        }
    }

    #[test]
    fn neighbours_are_counted_by_degree() {
        for size in [BoardSize::new(1, 1), BoardSize::new(1, 5), BoardSize::new(2, 3), BoardSize::new(4, 4)] {
            for cell in size.cells() {
                assert_eq!(size.neighbours(cell).count() as u32, size.degree(cell), "{cell} on {size}");
                assert!(size.neighbours(cell).all(|other| cell.touches(other)));
                assert_eq!(size.cell(size.index(cell)), cell);
            }
        }
    }
}
