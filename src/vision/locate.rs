//! Screenshot + [`Client`] → [`Grid`]: where the client's board is.
//!
//! Whatever repeats in the picture ([`super::lattice`]) is a candidate. The edges of the theme's own tiles say where in
//! the repetition a tile begins; then some tiles are classified, and the candidate in which most are recognised wins.
//! Rows and columns at its border that hold no tiles are dropped. A board that is covered or goes on beyond the
//! picture is an error, never a guess.

use super::Grid;
use super::classify::Looks;
use super::lattice::{Axis, Lattice, PHASES};
use super::read::Patches;
use crate::board::Tile;
use crate::client::Client;
use crate::geometry::{BoardSize, Cell};
use crate::screenshot::Screenshot;
use image::RgbaImage;

/// A board that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Sight {
    /// Where its tiles are.
    pub grid: Grid,
    /// Which of the client's themes it has.
    pub theme: usize,
    /// How well the tiles match, 0..1.
    pub match_: f64,
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
         its tiles recognised; show the whole board, or learn this look with `minesight calibrate`"
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
}

impl LocateError {
    /// Whether it says more than the other: a covered board is nearer than none.
    pub(super) fn is_closer_than(&self, other: &LocateError) -> bool {
        self.rank() > other.rank()
    }

    fn rank(&self) -> f64 {
        match self {
            LocateError::NoClient | LocateError::Blank => -1.0,
            LocateError::NoBoard { best, .. } => *best,
            LocateError::Covered { .. } => 300.0,
        }
    }
}

/// Share of the sampled tiles that must be recognised for a pattern to be the client's board. Half: a board that is
/// mostly covered cannot be played, and chance patterns match no picture of a whole tile in more than a few places.
const BELIEVED: f64 = 0.5;
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
    let mut best: Option<Candidate> = None;
    let mut candidates = 0;
    for lattice in lattices {
        for (theme, looks) in themes.iter().enumerate() {
            if (lattice.columns.pitch / lattice.lines.pitch / looks.aspect()).ln().abs() > 0.12 {
                continue;
            }
            candidates += 1;
            let candidate = fit(picture, lattice, theme, looks);
            if best.as_ref().is_none_or(|best| candidate.worth() > best.worth()) {
                best = Some(candidate);
            }
        }
    }
    let no_board = |best: f64| {
        let first = picture.pixels().next();
        if picture.pixels().all(|pixel| Some(pixel) == first) {
            return LocateError::Blank;
        }
        let (width, height) = picture.dimensions();
        LocateError::NoBoard { client: client.name.clone(), width, height, candidates, best: best * 100.0 }
    };
    let Some(candidate) = best else { return Err(no_board(0.0)) };
    if candidate.share < BELIEVED {
        return Err(no_board(candidate.share));
    }
    bounded(picture, candidate, client, themes)
}

/// A pattern taken for a board.
#[derive(Clone, Debug)]
struct Candidate {
    columns: Vec<f64>,
    lines: Vec<f64>,
    theme: usize,
    /// Share of the sampled tiles that were recognised.
    share: f64,
    /// Mean score of the sampled tiles.
    score: f64,
}

impl Candidate {
    /// The more tiles are recognised and the better they match, the more a candidate is worth; a large one explains more.
    fn worth(&self) -> f64 {
        let tiles = ((self.columns.len() - 1) * (self.lines.len() - 1)) as f64;
        self.share * self.score * tiles.ln_1p().max(1.0)
    }
}

/// A match so good that no other phase can be better.
const CERTAIN: f64 = 0.8;

