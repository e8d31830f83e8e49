//! Which looks of a game tell something yet: what may still be a hidden tile that is drawn otherwise says nothing.

use super::{Evidence, Record};
use crate::calibrate::meaning::Game;
use crate::geometry::{BoardSize, Cell};
use crate::vision::unknown::looks::LookId;
use std::collections::{BTreeMap, BTreeSet};

/// A game under way: what its tiles look like, which of them answered a click, and its size.
type UnderWay<'a> = (&'a [Option<LookId>], &'a [Cell], BoardSize);

/// Tiles that a click opens together where it was on an empty one.
pub const FLOOD: usize = 3;
/// Tiles of a look that must have nothing hidden beside them.
const SEVERAL: usize = 2;

impl Evidence {
    /// Looks before and after a click in a game that went on: if it opened several tiles, and these hang together, which mines that show do not, it was
    /// on an empty one.
    pub fn note_flood(&mut self, size: BoardSize, before: &[Option<LookId>], after: &[Option<LookId>], at: Cell) {
        let known = &self.known;
        let opened: Vec<bool> =
            before.iter().zip(after).map(|(then, now)| then != now && !known.is_covered(*now)).collect();
        let was_hidden = |(then, opened): &(&Option<LookId>, &bool)| **opened && known.is_covered(**then);
        let is_flood =
            before.iter().zip(&opened).filter(was_hidden).count() >= FLOOD && size.hang_together(&opened, at);
        // Mines stay hidden in a game that goes on: where nothing is, a shade may lie over all of it.
        let is_flood = is_flood && after.iter().any(|look| known.is_covered(*look));
        let look = after[size.index(at)].filter(|look| !known.is_covered(Some(*look)));
        let Some(look) = look.filter(|_| is_flood) else { return };
        // With a line around it for the keyboard it is another look than the empty ones that it opened.
        let came: BTreeSet<LookId> =
            after.iter().zip(&opened).filter(|(_, opened)| **opened).filter_map(|(look, _)| *look).collect();
        let is_alone = after.iter().filter(|other| **other == Some(look)).count() == 1;
        let is_alike = |other: &&LookId| **other != look && self.looks.are_alike_inside(look, **other);
        let mut alike = came.iter().filter(is_alike);
        let inside = alike.next().filter(|_| is_alone && alike.next().is_none()).copied();
        let bare = self.bare(size, after, &opened);
        self.known.zeros.extend([look].into_iter().chain(inside).chain(bare));
    }

    /// Looks of which several tiles were `opened` and none has anything hidden beside it: they count no mine. On a chequered board an empty tile opens such of
    /// the other tone, too.
    fn bare(&self, size: BoardSize, after: &[Option<LookId>], opened: &[bool]) -> Vec<LookId> {
        let may_be_hidden = |cell: Cell| after[size.index(cell)].is_none_or(|look| self.known.is_covered(Some(look)));
        let mut inside: BTreeMap<LookId, usize> = BTreeMap::new();
        let mut beside: BTreeSet<LookId> = BTreeSet::new();
        for cell in size.cells() {
            let Some(look) = after[size.index(cell)] else { continue };
            if size.neighbours(cell).any(may_be_hidden) {
                beside.insert(look);
            } else if opened[size.index(cell)] {
                *inside.entry(look).or_default() += 1;
            }
        }
        // Where nothing hidden is left beside what was opened, hidden tiles may be painted anew.
        let is_left =
            after.iter().zip(opened).any(|(look, opened)| *opened && look.is_some_and(|look| beside.contains(&look)));
        inside.retain(|look, count| is_left && *count >= SEVERAL && !beside.contains(look));
        inside.into_keys().collect()
    }

    /// Looks of tiles that were clicked last which differ from one that is open in some game by their borders only, with that: such a tile may have a line
    /// around it for the keyboard, and is no mine that was hit.
    pub fn framed(&self) -> BTreeMap<LookId, LookId> {
        let running = self.games.iter().flat_map(|game| &game.running.looks).flatten().copied();
        let open: BTreeSet<LookId> = running.filter(|look| !self.known.is_covered(Some(*look))).collect();
        let last = |game: &Record| game.ending.looks[game.ending.grid.size().index(game.clicked)];
        let framed = self.games.iter().filter_map(last).filter_map(|look| {
            let is_new = !open.contains(&look) && !self.known.is_covered(Some(look));
            let mut alike = open.iter().filter(|other| is_new && self.looks.are_alike_inside(look, **other));
            alike.next().filter(|_| alike.next().is_none()).map(|other| (look, *other))
        });
        framed.collect()
    }

