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
    if numbers.len() < LOOKS || tiles < TILES {
        return BTreeMap::new();
    }
    let is_number = |look: &LookId| found.contains_key(look) || running.contains(look) && is_open(look);
    let is_empty = |look: LookId| games.iter().all(|game| shows_empty(known, game, look, &is_number));
    let is_one = |(look, was): &(&LookId, &LookId)| !known.zeros.contains(was) || is_empty(**look);
    found.iter().filter(is_one).map(|(look, was)| (*look, *was)).collect()
}

/// Whether the tiles of a look that were hidden until the end of a game may be empty ones: all around them is a number. Below a shade hidden tiles and empty
/// ones may look alike.
fn shows_empty(known: &Known, game: &Game, look: LookId, is_number: &dyn Fn(&LookId) -> bool) -> bool {
    let Some((ending, _)) = &game.ending else { return true };
    let is_it = |index: usize| ending[index] == Some(look) && known.is_covered(game.running[index]);
    let around = |cell| game.size.neighbours(cell).filter_map(|other| ending[game.size.index(other)]);
    game.size
        .cells()
        .filter(|cell| is_it(game.size.index(*cell)))
        .all(|cell| around(cell).all(|other| is_number(&other)))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{BoardSize, Cell};

    /// Looks by letter: `#` is hidden, `0` empty, `1` and `2` numbers, `m` a mine; `d`, `a` and `b` are what the end makes of the first three.
    fn known_by(running: &str, ending: &str) -> BTreeMap<LookId, LookId> {
        let look = |letter: char| "#012mdab".find(letter);
        let size = BoardSize::new(4, 3);
        let looks = |rows: &str| rows.chars().filter(|letter| !letter.is_whitespace()).map(look).collect::<Vec<_>>();
        let mut known = Known::default();
        known.hidden.extend(look('#'));
        known.zeros.extend(look('0'));
        repainted(&known, &[Game { size, running: looks(running), ending: Some((looks(ending), Cell::new(3, 0))) }])
    }

    #[test]
    fn hidden_tiles_below_a_shade_are_no_empty_ones() {
        let [zero, one, empty, number] = ["0", "1", "d", "a"].map(|letter| "#012mdab".find(letter).unwrap());
        let all = BTreeMap::from([(empty, zero), (number, one)]);
        assert_eq!(known_by("001# 001# 001#", "ddam ddam ddad"), BTreeMap::from([(number, one)]));
        // All of the board is shown.
        assert_eq!(known_by("01## 01## 01##", "dada dada dada"), all);
        assert_eq!(known_by("001# 001# 001#", "ddam ddam ddam"), all);
    }
}
