//! A client never seen before → its templates and its calibration. Nothing is known of it: no picture, no label, no place.
//!
//! 1. Something on the screen repeats like a board ([`crate::vision::boards_of_any_look`]); it is one if a click on a tile changes that tile.
//! 2. Games are played ([`explore`]), and tiles that look alike get one name ([`crate::vision::unknown::looks`]).
//! 3. What the looks mean follows from the rules of the game, by counting ([`meaning`]). Until then the tile is opened that is
//!    safest under all labellings that are still possible.
//! 4. How a new game begins is tried out ([`restart`]).
//! 5. All of it becomes a client like every other ([`write`]), and is kept as it was seen, so that more can be learned later
//!    ([`notes`]).
//!
//! Then games are played with it ([`prove`]).
//!
//! A client without a mouse is found by its cursor, and then learned like the others ([`keyed`]).
//!
//! Where there is no client to be played, saved screenshots show a part of it ([`pictures`]). Looks of a known client that no
//! picture shows yet are learned while it is played ([`on_the_job`]).

mod approach;
mod around;
mod called;
mod controls;
pub mod evidence;
mod explore;
mod fields;
mod keyed;
mod lattice;
mod lessons;
pub mod meaning;
pub mod notes;
pub mod on_the_job;
mod pages;
mod panel;
pub mod pictures;
pub mod prove;
mod restart;
mod rings;
pub mod write;

use crate::desktop::{Desktop, DesktopError};
use crate::draw;
use crate::geometry::{BoardSize, Cell, Rect, ScreenPoint};
use crate::screenshot::Screenshot;
use crate::vision::Grid;
use approach::{Approach, pointed};
use explore::{Explorer, Played};
use image::RgbaImage;
use keyed::Keyed;
use lessons::{Lessons, begins_another};
use notes::Notes;
use std::collections::BTreeSet;
use std::time::Duration;
use write::Found;

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
         and point at it with --at X,Y if this does not help; where a page comes before it, or it is played by keys, --at X,Y in its window has \
         what may be its buttons clicked, and then keys typed that may move a cursor"
    )]
    NoBoard,
    /// Its window shows a part of the board only.
    #[error(
        "a board of {size} goes on beyond what its window shows of it ({sides}): make the window larger, or scroll or zoom in the client until all of \
         its board shows, and say the same again"
    )]
    CutOff {
        /// What shows, in tiles.
        size: BoardSize,
        /// Where it goes on.
        sides: String,
    },
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
        "no new game begins: F2, clicks on what stands around the board, on the board itself, other keys, and to start its program again were \
         tried; say what does with --new-game KEY or --new-game X,Y, or begin one yourself and say the same again"
    )]
    NoNewGame {
        /// Whether numbers are known: it is Minesweeper, and worth going on.
        is_understood: bool,
    },
    /// Its window has gone.
    #[error(
        "the window of the client has gone after {games} games, as where a program ends with its game, and it is not started again: start it \
         yourself, and say the same again to go on with what was seen"
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

impl GaveUp {
    fn strange(games: usize) -> Self {
        let why = "clicks hide again what was open, or there is no end to them".to_owned();
        Self::Contradiction { games, why }
    }
}

