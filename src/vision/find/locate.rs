//! One lattice + one theme as the screen may show it → [`Sight`]: where the client's board is, or why that is none.
//!
//! Its tiles are placed, followed to where they end, and asked whether they are the whole board. A board that is covered or
//! goes on beyond the picture is an error, never a guess.

use super::extent::{Strip, extent};
use super::lines::{has_lines, joined};
use super::place::{GAINED, Placed, evened, laid, phases, rough, settled};
use super::propose::Lattice;
use super::repeat::followed;
use super::rim::{Question, Rim};
use crate::board::Tile;
use crate::client::Client;
use crate::geometry::BoardSize;
use crate::vision::colour::tone::Tone;
use crate::vision::colour::toning::{self, Sample};
use crate::vision::doubt::{are_of_two_kinds, evidence, numbers_among, strike};
use crate::vision::grid::{Grid, SMALLEST, Way};
use crate::vision::reading::TileReading;
use crate::vision::tile::likeness::{CERTAIN, EXACT, FITTING, HOPELESS, judge, nearness};
use crate::vision::tile::patch::Patch;
use crate::vision::tile::skin::{Skin, Skins, Variation};
use crate::vision::tile::tiles::Tiles;
use std::ops::Range;
use std::sync::Arc;

/// A board that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Sight {
    /// Where its tiles are.
    pub grid: Grid,
    /// Which of the client's themes it has.
    pub theme: usize,
    /// How well the tiles match, 0..1.
    pub match_: f64,
    /// Share of them that are recognised, 0..1.
    pub share: f64,
    /// What the screen makes of the theme's pictures.
    pub variation: Variation,
}

impl Sight {
    /// Whether it is no use to look at it in other ways.
    pub fn is_sure(&self) -> bool {
        self.share > CERTAIN && self.match_ >= BELIEVED
    }

    /// Whether it is no use to look for another one: what is not drawn like this may be somebody's picture of a board, with the board
    /// itself beside it.
    pub fn is_exact(&self) -> bool {
        self.share > CERTAIN && self.match_ >= CERTAIN && self.grid.is_on_pixels()
    }
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
        "no board of {sought} in the picture of {width}x{height}: {}; show the whole board; `minesight calibrate --name NAME` learns a \
         client or a look that is not known", nearest(*candidates, nearest_client, *best)
    )]
    NoBoard {
        /// Who was looked for: a client, or how many.
        sought: String,
        /// Width of the picture.
        width: u32,
        /// Height of the picture.
        height: u32,
        /// Repeating patterns that were compared with pictures of tiles.
        candidates: usize,
        /// Whose tiles came nearest.
        nearest_client: String,
        /// Per cent of the sampled tiles that were recognised then.
        best: f64,
    },
    /// There is a board, but something lies over it.
    #[error(
        "a board of {client} ({size}) is at {x:.0},{y:.0} but {unrecognised} of its {} tiles are covered or not recognised: \
         bring its window to the front and close its dialogs; `read --page seen.html` shows what was tried", size.tiles()
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
    /// There is a board, but its tiles have looks that nobody knows.
    #[error(
        "a board of {client} ({size}) is at {x:.0},{y:.0}, but {unrecognised} of its {} tiles have a look that no theme of {client} has: \
         `play --client {client} --learn` learns them, or add their pictures to a calibration (--calibration, --templates)", size.tiles()
    )]
    Strange {
        /// Whose board.
        client: String,
        /// Its size.
        size: BoardSize,
        /// Its left edge.
        x: f64,
        /// Its top edge.
        y: f64,
        /// Tiles of such a look.
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

fn nearest(candidates: usize, client: &str, best: f64) -> String {
    match (candidates, client) {
        (0, _) => "nothing in it repeats like tiles do".to_string(),
        (_, "") => format!("none of {candidates} repeating patterns looks like its tiles"),
        _ => format!(
            "of {candidates} repeating patterns the nearest had {best:.0}% of its tiles recognised as {client}'s"
        ),
    }
}

impl LocateError {
    /// The one of the two that says more: a covered board is nearer than none.
    pub fn closer(self, other: LocateError) -> LocateError {
        if self.rank() > other.rank() { self } else { other }
    }

    fn rank(&self) -> f64 {
        match self {
            LocateError::NoClient | LocateError::Blank => -1.0,
            LocateError::NoBoard { best, .. } => *best,
            LocateError::CutOff { .. } | LocateError::GoesOn { .. } => 200.0,
            LocateError::Covered { .. } | LocateError::Strange { .. } => 300.0,
        }
    }
}

/// Mean score of the tiles from which a pattern is believed to be the client's board: on average they are within the first two
/// fifths of the way to the nearest other picture. What is merely drawn in squares passes for one look in many places, but barely.
pub const BELIEVED: f64 = 0.6;
/// Tiles that are classified to judge a candidate.
const JUDGED: usize = 60;
/// Share of tiles that are not recognised from which a board counts as covered: nothing that is played looks like that, and
/// what is left of the board may not be all of it.
const COVERED: f64 = 0.25;
/// Share of the sampled tiles of a pattern that are recognised at least, where a board may be a part of it: what is drawn beside a board may
/// have edges at its pitch, so that some of the pattern lies beside it (kmines in front of a photograph).
const MOSTLY: f64 = 0.5;
/// The share that is [`COVERED`] for a board of a size that is none of the client's levels.
const UNUSUAL: f64 = 0.1;
/// Share of tiles that are recognised where all are, but for a pointer.
const COMPLETE: f64 = 0.97;
/// How well the tiles of an untouched board of no level match at least: half of the way from what is believed to what is certain.
const WHOLE: f64 = (BELIEVED + CERTAIN) / 2.0;
/// So many outermost columns or rows may look like a plain surface.
const MISSING: i64 = 2;
/// Bits of evidence that are enough: less than one chance in a million.
const SIGNIFICANT: f64 = 20.0;
/// So many hidden tiles are compared with each other at most.
const COMPARED: usize = 64;
/// Share of its bounding box that what lies over a board fills: tiles of a look nobody knows are scattered over it.
const SOLID: f64 = 0.75;

/// One theme of one client, as the screen may show it.
#[derive(Clone, Copy)]
pub struct Candidate<'a> {
    /// Whose.
    pub client: &'a Client,
    /// Which theme.
    pub theme: usize,
    /// Its pictures.
    pub skins: &'a Skins,
    /// What the screen makes of them.
    pub variation: Variation,
}

