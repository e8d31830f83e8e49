//! [`Lattice`] + [`Skin`] → [`Grid`]: where in the repetition a tile begins.
//!
//! Where the edges of the theme's own tiles correlate best with those of the picture is the place to a part of a tile. From
//! there every tile tells how far it lies beside its picture (see [`crate::vision::tile::look`]), and the line through all of them lays the
//! edges, to less than a pixel (least squares).

use super::gap;
use super::propose::{Axis, Lattice, PHASES, spaced};
use crate::vision::grid::{BARELY, Grid, Way, line_of, pitch, rounded};
use crate::vision::tile::likeness::{CERTAIN, Likeness, nearness};
use crate::vision::tile::patch::SIDE;
use crate::vision::tile::skin::Skin;
use crate::vision::tile::tiles::{Tiles, spread};

/// A grid that may be a board's.
#[derive(Clone, Debug)]
pub struct Placed {
    /// Where its tiles are.
    pub grid: Grid,
    /// How near they are to pictures, on average: 1 is identical, 0 as far as pictures are from each other.
    pub near: f64,
}

/// A nearness at which it is worth while to try the pixels around.
const FAR: f64 = 0.1;
/// Tiles that are looked at to compare phases.
const PROBED: usize = 12;
/// Pixels by which a whole pitch may be found off.
const NEARLY_WHOLE: f64 = 0.35;
/// Pixels by which all of them together may be, but no pitch by more than three quarters of one: a window's frame three pixels beside a board draws the
/// lines at its ends to it, and one around four columns made 88.7 of 88.
const ENDS_OFF: f64 = 3.0;
const HARDLY_WHOLE: f64 = 0.75;
/// What a grid gains at most by being laid: a picture is this near where it lies a part of a tile beside.
pub const GAINED: f64 = 0.5;
/// Tiles that say how far a grid lies beside its pictures.
const FITTED: usize = 30;
/// Phases that are tried, and those that are laid exactly.
const TRIED: usize = 8;
const LAID: usize = 2;
/// A nearness to the pixel, also on large tiles: there a pixel is but a fifth of a part.
const PERFECT: f64 = 0.999;
/// How often a grid is laid at most: where lines are thin, each round mends but a part of what is left.
const ROUNDS: usize = 8;

/// Where in a pattern the tiles may begin, to the pixel, the nearest first; none if they are no nearer to pictures than `least`.
pub fn rough(tiles: &Tiles, lattice: &Lattice, aspect: f64, skin: &Skin, least: f64) -> Vec<Placed> {
    let mut rough: Vec<Placed> = Vec::new();
    for grid in phases(lattice, aspect, skin) {
        let bar = if rough.len() == LAID { rough[LAID - 1].near } else { least };
        let near = nearness(tiles, skin, &grid, PROBED, bar);
        if near > bar {
            rough.push(Placed { grid, near });
            rough.sort_by(|a, b| b.near.total_cmp(&a.near));
            rough.truncate(LAID);
            if rough[0].near > CERTAIN {
                break;
            }
        }
    }
    rough
}

/// The nearest of some rough grids when they are laid; `None` if it is no nearer than `enough`.
pub fn settled(tiles: &Tiles, skin: &Skin, rough: Vec<Placed>, enough: f64) -> Option<Placed> {
    let mut best: Option<Placed> = None;
    for rough in rough {
        // What cannot come nearer than the best is not laid.
        if best.as_ref().is_some_and(|best| best.near > CERTAIN || rough.near + GAINED < best.near) {
            break;
        }
        let laid = laid(tiles, skin, rough);
        if best.as_ref().is_none_or(|best| laid.near > best.near) {
            best = Some(laid);
        }
    }
    best.filter(|best| best.near > enough)
}

