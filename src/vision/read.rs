//! Every tile of a grid → [`Reading`]. [`Eyes`] are the eyes for one client: its pictures prepared for comparing, and a
//! memory of what was seen, so that only tiles that changed are compared again.

use super::classify::{Compared, Looks, Scaled};
use super::counter::Digits;
use super::doubt::{numbers_among, strike};
use super::lattice::{Lattice, Patterns};
use super::locate::{CERTAIN, LocateError, Sight, is_evident, joined, locate, sample, tone_of};
use super::patch::{Patch, Scratch, Taps, patch};
use super::{Grid, Reading, TileReading, ground, tone};
use crate::board::Tile;
use crate::client::{Client, Theme};
use crate::geometry::Cell;
use crate::screenshot::Screenshot;
use image::{RgbaImage, imageops};
use std::cell::OnceCell;
use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

/// Eyes for one client.
#[derive(Clone, Debug)]
pub struct Eyes {
    client: Arc<Client>,
    themes: Vec<Looks>,
    digits: Option<Digits>,
    memory: Memory,
    /// The theme a board was found in, and the one it turned out to have: fresh boards of several themes may look the same.
    turned: Option<(usize, usize)>,
    /// The colours of its tiles between which a ground shows; known when they are needed.
    faces: OnceLock<Vec<ground::Colour>>,
    /// Eyes for the client's tiles as a desktop shows them that enlarges windows smoothly; made when they are needed.
    soft: Option<Box<Eyes>>,
}

/// Deviation of the smoothing, in pixels of a client's pictures: that of a picture enlarged by straight lines between its pixels, or
/// moved by half of one.
const SOFT: f32 = 0.7;

impl Eyes {
    /// Prepares the pictures of a client.
    pub fn new(client: Arc<Client>) -> Self {
        let digits = client.counter.as_ref().map(Digits::new);
        let themes = client.themes.iter().map(Looks::new).collect();
        Self::of(client, themes, digits)
    }

    fn of(client: Arc<Client>, themes: Vec<Looks>, digits: Option<Digits>) -> Self {
        Self { client, themes, digits, memory: Memory::default(), turned: None, faces: OnceLock::new(), soft: None }
    }

    /// The same eyes for tiles that are smeared.
    fn soft(&mut self) -> &mut Eyes {
        let client = &self.client;
        self.soft.get_or_insert_with(|| {
            let mut themes = client.themes.clone();
            for picture in themes.iter_mut().flat_map(|theme| &mut theme.pictures) {
                picture.pixels = imageops::blur(&picture.pixels, SOFT);
            }
            Box::new(Self::of(client.clone(), themes.iter().map(Looks::new).collect(), None))
        })
    }

    /// Whose eyes these are.
    pub fn client(&self) -> &Arc<Client> {
        &self.client
    }

    /// Finds the client's board anywhere in a picture.
    ///
    /// # Errors
    /// No board, or one that is covered or cut off.
    pub fn find(&mut self, shot: &Screenshot) -> Result<Sight, LocateError> {
        let patterns = Patterns::new(&shot.pixels);
        match search(&patterns, |lattices| self.find_among(shot, lattices)) {
            Ok(sight) => self.checked(shot, sight),
            Err(error) => self.find_changed(shot, &patterns).ok_or(error),
        }
    }

    /// Finds a board that is smeared.
    fn find_soft(&mut self, shot: &Screenshot, patterns: &Patterns) -> Option<Sight> {
        // What is found by its frame is found by the exact pixels of that.
        if self.themes.iter().all(|looks| looks.frame().is_some()) {
            return None;
        }
        let soft = self.soft();
        let sight = search(patterns, |lattices| soft.find_among(shot, lattices)).ok()?;
        Some(Sight { is_soft: true, ..soft.checked(shot, sight).ok()? })
    }

    /// A board that was found, in the client's own colours, unless its tiles match so badly that they may be others.
    fn checked(&mut self, shot: &Screenshot, sight: Sight) -> Result<Sight, LocateError> {
        if sight.match_ >= CERTAIN {
            return Ok(sight);
        }
        let sight = self.corrected(shot, sight)?;
        self.believed(shot, sight)
    }

