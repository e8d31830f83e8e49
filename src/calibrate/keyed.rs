//! A client that is played by keys: its cursor shows where the board is, and clicks become keys.
//!
//! Keys that move a cursor are typed, one after the other. What changes by one is the tile that the cursor left and the one it came to, so two in a
//! row tell how far apart tiles are; a key that brings it to the first tile, and how often it moves from there, tell where the board is and how
//! large ([`find`]). What a cursor may cover of a tile is not looked at ([`Board::inner`]). Then the client is learned like any other, for [`Keyed`] types
//! where another desktop would click.

use super::controls::{commonest, differ};
use crate::client::{Button, Cursor, Frame, Step};
use crate::desktop::windows::shown;
use crate::desktop::{Action, Click, Desktop, DesktopError, Window};
use crate::geometry::{BoardSize, Pixel, Rect, ScreenPoint, ScreenRect};
use crate::screenshot::{Screenshot, cut};
use crate::vision::tile::patch::SIDE;
use crate::vision::{Grid, Way};
use image::RgbaImage;
use std::cmp::Reverse;
use std::collections::HashSet;
use std::ops::{Range, RangeInclusive};
use std::time::Duration;

/// Keys that move a cursor right and down, to the first tile, that open a tile, and that flag one, in the order in which they are tried.
const MOVES: [[&str; 2]; 2] = [["Right", "Down"], ["l", "j"]];
const HOMES: [&str; 3] = ["0", "g", "H"];
const OPENS: [&str; 3] = ["space", "Return", "o"];
const FLAGS: [&str; 3] = ["f", "m", "F"];
/// Moves until two of them show the same change a tile further on: the cursor may begin at the last tile but one.
const STRIDES: usize = 4;
/// How far tiles may be apart, in pixels, and how many columns or rows there may be.
const PITCH: RangeInclusive<u32> = 4..=200;
const COUNT: Range<u32> = 4..101;
/// Grey levels by which a pixel differs.
const LEVELS: u8 = 12;
/// More pixels do not change where a cursor moves, and so much of what does is the cursor, at least: a clock may change, and a text that says where
/// it is.
const MOST_CHANGED: usize = 50_000;
const MOVED: f64 = 0.2;
/// The share of a tile that a cursor must leave free.
const FREE: f64 = 0.15;
/// The pause between two looks, of which so many are taken until they show the same: what a key does in a terminal is painted at once.
const PAUSE: Duration = Duration::from_millis(40);
const STEADY: usize = 10;

