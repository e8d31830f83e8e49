//! `minesight simulate`: games without a screen, in numbers.

use crate::cli::SimulateArgs;
use crate::simulate::{self, Boards, Part, Plan, Played, Point, Recorder, Summary, Sweep};
use crate::solver::Setup;
use crate::stats::{self, Difference};
use anyhow::Context;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Plays, then prints the summary and writes the files that were asked for.
pub fn run(args: &SimulateArgs) -> anyhow::Result<()> {
    let check_files =
        || [&args.csv, &args.risks, &args.svg].into_iter().flatten().try_for_each(|path| check_writable(path));
    if !args.merge.is_empty() {
        check_files()?;
        return report(args, &simulate::merge(&args.merge)?);
    }
    let plans = plans(args)?;
    check_files()?;
    match &args.sweep {
        None => report(args, &play_plans(args, &plans)?),
        Some(sweep) => run_sweep(args, sweep, &plans),
    }
}

/// One plan for every player, all on the same boards.
fn plans(args: &SimulateArgs) -> anyhow::Result<Vec<Plan>> {
    let boards = match &args.boards {
        Some(path) => Boards::load(path)?,
        None => {
            let (size, mines) = args.board.resolve()?;
            Boards::Dealt { size, mines }
        }
    };
    let games = match (&boards, args.games) {
        (_, Some(games)) => games,
        (Boards::Exact(layouts), None) => (layouts.len() as u64).saturating_sub(args.from),
        (Boards::Dealt { .. }, None) => 1000,
    };
    let plan = |name: &str| {
        let setup = Setup { rule: args.rule.rule, ..args.strategy.setup(args.think) };
        let plan = Plan {
            first: args.from,
            start: args.start,
            threads: args.threads.map(|threads| threads.get().into()),
            sizes: args.sizes,
            ..Plan::new(name.trim(), setup, boards.clone(), games)
        };
        // Comparisons use expected wins wherever they are known.
        Plan { expected: args.expected || args.against.is_some() && plan.has_chances().is_ok(), ..plan }
    };
    let others = args.against.iter().flat_map(|names| names.split(','));
    let plans: Vec<Plan> = args.strategy.strategy.split(',').chain(others).map(plan).collect();
    plans.iter().try_for_each(Plan::check)?;
    Ok(plans)
}

/// How the other players, or other settings of one, do beside the first one, on the same boards.
#[derive(Serialize)]
struct Comparison {
    first: String,
    second: String,
    #[serde(flatten)]
    difference: Difference,
    /// The same by expected wins.
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<Difference>,
    /// How many times as many boards whose outcomes alone are compared would tell as much.
    #[serde(skip_serializing_if = "Option::is_none")]
    worth_games: Option<f64>,
}

impl Comparison {
    fn of(first: &Part, second: &Part) -> Self {
        let won = |part: &Part| part.games.iter().map(|game| game.won).collect::<Vec<bool>>();
        let expected = |part: &Part| part.games.iter().map(|game| game.expected).collect::<Option<Vec<f64>>>();
        let difference = stats::compare_paired(&won(first), &won(second));
        let expected = expected(first).zip(expected(second)).map(|(one, other)| stats::compare_means(&one, &other));
        let width = |difference: &Difference| difference.ci95[1] - difference.ci95[0];
        let worth = expected.as_ref().map(|expected| (width(&difference) / width(expected)).powi(2));
        Self {
            first: first.plan.strategy.clone(),
            second: second.plan.strategy.clone(),
            difference,
            expected,
            worth_games: worth.filter(|worth| worth.is_finite()),
        }
    }
}

fn play_plans(args: &SimulateArgs, plans: &[Plan]) -> anyhow::Result<Vec<Part>> {
    let create = |path: &PathBuf| Recorder::create(path).with_context(|| cannot_write(path));
    let mut out = args.games_out.as_ref().map(create).transpose()?;
    let bar = progress(plans.iter().map(|plan| plan.games).sum());
    let mut parts = Vec::new();
    for plan in plans {
        if let Some(out) = &mut out {
            out.begin(plan, plans.len() > 1);
        }
        let keep = |index, played: &Played| out.as_mut().map_or(Ok(()), |out| out.write(index, played));
        let games = simulate::play_all(plan, &|| bar.inc(1), keep)?;
        parts.push(Part { plan: plan.clone(), games });
    }
    bar.finish_and_clear();
    if let Some((out, path)) = out.zip(args.games_out.as_ref()) {
        out.finish().with_context(|| cannot_write(path))?;
    }
    Ok(parts)
}