/// The same grid, laid by what its tiles tell.
pub fn laid(tiles: &Tiles, likeness: &dyn Likeness, rough: Placed) -> Placed {
    let mut best = rough;
    let improve = |best: &mut Placed, grid: Grid| {
        let near = nearness(tiles, likeness, &grid, PROBED, best.near);
        let is_better = near > best.near;
        if is_better {
            *best = Placed { grid, near };
        }
        is_better
    };
    let mut is_nudged = false;
    for _ in 0..ROUNDS {
        // What is far may be told to be that by few.
        let fitted = if best.near < FAR { PROBED } else { FITTED };
        let is_better = refitted(tiles, likeness, &best.grid, fitted).is_some_and(|grid| improve(&mut best, grid));
        if best.near < PERFECT
            && let Some(ground) = likeness.ground()
        {
            let centred = gap::centred(tiles.picture, &best.grid, ground);
            improve(&mut best, centred);
        }
        // Most clients paint on whole pixels and at whole pitches: that mends what is left over. Where tiles are plain but for thin lines,
        // half of them may lie right and the others a pixel beside, and no move of all of them mends that.
        if best.near < PERFECT {
            let whole = Grid { columns: rounded(&best.grid.columns), lines: rounded(&best.grid.lines) };
            improve(&mut best, whole);
            for even in at_whole_pitches(&best.grid) {
                improve(&mut best, even);
            }
        }
        if best.near >= PERFECT {
            break;
        }
        if !is_better {
            if is_nudged || best.near > CERTAIN || best.near < FAR || !nudged(&mut best, &improve) {
                break;
            }
            is_nudged = true;
        }
    }
    best
}

/// The grid of a window that a desktop stretches by so much, if its tiles are nearer to pictures so: as the client paints it, at whole pitches, at any
/// part of a pixel of the screen. As it was followed every edge may be a pixel off, which is much of a thin stroke.
pub fn evened(tiles: &Tiles, likeness: &dyn Likeness, grid: Grid, stretch: f64) -> Grid {
    let even = |edges: &[f64]| {
        let (start, step) = line_of(edges);
        let (whole, last) = ((step / stretch).round() * stretch, (edges.len() - 1) as f64);
        let is_whole = (whole - step).abs() * last < WHOLE;
        let (start, step) = if is_whole { (start + (step - whole) * last / 2.0, whole) } else { (start, step) };
        (0..edges.len()).map(|index| start + step * index as f64).collect()
    };
    let near = |grid: &Grid, bar: f64| nearness(tiles, likeness, grid, FITTED, bar);
    let even = Grid { columns: even(&grid.columns), lines: even(&grid.lines) };
    let mut best = Placed { near: near(&even, f64::NEG_INFINITY), grid: even };
    for way in Way::BOTH {
        let start = best.grid.clone();
        for part in -PARTS..=PARTS {
            let other = start.with(way, moved(start.edges(way), f64::from(part) / f64::from(PARTS)));
            let is = near(&other, best.near);
            if is > best.near {
                best = Placed { grid: other, near: is };
            }
        }
    }
    if best.near > near(&grid, best.near) { best.grid } else { grid }
}

/// Pixels by which a board may be off at a whole pitch after it was followed.
const WHOLE: f64 = 1.5;
/// Parts of a pixel that are tried for where a stretched board lies.
const PARTS: i32 = 4;

/// Tries the pixels around: where tiles are plain but for thin lines, a shift of more than these does not show in their slopes.
fn nudged(best: &mut Placed, improve: &impl Fn(&mut Placed, Grid) -> bool) -> bool {
    let start = best.grid.clone();
    let around = (-1..=1).flat_map(|dx| (-1..=1).map(move |dy| (f64::from(dx), f64::from(dy))));
    let mut is_better = false;
    for (dx, dy) in around.filter(|&by| by != (0.0, 0.0)) {
        is_better |= improve(best, start.moved(dx, dy));
    }
    is_better
}

/// The grid moved and stretched by the line through the shifts of about so many of its tiles.
fn refitted(tiles: &Tiles, likeness: &dyn Likeness, grid: &Grid, count: usize) -> Option<Grid> {
    let mut shifts: [Vec<(f64, f64, f64)>; 2] = [Vec::new(), Vec::new()];
    for cell in spread(grid, count) {
        let Some(Some(shift)) = tiles.with_cell(grid, cell, |patch| likeness.shift(patch)) else { continue };
        for ((shifts, (by, weight)), at) in shifts.iter_mut().zip(shift).zip([cell.x, cell.y]) {
            if by.abs() < MOST && weight > 0.0 {
                shifts.push((f64::from(at), f64::from(by), f64::from(weight)));
            }
        }
    }
    let mut grid = grid.clone();
    for (way, shifts) in Way::BOTH.into_iter().zip(shifts) {
        let Some((offset, slope)) = fitted_line(&shifts) else { continue };
        let part = pitch(grid.edges(way)) / SIDE as f64;
        // The edge between two tiles lies half a tile before the second's middle.
        let move_by = |index: usize| (offset + slope * (index as f64 - 0.5)) * part;
        grid.edges_mut(way).iter_mut().enumerate().for_each(|(index, edge)| *edge += move_by(index));
    }
    Some(grid)
}

