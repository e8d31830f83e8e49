//! The X server asked and told directly: whose windows are where, who has the keyboard, which buttons and keys are down; and
//! presses that only happen if the window they are meant for is still there, for which the server is held for a moment.

use super::Hands;
use crate::client::Button;
use crate::desktop::{Key, Keys, Window};
use crate::geometry::{ScreenPoint, ScreenRect};
use std::cell::RefCell;
use std::collections::HashMap;
use std::error::Error;
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{
    self, AtomEnum, ClientMessageEvent, ConnectionExt as _, EventMask, InputFocus, KeyButMask,
};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

/// An own connection to the X server.
pub struct Server {
    connection: RustConnection,
    root: xproto::Window,
    /// The part of a number that tells the programs apart: each has its own range for all that it makes.
    programs: u32,
    /// The keys that write something without another one held.
    keycodes: HashMap<u32, u8>,
    activate: xproto::Atom,
    clients: xproto::Atom,
    state: xproto::Atom,
    hidden: xproto::Atom,
    /// How large windows were when it was asked where a point is in them: one that was resized has its tiles elsewhere.
    sizes: RefCell<HashMap<u64, (u16, u16)>>,
}

/// What became of a press.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pressed {
    /// The button is down.
    Yes,
    /// Not pressed: another window is there, or this one elsewhere.
    Foreign,
    /// Not pressed: the pointer is here.
    Away(ScreenPoint),
}

type Asked<T> = Result<T, Box<dyn Error>>;

impl Server {
    /// Nothing without an X server that lets programs press buttons.
    pub fn connect() -> Option<Self> {
        let connect = || -> Asked<Self> {
            let (connection, screen) = x11rb::connect(None)?;
            let setup = connection.setup();
            let root = setup.roots.get(screen).ok_or("no screen")?.root;
            let programs = !setup.resource_id_mask;
            let (first, last) = (setup.min_keycode, setup.max_keycode);
            connection.xtest_get_version(2, 2)?.reply()?;
            let mapping = connection.get_keyboard_mapping(first, last - first + 1)?.reply()?;
            let columns = usize::from(mapping.keysyms_per_keycode).max(1);
            let plain = mapping.keysyms.chunks(columns).zip(first..=last).map(|(row, code)| (row[0], code));
            // Of several keys for one character, the first is the usual one.
            let keycodes: HashMap<u32, u8> = plain.collect::<Vec<_>>().into_iter().rev().collect();
            let atom = |name: &str| -> Asked<u32> { Ok(connection.intern_atom(false, name.as_bytes())?.reply()?.atom) };
            let (activate, clients) = (atom("_NET_ACTIVE_WINDOW")?, atom("_NET_CLIENT_LIST")?);
            let (state, hidden) = (atom("_NET_WM_STATE")?, atom("_NET_WM_STATE_HIDDEN")?);
            let sizes = RefCell::default();
            Ok(Self { connection, root, programs, keycodes, activate, clients, state, hidden, sizes })
        };
        connect().map_err(|reason| log::info!("windows are not told apart: {reason}")).ok()
    }

    /// Where the pointer is, whether a button is down, and whether the Escape key is; nothing if the server does not say.
    pub fn hands(&self) -> Option<Hands> {
        // Both are on their way before the first answer is waited for.
        let pointer = self.connection.query_pointer(self.root).ok()?;
        let keys = self.connection.query_keymap().ok()?;
        let (pointer, keys) = (pointer.reply().ok()?, keys.reply().ok()?.keys);
        let code = keysym(Key::Escape).and_then(|escape| self.keycodes.get(&escape));
        let buttons = KeyButMask::BUTTON1 | KeyButMask::BUTTON2 | KeyButMask::BUTTON3;
        Some(Hands {
            pointer: ScreenPoint { x: pointer.root_x.into(), y: pointer.root_y.into() },
            has_button_down: pointer.mask.intersects(buttons),
            has_escape_down: code.is_some_and(|code| keys[usize::from(code / 8)] & 1 << (code % 8) != 0),
        })
    }

    /// The window under a point; none if it goes while it is asked for.
    pub fn window_at(&self, at: ScreenPoint) -> Window {
        let window = self.under(at).unwrap_or(Window::NONE);
        let frame =
            u32::try_from(window.id).ok().and_then(|frame| self.connection.get_geometry(frame).ok()?.reply().ok());
        if let Some(place) = frame {
            self.sizes.borrow_mut().insert(window.id, (place.width, place.height));
        }
        window
    }

