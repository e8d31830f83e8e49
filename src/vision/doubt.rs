//! What the rules of the game exclude is not believed, however well it matches: a plain surface over the board looks like open
//! tiles without a number.

use super::reading::TileReading;
use super::tile::patch::{Patch, SIDE, VALUES};
use super::tile::skin::Skin;
use crate::board::Tile;
use crate::geometry::{BoardSize, Cell};

/// Takes back what is not to be believed for what is around it.
///
/// An area of open tiles without a number is none if a tile beside it is hidden, for a game opens all of them, if a number beside it
/// has its mines nowhere else, or if most of what is around it cannot be told. And where several tiles beside each other cannot be
/// told, what lies over them may lie over a part of the next ones, too. `before`: the tiles of the same game a moment ago, where they
/// are known; `floods`: whether the client opens all around an empty tile.
pub fn strike(tiles: &mut [TileReading], size: BoardSize, before: Option<&[Tile]>, floods: bool) {
    beside_covered(tiles, size).into_iter().for_each(|cell| tiles[size.index(cell)].tile = Tile::Unrecognised);
    let mut seen = vec![false; size.tiles()];
    for start in size.cells() {
        let mut area = Area::default();
        area.extend(tiles, size, |zero, other| !floods || stays_hidden(before, size, zero, other), start, &mut seen);
        if area.is_excluded || area.unrecognised * 2 > area.around {
            area.cells.iter().for_each(|&cell| tiles[size.index(cell)].tile = Tile::Unrecognised);
        }
    }
}

/// Whether a game leaves `other` hidden although the tile beside it at `zero` has no mine around: it opens around that what bears no flag,
/// and the flag was taken off since. `before`: the tiles a moment ago, at which that was open already: what has just changed may be a tile
/// that is being pressed.
pub fn stays_hidden(before: Option<&[Tile]>, size: BoardSize, zero: Cell, other: Cell) -> bool {
    let was = |cell: Cell| before.map(|before| before[size.index(cell)]);
    was(zero) == Some(Tile::Open(0)) && was(other).is_some_and(Tile::is_covered)
}

/// The tiles beside those that are covered which do not match well, or are but empty. Four unknown ones in a square are unknown for
/// one reason.
fn beside_covered(tiles: &[TileReading], size: BoardSize) -> Vec<Cell> {
    let is_unknown = |x: u32, y: u32| tiles[size.index(Cell::new(x, y))].tile == Tile::Unrecognised;
    let corners = (1..size.height).flat_map(|y| (1..size.width).map(move |x| (x, y)));
    let squares = corners.map(|(x, y)| [(x - 1, y - 1), (x, y - 1), (x - 1, y), (x, y)]);
    let covered = squares.filter(|square| square.iter().all(|&(x, y)| is_unknown(x, y))).flatten();
    let beside = covered.flat_map(|(x, y)| size.neighbours(Cell::new(x, y)));
    let is_doubtful = |tile: &TileReading| tile.score < CLEAR || tile.tile == Tile::Open(0);
    beside.filter(|&cell| is_doubtful(&tiles[size.index(cell)])).collect()
}

/// A score of a tile of which no part is covered.
const CLEAR: f32 = 0.9;

/// Open tiles without a number that belong together.
#[derive(Default)]
struct Area {
    cells: Vec<Cell>,
    /// Pairs of one of them and another tile beside it.
    around: usize,
    /// Those of which the other tile was not recognised.
    unrecognised: usize,
    /// The rules exclude what is around them.
    is_excluded: bool,
}

