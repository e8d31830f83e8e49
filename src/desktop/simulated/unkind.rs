//! A simulated desktop that is not kind: around the built-in client stand other windows, time passes at every look and press, and a
//! schedule of [`Event`]s moves, covers, hides and changes what there is. Whatever goes where it does not belong is written down.

use super::events::{Event, What, When};
use super::{DIALOG, MAIN, Simulated, paint};
use crate::board::Tile;
use crate::client::Step;
use crate::desktop::{Action, Click, Desktop, DesktopError, Note, Window};
use crate::game::State;
use crate::geometry::{Cell, Rect, ScreenPoint, ScreenRect};
use crate::screenshot::{Screenshot, cut};
use crate::vision::Grid;
use image::{Rgba, RgbaImage, imageops};
use std::time::Duration;

/// What a look at the screen takes.
const LOOK: Duration = Duration::from_millis(2);
/// What a way of the pointer, or a question which window it is, takes. A press takes no time after the last question: whatever
/// happens, happens before one of the two.
const WAY: Duration = Duration::from_micros(300);

/// The client's program, and those of others.
const CLIENT: u64 = 1;
const OTHER: u64 = 100;

/// A second window of the client.
const SECOND: u64 = 3;

/// Another program's window.
#[derive(Clone, Debug, PartialEq)]
struct Foreign {
    place: ScreenRect,
    /// Until when it is there.
    until: Duration,
    /// It lets no window come before it.
    stays_above: bool,
    is_behind: bool,
    has_keyboard: bool,
}

impl Foreign {
    fn draw(&self, pixels: &mut RgbaImage) {
        let ScreenRect { corner, width, height } = self.place;
        let rect = Rect { left: corner.x as u32, top: corner.y as u32, width, height };
        paint::fill(pixels, rect, Rgba([240, 240, 235, 255]));
        paint::fill(pixels, Rect { height: height.min(6), ..rect }, Rgba([70, 70, 90, 255]));
    }
}

/// All that a picture of the screen depends on: as long as it stays, so does the picture.
#[derive(Clone, Debug, PartialEq)]
struct Scenery {
    paintings: u64,
    is_there: bool,
    is_hidden: bool,
    foreign: Vec<Foreign>,
    second: Option<Rect>,
}

impl Scenery {
    /// Whether nothing shows but the client's window.
    fn is_plain(&self) -> bool {
        self.is_there && !self.is_hidden && self.foreign.is_empty() && self.second.is_none()
    }
}

/// Who gets what is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Focus {
    Client,
    Other,
}

/// What went where it does not belong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Astray {
    /// Clicks on other programs' windows, or on the bare desktop.
    pub foreign_clicks: u32,
    /// Keys typed into other programs' windows, or nowhere.
    pub foreign_keys: u32,
    /// Clicks on the client's windows beside the board and its controls.
    pub beside: u32,
    /// Keys for a dialog, typed into the client while it had none.
    pub unasked: u32,
}

/// A press that the client has not got yet.
struct Late {
    due: Duration,
    click: Click,
    /// The board on which it was made.
    grid: Grid,
    /// What had been seen of that.
    seen: Vec<Tile>,
}

/// An unkind desktop with the built-in client on it.
pub struct Unkind {
    client: Simulated,
    hides: bool,
    schedule: Vec<Event>,
    foreign: Vec<Foreign>,
    focus: Focus,
    minimised_until: Option<Duration>,
    dialog_until: Option<Duration>,
    second: Option<Rect>,
    /// Presses that the client has not got yet.
    late: Vec<Late>,
    /// What the client had painted at the last look.
    seen: Vec<Tile>,
    /// A mine went off for a flag that no look had shown, or a press that nobody made.
    is_unforeseen: bool,
    next_press: Option<What>,
    torn: bool,
    black: u32,
    failing: u32,
    looks: u32,
    presses: u32,
    /// The last picture, and of what.
    last: Option<(Scenery, Screenshot)>,
    /// The game that was on the screen at the last look.
    looked_at: usize,
    /// The first game with an open tile that something was decided on.
    known: Option<usize>,
    /// The game that the last click went to.
    clicked: usize,
    astray: Astray,
    happened: Vec<What>,
}

