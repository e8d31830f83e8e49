//! Playing a client that is not understood yet: clicks are made, and what they changed is kept.

mod elsewhere;
mod explain;
mod fresh;
mod marks;
mod play;
mod press;
mod steps;
mod uncover;

pub use steps::in_words;

use super::around::{changed_around, is_shaded, quiet};
use super::controls::is_plain;
use super::evidence::{Record, Scene};
use super::meaning::Meanings;
use super::notes::Notes;
use super::pages::{Tried, Turn};
use super::panel::{Panel, what_came};
use super::rings;
use crate::client::{Anchor, Spot, Step};
use crate::desktop::{Desktop, DesktopError, Program, Window};
use crate::geometry::{BoardSize, Cell, Pixel, Rect, ScreenPoint, ScreenRect};
use crate::screenshot::{Screenshot, cut};
use crate::vision::Grid;
use crate::vision::colour::shade::Shade;
use elsewhere::surroundings;
use image::RgbaImage;
use press::Flow;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::time::Duration;

/// How long it takes until something shows or is gone, and until what goes by itself is.
pub const GOES: Duration = Duration::from_millis(400);
pub const GOES_BY_ITSELF: Duration = Duration::from_secs(8);
/// The time between two pictures of what changes all the time.
const WATCHED: Duration = Duration::from_millis(200);
/// The longest a program takes from its first window to what that shows.
const PAINTS: Duration = Duration::from_secs(4);

/// Of so many tiles of a board one may look like a known one where something else is shown in its place.
const REPLACED: usize = 10;
/// Grey levels within which a tile has one colour, and of so many tiles one has where a page is shown.
const PLAIN: u8 = 12;
const PLAIN_SHARE: usize = 4;

/// A click on the board itself.
pub const ON_THE_BOARD: Step = Step::Click(Spot { from: Anchor::TopLeft, tiles: [0.5; 2], pixels: [0.0; 2] });

/// A board of a client that is being learned.
pub struct Explorer<'a, D: Desktop> {
    /// The screen and the mouse.
    pub desktop: &'a mut D,
    /// The board, in pixels of a picture of `region`.
    pub grid: Grid,
    /// The board and what is around it, on the screen.
    pub region: ScreenRect,
    /// The last picture of it.
    pub shot: Screenshot,
    /// The window that shows the board, where the system tells.
    window: Option<Window>,
    /// Which window in place of that was brought onto the screen.
    brought_in: Option<u64>,
    /// The last picture of the whole screen in which boards of any look were searched, and these.
    searched: Option<(RgbaImage, Vec<Grid>)>,
    /// Sides (left, right, top, bottom) on which the window ends within the board's outermost tiles.
    hanging: [bool; 4],
    /// What is known so far.
    pub notes: &'a mut Notes,
    /// What is believed of it.
    pub meanings: Meanings,
    /// Whether the next game is to be lost, to see how that looks: on a tile that is a mine for certain.
    pub is_to_lose: bool,
    /// Games at the end of which flags were put to see whether that ends them.
    flagged: usize,
    /// Whether it is to be tried in the next game what a right click marks tiles with, once some are open.
    pub is_to_mark: bool,
    /// What began a new game while the last one was played to its end: a click on a board that was over, or the answer to a dialog.
    pub begun_by: Option<Step>,
    /// Steps after which a fresh board showed on which no click had an effect: they begin no game.
    pub deaf: Vec<Step>,
    /// Whether no click had an effect on the last fresh board.
    pub is_deaf: bool,
    /// Whether nothing but mines was left to be opened in the last game.
    pub is_cleared: bool,
    /// Tiles that ended games, where one did twice after the same clicks: the same mines are dealt again.
    traps: BTreeSet<Cell>,
    /// How many clicks in a row no numbers explained what is open.
    confused: usize,
    /// Whether the board still changed when no more was waited for.
    is_restless: bool,
    /// How long changes of the board rest.
    flow: Flow,
    /// Whether the pointer stays on a tile until it answers: a click of this game had no effect without that.
    lingers: bool,
    /// The last game as it would be if it had ended by the first click that changed tiles elsewhere: some clients go on after a mine.
    shorter: Option<Record>,
    /// The board and what is around it when the last game began; nothing for a client of which a shade over both is how a game ends.
    calm: Option<RgbaImage>,
    /// Whether what is around the board changes all the time.
    is_lively: bool,
    /// The board before the last click of the game that is played, which may show through what a client lays over it at the end.
    running: Option<(RgbaImage, Grid)>,
    /// The board as it was seen last, and the tiles that were clicked last: what a client paints around these is nothing on those beside them.
    clean: Option<(RgbaImage, Grid)>,
    clicked: Vec<Cell>,
    /// The last untouched board, and where its tiles were: what is open may have another size.
    untouched: Option<(RgbaImage, Grid)>,
    /// Whether the board was moved since: a page may show something beside it at the end of a game.
    is_moved: bool,
    /// By how much it was while a shade was laid over it, too.
    moved_below_shade: Option<(f64, f64)>,
    /// Whether nothing took away what lay over a board at the end of a game: it is a part of how games end.
    stays_covered: bool,
    /// What its window was called when the board was untouched.
    pub title: Option<String>,
    /// The clicks on pages before the first board that led to it.
    pub led_here: Vec<Turn>,
    /// What was clicked on pages since the last game, and led nowhere.
    pub walked: Vec<Tried>,
    /// What leads to a page in another window, and on to a board: for where nothing else begins a game.
    pub roundabout: Option<Step>,
    /// What began a game when the way that is known did not.
    pub instead: Option<Step>,
    /// How many games in a row began by what is known to.
    pub in_a_row: usize,
    /// Whether it is known to the pixel where the board is, and how large: its grid is never mended.
    pub is_sure: bool,
    /// Sides (left, right, top, bottom) on which what looks like hidden tiles beyond the board answers no click.
    ends: [bool; 4],
}

