//! Labellings, and how likely mines laid at random are to give the boards that were seen under each.

use super::belief::{Contradiction, Game, Known, Labelling, Meanings, seen};
use crate::geometry::{BoardSize, Cell};
use crate::solver::probability::{Unsolved, log_chance};
use crate::vision::unknown::looks::LookId;
use std::collections::{BTreeMap, BTreeSet};

/// Labellings that are followed at a time.
const FOLLOWED: usize = 40;
/// A share of the likeliest labelling's from which on one is dropped: nothing that is likely is surer than that.
pub const NEGLIGIBLE: f64 = 1e-9;

/// What is held of a client before anything is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drawing {
    /// It draws every number in one way.
    Alike,
    /// Where it draws one number in two ways it does so with others, too: what is beside a tile may shine over.
    Otherwise,
}

impl Drawing {
    /// The logarithm of how likely labels are.
    fn of(self, labels: &BTreeMap<LookId, u8>) -> f64 {
        let shown: BTreeSet<u8> = labels.values().copied().collect();
        match (labels.len() - shown.len(), self) {
            (0, _) => 0.0,
            (more, Drawing::Alike) => more as f64 * TWICE.ln(),
            (more, Drawing::Otherwise) => TWICE.ln() + (more - 1) as f64 * AGAIN.ln(),
        }
    }
}

/// The labellings that explain all games, the likeliest first, with their shares.
pub fn labellings(
    known: &Known,
    games: &[Game],
    counted: &BTreeMap<LookId, (u8, f64)>,
    mines: &BTreeMap<BoardSize, u32>,
    drawing: Drawing,
) -> Result<Vec<Labelling>, Contradiction> {
    let fixed: BTreeMap<LookId, u8> = counted.iter().map(|(&look, &(number, _))| (look, number)).collect();
    followed(known, games, vec![(fixed, 0.0)], mines, drawing)
}

/// The labellings that are left when a game is under way, with what the games before it tell.
///
/// # Errors
/// None explains it.
pub fn under_way(known: &Known, before: &Meanings, game: &Game) -> Result<Vec<Labelling>, Contradiction> {
    let games = std::slice::from_ref(game);
    let none = [(BTreeMap::new(), 1.0)];
    let start = if before.labellings.is_empty() { &none[..] } else { &before.labellings[..] };
    let drawing = Drawing::Otherwise;
    let start = start.iter().map(|(labels, share)| {
        let mut labels = labels.clone();
        known.zeros.iter().for_each(|&zero| {
            labels.entry(zero).or_insert(0);
        });
        // How likely the labels are by themselves is in their share already.
        let prior = share.ln() - drawing.of(&labels);
        (labels, prior)
    });
    followed(known, games, start.collect(), &before.mines, drawing)
}

/// Densities of mines that are as likely as each other where their total is not known: from those of large and easy boards to more than any usual level
/// has. With one of them alone labels were believed for how many mines they need: a 2 for a 1 on boards with a quarter of mines.
const DENSITIES: [f64; 4] = [0.1, 0.16, 0.22, 0.3];

/// How likely it is, before anything is counted, that a client shows one number by two looks that are told apart. Without this one label for all looks is the
/// best explanation of few tiles: it asks for the fewest mines, and says nothing of why they look otherwise. Of 300 lots of eight short games on dense boards 8 held a wrong label with 1e-3, and none with this.
const TWICE: f64 = 1e-6;
/// The same of a further look once it does. With [`TWICE`] for each of them a 2 was called a 3, and a 5 a 4, in a client that had several looks for
/// every number; with this alone 4 labels of 798 are wrong of the lots above. So nothing is believed that is not sure by both.
const AGAIN: f64 = 0.2;

/// How well labels explain games: the logarithm of the chance; nothing if they cannot be.
pub fn weight(
    known: &Known,
    games: &[Game],
    labels: &BTreeMap<LookId, u8>,
    mines: &BTreeMap<BoardSize, u32>,
) -> Option<f64> {
    let mut told = 0.0;
    let mut by_density = [0.0; DENSITIES.len()];
    for game in games {
        let total = mines.get(&game.size).copied();
        let board = known.board(game.size, &game.running, labels, total)?;
        let chance = |density: f64| match log_chance(&board, density) {
            Ok(chance) => Some(chance),
            // Too wide to be counted is no contradiction.
            Err(Unsolved::BeyondReach { .. }) => Some(0.0),
            Err(_) => None,
        };
        if total.is_some() {
            told += chance(DENSITIES[0])?;
            continue;
        }
        for (sum, density) in by_density.iter_mut().zip(DENSITIES) {
            *sum += chance(density)?;
        }
    }
    // All games have the same.
    let most = by_density.into_iter().fold(f64::NEG_INFINITY, f64::max);
    let mean = by_density.into_iter().map(|sum| (sum - most).exp()).sum::<f64>() / DENSITIES.len() as f64;
    Some(told + most + mean.ln())
}

