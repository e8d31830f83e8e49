//! How much a better choice could gain at the guesses of `best`: an ignored test that prints it.
//!
//! At a guess every candidate is opened and played on, deal by deal; all candidates share their deals where they can.
//! The even deals choose and the odd ones judge, and the other way round: so chance that chooses does not judge itself.
//! `cargo test --release --no-default-features what_a_better_choice -- --ignored --nocapture`

use super::{Chances, game_seed, play_game};
use crate::board::Board;
use crate::game::{Game, Rule, State};
use crate::geometry::{BoardSize, Cell};
use crate::solver::constraints::SAFE;
use crate::solver::probability::{Engine, Numbers};
use crate::solver::{self, Reason, Setup, Strategy};
use crate::stats;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::time::Duration;

/// Deals at every guess; candidates beside the choice of `best`; guesses looked at, of every kind.
const DEALS: u64 = 200;
const OTHERS: usize = 3;
const GUESSES: usize = 500;
/// With fewer explanations (the natural logarithm) `best` searches, and there is little to choose.
const FEWEST: f64 = 9.9;

/// The candidates by two openings, the choice of `best` first.
fn candidates(engine: &mut Engine, board: &Board, chosen: Cell) -> Vec<Cell> {
    engine.chain();
    let engine = &*engine;
    let size = board.size();
    let risk = |cell: Cell| engine.risk[size.index(cell)];
    let lowest = board.cells_where(|tile| tile.is_covered()).map(risk).fold(1.0, f64::min);
    let close = board
        .cells_where(|tile| tile.is_covered())
        .filter(|&cell| cell != chosen && 1.0 - risk(cell) >= 0.85 * (1.0 - lowest));
    let mut numbers = Numbers::default();
    let mut worth = |cell: Cell| -> f64 {
        let shown = numbers.of(engine, &engine.position, size.index(cell) as u32);
        shown.iter().map(|shown| shown.chance * (0.8 * shown.safest + 0.2 * shown.second)).sum()
    };
    let mut close: Vec<(f64, Cell)> = close.map(|cell| (worth(cell), cell)).collect();
    close.sort_by(|one, other| other.0.total_cmp(&one.0));
    // Tiles worth the same to the last digit are mostly alike: one of them will do.
    close.dedup_by(|one, other| (one.0 - other.0).abs() < 1e-12);
    std::iter::once(chosen).chain(close.into_iter().map(|(_, cell)| cell).take(OTHERS)).collect()
}

/// The chance of winning behind every candidate, deal by deal.
fn play_on(
    game: &Game,
    engine: &mut Engine,
    player: &dyn Strategy,
    candidates: &[Cell],
    seed: u64,
) -> Option<Vec<Vec<f64>>> {
    let (board, size) = (game.board(), game.board().size());
    let mut worth = vec![Vec::new(); candidates.len()];
    for deal in 0..DEALS {
        let mut solve = |safe: Option<Cell>| {
            engine.position.read(board);
            safe.into_iter().for_each(|cell| engine.position.tiles[size.index(cell)] = SAFE);
            engine.constraints.conclude(&engine.position).ok()?;
            engine.solve().ok()?;
            let mines = engine.draw(&mut Xoshiro256PlusPlus::seed_from_u64(game_seed(seed, deal)));
            Some((engine.risk.clone(), mines.into_iter().map(|tile| size.cell(tile as usize)).collect::<Vec<_>>()))
        };
        let (risk, common) = solve(None)?;
        for (worth, &cell) in worth.iter_mut().zip(candidates) {
            // Where the common deal has a mine, one in which the tile is safe: all such deals are equally likely.
            let mines = if common.contains(&cell) { solve(Some(cell))?.1 } else { common.clone() };
            let mut behind = game.clone();
            behind.lay_again(mines);
            behind.open(cell);
            let mut chances = Chances::of_game(game_seed(!seed, deal));
            let won = match behind.state() {
                State::Won => 1.0,
                _ => play_game(player, &mut behind, None, Rule::Safe, Some(&mut chances), |_| {}).ok()?.expected?,
            };
            worth.push((1.0 - risk[size.index(cell)]) * won);
        }
    }
    Some(worth)
}

/// What the choice by some deals gains over the first candidate, by the others; the mean of both ways. And the mean over
/// the others of the product of what the two halves say of their lead: the variance of the true leads, about zero.
fn gain(worth: &[Vec<f64>]) -> (f64, f64) {
    let half = |of: usize| -> Vec<f64> {
        let mean = |deals: &Vec<f64>| deals.iter().skip(of).step_by(2).sum::<f64>() / (DEALS / 2) as f64;
        worth.iter().map(mean).collect()
    };
    let halves = [half(0), half(1)];
    let lead = |of: usize, candidate: usize| halves[of][candidate] - halves[of][0];
    let chosen = |of: usize| (0..worth.len()).max_by(|&a, &b| lead(of, a).total_cmp(&lead(of, b))).unwrap_or(0);
    let others = (worth.len() - 1).max(1) as f64;
    let both = (1..worth.len()).map(|candidate| lead(0, candidate) * lead(1, candidate)).sum::<f64>() / others;
    ((lead(1, chosen(0)) + lead(0, chosen(1))) / 2.0, both)
}

#[test]
#[ignore = "half an hour"]
fn what_a_better_choice_could_gain() {
    let setup = Setup { rule: Rule::Safe, ..Setup::default() };
    let best = solver::by_name("best", &setup).unwrap();
    let quick = solver::by_name("best", &Setup { think: Duration::from_millis(1), ..setup }).unwrap();
    let mut found: [Vec<(f64, f64)>; 3] = Default::default();
    let mut engine = Engine::default();
    for seed in 0.. {
        if found.iter().all(|found| found.len() >= GUESSES) {
            break;
        }
        let mut game = Game::deal(BoardSize::new(30, 16), 99, Rule::Safe, game_seed(880_101, seed)).unwrap();
        let mut guesses = 0;
        // One guess a game, so that guesses do not lean on each other; the third kind is the third to the fifth.
        let (kind, wanted) = [(0, 0), (1, 1), (2, 2 + seed as usize / 3 % 3)][seed as usize % 3];
        while game.state() == State::Playing {
            let decision = best.decide(game.board()).unwrap();
            let untouched = game.board().is_untouched();
            if matches!(decision.reason, Reason::Guess { .. }) && !untouched {
                engine.position.read(game.board());
                engine.constraints.conclude(&engine.position).unwrap();
                engine.solve().unwrap();
                if guesses == wanted && engine.log_explanations > FEWEST && found[kind].len() < GUESSES {
                    let candidates = candidates(&mut engine, game.board(), decision.open[0]);
                    let seed = game_seed(880_102, seed);
                    let Some(worth) = play_on(&game, &mut engine, &*quick, &candidates, seed) else { break };
                    found[kind].push(gain(&worth));
                    let points = |values: Vec<f64>| match stats::mean_ci95(values) {
                        Some((mean, [low, high])) => format!("{:+.5} [{:+.5}, {:+.5}]", mean, low, high),
                        None => "-".to_owned(),
                    };
                    println!(
                        "guess {}: {} guesses, gain {}, lead squared {}",
                        kind + 1,
                        found[kind].len(),
                        points(found[kind].iter().map(|(gain, _)| *gain).collect()),
                        points(found[kind].iter().map(|(_, both)| *both).collect()),
                    );
                    break;
                }
                guesses += 1;
            }
            decision.open.iter().for_each(|&cell| {
                if game.state() == State::Playing {
                    game.open(cell);
                }
            });
        }
    }
}
