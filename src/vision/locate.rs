//! Screenshot + [`Client`] → [`Grid`]: where the client's board is.
//!
//! A theme with a frame is found by that alone ([`super::frame`]). For the others whatever repeats in the picture
//! ([`super::lattice`]) is a candidate. The edges of the theme's own tiles say where in the repetition a tile begins; then some tiles are classified, and the candidate in which most are recognised wins.
//! Rows and columns at its border that hold no tiles are dropped. A board that is covered or goes on beyond the
//! picture is an error, never a guess.

use super::Grid;
use super::border::is_framed;
use super::classify::{Looks, Scaled};
use super::doubt::evidence;
use super::lattice::{Axis, Lattice, PHASES};
use super::patch::{Patch, SIDE};
use super::read::{COVERED, Patches};
use super::tone::{self, Tone};
use crate::board::Tile;
use crate::client::{Client, Level};
use crate::geometry::{BoardSize, Cell, Pixel};
use crate::screenshot::Screenshot;
use image::{RgbaImage, imageops};
use std::cell::RefCell;
use std::ops::Range;

/// A board that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Sight {
    /// Where its tiles are.
    pub grid: Grid,
    /// Which of the client's themes it has.
    pub theme: usize,
    /// How well the tiles match, 0..1.
    pub match_: f64,
    /// What brings its colours back, where they are not the client's own.
    pub tone: Option<Tone>,
    /// Whether its pixels are smeared, as where a desktop enlarges a window.
    pub is_soft: bool,
}

/// Why no board was found.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LocateError {
    /// There is no client to look for.
    #[error("no client to look for: no calibration was loaded; see `minesight clients`")]
    NoClient,
    /// The picture shows nothing at all.
    #[error("the picture is one colour all over: the screen may be locked, off, or its capture not allowed")]
    Blank,
    /// Nothing looks like the client's board.
    #[error(
        "no board of {client} in the picture of {width}x{height}: of {candidates} repeating patterns the best had {best:.0}% of \
         its tiles recognised; show the whole board, or describe this look in a calibration (--calibration, --templates)"
    )]
    NoBoard {
        /// Who was looked for.
        client: String,
        /// Width of the picture.
        width: u32,
        /// Height of the picture.
        height: u32,
        /// Repeating patterns that were compared with the client's tiles.
        candidates: usize,
        /// Per cent of the sampled tiles that were recognised in the best of them.
        best: f64,
    },
    /// There is a board, but something lies over it.
    #[error(
        "a board of {client} ({size}) is at {x:.0},{y:.0} but {unrecognised} of its {} tiles are covered or not recognised: \
         bring its window to the front, close its dialogs, or look at them with `read --annotate`", size.tiles()
    )]
    Covered {
        /// Whose board.
        client: String,
        /// Its size.
        size: BoardSize,
        /// Its left edge.
        x: f64,
        /// Its top edge.
        y: f64,
        /// Tiles that were not recognised.
        unrecognised: usize,
    },
    /// There is a board, but beyond its border there is more that looks like it.
    #[error(
        "a board of {client} at {x:.0},{y:.0} shows {size} tiles, but goes on beyond them, or something lies over the rest: bring its \
         window to the front, or enlarge it"
    )]
    GoesOn {
        /// Whose board.
        client: String,
        /// As much of it as was recognised.
        size: BoardSize,
        /// Its left edge.
        x: f64,
        /// Its top edge.
        y: f64,
    },
    /// There is a board, but it goes on beyond the picture.
    #[error(
        "a board of {client} at {x:.0},{y:.0} goes on beyond the {side} edge of the picture: move its window so that the whole \
         board shows"
    )]
    CutOff {
        /// Whose board.
        client: String,
        /// Its left edge.
        x: f64,
        /// Its top edge.
        y: f64,
        /// Where it goes on.
        side: &'static str,
    },
}

/// The level of which a board of this size may be a part: as wide but lower, or as high but narrower, than any level of the client
/// is, or than this one by little. Something lies over the rest of it.
fn cut_level(client: &Client, size: BoardSize) -> Option<BoardSize> {
    if client.level_of(size).is_some() {
        return None;
    }
    let low = client.levels.iter().all(|level| size.height < level.height);
    let narrow = client.levels.iter().all(|level| size.width < level.width);
    let little = |is: u32, whole: u32| is < whole && is * 5 >= whole * 4;
    let part_of = |level: &BoardSize| {
        (size.width == level.width && (low || little(size.height, level.height)))
            || (size.height == level.height && (narrow || little(size.width, level.width)))
    };
    client.levels.iter().map(Level::size).find(part_of)
}

/// Whether a board of this size is what a window over one side of a larger level leaves of that: 16x16 of 30x16.
fn is_strip_of_level(client: &Client, size: BoardSize) -> bool {
    let is_strip = |level: BoardSize| {
        (size.height == level.height && size.width < level.width)
            || (size.width == level.width && size.height < level.height)
    };
    client.levels.iter().map(Level::size).any(is_strip)
}

/// The side at which a board goes on beyond the picture, or may do so: there is no room for one more tile, and what is left
/// of the picture, if anything, looks like the beginning of one.
fn cut_off(picture: &RgbaImage, looks: &Scaled, grid: &Grid) -> Option<&'static str> {
    let (columns, lines) = (&grid.columns, &grid.lines);
    let last = |edges: &[f64]| edges[edges.len() - 1];
    let (width, height) = (f64::from(picture.width()), f64::from(picture.height()));
    let (across, down) = grid.pitch();
    let sides = [
        ("left", Way::Columns, (columns[0], -across), columns[0]),
        ("right", Way::Columns, (last(columns), across), width - last(columns)),
        ("top", Way::Lines, (lines[0], -down), lines[0]),
        ("bottom", Way::Lines, (last(lines), down), height - last(lines)),
    ];
    let is_cut = |&&(_, way, (edge, pitch), room): &&(&str, Way, (f64, f64), f64)| {
        let others = if way == Way::Columns { lines } else { columns };
        let is_tile =
            || repeats(picture, way, (edge, pitch), others) || begins(picture, looks, way, (edge, pitch), others);
        room < SLIVER || room < pitch.abs() && is_tile()
    };
    sides.iter().find(is_cut).map(|(side, ..)| *side)
}

/// The room between an edge and the end of the picture, on the side to which the pitch points.
fn room(picture: &RgbaImage, way: Way, edge: f64, pitch: f64) -> f64 {
    let limit = if way == Way::Columns { picture.width() } else { picture.height() };
    if pitch < 0.0 { edge } else { f64::from(limit) - edge }
}

