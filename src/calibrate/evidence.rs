//! What was seen of a client that is being learned: pictures of its boards, each with its grid, and what their tiles look like.

mod extent;
mod hidden;
mod panel;
mod place;
mod telling;

pub use extent::{at_side, fitted};
pub use place::{FAMILIAR, NUDGE, SHIFT, WIDEST_RIM, hidden_share, shifted};
pub use telling::FLOOD;

use super::meaning::{Contradiction, Game, Known, Meanings, meanings};
use crate::board::Tile;
use crate::geometry::Cell;
use crate::vision::Grid;
use crate::vision::unknown::looks::{ALIKE, COVERED, LookId, Looks, TINT};
use image::RgbaImage;
use std::collections::{BTreeMap, BTreeSet};

/// [`COVERED`] where something was just taken away from over a board: a loss shows one tile alone that is new, or two.
const STILL_COVERED: usize = 3;
/// Of so many empty tiles one has nothing covered around it, also where a program forgets the corners.
const FREE: usize = 4;
/// Empty tiles of a program that does so which must have been seen. Chosen: an opening has as many.
const TELLING_EMPTY: usize = 8;
/// So many tiles that were opened each by a click of its own: with a fifth of mines every eighth is an empty one, and none of so many in seven runs of a
/// hundred. It is asked only where nothing else explains the games.
const ALONE: usize = 20;
/// Grey levels by which one hidden tile may be lighter than another where nothing shines through them: one whose edges lie a little otherwise is.
const EVEN: f32 = 2.0;

/// A picture of a board.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The board and what is around it.
    pub picture: RgbaImage,
    /// Where its tiles are.
    pub grid: Grid,
    /// Tiles over which something lies, row by row.
    pub covered: Vec<bool>,
    /// What every tile looks like; nothing for one that is covered.
    pub looks: Vec<Option<LookId>>,
}

impl Scene {
    /// Whether something lies over a part of the board.
    pub fn is_covered(&self) -> bool {
        self.covered.contains(&true)
    }
}

/// A game that was played to learn.
#[derive(Clone, Debug)]
pub struct Record {
    /// Before the last click that did anything.
    pub running: Scene,
    /// At the end.
    pub ending: Scene,
    /// Where it was clicked last.
    pub clicked: Cell,
    /// All tiles that answered a click.
    pub pressed: Vec<Cell>,
    /// How many clicks did anything.
    pub clicks: usize,
    /// How many tiles the first of them changed.
    pub opened_first: usize,
    /// How many tiles were open before that.
    pub open_at_start: usize,
}

impl Record {
    /// It as looks.
    pub fn game(&self) -> Game {
        let ending = Some((self.ending.looks.clone(), self.clicked));
        Game { size: self.running.grid.size(), running: self.running.looks.clone(), ending }
    }
}

/// Everything that was seen.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// Grey levels up to which two tiles look alike.
    alike: f32,
    /// Grey levels by which one may be lighter all over than the other.
    lighter: f32,
    /// Pixels at every side of a tile that say nothing of what it is.
    rim: u32,
    /// What tiles look like.
    pub looks: Looks,
    /// What is known of that without counting.
    pub known: Known,
    /// The games so far.
    pub games: Vec<Record>,
    /// Other pictures: untouched boards, and marks.
    pub others: Vec<Scene>,
}

impl Default for Evidence {
    fn default() -> Self {
        let looks = Looks::new(ALIKE);
        let (known, games, others) = Default::default();
        Self { alike: ALIKE, lighter: TINT, rim: 0, looks, known, games, others }
    }
}

/// Numbers that two games must have in common to be one: that two boards have so many is less likely than one in a million.
const TELLING: usize = 12;
/// Tiles of one look that must have been clicked for it to be that of mines in games that went on.
const HITS: usize = 3;
/// So many tiles that show after a first click tell a game from others.
const SHOWN: usize = 4;

impl Evidence {
    /// What these pictures show, of a client of which columns or rows may `grow`.
    pub fn of((alike, lighter, rim): (f32, f32, u32), grow: bool, others: Vec<Scene>, games: Vec<Record>) -> Self {
        let mut evidence = Self { alike, lighter, rim, others, games, ..Self::default() };
        evidence.looks.grows = grow;
        evidence.sort_again(1.0);
        evidence
    }

