//! Whether a reading can be acted on: it must keep the rules of the game, go on from the reading before it, and show
//! what was clicked. And how a game stands by its tiles.

use super::aim::{Move, Wanted};
use crate::board::{Board, BoardError, Tile};
use crate::client::Rules;
use crate::geometry::{BoardSize, Cell};
use crate::vision::doubt::stays_hidden;
use crate::vision::{self, Reading};

/// What is wrong with a reading.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Doubt {
    /// Tiles that were recognised before are not any more.
    #[error(
        "{count} tiles that were seen before cannot be recognised any more, as at {cell}: something covers the board, or it \
         looks different now"
    )]
    Covered {
        /// How many.
        count: usize,
        /// One of them.
        cell: Cell,
    },
    /// An open tile changed, which the game does not allow.
    #[error("the open tile at {cell} was read as {was} and is read as {is} now")]
    Changed {
        /// Where.
        cell: Cell,
        /// In board text.
        was: char,
        /// In board text.
        is: char,
    },
    /// A tile without mines around it opens all of them, always.
    #[error("the 0 at {0} has hidden tiles around it, which the game would have opened")]
    Flood(Cell),
    /// A mine shows, but the game is not over by anything else that shows.
    #[error("the tile at {0} was read as a mine, but nobody opened it and no other mine shows")]
    Mine(Cell),
    /// The numbers are impossible.
    #[error("{0}")]
    Rules(#[from] BoardError),
    /// These tiles do not show what was clicked.
    #[error("{} clicked tiles have not changed", .0.len())]
    NotYet(Vec<Cell>),
}

/// So many unrecognised tiles at once are not a rare number without a picture, but something over the board.
pub const COVERED: usize = 4;

/// The share of the open numbers that still show, from which a board on which mines show is believed without waiting: less is one that
/// is only being painted, or has a dialog over it.
const SHOWING: usize = 2;

/// The share of them from which what is covered is held to be the rest of the same game, where that is all that is to be known of it.
const STILL_SHOWING: usize = 4;

/// How many of the numbers that were open still show, and how many show something else. What is not recognised says nothing.
fn kept(before: &[Tile], now: &[Tile]) -> (usize, usize) {
    let opened = before.iter().zip(now).filter(|(was, is)| was.number().is_some() && **is != Tile::Unrecognised);
    let (same, other): (Vec<_>, Vec<_>) = opened.partition(|(was, is)| was == is);
    (same.len(), other.len())
}

/// Whether numbers that were open are others now, covered, or mines: no game does that but a new one. One tile may be misread.
pub fn is_another_game(before: &[Tile], now: &[Tile]) -> bool {
    let (same, other) = kept(before, now);
    other * 4 > same + other && (other > 1 || same == 0)
}

/// Whether a board of another game shows more than covered tiles, for which a client's own cover may be taken.
pub fn shows_other_numbers(before: &[Tile], now: &[Tile]) -> bool {
    let shows = |tile: Tile| tile.number().is_some() || tile.is_shown_mine();
    before.iter().zip(now).filter(|(was, is)| was.number().is_some() && was != is && shows(**is)).count() > 1
}

/// Whether mines are shown, as at the end of a game.
pub fn is_over(tiles: &[Tile]) -> bool {
    tiles.iter().any(|tile| matches!(tile, Tile::Mine | Tile::Exploded | Tile::WrongFlag))
}

