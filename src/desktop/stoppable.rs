//! [`Stoppable`] wraps any desktop so that a person can stop the bot between any two of its acts.

use super::{Action, Desktop, DesktopError, Note, ScreenRect};
use crate::screenshot::Screenshot;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The longest wait without a look at the request to stop: short enough for a person not to notice.
const SLICE: Duration = Duration::from_millis(50);

/// A desktop that refuses everything once it was asked to stop.
pub struct Stoppable<D> {
    inner: D,
    stop: Arc<AtomicBool>,
}

impl<D: Desktop> Stoppable<D> {
    /// `inner`, until `stop` becomes true.
    pub fn new(inner: D, stop: Arc<AtomicBool>) -> Self {
        Self { inner, stop }
    }

    fn go_on(&self) -> Result<(), DesktopError> {
        if self.stop.load(Ordering::Relaxed) { Err(DesktopError::Stopped) } else { Ok(()) }
    }
}

impl<D: Desktop> Desktop for Stoppable<D> {
    fn look(&mut self, part: Option<ScreenRect>) -> Result<Screenshot, DesktopError> {
        self.go_on()?;
        self.inner.look(part)
    }

    fn allow(&mut self, areas: &[ScreenRect]) {
        self.inner.allow(areas);
    }

    fn act(&mut self, action: &Action) -> Result<(), DesktopError> {
        self.go_on()?;
        self.inner.act(action)
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

    fn clock(&mut self) -> Duration {
        self.inner.clock()
    }

    fn note(&mut self, note: Note<'_>) -> Result<(), DesktopError> {
        self.inner.note(note)
    }
}