/// Shifts that a picture's slope can tell, in parts of a patch.
const MOST: f32 = 2.0;

/// Offset and slope of the line through weighted values (least squares), again without those far beside it.
fn fitted_line(values: &[(f64, f64, f64)]) -> Option<(f64, f64)> {
    let fit = |values: &[(f64, f64, f64)]| {
        let sum =
            |of: &dyn Fn(f64, f64) -> f64| values.iter().map(|&(at, by, weight)| weight * of(at, by)).sum::<f64>();
        let all = sum(&|_, _| 1.0);
        if all <= 0.0 {
            return None;
        }
        let (middle, mean) = (sum(&|at, _| at) / all, sum(&|_, by| by) / all);
        let (both, own) = (sum(&|at, by| (at - middle) * (by - mean)), sum(&|at, _| (at - middle).powi(2)));
        let slope = if own > 0.25 * all { both / own } else { 0.0 };
        Some((mean - slope * middle, slope))
    };
    let (offset, slope) = fit(values)?;
    let off = |&(at, by, _): &(f64, f64, f64)| (by - offset - slope * at).abs();
    let mut usual: Vec<f64> = values.iter().map(off).collect();
    usual.sort_by(f64::total_cmp);
    let bar = usual[usual.len() / 2].max(0.05) * 2.5;
    fit(&values.iter().copied().filter(|value| off(value) <= bar).collect::<Vec<_>>())
}

fn moved(edges: &[f64], by: f64) -> Vec<f64> {
    edges.iter().map(|edge| edge + by).collect()
}

/// Where the tiles may begin, the likeliest first: where the edges of the theme's tiles correlate best with those of the picture,
/// at the pitch of the lattice, and where hidden and open tiles mix, so that one axis is clearer than the other, at that of each axis.
pub fn phases(lattice: &Lattice, aspect: f64, skin: &Skin) -> Vec<Grid> {
    let mut all: Vec<(f32, f64, f64)> = Vec::new();
    for (across, down) in &skin.profiles {
        let (columns, lines) = (peaks(&lattice.columns, across), peaks(&lattice.lines, down));
        all.extend(columns.iter().flat_map(|&(x, dx)| lines.iter().map(move |&(y, dy)| (x * y, dx, dy))));
    }
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    // Of those at one place the likeliest counts.
    let mut both: Vec<(f32, f64, f64)> = Vec::new();
    for (likely, dx, dy) in all {
        if !both.iter().any(|(_, a, b)| (a - dx).abs() < 1.0 && (b - dy).abs() < 1.0) {
            both.push((likely, dx, dy));
        }
    }
    both.truncate(TRIED);
    // On whole pixels, as most clients paint: what several themes ask for is then the same tiles.
    let whole = |edges: &[f64], by: f64| moved(edges, (edges[0] + by).round() - edges[0]);
    let own = both.iter().map(|&(_, dx, dy)| Grid {
        columns: whole(&lattice.columns.edges, dx),
        lines: whole(&lattice.lines.edges, dy),
    });
    let evened = own.clone().filter_map(|grid| at_whole_pitches(&grid).into_iter().next());
    let (across, down) = (lattice.columns.pitch, lattice.lines.pitch * aspect);
    // A pitch that is off by so little adds up to half a part of a tile over all of them.
    let far = |edges: &[f64]| (across - down).abs() * edges.len() as f64 > across / 32.0;
    let mut grids: Vec<Grid> = evened.chain(own.clone()).collect();
    if far(&lattice.columns.edges) || far(&lattice.lines.edges) {
        for grid in own.take(LAID) {
            grids.push(grid.with(Way::Lines, spaced(&grid.lines, across / aspect)));
            grids.push(grid.with(Way::Columns, spaced(&grid.columns, down)));
        }
    }
    grids
}

