//! Pages of a client before its first board, and after a game: a start page, best times, a menu. What may be buttons is clicked, only in the
//! client's own window, until a board shows.

use super::called::is_of_the_game;
use super::controls::{BUTTON, LETTER, buttons_in, differ, is_filled, is_framed, lettering, words};
use super::fields::is_field;
use super::panel::Panel;
use crate::client::{Button, LONGEST_WAIT, Step, Touch};
use crate::desktop::windows::{Shown, below_title, shown};
use crate::desktop::{Action, Click, Desktop, DesktopError, Window};
use crate::geometry::{Pixel, Rect, ScreenPoint, ScreenRect};
use crate::screenshot::{Screenshot, cut};
use image::RgbaImage;
use std::time::Duration;

/// Clicks, and how long, at most.
const CLICKS: usize = 8;
const PATIENCE: Duration = Duration::from_secs(45);
/// What goes back to the page before in a browser, and to the next one.
const BACK: &str = "alt+Left";
const FORWARD: &str = "alt+Right";
/// What is waited for what a click brings up, and between two pictures of a page, of which so many are taken until it stays as it is.
const COMES: Duration = Duration::from_millis(500);
const PAUSE: Duration = Duration::from_millis(200);
const STEADY: usize = 10;
/// What differs from its page by less than one part in so many of what differs most is faint: it shows through a shade.
const FAINT: u16 = 3;
/// Pixels by which boxes in a row are higher or lower than others.
const LEVEL: u32 = 2;
/// How far from the middle of a tile what is on it has its own, and how large it is at most, in tiles.
const IN_TILE: f64 = 0.2;
const LIKE_TILE: f64 = 1.2;
/// How often the button that the person points at is clicked, where nothing comes of it.
const TRIES: usize = 2;
/// How long a button takes to look otherwise below the pointer.
const HOVER: Duration = Duration::from_millis(150);
/// How far from the sides of its box what is written is, in pixels.
const INSIDE: u32 = 2;
/// Buttons of a page that are looked at.
const LOOKED_AT: usize = 12;
/// Pixels by which a box may be found larger than it is.
const SQUARES: u32 = 8;
/// How near two places are one, in pixels.
const NEAR: i32 = 8;
/// The share of a page's pixels that may differ, by so many grey levels, where it is the same page: a clock, a caret.
const SAME: f64 = 0.004;
const LEVELS: u8 = 16;
/// Pixels around a click, across and down, by which a page is known again.
const AROUND: [u32; 2] = [80, 40];
/// The outer share of a window, on each side, where pages seldom have their buttons, and browsers have theirs.
const OUTER: f64 = 0.08;

/// A page as it was before a click, and where that was on the screen.
pub type Tried = (RgbaImage, ScreenPoint);

/// The screen, and the window on it that shows a page.
pub type Seen = (Screenshot, Shown);

/// A walk through pages.
pub struct Walk {
    window: Window,
    /// Where the person points.
    pointed: Option<ScreenPoint>,
    began: Duration,
    clicks: usize,
    /// Pages as they were before a click, and where that was: all of them, those of walks before this one, and those that led on.
    tried: Vec<Tried>,
    before: Vec<Tried>,
    way: Vec<Turn>,
    /// Clicks that led on before.
    known: Vec<Turn>,
    /// The tiles of a board that the page may lie over: their middles, and how large they are, in pixels.
    tiles: (Vec<ScreenPoint>, f64),
    /// Whether that board shows, so that nothing on it is a button.
    is_board: bool,
    /// What is drawn over a part of that board, with the buttons of the first page.
    panel: Option<Panel>,
    /// What the window is called while it shows the client, where it may show something else: a browser's.
    title: Option<String>,
}

/// A click that leads on from a page.
#[derive(Clone, Debug)]
pub struct Turn {
    /// The page.
    page: RgbaImage,
    /// Where it was clicked, in pixels from its corner, and where that was on the screen.
    inside: Pixel,
    at: ScreenPoint,
}

impl Turn {
    /// Where on the screen it was made.
    pub fn at(&self) -> ScreenPoint {
        self.at
    }

    /// Whether another one is from the same page.
    pub fn is_like(&self, other: &Self) -> bool {
        self.is_of(&other.page)
    }

