//! The loop: look, read, decide, aim, click, until an [`Outcome`]. It knows neither which desktop it has nor which
//! client it plays: what differs between clients is in their calibration.

mod aim;
mod carry;
mod check;
mod course;
mod fresh;
mod painted;
mod recover;
mod settled;
mod view;

use crate::board::{BoardError, Tile};
use crate::client::{Client, Step};
use crate::desktop::{Desktop, DesktopError, Note, ScreenRect};
use crate::geometry::{BoardSize, Cell, ScreenPoint};
use crate::screenshot::Screenshot;
use crate::solver::{Decision, GuessKind, Impossible, Reason, Strategy};
use crate::vision::find::locate::LocateError;
use crate::vision::unknown::looks::{self, ALIKE, Looks};
use crate::vision::{Eyes, Grid, Reading};
use aim::{Move, Wanted};
pub use check::Doubt;
use check::{Standing, standing};
use course::Course;
pub use fresh::{Stage, uncover};
use painted::Painted;
use settled::Settled;
use std::collections::VecDeque;
use std::sync::Arc;
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
    /// What is decided is out of date before it can be clicked.
    #[error("the board keeps changing, so that nothing could be clicked")]
    Restless,
    /// The person has begun another game.
    #[error("a new game was begun on the board by hand, so this one is over")]
    Restarted,
    /// The board has another size.
    #[error("the board was {was} and is {is} now: another level was chosen, or a part of it is covered")]
    Resized {
        /// What it was.
        was: BoardSize,
        /// What it is.
        is: BoardSize,
    },
    /// The client asks whether to play again, over its board.
    #[error("the client asks something over its board")]
    Asked,
    /// What was answered to the client over its board began another game, so this one was over.
    #[error("the answer to what the client asked began a new game, and how this one ended could not be seen")]
    Answered,
    /// The client does not begin a new game.
    #[error("no new game began: none of the client's {0} steps for it brought up a fresh board")]
    NoNewGame(usize),
    /// Not a board.
    #[error(transparent)]
    Board(#[from] BoardError),
}

impl Abort {
    /// Whether the game was given up only because the person allows no such risk.
    pub fn is_limit(&self) -> bool {
        matches!(self, Abort::TooRisky { .. })
    }

    /// Whether the person ended the game by beginning another: nothing is wrong with the client then.
    pub fn is_by_hand(&self) -> bool {
        matches!(self, Abort::Restarted)
    }

    /// Whether it may be otherwise a moment later: there is no board, no picture, or another window is in the way.
    pub fn may_pass(&self) -> bool {
        match self {
            Abort::NotFound(_) | Abort::Desktop(DesktopError::Foreign(_)) => true,
            Abort::Desktop(why) => why.is_without_picture(),
            _ => false,
        }
    }

    /// Whether the client's window is not to be seen where it was.
    fn is_out_of_sight(&self) -> bool {
        match self {
            Abort::Gone(_) => true,
            Abort::Desktop(why) => why.is_without_picture(),
            _ => false,
        }
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
    /// How long a board is waited for that is not to be seen, covered, or not the client's to be clicked.
    pub wait: Duration,
    /// Columns and rows of the level that is asked for: where another board, or none, is there after a game that was given up, the client's
    /// steps to it are taken.
    pub size: Option<BoardSize>,
}

/// One settled look at the board.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The board and its surroundings.
    pub shot: Arc<Screenshot>,
    /// What was read of it; its grid is in pixels of `shot`.
    pub reading: Reading,
}

impl Scene {
    /// Every tile, row by row.
    pub fn tiles(&self) -> Vec<Tile> {
        self.reading.tiles.iter().map(|reading| reading.tile).collect()
    }

    /// How many tiles have a look that no picture knows, if those are many and look like each other: what lies over a board does not.
    pub fn new_looks(&self) -> Option<usize> {
        let grid = &self.reading.grid;
        let unknown: Vec<usize> = self.reading.unrecognised().map(|cell| grid.size().index(cell)).collect();
        if unknown.len() < check::COVERED {
            return None;
        }
        let lonely = Looks::new(ALIKE).lonely(&self.shot.pixels, grid, &unknown);
        (lonely < looks::COVERED && lonely * 2 < unknown.len()).then_some(unknown.len())
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
    /// Of the clicks, chords that opened what they should.
    pub chords: u32,
    /// Of the clicks, those for flags or chords after which the game went on without these, for they had no effect.
    pub in_vain: u32,
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
    /// Whether the client's level has another number of them.
    pub is_total_wrong: bool,
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
    /// The tiles that were to be opened, in no order.
    pub opened: Vec<Cell>,
}

/// How many settled looks are kept, to find out afterwards what went wrong.
const TRAIL: usize = 6;

/// The longest a counter is painted after its board.
const LAGGING: Duration = Duration::from_millis(250);

/// Where a board is on the screen.
pub struct Place(View);

impl Place {
    /// Its middle.
    pub fn middle(&self) -> ScreenPoint {
        self.0.board().middle()
    }

