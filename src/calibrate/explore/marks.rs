//! What a right click does to a hidden tile.

use super::Explorer;
use super::press::MOST_ANSWER;
use crate::board::Tile;
use crate::calibrate::evidence::Scene;
use crate::calibrate::{News, Tell};
use crate::client::{Button, Step};
use crate::desktop::{Desktop, DesktopError};
use crate::geometry::Cell;
use crate::vision::unknown::looks::{LookId, changed};

/// Presses after which a tile that can be marked is as it was.
const MARKS: usize = 2;
/// Of so many tiles one at least has a look that hidden tiles have by turns.
const BY_TURNS: usize = 4;

impl<D: Desktop> Explorer<'_, D> {
    /// Whether a right click marks a tile, and with what: pressed until it looks hidden again. A mark is not left there, for what ends the game may not
    /// show the mine below it. Nothing where a press does nothing at all, as before the first opening of some clients.
    pub fn try_marks(&mut self, tell: &mut Tell) -> Result<Option<Vec<Tile>>, DesktopError> {
        let size = self.size();
        let looks = self.scene(false).looks;
        let Some(index) = (0..size.tiles()).rev().find(|&index| self.notes.evidence.is_hidden(looks[index])) else {
            return Ok(None);
        };
        let cell = size.cell(index);
        // Where the pointer was last a tile may look otherwise: that is this one from now on.
        self.come_and_go(cell)?;
        let first = self.scene(false);
        let own = first.looks[index];
        let found = self.marks_of(cell, first, tell)?;
        self.take_marks_away(cell, own)?;
        let marks = found.as_deref().unwrap_or_default();
        // Where hidden tiles look otherwise by turns, so do their marks.
        let hidden = self.notes.evidence.known.hidden.clone();
        let others = hidden.into_iter().filter(|look| Some(*look) != own && !marks.is_empty());
        for other in others {
            let looks = self.scene(false).looks;
            let all: Vec<usize> = (0..size.tiles()).filter(|&index| looks[index] == Some(other)).collect();
            if let Some(&index) = all.last().filter(|_| all.len() * BY_TURNS >= size.tiles()) {
                for &mark in marks {
                    if !self.marks_with(size.cell(index), mark)? {
                        break;
                    }
                }
                self.take_marks_away(size.cell(index), Some(other))?;
            }
        }
        Ok(found)
    }

    /// Presses a tile until it looks as it did.
    fn take_marks_away(&mut self, cell: Cell, own: Option<LookId>) -> Result<(), DesktopError> {
        let index = self.size().index(cell);
        for _ in 0..MARKS {
            self.dismiss()?;
            let look = self.scene(false).looks[index];
            if look == own || look.is_none() {
                break;
            }
            if let Err(error) = self.press(cell, Button::Right) {
                let DesktopError::Foreign(_) = error else { return Err(error) };
            }
        }
        self.dismiss()
    }

    /// What pressing a tile marks it with, one press after the other. What comes up with that, and the last mark, are left.
    fn marks_of(&mut self, cell: Cell, first: Scene, tell: &mut Tell) -> Result<Option<Vec<Tile>>, DesktopError> {
        let size = self.size();
        let index = size.index(cell);
        let own = first.looks[index];
        let mut before = first;
        let mut found = Vec::new();
        for name in [Some(Tile::Flag), Some(Tile::Question), None] {
            if let Err(error) = self.press(cell, Button::Right) {
                // A menu is a window of its own.
                let DesktopError::Foreign(_) = error else { return Err(error) };
                return Ok(Some(Vec::new()));
            }
            let changes =
                |explorer: &Self| changed((&before.picture, &before.grid), (&explorer.shot.pixels, &explorer.grid));
            let mut did = changes(self);
            if found.is_empty() && (!did[index] || self.scene(false).looks[index] == own) {
                // A busy client may only be late, and what it puts there then would be taken for an open tile.
                self.desktop.wait(MOST_ANSWER)?;
                self.settle()?;
                did = changes(self);
            }
            let now = self.scene(false);
            if now.covered[index] {
                // A menu of the browser's comes up with the mark, and would with every one while it is played.
                return Ok(Some(Vec::new()));
            }
            let look = now.looks[index];
            let is_open = |look| self.notes.evidence.games.iter().any(|game| game.running.looks.contains(&Some(look)));
            // The first may take a mark off the tile that was clicked before: that of the keyboard, or of the pointer.
            let others = (0..size.tiles()).filter(|&other| other != index && did[other]);
            let others = others.filter(|&other| !self.notes.evidence.is_hidden(now.looks[other])).count();
            if others > usize::from(name == Some(Tile::Flag) && did[index]) {
                // More than this tile: a menu, or it was opened. What it is now is no number for all that is known.
                let strange = look.filter(|look| Some(*look) != own && !is_open(*look));
                self.notes.evidence.known.aside.extend(strange);
                tell(News::Says("a right click is no flag here"));
                return Ok(Some(Vec::new()));
            }
            if look == own || !did[index] {
                if found.is_empty() {
                    return Ok(None);
                }
                break;
            }
            match (look, name) {
                (Some(look), Some(name)) if !is_open(look) => found.push((look, name)),
                _ => return Ok(Some(Vec::new())),
            }
            self.notes.evidence.others.push(now.clone());
            before = now;
        }
        if self.scene(false).looks[index] != own {
            tell(News::Says("a right click marks a tile for good"));
            return Ok(Some(Vec::new()));
        }
        self.notes.evidence.known.marks.extend(found.iter().copied());
        Ok(Some(found.into_iter().map(|(_, tile)| tile).collect()))
    }

    /// Whether a right click marks a tile that is a mine for certain, with a flag then, whether it can be taken away or not.
    pub(super) fn marks_a_mine(&mut self, cell: Cell) -> Result<bool, DesktopError> {
        self.marks_with(cell, Tile::Flag)
    }

    /// Whether a right click marks a tile with what this mark is for all that is known: what comes up there, and nowhere else, and is nothing else that
    /// is known, is that from now on.
    fn marks_with(&mut self, cell: Cell, mark: Tile) -> Result<bool, DesktopError> {
        let (size, before) = (self.size(), self.scene(false));
        let index = size.index(cell);
        if !self.presses_right(cell)? {
            return Ok(false);
        }
        let did = changed((&before.picture, &before.grid), (&self.shot.pixels, &self.grid));
        let now = self.scene(false);
        let is_alone = (0..size.tiles()).all(|other| other == index || !did[other]);
        let is_open = |look| self.notes.evidence.games.iter().any(|game| game.running.looks.contains(&Some(look)));
        let known = &self.notes.evidence.known;
        match now.looks[index] {
            Some(look) if known.marks.get(&look) == Some(&mark) => Ok(true),
            Some(look) if is_alone && !known.is_covered(Some(look)) && !is_open(look) => {
                self.notes.evidence.others.push(now.clone());
                self.notes.evidence.known.marks.insert(look, mark);
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Whether a tile answers a right click, and no menu comes up.
    pub(super) fn presses_right(&mut self, cell: Cell) -> Result<bool, DesktopError> {
        match self.press(cell, Button::Right) {
            Err(DesktopError::Foreign(_)) => Ok(false),
            other => other,
        }
    }

    /// Takes away what a click brought up in a window of its own: without one, Escape may end the program.
    fn dismiss(&mut self) -> Result<(), DesktopError> {
        if !self.is_overlapped() && !self.desktop.has_dialog() {
            return Ok(());
        }
        self.carry_out(&Step::Keys("Escape".into()))?;
        self.settle().map(|_| ())
    }
}
