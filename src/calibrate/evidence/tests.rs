//! Boards drawn tile by tile, and what is seen of them.

use super::place::beside;
use super::*;
use crate::calibrate::meaning::Meaning;
use crate::geometry::BoardSize;
use image::Rgba;

const SIDE: u32 = 12;

/// A board of tiles with frames and, where they have a number above 0, bars of its height in its colour; `e` is as hidden as `f`, in a dark frame,
/// `d` a 1 in such a frame, and `c` an empty tile in one.
fn board(rows: &str, colour: [u8; 3], at: (u32, u32)) -> (RgbaImage, Grid) {
    let rows: Vec<Vec<u32>> =
        rows.split_whitespace().map(|row| row.chars().filter_map(|tile| tile.to_digit(16)).collect()).collect();
    let (width, height) = (rows[0].len() as u32, rows.len() as u32);
    let picture = RgbaImage::from_fn(width * SIDE + 20, height * SIDE + 20, |x, y| {
        let place = (x.wrapping_sub(10), y.wrapping_sub(10));
        let tile = rows.get((place.1 / SIDE) as usize).and_then(|row| row.get((place.0 / SIDE) as usize));
        let (x, y) = (place.0 % SIDE, place.1 % SIDE);
        let [red, green, blue] = match tile {
            None => [240; 3],
            Some(tile) if [0, SIDE - 1].contains(&x) || [0, SIDE - 1].contains(&y) => {
                [if [12, 13, 14].contains(tile) { 20 } else { 110 }; 3]
            }
            Some(14 | 15) => [170; 3],
            Some(tile)
                if *tile > 0
                    && *tile != 12
                    && (3..6).contains(&x)
                    && y >= 2
                    && y < 2 + 2 * if *tile == 13 { 1 } else { *tile } =>
            {
                colour
            }
            Some(_) => [225; 3],
        };
        Rgba([red, green, blue, 255])
    });
    let edges = |from: u32, count: u32| (0..=count).map(|edge| f64::from(from + edge * SIDE)).collect();
    (picture, Grid { columns: edges(at.0, width), lines: edges(at.1, height) })
}

/// A game of two clicks, of which the first opened eight tiles and the last was here.
fn record(running: Scene, ending: Scene, clicked: Cell) -> Record {
    let (clicks, opened_first, open_at_start) = (2, 8, 0);
    Record { running, ending, clicked, pressed: vec![clicked], clicks, opened_first, open_at_start }
}

#[test]
fn numbers_that_turn_grey_at_the_end_were_painted_before() {
    let (then, grid) = board("ffff 1122 0010 0000", [0, 0, 200], (10, 10));
    let (late, _) = board("ffff 1022 0010 0000", [0, 0, 200], (10, 10));
    let (grey, _) = board("ffff 1122 0010 0000", [150; 3], (10, 10));
    for (before, after, removed) in [(&then, &grey, 0), (&late, &then, 1), (&then, &then, 0)] {
        let mut evidence = Evidence::default();
        let hidden = evidence.look_at(&board("ffff ffff ffff ffff", [0; 3], (10, 10)).0, &grid, false, |_| false);
        evidence.take_as_untouched(hidden);
        let [mut running, ending] = [before, after].map(|picture| evidence.look_at(picture, &grid, false, |_| false));
        assert_eq!(evidence.settle(&mut running, &ending), removed > 0);
        assert_eq!(running.looks.iter().filter(|look| look.is_none()).count(), removed);
    }
}

#[test]
fn what_stood_on_an_untouched_board_alone_tells_nothing() {
    // Hidden tiles of a last row look otherwise: no number can be told from them before a second board.
    let (untouched, grid) = board("ffff ffff ffff 4444", [90, 0, 0], (10, 10));
    let (played, _) = board("ffff f1ff ffff 4444", [90, 0, 0], (10, 10));
    let (open, _) = board("ffff f14f ffff 4444", [90, 0, 0], (10, 10));
    let mut evidence = Evidence::default();
    let mut see = |picture: &RgbaImage, is_untouched: bool| {
        let scene = evidence.look_at(picture, &grid, false, |_| false);
        let telling = evidence.telling(&scene.looks);
        if is_untouched {
            evidence.take_as_untouched(scene);
        }
        telling.iter().filter(|look| look.is_none()).count()
    };
    see(&untouched, true);
    assert_eq!(see(&played, false), 4);
    assert_eq!(see(&open, false), 0, "it is on another tile, too");
    see(&untouched, true);
    assert_eq!(see(&played, false), 0, "it is known to be hidden");
    assert_eq!(evidence.known.hidden.len(), 2);
}

#[test]
fn a_sign_over_two_untouched_boards_is_none_of_their_hidden_tiles() {
    let hidden_looks = |first: &str, others: &str| {
        let mut evidence = Evidence::default();
        for rows in [first, others, others] {
            let (picture, grid) = board(rows, [90, 0, 0], (10, 10));
            let scene = evidence.look_at(&picture, &grid, false, |_| false);
            evidence.take_as_untouched(scene);
        }
        evidence.known.hidden.len()
    };
    let plain = "ffff ffff ffff ffff";
    assert_eq!(hidden_looks(plain, "ffff f123 ffff ffff"), 1);
    assert_eq!(hidden_looks(plain, "ffff f4ff ffff ffff"), 2, "the pointer was there");
    let larger = "fffff fffff fffff fffff fffff";
    assert_eq!(hidden_looks(larger, "4ff4 ffff ffff 4ff4"), 2, "the corners of another level");
}

#[test]
fn hidden_tiles_along_a_side_that_look_otherwise_are_no_numbers() {
    let hidden_looks = |rows: &str| {
        let (picture, grid) = board(rows, [90, 0, 0], (10, 10));
        let mut evidence = Evidence::default();
        let scene = evidence.look_at(&picture, &grid, false, |_| false);
        evidence.take_as_untouched(scene);
        evidence.take_sides_as_hidden();
        evidence.known.hidden.len()
    };
    for rows in [
        "fffff fffff fffff 44444",
        "4ffff 4ffff 4ffff 4ffff",
        "ffff2 ffff2 ffff2 44443",
        "4444444 4fffff4 4fffff4 4fffff4 4fffff4 4fffff4 4444444",
    ] {
        assert_eq!(hidden_looks(rows), if rows.contains('2') { 3 } else { 2 }, "{rows}");
    }
    for rows in ["fffff ffff4 fffff 44444", "fffff fffff fffff ffff4", "fffff ff4ff fffff fffff"] {
        assert_eq!(hidden_looks(rows), 1, "{rows}");
    }
}