    /// Whether this is its page, at least where it was clicked: a best time may be written there since, and a part of it be off the screen.
    fn is_of(&self, page: &RgbaImage) -> bool {
        let (x, y) = (self.inside.x.max(0.0) as u32, self.inside.y.max(0.0) as u32);
        let [wide, high] = AROUND;
        let (left, top) = (x.saturating_sub(wide / 2), y.saturating_sub(high / 2));
        let around = Rect { left, top, width: wide, height: high };
        cut(page, around).zip(cut(&self.page, around)).is_some_and(|(now, then)| is_same(&now, &then))
    }
}

impl Walk {
    /// From the page that this window shows.
    pub fn new<D: Desktop>(desktop: &mut D, window: Window) -> Self {
        Self {
            window,
            pointed: None,
            began: desktop.clock(),
            clicks: 0,
            tried: Vec::new(),
            before: Vec::new(),
            way: Vec::new(),
            known: Vec::new(),
            tiles: (Vec::new(), 0.0),
            is_board: false,
            panel: None,
            title: None,
        }
    }

    /// The same where something is drawn over a part of the board: nothing else of the first page is clicked.
    pub fn within(self, panel: Option<Panel>) -> Self {
        Self { panel, ..self }
    }

    /// The same over a board with tiles here, so large in pixels: what is as large as one and where one is comes last.
    pub fn over(self, tiles: Vec<ScreenPoint>, size: f64) -> Self {
        Self { tiles: (tiles, size), ..self }
    }

    /// The same where that board shows: what looks like its tiles is not clicked on the first page, nor the middle of that.
    pub fn beside(self, is_board: bool) -> Self {
        Self { is_board, ..self }
    }

    /// The same with clicks that led on from pages before.
    pub fn knowing(self, known: Vec<Turn>) -> Self {
        Self { known, ..self }
    }

    /// The same after walks that led nowhere: what they clicked is not clicked again.
    pub fn after(self, before: Vec<Tried>) -> Self {
        Self { before, ..self }
    }

    /// The same in a window that is called so while it shows the client, and may show something else.
    pub fn called(self, title: Option<String>) -> Self {
        Self { title, ..self }
    }

    /// All that was clicked, by walks before this one, too.
    pub fn tried(self) -> Vec<Tried> {
        [self.before, self.tried].concat()
    }

    /// The clicks that led on, to be known later.
    pub fn turns(&self) -> Vec<Turn> {
        self.way.clone()
    }

    /// The same from where the person points: a button that is there is clicked first.
    pub fn beginning_at(self, pointed: Option<ScreenPoint>) -> Self {
        Self { pointed, ..self }
    }

    /// Whether the client's window is what is at a place.
    pub fn holds<D: Desktop>(&self, desktop: &mut D, at: ScreenPoint) -> bool {
        desktop.window_at(at).is_some_and(|found| found.program == self.window.program)
    }

    /// The clicks that led on.
    pub fn way(&self) -> impl Iterator<Item = ScreenPoint> {
        self.way.iter().map(|turn| turn.at)
    }

    /// Makes the next click, and waits for what comes of it; whether there was one to be made.
    ///
    /// # Errors
    /// The screen or the mouse cannot be used, or the person stopped.
    pub fn step<D: Desktop>(&mut self, desktop: &mut D) -> Result<bool, DesktopError> {
        let Some(seen) = self.look(desktop)? else { return Ok(false) };
        self.click(desktop, seen)
    }

    /// The page where the next click may be made, once it stays as it is; nothing where none is to be made any more.
    ///
    /// # Errors
    /// As of [`Walk::step`].
    pub fn look<D: Desktop>(&self, desktop: &mut D) -> Result<Option<Seen>, DesktopError> {
        let is_over = self.clicks >= CLICKS || desktop.clock().saturating_sub(self.began) >= PATIENCE;
        if is_over { Ok(None) } else { self.page(desktop) }
    }

    /// Goes back where the window is called otherwise by now: what was clicked was a link out of the client, and what lies behind it is none of its
    /// pages. Whether it did; a client that calls itself otherwise has nowhere to go back to, or is come back to.
    ///
    /// # Errors
    /// As of [`Walk::step`].
    pub fn goes_back<D: Desktop>(&mut self, desktop: &mut D) -> Result<bool, DesktopError> {
        let own = self.title.clone();
        // One that has gone is called nothing.
        let is_other = |is: String| own.as_ref().is_some_and(|own| *own != is) && !is_of_the_game(&is);
        let has_left = |desktop: &mut D| desktop.title_of(self.window).is_some_and(is_other);
        if !has_left(desktop) {
            return Ok(false);
        }
        log::debug!("the window is called otherwise than {:?} now: going back", self.title);
        let before = self.page(desktop)?;
        turn(desktop, BACK)?;
        let after = self.page(desktop)?;
        if !has_left(desktop) {
            self.way.pop();
            return Ok(true);
        }
        if before.zip(after).is_some_and(|(before, after)| !is_same(&before.0.pixels, &after.0.pixels)) {
            turn(desktop, FORWARD)?;
        }
        self.title = None;
        Ok(false)
    }