impl Area {
    fn extend(
        &mut self,
        tiles: &[TileReading],
        size: BoardSize,
        may_stay_hidden: impl Fn(Cell, Cell) -> bool,
        start: Cell,
        seen: &mut [bool],
    ) {
        let tile = |cell: Cell| tiles[size.index(cell)].tile;
        let may_be_mine = |&other: &Cell| !matches!(tile(other), Tile::Open(_));
        let is_short = |cell: Cell, number: u8| size.neighbours(cell).filter(may_be_mine).count() < usize::from(number);
        let mut next = vec![start];
        while let Some(cell) = next.pop() {
            if tile(cell) != Tile::Open(0) || std::mem::replace(&mut seen[size.index(cell)], true) {
                continue;
            }
            self.cells.push(cell);
            for other in size.neighbours(cell).filter(|&other| tile(other) != Tile::Open(0)) {
                self.around += 1;
                match tile(other) {
                    Tile::Unrecognised => self.unrecognised += 1,
                    Tile::Hidden if may_stay_hidden(cell, other) => {}
                    Tile::Hidden | Tile::Mine | Tile::Exploded => self.is_excluded = true,
                    Tile::Open(number) => self.is_excluded |= is_short(other, number),
                    _ => {}
                }
            }
            next.extend(size.neighbours(cell));
        }
    }
}

/// How unlikely it is, in bits, that what was read follows the rules of the game by chance; `None` if it does not. A number has no fewer
/// mines around it than are shown and no more than tiles are closed: if any of eight numbers might stand there, half a range
/// is one bit. `floods`: whether the client opens all around an empty tile.
pub fn evidence(tiles: &[Tile], size: BoardSize, floods: bool) -> Option<f64> {
    let count = |cell, wanted: fn(Tile) -> bool| {
        size.neighbours(cell).filter(|&other| wanted(tiles[size.index(other)])).count()
    };
    let mut bits = 0.0;
    for cell in size.cells() {
        let Tile::Open(number) = tiles[size.index(cell)] else { continue };
        let mines = count(cell, |tile| matches!(tile, Tile::Mine | Tile::Exploded));
        let closed = count(cell, |tile| !matches!(tile, Tile::Open(_)));
        if number == 0 {
            if mines > 0 || floods && count(cell, |tile| tile == Tile::Hidden) > 0 {
                return None;
            }
            continue;
        }
        if !(mines..=closed).contains(&usize::from(number)) {
            return None;
        }
        bits += 3.0 - ((closed - mines.max(1) + 1) as f64).log2();
    }
    Some(bits)
}

/// How many tiles that were all taken for hidden ones bear a number: what tells a number from an empty tile is seen in how they
/// differ from each other, whatever became of the colours.
pub fn numbers_among(hidden: &[Patch], looks: &Skin) -> usize {
    let usual = usual(hidden);
    let empty = looks.pictures(Tile::Open(0));
    let strokes: Vec<Vec<f32>> = (1..=8)
        .flat_map(|number| looks.pictures(Tile::Open(number)))
        .flat_map(|number| empty.iter().map(|empty| difference(number, empty)))
        .collect();
    let is_number = |tile: &&Patch| {
        let own = difference(tile, &usual);
        let (faint, strength) = ((VALUES as f32).sqrt(), length(&own));
        let is_it = |strokes: &Vec<f32>| {
            let full = length(strokes);
            strength > full * FAINT && dot(&own, strokes) > ALIKE * strength * full
        };
        strength > faint && strokes.iter().any(is_it)
    };
    hidden.iter().filter(is_number).count()
}

/// Whether tiles that were all taken for hidden ones are light and dark ones, with nothing between: then some of them are open, in
/// colours that are not the pictures'.
pub fn are_of_two_kinds(hidden: &[Patch]) -> bool {
    // In the middle: how much of a border is in a tile changes with the place of its edges.
    let middle = SIDE * 3 / 8..SIDE * 5 / 8;
    let place = |x: usize, y: usize| (y * SIDE + x) * 3;
    let mean = |patch: &Patch| {
        let parts = middle.clone().flat_map(|y| &patch[place(middle.start, y)..place(middle.end, y)]);
        parts.map(|&value| f32::from(value)).sum::<f32>() / (3 * middle.len() * middle.len()) as f32
    };
    let mut means: Vec<f32> = hidden.iter().map(mean).collect();
    means.sort_by(f32::total_cmp);
    // A few may lie under a pointer.
    let few = means.len() / 10 + 1;
    means
        .get(few..means.len().saturating_sub(few))
        .is_some_and(|usual| usual.windows(2).any(|two| two[1] - two[0] > APART))
}

/// Grey levels by which open tiles of every client differ from hidden ones at least, at half its contrast.
const APART: f32 = 6.0;

