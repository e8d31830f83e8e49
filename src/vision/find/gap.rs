//! Where a ground shows between tiles, its middle is the line between them, to a part of a pixel. On a ground that is much darker or lighter than
//! the tiles a line that lies a pixel beside makes every tile of a column strange, and a display at scale 2 has columns of many widths.

use crate::vision::colour::ground::Colour;
use crate::vision::grid::{Grid, Way, pitch};
use image::RgbaImage;

/// How far from where a line is expected its gap may be, and where beside it a tile has its own colour, in tiles.
const REACH: f64 = 0.12;
const FACE: f64 = 0.2;
/// Levels of three channels together by which a pixel is the ground, and by which a tile must differ from it.
const SAME: i32 = 24;
const APART: i32 = 96;
/// So many tiles along a line are asked for it, and so many must tell the same.
const ASKED: usize = 8;
const TELLING: usize = 3;

/// Where the gap at a line ends on both sides, as far as tiles tell.
#[derive(Clone, Copy, Debug, Default)]
struct Gap {
    from: Option<f64>,
    to: Option<f64>,
}

impl Gap {
    fn middle(self) -> Option<f64> {
        Some((self.from? + self.to?) / 2.0)
    }

    fn width(self) -> Option<f64> {
        Some(self.to? - self.from?)
    }
}

/// The grid with every line in the middle of the gap that is there, where there is one.
pub fn centred(picture: &RgbaImage, grid: &Grid, ground: Colour) -> Grid {
    let mut centred = grid.clone();
    for way in Way::BOTH {
        let (edges, across) = (grid.edges(way), grid.edges(way.across()));
        let gaps: Vec<Gap> =
            edges.iter().map(|&edge| gap(picture, way, edge, (pitch(edges), across), ground)).collect();
        let usual = usual(gaps.iter().copied());
        let middles = edges.iter().zip(gaps).map(|(&edge, gap)| line(gap, usual).unwrap_or(edge));
        *centred.edges_mut(way) = middles.collect();
    }
    centred
}

/// Where the line nearest to a place beside the edges of a grid is, by the gap there.
pub fn next(picture: &RgbaImage, way: Way, grid: &Grid, at: f64, ground: Colour) -> Option<f64> {
    let (edges, across) = (grid.edges(way), grid.edges(way.across()));
    let tiles = (pitch(edges), across);
    let some = edges.iter().step_by(edges.len().div_ceil(ASKED));
    let usual = usual(some.map(|&edge| gap(picture, way, edge, tiles, ground)));
    line(gap(picture, way, at, tiles, ground), usual)
}

/// How wide the gaps at the lines of a pattern are, in tiles.
pub fn share(picture: &RgbaImage, columns: &[f64], lines: &[f64], ground: Colour) -> Option<f64> {
    let of = |way, edges: &[f64], across: &[f64]| {
        let some = edges.iter().step_by(edges.len().div_ceil(ASKED));
        let width = usual(some.map(|&edge| gap(picture, way, edge, (pitch(edges), across), ground)))?;
        Some(width / pitch(edges))
    };
    let (across, down) = (of(Way::Columns, columns, lines), of(Way::Lines, lines, columns));
    across.zip(down).map(|(across, down)| (across + down) / 2.0).or(across).or(down)
}

/// How wide gaps are.
fn usual(gaps: impl Iterator<Item = Gap>) -> Option<f64> {
    median(gaps.filter_map(Gap::width).collect())
}

/// The middle of a gap, also of one that has a tile on one side only, where it is half as wide as others.
fn line(gap: Gap, usual: Option<f64>) -> Option<f64> {
    let half = usual.map(|usual| usual / 2.0);
    let from = || Some(gap.from? + half?);
    let to = || Some(gap.to? - half?);
    gap.middle().or_else(from).or_else(to)
}

