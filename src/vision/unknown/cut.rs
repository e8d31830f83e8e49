//! [`Grid`] → the sides on which its board goes on beyond what its window shows, without any pictures of tiles: a part of the next tiles is seen
//! there.

use crate::vision::grid::{Grid, Way, pitch};
use image::RgbaImage;

/// Share of a tile that must be seen of the next ones, in pixels at least, and at most: more is a column of the board.
const SEEN: f64 = 0.15;
const FEWEST: f64 = 5.0;
const WHOLE: f64 = 0.9;
/// Share of a line of pixels that must be as a tile further in, and grey levels up to which a pixel is.
const ALIKE: f64 = 0.95;
const SAME: u8 = 8;
/// Grey levels of a line between two tiles at least, and the share of these that must show: what is beside a board may be of one colour with its tiles.
const LINE: u8 = 8;
const LINED: f64 = 0.9;

/// The sides (of left, right, top and bottom) on which a part of the next tiles of an untouched board is seen. None where that is so on opposite
/// sides: then it is the grid that lies beside the tiles.
pub fn cut_off(picture: &RgbaImage, grid: &Grid) -> Vec<&'static str> {
    let names = [["left", "right"], ["top", "bottom"]];
    let mut cut = Vec::new();
    for (way, names) in Way::BOTH.into_iter().zip(names) {
        let Some(grid) = from_line_to_line(picture, grid, way) else { continue };
        let sides = [false, true].map(|is_last| Side { picture, grid: &grid, way, is_last });
        // What is beyond one side and missing at the other is of the outermost tiles: the grid lies on what is drawn in the middle of them.
        let seen = [0, 1].map(|side| sides[side].beyond() as f64 - sides[1 - side].missing() as f64);
        let step = pitch(grid.edges(way));
        let least = (SEEN * step).max(FEWEST);
        let is_part = |seen: f64| (least..WHOLE * step).contains(&seen);
        match seen.map(is_part) {
            [true, false] if seen[1] < least => cut.push(names[0]),
            [false, true] if seen[0] < least => cut.push(names[1]),
            _ => {}
        }
    }
    cut
}

/// The grid moved to where its tiles differ most from those before them: before anything is open they may be taken to begin anywhere. Nothing where
/// it lies on some lines only, so that its pitch is wrong.
fn from_line_to_line(picture: &RgbaImage, grid: &Grid, way: Way) -> Option<Grid> {
    let (edges, across) = (grid.edges(way), grid.edges(way.across()));
    let (length, step) = (way.length(picture) as i64, pitch(edges) as i64);
    let places = || (across[0].max(0.0) as u32..across[across.len() - 1] as u32).step_by(3);
    let pixel = |at: i64, other: u32| {
        let (x, y) = way.pixel(at as u32, other);
        picture.get_pixel_checked(x, y).map_or([0; 3], |pixel| [0, 1, 2].map(|channel| i64::from(pixel.0[channel])))
    };
    let differs = |at: i64| -> i64 {
        let both = |other: u32| pixel(at, other).into_iter().zip(pixel(at - 1, other));
        if at < 1 || at >= length { 0 } else { places().flat_map(both).map(|(one, before)| (one - before).abs()).sum() }
    };
    let inner = &edges[1..edges.len() - 1];
    let strength = |by: i64| -> i64 { inner.iter().map(|edge| differs(edge.round() as i64 + by)).sum() };
    // The nearest of several that are as strong.
    let by = (-step / 2..step - step / 2).max_by_key(|by| (strength(*by), -by.abs())).unwrap_or(0);
    let shown = |edge: &f64| (-1..=1).map(|away| differs(edge.round() as i64 + by + away)).max().unwrap_or(0);
    let mut all: Vec<i64> = inner.iter().map(shown).collect();
    all.sort_unstable();
    let usual = all[all.len() / 2];
    let on_lines = all.iter().filter(|shown| 2 * **shown >= usual).count();
    let is_laid = usual > 0 && on_lines as f64 >= LINED * all.len() as f64;
    is_laid.then(|| grid.with(way, edges.iter().map(|edge| edge + by as f64).collect()))
}

