//! The search itself: how many of a set of explanations are won under best play.

use super::listed::{Listed, Survey, TILES};
use super::{Limits, Worth};
use crate::solver::sets::{Known, ODD, Parting, Won};

/// See the module. Searches one endgame after another without new memory.
#[derive(Clone, Debug, Default)]
pub struct Search {
    /// All explanations.
    pub listed: Listed,
    known: Known<u64>,
    /// Members of the sets in work, as a stack.
    members: Vec<u32>,
    /// The parts still to be searched, and what is said of them, in the first places of `surveys`.
    pending: Vec<Part>,
    surveys: Vec<Survey>,
    surveyed: usize,
    /// Sizes of the parts being made, and room to make them in.
    sizes: Vec<usize>,
    parting: Parting<u32>,
    /// Whether only the first move is searched for.
    is_narrow: bool,
    /// Looks at what a tile shows under one explanation: so far, and at most.
    looks: usize,
    limit: usize,
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

impl Search {
    /// The best move where `listed` is what is left.
    pub fn run(&mut self, limits: Limits) -> Option<Worth> {
        let count = self.listed.mines.len();
        self.is_narrow = count > limits.thorough;
        (self.looks, self.limit) = (0, limits.looks);
        self.known.clear();
        self.members.clear();
        self.members.extend(0..count as u32);
        self.surveyed = 0;
        self.pending.clear();
        let part = self.part(0, count);
        let (won, place) = if part.is_exact { (part.won, self.last_move()) } else { self.best(part, 0)? };
        let bit = 1u128 << place;
        let mines = self.listed.mines.iter().filter(|mines| **mines & bit != 0).count() as f64;
        let count = count as f64;
        Some(Worth { tile: self.listed.tiles[place], win: f64::from(won) / count, risk: mines / count })
    }

    /// The move where the worth of all members is plain: a tile that tells what is left apart, else the safest.
    fn last_move(&self) -> usize {
        let listed = &self.listed;
        let mut survey = Survey::default();
        listed.survey(&self.members, &mut survey);
        let (_, member) = listed.most_alike(&self.members);
        let is_played_for = |place: usize| !listed.has_alike || listed.is_safe(member, place);
        let rank = |&place: &usize| (is_played_for(place), survey.safe[place], survey.tells(place));
        (0..listed.playable).max_by_key(rank).unwrap_or(0)
    }

    /// What is known of the members `begin..end` before they are searched; `surveys` grows where they have to be.
    fn part(&mut self, begin: usize, end: usize) -> Part {
        let count = (end - begin) as u32;
        let mut part = Part { begin, end, key: 0, won: count, is_exact: true, survey: 0 };
        let members = &self.members[begin..end];
        match *members {
            [] | [_] => return part,
            [one, other] => {
                part.won = if self.listed.are_both_won(one, other) { 2 } else { 1 };
                return part;
            }
            _ => {}
        }
        part.key = self.listed.key(members);
        if let Some(won) = self.known.get(&part.key) {
            (part.won, part.is_exact) = (won.most() as u32, won.is_exact());
            if part.is_exact {
                return part;
            }
        }
        self.looks += members.len() * self.listed.playable;
        if self.surveyed == self.surveys.len() {
            self.surveys.push(Survey::default());
        }
        let survey = &mut self.surveys[self.surveyed];
        self.listed.survey(members, survey);
        let alike = self.listed.most_alike(members).0;
        let highest = survey.highest(self.listed.playable);
        if highest == 0 {
            // Nothing can be told apart any more: one of them is played for, with all that are won alike.
            (part.won, part.is_exact) = (alike, true);
            return part;
        }
        part.won = part.won.min(highest.max(alike));
        part.is_exact = false;
        part.survey = self.surveyed;
        self.surveyed += 1;
        part
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
        let highest = survey.highest(self.listed.playable);
        let telling = (0..self.listed.playable).filter(|&place| survey.tells(place));
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
        if self.listed.has_alike {
            let (alike, member) = self.listed.most_alike(&self.members[begin..end]);
            bound = alike;
            if alike > enough {
                let mut places = 0..self.listed.playable;
                best = (alike, places.find(|&place| self.listed.is_safe(member, place)).unwrap_or(0));
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
        let (members, surveyed, pending) = (self.members.len(), self.surveyed, self.pending.len());
        let most = self.parts(begin, end, places, enough, safe);
        let won = if most > enough { self.finish(pending, most, enough) } else { Some(most) };
        self.members.truncate(members);
        self.surveyed = surveyed;
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
        let column = self.listed.column(place);
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
        let said = &mut self.parting.said;
        said.clear();
        said.extend(self.members[begin..end].iter().map(|&member| (0, member)));
        for &place in places {
            let column = self.listed.column(place);
            for (said, member) in &mut *said {
                *said = (*said ^ u64::from(column[*member as usize])).wrapping_mul(ODD[0]).rotate_left(29);
            }
        }
        let first = self.members.len();
        self.members.resize(first + end - begin, 0);
        self.parting.part(&mut self.members[first..], sizes);
    }

    /// Searches the parts in `pending` from `first` on; `most` members are won at most. Returns what [`Search::split`]
    /// does.
    fn finish(&mut self, first: usize, mut most: u32, enough: u32) -> Option<u32> {
        // Small parts first: they are cheap, and what they lose is known early.
        self.pending[first..].sort_unstable_by_key(|part| (part.end - part.begin, part.begin));
        for index in first..self.pending.len() {
            let part = self.pending[index];
            let others = most - part.won;
            let enough_here = enough.saturating_sub(others);
            let (won, _) = self.best(part, enough_here)?;
            self.known.insert(part.key, Won::new(won.into(), won > enough_here));
            most = others + won;
            if most <= enough {
                break;
            }
        }
        Some(most)
    }
}