    /// Makes the next click on a page that was looked at.
    ///
    /// # Errors
    /// As of [`Walk::step`].
    pub fn click<D: Desktop>(&mut self, desktop: &mut D, (screen, shown): Seen) -> Result<bool, DesktopError> {
        let Shown { window, place, .. } = shown;
        let Some(page) = cut(&screen.pixels, place) else { return Ok(false) };
        let middle = Pixel { x: f64::from(place.left + place.width / 2), y: f64::from(place.top) };
        let ScreenPoint { x, y } = screen.to_screen(middle);
        let title = below_title(desktop, window, x).saturating_sub(y).max(0) as u32;
        // A click that changed nothing is none of the way, nor is one that led to a page that had been before.
        if let Some(again) = self.way.iter().position(|turn| is_same(&turn.page, &page)) {
            self.way.truncate(again);
        }
        // What is drawn over the board is none of another window.
        let panel = self.panel.as_ref().filter(|_| window.id == self.window.id);
        let Some(at) = self.next(desktop, &screen, place, &page, title, panel)? else { return Ok(false) };
        self.clicks += 1;
        self.tried.push((page.clone(), at));
        let Pixel { x, y } = screen.to_pixel(at);
        let inside = Pixel { x: x - f64::from(place.left), y: y - f64::from(place.top) };
        self.way.push(Turn { page, inside, at });
        let spot = ScreenRect { corner: ScreenPoint { x: at.x - 2, y: at.y - 2 }, width: 5, height: 5 };
        // What is in front there must be the client's, whatever was seen before.
        if desktop.window_at(at).is_some_and(|found| found.program != self.window.program) {
            return Ok(true);
        }
        desktop.allow(&[spot, spot]);
        log::debug!("clicking what may be a button of a page, at {},{}", at.x, at.y);
        let touch = Touch::default().unhurried();
        match desktop.act(&Action::Click(Click { button: Button::Left, at, touch, with: None })) {
            Err(DesktopError::Foreign(why)) => log::debug!("another window is there: {why}"),
            other => other?,
        }
        desktop.wait(COMES)?;
        self.page(desktop)?;
        Ok(true)
    }

    /// The screen once the client's page stays as it is, and the window on it that shows the page; nothing where it has gone.
    fn page<D: Desktop>(&self, desktop: &mut D) -> Result<Option<Seen>, DesktopError> {
        let mut screen = desktop.look(None)?;
        for _ in 0..STEADY {
            desktop.wait(PAUSE)?;
            let now = desktop.look(None)?;
            let is_still = is_same(&screen.pixels, &now.pixels);
            screen = now;
            if is_still {
                break;
            }
        }
        let own = self.window;
        let shown = shown(desktop, &screen).into_iter().filter(|shown| shown.window.program == own.program);
        // A dialog that has the keyboard is answered first, then what lies over the board without it, as what a client draws as a window without a frame.
        let dialog = desktop.window_of_keys().filter(|keys| keys.id != own.id).map(|keys| keys.id);
        let lies_over = |shown: &Shown| {
            let is_below = |tile: &ScreenPoint| shown.place.contains(screen.to_pixel(*tile));
            shown.window.id != own.id && self.tiles.0.iter().any(is_below)
        };
        let rank = |shown: &Shown| {
            (Some(shown.window.id) == dialog, lies_over(shown), shown.window.id == own.id, shown.points)
        };
        Ok(shown.max_by_key(rank).map(|shown| (screen, shown)))
    }

    /// Whether what is found here may be a tile, or what is on it; or a row or a column of tiles, whole ones.
    fn is_tile(&self, screen: &Screenshot, at: ScreenPoint, rect: Rect) -> bool {
        let ((tiles, size), here) = (&self.tiles, screen.to_pixel(at));
        let (wide, high) = (f64::from(rect.width), f64::from(rect.height));
        let is_at = |x: f64, y: f64| {
            let is_near = |tile: Pixel| (tile.x - x).abs().max((tile.y - y).abs()) < IN_TILE * size;
            tiles.iter().any(|tile| is_near(screen.to_pixel(*tile)))
        };
        // Of more tiles the first and the last are at its ends.
        let (across, down) = ((wide - size).max(0.0) / 2.0, (high - size).max(0.0) / 2.0);
        let is_narrow = wide.min(high) < LIKE_TILE * size;
        is_narrow && is_at(here.x - across, here.y - down) && is_at(here.x + across, here.y + down)
    }

