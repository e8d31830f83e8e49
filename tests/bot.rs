//! The loop against everything that goes wrong with real clients, on the built-in client: late and piecemeal painting,
//! lost clicks, hover, pressed looks, dialogs, moved and closed windows, tiles nobody knows, numbers that lie.

use minesight::board::Tile;
use minesight::bot::{Abort, Bot, Options, Outcome, Played, Stage, uncover};
use minesight::client::{self, Anchor, Client, Spot, Step};
use minesight::desktop::simulated::{DialogAt, Faults, Loss, Pages, Plan, Simulated, Skin};
use minesight::desktop::{Desktop, Guarded};
use minesight::game::{Game, State};
use minesight::geometry::{BoardSize, Cell};
use minesight::screenshot::Screenshot;
use minesight::solver::{self, Setup};
use minesight::vision::{Eyes, LocateError};
use std::sync::Arc;
use std::time::Duration;

const GAMES: u64 = 12;

fn client(name: &str) -> Client {
    let all = client::bundled().unwrap();
    client::by_name(&all, name).unwrap().clone()
}

/// Plays one game; returns it, and how it really stands.
fn play(client: &Client, seed: u64, faults: Faults) -> (Played, State, u32) {
    play_with(client, seed, faults, Options::default())
}

fn play_with(client: &Client, seed: u64, faults: Faults, options: Options) -> (Played, State, u32) {
    play_planned(client, seed, options, |plan| plan.faults = faults)
}

fn play_planned(client: &Client, seed: u64, options: Options, change: impl FnOnce(&mut Plan)) -> (Played, State, u32) {
    let skin = Skin::of(&client.themes[0]);
    let mut plan = Plan::new(BoardSize::new(9, 9), 10, skin.natural_pitch(), seed);
    change(&mut plan);
    let mut desktop = Guarded::new(Simulated::new(client.clone(), skin, plan).unwrap());
    let mut eyes = [Eyes::new(Arc::new(client.clone()))];
    let setup = Setup { rule: client.rules.first_click, ..Setup::default() };
    let player = solver::by_name("lowest-risk", &setup).unwrap();
    let mut bot = Bot::start(&mut desktop, &mut eyes, options).unwrap();
    let played = bot.play_game(player.as_ref());
    (played, desktop.inner().state_of(0), desktop.inner().presses())
}

/// Every game ends as it really ended, and none is lost on a tile that was held to be safe.
fn ends_as_it_should(faults: &Faults) {
    ends_as_it_should_with(faults, &Options::default());
}

fn ends_as_it_should_with(faults: &Faults, options: &Options) {
    all_end_as_they_should(&client("winemine"), faults, options);
}

fn all_end_as_they_should(client: &Client, faults: &Faults, options: &Options) {
    for seed in 0..GAMES {
        let (played, state, _) = play_with(client, seed, faults.clone(), options.clone());
        match played.outcome {
            Outcome::Won => assert_eq!(state, State::Won, "seed {seed}"),
            Outcome::Lost => {
                assert_eq!(state, State::Lost, "seed {seed}");
                assert!(played.fatal.is_some_and(|(risk, _)| risk > 0.0), "seed {seed}: {:?}", played.fatal);
            }
            Outcome::Aborted(why) => panic!("seed {seed}: {why}"),
        }
    }
}

#[test]
fn a_client_without_faults() {
    ends_as_it_should(&Faults::default());
}

#[test]
fn answers_that_are_painted_late() {
    ends_as_it_should(&Faults { late: Duration::from_millis(200), ..Faults::default() });
}

#[test]
fn answers_that_are_painted_tile_by_tile() {
    let piecemeal = Duration::from_millis(3);
    ends_as_it_should(&Faults { piecemeal, ..Faults::default() });
    ends_as_it_should(&Faults { piecemeal, late: Duration::from_millis(40), pressed_look: true, ..Faults::default() });
}

#[test]
fn a_pressed_tile_is_not_taken_for_an_open_one() {
    ends_as_it_should(&Faults { pressed_look: true, late: Duration::from_millis(100), ..Faults::default() });
}

