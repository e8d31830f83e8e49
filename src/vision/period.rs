//! [`Lattice`] → [`Grid`]: the board of which a lattice is a part, without any pictures of tiles. All that is known of a board is that it
//! shows the same a tile further on, over and beside ([`Same`]), or over the corner where two kinds of tiles take turns.
//!
//! 1. Which part or multiple of the lattice's pitch the tiles have: the least one at which what is to be seen repeats.
//! 2. From the lattice's tiles on, all that are linked to one beside them.
//! 3. To the pixel, how far what is there is as it is a tile further in. As many tiles as fit into that, and show something at
//!    both ends, are the board, in the middle of it where there is room.

use super::grid::{Grid, Way};
use super::propose::Lattice;
use super::same::Same;
use std::collections::{HashMap, HashSet};

/// Share of what is to be seen on a tile that must be the same beside it.
const LINKED: f64 = 0.75;
/// Places on a tile where something must be seen.
const FEWEST: usize = 4;
/// Lines of pixels across and down a tile that are looked at, and every which pixel of them.
const LINES: i32 = 4;
const STEP: usize = 2;
/// Tiles of a lattice that are asked for its pitch.
const ASKED: usize = 150;
/// A finer pitch is the tiles' if so much of what is to be seen repeats at it, of what does at the best.
const FINER: f64 = 0.85;
/// Share of it that must repeat at all.
const REPEATED: f64 = 0.3;
/// Tiles are no more than about twice as wide as high, or as high as wide (a logarithm).
const ODD: f64 = 0.9;
/// The smallest tiles, in pixels.
const SMALLEST: f64 = 9.0;
/// Share of the tiles in the fullest row that any other must have.
const FULL: f64 = 0.34;
/// Share of a column of pixels that must be as further in.
const ALIKE: f64 = 0.6;
/// Lines of pixels across such a column that are looked at, at most.
const ACROSS: i32 = 240;
/// Share of a tile within which a border must show at the board's ends, and of the lines across where it must.
const BORDER: f64 = 0.2;
const SHOWN: f64 = 0.5;
/// The fewest columns and rows of a board.
const FEW: i32 = 4;
/// No board has more tiles a side.
const MANY: i32 = 200;

/// A board that was found.
#[derive(Clone, Debug)]
pub struct Found {
    /// Where it is.
    pub grid: Grid,
    /// Share of its tiles that are linked to others (0..1).
    pub share: f64,
    /// Share of what is to be seen on them that is the same beside them, along the way on which that is less (0..1).
    pub fit: f64,
}

/// Where the tiles of a lattice are, without an end.
#[derive(Clone, Copy)]
struct Tiling<'a> {
    same: &'a Same,
    origin: (f64, f64),
    pitch: (f64, f64),
    /// Whether two kinds of tiles take turns.
    is_chequered: bool,
}

type Tile = (i32, i32);

