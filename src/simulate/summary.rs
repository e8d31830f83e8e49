//! What the papers measure, from the games of one run.

use super::{Loss, Plan, Played};
use crate::game::Rule;
use crate::geometry::BoardSize;
use crate::solver::GuessKind;
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
    /// Games played.
    pub games: u64,
    /// Games won.
    pub wins: u64,
    /// Wins among games.
    pub win_rate: f64,
    /// Its Wilson interval.
    pub ci95: [f64; 2],
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
            games: wins.games,
            wins: wins.wins,
            win_rate: wins.rate(),
            ci95: wins.ci95(),
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
        won_without_guess,lost_start,lost_craps_shoot,lost_educated,lost_unconstrained,lost_certain,ms_per_game,seed";

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
        ]
        .join(",")
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
        let game = |won, guesses| Played { won, first_zero: won, moves: 5, guesses, us: 2000 };
        let games = [
            game(true, vec![guess(0.0, GuessKind::Start, false)]),
            game(false, vec![guess(0.15, GuessKind::Educated, false), guess(0.5, GuessKind::CrapsShoot, true)]),
            game(false, vec![guess(0.16, GuessKind::Educated, true)]),
            game(false, vec![guess(0.2, GuessKind::Start, true)]),
            game(false, vec![]),
        ];
        let boards = Boards::Dealt { size: BoardSize::new(3, 3), mines: 1 };
        let strategy = "single-point".to_owned();
        let plan = Plan { strategy, setup: Setup::default(), boards, games: 5, start: None, threads: Some(1) };
        let summary = Summary::of(&plan, &games);
        assert_eq!(summary.losses, Losses { start: 1, craps_shoot: 1, educated: 1, unconstrained: 0, certain: 1 });
        assert_eq!((summary.wins, summary.won_without_guess, summary.first_zero.games), (1, 1, 1));
        let educated = &summary.calibration["educated"];
        assert_eq!((educated.len(), educated[0].guesses, educated[0].hits), (1, 2, 1));
        assert!((educated[0].predicted - 0.155).abs() < 1e-12);
        assert_eq!(summary.calibration["all"].len(), 2);
        assert_eq!(summary.csv_row().split(',').count(), Summary::CSV_HEADER.split(',').count());
    }
}