/// A board with flags that wave is never the same for as long as others are.
#[test]
fn flags_that_wave_for_ever_are_not_waited_for() {
    let (client, waves) = (client("winemine"), Duration::from_secs(600));
    let options = Options { flag_mines: true, ..Options::default() };
    for seed in 0..GAMES {
        let skin = Skin::of(&client.themes[0]);
        let mut plan = Plan::new(BoardSize::new(9, 9), 10, skin.natural_pitch(), seed);
        plan.faults = Faults { waves, ..Faults::default() };
        let mut desktop = Guarded::new(Simulated::new(client.clone(), skin, plan).unwrap());
        let mut eyes = [Eyes::new(Arc::new(client.clone()))];
        let player = solver::by_name("lowest-risk", &Setup::default()).unwrap();
        let played = Bot::start(&mut desktop, &mut eyes, options.clone()).unwrap().play_game(player.as_ref());
        assert!(matches!(played.outcome, Outcome::Won | Outcome::Lost), "seed {seed}: {:?}", played.outcome);
        assert!(desktop.clock() < waves / 10, "seed {seed}: {:?}", desktop.clock());
    }
}

#[test]
fn lost_clicks_are_repeated() {
    for every in [2, 3, 7] {
        ends_as_it_should(&Faults { lose_every: Some(every), ..Faults::default() });
    }
}

#[test]
fn a_tile_of_which_the_middle_takes_no_press_is_pressed_beside_it() {
    ends_as_it_should(&Faults { grip: true, ..Faults::default() });
}

#[test]
fn a_client_that_asks_late_where_the_pointer_is_finds_it_there() {
    ends_as_it_should(&Faults { asks_late: Duration::from_millis(120), ..Faults::default() });
}

#[test]
fn the_pointer_stays_as_long_as_a_client_is_said_to_need() {
    let faults = Faults { asks_late: Duration::from_millis(40), ..Faults::default() };
    for (stay_ms, is_lost) in [(None, true), (Some(60), false)] {
        let mut client = client("winemine");
        client.hands.stay_ms = stay_ms;
        let repeated = (0..GAMES).map(|seed| play(&client, seed, faults.clone()).0.effort.repeated).sum::<u32>();
        assert_eq!(repeated > 0, is_lost, "{stay_ms:?}: {repeated} clicks were repeated");
    }
}

/// A tile that the pointer has left by then stays pressed, and looks like an empty one.
#[test]
fn a_tile_that_stays_pressed_is_clicked_again() {
    let faults = Faults { asks_late: Duration::from_millis(120), pressed_look: true, ..Faults::default() };
    for seed in 0..GAMES {
        let (played, state, _) = play_with(&client("winemine"), seed, faults.clone(), Options::default());
        match played.outcome {
            // The last tile may be empty, too: then nothing tells that it is only pressed.
            Outcome::Won => assert_ne!(state, State::Lost, "seed {seed}"),
            Outcome::Lost => assert!(played.fatal.is_some_and(|(risk, _)| risk > 0.0), "seed {seed}"),
            Outcome::Aborted(why) => panic!("seed {seed}: {why}"),
        }
    }
}

#[test]
fn a_dialog_at_the_end_is_taken_away() {
    ends_as_it_should(&Faults { dialog: true, ..Faults::default() });
    ends_as_it_should(&Faults { dialog: true, dialog_at: DialogAt::Whole, ..Faults::default() });
}

/// One end of a game is told within the board, and a click takes that away; another one brings up a dialog, in the way of that click.
#[test]
fn a_dialog_in_the_way_of_a_click_is_answered_by_the_next_step() {
    let mut client = client("winemine");
    let middle = Spot { from: Anchor::TopLeft, tiles: [4.0, 4.0], pixels: [0.0; 2] };
    client.hands.uncover = vec![Step::Click(middle), Step::Answer("Return".into())];
    let faults = Faults { dialog: true, dialog_at: DialogAt::Whole, ..Faults::default() };
    all_end_as_they_should(&client, &faults, &Options { wait: Duration::from_secs(5), ..Options::default() });
}

/// Who answers a question over all of a board sees the next game, and nothing of how the last one ended.
#[test]
fn a_dialog_of_which_the_answer_begins_the_next_game_ended_one() {
    let faults = Faults { dialog: true, dialog_at: DialogAt::Whole, dialog_begins: true, ..Faults::default() };
    ends_as_it_should_with(&faults, &Options { wait: Duration::from_secs(5), ..Options::default() });
}

