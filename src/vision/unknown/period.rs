//! [`Lattice`] → [`Grid`]: the board of which a lattice is a part, without any pictures of tiles. All that is known of a board is that it
//! shows the same a tile further on, over and beside ([`Same`]), or over the corner where two kinds of tiles take turns.
//!
//! 1. Which part or multiple of the lattice's pitch the tiles have: the least one at which what is to be seen repeats.
//! 2. From the lattice's tiles on, all that are linked to one beside them.
//! 3. To the pixel, how far what is there is as it is a tile further in. As many tiles as fit into that, and show something at
//!    both ends, are the board, in the middle of it where there is room.

use super::same::Same;
use crate::geometry::Cell;
use crate::vision::find::propose::{Lattice, Proposals, Source};
use crate::vision::find::repeat::followed;
use crate::vision::grid::{Grid, SMALLEST, Way, pitch};
use image::RgbaImage;
use std::collections::{HashMap, HashSet};

/// Share of what is to be seen on a tile that must be the same beside it.
const LINKED: f64 = 0.75;
/// Places on a tile where something must be seen.
const FEWEST: usize = 4;
/// Lines of pixels across and down a tile that are looked at, and every which pixel of them.
const LINES: i32 = 4;
const STEP: usize = 2;
/// So much more must be the same at another pitch for it to be the better one.
const BETTER: f64 = 0.02;
/// So much less is the same beside tiles that take turns than over the corner.
const APART: f64 = 0.8;
/// Tiles of a lattice that are asked for its pitch.
const ASKED: usize = 60;
/// Pixels by which many tiles together may be longer or shorter than was found.
const QUARTERS: [f64; 8] = [-0.25, 0.25, -0.5, 0.5, -0.75, 0.75, -1.0, 1.0];
/// Parts and multiples of a lattice's pitch that may be the tiles'.
const TIMES: [f64; 4] = [1.0 / 3.0, 0.5, 1.0, 2.0];
/// A finer pitch is the tiles' if so much of what is to be seen repeats at it, of what does at the best.
const FINER: f64 = 0.93;
/// Share of it that must repeat at all.
const REPEATED: f64 = 0.3;
/// Tiles are no more than about twice as wide as high, or as high as wide (a logarithm).
const ODD: f64 = 0.9;
/// The smallest tiles, in pixels.
const LEAST_PITCH: f64 = 9.0;
/// Share of the tiles in the fullest row that any other must have.
const FULL: f64 = 0.34;
/// Share of a column of pixels that must be as further in.
const ALIKE: f64 = 0.6;
/// Tiles further in that are asked, for an opening may be as wide as that.
const FURTHER: i32 = 6;
/// Share of the lines that cross it and must do so there, too.
const CROSSING: f64 = 0.5;
/// Lines of pixels across such a column that are looked at, at most.
const ACROSS: i32 = 240;
/// Share of a tile by which the outermost may be cut: its border may be smeared into what lies beside it.
const SHORT: f64 = 0.2;
/// Share of a tile within which a border must show at the board's ends, and of the lines across where it must.
const BORDER: f64 = 0.2;
const SHOWN: f64 = 0.5;
/// Share of the edges across a board that are not in the same place from its other end, at most, where its tiles are round. Chosen, not measured.
const MIRRORED: f64 = 0.25;
/// Pixels at the picture's end in which nothing can be told: they were smeared.
const SLIVER: i32 = 2;
/// No board has more tiles a side.
const MANY: i32 = 200;

/// Tiles below another board from which it can be told that it lies on them, and the share of these that may be as those beside them.
const COVERED: usize = 4;
const TORN: f64 = 0.25;

/// Patterns of a kind that are looked at.
const TRIED: usize = 8;

/// Boards that repeat, of lattices of these kinds, the likeliest first.
pub fn boards(picture: &RgbaImage, proposals: &Proposals, sources: &[Source]) -> Vec<Grid> {
    let same = Same::new(picture);
    let lattices = sources.iter().flat_map(|source| proposals.of(*source).take(TRIED));
    let mut all: Vec<Found> = Vec::new();
    for found in lattices.filter_map(|lattice| board(&same, &lattice)) {
        match all.iter_mut().find(|other| is_same_board(&found.grid, &other.grid)) {
            Some(other) if other.worth() < found.worth() => *other = found,
            Some(_) => {}
            None => all.push(found),
        }
    }
    all.sort_by(|a, b| b.worth().total_cmp(&a.worth()));
    // A ground that repeats is larger than the board that lies on it.
    let mut ordered: Vec<Found> = Vec::new();
    while !all.is_empty() {
        let above = (1..all.len()).find(|&at| all[0].lies_below(&all[at].grid)).unwrap_or(0);
        ordered.push(all.remove(above));
    }
    ordered.into_iter().map(|found| to_the_pixel(picture, found.grid)).collect()
}

