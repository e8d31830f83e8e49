//! Picture → [`Grid`]s, without any pictures of tiles: where a board of a client that nobody described may be.
//!
//! What is the same from tile to tile is found to the pixel ([`period`]): a board on which few tiles are open. While a game is
//! played nothing is known of a tile but that most of a board's tiles look like others of it: hidden ones like hidden ones, empty ones like
//! empty ones. So the looks that are commonest within a lattice are taken for its tiles, and the board reaches as far as there are tiles
//! of these looks ([`super::find::extent`], with this likeness instead of one to a client's pictures).
//!
//! `same` is the question whether a picture repeats, `period` where it does, `looks` sorts tiles, and
//! `cut` says on which sides a board goes on beyond its window.

pub mod cut;
pub mod looks;
mod period;
mod same;

use super::find::extent::{Strip, extent};
use super::find::lines::{divided, has_lines, joined, joined_to_squares};
use super::find::propose::{Proposals, Source};
use super::grid::{Grid, SMALLEST, Way, pitch};
use super::tile::likeness::{FITTING, Kind, Likeness};
use super::tile::look::{PLAIN, Seen, squares, squares_within};
use super::tile::patch::{Patch, SIDE, VALUES};
use super::tile::tiles::{Tiles, spread};
use crate::geometry::Cell;
use image::RgbaImage;
use period::{is_same_board, may_be_tiles};

/// Tiles of a lattice that are sorted into looks.
const SORTED: usize = 300;
/// Grey levels by which two tiles of one look differ at most, on average: noise and half a pixel of a shift.
const SAME: f32 = 9.0;
/// A look is one of the board's if so many tiles have it, or this share of them.
const FEWEST: usize = 3;
const SHARE: f64 = 0.03;
/// Share of tiles that have one of the looks, where there is a board: the others bear rare numbers.
const ALIKE: f64 = 0.5;
/// Share of tiles that have one of the looks and are not plain: the ground of a page looks like empty tiles, but is none.
const MARKED: f64 = 0.25;
/// Where boards are looked for; at odd pixels, and of the fewest tiles, only where that finds none.
const SOURCES: [Source; 7] =
    [Source::Clear, Source::Coarse, Source::Beside, Source::Bold, Source::Thin, Source::Faint, Source::Few];
/// Patterns of a kind that are looked at.
const TRIED: usize = 8;
/// Columns or rows at the rim of a board that may look otherwise, and the share of a pitch by which the lines of a part may be off.
const RIM: usize = 1;
/// Lines of tiles of 42.4 pixels were off by 6.7 where two of them had been found as one.
const NEAR: f64 = 0.18;
/// The share of a pitch by which a part's lines may lie beside those of the whole board: on tiles that are plain but for their borders a part may begin
/// anywhere between these (6 of 24 pixels where a frame lies over the first of them). Chosen.
const PHASE: f64 = 0.3;
/// How far a tile at the rim may be from one further in, as a share of how far that is from a plain surface. Chosen, not measured.
const RIMMED: f32 = 0.8;
/// The same for all tiles beyond a side together. Chosen between what was measured on the untouched boards of the fixtures: tiles of a column or
/// row that had been left out are up to 0.56 away, and what is beside a whole board from 0.83 on.
const ALL_RIMMED: f32 = 0.7;
/// Parts of a tile beside the end of a board that a frame around it may have painted over: its shadow lies where other tiles have their light side.
const FRAMED: usize = SIDE / 4;
/// Share of a pitch by which rounding makes the tiles of a side narrower or wider; a pixel at least.
const ROUNDED: f64 = 0.02;
/// Share of the tiles of a board that must be alike where it is made of halves of what was found, and how far they may be from one of them, as a share of
/// how far that is from a plain surface. Chosen, not measured.
const LIKENED: f32 = 0.7;
const UNIFORM: f64 = 0.95;
/// Share of a pitch by which tiles may begin beside the strongest edge of a lattice: borders are no wider.
const BESIDE: f64 = 0.2;

/// The looks that are commonest in a grid, the commonest first.
struct Common {
    looks: Vec<(Patch, usize)>,
    has_plain: bool,
}