    /// The window that gets what is typed.
    pub fn window_of_keys(&self) -> Window {
        let focused = || -> Asked<Window> {
            let focus = self.connection.get_input_focus()?.reply()?.focus;
            if focus == u32::from(InputFocus::POINTER_ROOT) {
                let pointer = self.connection.query_pointer(self.root)?.reply()?;
                return self.under(ScreenPoint { x: pointer.root_x.into(), y: pointer.root_y.into() });
            }
            if focus == u32::from(InputFocus::NONE) || focus == self.root {
                return Ok(Window::NONE);
            }
            self.window(self.frame(focus)?, focus)
        };
        focused().unwrap_or(Window::NONE)
    }

    fn under(&self, at: ScreenPoint) -> Asked<Window> {
        let (x, y) = (i16::try_from(at.x)?, i16::try_from(at.y)?);
        let child = |of: xproto::Window| -> Asked<xproto::Window> {
            Ok(self.connection.translate_coordinates(self.root, of, x, y)?.reply()?.child)
        };
        let frame = child(self.root)?;
        if frame == x11rb::NONE {
            return Ok(Window::NONE);
        }
        let mut deepest = frame;
        loop {
            match child(deepest)? {
                x11rb::NONE => return self.window(frame, deepest),
                inner => deepest = inner,
            }
        }
    }

    /// The window on the root that `frame` is, as part of the program that made `inner`.
    fn window(&self, frame: xproto::Window, inner: xproto::Window) -> Asked<Window> {
        let place = self.connection.get_geometry(frame)?.reply()?;
        let corner = ScreenPoint { x: place.x.into(), y: place.y.into() };
        Ok(Window { id: frame.into(), program: (inner & self.programs).into(), corner })
    }

    /// The same window as it is now, unless it is gone or does not show: where a window is minimised, a window manager may let it fly
    /// off the screen first.
    pub fn now(&self, window: Window) -> Option<Window> {
        let frame = u32::try_from(window.id).ok()?;
        // All are on their way before the first answer is waited for.
        let place = self.connection.get_geometry(frame).ok()?;
        let attributes = self.connection.get_window_attributes(frame).ok()?;
        let screen = self.connection.get_geometry(self.root).ok()?;
        let (place, attributes, screen) = (place.reply().ok()?, attributes.reply().ok()?, screen.reply().ok()?);
        let rect = |of: xproto::GetGeometryReply| ScreenRect {
            corner: ScreenPoint { x: of.x.into(), y: of.y.into() },
            width: of.width.into(),
            height: of.height.into(),
        };
        let (place, screen) = (rect(place), rect(screen));
        let shows = attributes.map_state == xproto::MapState::VIEWABLE && place.overlap(screen).is_some();
        shows.then_some(Window { corner: place.corner, ..window })
    }

    /// The window on the root that holds another one.
    fn frame(&self, window: xproto::Window) -> Asked<xproto::Window> {
        let mut frame = window;
        loop {
            let parent = self.connection.query_tree(frame)?.reply()?.parent;
            if parent == self.root || parent == x11rb::NONE {
                return Ok(frame);
            }
            frame = parent;
        }
    }

    /// Asks the window manager to bring a window to the front and give it the keyboard, unless it is minimised.
    pub fn raise(&self, window: Window) -> Asked<()> {
        let list = self.connection.get_property(false, self.root, self.clients, AtomEnum::WINDOW, 0, 4096)?.reply()?;
        let is_wanted = |&of: &xproto::Window| self.frame(of).is_ok_and(|frame| u64::from(frame) == window.id);
        let Some(client) = list.value32().into_iter().flatten().find(is_wanted) else { return Ok(()) };
        let states = self.connection.get_property(false, client, self.state, AtomEnum::ATOM, 0, 64)?.reply()?;
        if states.value32().into_iter().flatten().any(|state| state == self.hidden) {
            return Ok(());
        }
        // 2: a pager, or whatever else acts for the person.
        let message = ClientMessageEvent::new(32, client, self.activate, [2, 0, 0, 0, 0]);
        let to = EventMask::SUBSTRUCTURE_REDIRECT | EventMask::SUBSTRUCTURE_NOTIFY;
        self.connection.send_event(false, self.root, to, message)?;
        self.connection.sync()?;
        Ok(())
    }