/// The grid with its lines where the picture says that they are, if that is near: a client may paint some tiles a pixel wider.
fn to_the_pixel(picture: &RgbaImage, grid: Grid) -> Grid {
    let found = followed(picture, &grid);
    let is_near = |way: Way| {
        let most = pitch(grid.edges(way)) / 8.0;
        found.edges(way).iter().zip(grid.edges(way)).all(|(a, b)| (a - b).abs() <= most)
    };
    let mut grid = if Way::BOTH.into_iter().all(is_near) { found } else { grid };
    for way in Way::BOTH {
        let limit = f64::from(way.length(picture));
        grid.edges_mut(way).iter_mut().for_each(|edge| *edge = edge.clamp(0.0, limit));
    }
    grid
}

/// Whether tiles may be as large as these (across and down, in pixels), and as wide for their height.
pub fn may_be_tiles((across, down): (f64, f64)) -> bool {
    across.min(down) >= LEAST_PITCH && (across / down).ln().abs() < ODD
}

/// Whether two grids mean the same board.
pub fn is_same_board(one: &Grid, other: &Grid) -> bool {
    let near = |a: f64, b: f64| (a - b).abs() < one.pitch().0.min(one.pitch().1) / 4.0;
    other.size() == one.size() && near(other.columns[0], one.columns[0]) && near(other.lines[0], one.lines[0])
}

impl Found {
    /// How likely it is a board: how much there is of it, how well it repeats, and how square its tiles are, as nearly all are.
    fn worth(&self) -> f64 {
        let length = |edges: &[f64]| edges[edges.len() - 1] - edges[0];
        let area = length(&self.grid.columns) * length(&self.grid.lines);
        let tiles = self.grid.size().tiles() as f64;
        let (across, down) = self.grid.pitch();
        area * tiles.sqrt().sqrt() * self.share.powi(2) * self.fit.powi(4) / (1.0 + (across / down).ln().abs())
    }

    /// Whether something lies on it: within it, and where that is its own tiles are not the same from one to the next.
    fn lies_below(&self, other: &Grid) -> bool {
        let size = self.grid.size();
        let ends = |edges: &[f64]| (edges[0], edges[edges.len() - 1]);
        let is_within = |way: Way| {
            let ((first, last), (from, to)) = (ends(self.grid.edges(way)), ends(other.edges(way)));
            first < from && to < last
        };
        let is_over = |cell: &Cell| {
            let is_on = |way: Way, at: u32| {
                let (edges, (from, to)) = (self.grid.edges(way), ends(other.edges(way)));
                from <= edges[at as usize] && edges[at as usize + 1] <= to
            };
            is_on(Way::Columns, cell.x) && is_on(Way::Lines, cell.y)
        };
        if !Way::BOTH.into_iter().all(is_within) {
            return false;
        }
        let below: Vec<bool> = size.cells().filter(is_over).map(|cell| self.linked[size.index(cell)]).collect();
        let linked = below.iter().filter(|is_linked| **is_linked).count();
        below.len() >= COVERED && linked as f64 <= TORN * below.len() as f64
    }
}

/// A board that was found.
struct Found {
    /// Where it is.
    grid: Grid,
    /// Which of its tiles are linked to others, row by row, and their share (0..1).
    linked: Vec<bool>,
    share: f64,
    /// Share of what is to be seen on them that is the same beside them, along the way on which that is less (0..1).
    fit: f64,
}

/// Where the tiles of a lattice are, without an end.
#[derive(Clone, Copy)]
struct Tiling<'a> {
    same: &'a Same,
    origin: (f64, f64),
    pitch: (f64, f64),
    /// Whether two kinds of tiles take turns.
    is_chequered: bool,
    /// Whether every tile, or the gap beside it, may be a pixel wider than the one before.
    is_loose: bool,
}

/// By how much what is the same from tile to tile may lie beside.
#[derive(Clone, Copy, PartialEq)]
enum Slack {
    None,
    /// All of a tile by a pixel.
    Pixel,
    /// Each of its ends by a pixel.
    Ends,
}

type Tile = (i32, i32);

