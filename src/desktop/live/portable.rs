//! Mouse and keyboard through enigo, windows through xcap: what there is on macOS, and where a desktop's portals ask the person.

#[cfg(not(target_os = "linux"))]
mod windows;

use super::hands::Hands;
use crate::client::Button;
#[cfg(not(target_os = "linux"))]
use crate::desktop::Window;
use crate::desktop::{Capabilities, DesktopError, Key, Keys, Pointer};
use crate::geometry::ScreenPoint;
use enigo::{Coordinate, Direction, Enigo, Keyboard, Mouse as _, Settings};

/// What works nearly everywhere.
pub struct Portable {
    /// One for the whole run: every new one costs a connection and the reading of the keyboard's layout.
    enigo: Enigo,
    /// Whether the system tells where the pointer is.
    tells: bool,
    #[cfg(not(target_os = "linux"))]
    windows: windows::Windows,
}

impl Portable {
    /// Connects.
    pub fn open() -> Result<Self, String> {
        // The default delay makes every click last 24 ms; whatever a client needs is said by its calibration.
        let settings = Settings { linux_delay: 0, ..Settings::default() };
        let enigo = Enigo::new(&settings).map_err(|error| with_advice(&error))?;
        Ok(Self {
            tells: enigo.location().is_ok(),
            enigo,
            #[cfg(not(target_os = "linux"))]
            windows: windows::Windows::default(),
        })
    }
}

impl Hands for Portable {
    fn name(&self) -> &'static str {
        "enigo"
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            pointer: if self.tells { Pointer::Read } else { Pointer::Unknown },
            windows: cfg!(not(target_os = "linux")),
            ..Capabilities::NONE
        }
    }

    fn go(&mut self, to: ScreenPoint) -> Result<(), DesktopError> {
        self.enigo.move_mouse(to.x, to.y, Coordinate::Abs).map_err(input)
    }

    fn location(&mut self) -> Result<Option<ScreenPoint>, DesktopError> {
        if !self.tells {
            return Ok(None);
        }
        let (x, y) = self.enigo.location().map_err(input)?;
        Ok(Some(ScreenPoint { x, y }))
    }

    fn button(&mut self, button: Button, is_press: bool) -> Result<(), DesktopError> {
        let button = match button {
            Button::Left => enigo::Button::Left,
            Button::Middle => enigo::Button::Middle,
            Button::Right => enigo::Button::Right,
        };
        self.enigo.button(button, direction(is_press)).map_err(input)
    }

    fn keys(&mut self, keys: &Keys, is_press: bool) -> Result<(), DesktopError> {
        let mut send = |&key: &Key| self.enigo.key(enigo_key(key), direction(is_press)).map_err(input);
        if is_press { keys.0.iter().try_for_each(&mut send) } else { keys.0.iter().rev().try_for_each(send) }
    }

    #[cfg(not(target_os = "linux"))]
    fn window_at(&mut self, at: ScreenPoint) -> Option<Window> {
        self.windows.at(at)
    }

    #[cfg(not(target_os = "linux"))]
    fn window_of_keys(&mut self) -> Option<Window> {
        self.windows.focused()
    }

    #[cfg(not(target_os = "linux"))]
    fn window_now(&mut self, window: Window) -> Option<Window> {
        self.windows.now(window)
    }
}

fn direction(is_press: bool) -> Direction {
    if is_press { Direction::Press } else { Direction::Release }
}

fn enigo_key(key: Key) -> enigo::Key {
    use enigo::Key as E;
    match key {
        Key::Ctrl => E::Control,
        Key::Alt => E::Alt,
        Key::Shift => E::Shift,
        Key::Meta => E::Meta,
        Key::Return => E::Return,
        Key::Escape => E::Escape,
        Key::Tab => E::Tab,
        Key::Space => E::Space,
        Key::Backspace => E::Backspace,
        Key::Left => E::LeftArrow,
        Key::Right => E::RightArrow,
        Key::Up => E::UpArrow,
        Key::Down => E::DownArrow,
        Key::F(number) => {
            const F: [E; 12] = [E::F1, E::F2, E::F3, E::F4, E::F5, E::F6, E::F7, E::F8, E::F9, E::F10, E::F11, E::F12];
            F[usize::from(number.clamp(1, 12)) - 1]
        }
        Key::Char(character) => E::Unicode(character),
    }
}

fn input(error: enigo::InputError) -> DesktopError {
    DesktopError::Input(error.to_string())
}

fn with_advice(error: &enigo::NewConError) -> String {
    let advice = if cfg!(target_os = "macos") {
        "allow this terminal under System Settings, Privacy & Security, Accessibility"
    } else if cfg!(target_os = "windows") {
        "a window that runs as administrator only obeys programs that do too"
    } else {
        "on Wayland the desktop asks whether this program may use mouse and keyboard: say yes there"
    };
    format!("{error}; {advice}")
}
