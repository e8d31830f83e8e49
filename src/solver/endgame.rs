//! The exact chance of winning, by exhaustive search over sets of explanations.
//!
//! Which explanations there are and what each shows is in `listed`; how many of them are won is searched by
//! [`best_play`](super::best_play). Where there are too many for that, only the first move is searched for: its worth is the
//! exact chance of winning if from then on always the safest telling tile is opened. The cost grows with the number of
//! explanations instead of exploding, and of the chance of winning only 0.2 points are lost (`results/solver.md`).

mod listed;

use super::best_play::BestPlay;
use super::probability::{Engine, Unsolved};
use crate::board::{Board, Tile};
use crate::game::Rule;
use listed::Listed;

/// The best move of an endgame and what it is worth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Worth {
    /// Tile to open next, by its number on the board.
    pub tile: u32,
    /// The chance of winning under best play; where only the first move was searched for, at least that.
    pub win: f64,
    /// The chance that this tile is a mine.
    pub risk: f64,
}

/// How far an endgame is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// At most so many explanations.
    pub explanations: usize,
    /// Up to so many, all ways to go on are searched; beyond, all first moves, and from then on the safest tile is opened.
    pub thorough: usize,
    /// Looks at what a tile shows under one explanation: every tile for every set that is searched.
    pub looks: usize,
}

/// Searches endgames one after another, without new memory.
#[derive(Clone, Debug, Default)]
pub struct Endgame {
    search: BestPlay<Listed>,
}

impl Endgame {
    /// The best move of what is in `engine` (after [`Engine::solve`]) among the tiles that are `openable`, if it is
    /// within `limits`. The total of mines must be known.
    pub fn search(&mut self, engine: &Engine, openable: &dyn Fn(u32) -> bool, limits: Limits) -> Option<Worth> {
        if engine.constraints.mines_left.is_none() || is_beyond(engine.log_explanations, limits) {
            return None;
        }
        self.search.source.every(engine, openable, limits.explanations)?;
        self.run(limits)
    }

    /// The best move inside one component that nothing elsewhere can help: its mines are fixed, and no tile of it
    /// touches an unknown tile outside. The chance of winning is that of this component alone.
    pub fn search_enclosed(
        &mut self,
        engine: &Engine,
        component: usize,
        openable: &dyn Fn(u32) -> bool,
        limits: Limits,
    ) -> Option<Worth> {
        if is_beyond(engine.counter.components[component].log_ways(), limits) {
            return None;
        }
        self.search.source.enclosed(engine, component, openable, limits.explanations)?;
        self.run(limits)
    }

    /// The best move where `listed` is what is left.
    fn run(&mut self, limits: Limits) -> Option<Worth> {
        let search = &mut self.search;
        let count = search.source.mines.len();
        search.is_narrow = count > limits.thorough;
        search.allow(limits.looks);
        search.forget();
        let (won, place) = search.won(0..count as u32, (), 0).ok()?;
        let listed = &search.source;
        let place = place.unwrap_or_else(|| listed.last_move());
        let bit = 1u128 << place;
        let mines = listed.mines.iter().filter(|mines| **mines & bit != 0).count() as f64;
        let count = count as f64;
        Some(Worth { tile: listed.tiles[place], win: won as f64 / count, risk: mines / count })
    }
}

/// Whether there are more explanations, by the logarithm of their number, than may be searched.
fn is_beyond(log_explanations: f64, limits: Limits) -> bool {
    log_explanations > (limits.explanations as f64 + 0.5).ln()
}

/// Within which [`win_probability`] is exact: up to a few seconds.
const PATIENT: Limits = Limits { explanations: 4000, thorough: 4000, looks: 3_000_000_000 };