/// A game that is over: what it showed while it was played, and the tile that was clicked last.
pub type Ended<'a> = (&'a Scene, Option<Cell>);

/// How a game that was played to learn came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Played {
    /// It is over.
    Over,
    /// Clicks stopped having an effect before any had one.
    Deaf,
    /// What was open is hidden again and again while it goes on, or there is no end to it: no Minesweeper.
    Strange,
}

impl<'a, D: Desktop> Explorer<'a, D> {
    /// Before a board at this place of a picture of the whole screen.
    pub fn new(
        desktop: &'a mut D,
        notes: &'a mut Notes,
        screen: &Screenshot,
        grid: &Grid,
    ) -> Result<Self, DesktopError> {
        let (grid, region, shot) = surroundings(desktop, screen, grid)?;
        let mut explorer = Self {
            desktop,
            grid,
            region,
            shot,
            window: None,
            brought_in: None,
            searched: None,
            hanging: [false; 4],
            notes,
            meanings: Meanings::default(),
            is_to_lose: false,
            flagged: 0,
            is_to_mark: false,
            begun_by: None,
            deaf: Vec::new(),
            is_deaf: false,
            is_cleared: false,
            traps: BTreeSet::new(),
            confused: 0,
            is_restless: false,
            flow: Flow::default(),
            lingers: false,
            shorter: None,
            calm: None,
            is_lively: false,
            running: None,
            clean: None,
            clicked: Vec::new(),
            untouched: None,
            is_moved: false,
            moved_below_shade: None,
            stays_covered: false,
            title: None,
            led_here: Vec::new(),
            walked: Vec::new(),
            roundabout: None,
            instead: None,
            in_a_row: 0,
            is_sure: false,
            ends: [false; 4],
        };
        explorer.find_window();
        explorer.choose_park();
        Ok(explorer)
    }

    /// How many tiles look hidden now.
    pub fn hidden_tiles(&self) -> usize {
        let evidence = &self.notes.evidence;
        let looks = evidence.looks.recognise(&self.unshaded(), &self.grid);
        looks.iter().filter(|look| evidence.is_hidden(**look)).count()
    }

    /// Whether the board is untouched, also where one tile of it is lit until the pointer was on it.
    ///
    /// # Errors
    /// The screen or the mouse cannot be used, or the person stopped.
    pub fn is_untouched_if_lit(&mut self) -> Result<bool, DesktopError> {
        if self.is_untouched() {
            return Ok(true);
        }
        let evidence = &self.notes.evidence;
        let looks = evidence.looks.recognise(&self.shot.pixels, &self.grid);
        let mut others = (0..looks.len()).filter(|&index| !evidence.is_hidden(looks[index]));
        let (Some(lit), None) = (others.next(), others.next()) else { return Ok(false) };
        self.come_and_go(self.size().cell(lit))?;
        Ok(self.is_untouched())
    }

    /// Whether the window that showed the board has gone.
    pub fn window_has_gone(&mut self) -> bool {
        self.window.is_some_and(|window| self.desktop.has_gone(window))
    }