/// Says what is wrong with `reading`, if anything is. `before` are the tiles before `moves` were made; `is_late`: there
/// is no use in waiting longer, so a clicked tile that is not recognised is accepted as such. `level`: the mines of the
/// client's level of this size, for the end of a game; `floods`: whether the client opens all around an empty tile.
pub fn check(
    reading: &Reading,
    before: Option<&[Tile]>,
    moves: &[Move],
    mines: Option<u32>,
    level: Option<u32>,
    is_late: bool,
    floods: bool,
) -> Result<(), Doubt> {
    let tiles: Vec<Tile> = reading.tiles.iter().map(|reading| reading.tile).collect();
    let size = reading.grid.size();
    if let Some(before) = before
        && is_another_game(before, &tiles)
    {
        unchanged(size, before, &tiles)?;
    }
    if is_over(&tiles) {
        if let Some(before) = before
            && !is_late
        {
            mostly_showing(size, before, &tiles)?;
        }
        return ended(size, &tiles, moves, mines.or(level), is_late);
    }
    if let Some(before) = before {
        same_game(size, before, &tiles, moves, is_late)?;
    }
    mostly_seen(size, &tiles)?;
    if floods {
        flooded(size, before, &tiles, is_late)?;
    }
    reading.board(mines)?;
    let missing = moves.iter().filter(|to_do| {
        let is_unknown = tiles[size.index(to_do.cell)] == Tile::Unrecognised;
        !(to_do.is_done(&tiles, size) || is_late && is_unknown)
    });
    let missing: Vec<Cell> = missing.map(|to_do| to_do.cell).collect();
    if missing.is_empty() { Ok(()) } else { Err(Doubt::NotYet(missing)) }
}

/// Whether tiles that show mines are those of a game that is over: a mine shows where something was opened, or all of them show.
/// Without that it is waited for, for one tile may be misread; what stays is believed if two tiles say so, or one that went off.
fn ended(size: BoardSize, tiles: &[Tile], moves: &[Move], mines: Option<u32>, is_late: bool) -> Result<(), Doubt> {
    let shows_mine = |cell: Cell| tiles[size.index(cell)].is_shown_mine();
    let opened_a_mine = moves.iter().any(|to_do| match to_do.wanted {
        Wanted::Open => shows_mine(to_do.cell),
        Wanted::Chord => size.neighbours(to_do.cell).any(shows_mine),
        Wanted::Flag | Wanted::NoFlag => false,
    });
    let count = |is: fn(Tile) -> bool| tiles.iter().filter(|&&tile| is(tile)).count();
    let shown = count(Tile::is_shown_mine);
    let all_show = shown > 0 && mines.is_some_and(|mines| shown + count(|tile| tile == Tile::Flag) == mines as usize);
    let says_so = shown + count(|tile| tile == Tile::WrongFlag);
    let is_plain = says_so > 1 || count(|tile| tile == Tile::Exploded) > 0;
    if opened_a_mine || all_show || is_late && is_plain {
        return Ok(());
    }
    let one = size.cells().find(|&cell| shows_mine(cell) || tiles[size.index(cell)] == Tile::WrongFlag);
    Err(Doubt::Mine(one.unwrap_or(Cell::new(0, 0))))
}

/// Open tiles stay open and keep their number, and what was recognised stays so: but for what got a flag, of which nobody may know how it looks there.
fn same_game(size: BoardSize, before: &[Tile], now: &[Tile], moves: &[Move], is_late: bool) -> Result<(), Doubt> {
    let pairs = || size.cells().zip(before.iter().zip(now));
    let is_flagged = |cell: Cell| is_late && moves.contains(&Move { cell, wanted: Wanted::Flag });
    let lost = pairs()
        .filter(|(cell, (was, is))| **was != Tile::Unrecognised && **is == Tile::Unrecognised && !is_flagged(*cell));
    let lost: Vec<(Cell, Tile)> = lost.map(|(cell, (was, _))| (cell, *was)).collect();
    let were_open = lost.iter().any(|(_, was)| was.number().is_some());
    if let Some(&(cell, _)) = lost.first()
        && (were_open || lost.len() >= COVERED || !is_late)
    {
        return Err(Doubt::Covered { count: lost.len(), cell });
    }
    unchanged(size, before, now)
}

