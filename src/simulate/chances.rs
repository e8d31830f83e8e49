//! Expected wins: a game judged by its chances instead of the coin of its guesses.
//!
//! A guess at risk r ends a game r of the time, whatever the player is worth; that coin is most of what makes win rates
//! uncertain. So a guess costs the factor 1 - r instead. If there was a mine, the board is dealt again from the
//! explanations of what is open in which the guess is safe, and the game goes on. Every explanation is as likely as the
//! next, so the mean of the products is the win rate: the expectation of a step is taken instead of a sample of it.

use crate::board::Board;
use crate::game::Game;
use crate::geometry::Cell;
use crate::solver::lots::lots;
use crate::solver::probability::Engine;

/// Judges the guesses of games.
#[derive(Debug, Default)]
pub struct Chances {
    engine: Engine,
    seed: u64,
}

impl Chances {
    /// For the game with this seed, from which comes all chance of the boards that are dealt again.
    pub fn of_game(seed: u64) -> Self {
        // Not the seed itself: that has dealt the board, and leads the lots of the player.
        Self { seed: seed.rotate_left(32) ^ 0x5851_f42d_4c95_7f2d, ..Self::default() }
    }

    /// The exact chance that `cell` holds no mine; `None` where it is beyond reach.
    pub fn safety(&mut self, board: &Board, cell: Cell) -> Option<f64> {
        self.engine.solve_where(board, None)?;
        Some(1.0 - self.engine.risk[board.size().index(cell)])
    }

    /// Deals `game` again, so that `cell` holds no mine and all else is as likely as it was; false where that cannot be.
    pub fn deal_again(&mut self, game: &mut Game, cell: Cell) -> bool {
        let size = game.board().size();
        if self.engine.solve_where(game.board(), Some(cell)).is_none() {
            return false;
        }
        // The same position is dealt again alike for every player, so that players are compared where they differ.
        let mines = self.engine.draw(&mut lots(self.seed, game.board()));
        game.lay_again(mines.into_iter().map(|tile| size.cell(tile as usize)));
        true
    }
}