impl Unkind {
    /// `client` on a desktop where this is going to happen. `hides`: it covers its board while it has not the keyboard.
    pub fn new(client: Simulated, hides: bool, schedule: Vec<Event>) -> Self {
        Self {
            client,
            hides,
            schedule,
            foreign: Vec::new(),
            focus: Focus::Client,
            minimised_until: None,
            dialog_until: None,
            second: None,
            late: Vec::new(),
            seen: Vec::new(),
            is_unforeseen: false,
            next_press: None,
            torn: false,
            black: 0,
            failing: 0,
            looks: 0,
            presses: 0,
            last: None,
            looked_at: 0,
            known: None,
            clicked: 0,
            astray: Astray::default(),
            happened: Vec::new(),
        }
    }

    /// The client.
    pub fn client(&self) -> &Simulated {
        &self.client
    }

    /// What went where it does not belong.
    pub fn astray(&self) -> Astray {
        self.astray
    }

    /// What has happened so far.
    pub fn happened(&self) -> &[What] {
        &self.happened
    }

    /// How many looks and presses there were.
    pub fn effort(&self) -> (u32, u32) {
        (self.looks, self.presses)
    }

    /// How the game stands, or stood when another was begun, that was the first with an open tile to be decided on; without one, the
    /// game that was clicked last.
    pub fn state(&self) -> State {
        self.client.state_of(self.known.unwrap_or(self.clicked))
    }

    /// Whether a mine went off because a number was pressed beside a wrong flag that the client had not painted when it was looked at last,
    /// of which nobody can know who cannot see into a client; or because one press counted twice.
    pub fn is_unforeseen(&self) -> bool {
        self.is_unforeseen
    }

    fn now(&mut self) -> Duration {
        self.client.clock()
    }

    fn pass(&mut self, time: Duration) {
        // In steps, so that what happens meanwhile happens in its order.
        let mut left = time;
        while !left.is_zero() {
            let step = left.min(Duration::from_millis(5));
            self.client.advance(step);
            left -= step;
            self.catch_up();
        }
    }

    /// Lets happen what is due.
    fn catch_up(&mut self) {
        let (now, looks, presses) = (self.now(), self.looks, self.presses);
        let is_due = |event: &Event| match event.when {
            When::Time(at) => at <= now,
            When::Look(number) => number <= looks,
            When::Press(number) => number <= presses,
        };
        while let Some(index) = self.schedule.iter().position(is_due) {
            let event = self.schedule.remove(index);
            self.happen(event.what, now);
        }
        self.foreign.retain(|window| window.until > now);
        if self.focus == Focus::Other && !self.foreign.iter().any(|window| window.has_keyboard) {
            self.focus = Focus::Client;
        }
        if self.minimised_until.is_some_and(|until| until <= now) {
            self.minimised_until = None;
        }
        if self.dialog_until.is_some_and(|until| until <= now) {
            self.dialog_until = None;
            self.client.dismiss();
        }
        while let Some(index) = self.late.iter().position(|late| late.due <= now) {
            let Late { click, grid, seen, .. } = self.late.remove(index);
            // A system hands a press to the window, and the place in it, where it was made, and a client gets it before it learns that it
            // was moved or resized since.
            let at = self.client.where_now(click.at, &grid);
            if !self.client.is_gone() {
                self.deliver(&Click { at, ..click }, Some(&seen));
            }
        }
    }

    /// A press that the client gets, by somebody who has seen this of its board; by nobody, where it is one too many.
    fn deliver(&mut self, click: &Click, seen: Option<&[Tile]>) {
        let was_lost = self.client.game().state() == State::Lost;
        let flags = self.client.cell_at(click.at).map_or(Vec::new(), |cell| self.client.wrong_flags(cell));
        self.client.deliver(click);
        let is_lost = self.client.game().state() == State::Lost && !was_lost;
        let size = self.client.plan.size;
        let is_seen = |flag: Cell| seen.and_then(|seen| seen.get(size.index(flag))) == Some(&Tile::Flag);
        self.is_unforeseen |= is_lost && flags.iter().any(|&flag| !is_seen(flag));
    }

