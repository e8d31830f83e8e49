//! Capture on Windows through GDI and a device context that is kept: only the part that is wanted is copied.

use super::Capture;
use crate::desktop::{DesktopError, ScreenRect, everything};
use crate::geometry::ScreenPoint;
use crate::screenshot::Screenshot;
use image::RgbaImage;
use winsafe::guard::DeleteObjectGuard;
use winsafe::prelude::Handle;
use winsafe::{BITMAPINFO, HBITMAP, HDC, HWND, POINT, SIZE, SysResult, co};

/// All monitors together, as one picture of pixels.
pub struct Gdi {
    /// Both are kept for as long as the program runs.
    screen: HDC,
    memory: HDC,
    /// The last bitmap copied to, with its width and height.
    bitmap: Option<(i32, i32, DeleteObjectGuard<HBITMAP>)>,
}

impl Gdi {
    /// Needs a session with a screen.
    pub fn open() -> Result<Self, String> {
        let open = || -> SysResult<Self> {
            let screen = HWND::DESKTOP.GetDC()?.leak();
            let memory = screen.CreateCompatibleDC()?.leak();
            Ok(Self { screen, memory, bitmap: None })
        };
        let mut gdi = open().map_err(failed)?;
        let monitors = gdi.monitors();
        let first = monitors.first().ok_or("no monitor was found")?;
        gdi.copy(ScreenRect { width: 1, height: 1, ..*first }).map_err(failed)?;
        Ok(gdi)
    }

    fn copy(&mut self, part: ScreenRect) -> SysResult<Vec<u8>> {
        let (width, height) = (part.width as i32, part.height as i32);
        if self.bitmap.as_ref().is_none_or(|(wide, high, _)| (*wide, *high) != (width, height)) {
            self.bitmap = Some((width, height, self.screen.CreateCompatibleBitmap(width, height)?));
        }
        let Some((.., bitmap)) = &self.bitmap else { return Err(co::ERROR::OUTOFMEMORY) };
        {
            let _selected = self.memory.SelectObject(&**bitmap)?;
            let from = POINT::with(part.corner.x, part.corner.y);
            self.memory.BitBlt(POINT::new(), SIZE::with(width, height), &self.screen, from, co::ROP::SRCCOPY)?;
        }
        let mut format = BITMAPINFO::default();
        format.bmiHeader.biWidth = width;
        format.bmiHeader.biHeight = -height; // the uppermost line first
        format.bmiHeader.biPlanes = 1;
        format.bmiHeader.biBitCount = 32;
        format.bmiHeader.biCompression = co::BI::RGB;
        let mut bytes = vec![0; part.width as usize * part.height as usize * 4];
        // SAFETY: lines of `width` pixels of four bytes, `height` of them, are what `bytes` has room for.
        unsafe {
            self.screen.GetDIBits(bitmap, 0, part.height, Some(&mut bytes), &mut format, co::DIB::RGB_COLORS)?;
        }
        Ok(bytes)
    }
}

impl Capture for Gdi {
    fn name(&self) -> String {
        "GDI and a kept device context".into()
    }

    fn monitors(&self) -> Vec<ScreenRect> {
        let mut found = Vec::new();
        let all = HDC::NULL.EnumDisplayMonitors(None, |_, _, place| {
            let corner = ScreenPoint { x: place.left, y: place.top };
            let (width, height) = (place.right - place.left, place.bottom - place.top);
            found.push(ScreenRect { corner, width: width as u32, height: height as u32 });
            true
        });
        if let Err(error) = all {
            log::info!("not all monitors are known: {error}");
        }
        found
    }

    fn take(&mut self, part: Option<ScreenRect>) -> Result<Screenshot, DesktopError> {
        let all = everything(&self.monitors());
        let wanted = part.map_or(Some(all), |part| part.overlap(all));
        let wanted = wanted.ok_or_else(|| DesktopError::Capture("that part lies outside of every monitor".into()))?;
        let mut bytes = self.copy(wanted).map_err(|error| DesktopError::Capture(failed(error)))?;
        for pixel in bytes.chunks_exact_mut(4) {
            pixel.swap(0, 2);
            pixel[3] = 255;
        }
        let pixels = RgbaImage::from_raw(wanted.width, wanted.height, bytes)
            .ok_or_else(|| DesktopError::Capture("too few pixels came".into()))?;
        Ok(Screenshot { pixels, origin: wanted.corner, scale: 1.0 })
    }
}

fn failed(error: co::ERROR) -> String {
    format!("{error}; is a user logged in at this screen, and is it unlocked?")
}
