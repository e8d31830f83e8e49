//! The exact chance of winning, by exhaustive search over sets of explanations.
//!
//! All that a player can know is which arrangements of mines are left. Opening a tile splits those in which it is safe
//! by the number it shows, and loses those in which it is a mine. The worth of a set is the number of its
//! arrangements that are won under best play; sets met again are looked up. Four rules keep the search small and
//! exact: tiles that are safe everywhere are opened at once, all of them, if they tell anything; a *dead* tile, whose
//! number is known already, is never better than one that tells something; no set is won more often than its safest
//! telling tile is safe; and a move is left as soon as the sum of that over what it leads to cannot beat the best one.
//!
//! Where there are too many arrangements for that, only the first move is searched for: its worth is the exact chance
//! of winning if from then on always the safest telling tile is opened. The cost grows with the number of arrangements
//! instead of exploding, and of the chance of winning only 0.2 points are lost (`results/solver.md`).
//!
//! Sets are kept on stacks: the parts of a set lie behind it, and are gone when it is done.
//!
//! ```text
//! members   0 1 2 3 4 5 │ 0 3 │ 1 4 5 │ 1 │ 4 5     explanations, by number
//!           └─ all ───┘   └ 1 ┘ └─ 2 ─┘               a tile shows 1 in {0 3}, 2 in {1 4 5}, and is a mine in 2
//!                                 └─── parts of {1 4 5} by the next tile
//! surveys   all │ {1 4 5} │ ...                      how often each tile is safe, for sets that have to be searched
//! pending   {1 4 5} │ ...                            parts to be searched, the smallest first; {0 3} is plain already
//! known     xor of the words of 1, 4, 5 → won        sets met again, however they came about
//! ```

use super::constraints::{MINE, NONE, Position, SAFE, UNKNOWN};
use super::probability::{Engine, Unsolved};
use crate::board::{Board, Tile};
use crate::game::Rule;
use std::collections::HashMap;

/// Tiles an endgame can have.
const TILES: usize = 128;

/// The best move of an endgame and what it is worth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Worth {
    /// Tile to open next, by its number on the board.
    pub tile: u32,
    /// The chance of winning under best play; where only the first move was searched for, at least that.
    pub win: f64,
    /// The chance that this tile is a mine.
    pub risk: f64,
}

/// How far an endgame is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// At most so many explanations.
    pub explanations: usize,
    /// Up to so many, all ways to go on are searched; beyond, all first moves, and from then on the safest tile is opened.
    pub thorough: usize,
    /// Looks at what a tile shows under one explanation.
    pub looks: usize,
}

/// Searches endgames one after another, without new memory.
#[derive(Clone, Debug, Default)]
pub struct Endgame {
    /// Unknown tiles in play, by their number on the board: first those that can be opened.
    tiles: Vec<u32>,
    /// How many can be opened.
    playable: usize,
    /// Whether explanations may be won alike: some tiles cannot be opened, or an explanation is there more than once.
    has_alike: bool,
    /// Place of a tile of the board in `tiles`.
    place: Vec<u8>,
    /// The mines of each explanation, one bit a tile.
    explanations: Vec<u128>,
    /// For each explanation and tile: 0 for a mine, else one more than the unknown mines that touch it.
    shown: Vec<u8>,
    /// Bytes from one explanation to the next in `shown`.
    stride: usize,
    /// One random word an explanation: sets are known by the exclusive or of their words.
    words: Vec<u64>,
    /// By its exclusive or, how many of a set are won: exactly, or at most.
    known: HashMap<u64, (u32, bool), Plain>,
    /// Members of the sets in work, as a stack.
    members: Vec<u32>,
    /// What is said of them, and the parts still to be searched.
    surveys: Vec<Survey>,
    pending: Vec<Part>,
    /// Sizes of the parts being made, and what their members show.
    sizes: Vec<usize>,
    keyed: Vec<(u64, u32)>,
    met: Vec<u64>,
    table: Vec<u32>,
    /// `shown`, tile by tile.
    columns: Vec<u8>,
    parts: Vec<u128>,
    /// Whether only the first move is searched for.
    is_narrow: bool,
    /// Looks at what a tile shows under one explanation: so far, and at most.
    looks: usize,
    limit: usize,
}

/// Keys are random already.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Plain;

/// See [`Plain`].
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PlainHasher(u64);