    /// Whether the window that showed the board has gone, and nothing shows a fresh one instead for so long.
    pub fn has_closed(&mut self, longest: Duration) -> Result<bool, DesktopError> {
        let began = self.desktop.clock();
        while self.window_has_gone() {
            match self.settle().and_then(|_| Ok(self.is_untouched() || self.find_elsewhere()?)) {
                Ok(false) | Err(DesktopError::Black) => {}
                Ok(true) => self.find_window(),
                Err(other) => return Err(other),
            }
            if self.desktop.clock().saturating_sub(began) >= longest {
                return Ok(true);
            }
            self.desktop.wait(GOES)?;
        }
        Ok(false)
    }

    /// Waits until a program that was started shows its board, or a page that stays.
    pub fn until_it_shows(&mut self) -> Result<(), DesktopError> {
        let began = self.desktop.clock();
        let mut shown: Option<Duration> = None;
        while self.has_closed(Duration::ZERO)? {
            let now = self.desktop.clock();
            if self.window_in_place().is_some() {
                shown.get_or_insert(now);
            }
            if now.saturating_sub(began) >= Program::STARTS
                || shown.is_some_and(|since| now.saturating_sub(since) >= PAINTS)
            {
                break;
            }
            self.desktop.wait(GOES)?;
        }
        Ok(())
    }

    /// The window that shows the board, or did, where the system tells and it is still there.
    pub fn window(&mut self) -> Option<Window> {
        if self.window_has_gone() { None } else { self.window }
    }

    /// The same, or where it has gone the one that is in its place, and is typed into now or is where that was: one without a frame may come up
    /// without the keyboard.
    pub fn window_in_place(&mut self) -> Option<Window> {
        let own = self.window?;
        if !self.desktop.has_gone(own) {
            return Some(own);
        }
        let middle = self.board().middle();
        let found = [self.desktop.window_of_keys(), self.desktop.window_at(middle)];
        found.into_iter().flatten().find(|found| self.desktop.is_in_place_of(*found, own))
    }

    /// Whether a page is shown in place of the board: hardly a tile looks like any that is known, and where tiles had lines much is plain now, as
    /// it is not on a board that only became darker.
    pub fn is_replaced(&mut self) -> bool {
        if !self.is_plain() || self.desktop.has_dialog() || self.is_shaded() {
            return false;
        }
        let evidence = &self.notes.evidence;
        let looks = evidence.looks.recognise(&self.shot.pixels, &self.grid);
        // The ground of a page may look like empty tiles.
        let known = looks.iter().flatten().filter(|look| !evidence.known.zeros.contains(look));
        known.count() * REPLACED <= looks.len()
    }

    /// Whether many tiles are of one colour that were not when the board was untouched.
    fn is_plain(&self) -> bool {
        let Some((then, grid)) = &self.untouched else { return false };
        let is_plain = |picture: &RgbaImage, grid: &Grid, cell: Cell| {
            cut(picture, grid.tile(cell)).is_some_and(|tile| is_plain(&tile, PLAIN))
        };
        let drawn: Vec<Cell> = grid.size().cells().filter(|&cell| !is_plain(then, grid, cell)).collect();
        let plain = drawn.iter().filter(|&&cell| is_plain(&self.shot.pixels, &self.grid, cell)).count();
        !drawn.is_empty() && plain * PLAIN_SHARE >= drawn.len()
    }

    /// No click on the board had an effect, so that none tells where it ends.
    pub fn forget_ends(&mut self) {
        self.ends = [false; 4];
    }

    /// Looks which window shows the board, unless the one that did is still there.
    fn find_window(&mut self) {
        if self.window.is_some_and(|window| !self.desktop.has_gone(window)) {
            return;
        }
        let middle = self.board().middle();
        self.allow(&[]);
        self.window = self.desktop.window_at(middle);
        let Rect { left, top, width, height } = self.grid.bounds();
        let (right, bottom) = (left + width.saturating_sub(1), top + height.saturating_sub(1));
        let (x, y) = (left + width / 2, top + height / 2);
        let is_beyond = |(x, y): (u32, u32)| {
            let at = self.shot.to_screen(Pixel { x: f64::from(x), y: f64::from(y) });
            self.desktop.window_at(at).is_some_and(|found| self.window.is_some_and(|own| own.id != found.id))
        };
        self.hanging = [(left, y), (right, y), (x, top), (x, bottom)].map(is_beyond);
    }

    /// Chooses where the pointer waits: in the client's own window.
    fn choose_park(&mut self) {
        if self.notes.evidence.games.is_empty() {
            let (shot, window) = (&self.shot, self.window);
            let is_own = |at: Pixel| self.desktop.window_at(shot.to_screen(at)) == window;
            self.notes.park = Some(quiet(&shot.pixels, &self.grid, is_own));
        }
    }

