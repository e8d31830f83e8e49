//! Where the tiles of a board are in a picture ([`Grid`]): pure geometry.

use crate::client::{Anchor, Spot};
use crate::geometry::{BoardSize, Cell, Pixel, Rect};
use image::RgbaImage;
use serde::{Deserialize, Serialize};

/// The fewest columns and rows of a board: no client has smaller ones.
pub const SMALLEST: u32 = 4;
/// Pixels by which an edge is the same.
pub(super) const BARELY: f64 = 0.125;

/// Where the tiles are in a picture: the edges of every column and row, in pixels, which may be fractional. The pitch
/// need not be uniform (gnome-mines gives its first columns a pixel more), so origin and pitch are only a summary.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Grid {
    /// The left edge of every column, and the right edge of the last.
    pub columns: Vec<f64>,
    /// The top edge of every row, and the bottom edge of the last.
    pub lines: Vec<f64>,
}

impl Grid {
    /// Columns and rows.
    pub fn size(&self) -> BoardSize {
        BoardSize::new(self.columns.len() as u32 - 1, self.lines.len() as u32 - 1)
    }

    /// The grid with these edges along a way and those across it.
    pub fn of(way: Way, edges: Vec<f64>, across: Vec<f64>) -> Self {
        match way {
            Way::Columns => Self { columns: edges, lines: across },
            Way::Lines => Self { columns: across, lines: edges },
        }
    }

    /// That of a picture of a single tile, of this width and height in pixels.
    pub fn only((width, height): (u32, u32)) -> Self {
        Self { columns: vec![0.0, f64::from(width)], lines: vec![0.0, f64::from(height)] }
    }

    /// The edges along a way: of its columns, or of its rows.
    pub fn edges(&self, way: Way) -> &[f64] {
        if way == Way::Columns { &self.columns } else { &self.lines }
    }

    /// The same, to be changed.
    pub fn edges_mut(&mut self, way: Way) -> &mut Vec<f64> {
        if way == Way::Columns { &mut self.columns } else { &mut self.lines }
    }

    /// The same grid with other edges along a way.
    pub fn with(&self, way: Way, edges: Vec<f64>) -> Self {
        Self::of(way, edges, self.edges(way.across()).to_vec())
    }

    /// So many edges along a way, from one on, as far as there are any, and beyond them on their line.
    pub fn run(&self, way: Way, from: i64, count: u32) -> Vec<f64> {
        let edges = self.edges(way);
        let (start, step) = line_of(edges);
        let own = |at: i64| usize::try_from(at).ok().and_then(|at| edges.get(at).copied());
        (from..from + i64::from(count)).map(|at| own(at).unwrap_or(start + step * at as f64)).collect()
    }

    /// The top left corner of the first tile.
    pub fn origin(&self) -> Pixel {
        Pixel { x: self.columns[0], y: self.lines[0] }
    }

    /// The mean distance between tiles, across and down.
    pub fn pitch(&self) -> (f64, f64) {
        (pitch(&self.columns), pitch(&self.lines))
    }

    /// Whether all its edges lie between two pixels, as where a client paints tiles of its own size. Tiles that are painted wider by turns
    /// lie there too, but are placed at the mean of their widths.
    pub fn is_on_pixels(&self) -> bool {
        self.columns.iter().chain(&self.lines).all(|edge| (edge - edge.round()).abs() < BARELY)
    }

    /// The pixels of one tile, rounded to whole ones.
    pub fn tile(&self, cell: Cell) -> Rect {
        let span = |edges: &[f64], index: u32| {
            let (from, to) = (edges[index as usize].round(), edges[index as usize + 1].round());
            (from as u32, (to - from) as u32)
        };
        let (left, width) = span(&self.columns, cell.x);
        let (top, height) = span(&self.lines, cell.y);
        Rect { left, top, width, height }
    }

    /// Whether a tile begins and ends where pixels do.
    pub fn is_whole(&self, cell: Cell) -> bool {
        let is_whole =
            |edges: &[f64], index: u32| edges[index as usize..].iter().take(2).all(|edge| edge.fract() == 0.0);
        is_whole(&self.columns, cell.x) && is_whole(&self.lines, cell.y)
    }

    /// The pixels of all tiles together.
    pub fn bounds(&self) -> Rect {
        let size = self.size();
        let (first, last) = (self.tile(Cell::new(0, 0)), self.tile(Cell::new(size.width - 1, size.height - 1)));
        let (width, height) = (last.left + last.width - first.left, last.top + last.height - first.top);
        Rect { width, height, ..first }
    }

    /// The middle of one tile.
    pub fn center(&self, cell: Cell) -> Pixel {
        let middle = |edges: &[f64], index: u32| (edges[index as usize] + edges[index as usize + 1]) / 2.0;
        Pixel { x: middle(&self.columns, cell.x), y: middle(&self.lines, cell.y) }
    }

