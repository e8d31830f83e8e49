//! What every sound player begins with: the first click, the moves that are certain, and the safest guess.

use super::constraints::{MINE, Position, SAFE, UNKNOWN};
use super::probability::{Engine, UNKNOWN_TOTAL_DENSITY, Unsolved};
use super::{Decision, GuessKind, Impossible, Reason, opening};
use crate::board::Board;
use crate::game::Rule;
use crate::geometry::Cell;

/// The first click of a game on a board nobody touched, with its risk.
pub(crate) fn start(board: &Board, rule: Rule) -> Option<Decision> {
    let cell = opening::first_click(board, rule)?;
    let tiles = board.size().tiles() as f64;
    let density = board.mines().map_or(UNKNOWN_TOTAL_DENSITY, |mines| f64::from(mines) / tiles);
    // Only where nothing is promised is the first click a risk; with no tile to spare it is one everywhere.
    let risk = if rule == Rule::Any || density == 1.0 { density } else { 0.0 };
    let open = if density == 1.0 { vec![] } else { vec![cell] };
    Some(Decision { open, mines: vec![], reason: Reason::Guess { risk, kind: GuessKind::Start } })
}

/// What can be done without a guess.
pub(crate) enum Certain {
    /// Open these.
    Moves(Decision),
    /// No covered tile is certainly safe; the engine holds all risks, `mines` are certain.
    Nothing { mines: Vec<Cell> },
    /// The exact risks are beyond reach; the engine holds what simple reasoning concludes.
    BeyondReach,
}

/// Looks for certain moves: single numbers, pairs of numbers, then all numbers at once.
pub(crate) fn certain(engine: &mut Engine, board: &Board, rule: Rule) -> Result<Certain, Impossible> {
    engine.position.read_under(board, rule);
    engine.singles.read(&engine.position)?;
    if engine.singles.has_safe()
        && let Some(decision) = concluded(engine.singles.rows().map(|row| row.tiles), board)
    {
        return Ok(Certain::Moves(decision));
    }
    engine.constraints.take_up(&engine.position, engine.singles.rows());
    engine.constraints.conclude_pairs(&engine.position)?;
    if !engine.constraints.safe.is_empty()
        && let Some(decision) = concluded(engine.constraints.tiles.chunks(board.size().width as usize), board)
    {
        return Ok(Certain::Moves(decision));
    }
    match engine.solve() {
        Err(Unsolved::Impossible(impossible)) => return Err(impossible),
        Err(Unsolved::BeyondReach { .. }) => return Ok(Certain::BeyondReach),
        Ok(()) => {}
    }
    let open = covered_at(board, &engine.risk, 0.0);
    let mines = covered_at(board, &engine.risk, 1.0);
    let is_done = open.is_empty() && !engine.risk.iter().any(|risk| *risk > 0.0 && *risk < 1.0);
    Ok(if open.is_empty() && !is_done {
        Certain::Nothing { mines }
    } else {
        Certain::Moves(Decision { open, mines, reason: Reason::Certain })
    })
}

/// The safe tiles that simple reasoning found, if any, in rows of what is known of every tile.
fn concluded<'a>(rows: impl Iterator<Item = &'a [u8]>, board: &Board) -> Option<Decision> {
    let (mut open, mut mines) = (Vec::with_capacity(32), Vec::with_capacity(128));
    let covered = board.tiles().chunks(board.size().width as usize);
    for ((known, tiles), y) in rows.zip(covered).zip(0..) {
        for ((&known, tile), x) in known.iter().zip(tiles).zip(0..) {
            match known {
                SAFE if tile.is_covered() => open.push(Cell::new(x, y)),
                MINE if tile.is_covered() => mines.push(Cell::new(x, y)),
                _ => {}
            }
        }
    }
    (!open.is_empty()).then_some(Decision { open, mines, reason: Reason::Certain })
}

fn covered_at(board: &Board, risk: &[f64], wanted: f64) -> Vec<Cell> {
    let tiles = board.tiles().iter().zip(risk).enumerate();
    let chosen = tiles.filter(|(_, (tile, risk))| **risk == wanted && tile.is_covered());
    chosen.map(|(index, _)| board.size().cell(index)).collect()
}

/// The lowest risk, unless only mines are left to be opened, as where the rest is not recognised; among equals a tile next to a number, then
/// the one with the fewest neighbours, then the first. What joins other numbers says more than what lies far away: corners first wherever
/// they are wins 0.4 points less on expert boards (`results/solver.md`).
pub(crate) fn guess(engine: &Engine, board: &Board, mines: Vec<Cell>) -> Decision {
    let Some(index) = lowest(&engine.position, board, &engine.risk) else {
        return Decision { open: vec![], mines, reason: Reason::Certain };
    };
    let (risk, kind) = (engine.risk[index], engine.guess_kind(index as u32));
    Decision { open: vec![board.size().cell(index)], mines, reason: Reason::Guess { risk, kind } }
}

fn lowest(position: &Position, board: &Board, risk: &[f64]) -> Option<usize> {
    let mut best: Option<(f64, usize, usize)> = None;
    for (index, (tile, &risk)) in board.tiles().iter().zip(risk).enumerate() {
        // Equal but for the order of the sums counts as equal.
        if !tile.is_covered() || risk >= 1.0 || best.is_some_and(|(lowest, ..)| risk > lowest * (1.0 + 1e-9)) {
            continue;
        }
        let around = position.neighbours.of(index as u32);
        let is_near = around.iter().any(|&other| position.tiles[other as usize] < UNKNOWN);
        let degree = around.len() + if is_near { 0 } else { 8 };
        if best.is_none_or(|(lowest, fewest, _)| risk < lowest * (1.0 - 1e-9) || degree < fewest) {
            best = Some((risk, degree, index));
        }
    }
    best.map(|(.., index)| index)
}

/// Without exact risks: the highest that any single number next to a tile gives, or the density of what is left.
pub(crate) fn estimate(engine: &Engine, board: &Board) -> Decision {
    let constraints = &engine.constraints;
    let unknown = constraints.tiles.iter().filter(|&&tile| tile == UNKNOWN).count();
    let density = constraints
        .mines_left
        .map_or(UNKNOWN_TOTAL_DENSITY, |mines| mines as f64 / unknown.max(1) as f64)
        .clamp(0.0, 1.0);
    let mut risk: Vec<f64> = constraints
        .tiles
        .iter()
        .map(|&tile| match tile {
            UNKNOWN => density,
            SAFE => 0.0,
            _ => 1.0,
        })
        .collect();
    let mut is_near = vec![false; risk.len()];
    for witness in &constraints.witnesses {
        let share = f64::from(witness.need) / f64::from(witness.unknown.max(1));
        for &tile in witness.boxes().iter().flat_map(|&number| constraints.boxes[number as usize].cells()) {
            let at = &mut risk[tile as usize];
            *at = if std::mem::replace(&mut is_near[tile as usize], true) { at.max(share) } else { share };
        }
    }
    let mines = constraints.mines.iter().filter(|&&tile| board.tiles()[tile as usize].is_covered());
    let mines = mines.map(|&tile| board.size().cell(tile as usize)).collect();
    let Some(index) = lowest(&engine.position, board, &risk) else {
        return Decision { open: vec![], mines, reason: Reason::Certain };
    };
    let kind = if is_near[index] { GuessKind::Educated } else { GuessKind::Unconstrained };
    Decision { open: vec![board.size().cell(index)], mines, reason: Reason::Guess { risk: risk[index], kind } }
}
