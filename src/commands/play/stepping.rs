//! A desktop that waits for the person before anything is done.

use super::summary;
use crate::desktop::{Action, Desktop, DesktopError, Note, ScreenRect};
use crate::screenshot::Screenshot;
use std::io::BufRead;
use std::time::Duration;

/// Another desktop, with a pause for Enter at every decision.
pub struct Stepping {
    inner: Box<dyn Desktop>,
}

impl Stepping {
    pub fn new(inner: Box<dyn Desktop>) -> Self {
        Self { inner }
    }
}

impl Desktop for Stepping {
    fn look(&mut self, part: Option<ScreenRect>) -> Result<Screenshot, DesktopError> {
        self.inner.look(part)
    }

    fn allow(&mut self, areas: &[ScreenRect]) {
        self.inner.allow(areas);
    }

    fn act(&mut self, action: &Action) -> Result<(), DesktopError> {
        self.inner.act(action)
    }

    fn wait(&mut self, time: Duration) -> Result<(), DesktopError> {
        self.inner.wait(time)
    }

    fn clock(&mut self) -> Duration {
        self.inner.clock()
    }

    fn note(&mut self, note: Note<'_>) -> Result<(), DesktopError> {
        if let Note::Decision(board, decision) = note {
            eprintln!("{}\n{}; Enter goes on, q stops", summary::text_of(board), summary::decision(decision));
            let mut line = String::new();
            let read = std::io::stdin().lock().read_line(&mut line).unwrap_or(0);
            if read == 0 || line.trim() == "q" {
                return Err(DesktopError::Stopped);
            }
        }
        self.inner.note(note)
    }
}