impl std::hash::BuildHasher for Plain {
    type Hasher = PlainHasher;

    fn build_hasher(&self) -> PlainHasher {
        PlainHasher(0)
    }
}

impl std::hash::Hasher for PlainHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {}

    fn write_u64(&mut self, word: u64) {
        self.0 = word;
    }
}

/// What a set of explanations says of every tile.
#[derive(Clone, Debug)]
struct Survey {
    safe: [u32; TILES],
    least: [u8; TILES],
    most: [u8; TILES],
}

impl Survey {
    /// Whether the tile can show different numbers.
    #[inline]
    fn tells(&self, place: usize) -> bool {
        self.most[place].saturating_sub(1) > self.least[place]
    }

    /// The most members in which a tile that tells something is safe; 0 if there is none.
    fn highest(&self, stride: usize) -> u32 {
        let (safe, least, most) = (&self.safe[..stride], &self.least[..stride], &self.most[..stride]);
        let tiles = safe.iter().zip(least).zip(most);
        tiles.map(|((&safe, &least), &most)| if most.saturating_sub(1) > least { safe } else { 0 }).fold(0, u32::max)
    }
}

/// A set of explanations that is to be searched.
#[derive(Clone, Copy, Debug)]
struct Part {
    begin: usize,
    end: usize,
    key: u64,
    /// Members won: exactly, or at most.
    won: u32,
    is_exact: bool,
    survey: usize,
}

impl Endgame {
    /// The best move of what is in `engine` (after [`Engine::solve`]) among the tiles that are `openable`, if it is
    /// within `limits`. The total of mines must be known.
    pub fn search(&mut self, engine: &Engine, openable: &dyn Fn(u32) -> bool, limits: Limits) -> Option<Worth> {
        let most = limits.explanations;
        if engine.constraints.mines_left.is_none() || engine.log_explanations > (most as f64 + 0.5).ln() {
            return None;
        }
        let constraints = &engine.constraints;
        // Safe tiles that are not open yet have something to tell, too.
        let covered = |tile: &u32| matches!(constraints.tiles[*tile as usize], UNKNOWN | SAFE);
        self.begin(engine, (0..constraints.tiles.len() as u32).filter(covered), openable)?;
        self.enumerate(engine, most).then_some(())?;
        self.solve(engine, limits)
    }

    /// The best move inside one component that nothing elsewhere can help: its mines are fixed, and no tile of it
    /// touches an unknown tile outside. The chance of winning is that of this component alone.
    pub fn search_enclosed(
        &mut self,
        engine: &Engine,
        component: usize,
        openable: &dyn Fn(u32) -> bool,
        limits: Limits,
    ) -> Option<Worth> {
        let (constraints, most) = (&engine.constraints, limits.explanations);
        let component_of = |tile: u32| {
            let number = constraints.box_of[tile as usize];
            let witness = constraints.boxes.get(number as usize)?.witnesses()[0];
            Some(constraints.witnesses[witness as usize].component as usize)
        };
        let counted: f64 = engine.counter.components[component].log_ways();
        if counted > (most as f64 + 0.5).ln() {
            return None;
        }
        let own = (0..constraints.tiles.len() as u32).filter(|&tile| component_of(tile) == Some(component));
        self.begin(engine, own, openable)?;
        let parts = self.component(engine, component, most)?;
        self.explanations.extend(parts);
        self.solve(engine, limits)
    }

    /// Takes up the tiles of an endgame; nothing if there are too many, or none that can be opened.
    fn begin(
        &mut self,
        engine: &Engine,
        tiles: impl Iterator<Item = u32>,
        openable: &dyn Fn(u32) -> bool,
    ) -> Option<()> {
        self.tiles.clear();
        self.tiles.extend(tiles);
        self.tiles.sort_by_key(|&tile| !openable(tile));
        self.playable = self.tiles.partition_point(|&tile| openable(tile));
        if self.playable == 0 || self.tiles.len() > TILES {
            return None;
        }
        self.has_alike = self.playable < self.tiles.len();
        self.place.clear();
        self.place.resize(engine.constraints.tiles.len(), u8::MAX);
        for (place, &tile) in self.tiles.iter().enumerate().take(TILES) {
            self.place[tile as usize] = place as u8;
        }
        self.explanations.clear();
        Some(())
    }