/// Open tiles keep their number, as far as they are recognised.
fn unchanged(size: BoardSize, before: &[Tile], now: &[Tile]) -> Result<(), Doubt> {
    let mut pairs = size.cells().zip(before.iter().zip(now));
    let differs = |was: Tile, is: Tile| was.number().is_some() && is != Tile::Unrecognised && was != is;
    match pairs.find(|(_, (was, is))| differs(**was, **is)) {
        Some((cell, (was, is))) => Err(Doubt::Changed { cell, was: was.to_char(), is: is.to_char() }),
        None => Ok(()),
    }
}

/// Whether every tile without a mine is open although something covers a part of the board: what was open and is covered now is what it
/// was, as long as a part of it still shows that this is the same game.
pub fn cleared(reading: &Reading, before: &[Tile], mines: Option<u32>, floods: bool) -> bool {
    let now: Vec<Tile> = reading.tiles.iter().map(|reading| reading.tile).collect();
    let opened = before.iter().filter(|tile| tile.number().is_some()).count();
    let (same, other) = kept(before, &now);
    let known =
        |(was, is): (&Tile, &Tile)| if *is == Tile::Unrecognised && was.number().is_some() { *was } else { *is };
    let tiles: Vec<Tile> = before.iter().zip(&now).map(known).collect();
    let size = reading.grid.size();
    let open = tiles.iter().filter(|tile| tile.number().is_some()).count();
    other == 0
        && same * STILL_SHOWING >= opened
        && mines.is_some_and(|mines| open + mines as usize == tiles.len())
        && !tiles.iter().any(|tile| matches!(tile, Tile::Exploded | Tile::WrongFlag))
        && (!floods || flooded(size, Some(before), &tiles, true).is_ok())
        && Board::new(size, mines, tiles).is_ok()
}

/// Enough of what was open still shows.
fn mostly_showing(size: BoardSize, before: &[Tile], now: &[Tile]) -> Result<(), Doubt> {
    let opened = before.iter().filter(|tile| tile.number().is_some()).count();
    let (same, other) = kept(before, now);
    let gone =
        |cell: &Cell| before[size.index(*cell)].number().is_some() && now[size.index(*cell)] == Tile::Unrecognised;
    match size.cells().find(gone) {
        Some(cell) if same * SHOWING < opened => Err(Doubt::Covered { count: opened - same - other, cell }),
        _ => Ok(()),
    }
}

/// A board of which less than half can be told is covered, whatever it was before.
fn mostly_seen(size: BoardSize, tiles: &[Tile]) -> Result<(), Doubt> {
    let unknown = || size.cells().filter(|&cell| tiles[size.index(cell)] == Tile::Unrecognised);
    let count = unknown().count();
    match unknown().next() {
        Some(cell) if count >= COVERED && count * 2 > tiles.len() => Err(Doubt::Covered { count, cell }),
        _ => Ok(()),
    }
}

/// Catches the look of a pressed tile, which in many clients is that of a 0. A new one beside a flag says that this is wrong: as long as
/// there is time, it is rather held for a tile that is being pressed.
fn flooded(size: BoardSize, before: Option<&[Tile]>, tiles: &[Tile], is_late: bool) -> Result<(), Doubt> {
    dry(size, before, tiles, is_late).next().map_or(Ok(()), |cell| Err(Doubt::Flood(cell)))
}

/// The tiles that look empty and have others beside them that should be open then.
pub fn dry<'a>(
    size: BoardSize,
    before: Option<&'a [Tile]>,
    tiles: &'a [Tile],
    is_late: bool,
) -> impl Iterator<Item = Cell> + 'a {
    let is_bare = move |cell: Cell| match tiles[size.index(cell)] {
        Tile::Hidden | Tile::Question => true,
        Tile::Flag => !is_late && before.is_some(),
        _ => false,
    };
    let is_dry = move |cell: &Cell| {
        let mut around = size.neighbours(*cell).filter(|&other| is_bare(other));
        tiles[size.index(*cell)] == Tile::Open(0) && around.any(|other| !stays_hidden(before, size, *cell, other))
    };
    size.cells().filter(is_dry)
}