/// Share of its contrast that a number has left at least. A grey level per value is not a trace of anything.
const FAINT: f32 = 0.3;
/// Two differences are of the same shape if they are nearer than 45 degrees.
const ALIKE: f32 = std::f32::consts::FRAC_1_SQRT_2;

/// The median of every value.
fn usual(tiles: &[Patch]) -> Patch {
    let mut values = Vec::new();
    std::array::from_fn(|index| {
        values.clear();
        values.extend(tiles.iter().map(|tile| tile[index]));
        let middle = values.len() / 2;
        if values.is_empty() { 0 } else { *values.select_nth_unstable(middle).1 }
    })
}

/// What differs in the middle, where numbers are, but for a difference all over.
fn difference(a: &Patch, b: &Patch) -> Vec<f32> {
    let middle = SIDE / 5..SIDE - SIDE / 5;
    let places = || middle.clone().flat_map(|y| middle.clone().map(move |x| (y * SIDE + x) * 3));
    let own = |index: usize| f32::from(a[index] - b[index]);
    let mean = |channel: usize| places().map(|place| own(place + channel)).sum::<f32>() / (middle.len().pow(2)) as f32;
    let means = [mean(0), mean(1), mean(2)];
    places().flat_map(|place| [0, 1, 2].map(|channel| own(place + channel) - means[channel])).collect()
}

