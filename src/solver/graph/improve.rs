//! What a player could win if it knew what it wins: its policy improved, exactly, on all deals of a small board.
//!
//! The improved player opens, at every guess, the tile from which on the player before it wins most, where several do that player's
//! own. It wins at least as much (policy improvement), and can be improved again. Where a player wins as much as can be
//! won, there is nothing to improve: so only what leads to its mistakes is looked at.

use super::deals::{BestPlay, Deals};
use super::follow::{Shown, decide, open_tiles, weight};
use super::{BeyondReach, Deal, FollowError, Position, Reach, Turn, ones};
use crate::board::{Board, Tile};
use crate::game::Rule;
use crate::geometry::BoardSize;
use crate::solver::Strategy;
use std::collections::HashMap;

/// What a player and its improvements win from its first click on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Improved {
    /// The deals that the player wins, then those of the player improved once, and so on.
    pub wins: Vec<u64>,
    /// The deals that are won under best play.
    pub optimum: u64,
    /// All deals that the rule of the first click can make there.
    pub deals: u64,
}

/// Improves `player`, told the same rule, so many times on a `board` that nobody touched; its first click stays.
///
/// # Errors
/// The board is beyond reach, or the player breaks the rules.
pub fn improve(
    board: &Board,
    rule: Rule,
    player: &dyn Strategy,
    times: usize,
    reach: Reach,
) -> Result<Improved, FollowError> {
    let start = player.decide(board)?;
    let &[cell] = &start.open[..] else { return Err(FollowError::Stuck(Box::new(board.clone()))) };
    let Position { tiles, mut deals, covered } = Position::at_first_click(board, rule, cell, reach)?;
    let size = tiles.whole.ok_or(BeyondReach)?;
    let mut best_play = BestPlay::new(Deals::new(&tiles.around, Turn::all(size)));
    best_play.allow(usize::MAX);
    let first = size.index(cell);
    let optimum = best_play.won_after(deals.iter().copied(), covered, first, 0)?;
    let met = vec![HashMap::new(); times + 1];
    let mut players = Players { size, around: &tiles.around, mines: board.mines(), player, best_play, met };
    let untouched = Shown { begin: 0, end: deals.len(), covered, tiles: board.tiles().to_vec() };
    let wins = (0..=times).map(|level| players.after(level, &mut deals, &untouched, 1 << first));
    Ok(Improved { wins: wins.collect::<Result<_, _>>()?, optimum, deals: weight(&deals) })
}

/// A player and its improvements, by how often it was improved.
struct Players<'a> {
    size: BoardSize,
    around: &'a [u64],
    mines: Option<u32>,
    player: &'a dyn Strategy,
    best_play: BestPlay,
    /// For each of them, the deals won and the tiles opened, by what can be seen.
    met: Vec<HashMap<Vec<Tile>, (u64, u64)>>,
}

impl Players<'_> {
    /// The deals won once the tiles of `open` are open.
    fn after(&mut self, level: usize, deals: &mut [Deal], before: &Shown, open: u64) -> Result<u64, FollowError> {
        let after = open_tiles(self.around, deals, before.clone(), open).into_iter();
        after.map(|shown| Ok(self.play(level, &mut deals[shown.begin..shown.end], shown)?.0)).sum()
    }

    /// The deals won from here on, and what is opened.
    fn play(&mut self, level: usize, deals: &mut [Deal], shown: Shown) -> Result<(u64, u64), FollowError> {
        if deals.iter().all(|deal| deal.mines == shown.covered) {
            return Ok((weight(deals), 0));
        }
        if let Some(&met) = self.met[level].get(&shown.tiles) {
            return Ok(met);
        }
        let shown = Shown { begin: 0, end: deals.len(), ..shown };
        let found = if level == 0 {
            let (open, _) = decide(self.player, &shown.board(self.size, self.mines), shown.covered)?;
            (self.after(0, deals, &shown, open)?, open)
        } else {
            let (won, open) = self.play(level - 1, deals, shown.clone())?;
            if won == self.best_play.won(deals.iter().copied(), shown.covered, 0)?.0 {
                (won, open)
            } else {
                let open = self.improved(level - 1, deals, &shown, (won, open))?;
                (self.after(level, deals, &shown, open)?, open)
            }
        };
        self.met[level].insert(shown.tiles, found);
        Ok(found)
    }

    /// What to open if from then on the player of `level` plays, who wins `won` by opening the tiles of `open`.
    fn improved(
        &mut self,
        level: usize,
        deals: &mut [Deal],
        shown: &Shown,
        (won, open): (u64, u64),
    ) -> Result<u64, FollowError> {
        let is_safe = deals.iter().all(|deal| deal.mines & open == 0);
        let (mut best, mut chosen) = (won, open);
        for tile in ones(if is_safe { 0 } else { shown.covered }) {
            let safe: u64 =
                deals.iter().filter(|deal| deal.mines >> tile & 1 == 0).map(|deal| u64::from(deal.weight)).sum();
            if safe > best {
                let won = self.after(level, deals, shown, 1 << tile)?;
                if won > best {
                    (best, chosen) = (won, 1 << tile);
                }
            }
        }
        Ok(chosen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::graph::follow;
    use crate::solver::{Setup, by_name};

    #[test]
    fn every_improvement_wins_more_until_nothing_is_lost() {
        let mut gained = 0;
        for (name, size, mines) in
            [("lowest-risk", (3, 3), 3), ("lowest-risk", (4, 3), 3), ("lowest-risk", (4, 4), 4), ("best", (4, 4), 4)]
        {
            let board = Board::hidden(BoardSize::new(size.0, size.1), mines).unwrap();
            for rule in [Rule::Safe, Rule::Zero] {
                let player = by_name(name, &Setup { rule, ..Setup::default() }).unwrap();
                let found = improve(&board, rule, &*player, 6, Reach::SMALL_BOARD).unwrap();
                let followed = follow(&board, rule, &*player, Reach::SMALL_BOARD).unwrap();
                assert_eq!(
                    (found.wins[0], found.optimum, found.deals),
                    (followed.wins, followed.optimum, followed.deals)
                );
                for both in found.wins.windows(2) {
                    assert!(both[0] <= both[1], "{name}: {found:?}");
                    gained += both[1] - both[0];
                }
                assert_eq!(found.wins[6], found.optimum, "{name}: {found:?}");
            }
        }
        assert!(gained > 0);
    }
}
