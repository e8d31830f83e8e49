//! The loop: look, read, decide, aim, click, until an [`Outcome`]. It knows neither which desktop it has nor which
//! client it plays: what differs between clients is in their calibration.

mod aim;
mod check;
mod painted;
mod view;

use crate::board::{Board, BoardError, Tile};
use crate::client::{Client, Rules, Step};
use crate::desktop::{Action, Desktop, DesktopError, Note, ScreenRect};
use crate::game::Rule;
use crate::geometry::{BoardSize, Cell, Pixel};
use crate::screenshot::Screenshot;
use crate::solver::{Decision, GuessKind, Impossible, Reason, Strategy};
use crate::vision::Reading;
use crate::vision::locate::LocateError;
use crate::vision::{Eyes, find_any};
use aim::{Move, Wanted};
pub use check::Doubt;
use painted::Painted;
use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};
use view::View;
pub use view::region;

/// How a game ended.
#[derive(Debug)]
pub enum Outcome {
    /// Every tile without a mine is open (and every mine flagged, where the client wants that).
    Won,
    /// A mine went off.
    Lost,
    /// The bot could not go on.
    Aborted(Abort),
}

/// Why the bot did not go on. Nothing is clicked afterwards.
#[derive(Debug, thiserror::Error)]
pub enum Abort {
    /// Screen, mouse or keyboard.
    #[error(transparent)]
    Desktop(#[from] DesktopError),
    /// There is no board to be seen.
    #[error(transparent)]
    NotFound(#[from] LocateError),
    /// The board was there, and is not any more.
    #[error("the board is no longer to be seen; was its window closed, minimised or covered? ({0})")]
    Gone(LocateError),
    /// What is read cannot be believed, and looking again did not help.
    #[error("{0}; nothing was clicked on this reading")]
    Doubt(#[from] Doubt),
    /// The tiles keep the rules one by one, but not together.
    #[error("{0}: a tile was read wrongly, or the number of mines ({1}) is wrong; give it with --mines")]
    Impossible(Impossible, String),
    /// Clicks have no effect.
    #[error(
        "{clicks} clicks on the tile at {cell} changed nothing; is the window in front, and not waiting for something?"
    )]
    Deaf {
        /// Where.
        cell: Cell,
        /// How often.
        clicks: u32,
    },
    /// Nothing can be opened although the game is not over.
    #[error("{unrecognised} tiles are not recognised and nothing else can be opened; see their pictures")]
    Stuck {
        /// How many.
        unrecognised: usize,
    },
    /// The lowest risk is above what is allowed.
    #[error("the lowest risk is {risk:.3}, above the {limit} allowed")]
    TooRisky {
        /// The risk of the best guess.
        risk: f64,
        /// What is allowed.
        limit: f64,
    },
    /// The client does not begin a new game.
    #[error("no new game began: none of the client's {0} steps for it brought up a fresh board")]
    NoNewGame(usize),
    /// Not a board.
    #[error(transparent)]
    Board(#[from] BoardError),
}

impl Abort {
    /// Whether the board is not there any more: nothing may be clicked or typed then.
    pub fn is_gone(&self) -> bool {
        matches!(self, Abort::Gone(_) | Abort::NotFound(_) | Abort::Desktop(_))
    }

    /// Whether the game was given up only because the person allows no such risk.
    pub fn is_limit(&self) -> bool {
        matches!(self, Abort::TooRisky { .. })
    }

    /// Whether the person asked for it: another game is not wanted then.
    pub fn is_request(&self) -> bool {
        matches!(self, Abort::Desktop(DesktopError::Stopped | DesktopError::Taken))
    }
}

/// How the bot is to play.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The number of mines, where the person knows better than the client's levels.
    pub mines: Option<u32>,
    /// Flag every mine as soon as it is certain.
    pub flag_mines: bool,
    /// Open around satisfied numbers, where one such click opens several tiles.
    pub chord: bool,
    /// A pause before every decision is carried out.
    pub delay: Duration,
    /// Stop rather than guess above this risk.
    pub max_risk: Option<f64>,
}

/// One settled look at the board.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The board and its surroundings.
    pub shot: Screenshot,
    /// What was read of it; its grid is in pixels of `shot`.
    pub reading: Reading,
}

