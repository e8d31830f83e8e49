//! A game as it was played, on disk: what was looked at, what was read of it, what was decided and why, what was done, and
//! when. `session.jsonl` has one line an event, `frames/<game>/` the pictures; of a picture only what changed is kept.
//!
//! [`Recording`] is a desktop that keeps what passes through it, [`Replaying`] one that shows it again. [`Tape`] collects
//! one game in memory, so that a game that is not worth keeping costs no disk; [`load`] reads all games of a folder.

mod again;
mod discreet;
mod pictures;
mod recording;
mod replaying;
mod tape;

use crate::board::{Board, Tile};
use crate::desktop::{Action, ScreenRect};
use crate::game::Rule;
use crate::geometry::{BoardSize, Cell, ScreenPoint};
use crate::solver::GuessKind;
use crate::vision::Grid;
pub use pictures::{Change, Pictures, difference, print};
pub use recording::Recording;
pub use replaying::{Difference, Replaying};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
pub use tape::Tape;

/// The name of the file in a run folder.
pub const SESSION: &str = "session.jsonl";

/// One line of `session.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Since the game began, in milliseconds.
    pub ms: f64,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

/// Something that happened in a game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// A game begins.
    Game(Box<Start>),
    /// The bot looked at the screen.
    Look(Look),
    /// It read this.
    Reading(Seen),
    /// It decided this.
    Decision(Chosen),
    /// It did this.
    Act(Action),
    /// It let this many microseconds pass.
    Wait(u64),
    /// Whether something was painted while it waited, where the system told.
    Painted(bool),
    /// It asked for the time and was told this many microseconds.
    Clock(u64),
    /// The board was no longer what it had decided on, at the last look before it clicked.
    Changed,
    /// A dialog of the client had the keyboard.
    Dialog,
    /// A board was in another window than that of the game.
    Elsewhere,
    /// The client's window had moved by so much.
    Displaced([i32; 2]),
    /// The screen or the mouse failed.
    Failed(Failure),
    /// The game is over.
    End(End),
}

/// All that a game depends on beside what happens on the screen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Start {
    /// Its number in the run.
    pub game: u64,
    /// The version of this program.
    pub version: String,
    /// The client.
    pub client: String,
    /// Its theme.
    pub theme: String,
    /// The level, where the client has a name for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Mines.
    pub mines: u32,
    /// The player.
    pub strategy: String,
    /// What the client promises about the first click.
    pub rule: Rule,
    /// Where the player's chance comes from.
    pub seed: u64,
    /// How long the player may take for a guess, in milliseconds.
    pub think_ms: u64,
    /// Where the minefield was, if that was known before the first look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grid: Option<Grid>,
    /// The other options of the bot, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, serde_json::Value>,
}

/// One look at the screen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Look {
    /// The part that was asked for; all of the screen without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<ScreenRect>,
    /// Where the mouse would point at the picture's corner.
    pub origin: ScreenPoint,
    /// Pixels per unit of the mouse.
    pub scale: f64,
    /// Width and height of the picture in pixels.
    pub size: [u32; 2],
    /// The file in the game's folder that holds what changed since the last picture of this origin and size; pixels
    /// that did not change are transparent there. Without it nothing changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame: Option<String>,
    /// Where in the picture that file's corner belongs.
    #[serde(default)]
    pub at: [u32; 2],
    /// A fingerprint of the whole picture, so that a change of the files does not go unnoticed.
    pub print: String,
}

/// What was read of a picture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Seen {
    /// The tiles, in board text.
    pub rows: Vec<String>,
    /// The lowest score of a recognised tile.
    pub lowest_score: f32,
    /// What the client's counter shows, where it could be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mines_left: Option<i32>,
    /// Where the tiles are, if that is not where they were in the reading before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grid: Option<Grid>,
}

/// What was decided.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Chosen {
    /// The board it was decided on, in board text, if it is not what was read last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<Vec<String>>,
    /// The mines of the board, if they are known.
    pub total: Option<u32>,
    /// Tiles to open.
    pub open: Vec<Cell>,
    /// Tiles that certainly hold a mine.
    pub mines: Vec<Cell>,
    /// The predicted risk; 0 for what is certain.
    pub risk: f64,
    /// What sort of guess; none for what is certain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guess: Option<GuessKind>,
}

/// A look, an action or a wait that failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// `look`, `is_unchanged`, `act` or `wait`.
    pub doing: String,
    /// What sort of failure.
    pub kind: FailureKind,
    /// What was said about it.
    pub message: String,
}

/// The sorts of failures a replay must tell apart, because the bot does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// The person took the mouse.
    Taken,
    /// The person asked to stop.
    Stopped,
    /// Another window was in the way.
    Foreign,
    /// The screen was black.
    Black,
    /// Anything else.
    Other,
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct End {
    /// `won`, `lost` or `aborted`.
    pub outcome: String,
    /// What went wrong, if it was aborted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}

/// One game of a session as it was read from disk.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// How it began.
    pub start: Start,
    /// Its events, each with its line in `session.jsonl`, from 1.
    pub lines: Vec<(usize, Line)>,
    /// The file they are from.
    pub file: PathBuf,
    /// The folder of its pictures.
    pub frames: PathBuf,
}