/// The pause between two looks at the screen, and looks until it is taken as it is.
const REST: Duration = Duration::from_millis(900);
const STEADY: usize = 8;

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
    let before = notes.clone();
    let mut approach = Approach::new(wishes.at);
    // How long what answers no click was tried.
    let mut tried = Duration::ZERO;
    let screen = loop {
        let (screen, grids) = approach.boards(desktop)?;
        if approach.brings_in(desktop, &screen, &grids)? {
            continue;
        }
        for grid in &grids {
            let since = desktop.clock();
            let left = if wishes.at.is_none() { DEAF.saturating_sub(tried) } else { Duration::MAX };
            if left.is_zero() {
                approach.leave(grid, false);
                continue;
            }
            tell(News::Says(&format!("perhaps a board of {}: clicking a tile", grid.size())));
            log::debug!("its columns are at {:?}, its rows at {:?}", grid.columns, grid.lines);
            notes.turn_to(grid.pitch());
            let seen = notes.evidence.clone();
            let mut explorer = Explorer::new(desktop, notes, &screen, grid)?;
            explorer.led_here = approach.turns();
            explorer.notes.scroll = approach.scroll();
            let mut played = first_game(&mut explorer, since.saturating_add(left), tell)?;
            // The first tile may have been a mine, and a page have come in place of the board. Where the person points at it the way there is known.
            for _ in 0..FIRST_MINES {
                let is_to_go_on = played == Played::Deaf && wishes.at.is_none() && explorer.is_replaced();
                if !is_to_go_on || !begins_another(&mut explorer, wishes, tell)? {
                    break;
                }
                played = explorer.play(tell)?;
            }
            match played {
                Played::Deaf => {
                    let is_replaced = explorer.is_replaced();
                    tried += explorer.desktop.clock().saturating_sub(since);
                    *notes = before.clone();
                    approach.leave(grid, is_replaced);
                    if is_replaced {
                        break;
                    }
                }
                Played::Over => return Lessons::new(explorer, seen, wishes, began).learn(tell),
                Played::Strange => {
                    tell(News::Shows(&explorer.shot.pixels));
                    return Err(GaveUp::strange(0));
                }
            }
        }
        let is_late = wishes.at.is_none() && tried >= DEAF;
        if is_late || !approach.goes_on(desktop, (&screen, grids.len()), tell)? {
            break screen;
        }
    };
    if approach.cut_board().is_none()
        && let Some(board) = board_of_keys(desktop, wishes.at, tell)?
    {
        return learn_by_keys(desktop, &board, wishes, notes, (began, tell));
    }
    let framed = |grids: &mut dyn Iterator<Item = &Grid>| {
        let mut picture = screen.pixels.clone();
        for grid in grids {
            draw::frame(&mut picture, grid.bounds(), FRAME, 3);
            let Rect { left, top, .. } = grid.bounds();
            draw::label(&mut picture, (left, top), &grid.size().to_string(), 18.0, [255; 3], FRAME);
        }
        picture
    };
    if let Some((grid, sides)) = approach.cut_board() {
        tell(News::Shows(&framed(&mut [grid].into_iter())));
        return Err(GaveUp::CutOff { size: grid.size(), sides: sides.join(", ") });
    }
    if approach.deaf.is_empty() {
        tell(News::Shows(&screen.pixels));
        return Err(GaveUp::NoBoard);
    }
    tell(News::Shows(&framed(&mut approach.deaf.iter())));
    Err(GaveUp::Deaf(approach.deaf.len()))
}

/// A board that is played by keys, in the window that the person points at: nothing is typed into any other.
fn board_of_keys<D: Desktop>(
    desktop: &mut D,
    at: Option<ScreenPoint>,
    tell: &mut Tell,
) -> Result<Option<keyed::Board>, DesktopError> {
    let Some(window) = pointed(desktop, at) else { return Ok(None) };
    tell(News::Says("no board answers a click: typing keys that may move a cursor"));
    keyed::find(desktop, window)
}

/// Learns a client that is played by keys.
fn learn_by_keys<D: Desktop>(
    desktop: &mut D,
    board: &keyed::Board,
    wishes: &Wishes,
    notes: &mut Notes,
    (began, tell): (Duration, &mut Tell),
) -> Result<Found, GaveUp> {
    let mut desktop = Keyed::new(desktop, board);
    let screen = steady(&mut desktop)?;
    let grid = board.grid(&screen);
    tell(News::Says(&format!("a cursor goes over a board of {}: opening tiles by keys", grid.size())));
    notes.turn_to(grid.pitch());
    let seen = notes.evidence.clone();
    let mut explorer = Explorer::new(&mut desktop, notes, &screen, &grid)?;
    explorer.is_sure = true;
    match first_game(&mut explorer, Duration::MAX, tell)? {
        Played::Over => {}
        Played::Deaf => return Err(GaveUp::Deaf(1)),
        Played::Strange => return Err(GaveUp::strange(0)),
    }
    let mut found = Lessons::new(explorer, seen, wishes, began).learn(tell)?;
    found.by_keys = Some(desktop.by_keys());
    Ok(found)
}

/// Plays a game on what may be an untouched board, of which nothing is known. `until`: after that no other look is held to be that of hidden tiles.
fn first_game<D: Desktop>(
    explorer: &mut Explorer<D>,
    until: Duration,
    tell: &mut Tell,
) -> Result<Played, DesktopError> {
    explorer.come_and_go(Cell::new(0, 0))?;
    explorer.take_as_untouched()?;
    explorer.explain().ok();
    let touch = explorer.notes.touch;
    let mut played = explorer.play(tell)?;
    let mut tried = BTreeSet::new();
    while played == Played::Deaf
        && !explorer.is_replaced()
        && explorer.desktop.clock() < until
        && explorer.notes.evidence.take_next_as_hidden(&mut tried)
    {
        explorer.notes.touch = touch;
        played = explorer.play(tell)?;
    }
    if !tried.is_empty() {
        // How hidden tiles are drawn tells how finely others are told apart.
        explorer.notes.evidence.sort_again(1.0);
    }
    Ok(played)
}

/// How long things that repeat like a board and answer no click are tried, all together, where the person does not point at one: it is said within a
/// minute that there is none (stones on a page, in which five such were found, took 150 seconds).
const DEAF: Duration = Duration::from_secs(40);
/// How many games in a row may end with their first click before anything is learned.
const FIRST_MINES: usize = 4;
/// Frames around what was taken for a board.
const FRAME: draw::Colour = [200, 40, 40];

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