/// The same where the client asks within its own window.
#[test]
fn a_question_over_the_board_of_which_the_answer_begins_the_next_game_ended_one() {
    let mut client = client("winemine");
    let answer = vec![Step::Keys("Return".into())];
    (client.hands.uncover, client.hands.new_game) = (answer.clone(), answer);
    let faults = Faults {
        dialog: true,
        dialog_at: DialogAt::Whole,
        dialog_begins: true,
        dialog_without_keys: true,
        ..Faults::default()
    };
    for seed in 0..GAMES {
        let options = Options { wait: Duration::from_secs(5), ..Options::default() };
        let (played, state, _) = play_with(&client, seed, faults.clone(), options);
        match played.outcome {
            Outcome::Won => assert_eq!(state, State::Won, "seed {seed}"),
            Outcome::Lost => assert_eq!(state, State::Lost, "seed {seed}"),
            Outcome::Aborted(why) => panic!("seed {seed}: {why}"),
        }
    }
}

/// A loss shows nothing but a question, beside the board or over it, and whoever answers that sees the next game.
#[test]
fn a_question_that_is_all_that_shows_of_a_loss_ended_a_game() {
    let client = client("winemine");
    for (seed, dialog_at) in (0..GAMES).flat_map(|seed| [(seed, DialogAt::Beside), (seed, DialogAt::Middle)]) {
        let options = Options { wait: Duration::from_secs(5), ..Options::default() };
        let (played, state, _) = play_planned(&client, seed, options, |plan| {
            (plan.faults.dialog, plan.faults.dialog_at, plan.faults.dialog_begins) = (true, dialog_at, true);
            plan.end.loss = Loss::Nothing;
        });
        match played.outcome {
            Outcome::Won => assert_eq!(state, State::Won, "seed {seed}"),
            Outcome::Lost => assert_eq!(state, State::Lost, "seed {seed}"),
            Outcome::Aborted(why) => panic!("seed {seed}, {dialog_at:?}: {why}"),
        }
    }
}

#[test]
fn a_dialog_that_was_left_over_the_board_is_taken_away() {
    let (client, size) = (client("winemine"), BoardSize::new(9, 9));
    let mut game = Game::deal(size, 10, client.rules.first_click, 1).unwrap();
    game.open(Cell::new(0, 0));
    let mine = size.cells().find(|&cell| game.is_mine(cell)).unwrap();
    game.open(mine);
    for (dialog_at, whole) in [
        (DialogAt::Middle, Some(size)),
        (DialogAt::Middle, None),
        (DialogAt::Whole, Some(size)),
        (DialogAt::Whole, None),
    ] {
        let skin = Skin::of(&client.themes[0]);
        let mut plan = Plan::new(size, 10, skin.natural_pitch(), 1);
        (plan.faults.dialog, plan.faults.dialog_at) = (true, dialog_at);
        let mut desktop = Guarded::new(Simulated::new(client.clone(), skin, plan).unwrap());
        desktop.inner_mut().set_game(game.clone());
        let mut eyes = [Eyes::new(Arc::new(client.clone()))];
        let found = Bot::start(&mut desktop, &mut eyes, Options::default()).err();
        let found = found.expect("it covers too much to begin");
        // Of a board that is covered whole, only its window's title tells whose it is.
        assert_eq!(
            matches!(found, Abort::NotFound(LocateError::NoBoard { .. })),
            dialog_at == DialogAt::Whole,
            "{found}"
        );
        uncover(&mut desktop, &mut eyes, whole).unwrap();
        let mut bot = Bot::start(&mut desktop, &mut eyes, Options::default()).unwrap();
        assert!(bot.look().unwrap().reading.unrecognised().next().is_none());
        assert_eq!(bot.stage().unwrap(), Stage::Over);
        bot.new_game().unwrap();
        assert_eq!(bot.stage().unwrap(), Stage::Fresh);
    }
}

