//! The X server asked and told directly: where the pointer is, whose windows are where, who has the keyboard, which buttons and keys
//! are down; and presses that only happen if the window they are meant for is still there, for which the server is held for a
//! moment.

use super::hands::{Hands, Held, is_near, only};
use crate::client::Button;
use crate::desktop::{Capabilities, DesktopError, Key, Keys, Window, is_wayland};
use crate::geometry::{ScreenPoint, ScreenRect};
use std::collections::HashMap;
use std::error::Error;
use x11rb::connection::Connection;
use x11rb::protocol::res::{ClientIdMask, ClientIdSpec, ConnectionExt as _};
use x11rb::protocol::xproto::{
    self, AtomEnum, ClientMessageEvent, ConnectionExt as _, EventMask, InputFocus, KeyButMask,
};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

/// An own connection to the X server.
pub struct X11 {
    connection: RustConnection,
    root: xproto::Window,
    /// The part of a number that tells connections apart: each has its own range for all that it makes.
    programs: u32,
    /// Whether the server tells which process a connection is of, as this system counts processes: it may run in another container.
    tells_processes: bool,
    /// The keys that write something, and whether Shift must be held for it.
    keycodes: HashMap<u32, (u8, bool)>,
    activate: xproto::Atom,
    clients: xproto::Atom,
    title: xproto::Atom,
    state: xproto::Atom,
    hidden: xproto::Atom,
    types: xproto::Atom,
    dialog: xproto::Atom,
    /// How large windows were when it was asked where a point is in them: one that was resized has its tiles elsewhere.
    sizes: HashMap<u64, (u16, u16)>,
}

/// Added to the number of a process, where that is which program it is: no range is as high.
const PROCESS: u64 = 1 << 32;
/// Windows around that of a program, at most.
const FRAMES: usize = 4;
/// Dialogs over each other that are followed.
const DIALOGS: usize = 3;

/// How far a window may hang over the edge of the screen and stay where it is: the shadows that some draw around themselves are a part of them.
const HANGS: i32 = 32;

type Asked<T> = Result<T, Box<dyn Error>>;

impl X11 {
    /// Needs an X server that lets programs press buttons.
    pub fn connect() -> Result<Self, String> {
        let connect = || -> Asked<Self> {
            if is_wayland() {
                return Err("on Wayland an X server has only some of the windows".into());
            }
            let (connection, screen) = x11rb::connect(None)?;
            let setup = connection.setup();
            let root = setup.roots.get(screen).ok_or("no screen")?.root;
            let programs = !setup.resource_id_mask;
            let (first, last) = (setup.min_keycode, setup.max_keycode);
            connection.xtest_get_version(2, 2)?.reply()?;
            let mapping = connection.get_keyboard_mapping(first, last - first + 1)?.reply()?;
            let columns = usize::from(mapping.keysyms_per_keycode).max(1);
            let keys = || mapping.keysyms.chunks(columns).zip(first..=last);
            let plain = keys().map(|(row, code)| (row[0], (code, false)));
            let shifted = keys().filter_map(|(row, code)| Some((*row.get(1)?, (code, true))));
            // Of several keys for one character, the first without Shift is the usual one.
            let keycodes = plain.chain(shifted).collect::<Vec<_>>().into_iter().rev().collect();
            let atom = |name: &str| -> Asked<u32> { Ok(connection.intern_atom(false, name.as_bytes())?.reply()?.atom) };
            let (activate, clients) = (atom("_NET_ACTIVE_WINDOW")?, atom("_NET_CLIENT_LIST")?);
            let title = atom("_NET_WM_NAME")?;
            let (state, hidden) = (atom("_NET_WM_STATE")?, atom("_NET_WM_STATE_HIDDEN")?);
            let (types, dialog) = (atom("_NET_WM_WINDOW_TYPE")?, atom("_NET_WM_WINDOW_TYPE_DIALOG")?);
            let sizes = HashMap::new();
            let tells_processes = process(&connection, setup.resource_id_base) == Some(std::process::id());
            Ok(Self {
                connection,
                root,
                programs,
                tells_processes,
                keycodes,
                activate,
                clients,
                title,
                state,
                hidden,
                types,
                dialog,
                sizes,
            })
        };
        connect().map_err(|reason| format!("{reason}; is DISPLAY set, and may this user use it?"))
    }

