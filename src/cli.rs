//! The command line: commands, flags and defaults, nothing else. What they do is in [`crate::commands`].

use crate::game::Rule;
use crate::geometry::{BoardSize, Cell};
use crate::simulate::Sweep;
use crate::solver::{Area, Setup};
use clap::{Args, Parser, Subcommand};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// Plays real Minesweeper clients on the screen: looks, reads, decides, clicks.
#[derive(Debug, Parser)]
#[command(name = "minesight", version, propagate_version = true, max_term_width = 100)]
#[command(after_help = "Examples:\n  minesight play --simulated          watch a game without any client\n  \
    minesight play                      play the client that is on the screen\n  \
    minesight play --games 100 --record runs/today\n  \
    minesight read shot.png             a screenshot as a board\n  \
    minesight simulate --games 10000 --level expert\n\n\
    Set RUST_LOG=minesight=debug to see what the bot sees.")]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Shell completions, on stdout
    #[command(
        after_help = "Example:\n  minesight completions bash > ~/.local/share/bash-completion/completions/minesight"
    )]
    Completions(CompletionsArgs),
    /// Write a manual page for every command into a folder
    #[command(hide = true)]
    Man(ManArgs),
    /// Play games on the screen
    #[command(after_help = PLAY_EXAMPLES)]
    Play(Box<PlayArgs>),
    /// You play, it only looks and says what is certain and what is risky
    #[command(after_help = ADVISE_EXAMPLES)]
    Advise(AdviseArgs),
    /// Learn a client that is not known yet, by playing it
    #[command(after_help = CALIBRATE_EXAMPLES)]
    Calibrate(CalibrateArgs),
    /// Can this machine be played on: display, capture, pointer, scale, permissions, clients
    Doctor(DoctorArgs),
    /// Many games without a screen: any player, rule and board
    #[command(after_help = SIMULATE_EXAMPLES)]
    Simulate(Box<SimulateArgs>),
    /// Everything that can be said of one position
    #[command(after_help = ANALYZE_EXAMPLES)]
    Analyze(AnalyzeArgs),
    /// The same loop offline, over recorded games or saved screenshots
    #[command(after_help = REPLAY_EXAMPLES)]
    Replay(ReplayArgs),
    /// A screenshot, or the screen, as a board
    #[command(after_help = READ_EXAMPLES)]
    Read(ReadArgs),
    /// Screenshots with their truth: what is recognised of them, and what is not
    #[command(after_help = CHECK_EXAMPLES)]
    Check(CheckArgs),
    /// The clients there are, and what is known of each
    Clients(ClientsArgs),
    /// Recorded runs in numbers, and as an HTML page with plots
    #[command(after_help = REPORT_EXAMPLES)]
    Report(ReportArgs),
}

const REPLAY_EXAMPLES: &str = "Examples:
  minesight replay runs/today                    every kept game must come to the same readings and clicks
  minesight replay runs/today --strategy csp     where another player would have done something else
  minesight replay runs/today --game 12 --gif game.gif
  minesight replay runs/today --game 12 --page game.html   to be stepped through in a browser
  minesight replay shot.png                      what the bot would do on a screenshot";

/// `replay`
#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// Run folders with kept games, or saved screenshots
    #[arg(value_name = "DIR|IMAGE", required = true)]
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub client: ClientArgs,
    /// Only this game of the run
    #[arg(long, value_name = "N")]
    pub game: Option<u64>,
    /// Ask another player at every decision, instead of repeating them
    #[arg(long, value_name = "NAME")]
    pub strategy: Option<String>,
    /// Write the game (the first one, without --game) as an animated picture with the bot's view drawn in
    #[arg(long, value_name = "FILE", conflicts_with = "strategy")]
    pub gif: Option<PathBuf>,
    /// Write the game (the first one, without --game) as a page in which it is stepped through
    #[arg(long, value_name = "OUT.html", conflicts_with_all = ["strategy", "gif"])]
    pub page: Option<PathBuf>,
    /// Mines of the board on the screenshots, where the client's levels do not tell
    #[arg(long, value_name = "M")]
    pub mines: Option<u32>,
    /// Print JSON Lines, one a game or screenshot
    #[arg(long)]
    pub json: bool,
}

