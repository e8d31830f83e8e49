//! Everything that can be said of one position: [`Board`] → [`Analysis`].
//!
//! These are the questions of Kaye and Pedersen: is the position consistent, how many explanations has it
//! (#MINESWEEPER), is there just one (SOLUTION), which tiles are safe (SAFETY), is anything certain (INFERENCE); and
//! those of a player: the risk of every tile, the best move, the chance of winning.

mod svg;

use crate::board::{Board, Tile};
use crate::game::Rule;
use crate::geometry::Cell;
use crate::solver::endgame;
use crate::solver::graph::{Move, Reach, Worth};
use crate::solver::probability::{Risks, Unsolved, explanations, shares};
use crate::solver::strategies::Optimal;
use crate::solver::{self, Decision, GuessKind, Impossible, Reason, Setup, UnknownStrategy};
use num_bigint::BigUint;
use serde::{Serialize, Serializer};

pub use svg::svg;

/// What is known of a position.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Analysis {
    /// Whether any arrangement of mines explains it.
    pub consistent: bool,
    /// How many do; if the total of mines is not known, of any total.
    #[serde(serialize_with = "decimal")]
    pub explanations: BigUint,
    /// Whether exactly one does.
    pub unique: bool,
    /// Tiles without a number that certainly hold no mine.
    pub safe: Vec<Cell>,
    /// The same that certainly hold one.
    pub mines: Vec<Cell>,
    /// Row by row the share of the explanations with a mine on each tile; `None` where no mine can be (open tiles),
    /// and everywhere if the position is not consistent.
    pub risk: Vec<Vec<Option<f64>>>,
    /// What to do next; `None` if the game is over or nothing can be opened.
    pub best: Option<Best>,
    /// The chance of winning under best play, where it can be worked out exactly.
    pub win_probability: Option<f64>,
    /// The same as a fraction, `wins/deals`, where whole deals were searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wins: Option<String>,
}

/// The move to make.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Best {
    /// Where.
    pub cell: Cell,
    /// The share of the explanations that have a mine there, 0..1.
    pub risk: f64,
    /// Why there, for people.
    pub reason: String,
}

/// Why a position cannot be analysed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AnalyzeError {
    /// More flags than mines.
    #[error("{flags} flags but only {mines} mines: take flags away, or correct the number of mines")]
    TooManyFlags {
        /// Flags on the board, and mines shown.
        flags: usize,
        /// Mines of the board.
        mines: u32,
    },
    /// No such player.
    #[error(transparent)]
    Strategy(#[from] UnknownStrategy),
    /// It would take too long.
    #[error(transparent)]
    BeyondReach(Unsolved),
}

/// The player that is asked where the chance of winning is beyond reach.
const ADVISER: &str = "best";

/// Analyses `board`. The best move is that of the player called `strategy`; without one the move that wins most often
/// where that can be worked out, else that of the best player there is.
///
/// # Errors
/// More flags than mines, an unknown strategy, or a position beyond reach.
pub fn analyze(board: &Board, setup: &Setup, strategy: Option<&str>) -> Result<Analysis, AnalyzeError> {
    let player = solver::by_name(strategy.unwrap_or(ADVISER), setup)?;
    check_flags(board)?;
    let risks = match shares(board) {
        Ok(risks) => risks,
        Err(Unsolved::Impossible(_)) => return Ok(inconsistent(board)),
        Err(unsolved) => return Err(AnalyzeError::BeyondReach(unsolved)),
    };
    let explanations = explanations(board).map_err(AnalyzeError::BeyondReach)?;
    let certain = |risk: f64| risks.cells_at(risk).filter(|cell| board.tile(*cell).may_be_mine()).collect();
    let (safe, mines): (Vec<Cell>, Vec<Cell>) = (certain(0.0), certain(1.0));
    let worth = worth(board, setup, &risks, &mines);
    let best = match (strategy, &worth) {
        _ if is_over(board) => None,
        (None, Some(worth)) if !worth.moves.is_empty() => most_worth(board, setup, &risks, worth),
        _ => match player.decide(board) {
            Ok(decision) => advised(board, &risks, player.name(), &decision),
            Err(Impossible { .. }) => None,
        },
    };
    let row = |y| (0..board.size().width).map(|x| risks.risk(Cell::new(x, y))).collect();
    Ok(Analysis {
        consistent: true,
        unique: explanations == BigUint::from(1u32),
        explanations,
        safe,
        mines,
        risk: (0..board.size().height).map(row).collect(),
        best,
        wins: worth.as_ref().and_then(|worth| worth.of_deals).map(|(wins, deals)| format!("{wins}/{deals}")),
        win_probability: worth.map(|worth| worth.value),
    })
}

/// What can be said of a board that nothing explains.
fn inconsistent(board: &Board) -> Analysis {
    let (width, height) = (board.size().width as usize, board.size().height as usize);
    Analysis {
        consistent: false,
        explanations: BigUint::ZERO,
        unique: false,
        safe: vec![],
        mines: vec![],
        risk: vec![vec![None; width]; height],
        best: None,
        win_probability: None,
        wins: None,
    }
}

/// A flag is an opinion, but with more of them than there are mines the board was not meant so.
fn check_flags(board: &Board) -> Result<(), AnalyzeError> {
    let flags = board.cells_where(|tile| tile == Tile::Flag || tile.is_shown_mine()).count();
    match board.mines() {
        Some(mines) if flags > mines as usize => Err(AnalyzeError::TooManyFlags { flags, mines }),
        _ => Ok(()),
    }
}

