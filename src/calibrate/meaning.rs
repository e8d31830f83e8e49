//! Looks → what they mean, by counting.
//!
//! Nothing is known of a look but where it was seen. A labelling gives every look of an open tile a number; how well it explains a
//! board is the chance that mines laid at random agree with it ([`log_chance`]), and labellings are judged by the product over all
//! games (Bayes, every labelling being as likely before). Most are plainly impossible: no number is larger than the tiles that could
//! hold its mines.
//!
//! Where a lost game shows all its mines the numbers can simply be counted. That it did is believed when every look that was seen
//! around it has one count, and never two.

use crate::board::{Board, Tile};
use crate::geometry::{BoardSize, Cell};
use crate::solver::probability::{log_chance, risks};
use crate::vision::looks::LookId;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// A game, as looks.
#[derive(Clone, Debug)]
pub struct Game {
    /// Columns and rows.
    pub size: BoardSize,
    /// Every tile before the last click that did anything, row by row.
    pub running: Vec<Option<LookId>>,
    /// Every tile when the game was over, and where it was clicked last; nothing if it was not played to its end.
    pub ending: Option<(Vec<Option<LookId>>, Cell)>,
}

/// What one look means.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meaning {
    /// What it is.
    pub tile: Tile,
    /// The chance that this is wrong, as far as counting tells.
    pub wrong: f64,
    /// On how many tiles of how many games it was seen.
    pub seen: (usize, usize),
}

/// What it rests on.
impl fmt::Display for Meaning {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        let Self { wrong, seen: (tiles, games), .. } = *self;
        match wrong > 0.0 {
            false if tiles == 0 => write!(to, "put on a tile and taken away"),
            true => write!(to, "{tiles} tiles in {games} games, counted: wrong with a chance of {wrong:.0e}"),
            false => write!(to, "{tiles} tiles in {games} games, known by what was done"),
        }
    }
}

/// The numbers that looks may mean together, and the share of that among all labellings (0..1); while they are compared, the logarithm
/// of their weight.
pub type Labelling = (BTreeMap<LookId, u8>, f64);

/// What is believed of every look, and how the games ended.
#[derive(Clone, Debug, Default)]
pub struct Meanings {
    /// By look; nothing for one that may still mean several things.
    pub of: BTreeMap<LookId, Meaning>,
    /// The labellings of open tiles that are still possible, the likeliest first, with their shares of all (0..1).
    pub labellings: Vec<Labelling>,
    /// Mines on boards of a size, where games that showed them all, or were won, agree.
    pub mines: BTreeMap<BoardSize, u32>,
    /// Of every game whether it was won, as far as that is known.
    pub won: Vec<Option<bool>>,
}

/// A label is believed at this chance of being wrong.
pub const BELIEVED: f64 = 1e-3;
/// Labellings that are followed at a time.
const FOLLOWED: usize = 40;
/// A share of the likeliest labelling's from which on one is dropped.
const NEGLIGIBLE: f64 = 1e-9;
/// Half of the tiles around which there is something to count would have the right count by chance, if the mines shown were not all.
/// So many must have it.
const COUNTED: usize = 10;
/// Games after which a look is that of the mine that was hit.
const HIT: usize = 2;
/// Games that must say how many mines there are: the end of one may show only a part of them, or be none.
const AGREED: usize = 2;
/// Looks that only the end of a game shows, of which it is tried which are mines.
const ENDINGS: usize = 8;

/// What is known before anything is counted.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// Looks of tiles that were not opened: those of an untouched board.
    pub hidden: BTreeSet<LookId>,
    /// Marks that a press put on a hidden tile, and took away again.
    pub marks: BTreeMap<LookId, Tile>,
    /// Looks of tiles that opened others with them, in a game that went on.
    pub zeros: BTreeSet<LookId>,
    /// What a person said of looks.
    pub told: BTreeMap<LookId, Tile>,
    /// Looks of open tiles that say nothing of the mines around them: a picture where a game begins.
    pub mute: BTreeSet<LookId>,
    /// Looks that a right click put on a tile, of which it is not known what they are: they are not named by what they count.
    pub aside: BTreeSet<LookId>,
    /// Looks of mines, where every end of a game that is kept shows all of them: nothing is to be found out of these, then.
    pub mines: BTreeSet<LookId>,
    /// Numbers of which it is known how they look here: what looks otherwise is none of these, unless it was counted.
    pub taken: BTreeSet<u8>,
}

impl Known {
    /// Takes what a person says of a look, whatever was held of it before.
    pub fn tell(&mut self, look: LookId, tile: Tile) {
        self.hidden.remove(&look);
        self.marks.remove(&look);
        self.zeros.remove(&look);
        self.mute.remove(&look);
        self.aside.remove(&look);
        self.told.remove(&look);
        match tile {
            Tile::Hidden => drop(self.hidden.insert(look)),
            Tile::Flag | Tile::Question => drop(self.marks.insert(look, tile)),
            tile => drop(self.told.insert(look, tile)),
        }
    }

    /// Whether a look is that of a tile that was not opened.
    pub fn is_covered(&self, look: Option<LookId>) -> bool {
        look.is_some_and(|look| self.hidden.contains(&look) || self.marks.contains_key(&look))
    }

    /// The board of these looks under a labelling; an open tile without a label only is no mine.
    pub fn board(
        &self,
        size: BoardSize,
        looks: &[Option<LookId>],
        labels: &BTreeMap<LookId, u8>,
        mines: Option<u32>,
    ) -> Option<Board> {
        let tile = |look: &Option<LookId>| match look {
            None => Tile::Unrecognised,
            Some(_) if self.is_covered(*look) => Tile::Hidden,
            Some(look) => labels.get(look).map_or(Tile::WrongFlag, |&number| Tile::Open(number)),
        };
        Board::new(size, mines, looks.iter().map(tile).collect()).ok()
    }
}

/// How many mines the ends of games showed, or left covered, on boards of a size.
#[derive(Default)]
struct Totals(BTreeMap<BoardSize, Vec<u32>>);

impl Totals {
    fn add(&mut self, size: BoardSize, mines: usize) {
        self.0.entry(size).or_default().push(mines as u32);
    }

    /// Those of which games enough say the same, and none another.
    fn agreed(&self) -> BTreeMap<BoardSize, u32> {
        let is_agreed = |all: &&Vec<u32>| all.len() >= AGREED && all.iter().all(|mines| *mines == all[0]);
        self.0.iter().filter(|(_, all)| is_agreed(all)).map(|(&size, all)| (size, all[0])).collect()
    }
}

/// Where mines are for certain on a board that has ended, and whether those are all.
struct Shown {
    /// The looks of mines: that of the one that was hit first.
    looks: Vec<LookId>,
    cells: BTreeSet<usize>,
    /// Where there may be more: their looks fit as mines and as anything else.
    maybe: BTreeSet<usize>,
    /// Where nothing can be told: something lies over tiles that were hidden before.
    covered: BTreeSet<usize>,
    /// The chance that it only seems so.
    wrong: f64,
}