impl Scene {
    /// Every tile, row by row.
    pub fn tiles(&self) -> Vec<Tile> {
        self.reading.tiles.iter().map(|reading| reading.tile).collect()
    }
}

/// Where the time of a game went, and how much was done.
#[derive(Clone, Copy, Debug, Default)]
pub struct Effort {
    /// Taking pictures of the screen.
    pub capture: Duration,
    /// Finding the board.
    pub locate: Duration,
    /// Reading its tiles.
    pub read: Duration,
    /// Deciding.
    pub decide: Duration,
    /// Moving the mouse and pressing its buttons.
    pub click: Duration,
    /// Waiting for the client to paint.
    pub wait: Duration,
    /// Pictures taken.
    pub looks: u32,
    /// Readings made.
    pub readings: u32,
    /// Buttons pressed.
    pub clicks: u32,
    /// Clicks that had to be repeated.
    pub repeated: u32,
}

/// A game that is over.
#[derive(Debug)]
pub struct Played {
    /// How it ended.
    pub outcome: Outcome,
    /// Columns and rows.
    pub size: BoardSize,
    /// Mines, if known.
    pub mines: Option<u32>,
    /// Decisions that opened something.
    pub moves: u64,
    /// Every guess: its predicted risk and its sort.
    pub guesses: Vec<(f64, GuessKind)>,
    /// The tile the game was lost on: its predicted risk (0 if it was held to be safe), and the sort of guess it was.
    pub fatal: Option<(f64, Option<GuessKind>)>,
    /// From the first look to the end.
    pub time: Duration,
    /// Where the time went.
    pub effort: Effort,
    /// The last settled looks, the latest at the end.
    pub trail: VecDeque<Scene>,
}

/// How many settled looks are kept, to find out afterwards what went wrong.
const TRAIL: usize = 6;

/// The longest a dialog takes to go away: toolkits load much for their first one.
const DIALOG: Duration = Duration::from_millis(1500);

/// The longest a counter is painted after its board.
const LAGGING: Duration = Duration::from_millis(250);

/// How often a client's steps against a dialog, or for a new game, are tried.
const ROUNDS: u32 = 4;

/// How often a click that changed nothing is repeated.
const REPEATS: u32 = 4;

/// Where a board is on the screen.
pub struct Place(View);

/// The bot at one board.
pub struct Bot<'a, D: Desktop> {
    desktop: &'a mut D,
    eyes: &'a mut [Eyes],
    options: Options,
    view: View,
    effort: Effort,
    trail: VecDeque<Scene>,
    /// Whether the client has the keyboard's attention, for all that is known: it was clicked.
    has_clicked: bool,
    began: Instant,
}

impl<'a, D: Desktop> Bot<'a, D> {
    /// Looks for a board on the screen. Nothing is clicked.
    ///
    /// # Errors
    /// The screen cannot be captured, or there is no board on it.
    pub fn start(desktop: &'a mut D, eyes: &'a mut [Eyes], options: Options) -> Result<Self, Abort> {
        let (mut effort, began) = (Effort::default(), Instant::now());
        let view = View::find(desktop, eyes, &mut effort)?;
        desktop.allow(&view.allowed());
        Ok(Self { desktop, eyes, options, view, effort, trail: VecDeque::new(), has_clicked: false, began })
    }

    /// Looks for a board where one was before, and on the whole screen only if it is not there any more.
    ///
    /// # Errors
    /// As [`Bot::start`].
    pub fn start_at(place: Place, desktop: &'a mut D, eyes: &'a mut [Eyes], options: Options) -> Result<Self, Abort> {
        let (effort, began) = (Effort::default(), Instant::now());
        let view = place.0;
        desktop.allow(&view.allowed());
        let mut bot = Self { desktop, eyes, options, view, effort, trail: VecDeque::new(), has_clicked: false, began };
        if bot.is_covered()? {
            bot.view = bot.view.find_again(bot.desktop, bot.eyes, &mut bot.effort)?;
            bot.desktop.allow(&bot.view.allowed());
        }
        Ok(bot)
    }

    /// Where its board is, for another bot.
    pub fn place(self) -> Place {
        Place(self.view)
    }

