//! How a new game begins: tried until a fresh board shows.

mod menus;
mod places;

use super::around::spot;
use super::evidence::Scene;
use super::explore::{Explorer, ON_THE_BOARD, in_words};
use super::pages::{self, Walk};
use super::{News, Tell};
use crate::client::{Anchor, Button, Spot, Step};
use crate::desktop::{Action, Desktop, DesktopError};
use crate::geometry::{Cell, Pixel, Rect};
use crate::vision::Grid;
use crate::vision::unknown::looks::changed;
use image::RgbaImage;
use menus::{menu_below, through_menu};
use places::{PLACES, above, buttons, buttons_above, controls_end, fields_of, labels, words};
use std::time::Duration;

/// What loads a page of a browser again.
const RELOAD: &str = "ctrl+r";
/// The same in others.
const RELOADS: &str = "F5";
/// Keys that begin a new game in many clients: what does least elsewhere first, for a browser opens a window at Ctrl+N and a
/// program may close at Escape, or at N where it asks whether to go on.
const KEYS: [&str; 11] = ["F2", RELOAD, RELOADS, "y", "n", "r", "space", "Return", NEW, "s", "m"];
/// Letters that a few say to press ("P to play again", "Press F to try again!"), tried when nothing else has begun a game.
const LETTERS: [&str; 5] = ["p", "c", "f", "a", "t"];
/// It opens a window, in a program that shows more than the client.
const NEW: &str = "ctrl+n";
/// So many of them are tried before clicks, and so many before buttons of which nothing is known.
const HARMLESS: usize = 4;
const LEAST_HARM: usize = 8;
/// The longest a new board takes to show.
const PATIENCE: Duration = Duration::from_millis(1200);
/// The same where something is happening: a page is loaded.
const LONG_PATIENCE: Duration = Duration::from_millis(4000);
/// How long after the end of a game a client may ask something by itself: a page did after two seconds.
const ASKS: Duration = Duration::from_secs(3);
/// How long it stays, at least.
const STAYS: Duration = Duration::from_millis(400);

/// Of so many tiles fewer than one is as it was where a page is shown in place of the board.
const REMAINING: usize = 10;

