//! Playing on: which of a few tiles wins most, told by games played to their end behind each of them.
//!
//! Looking ahead counts openings and cannot see what is spared by a risk taken now that would have to be taken anyway.
//! Where there are too many explanations to search them all, some are drawn by lot, the same for all tiles, and a quick
//! player plays on behind every tile. A game is judged by its chances instead of the coin of its guesses: a guess costs
//! the factor of its safety, and where it hits a mine, the mines are dealt again so that it does not. The mean over all
//! deals is the chance of winning with the quick player behind the tile.
//!
//! Chance that chooses also deceives: of five tiles as good as the choice of looking ahead, the one with the luckiest
//! deals looks better. So a lead is weighed against what leads are like before any deal ([`Prior`]), and tiles
//! that are most likely behind get no more deals.

use super::lots::lots;
use super::probability::{Engine, Numbers};
use super::{Reason, Strategy};
use crate::board::Board;
use crate::game::{Game, State};
use crate::geometry::Cell;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::panic::resume_unwind;
use std::thread;

/// Candidates beside the choice of looking ahead.
const OTHERS: usize = 5;
/// Candidates are safe at least this share of what the safest tile is.
const BAND: f64 = 0.8;
/// Deals between two looks at who is behind.
pub(crate) const ROUND: usize = 25;
/// A lead so many standard deviations below zero is hopeless.
const HOPELESS: f64 = 2.0;
/// The lots come from it and the board, so that the same position is decided alike.
const SEED: u64 = 0x2545_f491_4f6c_dd1d;
/// A game costs about as many times that of an expert board as its board has more tiles than this.
const TILES: usize = 480;

/// How another tile's chance of winning lies to that of the tile that looking ahead chose, before any deal: mean and
/// standard deviation.
#[derive(Clone, Copy, Debug)]
struct Prior {
    mean: f64,
    deviation: f64,
}

/// Of the candidate that is best by two openings, of the second, and so on: measured at 330 guesses of expert, `safe`, with 600 deals
/// each, by split halves (`results/solver.md`, "Playing on").
const PRIORS: [Prior; OTHERS] = [
    Prior { mean: -0.005, deviation: 0.011 },
    Prior { mean: -0.010, deviation: 0.017 },
    Prior { mean: -0.021, deviation: 0.019 },
    Prior { mean: -0.026, deviation: 0.020 },
    Prior { mean: -0.031, deviation: 0.020 },
];

/// How far another tile leads, as the deals so far tell it.
#[derive(Clone, Copy, Debug, Default)]
struct Lead {
    deals: usize,
    sum: f64,
    squares: f64,
}

impl Lead {
    fn add(&mut self, lead: f64) {
        self.deals += 1;
        self.sum += lead;
        self.squares += lead * lead;
    }

    /// Mean and standard deviation of the true lead, what was known before weighed with what the deals say.
    fn judged(&self, prior: Prior) -> (f64, f64) {
        let deals = self.deals.max(1) as f64;
        let mean = self.sum / deals;
        // Few deals that happen to agree do not prove that all do: as if two more had differed by a tenth.
        let variance = (self.squares - deals * mean * mean + 0.02).max(0.0) / (deals + 1.0);
        let (told, before) = (deals / variance, prior.deviation.powi(-2));
        ((mean * told + prior.mean * before) / (told + before), (told + before).powf(-0.5))
    }
}

