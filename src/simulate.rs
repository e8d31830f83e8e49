//! Many games without a screen: any player, rule and board, on all cores, the same whatever their number.

mod boards;
mod chances;
mod chart;
#[cfg(test)]
mod left;
mod parts;
mod summary;
mod sweep;

pub use boards::{Boards, BoardsError, Layout};
pub use chances::Chances;
pub use chart::{ChartError, draw_calibration, draw_sweep};
pub use parts::{Part, PartError, Recorder, merge};
pub use summary::{Bin, Losses, SetSizes, Summary};
pub use sweep::{Point, Sweep, SweepError};

use crate::board::{Board, BoardError, Tile};
use crate::game::{Game, Rule, State};
use crate::geometry::{BoardSize, Cell};
use crate::solver::strategies::{SetSize, set_sizes};
use crate::solver::{self, Decision, GuessKind, Impossible, Reason, Setup, Strategy, UnknownStrategy};
use rayon::prelude::*;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// What is played. Game `i` is the same board for every player, number of games and number of threads.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The player, by its name.
    pub strategy: String,
    /// What it is told; its rule is the rule of the first click, its seed the seed of the run.
    pub setup: Setup,
    /// The boards.
    pub boards: Boards,
    /// The number of the first game; game `i` is the same board wherever the run begins.
    pub first: u64,
    /// How many games.
    pub games: u64,
    /// The first click of every game, in place of the player's own; no matter where a game begins with open tiles.
    pub start: Option<Cell>,
    /// How many threads; `None` for as many as there are cores.
    pub threads: Option<usize>,
    /// Whether to measure the coupled sets of constraints on the boards the player meets ([`set_sizes`]).
    pub sizes: bool,
    /// Whether to judge every game by its chances, too ([`Chances`]).
    pub expected: bool,
}

/// One finished game.
#[derive(Clone, Debug, PartialEq)]
pub struct Played {
    /// Whether it was won.
    pub won: bool,
    /// Whether the first click (or the tile the game began with) was an opening.
    pub first_zero: bool,
    /// Tiles that were clicked.
    pub moves: u32,
    /// Every guess, the first click included.
    pub guesses: Vec<Guess>,
    /// How long it took, in microseconds.
    pub us: u64,
    /// The coupled sets there were to solve, if they were to be measured.
    pub sets: Vec<SetSize>,
    /// The product of the chances that its guesses were safe, if games were judged by them: expected wins.
    pub expected: Option<f64>,
}

/// One guess of a game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Guess {
    /// The chance of a mine that the player saw, 0..1.
    pub risk: f64,
    /// What sort of guess.
    pub kind: GuessKind,
    /// Whether there was a mine.
    pub hit: bool,
}

/// What a game was lost on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// A guess of this kind.
    Guess(GuessKind),
    /// A tile that the player held to be certain.
    Certain,
}

impl Played {
    /// What the game was lost on; nothing if it was won.
    pub fn loss(&self) -> Option<Loss> {
        let fatal = self.guesses.last().filter(|guess| guess.hit);
        (!self.won).then(|| fatal.map_or(Loss::Certain, |guess| Loss::Guess(guess.kind)))
    }

    /// Whether nothing was guessed but the first click.
    pub fn is_without_guess(&self) -> bool {
        self.guesses.iter().all(|guess| guess.kind == GuessKind::Start)
    }
}

/// Why games cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum SimulateError {
    /// No such player.
    #[error(transparent)]
    Strategy(#[from] UnknownStrategy),
    /// No such board.
    #[error(transparent)]
    Board(#[from] BoardError),
    /// More tiles than a simulation has room for.
    #[error("a board of {0} is too large: at most {MOST_TILES} tiles can be simulated")]
    TooLarge(BoardSize),
    /// The first click asked for is outside of a board.
    #[error("the first click {cell} is not on a board of {size}")]
    Start {
        /// The click.
        cell: Cell,
        /// The board.
        size: BoardSize,
    },
    /// The chances of a game cannot be told from what is open.
    #[error(
        "under the rule {0} not all explanations of such a board are alike, so expected wins are not known; \
         leave --expected away"
    )]
    NoChances(Rule),
    /// The chances of a game cannot be told where the boards are given.
    #[error("boards of a file cannot be dealt again, so expected wins are not known; leave --expected away")]
    GivenBoards,
    /// More games than there are boards.
    #[error("{games} games were asked for and the file has {boards} boards")]
    TooFewBoards {
        /// Games asked for.
        games: u64,
        /// Boards there are.
        boards: u64,
    },
    /// The number of the last game has no room.
    #[error("there are no games of such high numbers; take a smaller --from")]
    TooManyGames,
    /// The threads could not be started.
    #[error("the threads could not be started; try --threads 1")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// The player broke the rules of the game: a fault of the player, not of its user.
    #[error("{strategy} made a move that is not allowed in game {game}: {fault}; the board was\n{board}")]
    Player {
        /// The player.
        strategy: String,
        /// The game, counted from 0.
        game: u64,
        /// What it did.
        fault: Fault,
        /// Where.
        board: Box<Board>,
    },
    /// A finished game could not be kept.
    #[error("a finished game could not be written")]
    Write(#[from] std::io::Error),
}

