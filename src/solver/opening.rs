//! Where to click first, by rule and board, and then until something opens.

use crate::board::{Board, Tile};
use crate::game::Rule;
use crate::geometry::{BoardSize, Cell};

/// The first click of a game, or `None` if the board was touched already.
///
/// Where the first click only is no mine, a corner: with three neighbours it is the likeliest to be an opening. Where
/// it always is an opening, a tile a little inside, for a larger one: (3, 3) on boards of expert size, (2, 2) on
/// smaller ones (measured by Bernton, SweeperSolver_2). Never the top left where mines are moved there (Windows).
pub fn first_click(board: &Board, rule: Rule) -> Option<Cell> {
    if !board.is_untouched() {
        return None;
    }
    let BoardSize { width, height } = board.size();
    Some(match rule {
        Rule::Zero => {
            let inside = if board.size().tiles() >= 400 { 3 } else { 2 };
            Cell::new(inside.min((width - 1) / 2), inside.min((height - 1) / 2))
        }
        Rule::Windows => Cell::new(width - 1, height - 1),
        Rule::Safe | Rule::Any | Rule::Hinted | Rule::Opened => Cell::new(0, 0),
    })
}

/// While no number has opened its surroundings, the next corner that is covered, beside no number, and among the safest tiles as
/// `is_safest` says: with three neighbours it is the likeliest to be an opening, which is worth more then than what the next few clicks tell.
///
/// Measured at expert under [`Rule::Safe`] against looking ahead (`results/solver.md`, "Until something opens").
pub fn corner(board: &Board, is_safest: impl Fn(Cell) -> bool) -> Option<Cell> {
    if board.tiles().contains(&Tile::Open(0)) {
        return None;
    }
    let size = board.size();
    let (right, bottom) = (size.width - 1, size.height - 1);
    let is_alone = |cell: Cell| size.neighbours(cell).all(|other| board.tile(other).number().is_none());
    [(0, 0), (right, 0), (0, bottom), (right, bottom)]
        .map(|(x, y)| Cell::new(x, y))
        .into_iter()
        .find(|&corner| board.tile(corner).is_covered() && is_alone(corner) && is_safest(corner))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_come_first_until_something_opens() {
        for (board, expected) in [
            ("1####\n#####\n#####\n#####", Some((4, 0))),
            ("1###2\n#####\n#####\n#####", Some((0, 3))),
            ("1###2\n#####\n#1###\n#####", Some((4, 3))), // that of a number's neighbours is none
            ("1###2\n#####\n#1#1#\n#####", None),
            ("01###\n11###\n#####\n#####", None), // something has opened
        ] {
            assert_eq!(corner(&board.parse().unwrap(), |_| true), expected.map(Cell::from), "{board}");
        }
        assert_eq!(corner(&"1####\n#####".parse().unwrap(), |_| false), None);
    }

    #[test]
    fn starts_by_rule() {
        for (size, rule, expected) in [
            (BoardSize::new(30, 16), Rule::Safe, (0, 0)),
            (BoardSize::new(30, 16), Rule::Zero, (3, 3)),
            (BoardSize::new(9, 9), Rule::Zero, (2, 2)),
            (BoardSize::new(1, 7), Rule::Zero, (0, 2)),
            (BoardSize::new(9, 9), Rule::Windows, (8, 8)),
        ] {
            let board = Board::hidden(size, 0).unwrap();
            assert_eq!(first_click(&board, rule), Some(expected.into()), "{size} {rule}");
        }
        assert_eq!(first_click(&"0#".parse().unwrap(), Rule::Safe), None);
    }
}