/// The board of which a lattice is a part.
pub fn board(same: &Same, lattice: &Lattice) -> Option<Found> {
    let tiling = Tiling::of(same, lattice)?;
    let reach = |edges: &[f64], from: f64, pitch: f64| {
        let at = |edge: f64| ((edge - from) / pitch).round() as i32;
        at(edges[0])..at(edges[edges.len() - 1])
    };
    let across = reach(&lattice.columns.edges, tiling.origin.0, tiling.pitch.0);
    let down = reach(&lattice.lines.edges, tiling.origin.1, tiling.pitch.1);
    let seeds = down.flat_map(|y| across.clone().map(move |x| (x, y)));
    let tiles = tiling.linked(seeds);
    if std::env::var("TELL2").is_ok() {
        eprintln!("  {} tiles of {:?} {}: {:?} {:?}", tiles.len(), tiling.pitch, tiling.is_chequered, span(tiles.iter().map(|tile| tile.0)), span(tiles.iter().map(|tile| tile.1)));
    }
    let (columns, lines) = (span(tiles.iter().map(|tile| tile.0))?, span(tiles.iter().map(|tile| tile.1))?);
    let columns = tiling.ends(Way::Columns, columns, lines)?;
    let lines = tiling.ends(Way::Lines, lines, tiling.tiles_in(Way::Columns, &columns))?;
    let columns = tiling.ends(Way::Columns, tiling.tiles_in(Way::Columns, &columns), tiling.tiles_in(Way::Lines, &lines))?;
    let grid = Grid { columns, lines };
    let size = grid.size();
    let (from, to) = (tiling.tiles_in(Way::Columns, &grid.columns), tiling.tiles_in(Way::Lines, &grid.lines));
    let inside = tiles.iter().filter(|tile| tile.0 >= from.0 && tile.0 <= from.1 && tile.1 >= to.0 && tile.1 <= to.1);
    let share = inside.count() as f64 / size.tiles() as f64;
    let fit = tiling.fit(from, to);
    (size.width.min(size.height) >= FEW as u32).then_some(Found { grid, share: share.min(1.0), fit })
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
        let own = (lattice.columns.pitch, lattice.lines.pitch);
        let tiling = |pitch: (f64, f64), is_chequered| Self { same, origin, pitch, is_chequered };
        let times = [1.0 / 3.0, 0.5, 1.0, 2.0];
        let least = |way: Way| {
            let share = |times: f64| {
                let pitch = if way == Way::Columns { (own.0 * times, own.1) } else { (own.0, own.1 * times) };
                let step = if way == Way::Columns { (1, 0) } else { (0, 1) };
                (times, if pitch.0.min(pitch.1) < SMALLEST { 0.0 } else { tiling(pitch, false).repeats(lattice, step) })
            };
            let all = times.map(share);
            if std::env::var("TELL2").is_ok() {
                eprintln!("  {way:?} {own:?} {all:.2?}");
            }
            let best = all.iter().map(|(_, share)| *share).fold(0.0, f64::max);
            all.into_iter().find(|(_, share)| *share >= FINER * best && *share > REPEATED)
        };
        let ((across, wide), (down, high)) = (least(Way::Columns)?, least(Way::Lines)?);
        let pitch = (own.0 * across, own.1 * down);
        let half = tiling((pitch.0 / 2.0, pitch.1 / 2.0), true);
        let turns = (half.repeats(lattice, (1, 1)), half.repeats(lattice, (1, -1)));
        if std::env::var("TELL2").is_ok() {
            eprintln!("  turns {turns:.2?} {pitch:?} {wide} {high}");
        }
        let is_chequered = turns.0.min(turns.1) >= FINER * wide.max(high) && half.pitch.0.min(half.pitch.1) >= SMALLEST;
        let tiling = if is_chequered { half } else { tiling(pitch, false) };
        Some(tiling).filter(|tiling| (tiling.pitch.0 / tiling.pitch.1).ln().abs() < ODD)
    }

    /// The steps from a tile to those of its kind beside it.
    fn steps(&self) -> [Tile; 4] {
        if self.is_chequered { [(1, 1), (1, -1), (-1, -1), (-1, 1)] } else { [(1, 0), (0, 1), (-1, 0), (0, -1)] }
    }

    /// How much of what is to be seen on the lattice's tiles is the same a step further on.
    fn repeats(&self, lattice: &Lattice, step: Tile) -> f64 {
        let count = |edges: &[f64], pitch: f64| (((edges[edges.len() - 1] - edges[0]) / pitch).round() as usize).max(1);
        let (columns, lines) = (count(&lattice.columns.edges, self.pitch.0), count(&lattice.lines.edges, self.pitch.1));
        let every = (columns * lines / ASKED).max(1) | 1;
        let (mut seen, mut same) = (0, 0);
        for index in (0..columns * lines).step_by(every) {
            let link = self.link(((index % columns) as i32, (index / columns) as i32), step);
            (seen, same) = (seen + link.0, same + link.1);
        }
        same as f64 / seen.max(1) as f64
    }

    /// In how many places of a tile, or of that so many steps on, something is to be seen, and in how many of these it is the same.
    fn link(&self, tile: Tile, step: Tile) -> (usize, usize) {
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
        let is_seen = |place: &(i32, i32)| {
            let along = |way: Way, by: i32| {
                by != 0
                    && (self.same.is_seen(*place, way)
                        || self.same.is_seen((place.0 + further.0, place.1 + further.1), way))
            };
            along(Way::Columns, further.0) || along(Way::Lines, further.1)
        };
        let seen: Vec<(i32, i32)> = rows.chain(columns).filter(is_seen).collect();
        let at = |off: (f64, f64)| {
            seen.iter().filter(|place| self.same.is_same(**place, (by.0 + off.0, by.1 + off.1))).count()
        };
        // A tile may be a pixel wider than the one before.
        let mut best = at((0.0, 0.0));
        let enough = (LINKED * seen.len() as f64) as usize;
        if best <= enough && best * 4 > seen.len() {
            let other = [(0.5, 0.0), (-0.5, 0.0), (0.0, 0.5), (0.0, -0.5), (1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)];
            best = other.into_iter().map(at).fold(best, usize::max);
        }
        (seen.len(), best)
    }

    /// All tiles that are linked to one beside them, from some on.
    fn linked(&self, seeds: impl Iterator<Item = Tile>) -> HashSet<Tile> {
        let (mut linked, mut asked) = (HashSet::new(), HashSet::new());
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
                    let (seen, same) = self.link(both.0, (both.1.0 - both.0.0, both.1.1 - both.0.1));
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

    /// How much of what is to be seen on the tiles from one to another is the same beside them, along the way on which that is less.
    fn fit(&self, (first, last): (i32, i32), (top, bottom): (i32, i32)) -> f64 {
        let every = (((last - first + 1) * (bottom - top + 1)) as usize / ASKED).max(1) | 1;
        let tiles = (top..=bottom).flat_map(|y| (first..=last).map(move |x| (x, y))).step_by(every);
        let (mut seen, mut same) = ([0; 2], [0; 2]);
        for tile in tiles {
            for (index, step) in self.steps()[..2].iter().enumerate() {
                let (x, y) = (tile.0 + step.0, tile.1 + step.1);
                if (first..=last).contains(&x) && (top..=bottom).contains(&y) {
                    let link = self.link(tile, *step);
                    (seen[index], same[index]) = (seen[index] + link.0, same[index] + link.1);
                }
            }
        }
        (0..2).map(|index| same[index] as f64 / seen[index].max(1) as f64).fold(1.0, f64::min)
    }

    fn along(&self, way: Way) -> (f64, f64) {
        if way == Way::Columns { (self.origin.0, self.pitch.0) } else { (self.origin.1, self.pitch.1) }
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
        let room = f64::from(right - left);
        let most = ((room + 2.0) / pitch).floor() as i32;
        let place = |at: i32, line: i32| if way == Way::Columns { (at, line) } else { (line, at) };
        let shows = |from: f64, to: f64| {
            let (from, to) = (from.floor() as i32, to.ceil() as i32);
            let is_seen = |line: &&i32| (from..to).any(|at| self.same.is_seen(place(at, **line), way));
            lines.iter().filter(is_seen).count() as f64 >= SHOWN * lines.len() as f64
        };
        let laid = |count: i32| {
            let length = f64::from(count) * pitch;
            let spare = room - length;
            let steps = ((spare + 2.0) * 2.0).floor().max(0.0) as i32;
            let starts = (0..=steps).map(|step| f64::from(left) - 1.0 + f64::from(step) / 2.0);
            let fits = starts.filter(|start| {
                shows(start - 1.0, start + BORDER * pitch)
                    && shows(start + length - BORDER * pitch, start + length + 1.0)
            });
            let off = |start: &f64| (start - f64::from(left) - spare / 2.0).abs();
            fits.min_by(|a, b| off(a).total_cmp(&off(b)))
        };
        let (start, count) = ((most - 2).max(1)..=most).rev().find_map(|count| Some((laid(count)?, count)))?;
        Some((0..=count).map(|index| start + pitch * f64::from(index)).collect())
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
            (1..=tiles.clamp(1, 3)).map(|step| (f64::from(step) * inwards, 0.0)).collect()
        };
        let is_alike = |at: i32| {
            let share = |off: f64| {
                let is_same = |line: &&i32| {
                    steps.iter().any(|step| {
                        let (along, across) = (step.0 * pitch + off, step.1 * side);
                        match way {
                            Way::Columns => self.same.is_same((at, **line), (along, across)),
                            Way::Lines => self.same.is_same((**line, at), (across, along)),
                        }
                    })
                };
                lines.iter().filter(is_same).count() as f64 >= ALIKE * lines.len() as f64
            };
            [0.0, 0.5, -0.5, 1.0, -1.0].into_iter().any(share)
        };
        let from = from.round() as i32;
        let most = (2.5 * pitch) as i32;
        let count = (0..most).take_while(|by| is_alike(from + direction * by)).count() as i32;
        (count > 0).then_some(from + direction * (count - 1))
    }
}
