//! How long deciding takes: `cargo bench --no-default-features --bench solver`.
//!
//! Every measurement stands beside a plain way to do the same in the same run: risks by trying all arrangements tile
//! by tile, a game by the player that looks at one number at a time, endgames by search without memory or bounds.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use minesight::board::{Board, Tile};
use minesight::game::{Game, Rule, State};
use minesight::geometry::{BoardSize, Cell};
use minesight::solver::endgame::{Endgame, Limits};
use minesight::solver::probability::{Engine, explanations};
use minesight::solver::{GuessKind, Reason, Setup, by_name};
use std::hint::black_box;

const EXPERT: BoardSize = BoardSize::new(30, 16);

/// Positions in which `lowest-risk` has to guess, from games of these seeds.
fn guesses(size: BoardSize, mines: u32, seeds: std::ops::Range<u64>) -> Vec<Board> {
    let player = by_name("lowest-risk", &Setup::default()).expect("a known player");
    let mut boards = Vec::new();
    for seed in seeds {
        let mut game = Game::deal(size, mines, Rule::Safe, seed).expect("a possible board");
        while game.state() == State::Playing {
            let decision = player.decide(game.board()).expect("a true board");
            if matches!(decision.reason, Reason::Guess { kind, .. } if kind != GuessKind::Start) {
                boards.push(game.board().clone());
            }
            decision.open.into_iter().for_each(|cell| _ = game.open(cell));
        }
    }
    boards
}

fn solve(engine: &mut Engine, board: &Board) -> f64 {
    engine.position.read(board);
    engine.constraints.conclude(&engine.position).expect("a true board");
    engine.solve().expect("a true board");
    engine.rest_risk
}

/// Explanations of the numbers by trial and error, tile by tile, up to `limit` steps: the plain way to risks.
fn try_all(board: &Board, limit: usize) -> Option<Vec<f64>> {
    let size = board.size();
    let number = |cell: Cell| board.tile(cell).number();
    let frontier: Vec<Cell> = board
        .cells_where(Tile::is_covered)
        .filter(|&cell| size.neighbours(cell).any(|other| number(other).is_some()))
        .collect();
    let mut need: Vec<i8> = board.tiles().iter().map(|tile| tile.number().map_or(0, |number| number as i8)).collect();
    let mut left: Vec<i8> = size
        .cells()
        .map(|cell| size.neighbours(cell).filter(|&other| board.tile(other).is_covered()).count() as i8)
        .collect();
    let around: Vec<Vec<usize>> = frontier
        .iter()
        .map(|&cell| size.neighbours(cell).filter(|&at| number(at).is_some()).map(|at| size.index(at)).collect())
        .collect();
    let (mut laid, mut mines, mut steps) = (Vec::new(), vec![0.0; frontier.len()], 0);
    search(&around, &mut need, &mut left, &mut laid, &mut mines, &mut steps, limit).then_some(mines)
}

fn search(
    around: &[Vec<usize>],
    need: &mut [i8],
    left: &mut [i8],
    laid: &mut Vec<bool>,
    mines: &mut [f64],
    steps: &mut usize,
    limit: usize,
) -> bool {
    *steps += 1;
    let Some(witnesses) = around.get(laid.len()) else {
        mines.iter_mut().zip(&*laid).for_each(|(sum, &mine)| *sum += f64::from(u8::from(mine)));
        return true;
    };
    for mine in [false, true] {
        for &at in witnesses {
            (need[at], left[at]) = (need[at] - i8::from(mine), left[at] - 1);
        }
        let fits = witnesses.iter().all(|&at| (0..=left[at]).contains(&need[at]));
        laid.push(mine);
        let goes_on = *steps < limit && (!fits || search(around, need, left, laid, mines, steps, limit));
        laid.pop();
        for &at in witnesses {
            (need[at], left[at]) = (need[at] + i8::from(mine), left[at] + 1);
        }
        if !goes_on {
            return false;
        }
    }
    true
}

fn risks(c: &mut Criterion) {
    let boards = guesses(EXPERT, 99, 0..200);
    let within: Vec<&Board> = boards.iter().filter(|board| try_all(board, 20_000).is_some()).collect();
    eprintln!("{} expert positions, {} of them within reach of the plain way", boards.len(), within.len());
    let mut group = c.benchmark_group("exact risk, expert, all positions");
    let mut engine = Engine::default();
    let mut place = 0;
    group.bench_function("all", |b| {
        b.iter(|| {
            place = (place + 1) % boards.len();
            black_box(solve(&mut engine, &boards[place]))
        });
    });
    group.bench_function("those within reach of the plain way", |b| {
        b.iter(|| {
            place = (place + 1) % within.len();
            black_box(solve(&mut engine, within[place]))
        });
    });
    group.bench_function("the plain way", |b| {
        b.iter(|| {
            place = (place + 1) % within.len();
            black_box(try_all(within[place], usize::MAX))
        });
    });
}

fn games(c: &mut Criterion) {
    let mut group = c.benchmark_group("expert game, safe");
    for name in ["single-point", "lowest-risk", "best"] {
        let player = by_name(name, &Setup::default()).expect("a known player");
        let mut seed = 0;
        group.bench_function(name, |b| {
            b.iter(|| {
                seed += 1;
                let mut game = Game::deal(EXPERT, 99, Rule::Safe, seed).expect("a possible board");
                while game.state() == State::Playing {
                    let decision = player.decide(game.board()).expect("a true board");
                    decision.open.into_iter().for_each(|cell| _ = game.open(cell));
                }
                black_box(game.state())
            });
        });
    }
}