/// Whether what the picture shows of the tiles from an edge on repeats the tiles beside it, in half of the places at least.
fn repeats(picture: &RgbaImage, way: Way, (edge, pitch): (f64, f64), across: &[f64]) -> bool {
    let seen = room(picture, way, edge, pitch).min(pitch.abs() / 2.0).floor();
    let from = if pitch < 0.0 { edge - seen } else { edge };
    let (width, height) = (f64::from(picture.width()), f64::from(picture.height()));
    // Both strips have the same place within a tile, one tile apart.
    let alike = across.windows(2).filter(|edges| {
        let middle = (edges[0] + edges[1]) / 2.0;
        (0..seen as u32).all(|offset| {
            let at = from + f64::from(offset);
            let pixel = |at: f64| {
                let (x, y) = if way == Way::Columns { (at, middle) } else { (middle, at) };
                picture.get_pixel(x.clamp(0.0, width - 1.0) as u32, y.clamp(0.0, height - 1.0) as u32)
            };
            pixel(at).0.iter().zip(pixel(at - pitch).0).all(|(a, b)| a.abs_diff(b) < ALIKE)
        })
    });
    alike.count() * 2 > across.len() - 1
}

/// The columns and rows next to a board: their way, their edges one tile apart, the edges across them, and the half of their tiles
/// that is away from the board; also a pixel nearer and further, for the last edge may be off by that.
fn beside(grid: &Grid) -> impl Iterator<Item = (Way, (f64, f64), &[f64], Range<usize>)> {
    let (across, down) = grid.pitch();
    let ways = [(Way::Columns, &grid.columns, &grid.lines, across), (Way::Lines, &grid.lines, &grid.columns, down)];
    ways.into_iter().flat_map(|(way, edges, others, pitch)| {
        let (first, last) = (edges[0], edges[edges.len() - 1]);
        [0.0, -1.0, 1.0].into_iter().flat_map(move |by| {
            let (before, after) = ((first - pitch + by, first + by), (last + by, last + pitch + by));
            [(way, before, &others[..], 0..SIDE / 2), (way, after, &others[..], SIDE / 2..SIDE)]
        })
    })
}

/// Whether a board of which the client has such a level is still but a part of a larger one: what is next to it looks like its
/// tiles.
fn is_part(picture: &RgbaImage, looks: &Scaled, grid: &Grid) -> bool {
    beside(grid).any(|(way, edges, others, half)| {
        let (columns, lines) = if way == Way::Columns { (half, 0..SIDE) } else { (0..SIDE, half) };
        let mut strip = Strip::new(picture, looks, way, edges, others);
        strip.has_alike(&columns, &lines, FITTING) && strip.has_alike(&(0..SIDE), &(0..SIDE), FITTING)
    })
}

/// Whether there may be more of a board beyond its border: the pattern it was found by goes on, or there is a tile, or the border
/// is not clear.
fn goes_on(picture: &RgbaImage, looks: &Scaled, grid: &Grid, pattern: &[Vec<f64>; 2]) -> bool {
    let (across, down) = grid.pitch();
    let ways = [(Way::Columns, &grid.columns, &grid.lines, across), (Way::Lines, &grid.lines, &grid.columns, down)];
    let repeats = ways.into_iter().zip(pattern).any(|((way, edges, others, pitch), pattern)| {
        let (first, last) = (edges[0], edges[edges.len() - 1]);
        let strength = |edge: &f64| strength(picture, way, *edge, others);
        let inside: Vec<f64> = pattern.iter().filter(|&&edge| first <= edge && edge <= last).map(strength).collect();
        let usual = inside.iter().sum::<f64>() / inside.len().max(1) as f64;
        let is_strong = |edge: f64| strength(&edge) * 2.0 >= usual;
        // What else there is on the screen may have an edge at the right place, but not all along the board, again and again.
        let reaches = |far: &dyn Fn(f64) -> f64| {
            let beyond: Vec<f64> = pattern.iter().copied().filter(|&edge| far(edge) > pitch / 2.0).collect();
            let is_far = beyond.iter().any(|&edge| far(edge) > BEYOND * pitch);
            is_far && beyond.into_iter().all(is_strong)
        };
        reaches(&|edge| first - edge) || reaches(&|edge| edge - last)
    });
    // A border of which most is not recognised may be none, and one that fits half as well as the rest is where the edges went
    // astray.
    let is_torn = ways.into_iter().any(|(way, edges, others, _)| {
        let mut strips: Vec<Strip> =
            edges.windows(2).map(|edge| Strip::new(picture, looks, way, (edge[0], edge[1]), others)).collect();
        let near: Vec<f64> = strips.iter_mut().map(|strip| strip.nearness(f64::NEG_INFINITY)).collect();
        let usual = near.iter().sum::<f64>() / near.len() as f64;
        let border = [0, strips.len() - 1];
        border
            .into_iter()
            .any(|at| near[at] * 2.0 < usual || !strips[at].is_ranked(|tiles| tiles.known * 2 >= tiles.all))
    });
    // Also the half away from the board alone: what is next to it may be its frame.
    let tiles = |(way, edges, others, half): (Way, (f64, f64), &[f64], Range<usize>)| {
        let (columns, lines) = if way == Way::Columns { (half, 0..SIDE) } else { (0..SIDE, half) };
        let mut strip = Strip::new(picture, looks, way, edges, others);
        strip.has_alike(&columns, &lines, AKIN)
            && (strip.is_ranked(|tiles| tiles.marked > 0) || strip.has_alike(&(0..SIDE), &(0..SIDE), AKIN))
            || strip.has_tile(&columns, &lines)
    };
    repeats || is_torn || beside(grid).any(tiles)
}