/// A board that a cursor goes over.
#[derive(Clone, Debug)]
pub struct Board {
    /// The keys that move it: right, down, and to the first tile.
    moves: [&'static str; 3],
    /// The corner of the first tile on the screen, and how wide and high tiles are, in pixels.
    corner: ScreenPoint,
    pitch: (u32, u32),
    size: BoardSize,
    /// The part of a tile that no cursor covers, in pixels of the tile.
    inner: Rect,
    /// What is put in place of the rest.
    ground: [u8; 4],
    /// The corners of what is around the board.
    corners: Vec<RgbaImage>,
}

impl Board {
    /// With so many tiles of this size: the `cursor` is in the middle of the first one, in the first of two pictures, and beside it in the other.
    /// Nothing where it leaves too little of a tile free.
    fn of(
        moves: [&'static str; 3],
        (size, pitch): (BoardSize, (u32, u32)),
        cursor: Rect,
        (first, second): (&Screenshot, &Screenshot),
    ) -> Option<Self> {
        let from = |at: u32, length: u32, pitch: u32| (at + length / 2).checked_sub(pitch / 2);
        let left = from(cursor.left, cursor.width, pitch.0)?;
        let top = from(cursor.top, cursor.height, pitch.1)?;
        let part = |shot: &Screenshot, column: u32| {
            let tile = Rect { left: left + column * pitch.0, top, width: pitch.0, height: pitch.1 };
            cut(&shot.pixels, tile).filter(|part| part.dimensions() == pitch)
        };
        // What the cursor changes of the first tile, and what else is only there: a terminal has a cursor of its own.
        let (with, without, other) = (part(first, 0)?, part(second, 0)?, part(second, 2)?);
        let is_free = |x: u32, y: u32| {
            let of = |picture: &RgbaImage| picture.get_pixel(x, y).0;
            !differ(of(&with), of(&without), LEVELS) && !differ(of(&without), of(&other), LEVELS)
        };
        let inner = free(pitch, &is_free)?;
        let ground = commonest(without.pixels().map(|pixel| pixel.0)).first().copied()?;
        let corner = first.to_screen(Pixel { x: f64::from(left), y: f64::from(top) });
        let side = pitch.0.min(pitch.1) / 2;
        let (right, bottom) = (left + size.width * pitch.0, top + size.height * pitch.1);
        let (before, above) = (left.checked_sub(side), top.checked_sub(side));
        let places = [(before, above), (Some(right), above), (before, Some(bottom)), (Some(right), Some(bottom))];
        let cut_out = |(left, top): (Option<u32>, Option<u32>)| {
            let place = Rect { left: left?, top: top?, width: side, height: side };
            cut(&first.pixels, place).filter(|corner| corner.dimensions() == (side, side))
        };
        let corners = places.into_iter().filter_map(cut_out).collect();
        Some(Self { moves, corner, pitch, size, inner, ground, corners })
    }

    /// Where its tiles are in a picture.
    pub fn grid(&self, shot: &Screenshot) -> Grid {
        let Pixel { x, y } = shot.to_pixel(self.corner);
        let edges = |from: f64, pitch: u32, count: u32| {
            (0..=count).map(|index| from.round() + f64::from(index * pitch)).collect()
        };
        Grid { columns: edges(x, self.pitch.0, self.size.width), lines: edges(y, self.pitch.1, self.size.height) }
    }
}

/// What is written of a client that is played by keys.
#[derive(Clone, Debug)]
pub struct ByKeys {
    /// The keys.
    pub cursor: Cursor,
    /// The part of a tile that its cursor leaves free, in pixels of the tile.
    pub inner: Rect,
    /// The corners of what is around its board: upper left, upper right, lower left, lower right.
    pub corners: Vec<RgbaImage>,
}

impl ByKeys {
    /// A picture of a tile, with nothing where the cursor may be.
    pub fn without_cursor(&self, picture: &RgbaImage) -> RgbaImage {
        let mut picture = picture.clone();
        for (x, y, pixel) in picture.enumerate_pixels_mut() {
            if !holds(self.inner, x, y) {
                pixel.0[3] = 0;
            }
        }
        picture
    }

    /// Where the board ends, by the corners of what is around it.
    pub fn frame(&self) -> Option<Frame> {
        let [top_left, top_right, bottom_left, bottom_right] =
            ["top-left", "top-right", "bottom-left", "bottom-right"].map(|corner| format!("corner-{corner}.png"));
        let pictures = self.corners.clone();
        (pictures.len() == 4).then_some(Frame { top_left, top_right, bottom_left, bottom_right, pictures })
    }

    /// A step as a person would take it: a click on the board is a key there.
    pub fn step(&self, step: &Step) -> Step {
        match step {
            Step::Click(_) => Step::Keys(self.cursor.home.clone()),
            Step::All(steps) => Step::All(steps.iter().map(|step| self.step(step)).collect()),
            other => other.clone(),
        }
    }
}

fn holds(part: Rect, x: u32, y: u32) -> bool {
    part.contains(Pixel { x: f64::from(x), y: f64::from(y) })
}

/// Looks for a cursor in a window that keys move over a board. Nothing if there is none.
///
/// # Errors
/// The screen or the keyboard cannot be used, or the person stopped.
pub fn find<D: Desktop>(desktop: &mut D, window: Window) -> Result<Option<Board>, DesktopError> {
    let screen = desktop.look(None)?;
    let Some(place) = shown(desktop, &screen).into_iter().find(|shown| shown.window.id == window.id) else {
        return Ok(None);
    };
    let Pixel { x, y } = place.place.center();
    let at = screen.to_screen(Pixel { x, y });
    let spot = ScreenRect { corner: ScreenPoint { x: at.x - 2, y: at.y - 2 }, width: 5, height: 5 };
    desktop.allow(&[spot]);
    desktop.act(&Action::Raise)?;
    desktop.wait(PAUSE)?;
    let mut typist = Typist { desktop, place: place.place };
    match typist.find() {
        // It does not have the keyboard.
        Err(DesktopError::Foreign(why)) => {
            log::debug!("no key goes there: {why}");
            Ok(None)
        }
        other => other,
    }
}

/// Types into a window, and looks at what that changes.
struct Typist<'a, D> {
    desktop: &'a mut D,
    /// Where the window is, in pixels of the screen.
    place: Rect,
}

impl<D: Desktop> Typist<'_, D> {
    fn find(&mut self) -> Result<Option<Board>, DesktopError> {
        for [right, down] in MOVES {
            let Some(wide) = self.stride(right, Way::Columns)? else { continue };
            let Some(high) = self.stride(down, Way::Lines)? else { continue };
            log::debug!("{right} moves something by {wide} pixels, {down} by {high}");
            for home in HOMES {
                if let Some(board) = self.board([right, down, home], (wide, high))? {
                    return Ok(Some(board));
                }
            }
        }
        Ok(None)
    }

