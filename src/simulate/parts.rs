//! Finished games as a file, one JSON line each, and parts of a run put together again.
//!
//! The first line of a player's games says what was played, too; so parts that were played on several machines add up
//! to the run as a whole, and parts of different runs are told apart.

use super::{Boards, Guess, Plan, Played};
use crate::game::Rule;
use crate::geometry::Cell;
use crate::solver::GuessKind;
use crate::solver::strategies::SetSize;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

/// What was played, as a file of games says it: everything that two parts of one run have in common.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Run {
    strategy: String,
    rule: Rule,
    /// `WxH/M`, or how many boards a file gave.
    boards: String,
    seed: u64,
    think: f64,
    area: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    start: Option<Cell>,
    sizes: bool,
    expected: bool,
}

impl Run {
    fn of(plan: &Plan) -> Self {
        let boards = match &plan.boards {
            Boards::Dealt { size, mines } => format!("{size}/{mines}"),
            Boards::Exact(layouts) => format!("{} boards of a file", layouts.len()),
        };
        Self {
            strategy: plan.strategy.clone(),
            rule: plan.setup.rule,
            boards,
            seed: plan.setup.seed,
            think: plan.setup.think.as_secs_f64(),
            area: plan.setup.area.to_string(),
            start: plan.start,
            sizes: plan.sizes,
            expected: plan.expected,
        }
    }

    /// What a run must be told to go on as this one.
    fn plan(&self, first: u64, games: u64) -> Option<Plan> {
        let (size, mines) = self.boards.split_once('/')?;
        let (width, height) = size.split_once('x')?;
        let size = crate::geometry::BoardSize::new(width.parse().ok()?, height.parse().ok()?);
        let setup = crate::solver::Setup {
            rule: self.rule,
            seed: self.seed,
            think: std::time::Duration::try_from_secs_f64(self.think).ok()?,
            area: self.area.parse().ok()?,
            ..Default::default()
        };
        let boards = Boards::Dealt { size, mines: mines.parse().ok()? };
        let plan = Plan::new(&self.strategy, setup, boards, games);
        Some(Plan { first, start: self.start, sizes: self.sizes, expected: self.expected, ..plan })
    }
}

/// One line: a finished game.
#[derive(Debug, Serialize, Deserialize)]
struct Line {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    strategy: Option<String>,
    game: u64,
    won: bool,
    guesses: usize,
    moves: u32,
    us: u64,
    first_zero: bool,
    risks: Vec<f64>,
    #[serde(default)]
    kinds: Vec<GuessKind>,
    #[serde(default)]
    hit: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expected: Option<f64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    sets: Vec<SetSize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    run: Option<Run>,
}

impl Line {
    fn of(strategy: Option<&str>, game: u64, played: &Played, run: Option<Run>) -> Self {
        Self {
            strategy: strategy.map(str::to_owned),
            game,
            won: played.won,
            guesses: played.guesses.len(),
            moves: played.moves,
            us: played.us,
            first_zero: played.first_zero,
            risks: played.guesses.iter().map(|guess| guess.risk).collect(),
            kinds: played.guesses.iter().map(|guess| guess.kind).collect(),
            hit: played.guesses.last().is_some_and(|guess| guess.hit),
            expected: played.expected,
            sets: played.sets.clone(),
            run,
        }
    }

    /// The game; `None` if the line says too little.
    fn played(self) -> Option<Played> {
        let count = self.risks.len();
        if self.kinds.len() != count || self.guesses != count {
            return None;
        }
        let guess = |(index, (risk, kind))| Guess { risk, kind, hit: self.hit && index + 1 == count };
        Some(Played {
            won: self.won,
            first_zero: self.first_zero,
            moves: self.moves,
            guesses: self.risks.into_iter().zip(self.kinds).enumerate().map(guess).collect(),
            us: self.us,
            sets: self.sets,
            expected: self.expected,
        })
    }
}

/// Writes finished games, under a provisional name until all are there; games that were not finished because of an
/// error are not kept.
pub struct Recorder {
    file: BufWriter<File>,
    part: PathBuf,
    path: PathBuf,
    strategy: Option<String>,
    run: Option<Run>,
}

impl Recorder {
    /// Makes the file.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn create(path: &Path) -> std::io::Result<Self> {
        let part = PathBuf::from(format!("{}.part", path.display()));
        let file = BufWriter::new(File::create(&part)?);
        Ok(Self { file, part, path: path.to_owned(), strategy: None, run: None })
    }

    /// The games of `plan` follow; `named` if those of other players are in the file, too.
    pub fn begin(&mut self, plan: &Plan, named: bool) {
        self.strategy = named.then(|| plan.strategy.clone());
        self.run = Some(Run::of(plan));
    }

    /// One more game.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&mut self, game: u64, played: &Played) -> std::io::Result<()> {
        let line = Line::of(self.strategy.as_deref(), game, played, self.run.take());
        serde_json::to_writer(&mut self.file, &line)?;
        self.file.write_all(b"\n")
    }

    /// All games are there.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(mut self) -> std::io::Result<()> {
        self.file.flush()?;
        std::fs::rename(&self.part, &self.path)
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        // After `finish` it has its final name, and there is nothing to remove.
        let _ = std::fs::remove_file(&self.part);
    }
}

