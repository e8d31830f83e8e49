//! [`Grid`] → [`Grid`]: where the tiles of a board end. From where they are clear the tiles are followed to both sides and
//! up and down, by a [`Likeness`] that is passed in: to a client's pictures, or to the commonest looks of the board itself.

use super::gap;
use crate::geometry::Cell;
use crate::vision::grid::{Grid, Way, line_of, pitch, rounded};
use crate::vision::tile::likeness::{CERTAIN, EXACT, FITTING, Kind, Likeness, mean, near, nearness};
use crate::vision::tile::look::Seen;
use crate::vision::tile::tiles::Tiles;
use std::ops::Range;

/// About so many tiles of a column or row say whether it holds tiles.
pub const LOOKED_AT: usize = 8;
/// A nearness at which tiles differ as much from the board's as those from each other: a pixel more or less does not mend that.
const FAR: f64 = 0.0;
/// Columns or rows to grow from.
const KEPT: usize = 3;
/// A difference in nearness that is not due to what happens to be on the tiles.
const UNEVEN: f64 = 0.15;
/// The nearest tile of a column or a row is not farther from the pictures than those of the whole board are on average by more. The ground of a
/// window beside a board of large tiles was taken for hidden ones from afar (0.44 where the board had 0.9).
const FARTHER: f64 = 2.0 * UNEVEN;
/// The same of a column or row beyond something that is no tile: of the light page of a browser, three rows above a board of light tiles, it was 0.14.
const BEYOND: f64 = 0.5 * UNEVEN;
/// The width of large tiles, in pixels: their edges may be off by more than one.
const LARGE: f64 = 60.0;
/// So many covered columns or rows are bridged: dialogs are about this large.
const BRIDGED: usize = 8;
/// How far from its inner edge a strip is asked for its colour, in tiles: beyond its outer edge, too.
const DEPTHS: [f64; 5] = [0.25, 0.5, 0.75, 1.1, 1.3];
/// Those within it.
const WITHIN: usize = 3;
/// One in so many places must tell whether a strip is the ground beside a board.
const TELLING: usize = 4;
/// Levels by which the same colour may differ.
const SLACK: u8 = 2;
/// Tiles that say whether edges lie better.
const JUDGED: usize = 30;

/// The board of which a grid is a part; `near` is how near its tiles are, where that was asked.
pub fn extent(tiles: &Tiles, likeness: &dyn Likeness, mut grid: Grid, near: Option<f64>) -> Grid {
    let least = near.map_or(f64::NEG_INFINITY, |near| near - FARTHER);
    if near.is_some_and(|near| near < EXACT) {
        Way::BOTH.into_iter().for_each(|way| trim(tiles, likeness, &mut grid, way));
    }
    // Twice: more rows let more columns be seen, and straight edges more of both.
    for _ in 0..2 {
        let before = grid.size();
        Way::BOTH.into_iter().for_each(|way| grow(tiles, likeness, &mut grid, way, least));
        if !straighten(tiles, likeness, &mut grid) && grid.size() == before {
            break;
        }
    }
    shrink(tiles, likeness, &mut grid, least);
    grid
}

/// Keeps only the columns (or rows) where the grid fits best, if it does not fit as well everywhere: the pitch may change on the
/// way, and growing follows it.
fn trim(tiles: &Tiles, likeness: &dyn Likeness, grid: &mut Grid, way: Way) {
    let (edges, across) = (grid.edges(way), grid.edges(way.across()));
    let near = |edge: &[f64]| Strip::new(tiles, way, (edge[0], edge[1]), across).nearness(likeness, f64::NEG_INFINITY);
    let ranks: Vec<f64> = edges.windows(2).map(near).collect();
    let kept = KEPT.min(ranks.len());
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let best =
        (0..=ranks.len() - kept).max_by(|&a, &b| mean(&ranks[a..][..kept]).total_cmp(&mean(&ranks[b..][..kept])));
    let Some(first) = best else { return };
    if ranks.iter().any(|&rank| rank < mean(&ranks[first..first + kept]) - UNEVEN) {
        *grid.edges_mut(way) = edges[first..=first + kept].to_vec();
    }
}

