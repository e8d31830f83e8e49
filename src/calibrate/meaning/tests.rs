//! Games of an invented client, and what their looks are said to mean.

use super::endings::may_be_mines;
use super::*;
use crate::board::Board;
use crate::game::{Game as Deal, Rule, State};
use crate::geometry::BoardSize;

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

/// A game that was won: it, its looks before the last click, and where that was.
fn won(seed: u64) -> (Deal, Vec<Option<LookId>>, Cell) {
    let mut deal = Deal::deal(SIZE, 10, Rule::Zero, seed).unwrap();
    let mut cell = Cell::new(4, 4);
    let mut running = looks(deal.board());
    while deal.open(cell) == State::Playing {
        running = looks(deal.board());
        cell = deal.board().cells_where(|tile| tile == Tile::Hidden).find(|cell| !deal.is_mine(*cell)).unwrap();
    }
    (deal, running, cell)
}

fn known() -> Known {
    let hidden = [look(Tile::Hidden, 0), look(Tile::Hidden, 1)].into();
    Known { hidden, ..Known::default() }
}

/// A game of a client in which every click opens its own tile alone: so many tenths of all tiles that are safe.
fn alone(seed: u64, tenths: u64) -> Game {
    let mut deal = Deal::deal(SIZE, 10, Rule::Zero, seed).unwrap();
    deal.open(Cell::new(4, 4));
    let mines = |cell: Cell| SIZE.neighbours(cell).filter(|cell| deal.is_mine(*cell)).count() as u8;
    let is_open = |index: u64, cell: Cell| !deal.is_mine(cell) && (index * 7 + seed * 3) % 10 < tenths;
    let tile = |(index, cell): (usize, Cell)| {
        Some(look(if is_open(index as u64, cell) { Tile::Open(mines(cell)) } else { Tile::Hidden }, 0))
    };
    Game { size: SIZE, running: SIZE.cells().enumerate().map(tile).collect(), ending: None }
}

#[test]
fn numbers_are_told_where_empty_tiles_open_nothing_around_them() {
    let games: Vec<Game> = (1..5).map(|seed| alone(seed, 6)).collect();
    assert!(meanings(&known(), &games).is_err());
    let alone_known = Known { opens_alone: true, ..known() };
    let found = meanings(&alone_known, &games).unwrap();
    let named: Vec<Option<u8>> = (0..=3).map(|number| found.number(look(Tile::Open(number), 0))).collect();
    assert_eq!(named, [Some(0), Some(1), Some(2), Some(3)]);
    // Of little nothing wrong is believed.
    for lot in 0..60 {
        let games: Vec<Game> = (0..2).map(|game| alone(100 + 2 * lot + game, 2 + lot % 4)).collect();
        let Ok(found) = meanings(&alone_known, &games) else { continue };
        for number in 0..=8 {
            let named = found.number(look(Tile::Open(number), 0));
            assert!(named.is_none_or(|named| named == number), "{number} is called {named:?} in lot {lot}");
        }
    }
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
        let mines: BTreeSet<usize> = (0..SIZE.tiles()).filter(|&index| ending[index].is_some_and(is_mine)).collect();
        assert_eq!(shown.as_ref().map(|shown| &shown.cells), Some(&mines));
    }
}

#[test]
fn a_mine_that_is_shown_alone_is_not_all_of_them() {
    // The number beside the mine that was hit is the only one of its sort: one mine shows around it, and none around all others.
    let mut explained = 0;
    for seed in 1..40 {
        let games: Vec<Game> = (0..3).map(|game_of| game(40 * game_of + seed, false)).collect();
        let known = Known { zeros: [look(Tile::Open(0), 0), look(Tile::Open(0), 1)].into(), ..known() };
        let Ok(found) = meanings(&known, &games) else { continue };
        explained += 1;
        for (tile, tone) in (0..=8).flat_map(|number| [(Tile::Open(number), 0), (Tile::Open(number), 1)]) {
            let named = found.of.get(&look(tile, tone));
            assert!(named.is_none_or(|named| named.tile == tile), "{seed}, {tile:?}: {found:?}");
        }
    }
    assert!(explained > 10, "{explained}");
}

