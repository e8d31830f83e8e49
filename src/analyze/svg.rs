//! A position with its risks as a drawing.

use super::{Analysis, percent};
use crate::board::{Board, Tile};
use crate::geometry::Cell;
use std::fmt::Write;

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
    let (width, height) = (size.width * PITCH, size.height * PITCH);
    let total_width = (width + 2 * MARGIN).max(420);
    let total_height = HEAD + height + MARGIN + FOOT;
    let left = (total_width - width) / 2;
    let mut drawing = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {total_width} {total_height}\" \
         width=\"{total_width}\" height=\"{total_height}\" font-family=\"system-ui, 'DejaVu Sans', sans-serif\">\n{STYLE}"
    );
    drawing += &format!("<rect width=\"{total_width}\" height=\"{total_height}\" fill=\"#f8fafc\"/>\n");
    head(&mut drawing, board, analysis, total_width);
    let _ = writeln!(drawing, "<g transform=\"translate({left} {HEAD})\">");
    rulers(&mut drawing, size.width, size.height);
    for cell in size.cells() {
        tile(&mut drawing, board.tile(cell), analysis.risk[cell.y as usize][cell.x as usize], cell);
    }
    if let Some(best) = &analysis.best {
        let (x, y) = (best.cell.x * PITCH, best.cell.y * PITCH);
        let _ = writeln!(
            drawing,
            "<rect class=\"best\" x=\"{x}\" y=\"{y}\" width=\"{PITCH}\" height=\"{PITCH}\" rx=\"5\"/>"
        );
    }
    drawing += "</g>\n";
    legend(&mut drawing, total_width, HEAD + height + MARGIN);
    drawing + "</svg>\n"
}

const STYLE: &str = "<style>
text { text-anchor: middle; dominant-baseline: central; font-size: 13px; fill: #0f172a }
.title { font-size: 17px; font-weight: 600 } .note { font-size: 12px; fill: #475569 }
.ruler { font-size: 11px; fill: #94a3b8 } .number { font-size: 18px; font-weight: 700 }
.open { fill: #e2e8f0 } .safe { fill: #4ade80 } .mine { fill: #1e293b } .unknown { fill: #c4b5fd }
.best { fill: none; stroke: #2563eb; stroke-width: 4 } .light { fill: #ffffff }
</style>
";

/// What is said of the position as a whole.
fn head(drawing: &mut String, board: &Board, analysis: &Analysis, width: u32) {
    let middle = width / 2;
    let (title, note) = summary(board, analysis);
    let _ = writeln!(drawing, "<text class=\"title\" x=\"{middle}\" y=\"18\">{}</text>", escaped(&title));
    let _ = writeln!(drawing, "<text class=\"note\" x=\"{middle}\" y=\"38\">{}</text>", escaped(&note));
}

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
fn rulers(drawing: &mut String, columns: u32, rows: u32) {
    for column in 0..columns {
        let x = column * PITCH + PITCH / 2;
        let _ = writeln!(drawing, "<text class=\"ruler\" x=\"{x}\" y=\"-10\">{column}</text>");
    }
    for row in 0..rows {
        let y = row * PITCH + PITCH / 2;
        let _ = writeln!(drawing, "<text class=\"ruler\" x=\"-14\" y=\"{y}\">{row}</text>");
    }
}

fn tile(drawing: &mut String, tile: Tile, risk: Option<f64>, cell: Cell) {
    let (x, y) = (cell.x * PITCH, cell.y * PITCH);
    let inner = PITCH - 2;
    let (class, fill) = match risk {
        _ if tile.number().is_some() || tile == Tile::WrongFlag => ("open", None),
        None => ("unknown", None),
        Some(0.0) => ("safe", None),
        Some(1.0) => ("mine", None),
        Some(risk) => ("", Some(colour(risk))),
    };
    let look = fill.map_or(format!("class=\"{class}\""), |fill| format!("fill=\"{fill}\""));
    let _ =
        write!(drawing, "<rect {look} x=\"{}\" y=\"{}\" width=\"{inner}\" height=\"{inner}\" rx=\"4\">", x + 1, y + 1);
    let said = risk.map_or(String::new(), |risk| format!(": risk {risk}"));
    let _ = writeln!(drawing, "<title>{cell}{said}</title></rect>");
    let (x, y) = (x + PITCH / 2, y + PITCH / 2);
    let _ = match (tile, risk) {
        (Tile::Open(0), _) => Ok(()),
        (Tile::Open(number), _) => {
            let colour = NUMBER_COLOURS[usize::from(number.min(8))];
            writeln!(drawing, "<text class=\"number\" x=\"{x}\" y=\"{y}\" style=\"fill:{colour}\">{number}</text>")
        }
        (Tile::WrongFlag, _) => writeln!(drawing, "<text x=\"{x}\" y=\"{y}\">×</text>"),
        (_, None) => Ok(()),
        (Tile::Exploded, _) => writeln!(drawing, "<circle cx=\"{x}\" cy=\"{y}\" r=\"8\" fill=\"#ef4444\"/>"),
        (_, Some(1.0)) => writeln!(drawing, "<circle cx=\"{x}\" cy=\"{y}\" r=\"7\" fill=\"#f8fafc\"/>"),
        (_, Some(risk)) => {
            let class = if risk > 0.6 { " class=\"light\"" } else { "" };
            writeln!(drawing, "<text{class} x=\"{x}\" y=\"{y}\">{}</text>", whole_percent(risk))
        }
    };
}

/// A chance in two digits, never rounded to certainty.
fn whole_percent(risk: f64) -> String {
    match 100.0 * risk {
        0.0 => "0".to_owned(),
        percent if percent < 1.0 => "&lt;1".to_owned(),
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

fn legend(drawing: &mut String, width: u32, top: u32) {
    let mut x = width / 2 - 190;
    let mut sample = |drawing: &mut String, look: &str, label: &str, room: u32| {
        let _ = writeln!(drawing, "<rect {look} x=\"{x}\" y=\"{top}\" width=\"18\" height=\"18\" rx=\"4\"/>");
        let (x_text, y_text) = (x + 24, top + 9);
        let _ = writeln!(
            drawing,
            "<text class=\"note\" style=\"text-anchor:start\" x=\"{x_text}\" y=\"{y_text}\">{label}</text>"
        );
        x += room;
    };
    sample(drawing, "class=\"safe\"", "safe", 66);
    for (risk, label) in [(0.1, "10 %"), (0.5, "50 %"), (0.9, "90 %")] {
        sample(drawing, &format!("fill=\"{}\"", colour(risk)), label, 68);
    }
    sample(drawing, "class=\"mine\"", "mine", 68);
    sample(drawing, "class=\"best\"", "best", 60);
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
