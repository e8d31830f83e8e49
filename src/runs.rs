//! Recorded runs: a folder with `run.toml` (what was played, by what, where) and `games.jsonl` (one line a finished
//! game, on disk before the next game begins). A run that was killed goes on with the same command.
//!
//! [`RunFolder`] writes, [`load`] reads. What is written is never rewritten: only a last line that a kill or a full disk cut
//! short is taken away again.

mod folder;

use crate::game::Rule;
use crate::solver::GuessKind;
pub use folder::{RunFolder, load};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The version of the format of run folders; a folder of another format is not read.
pub const FORMAT: u32 = 1;

/// `run.toml`: what all games of one run have in common. A run is only continued by a command with the same header,
/// `machine` and `started` aside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunHeader {
    /// [`FORMAT`].
    pub format: u32,
    /// The version of this program.
    pub version: String,
    /// The client as asked for; without it the games say which was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// The level as asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// Columns, if a size was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<u32>,
    /// Rows, if a size was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub height: Option<u32>,
    /// Mines, if a size was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mines: Option<u32>,
    /// The player.
    pub strategy: String,
    /// Where all chance comes from.
    pub seed: u64,
    /// Whether the built-in client was played instead of one on the screen.
    #[serde(default)]
    pub simulated: bool,
    /// Whether every certain mine is flagged.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub flag_mines: bool,
    /// Whether tiles are opened around satisfied numbers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub chord: bool,
    /// The risk above which a game is given up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_risk: Option<f64>,
    /// How long the player may take for one guess, in milliseconds.
    #[serde(default = "usual_think", skip_serializing_if = "is_usual_think")]
    pub think_ms: u64,
    /// What the player searches around a tile, where it does.
    #[serde(default = "usual_area", skip_serializing_if = "is_usual_area")]
    pub area: String,
    /// The folder with more calibrations, as given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibration: Option<String>,
    /// The folder with tile pictures, as given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub templates: Option<String>,
    /// A fingerprint of the calibrations and pictures, where they are not those of the program's version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clients: Option<String>,
    /// System, processor and its cores.
    pub machine: String,
    /// When the run was begun: UTC, RFC 3339.
    pub started: String,
}

fn usual_think() -> u64 {
    100
}

fn is_usual_think(think: &u64) -> bool {
    *think == usual_think()
}

fn usual_area() -> String {
    "zone".into()
}

fn is_usual_area(area: &str) -> bool {
    area == usual_area()
}

impl RunHeader {
    /// The header of a run that begins now, on this machine, with this version.
    pub fn new(strategy: &str, seed: u64) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            client: None,
            level: None,
            width: None,
            height: None,
            mines: None,
            strategy: strategy.to_owned(),
            seed,
            simulated: false,
            flag_mines: false,
            chord: false,
            max_risk: None,
            think_ms: usual_think(),
            area: usual_area(),
            calibration: None,
            templates: None,
            clients: None,
            machine: format!("{} {}, {cores} cores", std::env::consts::OS, std::env::consts::ARCH),
            started: now(),
        }
    }
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ending {
    /// Every tile without a mine is open.
    Won,
    /// A mine went off.
    Lost,
    /// The bot could not go on; [`GameRecord::trouble`] says why. It counts as a game that was not won.
    Aborted,
}

/// Where the time of a game went, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Stages {
    /// Taking pictures of the screen.
    pub capture: f64,
    /// Finding the minefield.
    pub locate: f64,
    /// Reading its tiles.
    pub read: f64,
    /// Deciding.
    pub decide: f64,
    /// Moving the mouse and pressing its buttons.
    pub click: f64,
    /// Waiting for the client to paint.
    pub wait: f64,
}

/// One finished game: a line of `games.jsonl`. Fields it does not know are ignored, so that older programs read
/// newer records of the same format.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// Its number in the run, from 1.
    pub game: u64,
    /// How it ended.
    pub outcome: Ending,
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Mines.
    pub mines: u32,
    /// Decisions that opened something.
    pub moves: u64,
    /// The predicted risk of every guess, 0..1, in order.
    pub guesses: Vec<f64>,
    /// What sort of guess each was, in the same order.
    #[serde(default)]
    pub kinds: Vec<GuessKind>,
    /// The risk that was predicted for the tile the game was lost on; 0 if it was held to be certainly safe.
    pub fatal_risk: Option<f64>,
    /// What sort of guess the game was lost on; none if the tile was held to be certainly safe.
    #[serde(default)]
    pub fatal_kind: Option<GuessKind>,
    /// From the first look to the end, in milliseconds.
    pub ms: f64,
    /// What went wrong, if the game was aborted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
    /// The version of this program.
    #[serde(default)]
    pub version: String,
    /// The client.
    #[serde(default)]
    pub client: String,
    /// Its theme.
    #[serde(default)]
    pub theme: String,
    /// The level, where the client has a name for boards of this kind.
    #[serde(default)]
    pub level: Option<String>,
    /// The player.
    #[serde(default)]
    pub strategy: String,
    /// What the client promises about the first click.
    #[serde(default)]
    pub rule: Option<Rule>,
    /// Whether the client only deals boards that need no guess.
    #[serde(default)]
    pub no_guess: bool,
    /// Where all chance came from.
    #[serde(default)]
    pub seed: u64,
    /// Where the time went.
    #[serde(default)]
    pub stages: Stages,
    /// Clicks and key presses that were sent.
    #[serde(default)]
    pub clicks: u64,
    /// Pictures that were looked at.
    #[serde(default)]
    pub looks: u64,
    /// When the game began: UTC, RFC 3339.
    #[serde(default)]
    pub started: String,
    /// The last picture of the game in the run folder, as in `frames/000012/000041.png`, if it was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_frame: Option<String>,
}

