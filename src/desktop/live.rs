//! The real screen, mouse and keyboard. The mouse belongs to the person: clicks go only where they were allowed, and
//! everything stops as soon as the pointer is not where the bot left it.

#[cfg(target_os = "linux")]
mod buttons;
mod mouse;
mod portable;
#[cfg(target_os = "linux")]
mod x11;

use super::{Action, Click, Desktop, DesktopError, Keys, ScreenRect};
use crate::geometry::ScreenPoint;
use crate::screenshot::Screenshot;
pub use mouse::Aim;
use mouse::Mouse;
use std::thread::sleep;
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

/// The real screen, mouse and keyboard.
pub struct Live {
    capture: Box<dyn Capture>,
    mouse: Option<Mouse>,
    allowed: Vec<ScreenRect>,
    /// Where the bot left the pointer, once it has moved it.
    left_at: Option<ScreenPoint>,
    started: Instant,
}

/// How far the pointer may be from where it was left, in the mouse's units: scaled displays round.
const TOLERANCE: u32 = 2;

/// How long the pointer may take to arrive; nothing is done meanwhile.
const ARRIVAL: Duration = Duration::from_secs(1);

impl Live {
    /// Screen, mouse and keyboard. The pointer is moved to two points of every monitor, to see whether it goes where
    /// it is sent and by how much it must be corrected, and back.
    ///
    /// # Errors
    /// The screen cannot be captured, or the mouse does not obey.
    pub fn open() -> Result<Self, DesktopError> {
        let capture = best_capture()?;
        let mouse = Mouse::measured(&capture.monitors())?;
        Ok(Self { capture, mouse: Some(mouse), allowed: Vec::new(), left_at: None, started: Instant::now() })
    }

    /// Only the screen: nothing is ever clicked, the pointer never moves.
    ///
    /// # Errors
    /// The screen cannot be captured.
    pub fn watch() -> Result<Self, DesktopError> {
        Ok(Self { capture: best_capture()?, mouse: None, allowed: Vec::new(), left_at: None, started: Instant::now() })
    }

    /// How pictures are taken, for people.
    pub fn capture_name(&self) -> String {
        self.capture.name()
    }

    /// The monitors, in the mouse's units.
    pub fn monitors(&self) -> Vec<ScreenRect> {
        self.capture.monitors()
    }

    /// How the mouse was measured on every monitor; empty without a mouse.
    pub fn aims(&self) -> &[(ScreenRect, Aim)] {
        self.mouse.as_ref().map_or(&[], Mouse::aims)
    }

    fn mouse(&mut self) -> Result<&mut Mouse, DesktopError> {
        self.mouse.as_mut().ok_or_else(|| DesktopError::Input("this run only watches the screen".into()))
    }

    /// Stops when the person has the mouse: the pointer is not where it was left, or waits in a corner. It is given time
    /// to arrive: a window manager that looks at a click first holds back what comes after it.
    fn check_hands_off(&mut self) -> Result<(), DesktopError> {
        let left_at = self.left_at;
        let Some(mouse) = self.mouse.as_ref() else { return Ok(()) };
        let near = |one: ScreenPoint, other: ScreenPoint| {
            one.x.abs_diff(other.x) <= TOLERANCE && one.y.abs_diff(other.y) <= TOLERANCE
        };
        let began = Instant::now();
        loop {
            let now = mouse.location()?;
            let taken = match left_at {
                Some(point) => !near(now, point),
                None => corners(&self.capture.monitors()).into_iter().any(|corner| near(now, corner)),
            };
            if !taken {
                return Ok(());
            }
            if began.elapsed() >= ARRIVAL {
                log::info!("the pointer was left at {left_at:?} and is at {},{}", now.x, now.y);
                return Err(DesktopError::Taken);
            }
            sleep(Duration::from_millis(1));
        }
    }

    /// Waits until no button is down. A window manager may hold back all that follows a press until it has looked at it,
    /// and what is held back happens where the pointer is by then: moved on at once, the button would be released over
    /// another tile (openbox: 20 to 50 of 60 clicks without this, none of 180 with it).
    fn check_released(&mut self) -> Result<(), DesktopError> {
        let began = Instant::now();
        while self.mouse()?.is_down() {
            if began.elapsed() >= ARRIVAL {
                log::info!("a button stays down although it was released");
                return Err(DesktopError::Taken);
            }
            sleep(Duration::from_micros(100));
        }
        Ok(())
    }

    fn go(&mut self, point: ScreenPoint) -> Result<(), DesktopError> {
        self.mouse()?.go(point)?;
        self.left_at = Some(point);
        Ok(())
    }

    fn click(&mut self, click: &Click) -> Result<(), DesktopError> {
        if !self.allowed.iter().any(|area| area.contains(click.at)) {
            return Err(DesktopError::NotAllowed(click.at));
        }
        let with: Option<Keys> = click.with.as_deref().map(parse_keys).transpose()?;
        self.go(click.at)?;
        self.check_hands_off()?; // not pressed before it is there
        self.mouse()?.press(click.button, with.as_ref(), Duration::from_millis(click.hold_ms))?;
        self.check_released()
    }
}

impl Desktop for Live {
    fn look(&mut self, part: Option<ScreenRect>) -> Result<Screenshot, DesktopError> {
        let shot = self.capture.take(part)?;
        let is_black = || shot.pixels.pixels().all(|pixel| pixel.0[..3] == [0, 0, 0]);
        if part.is_none() && is_black() { Err(DesktopError::Black) } else { Ok(shot) }
    }

    fn allow(&mut self, areas: &[ScreenRect]) {
        self.allowed = areas.to_vec();
    }

    fn act(&mut self, action: &Action) -> Result<(), DesktopError> {
        self.check_hands_off()?;
        match action {
            Action::Click(click) => self.click(click),
            Action::Keys(text) => {
                let keys = parse_keys(text)?;
                self.mouse()?.type_keys(&keys)
            }
            Action::Point(point) => self.go(*point),
        }
    }

    fn wait(&mut self, time: Duration) -> Result<(), DesktopError> {
        sleep(time);
        self.check_hands_off()
    }

    fn clock(&mut self) -> Duration {
        self.started.elapsed()
    }

    fn resume(&mut self) {
        self.left_at = None;
    }
}

fn parse_keys(text: &str) -> Result<Keys, DesktopError> {
    text.parse().map_err(|error: super::UnknownKey| DesktopError::Input(error.to_string()))
}

/// A kept connection to an X server where there is one (tens of times faster), else what works everywhere.
fn best_capture() -> Result<Box<dyn Capture>, DesktopError> {
    #[cfg(target_os = "linux")]
    match x11::X11::connect() {
        Ok(capture) => return Ok(Box::new(capture)),
        Err(reason) => log::info!("capturing with xcap: {reason}"),
    }
    Ok(Box::new(portable::Portable::new()?))
}

fn corners(monitors: &[ScreenRect]) -> Vec<ScreenPoint> {
    let of = |rect: &ScreenRect| {
        let (left, top) = (rect.corner.x, rect.corner.y);
        let (right, bottom) = (left + rect.width as i32 - 1, top + rect.height as i32 - 1);
        [(left, top), (right, top), (left, bottom), (right, bottom)].map(|(x, y)| ScreenPoint { x, y })
    };
    monitors.iter().flat_map(of).collect()
}
