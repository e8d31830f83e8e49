//! What the rules of the game exclude is not believed, however well it matches: a plain surface over the board looks like open
//! tiles without a number.

use super::TileReading;
use crate::board::Tile;
use crate::geometry::{BoardSize, Cell};

/// Takes back every area of open tiles without a number that cannot be one: a game opens all tiles around such a tile, and
/// the numbers around it have their mines elsewhere.
pub fn strike(tiles: &mut [TileReading], size: BoardSize) {
    let tile = |tiles: &[TileReading], cell: Cell| tiles[size.index(cell)].tile;
    let is_short = |tiles: &[TileReading], cell: Cell, number: u8| {
        let may_be_mine = |&other: &Cell| !matches!(tile(tiles, other), Tile::Open(_));
        size.neighbours(cell).filter(may_be_mine).count() < usize::from(number)
    };
    let excludes = |tiles: &[TileReading], other: Cell| match tile(tiles, other) {
        Tile::Hidden | Tile::Mine | Tile::Exploded => true,
        Tile::Open(number) => is_short(tiles, other, number),
        _ => false,
    };
    let is_empty = |tiles: &[TileReading], cell: Cell| tile(tiles, cell) == Tile::Open(0);
    let wrong = |&cell: &Cell| is_empty(tiles, cell) && size.neighbours(cell).any(|other| excludes(tiles, other));
    let mut struck: Vec<Cell> = size.cells().filter(wrong).collect();
    while let Some(cell) = struck.pop() {
        if is_empty(tiles, cell) {
            tiles[size.index(cell)].tile = Tile::Unrecognised;
            struck.extend(size.neighbours(cell).filter(|&other| is_empty(tiles, other)));
        }
    }
}

/// How unlikely it is, in bits, that what was read follows the rules of the game by chance; `None` if it does not. A number has no fewer
/// mines around it than are shown and no more than tiles are closed: if any of eight numbers might stand there, half a range
/// is one bit.
pub fn evidence(tiles: &[Tile], size: BoardSize) -> Option<f64> {
    let count = |cell, wanted: fn(Tile) -> bool| {
        size.neighbours(cell).filter(|&other| wanted(tiles[size.index(other)])).count()
    };
    let mut bits = 0.0;
    for cell in size.cells() {
        let Tile::Open(number) = tiles[size.index(cell)] else { continue };
        let mines = count(cell, |tile| matches!(tile, Tile::Mine | Tile::Exploded));
        let closed = count(cell, |tile| !matches!(tile, Tile::Open(_)));
        if number == 0 {
            if mines + count(cell, |tile| tile == Tile::Hidden) > 0 {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;

    fn check(board: &str, believed: &str) {
        let size = BoardSize::new(board.find(' ').unwrap() as u32, board.split(' ').count() as u32);
        let read = |character| {
            let tile = Tile::from_char(character).unwrap();
            TileReading { tile, best: tile, score: 1.0, lead: 1.0, runner_up: None }
        };
        let mut tiles: Vec<TileReading> = board.chars().filter(|&c| c != ' ').map(read).collect();
        strike(&mut tiles, size);
        let tiles = tiles.iter().map(|reading| reading.tile).collect();
        let is = Board::new(size, None, tiles).unwrap().to_string();
        assert_eq!(is.split_whitespace().skip(3).collect::<Vec<_>>().join(" "), believed);
    }

    fn evidence_of(board: &str) -> Option<f64> {
        let size = BoardSize::new(board.find(' ').unwrap() as u32, board.split(' ').count() as u32);
        let tiles: Vec<Tile> = board.chars().filter_map(Tile::from_char).collect();
        evidence(&tiles, size)
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
}