    /// What every look means, by all games.
    ///
    /// # Errors
    /// Nothing explains them.
    pub fn meanings(&self) -> Result<Meanings, Contradiction> {
        let framed = self.framed();
        let mut found = meanings(&self.known, &self.as_looks(&framed))?;
        let mines: Vec<LookId> = found.of_tile(Tile::Mine).collect();
        let hits: Vec<LookId> = found.of_tile(Tile::Exploded).collect();
        for hit in hits {
            // A mine that has but another line around it than others is one that was named: by a flag, or by the click.
            if mines.iter().any(|mine| self.looks.are_alike_inside(hit, *mine)) {
                found.of.entry(hit).and_modify(|meaning| meaning.tile = Tile::Mine);
            } else if self.known.hidden.iter().any(|hidden| self.looks.are_alike_inside(hit, *hidden)) {
                // A hidden tile that has but a line around it was clicked when the game was over.
                found.of.remove(&hit);
            }
        }
        for (framed, open) in framed {
            if let Some(meaning) = found.of.get(&open).cloned() {
                found.of.entry(framed).or_insert(meaning);
            }
        }
        Ok(found)
    }

    /// Width and height of the tiles of its boards, in pixels; nothing before there is one.
    pub fn pitch(&self) -> Option<(f64, f64)> {
        let first = self.others.first().or_else(|| self.games.first().map(|game| &game.running));
        first.map(|scene| scene.grid.pitch())
    }

    /// Grey levels up to which two tiles look alike.
    pub fn alike(&self) -> f32 {
        self.alike
    }

    /// Grey levels by which a tile may be lighter all over than another of its look.
    pub fn lighter(&self) -> f32 {
        self.lighter
    }

    /// Pixels at every side of a tile that say nothing of what it is.
    pub fn rim(&self) -> u32 {
        self.rim
    }

    /// Looks by the same measure, none of which was seen yet.
    fn no_looks(&self) -> Looks {
        Looks::new(self.alike).with_tint(self.lighter).within(self.rim).growing(self.looks.grows)
    }

    /// Tiles that look alike but for how light they are have other looks from now on, where no untouched board needs that; whether that is new.
    pub fn tell_apart(&mut self) -> bool {
        let is_needed = self.lighter == 0.0 || self.tint() > EVEN;
        if !is_needed {
            log::debug!("tiles that are lighter than others are no others by that");
            self.lighter = 0.0;
            self.sort_again(1.0);
        }
        !is_needed
    }

    /// What a picture shows. Looks that are new are kept, but not those of tiles that something lies over: where another window is, or
    /// much is new at once and nothing of it alike.
    pub fn look_at(
        &mut self,
        picture: &RgbaImage,
        grid: &Grid,
        was_covered: bool,
        is_elsewhere: impl FnMut(Cell) -> bool,
    ) -> Scene {
        let covered = self.covered(picture, grid, was_covered, is_elsewhere);
        let looks = self.looks.sort_except(picture, grid, &covered);
        Scene { picture: picture.clone(), grid: grid.clone(), covered, looks }
    }

    fn covered(
        &self,
        picture: &RgbaImage,
        grid: &Grid,
        was_covered: bool,
        mut is_elsewhere: impl FnMut(Cell) -> bool,
    ) -> Vec<bool> {
        let size = grid.size();
        let mut covered = vec![false; size.tiles()];
        if self.looks.count() == 0 {
            return covered;
        }
        let seen = self.looks.recognise(picture, grid);
        let strange: Vec<usize> = (0..seen.len()).filter(|&index| seen[index].is_none()).collect();
        if strange.iter().any(|&index| is_elsewhere(size.cell(index))) {
            covered = size.cells().map(is_elsewhere).collect();
        }
        let strange: Vec<usize> = strange.into_iter().filter(|&index| !covered[index]).collect();
        let most = if was_covered || covered.contains(&true) { STILL_COVERED } else { COVERED };
        let lonely = self.looks.lonely(picture, grid, &strange);
        let elsewhere = covered.iter().filter(|covered| **covered).count();
        log::debug!("{} strange tiles, {lonely} of them alone, {elsewhere} below another window", strange.len());
        // The first opening of all, where no open tile is known, may have many looks: on a backdrop that shines through few of its tiles are alike.
        let was_untouched = |look: LookId| self.others.iter().any(|scene| scene.looks.contains(&Some(look)));
        let is_first = || self.games.is_empty() && (0..self.looks.count()).all(was_untouched);
        if lonely >= most && !is_first() {
            // What a client writes over its own board hangs together: a tile on its own may be the mine that went off.
            let is_its_own = elsewhere == 0;
            let strange: BTreeSet<usize> = strange.into_iter().collect();
            let is_strange = |cell: Cell| strange.contains(&size.index(cell));
            for &index in &strange {
                covered[index] = !is_its_own || size.neighbours(size.cell(index)).any(is_strange);
            }
        }
        covered
    }

