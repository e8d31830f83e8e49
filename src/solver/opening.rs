//! Where to click first, by rule and board.

use crate::board::Board;
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

#[cfg(test)]
mod tests {
    use super::*;

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