/// The board of which a lattice is a part.
fn board(same: &Same, lattice: &Lattice) -> Option<Found> {
    let tiling = Tiling::of(same, lattice)?;
    let reach = |edges: &[f64], from: f64, pitch: f64| {
        let at = |edge: f64| ((edge - from) / pitch).round() as i32;
        at(edges[0])..at(edges[edges.len() - 1])
    };
    let across = reach(&lattice.columns.edges, tiling.origin.0, tiling.pitch.0);
    let down = reach(&lattice.lines.edges, tiling.origin.1, tiling.pitch.1);
    let seeds = down.flat_map(|y| across.clone().map(move |x| (x, y)));
    let tiles = tiling.linked(seeds);
    let (columns, lines) = (span(tiles.iter().map(|tile| tile.0))?, span(tiles.iter().map(|tile| tile.1))?);
    let tiling = tiling.settled(columns, lines);
    let grid = tiling.whole(columns, lines)?;
    // Laid at its first tile, what is beside the board disturbs no more.
    let size = |grid: &Grid| (grid.size().width as i32, grid.size().height as i32);
    let (tiling, (wide, high)) = tiling.at(&grid).halved(size(&grid));
    let tiling = tiling.settled((0, wide - 1), (0, high - 1));
    let grid = tiling.whole((0, wide - 1), (0, high - 1))?;
    let (tiling, (wide, high)) = (tiling.at(&grid), size(&grid));
    // Where tiles are no whole number of pixels apart a client may paint some of them a pixel wider.
    let slack = if tiling.is_loose { Slack::Ends } else { Slack::Pixel };
    let share = |step: &Tile| tiling.share_with((0, wide - 1), (0, high - 1), *step, slack);
    let fit = tiling.steps()[..2].iter().map(share).fold(1.0, f64::min);
    let inside = (0..high).flat_map(|y| (0..wide).map(move |x| (x, y)));
    let linked = tiling.linked(inside.clone());
    let linked: Vec<bool> = inside.map(|tile| linked.contains(&tile)).collect();
    let share = linked.iter().filter(|is_linked| **is_linked).count() as f64 / f64::from(wide * high);
    (wide.min(high) >= SMALLEST as i32).then_some(Found { grid, linked, share, fit })
}

/// The first and the last row that has enough of the tiles.
fn span(places: impl Iterator<Item = i32>) -> Option<(i32, i32)> {
    let mut counts: HashMap<i32, usize> = HashMap::new();
    places.for_each(|place| *counts.entry(place).or_default() += 1);
    let most = *counts.values().max()?;
    let full = || counts.iter().filter(|(_, count)| **count as f64 >= FULL * most as f64).map(|(place, _)| *place);
    Some((full().min()?, full().max()?)).filter(|(first, last)| last - first < MANY)
}

impl<'a> Tiling<'a> {
    /// That of a lattice, at the least part or multiple of its pitch at which what is to be seen repeats.
    fn of(same: &'a Same, lattice: &Lattice) -> Option<Self> {
        let origin = (lattice.columns.edges[0], lattice.lines.edges[0]);
        let own = Self {
            same,
            origin,
            pitch: (lattice.columns.pitch, lattice.lines.pitch),
            is_chequered: false,
            is_loose: false,
        };
        let along = Way::BOTH.map(|way| TIMES.map(|times| own.nearest(lattice, way, times)));
        let best = along.map(|all| all.iter().map(|(share, _)| *share).fold(0.0, f64::max));
        // Two kinds of tiles that take turns are the same over the corner, and differ from what is beside them.
        let turning = (0..TIMES.len()).find_map(|index| {
            let [wide, high] = along.map(|all| all[index].0);
            let near = [0.0, -0.25, 0.25, -0.5, 0.5, -1.0, 1.0].map(|by| {
                let pitch = (own.pitch.0 * TIMES[index] + by, own.pitch.1 * TIMES[index] + by);
                let tiling = Self { pitch, is_chequered: true, ..own };
                (tiling.repeats(lattice, (1, 1)).min(tiling.repeats(lattice, (1, -1))), tiling)
            });
            let (share, tiling) = near.into_iter().fold((0.0, own), |a, b| if b.0 > a.0 + BETTER { b } else { a });
            let is_so = share > REPEATED && wide.max(high) < APART * share && share >= FINER * best[0].min(best[1]);
            is_so.then_some(tiling)
        });
        let least = |index: usize| {
            along[index]
                .iter()
                .find(|(share, _)| *share >= FINER * best[index] && *share > REPEATED)
                .map(|(_, along)| *along)
        };
        let tiling = match turning {
            Some(tiling) => tiling,
            None => Self { pitch: (least(0)?, least(1)?), ..own },
        };
        may_be_tiles(tiling.pitch).then_some(tiling)
    }

    /// How much is the same a tile further on along a way, at so many times the pitch or a little more or less, and at which.
    fn nearest(&self, lattice: &Lattice, way: Way, times: f64) -> (f64, f64) {
        let along = self.along(way).1 * times;
        let step = way.pair(1, 0);
        let mut best = (0.0, along);
        for along in [0.0, -0.5, 0.5, -1.0, 1.0].map(|by| along + by) {
            let share = self.with_pitch(way, along).repeats(lattice, step);
            if share > best.0 + BETTER {
                best = (share, along);
            }
        }
        best
    }

    fn with_pitch(&self, way: Way, along: f64) -> Self {
        let (across, down) = self.pitch;
        Self { pitch: way.pair(along, way.pair(down, across).0), ..*self }
    }

