//! A Wayland compositor of the wlroots family (sway, labwc, Wayfire, river, Hyprland) asked for pictures of its outputs.

mod memory;

use crate::geometry::{ScreenPoint, ScreenRect};
use image::{RgbaImage, imageops};
use memory::{Memory, Shape};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::time::{Duration, Instant};
use wayland_client::globals::{GlobalListContents, registry_queue_init};
use wayland_client::protocol::wl_output::{self, Transform, WlOutput};
use wayland_client::protocol::{wl_buffer::WlBuffer, wl_registry, wl_shm, wl_shm_pool::WlShmPool};
use wayland_client::{Connection, Dispatch, EventQueue, Proxy, QueueHandle, WEnum, delegate_noop};
use wayland_protocols::xdg::xdg_output::zv1::client::zxdg_output_manager_v1::ZxdgOutputManagerV1;
use wayland_protocols::xdg::xdg_output::zv1::client::zxdg_output_v1::{self, ZxdgOutputV1};
use wayland_protocols_wlr::screencopy::v1::client::zwlr_screencopy_frame_v1::{self, ZwlrScreencopyFrameV1};
use wayland_protocols_wlr::screencopy::v1::client::zwlr_screencopy_manager_v1::ZwlrScreencopyManagerV1;

/// A connection of one's own. The mouse's unit is a pixel of the finest output: the compositor's own unit, a point, is
/// too coarse to hit a pixel on a scaled output.
pub struct Compositor {
    queue: EventQueue<State>,
    #[cfg(feature = "wayland")]
    globals: wayland_client::globals::GlobalList,
    screencopy: ZwlrScreencopyManagerV1,
    /// What it has said.
    pub state: State,
    memory: Memory,
}

/// What the compositor has said until now.
pub struct State {
    outputs: Vec<Output>,
    xdg: ZxdgOutputManagerV1,
    frame: Frame,
    /// Whether somebody used mouse or keyboard since this was last set back, as far as the compositor tells.
    #[cfg(feature = "wayland")]
    pub is_stirred: bool,
}

/// One monitor.
struct Output {
    name: u32,
    output: WlOutput,
    geometry: Geometry,
}

/// Where an output is, and how many pixels it has.
#[derive(Clone, Copy)]
struct Geometry {
    /// Its place in the compositor's points.
    corner: (i32, i32),
    size: (i32, i32),
    /// Its pixels, before they are turned.
    mode: (i32, i32),
    transform: Transform,
}

/// A picture that was asked for.
#[derive(Default)]
struct Frame {
    shape: Option<Shape>,
    is_flipped: bool,
    /// Whether it came, once that is known.
    came: Option<bool>,
}

/// A part of an output in whole points, and what of its picture was asked for.
struct Region {
    /// None: all of the output.
    points: Option<[i32; 4]>,
    crop: [u32; 4],
}

/// So long the compositor may take to answer. An output that is switched off never gives a picture.
const PATIENCE: Duration = Duration::from_secs(2);

impl Compositor {
    /// Connects to the compositor of this session.
    pub fn connect() -> Result<Self, String> {
        if !super::is_wayland() {
            return Err("WAYLAND_DISPLAY is not set".into());
        }
        let connection = Connection::connect_to_env().map_err(|error| {
            format!("{error}; is XDG_RUNTIME_DIR set, and is this the user whose session it is (not root)?")
        })?;
        let (globals, queue) = registry_queue_init::<State>(&connection).map_err(|error| error.to_string())?;
        let handle = queue.handle();
        let lacks = |what: &str| {
            format!(
                "this compositor does not offer {what}: it must be of the wlroots family (sway, labwc, Wayfire, river, \
                 Hyprland); under GNOME and KDE, log in to a session on X11 (Xorg)"
            )
        };
        let screencopy =
            globals.bind(&handle, 1..=3, ()).map_err(|_| lacks("pictures of the screen (wlr-screencopy)"))?;
        let xdg = globals.bind(&handle, 2..=3, ()).map_err(|_| lacks("the places of its outputs (xdg-output)"))?;
        let memory = Memory::new(globals.bind(&handle, 1..=1, ()).map_err(|_| lacks("shared memory"))?);
        let mut state = State {
            outputs: Vec::new(),
            xdg,
            frame: Frame::default(),
            #[cfg(feature = "wayland")]
            is_stirred: false,
        };
        for global in globals.contents().clone_list() {
            if global.interface == WlOutput::interface().name {
                state.add_output(globals.registry(), global.name, global.version, &handle);
            }
        }
        let mut compositor = Self {
            queue,
            #[cfg(feature = "wayland")]
            globals,
            screencopy,
            state,
            memory,
        };
        compositor.sync()?;
        if compositor.outputs().next().is_none() {
            return Err("the compositor has no output".into());
        }
        Ok(compositor)
    }

