//! Which windows show.

use super::{Desktop, Window};
use crate::geometry::{Pixel, Rect};
use crate::screenshot::Screenshot;
use std::collections::BTreeMap;

/// Pixels between the points at which it is asked which window is there.
const PROBE: usize = 24;

/// A window on the screen: how many of the points that were asked for are its, and the box around them, in pixels of the screen.
pub struct Shown {
    /// Which.
    pub window: Window,
    /// Points.
    pub points: usize,
    /// The box.
    pub place: Rect,
}

/// The windows that show, as far as the system tells.
pub fn shown<D: Desktop>(desktop: &mut D, screen: &Screenshot) -> Vec<Shown> {
    let (width, height) = screen.pixels.dimensions();
    let mut all: BTreeMap<(u64, u64), (Window, usize, [u32; 4])> = BTreeMap::new();
    for (x, y) in (0..height).step_by(PROBE).flat_map(|y| (0..width).step_by(PROBE).map(move |x| (x, y))) {
        let at = screen.to_screen(Pixel { x: f64::from(x), y: f64::from(y) });
        let Some(window) = desktop.window_at(at).filter(|window| window.id != Window::NONE.id) else { continue };
        let key = (window.id, window.program);
        let (_, points, [left, top, right, bottom]) = all.entry(key).or_insert((window, 0, [x, y, x, y]));
        *points += 1;
        (*left, *top, *right, *bottom) = ((*left).min(x), (*top).min(y), (*right).max(x), (*bottom).max(y));
    }
    // The frame of a window is another program's: that of whoever manages windows.
    let most = |id: u64| all.range((id, 0)..=(id, u64::MAX)).map(|(_, (_, points, _))| *points).max();
    let is_whole = |(window, points, _): &&(Window, usize, _)| most(window.id) == Some(*points);
    let shown = all.values().filter(is_whole).map(|&(window, points, [left, top, right, bottom])| Shown {
        window,
        points,
        place: Rect { left, top, width: right + 1 - left, height: bottom + 1 - top },
    });
    shown.collect()
}