    /// The desktop it plays on.
    pub fn desktop(&mut self) -> &mut D {
        self.desktop
    }

    /// The client that was found.
    pub fn client(&self) -> &Client {
        &self.view.client
    }

    /// Columns and rows of its board.
    pub fn size(&self) -> BoardSize {
        self.view.size()
    }

    /// Which of the eyes see it.
    pub fn whose(&self) -> usize {
        self.view.whose
    }

    /// Its theme.
    pub fn theme(&self) -> &str {
        let eyes = &self.eyes[self.view.whose];
        // They may know more themes by now than the client came with.
        eyes.client().themes.get(eyes.theme(&self.view.sight)).map_or("", |theme| &theme.name)
    }

    /// The number of mines of the board that was found, as far as it is known: as it was given, from the client's
    /// counter, or from its levels.
    pub fn mines(&self, scene: &Scene) -> Option<u32> {
        let size = scene.reading.grid.size();
        let counted = scene.reading.mines();
        let level = self.view.client.level_of(size).map(|level| level.mines);
        if let (Some(counted), Some(level)) = (counted, level)
            && counted != level
        {
            log::warn!("the client's counter stands for {counted} mines, its level of {size} for {level}");
        }
        self.options.mines.or(counted).or(level)
    }

    /// The board as it is now, once it has stopped changing.
    ///
    /// # Errors
    /// The screen cannot be captured, or what is on it cannot be believed.
    pub fn look(&mut self) -> Result<Scene, Abort> {
        let patience = self.view.patience();
        match self.painted(None, &[], patience)? {
            Painted::Yes(scene) => self.counted(scene),
            Painted::Doubtful(scene, doubt) => self.recover(None, &scene, doubt),
        }
    }

    /// The same scene with what the client's counter shows. A client may paint its board before its counter: what nothing
    /// confirms is looked at twice.
    fn counted(&mut self, mut scene: Scene) -> Result<Scene, Abort> {
        let whose = self.view.whose;
        let level = self.view.client.level_of(scene.reading.grid.size()).map(|level| level.mines);
        scene.reading.mines_left = self.eyes[whose].mines_left(&scene.shot, &scene.reading);
        if scene.reading.mines_left.is_some() && (level.is_none() || scene.reading.mines() != level) {
            self.desktop.wait(LAGGING)?;
            let (shot, _) = self.view.look(self.desktop, &mut self.effort)?;
            let again = self.eyes[whose].mines_left(&shot, &scene.reading);
            scene.reading.mines_left = scene.reading.mines_left.filter(|&left| again == Some(left));
        }
        Ok(scene)
    }

    /// Plays the game on the screen to its end; if it is over already, it is only told how. A bot is for one game: its
    /// time is counted from [`Bot::start`] on.
    pub fn play_game(&mut self, player: &dyn Strategy) -> Played {
        self.trail.clear();
        let mut game = Course::new(self.view.size());
        let outcome = self.play(player, &mut game).unwrap_or_else(Outcome::Aborted);
        Played {
            outcome,
            size: game.size,
            mines: game.mines,
            moves: game.moves,
            guesses: game.guesses,
            fatal: game.fatal,
            time: self.began.elapsed(),
            effort: std::mem::take(&mut self.effort),
            trail: std::mem::take(&mut self.trail),
        }
    }

    fn play(&mut self, player: &dyn Strategy, game: &mut Course) -> Result<Outcome, Abort> {
        self.park()?; // a tile below the pointer may look different
        let mut scene = self.look()?;
        game.mines = self.mines(&scene);
        loop {
            self.remember(&scene);
            let tiles = scene.tiles();
            let standing = match standing(&tiles, game.mines, &self.view.client.rules) {
                // A client may turn up every tile at the end, won or lost, and show the mine that was hit like the others.
                Standing::Won if game.hit_a_mine(&tiles) => Standing::Lost,
                other => other,
            };
            match standing {
                Standing::Won => return Ok(Outcome::Won),
                Standing::Lost => {
                    game.attribute_loss(&tiles);
                    return Ok(Outcome::Lost);
                }
                Standing::ToFlag => {
                    let covered = game.size.cells().filter(|&cell| tiles[game.size.index(cell)].is_covered());
                    let moves: Vec<Move> = covered.map(|cell| Move { cell, wanted: Wanted::Flag }).collect();
                    scene = self.carry_out(&moves, &scene)?;
                    continue;
                }
                Standing::Playing => {}
            }
            let board = scene.reading.board(game.mines)?;
            let decision = self.decide(player, &board, game)?;
            if decision.open.is_empty() {
                return nothing_to_open(&scene, &decision, game.mines);
            }
            self.pause()?;
            game.remember(&decision);
            scene = self.carry_out_decision(&decision, scene)?;
        }
    }