const READ_EXAMPLES: &str = "Examples:
  minesight read                               the screen now
  minesight read shot.png --json
  minesight read shot.png --annotate seen.png  draws grid, labels, scores and runners-up
  minesight read shot.png --page seen.html     the same to be pointed at, and to label tiles by hand
  minesight read shot.png --explain 3,4        what the tile in column 3, row 4 was compared with
  minesight read shot.png --explain 3,4 --explain-to tile.png
  minesight read shot.png --unrecognised new   saves tiles that were not recognised in a folder";

/// `read`
#[derive(Debug, Args)]
pub struct ReadArgs {
    /// The screenshot; without it the screen is looked at
    pub image: Option<PathBuf>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub client: ClientArgs,
    /// Number of mines, for the state of the game; known by itself for the levels of a client
    #[arg(long, value_name = "M")]
    pub mines: Option<u32>,
    /// Draw what was seen
    #[arg(long, value_name = "OUT.png")]
    pub annotate: Option<PathBuf>,
    /// Write a page that shows what was seen and why, tile by tile, and takes labels by hand
    #[arg(long, value_name = "OUT.html")]
    pub page: Option<PathBuf>,
    /// Say what one tile was compared with (column,row from 0)
    #[arg(long, value_name = "X,Y", value_parser = parse_cell)]
    pub explain: Option<Cell>,
    /// Draw that tile beside the pictures it was compared with
    #[arg(long, value_name = "OUT.png", requires = "explain")]
    pub explain_to: Option<PathBuf>,
    /// Save the tiles that were not recognised as pictures in this folder, ready to be labelled
    #[arg(long, value_name = "DIR")]
    pub unrecognised: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

const ADVISE_EXAMPLES: &str = "Examples:
  minesight advise                     the client on the screen, whatever it is; Ctrl+C ends it
  minesight advise --page              also on a page of its own, http://127.0.0.1:8031/
  minesight advise --json              one line after every change of the board

It has no hands: it never moves the mouse, clicks or types.";

/// Where pages are that follow what goes on, unless told otherwise: on this machine only.
pub const PAGE: &str = "127.0.0.1:8031";

/// `advise`
#[derive(Debug, Args)]
pub struct AdviseArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub client: ClientArgs,
    /// Number of mines, where neither the client's counter nor its levels tell
    #[arg(long, value_name = "M")]
    pub mines: Option<u32>,
    /// Show it on a local page, too
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, require_equals = true, default_missing_value = PAGE)]
    pub page: Option<SocketAddr>,
    /// Print JSON Lines: one after every change
    #[arg(long)]
    pub json: bool,
}

const CALIBRATE_EXAMPLES: &str =
    "Start the client, begin a new game, and show all of its board. Games are played and lost until it is known what every
picture on a tile means; no picture, label or place is needed. It becomes a client like the others: `minesight play`
finds it by itself. Where no board shows, what may be buttons is clicked in the only window that is called after the game
(Minesweeper, in many languages); of any other window, point at it with --at.

Examples:
  minesight calibrate --name mine
  minesight calibrate --name mine --at 400,300          the board is there
  minesight calibrate --name mine --new-game ctrl+n     what begins a new game, if that is not found out
  minesight calibrate --name mine --confirm             shows what it believes of every picture, to be corrected";