/// What was played, in numbers.
fn report(args: &SimulateArgs, parts: &[Part]) -> anyhow::Result<()> {
    let runs: Vec<Summary> = parts.iter().map(|part| Summary::of(&part.plan, &part.games)).collect();
    let comparisons: Vec<Comparison> = parts.iter().skip(1).map(|part| Comparison::of(&parts[0], part)).collect();
    if let Some(path) = &args.csv {
        let rows: Vec<String> = runs.iter().map(Summary::csv_row).collect();
        write_csv(path, Summary::CSV_HEADER, &rows)?;
    }
    write_risks(args, &runs)?;
    if let Some(path) = &args.svg {
        simulate::draw_calibration(path, &runs)?;
    }
    // Not `println!`, which panics when nobody listens any more.
    let mut stdout = std::io::stdout().lock();
    match (&runs[..], args.json) {
        ([run], true) => writeln!(stdout, "{}", serde_json::to_string(run)?)?,
        (runs, true) => writeln!(stdout, "{}", serde_json::json!({ "runs": runs, "comparisons": comparisons }))?,
        (runs, false) => print_runs(&mut stdout, runs, &comparisons)?,
    }
    Ok(())
}

fn run_sweep(args: &SimulateArgs, sweep: &Sweep, plans: &[Plan]) -> anyhow::Result<()> {
    let (size, mines) = plans[0].boards.size_and_mines();
    let points = sweep.points(size, mines)?;
    let plan_at = |plan: &Plan, point: &Point| {
        let boards = Boards::Dealt { size: point.size, mines: point.mines };
        let Setup { area, think, .. } = plan.setup;
        let setup =
            Setup { area: point.area.unwrap_or(area), think: point.think.unwrap_or(think), ..plan.setup.clone() };
        Plan { boards, setup, ..plan.clone() }
    };
    let plans: Vec<Vec<Plan>> =
        points.iter().map(|point| plans.iter().map(|plan| plan_at(plan, point)).collect()).collect();
    plans.iter().flatten().try_for_each(Plan::check)?;
    let bar = progress(plans.iter().flatten().map(|plan| plan.games).sum());
    // Points of the same boards are compared with the first one, player by player.
    let (mut firsts, mut comparisons) = (Vec::new(), Vec::new());
    let mut runs = Vec::new();
    for (point, plans) in points.iter().zip(&plans) {
        let mut summaries = Vec::new();
        for (index, plan) in plans.iter().enumerate() {
            let games = simulate::play_all(plan, &|| bar.inc(1), |_, _| Ok(()))?;
            let part = Part { plan: plan.clone(), games };
            summaries.push(Summary::of(plan, &part.games));
            match firsts.get(index) {
                None if sweep.is_same_boards() => firsts.push(part),
                None => {}
                Some(first) => {
                    let label = |label: &str| format!("{} ({} {label})", plan.strategy, sweep.name());
                    let (first_label, second_label) = (label(&points[0].label), label(&point.label));
                    comparisons.push(Comparison {
                        first: first_label,
                        second: second_label,
                        ..Comparison::of(first, &part)
                    });
                }
            }
        }
        runs.push(summaries);
    }
    bar.finish_and_clear();
    if let Some(path) = &args.csv {
        let row = |(point, run): (&Point, &Summary)| format!("{},{},{}", sweep.name(), point.label, run.csv_row());
        let all = points.iter().zip(&runs).flat_map(|(point, runs)| runs.iter().map(move |run| (point, run)));
        write_csv(path, &format!("sweep,value,{}", Summary::CSV_HEADER), &all.map(row).collect::<Vec<_>>())?;
    }
    write_risks(args, runs.iter().flatten())?;
    if let Some(path) = &args.svg {
        simulate::draw_sweep(path, sweep, &points, &runs)?;
    }
    let mut stdout = std::io::stdout().lock();
    if args.json {
        let point = |(point, runs): (&Point, &Vec<Summary>)| serde_json::json!({ "value": point.label, "runs": runs });
        let points: Vec<_> = points.iter().zip(&runs).map(point).collect();
        let swept = serde_json::json!({ "sweep": sweep.name(), "points": points, "comparisons": comparisons });
        writeln!(stdout, "{swept}")?;
    } else {
        for (point, runs) in points.iter().zip(&runs) {
            writeln!(stdout, "{} {}", sweep.name(), point.label)?;
            runs.iter().try_for_each(|run| print_line(&mut stdout, run))?;
        }
        comparisons.iter().try_for_each(|comparison| print_comparison(&mut stdout, comparison))?;
    }
    Ok(())
}