    /// The window once it stays as it is.
    fn look(&mut self) -> Result<Screenshot, DesktopError> {
        let mut last = self.desktop.look(None)?;
        for _ in 0..STEADY {
            self.desktop.wait(PAUSE)?;
            let now = self.desktop.look(None)?;
            let is_still = is_same(&last, &now, self.place);
            last = now;
            if is_still {
                break;
            }
        }
        Ok(last)
    }

    fn press(&mut self, keys: &str) -> Result<Screenshot, DesktopError> {
        self.desktop.act(&Action::Keys(keys.to_owned()))?;
        self.look()
    }

    /// How far a key moves a cursor. Nothing where it does not.
    fn stride(&mut self, keys: &str, way: Way) -> Result<Option<u32>, DesktopError> {
        let mut shots = [self.look()?, self.press(keys)?, self.press(keys)?];
        for _ in 0..STRIDES {
            if let Some((pitch, _)) = moved(&shots, self.place, way) {
                return Ok(Some(pitch));
            }
            shots.rotate_left(1);
            shots[2] = self.press(keys)?;
        }
        Ok(None)
    }

    /// The board that the cursor goes over, if a key brings it to a first tile from anywhere.
    fn board(&mut self, moves: [&'static str; 3], pitch: (u32, u32)) -> Result<Option<Board>, DesktopError> {
        let [right, down, home] = moves;
        let first = self.moves_from(home, right)?;
        let found = moved(&first, self.place, Way::Columns);
        self.press(down)?;
        let again = self.moves_from(home, right)?;
        log::debug!("from where {home} brings it {right} moves {found:?}");
        // Both tiles, as far as the cursor covers them.
        let Some((_, both)) = found.filter(|(by, both)| *by == pitch.0 && both.width > *by) else { return Ok(None) };
        if moved(&again, self.place, Way::Columns) != found {
            return Ok(None);
        }
        let width = 3 + self.moves_more(right, Way::Columns, again)?;
        let below = self.moves_from(home, down)?;
        let height = 3 + self.moves_more(down, Way::Lines, below)?;
        self.press(home)?;
        if !COUNT.contains(&width) || !COUNT.contains(&height) {
            return Ok(None);
        }
        let [first, second, _] = first;
        let cursor = Rect { width: both.width - pitch.0, ..both };
        let board = Board::of(moves, (BoardSize::new(width, height), pitch), cursor, (&first, &second));
        log::debug!(
            "a cursor goes over {width}x{height} tiles of {pitch:?} pixels: {:?}",
            board.as_ref().map(|board| board.inner)
        );
        Ok(board)
    }

    /// What shows where a key brings the cursor, and after each of two moves from there.
    fn moves_from(&mut self, home: &str, keys: &str) -> Result<[Screenshot; 3], DesktopError> {
        Ok([self.press(home)?, self.press(keys)?, self.press(keys)?])
    }

    /// How many times more a key moves the cursor by a tile after two moves: where the board ends it stays, or is far away.
    fn moves_more(&mut self, keys: &str, way: Way, mut shots: [Screenshot; 3]) -> Result<u32, DesktopError> {
        let Some((by, mut last)) = moved(&shots, self.place, way) else { return Ok(0) };
        for count in 0..COUNT.end {
            shots.rotate_left(1);
            shots[2] = self.press(keys)?;
            let (x, y) = further(way, (last.left, last.top), by);
            let next = Rect { left: x, top: y, ..last };
            if moved(&shots, self.place, way) != Some((by, next)) {
                return Ok(count);
            }
            last = next;
        }
        Ok(COUNT.end)
    }
}

/// A place so many pixels further along a way.
fn further(way: Way, (x, y): (u32, u32), by: u32) -> (u32, u32) {
    let (along, across) = way.pixel(by, 0);
    (x + along, y + across)
}

/// Pixels that differ in a part of two pictures of a screen.
fn changed(then: &Screenshot, now: &Screenshot, place: Rect) -> HashSet<(u32, u32)> {
    let Some((then, now)) = cut(&then.pixels, place).zip(cut(&now.pixels, place)) else { return HashSet::new() };
    let pairs = then.enumerate_pixels().zip(now.pixels());
    let differing = pairs.filter(|((_, _, then), now)| differ(then.0, now.0, LEVELS));
    differing.map(|((x, y, _), _)| (place.left + x, place.top + y)).collect()
}

fn is_same(then: &Screenshot, now: &Screenshot, place: Rect) -> bool {
    changed(then, now, place).is_empty()
}

/// By how much something moves from each of three pictures to the next, and the box around where it was in the first two. What else changes, as a
/// text that says where the cursor is, stays in its place.
fn moved([first, second, third]: &[Screenshot; 3], place: Rect, way: Way) -> Option<(u32, Rect)> {
    let (then, now) = (changed(first, second, place), changed(second, third, place));
    if then.len().max(now.len()) > MOST_CHANGED {
        return None;
    }
    let both = |by: u32| then.iter().copied().filter(|&at| now.contains(&further(way, at, by))).collect::<Vec<_>>();
    let (count, by) = PITCH.map(|by| (both(by).len(), Reverse(by))).max()?;
    if (count as f64) < MOVED * then.len() as f64 || count == 0 {
        return None;
    }
    let pixels = both(by.0);
    let [xs, ys] = [|at: &(u32, u32)| at.0, |at: &(u32, u32)| at.1].map(|part| {
        let all = || pixels.iter().map(part);
        all().min().zip(all().max())
    });
    let ((left, right), (top, bottom)) = xs.zip(ys)?;
    Some((by.0, Rect { left, top, width: right + 1 - left, height: bottom + 1 - top }))
}

/// The largest strip across or down a tile that is free, without what is averaged with what is not where a tile is compared by parts.
fn free((width, height): (u32, u32), is_free: &dyn Fn(u32, u32) -> bool) -> Option<Rect> {
    let longest = |length: u32, is_free: &dyn Fn(u32) -> bool| {
        let mut best = 0..0;
        let mut from = 0;
        for at in 0..=length {
            if at == length || !is_free(at) {
                best = if at - from > best.end - best.start { from..at } else { best };
                from = at + 1;
            }
        }
        let edge = length.div_ceil(SIDE as u32);
        let start = if best.start == 0 { 0 } else { best.start + edge };
        let end = if best.end == length { length } else { best.end.saturating_sub(edge) };
        start..end.max(start)
    };
    let columns = longest(width, &|x| (0..height).all(|y| is_free(x, y)));
    let lines = longest(height, &|y| (0..width).all(|x| is_free(x, y)));
    let strips = [
        Rect { left: columns.start, top: 0, width: columns.end - columns.start, height },
        Rect { left: 0, top: lines.start, width, height: lines.end - lines.start },
    ];
    let best = strips.into_iter().max_by_key(|strip| strip.width * strip.height)?;
    (f64::from(best.width * best.height) >= FREE * f64::from(width * height)).then_some(best)
}

/// A desktop on which a client that is played by keys answers to clicks, and its cursor is not seen.
pub struct Keyed<'a, D> {
    inner: &'a mut D,
    board: &'a Board,
    /// The keys that open and flag a tile, once they are known.
    open: Option<&'static str>,
    flag: Option<&'static str>,
}

