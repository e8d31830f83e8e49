//! Tests that risks and numbers of explanations are exact: against every arrangement of mines on small boards, and on
//! expert boards against a count that shares nothing with the engine's.

use super::constraints::{MINE, NONE, SAFE, UNKNOWN};
use super::count::Counter;
use super::probability::{Engine, UNKNOWN_TOTAL_DENSITY, Unsolved, explanations, risks};
use super::{Setup, by_name};
use crate::board::{Board, Tile};
use crate::game::{Game, Rule, State};
use crate::geometry::{BoardSize, Cell};
use num_bigint::BigUint;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus as Rng;
use std::collections::HashMap;

/// Number of explanations, and the risk of every tile that may be a mine, by trying all arrangements.
fn brute_force(board: &Board) -> (u64, Vec<f64>) {
    let size = board.size();
    let maybe: Vec<Cell> = board.cells_where(Tile::may_be_mine).collect();
    let shown = board.cells_where(Tile::is_shown_mine).count() as u32;
    let bit = |cell: Cell| maybe.iter().position(|&other| other == cell).map_or(0u32, |index| 1 << index);
    let numbers: Vec<(u32, u32)> = board
        .numbers()
        .map(|(cell, number)| {
            let around = || size.neighbours(cell);
            let shown = around().filter(|&other| board.tile(other).is_shown_mine()).count() as u32;
            (around().map(bit).sum(), u32::from(number).wrapping_sub(shown))
        })
        .collect();
    let odds = UNKNOWN_TOTAL_DENSITY / (1.0 - UNKNOWN_TOTAL_DENSITY);
    let (mut count, mut total, mut mines) = (0, 0.0, vec![0.0; maybe.len()]);
    for laid in 0u32..1 << maybe.len() {
        let used = laid.count_ones();
        if board.mines().is_some_and(|mines| mines != used + shown)
            || numbers.iter().any(|&(around, need)| (laid & around).count_ones() != need)
        {
            continue;
        }
        let weight = if board.mines().is_some() { 1.0 } else { odds.powi(used as i32) };
        count += 1;
        total += weight;
        mines.iter_mut().enumerate().for_each(|(index, sum)| *sum += f64::from(laid >> index & 1) * weight);
    }
    (count, mines.iter().map(|sum| sum / total).collect())
}

/// A position out of a random game of any density: some tiles open, marks and misreadings sprinkled over it; now and
/// then a wrong number, so that nothing may explain it.
fn random_position(rng: &mut Rng) -> Board {
    loop {
        let size = BoardSize::new(rng.random_range(1..=6), rng.random_range(1..=5));
        let tiles = size.tiles();
        let mines: Vec<bool> = {
            let density = rng.random_range(0.0..1.0) * rng.random_range(0.2..1.0);
            (0..tiles).map(|_| rng.random_bool(density)).collect()
        };
        let number = |cell: Cell| size.neighbours(cell).filter(|&other| mines[size.index(other)]).count() as u8;
        let mut order: Vec<usize> = (0..tiles).collect();
        order.shuffle(rng);
        let most_covered = rng.random_range(0..=14);
        let mut covered = mines.iter().filter(|mine| **mine).count();
        let mut shown = vec![Tile::Hidden; tiles];
        for index in order {
            if mines[index] {
                if rng.random_bool(0.03) {
                    shown[index] = Tile::Mine;
                }
            } else if covered < most_covered && rng.random_bool(0.7) {
                covered += 1;
            } else {
                shown[index] = Tile::Open(number(size.cell(index)));
            }
            match rng.random_range(0..60) {
                0 if shown[index] == Tile::Hidden => shown[index] = Tile::Flag,
                1 if shown[index] == Tile::Hidden => shown[index] = Tile::Question,
                2 if shown[index] != Tile::Mine => shown[index] = Tile::Unrecognised,
                3 if rng.random_bool(0.3) => shown[index] = Tile::Open(rng.random_range(0..4)),
                _ => {}
            }
        }
        let total = mines.iter().filter(|mine| **mine).count() as u32;
        let total = rng.random_bool(0.85).then_some(total);
        if shown.iter().filter(|tile| tile.may_be_mine()).count() > 16 {
            continue;
        }
        if let Ok(board) = Board::new(size, total, shown) {
            return board;
        }
    }
}