#[test]
fn a_board_that_begins_with_an_opening_has_its_hidden_tiles_beside_it() {
    let small = "ffff ff11 ff10 ff10";
    let large = "0000 0111 01ff 01ff";
    let see = |evidence: &mut Evidence, rows: &str| {
        let (picture, grid) = board(rows, [0, 0, 200], (10, 10));
        let scene = evidence.look_at(&picture, &grid, false, |_| false);
        let hidden = scene.looks[rows.split_whitespace().collect::<String>().find('f').unwrap()].unwrap();
        evidence.take_as_untouched(scene);
        hidden
    };
    let mut evidence = Evidence::default();
    let hidden = see(&mut evidence, small);
    see(&mut evidence, large);
    assert_eq!(evidence.known.hidden, [hidden].into(), "what is known to be hidden stays it");
    let mut evidence = Evidence::default();
    let hidden = see(&mut evidence, large);
    assert_ne!(evidence.known.hidden, [hidden].into());
    // No click on what is commonest has an effect.
    let mut tried = BTreeSet::new();
    assert!(evidence.take_next_as_hidden(&mut tried) && evidence.take_next_as_hidden(&mut tried));
    assert_eq!(evidence.known.hidden, [hidden].into());
    assert!(!evidence.take_next_as_hidden(&mut tried), "there is no other");
    let mut evidence = Evidence::default();
    see(&mut evidence, "ffff ffff ffff ffff");
    assert!(!evidence.take_next_as_hidden(&mut BTreeSet::new()));
}

#[test]
fn a_game_that_begins_with_an_opening_is_new_where_the_tile_that_ended_the_last_is_hidden_again() {
    // Nothing was open when the first click hit a mine, and the next board begins with an opening.
    let (untouched, grid) = board("ffff ffff ffff ffff", [0, 0, 200], (10, 10));
    let (ended, _) = board("ffff f3ff fff3 ffff", [0, 0, 200], (10, 10));
    let (fresh, _) = board("1fff 1fff 1fff 1fff", [0, 0, 200], (10, 10));
    let mut evidence = Evidence::default();
    let hidden = evidence.look_at(&untouched, &grid, false, |_| false);
    evidence.take_as_untouched(hidden);
    let [running, ending, fresh] =
        [&untouched, &ended, &fresh].map(|picture| evidence.look_at(picture, &grid, false, |_| false));
    assert!(!evidence.is_anew(&fresh.looks, Some((&running, None))), "a game that goes on");
    assert!(evidence.is_anew(&fresh.looks, Some((&running, Some(Cell::new(1, 1))))));
    assert!(!evidence.is_anew(&ending.looks, Some((&running, Some(Cell::new(1, 1))))), "its mine shows");
    // A box came so late that another tile was clicked before it.
    let (late, _) = board("ff4f 4fff ffff 4f4f", [0, 0, 200], (10, 10));
    let late = evidence.look_at(&late, &grid, false, |_| false);
    assert!(!evidence.is_anew(&late.looks, Some((&running, Some(Cell::new(1, 1))))), "mines show here and there");
}

#[test]
fn the_tile_that_was_clicked_last_is_what_it_is_without_a_line_around_it() {
    let (untouched, grid) = board("ffff ffff ffff ffff", [0, 0, 200], (10, 10));
    let mut evidence = Evidence::default();
    let hidden = evidence.look_at(&untouched, &grid, false, |_| false);
    evidence.take_as_untouched(hidden);
    let [running, ending] = ["0001 0012 001f 002f", "0001 0012 001f 002d"].map(|rows| {
        let (picture, grid) = board(rows, [0, 0, 200], (10, 10));
        evidence.look_at(&picture, &grid, false, |_| false)
    });
    let (one, framed) = (running.looks[3].unwrap(), ending.looks[15].unwrap());
    assert_ne!(one, framed);
    evidence.games.push(record(running, ending, Cell::new(3, 3)));
    let found = evidence.framed();
    assert_eq!(found, [(framed, one)].into());
    let (looks, last) = evidence.as_looks(&found)[0].ending.clone().unwrap();
    assert_eq!(last, Cell::new(3, 3));
    assert_eq!(looks[15], Some(one));
}

#[test]
fn a_row_that_looks_otherwise_is_of_the_board_once_it_was_played() {
    // Tiles of the first row begin with another line than the others.
    let see = |first: &str| board(&format!("{first} ffff ffff ffff ffff"), [90, 0, 0], (10, 10));
    let (untouched, grid) = see("4444");
    let misfit = |played: Option<&str>| {
        let mut evidence = Evidence::default();
        let scene = evidence.look_at(&untouched, &grid, false, |_| false);
        evidence.take_as_untouched(scene);
        if let Some(played) = played {
            let (picture, _) = board(played, [90, 0, 0], (10, 10));
            let scene = evidence.look_at(&picture, &grid, false, |_| false);
            evidence.games.push(Record { clicks: 1, opened_first: 2, ..record(scene.clone(), scene, Cell::new(0, 0)) });
        }
        evidence.misfit(&untouched, &grid)
    };
    assert_eq!(misfit(None), [0, 0, -1, 0]);
    assert_eq!(misfit(Some("4444 ffff f1ff ffff ffff")), [0, 0, -1, 0], "nothing of it answered");
    assert_eq!(misfit(Some("4144 f1ff ffff ffff ffff")), [0; 4]);
}

/// What is known by a click on an untouched board that opened so much of it, and the board after it.
fn flooded(untouched: &str, opened: &str, at: Cell) -> (Evidence, Scene) {
    let mut evidence = Evidence::default();
    let [before, after] = [untouched, opened].map(|rows| {
        let (picture, grid) = board(rows, [90, 0, 0], (10, 10));
        evidence.look_at(&picture, &grid, false, |_| false)
    });
    evidence.take_as_untouched(before.clone());
    evidence.note_flood(before.grid.size(), &before.looks, &after.looks, at);
    (evidence, after)
}

