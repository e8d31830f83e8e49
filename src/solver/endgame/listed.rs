//! The explanations of an endgame: which there are, and what every tile shows under each.

use crate::solver::best_play::{Bounds, Look, Source};
use crate::solver::constraints::{MINE, NONE, Position, SAFE, UNKNOWN};
use crate::solver::probability::Engine;
use crate::solver::sets::ODD;

/// Tiles an endgame can have.
pub const TILES: usize = 128;

/// What a set of explanations says of every tile.
#[derive(Clone, Debug)]
pub struct Survey {
    /// In how many of them it is safe.
    pub safe: [u32; TILES],
    least: [u8; TILES],
    most: [u8; TILES],
}

impl Default for Survey {
    fn default() -> Self {
        Self { safe: [0; TILES], least: [u8::MAX; TILES], most: [0; TILES] }
    }
}

impl Survey {
    /// Whether the tile can show different numbers.
    #[inline]
    fn tells(&self, place: usize) -> bool {
        self.most[place].saturating_sub(1) > self.least[place]
    }

    /// The most members in which one of the first `tiles` that tells something is safe; 0 if there is none.
    fn highest(&self, tiles: usize) -> u32 {
        // So many at a time; what lies behind them tells nothing.
        let tiles = tiles.next_multiple_of(16);
        let (safe, least, most) = (&self.safe[..tiles], &self.least[..tiles], &self.most[..tiles]);
        let tiles = safe.iter().zip(least).zip(most);
        tiles.map(|((&safe, &least), &most)| if most.saturating_sub(1) > least { safe } else { 0 }).fold(0, u32::max)
    }
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct Listed {
    /// Unknown tiles in play, by their number on the board: first those that can be opened.
    pub tiles: Vec<u32>,
    /// How many can be opened.
    pub playable: usize,
    /// Whether explanations may be won alike: some tiles cannot be opened, or an explanation is there more than once.
    pub has_alike: bool,
    /// The mines of each explanation, one bit a tile.
    pub mines: Vec<u128>,
    /// Place of a tile of the board in `tiles`.
    place: Vec<u8>,
    /// For each explanation and tile: 0 for a mine, else one more than the unknown mines that touch it.
    shown: Vec<u8>,
    /// Bytes from one explanation to the next in `shown`.
    stride: usize,
    /// `shown`, tile by tile.
    columns: Vec<u8>,
    /// One random word an explanation: sets are known by the exclusive or of their words.
    words: Vec<u64>,
    /// Room to put explanations together in.
    parts: Vec<u128>,
}

impl Listed {
    /// Takes up every explanation of what is in `engine`; nothing if there are more than `most`, or no tile that can be opened.
    pub fn every(&mut self, engine: &Engine, openable: &dyn Fn(u32) -> bool, most: usize) -> Option<()> {
        let constraints = &engine.constraints;
        // Safe tiles that are not open yet have something to tell, too.
        let covered = |tile: &u32| matches!(constraints.tiles[*tile as usize], UNKNOWN | SAFE);
        self.begin(engine, (0..constraints.tiles.len() as u32).filter(covered), openable)?;
        self.enumerate(engine, most).then_some(())?;
        self.finish(engine)
    }

    /// The same for one component by itself.
    pub fn enclosed(
        &mut self,
        engine: &Engine,
        component: usize,
        openable: &dyn Fn(u32) -> bool,
        most: usize,
    ) -> Option<()> {
        let constraints = &engine.constraints;
        let component_of = |tile: u32| {
            let number = constraints.box_of[tile as usize];
            let witness = constraints.boxes.get(number as usize)?.witnesses()[0];
            Some(constraints.witnesses[witness as usize].component as usize)
        };
        let own = (0..constraints.tiles.len() as u32).filter(|&tile| component_of(tile) == Some(component));
        self.begin(engine, own, openable)?;
        let arrangements = self.component(engine, component, most)?;
        self.mines.extend(arrangements);
        self.finish(engine)
    }

