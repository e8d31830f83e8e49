//! Menus beside a board: a click on a word, and one on what that brings up below it.

use super::places::WORD;
use crate::calibrate::around::spot;
use crate::calibrate::controls::{INK, commonest, differ, middle, things};
use crate::calibrate::explore::Explorer;
use crate::client::Step;
use crate::desktop::{Desktop, DesktopError};
use crate::geometry::{Pixel, Rect};
use image::RgbaImage;
use std::collections::BTreeMap;
use std::time::Duration;

/// Pixels from the top of a menu to the middle of its first entry, and from there to the next; by how many it may stand beside its word, and the
/// least of its sides.
const ENTRY: u32 = 11;
const LINE: u32 = 18;
const BESIDE: u32 = 24;
const MENU: [u32; 2] = [30, 14];
/// The share of its width that a menu has from its top on.
const WIDE: f64 = 0.8;
/// How long a menu takes to come up, in milliseconds.
const OPENS: u64 = 400;

/// Clicks a word and what it brings up below itself, as a menu comes; both steps, or nothing where it brings up nothing like that.
pub(super) fn through_menu<D: Desktop>(
    explorer: &mut Explorer<D>,
    word: Rect,
    entry: u32,
) -> Result<Option<Step>, DesktopError> {
    let first = Step::Click(spot(&explorer.grid, word.center()));
    let (mut menu, mut has_come) = bring_up(explorer, &first, word)?;
    // Where another window of the client's lay over its own all of that has come, and the menu is a part of it.
    let is_below = |menu: Rect| explorer.size().cells().all(|cell| menu.contains(explorer.grid.center(cell)));
    if menu.is_some_and(is_below) {
        explorer.carry_out(&Step::Keys("Escape".into()))?;
        (menu, has_come) = bring_up(explorer, &first, word)?;
    }
    let entry = menu.and_then(|menu| Some((menu, entry_of(&explorer.shot.pixels, menu, entry)?)));
    let Some((menu, y)) = entry else {
        if has_come {
            explorer.carry_out(&Step::Keys("Escape".into()))?;
        }
        return Ok(None);
    };
    let middle = menu.left + menu.width.min(2 * BESIDE) / 2;
    let at = Pixel { x: f64::from(middle), y: f64::from(y) };
    let second = Step::Click(spot(&explorer.grid, at));
    explorer.carry_out(&second)?;
    Ok(Some(Step::All(vec![first, Step::Wait(OPENS), second])))
}

/// Clicks a word: the menu that this brings up, and whether anything has come.
fn bring_up<D: Desktop>(
    explorer: &mut Explorer<D>,
    click: &Step,
    word: Rect,
) -> Result<(Option<Rect>, bool), DesktopError> {
    explorer.settle()?;
    let before = explorer.shot.pixels.clone();
    explorer.carry_out(click)?;
    // It comes up beside the board, which is all that is looked at until it rests.
    explorer.desktop.wait(Duration::from_millis(OPENS))?;
    explorer.settle()?;
    let menu = menu_below(&before, &explorer.shot.pixels, word);
    log::debug!("below the word at {word:?} a menu has come: {menu:?}");
    Ok((menu, before != explorer.shot.pixels))
}

/// How far down an entry of a menu is: the middle of the rows in which it is written, for a menu may begin with a line by which it is torn off, and
/// its entries be of any height. Where nothing is told of that, as far as they are in most.
fn entry_of(picture: &RgbaImage, menu: Rect, entry: u32) -> Option<u32> {
    let bottom = menu.top + menu.height;
    let (across, down) = (menu.left..menu.left + menu.width, menu.top..bottom);
    let pixel = |x: u32, y: u32| picture.get_pixel(x, y).0;
    // Its own part has its ground in most of every column: its frame has not, nor what else has changed around it.
    let ground = *commonest(down.clone().flat_map(|y| across.clone().map(move |x| pixel(x, y)))).first()?;
    let is_own = |x: &u32| 2 * down.clone().filter(|y| pixel(*x, *y) == ground).count() > menu.height as usize;
    let own: Vec<u32> = across.filter(is_own).collect();
    // A line across all of it is what its row has most.
    let is_written = |y: &u32| {
        let row = || own.iter().map(|x| pixel(*x, *y));
        middle(row()).is_some_and(|ground| row().any(|pixel| differ(pixel, ground, INK)))
    };
    let mut rows: Vec<(u32, u32)> = Vec::new();
    for y in down.filter(is_written) {
        match rows.last_mut() {
            Some((_, end)) if y == *end => *end += 1,
            _ => rows.push((y, y + 1)),
        }
    }
    rows.retain(|(top, end)| WORD[1].contains(&(end - top)));
    if rows.is_empty() {
        return Some(menu.top + ENTRY + entry * LINE).filter(|y| *y < bottom);
    }
    rows.get(entry as usize).map(|(top, end)| (top + end) / 2)
}

