//! What the papers measure, from the games of one run.

use super::{Loss, Plan, Played};
use crate::game::Rule;
use crate::geometry::BoardSize;
use crate::solver::GuessKind;
use crate::solver::strategies::SetSize;
use crate::stats::{self, WinRate};
use serde::Serialize;
use std::collections::BTreeMap;

/// One run in numbers. Rates and risks are 0..1, intervals 95%.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// The player.
    pub strategy: String,
    /// The area it searched, if it is one that searches areas.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub area: Option<String>,
    /// The rule of the first click.
    pub rule: Rule,
    /// Columns of the (first) board.
    pub width: u32,
    /// Rows of the (first) board.
    pub height: u32,
    /// Mines of the (first) board.
    pub mines: u32,
    /// The number of the first game, if that is not 0.
    #[serde(skip_serializing_if = "is_zero")]
    pub from: u64,
    /// Games played.
    pub games: u64,
    /// Games won.
    pub wins: u64,
    /// Wins among games.
    pub win_rate: f64,
    /// Its Wilson interval.
    pub ci95: [f64; 2],
    /// Wins that the chances of all guesses let expect, if games were judged by them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<Expected>,
    /// Guesses a game, the first click included.
    pub guesses_per_game: f64,
    /// Mean time of a game, on one thread.
    pub ms_per_game: f64,
    /// The seed of the run.
    pub seed: u64,
    /// Threads that played.
    pub threads: usize,
    /// Tiles clicked a game.
    pub moves_per_game: f64,
    /// Variance of the guesses a game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guess_variance: Option<f64>,
    /// Variance of the wins in sets of 100 games; its expectation is 100 p (1 - p).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub win_variance_per_100: Option<f64>,
    /// The games whose first click was an opening.
    pub first_zero: Rate,
    /// Games won with no guess but the first click.
    pub won_without_guess: u64,
    /// What games were lost on.
    pub losses: Losses,
    /// Predicted against observed risk, for all guesses after the first click (`all`) and for each kind.
    pub calibration: BTreeMap<&'static str, Vec<Bin>>,
    /// The coupled sets of constraints, if they were measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sets: Option<SetSizes>,
}

/// The coupled sets of constraints that were left to solve, after Studholme's last section: how large they were.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SetSizes {
    /// How many there were.
    pub sets: u64,
    /// Tiles in one, on average.
    pub mean_tiles: f64,
    /// Constraints in one, on average.
    pub mean_constraints: f64,
    /// The share of sets with fewer than 1000 solutions.
    pub under_1000_solutions: f64,
    /// The one with the most tiles.
    pub most_tiles: SetSize,
    /// The one with the most tiles less constraints.
    pub most_freedom: SetSize,
    /// The one with the most solutions.
    pub most_solutions: SetSize,
    /// How many sets have so many tiles less constraints.
    pub by_freedom: BTreeMap<i64, u64>,
}

impl SetSizes {
    /// Of all sets of all games; nothing if there are none.
    fn of(games: &[Played]) -> Option<Self> {
        let sets = || games.iter().flat_map(|game| &game.sets).copied();
        let count = sets().count() as u64;
        let mean = |value: fn(SetSize) -> f64| sets().map(value).sum::<f64>() / count as f64;
        let mut by_freedom = BTreeMap::new();
        sets().for_each(|set| *by_freedom.entry(set.freedom()).or_insert(0) += 1);
        Some(Self {
            sets: count,
            most_tiles: sets().max_by_key(|set| set.tiles)?,
            most_freedom: sets().max_by_key(|set| set.freedom())?,
            most_solutions: sets().max_by(|a, b| a.solutions.total_cmp(&b.solutions))?,
            mean_tiles: mean(|set| set.tiles.into()),
            mean_constraints: mean(|set| set.constraints.into()),
            under_1000_solutions: mean(|set| f64::from(set.solutions < 1000.0)),
            by_freedom,
        })
    }
}

