//! Single steps of what begins a new game, and how a game is ended of which nothing but mines is left.

use super::press::STAY;
use super::{Explorer, ON_THE_BOARD};
use crate::calibrate::around::changed_outside;
use crate::calibrate::{News, Tell};
use crate::client::{Button, Step};
use crate::desktop::{Action, Click, Desktop, DesktopError};
use crate::geometry::{Cell, Rect, ScreenPoint};
use crate::vision::unknown::looks::changed;
use std::time::Duration;

/// How long a window takes to come to the front.
const RAISED: Duration = Duration::from_millis(400);

/// Games at the end of which flags are put to see whether that ends them, and on how many mines at most.
const FLAGGED: usize = 2;
const MOST_FLAGS: usize = 60;
/// How often that is tried, for a press may be lost.
const ROUNDS: usize = 3;
/// How far beyond what changes anyway something may reach, in the heights of that, so that a clock may have another digit.
const LONGER: f64 = 2.5;
/// In so long a clock goes on.
const TICKS: Duration = Duration::from_millis(1200);
/// Pixels between two places that are one.
const BESIDE: u32 = 12;

/// A step for people.
pub fn in_words(step: &Step) -> String {
    match step {
        Step::Keys(keys) | Step::Answer(keys) => format!("the key {keys}"),
        on_the_board if *on_the_board == ON_THE_BOARD => "a click on the board".into(),
        Step::Click(spot) => {
            let name = toml::Value::try_from(spot.from).ok().and_then(|name| name.as_str().map(str::to_owned));
            format!(
                "a click {:.1} tiles right and {:.1} below the board's {}",
                spot.tiles[0],
                spot.tiles[1],
                name.unwrap_or_default()
            )
        }
        Step::Close => "closing a dialog".into(),
        Step::Start => "starting the program again".into(),
        Step::Point(_) => "the pointer moved".into(),
        Step::Wait(ms) => format!("a wait of {ms} ms"),
        Step::All(steps) => steps.iter().map(in_words).collect::<Vec<_>>().join(", then "),
    }
}