/// Where a button stays pressed while its client asks something, the last number of a game looks like none.
#[test]
fn what_is_opened_last_in_a_game_that_was_won_is_no_mine_whatever_it_looks_like() {
    const ODD: LookId = 900;
    let is_odd = |tiles: &mut Vec<Option<LookId>>, cell: Cell| tiles[SIZE.index(cell)] = Some(ODD);
    let won = |seed: u64| {
        let (deal, running, cell) = won(seed);
        let mut ending = looks(deal.board());
        is_odd(&mut ending, cell);
        Game { size: SIZE, running, ending: Some((ending, cell)) }
    };
    let games: Vec<Game> = (1..6).map(won).collect();
    let found = meanings(&known(), &games).unwrap();
    assert_eq!((found.odd, found.won), ([ODD].into(), vec![Some(true); 5]));
    assert_eq!(found.mines, [(SIZE, 10)].into());
    // The mine that was hit is counted by the numbers around it.
    let lost = |seed: u64| {
        let mut game = game(seed, false);
        let (ending, cell) = game.ending.as_mut()?;
        is_odd(ending, *cell);
        Some(game)
    };
    let games: Vec<Game> = (1..9).filter_map(lost).collect();
    let found = meanings(&known(), &games).unwrap();
    assert!(games.len() > 5 && found.odd.is_empty() && !found.won.contains(&Some(true)), "{found:?}");
}