/// The tile to open: `chosen`, or another that wins more when one of these `players`, who are alike, plays on behind it, as far as so many
/// `deals` tell. Each has a thread of its own; how many there are changes nothing but the time. The engine must have solved `board`.
pub(crate) fn choose<P: Strategy>(
    engine: &mut Engine,
    board: &Board,
    chosen: Cell,
    players: &mut [P],
    deals: usize,
) -> Cell {
    let deals = deals * TILES / board.size().tiles().max(TILES);
    let candidates = candidates(engine, board, chosen);
    // A total that is not known cannot be dealt, nor tiles that may be anything be played on.
    let is_told =
        board.mines().is_some() && board.tiles().iter().all(|tile| tile.is_covered() || tile.number().is_some());
    if candidates.len() < 2 || deals < 2 * ROUND || !is_told {
        return chosen;
    }
    let Some(mut table) = Table::new(board, players, &candidates, SEED) else { return chosen };
    // The lead of the first, over itself, is none.
    let mut leads = vec![Lead::default(); candidates.len()];
    let judged = |leads: &[Lead], place: usize| match place {
        0 => (0.0, 0.0),
        _ => leads[place].judged(PRIORS[place - 1]),
    };
    let mut in_play: Vec<usize> = (0..candidates.len()).collect();
    let mut leader = 0;
    for _ in 0..deals / ROUND {
        let Some(told) = table.deals(&in_play, ROUND) else { return chosen };
        for worth in told {
            for (&place, worth_of) in in_play.iter().zip(&worth) {
                leads[place].add(worth_of - worth[0]);
            }
        }
        let lead = |place: &usize| judged(&leads, *place).0;
        leader = in_play.iter().copied().max_by(|one, other| lead(one).total_cmp(&lead(other))).unwrap_or(0);
        let highest = lead(&leader);
        in_play.retain(|&place| {
            let (mean, deviation) = judged(&leads, place);
            place == 0 || mean + HOPELESS * deviation > highest
        });
        if in_play.len() == 1 {
            break;
        }
    }
    candidates[leader]
}

/// `chosen`, and the tiles that are best by two openings, one of those worth the same to the last digit.
pub(crate) fn candidates(engine: &mut Engine, board: &Board, chosen: Cell) -> Vec<Cell> {
    engine.chain();
    let engine = &*engine;
    let size = board.size();
    let safety = |cell: Cell| 1.0 - engine.risk[size.index(cell)];
    let covered = || board.cells_where(|tile| tile.is_covered());
    let highest = covered().map(safety).fold(0.0, f64::max);
    let mut numbers = Numbers::default();
    let mut worth = |cell: Cell| -> f64 {
        let shown = numbers.of(engine, &engine.position, size.index(cell) as u32);
        shown.iter().map(|shown| shown.chance * (0.8 * shown.safest + 0.2 * shown.second)).sum()
    };
    let close = covered().filter(|&cell| cell != chosen && safety(cell) >= BAND * highest);
    let mut close: Vec<(f64, Cell)> = close.map(|cell| (worth(cell), cell)).collect();
    close.sort_by(|one, other| other.0.total_cmp(&one.0));
    // Tiles worth the same are mostly alike: one of them will do.
    close.dedup_by(|one, other| (one.0 - other.0).abs() < 1e-12);
    std::iter::once(chosen).chain(close.into_iter().map(|(_, cell)| cell).take(OTHERS)).collect()
}

/// Deals the mines of one position again and again, and plays on behind its candidates.
///
/// All candidates are judged by the same deals. Where a candidate is a mine, there is nothing to play, and how often that is so is
/// known: with the safety s of the candidate, m about the worth w of any game here, and 1 where it is safe in this deal, s m + 1 (w - m) has
/// the same mean as 1 w and does not know how often the deals happened to hit it. Half of the variance of a lead goes so.
pub(crate) struct Table<'a, P> {
    board: &'a Board,
    candidates: &'a [Cell],
    lots: Xoshiro256PlusPlus,
    position: Engine,
    /// Whoever plays, and what is counted of the positions behind.
    seats: Vec<(&'a mut P, Engine)>,
    /// Games played so far, and the sum of what they were worth.
    played: (f64, f64),
}

/// Where the mines are, and a seed for where else they may be.
type Deal = (Vec<Cell>, u64);

impl<'a, P: Strategy> Table<'a, P> {
    /// For a board whose mines are told, dealt by lots of `seed` and the board to players who are alike; `None` where its explanations cannot be drawn.
    pub fn new(board: &'a Board, players: &'a mut [P], candidates: &'a [Cell], seed: u64) -> Option<Self> {
        let lots = lots(seed, board);
        let mut position = Engine::default();
        position.solve_where(board, None)?;
        let seats = players.iter_mut().map(|player| (player, Engine::default())).collect();
        // As if one game had been played, of even chances.
        Some(Self { board, candidates, lots, position, seats, played: (1.0, 0.5) })
    }

