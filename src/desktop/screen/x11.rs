//! Capture on X11 through one kept connection, with shared memory where the server is on this machine: tens of times
//! faster than a new connection for every picture.

use super::paint::Paint;
use super::{Capture, Painting};
use crate::desktop::{DesktopError, ScreenRect, is_wayland};
use crate::geometry::ScreenPoint;
use crate::screenshot::Screenshot;
use image::RgbaImage;
use std::error::Error;
use std::fs::File;
use std::os::unix::fs::FileExt;
use x11rb::connection::{Connection, RequestConnection};
use x11rb::protocol::randr::ConnectionExt as _;
use x11rb::protocol::shm::{self, ConnectionExt as _};
use x11rb::protocol::xproto::{ConnectionExt as _, ImageFormat, ImageOrder, Screen, Window};
use x11rb::rust_connection::RustConnection;

pub struct X11 {
    connection: RustConnection,
    root: Window,
    /// The whole screen, all monitors together.
    screen: ScreenRect,
    shared: Option<Shared>,
}

/// Memory the server writes pictures to. It is read as a file, which costs a copy that the picture needs anyway.
struct Shared {
    segment: shm::Seg,
    memory: File,
    bytes: usize,
}

impl X11 {
    pub fn connect() -> Result<Self, Box<dyn Error>> {
        if is_wayland() {
            return Err("on Wayland an X11 connection sees only part of the screen".into());
        }
        let connected = x11rb::connect(None);
        let (connection, number) =
            connected.map_err(|error| format!("{error}; is DISPLAY set, and may this user use it?"))?;
        let screen = connection.setup().roots[number].clone();
        check_format(&connection, &screen)?;
        let (width, height) = (screen.width_in_pixels.into(), screen.height_in_pixels.into());
        let place = ScreenRect { corner: ScreenPoint { x: 0, y: 0 }, width, height };
        let mut capture = Self { connection, root: screen.root, screen: place, shared: None };
        capture.resize()?;
        capture.take(Some(ScreenRect { width: 1, height: 1, ..place }))?;
        Ok(capture)
    }

    /// Follows the screen's size, which changes when monitors come and go.
    fn resize(&mut self) -> Result<(), Box<dyn Error>> {
        let geometry = self.connection.get_geometry(self.root)?.reply()?;
        (self.screen.width, self.screen.height) = (geometry.width.into(), geometry.height.into());
        let bytes = self.screen.width as usize * self.screen.height as usize * 4;
        if self.shared.as_ref().is_some_and(|shared| shared.bytes >= bytes) {
            return Ok(());
        }
        if let Some(old) = self.shared.take() {
            self.connection.shm_detach(old.segment)?;
        }
        self.shared =
            Shared::new(&self.connection, bytes).map_err(|reason| log::info!("no shared memory: {reason}")).ok();
        Ok(())
    }

    fn capture(&mut self, part: ScreenRect) -> Result<RgbaImage, Box<dyn Error>> {
        let (x, y) = (part.corner.x as i16, part.corner.y as i16);
        let (width, height) = (part.width as u16, part.height as u16);
        let mut bytes = match &self.shared {
            Some(Shared { segment, memory, .. }) => {
                let format = ImageFormat::Z_PIXMAP.into();
                self.connection.shm_get_image(self.root, x, y, width, height, !0, format, *segment, 0)?.reply()?;
                let mut bytes = vec![0; part.width as usize * part.height as usize * 4];
                memory.read_exact_at(&mut bytes, 0)?;
                bytes
            }
            None => {
                let format = ImageFormat::Z_PIXMAP;
                self.connection.get_image(format, self.root, x, y, width, height, !0)?.reply()?.data
            }
        };
        for pixel in bytes.chunks_exact_mut(4) {
            pixel.swap(0, 2);
            pixel[3] = 255;
        }
        RgbaImage::from_raw(part.width, part.height, bytes).ok_or_else(|| "the server sent too few pixels".into())
    }
}

impl Capture for X11 {
    fn name(&self) -> String {
        let way = if self.shared.is_some() { "shared memory" } else { "a kept connection" };
        format!("X11 through {way}")
    }

    fn monitors(&self) -> Vec<ScreenRect> {
        let asked = self.connection.randr_get_monitors(self.root, true).ok().and_then(|cookie| cookie.reply().ok());
        let place = |monitor: &x11rb::protocol::randr::MonitorInfo| ScreenRect {
            corner: ScreenPoint { x: monitor.x.into(), y: monitor.y.into() },
            width: monitor.width.into(),
            height: monitor.height.into(),
        };
        let found: Vec<ScreenRect> = asked.iter().flat_map(|reply| &reply.monitors).map(place).collect();
        if found.is_empty() { vec![self.screen] } else { found }
    }

    fn listen(&self) -> Option<Box<dyn Painting>> {
        let paint = Paint::listen().map_err(|reason| log::info!("looking all the time: {reason}")).ok()?;
        Some(Box::new(paint))
    }

    fn take(&mut self, part: Option<ScreenRect>) -> Result<Screenshot, DesktopError> {
        let failed = |error: Box<dyn Error>| DesktopError::Capture(error.to_string());
        if part.is_none() {
            self.resize().map_err(failed)?;
        }
        let wanted = part.map_or(Some(self.screen), |part| part.overlap(self.screen));
        let wanted = wanted.ok_or_else(|| DesktopError::Capture("that part lies outside of the screen".into()))?;
        let pixels = self.capture(wanted).map_err(failed)?;
        Ok(Screenshot { pixels, origin: wanted.corner, scale: 1.0 })
    }
}

impl Shared {
    fn new(connection: &RustConnection, bytes: usize) -> Result<Self, Box<dyn Error>> {
        if connection.extension_information(shm::X11_EXTENSION_NAME)?.is_none() {
            return Err("the server does not offer it".into());
        }
        connection.shm_query_version()?.reply()?;
        let segment = connection.generate_id()?;
        let reply = connection.shm_create_segment(segment, u32::try_from(bytes)?, false)?.reply()?;
        Ok(Self { segment, memory: File::from(reply.shm_fd), bytes })
    }
}

/// Pixels of four bytes, blue first: what nearly every server has. Others are left to xcap.
fn check_format(connection: &RustConnection, screen: &Screen) -> Result<(), Box<dyn Error>> {
    let setup = connection.setup();
    let format = setup.pixmap_formats.iter().find(|format| format.depth == screen.root_depth);
    let visual = screen
        .allowed_depths
        .iter()
        .flat_map(|depth| &depth.visuals)
        .find(|visual| visual.visual_id == screen.root_visual);
    let usual = format.is_some_and(|format| format.bits_per_pixel == 32)
        && visual
            .is_some_and(|visual| (visual.red_mask, visual.green_mask, visual.blue_mask) == (0xff0000, 0xff00, 0xff))
        && setup.image_byte_order == ImageOrder::LSB_FIRST;
    if usual {
        Ok(())
    } else {
        Err(format!("unusual pixels of depth {}: set the display to 24 bits a pixel", screen.root_depth).into())
    }
}