#[test]
fn a_dialog_that_leaves_enough_of_a_board_to_begin_is_taken_away() {
    let (client, size) = (client("winemine"), BoardSize::new(16, 16));
    let mut game = Game::deal(size, 40, client.rules.first_click, 1).unwrap();
    for cell in size.cells().filter(|&cell| !game.is_mine(cell)).collect::<Vec<_>>() {
        game.open(cell);
    }
    for dialog in [true, false] {
        let skin = Skin::of(&client.themes[0]);
        let mut plan = Plan::new(size, 40, skin.natural_pitch(), 1);
        (plan.faults.dialog, plan.faults.dialog_at) = (dialog, DialogAt::Corner);
        let mut desktop = Guarded::new(Simulated::new(client.clone(), skin, plan).unwrap());
        desktop.inner_mut().set_game(game.clone());
        let mut eyes = [Eyes::new(Arc::new(client.clone()))];
        let mut bot = Bot::start(&mut desktop, &mut eyes, Options::default()).unwrap();
        assert_eq!(bot.look().unwrap().reading.unrecognised().count() > 0, dialog);
        bot.clear_away().unwrap();
        assert_eq!(bot.look().unwrap().reading.unrecognised().count(), 0);
        assert_eq!(bot.stage().unwrap(), Stage::Over);
        assert_eq!(desktop.inner().presses() > 0, dialog, "nothing is typed without one");
    }
}

/// As in sway, where the window under the pointer takes the keyboard from a dialog that has come up.
#[test]
fn a_dialog_that_lost_the_keyboard_is_answered() {
    let client = client("winemine");
    for dialog_at in [DialogAt::Beside, DialogAt::Whole] {
        let skin = Skin::of(&client.themes[0]);
        let mut plan = Plan::new(BoardSize::new(9, 9), 10, skin.natural_pitch(), 1);
        plan.faults = Faults { dialog: true, dialog_at, dialog_without_keys: true, ..Faults::default() };
        let mut desktop = Guarded::new(Simulated::new(client.clone(), skin, plan).unwrap());
        let mut eyes = [Eyes::new(Arc::new(client.clone()))];
        let player = solver::by_name("best", &Setup::default()).unwrap();
        let mut bot = Bot::start(&mut desktop, &mut eyes, Options::default()).unwrap();
        assert!(matches!(bot.play_game(player.as_ref()).outcome, Outcome::Won | Outcome::Lost));
        bot.new_game().unwrap();
        assert_eq!(bot.stage().unwrap(), Stage::Fresh);
    }
}

/// The way waits as long as the page took when it was learned; now that takes three times as long.
#[test]
fn a_page_that_comes_later_than_it_did_is_waited_for() {
    let mut client = client("winemine");
    let button = Spot { from: Anchor::Top, tiles: [0.0, -2.5], pixels: [0.0, 112.0] };
    let way = vec![Step::Keys("ctrl+r".into()), Step::Wait(500), Step::Click(button)];
    client.hands.new_game = vec![Step::All(way)];
    let skin = Skin::of(&client.themes[0]);
    let mut plan = Plan::new(BoardSize::new(9, 9), 10, skin.natural_pitch(), 1);
    plan.faults.pages = Pages { loads_in: Some(Duration::from_millis(1500)), ..Pages::default() };
    let mut desktop = Guarded::new(Simulated::new(client.clone(), skin, plan).unwrap());
    let mut eyes = [Eyes::new(Arc::new(client))];
    let player = solver::by_name("best", &Setup::default()).unwrap();
    let mut bot = Bot::start(&mut desktop, &mut eyes, Options::default()).unwrap();
    assert!(matches!(bot.play_game(player.as_ref()).outcome, Outcome::Won | Outcome::Lost));
    bot.new_game().unwrap();
    assert_eq!(bot.stage().unwrap(), Stage::Fresh);
}

#[test]
fn a_dialog_of_a_window_with_another_title_is_left_alone() {
    let (client, size) = (client("winemine"), BoardSize::new(9, 9));
    let mut titled = client.clone();
    titled.title = vec!["Another".into()];
    let skin = Skin::of(&client.themes[0]);
    let mut plan = Plan::new(size, 10, skin.natural_pitch(), 1);
    (plan.faults.dialog, plan.faults.dialog_at) = (true, DialogAt::Whole);
    let mut game = Game::deal(size, 10, client.rules.first_click, 1).unwrap();
    for cell in size.cells() {
        game.open(cell);
    }
    let mut desktop = Guarded::new(Simulated::new(client, skin, plan).unwrap());
    desktop.inner_mut().set_game(game);
    let mut eyes = [Eyes::new(Arc::new(titled))];
    uncover(&mut desktop, &mut eyes, None).unwrap();
    assert_eq!(desktop.inner().presses(), 0);
    assert!(Bot::start(&mut desktop, &mut eyes, Options::default()).is_err(), "it is still there");
}