/// The exact chance of winning `board` under best play, where so few explanations are left that all ways to go on can be
/// searched; `None` where there are more, where the total of mines is not known, or a tile was not recognised. Under the
/// rule `windows` not all explanations are alike.
///
/// # Errors
/// Nothing explains the board, or it is beyond reach.
pub fn win_probability(board: &Board, rule: Rule) -> Result<Option<f64>, Unsolved> {
    let mut engine = Engine::default();
    engine.position.read_under(board, rule);
    engine.constraints.conclude(&engine.position)?;
    engine.solve()?;
    if board.is_lost() {
        return Ok(Some(0.0));
    }
    if board.is_cleared() {
        return Ok(Some(1.0));
    }
    if board.tiles().contains(&Tile::Unrecognised) {
        return Ok(None);
    }
    let openable = |tile: u32| board.tiles()[tile as usize].is_covered();
    let worth = Endgame::default().search(&engine, &openable, PATIENT);
    Ok(worth.map(|worth| worth.win))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn win(text: &str) -> f64 {
        win_probability(&text.parse().unwrap(), Rule::Safe).unwrap().unwrap()
    }

    #[test]
    fn small_boards_have_the_values_of_the_papers() {
        // Nakov & Wei: on 2x4 with two mines, after the move of the example, the optimal player wins a third.
        for (text, expected) in [
            ("2 1 1\n##", 0.5),
            ("3 1 1\n###", 2.0 / 3.0),
            ("3 1 1\n1##", 1.0),
            ("2 2 1\n1#\n##", 1.0 / 3.0),
            ("2 1 1\n#1", 1.0),
        ] {
            assert!((win(text) - expected).abs() < 1e-12, "{text}: {}", win(text));
        }
    }

    #[test]
    fn searching_for_the_first_move_alone_loses_little() {
        // Never more than best play; on these small boards hardly less.
        let (mut engine, mut endgame, mut searched) = (Engine::default(), Endgame::default(), 0);
        for seed in 0..200 {
            let size = crate::geometry::BoardSize::new(6, 6);
            let mut game = crate::game::Game::deal(size, 8, crate::game::Rule::Safe, seed).unwrap();
            game.open((2, 2).into());
            game.open((5, 5).into());
            if game.state() != crate::game::State::Playing {
                continue;
            }
            engine.position.read(game.board());
            engine.constraints.conclude(&engine.position).unwrap();
            engine.solve().unwrap();
            let limits = |thorough| Limits { explanations: 2000, thorough, looks: usize::MAX };
            let mut search = |thorough| endgame.search(&engine, &|_| true, limits(thorough));
            let (Some(best), Some(narrow)) = (search(2000), search(1)) else { continue };
            assert!(narrow.win <= best.win + 1e-12 && narrow.win > best.win - 0.1, "{narrow:?}, {best:?}");
            searched += 1;
        }
        assert!(searched > 20, "{searched}");
    }

    #[test]
    fn no_first_click_is_better_than_the_worth_of_the_board() {
        // The worth of a position is what its best tile leads to: one step of the search, done by hand.
        for (text, width, height) in [("3 3 2\n###\n###\n###", 3, 3), ("4 2 2\n####\n####", 4, 2)] {
            let board: Board = text.parse().unwrap();
            let size = crate::geometry::BoardSize::new(width, height);
            let worth = |cell| -> f64 {
                let numbers = 0..=8;
                let after = numbers.filter_map(|number| {
                    let mut tiles = board.tiles().to_vec();
                    tiles[size.index(cell)] = Tile::Open(number);
                    let next = Board::new(size, board.mines(), tiles).ok()?;
                    let ways: f64 = super::super::probability::explanations(&next).ok()?.to_string().parse().ok()?;
                    Some(if ways > 0.0 { ways * win_probability(&next, Rule::Safe).ok()?? } else { 0.0 })
                });
                after.sum()
            };
            let all: f64 = super::super::probability::explanations(&board).unwrap().to_string().parse().unwrap();
            let best = size.cells().map(worth).fold(0.0, f64::max) / all;
            let found = win_probability(&board, Rule::Safe).unwrap().unwrap();
            assert!((best - found).abs() < 1e-12, "{text}: {best}, not {found}");
        }
    }

    /// Best play by its definition: every tile that can be opened, every number; one may also stop and win all deals in
    /// which nothing is left to open. `deals` may hold a deal more than once.
    fn by_definition(size: crate::geometry::BoardSize, open: u32, openable: u32, deals: &[u32]) -> usize {
        let left = openable & !open;
        let mut best = deals.iter().filter(|&&deal| left & !deal == 0).count();
        for tile in (0..size.tiles()).filter(|tile| left >> tile & 1 == 1) {
            let shown = |deal: u32| {
                size.neighbours(size.cell(tile)).filter(|&other| deal >> size.index(other) & 1 == 1).count()
            };
            let mut won = 0;
            for number in 0..=8 {
                let fits = |deal: &&u32| **deal >> tile & 1 == 0 && shown(**deal) == number;
                let fitting: Vec<u32> = deals.iter().filter(fits).copied().collect();
                if !fitting.is_empty() {
                    won += by_definition(size, open | 1 << tile, openable, &fitting);
                }
            }
            best = best.max(won);
        }
        best
    }

    #[test]
    fn tiles_that_cannot_be_opened_and_moved_mines_are_searched_to_the_end() {
        let size = crate::geometry::BoardSize::new(4, 2);
        let (mut engine, mut endgame, mut searched) = (Engine::default(), Endgame::default(), 0);
        for seed in 0..600u64 {
            let mut bits = seed.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            bits ^= bits >> 29;
            let laid = bits as u32 & (bits >> 20) as u32 & 0xFF;
            let (open, unread) = ((bits >> 40) as u32 & (bits >> 50) as u32 & !laid & 0xFF, (bits >> 9) as u32 & 0xFF);
            let number = |deal: u32, tile: usize| {
                size.neighbours(size.cell(tile)).filter(|&other| deal >> size.index(other) & 1 == 1).count() as u8
            };
            let rule = if seed % 2 == 0 { Rule::Windows } else { Rule::Safe };
            let tile = |tile: usize| match () {
                () if open >> tile & 1 == 1 => Tile::Open(number(laid, tile)),
                () if unread >> tile & 1 == 1 && seed % 3 != 0 => Tile::Unrecognised,
                () => Tile::Hidden,
            };
            let board = Board::new(size, Some(laid.count_ones()), (0..8).map(tile).collect()).unwrap();
            engine.position.read_under(&board, rule);
            engine.constraints.conclude(&engine.position).unwrap();
            engine.solve().unwrap();
            let openable = |tile: u32| board.tiles()[tile as usize].is_covered();
            let limits = Limits { explanations: 500, thorough: 2000, looks: usize::MAX };
            let Some(found) = endgame.search(&engine, &openable, limits) else { continue };
            let fits = |deal: &u32| {
                deal.count_ones() == laid.count_ones()
                    && deal & open == 0
                    && (0..8).all(|tile| open >> tile & 1 == 0 || number(*deal, tile) == number(laid, tile))
            };
            let times = |deal: u32| if rule == Rule::Windows { 1 + deal.trailing_ones() as usize } else { 1 };
            let deals: Vec<u32> =
                (0..256).filter(fits).flat_map(|deal| std::iter::repeat_n(deal, times(deal))).collect();
            let can_open = (0..8).filter(|&tile| openable(tile)).fold(0, |bits, tile| bits | 1 << tile);
            let won = by_definition(size, open, can_open, &deals) as f64 / deals.len() as f64;
            assert!((found.win - won).abs() < 1e-12, "seed {seed}: {} instead of {won}\n{board}", found.win);
            assert!(openable(found.tile), "{board}");
            searched += 1;
        }
        assert!(searched > 300, "{searched}");
    }
}
