//! The built-in client: a [`Game`] painted with some client's tile pictures, played through the same seam as the real
//! screen. It has that client's rules and manners, no display and no clock of its own, and faults on demand, for
//! everything that goes wrong with real clients.

pub mod events;
mod paint;
pub mod unkind;

use super::{Action, Click, Desktop, DesktopError, Program, ScreenRect, Window};
use crate::board::{Board, BoardError, Tile};
use crate::client::{Client, Press, Step};
use crate::game::{Game, State};
use crate::geometry::{BoardSize, Cell, Pixel, Rect, ScreenPoint};
use crate::screenshot::Screenshot;
use crate::vision::{Grid, SMALLEST};
pub use paint::Skin;
use std::collections::{HashSet, VecDeque};
use std::time::Duration;

/// What goes wrong, and when. By default nothing does, and every answer is painted at once.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    /// How long after a click its answer is painted.
    pub late: Duration,
    /// Answers are painted tile by tile, one every this long.
    pub piecemeal: Duration,
    /// Every so many presses, one is lost.
    pub lose_every: Option<u32>,
    /// How long the pointer must be somewhere until a press there is one: a client asks for its place as seldom as that.
    pub polls: Duration,
    /// How long after a release the client asks where the pointer is: a press counts only if it is still there.
    pub asks_late: Duration,
    /// The last tile takes no press but near its upper left corner: a grip of its window lies over the rest.
    pub grip: bool,
    /// What is around the board is of another colour every few milliseconds, but for what is above it.
    pub shines: bool,
    /// So long after its start flags wave: they look otherwise every few milliseconds.
    pub waves: Duration,
    /// The tile under the pointer is painted lighter.
    pub hover: bool,
    /// When its program is started again it takes the pointer to be on its first tile, until that is on some other.
    pub starts_lit: bool,
    /// A hidden one lights up there as buttons of many toolkits do, also once the game is over.
    pub lights_up: bool,
    /// A line lies around the hidden tile after the one that was opened last, which has the keyboard.
    pub keyboard: bool,
    /// Hidden tiles bear a dash from the first click of a game on, and the line of the keyboard lies around that.
    pub dashes: bool,
    /// A client that is played by keys alone paints its cursor on both sides of the tile that it is on.
    pub cursor: bool,
    /// Hidden tiles look like open ones without a number as soon as they are pressed, until the answer is painted.
    pub pressed_look: bool,
    /// A dialog comes up when a game ends, until one of the client's steps to uncover it.
    pub dialog: bool,
    /// Where it does.
    pub dialog_at: DialogAt,
    /// The window keeps the keyboard then, until it is brought to the front.
    pub dialog_without_keys: bool,
    /// What takes that dialog away begins the next game.
    pub dialog_begins: bool,
    /// When a game ends something dark and translucent lies over its board, with writing on it, until the next one begins.
    pub shade: bool,
    /// A game that is won goes on for the client: only a mine that is opened ends it, and begins the next.
    pub goes_on: bool,
    /// A mine that is opened shows, and the game goes on.
    pub lives: bool,
    /// How long a board of which a part is open from the start shows covered.
    pub opens_late: Duration,
    /// No tile can be marked before some are open.
    pub marks_late: bool,
    /// Mines are drawn from the clock: games that begin within the same so long are the same.
    pub deals_by: Option<Duration>,
    /// The window goes when a game ends.
    pub closes: bool,
    /// Escape ends its program.
    pub escape_ends: bool,
    /// There is nothing else on its screen, which is black then.
    pub on_black: bool,
    /// How long it takes to show when its program is started again; else that is not known.
    pub starts_in: Option<Duration>,
    /// Whether its program has started others.
    pub has_others: bool,
    /// Pages in place of the board.
    pub pages: Pages,
    /// By so many columns and rows, and mines, every game has more than the one before, or fewer, as long as the screen has room for it.
    pub grows: i32,
    /// Its window is called after the game.
    pub called: bool,
    /// Numbers are typed in above the board, beside the button that begins a game with them: a page that is loaded again has lost them, and
    /// no board.
    pub fields: bool,
    /// After so many presses the window is gone.
    pub close_after: Option<u32>,
    /// After so many presses the window stands elsewhere.
    pub move_after: Option<u32>,
    /// This tile never looks like anything known.
    pub smudge: Option<Cell>,
    /// From the first press on this tile shows a number one too high once it is open.
    pub misprint: Option<Cell>,
}

/// How many pages show in place of the board: each has a button that leads on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pages {
    /// Before the first one.
    pub before: usize,
    /// A while after a game ended: the last of them begins the next game.
    pub between: usize,
    /// Whether they show without a while, so that nothing is seen of how a game ended.
    pub at_once: bool,
    /// Whether they have a link out of the client above that button, from where a browser goes back.
    pub link: bool,
    /// How long after the last of them before the first board the window stays empty.
    pub late: Duration,
    /// How long it does when it is loaded again, until a page shows.
    pub loads_in: Option<Duration>,
}

/// How long the end of a game shows before a page does.
const END_SHOWS: Duration = Duration::from_millis(1500);

/// Where a dialog comes up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DialogAt {
    /// Over the middle of the board.
    #[default]
    Middle,
    /// Over the upper left corner of the board, a sixth of it each way: of a large one enough shows to begin.
    Corner,
    /// Over every tile; the window has a frame around the board then, which still shows.
    Whole,
    /// Beside the window.
    Beside,
}

/// What is to be simulated.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Width and height of the board, in tiles.
    pub size: BoardSize,
    /// Mines.
    pub mines: u32,
    /// Pixels from tile to tile; may be fractional.
    pub pitch: f64,
    /// Width and height of the screen, in pixels.
    pub screen: (u32, u32),
    /// Where on the screen the board's top left corner is, in pixels.
    pub corner: (u32, u32),
    /// Pixels per unit of the mouse.
    pub scale: f64,
    /// Where on the desktop the screen's corner is, in the mouse's units; may be negative.
    pub origin: ScreenPoint,
    /// The seed of the first game; every further game has the next one.
    pub seed: u64,
    /// What goes wrong.
    pub faults: Faults,
    /// What the end of a game shows.
    pub end: End,
}

