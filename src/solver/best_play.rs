//! How many explanations of a set are won under best play: the exact optimum, by search with bounds.
//!
//! A set of explanations is all that a player knows. Tiles that are safe in all of them are opened at once and part the set
//! by what they show; else every tile that tells something is tried, the most promising first:
//!
//! ```text
//!             { members }                   won: at most those in which the safest tile is safe
//!            /           \
//!      open A             open B ...        won: the sum over the numbers it can show
//!     /  |   \
//!    1   2    3           mines are lost    a move is left as soon as the sum of the bounds
//!    |   |    |                             cannot beat the best move so far
//!  {..} {..} {..}                           sets met before are looked up
//! ```
//!
//! The sum of the bounds of what a move leads to is worked out when the move is the most promising, and decides whether
//! it still is; so it is for the sets that a move leads to, before any of them is searched.
//!
//! A *dead* tile, which shows the same number in all members in which it is safe, is never better than one that tells
//! something; if all are dead the most likely member is played for.
//!
//! How explanations are held and asked is a [`Source`]: those of endgames look up what tiles show, those of whole boards count it
//! from their mines. Sets are kept on stacks: the parts of a set lie behind it, and are gone when it is done.
//!
//! ```text
//! members   0 1 2 3 4 5 │ 0 3 │ 1 4 5 │ 1 │ 4 5     explanations
//!           └─ all ───┘   └ 1 ┘ └─ 2 ─┘               a tile shows 1 in {0 3}, 2 in {1 4 5}, and is a mine in 2
//!                                 └─── parts of {1 4 5} by the next tile
//! parts     {1 4 5} │ ...                            what is to be searched, the smallest first; {0 3} is plain already
//! surveys   {1 4 5} │ ...                            how often each tile is safe in them
//! choices   tiles of all │ tiles of {1 4 5} ...      with what they win at most
//! known     key of {1 4 5} → won                     sets met again, however they came about
//! ```

use super::sets::{Known, Parting, Won};
use std::fmt::Debug;
use std::hash::Hash;

/// A position that is too large to be held, or takes too much work to be searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too many tiles or explanations to search every way the game can go")]
pub struct BeyondReach;

/// How explanations are held, and what they say.
pub(super) trait Source {
    /// One of them.
    type Member: Copy + Debug;
    /// What can still be opened, as far as a set does not say it by itself.
    type Left: Copy + Debug;
    /// What a set is known by, however it came about.
    type Key: Copy + Debug + Eq + Hash;
    /// What a set says of every tile.
    type Survey: Clone + Debug + Default;

    /// How far moves are bounded by what they lead to before any of it is searched.
    const BOUNDS: Bounds;

    /// How often they occur together.
    fn weight(&self, members: &[Self::Member]) -> u64;

    /// How much of two is won.
    fn of_two(&self, one: Self::Member, other: Self::Member, left: Self::Left) -> u64;

    /// The most of a set that is won together, by playing for one of its members.
    fn most_alike(&self, members: &[Self::Member]) -> u64;

    /// What a set says before any tile is risked. Where safe tiles tell, what they say of each member goes into `said`; where
    /// they do not, `survey` is filled in.
    fn look(
        &self,
        members: &mut [Self::Member],
        left: &mut Self::Left,
        survey: &mut Self::Survey,
        said: &mut Vec<(u64, Self::Member)>,
    ) -> Look;

    /// What a set is known by; `None` if that takes a survey.
    fn key(&self, members: &[Self::Member], left: Self::Left, survey: Option<&Self::Survey>) -> Option<Self::Key>;

    /// The tiles that may be opened next and how much is not lost by it. They may be dead.
    fn choices(&self, survey: &Self::Survey, left: Self::Left) -> impl Iterator<Item = (u64, usize)>;

    /// The most that is not lost by opening a tile; 0 if there is none.
    fn safest(&self, survey: &Self::Survey, left: Self::Left) -> u64 {
        self.choices(survey, left).map(|(safe, _)| safe).max().unwrap_or(0)
    }

