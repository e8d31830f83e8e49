//! A desktop that keeps what passes through it: around any other desktop, for the length of a game.
//!
//! A game is kept from before the bot looks for the board: `begin`, then a bot of its own for this game, then `end`. So
//! it can be replayed by itself, whatever was played before it.

use super::{Event, Start, Tape};
use crate::desktop::{Action, Desktop, DesktopError, Note, ScreenRect};
use crate::geometry::Rect;
use crate::screenshot::Screenshot;
use std::time::Duration;

/// Another desktop, with everything that passes through written to a [`Tape`] while there is one.
#[derive(Debug)]
pub struct Recording<D> {
    inner: D,
    tape: Option<Tape>,
}

impl<D: Desktop> Recording<D> {
    /// Around `inner`; nothing is kept yet.
    pub fn new(inner: D) -> Self {
        Self { inner, tape: None }
    }

    /// From now on everything is kept.
    pub fn begin(&mut self, start: Start) {
        let now = self.inner.clock();
        self.tape = Some(Tape::new(start, now));
    }

    /// What was kept since [`Recording::begin`], with the time now; from now on nothing is.
    pub fn end(&mut self) -> Option<(Tape, Duration)> {
        let tape = self.tape.take()?;
        Some((tape, self.inner.clock()))
    }

    fn keep(&mut self, keep: impl FnOnce(&mut Tape, Duration)) {
        if let Some(tape) = &mut self.tape {
            keep(tape, self.inner.clock());
        }
    }

    fn keep_failure<T>(&mut self, doing: &str, result: &Result<T, DesktopError>) {
        if let Err(error) = result {
            self.keep(|tape, now| tape.failed(now, doing, error));
        }
    }
}

impl<D: Desktop> Desktop for Recording<D> {
    fn behind(&mut self) -> Option<&mut dyn Desktop> {
        Some(&mut self.inner)
    }

    fn look(&mut self, part: Option<ScreenRect>) -> Result<Screenshot, DesktopError> {
        let mut shot = self.inner.look(part);
        if let Ok(shot) = &mut shot
            && self.tape.is_some()
        {
            make_opaque(shot);
            self.keep(|tape, now| tape.look(now, part, shot));
        }
        self.keep_failure("look", &shot);
        shot
    }

    fn is_unchanged(
        &mut self,
        part: Option<ScreenRect>,
        seen: &Screenshot,
        within: Rect,
    ) -> Result<bool, DesktopError> {
        let unchanged = self.inner.is_unchanged(part, seen, within);
        // That nothing changed is the rule, and no line.
        if matches!(unchanged, Ok(false)) {
            self.keep(|tape, now| tape.push(now, Event::Changed));
        }
        self.keep_failure("is_unchanged", &unchanged);
        unchanged
    }

    fn follow(&mut self) -> Option<(i32, i32)> {
        let moved = self.inner.follow();
        if let Some((x, y)) = moved {
            self.keep(|tape, now| tape.push(now, Event::Displaced([x, y])));
        }
        moved
    }

    fn has_dialog(&mut self) -> bool {
        let has_dialog = self.inner.has_dialog();
        if has_dialog {
            self.keep(|tape, now| tape.push(now, Event::Dialog));
        }
        has_dialog
    }

    fn is_elsewhere(&mut self, board: ScreenRect) -> bool {
        let is_elsewhere = self.inner.is_elsewhere(board);
        if is_elsewhere {
            self.keep(|tape, now| tape.push(now, Event::Elsewhere));
        }
        is_elsewhere
    }

    fn act(&mut self, action: &Action) -> Result<(), DesktopError> {
        // Kept before it is done: the time is that of the decision to do it, and a refused click is of interest too.
        self.keep(|tape, now| tape.push(now, Event::Act(action.clone())));
        let done = self.inner.act(action);
        self.keep_failure("act", &done);
        done
    }

    fn wait(&mut self, time: Duration) -> Result<(), DesktopError> {
        self.keep(|tape, now| tape.push(now, Event::Wait(time.as_micros() as u64)));
        let done = self.inner.wait(time);
        self.keep_failure("wait", &done);
        done
    }

    fn wait_for_paint(&mut self, within: ScreenRect, longest: Duration) -> Result<Option<bool>, DesktopError> {
        self.keep(|tape, now| tape.push(now, Event::Wait(longest.as_micros() as u64)));
        let told = self.inner.wait_for_paint(within, longest);
        self.keep_failure("wait", &told);
        if let Ok(Some(is_painted)) = told {
            self.keep(|tape, now| tape.push(now, Event::Painted(is_painted)));
        }
        told
    }

    fn clock(&mut self) -> Duration {
        // To the microsecond, as it is written: a replay must be told exactly the same.
        let now = Duration::from_micros(self.inner.clock().as_micros() as u64);
        self.keep(|tape, _| tape.push(now, Event::Clock(now.as_micros() as u64)));
        now
    }

    fn note(&mut self, note: Note<'_>) -> Result<(), DesktopError> {
        self.keep(|tape, now| tape.note(now, note));
        self.inner.note(note)
    }
}

/// Screens are opaque, but some captures say otherwise; transparency is kept for pixels that did not change.
fn make_opaque(shot: &mut Screenshot) {
    shot.pixels.pixels_mut().for_each(|pixel| pixel[3] = u8::MAX);
}