/// What the end of a game shows, as clients differ in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct End {
    /// Of one that is lost.
    pub loss: Loss,
    /// Of one that is won.
    pub win: Win,
}

/// What a lost game shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Loss {
    /// All mines.
    #[default]
    Mines,
    /// The mine that was hit.
    Hit,
    /// Nothing: clicks have no effect any more.
    Nothing,
    /// What is below every tile.
    Board,
    /// All mines, on tiles that are darker than before.
    Dark,
}

/// What a game that is won shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Win {
    /// Nothing else.
    #[default]
    Nothing,
    /// A flag on every mine.
    Flags,
    /// Every mine.
    Mines,
}

/// By how many grey levels tiles are darker after a loss that shows so.
const DARKER: i32 = -45;
/// By how many a tile is lighter below the pointer.
const HOVER: i32 = 14;
/// The same of one that lights up.
const LIGHT: i32 = 30;

impl Plan {
    /// A board in the middle of a screen that is just large enough for it and its surroundings.
    pub fn new(size: BoardSize, mines: u32, pitch: f64, seed: u64) -> Self {
        let corner = ((3.0 * pitch) as u32 + 40, (4.0 * pitch) as u32 + 40);
        let length = |tiles: u32, corner: u32| (f64::from(tiles) * pitch) as u32 + 2 * corner;
        let screen = (length(size.width, corner.0), length(size.height, corner.1));
        let origin = ScreenPoint { x: 0, y: 0 };
        Self {
            size,
            mines,
            pitch,
            screen,
            corner,
            scale: 1.0,
            origin,
            seed,
            faults: Faults::default(),
            end: End::default(),
        }
    }
}

impl Plan {
    /// The same on a screen on which windows can be moved about.
    pub fn with_room(self) -> Self {
        let ((left, top), (width, height)) = (self.corner, self.screen);
        Self { corner: (left + 100, top + 100), screen: (width + 320, height + 280), ..self }
    }
}

/// The client's windows.
const MAIN: u64 = 1;
const DIALOG: u64 = 2;
/// Added to the number of its window each time its program is started again.
const STARTED: u64 = 16;

/// Whether the dialog at the end of a game has come, and gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dialog {
    NotYet,
    Up,
    Dismissed,
}

/// The built-in client.
pub struct Simulated {
    client: Client,
    skin: Skin,
    plan: Plan,
    grid: Grid,
    game: Game,
    questions: HashSet<Cell>,
    /// Mines that were opened, and the game goes on.
    hit: Vec<Cell>,
    /// Flags put after the last safe tile was opened, where a client wants them for a win.
    last_flags: HashSet<Cell>,
    /// Games begun so far, this one included.
    games: u64,
    clock: Duration,
    /// What is on the screen, and what will be.
    shown: Vec<Tile>,
    coming: VecDeque<(Duration, Cell, Tile)>,
    canvas: Screenshot,
    /// How often something was painted on it.
    paintings: u64,
    dialog: Dialog,
    /// How many steps of the sequence that began this game are missing: before them it answers no press.
    to_come: usize,
    /// Whether the client's window was brought to the front since that has come.
    is_raised: bool,
    /// Whether the page of levels shows in place of the board.
    shows_levels: bool,
    /// How many pages are still to come before the board, the one that shows included.
    pages: usize,
    /// The tile that it takes the pointer to be on, wherever that is.
    lit: Option<Cell>,
    /// When the next page shows, and how many are still to come then, or the board.
    turns_at: Option<(Duration, usize)>,
    /// Whether what was typed in is lost, and the board with it.
    is_lost: bool,
    /// Whether a link was followed out of the client, and how many clicks there were beyond it.
    is_away: bool,
    astray: u32,
    /// Since when the game has been over, where pages follow.
    over_since: Option<Duration>,
    /// Whether tiles were painted darker last.
    was_dark: bool,
    /// Whether the board lies in a shade.
    is_shaded: bool,
    pointer: ScreenPoint,
    /// A click of which it is not asked yet where the pointer is, and when it will be.
    unasked: Option<(Duration, Click)>,
    presses: u32,
    /// When the program shows that was started again.
    shows_at: Option<Duration>,
    /// How often it was.
    starts: u32,
    /// The tile below the client's own cursor.
    cursor: Cell,
    /// The tile that has the keyboard.
    focused: Option<Cell>,
    /// How the games before this one stood when they were left.
    left: Vec<State>,
}

impl Simulated {
    /// `client` as it looks in `skin`, with a first game on the screen.
    ///
    /// # Errors
    /// No such board.
    pub fn new(client: Client, skin: Skin, plan: Plan) -> Result<Self, BoardError> {
        let game = Game::deal(plan.size, plan.mines, client.rules.first_click, plan.seed)?;
        let pixels = paint::desktop(plan.screen);
        let mut simulated = Self {
            grid: skin.grid(plan.size, plan.corner, plan.pitch),
            questions: HashSet::new(),
            hit: Vec::new(),
            last_flags: HashSet::new(),
            games: 1,
            clock: Duration::ZERO,
            shown: game.board().tiles().to_vec(),
            coming: VecDeque::new(),
            canvas: Screenshot { pixels, origin: plan.origin, scale: plan.scale },
            paintings: 0,
            dialog: Dialog::NotYet,
            to_come: 0,
            is_raised: false,
            shows_levels: false,
            pages: plan.faults.pages.before,
            turns_at: None,
            lit: None,
            is_away: false,
            astray: 0,
            is_lost: false,
            over_since: None,
            was_dark: false,
            is_shaded: false,
            pointer: plan.origin,
            unasked: None,
            presses: 0,
            shows_at: None,
            starts: 0,
            cursor: Cell::new(0, 0),
            focused: None,
            left: Vec::new(),
            client,
            skin,
            plan,
            game,
        };
        simulated.shown = simulated.visible();
        simulated.paint_all();
        Ok(simulated)
    }