    /// The same board in the client's own colours, if it was found in others: hidden tiles may look like open ones in them, and the
    /// ground beside a board like its tiles.
    fn corrected(&mut self, shot: &Screenshot, sight: Sight) -> Result<Sight, LocateError> {
        let looks = self.themes[sight.theme].at(sight.grid.pitch().0);
        let Some(tone) = tone::correction(&sample(&shot.pixels, &sight.grid), &looks) else { return Ok(sight) };
        let restored = Screenshot { pixels: tone.restore(&shot.pixels), ..*shot };
        let other = search(&Patterns::new(&restored.pixels), |lattices| self.find_among(&restored, lattices))?;
        Ok(Sight { tone: Some(tone), ..other })
    }

    /// A board, unless numbers were taken for hidden tiles.
    fn believed(&mut self, shot: &Screenshot, sight: Sight) -> Result<Sight, LocateError> {
        let reading = self.read(shot, &sight);
        let size = sight.grid.size();
        let mut patches = Patches::new(&shot.pixels, &sight.grid.columns, &sight.grid.lines);
        let is_hidden = |&(_, tile): &(Cell, &TileReading)| tile.tile == Tile::Hidden;
        let hidden: Vec<Cell> = size.cells().zip(&reading.tiles).filter(is_hidden).map(|(cell, _)| cell).collect();
        let some = hidden.iter().step_by(hidden.len().div_ceil(COMPARED).max(1));
        let tiles: Vec<Patch> = some.filter_map(|&cell| patches.get(cell)).collect();
        let numbers = numbers_among(&tiles, &self.themes[sight.theme].at(sight.grid.pitch().0));
        if numbers < 2 {
            return Ok(sight);
        }
        Err(self.covered(&sight.grid, hidden.len()))
    }

    fn covered(&self, grid: &Grid, unrecognised: usize) -> LocateError {
        let (client, corner) = (self.client.name.clone(), grid.origin());
        LocateError::Covered { client, size: grid.size(), x: corner.x, y: corner.y, unrecognised }
    }

    /// Finds a board that is hidden in a photograph, smeared, or has not the client's own colours all over.
    fn find_changed(&mut self, shot: &Screenshot, patterns: &Patterns) -> Option<Sight> {
        self.find_bold(shot, patterns)
            .or_else(|| self.find_grounded(shot, patterns))
            .or_else(|| self.find_soft(shot, patterns))
            .or_else(|| self.find_toned(shot, patterns))
    }

    /// Finds a board by its bold lines alone. It must have the size of a level, or follow the rules of the game: other squares have bold
    /// lines, too.
    fn find_bold(&mut self, shot: &Screenshot, patterns: &Patterns) -> Option<Sight> {
        patterns.bold().find_map(|lattices| {
            let sight = self.find_among(shot, lattices).and_then(|sight| self.checked(shot, sight)).ok()?;
            let is_sure = |eyes: &mut Self| {
                let tiles: Vec<Tile> = eyes.read(shot, &sight).tiles.iter().map(|reading| reading.tile).collect();
                is_evident(&tiles, sight.grid.size())
            };
            (self.client.level_of(sight.grid.size()).is_some() || is_sure(self)).then_some(sight)
        })
    }

    /// Finds a board on another ground, and keeps the themes that were painted on it.
    fn find_grounded(&mut self, shot: &Screenshot, patterns: &Patterns) -> Option<Sight> {
        let themes = &self.client.themes;
        let ground = ground::seen(&shot.pixels, self.faces.get_or_init(|| ground::faces(themes)), themes)?;
        let painted: Vec<Theme> = self.client.themes.iter().filter_map(|theme| ground::on(theme, ground)).collect();
        let known = self.client.themes.len();
        let client = Client { themes: painted, ..(*self.client).clone() };
        let mut eyes = Self::new(Arc::new(client));
        let found = search(patterns, |lattices| eyes.find_among(shot, lattices));
        let sight =
            found.and_then(|sight| eyes.checked(shot, sight)).ok().or_else(|| eyes.find_bold(shot, patterns))?;
        let mut client = (*self.client).clone();
        client.themes.extend(eyes.client.themes.iter().cloned());
        self.client = Arc::new(client);
        self.themes.extend(eyes.themes);
        Some(Sight { theme: known + sight.theme, ..sight })
    }

