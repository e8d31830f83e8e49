//! The exact optimum of small boards from the untouched board, by rule, as a fraction:
//! `cargo run --release --no-default-features --example optimum -- 5x5/5 6x6/6`

use minesight::board::Board;
use minesight::game::Rule;
use minesight::geometry::BoardSize;
use minesight::solver::graph::{Reach, optimum};
use std::time::Instant;

fn main() {
    println!("| board | rule | wins | of deals | % | first click | sets searched | seconds |");
    println!("|---|---|---|---|---|---|---|---|");
    for text in std::env::args().skip(1) {
        let Some((size, mines)) = parse(&text) else {
            eprintln!("{text} is no board; write WIDTHxHEIGHT/MINES, as in 5x5/5");
            std::process::exit(2);
        };
        let board = match Board::hidden(size, mines) {
            Ok(board) => board,
            Err(error) => {
                eprintln!("{error}");
                std::process::exit(1);
            }
        };
        for rule in [Rule::Any, Rule::Safe, Rule::Zero] {
            let began = Instant::now();
            match optimum(&board, rule, Reach::WHOLE_BOARD) {
                Ok(found) => println!(
                    "| {text} | {rule} | {} | {} | {:.4} | {} | {} | {:.1} |",
                    found.wins,
                    found.deals,
                    100.0 * found.wins as f64 / found.deals as f64,
                    found.cell,
                    found.sets,
                    began.elapsed().as_secs_f64()
                ),
                Err(error) => println!("| {text} | {rule} | {error} |"),
            }
        }
    }
}

fn parse(text: &str) -> Option<(BoardSize, u32)> {
    let (size, mines) = text.split_once('/')?;
    let (width, height) = size.split_once('x')?;
    Some((BoardSize::new(width.parse().ok()?, height.parse().ok()?), mines.parse().ok()?))
}