    /// The truth about the game on the screen.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// What is painted on every tile, row by row; not recognised where there is no picture for it.
    pub fn painted(&self) -> Vec<Tile> {
        self.shown.iter().map(|&tile| self.skin.look_of(tile).unwrap_or(Tile::Unrecognised)).collect()
    }

    /// Where the board is, in pixels of the whole screen.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Whether what was typed in for its board is lost.
    pub fn is_lost(&self) -> bool {
        self.is_lost
    }

    /// How many clicks there were beyond a link out of the client.
    pub fn astray(&self) -> u32 {
        self.astray
    }

    /// How many presses and keys it has received, lost ones included.
    pub fn presses(&self) -> u32 {
        self.presses
    }

    /// How often its program was started again.
    pub fn starts(&self) -> u32 {
        self.starts
    }

    /// The game on the screen is as good as won or lost: replaces it by this one (for tests of one position).
    pub fn set_game(&mut self, game: Game) {
        self.game = game;
        self.shown = self.visible();
        self.coming.clear();
        self.questions.clear();
        self.last_flags.clear();
        self.paint_all();
    }

    pub(crate) fn is_gone(&self) -> bool {
        self.plan.faults.close_after.is_some_and(|presses| self.presses >= presses)
    }

    /// The only window there is.
    fn window(&self) -> Window {
        let starts = u64::from(self.starts);
        let Rect { left, top, .. } = paint::window_place(&self.grid);
        let corner = self.canvas.to_screen(Pixel { x: f64::from(left), y: f64::from(top) });
        Window { id: MAIN + STARTED * starts, program: 1 + starts, corner }
    }

    fn is_over(&self) -> bool {
        match self.game.state() {
            State::Playing => false,
            State::Lost => true,
            State::Won => !self.client.rules.flags_to_win || self.every_mine_is_flagged(),
        }
    }

    /// Whether the game is won, and the client does not know it.
    fn goes_on(&self) -> bool {
        self.plan.faults.goes_on && self.game.state() == State::Won
    }

    fn every_mine_is_flagged(&self) -> bool {
        let is_flagged = |cell| self.game.board().tile(cell) == Tile::Flag || self.last_flags.contains(&cell);
        self.plan.size.cells().all(|cell| self.game.is_mine(cell) == is_flagged(cell))
    }

    /// Whether the board is darker than usual.
    fn is_dark(&self) -> bool {
        self.game.state() == State::Lost && self.plan.end.loss == Loss::Dark
    }

    /// What the client means to show.
    fn visible(&self) -> Vec<Tile> {
        let board: Board = match (self.game.state(), self.plan.end.loss) {
            (State::Lost, Loss::Mines | Loss::Board | Loss::Dark) => self.game.reveal(),
            _ => self.game.board().clone(),
        };
        let mut tiles = board.tiles().to_vec();
        for cell in self.plan.size.cells() {
            let tile = &mut tiles[self.plan.size.index(cell)];
            *tile = match (self.game.state(), self.plan.end) {
                (State::Lost, End { loss: Loss::Nothing, .. }) if *tile == Tile::Exploded => Tile::Hidden,
                (State::Lost, End { loss: Loss::Board, .. }) if *tile == Tile::Hidden => {
                    let around = self.plan.size.neighbours(cell).filter(|other| self.game.is_mine(*other));
                    Tile::Open(around.count() as u8)
                }
                (State::Won, End { win: Win::Flags, .. }) if self.game.is_mine(cell) => Tile::Flag,
                (State::Won, End { win: Win::Mines, .. }) if self.game.is_mine(cell) => Tile::Mine,
                _ => *tile,
            };
        }
        for &cell in &self.hit {
            tiles[self.plan.size.index(cell)] = Tile::Exploded;
        }
        for &cell in &self.questions {
            let tile = &mut tiles[self.plan.size.index(cell)];
            *tile = if *tile == Tile::Hidden { Tile::Question } else { *tile };
        }
        for &cell in &self.last_flags {
            tiles[self.plan.size.index(cell)] = Tile::Flag;
        }
        for (cell, replace) in [
            (self.plan.faults.smudge, (|_| Tile::Unrecognised) as fn(Tile) -> Tile),
            (self.plan.faults.misprint, |tile| tile.number().map_or(tile, |number| Tile::Open((number + 1).min(8)))),
        ] {
            if let Some(cell) = cell {
                let tile = &mut tiles[self.plan.size.index(cell)];
                *tile = replace(*tile);
            }
        }
        tiles
    }

    /// Makes the screen follow the game, at once or as late as the faults have it.
    fn repaint(&mut self) {
        let wanted = self.visible();
        let mut due = self.clock + self.plan.faults.late;
        self.coming.clear();
        let is_dark = self.is_dark();
        let is_lit = self.is_shaded && !self.is_over();
        self.is_shaded &= !is_lit;
        let has_changed = std::mem::replace(&mut self.was_dark, is_dark) != is_dark || is_lit;
        for (index, &tile) in wanted.iter().enumerate() {
            if tile != self.shown[index] || has_changed {
                due += self.plan.faults.piecemeal;
                self.coming.push_back((due, self.plan.size.cell(index), tile));
            }
        }
        self.catch_up();
    }