    /// The same with the pitch that what is many tiles away tells, for these tiles (the first and the last each way).
    fn settled(self, columns: (i32, i32), lines: (i32, i32)) -> Self {
        let mut tiling = self;
        for way in Way::BOTH {
            let (first, last) = way.pair(columns, lines).0;
            let (origin, pitch) = tiling.along(way);
            // Of two kinds that take turns every second is the same.
            let far = ((last - first + 1) / 2).max(1) + if self.is_chequered { (last - first + 1) / 2 % 2 } else { 0 };
            let step = way.pair(far, 0);
            let middle = f64::from(first + last + 1) / 2.0;
            // From one tile to the next a thin faint line is nearly the same a pixel beside it: many tiles away it is not.
            let mut best = (0.0, 0.0, tiling);
            for part in [[0.0, -0.5, 0.5, -1.0, 1.0].as_slice(), &QUARTERS.map(|by| by / f64::from(far))] {
                let from = best.1;
                for by in part.iter().map(|by| from + by) {
                    let mut other = tiling.with_pitch(way, pitch + by);
                    let at = origin - middle * by;
                    other.origin = way.pair(at, way.pair(other.origin.1, other.origin.0).0);
                    let share = other.share(columns, lines, step);
                    if share > best.0 + BETTER {
                        best = (share, by, other);
                    }
                }
            }
            tiling = best.2;
        }
        tiling
    }

    /// The steps from a tile to those of its kind beside it.
    fn steps(&self) -> [Tile; 4] {
        if self.is_chequered { [(1, 1), (1, -1), (-1, -1), (-1, 1)] } else { [(1, 0), (0, 1), (-1, 0), (0, -1)] }
    }

    /// How much of what is to be seen on the lattice's tiles is the same a step further on, within the lattice.
    fn repeats(&self, lattice: &Lattice, step: Tile) -> f64 {
        if self.pitch.0.min(self.pitch.1) < LEAST_PITCH {
            return 0.0;
        }
        let count = |edges: &[f64], pitch: f64| ((edges[edges.len() - 1] - edges[0]) / pitch).round() as i32;
        let (columns, lines) = (count(&lattice.columns.edges, self.pitch.0), count(&lattice.lines.edges, self.pitch.1));
        self.share((0, columns - 1), (0, lines - 1), step)
    }

    /// The same for these tiles (the first and the last each way).
    fn share(&self, columns: (i32, i32), lines: (i32, i32), step: Tile) -> f64 {
        self.share_with(columns, lines, step, if self.is_loose { Slack::Ends } else { Slack::None })
    }

    fn share_with(&self, (left, right): (i32, i32), (top, bottom): (i32, i32), step: Tile, slack: Slack) -> f64 {
        let within = |first: i32, last: i32, step: i32| first - step.min(0)..=last - step.max(0);
        let tiles = within(top, bottom, step.1).flat_map(|y| within(left, right, step.0).map(move |x| (x, y)));
        let tiles: Vec<Tile> = tiles.collect();
        // Tile by tile: what lies beside the board may have much more to be seen.
        let links = tiles.iter().step_by((tiles.len() / ASKED).max(1) | 1).map(|tile| self.link(*tile, step, slack));
        let shares = links.filter(|(seen, _)| *seen >= FEWEST).map(|(seen, same)| same as f64 / seen as f64);
        let (sum, count) = shares.fold((0.0, 0usize), |(sum, count), share| (sum + share, count + 1));
        sum / count.max(1) as f64
    }

    /// In how many places of a tile, or of that so many steps on, something is to be seen, and in how many of these it is the same.
    fn link(&self, tile: Tile, step: Tile, slack: Slack) -> (usize, usize) {
        let corner = |at: i32, origin: f64, pitch: f64| (origin + f64::from(at) * pitch).round() as i32;
        let (left, top) = (corner(tile.0, self.origin.0, self.pitch.0), corner(tile.1, self.origin.1, self.pitch.1));
        let (right, bottom) =
            (corner(tile.0 + 1, self.origin.0, self.pitch.0), corner(tile.1 + 1, self.origin.1, self.pitch.1));
        let by = (f64::from(step.0) * self.pitch.0, f64::from(step.1) * self.pitch.1);
        let (wide, high) = (right - left, bottom - top);
        let rows = (0..LINES).map(|line| top + (2 * line + 1) * high / (2 * LINES));
        let rows = rows.flat_map(|y| (left..right).step_by(STEP).map(move |x| (x, y)));
        let columns = (0..LINES).map(|line| left + (2 * line + 1) * wide / (2 * LINES));
        let columns = columns.flat_map(|x| (top..bottom).step_by(STEP).map(move |y| (x, y)));
        let further = (by.0.round() as i32, by.1.round() as i32);
        // A line is the same at any place along it: what changes on the way tells.
        let on = |(x, y): (i32, i32), (right, down): (i32, i32)| (x + right, y + down);
        let changes = |place: (i32, i32)| {
            let along = |way: Way, by: i32| by != 0 && self.same.is_seen(place, way);
            along(Way::Columns, further.0) || along(Way::Lines, further.1)
        };
        let is_seen = |place: &(i32, i32)| changes(*place) || changes(on(*place, further));
        let seen: Vec<(i32, i32)> = rows.chain(columns).filter(is_seen).collect();
        // A thin line that is lighter and darker than its ground is hardly there when it is smeared: it must be seen at both places.
        let beside = [(0, 0), (further.0.signum(), further.1.signum()), (-further.0.signum(), -further.1.signum())];
        let is_there = |place: (i32, i32)| beside.iter().any(|by| changes(on(place, *by)));
        let is_same = |place: (i32, i32), way: Way, off: f64| {
            let off = way.pair(off, 0.0);
            let by = (by.0 + off.0, by.1 + off.1);
            let step = (by.0.round() as i32, by.1.round() as i32);
            self.same.is_same(place, by) && is_there(place) && is_there(on(place, step))
        };
        let count = |way: Way, offs: &[f64]| {
            seen.iter().filter(|place| offs.iter().any(|off| is_same(**place, way, *off))).count()
        };
        let mut best = count(Way::Columns, &[0.0]);
        let enough = (LINKED * seen.len() as f64) as usize;
        let others: &[&[f64]] = match slack {
            _ if best > enough => &[],
            Slack::None => &[],
            Slack::Pixel if best * 4 <= seen.len() => &[],
            Slack::Pixel => &[&[0.5], &[-0.5], &[1.0], &[-1.0]],
            Slack::Ends => &[&[0.0], &[1.0], &[0.0, 1.0], &[-1.0], &[2.0]],
        };
        let others = others.iter().flat_map(|offs| {
            Way::BOTH.map(|way| {
                // Whose ends lie on pixels is compared from pixel to pixel.
                let along = way.pair(by.0, by.1).0;
                let start = if slack == Slack::Ends { along.floor() - along } else { 0.0 };
                count(way, &offs.iter().map(|off| start + off).collect::<Vec<f64>>())
            })
        });
        best = others.fold(best, usize::max);
        (seen.len(), best)
    }