/// The gap at a line, by tiles of this pitch between these edges across.
fn gap(picture: &RgbaImage, way: Way, at: f64, (pitch, across): (f64, &[f64]), ground: Colour) -> Gap {
    let (limit, other) = (f64::from(way.length(picture)), f64::from(way.across().length(picture)));
    let (reach, beside) = ((REACH * pitch).max(2.0), FACE * pitch);
    let (mut from, mut to) = (Vec::new(), Vec::new());
    for two in across.windows(2).step_by((across.len() - 1).div_ceil(ASKED)) {
        let middle = ((two[0] + two[1]) / 2.0).floor();
        if !(0.0..other).contains(&middle) || at - beside < 1.0 || at + beside + 2.0 > limit {
            continue;
        }
        let far = |place: f64| {
            let (x, y) = way.pixel(place as u32, middle as u32);
            (0..3).map(|part| i32::from(picture.get_pixel(x, y)[part].abs_diff(ground[part]))).sum::<i32>()
        };
        // A pixel of the ground, the nearest.
        let steps = (0..=reach as i32).flat_map(|by| [f64::from(by), -f64::from(by)]);
        let Some(inside) = steps.map(|by| (at + by).floor()).find(|&place| far(place) <= SAME) else { continue };
        // Where half of the way to the tile's own colour is made: pixels that are smoothed hold some of both.
        let end = |by: f64| {
            let face = far((at + by * beside).floor());
            if face < APART {
                return None;
            }
            let room = if by < 0.0 { inside } else { limit - 1.0 - inside };
            let is_past = |step: &i32| 2 * far(inside + by * f64::from(*step)) >= face;
            let step = (1..=(reach + beside).min(room) as i32).find(is_past)?;
            let (before, past) = (far(inside + by * f64::from(step - 1)), far(inside + by * f64::from(step)));
            let part = (f64::from(face) / 2.0 - f64::from(before)) / f64::from((past - before).max(1));
            // From the middle of one pixel to that of the next.
            Some(inside + 0.5 + by * (f64::from(step - 1) + part.clamp(0.0, 1.0)))
        };
        from.extend(end(-1.0));
        to.extend(end(1.0));
    }
    let told = |places: Vec<f64>| if places.len() < TELLING { None } else { median(places) };
    Gap { from: told(from), to: told(to) }
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    let middle = values.len() / 2;
    (!values.is_empty()).then(|| *values.select_nth_unstable_by(middle, f64::total_cmp).1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::imageops::{self, FilterType};
    use image::{Rgba, RgbaImage};

    const DARK: Colour = [50, 50, 54];

    /// Tiles of these widths and heights, with a gap of four pixels around each, from a place.
    fn board(columns: &[u32], lines: &[u32]) -> (RgbaImage, Grid) {
        let mut picture = RgbaImage::from_pixel(400, 300, Rgba([DARK[0], DARK[1], DARK[2], 255]));
        let edges = |lengths: &[u32]| {
            let next = |at: &mut f64, length: &u32| {
                *at += f64::from(*length);
                Some(*at)
            };
            [40.0].into_iter().chain(lengths.iter().scan(40.0, next)).collect::<Vec<f64>>()
        };
        let grid = Grid { columns: edges(columns), lines: edges(lines) };
        for cell in grid.size().cells() {
            let tile = grid.tile(cell);
            let light = 170 + 20 * ((cell.x + cell.y) % 4) as u8;
            let face = RgbaImage::from_pixel(tile.width - 4, tile.height - 4, Rgba([light, light, light, 255]));
            imageops::replace(&mut picture, &face, (tile.left + 2).into(), (tile.top + 2).into());
        }
        (picture, grid)
    }

    fn off(one: &Grid, other: &Grid) -> f64 {
        let all = Way::BOTH.into_iter().flat_map(|way| one.edges(way).iter().zip(other.edges(way)));
        all.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    }

    #[test]
    fn lines_are_where_their_gaps_are() {
        let (picture, truth) = board(&[32, 30, 31, 30, 33, 30, 30], &[30, 33, 30, 30, 32, 30]);
        let spaced = |from: f64, step: f64, count: usize| (0..count).map(|at| from + step * at as f64).collect();
        let rough = Grid { columns: spaced(41.0, 30.9, 8), lines: spaced(39.0, 30.8, 7) };
        assert!(off(&rough, &truth) > 1.5);
        assert!(off(&centred(&picture, &rough, DARK), &truth) < 0.01);
    }

    #[test]
    fn of_a_picture_that_was_enlarged_to_a_part_of_a_pixel() {
        let (picture, truth) = board(&[32, 30, 31, 30, 33, 30, 30], &[30, 33, 30, 30, 32, 30]);
        let larger = imageops::resize(&picture, 600, 450, FilterType::Triangle);
        let times = |edges: &[f64]| edges.iter().map(|edge| 1.5 * edge).collect();
        let truth = Grid { columns: times(&truth.columns), lines: times(&truth.lines) };
        let rough = truth.moved(1.3, -1.3);
        assert!(off(&centred(&larger, &rough, DARK), &truth) < 0.25);
    }

    #[test]
    fn what_has_no_gap_stays() {
        let (_, grid) = board(&[30; 6], &[30; 6]);
        let plain = RgbaImage::from_pixel(400, 300, Rgba([DARK[0], DARK[1], DARK[2], 255]));
        assert_eq!(centred(&plain, &grid, DARK), grid);
        assert_eq!(centred(&plain, &grid, [250, 250, 250]), grid);
        assert_eq!(next(&plain, Way::Columns, &grid, 220.0, DARK), None);
    }

    #[test]
    fn no_gap_is_looked_for_beside_the_picture() {
        // A strip that is a little lighter, then the ground up to the edge: nothing there is half of the way to a tile's colour.
        let picture = RgbaImage::from_fn(100, 60, |x, _| {
            let light = match x {
                93..=96 => 200,
                97 => DARK[0] + 7,
                _ => DARK[0],
            };
            Rgba([light, light, light, 255])
        });
        let across: Vec<f64> = (0..5).map(|line| 12.0 * f64::from(line)).collect();
        for at in 80..100 {
            let found = gap(&picture, Way::Columns, at.into(), (12.0, &across), DARK);
            assert!(found.to.is_none_or(|to| at < 95 && to < 98.0), "at {at}: {found:?}");
        }
    }
}
