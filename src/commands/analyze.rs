//! `minesight analyze BOARD`: everything that can be said of one position.

use super::paint::Paint;
use crate::analyze::{Analysis, analyze, percent, svg};
use crate::board::{Board, Tile};
use crate::cli::AnalyzeArgs;
use crate::geometry::Cell;
use crate::solver::Setup;
use anyhow::Context;
use std::io::{Read, Write};
use std::path::Path;
use std::time::Duration;

/// Reads the board, analyses it, and says what was found.
pub fn run(args: &AnalyzeArgs) -> anyhow::Result<()> {
    let board = read(&args.board, args.mines)?;
    let think = Duration::from_millis(args.think);
    let setup = Setup { rule: args.rule.rule, seed: args.seed, think, ..Setup::default() }.with_all_threads();
    let analysis = analyze(&board, &setup, args.strategy.as_deref())?;
    if let Some(path) = &args.svg {
        let drawing = svg(&board, &analysis);
        std::fs::write(path, drawing).with_context(|| format!("cannot write {}", path.display()))?;
    }
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    if args.json {
        serde_json::to_writer(&mut out, &analysis)?;
        writeln!(out)?;
    } else {
        print(&mut out, &board, &analysis, Paint::for_stdout())?;
    }
    Ok(out.flush()?)
}

fn read(path: &Path, mines: Option<u32>) -> anyhow::Result<Board> {
    let (name, text) = if path == Path::new("-") {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).context("cannot read the board from standard input")?;
        ("standard input".to_owned(), bytes)
    } else {
        let bytes = std::fs::read(path).with_context(|| {
            format!("cannot read the board {}; give a file with one character a tile, or - for stdin", path.display())
        })?;
        (path.display().to_string(), bytes)
    };
    let text = String::from_utf8(text)
        .map_err(|_| anyhow::anyhow!("{name} is not text; a board is one character a tile, one line a row"))?;
    let board: Board = text.parse().with_context(|| format!("{name} is no board"))?;
    match mines {
        Some(_) => {
            board.with_mines(mines).with_context(|| format!("{name} is no board with --mines {}", mines.unwrap_or(0)))
        }
        None => Ok(board),
    }
}

fn print(out: &mut impl Write, board: &Board, analysis: &Analysis, paint: Paint) -> std::io::Result<()> {
    let mines = board.mines().map_or("an unknown number of mines".to_owned(), |mines| format!("{mines} mines"));
    writeln!(out, "{} with {mines}", board.size())?;
    if !analysis.consistent {
        return writeln!(out, "{}", paint.red("impossible: no arrangement of mines explains this board"));
    }
    writeln!(out)?;
    draw(out, board, analysis, paint)?;
    let explanations = grouped(&analysis.explanations.to_string());
    let unique = if analysis.unique { ": the solution is unique" } else { "" };
    writeln!(out, "explanations  {explanations}{unique}")?;
    writeln!(out, "safe          {}", paint.green(&list(&analysis.safe)))?;
    writeln!(out, "mines         {}", paint.red(&list(&analysis.mines)))?;
    let best = analysis.best.as_ref().map_or("nothing to open".to_owned(), |best| {
        format!("{} at risk {}: {}", paint.bold(&best.cell.to_string()), percent(best.risk), best.reason)
    });
    writeln!(out, "best          {best}")?;
    let fraction = analysis.wins.as_ref().and_then(|wins| wins.split_once('/'));
    let fraction = fraction.map_or(String::new(), |(wins, deals)| format!(" ({wins} of {deals} deals)"));
    let wins = analysis.win_probability.map_or("beyond exact reach".to_owned(), percent) + &fraction;
    writeln!(out, "wins          {wins}")
}

/// The widest and highest board that is drawn as text.
const DRAWN: u32 = 60;

/// The board with the risk of every covered tile in per cent.
fn draw(out: &mut impl Write, board: &Board, analysis: &Analysis, paint: Paint) -> std::io::Result<()> {
    let size = board.size();
    if size.width > DRAWN || size.height > DRAWN {
        return writeln!(out, "(too large to be drawn here; --svg FILE draws it, --json lists every risk)\n");
    }
    let columns: String = (0..size.width).map(|column| format!("{column:>3}")).collect();
    writeln!(out, "   {}", paint.dim(&columns))?;
    for y in 0..size.height {
        write!(out, "{} ", paint.dim(&format!("{y:>2}")))?;
        for x in 0..size.width {
            let cell = Cell::new(x, y);
            let is_best = analysis.best.as_ref().is_some_and(|best| best.cell == cell);
            let mark = if is_best { ">" } else { " " };
            let tile = tile(board.tile(cell), analysis.risk[y as usize][x as usize], paint);
            write!(out, "{}{tile}", paint.bold(mark))?;
        }
        writeln!(out)?;
    }
    let legend = "numbers of two digits: risk in per cent; ok: safe, **: mine, >: the best move";
    writeln!(out, "\n{}\n", paint.dim(legend))
}

/// A tile in two characters.
fn tile(tile: Tile, risk: Option<f64>, paint: Paint) -> String {
    match (tile, risk) {
        (Tile::Open(0), _) => paint.dim(" ."),
        (Tile::Open(number), _) => format!(" {number}"),
        (Tile::Exploded, _) => paint.red(" X"),
        (Tile::WrongFlag, _) | (_, None) => format!(" {}", tile.to_char()),
        (_, Some(0.0)) => paint.green("ok"),
        (_, Some(1.0)) => paint.red("**"),
        (_, Some(risk)) => paint.heat(&format!("{:02.0}", (100.0 * risk).clamp(1.0, 99.0)), risk),
    }
}

/// The most cells that are listed by name.
const LISTED: usize = 12;

fn list(cells: &[Cell]) -> String {
    let names: Vec<String> = cells.iter().take(LISTED).map(Cell::to_string).collect();
    match cells.len() {
        0 => "none is certain".to_owned(),
        count if count > LISTED => format!("{} and {} more", names.join(" "), count - LISTED),
        _ => names.join(" "),
    }
}

/// A long number in groups of three digits; a very long one by its length.
fn grouped(digits: &str) -> String {
    if digits.len() > 60 {
        return format!(
            "{}.{}e{} ({} digits; --json prints them)",
            &digits[..1],
            &digits[1..6],
            digits.len() - 1,
            digits.len()
        );
    }
    let first = digits.len() % 3;
    let groups = digits.as_bytes()[first..].chunks(3).map(|group| String::from_utf8_lossy(group).into_owned());
    let groups: Vec<String> =
        Some(digits[..first].to_owned()).filter(|head| !head.is_empty()).into_iter().chain(groups).collect();
    groups.join(",")
}
