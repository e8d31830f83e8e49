//! Playing a client that is not understood yet: clicks are made, and what they changed is kept.

mod explain;
mod marks;
mod press;
mod uncover;

pub use press::STAY;

use super::around::{changed_around, is_shaded, spot};
use super::controls::differ;
use super::evidence::{FAMILIAR, NUDGE, Record, Scene, beside, fitted, hidden_share};
use super::lattice::straightened;
use super::meaning::{Game, Meaning, Meanings, risk};
use super::notes::Notes;
use super::rims;
use super::{News, Tell};
use crate::board::Tile;
use crate::client::{Anchor, Button, Spot, Step};
use crate::desktop::{Desktop, DesktopError, Window};
use crate::geometry::{BoardSize, Cell, Pixel, Rect, ScreenPoint, ScreenRect};
use crate::screenshot::{Screenshot, cut};
use crate::vision::looks::{ALIKE, LookId, Looks, changed};
use crate::vision::shade::Shade;
use crate::vision::{Grid, boards_of_any_look};
use image::RgbaImage;
use std::borrow::Cow;
use std::time::Duration;

/// Room around the board that is looked at, in tiles: for what a client shows there.
const MARGIN: f64 = 8.0;
/// How long it takes until something shows or is gone, and until what goes by itself is.
const GOES: Duration = Duration::from_millis(400);
const GOES_BY_ITSELF: Duration = Duration::from_secs(8);
/// Pictures of a board of another size that are taken until two of them show the same.
const STEADY: usize = 5;
/// Clicks of the first game after which the grid is looked at again.
const ALIGNED: usize = 8;
/// Clicks that hide something open, after which this is no Minesweeper: no rule of it does that.
const CLOSED: usize = 3;
/// Clicks in a row after which no numbers explain what is open; a game of a client of which no number is known ends then.
const CONFUSED: usize = 12;
/// Tiles that are certain and clicked one after the other before their answer is waited for, at most, and games that must have told what is known
/// for that.
const TOGETHER: usize = 6;
const TOLD: usize = 2;
/// The longest that a button is held, in milliseconds.
const LONGEST: u64 = 240;
/// Clicks without an effect, on different tiles, after which a game is over: one may be lost.
const DEAF: usize = 3;

/// Of so many tiles of a board one may look like a known one where something else is shown in its place.
const REPLACED: usize = 10;
/// Grey levels within which a tile has one colour, and of so many tiles one has where a page is shown.
const PLAIN: u8 = 12;
const PLAIN_SHARE: usize = 4;