    fn happen(&mut self, what: What, now: Duration) {
        self.happened.push(what);
        let (width, height) = self.client.canvas.pixels.dimensions();
        let screen = (width as i32, height as i32);
        let board = paint::bounds(self.client.grid());
        match what {
            What::Move(x, y) => self.client.move_by((x, y)),
            What::Resize(by) => {
                if !self.client.resize_by(by) {
                    self.happened.pop();
                }
            }
            What::Theme => self.client.next_theme(),
            What::Cover(from, to, time) => {
                let at = |share: f64, start: u32, length: u32, most: i32| {
                    ((f64::from(start) + share * f64::from(length)) as i32).clamp(0, most)
                };
                let (left, top) = (
                    at(from[0], board.left, board.width, screen.0 - 8),
                    at(from[1], board.top, board.height, screen.1 - 8),
                );
                let right = at(to[0], board.left, board.width, screen.0).max(left + 8);
                let bottom = at(to[1], board.top, board.height, screen.1).max(top + 8);
                let corner = ScreenPoint { x: left, y: top };
                let place = ScreenRect { corner, width: (right - left) as u32, height: (bottom - top) as u32 };
                self.open(place, now + time, false, true);
            }
            What::Notice(time) => {
                let corner =
                    ScreenPoint { x: (board.left + board.width / 2) as i32, y: board.top.saturating_sub(30) as i32 };
                self.open(ScreenRect { corner, width: board.width, height: 60 }, now + time, true, false);
            }
            What::Focus(time) => {
                let corner = ScreenPoint { x: 0, y: 0 };
                self.open(ScreenRect { corner, width: 10, height: 10 }, now + time, false, true);
            }
            What::Minimise(time) => self.minimised_until = Some(now + time),
            What::Dialog(time) => {
                self.dialog_until = Some(now + time);
                self.client.put_up_dialog();
            }
            What::Second => self.second = Some(paint::below(self.client.grid(), screen)),
            What::Close => self.client.close(),
            What::Flag(cell) => self.client.flag_by_hand(cell),
            What::Open(cell) => self.client.open_by_hand(cell),
            What::Restart => self.client.restart_by_hand(),
            What::Level(size, mines) => {
                if !self.client.choose_level(size, mines) {
                    self.happened.pop();
                }
            }
            What::Levels => self.client.show_levels(),
            What::Twice | What::Lost | What::Late(_) => self.next_press = Some(what),
            What::Torn => self.torn = true,
            What::Black(looks) => self.black = looks,
            What::Fail(looks) => self.failing = looks,
        }
    }

    fn open(&mut self, place: ScreenRect, until: Duration, stays_above: bool, has_keyboard: bool) {
        self.foreign.push(Foreign { place, until, stays_above, is_behind: false, has_keyboard });
        if has_keyboard {
            self.focus = Focus::Other;
        }
    }

    fn is_there(&self) -> bool {
        !self.client.is_gone() && self.minimised_until.is_none()
    }

    fn foreign_at(&self, at: ScreenPoint, behind: bool) -> Option<usize> {
        self.foreign.iter().rposition(|window| window.is_behind == behind && window.place.contains(at))
    }

    fn window_under(&self, at: ScreenPoint) -> Window {
        let of = |id, program, corner| Window { id, program, corner };
        let other = |index: usize| of(OTHER + index as u64, OTHER, self.foreign[index].place.corner);
        if let Some(index) = self.foreign_at(at, false) {
            return other(index);
        }
        let contains = |rect: Rect| contains(rect, at);
        let corner = |rect: Rect| ScreenPoint { x: rect.left as i32, y: rect.top as i32 };
        if self.is_there() {
            if let Some(dialog) = self.client.dialog_place().filter(|&dialog| contains(dialog)) {
                return of(DIALOG, CLIENT, corner(dialog));
            }
            let main = paint::window_place(self.client.grid());
            if contains(main) {
                return of(MAIN, CLIENT, corner(main));
            }
        }
        if let Some(index) = self.foreign_at(at, true) {
            return other(index);
        }
        match self.second {
            Some(second) if contains(second) && !self.client.is_gone() => of(SECOND, CLIENT, corner(second)),
            _ => Window::NONE,
        }
    }