    /// The games as looks, those that are `framed` as what they are in their frames.
    pub fn as_looks(&self, framed: &BTreeMap<LookId, LookId>) -> Vec<Game> {
        let doubtful = self.doubtful(None);
        let without =
            |looks: &[Option<LookId>]| looks.iter().map(|look| look.filter(|look| !doubtful.contains(look))).collect();
        let telling = |mut game: Game| {
            game.running = without(&self.telling(&game.running));
            game.ending = game.ending.map(|(mut looks, at)| {
                let last = &mut looks[game.size.index(at)];
                *last = last.map(|look| framed.get(&look).copied().unwrap_or(look));
                (without(&self.telling(&looks)), at)
            });
            game
        };
        self.games.iter().map(Record::game).map(telling).collect()
    }

    /// These looks of a game under way, of which so many tiles answered a click, without those that tell nothing yet.
    pub fn under_way(&self, size: BoardSize, seen: &[Option<LookId>], pressed: &[Cell]) -> Vec<Option<LookId>> {
        let doubtful = self.doubtful(Some((seen, pressed, size)));
        self.telling(seen).into_iter().map(|look| look.filter(|look| !doubtful.contains(look))).collect()
    }

    /// Looks that were on one tile at a time while games were played, and on none that answered a click: they may be open, but also hidden tiles
    /// beside the one that has the keyboard, or below the pointer, which a client may draw otherwise.
    fn doubtful(&self, own: Option<UnderWay>) -> BTreeSet<LookId> {
        let mut most: BTreeMap<LookId, usize> = BTreeMap::new();
        let mut open: BTreeSet<LookId> = BTreeSet::new();
        let games =
            self.games.iter().map(|game| (&game.running.looks[..], &game.pressed[..], game.running.grid.size()));
        // Of the first game nothing is known yet that could be told from others.
        let own = own.filter(|_| !self.games.is_empty());
        for (looks, pressed, size) in games.chain(own) {
            let mut counts: BTreeMap<LookId, usize> = BTreeMap::new();
            for look in looks.iter().flatten() {
                *counts.entry(*look).or_default() += 1;
            }
            for (look, count) in counts {
                let most = most.entry(look).or_default();
                *most = count.max(*most);
            }
            open.extend(pressed.iter().filter_map(|cell| looks.get(size.index(*cell)).copied().flatten()));
        }
        let known = &self.known;
        let is_known = |look: LookId| {
            known.is_covered(Some(look)) || known.zeros.contains(&look) || known.told.contains_key(&look)
        };
        most.retain(|look, most| *most == 1 && !open.contains(look) && !is_known(*look));
        most.into_keys().collect()
    }

    /// These looks of a board without those that were on the first untouched one and on no other of its tiles ever since. They may be numbers of a
    /// game that begins with some, or hidden tiles that look otherwise, as in a last row that is lower: a second board tells.
    pub(super) fn telling(&self, seen: &[Option<LookId>]) -> Vec<Option<LookId>> {
        let Some(first) = self.others.first() else { return seen.to_vec() };
        let games = self.games.iter().flat_map(|game| [&game.running, &game.ending]);
        let boards = || self.others.iter().chain(games.clone()).map(|scene| &scene.looks[..]).chain([seen]);
        let known = &self.known;
        let is_known = |look: LookId| {
            known.is_covered(Some(look)) || known.zeros.contains(&look) || known.told.contains_key(&look)
        };
        let own: BTreeSet<LookId> = first.looks.iter().flatten().copied().filter(|look| !is_known(*look)).collect();
        let stays = |look: LookId| {
            let is_there =
                |(at, other): (usize, &Option<LookId>)| *other != Some(look) || first.looks.get(at) == Some(other);
            boards().all(|looks| looks.iter().enumerate().all(is_there))
        };
        let doubtful: BTreeSet<LookId> = own.into_iter().filter(|look| stays(*look)).collect();
        seen.iter().map(|look| look.filter(|look| !doubtful.contains(look))).collect()
    }
}
