//! Recorded runs in numbers: what was won, what was lost on, how long it took, and what was to be expected.
//! [`page`] makes a page of it.

pub mod page;
mod plots;

use crate::game::Rule;
use crate::geometry::BoardSize;
use crate::runs::{Ending, GameRecord, Run, Stages};
use crate::simulate::{self, Boards, Plan, SimulateError};
use crate::solver::{GuessKind, Setup};
use crate::stats::{self, WinRate};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// What can be said of some runs.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The version of this program.
    pub version: String,
    /// When it was made: UTC, RFC 3339.
    pub made: String,
    /// Games of a kind, in the order of the runs and of their first games.
    pub groups: Vec<Group>,
    /// Predicted against observed risk of all guesses after the first click.
    pub risk: Vec<RiskBin>,
    /// What was not as it should be in the folders.
    pub warnings: Vec<String>,
}

/// What all games of a group have in common.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Kind {
    /// The run folder.
    pub run: PathBuf,
    /// The client.
    pub client: String,
    /// The level, where it has a name.
    pub level: Option<String>,
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Mines.
    pub mines: u32,
    /// The player.
    pub strategy: String,
    /// What the first click was promised.
    pub rule: Option<Rule>,
    /// Whether the client only deals boards that need no guess.
    pub no_guess: bool,
    /// The version that played.
    pub version: String,
}

/// Games of one kind.
#[derive(Clone, Debug, Serialize)]
pub struct Group {
    /// What they have in common.
    #[serde(flatten)]
    pub kind: Kind,
    /// Games.
    pub games: u64,
    /// Won.
    pub wins: u64,
    /// Lost.
    pub losses: u64,
    /// Not played to their end; they count as not won.
    pub aborted: u64,
    /// Wins among games.
    pub win_rate: f64,
    /// Its Wilson interval.
    pub ci95: [f64; 2],
    /// Games lost on a tile that was held to be safe.
    pub lost_on_certain: u64,
    /// What was to be expected.
    pub expected: Option<Expected>,
    /// What games were lost on, in words, with how many.
    pub reasons: Vec<(&'static str, u64)>,
    /// What went wrong in aborted games, with how many.
    pub troubles: BTreeMap<String, u64>,
    /// Guesses a game, the first click included.
    pub guesses_per_game: f64,
    /// How many games had 0, 1, 2... guesses: won, and not won.
    pub guess_counts: Vec<[u64; 2]>,
    /// Median time of a game, in milliseconds.
    pub ms_median: f64,
    /// Median time of a won game, in milliseconds.
    pub ms_median_won: Option<f64>,
    /// Time of every game, in milliseconds, in order.
    pub ms: Vec<f64>,
    /// Mean time of a game by stage, in milliseconds.
    pub stages: Stages,
    /// Clicks and key presses a second, over all games.
    pub clicks_per_second: f64,
    /// Clicks and key presses a second of the time that is spent clicking.
    pub clicks_per_second_of_clicking: f64,
    /// The number of every game in its run, in order.
    #[serde(skip)]
    pub numbers: Vec<u64>,
    /// `W`, `L` or `A` for every game, in order.
    pub outcomes: String,
    /// The longest row of wins.
    pub longest_wins: u64,
    /// The longest row of games that were not won.
    pub longest_losses: u64,
    /// How long the longest row of wins should be about, if games do not depend on each other.
    pub expected_longest_wins: f64,
    /// The games that were lost or aborted.
    pub lost: Vec<LostGame>,
}

/// What simulation says under the same rule, and whether the games differ from it.
#[derive(Clone, Debug, Serialize)]
pub struct Expected {
    /// Games simulated.
    pub games: u64,
    /// Won.
    pub wins: u64,
    /// Wins among games.
    pub win_rate: f64,
    /// Its Wilson interval.
    pub ci95: [f64; 2],
    /// The chance of a difference as large as the one found, if there is none.
    pub p_value: f64,
}

/// A game that was not won.
#[derive(Clone, Debug, Serialize)]
pub struct LostGame {
    /// Its number.
    pub game: u64,
    /// What it was lost on, or what went wrong.
    pub reason: String,
    /// The risk that was predicted.
    pub risk: Option<f64>,
    /// Its last picture, in the run folder.
    pub last_frame: Option<String>,
}

/// Guesses of nearly the same predicted risk.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct RiskBin {
    /// Guesses.
    pub guesses: u64,
    /// Mines hit.
    pub hits: u64,
    /// Mean predicted risk.
    pub predicted: f64,
    /// Mines among guesses.
    pub observed: f64,
    /// Its Wilson interval.
    pub ci95: [f64; 2],
}

