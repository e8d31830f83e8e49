//! `minesight check`: screenshots with their truth, as a table and a page of all that is not right.

use crate::check::{self, Checked, Fixtures, Row, Whose};
use crate::cli::CheckArgs;
use crate::client;
use anyhow::{Context, bail};
use indicatif::ProgressBar;
use serde::Serialize;
use std::io::Write;
use std::slice;

/// `check --json`.
#[derive(Serialize)]
struct Report<'a> {
    screenshots: &'a [Checked],
    rows: &'a [Row],
    all: &'a Row,
}

/// Reads all screenshots, prints the table and writes the page.
///
/// # Errors
/// Nothing to check, bad input, or a tile or board that was read wrongly.
pub fn run(args: &CheckArgs) -> anyhow::Result<()> {
    let mut clients = client::known(args.client.calibration.as_deref(), args.client.templates.as_deref())?;
    let Fixtures { mut screenshots, lone_boards } = check::fixtures(&args.folders, &clients)?;
    let mut whose = if args.any { Whose::Any } else { Whose::Folder };
    if let Some(name) = &args.client.client {
        clients = vec![client::by_name(&clients, name)?.clone()];
        // Whatever folder it is in, it is a screenshot of this client.
        screenshots.iter_mut().for_each(|fixture| fixture.client = None);
        whose = Whose::Any;
    }
    if let Some(first) = lone_boards.first() {
        let number = lone_boards.len();
        eprintln!("{number} .board files without a picture beside them, the first is {}", first.display());
    }
    let bar = ProgressBar::new(screenshots.len() as u64);
    let all = check::check(&screenshots, clients, whose, &|| bar.inc(1))?;
    bar.finish_and_clear();
    if let Some(path) = &args.page {
        std::fs::write(path, check::page::html(&all))
            .with_context(|| format!("{} cannot be written", path.display()))?;
        eprintln!("{}", path.display());
    }
    let (rows, sum) = (check::rows(&all), Row::of(&all));
    let mut out = std::io::stdout().lock();
    if args.json {
        let report = Report { screenshots: &all, rows: &rows, all: &sum };
        writeln!(out, "{}", serde_json::to_string(&report)?)?;
    } else {
        print(&mut out, &rows, &sum)?;
    }
    let faults: Vec<String> = all.iter().flat_map(Checked::faults).collect();
    if faults.is_empty() {
        return Ok(());
    }
    faults.iter().take(SHOWN).for_each(|fault| eprintln!("{fault}"));
    let Row { wrong, wrong_boards, counters_wrong, .. } = sum;
    let hint = if args.page.is_some() {
        ""
    } else {
        "; --page OUT.html shows them beside the pictures they were compared with"
    };
    bail!("read wrongly: tiles {wrong}, boards {wrong_boards}, counters {counters_wrong}{hint}")
}

/// So many faults are printed; the page and the JSON have all.
const SHOWN: usize = 20;

fn print(out: &mut impl Write, rows: &[Row], sum: &Row) -> anyhow::Result<()> {
    let header = [
        "client",
        "theme",
        "state",
        "shots",
        "refused",
        "tiles right",
        "not recognised",
        "wrong",
        "wrong boards",
        "ms median",
        "worst",
    ];
    let mut lines = vec![header.map(str::to_owned)];
    lines.extend(rows.iter().chain(slice::from_ref(sum)).map(cells));
    if let Some(last) = lines.last_mut() {
        last[..3].clone_from_slice(&["all".to_owned(), String::new(), String::new()]);
    }
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    for line in &lines {
        let words = line.iter().zip(&widths).enumerate().map(|(column, (text, &width))| {
            // Names begin on the left, numbers end on the right.
            if column < 3 { format!("{text:<width$}") } else { format!("{text:>width$}") }
        });
        writeln!(out, "{}", words.collect::<Vec<_>>().join("  ").trim_end())?;
    }
    let Row { rightly_refused, counters, counters_read, .. } = sum;
    writeln!(
        out,
        "\n{rightly_refused} without a board, or with a covered one, were rightly refused; {counters_read} of {counters} mine counters read"
    )?;
    Ok(())
}

fn cells(row: &Row) -> [String; 11] {
    let name = |name: &Option<String>| name.clone().unwrap_or_else(|| "-".to_owned());
    [
        name(&row.client),
        name(&row.theme),
        row.state.map_or(String::new(), |state| state.name().to_owned()),
        row.screenshots.to_string(),
        row.refused.to_string(),
        row.right.to_string(),
        row.not_recognised.to_string(),
        row.wrong.to_string(),
        row.wrong_boards.to_string(),
        format!("{:.1}", row.ms_median),
        format!("{:.1}", row.ms_worst),
    ]
}
