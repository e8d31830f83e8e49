//! A fresh board: whatever of the grid does not fit it is mended.

use super::Explorer;
use crate::calibrate::around::spot;
use crate::calibrate::evidence::{FLOOD, NUDGE, Scene, at_side, fitted, hidden_share};
use crate::calibrate::lattice::straightened;
use crate::client::Button;
use crate::desktop::{Desktop, DesktopError};
use crate::geometry::{Cell, Rect};
use crate::screenshot::cut;
use crate::vision::Grid;
use crate::vision::unknown::looks::{LookId, Looks, changed};
use image::RgbaImage;

impl<D: Desktop> Explorer<'_, D> {
    /// By how many columns or rows the board goes on on a side (left, right, top, bottom) on which so many look like hidden tiles: the ground
    /// around a board may look so, too, but answers no click. `None` where none answers.
    fn grown(&mut self, side: usize, most: i32) -> Result<Option<i32>, DesktopError> {
        let own = self.grid.clone();
        // A press may be lost.
        for by in [most, most, 1, 1] {
            let mut misfit = [0; 4];
            misfit[side] = by;
            let Some(grid) = fitted(&own, misfit) else { return Ok(None) };
            let size = grid.size();
            let looks = self.notes.evidence.looks.recognise(&self.shot.pixels, &grid);
            // What is open there already answers no click: from the middle of the side on.
            let far = |cell: &Cell| {
                if side < 2 { cell.y.abs_diff(size.height / 2) } else { cell.x.abs_diff(size.width / 2) }
            };
            let hidden = at_side(size, side).filter(|&cell| self.notes.evidence.is_hidden(looks[size.index(cell)]));
            let Some(cell) = hidden.min_by_key(far) else { return Ok(None) };
            self.grid = grid;
            self.allow(&[]);
            let answer = self.press(cell, Button::Left);
            self.grid = own.clone();
            self.allow(&[]);
            match answer {
                Ok(true) => return Ok(Some(by)),
                // Where another window is there is no board.
                Ok(false) | Err(DesktopError::Foreign(_)) => {}
                Err(other) => return Err(other),
            }
        }
        Ok(None)
    }

    /// What is seen is an untouched board: whatever of the grid does not fit it is mended, and what is seen is kept. Whether that took a click
    /// that opened a tile: it is to be begun anew then, and taken again.
    pub fn take_as_untouched(&mut self) -> Result<bool, DesktopError> {
        // Some programs begin a new game by starting anew.
        self.find_window();
        self.title = self.window.and_then(|window| self.desktop.title_of(window));
        if !self.is_sure && !self.notes.evidence.games.is_empty() {
            let mut misfit = self.notes.evidence.misfit(&self.shot.pixels, &self.grid);
            log::debug!("the board is larger by {misfit:?} (left, right, top, bottom)");
            if self.was_whole_before(misfit)
                && let Some(window) = self.window_in_place()
                && self.look_for_another_size(window)?
            {
                return Ok(false);
            }
            // Its grid is not followed while a larger one is tried.
            self.untouched = None;
            let (mut is_touched, shot) = (false, self.shot.clone());
            for (side, most) in misfit.iter_mut().enumerate().filter(|(_, most)| **most > 0) {
                let by = if is_touched || self.ends[side] { None } else { self.grown(side, *most)? };
                self.ends[side] |= by.is_none() && !is_touched;
                is_touched |= by.is_some();
                *most = by.unwrap_or(0);
            }
            self.shot = shot;
            log::debug!("by what answers clicks it is larger by {misfit:?}");
            if misfit != [0; 4]
                && let Some(grid) = fitted(&self.grid, misfit)
            {
                self.notes.evidence.resize(self.size(), misfit);
                self.traps.clear();
                // Controls stay where they are when the board is found to be larger.
                for step in &mut self.notes.new_game {
                    step.each_place(&mut |place| *place = spot(&grid, self.grid.spot(*place)));
                }
                self.grid = grid;
                self.notes.evidence.sort_again(1.0);
                self.allow(&[]);
            }
            if is_touched {
                return Ok(true);
            }
        }
        let is_first = self.notes.evidence.others.is_empty();
        if is_first {
            let straight = straightened(&self.shot.pixels, &self.grid);
            let evened = self.notes.evidence.evened(&self.shot.pixels, &straight);
            if evened != self.grid && !self.is_sure {
                log::debug!("its tiles look alike with columns at {:?}, rows at {:?}", evened.columns, evened.lines);
                self.grid = evened;
                self.allow(&[]);
            }
            self.notes.evidence.measure(&self.shot.pixels, &self.grid);
            self.notes.evidence.sort_again(1.0);
        }
        (self.calm, self.running) = (Some(self.shot.pixels.clone()), None);
        self.untouched = Some((self.shot.pixels.clone(), self.grid.clone()));
        self.is_moved = false;
        let scene = self.scene(false);
        self.notes.evidence.take_as_untouched(scene);
        if is_first {
            // It tells whether small and pale figures can be told apart.
            self.notes.evidence.sort_again(1.0);
        }
        Ok(false)
    }

    /// Whether the untouched board before this one, in the same place, did not go on where this one does: it was whole, and this is one of another size.
    fn was_whole_before(&self, misfit: [i32; 4]) -> bool {
        let Some((picture, grid)) = self.untouched.as_ref().filter(|(_, grid)| *grid == self.grid) else {
            return false;
        };
        let then = self.notes.evidence.misfit(picture, grid);
        misfit.iter().zip(then).any(|(now, then)| *now > 0 && then <= 0)
    }

    /// By how many columns or rows the board is larger on each side (left, right, top, bottom) than its grid, by what a click did: it opened tiles beyond
    /// that that looked hidden `before`, beside some that it opened on the grid, and look like these now. All that it changed hangs together, as what an
    /// empty tile opens does, and mines that show do not.
    pub(super) fn goes_on_beyond(&self, before: &Scene, clicked: Cell) -> [i32; 4] {
        let looks = &self.notes.evidence.looks;
        // What is beside the board is the border of its outermost tiles.
        let inside = |picture: &RgbaImage, tile: Rect| cut(picture, tile).and_then(|tile| looks.find_inside(&tile));
        let mut misfit = [0; 4];
        for (side, by) in misfit.iter_mut().enumerate() {
            let mut one = [0; 4];
            one[side] = 1;
            let Some(larger) = fitted(&self.grid, one).filter(|_| before.grid == self.grid) else { continue };
            let size = larger.size();
            let clicked = Cell::new(clicked.x + one[0] as u32, clicked.y + one[2] as u32);
            let did = changed((&before.picture, &larger), (&self.shot.pixels, &larger));
            if did.iter().filter(|did| **did).count() < FLOOD || !size.hang_together(&did, clicked) {
                continue;
            }
            let is_open = |look: Option<LookId>| look.is_some() && !self.notes.evidence.known.is_covered(look);
            let is_opened = |cell: Cell| {
                let [then, now] =
                    [&before.picture, &self.shot.pixels].map(|picture| inside(picture, larger.tile(cell)));
                self.notes.evidence.is_hidden(then) && is_open(now)
            };
            let is_at_side = |cell: &Cell| at_side(size, side).any(|other| other == *cell);
            let is_beside_opened =
                |cell: &Cell| size.neighbours(*cell).any(|other| !is_at_side(&other) && is_opened(other));
            *by = i32::from(at_side(size, side).filter(|cell| is_opened(*cell)).any(|cell| is_beside_opened(&cell)));
        }
        misfit
    }

    /// Takes the board for larger by so many columns and rows on each side, here and in all that was seen so far.
    pub(super) fn grow(&mut self, misfit: [i32; 4]) {
        let Some(grid) = fitted(&self.grid, misfit) else { return };
        log::debug!("what a click opened goes on beyond the board: it is larger by {misfit:?}");
        self.notes.evidence.resize(self.size(), misfit);
        self.grid = grid;
        if let Some((_, untouched)) = &mut self.untouched {
            *untouched = self.grid.clone();
        }
        self.notes.evidence.sort_again(1.0);
        (self.running, self.clean) = (None, None);
        self.traps.clear();
        self.allow(&[]);
    }

    /// Moves the grid to where the tiles are that a click changed: to whole tiles, and so that as many as can be look alike. Whether it was
    /// moved.
    pub(super) fn align(&mut self, before: &Scene, is_first: bool) -> bool {
        let evidence = &self.notes.evidence;
        let share = |picture: &RgbaImage, grid: &Grid| {
            hidden_share(picture, grid, Looks::new(evidence.alike()).within(evidence.rim()))
        };
        let picture = &before.picture;
        let to_whole_tiles =
            if is_first { evidence.to_whole_tiles(picture, &self.shot.pixels, &self.grid) } else { None };
        let by = to_whole_tiles.unwrap_or((0.0, 0.0));
        let moved = self.grid.moved(by.0, by.1);
        // What a click changes may be a pixel less than a tile; and before anything is open, a line may belong to the tile on either
        // side of it.
        let picture = if to_whole_tiles.is_some() { &before.picture } else { &self.shot.pixels };
        // Where hidden tiles are all alike they still are.
        let keeps_hidden = |&(x, y): &(f64, f64)| {
            self.untouched.as_ref().is_none_or(|(picture, grid)| {
                let grid = grid.moved(by.0, by.1);
                share(picture, &grid.moved(x, y)) >= share(picture, &grid)
            })
        };
        let more = evidence.nudged(picture, &moved).filter(keeps_hidden);
        if to_whole_tiles.is_none() && more.is_none() {
            return false;
        }
        let more = more.unwrap_or((0.0, 0.0));
        self.shift((by.0 + more.0, by.1 + more.1));
        true
    }

    /// Moves the grid, here and in all that was seen so far.
    pub(super) fn shift(&mut self, by: (f64, f64)) {
        log::debug!("the grid is moved by {:?}", (-by.0, -by.1));
        self.notes.evidence.shift(&self.grid, by);
        self.grid = self.grid.moved(by.0, by.1);
        if let Some((picture, grid)) = &mut self.untouched {
            *grid = grid.moved(by.0, by.1);
            // Beside its tiles even hidden ones look otherwise from place to place.
            self.notes.evidence.measure(picture, grid);
        }
        self.notes.evidence.sort_again(1.0);
        // With the grid beside the tiles, a number may have changed its neighbours, too.
        if by.0.abs().max(by.1.abs()) > f64::from(NUDGE) {
            self.notes.evidence.known.zeros.clear();
        }
    }
}