/// Upper ends of the bins of risk: narrow where most guesses are.
const RISK_BINS: [f64; 8] = [0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.501, 1.0];

impl Report {
    /// What can be said of these runs. `expect` simulates games of a kind and says how many were won, or nothing.
    ///
    /// # Errors
    /// Those of `expect`.
    pub fn of<E>(runs: &[Run], mut expect: impl FnMut(&Kind) -> Result<Option<WinRate>, E>) -> Result<Self, E> {
        let mut kinds: Vec<(Kind, Vec<&GameRecord>)> = Vec::new();
        for run in runs {
            for record in &run.games {
                let kind = Kind::of(run, record);
                match kinds.iter_mut().find(|(other, _)| *other == kind) {
                    Some((_, games)) => games.push(record),
                    None => kinds.push((kind, vec![record])),
                }
            }
        }
        let mut groups = Vec::new();
        for (kind, games) in kinds {
            let expected = expect(&kind)?;
            groups.push(Group::of(kind, &games, expected));
        }
        Ok(Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            made: crate::runs::now(),
            groups,
            risk: risk_bins(runs.iter().flat_map(|run| &run.games)),
            warnings: runs.iter().flat_map(|run| run.warnings.iter().cloned()).collect(),
        })
    }

    /// The columns of [`Report::csv`].
    pub const CSV_HEADER: &str = "run,client,level,width,height,mines,strategy,rule,version,games,wins,losses,aborted,\
        win_rate,ci_low,ci_high,lost_on_certain,expected_games,expected_rate,expected_p,guesses_per_game,ms_median,\
        ms_median_won,clicks_per_second,longest_wins,longest_losses";

    /// One line a group.
    pub fn csv(&self) -> Vec<String> {
        self.groups.iter().map(Group::csv_row).collect()
    }
}

impl Kind {
    fn of(run: &Run, record: &GameRecord) -> Self {
        Self {
            run: run.folder.clone(),
            client: record.client.clone(),
            level: record.level.clone(),
            width: record.width,
            height: record.height,
            mines: record.mines,
            strategy: record.strategy.clone(),
            rule: record.rule,
            no_guess: record.no_guess,
            version: record.version.clone(),
        }
    }

    /// The board in words: `expert`, or `30x16/99`.
    pub fn board(&self) -> String {
        self.level.clone().unwrap_or_else(|| format!("{}x{}/{}", self.width, self.height, self.mines))
    }

    /// Plays `games` games of this kind without a screen; nothing where they cannot be simulated, because the client
    /// only deals boards of its own sort or nothing is known of its rule.
    ///
    /// # Errors
    /// See [`SimulateError`].
    pub fn simulate(&self, games: u64, finished: &(dyn Fn() + Sync)) -> Result<Option<WinRate>, SimulateError> {
        let (Some(rule), false, true) = (self.rule, self.no_guess, games > 0) else { return Ok(None) };
        let boards = Boards::Dealt { size: BoardSize::new(self.width, self.height), mines: self.mines };
        let plan = Plan::new(&self.strategy, Setup { rule, ..Setup::default() }, boards, games);
        let played = simulate::play_all(&plan, finished, |_, _| Ok(()))?;
        Ok(Some(WinRate::of(played.iter().map(|game| game.won))))
    }
}

