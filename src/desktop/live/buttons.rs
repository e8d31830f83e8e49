//! Whether a mouse button is down, as the X server has it.

use x11rb::connection::Connection;
use x11rb::protocol::xproto::{ConnectionExt as _, KeyButMask, Window};
use x11rb::rust_connection::RustConnection;

pub struct Buttons {
    connection: RustConnection,
    root: Window,
}

impl Buttons {
    /// Nothing without an X server.
    pub fn connect() -> Option<Self> {
        let (connection, screen) = x11rb::connect(None).ok()?;
        let root = connection.setup().roots.get(screen)?.root;
        Some(Self { connection, root })
    }

    /// Whether one is down; nothing if the server does not say.
    pub fn are_down(&self) -> Option<bool> {
        let pointer = self.connection.query_pointer(self.root).ok()?.reply().ok()?;
        let buttons = KeyButMask::BUTTON1 | KeyButMask::BUTTON2 | KeyButMask::BUTTON3;
        Some(pointer.mask.intersects(buttons))
    }
}
