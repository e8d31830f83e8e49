//! How a new game begins: tried until a fresh board shows.

use super::around::spot;
use super::controls::{buttons_in, commonest, differ, things};
use super::explore::{Explorer, ON_THE_BOARD, STAY};
use super::fields::fields;
use super::pages::{self, Walk};
use super::{News, Tell};
use crate::board::Tile;
use crate::client::{Anchor, Button, Spot, Step};
use crate::desktop::windows::{Shown, below_title, shown};
use crate::desktop::{Action, Click, Desktop, DesktopError, Window};
use crate::geometry::{Cell, Pixel, Rect, ScreenPoint};
use crate::vision::Grid;
use crate::vision::looks::changed;
use image::RgbaImage;
use std::ops::Range;
use std::time::Duration;

/// What loads a page of a browser again.
const RELOAD: &str = "ctrl+r";
/// The same in others.
const RELOADS: &str = "F5";
/// Keys that begin a new game in many clients: what does least elsewhere first, for a browser opens a window at Ctrl+N and a
/// program may close at Escape, or at N where it asks whether to go on.
const KEYS: [&str; 10] = ["F2", RELOAD, RELOADS, "y", "n", "r", "space", "Return", NEW, "s"];
/// It opens a window, in a program that shows more than the client.
const NEW: &str = "ctrl+n";
/// So many of them are tried before clicks, and so many before buttons of which nothing is known.
const HARMLESS: usize = 4;
const LEAST_HARM: usize = 8;
/// How large a button beside a board is, in pixels.
const BUTTON: [std::ops::RangeInclusive<u32>; 2] = [24..=260, 12..=80];
/// The longest a new board takes to show.
const PATIENCE: Duration = Duration::from_millis(1200);
/// The same where something is happening: a page is loaded.
const LONG_PATIENCE: Duration = Duration::from_millis(4000);
/// How long it stays, at least.
const STAYS: Duration = Duration::from_millis(400);
/// How long a window takes to come to the front.
const RAISED: Duration = Duration::from_millis(400);
/// Places around the board that are tried.
const PLACES: usize = 6;

/// Words that are tried for menus, and entries of each that are. Width of a word, in its heights, at least, and its size, in pixels.
const WORDS: usize = 4;
const ENTRIES: u32 = 3;
const WORDY: u32 = 2;
const WORD: [std::ops::RangeInclusive<u32>; 2] = [16..=160, 6..=28];
/// Pixels from the top of a menu to the middle of its first entry, and from there to the next; by how many it may stand beside its word, and the
/// least of its sides.
const ENTRY: u32 = 11;
const LINE: u32 = 18;
const BESIDE: u32 = 24;
const MENU: [u32; 2] = [30, 14];
/// Grey levels by which it stands out from its line at least.
const INK: u8 = 60;
/// How wide words on a button are, in pixels, and how many of them are tried.
const LABEL: std::ops::RangeInclusive<u32> = 14..=260;
const LABELS: usize = 8;
/// Of so many tiles fewer than one is as it was where a page is shown in place of the board.
const REMAINING: usize = 10;
/// How high above a board words are looked for, in tiles.
const HIGH: f64 = 6.0;

/// So many games that began by it in a row are no chance.
const SEVERAL: usize = 2;
/// Steps that are tried to make a board answer.
const WAKING: usize = 8;

/// Begins a new game by what is known to, or finds that out; whether it did.
///
/// # Errors
/// The screen or the mouse cannot be used, or the person stopped.
pub fn restart<D: Desktop>(
    explorer: &mut Explorer<D>,
    given: Option<&Step>,
    tell: &mut Tell,
) -> Result<bool, DesktopError> {
    if given.is_some() {
        explorer.begun_by = None;
    }
    if has_begun_by_itself(explorer, tell)? {
        return Ok(true);
    }
    if explorer.notes.flags_to_win {
        explorer.flag_the_rest()?;
    }
    if is_tried(explorer, given, tell)? {
        return Ok(true);
    }
    // The game may go on for the client: until its mines carry flags, or until one goes off.
    if !explorer.notes.flags_to_win && explorer.flag_the_rest()? && is_tried(explorer, given, tell)? {
        tell(News::Says("a game is won when every mine carries a flag"));
        explorer.notes.flags_to_win = true;
        return Ok(true);
    }
    if explorer.open_a_mine()? && is_tried(explorer, given, tell)? {
        return Ok(true);
    }
    if let Some(step) = explorer.roundabout.clone().filter(|_| given.is_none()) {
        explorer.carry_out(&step)?;
        explorer.settle()?;
        return is_through_pages(explorer, Some(&step), tell);
    }
    Ok(given.is_none() && is_through_pages(explorer, None, tell)?)
}

