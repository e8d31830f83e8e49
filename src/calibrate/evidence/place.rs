//! Where the tiles of a board are: the grid is moved to where they look alike, to where a click changed them, and along with a board that
//! moves.

use super::{Evidence, Scene};
use crate::geometry::Rect;
use crate::vision::moving::is_same;
use crate::vision::unknown::looks::{ALIKE, LookId, Looks};
use crate::vision::{Grid, SMALLEST, Way, rounded};
use image::RgbaImage;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

/// Pixels by which a grid may be moved when more of its looks are known: what a line between tiles is wide.
pub const NUDGE: i32 = 3;
/// Share of the tiles of a board, or of a column or row of it, that must have a look that is known for it to be one.
pub const FAMILIAR: f64 = 0.9;
/// Share of a pitch by which what a click changed may be shorter than whole tiles, and from which on its place moves the grid.
const NEAR: f64 = 0.3;
const BESIDE: f64 = 0.08;
/// How far a board may be moved by what a page shows beside it, in tiles, that hides where it was.
pub const SHIFT: f64 = 3.0;
/// One in so many tiles tells a board that has moved as far as it likes, where so many times fewer are as they were in its old place.
const TELL: usize = 3;
/// How far tiles of one look may be apart, in grey levels: what is tried in turn.
const MEASURES: [f32; 5] = [ALIKE, 6.0, 8.0, 10.0, 12.0];
/// Pixels at the sides of tiles that are left out, where nothing else makes them look alike: what is tried in turn.
const RIMS: RangeInclusive<u32> = 1..=WIDEST_RIM;
/// The widest of them.
pub const WIDEST_RIM: u32 = 3;
/// Of the places that a grid is moved to, those at which its lines are laid one by one.
const SNAPPED: usize = 8;
/// Grey levels by which a pixel must differ to be changed.
const DIFFERENT: u8 = 8;

impl Evidence {
    /// By how much a grid is to be moved to where its tiles have the fewest looks: before anything is open a line may belong to the tile on either
    /// side of it. Nothing where it is best already, or where lines are left out with the sides of tiles.
    pub fn nudged(&self, picture: &RgbaImage, grid: &Grid) -> Option<(f64, f64)> {
        let by = nudge(std::iter::once(picture), grid, &self.no_looks());
        Some(by).filter(|by| self.rim == 0 && *by != (0.0, 0.0))
    }

    /// Ways to read the boards that were played on a grid other than they are read: by how much it is to be moved to where all of them together have
    /// the fewest looks, and how many pixels at the sides of tiles say nothing there. Those that leave out fewer first. Not moved where columns and rows
    /// change their size, for what they are laid by tells their place.
    pub fn read_otherwise(&self, grid: &Grid, is_elastic: bool) -> Vec<((f64, f64), u32)> {
        if is_elastic {
            return (self.rim + 1..=WIDEST_RIM).map(|rim| ((0.0, 0.0), rim)).collect();
        }
        let running = || self.games.iter().map(|game| &game.running).filter(|scene| scene.grid == *grid);
        let by = |rim: u32| nudge(running().map(|scene| &scene.picture), grid, &self.no_looks().within(rim));
        let ways = (self.rim..=WIDEST_RIM).map(|rim| (by(rim), rim));
        ways.filter(|way| *way != ((0.0, 0.0), self.rim)).collect()
    }

    /// Leaves out so many pixels at the sides of tiles.
    pub fn leave_out(&mut self, rim: u32) {
        if rim > 0 {
            (self.alike, self.rim) = (ALIKE, rim);
            self.sort_again(1.0);
        }
    }

