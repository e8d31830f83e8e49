//! Which windows show.

use super::{Desktop, Window};
use crate::geometry::{Pixel, Rect, ScreenPoint};
use crate::screenshot::Screenshot;
use std::collections::BTreeMap;
use std::ops::Range;

/// Pixels between the points at which it is asked which window is there.
const PROBE: usize = 24;
/// How high a title is that a window draws itself, how far below its top a frame shows, and how high a frame is at most, in the mouse's units.
const TITLE: i32 = 34;
const FRAME: i32 = 3;
const FRAMED: i32 = 80;
/// How high the controls are that a browser has above its pages, below such a frame, in the mouse's units: tabs and address are 87 high in Chromium.
const CONTROLS: i32 = 96;
/// How far a window reaches beyond a point of it, at most, in the mouse's units.
const WIDEST: i32 = 1 << 14;

/// A window on the screen: how many of the points that were asked for are its, and the box around them, in pixels of the screen.
pub struct Shown {
    /// Which.
    pub window: Window,
    /// Points.
    pub points: usize,
    /// The box.
    pub place: Rect,
}

/// Where the client's own part of a window begins, down the screen in the mouse's units: below the frame that stands around it, which belongs to whoever
/// manages windows, or where there is none below what may be its title; and where its program shows more than the client, as a browser does, below the
/// controls that it has above its pages. `x`: where on the screen, across, the window shows.
pub fn below_title<D: Desktop>(desktop: &mut D, window: Window, x: i32) -> i32 {
    let top = window.corner.y;
    let mut at = |by: i32| desktop.window_at(ScreenPoint { x, y: top.saturating_add(by) });
    let is_framed = at(FRAME).is_some_and(|found| found.id == window.id && found.program != window.program);
    let below = is_framed.then(|| (FRAME..FRAMED).find(|&by| at(by) == Some(window))).flatten();
    let program = desktop.program_of(window);
    let is_alone = program.is_none_or(|program| desktop.is_alone(&program));
    top.saturating_add(if is_alone { below.unwrap_or(TITLE) } else { below.unwrap_or(0) + CONTROLS })
}

/// From where to where across the screen, in the mouse's units, a window shows on both sides of a point of it.
pub fn across<D: Desktop>(desktop: &mut D, window: Window, at: ScreenPoint) -> Range<i32> {
    let mut end = |way: i32| {
        let mut shows = |by: i32| {
            let beside = ScreenPoint { x: at.x.saturating_add(way * by), ..at };
            desktop.window_at(beside).is_some_and(|found| found.id == window.id)
        };
        let (mut there, mut beyond) = (0, 1);
        while beyond < WIDEST && shows(beyond) {
            (there, beyond) = (beyond, 2 * beyond);
        }
        while beyond - there > 1 {
            let middle = there.midpoint(beyond);
            if shows(middle) { there = middle } else { beyond = middle }
        }
        at.x.saturating_add(way * there)
    };
    let (first, last) = (end(-1), end(1));
    first..last.saturating_add(1)
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
    let wholes: Vec<_> = all.values().filter(is_whole).copied().collect();
    let mut shown = Vec::new();
    for (window, points, [left, top, right, bottom]) in wholes {
        let (x, y) = (left.midpoint(right), top.midpoint(bottom));
        let mut beyond =
            |from: (u32, u32), step: (i64, i64)| u32::try_from(reach(desktop, screen, window, from, step)).unwrap_or(0);
        let (left, right) = (left - beyond((left, y), (-1, 0)), right + beyond((right, y), (1, 0)));
        let (top, bottom) = (top - beyond((x, top), (0, -1)), bottom + beyond((x, bottom), (0, 1)));
        let place = Rect { left, top, width: right + 1 - left, height: bottom + 1 - top };
        shown.push(Shown { window, points, place });
    }
    shown
}

/// How many pixels further than `from` a window shows in the direction of `step`, up to the next point that was asked for.
fn reach<D: Desktop>(desktop: &mut D, screen: &Screenshot, window: Window, from: (u32, u32), step: (i64, i64)) -> i64 {
    let (width, height) = screen.pixels.dimensions();
    let mut is_there = |by: i64| {
        let (x, y) = (i64::from(from.0) + step.0 * by, i64::from(from.1) + step.1 * by);
        let is_on_screen = (0..i64::from(width)).contains(&x) && (0..i64::from(height)).contains(&y);
        is_on_screen && desktop.window_at(screen.to_screen(Pixel { x: x as f64, y: y as f64 })) == Some(window)
    };
    if !is_there(0) {
        return 0;
    }
    let (mut there, mut beyond) = (0, PROBE as i64);
    while beyond - there > 1 {
        let middle = there.midpoint(beyond);
        if is_there(middle) { there = middle } else { beyond = middle }
    }
    there
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::bundled;
    use crate::desktop::simulated::{Plan, Simulated, Skin};
    use crate::geometry::BoardSize;
    use std::time::Duration;

    #[test]
    fn what_a_browser_has_above_its_page_is_none_of_the_clients() {
        let begins = |has_others: bool| {
            let client = bundled().unwrap().swap_remove(0);
            let skin = Skin::of(&client.themes[0]);
            let mut plan = Plan::new(BoardSize::new(9, 9), 10, skin.natural_pitch(), 1).with_room();
            (plan.faults.has_others, plan.faults.starts_in) = (has_others, Some(Duration::from_secs(1)));
            let mut desktop = Simulated::new(client, skin, plan).unwrap();
            let screen = desktop.look(None).unwrap();
            let [found] = &shown(&mut desktop, &screen)[..] else { panic!("one window") };
            let Window { corner, .. } = found.window;
            below_title(&mut desktop, found.window, corner.x + 9) - corner.y
        };
        assert_eq!((begins(false), begins(true)), (TITLE, CONTROLS));
    }

    #[test]
    fn a_window_is_known_to_the_pixel() {
        let client = bundled().unwrap().swap_remove(0);
        let skin = Skin::of(&client.themes[0]);
        let plan = Plan::new(BoardSize::new(9, 9), 10, skin.natural_pitch(), 1).with_room();
        let mut desktop = Simulated::new(client, skin, plan).unwrap();
        let screen = desktop.look(None).unwrap();
        let [found] = &shown(&mut desktop, &screen)[..] else { panic!("one window") };
        let Rect { left, top, width, height } = found.place;
        let at = screen.to_screen(found.place.center());
        assert_eq!(across(&mut desktop, found.window, at), left as i32..(left + width) as i32);
        let mut is_its = |x: u32, y: u32| {
            let at = screen.to_screen(Pixel { x: f64::from(x), y: f64::from(y) });
            desktop.window_at(at) == Some(found.window)
        };
        for (x, y) in [(left, top), (left + width - 1, top + height - 1)] {
            assert!(is_its(x, y), "{x},{y}");
        }
        for (x, y) in [(left - 1, top), (left, top - 1), (left + width, top), (left, top + height)] {
            assert!(!is_its(x, y), "{x},{y}");
        }
    }
}