    /// Finds a board whose colours changed as a whole. Any raised squares look like some client's tiles then: only the rules of the game
    /// tell that it is one.
    fn find_toned(&mut self, shot: &Screenshot, patterns: &Patterns) -> Option<Sight> {
        let tone = tone_of(&shot.pixels, patterns.clear(), &self.themes)?;
        let restored = Screenshot { pixels: tone.restore(&shot.pixels), ..*shot };
        let sight = search(&Patterns::new(&restored.pixels), |lattices| self.find_among(&restored, lattices)).ok()?;
        let tiles: Vec<Tile> = self.read(&restored, &sight).tiles.iter().map(|reading| reading.tile).collect();
        is_evident(&tiles, sight.grid.size()).then_some(Sight { tone: Some(tone), ..sight })
    }

    fn find_among(&mut self, shot: &Screenshot, lattices: &[Lattice]) -> Result<Sight, LocateError> {
        let mut sight = locate(shot, lattices, &self.client, &self.themes)?;
        let mut reading = self.read(shot, &sight);
        let is_untouched = |tile: &TileReading| matches!(tile.tile, Tile::Hidden | Tile::Unrecognised);
        if reading.tiles.iter().all(is_untouched)
            && let Some(grid) = joined(&shot.pixels, &sight.grid)
        {
            if self.client.level_of(grid.size()).is_none() {
                return Err(self.covered(&sight.grid, sight.grid.size().tiles()));
            }
            sight.grid = grid;
            reading = self.read(shot, &sight);
        }
        let size = sight.grid.size();
        let unrecognised = reading.unrecognised().count();
        let is_marked = |reading: &&TileReading| !matches!(reading.tile, Tile::Unrecognised | Tile::Open(0));
        let marked = reading.tiles.iter().filter(is_marked).count();
        // Of a size that is no level, nothing but its tiles says that it is a board.
        let few = if self.client.level_of(size).is_some() { COVERED } else { STRANGE };
        // Any page with a plain ground has many tiles that look empty: more must be there than what cannot be told.
        if (unrecognised as f64) < few * size.tiles() as f64 && unrecognised < marked {
            return Ok(sight);
        }
        Err(self.covered(&sight.grid, unrecognised))
    }

    /// Reads every tile of a board that was found before. The grid may have moved with the picture ([`Grid::moved`]).
    pub fn read(&mut self, shot: &Screenshot, sight: &Sight) -> Reading {
        if sight.is_soft {
            return self.soft().read(shot, &Sight { is_soft: false, ..sight.clone() });
        }
        if let Some(tone) = sight.tone {
            let (pixels, corner) = around(&shot.pixels, &sight.grid);
            let restored = Screenshot { pixels: tone.restore(&pixels), ..*shot };
            let grid = sight.grid.moved(corner.0, corner.1);
            let reading = self.read(&restored, &Sight { grid, tone: None, ..sight.clone() });
            return Reading { grid: sight.grid.clone(), ..reading };
        }
        let (found, theme) = (sight.theme, self.theme(sight));
        self.turned = self.turned.filter(|(from, _)| *from == found);
        let mut tiles = self.memory.read(&shot.pixels, &sight.grid, theme, &self.themes[theme]);
        // What was not recognised before is no news.
        let better =
            if self.memory.has_news { self.better_theme(&shot.pixels, &sight.grid, theme, &tiles) } else { None };
        if let Some(theme) = better {
            self.turned = Some((found, theme));
            tiles = self.memory.read(&shot.pixels, &sight.grid, theme, &self.themes[theme]);
        }
        strike(&mut tiles, sight.grid.size());
        Reading {
            client: self.client.name.clone(),
            theme: self.client.themes[better.unwrap_or(theme)].name.clone(),
            grid: sight.grid.clone(),
            tiles,
            mines_left: None,
        }
    }

    /// The theme a board has, as far as is known: on a fresh board it may not show yet.
    pub fn theme(&self, sight: &Sight) -> usize {
        if sight.is_soft
            && let Some(soft) = &self.soft
        {
            return soft.theme(&Sight { is_soft: false, ..sight.clone() });
        }
        let found = sight.theme.min(self.themes.len() - 1);
        self.turned.filter(|(from, _)| *from == sight.theme).map_or(found, |(_, to)| to)
    }