    /// How far tiles of one look may be apart: on an untouched board all have one (or two by turns), however what lies behind them
    /// shines through. What was sorted before is to be sorted again then.
    pub fn measure(&mut self, picture: &RgbaImage, grid: &Grid) {
        // Where lines between tiles are a pixel wider here and there, what is within them looks alike.
        let rims = || RIMS.map(|rim| (ALIKE, rim));
        let of_uneven = rims().filter(|_| is_uneven(&regular(grid)));
        let first = std::iter::once((ALIKE, 0)).chain(of_uneven);
        let mut measures = first.chain(MEASURES.into_iter().map(|alike| (alike, 0))).chain(rims());
        let is_one =
            |(alike, rim): &(f32, u32)| hidden_share(picture, grid, Looks::new(*alike).within(*rim)) >= FAMILIAR;
        (self.alike, self.rim) = measures.find(is_one).unwrap_or((ALIKE, 0));
        log::debug!(
            "tiles up to {} grey levels apart look alike, without {} pixels at their sides",
            self.alike,
            self.rim
        );
    }

    /// Whether tiles of one look are drawn alike: of those that look hidden on the first board, as many as one takes for an untouched one have one look
    /// (or two by turns) that is told from all others by as little as a pale figure.
    pub(super) fn is_fine(&self) -> bool {
        let Some(Scene { picture, grid, looks, .. }) = self.others.first() else { return false };
        let [coarse, fine] = [false, true].map(|fine| self.no_looks().finely(fine).sort(picture, grid));
        let mut counts: BTreeMap<LookId, BTreeMap<LookId, usize>> = BTreeMap::new();
        for (coarse, fine) in coarse.iter().zip(&fine).filter_map(|(coarse, fine)| (*coarse).zip(*fine)) {
            *counts.entry(coarse).or_default().entry(fine).or_default() += 1;
        }
        let hidden = looks.iter().zip(&coarse).filter(|(look, _)| self.is_hidden(**look));
        let hidden: BTreeSet<LookId> = hidden.filter_map(|(_, coarse)| *coarse).collect();
        counts.retain(|look, _| hidden.contains(look));
        let all: usize = counts.values().flat_map(BTreeMap::values).sum();
        let alike: usize = counts.values().filter_map(|fine| fine.values().max()).sum();
        all > 0 && alike as f64 >= FAMILIAR * all as f64
    }

    /// The grid of an untouched board where most of its tiles look alike, changed as little as can be: those at its rim do not where the lines
    /// between tiles were given to the wrong side, or the line around the board to them.
    pub fn evened(&self, picture: &RgbaImage, grid: &Grid) -> Grid {
        at_whole_pitches(picture, self.alike_at(picture, grid))
    }

    /// The same, whatever its pitch is.
    fn alike_at(&self, picture: &RgbaImage, grid: &Grid) -> Grid {
        let share = |grid: &Grid| hidden_share(picture, grid, Looks::new(ALIKE));
        let mut ways: Vec<(i32, i32)> = (-NUDGE..=NUDGE).flat_map(|x| (-NUDGE..=NUDGE).map(move |y| (x, y))).collect();
        ways.sort_by_key(|(x, y)| x * x + y * y);
        let regular = regular(grid);
        let mut best = (share(grid), grid.clone());
        // Tiles that are painted a pixel wider here and there are each where they are painted.
        if best.0 < FAMILIAR && is_uneven(&regular) {
            let moved = ways.iter().map(|&(x, y)| regular.moved(f64::from(x), f64::from(y)));
            if let Some(snapped) = snapped(picture, moved) {
                return snapped;
            }
        }
        // Lines that are a pixel wider here and there lie at the sides of tiles, and not in them.
        if best.0 < FAMILIAR
            && is_uneven(&regular)
            && let Some(found) = within_rims(picture, &regular, &ways)
        {
            return found;
        }
        // Some clients begin with tiles open: nothing is alike then but tiles as a whole.
        if best.0 < FAMILIAR {
            let phased = self.phased(picture, &regular);
            best = (share(&phased), phased);
        }
        for &(x, y) in &ways {
            if best.0 == 1.0 {
                break;
            }
            let moved = regular.moved(f64::from(x), f64::from(y));
            let share = share(&moved);
            if share > best.0 {
                best = (share, moved);
            }
        }
        // The last column or row may be a little narrower than all others: what is beside the board is none of it. Where much is open it is not what is
        // hidden that most look like, and this has one look less.
        let count = |grid: &Grid| {
            let mut looks = Looks::new(ALIKE);
            looks.sort(picture, grid);
            looks.count()
        };
        for (way, is_last) in Way::BOTH.into_iter().flat_map(|way| [(way, false), (way, true)]) {
            for by in 1..=NUDGE {
                let mut edges = best.1.edges(way).to_vec();
                let (at, by) = if is_last { (edges.len() - 1, -f64::from(by)) } else { (0, f64::from(by)) };
                edges[at] += by;
                let trimmed = best.1.with(way, edges);
                let share = share(&trimmed);
                let has_fewer = || share == best.0 && share < FAMILIAR && count(&trimmed) < count(&best.1);
                if share > best.0 || has_fewer() {
                    best = (share, trimmed);
                    break;
                }
            }
        }
        // The line around a board may lie within it where those between its tiles lie on either side of their edge.
        if best.0 < FAMILIAR
            && let Some(found) = within_rims(picture, &regular, &ways)
        {
            return found;
        }
        best.1
    }