    /// Where to click next: what led on from this page before, or where the person points; then what looks otherwise below the pointer, what bears
    /// words that came with what is drawn over the board, what is filled with a colour or has a frame, what is one of several in a row, as levels are, and what else stands out of the page, from its top
    /// on; at last its middle. What is at the edges of the window, and fields, are for later, and what is faint or where a tile is for last. Nothing where all of that
    /// was tried, or what is drawn over the board has nothing more.
    fn next<D: Desktop>(
        &self,
        desktop: &mut D,
        screen: &Screenshot,
        place: Rect,
        page: &RgbaImage,
        title: u32,
        panel: Option<&Panel>,
    ) -> Result<Option<ScreenPoint>, DesktopError> {
        let at = |rect: &Rect| {
            let Pixel { x, y } = rect.center();
            screen.to_screen(Pixel { x: x + f64::from(place.left), y: y + f64::from(place.top) })
        };
        let was_tried = |at: ScreenPoint| {
            let is_near = |other: ScreenPoint| (other.x - at.x).abs().max((other.y - at.y).abs()) <= NEAR;
            self.tried.iter().chain(&self.before).any(|(then, place)| is_near(*place) && is_same(then, page))
        };
        let known = self.known.iter().find(|turn| turn.is_of(page)).map(|turn| {
            let Pixel { x, y } = turn.inside;
            screen.to_screen(Pixel { x: x + f64::from(place.left), y: y + f64::from(place.top) })
        });
        if let Some(at) = known.filter(|at| !was_tried(*at)) {
            return Ok(Some(at));
        }
        let mut found = Vec::new();
        let mut boxes = buttons_in(page, &|_, y| y >= title, &BUTTON);
        // What is as large as that is the page.
        boxes.retain(|rect| 2 * rect.width * rect.height < page.width() * page.height());
        // A first click may do no more than bring the window to the front, or come before the page is ready.
        let is_page_of_first = self.tried.iter().all(|(then, _)| is_same(then, page));
        if let Some(pointed) = self.pointed.filter(|_| self.clicks < TRIES && is_page_of_first) {
            let Pixel { x, y } = screen.to_pixel(pointed);
            let inside = Pixel { x: x - f64::from(place.left), y: y - f64::from(place.top) };
            // A card with a picture and words is no box, and clicked once all the same.
            if self.clicks == 0 || boxes.iter().any(|rect| rect.contains(inside)) {
                return Ok(Some(pointed));
            }
        }
        let panel = panel.filter(|_| is_page_of_first);
        let is_shown = |rect: &Rect| panel.is_none_or(|panel| panel.contains(at(rect)));
        boxes.retain(is_shown);
        let is_board = self.is_board && is_page_of_first;
        boxes.retain(|rect| !is_board || !self.is_tile(screen, at(rect), *rect));
        let mut boxes: Vec<Rect> = joined(page, boxes).into_iter().flat_map(|rect| apart(page, rect)).collect();
        let on_page = |corners: &[ScreenPoint; 2]| {
            let [Pixel { x, y }, last] = corners.map(|corner| screen.to_pixel(corner));
            let (left, top) = ((x as u32).saturating_sub(place.left), (y as u32).saturating_sub(place.top));
            Rect { left, top, width: (last.x - x) as u32, height: (last.y - y) as u32 }
        };
        let words_came: Vec<Rect> = panel.iter().flat_map(|panel| panel.words.iter().map(on_page)).collect();
        let came: Vec<Rect> = panel.iter().flat_map(|panel| panel.came.iter().map(on_page)).collect();
        boxes.retain(|rect| came.is_empty() || came.iter().any(|came| lies_within(rect, came)));
        boxes = with_words(boxes, &words_came);
        // On a ground that is nowhere the same nothing stands out but what is written.
        let written = words(lettering(page, &(0..page.width()), title..page.height(), &BUTTON[1]));
        let is_known =
            |word: &Rect| boxes.iter().any(|rect| rect.contains(word.center()) || word.contains(rect.center()));
        let is_word = |word: &Rect| BUTTON[0].contains(&word.width) && is_shown(word) && !is_known(word);
        boxes.extend(written.into_iter().filter(is_word).collect::<Vec<_>>());
        let rows: Vec<bool> = boxes.iter().map(|rect| boxes.iter().any(|other| are_in_a_row(rect, other))).collect();
        let strongest = boxes.iter().map(|rect| contrast(page, *rect)).max().unwrap_or(0);
        let boxes = boxes.into_iter().zip(rows).filter(|(rect, _)| !was_tried(at(rect)));
        let (faint, clear): (Vec<_>, Vec<_>) = boxes.partition(|(rect, _)| {
            let is_below = || self.is_tile(screen, at(rect), *rect) || is_faint(contrast(page, *rect), strongest);
            panel.is_none() && is_below()
        });
        let boxes = if clear.is_empty() { faint } else { clear }.into_iter();
        for (rect, is_one_of_several) in boxes.take(LOOKED_AT) {
            desktop.act(&Action::Point(at(&rect)))?;
            desktop.wait(HOVER)?;
            let now = desktop.look(None)?;
            let below = Rect { left: place.left + rect.left, top: place.top + rect.top, ..rect };
            let then_and_now = cut(page, rect).zip(cut(&now.pixels, below));
            let answers = then_and_now.is_some_and(|(then, now)| !is_same(&then, &now));
            let is_outer = is_outer(&rect, page.dimensions());
            let is_box = is_filled(page, rect) || is_framed(page, rect);
            let is_last = (is_outer, is_field(page, rect));
            let has_come = words_came.iter().any(|word| rect.contains(word.center()));
            found.push(((is_last, !answers, !has_come, !is_box, !is_one_of_several, rect.top, rect.left), at(&rect)));
        }
        found.sort_by_key(|(rank, _)| *rank);
        log::debug!("what may be buttons of a page of {:?}: {found:?}", page.dimensions());
        let middle = at(&Rect { left: 0, top: 0, width: page.width(), height: page.height() });
        let middle = Some(middle).filter(|middle| panel.is_none() && !is_board && !was_tried(*middle));
        Ok(found.first().map(|(_, at)| *at).or(middle))
    }
}

