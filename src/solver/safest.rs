//! What every sound player begins with: the first click, the moves that are certain, and the safest guess.

use super::constraints::{Constraints, NONE, Position, SAFE, UNKNOWN};
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
    let risk = if rule.is_promised() && density < 1.0 { 0.0 } else { density };
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
    let Engine { singles, constraints, position, .. } = &mut *engine;
    if singles.has_safe() {
        singles.list(&mut constraints.safe, &mut constraints.mines);
        if let Some(decision) = concluded(constraints, position, board) {
            return Ok(Certain::Moves(decision));
        }
    }
    singles.hand_over(position, constraints);
    constraints.conclude_pairs(position)?;
    if !constraints.safe.is_empty() {
        constraints.safe.sort_unstable();
        constraints.mines.sort_unstable();
        if let Some(decision) = concluded(constraints, position, board) {
            return Ok(Certain::Moves(decision));
        }
    }
    match engine.solve() {
        Err(Unsolved::Impossible(impossible)) => return Err(impossible),
        Err(Unsolved::BeyondReach { .. }) => return Ok(Certain::BeyondReach),
        Ok(()) => {}
    }
    let (mut open, mut mines, mut is_done) = (vec![], vec![], true);
    for (index, (&risk, tile)) in engine.risk.iter().zip(board.tiles()).enumerate() {
        // Open tiles have no risk, which compares with nothing.
        let is_certain = (risk == 0.0) | (risk == 1.0);
        is_done &= is_certain | risk.is_nan();
        if is_certain && tile.is_covered() {
            if risk == 0.0 { &mut open } else { &mut mines }.push(engine.position.neighbours.cell(index as u32));
        }
    }
    Ok(if open.is_empty() && !is_done {
        Certain::Nothing { mines }
    } else {
        Certain::Moves(Decision { open, mines, reason: Reason::Certain })
    })
}

/// The safe tiles that simple reasoning found, if any is covered, and the mines.
fn concluded(found: &Constraints, position: &Position, board: &Board) -> Option<Decision> {
    let covered = |tiles: &[u32]| covered(tiles, position, board);
    let open = covered(&found.safe);
    (!open.is_empty()).then(|| Decision { open, mines: covered(&found.mines), reason: Reason::Certain })
}

/// Those of some tiles that are covered.
fn covered(tiles: &[u32], position: &Position, board: &Board) -> Vec<Cell> {
    let mut cells = Vec::with_capacity(tiles.len());
    let is_covered = |tile: u32| board.tiles()[tile as usize].is_covered();
    cells.extend(tiles.iter().filter(|&&tile| is_covered(tile)).map(|&tile| position.neighbours.cell(tile)));
    cells
}

/// The lowest risk, unless only mines are left to be opened, as where the rest is not recognised; among equals a tile next to a number, then
/// the one with the fewest neighbours, then the first. What joins other numbers says more than what lies far away: corners first wherever
/// they are wins 0.4 points less on expert boards (`results/solver.md`).
pub(crate) fn guess(engine: &Engine, board: &Board, mines: Vec<Cell>) -> Decision {
    let Some(index) = lowest(engine, board, &engine.risk) else {
        return Decision { open: vec![], mines, reason: Reason::Certain };
    };
    let (risk, kind) = (engine.risk[index], engine.guess_kind(index as u32));
    Decision { open: vec![board.size().cell(index)], mines, reason: Reason::Guess { risk, kind } }
}

fn lowest(engine: &Engine, board: &Board, risk: &[f64]) -> Option<usize> {
    // Few tiles pass the comparison, so that hardly any is asked for more.
    let mut lowest = 1.0;
    for (&risk, tile) in risk.iter().zip(board.tiles()) {
        if risk < lowest && tile.is_covered() {
            lowest = risk;
        }
    }
    // Equal but for the order of the sums counts as equal.
    let enough = lowest * (1.0 + 1e-9);
    let mut safest: Option<(usize, usize)> = None;
    for (index, (&risk, tile)) in risk.iter().zip(board.tiles()).enumerate() {
        if risk <= enough && risk < 1.0 && tile.is_covered() {
            let is_near = engine.constraints.box_of[index] != NONE;
            let rank = engine.position.neighbours.of(index as u32).len() + if is_near { 0 } else { 8 };
            if safest.is_none_or(|(lowest, _)| rank < lowest) {
                safest = Some((rank, index));
            }
        }
    }
    safest.map(|(_, index)| index)
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
    let Some(index) = lowest(engine, board, &risk) else {
        return Decision { open: vec![], mines, reason: Reason::Certain };
    };
    let kind = if is_near[index] { GuessKind::Educated } else { GuessKind::Unconstrained };
    Decision { open: vec![board.size().cell(index)], mines, reason: Reason::Guess { risk: risk[index], kind } }
}
