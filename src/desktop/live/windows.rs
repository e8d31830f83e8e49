//! Mouse, keyboard and windows of Windows, in pixels of the whole desktop: what the program's manifest asks for.

use super::hands::{Hands, only};
use crate::client::Button;
use crate::desktop::{Capabilities, DesktopError, Key, Keys, Window, check_typed_into};
use crate::geometry::ScreenPoint;
use winsafe::co::{self, KEYEVENTF, MOUSEEVENTF, VK};
use winsafe::{self as w, HWND, HwKbMouse, KEYBDINPUT, MOUSEINPUT, POINT, SysResult};

/// The desktop of the user who is logged in.
pub struct Windows;

impl Hands for Windows {
    fn name(&self) -> &'static str {
        "SendInput"
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { bound_presses: false, seen_releases: false, ..Capabilities::ALL }
    }

    /// By the desktop's own coordinates, which are negative to the left of the first monitor and above it.
    fn go(&mut self, to: ScreenPoint) -> Result<(), DesktopError> {
        w::SetCursorPos(to.x, to.y).map_err(input)
    }

    fn location(&mut self) -> Result<Option<ScreenPoint>, DesktopError> {
        let at = w::GetCursorPos().map_err(input)?;
        Ok(Some(ScreenPoint { x: at.x, y: at.y }))
    }

    fn is_escape_down(&mut self) -> bool {
        w::GetAsyncKeyState(VK::ESCAPE)
    }

    fn is_button_down(&mut self) -> bool {
        [VK::LBUTTON, VK::RBUTTON, VK::MBUTTON].into_iter().any(w::GetAsyncKeyState)
    }

    fn button(&mut self, button: Button, is_press: bool) -> Result<(), DesktopError> {
        // A left-handed person's buttons are swapped for what is sent, too.
        let swapped = w::GetSystemMetrics(co::SM::SWAPBUTTON) != 0;
        let flags = match (button, is_press) {
            (Button::Middle, true) => MOUSEEVENTF::MIDDLEDOWN,
            (Button::Middle, false) => MOUSEEVENTF::MIDDLEUP,
            (button, true) if (button == Button::Left) != swapped => MOUSEEVENTF::LEFTDOWN,
            (button, false) if (button == Button::Left) != swapped => MOUSEEVENTF::LEFTUP,
            (_, true) => MOUSEEVENTF::RIGHTDOWN,
            (_, false) => MOUSEEVENTF::RIGHTUP,
        };
        send(&[HwKbMouse::Mouse(MOUSEINPUT { dwFlags: flags, ..Default::default() })])
    }

    fn keys(&mut self, keys: &Keys, is_press: bool) -> Result<(), DesktopError> {
        let events = keys.0.iter().map(|&key| HwKbMouse::Kb(event(key, is_press)));
        let events: Vec<HwKbMouse> = if is_press { events.collect() } else { events.rev().collect() };
        send(&events)
    }

    fn window_at(&mut self, at: ScreenPoint) -> Option<Window> {
        Some(HWND::WindowFromPoint(POINT::with(at.x, at.y)).and_then(told).unwrap_or(Window::NONE))
    }

    fn window_titled(&mut self, titles: &[String]) -> Option<Window> {
        let is_titled = |window: &HWND| window.GetWindowText().is_ok_and(|title| titles.contains(&title));
        let found = every(|window| is_titled(window) && window.IsWindowVisible() && !window.IsIconic());
        told(only(found.into_iter())?)
    }

    fn title_of(&mut self, window: Window) -> Option<String> {
        by_id(window.id)?.GetWindowText().ok()
    }

    fn window_of_keys(&mut self) -> Option<Window> {
        Some(HWND::GetForegroundWindow().map(awaited).and_then(told).unwrap_or(Window::NONE))
    }

    fn window_now(&mut self, window: Window) -> Option<Window> {
        let found = by_id(window.id)?;
        if found.IsWindowVisible() && !found.IsIconic() { told(found) } else { None }
    }

    fn press_into(&mut self, window: Window, keys: &Keys) -> Result<(), DesktopError> {
        check_typed_into(self.window_of_keys(), window)?;
        // The window that waits for this one may have the keyboard still.
        if let Some(found) = by_id(window.id).filter(|found| HWND::GetForegroundWindow().as_ref() != Some(found)) {
            found.SetForegroundWindow();
        }
        self.keys(keys, true)
    }

    fn raise(&mut self, window: Window) -> Result<(), DesktopError> {
        if let Some(found) = by_id(window.id).filter(|found| !found.IsIconic())
            && !awaited(found).SetForegroundWindow()
        {
            log::info!("Windows keeps the client's window from the front");
        }
        Ok(())
    }
}