#[test]
fn a_mine_below_the_corner_of_a_box_is_no_picture_of_one() {
    const CORNER: LookId = 900;
    let place = SIZE.index(Cell::new(6, 5));
    let mut games: Vec<Game> = (1..24).map(|seed| game(seed, true)).collect();
    let is_mine = |look: Option<LookId>| look.is_some_and(|look| look / 2 == self::look(Tile::Mine, 0) / 2);
    let mut below = 0;
    for (ending, _) in games.iter_mut().filter_map(|game| game.ending.as_mut()) {
        if is_mine(ending[place]) {
            (ending[place], below) = (Some(CORNER), below + 1);
        }
    }
    let found = meanings(&known(), &games).unwrap();
    let is_named = |look: LookId| found.of.get(&look).is_some_and(|named| named.tile == Tile::Mine);
    assert!(below > 1 && !is_named(CORNER) && is_named(look(Tile::Mine, 0)), "{below}: {found:?}");
    // Where the same game is dealt again and again nothing moves.
    let again: Vec<Game> = std::iter::repeat_n(game(1, true), 4).collect();
    let found = meanings(&known(), &again).unwrap();
    assert!(found.of_tile(Tile::Mine).next().is_some(), "{found:?}");
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

/// One label for all looks asks for the fewest mines: it must not be believed for that. Games as short as where each click may lose, on boards with a
/// quarter of mines, whose ends show nothing.
#[test]
fn of_short_games_on_dense_boards_nothing_wrong_is_believed() {
    let (believed, wrong) = of_short_games(300, 8, (25, 5), 1);
    assert!(believed >= 30, "{believed} of thirty lots");
    assert!(wrong.is_empty(), "{wrong:?} of {believed}");
}

#[test]
fn where_a_number_has_several_looks_nothing_wrong_is_believed() {
    let (believed, wrong) = of_short_games(300, 3, (12, 14), 2);
    assert!(believed >= 30, "{believed} of thirty lots");
    assert!(wrong.is_empty(), "{wrong:?} of {believed}");
}

/// Of so many lots of games, with so many mines on 10x10 and clicks each, and looks of every number by what is beside it: how many looks a label
/// was believed of, and which are wrong.
fn of_short_games(lots: u64, games: u64, (mines, clicks): (u32, usize), tones: usize) -> (usize, Vec<String>) {
    const DENSE: BoardSize = BoardSize { width: 10, height: 10 };
    let short = |seed: u64| {
        let mut deal = crate::game::Game::deal(DENSE, mines, Rule::Safe, seed).unwrap();
        let mut cell = Cell::new(4, 4);
        for step in 0..clicks {
            deal.open(cell);
            let hidden = deal.board().cells_where(|tile| tile == Tile::Hidden);
            let safe: Vec<Cell> = hidden.filter(|cell| !deal.is_mine(*cell)).collect();
            let Some(&next) = safe.get((seed as usize * 7 + step * 5) % safe.len().max(1)) else { break };
            cell = next;
        }
        let tiles = deal.board().tiles();
        let is_hidden =
            |x: u32, y: u32| x < DENSE.width && y < DENSE.height && tiles[DENSE.index(Cell::new(x, y))] == Tile::Hidden;
        // What is hidden on the right or below shines over.
        let tone = |cell: Cell| match tiles[DENSE.index(cell)] {
            Tile::Open(1..) => {
                (usize::from(is_hidden(cell.x + 1, cell.y)) + usize::from(is_hidden(cell.x, cell.y + 1))) % tones
            }
            _ => 0,
        };
        let running = DENSE.cells().map(|cell| Some(look(tiles[DENSE.index(cell)], tone(cell)))).collect();
        Game { size: DENSE, running, ending: None }
    };
    let known = Known { zeros: [look(Tile::Open(0), 0)].into(), ..known() };
    let (mut believed, mut wrong) = (0, Vec::new());
    for lot in 0..lots {
        let games: Vec<Game> = (1..=games).map(|game| short(100 * lot + game)).collect();
        let Ok(found) = meanings(&known, &games) else { continue };
        for (number, tone) in (1..=8).flat_map(|number| (0..tones).map(move |tone| (number, tone))) {
            let Some(named) = found.of.get(&look(Tile::Open(number), tone)) else { continue };
            believed += 1;
            if named.tile != Tile::Open(number) {
                wrong.push(format!("{lot}: {number} is {:?}, wrong with {:.0e}", named.tile, named.wrong));
            }
        }
    }
    (believed, wrong)
}

#[test]
fn what_looks_mean_follows_from_a_few_games_and_nothing_wrong_does() {
    for shows_all in [true, false] {
        let games: Vec<Game> = (1..7).map(|seed| game(seed, shows_all)).collect();
        let found = meanings(&known(), &games).unwrap();
        let right = |look: LookId, tile: Tile| {
            found.of.get(&look).is_none_or(|meaning| {
                meaning.tile == tile || (tile == Tile::Mine || tile == Tile::Exploded) && meaning.tile.is_shown_mine()
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
        let found = meanings(&known(), &[lost.clone(), lost.clone(), lost]).unwrap();
        losses += usize::from(found.mines.contains_key(&SIZE));
        assert!(found.mines.get(&SIZE).is_none_or(|mines| *mines == 10), "{seed}: {:?}", found.mines);
        for (number, tone) in (0..=8).flat_map(|number| [(number, 0), (number, 1)]) {
            let meaning = found.of.get(&look(Tile::Open(number), tone));
            assert!(meaning.is_none_or(|meaning| meaning.tile == Tile::Open(number)), "{seed}: {number} {meaning:?}");
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
        (0..SIZE.tiles()).filter(|&index| deal.is_mine(SIZE.cell(index))).for_each(|index| ending[index] = Some(flag));
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
        let is_mine =
            |index: usize| [Tile::Mine, Tile::Exploded].iter().any(|mine| ending[index] == Some(look(*mine, index)));
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
    for (ending, number, expected) in [
        ([n, n, n, n, f, n, n, n, n], 1, false), // as a flag that a win puts on a mine
        ([n, n, n, n, f, n, n, n, h], 1, true),
        ([n, n, n, n, f, n, n, n, h], 2, false),
        ([f, f, h, n, n, h, n, n, n], 1, false), // two flags side by side count nothing either
    ] {
        let known = Known { hidden: [1].into(), ..Known::default() };
        let ending = Some((ending.to_vec(), Cell::new(2, 2)));
        let game = Game { size: BoardSize::new(3, 3), running: vec![h; 9], ending };
        let found = possible_at_the_end(&known, &[game], &[2].into(), [(3, number)].into());
        assert_eq!(found.contains_key(&3), expected);
    }
}

#[test]
fn a_mine_that_shows_before_the_page_that_tells_of_it_is_no_number() {
    // Mines show wherever a game ends; of some lost ones with few tiles open that board was taken for one before a last click, as the page
    // that tells of the loss came later.
    let won = |seed: u64| {
        let (deal, running, cell) = won(seed);
        let mut ending = looks(deal.board());
        let mines = (0..SIZE.tiles()).filter(|&index| deal.is_mine(SIZE.cell(index)));
        mines.for_each(|index| ending[index] = Some(look(Tile::Mine, index)));
        Game { size: SIZE, running, ending: Some((ending, cell)) }
    };
    let late = |seed: u64| {
        let mut lost = (0..).map(|more| game_by(Rule::Safe, 1, 1000 * seed + more, true));
        let lost = lost.find(|game| game.ending.is_some()).unwrap();
        let (running, clicked) = lost.ending.unwrap();
        Game { size: SIZE, running, ending: Some((vec![None; SIZE.tiles()], clicked)) }
    };
    let mines = [look(Tile::Mine, 0), look(Tile::Mine, 1)];
    let mut explained = 0;
    for seed in 1..200 {
        let games: Vec<Game> = (1..8).map(|game| won(8 * seed + game)).chain([late(seed)]).collect();
        let known = Known { zeros: [look(Tile::Open(0), 0), look(Tile::Open(0), 1)].into(), ..known() };
        let Ok(found) = meanings(&known, &games) else { continue };
        explained += 1;
        for mine in mines {
            let named = found.of.get(&mine).map(|meaning| meaning.tile);
            assert!(!matches!(named, Some(Tile::Open(_))), "{seed}: {named:?}");
        }
        for (tile, tone) in (0..=8).flat_map(|number| [(Tile::Open(number), 0), (Tile::Open(number), 1)]) {
            let named = found.of.get(&look(tile, tone));
            assert!(named.is_none_or(|named| named.tile == tile), "{seed}, {tile:?}: {named:?}");
        }
    }
    assert!(explained > 10, "{explained}");
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
fn what_ends_games_that_show_no_mines_where_others_do_is_no_mine() {
    // The client takes these games for won and answers no more: the number that was clicked last carries the mark of the keyboard.
    let mark = 99;
    let stuck = |seed: u64| {
        let mut deal = Deal::deal(SIZE, 10, Rule::Zero, seed).unwrap();
        deal.open(Cell::new(4, 4));
        let running = looks(deal.board());
        let hidden: Vec<Cell> = deal.board().cells_where(|tile| tile == Tile::Hidden).collect();
        let clicked = hidden.into_iter().find(|cell| !deal.is_mine(*cell)).unwrap();
        deal.open(clicked);
        let mut ending = looks(deal.board());
        ending[SIZE.index(clicked)] = Some(mark);
        Game { size: SIZE, running, ending: Some((ending, clicked)) }
    };
    // Nor where losses show the mine that was hit alone: of several looks that ended games it is not told which are mines.
    for shows_all in [true, false] {
        let lost = (1..9).map(|seed| game(seed, shows_all));
        let games: Vec<Game> = [21, 22, 23].map(stuck).into_iter().chain(lost).collect();
        let found = meanings(&known(), &games).unwrap();
        assert_eq!(found.of.get(&look(Tile::Mine, 0)).map(|meaning| meaning.tile), shows_all.then_some(Tile::Mine));
        assert!(found.of.get(&mark).is_none_or(|meaning| !meaning.tile.is_shown_mine()), "{:?}", found.of.get(&mark));
        assert!(!found.won[..3].contains(&Some(false)), "{:?}", found.won);
    }
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
fn a_win_that_paints_all_numbers_anew_is_one() {
    let anew = |look: LookId| look + 100;
    let won = |seed: u64| {
        let mut deal = Deal::deal(SIZE, 10, Rule::Zero, seed).unwrap();
        let (mut running, mut clicked) = (looks(deal.board()), Cell::new(4, 4));
        let next = |deal: &Deal| {
            let is_left = |cell: &Cell| deal.board().tile(*cell) == Tile::Hidden && !deal.is_mine(*cell);
            SIZE.cells().min_by_key(|cell| (!is_left(cell), *cell != Cell::new(4, 4))).filter(is_left)
        };
        while let Some(cell) = next(&deal) {
            (running, clicked) = (looks(deal.board()), cell);
            deal.open(cell);
        }
        let shown = |(index, tile): (usize, &Tile)| match tile {
            Tile::Open(_) => anew(look(*tile, index)),
            _ => look(Tile::Mine, index),
        };
        let ending = deal.board().tiles().iter().enumerate().map(shown).map(Some).collect();
        Game { size: SIZE, running, ending: Some((ending, clicked)) }
    };
    let games: Vec<Game> = (1..9).map(won).chain((1..5).map(|seed| game(seed, true))).collect();
    let known = Known { zeros: [look(Tile::Open(0), 0), look(Tile::Open(0), 1)].into(), ..known() };
    let found = meanings(&known, &games).unwrap();
    assert_eq!(found.won[..8], [Some(true); 8]);
    assert_eq!(found.mines.get(&SIZE), Some(&10));
    for (number, tone) in (0..=2).flat_map(|number| [(number, 0), (number, 1)]) {
        let named = found.of.get(&anew(look(Tile::Open(number), tone)));
        assert_eq!(named.map(|named| named.tile), Some(Tile::Open(number)), "{number}");
    }
}

#[test]
fn a_loss_that_paints_hidden_and_empty_tiles_the_same_shows_no_empty_ones() {
    let anew = |look: LookId| look + 100;
    let painted = |seed: u64| {
        let Game { size, running, ending } = game(seed, true);
        let ending = ending.map(|(ending, clicked)| {
            let paint = |(index, now): (usize, Option<LookId>)| match now {
                Some(now) if now / 2 == look(Tile::Hidden, 0) / 2 => Some(anew(look(Tile::Open(0), index))),
                Some(now) if now / 2 < look(Tile::Hidden, 0) / 2 => Some(anew(now)),
                other => other,
            };
            (ending.into_iter().enumerate().map(paint).collect(), clicked)
        });
        Game { size, running, ending }
    };
    let games: Vec<Game> = (1..9).map(painted).collect();
    let known = Known { zeros: [look(Tile::Open(0), 0), look(Tile::Open(0), 1)].into(), ..known() };
    let found = meanings(&known, &games).unwrap();
    for tone in 0..2 {
        let named = |number: u8| found.of.get(&anew(look(Tile::Open(number), tone))).map(|named| named.tile);
        assert_eq!((named(0), named(1)), (None, Some(Tile::Open(1))), "{:?}", found.of);
    }
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