#[test]
fn an_empty_tile_that_has_the_keyboard_is_one_of_those_it_opened() {
    // Its program opens the four sides of an empty tile only: a hidden one is left at a corner.
    let (evidence, after) = flooded("ffff ffff ffff ffff", "f100 10c0 0000 0000", Cell::new(2, 1));
    let look = |x: u32, y: u32| after.looks[after.grid.size().index(Cell::new(x, y))].unwrap();
    assert_eq!(evidence.known.zeros, [look(2, 1), look(0, 2)].into());
}

#[test]
fn what_an_empty_tile_opens_and_has_nothing_hidden_beside_it_is_empty() {
    let untouched = "fffff fffff fffff fffff fffff";
    let zeros = |rows: &str| flooded(untouched, rows, Cell::new(2, 2)).0.known.zeros.len();
    // 0 and 4 are the two tones of empty tiles here, 1 and 2 the numbers around them.
    assert_eq!(zeros("fffff f121f f204f f140f f121f"), 1, "one of the other tone has hidden tiles beside it");
    assert_eq!(zeros("f1040 f1404 f1040 f1404 f1040"), 2);
    assert_eq!(zeros("fffff f1210 f2004 f1000 f1000"), 1, "one tile alone may be anything");
    assert_eq!(zeros("24042 14041 40404 14041 24042"), 0, "nothing hidden is left, as below a shade");
}

#[test]
fn a_few_tiles_beside_hidden_ones_are_not_empty_for_what_they_opened() {
    let empty = |rows: &str| {
        let (mut evidence, after) = flooded("ffff ffff ffff ffff", rows, Cell::new(0, 0));
        let noted = evidence.known.zeros.len();
        evidence.games.push(record(after.clone(), after, Cell::new(3, 3)));
        evidence.drop_numbers();
        (noted, evidence.known.zeros.len())
    };
    // A 1 in the corner that opened its neighbours, one of which has nothing hidden beside it.
    assert_eq!(empty("11ff 11ff ffff ffff"), (1, 0));
    assert_eq!(empty("002f 022f 22ff ffff"), (1, 1), "nothing is hidden beside any of them");
    assert_eq!(empty("0000 0000 00f0 0000"), (1, 1), "many tell that corners are forgotten here");
}

#[test]
fn a_row_that_stays_hidden_beside_empty_tiles_is_none_of_the_board() {
    let misfit = |played: &str| {
        let (untouched, grid) = board("ffff ffff ffff ffff ffff ffff", [90, 0, 0], (10, 10));
        let mut evidence = Evidence::default();
        let scene = evidence.look_at(&untouched, &grid, false, |_| false);
        evidence.take_as_untouched(scene);
        let (picture, _) = board(played, [90, 0, 0], (10, 10));
        let scene = evidence.look_at(&picture, &grid, false, |_| false);
        evidence.known.zeros.extend(scene.looks[grid.size().index(Cell::new(1, 1))]);
        evidence.games.push(Record { clicks: 2, opened_first: 9, ..record(scene.clone(), scene, Cell::new(1, 1)) });
        evidence.misfit(&untouched, &grid)
    };
    assert_eq!(misfit("0000 0000 0000 0000 0000 ffff"), [0, 0, 0, -1]);
    assert_eq!(misfit("0000 0000 0000 0000 1111 ffff"), [0; 4], "mines may be there");
    assert_eq!(misfit("0000 0000 0000 0000 0000 f1ff"), [0; 4], "a tile of it was open");
    assert_eq!(misfit("ffff f0ff ffff ffff f00f ffff"), [0; 4], "empty tiles open nothing here");
}

#[test]
fn small_pale_figures_are_told_apart_where_tiles_are_drawn_alike() {
    // Figures of six by eight pixels on tiles of 60 x 20, and what shines through these, if anything does.
    const FIGURES: [u32; 3] = [0b111_010_010_111, 0b111_001_110_111, 0b101_111_001_001];
    let figure = |number: u32, x: u32, y: u32| {
        let is_on_it = (27..33).contains(&x) && (6..14).contains(&y);
        is_on_it && FIGURES[number as usize - 1] >> ((x - 27) / 2 + 3 * ((y - 6) / 2)) & 1 == 1
    };
    let grid = Grid {
        columns: (0..=4).map(|x| f64::from(60 * x)).collect(),
        lines: (0..=5).map(|y| f64::from(20 * y)).collect(),
    };
    let board = |grain: u32, open: bool| {
        RgbaImage::from_fn(240, 100, |x, y| {
            let number = if open && y >= 40 { 1 + (x / 60 + y / 20) % 3 } else { 0 };
            let through = grained(x, y, grain);
            let light = match number {
                0 => 170,
                _ if figure(number, x % 60, y % 20) => 205,
                _ => 235,
            };
            let light = if x % 60 == 0 || y % 20 == 0 { 110 } else { light - through as u8 };
            Rgba([light, light, light, 255])
        })
    };
    for (grain, looks) in [(1, 4), (7, 4), (11, 2)] {
        let mut evidence = Evidence::default();
        let scene = evidence.look_at(&board(grain, false), &grid, false, |_| false);
        evidence.take_as_untouched(scene);
        evidence.sort_again(1.0);
        evidence.look_at(&board(grain, true), &grid, false, |_| false);
        assert_eq!(evidence.looks.count(), looks, "{grain}");
    }
}