    /// By how much the grid of an untouched board is to be moved to the whole tiles that a click changed. What changed may be figures in the middle of tiles,
    /// or a part of each that was not yet as it is now: not to where, give or take a line, fewer tiles are hidden ones: a row or column of them, or, half
    /// a tile away, a single one. And a part of what was clicked may look as before: where all hidden tiles are alike it is laid.
    pub fn to_whole_tiles(&self, before: &RgbaImage, after: &RgbaImage, grid: &Grid) -> Option<(f64, f64)> {
        let (x, y) = beside(before, after, grid)?;
        let share = |grid: &Grid| hidden_share(before, grid, Looks::new(self.alike).within(self.rim));
        let line = f64::from(NUDGE);
        let least = if x.abs() > line || y.abs() > line { 1.0 } else { FAMILIAR };
        let evened = self.evened(before, &grid.moved(x, y));
        let by = |way: Way| (grid.edges(way)[1] - evened.edges(way)[1]).round();
        let by = Some((by(Way::Columns), by(Way::Lines))).filter(|by| *by != (0.0, 0.0));
        by.filter(|_| share(&evened) >= least * share(grid))
    }

    /// The grid moved by up to half a tile to where its tiles have the fewest looks: where it lies between tiles every two that are beside each other are
    /// another one.
    fn phased(&self, picture: &RgbaImage, grid: &Grid) -> Grid {
        let looks = |grid: &Grid| count_inside(std::iter::once(picture), grid, &self.no_looks());
        let mut best = (looks(grid), grid.clone());
        for way in Way::BOTH {
            let half = (crate::vision::pitch(grid.edges(way)) / 2.0) as i32;
            let start = best.1.clone();
            for by in (1..=half).flat_map(|by| [f64::from(by), -f64::from(by)]) {
                let moved = start.with(way, start.edges(way).iter().map(|edge| edge + by).collect());
                let found = looks(&moved);
                if found < best.0 {
                    best = (found, moved);
                }
            }
        }
        best.1
    }

    /// Moves the grid of every picture that has this one.
    pub fn shift(&mut self, old: &Grid, (x, y): (f64, f64)) {
        let Evidence { games, others, .. } = self;
        let scenes = games.iter_mut().flat_map(|game| [&mut game.running, &mut game.ending]).chain(others);
        for scene in scenes.filter(|scene| scene.grid == *old) {
            scene.grid = scene.grid.moved(x, y);
        }
    }
}

/// By how much a grid is to be moved to where the tiles of all these pictures have the fewest looks, if these tell what looks alike.
fn nudge<'a>(pictures: impl Iterator<Item = &'a RgbaImage> + Clone, grid: &Grid, none: &Looks) -> (f64, f64) {
    let looks = |grid: &Grid| count_inside(pictures.clone(), grid, none);
    let mut best = (looks(grid), 0, (0, 0));
    for (x, y) in (-NUDGE..=NUDGE).flat_map(|x| (-NUDGE..=NUDGE).map(move |y| (x, y))) {
        let found = (looks(&grid.moved(f64::from(x), f64::from(y))), x.abs() + y.abs());
        if found < (best.0, best.1) {
            best = (found.0, found.1, (x, y));
        }
    }
    (f64::from(best.2.0), f64::from(best.2.1))
}