/// `calibrate`
#[derive(Debug, Args)]
pub struct CalibrateArgs {
    /// How the client is to be called
    #[arg(long, value_name = "NAME")]
    pub name: String,
    /// A point of the board, in the mouse's units; where a page comes before the board, a point in its window: what may be its buttons is
    /// clicked, eight times at most, first one that is there; then keys are typed that may move a cursor
    #[arg(long, value_name = "X,Y", value_parser = point)]
    pub at: Option<(i32, i32)>,
    /// What begins a new game: a key (F2, ctrl+n), or where a button is
    #[arg(long, value_name = "KEY|X,Y", value_parser = restart)]
    pub new_game: Option<Restart>,
    /// Learn from the screenshots in this folder instead of the screen; where NAME.board lies beside NAME.png, it says what is on it
    #[arg(long, value_name = "DIR", conflicts_with_all = ["at", "new_game"])]
    pub from: Option<PathBuf>,
    /// Games to learn from, at most
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub games: usize,
    /// Minutes to learn in, at most
    #[arg(long, value_name = "MINUTES", default_value_t = 10)]
    pub minutes: u64,
    /// Games that are played with what was learned, to prove it
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub prove: u64,
    /// Learn a client of this name anew
    #[arg(long)]
    pub replace: bool,
    /// Show every look that was found and what it is held to be, to be confirmed or corrected, before anything is written
    #[arg(long, conflicts_with = "from")]
    pub confirm: bool,
    /// The folder for what is learned, instead of your own, which every command knows
    #[arg(long, value_name = "DIR")]
    pub into: Option<PathBuf>,
}

/// What begins a new game, as the person says it.
#[derive(Clone, Debug)]
pub enum Restart {
    /// Keys.
    Keys(String),
    /// A click there, in the mouse's units.
    At(i32, i32),
}

fn point(text: &str) -> Result<(i32, i32), String> {
    let wrong = || format!("{text:?} is no point; write X,Y, as in 400,300");
    let (x, y) = text.split_once(',').ok_or_else(wrong)?;
    Ok((x.trim().parse().map_err(|_| wrong())?, y.trim().parse().map_err(|_| wrong())?))
}

fn restart(text: &str) -> Result<Restart, String> {
    if let Ok((x, y)) = point(text) {
        return Ok(Restart::At(x, y));
    }
    text.parse::<crate::desktop::Keys>().map_err(|error| error.to_string())?;
    Ok(Restart::Keys(text.into()))
}

const CHECK_EXAMPLES: &str =
    "A screenshot is NAME.png (or jpg, gif) with NAME.board beside it: board text, # hidden, 0-8 open, F flag, * mine,
~ covered, under a line WIDTH HEIGHT MINES. A screenshot without a NAME.board must be refused.
A folder called like a client holds screenshots of that client. Exit 1 if a tile is read wrongly.

Examples:
  minesight check shots                        shots/winemine/a.png, shots/winemine/a.board, ...
  minesight check shots --any --page out.html  without being told which client it is";

/// `check`
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Folders with screenshots and their truth
    #[arg(value_name = "DIR", required = true)]
    pub folders: Vec<PathBuf>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub client: ClientArgs,
    /// Look for every client's board in each, whatever folder it is in
    #[arg(long, conflicts_with = "client")]
    pub any: bool,
    /// Write all that is not right as one page
    #[arg(long, value_name = "OUT.html")]
    pub page: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `clients`
#[derive(Debug, Args)]
pub struct ClientsArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub client: ClientArgs,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

const REPORT_EXAMPLES: &str = "Examples:
  minesight report runs/today                   prints the numbers and writes runs/today/report.html
  minesight report runs/today --games           also a page of every kept game, linked from it
  minesight report runs/a runs/b --out both.html --csv both.csv";

/// `report`
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Run folders, as made by `play --record`
    #[arg(value_name = "DIR", required = true)]
    pub runs: Vec<PathBuf>,
    /// Where the page goes; without it report.html in the first folder
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// How many games are simulated for each sort of board, to compare with; 0 for none
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub expect: u64,
    /// Write the numbers as a table
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Also make a page of every kept game, in the folder `pages` of its run, to be stepped through from the report
    #[arg(long)]
    pub games: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `completions`
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// Which shell
    pub shell: clap_complete::Shell,
}