#[test]
fn figures_of_a_tenth_of_their_tile_are_told_apart_on_a_board_that_begins_with_some_open() {
    // Pale figures of six by eight pixels on tiles of 80, the last column of which is a pixel narrower, and a first board of which less than a half is hidden.
    const FIGURES: [u32; 4] = [0b111_101_101_111, 0b010_010_010_010, 0b111_001_110_111, 0b111_011_001_111];
    let grid = Grid {
        columns: (0..=6).map(|x| f64::from(if x == 6 { 479 } else { 80 * x })).collect(),
        lines: (0..=6).map(|y| f64::from(80 * y)).collect(),
    };
    let number = |x: u32, y: u32| (y > 2 || x == 0).then_some((x + 2 * y + x * y) % 4);
    let board = |grain: u32| {
        RgbaImage::from_fn(480, 480, |x, y| {
            let (u, v) = (x % 80, y % 80);
            let is_figure = |number: u32| {
                let (in_x, in_y) = ((37..43).contains(&u), (36..44).contains(&v));
                in_x && in_y && FIGURES[number as usize] >> ((42 - u) / 2 + 3 * ((43 - v) / 2)) & 1 == 1
            };
            let light = match number(x / 80, y / 80) {
                _ if u == 0 || v == 0 => 255,
                None => 128,
                Some(number) if is_figure(number) => 235,
                Some(_) => 200,
            };
            let light = light - grained(x, y, grain);
            Rgba([light as u8, light as u8, light as u8, 255])
        })
    };
    for (grain, count) in [(1, 5), (7, 5), (41, 2)] {
        let mut evidence = Evidence::default();
        let scene = evidence.look_at(&board(grain), &grid, false, |_| false);
        evidence.take_as_untouched(scene);
        if evidence.take_next_as_hidden(&mut BTreeSet::new()) {
            evidence.sort_again(1.0);
        }
        assert_eq!(evidence.looks.count(), count, "{grain}: one look a number, or one for all of them");
        let looks = &evidence.others[0].looks;
        let names: BTreeSet<_> =
            grid.size().cells().map(|cell| (number(cell.x, cell.y), looks[grid.size().index(cell)])).collect();
        assert_eq!(names.len(), 5, "{grain}: each number is one look");
    }
}

/// What shines through a tile there, of so many grey levels.
fn grained(x: u32, y: u32, levels: u32) -> u32 {
    (31 * x * x + 17 * y * y + 7 * x * y) % levels
}

#[test]
fn a_row_that_a_shadow_falls_on_is_of_the_board() {
    let (picture, grid) = board("ffff ffff ffff ffff ffff ffff", [0; 3], (10, 10));
    let see = |shadow: u32| {
        let mut picture = picture.clone();
        for (x, y) in (0..shadow).flat_map(|y| (10..10 + 4 * SIDE).map(move |x| (x, 10 + y))) {
            picture.put_pixel(x, y, Rgba([40, 40, 40, 255]));
        }
        let mut evidence = Evidence::default();
        let scene = evidence.look_at(&picture, &grid, false, |_| false);
        evidence.take_as_untouched(scene);
        evidence.misfit(&picture, &grid)
    };
    assert_eq!(see(1), [0; 4]);
    assert_eq!(see(SIDE / 2), [0, 0, -1, 0], "so much is no shadow");
}

#[test]
fn a_game_in_which_rows_became_lower_is_resized_as_a_whole() {
    let (picture, grid) = board("ffff ffff ffff ffff ffff", [0; 3], (10, 10));
    let mut lower = grid.clone();
    lower.lines.iter_mut().skip(3).for_each(|edge| *edge -= 1.0);
    let mut evidence = Evidence::default();
    let [running, ending] = [&grid, &lower].map(|grid| evidence.look_at(&picture, grid, false, |_| false));
    evidence.take_as_untouched(running.clone());
    let clicked = Cell::new(1, 1);
    evidence.games.push(Record { clicks: 1, opened_first: 1, ..record(running, ending, clicked) });
    evidence.resize(grid.size(), [0, 0, 0, -1]);
    evidence.sort_again(1.0);
    let game = &evidence.games[0];
    assert_eq!((game.running.looks.len(), game.ending.looks.len(), game.clicked), (16, 16, clicked));
    evidence.resize(BoardSize::new(4, 4), [0, 0, -3, 0]);
    assert!(evidence.games.is_empty() && evidence.others.is_empty(), "too few rows for a board are left");
}

#[test]
fn a_first_opening_of_many_looks_is_not_covered() {
    let see = |has_opened: bool| {
        let (picture, grid) = board("ffffffff 11223344 55667700 80808080", [0, 0, 200], (10, 10));
        let (untouched, _) = board("ffffffff ffffffff ffffffff ffffffff", [0; 3], (10, 10));
        // A backdrop that shines through: some tiles are like no other.
        let picture = RgbaImage::from_fn(picture.width(), picture.height(), |x, y| {
            let (column, row) = (x.wrapping_sub(10) / SIDE, y.wrapping_sub(10) / SIDE);
            let is_lit = (1..4).contains(&row) && column < 7 && (column + row) % 2 == 0;
            let less = |channel: u32| if is_lit { 9 * ((column + 8 * row) * channel % 13) as u8 } else { 0 };
            let [red, green, blue, alpha] = picture.get_pixel(x, y).0;
            let [red, green, blue] =
                [(red, 5), (green, 7), (blue, 11)].map(|(value, by)| value.saturating_sub(less(by)));
            Rgba([red, green, blue, alpha])
        });
        let mut evidence = Evidence::default();
        let scene = evidence.look_at(&untouched, &grid, false, |_| false);
        evidence.take_as_untouched(scene);
        if has_opened {
            let (opened, _) = board("ffffffff ffffffff ffffffff 0fffffff", [0; 3], (10, 10));
            evidence.look_at(&opened, &grid, false, |_| false);
        }
        evidence.look_at(&picture, &grid, false, |_| false).covered.iter().filter(|covered| **covered).count()
    };
    assert_eq!(see(false), 0);
    assert!(see(true) > 0, "what comes later may lie over the board");
}

#[test]
fn a_mark_stays_what_it_is_where_the_last_game_is_replaced() {
    let mut evidence = Evidence::default();
    let (untouched, grid) = board("ffff ffff ffff ffff", [0, 0, 200], (10, 10));
    let see = |evidence: &mut Evidence, rows: &str| {
        evidence.look_at(&board(rows, [0, 0, 200], (10, 10)).0, &grid, false, |_| false)
    };
    let scene = evidence.look_at(&untouched, &grid, false, |_| false);
    evidence.take_as_untouched(scene);
    let marked = see(&mut evidence, "ffff ffff ffff fff4");
    let mark = marked.looks[15].unwrap();
    evidence.others.push(marked);
    evidence.known.marks.insert(mark, Tile::Flag);
    let (running, ending) = (see(&mut evidence, "1111 1111 ffff ffff"), see(&mut evidence, "1111 1111 1fff ffff"));
    let mut game = record(running, ending, Cell::new(0, 2));
    evidence.games.push(game.clone());
    // As if its looks had been counted otherwise when it was seen.
    let open = game.running.looks[0];
    for look in game.running.looks.iter_mut().chain(&mut game.ending.looks).filter(|look| **look == open) {
        *look = Some(mark);
    }
    evidence.replace_last(game);
    let is_now = evidence.others.last().unwrap().looks[15].unwrap();
    assert_eq!(evidence.known.marks.keys().copied().collect::<Vec<_>>(), [is_now]);
    assert_ne!(evidence.games[0].running.looks[0], Some(is_now));
}