#[test]
fn boards_that_are_only_four_tiles_wide_or_high_are_found() {
    for name in ["winemine", "xdemineur", "web"] {
        let client = client(name);
        let skin = Skin::of(&client.themes[0]);
        for (width, height) in [(4, 4), (4, 9), (16, 4)] {
            let size = BoardSize::new(width, height);
            let plan = Plan::new(size, 2, skin.natural_pitch(), 1);
            let mut desktop = Guarded::new(Simulated::new(client.clone(), skin.clone(), plan).unwrap());
            let mut eyes = [Eyes::new(Arc::new(client.clone()))];
            let bot = Bot::start(&mut desktop, &mut eyes, Options::default());
            assert_eq!(bot.map(|bot| bot.size()).unwrap(), size, "{name}");
        }
    }
}

#[test]
fn a_game_under_way_is_told_from_a_fresh_one_and_one_that_is_over() {
    let (client, size) = (client("winemine"), BoardSize::new(9, 9));
    for (opened, stage) in [(0, Stage::Fresh), (1, Stage::UnderWay), (81, Stage::Over)] {
        let mut game = Game::deal(size, 10, client.rules.first_click, 3).unwrap();
        for cell in size.cells().take(opened) {
            game.open(cell);
        }
        let skin = Skin::of(&client.themes[0]);
        let plan = Plan::new(size, 10, skin.natural_pitch(), 3);
        let mut desktop = Guarded::new(Simulated::new(client.clone(), skin, plan).unwrap());
        desktop.inner_mut().set_game(game);
        let mut eyes = [Eyes::new(Arc::new(client.clone()))];
        let mut bot = Bot::start(&mut desktop, &mut eyes, Options::default()).unwrap();
        assert_eq!(bot.stage().unwrap(), stage);
        assert_eq!(desktop.inner().presses(), 0, "nothing is clicked or typed to find out");
    }
}

#[test]
fn a_window_that_moves_is_found_again() {
    ends_as_it_should(&Faults { move_after: Some(1), ..Faults::default() });
}

#[test]
fn a_window_that_closes_ends_the_game_without_another_click() {
    let client = client("winemine");
    for seed in 0..GAMES {
        let (played, _, presses) = play(&client, seed, Faults { close_after: Some(1), ..Faults::default() });
        let Outcome::Aborted(Abort::Gone(_) | Abort::NotFound(_)) = played.outcome else {
            panic!("seed {seed}: {:?}", played.outcome)
        };
        assert_eq!(presses, 1, "seed {seed}");
    }
}

#[test]
fn a_tile_nobody_knows_is_never_clicked() {
    let client = client("winemine");
    for seed in 0..GAMES {
        let smudge = Cell::new((seed % 9) as u32, 4);
        let (played, _, _) = play(&client, seed, Faults { smudge: Some(smudge), ..Faults::default() });
        assert!(played.fatal.is_none_or(|(risk, _)| risk > 0.0), "seed {seed}");
        for scene in &played.trail {
            let unknown: Vec<Cell> = scene.reading.unrecognised().collect();
            assert!(unknown.contains(&smudge), "seed {seed}: {unknown:?} on {}", scene.reading.grid.size());
        }
    }
}

/// Without the number of mines, and with numbers that nobody knows, a game in which nothing but mines is left is won.
#[test]
fn where_only_mines_are_left_a_number_that_is_not_known_keeps_no_game_from_being_won() {
    let mut client = client("winemine");
    (client.levels, client.sizes, client.counter) = (Vec::new(), vec![[9, 9]], None);
    let theme = &mut client.themes[0];
    theme.tiles.retain(|look, _| *look != '3');
    theme.pictures.retain(|picture| picture.tile != Tile::Open(3));
    let mut won = 0;
    for seed in 0..4 * GAMES {
        let (played, state, _) = play(&client, seed, Faults::default());
        match &played.outcome {
            Outcome::Won => {
                assert_eq!(state, State::Won, "seed {seed}");
                let last = played.trail.back().unwrap();
                won += u32::from(last.reading.unrecognised().next().is_some());
            }
            Outcome::Lost => assert_eq!(state, State::Lost, "seed {seed}"),
            Outcome::Aborted(Abort::Stuck { .. }) => assert_eq!(state, State::Playing, "seed {seed}"),
            // What is covered may not be known to be a mine: then it is clicked, and the game is over.
            Outcome::Aborted(why) => assert!(matches!(why, Abort::Deaf { .. }), "seed {seed}: {why}"),
        }
    }
    assert!(won > 5, "{won}");
}