/// A win rate with its interval.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Rate {
    /// Games.
    pub games: u64,
    /// Games won.
    pub wins: u64,
    /// Wins among games.
    pub win_rate: f64,
    /// Its Wilson interval.
    pub ci95: [f64; 2],
}

impl From<WinRate> for Rate {
    fn from(rate: WinRate) -> Self {
        Self { games: rate.games, wins: rate.wins, win_rate: rate.rate(), ci95: rate.ci95() }
    }
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde asks for a reference.
fn is_zero(from: &u64) -> bool {
    *from == 0
}

/// Expected wins: the win rate without the coin of the guesses.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Expected {
    /// Wins among games.
    pub win_rate: f64,
    /// Its interval.
    pub ci95: [f64; 2],
    /// One game tells as much as so many whose outcome alone is counted.
    pub worth_games: f64,
}

impl Expected {
    /// Of games that were all judged by their chances; nothing for fewer than two.
    fn of(games: &[Played]) -> Option<Self> {
        let all: Vec<f64> = games.iter().map(|game| game.expected).collect::<Option<_>>()?;
        let (win_rate, ci95) = stats::mean_ci95(all.iter().copied())?;
        let (_, variance) = stats::mean_and_variance(all)?;
        Some(Self { win_rate, ci95, worth_games: win_rate * (1.0 - win_rate) / variance })
    }
}

/// What games were lost on, after Studholme's figure 6.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Losses {
    /// The first click.
    pub start: u64,
    /// A part of the board where nothing learned elsewhere could help.
    pub craps_shoot: u64,
    /// A tile next to an open number.
    pub educated: u64,
    /// A tile away from every open number.
    pub unconstrained: u64,
    /// A tile held to be certain; a sound player never loses one.
    pub certain: u64,
}

/// Guesses of nearly the same predicted risk.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Bin {
    /// Lowest predicted risk of the bin.
    pub from: f64,
    /// Where the next bin begins.
    pub to: f64,
    /// Guesses in it.
    pub guesses: u64,
    /// Mines hit.
    pub hits: u64,
    /// Mean predicted risk.
    pub predicted: f64,
    /// Mines hit among guesses.
    pub observed: f64,
    /// Wilson interval of `observed`.
    pub ci95: [f64; 2],
}

impl Summary {
    /// The columns of [`Summary::risk_rows`].
    pub const RISK_HEADER: &str = "strategy,area,rule,width,height,mines,kind,from,to,guesses,hits,predicted,observed,\
        ci_low,ci_high";

    /// Predicted against observed risk as lines of a table, one a bin.
    pub fn risk_rows(&self) -> impl Iterator<Item = String> {
        let area = self.area.as_deref().unwrap_or_default();
        let board = format!("{},{area},{},{},{},{}", self.strategy, self.rule, self.width, self.height, self.mines);
        self.calibration.iter().flat_map(|(kind, bins)| bins.iter().map(move |bin| (kind, bin))).map(
            move |(kind, bin)| {
                let Bin { from, to, guesses, hits, predicted, observed, ci95: [low, high] } = bin;
                format!("{board},{kind},{from},{to},{guesses},{hits},{predicted:.4},{observed:.4},{low:.4},{high:.4}")
            },
        )
    }
}

/// Bins of risk: 5 points wide.
const BINS: usize = 20;