    fn decide(&mut self, player: &dyn Strategy, board: &Board, game: &Course) -> Result<Decision, Abort> {
        let began = Instant::now();
        let decision = player.decide(board);
        self.effort.decide += began.elapsed();
        let mines = || game.mines.map_or("unknown".to_owned(), |mines| mines.to_string());
        let mut decision = decision.map_err(|error| Abort::Impossible(error, mines()))?;
        decision.open.retain(|&cell| board.tile(cell).is_covered());
        self.desktop.note(Note::Decision(board, &decision))?;
        if let (Reason::Guess { risk, .. }, Some(limit)) = (decision.reason, self.options.max_risk)
            && risk > limit
            && !decision.open.is_empty()
        {
            return Err(Abort::TooRisky { risk, limit });
        }
        Ok(decision)
    }

    fn pause(&mut self) -> Result<(), Abort> {
        if !self.options.delay.is_zero() {
            self.desktop.wait(self.options.delay)?;
        }
        Ok(())
    }

    fn remember(&mut self, scene: &Scene) {
        if self.trail.len() == TRAIL {
            self.trail.pop_front();
        }
        self.trail.push_back(scene.clone());
    }

    fn carry_out_decision(&mut self, decision: &Decision, mut scene: Scene) -> Result<Scene, Abort> {
        let open =
            |cells: &[Cell]| -> Vec<Move> { cells.iter().map(|&cell| Move { cell, wanted: Wanted::Open }).collect() };
        let mut moves = open(&decision.open);
        if self.options.flag_mines || self.options.chord {
            let tiles = scene.tiles();
            let size = scene.reading.grid.size();
            let bare = decision.mines.iter().filter(|&&cell| tiles[size.index(cell)] != Tile::Flag);
            let flags: Vec<Move> = bare.map(|&cell| Move { cell, wanted: Wanted::Flag }).collect();
            if !self.options.chord {
                moves.splice(0..0, flags);
            } else if self.view.client.hands.chord.is_some() && decision.reason == Reason::Certain {
                if !flags.is_empty() {
                    scene = self.carry_out(&flags, &scene)?;
                }
                moves = aim::with_chords(&scene.tiles(), size, decision);
            }
        }
        self.carry_out(&moves, &scene)
    }

    /// Does the moves, all in one go, and looks until the client has painted the answer; moves without an effect are
    /// repeated.
    fn carry_out(&mut self, moves: &[Move], before: &Scene) -> Result<Scene, Abort> {
        let mut todo = moves.to_vec();
        let mut tiles = before.tiles();
        let first = tiles.iter().all(|tile| tile.is_covered());
        let patience = if first { self.view.first_patience() } else { self.view.patience() };
        for _ in 0..=REPEATS {
            self.click(&todo, &tiles, before)?;
            match self.painted(Some(before), &todo, patience)? {
                Painted::Yes(scene) => return Ok(scene),
                Painted::Doubtful(scene, Doubt::NotYet(cells)) => {
                    todo.retain(|to_do| cells.contains(&to_do.cell));
                    log::debug!("{} of {} clicks had no effect: {cells:?}", todo.len(), moves.len());
                    self.effort.repeated += todo.len() as u32;
                    tiles = scene.tiles();
                }
                Painted::Doubtful(scene, doubt) => {
                    let scene = self.recover(Some(before), &scene, doubt)?;
                    tiles = scene.tiles();
                    let size = scene.reading.grid.size();
                    let is_over = check::is_over(&tiles);
                    todo.retain(|to_do| !is_over && !to_do.wanted.is_met(tiles[size.index(to_do.cell)]));
                    if todo.is_empty() {
                        return Ok(scene);
                    }
                }
            }
        }
        let cell = todo.first().map_or(Cell::new(0, 0), |to_do| to_do.cell);
        Err(Abort::Deaf { cell, clicks: REPEATS + 1 })
    }

