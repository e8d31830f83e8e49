//! Boards whose columns and rows change their size while they are played: a table in a browser gives a row its height by what is in it, and one
//! that is open from end to end may be a pixel lower than one with hidden tiles. What is around the board tells that it has another size now, and
//! the lines between its tiles where each of them went; or lines around all of them tell both ([`ruled()`]).

mod ruled;

pub use ruled::ruled;

use super::grid::{Grid, Way, pitch};
use crate::geometry::{Cell, Rect};
use image::RgbaImage;
use std::cmp::Ordering;

/// Pixels beside a board by which its end is known again.
const BESIDE: i64 = 8;
/// Pixels by which that may begin farther out than its last line.
const MISPLACED: i64 = 2;
/// Grey levels up to which the mean colour of such a line is the same.
const SAME: f32 = 2.0;
/// The most pixels by which a column or row changes, and the share of a tile: where a program gives a column its width by what is written in it, the
/// first number makes it wider (34 to 39 pixels in one made with Tk), and the others narrower where the board keeps its size (60 to 42).
const CHANGES: i64 = 2;
const GROWS: f64 = 1.0 / 3.0;
/// The same of all of them together: what lies over the end of a board ends somewhere, too.
const ALL_GROW: f64 = 1.0 / 6.0;
/// How much more like edges they must be where columns or rows are to change by more.
const BETTER: f32 = 1.3;
/// Pixels on either side of an edge that tell it: lines between tiles are no wider.
const AROUND: i64 = 3;
/// Grey levels by which lines between tiles are seen at least; the share of that up to which they are gone, and from which on they are somewhere else.
const SEEN: f32 = 4.0;
const GONE: f32 = 0.3;
const AS_STRONG: f32 = 0.7;
/// How much better an edge must lie, as a share of what a mean edge is worth, for a column or row to change by a pixel; where they may change by more
/// than [`CHANGES`], for as great a part of that.
const WORTH: f32 = 0.1;

/// How far the first and the last edge along a way were moved; the last may not be known.
type Ends = (i64, Option<i64>);

/// Where the tiles of a board are in another picture of it, in which its columns or rows may have another size, and with them the board: by the lines
/// around all of them, wherever these are, or by what is beside its ends; nothing if that cannot be found again within what all of them may change. `is_elastic`: of this client that was seen
/// before, so that lines between tiles are looked for also where the board as a whole has the size it had.
pub fn resized(before: &RgbaImage, grid: &Grid, now: &RgbaImage, is_elastic: bool) -> Option<Grid> {
    if let Some(found) = ruled(before, grid, now) {
        return Some(found);
    }
    let ends = |way: Way| {
        let (edges, across) = (grid.edges(way), grid.edges(way.across()));
        let (then, is) = (lines(before, way, across), lines(now, way, across));
        let most = by_share(ALL_GROW, edges) * (edges.len() as i64 - 1);
        let first = end(&then, &is, edges[0].round() as i64 - 1, -1, most)?;
        Some((first, Some(end(&then, &is, edges[edges.len() - 1].round() as i64, 1, most)?)))
    };
    let moved = [ends(Way::Columns)?, ends(Way::Lines)?];
    // What was laid out anew one way may have been so the other way, with the same ends.
    let is_elsewhere = is_elastic || moved != [(0, Some(0)); 2];
    if is_elsewhere { between(before, grid, now, moved) } else { Some(grid.clone()) }
}

/// The same by the lines between its tiles alone, where its first tile begins where it did: a client may say beside its board how a game ended, so that
/// nothing tells where it ends, or keep its size and change that of its columns. What else there is to be seen must say whether it is so.
pub fn relaid(before: &RgbaImage, grid: &Grid, now: &RgbaImage) -> Option<Grid> {
    between(before, grid, now, [(0, None); 2])
}