/// `man`
#[derive(Debug, Args)]
pub struct ManArgs {
    /// Where to; it must exist
    pub folder: PathBuf,
}

const PLAY_EXAMPLES: &str = "Examples:
  minesight play                                   the game on the screen, whatever client it is
  minesight play --dry-run                         only say what would be clicked
  minesight play --games 100 --record runs/today   a run that can be stopped and continued
  minesight play --games 100 --page                a long run, followed at http://127.0.0.1:8031/
  minesight play --simulated --games 20 --json     the built-in client, without a display

The mouse is yours: move it, hold Escape, or press Ctrl+C, and the bot stops.";

/// `play`
#[derive(Debug, Args)]
pub struct PlayArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub client: ClientArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub board: BoardArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub strategy: StrategyArgs,
    /// How long one guess may take, in milliseconds, where the player can use it: from 200 on `best` also plays
    /// on behind the tiles it may risk
    #[arg(long, value_name = "MS", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(..=A_DAY))]
    pub think: u64,
    /// How many games; a recorded run is continued up to this number [default: 1, or until another stop]
    #[arg(long, value_name = "N")]
    pub games: Option<u64>,
    /// Stop when so many games are won
    #[arg(long, value_name = "N")]
    pub until_wins: Option<u64>,
    /// Stop when so many games are won in a row
    #[arg(long, value_name = "N")]
    pub until_streak: Option<u64>,
    /// Begin no game after this time from now, as in 90s, 30m or 2h
    #[arg(long = "for", value_name = "TIME", value_parser = parse_time)]
    pub for_: Option<Duration>,
    /// Show the board with the next click and its risk in the terminal
    #[arg(long, conflicts_with_all = ["step", "json"])]
    pub watch: bool,
    /// Follow it on a page, on this machine only unless another address is given
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, require_equals = true, default_missing_value = PAGE)]
    pub page: Option<SocketAddr>,
    /// Record the run in this folder, or continue the one that is there
    #[arg(long, value_name = "DIR")]
    pub record: Option<PathBuf>,
    /// Of which games everything that was seen and done is kept, for `replay`
    #[arg(long, value_enum, default_value_t = Frames::Losses, requires = "record")]
    pub frames: Frames,
    /// Keep all of the screen in these pictures, and not only the board with what is around it
    #[arg(long, requires = "record")]
    pub whole_screen: bool,
    /// Flags: only where the client needs them to win, or on every certain mine
    #[arg(long, value_enum, default_value_t = Flags::None)]
    pub flags: Flags,
    /// Open around satisfied numbers, as people do (puts flags)
    #[arg(long)]
    pub chord: bool,
    /// Write what is learned of looks that no picture knows, for later runs: into the folder of your own clients; themes are then learned
    /// in windows of any title, too, and in recorded runs
    #[arg(long, conflicts_with = "simulated")]
    pub learn: bool,
    /// Pause before every decision is carried out, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..=A_DAY))]
    pub delay: u64,
    /// How long a board is waited for that is not there yet, covered, or moved away, as in 90s or 2m
    #[arg(long, value_name = "TIME", value_parser = parse_time, default_value = "10s")]
    pub wait: Duration,
    /// Say what would be clicked, and click nothing
    #[arg(long, conflicts_with_all = ["record", "step"])]
    pub dry_run: bool,
    /// Wait for Enter before every decision is carried out
    #[arg(long, conflicts_with = "json")]
    pub step: bool,
    /// Play the built-in client instead of one on the screen; needs no display
    #[arg(long)]
    pub simulated: bool,
    /// With --simulated: windows move, cover each other and take the keyboard, presses are lost and pictures torn, as this
    /// seed has it
    #[arg(long, value_name = "SEED", requires = "simulated")]
    pub faults: Option<u64>,
    /// Stop a game rather than guess above this risk, 0..1
    #[arg(long, value_name = "R", value_parser = parse_share)]
    pub max_risk: Option<f64>,
    /// Print JSON Lines: one a game, then a summary
    #[arg(long)]
    pub json: bool,
}