    /// Where a mine under the first click moved to the first free tile, an explanation that begins with k mines comes
    /// from k + 1 deals: it is taken up so often. False if that depends on tiles that are not in play.
    fn repeat_moved(&mut self, engine: &Engine) -> bool {
        if !engine.position.moved_mine {
            return true;
        }
        let mut lead = Vec::new();
        for (&tile, &place) in engine.constraints.tiles.iter().zip(&self.place) {
            match tile {
                MINE => lead.push(None),
                UNKNOWN if place != u8::MAX => lead.push(Some(1u128 << place)),
                UNKNOWN => return lead.iter().all(Option::is_none),
                _ => break,
            }
        }
        if lead.iter().all(Option::is_none) {
            return true;
        }
        for index in 0..self.explanations.len() {
            let mines = self.explanations[index];
            let begins_with = lead.iter().take_while(|bit| bit.is_none_or(|bit| mines & bit != 0)).count();
            self.explanations.extend(std::iter::repeat_n(mines, begins_with));
        }
        self.has_alike = true;
        true
    }

    /// All explanations of the unknown tiles; false if there are more than `most`.
    fn enumerate(&mut self, engine: &Engine, most: usize) -> bool {
        let constraints = &engine.constraints;
        let mines_left = constraints.mines_left.unwrap_or(0).max(0) as u32;
        self.explanations.push(0);
        for component in 0..constraints.components.len() {
            let Some(parts) = self.component(engine, component, most) else { return false };
            self.parts.clear();
            for &before in &self.explanations {
                let fitting = parts.iter().map(|part| before | part);
                self.parts.extend(fitting.filter(|both| both.count_ones() <= mines_left));
                if self.parts.len() > 50 * most {
                    return false;
                }
            }
            std::mem::swap(&mut self.explanations, &mut self.parts);
        }
        let rest = self.tiles.iter().enumerate();
        let rest = rest.filter(|(_, tile)| {
            constraints.box_of[**tile as usize] == NONE && constraints.tiles[**tile as usize] == UNKNOWN
        });
        let rest: Vec<u128> = rest.map(|(place, _)| 1 << place).collect();
        self.parts.clear();
        for &before in &self.explanations {
            let left = (mines_left - before.count_ones()) as usize;
            if left <= rest.len() {
                subsets(&rest, left, before, &mut self.parts, most + 1);
            }
        }
        std::mem::swap(&mut self.explanations, &mut self.parts);
        self.explanations.len() <= most
    }

    /// The arrangements of mines in one component; `None` if there are more than `most`.
    fn component(&self, engine: &Engine, component: usize, most: usize) -> Option<Vec<u128>> {
        let constraints = &engine.constraints;
        let mut arrangements = Vec::new();
        engine
            .counter
            .assignments(component, &mut |boxes| {
                let mut partial = vec![0u128];
                for &(number, mines) in boxes {
                    let cells = constraints.boxes[number as usize].cells();
                    let bits: Vec<u128> = cells.iter().map(|&cell| 1 << self.place[cell as usize]).collect();
                    let mut next = Vec::new();
                    partial.iter().for_each(|&before| {
                        subsets(&bits, usize::from(mines), before, &mut next, most + 1);
                    });
                    partial = next;
                }
                arrangements.extend(partial);
                arrangements.len() <= most
            })
            .then_some(())?;
        Some(arrangements)
    }

    /// Searches what `explanations` holds.
    fn solve(&mut self, engine: &Engine, limits: Limits) -> Option<Worth> {
        if self.explanations.is_empty() || !self.repeat_moved(engine) {
            return None;
        }
        self.show(&engine.position);
        self.is_narrow = self.explanations.len() > limits.thorough;
        (self.looks, self.limit) = (0, limits.looks);
        self.known.clear();
        self.members.clear();
        self.members.extend(0..self.explanations.len() as u32);
        self.surveys.clear();
        self.pending.clear();
        let part = self.part(0, self.explanations.len());
        let (won, place) = if part.is_exact { (part.won, self.last_move(part)) } else { self.best(part, 0)? };
        let count = self.explanations.len() as f64;
        let bit = 1u128 << place;
        let mines = self.explanations.iter().filter(|mines| **mines & bit != 0).count() as f64;
        Some(Worth { tile: self.tiles[place], win: f64::from(won) / count, risk: mines / count })
    }