/// The grid with its edges between these ends along both ways.
fn between(before: &RgbaImage, grid: &Grid, now: &RgbaImage, ends: [Ends; 2]) -> Option<Grid> {
    let mut found = grid.clone();
    for (way, ends) in Way::BOTH.into_iter().zip(ends) {
        let across = grid.edges(way.across());
        let steps = [steps(before, way, across), steps(now, way, across)];
        let edges = grid.edges(way);
        let laid = |changes: i64| laid(edges, ends, &steps[0], &steps[1], changes);
        // Who may go further finds more that looks like an edge: only what is much better is believed.
        let most = grows(edges);
        let (little, much) = (laid(CHANGES), if most > CHANGES { laid(most) } else { None });
        let is_better = |little: &(Vec<f64>, f32), much: &(Vec<f64>, f32)| much.1 > BETTER * little.1;
        let best = match (little, much) {
            (Some(little), Some(much)) if !is_better(&little, &much) => little,
            (little, much) => much.or(little)?,
        };
        *found.edges_mut(way) = best.0;
    }
    Some(if stays(before, grid, now, &found) { grid.clone() } else { found })
}

/// Whether tiles that would lie elsewhere show where they were, pixel for pixel, what they did there, and more of them than do where they would be:
/// in a browser what is written in some tiles of a row moves these alone, and no line goes with them.
fn stays(before: &RgbaImage, grid: &Grid, now: &RgbaImage, found: &Grid) -> bool {
    let moves = |way: Way| -> Vec<i64> {
        let edges = grid.edges(way).iter().zip(found.edges(way));
        edges.map(|(was, is)| is.round() as i64 - was.round() as i64).collect()
    };
    let (across, down) = (moves(Way::Columns), moves(Way::Lines));
    // How far a tile as a whole would have gone.
    let gone = |cell: Cell| {
        let by = |moves: &[i64], at: u32| Some(moves[at as usize]).filter(|by| *by == moves[at as usize + 1]);
        by(&across, cell.x).zip(by(&down, cell.y)).filter(|by| *by != (0, 0))
    };
    let shows = |tile: Rect, by: (i64, i64)| i32::from(is_same(before, now, tile, by));
    let gone = grid.size().cells().filter_map(|cell| gone(cell).map(|by| (grid.tile(cell), by)));
    let told = gone.map(|(tile, by)| shows(tile, (0, 0)) - shows(tile, by));
    told.sum::<i32>() > 0
}

/// Whether a part of a picture is in another one, pixel for pixel, so far right of and below where it was.
pub fn is_same(before: &RgbaImage, after: &RgbaImage, part: Rect, (x, y): (i64, i64)) -> bool {
    let Rect { left, top, width, height } = part;
    let there = |at: u32, by: i64| u32::try_from(i64::from(at) + by).ok();
    let pixel = |at: (u32, u32)| after.get_pixel_checked(there(at.0, x)?, there(at.1, y)?);
    let mut all = (top..top + height).flat_map(|y| (left..left + width).map(move |x| (x, y)));
    all.all(|at| before.get_pixel_checked(at.0, at.1).is_some_and(|then| pixel(at) == Some(then)))
}

/// Whether the tiles of a board lie beside where they were in another picture of it, whatever they show there: lines are gone from where they were
/// between tiles, and nearly as strong as far from each other somewhere else.
pub fn lies_beside(before: &RgbaImage, grid: &Grid, now: &RgbaImage) -> bool {
    Way::BOTH.into_iter().any(|way| {
        let (edges, across) = (grid.edges(way), grid.edges(way.across()));
        let inner = &edges[1..edges.len() - 1];
        let [then, is] = [before, now].map(|picture| steps(picture, way, across));
        let strength = |steps: &[f32], by: i64| {
            let near = |edge: &f64| {
                let around = (-1..=1).map(|away| usize::try_from(edge.round() as i64 + by + away));
                let around = around.filter_map(|at| steps.get(at.ok()?).copied());
                around.fold(0.0, f32::max)
            };
            inner.iter().map(near).sum::<f32>() / inner.len().max(1) as f32
        };
        let then = strength(&then, 0);
        let elsewhere = (AROUND + 1..pitch(edges) as i64 - AROUND).map(|by| strength(&is, by)).fold(0.0, f32::max);
        then >= SEEN && strength(&is, 0) <= GONE * then && elsewhere >= AS_STRONG * then
    })
}

/// The most pixels by which columns or rows with these edges change.
pub fn grows(edges: &[f64]) -> i64 {
    by_share(GROWS, edges)
}