    fn scenery(&self) -> Scenery {
        Scenery {
            paintings: self.client.paintings,
            is_there: self.is_there(),
            is_hidden: self.is_hidden(),
            foreign: self.foreign.clone(),
            second: self.second.filter(|_| !self.client.is_gone()),
        }
    }

    /// The screen as it is now.
    fn picture(&mut self) -> RgbaImage {
        let place = paint::window_place(self.client.grid());
        let own = &self.client.canvas.pixels;
        let behind = self.foreign.iter().filter(|window| window.is_behind);
        let second = self.second.filter(|_| !self.client.is_gone());
        let mut pixels = if self.is_there() { own.clone() } else { paint::desktop(own.dimensions()) };
        if second.is_some() || behind.clone().next().is_some() {
            let main = cut(own, place);
            behind.for_each(|window| window.draw(&mut pixels));
            if let Some(second) = second {
                self.client.paint_second(&mut pixels, second);
            }
            if let Some(main) = main.filter(|_| self.is_there()) {
                imageops::replace(&mut pixels, &main, place.left.into(), place.top.into());
            }
        }
        if self.is_there() && self.is_hidden() {
            paint::fill(&mut pixels, paint::bounds(self.client.grid()), Rgba([190, 190, 186, 255]));
        }
        self.foreign.iter().filter(|window| !window.is_behind).for_each(|window| window.draw(&mut pixels));
        pixels
    }

    fn is_hidden(&self) -> bool {
        self.hides && self.focus != Focus::Client
    }

    fn come_forward(&mut self) {
        self.focus = Focus::Client;
        for window in &mut self.foreign {
            window.is_behind |= !window.stays_above;
            window.has_keyboard = false;
        }
    }

    fn click(&mut self, click: &Click) {
        let window = self.window_under(click.at);
        if window.program != CLIENT {
            self.astray.foreign_clicks += 1;
            return;
        }
        if window.id == SECOND {
            self.astray.beside += 1;
            return;
        }
        let was_hidden = self.is_hidden();
        self.come_forward();
        if self.client.is_board(click.at) {
            self.clicked = self.client.left.len();
        } else if !self.client.is_control(click.at) {
            self.astray.beside += 1;
        }
        if was_hidden {
            return;
        }
        match self.next_press.take() {
            Some(What::Lost) => {}
            Some(What::Twice) => {
                self.deliver(click, Some(&self.seen.clone()));
                self.deliver(click, None);
            }
            Some(What::Late(time)) => {
                let (due, grid, seen) = (self.now() + time, self.client.grid().clone(), self.seen.clone());
                self.late.push(Late { due, click: click.clone(), grid, seen });
            }
            _ => self.deliver(click, Some(&self.seen.clone())),
        }
    }

    fn keys(&mut self, keys: &str) {
        if self.focus != Focus::Client || self.client.is_gone() || self.minimised_until.is_some() {
            self.astray.foreign_keys += 1;
            return;
        }
        let answers = |step: &Step| matches!(step, Step::Answer(answer) if answer == keys);
        let hands = &self.client.client.hands;
        let is_answer = hands.uncover.iter().chain(&hands.new_game).any(answers);
        self.astray.unasked += u32::from(is_answer && self.client.dialog_place().is_none());
        match self.next_press.take() {
            Some(What::Lost) => {}
            Some(What::Twice) => {
                self.client.receive_keys(keys);
                self.client.receive_keys(keys);
            }
            _ => self.client.receive_keys(keys),
        }
    }
}