/// How much of a line there is at some edges: the difference of its pixels from those beside it as far as `reach`, of green, each
/// averaged over the edges and [`ALONG`] pixels of the board. A stipple is flat then, whatever became of it.
fn line(picture: &RgbaImage, way: Way, edges: &[f64], across: &[f64], reach: f64) -> f64 {
    let limit = |way| if way == Way::Columns { picture.width() } else { picture.height() } - 1;
    let other_way = if way == Way::Columns { Way::Lines } else { Way::Columns };
    let middle = (across[0] + across[across.len() - 1]) / 2.0;
    let half = f64::min(ALONG, across[across.len() - 1] - across[0]) / 2.0;
    let along = (middle - half).max(0.0) as u32..=((middle + half).max(0.0) as u32).min(limit(other_way));
    let green = |at: f64, other: u32| {
        let at = (at.max(0.0) as u32).min(limit(way));
        let (x, y) = if way == Way::Columns { (at, other) } else { (other, at) };
        f64::from(picture.get_pixel(x, y)[1])
    };
    let mean = |by: i32| {
        let values = edges.iter().flat_map(|edge| along.clone().map(move |other| green(edge + f64::from(by), other)));
        values.sum::<f64>() / (edges.len() * along.clone().count()).max(1) as f64
    };
    let means: Vec<f64> = (-reach as i32..=reach as i32).map(mean).collect();
    means.iter().copied().fold(f64::MIN, f64::max) - means.iter().copied().fold(f64::MAX, f64::min)
}

/// Pixels along a board that are looked at for its lines.
const ALONG: f64 = 200.0;

/// How strong an edge is along a board: the mean difference of neighbouring pixels, of green.
fn strength(picture: &RgbaImage, way: Way, edge: f64, across: &[f64]) -> f64 {
    let (width, height) = (f64::from(picture.width()), f64::from(picture.height()));
    let green = |at: f64, other: f64| {
        let (x, y) = if way == Way::Columns { (at, other) } else { (other, at) };
        picture.get_pixel(x.clamp(0.0, width - 1.0) as u32, y.clamp(0.0, height - 1.0) as u32)[1]
    };
    // Four places of every tile, and an edge that may lie a pixel to either side.
    let places =
        across.windows(2).flat_map(|tile| [0.2, 0.4, 0.6, 0.8].map(|part| tile[0] + (tile[1] - tile[0]) * part));
    let steps = places.map(|other| {
        let step = |by: f64| green(edge + by, other).abs_diff(green(edge + by - 1.0, other));
        f64::from([-1.0, 0.0, 1.0].map(step).into_iter().max().unwrap_or(0))
    });
    steps.sum::<f64>() / (4 * (across.len() - 1)) as f64
}

/// The grid of an untouched board with only those of its lines that are there, if others were found between them: every second, or two
/// of three, show nothing. A stipple that was scaled looks as if it had lines.
pub(super) fn joined(picture: &RgbaImage, grid: &Grid) -> Option<Grid> {
    let ways = [(Way::Columns, &grid.columns, &grid.lines), (Way::Lines, &grid.lines, &grid.columns)];
    let strengths = ways.map(|(way, edges, others)| {
        let reach = (pitch(others) / 8.0).max(2.0);
        edges[1..edges.len() - 1].iter().map(|&edge| line(picture, way, &[edge], others, reach)).collect::<Vec<f64>>()
    });
    let is_split = |strengths: &[f64], every: usize| {
        let mean = |first: usize| {
            let own = || strengths.iter().skip(first).step_by(every);
            own().sum::<f64>() / own().count().max(1) as f64
        };
        let between = (0..every - 1).map(mean).fold(0.0, f64::max);
        mean(every - 1) > SEEN && mean(every - 1) > 3.0 * between && (strengths.len() + 1).is_multiple_of(every)
    };
    let every = [2, 3].into_iter().find(|&every| strengths.iter().all(|strengths| is_split(strengths, every)))?;
    let some = |edges: &[f64]| edges.iter().copied().step_by(every).collect();
    Some(Grid { columns: some(&grid.columns), lines: some(&grid.lines) })
}

/// Whether anything shows where tiles are said to begin: a stipple that was scaled repeats at any pitch, but has no lines.
fn has_lines(picture: &RgbaImage, Grid { columns, lines }: &Grid) -> bool {
    [(Way::Columns, columns, lines), (Way::Lines, lines, columns)].into_iter().any(|(way, edges, others)| {
        let inner: Vec<f64> =
            edges[1..edges.len() - 1].iter().copied().step_by(edges.len().div_ceil(LOOKED_AT)).collect();
        line(picture, way, &inner, others, pitch(edges) / 2.0) > SEEN
    })
}

/// Difference by which a line is seen, of 255.
const SEEN: f64 = 4.0;

/// Tiles by which a pattern may reach beyond a board: its frame may be where the next edge would be.
const BEYOND: f64 = 1.5;

/// Pixels in which the beginning of a tile cannot be told from the edge of a window.
const SLIVER: f64 = 3.0;

/// Whether as much as the picture shows of the tiles from an edge on looks like tiles, in a quarter of the places at least.
fn begins(picture: &RgbaImage, looks: &Scaled, way: Way, (edge, pitch): (f64, f64), across: &[f64]) -> bool {
    let room = room(picture, way, edge, pitch);
    // The same tiles in a picture that is large enough; what it does not show is not compared.
    let more = (pitch.abs() - room).ceil() as u32 + 1;
    let (dx, dy) = if way == Way::Columns { (more, 0) } else { (0, more) };
    let mut larger = RgbaImage::new(picture.width() + dx, picture.height() + dy);
    let (dx, dy) = if pitch < 0.0 { (dx, dy) } else { (0, 0) };
    imageops::replace(&mut larger, picture, dx.into(), dy.into());
    let shift = f64::from(dx + dy);
    let mut strip = Strip::new(&larger, looks, way, (edge + shift, edge + shift + pitch), across);
    let seen = ((room / pitch.abs() * SIDE as f64) as usize).max(1);
    let parts = if pitch < 0.0 { SIDE - seen..SIDE } else { 0..seen };
    let (columns, lines) = if way == Way::Columns { (parts, 0..SIDE) } else { (0..SIDE, parts) };
    strip.has_alike(&columns, &lines, FITTING)
}

/// A nearness that no frame or ground beside a board has to its tiles, but tiles of which the place is not well known.
const AKIN: f64 = 0.2;

/// Colours nearer than this are the same part of a tile, one tile further on.
const ALIKE: u8 = 24;

impl LocateError {
    /// The one of the two that says more: a covered board is nearer than none.
    pub(super) fn closer(self, other: LocateError) -> LocateError {
        if self.rank() > other.rank() { self } else { other }
    }

    fn rank(&self) -> f64 {
        match self {
            LocateError::NoClient | LocateError::Blank => -1.0,
            LocateError::NoBoard { best, .. } => *best,
            LocateError::CutOff { .. } | LocateError::GoesOn { .. } => 200.0,
            LocateError::Covered { .. } => 300.0,
        }
    }
}

