//! [`Grid`] → [`Grid`]: the same lines where the picture itself says that they are. What a board repeats it repeats to the pixel: shown again
//! a tile further on it is the same, and by how many pixels that is tells where the next tile begins. Nothing that a line looks like matters
//! for that, and no tile is brought to another size: a line of one pixel between flat tiles tells as much as a bevel, and tiles of which
//! every second is a pixel wider (those of a table in a browser) are followed as well as even ones.

use crate::vision::grid::{Grid, Way, pitch};
use image::RgbaImage;
use std::ops::Range;

/// Share of a pitch by which the next line may lie elsewhere than expected, and pixels at least: a lattice that begins and ends with the
/// board's frame may be as wrong as that.
const ASTRAY: f64 = 0.06;
const LEAST_ASTRAY: i32 = 2;
/// Two places show the same if they differ at most by this share of what a place differs from one half a tile further on.
const SAME: f32 = 0.5;
/// Share of half a tile that is looked at on the other side of a line behind which there are no more tiles.
const BEYOND: f64 = 0.25;
/// So many tiles of one size say that all are.
const EVEN: usize = 3;
/// Rows of tiles across that are looked at, and lines of pixels in each.
const ROWS: usize = 9;
const LINES: usize = 16;
/// Share of these rows in which it must be so: elsewhere tiles may be open.
const MOST_OF: f64 = 0.34;

/// The grid with every line where what is around one of its inner lines is shown again.
pub fn followed(picture: &RgbaImage, grid: &Grid) -> Grid {
    let follow = |grid: Grid, way: Way| {
        let along = Along::new(picture, way, grid.edges(way), grid.edges(way.across()));
        let edges = along.followed(grid.edges(way));
        grid.with(way, edges)
    };
    Way::BOTH.into_iter().fold(grid.clone(), follow)
}

/// A picture along a way.
struct Along<'a> {
    picture: &'a RgbaImage,
    way: Way,
    /// Pixels to either side of a line that are compared: half a tile, so that at least one line is among them wherever it lies.
    reach: i32,
    pitch: f64,
    /// The lines of pixels across, by rows of tiles.
    rows: Vec<Vec<u32>>,
}

impl<'a> Along<'a> {
    fn new(picture: &'a RgbaImage, way: Way, edges: &[f64], across: &[f64]) -> Self {
        let side = way.across().length(picture);
        let lines = |tile: &[f64]| {
            let lines = (0..LINES).map(|line| tile[0] + (tile[1] - tile[0]) * (line as f64 + 0.5) / LINES as f64);
            lines.filter(|line| *line >= 0.0 && *line < f64::from(side)).map(|line| line as u32).collect()
        };
        let rows = across.windows(2).step_by((across.len() - 1).div_ceil(ROWS).max(1)).map(lines).collect();
        let pitch = pitch(edges);
        Self { picture, way, reach: (pitch / 2.0).ceil() as i32, pitch, rows }
    }

    /// How far what is around two places differs, in grey levels; infinitely where one is not in the picture.
    fn apart(&self, one: i32, other: i32, around: &Range<i32>) -> f32 {
        let limit = self.way.length(self.picture) as i32;
        if one.min(other) + around.start < 0 || one.max(other) + around.end > limit {
            return f32::INFINITY;
        }
        let (raw, width) = (self.picture.as_raw(), self.picture.width() as usize);
        let colour = |at: i32, line: u32| {
            let (x, y) = self.way.pixel(at as u32, line);
            &raw[(y as usize * width + x as usize) * 4..][..3]
        };
        let differ = |by: i32, line: u32| -> u32 {
            let pair = colour(one + by, line).iter().zip(colour(other + by, line));
            pair.map(|(a, b)| u32::from(a.abs_diff(*b))).sum()
        };
        let of_row = |row: &Vec<u32>| {
            let all = row.iter().flat_map(|&line| around.clone().map(move |by| differ(by, line)));
            all.sum::<u32>() as f32 / (3 * row.len() * around.len()).max(1) as f32
        };
        let mut all: Vec<f32> = self.rows.iter().map(of_row).collect();
        all.sort_by(f32::total_cmp);
        all[((MOST_OF * all.len() as f64).ceil() as usize).clamp(1, all.len()) - 1]
    }

    /// The edges, followed from that of the inner ones which most others look like.
    fn followed(&self, edges: &[f64]) -> Vec<f64> {
        let last = edges.len() - 1;
        let mut best: Option<(usize, Vec<f64>)> = None;
        for seed in [last / 2, last / 4, 3 * last / 4] {
            let (count, found) = self.followed_from(edges, seed);
            if best.as_ref().is_none_or(|(most, _)| count > *most) {
                best = Some((count, found));
            }
            if count + 2 >= last {
                break;
            }
        }
        best.map_or_else(|| edges.to_vec(), |(_, found)| found)
    }