/// How much must be known before a board is believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// That it looks like one.
    Looks,
    /// Also that it has the size of a level, or follows the rules of the game: other squares have bold lines, too.
    Level,
    /// Also that it follows the rules of the game beyond doubt, or is a level of which every tile matches well in colours as screens change them:
    /// any raised squares look like some client's tiles in others.
    Rules,
}

/// How much less a simpler tone may match (chosen, not measured).
const AS_WELL: f64 = 0.02;

/// Why a candidate is no board.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal {
    /// So many of its sampled tiles were recognised (0..1).
    NoBoard(f64),
    /// There is a board, but it cannot be read.
    Board(LocateError),
}

/// How many tiles are not recognised.
fn unrecognised(readings: &[TileReading]) -> usize {
    readings.iter().filter(|reading| reading.tile == Tile::Unrecognised).count()
}

/// The columns (or rows) of a grid from the first to the last in which something can be nothing but a tile.
fn shown(tiles: &Tiles, skin: &Skin, grid: &Grid, way: Way) -> Option<Range<i64>> {
    let (edges, across) = (grid.edges(way), grid.edges(way.across()));
    let is_shown = |edge: &[f64]| {
        let strip = Strip::new(tiles, way, (edge[0], edge[1]), across);
        strip.all().any(|cell| strip.with(cell, |patch| skin.is_shown(patch)) == Some(true))
    };
    let first = edges.windows(2).position(is_shown)? as i64;
    let last = edges.windows(2).rposition(is_shown)? as i64;
    Some(first..last + 1)
}