impl Common {
    fn new(tiles: &Tiles, grid: &Grid) -> Option<Self> {
        let mut looks: Vec<(Patch, usize)> = Vec::new();
        let mut all = 0;
        for cell in spread(grid, SORTED) {
            let Some(patch) = tiles.with_cell(grid, cell, |patch| **patch) else { continue };
            all += 1;
            match looks.iter_mut().find(|(look, _)| apart(look, &patch) < SAME) {
                Some((_, count)) => *count += 1,
                None => looks.push((patch, 1)),
            }
        }
        let least = FEWEST.max((SHARE * f64::from(all)) as usize);
        looks.retain(|(_, count)| *count >= least);
        looks.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let known: usize = looks.iter().map(|(_, count)| count).sum();
        let has_plain = looks.iter().any(|(look, _)| is_plain(look));
        let is_alike = known as f64 >= ALIKE * f64::from(all) && looks.iter().any(|(look, _)| !is_plain(look));
        is_alike.then_some(Self { looks, has_plain })
    }

    /// The nearest look, and how far it is, in grey levels.
    fn nearest(&self, patch: &Patch) -> (usize, f32) {
        let far = self.looks.iter().enumerate().map(|(index, (look, _))| (index, apart(look, patch)));
        far.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, f32::INFINITY))
    }
}

impl Likeness for Common {
    fn id(&self) -> Option<u64> {
        None
    }

    fn near(&self, patch: &Seen) -> f64 {
        1.0 - f64::from((self.nearest(patch).1 / (2.0 * SAME)).min(2.0))
    }

    fn kind(&self, patch: &Seen) -> Kind {
        let (look, far) = self.nearest(patch);
        match far < SAME {
            false => Kind::Strange,
            true if is_plain(&self.looks[look].0) => Kind::Plain,
            true => Kind::Marked,
        }
    }

    fn has_plain_tiles(&self) -> bool {
        self.has_plain
    }

    fn shift(&self, _: &Seen) -> Option<[(f32, f32); 2]> {
        None
    }
}

/// How far two patches are apart, in grey levels (root of the mean square).
fn apart(a: &Patch, b: &Patch) -> f32 {
    (squares(a, b) as f32 / VALUES as f32).sqrt()
}

fn is_plain(patch: &Patch) -> bool {
    (0..3).all(|channel| {
        let values = || patch[channel..].iter().step_by(3);
        values().max().unwrap_or(&0) - values().min().unwrap_or(&0) < 2 * PLAIN
    })
}

/// Boards of clients that nobody described, the likeliest first: those that show the same from tile to tile, then those of several
/// common looks.
pub fn boards_of_any_look(picture: &RgbaImage) -> Vec<Grid> {
    let (tiles, proposals) = (Tiles::new(picture), Proposals::new(picture));
    let tried: [&[Source]; 3] = [&SOURCES, &[Source::Odd], &[Source::Fewest, Source::Large]];
    let mut found = tried.into_iter().map(|sources| boards_by(picture, &tiles, &proposals, sources));
    found.find(|found| !found.is_empty()).unwrap_or_default()
}