/// A share of a tile with these edges, in pixels, if that is more than every board's columns may change.
fn by_share(share: f64, edges: &[f64]) -> i64 {
    ((share * pitch(edges)).floor() as i64).max(CHANGES)
}

/// The mean colour of every line of pixels across a way, in the middle half of the board: it may have another size along that line, too.
fn lines(picture: &RgbaImage, way: Way, across: &[f64]) -> Vec<[f32; 3]> {
    let (first, quarter) = (across[0], (across[across.len() - 1] - across[0]) / 4.0);
    let (from, to) = ((first + quarter).round() as u32, (first + 3.0 * quarter).round() as u32);
    let to = to.min(way.across().length(picture));
    let mean = |at: u32| {
        let mut sum = [0.0f32; 3];
        for other in from..to {
            let (x, y) = way.pixel(at, other);
            let pixel = picture.get_pixel(x, y).0;
            (0..3).for_each(|channel| sum[channel] += f32::from(pixel[channel]));
        }
        sum.map(|sum| sum / to.saturating_sub(from).max(1) as f32)
    };
    (0..way.length(picture)).map(mean).collect()
}

/// By how many pixels the end of a board was moved: the least by which the lines beside it, from `at` outwards, are the same again, and what is
/// just inside of them is not. Nothing if they never are, or were not told from the board before.
fn end(before: &[[f32; 3]], now: &[[f32; 3]], at: i64, outwards: i64, most: i64) -> Option<i64> {
    // The line around a board, or a shadow below it, may be its own, and another one now.
    (0..=MISPLACED).find_map(|beyond| end_beside(before, now, at + beyond * outwards, outwards, most))
}

/// The same where what is beside the board begins here.
fn end_beside(before: &[[f32; 3]], now: &[[f32; 3]], at: i64, outwards: i64, most: i64) -> Option<i64> {
    let get = |lines: &[[f32; 3]], at: i64| usize::try_from(at).ok().and_then(|at| lines.get(at).copied());
    let is_same = |one: [f32; 3], other: [f32; 3]| (0..3).all(|channel| (one[channel] - other[channel]).abs() <= SAME);
    let depth = (0..BESIDE).take_while(|away| get(before, at + outwards * away).is_some()).count() as i64;
    let is_there = |by: i64| {
        let beside = |away: i64| Some((get(before, at + outwards * away)?, get(now, at + by + outwards * away)?));
        depth > CHANGES && (0..depth).all(|away| beside(away).is_some_and(|(one, other)| is_same(one, other)))
    };
    let is_its_end = |by: i64| is_there(by) && !is_there(by - outwards);
    (0..=most).flat_map(|by| [by, -by]).find(|&by| is_its_end(by))
}

/// How much every line of pixels across a way differs from the one before it.
fn steps(picture: &RgbaImage, way: Way, across: &[f64]) -> Vec<f32> {
    let (from, to) = (across[0].round() as u32, across[across.len() - 1].round() as u32);
    let to = to.min(way.across().length(picture));
    let grey = |at: u32, other: u32| {
        let (x, y) = way.pixel(at, other);
        picture.get_pixel(x, y).0[..3].iter().map(|&value| f32::from(value)).sum::<f32>() / 3.0
    };
    let step = |at: u32| match at {
        0 => 0.0,
        at => {
            (from..to).map(|other| (grey(at, other) - grey(at - 1, other)).abs()).sum::<f32>()
                / to.saturating_sub(from).max(1) as f32
        }
    };
    (0..way.length(picture)).map(step).collect()
}

