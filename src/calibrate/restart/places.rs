//! Where what begins a new game may be: what stands around a board, or is written there.

use crate::calibrate::around::spot;
use crate::calibrate::controls::{self, INK, buttons_in, commonest, differ, lettering};
use crate::calibrate::explore::Explorer;
use crate::calibrate::fields::fields;
use crate::client::Step;
use crate::desktop::windows::{Shown, across, below_title, shown};
use crate::desktop::{Desktop, DesktopError, Window};
use crate::geometry::{Pixel, Rect, ScreenPoint};
use image::RgbaImage;
use std::ops::{Range, RangeInclusive};

/// How large a button beside a board is at least, in pixels, and at most, in pixels or tiles, whichever is more: to what is drawn for a whole
/// screen belong large buttons.
const SMALLEST: [u32; 2] = [24, 12];
const LARGEST: [(u32, f64); 2] = [(260, 5.0), (80, 1.5)];
/// Places around the board that are tried.
pub(super) const PLACES: usize = 6;
/// Words that are tried for menus. Width of a word, in its heights, at least, and its size, in pixels.
const WORDS: usize = 4;
const WORDY: u32 = 2;
pub(super) const WORD: [RangeInclusive<u32>; 2] = [16..=160, 6..=28];
/// How wide words on a button are, in pixels, and how many of them are tried.
const LABEL: RangeInclusive<u32> = 14..=260;
const LABELS: usize = 8;
/// How high above a board words are looked for, in tiles.
const HIGH: f64 = 6.0;

/// How wide and high buttons beside a board of such a pitch may be, in pixels.
fn sizes(pitch: (f64, f64)) -> [RangeInclusive<u32>; 2] {
    let size = |at: usize, pitch: f64| SMALLEST[at]..=LARGEST[at].0.max((LARGEST[at].1 * pitch) as u32);
    [size(0, pitch.0), size(1, pitch.1)]
}

/// Something that stands in the middle above the board, within four tiles, on a plain ground.
pub(super) fn above<D: Desktop>(explorer: &Explorer<D>) -> Option<Rect> {
    let bounds = explorer.grid.bounds();
    let picture = &explorer.shot.pixels;
    let (_, down) = explorer.grid.pitch();
    let middle = bounds.left + bounds.width / 2;
    let first = bounds.top.saturating_sub((4.0 * down).max(70.0) as u32);
    let busy: Vec<u32> = (first..bounds.top).filter(|&y| is_busy(picture, middle, y)).collect();
    // A face may be a disc of one colour.
    let pixel = |y: u32| picture.get_pixel_checked(middle, y).map(|pixel| pixel.0);
    let ground = commonest((first..bounds.top).filter_map(pixel)).first().copied();
    let stands_out = |y: &u32| pixel(*y).zip(ground).is_some_and(|(pixel, ground)| differ(pixel, ground, INK));
    let other: Vec<u32> = (first..bounds.top).filter(stands_out).collect();
    let is_large = |(from, to): &(u32, u32)| to - from >= 8;
    let (from, to) = longest(busy).filter(is_large).or_else(|| longest(other).filter(is_large))?;
    Some(Rect { left: middle.saturating_sub(2), top: from, width: 5, height: to - from + 1 })
}

/// The longest stretch of rows, with gaps of a few pixels.
fn longest(rows: Vec<u32>) -> Option<(u32, u32)> {
    let mut best: Option<(u32, u32)> = None;
    let mut run: Option<(u32, u32)> = None;
    for y in rows {
        run = Some(match run {
            Some((from, to)) if y - to <= 4 => (from, y),
            _ => (y, y),
        });
        if let Some((from, to)) = run
            && best.is_none_or(|(a, b)| to - from > b - a)
        {
            best = Some((from, to));
        }
    }
    best
}

/// What may be buttons beside and below the board, in its window, the nearest to its middle first.
pub(super) fn buttons<D: Desktop>(explorer: &Explorer<D>) -> Vec<Rect> {
    let (picture, bounds) = (&explorer.shot.pixels, explorer.grid.bounds());
    let ends = |at: u32, length: u32| at..at + length;
    let is_board =
        |x: u32, y: u32| ends(bounds.left, bounds.width).contains(&x) && ends(bounds.top, bounds.height).contains(&y);
    let is_in = |x: u32, y: u32| y >= bounds.top && !is_board(x, y);
    let mut rects = buttons_in(picture, &is_in, &sizes(explorer.grid.pitch()));
    let middle = Rect { left: bounds.left + bounds.width / 2, top: bounds.top + bounds.height, width: 1, height: 1 };
    let far = |rect: &Rect| (rect.center().x - middle.center().x).hypot(rect.center().y - middle.center().y);
    rects.sort_by(|one, other| far(one).total_cmp(&far(other)));
    rects.dedup();
    rects.truncate(PLACES);
    rects
}

