//! Capture through xcap: works on every system, with a new connection or session for every picture.

use super::Capture;
use crate::desktop::{DesktopError, ScreenRect};
use crate::geometry::ScreenPoint;
use crate::screenshot::Screenshot;
use image::RgbaImage;
use image::imageops::{self, FilterType};
use xcap::{Monitor, XCapError};

pub struct Portable {
    screens: Vec<Screen>,
    /// Pixels per unit of the mouse on the finest monitor; pictures of the others are enlarged to it, so that one
    /// picture can hold all of them.
    scale: f64,
}

struct Screen {
    monitor: Monitor,
    /// In the mouse's units.
    place: ScreenRect,
    /// Whether parts can be captured: their coordinates are the mouse's units there.
    in_parts: bool,
}

impl Portable {
    pub fn new() -> Result<Self, DesktopError> {
        let mut screens = Vec::new();
        let mut scale: f64 = 0.0;
        for monitor in Monitor::all().map_err(failed)? {
            let picture = monitor.capture_image().map_err(failed)?;
            let screen = Screen::new(monitor, &picture).map_err(failed)?;
            scale = scale.max(f64::from(picture.width()) / f64::from(screen.place.width.max(1)));
            screens.push(screen);
        }
        if screens.is_empty() {
            return Err(DesktopError::Capture("no monitor was found".into()));
        }
        Ok(Self { screens, scale })
    }

    fn everything(&self) -> ScreenRect {
        let places = || self.screens.iter().map(|screen| screen.place);
        let left = places().map(|place| place.corner.x).min().unwrap_or(0);
        let top = places().map(|place| place.corner.y).min().unwrap_or(0);
        let right = places().map(|place| place.corner.x + place.width as i32).max().unwrap_or(0);
        let bottom = places().map(|place| place.corner.y + place.height as i32).max().unwrap_or(0);
        ScreenRect {
            corner: ScreenPoint { x: left, y: top },
            width: (right - left) as u32,
            height: (bottom - top) as u32,
        }
    }
}

impl Capture for Portable {
    fn name(&self) -> String {
        "xcap".into()
    }

    fn monitors(&self) -> Vec<ScreenRect> {
        self.screens.iter().map(|screen| screen.place).collect()
    }

    fn take(&mut self, part: Option<ScreenRect>) -> Result<Screenshot, DesktopError> {
        let everything = self.everything();
        let wanted = part.map_or(Some(everything), |part| part.overlap(everything));
        let wanted = wanted.ok_or_else(|| DesktopError::Capture("that part lies outside of every monitor".into()))?;
        let pixels = |length: u32| (f64::from(length) * self.scale).round() as u32;
        let mut canvas = RgbaImage::new(pixels(wanted.width), pixels(wanted.height));
        for screen in &self.screens {
            let Some(shared) = screen.place.overlap(wanted) else { continue };
            let mut picture = screen.capture(shared).map_err(failed)?;
            let (width, height) = (pixels(shared.width), pixels(shared.height));
            if (picture.width(), picture.height()) != (width, height) {
                picture = imageops::resize(&picture, width, height, FilterType::Nearest);
            }
            if shared == wanted {
                canvas = picture;
                break;
            }
            let (right, down) = (shared.corner.x - wanted.corner.x, shared.corner.y - wanted.corner.y);
            let at = |distance: i32| (f64::from(distance) * self.scale).round() as i64;
            imageops::replace(&mut canvas, &picture, at(right), at(down));
        }
        Ok(Screenshot { pixels: canvas, origin: wanted.corner, scale: self.scale })
    }
}

impl Screen {
    /// On X11 the mouse's units are pixels, but xcap divides a monitor's geometry by the font scale; elsewhere its
    /// geometry is the mouse's.
    fn new(monitor: Monitor, picture: &RgbaImage) -> Result<Self, XCapError> {
        let (x, y) = (monitor.x()?, monitor.y()?);
        let (width, height) = (monitor.width()?, monitor.height()?);
        let factor = f64::from(monitor.scale_factor()?);
        let (place, in_parts) = if cfg!(target_os = "linux") && !is_wayland() {
            let pixel = |unit: i32| (f64::from(unit) * factor).round() as i32;
            let corner = ScreenPoint { x: pixel(x), y: pixel(y) };
            (ScreenRect { corner, width: picture.width(), height: picture.height() }, factor == 1.0)
        } else {
            // On Wayland a region ignores where the monitor is.
            (ScreenRect { corner: ScreenPoint { x, y }, width, height }, !cfg!(target_os = "linux"))
        };
        Ok(Self { monitor, place, in_parts })
    }

    /// The pixels of `part`, which lies inside.
    fn capture(&self, part: ScreenRect) -> Result<RgbaImage, XCapError> {
        let (x, y) = ((part.corner.x - self.place.corner.x) as u32, (part.corner.y - self.place.corner.y) as u32);
        if part == self.place {
            return self.monitor.capture_image();
        }
        if self.in_parts {
            return self.monitor.capture_region(x, y, part.width, part.height);
        }
        let all = self.monitor.capture_image()?;
        let scale = f64::from(all.width()) / f64::from(self.place.width);
        let pixel = |unit: u32| (f64::from(unit) * scale).round() as u32;
        Ok(imageops::crop_imm(&all, pixel(x), pixel(y), pixel(part.width), pixel(part.height)).to_image())
    }
}

fn is_wayland() -> bool {
    let says_wayland = |name: &str| std::env::var_os(name).is_some_and(|value| value == "wayland");
    says_wayland("XDG_SESSION_TYPE") || std::env::var_os("WAYLAND_DISPLAY").is_some()
}

fn failed(error: XCapError) -> DesktopError {
    let advice = if cfg!(target_os = "macos") {
        "allow this terminal under System Settings, Privacy & Security, Screen Recording"
    } else if cfg!(target_os = "linux") {
        "is DISPLAY (or WAYLAND_DISPLAY) set, and may this user use it?"
    } else {
        "is a user logged in at this screen?"
    };
    DesktopError::Capture(format!("{error}; {advice}"))
}