    /// Takes out of a picture the open tiles that another one of the same game, after it, shows otherwise: nothing that is open changes, so
    /// these were still being painted. Whether there are any. Where most of all, or of the tiles of one look, are otherwise, the end of the
    /// game painted these anew.
    pub fn settle(&self, scene: &mut Scene, after: &Scene) -> bool {
        let looks = || scene.looks.iter().zip(&after.looks).enumerate();
        let both = looks().filter_map(|(index, (then, now))| Some((index, (*then)?, (*now)?)));
        let open: Vec<_> = both.filter(|(_, then, _)| !self.known.is_covered(Some(*then))).collect();
        let is_repainted = |look: Option<LookId>| {
            let of_it = || open.iter().filter(|(_, then, _)| look.is_none_or(|look| *then == look));
            let changed = of_it().filter(|(_, then, now)| then != now).count();
            changed > 1 && changed * 2 > of_it().count()
        };
        let changed = open.iter().filter(|(_, then, now)| then != now && !is_repainted(Some(*then)));
        let changed: Vec<usize> = changed.map(|(index, _, _)| *index).collect();
        if changed.is_empty() || is_repainted(None) {
            return false;
        }
        log::debug!("{} open tiles were still being painted", changed.len());
        for index in changed {
            (scene.covered[index], scene.looks[index]) = (true, None);
        }
        true
    }

    /// The empty tiles that have hidden ones beside them.
    pub fn dry(&self, scene: &Scene, meanings: &Meanings) -> Vec<Cell> {
        let (looks, size) = (&scene.looks, scene.grid.size());
        let is_empty = |look: LookId| meanings.of.get(&look).is_some_and(|meaning| meaning.tile == Tile::Open(0));
        let is_beside_hidden =
            |cell: &Cell| size.neighbours(*cell).any(|other| self.is_hidden(looks[size.index(other)]));
        size.cells().filter(|&cell| looks[size.index(cell)].is_some_and(is_empty)).filter(is_beside_hidden).collect()
    }

    /// Whether the last game was the one before it once more: what is open in both is the same, and much of it numbers, or looks of which it is not
    /// known yet what they are; or both ended with their first click, and several mines showed in the same places.
    pub fn is_same_again(&self, meanings: &Meanings) -> bool {
        let [.., before, last] = &self.games[..] else { return false };
        self.is_again(before, last, meanings)
    }

    /// Leaves the games out of which the last one is the same once more: what a board shows twice is no more proof than what it shows once.
    pub fn drop_same(&mut self, meanings: &Meanings) {
        let Some(last) = self.games.pop() else { return };
        let games = std::mem::take(&mut self.games);
        self.games = games.into_iter().filter(|game| !self.is_again(game, &last, meanings)).collect();
        self.games.push(last);
    }

    fn is_again(&self, before: &Record, last: &Record, meanings: &Meanings) -> bool {
        if before.running.grid.size() != last.running.grid.size() {
            return false;
        }
        let ended_at_once = |game: &Record| game.clicks == 1 && game.opened_first > 0;
        let shown = last.ending.looks.iter().filter(|look| look.is_some() && !self.known.is_covered(**look)).count();
        let ends_alike = before.clicked == last.clicked && before.ending.looks == last.ending.looks;
        if ended_at_once(before) && ended_at_once(last) && shown >= SHOWN && ends_alike {
            return true;
        }
        let open = |look: &Option<LookId>| look.filter(|look| !self.known.is_covered(Some(*look)));
        let pairs = before.running.looks.iter().zip(&last.running.looks);
        let both = pairs.filter_map(|(one, other)| open(one).zip(open(other)));
        let mut same = 0;
        for (one, other) in both {
            match (meanings.number(one), meanings.number(other)) {
                (Some(one), Some(other)) if one != other => return false,
                (Some(number), Some(_)) => same += usize::from(number > 0),
                _ if one != other => return false,
                _ => same += usize::from(!self.known.zeros.contains(&one)),
            }
        }
        same >= TELLING
    }