    /// What `tile` shows under a member: 0 for a mine, else one more than its number.
    fn shown(&self, tile: usize) -> impl Fn(Self::Member) -> u8;

    /// What is left once `tile` is open.
    fn without(&self, left: Self::Left, tile: usize) -> Self::Left;

    /// How many tiles are in play.
    fn tiles(&self, left: Self::Left) -> usize;
}

/// How far moves are bounded by what they lead to before any of it is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    /// Sets from so many members on have their moves put in order by the sum of the bounds of what they lead to.
    pub ordered: usize,
    /// Sets from so many on are not surveyed for their key meanwhile, which would take longer than it spares.
    pub large: usize,
    /// Sets from so many on are bounded by their moves before any set beside them is searched.
    pub refined: usize,
}

/// What a set says before any tile is risked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// So many, which have come to lie in front, are won already; the others go on.
    Over(usize),
    /// Safe tiles tell them apart.
    Apart,
    /// Nothing.
    Nothing,
}

/// Searches sets of explanations one after another; what it finds is kept.
#[derive(Clone, Debug)]
pub(super) struct BestPlay<S: Source> {
    pub source: S,
    /// Whether only the first move is searched for; from then on the first of the safest tiles is opened.
    pub is_narrow: bool,
    known: Known<S::Key>,
    /// Members looked at, times tiles.
    work_left: usize,
    /// Whether moves are only being put in order.
    is_ordering: bool,
    members: Vec<S::Member>,
    parts: Vec<PartOf<S>>,
    surveys: Vec<S::Survey>,
    surveyed: usize,
    choices: Vec<Choice>,
    /// Sizes of what sets are parted into, as a stack.
    sizes: Vec<usize>,
    parting: Parting<S::Member>,
    /// What the tile that is opened shows.
    shown: Vec<u8>,
}

/// A set without safe tiles that has to be searched.
#[derive(Clone, Copy, Debug)]
struct Part<L, K> {
    begin: usize,
    end: usize,
    left: L,
    /// `None` if it was not looked up.
    key: Option<K>,
    /// Won at most.
    won: u64,
    survey: usize,
}

type PartOf<S> = Part<<S as Source>::Left, <S as Source>::Key>;

/// A tile to open: what it wins at most, whether that is by what it leads to, and its number, the lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Choice(u64);

impl Choice {
    fn new(most: u64, is_bounded: bool, tile: usize) -> Self {
        Self(most << 16 | u64::from(is_bounded) << 8 | (255 - tile as u64))
    }

    fn most(self) -> u64 {
        self.0 >> 16
    }

    fn is_bounded(self) -> bool {
        self.0 >> 8 & 1 == 1
    }

    fn tile(self) -> usize {
        255 - (self.0 & 255) as usize
    }
}

/// Where the stacks end.
#[derive(Clone, Copy, Debug)]
struct Mark {
    members: usize,
    parts: usize,
    surveyed: usize,
}

impl<S: Source + Default> Default for BestPlay<S> {
    fn default() -> Self {
        Self::new(S::default())
    }
}

impl<S: Source> BestPlay<S> {
    pub fn new(source: S) -> Self {
        Self {
            source,
            is_narrow: false,
            known: Known::default(),
            work_left: 0,
            is_ordering: false,
            members: Vec::new(),
            parts: Vec::new(),
            surveys: Vec::new(),
            surveyed: 0,
            choices: Vec::new(),
            sizes: Vec::new(),
            parting: Parting::default(),
            shown: Vec::new(),
        }
    }

    /// Sets remembered.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Forgets all sets.
    pub fn forget(&mut self) {
        self.known.clear();
    }

    /// The work that may be done from now on: members looked at, times tiles.
    pub fn allow(&mut self, work: usize) {
        self.work_left = work;
    }