/// What a click on a word brought up below it, if it is as wide and high as a menu, and begins where the word does: what hangs together, for elsewhere a clock
/// may go on. What changes of the bar that the word stands in is none of it: a menu has its whole width from its top on.
pub(super) fn menu_below(before: &RgbaImage, after: &RgbaImage, word: Rect) -> Option<Rect> {
    let bottom = word.top + word.height;
    let changed: Vec<(u32, u32)> = after
        .enumerate_pixels()
        .filter(|&(x, y, pixel)| y > bottom && before.get_pixel_checked(x, y).is_some_and(|then| then != pixel))
        .map(|(x, y, _)| (x, y))
        .collect();
    let near = things(after.dimensions(), changed.iter().copied())
        .filter(|thing| thing.left.abs_diff(word.left) <= BESIDE && thing.top.saturating_sub(bottom) <= BESIDE);
    let thing = near.max_by_key(|thing| thing.width * thing.height)?;
    let mut rows: BTreeMap<u32, (u32, u32)> = BTreeMap::new();
    for (x, y) in changed {
        if thing.contains(Pixel { x: f64::from(x), y: f64::from(y) }) {
            let (first, last) = rows.entry(y).or_insert((x, x));
            (*first, *last) = ((*first).min(x), (*last).max(x));
        }
    }
    let left = rows.values().map(|(first, _)| *first).min()?;
    let right = rows.values().map(|(_, last)| *last).max()?;
    let is_wide = |(first, last): &(u32, u32)| WIDE * f64::from(right + 1 - left) <= f64::from(last + 1 - first);
    let top = *rows.iter().find(|(_, row)| is_wide(row)).or(rows.first_key_value())?.0;
    let end = *rows.last_key_value()?.0;
    let menu = Rect { left, top, width: right + 1 - left, height: end + 1 - top };
    let is_menu =
        left.abs_diff(word.left) <= BESIDE && top - bottom <= BESIDE && menu.width >= MENU[0] && menu.height >= MENU[1];
    is_menu.then_some(menu)
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgba;

    #[test]
    fn what_changes_of_the_bar_above_a_menu_is_none_of_it() {
        let word = Rect { left: 32, top: 20, width: 24, height: 10 };
        let before = RgbaImage::from_pixel(200, 200, Rgba([220, 220, 220, 255]));
        let after = RgbaImage::from_fn(200, 200, |x, y| {
            // The raised part of the bar with the word, and the menu.
            let is_raised = (26..64).contains(&x) && (14..38).contains(&y);
            let is_menu = (26..140).contains(&x) && (42..110).contains(&y);
            // A clock below a board goes on meanwhile.
            let is_clock = (8..20).contains(&x) && (150..160).contains(&y);
            if is_raised || is_menu || is_clock { Rgba([236, 236, 236, 255]) } else { Rgba([220, 220, 220, 255]) }
        });
        assert_eq!(menu_below(&before, &after, word), Some(Rect { left: 26, top: 42, width: 114, height: 68 }));
    }

    #[test]
    fn the_line_by_which_a_menu_is_torn_off_is_none_of_its_entries() {
        let (menu, words) = (Rect { left: 30, top: 40, width: 90, height: 62 }, [59u32, 81]);
        let picture = RgbaImage::from_fn(200, 200, |x, y| {
            let is_in = (30..120).contains(&x) && (40..102).contains(&y);
            let is_dash = y == 47 && x % 7 < 4;
            let is_letter = words.iter().any(|top| (*top..top + 10).contains(&y)) && (36..76).contains(&x) && x % 6 < 4;
            let light = if is_in && (is_dash || is_letter) { 20 } else { 220 };
            Rgba([light, light, light, 255])
        });
        assert_eq!([0, 1, 2].map(|entry| entry_of(&picture, menu, entry)), [Some(64), Some(86), None]);
        let plain = RgbaImage::from_pixel(200, 200, Rgba([220, 220, 220, 255]));
        assert_eq!([0, 1, 9].map(|entry| entry_of(&plain, menu, entry)), [Some(51), Some(69), None]);
    }

    #[test]
    fn the_frame_of_a_menu_and_a_line_across_it_are_none_of_its_entries() {
        // As JavaFX draws it: a frame of one pixel, entries 26 apart, and a line before the last; and around it what else has changed, as a shadow
        // does, beyond the edge of the window, too.
        let menu = Rect { left: 19, top: 47, width: 183, height: 143 };
        let changed = Rect { left: 7, width: 207, height: 155, ..menu };
        let words = [(60u32, 134u32), (86, 158), (112, 118), (138, 124), (167, 24)];
        let picture = RgbaImage::from_fn(240, 240, |x, y| {
            let is_in =
                (menu.left..menu.left + menu.width).contains(&x) && (menu.top..menu.top + menu.height).contains(&y);
            let is_inner = (menu.left + 1..menu.left + menu.width - 1).contains(&x)
                && (menu.top + 1..menu.top + menu.height - 1).contains(&y);
            let is_line = y == 157 && (21..200).contains(&x);
            let is_letter = words
                .iter()
                .any(|(top, wide)| (*top..top + 11).contains(&y) && (27..27 + wide).contains(&x) && x % 8 < 6);
            let light = if is_in && (!is_inner || is_line) {
                160
            } else if is_letter {
                50
            } else if is_in {
                255
            } else if x < 10 {
                0
            } else {
                244
            };
            Rgba([light, light, light, 255])
        });
        let entries = [0, 1, 2, 3, 4, 5].map(|entry| entry_of(&picture, changed, entry));
        assert_eq!(entries, [Some(65), Some(91), Some(117), Some(143), Some(172), None]);
    }
}
