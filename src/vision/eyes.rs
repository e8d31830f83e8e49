//! The eyes for one client: its themes as they are seen, and what they make of the tiles of a board that was found.

use super::colour::ground::{self, Colour};
use super::counter::Digits;
use super::doubt::strike;
use super::find::locate::{Candidate, Sight};
use super::read::Memory;
use super::reading::{Reading, TileReading};
use super::tile::classify::Compared;
use super::tile::skin::{Skins, Variation};
use super::tile::tiles::Tiles;
use crate::board::Tile;
use crate::client::Client;
use crate::geometry::Cell;
use crate::screenshot::Screenshot;
use image::RgbaImage;
use std::collections::HashMap;
use std::sync::Arc;

/// Eyes for one client.
#[derive(Clone, Debug)]
pub struct Eyes {
    pub(super) client: Arc<Client>,
    pub(super) themes: Vec<Skins>,
    digits: Option<Digits>,
    memory: Memory,
    /// The theme a board was found in, and the one it turned out to have: fresh boards of several themes may look the same.
    turned: Option<(usize, usize)>,
    /// The colours of its tiles between which a ground shows.
    pub(super) faces: Vec<Colour>,
    /// Where its board was last.
    pub(super) last: Option<Sight>,
}

impl Eyes {
    /// Prepares the pictures of a client.
    pub fn new(client: Arc<Client>) -> Self {
        Self {
            themes: client.themes.iter().map(Skins::new).collect(),
            digits: client.counter.as_ref().map(Digits::new),
            faces: ground::faces(&client.themes),
            memory: Memory::default(),
            turned: None,
            last: None,
            client,
        }
    }

    /// Forgets what was seen so far: a picture shows them what it shows new eyes, wherever a board was before.
    pub fn forget(&mut self) {
        (self.memory, self.turned, self.last) = (Memory::default(), None, None);
    }

    /// Whose eyes these are.
    pub fn client(&self) -> &Arc<Client> {
        &self.client
    }

    /// A board of one of its themes, as the screen may show it.
    pub(super) fn candidate(&self, theme: usize, variation: Variation) -> Candidate<'_> {
        Candidate { client: &self.client, theme, skins: &self.themes[theme], variation }
    }

    /// Reads every tile of a board that was found before. The grid may have moved with the picture ([`Grid::moved`](super::Grid::moved)).
    pub fn read(&mut self, shot: &Screenshot, sight: &Sight) -> Reading {
        self.read_after(shot, sight, None)
    }

    /// The same where the tiles of the game a moment before are known: what they explain is believed.
    pub fn read_after(&mut self, shot: &Screenshot, sight: &Sight, before: Option<&[Tile]>) -> Reading {
        let before = before.filter(|before| before.len() == sight.grid.size().tiles());
        let (found, theme) = (sight.theme, self.theme(sight));
        self.turned = self.turned.filter(|(from, _)| *from == found);
        let skin = |eyes: &Eyes, theme: usize| eyes.themes[theme].skin(sight.variation, sight.grid.pitch().0);
        let own = skin(self, theme);
        let mut tiles = self.memory.read(&shot.pixels, &sight.grid, &own, self.client.elastic);
        // What was not recognised before is no news.
        let better = if self.memory.has_news { self.better_theme(&shot.pixels, sight, theme, &tiles) } else { None };
        if let Some(theme) = better {
            self.turned = Some((found, theme));
            let own = skin(self, theme);
            tiles = self.memory.read(&shot.pixels, &sight.grid, &own, self.client.elastic);
        }
        strike(&mut tiles, sight.grid.size(), before, self.client.rules.floods);
        let theme = &self.client.themes[better.unwrap_or(theme)];
        let (client, theme, grid) = (self.client.name.clone(), theme.name.clone(), sight.grid.clone());
        Reading { client, theme, grid, tiles, mines_left: None }
    }

    /// The theme a board has, as far as is known: on a fresh board it may not show yet.
    pub fn theme(&self, sight: &Sight) -> usize {
        let found = sight.theme.min(self.themes.len() - 1);
        self.turned.filter(|(from, _)| *from == sight.theme).map_or(found, |(_, to)| to)
    }

    /// The theme that recognises most of what this one does not, if it also recognises more altogether, or as much and
    /// fits better. How well the tiles fit that both recognise says little: hidden ones of several themes may be alike.
    fn better_theme(&self, picture: &RgbaImage, sight: &Sight, theme: usize, tiles: &[TileReading]) -> Option<usize> {
        let (grid, size) = (&sight.grid, sight.grid.size());
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
        let patches = Tiles::new(picture);
        for other in (0..self.themes.len()).filter(|&other| other != theme) {
            let skin = self.themes[other].skin(sight.variation, grid.pitch().0);
            let mut met: HashMap<u64, TileReading> = HashMap::new();
            let mut look = |cell: Cell| {
                let key = self.memory.keys[size.index(cell)];
                *met.entry(key).or_insert_with(|| patches.reading(grid, cell, &skin))
            };
            let known = missing.iter().filter(|&&cell| is_known(&look(cell))).count();
            if known * 2 <= missing.len() {
                continue;
            }
            let all: Vec<TileReading> = size.cells().map(look).collect();
            let worth = worth(&mut all.iter().copied());
            // In colours that were found for one theme open tiles may look like hidden ones of another.
            let is_doubtful = || {
                let candidate = self.candidate(other, sight.variation);
                sight.variation.tone.is_some() && candidate.has_open_among_hidden(&patches, grid, &all)
            };
            if worth > best.1 && !is_doubtful() {
                best = (other, worth);
            }
        }
        (best.0 != theme).then_some(best.0)
    }

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
        let skin = self.themes[self.theme(sight)].skin(sight.variation, sight.grid.pitch().0);
        Tiles::new(&shot.pixels).with_cell(&sight.grid, cell, |patch| skin.compare(patch)).unwrap_or_default()
    }
}
