//! How much a better choice could gain at the guesses of `best`: an ignored test that prints what to tell it from.
//!
//! At a guess every candidate is played on behind, deal by deal, the same deals for all where they can be
//! (`solver::play_on`). A line for each guess: its number in its game, the natural logarithm of its explanations, and for each candidate its
//! safety and, for every 25 deals, the sum of its chances of winning. Some deals choose and others judge: so chance that
//! chooses does not judge itself.
//! `GAMES=1000 DEALS=600 SEED=1 RULE=safe LEAST=9.9 MOST=1000 cargo test --release --no-default-features what_a_better_choice -- --ignored --nocapture`

use super::game_seed;
use crate::game::{Game, Rule, State};
use crate::geometry::BoardSize;
use crate::solver::play_on::{ROUND, Table, candidates};
use crate::solver::probability::Engine;
use crate::solver::{self, Reason, Setup};
use clap::ValueEnum;
use rayon::prelude::*;
use std::time::Duration;

fn told<T: std::str::FromStr>(name: &str, usual: T) -> T {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(usual)
}

#[test]
#[ignore = "half an hour"]
fn what_a_better_choice_could_gain() {
    let (games, deals) = (told("GAMES", 1000u64), told("DEALS", 600usize));
    let (least, most) = (told("LEAST", 9.9), told("MOST", 1000.0));
    let rule = Rule::from_str(&told("RULE", "safe".to_owned()), true).unwrap();
    let run = told("SEED", 880_101u64);
    let setup = Setup { rule, ..Setup::default() };
    (0..games).into_par_iter().for_each(|seed| {
        let best = solver::by_name("best", &setup).unwrap();
        let quick = solver::by_name("best", &Setup { think: Duration::from_millis(1), ..setup.clone() }).unwrap();
        let mut engine = Engine::default();
        let mut game = Game::deal(BoardSize::new(30, 16), 99, rule, game_seed(run, seed)).unwrap();
        let mut guesses = 0;
        while game.state() == State::Playing {
            let decision = best.decide(game.board()).unwrap();
            if matches!(decision.reason, Reason::Guess { .. }) && !game.board().is_untouched() {
                guesses += 1;
                engine.solve_where(game.board(), None).unwrap();
                let log = engine.log_explanations;
                let is_even = solver::lookahead::even_pair(&engine, |_| true).is_some();
                if (least..most).contains(&log) && !is_even {
                    let board = game.board().clone();
                    let candidates = candidates(&mut engine, &board, decision.open[0]);
                    let places: Vec<usize> = (0..candidates.len()).collect();
                    let mut table = Table::new(&board, &*quick, &candidates).unwrap();
                    let mut line = format!("{seed} {guesses} {log:.1}");
                    let mut sums = vec![Vec::new(); candidates.len()];
                    for _ in 0..deals / ROUND {
                        let mut sum = vec![0.0; candidates.len()];
                        for _ in 0..ROUND {
                            let worth = table.deal(&places).unwrap();
                            sum.iter_mut().zip(worth).for_each(|(sum, worth)| *sum += worth);
                        }
                        sums.iter_mut().zip(sum).for_each(|(sums, sum)| sums.push(sum));
                    }
                    for (cell, sums) in candidates.iter().zip(sums) {
                        let safety = 1.0 - engine.risk[board.size().index(*cell)];
                        let sums: Vec<String> = sums.iter().map(|sum| format!("{sum:.3}")).collect();
                        line += &format!(" | {safety:.4} {}", sums.join(" "));
                    }
                    println!("{line}");
                }
            }
            decision.open.iter().for_each(|&cell| _ = game.open(cell));
        }
    });
}