#[test]
fn an_open_tile_that_is_but_lighter_is_told_apart() {
    let grey = |light: u8| {
        RgbaImage::from_fn(68, 68, |x, y| {
            let is_line = x < 10 || y < 10 || (x - 10) % SIDE == 0 || (y - 10) % SIDE == 0;
            let light = if is_line {
                110
            } else if x < 34 && y < 34 {
                light
            } else {
                241
            };
            Rgba([light, light, light, 255])
        })
    };
    let (_, grid) = board("ffff ffff ffff ffff", [0; 3], (10, 10));
    let mut evidence = Evidence::default();
    let scene = evidence.look_at(&grey(241), &grid, false, |_| false);
    evidence.take_as_untouched(scene);
    let is_hidden = |evidence: &mut Evidence| {
        let looks = evidence.look_at(&grey(249), &grid, false, |_| false).looks;
        evidence.is_hidden(looks[0])
    };
    assert!(is_hidden(&mut evidence), "it may be what shines through");
    assert!(evidence.tell_apart());
    assert!(!is_hidden(&mut evidence));
    assert!(!evidence.tell_apart(), "once is enough");
}

#[test]
fn a_grid_beside_its_tiles_is_moved_to_where_all_look_alike() {
    let rows = ["ffffffff"; 8].join(" ");
    let (picture, truth) = board(&rows, [0; 3], (10, 10));
    for at in [(10, 10), (9, 9), (12, 10)] {
        let (_, grid) = board(&rows, [0; 3], at);
        assert_eq!(Evidence::default().evened(&picture, &grid), truth, "{at:?}");
    }
    for (which, by) in [(0, 1.0), (0, -2.0), (8, -1.0), (8, 2.0)] {
        let mut grid = truth.clone();
        grid.columns[which] += by;
        assert_eq!(Evidence::default().evened(&picture, &grid), truth, "column {which} by {by}");
    }
}

#[test]
fn rows_that_are_laid_a_little_too_near_are_put_on_whole_pixels() {
    // Half of the board is open, so that what looks hidden tells little of where it is.
    let rows =
        ["ffffffff", "ffffffff", "ff1221ff", "f100001f", "f200002f", "f100001f", "ff1221ff", "ffffffff"].join(" ");
    let (picture, truth) = board(&rows, [0; 3], (10, 10));
    let mut grid = truth.clone();
    grid.lines.iter_mut().enumerate().for_each(|(index, edge)| *edge -= 0.05 * index as f64);
    assert_eq!(Evidence::default().evened(&picture, &grid), truth);
}

#[test]
fn lines_that_are_a_pixel_wider_here_and_there_say_nothing() {
    // Tiles of 22.4 pixels as a browser draws them: the line after a tile is black, or two pixels of what shines through.
    let edge = |index: u32| (10.0 + 22.4 * f64::from(index)).round() as u32;
    let place = |at: u32| (0..8).find(|&index| (edge(index)..edge(index + 1)).contains(&at));
    let picture = RgbaImage::from_fn(200, 200, |x, y| {
        let Some((column, row)) = place(x).zip(place(y)) else { return Rgba([128, 128, 128, 255]) };
        let (across, down) = (x - edge(column), y - edge(row));
        let is_line = |at: u32, index: u32| match edge(index + 1) - edge(index) {
            22 => (at == 21).then_some(20),
            _ => (at >= 21).then_some(250),
        };
        let light = is_line(across, column).or(is_line(down, row)).unwrap_or(match () {
            () if across.min(down) < 2 => 255,
            () if across.max(down) >= 19 => 120,
            () => 205,
        });
        Rgba([light, light, light, 255])
    });
    let edges: Vec<f64> = (0..=8).map(|index| f64::from(edge(index))).collect();
    let grid = Grid { columns: edges.clone(), lines: edges };
    assert!(hidden_share(&picture, &grid, Looks::new(12.0)) < FAMILIAR);
    let mut evidence = Evidence::default();
    let evened = evidence.evened(&picture, &grid);
    evidence.measure(&picture, &evened);
    assert!(evidence.rim() > 0);
    assert!(hidden_share(&picture, &evened, Looks::new(evidence.alike()).within(evidence.rim())) >= FAMILIAR);
}

#[test]
fn a_tile_of_which_a_part_looks_as_before_when_it_is_opened_is_laid_whole() {
    // Tiles of 50 pixels, 5 apart, which are open as dark as hidden ones are along their left and upper side.
    let picture = |open: Option<(u32, u32)>| {
        RgbaImage::from_fn(320, 320, |x, y| {
            let (x, y) = (x.wrapping_sub(13), y.wrapping_sub(13));
            let (u, v) = (x % 55, y % 55);
            let light = match () {
                () if x >= 275 || y >= 275 || u >= 50 || v >= 50 => 200,
                () if u < 7 || v < 7 || open == Some((x / 55, y / 55)) => 100,
                () => 140,
            };
            Rgba([light, light, light, 255])
        })
    };
    let edges: Vec<f64> = (0..=5).map(|index| 10.0 + 55.0 * f64::from(index)).collect();
    let grid = Grid { columns: edges.clone(), lines: edges };
    let (before, after) = (picture(None), picture(Some((2, 2))));
    assert_eq!(beside(&before, &after, &grid), Some((-4.0, -4.0)));
    assert_eq!(Evidence::default().to_whole_tiles(&before, &after, &grid), Some((-3.0, -3.0)));
    assert!(hidden_share(&before, &grid.moved(-4.0, -4.0), Looks::new(ALIKE)) < FAMILIAR);
    assert_eq!(hidden_share(&before, &grid.moved(-3.0, -3.0), Looks::new(ALIKE)), 1.0);
}

