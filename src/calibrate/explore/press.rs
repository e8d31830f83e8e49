//! Clicks on a board that is learned, and how long their answers are waited for.

use super::{Explorer, GOES};
use crate::calibrate::around::is_shaded;
use crate::calibrate::evidence::{SHIFT, shifted};
use crate::client::Button;
use crate::desktop::{Action, Click, Desktop, DesktopError};
use crate::geometry::Cell;
use crate::screenshot::Screenshot;
use crate::vision::Grid;
use crate::vision::colour::shade::Shade;
use crate::vision::kept::{centred, is_uneven};
use crate::vision::moving::{relaid, resized, ruled};
use crate::vision::unknown::looks::changed;
use image::{Rgba, RgbaImage};
use std::cell::LazyCell;
use std::time::Duration;

/// A board that stayed the same for so long is painted: some clients let a flood grow, or blink at a loss.
const QUIET: Duration = Duration::from_millis(180);
/// The same where it shows what a game shows that goes on, and nothing of its end: three pictures of a screen.
const BRIEF: Duration = Duration::from_millis(60);
/// The longest that is waited for that: mines that come up one by one took 8 s in one client; and where it changed all that time before.
const PATIENCE: Duration = Duration::from_millis(10_000);
const LESS_PATIENCE: Duration = Duration::from_millis(4000);
/// How much longer than the longest rest seen in a flood another one may be, and what is waited for at most: a Swing client that opens tiles by
/// pressing their buttons one by one (0.07 s each, those that are open, too) was seen to rest for 0.5 s, and rests for longer.
const LONGER: f64 = 1.5;
const LONGEST_QUIET: Duration = Duration::from_millis(1200);
/// Tiles that change at once where one answer is a flood, and floods without such a rest after which half as much is waited for.
const FLOOD: usize = 4;
const CALM: u32 = 2;
/// The longest a window stays after what it showed.
const LEAVES: Duration = Duration::from_secs(4);
/// The pause between two looks.
const PAUSE: Duration = Duration::from_millis(8);
/// How long the pointer stays where it clicked: what the touchiest client known needs.
pub(super) const STAY: Duration = Duration::from_millis(60);
/// How many times the longest answer so far is waited for one, within limits: a browser that has just loaded a page takes a while.
const ANSWER: u32 = 4;
const LEAST_ANSWER: Duration = Duration::from_millis(500);
pub(super) const MOST_ANSWER: Duration = Duration::from_millis(1500);

/// How long the changes of a board rest: some clients let a flood grow slower than others need to be done.
pub struct Flow {
    /// When it was seen to change last.
    changed: Duration,
    /// Whether what changes now goes on with what a click began: nothing was done since.
    is_watched: bool,
    /// How long a board that stays the same is done.
    quiet: Duration,
    /// Whether it changed all the time when more was waited for: that is no flood.
    is_endless: bool,
    /// Floods in a row that did not rest for long: a first answer may come late, as while a program is still being loaded.
    calm: u32,
}

impl Default for Flow {
    fn default() -> Self {
        Self { changed: Duration::ZERO, is_watched: false, quiet: QUIET, is_endless: false, calm: 0 }
    }
}

impl Flow {
    /// It is seen to change now. How long it had rested, if it was held to be done.
    fn change(&mut self, now: Duration) -> Option<Duration> {
        let rest = now.saturating_sub(std::mem::replace(&mut self.changed, now));
        if !self.is_watched || self.is_endless || rest < self.quiet {
            return None;
        }
        self.quiet = rest.mul_f64(LONGER).min(LONGEST_QUIET);
        self.calm = 0;
        log::debug!("it went on after {rest:?}: {:?} are waited for now", self.quiet);
        Some(rest)
    }

