//! The real screen, mouse and keyboard. The mouse belongs to the person: everything stops as soon as the pointer is not
//! where the bot left it, or Escape is held. What may be clicked and typed is not decided here, but by [`super::Guarded`].

mod mouse;
#[cfg(target_os = "linux")]
mod server;
#[cfg(not(target_os = "linux"))]
mod windows;

#[cfg(not(target_os = "linux"))]
use self::windows::Windows;
use super::screen::Screen;
use super::{Action, Click, Desktop, DesktopError, Keys, ScreenRect, Window};
use crate::client::Button;
use crate::geometry::{Rect, ScreenPoint};
use crate::screenshot::Screenshot;
pub use mouse::Aim;
use mouse::Mouse;
#[cfg(target_os = "linux")]
use server::{Pressed, Server};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The real screen, mouse and keyboard.
pub struct Live {
    screen: Screen,
    mouse: Mouse,
    /// Whose windows are where.
    #[cfg(target_os = "linux")]
    server: Option<Server>,
    #[cfg(not(target_os = "linux"))]
    windows: Windows,
    /// Since when the person holds Escape.
    escape: Option<Instant>,
    /// Where the bot left the pointer, once it has moved it.
    left_at: Option<ScreenPoint>,
    started: Instant,
}

/// How far the pointer may be from where it was left, in the mouse's units: scaled displays round.
const TOLERANCE: u32 = 2;

/// How long the pointer may take to arrive; nothing is done meanwhile.
const ARRIVAL: Duration = Duration::from_secs(1);

/// So long Escape is held by a person who means it.
const HELD: Duration = Duration::from_millis(120);

/// What a person's hands, or the bot's, are doing.
struct Hands {
    pointer: ScreenPoint,
    has_button_down: bool,
    has_escape_down: bool,
}

/// Whether the bot holds a button down now.
static DOWN: AtomicBool = AtomicBool::new(false);

/// Waits until the bot holds no button down, for a moment at most: a program that ends meanwhile would leave it down.
pub fn let_go() {
    for _ in 0..200 {
        if !DOWN.load(Ordering::SeqCst) {
            return;
        }
        sleep(Duration::from_millis(1));
    }
}

/// Whether two places of the pointer are the same, as far as can be told.
fn is_near(one: ScreenPoint, other: ScreenPoint) -> bool {
    one.x.abs_diff(other.x) <= TOLERANCE && one.y.abs_diff(other.y) <= TOLERANCE
}

impl Live {
    /// Screen, mouse and keyboard. The pointer is moved to two points of every monitor, to see whether it goes where
    /// it is sent and by how much it must be corrected, and back.
    ///
    /// # Errors
    /// The screen cannot be captured, or the mouse does not obey.
    pub fn open() -> Result<Self, DesktopError> {
        let screen = Screen::open()?;
        Ok(Self {
            mouse: Mouse::measured(&screen.monitors())?,
            screen,
            #[cfg(target_os = "linux")]
            server: is_x11().then(Server::connect).flatten(),
            #[cfg(not(target_os = "linux"))]
            windows: Windows::default(),
            escape: None,
            left_at: None,
            started: Instant::now(),
        })
    }

    /// How pictures are taken, for people.
    pub fn capture_name(&self) -> String {
        self.screen.capture_name()
    }

    /// How the mouse was measured on every monitor.
    pub fn aims(&self) -> &[(ScreenRect, Aim)] {
        self.mouse.aims()
    }

    /// Where the pointer is, and what is down, as far as the system tells.
    fn hands(&self) -> Result<Hands, DesktopError> {
        #[cfg(target_os = "linux")]
        if let Some(hands) = self.server.as_ref().and_then(Server::hands) {
            return Ok(hands);
        }
        Ok(Hands { pointer: self.mouse.location()?, has_button_down: false, has_escape_down: false })
    }

    /// Stops when the person has the mouse: the pointer is not where it was left, or waits in a corner; or holds Escape. The pointer is
    /// given time to arrive: a window manager that looks at a click first holds back what comes after it.
    fn check_hands_off(&mut self) -> Result<(), DesktopError> {
        let left_at = self.left_at;
        let began = Instant::now();
        loop {
            let Hands { pointer, has_escape_down, .. } = self.hands()?;
            self.check_escape(has_escape_down)?;
            let taken = match left_at {
                Some(point) => !is_near(pointer, point),
                None => corners(&self.screen.monitors()).into_iter().any(|corner| is_near(pointer, corner)),
            };
            if !taken {
                return Ok(());
            }
            self.wait_for_arrival(began, pointer)?;
        }
    }

    /// The pointer is elsewhere than where it was left, since `began`: it may only be late.
    fn wait_for_arrival(&self, began: Instant, pointer: ScreenPoint) -> Result<(), DesktopError> {
        if began.elapsed() >= ARRIVAL {
            log::info!("the pointer was left at {:?} and is at {},{}", self.left_at, pointer.x, pointer.y);
            return Err(DesktopError::Taken);
        }
        sleep(Duration::from_millis(1));
        Ok(())
    }

