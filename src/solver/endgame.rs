//! The exact chance of winning, by exhaustive search over sets of explanations.
//!
//! All that a player can know is which arrangements of mines are left. Opening a tile splits those in which it is safe
//! by the number it shows, and loses those in which it is a mine. The worth of a set is the number of its
//! arrangements that are won under best play; sets met again are looked up. Three rules keep the search small and
//! exact: a tile that is safe everywhere is opened at once if it tells anything; a *dead* tile, whose number is known
//! already, is never better than one that tells something; and no tile can win more arrangements than it is safe in.

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
    /// The chance of winning under best play.
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
    known: HashMap<u64, u32, Plain>,
    /// Members of the sets in work, as a stack.
    members: Vec<u16>,
    parts: Vec<u128>,
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
struct Survey {
    safe: [u16; TILES],
    least: [u8; TILES],
    most: [u8; TILES],
}

impl Endgame {
    /// The best move of what is in `engine` (after [`Engine::solve`] or [`Engine::divide`]), on the board of
    /// `position`, if it has at most `most` explanations and can be searched in so many `looks`. The total of mines must
    /// be known.
    pub fn search(&mut self, engine: &Engine, position: &Position, most: usize, looks: usize) -> Option<Worth> {
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
        self.solve(position, looks)
    }

    /// The best move inside one component that nothing elsewhere can help: its mines are fixed, and no tile of it
    /// touches an unknown tile outside. The chance of winning is that of this component alone.
    pub fn search_enclosed(&mut self, engine: &Engine, component: usize, most: usize, looks: usize) -> Option<Worth> {
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
        self.solve(&engine.position, looks)
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
    fn solve(&mut self, position: &Position, limit: usize) -> Option<Worth> {
        if self.explanations.is_empty() || self.explanations.len() > usize::from(u16::MAX) {
            return None;
        }
        self.show(position);
        (self.looks, self.limit) = (0, limit);
        self.known.clear();
        self.members.clear();
        self.members.extend(0..self.explanations.len() as u16);
        let (won, place) = self.best(0, self.explanations.len())?;
        let count = self.explanations.len() as f64;
        let bit = 1u128 << place;
        let mines = self.explanations.iter().filter(|mines| **mines & bit != 0).count() as f64;
        Some(Worth { tile: self.tiles[place], win: f64::from(won) / count, risk: mines / count })
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

    fn survey(&self, begin: usize, end: usize) -> Survey {
        let mut survey = Survey { safe: [0; TILES], least: [u8::MAX; TILES], most: [0; TILES] };
        let stride = self.stride;
        let (safe, least, most) = (&mut survey.safe[..stride], &mut survey.least[..stride], &mut survey.most[..stride]);
        for &member in &self.members[begin..end] {
            let row = self.row(member);
            for (((safe, least), most), &shown) in safe.iter_mut().zip(&mut *least).zip(&mut *most).zip(row) {
                *safe += u16::from(shown != 0);
                // A mine shows nothing: wrapped around, it is no minimum.
                *least = (*least).min(shown.wrapping_sub(1));
                *most = (*most).max(shown);
            }
        }
        survey
    }

    /// How many of the members `begin..end` are won under best play; `None` if the search has become too long.
    fn value(&mut self, begin: usize, end: usize) -> Option<u32> {
        match end - begin {
            0 => return Some(0),
            1 => return Some(1),
            2 => return Some(self.value_of_two(begin)),
            _ => {}
        }
        let key = self.members[begin..end].iter().fold(0, |key, &member| key ^ self.words[usize::from(member)]);
        if let Some(&known) = self.known.get(&key) {
            return Some(known);
        }
        let (won, _) = self.best(begin, end)?;
        self.known.insert(key, won);
        Some(won)
    }

    /// Both are won if a tile safe in both tells them apart, else one.
    fn value_of_two(&self, begin: usize) -> u32 {
        let (one, other) = (self.row(self.members[begin]), self.row(self.members[begin + 1]));
        let tells = one.iter().zip(other).any(|(&one, &other)| one != other && one != 0 && other != 0);
        1 + u32::from(tells)
    }

    /// The members won under best play, and the tile to open for it.
    fn best(&mut self, begin: usize, end: usize) -> Option<(u32, usize)> {
        self.looks += (end - begin) * self.tiles.len();
        if self.looks > self.limit {
            return None;
        }
        let count = (end - begin) as u16;
        let survey = self.survey(begin, end);
        let tiles = 0..self.tiles.len();
        let spread = |place: &usize| survey.most[*place].wrapping_sub(survey.least[*place].wrapping_add(1));
        let free = tiles.clone().filter(|&place| survey.safe[place] == count).max_by_key(spread);
        if let Some(place) = free
            && spread(&place) > 0
        {
            return Some((self.split(begin, end, place, 0, count.into())?, place));
        }
        let risky = |place: &usize| survey.safe[*place] > 0 && survey.safe[*place] < count;
        let mut live = [(0u16, 0u8); TILES];
        let mut live_count = 0;
        for place in tiles.clone().filter(risky).filter(|place| spread(place) > 0) {
            live[live_count] = (survey.safe[place], place as u8);
            live_count += 1;
        }
        if live_count == 0 {
            // Nothing can be told apart any more: one of them is hit, or none.
            let place = tiles.clone().filter(risky).max_by_key(|&place| survey.safe[place]);
            return Some((1, place.or(free).unwrap_or(0)));
        }
        let live = &mut live[..live_count];
        live.sort_unstable_by_key(|&(safe, place)| (std::cmp::Reverse(safe), place));
        let mut best = (0, 0);
        for &(safe, place) in &*live {
            if u32::from(safe) <= best.0 {
                break;
            }
            let won = self.split(begin, end, place.into(), best.0, safe.into())?;
            if won > best.0 {
                best = (won, place.into());
            }
        }
        Some(best)
    }

    /// The members won if tile `place` is opened next; anything up to `enough` once more than that is out of reach.
    fn split(&mut self, begin: usize, end: usize, place: usize, enough: u32, safe: u32) -> Option<u32> {
        self.looks += 2 * (end - begin);
        let mut sizes = [0usize; 10];
        for &member in &self.members[begin..end] {
            sizes[usize::from(self.shown[usize::from(member) * self.stride + place])] += 1;
        }
        let top = self.members.len();
        let mut starts = [0; 10];
        let mut next = top;
        for number in 1..10 {
            starts[number] = next;
            next += sizes[number];
        }
        self.members.resize(next, 0);
        let mut fill = starts;
        for index in begin..end {
            let member = self.members[index];
            let number = usize::from(self.shown[usize::from(member) * self.stride + place]);
            if number > 0 {
                self.members[fill[number]] = member;
                fill[number] += 1;
            }
        }
        let (mut won, mut left) = (0, safe);
        // Small parts first: they are cheap, and what they lose is known early.
        let mut order = [1, 2, 3, 4, 5, 6, 7, 8, 9];
        order.sort_unstable_by_key(|&number| sizes[number]);
        for number in order {
            if sizes[number] == 0 {
                continue;
            }
            if won + left <= enough {
                break;
            }
            left -= sizes[number] as u32;
            let part = self.value(starts[number], starts[number] + sizes[number]);
            let Some(part) = part else {
                self.members.truncate(top);
                return None;
            };
            won += part;
        }
        self.members.truncate(top);
        // Cut short, it cannot be more than `enough`.
        Some(if left > 0 { won.min(enough) } else { won })
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
    let worth = Endgame::default().search(&engine, &engine.position, EXPLANATIONS, LOOKS);
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