impl PlayArgs {
    /// The most games that are played, whatever else may stop the run.
    pub fn most_games(&self) -> u64 {
        let has_stop = self.until_wins.is_some() || self.until_streak.is_some() || self.for_.is_some();
        self.games.unwrap_or(if has_stop { u64::MAX } else { 1 })
    }
}

/// The client that the built-in one looks like if none is asked for: its tiles repeat exactly.
pub const SKIN: &str = "winemine";

/// Which games are kept whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Frames {
    /// None.
    None,
    /// Those that were lost or aborted.
    Losses,
    /// All.
    All,
}

/// Which mines are flagged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Flags {
    /// None, but where the client wants them for a win.
    None,
    /// Every certain mine.
    Mines,
}

/// `doctor`
#[derive(Debug, Args)]
pub struct DoctorArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub client: ClientArgs,
    /// Measure every way to take pictures that works here, not only the one that is used
    #[arg(long)]
    pub compare: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

const ANALYZE_EXAMPLES: &str =
    "A board is text: # hidden, 0-8 open (. is 0), F flag, * mine; one line a row, under an \
optional line WIDTH HEIGHT MINES.

Examples:
  minesight analyze position.txt
  minesight read shot.png | minesight analyze -
  printf '4 2 3\\n###2\\n#2##\\n' | minesight analyze - --json
  minesight analyze position.txt --svg position.svg --strategy optimal";

/// `analyze`
#[derive(Debug, Args)]
pub struct AnalyzeArgs {
    /// The board, a text file; - reads standard input
    #[arg(value_name = "BOARD")]
    pub board: PathBuf,
    /// The total number of mines, in place of what the file says
    #[arg(long, value_name = "M")]
    pub mines: Option<u32>,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
    /// Draw the position with its risks
    #[arg(long, value_name = "OUT.svg")]
    pub svg: Option<PathBuf>,
    /// Whose move to show; without it the one that wins most often, where that is known
    #[arg(long, value_name = "NAME")]
    pub strategy: Option<String>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub rule: RuleArgs,
    /// Where all chance comes from
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// How long one guess may take, in milliseconds, where the player can use it
    #[arg(long, value_name = "MS", default_value_t = 100)]
    pub think: u64,
}

const SIMULATE_EXAMPLES: &str = "Examples:
  minesight simulate --games 10000 --level expert --rule zero
  minesight simulate --strategy csp,single-point --size 8x8 --mines 10   the same boards for both
  minesight simulate --strategy csp --sweep density=0.02:0.40:0.02 --size 16x16 --mines 40 --svg density.svg
  minesight simulate --strategy limited-search-probability --sweep area=zone,2,3 --csv areas.csv
  minesight simulate --boards boards.jsonl --games-out games.jsonl
  minesight simulate --against lowest-risk --games 20000               who is better, and by how much
  minesight simulate --from 5000 --games 5000 --games-out part2.jsonl  the second part of a run
  minesight simulate --merge part1.jsonl part2.jsonl                   the run that the parts make";

