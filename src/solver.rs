//! Deciding: [`Board`] → [`Decision`]. The players are in [`strategies`]; [`by_name`] knows them all.
//!
//! ```text
//! Board ─ singles                                                          what single numbers say, where something changed
//!           └ constraints ─ count ─ probability ─┬─ safest ──── lowest-risk    certain moves, else the lowest risk
//!             witnesses,    ways    exact risks  ├─ endgame ─┐
//!             boxes,        by      of all tiles ├─ lookahead ┴ best           the end exactly, before it some openings ahead
//!             components    mines                │    └─ probability/numbers   what every number of a tile would say, at once
//!                             │                  └─ probability/draw ─ play_on one explanation by lot; games played on from it, with time to think
//!                             └─ explanations                                  their number, as an exact integer
//! Board ─ graph ─┬ optimal                                                 every way a small board can go
//!                └ graph/follow                                            any player beside it, deal by deal
//! Board ─ strategies/papers                                                the players of the literature
//! endgame/listed ─┬ best_play                                              the search to the end, of endgames and whole boards
//! graph/deals ────┘
//! ```

mod best_play;
#[cfg(test)]
mod brute_force;
pub mod constraints;
pub mod count;
pub mod endgame;
mod explanations;
pub mod graph;
pub mod lookahead;
pub(crate) mod lots;
pub mod opening;
pub(crate) mod play_on;
pub mod probability;
mod safest;
mod sets;
mod singles;
pub mod strategies;
mod ways;

use crate::board::Board;
use crate::game::Rule;
use crate::geometry::{BoardSize, Cell};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A player: what to do on a board. It keeps no memory from one board to the next, for the board holds all that is
/// known; chance comes from the seed it was made with and the board, so every decision can be repeated by itself.
pub trait Strategy: Send {
    /// The name it is chosen by.
    fn name(&self) -> &'static str;

    /// A new game begins: from now on chance comes from `seed` (and the board), so that games of one run do not all
    /// draw the same lots on the same board. Players without chance have nothing to do.
    fn new_game(&mut self, seed: u64) {
        let _ = seed;
    }

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

impl Impossible {
    /// A contradiction near the tile with number `index`.
    pub(crate) fn near(size: BoardSize, index: u32) -> Self {
        Self { near: Some(size.cell(index as usize)) }
    }
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
    /// Around which part of the board `limited-search-probability` searches.
    pub area: Area,
    /// Threads that one guess may take, where a player can use them: they change its time, and nothing else.
    pub threads: usize,
}

impl Setup {
    /// The same for who decides alone on this machine, with all of its processors.
    pub fn with_all_threads(self) -> Self {
        Self { threads: std::thread::available_parallelism().map_or(1, std::num::NonZero::get), ..self }
    }
}

impl Default for Setup {
    fn default() -> Self {
        Self { rule: Rule::Safe, seed: 0, think: Duration::from_millis(100), area: Area::Zone, threads: 1 }
    }
}

/// The part of the board that is searched to judge one tile (Pedersen, definition 5.3.1 and section 5.5.1).
///
/// Written `zone`, or the radius of a square: `2`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Area {
    /// The zone of interest: the numbers that touch the tile or a covered tile beside it.
    ///
    /// The definition as printed has those that touch it, and those that share any covered tile with one of them. That
    /// zone is half as uneven in size again as the paper measured (table 5.5), and the player wins more with it, and
    /// guesses less, than the paper's (tables 5.1 to 5.3); with this one all of these agree (`results/papers.md`).
    #[default]
    Zone,
    /// The numbers in a square around the tile, so many tiles from the middle to the edge (1 to [`Area::WIDEST`]).
    Square(u32),
}

impl Area {
    /// The widest square; the paper searches squares of radius 2 to 7 and 10.
    pub const WIDEST: u32 = 50;
}

impl std::fmt::Display for Area {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Area::Zone => f.write_str("zone"),
            Area::Square(radius) => write!(f, "{radius}"),
        }
    }
}

impl std::str::FromStr for Area {
    type Err = UnknownArea;

    fn from_str(text: &str) -> Result<Self, UnknownArea> {
        match text.parse() {
            _ if text == "zone" => Ok(Area::Zone),
            Ok(radius) if (1..=Area::WIDEST).contains(&radius) => Ok(Area::Square(radius)),
            _ => Err(UnknownArea { text: text.to_owned() }),
        }
    }
}

/// A text that names no [`Area`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is no area: it is `zone`, or a radius from 1 to {}", Area::WIDEST)]
pub struct UnknownArea {
    /// What was asked for.
    pub text: String,
}

/// Every player by its name, in the order in which they are listed to people.
pub const NAMES: &[&str] = &[
    "single-point",
    "limited-search",
    "limited-search-probability",
    "equation",
    "human-like",
    "placements",
    "csp",
    "csp-as-printed",
    "heuristic-csp",
    "greedy",
    "optimal",
    "lowest-risk",
    "best",
];

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
    Ok(match name {
        "single-point" => Box::new(strategies::SinglePoint::new(setup)),
        "limited-search" => Box::new(strategies::LimitedSearch::new(setup)),
        "limited-search-probability" => Box::new(strategies::LimitedSearchProbability::new(setup)),
        "equation" => Box::new(strategies::Deducer::equation(setup)),
        "human-like" => Box::new(strategies::Deducer::human_like(setup)),
        "placements" => Box::new(strategies::Deducer::placements(setup)),
        "csp" => Box::new(strategies::Csp::new(setup)),
        "csp-as-printed" => Box::new(strategies::Csp::as_printed(setup)),
        "heuristic-csp" => Box::new(strategies::HeuristicCsp::new(setup)),
        "greedy" => Box::new(strategies::Greedy::new(setup)),
        "optimal" => Box::new(strategies::Optimal::new(setup)),
        "lowest-risk" => Box::new(strategies::LowestRisk::new(setup)),
        "best" => Box::new(strategies::Best::new(setup)),
        _ => return Err(UnknownStrategy { name: name.to_owned() }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_player_is_found_by_its_own_name() {
        for name in NAMES {
            assert_eq!(by_name(name, &Setup::default()).unwrap().name(), *name);
        }
        let error = by_name("luck", &Setup::default()).err().unwrap().to_string();
        assert!(NAMES.iter().all(|name| error.contains(name)), "{error}");
    }

    #[test]
    fn areas_are_read_as_they_are_written() {
        for text in ["zone", "2", "10"] {
            assert_eq!(text.parse::<Area>().unwrap().to_string(), text);
        }
        for text in ["", "0", "51", "-1", "Zone"] {
            assert!(text.parse::<Area>().is_err(), "{text}");
        }
    }
}
