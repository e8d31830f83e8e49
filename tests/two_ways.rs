//! The same question asked in two ways that share no code: risks and numbers of explanations by merged counting and by
//! listing every explanation; chances of winning by the endgame search and by the graph of positions.

use minesight::board::{Board, Tile};
use minesight::game::{Game, Rule};
use minesight::geometry::{BoardSize, Cell};
use minesight::solver::graph::{Goal, Graph, Play, Position, Reach};
use minesight::solver::{endgame, probability};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Positions that are tried here; with `POSITIONS=100000` in the environment, as many as that.
fn positions() -> u64 {
    std::env::var("POSITIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(400)
}

/// A random position of a random game: some safe tiles opened one by one, some mines shown or flagged.
fn position(seed: u64) -> Board {
    let mut lots = Xoshiro256PlusPlus::seed_from_u64(seed);
    let size = BoardSize::new(lots.random_range(1..=5), lots.random_range(1..=5));
    let tiles = size.tiles() as u32;
    let mines = lots.random_range(0..=tiles);
    let mut places: Vec<Cell> = size.cells().collect();
    for place in 0..mines as usize {
        let other = lots.random_range(place..places.len());
        places.swap(place, other);
    }
    let mut game = Game::with_mines(size, &places[..mines as usize]).unwrap();
    for &cell in &places[mines as usize..] {
        if lots.random_range(0..100) < 35 {
            game.open(cell);
        }
    }
    let mut tiles = game.board().tiles().to_vec();
    for &mine in &places[..mines as usize] {
        match lots.random_range(0..12) {
            0 => tiles[size.index(mine)] = Tile::Mine,
            1 => tiles[size.index(mine)] = Tile::Flag,
            _ => {}
        }
    }
    Board::new(size, Some(mines), tiles).unwrap()
}

#[test]
fn risks_and_counts_are_those_of_the_listed_explanations() {
    for seed in 0..positions() {
        let board = position(seed);
        let Ok(listed) = Position::of_board(&board, Reach { deals: 20_000, ..Reach::PATIENT }) else { continue };
        let count = probability::explanations(&board).unwrap();
        assert_eq!(count.to_string(), listed.deals().len().to_string(), "seed {seed}\n{board}");
        for risks in [probability::risks(&board).unwrap(), probability::shares(&board).unwrap()] {
            for tile in (0..listed.tiles()).filter(|tile| board.tile(listed.cell(*tile)).is_covered()) {
                let (cell, expected) = (listed.cell(tile), listed.risk(tile));
                let risk = risks.risk(cell).unwrap();
                assert!((risk - expected).abs() < 1e-12, "seed {seed}, {cell}: {risk}, not {expected}\n{board}");
                // Certain is certain, and nothing else is.
                assert_eq!(risk == 0.0, expected == 0.0, "seed {seed}, {cell}\n{board}");
                assert_eq!(risk == 1.0, expected == 1.0, "seed {seed}, {cell}\n{board}");
            }
        }
    }
}

#[test]
fn chances_of_winning_agree() {
    let mut compared = 0;
    for seed in 0..positions() {
        let board = position(seed);
        let Ok(listed) = Position::of_board(&board, Reach { deals: 300, ..Reach::PATIENT }) else { continue };
        let graph = Graph::new(Goal::Win, Play::Optimal).worth(&listed, Reach::PATIENT).unwrap().value;
        let Some(search) = endgame::win_probability(&board, Rule::Any).unwrap() else { continue };
        assert!((graph - search).abs() < 1e-12, "seed {seed}: {graph} or {search}?\n{board}");
        compared += 1;
    }
    assert!(compared > positions() / 2, "only {compared} compared");
}

/// The chance of winning that is worked out is the one that is met: the optimal player on many dealt games.
#[test]
fn games_are_won_as_often_as_worked_out() {
    use minesight::solver::{Setup, by_name};
    let (size, mines, games) = (BoardSize::new(3, 3), 3, 4000u32);
    for (play, name) in [(Play::Optimal, "optimal"), (Play::Greedy, "greedy")] {
        let start = Position::of_board(&Board::hidden(size, mines).unwrap(), Reach::SMALL_BOARD).unwrap();
        let chance = Graph::new(Goal::Win, play).worth(&start, Reach::SMALL_BOARD).unwrap().value;
        let mut won = 0;
        for seed in 0..games {
            let setup = Setup { rule: Rule::Any, seed: u64::from(seed), ..Setup::default() };
            let player = by_name(name, &setup).unwrap();
            let mut game = Game::deal(size, mines, Rule::Any, u64::from(seed)).unwrap();
            while game.state() == minesight::game::State::Playing {
                for cell in player.decide(game.board()).unwrap().open {
                    game.open(cell);
                }
            }
            won += u32::from(game.state() == minesight::game::State::Won);
        }
        let allowed = 4.0 * (f64::from(games) * chance * (1.0 - chance)).sqrt();
        let expected = chance * f64::from(games);
        assert!((f64::from(won) - expected).abs() < allowed, "{name}: {won} of {games} won, expected {expected}");
    }
}

/// The chance that random mines agree with a position, by trying all ways to lay them on its covered tiles.
fn chance_by_trying(board: &Board, density: f64) -> f64 {
    let size = board.size();
    let covered: Vec<Cell> = board.cells_where(Tile::may_be_mine).collect();
    let shown: Vec<Cell> = board.cells_where(Tile::is_shown_mine).collect();
    let (mut agree, mut all) = (0.0, 0.0);
    for ways in 0..1u32 << covered.len() {
        let laid = ways.count_ones();
        let weight = match board.mines() {
            Some(mines) if laid as usize + shown.len() != mines as usize => continue,
            Some(_) => 1.0,
            None => density.powi(laid as i32) * (1.0 - density).powi((covered.len() as u32 - laid) as i32),
        };
        let is_mine = |cell: &Cell| {
            shown.contains(cell) || covered.iter().position(|other| other == cell).is_some_and(|at| ways >> at & 1 == 1)
        };
        let fits = |(cell, number): (Cell, u8)| size.neighbours(cell).filter(is_mine).count() == usize::from(number);
        all += weight;
        agree += if board.numbers().all(fits) { weight } else { 0.0 };
    }
    agree / all
}

#[test]
fn the_chance_of_a_board_is_that_of_all_ways_to_lay_mines() {
    let mut compared = 0;
    for seed in 0..positions() {
        let board = position(seed);
        if board.cells_where(Tile::may_be_mine).count() > 12 {
            continue;
        }
        for board in [board.with_mines(None).unwrap(), board] {
            let chance = probability::log_chance(&board, probability::UNKNOWN_TOTAL_DENSITY).unwrap().exp();
            let tried = chance_by_trying(&board, probability::UNKNOWN_TOTAL_DENSITY);
            assert!((chance - tried).abs() < 1e-9 * tried.max(1e-3), "{chance} {tried}\n{board}");
            compared += 1;
        }
    }
    assert!(compared > 100);
}