    /// Paints what is due.
    fn catch_up(&mut self) {
        if self.shows_at.take_if(|due| *due <= self.clock).is_some() {
            self.plan.faults.close_after = None;
            self.starts += 1;
            self.lit = self.plan.faults.starts_lit.then(|| Cell::new(0, 0));
            self.new_game();
            self.pages = self.plan.faults.pages.before;
            self.paint_all();
        }
        if let Some((_, pages)) = self.turns_at.take_if(|(due, _)| *due <= self.clock) {
            self.turn_to(pages);
        }
        while let Some(&(due, cell, tile)) = self.coming.front()
            && due <= self.clock
        {
            self.coming.pop_front();
            self.show(cell, tile);
        }
        let covered = self.plan.faults.dialog && self.is_over() && self.coming.is_empty();
        if covered && self.dialog == Dialog::NotYet {
            (self.dialog, self.is_raised) = (Dialog::Up, false);
            self.paintings += 1;
            paint::dialog(&mut self.canvas.pixels, &self.grid, self.plan.faults.dialog_at);
        }
        if self.plan.faults.shade && self.is_over() && self.coming.is_empty() && !self.is_shaded {
            self.is_shaded = true;
            self.paintings += 1;
            paint::shade(&mut self.canvas.pixels, &self.grid);
        }
        if self.plan.faults.pages.between > 0 && self.pages == 0 && self.is_over() {
            let since = *self.over_since.get_or_insert(self.clock);
            if self.plan.faults.pages.at_once || self.clock.saturating_sub(since) >= END_SHOWS {
                self.turn_to(self.plan.faults.pages.between);
            }
        }
    }

    /// Shows the page after which so many come, this one included, or the board.
    fn turn_to(&mut self, pages: usize) {
        self.pages = pages;
        if pages == 0 && self.is_over() {
            self.left.push(self.state());
            self.deal();
            self.coming.clear();
            self.shown = self.visible();
        }
        self.over_since = None;
        self.paint_all();
    }

    fn show(&mut self, cell: Cell, tile: Tile) {
        self.shown[self.plan.size.index(cell)] = tile;
        self.paintings += 1;
        if self.shows_levels || self.pages > 0 || self.is_lost || self.is_away {
            return;
        }
        let faults = &self.plan.faults;
        let below = match self.lit.or_else(|| self.cell_at(self.pointer)) == Some(cell) {
            true if faults.lights_up && tile == Tile::Hidden => LIGHT,
            true if faults.hover || faults.starts_lit => HOVER,
            _ => 0,
        };
        let lighter = below + if self.is_dark() { DARKER } else { 0 };
        if self.plan.faults.cursor {
            paint::ground(&mut self.canvas.pixels, &self.grid, cell);
        }
        self.skin.paint_tile(&mut self.canvas.pixels, &self.grid, cell, tile, lighter);
        if tile == Tile::Hidden && self.focused == Some(cell) {
            let is_inside = self.plan.faults.dashes;
            paint::line_around(&mut self.canvas.pixels, &self.grid, cell, is_inside);
        }
        if self.plan.faults.dashes && tile == Tile::Hidden && self.has_begun() {
            paint::dash(&mut self.canvas.pixels, &self.grid, cell);
        }
        if self.plan.faults.cursor && cell == self.cursor {
            paint::cursor(&mut self.canvas.pixels, &self.grid, cell);
        }
    }

    fn paint_all(&mut self) {
        self.paintings += 1;
        self.canvas.pixels = paint::desktop(self.plan.screen);
        if self.is_gone() {
            return;
        }
        paint::window(&mut self.canvas.pixels, &self.grid, self.plan.faults.dialog_at);
        if self.is_away {
            return paint::link(&mut self.canvas.pixels, &self.grid);
        }
        if self.turns_at.is_some() {
            return;
        }
        if self.pages > 0 {
            paint::page(&mut self.canvas.pixels, &self.grid, self.pages);
            if self.plan.faults.pages.link {
                paint::link(&mut self.canvas.pixels, &self.grid);
            }
            return;
        }
        if self.plan.faults.fields {
            let steps = self.client.hands.new_game.iter().flat_map(Step::parts);
            let buttons =
                steps.filter_map(|step| if let Step::Click(spot) = step { Some(self.grid.spot(*spot)) } else { None });
            buttons.for_each(|at| paint::button(&mut self.canvas.pixels, at));
            paint::fields(&mut self.canvas.pixels, &self.grid, !self.is_lost);
        }
        if self.shows_levels || self.is_lost {
            return;
        }
        self.skin.paint_backdrop(&mut self.canvas.pixels, &self.grid);
        self.skin.paint_frame(&mut self.canvas.pixels, &self.grid);
        for cell in self.plan.size.cells() {
            let tile = self.shown[self.plan.size.index(cell)];
            self.show(cell, tile);
        }
        if self.is_shaded {
            paint::shade(&mut self.canvas.pixels, &self.grid);
        }
        if self.dialog == Dialog::Up {
            paint::dialog(&mut self.canvas.pixels, &self.grid, self.plan.faults.dialog_at);
        }
    }

    /// The tile under a point of the screen.
    fn cell_at(&self, point: ScreenPoint) -> Option<Cell> {
        let Pixel { x, y } = self.canvas.to_pixel(point);
        let place = |edges: &[f64], at: f64| {
            let after = edges.iter().position(|&edge| edge > at)?;
            after.checked_sub(1).map(|index| index as u32)
        };
        Some(Cell::new(place(&self.grid.columns, x)?, place(&self.grid.lines, y)?))
    }

    fn move_pointer(&mut self, to: ScreenPoint) {
        let before = self.lit.or_else(|| self.cell_at(self.pointer));
        self.pointer = to;
        if self.cell_at(to).is_some() {
            self.lit = None;
        }
        let lights = self.plan.faults.hover || self.plan.faults.lights_up || self.plan.faults.starts_lit;
        if lights && !self.is_gone() && self.dialog != Dialog::Up {
            for cell in [before, self.cell_at(to)].into_iter().flatten() {
                let tile = self.shown[self.plan.size.index(cell)];
                self.show(cell, tile);
            }
        }
    }