/// Pixels of a board that are compared first where it is looked for, and the share of all that may differ.
const SAMPLES: u32 = 64;
const ELSEWHERE: f64 = 0.02;

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
    /// What is known so far.
    pub notes: &'a mut Notes,
    /// What is believed of it.
    pub meanings: Meanings,
    /// Whether the next game is to be lost, to see how that looks: on a tile that is a mine for certain.
    pub is_to_lose: bool,
    /// What began a new game while the last one was played to its end: a click on a board that was over, or the answer to a dialog.
    pub begun_by: Option<Step>,
    /// Steps after which a fresh board showed on which no click had an effect: they begin no game.
    pub deaf: Vec<Step>,
    /// Whether no click had an effect on the last fresh board.
    pub is_deaf: bool,
    /// Whether nothing but mines was left to be opened in the last game.
    pub is_cleared: bool,
    /// How many clicks in a row no numbers explained what is open.
    confused: usize,
    /// Whether the board still changed when no more was waited for.
    is_restless: bool,
    /// Whether the pointer stays on a tile until it answers: a click of this game had no effect without that.
    lingers: bool,
    /// The last game as it would be if it had ended by the first click that changed tiles elsewhere: some clients go on after a mine.
    shorter: Option<Record>,
    /// The board and what is around it when the last game began; nothing for a client of which a shade over both is how a game ends.
    calm: Option<RgbaImage>,
    /// The board before the last click of the game that is played, which may show through what a client lays over it at the end.
    running: Option<(RgbaImage, Grid)>,
    /// The board as it was seen last, and the tiles that were clicked last: what a client paints around these is nothing on those beside them.
    clean: Option<(RgbaImage, Grid)>,
    clicked: Vec<Cell>,
    /// The last untouched board, and where its tiles were: what is open may have another size.
    untouched: Option<(RgbaImage, Grid)>,
    /// Whether the board was moved since: a page may show something beside it at the end of a game.
    is_moved: bool,
    /// Whether nothing took away what lay over a board at the end of a game: it is a part of how games end.
    stays_covered: bool,
    /// Sides (left, right, top, bottom) on which what looks like hidden tiles beyond the board answers no click.
    ends: [bool; 4],
}

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
            notes,
            meanings: Meanings::default(),
            is_to_lose: false,
            begun_by: None,
            deaf: Vec::new(),
            is_deaf: false,
            is_cleared: false,
            confused: 0,
            is_restless: false,
            lingers: false,
            shorter: None,
            calm: None,
            running: None,
            clean: None,
            clicked: Vec::new(),
            untouched: None,
            is_moved: false,
            stays_covered: false,
            ends: [false; 4],
        };
        explorer.find_window();
        Ok(explorer)
    }

    /// Looks for the untouched board on the whole screen: a new game may stand in another place, or in a window of its own. Whether it does.
    pub fn find_elsewhere(&mut self) -> Result<bool, DesktopError> {
        let Some((picture, grid)) = &self.untouched else { return Ok(false) };
        let screen = self.desktop.look(None)?;
        let Some(by) = place_of(picture, grid.bounds(), &screen.pixels) else { return Ok(false) };
        let grid = grid.moved(-by.0, -by.1);
        if screen.to_screen(grid.origin()) == self.shot.to_screen(self.grid.origin()) {
            return Ok(false);
        }
        log::debug!("the board is elsewhere by now");
        self.go_to(&screen, &grid).map(|()| true)
    }

    /// Looks for an untouched board of another size in a window of the client, where what is left of the last one is gone: a menu of levels may
    /// lead to one. Whether there is one.
    pub fn find_another_size(&mut self) -> Result<bool, DesktopError> {
        // What a dialog leaves to be seen of the last one is none.
        let is_gone = 2 * self.hidden_tiles() < self.size().tiles() && !self.desktop.has_dialog();
        let Some(window) = self.window().filter(|_| is_gone) else { return Ok(false) };
        let mut before: Option<Grid> = None;
        for look in 0..STEADY {
            let screen = self.desktop.look(None)?;
            let found = boards_of_any_look(&screen.pixels).into_iter().find(|grid| {
                let middle = screen.to_screen(grid.bounds().center());
                let is_its_own = self.desktop.window_at(middle).is_some_and(|found| found.program == window.program);
                let is_untouched = || Looks::new(ALIKE).sort(&screen.pixels, grid).iter().all(|look| *look == Some(0));
                grid.size() != self.size() && is_its_own && is_untouched() && !self.is_part(&screen, grid)
            });
            if before.is_some()
                && before == found
                && let Some(grid) = found
            {
                log::debug!("there is a board of {} now", grid.size());
                self.go_to(&screen, &grid)?;
                // Tiles of another size may be drawn otherwise.
                if self.notes.turn_to(self.grid.pitch()) {
                    self.meanings = Meanings::default();
                }
                let scene = self.scene(false);
                self.notes.evidence.take_as_untouched(scene);
                return Ok(true);
            }
            if look > 0 && before.is_none() && found.is_none() {
                break;
            }
            // A menu may still lie over a part of it.
            before = found;
            self.desktop.wait(GOES)?;
        }
        Ok(false)
    }

    /// Whether a board on the screen is but a part of the last one, the rest of which is still there: what nobody opened of it looks untouched.
    fn is_part(&self, screen: &Screenshot, grid: &Grid) -> bool {
        let (origin, (across, down)) = (self.grid.origin(), self.grid.pitch());
        let there = screen.to_pixel(self.shot.to_screen(origin));
        let own = self.grid.moved(origin.x - there.x, origin.y - there.y);
        let is_near = |a: f64, b: f64, pitch: f64| (a - b).abs() < pitch / 4.0;
        let is_line = |edge: &f64, edges: &[f64], pitch: f64| edges.iter().any(|own| is_near(*edge, *own, pitch));
        let lies_on_it = grid.columns.iter().all(|edge| is_line(edge, &own.columns, across))
            && grid.lines.iter().all(|edge| is_line(edge, &own.lines, down));
        let looks = self.notes.evidence.looks.recognise(&screen.pixels, &own);
        let bounds = grid.bounds();
        let rest: Vec<bool> = own
            .size()
            .cells()
            .zip(&looks)
            .filter(|(cell, _)| !bounds.contains(own.center(*cell)))
            .map(|(_, look)| look.is_some())
            .collect();
        lies_on_it && 2 * rest.iter().filter(|is_known| **is_known).count() > rest.len()
    }

    /// How many tiles look hidden now.
    pub fn hidden_tiles(&self) -> usize {
        let evidence = &self.notes.evidence;
        let looks = evidence.looks.recognise(&self.shot.pixels, &self.grid);
        looks.iter().filter(|look| evidence.is_hidden(**look)).count()
    }

    /// From now on the board is at this place of a picture of the whole screen, and untouched.
    fn go_to(&mut self, screen: &Screenshot, grid: &Grid) -> Result<(), DesktopError> {
        (self.grid, self.region, self.shot) = surroundings(self.desktop, screen, grid)?;
        self.untouched = Some((self.shot.pixels.clone(), self.grid.clone()));
        (self.calm, self.running, self.is_moved) = (None, None, false);
        self.find_window();
        self.allow(&[]);
        Ok(())
    }

    fn window_has_gone(&mut self) -> bool {
        self.window.is_some_and(|window| self.desktop.has_gone(window))
    }

    /// Whether the window that showed the board has gone, and nothing shows a fresh one instead for as long as that may take.
    pub fn has_closed(&mut self) -> Result<bool, DesktopError> {
        let began = self.desktop.clock();
        while self.window_has_gone() {
            match self.settle().and_then(|_| Ok(self.is_untouched() || self.find_elsewhere()?)) {
                Ok(false) | Err(DesktopError::Black) => {}
                Ok(true) => self.find_window(),
                Err(other) => return Err(other),
            }
            if self.desktop.clock().saturating_sub(began) >= GOES_BY_ITSELF {
                return Ok(true);
            }
            self.desktop.wait(GOES)?;
        }
        Ok(false)
    }

    /// The window that shows the board, or did, where the system tells and it is still there.
    pub fn window(&mut self) -> Option<Window> {
        if self.window_has_gone() { None } else { self.window }
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
            cut(picture, grid.tile(cell)).is_some_and(|tile| {
                let first = tile.pixels().next().copied();
                tile.pixels().all(|pixel| first.is_some_and(|first| !differ(first.0, pixel.0, PLAIN)))
            })
        };
        let drawn: Vec<Cell> = grid.size().cells().filter(|&cell| !is_plain(then, grid, cell)).collect();
        let plain = drawn.iter().filter(|&&cell| is_plain(&self.shot.pixels, &self.grid, cell)).count();
        !drawn.is_empty() && plain * PLAIN_SHARE >= drawn.len()
    }

    /// Looks which window shows the board, unless the one that did is still there.
    fn find_window(&mut self) {
        if self.window.is_some_and(|window| !self.desktop.has_gone(window)) {
            return;
        }
        let middle = self.board().middle();
        self.allow(&[]);
        self.window = self.desktop.window_at(middle);
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
        self.rimless(self.unshaded())
    }

    fn rimless<'b>(&self, seen: Cow<'b, RgbaImage>) -> Cow<'b, RgbaImage> {
        let clean = self.clean.as_ref().filter(|(_, grid)| *grid == self.grid);
        let rimless = clean.and_then(|(clean, grid)| rims::without(clean, &seen, grid, &self.clicked));
        rimless.map_or(seen, Cow::Owned)
    }

    fn unshaded(&self) -> Cow<'_, RgbaImage> {
        let picture = &self.shot.pixels;
        let before = self.running.as_ref().filter(|(_, grid)| *grid == self.grid);
        let shade = before.and_then(|(before, grid)| Shade::between(before, picture, grid.bounds()));
        shade.map_or(Cow::Borrowed(picture), |shade| Cow::Owned(shade.taken_off(picture, self.grid.bounds())))
    }

    /// Whether something lies over the board and all around it.
    pub fn is_shaded(&self) -> bool {
        self.calm.as_ref().is_some_and(|calm| is_shaded(calm, &self.shot.pixels, &self.grid))
    }

    /// Whether another window lies over the board.
    pub fn is_overlapped(&mut self) -> bool {
        let Self { desktop, shot, grid, window, .. } = self;
        grid.size().cells().any(|cell| is_below_another(*desktop, shot, grid, *window, cell))
    }

    /// What the board shows now.
    pub fn scene(&mut self, was_covered: bool) -> Scene {
        let unshaded = self.unshaded();
        let shows_through = matches!(unshaded, Cow::Owned(_));
        let seen = self.rimless(unshaded).into_owned();
        self.clean = Some((seen.clone(), self.grid.clone()));
        let is_shaded = !shows_through && (self.is_shaded() || self.is_replaced());
        let Self { desktop, grid, shot, window, notes, .. } = self;
        let is_elsewhere = |cell: Cell| {
            if is_shaded {
                return true;
            }
            is_below_another(*desktop, shot, grid, *window, cell)
        };
        notes.evidence.look_at(&seen, grid, was_covered, is_elsewhere)
    }

    /// Whether the board is as at the beginning of a game.
    pub fn is_untouched(&self) -> bool {
        self.is_anew(self.notes.evidence.games.last().map(|game| &game.running))
    }

    /// Whether it is, after a game that showed `before` while it was played.
    fn is_anew(&self, before: Option<&Scene>) -> bool {
        let looks = self.notes.evidence.looks.recognise(&self.shot.pixels, &self.grid);
        self.notes.evidence.is_anew(&looks, before)
    }

    /// By how many columns or rows the board goes on on a side (left, right, top, bottom) on which so many look like hidden tiles: the ground
    /// around a board may look so, too, but answers no click. `None` where none answers.
    fn grown(&mut self, side: usize, most: i32) -> Result<Option<i32>, DesktopError> {
        let own = self.grid.clone();
        // A press may be lost.
        for by in [most, 1, 1] {
            let mut misfit = [0; 4];
            misfit[side] = by;
            let Some(grid) = fitted(&own, misfit) else { return Ok(None) };
            let size = grid.size();
            let looks = self.notes.evidence.looks.recognise(&self.shot.pixels, &grid);
            let (across, down) = (size.width / 2, size.height / 2);
            let (cells, middle): (Vec<Cell>, u32) = match side {
                0 => ((0..size.height).map(|y| Cell::new(0, y)).collect(), down),
                1 => ((0..size.height).map(|y| Cell::new(size.width - 1, y)).collect(), down),
                2 => ((0..size.width).map(|x| Cell::new(x, 0)).collect(), across),
                _ => ((0..size.width).map(|x| Cell::new(x, size.height - 1)).collect(), across),
            };
            // What is open there already answers no click.
            let far = |cell: &Cell| (if side < 2 { cell.y } else { cell.x }).abs_diff(middle);
            let hidden = cells.into_iter().filter(|&cell| self.notes.evidence.is_hidden(looks[size.index(cell)]));
            let Some(cell) = hidden.min_by_key(far) else { return Ok(None) };
            self.grid = grid;
            self.allow(&[]);
            let answer = self.press(cell, Button::Left);
            self.grid = own.clone();
            self.allow(&[]);
            match answer {
                Ok(true) => return Ok(Some(by)),
                // Where another window is there is no board.
                Ok(false) | Err(DesktopError::Foreign(_)) => {}
                Err(other) => return Err(other),
            }
        }
        Ok(None)
    }

    /// What is seen is an untouched board: whatever of the grid does not fit it is mended, and what is seen is kept. Whether that took a click
    /// that opened a tile: it is to be begun anew then, and taken again.
    pub fn take_as_untouched(&mut self) -> Result<bool, DesktopError> {
        // Some programs begin a new game by starting anew.
        self.find_window();
        if !self.notes.evidence.games.is_empty() {
            let mut misfit = self.notes.evidence.misfit(&self.shot.pixels, &self.grid);
            log::debug!("the board is larger by {misfit:?} (left, right, top, bottom)");
            // Its grid is not followed while a larger one is tried.
            self.untouched = None;
            let (mut is_touched, shot) = (false, self.shot.clone());
            for (side, most) in misfit.iter_mut().enumerate().filter(|(_, most)| **most > 0) {
                let by = if is_touched || self.ends[side] { None } else { self.grown(side, *most)? };
                self.ends[side] |= by.is_none() && !is_touched;
                is_touched |= by.is_some();
                *most = by.unwrap_or(0);
            }
            self.shot = shot;
            log::debug!("by what answers clicks it is larger by {misfit:?}");
            if misfit != [0; 4]
                && let Some(grid) = fitted(&self.grid, misfit)
            {
                self.notes.evidence.resize(self.size(), misfit);
                // Controls stay where they are when the board is found to be larger.
                for step in &mut self.notes.new_game {
                    step.each_place(&mut |place| *place = spot(&grid, self.grid.spot(*place)));
                }
                self.grid = grid;
                self.notes.evidence.sort_again(1.0);
                self.allow(&[]);
            }
            if is_touched {
                return Ok(true);
            }
        }
        if self.notes.evidence.others.is_empty() {
            let straight = straightened(&self.shot.pixels, &self.grid);
            let evened = self.notes.evidence.evened(&self.shot.pixels, &straight);
            if evened != self.grid {
                log::debug!("its tiles look alike with columns at {:?}, rows at {:?}", evened.columns, evened.lines);
                self.grid = evened;
                self.allow(&[]);
            }
            self.notes.evidence.measure(&self.shot.pixels, &self.grid);
            self.notes.evidence.sort_again(1.0);
        }
        (self.calm, self.running) = (Some(self.shot.pixels.clone()), None);
        self.untouched = Some((self.shot.pixels.clone(), self.grid.clone()));
        self.is_moved = false;
        let scene = self.scene(false);
        self.notes.evidence.take_as_untouched(scene);
        Ok(false)
    }

    /// Plays a game to its end, or until no click does anything.
    pub fn play(&mut self, tell: &mut Tell) -> Result<Played, DesktopError> {
        self.park()?;
        self.settle()?;
        let size = self.size();
        let mut before = self.scene(false);
        let is_open = |look: &&Option<LookId>| look.is_some() && !self.notes.evidence.known.is_covered(**look);
        let open_at_start = before.looks.iter().filter(is_open).count();
        let mut last: Option<(Scene, Cell)> = None;
        let (mut deaf, mut pressed): (Vec<Cell>, Vec<Cell>) = Default::default();
        let (mut clicks, mut opened_first) = (0, 0);
        // Clicks after which a tile was hidden that had been open, and the game went on.
        let mut closed = 0;
        let mut is_dry = false;
        // Whether the last click was one of several.
        let mut was_together = false;
        (self.confused, self.lingers) = (0, false);
        self.shorter = None;
        self.is_cleared = false;
        loop {
            let Some((cell, certain)) = self.choose(&before.looks, &deaf, &pressed) else {
                self.is_cleared = true;
                break;
            };
            // The answer to the first click, to one that had none, and what may be the end of a game are looked at by themselves.
            let together =
                if clicks > 0 && deaf.is_empty() { self.together(&before.looks, certain) } else { Vec::new() };
            let is_number = |meaning: &Meaning| matches!(meaning.tile, Tile::Open(1..));
            if self.confused >= CONFUSED && !self.meanings.of.values().any(is_number) {
                break;
            }
            self.running = Some((before.picture.clone(), before.grid.clone()));
            let touch = self.notes.touch();
            if deaf.len() + 1 == DEAF && touch.hold_ms < LONGEST {
                // The last one before the game is held to be over must not be missed.
                self.notes.touch = Some(touch.firmer());
            }
            for &other in &together {
                if !self.tap(other)? {
                    break;
                }
            }
            let is_foreign = match self.press(cell, Button::Left) {
                // A dialog of its own: the game may be over.
                Err(DesktopError::Foreign(_)) => true,
                other => {
                    other?;
                    false
                }
            };
            if is_foreign {
                self.settle()?;
            }
            if !is_foreign && self.is_replaced() {
                // The game was over before: what the last click showed is its end, and the page is no answer to this one.
                break;
            }
            let did = changed((&before.picture, &before.grid), (&self.seen(), &self.grid));
            if !is_foreign && !did[size.index(cell)] {
                let is_first = clicks == 0 && self.notes.evidence.games.is_empty();
                if is_first && touch.hold_ms < LONGEST {
                    // Before any click had an effect: it may have been too short to be seen.
                    self.notes.touch = Some(touch.firmer());
                    continue;
                }
                self.notes.touch = Some(touch);
                deaf.push(cell);
                if deaf.len() >= DEAF {
                    break;
                }
                continue;
            }
            let is_first = clicks < ALIGNED && self.notes.evidence.games.is_empty();
            // Where rows change their size the lines between tiles told where they are.
            let is_new = is_first && !self.notes.elastic && !self.is_shaded() && !self.is_overlapped();
            // What changes elsewhere, too, is the end of a game, and may be written over tiles.
            let is_new = is_new && size.hang_together(&did, cell) && !self.is_restless;
            if is_new && self.grid == before.grid && self.align(&before, clicks == 0) {
                let evidence = &mut self.notes.evidence;
                for scene in std::iter::once(&mut before).chain(last.as_mut().map(|(scene, _)| scene)) {
                    *scene = evidence.look_at(&scene.picture, &self.grid, false, |_| false);
                }
            }
            let mut now = self.scene(false);
            let is_lighter =
                |index: usize| did[index] && now.looks[index].is_some() && now.looks[index] == before.looks[index];
            let is_alike = (0..size.tiles()).any(is_lighter) && size.hang_together(&did, cell);
            if is_alike && !is_foreign && self.notes.evidence.tell_apart() {
                // What a click opened is something else than it was, though it is but lighter.
                let looks = &mut self.notes.evidence.looks;
                for scene in [&mut before, &mut now].into_iter().chain(last.as_mut().map(|(scene, _)| scene)) {
                    scene.looks = looks.sort_except(&scene.picture, &scene.grid, &scene.covered);
                }
            }
            self.keep_hidden(&before, &now, &did);
            let is_over = is_foreign || now.is_covered();
            if !is_over && !is_dry && before.grid == now.grid {
                let [then, now] = [&before, &now].map(|scene| self.notes.evidence.dry(scene, &self.meanings));
                is_dry = then.iter().any(|cell| now.contains(cell));
            }
            if is_over {
                self.uncover(Some(&before), false, tell)?;
                if self.begun_by.is_none() {
                    now = self.scene(true);
                }
            } else if self.is_anew(Some(&before)) && clicks > 0 {
                // The click was one too many: it began the next game.
                self.begun_by = Some(ON_THE_BOARD);
                break;
            }
            deaf.clear();
            if is_foreign && now.looks == before.looks {
                break;
            }
            clicks += 1 + together.len();
            pressed.extend(together.iter().chain([&cell]));
            if clicks == 1 {
                opened_first = did.iter().filter(|did| **did).count();
            }
            if let Some((running, at)) = &last {
                let evidence = &self.notes.evidence;
                let is_closed = |index: usize| {
                    let (then, now) = (running.looks[index], before.looks[index]);
                    // What looked so from the beginning was not open.
                    let was_open = then.is_some() && !evidence.known.is_covered(then);
                    was_open && !evidence.was_there_first(index, then) && evidence.is_hidden(now)
                };
                closed += usize::from((0..size.tiles()).any(is_closed));
                if closed >= CLOSED || clicks > size.tiles() {
                    return Ok(Played::Strange);
                }
                // The game went on after the click before this: what that opened together was empty.
                if !was_together {
                    self.note_flood(&running.looks.clone(), &before.looks, *at);
                }
            }
            was_together = !together.is_empty();
            if self.shorter.is_none() && !is_over && !was_together && !size.hang_together(&did, cell) {
                let (running, ending) = (before.clone(), now.clone());
                let pressed = pressed.clone();
                self.shorter =
                    Some(Record { running, ending, clicked: cell, pressed, clicks, opened_first, open_at_start });
            }
            let look = now.looks[size.index(cell)];
            last = Some((std::mem::replace(&mut before, now), cell));
            let is_mine =
                look.and_then(|look| self.meanings.of.get(&look)).is_some_and(|meaning| meaning.tile.is_shown_mine());
            if is_mine {
                tell(News::Says("a mine"));
            }
            if is_mine || is_over {
                break;
            }
        }
        let Some((mut running, clicked)) = last else { return Ok(Played::Deaf) };
        self.notes.dry += usize::from(is_dry);
        let is_unsettled = self.notes.evidence.settle(&mut running, &before);
        for row in running.looks.chunks(size.width as usize) {
            let names = row.iter().map(|look| look.map_or(" --".into(), |look| format!("{look:3}")));
            log::debug!("{}", names.collect::<String>());
        }
        log::debug!("clicked last: {clicked}");
        self.notes.evidence.games.push(Record {
            running,
            ending: before,
            clicked,
            pressed,
            clicks,
            opened_first,
            open_at_start,
        });
        if is_unsettled {
            // What is not on any picture any more is no look.
            self.notes.evidence.sort_again(1.0);
        }
        Ok(Played::Over)
    }

    /// Moves the grid to where the tiles are that a click changed: to whole tiles, and so that as many as can be look alike. Whether it was
    /// moved.
    fn align(&mut self, before: &Scene, is_first: bool) -> bool {
        let evidence = &self.notes.evidence;
        let picture = &before.picture;
        let hidden = |grid: &Grid| hidden_share(picture, grid, evidence.alike());
        // What changed may be figures in the middle of tiles, or a part of each that was not yet as it is now: the grid is not moved to where,
        // give or take a line, fewer tiles are hidden ones: a row or column of them, or, half a tile away, a single one.
        let line = f64::from(NUDGE);
        let least = |x: f64, y: f64| if x.abs() > line || y.abs() > line { 1.0 } else { FAMILIAR };
        let is_as_hidden = |&(x, y): &(f64, f64)| {
            hidden(&evidence.evened(picture, &self.grid.moved(x, y))) >= least(x, y) * hidden(&self.grid)
        };
        let first = Some(&self.grid).filter(|_| is_first);
        let to_whole_tiles = first.and_then(|grid| beside(picture, &self.shot.pixels, grid)).filter(is_as_hidden);
        let by = to_whole_tiles.unwrap_or((0.0, 0.0));
        let moved = self.grid.moved(by.0, by.1);
        // What a click changes may be a pixel less than a tile; and before anything is open, a line may belong to the tile on either
        // side of it.
        let picture = if to_whole_tiles.is_some() { &before.picture } else { &self.shot.pixels };
        let more = evidence.nudged(picture, &moved);
        if to_whole_tiles.is_none() && more.is_none() {
            return false;
        }
        let more = more.unwrap_or((0.0, 0.0));
        self.shift((by.0 + more.0, by.1 + more.1));
        true
    }

    /// Moves the grid, here and in all that was seen so far.
    fn shift(&mut self, by: (f64, f64)) {
        log::debug!("the grid is moved by {by:?}");
        self.notes.evidence.shift(&self.grid, by);
        self.grid = self.grid.moved(by.0, by.1);
        if let Some((picture, grid)) = &mut self.untouched {
            *grid = grid.moved(by.0, by.1);
            // Beside its tiles even hidden ones look otherwise from place to place.
            self.notes.evidence.measure(picture, grid);
        }
        self.notes.evidence.sort_again(1.0);
        // With the grid beside the tiles, a number may have changed its neighbours, too.
        self.notes.evidence.known.zeros.clear();
    }

    /// What did not change is still hidden, also where it has another size now and looks a little otherwise.
    fn keep_hidden(&mut self, before: &Scene, now: &Scene, did: &[bool]) {
        let known = &mut self.notes.evidence.known;
        for (index, look) in now.looks.iter().enumerate() {
            if let Some(look) = look.filter(|_| before.grid != now.grid && !did[index])
                && before.looks[index].is_some_and(|then| known.hidden.contains(&then))
                && !known.is_covered(Some(look))
            {
                log::debug!("look {look} is that of a hidden tile of another size");
                known.hidden.insert(look);
            }
        }
    }

    /// A click that opened three tiles or more in a game that went on was on an empty tile, if these hang together: mines that show do not.
    fn note_flood(&mut self, before: &[Option<LookId>], after: &[Option<LookId>], at: Cell) {
        let size = self.size();
        let known = &mut self.notes.evidence.known;
        let is_opened =
            |(before, after): (&Option<LookId>, &Option<LookId>)| before != after && !known.is_covered(*after);
        let opened: Vec<bool> = before.iter().zip(after).map(is_opened).collect();
        let look = after[size.index(at)];
        if opened.iter().filter(|opened| **opened).count() >= 3
            && size.hang_together(&opened, at)
            && let Some(look) = look.filter(|look| !known.is_covered(Some(*look)))
        {
            known.zeros.insert(look);
        }
    }

    /// Where to click next: what is least likely to be a mine, for all that is believed. With it all others that are none for certain, the
    /// nearest to the middle first.
    fn choose(&mut self, seen: &[Option<LookId>], deaf: &[Cell], pressed: &[Cell]) -> Option<(Cell, Vec<Cell>)> {
        let (size, evidence) = (self.size(), &self.notes.evidence);
        let is_hidden = |cell: &Cell| evidence.is_hidden(seen[size.index(*cell)]) && !deaf.contains(cell);
        let middle = (f64::from(size.width) / 2.0 - 0.5, f64::from(size.height) / 2.0 - 0.5);
        let far = |cell: Cell| (f64::from(cell.x) - middle.0).powi(2) + (f64::from(cell.y) - middle.1).powi(2);
        let game = Game { size, running: evidence.under_way(size, seen, pressed), ending: None };
        let risks = risk(&evidence.known, &self.meanings, &game);
        self.confused = if risks.is_some() { 0 } else { self.confused + 1 };
        let Some(risks) = risks else {
            let nearest = size.cells().filter(is_hidden).min_by(|a, b| far(*a).total_cmp(&far(*b)));
            return nearest.map(|cell| (cell, Vec::new()));
        };
        if self.is_to_lose
            && let Some((mine, _)) = risks.iter().find(|(cell, risk)| *risk == 1.0 && is_hidden(cell))
        {
            return Some((*mine, Vec::new()));
        }
        let mut allowed: Vec<(Cell, f64)> = risks.into_iter().filter(|(cell, _)| is_hidden(cell)).collect();
        // Among equals the one in the middle: there it opens most.
        allowed.sort_by(|a, b| (a.1, far(a.0)).partial_cmp(&(b.1, far(b.0))).unwrap_or(std::cmp::Ordering::Equal));
        // What is left are mines: the game is won, or its end hidden.
        let &(chosen, _) = allowed.first().filter(|(_, risk)| *risk < 1.0)?;
        let certain = allowed.iter().skip(1).take_while(|(_, risk)| *risk == 0.0).map(|(cell, _)| *cell).collect();
        Some((chosen, certain))
    }

    /// Which of the tiles that are certain are clicked with the next one: where games enough told what is known, and so much is left that none of
    /// them ends the game. A client that lets tiles fade in takes half a second for each answer.
    fn together(&self, seen: &[Option<LookId>], certain: Vec<Cell>) -> Vec<Cell> {
        let evidence = &self.notes.evidence;
        let Some(&mines) = self.meanings.mines.get(&self.size()) else { return Vec::new() };
        let hidden = seen.iter().filter(|look| evidence.is_hidden(**look)).count();
        let is_far = hidden > mines as usize + 3 * TOGETHER;
        let may = is_far && evidence.games.len() >= TOLD && !self.is_to_lose && !self.lingers;
        certain.into_iter().take(if may { TOGETHER } else { 0 }).collect()
    }

    /// What the last click of the last game changed beside the board.
    pub fn changed_around(&self) -> Vec<Rect> {
        let game = self.notes.evidence.games.last();
        game.map(|Record { running, ending, .. }| changed_around(&running.picture, &ending.picture, &running.grid))
            .unwrap_or_default()
    }
}