    /// Its tiles, in pixels of a picture of the whole screen.
    pub fn grid(&self) -> &Grid {
        &self.0.sight.grid
    }
}

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
    /// Why nothing could be clicked, if another window was in the way.
    refused: Option<&'static str>,
    /// After how many clicks something was answered to the client last.
    answered: Option<u32>,
    /// The tiles of the last clicks that were seen to be covered after them, or not seen to be hidden before.
    closed: Vec<Cell>,
    /// The game as it is once what is being clicked is done.
    under_way: Option<Course>,
    /// How far the window was followed.
    moved: (i32, i32),
    /// How often something was painted without the system telling of it.
    untold: u32,
    /// What the client's tiles look like at rest.
    settled: Settled,
    /// Whether a tile stayed pressed that was not opened: that one changed says nothing then.
    stays_pressed: bool,
    /// Whether the number of mines of the client's level is not that of the game on the screen.
    is_total_wrong: bool,
    began: Instant,
}

impl<'a, D: Desktop> Bot<'a, D> {
    /// Looks for a board on the screen, for as long as the options say. Nothing is clicked.
    ///
    /// # Errors
    /// The screen cannot be captured, or there is no board on it.
    pub fn start(desktop: &'a mut D, eyes: &'a mut [Eyes], options: Options) -> Result<Self, Abort> {
        let (mut effort, began) = (Effort::default(), Instant::now());
        let view = View::find(desktop, eyes, &mut effort, options.wait)?;
        Ok(Self { effort, began, ..Self::at(view, desktop, eyes, options) })
    }

    fn at(view: View, desktop: &'a mut D, eyes: &'a mut [Eyes], options: Options) -> Self {
        Self {
            desktop,
            eyes,
            options,
            view,
            effort: Effort::default(),
            trail: VecDeque::new(),
            has_clicked: false,
            refused: None,
            answered: None,
            closed: Vec::new(),
            under_way: None,
            moved: (0, 0),
            untold: 0,
            settled: Settled::default(),
            stays_pressed: false,
            is_total_wrong: false,
            began: Instant::now(),
        }
    }

    /// Looks where the window that shows the board is by now. Whether it was moved; nothing if the system does not tell.
    fn follow(&mut self) -> Result<Option<bool>, Abort> {
        let Some(by) = self.desktop.follow() else { return Ok(None) };
        let is_moved = by != (0, 0);
        if is_moved {
            self.view = self.view.shifted(by);
            self.moved = (self.moved.0 + by.0, self.moved.1 + by.1);
            self.park()?; // the pointer may be over the board now
        }
        Ok(Some(is_moved))
    }