/// How a player can break the rules.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It opens a tile that is not on the board.
    #[error("{0} is not on the board")]
    OffBoard(Cell),
    /// It opens a tile that cannot be opened, or twice in one decision.
    #[error("{0} cannot be opened, or was named twice")]
    NotCovered(Cell),
    /// It opens nothing although there is something left.
    #[error("nothing was opened")]
    Stuck,
    /// It guesses several tiles at once, or a risk that is no probability.
    #[error("a guess is one tile with a risk from 0 to 1")]
    BadGuess,
    /// It says that a true board cannot be.
    #[error(transparent)]
    Denied(#[from] Impossible),
}

/// The largest board that is simulated, in tiles.
pub const MOST_TILES: usize = 100_000_000;

/// Games handed to a thread before their results are collected, in order.
const BATCH: u64 = 64;

/// The seed of game `index` of a run with this seed (the output function of SplitMix64, which never maps two numbers to
/// the same one).
pub fn game_seed(seed: u64, index: u64) -> u64 {
    let mut z = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(index).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Plays the games of `plan`. `finished` hears of each game as it ends, from any thread and in any order (a progress
/// bar); `keep` gets each one in order, a little later.
///
/// # Errors
/// The plan makes no sense (nothing was played then), a player broke the rules, or `keep` failed.
pub fn play_all(
    plan: &Plan,
    finished: &(dyn Fn() + Sync),
    mut keep: impl FnMut(u64, &Played) -> std::io::Result<()>,
) -> Result<Vec<Played>, SimulateError> {
    plan.check()?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(plan.threads.unwrap_or(0)).build()?;
    // One for each thread, for the whole run: some players build something large before their first game.
    let player = |_| solver::by_name(&plan.strategy, &plan.setup).map(Mutex::new);
    let players = (0..pool.current_num_threads()).map(player).collect::<Result<Vec<_>, _>>()?;
    let batch = BATCH * players.len() as u64;
    let mut all = Vec::with_capacity(plan.games.min(1 << 20) as usize);
    let end = plan.end()?;
    for first in (plan.first..end).step_by(batch as usize) {
        let games = first..end.min(first + batch);
        let play = |index| {
            let thread = rayon::current_thread_index().expect("a thread of the pool");
            let mut player = players[thread].lock().expect("its thread does not panic");
            let played = plan.play(player.as_mut(), index)?;
            finished();
            Ok(played)
        };
        let played: Vec<Played> =
            pool.install(|| games.clone().into_par_iter().map(play).collect::<Result<_, SimulateError>>())?;
        for (index, played) in games.zip(&played) {
            keep(index, played)?;
        }
        all.extend(played);
    }
    Ok(all)
}

impl Plan {
    /// Games from the first on, with every core and nothing special.
    pub fn new(strategy: &str, setup: Setup, boards: Boards, games: u64) -> Self {
        let strategy = strategy.to_owned();
        Self { strategy, setup, boards, first: 0, games, start: None, threads: None, sizes: false, expected: false }
    }

    /// How many threads will play.
    pub fn thread_count(&self) -> usize {
        self.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
    }

    /// Refuses what cannot be played, before anything is played or written.
    ///
    /// # Errors
    /// See [`SimulateError`].
    pub fn check(&self) -> Result<(), SimulateError> {
        solver::by_name(&self.strategy, &self.setup)?;
        let end = self.end()?;
        if self.expected {
            self.has_chances()?;
        }
        match &self.boards {
            Boards::Dealt { size, mines } => {
                if size.tiles() > MOST_TILES {
                    return Err(SimulateError::TooLarge(*size));
                }
                Board::hidden(*size, *mines)?;
                self.check_start(*size)
            }
            Boards::Exact(layouts) => {
                if end > layouts.len() as u64 {
                    return Err(SimulateError::TooFewBoards { games: end, boards: layouts.len() as u64 });
                }
                layouts.iter().try_for_each(|layout| self.check_start(layout.size()))
            }
        }
    }

    /// One more than the number of the last game.
    fn end(&self) -> Result<u64, SimulateError> {
        self.first.checked_add(self.games).ok_or(SimulateError::TooManyGames)
    }

    /// Whether expected wins can be known: all explanations of a board must be alike.
    ///
    /// # Errors
    /// Why they cannot.
    pub fn has_chances(&self) -> Result<(), SimulateError> {
        match (&self.boards, self.setup.rule) {
            (Boards::Exact(_), _) => Err(SimulateError::GivenBoards),
            // Where there is no room for an opening the game frees some tiles and not others around the first click.
            (Boards::Dealt { size, mines }, Rule::Zero) if size.tiles() < *mines as usize + 9 => {
                Err(SimulateError::NoChances(Rule::Zero))
            }
            (_, rule @ (Rule::Hinted | Rule::Opened | Rule::Windows)) => Err(SimulateError::NoChances(rule)),
            (_, Rule::Safe | Rule::Zero | Rule::Any) => Ok(()),
        }
    }

    fn check_start(&self, size: BoardSize) -> Result<(), SimulateError> {
        match self.start {
            Some(cell) if !size.contains(cell) => Err(SimulateError::Start { cell, size }),
            _ => Ok(()),
        }
    }

    fn play(&self, player: &mut dyn Strategy, index: u64) -> Result<Played, SimulateError> {
        let seed = game_seed(self.setup.seed, index);
        let (mut game, start) = match &self.boards {
            Boards::Dealt { size, mines } => (Game::deal(*size, *mines, self.setup.rule, seed)?, None),
            Boards::Exact(layouts) => {
                let layout = &layouts[index as usize];
                (Game::with_mines(layout.size(), &layout.mines)?, layout.start)
            }
        };
        player.new_game(seed);
        let mut sets = Vec::new();
        let seen = |board: &Board| {
            if self.sizes {
                sets.extend(set_sizes(board));
            }
        };
        let mut chances = self.expected.then(|| Chances::of_game(seed));
        let played = play_game(player, &mut game, self.start.or(start), self.setup.rule, chances.as_mut(), seen);
        let played = played.map_err(|fault| SimulateError::Player {
            strategy: self.strategy.clone(),
            game: index,
            fault,
            board: Box::new(game.board().clone()),
        })?;
        Ok(Played { sets, ..played })
    }
}

/// Plays one game to its end, whatever the player does: a move that is not allowed ends it. `seen` is shown every board
/// that the player is asked about. With `chances` the game goes on where a guess has lost it, on a board dealt again,
/// for [`Played::expected`]; everything else is said of the game up to there.
///
/// # Errors
/// The player broke the rules.
pub fn play_game(
    player: &dyn Strategy,
    game: &mut Game,
    start: Option<Cell>,
    rule: Rule,
    mut chances: Option<&mut Chances>,
    mut seen: impl FnMut(&Board),
) -> Result<Played, Fault> {
    let mut took = Duration::ZERO;
    let mut played = Played {
        won: false,
        first_zero: game.board().numbers().any(|(_, number)| number == 0),
        moves: 0,
        guesses: Vec::new(),
        us: 0,
        sets: Vec::new(),
        expected: None,
    };
    let (mut expected, mut is_lost) = (1.0, false);
    // Of a board of mines nothing is ever opened; any other is won when its last tile is.
    let is_all_mines = game.board().is_cleared();
    while game.state() == State::Playing && !is_all_mines {
        let untouched = game.board().is_untouched();
        if !is_lost {
            seen(game.board());
        }
        let began = Instant::now();
        let decision = match start.filter(|_| untouched) {
            Some(cell) => first_click(game.board(), cell, rule),
            None => player.decide(game.board())?,
        };
        check(game.board(), &decision)?;
        let decided = began.elapsed();
        let is_free = untouched && matches!(rule, Rule::Safe | Rule::Zero | Rule::Windows);
        let guessed = matches!(decision.reason, Reason::Guess { .. }) && !is_free;
        let mut hit = false;
        if let Some(chances) = chances.as_deref_mut().filter(|_| guessed)
            && let Some(safe) = chances.safety(game.board(), decision.open[0])
        {
            expected *= safe;
            let mut trial = game.clone();
            hit = trial.open(decision.open[0]) == State::Lost;
            if hit && safe > 0.0 && !chances.deal_again(game, decision.open[0]) {
                expected = 0.0;
            }
        }
        let began = Instant::now();
        let mut moves = 0;
        for &cell in &decision.open {
            // A flood may have opened it meanwhile.
            if game.state() == State::Playing && game.board().tile(cell).is_covered() {
                game.open(cell);
                moves += 1;
            }
        }
        hit |= game.state() == State::Lost;
        if is_lost {
            continue;
        }
        is_lost = hit;
        took += decided + began.elapsed();
        played.moves += moves;
        if untouched {
            played.first_zero = !hit && game.board().tile(decision.open[0]) == Tile::Open(0);
        }
        if let Reason::Guess { risk, kind } = decision.reason {
            played.guesses.push(Guess { risk, kind, hit });
        }
    }
    played.won = !is_lost;
    played.us = took.as_micros() as u64;
    // A mine where the player held a tile for certain, or where chances are beyond reach, is a loss like any other.
    let is_over = game.state() == State::Lost;
    played.expected = chances.map(|_| if is_over { 0.0 } else { expected });
    Ok(played)
}

/// The first click that was asked for, with the risk that the rule leaves.
fn first_click(board: &Board, cell: Cell, rule: Rule) -> Decision {
    let density = board.mines().map_or(0.5, |mines| f64::from(mines) / board.size().tiles() as f64);
    let risk = if rule.is_promised() { 0.0 } else { density };
    Decision { open: vec![cell], mines: Vec::new(), reason: Reason::Guess { risk, kind: GuessKind::Start } }
}

fn check(board: &Board, decision: &Decision) -> Result<(), Fault> {
    if decision.open.is_empty() {
        return Err(Fault::Stuck);
    }
    if let Reason::Guess { risk, .. } = decision.reason
        && (decision.open.len() != 1 || !(0.0..=1.0).contains(&risk))
    {
        return Err(Fault::BadGuess);
    }
    for &cell in &decision.open {
        if !board.size().contains(cell) {
            return Err(Fault::OffBoard(cell));
        }
        if !matches!(board.tile(cell), Tile::Hidden | Tile::Question) {
            return Err(Fault::NotCovered(cell));
        }
    }
    let mut named = decision.open.clone();
    named.sort_unstable();
    let twice = named.windows(2).find(|two| two[0] == two[1]);
    twice.map_or(Ok(()), |two| Err(Fault::NotCovered(two[0])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats;

    fn plan(strategy: &str, size: BoardSize, mines: u32, rule: Rule) -> Plan {
        let setup = Setup { rule, seed: 3, ..Setup::default() };
        let boards = Boards::Dealt { size, mines };
        Plan { threads: Some(1), ..Plan::new(strategy, setup, boards, 200) }
    }

    fn play(plan: &Plan) -> Result<Vec<Played>, SimulateError> {
        let mut all = play_all(plan, &|| (), |_, _| Ok(()))?;
        all.iter_mut().for_each(|played| played.us = 0);
        Ok(all)
    }

    #[test]
    fn games_do_not_depend_on_threads_or_on_how_many_are_played() {
        let one = plan("single-point", BoardSize::new(9, 9), 10, Rule::Safe);
        let many = Plan { threads: Some(3), games: 150, ..one.clone() };
        assert_eq!(play(&one).unwrap()[..150], play(&many).unwrap());
    }

    #[test]
    fn a_first_click_that_may_be_a_mine_loses_as_often_as_it_should() {
        // Under `any` the win rate is that of `safe` times the chance of a safe first click; here the losses.
        let plan = Plan { games: 4000, ..plan("single-point", BoardSize::new(8, 8), 16, Rule::Any) };
        let lost =
            play(&plan).unwrap().iter().filter(|game| game.loss() == Some(Loss::Guess(GuessKind::Start))).count();
        // 1000 expected, 5 standard deviations of sqrt(4000 * 0.25 * 0.75) = 27.4.
        assert!(lost.abs_diff(1000) < 137, "{lost}");
    }

    #[test]
    fn expected_wins_are_unbiased_and_tell_more() {
        // Players that guess well, at random, and that are lost on tiles they held for certain.
        for (strategy, size, mines, rule) in [
            ("lowest-risk", BoardSize::new(8, 8), 12, Rule::Safe),
            ("lowest-risk", BoardSize::new(7, 5), 7, Rule::Any),
            ("single-point", BoardSize::new(8, 8), 10, Rule::Zero),
        ] {
            let plan = Plan { games: 4000, expected: true, ..plan(strategy, size, mines, rule) };
            let games = play(&plan).unwrap();
            let plain = play(&Plan { expected: false, ..plan.clone() }).unwrap();
            // What is said of the plain games does not change by going on after them.
            let alike = |one: &Played, other: &Played| Played { expected: None, ..one.clone() } == *other;
            assert!(games.iter().zip(&plain).all(|(one, other)| alike(one, other)));
            let won: Vec<f64> = games.iter().map(|game| f64::from(u8::from(game.won))).collect();
            let expected: Vec<f64> = games.iter().filter_map(|game| game.expected).collect();
            let gap = stats::compare_means(&won, &expected);
            // 95% are 1.96 deviations: here five.
            let five = 5.0 / 1.96 * (gap.ci95[1] - gap.difference);
            assert!(gap.difference.abs() < five, "{strategy}: {gap:?}");
            let variance = |values: Vec<f64>| stats::mean_and_variance(values).unwrap().1;
            assert!(variance(expected) < 0.7 * variance(won));
        }
    }

    #[test]
    fn plans_that_make_no_sense_are_refused() {
        let good = plan("single-point", BoardSize::new(3, 3), 2, Rule::Safe);
        let boards = |size, mines| Boards::Dealt { size, mines };
        for (bad, complaint) in [
            (Plan { strategy: "luck".to_owned(), ..good.clone() }, "no strategy"),
            (Plan { boards: boards(BoardSize::new(0, 3), 0), ..good.clone() }, "no tiles"),
            (Plan { boards: boards(BoardSize::new(2, 2), 5), ..good.clone() }, "do not fit"),
            (Plan { boards: boards(BoardSize::new(u32::MAX, u32::MAX), 5), ..good.clone() }, "too large"),
            (Plan { start: Some(Cell::new(3, 0)), ..good.clone() }, "not on a board"),
            (Plan { boards: Boards::Exact(Vec::new()), ..good.clone() }, "0 boards"),
        ] {
            let error = play(&bad).unwrap_err().to_string();
            assert!(error.contains(complaint), "{error}");
        }
    }

    /// Opens what it was told to, always.
    struct Stubborn(Decision);

    impl Strategy for Stubborn {
        fn name(&self) -> &'static str {
            "stubborn"
        }

        fn decide(&self, _: &Board) -> Result<Decision, Impossible> {
            Ok(self.0.clone())
        }
    }

    #[test]
    fn moves_that_are_not_allowed_are_errors() {
        let guess = |risk| Reason::Guess { risk, kind: GuessKind::Start };
        let (here, off) = (Cell::new(0, 0), Cell::new(9, 9));
        for (open, reason, fault) in [
            (vec![], Reason::Certain, Fault::Stuck),
            (vec![off], Reason::Certain, Fault::OffBoard(off)),
            (vec![here, here], Reason::Certain, Fault::NotCovered(here)),
            (vec![here], Reason::Certain, Fault::NotCovered(here)), // the second time it is open
            (vec![here], guess(1.5), Fault::BadGuess),
            (vec![here, Cell::new(1, 0)], guess(0.5), Fault::BadGuess),
        ] {
            let mut game = Game::deal(BoardSize::new(3, 3), 4, Rule::Safe, 1).unwrap();
            let player = Stubborn(Decision { open, mines: Vec::new(), reason });
            assert_eq!(play_game(&player, &mut game, None, Rule::Safe, None, |_| ()), Err(fault));
        }
    }
}