/// The edges between two ends that were moved, the last of which may not be known, each by at most so many `changes` more or less than the one before it:
/// where the steps around them are most like those around edges before, as near to the distances of before as can be; and how much they are. By
/// dynamic programming over how far each was moved.
fn laid(edges: &[f64], (first, last): Ends, before: &[f32], now: &[f32], changes: i64) -> Option<(Vec<f64>, f32)> {
    let at = |steps: &[f32], at: i64| usize::try_from(at).ok().and_then(|at| steps.get(at).copied()).unwrap_or(0.0);
    let whole: Vec<i64> = edges.iter().map(|edge| edge.round() as i64).collect();
    let inner = whole.get(1..whole.len() - 1).filter(|inner| !inner.is_empty())?;
    // What an edge looks like.
    let look: Vec<f32> = (-AROUND..=AROUND)
        .map(|away| inner.iter().map(|&edge| at(before, edge + away)).sum::<f32>() / inner.len() as f32)
        .collect();
    let worth = |edge: i64| -> f32 {
        look.iter().zip(-AROUND..=AROUND).map(|(look, away)| look.min(at(now, edge + away))).sum()
    };
    // The most that a column changes costs as much, whatever that is: one that has grown beside one that shrank is no two that stayed.
    let change = WORTH * CHANGES as f32 / changes as f32 * look.iter().sum::<f32>();
    // Some columns may shrink, one after the other, before as many grow.
    let several = if changes > CHANGES { edges.len() as i64 / 2 } else { 1 };
    let reach = first.abs().max(last.unwrap_or(0).abs()) + several * changes;
    let moves: Vec<i64> = (-reach..=reach).collect();
    // The best sums with every edge moved so far, and by how much the one before it was.
    let mut best: Vec<Option<f32>> = moves.iter().map(|&by| (by == first).then_some(0.0)).collect();
    let mut from: Vec<Vec<usize>> = Vec::new();
    for &edge in &whole[1..] {
        let mut next = vec![None; moves.len()];
        let mut came = vec![0; moves.len()];
        for (to, &by) in moves.iter().enumerate() {
            for (was, &before) in moves.iter().enumerate().filter(|(_, before)| (by - **before).abs() <= changes) {
                let Some(sum) = best[was] else { continue };
                let sum = sum + worth(edge + by) - change * (by - before).abs() as f32;
                if next[to].is_none_or(|other| sum > other) {
                    (next[to], came[to]) = (Some(sum), was);
                }
            }
        }
        best = next;
        from.push(came);
    }
    let ends = (0..moves.len()).filter(|&to| last.is_none_or(|last| moves[to] == last));
    let mut to = ends
        .filter(|&to| best[to].is_some())
        .max_by(|&a, &b| best[a].partial_cmp(&best[b]).unwrap_or(Ordering::Equal))?;
    let mut laid = vec![edges[edges.len() - 1] + moves[to] as f64];
    for (came, edge) in from.iter().rev().zip(edges.iter().rev().skip(1)) {
        to = came[to];
        laid.push(edge + moves[to] as f64);
    }
    laid.reverse();
    // Where only the ends seem to be elsewhere, the line around a board was painted otherwise; and lines between tiles that went somewhere
    // are not where they were.
    let inner = |edges: &[f64]| edges[1..edges.len() - 1].iter().map(|edge| worth(edge.round() as i64)).sum::<f32>();
    let best = if inner(&laid) * (1.0 - WORTH) > inner(edges) { laid } else { edges.to_vec() };
    let worth = inner(&best);
    Some((best, worth))
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgba;

    /// Rows of these heights: raised tiles where they are 20 pixels high, and flat ones, with a figure on each, where they are less.
    fn board(heights: &[u32]) -> (RgbaImage, Grid) {
        let mut lines = vec![30.0];
        heights.iter().for_each(|height| lines.push(lines[lines.len() - 1] + f64::from(*height)));
        let columns: Vec<f64> = (0..=6).map(|column| 25.0 + 20.0 * f64::from(column)).collect();
        let grid = Grid { columns, lines };
        let picture = RgbaImage::from_fn(200, 260, |x, y| {
            let (x, y) = (f64::from(x), f64::from(y));
            let place = |edges: &[f64], at: f64| edges.windows(2).position(|edge| edge[0] <= at && at < edge[1]);
            let light = match (place(&grid.columns, x), place(&grid.lines, y)) {
                (Some(column), Some(row)) => {
                    let (u, v) = (x - grid.columns[column], y - grid.lines[row]);
                    let high = f64::from(heights[row]);
                    let is_open = heights[row] < 20;
                    match () {
                        // Where lines cross they are darker: none is of one colour from end to end.
                        () if u < 1.0 && v < 1.0 => 190,
                        () if u < 1.0 || v < 1.0 || u >= 19.0 || v >= high - 1.0 => 210,
                        () if is_open && (8.0..11.0).contains(&u) && (5.0..14.0).contains(&v) => 60,
                        () if is_open => 175,
                        () if u < 3.0 || v < 3.0 => 255,
                        () if u >= 17.0 || v >= high - 3.0 => 120,
                        () => 210,
                    }
                }
                _ => 235,
            };
            Rgba([light, light, light, 255])
        });
        (picture, grid)
    }

    /// Raised tiles of 20 pixels that begin here, the odd ones open, with a bar in each if asked for.
    fn tiles(top: u32, has_bars: bool) -> RgbaImage {
        RgbaImage::from_fn(220, 220, |x, y| {
            let (x, y) = (x.wrapping_sub(10), y.wrapping_sub(top));
            if x >= 200 || y >= 160 {
                return Rgba([230, 230, 230, 255]);
            }
            let is_open = (x / 20 + y / 20) % 2 == 1;
            let (x, y) = (x % 20, y % 20);
            let light = match () {
                () if has_bars && (6..9).contains(&x) && (4..16).contains(&y) => 40,
                () if x == 0 || y == 0 => 250,
                () if x == 19 || y == 19 => 110,
                () if is_open => 170,
                () => 190,
            };
            Rgba([light, light, light, 255])
        })
    }

    #[test]
    fn tiles_that_lie_beside_where_they_were_are_seen_whatever_they_show() {
        let grid = Grid {
            columns: (0..=10).map(|at| f64::from(10 + 20 * at)).collect(),
            lines: (0..=8).map(|at| f64::from(30 + 20 * at)).collect(),
        };
        let before = tiles(30, false);
        assert!(lies_beside(&before, &grid, &tiles(22, true)));
        assert!(lies_beside(&before, &grid, &tiles(22, false)));
        assert!(!lies_beside(&before, &grid, &tiles(30, true)));
        // Of a page in place of the board there are no such lines, and of open tiles there may be none.
        assert!(!lies_beside(&before, &grid, &RgbaImage::from_pixel(220, 220, Rgba([200, 200, 200, 255]))));
        let open = RgbaImage::from_fn(220, 220, |x, y| {
            let is_bar = x % 20 == 16 && y % 20 > 12 && x / 20 % 3 == 0;
            Rgba(if is_bar { [20, 20, 20, 255] } else { [200, 200, 200, 255] })
        });
        assert!(!lies_beside(&before, &grid, &open));
    }

    #[test]
    fn rows_that_shrink_are_followed() {
        let (before, grid) = board(&[20; 8]);
        assert_eq!(resized(&before, &grid, &before, false), Some(grid.clone()));
        for heights in [[20, 20, 19, 20, 20, 20, 20, 20], [19; 8], [18, 20, 20, 19, 19, 20, 20, 18]] {
            let (now, truth) = board(&heights);
            assert_eq!(resized(&before, &grid, &now, false), Some(truth), "{heights:?}");
        }
        let (now, truth) = board(&[23, 23, 20, 23, 23, 20, 20, 23]);
        assert_eq!(resized(&before, &grid, &now, false), Some(truth), "by what is written in them");
        // Another has what one lost.
        let (now, truth) = board(&[20, 20, 20, 19, 20, 21, 20, 20]);
        assert_eq!(resized(&before, &grid, &now, false), Some(grid.clone()));
        assert_eq!(resized(&before, &grid, &now, true), Some(truth));
    }

    #[test]
    fn columns_that_shrink_leave_the_ends_of_rows_where_they_are() {
        // Raised tiles that fill columns of these widths, in a window that is as wide as they are, on a dark desktop.
        let board = |widths: &[u32]| {
            let mut columns = vec![30.0];
            widths.iter().for_each(|width| columns.push(columns[columns.len() - 1] + f64::from(*width)));
            let grid = Grid { columns, lines: (0..=8).map(|row| 40.0 + 31.0 * f64::from(row)).collect() };
            let mut picture = RgbaImage::from_pixel(440, 340, Rgba([0, 0, 0, 255]));
            let Rect { left, top, width, height } = grid.bounds();
            for (x, y) in (left - 2..left + width + 2).flat_map(|x| (top - 20..top + height + 2).map(move |y| (x, y))) {
                picture.put_pixel(x, y, Rgba([60, 90, 160, 255]));
            }
            for tile in grid.size().cells().map(|cell| grid.tile(cell)) {
                for (x, y) in (0..tile.width).flat_map(|x| (0..tile.height).map(move |y| (x, y))) {
                    let is_dark = x + 2 >= tile.width || y + 2 >= tile.height;
                    let light = if is_dark {
                        110
                    } else if x < 2 || y < 2 {
                        255
                    } else {
                        217
                    };
                    picture.put_pixel(tile.left + x, tile.top + y, Rgba([light, light, light, 255]));
                }
            }
            (picture, grid)
        };
        let ((before, grid), (now, truth)) = (board(&[34; 10]), board(&[30, 30, 30, 30, 30, 39, 30, 30, 30, 30]));
        assert_eq!(resized(&before, &grid, &now, false), Some(truth));
    }

    #[test]
    fn what_is_written_in_some_tiles_moves_no_row() {
        // Tiles that lie apart on a ground of one colour, and in some rows of the later picture four of six a little lower, with a figure.
        let picture = |is_later: bool| {
            RgbaImage::from_fn(200, 260, |x, y| {
                let (u, row) = (x.wrapping_sub(25), y.wrapping_sub(30) / 20);
                let is_lower = is_later && (2..6).contains(&row) && u / 20 < 4;
                let v = y.wrapping_sub(30 + if is_lower { 2 } else { 0 });
                let is_tile = u < 120 && v < 160 && u % 20 < 16 && v % 20 < 16;
                let is_figure = is_lower && (6..9).contains(&(u % 20)) && (5..12).contains(&(v % 20));
                let light = if !is_tile {
                    170
                } else if is_figure {
                    20
                } else if is_lower {
                    100
                } else {
                    230
                };
                Rgba([light, light, light, 255])
            })
        };
        let grid = Grid {
            columns: (0..=6).map(|at| f64::from(25 + 20 * at)).collect(),
            lines: (0..=8).map(|at| f64::from(30 + 20 * at)).collect(),
        };
        assert_eq!(resized(&picture(false), &grid, &picture(true), false), Some(grid.clone()));
        assert_eq!(resized(&picture(false), &grid, &picture(true), true), Some(grid));
    }

    #[test]
    fn a_line_around_the_board_is_no_row() {
        let (before, grid) = board(&[20; 8]);
        let mut now = before.clone();
        let (left, right) = (25, 25 + 6 * 20 - 1);
        for y in 30..30 + 8 * 20 {
            now.put_pixel(left, y, Rgba([235, 235, 235, 255]));
            now.put_pixel(right, y, Rgba([235, 235, 235, 255]));
        }
        assert_eq!(resized(&before, &grid, &now, false), Some(grid));
    }

    #[test]
    fn what_lies_over_the_end_of_a_board_tells_nothing() {
        let (before, grid) = board(&[20; 8]);
        let mut now = board(&[19; 8]).0;
        for (x, y) in (0..200).flat_map(|x| (170..230).map(move |y| (x, y))) {
            now.put_pixel(x, y, Rgba([(x % 7 * 30) as u8, 10, 90, 255]));
        }
        assert_eq!(resized(&before, &grid, &now, false), None);
    }

    #[test]
    fn the_last_line_of_a_board_may_look_otherwise() {
        // Below the board there is a light line that belongs to its last row.
        let (mut before, mut grid) = board(&[20; 8]);
        let (mut now, mut truth) = board(&[23, 23, 20, 23, 23, 20, 20, 23]);
        for (picture, grid, light) in [(&mut before, &mut grid, 250), (&mut now, &mut truth, 242)] {
            let bottom = grid.lines[8] as u32;
            (25..145).for_each(|x| picture.put_pixel(x, bottom, Rgba([light, light, light, 255])));
        }
        assert_eq!(resized(&before, &grid, &now, false), Some(truth));
    }
}