    /// Looks for a board where one was before, and on the whole screen only if it is not there any more.
    ///
    /// # Errors
    /// As [`Bot::start`].
    pub fn start_at(place: Place, desktop: &'a mut D, eyes: &'a mut [Eyes], options: Options) -> Result<Self, Abort> {
        let mut bot = Self::at(place.0, desktop, eyes, options);
        bot.follow()?;
        if bot.is_covered()? {
            bot.view = View::find(bot.desktop, bot.eyes, &mut bot.effort, bot.options.wait)?;
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
        let counted = scene.reading.mines().filter(|_| !self.is_total_wrong);
        let level = self.level_mines(size);
        if let (Some(counted), Some(level)) = (counted, level)
            && counted != level
        {
            log::warn!("the client's counter stands for {counted} mines, its level of {size} for {level}");
        }
        self.options.mines.or(counted).or(level)
    }

    /// The mines of the client's level of a size, unless the game on the screen has shown that it has another number of them.
    fn level_mines(&self, size: BoardSize) -> Option<u32> {
        let level = self.view.client.level_of(size).filter(|_| !self.is_total_wrong);
        level.map(|level| level.mines)
    }

    /// The board as it is now, once it has stopped changing.
    ///
    /// # Errors
    /// The screen cannot be captured, or what is on it cannot be believed.
    pub fn look(&mut self) -> Result<Scene, Abort> {
        let patience = self.view.patience();
        match self.painted(None, &[], patience)? {
            Painted::Yes(scene) => self.counted(scene),
            // A dialog at the end of a game does not keep it from being over.
            Painted::Doubtful(scene, Doubt::Covered { .. }) if self.is_over(&scene) => Ok(scene),
            Painted::Doubtful(scene, doubt) => self.recover(None, &scene, doubt),
        }
    }

    /// The same scene with what the client's counter shows. A client may paint its board before its counter: what nothing
    /// confirms is looked at twice.
    fn counted(&mut self, mut scene: Scene) -> Result<Scene, Abort> {
        let whose = self.view.whose;
        let level = self.level_mines(scene.reading.grid.size());
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
        let outcome = match self.play(player, &mut game).map_err(|abort| self.explained(abort)) {
            Err(Abort::Asked) => self.asked(&mut game),
            Err(Abort::Answered) if game.may_be_over_unseen() => Ok(self.ended_unseen(&mut game)),
            Err(abort @ Abort::Doubt(_)) => self.replaced_or_covered(abort, &mut game),
            Err(abort) if abort.is_out_of_sight() => self.gone(abort, &mut game),
            Err(abort @ Abort::Deaf { .. }) => self.dead(abort, &mut game),
            other => other,
        };
        let outcome = outcome.unwrap_or_else(Outcome::Aborted);
        Played {
            outcome,
            size: game.size,
            mines: game.mines,
            is_total_wrong: self.is_total_wrong,
            moves: game.moves,
            opened: game.opened(),
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
        let (mut idle, mut stuck) = (None, None);
        loop {
            self.remember(&scene);
            let tiles = scene.tiles();
            game.notice(&tiles, &self.closed);
            let rules = &self.view.client.rules;
            let standing = match standing(&game.as_opened(&tiles, rules.floods), game.mines, rules) {
                // A client may turn up every tile at the end, won or lost, and show the mine that was hit like the others.
                Standing::Won if game.hit_a_mine(&tiles) => Standing::Lost,
                Standing::Won if !check::is_counted(game.size, &tiles) && self.drops_total(game) => continue,
                // One that turns up every tile at a win, too, and shows a number that nobody knows.
                Standing::Lost if game.ended_with_numbers(&tiles) && check::is_turned_up(game.size, &tiles) => {
                    Standing::Won
                }
                // One that shows its mines at a win, too, and asks for a name before it paints what was opened last.
                Standing::Lost if game.is_cleared_unpainted(&tiles) => Standing::Won,
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
                    game.remember_cleared(tiles);
                    self.under_way = Some(game.clone());
                    let carried_out = self.carry_out(&moves, &scene);
                    self.under_way = None; // also where that failed: the next game is another
                    scene = carried_out?;
                    continue;
                }
                Standing::Playing => {}
            }
            let decision = match self.decide(player, &scene, game) {
                Err(Abort::Impossible(..) | Abort::Board(_)) if self.drops_total(game) => continue,
                other => other?,
            };
            if decision.open.is_empty() {
                match nothing_to_open(&scene, &decision, game, self.view.client.rules.floods) {
                    Err(Abort::Stuck { .. }) if self.waits_for_tiles(&mut stuck)? => {
                        scene = self.seen_after(&scene)?;
                        continue;
                    }
                    ended => return ended,
                }
            }
            stuck = None;
            self.pause()?;
            let clicks = self.effort.clicks;
            self.refused = None;
            let flags = aim::wrong_flags(&decision, &tiles, game.size, &self.view.client.hands);
            let carried_out = if flags.is_empty() {
                self.under_way = Some(game.after(&decision, tiles));
                self.carry_out_decision(&decision, scene)
            } else {
                self.carry_out(&flags, &scene)
            };
            let after = self.under_way.take();
            // What was looked at again before anything was clicked is decided anew, and does not count twice.
            if self.effort.clicks > clicks {
                if let Some(after) = after {
                    *game = after;
                    if let Some((cell, clicks)) = game.in_vain() {
                        return Err(Abort::Deaf { cell, clicks });
                    }
                }
                idle = None;
            }
            scene = carried_out?;
            if self.effort.clicks == clicks {
                self.idle(&mut idle)?;
            }
        }
    }

    /// Whether the client asks whether to play again: that ends a game, and the answer may take away how it ended. A dialog that has just
    /// come up may not have the keyboard yet: so long is waited for that.
    fn is_asked(&mut self, longest: Duration) -> Result<bool, Abort> {
        let mut steps =
            self.view.client.hands.new_game.iter().flat_map(Step::parts).filter(|step| !matches!(step, Step::Wait(_)));
        if !matches!(steps.next(), Some(Step::Answer(_))) {
            return Ok(false);
        }
        self.is_dialog_up(longest)
    }

    /// How a game came out of which nothing can be believed any more, if it may be over.
    fn replaced_or_covered(&mut self, abort: Abort, game: &mut Course) -> Result<Outcome, Abort> {
        let Abort::Doubt(doubt) = &abort else { return Err(abort) };
        let now = match self.over_where(doubt, game)? {
            None if matches!(doubt, Doubt::Covered { .. }) && !self.shows_mines() && self.is_its_own() => {
                Some(self.as_it_shows()?.0).filter(|now| game.may_be_over_unshown(now))
            }
            found => found,
        };
        now.map_or(Err(abort), |now| Ok(game.ended(&now, self.view.client.rules.floods)))
    }

    /// Whether the client is known to show mines when a game is over.
    fn shows_mines(&self) -> bool {
        let eyes = &self.eyes[self.view.whose];
        let theme = eyes.client().themes.get(eyes.theme(&self.view.sight));
        theme.is_none_or(|theme| theme.pictures.iter().any(|picture| picture.tile.is_shown_mine()))
    }

    /// The tiles as they show at the end of a game of which this is doubted, if it may be over: a client that is known to show pages in place of
    /// its board may have turned to one, at a moment at which the game may be over; where nothing but mines was left, it is over whatever the client
    /// makes of its board; and what it paints itself over a part of its board may be how it ended. Some write that across it, and nothing
    /// takes it away but the next game.
    fn over_where(&mut self, doubt: &Doubt, game: &Course) -> Result<Option<Vec<Tile>>, Abort> {
        let may_be_over = self.view.client.hands.pages && game.may_be_over_unseen();
        if (may_be_over || game.is_cleared_for_certain()) && self.is_its_own() {
            match self.view.find_again(self.desktop, self.eyes, &mut self.effort) {
                Err(Abort::NotFound(_)) => return Ok(Some(unseen(game.size))),
                Ok(_) => {}
                Err(other) => return Err(other),
            }
        }
        if matches!(doubt, Doubt::Covered { .. }) { self.over_below(game) } else { Ok(None) }
    }

    /// How a game came out of which the window has gone, where the program is known to end with its game.
    fn gone(&mut self, abort: Abort, game: &mut Course) -> Result<Outcome, Abort> {
        if game.may_be_over_unseen() && self.is_program_gone()? { Ok(self.ended_unseen(game)) } else { Err(abort) }
    }

    /// How a game came out in which clicks have no effect any more: one that went off on a tile that shows what nobody knows.
    fn dead(&mut self, abort: Abort, game: &mut Course) -> Result<Outcome, Abort> {
        let tiles = self.as_it_is()?.tiles();
        let is_lost = self.is_its_own() && game.went_off_unknown(&tiles);
        if is_lost { Ok(Outcome::Lost) } else { Err(abort) }
    }

    /// How a game came out of the end of which nothing was seen.
    fn ended_unseen(&self, game: &mut Course) -> Outcome {
        game.ended(&unseen(game.size), self.view.client.rules.floods)
    }

    /// The tiles as they show below what covers a part of them, if that is the client's own and the game may be over.
    fn over_below(&mut self, game: &Course) -> Result<Option<Vec<Tile>>, Abort> {
        if !self.is_its_own() || self.is_laid_anew()? {
            return Ok(None);
        }
        let (now, is_shaded) = self.as_it_shows()?;
        let may_be_over = game.may_be_over(&now) || is_shaded && game.may_be_over_unpainted(&now);
        Ok(Some(now).filter(|now| now.len() == game.size.tiles() && may_be_over))
    }

    /// Whether the client's board shows, but not where it was: then nothing is painted over it.
    fn is_laid_anew(&mut self) -> Result<bool, Abort> {
        let found = match self.view.find_again(self.desktop, self.eyes, &mut self.effort) {
            Ok(found) => found.board(),
            Err(Abort::NotFound(_)) => return Ok(false),
            Err(other) => return Err(other),
        };
        let (was, slack) = (self.view.board(), (self.view.sight.grid.pitch().0 / 4.0) as u32);
        let end = |of: ScreenRect| {
            (of.corner.x.saturating_add_unsigned(of.width), of.corner.y.saturating_add_unsigned(of.height))
        };
        let is_apart =
            |one: (i32, i32), other: (i32, i32)| one.0.abs_diff(other.0).max(one.1.abs_diff(other.1)) > slack;
        Ok(is_apart((found.corner.x, found.corner.y), (was.corner.x, was.corner.y)) || is_apart(end(found), end(was)))
    }

    /// How a game came out at the end of which the client asks.
    fn asked(&mut self, game: &mut Course) -> Result<Outcome, Abort> {
        let (now, _) = self.as_it_shows()?;
        Ok(game.ended(&now, self.view.client.rules.floods))
    }

    /// The tiles as they show, if need be through a shade, whatever is to be believed of them; and whether there is one.
    fn as_it_shows(&mut self) -> Result<(Vec<Tile>, bool), Abort> {
        let (shot, sight) = self.view.look(self.desktop, &mut self.effort)?;
        let clear = self.trail.iter().rev().find_map(|before| painted::unshaded(before, &shot, &sight.grid));
        let is_shaded = clear.is_some();
        let shot = clear.unwrap_or(shot);
        let scene = self.read(Arc::new(shot), &sight, None, &[])?;
        self.remember(&scene);
        Ok((scene.tiles(), is_shaded))
    }

    /// The board as it is a moment after `scene`.
    fn seen_after(&mut self, scene: &Scene) -> Result<Scene, Abort> {
        match self.painted(Some(scene), &[], self.view.patience())? {
            Painted::Yes(now) => Ok(now),
            Painted::Doubtful(now, doubt) => self.recover(Some(scene), &now, doubt),
        }
    }

    /// A decision was not carried out, for another window is in the way or the board keeps changing: that must end some time. `since`
    /// is when the first of a row of them was.
    fn idle(&mut self, since: &mut Option<Duration>) -> Result<(), Abort> {
        let now = self.desktop.clock();
        let longest = self.options.wait.max(self.view.patience() * 5);
        if now.saturating_sub(*since.get_or_insert(now)) < longest {
            return Ok(());
        }
        Err(self.refused.map_or(Abort::Restless, |why| Abort::Desktop(DesktopError::Foreign(why))))
    }

    /// What nothing explains, or what cannot be won yet, may have another number of mines than was learned, or than the client's level has: the
    /// game goes on without it, unless it is the person's. Whether there was one.
    fn drops_total(&mut self, game: &mut Course) -> bool {
        let Some(mines) = game.mines.filter(|_| self.options.mines.is_none()) else { return false };
        log::warn!("this game does not have {mines} mines: it goes on without their number");
        self.is_total_wrong = true;
        game.mines = None;
        true
    }

    fn decide(&mut self, player: &dyn Strategy, scene: &Scene, game: &Course) -> Result<Decision, Abort> {
        let board = &scene.reading.board(game.mines)?;
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
}

/// A board of which nothing shows.
fn unseen(size: BoardSize) -> Vec<Tile> {
    vec![Tile::Unrecognised; size.tiles()]
}

/// How a game stands that has nothing left to open. Without the number of mines, that is all there is to tell a win by.
/// With tiles that are not recognised it is won if every mine is known, and these tiles look most like numbers; or if they are open, for they were
/// safe or were seen open, and whatever else is not open is a mine.
fn nothing_to_open(scene: &Scene, decision: &Decision, game: &Course, floods: bool) -> Result<Outcome, Abort> {
    let unknown = || scene.reading.tiles.iter().filter(|reading| reading.tile == Tile::Unrecognised);
    let all_found = game.mines.is_some_and(|mines| decision.mines.len() == mines as usize);
    let opened = game.as_opened(&scene.tiles(), floods);
    let is_left = |cell: &Cell| opened[game.size.index(*cell)].number().is_none();
    let is_mine = |cell: Cell| decision.mines.contains(&cell) || game.knows_mine(cell);
    if unknown().next().is_none()
        || game.size.cells().filter(is_left).all(is_mine)
        || all_found && unknown().all(|reading| reading.best.number().is_some())
    {
        return Ok(Outcome::Won);
    }
    Err(Abort::Stuck { unrecognised: unknown().count() })
}
