//! `equation`: the equation strategy of Ramsdell's Programmer's Minesweeper (PGMS), as Studholme 2001 describes it: it
//! makes a decision based on a set of equations. It begins on a random tile, and where the equations show nothing it
//! opens a random tile (Studholme, "Starting a Game" and figures 2 to 4).
//!
//! The paper says no more of it than that. Here every number is an equation, and each two of them that share tiles give
//! further ones: what a part leaves of the whole, and both remainders where one equation needs all of its own tiles to
//! get its mines ([`resolve`]).

use super::coupled_sets::{Equation, equations};
use super::notes::{Note, Notes};
use crate::solver::Impossible;
use std::collections::{HashMap, HashSet};

/// Bound on the equations of one board, for every tile: an expert game needs about two.
const MOST_EQUATIONS_PER_TILE: usize = 16;

/// Notes the tiles of every equation that is reached and has no mines, or nothing but mines.
pub(super) fn deduce(notes: &mut Notes) -> Result<(), Impossible> {
    notes.single_points()?;
    if notes.certain().is_some() {
        return Ok(());
    }
    let size = notes.board().size();
    let mut waiting = equations(notes);
    let mut known: HashSet<Equation> = waiting.iter().cloned().collect();
    let mut set: Vec<Equation> = Vec::new();
    let mut of_tile: HashMap<u32, Vec<usize>> = HashMap::new();
    while let Some(equation) = waiting.pop() {
        if set.len() > MOST_EQUATIONS_PER_TILE * size.tiles() {
            break;
        }
        let note = match equation.mines {
            0 => Some(Note::Safe),
            mines if mines == equation.cells.len() as i32 => Some(Note::Mine),
            _ => None,
        };
        if let Some(note) = note {
            equation.cells.iter().try_for_each(|&cell| notes.set(size.cell(cell as usize), note))?;
        }
        let mut beside: Vec<usize> =
            equation.cells.iter().filter_map(|cell| of_tile.get(cell)).flatten().copied().collect();
        beside.sort_unstable();
        beside.dedup();
        for other in beside {
            let new = resolve(&equation, &set[other]);
            waiting.extend(new.into_iter().flatten().filter(|new| known.insert(new.clone())));
        }
        equation.cells.iter().for_each(|&cell| of_tile.entry(cell).or_default().push(set.len()));
        set.push(equation);
    }
    Ok(())
}

/// What two equations show of the tiles that only one of them has. If `a` has more mines than `b` by as many as it has
/// tiles of its own, all of those are mines, and `b` has none among its own; a part of another equation leaves the rest
/// with the rest of the mines.
fn resolve(a: &Equation, b: &Equation) -> [Option<Equation>; 2] {
    let own = |of: &Equation, not: &Equation| -> Vec<u32> {
        of.cells.iter().copied().filter(|cell| not.cells.binary_search(cell).is_err()).collect()
    };
    let (own_a, own_b) = (own(a, b), own(b, a));
    let more = a.mines - b.mines;
    let (mines_a, mines_b) = match () {
        () if more == own_a.len() as i32 => (more, 0),
        () if -more == own_b.len() as i32 => (0, -more),
        () if own_a.is_empty() => (0, -more),
        () if own_b.is_empty() => (more, 0),
        () => return [None, None],
    };
    let equation = |cells: Vec<u32>, mines| (!cells.is_empty()).then_some(Equation { cells, mines });
    [equation(own_a, mines_a), equation(own_b, mines_b)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(a: (&[u32], i32), b: (&[u32], i32), expected: &[(&[u32], i32)]) {
        let equation = |&(cells, mines): &(&[u32], i32)| Equation { cells: cells.to_vec(), mines };
        let found: Vec<Equation> = resolve(&equation(&a), &equation(&b)).into_iter().flatten().collect();
        assert_eq!(found, expected.iter().map(equation).collect::<Vec<_>>());
    }

    #[test]
    fn two_equations_give_others() {
        check((&[1, 2, 3], 2), (&[2, 3], 1), &[(&[1], 1)]); // a part
        check((&[1, 2, 3], 1), (&[1, 2, 3, 4, 5], 2), &[(&[4, 5], 1)]);
        check((&[1, 2, 3], 2), (&[2, 3, 4], 1), &[(&[1], 1), (&[4], 0)]); // the 1-2 of every player
        check((&[1, 2], 1), (&[2, 3], 1), &[]);
    }
}
