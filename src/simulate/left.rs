//! How much a better choice could gain at the guesses of `best`, and how much one that plays on does gain: ignored tests that
//! print a line a guess, to be added up.
//!
//! Some deals choose and others judge: so chance that chooses does not judge itself. Every game has its own: under `safe` the same
//! position after the first click comes again and again, and the same deals would count as many times.

use super::game_seed;
use crate::board::Board;
use crate::game::{Game, Rule, State};
use crate::geometry::{BoardSize, Cell};
use crate::solver::play_on::{ROUND, Table, candidates};
use crate::solver::probability::Engine;
use crate::solver::strategies::Best;
use crate::solver::{Reason, Setup, Strategy, lookahead};
use clap::ValueEnum;
use rayon::prelude::*;
use std::time::Duration;

/// What the environment asks for.
fn asked<T: std::str::FromStr>(name: &str, usual: T) -> T {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(usual)
}

/// `GAMES` expert games of `SEED` under `RULE` by a player that thinks so many milliseconds; `at_guess` is given the setup, the number of the game,
/// the board, and what is opened, wherever there are so many explanations that they are not all searched.
fn at_guesses(think: u64, at_guess: impl Fn(&Setup, u64, &Board, Cell) + Sync) {
    let rule = Rule::from_str(&asked("RULE", "safe".to_owned()), true).unwrap();
    let setup = Setup { rule, ..Setup::default() };
    let seed = asked("SEED", 880_101);
    (0..asked("GAMES", 1000u64)).into_par_iter().for_each(|number| {
        let player = best(&setup, think);
        let mut engine = Engine::default();
        let mut game = Game::deal(BoardSize::new(30, 16), 99, rule, game_seed(seed, number)).unwrap();
        while game.state() == State::Playing {
            let decision = player.decide(game.board()).unwrap();
            if matches!(decision.reason, Reason::Guess { .. }) && !game.board().is_untouched() {
                engine.solve_where(game.board(), None).unwrap();
                // The limit of `best` at its default (20,000), and what it opens without looking further.
                let is_searched = engine.log_explanations < 9.9 || lookahead::even_pair(&engine, |_| true).is_some();
                if !is_searched {
                    at_guess(&setup, number, game.board(), decision.open[0]);
                }
            }
            decision.open.iter().for_each(|&cell| _ = game.open(cell));
        }
        println!("game {number}");
    });
}

fn best(setup: &Setup, think: u64) -> Best {
    Best::new(&Setup { think: Duration::from_millis(think), ..setup.clone() })
}

/// The number of the game, the natural logarithm of the explanations, and for each candidate its safety and, for every 25 of `DEALS`, the sum of
/// its chances of winning, played on by `best` at one millisecond.
/// `GAMES=300 DEALS=2400 RULE=zero cargo test --release --no-default-features what_a_better_choice -- --ignored --nocapture`
#[test]
#[ignore = "half an hour"]
fn what_a_better_choice_could_gain() {
    at_guesses(100, |setup, number, board, chosen| {
        let mut engine = Engine::default();
        engine.solve_where(board, None).unwrap();
        let candidates = candidates(&mut engine, board, chosen);
        let mut quick = [best(setup, 1)];
        let places: Vec<usize> = (0..candidates.len()).collect();
        let mut table = Table::new(board, &mut quick, &candidates, game_seed(2, number)).unwrap();
        let mut sums = vec![String::new(); candidates.len()];
        for _ in 0..asked("DEALS", 600) / ROUND {
            let mut sum = vec![0.0; candidates.len()];
            for worth in table.deals(&places, ROUND).unwrap() {
                sum.iter_mut().zip(worth).for_each(|(sum, worth)| *sum += worth);
            }
            sums.iter_mut().zip(sum).for_each(|(sums, sum)| *sums += &format!(" {sum:.3}"));
        }
        let safety = |cell: &Cell| 1.0 - engine.risk[board.size().index(*cell)];
        let told = candidates.iter().zip(sums).map(|(cell, sums)| format!(" | {:.4}{sums}", safety(cell)));
        println!("{number} {:.1}{}", engine.log_explanations, told.collect::<String>());
    });
}

/// What `best` gains that thinks for `THINK` milliseconds over `best` at its default: the games are those of the first; wherever it
/// opens another tile than the second, the second plays on behind both, in `DEALS` of other lots. The sum of these leads over a game is in the mean
/// the difference of the chances of winning of both (Kakade and Langford 2002, lemma 6.1).
/// The number of the game, the natural logarithm of the explanations, 1 if the tiles differ, the lead.
/// `GAMES=1000 DEALS=1000 THINK=2000 RULE=zero cargo test --release --no-default-features what_thinking_gains -- --ignored --nocapture`
#[test]
#[ignore = "half an hour"]
fn what_thinking_gains() {
    at_guesses(asked("THINK", 2000), |setup, number, board, opened| {
        let mut usual = [best(setup, 100)];
        let (tiles, deals) = ([usual[0].decide(board).unwrap().open[0], opened], asked("DEALS", 1000));
        let differs = tiles[0] != tiles[1];
        let mut lead = 0.0;
        if differs {
            let mut table = Table::new(board, &mut usual, &tiles, game_seed(3, number)).unwrap();
            for worth in table.deals(&[0, 1], deals).unwrap() {
                lead += (worth[1] - worth[0]) / deals as f64;
            }
        }
        let mut engine = Engine::default();
        engine.solve_where(board, None).unwrap();
        println!("{number} {:.1} {} {lead:.6}", engine.log_explanations, u8::from(differs));
    });
}
