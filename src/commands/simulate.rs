//! `minesight simulate`: games without a screen, in numbers.

use crate::cli::SimulateArgs;
use crate::simulate::{self, Boards, Plan, Played, Point, Summary, Sweep};
use crate::solver::Setup;
use crate::stats::{self, Difference};
use anyhow::Context;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Plays, then prints the summary and writes the files that were asked for.
pub fn run(args: &SimulateArgs) -> anyhow::Result<()> {
    let plans = plans(args)?;
    [&args.csv, &args.risks, &args.svg].into_iter().flatten().try_for_each(|path| check_writable(path))?;
    match &args.sweep {
        None => run_players(args, &plans),
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
        (Boards::Exact(layouts), None) => layouts.len() as u64,
        (Boards::Dealt { .. }, None) => 1000,
    };
    let plan = |name: &str| {
        let setup = Setup { rule: args.rule.rule, ..args.strategy.setup() };
        let (strategy, boards) = (name.trim().to_owned(), boards.clone());
        Plan {
            strategy,
            setup,
            boards,
            games,
            start: args.start,
            threads: args.threads.map(|threads| threads.get().into()),
            sizes: args.sizes,
        }
    };
    let plans: Vec<Plan> = args.strategy.strategy.split(',').map(plan).collect();
    plans.iter().try_for_each(Plan::check)?;
    Ok(plans)
}

/// How the other players do beside the first one, on the same boards.
#[derive(Serialize)]
struct Comparison<'a> {
    first: &'a str,
    second: &'a str,
    #[serde(flatten)]
    difference: Difference,
}

fn run_players(args: &SimulateArgs, plans: &[Plan]) -> anyhow::Result<()> {
    let mut out = args.games_out.as_deref().map(GamesOut::create).transpose()?;
    let bar = progress(plans.iter().map(|plan| plan.games).sum());
    let mut runs = Vec::new();
    let mut outcomes: Vec<Vec<bool>> = Vec::new();
    for plan in plans {
        let strategy = (plans.len() > 1).then_some(plan.strategy.as_str());
        let keep = |index, played: &Played| out.as_mut().map_or(Ok(()), |out| out.write(strategy, index, played));
        let games = simulate::play_all(plan, &|| bar.inc(1), keep)?;
        runs.push(Summary::of(plan, &games));
        outcomes.push(games.iter().map(|game| game.won).collect());
    }
    bar.finish_and_clear();
    out.map_or(Ok(()), GamesOut::finish)?;
    let compare = |index: usize| Comparison {
        first: &plans[0].strategy,
        second: &plans[index].strategy,
        difference: stats::compare_paired(&outcomes[0], &outcomes[index]),
    };
    let comparisons: Vec<Comparison> = (1..plans.len()).map(compare).collect();
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
    let play = |plan: &Plan| -> anyhow::Result<Summary> {
        Ok(Summary::of(plan, &simulate::play_all(plan, &|| bar.inc(1), |_, _| Ok(()))?))
    };
    let runs = plans.iter().map(|plans| plans.iter().map(play).collect()).collect::<anyhow::Result<Vec<Vec<_>>>>()?;
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
        writeln!(stdout, "{}", serde_json::json!({ "sweep": sweep.name(), "points": points }))?;
    } else {
        for (point, runs) in points.iter().zip(&runs) {
            writeln!(stdout, "{} {}", sweep.name(), point.label)?;
            runs.iter().try_for_each(|run| print_line(&mut stdout, run))?;
        }
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
        let Summary { games, width, height, mines, rule, seed, .. } = run;
        writeln!(out, "{games} games on {width}x{height} with {mines} mines, rule {rule}, seed {seed}")?;
    }
    for run in runs {
        print_line(out, run)?;
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
    for Comparison { first, second, difference } in comparisons {
        let [low, high] = difference.ci95.map(|bound| 100.0 * bound);
        let points = 100.0 * difference.difference;
        writeln!(
            out,
            "{first} against {second}, paired: {points:+.2} points [{low:+.2}, {high:+.2}], p = {:.2e}",
            difference.p_value
        )?;
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

/// The games, one JSON line each, under a provisional name until all are there.
struct GamesOut {
    file: BufWriter<File>,
    part: PathBuf,
    path: PathBuf,
}

#[derive(Serialize)]
struct GameLine<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    strategy: Option<&'a str>,
    game: u64,
    won: bool,
    guesses: usize,
    moves: u32,
    us: u64,
    first_zero: bool,
    risks: Vec<f64>,
}

impl GamesOut {
    fn create(path: &Path) -> anyhow::Result<Self> {
        let part = PathBuf::from(format!("{}.part", path.display()));
        let file = File::create(&part).with_context(|| cannot_write(&part))?;
        Ok(Self { file: BufWriter::new(file), part, path: path.to_owned() })
    }

    fn write(&mut self, strategy: Option<&str>, game: u64, played: &Played) -> std::io::Result<()> {
        let line = GameLine {
            strategy,
            game,
            won: played.won,
            guesses: played.guesses.len(),
            moves: played.moves,
            us: played.us,
            first_zero: played.first_zero,
            risks: played.guesses.iter().map(|guess| guess.risk).collect(),
        };
        serde_json::to_writer(&mut self.file, &line)?;
        self.file.write_all(b"\n")
    }

    fn finish(mut self) -> anyhow::Result<()> {
        self.file.flush()?;
        std::fs::rename(&self.part, &self.path).with_context(|| cannot_write(&self.path))
    }
}

/// Games that were not finished because of an error are not kept.
impl Drop for GamesOut {
    fn drop(&mut self) {
        // After `finish` it has its final name, and there is nothing to remove.
        let _ = std::fs::remove_file(&self.part);
    }
}