impl Candidate<'_> {
    fn aspect(&self, lattice: &Lattice) -> f64 {
        self.skins.aspect(lattice.columns.pitch, lattice.lines.pitch)
    }

    fn skin(&self, grid: &Grid) -> Arc<Skin> {
        self.skins.skin(self.variation, grid.pitch().0)
    }

    /// Where in a lattice the tiles may begin, to the pixel, if laid they may be nearer to pictures than `enough`.
    pub fn rough(&self, tiles: &Tiles, lattice: &Lattice, enough: f64) -> Vec<Placed> {
        let skin = self.skins.skin(self.variation, lattice.columns.pitch);
        let least = HOPELESS.max(enough - GAINED);
        let mut found = rough(tiles, lattice, self.aspect(lattice), &skin, least);
        let nearest = found.first().map_or(least, |best| best.near);
        if nearest < FITTING && lattice.is_uneven() && self.skins.is_fine() {
            // A row that lies a pixel beside its line is nearer to no look.
            let grid = self.phases(lattice).into_iter().next().map(|grid| followed(tiles.picture, &grid));
            let placed = grid.map(|grid| Placed { near: nearness(tiles, &*skin, &grid, JUDGED, nearest), grid });
            found.splice(0..0, placed.filter(|placed| placed.near > nearest));
        }
        found
    }

    /// The nearest of some rough grids, laid, if it is nearer than `enough`.
    pub fn laid(&self, tiles: &Tiles, lattice: &Lattice, rough: Vec<Placed>, enough: f64) -> Option<Placed> {
        settled(tiles, &self.skins.skin(self.variation, lattice.columns.pitch), rough, enough)
    }

    /// Where in a lattice the tiles begin, if they are nearer to pictures than `enough`.
    pub fn placed(&self, tiles: &Tiles, lattice: &Lattice, enough: f64) -> Option<Placed> {
        self.laid(tiles, lattice, self.rough(tiles, lattice, enough), enough)
    }

    /// Where in a lattice the tiles may begin, the likeliest first.
    pub fn phases(&self, lattice: &Lattice) -> Vec<Grid> {
        phases(lattice, self.aspect(lattice), &self.skins.skin(self.variation, lattice.columns.pitch))
    }

    /// The grid within a frame, laid to less than a pixel where it lies between two, and how well its tiles match.
    pub fn within(&self, tiles: &Tiles, grid: Grid) -> Placed {
        let skin = self.skin(&grid);
        let near = nearness(tiles, &*skin, &grid, JUDGED, f64::NEG_INFINITY);
        let is_drawn = grid.is_on_pixels() && near > CERTAIN;
        let grid = if is_drawn { grid } else { laid(tiles, &*skin, Placed { grid, near }).grid };
        Placed { near: self.judged(tiles, &grid).1, grid }
    }

    /// A board of which the frame was found: its tiles are known.
    ///
    /// # Errors
    /// Its tiles say that it is none, or it is covered.
    pub fn framed(&self, tiles: &Tiles, grid: Grid) -> Result<Sight, Refusal> {
        let (share, match_) = self.judged(tiles, &grid);
        if match_ < BELIEVED {
            return Err(Refusal::NoBoard(share));
        }
        self.known(&grid, &self.readings(tiles, &grid))?;
        Ok(Sight { grid, theme: self.theme, match_, share, variation: self.variation })
    }

    /// Share of the tiles of a grid that are recognised, and their mean score (0 where not).
    pub fn judged(&self, tiles: &Tiles, grid: &Grid) -> (f64, f64) {
        judge(tiles, &self.skin(grid), grid, JUDGED)
    }

    /// The board of which a placed grid is a part.
    ///
    /// # Errors
    /// It is none, or one that is covered or cut off.
    pub fn board(&self, tiles: &Tiles, placed: Placed, proof: Proof) -> Result<Sight, Refusal> {
        let skin = self.skin(&placed.grid);
        let (share, score) = self.judged(tiles, &placed.grid);
        if score < BELIEVED && share < MOSTLY {
            return Err(Refusal::NoBoard(share));
        }
        let pattern = placed.grid.clone();
        let mut grid = extent(tiles, &*skin, placed.grid, Some(placed.near));
        if let Some(stretch) = self.variation.stretch {
            grid = evened(tiles, &*skin, grid, stretch);
        }
        let size = grid.size();
        if size.width.min(size.height) < SMALLEST || !has_lines(tiles.picture, &grid) {
            return Err(Refusal::NoBoard(share));
        }
        let mut rim = self.question(tiles, &skin, &grid, &pattern).answer();
        if !self.client.has_size(size)
            && let Some(known) = self.of_known_size(tiles, &skin, &grid, &pattern, rim)
        {
            (grid, rim) = (known, Rim::Whole);
        }
        // With straight edges all of them match better than some did.
        let whole = self.judged(tiles, &grid);
        let (share, match_) = if whole.1 > score { whole } else { (share, score) };
        let is_believed = match_ >= BELIEVED;
        let size = grid.size();
        if !is_believed && !self.is_evident(&self.readings(tiles, &grid), size) {
            return Err(Refusal::NoBoard(share));
        }
        self.whole(rim, &grid, share)?;
        let mut readings = self.readings(tiles, &grid);
        let is_untouched = readings.iter().all(|tile| matches!(tile.tile, Tile::Hidden | Tile::Unrecognised));
        if is_untouched && let Some(other) = joined(tiles.picture, &grid) {
            if !self.client.has_size(other.size()) {
                return Err(self.covered(&grid, &readings));
            }
            grid = other;
            readings = self.readings(tiles, &grid);
        }
        if let Some(followed) = self.followed(tiles, &grid, &readings) {
            (grid, readings) = followed;
        }
        self.known(&grid, &readings)?;
        if match_ < CERTAIN && self.has_open_among_hidden(tiles, &grid, &readings) {
            return Err(self.covered(&grid, &readings));
        }
        let sight = Sight { grid, theme: self.theme, match_, share, variation: self.variation };
        if self.is_proved(&sight, &readings, is_untouched, proof) { Ok(sight) } else { Err(Refusal::NoBoard(share)) }
    }

    /// Whether what is seen can be nothing but a board, by so strong a proof.
    fn is_proved(&self, sight: &Sight, readings: &[TileReading], is_untouched: bool, proof: Proof) -> bool {
        let &Sight { share, match_, .. } = sight;
        let size = sight.grid.size();
        let is_level = self.client.has_size(size);
        match proof {
            Proof::Looks => {
                // Squares that are all alike may be any pattern's. Those of a whole board have a border around them: they must fit well, but need
                // not be drawn at a size of the pictures.
                let is_whole = share > COMPLETE && match_ > WHOLE && !self.is_small(size);
                let is_vague = is_untouched || self.is_small(size);
                is_level || !is_vague || match_ > CERTAIN || is_whole || self.is_evident(readings, size)
            }
            Proof::Level => is_level || self.is_evident(readings, size),
            // In colours as a screen changes them, not each by itself, tiles that all match can be no others.
            Proof::Rules => {
                let is_plain = self.variation.tone.is_some_and(|tone| tone.is_plain());
                let is_near = is_plain && share > COMPLETE && match_ > CERTAIN;
                is_near && (is_level || match_ > EXACT)
                    || self.bits(readings, size) >= if is_level || is_near { SIGNIFICANT } else { 2.0 * SIGNIFICANT }
            }
        }
    }

    fn question<'a>(
        &'a self,
        tiles: &'a Tiles,
        skin: &'a Arc<Skin>,
        grid: &'a Grid,
        pattern: &'a Grid,
    ) -> Question<'a> {
        let has_backdrop = self.client.themes[self.theme].backdrop;
        // Between pixels nothing is drawn but by what stretches a window.
        let is_smeared = self.variation.stretch.is_some() || !grid.is_on_pixels();
        Question { tiles, client: self.client, has_backdrop, is_smeared, skin, grid, pattern }
    }

    /// The board of a size that its client is known to have, if a grid is a little more or less than that: all of its tiles that can be
    /// nothing else, less of what the ground beside a board looks like, or more of what looks like the ground, as empty tiles do
    /// and where a desktop smears faint lines. That must be recognised, the whole must have a border, and be the only one.
    fn of_known_size(&self, tiles: &Tiles, skin: &Arc<Skin>, grid: &Grid, pattern: &Grid, rim: Rim) -> Option<Grid> {
        let [columns, lines] = Way::BOTH.map(|way| shown(tiles, skin, grid, way));
        let (columns, lines) = (columns?, lines?);
        let part = |across: (i64, u32), down: (i64, u32)| Grid {
            columns: grid.run(Way::Columns, across.0, across.1 + 1),
            lines: grid.run(Way::Lines, down.0, down.1 + 1),
        };
        let unknown = |grid: &Grid| unrecognised(&self.readings(tiles, grid));
        let span = |range: &Range<i64>| (range.start, (range.end - range.start) as u32);
        let core = part(span(&columns), span(&lines));
        let (own, known) = (grid.size(), unknown(&core));
        // What is whole misses nothing.
        let missing = if rim == Rim::Whole { 0 } else { MISSING };
        let starts = |core: &Range<i64>, own: u32, all: u32| {
            let (own, all) = (i64::from(own), i64::from(all));
            (core.end - all).max(-missing)..=core.start.min(own + missing - all)
        };
        let is_whole = |whole: &Grid| {
            let more = unknown(whole).saturating_sub(known);
            let question = self.question(tiles, skin, whole, pattern);
            let ends = |way: Way| (grid.edges(way)[0], grid.edges(way)[grid.edges(way).len() - 1]);
            let is_within = Way::BOTH.into_iter().all(|way| {
                let (first, last) = ends(way);
                whole.edges(way).iter().all(|edge| (first..=last).contains(edge))
            });
            more * 10 <= whole.size().tiles() - core.size().tiles()
                && (is_within || question.is_framed())
                && question.answer() == Rim::Whole
        };
        let wholes = self.client.known_sizes().into_iter().map(|size| {
            let across = starts(&columns, own.width, size.width);
            let all = across.flat_map(|x| starts(&lines, own.height, size.height).map(move |y| (x, y)));
            let all = all.map(|(x, y)| part((x, size.width), (y, size.height)));
            all.filter(is_whole).take(2).collect::<Vec<Grid>>()
        });
        let mut wholes = wholes.into_iter().find(|wholes| !wholes.is_empty())?;
        wholes.pop().filter(|_| wholes.is_empty())
    }

    /// What brings the colours of a grid back whose tiles are known to the pixel: the simplest tone in which they match.
    pub fn tone(&self, tiles: &Tiles, grid: &Grid) -> Option<Tone> {
        let skin = self.skins.skin(Variation { tone: None, ..self.variation }, grid.pitch().0);
        let judged = |tone: Tone| {
            let variation = Variation { tone: Some(tone), ..self.variation };
            (tone, Self { variation, ..*self }.judged(tiles, grid).1)
        };
        let tones: Vec<(Tone, f64)> = toning::tones(&Sample::new(tiles, grid), &skin).into_iter().map(judged).collect();
        let best = tones.iter().map(|(_, match_)| *match_).fold(0.0, f64::max);
        tones.into_iter().find(|(_, match_)| *match_ > best - AS_WELL).map(|(tone, _)| tone)
    }

    /// What brings the colours of a board that was found back, if its tiles match clearly better then.
    pub fn correction(&self, tiles: &Tiles, grid: &Grid) -> Option<Tone> {
        toning::correction(&Sample::new(tiles, grid), &self.skin(grid))
    }

    /// What every tile is taken for, and can be believed to be.
    fn readings(&self, tiles: &Tiles, grid: &Grid) -> Vec<TileReading> {
        let skin = self.skin(grid);
        let mut readings: Vec<TileReading> = grid.size().cells().map(|cell| tiles.reading(grid, cell, &skin)).collect();
        strike(&mut readings, grid.size(), None, self.client.rules.floods);
        readings
    }

    fn whole(&self, rim: Rim, grid: &Grid, share: f64) -> Result<(), Refusal> {
        let (client, corner) = (self.client.name.clone(), grid.origin());
        let (x, y, size) = (corner.x, corner.y, grid.size());
        Err(Refusal::Board(match rim {
            Rim::Whole => return Ok(()),
            Rim::NoSize => return Err(Refusal::NoBoard(share)),
            Rim::PartOf(level) => {
                let unrecognised = level.tiles() - size.tiles();
                LocateError::Covered { client, size: level, x, y, unrecognised }
            }
            Rim::GoesOn => LocateError::GoesOn { client, size, x, y },
            Rim::CutOff(side) => LocateError::CutOff { client, x, y, side },
        }))
    }

    /// Whether a board is smaller than any level: a few squares of another game may look like such.
    fn is_small(&self, size: BoardSize) -> bool {
        self.client.levels.iter().all(|level| size.tiles() < level.size().tiles())
    }

    /// A board of which much is not recognised with its lines where the picture itself says that they are, if most of that is recognised so:
    /// of a table some rows may be a pixel higher, and not every second or third one.
    fn followed(&self, tiles: &Tiles, grid: &Grid, readings: &[TileReading]) -> Option<(Grid, Vec<TileReading>)> {
        let missing = unrecognised(readings);
        if missing as f64 <= (1.0 - COMPLETE) * readings.len() as f64 {
            return None;
        }
        let followed = followed(tiles.picture, grid);
        let readings = self.readings(tiles, &followed);
        (unrecognised(&readings) * 2 < missing).then_some((followed, readings))
    }

    /// Whether enough of a board is recognised to be played.
    fn known(&self, grid: &Grid, readings: &[TileReading]) -> Result<(), Refusal> {
        let unrecognised = unrecognised(readings);
        let is_marked = |reading: &&TileReading| !matches!(reading.tile, Tile::Unrecognised | Tile::Open(0));
        let marked = readings.iter().filter(is_marked).count();
        // Of a size that is no level, nothing but its tiles says that it is a board.
        let few = if self.client.has_size(grid.size()) { COVERED } else { UNUSUAL };
        // Any page with a plain ground has many tiles that look empty: more must be there than what cannot be told.
        let is_known = (unrecognised as f64) < few * readings.len() as f64 && unrecognised < marked;
        if is_known { Ok(()) } else { Err(self.covered(grid, readings)) }
    }

    fn covered(&self, grid: &Grid, readings: &[TileReading]) -> Refusal {
        let (client, size, corner) = (self.client.name.clone(), grid.size(), grid.origin());
        let unknown: Vec<_> = size
            .cells()
            .zip(readings)
            .filter(|(_, tile)| tile.tile == Tile::Unrecognised)
            .map(|(cell, _)| cell)
            .collect();
        let span = |of: fn(&crate::geometry::Cell) -> u32| {
            let (least, most) = (unknown.iter().map(of).min(), unknown.iter().map(of).max());
            least.zip(most).map_or(0, |(least, most)| most - least + 1) as usize
        };
        let (x, y, unrecognised) = (corner.x, corner.y, unknown.len());
        let is_scattered = (unrecognised as f64) < SOLID * (span(|cell| cell.x) * span(|cell| cell.y)) as f64;
        Refusal::Board(if is_scattered && unrecognised < size.tiles() {
            LocateError::Strange { client, size, x, y, unrecognised }
        } else {
            let unrecognised = if unrecognised == 0 { size.tiles() } else { unrecognised };
            LocateError::Covered { client, size, x, y, unrecognised }
        })
    }

    /// Whether numbers, or open tiles, were taken for hidden ones.
    pub fn has_open_among_hidden(&self, tiles: &Tiles, grid: &Grid, readings: &[TileReading]) -> bool {
        let cells = grid.size().cells().zip(readings);
        let hidden: Vec<_> = cells.filter(|(_, tile)| tile.tile == Tile::Hidden).map(|(cell, _)| cell).collect();
        let some = hidden.iter().step_by(hidden.len().div_ceil(COMPARED).max(1));
        let patches: Vec<Patch> = some.filter_map(|&cell| tiles.with_cell(grid, cell, |patch| **patch)).collect();
        numbers_among(&patches, &self.skin(grid)) >= 2 || !self.skins.is_translucent() && are_of_two_kinds(&patches)
    }

    /// Whether what is read is beyond doubt by the rules of the game alone.
    fn is_evident(&self, readings: &[TileReading], size: BoardSize) -> bool {
        self.bits(readings, size) >= SIGNIFICANT
    }

    /// Bits of evidence that what is read follows the rules of the game.
    fn bits(&self, readings: &[TileReading], size: BoardSize) -> f64 {
        let tiles: Vec<Tile> = readings.iter().map(|reading| reading.tile).collect();
        evidence(&tiles, size, self.client.rules.floods).unwrap_or(f64::NEG_INFINITY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::{self, Picture};
    use crate::screenshot::Screenshot;
    use crate::vision::Eyes;
    use image::{Rgba, RgbaImage, imageops};

    /// A white tile of 96 pixels with a line on its left and below it, and so many thin bars in its middle.
    fn tile(height: u32, bars: u32) -> RgbaImage {
        RgbaImage::from_fn(96, height, |x, y| {
            let is_bar = (40..40 + 6 * bars).contains(&x) && x % 6 < 2 && (21..31).contains(&y);
            let light = if x < 2 || y >= height - 2 { 136 } else { 244 };
            Rgba(if is_bar { [30, 30, 30, 255] } else { [light, light, light, 255] })
        })
    }

    /// As JavaFX lays out a table of 538 pixels.
    #[test]
    fn rows_that_are_not_even_are_followed() {
        let all = client::bundled().unwrap();
        let mut client = client::by_name(&all, "winemine").unwrap().clone();
        client.themes.truncate(1);
        (client.counter, client.custom_boards) = (None, true);
        let looks = [Tile::Hidden, Tile::Open(0), Tile::Open(1), Tile::Open(2), Tile::Flag].into_iter().zip(0..);
        let picture = |(tile, bars)| Picture { tile, file: format!("{bars}.png"), pixels: self::tile(53, bars) };
        client.themes[0].pictures = looks.map(picture).collect();
        let heights = [53, 53, 53, 54, 54, 54, 54, 54, 54, 54];
        let mut screen = RgbaImage::from_pixel(1100, 700, Rgba([200, 205, 210, 255]));
        // The line above the first row, and that on the right of the last column.
        imageops::replace(&mut screen, &RgbaImage::from_pixel(962, 540, Rgba([136, 136, 136, 255])), 70, 58);
        let mut lines = vec![60];
        for height in heights {
            let top = lines[lines.len() - 1];
            (0..10).for_each(|column| imageops::replace(&mut screen, &tile(height, 0), 70 + 96 * column, top));
            lines.push(top + i64::from(height));
        }
        let (eyes, tiles) = (Eyes::new(Arc::new(client)), Tiles::new(&screen));
        let candidate = eyes.candidate(0, Variation::default());
        let columns = (0..=10).map(|column| 70.0 + 96.0 * f64::from(column)).collect();
        // As even lines lie where they were followed from the one above the board.
        let even = Grid { columns, lines: (0..=10).map(|line| 57.0 + 54.0 * f64::from(line)).collect() };
        let readings = candidate.readings(&tiles, &even);
        assert!(candidate.known(&even, &readings).is_err());
        let (grid, readings) = candidate.followed(&tiles, &even, &readings).unwrap();
        assert!(readings.iter().all(|reading| reading.tile == Tile::Hidden));
        let found = grid.edges(Way::Lines);
        let off: Vec<f64> = found.iter().zip(&lines).map(|(found, line)| found - *line as f64).collect();
        assert!(off.iter().all(|by| *by == off[0] && by.abs() <= 2.0), "{off:?}");
    }

    /// As Qt lays out buttons with a letter or a digit in them: a row that lies a pixel beside its line differs more than two letters do.
    #[test]
    fn small_figures_on_rows_that_are_not_even_are_found() {
        // The first columns of a letter and of three digits.
        let glyphs: [(Tile, [u8; 4]); 4] = [
            (Tile::Hidden, [0b1001, 0b0110, 0b0110, 0b1001]),
            (Tile::Open(0), [0b0110, 0b1001, 0b1001, 0b0110]),
            (Tile::Open(1), [0b0010, 0b0110, 0b0010, 0b0111]),
            (Tile::Open(2), [0b0110, 0b0001, 0b0110, 0b1111]),
        ];
        let button = |height: u32, glyph: [u8; 4]| {
            RgbaImage::from_fn(86, height, |x, y| {
                let (across, down) = (x.wrapping_sub(40) / 2, y.wrapping_sub(26) / 2);
                let is_glyph = across < 4 && down < 4 && glyph[down as usize] >> (3 - across) & 1 == 1;
                let light = match (x, y) {
                    _ if is_glyph => 0,
                    _ if !(3..83).contains(&x) || !(3..height - 4).contains(&y) => 239,
                    _ if x == 3 || x == 82 || y == 3 || y == height - 5 => 170,
                    (_, y) => 255 - (y / 4) as u8,
                };
                Rgba([light, light, light, 255])
            })
        };
        let all = client::bundled().unwrap();
        let mut client = client::by_name(&all, "winemine").unwrap().clone();
        client.themes.truncate(1);
        (client.counter, client.custom_boards) = (None, true);
        let pictures = glyphs.iter().flat_map(|(tile, glyph)| {
            let file = format!("{}.png", tile.to_char());
            [65, 66].map(|height| Picture { tile: *tile, file: file.clone(), pixels: button(height, *glyph) })
        });
        client.themes[0].pictures = pictures.collect();
        let mut screen = RgbaImage::from_pixel(1000, 760, Rgba([239, 239, 239, 255]));
        let mut top = 80;
        for height in [65, 66, 65, 65, 66, 65, 65, 66, 65] {
            (0..9)
                .for_each(|column| imageops::replace(&mut screen, &button(height, glyphs[0].1), 90 + 86 * column, top));
            top += i64::from(height);
        }
        let sight = Eyes::new(Arc::new(client)).find(&Screenshot::from_picture(screen)).unwrap();
        assert_eq!((sight.grid.size(), sight.share), (BoardSize::new(9, 9), 1.0));
    }
}