    /// All tiles that are linked to one beside them, from some on.
    fn linked(&self, seeds: impl Iterator<Item = Tile>) -> HashSet<Tile> {
        let (mut linked, mut asked) = (HashSet::new(), HashSet::new());
        let slack = if self.is_loose { Slack::Ends } else { Slack::Pixel };
        let mut links: HashMap<(Tile, Tile), bool> = HashMap::new();
        let mut left: Vec<Tile> = seeds.collect();
        while let Some(tile) = left.pop() {
            if !asked.insert(tile) {
                continue;
            }
            let mut is_linked = |step: Tile| {
                let other = (tile.0 + step.0, tile.1 + step.1);
                let both = if tile < other { (tile, other) } else { (other, tile) };
                *links.entry(both).or_insert_with(|| {
                    let (seen, same) = self.link(both.0, (both.1.0 - both.0.0, both.1.1 - both.0.1), slack);
                    seen >= FEWEST && same as f64 >= LINKED * seen as f64
                })
            };
            let [a, b, c, d] = self.steps().map(&mut is_linked);
            // Beside it and above or below, or over the corner.
            if (a || c) && (b || d) || self.is_chequered && (a || b || c || d) {
                linked.insert(tile);
                let around = (-1..=1).flat_map(|y| (-1..=1).map(move |x| (x, y)));
                left.extend(around.map(|(x, y)| (tile.0 + x, tile.1 + y)));
            }
        }
        linked
    }

    /// The edges of the board that has these tiles (the first and the last each way), or a few more or less.
    fn whole(&self, columns: (i32, i32), lines: (i32, i32)) -> Option<Grid> {
        let across = self.ends(Way::Columns, columns, lines)?;
        let down = self.ends(Way::Lines, lines, self.tiles_in(Way::Columns, &across))?;
        let columns = self.tiles_in(Way::Columns, &across);
        let across = self.ends(Way::Columns, columns, self.tiles_in(Way::Lines, &down))?;
        Some(Grid { columns: across, lines: down })
    }

    /// The same at half the pitch for a board of so many tiles, and how many these are then, if each is several, or two kinds by turns.
    fn halved(self, (wide, high): (i32, i32)) -> (Self, (i32, i32)) {
        let least = |tiling: Self, size: (i32, i32)| {
            let shares = tiling.steps().map(|step| tiling.share((0, size.0 - 1), (0, size.1 - 1), step));
            shares.into_iter().fold(1.0, f64::min)
        };
        let odd = |tiling: &Self| (tiling.pitch.0 / tiling.pitch.1).ln().abs();
        let part = |parts: &[(i32, i32, bool)], is_loose: bool| {
            let enough = FINER * least(Self { is_loose, ..self }, (wide, high));
            let mut parts = parts.iter().map(|&(across, down, is_chequered)| {
                let pitch = (self.pitch.0 / f64::from(across), self.pitch.1 / f64::from(down));
                (Self { pitch, is_chequered, is_loose, ..self }, (wide * across, high * down))
            });
            // Of two tiles with their gaps, which are no whole number of pixels wide, each is more like a square.
            let may_be = |tiling: &Self| may_be_tiles(tiling.pitch) && (!is_loose || odd(tiling) < odd(&self));
            parts.find(|(tiling, size)| may_be(tiling) && least(*tiling, *size) >= enough)
        };
        let whole = (self, (wide, high));
        if self.is_chequered {
            return whole;
        }
        let exact = part(&[(2, 2, false), (2, 1, false), (1, 2, false), (2, 2, true)], false);
        exact.or_else(|| part(&[(2, 1, false), (1, 2, false)], true)).unwrap_or(whole)
    }