    /// Binds one more of the compositor's abilities.
    #[cfg(feature = "wayland")]
    pub fn bind<I: Proxy + 'static>(&self, versions: std::ops::RangeInclusive<u32>) -> Result<I, String>
    where
        State: Dispatch<I, ()>,
    {
        let bound = self.globals.bind(&self.queue.handle(), versions, ());
        bound.map_err(|_| format!("this compositor does not offer {}", I::interface().name))
    }

    /// What new objects hear their events through.
    #[cfg(feature = "wayland")]
    pub fn handle(&self) -> QueueHandle<State> {
        self.queue.handle()
    }

    /// Waits until the compositor has done all that it was asked for.
    pub fn sync(&mut self) -> Result<(), String> {
        self.queue.roundtrip(&mut self.state).map(drop).map_err(|error| format!("the compositor is gone: {error}"))
    }

    fn outputs(&self) -> impl Iterator<Item = &Output> {
        let is_known = |output: &&Output| output.geometry.size.0 > 0 && output.geometry.mode.0 > 0;
        self.state.outputs.iter().filter(is_known)
    }

    /// The mouse's units in a point.
    pub fn scale(&self) -> f64 {
        self.outputs().map(|output| output.geometry.scale()).fold(1.0, f64::max)
    }

    /// The outputs, in the mouse's units.
    pub fn places(&self) -> Vec<ScreenRect> {
        let scale = self.scale();
        let unit = |points: i32| (f64::from(points) * scale).round();
        let place = |Output { geometry, .. }: &Output| ScreenRect {
            corner: ScreenPoint { x: unit(geometry.corner.0) as i32, y: unit(geometry.corner.1) as i32 },
            width: unit(geometry.size.0) as u32,
            height: unit(geometry.size.1) as u32,
        };
        self.outputs().map(place).collect()
    }

    /// A part of an output, in its own pixels, without the pointer where the compositor can leave it out. The part is in the mouse's
    /// units, and lies on it.
    pub fn capture(&mut self, number: usize, part: ScreenRect) -> Result<RgbaImage, String> {
        let place = *self.places().get(number).ok_or("that output is gone")?;
        let finest = self.scale();
        let handle = self.queue.handle();
        let output = self.outputs().nth(number).ok_or("that output is gone")?;
        let (transform, region) = (output.geometry.transform, output.geometry.region(part, place, finest));
        let (pointer, output) = (0, &output.output);
        let frame = match region.points {
            None => self.screencopy.capture_output(pointer, output, &handle, ()),
            Some([x, y, width, height]) => {
                self.screencopy.capture_output_region(pointer, output, x, y, width, height, &handle, ())
            }
        };
        self.state.frame = Frame::default();
        let picture = self.copied(&frame);
        frame.destroy();
        let picture = turned(picture?, transform);
        let [x, y, width, height] = region.crop;
        let is_all = (0, 0, picture.width(), picture.height()) == (x, y, width, height);
        Ok(if is_all { picture } else { imageops::crop_imm(&picture, x, y, width, height).to_image() })
    }

    fn copied(&mut self, frame: &ZwlrScreencopyFrameV1) -> Result<RgbaImage, String> {
        let until = Instant::now() + PATIENCE;
        while self.state.frame.shape.is_none() && self.state.frame.came.is_none() {
            self.wait(until)?;
        }
        if let Some(shape) = self.state.frame.shape {
            frame.copy(self.memory.buffer(shape, &self.queue.handle())?);
        }
        while self.state.frame.came.is_none() {
            self.wait(until)?;
        }
        if self.state.frame.came != Some(true) {
            return Err("the compositor gives no picture: is the session locked, or the output switched off?".into());
        }
        let picture = self.memory.picture()?;
        Ok(if self.state.frame.is_flipped { imageops::flip_vertical(&picture) } else { picture })
    }

    /// Hears what the compositor has to say, for a limited time.
    fn wait(&mut self, until: Instant) -> Result<(), String> {
        let gone = |error: String| format!("the compositor is gone: {error}");
        self.queue.flush().map_err(|error| gone(error.to_string()))?;
        if self.queue.dispatch_pending(&mut self.state).map_err(|error| gone(error.to_string()))? > 0 {
            return Ok(());
        }
        let Some(guard) = self.queue.prepare_read() else { return Ok(()) };
        let left = until.saturating_duration_since(Instant::now());
        let left = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: left.subsec_nanos().into() };
        let ready = poll(&mut [PollFd::new(&guard.connection_fd(), PollFlags::IN)], Some(&left));
        match ready {
            Ok(0) => Err("the compositor does not answer: is the output switched off?".into()),
            Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(gone(error.to_string())),
            Ok(_) => {
                guard.read().map_err(|error| gone(error.to_string()))?;
                self.queue.dispatch_pending(&mut self.state).map(drop).map_err(|error| gone(error.to_string()))
            }
        }
    }
}