    /// Stops when the person holds Escape. The bot's own taps are shorter.
    fn check_escape(&mut self, is_down: bool) -> Result<(), DesktopError> {
        if !is_down {
            self.escape = None;
            return Ok(());
        }
        if self.escape.get_or_insert_with(Instant::now).elapsed() >= HELD { Err(DesktopError::Taken) } else { Ok(()) }
    }

    /// Waits until no button is down. A window manager may hold back all that follows a press until it has looked at it,
    /// and what is held back happens where the pointer is by then: moved on at once, the button would be released over
    /// another tile (openbox: 20 to 50 of 60 clicks without this, none of 180 with it).
    fn check_released(&mut self) -> Result<(), DesktopError> {
        let began = Instant::now();
        while self.hands()?.has_button_down {
            if began.elapsed() >= ARRIVAL {
                log::info!("a button stays down although it was released");
                return Err(DesktopError::Taken);
            }
            sleep(Duration::from_micros(100));
        }
        Ok(())
    }

    /// The nearest point that the pointer can be sent to.
    fn on_screen(&self, point: ScreenPoint) -> ScreenPoint {
        let is_known = self.mouse.aims().iter().any(|(monitor, _)| monitor.contains(point));
        if is_known { point } else { nearest(&self.screen.monitors(), point) }
    }

    fn go(&mut self, point: ScreenPoint) -> Result<(), DesktopError> {
        self.mouse.go(point)?;
        self.left_at = Some(point);
        Ok(())
    }

    /// A click, in this window if it is said, and nowhere else.
    fn click(&mut self, click: &Click, window: Option<Window>) -> Result<(), DesktopError> {
        let with: Option<Keys> = click.with.as_deref().map(parse_keys).transpose()?;
        if self.on_screen(click.at) != click.at {
            return Err(DesktopError::Foreign("it is partly beyond the edge of the screen"));
        }
        self.go(click.at)?;
        if let Some(keys) = &with {
            self.mouse.press_keys(keys)?;
        }
        DOWN.store(true, Ordering::SeqCst);
        let pressed = self.press(click.button, click.at, window);
        if pressed.is_ok() {
            sleep(Duration::from_millis(click.hold_ms));
            self.release(click.button)?;
        }
        DOWN.store(false, Ordering::SeqCst);
        if let Some(keys) = &with {
            self.mouse.release_keys(keys)?;
        }
        pressed?;
        self.check_released()
    }

    fn press(&mut self, button: Button, at: ScreenPoint, window: Option<Window>) -> Result<(), DesktopError> {
        // Not pressed before the pointer is there.
        #[cfg(target_os = "linux")]
        if let (Some(server), Some(window)) = (&self.server, window) {
            let began = Instant::now();
            loop {
                match server.press_on(window, at, button).map_err(input)? {
                    Pressed::Yes => return Ok(()),
                    Pressed::Foreign => return Err(DesktopError::Foreign("under the pointer")),
                    Pressed::Away(pointer) => self.wait_for_arrival(began, pointer)?,
                }
            }
        }
        self.check_hands_off()?;
        if let Some(window) = window {
            let found = self.window_at(at);
            super::check_window(found, window)?;
        }
        self.mouse.button(button, true)
    }

    fn release(&mut self, button: Button) -> Result<(), DesktopError> {
        #[cfg(target_os = "linux")]
        if let Some(server) = &self.server {
            return server.release(button).map_err(input);
        }
        self.mouse.button(button, false)
    }

    /// Types keys, into this window's program if it is said, and nowhere else.
    fn type_keys(&mut self, keys: &Keys, window: Option<Window>) -> Result<(), DesktopError> {
        #[cfg(target_os = "linux")]
        if let (Some(server), Some(window)) = (&self.server, window)
            && let Some(typed) = server.type_into(window, keys)
        {
            return match typed.map_err(input)? {
                true => Ok(()),
                false => Err(DesktopError::Foreign("it has the keyboard")),
            };
        }
        if window.is_some_and(|window| self.window_of_keys().is_none_or(|found| found.program != window.program)) {
            return Err(DesktopError::Foreign("it has the keyboard"));
        }
        let mouse = &mut self.mouse;
        mouse.press_keys(keys)?;
        mouse.release_keys(keys)
    }
}

impl Live {
    fn act_on(&mut self, action: &Action, window: Option<Window>) -> Result<(), DesktopError> {
        self.check_hands_off()?;
        match action {
            Action::Click(click) => self.click(click, window),
            Action::Keys(text) => {
                let keys = parse_keys(text)?;
                self.type_keys(&keys, window)
            }
            Action::Point(point) => {
                let point = self.on_screen(*point);
                self.go(point)
            }
            Action::Raise => Ok(()),
        }
    }
}