/// Clicks through pages that came in place of the board, until a fresh one shows: the way becomes what begins a game. Whether there is one.
/// `after`: the step after which the first of them showed. It is a part of the way where the program was started by it, or one without it was known
/// and failed; else they may have come by themselves.
///
/// # Errors
/// The screen or the mouse cannot be used, or the person stopped.
pub fn is_through_pages<D: Desktop>(
    explorer: &mut Explorer<D>,
    after: Option<&Step>,
    tell: &mut Tell,
) -> Result<bool, DesktopError> {
    let has_gone = explorer.window_has_gone();
    let Some(window) = explorer.window_in_place() else { return Ok(false) };
    let (grid, shot) = (explorer.grid.clone(), explorer.shot.clone());
    let (tiles, (across, down)) = (grid.size().cells().map(|cell| shot.to_screen(grid.center(cell))), grid.pitch());
    let panel = explorer.panel();
    // A button beside a board that still shows is none of a page in its place.
    let is_page = has_gone || after.is_some() || panel.is_some() || explorer.is_replaced() || explorer.is_laid_over();
    let walk = Walk::new(explorer.desktop, window).over(tiles.collect(), across.min(down)).within(panel);
    let mut walk = walk.knowing(explorer.led_here.clone());
    while walk.step(explorer.desktop)? {
        // The pointer stays meanwhile: what it is on may be gone without it.
        explorer.settle()?;
        let is_there = explorer.is_untouched() || explorer.find_elsewhere()? || explorer.find_another_size()?;
        if !is_there || !comes_up(explorer)? {
            continue;
        }
        let is_started = after == Some(&Step::Start);
        if has_gone
            && !is_started
            && let Some(step) = after
        {
            // The next page may come up anywhere: what leads on within the window of the board is better.
            log::debug!("{} leads to another window: other ways come first", in_words(step));
            explorer.roundabout = Some(step.clone());
            explorer.take_as_untouched()?;
            return Ok(true);
        }
        let is_part = is_started || !explorer.notes.new_game.is_empty();
        let clicks = walk.way().map(|at| Step::Click(spot(&grid, shot.to_pixel(at))));
        let steps = after.filter(|_| is_part).cloned().into_iter().chain(clicks).collect();
        let Some(way) = pages::way(steps) else { return Ok(false) };
        for turn in walk.turns() {
            if !explorer.led_here.iter().any(|known| known.is_like(&turn)) {
                explorer.led_here.push(turn);
            }
        }
        if after.is_some() {
            explorer.notes.new_game.clear();
        }
        explorer.allow(&[]);
        explorer.notes.pages |= is_page;
        begun(explorer, &way, tell)?;
        return Ok(true);
    }
    explorer.allow(&[]);
    Ok(false)
}

/// Starts the client's program again, as the person would: it has ended with its game, or nothing else begins another. Whether a fresh board shows.
///
/// # Errors
/// The screen or the mouse cannot be used, or the person stopped.
pub fn is_started_again<D: Desktop>(explorer: &mut Explorer<D>, tell: &mut Tell) -> Result<bool, DesktopError> {
    let known = explorer.notes.new_game.iter().find(|step| step.starts()).cloned();
    if begins(explorer, known.as_ref().unwrap_or(&Step::Start), tell)? {
        return Ok(true);
    }
    // It begins with a page of its own.
    let is_page = explorer.window_has_gone() && explorer.window_in_place().is_some();
    Ok(is_page && is_through_pages(explorer, Some(&Step::Start), tell)?)
}

/// Takes a step; whether a new game began by it.
fn begins<D: Desktop>(explorer: &mut Explorer<D>, step: &Step, tell: &mut Tell) -> Result<bool, DesktopError> {
    explorer.carry_out(step)?;
    has_begun(explorer, step, tell)
}

/// Whether a new game began by a step that was taken.
fn has_begun<D: Desktop>(explorer: &mut Explorer<D>, step: &Step, tell: &mut Tell) -> Result<bool, DesktopError> {
    let comes_up = comes_up(explorer)?;
    if comes_up {
        begun(explorer, step, tell)?;
    }
    Ok(comes_up)
}

/// Whether a new game began by what was done for something else, as to take away what covered the board.
fn has_begun_by_itself<D: Desktop>(explorer: &mut Explorer<D>, tell: &mut Tell) -> Result<bool, DesktopError> {
    let Some(step) = explorer.begun_by.take() else { return Ok(false) };
    has_begun(explorer, &step, tell)
}