impl Group {
    fn of(kind: Kind, games: &[&GameRecord], expected: Option<WinRate>) -> Self {
        let count = |ending| games.iter().filter(|record| record.outcome == ending).count() as u64;
        let rate = WinRate::of(games.iter().map(|record| record.outcome == Ending::Won));
        let won = games.iter().filter(|record| record.outcome == Ending::Won);
        let seconds: f64 = games.iter().map(|record| record.ms).sum::<f64>() / 1000.0;
        let clicks: u64 = games.iter().map(|record| record.clicks).sum();
        let clicking: f64 = games.iter().map(|record| record.stages.click).sum::<f64>() / 1000.0;
        let per = |count: u64, seconds: f64| if seconds > 0.0 { count as f64 / seconds } else { 0.0 };
        let outcomes = games.iter().map(|record| match record.outcome {
            Ending::Won => 'W',
            Ending::Lost => 'L',
            Ending::Aborted => 'A',
        });
        Self {
            games: rate.games,
            wins: rate.wins,
            losses: count(Ending::Lost),
            aborted: count(Ending::Aborted),
            win_rate: rate.rate(),
            ci95: rate.ci95(),
            lost_on_certain: games.iter().filter(|record| lost_on_certain(record)).count() as u64,
            expected: expected.map(|expected| Expected {
                games: expected.games,
                wins: expected.wins,
                win_rate: expected.rate(),
                ci95: expected.ci95(),
                p_value: stats::compare(rate, expected).p_value,
            }),
            reasons: reasons(games),
            troubles: troubles(games),
            guesses_per_game: games.iter().map(|record| record.guesses.len()).sum::<usize>() as f64
                / (games.len() as f64).max(1.0),
            guess_counts: guess_counts(games),
            ms_median: median(games.iter().map(|record| record.ms)).unwrap_or(0.0),
            ms_median_won: median(won.map(|record| record.ms)),
            ms: games.iter().map(|record| record.ms).collect(),
            stages: mean_stages(games),
            clicks_per_second: per(clicks, seconds),
            clicks_per_second_of_clicking: per(clicks, clicking),
            numbers: games.iter().map(|record| record.game).collect(),
            outcomes: outcomes.collect(),
            longest_wins: longest(games, |record| record.outcome == Ending::Won),
            longest_losses: longest(games, |record| record.outcome != Ending::Won),
            expected_longest_wins: expected_longest(rate),
            lost: games.iter().filter(|record| record.outcome != Ending::Won).map(|record| lost_game(record)).collect(),
            kind,
        }
    }

    fn csv_row(&self) -> String {
        let Kind { run, client, level, width, height, mines, strategy, rule, version, .. } = &self.kind;
        let quoted = |text: &str| match text.contains([',', '"', '\n']) {
            true => format!("\"{}\"", text.replace('"', "\"\"")),
            false => text.to_owned(),
        };
        let expected = |value: fn(&Expected) -> String| self.expected.as_ref().map_or(String::new(), value);
        [
            quoted(&run.display().to_string()),
            quoted(client),
            quoted(level.as_deref().unwrap_or_default()),
            format!("{width},{height},{mines}"),
            quoted(strategy),
            rule.map_or(String::new(), |rule| rule.to_string()),
            quoted(version),
            format!("{},{},{},{}", self.games, self.wins, self.losses, self.aborted),
            format!("{:.6},{:.6},{:.6},{}", self.win_rate, self.ci95[0], self.ci95[1], self.lost_on_certain),
            expected(|expected| expected.games.to_string()),
            expected(|expected| format!("{:.6}", expected.win_rate)),
            expected(|expected| format!("{:.4}", expected.p_value)),
            format!("{:.4},{:.1}", self.guesses_per_game, self.ms_median),
            self.ms_median_won.map_or(String::new(), |ms| format!("{ms:.1}")),
            format!("{:.2},{},{}", self.clicks_per_second, self.longest_wins, self.longest_losses),
        ]
        .join(",")
    }
}

/// Whether the game was lost on a tile that was held to be safe.
pub fn lost_on_certain(record: &GameRecord) -> bool {
    record.outcome == Ending::Lost && record.fatal_risk == Some(0.0)
}

fn lost_game(record: &GameRecord) -> LostGame {
    let reason = match record.outcome {
        Ending::Aborted => record.trouble.clone().unwrap_or_else(|| "aborted".to_owned()),
        _ => reason(record).to_owned(),
    };
    LostGame { game: record.game, reason, risk: record.fatal_risk, last_frame: record.last_frame.clone() }
}

/// What a lost game was lost on.
fn reason(record: &GameRecord) -> &'static str {
    match record.fatal_kind {
        _ if lost_on_certain(record) => "held to be safe",
        Some(kind) => kind_in_words(kind),
        None => "not known",
    }
}

fn kind_in_words(kind: GuessKind) -> &'static str {
    match kind {
        GuessKind::Start => "the first click",
        GuessKind::CrapsShoot => "an enclosed guess",
        GuessKind::Educated => "a guess beside a number",
        GuessKind::Unconstrained => "a guess away from numbers",
    }
}