/// Mean score of the tiles from which a pattern is believed to be the client's board: on average they are within the first two
/// fifths of the way to the nearest other picture. What is merely drawn in squares passes for one look in many places, but barely.
pub const BELIEVED: f64 = 0.6;
/// Tiles that are classified to judge a candidate.
const JUDGED: usize = 60;
/// Tiles that are classified to compare phases.
const PROBED: usize = 12;

/// Finds a client's board among the patterns of a picture.
///
/// # Errors
/// No board, or one that is covered or cut off.
pub fn locate(
    shot: &Screenshot,
    lattices: &[Lattice],
    client: &Client,
    themes: &[Looks],
) -> Result<Sight, LocateError> {
    let picture = &shot.pixels;
    let mut candidates = 0;
    let framed = themes.iter().enumerate().filter_map(|(theme, looks)| Some((theme, looks, looks.frame()?)));
    let framed = framed.flat_map(|(theme, looks, frame)| {
        let grids = frame.grids(picture, SMALLEST).into_iter();
        grids.map(move |grid| Candidate::judged(picture, theme, &looks.at(grid.pitch().0), grid))
    });
    let framed = framed.inspect(|_| candidates += 1).max_by(|a, b| a.worth().total_cmp(&b.worth()));
    if let Some(Candidate { columns, lines, theme, believed: match_, .. }) = framed
        && match_ >= BELIEVED
    {
        return Ok(Sight { grid: Grid { columns, lines }, theme, match_, tone: None, is_soft: false });
    }
    let mut best: Option<Candidate> = None;
    for lattice in lattices {
        let fitting =
            themes.iter().enumerate().filter(|(_, looks)| looks.frame().is_none() && has_shape(lattice, looks));
        let place = |theme: usize, enough: f64| {
            let looks = &themes[theme];
            placed(picture, lattice, theme, looks, &looks.at(lattice.columns.pitch), enough)
        };
        let (mut rough, mut passed) = (Vec::<Candidate>::new(), Vec::new());
        for (theme, _) in fitting {
            candidates += 1;
            // What fits well is likely to be sure, and then no other theme is looked at.
            let scores = rough.iter().map(|candidate| candidate.score).filter(|score| *score > FITTING);
            match place(theme, scores.fold(f64::NEG_INFINITY, f64::max)) {
                Some(candidate) => rough.push(candidate),
                None => passed.push(theme),
            }
        }
        while !best.as_ref().is_some_and(Candidate::is_sure) {
            rough.sort_by(|a, b| a.score.total_cmp(&b.score).then(b.theme.cmp(&a.theme)));
            let Some(candidate) = rough.pop() else { break };
            let looks = &themes[candidate.theme];
            let candidate = fit(picture, lattice, candidate, looks, &looks.at(lattice.columns.pitch));
            if best.as_ref().is_none_or(|best| candidate.worth() > best.worth()) {
                best = Some(candidate);
            }
            if !best.as_ref().is_some_and(Candidate::is_sure) {
                rough.extend(passed.drain(..).filter_map(|theme| place(theme, f64::NEG_INFINITY)));
            }
        }
        if best.as_ref().is_some_and(Candidate::is_sure) {
            break;
        }
    }
    let no_board = |best: f64| {
        let raw = picture.as_raw();
        if raw.get(4..).is_none_or(|rest| *rest == raw[..rest.len()]) {
            return LocateError::Blank;
        }
        let (width, height) = picture.dimensions();
        LocateError::NoBoard { client: client.name.clone(), width, height, candidates, best: best * 100.0 }
    };
    let Some(candidate) = best else { return Err(no_board(0.0)) };
    let is_believed = candidate.believed >= BELIEVED;
    if !is_believed && candidate.share < 1.0 - COVERED {
        return Err(no_board(candidate.share));
    }
    let looks = themes[candidate.theme].at(pitch(&candidate.columns));
    let (share, pattern) = (candidate.share, [candidate.columns.clone(), candidate.lines.clone()]);
    let sight = bounded(picture, candidate, &looks).ok_or_else(|| no_board(share))?;
    let (size, Pixel { x, y }) = (sight.grid.size(), sight.grid.origin());
    if !has_lines(picture, &sight.grid) || !is_believed && !follows_rules(picture, &looks, &sight.grid) {
        return Err(no_board(share));
    }
    let has_border = || is_framed(picture, &sight.grid, client.themes[sight.theme].backdrop);
    let is_whole = client.level_of(size).is_some() || client.custom_boards && has_border();
    if !is_whole && let Some(size) = cut_level(client, size) {
        let unrecognised = size.tiles() - sight.grid.size().tiles();
        return Err(LocateError::Covered { client: client.name.clone(), size, x, y, unrecognised });
    }
    let is_level = client.level_of(size).is_some();
    let is_cut = || client.custom_boards && is_strip_of_level(client, size) && !has_border();
    if is_level && (is_part(picture, &looks, &sight.grid) || is_cut()) {
        return Err(LocateError::GoesOn { client: client.name.clone(), size, x, y });
    }
    if !is_level {
        if !client.custom_boards {
            return Err(no_board(share));
        }
        if let Some(side) = cut_off(picture, &looks, &sight.grid) {
            return Err(LocateError::CutOff { client: client.name.clone(), x, y, side });
        }
        if !is_whole || goes_on(picture, &looks, &sight.grid, &pattern) {
            return Err(LocateError::GoesOn { client: client.name.clone(), size, x, y });
        }
    }
    Ok(sight)
}

/// Whether what is read follows the rules of the game so well that it can be nothing else, however its tiles look.
fn follows_rules(picture: &RgbaImage, looks: &Scaled, grid: &Grid) -> bool {
    let mut patches = Patches::new(picture, &grid.columns, &grid.lines);
    let tile = |cell| patches.get(cell).map_or(Tile::Unrecognised, |patch| looks.classify(&patch).tile);
    let tiles: Vec<Tile> = grid.size().cells().map(tile).collect();
    is_evident(&tiles, grid.size())
}

/// Bits of evidence that are enough: less than one chance in a million.
const SIGNIFICANT: f64 = 20.0;

/// The fewest columns and rows of a board: no client has smaller ones.
const SMALLEST: u32 = 4;

fn pitch(edges: &[f64]) -> f64 {
    (edges[edges.len() - 1] - edges[0]) / (edges.len() - 1) as f64
}