/// Tries all that may begin a new game, also once what covers the board was taken away; whether one began.
fn is_tried<D: Desktop>(
    explorer: &mut Explorer<D>,
    given: Option<&Step>,
    tell: &mut Tell,
) -> Result<bool, DesktopError> {
    let ended = explorer.notes.evidence.games.last().map(|game| game.running.clone());
    // A dialog beside the board keeps everything else from working, and so does what a page lays over all of itself to ask something.
    if explorer.desktop.has_dialog() || explorer.is_shaded() {
        explorer.uncover(ended.as_ref(), false, tell)?;
        if has_begun_by_itself(explorer, tell)? {
            return Ok(true);
        }
    }
    // What covers the board may do so, too: a second round is after it was taken away.
    let first = explorer.notes.new_game.clone();
    for step in first.iter().chain(first.iter()) {
        if begins(explorer, step, tell)? {
            return Ok(true);
        }
    }
    // A page in place of the board has its own way on; keys, and places around a board, are none of it.
    if given.is_none() && explorer.is_replaced() && is_through_pages(explorer, None, tell)? {
        return Ok(true);
    }
    let may_open = !explorer.desktop.client_is_alone();
    let fields = if given.is_none() { fields_of(explorer)? } else { Vec::new() };
    let attempts = |explorer: &Explorer<D>, is_last: bool| -> Vec<Step> {
        let all = match given {
            Some(step) => vec![step.clone()],
            None => attempts(explorer, is_last),
        };
        let is_out = |step: &Step| {
            given.is_none() && may_open && *step == Step::Keys(NEW.into())
                || !fields.is_empty() && loads_again(step)
                || fields.iter().any(|field| is_near(field, step))
                || explorer.deaf.contains(step)
                || explorer.roundabout.iter().any(|other| other == step || is_near(other, step))
        };
        all.into_iter().filter(|step| !is_out(step)).collect()
    };
    let was_overlapped = explorer.is_overlapped();
    let mut idle = Vec::new();
    for step in attempts(explorer, false) {
        let step = &step;
        let before = (explorer.shot.pixels.clone(), explorer.grid.clone());
        if begins(explorer, step, tell)? {
            return Ok(true);
        }
        // Or it led to a page: what is tried beside a board might end the program there.
        if given.is_none() && is_led_away(explorer, &before) {
            let is_loaded = fields.is_empty() && is_loaded_again(explorer, step, tell)?;
            if is_loaded || is_through_pages(explorer, Some(step), tell)? {
                return Ok(true);
            }
            break;
        }
        // Or it brought up another window, as a browser does for a key: what is clicked next is not for that.
        if !was_overlapped && explorer.is_overlapped() {
            explorer.desktop.act(&Action::Raise)?;
            explorer.settle()?;
        }
        if before.0 == explorer.shot.pixels {
            idle.push(step.clone());
        }
    }
    // What a client lays over all of its window, or draws over its board, may have a button of its own, and Escape would end the program; and where
    // numbers are typed in beside the board, what takes them may be anywhere on the page.
    let is_over = explorer.is_laid_over() || explorer.panel().is_some() || !fields.is_empty();
    if given.is_none() && is_over && is_through_pages(explorer, None, tell)? {
        return Ok(true);
    }
    if explorer.scene(true).is_covered() || explorer.desktop.has_dialog() {
        explorer.uncover(ended.as_ref(), true, tell)?;
    }
    if has_begun_by_itself(explorer, tell)? {
        return Ok(true);
    }
    // Once more, too: the same control may first end a game, and then begin one. What changed nothing has its second turn at the end: it may have
    // been lost.
    let mut again = attempts(explorer, true);
    again.sort_by_key(|step| idle.contains(step));
    for step in &again {
        if begins(explorer, step, tell)? {
            return Ok(true);
        }
    }
    let mut places = Vec::new();
    if given.is_none() {
        places.extend(buttons_above(explorer));
        places.extend(labels(explorer));
    }
    let tried = attempts(explorer, true);
    if is_by_controls(explorer, &places, tried, tell)? {
        return Ok(true);
    }
    Ok(!fields.is_empty() && begins(explorer, &Step::Keys(RELOAD.into()), tell)?)
}