impl<'a, D: Desktop> Keyed<'a, D> {
    /// Around `inner`, for this board.
    pub fn new(inner: &'a mut D, board: &'a Board) -> Self {
        Self { inner, board, open: None, flag: None }
    }

    /// What is written of it.
    pub fn by_keys(&self) -> ByKeys {
        let [right, down, home] = self.board.moves.map(str::to_owned);
        let or_first = |known: Option<&'static str>, tried: [&'static str; 3]| known.unwrap_or(tried[0]).to_owned();
        let cursor = Cursor { home, right, down, open: or_first(self.open, OPENS), flag: or_first(self.flag, FLAGS) };
        ByKeys { cursor, inner: self.board.inner, corners: self.board.corners.clone() }
    }

    fn keys(&mut self, keys: &str) -> Result<(), DesktopError> {
        self.inner.act(&Action::Keys(keys.to_owned()))
    }

    /// What the tiles show once they stay as they are, without the cursor.
    fn tiles(&mut self) -> Result<Option<RgbaImage>, DesktopError> {
        let mut last = None;
        for _ in 0..STEADY {
            self.inner.wait(PAUSE)?;
            let shot = self.look(None)?;
            let now = cut(&shot.pixels, self.board.grid(&shot).bounds());
            if now == last {
                break;
            }
            last = now;
        }
        Ok(last)
    }

    /// Types what a click on a tile stands for.
    fn click(&mut self, click: &Click) -> Result<(), DesktopError> {
        let shot = self.inner.look(None)?;
        let (grid, Pixel { x, y }) = (self.board.grid(&shot), shot.to_pixel(click.at));
        let Some(cell) = self.board.size.cells().find(|&cell| grid.tile(cell).contains(Pixel { x, y })) else {
            return Ok(());
        };
        let before = self.tiles()?;
        let [right, down, home] = self.board.moves;
        self.keys(home)?;
        // After the end of a game any key may begin the next one, and no more is to be done then.
        if self.tiles()? != before {
            return Ok(());
        }
        for keys in std::iter::repeat_n(right, cell.x as usize).chain(std::iter::repeat_n(down, cell.y as usize)) {
            self.keys(keys)?;
        }
        let (known, tried) = match click.button {
            Button::Left => (self.open, OPENS),
            Button::Right => (self.flag, FLAGS),
            Button::Middle => return Ok(()),
        };
        if let Some(keys) = known {
            return self.keys(keys);
        }
        for keys in tried {
            self.keys(keys)?;
            if self.tiles()? != before {
                let known = if click.button == Button::Left { &mut self.open } else { &mut self.flag };
                *known = Some(keys);
                break;
            }
        }
        Ok(())
    }
}