    fn finish(&mut self, engine: &Engine) -> Option<()> {
        if self.mines.is_empty() || !self.repeat_moved(engine) {
            return None;
        }
        self.show(&engine.position);
        Some(())
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
        self.mines.clear();
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
        for index in 0..self.mines.len() {
            let mines = self.mines[index];
            let begins_with = lead.iter().take_while(|bit| bit.is_none_or(|bit| mines & bit != 0)).count();
            self.mines.extend(std::iter::repeat_n(mines, begins_with));
        }
        self.has_alike = true;
        true
    }

    /// All explanations of the unknown tiles; false if there are more than `most`.
    fn enumerate(&mut self, engine: &Engine, most: usize) -> bool {
        let constraints = &engine.constraints;
        let mines_left = constraints.mines_left.unwrap_or(0).max(0) as u32;
        self.mines.push(0);
        for component in 0..constraints.components.len() {
            let Some(parts) = self.component(engine, component, most) else { return false };
            self.parts.clear();
            for &before in &self.mines {
                let fitting = parts.iter().map(|part| before | part);
                self.parts.extend(fitting.filter(|both| both.count_ones() <= mines_left));
                if self.parts.len() > 50 * most {
                    return false;
                }
            }
            std::mem::swap(&mut self.mines, &mut self.parts);
        }
        let rest = self.tiles.iter().enumerate();
        let rest = rest.filter(|(_, tile)| {
            constraints.box_of[**tile as usize] == NONE && constraints.tiles[**tile as usize] == UNKNOWN
        });
        let rest: Vec<u128> = rest.map(|(place, _)| 1 << place).collect();
        self.parts.clear();
        for &before in &self.mines {
            let left = (mines_left - before.count_ones()) as usize;
            if left <= rest.len() {
                subsets(&rest, left, before, &mut self.parts, most + 1);
            }
        }
        std::mem::swap(&mut self.mines, &mut self.parts);
        self.mines.len() <= most
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

    /// Fills in what every tile shows under every explanation.
    fn show(&mut self, position: &Position) {
        let tiles = self.playable;
        self.stride = tiles.next_multiple_of(16);
        self.shown.clear();
        self.shown.resize(self.stride * self.mines.len(), 1);
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
        for (row, &mines) in self.shown.chunks_exact_mut(self.stride).zip(&self.mines) {
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
        let count = self.mines.len();
        self.columns.clear();
        self.columns.resize(tiles * count, 0);
        for (member, row) in self.shown.chunks_exact(self.stride).enumerate() {
            for (place, &shown) in row[..tiles].iter().enumerate() {
                self.columns[place * count + member] = shown;
            }
        }
        // The same words every time, so that every run is the same (SplitMix64).
        for index in self.words.len() as u64..self.mines.len() as u64 {
            let mut word = (index + 1).wrapping_mul(ODD[0]);
            word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            self.words.push(word ^ (word >> 31));
        }
    }

    /// The tiles that can be opened, as bits.
    fn playable_bits(&self) -> u128 {
        u128::MAX >> (TILES - self.playable)
    }

    /// The move where the worth of all is plain: a tile that tells what is left apart, else the safest.
    pub fn last_move(&self) -> usize {
        let members: Vec<u32> = (0..self.mines.len() as u32).collect();
        let mut survey = Survey::default();
        self.survey(&members, &mut survey);
        let (_, member) = self.most_alike(&members);
        let is_played_for = |place: usize| !self.has_alike || self.is_safe(member, place);
        let rank = |&place: &usize| (is_played_for(place), survey.safe[place], survey.tells(place));
        (0..self.playable).max_by_key(rank).unwrap_or(0)
    }

    /// Whether the tile at `place` is no mine under an explanation.
    fn is_safe(&self, member: u32, place: usize) -> bool {
        self.row(member)[place] != 0
    }

    /// What the tile at `place` shows: by explanation, 0 for a mine, else one more than the unknown mines that touch it.
    fn column(&self, place: usize) -> &[u8] {
        let count = self.mines.len();
        &self.columns[place * count..][..count]
    }

    fn row(&self, member: u32) -> &[u8] {
        let begin = member as usize * self.stride;
        &self.shown[begin..begin + self.stride]
    }

    /// What `members` say of every tile.
    fn survey(&self, members: &[u32], survey: &mut Survey) {
        let stride = self.stride;
        let (safe, least, most) = (&mut survey.safe[..stride], &mut survey.least[..stride], &mut survey.most[..stride]);
        safe.fill(0);
        least.fill(u8::MAX);
        most.fill(0);
        // Counted in bytes as long as they hold.
        for block in members.chunks(255) {
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
    }

    /// The most of `members` that are won alike, because their mines lie alike under the tiles that can be opened, and
    /// one of them.
    fn most_alike(&self, members: &[u32]) -> (u32, u32) {
        if !self.has_alike {
            return (1, members[0]);
        }
        let playable = self.playable_bits();
        let mut mines: Vec<(u128, u32)> =
            members.iter().map(|&member| (self.mines[member as usize] & playable, member)).collect();
        mines.sort_unstable();
        let alike = mines.chunk_by(|one, other| one.0 == other.0).map(|alike| (alike.len() as u32, alike[0].1));
        alike.max_by_key(|(count, _)| *count).unwrap_or((1, members[0]))
    }

    /// Whether two are both won: alike, or because a tile that is safe in both tells them apart.
    fn are_both_won(&self, one: u32, other: u32) -> bool {
        let mines = |member: u32| self.mines[member as usize] & self.playable_bits();
        if mines(one) == mines(other) {
            return true;
        }
        let (one, other) = (self.row(one), self.row(other));
        // All of them, without stopping at the first: so many tiles are compared at a time.
        let tells = |(&one, &other): (&u8, &u8)| (one != other) & (one != 0) & (other != 0);
        one.iter().zip(other).fold(false, |any, both| any | tells(both))
    }
}

impl Source for Listed {
    /// Its number.
    type Member = u32;
    /// What is open is safe in all members and shows the same in all of them.
    type Left = ();
    type Key = u64;
    type Survey = Survey;

    /// Sets are small: bounds would cost more than they spare (`results/solver.md`).
    const BOUNDS: Bounds = Bounds { ordered: usize::MAX, large: usize::MAX, refined: usize::MAX };

    #[inline]
    fn weight(&self, members: &[u32]) -> u64 {
        members.len() as u64
    }

    fn of_two(&self, one: u32, other: u32, (): ()) -> u64 {
        if self.are_both_won(one, other) { 2 } else { 1 }
    }

    fn most_alike(&self, members: &[u32]) -> u64 {
        self.most_alike(members).0.into()
    }

    fn look(&self, members: &mut [u32], (): &mut (), survey: &mut Survey, said: &mut Vec<(u64, u32)>) -> Look {
        self.survey(members, survey);
        if survey.highest(self.playable) < members.len() as u32 {
            return Look::Nothing;
        }
        said.clear();
        said.extend(members.iter().map(|&member| (0, member)));
        let safe =
            (0..self.playable).filter(|&place| survey.tells(place) && survey.safe[place] == members.len() as u32);
        for place in safe {
            let column = self.column(place);
            for (said, member) in &mut *said {
                *said = (*said ^ u64::from(column[*member as usize])).wrapping_mul(ODD[0]).rotate_left(29);
            }
        }
        Look::Apart
    }

    fn key(&self, members: &[u32], (): (), _: Option<&Survey>) -> Option<u64> {
        Some(members.iter().fold(0, |key, &member| key ^ self.words[member as usize]))
    }

    fn choices(&self, survey: &Survey, (): ()) -> impl Iterator<Item = (u64, usize)> {
        let telling = (0..self.playable).filter(|&place| survey.tells(place));
        telling.map(|place| (survey.safe[place].into(), place))
    }

    fn safest(&self, survey: &Survey, (): ()) -> u64 {
        survey.highest(self.playable).into()
    }

    fn shown(&self, place: usize) -> impl Fn(u32) -> u8 {
        let column = self.column(place);
        move |member| column[member as usize]
    }

    fn without(&self, (): (), _: usize) {}

    fn tiles(&self, (): ()) -> usize {
        self.playable
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
