//! What is known of looks, what is believed of them, and the games that this rests on.

use crate::board::{Board, Tile};
use crate::geometry::{BoardSize, Cell};
use crate::vision::unknown::looks::LookId;
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

/// Tiles on which a look was seen that is common.
const COMMON: usize = 10;
/// The same of one that is rare, if it was seen in one game only.
const RARE: usize = 2;

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
    /// Looks of tiles that were opened last in a game that was won, and look otherwise than any number: a button may stay pressed as long as its
    /// client asks something. What they count is not known, but they are no mines.
    pub odd: BTreeSet<LookId>,
}

impl Meanings {
    /// What is written of it: not a look on a single tile, or on two of one game, where another one of the same meaning is common. It may as well be a piece
    /// of what lay over the board when a game was over, as a box is that the system does not tell of any more (sixteen pieces of one were called numbers,
    /// and two of the edge of another), or a flag that came late, on a tile of which all others say how many mines it would count.
    pub fn convincing(&self) -> impl Iterator<Item = (LookId, &Meaning)> {
        let mut most: BTreeMap<Tile, usize> = BTreeMap::new();
        for Meaning { tile, seen: (tiles, _), .. } in self.of.values() {
            most.entry(*tile).and_modify(|most| *most = *tiles.max(most)).or_insert(*tiles);
        }
        let is_odd = move |meaning: &Meaning| {
            let (tiles, games) = meaning.seen;
            let is_rare = tiles == 1 || tiles == RARE && games == 1;
            is_rare && most[&meaning.tile] >= COMMON && matches!(meaning.tile, Tile::Open(_) | Tile::Mine)
        };
        self.of.iter().filter(move |(_, meaning)| !is_odd(meaning)).map(|(look, meaning)| (*look, meaning))
    }

    /// The number that a look is known to be.
    pub fn number(&self, look: LookId) -> Option<u8> {
        self.of.get(&look)?.tile.number()
    }

    /// Whether a number above 0 is known.
    pub fn has_numbers(&self) -> bool {
        self.of.values().any(|meaning| matches!(meaning.tile, Tile::Open(1..)))
    }

    /// The looks that mean this.
    pub fn of_tile(&self, tile: Tile) -> impl Iterator<Item = LookId> {
        self.of.iter().filter(move |(_, meaning)| meaning.tile == tile).map(|(look, _)| *look)
    }
}

/// A label is believed at this chance of being wrong.
pub const BELIEVED: f64 = 1e-3;

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
    /// Looks of mines that clicks hit in games that went on, as where a client counts lives.
    pub hit: BTreeSet<LookId>,
    /// Numbers of which it is known how they look here: what looks otherwise is none of these, unless it was counted.
    pub taken: BTreeSet<u8>,
    /// Clicks open their own tiles alone, so that an empty one may stand beside hidden ones.
    pub opens_alone: bool,
}

impl Known {
    /// Takes what a person says of a look, whatever was held of it before.
    pub fn tell(&mut self, look: LookId, tile: Tile) {
        self.hidden.remove(&look);
        self.marks.remove(&look);
        self.zeros.remove(&look);
        self.mute.remove(&look);
        self.aside.remove(&look);
        self.hit.remove(&look);
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

    /// Whether a tile that looks so may hold a mine.
    pub fn may_hide_a_mine(&self, look: Option<LookId>) -> bool {
        self.is_covered(look) || look.is_some_and(|look| self.hit.contains(&look))
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
            Some(look) if self.hit.contains(look) => Tile::Exploded,
            Some(look) => labels.get(look).map_or(Tile::WrongFlag, |&number| Tile::Open(number)),
        };
        Board::new(size, mines, looks.iter().map(tile).collect()).ok()
    }
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
    pub(super) fn of(look: LookId, why: &str) -> Self {
        Self { why: format!("look {look} {why}"), look: Some(look) }
    }

    pub(super) fn of_all(why: &str) -> Self {
        Self { why: why.into(), look: None }
    }
}

/// On how many tiles of how many games a look was seen.
pub fn seen(games: &[Game], look: LookId) -> (usize, usize) {
    let tiles = |game: &Game| {
        let last = game.ending.as_ref().map_or(&game.running, |(ending, _)| ending);
        let count = |tiles: &[Option<LookId>]| tiles.iter().filter(|tile| **tile == Some(look)).count();
        count(last).max(count(&game.running))
    };
    let all: Vec<usize> = games.iter().map(tiles).filter(|count| *count > 0).collect();
    (all.iter().sum(), all.len())
}