impl Summary {
    /// What can be said of the games of a plan.
    pub fn of(plan: &Plan, games: &[Played]) -> Self {
        let (BoardSize { width, height }, mines) = plan.boards.size_and_mines();
        let outcomes: Vec<bool> = games.iter().map(|game| game.won).collect();
        let wins = WinRate::of(outcomes.iter().copied());
        let mean = |value: fn(&Played) -> f64| games.iter().map(value).sum::<f64>() / (games.len() as f64).max(1.0);
        let guesses = games.iter().map(|game| game.guesses.len() as f64);
        let first_zero = games.iter().filter(|game| game.first_zero).map(|game| game.won);
        Self {
            strategy: plan.strategy.clone(),
            area: (plan.strategy == "limited-search-probability").then(|| plan.setup.area.to_string()),
            rule: plan.setup.rule,
            width,
            height,
            mines,
            from: plan.first,
            games: wins.games,
            wins: wins.wins,
            win_rate: wins.rate(),
            ci95: wins.ci95(),
            expected: Expected::of(games),
            guesses_per_game: mean(|game| game.guesses.len() as f64),
            ms_per_game: mean(|game| game.us as f64) / 1000.0,
            seed: plan.setup.seed,
            threads: plan.thread_count(),
            moves_per_game: mean(|game| f64::from(game.moves)),
            guess_variance: stats::mean_and_variance(guesses).map(|(_, variance)| variance),
            win_variance_per_100: stats::sets_of(&outcomes, 100).map(|(_, variance)| variance),
            first_zero: WinRate::of(first_zero).into(),
            won_without_guess: games.iter().filter(|game| game.won && game.is_without_guess()).count() as u64,
            losses: Losses::of(games),
            calibration: calibration(games),
            sets: SetSizes::of(games),
        }
    }

    /// The name of the player, with its area if it has one.
    pub fn label(&self) -> String {
        match &self.area {
            Some(area) => format!("{} ({area})", self.strategy),
            None => self.strategy.clone(),
        }
    }

    /// The columns of [`Summary::csv_row`].
    pub const CSV_HEADER: &str = "strategy,area,rule,width,height,mines,games,wins,win_rate,ci_low,ci_high,\
        win_variance_per_100,first_zero_games,first_zero_wins,guesses_per_game,guess_variance,moves_per_game,\
        won_without_guess,lost_start,lost_craps_shoot,lost_educated,lost_unconstrained,lost_certain,ms_per_game,seed,\
        sets,set_mean_tiles,set_mean_constraints,sets_under_1000_solutions,set_most_tiles,set_most_freedom,set_most_solutions";

    /// The numbers as one line of a table.
    pub fn csv_row(&self) -> String {
        let optional = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.4}"));
        let lost = self.losses;
        [
            self.strategy.clone(),
            self.area.clone().unwrap_or_default(),
            self.rule.to_string(),
            format!("{},{},{},{},{}", self.width, self.height, self.mines, self.games, self.wins),
            format!("{:.6},{:.6},{:.6}", self.win_rate, self.ci95[0], self.ci95[1]),
            optional(self.win_variance_per_100),
            format!("{},{}", self.first_zero.games, self.first_zero.wins),
            format!("{:.4}", self.guesses_per_game),
            optional(self.guess_variance),
            format!("{:.3},{}", self.moves_per_game, self.won_without_guess),
            format!("{},{},{}", lost.start, lost.craps_shoot, lost.educated),
            format!("{},{}", lost.unconstrained, lost.certain),
            format!("{:.4},{}", self.ms_per_game, self.seed),
            self.sets.as_ref().map_or(",,,,,,".to_owned(), SetSizes::csv),
        ]
        .join(",")
    }
}

impl SetSizes {
    fn csv(&self) -> String {
        format!(
            "{},{:.2},{:.2},{:.6},{},{},{:.0}",
            self.sets,
            self.mean_tiles,
            self.mean_constraints,
            self.under_1000_solutions,
            self.most_tiles.tiles,
            self.most_freedom.freedom(),
            self.most_solutions.solutions
        )
    }
}

impl Losses {
    fn of(games: &[Played]) -> Self {
        let mut losses = Self::default();
        for loss in games.iter().filter_map(Played::loss) {
            *match loss {
                Loss::Certain => &mut losses.certain,
                Loss::Guess(GuessKind::Start) => &mut losses.start,
                Loss::Guess(GuessKind::CrapsShoot) => &mut losses.craps_shoot,
                Loss::Guess(GuessKind::Educated) => &mut losses.educated,
                Loss::Guess(GuessKind::Unconstrained) => &mut losses.unconstrained,
            } += 1;
        }
        losses
    }
}