fn reasons(games: &[&GameRecord]) -> Vec<(&'static str, u64)> {
    let order = [GuessKind::Start, GuessKind::CrapsShoot, GuessKind::Educated, GuessKind::Unconstrained];
    let all = order.map(kind_in_words).into_iter().chain(["held to be safe", "not known"]);
    let lost = || games.iter().filter(|record| record.outcome == Ending::Lost);
    all.map(|name| (name, lost().filter(|record| reason(record) == name).count() as u64)).collect()
}

fn troubles(games: &[&GameRecord]) -> BTreeMap<String, u64> {
    let mut troubles = BTreeMap::new();
    for record in games.iter().filter(|record| record.outcome == Ending::Aborted) {
        *troubles.entry(record.trouble.clone().unwrap_or_else(|| "not known".to_owned())).or_default() += 1;
    }
    troubles
}

fn guess_counts(games: &[&GameRecord]) -> Vec<[u64; 2]> {
    let most = games.iter().map(|record| record.guesses.len()).max().unwrap_or(0);
    let mut counts = vec![[0, 0]; most + 1];
    for record in games {
        counts[record.guesses.len()][usize::from(record.outcome != Ending::Won)] += 1;
    }
    counts
}

fn mean_stages(games: &[&GameRecord]) -> Stages {
    let mean =
        |stage: fn(&Stages) -> f64| games.iter().map(|game| stage(&game.stages)).sum::<f64>() / games.len() as f64;
    Stages {
        capture: mean(|stages| stages.capture),
        locate: mean(|stages| stages.locate),
        read: mean(|stages| stages.read),
        decide: mean(|stages| stages.decide),
        click: mean(|stages| stages.click),
        wait: mean(|stages| stages.wait),
    }
}

fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let (lower, upper) = (values.get(values.len().saturating_sub(1) / 2)?, values.get(values.len() / 2)?);
    Some((lower + upper) / 2.0)
}

/// The longest row of games of a sort.
fn longest(games: &[&GameRecord], is_of_the_sort: impl Fn(&GameRecord) -> bool) -> u64 {
    let rows = games.split(|record| !is_of_the_sort(record)).map(|row| row.len() as u64);
    rows.max().unwrap_or(0)
}

/// The longest row of wins to be expected of independent games (M. F. Schilling, The Longest Run of Heads, 1990).
fn expected_longest(rate: WinRate) -> f64 {
    let (n, p) = (rate.games as f64, rate.rate());
    const EULER: f64 = 0.577_215_664_901_532_9;
    if p <= 0.0 {
        0.0
    } else if p >= 1.0 {
        n
    } else {
        (((n * (1.0 - p)).ln() + EULER) / -p.ln() - 0.5).clamp(0.0, n)
    }
}

/// Every guess after the first click: its predicted risk, and whether the game was lost on it.
fn guesses(record: &GameRecord) -> impl Iterator<Item = (f64, bool)> {
    let last = record.guesses.len();
    let hit = record.outcome == Ending::Lost && !lost_on_certain(record);
    let kinds = record.kinds.iter().map(Some).chain(std::iter::repeat(None));
    let all = record.guesses.iter().zip(kinds).enumerate();
    all.filter(|(_, (_, kind))| *kind != Some(&GuessKind::Start))
        .map(move |(index, (&risk, _))| (risk, hit && index + 1 == last))
}