    /// Columns and rows.
    pub fn size(&self) -> BoardSize {
        self.grid.size()
    }

    /// The board in the mouse's units.
    fn board(&self) -> ScreenRect {
        let last = |edges: &[f64]| edges[edges.len() - 1];
        let corner = self.shot.to_screen(self.grid.origin());
        let end = self.shot.to_screen(Pixel { x: last(&self.grid.columns), y: last(&self.grid.lines) });
        ScreenRect { corner, width: (end.x - corner.x).max(1) as u32, height: (end.y - corner.y).max(1) as u32 }
    }

    /// Allows clicks on the board, and on these places.
    pub fn allow(&mut self, controls: &[ScreenPoint]) {
        let around =
            |at: &ScreenPoint| ScreenRect { corner: ScreenPoint { x: at.x - 2, y: at.y - 2 }, width: 5, height: 5 };
        let areas: Vec<ScreenRect> = std::iter::once(self.board()).chain(controls.iter().map(around)).collect();
        self.desktop.allow(&areas);
    }

    /// What is on the board, without the shade that a client may have laid over it since the last click, and without what it painted around
    /// the tile that was clicked.
    fn seen(&self) -> Cow<'_, RgbaImage> {
        self.ringless(self.unshaded())
    }

    fn ringless<'b>(&self, seen: Cow<'b, RgbaImage>) -> Cow<'b, RgbaImage> {
        let clean = self.clean.as_ref().filter(|(_, grid)| *grid == self.grid);
        let ringless = clean.and_then(|(clean, grid)| rings::without(clean, &seen, grid, &self.clicked));
        ringless.map_or(seen, Cow::Owned)
    }

    fn unshaded(&self) -> Cow<'_, RgbaImage> {
        let picture = &self.shot.pixels;
        let shade = self.running.as_ref().and_then(|(before, grid)| {
            let by = grid.shift_to(&self.grid)?;
            // A board that is hardly touched has too few colours to tell it: those of what is around it help.
            let parts = [grid.bounds(), grid.around(picture.dimensions(), 1.0)];
            parts.into_iter().find_map(|part| Shade::between(before, picture, part, by))
        });
        shade.map_or(Cow::Borrowed(picture), |shade| Cow::Owned(shade.taken_off(picture, self.grid.bounds())))
    }

    /// Whether the client has laid a shade over the board since the last click, through which it shows.
    fn shows_through(&self) -> bool {
        matches!(self.unshaded(), Cow::Owned(_))
    }

    /// Whether something lies over the board and all around it.
    pub fn is_shaded(&self) -> bool {
        !self.is_lively && self.calm.as_ref().is_some_and(|calm| is_shaded(calm, &self.shot.pixels, &self.grid))
    }

    /// Sees whether what is around an untouched board changes all the time, as a frame does that a page lets shine: then it tells of no shade.
    fn watch_surroundings(&mut self) -> Result<(), DesktopError> {
        if self.is_shaded() {
            let before = self.picture()?.pixels;
            self.desktop.wait(WATCHED)?;
            self.is_lively = is_shaded(&before, &self.picture()?.pixels, &self.grid);
        }
        Ok(())
    }

    /// Whether the client has laid something over all of it, which no key and no waiting took away. That of a game before went with it.
    pub fn is_laid_over(&mut self) -> bool {
        self.is_shaded() || self.stays_covered && (self.calm.is_none() || self.scene(true).is_covered())
    }

    /// Where the client has drawn something over a part of its board, as a box that says how the game ended.
    pub fn panel(&mut self) -> Option<Panel> {
        if self.window_has_gone() || self.is_replaced() {
            return None;
        }
        let seen = self.unshaded();
        if matches!(seen, Cow::Borrowed(_)) && self.is_shaded() {
            return None;
        }
        let part = self.notes.evidence.panel(&seen, &self.grid)?;
        let corner = |x: u32, y: u32| self.shot.to_screen(Pixel { x: f64::from(x), y: f64::from(y) });
        let corners = |Rect { left, top, width, height }| [corner(left, top), corner(left + width, top + height)];
        let before = self.running.as_ref().filter(|(_, grid)| *grid == self.grid).map(|(before, _)| before);
        let came = before.map_or_else(Default::default, |before| what_came(before, &seen, part));
        let [came, words] = came.map(|boxes| boxes.into_iter().map(corners).collect());
        Some(Panel { corners: corners(part), came, words })
    }

    /// Whether another window lies over the board.
    pub fn is_overlapped(&mut self) -> bool {
        let Self { desktop, shot, grid, window, hanging, .. } = self;
        // Where there is none at all, the own one has become smaller.
        let is_over = |window: &Window| *window != Window::NONE;
        grid.size().cells().any(|cell| others_over(*desktop, shot, grid, (*window, *hanging), cell).iter().any(is_over))
    }

    /// What the board shows now.
    pub fn scene(&mut self, was_covered: bool) -> Scene {
        let unshaded = self.unshaded();
        let shows_through = matches!(unshaded, Cow::Owned(_));
        let seen = self.ringless(unshaded).into_owned();
        // What a client writes on a shade is nothing on the board.
        let written = if shows_through { self.notes.evidence.panel(&seen, &self.grid) } else { None };
        self.clean = Some((seen.clone(), self.grid.clone()));
        let is_shaded = !shows_through && (self.is_shaded() || self.is_replaced());
        let Self { desktop, grid, shot, window, hanging, notes, .. } = self;
        let is_elsewhere = |cell: Cell| {
            let is_written = written.is_some_and(|written| written.contains(grid.center(cell)));
            is_shaded || is_written || !others_over(*desktop, shot, grid, (*window, *hanging), cell).is_empty()
        };
        notes.evidence.look_at(&seen, grid, was_covered, is_elsewhere)
    }

    /// Whether the board is as at the beginning of a game.
    pub fn is_untouched(&self) -> bool {
        self.is_anew(self.notes.evidence.games.last().map(|game| (&game.running, Some(game.clicked))))
    }

    /// Whether it is, after another game.
    fn is_anew(&self, before: Option<Ended>) -> bool {
        let looks = self.notes.evidence.looks.recognise(&self.shot.pixels, &self.grid);
        self.notes.evidence.is_anew(&looks, before)
    }

    /// Takes what the board shows for the end of a game of which nothing else is known.
    pub fn take_as_ended(&mut self) {
        let scene = self.scene(true);
        let game = Record {
            running: scene.clone(),
            ending: scene,
            clicked: Cell::new(0, 0),
            pressed: Vec::new(),
            clicks: 0,
            opened_first: 0,
            open_at_start: 0,
        };
        self.notes.evidence.games.push(game);
    }

    /// Keeps the tile that ended the last game if the same clicks led to it as in the one before, or it did so earlier, unless it was won.
    pub fn mind_traps(&mut self) {
        let [.., before, last] = &self.notes.evidence.games[..] else { return };
        let is_won = self.meanings.won.last() == Some(&Some(true));
        let is_again = last.pressed.len() > 1 && last.pressed == before.pressed && last.clicked == before.clicked;
        if !is_won && (is_again || !self.traps.is_empty()) {
            self.traps.insert(last.clicked);
        }
    }

    /// What the last click of the last game changed beside the board.
    pub fn changed_around(&self) -> Vec<Rect> {
        let game = self.notes.evidence.games.last();
        game.map(|Record { running, ending, .. }| changed_around(&running.picture, &ending.picture, &running.grid))
            .unwrap_or_default()
    }
}