    /// A reading that cannot be believed: the window may have moved, be covered, or take its time.
    fn recover(&mut self, before: Option<&Scene>, scene: &Scene, doubt: Doubt) -> Result<Scene, Abort> {
        log::info!("{doubt}; looking for the board again");
        self.remember(scene);
        let patience = self.view.patience();
        // Keys for a window that is gone would go to another one.
        let is_there = before.is_some_and(|before| painted::is_partly_same(before, scene));
        let has_steps = !self.view.client.hands.uncover.is_empty();
        let can_uncover = is_there && has_steps && matches!(doubt, Doubt::Covered { .. });
        match self.found_again(before, patience) {
            Ok(Some(scene)) => return Ok(scene),
            Err(Abort::NotFound(why)) if !can_uncover => return Err(Abort::Gone(why)),
            Ok(None) | Err(Abort::NotFound(_)) => {}
            Err(other) => return Err(other),
        }
        if !can_uncover {
            return Err(doubt.into());
        }
        let steps = self.view.client.hands.uncover.clone();
        let mut gone = None;
        // A dialog that has just come up may not have the keyboard yet.
        for step in (0..ROUNDS).flat_map(|_| &steps) {
            self.take_step(step)?;
            if let Painted::Yes(scene) = self.painted(before, &[], patience.max(DIALOG))? {
                return Ok(scene);
            }
            // Some clients lay out their window anew at the end of a game.
            match self.found_again(before, patience) {
                Ok(Some(scene)) => return Ok(scene),
                Ok(None) => gone = None,
                Err(Abort::NotFound(why)) => gone = Some(why),
                Err(other) => return Err(other),
            }
        }
        Err(gone.map_or(doubt.into(), Abort::Gone))
    }

    /// Looks for the board on the whole screen, and at it, if it is still the same board.
    fn found_again(&mut self, before: Option<&Scene>, patience: Duration) -> Result<Option<Scene>, Abort> {
        let view = self.view.find_again(self.desktop, self.eyes, &mut self.effort)?;
        // With a part of it covered, what shows may look like a smaller board.
        if view.size() != self.view.size() {
            return Ok(None);
        }
        self.view = view;
        self.desktop.allow(&self.view.allowed());
        Ok(match self.painted(before, &[], patience)? {
            Painted::Yes(scene) => Some(scene),
            Painted::Doubtful(..) => None,
        })
    }

    /// Sees to it that a fresh board shows, and begins a new game if it does not.
    ///
    /// # Errors
    /// See [`Bot::new_game`].
    pub fn begin(&mut self) -> Result<(), Abort> {
        self.park()?; // a tile below the pointer may look different
        match self.look() {
            Ok(scene) if self.is_fresh(&scene) => Ok(()),
            Err(Abort::Desktop(error)) => Err(error.into()),
            _ => self.new_game(),
        }
    }

    /// Begins a new game, as the client has it, and sees to it that a fresh board shows.
    ///
    /// # Errors
    /// No fresh board shows after all the client's steps, or screen or mouse fail.
    pub fn new_game(&mut self) -> Result<(), Abort> {
        if !self.has_clicked {
            self.attract_keys()?;
        }
        let hands = self.view.client.hands.clone();
        let patience = self.view.patience();
        for _ in 0..ROUNDS {
            // A dialog may come up a while after the end of a game, and take the keys that were meant for the client.
            let uncover = if self.is_covered()? { hands.uncover.as_slice() } else { &[] };
            for step in uncover.iter().chain(&hands.new_game) {
                self.take_step(step)?;
                if !matches!(step, Step::Wait(_)) && self.is_fresh_within(patience.max(DIALOG))? {
                    return Ok(());
                }
            }
            // A new game may stand elsewhere, or the window may have been moved.
            if let Ok(Some(scene)) = self.found_again(None, patience)
                && self.is_fresh(&scene)
            {
                return Ok(());
            }
        }
        Err(Abort::NoNewGame(hands.new_game.len()))
    }