/// Adds columns (or rows) on both sides as long as they hold tiles.
fn grow(tiles: &Tiles, likeness: &dyn Likeness, grid: &mut Grid, way: Way, least: f64) {
    for forward in [true, false] {
        loop {
            let added = next(tiles, likeness, grid, (way, forward), least).or_else(|| {
                *grid = moved_end(tiles, likeness, grid, (way, forward))?;
                next(tiles, likeness, grid, (way, forward), least)
            });
            let Some(added) = added else { break };
            let edges = grid.edges_mut(way);
            for edge in added {
                if forward { edges.push(edge) } else { edges.insert(0, edge) }
            }
        }
    }
}

/// The next edge, or the next few where something lies over the board from one side to the other. It may be a pixel nearer or further
/// than the last distance says, or more where tiles are as large as on a scaled display, and with a fractional pitch it is
/// where the mean distance puts it, on a whole pixel or not; but no client paints tiles that differ by more than a pixel times the scale.
fn next(
    tiles: &Tiles,
    likeness: &dyn Likeness,
    grid: &Grid,
    (way, forward): (Way, bool),
    least: f64,
) -> Option<Vec<f64>> {
    let (edges, across) = (grid.edges(way), grid.edges(way.across()));
    let count = edges.len();
    let (end, last) = match forward {
        true => (edges[count - 1], edges[count - 1] - edges[count - 2]),
        false => (edges[0], edges[0] - edges[1]),
    };
    let mean = pitch(edges).copysign(last);
    let pixel = (mean.abs() / LARGE).round().max(1.0);
    // The last edge may itself be a little off the line on which all lie.
    let (start, step) = line_of(edges);
    let ahead = start + step * if forward { count as f64 } else { -1.0 };
    // Twice as much: a display at scale 2 also has tiles that are not large.
    let even =
        [last, mean, (end + mean).round() - end, last - pixel, last + pixel, last - 2.0 * pixel, last + 2.0 * pixel];
    let lined =
        [ahead, ahead.round(), ahead.round() - pixel, ahead.round() + pixel, ahead - pixel / 2.0, ahead + pixel / 2.0];
    let uneven = f64::max(1.25, mean.abs() / 24.0);
    // What is the ground beside a board is that to the pixel, wherever the edge lies.
    let is_ground = Strip::new(tiles, way, (end, end + mean), across).is_beside(likeness, forward);
    let shown = likeness.ground().filter(|_| !is_ground);
    let shown = shown.and_then(|ground| gap::next(tiles.picture, way, grid, end + mean, ground));
    let shown = shown.map(|edge| (edge - end, 2.0 * uneven));
    let steps =
        shown.into_iter().chain(even.map(|step| (step, uneven))).chain(lined.map(|edge| (edge - end, 2.0 * uneven)));
    let mut best: Option<(f64, f64, Strip)> = None;
    let mut tried: Vec<f64> = Vec::new();
    let steps = steps.filter(|(step, uneven)| !is_ground && (step - mean).abs() <= *uneven);
    for (step, _) in steps {
        if best.as_ref().is_some_and(|(near, ..)| *near >= EXACT) {
            break;
        }
        if tried.iter().all(|other| (other - step).abs() > 0.1) {
            tried.push(step);
            let strip = Strip::new(tiles, way, (end, end + step), across);
            let near = strip.nearness(likeness, best.as_ref().map_or(FAR, |(other, ..)| *other));
            if best.as_ref().is_none_or(|(other, ..)| near > *other) {
                best = Some((near, end + step, strip));
            }
        }
    }
    let has_plain = likeness.has_plain_tiles();
    // A plain surface beside the board may look exactly like open tiles: at least one must be more.
    let holds = |strip: &Strip| strip.is_ranked(likeness, |rank| rank.holds(least) && (rank.marked > 0 || !has_plain));
    if let Some((_, edge, _)) = best.filter(|(.., strip)| !strip.is_beside(likeness, forward) && holds(strip)) {
        return Some(vec![edge]);
    }
    let bridged = FITTING.max(least + FARTHER - BEYOND);
    let further = |steps: &usize| {
        let from = end + mean * *steps as f64;
        let strip = Strip::new(tiles, way, (from, from + mean), across);
        strip.nearness(likeness, bridged) > bridged
            && strip.is_ranked(likeness, |rank| rank.marked * 2 >= rank.all)
            && !strip.is_beside(likeness, forward)
    };
    let steps = (1..=BRIDGED).find(further)?;
    Some((1..=steps + 1).map(|step| end + mean * step as f64).collect())
}

