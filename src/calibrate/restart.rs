//! How a new game begins: tried until a fresh board shows.

use super::evidence::spot;
use super::explore::{Explorer, ON_THE_BOARD, STAY};
use super::{News, Tell};
use crate::board::Tile;
use crate::client::{Anchor, Button, Spot, Step};
use crate::desktop::{Action, Click, Desktop, DesktopError};
use crate::geometry::{Cell, Rect, ScreenPoint};
use image::{GrayImage, Luma, RgbaImage};
use imageproc::region_labelling::{Connectivity, connected_components};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

/// Keys that begin a new game in many clients: what does least elsewhere first, for a browser opens a window at Ctrl+N and a
/// program may close at Escape.
const KEYS: [&str; 9] = ["F2", "ctrl+r", "F5", "n", "r", "space", "Return", "ctrl+n", "s"];
/// So many of them are tried before clicks, and so many before buttons of which nothing is known.
const HARMLESS: usize = 4;
const LEAST_HARM: usize = 7;
/// Pixels of a square of the coarse picture in which buttons are looked for, and how large one is at least and at most.
const SQUARE: u32 = 4;
const BUTTON: [std::ops::RangeInclusive<u32>; 2] = [24..=260, 12..=80];
/// Colours that may be the ground that buttons stand on.
const GROUNDS: usize = 3;
/// Grey levels by which something differs from the ground around a board.
const STANDS_OUT: u8 = 12;
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

/// What is tried.
#[derive(Clone, Debug, PartialEq)]
enum Attempt {
    Keys(&'static str),
    /// A place around the board.
    Place(Spot),
    /// The board itself.
    Board,
}

/// Begins a new game by what is known to, or finds that out; whether it did.
///
/// # Errors
/// The screen or the mouse cannot be used, or the person stopped.
pub fn restart<D: Desktop>(
    explorer: &mut Explorer<D>,
    given: Option<&Step>,
    tell: &mut Tell,
) -> Result<bool, DesktopError> {
    let by_itself = explorer.begun_by.take().filter(|_| given.is_none());
    if let Some(step) = by_itself
        && comes_up(explorer)?
    {
        return Ok(begun(explorer, &step, tell));
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
    Ok(explorer.open_a_mine()? && is_tried(explorer, given, tell)?)
}

/// Tries all that may begin a new game, also once what covers the board was taken away; whether one began.
fn is_tried<D: Desktop>(
    explorer: &mut Explorer<D>,
    given: Option<&Step>,
    tell: &mut Tell,
) -> Result<bool, DesktopError> {
    let attempts = |explorer: &Explorer<D>, is_last: bool| -> Vec<Step> {
        let all = match given {
            Some(step) => vec![step.clone()],
            None => attempts(explorer, is_last).iter().map(step).collect(),
        };
        all.into_iter().filter(|step| !explorer.deaf.contains(step)).collect()
    };
    // What covers the board may keep everything else from working: a second round is after it was taken away.
    let first = explorer.notes.new_game.clone();
    let round = attempts(explorer, false);
    for step in first.iter().chain(first.iter()).chain(&round) {
        explorer.carry_out(step)?;
        if comes_up(explorer)? {
            return Ok(begun(explorer, step, tell));
        }
    }
    let ended = explorer.notes.evidence.games.last().map(|game| game.running.clone());
    if explorer.scene(true).is_covered() || explorer.desktop.has_dialog() {
        explorer.uncover(ended.as_ref(), tell)?;
    }
    if let Some(step) = explorer.begun_by.take()
        && comes_up(explorer)?
    {
        return Ok(begun(explorer, &step, tell));
    }
    // Once more, too: the same control may first end a game, and then begin one.
    for step in &attempts(explorer, true) {
        explorer.carry_out(step)?;
        if comes_up(explorer)? {
            return Ok(begun(explorer, step, tell));
        }
    }
    Ok(false)
}

/// A fresh board shows after a step: both are kept. Always true.
fn begun<D: Desktop>(explorer: &mut Explorer<D>, step: &Step, tell: &mut Tell) -> bool {
    if !explorer.notes.new_game.contains(step) {
        tell(News::Says(&format!("a new game begins by {}", in_words(step))));
        explorer.notes.new_game = vec![step.clone()];
    }
    explorer.take_as_untouched();
    true
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
            return explorer.find_elsewhere();
        }
    }
}