/// The engine's word on `board` must be that of all arrangements.
fn check(board: &Board) {
    let (count, expected) = brute_force(board);
    let text = || format!("mines {:?}\n{}", board.mines(), board.rows().collect::<Vec<_>>().join("\n"));
    assert_eq!(explanations(board).unwrap(), BigUint::from(count), "{}", text());
    let risks = match risks(board) {
        Err(Unsolved::Impossible(_)) => return assert_eq!(count, 0, "{}", text()),
        Err(error) => panic!("{error}\n{}", text()),
        Ok(risks) => risks,
    };
    assert_ne!(count, 0, "{}", text());
    for (cell, expected) in board.cells_where(Tile::may_be_mine).zip(expected) {
        let risk = risks.risk(cell).unwrap();
        // Certainty must be the same on both sides, bit by bit; the rest up to rounding.
        assert_eq!((risk == 0.0, risk == 1.0), (expected == 0.0, expected == 1.0), "{cell}\n{}", text());
        assert!((risk - expected).abs() < 1e-12, "{cell}: {risk}, not {expected}\n{}", text());
    }
}

fn compare_with_brute_force(positions: u64, seed: u64) {
    let mut rng = Rng::seed_from_u64(seed);
    for _ in 0..positions {
        check(&random_position(&mut rng));
    }
}

#[test]
fn risks_equal_brute_force() {
    compare_with_brute_force(10_000, 1);
}

/// `cargo test --release --no-default-features brute_force -- --ignored`
#[test]
#[ignore = "takes minutes"]
fn risks_equal_brute_force_on_many_positions() {
    compare_with_brute_force(300_000, 2);
}

/// A count by tiles, not boxes, by trial and error: ways and mines of each tile, by mines used in the component.
struct Backtracking<'a> {
    board: &'a Board,
    /// The tiles of the component, each near the one before.
    tiles: Vec<Cell>,
    /// What each number next to them still needs, and how many of its tiles are undecided.
    numbers: HashMap<Cell, (i32, i32)>,
    laid: Vec<bool>,
    /// By mines used: explanations, and for each tile those with a mine there.
    found: HashMap<usize, (f64, Vec<f64>)>,
    steps: usize,
}

impl Backtracking<'_> {
    fn witnesses(&self, tile: Cell) -> Vec<Cell> {
        self.board.size().neighbours(tile).filter(|other| self.numbers.contains_key(other)).collect()
    }

    /// Tries both for the next tile; false when it takes too long.
    fn search(&mut self, next: usize) -> bool {
        self.steps += 1;
        if self.steps > 4_000_000 {
            return false;
        }
        if next == self.tiles.len() {
            let used = self.laid.iter().filter(|mine| **mine).count();
            let tiles = self.tiles.len();
            let (ways, mines) = self.found.entry(used).or_insert_with(|| (0.0, vec![0.0; tiles]));
            *ways += 1.0;
            mines.iter_mut().zip(&self.laid).for_each(|(sum, &mine)| *sum += f64::from(u8::from(mine)));
            return true;
        }
        let witnesses = self.witnesses(self.tiles[next]);
        for mine in [false, true] {
            for witness in &witnesses {
                let (need, left) = self.numbers.get_mut(witness).unwrap();
                (*need, *left) = (*need - i32::from(mine), *left - 1);
            }
            let fits = witnesses.iter().all(|witness| (0..=self.numbers[witness].1).contains(&self.numbers[witness].0));
            self.laid.push(mine);
            let done = !fits || self.search(next + 1);
            self.laid.pop();
            for witness in &witnesses {
                let (need, left) = self.numbers.get_mut(witness).unwrap();
                (*need, *left) = (*need + i32::from(mine), *left + 1);
            }
            if !done {
                return false;
            }
        }
        true
    }
}