fn contains(rect: Rect, at: ScreenPoint) -> bool {
    let corner = ScreenPoint { x: rect.left as i32, y: rect.top as i32 };
    ScreenRect { corner, width: rect.width, height: rect.height }.contains(at)
}

impl Desktop for Unkind {
    fn look(&mut self, part: Option<ScreenRect>) -> Result<Screenshot, DesktopError> {
        self.looks += 1;
        self.pass(LOOK);
        if self.failing > 0 {
            self.failing -= 1;
            return Err(DesktopError::Capture("it fails, as it is to".into()));
        }
        if self.black > 0 {
            self.black -= 1;
            return Err(DesktopError::Black);
        }
        let scenery = self.scenery();
        self.looked_at = self.client.left.len();
        self.seen.clone_from(&self.client.shown);
        let keeps = self.torn || self.schedule.iter().any(|event| event.what == What::Torn);
        if !keeps && scenery.is_plain() {
            return self.client.canvas.part(part).ok_or_else(super::outside);
        }
        let last = self.last.take();
        if std::mem::take(&mut self.torn)
            && let Some((_, last)) = &last
        {
            let mut torn = self.picture();
            let half = torn.as_raw().len() / 2;
            torn.as_flat_samples_mut().samples[..half].copy_from_slice(&last.pixels.as_raw()[..half]);
            return Screenshot { pixels: torn, ..self.client.canvas }.part(part).ok_or_else(super::outside);
        }
        let (_, shot) = match last {
            Some(last) if last.0 == scenery => self.last.insert(last),
            _ => {
                let shot = Screenshot { pixels: self.picture(), ..self.client.canvas };
                self.last.insert((scenery, shot))
            }
        };
        shot.part(part).ok_or_else(super::outside)
    }

    fn window_at(&mut self, at: ScreenPoint) -> Option<Window> {
        Some(self.window_under(at))
    }

    fn window_of_keys(&mut self) -> Option<Window> {
        self.pass(WAY);
        Some(match self.focus {
            Focus::Client if self.is_there() => {
                let id = if self.client.dialog_place().is_some() { DIALOG } else { MAIN };
                Window { id, program: CLIENT, corner: ScreenPoint { x: 0, y: 0 } }
            }
            Focus::Client => Window::NONE,
            Focus::Other => Window { id: OTHER, program: OTHER, corner: ScreenPoint { x: 0, y: 0 } },
        })
    }

    fn window_now(&mut self, window: Window) -> Option<Window> {
        let Rect { left, top, .. } = paint::window_place(self.client.grid());
        let corner = ScreenPoint { x: left as i32, y: top as i32 };
        (window.id == MAIN && self.is_there()).then_some(Window { corner, ..window })
    }

    fn has_gone(&mut self, window: Window) -> bool {
        window.program == CLIENT && self.client.is_gone()
    }

    fn raise(&mut self, window: Window) -> Result<(), DesktopError> {
        if window.id == MAIN && self.is_there() {
            self.come_forward();
        }
        Ok(())
    }

    fn act(&mut self, action: &Action) -> Result<(), DesktopError> {
        match action {
            Action::Click(click) => self.click(click),
            Action::Point(point) => {
                self.presses += 1;
                self.pass(WAY);
                self.client.point(*point);
            }
            Action::Answer(_) if self.client.dialog_place().is_none() => {}
            Action::Keys(keys) | Action::Answer(keys) => self.keys(keys),
            Action::Raise | Action::Close | Action::Start => {}
        }
        Ok(())
    }

    fn wait(&mut self, time: Duration) -> Result<(), DesktopError> {
        self.pass(time);
        Ok(())
    }

    fn clock(&mut self) -> Duration {
        self.now()
    }

    fn note(&mut self, note: Note<'_>) -> Result<(), DesktopError> {
        if let Note::Decision(board, _) = note
            && board.tiles().iter().any(|tile| tile.number().is_some())
        {
            self.known = self.known.or(Some(self.looked_at));
        }
        Ok(())
    }
}
