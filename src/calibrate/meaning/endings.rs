//! What only the end of a game shows: its mines, the one that was hit, what a win puts on them, and how hidden tiles and numbers look then.

use super::belief::{BELIEVED, Game, Known, Meaning, Meanings, seen};
use super::counted::{Shown, Totals};
use crate::board::Tile;
use crate::geometry::{BoardSize, Cell};
use crate::vision::unknown::looks::LookId;
use std::collections::{BTreeMap, BTreeSet};

/// Games after which a look is that of the mine that was hit.
const HIT: usize = 2;

/// What only the end of a game shows: mines, the one that was hit, and how hidden tiles and numbers look then.
pub fn name_endings(
    known: &Known,
    games: &[Game],
    shown: &[Option<Shown>],
    open: &BTreeSet<LookId>,
    meanings: &mut Meanings,
    totals: &mut Totals,
) {
    // Of how many games a look was where a mine was hit, and nowhere else: once may be chance, where a client paints its mines one by one.
    let mut hits: BTreeMap<LookId, usize> = BTreeMap::new();
    for (game, _) in games.iter().zip(shown).filter(|(_, shown)| shown.is_some()) {
        if let Some((look, 1)) = hit_of(game, known, open) {
            *hits.entry(look).or_default() += 1;
        }
    }
    let still = stands_still(games, shown);
    // Of looks that only the end of a won game shows, on how many tiles that were left covered.
    let mut left: BTreeMap<LookId, i32> = BTreeMap::new();
    for (game, shown) in games.iter().zip(shown) {
        let size = game.size;
        let Some((ending, clicked)) = &game.ending else {
            meanings.won.push(None);
            continue;
        };
        let hit = ending[size.index(*clicked)];
        let is_number = hit.is_some_and(|look| meanings.number(look).is_some());
        let covered = left_covered(known, game, open);
        let is_odd = hit.is_some_and(|look| !meanings.of.contains_key(&look) && !known.is_covered(Some(look)));
        // A mine would be counted by the numbers around it.
        let is_no_mine = is_number || is_odd && is_beside_number(game, meanings);
        let is_won = is_no_mine && is_cleared(size, ending, &covered, meanings);
        meanings.odd.extend(hit.filter(|_| is_won && shown.is_none() && !is_number));
        meanings.won.push(if shown.is_some() { Some(false) } else { is_won.then_some(true) });
        if let Some(shown) = shown {
            let alone = hit
                .filter(|_| shown.looks.len() > 1 || !shown.maybe.is_empty())
                .and_then(|hit| hits.get(&hit).copied());
            for &look in &shown.looks {
                let tile = match alone.filter(|_| Some(look) == hit) {
                    Some(times) if times >= HIT && !is_hit_like_others(games, known, open) => Tile::Exploded,
                    // Once it may be either: it stays open.
                    Some(_) => continue,
                    None if still.contains(&look) => continue,
                    None => Tile::Mine,
                };
                meanings.of.entry(look).or_insert(Meaning { tile, wrong: shown.wrong, seen: seen(games, look) });
            }
        } else if is_won {
            if ending.iter().all(Option::is_some) {
                totals.add(size, covered.len());
            }
            for look in covered.iter().filter_map(|&index| ending[index]).filter(|look| !known.is_covered(Some(*look)))
            {
                *left.entry(look).or_default() += 1;
            }
        }
    }
    name_shown(known, games, shown, open, meanings);
    name_fatal(known, games, shown, open, meanings);
    for (game, won) in games.iter().zip(&mut meanings.won) {
        let hit = game.ending.as_ref().and_then(|(ending, clicked)| ending[game.size.index(*clicked)]);
        let is_mine = hit.and_then(|look| meanings.of.get(&look)).is_some_and(|meaning| meaning.tile.is_shown_mine());
        *won = if is_mine { Some(false) } else { *won };
    }
    // What a win puts on a mine is a flag where no loss shows one so, and it cannot be told from a mine before there is a loss.
    let lost = || games.iter().zip(&meanings.won).filter(|(_, won)| **won == Some(false)).map(|(game, _)| game);
    let is_shown_at_a_loss =
        |look: LookId| lost().filter_map(|game| game.ending.as_ref()).any(|(ending, _)| ending.contains(&Some(look)));
    left.retain(|look, _| lost().next().is_some() && !is_shown_at_a_loss(*look));
    for (look, count) in left {
        // Half of the tiles that something else changes would have been open.
        let wrong = 0.5f64.powi(count.min(1000));
        if wrong <= BELIEVED {
            meanings.of.entry(look).or_insert(Meaning { tile: Tile::Flag, wrong, seen: seen(games, look) });
        }
    }
}