/// Risks by another way than the engine's; `None` if it takes too long.
fn independent_risks(board: &Board) -> Option<HashMap<Cell, f64>> {
    let size = board.size();
    let covered = |cell: &Cell| board.tile(*cell).is_covered();
    let frontier: Vec<Cell> = board
        .cells_where(Tile::is_covered)
        .filter(|&cell| size.neighbours(cell).any(|other| board.tile(other).number().is_some()))
        .collect();
    let mut components: Vec<Vec<Cell>> = Vec::new();
    let mut seen: Vec<Cell> = Vec::new();
    for &start in &frontier {
        if seen.contains(&start) {
            continue;
        }
        let mut component = vec![start];
        let mut next = 0;
        while next < component.len() {
            let numbers = size.neighbours(component[next]).filter(|&other| board.tile(other).number().is_some());
            for tile in numbers.flat_map(|number| size.neighbours(number)).filter(covered).collect::<Vec<_>>() {
                if !component.contains(&tile) {
                    component.push(tile);
                }
            }
            next += 1;
        }
        seen.extend(&component);
        components.push(component);
    }
    let mut searches = Vec::new();
    for tiles in components {
        let numbers = tiles.iter().flat_map(|&tile| size.neighbours(tile)).filter_map(|at| {
            let number = board.tile(at).number()?;
            Some((at, (i32::from(number), size.neighbours(at).filter(covered).count() as i32)))
        });
        let numbers = numbers.collect();
        let mut search = Backtracking { board, tiles, numbers, laid: vec![], found: HashMap::new(), steps: 0 };
        if !search.search(0) {
            return None;
        }
        searches.push(search);
    }
    let rest = board.cells_where(Tile::is_covered).count() - frontier.len();
    let mines = board.mines().unwrap() as usize;
    // Ways to lay k mines on the rest, over the largest of them.
    let ln = |n: usize| (1..=n).map(|i| (i as f64).ln()).sum::<f64>();
    let logs: Vec<f64> = (0..=rest).map(|k| ln(rest) - ln(k) - ln(rest - k)).collect();
    let choose = |k: usize| if k > rest { 0.0 } else { (logs[k] - logs[mines.min(rest)]).exp() };
    // All combinations of mines used per component, one component left out.
    let combined = |without: usize| {
        let mut totals = HashMap::from([(0, 1.0)]);
        for search in searches.iter().enumerate().filter(|(index, _)| *index != without).map(|(_, search)| search) {
            let mut next: HashMap<usize, f64> = HashMap::new();
            for (&used, &ways) in &totals {
                for (&more, (more_ways, _)) in &search.found {
                    *next.entry(used + more).or_default() += ways * more_ways;
                }
            }
            totals = next;
        }
        totals
    };
    let mut risks = HashMap::new();
    let mut all = 0.0;
    let mut rest_mines = 0.0;
    for (&used, &ways) in combined(usize::MAX).iter().filter(|(used, _)| **used <= mines) {
        all += ways * choose(mines - used);
        rest_mines += ways * choose(mines - used) * (mines - used) as f64;
    }
    for cell in board.cells_where(Tile::is_covered) {
        risks.insert(cell, rest_mines / all / rest as f64);
    }
    for (index, search) in searches.iter().enumerate() {
        let others = combined(index);
        for (place, &tile) in search.tiles.iter().enumerate() {
            let mut sum = 0.0;
            for (&used, (_, with_mine)) in &search.found {
                for (&elsewhere, &ways) in others.iter().filter(|(elsewhere, _)| used + **elsewhere <= mines) {
                    sum += with_mine[place] * ways * choose(mines - used - elsewhere);
                }
            }
            risks.insert(tile, sum / all);
        }
    }
    Some(risks)
}

#[test]
fn expert_risks_agree_with_an_independent_count() {
    let player = by_name("lowest-risk", &Setup::default()).unwrap();
    let mut compared = 0;
    for seed in 0..40 {
        let mut game = Game::deal(BoardSize::new(30, 16), 99, Rule::Zero, seed).unwrap();
        game.open(Cell::new(3, 3));
        while game.state() == State::Playing {
            let decision = player.decide(game.board()).unwrap();
            if decision.reason.risk() > 0.0 {
                let found = risks(game.board()).unwrap();
                let Some(expected) = independent_risks(game.board()) else { break };
                for (cell, expected) in expected {
                    assert!((found.risk(cell).unwrap() - expected).abs() < 1e-9, "seed {seed}, {cell}");
                }
                compared += 1;
            }
            // Only moves that cannot lose, so that games last.
            let safe = decision.open.iter().copied().find(|&cell| !game.is_mine(cell));
            let Some(cell) =
                safe.or_else(|| game.board().cells_where(Tile::is_covered).find(|&cell| !game.is_mine(cell)))
            else {
                break;
            };
            game.open(cell);
        }
    }
    assert!(compared > 100, "only {compared} positions were within reach of the independent count");
}