    /// The weight of the members that are won under best play, and the tile to open if one is better than playing for a single
    /// member. Exact if more than `enough`; else no more than what is returned are won.
    ///
    /// # Errors
    /// More work than is allowed.
    pub fn won(
        &mut self,
        members: impl IntoIterator<Item = S::Member>,
        left: S::Left,
        enough: u64,
    ) -> Result<(u64, Option<usize>), BeyondReach> {
        self.begin(members);
        let most = self.settle(0, self.members.len(), left);
        match *self.parts {
            // The first move is searched for as such.
            [part] if part.end - part.begin == self.members.len() => self.search(part, enough, true),
            _ => Ok((self.finish(0, most, enough)?, None)),
        }
    }

    /// The same if `tile` is opened next.
    ///
    /// # Errors
    /// More work than is allowed.
    pub fn won_after(
        &mut self,
        members: impl IntoIterator<Item = S::Member>,
        left: S::Left,
        tile: usize,
        enough: u64,
    ) -> Result<u64, BeyondReach> {
        self.begin(members);
        let all = (0, self.members.len(), left);
        match self.open(all, tile, enough) {
            Ok((most, _)) => self.finish(0, most, enough),
            Err(most) => Ok(most),
        }
    }

    fn begin(&mut self, members: impl IntoIterator<Item = S::Member>) {
        self.release(Mark { members: 0, parts: 0, surveyed: 0 });
        self.choices.clear();
        self.sizes.clear();
        self.is_ordering = false;
        self.members.extend(members);
    }

    fn mark(&self) -> Mark {
        Mark { members: self.members.len(), parts: self.parts.len(), surveyed: self.surveyed }
    }

    fn release(&mut self, mark: Mark) {
        self.members.truncate(mark.members);
        self.parts.truncate(mark.parts);
        self.surveyed = mark.surveyed;
    }

    /// Parts a set by the number at `tile`; `parts` grows. Returns what is won at most and whether the tile tells anything; an
    /// error if it is not more than `enough`.
    fn open(
        &mut self,
        (begin, end, left): (usize, usize, S::Left),
        tile: usize,
        enough: u64,
    ) -> Result<(u64, bool), u64> {
        let (start, first) = (self.members.len(), self.sizes.len());
        self.part_by(begin, end, tile);
        let left = self.source.without(left, tile);
        let mut most = self.source.weight(&self.members[start..]);
        let (numbers, parts) = (self.sizes.len() - first, self.parts.len());
        let mut begin = start;
        for number in 0..numbers {
            let end = begin + self.sizes[first + number];
            most -= self.source.weight(&self.members[begin..end]) - self.settle(begin, end, left);
            if most <= enough {
                self.sizes.truncate(first);
                return Err(most);
            }
            begin = end;
        }
        self.sizes.truncate(first);
        // It may show one number and yet tell, that some members are over.
        let is_one = |part: &PartOf<S>| part.end - part.begin == self.members.len() - start;
        Ok((most, numbers > 1 || !self.parts[parts..].iter().any(is_one)))
    }

    /// Appends the members in which `tile` is safe, number by number, and how many each has to `sizes`.
    fn part_by(&mut self, begin: usize, end: usize, tile: usize) {
        let mut starts = [0usize; 10];
        self.shown.clear();
        let shown = self.source.shown(tile);
        self.shown.extend(self.members[begin..end].iter().map(|&member| {
            let shown = shown(member);
            starts[usize::from(shown)] += 1;
            shown
        }));
        let mut next = self.members.len();
        for start in &mut starts[1..] {
            let size = std::mem::replace(start, next);
            next += size;
            if size > 0 {
                self.sizes.push(size);
            }
        }
        if begin == end {
            return;
        }
        self.members.resize(next, self.members[begin]);
        for (index, &shown) in (begin..end).zip(&self.shown) {
            if shown > 0 {
                let start = &mut starts[usize::from(shown)];
                self.members[*start] = self.members[index];
                *start += 1;
            }
        }
    }

