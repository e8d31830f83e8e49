//! Capture from a Wayland compositor of the wlroots family, through a kept connection and shared memory.

use super::Capture;
use super::layout::Layout;
use crate::desktop::wayland::Compositor;
use crate::desktop::{DesktopError, ScreenRect};
use crate::screenshot::Screenshot;

/// Pictures of a compositor's outputs.
pub struct Screencopy(Compositor);

impl Screencopy {
    /// Connects, and takes a first picture.
    pub fn open() -> Result<Self, String> {
        let mut compositor = Compositor::connect()?;
        let place = *compositor.places().first().ok_or("the compositor has no output")?;
        compositor.capture(0, ScreenRect { width: 1, height: 1, ..place })?;
        Ok(Self(compositor))
    }
}

impl Capture for Screencopy {
    fn name(&self) -> String {
        "wlr-screencopy and shared memory".into()
    }

    fn monitors(&self) -> Vec<ScreenRect> {
        self.0.places()
    }

    /// A compositor that draws the pointer itself, as without a graphics card, draws it into every picture.
    fn has_pointer(&self) -> bool {
        true
    }

    fn take(&mut self, part: Option<ScreenRect>) -> Result<Screenshot, DesktopError> {
        self.0.sync().map_err(DesktopError::Capture)?; // outputs come and go
        let layout = Layout { places: self.0.places(), scale: 1.0 };
        layout.picture(part, |number, part| self.0.capture(number, part).map_err(DesktopError::Capture))
    }
}