/// How many looks the tiles of a grid have in these pictures but for those at its rim, which have other lines beside them, and say nothing of where
/// it is.
fn count_inside<'a>(pictures: impl Iterator<Item = &'a RgbaImage>, grid: &Grid, none: &Looks) -> usize {
    let (mut looks, inner) = (none.clone(), inner(grid));
    let sorted = pictures.map(|picture| looks.sort(picture, &inner).iter().filter(|look| look.is_none()).count());
    let nothing: usize = sorted.sum();
    looks.count() + nothing
}

/// The grid with its columns, and its rows, on whole pixels where these are all as wide and no fewer tiles look hidden then: rows that are laid 20.95
/// pixels apart were painted 21 apart, and half a pixel off at the end of a board moves a thin line to the other tile.
fn at_whole_pitches(picture: &RgbaImage, grid: Grid) -> Grid {
    let share = |grid: &Grid| hidden_share(picture, grid, Looks::new(ALIKE));
    Way::BOTH.into_iter().fold(grid, |grid, way| {
        let whole = grid.with(way, rounded(grid.edges(way)));
        let is_other =
            whole != grid && !whole.edges(way).windows(3).any(|edges| edges[2] - edges[1] != edges[1] - edges[0]);
        if is_other && share(&whole) >= share(&grid) { whole } else { grid }
    })
}

/// The grid of which all tiles look hidden, where one of the best of these is but a pixel beside it at some of its lines. All of its columns are as wide as
/// others or a pixel wider, and so are its rows.
fn snapped(picture: &RgbaImage, grids: impl Iterator<Item = Grid>) -> Option<Grid> {
    let rated = |grid: Grid| (hidden_share(picture, &grid, Looks::new(ALIKE)), grid);
    let is_even = |edges: &[f64]| {
        let widths = || edges.windows(2).map(|pair| pair[1] - pair[0]);
        edges[0] >= 0.0 && widths().fold(0.0, f64::max) - widths().fold(f64::MAX, f64::min) <= 1.0
    };
    let whole = grids.map(|grid| Grid { columns: rounded(&grid.columns), lines: rounded(&grid.lines) });
    let mut all: Vec<(f64, Grid)> = whole.map(rated).collect();
    all.sort_by(|one, other| other.0.total_cmp(&one.0));
    // A pixel beside, all rows but the first have one look, too.
    all.into_iter().take(SNAPPED).find_map(|mut best| {
        let lines = |way: Way| (0..best.1.edges(way).len()).map(move |index| (way, index));
        for (way, index) in Way::BOTH.into_iter().flat_map(lines).collect::<Vec<_>>() {
            for by in [-1.0, 1.0] {
                let mut edges = best.1.edges(way).to_vec();
                edges[index] += by;
                let found = is_even(&edges).then(|| rated(best.1.with(way, edges)));
                best = found.filter(|found| found.0 > best.0).unwrap_or(best);
            }
        }
        (best.0 == 1.0).then_some(best.1)
    })
}

/// The grid moved in one of these ways to where its tiles look alike without the pixels at their sides: as few of those as can be, and
/// moved as little. Nothing where they do nowhere.
fn within_rims(picture: &RgbaImage, grid: &Grid, ways: &[(i32, i32)]) -> Option<Grid> {
    let all = || RIMS.flat_map(|rim| ways.iter().map(move |way| (rim, *way)));
    let moved = |(x, y): (i32, i32)| grid.moved(f64::from(x), f64::from(y));
    let share = |(rim, way)| hidden_share(picture, &moved(way), Looks::new(ALIKE).within(rim));
    let shares: Vec<f64> = all().map(share).collect();
    // Beside its tiles most of a board may be alike, but not all of it.
    let best = [1.0, FAMILIAR].into_iter().find_map(|least| shares.iter().position(|share| *share >= least))?;
    all().nth(best).map(|(_, way)| moved(way))
}