/// A pattern taken for a board.
#[derive(Clone, Debug)]
struct Candidate {
    columns: Vec<f64>,
    lines: Vec<f64>,
    theme: usize,
    /// Share of the sampled tiles that were recognised.
    share: f64,
    /// Their mean score, 0 where not recognised.
    believed: f64,
    /// How near the tiles are to pictures, before any shift or stretch.
    score: f64,
}

impl Candidate {
    /// A grid that is known to the pixel.
    fn judged(picture: &RgbaImage, theme: usize, looks: &Scaled, Grid { columns, lines }: Grid) -> Self {
        let (share, believed) = judge(picture, looks, &columns, &lines);
        Self { columns, lines, theme, share, believed, score: 1.0 }
    }

    /// Takes these edges if tiles between them are nearer to pictures.
    fn improve(&mut self, picture: &RgbaImage, looks: &Scaled, columns: Vec<f64>, lines: Vec<f64>) {
        let score = nearness(picture, looks, &columns, &lines, self.score);
        if score > self.score {
            (self.columns, self.lines, self.score) = (columns, lines, score);
        }
    }

    /// The better its tiles match, the more a candidate is worth; a large one explains more.
    fn worth(&self) -> f64 {
        let tiles = ((self.columns.len() - 1) * (self.lines.len() - 1)) as f64;
        self.believed * tiles.ln_1p()
    }

    /// Whether it is no use to look further.
    fn is_sure(&self) -> bool {
        self.share > CERTAIN && self.score > FITTING
    }
}

/// A match so good that no other phase or pattern can be better.
pub(super) const CERTAIN: f64 = 0.9;

/// The tone in which tiles of the clearest patterns are nearest to some theme's, if they are near then.
pub(super) fn tone_of(picture: &RgbaImage, lattices: &[Lattice], themes: &[Looks]) -> Option<Tone> {
    let mut best: Option<(Tone, f64)> = None;
    for lattice in lattices.iter().take(CLEAREST) {
        for looks in themes.iter().filter(|looks| looks.frame().is_none() && has_shape(lattice, looks)) {
            let scaled = looks.at(lattice.columns.pitch);
            for (dx, dy) in phases(lattice, looks).into_iter().take(CLEAREST) {
                let (columns, lines) = (moved(&lattice.columns.edges, dx), moved(&lattice.lines.edges, dy));
                if let Some((tone, near)) = tone::guess(&sample(picture, &Grid { columns, lines }), &scaled)
                    && best.is_none_or(|(_, other)| near > other)
                {
                    best = Some((tone, near));
                }
            }
        }
    }
    best.filter(|(_, near)| *near > AKIN).map(|(tone, _)| tone)
}

/// Some tiles, from all over a grid.
pub(super) fn sample(picture: &RgbaImage, grid: &Grid) -> Vec<Patch> {
    let tiles = RefCell::new(Vec::new());
    mean_over(picture, &grid.columns, &grid.lines, JUDGED / 2, f64::NEG_INFINITY, |patch: &Patch| {
        tiles.borrow_mut().push(*patch);
        0.0
    });
    tiles.into_inner()
}

/// Whether a pattern has the shape of a theme's tiles.
fn has_shape(lattice: &Lattice, looks: &Looks) -> bool {
    (lattice.columns.pitch / lattice.lines.pitch / looks.aspect()).ln().abs() <= 0.12
}

/// Patterns, and phases of each, in which other colours are looked for.
const CLEAREST: usize = 3;

/// Whether what is read is beyond doubt by the rules of the game alone.
pub(super) fn is_evident(tiles: &[Tile], size: BoardSize) -> bool {
    evidence(tiles, size).is_some_and(|bits| bits >= SIGNIFICANT)
}

/// Finds where in a pattern the tiles begin, roughly; `None` if their score is no more than `enough`.
fn placed(
    picture: &RgbaImage,
    lattice: &Lattice,
    theme: usize,
    looks: &Looks,
    scaled: &Scaled,
    enough: f64,
) -> Option<Candidate> {
    let (columns, lines) = (lattice.columns.edges.clone(), lattice.lines.edges.clone());
    let mut best = Candidate { columns, lines, theme, share: 0.0, believed: 0.0, score: enough };
    for (dx, dy) in phases(lattice, looks) {
        if best.score < CERTAIN {
            best.improve(picture, scaled, moved(&lattice.columns.edges, dx), moved(&lattice.lines.edges, dy));
        }
    }
    (best.score > enough).then_some(best)
}

/// Finds where the tiles begin to the pixel and less, and judges how well they match.
fn fit(picture: &RgbaImage, lattice: &Lattice, rough: Candidate, looks: &Looks, scaled: &Scaled) -> Candidate {
    let mut best = rough;
    if best.score < HOPELESS {
        return best;
    }
    // Most clients paint on whole pixels and many at whole pitches: that mends what the fit of the edges left over.
    best.improve(picture, scaled, rounded(&best.columns), rounded(&best.lines));
    if best.score < FITTING {
        // Tiles have the same shape everywhere: where hidden and open tiles mix, one axis is often clearer than the other.
        let across = (lattice.columns.pitch + lattice.lines.pitch * looks.aspect()) / 2.0;
        let start = best.clone();
        let mut pitches = vec![lattice.columns.pitch, lattice.lines.pitch * looks.aspect(), across.round()];
        pitches.dedup_by(|a, b| (*a - *b).abs() < 1e-3);
        for pitch in pitches {
            let (columns, lines) = (spaced(&start.columns, pitch), spaced(&start.lines, pitch / looks.aspect()));
            for (dx, dy) in (-NEAR..=NEAR).flat_map(|dx| (-NEAR..=NEAR).map(move |dy| (dx, dy))) {
                if best.score < CERTAIN {
                    best.improve(picture, scaled, moved(&columns, f64::from(dx)), moved(&lines, f64::from(dy)));
                }
            }
        }
    }
    let nudge = (lattice.columns.pitch / PHASES as f64).max(0.5);
    for by in [-1.0, 1.0, -2.0, 2.0, -0.5, 0.5].map(|steps| steps * nudge) {
        if best.score < EXACT {
            best.improve(picture, scaled, moved(&best.columns, by), best.lines.clone());
        }
        if best.score < EXACT {
            best.improve(picture, scaled, best.columns.clone(), moved(&best.lines, by));
        }
    }
    // Over many tiles a small fault of the pitch adds up.
    for by in [-1.0, 1.0, -2.0, 2.0, -0.5, 0.5] {
        if best.score < EXACT {
            best.improve(picture, scaled, stretched(&best.columns, by), best.lines.clone());
        }
        if best.score < EXACT {
            best.improve(picture, scaled, best.columns.clone(), stretched(&best.lines, by));
        }
    }
    if best.score < EXACT {
        best.improve(picture, scaled, rounded(&best.columns), rounded(&best.lines));
    }
    (best.share, best.believed) = judge(picture, scaled, &best.columns, &best.lines);
    best
}

