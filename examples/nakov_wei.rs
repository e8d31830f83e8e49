//! The tables and figures of Nakov & Wei (2003), worked out exactly and printed as Markdown:
//! `cargo run --release --example nakov_wei > results/nakov-wei.md`

use minesight::board::Board;
use minesight::game::Rule;
use minesight::geometry::{BoardSize, Cell};
use minesight::solver::graph::{Goal, Graph, Move, Play, Position, Reach, Worth, census};

fn main() {
    println!("# Nakov & Wei (2003), number by number\n");
    println!("Made by `cargo run --release --example nakov_wei`; everything is exact, nothing is sampled.");
    println!("`tests/nakov_wei.rs` compares tables 1 to 3 with the paper's, number by number.");
    for (table, side) in [(1, 4), (2, 3), (3, 2)] {
        print_table(table, side);
    }
    print_curves();
    println!("{NOTES}");
}

const NOTES: &str = "
## What the paper says otherwise

- Table 1, 14 mines: the best opening is given as all squares except four corners. It is any square: the first tile is
  safe with 1/8, and shows one of two numbers, each of which leaves the other safe tile to be found with 1/15 in all;
  1/8 (1 + 2/15) = 0.141667 everywhere.
- Section 6, the 2x4 example: optimal 1/3 and greedy 2/9 are right, but the sum printed for greedy,
  1/3 (2/3 1/4 + 2/3 1/2 + 2/3 1/2), is 5/18. After (1,1) or (2,1) greedy stands before four tiles of risk 1/2 and takes
  any; two lead to 1/2 and two to 1/4, so that the second and third terms are 2/3 3/8. The optimal player may also begin
  with (1,1) or (2,1), at the lowest risk, provided that it goes on with (1,3) or (2,3): that is 1/3 too.
- Section 7: a reward for every tile is said to keep the optimal policy of a reward for winning. It does not (the game
  ends in different numbers of covered tiles, so that the potential is not the same at every end). With 8 to 12 mines on
  4x4 the most tiles are opened from the border or the corners, and the most games are won from the centre.
- Section 10: the optimal player was seen slightly behind greedy with more than 9 mines without a free first move. That
  was chance: it is ahead from 2 to 13 mines, and equal with 1, 14 and 15.";

/// Tables 1 to 3: without a free first move; "state value" is the expected number of tiles opened.
fn print_table(table: u32, side: u32) {
    println!("\n## Table {table}: {side}x{side}\n");
    println!("| mines | state value | states | up to symmetry | best opening | wins, played to win | best opening |");
    println!("|---|---|---|---|---|---|---|");
    for mines in 1..=side * side - 2 {
        let counted = census(BoardSize::new(side, side), mines);
        let (moves, win) =
            (start(side, mines, Goal::Moves, Play::Optimal), start(side, mines, Goal::Win, Play::Optimal));
        println!(
            "| {mines} | {:.6} | {} | {} | {} | {:.4} % | {} |",
            moves.value,
            counted.positions,
            counted.up_to_symmetry,
            best(side, &moves),
            100.0 * win.value,
            best(side, &win),
        );
    }
}

/// The same curves as pictures, from games played.
const PLAYED: &str = "\
`nakov-wei/4x4-any.svg` (figure 3) and `nakov-wei/4x4-safe.svg` (figure 4; figure 5 is the two together) draw what both
players won in 20,000 played games a point, with tables beside them. Of the 60 rates 58 are within 1.96 standard errors
of the exact value below; the largest difference is 0.94 points.
`minesight simulate --strategy optimal,greedy --size 4x4 --mines 4 --sweep density=0.0625:0.9375:0.0625 --games 20000
--seed 3 --rule any --csv FILE --svg FILE`";

/// Figures 3 to 5: how often each player wins on 4x4, with a free first move (OMF) and without (OMNF).
fn print_curves() {
    println!("\n## Figures 3 to 5: wins on 4x4, per cent\n");
    println!("OMNF: the first move may hit a mine. OMF: it never does. The optimal player plays to win.\n");
    println!("{PLAYED}\n");
    println!("| mines | optimal, OMNF | greedy, OMNF | optimal, OMF | greedy, OMF |");
    println!("|---|---|---|---|---|");
    for mines in 1..=15 {
        let cells = [Play::Optimal, Play::Greedy].map(|play| {
            let first = first_moves(mines, play);
            (start(4, mines, Goal::Win, play).value, first)
        });
        let [(optimal, best_first), (greedy, any_first)] = cells;
        let best_first = best_first.iter().map(|play| play.value).fold(0.0, f64::max);
        let any_first = any_first.iter().map(|play| play.value).sum::<f64>() / 16.0;
        let percent = [optimal, greedy, best_first, any_first].map(|value| format!("{:.2}", 100.0 * value));
        println!("| {mines} | {} |", percent.join(" | "));
    }
}

fn start(side: u32, mines: u32, goal: Goal, play: Play) -> Worth {
    let board = Board::hidden(BoardSize::new(side, side), mines).expect("fewer mines than tiles");
    let position = Position::of_board(&board, Reach::SMALL_BOARD).expect("a small board");
    Graph::new(goal, play).worth(&position, Reach::SMALL_BOARD).expect("a small board")
}

/// Every first move on 4x4 where it is free.
fn first_moves(mines: u32, play: Play) -> Vec<Move> {
    let board = Board::hidden(BoardSize::new(4, 4), mines).expect("fewer mines than tiles");
    let mut graph = Graph::new(Goal::Win, play);
    let worth_of = |cell: Cell| {
        let position = Position::at_first_click(&board, Rule::Safe, cell, Reach::SMALL_BOARD)?;
        graph.worth_of(&position, cell, Reach::SMALL_BOARD)
    };
    board.size().cells().map(worth_of).collect::<Result<_, _>>().expect("a small board")
}

/// Which tiles are best to begin with, in words.
fn best(side: u32, worth: &Worth) -> String {
    let size = BoardSize::new(side, side);
    let names = [(3, "corners"), (5, "borders"), (8, if side == 3 { "centre" } else { "centre four" })];
    let kinds: Vec<&str> = names
        .iter()
        .filter(|(degree, _)| worth.best().any(|play| size.degree(play.cell) == *degree))
        .map(|(_, name)| *name)
        .collect();
    if worth.best().count() == size.tiles() { "all".to_owned() } else { kinds.join(", ") }
}
