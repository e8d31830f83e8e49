//! What the person sees in the terminal at every decision, before it is carried out, and is asked.

use super::summary;
use crate::board::Board;
use crate::cli::PlayArgs;
use crate::commands::answers::Answers;
use crate::commands::paint::is_terminal;
use crate::desktop::stoppable::AtDecision;
use crate::solver::{Decision, Reason};
use indicatif::ProgressBar;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What was asked for with `--watch` and `--step`, above the run's bar. `stop` (Ctrl+C) is an answer too.
pub fn at_decision(args: &PlayArgs, bar: &ProgressBar, stop: &Arc<AtomicBool>) -> AtDecision {
    let (bar, stop) = (bar.clone(), stop.clone());
    // To the top left corner, and nothing below what is painted, where the picture before can be painted over.
    let home = if is_terminal(&std::io::stderr()) { "\x1b[H\x1b[J" } else { "" };
    let shown = |board: &Board, decision: &Decision| {
        format!("{}\n{}", picture(board, decision), shortened(&summary::decision(decision)))
    };
    if args.step {
        let mut answers = None;
        AtDecision::Ask(Box::new(move |board, decision| {
            bar.suspend(|| {
                eprintln!("{}\nEnter goes on, q stops", shown(board, decision));
                answers.get_or_insert_with(Answers::begin).next(&stop).is_some_and(|line| line.trim() != "q")
            })
        }))
    } else if args.watch {
        AtDecision::Show(Box::new(move |board, decision| {
            bar.suspend(|| eprintln!("{home}{}", shown(board, decision)));
        }))
    } else {
        AtDecision::GoOn
    }
}

/// The board, two characters a tile (an expert board is 60 wide), the next clicks in brackets: `(#` if they are certain,
/// `!#` if they are guesses. Zeros are dots: they say the least.
fn picture(board: &Board, decision: &Decision) -> String {
    let mark = if decision.reason == Reason::Certain { '(' } else { '!' };
    let size = board.size();
    let tile = |x, y| {
        let cell = crate::geometry::Cell::new(x, y);
        let shown = match board.tile(cell).to_char() {
            '0' => '.',
            other => other,
        };
        [if decision.open.contains(&cell) { mark } else { ' ' }, shown]
    };
    let row = |y| (0..size.width).flat_map(|x| tile(x, y)).collect::<String>();
    (0..size.height).map(row).collect::<Vec<_>>().join("\n")
}

/// A line that fits into 80 columns.
fn shortened(line: &str) -> String {
    match line.char_indices().nth(79) {
        None => line.to_owned(),
        Some(_) => line.chars().take(76).chain("...".chars()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{BoardSize, Cell};
    use crate::solver::GuessKind;

    #[test]
    fn the_next_click_is_marked_and_expert_fits() {
        let board: Board = "3 2 1\n10#\n#0F".parse().unwrap();
        let guess = Reason::Guess { risk: 0.5, kind: GuessKind::Educated };
        let decision = Decision { open: vec![Cell::new(0, 1)], mines: vec![], reason: guess };
        assert_eq!(picture(&board, &decision), " 1 . #\n!# . F");
        let expert = Board::hidden(BoardSize::new(30, 16), 99).unwrap();
        let all = Decision { open: expert.size().cells().collect(), mines: vec![], reason: Reason::Certain };
        assert!(picture(&expert, &all).lines().all(|line| line.chars().count() <= 80));
        assert_eq!(shortened(&summary::decision(&all)).chars().count(), 79);
    }
}