/// Finds where in a pattern the tiles begin.
fn fit(picture: &RgbaImage, lattice: &Lattice, theme: usize, looks: &Looks) -> Candidate {
    let across = phases(&lattice.columns, looks.profiles().iter().map(|(across, _)| across));
    let down = phases(&lattice.lines, looks.profiles().iter().map(|(_, down)| down));
    let (columns, lines) = (lattice.columns.edges.clone(), lattice.lines.edges.clone());
    let mut best = Candidate { columns, lines, theme, share: 0.0, score: -1.0 };
    let try_out = |columns: Vec<f64>, lines: Vec<f64>, best: &mut Candidate| {
        let (share, score) = judge(picture, looks, &columns, &lines, PROBED);
        if score > best.score {
            *best = Candidate { columns, lines, theme, share, score };
        }
    };
    'phases: for &dx in &across {
        for &dy in &down {
            try_out(moved(&lattice.columns.edges, dx), moved(&lattice.lines.edges, dy), &mut best);
            if best.score > CERTAIN {
                break 'phases;
            }
        }
    }
    if best.share == 0.0 && best.score < 0.1 {
        return best;
    }
    // Clients paint on whole pixels: rounding mends what the fit of the edges left over.
    try_out(rounded(&best.columns), rounded(&best.lines), &mut best);
    let nudge = (lattice.columns.pitch / PHASES as f64).max(0.5);
    for _ in 0..2 {
        let start = best.clone();
        for by in [-2.0, -1.0, 1.0, 2.0] {
            if best.score < 0.98 {
                try_out(moved(&start.columns, by * nudge), best.lines.clone(), &mut best);
            }
        }
        for by in [-2.0, -1.0, 1.0, 2.0] {
            if best.score < 0.98 {
                try_out(best.columns.clone(), moved(&start.lines, by * nudge), &mut best);
            }
        }
        if best.columns == start.columns && best.lines == start.lines {
            break;
        }
    }
    (best.share, best.score) = judge(picture, looks, &best.columns, &best.lines, JUDGED);
    best
}

fn moved(edges: &[f64], by: f64) -> Vec<f64> {
    edges.iter().map(|edge| edge + by).collect()
}

fn rounded(edges: &[f64]) -> Vec<f64> {
    edges.iter().map(|edge| edge.round()).collect()
}

/// How far from a pattern's edges the tiles may begin, in pixels: where the edges of the theme's tiles correlate best with those
/// of the picture.
fn phases<'a>(axis: &Axis, profiles: impl Iterator<Item = &'a Vec<f32>>) -> Vec<f64> {
    let mut chosen: Vec<usize> = Vec::new();
    for profile in profiles {
        let correlation: Vec<f32> = (0..PHASES)
            .map(|shift| (0..PHASES).map(|phase| axis.profile[(phase + shift) % PHASES] * profile[phase]).sum())
            .collect();
        let is_peak = |&shift: &usize| {
            let at = |by: usize| correlation[(shift + by) % PHASES];
            at(0) >= at(1) && at(0) >= at(PHASES - 1)
        };
        let mut peaks: Vec<usize> = (0..PHASES).filter(is_peak).collect();
        peaks.sort_by(|&a, &b| correlation[b].total_cmp(&correlation[a]));
        for &peak in peaks.iter().take(2) {
            let apart = |other: &usize| peak.abs_diff(*other).min(PHASES - peak.abs_diff(*other));
            if chosen.iter().all(|other| apart(other) > 1) {
                chosen.push(peak);
            }
        }
    }
    let signed = |shift: usize| if shift > PHASES / 2 { shift as f64 - PHASES as f64 } else { shift as f64 };
    chosen.into_iter().map(|shift| signed(shift) / PHASES as f64 * axis.pitch).collect()
}

/// Share of tiles recognised, and mean score, among about `count` tiles spread over a pattern.
fn judge(picture: &RgbaImage, looks: &Looks, columns: &[f64], lines: &[f64], count: usize) -> (f64, f64) {
    let size = BoardSize::new(columns.len() as u32 - 1, lines.len() as u32 - 1);
    let mut patches = Patches::new(picture, columns, lines);
    // A step that shares no factor with the width visits every column.
    let mut step = (size.tiles() / count.max(1)).max(1);
    while step > 1 && gcd(step, size.width as usize) > 1 {
        step += 1;
    }
    let (mut seen, mut known, mut score) = (0, 0, 0.0);
    for index in (step / 2..size.tiles()).step_by(step) {
        seen += 1;
        if let Some(patch) = patches.get(size.cell(index)) {
            let reading = looks.classify(&patch);
            known += usize::from(reading.tile != Tile::Unrecognised);
            score += f64::from(reading.score.min(reading.lead));
        }
    }
    (f64::from(known as u32) / f64::from(seen.max(1)), score / f64::from(seen.max(1)))
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Follows the tiles from where the pattern is clear to where they end, and refuses boards that do not end.
fn bounded(picture: &RgbaImage, candidate: Candidate, client: &Client, themes: &[Looks]) -> Result<Sight, LocateError> {
    let looks = &themes[candidate.theme];
    let mut grid = Grid { columns: candidate.columns, lines: candidate.lines };
    // Twice: more rows let more columns be seen.
    for _ in 0..2 {
        let before = grid.size();
        grow(picture, looks, &mut grid, Way::Columns);
        grow(picture, looks, &mut grid, Way::Lines);
        if grid.size() == before {
            break;
        }
    }
    shrink(picture, looks, &mut grid);
    let size = grid.size();
    let mut patches = Patches::new(picture, &grid.columns, &grid.lines);
    let is_tile = |cell: &Cell| patches.get(*cell).is_some_and(|p| looks.classify(&p).tile != Tile::Unrecognised);
    let unrecognised = size.tiles() - size.cells().filter(is_tile).count();
    let (x, y) = (grid.columns[0], grid.lines[0]);
    if unrecognised * 4 > size.tiles() {
        return Err(LocateError::Covered { client: client.name.clone(), size, x, y, unrecognised });
    }
    Ok(Sight { grid, theme: candidate.theme, match_: candidate.share * candidate.score })
}

/// A direction in which a grid is followed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Columns,
    Lines,
}

