//! Where the end of a game shows its mines numbers are counted.

use super::belief::{Game, Known};
use crate::geometry::BoardSize;
use crate::vision::unknown::looks::LookId;
use std::collections::{BTreeMap, BTreeSet};

/// Half of the tiles around which there is something to count would have the right count by chance, if the mines shown were not all.
/// So many must have it.
const COUNTED: usize = 10;
/// Games that must say how many mines there are: the end of one may show only a part of them, or be none, and where each tile is a mine by some
/// chance two of 100 tiles have as many in one pair of ten.
const AGREED: usize = 3;
/// Looks that only the end of a game shows, of which it is tried which are mines.
const ENDINGS: usize = 8;

/// How many mines the ends of games showed, or left covered, on boards of a size.
#[derive(Default)]
pub struct Totals(BTreeMap<BoardSize, Vec<u32>>);

impl Totals {
    pub fn add(&mut self, size: BoardSize, mines: usize) {
        self.0.entry(size).or_default().push(mines as u32);
    }

    /// Those of which games enough say the same, and none another.
    pub fn agreed(&self) -> BTreeMap<BoardSize, u32> {
        let is_agreed = |all: &&Vec<u32>| all.len() >= AGREED && all.iter().all(|mines| *mines == all[0]);
        self.0.iter().filter(|(_, all)| is_agreed(all)).map(|(&size, all)| (size, all[0])).collect()
    }
}

/// Where mines are for certain on a board that has ended, and whether those are all.
pub struct Shown {
    /// The looks of mines: that of the one that was hit first.
    pub looks: Vec<LookId>,
    pub cells: BTreeSet<usize>,
    /// Where there may be more: their looks fit as mines and as anything else.
    pub maybe: BTreeSet<usize>,
    /// Where nothing can be told: something lies over tiles that were hidden before.
    pub covered: BTreeSet<usize>,
    /// The chance that it only seems so.
    pub wrong: f64,
}

impl Shown {
    /// How many mines are around the tiles of every look, as [`counts`] says it, but for those that may have more around them.
    pub fn counts(
        &self,
        size: BoardSize,
        known: &Known,
        boards: &[&[Option<LookId>]],
    ) -> BTreeMap<LookId, BTreeSet<u8>> {
        let untold: BTreeSet<usize> = self.maybe.union(&self.covered).copied().collect();
        let boards: Vec<Vec<Option<LookId>>> = boards.iter().map(|board| told(size, known, board, &untold)).collect();
        let boards: Vec<&[Option<LookId>]> = boards.iter().map(Vec::as_slice).collect();
        counts(size, known, &boards, &self.cells).0
    }
}

/// A board without what counts mines where nothing can be told, or beside it.
fn told(size: BoardSize, known: &Known, board: &[Option<LookId>], untold: &BTreeSet<usize>) -> Vec<Option<LookId>> {
    let is_untold = |index: usize| {
        let mut around = size.neighbours(size.cell(index)).map(|cell| size.index(cell));
        untold.contains(&index) || around.any(|other| untold.contains(&other))
    };
    let all = board.iter().enumerate();
    all.map(|(index, look)| look.filter(|look| known.is_covered(Some(*look)) || !is_untold(index))).collect()
}

/// What counts mines beside hidden tiles: how many tiles have some around them, and on how many of which looks there are none.
#[derive(Default)]
struct Telling {
    some: usize,
    none: usize,
    silent: BTreeSet<LookId>,
}

impl Telling {
    /// Whether so much is around it that the mines may be all. Where a client opens all around an empty tile, what has none around it and still
    /// stands beside hidden tiles is a mark, and those are few; where it does not, it is the empty tile. Several looks that have none are
    /// numbers, the mines of which are not shown.
    fn may_be_all(&self, known: &Known) -> bool {
        let is_empty = known.zeros.is_empty() && self.silent.len() <= 1;
        is_empty || self.none <= self.some
    }
}