    /// An answer is done that changed so many tiles, and rested no longer than this meanwhile.
    fn done(&mut self, tiles: usize, rest: Duration) {
        if tiles < FLOOD || self.quiet == QUIET {
            return;
        }
        self.calm = if rest < QUIET { self.calm + 1 } else { 0 };
        if self.calm >= CALM {
            self.quiet = (self.quiet / 2).max(QUIET);
            self.calm = 0;
            log::debug!("floods are done sooner: {:?} are waited for now", self.quiet);
        }
    }

    /// No end of it was seen.
    fn gave_up(&mut self) {
        self.is_endless |= self.quiet > QUIET;
        self.quiet = QUIET;
    }
}

/// A picture of a board, and where its tiles are.
type Seen = (RgbaImage, Grid);

impl<D: Desktop> Explorer<'_, D> {
    /// Whether the board has changed since it was seen last, though nothing was done: it was not done. It is by now.
    pub(super) fn went_on_by_itself(&mut self) -> Result<bool, DesktopError> {
        if self.flow.is_endless || self.is_restless {
            return Ok(false);
        }
        let (bounds, next) = (self.grid.bounds(), self.picture()?);
        let has_changed = !self.shot.shows_the_same(bounds, &next, bounds);
        if has_changed {
            self.flow.is_watched = true;
            self.note_change();
            self.settle()?;
            self.flow.is_watched = false;
        }
        Ok(has_changed)
    }

    /// The board is seen to change.
    fn note_change(&mut self) {
        if let Some(rest) = self.flow.change(self.desktop.clock()) {
            self.notes.paints.1 = self.notes.paints.1.max(rest);
        }
    }

    /// Looks until the board stays the same; how long it changed, and the longest rest before a change.
    pub fn settle(&mut self) -> Result<(Duration, Duration), DesktopError> {
        self.settle_unless(&|_, _| false)
    }

    /// The same, for a shorter while where the picture passes: what is asked once no more is expected of it.
    fn settle_unless(
        &mut self,
        is_plain: &dyn Fn(&Self, &RgbaImage) -> bool,
    ) -> Result<(Duration, Duration), DesktopError> {
        let brief = BRIEF.max(2 * self.notes.paints.1).min(QUIET);
        let patience = if self.is_restless { LESS_PATIENCE } else { PATIENCE };
        let mut is_asked = false;
        let bounds = self.grid.bounds();
        let began = self.desktop.clock();
        let mut shot = self.picture()?;
        let (mut last, mut rest) = (Duration::ZERO, Duration::ZERO);
        loop {
            self.desktop.wait(PAUSE)?;
            let next = self.picture()?;
            let now = self.desktop.clock().saturating_sub(began);
            if !shot.shows_the_same(bounds, &next, bounds) {
                rest = rest.max(now.saturating_sub(last));
                (last, is_asked) = (now, false);
                self.note_change();
            }
            shot = next;
            let quiet = now.saturating_sub(last);
            let is_brief = quiet >= brief && !is_asked && {
                is_asked = true;
                is_plain(self, &shot.pixels)
            };
            if is_brief || quiet >= self.flow.quiet || now >= patience {
                self.is_restless = !is_brief && quiet < QUIET;
                if !is_brief && quiet < self.flow.quiet {
                    self.flow.gave_up();
                }
                let before = std::mem::replace(&mut self.shot, shot);
                if !before.shows_the_same(bounds, &self.shot, bounds) {
                    self.go_along(&before);
                    self.follow();
                }
                return Ok((last, rest));
            }
        }
    }

    /// What is on the screen around the board: black where its window has gone, and there is nothing else.
    pub(super) fn picture(&mut self) -> Result<Screenshot, DesktopError> {
        let began = self.desktop.clock();
        loop {
            match self.desktop.look(Some(self.region)) {
                Err(DesktopError::Black) if self.window_has_gone() => {
                    let (width, height) = self.shot.pixels.dimensions();
                    let pixels = RgbaImage::from_pixel(width, height, Rgba([0, 0, 0, 255]));
                    return Ok(Screenshot { pixels, ..self.shot.clone() });
                }
                // A program that ends may take its picture away before its window.
                Err(DesktopError::Black) if self.desktop.clock().saturating_sub(began) < LEAVES => {
                    self.desktop.wait(GOES)?;
                }
                other => return other,
            }
        }
    }

    /// Moves the grid along with a board that is elsewhere than it was before.
    fn go_along(&mut self, before: &Screenshot) {
        if before.pixels.dimensions() != self.shot.pixels.dimensions() {
            return;
        }
        // Where the first column grows all others are elsewhere, but the board begins where it did.
        let is_told = || self.begins_where_it_did() || self.ruled().is_some();
        let plainly = shifted(&before.pixels, &self.shot.pixels, &self.grid).filter(|_| !is_told());
        let below_shade = if plainly.is_none() { self.shifted_below_shade(before) } else { None };
        // What lies over it may give way to something else of its size, which is no board.
        if let Some(by) = plainly.or(below_shade).filter(|_| !self.is_overlapped()) {
            self.moved_below_shade = below_shade;
            log::debug!("the board has moved by {by:?}");
            self.grid = self.grid.moved(-by.0, -by.1);
            self.is_moved = true;
            self.allow(&[]);
        }
    }

    /// Takes the grid back to where the board was before it moved below a shade, as it is in the next game: what stands on the shade is told by that.
    /// Whether it had moved.
    pub(super) fn put_back(&mut self) -> bool {
        let Some(by) = self.moved_below_shade.take() else { return false };
        self.grid = self.grid.moved(by.0, by.1);
        self.is_moved = false;
        self.allow(&[]);
        true
    }

    /// By how much the board has moved where a shade was laid over it, too.
    fn shifted_below_shade(&self, before: &Screenshot) -> Option<(f64, f64)> {
        let (then, now, board) = (&before.pixels, &self.shot.pixels, self.grid.bounds());
        let is_in_place = || Shade::between(then, now, board, (0, 0)).is_some();
        if !is_shaded(then, now, &self.grid) || is_in_place() {
            return None;
        }
        let (across, down) = self.grid.pitch();
        let around = self.grid.around(then.dimensions(), 1.0);
        let (x, y) = Shade::shift_below(then, now, board, around, ((SHIFT * across) as i64, (SHIFT * down) as i64))?;
        Some((x as f64, y as f64))
    }

    /// Where the board is now by the lines around all its tiles, wherever it was before.
    fn ruled(&self) -> Option<Grid> {
        let (picture, grid) = self.untouched.as_ref()?;
        ruled(picture, grid, &self.shot.pixels)
    }

    /// Whether the board begins where it did before anything was done, whatever size it has now.
    fn begins_where_it_did(&self) -> bool {
        let untouched = self.untouched.as_ref().filter(|_| !self.is_moved);
        let found = untouched.and_then(|(picture, grid)| resized(picture, grid, &self.shot.pixels, false));
        found.is_some_and(|found| found.origin() == self.grid.origin())
    }

    /// Lays the grid where the tiles are by now, if what was around the untouched board tells that columns or rows have another size, or the tiles
    /// that are known.
    fn follow(&mut self) {
        let is_lost = self.is_moved && self.ruled().is_none();
        let Some((picture, grid)) = self.untouched.as_ref().filter(|_| !is_lost) else { return };
        // Where open tiles look like the ground lines are found in figures: tiles that are known are as well known where they are said to be, and a row
        // of them more where none is hidden, as on a board that is painted paler as a whole: empty tiles are empty anywhere. And of what is not
        // painted yet, or a page in its place, nothing is known.
        let evidence = &self.notes.evidence;
        let growing = LazyCell::new(|| evidence.looks.clone().growing(true));
        let known = |grid: &Grid| {
            let looks = if is_uneven(grid) { &*growing } else { &evidence.looks };
            let looks = looks.recognise(&self.shot.pixels, grid);
            let hidden = looks.iter().filter(|look| evidence.is_hidden(**look)).count();
            (hidden, looks.iter().flatten().count())
        };
        let is_known = |found: &Grid| {
            let (there, here) = (known(found), known(grid));
            let row = found.size().width.min(found.size().height) as usize;
            there.1 > 0 && if there.0 > 0 { there >= here } else { there.0 == here.0 && there.1 >= here.1 + row }
        };
        let pictures: Vec<&RgbaImage> = evidence.looks.all_pictures().collect();
        let laid = |found: Option<Grid>| found.map(|found| centred(&self.shot.pixels, found, &pictures));
        let found = laid(resized(picture, grid, &self.shot.pixels, self.notes.elastic));
        let found = found.filter(|found| found == grid || *found == self.grid || is_known(found));
        // A board may keep its size while its columns do not, or its end not be told: then hidden tiles are known only where they are now.
        let here = found.as_ref().unwrap_or(&self.grid);
        let (hidden, all) = known(here);
        let is_told = all + here.size().width.min(here.size().height) as usize > here.size().tiles();
        let anew = || {
            let ways = [resized(picture, grid, &self.shot.pixels, true), relaid(picture, grid, &self.shot.pixels)];
            let all = ways.into_iter().filter_map(laid).map(|found| (known(&found).0, found));
            // Of two that are as good the first.
            all.rev().filter(|(is, _)| *is > hidden).max_by_key(|(is, _)| *is).map(|(_, found)| found)
        };
        let found = if is_told { found } else { anew().or(found) };
        if found.as_ref().is_some_and(|found| found != grid) {
            self.notes.elastic = true;
            self.notes.evidence.looks.grows = true;
        }
        if let Some(found) = found.filter(|found| *found != self.grid) {
            log::debug!("columns are at {:?} now, rows at {:?}", found.columns, found.lines);
            self.grid = found;
            self.allow(&[]);
        }
    }

    /// Takes the pointer off the board.
    pub fn park(&mut self) -> Result<(), DesktopError> {
        let at = self.shot.to_screen(self.grid.spot(self.notes.park()));
        self.desktop.act(&Action::Point(at))
    }

    /// Takes the pointer onto a tile and off the board: what a client shows where the pointer left shows from the beginning.
    pub fn come_and_go(&mut self, cell: Cell) -> Result<(), DesktopError> {
        let at = self.shot.to_screen(self.grid.center(cell));
        self.desktop.act(&Action::Point(at))?;
        self.desktop.wait(STAY)?;
        self.park()?;
        self.settle().map(|_| ())
    }

    /// Clicks a tile and waits for nothing; not where another window is by now, which is said.
    pub fn tap(&mut self, cell: Cell) -> Result<bool, DesktopError> {
        let at = self.shot.to_screen(self.grid.center(cell));
        let click = Click { button: Button::Left, at, touch: self.notes.touch(), with: None };
        match self.desktop.act(&Action::Click(click)) {
            Err(DesktopError::Foreign(_)) => return Ok(false),
            other => other?,
        }
        self.desktop.wait(STAY)?;
        Ok(true)
    }

    /// Clicks a tile and waits for the answer, longer than any so far took, if there is none; whether it changed.
    pub fn press(&mut self, cell: Cell, button: Button) -> Result<bool, DesktopError> {
        let at = self.shot.to_screen(self.grid.center(cell));
        let (before, index) = ((self.shot.pixels.clone(), self.grid.clone()), self.size().index(cell));
        let lingers = self.lingers;
        self.desktop.act(&Action::Click(Click { button, at, touch: self.notes.touch(), with: None }))?;
        self.clicked.retain(|&other| other != cell);
        self.clicked.push(cell);
        self.clicked.drain(..self.clicked.len().saturating_sub(2));
        let began = self.desktop.clock();
        self.desktop.wait(STAY)?;
        if !lingers {
            self.park()?;
        }
        let patience = (ANSWER * self.notes.paints.0).clamp(LEAST_ANSWER, MOST_ANSWER);
        let patience = if self.notes.paints.0.is_zero() { MOST_ANSWER } else { patience };
        let mut has_answered = loop {
            let since = self.desktop.clock().saturating_sub(began);
            let (last, rest) = self.settle_unless(&|explorer, picture| explorer.goes_on(&before, picture, cell))?;
            log::debug!("pressed {button:?} on {cell}: it changed for {last:?}");
            self.flow.is_watched |= !last.is_zero();
            let did = changed((&before.0, &before.1), (&self.shot.pixels, &self.grid));
            let has_answered = did[index];
            if has_answered {
                self.flow.done(did.iter().filter(|did| **did).count(), rest);
                self.notes.paints = (self.notes.paints.0.max(since + last), self.notes.paints.1.max(rest));
            }
            if has_answered || since >= patience {
                break has_answered;
            }
        };
        self.flow.is_watched = false;
        if lingers {
            self.park()?;
            self.desktop.wait(STAY)?;
            self.settle()?;
            // A tile may only have lit up below the pointer.
            has_answered = has_answered && changed((&before.0, &before.1), (&self.shot.pixels, &self.grid))[index];
        }
        // Who asks late where the pointer is finds it off the board.
        self.lingers |= !has_answered;
        Ok(has_answered)
    }

    /// Hidden tiles that a game is not won with, where there are more: its mines, or as long as these are not known half of its tiles.
    pub(super) fn most_mines(&self) -> usize {
        let size = self.size();
        self.meanings.mines.get(&size).map_or(size.tiles() / 2, |mines| *mines as usize)
    }

    /// Whether a board after a click on this tile is as in a game that goes on: more tiles are hidden than there can be mines, and nothing has still to
    /// open. That is so where all of it is hidden tiles and numbers that are known, the empty ones without hidden tiles beside them; and where nothing
    /// changed but the tile that was clicked, and that counts mines. The end of a game is never taken for that.
    fn goes_on(&self, before: &Seen, picture: &RgbaImage, cell: Cell) -> bool {
        let size = self.size();
        let evidence = &self.notes.evidence;
        let looks = evidence.looks.recognise(picture, &self.grid);
        let number = |index: usize| looks[index].and_then(|look| self.meanings.number(look));
        let is_hidden = |index: usize| evidence.is_hidden(looks[index]);
        let is_done = |index: usize| match number(index) {
            Some(0) => size.neighbours(size.cell(index)).all(|beside| !is_hidden(size.index(beside))),
            Some(_) => true,
            None => is_hidden(index),
        };
        let clicked = size.index(cell);
        let Some(shown) = number(clicked) else { return false };
        let hidden = (0..size.tiles()).filter(|&index| is_hidden(index)).count();
        let is_alone = || {
            let did = changed((&before.0, &before.1), (picture, &self.grid));
            (0..size.tiles()).all(|index| did[index] == (index == clicked))
        };
        hidden > self.most_mines() && (shown > 0 && is_alone() || (0..size.tiles()).all(is_done))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_waited_for_after_one_late_answer_is_less_again_after_floods_that_are_done_at_once() {
        let (mut flow, short) = (Flow { is_watched: true, ..Flow::default() }, Duration::from_millis(20));
        assert!(flow.change(Duration::from_secs(1)).is_some());
        assert_eq!(flow.quiet, LONGEST_QUIET);
        (0..20).for_each(|_| flow.done(1, short));
        assert_eq!(flow.quiet, LONGEST_QUIET, "single tiles say nothing");
        (0..CALM).for_each(|_| flow.done(9, short));
        assert_eq!(flow.quiet, LONGEST_QUIET / 2);
        // A flood that rests in between needs as much as before.
        let rest = Duration::from_millis(700);
        assert!(flow.change(Duration::from_secs(1) + rest).is_some() && flow.quiet > LONGEST_QUIET / 2);
        (0..20).for_each(|_| flow.done(9, short));
        assert_eq!(flow.quiet, QUIET);
    }
}