    /// Presses a button if the pointer is at the point, and `window` still under it, where it was and as large. It stays down then.
    pub fn press_on(&self, window: Window, at: ScreenPoint, button: Button) -> Asked<Pressed> {
        let (x, y) = (i16::try_from(at.x)?, i16::try_from(at.y)?);
        let frame = u32::try_from(window.id)?;
        let found = || -> Asked<Pressed> {
            // All are on their way before the first answer is waited for.
            let under = self.connection.translate_coordinates(self.root, self.root, x, y)?;
            let place = self.connection.get_geometry(frame)?;
            let pointer = self.connection.query_pointer(self.root)?;
            let (under, place, pointer) = (under.reply()?, place.reply()?, pointer.reply()?);
            let corner = ScreenPoint { x: place.x.into(), y: place.y.into() };
            let pointer = ScreenPoint { x: pointer.root_x.into(), y: pointer.root_y.into() };
            let is_as_it_was = self.sizes.borrow().get(&window.id) == Some(&(place.width, place.height));
            let is_there = under.child == frame && corner == window.corner && is_as_it_was;
            Ok(match (is_there, super::is_near(pointer, at)) {
                (false, _) => Pressed::Foreign,
                (true, false) => Pressed::Away(pointer),
                (true, true) => Pressed::Yes,
            })
        };
        let mut pressed = Pressed::Foreign;
        let press = || self.fake(xproto::BUTTON_PRESS_EVENT, number(button));
        self.if_still(
            || {
                pressed = found().unwrap_or(Pressed::Foreign);
                pressed == Pressed::Yes
            },
            press,
        )?;
        Ok(pressed)
    }

    /// Releases a button.
    pub fn release(&self, button: Button) -> Asked<()> {
        self.fake(xproto::BUTTON_RELEASE_EVENT, number(button))?;
        Ok(self.connection.flush()?)
    }

    /// Types keys if the keyboard is still `window`'s; whether it was. Nothing if a key has no place on the keyboard.
    pub fn type_into(&self, window: Window, keys: &Keys) -> Option<Asked<bool>> {
        let code = |key: &Key| self.keycodes.get(&keysym(*key)?).copied();
        let codes: Vec<u8> = keys.0.iter().map(code).collect::<Option<_>>()?;
        let still = || self.window_of_keys().program == window.program;
        Some(self.if_still(still, || {
            for &code in &codes {
                self.fake(xproto::KEY_PRESS_EVENT, code)?;
            }
            for &code in codes.iter().rev() {
                self.fake(xproto::KEY_RELEASE_EVENT, code)?;
            }
            Ok(())
        }))
    }

    /// Does something while nobody else can change any window, if something is true then; whether it was.
    fn if_still(&self, is_true: impl FnOnce() -> bool, act: impl FnOnce() -> Asked<()>) -> Asked<bool> {
        self.connection.grab_server()?;
        let is_true = is_true();
        let done = if is_true { act() } else { Ok(()) };
        self.connection.ungrab_server()?;
        self.connection.flush()?; // whatever is asked next is answered after it
        done.map(|()| is_true)
    }

    fn fake(&self, kind: u8, detail: u8) -> Asked<()> {
        self.connection.xtest_fake_input(kind, detail, x11rb::CURRENT_TIME, x11rb::NONE, 0, 0, 0)?;
        Ok(())
    }
}

fn number(button: Button) -> u8 {
    match button {
        Button::Left => 1,
        Button::Middle => 2,
        Button::Right => 3,
    }
}

/// X's number for a key (keysymdef.h); none for characters beyond Latin-1.
fn keysym(key: Key) -> Option<u32> {
    Some(match key {
        Key::Ctrl => 0xffe3,
        Key::Alt => 0xffe9,
        Key::Shift => 0xffe1,
        Key::Meta => 0xffeb,
        Key::Return => 0xff0d,
        Key::Escape => 0xff1b,
        Key::Tab => 0xff09,
        Key::Space => 0x20,
        Key::Backspace => 0xff08,
        Key::Left => 0xff51,
        Key::Up => 0xff52,
        Key::Right => 0xff53,
        Key::Down => 0xff54,
        Key::F(number) => 0xffbd + u32::from(number),
        Key::Char(character) => u32::from(u8::try_from(character).ok()?),
    })
}