    /// Whether there are tiles that cannot be seen.
    fn is_covered(&mut self) -> Result<bool, Abort> {
        let (Painted::Yes(scene) | Painted::Doubtful(scene, _)) = self.painted(None, &[], self.view.still() * 3)?;
        Ok(scene.reading.unrecognised().next().is_some())
    }

    /// Looks until a board shows on which nothing was played yet, at most `longest`.
    fn is_fresh_within(&mut self, longest: Duration) -> Result<bool, Abort> {
        let began = self.desktop.clock();
        loop {
            if let Painted::Yes(scene) = self.painted(None, &[], self.view.patience())?
                && self.is_fresh(&scene)
            {
                return Ok(true);
            }
            if self.desktop.clock().saturating_sub(began) >= longest {
                return Ok(false);
            }
            self.desktop.wait(Duration::from_millis(5))?;
        }
    }

    /// Whether the game on the screen is over.
    pub fn is_over(&self, scene: &Scene) -> bool {
        let standing = standing(&scene.tiles(), self.mines(scene), &self.view.client.rules);
        matches!(standing, Standing::Won | Standing::Lost)
    }

    /// Whether nothing was played yet.
    fn is_fresh(&self, scene: &Scene) -> bool {
        let tiles = scene.tiles();
        if matches!(self.view.client.rules.first_click, Rule::Hinted | Rule::Opened) {
            let untouched = tiles.iter().all(|tile| matches!(tile, Tile::Hidden | Tile::Open(_)));
            untouched && !self.is_over(scene)
        } else {
            tiles.iter().all(|&tile| tile == Tile::Hidden)
        }
    }
}

/// Takes away what a bot that was cut off may have left over the client's board, by that client's keys for it. `whole`: the
/// board's size; with a part of it covered there may seem to be less. If none of it shows, this is only tried where there is
/// but one client to look for.
///
/// # Errors
/// Screen, mouse or keyboard fail. That no board shows is not said here, but by whoever looks for it next.
pub fn uncover(desktop: &mut impl Desktop, eyes: &mut [Eyes], whole: Option<BoardSize>) -> Result<(), Abort> {
    let is_part = |part: BoardSize| {
        whole.is_some_and(|whole| part != whole && part.width <= whole.width && part.height <= whole.height)
    };
    let mut client = if let [only] = &*eyes { Some(only.client().clone()) } else { None };
    for _ in 0..ROUNDS {
        let shot = desktop.look(None)?;
        let mut corner = None;
        match find_any(eyes, &shot) {
            Ok((whose, sight)) if is_part(sight.grid.size()) => {
                (client, corner) = (Some(eyes[whose].client().clone()), Some(sight.grid.origin()));
            }
            Ok(_) => return Ok(()),
            Err(LocateError::Covered { client: name, x, y, .. }) => {
                let whose = eyes.iter().find(|eyes| eyes.client().name == name);
                (client, corner) = (whose.map(|eyes| eyes.client().clone()).or(client), Some(Pixel { x, y }));
            }
            Err(_) => {}
        }
        let Some(client) = &client else { return Ok(()) };
        if let Some(Pixel { x, y }) = corner {
            // Below a dialog a click does nothing, but keys go to the window that was clicked last, and to its dialog.
            let at = shot.to_screen(Pixel { x: x + 3.0, y: y + 3.0 });
            desktop.allow(&[ScreenRect { corner: at, width: 1, height: 1 }]);
            desktop.act(&Action::Click(aim::click(&client.hands.open, at, client.hands.hold_ms)))?;
            desktop.wait(DIALOG / 3)?;
        }
        for step in &client.hands.uncover {
            let Step::Keys(keys) = step else { continue };
            desktop.act(&Action::Keys(keys.clone()))?;
            desktop.wait(DIALOG / 3)?;
        }
    }
    Ok(())
}

/// What happens in one game.
struct Course {
    size: BoardSize,
    mines: Option<u32>,
    moves: u64,
    guesses: Vec<(f64, GuessKind)>,
    fatal: Option<(f64, Option<GuessKind>)>,
    /// The predicted risk of every tile that was clicked.
    risks: HashMap<Cell, Reason>,
    last: Option<Decision>,
}