/// Types what turns the pages of a browser, if it has the keyboard.
fn turn<D: Desktop>(desktop: &mut D, keys: &str) -> Result<(), DesktopError> {
    match desktop.act(&Action::Keys(keys.into())) {
        Err(DesktopError::Foreign(why)) => log::debug!("another window has the keyboard: {why}"),
        other => other?,
    }
    desktop.wait(COMES)
}

/// What was done, one after the other, as a step that begins a game; nothing if nothing was.
pub fn way(all: Vec<Step>) -> Option<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for step in all {
        if let Some(last) = steps.last() {
            // A program takes its time until it shows anything.
            let ms = if *last == Step::Start { LONGEST_WAIT } else { COMES.as_millis() as u64 };
            steps.push(Step::Wait(ms));
        }
        steps.push(step);
    }
    if steps.len() > 1 { Some(Step::All(steps)) } else { steps.pop() }
}

/// What may be buttons of a page: boxes that stand in a row, wider than they are high, and whatever else hangs together, word by word. Boxes that
/// stand close together are not one, as letters are.
fn joined(page: &RgbaImage, found: Vec<Rect>) -> Vec<Rect> {
    let is_box = |rect: &Rect| 2 * rect.width >= 3 * rect.height && (is_filled(page, *rect) || is_framed(page, *rect));
    let single: Vec<Rect> = found.iter().copied().filter(is_box).collect();
    let is_level = |one: &Rect, other: &Rect| {
        one != other && one.top.abs_diff(other.top) <= LEVEL && one.height.abs_diff(other.height) <= LEVEL
    };
    let (boxes, rest): (Vec<Rect>, Vec<Rect>) =
        found.into_iter().partition(|rect| is_box(rect) && single.iter().any(|other| is_level(rect, other)));
    let rest = words(rest).into_iter().filter(|word| !boxes.iter().any(|rect| rect.contains(word.center())));
    let mut all: Vec<Rect> = boxes.iter().copied().chain(rest).collect();
    // One beside a field that is typed into is no part of that.
    let is_known = |rect: &Rect| {
        boxes.iter().any(|one| one.contains(rect.center()))
            || all.iter().any(|one| one.contains(rect.center()) && rect.contains(one.center()))
    };
    let alone: Vec<Rect> = single.into_iter().filter(|rect| !is_known(rect)).collect();
    all.extend(alone);
    all.sort_by_key(|rect| (rect.top, rect.left));
    all
}

