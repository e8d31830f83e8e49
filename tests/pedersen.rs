//! The configurations of chapter 3 of K. Pedersen, "The complexity of Minesweeper and strategies for game playing"
//! (2004), after R. Kaye: wires and gates made of numbers, whose explanations are the rows of a truth table.

use minesight::board::Board;
use minesight::geometry::Cell;
use minesight::solver::graph::{Position, Reach};

fn fixture(name: &str) -> Board {
    let path = format!("{}/tests/fixtures/pedersen/{name}.board", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).expect(&path).parse().expect(&path)
}

/// Whether there is a mine on each of `cells`, in every explanation; sorted.
fn table<const N: usize>(name: &str, cells: [(u32, u32); N]) -> Vec<[u8; N]> {
    let position = Position::of_board(&fixture(name), Reach::SMALL_BOARD).unwrap();
    let bit = |cell: (u32, u32)| (0..position.tiles()).find(|&tile| position.cell(tile) == Cell::from(cell)).unwrap();
    let bits = cells.map(bit);
    let row = |mines: u64| bits.map(|bit| (mines >> bit & 1) as u8);
    let mut rows: Vec<_> = position.deals().iter().map(|deal| row(deal.mines)).collect();
    rows.sort_unstable();
    rows
}

/// Figure 3.2. Both ends are true or both are false.
#[test]
fn a_wire_carries_its_value() {
    assert_eq!(table("wire", [(1, 1), (13, 1)]), [[0, 0], [1, 1]]);
}

/// Figure 3.3. The value is the tile before the 1 that separates the phases, here seen from the left.
#[test]
fn not() {
    // From the left x is the second tile of a pair, from the right the other one: the gate swaps their places.
    assert_eq!(table("not", [(1, 2), (12, 2)]), [[0, 1], [1, 0]]);
}

/// Figure 3.4: u from the top, v from the bottom, t to the right. Not unique: with both inputs false the inner wires
/// may lie in two ways, as section 3.1 says.
#[test]
fn and() {
    let rows = table("and", [(2, 1), (2, 15), (21, 8)]);
    assert_eq!(rows, [[0, 0, 0], [0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 1]]);
}

/// Figure 3.5: u and v from the left, t to the right, one explanation for every row.
///
/// Three numbers of the printed figure contradict the proof beside it whatever the inputs are, and are mended here:
/// the first 3 of the row with the highlighted 6 is a 2, the 2 between v and v' a 3, and the second 2 below the
/// output a 1. With the printed ones there is no explanation at all.
#[test]
fn or() {
    assert_eq!(table("or", [(1, 2), (1, 4), (16, 3)]), [[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 1]]);
    let printed =
        fixture("or").to_string().replace("222223*6", "222233*6").replace("##1##3#*#*54#2111", "##1##2#*#*54#2211");
    let position = Position::of_board(&printed.parse().unwrap(), Reach::SMALL_BOARD).unwrap();
    assert!(!position.is_consistent());
}

/// Figure 3.6: v and u from the left, t to the right, one explanation for every row.
#[test]
fn xor() {
    assert_eq!(table("xor", [(1, 5), (1, 2), (11, 4)]), [[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]]);
}

/// Figure 3.7, whose middle is open and without numbers: everything is certain, and the corners are safe.
#[test]
fn the_puzzle_has_one_solution() {
    let position = Position::of_board(&fixture("figure-3.7"), Reach::SMALL_BOARD).unwrap();
    assert_eq!(position.deals().len(), 1);
    let mines = [(2, 0), (3, 0), (0, 2), (5, 2), (0, 3), (5, 3), (2, 5), (3, 5)].map(Cell::from);
    assert_eq!(position.mines(), mines);
}