    /// Opens everything that is safe, to the end, and adds what has to be searched to `parts`. Returns what is won at most.
    fn settle(&mut self, begin: usize, end: usize, mut left: S::Left) -> u64 {
        match self.members[begin..end] {
            [] | [_] => return self.source.weight(&self.members[begin..end]),
            [one, other] => return self.source.of_two(one, other, left),
            _ => {}
        }
        let key = self.source.key(&self.members[begin..end], left, None);
        let known = key.and_then(|key| self.known.get(&key));
        if let Some(won) = known.filter(|won| won.is_exact()) {
            return won.most();
        }
        if self.surveyed == self.surveys.len() {
            self.surveys.push(S::Survey::default());
        }
        let members = &mut self.members[begin..end];
        match self.source.look(members, &mut left, &mut self.surveys[self.surveyed], &mut self.parting.said) {
            Look::Over(count) => self.source.weight(&members[..count]) + self.settle(begin + count, end, left),
            Look::Apart => {
                let (first, parts) = (self.sizes.len(), self.parts.len());
                self.parting.part(members, &mut self.sizes);
                let (mut begin, mut won) = (begin, 0);
                for index in first..self.sizes.len() {
                    let end = begin + self.sizes[index];
                    won += self.settle(begin, end, left);
                    begin = end;
                }
                self.sizes.truncate(first);
                if self.parts.len() == parts {
                    self.keep(key, Won::new(won, true));
                }
                won
            }
            Look::Nothing => self.part((begin, end, left), key, known),
        }
    }

    /// What is won at most of a surveyed set without safe tiles, before it is searched; `parts` grows where it has to be.
    fn part(
        &mut self,
        (begin, end, left): (usize, usize, S::Left),
        mut key: Option<S::Key>,
        mut known: Option<Won>,
    ) -> u64 {
        let members = &self.members[begin..end];
        let survey = &self.surveys[self.surveyed];
        let (safest, alike) = (self.source.safest(survey, left), self.source.most_alike(members));
        if safest == 0 {
            return alike;
        }
        if key.is_none() && (!self.is_ordering || members.len() < S::BOUNDS.large) {
            key = self.source.key(members, left, Some(survey));
            known = key.and_then(|key| self.known.get(&key));
        }
        let won = known.map_or(u64::MAX, Won::most).min(safest.max(alike));
        if !known.is_some_and(Won::is_exact) {
            self.parts.push(Part { begin, end, left, key, won, survey: self.surveyed });
            self.surveyed += 1;
        }
        won
    }

    fn keep(&mut self, key: Option<S::Key>, won: Won) {
        if let Some(key) = key {
            self.known.insert(key, won);
        }
    }

    /// Searches the parts from `first` on; `most` is won at most.
    fn finish(&mut self, first: usize, mut most: u64, enough: u64) -> Result<u64, BeyondReach> {
        if most <= enough {
            return Ok(most);
        }
        // Small parts first: they are cheap, and what they lose is known early.
        self.parts[first..].sort_unstable_by_key(|part| (part.end - part.begin, part.begin));
        if enough > 0 {
            // All of them one step further first: most moves that are not good enough show it by then.
            for index in (first..self.parts.len()).rev() {
                let part = self.parts[index];
                if part.end - part.begin < S::BOUNDS.refined {
                    break;
                }
                let won = self.refine(part)?;
                self.parts[index].won = won;
                most -= part.won - won;
                if most <= enough {
                    return Ok(most);
                }
            }
        }
        for index in first..self.parts.len() {
            let part = self.parts[index];
            let others = most - part.won;
            most = others + self.search(part, enough.saturating_sub(others), !self.is_narrow)?.0;
            if most <= enough {
                break;
            }
        }
        Ok(most)
    }

