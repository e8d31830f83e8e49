//! Where the lines between tiles are, of an untouched board whose tiles are hardly told from the ground around them: by how alike all
//! columns and rows are from line of pixels to line of pixels, however faint they are.

use crate::vision::{Grid, Way, pitch};
use image::RgbaImage;

/// Share of a pitch by which the first and the last edge may be off.
const OFF: f64 = 0.2;
/// The most pixels, and the fewest.
const FARTHEST: f64 = 10.0;
const NEAREST: f64 = 2.0;
/// How much all columns may differ from their mean, as a share of that, for their edges to be right as they are.
const EVEN: f64 = 0.02;
/// How much less they must differ elsewhere.
const BETTER: f64 = 0.5;
/// Share of a column by which all columns together become wider or narrower, where one of them is none of the board's.
const SPREAD: f64 = 0.2;
/// Pixels by which one column may begin beside where all together say, and how often that is looked at again.
const ASTRAY: f64 = 3.0;
const ROUNDS: usize = 3;
/// The share of a column before it that is compared, too, is one in so many.
const BEFORE: i32 = 4;
/// Columns or rows from which this can be told.
const FEWEST: usize = 5;

/// The grid with its edges where all columns, and all rows, are most alike; as it was where they are alike, or nowhere much more.
pub fn straightened(picture: &RgbaImage, grid: &Grid) -> Grid {
    Way::BOTH.into_iter().fold(grid.clone(), |grid, way| {
        let found = edges(picture, grid.edges(way), way, grid.edges(way.across()));
        found.map_or(grid.clone(), |edges| grid.with(way, edges))
    })
}

/// The edges of columns (or rows) that are better; nothing where there are none. One more or one less is better where all are even then: on a
/// ground like its tiles a board is first seen with a column too many, and all others a little too narrow.
fn edges(picture: &RgbaImage, old: &[f64], way: Way, across: &[f64]) -> Option<Vec<f64>> {
    let count = old.len().checked_sub(1).filter(|count| *count >= FEWEST)?;
    let steps = steps(picture, way, across);
    let before = uneven(&steps, old).filter(|before| *before > EVEN)?;
    let near = (OFF * pitch(old)).clamp(NEAREST, FARTHEST) as i32;
    let by_one = pitch(old).ceil() as i32 + near;
    let own = evenest(&steps, old, count, near).filter(|(uneven, _)| *uneven <= BETTER * before);
    let even = |found: &(f64, Vec<f64>)| found.0 <= EVEN;
    // Where columns stay as wide as they were, one more or less is no better: it leaves out the rim, which lacks half of the lines around it.
    let is_spread = |edges: &[f64]| (pitch(edges) / pitch(old) - 1.0).abs() * count as f64 > SPREAD;
    let others = || [count + 1, count - 1].into_iter().filter_map(|count| evenest(&steps, old, count, by_one));
    let is_other = |found: &(f64, Vec<f64>)| even(found) && is_spread(&found.1);
    let found = own.clone().filter(even).or_else(|| others().find(is_other)).or(own);
    // Some columns may be a pixel wider than others, as where a board fills its window.
    let laid = found.as_ref().map_or_else(|| old.to_vec(), |(_, edges)| edges.clone());
    let followed = followed(&steps, &laid)
        .filter(|(uneven, _)| *uneven <= BETTER * found.as_ref().map_or(before, |found| found.0));
    followed.or(found).map(|(_, edges)| edges)
}

/// The edges of columns that begin each where it is most like the mean one, at most so many pixels from where they are, and how uneven these are.
fn followed(steps: &[f64], edges: &[f64]) -> Option<(f64, Vec<f64>)> {
    let farthest = (OFF * pitch(edges)).min(ASTRAY) as i32;
    let mut laid: Vec<f64> = edges.iter().map(|edge| edge.round()).collect();
    for _ in 0..ROUNDS {
        let count = laid.len() - 1;
        // The middle of all, for the mean of columns that are apart is none of them.
        let middle = |at: i32| -> f64 {
            let mut all: Vec<f64> = column(&laid, at).map(|start| step(steps, start, at)).collect();
            all.sort_by(f64::total_cmp);
            all[all.len() / 2]
        };
        let typical: Vec<(i32, f64)> = around(edges).map(|at| (at, middle(at))).collect();
        let unlike = |start: f64, index: usize| -> f64 {
            let all = typical.iter().filter(|(at, _)| *at > 0 || index > 0);
            all.map(|(at, typical)| (step(steps, start, *at) - typical).abs()).sum()
        };
        let mut ways: Vec<i32> = (-farthest..=farthest).collect();
        ways.sort_by_key(|by| by.abs());
        let nearest = |(index, edge): (usize, &f64)| {
            let starts = ways.iter().map(|by| edge.round() + f64::from(*by)).filter(|start| *start >= 0.0);
            starts.min_by(|a, b| unlike(*a, index).total_cmp(&unlike(*b, index))).unwrap_or(*edge)
        };
        let mut next: Vec<f64> = edges[..count].iter().enumerate().map(nearest).collect();
        next.push(next[count - 1] + (edges[count] - edges[count - 1]).floor());
        if next == laid {
            break;
        }
        laid = next;
    }
    let is_in_order = laid.windows(2).all(|pair| pair[1] - pair[0] >= 1.0);
    uneven(steps, &laid).filter(|_| is_in_order).map(|uneven| (uneven, laid))
}

