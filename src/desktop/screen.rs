//! The real screen, to look at. Nothing here can move the pointer, click or type: what plays is [`super::live`].

#[cfg(any(feature = "portable-eyes", feature = "wayland-eyes"))]
mod layout;
#[cfg(all(target_os = "linux", feature = "x11-eyes"))]
mod paint;
#[cfg(feature = "portable-eyes")]
mod portable;
#[cfg(all(target_os = "linux", feature = "wayland-eyes"))]
mod wayland;
#[cfg(windows)]
mod windows;
#[cfg(all(target_os = "linux", feature = "x11-eyes"))]
mod x11;

use super::{Action, Capabilities, Desktop, DesktopError, ScreenRect, Way, first};
use crate::geometry::{Rect, ScreenPoint};
use crate::screenshot::Screenshot;
use image::GenericImage;
use std::time::{Duration, Instant};

/// A way to take pictures of the screen.
trait Capture {
    /// What it is, for people.
    fn name(&self) -> String;

    /// The monitors, in the mouse's units.
    fn monitors(&self) -> Vec<ScreenRect>;

    /// Whether a part is captured without the rest of the screen.
    fn is_in_parts(&self) -> bool {
        true
    }

    /// What hears of every painting, where the system tells.
    fn listen(&self) -> Option<Box<dyn Painting>> {
        None
    }

    /// Whether the pointer may be in the pictures.
    fn has_pointer(&self) -> bool {
        false
    }

    /// All of the screen, or the part of it that was asked for (less what lies outside).
    fn take(&mut self, part: Option<ScreenRect>) -> Result<Screenshot, DesktopError>;
}

/// What hears of every painting on the screen.
trait Painting {
    /// Waits until something is painted within a part of the screen, at most so long. Whether something was since the last time; nothing
    /// if the system no longer tells.
    fn wait(&mut self, within: ScreenRect, longest: Duration) -> Option<bool>;

    /// The smallest rectangle that holds all that was painted since this was asked last, as far as the system told by now.
    fn painted(&mut self) -> Option<ScreenRect>;
}

/// The real screen. As a desktop it refuses to act.
pub struct Screen {
    capture: Box<dyn Capture>,
    /// What is painted, where the system tells.
    painting: Option<Box<dyn Painting>>,
    last: Option<Last>,
    opened: Instant,
}

/// The last picture of a part, of which only what was painted since is taken again.
struct Last {
    part: ScreenRect,
    shot: Screenshot,
    /// When all of it was taken.
    taken: Instant,
}

/// So long the system is believed to have told of all that was painted.
const BELIEVED: Duration = Duration::from_millis(100);

/// Pictures of the screen, by every way that was compiled in; the first that works is taken. A kept connection is tens of times
/// faster than what works everywhere.
const WAYS: &[Way<Box<dyn Capture>>] = &[
    #[cfg(all(target_os = "linux", feature = "wayland-eyes"))]
    ("Wayland", || Ok(Box::new(wayland::Screencopy::open()?))),
    #[cfg(all(target_os = "linux", feature = "x11-eyes"))]
    ("X11", || Ok(Box::new(x11::X11::connect().map_err(|reason| reason.to_string())?))),
    #[cfg(windows)]
    ("GDI", || Ok(Box::new(windows::Gdi::open()?))),
    #[cfg(feature = "portable-eyes")]
    ("xcap", || Ok(Box::new(portable::Portable::open()?))),
];

impl Screen {
    /// The screen, in the best way there is.
    ///
    /// # Errors
    /// The screen cannot be captured.
    pub fn open() -> Result<Self, DesktopError> {
        let capture = first(WAYS).map_err(DesktopError::Capture)?;
        let painting = capture.listen();
        Ok(Self { capture, painting, last: None, opened: Instant::now() })
    }

    /// The ways that would be taken if the best one did not work, to compare them.
    pub fn other_ways() -> Vec<Self> {
        let opened = WAYS.iter().filter_map(|(_, open)| open().ok());
        opened.skip(1).map(|capture| Self { capture, painting: None, last: None, opened: Instant::now() }).collect()
    }

    /// How pictures are taken, for people.
    pub fn capture_name(&self) -> String {
        self.capture.name()
    }

    /// The monitors, in the mouse's units.
    pub fn monitors(&self) -> Vec<ScreenRect> {
        self.capture.monitors()
    }

    /// The last picture of this part with what was painted since; nothing where that is not known.
    fn freshened(&mut self, part: ScreenRect) -> Option<Screenshot> {
        let painted = self.painting.as_mut()?.painted();
        let last = self.last.as_mut().filter(|last| last.part == part && last.taken.elapsed() < BELIEVED)?;
        let (corner, (width, height)) = (last.shot.origin, last.shot.pixels.dimensions());
        if let Some(changed) = painted?.overlap(ScreenRect { corner, width, height }) {
            let now = self.capture.take(Some(changed)).ok()?;
            let (left, top) = (now.origin.x.abs_diff(corner.x), now.origin.y.abs_diff(corner.y));
            last.shot.pixels.copy_from(&now.pixels, left, top).ok()?;
        }
        Some(last.shot.clone())
    }
}

impl Desktop for Screen {
    fn capabilities(&mut self) -> Capabilities {
        let (capture_part, pointer_in_pictures) = (self.capture.is_in_parts(), self.capture.has_pointer());
        Capabilities { capture_part, pointer_in_pictures, ..Capabilities::NONE }
    }

    fn look(&mut self, part: Option<ScreenRect>) -> Result<Screenshot, DesktopError> {
        if let Some(shot) = part.and_then(|part| self.freshened(part)) {
            return Ok(shot);
        }
        let taken = Instant::now();
        let shot = self.capture.take(part)?;
        // Where places are in pixels, a picture is made of parts.
        self.last = part.filter(|_| self.painting.is_some() && shot.scale == 1.0).map(|part| Last {
            part,
            shot: shot.clone(),
            taken,
        });
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
        let is_same = now.shows_the_same(all, seen, Rect { width: all.width, height: all.height, ..within });
        self.last = self.last.take().filter(|_| is_same); // whatever the system told: the next look takes all of it
        Ok(is_same)
    }

    fn act(&mut self, _: &Action) -> Result<(), DesktopError> {
        Err(DesktopError::Input("this only looks at the screen".into()))
    }

    fn wait(&mut self, time: Duration) -> Result<(), DesktopError> {
        std::thread::sleep(time);
        Ok(())
    }

    fn wait_for_paint(&mut self, within: ScreenRect, longest: Duration) -> Result<Option<bool>, DesktopError> {
        let told = self.painting.as_mut().and_then(|painting| painting.wait(within, longest));
        if told.is_none() {
            self.painting = None;
            self.wait(longest)?;
        }
        Ok(told)
    }

    fn clock(&mut self) -> Duration {
        self.opened.elapsed()
    }
}