/// The grid at whole pitches, as many clients paint, where that is another one, the nearest first: a pitch that is off by a little adds up to a pixel
/// over all tiles, and edges that were each moved to a whole pixel need not be even.
fn at_whole_pitches(grid: &Grid) -> Vec<Grid> {
    let even = |edges: &[f64]| -> Vec<Vec<f64>> {
        let (step, tiles) = (pitch(edges), (edges.len() - 1) as f64);
        let off = (ENDS_OFF / tiles).clamp(NEARLY_WHOLE, HARDLY_WHOLE);
        let beside = step.round() + if step < step.round() { -1.0 } else { 1.0 };
        let wholes = [step.round(), beside].into_iter().filter(|whole| (step - whole).abs() < off);
        let laid = wholes.map(|whole| {
            let starts = edges.iter().zip(0..).map(|(edge, index)| edge - whole * f64::from(index));
            let start = (starts.sum::<f64>() / edges.len() as f64).round();
            (0..edges.len()).map(|index| start + whole * index as f64).collect()
        });
        let laid: Vec<Vec<f64>> = laid.collect();
        if laid.is_empty() { vec![edges.to_vec()] } else { laid }
    };
    let (columns, lines) = (even(&grid.columns), even(&grid.lines));
    let both = columns.iter().flat_map(|columns| lines.iter().map(|lines| (columns.clone(), lines.clone())));
    let is_other = |edges: &[f64], own: &[f64]| edges.iter().zip(own).any(|(one, own)| (one - own).abs() > BARELY);
    let grids = both.map(|(columns, lines)| Grid { columns, lines });
    grids.filter(|even| Way::BOTH.iter().any(|way| is_other(even.edges(*way), grid.edges(*way)))).collect()
}

/// The best two shifts of a profile along an axis: how well they correlate (0..1), and how far they are in pixels.
fn peaks(axis: &Axis, profile: &[f32]) -> Vec<(f32, f64)> {
    let length = |values: &[f32]| values.iter().map(|value| value * value).sum::<f32>().sqrt().max(f32::EPSILON);
    let norm = length(&axis.profile) * length(profile);
    // Of all shifts together, which computes several at a time.
    let twice = axis.profile.repeat(2);
    let mut correlation = [0.0; PHASES];
    for (phase, own) in profile.iter().enumerate() {
        correlation.iter_mut().zip(&twice[phase..]).for_each(|(sum, value)| *sum += value * own);
    }
    correlation.iter_mut().for_each(|sum| *sum /= norm);
    let is_peak = |&shift: &usize| {
        let at = |by: usize| correlation[(shift + by) % PHASES];
        at(0) >= at(1) && at(0) >= at(PHASES - 1)
    };
    let mut peaks: Vec<usize> = (0..PHASES).filter(is_peak).collect();
    peaks.sort_by(|&a, &b| correlation[b].total_cmp(&correlation[a]));
    let signed = |shift: usize| if shift > PHASES / 2 { shift as f64 - PHASES as f64 } else { shift as f64 };
    let in_pixels = |shift| (correlation[shift], signed(shift) / PHASES as f64 * axis.pitch);
    peaks.into_iter().take(2).map(in_pixels).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pitch_that_a_frame_on_either_side_moved_is_made_whole() {
        let edges = |start: f64, pitch: f64, tiles: u32| -> Vec<f64> {
            (0..=tiles).map(|index| start + pitch * f64::from(index)).collect()
        };
        // Eight columns of 49 pixels from 4 on, followed to the frame of their window, three pixels beside on either side.
        let lines = edges(48.0, 48.0, 8);
        let found = Grid { columns: edges(2.62, 49.373, 8), lines: lines.clone() };
        assert_eq!(at_whole_pitches(&found)[0], Grid { columns: edges(4.0, 49.0, 8), lines: lines.clone() });
        // Four of 88 from 88 on, with a frame six pixels beside: 89 is nearer, and 88 is tried, too.
        let lines = edges(88.0, 88.0, 4);
        let found = Grid { columns: edges(86.125, 88.725, 4), lines: lines.clone() };
        let whole = [edges(86.0, 89.0, 4), edges(88.0, 88.0, 4)];
        assert_eq!(at_whole_pitches(&found), whole.map(|columns| Grid { columns, lines: lines.clone() }));
        // Of a large board that would be as much as a tile.
        assert_eq!(at_whole_pitches(&Grid { columns: edges(4.0, 49.373, 30), lines }), []);
    }
}