/// What a client paints over its board when a game is over stays: nobody waits for that as long as for another window.
#[test]
fn what_a_client_paints_over_its_board_at_the_end_is_not_waited_for() {
    let client = client("winemine");
    let skin = Skin::of(&client.themes[0]);
    let wait = Duration::from_secs(60);
    let mut given_up = 0;
    for seed in 0..GAMES {
        let mut plan = Plan::new(BoardSize::new(9, 9), 10, skin.natural_pitch(), seed);
        plan.faults = Faults { shade: true, ..Faults::default() };
        let mut desktop = Guarded::new(Simulated::new(client.clone(), skin.clone(), plan).unwrap());
        let mut eyes = [Eyes::new(Arc::new(client.clone()))];
        let player = solver::by_name("lowest-risk", &Setup { rule: client.rules.first_click, ..Setup::default() });
        let mut bot = Bot::start(&mut desktop, &mut eyes, Options { wait, ..Options::default() }).unwrap();
        let played = bot.play_game(player.unwrap().as_ref());
        let (state, clock) = (desktop.inner().game().state(), desktop.clock());
        let told = match played.outcome {
            Outcome::Won => State::Won,
            Outcome::Lost => State::Lost,
            // Where the last click opened much, and all of it is in the shade, nothing tells that from another window.
            Outcome::Aborted(_) => {
                given_up += 1;
                continue;
            }
        };
        assert_eq!((told, clock < wait / 3), (state, true), "seed {seed}: {clock:?}");
    }
    assert!(given_up <= 1, "{given_up}");
}

#[test]
fn a_client_that_does_not_know_of_a_win_gets_a_mine() {
    let client = client("winemine");
    let skin = Skin::of(&client.themes[0]);
    let mut plan = Plan::new(BoardSize::new(9, 9), 10, skin.natural_pitch(), 0);
    plan.faults = Faults { goes_on: true, ..Faults::default() };
    let mut desktop = Guarded::new(Simulated::new(client.clone(), skin, plan).unwrap());
    let mut eyes = [Eyes::new(Arc::new(client.clone()))];
    let setup = Setup { rule: client.rules.first_click, ..Setup::default() };
    let player = solver::by_name("lowest-risk", &setup).unwrap();
    let mut bot = Bot::start(&mut desktop, &mut eyes, Options::default()).unwrap();
    let mut wins = 0;
    for _ in 0..GAMES {
        let played = bot.play_game(player.as_ref());
        assert!(matches!(played.outcome, Outcome::Won | Outcome::Lost), "{:?}", played.outcome);
        wins += u32::from(matches!(played.outcome, Outcome::Won));
        bot.new_game().unwrap();
    }
    assert!(wins > 1, "{wins}");
}

/// A click by then would be one on a tile of which nothing is promised.
#[test]
fn what_a_client_opens_by_itself_is_waited_for() {
    let client = client("xdemineur");
    let skin = Skin::of(&client.themes[0]);
    let mut plan = Plan::new(BoardSize::new(9, 9), 10, skin.natural_pitch(), 0);
    plan.faults = Faults { opens_late: Duration::from_millis(300), ..Faults::default() };
    let mut desktop = Guarded::new(Simulated::new(client.clone(), skin, plan).unwrap());
    let mut eyes = [Eyes::new(Arc::new(client.clone()))];
    let mut bot = Bot::start(&mut desktop, &mut eyes, Options::default()).unwrap();
    for game in 0..GAMES {
        bot.new_game().unwrap();
        let open = bot.look().unwrap().tiles().into_iter().filter(|tile| tile.number().is_some()).count();
        assert!(open > 0, "game {game} was to be begun while nothing was open");
    }
}