/// A decision with what it was made on.
#[derive(Debug)]
pub struct Moment<'a> {
    /// Its line in the session.
    pub line: usize,
    /// What was seen.
    pub picture: &'a image::RgbaImage,
    /// Where the tiles are in it.
    pub grid: Grid,
    /// What was known.
    pub board: Board,
    /// What was decided.
    pub chosen: &'a Chosen,
}

/// All games of a session.
#[derive(Clone, Debug)]
pub struct Session {
    /// The games, in the order of the file.
    pub games: Vec<Recorded>,
    /// What was not as it should be, each with file and line. All the rest can be used.
    pub warnings: Vec<String>,
}

/// Why a session cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// There is none.
    #[error("{} does not exist: this folder has no recorded session (`play --record DIR --frames all` keeps them all)", .0.display())]
    None(PathBuf),
    /// A picture is gone.
    #[error("{}:{line}: the picture {} is missing", .file.display(), .frame.display())]
    MissingFrame {
        /// The session's file.
        file: PathBuf,
        /// The line that names the picture.
        line: usize,
        /// The picture.
        frame: PathBuf,
    },
    /// A picture is not what it should be.
    #[error("{}:{line}: the picture {} cannot be used: {problem}", .file.display(), .frame.display())]
    BadFrame {
        /// The session's file.
        file: PathBuf,
        /// The line that names the picture.
        line: usize,
        /// The picture.
        frame: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// A file cannot be read or written.
    #[error("{} cannot be read or written: {why}", .file.display())]
    Disk {
        /// The file.
        file: PathBuf,
        /// Why.
        why: std::io::Error,
    },
}

impl Chosen {
    /// The board it was decided on, after a reading of `last_rows`; none if that is no board.
    pub fn board(&self, last_rows: &[String]) -> Option<Board> {
        let rows = self.rows.as_deref().unwrap_or(last_rows);
        let tiles: Option<Vec<Tile>> = rows.iter().flat_map(|row| row.chars()).map(Tile::from_char).collect();
        let width = rows.first()?.chars().count() as u32;
        Board::new(BoardSize::new(width, rows.len() as u32), self.total, tiles?).ok()
    }
}

/// The folder of the pictures of one game, inside of the run folder.
pub fn frames_folder(game: u64) -> PathBuf {
    Path::new("frames").join(format!("{game:06}"))
}

/// Reads the session in a run folder.
///
/// # Errors
/// There is none, or it cannot be read. A game with a line that cannot be understood is left out with a warning, and
/// so is a last line that was cut short. Of a game that is there twice the later one is meant.
pub fn load(folder: &Path) -> Result<Session, SessionError> {
    let file = folder.join(SESSION);
    let text = match std::fs::read(&file) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Err(SessionError::None(file)),
        other => other.map_err(|why| SessionError::Disk { file: file.clone(), why })?,
    };
    let mut session = Session { games: Vec::new(), warnings: Vec::new() };
    let mut broken = None;
    for (index, line) in text.split(|&byte| byte == b'\n').enumerate().filter(|(_, line)| !line.is_empty()) {
        let number = index + 1;
        let read = serde_json::from_slice::<Line>(line).map_err(|error| error.to_string());
        match read.and_then(|line| line.event.check().map(|()| line)) {
            Ok(Line { event: Event::Game(start), .. }) => {
                broken = None;
                session.games.retain(|game| game.start.game != start.game);
                let frames = folder.join(frames_folder(start.game));
                session.games.push(Recorded { start: *start, lines: Vec::new(), file: file.clone(), frames });
            }
            Ok(_) if broken.is_some() => {}
            Ok(line) => match session.games.last_mut() {
                Some(game) => game.lines.push((number, line)),
                None => session.warnings.push(format!("{}:{number}: belongs to no game; left out", file.display())),
            },
            Err(error) if broken.is_none() => {
                broken = Some(number);
                // After the end of a game it is another one that cannot be read.
                let game = session.games.pop_if(|game| game.end().is_none());
                let version = game.as_ref().map_or_else(|| version_in(line), |game| Some(game.start.version.clone()));
                let what = game.map_or("this line".to_owned(), |game| format!("game {}", game.start.game));
                let why = version.filter(|version| version != VERSION).map_or(String::new(), |version| {
                    format!(" (recorded by minesight {version}, this is minesight {VERSION})")
                });
                session.warnings.push(format!("{}:{number}: {error}; {what} left out{why}", file.display()));
            }
            Err(_) => {}
        }
    }
    Ok(session)
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The version that recorded a game, in a first line that is otherwise not understood.
fn version_in(line: &[u8]) -> Option<String> {
    let line: serde_json::Value = serde_json::from_slice(line).ok()?;
    line["game"]["version"].as_str().map(str::to_owned)
}

