//! `placements`: Slagle 2019, "Theory and Algorithms", version 3 of SatisfactoryPlacements: builds all satisfactory
//! placements of mines around the fringe by backtracking, number by number, and makes the moves that all of them agree
//! on. The paper does not guess; this player then opens a random tile, and begins on one.
//!
//! Two things differ from the paper. Its claim that certain moves lie only on the perimeter overlooks the number of
//! mines: placements that the board has too many or too few mines for are dropped, and when every placement takes all
//! the mines, the rest is safe. And it multiplies the placements of parts of the fringe that have nothing to do with
//! each other, which shows nothing more and takes for ever; here each part is gone through by itself.

use super::coupled_sets::{CoupledSet, Solutions, coupled_sets, equations};
use super::notes::{Note, Notes};
use crate::solver::Impossible;

/// Notes what all satisfactory placements agree on.
pub(super) fn deduce(notes: &mut Notes) -> Result<(), Impossible> {
    // Each number's own placements first: what they agree on, the placements of the whole fringe agree on too.
    notes.single_points()?;
    if notes.certain().is_some() {
        return Ok(());
    }
    let size = notes.board().size();
    let fringe = equations(notes);
    let sets = coupled_sets(&fringe);
    let parts = sets.into_iter().filter_map(|set| {
        // In the order of the fringe, row by row.
        let order: Vec<usize> = (0..set.groups.len()).collect();
        let placements = set.enumerate(&fringe, &order)?;
        Some((set, placements))
    });
    let parts: Vec<(CoupledSet, Solutions)> = parts.collect();
    let perimeter: usize = parts.iter().map(|(set, _)| set.tiles()).sum();
    let rest = notes.cells(Note::Unknown).count() - perimeter;
    let left = notes.board().mines().map(|mines| i64::from(mines) - notes.cells(Note::Mine).count() as i64);
    let bounds = parts.iter().map(|(_, placements)| placements.mine_bounds());
    let bounds = bounds.collect::<Option<Vec<_>>>().ok_or(Impossible { near: None })?;
    let (fewest, most) = bounds.iter().fold((0, 0), |(low, high), bound| (low + bound.0, high + bound.1));
    for ((set, placements), (low, high)) in parts.iter().zip(bounds) {
        // The others take at least `fewest - low` mines, and leave at most `most - high` and the rest to this part.
        let allowed = |mines: usize| {
            left.is_none_or(|left| {
                let mines = mines as i64;
                mines + (fewest - low) as i64 <= left && mines + (most - high) as i64 + rest as i64 >= left
            })
        };
        let happens = |tally: &[f64]| tally.iter().enumerate().any(|(mines, ways)| *ways > 0.0 && allowed(mines));
        for (index, group) in set.groups.iter().enumerate() {
            let note = match (happens(&placements.mined[index]), happens(&placements.free[index])) {
                (true, true) => continue,
                (true, false) => Note::Mine,
                (false, true) => Note::Safe,
                (false, false) => return Err(Impossible { near: None }),
            };
            for &cell in &group.cells {
                notes.set(size.cell(cell as usize), note)?;
            }
        }
    }
    if left == Some(fewest as i64) {
        let inside: std::collections::HashSet<u32> =
            parts.iter().flat_map(|(set, _)| &set.groups).flat_map(|group| group.cells.iter().copied()).collect();
        let outside: Vec<_> =
            notes.cells(Note::Unknown).filter(|&cell| !inside.contains(&(size.index(cell) as u32))).collect();
        outside.into_iter().try_for_each(|cell| notes.set(cell, Note::Safe))?;
    }
    Ok(())
}