fn is_lost(board: &Board) -> bool {
    board.is_lost() || board.tiles().contains(&Tile::WrongFlag)
}

fn is_over(board: &Board) -> bool {
    is_lost(board) || board.is_cleared()
}

/// The exact chance of winning with the moves that were weighed, if it is in reach.
fn worth(board: &Board, setup: &Setup, risks: &Risks, mines: &[Cell]) -> Option<Worth> {
    let known = |value: f64| Some(Worth { value, moves: vec![], of_deals: None });
    if is_lost(board) {
        return known(0.0);
    }
    if board.is_cleared() {
        return known(1.0);
    }
    if board.tiles().contains(&Tile::Unrecognised) {
        return None; // Nobody can open what is not recognised.
    }
    let is_certain = |cell: Cell| risks.risk(cell).is_none_or(|risk| risk == 0.0 || risk == 1.0);
    if board.size().cells().all(is_certain) {
        return Some(Worth { value: 1.0, moves: safe_moves(board, risks, 1.0), of_deals: None });
    }
    let optimal = Optimal::new(setup);
    if board.size().tiles() <= 16 {
        return optimal.worth(board).ok();
    }
    // More time to think than usual is more to search.
    let reach = Reach::PATIENT.times(setup.think.as_secs_f64() / Setup::default().think.as_secs_f64());
    let weighed = optimal.worth_within(&with_mines_shown(board, mines)?, reach).ok();
    // The other search is not bound to 64 tiles, but weighs only the position as a whole.
    weighed.or_else(|| known(endgame::win_probability(board, setup.rule).ok().flatten()?))
}

fn safe_moves(board: &Board, risks: &Risks, value: f64) -> Vec<Move> {
    let safe = risks.cells_at(0.0).filter(|cell| board.tile(*cell).is_covered());
    safe.map(|cell| Move { cell, risk: 0.0, value }).collect()
}

/// The same position with the mines that are certain shown, so that they need not be searched.
fn with_mines_shown(board: &Board, mines: &[Cell]) -> Option<Board> {
    let mut tiles = board.tiles().to_vec();
    mines.iter().for_each(|cell| tiles[board.size().index(*cell)] = Tile::Mine);
    Board::new(board.size(), board.mines(), tiles).ok()
}

/// The move that wins most often, where all were weighed.
fn most_worth(board: &Board, setup: &Setup, risks: &Risks, worth: &Worth) -> Option<Best> {
    let safe = safe_moves(board, risks, worth.value);
    if let Some(first) = safe.first() {
        let reason = certain_reason(safe.len());
        return Some(Best { cell: first.cell, risk: 0.0, reason });
    }
    let by_risk = |one: &&Move, other: &&Move| one.risk.total_cmp(&other.risk);
    let best = worth.best().min_by(by_risk)?;
    let wins = percent(best.value);
    let safest = worth.moves.iter().min_by(by_risk)?;
    let is_start = board.is_untouched() && matches!(setup.rule, Rule::Safe | Rule::Zero | Rule::Windows);
    let reason = if is_start {
        format!("the first click is never a mine ({}); from here most games are won, {wins}", setup.rule)
    } else if best.risk > safest.risk + 1e-9 {
        format!(
            "wins most often, {wins}; {} is safer ({}) but wins {}",
            safest.cell,
            percent(safest.risk),
            percent(safest.value)
        )
    } else {
        format!("wins most often, {wins}, and no tile is safer")
    };
    Some(Best { cell: best.cell, risk: risks.risk(best.cell)?, reason })
}

/// What a player would do.
fn advised(board: &Board, risks: &Risks, player: &str, decision: &Decision) -> Option<Best> {
    let cell = *decision.open.first()?;
    let risk = risks.risk(cell)?;
    let reason = match decision.reason {
        Reason::Certain if risk == 0.0 => certain_reason(safe_moves(board, risks, 0.0).len()),
        Reason::Certain => format!("{player} takes it for certain"),
        Reason::Guess { kind: GuessKind::Start, .. } => format!("where {player} begins"),
        Reason::Guess { kind: GuessKind::CrapsShoot, .. } => {
            format!("the choice of {player}: a guess that nothing learned elsewhere can spare")
        }
        Reason::Guess { kind, .. } => {
            let place = if kind == GuessKind::Educated { "next to a number" } else { "away from all numbers" };
            format!("the choice of {player}, {place}; nothing is certain")
        }
    };
    // Where it cannot work out the risk, or counts otherwise, it is told which number it went by.
    let own = decision.reason.risk();
    let estimate = if board.is_untouched() || (own - risk).abs() < 0.0005 {
        String::new()
    } else {
        format!("; {player} takes the risk for {}, an estimate", percent(own))
    };
    Some(Best { cell, risk, reason: reason + &estimate })
}

fn certain_reason(tiles: usize) -> String {
    match tiles {
        1 => "certainly safe, the only tile that is".to_owned(),
        2 => "certainly safe; so is one more".to_owned(),
        _ => format!("certainly safe; so are {} more", tiles - 1),
    }
}

/// A chance as people write it, never rounded to certainty.
pub fn percent(chance: f64) -> String {
    match 100.0 * chance {
        0.0 => "0 %".to_owned(),
        100.0 => "100 %".to_owned(),
        percent if percent < 0.1 => "< 0.1 %".to_owned(),
        percent if percent > 99.9 => "> 99.9 %".to_owned(),
        percent => format!("{percent:.1} %"),
    }
}

fn decimal<S: Serializer>(number: &BigUint, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&number.to_string())
}