/// A board that is somewhere in a picture of the whole screen: where it is in a picture of it and what is around it, that place, and the picture.
fn surroundings(
    desktop: &mut impl Desktop,
    screen: &Screenshot,
    grid: &Grid,
) -> Result<(Grid, ScreenRect, Screenshot), DesktopError> {
    let place = grid.around(screen.pixels.dimensions(), MARGIN);
    let corner = screen.to_screen(Pixel { x: f64::from(place.left), y: f64::from(place.top) });
    let end =
        screen.to_screen(Pixel { x: f64::from(place.left + place.width), y: f64::from(place.top + place.height) });
    let region =
        ScreenRect { corner, width: (end.x - corner.x).max(0) as u32, height: (end.y - corner.y).max(0) as u32 };
    let shot = desktop.look(Some(region))?;
    let by = screen.to_pixel(shot.origin);
    Ok((grid.moved(by.x, by.y), region, shot))
}

/// By how much a part of one picture is farther right and below in another, if nearly all of it is there.
fn place_of(picture: &RgbaImage, part: Rect, other: &RgbaImage) -> Option<(f64, f64)> {
    let Rect { left, top, width, height } = part;
    if left + width > picture.width() || top + height > picture.height() {
        return None;
    }
    let is_there = |at: (u32, u32), (x, y): (u32, u32)| {
        picture.get_pixel(left + x, top + y) == other.get_pixel(at.0 + x, at.1 + y)
    };
    // Few places pass what is seen at these, spread all over it.
    let samples: Vec<(u32, u32)> = (0..SAMPLES).map(|at| (at * 7919 % width, at * 6007 % height)).collect();
    let all = || (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    let is_place = |at: (u32, u32)| {
        samples.iter().all(|&sample| is_there(at, sample))
            && all().filter(|&pixel| !is_there(at, pixel)).count() as f64 <= ELSEWHERE * f64::from(width * height)
    };
    let (across, down) = ((other.width() + 1).checked_sub(width)?, (other.height() + 1).checked_sub(height)?);
    let found = (0..down).flat_map(|y| (0..across).map(move |x| (x, y))).find(|&at| is_place(at))?;
    Some((f64::from(found.0) - f64::from(left), f64::from(found.1) - f64::from(top)))
}

/// Whether another window than the board's lies over a tile, where the system tells.
fn is_below_another<D: Desktop>(
    desktop: &mut D,
    shot: &Screenshot,
    grid: &Grid,
    own: Option<Window>,
    cell: Cell,
) -> bool {
    let Some(own) = own else { return false };
    let Rect { left, top, width, height } = grid.tile(cell);
    let inside = [(0.5, 0.5), (0.1, 0.1), (0.9, 0.1), (0.1, 0.9), (0.9, 0.9)]
        .map(|(x, y)| Pixel { x: f64::from(left) + x * f64::from(width), y: f64::from(top) + y * f64::from(height) });
    inside.into_iter().any(|at| desktop.window_at(shot.to_screen(at)).is_some_and(|found| found.id != own.id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_that_stands_elsewhere_is_found_again() {
        let light = |x: u32, y: u32| if x.is_multiple_of(10) || y.is_multiple_of(10) { 90 } else { 200 };
        let board = |left: u32, top: u32| {
            RgbaImage::from_fn(150, 120, |x, y| {
                let is_board = (left..left + 60).contains(&x) && (top..top + 40).contains(&y);
                let light = if is_board { light(x - left, y - top) } else { 30 };
                image::Rgba([light, light, light, 255])
            })
        };
        let (before, part) = (board(20, 30), Rect { left: 20, top: 30, width: 60, height: 40 });
        assert_eq!(place_of(&before, part, &before), Some((0.0, 0.0)));
        assert_eq!(place_of(&before, part, &board(73, 5)), Some((53.0, -25.0)));
        assert_eq!(place_of(&before, part, &board(120, 30)), None);
    }
}
