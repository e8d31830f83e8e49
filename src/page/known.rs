//! What can be worked out of a board, for the scripts of pages.

use crate::board::Board;
use crate::geometry::Cell;
use crate::solver::probability::{explanations, risks};
use serde::Serialize;

/// So many tiles of the lowest risk are named where nothing is certain.
const CANDIDATES: usize = 6;

/// What can be worked out of a board.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Known {
    /// How many arrangements of mines explain it.
    pub explanations: String,
    /// The risk of tiles of which the numbers tell nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rest: Option<f64>,
    /// The others, each as its place in the board (row by row) and its risk.
    pub risks: Vec<(usize, f64)>,
    /// Where nothing is certainly safe, the tiles of the lowest risk.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<(Cell, f64)>,
}

impl Known {
    /// Nothing if nothing explains the board, or it is beyond reach.
    pub fn of(board: &Board) -> Option<Self> {
        let all = risks(board).ok()?;
        let rest = all.elsewhere(board);
        let size = board.size();
        let own = || size.cells().filter_map(|cell| Some((cell, all.risk(cell)?)));
        let mut lowest: Vec<(Cell, f64)> = own().filter(|(cell, _)| board.tile(*cell).is_covered()).collect();
        lowest.sort_by(|a, b| a.1.total_cmp(&b.1));
        let is_certain = lowest.first().is_none_or(|(_, risk)| *risk == 0.0);
        lowest.truncate(if is_certain { 0 } else { CANDIDATES });
        Some(Self {
            explanations: explanations(board).ok()?.to_string(),
            rest,
            risks: own()
                .filter(|(_, risk)| Some(*risk) != rest)
                .map(|(cell, risk)| (size.index(cell), rounded(risk)))
                .collect(),
            candidates: lowest,
        })
    }
}

/// To a hundredth of a per cent, which is short to write; but nothing uncertain becomes certain.
fn rounded(risk: f64) -> f64 {
    if risk > 0.0 && risk < 1.0 { (risk * 1e4).round().clamp(1.0, 9999.0) / 1e4 } else { risk }
}