/// Entries of a menu that are tried.
const ENTRIES: u32 = 3;
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
    explorer.walked.clear();
    if given.is_none() && explorer.notes.new_game.is_empty() && explorer.begun_by.is_none() {
        wait_for_question(explorer)?;
    }
    if has_begun_by_itself(explorer, tell)? {
        return Ok(true);
    }
    // However the next begins: it may be by starting the program again.
    explorer.notes.pages |= explorer.is_replaced();
    if explorer.notes.flags_to_win {
        explorer.flag_the_rest()?;
    } else if given.is_none() {
        explorer.try_flags_to_win(tell)?;
    }
    // What has begun games does nothing in one that goes on for the client, as where it has not painted all that is left to open: that is ended
    // before all else is tried anew, which takes minutes.
    let may_go_on = given.is_none() && !explorer.notes.new_game.is_empty() && !explorer.has_ended();
    if may_go_on && (begins_by_known(explorer, tell)? || explorer.open_a_mine()? && begins_by_known(explorer, tell)?) {
        return Ok(true);
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
/// `after`: the step after which the first of them showed. It is a part of the way where the program was started by it, it was a click, or one without it
/// was known and failed; else they may have come by themselves.
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
    let walk =
        Walk::new(explorer.desktop, window).over(tiles.collect(), across.min(down)).beside(!is_page).within(panel);
    let mut walk = walk.knowing(explorer.led_here.clone()).after(std::mem::take(&mut explorer.walked));
    if !explorer.desktop.client_is_alone() {
        walk = walk.called(explorer.title.clone());
    }
    loop {
        if walk.goes_back(explorer.desktop)? {
            // To go back to a page loads it again.
            let again = Step::Keys(RELOAD.into());
            explorer.settle()?;
            if explorer.is_untouched() && has_begun(explorer, &again, tell)? {
                return Ok(true);
            }
        }
        let page = walk.look(explorer.desktop)?;
        // The pointer stays meanwhile: what it is on may be gone without it. And a board may have come up since it was last looked for: what would be
        // taken for a button then may lead away again.
        explorer.settle()?;
        let mut is_there = walk.way().next().is_some()
            && (explorer.is_untouched_if_lit()? || explorer.find_elsewhere()? || explorer.find_another_size()?);
        let mut scroll = None;
        if !is_there && walk.way().next().is_some() {
            scroll = explorer.scrolls_to_it()?;
            is_there = scroll.is_some() && (explorer.is_untouched() || explorer.find_elsewhere()?);
        }
        if !is_there || !comes_up(explorer)? {
            let Some(page) = page else { break };
            if !walk.click(explorer.desktop, page)? {
                break;
            }
            continue;
        }
        // The button of the page was all that could be clicked.
        explorer.allow(&[]);
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
        let is_click = matches!(after, Some(Step::Click(_)));
        let is_part = is_started || is_click || !explorer.notes.new_game.is_empty();
        let clicks = walk.way().map(|at| Step::Click(spot(&grid, shot.to_pixel(at))));
        let steps = after.filter(|_| is_part).cloned().into_iter().chain(clicks).chain(scroll).collect();
        let Some(way) = pages::way(steps) else { return Ok(false) };
        for turn in walk.turns() {
            if !explorer.led_here.iter().any(|known| known.is_like(&turn)) {
                explorer.led_here.push(turn);
            }
        }
        if after.is_some() {
            explorer.notes.new_game.clear();
        }
        explorer.notes.pages |= is_page;
        begun(explorer, &way, tell)?;
        return Ok(true);
    }
    explorer.allow(&[]);
    explorer.walked = walk.tried();
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

/// Waits a while for what a client asks by itself when a game is over: what is tried meanwhile may lead away from it.
fn wait_for_question<D: Desktop>(explorer: &mut Explorer<D>) -> Result<(), DesktopError> {
    let began = explorer.desktop.clock();
    while explorer.desktop.clock().saturating_sub(began) < ASKS {
        if explorer.desktop.has_dialog() || explorer.is_overlapped() || explorer.window_has_gone() {
            break;
        }
        explorer.desktop.wait(STAYS)?;
        explorer.settle()?;
    }
    Ok(())
}

/// Takes a step; whether a new game began by it.
fn begins<D: Desktop>(explorer: &mut Explorer<D>, step: &Step, tell: &mut Tell) -> Result<bool, DesktopError> {
    explorer.carry_out(step)?;
    has_begun(explorer, step, tell)
}

/// The same, also where the client asks something first: that is answered with what it offers, and both together begin it. What is asked otherwise is
/// taken away, for keys that come next would be typed into it.
fn begins_or_asks<D: Desktop>(explorer: &mut Explorer<D>, step: &Step, tell: &mut Tell) -> Result<bool, DesktopError> {
    let had_dialog = explorer.desktop.has_dialog();
    if begins(explorer, step, tell)? {
        return Ok(true);
    }
    if had_dialog || !explorer.desktop.has_dialog() {
        return Ok(false);
    }
    let answer = Step::Answer("Return".into());
    explorer.carry_out(&answer)?;
    if comes_up(explorer)?
        && let Some(both) = pages::way(vec![step.clone(), answer])
    {
        begun(explorer, &both, tell)?;
        return Ok(true);
    }
    dismiss(explorer)?;
    Ok(false)
}

/// Whether a new game began by a step that was taken.
fn has_begun<D: Desktop>(explorer: &mut Explorer<D>, step: &Step, tell: &mut Tell) -> Result<bool, DesktopError> {
    if comes_up(explorer)? {
        begun(explorer, step, tell)?;
        return Ok(true);
    }
    let Some(scroll) = explorer.scrolls_to_it()? else { return Ok(false) };
    let both = pages::way(vec![step.clone(), scroll]);
    match both.filter(|_| explorer.is_untouched()) {
        Some(both) => begun(explorer, &both, tell).map(|()| true),
        None => Ok(false),
    }
}

/// Whether a new game began by what was done for something else, as to take away what covered the board.
fn has_begun_by_itself<D: Desktop>(explorer: &mut Explorer<D>, tell: &mut Tell) -> Result<bool, DesktopError> {
    let Some(step) = explorer.begun_by.take() else { return Ok(false) };
    has_begun(explorer, &step, tell)
}

/// What was seen of the last game before its end, and what was clicked then.
fn ended<D: Desktop>(explorer: &Explorer<D>) -> Option<(Scene, Cell)> {
    explorer.notes.evidence.games.last().map(|game| (game.running.clone(), game.clicked))
}

/// Takes the steps that have begun games; whether one did. What covers the board may keep them from it: a second round is after it was taken away.
fn begins_by_known<D: Desktop>(explorer: &mut Explorer<D>, tell: &mut Tell) -> Result<bool, DesktopError> {
    let known = explorer.notes.new_game.clone();
    for is_again in [false, true] {
        if is_again && !known.is_empty() {
            wait_for_question(explorer)?;
            if explorer.desktop.has_dialog() {
                let ended = ended(explorer);
                explorer.uncover(ended.as_ref().map(|(running, clicked)| (running, Some(*clicked))), false, tell)?;
                if has_begun_by_itself(explorer, tell)? {
                    return Ok(true);
                }
            }
        }
        for step in &known {
            if begins(explorer, step, tell)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Tries all that may begin a new game, also once what covers the board was taken away; whether one began.
fn is_tried<D: Desktop>(
    explorer: &mut Explorer<D>,
    given: Option<&Step>,
    tell: &mut Tell,
) -> Result<bool, DesktopError> {
    let ended = ended(explorer);
    let ended = ended.as_ref().map(|(running, clicked)| (running, Some(*clicked)));
    // A dialog beside the board keeps everything else from working, and so does what a page lays over all of itself to ask something.
    if explorer.desktop.has_dialog() || explorer.is_shaded() {
        explorer.uncover(ended, false, tell)?;
        if has_begun_by_itself(explorer, tell)? {
            return Ok(true);
        }
    }
    if begins_by_known(explorer, tell)? {
        return Ok(true);
    }
    // A page in place of the board has its own way on; keys, and places around a board, are none of it.
    if given.is_none() && explorer.is_replaced() && is_through_pages(explorer, None, tell)? {
        return Ok(true);
    }
    let may_open = !explorer.desktop.client_is_alone();
    let fields = if given.is_none() { fields_of(explorer)? } else { Vec::new() };
    // What lies over the board may have a button of its own: a page that is loaded again may begin with its first page.
    let has_own = explorer.is_laid_over() || explorer.panel().is_some();
    let controls = controls_end(explorer);
    let attempts = |explorer: &Explorer<D>, is_last: bool| -> Vec<Step> {
        let all = match given {
            Some(step) => vec![step.clone()],
            None => attempts(explorer, is_last),
        };
        let is_out = |step: &Step| {
            given.is_none() && may_open && *step == Step::Keys(NEW.into())
                || (!fields.is_empty() || has_own && !is_last) && loads_again(step)
                || fields.iter().any(|field| is_near(field, step))
                || given.is_none() && is_above(&explorer.grid, step, controls)
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
        if begins_or_asks(explorer, step, tell)? {
            return Ok(true);
        }
        // Or it led to a page: what is tried beside a board might end the program there.
        if given.is_none() && is_led_away(explorer, &before) {
            let is_loaded = fields.is_empty() && is_loaded_again(explorer, Some(step), tell)?;
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
        explorer.uncover(ended, true, tell)?;
    }
    if has_begun_by_itself(explorer, tell)? {
        return Ok(true);
    }
    // Once more, too: the same control may first end a game, and then begin one. What changed nothing has its second turn at the end: it may have
    // been lost.
    let mut again = attempts(explorer, true);
    again.sort_by_key(|step| idle.contains(step));
    for step in &again {
        if begins_or_asks(explorer, step, tell)? {
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
    if given.is_none() && explorer.desktop.client_is_alone() {
        for letter in LETTERS {
            if begins(explorer, &Step::Keys(letter.into()), tell)? {
                return Ok(true);
            }
        }
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
    // The first menu of a bar is that of the game, or of its file: others may bring up windows that stay in the way.
    menus.sort_by_key(|menu| menu.left);
    let controls = controls_end(explorer);
    menus.extend(words(explorer).into_iter().filter(|word| f64::from(word.top) >= controls));
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

/// Whether a board comes up where a page is loaded again to which a step `led`, if any did: what may be its buttons may lead out of it, as links do.
///
/// # Errors
/// The screen or the mouse cannot be used, or the person stopped.
pub fn is_loaded_again<D: Desktop>(
    explorer: &mut Explorer<D>,
    led: Option<&Step>,
    tell: &mut Tell,
) -> Result<bool, DesktopError> {
    let again = Step::Keys(RELOAD.into());
    if led == Some(&again) {
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

/// A fresh board shows after a step: both are kept.
fn begun<D: Desktop>(explorer: &mut Explorer<D>, step: &Step, tell: &mut Tell) -> Result<(), DesktopError> {
    // What a client asked may stay where it was, and never be painted again.
    if explorer.is_overlapped() {
        explorer.desktop.act(&Action::Raise)?;
        explorer.settle()?;
    }
    if !explorer.notes.new_game.contains(step) {
        tell(News::Says(&format!("a new game begins by {}", in_words(step))));
        // A way of several steps stays, for one of its clicks was lost this time, as where a page was too slow for it: what helped then is not the
        // whole way. What begins game after game where it does not is.
        let is_again = explorer.instead.as_ref() == Some(step);
        if explorer.notes.new_game.iter().any(is_way) && !is_again {
            explorer.notes.new_game.iter_mut().for_each(Step::slow_down);
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
    // First what made the first board answer.
    let led = explorer.led_here.iter().map(|turn| explorer.shot.to_pixel(turn.at()));
    let places: Vec<Pixel> = led.chain(buttons(explorer).into_iter().map(|place| place.center())).collect();
    let clicks = places.into_iter().filter(|at| !explorer.grid.bounds().contains(*at));
    let mut steps: Vec<Step> = clicks
        .map(|at| Step::Click(spot(&explorer.grid, at)))
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
        // A press may be lost.
        if explorer.is_untouched() && (explorer.press(cell, Button::Left)? || explorer.press(cell, Button::Left)?) {
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
            return Ok(explorer.is_untouched_if_lit()?
                || explorer.find_elsewhere()?
                || has_changed && explorer.find_another_size()?);
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

/// Whether a step clicks above this row of the picture.
fn is_above(grid: &Grid, step: &Step, row: f64) -> bool {
    step.parts().iter().any(|part| matches!(part, Step::Click(at) if grid.spot(*at).y < row))
}

/// Whether a step loads a page again.
fn loads_again(step: &Step) -> bool {
    [RELOAD, RELOADS].iter().any(|keys| *step == Step::Keys((*keys).into()))
}