    /// What so many further deals say of these candidates, by their places: of each deal chances of winning, in the mean of many deals.
    pub fn deals(&mut self, places: &[usize], count: usize) -> Option<Vec<Vec<f64>>> {
        let Self { board, candidates, lots, position, seats, played } = self;
        let size = board.size();
        let dealt: Vec<Deal> = (0..count)
            .map(|_| {
                let mines = position.draw(lots).into_iter().map(|tile| size.cell(tile as usize)).collect();
                (mines, rand::Rng::next_u64(lots))
            })
            .collect();
        let play = |(player, behind): &mut (&mut P, Engine), dealt: &[Deal]| -> Option<Vec<Vec<Option<f64>>>> {
            let games = |(mines, seed): &Deal| {
                let game = |&place: &usize| {
                    let cell = candidates[place];
                    let is_safe = !mines.contains(&cell);
                    let game = || Game::resumed(board, mines.iter().copied());
                    if is_safe { self::play(&**player, behind, game(), cell, *seed).map(Some) } else { Some(None) }
                };
                places.iter().map(game).collect()
            };
            dealt.iter().map(games).collect()
        };
        let shares = dealt.chunks(dealt.len().div_ceil(seats.len()).max(1));
        let mut shares = seats.iter_mut().zip(shares);
        let own = shares.next();
        let worked: Option<Vec<_>> = thread::scope(|scope| {
            let play = &play;
            let others: Vec<_> = shares.map(|(seat, share)| scope.spawn(move || play(seat, share))).collect();
            let own = own.map(|(seat, share)| play(seat, share));
            let others = others.into_iter().map(|other| other.join().unwrap_or_else(|panic| resume_unwind(panic)));
            own.into_iter().chain(others).collect()
        });
        // Of the deals before: it must not know these.
        let mean = played.1 / played.0;
        let mut told = Vec::with_capacity(count);
        for games in worked?.into_iter().flatten() {
            let worth = |(&place, won): (&usize, &Option<f64>)| {
                let expected = (1.0 - position.risk[size.index(candidates[place])]) * mean;
                expected + won.map_or(0.0, |won| won - mean)
            };
            told.push(places.iter().zip(&games).map(worth).collect());
            for won in games.into_iter().flatten() {
                *played = (played.0 + 1.0, played.1 + won);
            }
        }
        Some(told)
    }
}

