//! Looks → what they mean, by counting.
//!
//! Nothing is known of a look but where it was seen. A labelling gives every look of an open tile a number; how well it explains a
//! board is the chance that mines laid at random agree with it ([`log_chance`](crate::solver::probability::log_chance)), and labellings are judged by the product over all
//! games (Bayes, every labelling being as likely before). Most are plainly impossible: no number is larger than the tiles that could
//! hold its mines.
//!
//! Where a lost game shows all its mines the numbers can simply be counted. That it did is believed when every look that was seen
//! around it has one count, and never two.

mod belief;
mod counted;
mod endings;
mod likely;
mod repainted;

pub use belief::{BELIEVED, Contradiction, Game, Known, Labelling, Meaning, Meanings};
pub use likely::under_way;

use crate::board::Tile;
use crate::geometry::Cell;
use crate::solver::probability::risks;
use crate::vision::unknown::looks::LookId;
use belief::seen;
use counted::{Totals, shown_mines};
use endings::name_endings;
use likely::{Drawing, NEGLIGIBLE, labellings, may_be, possible_at_the_end, weight};
use std::collections::{BTreeMap, BTreeSet};

/// What the looks mean.
///
/// # Errors
/// No labelling explains the games: looks were taken for one that are two, or the grid is wrong, or this is no Minesweeper.
pub fn meanings(known: &Known, games: &[Game]) -> Result<Meanings, Contradiction> {
    let known = &Known { mute: known.mute.union(&known.aside).copied().collect(), ..known.clone() };
    let repainted = repainted::repainted(known, games);
    let (as_shown, games) = (games, &repainted::restored(games, &repainted));
    let open: BTreeSet<LookId> = games
        .iter()
        .flat_map(|game| &game.running)
        .filter(|look| !known.may_hide_a_mine(**look))
        .flatten()
        .copied()
        .collect();
    let mut meanings = Meanings::default();
    for &look in &known.hit {
        let seen = seen(games, look);
        // No number would pass for a mine on each of them: once in ten is what is held here of one (chosen, not measured).
        meanings.of.insert(look, Meaning { tile: Tile::Exploded, wrong: 0.1f64.powi(seen.0.min(99) as i32), seen });
    }
    let mut counted: BTreeMap<LookId, (u8, f64)> = BTreeMap::new();
    for &look in &known.zeros {
        counted.insert(look, (0, 0.0));
    }
    for (&look, tile) in &known.told {
        match tile {
            Tile::Open(number) => drop(counted.insert(look, (*number, 0.0))),
            tile => drop(meanings.of.insert(look, Meaning { tile: *tile, wrong: 0.0, seen: seen(games, look) })),
        }
    }
    let mut totals = Totals::default();
    let shown = shown_mines(known, games, &open);
    for (game, shown) in games.iter().zip(&shown) {
        let (Some(shown), Some((ending, _))) = (shown, &game.ending) else { continue };
        if ending.iter().all(Option::is_some) && shown.maybe.is_empty() {
            totals.add(game.size, shown.cells.len());
        }
        let counts = shown.counts(game.size, known, &[&game.running[..], &ending[..]]);
        let tells = |look: &LookId| open.contains(look) && !known.mute.contains(look);
        for (look, counts) in counts.into_iter().filter(|(look, _)| tells(look)) {
            let number = *counts.iter().next().unwrap_or(&0);
            if counted.insert(look, (number, shown.wrong)).is_some_and(|(before, _)| before != number) {
                return Err(Contradiction::of(look, "has two numbers around it"));
            }
        }
    }
    let strange = marks_among(&counted, known, games);
    counted.retain(|look, _| !strange.contains(look));
    let known = &Known { mute: known.mute.union(&strange).copied().collect(), ..known.clone() };
    let by = |drawing: Drawing, totals: &Totals| labellings(known, games, &counted, &totals.agreed(), drawing);
    let alike = match by(Drawing::Alike, &totals) {
        // What shows of the mines at the end of games may not be all of them.
        Err(_) if !totals.agreed().is_empty() => {
            totals = Totals::default();
            by(Drawing::Alike, &totals)?
        }
        other => other?,
    };
    meanings.labellings = by(Drawing::Otherwise, &totals)?;
    let named = open.iter().filter_map(|&look| {
        let share_of = |labellings: &[Labelling], number: u8| -> f64 {
            labellings.iter().filter(|(labels, _)| labels.get(&look) == Some(&number)).map(|(_, share)| share).sum()
        };
        // It must be sure by both.
        let shares =
            (0..=8).map(|number| (number, share_of(&alike, number).min(share_of(&meanings.labellings, number))));
        let (number, share) = shares.max_by(|a, b| a.1.total_cmp(&b.1))?;
        let wrong = counted.get(&look).map_or((1.0 - share).max(NEGLIGIBLE), |(_, wrong)| *wrong);
        (wrong <= BELIEVED).then_some((look, (number, wrong)))
    });
    let (sure, likely): (BTreeMap<LookId, (u8, f64)>, BTreeMap<_, _>) =
        named.partition(|(look, _)| counted.contains_key(look));
    let numbers = likely.iter().map(|(&look, &(number, _))| (look, number)).collect();
    let possible = possible_at_the_end(known, games, &counted.keys().copied().collect(), numbers);
    let likely = likely.into_iter().filter(|(look, _)| possible.contains_key(look));
    for (look, (number, wrong)) in sure.into_iter().chain(likely) {
        meanings.of.insert(look, Meaning { tile: Tile::Open(number), wrong, seen: seen(games, look) });
    }
    name_endings(known, games, &shown, &open, &mut meanings, &mut totals);
    let mines = totals.agreed();
    let fits = |(labels, _): &Labelling| weight(known, games, labels, &mines).is_some();
    meanings.mines = if meanings.labellings.first().is_some_and(fits) { mines } else { BTreeMap::new() };
    no_more_mines(games, &meanings)?;
    // What is told of numbers that no game shows is believed as it is.
    for (&look, tile) in known.told.iter().filter(|(_, tile)| matches!(tile, Tile::Open(_))) {
        meanings.of.entry(look).or_insert(Meaning { tile: *tile, wrong: 0.0, seen: seen(games, look) });
    }
    for (&look, tile) in known.hidden.iter().map(|look| (look, &Tile::Hidden)).chain(&known.marks) {
        meanings.of.insert(look, Meaning { tile: *tile, wrong: 0.0, seen: seen(games, look) });
    }
    // Hidden tiles may be painted like empty ones then: mines that show around them say that they count some.
    let shows_otherwise = |look: LookId, tile: Tile| {
        as_shown.iter().zip(&shown).any(|(game, shown)| {
            let (Some((ending, _)), Some(shown)) = (&game.ending, shown) else { return false };
            let counts = shown.counts(game.size, known, &[ending]).remove(&look);
            counts.into_iter().flatten().any(|count| tile != Tile::Open(count))
        })
    };
    for (&look, was) in &repainted {
        if let Some(&Meaning { tile, wrong, .. }) = meanings.of.get(was)
            && !shows_otherwise(look, tile)
        {
            meanings.of.insert(look, Meaning { tile, wrong, seen: seen(as_shown, look) });
        }
    }
    Ok(meanings)
}