#[test]
fn flags_are_put_where_the_client_wants_them_for_a_win() {
    let client = client("xdemineur");
    let skin = Skin::of(&client.themes[0]);
    let mut won = 0;
    for seed in 0..GAMES {
        let plan = Plan::new(BoardSize::new(12, 9), 15, skin.natural_pitch(), seed);
        let mut desktop = Guarded::new(Simulated::new(client.clone(), skin.clone(), plan).unwrap());
        let mut eyes = [Eyes::new(Arc::new(client.clone()))];
        let player = solver::by_name("lowest-risk", &Setup { rule: client.rules.first_click, ..Setup::default() });
        let mut bot = Bot::start(&mut desktop, &mut eyes, Options::default()).unwrap();
        let played = bot.play_game(player.unwrap().as_ref());
        if matches!(played.outcome, Outcome::Won) {
            won += 1;
            let mines: Vec<Cell> = desktop
                .inner()
                .game()
                .board()
                .size()
                .cells()
                .filter(|&cell| desktop.inner().game().is_mine(cell))
                .collect();
            let flags = played.trail.back().unwrap().tiles();
            let size = desktop.inner().game().board().size();
            let flagged = |cell: &Cell| flags[size.index(*cell)] == minesight::board::Tile::Flag;
            assert!(mines.iter().all(flagged), "seed {seed}");
        }
    }
    assert!(won > GAMES / 2, "{won} of {GAMES} won; nine in ten are to be expected");
}

/// What is known of the number of mines may be wrong: no game is given up for it, and none called won that is not.
#[test]
fn a_wrong_number_of_mines_is_dropped() {
    let truth = client("winemine");
    let skin = Skin::of(&truth.themes[0]);
    let mut noticed = 0;
    for (seed, told) in (0..GAMES).flat_map(|seed| [(seed, 5), (seed, 14), (seed, 40)]) {
        let mut believed = truth.clone();
        for level in believed.levels.iter_mut().filter(|level| (level.width, level.height) == (9, 9)) {
            level.mines = told;
        }
        believed.counter = None;
        let plan = Plan::new(BoardSize::new(9, 9), 10, skin.natural_pitch(), seed);
        let mut desktop = Guarded::new(Simulated::new(truth.clone(), skin.clone(), plan).unwrap());
        let mut eyes = [Eyes::new(Arc::new(believed))];
        let player = solver::by_name("lowest-risk", &Setup { rule: truth.rules.first_click, ..Setup::default() });
        let mut bot = Bot::start(&mut desktop, &mut eyes, Options::default()).unwrap();
        let played = bot.play_game(player.unwrap().as_ref());
        let state = desktop.inner().game().state();
        match played.outcome {
            Outcome::Won => assert_eq!(state, State::Won, "seed {seed}, {told} told"),
            Outcome::Lost => assert_eq!(state, State::Lost, "seed {seed}, {told} told"),
            Outcome::Aborted(why) => panic!("seed {seed}, {told} told: {why}"),
        }
        noticed += u64::from(played.is_total_wrong);
    }
    assert!(noticed > GAMES, "{noticed} of {}", 3 * GAMES);
}

/// A replay has new eyes: those that play a game that is kept must not see more than they do.
#[test]
fn eyes_that_forget_see_what_new_ones_see() {
    let client = client("winemine");
    let skin = Skin::of(&client.themes[0]);
    let plan = Plan::new(BoardSize::new(9, 9), 10, skin.natural_pitch(), 1);
    let one = Simulated::new(client.clone(), skin, plan).unwrap().look(None).unwrap();
    let (width, height) = one.pixels.dimensions();
    // Two boards beside each other, and the same screen with only one of them.
    let screen = |boards: [bool; 2]| {
        let mut pixels = image::RgbaImage::from_pixel(2 * width, height, *one.pixels.get_pixel(0, 0));
        for (left, _) in [0, width].into_iter().zip(boards).filter(|(_, is_there)| *is_there) {
            image::imageops::replace(&mut pixels, &one.pixels, left.into(), 0);
        }
        Screenshot::from_picture(pixels)
    };
    let both = screen([true, true]);
    let found = |eyes: &mut Eyes| eyes.find(&both).unwrap().grid;
    let new = Eyes::new(Arc::new(client));
    let usual = found(&mut new.clone());
    let other = [[true, false], [false, true]].into_iter().find_map(|boards| {
        let mut eyes = new.clone();
        eyes.find(&screen(boards)).unwrap();
        (found(&mut eyes) != usual).then_some(eyes)
    });
    let mut eyes = other.expect("one of the two is where the board was");
    eyes.forget();
    assert_eq!(found(&mut eyes), usual);
}