    /// The same with its first tile where that of a grid is.
    fn at(self, grid: &Grid) -> Self {
        Self { origin: (grid.columns[0], grid.lines[0]), ..self }
    }

    fn along(&self, way: Way) -> (f64, f64) {
        way.pair((self.origin.0, self.pitch.0), (self.origin.1, self.pitch.1)).0
    }

    /// The first and the last tile of which most lies between the ends of some edges.
    fn tiles_in(&self, way: Way, edges: &[f64]) -> (i32, i32) {
        let (origin, pitch) = self.along(way);
        let at = |edge: f64| ((edge - origin) / pitch).round() as i32;
        (at(edges[0]), at(edges[edges.len() - 1]) - 1)
    }

    /// The edges of a board that has these tiles along a way (the first and the last), and these across it.
    fn ends(&self, way: Way, (first, last): (i32, i32), across: (i32, i32)) -> Option<Vec<f64>> {
        let (origin, pitch) = self.along(way);
        let lines = self.lines(way.across(), across);
        let edge = |tile: i32| origin + f64::from(tile) * pitch;
        let left = self.reach(way, (edge(first + 1), -1), last - first, &lines);
        let right = self.reach(way, (edge(last), 1), last - first, &lines);
        let (left, right) = (left?, right? + 1);
        // What goes on to where the picture ends has no end of its own: a wallpaper, or a part of a board; but for a board of whole tiles in a window
        // at the edge of the screen.
        let is_at_end = [left < SLIVER, right > self.same.length(way) - SLIVER];
        if is_at_end == [true; 2] {
            return None;
        }
        let room = f64::from(right - left);
        let most = (room / pitch + SHORT).floor() as i32;
        let place = |at: i32, line: i32| way.pair(at, line);
        let is_seen = |at: i32, line: i32| self.same.is_seen(place(at, line), way);
        let are_most = |count: usize| count as f64 >= SHOWN * lines.len() as f64;
        let shows = |from: f64, to: f64, is_round: bool| {
            // The border is straight, to the pixel or two; what is on tiles is seen elsewhere on every line. That of a round tile is, too.
            let is_border =
                |at: i32| are_most(lines.iter().filter(|line| is_seen(at, **line) || is_seen(at + 1, **line)).count());
            let mut places = from.floor() as i32..to.ceil() as i32;
            let is_anywhere = |line: &&i32| places.clone().any(|at| is_seen(at, **line));
            if is_round { are_most(lines.iter().filter(is_anywhere).count()) } else { places.any(is_border) }
        };
        let laid = |count: i32, is_round: bool| {
            let length = f64::from(count) * pitch;
            let spare = room - length;
            let starts = (0..=(2.0 * spare.max(0.0)) as i32)
                .map(|step| f64::from(left) + spare.min(0.0) / 2.0 + f64::from(step) / 2.0);
            let fits = starts.filter(|start| {
                shows(start - 1.5, start + BORDER * pitch, is_round)
                    && shows(start + length - BORDER * pitch, start + length + 1.5, is_round)
            });
            let off = |start: &f64| (start - f64::from(left) - spare / 2.0).abs();
            fits.min_by(|a, b| off(a).total_cmp(&off(b)))
        };
        let fitting =
            |is_round: bool| ((most - 2).max(1)..=most).rev().find_map(|count| Some((laid(count, is_round)?, count)));
        // What is round looks the same from both ends; what is written does not.
        let is_mirrored = || {
            let counts: Vec<usize> =
                (left..right).map(|at| lines.iter().filter(|line| is_seen(at, **line)).count()).collect();
            let all: usize = counts.iter().sum();
            // An edge lies between two pixels.
            let apart = |by: usize| -> usize {
                let back = counts[..counts.len() - by].iter().rev();
                counts[..counts.len() - by].iter().zip(back).map(|(one, other)| one.abs_diff(*other)).sum()
            };
            all > 0 && (0..2.min(counts.len())).any(|by| apart(by) as f64 <= MIRRORED * all as f64)
        };
        let (start, count) = fitting(false).or_else(|| if is_mirrored() { fitting(true) } else { None })?;
        let beside = [start - f64::from(left), f64::from(right) - start - pitch * f64::from(count)];
        let is_cut =
            is_at_end.into_iter().zip(beside).any(|(is_at_end, beside)| is_at_end && beside > f64::from(SLIVER));
        (!is_cut).then(|| (0..=count).map(|index| start + pitch * f64::from(index)).collect())
    }

    /// Lines of pixels that cross some tiles.
    fn lines(&self, way: Way, (first, last): (i32, i32)) -> Vec<i32> {
        let (origin, pitch) = self.along(way);
        let edge = |tile: i32| (origin + f64::from(tile) * pitch).round() as i32;
        let (from, to) = (edge(first), edge(last + 1));
        (from..to).step_by(((to - from) / ACROSS).max(1) as usize).collect()
    }