impl<D: Desktop> Explorer<'_, D> {
    /// Tiles that still look hidden, after a game in which nothing but mines was left of them.
    fn rest(&self) -> Vec<Cell> {
        let (size, evidence) = (self.size(), &self.notes.evidence);
        let looks = evidence.looks.recognise(&self.shot.pixels, &self.grid);
        size.cells().filter(|&cell| self.is_cleared && evidence.is_hidden(looks[size.index(cell)])).collect()
    }

    /// Puts a flag on every mine that is left; whether there were any, and right clicks are known to put flags.
    pub fn flag_the_rest(&mut self) -> Result<bool, DesktopError> {
        let rest = self.rest();
        if rest.is_empty() || !self.notes.knows_flag() {
            return Ok(false);
        }
        self.put_flags(&rest)?;
        Ok(true)
    }

    /// Puts flags on tiles, one right after the other.
    fn put_flags(&mut self, on: &[Cell]) -> Result<(), DesktopError> {
        let touch = self.notes.touch();
        for &cell in on {
            let at = self.shot.to_screen(self.grid.center(cell));
            self.desktop.act(&Action::Click(Click { button: Button::Right, at, touch, with: None }))?;
            self.desktop.wait(STAY)?;
        }
        self.settle().map(|_| ())
    }

    /// Finds out whether a game goes on for the client until every mine carries a flag, after one of which nothing but mines is left and that seems to go
    /// on: flags are put on these, and what comes with the last of them, and with none before, is its end.
    pub fn try_flags_to_win(&mut self, tell: &mut Tell) -> Result<(), DesktopError> {
        let rest = self.rest();
        let (Some((&first, _)), Some(&last)) = (rest.split_first(), rest.last()) else { return Ok(()) };
        if self.notes.flags_to_win || self.flagged >= FLAGGED || rest.len() > MOST_FLAGS || self.has_ended() {
            return Ok(());
        }
        self.flagged += 1;
        let start = self.shot.pixels.clone();
        if !self.marks_a_mine(first)? {
            return Ok(());
        }
        // What a counter shows changes with every flag, and what a clock shows with none.
        let mut busy = changed_outside(&start, &self.shot.pixels, &self.grid);
        for _ in 0..ROUNDS {
            let left: Vec<Cell> = self.rest().into_iter().filter(|cell| *cell != last).collect();
            if left.is_empty() {
                break;
            }
            self.put_flags(&left)?;
        }
        let before = self.shot.pixels.clone();
        self.desktop.wait(TICKS)?;
        self.settle()?;
        busy.extend(changed_outside(&before, &self.shot.pixels, &self.grid));
        let before = self.shot.clone();
        if last != first && !self.presses_right(last)? {
            return Ok(());
        }
        let around = changed_outside(&before.pixels, &self.shot.pixels, &self.grid);
        let did = changed((&before.pixels, &self.grid), (&self.shot.pixels, &self.grid));
        let others = (0..did.len()).filter(|&index| did[index] && index != self.size().index(last)).count();
        if self.has_ended() || others > 0 || last != first && around.iter().any(|place| !is_busy(place, &busy)) {
            tell(News::Says("a game is won when every mine carries a flag"));
            self.notes.flags_to_win = true;
        }
        Ok(())
    }

    /// Whether something shows, or has gone, as at the end of a game.
    pub fn has_ended(&mut self) -> bool {
        self.window_has_gone()
            || self.desktop.has_dialog()
            || self.is_laid_over()
            || self.is_overlapped()
            || self.is_replaced()
            || self.panel().is_some()
    }

    /// Opens one of the mines that are left without a flag; whether there were any.
    pub fn open_a_mine(&mut self) -> Result<bool, DesktopError> {
        if let Some(&cell) = self.rest().first() {
            return match self.press(cell, Button::Left) {
                // A menu may be over it that what was tried before has opened.
                Err(DesktopError::Foreign(_)) => Ok(true),
                other => other.map(|_| true),
            };
        }
        Ok(false)
    }

    /// Does one step. What would have gone to another window is not done, and not tried again.
    pub fn carry_out(&mut self, step: &Step) -> Result<(), DesktopError> {
        // What is below where its window was is none of the client's.
        if !step.starts() && self.window_has_gone() && self.window_in_place().is_none() {
            log::debug!("its window has gone: {} is not tried", in_words(step));
            return Ok(());
        }
        log::debug!("trying {}", in_words(step));
        match self.carry_out_here(step) {
            Err(DesktopError::Foreign(_)) => {
                self.desktop.act(&Action::Raise)?;
                self.desktop.wait(RAISED)?;
                match self.carry_out_here(step) {
                    Err(DesktopError::Foreign(_)) => Ok(()),
                    other => other,
                }
            }
            other => other,
        }
    }

    fn carry_out_here(&mut self, step: &Step) -> Result<(), DesktopError> {
        match step {
            Step::Keys(keys) if !self.desktop.has_dialog() => self.desktop.act(&Action::Keys(keys.clone())),
            Step::Keys(keys) | Step::Answer(keys) => self.desktop.act(&Action::Answer(keys.clone())),
            Step::Close => self.desktop.act(&Action::Close),
            Step::Start => {
                self.desktop.act(&Action::Start)?;
                self.until_it_shows()
            }
            Step::Wait(ms) => self.desktop.wait(Duration::from_millis(*ms)),
            Step::All(_) => {
                for step in step.parts() {
                    self.carry_out_here(step)?;
                    self.desktop.wait(STAY)?;
                }
                Ok(())
            }
            Step::Point(spot) => self.desktop.act(&Action::Point(self.shot.to_screen(self.grid.spot(*spot)))),
            Step::Click(spot) => {
                let at: ScreenPoint = self.shot.to_screen(self.grid.spot(*spot));
                self.allow(&[at]);
                let touch = self.notes.touch().unhurried();
                self.desktop.act(&Action::Click(Click { button: Button::Left, at, touch, with: None }))?;
                self.desktop.wait(STAY)
            }
        }
    }
}

/// Whether a place is one of those that change anyway: it touches some of them, and reaches hardly farther than these do together. What says that a game
/// is won may stand where its flags are counted, and is longer.
fn is_busy(place: &Rect, busy: &[Rect]) -> bool {
    let end = |rect: &Rect| [rect.left + rect.width, rect.top + rect.height];
    let near = busy.iter().filter(|busy| is_near(busy, place));
    let all = near.map(|rect| ([rect.left, rect.top], end(rect)));
    let all = all.reduce(|(from, to), (first, last)| {
        ([0, 1].map(|at| from[at].min(first[at])), [0, 1].map(|at| to[at].max(last[at])))
    });
    all.is_some_and(|(from, to)| {
        let more = (LONGER * f64::from(to[1] - from[1])) as u32;
        let (first, last) = ([place.left, place.top], end(place));
        [0, 1].iter().all(|&at| first[at] + more >= from[at] && last[at] <= to[at] + more)
    })
}

/// Whether two places touch, or nearly.
fn is_near(one: &Rect, other: &Rect) -> bool {
    let is_beside = |from: u32, length: u32, other: u32, long: u32| {
        from <= other + long + BESIDE && other <= from + length + BESIDE
    };
    is_beside(one.left, one.width, other.left, other.width) && is_beside(one.top, one.height, other.top, other.height)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_where_flags_are_counted_is_no_count() {
        let place = |left: u32, width: u32| Rect { left, top: 400, width, height: 10 };
        // The second digit of the flags, then both.
        let busy = [place(68, 6), place(60, 14)];
        assert!(is_busy(&place(60, 14), &busy) && is_busy(&place(52, 22), &busy));
        // From the first letter of the line on.
        assert!(!is_busy(&place(10, 90), &busy));
        assert!(!is_busy(&place(200, 30), &busy));
    }
}