/// Tries what may be controls besides what was `tried`, also what comes up below them and below words, as menus do; whether a new game began.
fn is_by_controls<D: Desktop>(
    explorer: &mut Explorer<D>,
    places: &[Rect],
    mut tried: Vec<Step>,
    tell: &mut Tell,
) -> Result<bool, DesktopError> {
    let mut menus: Vec<Rect> = Vec::new();
    for &place in places {
        let step = Step::Click(spot(&explorer.grid, place.center()));
        if tried.iter().chain(&explorer.deaf).chain(&explorer.roundabout).any(|other| is_near(other, &step)) {
            continue;
        }
        let before = (explorer.shot.pixels.clone(), explorer.grid.clone());
        if begins(explorer, &step, tell)? {
            return Ok(true);
        }
        if menu_below(&before.0, &explorer.shot.pixels, place).is_some() {
            // What it offers is tried entry by entry.
            explorer.carry_out(&Step::Keys("Escape".into()))?;
            explorer.settle()?;
            menus.push(place);
        } else if explorer.desktop.has_dialog() {
            dismiss(explorer)?;
        } else if is_led_away(explorer, &before) && is_through_pages(explorer, Some(&step), tell)? {
            return Ok(true);
        }
        tried.push(step);
    }
    menus.extend(words(explorer));
    for word in menus {
        for entry in 0..ENTRIES {
            let Some(step) = through_menu(explorer, word, entry)? else { break };
            if has_begun(explorer, &step, tell)? {
                return Ok(true);
            }
            // Another entry asks something, which is not wanted.
            dismiss(explorer)?;
        }
    }
    Ok(false)
}

/// Whether a board comes up where a page is loaded again to which this step led: what may be its buttons may lead out of it, as links do.
fn is_loaded_again<D: Desktop>(explorer: &mut Explorer<D>, led: &Step, tell: &mut Tell) -> Result<bool, DesktopError> {
    let again = Step::Keys(RELOAD.into());
    if *led == again {
        return Ok(false);
    }
    begins(explorer, &again, tell)
}

/// Takes away a dialog that was not wanted.
fn dismiss<D: Desktop>(explorer: &mut Explorer<D>) -> Result<(), DesktopError> {
    for step in [Step::Answer("Escape".into()), Step::Close] {
        if explorer.desktop.has_dialog() {
            explorer.carry_out(&step)?;
            explorer.desktop.wait(STAYS)?;
        }
    }
    explorer.settle().map(|_| ())
}

/// Whether what was tried led to a page: hardly a tile is as it was `before`, none looks hidden, and no window came up; or another one came in place
/// of the board's.
fn is_led_away<D: Desktop>(explorer: &mut Explorer<D>, before: &(RgbaImage, Grid)) -> bool {
    if explorer.window_has_gone() {
        return explorer.window_in_place().is_some();
    }
    if explorer.hidden_tiles() > 0 || explorer.desktop.has_dialog() || explorer.is_overlapped() {
        return false;
    }
    let same = changed((&before.0, &before.1), (&explorer.shot.pixels, &explorer.grid));
    let same = same.iter().filter(|changed| !**changed).count();
    explorer.is_replaced() || same * REMAINING < explorer.size().tiles()
}

/// Whether two steps click nearly the same place.
fn is_near(one: &Step, other: &Step) -> bool {
    let (Step::Click(one), Step::Click(other)) = (one, other) else { return false };
    let is_close = |axis: usize| (one.tiles[axis] - other.tiles[axis]).abs() < 0.25;
    one.from == other.from && is_close(0) && is_close(1)
}

/// Clicks a word and what it brings up below itself, as a menu comes; both steps, or nothing where it brings up nothing like that.
fn through_menu<D: Desktop>(explorer: &mut Explorer<D>, word: Rect, entry: u32) -> Result<Option<Step>, DesktopError> {
    explorer.settle()?;
    let before = explorer.shot.pixels.clone();
    let first = Step::Click(spot(&explorer.grid, word.center()));
    explorer.carry_out(&first)?;
    explorer.settle()?;
    let menu = menu_below(&before, &explorer.shot.pixels, word);
    let entry = menu.and_then(|menu| Some((menu, entry_of(&explorer.shot.pixels, menu, entry)?)));
    let Some((menu, y)) = entry else {
        if before != explorer.shot.pixels {
            explorer.carry_out(&Step::Keys("Escape".into()))?;
        }
        return Ok(None);
    };
    let middle = menu.left + menu.width.min(2 * BESIDE) / 2;
    let at = Pixel { x: f64::from(middle), y: f64::from(y) };
    let second = Step::Click(spot(&explorer.grid, at));
    explorer.carry_out(&second)?;
    Ok(Some(Step::All(vec![first, Step::Wait(STAYS.as_millis() as u64), second])))
}