/// `#` in a row of open tiles: how the ends of long boards stay exact.
#[test]
fn boards_of_a_hundred_thousand_tiles_take_a_moment() {
    let mut rng = Rng::seed_from_u64(5);
    let size = BoardSize::new(100_000, 1);
    let mines: Vec<bool> = (0..size.tiles()).map(|_| rng.random_bool(0.2)).collect();
    let open = |index: usize, rng: &mut Rng| !mines[index] && rng.random_bool(0.6);
    let tiles: Vec<Tile> = (0..size.tiles())
        .map(|index| {
            let around = size.neighbours(size.cell(index)).filter(|&other| mines[size.index(other)]).count();
            if open(index, &mut rng) { Tile::Open(around as u8) } else { Tile::Hidden }
        })
        .collect();
    let total = mines.iter().filter(|mine| **mine).count() as u32;
    let board = Board::new(size, Some(total), tiles).unwrap();
    let risks = risks(&board).unwrap();
    for cell in risks.cells_at(0.0) {
        assert!(!mines[size.index(cell)]);
    }
    for cell in risks.cells_at(1.0) {
        assert!(mines[size.index(cell)]);
    }
    // Expected mines must add up to the mines there are.
    let sum: f64 = size.cells().filter_map(|cell| risks.risk(cell)).sum();
    assert!((sum - f64::from(total)).abs() < 1e-4, "{sum} of {total}");
    assert!(explanations(&board).unwrap().bits() > 10_000);
}

#[test]
fn big_boards_are_played_and_counted() {
    let player = by_name("lowest-risk", &Setup::default()).unwrap();
    let size = BoardSize::new(200, 200);
    let mut game = Game::deal(size, 8000, Rule::Zero, 3).unwrap();
    game.open(Cell::new(100, 100));
    for _ in 0..200 {
        let decision = player.decide(game.board()).unwrap();
        let safe = decision.open.into_iter().filter(|&cell| !game.is_mine(cell)).collect::<Vec<_>>();
        if safe.is_empty() {
            let free = game.board().cells_where(Tile::is_covered).find(|&cell| !game.is_mine(cell)).unwrap();
            game.open(free);
        }
        safe.into_iter().for_each(|cell| _ = game.open(cell));
    }
    let risks = risks(game.board()).unwrap();
    let sum: f64 = size.cells().filter_map(|cell| risks.risk(cell)).sum();
    assert!((sum - 8000.0).abs() < 1e-5, "{sum}");
    assert!(risks.cells_at(0.0).all(|cell| !game.is_mine(cell)));
    assert!(explanations(game.board()).unwrap().bits() > 1000);
}

#[test]
fn what_cannot_be_is_refused() {
    for text in ["3 1 1\n1#1\n", "5 1 1\n#1#1#", "4 2 3\n1221\n####", "2 2 1\n#1\n2#"] {
        let Ok(board) = text.parse::<Board>() else { continue };
        let (count, _) = brute_force(&board);
        assert_eq!(risks(&board).is_err(), count == 0, "{text}");
    }
    let board: Board = "5 2 2\n#1#1#\n#####".parse().unwrap();
    check(&board);
    let board: Board = "5 2 2\n#1#3#\n#####".parse().unwrap();
    check(&board);
}

/// The logarithm of a number of explanations, from its digits.
fn log_of(number: &BigUint) -> f64 {
    let digits = number.to_string();
    let first = digits.len().min(17);
    digits[..first].parse::<f64>().unwrap().ln() + (digits.len() - first) as f64 * std::f64::consts::LN_10
}

#[test]
fn numbers_of_explanations_are_comparable_on_large_boards() {
    // What the look-ahead weighs the numbers of a tile by. From 900 tiles on the counts are tilted.
    for text in ["40 40 320", "30 30 180", "200 100 4000"] {
        let numbers: Vec<u32> = text.split(' ').map(|number| number.parse().unwrap()).collect();
        let size = BoardSize::new(numbers[0], numbers[1]);
        for corner in 1..=3 {
            let mut tiles = vec![Tile::Hidden; size.tiles()];
            tiles[0] = Tile::Open(corner);
            tiles[size.tiles() - 1] = Tile::Open(2);
            let board = Board::new(size, Some(numbers[2]), tiles).unwrap();
            let mut engine = Engine::default();
            engine.position.read(&board);
            engine.constraints.conclude(&engine.position).unwrap();
            engine.solve().unwrap();
            let expected = log_of(&explanations(&board).unwrap());
            let found = engine.log_explanations;
            assert!((found - expected).abs() < 1e-6, "{text}, corner {corner}: {found}, not {expected}");
        }
    }
}