    /// Where a place given relative to the board is.
    pub fn spot(&self, spot: Spot) -> Pixel {
        let (left, right) = (self.columns[0], self.columns[self.columns.len() - 1]);
        let (top, bottom) = (self.lines[0], self.lines[self.lines.len() - 1]);
        let (middle, half) = ((left + right) / 2.0, (top + bottom) / 2.0);
        let (x, y) = match spot.from {
            Anchor::TopLeft => (left, top),
            Anchor::Top => (middle, top),
            Anchor::TopRight => (right, top),
            Anchor::Left => (left, half),
            Anchor::Center => (middle, half),
            Anchor::Right => (right, half),
            Anchor::BottomLeft => (left, bottom),
            Anchor::Bottom => (middle, bottom),
            Anchor::BottomRight => (right, bottom),
        };
        let (across, down) = self.pitch();
        Pixel { x: x + spot.tiles[0] * across + spot.pixels[0], y: y + spot.tiles[1] * down + spot.pixels[1] }
    }

    /// The board and `margin` tiles around it, as far as they are in a picture of this size.
    pub fn around(&self, (width, height): (u32, u32), margin: f64) -> Rect {
        let (across, down) = self.pitch();
        let span = |edges: &[f64], room: f64, limit: u32| {
            let from = (edges[0] - room).clamp(0.0, f64::from(limit)).floor() as u32;
            let to = (edges[edges.len() - 1] + room).clamp(0.0, f64::from(limit)).ceil() as u32;
            (from, to - from)
        };
        let (left, width) = span(&self.columns, margin * across, width);
        let (top, height) = span(&self.lines, margin * down, height);
        Rect { left, top, width, height }
    }

    /// The same grid in a picture whose corner lies `x`, `y` pixels further right and down.
    pub fn moved(&self, x: f64, y: f64) -> Grid {
        let shift = |edges: &[f64], by: f64| edges.iter().map(|edge| edge - by).collect();
        Grid { columns: shift(&self.columns, x), lines: shift(&self.lines, y) }
    }

    /// How many whole pixels farther right and down another grid lies, if it is the same but for that.
    pub fn shift_to(&self, other: &Grid) -> Option<(i64, i64)> {
        let (here, there) = (self.origin(), other.origin());
        let by = [there.x - here.x, there.y - here.y].map(f64::round);
        let same = |own: &[f64], other: &[f64], by: f64| {
            own.len() == other.len() && own.iter().zip(other).all(|(own, other)| (own + by - other).abs() < SAME)
        };
        let is_same = same(&self.columns, &other.columns, by[0]) && same(&self.lines, &other.lines, by[1]);
        is_same.then_some((by[0] as i64, by[1] as i64))
    }
}

/// Pixels within which two edges are at one place.
const SAME: f64 = 1e-3;

/// A direction in which a board is followed: from column to column, or from row to row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Way {
    /// From left to right; edges are vertical.
    Columns,
    /// From top to bottom; edges are horizontal.
    Lines,
}

impl Way {
    /// Both.
    pub const BOTH: [Way; 2] = [Way::Columns, Way::Lines];

    /// What is along this way, and what is across it, as what is along the columns and along the lines; and the other way round.
    pub fn pair<T>(self, along: T, across: T) -> (T, T) {
        if self == Way::Columns { (along, across) } else { (across, along) }
    }

    /// The pixel `at` along this way and `other` across it.
    pub fn pixel(self, at: u32, other: u32) -> (u32, u32) {
        self.pair(at, other)
    }

    /// Pixels of a picture along this way.
    pub fn length(self, picture: &RgbaImage) -> u32 {
        if self == Way::Columns { picture.width() } else { picture.height() }
    }

    /// The other one.
    pub fn across(self) -> Way {
        if self == Way::Columns { Way::Lines } else { Way::Columns }
    }
}

/// The mean distance of edges.
pub fn pitch(edges: &[f64]) -> f64 {
    (edges[edges.len() - 1] - edges[0]) / (edges.len() - 1) as f64
}

/// The edges on whole pixels.
pub fn rounded(edges: &[f64]) -> Vec<f64> {
    edges.iter().map(|edge| edge.round()).collect()
}

/// The first edge and the pitch of the line that fits edges best (least squares).
pub fn line_of(edges: &[f64]) -> (f64, f64) {
    let middle = (edges.len() as f64 - 1.0) / 2.0;
    let mean = edges.iter().sum::<f64>() / edges.len() as f64;
    let places = || edges.iter().enumerate().map(|(index, edge)| (index as f64 - middle, edge - mean));
    let pitch = places().map(|(at, edge)| at * edge).sum::<f64>() / places().map(|(at, _)| at * at).sum::<f64>();
    (mean - pitch * middle, pitch)
}