/// The same of lattices of these kinds.
fn boards_by(picture: &RgbaImage, tiles: &Tiles, proposals: &Proposals, sources: &[Source]) -> Vec<Grid> {
    // A stipple repeats within a tile, too: lines that are not there divide none.
    let whole = |grid: Grid| {
        let has_room = |grid: &Grid| grid.size().width.min(grid.size().height) >= SMALLEST;
        let joined = joined(picture, &grid).or_else(|| joined_to_squares(picture, &grid));
        joined.filter(has_room).unwrap_or(grid)
    };
    let mut grids: Vec<Grid> = Vec::new();
    let is_tile = |grid: &Grid| is_uniform(tiles, grid) && may_be_tiles(grid.pitch());
    let by_tiles = |grid: Grid| divided(picture, &grid).into_iter().find(is_tile).unwrap_or(grid);
    for grid in period::boards(picture, proposals, sources).into_iter().map(whole).map(by_tiles) {
        if !grids.iter().any(|other| is_same_board(&grid, other)) {
            grids.push(grid);
        }
    }
    let mut found: Vec<(f64, Grid)> = Vec::new();
    // Nothing faint is trusted, nor few tiles, that do not show the same from one to the next.
    let is_trusted = |source: &&Source| !matches!(source, Source::Faint | Source::Few | Source::Fewest | Source::Large);
    for source in sources.iter().filter(is_trusted) {
        for lattice in proposals.of(*source).take(TRIED) {
            let grid = Grid { columns: lattice.columns.edges.clone(), lines: lattice.lines.edges.clone() };
            let Some((worth, grid)) = board(tiles, grid).map(|(worth, grid)| (worth, whole(grid))) else { continue };
            if !found.iter().map(|(_, other)| other).chain(&grids).any(|other| is_same_board(&grid, other)) {
                found.push((worth, grid));
            }
        }
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    grids.extend(found.into_iter().map(|(_, grid)| grid));
    let mut rimmed: Vec<Grid> = Vec::new();
    for grid in grids.into_iter().map(|grid| with_rim(tiles, grid)) {
        if !rimmed.iter().any(|other| is_same_board(&grid, other)) {
            rimmed.push(grid);
        }
    }
    wholes_first(rimmed, |part, whole| is_part(part, whole) && has_rim(tiles, part, whole))
}

/// The same grids, each after one of which it is a part.
fn wholes_first(mut grids: Vec<Grid>, is_part: impl Fn(&Grid, &Grid) -> bool) -> Vec<Grid> {
    let mut ordered = Vec::new();
    while !grids.is_empty() {
        let mut whole = 0;
        // Each has more tiles than the last.
        while let Some(other) = grids.iter().position(|other| is_part(&grids[whole], other)) {
            whole = other;
        }
        ordered.push(grids.remove(whole));
    }
    ordered
}

/// Whether a grid is a part of a larger one, which has a column or row more on some of its sides: the tiles at a board's rim may differ from
/// the others, as half of a shadow does from a whole one, and are left out where a board goes as far as all is the same.
fn is_part(grid: &Grid, whole: &Grid) -> bool {
    let is_larger = whole.size().tiles() > grid.size().tiles();
    let lies_within = |way: Way| {
        let (own, all) = (grid.edges(way), whole.edges(way));
        let near = NEAR * pitch(own);
        let ends = |edges: &[f64]| (edges[0], edges[edges.len() - 1]);
        let ((first, last), (from, to)) = (ends(own), ends(all));
        let is_within = from <= first + near && last <= to + near;
        let is_line = all.iter().any(|edge| (edge - first).abs() <= PHASE * pitch(own));
        let is_as_wide = (pitch(all) - pitch(own)).abs() * own.len() as f64 <= near;
        is_within && is_line && is_as_wide && all.len() <= own.len() + 2 * RIM
    };
    is_larger && Way::BOTH.into_iter().all(lies_within)
}

/// Whether nearly all tiles of a grid but those at its rim are nearer to one in its middle than to a plain surface, by far: halves of tiles have lines at
/// other sides, and are 1.4 times as far from each other as from that.
fn is_uniform(tiles: &Tiles, grid: &Grid) -> bool {
    let size = grid.size();
    let is_inner = |cell: &Cell| (1..size.width - 1).contains(&cell.x) && (1..size.height - 1).contains(&cell.y);
    let patch = |cell: Cell| tiles.with_cell(grid, cell, |patch| **patch);
    let Some(middle) = patch(Cell::new(size.width / 2, size.height / 2)) else { return false };
    let inner: Vec<Patch> = size.cells().filter(is_inner).filter_map(patch).collect();
    let alike = inner.iter().filter(|patch| apart(patch, &middle) < LIKENED * deviation(&middle)).count();
    alike as f64 >= UNIFORM * inner.len() as f64
}

/// How far the tiles that a grid has more than a part of it are from the nearest of those further in, as shares of how far these are from a plain surface,
/// in order; but for the sides that a frame around the board may have painted over.
fn rim(tiles: &Tiles, part: &Grid, whole: &Grid) -> Vec<f32> {
    let (size, bounds) = (whole.size(), part.bounds());
    let is_inside = |cell: Cell| bounds.contains(whole.center(cell));
    let towards = |at: u32, count: u32, by: u32| if at < count / 2 { at + by } else { at.saturating_sub(by) };
    let patch = |cell: Cell| tiles.with_cell(whole, cell, |patch| **patch);
    let is_outer =
        |at: u32, count: u32, part: usize| at == 0 && part < FRAMED || at + 1 == count && part >= SIDE - FRAMED;
    let mask = |cell: Cell| -> Patch {
        std::array::from_fn(|value| {
            let (x, y) = (value / 3 % SIDE, value / 3 / SIDE);
            i16::from(!is_outer(cell.x, size.width, x) && !is_outer(cell.y, size.height, y))
        })
    };
    let far = |cell: Cell| {
        let Some(rim) = patch(cell) else { return f32::INFINITY };
        let mask = mask(cell);
        let apart = |one: &Patch, other: &Patch| (squares_within(one, other, &mask) as f32).sqrt();
        // Two further in, too: tiles may take turns.
        let inner = [1, 2].map(|by| Cell::new(towards(cell.x, size.width, by), towards(cell.y, size.height, by)));
        let inner = inner.into_iter().chain([1, 2].map(|by| Cell::new(towards(cell.x, size.width, by), cell.y)));
        let inner = inner.chain([1, 2].map(|by| Cell::new(cell.x, towards(cell.y, size.height, by))));
        let inner = inner.filter(|inner| is_inside(*inner)).filter_map(patch);
        let far = inner.map(|inner| apart(&rim, &inner) / apart(&inner, &plain(&inner, &mask)).max(f32::EPSILON));
        far.min_by(f32::total_cmp).unwrap_or(f32::INFINITY)
    };
    let mut all: Vec<f32> = size.cells().filter(|cell| !is_inside(*cell)).map(far).collect();
    all.sort_by(f32::total_cmp);
    all
}

/// Whether what a grid has more than a part of it shows the tiles of that: most are nearer to a tile of the part than a plain surface can be.
fn has_rim(tiles: &Tiles, part: &Grid, whole: &Grid) -> bool {
    let rim = rim(tiles, part, whole);
    rim.get(rim.len() / 2).is_some_and(|far| *far < RIMMED)
}

/// The grid with the columns and rows beyond its sides of which all tiles are like those further in, but for what a board's rim may lack: a shadow that
/// falls on the next tile. Those of a board whose tiles are no whole number of pixels apart may be a pixel nearer than where it was found.
fn with_rim(tiles: &Tiles, mut grid: Grid) -> Grid {
    for way in Way::BOTH {
        for is_last in [false, true] {
            while let Some(larger) = larger(tiles, &grid, way, is_last) {
                grid = larger;
            }
        }
    }
    grid
}

/// The grid with a column or row more on one side, where all tiles of that are like those further in.
fn larger(tiles: &Tiles, grid: &Grid, way: Way, is_last: bool) -> Option<Grid> {
    let edges = grid.edges(way);
    let step = pitch(edges);
    let most = (step * ROUNDED).round().max(1.0) as i32;
    let with = |by: i32| {
        let mut edges = edges.to_vec();
        let step = step + f64::from(by);
        if is_last {
            edges.push(edges[edges.len() - 1] + step)
        } else {
            edges.insert(0, edges[0] - step)
        }
        grid.with(way, edges)
    };
    let is_shown = |grid: &Grid| {
        let edges = grid.edges(way);
        edges[0] >= 0.0 && edges[edges.len() - 1] <= f64::from(way.length(tiles.picture))
    };
    // The nearest of several that are as good.
    let all = (0..=most).flat_map(|by| [by, -by]).map(with).filter(is_shown);
    let far = all.filter_map(|larger| Some((*rim(tiles, grid, &larger).last()?, larger)));
    let best = far.min_by(|one, other| one.0.total_cmp(&other.0))?;
    (best.0 < ALL_RIMMED).then_some(best.1)
}

/// How far a patch is from a plain surface of its mean colour, in grey levels.
fn deviation(patch: &Patch) -> f32 {
    apart(patch, &plain(patch, &[1; VALUES]))
}

/// A plain surface of a patch's mean colour where a mask is 1 and not 0.
fn plain(patch: &Patch, mask: &Patch) -> Patch {
    let mean = |channel: usize| {
        let values = patch[channel..].iter().zip(&mask[channel..]).step_by(3);
        let (sum, count) = values.fold((0, 0), |(sum, count), (value, mask)| {
            (sum + i32::from(*value) * i32::from(*mask), count + i32::from(*mask))
        });
        (sum / count.max(1)) as i16
    };
    let means = [0, 1, 2].map(mean);
    std::array::from_fn(|at| means[at % 3])
}

/// The board of which a lattice is a part, and how much it explains.
fn board(tiles: &Tiles, grid: Grid) -> Option<(f64, Grid)> {
    let common = Common::new(tiles, &grid)?;
    if is_split(tiles, &grid, &common) || is_several(&common) {
        return None;
    }
    // The lines of a lattice are even: there is nothing to be trimmed.
    let grid = settled(tiles, extent(tiles, &common, grid, None));
    let size = grid.size();
    if size.width.min(size.height) < SMALLEST || !has_lines(tiles.picture, &grid) {
        return None;
    }
    let common = Common::new(tiles, &grid)?;
    let count = |is: &dyn Fn(&Seen) -> bool| {
        size.cells().filter(|cell| tiles.with_cell(&grid, *cell, is).unwrap_or(false)).count() as f64
    };
    let known = count(&|patch| common.near(patch) > FITTING);
    let marked = count(&|patch| common.kind(patch) == Kind::Marked);
    let all = size.tiles() as f64;
    (known >= ALIKE * all && marked >= MARKED * all).then(|| (known * known / all * grid.pitch().0.sqrt(), grid))
}

/// The grid moved to where its outermost tiles are most like the others: there it ends where the board does.
fn settled(tiles: &Tiles, grid: Grid) -> Grid {
    let mut grid = grid;
    for way in Way::BOTH {
        let most = (pitch(grid.edges(way)) * BESIDE).floor() as i32;
        let moved = |by: i32| grid.with(way, grid.edges(way).iter().map(|edge| edge + f64::from(by)).collect());
        let likeness = |grid: &Grid| {
            let edges = grid.edges(way);
            let Some(common) = Common::new(tiles, grid) else { return f64::NEG_INFINITY };
            let near = |at: usize| {
                Strip::new(tiles, way, (edges[at], edges[at + 1]), grid.edges(way.across()))
                    .nearness(&common, f64::NEG_INFINITY)
            };
            near(0).min(near(edges.len() - 2))
        };
        let mut best = (likeness(&grid) + 0.02, 0);
        for by in (1..=most).flat_map(|by| [by, -by]) {
            let near = likeness(&moved(by));
            if near > best.0 {
                best = (near, by);
            }
        }
        grid = moved(best.1);
    }
    grid
}

/// Whether the cells are halves or quarters of tiles: which look one has depends on whether its column and row are odd, and not
/// as on a chequered board.
fn is_split(tiles: &Tiles, grid: &Grid, common: &Common) -> bool {
    let size = grid.size();
    let look = |cell: Cell| tiles.with_cell(grid, cell, |patch| common.nearest(patch).0);
    let usual = |odd: (u32, u32)| {
        let mut counts = vec![0usize; common.looks.len()];
        let cells = size.cells().filter(|cell| (cell.x % 2, cell.y % 2) == odd);
        cells.filter_map(look).for_each(|look| counts[look] += 1);
        let most = (0..counts.len()).max_by_key(|&look| counts[look])?;
        (counts[most] * 5 > counts.iter().sum::<usize>() * 4).then_some(most)
    };
    let [Some(a), Some(b), Some(c), Some(d)] = [(0, 0), (1, 0), (0, 1), (1, 1)].map(usual) else { return false };
    let is_chequered = a == d && b == c;
    !is_chequered && (a != b || c != d || a != c)
}

/// Whether the commonest look is several tiles: its halves are alike, across and down.
fn is_several(common: &Common) -> bool {
    common.looks.iter().find(|(look, _)| !is_plain(look)).is_none_or(|(look, _)| is_made_of_halves(look))
}

/// Whether the left half of a tile looks like the right one, and the upper like the lower.
fn is_made_of_halves(look: &Patch) -> bool {
    let half = SIDE / 2;
    let place = |x: usize, y: usize| (y * SIDE + x) * 3;
    let differ = |dx: usize, dy: usize| {
        let parts = (0..SIDE - dy).flat_map(|y| (0..SIDE - dx).map(move |x| (x, y)));
        let squares = parts.clone().map(|(x, y)| {
            let (a, b) = (place(x, y), place(x + dx, y + dy));
            (0..3).map(|channel| f32::from(look[a + channel] - look[b + channel]).powi(2)).sum::<f32>()
        });
        (squares.sum::<f32>() / (3 * parts.count()) as f32).sqrt()
    };
    differ(half, 0) < 2.0 && differ(0, half) < 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgba;

    /// Raised tiles in colours that no client has, some of them open in a game that is played, on a dark window with a line of text.
    fn board(pitch: u32, columns: u32, rows: u32, is_played: bool) -> RgbaImage {
        RgbaImage::from_fn(900, 700, |x, y| {
            if (20..30).contains(&y) && (x / 7 + y / 3) % 3 == 0 {
                return Rgba([220, 220, 220, 255]);
            }
            let (Some(u), Some(v)) = (x.checked_sub(100), y.checked_sub(80)) else { return Rgba([30, 34, 40, 255]) };
            if u >= columns * pitch || v >= rows * pitch {
                return Rgba([30, 34, 40, 255]);
            }
            let (column, row, u, v) = (u / pitch, v / pitch, u % pitch, v % pitch);
            // An opening, and a tile elsewhere.
            let is_opening = column.abs_diff(3).pow(2) + row.abs_diff(4).pow(2) < 6;
            let is_open = is_played && (is_opening || (column, row) == (7, 1));
            let shade: u8 = match (u.min(v), u.max(v)) {
                (0..2, _) => 60,
                (_, far) if far + 2 >= pitch => 20,
                _ => 40,
            };
            Rgba(if is_open { [200, 190 + shade / 4, 150, 255] } else { [90 + shade, 140, 200, 255] })
        })
    }

    #[test]
    fn a_board_of_any_look_is_found() {
        let sizes = [(24, 9, 9), (31, 16, 12), (40, 12, 10)];
        // Of the widest tiles the halves repeat nearly as well in a game that is played.
        let played = sizes.into_iter().take(2).map(|size| (size, true));
        for ((pitch, columns, rows), is_played) in sizes.into_iter().map(|size| (size, false)).chain(played) {
            let found = boards_of_any_look(&board(pitch, columns, rows, is_played));
            let first = found.first().unwrap_or_else(|| panic!("none at {pitch}"));
            let size = first.size();
            assert_eq!((size.width, size.height), (columns, rows), "{pitch}");
            assert!((first.columns[0] - 100.0).abs() < 3.0 && (first.lines[0] - 80.0).abs() < 3.0, "{first:?}");
        }
    }

    #[test]
    fn a_board_comes_before_its_parts() {
        let grid = |columns: (u32, u32), rows: u32| Grid {
            columns: (columns.0..=columns.1).map(|edge| 100.0 + 24.0 * f64::from(edge)).collect(),
            lines: (0..=rows).map(|edge| 80.0 + 24.0 * f64::from(edge)).collect(),
        };
        let (part, whole, elsewhere) = (grid((1, 8), 8), grid((0, 9), 8), grid((20, 29), 8));
        let beside = whole.moved(-12.0, 0.0);
        let half = grid((0, 8), 16).with(Way::Lines, (0..=16).map(|edge| 80.0 + 12.0 * f64::from(edge)).collect());
        for other in [&elsewhere, &beside, &half, &grid((1, 11), 8)] {
            assert_eq!(
                wholes_first(vec![part.clone(), other.clone()], is_part),
                [part.clone(), other.clone()],
                "{other:?}"
            );
        }
        let found = wholes_first(vec![part.clone(), elsewhere.clone(), whole.clone()], is_part);
        assert_eq!(found, [whole, part, elsewhere]);
    }

    /// Tiles of 40 pixels that become darker towards their right and lower sides, the last column and row half as much: no other throws a shadow on them.
    #[test]
    fn the_last_column_and_row_may_lack_the_shadow_that_falls_on_the_next() {
        let (pitch, count) = (40, 10);
        let picture = RgbaImage::from_fn(700, 600, |x, y| {
            let (u, v) = (x.wrapping_sub(120), y.wrapping_sub(90));
            if u >= count * pitch || v >= count * pitch {
                return Rgba([119, 136, 153, 255]);
            }
            let shade = |at: u32| (at % pitch).saturating_sub(30) * if at >= (count - 1) * pitch { 5 } else { 10 };
            let light = (255 - shade(u).max(shade(v))) as u8;
            Rgba([light, light, light, 255])
        });
        let found = boards_of_any_look(&picture);
        assert_eq!(found.first().map(|grid| grid.size().to_string()).as_deref(), Some("10x10"), "{found:?}");
    }

    /// Raised tiles of 24 pixels in a sunken frame, which lies over the light sides of the first column and row.
    #[test]
    fn the_first_column_and_row_may_lie_in_the_shadow_of_a_frame() {
        let (pitch, count) = (24, 9);
        let picture = RgbaImage::from_fn(700, 560, |x, y| {
            let (u, v) = (x.wrapping_sub(300), y.wrapping_sub(250));
            if u >= count * pitch || v >= count * pitch {
                return Rgba([192, 192, 192, 255]);
            }
            let grey = match (u.min(v), u.max(v)) {
                (0..2, _) => 64,
                (_, far) if far >= count * pitch - 2 => 255,
                _ => match ((u % pitch).min(v % pitch), (u % pitch).max(v % pitch)) {
                    (_, far) if far >= pitch - 2 => 64,
                    (0..2, _) => 255,
                    _ => 192,
                },
            };
            Rgba([grey, grey, grey, 255])
        });
        let found = boards_of_any_look(&picture);
        assert_eq!(found.first().map(|grid| grid.size().to_string()).as_deref(), Some("9x9"), "{found:?}");
    }

    #[test]
    fn tiles_and_gaps_that_are_no_whole_number_of_pixels_wide_are_not_taken_for_two() {
        // As a browser paints tiles of 28.8 pixels, 4.8 apart: of 29 to 30, and 4 to 5 apart (where they begin and end, in a screenshot of ksugimori).
        let starts = [[11, 45, 78, 112, 145, 179, 212, 246, 280], [10, 44, 77, 111, 144, 178, 211, 245, 279]];
        let ends = [[40, 74, 107, 141, 175, 208, 242, 275, 309], [39, 73, 107, 140, 174, 207, 241, 274, 308]];
        let within =
            |way: usize, at: u32| starts[way].iter().zip(ends[way]).any(|(start, end)| (*start..end).contains(&at));
        let picture = RgbaImage::from_fn(900, 700, |x, y| match x.checked_sub(480).zip(y.checked_sub(195)) {
            Some((x, y)) if within(0, x) && within(1, y) => Rgba([52, 73, 94, 255]),
            _ => Rgba([255; 4]),
        });
        let found = boards_of_any_look(&picture);
        assert_eq!(found.first().map(|grid| grid.size().to_string()).as_deref(), Some("9x9"), "{found:?}");
    }

    #[test]
    fn few_tiles_as_large_as_a_page_makes_them_are_found() {
        let (pitch, count, gap) = ((237, 227), 4, 10);
        let picture = RgbaImage::from_fn(1240, 1000, |x, y| {
            let (u, v) = (x.wrapping_sub(170), y.wrapping_sub(76));
            let is_tile = u < count * pitch.0 && v < count * pitch.1 && u % pitch.0 >= gap && v % pitch.1 >= gap;
            Rgba(if is_tile { [68, 68, 68, 255] } else { [34, 34, 34, 255] })
        });
        let found = boards_of_any_look(&picture);
        assert_eq!(found.first().map(|grid| grid.size().to_string()).as_deref(), Some("4x4"), "{found:?}");
    }

    #[test]
    fn tiles_of_which_only_every_second_is_as_wide_are_not_taken_for_one() {
        // As a browser paints tiles of 85.5 or 42.4 pixels: a line around each, on a ground that becomes darker.
        for (pitch, count) in [(85.5, 7u32), (42.44, 9), (33.5, 10)] {
            let edge = |index: u32| (60.0 + pitch * f64::from(index)).round() as u32;
            let within = |at: u32| (0..count).find(|&index| (edge(index)..edge(index + 1)).contains(&at));
            let picture = RgbaImage::from_fn(900, 760, |x, y| {
                let Some((column, row)) = within(x).zip(within(y)) else {
                    return Rgba([255 - (x / 8) as u8, 120, 100, 255]);
                };
                let is_line =
                    x == edge(column) || y == edge(row) || x + 1 == edge(column + 1) || y + 1 == edge(row + 1);
                Rgba(if is_line { [51, 51, 51, 255] } else { [221, 221, 221, 255] })
            });
            let found = boards_of_any_look(&picture);
            let size = found.first().map(Grid::size);
            assert_eq!(size.map(|size| (size.width, size.height)), Some((count, count)), "{pitch}: {found:?}");
        }
    }

    #[test]
    fn a_board_of_four_tiles_is_found_where_each_has_a_frame_of_its_own() {
        // As a page draws a table: a frame of 5 pixels around every tile, and a line around them all, 10 pixels away.
        let (pitch, count) = (31, 4);
        let picture = RgbaImage::from_fn(700, 560, |x, y| {
            let inside = |at: u32, from: u32| at.checked_sub(from).filter(|at| *at < count * pitch);
            let (u, v) = (x.wrapping_sub(410), y.wrapping_sub(249));
            let around = count * pitch + 22;
            let grey = match (inside(x, 421), inside(y, 260)) {
                (Some(x), Some(y)) => {
                    let is_frame = |at: u32| !(5..pitch - 5).contains(&(at % pitch));
                    if is_frame(x) || is_frame(y) { 0 } else { 190 }
                }
                _ if u >= around || v >= around => 255,
                _ if [0, around - 1].contains(&u) || [0, around - 1].contains(&v) => 0,
                _ => 189,
            };
            Rgba([grey, grey, grey, 255])
        });
        let found = boards_of_any_look(&picture);
        let first = found.first().expect("a board");
        assert_eq!((first.size().width, first.size().height), (count, count));
        assert!((first.columns[0] - 421.0).abs() < 6.0 && (first.lines[0] - 260.0).abs() < 6.0, "{first:?}");
    }

    #[test]
    fn a_page_as_pale_as_the_tiles_is_none_of_the_board_beside_a_word() {
        let (pitch, columns, rows) = (48, 8, 7);
        let picture = RgbaImage::from_fn(700, 560, |x, y| {
            let (u, v) = (x.wrapping_sub(101), y.wrapping_sub(81));
            let is_line = u <= columns * pitch && v <= rows * pitch && (u % pitch == 0 || v % pitch == 0);
            let is_word = (100..150).contains(&x) && (426..438).contains(&y) && (x / 3 + y / 2) % 3 == 0;
            let grey = match (is_line, is_word) {
                (true, _) => 190,
                (_, true) => 20,
                _ => 244,
            };
            Rgba([grey, grey, grey, 255])
        });
        let edges = |first: u32, count: u32| (0..=count).map(|edge| f64::from(first + pitch * edge)).collect();
        let part = Grid { columns: edges(101 + pitch, 5), lines: edges(81 + pitch, 5) };
        let tiles = Tiles::new(&picture);
        let common = Common::new(&tiles, &part).expect("tiles");
        let whole = extent(&tiles, &common, part, None);
        assert_eq!(whole.size().to_string(), "8x7", "{whole:?}");
    }

    #[test]
    fn a_plain_picture_has_no_board() {
        assert!(boards_of_any_look(&RgbaImage::from_pixel(600, 400, Rgba([80, 90, 100, 255]))).is_empty());
        assert!(boards_of_any_look(&RgbaImage::new(0, 0)).is_empty());
    }
}