impl Geometry {
    fn is_turned(&self) -> bool {
        matches!(self.transform, Transform::_90 | Transform::_270 | Transform::Flipped90 | Transform::Flipped270)
    }

    /// Its pixels, as a person sees them.
    fn pixels(&self) -> (i32, i32) {
        if self.is_turned() { (self.mode.1, self.mode.0) } else { self.mode }
    }

    /// Its pixels in a point.
    fn scale(&self) -> f64 {
        f64::from(self.pixels().0) / f64::from(self.size.0.max(1))
    }

    /// What must be asked for to get a part of it, in the mouse's units (`finest` in a point). The compositor cuts at whole points: where
    /// these are no whole pixels, more is asked for, up to the next points that are.
    fn region(&self, part: ScreenRect, place: ScreenRect, finest: f64) -> Region {
        let scale = self.scale();
        let own = |unit: i32| (f64::from(unit) / finest * scale).round() as i32;
        let (left, top) = (own(part.corner.x - place.corner.x), own(part.corner.y - place.corner.y));
        let (right, bottom) = (left + own(part.width as i32), top + own(part.height as i32));
        let crop = |x: i32, y: i32| [(left - x) as u32, (top - y) as u32, (right - left) as u32, (bottom - top) as u32];
        let (width, height) = self.pixels();
        // Scales are multiples of 1/120 (fractional-scale-v1).
        let whole = |points: &i32| (f64::from(*points) * scale).fract().abs() < 1e-6;
        let step = (1..=120).find(whole).filter(|_| self.transform == Transform::Normal);
        let Some(points) = step.filter(|_| (right - left, bottom - top) != (width, height)) else {
            return Region { points: None, crop: crop(0, 0) };
        };
        let pixels = (f64::from(points) * scale).round() as i32;
        let (first, above) = (left.div_euclid(pixels), top.div_euclid(pixels));
        let after = |pixel: i32| (pixel + pixels - 1).div_euclid(pixels);
        let (last, below) = (after(right), after(bottom));
        let end = |blocks: i32, size: i32| (blocks * points).min(size);
        let (x, y) = (first * points, above * points);
        let points = [x, y, end(last, self.size.0) - x, end(below, self.size.1) - y];
        Region { points: Some(points), crop: crop(first * pixels, above * pixels) }
    }
}

/// A picture as a person sees it on an output that is turned.
fn turned(picture: RgbaImage, transform: Transform) -> RgbaImage {
    let flipped = |picture| imageops::flip_horizontal(&picture);
    match transform {
        Transform::_90 => imageops::rotate90(&picture),
        Transform::_180 => imageops::rotate180(&picture),
        Transform::_270 => imageops::rotate270(&picture),
        Transform::Flipped => flipped(picture),
        Transform::Flipped90 => flipped(imageops::rotate90(&picture)),
        Transform::Flipped180 => flipped(imageops::rotate180(&picture)),
        Transform::Flipped270 => flipped(imageops::rotate270(&picture)),
        _ => picture,
    }
}

impl State {
    fn add_output(&mut self, registry: &wl_registry::WlRegistry, name: u32, version: u32, handle: &QueueHandle<Self>) {
        let output: WlOutput = registry.bind(name, version.min(3), handle, name);
        self.xdg.get_xdg_output(&output, handle, name);
        let none = (0, 0);
        let geometry = Geometry { corner: none, size: none, mode: none, transform: Transform::Normal };
        self.outputs.push(Output { name, output, geometry });
    }

    fn output(&mut self, name: u32) -> Option<&mut Geometry> {
        self.outputs.iter_mut().find(|output| output.name == name).map(|output| &mut output.geometry)
    }
}

impl Dispatch<wl_registry::WlRegistry, GlobalListContents> for State {
    fn event(
        state: &mut Self,
        registry: &wl_registry::WlRegistry,
        event: wl_registry::Event,
        _: &GlobalListContents,
        _: &Connection,
        handle: &QueueHandle<Self>,
    ) {
        match event {
            wl_registry::Event::Global { name, interface, version } if interface == WlOutput::interface().name => {
                state.add_output(registry, name, version, handle);
            }
            wl_registry::Event::GlobalRemove { name } => state.outputs.retain(|output| output.name != name),
            _ => {}
        }
    }
}

/// What is done about the events of one kind of object; the last argument is what the object was made with.
macro_rules! hear {
    ($kind:ty, $about:ty, $hear:expr) => {
        impl wayland_client::Dispatch<$kind, $about> for State {
            fn event(
                state: &mut Self,
                _: &$kind,
                event: <$kind as wayland_client::Proxy>::Event,
                about: &$about,
                _: &wayland_client::Connection,
                _: &wayland_client::QueueHandle<Self>,
            ) {
                let hear: fn(&mut State, <$kind as wayland_client::Proxy>::Event, &$about) = $hear;
                hear(state, event, about);
            }
        }
    };
}
#[cfg(feature = "wayland")]
pub(super) use hear;