/// A side of a board, and what is on its lines of pixels.
struct Side<'a> {
    picture: &'a RgbaImage,
    grid: &'a Grid,
    way: Way,
    is_last: bool,
}

impl Side<'_> {
    fn pixel(&self, at: f64, other: u32) -> Option<[u8; 4]> {
        let (x, y) = self.way.pixel(at as u32, other);
        self.picture.get_pixel_checked(x, y).map(|pixel| pixel.0)
    }

    /// The edges of tiles along the side.
    fn along(&self) -> &[f64] {
        self.grid.edges(self.way.across())
    }

    fn step(&self) -> f64 {
        pitch(self.grid.edges(self.way))
    }

    /// Whether a line of pixels is in the picture, and as a tile further in.
    fn is_alike(&self, at: f64) -> bool {
        if !(0.0..f64::from(self.way.length(self.picture))).contains(&at) {
            return false;
        }
        let along = self.along();
        let end = along[along.len() - 1].min(f64::from(self.way.across().length(self.picture)));
        let (from, to) = (along[0].max(0.0) as u32, end as u32);
        let inner = if self.is_last { -self.step() } else { self.step() };
        let is_same = |one: [u8; 4], other: [u8; 4]| one.iter().zip(other).all(|(a, b)| a.abs_diff(b) <= SAME);
        // Tiles that are no whole number of pixels apart have their lines a pixel nearer or farther.
        [(at + inner).floor(), (at + inner).ceil()].into_iter().any(|other| {
            let same = |place: &u32| {
                self.pixel(at, *place).zip(self.pixel(other, *place)).is_some_and(|(one, other)| is_same(one, other))
            };
            (from..to).filter(same).count() as f64 >= ALIKE * f64::from(to.saturating_sub(from))
        })
    }

    /// Whether a line of pixels shows the lines between tiles that it crosses.
    fn is_lined(&self, at: f64) -> bool {
        let differs = |place: u32| {
            let both = self.pixel(at, place).zip(self.pixel(at, place + 1));
            both.is_some_and(|(one, other)| one.iter().zip(other).any(|(a, b)| a.abs_diff(b) >= LINE))
        };
        let along = self.along();
        let inside = &along[1..along.len() - 1];
        let shown = inside.iter().filter(|edge| {
            let edge = edge.round() as u32;
            (edge.saturating_sub(3)..edge + 3).any(differs)
        });
        shown.count() as f64 >= LINED * inside.len() as f64
    }

    /// The lines of pixels from the side on, outwards or inwards, up to a tile.
    fn lines(&self, is_outwards: bool) -> impl Iterator<Item = f64> {
        let edges = self.grid.edges(self.way);
        let side = if self.is_last { edges[edges.len() - 1].round() } else { edges[0].round() };
        let (first, by) = if self.is_last == is_outwards { (side, 1.0) } else { (side - 1.0, -1.0) };
        (0..self.step() as usize + 1).map(move |offset| first + by * offset as f64)
    }

    /// How many lines of pixels beyond it are as a tile further in, and show lines between tiles as there.
    fn beyond(&self) -> usize {
        let all: Vec<f64> = self.lines(true).take_while(|at| self.is_alike(*at)).collect();
        let lined = all.iter().filter(|at| self.is_lined(**at)).count();
        if 2 * lined > all.len() { all.len() } else { 0 }
    }

    /// How many within it are not.
    fn missing(&self) -> usize {
        self.lines(false).take_while(|at| !self.is_alike(*at)).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vision::boards_of_any_look;
    use image::Rgba;
    use std::path::{Path, PathBuf};

    /// Raised tiles of 30 by 24 pixels from (40, 50) on, of which a window shows what lies within these bounds.
    fn board(shown: [u32; 4]) -> RgbaImage {
        RgbaImage::from_fn(400, 400, |x, y| {
            if !(shown[0]..shown[2]).contains(&x) || !(shown[1]..shown[3]).contains(&y) {
                return Rgba([90, 90, 90, 255]);
            }
            let (x, y) = ((x + 300 - 40) % 30, (y + 240 - 50) % 24);
            let light = if x == 0 || y == 0 {
                250
            } else if x == 29 || y == 23 {
                120
            } else {
                200
            };
            Rgba([light, light, light, 255])
        })
    }

    #[test]
    fn a_board_that_goes_on_beyond_its_window_shows_a_part_of_the_next_tiles() {
        let edges = |from: f64, side: f64, count: u32| (0..=count).map(|at| from + side * f64::from(at)).collect();
        let grid = Grid { columns: edges(40.0, 30.0, 8), lines: edges(50.0, 24.0, 9) };
        let cases: [([u32; 4], &[&str]); 6] = [
            ([40, 50, 280, 266], &[]),
            ([40, 50, 292, 266], &["right"]),
            ([40, 41, 289, 266], &["right", "top"]),
            ([40, 50, 282, 268], &[]), // of a border more is not seen
            ([25, 50, 295, 266], &[]), // the grid lies half a tile beside, or this is one
            ([40, 50, 310, 266], &[]), // a column that is not in the grid yet
        ];
        for (shown, sides) in cases {
            assert_eq!(cut_off(&board(shown), &grid), sides, "{shown:?}");
            // Untouched tiles look alike wherever they begin.
            assert_eq!(cut_off(&board(shown), &grid.moved(3.0, -2.0)), sides, "{shown:?}");
        }
    }

    /// What is drawn in the middle of tiles is darker than the lines between them, which have the colour of the window: it ends a few pixels beyond.
    #[test]
    fn figures_in_the_middle_of_tiles_are_no_lines() {
        let picture = RgbaImage::from_fn(300, 320, |x, y| {
            let (column, row) = (x.wrapping_sub(2) % 27, y.wrapping_sub(45) % 29);
            let is_board = (2..245).contains(&x) && (45..306).contains(&y);
            let light = match (column, row) {
                _ if x >= 250 || y >= 307 => 0,
                _ if !is_board => 246,
                (0 | 26, _) | (_, 0 | 28) => 220,
                (8..18, 6..22) => 168,
                _ => 238,
            };
            Rgba([light, light, light, 255])
        });
        let edges = |from: f64, side: f64| (0..=9).map(|at| from + side * f64::from(at)).collect();
        let grid = Grid { columns: edges(2.0, 27.0), lines: edges(45.0, 29.0) };
        for by in [0.0, -4.0, 5.0] {
            assert_eq!(cut_off(&picture, &grid.moved(by, 0.0)), [""; 0], "{by}");
        }
    }

    /// Screenshots of real clients on which all of the board shows.
    #[test]
    fn no_board_of_the_screenshots_is_cut_off() {
        let pictures = glob("tests/fixtures", "-start.png");
        assert!(pictures.len() > 30, "none may be cut off; every fifth is looked at, for each takes a second");
        for path in pictures.into_iter().step_by(5) {
            let picture = image::open(&path).unwrap().to_rgba8();
            let Some(grid) = boards_of_any_look(&picture).into_iter().next() else { continue };
            assert_eq!(cut_off(&picture, &grid), [""; 0], "{}: {grid:?}", path.display());
        }
    }

    fn glob(folder: &str, end: &str) -> Vec<PathBuf> {
        let files = |folder: &Path| -> Vec<PathBuf> {
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
        };
        let all = files(Path::new(folder)).into_iter().filter(|path| path.is_dir()).flat_map(|path| files(&path));
        all.filter(|path| path.to_string_lossy().ends_with(end)).collect()
    }
}