    /// The theme that recognises most of what this one does not, if it also recognises more altogether, or as much and
    /// fits better. How well the tiles fit that both recognise says little: hidden ones of several themes may be alike.
    fn better_theme(&self, picture: &RgbaImage, grid: &Grid, theme: usize, tiles: &[TileReading]) -> Option<usize> {
        let size = grid.size();
        let is_known = |reading: &TileReading| reading.tile != Tile::Unrecognised;
        let missing: Vec<Cell> =
            size.cells().zip(tiles).filter(|(_, tile)| !is_known(tile)).map(|(cell, _)| cell).collect();
        if missing.is_empty() {
            return None;
        }
        let worth = |readings: &mut dyn Iterator<Item = TileReading>| -> (usize, f32) {
            readings.filter(is_known).fold((0, 0.0), |(known, score), reading| (known + 1, score + reading.score))
        };
        let mut best = (theme, worth(&mut tiles.iter().copied()));
        let mut patches = Patches::new(picture, &grid.columns, &grid.lines);
        for other in (0..self.themes.len()).filter(|&other| other != theme) {
            let looks = self.themes[other].at(grid.pitch().0);
            let mut met: HashMap<u64, TileReading> = HashMap::new();
            let mut look = |cell: Cell| {
                let key = self.memory.keys[size.index(cell)];
                *met.entry(key).or_insert_with(|| look(&mut patches, cell, &looks))
            };
            let known = missing.iter().filter(|&&cell| is_known(&look(cell))).count();
            if known * 2 <= missing.len() {
                continue;
            }
            let worth = worth(&mut size.cells().map(look));
            if worth > best.1 {
                best = (other, worth);
            }
        }
        (best.0 != theme).then_some(best.0)
    }
}

impl Eyes {
    /// What the client's counter shows (mines less flags) beside a board that was read from the same picture, if it has one
    /// and what it shows is beyond doubt.
    pub fn mines_left(&self, shot: &Screenshot, reading: &Reading) -> Option<i32> {
        let count =
            |wanted: fn(Tile) -> bool| reading.tiles.iter().filter(|reading| wanted(reading.tile)).count() as u32;
        let all_known = count(|tile| tile == Tile::Unrecognised) == 0;
        let flags = all_known.then(|| count(|tile| matches!(tile, Tile::Flag | Tile::WrongFlag)));
        self.digits.as_ref()?.mines_left(&shot.pixels, &reading.grid, flags)
    }

    /// What one tile was compared with, the best picture first.
    pub fn compare(&self, shot: &Screenshot, sight: &Sight, cell: Cell) -> Vec<Compared> {
        if sight.is_soft
            && let Some(soft) = &self.soft
        {
            return soft.compare(shot, &Sight { is_soft: false, ..sight.clone() }, cell);
        }
        let theme = self.theme(sight);
        let restored = sight.tone.map(|tone| tone.restore(&shot.pixels));
        let patch =
            Patches::new(restored.as_ref().unwrap_or(&shot.pixels), &sight.grid.columns, &sight.grid.lines).get(cell);
        let looks = self.themes[theme].at(sight.grid.pitch().0);
        patch.map_or(Vec::new(), |patch| looks.compare(&patch, &self.client.themes[theme]))
    }
}

/// The part of a picture that a grid covers, and its left and top edge.
fn around(picture: &RgbaImage, grid: &Grid) -> (RgbaImage, (f64, f64)) {
    let span = |edges: &[f64], limit: u32| {
        let place = |edge: f64| edge.clamp(0.0, limit.into());
        (place(edges[0].floor()) as u32, place(edges[edges.len() - 1].ceil()) as u32)
    };
    let ((left, right), (top, bottom)) = (span(&grid.columns, picture.width()), span(&grid.lines, picture.height()));
    let part = imageops::crop_imm(picture, left, top, right - left, bottom - top).to_image();
    (part, (left.into(), top.into()))
}

/// Share of tiles that are not recognised from which a board counts as covered: nothing that is played looks like that, and
/// what is left of the board may not be all of it.
pub(super) const COVERED: f64 = 0.25;

/// The share that is [`COVERED`] for a board of a size that is none of the client's levels.
const STRANGE: f64 = 0.1;

/// So many hidden tiles are compared with each other at most.
const COMPARED: usize = 64;

/// Tries every client on one picture; the best match wins. Returns whose board it is and where.
///
/// # Errors
/// No board of any client, or the best one is covered or cut off.
pub fn find_any(eyes: &mut [Eyes], shot: &Screenshot) -> Result<(usize, Sight), LocateError> {
    let patterns = Patterns::new(&shot.pixels);
    match search(&patterns, |lattices| find_any_among(eyes, shot, lattices)) {
        Ok((whose, sight)) => Ok((whose, eyes[whose].checked(shot, sight)?)),
        Err(error) => {
            let changed = eyes.iter_mut().enumerate();
            let changed = changed.filter_map(|(index, eyes)| Some((index, eyes.find_changed(shot, &patterns)?)));
            changed.max_by(|a, b| a.1.match_.total_cmp(&b.1.match_)).ok_or(error)
        }
    }
}