fn length(values: &[f32]) -> f32 {
    dot(values, values).sqrt()
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::client;
    use crate::vision::tile::skin::{Skins, Variation};

    fn check(board: &str, believed: &str) {
        check_scored(board, 1.0, believed);
    }

    fn check_scored(board: &str, score: f32, believed: &str) {
        check_after(None, board, score, believed);
    }

    fn check_after(before: Option<&str>, board: &str, score: f32, believed: &str) {
        let before: Option<Vec<Tile>> = before.map(|before| before.chars().filter_map(Tile::from_char).collect());
        let size = BoardSize::new(board.find(' ').unwrap() as u32, board.split(' ').count() as u32);
        let read = |character| {
            let tile = Tile::from_char(character).unwrap();
            TileReading { tile, best: tile, score, lead: 1.0, runner_up: None }
        };
        let mut tiles: Vec<TileReading> = board.chars().filter(|&c| c != ' ').map(read).collect();
        strike(&mut tiles, size, before.as_deref(), true);
        let tiles = tiles.iter().map(|reading| reading.tile).collect();
        let is = Board::new(size, None, tiles).unwrap().to_string();
        assert_eq!(is.split_whitespace().skip(3).collect::<Vec<_>>().join(" "), believed);
    }

    fn evidence_of(board: &str) -> Option<f64> {
        let size = BoardSize::new(board.find(' ').unwrap() as u32, board.split(' ').count() as u32);
        let tiles: Vec<Tile> = board.chars().filter_map(Tile::from_char).collect();
        evidence(&tiles, size, true)
    }

    #[test]
    fn numbers_that_have_their_mines_are_evidence() {
        // Any number of 1 to 8 may stand between closed tiles.
        assert_eq!(evidence_of("### #5# ###"), Some(0.0));
        // Each of eight has but one neighbour that is closed, or shown: three bits.
        assert_eq!(evidence_of("111 1#1 111"), Some(24.0));
        assert_eq!(evidence_of("111 1*1 111"), Some(24.0));
        assert_eq!(evidence_of("111 1#2 111"), None);
        assert_eq!(evidence_of("000 0#0 000"), None);
        assert_eq!(evidence_of("2** *** ###"), None);
    }

    #[test]
    fn an_opening_is_believed() {
        check("#200 #300 #200", "#200 #300 #200");
        check("1110 1F10 1110", "1110 1F10 1110");
    }

    #[test]
    fn a_surface_over_hidden_tiles_or_over_the_mines_of_numbers_is_not() {
        check("####### #00000# #00000# #######", "####### #~~~~~# #~~~~~# #######");
        check("110 000 ###", "11~ ~~~ ###");
        // A tile with a flag stays closed when all around it is opened.
        check("000 0F0 000", "000 0F0 000");
    }

    #[test]
    fn what_bore_a_flag_stays_hidden_beside_an_opening() {
        let (flagged, bare) = ("000 0F0 000", "000 0#0 000");
        check_after(Some(flagged), bare, 1.0, bare);
        check_after(Some(bare), bare, 1.0, bare);
        check_after(Some("### ### ###"), bare, 1.0, "~~~ ~#~ ~~~");
        check_after(Some("000 000 000"), bare, 1.0, "~~~ ~#~ ~~~");
        // One flag explains one hidden tile.
        check_after(Some("0000 0F#0 0000"), "0000 0##0 0000", 1.0, "0000 0##0 0000");
        check_after(Some("0000 00F0 0000"), "0000 0##0 0000", 1.0, "~~~~ ~##~ ~~~~");
    }

    #[test]
    fn a_client_that_does_not_open_around_every_empty_tile_is_believed() {
        let size = BoardSize::new(3, 3);
        let tiles: Vec<Tile> = "001 00# 1##".chars().filter_map(Tile::from_char).collect();
        let reading = |&tile: &Tile| TileReading { tile, best: tile, score: 1.0, lead: 1.0, runner_up: None };
        let struck = |floods: bool| {
            let mut read: Vec<TileReading> = tiles.iter().map(reading).collect();
            strike(&mut read, size, None, floods);
            read.iter().filter(|reading| reading.tile == Tile::Unrecognised).count()
        };
        assert_eq!((struck(true), struck(false)), (4, 0));
        assert_eq!(evidence(&tiles, size, true), None);
        assert!(evidence(&tiles, size, false).is_some());
    }

    #[test]
    fn an_empty_tile_of_which_nothing_around_is_known_is_not() {
        check("~1~ 10~ ~1~", "~1~ 1~~ ~1~");
        check("~1~ 101 ~1~", "~1~ 101 ~1~");
    }

    #[test]
    fn beside_what_is_covered_tiles_match_well_or_are_not_told() {
        check_scored("#### #~~# #~~# #### ####", 0.8, "~~~~ ~~~~ ~~~~ ~~~~ ####");
        check_scored("#### #~~# #~~# #### ####", 0.95, "#### #~~# #~~# #### ####");
        check_scored("#### #~#~ #### ####", 0.8, "#### #~#~ #### ####");
        check(
            "F1000001F F2000002F F2000002F F2000002F F20~~002F F20~~002F",
            "F1000001F F2000002F F2000002F F2~~~~02F F2~~~~02F F2~~~~02F",
        );
    }

    #[test]
    fn open_tiles_are_seen_among_hidden_ones() {
        let tiles = |light: usize| -> Vec<Patch> {
            (0..20).map(|index| [if index < light { 150 } else { 130 } + (index % 3) as i16; VALUES]).collect()
        };
        assert!(are_of_two_kinds(&tiles(8)));
        assert!(!are_of_two_kinds(&tiles(0)) && !are_of_two_kinds(&tiles(2)) && !are_of_two_kinds(&[]));
    }

    #[test]
    fn numbers_are_seen_among_tiles_of_any_colour() {
        let clients = client::bundled().unwrap();
        for (name, width) in [("xbomb", 50.0), ("winemine", 16.0), ("gnome-mines", 32.0)] {
            let skins = Skins::new(&client::by_name(&clients, name).unwrap().themes[0]);
            let scaled = skins.skin(Variation::default(), width);
            let dimmed = |patch: &Patch| patch.map(|value| value / 2 + 20);
            let (empty, hidden) = (dimmed(scaled.pictures(Tile::Open(0))[0]), dimmed(scaled.pictures(Tile::Hidden)[0]));
            let number = dimmed(scaled.pictures(Tile::Open(2))[0]);
            assert_eq!(numbers_among(&[empty, number, empty, number, empty], &scaled), 2, "{name}");
            let mut pointed = hidden;
            pointed[300..340].fill(0);
            let brighter = hidden.map(|value| value + 9);
            assert_eq!(numbers_among(&[hidden, hidden, pointed, hidden, brighter], &scaled), 0, "{name}");
        }
    }
}
