//! Memory that the compositor writes a picture to. It is read as a file, which costs a copy that the picture needs anyway.

use super::State;
use image::RgbaImage;
use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
use std::fs::File;
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;
use wayland_client::QueueHandle;
use wayland_client::protocol::wl_buffer::WlBuffer;
use wayland_client::protocol::wl_shm::{Format, WlShm};
use wayland_client::protocol::wl_shm_pool::WlShmPool;

/// How a picture lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub format: Format,
    pub width: u32,
    pub height: u32,
    /// Bytes from one line to the next.
    pub stride: u32,
}

/// Room for one picture, kept for the next one.
pub struct Memory {
    shm: WlShm,
    room: Option<(File, WlShmPool, usize)>,
    buffer: Option<(Shape, WlBuffer)>,
}

impl Memory {
    /// No room yet.
    pub fn new(shm: WlShm) -> Self {
        Self { shm, room: None, buffer: None }
    }

    /// Room for a picture of this shape.
    pub fn buffer(&mut self, shape: Shape, handle: &QueueHandle<State>) -> Result<&WlBuffer, String> {
        let bytes = shape.stride as usize * shape.height as usize;
        if self.room.as_ref().is_none_or(|(_, _, room)| *room < bytes) {
            let failed = |error: rustix::io::Errno| format!("no memory for a picture: {error}");
            let memory = memfd_create("minesight", MemfdFlags::CLOEXEC).map_err(failed)?;
            ftruncate(&memory, bytes as u64).map_err(failed)?;
            let size = i32::try_from(bytes).map_err(|_| "the screen is too large".to_owned())?;
            let pool = self.shm.create_pool(memory.as_fd(), size, handle, ());
            if let Some((_, old, _)) = self.room.replace((File::from(memory), pool, bytes)) {
                old.destroy();
            }
            self.forget();
        }
        if self.buffer.as_ref().is_none_or(|(known, _)| *known != shape) {
            self.forget();
        }
        let Self { room: Some((_, pool, _)), buffer, .. } = self else { return Err("no memory".into()) };
        let (width, height, stride) = (shape.width as i32, shape.height as i32, shape.stride as i32);
        let made = || (shape, pool.create_buffer(0, width, height, stride, shape.format, handle, ()));
        Ok(&buffer.get_or_insert_with(made).1)
    }

    fn forget(&mut self) {
        if let Some((_, old)) = self.buffer.take() {
            old.destroy();
        }
    }

    /// The picture that was written.
    pub fn picture(&self) -> Result<RgbaImage, String> {
        let (Some((file, ..)), Some((shape, _))) = (&self.room, &self.buffer) else {
            return Err("no picture was asked for".into());
        };
        let mut bytes = vec![0; shape.stride as usize * shape.height as usize];
        file.read_exact_at(&mut bytes, 0).map_err(|error| error.to_string())?;
        shape.picture(bytes)
    }
}

impl Shape {
    /// What lies in memory, as a picture.
    fn picture(self, bytes: Vec<u8>) -> Result<RgbaImage, String> {
        let Self { format, width, height, stride } = self;
        let rgba: fn(u32) -> [u8; 4] = match format {
            Format::Xrgb8888 | Format::Argb8888 => |pixel| [(pixel >> 16) as u8, (pixel >> 8) as u8, pixel as u8, 255],
            Format::Xbgr8888 | Format::Abgr8888 => |pixel| [pixel as u8, (pixel >> 8) as u8, (pixel >> 16) as u8, 255],
            // Ten bits a colour, of which the eight upper ones are kept.
            Format::Xrgb2101010 | Format::Argb2101010 => {
                |pixel| [(pixel >> 22) as u8, (pixel >> 12) as u8, (pixel >> 2) as u8, 255]
            }
            Format::Xbgr2101010 | Format::Abgr2101010 => {
                |pixel| [(pixel >> 2) as u8, (pixel >> 12) as u8, (pixel >> 22) as u8, 255]
            }
            other => return Err(format!("the compositor's pixels are of a kind that is not known here: {other:?}")),
        };
        let mut pixels = Vec::with_capacity(width as usize * height as usize * 4);
        for line in bytes.chunks_exact(stride as usize).take(height as usize) {
            let line = line[..width as usize * 4].chunks_exact(4);
            pixels.extend(line.flat_map(|four| rgba(u32::from_le_bytes([four[0], four[1], four[2], four[3]]))));
        }
        RgbaImage::from_raw(width, height, pixels).ok_or_else(|| "the compositor wrote too few pixels".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_of_every_known_kind_become_the_same_picture() {
        let (red, green, blue) = (0xab_u32, 0xcd_u32, 0x12_u32);
        let packed = |a: u32, b: u32, c: u32, bits: u32| (a << (2 * bits) | b << bits | c).to_le_bytes();
        for (format, pixel) in [
            (Format::Xrgb8888, packed(red, green, blue, 8)),
            (Format::Abgr8888, packed(blue, green, red, 8)),
            (Format::Xrgb2101010, packed(red << 2, green << 2, blue << 2, 10)),
            (Format::Xbgr2101010, packed(blue << 2, green << 2, red << 2, 10)),
        ] {
            // Lines of two pixels with room for a third.
            let line = [pixel, pixel, [9; 4]].concat();
            let shape = Shape { format, width: 2, height: 2, stride: 12 };
            let picture = shape.picture([line.clone(), line].concat()).unwrap();
            assert!(picture.pixels().all(|found| found.0 == [0xab, 0xcd, 0x12, 255]), "{format:?}");
        }
        let strange = Shape { format: Format::Rgb565, width: 1, height: 1, stride: 4 };
        assert!(strange.picture(vec![0; 4]).is_err());
    }
}