/// Looks among the clearest lattices of a picture first, then among those beside them and those without lines.
fn search<T>(
    patterns: &Patterns,
    mut look: impl FnMut(&[Lattice]) -> Result<T, LocateError>,
) -> Result<T, LocateError> {
    look(patterns.clear())
        .or_else(|error| look(patterns.beside()).map_err(|other| other.closer(error)))
        .or_else(|error| look(patterns.faint()).map_err(|other| other.closer(error)))
}

fn find_any_among(eyes: &mut [Eyes], shot: &Screenshot, lattices: &[Lattice]) -> Result<(usize, Sight), LocateError> {
    let mut found: Option<(usize, Sight)> = None;
    let mut failed: Option<LocateError> = None;
    for (index, eyes) in eyes.iter_mut().enumerate() {
        match eyes.find_among(shot, lattices) {
            Ok(sight) if found.as_ref().is_none_or(|(_, best)| sight.match_ > best.match_) => {
                found = Some((index, sight))
            }
            Ok(_) => {}
            Err(error) => {
                failed = Some(match failed {
                    Some(other) => error.closer(other),
                    None => error,
                });
            }
        }
    }
    found.ok_or_else(|| failed.unwrap_or(LocateError::NoClient))
}

/// The tiles of a grid in one picture, brought to the fixed size.
pub(super) struct Patches<'a> {
    picture: &'a RgbaImage,
    columns: Spans,
    lines: Spans,
    scratch: Scratch,
}

impl<'a> Patches<'a> {
    pub(super) fn new(picture: &'a RgbaImage, columns: &[f64], lines: &[f64]) -> Self {
        let (width, height) = picture.dimensions();
        Self {
            picture,
            columns: Spans::new(columns, width),
            lines: Spans::new(lines, height),
            scratch: Scratch::default(),
        }
    }

    /// One tile; `None` if it is not wholly in the picture.
    pub(super) fn get(&mut self, cell: Cell) -> Option<Patch> {
        let (across, down) = (self.columns.get(cell.x as usize)?, self.lines.get(cell.y as usize)?);
        Some(patch(self.picture, across, down, &mut self.scratch))
    }
}

/// The columns, or the rows, of a grid; most are never asked for.
struct Spans {
    limit: u32,
    spans: Vec<(f64, f64, OnceCell<Option<Taps>>)>,
}

impl Spans {
    fn new(edges: &[f64], limit: u32) -> Self {
        Self { limit, spans: edges.windows(2).map(|edge| (edge[0], edge[1], OnceCell::new())).collect() }
    }

    fn get(&self, index: usize) -> Option<&Taps> {
        let (from, to, taps) = &self.spans[index];
        taps.get_or_init(|| Taps::new(*from, *to, self.limit)).as_ref()
    }
}

/// What was seen before.
#[derive(Clone, Debug, Default)]
struct Memory {
    /// The grid and theme the rest is about.
    grid: Option<(Grid, usize)>,
    /// The last picture of the board, tile by tile, each line by line.
    pixels: Vec<u8>,
    tiles: Vec<TileReading>,
    /// The same picture of a tile in the same place of its pixels has the same key.
    keys: Vec<u64>,
    /// Every picture of a tile met so far, by its key.
    known: HashMap<u64, TileReading>,
    /// The last picture had tiles that were never met and not recognised.
    has_news: bool,
}

/// So many different pictures of tiles are remembered at most (a client whose tiles never repeat would fill the memory).
const REMEMBERED: usize = 20_000;