/// Whether every number of a board on which all is told counts what is covered, or shows a mine, around it: that is what a won game leaves.
pub fn is_counted(size: BoardSize, tiles: &[Tile]) -> bool {
    let around = |cell: Cell| size.neighbours(cell).map(|other| tiles[size.index(other)]);
    let is_right = |cell: Cell| match tiles[size.index(cell)] {
        Tile::Open(number) => {
            let mines = around(cell).filter(|tile| tile.is_covered() || tile.is_shown_mine()).count();
            around(cell).any(|tile| tile == Tile::Unrecognised) || mines == usize::from(number)
        }
        _ => true,
    };
    size.cells().all(is_right)
}

/// Whether nothing is hidden any more, no mine went off, and all mines that are counted show.
pub fn is_turned_up(size: BoardSize, tiles: &[Tile]) -> bool {
    let is_left = |tile: &Tile| matches!(tile, Tile::Hidden | Tile::Question | Tile::Exploded | Tile::WrongFlag);
    !tiles.iter().any(is_left) && is_counted(size, tiles)
}

/// How a game stands, as the bot needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It goes on.
    Playing,
    /// All is open, but the client wants every mine flagged.
    ToFlag,
    /// It is won.
    Won,
    /// It is lost.
    Lost,
}

/// How a game with these tiles stands, as [`vision::standing`] tells it: with the flags that some clients want.
pub fn standing(tiles: &[Tile], mines: Option<u32>, rules: &Rules) -> Standing {
    let has = |is: fn(Tile) -> bool| tiles.iter().any(|&tile| is(tile));
    let may_lack_flags = rules.flags_to_win && !is_over(tiles);
    match vision::standing(tiles, mines) {
        vision::Standing::Won if may_lack_flags && has(|tile| matches!(tile, Tile::Hidden | Tile::Question)) => {
            Standing::ToFlag
        }
        // Whether what cannot be told has its flag is not known.
        vision::Standing::Won if may_lack_flags && has(|tile| tile == Tile::Unrecognised) => Standing::Playing,
        vision::Standing::Won => Standing::Won,
        vision::Standing::Lost => Standing::Lost,
        vision::Standing::Playing | vision::Standing::Unknown => Standing::Playing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Rule;
    use crate::vision::{Grid, TileReading};

    fn tiles(rows: &str) -> Vec<Tile> {
        rows.split_whitespace().flat_map(str::chars).map(|tile| Tile::from_char(tile).unwrap()).collect()
    }

    fn reading(rows: &str) -> Reading {
        let edges = |count: usize| (0..=count).map(|edge| edge as f64 * 16.0).collect();
        let grid = Grid {
            columns: edges(rows.split_whitespace().next().unwrap().len()),
            lines: edges(rows.split_whitespace().count()),
        };
        let tiles = tiles(rows).into_iter();
        let tiles =
            tiles.map(|tile| TileReading { tile, best: tile, score: 1.0, lead: 1.0, runner_up: None }).collect();
        Reading { client: String::new(), theme: String::new(), grid, tiles, mines_left: None }
    }

    fn moved(wanted: Wanted, x: u32, y: u32) -> Vec<Move> {
        vec![Move { cell: Cell::new(x, y), wanted }]
    }

    /// What is said of `now` after `before`, while there is time to look again and when there is none.
    fn check_both(before: &str, now: &str, moves: &[Move], early: Option<&str>, late: Option<&str>) {
        let before = (!before.is_empty()).then(|| tiles(before));
        for (is_late, expected) in [(false, early), (true, late)] {
            let found = check(&reading(now), before.as_deref(), moves, None, Some(2), is_late, true);
            let found = found.err().map(|doubt| format!("{doubt:?}"));
            let name = found.as_deref().map(|doubt| doubt.split(['(', ' ']).next().unwrap());
            assert_eq!(name, expected, "{before:?} {now}, late: {is_late}: {found:?}");
        }
    }

    #[test]
    fn tiles_may_be_opened_and_marked_by_anybody() {
        let open = moved(Wanted::Open, 0, 0);
        check_both("", "##2 ###", &[], None, None);
        check_both("### ###", "1## ###", &open, None, None);
        check_both("### ###", "12# F?#", &open, None, None);
        check_both("1F# ##?", "1#1 ##F", &[], None, None);
    }

    #[test]
    fn a_click_that_shows_nothing_is_waited_for() {
        let (open, flag) = (moved(Wanted::Open, 0, 0), moved(Wanted::Flag, 0, 0));
        check_both("### ###", "#1# ###", &open, Some("NotYet"), Some("NotYet"));
        check_both("### ###", "F## ###", &open, Some("NotYet"), Some("NotYet"));
        check_both("### ###", "1## ###", &flag, Some("NotYet"), Some("NotYet"));
        check_both("### ###", "F## ###", &flag, None, None);
        // Nobody knows how it looks: accepted, but only when there is no time left.
        check_both("### ###", "~## ###", &open, Some("Covered"), None);
        check_both("~## ###", "~## ###", &open, Some("NotYet"), None);
        let chord = moved(Wanted::Chord, 0, 0);
        check_both("1F# ###", "1F1 ##1", &chord, Some("NotYet"), Some("NotYet"));
        check_both("1F# ###", "1F# 12#", &chord, None, None);
    }

    #[test]
    fn flags_that_look_as_nobody_knows_cover_nothing() {
        let flags: Vec<Move> = (0..4).flat_map(|x| moved(Wanted::Flag, x, 0)).collect();
        check_both("#### #### ####", "~~~~ #### ####", &flags, Some("Covered"), None);
        check_both("#### #### ####", "~~~~ #### ####", &[], Some("Covered"), Some("Covered"));
        check_both("#### #### ####", "~~~~ ~### ####", &flags, Some("Covered"), None);
        check_both("#### 1### ####", "~~~~ ~### ####", &flags, Some("Covered"), Some("Covered"));
    }

    #[test]
    fn what_was_open_stays_as_it_was() {
        check_both("1## ###", "2## ###", &[], Some("Changed"), Some("Changed"));
        check_both("1## ###", "### ###", &[], Some("Changed"), Some("Changed"));
        check_both("1## ###", "F## ###", &[], Some("Changed"), Some("Changed"));
        check_both("1## ###", "~## ###", &[], Some("Covered"), Some("Covered"));
        check_both("1## ###", "~~# ###", &[], Some("Covered"), Some("Covered"));
        check_both("~## ###", "1## ###", &[], None, None);
        check_both("#### ####", "~~~# ####", &[], Some("Covered"), None);
        check_both("#### ####", "~~~~ ####", &[], Some("Covered"), Some("Covered"));
    }

    #[test]
    fn a_zero_has_no_hidden_neighbour() {
        check_both("", "0## ###", &[], Some("Flood"), Some("Flood"));
        check_both("", "01? 01#", &[], None, None);
        check_both("", "0? 11", &[], Some("Flood"), Some("Flood"));
        check_both("", "0F 11", &[], None, None);
        // But where it had a flag.
        check_both("#F1 ###", "0#1 ###", &[], Some("Flood"), Some("Flood"));
        check_both("0F1 001", "0#1 001", &[], None, None);
        check_both("0#1 001", "0?1 001", &[], None, None);
        // Beside a flag it may be pressed, while it is new.
        check_both("1F1 1#1", "1F1 101", &[], Some("Flood"), None);
        check_both("0F0 000", "0F0 000", &[], None, None);
    }

    #[test]
    fn a_board_that_can_hardly_be_seen_is_covered() {
        check_both("", "~~~# ~~~#", &[], Some("Covered"), Some("Covered"));
        check_both("", "~~ ~~ ##", &[], Some("Covered"), Some("Covered"));
        check_both("", "~~## ~~##", &[], None, None);
        check_both("", "~~#", &[], None, None);
        check_both("~~~# ~~~#", "~~~# ~~~#", &[], Some("Covered"), Some("Covered"));
    }

    #[test]
    fn a_board_is_cleared_also_under_what_covers_it() {
        for (before, now, mines, expected) in [
            ("#100 1100", "#1~~ 11~~", Some(1), true),
            ("#1#0 1100", "#100 11~~", Some(1), true),
            ("#1#0 1100", "#1~0 11~~", Some(1), false), // the last one does not show
            ("#100 1100", "#~~~ ~~~0", Some(1), false), // hardly anything shows
            ("#100 1100", "#120 11~~", Some(1), false), // another game
            ("#100 1100", "#1~~ 11~~", Some(2), false),
            ("#100 1100", "#1~~ 11~~", None, false),
            ("#100 1100", "X1~~ 11~~", Some(1), false),
            ("#100 #100", "01~~ #1~~", Some(1), false), // a pressed tile
            ("#200 #200", "12~~ #2~~", Some(1), false), // impossible: there are two mines
        ] {
            assert_eq!(cleared(&reading(now), &tiles(before), mines, true), expected, "{before} {now} {mines:?}");
        }
    }

    #[test]
    fn numbers_must_be_possible() {
        check_both("", "5## ###", &[], Some("Rules"), Some("Rules"));
    }

    #[test]
    fn one_mine_is_not_the_end_until_something_else_says_so() {
        let open = moved(Wanted::Open, 0, 0);
        let chord = moved(Wanted::Chord, 1, 1);
        // Opened, or all of the level's two mines: over at once.
        for (now, moves) in [("*## ###", &open), ("X## ###", &open), ("X## ###", &chord), ("1#* ##*", &open)] {
            check_both("### ###", now, moves, None, None);
        }
        check_both("### ###", "1F# ##*", &open, None, None);
        // Where nothing was opened it may be misread: looked at again, and believed if it went off or is not alone.
        check_both("### ###", "1## ##*", &open, Some("Mine"), Some("Mine"));
        check_both("### ###", "1## ##x", &open, Some("Mine"), Some("Mine"));
        check_both("### ###", "#F# #Fx", &open, Some("Mine"), Some("Mine"));
        check_both("### ###", "1## ##X", &open, Some("Mine"), None);
        check_both("### ###", "1## #x*", &open, Some("Mine"), None);
        check_both("### ###", "*## ###", &moved(Wanted::Flag, 0, 0), Some("Mine"), Some("Mine"));
        let odd = check(&reading("1## ##x"), Some(&tiles("### ###")), &open, None, Some(2), true, true);
        assert_eq!(odd, Err(Doubt::Mine(Cell::new(2, 1))), "it is named");
        check_both("", "### #**", &[], None, None);
        let unknown = check(&reading("### ##*"), None, &open, None, None, true, true);
        assert_eq!(unknown, Err(Doubt::Mine(Cell::new(2, 1))), "that all show is not known where their number is not");
        check_both("", "#** #**", &[], Some("Mine"), None);
        // A dialog may cover what was open; or the end is only being painted.
        check_both("1## ###", "~## #**", &open, Some("Covered"), None);
        check_both("11# ###", "1~# #**", &open, None, None);
        let hidden = check(&reading("1~# #**"), Some(&tiles("11# 1##")), &open, None, Some(2), false, true);
        assert_eq!(hidden, Err(Doubt::Covered { count: 1, cell: Cell::new(1, 0) }), "another of them is wrong");
    }

    #[test]
    fn covered_numbers_are_another_game() {
        for (before, now, another) in [
            ("###", "###", false),
            ("11#", "11F", false),
            ("11#", "1##", false),
            ("11#", "#X#", true),
            ("11#", "X1#", false),
            ("1111", "11##", true),
            ("11111111", "111111##", false),
            ("11#", "~~#", false),
            ("11#", "##1", true),
            ("11#", "#F*", true),
            ("1##", "###", true),
        ] {
            assert_eq!(is_another_game(&tiles(before), &tiles(now)), another, "{before} {now}");
        }
        for (before, now, plain) in [
            ("11##", "##11", false),
            ("11##", "#2**", false),
            ("11##", "2***", true),
            ("111#", "##2*", false),
            ("11##", "11*X", false),
        ] {
            assert_eq!(shows_other_numbers(&tiles(before), &tiles(now)), plain, "{before} {now}");
        }
        // Even if a mine shows where something was opened: that was the new one's.
        let open_last = moved(Wanted::Open, 3, 1);
        check_both("1111 ####", "2211 ##*X", &open_last, Some("Changed"), Some("Changed"));
        check_both("1111 ####", "2111 ##*X", &open_last, None, None);
        check_both("1111 ####", "~~** ##*X", &open_last, Some("Changed"), Some("Changed"));
        check_both("1111 ####", "~~11 ##*X", &open_last, None, None);
        check_both("1## 11#", "### ##X", &moved(Wanted::Open, 2, 1), Some("Changed"), Some("Changed"));
    }

    #[test]
    fn numbers_count_what_a_won_game_leaves() {
        let size = BoardSize::new(3, 2);
        for (rows, counted, turned_up) in [
            ("#10 110", true, false),
            ("*10 110", true, true),
            ("*11 11~", true, true),
            ("*1~ 11~", true, true),
            ("*10 120", false, false),
            ("#11 #11", false, false),
            ("X10 110", true, false),
            ("010 110", false, false), // a mine that looks like an empty tile
        ] {
            let tiles = tiles(rows);
            assert_eq!((is_counted(size, &tiles), is_turned_up(size, &tiles)), (counted, turned_up), "{rows}");
        }
    }

    #[test]
    fn mines_show_only_at_the_end() {
        for (row, over) in [("#F?~0123", false), ("#*", true), ("#X", true), ("#x", true)] {
            assert_eq!(is_over(&tiles(row)), over, "{row}");
        }
    }

    #[test]
    fn how_a_game_stands() {
        use Standing::{Lost, Playing, ToFlag, Won};
        let rules = |flags_to_win| Rules { first_click: Rule::Safe, no_guess: false, flags_to_win, floods: true };
        for (row, mines, flags_to_win, expected) in [
            ("##1", Some(1), false, Playing),
            ("#11", Some(1), false, Won),
            ("F11", Some(1), true, Won),
            ("#11", Some(1), true, ToFlag),
            ("?11", Some(1), true, ToFlag),
            ("#~1", Some(1), false, Playing),
            ("#11", None, false, Playing),
            // The mines are shown at a win, too.
            ("*11", Some(1), false, Won),
            ("*11", Some(1), true, Won),
            ("*~1", Some(1), false, Won),
            ("*~1", Some(3), false, Lost),
            // All that is safe is open, whatever the rest looks like.
            ("*~1", Some(2), false, Won),
            ("~~1", Some(2), false, Won),
            ("~F1", Some(2), false, Won),
            ("~F1", Some(2), true, Playing),
            ("~#1", Some(2), true, ToFlag),
            ("~x1", Some(2), false, Lost),
            ("X~1", Some(1), false, Lost),
            ("*11", None, false, Won),
            ("*F1", None, false, Won),
            ("*#1", None, false, Lost),
            ("*?1", None, false, Lost),
            ("*~1", None, false, Lost),
            ("*x1", None, false, Lost),
            ("*#1", Some(1), false, Lost),
            ("X11", Some(1), false, Lost),
            ("X11", None, false, Lost),
            ("x11", Some(1), false, Lost),
        ] {
            assert_eq!(standing(&tiles(row), mines, &rules(flags_to_win)), expected, "{row} {mines:?} {flags_to_win}");
        }
    }
}