/// What may begin a new game, the likeliest first: a face that smiles no more, keys that do little else, then whatever has changed
/// beside the board, which may as well be a clock or a way out of the game. What may do harm elsewhere comes at the end of the last round.
fn attempts<D: Desktop>(explorer: &Explorer<D>, is_last: bool) -> Vec<Attempt> {
    let spot_of = |place: &Rect| spot(&explorer.grid, place.center());
    let is_face = |spot: &Spot| spot.from == Anchor::Top && spot.tiles[0].abs() < 1.0;
    let mut places: Vec<Spot> = explorer.changed_around().iter().map(spot_of).collect();
    places.truncate(PLACES);
    places.extend(above(explorer).as_ref().map(spot_of));
    let (faces, others): (Vec<Spot>, Vec<Spot>) = places.into_iter().partition(is_face);
    let keys = |keys: &[&'static str]| keys.iter().map(|keys| Attempt::Keys(keys)).collect::<Vec<_>>();
    let mut all = keys(&KEYS[..1]);
    all.extend(faces.into_iter().map(Attempt::Place));
    all.extend(keys(&KEYS[1..HARMLESS]));
    all.extend(others.into_iter().map(Attempt::Place));
    all.push(Attempt::Board);
    all.extend(keys(&KEYS[HARMLESS..LEAST_HARM]));
    // A button that did not change: what stands above the board may be a part of the window's frame, which closes it.
    all.extend(buttons(explorer).iter().map(spot_of).map(Attempt::Place));
    if is_last {
        all.extend(keys(&KEYS[LEAST_HARM..]));
    }
    all.dedup();
    all
}

/// Something that stands in the middle above the board, within four tiles, on a plain ground.
fn above<D: Desktop>(explorer: &Explorer<D>) -> Option<Rect> {
    let bounds = explorer.grid.bounds();
    let picture = &explorer.shot.pixels;
    let (_, down) = explorer.grid.pitch();
    let middle = bounds.left + bounds.width / 2;
    let first = bounds.top.saturating_sub((4.0 * down).max(70.0) as u32);
    let column: Vec<u32> = (first..bounds.top).filter(|&y| is_busy(picture, middle, y)).collect();
    // The longest stretch of it that is not plain.
    let mut best: Option<(u32, u32)> = None;
    let mut run: Option<(u32, u32)> = None;
    for y in column {
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
    let (from, to) = best.filter(|(from, to)| to - from >= 8)?;
    Some(Rect { left: middle.saturating_sub(2), top: from, width: 5, height: to - from + 1 })
}

/// What may be buttons beside and below the board, in its window, the nearest to its middle first.
fn buttons<D: Desktop>(explorer: &Explorer<D>) -> Vec<Rect> {
    let (picture, bounds) = (&explorer.shot.pixels, explorer.grid.bounds());
    let ends = |at: u32, length: u32| at..at + length;
    let is_board =
        |x: u32, y: u32| ends(bounds.left, bounds.width).contains(&x) && ends(bounds.top, bounds.height).contains(&y);
    let below = || picture.enumerate_pixels().filter(|(x, y, _)| *y >= bounds.top && !is_board(*x, *y));
    // The commonest colours are the ground: that of the window, and of what is around it.
    let mut counts: HashMap<[u8; 4], usize> = HashMap::new();
    below().for_each(|(_, _, pixel)| *counts.entry(pixel.0).or_default() += 1);
    let mut grounds: Vec<([u8; 4], usize)> = counts.into_iter().collect();
    grounds.sort_by_key(|&(colour, count)| (Reverse(count), colour));
    let (across, down) = (picture.width().div_ceil(SQUARE), picture.height().div_ceil(SQUARE));
    let mut rects: Vec<Rect> = Vec::new();
    for &(ground, _) in grounds.iter().take(GROUNDS) {
        let mut coarse = GrayImage::new(across, down);
        for (x, y, pixel) in below() {
            if pixel.0.iter().zip(ground).any(|(one, other)| one.abs_diff(other) > STANDS_OUT) {
                coarse.put_pixel(x / SQUARE, y / SQUARE, Luma([255]));
            }
        }
        let parts = connected_components(&coarse, Connectivity::Eight, Luma([0]));
        let mut boxes: BTreeMap<u32, [u32; 4]> = BTreeMap::new();
        for (x, y, part) in parts.enumerate_pixels().filter(|(_, _, part)| part.0[0] > 0) {
            let [left, top, right, bottom] = boxes.entry(part.0[0]).or_insert([x, y, x, y]);
            (*left, *top, *right, *bottom) = ((*left).min(x), (*top).min(y), (*right).max(x), (*bottom).max(y));
        }
        rects.extend(boxes.into_values().map(|[left, top, right, bottom]| Rect {
            left: left * SQUARE,
            top: top * SQUARE,
            width: (right - left + 1) * SQUARE,
            height: (bottom - top + 1) * SQUARE,
        }));
    }
    rects.retain(|rect| BUTTON[0].contains(&rect.width) && BUTTON[1].contains(&rect.height));
    let middle = Rect { left: bounds.left + bounds.width / 2, top: bounds.top + bounds.height, width: 1, height: 1 };
    let far = |rect: &Rect| (rect.center().x - middle.center().x).hypot(rect.center().y - middle.center().y);
    rects.sort_by(|one, other| far(one).total_cmp(&far(other)));
    rects.dedup();
    rects.truncate(PLACES);
    rects
}

/// Whether a picture changes around a point from side to side.
fn is_busy(picture: &RgbaImage, x: u32, y: u32) -> bool {
    let reach = x.saturating_sub(12)..(x + 12).min(picture.width());
    let mut pixels = reach.map(|x| picture.get_pixel(x, y));
    let first = pixels.next();
    pixels.any(|pixel| Some(pixel) != first)
}

fn step(attempt: &Attempt) -> Step {
    match attempt {
        Attempt::Keys(keys) => Step::Keys((*keys).into()),
        Attempt::Place(spot) => Step::Click(*spot),
        Attempt::Board => ON_THE_BOARD,
    }
}

/// A step for people.
pub fn in_words(step: &Step) -> String {
    match step {
        Step::Keys(keys) | Step::Answer(keys) => format!("the key {keys}"),
        Step::Click(spot) if spot.tiles[0] == 0.5 && spot.tiles[1] == 0.5 => "a click on the board".into(),
        Step::Click(spot) => {
            let name = toml::Value::try_from(spot.from).ok().and_then(|name| name.as_str().map(str::to_owned));
            format!(
                "a click {:.1} tiles right and {:.1} below the board's {}",
                spot.tiles[0],
                spot.tiles[1],
                name.unwrap_or_default()
            )
        }
        Step::Point(_) => "the pointer moved".into(),
        Step::Wait(ms) => format!("a wait of {ms} ms"),
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
        let hold_ms = self.notes.hold();
        for cell in rest {
            let at = self.shot.to_screen(self.grid.center(cell));
            self.desktop.act(&Action::Click(Click { button: Button::Right, at, hold_ms, with: None }))?;
            self.desktop.wait(STAY)?;
        }
        self.settle()?;
        Ok(true)
    }

    /// Opens one of the mines that are left without a flag; whether there were any.
    fn open_a_mine(&mut self) -> Result<bool, DesktopError> {
        if let Some(&cell) = self.rest().first() {
            self.press(cell, Button::Left)?;
            return Ok(true);
        }
        Ok(false)
    }

    /// Does one step. What would have gone to another window is not done, and not tried again.
    pub fn carry_out(&mut self, step: &Step) -> Result<(), DesktopError> {
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
            Step::Wait(ms) => self.desktop.wait(Duration::from_millis(*ms)),
            Step::Point(spot) => self.desktop.act(&Action::Point(self.shot.to_screen(self.grid.spot(*spot)))),
            Step::Click(spot) => {
                let at: ScreenPoint = self.shot.to_screen(self.grid.spot(*spot));
                self.allow(&[at]);
                let hold_ms = self.notes.hold();
                self.desktop.act(&Action::Click(Click { button: Button::Left, at, hold_ms, with: None }))?;
                self.desktop.wait(STAY)
            }
        }
    }
}
