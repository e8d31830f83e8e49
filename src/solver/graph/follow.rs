//! What a player wins of all deals of a small board, beside the optimum: its policy followed through every deal at once.
//!
//! Deals that have shown the same so far are one position and get one decision. At every guess the optimum of what is left
//! stands beside the optimum of what the guess leads to; what is lost in between is lost for good, and over the whole
//! game these losses add up to the difference between the player and the optimum.

use super::deals::{BestPlay, Deals};
use super::{BeyondReach, Deal, Position, Reach, Turn, ones, sort_by_number};
use crate::board::{Board, Tile};
use crate::game::Rule;
use crate::geometry::{BoardSize, Cell};
use crate::solver::{Impossible, Reason, Strategy};

/// A player on all deals of a board.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Followed {
    /// The deals it wins.
    pub wins: u64,
    /// The deals that are won under best play from its first click on.
    pub optimum: u64,
    /// All deals that the rule of the first click can make there.
    pub deals: u64,
    /// Positions after the first click in which it guesses.
    pub guesses: u64,
    /// The deals that come there, all these positions together.
    pub guessed: u64,
    /// The guesses that are not worth most, by what they lose.
    pub mistakes: Vec<Mistake>,
}

/// A guess that is not worth most.
#[derive(Clone, Debug, PartialEq)]
pub struct Mistake {
    /// Where.
    pub board: Board,
    /// What was opened.
    pub cell: Cell,
    /// The deals that come here.
    pub deals: u64,
    /// Those of them that are won under best play.
    pub optimum: u64,
    /// Those that are won under best play if this tile is opened first.
    pub after: u64,
}

/// Why a player cannot be followed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FollowError {
    /// The board is too large.
    #[error(transparent)]
    BeyondReach(#[from] BeyondReach),
    /// The player says that a true board cannot be.
    #[error(transparent)]
    Denied(#[from] Impossible),
    /// The player opens nothing, or what is open already.
    #[error("the player opens nothing new on\n{0}")]
    Stuck(Box<Board>),
}

/// Follows `player`, told the same rule, through every deal of a `board` that nobody touched.
///
/// # Errors
/// The board is beyond reach, or the player breaks the rules.
pub fn follow(board: &Board, rule: Rule, player: &dyn Strategy, reach: Reach) -> Result<Followed, FollowError> {
    let start = player.decide(board)?;
    let &[cell] = &start.open[..] else { return Err(FollowError::Stuck(Box::new(board.clone()))) };
    let Position { tiles, mut deals, covered } = Position::at_first_click(board, rule, cell, reach)?;
    let size = tiles.whole.ok_or(BeyondReach)?;
    let mut best_play = BestPlay::new(Deals::new(&tiles.around, Turn::all(size)));
    best_play.allow(usize::MAX);
    let mut walk =
        Walk { size, around: &tiles.around, player, mines: board.mines(), best_play, found: Followed::default() };
    walk.found.deals = weight(&deals);
    let untouched = Shown { begin: 0, end: deals.len(), covered, tiles: board.tiles().to_vec() };
    walk.found.optimum = walk.open(&mut deals, untouched, 1 << size.index(cell))?;
    let mut found = walk.found;
    found.mistakes.sort_by_key(|mistake| std::cmp::Reverse(mistake.optimum - mistake.after));
    Ok(found)
}

struct Walk<'a> {
    size: BoardSize,
    around: &'a [u64],
    player: &'a dyn Strategy,
    mines: Option<u32>,
    best_play: BestPlay,
    found: Followed,
}

impl Walk<'_> {
    /// Opens the tiles of `open` and plays on. Returns the deals that are won under best play once they are open.
    fn open(&mut self, deals: &mut [Deal], before: Shown, open: u64) -> Result<u64, FollowError> {
        let after = open_tiles(self.around, deals, before, open).into_iter();
        after.map(|shown| self.decide(&mut deals[shown.begin..shown.end], shown)).sum()
    }

    /// What the player does, and all that follows.
    fn decide(&mut self, deals: &mut [Deal], shown: Shown) -> Result<u64, FollowError> {
        let all = weight(deals);
        if deals.iter().all(|deal| deal.mines == shown.covered) {
            self.found.wins += all;
            return Ok(all);
        }
        let board = shown.board(self.size, self.mines);
        let (open, reason) = decide(self.player, &board, shown.covered)?;
        let shown = Shown { begin: 0, end: deals.len(), ..shown };
        if reason == Reason::Certain {
            return self.open(deals, shown, open);
        }
        let optimum = self.best_play.won(deals.iter().copied(), shown.covered, 0)?.0;
        let after = self.open(deals, shown, open)?;
        self.found.guesses += 1;
        self.found.guessed += all;
        if after < optimum {
            let cell = self.size.cell(open.trailing_zeros() as usize);
            self.found.mistakes.push(Mistake { board, cell, deals: all, optimum, after });
        }
        Ok(optimum)
    }
}