/// The edges of so many columns that are most even, with their first and last at most so many pixels from the old ones, and how uneven these are.
fn evenest(steps: &[f64], old: &[f64], count: usize, reach: i32) -> Option<(f64, Vec<f64>)> {
    let mut ends: Vec<(i32, i32)> = (-reach..=reach).flat_map(|a| (-reach..=reach).map(move |b| (a, b))).collect();
    ends.sort_by_key(|(a, b)| a * a + b * b);
    let laid = |(a, b): (i32, i32)| -> Vec<f64> {
        let (first, last) = (old[0].round() + f64::from(a), old[old.len() - 1].round() + f64::from(b));
        (0..=count).map(|at| first + (last - first) * at as f64 / count as f64).collect()
    };
    let mut best: Option<(f64, Vec<f64>)> = None;
    for edges in ends.into_iter().map(laid) {
        if let Some(found) = uneven(steps, &edges)
            && best.as_ref().is_none_or(|(least, _)| found < *least)
        {
            best = Some((found, edges));
        }
    }
    best
}

/// How much every line of pixels across a way differs from the one before it, as far as the board goes: half a tile less on either side,
/// for the edges there may be wrong, too.
fn steps(picture: &RgbaImage, way: Way, across: &[f64]) -> Vec<f64> {
    let half = pitch(across) / 2.0;
    let (from, to) = ((across[0] + half) as u32, (across[across.len() - 1] - half) as u32);
    let to = to.min(way.across().length(picture));
    let value = |at: u32, other: u32, channel: usize| {
        let (x, y) = way.pixel(at, other);
        i32::from(picture.get_pixel(x, y).0[channel])
    };
    let step = |at: u32| -> f64 {
        let all = (from..to).flat_map(|other| (0..3).map(move |channel| (other, channel)));
        let sum: i32 =
            all.map(|(other, channel)| (value(at, other, channel) - value(at - 1, other, channel)).abs()).sum();
        f64::from(sum) / f64::from(3 * to.saturating_sub(from).max(1))
    };
    (0..way.length(picture)).map(|at| if at == 0 { 0.0 } else { step(at) }).collect()
}

/// The places of a column that are compared, from where it begins: also those just before that, for of a column that is a pixel wider only they tell
/// which of its ends is.
fn around(edges: &[f64]) -> impl Iterator<Item = i32> + use<> {
    let inside = pitch(edges).floor() as i32;
    -inside / BEFORE..inside
}

/// The columns of which a place is compared: what is before the first, and the step onto it, is another one than between columns.
fn column(edges: &[f64], at: i32) -> impl Iterator<Item = f64> {
    edges[..edges.len() - 1].iter().skip(usize::from(at <= 0)).copied()
}

/// The step at a place of a column that begins here.
fn step(steps: &[f64], start: f64, at: i32) -> f64 {
    let place = usize::try_from(start.round() as i32 + at);
    place.ok().and_then(|place| steps.get(place).copied()).unwrap_or_default()
}