fn risk_bins<'a>(games: impl Iterator<Item = &'a GameRecord>) -> Vec<RiskBin> {
    let mut sums = [(0u64, 0u64, 0.0); RISK_BINS.len()];
    for (risk, hit) in games.flat_map(guesses) {
        let bin = RISK_BINS.iter().position(|&end| risk <= end).unwrap_or(RISK_BINS.len() - 1);
        let (guesses, hits, total) = &mut sums[bin];
        (*guesses, *hits, *total) = (*guesses + 1, *hits + u64::from(hit), *total + risk);
    }
    let filled = sums.into_iter().filter(|(guesses, ..)| *guesses > 0);
    filled
        .map(|(guesses, hits, total)| {
            let rate = WinRate { wins: hits, games: guesses };
            RiskBin { guesses, hits, predicted: total / guesses as f64, observed: rate.rate(), ci95: rate.ci95() }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::RunHeader;

    fn record(game: u64, outcome: &str, guesses: &str, kinds: &str, fatal: &str) -> GameRecord {
        let line = format!(
            r#"{{"game":{game},"outcome":"{outcome}","width":9,"height":9,"mines":10,"moves":5,"guesses":{guesses},
                "kinds":{kinds},{fatal},"ms":{},"client":"a","strategy":"best","rule":"safe","clicks":10,
                "stages":{{"click":500.0}}}}"#,
            1000 * game
        );
        serde_json::from_str(&line).unwrap()
    }

    fn run() -> Run {
        let lost = r#""fatal_risk":0.5,"fatal_kind":"craps_shoot""#;
        let none = r#""fatal_risk":null"#;
        let games = vec![
            record(1, "won", "[0.0]", r#"["start"]"#, none),
            record(2, "won", "[0.0,0.5]", r#"["start","craps_shoot"]"#, none),
            record(3, "lost", "[0.0,0.1,0.5]", r#"["start","educated","craps_shoot"]"#, lost),
            record(4, "lost", "[0.0]", r#"["start"]"#, r#""fatal_risk":0.0"#),
            record(5, "aborted", "[]", "[]", none),
        ];
        Run { folder: "runs/a".into(), header: RunHeader::new("best", 1), games, warnings: vec!["odd".into()] }
    }

    #[test]
    fn games_are_counted_by_kind_and_reason() {
        let mut other = run();
        other.games.iter_mut().for_each(|record| record.client = "b".to_owned());
        let expected = WinRate { wins: 900, games: 1000 };
        let expect = |kind: &Kind| Ok::<_, ()>((kind.client == "a").then_some(expected));
        let report = Report::of(&[run(), other], expect).unwrap();
        assert_eq!(report.groups.len(), 2);
        let group = &report.groups[0];
        assert_eq!((group.games, group.wins, group.losses, group.aborted), (5, 2, 2, 1));
        assert_eq!((group.outcomes.as_str(), group.longest_wins, group.longest_losses), ("WWLLA", 2, 3));
        assert_eq!((group.ms_median, group.ms_median_won), (3000.0, Some(1500.0)));
        assert_eq!(group.guess_counts, [[0, 1], [1, 1], [1, 0], [0, 1]]);
        assert_eq!((group.lost_on_certain, group.clicks_per_second_of_clicking), (1, 20.0));
        let reasons: Vec<_> = group.reasons.iter().filter(|(_, count)| *count > 0).collect();
        assert_eq!(reasons, [&("an enclosed guess", 1), &("held to be safe", 1)]);
        assert!(group.expected.as_ref().is_some_and(|expected| expected.p_value < 0.05));
        assert!(report.groups[1].expected.is_none());
        // First clicks are no guesses here; of the rest one of two at 0.5 was a mine, in both runs.
        let bins: Vec<_> = report.risk.iter().map(|bin| (bin.guesses, bin.hits, bin.predicted)).collect();
        assert_eq!(bins, [(2, 0, 0.1), (4, 2, 0.5)]);
        assert_eq!(report.warnings.len(), 2);
        let columns = Report::CSV_HEADER.split(',').count();
        assert!(report.csv().iter().all(|row| row.split(',').count() == columns));
    }

    /// The expected longest row of wins, exactly: the chance that no row reaches `k`, by the length of the last one.
    fn exact_longest(games: usize, p: f64) -> f64 {
        let stays_below = |k: usize| {
            let mut chances = vec![0.0; k];
            chances[0] = 1.0;
            for _ in 0..games {
                let lost = chances.iter().sum::<f64>() * (1.0 - p);
                for length in (1..k).rev() {
                    chances[length] = chances[length - 1] * p;
                }
                chances[0] = lost;
            }
            chances.iter().sum::<f64>()
        };
        (1..=games).map(|k| 1.0 - stays_below(k)).sum()
    }

    #[test]
    fn the_longest_row_of_wins() {
        for (wins, games) in [(100, 200), (60, 150), (180, 200)] {
            let rate = WinRate { wins, games };
            let (found, exact) = (expected_longest(rate), exact_longest(games as usize, rate.rate()));
            assert!((found - exact).abs() < 0.05 * exact, "{wins} of {games}: {found}, exactly {exact}");
        }
    }
}