/// The edges with the outer ones moved apart by so many pixels each, and the others in proportion.
fn stretched(edges: &[f64], by: f64) -> Vec<f64> {
    let half = (edges.len() - 1) as f64 / 2.0;
    edges.iter().enumerate().map(|(index, edge)| edge + by * (index as f64 - half) / half).collect()
}

/// A nearness below which tiles are no nearer to any picture than the pictures to each other, whatever is done about the
/// phase.
const HOPELESS: f64 = -0.5;
/// A nearness at which tiles differ as much from pictures as those from each other: a pixel more or less does not mend that.
const FAR: f64 = 0.0;
/// A nearness with which nearly all tiles recognised are enough to look no further.
const FITTING: f64 = 0.5;
/// A nearness that cannot be mended.
const EXACT: f64 = 0.98;

fn moved(edges: &[f64], by: f64) -> Vec<f64> {
    edges.iter().map(|edge| edge + by).collect()
}

fn rounded(edges: &[f64]) -> Vec<f64> {
    edges.iter().map(|edge| edge.round()).collect()
}

/// How far from the likeliest phase tiles may still begin, in pixels.
const NEAR: i32 = 3;

/// The edges at another pitch, counted from the one in the middle, which is put on a whole pixel.
fn spaced(edges: &[f64], pitch: f64) -> Vec<f64> {
    let middle = edges.len() / 2;
    let anchor = edges[middle].round();
    (0..edges.len()).map(|index| anchor + pitch * (index as f64 - middle as f64)).collect()
}