    /// Whether this press reaches the client; the window goes or moves when its time has come.
    fn counts(&mut self) -> bool {
        self.presses += 1;
        if self.plan.faults.close_after == Some(self.presses) {
            self.coming.clear();
            self.paint_all();
        }
        if self.plan.faults.move_after == Some(self.presses) {
            let (x, y) = self.plan.corner;
            self.grid = self.skin.grid(self.plan.size, (x + 7, y + 11), self.plan.pitch);
            self.paint_all();
            return false;
        }
        !self.is_gone() && self.plan.faults.lose_every.is_none_or(|every| !self.presses.is_multiple_of(every))
    }

    /// What a press does that the client gets.
    fn deliver(&mut self, click: &Click) {
        // Who has a cursor of its own takes no clicks.
        if self.is_lost || self.plan.faults.cursor {
            return;
        }
        if self.is_away {
            self.astray += 1;
            return;
        }
        if self.pages > 0 {
            let at = self.canvas.to_pixel(click.at);
            if self.plan.faults.pages.link && paint::link_place(&self.grid).contains(at) {
                self.is_away = true;
                self.paint_all();
            } else if paint::page_button(&self.grid, self.pages).contains(at) && self.turns_at.is_none() {
                let late = self.plan.faults.pages.late;
                if self.pages == 1 && self.left.is_empty() && !late.is_zero() {
                    self.turns_at = Some((self.clock + late, 0));
                    self.paint_all();
                } else {
                    self.turn_to(self.pages - 1);
                }
            }
            return;
        }
        if self.shows_levels {
            if let Some(level) = self.client.levels.get(1) {
                self.choose_level(level.size(), level.mines);
            }
            return;
        }
        if self.dialog == Dialog::Up || self.is_control(click.at) {
            self.control(&|step, board| matches!(step, Step::Click(spot) if spot_near(board, *spot, click.at)));
            return;
        }
        let Some(cell) = self.cell_at(click.at).filter(|_| self.to_come == 0) else { return };
        if self.plan.faults.grip && self.is_below_grip(cell, click.at) {
            return;
        }
        let press = Press { button: click.button, with: click.with.clone() };
        let hands = &self.client.hands;
        let is_open = self.game.board().tile(cell).number().is_some();
        if hands.chord.as_ref() == Some(&press) && is_open {
            self.game.chord(cell);
        } else if hands.open == press {
            if self.goes_on() && self.game.is_mine(cell) {
                return self.new_game();
            }
            let is_under_way = self.game.state() == State::Playing && !self.game.board().is_untouched();
            if self.plan.faults.lives && is_under_way && self.game.is_mine(cell) {
                self.hit.push(cell);
            } else {
                self.game.open(cell);
            }
            self.focus_after(cell);
        } else if hands.flag == press {
            self.mark(cell);
        }
        self.show_pressed(cell);
        if self.plan.faults.dashes && self.has_begun() {
            self.paint_dashes();
        }
        if self.plan.faults.closes && self.game.state() != State::Playing {
            return self.close();
        }
        self.repaint();
    }

    /// Whether a point of a tile is below the grip of its window.
    fn is_below_grip(&self, cell: Cell, at: ScreenPoint) -> bool {
        let (tile, at) = (self.grid.tile(cell), self.canvas.to_pixel(at));
        let is_last = self.plan.size.index(cell) + 1 == self.plan.size.tiles();
        let is_on = |at: f64, from: u32, length: u32| at >= f64::from(from) + f64::from(length) / 4.0;
        is_last && (is_on(at.x, tile.left, tile.width) || is_on(at.y, tile.top, tile.height))
    }

    /// Whether a tile of the game is open.
    fn has_begun(&self) -> bool {
        self.plan.size.cells().any(|cell| !self.game.board().tile(cell).is_covered())
    }

    /// Paints dashes on all hidden tiles, where they come with the first click.
    fn paint_dashes(&mut self) {
        let hidden = |cell: &Cell| self.shown[self.plan.size.index(*cell)] == Tile::Hidden;
        let hidden: Vec<Cell> = self.plan.size.cells().filter(hidden).collect();
        hidden.into_iter().for_each(|cell| self.show(cell, Tile::Hidden));
    }

    /// The tile after this one has the keyboard now.
    fn focus_after(&mut self, cell: Cell) {
        if !self.plan.faults.keyboard {
            return;
        }
        let size = self.plan.size;
        let next = size.cells().nth(size.index(cell) + 1);
        for cell in std::mem::replace(&mut self.focused, next).into_iter().chain(next) {
            self.show(cell, self.shown[size.index(cell)]);
        }
    }

    /// A tile is pressed, and looks so until the board is painted again.
    fn show_pressed(&mut self, cell: Cell) {
        if self.plan.faults.pressed_look && self.shown[self.plan.size.index(cell)] == Tile::Hidden {
            self.show(cell, Tile::Open(0));
        }
    }

    /// What keys do that the client gets.
    fn receive_keys(&mut self, keys: &str) {
        let is_typed = |step: Option<&Step>| matches!(step, Some(Step::Keys(wanted)) if wanted == keys);
        if self.plan.faults.escape_ends && keys == "Escape" {
            return self.close();
        }
        if self.is_away && keys == "alt+Left" {
            self.is_away = false;
            return self.paint_all();
        }
        if let Some(loads_in) = self.plan.faults.pages.loads_in.filter(|_| keys == "ctrl+r") {
            self.turns_at = Some((self.clock + loads_in, 1));
            return self.paint_all();
        }
        if self.pages > 0 || self.is_lost || self.is_away {
            return;
        }
        if self.plan.faults.fields && matches!(keys, "ctrl+r" | "F5") {
            self.is_lost = true;
            return self.paint_all();
        }
        if self.shows_levels {
            let chosen = self.client.levels.iter().find(|level| is_typed(level.choose.last()));
            if let Some((size, mines)) = chosen.map(|level| (level.size(), level.mines)) {
                self.choose_level(size, mines);
            }
        } else if self.client.levels.iter().any(|level| is_typed(level.choose.first())) {
            self.show_levels();
        } else if !self.type_at_cursor(keys) {
            self.control(&|step, _| matches!(step, Step::Keys(wanted) | Step::Answer(wanted) if wanted == keys));
        }
    }