/// What may be buttons above the board that did not change, the nearest to its middle first: in the client's own window and below what may be
/// its title, as far as the system tells of windows at all.
pub(super) fn buttons_above<D: Desktop>(explorer: &mut Explorer<D>) -> Vec<Rect> {
    let Some(window) = explorer.window() else { return Vec::new() };
    let own = inside_of(explorer, window);
    let (picture, bounds) = (&explorer.shot.pixels, explorer.grid.bounds());
    let first = f64::from(bounds.top) - HIGH * explorer.grid.pitch().1;
    // What touches the edge of the window is a button of its own, and not one with all that is beyond.
    let is_in = |x: u32, y: u32| y < bounds.top && f64::from(y) >= first.max(own.y) && f64::from(x) >= own.x;
    let mut rects = buttons_in(picture, &is_in, &sizes(explorer.grid.pitch()));
    let middle = f64::from(bounds.left) + f64::from(bounds.width) / 2.0;
    let far = |rect: &Rect| (rect.center().x - middle).hypot(rect.center().y - f64::from(bounds.top));
    rects.sort_by(|one, other| far(one).total_cmp(&far(other)));
    rects.dedup();
    rects.retain(|rect| is_in_window(explorer, window, rect));
    rects.truncate(PLACES);
    rects
}

/// Where the client's own part of its window begins, in the picture: below what may be its title.
fn inside_of<D: Desktop>(explorer: &mut Explorer<D>, window: Window) -> Pixel {
    let x = explorer.shot.to_screen(explorer.grid.origin()).x;
    let y = below_title(explorer.desktop, window, x);
    explorer.shot.to_pixel(ScreenPoint { x: window.corner.x, y })
}

/// From where to where across the picture the window shows that the board is in: what lies behind it says nothing of the ground that words stand on.
fn across_window<D: Desktop>(explorer: &mut Explorer<D>) -> Range<u32> {
    let width = explorer.shot.pixels.width();
    let Some(window) = explorer.window() else { return 0..width };
    let middle = explorer.shot.to_screen(explorer.grid.bounds().center());
    let Range { start, end } = across(explorer.desktop, window, middle);
    let pixel = |x: i32| explorer.shot.to_pixel(ScreenPoint { x, ..middle }).x.clamp(0.0, f64::from(width)) as u32;
    pixel(start)..pixel(end)
}

/// Down to where in the picture a browser has controls of its own, above its page: nothing there is the client's.
pub(super) fn controls_end<D: Desktop>(explorer: &mut Explorer<D>) -> f64 {
    let window = explorer.window().filter(|_| !explorer.desktop.client_is_alone());
    window.map_or(f64::NEG_INFINITY, |window| inside_of(explorer, window).y)
}

/// Whether what is at a place of the picture is the client's own window.
fn is_in_window<D: Desktop>(explorer: &mut Explorer<D>, window: Window, rect: &Rect) -> bool {
    let found = explorer.desktop.window_at(explorer.shot.to_screen(rect.center()));
    found.is_some_and(|found| found.id == window.id && found.program == window.program)
}

/// What may be words of a menu above the board, from its left half on, the nearest to its top left corner first: the bar of a menu is below that
/// of the window, which is none of the client's.
pub(super) fn words<D: Desktop>(explorer: &mut Explorer<D>) -> Vec<Rect> {
    let own = across_window(explorer);
    let (picture, bounds) = (&explorer.shot.pixels, explorer.grid.bounds());
    let first = bounds.top.saturating_sub((HIGH * explorer.grid.pitch().1) as u32);
    let left = bounds.left.saturating_sub(bounds.width / 4).max(own.start);
    let across = left..(bounds.left + bounds.width / 2).min(own.end);
    let mut rects: Vec<Rect> = lettering(picture, &across, first..bounds.top, &WORD[1]);
    rects.retain(|rect| {
        WORD[0].contains(&rect.width) && WORD[1].contains(&rect.height) && rect.width >= WORDY * rect.height
    });
    let far = |rect: &Rect| (rect.left.abs_diff(bounds.left), bounds.top - rect.top);
    rects.sort_by_key(far);
    rects.dedup();
    rects.truncate(WORDS);
    rects
}

