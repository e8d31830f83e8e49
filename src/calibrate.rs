//! A client never seen before → its templates and its calibration. Nothing is known of it: no picture, no label, no place.
//!
//! 1. Something on the screen repeats like a board ([`boards_of_any_look`]); it is one if a click on a tile changes that tile.
//! 2. Games are played ([`explore`]), and tiles that look alike get one name ([`crate::vision::looks`]).
//! 3. What the looks mean follows from the rules of the game, by counting ([`meaning`]). Until then the tile is opened that is
//!    safest under all labellings that are still possible.
//! 4. How a new game begins is tried out ([`restart`]).
//! 5. All of it becomes a client like every other ([`write`]), and is kept as it was seen, so that more can be learned later
//!    ([`notes`]).
//!
//! Then games are played with it ([`prove`]).
//!
//! Where there is no client to be played, saved screenshots show a part of it ([`pictures`]). Looks of a known client that no
//! picture shows yet are learned while it is played ([`on_the_job`]).

mod around;
mod controls;
pub mod evidence;
mod explore;
mod lattice;
pub mod meaning;
pub mod notes;
pub mod on_the_job;
mod pages;
pub mod pictures;
pub mod prove;
mod restart;
mod rims;
pub mod write;

use crate::board::Tile;
use crate::client::Step;
use crate::desktop::{Desktop, DesktopError, Window};
use crate::draw;
use crate::geometry::{Cell, Pixel, Rect, ScreenPoint};
use crate::screenshot::Screenshot;
use crate::vision::{Grid, boards_of_any_look};
use evidence::Evidence;
use explore::{Explorer, Played};
use image::RgbaImage;
use meaning::{Contradiction, Meanings};
use notes::Notes;
use pages::Walk;
use std::time::Duration;
use write::{Found, first_click};

/// What the person says.
#[derive(Clone, Debug)]
pub struct Wishes {
    /// How the client is to be called.
    pub name: String,
    /// A point of the board, or of the window of the client where a page comes before it.
    pub at: Option<ScreenPoint>,
    /// What begins a new game.
    pub new_game: Option<Given>,
    /// Games at most.
    pub games: usize,
    /// Time at most.
    pub time: Duration,
}

/// What the person says of a new game.
#[derive(Clone, Debug)]
pub enum Given {
    /// These keys.
    Keys(String),
    /// A click there.
    At(ScreenPoint),
}

/// Why nothing was learned. Nothing is written then.
#[derive(Debug, thiserror::Error)]
pub enum GaveUp {
    /// Screen, mouse or keyboard.
    #[error(transparent)]
    Desktop(#[from] DesktopError),
    /// There is nothing like a board.
    #[error(
        "nothing on the screen repeats like the tiles of an untouched board; start a new game in the client, show all of its board, \
         and point at it with --at X,Y if this does not help; where a page comes before it, --at X,Y in its window has what may be its \
         buttons clicked"
    )]
    NoBoard,
    /// What repeats does not answer.
    #[error(
        "{0} things on the screen repeat like a board, and none answers a click on a tile; is it another puzzle, or covered?"
    )]
    Deaf(usize),
    /// It is something else.
    #[error("this is no Minesweeper for all that {games} games showed: {why}")]
    Contradiction {
        /// How many were played.
        games: usize,
        /// What does not fit.
        why: String,
    },
    /// No second game.
    #[error(
        "no new game begins: F2, clicks on what stands around the board, on the board itself, and other keys were tried; say what does with \
         --new-game KEY or --new-game X,Y, or begin one yourself and say the same again"
    )]
    NoNewGame {
        /// Whether numbers are known: it is Minesweeper, and worth going on.
        is_understood: bool,
    },
    /// Its window has gone.
    #[error(
        "the window of the client has gone after {games} games, as where a program ends with its game: start it again, and say the same again \
         to go on with what was seen"
    )]
    Closed {
        /// How many were played.
        games: usize,
    },
    /// Too little is known to play.
    #[error("after {games} games it is not known what these are: {missing}; go on with more --games")]
    TooLittle {
        /// How many were played.
        games: usize,
        /// What is missing.
        missing: String,
    },
}

/// How long a board is waited for, and the pause between two looks for it.
const APPEARS: Duration = Duration::from_secs(10);
const REST: Duration = Duration::from_millis(900);
/// Looks until the screen is taken as it is.
const STEADY: usize = 8;
/// After so long, and a few games, nothing may contradict itself. Games that say little take longer: a first click that may be a mine ends many.
const HOPELESS: Duration = Duration::from_secs(45);
/// After so long a look that is still open does not keep it from playing: whoever plays learns it then.
const LONG: Duration = Duration::from_secs(150);
/// How often in a row a game may be begun again because no click had an effect.
const DEAF: usize = 5;
/// Games that are lost on purpose: a loss that shows nothing looks like no loss.
const LOSING: usize = 3;
/// Games in which it is tried whether a right click marks a tile, until it did.
const MARKED: usize = 2;
/// Games that may contradict all others.
const UNFIT: usize = 4;
/// Boards that are tried.
const TRIED: usize = 5;
/// Games after which nothing new must have been learned for two, to stop.
const FEWEST: usize = 4;