impl Memory {
    fn read(&mut self, picture: &RgbaImage, grid: &Grid, theme: usize, looks: &Looks) -> Vec<TileReading> {
        let same = self.grid.as_ref().is_some_and(|(known, other)| known == grid && *other == theme);
        if self.grid.as_ref().is_some_and(|(_, other)| *other != theme) || self.known.len() > REMEMBERED {
            self.known.clear();
        }
        if !same {
            self.grid = Some((grid.clone(), theme));
            self.pixels.clear();
            self.tiles.clear();
            self.keys.clear();
        }
        self.keys.resize(grid.size().tiles(), 0);
        let looks = looks.at(grid.pitch().0);
        let mut patches = Patches::new(picture, &grid.columns, &grid.lines);
        let size = grid.size();
        let (mut tiles, mut from) = (Vec::with_capacity(size.tiles()), 0);
        self.has_news = false;
        for (index, cell) in size.cells().enumerate() {
            let Some(tile) = Window::new(picture, grid, cell) else {
                return self.without_memory(&mut patches, grid, &looks);
            };
            let to = from + tile.bytes();
            let unchanged = same && self.pixels.get(from..to).is_some_and(|before| tile.equals(before));
            if unchanged {
                tiles.push(self.tiles[index]);
            } else {
                if self.pixels.len() < to {
                    self.pixels.resize(to, 0);
                }
                tile.copy_to(&mut self.pixels[from..to]);
                self.keys[index] = key(&self.pixels[from..to], tile.width, grid, cell);
                let reading = *self.known.entry(self.keys[index]).or_insert_with(|| {
                    let reading = look(&mut patches, cell, &looks);
                    self.has_news |= reading.tile == Tile::Unrecognised;
                    reading
                });
                tiles.push(reading);
            }
            from = to;
        }
        self.tiles.clone_from(&tiles);
        tiles
    }

    /// A grid that is not wholly in the picture: what is outside is not recognised.
    fn without_memory(&mut self, patches: &mut Patches, grid: &Grid, looks: &Scaled) -> Vec<TileReading> {
        self.grid = None;
        self.has_news = true;
        self.keys = (0..grid.size().tiles() as u64).collect();
        grid.size().cells().map(|cell| look(patches, cell, looks)).collect()
    }
}

fn look(patches: &mut Patches, cell: Cell, looks: &Scaled) -> TileReading {
    patches.get(cell).map_or(TileReading::NOTHING, |patch| looks.classify(&patch))
}

/// The whole pixels of one tile in a picture.
struct Window<'a> {
    picture: &'a RgbaImage,
    left: usize,
    top: usize,
    width: usize,
    height: usize,
}

impl<'a> Window<'a> {
    /// `None` if it is not wholly in the picture.
    fn new(picture: &'a RgbaImage, grid: &Grid, cell: Cell) -> Option<Self> {
        let span = |edges: &[f64], index: u32, limit: u32| {
            let (from, to) = (edges[index as usize], edges[index as usize + 1]);
            let inside = from >= 0.0 && to <= f64::from(limit);
            inside.then(|| (from as usize, to.ceil() as usize - from as usize))
        };
        let (left, width) = span(&grid.columns, cell.x, picture.width())?;
        let (top, height) = span(&grid.lines, cell.y, picture.height())?;
        Some(Self { picture, left, top, width, height })
    }

    fn bytes(&self) -> usize {
        self.width * self.height * 4
    }

    fn rows(&self) -> impl Iterator<Item = &[u8]> {
        let stride = self.picture.width() as usize * 4;
        let first = self.top * stride + self.left * 4;
        (0..self.height).map(move |y| &self.picture.as_raw()[first + y * stride..][..self.width * 4])
    }

    fn equals(&self, before: &[u8]) -> bool {
        self.rows().zip(before.chunks_exact(self.width * 4)).all(|(now, before)| now == before)
    }

    fn copy_to(&self, place: &mut [u8]) {
        for (row, place) in self.rows().zip(place.chunks_exact_mut(self.width * 4)) {
            place.copy_from_slice(row);
        }
    }
}

/// A number for the picture of a tile: its pixels, its width and where in them it begins and ends.
fn key(pixels: &[u8], width: usize, grid: &Grid, cell: Cell) -> u64 {
    let mut hasher = Fast(0);
    let (x, y) = (cell.x as usize, cell.y as usize);
    for edge in [grid.columns[x], grid.columns[x + 1], grid.lines[y], grid.lines[y + 1]] {
        ((edge.fract() * 256.0) as u64).hash(&mut hasher);
    }
    (width, pixels).hash(&mut hasher);
    hasher.finish()
}

/// A multiplicative hash over words: the standard one costs more than comparing the tile.
struct Fast(u64);

impl Hasher for Fast {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 29)
    }

    fn write(&mut self, bytes: &[u8]) {
        let mut words = bytes.chunks_exact(8);
        for word in &mut words {
            self.write_u64(u64::from_le_bytes(word.try_into().unwrap_or_default()));
        }
        for &byte in words.remainder() {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}