/// Looks of mines that are at the same places in all games that show them, while others are not: there the corner of a box lies over a mine.
fn stands_still(games: &[Game], shown: &[Option<Shown>]) -> BTreeSet<LookId> {
    let mut places: BTreeMap<LookId, Vec<BTreeSet<Cell>>> = BTreeMap::new();
    for (game, shown) in games.iter().zip(shown) {
        let (Some((ending, _)), Some(shown)) = (&game.ending, shown) else { continue };
        for &look in &shown.looks {
            let of: BTreeSet<Cell> =
                game.size.cells().filter(|cell| ending[game.size.index(*cell)] == Some(look)).collect();
            places.entry(look).or_default().extend((!of.is_empty()).then_some(of));
        }
    }
    places.retain(|_, games| games.len() > 1);
    let (still, moving): (BTreeMap<LookId, _>, BTreeMap<LookId, _>) =
        places.into_iter().partition(|(_, games)| games.iter().all(|game| *game == games[0]));
    // The same game, dealt again, has all its mines where they were.
    if moving.is_empty() { BTreeSet::new() } else { still.into_keys().collect() }
}

/// What looks like no open or hidden tile where the last click of a game was, and how many tiles of its end have that look.
fn hit_of(game: &Game, known: &Known, open: &BTreeSet<LookId>) -> Option<(LookId, usize)> {
    let (ending, clicked) = game.ending.as_ref()?;
    let hit =
        ending[game.size.index(*clicked)].filter(|look| !open.contains(look) && !known.is_covered(Some(*look)))?;
    Some((hit, ending.iter().filter(|look| **look == Some(hit)).count()))
}

/// Whether the mine that was hit looked like others in some game: then it has no look of its own in this client, and one that is nowhere else
/// in other games is chance.
fn is_hit_like_others(games: &[Game], known: &Known, open: &BTreeSet<LookId>) -> bool {
    games.iter().filter_map(|game| hit_of(game, known, open)).any(|(_, tiles)| tiles > 1)
}

/// What only the end of a lost game shows beside its mines: numbers that it opens or paints anew, and hidden tiles.
fn name_shown(
    known: &Known,
    games: &[Game],
    shown: &[Option<Shown>],
    open: &BTreeSet<LookId>,
    meanings: &mut Meanings,
) {
    /// Where a look was seen, all games together.
    struct Seen {
        counts: BTreeSet<u8>,
        /// What was there before.
        before: BTreeSet<Option<LookId>>,
        tiles: i32,
        wrong: f64,
    }
    let mut looks: BTreeMap<LookId, Seen> = BTreeMap::new();
    for (game, shown) in games.iter().zip(shown) {
        let (Some((ending, _)), Some(shown)) = (&game.ending, shown) else { continue };
        let counts = shown.counts(game.size, known, &[ending]);
        for (look, counts) in counts.into_iter().filter(|(look, _)| !open.contains(look)) {
            let none = Seen { counts: BTreeSet::new(), before: BTreeSet::new(), tiles: 0, wrong: 0.0 };
            let seen = looks.entry(look).or_insert(none);
            let places = (0..ending.len()).filter(|&index| ending[index] == Some(look));
            seen.before.extend(places.clone().map(|index| game.running[index]));
            seen.counts.extend(counts);
            seen.tiles += places.count() as i32;
            seen.wrong = seen.wrong.max(shown.wrong);
        }
    }
    for (look, Seen { counts, before, tiles, wrong }) in looks {
        let was_hidden = |look: &Option<LookId>| look.is_some_and(|look| known.hidden.contains(&look));
        // Half of the tiles would have the count of the first by chance.
        let by_chance = 0.5f64.powi(tiles - 1);
        let (tile, wrong) = match (counts.len(), counts.first()) {
            (1, Some(&number)) => {
                let was_it = |look: &Option<LookId>| {
                    look.and_then(|look| meanings.of.get(&look)).is_some_and(|known| known.tile == Tile::Open(number))
                };
                let is_told = before.iter().any(was_it) || by_chance <= BELIEVED;
                // What was a mark is none that was right.
                if !is_told || !before.iter().all(|look| was_it(look) || was_hidden(look)) {
                    continue;
                }
                (Tile::Open(number), if before.iter().any(was_it) { wrong } else { wrong + by_chance })
            }
            (2.., _) if before.iter().all(was_hidden) => (Tile::Hidden, wrong),
            _ => continue,
        };
        meanings.of.entry(look).or_insert(Meaning { tile, wrong, seen: seen(games, look) });
    }
}