/// What is worked out ahead, where components that an opening does not touch are taken over, is what the board says once it is
/// opened: one opening further, and two.
#[test]
fn openings_worked_out_ahead_are_those_of_the_board() {
    let player = by_name("lowest-risk", &Setup::default()).unwrap();
    let (mut compared, mut taken_over) = (0, 0);
    for (size, mines, seeds) in [((30, 16), 99, 0..12), ((40, 40), 330, 0..2)] {
        for seed in seeds {
            let mut game = Game::deal(BoardSize::new(size.0, size.1), mines, Rule::Zero, seed).unwrap();
            while game.state() == State::Playing {
                let decision = player.decide(game.board()).unwrap();
                if !game.board().is_untouched() && decision.reason.risk() > 0.0 {
                    let mut ahead = [solved(game.board()).unwrap(), Engine::default(), Engine::default()];
                    let position = ahead[0].position.clone();
                    let mut tiles = game.board().tiles().to_vec();
                    for level in 0..2 {
                        let [parent, child] = &mut ahead[level..level + 2] else { unreachable!() };
                        let open = (0..tiles.len()).filter(|&tile| parent.constraints.tiles[tile] == UNKNOWN);
                        let Some(tile) = open.clone().nth(seed as usize * 7 % open.count().max(1)) else { break };
                        let mut numbers = (0..9).map(|number| (number + seed as u8) % 9);
                        let number =
                            numbers.find(|&number| child.solve_opened(parent, &position, tile as u32, number).is_ok());
                        let Some(number) = number else { break };
                        child.divide();
                        tiles[tile] = Tile::Open(number);
                        let board = Board::new(game.board().size(), Some(mines), tiles.clone()).unwrap();
                        agrees(child, &solved(&board).unwrap(), &board);
                        compared += 1;
                        taken_over += child.constraints.taken_over.iter().filter(|&&before| before != NONE).count();
                    }
                }
                decision.open.into_iter().for_each(|cell| _ = game.open(cell));
            }
        }
    }
    assert!(compared > 50 && taken_over > 50, "{compared}, {taken_over}");
}

fn solved(board: &Board) -> Result<Engine, Unsolved> {
    let mut engine = Engine::default();
    engine.position.read(board);
    engine.constraints.conclude(&engine.position)?;
    engine.solve()?;
    Ok(engine)
}

fn agrees(ahead: &Engine, whole: &Engine, board: &Board) {
    let (one, other) = (ahead.log_explanations, whole.log_explanations);
    assert!((one - other).abs() < 1e-6, "{one}, not {other}\n{board}");
    for (tile, &known) in ahead.constraints.tiles.iter().enumerate() {
        let risk = match (known, ahead.constraints.box_of[tile]) {
            (UNKNOWN, NONE) => ahead.rest_risk,
            (UNKNOWN, number) => {
                let cells = ahead.constraints.boxes[number as usize].cells();
                assert!(cells.contains(&(tile as u32)), "{tile} is not in its box\n{board}");
                ahead.counter.tallies[number as usize].mines / cells.len() as f64
            }
            (SAFE, _) => 0.0,
            (MINE, _) => 1.0,
            _ => continue,
        };
        assert!((risk - whole.risk[tile]).abs() < 1e-9, "{tile}: {risk}, not {}\n{board}", whole.risk[tile]);
    }
}