impl Shown {
    /// How many mines are around the tiles of every look, as [`counts`] says it, but for those that may have more around them.
    fn counts(&self, size: BoardSize, known: &Known, boards: &[&[Option<LookId>]]) -> BTreeMap<LookId, BTreeSet<u8>> {
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

/// What the looks mean.
///
/// # Errors
/// No labelling explains the games: looks were taken for one that are two, or the grid is wrong, or this is no Minesweeper.
pub fn meanings(known: &Known, games: &[Game]) -> Result<Meanings, Contradiction> {
    let known = &Known { mute: known.mute.union(&known.aside).copied().collect(), ..known.clone() };
    let open: BTreeSet<LookId> = games
        .iter()
        .flat_map(|game| &game.running)
        .filter(|look| !known.is_covered(**look))
        .flatten()
        .copied()
        .collect();
    let mut meanings = Meanings::default();
    let mut counted: BTreeMap<LookId, (u8, f64)> = BTreeMap::new();
    for &look in &known.zeros {
        counted.insert(look, (0, 0.0));
    }
    for (&look, tile) in &known.told {
        match tile {
            Tile::Open(number) => drop(counted.insert(look, (*number, 0.0))),
            tile => drop(meanings.of.insert(look, Meaning { tile: *tile, wrong: 0.0, seen: seen(games, look) })),
        }
    }
    let mut totals = Totals::default();
    let shown = shown_mines(known, games, &open);
    for (game, shown) in games.iter().zip(&shown) {
        let (Some(shown), Some((ending, _))) = (shown, &game.ending) else { continue };
        if ending.iter().all(Option::is_some) && shown.maybe.is_empty() {
            totals.add(game.size, shown.cells.len());
        }
        let counts = shown.counts(game.size, known, &[&game.running[..], &ending[..]]);
        let tells = |look: &LookId| open.contains(look) && !known.mute.contains(look);
        for (look, counts) in counts.into_iter().filter(|(look, _)| tells(look)) {
            let number = *counts.iter().next().unwrap_or(&0);
            if counted.insert(look, (number, shown.wrong)).is_some_and(|(before, _)| before != number) {
                return Err(Contradiction::of(look, "has two numbers around it"));
            }
        }
    }
    let strange = marks_among(&counted, known, games);
    counted.retain(|look, _| !strange.contains(look));
    let known = &Known { mute: known.mute.union(&strange).copied().collect(), ..known.clone() };
    meanings.labellings = match labellings(known, games, &counted, &totals.agreed()) {
        // What shows of the mines at the end of games may not be all of them.
        Err(_) if !totals.agreed().is_empty() => {
            totals = Totals::default();
            labellings(known, games, &counted, &totals.agreed())?
        }
        other => other?,
    };
    for &look in &open {
        let mut shares: BTreeMap<u8, f64> = BTreeMap::new();
        for (labels, share) in &meanings.labellings {
            if let Some(&number) = labels.get(&look) {
                *shares.entry(number).or_default() += share;
            }
        }
        let Some((&number, &share)) = shares.iter().max_by(|a, b| a.1.total_cmp(b.1)) else { continue };
        let wrong = counted.get(&look).map_or((1.0 - share).max(0.0), |(_, wrong)| *wrong);
        let is_possible = counted.contains_key(&look) || may_be_at_the_end(known, games, &counted, look, number);
        if wrong <= BELIEVED && is_possible {
            meanings.of.insert(look, Meaning { tile: Tile::Open(number), wrong, seen: seen(games, look) });
        }
    }
    name_endings(known, games, &shown, &open, &mut meanings, &mut totals);
    let mines = totals.agreed();
    let fits = |(labels, _): &Labelling| weight(known, games, labels, &mines).is_some();
    meanings.mines = if meanings.labellings.first().is_some_and(fits) { mines } else { BTreeMap::new() };
    no_more_mines(games, &meanings)?;
    // What is told of numbers that no game shows is believed as it is.
    for (&look, tile) in known.told.iter().filter(|(_, tile)| matches!(tile, Tile::Open(_))) {
        meanings.of.entry(look).or_insert(Meaning { tile: *tile, wrong: 0.0, seen: seen(games, look) });
    }
    for (&look, tile) in known.hidden.iter().map(|look| (look, &Tile::Hidden)).chain(&known.marks) {
        meanings.of.insert(look, Meaning { tile: *tile, wrong: 0.0, seen: seen(games, look) });
    }
    Ok(meanings)
}

/// Looks that count no mines but stand beside hidden tiles, where others that count none never do: these open what is around them, so those are
/// marks that were held to be open.
fn marks_among(counted: &BTreeMap<LookId, (u8, f64)>, known: &Known, games: &[Game]) -> BTreeSet<LookId> {
    let none = counted.iter().filter(|(_, (number, _))| *number == 0).map(|(look, _)| *look);
    let (empty, beside): (BTreeSet<LookId>, BTreeSet<LookId>) = none.partition(|&look| may_be(known, games, look, 0));
    let is_told = |look: &LookId| known.zeros.contains(look) || known.told.contains_key(look);
    if empty.is_empty() { BTreeSet::new() } else { beside.into_iter().filter(|look| !is_told(look)).collect() }
}

/// Around no number more mines show at the end of a lost game than it counts: fewer may, for some clients show only a part of them.
fn no_more_mines(games: &[Game], meanings: &Meanings) -> Result<(), Contradiction> {
    let tile = |look: Option<LookId>| look.and_then(|look| meanings.of.get(&look)).map(|meaning| meaning.tile);
    let lost = games.iter().zip(&meanings.won).filter(|(_, won)| **won == Some(false));
    for (game, (ending, _)) in lost.filter_map(|(game, _)| Some((game, game.ending.as_ref()?))) {
        let size = game.size;
        let is_mine = |cell: &Cell| tile(ending[size.index(*cell)]).is_some_and(Tile::is_shown_mine);
        for (index, look) in game.running.iter().enumerate() {
            if let (Some(look), Some(Tile::Open(number))) = (look, tile(*look))
                && !is_mine(&size.cell(index))
                && size.neighbours(size.cell(index)).filter(is_mine).count() > usize::from(number)
            {
                return Err(Contradiction::of(*look, "has more mines around it than it counts"));
            }
        }
    }
    Ok(())
}

/// Nothing explains what was seen.
#[derive(Clone, Debug, thiserror::Error)]
#[error("what was seen contradicts itself: {why}")]
pub struct Contradiction {
    /// In words.
    pub why: String,
    /// The look that can be no number, if it is one.
    pub look: Option<LookId>,
}

impl Contradiction {
    fn of(look: LookId, why: &str) -> Self {
        Self { why: format!("look {look} {why}"), look: Some(look) }
    }

    fn of_all(why: &str) -> Self {
        Self { why: why.into(), look: None }
    }
}

/// On how many tiles of how many games a look was seen.
fn seen(games: &[Game], look: LookId) -> (usize, usize) {
    let tiles = |game: &Game| {
        let last = game.ending.as_ref().map_or(&game.running, |(ending, _)| ending);
        let count = |tiles: &[Option<LookId>]| tiles.iter().filter(|tile| **tile == Some(look)).count();
        count(last).max(count(&game.running))
    };
    let all: Vec<usize> = games.iter().map(tiles).filter(|count| *count > 0).collect();
    (all.iter().sum(), all.len())
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
fn shown_mines(known: &Known, games: &[Game], open: &BTreeSet<LookId>) -> Vec<Option<Shown>> {
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

/// The labellings that explain all games, the likeliest first, with their shares.
fn labellings(
    known: &Known,
    games: &[Game],
    counted: &BTreeMap<LookId, (u8, f64)>,
    mines: &BTreeMap<BoardSize, u32>,
) -> Result<Vec<Labelling>, Contradiction> {
    let fixed: BTreeMap<LookId, u8> = counted.iter().map(|(&look, &(number, _))| (look, number)).collect();
    let first = weight(known, games, &fixed, mines)
        .ok_or_else(|| Contradiction::of_all("the numbers that were counted do not fit together"))?;
    followed(known, games, vec![(fixed, first)], mines)
}

/// The labellings that are left when a game is under way, with what the games before it tell.
///
/// # Errors
/// None explains it.
pub fn under_way(known: &Known, before: &Meanings, game: &Game) -> Result<Vec<Labelling>, Contradiction> {
    let games = std::slice::from_ref(game);
    let none = [(BTreeMap::new(), 1.0)];
    let start = if before.labellings.is_empty() { &none[..] } else { &before.labellings[..] };
    let start = start.iter().filter_map(|(labels, share)| {
        let mut labels = labels.clone();
        known.zeros.iter().for_each(|&zero| {
            labels.entry(zero).or_insert(0);
        });
        let weight = weight(known, games, &labels, &before.mines)?;
        Some((labels, weight + share.ln()))
    });
    followed(known, games, start.collect(), &before.mines)
}

/// How well labels explain games: the logarithm of the chance; nothing if they cannot be.
fn weight(
    known: &Known,
    games: &[Game],
    labels: &BTreeMap<LookId, u8>,
    mines: &BTreeMap<BoardSize, u32>,
) -> Option<f64> {
    games.iter().try_fold(0.0, |sum, game| {
        let board = known.board(game.size, &game.running, labels, mines.get(&game.size).copied())?;
        match log_chance(&board) {
            Ok(chance) => Some(sum + chance),
            // Too wide to be counted is no contradiction.
            Err(crate::solver::probability::Unsolved::BeyondReach { .. }) => Some(sum),
            Err(_) => None,
        }
    })
}

/// Labellings with the logarithms of their weights → those of them, with labels for all looks that are open in some games, that
/// explain these games best, with their shares.
fn followed(
    known: &Known,
    games: &[Game],
    start: Vec<Labelling>,
    mines: &BTreeMap<BoardSize, u32>,
) -> Result<Vec<Labelling>, Contradiction> {
    let mut followed = start;
    let labelled = |look: &LookId| followed.iter().any(|(labels, _)| labels.contains_key(look));
    let open = games.iter().flat_map(|game| &game.running).filter(|look| !known.is_covered(**look)).flatten();
    let new: BTreeSet<LookId> = open.copied().filter(|look| !labelled(look) && !known.mute.contains(look)).collect();
    let mut order: Vec<LookId> = new.into_iter().collect();
    order.sort_by_key(|&look| std::cmp::Reverse(seen(games, look).0));
    // Every labelling is weighed with what it leaves open, so that each look changes the weight that was there before it.
    let mut base: Vec<f64> = Vec::new();
    for (labels, share) in &followed {
        base.push(share - weight(known, games, labels, mines).unwrap_or(0.0));
    }
    let mut followed: Vec<(Labelling, f64)> = followed.drain(..).zip(base).collect();
    for look in order {
        let mut next: Vec<(Labelling, f64)> = Vec::new();
        for ((labels, _), base) in &followed {
            let is_free = |number: &u8| !known.taken.contains(number) && may_be(known, games, look, *number);
            for number in (0..=8).filter(is_free) {
                let mut labels = labels.clone();
                labels.insert(look, number);
                next.extend(weight(known, games, &labels, mines).map(|weight| ((labels, weight + base), *base)));
            }
        }
        next.sort_by(|a, b| b.0.1.total_cmp(&a.0.1));
        next.truncate(FOLLOWED);
        let most = next.first().ok_or_else(|| Contradiction::of(look, "can be no number"))?.0.1;
        next.retain(|((_, weight), _)| weight - most > NEGLIGIBLE.ln());
        followed = next;
    }
    let most = followed.iter().map(|((_, weight), _)| *weight).max_by(f64::total_cmp);
    let most = most.ok_or_else(|| Contradiction::of_all("no numbers fit what was seen"))?;
    let all: f64 = followed.iter().map(|((_, weight), _)| (weight - most).exp()).sum();
    Ok(followed.into_iter().map(|((labels, weight), _)| (labels, (weight - most).exp() / all)).collect())
}

/// Whether a look can mean a number, by the tiles around those that have it alone: an empty tile opens all around it, and a mine
/// needs a covered tile.
fn may_be(known: &Known, games: &[Game], look: LookId, number: u8) -> bool {
    games.iter().all(|game| {
        let size = game.size;
        let places = game.running.iter().enumerate().filter(|(_, tile)| **tile == Some(look));
        places.map(|(index, _)| index).all(|index| {
            let around = size.neighbours(size.cell(index)).map(|cell| game.running[size.index(cell)]);
            let covered = around.filter(|look| look.is_none() || known.is_covered(*look)).count();
            if number == 0 { covered == 0 } else { covered >= usize::from(number) }
        })
    })
}

/// Whether a look that was only found likely to mean a number can mean it where games ended and it came up on hidden tiles that nobody clicked,
/// too: as many tiles around it must be others than numbers that were `counted`. A mark that was held to be open comes up on mines there, with
/// numbers all around.
fn may_be_at_the_end(
    known: &Known,
    games: &[Game],
    counted: &BTreeMap<LookId, (u8, f64)>,
    look: LookId,
    number: u8,
) -> bool {
    let is_number = |tile: &Option<LookId>| tile.is_some_and(|tile| tile == look || counted.contains_key(&tile));
    games.iter().filter_map(|game| Some((game, game.ending.as_ref()?))).all(|(game, (ending, clicked))| {
        let size = game.size;
        let others = |cell: Cell| size.neighbours(cell).filter(|other| !is_number(&ending[size.index(*other)])).count();
        let came_up = |cell: &Cell| {
            let index = size.index(*cell);
            ending[index] == Some(look) && known.is_covered(game.running[index]) && cell != clicked
        };
        size.cells().filter(came_up).all(|cell| others(cell) >= usize::from(number))
    })
}

/// What only the end of a game shows: mines, the one that was hit, and how hidden tiles and numbers look then.
fn name_endings(
    known: &Known,
    games: &[Game],
    shown: &[Option<Shown>],
    open: &BTreeSet<LookId>,
    meanings: &mut Meanings,
    totals: &mut Totals,
) {
    // Of how many games a look was where a mine was hit, and nowhere else: once may be chance, where a client paints its mines one by one.
    let mut hits: BTreeMap<LookId, usize> = BTreeMap::new();
    for (game, _) in games.iter().zip(shown).filter(|(_, shown)| shown.is_some()) {
        if let Some((look, 1)) = hit_of(game, known, open) {
            *hits.entry(look).or_default() += 1;
        }
    }
    // Of looks that only the end of a won game shows, on how many tiles that were left covered.
    let mut left: BTreeMap<LookId, i32> = BTreeMap::new();
    for (game, shown) in games.iter().zip(shown) {
        let size = game.size;
        let Some((ending, clicked)) = &game.ending else {
            meanings.won.push(None);
            continue;
        };
        let hit = ending[size.index(*clicked)];
        let is_number =
            hit.is_some_and(|look| matches!(meanings.of.get(&look), Some(Meaning { tile: Tile::Open(_), .. })));
        let covered = left_covered(known, game, open);
        let is_won = is_number && is_cleared(size, ending, &covered, meanings);
        meanings.won.push(if shown.is_some() { Some(false) } else { is_won.then_some(true) });
        if let Some(shown) = shown {
            let alone = hit
                .filter(|_| shown.looks.len() > 1 || !shown.maybe.is_empty())
                .and_then(|hit| hits.get(&hit).copied());
            for &look in &shown.looks {
                let tile = match alone.filter(|_| Some(look) == hit) {
                    Some(times) if times >= HIT && !is_hit_like_others(games, known, open) => Tile::Exploded,
                    // Once it may be either: it stays open.
                    Some(_) => continue,
                    None => Tile::Mine,
                };
                meanings.of.entry(look).or_insert(Meaning { tile, wrong: shown.wrong, seen: seen(games, look) });
            }
        } else if is_won {
            if ending.iter().all(Option::is_some) {
                totals.add(size, covered.len());
            }
            for look in covered.iter().filter_map(|&index| ending[index]).filter(|look| !known.is_covered(Some(*look)))
            {
                *left.entry(look).or_default() += 1;
            }
        }
    }
    name_shown(known, games, shown, open, meanings);
    name_fatal(known, games, shown, open, meanings);
    for (game, won) in games.iter().zip(&mut meanings.won) {
        let hit = game.ending.as_ref().and_then(|(ending, clicked)| ending[game.size.index(*clicked)]);
        let is_mine = hit.and_then(|look| meanings.of.get(&look)).is_some_and(|meaning| meaning.tile.is_shown_mine());
        *won = if is_mine { Some(false) } else { *won };
    }
    // What a win puts on a mine is a flag where no loss shows one so, and it cannot be told from a mine before there is a loss.
    let lost = || games.iter().zip(&meanings.won).filter(|(_, won)| **won == Some(false)).map(|(game, _)| game);
    let is_shown_at_a_loss =
        |look: LookId| lost().filter_map(|game| game.ending.as_ref()).any(|(ending, _)| ending.contains(&Some(look)));
    left.retain(|look, _| lost().next().is_some() && !is_shown_at_a_loss(*look));
    for (look, count) in left {
        // Half of the tiles that something else changes would have been open.
        let wrong = 0.5f64.powi(count.min(1000));
        if wrong <= BELIEVED {
            meanings.of.entry(look).or_insert(Meaning { tile: Tile::Flag, wrong, seen: seen(games, look) });
        }
    }
}

/// What looks like no open or hidden tile where the last click of a game was, and how many tiles of its end have that look.
fn hit_of(game: &Game, known: &Known, open: &BTreeSet<LookId>) -> Option<(LookId, usize)> {
    let (ending, clicked) = game.ending.as_ref()?;
    let hit =
        ending[game.size.index(*clicked)].filter(|look| !open.contains(look) && !known.is_covered(Some(*look)))?;
    Some((hit, ending.iter().filter(|look| **look == Some(hit)).count()))
}

/// Whether the mine that was hit looked like others in some game: then it has no look of its own in this client, and one that is nowhere else
/// in other games is chance.
fn is_hit_like_others(games: &[Game], known: &Known, open: &BTreeSet<LookId>) -> bool {
    games.iter().filter_map(|game| hit_of(game, known, open)).any(|(_, tiles)| tiles > 1)
}

/// What only the end of a lost game shows beside its mines: numbers that it opens or paints anew, and hidden tiles.
fn name_shown(
    known: &Known,
    games: &[Game],
    shown: &[Option<Shown>],
    open: &BTreeSet<LookId>,
    meanings: &mut Meanings,
) {
    /// Where a look was seen, all games together.
    struct Seen {
        counts: BTreeSet<u8>,
        /// What was there before.
        before: BTreeSet<Option<LookId>>,
        tiles: i32,
        wrong: f64,
    }
    let mut looks: BTreeMap<LookId, Seen> = BTreeMap::new();
    for (game, shown) in games.iter().zip(shown) {
        let (Some((ending, _)), Some(shown)) = (&game.ending, shown) else { continue };
        let counts = shown.counts(game.size, known, &[ending]);
        for (look, counts) in counts.into_iter().filter(|(look, _)| !open.contains(look)) {
            let none = Seen { counts: BTreeSet::new(), before: BTreeSet::new(), tiles: 0, wrong: 0.0 };
            let seen = looks.entry(look).or_insert(none);
            let places = (0..ending.len()).filter(|&index| ending[index] == Some(look));
            seen.before.extend(places.clone().map(|index| game.running[index]));
            seen.counts.extend(counts);
            seen.tiles += places.count() as i32;
            seen.wrong = seen.wrong.max(shown.wrong);
        }
    }
    for (look, Seen { counts, before, tiles, wrong }) in looks {
        let was_hidden = |look: &Option<LookId>| look.is_some_and(|look| known.hidden.contains(&look));
        // Half of the tiles would have the count of the first by chance.
        let by_chance = 0.5f64.powi(tiles - 1);
        let (tile, wrong) = match (counts.len(), counts.first()) {
            (1, Some(&number)) => {
                let was_it = |look: &Option<LookId>| {
                    look.and_then(|look| meanings.of.get(&look)).is_some_and(|known| known.tile == Tile::Open(number))
                };
                let is_told = before.iter().any(was_it) || by_chance <= BELIEVED;
                // What was a mark is none that was right.
                if !is_told || !before.iter().all(|look| was_it(look) || was_hidden(look)) {
                    continue;
                }
                (Tile::Open(number), if before.iter().any(was_it) { wrong } else { wrong + by_chance })
            }
            (2.., _) if before.iter().all(was_hidden) => (Tile::Hidden, wrong),
            _ => continue,
        };
        meanings.of.entry(look).or_insert(Meaning { tile, wrong, seen: seen(games, look) });
    }
}

/// A mine that is shown alone, in a client that shows no others, or others that cannot be counted: it ended games, and was never seen in one that
/// went on.
fn name_fatal(
    known: &Known,
    games: &[Game],
    shown: &[Option<Shown>],
    open: &BTreeSet<LookId>,
    meanings: &mut Meanings,
) {
    // What leaves nothing but mines is no loss, whatever the last click looks like.
    let is_loss =
        |game: &Game, shown: &Option<Shown>| shown.is_none() && !leaves_only_mines(known, game, open, meanings);
    let ends = games.iter().zip(shown).filter(|(game, shown)| is_loss(game, shown)).filter_map(|(game, _)| {
        let (ending, clicked) = game.ending.as_ref()?;
        ending[game.size.index(*clicked)].filter(|look| may_be_mines(known, games, *look))
    });
    let mut fatal: BTreeMap<LookId, usize> = BTreeMap::new();
    ends.filter(|look| !open.contains(look) && !known.is_covered(Some(*look)))
        .for_each(|look| *fatal.entry(look).or_default() += 1);
    for (look, count) in fatal.into_iter().filter(|(_, count)| *count >= 2) {
        let wrong = 0.1f64.powi(count as i32 + 1);
        let ends = || games.iter().filter_map(|game| game.ending.as_ref());
        let is_alone = |(ending, _): &(Vec<_>, Cell)| ending.iter().filter(|tile| **tile == Some(look)).count() <= 1;
        let tile = match ends().all(is_alone) {
            true if is_hit_like_others(games, known, open) => continue,
            true => Tile::Exploded,
            false => Tile::Mine,
        };
        meanings.of.entry(look).or_insert(Meaning { tile, wrong, seen: seen(games, look) });
    }
}

/// The tiles that would hold the mines if the click that ended a game won it.
fn left_covered(known: &Known, game: &Game, open: &BTreeSet<LookId>) -> Vec<usize> {
    let Some((ending, clicked)) = &game.ending else { return Vec::new() };
    (0..game.size.tiles())
        .filter(|&index| known.is_covered(game.running[index]) && game.size.cell(index) != *clicked)
        .filter(|&index| !ending[index].is_some_and(|look| open.contains(&look)))
        .collect()
}

/// Whether the end of a game leaves nothing covered but what its numbers count, of which it tells at least one.
fn leaves_only_mines(known: &Known, game: &Game, open: &BTreeSet<LookId>, meanings: &Meanings) -> bool {
    let Some((ending, _)) = &game.ending else { return false };
    let is_counted = |look: &LookId| matches!(meanings.of.get(look), Some(Meaning { tile: Tile::Open(1..), .. }));
    let covered = left_covered(known, game, open);
    ending.iter().flatten().any(is_counted) && is_cleared(game.size, ending, &covered, meanings)
}

/// Whether nothing but mines is left covered at the end of a game: every number counts exactly these. Where a mine that was hit, or shown, looks
/// like an empty tile, it is not.
fn is_cleared(size: BoardSize, ending: &[Option<LookId>], covered: &[usize], meanings: &Meanings) -> bool {
    let number = |index: usize| match meanings.of.get(&ending[index]?)?.tile {
        Tile::Open(number) => Some(number),
        _ => None,
    };
    let around = |cell: Cell| size.neighbours(cell).filter(|other| covered.contains(&size.index(*other))).count();
    let is_right = |cell: Cell| number(size.index(cell)).is_none_or(|number| usize::from(number) == around(cell));
    !covered.is_empty() && size.cells().filter(|cell| !covered.contains(&size.index(*cell))).all(is_right)
}

/// Whether a look can be that of mines: no tile that has it at the end of a game was open before, as tiles are that are only painted anew,
/// and where there are several they do not all hang together, as those do that a click opens.
fn may_be_mines(known: &Known, games: &[Game], look: LookId) -> bool {
    let ends = games.iter().filter_map(|game| Some((game, game.ending.as_ref()?)));
    ends.into_iter().all(|(game, (ending, clicked))| {
        let size = game.size;
        let has_it: Vec<bool> = ending.iter().map(|at| *at == Some(look)).collect();
        let was_open = |index: usize| game.running[index].is_some() && !known.is_covered(game.running[index]);
        let is_several = has_it.iter().filter(|has_it| **has_it).count() > 2;
        let is_flood = is_several && has_it[size.index(*clicked)] && size.hang_together(&has_it, *clicked);
        !is_flood && !(0..size.tiles()).any(|index| has_it[index] && was_open(index))
    })
}

/// The risk of every covered tile (0..1) of a game under way, by all labellings that are still possible, each by its share; nothing
/// where none can be worked out.
pub fn risk(known: &Known, before: &Meanings, game: &Game) -> Option<Vec<(Cell, f64)>> {
    let (size, looks) = (game.size, &game.running);
    let mines = before.mines.get(&size).copied();
    let mut sums: BTreeMap<usize, f64> = BTreeMap::new();
    let mut all = 0.0;
    for (labels, share) in under_way(known, before, game).ok()?.iter().take(6) {
        let Some(risks) = known.board(size, looks, labels, mines).and_then(|board| risks(&board).ok()) else {
            continue;
        };
        all += share;
        for (index, _) in looks.iter().enumerate().filter(|(_, look)| known.is_covered(**look)) {
            *sums.entry(index).or_default() += share * risks.risk(size.cell(index)).unwrap_or(1.0);
        }
    }
    (all > 0.0).then(|| sums.into_iter().map(|(index, sum)| (size.cell(index), sum / all)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Game as Deal, Rule, State};

    const SIZE: BoardSize = BoardSize::new(9, 9);

    /// Looks of an invented client: those of tiles of two tones by turns differ, and nothing follows from their order.
    fn look(tile: Tile, index: usize) -> LookId {
        let tone = index % 2;
        let which = match tile {
            Tile::Open(number) => usize::from((number * 5 + 3) % 11),
            Tile::Hidden => 20,
            Tile::Mine => 21,
            Tile::Exploded => 22,
            _ => 23,
        };
        2 * which + tone
    }

    fn looks(board: &Board) -> Vec<Option<LookId>> {
        board.tiles().iter().enumerate().map(|(index, tile)| Some(look(*tile, index))).collect()
    }

    /// A game that is played blindly until a mine is hit, which shows all mines or only itself.
    fn game(seed: u64, shows_all: bool) -> Game {
        game_by(Rule::Zero, 6, seed, shows_all)
    }

    fn game_by(rule: Rule, steps: usize, seed: u64, shows_all: bool) -> Game {
        let mut deal = Deal::deal(SIZE, 10, rule, seed).unwrap();
        let mut cell = Cell::new(4, 4);
        let mut running = looks(deal.board());
        for step in 0.. {
            if deal.open(cell) != State::Playing {
                break;
            }
            running = looks(deal.board());
            let hidden: Vec<Cell> = deal.board().cells_where(|tile| tile == Tile::Hidden).collect();
            // Blindly, but not so soon that there is nothing to count.
            let safe = hidden.iter().find(|cell| step < steps && !deal.is_mine(**cell));
            cell = safe.copied().unwrap_or(hidden[(seed as usize * 7 + step * 3) % hidden.len()]);
        }
        let mut ending = running.clone();
        for (index, tile) in deal.reveal().tiles().iter().enumerate() {
            if *tile == Tile::Exploded || (shows_all && *tile == Tile::Mine) {
                ending[index] = Some(look(*tile, index));
            }
        }
        Game { size: SIZE, running, ending: (deal.state() == State::Lost).then_some((ending, cell)) }
    }

    fn known() -> Known {
        let hidden = [look(Tile::Hidden, 0), look(Tile::Hidden, 1)].into();
        Known { hidden, ..Known::default() }
    }

    #[test]
    fn mines_of_short_games_are_found_together() {
        let is_short = |game: &Game| {
            let open = game.running.iter().flatten().filter(|look| !known().is_covered(Some(**look))).count();
            game.ending.is_some() && (2..8).contains(&open)
        };
        let all = (1..).map(|seed| game_by(Rule::Safe, 3, seed, true)).filter(is_short);
        let games: Vec<Game> = all.take(12).collect();
        let open: BTreeSet<LookId> = games.iter().flat_map(|game| game.running.iter().flatten().copied()).collect();
        assert!(games.iter().all(|game| shown_mines(&known(), std::slice::from_ref(game), &open)[0].is_none()));
        let shown = shown_mines(&known(), &games, &open);
        for (shown, game) in shown.iter().zip(&games) {
            let (ending, _) = game.ending.as_ref().unwrap();
            let is_mine =
                |look: LookId| [Tile::Mine, Tile::Exploded].iter().any(|tile| look / 2 == self::look(*tile, 0) / 2);
            let mines: BTreeSet<usize> =
                (0..SIZE.tiles()).filter(|&index| ending[index].is_some_and(is_mine)).collect();
            assert_eq!(shown.as_ref().map(|shown| &shown.cells), Some(&mines));
        }
    }

    #[test]
    fn a_mine_that_is_shown_alone_is_not_all_of_them() {
        // The number beside the mine that was hit is the only one of its sort: one mine shows around it, and none around all others.
        for seed in 1..40 {
            let games: Vec<Game> = (0..3).map(|game_of| game(40 * game_of + seed, false)).collect();
            let known = Known { zeros: [look(Tile::Open(0), 0), look(Tile::Open(0), 1)].into(), ..known() };
            let Ok(found) = meanings(&known, &games) else { continue };
            for (tile, tone) in (0..=8).flat_map(|number| [(Tile::Open(number), 0), (Tile::Open(number), 1)]) {
                let named = found.of.get(&look(tile, tone));
                assert!(named.is_none_or(|named| named.tile == tile), "{seed}, {tile:?}: {found:?}");
            }
        }
    }

    #[test]
    fn mines_below_what_covers_the_end_of_a_game_are_not_missing() {
        let mut games: Vec<Game> = (1..9).map(|seed| game(seed, true)).collect();
        for game in &mut games {
            let Some((ending, clicked)) = &mut game.ending else { continue };
            // A line of writing across two rows, none of which is the one that was clicked.
            let first = if (2..6).contains(&clicked.y) { 6 } else { 3 };
            for cell in SIZE.cells().filter(|cell| (first..first + 2).contains(&cell.y)) {
                ending[SIZE.index(cell)] = None;
            }
        }
        for some in games.chunks(2).chain([&games[..]]) {
            let found = meanings(&known(), some).unwrap();
            for (tile, tone) in (0..=8).flat_map(|number| [(Tile::Open(number), 0), (Tile::Open(number), 1)]) {
                let named = found.of.get(&look(tile, tone));
                assert!(named.is_none_or(|named| named.tile == tile), "{tile:?}: {found:?}");
            }
        }
    }

    #[test]
    fn what_looks_mean_follows_from_a_few_games_and_nothing_wrong_does() {
        for shows_all in [true, false] {
            let games: Vec<Game> = (1..7).map(|seed| game(seed, shows_all)).collect();
            let found = meanings(&known(), &games).unwrap();
            let right = |look: LookId, tile: Tile| {
                found.of.get(&look).is_none_or(|meaning| {
                    meaning.tile == tile
                        || (tile == Tile::Mine || tile == Tile::Exploded) && meaning.tile.is_shown_mine()
                })
            };
            for tone in 0..2 {
                for number in 0..=8 {
                    assert!(right(look(Tile::Open(number), tone), Tile::Open(number)), "{number}: {found:?}");
                }
                for number in 0..=2 {
                    assert!(found.of.contains_key(&look(Tile::Open(number), tone)), "{number} is open: {found:?}");
                }
                for tile in [Tile::Hidden, Tile::Mine, Tile::Exploded] {
                    assert!(right(look(tile, tone), tile), "{tile:?}: {found:?}");
                }
            }
            let lost = games.iter().filter(|game| game.ending.is_some()).count();
            assert!(lost >= 3);
            assert_eq!(found.mines.get(&SIZE).copied(), shows_all.then_some(10));
        }
    }

    #[test]
    fn where_the_end_shows_the_whole_board_no_number_is_a_mine() {
        let mut losses = 0;
        for seed in 1..40 {
            let mut lost = game(seed, true);
            let Some((ending, _)) = &mut lost.ending else { continue };
            let mines: Vec<bool> = ending
                .iter()
                .enumerate()
                .map(|(index, tile)| [Tile::Mine, Tile::Exploded].iter().any(|mine| *tile == Some(look(*mine, index))))
                .collect();
            for index in (0..SIZE.tiles()).filter(|&index| !mines[index]) {
                let number = SIZE.neighbours(SIZE.cell(index)).filter(|cell| mines[SIZE.index(*cell)]).count();
                ending[index] = Some(look(Tile::Open(number as u8), index));
            }
            let found = meanings(&known(), &[lost.clone(), lost]).unwrap();
            losses += usize::from(found.mines.contains_key(&SIZE));
            assert!(found.mines.get(&SIZE).is_none_or(|mines| *mines == 10), "{seed}: {:?}", found.mines);
            for (number, tone) in (0..=8).flat_map(|number| [(number, 0), (number, 1)]) {
                let meaning = found.of.get(&look(Tile::Open(number), tone));
                assert!(
                    meaning.is_none_or(|meaning| meaning.tile == Tile::Open(number)),
                    "{seed}: {number} {meaning:?}"
                );
            }
        }
        assert!(losses > 5, "{losses}");
    }

    #[test]
    fn a_crossed_out_flag_is_no_number() {
        let (flag, crossed, mut losses) = (80, 90, 0);
        let known = Known { marks: [(flag, Tile::Flag)].into(), ..known() };
        for number in 1..=2 {
            for seed in 1..20 {
                let mut lost = game(seed, true);
                let Some((ending, clicked)) = &mut lost.ending else { continue };
                let is_mine = |index: usize| {
                    [Tile::Mine, Tile::Exploded].iter().any(|mine| ending[index] == Some(look(*mine, index)))
                };
                let around = |index: &usize| {
                    SIZE.neighbours(SIZE.cell(*index)).filter(|cell| is_mine(SIZE.index(*cell))).count() == number
                };
                let wrong = (0..SIZE.tiles()).filter(|&index| !is_mine(index) && SIZE.index(*clicked) != index);
                let wrong = wrong.filter(|&index| lost.running[index] == Some(look(Tile::Hidden, index)));
                let wrong: Vec<usize> = wrong.filter(around).take(3).collect();
                if wrong.len() < 3 {
                    continue;
                }
                for index in wrong {
                    (lost.running[index], ending[index]) = (Some(flag), Some(crossed));
                }
                let found = meanings(&known, &[lost]).unwrap();
                losses += usize::from(found.won == [Some(false)]);
                assert!(!found.of.contains_key(&crossed), "{seed}: {:?}", found.of.get(&crossed));
            }
        }
        assert!(losses > 5, "{losses}");
    }

    #[test]
    fn what_a_win_puts_on_mines_is_a_flag_once_a_loss_shows_another_look() {
        let flag = 90;
        let won = |seed: u64| {
            let mut deal = Deal::deal(SIZE, 10, Rule::Zero, seed).unwrap();
            let (mut running, mut clicked) = (looks(deal.board()), Cell::new(4, 4));
            let rest = SIZE.cells().filter(|cell| *cell != clicked);
            for cell in std::iter::once(clicked).chain(rest).collect::<Vec<Cell>>() {
                if !deal.is_mine(cell) && deal.board().tile(cell) == Tile::Hidden {
                    (running, clicked) = (looks(deal.board()), cell);
                    deal.open(cell);
                }
            }
            let mut ending = looks(deal.board());
            (0..SIZE.tiles())
                .filter(|&index| deal.is_mine(SIZE.cell(index)))
                .for_each(|index| ending[index] = Some(flag));
            Game { size: SIZE, running, ending: Some((ending, clicked)) }
        };
        let named = |games: &[Game]| {
            let found = meanings(&known(), games).unwrap();
            assert_eq!(found.won[..4], [Some(true); 4], "{:?}", found.won);
            found.of.get(&flag).map(|meaning| meaning.tile)
        };
        let mut games: Vec<Game> = (1..5).map(won).collect();
        assert_eq!(named(&games), None);
        games.extend((1..9).map(|seed| game(seed, true)).filter(|game| game.ending.is_some()));
        assert_eq!(named(&games), Some(Tile::Flag));
    }

    #[test]
    fn a_mark_that_counts_no_mines_is_no_empty_tile() {
        let (flag, mut losses) = (90, 0);
        for seed in 1..60 {
            let mut lost = game(seed, true);
            let Some((ending, _)) = &mut lost.ending else { continue };
            let is_mine = |index: usize| {
                [Tile::Mine, Tile::Exploded].iter().any(|mine| ending[index] == Some(look(*mine, index)))
            };
            let is_hidden = |index: usize| lost.running[index] == Some(look(Tile::Hidden, index));
            let is_far = |index: &usize| {
                let mut around = SIZE.neighbours(SIZE.cell(*index)).map(|cell| SIZE.index(cell));
                is_hidden(*index) && !is_mine(*index) && around.all(|other| is_hidden(other) && !is_mine(other))
            };
            let Some(index) = (0..SIZE.tiles()).find(is_far) else { continue };
            (lost.running[index], ending[index]) = (Some(flag), Some(flag));
            let Ok(found) = meanings(&known(), &[lost]) else { continue };
            losses += usize::from(found.won == [Some(false)]);
            assert!(!found.of.contains_key(&flag), "{seed}: {:?}", found.of.get(&flag));
        }
        assert!(losses > 3, "{losses}");
    }

    #[test]
    fn what_stands_among_numbers_at_the_end_is_no_number() {
        // Hidden, a number that was counted, and a look that was only found likely to be a 1.
        let (h, n, f) = (Some(1), Some(2), Some(3));
        let counted = [(2, (1, 0.0))].into();
        for (ending, number, expected) in [
            ([n, n, n, n, f, n, n, n, n], 1, false), // as a flag that a win puts on a mine
            ([n, n, n, n, f, n, n, n, h], 1, true),
            ([n, n, n, n, f, n, n, n, h], 2, false),
            ([f, f, h, n, n, h, n, n, n], 1, false), // two flags side by side count nothing either
        ] {
            let known = Known { hidden: [1].into(), ..Known::default() };
            let ending = Some((ending.to_vec(), Cell::new(2, 2)));
            let game = Game { size: BoardSize::new(3, 3), running: vec![h; 9], ending };
            assert_eq!(may_be_at_the_end(&known, &[game], &counted, 3, number), expected);
        }
    }

    #[test]
    fn what_may_be_a_mine_or_not_is_not_named() {
        // A crossed-out flag among hidden tiles, where no number counts it.
        let (crossed, mut losses) = (90, 0);
        for seed in 1..30 {
            let mut lost = game(seed, true);
            let Some((ending, _)) = &mut lost.ending else { continue };
            let is_hidden = |index: usize| lost.running[index] == Some(look(Tile::Hidden, index));
            let is_far = |index: &usize| {
                is_hidden(*index) && SIZE.neighbours(SIZE.cell(*index)).all(|cell| is_hidden(SIZE.index(cell)))
            };
            let Some(index) = (0..SIZE.tiles()).find(|index| is_far(index) && ending[*index] == lost.running[*index])
            else {
                continue;
            };
            ending[index] = Some(crossed);
            let found = meanings(&known(), &[lost.clone(), lost]).unwrap();
            losses += usize::from(found.won[0] == Some(false));
            assert!(!found.of.contains_key(&crossed), "{seed}: {:?}", found.of.get(&crossed));
            assert!(found.mines.get(&SIZE).is_none_or(|mines| *mines == 10), "{seed}: {:?}", found.mines);
        }
        assert!(losses > 5, "{losses}");
    }

    #[test]
    fn where_mines_look_like_empty_tiles_no_lost_game_is_won() {
        let mut lost = 0;
        for (seed, shows_all) in (1..12).flat_map(|seed| [(seed, true), (seed, false)]) {
            let mut games: Vec<Game> = vec![game(seed, shows_all), game(seed + 20, true)];
            let Some((ending, _)) = &mut games[0].ending else { continue };
            for (index, tile) in ending.iter_mut().enumerate() {
                if [Tile::Mine, Tile::Exploded].iter().any(|mine| *tile == Some(look(*mine, index))) {
                    *tile = Some(look(Tile::Open(0), index));
                }
            }
            let Ok(found) = meanings(&known(), &games) else { continue };
            lost += 1;
            assert_ne!(found.won[0], Some(true), "{seed}");
            assert!(found.mines.get(&SIZE).is_none_or(|mines| *mines == 10), "{seed}: {:?}", found.mines);
        }
        assert!(lost > 5, "{lost}");
    }

    #[test]
    fn two_looks_taken_for_one_contradict_themselves_or_stay_open() {
        let mut games: Vec<Game> = (1..8).map(|seed| game(seed, true)).collect();
        let (one, three) = (Tile::Open(1), Tile::Open(3));
        for game in &mut games {
            let merge = |tile: &mut Option<LookId>| {
                for tone in 0..2 {
                    if *tile == Some(look(three, tone)) {
                        *tile = Some(look(one, tone));
                    }
                }
            };
            game.running.iter_mut().for_each(merge);
            if let Some((ending, _)) = &mut game.ending {
                ending.iter_mut().for_each(merge);
            }
        }
        if let Ok(found) = meanings(&known(), &games) {
            panic!("{:?}", found.of.get(&look(one, 0)));
        }
    }

    #[test]
    fn what_counts_no_mines_is_no_number() {
        // Whatever is below them, all open tiles look alike.
        let mut games: Vec<Game> = (1..8).map(|seed| game(seed, true)).collect();
        let number = Some(look(Tile::Open(1), 0));
        for game in &mut games {
            let blind = |tiles: &mut Vec<Option<LookId>>| {
                let is_open = |tile: &Option<LookId>| tile.is_some_and(|look| look < 40);
                tiles.iter_mut().filter(|tile| is_open(tile)).for_each(|tile| *tile = number);
            };
            blind(&mut game.running);
            if let Some((ending, _)) = &mut game.ending {
                blind(ending);
            }
        }
        if let Ok(found) = meanings(&known(), &games) {
            panic!("{:?}", found.of);
        }
    }

    #[test]
    fn nothing_is_believed_of_a_single_click() {
        let mut running = vec![Some(40); 81];
        running[40] = Some(7);
        let game = Game { size: SIZE, running, ending: None };
        let known = Known { hidden: [40].into(), ..Known::default() };
        let found = meanings(&known, &[game]).unwrap();
        assert!(!found.of.contains_key(&7), "{found:?}");
        assert!(found.labellings.len() >= 7);
    }

    #[test]
    fn tiles_are_as_risky_as_the_labellings_that_are_left_say() {
        let mut running = vec![Some(40); 81];
        running[0] = Some(7);
        let known = Known { hidden: [40].into(), ..Known::default() };
        let risks = risk(&known, &Meanings::default(), &Game { size: SIZE, running, ending: None }).unwrap();
        let of = |x, y| risks.iter().find(|(cell, _)| *cell == Cell::new(x, y)).unwrap().1;
        // It is no empty tile, for nothing opened around it: at least one mine is beside it.
        assert!(of(1, 1) > of(5, 5), "{} {}", of(1, 1), of(5, 5));
    }

    #[test]
    fn a_number_of_which_the_look_is_known_does_not_look_otherwise() {
        // Ten tiles with one look, each beside three hidden ones: a 1 is likeliest by far, unless it is known to look otherwise.
        let size = BoardSize::new(40, 3);
        let (strange, hidden, other) = (1, 2, 3);
        let look = |cell: Cell| match (cell.x % 4, cell.y) {
            (1, 0) => strange,
            (0..=2, 1) => hidden,
            _ => other,
        };
        let game = Game { size, running: size.cells().map(|cell| Some(look(cell))).collect(), ending: None };
        let known = Known { hidden: [hidden].into(), mute: [other].into(), ..Known::default() };
        let named = |known: &Known| meanings(known, std::slice::from_ref(&game)).unwrap().of[&strange].tile;
        assert_eq!(named(&known), Tile::Open(1));
        assert_eq!(named(&Known { taken: [1].into(), ..known.clone() }), Tile::Open(2));
        // What a right click put there may be anything.
        let aside = Known { aside: [strange].into(), ..known };
        assert!(!meanings(&aside, &[game]).unwrap().of.contains_key(&strange));
    }

    #[test]
    fn what_ends_games_is_the_mine_that_was_hit_only_if_it_is_alone() {
        let (h, n, e) = (Some(1), Some(2), Some(3));
        let known = Known { hidden: [1].into(), ..Known::default() };
        let running = vec![h, h, h, h, n, h, h, h, h, n];
        for (ending, expected) in
            [(vec![e, h, h, h, n, h, h, h, h, n], Tile::Exploded), (vec![e, h, h, e, n, h, h, h, h, n], Tile::Mine)]
        {
            let game = Game {
                size: BoardSize::new(5, 2),
                running: running.clone(),
                ending: Some((ending.clone(), Cell::new(0, 0))),
            };
            let found = meanings(&known, &[game.clone(), game]).unwrap();
            assert_eq!(found.of[&3].tile, expected, "{ending:?}");
        }
    }

    #[test]
    fn where_a_hit_mine_looks_like_others_no_mine_is_called_the_one_that_was_hit() {
        let (h, n, m, e) = (Some(1), Some(2), Some(3), Some(4));
        let known = Known { hidden: [1].into(), ..Known::default() };
        let game = |ending: Vec<Option<LookId>>| Game {
            size: BoardSize::new(5, 2),
            running: vec![h, h, h, h, n, h, h, h, h, n],
            ending: Some((ending, Cell::new(0, 0))),
        };
        let strange = game(vec![e, h, h, m, n, h, h, h, h, n]);
        let games = [strange.clone(), strange, game(vec![m, h, h, m, n, h, h, h, h, n])];
        assert_eq!(meanings(&known, &games[..2]).unwrap().of.get(&4).map(|meaning| meaning.tile), Some(Tile::Exploded));
        assert!(!meanings(&known, &games).unwrap().of.contains_key(&4));
    }

    #[test]
    fn what_ends_games_that_leave_only_mines_is_no_mine() {
        // Every game is won, and the number that was clicked last carries a mark, as that of a keyboard.
        let mark = 99;
        let won = |seed: u64| {
            let mut deal = Deal::deal(SIZE, 10, Rule::Zero, seed).unwrap();
            deal.open(Cell::new(4, 4));
            let safe: Vec<Cell> = SIZE.cells().filter(|cell| !deal.is_mine(*cell)).collect();
            let (mut running, mut clicked) = (looks(deal.board()), Cell::new(4, 4));
            for cell in safe {
                if deal.board().tile(cell) == Tile::Hidden {
                    (running, clicked) = (looks(deal.board()), cell);
                    deal.open(cell);
                }
            }
            assert_eq!(deal.state(), State::Won);
            let mut ending = looks(deal.board());
            ending[SIZE.index(clicked)] = Some(mark);
            Game { size: SIZE, running, ending: Some((ending, clicked)) }
        };
        let games: Vec<Game> = (1..7).map(won).collect();
        let found = meanings(&known(), &games).unwrap();
        assert_eq!(found.of[&look(Tile::Open(1), 0)].tile, Tile::Open(1));
        assert!(found.of.get(&mark).is_none_or(|meaning| !meaning.tile.is_shown_mine()), "{:?}", found.of.get(&mark));
        assert!(!found.won.contains(&Some(false)), "{:?}", found.won);
    }

    #[test]
    fn what_is_painted_anew_at_the_end_is_no_mine() {
        // Hidden, a number, and the look that ends two games.
        let (hidden, number, end) = (1, 2, 3);
        let size = BoardSize::new(5, 2);
        let known = Known { hidden: [hidden].into(), ..Known::default() };
        let game = |running: [LookId; 10], ending: [LookId; 10]| Game {
            size,
            running: running.map(Some).to_vec(),
            ending: Some((ending.map(Some).to_vec(), Cell::new(0, 0))),
        };
        let (n, h, e) = (number, hidden, end);
        for (running, ending, expected) in [
            ([h, h, h, h, n, h, h, h, h, n], [e, h, h, h, n, h, h, h, h, n], true),
            ([h, h, h, h, n, h, h, h, h, n], [e, h, e, h, n, h, h, h, e, n], true),
            ([h, h, h, h, n, h, h, h, h, n], [e, e, h, h, n, e, e, h, h, n], false), // it hangs together
            ([h, h, h, h, n, h, h, h, h, n], [e, h, h, h, e, h, h, h, h, e], false), // it was open
        ] {
            assert_eq!(may_be_mines(&known, &[game(running, ending)], end), expected, "{ending:?}");
        }
    }
}
