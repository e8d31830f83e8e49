//! Mouse and keyboard of a Wayland compositor of the wlroots family, through its virtual pointer and keyboard; windows as sway tells.
//!
//! No program is told where the pointer is there, nor of keys that go to another. What a program can hear is that somebody does something
//! again after nobody did (`idle`): what the bot did not do itself is the person's hand.

mod idle;
mod keyboard;
mod sway;

use super::hands::Hands;
use crate::client::Button;
use crate::desktop::wayland::{Compositor, State};
use crate::desktop::{Capabilities, DesktopError, Keys, Pointer, Window, everything};
use crate::geometry::{ScreenPoint, ScreenRect};
use keyboard::Keyboard;
use std::time::Instant;
use sway::Sway;
use wayland_client::delegate_noop;
use wayland_client::protocol::wl_pointer::ButtonState;
use wayland_client::protocol::wl_seat::WlSeat;
use wayland_protocols_misc::zwp_virtual_keyboard_v1::client::zwp_virtual_keyboard_manager_v1::ZwpVirtualKeyboardManagerV1;
use wayland_protocols_misc::zwp_virtual_keyboard_v1::client::zwp_virtual_keyboard_v1::ZwpVirtualKeyboardV1;
use wayland_protocols_wlr::virtual_pointer::v1::client::zwlr_virtual_pointer_manager_v1::ZwlrVirtualPointerManagerV1;
use wayland_protocols_wlr::virtual_pointer::v1::client::zwlr_virtual_pointer_v1::ZwlrVirtualPointerV1;

/// The virtual pointer and keyboard.
pub struct Wayland {
    compositor: Compositor,
    pointer: ZwlrVirtualPointerV1,
    keyboard: Keyboard,
    sway: Option<Sway>,
    /// Whether the compositor tells that mouse or keyboard are used.
    is_listening: bool,
    /// Whether somebody else has used them since the bot took them.
    is_taken: bool,
    opened: Instant,
}

impl Wayland {
    /// Connects.
    pub fn open() -> Result<Self, String> {
        let compositor = Compositor::connect()?;
        let seat: WlSeat = compositor.bind(1..=7)?;
        let pointers: ZwlrVirtualPointerManagerV1 = compositor.bind(1..=2)?;
        let keyboards: ZwpVirtualKeyboardManagerV1 = compositor.bind(1..=1)?;
        let handle = compositor.handle();
        let pointer = pointers.create_virtual_pointer(Some(&seat), &handle, ());
        let keyboard = Keyboard::new(keyboards.create_virtual_keyboard(&seat, &handle, ()));
        let sway = Sway::connect().map_err(|reason| log::info!("windows are not known: {reason}")).ok();
        let listening = idle::listen(&compositor, &seat);
        let is_listening = listening.map_err(|reason| log::info!("a hand is not noticed: {reason}")).is_ok();
        Ok(Self { compositor, pointer, keyboard, sway, is_listening, is_taken: false, opened: Instant::now() })
    }

    fn everything(&self) -> ScreenRect {
        everything(&self.compositor.places())
    }

    fn time(&self) -> u32 {
        self.opened.elapsed().as_millis() as u32
    }

    /// Listens whether somebody else uses mouse or keyboard.
    fn listen(&mut self) -> Result<(), DesktopError> {
        self.compositor.sync().map_err(DesktopError::Input)?;
        self.is_taken |= std::mem::take(&mut self.compositor.state.is_stirred);
        Ok(())
    }

    /// Does something with them. All of it has been done when this returns, and what was heard of it is no hand; but what was
    /// heard right before it is.
    fn send(&mut self, what: impl FnOnce(&mut Self) -> Result<(), DesktopError>) -> Result<(), DesktopError> {
        self.listen()?;
        what(self)?;
        self.compositor.sync().map_err(DesktopError::Input)?;
        self.compositor.state.is_stirred = false;
        Ok(())
    }

    /// Points of the compositor, as sway's windows have them, in the mouse's units.
    fn unit(&self, points: i32) -> i32 {
        (f64::from(points) * self.compositor.scale()).round() as i32
    }
}

