//! Keys for a virtual keyboard. It is given a layout of just the keys that are pressed, so that any character can be typed
//! whatever layout the person has.

use crate::desktop::{DesktopError, Key, Keys};
use rustix::fs::{MemfdFlags, memfd_create};
use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::os::fd::AsFd;
use wayland_protocols_misc::zwp_virtual_keyboard_v1::client::zwp_virtual_keyboard_v1::ZwpVirtualKeyboardV1;

/// A virtual keyboard, and the keys that are on it.
pub struct Keyboard {
    wire: ZwpVirtualKeyboardV1,
    keys: Vec<Key>,
}

/// What xkb calls the lowest key's code; the kernel's are lower by this.
const FIRST: u32 = 8;
/// `wl_keyboard.keymap_format.xkb_v1`
const XKB_V1: u32 = 1;
/// `wl_keyboard.key_state`
const RELEASED: u32 = 0;
const PRESSED: u32 = 1;

impl Keyboard {
    /// Without keys yet.
    pub fn new(wire: ZwpVirtualKeyboardV1) -> Self {
        Self { wire, keys: Vec::new() }
    }

    /// Presses keys in their order, or releases them, the last one first.
    pub fn send(&mut self, keys: &Keys, is_press: bool, time: u32) -> Result<(), DesktopError> {
        if self.keys != keys.0 {
            self.lay_out(&keys.0).map_err(|error| DesktopError::Input(error.to_string()))?;
        }
        let codes = 1..=keys.0.len() as u32;
        if is_press {
            self.wire.modifiers(modifiers(&keys.0), 0, 0, 0);
            codes.for_each(|code| self.wire.key(time, code, PRESSED));
        } else {
            codes.rev().for_each(|code| self.wire.key(time, code, RELEASED));
            self.wire.modifiers(0, 0, 0, 0);
        }
        Ok(())
    }

    fn lay_out(&mut self, keys: &[Key]) -> std::io::Result<()> {
        let text = layout(keys);
        let mut file = File::from(memfd_create("minesight-keys", MemfdFlags::CLOEXEC)?);
        file.write_all(text.as_bytes())?;
        file.write_all(&[0])?;
        self.wire.keymap(XKB_V1, file.as_fd(), text.len() as u32 + 1);
        self.keys = keys.to_vec();
        Ok(())
    }
}

/// The bits of the modifiers among some keys, as xkb's usual types number them.
fn modifiers(keys: &[Key]) -> u32 {
    let bit = |key: &Key| match key {
        Key::Shift => 1,
        Key::Ctrl => 1 << 2,
        Key::Alt => 1 << 3,
        Key::Meta => 1 << 6,
        _ => 0,
    };
    keys.iter().map(bit).fold(0, |all, bit| all | bit)
}

/// A layout of these keys in xkb's text, the first one with the lowest code. The last key of all is none of them: GTK 3 never looks at
/// the highest code there is.
fn layout(keys: &[Key]) -> String {
    let (mut codes, mut symbols) = (String::new(), String::new());
    for (key, number) in keys.iter().zip(1..) {
        // Writing to a String cannot fail.
        let _ = write!(codes, "<K{number}> = {};", FIRST + number);
        let name = name(*key);
        let _ = write!(symbols, "key <K{number}> {{[{name}]}};");
        if let Some(group) = modifier(*key) {
            let _ = write!(symbols, "modifier_map {group} {{<K{number}>}};");
        }
    }
    format!(
        "xkb_keymap {{\nxkb_keycodes \"minesight\" {{ minimum = 8; maximum = 255; {codes} <END> = 255; }};\n\
         xkb_types \"minesight\" {{ include \"complete\" }};\nxkb_compatibility \"minesight\" {{ include \"complete\" }};\n\
         xkb_symbols \"minesight\" {{ {symbols} }};\n}};\n"
    )
}

fn modifier(key: Key) -> Option<&'static str> {
    match key {
        Key::Ctrl => Some("Control"),
        Key::Alt => Some("Mod1"),
        Key::Shift => Some("Shift"),
        Key::Meta => Some("Mod4"),
        _ => None,
    }
}

/// xkb's name for what a key writes.
fn name(key: Key) -> String {
    let name = match key {
        Key::Ctrl => "Control_L",
        Key::Alt => "Alt_L",
        Key::Shift => "Shift_L",
        Key::Meta => "Super_L",
        Key::Return => "Return",
        Key::Escape => "Escape",
        Key::Tab => "Tab",
        Key::Space => "space",
        Key::Backspace => "BackSpace",
        Key::Left => "Left",
        Key::Right => "Right",
        Key::Up => "Up",
        Key::Down => "Down",
        Key::F(number) => return format!("F{number}"),
        Key::Char(character) => return format!("U{:04X}", u32::from(character)),
    };
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layout_has_every_key_once() {
        let keys: Keys = "ctrl+r".parse().unwrap();
        let text = layout(&keys.0);
        assert!(text.contains("<K1> = 9;<K2> = 10; <END> = 255;"), "{text}");
        assert!(text.contains("key <K1> {[Control_L]};modifier_map Control {<K1>};key <K2> {[U0072]};"), "{text}");
        assert_eq!(modifiers(&keys.0), 4);
        let keys: Keys = "alt+shift+F12".parse().unwrap();
        assert_eq!(modifiers(&keys.0), 9);
        assert!(layout(&keys.0).contains("[F12]"));
    }
}
