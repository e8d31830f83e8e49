//! What `play` tells people: a bar while it plays, a summary at the end.

use crate::board::Board;
use crate::cli::PlayArgs;
use crate::runs::{Ending, GameRecord, Stages};
use crate::solver::{Decision, Reason};
use crate::stats::WinRate;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use std::path::Path;

/// All games so far, in numbers.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    outcomes: Vec<Ending>,
    lost_on_certain: u64,
    won_ms: Vec<f64>,
    ms: f64,
    clicks: u64,
    stages: Stages,
}

/// The last line of `--json`.
#[derive(Serialize)]
pub struct Last {
    games: usize,
    wins: usize,
    losses: usize,
    aborted: usize,
    win_rate: f64,
    ci95: [f64; 2],
    lost_on_certain: u64,
    /// Half of the won games took less.
    median_won_ms: Option<f64>,
    clicks_per_second: f64,
    /// Milliseconds of all games together.
    stages: Stages,
}

impl Summary {
    /// Counts one more game.
    pub fn add(&mut self, record: &GameRecord) {
        self.outcomes.push(record.outcome);
        self.lost_on_certain += u64::from(record.fatal_risk == Some(0.0));
        if record.outcome == Ending::Won {
            self.won_ms.push(record.ms);
        }
        self.ms += record.ms;
        self.clicks += record.clicks;
        let (sum, add) = (&mut self.stages, &record.stages);
        for (sum, add) in [
            (&mut sum.capture, add.capture),
            (&mut sum.locate, add.locate),
            (&mut sum.read, add.read),
            (&mut sum.decide, add.decide),
            (&mut sum.click, add.click),
            (&mut sum.wait, add.wait),
        ] {
            *sum += add;
        }
    }

    /// Games won.
    pub fn wins(&self) -> u64 {
        self.count(Ending::Won) as u64
    }

    /// The longest row of wins.
    pub fn longest_streak(&self) -> u64 {
        let rows = self.outcomes.split(|&outcome| outcome != Ending::Won).map(|row| row.len() as u64);
        rows.max().unwrap_or(0)
    }

    fn count(&self, ending: Ending) -> usize {
        self.outcomes.iter().filter(|&&outcome| outcome == ending).count()
    }

    fn in_short(&self) -> String {
        let [low, high] = self.rate().ci95().map(|share| 100.0 * share);
        format!("{} won: {:.1}% ({low:.1} - {high:.1})", self.wins(), 100.0 * self.rate().rate())
    }

    fn rate(&self) -> WinRate {
        WinRate::of(self.outcomes.iter().map(|&outcome| outcome == Ending::Won))
    }

    /// The games so far in one line.
    pub fn last(&self) -> Last {
        Last {
            games: self.outcomes.len(),
            wins: self.count(Ending::Won),
            losses: self.count(Ending::Lost),
            aborted: self.count(Ending::Aborted),
            win_rate: self.rate().rate(),
            ci95: self.rate().ci95(),
            lost_on_certain: self.lost_on_certain,
            median_won_ms: median(&self.won_ms),
            clicks_per_second: self.clicks as f64 / (self.ms / 1000.0).max(1e-9),
            stages: self.stages,
        }
    }

    /// The last words of the command, on stdout.
    pub fn print(&self, args: &PlayArgs, client: &str) -> anyhow::Result<()> {
        let last = self.last();
        if args.json {
            println!("{}", serde_json::json!({ "summary": last }));
            return Ok(());
        }
        println!(
            "{} by {}: {} games, {} won, {} lost, {} aborted; {}",
            client,
            args.strategy.strategy,
            last.games,
            last.wins,
            last.losses,
            last.aborted,
            percent(self.rate())
        );
        if last.lost_on_certain > 0 {
            println!("lost on a tile that was held to be safe: {}", last.lost_on_certain);
        }
        if let Some(median) = last.median_won_ms {
            println!("a won game took {median:.0} ms (median); {:.0} clicks a second", last.clicks_per_second);
        }
        println!("{}", self.where_the_time_went());
        Ok(())
    }

    fn where_the_time_went(&self) -> String {
        let Stages { capture, locate, read, decide, click, wait } = self.stages;
        let share = |ms: f64| 100.0 * ms / self.ms.max(1e-9);
        format!(
            "time: waiting for paint {:.0}%, capture {:.0}%, locate {:.0}%, read {:.0}%, decide {:.0}%, click {:.0}%",
            share(wait),
            share(capture),
            share(locate),
            share(read),
            share(decide),
            share(click)
        )
    }
}

fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    let upper = *sorted.get(middle)?;
    Some(if sorted.len() % 2 == 1 { upper } else { (sorted[middle - 1] + upper) / 2.0 })
}

fn percent(rate: WinRate) -> String {
    let [low, high] = rate.ci95();
    format!("{:.1}% won (95% interval {:.1} - {:.1})", 100.0 * rate.rate(), 100.0 * low, 100.0 * high)
}

/// A bar with the running win rate, on stderr.
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    pub fn new(games: u64) -> Self {
        let (bar, template) = match games {
            1 => (ProgressBar::hidden(), ""),
            // It ends with wins, a streak or time, and nobody knows when.
            u64::MAX => (ProgressBar::no_length(), "{spinner} {pos} games, {msg}, for {elapsed}"),
            _ => (ProgressBar::new(games), "{bar:20} {pos}/{len} games, {msg}, {eta} to go"),
        };
        let style = ProgressStyle::with_template(template);
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self { bar }
    }

    /// For what is to be shown above it.
    pub fn bar(&self) -> &ProgressBar {
        &self.bar
    }

    /// Begins to count, after the games that were played before.
    pub fn begin(&self, summary: &Summary) {
        self.bar.set_position(summary.outcomes.len() as u64);
        self.bar.reset_eta();
        self.bar.set_message(summary.in_short());
    }

    /// Tells of a game that is over; `kept`: where its last pictures are, if something was odd about it.
    pub fn game_over(&self, record: &GameRecord, summary: &Summary, kept: Option<&Path>) {
        self.bar.set_message(summary.in_short());
        self.bar.inc(1);
        if let Some(trouble) = &record.trouble {
            self.say(&format!("game {} ended: {trouble}", record.game));
        }
        if record.fatal_risk == Some(0.0) {
            self.say(&format!("game {} was lost on a tile that was held to be safe", record.game));
        }
        if let Some(folder) = kept {
            self.say(&format!("its last pictures are in {}", folder.display()));
        }
    }

    fn say(&self, text: &str) {
        self.bar.suspend(|| eprintln!("{text}"));
    }

    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// A board for people.
pub fn text_of(board: &Board) -> String {
    board.rows().collect::<Vec<_>>().join("\n")
}

/// A decision in one line.
pub fn decision(decision: &Decision) -> String {
    let cells: Vec<String> = decision.open.iter().map(ToString::to_string).collect();
    match (decision.reason, cells.is_empty()) {
        (_, true) => "nothing to open".into(),
        (Reason::Certain, false) => format!("open {}: certainly safe", cells.join(" ")),
        (Reason::Guess { risk, kind }, false) => {
            format!("open {}: a guess at risk {risk:.3} ({kind:?})", cells.join(" "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0]), Some(3.0));
        assert_eq!(median(&[9.0, 1.0, 4.0]), Some(4.0));
        assert_eq!(median(&[9.0, 1.0, 4.0, 6.0]), Some(5.0));
    }
}
