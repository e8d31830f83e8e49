//! [`Stoppable`] wraps any desktop so that a person can watch what the bot decides, and stop it between any two of its acts.

use super::{Action, Desktop, DesktopError, Note, ScreenRect, Window};
use crate::board::Board;
use crate::geometry::Rect;
use crate::screenshot::Screenshot;
use crate::solver::Decision;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The longest wait without a look at the request to stop: short enough for a person not to notice.
const SLICE: Duration = Duration::from_millis(50);

/// Hears of a decision and the board it was made on, and answers.
pub type Told<A> = Box<dyn FnMut(&Board, &Decision) -> A>;

/// What happens at every decision, before it is carried out.
#[derive(Default)]
pub enum AtDecision {
    /// Nothing.
    #[default]
    GoOn,
    /// The person is shown it.
    Show(Told<()>),
    /// The person is asked, has the mouse meanwhile, and may say no.
    Ask(Told<bool>),
}

/// A desktop that refuses everything once it was asked to stop.
pub struct Stoppable<D> {
    inner: D,
    stop: Arc<AtomicBool>,
    at_decision: AtDecision,
}

impl<D: Desktop> Stoppable<D> {
    /// `inner`, until `stop` becomes true or the person says no to a decision.
    pub fn new(inner: D, stop: Arc<AtomicBool>, at_decision: AtDecision) -> Self {
        Self { inner, stop, at_decision }
    }

    fn go_on(&self) -> Result<(), DesktopError> {
        if self.stop.load(Ordering::Relaxed) { Err(DesktopError::Stopped) } else { Ok(()) }
    }
}

impl<D: Desktop> Desktop for Stoppable<D> {
    fn behind(&mut self) -> Option<&mut dyn Desktop> {
        Some(&mut self.inner)
    }

    fn look(&mut self, part: Option<ScreenRect>) -> Result<Screenshot, DesktopError> {
        self.go_on()?;
        self.inner.look(part)
    }

    fn is_unchanged(
        &mut self,
        part: Option<ScreenRect>,
        seen: &Screenshot,
        within: Rect,
    ) -> Result<bool, DesktopError> {
        self.go_on()?;
        self.inner.is_unchanged(part, seen, within)
    }

    fn raise(&mut self, window: Window) -> Result<(), DesktopError> {
        self.go_on()?;
        self.inner.raise(window)
    }

    fn act(&mut self, action: &Action) -> Result<(), DesktopError> {
        self.go_on()?;
        self.inner.act(action)
    }

    fn act_in(&mut self, action: &Action, window: Window) -> Result<(), DesktopError> {
        self.go_on()?;
        self.inner.act_in(action, window)
    }

    fn wait(&mut self, time: Duration) -> Result<(), DesktopError> {
        let mut left = time;
        while left > SLICE {
            self.go_on()?;
            self.inner.wait(SLICE)?;
            left -= SLICE;
        }
        self.go_on()?;
        self.inner.wait(left)
    }

    fn wait_for_paint(&mut self, within: ScreenRect, longest: Duration) -> Result<Option<bool>, DesktopError> {
        self.go_on()?;
        self.inner.wait_for_paint(within, longest)
    }

    fn clock(&mut self) -> Duration {
        self.inner.clock()
    }

    fn note(&mut self, note: Note<'_>) -> Result<(), DesktopError> {
        if let Note::Decision(board, decision) = note {
            match &mut self.at_decision {
                AtDecision::GoOn => {}
                AtDecision::Show(show) => show(board, decision),
                AtDecision::Ask(ask) => {
                    if !ask(board, decision) {
                        return Err(DesktopError::Stopped);
                    }
                    self.inner.resume();
                }
            }
        }
        self.inner.note(note)
    }
}