    /// What a key does to the client's cursor and the tile below it; whether it does anything.
    fn type_at_cursor(&mut self, keys: &str) -> bool {
        let Some(keyboard) = self.client.hands.cursor.clone() else { return false };
        let (size, Cell { x, y }) = (self.plan.size, self.cursor);
        let at = Cell::new(x, y);
        match keys {
            keys if keys == keyboard.home => self.cursor = Cell::new(0, 0),
            keys if keys == keyboard.right => self.cursor = Cell::new((x + 1).min(size.width - 1), y),
            keys if keys == keyboard.down => self.cursor = Cell::new(x, (y + 1).min(size.height - 1)),
            keys if keys == keyboard.open => {
                self.game.open(at);
            }
            keys if keys == keyboard.flag => self.mark(at),
            _ => return false,
        }
        for cell in [at, self.cursor] {
            self.show(cell, self.shown[size.index(cell)]);
        }
        self.repaint();
        true
    }

    /// Goes round the client's cycle of marks.
    fn mark(&mut self, cell: Cell) {
        if self.plan.faults.marks_late && self.game.board().tiles().iter().all(|tile| tile.number().is_none()) {
            return;
        }
        if self.game.state() == State::Won && !self.is_over() {
            if self.game.board().tile(cell) == Tile::Hidden && !self.last_flags.remove(&cell) {
                self.last_flags.insert(cell);
            }
            return;
        }
        let has_question = self.client.hands.flag_cycle.iter().any(|mark| mark == "question");
        match self.game.board().tile(cell) {
            Tile::Hidden if self.questions.remove(&cell) => {}
            Tile::Flag if has_question => {
                self.game.flag(cell);
                self.questions.insert(cell);
            }
            _ => self.game.flag(cell),
        }
    }

    fn is_control(&self, at: ScreenPoint) -> bool {
        let hands = &self.client.hands;
        let steps = hands.new_game.iter().chain(&hands.uncover).flat_map(Step::parts);
        let board = (&self.grid, &self.canvas);
        steps.into_iter().any(|step| matches!(step, Step::Click(spot) if spot_near(board, *spot, at)))
    }

    /// Goes on in a sequence of steps for a new game: its first one deals a board, which answers no press before the last.
    fn go_on(&mut self, is_used: &dyn Fn(&Step, (&Grid, &Screenshot)) -> bool) {
        let all = self.client.hands.new_game.clone();
        let Some(parts) = all.iter().find(|step| matches!(step, Step::All(_))).map(Step::parts) else { return };
        let board = (&self.grid, &self.canvas);
        let awaited = parts.len() - self.to_come;
        if self.to_come > 0 && is_used(parts[awaited], board) {
            self.to_come -= 1;
        } else if parts.first().is_some_and(|first| is_used(first, board)) {
            self.to_come = parts.len() - 1;
            self.new_game();
        }
    }

    /// A control was used: a dialog goes away by the client's steps for it, a new game begins by those for that.
    fn control(&mut self, is_used: &dyn Fn(&Step, (&Grid, &Screenshot)) -> bool) {
        let board = (&self.grid, &self.canvas);
        if self.goes_on() {
            return;
        }
        if self.dialog == Dialog::Up {
            if self.client.hands.uncover.iter().any(|step| is_used(step, board)) {
                self.dialog = Dialog::Dismissed;
                self.paint_all();
                if self.plan.faults.dialog_begins && self.is_over() {
                    self.new_game();
                }
            }
        } else if self.client.hands.new_game.iter().any(|step| !matches!(step, Step::Answer(_)) && is_used(step, board))
        {
            self.new_game();
        } else {
            self.go_on(is_used);
        }
    }

    fn new_game(&mut self) {
        let (BoardSize { width, height }, by) = (self.plan.size, self.plan.faults.grows);
        let [width, height, mines] = [width, height, self.plan.mines].map(|count| count.saturating_add_signed(by));
        if by != 0 && width.min(height) >= SMALLEST && self.choose_level(BoardSize::new(width, height), mines) {
            return;
        }
        self.left.push(self.state());
        self.deal();
        self.repaint();
        self.cover_at_first();
        if self.plan.faults.dashes {
            self.coming.clear();
            self.shown = self.visible();
            self.paint_all();
        }
    }

    /// Covers a new board that is to show what is open of it later.
    fn cover_at_first(&mut self) {
        let opens_late = self.plan.faults.opens_late;
        if opens_late.is_zero() {
            return;
        }
        let due = self.clock + opens_late;
        let cells = self.plan.size.cells();
        self.coming = cells.zip(self.visible()).map(|(cell, tile)| (due, cell, tile)).collect();
        self.shown.fill(Tile::Hidden);
        self.paint_all();
    }

    fn deal(&mut self) {
        let by_clock = self.plan.faults.deals_by.map(|by| (self.clock.as_nanos() / by.as_nanos().max(1)) as u64);
        let seed = self.plan.seed.wrapping_add(by_clock.unwrap_or(self.games));
        // A board of the client's: it cannot fail.
        if let Ok(game) = Game::deal(self.plan.size, self.plan.mines, self.client.rules.first_click, seed) {
            self.games += 1;
            self.game = game;
            self.questions.clear();
            self.hit.clear();
            self.last_flags.clear();
            self.focused = None;
            self.dialog = Dialog::NotYet;
        }
    }
}

/// What happens to the client without the bot.
impl Simulated {
    /// How the game stands as the client has it: one that wants flags for a win is not won without.
    fn state(&self) -> State {
        match self.game.state() {
            State::Won if !self.is_over() => State::Playing,
            other => other,
        }
    }

    /// How a game stands, or stood when it was left; the first is 0.
    pub fn state_of(&self, game: usize) -> State {
        self.left.get(game).copied().unwrap_or_else(|| self.state())
    }