    /// The choices of a part that may win more than `best`, from the end of `choices` on, and a bound of the others.
    fn choose(&mut self, part: PartOf<S>, best: u64, is_narrow: bool) -> Result<u64, BeyondReach> {
        let work = (part.end - part.begin) * self.source.tiles(part.left);
        self.work_left = self.work_left.checked_sub(work).ok_or(BeyondReach)?;
        let choices = self.source.choices(&self.surveys[part.survey], part.left);
        let choices = choices.map(|(safe, tile)| Choice::new(safe, false, tile));
        if is_narrow {
            self.choices.extend(choices.max());
            return Ok(0);
        }
        let mut bound = 0;
        for choice in choices {
            if choice.most() > best {
                self.choices.push(choice);
            } else {
                bound = bound.max(choice.most());
            }
        }
        Ok(bound)
    }

    /// Takes the most promising choice from `first` on.
    fn next_choice(&mut self, first: usize) -> Option<Choice> {
        let choices = &self.choices[first..];
        let (place, choice) = choices.iter().copied().enumerate().max_by_key(|(_, choice)| *choice)?;
        self.choices.swap_remove(first + place);
        Some(choice)
    }

    /// A bound of what is won of a part: by its best tile, the sum of the bounds of what that leads to.
    fn refine(&mut self, part: PartOf<S>) -> Result<u64, BeyondReach> {
        let mut best = self.source.most_alike(&self.members[part.begin..part.end]);
        let first = self.choices.len();
        self.choose(part, best, self.is_narrow)?;
        while let Some(choice) = self.next_choice(first).filter(|choice| choice.most() > best && best < part.won) {
            best = best.max(self.bound(part, choice.tile(), best).min(choice.most()));
        }
        self.choices.truncate(first);
        let won = best.min(part.won);
        self.keep(part.key, Won::new(won, false));
        Ok(won)
    }

    /// The sum of the bounds of what `tile` leads to; not exact where it is not more than `enough`.
    fn bound(&mut self, part: PartOf<S>, tile: usize, enough: u64) -> u64 {
        let mark = self.mark();
        self.is_ordering = true;
        let most = match self.open((part.begin, part.end, part.left), tile, enough) {
            Ok((most, true)) => most,
            Ok((_, false)) => 0,
            Err(most) => most,
        };
        self.is_ordering = false;
        self.release(mark);
        most
    }

    /// What is won of a part, and by which tile if one is better than playing for a single member. Exact if more than
    /// `enough`; else no more than what is returned is won.
    fn search(&mut self, part: PartOf<S>, enough: u64, is_wide: bool) -> Result<(u64, Option<usize>), BeyondReach> {
        let alike = self.source.most_alike(&self.members[part.begin..part.end]);
        let (mut best, mut bound, mut found) = (enough.max(alike), alike, None);
        let first = self.choices.len();
        bound = bound.max(self.choose(part, best, !is_wide)?);
        let is_ordered = part.end - part.begin >= S::BOUNDS.ordered && is_wide;
        while let Some(choice) = self.next_choice(first) {
            if choice.most() <= best {
                bound = bound.max(choice.most());
                break;
            }
            if is_ordered && !choice.is_bounded() {
                let most = self.bound(part, choice.tile(), best).min(choice.most());
                self.choices.push(Choice::new(most, true, choice.tile()));
                continue;
            }
            let mark = self.mark();
            let won = match self.open((part.begin, part.end, part.left), choice.tile(), best) {
                Ok((_, false)) => 0,
                Ok((most, true)) => self.finish(mark.parts, most, best)?,
                Err(most) => most,
            };
            self.release(mark);
            bound = bound.max(won);
            if won > best {
                (best, found) = (won, Some(choice.tile()));
            }
        }
        self.choices.truncate(first);
        let won = if best > enough { Won::new(best, true) } else { Won::new(bound, false) };
        self.keep(part.key, won);
        Ok((won.most(), found))
    }
}
