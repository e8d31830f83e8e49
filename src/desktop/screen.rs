//! The real screen, to look at. Nothing here can move the pointer, click or type: what plays is [`super::live`].

#[cfg(target_os = "linux")]
mod paint;
mod portable;
#[cfg(target_os = "linux")]
mod x11;

use super::{Action, Desktop, DesktopError, ScreenRect};
use crate::geometry::{Rect, ScreenPoint};
use crate::screenshot::Screenshot;
use std::time::{Duration, Instant};

/// A way to take pictures of the screen.
trait Capture {
    /// What it is, for people.
    fn name(&self) -> String;

    /// The monitors, in the mouse's units.
    fn monitors(&self) -> Vec<ScreenRect>;

    /// All of the screen, or the part of it that was asked for (less what lies outside).
    fn take(&mut self, part: Option<ScreenRect>) -> Result<Screenshot, DesktopError>;
}

/// The real screen. As a desktop it refuses to act.
pub struct Screen {
    capture: Box<dyn Capture>,
    /// What is painted, where the system tells.
    #[cfg(target_os = "linux")]
    paint: Option<paint::Paint>,
    opened: Instant,
}

impl Screen {
    /// A kept connection to an X server where there is one (tens of times faster), else what works everywhere.
    ///
    /// # Errors
    /// The screen cannot be captured.
    pub fn open() -> Result<Self, DesktopError> {
        #[cfg(target_os = "linux")]
        match x11::X11::connect() {
            Ok(capture) => {
                let paint = paint::Paint::listen().map_err(|reason| log::info!("looking all the time: {reason}")).ok();
                return Ok(Self { paint, ..Self::with(Box::new(capture)) });
            }
            Err(reason) => log::info!("capturing with xcap: {reason}"),
        }
        Ok(Self::with(Box::new(portable::Portable::new()?)))
    }

    fn with(capture: Box<dyn Capture>) -> Self {
        Self {
            capture,
            #[cfg(target_os = "linux")]
            paint: None,
            opened: Instant::now(),
        }
    }

    /// How pictures are taken, for people.
    pub fn capture_name(&self) -> String {
        self.capture.name()
    }

    /// The monitors, in the mouse's units.
    pub fn monitors(&self) -> Vec<ScreenRect> {
        self.capture.monitors()
    }
}

impl Desktop for Screen {
    fn look(&mut self, part: Option<ScreenRect>) -> Result<Screenshot, DesktopError> {
        let shot = self.capture.take(part)?;
        let is_black = || shot.pixels.pixels().all(|pixel| pixel.0[..3] == [0, 0, 0]);
        if part.is_none() && is_black() { Err(DesktopError::Black) } else { Ok(shot) }
    }

    fn is_unchanged(
        &mut self,
        part: Option<ScreenRect>,
        seen: &Screenshot,
        within: Rect,
    ) -> Result<bool, DesktopError> {
        if seen.scale != 1.0 {
            let now = self.capture.take(part)?;
            return Ok(now.shows_the_same(within, seen, within));
        }
        let corner = ScreenPoint { x: seen.origin.x + within.left as i32, y: seen.origin.y + within.top as i32 };
        let Rect { width, height, .. } = within;
        let now = self.capture.take(Some(ScreenRect { corner, width, height }))?;
        // What hangs over the edge of the screen cannot be compared.
        let all = Rect { left: 0, top: 0, width: now.pixels.width(), height: now.pixels.height() };
        Ok(now.shows_the_same(all, seen, Rect { width: all.width, height: all.height, ..within }))
    }

    fn act(&mut self, _: &Action) -> Result<(), DesktopError> {
        Err(DesktopError::Input("this only looks at the screen".into()))
    }

    fn wait(&mut self, time: Duration) -> Result<(), DesktopError> {
        std::thread::sleep(time);
        Ok(())
    }

    #[cfg(target_os = "linux")]
    fn wait_for_paint(&mut self, within: ScreenRect, longest: Duration) -> Result<Option<bool>, DesktopError> {
        let told = self.paint.as_ref().and_then(|paint| paint.wait(within, longest));
        if told.is_none() {
            self.paint = None;
            self.wait(longest)?;
        }
        Ok(told)
    }

    fn clock(&mut self) -> Duration {
        self.opened.elapsed()
    }
}
