//! What lies beside a board. A whole board has the same border on all sides, or one that is lit from a corner: the same on the
//! left as above, and on the right as below. Where a window covers a part of a board, something else is beside what is left of it,
//! or parts of tiles are, which have lines between them, while a border goes on.

use crate::vision::grid::Grid;
use image::RgbaImage;

/// Whether every side of a board has a border that another side has, too. With a picture as backdrop only the line around the board
/// tells, for beyond it is the picture. Where it `is_smeared` its first lines are mixed with tiles.
pub fn is_framed(picture: &RgbaImage, grid: &Grid, has_backdrop: bool, is_smeared: bool) -> bool {
    has_border(picture, grid, has_backdrop, is_smeared, PLAIN)
}

/// The same of a board with a picture as backdrop, whatever of that shows through the line around it. What lies over a part of a board may have such a
/// side, too: for a board of a size that is known.
pub fn is_fenced(picture: &RgbaImage, grid: &Grid, is_smeared: bool) -> bool {
    has_border(picture, grid, true, is_smeared, SHOWS_THROUGH)
}

/// The same where colours along a line that differ by less than so much are one.
fn has_border(picture: &RgbaImage, grid: &Grid, has_backdrop: bool, is_smeared: bool, plain: f64) -> bool {
    let (mixed, between) = if is_smeared { (MIXED, SMEARED * plain) } else { (0, plain) };
    let share = if has_backdrop { MOST } else { ALL };
    let sides =
        [Side::Left, Side::Right, Side::Top, Side::Bottom].map(|side| border(picture, grid, side, share, plain));
    // Edges may be off by so many pixels.
    let slack = (grid.pitch().0 / LARGE).ceil() as usize + usize::from(has_backdrop);
    let count = lines(grid);
    let is_alike = |a: &[Line], b: &[Line]| {
        // The first line of either may be mixed with a tile.
        let most = slack + mixed + usize::from(!has_backdrop);
        let shifts = (0..=most).flat_map(|i| (0..=most).map(move |j| (i, j)));
        let shifts = shifts.filter(|&(i, j)| !has_backdrop || i.min(j) <= mixed);
        let mut pairs = shifts.filter_map(|(i, j)| Some((a.get(i..)?, b.get(j..)?)));
        pairs.any(|(a, b)| {
            if has_backdrop {
                has_same_line(a, b, between, slack + usize::from(is_smeared))
            } else {
                is_same(a, b, count)
            }
        })
    };
    let others = |side: usize| (0..sides.len()).filter(move |&other| other != side);
    (0..sides.len()).all(|side| {
        let mut alike = others(side).map(|other| is_alike(&sides[side], &sides[other]));
        // The line around a board on a picture has one colour.
        if has_backdrop { alike.all(|alike| alike) } else { alike.any(|alike| alike) }
    })
}

/// Tiles of which the edges may be off by one pixel only, however their pitch was found.
const LARGE: f64 = 60.0;

/// Lines that are mixed with what is beside them where a desktop stretches a window to twice its size.
const MIXED: usize = 2;

/// Difference up to which two colours of a border are the same, of 255: clients draw them the same, and a picture may be compressed.
const SAME: f64 = 4.0;

/// Colours along a line that differ by less are one.
const PLAIN: f64 = 24.0;
/// By how much more two lines may differ that are mixed with what is beside them: of one pixel stretched by a quarter as much as two fifths of what shows is
/// that.
const SMEARED: f64 = 1.5;
/// The same of a line that lets a fifth of a picture behind it through (the fence of kmines' themes), and those of two such lines: that may be black and
/// white.
const SHOWS_THROUGH: f64 = 255.0 / 5.0;

/// Share of a line that has one colour, if it is a part of a border: all of it but for a pointer, or on a backdrop most of it.
const ALL: f64 = 0.95;
const MOST: f64 = 0.75;

/// How many lines of a border are compared: clients draw no other things nearer to their tiles. A window's own frame is as near to large tiles as
/// to small ones: gnome-mines has 20 pixels between them.
fn lines(grid: &Grid) -> usize {
    ((grid.pitch().0 / 5.0) as usize).clamp(LINES + 1, MOST_LINES)
}

/// The most lines that are compared.
const MOST_LINES: usize = 12;

/// So many more are looked at, for where a border begins is not known to the pixel.
const SHIFTED: usize = 4;

/// Lines of one colour that are compared at least.
const LINES: usize = 3;

/// The colour of a line along the board, if it has but one.
type Line = Option<[f64; 3]>;

fn apart(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|i| (a[i] - b[i]).abs()).fold(0.0, f64::max)
}