/// `simulate`
#[derive(Debug, Args)]
pub struct SimulateArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub strategy: StrategyArgs,
    /// How long one guess may take, in milliseconds, where the player can use it: from 200 on `best` also plays
    /// on behind the tiles it may risk
    #[arg(long, value_name = "MS", default_value_t = 100, value_parser = clap::value_parser!(u64).range(..=A_DAY))]
    pub think: u64,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub rule: RuleArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub board: BoardArgs,
    /// Other players to compare it with, on the same boards: the difference with its interval, by expected wins where
    /// they are known
    #[arg(long, value_name = "NAME", conflicts_with = "sweep")]
    pub against: Option<String>,
    /// Judge every game by the chances of its guesses, too: a win rate as sure as that of several times the games
    #[arg(long)]
    pub expected: bool,
    /// How many games; without it 1000, or as many as there are boards
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub games: Option<u64>,
    /// The number of the first game, to play a run in parts; game i of a seed is the same board in any part
    #[arg(long, value_name = "K", default_value_t = 0)]
    pub from: u64,
    /// Play nothing: put together the parts of a run, as --games-out wrote them
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = [
        "strategy", "against", "expected", "games", "from", "rule", "level", "size", "mines", "seed", "think", "area", "start",
        "boards", "threads", "sweep", "games_out", "sizes",
    ])]
    pub merge: Vec<PathBuf>,
    /// The first click of every game, in place of the player's own
    #[arg(long, value_name = "X,Y", value_parser = parse_cell)]
    pub start: Option<Cell>,
    /// Play exactly the boards of this file, in order, one JSON line each
    #[arg(long, value_name = "FILE", conflicts_with_all = ["level", "size", "mines", "sweep"])]
    pub boards: Option<PathBuf>,
    /// Threads; without it one for each core
    #[arg(long, value_name = "T")]
    pub threads: Option<std::num::NonZeroU16>,
    /// Vary one thing: density=0.02:0.40:0.02, size=5:60:5, aspect, board=8x8/10,30x16/99, area=zone,2,3 or
    /// think=1,10,100; the last two play the same boards, and are compared with their first value
    #[arg(long, value_name = "WHAT", conflicts_with = "games_out")]
    pub sweep: Option<Sweep>,
    /// Write every game to this file, one JSON line each
    #[arg(long, value_name = "FILE")]
    pub games_out: Option<PathBuf>,
    /// Write the summaries as a table
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Write predicted against observed risk as a table
    #[arg(long, value_name = "FILE")]
    pub risks: Option<PathBuf>,
    /// Measure the coupled sets of constraints on the boards the player meets
    #[arg(long)]
    pub sizes: bool,
    /// Draw the sweep, or predicted against observed risk where nothing is varied
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// The largest number that a run's header can hold.
const LARGEST: u64 = i64::MAX as u64;

/// In milliseconds: nobody waits longer for one decision.
const A_DAY: u64 = 24 * 60 * 60 * 1000;

/// The longest side of a board, in tiles: far beyond what a client or a screen has.
const LONGEST_SIDE: u32 = 10_000;

/// Which board: by the name of a level, or by its size.
#[derive(Clone, Debug, Default, Args)]
pub struct BoardArgs {
    /// beginner (9x9, 10 mines), intermediate (16x16, 40), expert (30x16, 99); a client may have its own
    #[arg(long, value_name = "NAME", conflicts_with_all = ["size", "mines"])]
    pub level: Option<String>,
    /// Columns x rows, as in 30x16
    #[arg(long, value_name = "WxH", value_parser = parse_size)]
    pub size: Option<BoardSize>,
    /// Number of mines
    #[arg(long, value_name = "M")]
    pub mines: Option<u32>,
}

/// Where the clients come from.
#[derive(Clone, Debug, Default, Args)]
pub struct ClientArgs {
    /// Which client; without it every known one is tried and the best match wins
    #[arg(long, value_name = "NAME")]
    pub client: Option<String>,
    /// A folder with more calibrations (<client>.toml), beside the bundled ones
    #[arg(long, value_name = "DIR")]
    pub calibration: Option<PathBuf>,
    /// The folder with their tile pictures
    #[arg(long, value_name = "DIR")]
    pub templates: Option<PathBuf>,
}

/// Which player, and what it is told.
#[derive(Clone, Debug, Args)]
pub struct StrategyArgs {
    /// The player; see `minesight simulate --help` for all of them
    #[arg(long, value_name = "NAME", default_value = "best")]
    pub strategy: String,
    /// Where all chance comes from
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(..=LARGEST))]
    pub seed: u64,
    /// What limited-search-probability searches around a tile: zone, or the radius of a square
    #[arg(long, value_name = "AREA", default_value_t = Area::Zone)]
    pub area: Area,
}