/// What can be seen, and the deals that show it, a range of those that showed what was seen before.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    pub begin: usize,
    pub end: usize,
    /// Tiles that can be opened.
    pub covered: u64,
    pub tiles: Vec<Tile>,
}

impl Shown {
    pub fn board(&self, size: BoardSize, mines: Option<u32>) -> Board {
        Board::new(size, mines, self.tiles.clone()).expect("numbers that mines have shown")
    }
}

/// All that can be seen once the tiles of `open` are open, and all around where nothing is; deals with a mine there are
/// in none of it.
pub(super) fn open_tiles(around: &[u64], deals: &mut [Deal], before: Shown, open: u64) -> Vec<Shown> {
    let (mut room, mut found, mut left) = (Vec::new(), Vec::new(), vec![(before, open)]);
    while let Some((before, open)) = left.pop() {
        let Some(tile) = ones(open).next() else {
            found.push(before);
            continue;
        };
        let (covered, open) = (before.covered & !(1 << tile), open & !(1 << tile));
        let ends = sort_by_number(&mut deals[before.begin..before.end], tile, around[tile], &mut room);
        let mut begin = before.begin;
        for (number, end) in ends.into_iter().enumerate() {
            let (begin, end) = (std::mem::replace(&mut begin, before.begin + end), before.begin + end);
            if begin < end {
                let mut tiles = before.tiles.clone();
                tiles[tile] = Tile::Open(number as u8);
                let more = if number == 0 { around[tile] & covered } else { 0 };
                left.push((Shown { begin, end, covered, tiles }, open | more));
            }
        }
    }
    found
}

/// What a player opens of the tiles in `covered`.
pub(super) fn decide(player: &dyn Strategy, board: &Board, covered: u64) -> Result<(u64, Reason), FollowError> {
    let decision = player.decide(board)?;
    let open = decision.open.iter().fold(0, |open, &cell| open | 1 << board.size().index(cell)) & covered;
    if open == 0 { Err(FollowError::Stuck(Box::new(board.clone()))) } else { Ok((open, decision.reason)) }
}

pub(super) fn weight(deals: &[Deal]) -> u64 {
    deals.iter().map(|deal| u64::from(deal.weight)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Game, State};
    use crate::solver::graph::optimum;
    use crate::solver::{Setup, by_name};

    #[test]
    fn a_player_wins_the_deals_that_it_wins_one_by_one() {
        for (name, (width, height), mines) in
            [("lowest-risk", (3, 3), 2), ("best", (4, 3), 3), ("best", (4, 4), 4), ("lowest-risk", (4, 4), 4)]
        {
            let size = BoardSize::new(width, height);
            let board = Board::hidden(size, mines).unwrap();
            let player = by_name(name, &Setup::default()).unwrap();
            let found = follow(&board, Rule::Safe, &*player, Reach::SMALL_BOARD).unwrap();
            let (mut wins, mut deals) = (0, 0);
            // The corner that is clicked first is bit 0.
            for bits in (0..1u64 << size.tiles()).filter(|bits| bits.count_ones() == mines && bits & 1 == 0) {
                let mines: Vec<Cell> = ones(bits).map(|tile| size.cell(tile)).collect();
                let mut game = Game::with_mines(size, &mines).unwrap();
                while game.state() == State::Playing {
                    let decision = player.decide(game.board()).unwrap();
                    decision.open.into_iter().for_each(|cell| _ = game.open(cell));
                }
                (wins, deals) = (wins + u64::from(game.state() == State::Won), deals + 1);
            }
            assert_eq!((found.wins, found.deals), (wins, deals), "{name} on {size}");
            let lost: u64 = found.mistakes.iter().map(|mistake| mistake.optimum - mistake.after).sum();
            assert_eq!(found.wins + lost, found.optimum, "{name} on {size}");
        }
    }

    #[test]
    fn the_optimal_player_makes_no_mistake() {
        for (size, mines) in [((3, 3), 3), ((4, 3), 3), ((4, 4), 4)] {
            let board = Board::hidden(BoardSize::new(size.0, size.1), mines).unwrap();
            for rule in [Rule::Safe, Rule::Any, Rule::Zero, Rule::Windows] {
                let player = by_name("optimal", &Setup { rule, ..Setup::default() }).unwrap();
                let found = follow(&board, rule, &*player, Reach::SMALL_BOARD).unwrap();
                assert_eq!(found.mistakes, [], "{rule}");
                assert_eq!(found.wins, found.optimum, "{rule}");
                assert_eq!(found.wins, optimum(&board, rule, Reach::WHOLE_BOARD).unwrap().wins, "{rule}");
            }
        }
    }
}