#[test]
fn a_moved_mine_is_where_the_deals_put_it() {
    // Every deal of a small board, with the first click on the last tile: what is open then, after one more safe tile, is
    // explained by some of them, and the risks are their shares.
    for (width, height, mines) in [(4, 2, 3), (3, 3, 3), (5, 2, 4), (4, 3, 4)] {
        let size = BoardSize::new(width, height);
        let tiles = size.tiles();
        let mut seen: HashMap<Board, (f64, Vec<f64>)> = HashMap::new();
        for dealt in (0u32..1 << tiles).filter(|dealt| dealt.count_ones() == mines) {
            let last = 1 << (tiles - 1);
            // The rule, as `Game` has it: to the first free tile from the top left.
            let laid = if dealt & last != 0 { dealt ^ last | 1 << dealt.trailing_ones() } else { dealt };
            let laid: Vec<Cell> = (0..tiles).filter(|tile| laid >> tile & 1 == 1).map(|tile| size.cell(tile)).collect();
            for other in 0..tiles {
                let mut game = Game::with_mines(size, &laid).unwrap();
                game.open(size.cell(tiles - 1));
                if game.state() != State::Playing || game.is_mine(size.cell(other)) {
                    continue;
                }
                game.open(size.cell(other));
                let (count, at) = seen.entry(game.board().clone()).or_insert_with(|| (0.0, vec![0.0; tiles]));
                *count += 1.0;
                laid.iter().for_each(|&cell| at[size.index(cell)] += 1.0);
            }
        }
        let mut engine = Engine::default();
        for (board, (count, at)) in seen.iter().filter(|(board, _)| !board.is_cleared()) {
            engine.position.read_under(board, Rule::Windows);
            engine.constraints.conclude(&engine.position).unwrap();
            engine.solve().unwrap();
            for tile in (0..tiles).filter(|&tile| board.tiles()[tile].is_covered()) {
                let (found, expected) = (engine.risk[tile], at[tile] / count);
                assert!((found - expected).abs() < 1e-9, "{}: {found}, not {expected}\n{board}", size.cell(tile));
            }
        }
    }
}

#[test]
fn what_is_possible_stays_possible_however_unlikely() {
    let mut rng = Rng::seed_from_u64(3);
    let size = BoardSize::new(80, 9);
    for _ in 0..10 {
        // Rows of numbers with covered tiles on both sides: components that can hold few mines or many.
        let mines: Vec<bool> = (0..size.tiles()).map(|_| rng.random_bool(0.35)).collect();
        let number = |cell: Cell| size.neighbours(cell).filter(|&other| mines[size.index(other)]).count() as u8;
        let is_open = |cell: Cell| cell.y % 3 == 1 && !mines[size.index(cell)] && !cell.x.is_multiple_of(3);
        let tile = |cell: Cell| if is_open(cell) { Tile::Open(number(cell)) } else { Tile::Hidden };
        let board = Board::new(size, None, size.cells().map(tile).collect()).unwrap();
        let mut engine = Engine::default();
        engine.position.read(&board);
        engine.constraints.conclude(&engine.position).unwrap();
        engine.constraints.group(&engine.position);
        let (mut even, mut tilted) = (Counter::default(), Counter::default());
        even.count(&engine.constraints, 1.0, 1 << 22).unwrap();
        tilted.count(&engine.constraints, 1e-30, 1 << 22).unwrap();
        for (even, tilted) in even.components.iter().zip(&tilted.components) {
            let possible = |ways: &[f64]| ways.iter().map(|&ways| ways > 0.0).collect::<Vec<bool>>();
            assert_eq!(possible(&even.ways), possible(&tilted.ways), "{board}");
        }
    }
}

#[test]
fn a_count_ends_where_its_limit_is() {
    let mut rng = Rng::seed_from_u64(4);
    let size = BoardSize::new(40, 12);
    let mines: Vec<bool> = (0..size.tiles()).map(|_| rng.random_bool(0.4)).collect();
    let number = |cell: Cell| size.neighbours(cell).filter(|&other| mines[size.index(other)]).count() as u8;
    let is_open = |cell: Cell| (cell.x + 2 * cell.y).is_multiple_of(4) && !mines[size.index(cell)];
    let tile = |cell: Cell| if is_open(cell) { Tile::Open(number(cell)) } else { Tile::Hidden };
    let board = Board::new(size, None, size.cells().map(tile).collect()).unwrap();
    let mut engine = Engine::default();
    engine.position.read(&board);
    engine.constraints.conclude(&engine.position).unwrap();
    engine.constraints.group(&engine.position);
    for limit in [100, 1000, 10_000, 50_000] {
        let mut counter = Counter::default();
        if counter.count(&engine.constraints, 1.0, limit).is_err() {
            // One state more can lead to nine.
            assert!(counter.cost() <= limit + 9, "{} for {limit}", counter.cost());
        }
    }
}