/// How many mines are around the tiles of every look that was open in some pictures of a game, and what of that tells anything.
fn counts(
    size: BoardSize,
    known: &Known,
    boards: &[&[Option<LookId>]],
    mines: &BTreeSet<usize>,
) -> (BTreeMap<LookId, BTreeSet<u8>>, Telling) {
    let mut counts: BTreeMap<LookId, BTreeSet<u8>> = BTreeMap::new();
    let (mut telling, mut seen) = (Telling::default(), BTreeSet::new());
    for board in boards {
        for (index, look) in board.iter().enumerate() {
            let Some(look) = look.filter(|look| !known.is_covered(Some(*look)) && !mines.contains(&index)) else {
                continue;
            };
            let around = || size.neighbours(size.cell(index)).map(|cell| size.index(cell));
            let count = around().filter(|other| mines.contains(other)).count() as u8;
            counts.entry(look).or_default().insert(count);
            if !around().any(|other| known.is_covered(boards[0][other])) || !seen.insert(index) {
                continue;
            }
            let is_known = known.zeros.contains(&look) || known.mute.contains(&look) || known.told.contains_key(&look);
            if count > 0 {
                telling.some += 1;
            } else if !is_known {
                telling.none += 1;
                telling.silent.insert(look);
            }
        }
    }
    (counts, telling)
}

/// The mines that the ends of games show, where they were lost and show them all: each by itself, and where there is too little to count, those
/// that are left together.
pub fn shown_mines(known: &Known, games: &[Game], open: &BTreeSet<LookId>) -> Vec<Option<Shown>> {
    let ends: Vec<Option<End>> = games.iter().map(|game| End::of(known, game, open)).collect();
    let alone = |end: &Option<End>| shown_by(known, std::slice::from_ref(end.as_ref()?), open)?.pop();
    let mut shown: Vec<Option<Shown>> = ends.iter().map(alone).collect();
    let (left, rest): (Vec<usize>, Vec<End>) =
        ends.into_iter().enumerate().filter_map(|(at, end)| Some((at, end.filter(|_| shown[at].is_none())?))).unzip();
    if rest.len() > 1 {
        for (at, found) in left.into_iter().zip(shown_by(known, &rest, open).into_iter().flatten()) {
            shown[at] = Some(found);
        }
    }
    shown
}

/// The end of a game that may show its mines.
struct End<'a> {
    size: BoardSize,
    /// What the last click opened.
    hit: LookId,
    ending: &'a [Option<LookId>],
    /// Hidden tiles over which something lies at the end: a mine there is one that nobody sees.
    covered: BTreeSet<usize>,
    /// The board before and after, without what counts mines there.
    then_and_now: [Vec<Option<LookId>>; 2],
}

impl<'a> End<'a> {
    fn of(known: &Known, game: &'a Game, open: &BTreeSet<LookId>) -> Option<Self> {
        let size = game.size;
        let (ending, clicked) = game.ending.as_ref()?;
        let hit = ending[size.index(*clicked)].filter(|look| !open.contains(look) && !known.is_covered(Some(*look)))?;
        let was_covered = |index: &usize| game.running[*index].is_none_or(|look| known.is_covered(Some(look)));
        let covered: BTreeSet<usize> =
            (0..size.tiles()).filter(|index| ending[*index].is_none()).filter(was_covered).collect();
        let then_and_now = [&game.running, ending].map(|board| told(size, known, board, &covered));
        Some(Self { size, hit, ending, covered, then_and_now })
    }

    /// The tiles that have one of these looks.
    fn cells(&self, is_mine: impl Fn(LookId) -> bool) -> BTreeSet<usize> {
        (0..self.size.tiles()).filter(|&index| self.ending[index].is_some_and(&is_mine)).collect()
    }
}

/// How many mines are around the tiles of every look of some ends, and what of that tells anything, with these tiles for mines. `since`: how many
/// boards of each are looked at, the one before its end first.
fn counts_of(
    known: &Known,
    ends: &[End],
    mines: &[BTreeSet<usize>],
    since: usize,
) -> (BTreeMap<LookId, BTreeSet<u8>>, Telling) {
    let (mut all, mut tells) = (BTreeMap::<LookId, BTreeSet<u8>>::new(), Telling::default());
    for (end, mines) in ends.iter().zip(mines) {
        let boards = [&end.then_and_now[0][..], &end.then_and_now[1][..]];
        let (counts, telling) = counts(end.size, known, &boards[..since], mines);
        for (look, counts) in counts {
            all.entry(look).or_default().extend(counts);
        }
        tells.some += telling.some;
        tells.none += telling.none;
        tells.silent.extend(telling.silent);
    }
    (all, tells)
}

