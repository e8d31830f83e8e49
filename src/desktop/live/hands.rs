//! What the bot needs of a system to play on it: [`Hands`], once for every kind of system.

use crate::client::Button;
use crate::desktop::{Capabilities, DesktopError, Keys, Window, check_typed_into, check_window};
use crate::geometry::ScreenPoint;

/// Mouse, keyboard and windows of one kind of system.
pub trait Hands {
    /// What it is, for people.
    fn name(&self) -> &'static str;

    /// What is possible here; what concerns pictures is said by the screen.
    fn capabilities(&self) -> Capabilities;

    /// Sends the pointer somewhere.
    ///
    /// # Errors
    /// It does not obey. So with everything here that can fail.
    fn go(&mut self, to: ScreenPoint) -> Result<(), DesktopError>;

    /// Where the pointer is; nothing where the system does not tell.
    fn location(&mut self) -> Result<Option<ScreenPoint>, DesktopError>;

    /// Whether the pointer is about where it was left, as far as can be told.
    fn is_pointer_at(&mut self, left: ScreenPoint) -> Result<bool, DesktopError> {
        Ok(self.location()?.is_none_or(|now| is_near(now, left)))
    }

    /// What of this is known at one moment, which is less than all of it one after the other. `left`: where the pointer was left.
    fn held(&mut self, left: Option<ScreenPoint>) -> Result<Held, DesktopError> {
        Ok(Held {
            is_pointer_there: left.map_or(Ok(true), |left| self.is_pointer_at(left))?,
            is_escape_down: self.is_escape_down(),
            is_button_down: self.is_button_down(),
        })
    }

    /// Whether Escape is down, as far as can be told.
    fn is_escape_down(&mut self) -> bool {
        false
    }

    /// Whether a button is down, as far as can be told.
    fn is_button_down(&mut self) -> bool {
        false
    }

    /// From here on the mouse is the bot's: what the person did with it before, as to type the command that began this, is past.
    fn take(&mut self) -> Result<(), DesktopError> {
        Ok(())
    }

    /// Presses a button where the pointer is, or releases it.
    fn button(&mut self, button: Button, is_press: bool) -> Result<(), DesktopError>;

    /// Presses keys in their order, or releases them, the last one first.
    fn keys(&mut self, keys: &Keys, is_press: bool) -> Result<(), DesktopError>;

    /// Presses a button if this window is still under the pointer, where it was. Nothing is pressed, and it is no, where the pointer has
    /// not arrived.
    fn press_on(&mut self, window: Window, at: ScreenPoint, button: Button) -> Result<bool, DesktopError> {
        if !self.is_pointer_at(at)? {
            return Ok(false);
        }
        let found = self.window_at(at);
        check_window(found, window)?;
        self.button(button, true)?;
        Ok(true)
    }

    /// Presses keys if the keyboard is still with this window.
    fn press_into(&mut self, window: Window, keys: &Keys) -> Result<(), DesktopError> {
        check_typed_into(self.window_of_keys(), window)?;
        self.keys(keys, true)
    }

    /// As [`crate::desktop::Desktop::window_at`].
    fn window_at(&mut self, _: ScreenPoint) -> Option<Window> {
        None
    }

    /// As [`crate::desktop::Desktop::window_titled`].
    fn window_titled(&mut self, _: &[String]) -> Option<Window> {
        None
    }

    /// As [`crate::desktop::Desktop::title_of`].
    fn title_of(&mut self, _: Window) -> Option<String> {
        None
    }

    /// As [`crate::desktop::Desktop::window_of_keys`].
    fn window_of_keys(&mut self) -> Option<Window> {
        None
    }

    /// As [`crate::desktop::Desktop::window_now`].
    fn window_now(&mut self, _: Window) -> Option<Window> {
        None
    }

    /// As [`crate::desktop::Desktop::has_gone`]. Where it cannot be told from a window that only does not show, that has gone, too.
    fn has_gone(&mut self, window: Window) -> bool {
        self.window_now(window).is_none()
    }

    /// As [`crate::desktop::Desktop::may_have_windows`].
    fn may_have_windows(&mut self, _: Window) -> bool {
        true
    }

    /// As [`crate::desktop::Desktop::comes_after`].
    fn comes_after(&mut self, _: Window, _: Window) -> bool {
        false
    }

    /// The process that a window belongs to, where the system tells.
    fn process_of(&mut self, window: Window) -> Option<u32> {
        u32::try_from(window.program).ok().filter(|process| *process != 0)
    }

    /// As [`crate::desktop::Desktop::raise`].
    fn raise(&mut self, _: Window) -> Result<(), DesktopError> {
        Ok(())
    }

    /// As [`crate::desktop::Desktop::is_dialog`]; also where that cannot be told.
    fn is_dialog(&mut self, _: Window) -> bool {
        true
    }

    /// As [`crate::desktop::Desktop::close`].
    fn close(&mut self, _: Window) -> Result<(), DesktopError> {
        Ok(())
    }
}

/// What pointer, keyboard and buttons are like at one moment, as far as can be told.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    /// Whether the pointer is about where it was left.
    pub is_pointer_there: bool,
    /// Whether Escape is down.
    pub is_escape_down: bool,
    /// Whether a button is down.
    pub is_button_down: bool,
}

/// What there is one of.
#[cfg(any(windows, all(target_os = "linux", any(feature = "x11", feature = "wayland"))))]
pub fn only<T>(mut found: impl Iterator<Item = T>) -> Option<T> {
    found.next().filter(|_| found.next().is_none())
}

/// How far the pointer may be from where it was left, in the mouse's units: scaled displays round.
const TOLERANCE: u32 = 2;

/// Whether two points are the same but for rounding.
pub fn is_near(one: ScreenPoint, other: ScreenPoint) -> bool {
    one.x.abs_diff(other.x) <= TOLERANCE && one.y.abs_diff(other.y) <= TOLERANCE
}