#[test]
fn rows_that_are_a_pixel_higher_here_and_there_are_each_where_they_are_painted() {
    // Nine rows of 32.44 pixels, each tile with a thin line around it: nothing else tells a hidden one from an empty one.
    let edge = |index: u32, pitch: f64| (15.0 + pitch * f64::from(index)).round() as u32;
    let edges = |pitch: f64| (0..=9).map(|index| f64::from(edge(index, pitch))).collect();
    let truth = Grid { columns: edges(40.0), lines: edges(32.44) };
    let picture = RgbaImage::from_fn(400, 340, |x, y| {
        let within = |at: u32, pitch: f64| {
            let index = (0..9).find(|&index| (edge(index, pitch)..edge(index + 1, pitch)).contains(&at))?;
            Some([edge(index, pitch), edge(index + 1, pitch) - 1].contains(&at))
        };
        let is_line = within(x, 40.0).zip(within(y, 32.44)).is_some_and(|(across, down)| across || down);
        Rgba(if is_line { [0, 0, 0, 255] } else { [238, 238, 238, 255] })
    });
    // As its lines were followed.
    let columns = (0..=9).map(|index| 16.44 + 40.0 * f64::from(index)).collect();
    let lines = (0..=9).map(|index| 15.56 + 32.497 * f64::from(index)).collect();
    let mut evidence = Evidence::default();
    assert_eq!(evidence.evened(&picture, &Grid { columns, lines }), truth);
    evidence.measure(&picture, &truth);
    assert_eq!((evidence.alike(), evidence.rim()), (ALIKE, 0));
}

#[test]
fn a_frame_that_reaches_into_the_last_column_is_none_of_it() {
    let edges = || (0..=10).map(|edge| f64::from(40 * edge + 20)).collect();
    let grid = Grid { columns: edges(), lines: edges() };
    let picture = RgbaImage::from_fn(460, 460, |x, y| {
        let is_inside = |at: u32| (20..419).contains(&at);
        let light = 170 + 20 * (((x.wrapping_sub(20)) / 40 + (y.wrapping_sub(20)) / 40) % 2) as u8;
        Rgba(if is_inside(x) && is_inside(y) { [light, light, light, 255] } else { [0, 128, 0, 255] })
    });
    let found = Evidence::default().evened(&picture, &grid);
    assert_eq!((found.columns[10], found.lines[10]), (419.0, 419.0), "{found:?}");
    assert_eq!((found.columns[..10].to_vec(), found.lines[0]), (grid.columns[..10].to_vec(), 20.0));
}

#[test]
fn a_figure_that_comes_up_on_a_tile_does_not_move_the_grid() {
    let (before, grid) = board("ffff ffff ffff ffff", [0; 3], (10, 10));
    let mut after = before.clone();
    // Less than a third of a tile, on the line of its middle.
    for (x, y) in (33..36).flat_map(|x| (28..31).map(move |y| (x, y))) {
        after.put_pixel(x, y, Rgba([0, 0, 0, 255]));
    }
    assert_eq!(beside(&before, &after, &grid), None);
    let (open, _) = board("ffff f1ff ffff ffff", [0; 3], (10, 10));
    assert_eq!(beside(&before, &open, &grid.moved(3.0, 0.0)), Some((-3.0, 0.0)));
}

#[test]
fn a_grid_a_few_pixels_beside_large_tiles_is_moved() {
    let edges = || (0..=4).map(|edge| f64::from(10 + 100 * edge)).collect();
    let grid = Grid { columns: edges(), lines: edges() };
    let before = RgbaImage::from_pixel(430, 430, Rgba([190, 190, 190, 255]));
    let mut after = before.clone();
    for (x, y) in (110..210).flat_map(|x| (210..310).map(move |y| (x, y))) {
        after.put_pixel(x, y, Rgba([220, 220, 220, 255]));
    }
    assert_eq!(beside(&before, &after, &grid.moved(0.0, -5.0)), Some((0.0, 5.0)));
    assert_eq!(beside(&before, &after, &grid.moved(0.0, -2.0)), None, "it may be a line");
    // Where the first column is missing what a click opened goes on beyond it.
    let missing = |first: usize| Grid { columns: grid.columns[first..].to_vec(), lines: grid.lines.clone() };
    for (x, y) in (10..310).flat_map(|x| (210..310).map(move |y| (x, y))) {
        after.put_pixel(x, y, Rgba([220, 220, 220, 255]));
    }
    assert_eq!(beside(&before, &after, &missing(1)), None);
    assert_eq!(beside(&before, &after, &missing(1).moved(-7.0, 0.0)), Some((7.0, 0.0)));
}