fn progress(games: u64) -> ProgressBar {
    let style = "{bar:40} {pos}/{len} games, {per_sec}, {eta} left";
    ProgressBar::new(games).with_style(ProgressStyle::with_template(style).expect("a fixed template"))
}

fn print_line(out: &mut impl Write, run: &Summary) -> std::io::Result<()> {
    let [low, high] = run.ci95.map(|bound| 100.0 * bound);
    writeln!(
        out,
        "  {:<28} {:6.2}% won [{low:.2}, {high:.2}]  {:.2} guesses, {:.3} ms a game",
        run.label(),
        100.0 * run.win_rate,
        run.guesses_per_game,
        run.ms_per_game
    )
}

fn print_runs(out: &mut impl Write, runs: &[Summary], comparisons: &[Comparison]) -> std::io::Result<()> {
    if let Some(run) = runs.first() {
        let Summary { games, width, height, mines, rule, seed, from, .. } = run;
        let part = if *from > 0 { format!(" from game {from} on") } else { String::new() };
        writeln!(out, "{games} games on {width}x{height} with {mines} mines, rule {rule}, seed {seed}{part}")?;
    }
    for run in runs {
        print_line(out, run)?;
        if let Some(expected) = run.expected {
            let [low, high] = expected.ci95.map(|bound| 100.0 * bound);
            writeln!(
                out,
                "    by expected wins: {:.3}% [{low:.3}, {high:.3}], worth {:.1} times the games",
                100.0 * expected.win_rate,
                expected.worth_games
            )?;
        }
        let (lost, first) = (&run.losses, &run.first_zero);
        writeln!(out, "    after an opening at the first click: {:.2}% of {}", 100.0 * first.win_rate, first.games)?;
        writeln!(
            out,
            "    won without a guess: {}; lost on the start {}, craps shoots {}, educated guesses {},",
            run.won_without_guess, lost.start, lost.craps_shoot, lost.educated
        )?;
        writeln!(out, "    unconstrained guesses {}, tiles held to be certain {}", lost.unconstrained, lost.certain)?;
        if let Some(sets) = &run.sets {
            let (most, free) = (sets.most_tiles, sets.most_freedom);
            writeln!(
                out,
                "    coupled sets: {}, of {:.1} tiles and {:.1} constraints; most tiles {}, most tiles less constraints {}, \
                 most solutions {:.0}; {:.2}% have fewer than 1000",
                sets.sets,
                sets.mean_tiles,
                sets.mean_constraints,
                most.tiles,
                free.freedom(),
                sets.most_solutions.solutions,
                100.0 * sets.under_1000_solutions
            )?;
        }
    }
    for comparison in comparisons {
        print_comparison(out, comparison)?;
    }
    Ok(())
}

fn print_comparison(out: &mut impl Write, comparison: &Comparison) -> std::io::Result<()> {
    let say = |Difference { difference, ci95, p_value }: Difference| {
        let [low, high] = ci95.map(|bound| 100.0 * bound);
        format!("{:+.3} points [{low:+.3}, {high:+.3}], p = {p_value:.2e}", 100.0 * difference)
    };
    let Comparison { first, second, difference, expected, worth_games } = comparison;
    writeln!(out, "{first} against {second}, paired: {}", say(*difference))?;
    if let Some(expected) = expected {
        let saved = worth_games.map_or(String::new(), |worth| format!("; worth {worth:.1} times the games"));
        writeln!(out, "    by expected wins: {}{saved}", say(*expected))?;
    }
    Ok(())
}

/// Refuses before the games what could not be written after them.
fn check_writable(path: &Path) -> anyhow::Result<()> {
    let part = PathBuf::from(format!("{}.part", path.display()));
    File::create(&part).and_then(|_| std::fs::remove_file(&part)).with_context(|| cannot_write(path))
}

fn cannot_write(path: &Path) -> String {
    format!("{} cannot be written", path.display())
}

fn write_csv(path: &Path, header: &str, rows: &[String]) -> anyhow::Result<()> {
    let text = format!("{header}\n{}\n", rows.join("\n"));
    std::fs::write(path, text).with_context(|| cannot_write(path))
}

/// Predicted against observed risk, if a table of it was asked for.
fn write_risks<'a>(args: &SimulateArgs, runs: impl IntoIterator<Item = &'a Summary>) -> anyhow::Result<()> {
    let Some(path) = &args.risks else { return Ok(()) };
    let rows: Vec<String> = runs.into_iter().flat_map(Summary::risk_rows).collect();
    write_csv(path, Summary::RISK_HEADER, &rows)
}