fn calibration(games: &[Played]) -> BTreeMap<&'static str, Vec<Bin>> {
    // Guesses, hits and the sum of the predicted risks, by bin.
    let mut tallies: BTreeMap<&'static str, [(u64, u64, f64); BINS]> = BTreeMap::new();
    for guess in games.iter().flat_map(|game| &game.guesses) {
        let kind = match guess.kind {
            GuessKind::Start => continue,
            GuessKind::CrapsShoot => "craps_shoot",
            GuessKind::Educated => "educated",
            GuessKind::Unconstrained => "unconstrained",
        };
        // Risks such as 3/20 = 0.15 belong to the bin that begins with them, whatever their last digit.
        let bin = ((guess.risk * BINS as f64 + 1e-9) as usize).min(BINS - 1);
        for name in ["all", kind] {
            let (guesses, hits, predicted) = &mut tallies.entry(name).or_insert([(0, 0, 0.0); BINS])[bin];
            *guesses += 1;
            *hits += u64::from(guess.hit);
            *predicted += guess.risk;
        }
    }
    let bins = |tally: [(u64, u64, f64); BINS]| {
        let full = tally.into_iter().enumerate().filter(|(_, (guesses, ..))| *guesses > 0);
        full.map(|(index, (guesses, hits, predicted))| Bin::of(index, guesses, hits, predicted)).collect()
    };
    tallies.into_iter().map(|(kind, tally)| (kind, bins(tally))).collect()
}

impl Bin {
    fn of(index: usize, guesses: u64, hits: u64, predicted: f64) -> Self {
        let observed = WinRate { wins: hits, games: guesses };
        Self {
            from: index as f64 / BINS as f64,
            to: (index + 1) as f64 / BINS as f64,
            guesses,
            hits,
            predicted: predicted / guesses as f64,
            observed: observed.rate(),
            ci95: observed.ci95(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Boards, Guess};
    use super::*;
    use crate::solver::Setup;

    #[test]
    fn losses_and_calibration_are_counted() {
        let guess = |risk, kind, hit| Guess { risk, kind, hit };
        let sets = vec![SetSize { tiles: 5, constraints: 2, solutions: 1200.0 }];
        let game = |won, guesses| Played {
            won,
            first_zero: won,
            moves: 5,
            guesses,
            us: 2000,
            sets: sets.clone(),
            expected: None,
        };
        let games = [
            game(true, vec![guess(0.0, GuessKind::Start, false)]),
            game(false, vec![guess(0.15, GuessKind::Educated, false), guess(0.5, GuessKind::CrapsShoot, true)]),
            game(false, vec![guess(0.16, GuessKind::Educated, true)]),
            game(false, vec![guess(0.2, GuessKind::Start, true)]),
            game(false, vec![]),
        ];
        let boards = Boards::Dealt { size: BoardSize::new(3, 3), mines: 1 };
        let plan = Plan { sizes: true, ..Plan::new("single-point", Setup::default(), boards, 5) };
        let summary = Summary::of(&plan, &games);
        assert_eq!(summary.losses, Losses { start: 1, craps_shoot: 1, educated: 1, unconstrained: 0, certain: 1 });
        assert_eq!((summary.wins, summary.won_without_guess, summary.first_zero.games), (1, 1, 1));
        let educated = &summary.calibration["educated"];
        assert_eq!((educated.len(), educated[0].guesses, educated[0].hits), (1, 2, 1));
        assert!((educated[0].predicted - 0.155).abs() < 1e-12);
        assert_eq!(summary.calibration["all"].len(), 2);
        let sets = summary.sets.as_ref().unwrap();
        assert_eq!((sets.sets, sets.most_freedom.freedom(), sets.under_1000_solutions), (5, 3, 0.0));
        assert_eq!(sets.by_freedom, BTreeMap::from([(3, 5)]));
        let rows: Vec<String> = summary.risk_rows().collect();
        assert_eq!(rows.len(), 4, "two bins of all, one of each kind: {rows:?}");
        assert!(rows.iter().all(|row| row.split(',').count() == Summary::RISK_HEADER.split(',').count()), "{rows:?}");
        assert_eq!(summary.csv_row().split(',').count(), Summary::CSV_HEADER.split(',').count());
    }
}