/// The lines that are written in a box, where it has several that stand nearly as far apart as they are high, as on buttons that nearly touch; or the box.
fn apart(page: &RgbaImage, rect: Rect) -> Vec<Rect> {
    let Rect { left, top, width, height } = rect;
    let mut lines: Vec<Rect> = Vec::new();
    let mut written = lettering(page, &(left..left + width), top..top + height, &LETTER);
    // What goes on to its side is the ground beside a button that is narrower than others, where the frame of that is the middle of its line.
    written.retain(|letter| letter.left > left + INSIDE && letter.left + letter.width + INSIDE < left + width);
    written.sort_by_key(|letter| letter.top);
    for letter in written {
        match lines.last_mut().filter(|line| letter.top < line.top + line.height) {
            Some(line) => {
                let (right, bottom) = (line.left + line.width, line.top + line.height);
                line.left = line.left.min(letter.left);
                line.width = right.max(letter.left + letter.width) - line.left;
                line.height = bottom.max(letter.top + letter.height) - line.top;
            }
            None => lines.push(letter),
        }
    }
    // Letters are found to whole squares of 4 pixels.
    let is_apart =
        |pair: &[Rect]| 4 * (pair[1].top - (pair[0].top + pair[0].height)) >= 3 * pair[0].height.min(pair[1].height);
    let is_several = lines.len() > 1 && lines.windows(2).all(is_apart);
    if is_several { lines } else { vec![rect] }
}

/// Whether a box lies within another one, give or take the squares to which they are found.
fn lies_within(rect: &Rect, other: &Rect) -> bool {
    let is_within = |from: u32, length: u32, (start, reach): (u32, u32)| {
        from + SQUARES >= start && from + length <= start + reach + SQUARES
    };
    is_within(rect.left, rect.width, (other.left, other.width))
        && is_within(rect.top, rect.height, (other.top, other.height))
}

/// The same boxes with what is written on no one of them; one with several words is several buttons.
fn with_words(mut boxes: Vec<Rect>, words: &[Rect]) -> Vec<Rect> {
    let holds = |rect: &Rect| words.iter().filter(|word| rect.contains(word.center())).count();
    boxes.retain(|rect| holds(rect) < 2);
    let is_alone = |word: &&Rect| !boxes.iter().any(|rect| rect.contains(word.center()));
    let alone: Vec<Rect> = words.iter().filter(is_alone).copied().collect();
    [boxes, alone].concat()
}

/// Whether two boxes are of one size and beside each other, or one below the other.
fn are_in_a_row(one: &Rect, other: &Rect) -> bool {
    let is_near = |a: f64, b: f64| (a - b).abs() <= f64::from(NEAR);
    let (a, b) = (one.center(), other.center());
    let is_alike = is_near(f64::from(one.width), f64::from(other.width))
        && is_near(f64::from(one.height), f64::from(other.height));
    one != other && is_alike && (is_near(a.x, b.x) || is_near(a.y, b.y))
}

/// Whether what has so much contrast shows through what a page lies over like a shade: that is fainter than what the page says itself.
fn is_faint(contrast: u8, strongest: u8) -> bool {
    FAINT * u16::from(contrast) < u16::from(strongest)
}

/// By how many grey levels what is in a box differs from the page around it, at most.
fn contrast(page: &RgbaImage, rect: Rect) -> u8 {
    let outside = page.get_pixel_checked(rect.left.saturating_sub(3), rect.top.saturating_sub(3));
    let Some((outside, inside)) = outside.zip(cut(page, rect)) else { return 0 };
    let apart = inside.pixels().flat_map(|pixel| pixel.0.into_iter().zip(outside.0));
    apart.map(|(one, other)| one.abs_diff(other)).max().unwrap_or(0)
}

/// Whether a box is at the edge of its window.
fn is_outer(rect: &Rect, (width, height): (u32, u32)) -> bool {
    let Pixel { x, y } = rect.center();
    let is_out = |at: f64, length: u32| {
        let share = at / f64::from(length.max(1));
        !(OUTER..=1.0 - OUTER).contains(&share)
    };
    is_out(x, width) || is_out(y, height)
}