/// The grid with its last edge a pixel further or nearer, if the tiles on both sides of it fit then as they did not: of a tile that is a pixel
/// wider than others what fits a picture may be either end.
fn moved_end(tiles: &Tiles, likeness: &dyn Likeness, grid: &Grid, (way, forward): (Way, bool)) -> Option<Grid> {
    let (edges, across) = (grid.edges(way), grid.edges(way.across()));
    let (at, before) = if forward { (edges.len() - 1, edges.len() - 2) } else { (0, 1) };
    let (end, step) = (edges[at], pitch(edges).copysign(edges[at] - edges[before]));
    let fits = |end: &f64| {
        let strips = [(edges[before], *end), (*end, *end + step)].map(|edge| Strip::new(tiles, way, edge, across));
        strips.iter().all(|strip| strip.nearness(likeness, CERTAIN) > CERTAIN)
    };
    let end = [end - 1.0, end + 1.0].into_iter().find(fits)?;
    let mut edges = edges.to_vec();
    edges[at] = end;
    Some(grid.with(way, edges))
}

/// Lays the edges on their line, or on the whole pixels nearest to it, where tiles fit better then: followed from one to the
/// next, each may be a little off. Whether any were laid.
fn straighten(tiles: &Tiles, likeness: &dyn Likeness, grid: &mut Grid) -> bool {
    let mut near = nearness(tiles, likeness, grid, JUDGED, f64::NEG_INFINITY);
    let mut is_laid = false;
    for way in Way::BOTH {
        let (start, pitch) = line_of(grid.edges(way));
        let line: Vec<f64> = (0..grid.edges(way).len()).map(|index| start + pitch * index as f64).collect();
        for edges in [rounded(&line), line] {
            if near >= EXACT || grid.edges(way).iter().zip(&edges).all(|(a, b)| (a - b).abs() < 1e-3) {
                continue;
            }
            let other = grid.with(way, edges);
            let is = nearness(tiles, likeness, &other, JUDGED, near);
            if is > near {
                (near, *grid, is_laid) = (is, other, true);
            }
        }
    }
    is_laid
}

/// Drops columns and rows at the border that hold no tiles.
fn shrink(tiles: &Tiles, likeness: &dyn Likeness, grid: &mut Grid, least: f64) {
    loop {
        let before = grid.size();
        for way in Way::BOTH {
            let (edges, across) = (grid.edges(way), grid.edges(way.across()));
            let holds = |at: usize, forward: bool| {
                let strip = Strip::new(tiles, way, (edges[at], edges[at + 1]), across);
                !strip.is_beside(likeness, forward) && strip.is_ranked(likeness, |rank| rank.holds(least))
            };
            let first = usize::from(edges.len() > 2 && !holds(0, false));
            let last = usize::from(edges.len() > 3 && !holds(edges.len() - 2, true));
            *grid.edges_mut(way) = edges[first..edges.len() - last].to_vec();
        }
        if grid.size() == before {
            return;
        }
    }
}

/// A column or a row of tiles, of which some are looked at.
pub struct Strip<'a> {
    tiles: &'a Tiles<'a>,
    /// Where they are.
    pub grid: Grid,
    count: u32,
    way: Way,
}

impl<'a> Strip<'a> {
    /// Between two edges, in any order; `across` are the edges of its tiles.
    pub fn new(tiles: &'a Tiles<'a>, way: Way, (from, to): (f64, f64), across: &[f64]) -> Self {
        let edges = vec![from.min(to), from.max(to)];
        Self { tiles, grid: Grid::of(way, edges, across.to_vec()), count: across.len() as u32 - 1, way }
    }