/// How much the steps of columns differ from those of the mean column, as a share of these (0 to 2); nothing where an edge lies outside of the picture.
fn uneven(steps: &[f64], edges: &[f64]) -> Option<f64> {
    if edges[0] < 0.0 || edges[edges.len() - 1].round() as usize > steps.len() {
        return None;
    }
    let (mut differ, mut all) = (0.0, 0.0);
    for at in around(edges) {
        let column = || column(edges, at).map(|start| step(steps, start, at));
        let sum = column().sum::<f64>();
        let mean = sum / column().count().max(1) as f64;
        differ += column().map(|step| (step - mean).abs()).sum::<f64>();
        all += sum;
    }
    (all > 0.0).then_some(differ / all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgba;

    /// Tiles with a line of so many grey levels more around them, on a ground of their own colour.
    fn board(line: u8) -> (RgbaImage, Grid) {
        let edges = |from: u32| (0..=8).map(|edge| f64::from(from + 30 * edge)).collect();
        let picture = RgbaImage::from_fn(400, 400, |x, y| {
            let inside = |at: u32, from: u32| (from..from + 240).contains(&at).then(|| (at - from) % 30);
            let light = match (inside(x, 73), inside(y, 51)) {
                (Some(x), Some(y)) if [1, 28].contains(&x) && (1..29).contains(&y) => 36 + line,
                (Some(x), Some(y)) if [1, 28].contains(&y) && (1..29).contains(&x) => 36 + line,
                _ => 36,
            };
            Rgba([light, light, light, 255])
        });
        (picture, Grid { columns: edges(73), lines: edges(51) })
    }

    #[test]
    fn faint_lines_tell_where_tiles_are() {
        for line in [4, 9, 120] {
            let (picture, truth) = board(line);
            assert_eq!(straightened(&picture, &truth), truth);
            let stretched = truth.columns.iter().map(|edge| (edge - 73.0) * 31.0 / 30.0 + 69.0).collect();
            let lower = truth.lines.iter().map(|edge| edge + 4.0).collect();
            let found = straightened(&picture, &Grid { columns: stretched, lines: lower });
            let near = |one: &[f64], other: &[f64]| one.iter().zip(other).all(|(a, b)| (a - b).abs() <= 1.0);
            assert!(near(&found.columns, &truth.columns) && near(&found.lines, &truth.lines), "{line}: {found:?}");
            // Nine columns that begin on the ground beside the eight there are.
            let wider = (0..=9).map(|edge| 53.0 + 29.0 * f64::from(edge)).collect();
            let found = straightened(&picture, &Grid { columns: wider, lines: truth.lines.clone() });
            assert_eq!(found.size(), truth.size(), "{line}");
            assert!(near(&found.columns, &truth.columns), "{line}: {found:?}");
        }
    }

    /// White tiles with a blurred line between them, which has half of it on each; around the board there is no such line.
    #[test]
    fn lines_that_are_missing_around_a_board_move_no_column() {
        let (from, side, count) = (60u32, 40u32, 8u32);
        let shade = |at: u32| {
            let inside = (from..from + side * count).contains(&at).then(|| at - from)?;
            let far = (inside % side).min(side - 1 - inside % side);
            let is_rim = inside < side / 2 || inside >= side * count - side / 2;
            Some(if is_rim || far > 5 { 255 } else { 135 + 20 * far as u8 })
        };
        let picture = RgbaImage::from_fn(440, 440, |x, y| {
            let light = shade(x).zip(shade(y)).map_or(204, |(across, down)| across.min(down));
            Rgba([light, light, light, 255])
        });
        let edges = || (0..=count).map(|edge| f64::from(from + side * edge)).collect::<Vec<f64>>();
        let truth = Grid { columns: edges(), lines: edges() };
        let mut wider = truth.clone();
        for way in Way::BOTH {
            wider.edges_mut(way)[0] -= 3.0;
            wider.edges_mut(way)[count as usize] += 3.0;
        }
        for grid in [&truth, &wider] {
            let found = straightened(&picture, grid);
            assert_eq!(found.size(), truth.size());
            let is_near = |way: Way| found.edges(way).iter().zip(truth.edges(way)).all(|(a, b)| (a - b).abs() <= 3.0);
            assert!(Way::BOTH.into_iter().all(is_near), "{found:?}");
        }
    }

    #[test]
    fn a_grid_on_a_plain_ground_stays_where_it_is() {
        let (_, grid) = board(9);
        assert_eq!(straightened(&RgbaImage::from_pixel(400, 400, Rgba([36; 4])), &grid), grid);
    }

    /// Rows of 23 pixels and three of 22, as where a board fills its window: no even grid lies on all of them.
    #[test]
    fn rows_that_are_a_pixel_lower_are_followed() {
        let rows: Vec<u32> =
            (0..=13).map(|row| 40 + 23 * row).chain((1..=3).map(|row| 40 + 23 * 13 + 22 * row)).collect();
        let picture = RgbaImage::from_fn(400, 460, |x, y| {
            let beyond = rows[..16].iter().rev().find(|row| y >= **row && y < rows[16]).map(|row| y - row);
            let light = match beyond {
                Some(2..21) if (60..290).contains(&x) && (2..21).contains(&((x - 60) % 23)) => 180,
                _ => 240,
            };
            Rgba([light, light, light, 255])
        });
        let truth: Vec<f64> = rows.iter().copied().map(f64::from).collect();
        let columns = (0..=10).map(|edge| f64::from(60 + 23 * edge)).collect();
        let even = (0..=16).map(|edge| 39.0 + f64::from(edge) * 22.96).collect();
        let found = straightened(&picture, &Grid { columns, lines: even });
        let off: Vec<f64> = found.lines[..16].iter().zip(&truth).map(|(edge, truth)| edge - truth).collect();
        assert!(off.iter().all(|by| *by == off[0]) && off[0].abs() <= 2.0, "{off:?}");
    }
}