/// The grid without its outermost columns and rows, where there are more.
fn inner(grid: &Grid) -> Grid {
    let inner = |edges: &[f64]| edges[1..edges.len() - 1].to_vec();
    let has_inner = grid.size().width.min(grid.size().height) > SMALLEST;
    if has_inner { Grid { columns: inner(&grid.columns), lines: inner(&grid.lines) } } else { grid.clone() }
}

/// Share of the tiles of an untouched board that look hidden if these tell what looks alike.
pub fn hidden_share(picture: &RgbaImage, grid: &Grid, looks: Looks) -> f64 {
    let mut evidence = Evidence { looks, ..Evidence::default() };
    let scene = evidence.look_at(picture, grid, false, |_| false);
    evidence.take_as_untouched(scene);
    let scene = &evidence.others[0];
    let hidden = scene.looks.iter().filter(|look| evidence.is_hidden(**look)).count();
    hidden as f64 / scene.looks.len() as f64
}

/// Whether some of its columns or rows are painted a pixel wider than others, as where tiles are 22.4 pixels.
fn is_uneven(grid: &Grid) -> bool {
    let differs = |edges: &[f64]| rounded(edges).windows(3).any(|edges| edges[2] - edges[1] != edges[1] - edges[0]);
    Way::BOTH.into_iter().any(|way| differs(grid.edges(way)))
}

/// The grid with its outermost columns and rows as wide as all others, where these are all of one width and those nearly so.
fn regular(grid: &Grid) -> Grid {
    let mut grid = grid.clone();
    for way in Way::BOTH {
        let edges = grid.edges_mut(way);
        let last = edges.len() - 1;
        if last < SMALLEST as usize {
            continue;
        }
        let width = edges[2] - edges[1];
        let is_even = edges[1..last].windows(2).all(|pair| pair[1] - pair[0] == width);
        let is_near = |edge: f64, other: f64| (edge - other).abs() <= f64::from(NUDGE);
        let (first, end) = (edges[1] - width, edges[last - 1] + width);
        if is_even && is_near(first, edges[0]) && is_near(end, edges[last]) && first >= 0.0 {
            (edges[0], edges[last]) = (first, end);
        }
    }
    grid
}

/// How far a grid lies beside the tiles that a click changed, across and down: these begin and end where tiles do, or as far from
/// there on either side. Nothing where it does not.
pub(super) fn beside(before: &RgbaImage, after: &RgbaImage, grid: &Grid) -> Option<(f64, f64)> {
    let (area, (across, down)) = (grid.around(before.dimensions(), 1.0), grid.pitch());
    let mut changed: Option<[u32; 4]> = None;
    for (x, y) in (0..area.height).flat_map(|y| (0..area.width).map(move |x| (area.left + x, area.top + y))) {
        let (Some(then), Some(now)) = (before.get_pixel_checked(x, y), after.get_pixel_checked(x, y)) else { continue };
        // What is farther out than half a tile is something else.
        let is_near = (x as f64) > grid.columns[0] - across / 2.0
            && (x as f64) < grid.columns[grid.columns.len() - 1] + across / 2.0
            && (y as f64) > grid.lines[0] - down / 2.0
            && (y as f64) < grid.lines[grid.lines.len() - 1] + down / 2.0;
        if is_near && then.0.iter().zip(&now.0).any(|(then, now)| then.abs_diff(*now) > DIFFERENT) {
            let known = changed.get_or_insert([x, y, x, y]);
            *known = [known[0].min(x), known[1].min(y), known[2].max(x), known[3].max(y)];
        }
    }
    let [left, top, right, bottom] = changed?;
    let off = |way: Way, from: u32, to: u32| {
        let edges = grid.edges(way);
        let pitch = crate::vision::pitch(edges);
        // Beyond the nearest edge, in pitches, -0.5 to 0.5: half a tile is as far on one side as on the other.
        let beyond = |at: f64| {
            let edge = edges.iter().min_by(|a, b| (at - **a).abs().total_cmp(&(at - **b).abs()));
            edge.map_or(0.0, |edge| (at - edge) / pitch)
        };
        // What goes on beyond what is looked at ends at no edge there.
        let (first, last) = (edges[0] - pitch / 2.0, edges[edges.len() - 1] + pitch / 2.0);
        let (before, after) = (beyond(f64::from(from)), beyond(f64::from(to) + 1.0));
        let (before, after) = match (f64::from(from) - 1.0 <= first, f64::from(to) + 1.0 >= last) {
            (true, true) => return None,
            (true, false) => (after, after),
            (false, true) => (before, before),
            (false, false) => (before, after),
        };
        let apart = (after - before) - (after - before).round();
        let by = before + apart / 2.0;
        let by = by - by.round();
        // A figure alone, on a tile that stays as it was, is no tile.
        let is_whole = f64::from(to + 1 - from) >= (1.0 - NEAR) * pitch;
        // Where tiles are large a line is a smaller share of them.
        let is_beside = by.abs() > BESIDE || (by * pitch).abs() > f64::from(NUDGE) + 0.5;
        (is_whole && apart.abs() < NEAR && is_beside).then_some((by * pitch).round())
    };
    let by = (off(Way::Columns, left, right), off(Way::Lines, top, bottom));
    (by.0.is_some() || by.1.is_some()).then(|| (-by.0.unwrap_or(0.0), -by.1.unwrap_or(0.0)))
}