    fn cell(&self, index: u32) -> Cell {
        if self.way == Way::Columns { Cell::new(0, index) } else { Cell::new(index, 0) }
    }

    /// Those that are looked at.
    fn cells(&self) -> impl ExactSizeIterator<Item = Cell> {
        let step = (self.count as usize / LOOKED_AT).max(1);
        (0..self.count).step_by(step).map(|index| self.cell(index))
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = Cell> {
        (0..self.count).map(|index| self.cell(index))
    }

    /// Whether it is the ground beside a board, however much that looks like tiles: of one colour from end to end, or most of
    /// what would be two tiles beside each other that tell something, as hidden ones do, has no line between them. (A page may be as pale as its tiles, and
    /// have a word beside them.)
    pub fn is_beside(&self, likeness: &dyn Likeness, forward: bool) -> bool {
        if self.is_ground(forward) {
            return true;
        }
        let across = self.grid.edges(self.way.across());
        let middle = |at: usize| (across[at] + across[at + 1]) / 2.0;
        let is_telling =
            |at: u32| self.with(self.cell(at), |seen| likeness.kind(seen) == Kind::Marked).unwrap_or(false);
        let pairs = (self.count as usize).saturating_sub(1);
        let is_joined = |at: usize| self.is_plain(middle(at)..middle(at + 1), forward, &DEPTHS[..WITHIN]);
        let joined: Vec<bool> = (0..pairs).map(is_joined).collect();
        // Most strips have lines everywhere: whether their tiles tell something need not be asked.
        if !joined.contains(&true) {
            return false;
        }
        // Beside these may be what is no tile: buttons, and words.
        let tells: Vec<bool> = (0..self.count).map(is_telling).collect();
        let telling: Vec<usize> = (0..pairs).filter(|&at| tells[at] && tells[at + 1]).collect();
        let lineless = telling.iter().filter(|&&at| joined[at]).count();
        telling.len() * TELLING >= pairs.max(TELLING) && lineless * 2 >= telling.len()
    }

    /// Whether it is of one colour from end to end, without a line between its tiles, and goes on like that outwards. Of a ground with a
    /// pattern or noise this says nothing.
    fn is_ground(&self, forward: bool) -> bool {
        let across = self.grid.edges(self.way.across());
        self.is_plain(across[0].ceil()..across[across.len() - 1], forward, &DEPTHS)
    }

    /// Whether a part of it is of one colour at these depths.
    fn is_plain(&self, part: Range<f64>, forward: bool, depths: &[f64]) -> bool {
        let edges = self.grid.edges(self.way);
        let (picture, step) = (self.tiles.picture, edges[1] - edges[0]);
        let (inner, outwards) = if forward { (edges[0], step) } else { (edges[1], -step) };
        let (limit, side) = (self.way.length(picture), self.way.across().length(picture));
        let places = || depths.iter().map(|depth| (inner + outwards * depth).floor());
        let along = part.start.max(0.0) as u32..(part.end.max(0.0) as u32).min(side);
        let mut first = None;
        let mut is_same = |at: f64, other: u32| {
            let (x, y) = self.way.pixel(at as u32, other);
            let colour = picture.get_pixel(x, y).0;
            let first = first.get_or_insert(colour);
            first.iter().zip(colour).all(|(a, b)| a.abs_diff(b) <= SLACK)
        };
        let is_shown = |&at: &f64| at >= 0.0 && at < f64::from(limit);
        // What the picture does not show of the tiles may be anything, and what it does not show beyond them is nothing.
        places().zip(depths).all(|(at, depth)| *depth > 1.0 || is_shown(&at))
            && places().filter(is_shown).all(|at| along.clone().all(|other| is_same(at, other)))
    }

    /// What `look` makes of one.
    pub fn with<T>(&self, cell: Cell, look: impl FnOnce(&Seen) -> T) -> Option<T> {
        self.tiles.with_cell(&self.grid, cell, look)
    }

    /// How near its tiles are to the board's, on average; or no more than `enough`, which is known sooner.
    pub fn nearness(&self, likeness: &dyn Likeness, enough: f64) -> f64 {
        let cells = self.cells();
        let all = cells.len();
        mean(cells.map(|cell| near(self.tiles, &self.grid, cell, likeness).unwrap_or(0.0)), all, enough)
    }

    /// Whether in a quarter of its places at least something is so; what is not in the picture does not count.
    pub fn is_often(&self, is_so: impl Fn(&Seen) -> bool) -> bool {
        let all: Vec<bool> = self.cells().filter_map(|cell| self.with(cell, &is_so)).collect();
        !all.is_empty() && all.iter().filter(|&&is| is).count() * 4 >= all.len()
    }

    /// Whether what its tiles are is enough, which may be known before all are looked at.
    pub fn is_ranked(&self, likeness: &dyn Likeness, is_enough: impl Fn(&Rank) -> bool) -> bool {
        let cells = self.cells();
        let mut rank = Rank { all: cells.len(), ..Rank::default() };
        cells.into_iter().any(|cell| {
            let kind = self.with(cell, |patch| likeness.kind(patch)).unwrap_or(Kind::Strange);
            if kind > Kind::Strange {
                let near = near(self.tiles, &self.grid, cell, likeness).unwrap_or(0.0);
                (rank.known, rank.nearest) = (rank.known + 1, rank.nearest.max(near));
            }
            rank.telling += usize::from(kind > Kind::Plain);
            rank.marked += usize::from(kind == Kind::Marked);
            is_enough(&rank)
        })
    }
}

/// What the tiles of a column or a row are.
#[derive(Debug, Default)]
pub struct Rank {
    /// How many were looked at.
    pub all: usize,
    /// Not strange.
    pub known: usize,
    /// How near the nearest of these is to the board's.
    pub nearest: f64,
    /// More than what a flat background may look like.
    pub telling: usize,
    /// More than an empty tile.
    pub marked: usize,
}

impl Rank {
    /// Whether there are tiles: at least in a quarter of the places, for a dialog may cover the rest, and one that is as near as this.
    pub fn holds(&self, least: f64) -> bool {
        self.known * 4 >= self.all && self.telling > 0 && self.nearest >= least
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{Rgba, RgbaImage};

    /// What is light is a hidden tile, and all else is none.
    struct Light;

    impl Likeness for Light {
        fn id(&self) -> Option<u64> {
            None
        }

        fn near(&self, _: &Seen) -> f64 {
            1.0
        }

        fn kind(&self, patch: &Seen) -> Kind {
            if patch.iter().all(|value| *value > 150) { Kind::Marked } else { Kind::Strange }
        }

        fn has_plain_tiles(&self) -> bool {
            false
        }

        fn shift(&self, _: &Seen) -> Option<[(f32, f32); 2]> {
            None
        }
    }

    #[test]
    fn a_panel_with_buttons_is_none_of_the_board_below_it() {
        // Sixteen places of 20 pixels above a board: of some a button shows, of the others a panel as light as hidden tiles.
        let edges: Vec<f64> = (0..=16).map(|edge| f64::from(20 * edge)).collect();
        for (light, has_lines, is_beside) in
            [(16, false, true), (7, false, true), (7, true, false), (2, false, false), (16, true, false)]
        {
            let picture = RgbaImage::from_fn(320, 60, |x, y| {
                let is_line = has_lines && x % 20 == 0;
                let is_button = x >= 20 * light && y % 5 == 0;
                let grey = if is_button { 20 } else { 246 - 50 * u8::from(is_line) };
                Rgba([grey, grey, grey, 255])
            });
            let tiles = Tiles::new(&picture);
            let strip = Strip::new(&tiles, Way::Lines, (40.0, 20.0), &edges);
            assert_eq!(strip.is_beside(&Light, false), is_beside, "{light} light places, lines: {has_lines}");
        }
    }
}