/// Looks that count no mines but stand beside hidden tiles, where others that count none never do: these open what is around them, so those are
/// marks that were held to be open.
fn marks_among(counted: &BTreeMap<LookId, (u8, f64)>, known: &Known, games: &[Game]) -> BTreeSet<LookId> {
    let none = counted.iter().filter(|(_, (number, _))| *number == 0).map(|(look, _)| *look);
    let (empty, beside): (BTreeSet<LookId>, BTreeSet<LookId>) = none.partition(|&look| may_be(known, games, look, 0));
    let is_told = |look: &LookId| known.zeros.contains(look) || known.told.contains_key(look);
    if empty.is_empty() { BTreeSet::new() } else { beside.into_iter().filter(|look| !is_told(look)).collect() }
}

/// Around no number more mines show at the end of a lost game than it counts: fewer may, for some clients show only a part of them.
fn no_more_mines(games: &[Game], meanings: &Meanings) -> Result<(), Contradiction> {
    let tile = |look: Option<LookId>| look.and_then(|look| meanings.of.get(&look)).map(|meaning| meaning.tile);
    let lost = games.iter().zip(&meanings.won).filter(|(_, won)| **won == Some(false));
    for (game, (ending, _)) in lost.filter_map(|(game, _)| Some((game, game.ending.as_ref()?))) {
        let size = game.size;
        let is_mine = |cell: &Cell| tile(ending[size.index(*cell)]).is_some_and(Tile::is_shown_mine);
        for (index, look) in game.running.iter().enumerate() {
            if let (Some(look), Some(Tile::Open(number))) = (look, tile(*look))
                && !is_mine(&size.cell(index))
                && size.neighbours(size.cell(index)).filter(is_mine).count() > usize::from(number)
            {
                return Err(Contradiction::of(*look, "has more mines around it than it counts"));
            }
        }
    }
    Ok(())
}

/// The risk of every covered tile (0..1) of a game under way, by all labellings that are still possible, each by its share; nothing
/// where none can be worked out.
pub fn risk(known: &Known, before: &Meanings, game: &Game) -> Option<Vec<(Cell, f64)>> {
    let (size, looks) = (game.size, &game.running);
    let mines = before.mines.get(&size).copied();
    let mut sums: BTreeMap<usize, f64> = BTreeMap::new();
    let mut all = 0.0;
    for (labels, share) in under_way(known, before, game).ok()?.iter().take(6) {
        let Some(risks) = known.board(size, looks, labels, mines).and_then(|board| risks(&board).ok()) else {
            continue;
        };
        all += share;
        for (index, _) in looks.iter().enumerate().filter(|(_, look)| known.is_covered(**look)) {
            *sums.entry(index).or_default() += share * risks.risk(size.cell(index)).unwrap_or(1.0);
        }
    }
    (all > 0.0).then(|| sums.into_iter().map(|(index, sum)| (size.cell(index), sum / all)).collect())
}

#[cfg(test)]
mod tests;
