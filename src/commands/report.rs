//! `minesight report DIR...`: recorded runs in numbers, and as a page.

use crate::cli::ReportArgs;
use crate::page::trace::trace;
use crate::report::{Kind, Report, page};
use crate::runs;
use crate::session::{self, SessionError};
use crate::solver;
use crate::stats::WinRate;
use anyhow::Context;
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;
use std::path::Path;

/// Reads the runs, simulates what was to be expected, prints the numbers and writes the page.
pub fn run(args: &ReportArgs) -> anyhow::Result<()> {
    let runs = args.runs.iter().map(|folder| runs::load(folder)).collect::<Result<Vec<_>, _>>()?;
    runs.iter().flat_map(|run| &run.warnings).for_each(|warning| log::warn!("{warning}"));
    anyhow::ensure!(
        runs.iter().any(|run| !run.games.is_empty()),
        "no game has been recorded in {}; `minesight play --games 100 --record DIR` records some",
        args.runs.iter().map(|folder| folder.display().to_string()).collect::<Vec<_>>().join(", ")
    );
    let mut simulated: Vec<(Kind, Option<WinRate>)> = Vec::new();
    let report = Report::of(&runs, |kind| {
        let alike =
            |other: &Kind| Kind { run: kind.run.clone(), client: kind.client.clone(), ..other.clone() } == *kind;
        if let Some((_, rate)) = simulated.iter().find(|(other, _)| alike(other)) {
            return Ok::<_, anyhow::Error>(*rate);
        }
        let rate = expected(kind, args.expect)?;
        simulated.push((kind.clone(), rate));
        Ok(rate)
    })?;
    if args.games {
        runs.iter().try_for_each(|run| show_games(&run.folder))?;
    }
    let out = args.out.clone().unwrap_or_else(|| args.runs[0].join("report.html"));
    let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    write(&out, &page::html(&report, folder))?;
    if let Some(path) = &args.csv {
        write(path, &format!("{}\n{}\n", Report::CSV_HEADER, report.csv().join("\n")))?;
    }
    if args.json {
        println!("{}", serde_json::to_string(&report)?);
    } else {
        print(&report);
        println!("\nThe page is {}.", out.display());
    }
    Ok(())
}

/// The rate of simulated games of this kind. A player this version does not know is no reason to fail.
fn expected(kind: &Kind, games: u64) -> anyhow::Result<Option<WinRate>> {
    if !solver::NAMES.contains(&kind.strategy.as_str()) {
        log::warn!("the player {:?} is not known to this version; nothing is simulated for it", kind.strategy);
        return Ok(None);
    }
    let bar = ProgressBar::new(games).with_style(
        ProgressStyle::with_template("{prefix} {bar:30} {pos}/{len} games, {eta} left").expect("a fixed template"),
    );
    bar.set_prefix(format!("simulating {} {}", kind.client, kind.board()));
    let rate = kind.simulate(games, &|| bar.inc(1))?;
    bar.finish_and_clear();
    Ok(rate)
}

/// Makes a page of every kept game of a run, where there is none yet.
fn show_games(run: &Path) -> anyhow::Result<()> {
    let session = match session::load(run) {
        Err(SessionError::None(_)) => return Ok(()),
        other => other?,
    };
    session.warnings.iter().for_each(|warning| log::warn!("{warning}"));
    let missing: Vec<_> = session.games.iter().filter(|game| !page::game_page(run, game.number()).exists()).collect();
    let pages = run.join("pages");
    std::fs::create_dir_all(&pages).with_context(|| format!("{} cannot be made", pages.display()))?;
    let bar = ProgressBar::new(missing.len() as u64).with_style(
        ProgressStyle::with_template("pages of games {bar:30} {pos}/{len}, {eta} left").expect("a fixed template"),
    );
    missing.par_iter().try_for_each(|game| {
        // A game whose pictures are damaged is no reason not to show the others.
        match trace(game) {
            Ok(text) => write(&page::game_page(run, game.number()), &text)?,
            Err(error) => log::warn!("game {} has no page: {error}", game.number()),
        }
        bar.inc(1);
        Ok::<_, anyhow::Error>(())
    })?;
    bar.finish_and_clear();
    Ok(())
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    std::fs::write(path, text).with_context(|| format!("{} cannot be written; give another file", path.display()))
}

fn print(report: &Report) {
    println!(
        "{:<16} {:<14} {:<13} {:>6} {:>6} {:>6} {:>8}  {:<24} {:>10} {:>6}",
        "client", "level", "player", "games", "won", "lost", "aborted", "rate [95% interval]", "simulated", "p"
    );
    for group in &report.groups {
        let [low, high] = group.ci95.map(|share| 100.0 * share);
        let rate = format!("{:.1}% [{low:.1}, {high:.1}]", 100.0 * group.win_rate);
        let expected = group.expected.as_ref();
        println!(
            "{:<16} {:<14} {:<13} {:>6} {:>6} {:>6} {:>8}  {rate:<24} {:>10} {:>6}",
            group.kind.client,
            group.kind.board(),
            group.kind.strategy,
            group.games,
            group.wins,
            group.losses,
            group.aborted,
            expected.map_or("-".to_owned(), |expected| format!("{:.1}%", 100.0 * expected.win_rate)),
            expected.map_or("-".to_owned(), |expected| format!("{:.3}", expected.p_value)),
        );
    }
    for group in &report.groups {
        println!("\n{} {}: {:.2} guesses a game", group.kind.client, group.kind.board(), group.guesses_per_game);
        let lost: Vec<String> = group
            .reasons
            .iter()
            .filter(|(_, count)| *count > 0)
            .map(|(name, count)| format!("{count} {name}"))
            .collect();
        println!("  lost on: {}", if lost.is_empty() { "nothing".to_owned() } else { lost.join(", ") });
        group.troubles.iter().for_each(|(trouble, count)| println!("  aborted: {count} {trouble}"));
        println!(
            "  time: median {:.2} s, {:.1} clicks a second; longest row of wins {} (about {:.1} expected), without a win {}",
            group.ms_median / 1000.0,
            group.clicks_per_second,
            group.longest_wins,
            group.expected_longest_wins,
            group.longest_losses
        );
    }
    println!("\npredicted risk  observed [95% interval]  guesses");
    for bin in &report.risk {
        let [low, high] = bin.ci95.map(|share| 100.0 * share);
        let observed = format!("{:.1}% [{low:.1}, {high:.1}]", 100.0 * bin.observed);
        println!("{:>13.1}%  {observed:<24} {:>7}", 100.0 * bin.predicted, bin.guesses);
    }
}