/// Whether two borders are the same for so many lines; or every line of one lies between two of the other, for where edges lie between
/// two pixels a line is a mixture of two, another one on every side.
fn is_same(a: &[Line], b: &[Line], count: usize) -> bool {
    let is_in = |at: usize, line: &Line, other: &[Line]| {
        let near = &other[at.saturating_sub(1)..(at + 2).min(other.len())];
        let Some(line) = line else { return near.iter().any(Option::is_none) };
        near.iter().flatten().any(|colour| apart(*line, *colour) <= SAME)
            || near.windows(2).any(|two| two[0].zip(two[1]).is_some_and(|(from, to)| is_between(*line, from, to)))
    };
    let are_in =
        |one: &[Line], other: &[Line]| one.iter().take(count).enumerate().all(|(at, line)| is_in(at, line, other));
    let plain = a.iter().zip(b).take(count).filter(|(a, b)| a.is_some() && b.is_some()).count();
    plain >= LINES && are_in(a, b) && are_in(b, a)
}

/// Whether a colour is a mixture of two.
fn is_between(colour: [f64; 3], from: [f64; 3], to: [f64; 3]) -> bool {
    let dot = |a: [f64; 3], b: [f64; 3]| (0..3).map(|i| a[i] * b[i]).sum::<f64>();
    let (way, here) = ([0, 1, 2].map(|i| to[i] - from[i]), [0, 1, 2].map(|i| colour[i] - from[i]));
    let share = (dot(way, here) / dot(way, way).max(1.0)).clamp(0.0, 1.0);
    apart(colour, [0, 1, 2].map(|i| from[i] + share * way[i])) <= SAME
}

/// Whether two borders begin with a line of the same colour and width.
fn has_same_line(a: &[Line], b: &[Line], plain: f64, slack: usize) -> bool {
    let (Some(Some(first)), Some(Some(other))) = (a.first(), b.first()) else { return false };
    let width = |lines: &[Line], first: &[f64; 3]| {
        lines.iter().take_while(|line| line.is_some_and(|line| apart(line, *first) < plain)).count()
    };
    apart(*first, *other) < plain && width(a, first).abs_diff(width(b, other)) <= slack
}

#[derive(Clone, Copy)]
enum Side {
    Left,
    Right,
    Top,
    Bottom,
}

/// The colours of the lines along one side of a board, from the board outwards, as far as they are in the picture.
fn border(picture: &RgbaImage, grid: &Grid, side: Side, share: f64, plain: f64) -> Vec<Line> {
    let (edges, across) = match side {
        Side::Left | Side::Right => (&grid.columns, &grid.lines),
        Side::Top | Side::Bottom => (&grid.lines, &grid.columns),
    };
    // Also where the lines between tiles would be.
    let places: Vec<i64> = across
        .windows(2)
        .flat_map(|tile| {
            let within = [0.2, 0.4, 0.6, 0.8].map(|part| (tile[0] + (tile[1] - tile[0]) * part) as i64);
            within.into_iter().chain([-1, 0, 1].map(|by| tile[1].round() as i64 + by))
        })
        .collect();
    let places = &places[..places.len() - 3];
    let pixel = |at: i64, along: i64| {
        let (x, y) = match side {
            Side::Left | Side::Right => (at, along),
            Side::Top | Side::Bottom => (along, at),
        };
        Some(picture.get_pixel_checked(u32::try_from(x).ok()?, u32::try_from(y).ok()?)?.0)
    };
    let line = |away: i64| {
        let at = match side {
            Side::Left | Side::Top => edges[0].round() as i64 - 1 - away,
            Side::Right | Side::Bottom => edges[edges.len() - 1].round() as i64 + away,
        };
        places.iter().map(|&along| pixel(at, along)).collect::<Option<Vec<[u8; 4]>>>()
    };
    let depth = (lines(grid) + SHIFTED) as i64;
    (0..depth).map_while(line).map(|seen| colour(&seen, share, plain)).collect()
}

