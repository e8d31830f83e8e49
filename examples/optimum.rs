//! The exact optimum of small boards from the untouched board, by rule, as a fraction:
//! `cargo run --release --no-default-features --example optimum -- 5x5/5 6x6/6`
//! With the name of a player in front, what it wins of all deals beside the optimum, and its worst guesses:
//! `cargo run --release --no-default-features --example optimum -- best 5x5/5 6x6/6`
//! With `improve` in front of that, what it wins when its policy is improved, once and twice:
//! `cargo run --release --no-default-features --example optimum -- improve best 5x5/5`
//! Boards with more than four million deals need `--deals N` in front of all else, and 48 bytes a deal and more:
//! `cargo run --release --no-default-features --example optimum -- --deals 100000000 7x7/7`

use minesight::board::Board;
use minesight::game::Rule;
use minesight::geometry::BoardSize;
use minesight::solver::graph::{Followed, Improved, Mistake, Reach, follow, improve, optimum};
use minesight::solver::{NAMES, Setup, by_name};
use std::time::Instant;

/// The rules of the first click that are tried.
const RULES: [Rule; 3] = [Rule::Any, Rule::Safe, Rule::Zero];

/// So many of the worst guesses are printed.
const WORST: usize = 3;

/// So often a policy is improved.
const TIMES: usize = 2;

fn main() {
    let mut arguments = std::env::args().skip(1).peekable();
    let mut reach = Reach::WHOLE_BOARD;
    if arguments.next_if(|word| word == "--deals").is_some() {
        let Some(deals) = arguments.next().and_then(|number| number.parse().ok()) else {
            eprintln!("write how many deals are to be taken up, as in --deals 100000000");
            std::process::exit(2);
        };
        reach = Reach { deals, steps: usize::MAX, ..reach };
    }
    let is_improved = arguments.next_if(|word| word == "improve").is_some();
    let player = arguments.next_if(|name| NAMES.contains(&name.as_str()));
    if is_improved && player.is_none() {
        eprintln!("name the player that is to be improved");
        std::process::exit(2);
    }
    if is_improved {
        println!("| board | rule | wins | improved once | twice | optimum from its first click | of deals | seconds |");
        println!("|---|---|---|---|---|---|---|---|");
    } else if player.is_some() {
        println!(
            "| board | rule | wins | of deals | lost to the optimum | points | guesses that are best | by deals | seconds |"
        );
        println!("|---|---|---|---|---|---|---|---|---|");
    } else {
        println!("| board | rule | wins | of deals | % | first click | sets searched | seconds |");
        println!("|---|---|---|---|---|---|---|---|");
    }
    let mut worst = Vec::new();
    for text in arguments {
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
        for rule in RULES {
            let began = Instant::now();
            if let Some(name) = &player {
                let player = by_name(name, &Setup { rule, ..Setup::default() }).expect("a name of the list");
                if is_improved {
                    match improve(&board, rule, &*player, TIMES, reach) {
                        Ok(Improved { wins, optimum, deals }) => {
                            let wins: Vec<String> = wins.iter().map(u64::to_string).collect();
                            let seconds = began.elapsed().as_secs_f64();
                            println!("| {text} | {rule} | {} | {optimum} | {deals} | {seconds:.1} |", wins.join(" | "));
                        }
                        Err(error) => println!("| {text} | {rule} | {error} |"),
                    }
                    continue;
                }
                match follow(&board, rule, &*player, reach) {
                    Ok(found) => {
                        print_followed(&text, rule, &found, began.elapsed().as_secs_f64());
                        worst.extend(found.mistakes.into_iter().take(WORST).map(|mistake| (rule, mistake)));
                    }
                    Err(error) => println!("| {text} | {rule} | {error} |"),
                }
                continue;
            }
            match optimum(&board, rule, reach) {
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
    for (rule, mistake) in worst {
        let Mistake { board, cell, deals, optimum, after } = mistake;
        println!("\n{rule}: {cell} wins {after} of {deals} where {optimum} can be won\n{board}");
    }
}

fn print_followed(text: &str, rule: Rule, found: &Followed, seconds: f64) {
    let share = |part: u64, of: u64| 100.0 * part as f64 / of.max(1) as f64;
    let missed: u64 = found.mistakes.iter().map(|mistake| mistake.deals).sum();
    let lost = found.optimum - found.wins;
    println!(
        "| {text} | {rule} | {} | {} | {lost} | {:.4} | {:.2} % of {} | {:.2} % | {seconds:.1} |",
        found.wins,
        found.deals,
        share(lost, found.deals),
        share(found.guesses - found.mistakes.len() as u64, found.guesses),
        found.guesses,
        share(found.guessed - missed, found.guessed),
    );
}

fn parse(text: &str) -> Option<(BoardSize, u32)> {
    let (size, mines) = text.split_once('/')?;
    let (width, height) = size.split_once('x')?;
    Some((BoardSize::new(width.parse().ok()?, height.parse().ok()?), mines.parse().ok()?))
}