/// The windows other than the board's that lie over a tile, or that there is none, where the system tells. On sides (left, right, top, bottom) on
/// which the own one ends within the outermost tiles, what is beyond it lies over none.
fn others_over<D: Desktop>(
    desktop: &mut D,
    shot: &Screenshot,
    grid: &Grid,
    (own, hanging): (Option<Window>, [bool; 4]),
    cell: Cell,
) -> Vec<Window> {
    let Some(own) = own else { return Vec::new() };
    let Rect { left, top, width, height } = grid.tile(cell);
    let (x, y) = (left + width / 2, top + height / 2);
    let (right, bottom) = (left + width.saturating_sub(1), top + height.saturating_sub(1));
    let BoardSize { width: columns, height: rows } = grid.size();
    let outermost = [cell.x == 0, cell.x + 1 == columns, cell.y == 0, cell.y + 1 == rows];
    let end = |side: usize, end: u32, middle: u32| if hanging[side] && outermost[side] { middle } else { end };
    let (left, right, top, bottom) = (end(0, left, x), end(1, right, x), end(2, top, y), end(3, bottom, y));
    // Also one that lies over but a line of its pixels.
    let inside = [(x, y), (left, top), (right, top), (left, bottom), (right, bottom)]
        .map(|(x, y)| Pixel { x: f64::from(x), y: f64::from(y) });
    let found = inside.into_iter().filter_map(|at| desktop.window_at(shot.to_screen(at)));
    found.filter(|found| found.id != own.id).collect()
}
