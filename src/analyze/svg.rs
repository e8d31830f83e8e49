//! A position with its risks as a drawing.

use super::{Analysis, percent};
use crate::board::{Board, Tile};
use crate::geometry::Cell;
use maud::{Markup, PreEscaped, html};

/// Pixels from one tile to the next.
const PITCH: u32 = 32;
/// Room for the numbers of columns and rows.
const MARGIN: u32 = 36;
/// Room for what is said above the board.
const HEAD: u32 = 64;
/// Room for the legend below it.
const FOOT: u32 = 56;

/// The numbers in the colours every client gives them; 0 is left out.
const NUMBER_COLOURS: [&str; 9] =
    ["none", "#1d4ed8", "#15803d", "#dc2626", "#1e3a8a", "#7f1d1d", "#0e7490", "#111827", "#6b7280"];

/// Risk from low to high: from light to dark, so that it can be told without seeing colours.
const SCALE: [(f64, [f64; 3]); 4] = [
    (0.0, [254.0, 249.0, 195.0]),
    (0.25, [253.0, 201.0, 115.0]),
    (0.5, [243.0, 130.0, 72.0]),
    (1.0, [153.0, 27.0, 60.0]),
];

/// Draws `board` with what `analysis` says of it, as an SVG document.
pub fn svg(board: &Board, analysis: &Analysis) -> String {
    let size = board.size();
    let (board_width, board_height) = (size.width * PITCH, size.height * PITCH);
    let width = (board_width + 2 * MARGIN).max(420);
    let height = HEAD + board_height + MARGIN + FOOT;
    let left = (width - board_width) / 2;
    let (title, note) = summary(board, analysis);
    let drawing = html! {
        svg xmlns="http://www.w3.org/2000/svg" viewBox={ "0 0 " (width) " " (height) } width=(width) height=(height)
            font-family="system-ui, 'DejaVu Sans', sans-serif" {
            style { (PreEscaped(STYLE)) }
            rect width=(width) height=(height) fill="#f8fafc" {}
            text.title x=(width / 2) y="18" { (title) }
            text.note x=(width / 2) y="38" { (note) }
            g transform={ "translate(" (left) " " (HEAD) ")" } {
                (rulers(size.width, size.height))
                @for cell in size.cells() {
                    (tile(board.tile(cell), analysis.risk[cell.y as usize][cell.x as usize], cell))
                }
                @if let Some(best) = &analysis.best {
                    rect.best x=(best.cell.x * PITCH) y=(best.cell.y * PITCH) width=(PITCH) height=(PITCH) rx="5" {}
                }
            }
            (legend(width / 2 - 190, HEAD + board_height + MARGIN))
        }
    };
    drawing.into_string() + "\n"
}