impl Hands for Wayland {
    fn name(&self) -> &'static str {
        match self.sway {
            Some(_) => "virtual pointer and keyboard, sway's windows",
            None => "virtual pointer and keyboard",
        }
    }

    fn capabilities(&self) -> Capabilities {
        let knows_windows = self.sway.is_some();
        let pointer = if self.is_listening { Pointer::Stirred } else { Pointer::Unknown };
        let keys_down = self.is_listening; // any key is a hand
        Capabilities { pointer, keys_down, windows: knows_windows, raise: knows_windows, ..Capabilities::NONE }
    }

    fn go(&mut self, to: ScreenPoint) -> Result<(), DesktopError> {
        let all = self.everything();
        let (x, y) = (to.x - all.corner.x, to.y - all.corner.y);
        let clamp = |at: i32, size: u32| at.clamp(0, size as i32 - 1) as u32;
        let (x, y) = (clamp(x, all.width), clamp(y, all.height));
        // Into the pixel's middle: its edge is the neighbour's too.
        self.send(|hands| {
            hands.pointer.motion_absolute(hands.time(), 2 * x + 1, 2 * y + 1, 2 * all.width, 2 * all.height);
            hands.pointer.frame();
            Ok(())
        })
    }

    fn location(&mut self) -> Result<Option<ScreenPoint>, DesktopError> {
        Ok(None)
    }

    fn is_pointer_at(&mut self, _: ScreenPoint) -> Result<bool, DesktopError> {
        self.listen()?;
        Ok(!self.is_taken)
    }

    fn button(&mut self, button: Button, is_press: bool) -> Result<(), DesktopError> {
        // input-event-codes.h
        let code = match button {
            Button::Left => 0x110,
            Button::Right => 0x111,
            Button::Middle => 0x112,
        };
        let state = if is_press { ButtonState::Pressed } else { ButtonState::Released };
        self.send(|hands| {
            hands.pointer.button(hands.time(), code, state);
            hands.pointer.frame();
            Ok(())
        })
    }

    fn keys(&mut self, keys: &Keys, is_press: bool) -> Result<(), DesktopError> {
        self.send(|hands| hands.keyboard.send(keys, is_press, hands.time()))
    }

    fn take(&mut self) -> Result<(), DesktopError> {
        self.listen()?;
        self.is_taken = false;
        Ok(())
    }

    fn window_at(&mut self, at: ScreenPoint) -> Option<Window> {
        let scale = self.compositor.scale();
        let at = ScreenPoint { x: (f64::from(at.x) / scale) as i32, y: (f64::from(at.y) / scale) as i32 };
        let found = self.sway.as_mut()?.window_at(at)?;
        Some(self.in_units(found))
    }

    fn window_titled(&mut self, titles: &[String]) -> Option<Window> {
        let found = self.sway.as_mut()?.window_titled(titles)?;
        Some(self.in_units(found))
    }

    fn title_of(&mut self, window: Window) -> Option<String> {
        self.sway.as_mut()?.title_of(window.id)
    }

    fn window_of_keys(&mut self) -> Option<Window> {
        let found = self.sway.as_mut()?.window_of_keys()?;
        Some(self.in_units(found))
    }

    fn window_now(&mut self, window: Window) -> Option<Window> {
        let found = self.sway.as_mut()?.window_now(window.id)?;
        Some(self.in_units(found))
    }

    fn raise(&mut self, window: Window) -> Result<(), DesktopError> {
        if let Some(Err(reason)) = self.sway.as_mut().map(|sway| sway.focus(window.id)) {
            log::info!("the client's window cannot be brought to the front: {reason}");
        }
        Ok(())
    }
}

impl Wayland {
    fn in_units(&self, window: Window) -> Window {
        let corner = ScreenPoint { x: self.unit(window.corner.x), y: self.unit(window.corner.y) };
        Window { corner, ..window }
    }
}

delegate_noop!(State: ignore WlSeat);
delegate_noop!(State: ZwlrVirtualPointerManagerV1);
delegate_noop!(State: ZwlrVirtualPointerV1);
delegate_noop!(State: ZwpVirtualKeyboardManagerV1);
delegate_noop!(State: ZwpVirtualKeyboardV1);