impl<D: Desktop> Desktop for Keyed<'_, D> {
    fn behind(&mut self) -> Option<&mut dyn Desktop> {
        Some(self.inner)
    }

    fn look(&mut self, part: Option<ScreenRect>) -> Result<Screenshot, DesktopError> {
        let mut shot = self.inner.look(part)?;
        let grid = self.board.grid(&shot);
        let (width, height) = shot.pixels.dimensions();
        let bounds = grid.bounds();
        let from = |edges: &[f64]| edges[0] as i64;
        let (left, top) = (from(&grid.columns), from(&grid.lines));
        let within = |at: u32, from: i64, pitch: u32| (i64::from(at) - from).rem_euclid(i64::from(pitch)) as u32;
        for y in top.max(0) as u32..(bounds.top + bounds.height).min(height) {
            for x in left.max(0) as u32..(bounds.left + bounds.width).min(width) {
                let Board { inner, pitch, ground, .. } = self.board;
                if !holds(*inner, within(x, left, pitch.0), within(y, top, pitch.1)) {
                    shot.pixels.get_pixel_mut(x, y).0 = *ground;
                }
            }
        }
        Ok(shot)
    }

    fn is_unchanged(
        &mut self,
        part: Option<ScreenRect>,
        seen: &Screenshot,
        within: Rect,
    ) -> Result<bool, DesktopError> {
        Ok(self.look(part)?.shows_the_same(within, seen, within))
    }

    fn act(&mut self, action: &Action) -> Result<(), DesktopError> {
        match action {
            Action::Click(click) => self.click(click),
            // The mouse does nothing, and stays where it is.
            Action::Point(_) => Ok(()),
            other => self.inner.act(other),
        }
    }

    fn act_in(&mut self, action: &Action, _: Window) -> Result<(), DesktopError> {
        self.act(action)
    }

    fn wait(&mut self, time: Duration) -> Result<(), DesktopError> {
        self.inner.wait(time)
    }

    fn clock(&mut self) -> Duration {
        self.inner.clock()
    }
}