/// A mine that is shown alone, in a client that shows no others, or others that cannot be counted: it ended games, and was never seen in one that
/// went on. Where some games show their mines, those that show none were not lost: a client that counts its open tiles wrongly answers no more. And
/// where several looks ended games not all of them are mines, and it is not told which are; but for two of tiles that take turns.
fn name_fatal(
    known: &Known,
    games: &[Game],
    shown: &[Option<Shown>],
    open: &BTreeSet<LookId>,
    meanings: &mut Meanings,
) {
    if shown.iter().any(Option::is_some) {
        return;
    }
    // What leaves nothing but mines is no loss, whatever the last click looks like.
    let is_loss =
        |game: &Game, shown: &Option<Shown>| shown.is_none() && !leaves_only_mines(known, game, open, meanings);
    let ends = games.iter().zip(shown).filter(|(game, shown)| is_loss(game, shown)).filter_map(|(game, _)| {
        let (ending, clicked) = game.ending.as_ref()?;
        let look = ending[game.size.index(*clicked)].filter(|look| may_be_mines(known, games, *look))?;
        Some((look, (clicked.x + clicked.y) % 2))
    });
    // How often, and on tiles of which turn.
    let mut fatal: BTreeMap<LookId, [usize; 2]> = BTreeMap::new();
    ends.filter(|(look, _)| !open.contains(look) && !known.is_covered(Some(*look)))
        .for_each(|(look, turn)| fatal.entry(look).or_default()[turn as usize] += 1);
    fatal.retain(|_, turns| turns.iter().sum::<usize>() >= 2);
    let take_turns = |(one, other): (&[usize; 2], &[usize; 2])| (0..2).all(|turn| one[turn] == 0 || other[turn] == 0);
    let all: Vec<&[usize; 2]> = fatal.values().collect();
    if all.len() > 2 || all.len() == 2 && !take_turns((all[0], all[1])) {
        return;
    }
    for (look, turns) in fatal {
        let count: usize = turns.iter().sum();
        let wrong = 0.1f64.powi(count as i32 + 1);
        let ends = || games.iter().filter_map(|game| game.ending.as_ref());
        let is_alone = |(ending, _): &(Vec<_>, Cell)| ending.iter().filter(|tile| **tile == Some(look)).count() <= 1;
        let tile = match ends().all(is_alone) {
            true if is_hit_like_others(games, known, open) => continue,
            true => Tile::Exploded,
            false => Tile::Mine,
        };
        meanings.of.entry(look).or_insert(Meaning { tile, wrong, seen: seen(games, look) });
    }
}

/// The tiles that would hold the mines if the click that ended a game won it.
fn left_covered(known: &Known, game: &Game, open: &BTreeSet<LookId>) -> Vec<usize> {
    let Some((ending, clicked)) = &game.ending else { return Vec::new() };
    (0..game.size.tiles())
        .filter(|&index| known.may_hide_a_mine(game.running[index]) && game.size.cell(index) != *clicked)
        .filter(|&index| !ending[index].is_some_and(|look| open.contains(&look)))
        .collect()
}

/// Whether a number shows beside the tile that was clicked last.
fn is_beside_number(game: &Game, meanings: &Meanings) -> bool {
    let Some((ending, clicked)) = &game.ending else { return false };
    let is_number = |look: LookId| meanings.number(look).is_some_and(|number| number > 0);
    game.size.neighbours(*clicked).any(|other| ending[game.size.index(other)].is_some_and(is_number))
}

/// Whether the end of a game leaves nothing covered but what its numbers count, of which it tells at least one.
fn leaves_only_mines(known: &Known, game: &Game, open: &BTreeSet<LookId>, meanings: &Meanings) -> bool {
    let Some((ending, _)) = &game.ending else { return false };
    let is_counted = |look: &LookId| meanings.number(*look).is_some_and(|number| number > 0);
    let covered = left_covered(known, game, open);
    ending.iter().flatten().any(is_counted) && is_cleared(game.size, ending, &covered, meanings)
}

/// Whether nothing but mines is left covered at the end of a game: every number counts exactly these. Where a mine that was hit, or shown, looks
/// like an empty tile, it is not.
fn is_cleared(size: BoardSize, ending: &[Option<LookId>], covered: &[usize], meanings: &Meanings) -> bool {
    let number = |index: usize| ending[index].and_then(|look| meanings.number(look));
    let around = |cell: Cell| size.neighbours(cell).filter(|other| covered.contains(&size.index(*other))).count();
    let is_right = |cell: Cell| number(size.index(cell)).is_none_or(|number| usize::from(number) == around(cell));
    !covered.is_empty() && size.cells().filter(|cell| !covered.contains(&size.index(*cell))).all(is_right)
}

/// Whether a look can be that of mines: no tile that has it at the end of a game was open before, as tiles are that are only painted anew,
/// and where there are several they do not all hang together, as those do that a click opens.
pub fn may_be_mines(known: &Known, games: &[Game], look: LookId) -> bool {
    let ends = games.iter().filter_map(|game| Some((game, game.ending.as_ref()?)));
    ends.into_iter().all(|(game, (ending, clicked))| {
        let size = game.size;
        let has_it: Vec<bool> = ending.iter().map(|at| *at == Some(look)).collect();
        let was_open = |index: usize| game.running[index].is_some() && !known.is_covered(game.running[index]);
        let is_several = has_it.iter().filter(|has_it| **has_it).count() > 2;
        let is_flood = is_several && has_it[size.index(*clicked)] && size.hang_together(&has_it, *clicked);
        !is_flood && !(0..size.tiles()).any(|index| has_it[index] && was_open(index))
    })
}