/// How far from a pattern's edges the tiles may begin, in pixels, the likeliest first: where the edges of the theme's tiles
/// correlate best with those of the picture.
fn phases(lattice: &Lattice, looks: &Looks) -> Vec<(f64, f64)> {
    let mut both: Vec<(f32, f64, f64)> = Vec::new();
    for (across, down) in &looks.profiles(lattice.columns.pitch) {
        for (x, dx) in peaks(&lattice.columns, across) {
            for (y, dy) in peaks(&lattice.lines, down) {
                let known = |(_, a, b): &(f32, f64, f64)| (a - dx).abs() < 1.0 && (b - dy).abs() < 1.0;
                if !both.iter().any(known) {
                    both.push((x * y, dx, dy));
                }
            }
        }
    }
    both.sort_by(|a, b| b.0.total_cmp(&a.0));
    both.into_iter().take(8).map(|(_, dx, dy)| (dx, dy)).collect()
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

/// Share of tiles recognised among about [`JUDGED`] spread over a pattern, and their mean score (0 where not recognised).
fn judge(picture: &RgbaImage, looks: &Scaled, columns: &[f64], lines: &[f64]) -> (f64, f64) {
    let share = std::cell::Cell::new(0.0);
    let score = |patch: &Patch| {
        let reading = looks.classify(patch);
        let known = reading.tile != Tile::Unrecognised;
        share.set(share.get() + f64::from(u8::from(known)));
        if known { f64::from(reading.score) } else { 0.0 }
    };
    let (believed, seen) = mean_over(picture, columns, lines, JUDGED, f64::NEG_INFINITY, score);
    (share.get() / seen, believed)
}

/// How near the tiles are to pictures, on average of about [`PROBED`] of them; or no more than `enough`, which is known sooner.
fn nearness(picture: &RgbaImage, looks: &Scaled, columns: &[f64], lines: &[f64], enough: f64) -> f64 {
    let near = |patch: &Patch| looks.nearness(patch);
    mean_over(picture, columns, lines, PROBED, enough, near).0
}

/// The mean of `value`, which is at most 1, over about `count` tiles spread over a pattern, and their number; what lies
/// outside of the picture counts as 0. Or no more than `enough`, as soon as it cannot be more.
fn mean_over(
    picture: &RgbaImage,
    columns: &[f64],
    lines: &[f64],
    count: usize,
    enough: f64,
    value: impl Fn(&Patch) -> f64,
) -> (f64, f64) {
    let size = BoardSize::new(columns.len() as u32 - 1, lines.len() as u32 - 1);
    let mut patches = Patches::new(picture, columns, lines);
    // A step that shares no factor with the width visits every column.
    let mut step = (size.tiles() / count).max(1);
    while step > 1 && gcd(step, size.width as usize) > 1 {
        step += 1;
    }
    let places = (step / 2..size.tiles()).step_by(step);
    let all = f64::max(places.len() as f64, 1.0);
    let values = places.map(|index| patches.get(size.cell(index)).map_or(0.0, |patch| value(&patch)));
    (mean(values, all, enough), all)
}

/// The mean of `all` values, each at most 1; or no more than `enough`, as soon as it cannot be more.
fn mean(values: impl Iterator<Item = f64>, all: f64, enough: f64) -> f64 {
    let (mut most, mut sum) = (all, 0.0);
    for value in values {
        (most, sum) = (most - 1.0 + value, sum + value);
        if most <= enough * all {
            return most / all;
        }
    }
    sum / all
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Follows the tiles from where the pattern is clear to where they end. `None` if too little is left.
fn bounded(picture: &RgbaImage, candidate: Candidate, looks: &Scaled) -> Option<Sight> {
    let mut grid = Grid { columns: candidate.columns, lines: candidate.lines };
    if candidate.score < EXACT {
        trim(picture, looks, &mut grid, Way::Columns);
        trim(picture, looks, &mut grid, Way::Lines);
    }
    // Twice: more rows let more columns be seen, and straight edges more of both.
    let mut seen = None;
    for _ in 0..2 {
        if seen == Some(grid.lines.len()) {
            break;
        }
        let before = (grid.columns.len(), grid.lines.len());
        grow(picture, looks, &mut grid, Way::Columns);
        if seen.is_some() && grid.columns.len() == before.0 {
            break;
        }
        grow(picture, looks, &mut grid, Way::Lines);
        seen = (!straighten(picture, looks, &mut grid)).then_some(before.1);
    }
    shrink(picture, looks, &mut grid);
    let size = grid.size();
    if size.width.min(size.height) < SMALLEST {
        return None;
    }
    Some(Sight { grid, theme: candidate.theme, match_: candidate.believed, tone: None, is_soft: false })
}

/// Lays the edges on their line, or on the whole pixels nearest to it, where tiles fit better then: followed from one to the
/// next, each may be a little off. Whether any were laid.
fn straighten(picture: &RgbaImage, looks: &Scaled, grid: &mut Grid) -> bool {
    let near = |grid: &Grid, enough: f64| {
        let near = |patch: &Patch| looks.nearness(patch);
        mean_over(picture, &grid.columns, &grid.lines, JUDGED, enough, near).0
    };
    let mut best = None;
    let mut is_laid = false;
    for way in [Way::Columns, Way::Lines] {
        let edges = if way == Way::Columns { &grid.columns } else { &grid.lines };
        let (start, pitch) = line_of(edges);
        let line: Vec<f64> = (0..edges.len()).map(|index| start + pitch * index as f64).collect();
        for other in [rounded(&line), line] {
            let edges = if way == Way::Columns { &grid.columns } else { &grid.lines };
            if edges.iter().zip(&other).all(|(a, b)| (a - b).abs() < 1e-3) {
                continue;
            }
            let known = best.unwrap_or_else(|| near(grid, f64::NEG_INFINITY));
            best = Some(known);
            if known >= EXACT {
                return is_laid;
            }
            let (columns, lines) =
                if way == Way::Columns { (other, grid.lines.clone()) } else { (grid.columns.clone(), other) };
            let other = Grid { columns, lines };
            let is = near(&other, known);
            if is > known {
                (best, *grid, is_laid) = (Some(is), other, true);
            }
        }
    }
    is_laid
}

/// A direction in which a grid is followed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Columns,
    Lines,
}

/// Keeps only the columns (or rows) where the grid fits best, if it does not fit as well everywhere: the pitch may change on the
/// way, and growing follows it.
fn trim(picture: &RgbaImage, looks: &Scaled, grid: &mut Grid, way: Way) {
    let (edges, across) = if way == Way::Columns { (&grid.columns, &grid.lines) } else { (&grid.lines, &grid.columns) };
    let ranks: Vec<f64> = edges
        .windows(2)
        .map(|edge| Strip::new(picture, looks, way, (edge[0], edge[1]), across).nearness(f64::NEG_INFINITY))
        .collect();
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let Some(first) = (0..=ranks.len().saturating_sub(KEPT)).max_by(|&a, &b| {
        mean(&ranks[a..][..KEPT.min(ranks.len())]).total_cmp(&mean(&ranks[b..][..KEPT.min(ranks.len())]))
    }) else {
        return;
    };
    let last = first + KEPT.min(ranks.len());
    if ranks.iter().any(|&rank| rank < mean(&ranks[first..last]) - UNEVEN) {
        let edges = edges[first..=last].to_vec();
        if way == Way::Columns { grid.columns = edges } else { grid.lines = edges }
    }
}

/// Columns or rows to grow from.
const KEPT: usize = 3;
/// A difference in nearness that is not due to what happens to be on the tiles.
const UNEVEN: f64 = 0.15;

/// Adds columns (or rows) on both sides as long as they hold tiles. The next edge may be a pixel nearer or further than the
/// last distance says, or more where tiles are as large as on a scaled display, and with a fractional pitch it is where the mean
/// distance puts it, on a whole pixel or not; but no client paints tiles that differ by more than a pixel times the scale.
fn grow(picture: &RgbaImage, looks: &Scaled, grid: &mut Grid, way: Way) {
    for forward in [true, false] {
        loop {
            let edges = if way == Way::Columns { &grid.columns } else { &grid.lines };
            let count = edges.len();
            let (end, last) = if forward {
                (edges[count - 1], edges[count - 1] - edges[count - 2])
            } else {
                (edges[0], edges[0] - edges[1])
            };
            let mean = pitch(edges).copysign(last);
            let across = if way == Way::Columns { &grid.lines } else { &grid.columns };
            let strip = |from: f64, to: f64| Strip::new(picture, looks, way, (from, to), across);
            let mut best: Option<(f64, f64, Strip)> = None;
            let pixel = (mean.abs() / LARGE).round().max(1.0);
            let mut tried: Vec<f64> = Vec::new();
            let mut attempt = |steps: &[f64], uneven: f64| {
                for &step in steps {
                    let is_even = (step - mean).abs() <= uneven;
                    let is_new = tried.iter().all(|other| (other - step).abs() > 0.1);
                    if is_even && is_new && best.as_ref().is_none_or(|(near, ..)| *near < EXACT) {
                        tried.push(step);
                        let mut strip = strip(end, end + step);
                        let other = best.as_ref().map_or(FAR, |(other, ..)| *other);
                        let near = strip.nearness(other);
                        if near > other || best.is_none() {
                            best = Some((near, end + step, strip));
                        }
                    }
                }
                let (_, edge, strip) = best.as_mut()?;
                // A plain surface beside the board may look exactly like open tiles: at least one must be more.
                let has_plain_zero = looks.has_plain_zero();
                strip.is_ranked(|tiles| tiles.holds() && (tiles.marked > 0 || !has_plain_zero)).then_some(*edge)
            };
            let uneven = f64::max(1.25, mean.abs() / 24.0);
            let next = attempt(&[last, mean, (end + mean).round() - end, last - pixel, last + pixel], uneven);
            // The last edge may itself be a little off the line on which all lie.
            let (start, pitch) = line_of(edges);
            let ahead = start + pitch * if forward { count as f64 } else { -1.0 };
            let next = next.or_else(|| {
                let places = [
                    ahead,
                    ahead.round(),
                    ahead.round() - pixel,
                    ahead.round() + pixel,
                    ahead - pixel / 2.0,
                    ahead + pixel / 2.0,
                ];
                attempt(&places.map(|edge| edge - end), 2.0 * uneven)
            });
            let further = |steps: usize| {
                let from = end + mean * steps as f64;
                let mut tiles = strip(from, from + mean);
                tiles.nearness(FITTING) > FITTING && tiles.is_ranked(|tiles| tiles.marked * 2 >= tiles.all)
            };
            // Something may lie over the board from one side to the other.
            let added = match next {
                Some(edge) => vec![edge],
                None => match (1..=BRIDGED).find(|&steps| further(steps)) {
                    Some(steps) => (1..=steps + 1).map(|step| end + mean * step as f64).collect(),
                    None => break,
                },
            };
            let edges = if way == Way::Columns { &mut grid.columns } else { &mut grid.lines };
            for edge in added {
                if forward { edges.push(edge) } else { edges.insert(0, edge) }
            }
        }
    }
}

/// The first edge and the pitch of the line that fits edges best (least squares).
fn line_of(edges: &[f64]) -> (f64, f64) {
    let middle = (edges.len() as f64 - 1.0) / 2.0;
    let mean = edges.iter().sum::<f64>() / edges.len() as f64;
    let places = || edges.iter().enumerate().map(|(index, edge)| (index as f64 - middle, edge - mean));
    let pitch = places().map(|(at, edge)| at * edge).sum::<f64>() / places().map(|(at, _)| at * at).sum::<f64>();
    (mean - pitch * middle, pitch)
}

/// The width of large tiles, in pixels.
const LARGE: f64 = 60.0;

/// So many covered columns or rows are bridged: dialogs are about this large.
const BRIDGED: usize = 8;

/// Drops columns and rows at the border that hold no tiles.
fn shrink(picture: &RgbaImage, looks: &Scaled, grid: &mut Grid) {
    loop {
        let before = grid.size();
        let holds = |way, edges: &[f64], across: &[f64], at: usize| {
            Strip::new(picture, looks, way, (edges[at], edges[at + 1]), across).is_ranked(Rank::holds)
        };
        for way in [Way::Columns, Way::Lines] {
            let (edges, across) =
                if way == Way::Columns { (&grid.columns, &grid.lines) } else { (&grid.lines, &grid.columns) };
            let first = usize::from(edges.len() > 2 && !holds(way, edges, across, 0));
            let last = usize::from(edges.len() > 3 && !holds(way, edges, across, edges.len() - 2));
            let edges = edges[first..edges.len() - last].to_vec();
            if way == Way::Columns { grid.columns = edges } else { grid.lines = edges }
        }
        if grid.size() == before {
            return;
        }
    }
}

/// About so many tiles of a column or row say whether it holds tiles.
const LOOKED_AT: usize = 8;

/// A column or a row of tiles.
struct Strip<'a> {
    looks: &'a Scaled<'a>,
    way: Way,
    count: u32,
    patches: Patches<'a>,
    /// The first of those that are looked at, as far as they were asked for.
    seen: Vec<Option<Patch>>,
}