/// All games of one player in the files that were merged.
#[derive(Debug)]
pub struct Part {
    /// What was played.
    pub plan: Plan,
    /// The games, from the first of the plan on.
    pub games: Vec<Played>,
}

/// Why files of games cannot be put together.
#[derive(Debug, thiserror::Error)]
pub enum PartError {
    /// A file cannot be read.
    #[error("{path} cannot be read")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A line that is no game, or says too little.
    #[error("{path}, line {line}: {why}; give files that `simulate --games-out` of this version has written")]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
    /// A file without games.
    #[error("{0} has no games")]
    Empty(PathBuf),
    /// Games of another run.
    #[error("{path}, line {line}: these games are of another run: {difference} in {first}")]
    OtherRun {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// What the runs differ in: what it is here, and what it was before.
        difference: String,
        /// Where that was.
        first: PathBuf,
    },
    /// A game that is there twice.
    #[error("game {game} of {strategy} is there twice; give every part once")]
    Twice {
        /// The player.
        strategy: String,
        /// The game.
        game: u64,
    },
    /// A gap.
    #[error("the games {from} to {to} of {strategy} are missing; play them with --from {from} --games {}", to - from + 1)]
    Missing {
        /// The player.
        strategy: String,
        /// First game of the gap.
        from: u64,
        /// Last game of the gap.
        to: u64,
    },
}

/// Puts parts of a run together, in any order: what [`Recorder`] wrote becomes the games of one run.
///
/// # Errors
/// A file cannot be read or is damaged, parts are of different runs, games are missing or there twice.
pub fn merge(paths: &[PathBuf]) -> Result<Vec<Part>, PartError> {
    let mut runs: Vec<Collected> = Vec::new();
    for path in paths {
        let read = |source| PartError::Read { path: path.clone(), source };
        let mut lines = BufReader::new(File::open(path).map_err(read)?).lines().enumerate().peekable();
        if lines.peek().is_none() {
            return Err(PartError::Empty(path.clone()));
        }
        let mut at = None;
        for (index, line) in lines {
            let wrong = |why: String| PartError::Line { path: path.clone(), line: index + 1, why };
            let line: Line = serde_json::from_str(&line.map_err(read)?)
                .map_err(|error| wrong(error.to_string().replace(" at line 1 column", ", column")))?;
            if let Some(run) = &line.run {
                at = Some(place_of(&mut runs, run, path, index + 1)?);
            }
            let Some(at) = at else { return Err(wrong("it does not say which run it belongs to".to_owned())) };
            let game = line.game;
            let played = line.played().ok_or_else(|| wrong("the guesses of this game are not told".to_owned()))?;
            runs[at].games.push((game, played));
        }
    }
    runs.into_iter().map(Collected::finish).collect()
}

/// The games of one player as they come.
struct Collected {
    run: Run,
    first_seen: PathBuf,
    games: Vec<(u64, Played)>,
}

/// The place of this run's player, who is new or has played the same run before.
fn place_of(runs: &mut Vec<Collected>, run: &Run, path: &Path, line: usize) -> Result<usize, PartError> {
    let Some(first) = runs.first() else {
        runs.push(Collected { run: run.clone(), first_seen: path.to_owned(), games: Vec::new() });
        return Ok(0);
    };
    // Players of one run differ in their name only.
    let expected = Run { strategy: run.strategy.clone(), ..first.run.clone() };
    if *run != expected {
        let (path, first) = (path.to_owned(), first.first_seen.clone());
        return Err(PartError::OtherRun { path, line, difference: difference(run, &expected), first });
    }
    Ok(runs.iter().position(|known| known.run.strategy == run.strategy).unwrap_or_else(|| {
        runs.push(Collected { run: run.clone(), first_seen: path.to_owned(), games: Vec::new() });
        runs.len() - 1
    }))
}

/// Where two runs differ, and what it is in both.
fn difference(one: &Run, other: &Run) -> String {
    let fields = |run: &Run| serde_json::to_value(run).unwrap_or_default();
    let (one, other) = (fields(one), fields(other));
    let names = ["rule", "boards", "seed", "think", "area", "start", "sizes", "expected"];
    let name = names.into_iter().find(|name| one[name] != other[name]).unwrap_or("strategy");
    format!("{name} is {}, and {}", one[name], other[name])
}

impl Collected {
    fn finish(mut self) -> Result<Part, PartError> {
        self.games.sort_by_key(|(game, _)| *game);
        let strategy = || self.run.strategy.clone();
        for pair in self.games.windows(2) {
            let (before, after) = (pair[0].0, pair[1].0);
            if before == after {
                return Err(PartError::Twice { strategy: strategy(), game: after });
            }
            if before + 1 < after {
                return Err(PartError::Missing { strategy: strategy(), from: before + 1, to: after - 1 });
            }
        }
        let first = self.games.first().map_or(0, |(game, _)| *game);
        let plan = self.run.plan(first, self.games.len() as u64);
        let plan = plan.ok_or_else(|| PartError::Line {
            path: self.first_seen.clone(),
            line: 1,
            why: format!("games on {} cannot be merged", self.run.boards),
        })?;
        Ok(Part { plan, games: self.games.into_iter().map(|(_, played)| played).collect() })
    }
}