/// The mines of these ends, if their looks are the same everywhere and leave one count to every look around them.
fn shown_by(known: &Known, ends: &[End], open: &BTreeSet<LookId>) -> Option<Vec<Shown>> {
    let shown = |looks: &[LookId], cells: Vec<BTreeSet<usize>>, wrong: f64| -> Vec<Shown> {
        let one = |(end, cells): (&End, BTreeSet<usize>)| {
            // That of the one that was hit first.
            let mut looks = looks.to_vec();
            looks.sort_by_key(|look| *look != end.hit);
            Shown { looks, cells, maybe: BTreeSet::new(), covered: end.covered.clone(), wrong }
        };
        ends.iter().zip(cells).map(one).collect()
    };
    if !known.mines.is_empty() {
        let looks: Vec<LookId> = known.mines.iter().copied().collect();
        return Some(shown(&looks, ends.iter().map(|end| end.cells(|look| looks.contains(&look))).collect(), 0.0));
    }
    let hits: BTreeSet<LookId> = ends.iter().map(|end| end.hit).collect();
    let fresh: BTreeSet<LookId> =
        ends.iter().flat_map(|end| end.ending).flatten().copied().filter(|look| !open.contains(look)).collect();
    let others: Vec<LookId> =
        fresh.into_iter().filter(|look| !hits.contains(look) && !known.is_covered(Some(*look))).take(ENDINGS).collect();
    // Where the end shows numbers, too, those count: what is far from all that was open may be a mine or a number that is new.
    let mut best: Option<((bool, usize), Vec<Shown>)> = None;
    for chosen in 0..1u32 << others.len() {
        let more = others.iter().enumerate().filter(|(index, _)| chosen >> index & 1 == 1).map(|(_, look)| *look);
        let looks: Vec<LookId> = hits.iter().copied().chain(more).collect();
        let cells: Vec<BTreeSet<usize>> = ends.iter().map(|end| end.cells(|look| looks.contains(&look))).collect();
        let (then, telling) = counts_of(known, ends, &cells, 1);
        let is_one = then.values().all(|counts| counts.len() == 1);
        let is_right = known.zeros.iter().all(|zero| then.get(zero).is_none_or(|counts| counts.contains(&0)));
        // The first tile of each look is what the others are compared with.
        let compared = telling.some.saturating_sub(then.len() - telling.silent.len());
        if !is_one || !is_right || compared < COUNTED || !telling.may_be_all(known) {
            continue;
        }
        let (all, _) = counts_of(known, ends, &cells, 2);
        let found = cells.iter().map(BTreeSet::len).sum();
        let rank = (all.iter().all(|(look, counts)| !open.contains(look) || counts.len() == 1), found);
        if best.as_ref().is_none_or(|(known, _)| rank > *known) {
            best = Some((rank, shown(&looks, cells, 0.5f64.powi(compared.min(1000) as i32))));
        }
    }
    let (_, mut found) = best?;
    // What fits as well without a look does not tell that it is one of mines.
    let is_of = |end: &End, index: &usize, look: LookId| end.ending[*index] == Some(look);
    let fits_without = |look: &LookId| {
        let without = |(end, shown): (&End, &Shown)| -> BTreeSet<usize> {
            shown.cells.iter().copied().filter(|index| !is_of(end, index, *look)).collect()
        };
        let left: Vec<BTreeSet<usize>> = ends.iter().zip(&found).map(without).collect();
        !hits.contains(look) && counts_of(known, ends, &left, 1).0.values().all(|counts| counts.len() == 1)
    };
    let untold: Vec<LookId> = found.first()?.looks.iter().copied().filter(fits_without).collect();
    for (end, shown) in ends.iter().zip(&mut found) {
        shown.looks.retain(|look| !untold.contains(look));
        shown.maybe =
            shown.cells.iter().copied().filter(|index| untold.iter().any(|look| is_of(end, index, *look))).collect();
        shown.cells.retain(|index| !shown.maybe.contains(index));
    }
    Some(found)
}