#[cfg(target_os = "linux")]
fn input(error: Box<dyn std::error::Error>) -> DesktopError {
    DesktopError::Input(error.to_string())
}

impl Desktop for Live {
    fn look(&mut self, part: Option<ScreenRect>) -> Result<Screenshot, DesktopError> {
        self.screen.look(part)
    }

    fn is_unchanged(
        &mut self,
        part: Option<ScreenRect>,
        seen: &Screenshot,
        within: Rect,
    ) -> Result<bool, DesktopError> {
        self.screen.is_unchanged(part, seen, within)
    }

    fn window_at(&mut self, at: ScreenPoint) -> Option<Window> {
        #[cfg(target_os = "linux")]
        let window = self.server.as_ref().map(|server| server.window_at(at));
        #[cfg(not(target_os = "linux"))]
        let window = self.windows.at(at);
        window
    }

    fn window_of_keys(&mut self) -> Option<Window> {
        #[cfg(target_os = "linux")]
        let window = self.server.as_ref().map(Server::window_of_keys);
        #[cfg(not(target_os = "linux"))]
        let window = self.windows.focused();
        window
    }

    fn window_now(&mut self, window: Window) -> Option<Window> {
        #[cfg(target_os = "linux")]
        let now = self.server.as_ref().and_then(|server| server.now(window));
        #[cfg(not(target_os = "linux"))]
        let now = self.windows.now(window);
        now
    }

    fn raise(&mut self, window: Window) -> Result<(), DesktopError> {
        self.check_hands_off()?;
        #[cfg(target_os = "linux")]
        if let Some(Err(reason)) = self.server.as_ref().map(|server| server.raise(window)) {
            log::info!("the client's window cannot be brought to the front: {reason}");
        }
        #[cfg(not(target_os = "linux"))]
        let _ = window;
        Ok(())
    }

    fn act(&mut self, action: &Action) -> Result<(), DesktopError> {
        self.act_on(action, None)
    }

    fn act_in(&mut self, action: &Action, window: Window) -> Result<(), DesktopError> {
        self.act_on(action, Some(window))
    }

    fn wait(&mut self, time: Duration) -> Result<(), DesktopError> {
        sleep(time);
        self.check_hands_off()
    }

    fn wait_for_paint(&mut self, within: ScreenRect, longest: Duration) -> Result<Option<bool>, DesktopError> {
        let told = self.screen.wait_for_paint(within, longest)?;
        self.check_hands_off()?;
        Ok(told)
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

/// Whether an X server knows all windows: on Wayland it only has some of them.
#[cfg(target_os = "linux")]
fn is_x11() -> bool {
    std::env::var_os("WAYLAND_DISPLAY").is_none()
}

/// The point of the screen that is nearest to another one: a pointer sent beyond the edge stays there, and would not be where it was
/// left.
fn nearest(monitors: &[ScreenRect], to: ScreenPoint) -> ScreenPoint {
    let within = |of: &ScreenRect| {
        let clamp = |at: i32, from: i32, length: u32| at.clamp(from, from.saturating_add_unsigned(length.max(1) - 1));
        ScreenPoint { x: clamp(to.x, of.corner.x, of.width), y: clamp(to.y, of.corner.y, of.height) }
    };
    let away = |point: &ScreenPoint| point.x.abs_diff(to.x).max(point.y.abs_diff(to.y));
    monitors.iter().map(within).min_by_key(away).unwrap_or(to)
}

fn corners(monitors: &[ScreenRect]) -> Vec<ScreenPoint> {
    let of = |rect: &ScreenRect| {
        let (left, top) = (rect.corner.x, rect.corner.y);
        let (right, bottom) = (left + rect.width as i32 - 1, top + rect.height as i32 - 1);
        [(left, top), (right, top), (left, bottom), (right, bottom)].map(|(x, y)| ScreenPoint { x, y })
    };
    monitors.iter().flat_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pointer_is_sent_to_no_place_beyond_the_screen() {
        let point = |x, y| ScreenPoint { x, y };
        let left = ScreenRect { corner: point(-1280, 0), width: 1280, height: 1024 };
        let right = ScreenRect { corner: point(0, 0), width: 1920, height: 1080 };
        for (to, arrives) in [
            ((5, 7), (5, 7)),
            ((528, 1158), (528, 1079)),
            ((2000, -3), (1919, 0)),
            ((-5, 1030), (-5, 1023)),
            ((-1400, 3000), (-1280, 1023)),
        ] {
            assert_eq!(nearest(&[left, right], point(to.0, to.1)), point(arrives.0, arrives.1), "{to:?}");
        }
        assert_eq!(nearest(&[], point(5, 7)), point(5, 7), "the system tells of no screen");
    }
}