    /// Whether tiles of different open looks, and each time more than one of each, look like empty ones at the end: pale figures are one look with
    /// these, then.
    pub fn numbers_turned_empty(&self) -> bool {
        let mut turned: BTreeMap<LookId, usize> = BTreeMap::new();
        for (was, is) in self.games.iter().flat_map(|game| game.running.looks.iter().zip(&game.ending.looks)) {
            if let (Some(was), Some(is)) = (was, is)
                && was != is
                && self.known.zeros.contains(is)
                && !self.known.zeros.contains(was)
                && !self.known.is_covered(Some(*was))
            {
                *turned.entry(*was).or_default() += 1;
            }
        }
        turned.values().filter(|count| **count > 1).count() > 1
    }

    /// Whether no click of any game opened more than its own tile, of so many that one on an empty tile was among them: in some programs these open nothing
    /// around themselves.
    pub fn opens_alone(&self) -> bool {
        let opened = self.games.iter().map(|game| {
            let open =
                game.running.looks.iter().filter(|look| look.is_some() && !self.known.is_covered(**look)).count();
            (open.saturating_sub(game.open_at_start), game.clicks)
        });
        let opened: Vec<(usize, usize)> = opened.collect();
        let all: usize = opened.iter().map(|(open, _)| open).sum();
        self.known.zeros.is_empty() && all >= ALONE && opened.iter().all(|(open, clicks)| open <= clicks)
    }

    /// How many tiles of all games were not opened before the last click.
    pub fn covered_tiles(&self) -> usize {
        let looks = self.games.iter().flat_map(|game| &game.running.looks);
        looks.filter(|look| self.known.is_covered(**look)).count()
    }

    /// How many tiles that answered a click look hidden still in the pictures of games under way: but for those that ended them none is.
    pub fn covered_answers(&self) -> usize {
        let answered = |game: &Record| {
            let looks = game.pressed.iter().map(|cell| game.running.looks[game.running.grid.size().index(*cell)]);
            looks.filter(|look| self.known.is_covered(*look)).count()
        };
        self.games.iter().map(answered).sum()
    }

    /// Sorts all pictures anew, with so many times the measure of what looks alike, or other grids; what is known without counting is carried
    /// over to the looks that the same tiles have now.
    pub fn sort_again(&mut self, measure: f32) {
        let new = self.no_looks().with_alike(self.alike * measure).finely(self.is_fine());
        let old = std::mem::replace(&mut self.looks, new);
        let Evidence { looks, games, others, known, .. } = self;
        let mut called: BTreeMap<LookId, BTreeMap<LookId, usize>> = BTreeMap::new();
        let scenes = games.iter_mut().flat_map(|game| [&mut game.running, &mut game.ending]);
        for scene in others.iter_mut().chain(scenes) {
            let now = looks.sort_except(&scene.picture, &scene.grid, &scene.covered);
            for (then, now) in scene.looks.iter().zip(&now).filter_map(|(then, now)| Some(((*then)?, (*now)?))) {
                *called.entry(then).or_default().entry(now).or_default() += 1;
            }
            scene.looks = now;
        }
        // What most of its tiles are called now, and whatever else many are; where its tiles are others now, what its pictures are.
        let mut now_of = |look: &LookId| -> Vec<LookId> {
            let now = called.remove(look).unwrap_or_default();
            let all: usize = now.values().sum();
            let mut now: Vec<LookId> =
                now.into_iter().filter(|(_, count)| count * 5 >= all).map(|(look, _)| look).collect();
            if now.is_empty() {
                now = old.pictures(*look).filter_map(|picture| looks.find(picture)).collect();
                now.sort_unstable();
                now.dedup();
            }
            now
        };
        let all: BTreeSet<LookId> = known
            .hidden
            .iter()
            .chain(&known.zeros)
            .chain(known.marks.keys())
            .chain(known.told.keys())
            .chain(&known.mute)
            .chain(&known.aside)
            .chain(&known.mines)
            .chain(&known.hit)
            .copied()
            .collect();
        let now: BTreeMap<LookId, Vec<LookId>> = all.iter().map(|look| (*look, now_of(look))).collect();
        let named = |look: &LookId| now[look].iter().copied();
        *known = Known {
            hidden: known.hidden.iter().flat_map(named).collect(),
            zeros: known.zeros.iter().flat_map(named).collect(),
            marks: known.marks.iter().flat_map(|(look, tile)| named(look).map(|look| (look, *tile))).collect(),
            told: known.told.iter().flat_map(|(look, tile)| named(look).map(|look| (look, *tile))).collect(),
            mute: known.mute.iter().flat_map(named).collect(),
            aside: known.aside.iter().flat_map(named).collect(),
            mines: known.mines.iter().flat_map(named).collect(),
            hit: known.hit.iter().flat_map(named).collect(),
            taken: known.taken.clone(),
            opens_alone: known.opens_alone,
        };
        self.drop_numbers();
    }

