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

use super::constraints::{NONE, Position, SAFE, UNKNOWN};
use super::probability::{Engine, Unsolved};
use crate::board::{Board, Tile};
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

/// Searches endgames one after another, without new memory.
#[derive(Clone, Debug, Default)]
pub struct Endgame {
    /// Unknown tiles in play, by their number on the board.
    tiles: Vec<u32>,
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
    members: Vec<u16>,
    /// What is said of them, and the parts still to be searched.
    surveys: Vec<Survey>,
    pending: Vec<Part>,
    /// Sizes of the parts being made, and what their members show.
    sizes: Vec<usize>,
    keyed: Vec<u64>,
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
    safe: [u16; TILES],
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
    fn highest(&self, stride: usize) -> u16 {
        let (safe, least, most) = (&self.safe[..stride], &self.least[..stride], &self.most[..stride]);
        let tiles = safe.iter().zip(least).zip(most);
        tiles.map(|((&safe, &least), &most)| if most.saturating_sub(1) > least { safe } else { 0 }).fold(0, u16::max)
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
    /// The best move of what is in `engine` (after [`Engine::solve`] or [`Engine::divide`]), on the board of
    /// `position`, if it has at most `most` explanations and can be searched in so many `looks`. With more than `thorough`
    /// explanations only the first move is searched for. The total of mines must be known.
    pub fn search(
        &mut self,
        engine: &Engine,
        position: &Position,
        most: usize,
        thorough: usize,
        looks: usize,
    ) -> Option<Worth> {
        if engine.constraints.mines_left.is_none() || engine.log_explanations > (most as f64 + 0.5).ln() {
            return None;
        }
        let constraints = &engine.constraints;
        // Safe tiles that are not open yet have something to tell, too.
        let covered = |tile: &u32| matches!(constraints.tiles[*tile as usize], UNKNOWN | SAFE);
        self.begin(engine, (0..constraints.tiles.len() as u32).filter(covered));
        if self.tiles.is_empty() || self.tiles.len() > TILES {
            return None;
        }
        self.enumerate(engine, most).then_some(())?;
        self.solve(position, thorough, looks)
    }

    /// The best move inside one component that nothing elsewhere can help: its mines are fixed, and no tile of it
    /// touches an unknown tile outside. The chance of winning is that of this component alone.
    pub fn search_enclosed(
        &mut self,
        engine: &Engine,
        component: usize,
        most: usize,
        thorough: usize,
        looks: usize,
    ) -> Option<Worth> {
        let constraints = &engine.constraints;
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
        self.begin(engine, own);
        if self.tiles.len() > TILES {
            return None;
        }
        let parts = self.component(engine, component, most)?;
        self.explanations.extend(parts);
        self.solve(&engine.position, thorough, looks)
    }

    fn begin(&mut self, engine: &Engine, tiles: impl Iterator<Item = u32>) {
        self.tiles.clear();
        self.tiles.extend(tiles);
        self.place.clear();
        self.place.resize(engine.constraints.tiles.len(), u8::MAX);
        for (place, &tile) in self.tiles.iter().enumerate().take(TILES) {
            self.place[tile as usize] = place as u8;
        }
        self.explanations.clear();
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
    fn solve(&mut self, position: &Position, thorough: usize, limit: usize) -> Option<Worth> {
        if self.explanations.is_empty() || self.explanations.len() > usize::from(u16::MAX) {
            return None;
        }
        self.show(position);
        self.is_narrow = self.explanations.len() > thorough;
        (self.looks, self.limit) = (0, limit);
        self.known.clear();
        self.members.clear();
        self.members.extend(0..self.explanations.len() as u16);
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
        let rank = |&place: &usize| (survey.safe[place], survey.tells(place));
        (0..self.tiles.len()).max_by_key(rank).unwrap_or(0)
    }

    /// Fills in what every tile shows under every explanation.
    fn show(&mut self, position: &Position) {
        let tiles = self.tiles.len();
        self.stride = tiles.next_multiple_of(16);
        self.shown.clear();
        self.shown.resize(self.stride * self.explanations.len(), 1);
        let mut around = [([0u8; 8], 0usize); TILES];
        for (place, &tile) in self.tiles.iter().enumerate() {
            let (list, count) = &mut around[place];
            for &other in position.neighbours.of(tile) {
                if self.place[other as usize] != u8::MAX {
                    list[*count] = self.place[other as usize];
                    *count += 1;
                }
            }
        }
        for (row, &mines) in self.shown.chunks_exact_mut(self.stride).zip(&self.explanations) {
            let mut left = mines;
            while left != 0 {
                let (list, count) = &around[left.trailing_zeros() as usize];
                list[..*count].iter().for_each(|&other| row[usize::from(other)] += 1);
                left &= left - 1;
            }
            left = mines;
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

    fn row(&self, member: u16) -> &[u8] {
        let begin = usize::from(member) * self.stride;
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
            safe.iter_mut().zip(safe_here).for_each(|(safe, here)| *safe += u16::from(*here));
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
        part.key = self.members[begin..end].iter().fold(0, |key, &member| key ^ self.words[usize::from(member)]);
        if let Some(&(won, is_exact)) = self.known.get(&part.key) {
            (part.won, part.is_exact) = (won, is_exact);
            if is_exact {
                return part;
            }
        }
        self.looks += (end - begin) * self.tiles.len();
        let survey = self.survey(begin, end);
        let highest = u32::from(survey.highest(self.stride));
        if highest == 0 {
            // Nothing can be told apart any more: one of them is won.
            (part.won, part.is_exact) = (1, true);
            return part;
        }
        part.won = part.won.min(highest);
        part.is_exact = false;
        part.survey = self.surveys.len();
        self.surveys.push(survey);
        part
    }

    /// Both are won if a tile safe in both tells them apart, else one.
    fn value_of_two(&self, begin: usize) -> u32 {
        let (one, other) = (self.row(self.members[begin]), self.row(self.members[begin + 1]));
        let tells = one.iter().zip(other).any(|(&one, &other)| one != other && one != 0 && other != 0);
        1 + u32::from(tells)
    }

    /// The members of a part won under best play, and the tile to open for it. Exact if more than `enough`; else
    /// not more than what is returned are won. `None` if the search has become too long.
    fn best(&mut self, part: Part, enough: u32) -> Option<(u32, usize)> {
        if self.looks > self.limit {
            return None;
        }
        let Part { begin, end, .. } = part;
        let count = (end - begin) as u16;
        let survey = &self.surveys[part.survey];
        let highest = survey.highest(self.stride);
        let telling = (0..self.tiles.len()).filter(|&place| survey.tells(place));
        if highest == count || (self.is_narrow && part.begin > 0) {
            // All that is safe at once; or else the first of the safest.
            let mut chosen = [0u8; TILES];
            let mut chosen_count = 0;
            for place in telling.filter(|&place| survey.safe[place] == highest) {
                chosen[chosen_count] = place as u8;
                chosen_count += 1;
            }
            let chosen = &chosen[..if highest == count { chosen_count } else { 1 }];
            return Some((self.split(begin, end, chosen, enough, highest.into())?, chosen[0].into()));
        }
        let mut live = [(0u32, 0u8); TILES];
        let mut live_count = 0;
        for place in telling.filter(|&place| survey.safe[place] > 0) {
            live[live_count] = (survey.safe[place].into(), place as u8);
            live_count += 1;
        }
        let live = &mut live[..live_count];
        live.sort_unstable_by_key(|&(safe, place)| (std::cmp::Reverse(safe), place));
        let (mut best, mut bound) = ((enough, usize::from(live[0].1)), 0);
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
            starts[usize::from(column[usize::from(member)])] += 1;
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
            let number = usize::from(column[usize::from(member)]);
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
        self.keyed.resize(members.len(), 0);
        for &place in places {
            let column = &self.columns[usize::from(place) * count..][..count];
            for (key, &member) in self.keyed.iter_mut().zip(members) {
                *key =
                    (*key ^ u64::from(column[usize::from(member)])).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
            }
        }
        // 48 bits for what is shown, 16 for the member.
        for (key, &member) in self.keyed.iter_mut().zip(members) {
            *key = *key & !0xFFFF | u64::from(member);
        }
        self.keyed.sort_unstable();
        self.members.extend(self.keyed.iter().map(|&key| key as u16));
        sizes.extend(self.keyed.chunk_by(|one, other| one >> 16 == other >> 16).map(<[_]>::len));
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

/// Explanations and looks within which [`win_probability`] is exact: up to a few seconds.
const EXPLANATIONS: usize = 4000;
const LOOKS: usize = 3_000_000_000;

/// The exact chance of winning `board` under best play, where so few explanations are left that all ways to go on can be
/// searched; `None` where there are more, where the total of mines is not known, or a tile was not recognised.
///
/// # Errors
/// Nothing explains the board, or it is beyond reach.
pub fn win_probability(board: &Board) -> Result<Option<f64>, Unsolved> {
    let mut engine = Engine::default();
    engine.position.read(board);
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
    let worth = Endgame::default().search(&engine, &engine.position, EXPLANATIONS, EXPLANATIONS, LOOKS);
    Ok(worth.map(|worth| worth.win))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn win(text: &str) -> f64 {
        win_probability(&text.parse().unwrap()).unwrap().unwrap()
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
            let mut search = |thorough| endgame.search(&engine, &engine.position, 2000, thorough, usize::MAX);
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
                    Some(if ways > 0.0 { ways * win_probability(&next).ok()?? } else { 0.0 })
                });
                after.sum()
            };
            let all: f64 = super::super::probability::explanations(&board).unwrap().to_string().parse().unwrap();
            let best = size.cells().map(worth).fold(0.0, f64::max) / all;
            let found = win_probability(&board).unwrap().unwrap();
            assert!((best - found).abs() < 1e-12, "{text}: {best}, not {found}");
        }
    }
}