    /// The move in a set whose worth is plain: a tile that tells what is left apart, else the safest.
    fn last_move(&self, part: Part) -> usize {
        let survey = self.survey(part.begin, part.end);
        let (_, member) = self.most_alike(part.begin, part.end);
        let is_played_for = |place: usize| !self.has_alike || self.row(member)[place] != 0;
        let rank = |&place: &usize| (is_played_for(place), survey.safe[place], survey.tells(place));
        (0..self.playable).max_by_key(rank).unwrap_or(0)
    }

    /// Fills in what every tile shows under every explanation.
    fn show(&mut self, position: &Position) {
        let tiles = self.playable;
        self.stride = tiles.next_multiple_of(16);
        self.shown.clear();
        self.shown.resize(self.stride * self.explanations.len(), 1);
        let mut around = [([0u8; 8], 0usize); TILES];
        for (place, &tile) in self.tiles.iter().enumerate() {
            let (list, count) = &mut around[place];
            for &other in position.neighbours.of(tile) {
                if usize::from(self.place[other as usize]) < tiles {
                    list[*count] = self.place[other as usize];
                    *count += 1;
                }
            }
        }
        let playable = self.playable_bits();
        for (row, &mines) in self.shown.chunks_exact_mut(self.stride).zip(&self.explanations) {
            let mut left = mines;
            while left != 0 {
                let (list, count) = &around[left.trailing_zeros() as usize];
                list[..*count].iter().for_each(|&other| row[usize::from(other)] += 1);
                left &= left - 1;
            }
            left = mines & playable;
            while left != 0 {
                row[left.trailing_zeros() as usize] = 0;
                left &= left - 1;
            }
        }
        let count = self.explanations.len();
        self.columns.clear();
        self.columns.resize(tiles * count, 0);
        for (member, row) in self.shown.chunks_exact(self.stride).enumerate() {
            for (place, &shown) in row[..tiles].iter().enumerate() {
                self.columns[place * count + member] = shown;
            }
        }
        // The same words every time, so that every run is the same (SplitMix64).
        for index in self.words.len() as u64..self.explanations.len() as u64 {
            let mut word = (index + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            self.words.push(word ^ (word >> 31));
        }
    }

    /// The tiles that can be opened, as bits.
    fn playable_bits(&self) -> u128 {
        u128::MAX >> (TILES - self.playable)
    }

    fn row(&self, member: u32) -> &[u8] {
        let begin = member as usize * self.stride;
        &self.shown[begin..begin + self.stride]
    }

    /// What the members `begin..end` say of every tile.
    fn survey(&self, begin: usize, end: usize) -> Survey {
        let mut survey = Survey { safe: [0; TILES], least: [u8::MAX; TILES], most: [0; TILES] };
        let stride = self.stride;
        let (safe, least, most) = (&mut survey.safe[..stride], &mut survey.least[..stride], &mut survey.most[..stride]);
        // Counted in bytes as long as they hold.
        for block in self.members[begin..end].chunks(255) {
            let mut safe_here = [0u8; TILES];
            let safe_here = &mut safe_here[..stride];
            for &member in block {
                let row = self.row(member);
                for (((safe, least), most), &shown) in safe_here.iter_mut().zip(&mut *least).zip(&mut *most).zip(row) {
                    *safe += u8::from(shown != 0);
                    // A mine shows nothing: wrapped around, it is no minimum.
                    *least = (*least).min(shown.wrapping_sub(1));
                    *most = (*most).max(shown);
                }
            }
            safe.iter_mut().zip(safe_here).for_each(|(safe, here)| *safe += u32::from(*here));
        }
        survey
    }

    /// What is known of the members `begin..end` before they are searched; `surveys` grows where they have to be.
    fn part(&mut self, begin: usize, end: usize) -> Part {
        let count = (end - begin) as u32;
        let mut part = Part { begin, end, key: 0, won: count, is_exact: true, survey: 0 };
        match count {
            0 | 1 => return part,
            2 => {
                part.won = self.value_of_two(begin);
                return part;
            }
            _ => {}
        }
        part.key = self.members[begin..end].iter().fold(0, |key, &member| key ^ self.words[member as usize]);
        if let Some(&(won, is_exact)) = self.known.get(&part.key) {
            (part.won, part.is_exact) = (won, is_exact);
            if is_exact {
                return part;
            }
        }
        self.looks += (end - begin) * self.playable;
        let survey = self.survey(begin, end);
        let highest = survey.highest(self.stride);
        let alike = self.most_alike(begin, end).0;
        if highest == 0 {
            // Nothing can be told apart any more: one of them is played for, with all that are won alike.
            (part.won, part.is_exact) = (alike, true);
            return part;
        }
        part.won = part.won.min(highest.max(alike));
        part.is_exact = false;
        part.survey = self.surveys.len();
        self.surveys.push(survey);
        part
    }

    /// The most members of `begin..end` that are won alike, because their mines lie alike under the tiles that can be
    /// opened, and one of them.
    fn most_alike(&self, begin: usize, end: usize) -> (u32, u32) {
        let members = &self.members[begin..end];
        if !self.has_alike {
            return (1, members[0]);
        }
        let playable = self.playable_bits();
        let mut mines: Vec<(u128, u32)> =
            members.iter().map(|&member| (self.explanations[member as usize] & playable, member)).collect();
        mines.sort_unstable();
        let alike = mines.chunk_by(|one, other| one.0 == other.0).map(|alike| (alike.len() as u32, alike[0].1));
        alike.max_by_key(|(count, _)| *count).unwrap_or((1, members[0]))
    }

    /// Both are won if a tile safe in both tells them apart, else one.
    fn value_of_two(&self, begin: usize) -> u32 {
        let [one, other] = [begin, begin + 1].map(|index| self.members[index]);
        let mines = |member: u32| self.explanations[member as usize] & self.playable_bits();
        if mines(one) == mines(other) {
            return 2;
        }
        let (one, other) = (self.row(one), self.row(other));
        // All of them, without stopping at the first: so many tiles are compared at a time.
        let tells = |(&one, &other): (&u8, &u8)| (one != other) & (one != 0) & (other != 0);
        let tells = one.iter().zip(other).fold(false, |any, both| any | tells(both));
        1 + u32::from(tells)
    }

    /// The members of a part won under best play, and the tile to open for it. Exact if more than `enough`; else
    /// not more than what is returned are won. `None` if the search has become too long.
    fn best(&mut self, part: Part, enough: u32) -> Option<(u32, usize)> {
        if self.looks > self.limit {
            return None;
        }
        let Part { begin, end, .. } = part;
        let count = (end - begin) as u32;
        let survey = &self.surveys[part.survey];
        let highest = survey.highest(self.stride);
        let telling = (0..self.playable).filter(|&place| survey.tells(place));
        if highest == count || (self.is_narrow && part.begin > 0) {
            // All that is safe at once; or else the first of the safest.
            let mut chosen = [0u8; TILES];
            let mut chosen_count = 0;
            for place in telling.filter(|&place| survey.safe[place] == highest) {
                chosen[chosen_count] = place as u8;
                chosen_count += 1;
            }
            let chosen = &chosen[..if highest == count { chosen_count } else { 1 }];
            return Some((self.split(begin, end, chosen, enough, highest)?, chosen[0].into()));
        }
        let mut live = [(0u32, 0u8); TILES];
        let mut live_count = 0;
        for place in telling.filter(|&place| survey.safe[place] > 0) {
            live[live_count] = (survey.safe[place], place as u8);
            live_count += 1;
        }
        let live = &mut live[..live_count];
        live.sort_unstable_by_key(|&(safe, place)| (std::cmp::Reverse(safe), place));
        let (mut best, mut bound) = ((enough, usize::from(live[0].1)), 0);
        if self.has_alike {
            let (alike, member) = self.most_alike(begin, end);
            bound = alike;
            if alike > enough {
                best = (alike, (0..self.playable).find(|&place| self.row(member)[place] != 0).unwrap_or(0));
            }
        }
        for &(safe, place) in &*live {
            if safe <= best.0 {
                bound = bound.max(safe);
                break;
            }
            let won = self.split(begin, end, &[place], best.0, safe)?;
            if won > best.0 {
                best = (won, place.into());
            } else {
                bound = bound.max(won);
            }
        }
        Some(if best.0 > enough { best } else { (bound, best.1) })
    }

    /// The members won if the tiles at `places` are opened next, `safe` at most. Exact if more than `enough`; else not
    /// more than what is returned are won.
    fn split(&mut self, begin: usize, end: usize, places: &[u8], enough: u32, safe: u32) -> Option<u32> {
        let (members, surveys, pending) = (self.members.len(), self.surveys.len(), self.pending.len());
        let most = self.parts(begin, end, places, enough, safe);
        let won = if most > enough { self.finish(pending, most, enough) } else { Some(most) };
        self.members.truncate(members);
        self.surveys.truncate(surveys);
        self.pending.truncate(pending);
        won
    }

    /// Parts the members by what the tiles at `places` show; `pending` grows by what has to be searched. Returns how
    /// many are won at most; no more parts are made once that is not more than `enough`.
    fn parts(&mut self, begin: usize, end: usize, places: &[u8], enough: u32, safe: u32) -> u32 {
        let mut sizes = std::mem::take(&mut self.sizes);
        sizes.clear();
        let mut start = self.members.len();
        if let &[place] = places {
            self.part_by_one(begin, end, place, &mut sizes);
        } else {
            self.part_by_all(begin, end, places, &mut sizes);
        }
        let mut most = safe;
        for &size in &sizes {
            let part = self.part(start, start + size);
            start += size;
            most -= size as u32 - part.won;
            if most <= enough {
                break;
            }
            if !part.is_exact {
                self.pending.push(part);
            }
        }
        self.sizes = sizes;
        most
    }

    /// Appends the members in which the tile at `place` is safe, number by number, and how many each has to `sizes`.
    fn part_by_one(&mut self, begin: usize, end: usize, place: u8, sizes: &mut Vec<usize>) {
        self.looks += 2 * (end - begin);
        let count = self.explanations.len();
        let column = &self.columns[usize::from(place) * count..][..count];
        let mut starts = [0usize; 10];
        for &member in &self.members[begin..end] {
            starts[usize::from(column[member as usize])] += 1;
        }
        let mut next = self.members.len();
        for start in &mut starts[1..] {
            let size = std::mem::replace(start, next);
            next += size;
            if size > 0 {
                sizes.push(size);
            }
        }
        self.members.resize(next, 0);
        for index in begin..end {
            let member = self.members[index];
            let number = usize::from(column[member as usize]);
            if number > 0 {
                self.members[starts[number]] = member;
                starts[number] += 1;
            }
        }
    }

    /// The same for tiles that are safe in all members, by what all of them show.
    fn part_by_all(&mut self, begin: usize, end: usize, places: &[u8], sizes: &mut Vec<usize>) {
        self.looks += (2 + places.len()) * (end - begin);
        let count = self.explanations.len();
        let members = &self.members[begin..end];
        self.keyed.clear();
        self.keyed.extend(members.iter().map(|&member| (0, member)));
        for &place in places {
            let column = &self.columns[usize::from(place) * count..][..count];
            for (key, member) in &mut self.keyed {
                *key = (*key ^ u64::from(column[*member as usize])).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
            }
        }
        // The keys met so far, by where they fall in a table of twice as many places.
        let mask = (2 * (end - begin)).next_power_of_two() - 1;
        self.table.clear();
        self.table.resize(mask + 1, u32::MAX);
        let first = sizes.len();
        self.met.clear();
        for (key, _) in &mut self.keyed {
            let mut place = *key as usize & mask;
            while self.table[place] != u32::MAX && self.met[self.table[place] as usize] != *key {
                place = (place + 1) & mask;
            }
            if self.table[place] == u32::MAX {
                self.table[place] = self.met.len() as u32;
                self.met.push(*key);
                sizes.push(0);
            }
            *key = self.table[place].into();
            sizes[first + *key as usize] += 1;
        }
        let mut next = self.members.len();
        let starts = &mut self.met;
        for (start, &size) in starts.iter_mut().zip(&sizes[first..]) {
            *start = next as u64;
            next += size;
        }
        self.members.resize(next, 0);
        for &(group, member) in &self.keyed {
            let start = &mut starts[group as usize];
            self.members[*start as usize] = member;
            *start += 1;
        }
    }

    /// Searches the parts in `pending` from `first` on; `most` members are won at most. Returns what [`Endgame::split`]
    /// does.
    fn finish(&mut self, first: usize, mut most: u32, enough: u32) -> Option<u32> {
        // Small parts first: they are cheap, and what they lose is known early.
        self.pending[first..].sort_unstable_by_key(|part| (part.end - part.begin, part.begin));
        for index in first..self.pending.len() {
            let part = self.pending[index];
            let others = most - part.won;
            let enough_here = enough.saturating_sub(others);
            let (won, _) = self.best(part, enough_here)?;
            self.known.insert(part.key, (won, won > enough_here));
            most = others + won;
            if most <= enough {
                break;
            }
        }
        Some(most)
    }
}

/// All ways to add `count` of `bits` to `before`, at most `most` in all.
fn subsets(bits: &[u128], count: usize, before: u128, into: &mut Vec<u128>, most: usize) {
    if into.len() >= most || count > bits.len() {
        return;
    }
    if count == 0 {
        into.push(before);
        return;
    }
    subsets(&bits[1..], count - 1, before | bits[0], into, most);
    subsets(&bits[1..], count, before, into, most);
}

/// Within which [`win_probability`] is exact: up to a few seconds.
const PATIENT: Limits = Limits { explanations: 4000, thorough: 4000, looks: 3_000_000_000 };

/// The exact chance of winning `board` under best play, where so few explanations are left that all ways to go on can be
/// searched; `None` where there are more, where the total of mines is not known, or a tile was not recognised. Under the
/// rule `windows` not all explanations are alike.
///
/// # Errors
/// Nothing explains the board, or it is beyond reach.
pub fn win_probability(board: &Board, rule: Rule) -> Result<Option<f64>, Unsolved> {
    let mut engine = Engine::default();
    engine.position.read_under(board, rule);
    engine.constraints.conclude(&engine.position)?;
    engine.solve()?;
    if board.is_lost() {
        return Ok(Some(0.0));
    }
    if board.is_cleared() {
        return Ok(Some(1.0));
    }
    if board.tiles().contains(&Tile::Unrecognised) {
        return Ok(None);
    }
    let openable = |tile: u32| board.tiles()[tile as usize].is_covered();
    let worth = Endgame::default().search(&engine, &openable, PATIENT);
    Ok(worth.map(|worth| worth.win))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn win(text: &str) -> f64 {
        win_probability(&text.parse().unwrap(), Rule::Safe).unwrap().unwrap()
    }

    #[test]
    fn small_boards_have_the_values_of_the_papers() {
        // Nakov & Wei: on 2x4 with two mines, after the move of the example, the optimal player wins a third.
        for (text, expected) in [
            ("2 1 1\n##", 0.5),
            ("3 1 1\n###", 2.0 / 3.0),
            ("3 1 1\n1##", 1.0),
            ("2 2 1\n1#\n##", 1.0 / 3.0),
            ("2 1 1\n#1", 1.0),
        ] {
            assert!((win(text) - expected).abs() < 1e-12, "{text}: {}", win(text));
        }
    }

    #[test]
    fn searching_for_the_first_move_alone_loses_little() {
        // Never more than best play; on these small boards hardly less.
        let (mut engine, mut endgame, mut searched) = (Engine::default(), Endgame::default(), 0);
        for seed in 0..200 {
            let size = crate::geometry::BoardSize::new(6, 6);
            let mut game = crate::game::Game::deal(size, 8, crate::game::Rule::Safe, seed).unwrap();
            game.open((2, 2).into());
            game.open((5, 5).into());
            if game.state() != crate::game::State::Playing {
                continue;
            }
            engine.position.read(game.board());
            engine.constraints.conclude(&engine.position).unwrap();
            engine.solve().unwrap();
            let limits = |thorough| Limits { explanations: 2000, thorough, looks: usize::MAX };
            let mut search = |thorough| endgame.search(&engine, &|_| true, limits(thorough));
            let (Some(best), Some(narrow)) = (search(2000), search(1)) else { continue };
            assert!(narrow.win <= best.win + 1e-12 && narrow.win > best.win - 0.1, "{narrow:?}, {best:?}");
            searched += 1;
        }
        assert!(searched > 20, "{searched}");
    }

    #[test]
    fn no_first_click_is_better_than_the_worth_of_the_board() {
        // The worth of a position is what its best tile leads to: one step of the search, done by hand.
        for (text, width, height) in [("3 3 2\n###\n###\n###", 3, 3), ("4 2 2\n####\n####", 4, 2)] {
            let board: Board = text.parse().unwrap();
            let size = crate::geometry::BoardSize::new(width, height);
            let worth = |cell| -> f64 {
                let numbers = 0..=8;
                let after = numbers.filter_map(|number| {
                    let mut tiles = board.tiles().to_vec();
                    tiles[size.index(cell)] = Tile::Open(number);
                    let next = Board::new(size, board.mines(), tiles).ok()?;
                    let ways: f64 = super::super::probability::explanations(&next).ok()?.to_string().parse().ok()?;
                    Some(if ways > 0.0 { ways * win_probability(&next, Rule::Safe).ok()?? } else { 0.0 })
                });
                after.sum()
            };
            let all: f64 = super::super::probability::explanations(&board).unwrap().to_string().parse().unwrap();
            let best = size.cells().map(worth).fold(0.0, f64::max) / all;
            let found = win_probability(&board, Rule::Safe).unwrap().unwrap();
            assert!((best - found).abs() < 1e-12, "{text}: {best}, not {found}");
        }
    }

    /// Best play by its definition: every tile that can be opened, every number; one may also stop and win all deals in
    /// which nothing is left to open. `deals` may hold a deal more than once.
    fn by_definition(size: crate::geometry::BoardSize, open: u32, openable: u32, deals: &[u32]) -> usize {
        let left = openable & !open;
        let mut best = deals.iter().filter(|&&deal| left & !deal == 0).count();
        for tile in (0..size.tiles()).filter(|tile| left >> tile & 1 == 1) {
            let shown = |deal: u32| {
                size.neighbours(size.cell(tile)).filter(|&other| deal >> size.index(other) & 1 == 1).count()
            };
            let mut won = 0;
            for number in 0..=8 {
                let fits = |deal: &&u32| **deal >> tile & 1 == 0 && shown(**deal) == number;
                let fitting: Vec<u32> = deals.iter().filter(fits).copied().collect();
                if !fitting.is_empty() {
                    won += by_definition(size, open | 1 << tile, openable, &fitting);
                }
            }
            best = best.max(won);
        }
        best
    }

    #[test]
    fn tiles_that_cannot_be_opened_and_moved_mines_are_searched_to_the_end() {
        let size = crate::geometry::BoardSize::new(4, 2);
        let (mut engine, mut endgame, mut searched) = (Engine::default(), Endgame::default(), 0);
        for seed in 0..600u64 {
            let mut bits = seed.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            bits ^= bits >> 29;
            let laid = bits as u32 & (bits >> 20) as u32 & 0xFF;
            let (open, unread) = ((bits >> 40) as u32 & (bits >> 50) as u32 & !laid & 0xFF, (bits >> 9) as u32 & 0xFF);
            let number = |deal: u32, tile: usize| {
                size.neighbours(size.cell(tile)).filter(|&other| deal >> size.index(other) & 1 == 1).count() as u8
            };
            let rule = if seed % 2 == 0 { Rule::Windows } else { Rule::Safe };
            let tile = |tile: usize| match () {
                () if open >> tile & 1 == 1 => Tile::Open(number(laid, tile)),
                () if unread >> tile & 1 == 1 && seed % 3 != 0 => Tile::Unrecognised,
                () => Tile::Hidden,
            };
            let board = Board::new(size, Some(laid.count_ones()), (0..8).map(tile).collect()).unwrap();
            engine.position.read_under(&board, rule);
            engine.constraints.conclude(&engine.position).unwrap();
            engine.solve().unwrap();
            let openable = |tile: u32| board.tiles()[tile as usize].is_covered();
            let limits = Limits { explanations: 500, thorough: 2000, looks: usize::MAX };
            let Some(found) = endgame.search(&engine, &openable, limits) else { continue };
            let fits = |deal: &u32| {
                deal.count_ones() == laid.count_ones()
                    && deal & open == 0
                    && (0..8).all(|tile| open >> tile & 1 == 0 || number(*deal, tile) == number(laid, tile))
            };
            let times = |deal: u32| if rule == Rule::Windows { 1 + deal.trailing_ones() as usize } else { 1 };
            let deals: Vec<u32> =
                (0..256).filter(fits).flat_map(|deal| std::iter::repeat_n(deal, times(deal))).collect();
            let can_open = (0..8).filter(|&tile| openable(tile)).fold(0, |bits, tile| bits | 1 << tile);
            let won = by_definition(size, open, can_open, &deals) as f64 / deals.len() as f64;
            assert!((found.win - won).abs() < 1e-12, "seed {seed}: {} instead of {won}\n{board}", found.win);
            assert!(openable(found.tile), "{board}");
            searched += 1;
        }
        assert!(searched > 300, "{searched}");
    }
}