hear!(WlOutput, u32, |state, event, name| {
    let Some(output) = state.output(*name) else { return };
    match event {
        wl_output::Event::Geometry { transform: WEnum::Value(transform), .. } => output.transform = transform,
        wl_output::Event::Mode { flags: WEnum::Value(flags), width, height, .. }
            if flags.contains(wl_output::Mode::Current) =>
        {
            output.mode = (width, height);
        }
        _ => {}
    }
});

hear!(ZxdgOutputV1, u32, |state, event, name| {
    let Some(output) = state.output(*name) else { return };
    match event {
        zxdg_output_v1::Event::LogicalPosition { x, y } => output.corner = (x, y),
        zxdg_output_v1::Event::LogicalSize { width, height } => output.size = (width, height),
        _ => {}
    }
});

hear!(ZwlrScreencopyFrameV1, (), |state, event, ()| {
    use zwlr_screencopy_frame_v1::{Event, Flags};
    let frame = &mut state.frame;
    match event {
        Event::Buffer { format: WEnum::Value(format), width, height, stride } => {
            frame.shape = Some(Shape { format, width, height, stride });
        }
        Event::Flags { flags: WEnum::Value(flags) } => frame.is_flipped = flags.contains(Flags::YInvert),
        Event::Ready { .. } => frame.came = Some(true),
        Event::Failed => frame.came = Some(false),
        _ => {}
    }
});

delegate_noop!(State: ZxdgOutputManagerV1);
delegate_noop!(State: ZwlrScreencopyManagerV1);
delegate_noop!(State: ignore wl_shm::WlShm);
delegate_noop!(State: WlShmPool);
delegate_noop!(State: ignore WlBuffer);

#[cfg(test)]
mod tests {
    use super::*;

    fn place(x: i32, y: i32, width: u32, height: u32) -> ScreenRect {
        ScreenRect { corner: ScreenPoint { x, y }, width, height }
    }

    fn geometry(mode: (i32, i32), size: (i32, i32)) -> Geometry {
        Geometry { corner: (0, 0), size, mode, transform: Transform::Normal }
    }

    /// What is asked for must hold the part, and be whole pixels.
    fn check(geometry: Geometry, part: ScreenRect) {
        let (width, height) = geometry.pixels();
        let region = geometry.region(part, place(0, 0, width as u32, height as u32), geometry.scale());
        let [x, y, wide, high] = region.points.map_or([0, 0, width, height].map(f64::from), |points| {
            points.map(|points| f64::from(points) * geometry.scale())
        });
        assert!(x.fract() == 0.0 && y.fract() == 0.0, "{:?}", region.points);
        assert_eq!(x as i32 + region.crop[0] as i32, part.corner.x);
        assert_eq!(y as i32 + region.crop[1] as i32, part.corner.y);
        assert_eq!((region.crop[2], region.crop[3]), (part.width, part.height));
        assert!(f64::from(region.crop[0] + part.width) <= wide && f64::from(region.crop[1] + part.height) <= high);
        assert!(x >= 0.0 && y >= 0.0 && x + wide <= f64::from(width) && y + high <= f64::from(height));
    }

    #[test]
    fn a_part_is_cut_out_of_whole_points() {
        for (mode, size) in [((1920, 1080), (1920, 1080)), ((1920, 1080), (1280, 720)), ((1920, 1080), (1536, 864))] {
            for part in [place(1, 1, 7, 5), place(300, 211, 401, 333), place(1900, 1000, 20, 80), place(0, 0, 1, 1)] {
                check(geometry(mode, size), part);
            }
        }
        // 1366 pixels at 1.25: the width in points is rounded, and so is the scale that follows from it.
        check(geometry((1366, 768), (1092, 614)), place(100, 100, 50, 50));
        let turned = Geometry { transform: Transform::_90, ..geometry((1920, 1080), (720, 1280)) };
        check(turned, place(17, 31, 100, 200));
    }

    #[test]
    fn at_scale_one_nothing_more_than_the_part_is_asked_for() {
        let all = place(0, 0, 1920, 1080);
        let region = geometry((1920, 1080), (1920, 1080)).region(place(13, 7, 99, 88), all, 1.0);
        assert_eq!(region.points, Some([13, 7, 99, 88]));
        assert_eq!(region.crop, [0, 0, 99, 88]);
        assert_eq!(geometry((1920, 1080), (1920, 1080)).region(all, all, 1.0).points, None);
    }
}