    /// The outermost pixel that is as it is a tile further in, from a place on in a direction, at most so many tiles.
    fn reach(&self, way: Way, (from, direction): (f64, i32), tiles: i32, lines: &[i32]) -> Option<i32> {
        let (_, pitch) = self.along(way);
        let inwards = -f64::from(direction);
        let side = self.along(way.across()).1;
        let steps: Vec<(f64, f64)> = if self.is_chequered {
            vec![(inwards, 1.0), (inwards, -1.0), (2.0 * inwards, 0.0)]
        } else {
            (1..=tiles.clamp(1, FURTHER)).map(|step| (f64::from(step) * inwards, 0.0)).collect()
        };
        let place = |at: i32, line: i32| way.pair(at, line);
        let is_alike = |at: i32| {
            let is_seen = |at: i32, line: i32| self.same.is_seen(place(at, line), way.across());
            // The ground is nearly the same as a thin line, smeared: what is one must be one here, too.
            let is_there = |line: i32| (-1..=1).any(|by| is_seen(at, line + by));
            let share = |off: f64| {
                // Lines that end at the board's border are missing beside it.
                let further = at + (inwards * pitch + off).round() as i32;
                let is_line = |line: i32| is_seen(further, line);
                let is_same = |line: i32| {
                    steps.iter().any(|step| {
                        let (along, across) = (step.0 * pitch + off, step.1 * side);
                        let by = way.pair(along, across);
                        self.same.is_same(place(at, line), by)
                    })
                };
                let all: Vec<(bool, bool)> = lines.iter().map(|&line| (is_same(line), is_line(line))).collect();
                let same = all.iter().filter(|(is_same, _)| *is_same).count();
                let crossing = all.iter().filter(|(_, is_line)| *is_line).count();
                // A line between any two tiles is seen on three pixels at least.
                let is_crossed = crossing as f64 * side >= CROSSING * 3.0 * lines.len() as f64;
                let is_both = |(line, all): &(&i32, &(bool, bool))| all.0 && all.1 && (!is_crossed || is_there(**line));
                let both = lines.iter().zip(&all).filter(is_both).count();
                same as f64 >= ALIKE * lines.len() as f64 && both as f64 >= CROSSING * crossing as f64
            };
            [0.0, 0.5, -0.5, 1.0, -1.0].into_iter().any(share)
        };
        let from = from.round() as i32;
        let most = (2.5 * pitch) as i32;
        let count = (0..most).take_while(|by| is_alike(from + direction * by)).count() as i32;
        (count > 0).then_some(from + direction * (count - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vision::find::propose::Axis;
    use image::Rgba;

    #[test]
    fn lines_that_are_lighter_and_darker_than_tiles_are_seen() {
        // As a Swing program draws them: smeared, its white lines between two dark ones are nearly as the tiles are.
        let picture = RgbaImage::from_fn(500, 420, |x, y| {
            let (u, v) = (x.wrapping_sub(101), y.wrapping_sub(81));
            let grey = match (u % 25, v % 25) {
                _ if u >= 9 * 25 || v >= 9 * 25 => 238,
                (0, _) => 238,
                (1 | 24, 0) => 164,
                (1 | 24, 23..) => 150,
                (1 | 24, _) => 144,
                (_, 0) => 182,
                (_, 1) => 198,
                (_, 23) => 159,
                (_, 24) => 150,
                _ => 178,
            };
            Rgba([grey, grey, grey, 255])
        });
        let axis = |first: f64, pitch: f64, count: u32| Axis {
            profile: Vec::new(),
            edges: (0..count).map(|edge| first + pitch * f64::from(edge)).collect(),
            pitch,
        };
        // As such lines are followed, from one of their edges to the other.
        let lattice = Lattice { columns: axis(101.0, 25.17, 9), lines: axis(81.0, 25.06, 10), is_divided: false };
        let found = board(&Same::new(&picture), &lattice).map(|found| found.grid.size().to_string());
        assert_eq!(found, Some("9x9".into()));
    }

    #[test]
    fn thin_lines_around_tiles_as_pale_as_the_page_end_where_the_board_does() {
        for (pitch, columns, rows) in [(48, 18, 14), (40, 12, 9), (30, 16, 16)] {
            let picture = RgbaImage::from_fn(1100, 860, |x, y| {
                let (u, v) = (x.wrapping_sub(101), y.wrapping_sub(81));
                let is_within = u <= columns * pitch && v <= rows * pitch;
                let grey = if is_within && (u % pitch == 0 || v % pitch == 0) { 211 } else { 244 };
                Rgba([grey, grey, grey, 255])
            });
            let axis = |first: u32, count: u32| Axis {
                profile: Vec::new(),
                edges: (0..=count).map(|edge| f64::from(first + pitch * edge)).collect(),
                pitch: f64::from(pitch),
            };
            // A line further on each side than the board, as what is beside it may add.
            let lattice = Lattice { columns: axis(101, columns), lines: axis(81, rows + 1), is_divided: false };
            let found = board(&Same::new(&picture), &lattice).map(|found| found.grid.size().to_string());
            assert_eq!(found, Some(format!("{columns}x{rows}")), "{pitch}");
        }
    }

    #[test]
    fn tiles_are_no_more_than_about_twice_as_wide_as_high() {
        // Wide cells in rows, as a table has: half of two of them is no tile.
        let picture = RgbaImage::from_fn(1240, 800, |x, y| {
            let (x, y) = (x.wrapping_sub(26), y.wrapping_sub(40));
            let is_line = x < 4 * 290 && y < 8 * 90 && (x % 290 < 2 || y % 90 < 2);
            Rgba(if is_line { [90, 90, 90, 255] } else { [200, 200, 200, 255] })
        });
        let same = Same::new(&picture);
        let pairs =
            Tiling { same: &same, origin: (26.0, 40.0), pitch: (290.0, 180.0), is_chequered: false, is_loose: false };
        assert_eq!(pairs.halved((4, 4)).1, (4, 4));
        let narrow = Tiling { pitch: (290.0, 290.0), ..pairs };
        assert!(may_be_tiles(narrow.pitch) && !may_be_tiles((290.0, 90.0)));
    }

    #[test]
    fn a_board_of_whole_tiles_may_lie_at_the_edge_of_the_picture() {
        // Raised tiles of 40 pixels, eight by eight, of which so many pixels are out of the picture at the left, and so wide a picture.
        let sizes = |cut: u32, width: u32| -> Vec<(u32, u32)> {
            let picture = RgbaImage::from_fn(width, 420, |x, y| {
                let (x, y) = (x + cut, y.wrapping_sub(50));
                let light = match (x % 40, y % 40) {
                    _ if x >= 320 || y >= 320 => 235,
                    (0, _) | (_, 0) => 30,
                    (1..3, _) | (_, 1..3) => 250,
                    (37.., _) | (_, 37..) => 120,
                    _ => 190,
                };
                Rgba([light, light, light, 255])
            });
            let found = boards(&picture, &Proposals::new(&picture), &[Source::Clear]);
            found.iter().map(|grid| (grid.size().width, grid.size().height)).collect()
        };
        assert_eq!(sizes(0, 500), [(8, 8)]);
        assert_eq!(sizes(20, 500), [], "a part of a board has no end there");
        assert_eq!(sizes(0, 320), [], "nor has what goes on to both ends");
    }

    #[test]
    fn faint_lines_are_followed_though_the_lattice_is_a_pixel_off() {
        // As a JavaFX program draws them, at a tile's right and lower side.
        let picture = RgbaImage::from_fn(300, 260, |x, y| {
            let (u, v) = (x.wrapping_sub(80), y.wrapping_sub(60));
            Rgba(match u < 160 && v < 160 {
                true if u % 20 == 19 || v % 20 == 19 => [155, 122, 53, 255],
                true => [177, 145, 75, 255],
                false => [108, 84, 30, 255],
            })
        });
        let axis = |first: f64, pitch: f64, count: u32| Axis {
            profile: Vec::new(),
            edges: (0..=count).map(|edge| first + pitch * f64::from(edge)).collect(),
            pitch,
        };
        for pitch in [19.0, 19.2, 20.0, 20.8] {
            let lattice = Lattice { columns: axis(79.4, pitch, 8), lines: axis(58.6, pitch, 8), is_divided: false };
            let found = board(&Same::new(&picture), &lattice).map(|found| found.grid.size().to_string());
            assert_eq!(found, Some("8x8".into()), "{pitch}");
        }
    }

    #[test]
    fn round_tiles_that_lie_apart_are_a_board() {
        for (pitch, across) in [(74, 66), (66, 59), (50, 44), (37, 33)] {
            let picture = RgbaImage::from_fn(900, 860, |x, y| {
                let (u, v) = (x.wrapping_sub(101), y.wrapping_sub(81));
                // How much of a pixel its disc covers, by 4 x 4 points of it.
                let covered = (0..16).filter(|point| {
                    let at = |place: u32, point: u32| f64::from(place % pitch) + f64::from(point) / 4.0 + 0.125;
                    let half = f64::from(across) / 2.0;
                    (at(u, point % 4) - half).hypot(at(v, point / 4) - half) < half
                });
                let share = if u < 8 * pitch && v < 9 * pitch { covered.count() as f64 / 16.0 } else { 0.0 };
                let mix = |ground: f64, disc: f64| (ground + (disc - ground) * share) as u8;
                Rgba([mix(250.0, 255.0), mix(250.0, 232.0), mix(250.0, 120.0), 255])
            });
            let found = boards(&picture, &Proposals::new(&picture), &[Source::Faint]);
            let found: Vec<String> = found.iter().map(|grid| grid.size().to_string()).collect();
            assert_eq!(found.first().map(String::as_str), Some("8x9"), "{pitch}, {across}: {found:?}");
        }
    }
}
