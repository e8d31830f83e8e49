//! Capture through xcap: works on every system, with a new connection or session for every picture.

use super::Capture;
use super::layout::Layout;
use crate::desktop::{DesktopError, ScreenRect};
use crate::geometry::ScreenPoint;
use crate::screenshot::Screenshot;
use image::{RgbaImage, imageops};
use std::panic::{self, AssertUnwindSafe};
use xcap::{Monitor, XCapError};

pub struct Portable {
    screens: Vec<Screen>,
    layout: Layout,
}

struct Screen {
    monitor: Monitor,
    /// In the mouse's units.
    place: ScreenRect,
    /// Whether parts can be captured: their coordinates are the mouse's units there.
    in_parts: bool,
}

impl Portable {
    /// All monitors that give a picture.
    pub fn open() -> Result<Self, String> {
        let (mut screens, mut scale, mut refused) = (Vec::new(), 0.0_f64, None);
        for monitor in Monitor::all().map_err(with_advice)? {
            match without_panic(|| Screen::new(monitor)) {
                Ok((screen, own)) => {
                    scale = scale.max(own);
                    screens.push(screen);
                }
                Err(reason) => {
                    log::warn!("a monitor is left out: {reason}");
                    refused = Some(reason);
                }
            }
        }
        if screens.is_empty() {
            return Err(refused.map_or_else(|| "no monitor was found".into(), with_advice));
        }
        let places = screens.iter().map(|screen| screen.place).collect();
        Ok(Self { screens, layout: Layout { places, scale } })
    }
}

impl Capture for Portable {
    fn name(&self) -> String {
        let by_portal = cfg!(target_os = "linux") && is_wayland();
        let way = if by_portal { "xcap and the desktop's portal" } else { "xcap" };
        let untried = by_portal || cfg!(target_os = "macos");
        format!("{way}{}", if untried { " (written for this system, and not tried on it)" } else { "" })
    }

    fn monitors(&self) -> Vec<ScreenRect> {
        self.layout.places.clone()
    }

    fn is_in_parts(&self) -> bool {
        self.screens.iter().all(|screen| screen.in_parts)
    }

    fn take(&mut self, part: Option<ScreenRect>) -> Result<Screenshot, DesktopError> {
        let failed = |error| DesktopError::Capture(with_advice(error));
        self.layout.picture(part, |number, part| self.screens[number].capture(part).map_err(failed))
    }
}

impl Screen {
    /// On X11 the mouse's units are pixels, but xcap divides a monitor's geometry by the font scale; elsewhere its
    /// geometry is the mouse's.
    /// Pixels per unit are measured, never believed.
    fn new(monitor: Monitor) -> Result<(Self, f64), XCapError> {
        let picture = monitor.capture_image()?;
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
        let scale = f64::from(picture.width()) / f64::from(place.width.max(1));
        Ok((Self { monitor, place, in_parts }, scale))
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

/// What is done by a library that panics where a compositor lacks a protocol (libwayshot, after the portal gave it no picture).
fn without_panic<T>(act: impl FnOnce() -> Result<T, XCapError>) -> Result<T, XCapError> {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let outcome = panic::catch_unwind(AssertUnwindSafe(act));
    panic::set_hook(hook);
    outcome.unwrap_or_else(|_| Err(XCapError::new("neither the desktop's portal nor the compositor gives a picture")))
}

fn is_wayland() -> bool {
    let says_wayland = |name: &str| std::env::var_os(name).is_some_and(|value| value == "wayland");
    says_wayland("XDG_SESSION_TYPE") || std::env::var_os("WAYLAND_DISPLAY").is_some()
}

fn with_advice(error: XCapError) -> String {
    let advice = if cfg!(target_os = "macos") {
        "allow this terminal under System Settings, Privacy & Security, Screen Recording"
    } else if cfg!(target_os = "linux") {
        "on Wayland the desktop asks whether the screen may be shared: say yes there; on X11, is DISPLAY set, and may this user use it?"
    } else {
        "is a user logged in at this screen?"
    };
    format!("{error}; {advice}")
}
