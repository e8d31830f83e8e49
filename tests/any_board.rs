//! The players of this project on boards of any size and density: no panic, no hang, no illegal move.

use minesight::board::Tile;
use minesight::game::{Game, Rule, State};
use minesight::geometry::BoardSize;
use minesight::solver::{Reason, Setup, by_name};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::time::{Duration, Instant};

fn play_any(name: &str, games: u64, seed: u64) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    for game_number in 0..games {
        let size = BoardSize::new(rng.random_range(1..=50), rng.random_range(1..=50));
        let mines = (rng.random_range(0.0..=1.0) * size.tiles() as f64).round() as u32;
        let rule =
            [Rule::Safe, Rule::Zero, Rule::Any, Rule::Windows, Rule::Hinted, Rule::Opened][rng.random_range(0..6)];
        let player = by_name(name, &Setup { rule, ..Setup::default() }).unwrap();
        let mut game = Game::deal(size, mines, rule, game_number).unwrap();
        let told = |what: &str| format!("{what}: {name}, {size}, {mines} mines, {rule}, game {game_number}");
        while game.state() == State::Playing {
            let begun = Instant::now();
            let decision = player.decide(game.board()).unwrap_or_else(|error| panic!("{}: {error}", told("error")));
            assert!(begun.elapsed() < Duration::from_secs(60), "{}", told("too long"));
            if decision.open.is_empty() {
                assert_eq!(mines as usize, size.tiles(), "{}", told("gave up"));
                break;
            }
            for cell in decision.open {
                // What an opening has opened in the meantime is no mistake; an open tile chosen to be guessed is.
                let is_open = !matches!(game.board().tile(cell), Tile::Hidden);
                assert!(!is_open || decision.reason == Reason::Certain, "{}", told("illegal move"));
                let before = game.state();
                if game.open(cell) == State::Lost && before == State::Playing {
                    assert!(decision.reason.risk() > 0.0 || size.tiles() == mines as usize, "{}", told("not certain"));
                }
            }
        }
    }
}

#[test]
fn lowest_risk_plays_on_any_board() {
    play_any("lowest-risk", 150, 1);
}

#[test]
fn best_plays_on_any_board() {
    play_any("best", 150, 2);
}

/// `cargo test --release --no-default-features --test any_board -- --ignored`
#[test]
#[ignore = "takes minutes"]
fn ten_thousand_games_on_any_board() {
    play_any("lowest-risk", 10_000, 3);
    play_any("best", 10_000, 4);
}