    /// The edges, followed from one of them, and how many of them show what that does.
    fn followed_from(&self, edges: &[f64], seed: usize) -> (usize, Vec<f64>) {
        let start = edges[seed].round();
        let (own, half) = (start as i32, (self.pitch / 2.0).round() as i32);
        // What a place differs from one that certainly is no line, if this is one.
        let usual = |around: &Range<i32>| {
            let far = [half, -half].map(|by| self.apart(own, own + by, around));
            far.into_iter().find(|far| far.is_finite()).unwrap_or(0.0)
        };
        // Around a line, or, where the board ends, mostly on that side of it where the tiles are.
        let (reach, beyond) = (self.reach, (f64::from(self.reach) * BEYOND).round() as i32);
        let around = [[-reach..reach, -reach..beyond], [-reach..reach, -beyond..reach]];
        let around = around.map(|two| two.map(|around| (SAME * usual(&around), around)));
        let astray = ((ASTRAY * self.pitch).round() as i32).max(LEAST_ASTRAY);
        let (mut found, mut alike) = (vec![start], 0);
        // How far the outermost that are alike are from each other, and how many tiles.
        let mut known = (0.0, 0.0);
        for (direction, count, around) in [(1.0, edges.len() - 1 - seed, &around[0]), (-1.0, seed, &around[1])] {
            let mut at = start;
            for _ in 0..count {
                let step = if known.1 > 0.0 { known.0 / known.1 } else { self.pitch };
                let expected = (at + direction * step).round();
                let nearest = |(most, around): &(f32, Range<i32>)| {
                    let offsets = (1..=astray).flat_map(|by| [by, -by]);
                    let places = std::iter::once(0).chain(offsets).map(|by| expected as i32 + by);
                    let far = places.map(|place| (self.apart(own, place, around), place));
                    far.min_by(|a, b| a.0.total_cmp(&b.0)).filter(|(far, _)| far <= most)
                };
                let next = around.iter().find_map(nearest).map(|(_, place)| f64::from(place));
                if let Some(next) = next {
                    alike += 1;
                    known = (known.0 + (next - at).abs(), known.1 + 1.0);
                }
                at = next.unwrap_or(expected);
                if direction > 0.0 { found.push(at) } else { found.insert(0, at) }
            }
        }
        (alike, even(found))
    }
}

/// Pixels by which an outermost tile may seem larger or smaller than all others, which are even: the frame of a window begins that far beside the last
/// row of a Tk client, and what is painted larger on purpose (gnome-mines at a scale of 2) loses no more than its border.
const BESIDE: f64 = 2.0;

/// The edges with the first and the last where they belong if all tiles between have one size: behind these lines there is something else, and that is
/// no other size of a tile.
fn even(mut edges: Vec<f64>) -> Vec<f64> {
    let (last, inner) = (edges.len() - 1, edges.len().saturating_sub(3));
    if inner < EVEN {
        return edges;
    }
    let step = edges[2] - edges[1];
    let is_even = edges[1..last].windows(2).all(|pair| pair[1] - pair[0] == step);
    for (end, beside, step) in [(0, 1, -step), (last, last - 1, step)] {
        if is_even && (edges[end] - edges[beside] - step).abs() <= BESIDE {
            edges[end] = edges[beside] + step;
        }
    }
    edges
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgba;

    /// Flat tiles with a faint line of a pixel between them, in a frame.
    fn flat(widths: &[u32]) -> (RgbaImage, Vec<f64>) {
        let mut edges = vec![60u32];
        widths.iter().for_each(|width| edges.push(edges[edges.len() - 1] + width));
        let end = edges[edges.len() - 1];
        let picture = RgbaImage::from_fn(end + 60, end + 60, |x, y| {
            let is_line = edges.contains(&x) || edges.contains(&y);
            let light = match (x.min(y), x.max(y)) {
                (near, far) if near < 52 || far >= end + 9 => 150,
                (near, far) if near < 55 || far >= end + 6 => 90,
                (near, far) if near < 60 || far > end => 187,
                _ if is_line => 187,
                _ => 204,
            };
            Rgba([light, light, light, 255])
        });
        (picture, edges.into_iter().map(f64::from).collect())
    }

    #[test]
    fn lines_are_followed_to_the_pixel_from_a_pitch_that_is_wrong() {
        for widths in [vec![31; 9], [20, 19].repeat(5), vec![19, 20, 20, 19, 20, 20, 19, 20, 20, 19]] {
            let (picture, edges) = flat(&widths);
            let (first, last) = (edges[0] - 4.0, edges[edges.len() - 1] + 4.0);
            let step = (last - first) / widths.len() as f64;
            let wrong: Vec<f64> = (0..=widths.len()).map(|index| first + step * index as f64).collect();
            let found = followed(&picture, &Grid { columns: wrong.clone(), lines: wrong });
            for found in [found.columns, found.lines] {
                let apart: Vec<f64> = found.iter().zip(&edges).map(|(found, edge)| found - edge).collect();
                assert!(apart[1..apart.len() - 1].iter().all(|by| *by == apart[1]), "{apart:?}");
                assert!((apart[0] - apart[1]).abs() <= 1.0 && apart[1].abs() < 9.0, "{apart:?}");
                let is_even = widths.iter().all(|width| *width == widths[0]);
                assert!(!is_even || apart.iter().all(|by| *by == apart[1]), "{apart:?}");
            }
        }
    }

    #[test]
    fn what_begins_a_little_beside_the_last_row_is_no_larger_row() {
        let edges = |last: f64| (0..=8).map(|index| 20.0 + 65.0 * f64::from(index)).chain([last]).collect::<Vec<f64>>();
        for beside in [-2.0, -1.0, 1.0, 2.0] {
            assert_eq!(even(edges(605.0 + beside)), edges(605.0));
        }
        assert_eq!(even(edges(609.0)), edges(609.0));
        // Tiles of two sizes have no other.
        let mut two = edges(607.0);
        two[4] += 1.0;
        assert_eq!(even(two.clone()), two);
    }

    #[test]
    fn where_nothing_repeats_lines_stay_a_pitch_apart() {
        let plain = RgbaImage::from_pixel(300, 300, Rgba([80, 90, 100, 255]));
        let edges: Vec<f64> = (0..9).map(|index| 30.0 + 24.0 * f64::from(index)).collect();
        let grid = Grid { columns: edges.clone(), lines: edges };
        assert_eq!(followed(&plain, &grid), grid);
    }
}