/// Adds columns (or rows) on both sides as long as they hold tiles. The next edge may be a pixel nearer or further than the
/// last distance says.
fn grow(picture: &RgbaImage, looks: &Looks, grid: &mut Grid, way: Way) {
    for forward in [true, false] {
        loop {
            let edges = if way == Way::Columns { &grid.columns } else { &grid.lines };
            let count = edges.len();
            let (end, pitch) = if forward {
                (edges[count - 1], edges[count - 1] - edges[count - 2])
            } else {
                (edges[0], edges[0] - edges[1])
            };
            let across = if way == Way::Columns { &grid.lines } else { &grid.columns };
            let mut best: Option<(f64, f64)> = None;
            for odd in [0.0, -1.0, 1.0] {
                let tiles = Rank::new(picture, looks, way, (end, end + pitch + odd), across);
                let better = best.is_none_or(|(score, _)| tiles.score > score + 0.02);
                if tiles.holds() && better {
                    best = Some((tiles.score, end + pitch + odd));
                }
                if best.is_some_and(|(score, _)| score > 0.95) {
                    break;
                }
            }
            let Some((_, edge)) = best else { break };
            let edges = if way == Way::Columns { &mut grid.columns } else { &mut grid.lines };
            if forward { edges.push(edge) } else { edges.insert(0, edge) }
        }
    }
}

/// Drops columns and rows at the border that hold no tiles.
fn shrink(picture: &RgbaImage, looks: &Looks, grid: &mut Grid) {
    loop {
        let before = grid.size();
        let holds = |way, edges: &[f64], across: &[f64], at: usize| {
            Rank::new(picture, looks, way, (edges[at], edges[at + 1]), across).holds()
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

/// What a column or a row of tiles looks like.
#[derive(Debug, Default)]
struct Rank {
    all: usize,
    known: usize,
    /// Recognised as more than an empty open tile, which a flat background may look like, or as exactly that.
    telling: usize,
    /// Mean score.
    score: f64,
}

impl Rank {
    fn new(picture: &RgbaImage, looks: &Looks, way: Way, (from, to): (f64, f64), across: &[f64]) -> Self {
        let edge = [from.min(to), from.max(to)];
        let (columns, lines) = if way == Way::Columns { (&edge[..], across) } else { (across, &edge[..]) };
        let mut patches = Patches::new(picture, columns, lines);
        let mut rank = Rank::default();
        for index in 0..across.len() as u32 - 1 {
            rank.all += 1;
            let cell = if way == Way::Columns { Cell::new(0, index) } else { Cell::new(index, 0) };
            let Some(patch) = patches.get(cell) else { continue };
            let reading = looks.classify(&patch);
            rank.score += f64::from(reading.score.min(reading.lead));
            if reading.tile != Tile::Unrecognised {
                rank.known += 1;
                rank.telling += usize::from(reading.tile != Tile::Open(0) || reading.score > 0.9);
            }
        }
        rank.score /= rank.all.max(1) as f64;
        rank
    }

    /// Whether there are tiles: at least in a quarter of the places, for a dialog may cover the rest.
    fn holds(&self) -> bool {
        self.known * 4 >= self.all && self.telling > 0
    }
}