/// The longest side of a board that is believed, in tiles.
const LONGEST_SIDE: u32 = 10_000;

impl GameRecord {
    /// What cannot be true of a game, if anything.
    fn oddity(&self) -> Option<String> {
        let Self { width, height, mines, .. } = *self;
        let is_share = |risk: &f64| (0.0..=1.0).contains(risk);
        // A frame's name says where a picture is, and nothing else.
        let stays = |path: &String| {
            let mut parts = std::path::Path::new(path).components();
            parts.all(|part| matches!(part, std::path::Component::Normal(_)))
        };
        if !(1..=LONGEST_SIDE).contains(&width) || !(1..=LONGEST_SIDE).contains(&height) {
            Some(format!("no board has {width}x{height} tiles"))
        } else if u64::from(mines) > u64::from(width) * u64::from(height) {
            Some(format!("{mines} mines do not fit on {width}x{height}"))
        } else if !self.guesses.iter().chain(&self.fatal_risk).all(is_share) {
            Some("a risk lies between 0 and 1".into())
        } else if !(self.ms.is_finite() && self.ms >= 0.0) {
            Some(format!("no game takes {} ms", self.ms))
        } else if !self.last_frame.iter().all(stays) {
            Some("its last picture is not in the run folder".into())
        } else {
            None
        }
    }
}

/// A run as it was read from its folder.
#[derive(Clone, Debug)]
pub struct Run {
    /// The folder.
    pub folder: PathBuf,
    /// Its header.
    pub header: RunHeader,
    /// Its games, in the order of the file.
    pub games: Vec<GameRecord>,
    /// What was not as it should be, each with file and line. All the rest was used.
    pub warnings: Vec<String>,
}

/// Why a run cannot be recorded, continued or read.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The folder has other things in it.
    #[error("{} holds {found} and no run.toml, so it is no run folder; give a new or an empty folder", .folder.display())]
    SomethingElse {
        /// The folder.
        folder: PathBuf,
        /// One of the things in it.
        found: String,
    },
    /// There is no run here.
    #[error("{} is no run folder: it has no run.toml; `minesight play --record DIR` makes one", .0.display())]
    NoRun(PathBuf),
    /// `run.toml` cannot be understood, or says that the folder is of another format.
    #[error("{}:{line}: {problem}", .file.display())]
    Header {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
    /// The run in the folder is another one than asked for.
    #[error("{}:{line}: this run has {recorded}, but the command says {asked}; give the command it was begun with, or another folder", .file.display())]
    Differs {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is recorded, as `key = value`.
        recorded: String,
        /// What was asked for, as `key = value`.
        asked: String,
    },
    /// Another process records into this folder.
    #[error("{} is being recorded into by another process; wait for its end or give another folder", .0.display())]
    Busy(PathBuf),
    /// The folder cannot be read or written.
    #[error("{} cannot be {doing}: {why}; what was recorded is kept, and the same command goes on once this is mended", .file.display())]
    Disk {
        /// The file or folder.
        file: PathBuf,
        /// What was attempted, as in "written".
        doing: &'static str,
        /// Why it failed, said above already.
        why: std::io::Error,
    },
}

/// The time now: UTC, RFC 3339, to the second.
pub fn now() -> String {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    rfc3339(since.as_secs())
}

/// Seconds since 1970 as a date: Hinnant's `civil_from_days` (howardhinnant.github.io/date_algorithms.html), whose
/// years begin in March so that leap days come last.
fn rfc3339(seconds: u64) -> String {
    let (days, second) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", second / 3600, second / 60 % 60, second % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        // From `date -u -d @SECONDS`.
        for (seconds, date) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_251_199, "2024-02-29T23:59:59Z"),
            (1_795_222_861, "2026-11-21T01:01:01Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(rfc3339(seconds), date);
        }
    }
}