/// How far down an entry of a menu is: the middle of what is written there, for a menu may begin with a line by which it is torn off, and its
/// entries be of any height. Where nothing is told of that, as far as they are in most.
fn entry_of(picture: &RgbaImage, menu: Rect, entry: u32) -> Option<u32> {
    let (right, bottom) = (menu.left + menu.width, menu.top + menu.height);
    let mut rows: Vec<(u32, u32)> = Vec::new();
    let mut written: Vec<Rect> = lettering(picture, &(menu.left..right), menu.top..bottom).collect();
    written.sort_by_key(|rect| rect.top);
    for Rect { top, height, .. } in written {
        match rows.last_mut() {
            Some((_, end)) if top < *end => *end = (*end).max(top + height),
            _ => rows.push((top, top + height)),
        }
    }
    if rows.is_empty() {
        return Some(menu.top + ENTRY + entry * LINE).filter(|y| *y < bottom);
    }
    rows.get(entry as usize).map(|(top, end)| (top + end) / 2)
}

/// What a click on a word brought up below it, if it is as wide and high as a menu, and begins where the word does.
fn menu_below(before: &RgbaImage, after: &RgbaImage, word: Rect) -> Option<Rect> {
    let bottom = word.top + word.height;
    let mut found: Option<[u32; 4]> = None;
    for (x, y, pixel) in after.enumerate_pixels() {
        let has_changed = before.get_pixel_checked(x, y).is_some_and(|then| then != pixel);
        if has_changed && y > bottom {
            let known = found.get_or_insert([x, y, x, y]);
            *known = [known[0].min(x), known[1].min(y), known[2].max(x), known[3].max(y)];
        }
    }
    let [left, top, right, end] = found?;
    let menu = Rect { left, top, width: right + 1 - left, height: end + 1 - top };
    let is_menu =
        left.abs_diff(word.left) <= BESIDE && top - bottom <= BESIDE && menu.width >= MENU[0] && menu.height >= MENU[1];
    is_menu.then_some(menu)
}

/// A fresh board shows after a step: both are kept.
fn begun<D: Desktop>(explorer: &mut Explorer<D>, step: &Step, tell: &mut Tell) -> Result<(), DesktopError> {
    if !explorer.notes.new_game.contains(step) {
        tell(News::Says(&format!("a new game begins by {}", in_words(step))));
        // A way of several steps stays, for one of its clicks was lost this time, as where a page was too slow for it: what helped then is not the
        // whole way. What begins game after game where it does not is.
        let is_again = explorer.instead.as_ref() == Some(step);
        if explorer.notes.new_game.iter().any(is_way) && !is_again {
            explorer.notes.new_game.iter_mut().for_each(pages::slow_down);
            explorer.instead = Some(step.clone());
        } else {
            // What began several games may begin none after those that ended otherwise, as where a client takes a game that is won for one that
            // goes on: it stays, and comes first.
            let kept = usize::from(explorer.in_a_row >= SEVERAL && !is_again);
            explorer.notes.new_game.truncate(kept);
            explorer.notes.new_game.push(step.clone());
            explorer.in_a_row = 0;
        }
    } else {
        (explorer.instead, explorer.in_a_row) = (None, explorer.in_a_row + 1);
    }
    // Where it was clicked is told by the board, and changes with that.
    let known = explorer.notes.new_game.iter().position(|other| other == step);
    // Once for every side on which it turns out to be larger.
    for _ in 0..4 {
        if !explorer.take_as_untouched()? {
            break;
        }
        let step = known.and_then(|index| explorer.notes.new_game.get(index)).unwrap_or(step).clone();
        explorer.carry_out(&step)?;
        if !comes_up(explorer)? {
            break;
        }
    }
    Ok(())
}