impl Course {
    fn new(size: BoardSize) -> Self {
        let (guesses, risks) = (Vec::new(), HashMap::new());
        Self { size, mines: None, moves: 0, guesses, fatal: None, risks, last: None }
    }

    fn remember(&mut self, decision: &Decision) {
        self.moves += 1;
        if let Reason::Guess { risk, kind } = decision.reason {
            self.guesses.push((risk, kind));
        }
        self.risks.extend(decision.open.iter().map(|&cell| (cell, decision.reason)));
        self.last = Some(decision.clone());
    }

    /// Whether a tile that was opened shows a mine.
    fn hit_a_mine(&self, tiles: &[Tile]) -> bool {
        self.risks.keys().any(|&cell| tiles[self.size.index(cell)].is_shown_mine())
    }

    /// Whose fault it was: the tile that went off among those clicked last, or clicked ever.
    fn attribute_loss(&mut self, tiles: &[Tile]) {
        let tile = |cell: &Cell| tiles[self.size.index(*cell)];
        let Some(last) = &self.last else { return };
        let hit_last = last.open.iter().any(|cell| tile(cell).is_shown_mine());
        let hit_before = || {
            let exploded = self.risks.iter().filter(|(cell, _)| tile(cell) == Tile::Exploded);
            exploded.map(|(_, reason)| *reason).next()
        };
        let reason = if hit_last { last.reason } else { hit_before().unwrap_or(last.reason) };
        let kind = if let Reason::Guess { kind, .. } = reason { Some(kind) } else { None };
        self.fatal = Some((reason.risk(), kind));
    }
}

/// How a game stands that has nothing left to open. Without the number of mines, that is all there is to tell a win by.
/// With tiles that are not recognised it is won if every mine is known, and these tiles look most like numbers.
fn nothing_to_open(scene: &Scene, decision: &Decision, mines: Option<u32>) -> Result<Outcome, Abort> {
    let unknown = || scene.reading.tiles.iter().filter(|reading| reading.tile == Tile::Unrecognised);
    let all_found = mines.is_some_and(|mines| decision.mines.len() == mines as usize);
    if unknown().next().is_none() || all_found && unknown().all(|reading| reading.best.number().is_some()) {
        return Ok(Outcome::Won);
    }
    Err(Abort::Stuck { unrecognised: unknown().count() })
}

/// How a game stands, as the bot needs it.
enum Standing {
    Playing,
    /// All is open, but the client wants every mine flagged.
    ToFlag,
    Won,
    Lost,
}

fn standing(tiles: &[Tile], mines: Option<u32>, rules: &Rules) -> Standing {
    if tiles.contains(&Tile::Exploded) {
        return Standing::Lost;
    }
    let closed = tiles.iter().filter(|tile| tile.is_covered() || tile.is_shown_mine()).count();
    let is_cleared = !tiles.contains(&Tile::Unrecognised) && mines.is_some_and(|mines| mines as usize == closed);
    let to_flag = tiles.iter().any(|&tile| matches!(tile, Tile::Hidden | Tile::Question));
    match (is_cleared, check::is_over(tiles)) {
        (true, false) if rules.flags_to_win && to_flag => Standing::ToFlag,
        (true, _) => Standing::Won,
        (false, true) => Standing::Lost,
        (false, false) => Standing::Playing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mine_that_is_shown_where_it_was_opened_was_hit() {
        let mut game = Course::new(BoardSize::new(3, 1));
        let opened = |x| Decision { open: vec![Cell::new(x, 0)], mines: vec![], reason: Reason::Certain };
        game.remember(&opened(0));
        game.remember(&opened(1));
        assert!(!game.hit_a_mine(&[Tile::Open(0), Tile::Open(1), Tile::Mine]));
        assert!(!game.hit_a_mine(&[Tile::Open(0), Tile::Unrecognised, Tile::Flag]));
        assert!(game.hit_a_mine(&[Tile::Mine, Tile::Open(1), Tile::Hidden]));
        assert!(game.hit_a_mine(&[Tile::Open(0), Tile::Exploded, Tile::Hidden]));
    }
}