/// By how much a board has moved from one picture to another, down or across, if most of its tiles are as they were there, pixel for pixel, and
/// not where they were: a page that says how a game ended moves what is above and below. A page that takes away what stood above a board moves it far,
/// and opens tiles at the same time: there fewer tell it, if none are as they were where they were.
pub fn shifted(before: &RgbaImage, after: &RgbaImage, grid: &Grid) -> Option<(f64, f64)> {
    let (size, (across, down)) = (grid.size(), grid.pitch());
    let is_same = |part: Rect, by: (i64, i64)| is_same(before, after, part, by);
    let count = |by: (i64, i64)| size.cells().filter(|cell| is_same(grid.tile(*cell), by)).count();
    let stays = count((0, 0));
    let ways = |most: u32| (1..=i64::from(most)).flat_map(|by| [(0, by), (0, -by), (by, 0), (-by, 0)]);
    let (wide, high) = ((SHIFT * across) as i64, (SHIFT * down) as i64);
    let near = ways(wide.max(high) as u32).filter(|(x, y)| x.abs() <= wide && y.abs() <= high);
    // Tiles of the next game may look like those of the last one some columns away: what is around the board goes along with it where it moves.
    let Rect { left, top, width, height } = grid.bounds();
    let line = |left: u32, top: u32, width: u32, height: u32| Rect { left, top, width, height };
    let around = [
        line(left, top.saturating_sub(1), width, 1),
        line(left, top + height, width, 1),
        line(left.saturating_sub(1), top, 1, height),
        line(left + width, top, 1, height),
    ];
    let is_whole =
        |(x, y): (i64, i64)| [x as f64 / across, y as f64 / down].iter().all(|by| (by - by.round()).abs() < BESIDE);
    let goes_along = |by: (i64, i64)| around.iter().all(|line| is_same(*line, by));
    // Where most tiles are as they were they may be those beside them, if all has moved by whole tiles.
    let is_likely = |by: &(i64, i64)| if is_whole(*by) { goes_along(*by) } else { 2 * stays <= size.tiles() };
    // Beside a tile or two hidden ones are alike, too, but not as many as there.
    let counted = near.filter(is_likely).map(|by| (count(by), by));
    let moved = counted.filter(|(alike, _)| 2 * alike > size.tiles() && *alike > stays);
    let anywhere = || {
        let is_told = |alike: usize| TELL * alike > size.tiles() && alike > TELL * stays;
        let ways = ways(after.width().max(after.height())).filter(|by| TELL * stays < size.tiles() && is_likely(by));
        let counted = ways.map(|by| (count(by), by)).filter(|(alike, _)| is_told(*alike));
        // The hidden tiles that are left may be any of those that were there: again what is around them tells.
        counted.min_by_key(|(alike, by)| (Reverse(*alike), !goes_along(*by)))
    };
    let (_, (x, y)) = moved.min_by_key(|(alike, _)| Reverse(*alike)).or_else(anywhere)?;
    Some((x as f64, y as f64))
}