/// What may be the words on buttons around the board, in the client's own window, the nearest to the board first: buttons that touch each other
/// are one thing by their borders, and of some there is nothing to be seen but what is written on them.
pub(super) fn labels<D: Desktop>(explorer: &mut Explorer<D>) -> Vec<Rect> {
    let Some(window) = explorer.window() else { return Vec::new() };
    let (own, Range { start, end }) = (inside_of(explorer, window), across_window(explorer));
    let (picture, bounds) = (&explorer.shot.pixels, explorer.grid.bounds());
    let (right, bottom) = (bounds.left + bounds.width, bounds.top + bounds.height);
    let sides = [
        (right..end, bounds.top..bottom),
        (start..bounds.left, bounds.top..bottom),
        (start..end, bottom..picture.height()),
        (start..end, 0..bounds.top),
    ];
    let mut rects = Vec::new();
    for (across, down) in sides {
        rects.extend(controls::words(lettering(picture, &across, down, &WORD[1])));
    }
    rects.retain(|rect| LABEL.contains(&rect.width) && WORD[1].contains(&rect.height) && rect.width >= rect.height);
    rects.retain(|rect| rect.center().y > own.y && is_in_window(explorer, window, rect));
    let far = |rect: &Rect| {
        let Pixel { x, y } = rect.center();
        let beside = |at: f64, from: u32, to: u32| (f64::from(from) - at).max(at - f64::from(to)).max(0.0);
        beside(x, bounds.left, right).hypot(beside(y, bounds.top, bottom))
    };
    rects.sort_by(|one, other| far(one).total_cmp(&far(other)));
    rects.truncate(LABELS);
    rects
}

/// Whether a picture changes around a point from side to side.
fn is_busy(picture: &RgbaImage, x: u32, y: u32) -> bool {
    let mut pixels = (x.saturating_sub(12)..x + 12).filter_map(|x| picture.get_pixel_checked(x, y));
    let first = pixels.next();
    pixels.any(|pixel| Some(pixel) != first)
}

/// The fields of the page in the board's window, which it may lose where it is loaded again, as clicks: what is clicked is typed into then.
pub(super) fn fields_of<D: Desktop>(explorer: &mut Explorer<D>) -> Result<Vec<Step>, DesktopError> {
    let Some(window) = explorer.window() else { return Ok(Vec::new()) };
    let screen = explorer.desktop.look(None)?;
    let shown = shown(explorer.desktop, &screen);
    let is_its = |shown: &Shown| (shown.window.id, shown.window.program) == (window.id, window.program);
    let Some(page) = shown.into_iter().find(is_its).map(|shown| shown.place) else { return Ok(Vec::new()) };
    let board = explorer.grid_on(&screen).bounds();
    let is_beside = |x: u32, y: u32| {
        let at = Pixel { x: f64::from(x), y: f64::from(y) };
        page.contains(at) && !board.contains(at)
    };
    let found = fields(&screen.pixels, &is_beside);
    log::debug!("fields of the page, which it may lose: {found:?}");
    let click =
        |rect: &Rect| Step::Click(spot(&explorer.grid, explorer.shot.to_pixel(screen.to_screen(rect.center()))));
    Ok(found.iter().map(click).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgba;

    #[test]
    fn buttons_are_as_large_as_tiles_make_them() {
        let picture = RgbaImage::from_fn(700, 300, |x, y| {
            let is_button = (300..600).contains(&x) && (100..200).contains(&y);
            Rgba(if is_button { [200, 200, 255, 255] } else { [0, 0, 0, 255] })
        });
        let found = |pitch: f64| buttons_in(&picture, &|_, _| true, &sizes((pitch, pitch)));
        let is_it = |rect: &Rect| rect.contains(Pixel { x: 450.0, y: 150.0 }) && rect.width <= 308;
        assert!(found(75.0).iter().any(is_it));
        assert!(found(20.0).is_empty(), "beside small tiles it is a panel");
    }

    #[test]
    fn words_on_buttons_that_touch_are_found() {
        // Three buttons of different width, one below the other without a gap, each with four letters in dark.
        let buttons = [(20u32, 200u32), (45, 175), (60, 160)];
        let picture = RgbaImage::from_fn(220, 110, |x, y| {
            let row = (y / 30) as usize;
            let Some((left, right)) = buttons.get(row).copied() else { return Rgba([238, 238, 238, 255]) };
            let v = y % 30;
            let is_border = [left, right].contains(&x) || [0, 29].contains(&v) && (left..=right).contains(&x);
            let is_letter = (90..122).contains(&x) && (x - 90) % 8 < 5 && (9..21).contains(&v);
            let light = if is_letter {
                30
            } else if is_border {
                130
            } else {
                238
            };
            Rgba([light, light, light, 255])
        });
        let across = 0..220;
        let found = controls::words(lettering(&picture, &across, 0..110, &WORD[1]));
        for row in 0..3 {
            let center = Pixel { x: 105.0, y: 30.0 * f64::from(row) + 15.0 };
            let is_it = |rect: &Rect| rect.contains(center) && LABEL.contains(&rect.width) && rect.height <= 28;
            assert!(found.iter().any(is_it), "{row}: {found:?}");
        }
        // Of a board that was moved partly out of the picture.
        let beyond = controls::words(lettering(&picture, &(0..300), 0..200, &WORD[1]));
        assert_eq!(beyond, found);
        assert!(lettering(&picture, &(250..300), 150..200, &WORD[1]).is_empty());
        assert!(is_busy(&picture, 100, 15) && !is_busy(&picture, 300, 15) && !is_busy(&picture, 100, 150));
    }
}