/// Looks for what makes a fresh board answer which does not: a control for that, besides the one that brought it up. Both together are kept,
/// and a tile was opened by that. Whether there is one.
pub fn wake<D: Desktop>(explorer: &mut Explorer<D>, tell: &mut Tell) -> Result<bool, DesktopError> {
    let Some(first) = explorer.notes.new_game.first().cloned() else { return Ok(false) };
    if is_way(&first) {
        // It brought up boards that answered: one of its clicks was lost.
        explorer.carry_out(&first)?;
        return comes_up(explorer);
    }
    let mut steps: Vec<Step> = buttons(explorer)
        .iter()
        .map(|place| Step::Click(spot(&explorer.grid, place.center())))
        .chain(attempts(explorer, false))
        .filter(|step| *step != first && *step != ON_THE_BOARD)
        .collect();
    steps.dedup();
    steps.truncate(WAKING);
    let size = explorer.size();
    let cell = Cell::new(size.width / 2, size.height / 2);
    for step in steps {
        explorer.carry_out(&step)?;
        explorer.park()?;
        explorer.settle()?;
        if explorer.is_untouched() && explorer.press(cell, Button::Left)? {
            let both = Step::All(vec![first, Step::Wait(STAYS.as_millis() as u64), step]);
            tell(News::Says(&format!("it answers after {}", in_words(&both))));
            explorer.notes.new_game = vec![both];
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether it is a way of several steps.
fn is_way(step: &Step) -> bool {
    matches!(step, Step::All(_))
}

/// Whether a fresh board shows, or does in a moment, here or elsewhere, and stays: a page that is loaded anew may show the last one's board for a while.
fn comes_up<D: Desktop>(explorer: &mut Explorer<D>) -> Result<bool, DesktopError> {
    explorer.park()?;
    let bounds = explorer.grid.bounds();
    let (began, before) = (explorer.desktop.clock(), explorer.shot.clone());
    // A fresh board on which no click has an effect is there before: something must happen around it, then.
    let is_there = explorer.is_deaf && explorer.is_untouched();
    let is_begun =
        |explorer: &Explorer<D>| explorer.is_untouched() && !(is_there && explorer.shot.pixels == before.pixels);
    loop {
        explorer.settle()?;
        if is_begun(explorer) {
            explorer.desktop.wait(STAYS)?;
            explorer.settle()?;
            if is_begun(explorer) {
                return Ok(true);
            }
        }
        let has_changed = !explorer.shot.shows_the_same(bounds, &before, bounds);
        let patience = if has_changed { LONG_PATIENCE } else { PATIENCE };
        if explorer.desktop.clock().saturating_sub(began) >= patience {
            return Ok(explorer.find_elsewhere()? || has_changed && explorer.find_another_size()?);
        }
    }
}

/// What may begin a new game, the likeliest first: a face that smiles no more, keys that do little else, then whatever has changed
/// beside the board, which may as well be a clock or a way out of the game. What may do harm elsewhere comes at the end of the last round.
fn attempts<D: Desktop>(explorer: &Explorer<D>, is_last: bool) -> Vec<Step> {
    let spot_of = |place: &Rect| spot(&explorer.grid, place.center());
    let is_face = |spot: &Spot| spot.from == Anchor::Top && spot.tiles[0].abs() < 1.0;
    let mut places: Vec<Spot> = explorer.changed_around().iter().map(spot_of).collect();
    places.truncate(PLACES);
    places.extend(above(explorer).as_ref().map(spot_of));
    let (faces, others): (Vec<Spot>, Vec<Spot>) = places.into_iter().partition(is_face);
    let keys = |keys: &[&str]| keys.iter().map(|&keys| Step::Keys(keys.into())).collect::<Vec<_>>();
    let mut all = keys(&KEYS[..1]);
    all.extend(faces.into_iter().map(Step::Click));
    all.extend(keys(&KEYS[1..HARMLESS]));
    all.extend(others.into_iter().map(Step::Click));
    all.push(ON_THE_BOARD);
    all.extend(keys(&KEYS[HARMLESS..LEAST_HARM]));
    // A button that did not change: what stands above the board may be a part of the window's frame, which closes it.
    all.extend(buttons(explorer).iter().map(spot_of).map(Step::Click));
    if is_last {
        all.extend(keys(&KEYS[LEAST_HARM..]));
    }
    all.dedup();
    all
}

/// The fields of the page in the board's window, which it may lose where it is loaded again, as clicks: what is clicked is typed into then.
fn fields_of<D: Desktop>(explorer: &mut Explorer<D>) -> Result<Vec<Step>, DesktopError> {
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

/// Whether a step loads a page again.
fn loads_again(step: &Step) -> bool {
    [RELOAD, RELOADS].iter().any(|keys| *step == Step::Keys((*keys).into()))
}

/// Something that stands in the middle above the board, within four tiles, on a plain ground.
fn above<D: Desktop>(explorer: &Explorer<D>) -> Option<Rect> {
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
fn buttons<D: Desktop>(explorer: &Explorer<D>) -> Vec<Rect> {
    let (picture, bounds) = (&explorer.shot.pixels, explorer.grid.bounds());
    let ends = |at: u32, length: u32| at..at + length;
    let is_board =
        |x: u32, y: u32| ends(bounds.left, bounds.width).contains(&x) && ends(bounds.top, bounds.height).contains(&y);
    let mut rects = buttons_in(picture, &|x, y| y >= bounds.top && !is_board(x, y), &BUTTON);
    let middle = Rect { left: bounds.left + bounds.width / 2, top: bounds.top + bounds.height, width: 1, height: 1 };
    let far = |rect: &Rect| (rect.center().x - middle.center().x).hypot(rect.center().y - middle.center().y);
    rects.sort_by(|one, other| far(one).total_cmp(&far(other)));
    rects.dedup();
    rects.truncate(PLACES);
    rects
}

/// What may be buttons above the board that did not change, the nearest to its middle first: in the client's own window and below what may be
/// its title, as far as the system tells of windows at all.
fn buttons_above<D: Desktop>(explorer: &mut Explorer<D>) -> Vec<Rect> {
    let Some(window) = explorer.window() else { return Vec::new() };
    let own = inside_of(explorer, window);
    let (picture, bounds) = (&explorer.shot.pixels, explorer.grid.bounds());
    let first = f64::from(bounds.top) - HIGH * explorer.grid.pitch().1;
    // What touches the edge of the window is a button of its own, and not one with all that is beyond.
    let is_in = |x: u32, y: u32| y < bounds.top && f64::from(y) >= first.max(own.y) && f64::from(x) >= own.x;
    let mut rects = buttons_in(picture, &is_in, &BUTTON);
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

/// Whether what is at a place of the picture is the client's own window.
fn is_in_window<D: Desktop>(explorer: &mut Explorer<D>, window: Window, rect: &Rect) -> bool {
    let found = explorer.desktop.window_at(explorer.shot.to_screen(rect.center()));
    found.is_some_and(|found| found.id == window.id && found.program == window.program)
}

/// What may be words of a menu above the board, from its left half on, the nearest to its top left corner first: the bar of a menu is below that
/// of the window, which is none of the client's.
fn words<D: Desktop>(explorer: &Explorer<D>) -> Vec<Rect> {
    let (picture, bounds) = (&explorer.shot.pixels, explorer.grid.bounds());
    let first = bounds.top.saturating_sub((HIGH * explorer.grid.pitch().1) as u32);
    let across = bounds.left.saturating_sub(bounds.width / 4)..bounds.left + bounds.width / 2;
    let mut rects: Vec<Rect> = lettering(picture, &across, first..bounds.top).collect();
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
fn labels<D: Desktop>(explorer: &mut Explorer<D>) -> Vec<Rect> {
    let Some(window) = explorer.window() else { return Vec::new() };
    let own = inside_of(explorer, window);
    let (picture, bounds) = (&explorer.shot.pixels, explorer.grid.bounds());
    let (right, bottom) = (bounds.left + bounds.width, bounds.top + bounds.height);
    let sides = [
        (right..picture.width(), bounds.top..bottom),
        (0..bounds.left, bounds.top..bottom),
        (0..picture.width(), bottom..picture.height()),
        (0..picture.width(), 0..bounds.top),
    ];
    let mut rects = Vec::new();
    for (across, down) in sides {
        rects.extend(pages::words(lettering(picture, &across, down).collect()));
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

/// What stands out of the ground of its line, as letters do: a bar may be lighter at its top than below.
fn lettering<'a>(
    picture: &'a RgbaImage,
    across: &'a Range<u32>,
    down: Range<u32>,
) -> impl Iterator<Item = Rect> + use<'a> {
    // A board that was followed may lie partly beside the picture.
    let (across, down) = (clipped(across, picture.width()), clipped(&down, picture.height()));
    let pixels = move |y: u32| across.clone().map(move |x| (x, y));
    let colour = |(x, y): (u32, u32)| picture.get_pixel(x, y).0;
    let out_of_line = move |y: u32| {
        let ground = commonest(pixels(y).map(colour)).first().copied();
        pixels(y).filter(move |&at| ground.is_some_and(|ground| differ(colour(at), ground, INK)))
    };
    things(picture.dimensions(), down.flat_map(out_of_line)).filter(|rect| WORD[1].contains(&rect.height))
}

/// What of a stretch lies in a picture of this length.
fn clipped(stretch: &Range<u32>, length: u32) -> Range<u32> {
    stretch.start.min(length)..stretch.end.min(length)
}

/// Whether a picture changes around a point from side to side.
fn is_busy(picture: &RgbaImage, x: u32, y: u32) -> bool {
    let mut pixels = (x.saturating_sub(12)..x + 12).filter_map(|x| picture.get_pixel_checked(x, y));
    let first = pixels.next();
    pixels.any(|pixel| Some(pixel) != first)
}

/// A step for people.
pub fn in_words(step: &Step) -> String {
    match step {
        Step::Keys(keys) | Step::Answer(keys) => format!("the key {keys}"),
        on_the_board if *on_the_board == ON_THE_BOARD => "a click on the board".into(),
        Step::Click(spot) => {
            let name = toml::Value::try_from(spot.from).ok().and_then(|name| name.as_str().map(str::to_owned));
            format!(
                "a click {:.1} tiles right and {:.1} below the board's {}",
                spot.tiles[0],
                spot.tiles[1],
                name.unwrap_or_default()
            )
        }
        Step::Close => "closing a dialog".into(),
        Step::Start => "starting the program again".into(),
        Step::Point(_) => "the pointer moved".into(),
        Step::Wait(ms) => format!("a wait of {ms} ms"),
        Step::All(steps) => steps.iter().map(in_words).collect::<Vec<_>>().join(", then "),
    }
}

impl<D: Desktop> Explorer<'_, D> {
    /// Tiles that still look hidden, after a game in which nothing but mines was left of them.
    fn rest(&self) -> Vec<Cell> {
        let (size, evidence) = (self.size(), &self.notes.evidence);
        let looks = evidence.looks.recognise(&self.shot.pixels, &self.grid);
        size.cells().filter(|&cell| self.is_cleared && evidence.is_hidden(looks[size.index(cell)])).collect()
    }

    /// Puts a flag on every mine that is left; whether there were any, and right clicks are known to put flags.
    fn flag_the_rest(&mut self) -> Result<bool, DesktopError> {
        let rest = self.rest();
        if rest.is_empty() || self.notes.marks.as_ref().is_none_or(|marks| marks.first() != Some(&Tile::Flag)) {
            return Ok(false);
        }
        let touch = self.notes.touch();
        for cell in rest {
            let at = self.shot.to_screen(self.grid.center(cell));
            self.desktop.act(&Action::Click(Click { button: Button::Right, at, touch, with: None }))?;
            self.desktop.wait(STAY)?;
        }
        self.settle()?;
        Ok(true)
    }

    /// Opens one of the mines that are left without a flag; whether there were any.
    fn open_a_mine(&mut self) -> Result<bool, DesktopError> {
        if let Some(&cell) = self.rest().first() {
            return match self.press(cell, Button::Left) {
                // A menu may be over it that what was tried before has opened.
                Err(DesktopError::Foreign(_)) => Ok(true),
                other => other.map(|_| true),
            };
        }
        Ok(false)
    }

    /// Does one step. What would have gone to another window is not done, and not tried again.
    pub fn carry_out(&mut self, step: &Step) -> Result<(), DesktopError> {
        // What is below where its window was is none of the client's.
        if !step.starts() && self.window_has_gone() && self.window_in_place().is_none() {
            log::debug!("its window has gone: {} is not tried", in_words(step));
            return Ok(());
        }
        log::debug!("trying {}", in_words(step));
        match self.carry_out_here(step) {
            Err(DesktopError::Foreign(_)) => {
                self.desktop.act(&Action::Raise)?;
                self.desktop.wait(RAISED)?;
                match self.carry_out_here(step) {
                    Err(DesktopError::Foreign(_)) => Ok(()),
                    other => other,
                }
            }
            other => other,
        }
    }

    fn carry_out_here(&mut self, step: &Step) -> Result<(), DesktopError> {
        match step {
            Step::Keys(keys) if !self.desktop.has_dialog() => self.desktop.act(&Action::Keys(keys.clone())),
            Step::Keys(keys) | Step::Answer(keys) => self.desktop.act(&Action::Answer(keys.clone())),
            Step::Close => self.desktop.act(&Action::Close),
            Step::Start => {
                self.desktop.act(&Action::Start)?;
                self.until_it_shows()
            }
            Step::Wait(ms) => self.desktop.wait(Duration::from_millis(*ms)),
            Step::All(_) => {
                for step in step.parts() {
                    self.carry_out_here(step)?;
                    self.desktop.wait(STAY)?;
                }
                Ok(())
            }
            Step::Point(spot) => self.desktop.act(&Action::Point(self.shot.to_screen(self.grid.spot(*spot)))),
            Step::Click(spot) => {
                let at: ScreenPoint = self.shot.to_screen(self.grid.spot(*spot));
                self.allow(&[at]);
                let touch = self.notes.touch();
                self.desktop.act(&Action::Click(Click { button: Button::Left, at, touch, with: None }))?;
                self.desktop.wait(STAY)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgba;

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
        let found = pages::words(lettering(&picture, &across, 0..110).collect());
        for row in 0..3 {
            let center = Pixel { x: 105.0, y: 30.0 * f64::from(row) + 15.0 };
            let is_it = |rect: &Rect| rect.contains(center) && LABEL.contains(&rect.width) && rect.height <= 28;
            assert!(found.iter().any(is_it), "{row}: {found:?}");
        }
        // Of a board that was moved partly out of the picture.
        let beyond = pages::words(lettering(&picture, &(0..300), 0..200).collect());
        assert_eq!(beyond, found);
        assert_eq!(lettering(&picture, &(250..300), 150..200).count(), 0);
        assert!(is_busy(&picture, 100, 15) && !is_busy(&picture, 300, 15) && !is_busy(&picture, 100, 150));
    }
}