/// Chance of winning times explanations, by plain recursion over boards.
fn plain_worth(board: &Board) -> f64 {
    let ways = |board: &Board| explanations(board).map_or(0.0, |ways| ways.to_string().parse().unwrap_or(0.0));
    if board.is_cleared() {
        return 1.0;
    }
    let covered: Vec<Cell> = board.cells_where(Tile::is_covered).collect();
    let worth = |&cell: &Cell| -> f64 {
        let after = (0..=8).filter_map(|number| {
            let mut tiles = board.tiles().to_vec();
            tiles[board.size().index(cell)] = Tile::Open(number);
            let next = Board::new(board.size(), board.mines(), tiles).ok()?;
            Some(if ways(&next) > 0.0 { plain_worth(&next) } else { 0.0 })
        });
        after.sum()
    };
    covered.iter().map(worth).fold(0.0, f64::max)
}

fn endgames(c: &mut Criterion) {
    let mut engine = Engine::default();
    let mut endgames = |most: f64, least: f64| -> Vec<Board> {
        let boards = guesses(EXPERT, 99, 0..1000).into_iter();
        let fits = boards.filter(|board| {
            solve(&mut engine, board);
            (least.ln()..most.ln()).contains(&engine.log_explanations)
        });
        fits.take(40).collect()
    };
    let (large, huge) = (endgames(800.0, 100.0), endgames(20_000.0, 800.0));
    // Expert boards have too many covered tiles, known mines among them, for the plain way.
    let small = guesses(BoardSize::new(4, 4), 4, 0..300).into_iter();
    let small: Vec<Board> = small.filter(|board| board.cells_where(Tile::is_covered).count() <= 7).take(40).collect();
    let mut group = c.benchmark_group("endgame");
    let mut endgame = Endgame::default();
    let mut engine = Engine::default();
    // Above 800 explanations only the first move is searched for.
    let sets = [
        ("4x4, up to 7 covered tiles", &small, 800),
        ("100 to 800 explanations", &large, 800),
        ("100 to 800 explanations, the first move", &large, 1),
        ("800 to 20,000 explanations, the first move", &huge, 1),
    ];
    for (name, boards, thorough) in sets {
        let mut place = 0;
        if boards.is_empty() {
            continue;
        }
        group.bench_function(name, |b| {
            b.iter(|| {
                place = (place + 1) % boards.len();
                solve(&mut engine, &boards[place]);
                let limits = Limits { explanations: 20_000, thorough, looks: 1_000_000_000 };
                black_box(endgame.search(&engine, &|_| true, limits))
            });
        });
    }
    let mut place = 0;
    group.sample_size(10).bench_function("4x4, up to 7 covered tiles, the plain way", |b| {
        b.iter(|| {
            place = (place + 1) % small.len();
            black_box(plain_worth(&small[place]))
        });
    });
}

/// Ten positions of boards that grow, and of boards that fill up.
fn growth(c: &mut Criterion) {
    let mut group = c.benchmark_group("exact risk");
    let mut engine = Engine::default();
    let mut measure = |name: &str, value: String, size: BoardSize, mines: u32| {
        let boards: Vec<Board> = (0..10).filter_map(|seed| midgame(size, mines, seed)).collect();
        let mut place = 0;
        if boards.is_empty() {
            return;
        }
        group.bench_function(BenchmarkId::new(name, value), |b| {
            b.iter(|| {
                place = (place + 1) % boards.len();
                black_box(solve(&mut engine, &boards[place]))
            });
        });
    };
    for (width, height) in [(30, 16), (50, 50), (100, 100), (200, 200)] {
        let size = BoardSize::new(width, height);
        measure("20 % mines, by size", size.to_string(), size, width * height / 5);
    }
    for percent in [10, 15, 20, 25, 30] {
        measure("30x16, by density", format!("{percent} %"), EXPERT, 480 * percent / 100);
    }
}

/// A position after some guesses that all went well.
fn midgame(size: BoardSize, mines: u32, seed: u64) -> Option<Board> {
    let player = by_name("lowest-risk", &Setup::default()).ok()?;
    let mut game = Game::deal(size, mines, Rule::Zero, seed).ok()?;
    game.open(Cell::new(size.width / 2, size.height / 2));
    let mut guesses = 0;
    while game.state() == State::Playing {
        let decision = player.decide(game.board()).ok()?;
        if decision.reason != Reason::Certain {
            guesses += 1;
            if guesses == 5 {
                return Some(game.board().clone());
            }
        }
        let safe: Vec<Cell> = decision.open.into_iter().filter(|&cell| !game.is_mine(cell)).collect();
        if safe.is_empty() {
            let cell = game.board().cells_where(Tile::is_covered).find(|&cell| !game.is_mine(cell))?;
            game.open(cell);
        }
        safe.into_iter().for_each(|cell| _ = game.open(cell));
    }
    None
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20).measurement_time(std::time::Duration::from_secs(2));
    targets = risks, games, endgames, growth
}
criterion_main!(benches);
