//! Picture → [`Grid`]s, without any pictures of tiles: where a board of a client that nobody described may be.
//!
//! Nothing is known of a tile but that most of a board's tiles look like others of it: hidden ones like hidden ones, empty ones
//! like empty ones. So the looks that are commonest within a lattice are taken for its tiles, and the board reaches as far as there
//! are tiles of these looks ([`super::extent`], with this likeness instead of one to a client's pictures).

use super::extent::{Strip, extent};
use super::grid::{Grid, Way, pitch};
use super::likeness::{FITTING, Kind, Likeness};
use super::look::{Look, PLAIN, Seen, squares};
use super::looks;
use super::patch::{Patch, SIDE, VALUES};
use super::propose::{Proposals, Source};
use super::repeat::followed;
use super::rim::has_lines;
use super::tiles::{Tiles, spread};
use crate::geometry::Cell;
use image::RgbaImage;

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
/// Patterns of a kind that are looked at.
const TRIED: usize = 8;
/// The fewest columns and rows of a board.
const SMALLEST: u32 = 4;
/// Share of a board's tiles that are hidden where it is hardly touched.
const MAJORITY: f64 = 0.5;
/// Contrast of a tile (root of the mean squared difference from its mean, in grey levels) from which on it is as clear as any.
const CLEAR: f64 = 8.0;
/// Tiles of which the middle one's contrast is taken.
const CONTRASTS: usize = 30;
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
            let Some(patch) = tiles.with_cell(grid, cell, |patch| *patch) else { continue };
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
    fn near(&self, patch: &Patch) -> f64 {
        1.0 - f64::from((self.nearest(patch).1 / (2.0 * SAME)).min(2.0))
    }

    fn kind(&self, patch: &Patch) -> Kind {
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

    fn shift(&self, _: &Patch) -> Option<[(f32, f32); 2]> {
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

/// Boards on which no tile was opened yet, or few: the same look again and again, over and beside itself (or two by turns, as on a
/// chessboard). The likeliest first. Where such a look begins only its repetition tells: of all phases of a lattice that has most
/// tiles is right, and where the ground goes on between the tiles and around the board, the middle of these.
fn untouched_boards(tiles: &Tiles, proposals: &Proposals) -> Vec<Grid> {
    let mut found: Vec<(f64, Grid)> = Vec::new();
    for source in [Source::Clear, Source::Coarse, Source::Beside, Source::Bold, Source::Thin, Source::Faint] {
        for lattice in proposals.of(source).take(TRIED) {
            let grid = Grid { columns: lattice.columns.edges.clone(), lines: lattice.lines.edges.clone() };
            let grid = repeated(tiles, &grid).or_else(|| {
                // What repeats at a distance may be two tiles.
                let halves =
                    Way::BOTH.into_iter().fold(grid.clone(), |grid, way| grid.with(way, in_parts(grid.edges(way), 2)));
                repeated(tiles, &halves)
            });
            let Some(grid) = grid.and_then(|grid| divided(tiles, grid)) else { continue };
            let worth = grid.size().tiles() as f64 * grid.pitch().0.sqrt() * clearness(tiles, &grid);
            if share_of_one(tiles, &grid) < MAJORITY {
                continue;
            }
            if !found.iter().any(|(_, other)| is_same(&grid, other)) {
                found.push((worth, grid));
            }
        }
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    found.into_iter().map(|(_, grid)| grid).collect()
}

/// Edges with the space between each and the next in so many equal parts.
fn in_parts(edges: &[f64], parts: usize) -> Vec<f64> {
    let between = edges
        .windows(2)
        .flat_map(|pair| (0..parts).map(|part| pair[0] + (pair[1] - pair[0]) * part as f64 / parts as f64));
    between.chain(edges.last().copied()).collect()
}

/// The grid of single tiles, where its cells are two or three of them side by side; nothing where those are no board.
fn divided(tiles: &Tiles, grid: Grid) -> Option<Grid> {
    let size = grid.size();
    let cell = Cell::new(size.width / 2, size.height / 2);
    let parts = Way::BOTH.map(|way| (way, parts(tiles, &grid, way, cell)));
    if parts.iter().all(|(_, parts)| *parts == 1) {
        return Some(grid);
    }
    let finer = parts.iter().fold(grid, |grid, &(way, parts)| grid.with(way, in_parts(grid.edges(way), parts)));
    repeated(tiles, &finer)
}

/// Of how many equal parts a cell consists along a way: they look alike, and not so half a part further on.
fn parts(tiles: &Tiles, grid: &Grid, way: Way, cell: Cell) -> usize {
    let (at, row) = if way == Way::Columns { (cell.x, cell.y) } else { (cell.y, cell.x) };
    let (along, across) = (grid.edges(way), grid.edges(way.across()));
    let (from, to) = (along[at as usize], along[at as usize + 1]);
    let side = (across[row as usize], across[row as usize + 1]);
    let look = |from: f64, to: f64| {
        let (x, y) = if way == Way::Columns { ((from, to), side) } else { (side, (from, to)) };
        tiles.with(x, y, |patch| Look::unnamed(*patch, LIGHTER))
    };
    let is_of = |parts: usize| {
        let width = (to - from) / parts as f64;
        let part = |index: f64| look(from + index * width, from + (index + 1.0) * width);
        let (Some(first), Some(between)) = (part(0.0), part(0.5)) else { return false };
        let is_alike = |other: Option<Look>| other.is_some_and(|other| first.apart(&other.seen()) <= looks::ALIKE);
        (1..parts).all(|index| is_alike(part(index as f64))) && first.apart(&between.seen()) > looks::ALIKE
    };
    [3, 2].into_iter().find(|&parts| is_of(parts)).unwrap_or(1)
}

/// Share of a grid's tiles that have the commonest look (0..1); where two take turns, of each half.
fn share_of_one(tiles: &Tiles, grid: &Grid) -> f64 {
    let share = |odd: u32| {
        let mut looks: Vec<(Look, usize)> = Vec::new();
        let mut all = 0;
        for cell in spread(grid, SORTED).filter(|cell| (cell.x + cell.y) % 2 == odd) {
            let Some(look) = tiles.with_cell(grid, cell, |patch| Look::unnamed(*patch, LIGHTER)) else { continue };
            all += 1;
            match looks.iter_mut().find(|(known, _)| known.apart(&look.seen()) <= looks::ALIKE) {
                Some((_, count)) => *count += 1,
                None => looks.push((look, 1)),
            }
        }
        let most = looks.iter().map(|(_, count)| *count).max().unwrap_or(0);
        most as f64 / f64::from(all.max(1))
    };
    f64::midpoint(share(0), share(1))
}

/// How clearly there is something on a board's tiles (0..1): the ground of a window repeats, too, but hardly shows anything.
fn clearness(tiles: &Tiles, grid: &Grid) -> f64 {
    let contrast = |patch: &Patch| {
        let squares = (0..3).map(|channel| {
            let values = || patch[channel..].iter().step_by(3).map(|&value| f64::from(value));
            let mean = values().sum::<f64>() / (SIDE * SIDE) as f64;
            values().map(|value| (value - mean).powi(2)).sum::<f64>()
        });
        (squares.sum::<f64>() / VALUES as f64).sqrt()
    };
    let mut all: Vec<f64> = spread(grid, CONTRASTS).filter_map(|cell| tiles.with_cell(grid, cell, contrast)).collect();
    all.sort_by(f64::total_cmp);
    (all.get(all.len() / 2).copied().unwrap_or(0.0) / CLEAR).min(1.0)
}

/// Whether two grids mean the same board.
fn is_same(one: &Grid, other: &Grid) -> bool {
    let near = |a: f64, b: f64| (a - b).abs() < one.pitch().0.min(one.pitch().1) / 4.0;
    other.size() == one.size() && near(other.columns[0], one.columns[0]) && near(other.lines[0], one.lines[0])
}

/// Tiles of a column or row that are looked at.
const SAMPLED: usize = 9;
/// Share of them that must have the look of the others: beyond a board none has, and at the start some are open in some clients.
const MOST_OF: f64 = 0.34;
/// Columns or rows in a row that may be open from end to end.
const BRIDGED: i64 = 2;
/// Steps in which a phase is looked for, at most.
const STEPS: usize = 64;
/// Pixels by which a tile may be wider or narrower than the one before, in steps of half a pixel.
const UNEVEN: i32 = 3;
/// How much lighter or darker all over a tile may be than another, in grey levels: a board may lie on a picture, or be lit from a side.
const LIGHTER: f32 = 30.0;
/// Grey levels up to which a tile is where it is expected, and from which on it is none even if it were moved a little.
const THERE: f32 = 1.5;
const HOPELESS: f32 = 40.0;

/// The grid of the tiles that look like some of a lattice: those in its middle, or elsewhere where the middle is open.
fn repeated(tiles: &Tiles, lattice: &Grid) -> Option<Grid> {
    let lattice = &followed(tiles.picture, lattice);
    let size = lattice.size();
    let seed = |(x, y): (u32, u32)| {
        Cell::new((size.width * x / 4).min(size.width - 1), (size.height * y / 4).min(size.height - 1))
    };
    let grids =
        [(2, 2), (1, 1), (3, 3), (3, 1), (1, 3)].into_iter().filter_map(|at| repeated_from(tiles, lattice, seed(at)));
    let mut best: Option<Grid> = None;
    for grid in grids {
        let is_larger = best.as_ref().is_none_or(|best| grid.size().tiles() > best.size().tiles());
        let is_all = grid.size().width + 2 >= size.width && grid.size().height + 2 >= size.height;
        best = if is_larger { Some(grid) } else { best };
        if is_all {
            break;
        }
    }
    best
}

fn repeated_from(tiles: &Tiles, lattice: &Grid, seed: Cell) -> Option<Grid> {
    let mut grid = lattice.clone();
    let mut seed = seed;
    // What is known across helps to see how far it goes down, and the other way round.
    for way in [Way::Columns, Way::Lines, Way::Columns] {
        let (edges, at) = longest(tiles, &grid, way, seed)?;
        grid = grid.with(way, edges);
        seed = if way == Way::Columns { Cell { x: at, ..seed } } else { Cell { y: at, ..seed } };
    }
    for way in Way::BOTH {
        let (edges, at) = Row::new(tiles, &grid, way, seed, 0.0)?.run()?;
        grid = grid.with(way, edges);
        seed = if way == Way::Columns { Cell { x: at, ..seed } } else { Cell { y: at, ..seed } };
    }
    let grid = Way::BOTH.into_iter().fold(grid, |grid, way| grid.with(way, evened(grid.edges(way))));
    let grid = followed(tiles.picture, &grid);
    let look = tiles.with_cell(&grid, seed, |patch| *patch)?;
    let size = grid.size();
    (size.width.min(size.height) >= SMALLEST && !is_plain(&look) && !is_made_of_halves(&look)).then_some(grid)
}

/// Edges of which the outermost two are as far from the next as all others are: what lies around a board makes its outermost tiles look
/// a little different, and they are followed there.
fn evened(edges: &[f64]) -> Vec<f64> {
    let mut edges = edges.to_vec();
    let last = edges.len() - 1;
    if last < 4 {
        return edges;
    }
    let step = edges[2] - edges[1];
    let is_even = edges[1..last].windows(2).all(|pair| (pair[1] - pair[0] - step).abs() < 0.01);
    if is_even {
        edges[0] = edges[1] - step;
        edges[last] = edges[last - 1] + step;
    }
    edges
}

/// The edges along a way at the phase at which most tiles look like the seed, and which of them the seed is.
fn longest(tiles: &Tiles, grid: &Grid, way: Way, seed: Cell) -> Option<(Vec<f64>, u32)> {
    let row = Row::new(tiles, grid, way, seed, 0.0)?;
    let (edges, at) = row.run()?;
    let count = edges.len() - 1;
    // What repeats does so at any phase, less one tile at most.
    if count + 1 < SMALLEST as usize {
        return None;
    }
    let known = grid.with(way, edges.clone());
    let seed = if way == Way::Columns { Cell { x: at, ..seed } } else { Cell { y: at, ..seed } };
    let steps = (row.pitch.ceil() as usize).clamp(1, STEPS);
    // Between the ends all tiles are alike at every phase: whether there is one more before and after them decides.
    let more = |step: usize| -> Option<(bool, bool)> {
        let shift = row.pitch * step as f64 / steps as f64;
        let row = Row::new(tiles, &known, way, seed, shift)?;
        let is_alike = |from: f64, index: usize| {
            let is_odd = index.abs_diff(at as usize + 1) % 2 == 1;
            row.far((from + shift, from + shift + row.pitch), is_odd) <= looks::ALIKE
        };
        // The tile before the first has index 0 here.
        Some((is_alike(edges[0] - row.pitch, 0), is_alike(edges[count - 1], count)))
    };
    let ends: Vec<Option<(bool, bool)>> =
        (0..steps).map(|step| if step == 0 { Some((false, true)) } else { more(step) }).collect();
    let length =
        |step: usize| ends[step % steps].map_or(0, |(before, after)| 1 + usize::from(before) + usize::from(after));
    let most = (0..steps).map(length).max()?;
    // The longest row of phases that are as good, round the circle.
    let begins = (0..steps).filter(|&step| length(step) == most && length(step + steps - 1) < most);
    let rows = begins.map(|begin| (begin, (begin..begin + steps).take_while(|&step| length(step) == most).count()));
    let (begin, good) = rows.max_by_key(|(_, count)| *count).unwrap_or((0, steps));
    let step = (begin + (good - 1) / 2) % steps;
    let ((before, after), shift) = (ends[step]?, row.pitch * step as f64 / steps as f64);
    let first = before.then(|| edges[0] - row.pitch);
    let kept = if after { &edges[..] } else { &edges[..count] };
    let edges: Vec<f64> = first.into_iter().chain(kept.iter().copied()).map(|edge| edge + shift).collect();
    Some((edges, at + u32::from(before))).filter(|(edges, at)| (*at as usize) + 1 < edges.len())
}

/// Tiles along a way, from one of which it is looked how far its look goes.
struct Row<'a> {
    tiles: &'a Tiles<'a>,
    way: Way,
    /// Where the first tile begins and ends.
    first: (f64, f64),
    pitch: f64,
    /// How wide the tiles after it are, and those before it, as far as that is known.
    widths: [Vec<f64>; 2],
    /// Tiles across that are looked at, and whether an odd number of tiles lies between each of them and the seed.
    across: Vec<((f64, f64), bool)>,
    /// The look of the seed, of its neighbour along the way, of that across, and of that over the corner.
    looks: [Look; 4],
}

impl<'a> Row<'a> {
    fn new(tiles: &'a Tiles<'a>, grid: &Grid, way: Way, seed: Cell, shift: f64) -> Option<Self> {
        let (edges, across) = (grid.edges(way), grid.edges(way.across()));
        let (at, row) = if way == Way::Columns { (seed.x, seed.y) } else { (seed.y, seed.x) };
        let (at, row) = (at as usize, row as usize);
        let width = |pair: &[f64]| pair[1] - pair[0];
        let widths = [
            edges[at + 1..].windows(2).map(width).collect::<Vec<f64>>(),
            edges[..=at].windows(2).rev().map(width).collect(),
        ];
        let pitch = pitch(edges).round();
        let first = (edges[at] + shift, edges[at + 1] + shift);
        let step = (across.len() - 1).div_ceil(SAMPLED).max(1);
        let rows = (row % step..across.len() - 1).step_by(step);
        let sides = |row: usize| (across[row], across[row + 1]);
        let beside = if row + 2 < across.len() { row + 1 } else { row.checked_sub(1)? };
        let next = (first.1, first.1 + widths[0].first().unwrap_or(&pitch));
        let look = |along, row| {
            let (x, y) = if way == Way::Columns { (along, sides(row)) } else { (sides(row), along) };
            tiles.with(x, y, |patch| Look::unnamed(*patch, LIGHTER))
        };
        let looks = [look(first, row)?, look(next, row)?, look(first, beside)?, look(next, beside)?];
        // Of one look, or of two by turns; anything else are parts of tiles.
        let is_same = |a: usize, b: usize| looks[a].apart(&looks[b].seen()) <= looks::ALIKE;
        if !is_same(0, 3) || !is_same(1, 2) {
            return None;
        }
        let across = rows.map(|other| (sides(other), other.abs_diff(row) % 2 == 1)).collect();
        Some(Self { tiles, way, first, pitch, widths, across, looks })
    }

    /// How far the tile between these edges, at this place across, is from the look that it should have, in grey levels.
    fn apart(&self, along: (f64, f64), across: ((f64, f64), bool), is_odd: bool) -> f32 {
        let (x, y) = if self.way == Way::Columns { (along, across.0) } else { (across.0, along) };
        let look = &self.looks[usize::from(is_odd) + 2 * usize::from(across.1)];
        self.tiles.with(x, y, |patch| look.apart(&Seen::new(patch))).unwrap_or(f32::INFINITY)
    }

    /// How far the tiles between these edges are from the look that they should have: so many of them as must have it.
    fn far(&self, along: (f64, f64), is_odd: bool) -> f32 {
        let mut all: Vec<f32> = self.across.iter().map(|&across| self.apart(along, across, is_odd)).collect();
        all.sort_by(f32::total_cmp);
        all[((MOST_OF * all.len() as f64).ceil() as usize).clamp(1, all.len()) - 1]
    }

    /// The tile that follows an edge in a direction, where it fits best; nothing if it is none of them.
    fn next(&self, edge: f64, direction: f64, index: usize) -> Option<f64> {
        let far = |width: f64| {
            let end = edge + direction * width;
            self.far((edge.min(end), edge.max(end)), index % 2 == 1)
        };
        let known = self.width(direction, index);
        let mut best = (far(known), known);
        if best.0 > THERE && best.0 < HOPELESS {
            for offset in (1..=UNEVEN).flat_map(|by| [by, -by]).map(|by| f64::from(by) / 2.0) {
                let far = far(self.pitch + offset);
                if far < best.0 - 0.2 {
                    best = (far, self.pitch + offset);
                }
            }
        }
        (best.0 <= looks::ALIKE).then_some(edge + direction * best.1)
    }

    /// How wide the tile is that comes so many tiles after the first, or before it.
    fn width(&self, direction: f64, index: usize) -> f64 {
        *self.widths[usize::from(direction < 0.0)].get(index - 1).unwrap_or(&self.pitch)
    }

    /// The edges of all tiles that have the look, and which tile the seed is.
    fn run(&self) -> Option<(Vec<f64>, u32)> {
        let grown = |edge: f64, direction: f64| {
            let (mut edges, mut open, mut at) = (Vec::new(), Vec::new(), edge);
            for index in 1.. {
                match self.next(at, direction, index) {
                    Some(next) => {
                        edges.append(&mut open);
                        edges.push(next);
                        at = next;
                    }
                    None if open.len() as i64 >= BRIDGED => break,
                    None => {
                        at += direction * self.width(direction, index);
                        open.push(at);
                    }
                }
            }
            edges
        };
        let (mut before, after) = (grown(self.first.0, -1.0), grown(self.first.1, 1.0));
        let seed = before.len() as u32;
        before.reverse();
        before.extend([self.first.0, self.first.1]);
        before.extend(after);
        Some((before, seed))
    }
}

/// Boards of clients that nobody described, the likeliest first: those on which one look repeats from side to side, then those of
/// several common looks.
pub fn boards_of_any_look(picture: &RgbaImage) -> Vec<Grid> {
    if std::env::var("OLD").is_err() {
        let (same, proposals) = (super::same::Same::new(picture), Proposals::new(picture));
        let tiles = Tiles::new(picture);
        let mut found: Vec<(f64, Grid)> = Vec::new();
        for source in [Source::Clear, Source::Coarse, Source::Beside, Source::Bold, Source::Thin, Source::Faint, Source::Few] {
            for lattice in proposals.of(source).take(TRIED) {
                if std::env::var("TELL2").is_ok() {
                    eprintln!("{source:?} {} at {:?} of {:?}", lattice.columns.edges.len(), (lattice.columns.edges[0], lattice.lines.edges[0]), (lattice.columns.pitch, lattice.lines.pitch));
                }
                let Some(board) = super::period::board(&same, &lattice) else { continue };
                let grid = board.grid;
                let size = grid.size();
                let (across, down) = grid.pitch();
                let area = across * down * size.tiles() as f64;
                let worth = area.sqrt() * board.share.powi(2) * board.fit.powi(4) * clearness(&tiles, &grid);
                if std::env::var("TELL").is_ok() {
                    eprintln!("{source:?} {} at {:?} of {:?}: {:.2} {:.2} {worth:.0}", size, grid.origin(), grid.pitch(), board.share, board.fit);
                }
                if !found.iter().any(|(_, other)| is_same(&grid, other)) {
                    found.push((worth, grid));
                }
            }
        }
        // Where the picture ends nobody knows whether the board does.
        let ends = |grid: &Grid| {
            let (across, down) = grid.pitch();
            let inside = |edges: &[f64], pitch: f64, limit: u32| {
                edges[0] >= pitch || edges[edges.len() - 1] + pitch <= f64::from(limit)
            };
            inside(&grid.columns, across, picture.width()) || inside(&grid.lines, down, picture.height())
        };
        found.sort_by(|a, b| (ends(&b.1), b.0).partial_cmp(&(ends(&a.1), a.0)).unwrap_or(std::cmp::Ordering::Equal));
        return found.into_iter().map(|(_, grid)| grid).collect();
    }
    let (tiles, proposals) = (Tiles::new(picture), Proposals::new(picture));
    let mut grids = untouched_boards(&tiles, &proposals);
    let mut found: Vec<(f64, Grid)> = Vec::new();
    for source in [Source::Clear, Source::Coarse, Source::Beside, Source::Bold, Source::Thin] {
        for lattice in proposals.of(source).take(TRIED) {
            let grid = Grid { columns: lattice.columns.edges.clone(), lines: lattice.lines.edges.clone() };
            let Some((worth, grid)) = board(&tiles, grid) else { continue };
            if !found.iter().map(|(_, other)| other).chain(&grids).any(|other| is_same(&grid, other)) {
                found.push((worth, grid));
            }
        }
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    grids.extend(found.into_iter().map(|(_, grid)| grid));
    grids
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
    let count = |is: &dyn Fn(&Patch) -> bool| {
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

    /// Raised tiles in colours that no client has, some open, on a dark window with a line of text.
    fn board(pitch: u32, columns: u32, rows: u32) -> RgbaImage {
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
            let is_open = column.abs_diff(3).pow(2) + row.abs_diff(4).pow(2) < 6 || (column, row) == (7, 1);
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
        for (pitch, columns, rows) in [(24, 9, 9), (31, 16, 12), (40, 12, 10)] {
            let found = boards_of_any_look(&board(pitch, columns, rows));
            let first = found.first().unwrap_or_else(|| panic!("none at {pitch}"));
            let size = first.size();
            assert_eq!((size.width, size.height), (columns, rows), "{pitch}");
            assert!((first.columns[0] - 100.0).abs() < 3.0 && (first.lines[0] - 80.0).abs() < 3.0, "{first:?}");
        }
    }

    #[test]
    fn a_plain_picture_has_no_board() {
        assert!(boards_of_any_look(&RgbaImage::from_pixel(600, 400, Rgba([80, 90, 100, 255]))).is_empty());
        assert!(boards_of_any_look(&RgbaImage::new(0, 0)).is_empty());
    }
}