/// The colour that at least this share of them has, but for so much.
fn colour(seen: &[[u8; 4]], share: f64, plain: f64) -> Line {
    let middle = [0, 1, 2].map(|channel| {
        let mut values: Vec<u8> = seen.iter().map(|colour| colour[channel]).collect();
        values.sort_unstable();
        f64::from(values[values.len() / 2])
    });
    let is_like = |colour: &&[u8; 4]| apart([colour[0], colour[1], colour[2]].map(f64::from), middle) < plain;
    (seen.iter().filter(is_like).count() as f64 >= share * seen.len() as f64).then_some(middle)
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgba;
    use image::imageops::{self, FilterType};

    const GRID: [u32; 3] = [100, 80, 20];

    /// 12x9 raised tiles in a sunken frame on a grey window.
    fn board() -> RgbaImage {
        let [left, top, pitch] = GRID.map(i64::from);
        RgbaImage::from_fn(500, 400, |x, y| {
            let (x, y) = (i64::from(x) - left, i64::from(y) - top);
            let (width, height) = (12 * pitch, 9 * pitch);
            let grey = if (0..width).contains(&x) && (0..height).contains(&y) {
                let (u, v) = (x % pitch, y % pitch);
                if u < 2 || v < 2 {
                    255
                } else if u >= pitch - 2 || v >= pitch - 2 {
                    128
                } else {
                    192
                }
            } else if (-3..width + 3).contains(&x) && (-3..height + 3).contains(&y) {
                if x < 0 || y < 0 { 128 } else { 255 }
            } else {
                230
            };
            Rgba([grey, grey, grey, 255])
        })
    }

    fn grid(columns: u32, rows: u32) -> Grid {
        let [left, top, pitch] = GRID;
        let edges = |from, count| (0..=count).map(|index| f64::from(from + pitch * index)).collect();
        Grid { columns: edges(left, columns), lines: edges(top, rows) }
    }

    /// What is left of the board when a window of this grey lies over it from here on.
    fn covered(from: u32, grey: u8) -> RgbaImage {
        let whole = board();
        RgbaImage::from_fn(
            500,
            400,
            |x, y| if x < from { *whole.get_pixel(x, y) } else { Rgba([grey, grey, grey, 255]) },
        )
    }

    /// The same tiles in a dark line on something that is nowhere the same.
    fn on_a_picture() -> RgbaImage {
        let ([left, top, pitch], whole) = (GRID, board());
        RgbaImage::from_fn(500, 400, |x, y| {
            let beyond = |at: u32, from: u32, count: u32| match at {
                at if at < from => from - at,
                at => (at + 1).saturating_sub(from + count * pitch),
            };
            match beyond(x, left, 12).max(beyond(y, top, 9)) {
                0 => *whole.get_pixel(x, y),
                1..=3 => Rgba([60, 60, 60, 255]),
                _ => Rgba([(x * 7 + y * 13) as u8, (x * 11 + y * 5) as u8, 90, 255]),
            }
        })
    }

    /// The same half as large again, and a grid there.
    fn stretched(picture: &RgbaImage, grid: &Grid) -> (RgbaImage, Grid) {
        let (width, height) = (picture.width() * 3 / 2, picture.height() * 3 / 2);
        let larger = |edges: &[f64]| edges.iter().map(|edge| edge * 1.5).collect();
        let grid = Grid { columns: larger(&grid.columns), lines: larger(&grid.lines) };
        (imageops::resize(picture, width, height, FilterType::Triangle), grid)
    }

    /// Whether it is framed as it is, and when it is stretched.
    fn both(picture: &RgbaImage, grid: &Grid, has_backdrop: bool) -> [bool; 2] {
        let (larger, its) = stretched(picture, grid);
        [is_framed(picture, grid, has_backdrop, false), is_framed(&larger, &its, has_backdrop, true)]
    }

    #[test]
    fn a_whole_board_has_a_border() {
        assert_eq!(both(&board(), &grid(12, 9), false), [true; 2]);
        assert_eq!(both(&on_a_picture(), &grid(12, 9), true), [true; 2]);
    }

    /// A dark line of which a fifth is what lies behind it: bright above and dark below the middle of the board.
    #[test]
    fn a_line_that_lets_a_picture_through_is_a_border() {
        let mut picture = on_a_picture();
        for (_, y, pixel) in picture.enumerate_pixels_mut().filter(|(.., pixel)| **pixel == Rgba([60, 60, 60, 255])) {
            *pixel = Rgba([if y < 180 { 60 } else { 16 }; 4]);
        }
        assert!(!is_framed(&picture, &grid(12, 9), true, false), "the line has two colours");
        assert!(is_fenced(&picture, &grid(12, 9), false));
        for (columns, rows) in [(11, 9), (12, 8)] {
            assert!(!is_fenced(&picture, &grid(columns, rows), false), "{columns}x{rows}");
        }
    }

    #[test]
    fn a_part_of_a_board_has_none() {
        for (columns, rows) in [(11, 9), (12, 8)] {
            assert_eq!(both(&board(), &grid(columns, rows), false), [false; 2]);
            assert_eq!(both(&on_a_picture(), &grid(columns, rows), true), [false; 2]);
        }
        for from in 300..320 {
            // A window of the colour of the border that begins right where it would cannot be told from it.
            for grey in [0, 60, 192, 240] {
                assert_eq!(both(&covered(from, grey), &grid(10, 9), false), [false; 2], "{from} {grey}");
            }
        }
    }
}
