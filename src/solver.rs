//! Deciding: [`Board`] → [`Decision`]. The players are in [`strategies`]; [`by_name`] knows them all.

use crate::board::Board;
use crate::game::Rule;
use crate::geometry::Cell;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A player: what to do on a board. It keeps no memory from one board to the next, for the board holds all that is
/// known; chance comes from the seed it was made with and the board, so every decision can be repeated by itself.
pub trait Strategy: Send {
    /// The name it is chosen by.
    fn name(&self) -> &'static str;

    /// What to do next. On a board with nothing left to open the decision opens nothing.
    ///
    /// # Errors
    /// No arrangement of mines explains the board (players that never notice do not say so).
    fn decide(&self, board: &Board) -> Result<Decision, Impossible>;
}

/// What to do next.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Decision {
    /// Tiles to open: all that are certainly safe, or the one that is risked. Never open, flagged as a certain mine
    /// or unrecognised tiles.
    pub open: Vec<Cell>,
    /// Covered tiles that certainly hold a mine, as far as this player looked.
    pub mines: Vec<Cell>,
    /// Why.
    pub reason: Reason,
}

/// Why a tile is opened.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// No mine can be there.
    Certain,
    /// Nothing is certain.
    Guess {
        /// The chance of a mine, 0..1, as this player sees it.
        risk: f64,
        /// What sort of guess.
        kind: GuessKind,
    },
}

impl Reason {
    /// The chance of a mine, 0..1; 0 for what is certain.
    pub fn risk(self) -> f64 {
        match self {
            Reason::Certain => 0.0,
            Reason::Guess { risk, .. } => risk,
        }
    }
}

/// The sorts of guesses, after Studholme's reasons of loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GuessKind {
    /// The first click of a game.
    Start,
    /// An enclosed part of the board where nothing learned elsewhere can ever help.
    CrapsShoot,
    /// A tile next to an open number.
    Educated,
    /// A tile away from every open number.
    Unconstrained,
}

/// No arrangement of mines explains the board.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no arrangement of mines explains this board{}", .near.map_or(String::new(), |cell| format!(" (look near {cell})")))]
pub struct Impossible {
    /// A tile near the contradiction, where it is known.
    pub near: Option<Cell>,
}

/// What a player is told before its first game.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// What the first click is promised.
    pub rule: Rule,
    /// Where its chance comes from.
    pub seed: u64,
    /// How long one guess may take, where a player can use it.
    pub think: Duration,
}

impl Default for Setup {
    fn default() -> Self {
        Self { rule: Rule::Safe, seed: 0, think: Duration::from_millis(100) }
    }
}

/// Every player by its name, in the order in which they are listed to people.
pub const NAMES: &[&str] = &[];

/// No player has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no strategy is called {name:?}; there are: {}", NAMES.join(", "))]
pub struct UnknownStrategy {
    /// What was asked for.
    pub name: String,
}

/// The player called `name`, ready to play under `setup`.
///
/// # Errors
/// No player has this name; the message lists those there are.
pub fn by_name(name: &str, setup: &Setup) -> Result<Box<dyn Strategy>, UnknownStrategy> {
    let _ = setup;
    Err(UnknownStrategy { name: name.to_owned() })
}