    /// Takes this for the last game, whatever numbers its looks had when it was seen: to sort again changes them.
    pub fn replace_last(&mut self, mut game: Record) {
        for scene in [&mut game.running, &mut game.ending] {
            scene.looks = self.looks.sort_except(&scene.picture, &scene.grid, &scene.covered);
        }
        if let Some(last) = self.games.last_mut() {
            *last = game;
        }
        self.sort_again(1.0);
    }

    /// What was held to be an empty tile may be a number, or sorted with one by now: around that something always stays covered, its mines. Where only
    /// some have nothing covered around them more than a few must tell it: there is a game in which a 1 opens its four neighbours, too.
    pub fn drop_numbers(&mut self) {
        let Evidence { games, known, .. } = self;
        let mut places: BTreeMap<LookId, (usize, usize)> = BTreeMap::new();
        for Record { running, .. } in games.iter() {
            let size = running.grid.size();
            let is_free = |cell: Cell| {
                let around = size.neighbours(cell).map(|other| running.looks[size.index(other)]);
                around.into_iter().all(|look| look.is_some() && !known.is_covered(look))
            };
            for (index, look) in running.looks.iter().enumerate().filter_map(|(at, look)| Some((at, (*look)?))) {
                let (all, free) = places.entry(look).or_default();
                *all += 1;
                *free += usize::from(is_free(size.cell(index)));
            }
        }
        let is_empty = |(all, free): &(usize, usize)| free == all || *all >= TELLING_EMPTY && free * FREE >= *all;
        known.zeros.retain(|look| places.get(look).is_none_or(is_empty));
    }

    /// Looks that may be those of mines which clicks hit in games that went on: on several tiles, each of which was clicked.
    pub fn may_be_hit(&self) -> Vec<LookId> {
        let mut clicked: BTreeMap<LookId, (usize, bool)> = BTreeMap::new();
        for game in &self.games {
            let size = game.running.grid.size();
            for (index, look) in game.running.looks.iter().enumerate().filter_map(|(at, look)| Some((at, (*look)?))) {
                let (tiles, is_always) = clicked.entry(look).or_insert((0, true));
                *tiles += 1;
                *is_always &= game.pressed.contains(&size.cell(index));
            }
        }
        clicked.retain(|look, (tiles, is_always)| {
            *tiles >= HITS && *is_always && !self.known.is_covered(Some(*look)) && !self.known.zeros.contains(look)
        });
        clicked.into_keys().collect()
    }

    /// Whether a look is on one open tile of a game at most, and on none that was opened by a click.
    pub fn is_single(&self, look: LookId) -> bool {
        self.games.iter().all(|game| {
            let places = game.running.looks.iter().filter(|other| **other == Some(look)).count();
            let at = game.running.grid.size().index(game.clicked);
            places <= 1 && game.ending.looks[at] != Some(look)
        })
    }
}

#[cfg(test)]
mod tests;