    fn advance(&mut self, time: Duration) {
        self.clock += time;
        if let Some((_, click)) = self.unasked.take_if(|(due, _)| *due <= self.clock)
            && self.pointer == click.at
        {
            self.deliver(&click);
        }
        self.catch_up();
    }

    /// The flags around an open number that stand on no mine, where a press opens what is around that.
    fn wrong_flags(&self, number: Cell) -> Vec<Cell> {
        let board = self.game.board();
        let opens_around = board.tile(number).number().is_some();
        let is_wrong = |&cell: &Cell| board.tile(cell) == Tile::Flag && !self.game.is_mine(cell);
        self.plan.size.neighbours(number).filter(|cell| opens_around && is_wrong(cell)).collect()
    }

    /// Where on the screen that is now which was at this point while the board was at `then`.
    fn where_now(&self, at: ScreenPoint, then: &Grid) -> ScreenPoint {
        let at = self.canvas.to_pixel(at);
        let carried = |edges: &[f64], now: &[f64], at: f64| {
            let tile = (edges.len() - 2).min(edges.partition_point(|&edge| edge <= at).saturating_sub(1));
            match (now.get(tile), now.get(tile + 1)) {
                (Some(from), Some(to)) => from + (at - edges[tile]) / (edges[tile + 1] - edges[tile]) * (to - from),
                _ => at, // another level has fewer of them
            }
        };
        let x = carried(&then.columns, &self.grid.columns, at.x);
        self.canvas.to_screen(Pixel { x, y: carried(&then.lines, &self.grid.lines, at.y) })
    }

    fn is_board(&self, at: ScreenPoint) -> bool {
        self.cell_at(at).is_some()
    }

    fn point(&mut self, at: ScreenPoint) {
        self.move_pointer(at);
    }

    fn lay_out(&mut self, (left, top): (i32, i32), pitch: f64) {
        let corner = (left.max(0) as u32, top.max(0) as u32);
        let grid = self.skin.grid(self.plan.size, corner, pitch);
        let place = paint::window_place(&grid);
        let (width, height) = self.plan.screen;
        // What does not fit on the screen stays as it was.
        if place.left + place.width <= width && place.top + place.height <= height && place.left > 0 && place.top > 0 {
            (self.plan.corner, self.plan.pitch, self.grid) = (corner, pitch, grid);
        }
        self.paint_all();
    }

    fn move_by(&mut self, (x, y): (i32, i32)) {
        let (left, top) = self.plan.corner;
        self.lay_out((left as i32 + x, top as i32 + y), self.plan.pitch);
    }

    /// Whether the client has tiles of several sizes.
    fn resize_by(&mut self, by: i32) -> bool {
        if !self.skin.has_sizes() {
            return false;
        }
        let (left, top) = self.plan.corner;
        self.lay_out((left as i32, top as i32), (self.plan.pitch + f64::from(by)).max(12.0));
        true
    }

    fn next_theme(&mut self) {
        let name = |client: &Client| client.themes.first().map(|theme| theme.name.clone());
        if let Some(theme) = self.client.themes.iter().find(|theme| Some(&theme.name) != name(&self.client).as_ref()) {
            self.skin = Skin::of(theme);
            let (left, top) = self.plan.corner;
            self.lay_out((left as i32, top as i32), self.skin.natural_pitch());
        }
    }

    fn put_up_dialog(&mut self) {
        self.dialog = Dialog::Up;
        self.paint_all();
    }

    fn dismiss(&mut self) {
        if self.dialog == Dialog::Up {
            // At the end of a game the client's own comes all the same.
            self.dialog = Dialog::NotYet;
            self.paint_all();
        }
    }

    fn dialog_place(&self) -> Option<Rect> {
        (self.dialog == Dialog::Up).then(|| paint::dialog_place(&self.grid, self.plan.faults.dialog_at))
    }

    fn close(&mut self) {
        self.plan.faults.close_after = Some(self.presses);
        self.coming.clear();
        self.paint_all();
    }

    fn flag_by_hand(&mut self, cell: Cell) {
        self.mark(cell);
        self.repaint();
    }

    fn open_by_hand(&mut self, cell: Cell) {
        self.game.open(cell);
        self.repaint();
    }

    fn restart_by_hand(&mut self) {
        self.new_game();
    }

    fn show_levels(&mut self) {
        self.shows_levels = true;
        self.coming.clear();
        self.paint_all();
    }

    /// Whether there is room for it.
    fn choose_level(&mut self, size: BoardSize, mines: u32) -> bool {
        let grid = self.skin.grid(size, self.plan.corner, self.plan.pitch);
        let place = paint::window_place(&grid);
        if place.left + place.width > self.plan.screen.0 || place.top + place.height > self.plan.screen.1 {
            return false;
        }
        self.left.push(self.state());
        self.shows_levels = false;
        (self.plan.size, self.plan.mines, self.grid) = (size, mines, grid);
        self.deal();
        self.coming.clear();
        self.shown = self.visible();
        self.paint_all();
        true
    }

    /// Paints the flags as they look now.
    fn wave(&mut self) {
        let lighter = (self.clock.as_millis() / 7 % 3 * 6) as i32;
        for (cell, _) in self.plan.size.cells().zip(&self.shown).filter(|(_, tile)| **tile == Tile::Flag) {
            self.skin.paint_tile(&mut self.canvas.pixels, &self.grid, cell, Tile::Flag, lighter);
        }
    }

    /// Paints what is around the board in the colour that it has now.
    fn shine(&mut self) {
        let (bounds, light) = (self.grid.bounds(), (self.clock.as_millis() / 8 % 200) as u8);
        let ring = self.grid.around(self.canvas.pixels.dimensions(), 1.0);
        for y in bounds.top..ring.top + ring.height {
            for x in ring.left..ring.left + ring.width {
                if !bounds.contains(Pixel { x: f64::from(x), y: f64::from(y) }) {
                    self.canvas.pixels.put_pixel(x, y, image::Rgba([light, 255 - light, 90, 255]));
                }
            }
        }
    }

