//! Numbers that the end of a game paints anew: on another ground, or paler.

use super::belief::{Game, Known};
use crate::vision::unknown::looks::LookId;
use std::collections::{BTreeMap, BTreeSet};

/// Looks that are painted anew, and tiles on which that is seen, from which it is believed: one may be what lies over a tile.
const LOOKS: usize = 2;
const TILES: usize = 4;

/// Looks that nothing but the end of games shows, and what all tiles that have them looked like before, where they were open: what is open stays what
/// it is. Nothing of those that stand for several: there a board is covered, or all of it looks alike.
pub fn repainted(known: &Known, games: &[Game]) -> BTreeMap<LookId, LookId> {
    let running: BTreeSet<LookId> = games.iter().flat_map(|game| &game.running).flatten().copied().collect();
    let is_open = |look: &LookId| !known.is_covered(Some(*look)) && !known.mute.contains(look);
    let mut before: BTreeMap<LookId, BTreeSet<LookId>> = BTreeMap::new();
    let mut tiles = 0;
    for game in games {
        let Some((ending, _)) = &game.ending else { continue };
        let both = game.running.iter().zip(ending).filter_map(|(was, is)| Some(((*was)?, (*is)?)));
        for (was, is) in both.filter(|(was, is)| is_open(was) && !running.contains(is) && !known.is_covered(Some(*is)))
        {
            before.entry(is).or_default().insert(was);
            tiles += 1;
        }
    }
    let one = |(look, was): (LookId, BTreeSet<LookId>)| {
        was.first().copied().filter(|_| was.len() == 1).map(|was| (look, was))
    };
    let found: BTreeMap<LookId, LookId> = before.into_iter().filter_map(one).collect();
    let numbers: BTreeSet<&LookId> = found.values().collect();
    if numbers.len() >= LOOKS && tiles >= TILES { found } else { BTreeMap::new() }
}

/// The games as if their ends had painted nothing anew.
pub fn restored(games: &[Game], repainted: &BTreeMap<LookId, LookId>) -> Vec<Game> {
    let mut games = games.to_vec();
    for (ending, _) in games.iter_mut().filter_map(|game| game.ending.as_mut()) {
        for look in ending.iter_mut().flatten() {
            *look = repainted.get(look).copied().unwrap_or(*look);
        }
    }
    games
}