/// The dialog that a window waits for, which is what can be typed into; else the window itself.
fn awaited(window: HWND) -> HWND {
    if window.IsWindowEnabled() {
        return window;
    }
    // Asked for one by one: Wine does not know the dialog that a window waits for.
    let is_its_own = |dialog: &HWND| dialog.GetWindow(co::GW::OWNER).is_ok_and(|owner| owner == window);
    every(|dialog| dialog.IsWindowVisible() && is_its_own(dialog)).pop().map_or(window, awaited)
}

/// The window on the desktop that holds this one, with its program and place.
fn told(window: HWND) -> Option<Window> {
    let top = window.GetAncestor(co::GA::ROOT)?;
    let place = top.GetWindowRect().ok()?;
    let (_, program) = top.GetWindowThreadProcessId();
    let corner = ScreenPoint { x: place.left, y: place.top };
    Some(Window { id: id(&top), program: program.into(), corner })
}

fn id(window: &HWND) -> u64 {
    window.ptr() as usize as u64
}

fn by_id(wanted: u64) -> Option<HWND> {
    every(|window| id(window) == wanted).pop()
}

/// The windows on the desktop that are wanted.
fn every(is_wanted: impl Fn(&HWND) -> bool) -> Vec<HWND> {
    let mut found = Vec::new();
    let look: SysResult<()> = w::EnumWindows(|window| {
        if is_wanted(&window) {
            found.push(window);
        }
        true
    });
    if let Err(reason) = look {
        log::info!("Windows does not tell all of its windows: {reason}");
    }
    found
}

fn send(events: &[HwKbMouse]) -> Result<(), DesktopError> {
    let sent = w::SendInput(events).map_err(input)?;
    if sent as usize == events.len() { Ok(()) } else { Err(input(co::ERROR::ACCESS_DENIED)) }
}

fn input(error: co::ERROR) -> DesktopError {
    DesktopError::Input(format!(
        "{error}; is the screen unlocked? A window that runs as administrator only obeys programs that do too"
    ))
}

/// One key going down or up. What is on no key of its own is sent as the character.
fn event(key: Key, is_press: bool) -> KEYBDINPUT {
    let up = if is_press { KEYEVENTF::NoValue } else { KEYEVENTF::KEYUP };
    match code(key) {
        Ok(code) => {
            // SAFETY: a number of Windows' own list of keys, where letters and digits have their ASCII codes.
            let virtual_key = unsafe { VK::from_raw(code) };
            let scan = w::MapVirtualKey(code.into(), co::MAPVK::VK_TO_VSC) as u16;
            let is_arrow = matches!(key, Key::Left | Key::Right | Key::Up | Key::Down);
            let extended = if is_arrow { KEYEVENTF::EXTENDEDKEY } else { KEYEVENTF::NoValue };
            KEYBDINPUT { wVk: virtual_key, wScan: scan, dwFlags: up | extended, ..Default::default() }
        }
        Err(character) => KEYBDINPUT { wScan: character, dwFlags: up | KEYEVENTF::UNICODE, ..Default::default() },
    }
}

/// Windows' number for a key (winuser.h), or the character in UTF-16.
fn code(key: Key) -> Result<u16, u16> {
    Ok(match key {
        Key::Backspace => 0x08,
        Key::Tab => 0x09,
        Key::Return => 0x0d,
        Key::Shift => 0x10,
        Key::Ctrl => 0x11,
        Key::Alt => 0x12,
        Key::Escape => 0x1b,
        Key::Space => 0x20,
        Key::Left => 0x25,
        Key::Up => 0x26,
        Key::Right => 0x27,
        Key::Down => 0x28,
        Key::Meta => 0x5b,
        Key::F(number) => 0x6f + u16::from(number),
        Key::Char(character @ ('a'..='z' | '0'..='9')) => character.to_ascii_uppercase() as u16,
        Key::Char(character) => return Err(character.encode_utf16(&mut [0; 2])[0]),
    })
}
