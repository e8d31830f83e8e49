//! The tables of P. Nakov and Z. Wei, "Minesweeper, #Minesweeper" (2003), number by number.

use minesight::board::Board;
use minesight::game::Rule;
use minesight::geometry::BoardSize;
use minesight::solver::graph::{Census, Goal, Graph, Play, Position, Reach, census, optimum};

/// Mines, state value, states, states up to symmetry, best opening tiles.
type Row = (u32, f64, usize, usize, &'static str);

const TABLE_1: &[Row] = &[
    (1, 14.0625, 463_479, 58_490, "all"),
    (2, 11.925, 1_482_751, 186_819, "corners"),
    (3, 9.546429, 2_879_304, 361_587, "corners"),
    (4, 7.154945, 3_837_425, 482_056, "borders"),
    (5, 4.992674, 3_758_616, 471_886, "borders"),
    (6, 3.340909, 2_824_116, 355_025, "borders"),
    (7, 2.277185, 1_673_834, 210_602, "borders"),
    (8, 1.557265, 795_610, 100_453, "borders"),
    (9, 1.075087, 305_172, 38_678, "borders"),
    (10, 0.753621, 93_916, 12_036, "borders"),
    (11, 0.528159, 22_755, 2_965, "borders"),
    (12, 0.365934, 4_083, 558, "corners"),
    (13, 0.241071, 479, 76, "corners"),
    (14, 0.141667, 33, 7, "all except corners"),
];

const TABLE_2: &[Row] = &[
    (1, 7.111111, 1_898, 289, "all except centre"),
    (2, 4.888888, 2_974, 443, "borders"),
    (3, 2.904762, 2_720, 405, "borders"),
    (4, 1.698413, 1_596, 245, "borders"),
    (5, 0.952381, 626, 106, "borders"),
    (6, 0.535714, 144, 30, "borders"),
    (7, 0.277777, 18, 6, "all except centre"),
];

const TABLE_3: &[Row] = &[(1, 1.5, 11, 4, "all"), (2, 0.666666, 5, 2, "all")];

fn start(side: u32, mines: u32) -> Position {
    let board = Board::hidden(BoardSize::new(side, side), mines).unwrap();
    Position::of_board(&board, Reach::SMALL_BOARD).unwrap()
}

/// The opening tiles that are worth most, in the paper's words.
fn best_opening(side: u32, goal: Goal, mines: u32) -> (f64, String) {
    let worth = Graph::new(goal, Play::Optimal).worth(&start(side, mines), Reach::SMALL_BOARD).unwrap();
    let size = BoardSize::new(side, side);
    let kinds = [3, 5, 8].map(|degree| worth.best().filter(|play| size.degree(play.cell) == degree).count());
    let inside = (side as usize - 2) * (side as usize - 2);
    let words = match kinds {
        [4, 0, 0] if side > 2 => "corners",
        [0, _, 0] => "borders",
        [0, 0, _] => "centre",
        [4, _, 0] if side > 2 => "all except centre",
        [0, _, n] if n == inside => "all except corners",
        _ => "all",
    };
    assert!(kinds.iter().zip([4, 4 * (side as usize - 2), inside]).all(|(found, all)| [0, all].contains(found)));
    (worth.value, words.to_owned())
}

fn check(side: u32, table: &[Row]) {
    for &(mines, value, positions, up_to_symmetry, opening) in table {
        let counted = census(BoardSize::new(side, side), mines);
        assert_eq!(counted, Census { positions, up_to_symmetry }, "{side}x{side}, {mines} mines");
        let (found, words) = best_opening(side, Goal::Moves, mines);
        // The paper rounds some last digits and cuts others: 0.277777, but 0.141667.
        assert!((found - value).abs() < 1e-6, "{side}x{side}, {mines} mines: {found}, not {value}");
        // With 14 mines on 4x4 the paper leaves the corners out; `two_safe_tiles_are_worth_the_same_everywhere`.
        let opening = if (side, mines) == (4, 14) { "all" } else { opening };
        assert_eq!(words, opening, "{side}x{side}, {mines} mines");
    }
}

#[test]
fn table_1() {
    check(4, TABLE_1);
}

#[test]
fn table_2() {
    check(3, TABLE_2);
}

#[test]
fn table_3() {
    check(2, TABLE_3);
}

/// Table 1's last row. A first tile that is safe (1 in 8) shows one of two numbers: the other safe tile is one of its d
/// neighbours (d chances in 15, then found with 1/d), or one of the 15 - d others (then found with 1/(15 - d)). Either
/// way that is 1/15, so that every tile is worth 1/8 (1 + 1/15 + 1/15), a corner like any other.
#[test]
fn two_safe_tiles_are_worth_the_same_everywhere() {
    let worth = Graph::new(Goal::Moves, Play::Optimal).worth(&start(4, 14), Reach::SMALL_BOARD).unwrap();
    assert_eq!(worth.moves.len(), 16);
    assert!(worth.moves.iter().all(|play| (play.value - 17.0 / 120.0).abs() < 1e-12));
}

/// Section 7 says that a reward for every tile keeps the best policy of a reward for winning alone. It does not: with
/// 8 to 12 mines on 4x4 one lives longest from the border (or the corners), but wins most often from the centre.
#[test]
fn living_long_is_not_winning() {
    for mines in 8..=12 {
        let (win, words) = best_opening(4, Goal::Win, mines);
        assert_eq!(words, "centre", "{mines} mines: wins {win}");
    }
    for mines in 2..=7 {
        assert_eq!(best_opening(4, Goal::Win, mines).1, best_opening(4, Goal::Moves, mines).1, "{mines} mines");
    }
}

/// Figures 3 and 4: optimal play is never behind greedy play (the paper saw it behind in a few samples of 1000 games),
/// with a free first move or without.
#[test]
fn greedy_is_never_ahead() {
    for mines in 1..16 {
        let win = |play| Graph::new(Goal::Win, play).worth(&start(4, mines), Reach::SMALL_BOARD).unwrap().value;
        let (optimal, greedy) = (win(Play::Optimal), win(Play::Greedy));
        assert!(optimal >= greedy - 1e-12, "{mines} mines: {optimal} against {greedy}");
        let alike = [1, 14, 15].contains(&mines); // Nothing to choose, or nothing to lose.
        assert_eq!(optimal < greedy + 1e-12, alike, "{mines} mines: {optimal} against {greedy}");
    }
}

/// Whole boards, as deals won under best play. A program of its own, which searches sets of deals without symmetry and with no
/// bound but the number of safe deals, found these.
#[test]
fn the_optimum_is_a_whole_number_of_deals() {
    for (width, height, mines, wins, deals) in [(3, 3, 3, 33, 84), (4, 4, 4, 961, 1820), (5, 4, 4, 2950, 4845)] {
        let board = Board::hidden(BoardSize::new(width, height), mines).unwrap();
        let found = |rule| optimum(&board, rule, Reach::WHOLE_BOARD).unwrap();
        let any = found(Rule::Any);
        assert_eq!((any.wins, any.deals), (wins, deals), "{width}x{height}/{mines}");
        // A safe first click is the same game without the deals that have a mine there.
        let safe = found(Rule::Safe);
        let tiles = u64::from(width * height);
        assert_eq!((safe.wins, safe.deals), (wins, deals * (tiles - u64::from(mines)) / tiles));
    }
}