/// Labellings with the logarithms of how likely they were before these games → those of them, with labels for all looks that are open in some
/// games, that explain these games best, with their shares.
fn followed(
    known: &Known,
    games: &[Game],
    start: Vec<Labelling>,
    mines: &BTreeMap<BoardSize, u32>,
    drawing: Drawing,
) -> Result<Vec<Labelling>, Contradiction> {
    let weight = |labels: &BTreeMap<LookId, u8>| Some(weight(known, games, labels, mines)? + drawing.of(labels));
    let weighed = |(labels, prior): Labelling| {
        let weight = weight(&labels)? + prior;
        Some(((labels, weight), prior))
    };
    let mut followed: Vec<(Labelling, f64)> = start.into_iter().filter_map(weighed).collect();
    if followed.is_empty() {
        return Err(Contradiction::of_all("the numbers that were counted do not fit together"));
    }
    let labelled = |look: &LookId| followed.iter().any(|((labels, _), _)| labels.contains_key(look));
    let open = games.iter().flat_map(|game| &game.running).filter(|look| !known.may_hide_a_mine(**look)).flatten();
    let new: BTreeSet<LookId> = open.copied().filter(|look| !labelled(look) && !known.mute.contains(look)).collect();
    let mut order: Vec<LookId> = new.into_iter().collect();
    order.sort_by_key(|&look| std::cmp::Reverse(seen(games, look).0));
    for look in order {
        let mut next: Vec<(Labelling, f64)> = Vec::new();
        for ((labels, _), prior) in &followed {
            let is_free = |number: &u8| !known.taken.contains(number) && may_be(known, games, look, *number);
            // That everything is empty would explain any board best where empty tiles may stand beside hidden ones: there no number has two looks.
            let is_given = |number: &u8| known.opens_alone && labels.values().any(|given| given == number);
            for number in (0..=8).filter(is_free).filter(|number| !is_given(number)) {
                let mut labels = labels.clone();
                labels.insert(look, number);
                next.extend(weight(&labels).map(|weight| ((labels, weight + prior), *prior)));
            }
        }
        next.sort_by(|a, b| b.0.1.total_cmp(&a.0.1));
        next.truncate(FOLLOWED);
        let most = next.first().ok_or_else(|| Contradiction::of(look, "can be no number"))?.0.1;
        next.retain(|((_, weight), _)| weight - most > NEGLIGIBLE.ln());
        followed = next;
    }
    let most = followed.iter().map(|((_, weight), _)| *weight).max_by(f64::total_cmp);
    let most = most.ok_or_else(|| Contradiction::of_all("no numbers fit what was seen"))?;
    let all: f64 = followed.iter().map(|((_, weight), _)| (weight - most).exp()).sum();
    Ok(followed.into_iter().map(|((labels, weight), _)| (labels, (weight - most).exp() / all)).collect())
}

/// Whether a look can mean a number, by the tiles around those that have it alone: an empty tile opens all around it, if this client does that, and a
/// mine needs a covered tile.
pub fn may_be(known: &Known, games: &[Game], look: LookId, number: u8) -> bool {
    games.iter().all(|game| {
        let size = game.size;
        let places = game.running.iter().enumerate().filter(|(_, tile)| **tile == Some(look));
        places.map(|(index, _)| index).all(|index| {
            let around = size.neighbours(size.cell(index)).map(|cell| game.running[size.index(cell)]);
            let covered = around.filter(|look| look.is_none() || known.may_hide_a_mine(*look)).count();
            if number == 0 { covered == 0 || known.opens_alone } else { covered >= usize::from(number) }
        })
    })
}

/// On how many hidden tiles that nobody clicked a look came up where games ended and cannot mean this number: fewer tiles around it are others than
/// these `numbers`. A mark or a mine that was held to be open comes up so, with numbers all around.
fn strange_at_the_end(known: &Known, games: &[Game], numbers: &BTreeSet<LookId>, look: LookId, number: u8) -> usize {
    let is_number = |tile: &Option<LookId>| tile.is_some_and(|tile| tile == look || numbers.contains(&tile));
    let ends = games.iter().filter_map(|game| Some((game, game.ending.as_ref()?)));
    let strange = ends.map(|(game, (ending, clicked))| {
        let size = game.size;
        let others = |cell: Cell| size.neighbours(cell).filter(|other| !is_number(&ending[size.index(*other)])).count();
        let came_up = |cell: &Cell| {
            let index = size.index(*cell);
            ending[index] == Some(look) && known.is_covered(game.running[index]) && cell != clicked
        };
        size.cells().filter(came_up).filter(|cell| others(*cell) < usize::from(number)).count()
    });
    strange.sum()
}

/// Of labels that were only found likely those that can be, all of them together, where games ended: what is strangest goes first, for the numbers
/// around it look strange by it. `counted` are those that are more than likely.
pub fn possible_at_the_end(
    known: &Known,
    games: &[Game],
    counted: &BTreeSet<LookId>,
    mut likely: BTreeMap<LookId, u8>,
) -> BTreeMap<LookId, u8> {
    loop {
        let numbers: BTreeSet<LookId> = counted.iter().chain(likely.keys()).copied().collect();
        let strange =
            |(&look, &number): (&LookId, &u8)| (strange_at_the_end(known, games, &numbers, look, number), look);
        match likely.iter().map(strange).max() {
            Some((1.., look)) => likely.remove(&look),
            _ => return likely,
        };
    }
}