/// What whoever watches is told.
#[derive(Debug)]
pub enum News<'a> {
    /// What is being done or was found, in words.
    Says(&'a str),
    /// What is believed of the tiles of a board, or what was taken for a board.
    Shows(&'a RgbaImage),
}

/// Whoever watches.
pub type Tell<'a> = dyn FnMut(News) + 'a;

/// Learns the client whose untouched board is on the screen, from what is known of it. What was learned is in the notes, also where it
/// is not enough.
///
/// # Errors
/// There is none, or it cannot be understood.
pub fn learn<D: Desktop>(
    desktop: &mut D,
    wishes: &Wishes,
    notes: &mut Notes,
    tell: &mut Tell,
) -> Result<Found, GaveUp> {
    let began = desktop.clock();
    tell(News::Says("looking for something that repeats like a board"));
    let (before, mut walk) = (notes.clone(), None::<Walk>);
    let (screen, grids) = loop {
        let (screen, grids) = match &walk {
            None => found_within(desktop, wishes.at, APPEARS)?,
            Some(walk) => {
                let (screen, mut grids) = found_within(desktop, None, REST)?;
                grids.retain(|grid| walk.holds(desktop, screen.to_screen(grid.bounds().center())));
                (screen, grids)
            }
        };
        for grid in grids.iter().take(TRIED) {
            tell(News::Says(&format!("perhaps a board of {}: clicking a tile", grid.size())));
            log::debug!("its columns are at {:?}, its rows at {:?}", grid.columns, grid.lines);
            notes.turn_to(grid.pitch());
            let seen = notes.evidence.clone();
            let mut explorer = Explorer::new(desktop, notes, &screen, grid)?;
            explorer.come_and_go(Cell::new(0, 0))?;
            explorer.take_as_untouched()?;
            explorer.explain().ok();
            match explorer.play(tell)? {
                Played::Deaf => *notes = before.clone(),
                Played::Over => return taught(explorer, seen, wishes, began, tell),
                Played::Strange => {
                    tell(News::Shows(&explorer.shot.pixels));
                    return Err(strange(0));
                }
            }
        }
        // A page may be before it: whose, nothing but the person can say. What repeats and does not answer is no page.
        if walk.is_none()
            && grids.is_empty()
            && let Some(window) =
                wishes.at.and_then(|at| desktop.window_at(at)).filter(|window| *window != Window::NONE)
        {
            tell(News::Says("no board shows: clicking what may be buttons"));
            walk = Some(Walk::new(desktop, window));
        }
        let goes_on = match &mut walk {
            Some(walk) => walk.step(desktop)?,
            None => false,
        };
        if !goes_on {
            break (screen, grids);
        }
    };
    if grids.is_empty() {
        tell(News::Shows(&screen.pixels));
        return Err(GaveUp::NoBoard);
    }
    let mut picture = screen.pixels.clone();
    for grid in grids.iter().take(TRIED) {
        draw::frame(&mut picture, grid.bounds(), FRAME, 3);
        let Rect { left, top, .. } = grid.bounds();
        draw::label(&mut picture, (left, top), &grid.size().to_string(), 18.0, [255; 3], FRAME);
    }
    tell(News::Shows(&picture));
    Err(GaveUp::Deaf(grids.len().min(TRIED)))
}

/// Frames around what was taken for a board.
const FRAME: draw::Colour = [200, 40, 40];

/// The screen, and what may be a board on it, which may take so long to show.
fn found_within<D: Desktop>(
    desktop: &mut D,
    at: Option<ScreenPoint>,
    longest: Duration,
) -> Result<(Screenshot, Vec<Grid>), DesktopError> {
    let began = desktop.clock();
    loop {
        let screen = steady(desktop)?;
        let grids = candidates(&screen, at);
        if !grids.is_empty() || desktop.clock().saturating_sub(began) >= longest {
            return Ok((screen, grids));
        }
        desktop.wait(REST)?;
    }
}

/// The screen once it stays as it is: a window that has just come up is still painted. It is taken as it is where something else on the
/// screen moves all the time.
fn steady<D: Desktop>(desktop: &mut D) -> Result<Screenshot, DesktopError> {
    let mut screen = desktop.look(None)?;
    for _ in 0..STEADY {
        desktop.wait(REST / 3)?;
        let now = desktop.look(None)?;
        if now.pixels == screen.pixels {
            break;
        }
        screen = now;
    }
    Ok(screen)
}

/// What may be a board, the likeliest first.
fn candidates(screen: &Screenshot, at: Option<ScreenPoint>) -> Vec<Grid> {
    let mut grids = boards_of_any_look(&screen.pixels);
    if let Some(at) = at {
        let Pixel { x, y } = screen.to_pixel(at);
        let holds = |edges: &[f64], at: f64| edges[0] <= at && at <= edges[edges.len() - 1];
        grids.retain(|grid| holds(&grid.columns, x) && holds(&grid.lines, y));
    }
    grids
}

/// Plays on after a first game until nothing new is learned.
fn taught<D: Desktop>(
    mut explorer: Explorer<D>,
    mut before: Evidence,
    wishes: &Wishes,
    began: Duration,
    tell: &mut Tell,
) -> Result<Found, GaveUp> {
    let given = wishes.new_game.as_ref().map(|given| match given {
        Given::Keys(keys) => Step::Keys(keys.clone()),
        Given::At(at) => Step::Click(around::spot(&explorer.grid, explorer.shot.to_pixel(*at))),
    });
    let (mut known, mut deaf, mut unfit, mut losing, mut asked, mut rounds) = ((0, 0), 0, 0, 0, 0, 0);
    // Whether boards that came up after the first one answered.
    let mut is_awake = false;
    loop {
        let understood = explorer.understand(before);
        unfit += usize::from(understood.is_err());
        let games = explorer.notes.evidence.games.len();
        rounds += 1;
        told(&explorer, &understood, tell);
        // Fewer games than there were are those of a board of another size.
        if explorer.meanings.of.len() > known.0 || games < known.1 {
            known = (explorer.meanings.of.len(), games);
        }
        let spent = explorer.desktop.clock().saturating_sub(began);
        // What was seen and is not understood yet may be the end of a game, or a rare number.
        let is_clear = explorer.notes.evidence.looks.count() <= explorer.meanings.of.len()
            && explorer.meanings.mines.contains_key(&explorer.size())
            && first_click(explorer.notes, &explorer.meanings).is_some();
        let is_clear = is_clear || rounds > 2 * FEWEST || spent >= LONG;
        let is_enough = games >= FEWEST && games >= known.1 + 2 && missing(&explorer).is_empty() && is_clear;
        if spent >= wishes.time
            || rounds >= wishes.games
            || (is_enough && (explorer.notes.knows_marks() || asked >= MARKED))
        {
            if let Err(contradiction) = understood
                && explorer.meanings.of.is_empty()
            {
                return Err(GaveUp::Contradiction { games, why: contradiction.to_string() });
            }
            break;
        }
        let is_number = |meaning: &meaning::Meaning| matches!(meaning.tile, Tile::Open(1..));
        let is_long = spent >= HOPELESS && games >= 2 && understood.is_err();
        let is_known = games >= FEWEST && missing(&explorer).is_empty();
        if unfit >= UNFIT && is_known {
            // What four games contradict may be how they were seen: what all others say together is proved by playing.
            break;
        }
        if !explorer.meanings.of.values().any(is_number) && (is_long || games >= 2 * FEWEST) || unfit >= UNFIT {
            let why = understood.err().map_or("no look is that of a number".into(), |error| error.to_string());
            return Err(GaveUp::Contradiction { games, why });
        }
        if explorer.has_closed()? {
            if understood.is_ok() && is_playable(&explorer) {
                tell(News::Says("its window has gone: whoever plays must start it again for each game"));
                return Ok(Found::of(&wishes.name, explorer.size(), explorer.notes, &explorer.meanings));
            }
            return Err(GaveUp::Closed { games });
        }
        let has_begun = match restart::restart(&mut explorer, given.as_ref(), tell) {
            // What was tried closed its window, and there is no other.
            Err(DesktopError::Black) => false,
            other => other?,
        };
        if !has_begun {
            if understood.is_ok() && is_playable(&explorer) {
                // Enough to play, if not more than a game.
                tell(News::Says("no new game begins by itself: whoever plays must begin each"));
                return Ok(Found::of(&wishes.name, explorer.size(), explorer.notes, &explorer.meanings));
            }
            if explorer.has_closed()? {
                return Err(GaveUp::Closed { games });
            }
            return Err(GaveUp::NoNewGame { is_understood: explorer.meanings.of.values().any(is_number) });
        }
        if !explorer.notes.knows_marks() && games >= 2 && asked < MARKED {
            let marks = explorer.try_marks(tell)?;
            asked += 1;
            // The click that began this game may have ended it, too.
            let found = Some(marks).filter(|marks| !marks.is_empty() || asked >= MARKED);
            let is_news = found.as_ref().is_some_and(|marks| !marks.is_empty()) || explorer.notes.marks.is_none();
            explorer.notes.marks = if is_news { found } else { explorer.notes.marks.take() };
        }
        // Who always wins does not learn how a loss looks.
        let has_lost = explorer.meanings.won.contains(&Some(false));
        explorer.is_to_lose = games >= 2 && !has_lost && losing < LOSING && missing(&explorer).is_empty();
        losing += usize::from(explorer.is_to_lose);
        if explorer.is_to_lose {
            tell(News::Says("losing a game, to see how that looks"));
        }
        before = explorer.notes.evidence.clone();
        let mut played = explorer.play(tell)?;
        if played == Played::Deaf && given.is_none() && !is_awake && restart::wake(&mut explorer, tell)? {
            played = explorer.play(tell)?;
        }
        is_awake |= played == Played::Over;
        match played {
            Played::Over => (deaf, explorer.is_deaf) = (0, false),
            // A page may still be loaded, or a menu be open: it is begun anew, and in another way if that does not help.
            Played::Deaf if deaf < DEAF => {
                explorer.is_deaf = deaf > 0;
                if explorer.is_deaf {
                    explorer.deaf.append(&mut explorer.notes.new_game);
                }
                deaf += 1;
            }
            Played::Deaf => return Err(GaveUp::Deaf(1)),
            Played::Strange => return Err(strange(games)),
        }
    }
    let missing = missing(&explorer);
    if !missing.is_empty() && !is_playable(&explorer) {
        return Err(GaveUp::TooLittle { games: explorer.notes.evidence.games.len(), missing });
    }
    // What comes next begins with a board that shows, and not with how the last game ended.
    restart::restart(&mut explorer, given.as_ref(), tell)?;
    Ok(Found::of(&wishes.name, explorer.size(), explorer.notes, &explorer.meanings))
}

fn strange(games: usize) -> GaveUp {
    let why = "clicks hide again what was open, or there is no end to them".to_owned();
    GaveUp::Contradiction { games, why }
}

/// Tells what is believed after a game.
fn told<D: Desktop>(explorer: &Explorer<D>, understood: &Result<(), Contradiction>, tell: &mut Tell) {
    let games = explorer.notes.evidence.games.len();
    match understood {
        Ok(()) => tell(News::Says(&format!("after game {games}: {}", summary(explorer)))),
        Err(contradiction) => tell(News::Says(&format!("after game {games}: {contradiction}"))),
    }
    if let Some(picture) = explorer.notes.believed(&explorer.meanings) {
        tell(News::Shows(&picture));
    }
}

/// What must be known to play and is not: by the characters of board text. A number that games enough did not tell is rare on these boards:
/// whoever plays goes around it, and learns it then.
fn missing<D: Desktop>(explorer: &Explorer<D>) -> String {
    missing_of(&explorer.notes.evidence, &explorer.meanings)
}

fn missing_of(evidence: &Evidence, meanings: &Meanings) -> String {
    let known = |tile: Tile| meanings.of.values().any(|meaning| meaning.tile == tile);
    let is_rare = evidence.games.len() >= 2 * FEWEST;
    let mut needed = vec![Tile::Hidden, Tile::Open(0), Tile::Open(1)];
    needed.extend([Tile::Open(2), Tile::Open(3)].into_iter().filter(|_| !is_rare));
    needed.into_iter().filter(|tile| !known(*tile)).map(Tile::to_char).collect()
}

/// Whether boards with tiles of some size can be played.
fn is_playable<D: Desktop>(explorer: &Explorer<D>) -> bool {
    let mut sizes = explorer.notes.by_size(&explorer.meanings);
    sizes.any(|(evidence, meanings)| missing_of(evidence, &meanings).is_empty())
}

/// What is believed, in a line.
fn summary<D: Desktop>(explorer: &Explorer<D>) -> String {
    let mut known: Vec<char> = explorer.meanings.of.values().map(|meaning| meaning.tile.to_char()).collect();
    known.sort_unstable();
    known.dedup();
    let looks = explorer.notes.evidence.looks.count();
    let open = looks - explorer.meanings.of.len().min(looks);
    let known: String = known.into_iter().collect();
    let mines = explorer.meanings.mines.get(&explorer.size());
    let mines = mines.map_or("mines not known".to_owned(), |mines| format!("{mines} mines"));
    let won = explorer.meanings.won.iter().filter(|won| **won == Some(true)).count();
    let lost = explorer.meanings.won.iter().filter(|won| **won == Some(false)).count();
    format!("known {known}, {open} looks open, {mines}, {won} won, {lost} lost")
}
