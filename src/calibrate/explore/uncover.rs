//! What lies over a board is taken away.

use super::{Ended, Explorer, GOES, GOES_BY_ITSELF};
use crate::calibrate::around::spot;
use crate::calibrate::pages::Walk;
use crate::calibrate::{News, Tell};
use crate::client::Step;
use crate::desktop::{Desktop, DesktopError};
use std::time::Duration;

/// The longest until a message of the client's goes that takes no keys: it was three seconds in one.
const GOES_SOON: Duration = Duration::from_secs(4);
/// Keys that take away what lies over a board. A dialog may follow another.
const TAKE_AWAY: [&str; 4] = [ESCAPE, "Return", ESCAPE, "Return"];
const ESCAPE: &str = "Escape";
/// The same for a dialog that has the keyboard: "Play again?" is answered with what it offers first, for "no" ends many a program. One that takes no
/// key is closed.
const ANSWERS: [&str; 4] = ["Return", "space", "Escape", "Return"];

impl<D: Desktop> Explorer<'_, D> {
    /// Takes away what lies over the board: by keys, or by waiting. Whether it is gone; what began a new game by that is kept.
    /// `ended`: the game that it ended, while that was played, and the tile that was clicked last. `is_last`: all else was tried, and Escape, which ends some programs, may be
    /// pressed in the client's own window, too.
    pub fn uncover(&mut self, ended: Option<Ended>, is_last: bool, tell: &mut Tell) -> Result<bool, DesktopError> {
        // What is there once the window has gone belongs to somebody else.
        let is_page = !is_last && self.is_replaced();
        if self.window_has_gone() || is_page || self.stays_covered && !is_last && !self.desktop.has_dialog() {
            return Ok(false);
        }
        tell(News::Says("something lies over the board"));
        let answers = ANSWERS.into_iter().map(|key| Step::Answer(key.into())).chain([Step::Close]);
        let keys = TAKE_AWAY.into_iter().map(|key| Some(Step::Keys(key.into()))).chain([None]);
        for (answer, keys) in answers.zip(keys) {
            // What is a window of its own may be gone by itself another time, and the client have another use for that key.
            let is_dialog = self.desktop.has_dialog();
            // One that takes no keyboard may be closed all the same.
            let is_answer = is_dialog || answer == Step::Close && self.is_overlapped();
            let Some(step) = Some(answer).filter(|_| is_answer).or(keys) else { break };
            let may_end = step == Step::Keys(ESCAPE.into());
            if may_end && !is_last && !self.notes.uncover.contains(&step) {
                continue;
            }
            // A window of the client's own without the keyboard may go by itself, or have a button that does more than to close it.
            if step == Step::Close && !is_dialog && (self.goes_by_itself(GOES_SOON)? || self.has_clicked_away(ended)?) {
                return Ok(true);
            }
            let shot = self.shot.clone();
            self.carry_out(&step)?;
            self.park()?;
            self.desktop.wait(GOES)?;
            // It ended the program, and would again; or the next game comes in a window of its own.
            if self.window_has_gone() {
                self.notes.uncover.retain(|known| *known != step);
                self.begun_by = Some(step).filter(|_| self.window_in_place().is_some());
                return Ok(false);
            }
            self.settle()?;
            let bounds = self.grid.bounds();
            let is_answered = is_dialog && !self.desktop.has_dialog();
            let helped = is_answered || !shot.shows_the_same(bounds, &self.shot, bounds);
            if helped && !self.notes.uncover.contains(&step) {
                self.notes.uncover.push(step.clone());
            }
            if self.is_anew(ended) {
                self.begun_by = Some(step);
                return Ok(true);
            }
            if !self.desktop.has_dialog() && !self.scene(true).is_covered() {
                return Ok(true);
            }
        }
        if self.has_clicked_away(ended)? {
            return Ok(true);
        }
        if self.goes_by_itself(GOES_BY_ITSELF)? {
            return Ok(true);
        }
        // Nothing takes it away: it is how a game ends here.
        self.stays_covered = self.notes.uncover.is_empty();
        self.notes.pages |= self.stays_covered && self.scene(true).covered.iter().all(|covered| *covered);
        self.calm = None;
        Ok(false)
    }

    /// Whether what lies over the board goes within so long; that it is waited for is kept.
    fn goes_by_itself(&mut self, longest: Duration) -> Result<bool, DesktopError> {
        let began = self.desktop.clock();
        while self.desktop.clock().saturating_sub(began) < longest {
            self.desktop.wait(GOES)?;
            self.settle()?;
            if !self.desktop.has_dialog() && !self.scene(true).is_covered() {
                let wait = self.desktop.clock().saturating_sub(began).as_secs() + 1;
                if !self.notes.uncover.iter().any(|step| matches!(step, Step::Wait(_))) {
                    self.notes.uncover.push(Step::Wait(1000 * wait));
                }
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a click on what may be the button of what lies over the board, a window of the client's own or a box that it has drawn, took that away;
    /// what began a new game by that is kept.
    fn has_clicked_away(&mut self, ended: Option<Ended>) -> Result<bool, DesktopError> {
        let (panel, is_overlapped) = (self.panel(), self.is_overlapped());
        let Some(window) = self.window_in_place().filter(|_| panel.is_some() || is_overlapped) else {
            return Ok(false);
        };
        let tiles = self.size().cells().map(|cell| self.shot.to_screen(self.grid.center(cell))).collect();
        let (across, down) = self.grid.pitch();
        let mut walk = Walk::new(self.desktop, window).over(tiles, across.min(down)).within(panel);
        match walk.step(self.desktop) {
            // The program has just ended, and there is nothing else on the screen.
            Ok(false) | Err(DesktopError::Black) => return Ok(false),
            Ok(true) => {}
            Err(other) => return Err(other),
        }
        let step = walk.way().last().map(|at| Step::Click(spot(&self.grid, self.shot.to_pixel(at))));
        self.allow(&[]);
        self.park()?;
        self.settle()?;
        let Some(step) = step else { return Ok(false) };
        if self.is_anew(ended) {
            self.begun_by = Some(step);
            return Ok(true);
        }
        let is_away = !self.is_overlapped() && !self.scene(true).is_covered();
        if is_away && !self.notes.uncover.contains(&step) {
            self.notes.uncover.push(step);
        }
        Ok(is_away)
    }
}
