//! Whose windows are where, as xcap tells on Windows and macOS.

use crate::desktop::Window;
use crate::geometry::{ScreenPoint, ScreenRect};
use std::time::{Duration, Instant};

/// All windows, the topmost first; asked for anew when they were asked for a moment ago.
#[derive(Default)]
pub struct Windows {
    known: Option<(Instant, Vec<Known>)>,
}

struct Known {
    window: Window,
    place: ScreenRect,
    is_focused: bool,
}

/// So long the answer is taken to be true: a batch of clicks asks many times.
const FRESH: Duration = Duration::from_millis(5);

impl Windows {
    /// The window under a point; nothing if the system does not tell.
    pub fn at(&mut self, at: ScreenPoint) -> Option<Window> {
        let windows = self.all()?;
        Some(windows.iter().find(|known| known.place.contains(at)).map_or(Window::NONE, |known| known.window))
    }

    /// The window that is typed into.
    pub fn focused(&mut self) -> Option<Window> {
        self.known = None;
        let windows = self.all()?;
        Some(windows.iter().find(|known| known.is_focused).map_or(Window::NONE, |known| known.window))
    }

    /// The same window as it is now.
    pub fn now(&mut self, window: Window) -> Option<Window> {
        self.known = None;
        self.all()?.iter().map(|known| known.window).find(|now| now.id == window.id)
    }

    fn all(&mut self) -> Option<&[Known]> {
        if self.known.as_ref().is_none_or(|(asked, _)| asked.elapsed() > FRESH) {
            let known = |window: &xcap::Window| -> Option<(i32, Known)> {
                if window.is_minimized().ok()? {
                    return None;
                }
                let corner = ScreenPoint { x: window.x().ok()?, y: window.y().ok()? };
                let place = ScreenRect { corner, width: window.width().ok()?, height: window.height().ok()? };
                let (id, program) = (window.id().ok()?.into(), window.pid().ok()?.into());
                let is_focused = window.is_focused().unwrap_or(false);
                Some((window.z().ok()?, Known { window: Window { id, program, corner }, place, is_focused }))
            };
            let mut windows: Vec<(i32, Known)> = xcap::Window::all().ok()?.iter().filter_map(known).collect();
            windows.sort_by_key(|&(z, _)| std::cmp::Reverse(z));
            self.known = Some((Instant::now(), windows.into_iter().map(|(_, known)| known).collect()));
        }
        self.known.as_ref().map(|(_, windows)| windows.as_slice())
    }
}
