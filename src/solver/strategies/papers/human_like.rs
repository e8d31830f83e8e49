//! `human-like`: Slagle 2019, "Human-like Solving", strategies 1 to 7: looks at one number (strategies 1 and 2), then at
//! pairs of numbers that share hidden tiles (3 to 7), from a stack of active points: those beside a tile that was just
//! opened or marked. The paper begins with tiles already open and does not guess; where nothing is certain, and at the
//! start, this player opens a random tile.

use super::notes::{Note, Notes};
use crate::geometry::Cell;
use crate::solver::Impossible;

/// `Solve(G)` of the paper, as far as the numbers on the board lead.
pub(super) fn deduce(notes: &mut Notes) -> Result<(), Impossible> {
    let board = notes.board();
    let size = board.size();
    let mut active: Vec<(Cell, u8)> = board.numbers().collect();
    while let Some((point, number)) = active.pop() {
        for (cell, note) in apply_strategies(notes, point, number)? {
            notes.set(cell, note)?;
            active.extend(size.neighbours(cell).filter_map(|near| Some((near, board.tile(near).number()?))));
        }
    }
    Ok(())
}

/// What a number shows by itself, or together with the first number beside it that shows anything.
fn apply_strategies(notes: &Notes, point: Cell, number: u8) -> Result<Vec<(Cell, Note)>, Impossible> {
    let (board, size) = (notes.board(), notes.board().size());
    let (blank1, mines1) = notes.around(point, number);
    if mines1 < 0 || mines1 as usize > blank1.len() {
        return Err(Impossible { near: Some(point) });
    }
    let all = |cells: Vec<Cell>, note| cells.into_iter().map(|cell| (cell, note)).collect();
    if blank1.is_empty() {
        return Ok(Vec::new());
    }
    if mines1 as usize == blank1.len() {
        return Ok(all(blank1, Note::Mine)); // strategy 1
    }
    if mines1 == 0 {
        return Ok(all(blank1, Note::Safe)); // strategy 2
    }
    // Numbers that share a hidden tile are at most two away.
    for other in size.square(point, 2).filter(|&other| other != point) {
        let Some(number) = board.tile(other).number() else { continue };
        let (blank2, mines2) = notes.around(other, number);
        let shared: Vec<Cell> = blank1.iter().copied().filter(|cell| blank2.contains(cell)).collect();
        if shared.is_empty() {
            continue;
        }
        let only1: Vec<Cell> = blank1.iter().copied().filter(|cell| !shared.contains(cell)).collect();
        let only2: Vec<Cell> = blank2.iter().copied().filter(|cell| !shared.contains(cell)).collect();
        let (only1_len, only2_len) = (only1.len() as i32, only2.len() as i32);
        // The paper prints a max here, but means the least of three upper bounds.
        let most = mines1.min(mines2).min(shared.len() as i32);
        let fewest = (mines1 - only1_len).max(mines2 - only2_len);
        if fewest > most {
            return Err(Impossible { near: Some(other) });
        }
        let found: Vec<(Cell, Note)> = match () {
            () if only1_len > 0 && mines1 - most == only1_len => all(only1, Note::Mine), // strategy 3
            () if only2_len > 0 && mines2 - most == only2_len => all(only2, Note::Mine), // strategy 4
            () if fewest == shared.len() as i32 => all(shared, Note::Mine),              // strategy 5
            () if only1_len > 0 && fewest == mines1 => all(only1, Note::Safe),           // strategy 6
            () if only2_len > 0 && fewest == mines2 => all(only2, Note::Safe),           // strategy 7
            () => continue,
        };
        return Ok(found);
    }
    Ok(Vec::new())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;

    fn check(text: &str, expected: &str) {
        let board: Board = text.parse().unwrap();
        let mut notes = Notes::new(&board);
        deduce(&mut notes).unwrap();
        let found: Vec<char> = board
            .size()
            .cells()
            .map(|cell| match notes.get(cell) {
                Note::Open => board.tile(cell).to_char(),
                Note::Unknown => '#',
                Note::Safe => 's',
                Note::Mine => '*',
            })
            .collect();
        let rows: Vec<String> = found.chunks(board.size().width as usize).map(|row| row.iter().collect()).collect();
        assert_eq!(rows.join(" "), expected, "{text}");
    }

    #[test]
    fn pairs_of_numbers() {
        check("5 2 ?\n#####\n12221", "##*## 12221");
        check("4 2 ?\n####\n1211", "*s*s 1211");
        check("3 2 ?\n###\n111", "s*s 111");
    }
}
