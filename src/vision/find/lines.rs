//! Whether a [`Grid`] has lines where its tiles are said to begin, and all of them.

use super::edges::strength;
use crate::vision::grid::{Grid, Way, pitch};
use image::RgbaImage;

/// Difference by which a line is seen, of 255.
const SEEN: f64 = 4.0;
/// Edges that are looked at for lines.
const LOOKED_AT: usize = 8;
/// Of so many lines one may be there, and the others not.
const SPLITS: [usize; 3] = [4, 3, 2];

/// Whether anything shows where tiles are said to begin: a stipple that was scaled repeats at any pitch, but has no lines.
pub fn has_lines(picture: &RgbaImage, grid: &Grid) -> bool {
    Way::BOTH.into_iter().any(|way| {
        let strengths = strengths(picture, grid, way);
        strengths.iter().sum::<f64>() > SEEN * strengths.len() as f64
    })
}

/// Whether most tiles have something between them: what is written on a plain ground has an edge here and there.
pub fn has_lines_throughout(picture: &RgbaImage, grid: &Grid) -> bool {
    Way::BOTH.into_iter().any(|way| {
        let strengths = strengths(picture, grid, way);
        strengths.iter().filter(|strength| **strength > SEEN).count() * 2 > strengths.len()
    })
}

/// How much of an edge there is where tiles are said to begin, at some places.
fn strengths(picture: &RgbaImage, grid: &Grid, way: Way) -> Vec<f64> {
    let (edges, across) = (grid.edges(way), grid.edges(way.across()));
    let inner = edges[1..edges.len() - 1].iter().step_by(edges.len().div_ceil(LOOKED_AT));
    inner.map(|&edge| strength(picture, way, edge, across, pitch(edges) / 8.0)).collect()
}

/// The grid of an untouched board with only those of its lines that are there, if others were found between them: every second, two
/// of three, or three of four show nothing. A stipple that was scaled looks as if it had lines.
pub fn joined(picture: &RgbaImage, grid: &Grid) -> Option<Grid> {
    let strengths = Way::BOTH.map(|way| all_strengths(picture, grid, way));
    let every = SPLITS.into_iter().find(|&every| strengths.iter().all(|strengths| is_split(strengths, every)))?;
    Some(Way::BOTH.into_iter().fold(grid.clone(), |grid, way| with_every(&grid, way, every)))
}

/// The grid of which every tile is halved across or down, or both, where lines show in the middles of its tiles that are half as strong as those
/// between them at least: where tiles are 42.5 pixels wide, only every second one is as the last, pixel for pixel. With these lines in the middles, and
/// on the whole pixels beside those. None where there are no such lines.
pub fn divided(picture: &RgbaImage, grid: &Grid) -> Vec<Grid> {
    let halved = |grid: &Grid, way: Way, placed: fn(f64) -> f64| {
        let edges = grid.edges(way);
        let halves = edges.windows(2).flat_map(|pair| [pair[0], placed(pair[0].midpoint(pair[1]))]);
        grid.with(way, halves.chain(edges.last().copied()).collect())
    };
    let has_lines = |way: &Way| {
        let strengths = all_strengths(picture, &halved(grid, *way, |edge| edge), *way);
        let mean = |first: usize| {
            let lines = || strengths.iter().skip(first).step_by(2);
            lines().sum::<f64>() / lines().count().max(1) as f64
        };
        mean(0) > SEEN && 2.0 * mean(0) > mean(1)
    };
    let ways: Vec<Way> = Way::BOTH.into_iter().filter(has_lines).collect();
    let places: [fn(f64) -> f64; 3] = [|edge| edge, f64::floor, f64::ceil];
    let divided = places.map(|placed| ways.iter().fold(grid.clone(), |grid, way| halved(&grid, *way, placed)));
    divided.into_iter().filter(|divided| divided != grid).collect()
}

/// The same as [`joined`] where one way alone has lines too many, and tiles are nearer to squares without them: of tiles that lie apart each half ends at a gap.
pub fn joined_to_squares(picture: &RgbaImage, grid: &Grid) -> Option<Grid> {
    let far = |grid: &Grid| (grid.pitch().0 / grid.pitch().1).ln().abs();
    Way::BOTH.into_iter().find_map(|way| {
        let strengths = all_strengths(picture, grid, way);
        let every = SPLITS.into_iter().find(|&every| is_split(&strengths, every))?;
        Some(with_every(grid, way, every)).filter(|joined| far(joined) < far(grid))
    })
}

/// How much of an edge there is at every line between tiles.
fn all_strengths(picture: &RgbaImage, grid: &Grid, way: Way) -> Vec<f64> {
    let (edges, across) = (grid.edges(way), grid.edges(way.across()));
    let reach = (pitch(across) / 8.0).max(2.0);
    edges[1..edges.len() - 1].iter().map(|&edge| strength(picture, way, edge, across, reach)).collect()
}

/// Whether one of so many lines is there, and nothing shows between them. Where three of four show nothing, so does every second.
fn is_split(strengths: &[f64], every: usize) -> bool {
    let mean = |first: usize| {
        let own = || strengths.iter().skip(first).step_by(every);
        own().sum::<f64>() / own().count().max(1) as f64
    };
    let between = (0..every - 1).map(mean).fold(0.0, f64::max);
    mean(every - 1) > SEEN && mean(every - 1) > 3.0 * between && (strengths.len() + 1).is_multiple_of(every)
}

/// The grid with one of so many lines.
fn with_every(grid: &Grid, way: Way, every: usize) -> Grid {
    grid.with(way, grid.edges(way).iter().copied().step_by(every).collect())
}
