//! A desktop that shows what the bot makes of the board, in the terminal, before it is done.

use super::summary;
use crate::board::Board;
use crate::desktop::{Action, Desktop, DesktopError, Note, ScreenRect};
use crate::screenshot::Screenshot;
use crate::solver::{Decision, Reason};
use std::io::IsTerminal;
use std::time::Duration;

/// Another desktop, with its board and the next click on stderr at every decision.
pub struct Watching {
    inner: Box<dyn Desktop>,
    /// Whether the picture before can be painted over.
    is_terminal: bool,
}

impl Watching {
    pub fn new(inner: Box<dyn Desktop>) -> Self {
        Self { inner, is_terminal: std::io::stderr().is_terminal() }
    }
}

impl Desktop for Watching {
    fn look(&mut self, part: Option<ScreenRect>) -> Result<Screenshot, DesktopError> {
        self.inner.look(part)
    }

    fn allow(&mut self, areas: &[ScreenRect]) {
        self.inner.allow(areas);
    }

    fn act(&mut self, action: &Action) -> Result<(), DesktopError> {
        self.inner.act(action)
    }

    fn wait(&mut self, time: Duration) -> Result<(), DesktopError> {
        self.inner.wait(time)
    }

    fn clock(&mut self) -> Duration {
        self.inner.clock()
    }

    fn note(&mut self, note: Note<'_>) -> Result<(), DesktopError> {
        if let Note::Decision(board, decision) = note {
            // To the top left corner, and nothing below what is painted.
            let home = if self.is_terminal { "\x1b[H\x1b[J" } else { "" };
            eprintln!("{home}{}\n{}", picture(board, decision), shortened(&summary::decision(decision)));
        }
        self.inner.note(note)
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