/// Whether two pictures are of the same page.
fn is_same(one: &RgbaImage, other: &RgbaImage) -> bool {
    if one.dimensions() != other.dimensions() {
        return false;
    }
    let differing = one.pixels().zip(other.pixels()).filter(|(one, other)| differ(one.0, other.0, LEVELS)).count();
    differing as f64 <= SAME * f64::from(one.width() * one.height())
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgba;

    #[test]
    fn a_row_of_tiles_is_no_button_and_a_button_over_tiles_is_none_of_them() {
        let tiles = (0..100).map(|at| ScreenPoint { x: 120 + 40 * (at % 10), y: 120 + 40 * (at / 10) }).collect();
        let (window, began) = (Window::NONE, Duration::ZERO);
        let walk = Walk {
            window,
            pointed: None,
            began,
            clicks: 0,
            tried: vec![],
            before: vec![],
            way: vec![],
            known: vec![],
            tiles: (tiles, 40.0),
            is_board: false,
            panel: None,
            title: None,
        };
        let screen = Screenshot::from_picture(RgbaImage::new(700, 700));
        let is_tile = |left, top, width, height| {
            let rect = Rect { left, top, width, height };
            walk.is_tile(&screen, screen.to_screen(rect.center()), rect)
        };
        assert!(is_tile(104, 104, 32, 32) && is_tile(100, 140, 400, 40) && is_tile(141, 101, 38, 398));
        assert!(!is_tile(210, 280, 180, 40) && !is_tile(205, 305, 190, 30) && !is_tile(100, 520, 400, 40));
        assert!(!is_tile(100, 100, 400, 400), "the whole board");
    }

    #[test]
    fn what_is_beneath_a_box_that_came_is_none_of_its_buttons() {
        let place = |left, top, width, height| Rect { left, top, width, height };
        let came = place(892, 560, 148, 48);
        assert!(lies_within(&place(892, 580, 88, 28), &came) && lies_within(&came, &came));
        assert!(!lies_within(&place(956, 585, 40, 66), &came) && !lies_within(&place(868, 520, 180, 82), &came));
        // One box with two words is two buttons, and one with a single word is a button.
        let [one, other] = [place(900, 588, 56, 12), place(984, 588, 32, 12)];
        assert_eq!(with_words(vec![place(892, 580, 148, 28)], &[one, other]), [one, other]);
        assert_eq!(with_words(vec![place(892, 580, 80, 28)], &[one]), [place(892, 580, 80, 28)]);
    }

    #[test]
    fn levels_are_in_a_row_and_a_title_is_not() {
        let place = |left, top, width| Rect { left, top, width, height: 40 };
        let [title, easy, hard] = [place(60, 10, 280), place(100, 80, 200), place(98, 140, 204)];
        assert!(are_in_a_row(&easy, &hard) && !are_in_a_row(&title, &easy) && !are_in_a_row(&easy, &easy));
    }

    #[test]
    fn buttons_close_together_are_not_one() {
        let filled = |x: u32, y: u32| (20..40).contains(&y) && (20..220).contains(&x) && x % 70 < 60;
        let page = RgbaImage::from_fn(260, 60, |x, y| Rgba(if filled(x, y) { [30, 90, 200, 255] } else { [240; 4] }));
        let found = |left| Rect { left, top: 20, width: 60, height: 20 };
        // What is written on the first is not a button of its own.
        let written = Rect { left: 84, top: 24, width: 30, height: 12 };
        let boxes = vec![found(70), written, found(140)];
        assert_eq!(joined(&page, boxes), [found(70), found(140)]);
    }

    #[test]
    fn a_button_beside_a_field_is_no_part_of_it() {
        // A line of text, below it a field with a frame, and a button with one.
        let is_frame = |x: u32, y: u32, rect: Rect| {
            let (x, y) = (x.wrapping_sub(rect.left), y.wrapping_sub(rect.top));
            x < rect.width && y < rect.height && (x == 0 || y == 0 || x + 1 == rect.width || y + 1 == rect.height)
        };
        let (field, button) =
            (Rect { left: 41, top: 28, width: 113, height: 20 }, Rect { left: 160, top: 27, width: 48, height: 24 });
        let page = RgbaImage::from_fn(248, 129, |x, y| {
            let is_letter = (40..200).contains(&x) && x % 8 < 5 && (10..22).contains(&y);
            let is_line = is_frame(x, y, field) || is_frame(x, y, button);
            Rgba(if is_letter || is_line { [60, 60, 60, 255] } else { [238, 238, 238, 255] })
        });
        let found = [(40, 8, 172, 44), (158, 26, 50, 26)]
            .map(|(left, top, width, height)| Rect { left, top, width, height })
            .to_vec();
        assert!(joined(&page, found.clone()).contains(&found[1]));
    }

    #[test]
    fn buttons_that_nearly_touch_are_one_below_the_other() {
        // Pale boxes of 24 pixels, two apart, with letters of 10 on them; or the lines of a text, 16 apart.
        let page = |pitch: u32| {
            RgbaImage::from_fn(200, 200, |x, y| {
                let (x, y) = (x.wrapping_sub(40), y.wrapping_sub(40));
                let is_box = x < 70 && y < 4 * pitch && y % pitch < pitch - 2;
                let is_letter = is_box && (8..50).contains(&x) && x % 7 < 5 && (7..17).contains(&(y % pitch));
                let light = if is_letter { 40 } else { 240 - 8 * u8::from(is_box) };
                Rgba([light, light, light, 255])
            })
        };
        let all = |pitch: u32| Rect { left: 40, top: 40, width: 70, height: 4 * pitch - 2 };
        let middles: Vec<u32> = apart(&page(26), all(26)).iter().map(|rect| rect.top + rect.height / 2).collect();
        assert_eq!(middles, [52, 78, 104, 130]);
        assert_eq!(apart(&page(19), all(19)), [all(19)], "lines of one text");
        // Each as wide as its word, in a darker frame.
        let widths = [38, 70, 58, 36];
        let framed = RgbaImage::from_fn(200, 200, |x, y| {
            let (x, y) = (x.wrapping_sub(40), y.wrapping_sub(40));
            let width = widths.get((y / 26) as usize).copied().unwrap_or(0);
            let (is_box, down) = (x < width && y % 26 < 24, y % 26);
            let is_frame = is_box && (x == 0 || x + 1 == width || down == 0 || down == 23);
            let is_letter = is_box && (8..width - 8).contains(&x) && x % 7 < 5 && (7..17).contains(&down);
            let light = if is_letter {
                40
            } else if is_frame {
                181
            } else {
                244 - 9 * u8::from(is_box)
            };
            Rgba([light, light, light, 255])
        });
        let middles: Vec<u32> = apart(&framed, all(26)).iter().map(|rect| rect.top + rect.height / 2).collect();
        assert_eq!(middles, [52, 78, 104, 130]);
    }

    #[test]
    fn words_are_found_on_a_ground_that_is_nowhere_the_same() {
        // Three words of five letters each, on what becomes darker from the middle on, as behind a start page.
        let page = RgbaImage::from_fn(600, 400, |x, y| {
            let far = (f64::from(x) - 300.0).hypot(f64::from(y) - 200.0);
            let dark = (80.0 - far / 6.0) as u8;
            let is_letter = (230..370).contains(&x) && (x - 230) % 28 < 20 && y % 100 >= 60 && y % 100 < 96 && y < 300;
            if is_letter { Rgba([215, 252, 212, 255]) } else { Rgba([dark, dark / 4, dark / 2, 255]) }
        });
        let found = words(lettering(&page, &(0..600), 0..400, &BUTTON[1]));
        let middles: Vec<(u32, u32)> =
            found.iter().map(|rect| (rect.left + rect.width / 2, rect.top + rect.height / 2)).collect();
        assert_eq!(middles.len(), 3, "{found:?}");
        for (row, (x, y)) in middles.into_iter().enumerate() {
            assert!(x.abs_diff(296) <= 6 && y.abs_diff(78 + 100 * row as u32) <= 6, "{found:?}");
        }
    }

    #[test]
    fn what_shows_through_a_shade_is_fainter_than_what_is_written_on_it() {
        let (shown, written) =
            (Rect { left: 20, top: 20, width: 30, height: 16 }, Rect { left: 80, top: 20, width: 30, height: 16 });
        let page = RgbaImage::from_fn(140, 60, |x, y| {
            let at = Pixel { x: f64::from(x), y: f64::from(y) };
            let light = match () {
                () if shown.contains(at) => 30,
                () if written.contains(at) && x % 4 < 2 => 140,
                () => 5,
            };
            Rgba([light, light, light, 255])
        });
        let (shown, written) = (contrast(&page, shown), contrast(&page, written));
        assert!(is_faint(shown, written) && !is_faint(written, written), "{shown} {written}");
    }
}