const STYLE: &str = "
text { text-anchor: middle; dominant-baseline: central; font-size: 13px; fill: #0f172a }
.title { font-size: 17px; font-weight: 600 } .note { font-size: 12px; fill: #475569 }
.ruler { font-size: 11px; fill: #94a3b8 } .number { font-size: 18px; font-weight: 700 }
.open { fill: #e2e8f0 } .safe { fill: #4ade80 } .mine { fill: #1e293b } .unknown { fill: #c4b5fd }
.best { fill: none; stroke: #2563eb; stroke-width: 4 } .light { fill: #ffffff } .legend { text-anchor: start }
";

/// What is said of the position as a whole.
fn summary(board: &Board, analysis: &Analysis) -> (String, String) {
    let mines = board.mines().map_or("unknown number of mines".to_owned(), |mines| format!("{mines} mines"));
    let title = match &analysis.best {
        _ if !analysis.consistent => "Impossible: no arrangement of mines explains this".to_owned(),
        Some(best) => format!("Best: {}, risk {}", best.cell, percent(best.risk)),
        None => "Nothing to open".to_owned(),
    };
    let digits = analysis.explanations.to_string();
    let count = match digits.len() {
        0..=15 => digits,
        length => format!("{}.{} × 10^{}", &digits[..1], &digits[1..3], length - 1),
    };
    let wins = analysis.win_probability.map_or(String::new(), |chance| format!(" · wins {}", percent(chance)));
    (title, format!("{}, {mines} · {count} explanations{wins}", board.size()))
}

/// The numbers of columns and rows.
fn rulers(columns: u32, rows: u32) -> Markup {
    let middle = |index: u32| index * PITCH + PITCH / 2;
    html! {
        @for column in 0..columns { text.ruler x=(middle(column)) y="-10" { (column) } }
        @for row in 0..rows { text.ruler x="-14" y=(middle(row)) { (row) } }
    }
}

fn tile(tile: Tile, risk: Option<f64>, cell: Cell) -> Markup {
    let (x, y) = (cell.x * PITCH, cell.y * PITCH);
    let inner = PITCH - 2;
    let (class, fill) = match risk {
        _ if tile.number().is_some() || tile == Tile::WrongFlag => ("open", None),
        None => ("unknown", None),
        Some(0.0) => ("safe", None),
        Some(1.0) => ("mine", None),
        Some(risk) => ("risk", Some(colour(risk))),
    };
    let (across, down) = (x + PITCH / 2, y + PITCH / 2);
    html! {
        rect class=(class) fill=[fill] x=(x + 1) y=(y + 1) width=(inner) height=(inner) rx="4" {
            title { (cell) @if let Some(risk) = risk { ": risk " (risk) } }
        }
        @match (tile, risk) {
            (Tile::Open(0), _) => {},
            (Tile::Open(number), _) => {
                text.number x=(across) y=(down) style={ "fill:" (NUMBER_COLOURS[usize::from(number.min(8))]) } { (number) }
            },
            (Tile::WrongFlag, _) => text x=(across) y=(down) { "×" },
            (_, None) => {},
            (Tile::Exploded, _) => circle cx=(across) cy=(down) r="8" fill="#ef4444" {},
            (_, Some(1.0)) => circle cx=(across) cy=(down) r="7" fill="#f8fafc" {},
            (_, Some(risk)) => text.light[risk > 0.6] x=(across) y=(down) { (whole_percent(risk)) },
        }
    }
}

/// A chance in two digits, never rounded to certainty.
fn whole_percent(risk: f64) -> String {
    match 100.0 * risk {
        0.0 => "0".to_owned(),
        percent if percent < 1.0 => "<1".to_owned(),
        percent => format!("{:.0}", percent.min(99.0)),
    }
}

fn colour(risk: f64) -> String {
    let above = SCALE.iter().position(|(at, _)| *at >= risk).unwrap_or(SCALE.len() - 1).max(1);
    let ((low, from), (high, to)) = (SCALE[above - 1], SCALE[above]);
    let part = (risk - low) / (high - low);
    let [red, green, blue] = std::array::from_fn(|index| (from[index] + part * (to[index] - from[index])) as u8);
    format!("#{red:02x}{green:02x}{blue:02x}")
}

fn legend(left: u32, top: u32) -> Markup {
    let risk = |risk: f64| ("risk", Some(colour(risk)));
    let samples = [
        (("safe", None), "safe", 66),
        (risk(0.1), "10 %", 68),
        (risk(0.5), "50 %", 68),
        (risk(0.9), "90 %", 68),
        (("mine", None), "mine", 68),
        (("best", None), "best", 60),
    ];
    let mut right = left;
    let placed = samples.into_iter().map(|(look, label, room)| {
        right += room;
        (look, label, right - room)
    });
    html! {
        @for ((class, fill), label, x) in placed {
            rect class=(class) fill=[fill] x=(x) y=(top) width="18" height="18" rx="4" {}
            text.note.legend x=(x + 24) y=(top + 9) { (label) }
        }
    }
}