    /// The window that gets what is typed.
    fn typed_into(&self) -> Window {
        let focused = || -> Asked<Window> {
            let focus = self.connection.get_input_focus()?.reply()?.focus;
            if focus == u32::from(InputFocus::POINTER_ROOT) {
                let pointer = self.connection.query_pointer(self.root)?.reply()?;
                return self.under(location(&pointer));
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
        let frame = self.connection.translate_coordinates(self.root, self.root, x, y)?.reply()?.child;
        if frame == x11rb::NONE {
            return Ok(Window::NONE);
        }
        self.window(frame, self.deepest(frame, (x, y))?)
    }

    /// The window within another one that a point is in, and no other within that.
    fn deepest(&self, of: xproto::Window, (x, y): (i16, i16)) -> Asked<xproto::Window> {
        let mut deepest = of;
        loop {
            match self.connection.translate_coordinates(self.root, deepest, x, y)?.reply()?.child {
                x11rb::NONE => return Ok(deepest),
                inner => deepest = inner,
            }
        }
    }

    /// The window on the root that `frame` is, as part of the program that made `inner`.
    fn window(&self, frame: xproto::Window, inner: xproto::Window) -> Asked<Window> {
        let place = self.connection.get_geometry(frame)?.reply()?;
        let corner = ScreenPoint { x: place.x.into(), y: place.y.into() };
        Ok(Window { id: frame.into(), program: self.program(inner), corner })
    }

    /// Which program made a window: the process, for one may have several connections, or else the connection.
    fn program(&self, inner: xproto::Window) -> u64 {
        let process = process(&self.connection, inner).filter(|_| self.tells_processes);
        process.map_or_else(|| (inner & self.programs).into(), |process| PROCESS | u64::from(process))
    }

    /// The same window as it is now, unless it is gone or does not show: where a window is minimised, a window manager may let it fly
    /// off the screen first.
    fn now(&self, window: Window) -> Option<Window> {
        let frame = u32::try_from(window.id).ok()?;
        // All are on their way before the first answer is waited for.
        let place = self.connection.get_geometry(frame).ok()?;
        let attributes = self.connection.get_window_attributes(frame).ok()?;
        let screen = self.connection.get_geometry(self.root).ok()?;
        let (place, attributes, screen) = (place.reply().ok()?, attributes.reply().ok()?, screen.reply().ok()?);
        let (place, screen) = (rect(&place), rect(&screen));
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

    /// Asks the window manager to bring a window to the front and give it the keyboard, unless it is minimised; if it has a dialog, that: it
    /// waits for its answer, and would have lost the keyboard.
    fn activate(&self, window: Window) -> Asked<()> {
        let windows = self.managed()?;
        let is_wanted = |&of: &xproto::Window| self.frame(of).is_ok_and(|frame| u64::from(frame) == window.id);
        let Some(mut client) = windows.iter().copied().find(is_wanted) else { return Ok(()) };
        if self.is_hidden(client)? {
            return Ok(());
        }
        // A dialog may have one of its own.
        for _ in 0..DIALOGS {
            let owner = client;
            let dialog = windows.iter().copied().find(|&dialog| self.is_dialog_of(dialog, owner).unwrap_or(false));
            client = dialog.unwrap_or(client);
        }
        // 2: a pager, or whatever else acts for the person.
        let message = ClientMessageEvent::new(32, client, self.activate, [2, 0, 0, 0, 0]);
        let to = EventMask::SUBSTRUCTURE_REDIRECT | EventMask::SUBSTRUCTURE_NOTIFY;
        self.connection.send_event(false, self.root, to, message)?;
        self.connection.sync()?;
        Ok(())
    }

    /// Moves a window onto the screen if it hangs over its edge, and fits: some clients open theirs half below it.
    fn bring_in(&self, window: Window) -> Asked<()> {
        let frame = u32::try_from(window.id)?;
        let (place, screen) = (self.connection.get_geometry(frame)?, self.connection.get_geometry(self.root)?);
        let (place, screen) = (rect(&place.reply()?), rect(&screen.reply()?));
        let (dx, dy) = place.way_into(self.free_of_panels()?.unwrap_or(screen), HANGS);
        if (dx, dy) == (0, 0) {
            return Ok(());
        }
        log::info!("the client's window hangs over the edge of the screen: moving it by {dx},{dy}");
        let (x, y) = (place.corner.x + dx, place.corner.y + dy);
        match self.client_in(window)? {
            Some(client) => {
                let atom = self.connection.intern_atom(false, b"_NET_MOVERESIZE_WINDOW")?.reply()?.atom;
                // The frame's corner (NorthWestGravity) to this place, and no other size, by whatever else acts for the person.
                let what = 1 | 1 << 8 | 1 << 9 | 2 << 12;
                let message = ClientMessageEvent::new(32, client, atom, [what, x as u32, y as u32, 0, 0]);
                let to = EventMask::SUBSTRUCTURE_REDIRECT | EventMask::SUBSTRUCTURE_NOTIFY;
                self.connection.send_event(false, self.root, to, message)?;
            }
            None => {
                self.connection.configure_window(frame, &xproto::ConfigureWindowAux::new().x(x).y(y))?;
            }
        }
        self.connection.sync()?;
        Ok(())
    }

    /// The part of the screen that panels leave free, where the window manager tells.
    fn free_of_panels(&self) -> Asked<Option<ScreenRect>> {
        let atom = self.connection.intern_atom(false, b"_NET_WORKAREA")?.reply()?.atom;
        let told = self.connection.get_property(false, self.root, atom, AtomEnum::CARDINAL, 0, 4)?.reply()?;
        let told: Vec<u32> = told.value32().into_iter().flatten().collect();
        Ok(match told[..] {
            [x, y, width, height] => {
                let corner = ScreenPoint { x: i32::try_from(x)?, y: i32::try_from(y)? };
                Some(ScreenRect { corner, width, height })
            }
            _ => None,
        })
    }

    /// Whether a window is there for another one, or is a dialog of its program that does not say for which.
    fn is_dialog_of(&self, dialog: xproto::Window, owner: xproto::Window) -> Asked<bool> {
        let of = AtomEnum::WM_TRANSIENT_FOR;
        let of = self.connection.get_property(false, dialog, of, AtomEnum::WINDOW, 0, 1)?.reply()?;
        let of = of.value32().into_iter().flatten().next();
        let is_loose = of.is_none_or(|of| of == self.root || of == x11rb::NONE)
            && dialog != owner
            && (dialog & self.programs) == (owner & self.programs)
            && self.types_of(dialog)?.contains(&self.dialog)
            && !self.types_of(owner)?.contains(&self.dialog);
        Ok((of == Some(owner) || is_loose) && !self.is_hidden(dialog)?)
    }

    /// What kind of window one is, by its own word.
    fn types_of(&self, window: xproto::Window) -> Asked<Vec<xproto::Atom>> {
        let types = self.connection.get_property(false, window, self.types, AtomEnum::ATOM, 0, 16)?.reply()?;
        Ok(types.value32().into_iter().flatten().collect())
    }

    /// Whether the program's window in a frame is there for another one, or no window manager looks after it.
    fn is_for_another(&self, window: Window) -> Asked<bool> {
        let frame = u32::try_from(window.id)?;
        let is_bare = self.connection.get_window_attributes(frame)?.reply()?.override_redirect;
        if is_bare && !self.managed()?.iter().any(|&of| self.frame(of).is_ok_and(|of| of == frame)) {
            return Ok(true);
        }
        let (found, ..) = self.told_to_close(frame)?;
        let of = AtomEnum::WM_TRANSIENT_FOR;
        let of = self.connection.get_property(false, found, of, AtomEnum::WINDOW, 0, 1)?.reply()?;
        Ok(of.value32().into_iter().flatten().next().is_some())
    }

    /// Tells the program's window in a frame to close, as a window manager does: where none looks after it, too.
    fn tell_to_close(&self, window: Window) -> Asked<()> {
        let (found, protocols, delete) = self.told_to_close(u32::try_from(window.id)?)?;
        let message = ClientMessageEvent::new(32, found, protocols, [delete, x11rb::CURRENT_TIME, 0, 0, 0]);
        self.connection.send_event(false, found, EventMask::NO_EVENT, message)?;
        self.connection.sync()?;
        Ok(())
    }

    /// The window in a frame that takes the message to close, and the names of the message.
    fn told_to_close(&self, frame: xproto::Window) -> Asked<(xproto::Window, xproto::Atom, xproto::Atom)> {
        let atom =
            |name: &str| -> Asked<u32> { Ok(self.connection.intern_atom(false, name.as_bytes())?.reply()?.atom) };
        let (protocols, delete) = (atom("WM_PROTOCOLS")?, atom("WM_DELETE_WINDOW")?);
        let mut inside = vec![frame];
        for _ in 0..FRAMES {
            for &found in &inside {
                let known = self.connection.get_property(false, found, protocols, AtomEnum::ATOM, 0, 64)?.reply()?;
                if known.value32().into_iter().flatten().any(|known| known == delete) {
                    return Ok((found, protocols, delete));
                }
            }
            let below = |of: &u32| -> Asked<Vec<u32>> { Ok(self.connection.query_tree(*of)?.reply()?.children) };
            inside = inside.iter().map(below).collect::<Asked<Vec<Vec<u32>>>>()?.concat();
        }
        Err("it takes no such message".into())
    }

    /// The windows that the window manager knows.
    fn managed(&self) -> Asked<Vec<xproto::Window>> {
        let list = self.connection.get_property(false, self.root, self.clients, AtomEnum::WINDOW, 0, 4096)?.reply()?;
        Ok(list.value32().into_iter().flatten().collect())
    }

    /// Which of these a window's frame holds.
    fn client_in(&self, window: Window) -> Asked<Option<xproto::Window>> {
        let is_it = |&of: &xproto::Window| self.frame(of).is_ok_and(|frame| u64::from(frame) == window.id);
        Ok(self.managed()?.into_iter().find(is_it))
    }

    /// What a window is called: in UTF-8, or in Latin-1 by old programs.
    fn called(&self, window: xproto::Window) -> Asked<String> {
        let asked = |name: u32| self.connection.get_property(false, window, name, AtomEnum::ANY, 0, 256);
        let (title, old) = (asked(self.title)?, asked(AtomEnum::WM_NAME.into())?);
        let title = String::from_utf8_lossy(&title.reply()?.value).into_owned();
        let old = || -> Asked<String> { Ok(old.reply()?.value.into_iter().map(char::from).collect()) };
        if title.is_empty() { old() } else { Ok(title) }
    }

    /// Whether a window is minimised.
    fn is_hidden(&self, window: xproto::Window) -> Asked<bool> {
        let states = self.connection.get_property(false, window, self.state, AtomEnum::ATOM, 0, 64)?.reply()?;
        Ok(states.value32().into_iter().flatten().any(|state| state == self.hidden))
    }

    /// Presses a button if `window` is still under the point, where it was and as large; whether it was. It stays down. Nothing comes back
    /// where the pointer has not arrived.
    fn press_if_still(&self, window: Window, at: ScreenPoint, button: Button) -> Asked<Option<bool>> {
        let (x, y) = (i16::try_from(at.x)?, i16::try_from(at.y)?);
        let frame = u32::try_from(window.id)?;
        let mut has_arrived = true;
        let mut still = || -> Asked<bool> {
            // All are on their way before the first answer is waited for.
            let pointer = self.connection.query_pointer(self.root)?;
            let under = self.connection.translate_coordinates(self.root, self.root, x, y)?;
            let place = self.connection.get_geometry(frame)?;
            let (pointer, under, place) = (pointer.reply()?, under.reply()?, place.reply()?);
            has_arrived = is_near(location(&pointer), at);
            let corner = ScreenPoint { x: place.x.into(), y: place.y.into() };
            let is_as_large = self.sizes.get(&window.id).is_none_or(|size| *size == (place.width, place.height));
            let is_there = has_arrived && under.child == frame && corner == window.corner && is_as_large;
            // The title of a window, and the buttons that minimise and close it, are in its frame, and another program's.
            Ok(is_there && self.program(self.deepest(frame, (x, y))?) == window.program)
        };
        let pressed =
            self.if_still(|| still().unwrap_or(false), || self.fake(xproto::BUTTON_PRESS_EVENT, number(button)))?;
        Ok(has_arrived.then_some(pressed))
    }

    /// The keys of the keyboard that are pressed for these, in their order.
    fn codes(&self, keys: &Keys) -> Result<Vec<u8>, DesktopError> {
        let code = |key: Key| keysym(key).and_then(|sym| self.keycodes.get(&sym).copied());
        let shift = code(Key::Shift).map(|(code, _)| code);
        let mut codes = Vec::new();
        for &key in &keys.0 {
            let (code, is_shifted) =
                code(key).ok_or_else(|| DesktopError::Input(format!("this keyboard has no key for {key:?}")))?;
            codes.extend(shift.filter(|shift| is_shifted && !codes.contains(shift)));
            codes.push(code);
        }
        Ok(codes)
    }

    fn press_keys(&self, codes: &[u8], is_press: bool) -> Asked<()> {
        let (kind, mut order) = match is_press {
            true => (xproto::KEY_PRESS_EVENT, codes.to_vec()),
            false => (xproto::KEY_RELEASE_EVENT, codes.to_vec()),
        };
        if !is_press {
            order.reverse();
        }
        order.into_iter().try_for_each(|code| self.fake(kind, code))
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

impl Hands for X11 {
    fn name(&self) -> &'static str {
        "XTEST"
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::ALL
    }

    fn go(&mut self, to: ScreenPoint) -> Result<(), DesktopError> {
        let go = || -> Asked<()> {
            let (x, y) = (i16::try_from(to.x)?, i16::try_from(to.y)?);
            let (kind, now) = (xproto::MOTION_NOTIFY_EVENT, x11rb::CURRENT_TIME);
            self.connection.xtest_fake_input(kind, 0, now, self.root, x, y, 0)?;
            self.connection.flush()?; // whether it obeyed is asked next
            Ok(())
        };
        go().map_err(input)
    }

    fn location(&mut self) -> Result<Option<ScreenPoint>, DesktopError> {
        let asked = || -> Asked<ScreenPoint> { Ok(location(&self.connection.query_pointer(self.root)?.reply()?)) };
        asked().map(Some).map_err(input)
    }

    fn held(&mut self, left: Option<ScreenPoint>) -> Result<Held, DesktopError> {
        let held = || -> Asked<Held> {
            // Both are on their way before the first answer is waited for.
            let (pointer, keys) = (self.connection.query_pointer(self.root)?, self.connection.query_keymap()?);
            let (pointer, keys) = (pointer.reply()?, keys.reply()?.keys);
            let escape = keysym(Key::Escape).and_then(|escape| self.keycodes.get(&escape));
            let buttons = KeyButMask::BUTTON1 | KeyButMask::BUTTON2 | KeyButMask::BUTTON3;
            Ok(Held {
                is_pointer_there: left.is_none_or(|left| is_near(location(&pointer), left)),
                is_escape_down: escape.is_some_and(|(code, _)| keys[usize::from(code / 8)] & 1 << (code % 8) != 0),
                is_button_down: pointer.mask.intersects(buttons),
            })
        };
        held().map_err(input)
    }

    fn button(&mut self, button: Button, is_press: bool) -> Result<(), DesktopError> {
        let kind = if is_press { xproto::BUTTON_PRESS_EVENT } else { xproto::BUTTON_RELEASE_EVENT };
        let press = || -> Asked<()> {
            self.fake(kind, number(button))?;
            self.connection.flush()?; // whatever is asked next is answered after it
            Ok(())
        };
        press().map_err(input)
    }

    fn keys(&mut self, keys: &Keys, is_press: bool) -> Result<(), DesktopError> {
        let codes = self.codes(keys)?;
        let press = || -> Asked<()> {
            self.press_keys(&codes, is_press)?;
            self.connection.sync()?;
            Ok(())
        };
        press().map_err(input)
    }

    fn press_on(&mut self, window: Window, at: ScreenPoint, button: Button) -> Result<bool, DesktopError> {
        match self.press_if_still(window, at, button).map_err(input)? {
            Some(true) => Ok(true),
            Some(false) => Err(DesktopError::Foreign("under the pointer")),
            None => Ok(false),
        }
    }

    fn press_into(&mut self, window: Window, keys: &Keys) -> Result<(), DesktopError> {
        let codes = self.codes(keys)?;
        let still = || self.typed_into().id == window.id;
        match self.if_still(still, || self.press_keys(&codes, true)).map_err(input)? {
            true => Ok(()),
            false => Err(DesktopError::Foreign("it has the keyboard")),
        }
    }

    fn window_at(&mut self, at: ScreenPoint) -> Option<Window> {
        let window = self.under(at).unwrap_or(Window::NONE); // none if it goes while it is asked for
        let place =
            u32::try_from(window.id).ok().and_then(|frame| self.connection.get_geometry(frame).ok()?.reply().ok());
        if let Some(place) = place {
            self.sizes.insert(window.id, (place.width, place.height));
        }
        Some(window)
    }

    fn window_titled(&mut self, titles: &[String]) -> Option<Window> {
        let shows = |window: xproto::Window| -> Asked<bool> {
            Ok(titles.contains(&self.called(window)?) && !self.is_hidden(window)?)
        };
        let found = only(self.managed().ok()?.into_iter().filter(|&window| shows(window).unwrap_or(false)))?;
        self.window(self.frame(found).ok()?, found).ok()
    }

    fn title_of(&mut self, window: Window) -> Option<String> {
        self.called(self.client_in(window).ok()??).ok()
    }

    fn window_of_keys(&mut self) -> Option<Window> {
        Some(self.typed_into())
    }

    fn window_now(&mut self, window: Window) -> Option<Window> {
        self.now(window)
    }

    fn has_gone(&mut self, window: Window) -> bool {
        let is_there = |frame| Some(self.connection.get_geometry(frame).ok()?.reply().is_ok());
        u32::try_from(window.id).ok().and_then(is_there) == Some(false)
    }

    fn may_have_windows(&mut self, window: Window) -> bool {
        let list = || -> Asked<bool> {
            let list = self.connection.get_property(false, self.root, self.clients, AtomEnum::WINDOW, 0, 0)?.reply()?;
            Ok(list.type_ != x11rb::NONE)
        };
        // A window manager that lists none may not list any at all.
        let is_listed = list().unwrap_or(false);
        !is_listed || self.managed().map_or(true, |all| all.iter().any(|&one| self.program(one) == window.program))
    }

    fn comes_after(&mut self, window: Window, other: Window) -> bool {
        // Whoever makes windows numbers them one after the other: all frames are the window manager's, or else all are the program's own.
        let maker = |window: Window| window.id & u64::from(self.programs);
        maker(window) == maker(other) && window.id > other.id
    }

    fn process_of(&mut self, window: Window) -> Option<u32> {
        u32::try_from(window.program.checked_sub(PROCESS)?).ok()
    }

    fn raise(&mut self, window: Window) -> Result<(), DesktopError> {
        if let Err(reason) = self.activate(window) {
            log::info!("the client's window cannot be brought to the front: {reason}");
        }
        if let Err(reason) = self.bring_in(window) {
            log::debug!("the client's window cannot be moved onto the screen: {reason}");
        }
        Ok(())
    }

    fn is_dialog(&mut self, window: Window) -> bool {
        self.is_for_another(window).unwrap_or_else(|reason| {
            log::info!("it is not known whether this is a dialog: {reason}");
            false
        })
    }

    fn close(&mut self, window: Window) -> Result<(), DesktopError> {
        if let Err(reason) = self.tell_to_close(window) {
            log::info!("the client's window cannot be closed: {reason}");
        }
        Ok(())
    }
}

/// The process that made a window, where the server tells.
fn process(connection: &RustConnection, of: xproto::Window) -> Option<u32> {
    let spec = ClientIdSpec { client: of, mask: ClientIdMask::LOCAL_CLIENT_PID };
    let told = connection.res_query_client_ids(&[spec]).ok()?.reply().ok()?;
    told.ids.first()?.value.first().copied().filter(|process| *process != 0)
}

/// Where a window of the root is.
fn rect(of: &xproto::GetGeometryReply) -> ScreenRect {
    let corner = ScreenPoint { x: of.x.into(), y: of.y.into() };
    ScreenRect { corner, width: of.width.into(), height: of.height.into() }
}

fn location(pointer: &xproto::QueryPointerReply) -> ScreenPoint {
    ScreenPoint { x: pointer.root_x.into(), y: pointer.root_y.into() }
}

fn input(error: Box<dyn Error>) -> DesktopError {
    DesktopError::Input(error.to_string())
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