impl<'a> Strip<'a> {
    fn new(
        picture: &'a RgbaImage,
        looks: &'a Scaled<'a>,
        way: Way,
        (from, to): (f64, f64),
        across: &[f64],
    ) -> Strip<'a> {
        let edge = [from.min(to), from.max(to)];
        let (columns, lines) = if way == Way::Columns { (&edge[..], across) } else { (across, &edge[..]) };
        Strip {
            looks,
            way,
            count: across.len() as u32 - 1,
            patches: Patches::new(picture, columns, lines),
            seen: Vec::new(),
        }
    }

    fn cell(&self, index: u32) -> Cell {
        if self.way == Way::Columns { Cell::new(0, index) } else { Cell::new(index, 0) }
    }

    /// How many tiles are looked at.
    fn len(&self) -> usize {
        (self.count as usize).div_ceil(self.step())
    }

    fn step(&self) -> usize {
        (self.count as usize / LOOKED_AT).max(1)
    }

    /// One of those that are looked at; `None` if it is not in the picture.
    fn look(&mut self, index: usize) -> Option<&Patch> {
        while self.seen.len() <= index {
            let next = self.cell((self.seen.len() * self.step()) as u32);
            self.seen.push(self.patches.get(next));
        }
        self.seen[index].as_ref()
    }

    /// How near its tiles are to pictures, on average; or no more than `enough`, which is known sooner.
    fn nearness(&mut self, enough: f64) -> f64 {
        let (looks, all) = (self.looks, self.len());
        let near = |patch: &Patch| looks.nearness(patch);
        mean((0..all).map(|index| self.look(index).map_or(0.0, near)), all.max(1) as f64, enough)
    }

    /// Whether in a quarter of its places at least, these parts of a tile are as near to those of a picture.
    fn has_alike(&mut self, columns: &Range<usize>, lines: &Range<usize>, near: f64) -> bool {
        let looks = self.looks;
        let (mut alike, mut all) = (0, 0);
        for index in 0..self.len() {
            let Some(patch) = self.look(index) else { continue };
            all += 1;
            alike += usize::from(looks.part_nearness(patch, columns, lines).is_some_and(|is| is > near));
        }
        alike * 4 >= all && all > 0
    }

    /// Whether any of its tiles is recognised as more than an empty open tile, and by these parts of it alone is as near.
    fn has_tile(&mut self, columns: &Range<usize>, lines: &Range<usize>) -> bool {
        let looks = self.looks;
        (0..self.count).any(|index| {
            self.patches.get(self.cell(index)).is_some_and(|patch| {
                looks.part_nearness(&patch, columns, lines).is_some_and(|is| is > FITTING)
                    && !matches!(looks.classify(&patch).tile, Tile::Unrecognised | Tile::Open(0))
            })
        })
    }

    /// Whether what its tiles are taken for is enough, which may be known before all are looked at.
    fn is_ranked(&mut self, is_enough: impl Fn(&Rank) -> bool) -> bool {
        let looks = self.looks;
        let mut rank = Rank { all: self.len(), ..Rank::default() };
        // What is as plain as an empty tile is exactly like it, too.
        let is_exact = |patch: &Patch| !looks.has_plain_zero() && looks.is_exact(patch);
        (0..rank.all).any(|index| {
            let reading = self.look(index).map(|patch| (patch, looks.classify(patch)));
            if let Some((patch, reading)) = reading.filter(|(_, reading)| reading.tile != Tile::Unrecognised) {
                rank.known += 1;
                rank.marked += usize::from(reading.tile != Tile::Open(0));
                rank.telling += usize::from(reading.tile != Tile::Open(0) || reading.score > 0.9 || is_exact(patch));
            }
            is_enough(&rank)
        })
    }
}

/// What the tiles of a column or a row are taken for.
#[derive(Debug, Default)]
struct Rank {
    all: usize,
    known: usize,
    /// Recognised as more than an empty open tile, which a flat background may look like, or as exactly that.
    telling: usize,
    /// Recognised as more than an empty open tile.
    marked: usize,
}

impl Rank {
    /// Whether there are tiles: at least in a quarter of the places, for a dialog may cover the rest.
    fn holds(&self) -> bool {
        self.known * 4 >= self.all && self.telling > 0
    }
}
