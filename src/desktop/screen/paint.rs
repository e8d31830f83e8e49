//! What is painted on an X server's screen, told by the server itself (the DAMAGE extension): who waits for a client to paint needs not
//! look again and again.

use super::Painting;
use crate::geometry::{ScreenPoint, ScreenRect};
use std::error::Error;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};
use x11rb::connection::{Connection, RequestConnection};
use x11rb::protocol::Event;
use x11rb::protocol::damage::{self, ConnectionExt as _, Damage, ReportLevel};
use x11rb::protocol::xproto::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;

/// Hears of everything that is painted.
pub struct Paint {
    told: Receiver<ScreenRect>,
    /// What was painted since that was asked last.
    since: Option<ScreenRect>,
}

impl Paint {
    /// A connection of its own, and a thread that listens on it until this is dropped.
    pub fn listen() -> Result<Self, Box<dyn Error>> {
        let (connection, number) = x11rb::connect(None)?;
        let root = connection.setup().roots.get(number).ok_or("no screen")?.root;
        if connection.extension_information(damage::X11_EXTENSION_NAME)?.is_none() {
            return Err("the server does not tell what is painted".into());
        }
        connection.damage_query_version(1, 1)?.reply()?;
        let all = connection.generate_id()?;
        connection.damage_create(all, root, ReportLevel::DELTA_RECTANGLES)?.check()?;
        let (tell, told) = channel();
        std::thread::Builder::new()
            .name("paint".into())
            .spawn(move || while pass_on(&connection, all, &tell).is_ok() {})?;
        Ok(Self { told, since: None })
    }

    fn keep(&mut self, painted: ScreenRect) {
        self.since = Some(self.since.map_or(painted, |since| since.around(painted)));
    }

    fn keep_all(&mut self) {
        while let Ok(painted) = self.told.try_recv() {
            self.keep(painted);
        }
    }
}

impl Painting for Paint {
    fn wait(&mut self, area: ScreenRect, longest: Duration) -> Option<bool> {
        let began = Instant::now();
        loop {
            match self.told.recv_timeout(longest.saturating_sub(began.elapsed())) {
                Ok(painted) => {
                    self.keep(painted);
                    if painted.overlap(area).is_some() {
                        self.keep_all(); // a look from here on shows all of these
                        return Some(true);
                    }
                }
                Err(RecvTimeoutError::Timeout) => return Some(false),
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
    }

    fn painted(&mut self) -> Option<ScreenRect> {
        self.keep_all();
        self.since.take()
    }
}

/// Waits for something to be painted and tells of it, once the server will tell of whatever is painted from then on: what was painted
/// twice before is told of once.
fn pass_on(connection: &RustConnection, all: Damage, tell: &Sender<ScreenRect>) -> Result<(), Box<dyn Error>> {
    let mut next = Some(connection.wait_for_event()?);
    let mut painted = Vec::new();
    while let Some(event) = next {
        if let Event::DamageNotify(damage::NotifyEvent { area, .. }) = event {
            let corner = ScreenPoint { x: area.x.into(), y: area.y.into() };
            painted.push(ScreenRect { corner, width: area.width.into(), height: area.height.into() });
        }
        next = connection.poll_for_event()?;
    }
    connection.damage_subtract(all, x11rb::NONE, x11rb::NONE)?;
    connection.get_input_focus()?.reply()?; // any answer will do: it comes after what was asked before
    painted.into_iter().try_for_each(|rect| tell.send(rect))?;
    Ok(())
}
