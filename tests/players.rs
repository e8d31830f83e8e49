//! Every player on every sort of board: no panic, no hang, no move that is not allowed, and nothing said to be certain
//! that is not.

use minesight::board::Board;
use minesight::game::{Game, Rule, State};
use minesight::geometry::{BoardSize, Cell};
use minesight::simulate::game_seed;
use minesight::solver::{self, Decision, Reason, Setup};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::time::Duration;

const RULES: [Rule; 6] = [Rule::Safe, Rule::Zero, Rule::Any, Rule::Windows, Rule::Hinted, Rule::Opened];

/// Sizes from 1x1 to 50x50, densities from none to all, every rule.
fn any_game(index: u64) -> (Game, Rule) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(game_seed(11, index));
    // Half of the boards are small: there the odd cases are.
    let widest = if index.is_multiple_of(2) { 50 } else { 6 };
    let size = BoardSize::new(rng.random_range(1..=widest), rng.random_range(1..=widest));
    // Half have a density at which games last.
    let most = if rng.random_range(0..2) == 0 { size.tiles() } else { size.tiles() / 4 };
    let mines = rng.random_range(0..=most) as u32;
    let rule = RULES[rng.random_range(0..RULES.len())];
    (Game::deal(size, mines, rule, index).unwrap(), rule)
}

fn play(name: &str, index: u64) {
    let (mut game, rule) = any_game(index);
    let setup = Setup { rule, seed: index, think: Duration::from_millis(5), ..Setup::default() };
    let mut player = solver::by_name(name, &setup).unwrap();
    player.new_game(index);
    let size = game.board().size();
    while game.state() == State::Playing && !game.board().is_cleared() {
        let board = game.board().clone();
        let at = || format!("{name}, game {index}, rule {rule}:\n{board}");
        let decision: Decision = player.decide(&board).unwrap_or_else(|error| panic!("{error}: {}", at()));
        let is_covered = |cell: &Cell| size.contains(*cell) && board.tile(*cell).is_covered();
        assert!(!decision.open.is_empty() && decision.open.iter().all(is_covered), "{}", at());
        assert!(decision.mines.iter().all(is_covered), "{}", at());
        if let Reason::Guess { risk, .. } = decision.reason {
            assert!(decision.open.len() == 1 && (0.0..=1.0).contains(&risk), "{}", at());
        }
        if !board.is_untouched() {
            assert!(decision.mines.iter().all(|&cell| game.is_mine(cell)), "a mine that is none: {}", at());
        }
        for (place, &cell) in decision.open.iter().enumerate() {
            assert!(!decision.open[..place].contains(&cell), "twice: {}", at());
            game.open(cell);
        }
        assert!(game.state() != State::Lost || decision.reason != Reason::Certain, "not certain at all: {}", at());
    }
}

#[test]
fn every_player_keeps_to_the_rules() {
    for name in solver::NAMES {
        (0..40).for_each(|index| play(name, index));
    }
}

/// What a player keeps from board to board and from game to game is memory to work in: it decides as if it saw each board alone.
#[test]
fn what_was_played_before_does_not_matter() {
    for name in ["lowest-risk", "best", "greedy"] {
        let setup = Setup { seed: 3, think: Duration::from_millis(5), ..Setup::default() };
        let mut kept = solver::by_name(name, &setup).unwrap();
        for seed in 0..12 {
            let size = if seed % 3 == 0 { BoardSize::new(30, 16) } else { BoardSize::new(16, 16) };
            let mut game = Game::deal(size, size.tiles() as u32 / 5, Rule::Safe, seed).unwrap();
            kept.new_game(seed);
            while game.state() == State::Playing {
                let mut fresh = solver::by_name(name, &setup).unwrap();
                fresh.new_game(seed);
                let decision = kept.decide(game.board()).unwrap();
                assert_eq!(decision, fresh.decide(game.board()).unwrap(), "{name}, game {seed}:\n{}", game.board());
                decision.open.into_iter().for_each(|cell| _ = game.open(cell));
            }
        }
    }
}

/// The long run: `cargo test --release --test players -- --ignored`; a player's name in MINESIGHT_PLAYER picks one.
#[test]
#[ignore = "takes minutes for every player"]
fn every_player_keeps_to_the_rules_in_ten_thousand_games() {
    let only = std::env::var("MINESIGHT_PLAYER").ok();
    for name in solver::NAMES.iter().filter(|name| only.as_deref().is_none_or(|only| only == **name)) {
        let began = std::time::Instant::now();
        (0..10_000).for_each(|index| play(name, index));
        println!("{name}: 10,000 games in {:?}", began.elapsed());
    }
}

#[test]
fn a_mine_is_not_opened_because_nothing_else_can_be() {
    // Whatever covers the right of it, only one of the tiles there may be safe, and none of them can be opened.
    let board: Board = "5 2 2\nF10~~\n110~~".parse().unwrap();
    for name in ["best", "lowest-risk"] {
        let player = solver::by_name(name, &Setup::default()).unwrap();
        let decision = player.decide(&board).unwrap();
        assert_eq!((decision.open, decision.mines), (vec![], vec![Cell::new(0, 0)]), "{name}");
    }
}