impl StrategyArgs {
    /// What the player is told that may take `think` milliseconds for a guess, under the rule that is safe everywhere.
    pub fn setup(&self, think: u64) -> Setup {
        let Self { seed, area, .. } = *self;
        Setup { seed, area, think: Duration::from_millis(think), ..Setup::default() }
    }
}

/// The rule of the first click.
#[derive(Clone, Copy, Debug, Args)]
pub struct RuleArgs {
    /// What the first click is promised
    #[arg(long, value_enum, default_value_t = Rule::Safe)]
    pub rule: Rule,
}

fn parse_time(text: &str) -> Result<Duration, String> {
    let parse = || {
        let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
        let seconds = match unit {
            "s" => 1.0,
            "m" => 60.0,
            "h" => 3600.0,
            _ => return None,
        };
        Duration::try_from_secs_f64(number.parse::<f64>().ok()? * seconds).ok()
    };
    parse().ok_or_else(|| format!("{text:?} is not a time; write 90s, 30m or 2h"))
}

fn parse_share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| format!("{text:?} is not a risk; write a number from 0 to 1, as in 0.25"))
}

fn parse_size(text: &str) -> Result<BoardSize, String> {
    let parse = || {
        let (width, height) = text.split_once(['x', 'X'])?;
        Some(BoardSize::new(width.parse().ok()?, height.parse().ok()?))
    };
    let size = parse().ok_or_else(|| format!("{text:?} is not a size; write columns x rows, as in 30x16"))?;
    if size.tiles() == 0 {
        Err(format!("a board of {size} has no tiles"))
    } else if size.width.max(size.height) > LONGEST_SIDE {
        Err(format!("a board of {size} is too large; no side may be longer than {LONGEST_SIDE} tiles"))
    } else {
        Ok(size)
    }
}

fn parse_cell(text: &str) -> Result<Cell, String> {
    let parse = || {
        let (x, y) = text.split_once(',')?;
        Some(Cell::new(x.trim().parse().ok()?, y.trim().parse().ok()?))
    };
    parse().ok_or_else(|| format!("{text:?} is not a place; write column,row from 0, as in 3,3"))
}

/// The boards everybody knows, by the name of their level: size and mines.
pub const LEVELS: [(&str, BoardSize, u32); 3] = [
    ("beginner", BoardSize::new(9, 9), 10),
    ("intermediate", BoardSize::new(16, 16), 40),
    ("expert", BoardSize::new(30, 16), 99),
];

impl BoardArgs {
    /// The board asked for, where no client has a say; expert if nothing was asked for.
    ///
    /// # Errors
    /// An unknown level, or only one of size and mines.
    pub fn resolve(&self) -> anyhow::Result<(BoardSize, u32)> {
        match (&self.level, self.size, self.mines) {
            (Some(name), _, _) => {
                let known = LEVELS.iter().find(|(level, ..)| level == name);
                let names = LEVELS.map(|(level, ..)| level).join(", ");
                let (_, size, mines) = known.ok_or_else(|| anyhow::anyhow!("no level {name:?}; there are: {names}"))?;
                Ok((*size, *mines))
            }
            (None, Some(size), Some(mines)) => Ok((size, mines)),
            (None, None, None) => Ok((LEVELS[2].1, LEVELS[2].2)),
            (None, ..) => anyhow::bail!("--size and --mines go together"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_holds_together() {
        Cli::command().debug_assert();
    }

    #[test]
    fn times() {
        assert_eq!(parse_time("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(parse_time("1.5m"), Ok(Duration::from_secs(90)));
        for wrong in ["", "s", "5", "-1m", "1d", "1e999h", "µ"] {
            assert!(parse_time(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sizes() {
        assert_eq!(parse_size("30x16"), Ok(BoardSize::new(30, 16)));
        for wrong in ["", "30", "0x4", "x", "-1x3", "3x4x5", "99999999999x1", "4294967295x1", "1x10001"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
    }
}