impl Event {
    /// Whether it can be true, as far as it tells by itself: what is read from a file may be anything.
    fn check(&self) -> Result<(), String> {
        match self {
            Event::Game(start) => start.grid.as_ref().map_or(Ok(()), check_grid),
            Event::Reading(seen) => seen.grid.as_ref().map_or(Ok(()), check_grid),
            Event::Look(look) => {
                let is_name = |name: &String| {
                    let mut parts = Path::new(name).components();
                    matches!((parts.next(), parts.next()), (Some(std::path::Component::Normal(_)), None))
                };
                if !look.frame.iter().all(is_name) {
                    return Err(format!("{:?} is no picture in the game's folder", look.frame));
                }
                let [width, height] = look.size;
                if width.max(height) > LONGEST_SIDE || !(look.scale > 0.0 && look.scale <= MOST_SCALE) {
                    return Err(format!("no screen has {width}x{height} pixels at a scale of {}", look.scale));
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

/// The longest side of a picture, in pixels, and the highest scale that a screen is believed to have.
const LONGEST_SIDE: u32 = 1 << 16;
const MOST_SCALE: f64 = 16.0;

/// Whether these are the edges of tiles: at least one tile, each at least a pixel wide, in the largest picture.
fn check_grid(grid: &Grid) -> Result<(), String> {
    let are_edges = |edges: &[f64]| {
        edges.len() > 1
            && edges.iter().all(|edge| (0.0..=f64::from(LONGEST_SIDE)).contains(edge))
            && edges.windows(2).all(|pair| pair[1] - pair[0] >= 1.0)
    };
    if are_edges(&grid.columns) && are_edges(&grid.lines) { Ok(()) } else { Err("its grid has no tiles".into()) }
}

/// Whether a grid lies inside of a picture.
fn is_inside(grid: &Grid, picture: &image::RgbaImage) -> bool {
    let end = |edges: &[f64]| edges.last().copied().unwrap_or(f64::MAX);
    end(&grid.columns) <= f64::from(picture.width()) + 1.0 && end(&grid.lines) <= f64::from(picture.height()) + 1.0
}

impl Recorded {
    /// The picture of a look, made of its frame and of the pictures before.
    ///
    /// # Errors
    /// The frame is missing, is no picture, or does not fit.
    pub fn picture<'a>(
        &self,
        pictures: &'a mut Pictures,
        line: usize,
        look: &Look,
    ) -> Result<&'a image::RgbaImage, SessionError> {
        let frame = self.frames.join(look.frame.as_deref().unwrap_or_default());
        let bad = |problem| SessionError::BadFrame { file: self.file.clone(), line, frame: frame.clone(), problem };
        let mut change = None;
        if look.frame.is_some() {
            if !frame.exists() {
                return Err(SessionError::MissingFrame { file: self.file.clone(), line, frame });
            }
            let pixels = image::open(&frame).map_err(|error| bad(error.to_string()))?.into_rgba8();
            change = Some(Change { at: look.at, pixels });
        }
        pictures.apply(look.origin, look.size, change.as_ref()).map_err(bad)
    }

    /// Every decision of the game with the picture it was made on, in order, and at the end the last picture.
    ///
    /// # Errors
    /// A picture is missing or cannot be used.
    pub fn moments(&self, mut visit: impl FnMut(Moment<'_>)) -> Result<Option<image::RgbaImage>, SessionError> {
        let mut pictures = Pictures::default();
        let (mut last, mut grid, mut rows) = (None, self.start.grid.clone(), Vec::new());
        for (line, event) in self.lines.iter().map(|(line, entry)| (*line, &entry.event)) {
            match event {
                Event::Look(look) => last = Some(self.picture(&mut pictures, line, look)?.clone()),
                Event::Reading(seen) => {
                    grid = seen.grid.clone().or(grid);
                    rows.clone_from(&seen.rows);
                }
                Event::Decision(chosen) => {
                    if let (Some(picture), Some(grid), Some(board)) = (&last, &grid, chosen.board(&rows))
                        && is_inside(grid, picture)
                        && board.size() == grid.size()
                        && chosen.open.iter().chain(&chosen.mines).all(|&cell| board.size().contains(cell))
                    {
                        visit(Moment { line, picture, grid: grid.clone(), board, chosen });
                    }
                }
                _ => {}
            }
        }
        Ok(last)
    }

    /// Its number in the run.
    pub fn number(&self) -> u64 {
        self.start.game
    }

    /// How it ended, if it did.
    pub fn end(&self) -> Option<&End> {
        self.lines.iter().rev().find_map(|(_, line)| match &line.event {
            Event::End(end) => Some(end),
            _ => None,
        })
    }
}