#[test]
fn a_board_that_a_page_has_moved_is_followed() {
    let edges = |from: u32| (0..=8).map(|edge| f64::from(from + 30 * edge)).collect();
    let grid = |top: u32| Grid { columns: edges(60), lines: edges(top) };
    // Numbers as bars of their length; the first so many tiles are open.
    let board = |top: u32, open: u32| {
        RgbaImage::from_fn(400, 420, |x, y| {
            let (x, y) = (x.wrapping_sub(60), y.wrapping_sub(top));
            if x >= 240 || y >= 240 {
                return image::Rgba([90, 90, 90, 255]);
            }
            let tile = y / 30 * 8 + x / 30;
            let is_line = x % 30 == 0 || y % 30 == 0;
            let is_bar = tile < open && (10..14).contains(&(y % 30)) && (4..6 + tile % 5 * 4).contains(&(x % 30));
            let light = match (is_line || is_bar, tile < open) {
                (true, _) => 40,
                (_, true) => 230,
                _ => 170,
            };
            image::Rgba([light, light, light, 255])
        })
    };
    assert_eq!(shifted(&board(100, 50), &board(121, 51), &grid(100)), Some((0.0, 21.0)));
    assert_eq!(shifted(&board(140, 50), &board(121, 50), &grid(140)), Some((0.0, -19.0)));
    assert_eq!(shifted(&board(60, 3), &board(132, 4), &grid(60)), Some((0.0, 72.0)), "by two tiles and a part of one");
    assert_eq!(shifted(&board(100, 0), &board(130, 1), &grid(100)), Some((0.0, 30.0)), "by a row of hidden tiles");
    assert_eq!(shifted(&board(130, 1), &board(100, 9), &grid(130)), Some((0.0, -30.0)));
    assert_eq!(
        shifted(&board(170, 0), &board(55, 40), &grid(170)),
        Some((0.0, -115.0)),
        "far, by a click that opens many"
    );
    assert_eq!(shifted(&board(100, 50), &board(100, 55), &grid(100)), None);
    assert_eq!(shifted(&board(100, 0), &board(100, 60), &grid(100)), None, "a flood");
    assert_eq!(shifted(&board(100, 60), &board(100, 0), &grid(100)), None, "a new game");
    // Every second column is open, and in the next game those between them; or all of it has moved by a tile.
    let by_turns = |left: u32, first: u32| {
        RgbaImage::from_fn(400, 420, |x, y| {
            let (u, v) = (x.wrapping_sub(left), y.wrapping_sub(100));
            let is_open = (u / 30 + first).is_multiple_of(2);
            let light = match (u < 240 && v < 240, u % 30 == 0 || v % 30 == 0) {
                (false, _) => 90,
                (true, true) => 40,
                (true, false) => 170 + 60 * u8::from(is_open),
            };
            image::Rgba([light, light, light, 255])
        })
    };
    assert_eq!(shifted(&by_turns(60, 0), &by_turns(60, 1), &grid(100)), None, "the next game");
    assert_eq!(shifted(&by_turns(60, 0), &by_turns(90, 0), &grid(100)), Some((30.0, 0.0)));
}

#[test]
fn clicks_that_open_their_tiles_alone_are_told_from_floods() {
    let mut evidence = Evidence::default();
    let look_at = |rows: &str, evidence: &mut Evidence| {
        let (picture, grid) = board(rows, [0, 0, 200], (10, 10));
        evidence.look_at(&picture, &grid, false, |_| false)
    };
    let untouched = look_at("ffff ffff ffff ffff", &mut evidence);
    evidence.take_as_untouched(untouched);
    let games = ["1121 1011 1f11 fff1", "1f11 1021 1111 fff1"].map(|rows| look_at(rows, &mut evidence));
    let played = |clicks: usize| {
        games.each_ref().map(|scene| Record { clicks, ..record(scene.clone(), scene.clone(), Cell::new(0, 0)) })
    };
    evidence.games = played(12).to_vec();
    assert!(evidence.opens_alone());
    evidence.games = played(11).to_vec();
    assert!(!evidence.opens_alone(), "one of them opened two tiles");
    evidence.games = played(12)[..1].to_vec();
    assert!(!evidence.opens_alone(), "too few to tell");
}

#[test]
fn a_game_that_comes_again_is_told_from_another() {
    let mut evidence = Evidence::default();
    let mut play = |rows: &str| {
        let (picture, grid) = board(rows, [0, 0, 200], (10, 10));
        let scene = evidence.look_at(&picture, &grid, false, |_| false);
        Record { clicks: 1, opened_first: 1, ..record(scene.clone(), scene, Cell::new(0, 0)) }
    };
    let rows = ["f111 1121 1f11 1111", "1f11 1121 1111 1111", "f111 1111 1f21 1111", "ffff ffff ffff ffff"];
    let [first, again, other, untouched] = rows.map(&mut play);
    let mut meanings = Meanings::default();
    for (at, number) in [(1, 1), (6, 2)] {
        let meaning = Meaning { tile: Tile::Open(number), wrong: 0.0, seen: (1, 1) };
        meanings.of.insert(first.running.looks[at].unwrap(), meaning);
    }
    evidence.known.hidden.extend(first.running.looks[0]);
    evidence.games = vec![first.clone()];
    assert!(!evidence.is_same_again(&meanings));
    evidence.games.push(again);
    assert!(evidence.is_same_again(&meanings), "other tiles of it are open");
    assert!(evidence.is_same_again(&Meanings::default()), "nor is it known what they show");
    let elsewhere = Record { clicked: Cell::new(2, 0), ..other.clone() };
    evidence.games.extend([elsewhere.clone(), first.clone()]);
    evidence.drop_same(&meanings);
    let clicked: Vec<Cell> = evidence.games.iter().map(|game| game.clicked).collect();
    assert_eq!(clicked, [elsewhere.clicked, first.clicked], "what is seen twice is proof but once");
    evidence.games = vec![first.clone(), other];
    assert!(!evidence.is_same_again(&meanings));
    // Or both ended with their first click, and the same mines showed: whatever these are.
    let ended = |ending: Scene, at: u32| Record {
        ending,
        ..record(untouched.running.clone(), first.running.clone(), Cell::new(at, 0))
    };
    for (games, is_same) in [([0, 0], true), ([0, 1], false)] {
        evidence.games =
            games.map(|at| Record { clicks: 1, opened_first: 1, ..ended(first.ending.clone(), at) }).into();
        assert_eq!(evidence.is_same_again(&Meanings::default()), is_same, "{games:?}");
    }
}

#[test]
fn a_box_that_is_drawn_over_a_part_of_the_board_is_told_from_its_mines() {
    let rows = "ffffffffff ffffffffff ffffffffff ffffffffff ffffffffff ffffffffff ffffffffff ffffffffff";
    // Mines show here and there (4), with a number that was not seen before (2) and the one that was hit (5).
    let lost = "4ffff4ffff f1ffff44ff ff1f4fffff fff5fffff4 ffffffff4f f4ffff2fff fffff4ffff ff4fffff4f";
    let (untouched, grid) = board(rows, [200, 0, 0], (10, 10));
    let (ended, _) = board(lost, [200, 0, 0], (10, 10));
    let mut evidence = Evidence::default();
    let scene = evidence.look_at(&untouched, &grid, false, |_| false);
    evidence.take_as_untouched(scene);
    assert_eq!(evidence.panel(&untouched, &grid), None);
    assert_eq!(evidence.panel(&ended, &grid), None, "nothing is drawn over it");
    // A box of 55x30 pixels with a border and two words, that lies on tiles as it comes.
    let mut over = ended.clone();
    for (x, y) in (0..55).flat_map(|x| (0..30).map(move |y| (x, y))) {
        let is_border = x < 2 || y < 2 || x >= 53 || y >= 28;
        let is_word = (18..24).contains(&y) && ((8..22).contains(&x) || (32..47).contains(&x)) && (x + y) % 3 > 0;
        let grey = if is_border { 250 } else { if is_word { 20 } else { 140 } };
        over.put_pixel(37 + x, 41 + y, Rgba([grey, 160, grey, 255]));
    }
    let found = evidence.panel(&over, &grid).unwrap();
    let (right, bottom) = (found.left + found.width, found.top + found.height);
    assert!(found.left <= 37 && found.left + SIDE > 37 - SIDE && found.top <= 41, "{found:?}");
    assert!(
        (37 + 55..37 + 55 + 2 * SIDE).contains(&right) && (41 + 30..41 + 30 + 2 * SIDE).contains(&bottom),
        "{found:?}"
    );
}