    /// Paints another window with a fresh board of the same client.
    fn paint_second(&mut self, canvas: &mut image::RgbaImage, place: Rect) {
        let own = paint::window_place(&self.grid);
        let (x, y) = (f64::from(own.left) - f64::from(place.left), f64::from(own.top) - f64::from(place.top));
        let grid = self.grid.moved(x, y);
        paint::window(canvas, &grid, self.plan.faults.dialog_at);
        self.skin.paint_frame(canvas, &grid);
        for cell in self.plan.size.cells() {
            self.skin.paint_tile(canvas, &grid, cell, Tile::Hidden, 0);
        }
    }
}

impl Desktop for Simulated {
    fn look(&mut self, part: Option<ScreenRect>) -> Result<Screenshot, DesktopError> {
        self.catch_up();
        if self.plan.faults.on_black && self.is_gone() {
            return Err(DesktopError::Black);
        }
        if self.plan.faults.shines {
            self.shine();
        }
        if self.clock < self.plan.faults.waves {
            self.wave();
        }
        self.canvas.part(part).ok_or_else(outside)
    }

    fn window_at(&mut self, at: ScreenPoint) -> Option<Window> {
        let Pixel { x, y } = self.canvas.to_pixel(at);
        let Rect { left, top, width, height } = paint::window_place(&self.grid);
        let inside = |at: f64, from: u32, length: u32| (f64::from(from)..f64::from(from + length)).contains(&at);
        let is_inside = !self.is_gone() && inside(x, left, width) && inside(y, top, height);
        // A question that is asked within the window is none of its own.
        let dialog = self.dialog_place().filter(|_| !self.plan.faults.dialog_without_keys);
        let is_on = |place: Rect| inside(x, place.left, place.width) && inside(y, place.top, place.height);
        Some(match is_inside {
            _ if dialog.is_some_and(is_on) => Window { id: DIALOG, ..self.window() },
            true => self.window(),
            false => Window::NONE,
        })
    }

    fn has_gone(&mut self, window: Window) -> bool {
        self.is_gone() || window.program != self.window().program
    }

    fn window_titled(&mut self, titles: &[String]) -> Option<Window> {
        let is_titled = self.client.title.iter().any(|title| titles.contains(title));
        (is_titled && !self.is_gone()).then(|| self.window())
    }

    fn title_of(&mut self, _: Window) -> Option<String> {
        let own = if self.plan.faults.called { "Minesweeper" } else { "the client" };
        Some(if self.is_away { "elsewhere" } else { own }.to_owned())
    }

    fn window_of_keys(&mut self) -> Option<Window> {
        Some(match self.dialog {
            _ if self.is_gone() => Window::NONE,
            Dialog::Up if self.plan.faults.dialog_without_keys && !self.is_raised => self.window(),
            Dialog::Up => Window { id: DIALOG, ..self.window() },
            _ => self.window(),
        })
    }

    fn act(&mut self, action: &Action) -> Result<(), DesktopError> {
        match action {
            Action::Click(click) => {
                let is_seen =
                    self.pointer == click.at || Duration::from_millis(click.touch.rest_ms) >= self.plan.faults.polls;
                self.move_pointer(click.at);
                if is_seen && self.counts() {
                    if self.plan.faults.asks_late.is_zero() {
                        self.deliver(click);
                    } else {
                        if let Some(cell) = self.cell_at(click.at).filter(|_| self.dialog != Dialog::Up) {
                            self.show_pressed(cell);
                        }
                        self.unasked = Some((self.clock + self.plan.faults.asks_late, click.clone()));
                    }
                }
            }
            Action::Point(point) => self.move_pointer(*point),
            Action::Raise | Action::Close | Action::Start => {}
            Action::Answer(_) if self.dialog != Dialog::Up => {}
            Action::Keys(keys) | Action::Answer(keys) => {
                if self.counts() {
                    self.receive_keys(keys);
                }
            }
        }
        Ok(())
    }

    fn raise(&mut self, _: Window) -> Result<(), DesktopError> {
        self.is_raised = true;
        Ok(())
    }

    fn is_dialog(&mut self, window: Window) -> bool {
        window.id == DIALOG
    }

    fn close(&mut self, window: Window) -> Result<(), DesktopError> {
        if window.id != DIALOG {
            self.close();
        } else if self.dialog == Dialog::Up {
            self.control(&|step, _| *step == Step::Close);
        }
        Ok(())
    }

    fn program_of(&mut self, window: Window) -> Option<Program> {
        let process = window.program as u32;
        self.plan.faults.starts_in.map(|_| Program { process, ..Program::default() })
    }

    fn runs(&mut self, program: &Program) -> bool {
        !self.is_gone() && u64::from(program.process) == self.window().program
    }

    fn is_alone(&mut self, _: &Program) -> bool {
        !self.plan.faults.has_others
    }

    fn start(&mut self, program: &Program) -> Result<Option<Program>, DesktopError> {
        self.shows_at = self.plan.faults.starts_in.map(|time| self.clock + time);
        let process = self.window().program as u32 + 1;
        Ok(self.shows_at.map(|_| Program { process, ..program.clone() }))
    }

    fn wait(&mut self, time: Duration) -> Result<(), DesktopError> {
        self.advance(time);
        Ok(())
    }

    fn clock(&mut self) -> Duration {
        self.clock
    }
}

fn outside() -> DesktopError {
    DesktopError::Capture("that part lies outside".into())
}

/// Whether a click at `at` is meant for the control at `spot`: within half a tile.
fn spot_near((grid, shot): (&Grid, &Screenshot), spot: crate::client::Spot, at: ScreenPoint) -> bool {
    let control = shot.to_screen(grid.spot(spot));
    let (across, down) = grid.pitch();
    let near = |distance: i32, pitch: f64| f64::from(distance.abs()) * shot.scale < pitch / 2.0;
    near(control.x - at.x, across) && near(control.y - at.y, down)
}