/// The chance that `player` wins `game`, in which `cell` is safe and opened next, by its chances.
fn play(player: &dyn Strategy, behind: &mut Engine, mut game: Game, cell: Cell, seed: u64) -> Option<f64> {
    let size = game.board().size();
    let mut chance = 1.0;
    game.open(cell);
    while game.state() == State::Playing {
        let decision = player.decide(game.board()).ok()?;
        let guess = *decision.open.first()?;
        if let Reason::Guess { risk, .. } = decision.reason {
            chance *= 1.0 - risk;
            if game.is_mine(guess) {
                if chance == 0.0 {
                    return Some(0.0);
                }
                behind.solve_where(game.board(), Some(guess))?;
                let mines = behind.draw(&mut lots(seed, game.board()));
                game.lay_again(mines.into_iter().map(|tile| size.cell(tile as usize)));
            }
        }
        decision.open.into_iter().for_each(|cell| _ = game.open(cell));
    }
    Some(if game.state() == State::Won { chance } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::Setup;
    use crate::solver::strategies::LowestRisk;

    /// Nothing is certain here, and tiles differ.
    const POSITIONS: [&str; 3] =
        ["5 4 4\n#####\n#1###\n###2#\n#####", "6 3 4\n##1###\n######\n##1###", "4 4 3\n##1#\n####\n#2##\n####"];

    /// All explanations, by trying every arrangement.
    fn explanations(board: &Board) -> Vec<Vec<Cell>> {
        let covered: Vec<Cell> = board.cells_where(|tile| tile.is_covered()).collect();
        let arrangements = (0u32..1 << covered.len()).filter(|laid| Some(laid.count_ones()) == board.mines());
        let laid = arrangements
            .map(|laid| (0..covered.len()).filter(|bit| laid >> bit & 1 == 1).map(|bit| covered[bit]).collect());
        let explains = |mines: &Vec<Cell>| {
            board.numbers().all(|(cell, number)| {
                board.size().neighbours(cell).filter(|other| mines.contains(other)).count() == usize::from(number)
            })
        };
        laid.filter(explains).collect()
    }

    /// The share of all explanations that `player` wins, opening `first`.
    fn counted(board: &Board, player: &dyn Strategy, first: Cell) -> f64 {
        let all = explanations(board);
        let won = all.iter().filter(|mines| {
            let mut game = Game::resumed(board, mines.iter().copied());
            game.open(first);
            while game.state() == State::Playing {
                let decision = player.decide(game.board()).unwrap();
                decision.open.into_iter().for_each(|cell| _ = game.open(cell));
            }
            game.state() == State::Won
        });
        won.count() as f64 / all.len() as f64
    }

    #[test]
    fn deals_say_what_counting_all_explanations_says() {
        let mut players = [LowestRisk::new(&Setup::default())];
        let player = LowestRisk::new(&Setup::default());
        for text in POSITIONS {
            let board: Board = text.parse().unwrap();
            let cells: Vec<Cell> = board.cells_where(|tile| tile.is_covered()).collect();
            let places: Vec<usize> = (0..cells.len()).collect();
            let mut table = Table::new(&board, &mut players, &cells, 1).unwrap();
            let mut told = vec![Lead::default(); cells.len()];
            for worth in table.deals(&places, 2_000).unwrap() {
                told.iter_mut().zip(worth).for_each(|(told, worth)| told.add(worth));
            }
            for (told, &cell) in told.iter().zip(&cells) {
                let (mean, exact) = (told.sum / 2_000.0, counted(&board, &player, cell));
                let deviation = ((told.squares / 2_000.0 - mean * mean).max(0.0) / 2_000.0).sqrt();
                assert!((mean - exact).abs() < 5.0 * deviation + 1e-9, "{text}\n{cell}: {mean} for {exact}");
            }
        }
    }

    #[test]
    fn the_tile_that_wins_most_is_opened_and_the_same_again() {
        let players_of = |count: usize| vec![LowestRisk::new(&Setup::default()); count];
        let player = LowestRisk::new(&Setup::default());
        for text in POSITIONS {
            let board: Board = text.parse().unwrap();
            let mut engine = Engine::default();
            engine.solve_where(&board, None).unwrap();
            let covered = || board.cells_where(|tile| tile.is_covered());
            let worst = covered().max_by(|one, other| {
                let risk = |cell: &Cell| engine.risk[board.size().index(*cell)];
                risk(one).total_cmp(&risk(other))
            });
            let worst = worst.unwrap();
            let chosen = choose(&mut engine, &board, worst, &mut players_of(1), 1_000);
            assert!(counted(&board, &player, chosen) > counted(&board, &player, worst), "{text}");
            for players in 1..=3 {
                let again = choose(&mut engine, &board, worst, &mut players_of(players), 1_000);
                assert_eq!(again, chosen, "{text}");
            }
        }
    }

    #[test]
    fn what_cannot_be_dealt_is_left_as_it_was_chosen() {
        let mut players = [LowestRisk::new(&Setup::default())];
        for text in ["5 4 ?\n#####\n#1###\n###2#\n#####", "5 4 4\n#####\n#1###\n###2#\n~####"] {
            let board: Board = text.parse().unwrap();
            let mut engine = Engine::default();
            engine.solve_where(&board, None).unwrap();
            let cell = Cell::new(4, 3);
            assert_eq!(choose(&mut engine, &board, cell, &mut players, 1_000), cell, "{text}");
        }
    }
}