#[test]
fn a_hidden_tile_in_a_frame_is_no_mine_that_was_hit() {
    let mut evidence = Evidence::default();
    let see = |evidence: &mut Evidence, rows: &str| {
        let (picture, grid) = board(rows, [0, 0, 200], (10, 10));
        evidence.look_at(&picture, &grid, false, |_| false)
    };
    let untouched = see(&mut evidence, "ffff ffff ffff ffff");
    evidence.take_as_untouched(untouched);
    // Both were over by a mine before, which is not told, when the client put its focus on one more.
    let games = [("0000 0111 01ff 01ff", "0000 0111 01ff 01fe"), ("ffff ffff 1111 0000", "efff ffff 1111 0000")];
    for (running, ending) in games {
        let (running, ending) = (see(&mut evidence, running), see(&mut evidence, ending));
        let framed = ending.looks.iter().zip(&running.looks).position(|(now, then)| now != then).unwrap();
        let clicked = BoardSize::new(4, 4).cell(framed);
        evidence.games.push(record(running, ending, clicked));
    }
    let looks = &evidence.games[0].ending.looks;
    assert!(looks[15].is_some() && looks[15] != looks[14], "it has a look of its own");
    let meanings = evidence.meanings().unwrap();
    assert!(!meanings.of.contains_key(&looks[15].unwrap()), "{:?}", meanings.of);
}

/// Lines of two pixels between tiles, one of them on either, and the line around the board within it.
#[test]
fn the_line_around_a_board_that_lies_within_it_is_left_out_of_its_tiles() {
    let (from, side, count) = (31u32, 40u32, 10u32);
    let is_line = |at: u32| {
        let inside = at.checked_sub(from).filter(|inside| *inside < side * count)?;
        let (to_first, to_last) = (inside, side * count - 1 - inside);
        let is_between = matches!(inside % side, 0 | 39) && to_first >= side - 1 && to_last >= side - 1;
        Some(to_first < 2 || to_last < 2 || is_between)
    };
    let picture = RgbaImage::from_fn(480, 480, |x, y| {
        let is_white = is_line(x).zip(is_line(y)).is_some_and(|(across, down)| across || down);
        Rgba(if is_white { [255; 4] } else { [0, 0, 0, 255] })
    });
    let edges = || (0..=count).map(|edge| f64::from(from + side * edge)).collect::<Vec<f64>>();
    let truth = Grid { columns: edges(), lines: edges() };
    for by in [-2.0, 0.0, 2.0] {
        let mut evidence = Evidence::default();
        let found = evidence.evened(&picture, &truth.moved(by, by));
        evidence.measure(&picture, &found);
        let looks = evidence.no_looks().sort(&picture, &found);
        assert!(looks.iter().all(|look| *look == Some(0)), "{by}: {found:?}, rim {}: {looks:?}", evidence.rim());
    }
}

/// A board of hidden tiles (`f`) with a light line on their left, and of open ones that are lighter, each with bars of its number.
fn bevelled(rows: &str) -> (RgbaImage, Grid) {
    let (_, grid) = board(rows, [0; 3], (10, 10));
    let tiles: Vec<Vec<char>> = rows.split_whitespace().map(|row| row.chars().collect()).collect();
    let picture = RgbaImage::from_fn(200, 200, |x, y| {
        let place = (x.wrapping_sub(10), y.wrapping_sub(10));
        let tile = tiles.get((place.1 / SIDE) as usize).and_then(|row| row.get((place.0 / SIDE) as usize));
        let (x, y) = (place.0 % SIDE, place.1 % SIDE);
        let number = tile.and_then(|tile| tile.to_digit(10)).unwrap_or(0);
        let light = match tile {
            None => 90,
            Some('f') => {
                if x == 0 {
                    250
                } else {
                    140
                }
            }
            Some(_) if x == 0 => 120,
            Some(_) if (4..8).contains(&x) && y >= 2 && y < 2 + 2 * number => 0,
            Some(_) => 220,
        };
        Rgba([light, light, light, 255])
    });
    (picture, grid)
}

#[test]
fn games_tell_that_a_grid_is_a_pixel_beside_its_tiles() {
    let (untouched, grid) = bevelled("ffffff ffffff ffffff ffffff ffffff");
    for off in [grid.moved(1.0, 0.0), grid.clone()] {
        let mut evidence = Evidence::default();
        let scene = evidence.look_at(&untouched, &off, false, |_| false);
        evidence.take_as_untouched(scene);
        for rows in ["ffffff f11fff 010fff 111fff ffffff", "ffffff ffffff ff2100 ff1000 ff1111"] {
            let scene = evidence.look_at(&bevelled(rows).0, &off, false, |_| false);
            evidence.games.push(record(scene.clone(), scene, Cell::new(1, 2)));
        }
        let ways = evidence.read_otherwise(&off, false);
        let found = ways.iter().map(|(by, rim)| (off.moved(by.0, by.1), *rim));
        let is_right = |(found, rim): &(Grid, u32)| found == &grid && *rim == 0;
        assert_eq!(found.clone().any(|way| is_right(&way)), off != grid, "{ways:?}");
        // Without their sides tiles of a kind are alike wherever it is.
        evidence.leave_out(1);
        assert_eq!(evidence.looks.count(), 4);
    }
}
