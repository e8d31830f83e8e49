//! A client is learned from nothing, on the built-in one in several looks and with several manners: no label may be wrong, and
//! what was learned must read every board of it.

use minesight::board::Tile;
use minesight::bot::{Bot, Options, Outcome};
use minesight::calibrate::notes::Notes;
use minesight::calibrate::on_the_job::{Unknown, with_pictures};
use minesight::calibrate::pictures::{Saved, from_pictures};
use minesight::calibrate::prove::prove;
use minesight::calibrate::write::Found;
use minesight::calibrate::{GaveUp, News, Wishes, learn};
use minesight::client::{self, Anchor, Button, Client, Press, Spot, Step, Touch};
use minesight::desktop::simulated::events::{Event, What, When};
use minesight::desktop::simulated::unkind::Unkind;
use minesight::desktop::simulated::{Faults, Pages, Plan, Simulated, Skin};
use minesight::desktop::{Action, Click, Desktop, Guarded};
use minesight::game::{Rule, State};
use minesight::geometry::{BoardSize, Cell};
use minesight::solver::{self, Setup};
use minesight::vision::Eyes;
use std::sync::Arc;
use std::time::Duration;

fn wishes() -> Wishes {
    Wishes { name: "learned".into(), at: None, new_game: None, games: 10, time: Duration::from_secs(3600) }
}

fn desktop(name: &str, theme: usize, size: BoardSize, mines: u32, seed: u64) -> Guarded<Simulated> {
    desktop_of(bundled(name), theme, size, mines, seed)
}

/// A client that comes with the program.
fn bundled(name: &str) -> Client {
    client::by_name(&client::bundled().unwrap(), name).unwrap().clone()
}

fn desktop_of(client: Client, theme: usize, size: BoardSize, mines: u32, seed: u64) -> Guarded<Simulated> {
    desktop_with(client, theme, (size, mines), seed, |_| {})
}

/// The same with something changed of how it behaves.
fn desktop_with(
    mut client: Client,
    theme: usize,
    (size, mines): (BoardSize, u32),
    seed: u64,
    change: impl FnOnce(&mut Plan),
) -> Guarded<Simulated> {
    let skin = Skin::of(&client.themes[theme]);
    // What begins a new game there may take several steps; what is learned is one.
    client.hands.new_game.retain(|step| !matches!(step, client::Step::Wait(_)));
    client.hands.new_game.truncate(1);
    client.rules.flags_to_win = false;
    let mut plan = Plan::new(size, mines, skin.natural_pitch(), seed);
    plan.faults = Faults { late: Duration::from_millis(15), ..Faults::default() };
    change(&mut plan);
    Guarded::new(Simulated::new(client, skin, plan).unwrap())
}

/// Learns it, then plays with what was learned, and compares every reading with what was painted.
fn learned(name: &str, theme: usize, seed: u64) {
    let mut desktop = desktop(name, theme, BoardSize::new(9, 9), 10, seed);
    let mut said = Vec::new();
    let found = learn(&mut desktop, &wishes(), &mut Notes::default(), &mut |news| {
        if let News::Says(text) = news {
            said.push(text.to_owned());
        }
    });
    let found = found.unwrap_or_else(|error| panic!("{name} {theme}: {error}\n{}", said.join("\n")));
    let over = played(&found, &mut desktop, name);
    assert!(over >= 3, "{name}: only {over} of 4 games came to an end\n{}", said.join("\n"));
}

/// Plays four games with what was learned, and compares every reading with what was painted; how many came to an end.
fn played(found: &Found, desktop: &mut Guarded<Simulated>, name: &str) -> u32 {
    let mut eyes = [Eyes::new(Arc::new(found.client()))];
    let player = solver::by_name("lowest-risk", &Setup::default()).unwrap();
    let mut over = 0;
    for _ in 0..4 {
        let mut bot = Bot::start(desktop, &mut eyes, Options::default()).unwrap();
        bot.new_game().unwrap();
        let played = bot.play_game(player.as_ref());
        // A number that was not seen before may keep it from going on: it must not be taken for another.
        over += u32::from(matches!(played.outcome, Outcome::Won | Outcome::Lost));
        assert!(played.fatal.is_none_or(|(risk, _)| risk > 0.0), "{name}: lost on a tile that was held to be safe");
        let last = played.trail.back().unwrap();
        let painted = desktop.inner().painted();
        for (read, truth) in last.tiles().iter().zip(&painted) {
            let is_mine = read.is_shown_mine() && truth.is_shown_mine();
            assert!(read == truth || is_mine || *read == Tile::Unrecognised, "{name}: {read:?} is {truth:?}");
        }
    }
    over
}

#[test]
fn green_tiles_of_sixteen_pixels_are_learned() {
    learned("winemine", 0, 3);
}

#[test]
fn tiles_with_gaps_and_coloured_grounds_are_learned() {
    learned("gnome-mines", 0, 5);
}

#[test]
fn grey_tiles_with_smooth_digits_are_learned() {
    learned("sgt-mines", 0, 7);
}

/// A page may let the frame around its board shine all the time: that is no shade, which would lie over the board, too.
#[test]
fn a_board_in_a_frame_that_shines_is_learned() {
    let client = bundled("winemine");
    let shine = |plan: &mut Plan| plan.faults.shines = true;
    let mut desktop = desktop_with(client, 0, (BoardSize::new(9, 9), 10), 43, shine);
    let found = learn(&mut desktop, &wishes(), &mut Notes::default(), &mut |_| {}).unwrap();
    assert!(played(&found, &mut desktop, "shines") >= 3);
}

#[test]
fn a_client_without_a_mouse_is_learned_by_its_cursor() {
    let client = bundled("freesweep");
    let show_cursor = |plan: &mut Plan| plan.faults.cursor = true;
    let mut desktop = desktop_with(client, 0, (BoardSize::new(9, 9), 10), 3, show_cursor);
    // What a person does not point at is typed into by nobody.
    assert!(learn(&mut desktop, &wishes(), &mut Notes::default(), &mut |_| {}).is_err());
    let screen = desktop.look(None).unwrap();
    let at = screen.to_screen(desktop.inner().grid().bounds().center());
    let pointed = Wishes { at: Some(at), ..wishes() };
    let found = learn(&mut desktop, &pointed, &mut Notes::default(), &mut |_| {}).unwrap();
    assert_eq!(found.size, BoardSize::new(9, 9));
    let cursor = found.client().hands.cursor.expect("clicks do nothing");
    assert_eq!((&*cursor.home, &*cursor.right, &*cursor.down), ("0", "l", "j"));
    assert_eq!((&*cursor.open, &*cursor.flag), ("space", "f"));
    assert!(played(&found, &mut desktop, "freesweep") >= 3);
}

#[test]
fn a_dialog_that_takes_no_key_is_closed() {
    let mut client = bundled("winemine");
    client.hands.uncover = vec![Step::Close];
    let mut desktop = desktop_with(client, 0, (BoardSize::new(9, 9), 10), 3, |plan| plan.faults.dialog = true);
    let found = learn(&mut desktop, &wishes(), &mut Notes::default(), &mut |_| {}).unwrap();
    let learned = found.client();
    assert!(learned.hands.uncover.contains(&Step::Close), "{:?}", learned.hands.uncover);
    let mut eyes = [Eyes::new(Arc::new(learned))];
    let player = solver::by_name("lowest-risk", &Setup::default()).unwrap();
    let mut bot = Bot::start(&mut desktop, &mut eyes, Options::default()).unwrap();
    for game in 0..3 {
        bot.new_game().unwrap();
        let played = bot.play_game(player.as_ref());
        assert!(matches!(played.outcome, Outcome::Won | Outcome::Lost), "game {game}: {:?}", played.outcome);
    }
}

#[test]
fn nothing_is_learned_where_nothing_is() {
    let mut desktop = desktop("winemine", 0, BoardSize::new(3, 3), 1, 1);
    let error = learn(&mut desktop, &wishes(), &mut Notes::default(), &mut |_| {}).map(|_| ()).unwrap_err();
    assert!(matches!(error, GaveUp::NoBoard | GaveUp::Deaf(_)), "{error}");
    assert!(desktop.inner().presses() <= 15, "{} presses", desktop.inner().presses());
}

/// What opens all that is left around a number is found out in games that are played with what was learned, and none of them is given up for it.
fn found_out(chord: Option<&Press>, dialog: bool) -> Option<Press> {
    let mut client = bundled("winemine");
    client.hands.chord = chord.cloned();
    let mut desktop = desktop_with(client, 0, (BoardSize::new(9, 9), 10), 3, |plan| plan.faults.dialog = dialog);
    let mut notes = Notes::default();
    let mut found = learn(&mut desktop, &wishes(), &mut notes, &mut |_| {}).unwrap();
    let mut kept = None;
    let mut keep = |found: &Found| {
        kept = Some(found.chord.clone());
        Ok(())
    };
    let proof = prove(&mut desktop, &mut found, &notes, 6, &mut keep, &mut |_| {}).unwrap();
    assert_eq!((proof.won + proof.lost, proof.given_up), (6, 0));
    if let Some(kept) = kept {
        assert_eq!(kept, found.chord, "it is kept at once");
    }
    assert_eq!(found.client().hands.chord, found.chord);
    found.chord
}

#[test]
fn how_a_chord_is_made_is_found_out() {
    for (button, dialog) in [(Some(Button::Left), false), (Some(Button::Middle), false), (None, false), (None, true)] {
        let chord = button.map(|button| Press { button, with: None });
        assert_eq!(found_out(chord.as_ref(), dialog), chord);
    }
}

/// A game that is lost at once would be dealt again, and lost again.
#[test]
fn a_client_that_deals_by_the_clock_is_given_a_second() {
    let client = bundled("winemine");
    for (deals_by, is_waited) in [(None, false), (Some(Duration::from_secs(4)), true)] {
        let size = (BoardSize::new(9, 9), 20);
        let mut desktop = desktop_with(client.clone(), 0, size, 3, |plan| plan.faults.deals_by = deals_by);
        let mut notes = Notes::default();
        let mut found = learn(&mut desktop, &wishes(), &mut notes, &mut |_| {}).unwrap();
        let mut kept = false;
        let mut keep = |found: &Found| {
            kept |= found.new_game.contains(&Step::Wait(1000));
            Ok(())
        };
        prove(&mut desktop, &mut found, &notes, 24, &mut keep, &mut |_| {}).unwrap();
        assert_eq!((found.new_game.contains(&Step::Wait(1000)), kept), (is_waited, is_waited), "{:?}", found.new_game);
    }
}

/// A program that draws few pictures a second takes a click to be where the pointer is by then.
#[test]
fn the_pointer_stays_where_it_clicked_until_a_client_asks() {
    let size = (BoardSize::new(9, 9), 10);
    let late = |plan: &mut Plan| plan.faults.asks_late = Duration::from_millis(180);
    let mut desktop = desktop_with(bundled("winemine"), 0, size, 3, late);
    let found = learn(&mut desktop, &wishes(), &mut Notes::default(), &mut |_| {}).unwrap();
    let mut eyes = [Eyes::new(Arc::new(found.client()))];
    let player = solver::by_name("lowest-risk", &Setup::default()).unwrap();
    for _ in 0..4 {
        let mut bot = Bot::start(&mut desktop, &mut eyes, Options::default()).unwrap();
        bot.new_game().unwrap();
        let played = bot.play_game(player.as_ref());
        assert!(matches!(played.outcome, Outcome::Won | Outcome::Lost), "{:?}", played.outcome);
        assert!(played.fatal.is_none_or(|(risk, _)| risk > 0.0), "lost on a tile that was held to be safe");
        assert_eq!(played.effort.repeated, 0, "clicks had no effect");
    }
}

/// Boards after the first one answer only after a second control.
#[test]
fn a_new_game_that_takes_two_steps_is_found_out() {
    let mut client = bundled("winemine");
    let steps = ["F2", "n"].map(|keys| Step::Keys(keys.into()));
    client.hands.new_game = vec![Step::All(steps.to_vec())];
    let mut desktop = desktop_of(client, 0, BoardSize::new(9, 9), 10, 3);
    let found = learn(&mut desktop, &wishes(), &mut Notes::default(), &mut |_| {}).unwrap();
    let parts: Vec<&Step> = found.new_game.iter().flat_map(Step::parts).collect();
    assert!(steps.iter().all(|step| parts.contains(&step)), "{parts:?}");
    // It is data like every other: written, loaded and played.
    let folder = folder("two-steps");
    found.write(&folder).unwrap();
    let loaded = client::load(Some(&folder.join("calibration")), None).unwrap();
    let mut eyes = [Eyes::new(Arc::new(client::by_name(&loaded, "learned").unwrap().clone()))];
    let player = solver::by_name("lowest-risk", &Setup::default()).unwrap();
    for _ in 0..2 {
        let mut bot = Bot::start(&mut desktop, &mut eyes, Options::default()).unwrap();
        bot.new_game().unwrap();
        let played = bot.play_game(player.as_ref());
        assert!(matches!(played.outcome, Outcome::Won | Outcome::Lost), "{:?}", played.outcome);
    }
}

/// One of the clicks of a way of two steps may be lost: the way is kept as it is, and tried again.
#[test]
fn a_way_of_two_steps_stays_what_it_is_when_a_click_is_lost() {
    let mut client = bundled("winemine");
    let steps = ["F2", "n"].map(|keys| Step::Keys(keys.into()));
    client.hands.new_game = vec![Step::All(steps.to_vec())];
    for every in [7, 11, 13] {
        let change = |plan: &mut Plan| plan.faults.lose_every = Some(every);
        let mut desktop = desktop_with(client.clone(), 0, (BoardSize::new(9, 9), 10), 3, change);
        let found = learn(&mut desktop, &wishes(), &mut Notes::default(), &mut |_| {}).unwrap();
        let parts: Vec<&Step> = found.new_game.iter().flat_map(Step::parts).collect();
        let keys = parts.iter().filter(|step| matches!(step, Step::Keys(_))).count();
        assert_eq!((keys, steps.iter().all(|step| parts.contains(&step))), (2, true), "{every}: {parts:?}");
    }
}

/// A client that shows pages before its first board, or in place of it after each game.
fn with_pages(pages: Pages) -> Guarded<Simulated> {
    with_pages_called(pages, false)
}

/// The same in a window that is called after the game, or by some name.
fn with_pages_called(pages: Pages, called: bool) -> Guarded<Simulated> {
    let mut client = bundled("winemine");
    if pages.between > 0 {
        client.hands.new_game.clear();
    }
    desktop_with(client, 0, (BoardSize::new(9, 9), 10), 3, |plan| {
        plan.faults.pages = pages;
        plan.faults.called = called;
    })
}

/// The person points into the client's window.
fn pointed(desktop: &mut Guarded<Simulated>) -> Wishes {
    let screen = desktop.look(None).unwrap();
    Wishes { at: Some(screen.to_screen(desktop.inner().grid().bounds().center())), ..wishes() }
}

#[test]
fn pages_before_the_first_board_are_clicked_through() {
    for before in [1, 2] {
        let mut desktop = with_pages(Pages { before, ..Pages::default() });
        // Whose page it is only the person and its title can say: else nothing is clicked.
        let nothing = learn(&mut desktop, &wishes(), &mut Notes::default(), &mut |_| {});
        assert!(matches!(nothing, Err(GaveUp::NoBoard)) && desktop.inner().presses() == 0, "{before}");
        let wishes_there = pointed(&mut desktop);
        let mut called = with_pages_called(Pages { before, ..Pages::default() }, true);
        for (desktop, wishes) in [(&mut desktop, wishes_there), (&mut called, wishes())] {
            let found = learn(desktop, &wishes, &mut Notes::default(), &mut |_| {}).unwrap();
            assert!((0..3).all(|number| found.looks.contains_key(&Tile::Open(number))), "{:?}", found.looks.keys());
        }
    }
}

/// The board comes up a while after the last page, and whenever that is none of its tiles is taken for a button.
#[test]
fn a_board_that_comes_up_late_is_not_clicked_for_a_page() {
    for late in (1800..2800).step_by(100).map(Duration::from_millis) {
        let mut desktop = with_pages(Pages { before: 1, late, ..Pages::default() });
        let wishes = Wishes { games: 1, ..pointed(&mut desktop) };
        let mut notes = Notes::default();
        // Whether one game was enough does not matter.
        learn(&mut desktop, &wishes, &mut notes, &mut |_| {}).ok();
        let open: Vec<usize> = notes.evidence.games.iter().map(|game| game.open_at_start).collect();
        assert_eq!(open, [0], "{late:?}");
    }
}

#[test]
fn pages_between_games_become_the_way_to_the_next() {
    for between in [1, 2] {
        let mut desktop = with_pages(Pages { before: 1, between, ..Pages::default() });
        let mut said = Vec::new();
        let wishes = pointed(&mut desktop);
        let found = learn(&mut desktop, &wishes, &mut Notes::default(), &mut |news| {
            if let News::Says(text) = news {
                said.push(text.to_owned());
            }
        });
        let found = found.unwrap_or_else(|error| panic!("{between}: {error}\n{}", said.join("\n")));
        let clicks = found.new_game.iter().flat_map(Step::parts).filter(|step| matches!(step, Step::Click(_)));
        assert_eq!(clicks.count(), between, "{:?}", found.new_game);
        let mut eyes = [Eyes::new(Arc::new(found.client()))];
        let player = solver::by_name("lowest-risk", &Setup::default()).unwrap();
        let mut over = 0;
        for _ in 0..4 {
            let mut bot = Bot::start(&mut desktop, &mut eyes, Options::default()).unwrap();
            let played = bot.play_game(player.as_ref());
            // A look that was not seen before may keep it from going on.
            over += u32::from(matches!(played.outcome, Outcome::Won | Outcome::Lost));
            let game = bot.desktop().inner().game();
            for (cell, read) in game.board().size().cells().zip(played.trail.back().unwrap().tiles()) {
                let around = game.board().size().neighbours(cell).filter(|other| game.is_mine(*other)).count();
                assert!(read.number().is_none_or(|number| usize::from(number) == around), "{read:?} at {cell}");
            }
            bot.new_game().unwrap();
        }
        assert!(over >= 3, "only {over} of 4 games came to an end");
    }
}

/// A mine that is hit shows, and the game goes on, as where there are lives: it is no number, and ends a game for whoever plays with what was learned.
#[test]
fn a_mine_after_which_the_game_goes_on_is_no_number() {
    let client = bundled("winemine");
    let mut desktop = desktop_with(client, 0, (BoardSize::new(9, 9), 18), 5, |plan| plan.faults.lives = true);
    let mut said = Vec::new();
    let found = learn(&mut desktop, &wishes(), &mut Notes::default(), &mut |news| {
        if let News::Says(text) = news {
            said.push(text.to_owned());
        }
    });
    let found = found.unwrap_or_else(|error| panic!("{error}\n{}", said.join("\n")));
    let shown = found.looks.keys().filter(|tile| tile.is_shown_mine()).count();
    assert!(
        shown == 1 && (0..3).all(|number| found.looks.contains_key(&Tile::Open(number))),
        "{:?}",
        found.looks.keys()
    );
    assert!(played(&found, &mut desktop, "lives") >= 3);
}

/// A client that lets no tile be marked before some are open is asked again then.
#[test]
fn marks_that_come_after_the_first_opening_are_learned() {
    let mut desktop = desktop_with(bundled("winemine"), 0, (BoardSize::new(9, 9), 10), 5, |plan| {
        plan.faults.marks_late = true;
    });
    let found = learn(&mut desktop, &wishes(), &mut Notes::default(), &mut |_| {}).unwrap();
    assert_eq!(found.marks.first(), Some(&Tile::Flag));
    assert!(found.looks.contains_key(&Tile::Flag), "{:?}", found.looks.keys());
    assert!(played(&found, &mut desktop, "late marks") >= 3);
}

/// A client that takes a game for won only when every mine carries a flag asks something then; a new game begins by a key, whatever the last one was.
#[test]
fn flags_that_win_a_game_are_put() {
    for marks_late in [false, true] {
        let mut client = bundled("winemine");
        client.rules.flags_to_win = true;
        client.hands.new_game.retain(|step| matches!(step, Step::Keys(_)));
        client.hands.new_game.truncate(1);
        let skin = Skin::of(&client.themes[0]);
        let mut plan = Plan::new(BoardSize::new(9, 9), 10, skin.natural_pitch(), 6);
        plan.faults = Faults { late: Duration::from_millis(15), dialog: true, marks_late, ..Faults::default() };
        let mut desktop = Guarded::new(Simulated::new(client, skin, plan).unwrap());
        let mut notes = Notes::default();
        let mut found = learn(&mut desktop, &wishes(), &mut notes, &mut |_| {}).unwrap();
        assert!(found.flags_to_win, "marks late: {marks_late}");
        assert_eq!(found.marks.first(), Some(&Tile::Flag));
        let proof = prove(&mut desktop, &mut found, &notes, 6, &mut |_| Ok(()), &mut |_| {}).unwrap();
        assert_eq!((proof.won + proof.lost, proof.given_up), (6, 0));
    }
}

/// The same where a box over the board told of a lost game before, that nothing but the next game took away.
#[test]
fn flags_that_win_a_game_are_put_after_one_that_ended_below_a_box() {
    let mut client = bundled("winemine");
    client.rules.flags_to_win = true;
    (client.hands.new_game, client.hands.uncover) = (Vec::new(), vec![Step::Keys("F2".into())]);
    let skin = Skin::of(&client.themes[0]);
    let mut plan = Plan::new(BoardSize::new(9, 9), 10, skin.natural_pitch(), 9);
    plan.faults = Faults { dialog: true, dialog_begins: true, ..Faults::default() };
    let mut desktop = Guarded::new(Simulated::new(client, skin, plan).unwrap());
    let (mut notes, mut said) = (Notes::default(), Vec::new());
    let found = learn(&mut desktop, &wishes(), &mut notes, &mut |news| {
        if let News::Says(text) = news {
            said.push(text.to_owned());
        }
    });
    let found = found.unwrap_or_else(|error| panic!("{error}\n{}", said.join("\n")));
    assert!(found.flags_to_win, "{}", said.join("\n"));
    assert!(said.iter().any(|text| text.contains("0 won")), "no game was lost first: {}", said.join("\n"));
}

/// A program that was just started has painted nothing yet.
#[test]
fn a_screen_that_is_black_at_first_is_waited_for() {
    let client = bundled("winemine");
    let skin = Skin::of(&client.themes[0]);
    let plan = Plan::new(BoardSize::new(9, 9), 10, skin.natural_pitch(), 5);
    let black = Event { when: When::Look(1), what: What::Black(8) };
    let simulated = Simulated::new(client, skin, plan).unwrap();
    let mut desktop = Guarded::new(Unkind::new(simulated, false, vec![black]));
    let found = learn(&mut desktop, &wishes(), &mut Notes::default(), &mut |_| {}).unwrap();
    assert!(found.looks.contains_key(&Tile::Hidden));
}

/// Where what was learned begins no game, all that may is tried again.
#[test]
fn what_begins_a_game_is_found_once_more() {
    let mut desktop = desktop_with(bundled("winemine"), 0, (BoardSize::new(9, 9), 10), 5, |_| {});
    let mut notes = Notes::default();
    let mut found = learn(&mut desktop, &wishes(), &mut notes, &mut |_| {}).unwrap();
    let step = std::mem::replace(&mut found.new_game, vec![Step::Keys("F9".into())]);
    notes.new_game.clear();
    let proof = prove(&mut desktop, &mut found, &notes, 3, &mut |_| Ok(()), &mut |_| {}).unwrap();
    assert_eq!((proof.won + proof.lost, proof.given_up), (3, 0));
    assert!(step.iter().all(|step| found.new_game.contains(step)), "{step:?} {:?}", found.new_game);
}

/// A board of another size shows after a game: those that are left are played there.
#[test]
fn what_was_learned_is_proved_at_another_level() {
    let client = bundled("winemine");
    let mut desktop = desktop_with(client.clone(), 0, (BoardSize::new(9, 9), 10), 5, |_| {});
    let mut notes = Notes::default();
    let mut found = learn(&mut desktop, &wishes(), &mut notes, &mut |_| {}).unwrap();
    let skin = Skin::of(&client.themes[0]);
    let mut plan = Plan::new(BoardSize::new(9, 9), 10, skin.natural_pitch(), 5);
    plan.screen = (800, 800);
    let larger = Event { when: When::Press(4), what: What::Level(BoardSize::new(16, 16), 40) };
    let mut desktop = Guarded::new(Unkind::new(Simulated::new(client, skin, plan).unwrap(), false, vec![larger]));
    let proof = prove(&mut desktop, &mut found, &notes, 3, &mut |_| Ok(()), &mut |_| {}).unwrap();
    assert_eq!((proof.won + proof.lost, proof.given_up), (2, 1));
    assert_eq!(desktop.inner().happened(), [What::Level(BoardSize::new(16, 16), 40)]);
}

/// "Press F to try again!": nothing else begins a game.
#[test]
fn a_letter_that_begins_a_game_is_found() {
    let mut client = bundled("winemine");
    client.hands.new_game = vec![Step::Keys("f".into())];
    let mut desktop = desktop_of(client, 0, BoardSize::new(9, 9), 10, 5);
    let found = learn(&mut desktop, &wishes(), &mut Notes::default(), &mut |_| {}).unwrap();
    assert_eq!(found.new_game, [Step::Keys("f".into())]);
}

/// In a browser the first thing on the page between games is a link out of the client: it is gone back from there, and nothing else is clicked beyond.
#[test]
fn a_link_out_of_the_client_is_gone_back_from() {
    let mut client = bundled("winemine");
    client.hands.new_game.clear();
    let mut desktop = desktop_with(client, 0, (BoardSize::new(9, 9), 10), 3, |plan| {
        plan.faults.pages = Pages { between: 1, link: true, ..Pages::default() };
        plan.faults.has_others = true;
    });
    let mut said = Vec::new();
    let found = learn(&mut desktop, &wishes(), &mut Notes::default(), &mut |news| {
        if let News::Says(text) = news {
            said.push(text.to_owned());
        }
    });
    let found = found.unwrap_or_else(|error| panic!("{error}\n{}", said.join("\n")));
    let clicks = found.new_game.iter().flat_map(Step::parts).filter(|step| matches!(step, Step::Click(_)));
    assert_eq!((clicks.count(), desktop.inner().astray()), (1, 0), "{:?}", found.new_game);
}

/// The first click is a mine, and a page comes in place of the board before anything of it is seen: what leads to another game is found all the same.
/// In a browser it may as well have been a link, of which nothing is known: it is only loaded again.
#[test]
fn a_first_click_after_which_another_page_shows_is_followed_in_a_program_of_its_own_only() {
    let mut client = bundled("winemine");
    client.rules.first_click = Rule::Any;
    client.hands.new_game.clear();
    let dealt = |seed: u64, has_others: bool| {
        desktop_with(client.clone(), 0, (BoardSize::new(9, 9), 10), seed, |plan| {
            let pages = Pages { between: 1, at_once: true, ..Pages::default() };
            let starts_in = Some(Duration::from_millis(300));
            plan.faults = Faults { pages, has_others, starts_in, ..plan.faults.clone() };
        })
    };
    let is_hit = |seed: &u64| {
        let mut guarded = dealt(*seed, false);
        let desktop = guarded.inner_mut();
        let at = desktop.look(None).unwrap().to_screen(desktop.grid().center(Cell::new(4, 4)));
        desktop.act(&Action::Click(Click { button: Button::Left, at, touch: Touch::default(), with: None })).unwrap();
        desktop.game().state() == State::Lost
    };
    let seed = (0..).find(is_hit).unwrap();
    for has_others in [false, true] {
        let mut desktop = dealt(seed, has_others);
        let learned = learn(&mut desktop, &wishes(), &mut Notes::default(), &mut |_| {});
        if has_others {
            // The click, and the key that loads a page again.
            assert!(learned.is_err() && desktop.inner().presses() == 2, "{} presses", desktop.inner().presses());
        } else {
            let found = learned.unwrap();
            assert!((0..3).all(|number| found.looks.contains_key(&Tile::Open(number))), "{:?}", found.looks.keys());
        }
    }
}

/// What was typed in for a board is lost where the page is loaded again: its own button begins the next game.
#[test]
fn a_page_that_numbers_were_typed_into_is_not_loaded_again() {
    let mut client = bundled("winemine");
    let button = Step::Click(Spot { from: Anchor::TopRight, tiles: [-1.5, -1.0], pixels: [0.0; 2] });
    client.hands.new_game = vec![button.clone()];
    let (size, mines) = (BoardSize::new(9, 9), 10);
    let mut desktop = desktop_with(client, 0, (size, mines), 3, |plan| {
        *plan = Plan { faults: Faults { fields: true, ..plan.faults.clone() }, ..Plan::new(size, mines, 36.0, 3) };
    });
    let found = learn(&mut desktop, &wishes(), &mut Notes::default(), &mut |_| {}).unwrap();
    assert!(!desktop.inner().is_lost());
    assert!(matches!(found.new_game.as_slice(), [Step::Click(_)]), "{:?}", found.new_game);
    assert!((0..3).all(|number| found.looks.contains_key(&Tile::Open(number))), "{:?}", found.looks.keys());
}

fn folder(name: &str) -> std::path::PathBuf {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("calibrate-{name}"));
    std::fs::remove_dir_all(&folder).ok();
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn who_was_stopped_goes_on_from_what_was_kept() {
    let folder = folder("continued");
    let mut desktop = desktop("winemine", 0, BoardSize::new(9, 9), 10, 9);
    let mut notes = Notes::default();
    let one = Wishes { games: 1, ..wishes() };
    let first = learn(&mut desktop, &one, &mut notes, &mut |_| {});
    assert!(matches!(first, Err(GaveUp::TooLittle { games: 1, .. })), "{first:?}");
    notes.save(&folder).unwrap();
    let mut kept = Notes::load(&folder).unwrap().unwrap();
    assert_eq!(kept.evidence.as_looks(&kept.evidence.framed()).len(), 1);
    let looks = |notes: &Notes| notes.evidence.as_looks(&notes.evidence.framed())[0].running.clone();
    let same = |a: &[Option<usize>], b: &[Option<usize>]| {
        (0..a.len()).all(|one| (0..one).all(|other| (a[one] == a[other]) == (b[one] == b[other])))
    };
    assert!(same(&looks(&notes), &looks(&kept)), "tiles that looked alike still do, and others do not");
    // A new game, as the person would begin one.
    let mut desktop = self::desktop("winemine", 0, BoardSize::new(9, 9), 10, 30);
    let found = learn(&mut desktop, &wishes(), &mut kept, &mut |_| {}).unwrap();
    assert!(kept.evidence.games.len() > 1);
    assert!(found.looks.contains_key(&Tile::Open(2)));
}

/// What is drawn smaller is drawn otherwise: its looks are told by themselves, and those of the first level stay.
#[test]
fn another_level_with_smaller_tiles_is_learned_beside_the_first() {
    let folder = folder("levels");
    let all = client::bundled().unwrap();
    let client = client::by_name(&all, "gnome-mines").unwrap();
    let level = |side: u32, mines: u32, pitch: f64, seed: u64| {
        let change =
            |plan: &mut Plan| *plan = Plan { faults: plan.faults.clone(), ..Plan::new(plan.size, mines, pitch, seed) };
        desktop_with(client.clone(), 0, (BoardSize::new(side, side), mines), seed, change)
    };
    let (mut first, mut second) = (level(8, 10, 83.0, 5), level(16, 40, 29.0, 6));
    let mut notes = Notes::default();
    learn(&mut first, &wishes(), &mut notes, &mut |_| {}).unwrap();
    let games = notes.evidence.games.len();
    notes.save(&folder).unwrap();
    let mut notes = Notes::load(&folder).unwrap().unwrap();
    let found = learn(&mut second, &wishes(), &mut notes, &mut |_| {}).unwrap();
    let sizes: Vec<BoardSize> = found.levels.iter().map(|(size, _)| *size).collect();
    assert_eq!(sizes, [BoardSize::new(8, 8), BoardSize::new(16, 16)]);
    for (desktop, name) in [(&mut first, "8x8"), (&mut second, "16x16")] {
        let over = played(&found, desktop, name);
        assert!(over >= 3, "{name}: only {over} of 4 games came to an end");
    }
    // Both are kept, and the first level goes on from its own games.
    notes.save(&folder).unwrap();
    let mut notes = Notes::load(&folder).unwrap().unwrap();
    assert!(notes.turn_to((83.0, 83.0)));
    assert_eq!(notes.evidence.games.len(), games);
    assert!(notes.evidence.games.iter().all(|game| game.running.grid.size() == BoardSize::new(8, 8)));
    assert!(!notes.turn_to((82.0, 84.0)), "a pixel more or less is no other size");
}

/// Hidden tiles may look otherwise from the first click of a game on, all of them at once.
#[test]
fn hidden_tiles_that_are_painted_anew_by_the_first_click_are_still_hidden() {
    let all = client::bundled().unwrap();
    let client = client::by_name(&all, "winemine").unwrap();
    let board = (BoardSize::new(9, 9), 10);
    let mut desktop = desktop_with(client.clone(), 0, board, 21, |plan| {
        (plan.faults.dashes, plan.faults.keyboard) = (true, true);
    });
    let found = learn(&mut desktop, &wishes(), &mut Notes::default(), &mut |_| {}).unwrap();
    let over = played(&found, &mut desktop, "dashes");
    assert!(over >= 3, "only {over} of 4 games came to an end");
}

/// A client may deal a larger board at every new game: what was whole then is not larger now.
#[test]
fn boards_that_are_larger_from_game_to_game_are_each_taken_as_they_are() {
    let all = client::bundled().unwrap();
    let client = client::by_name(&all, "winemine").unwrap();
    let mut desktop = desktop_with(client.clone(), 0, (BoardSize::new(7, 7), 6), 11, |plan| {
        (plan.faults.grows, plan.screen) = (2, (700, 700));
    });
    let mut notes = Notes::default();
    let found = learn(&mut desktop, &wishes(), &mut notes, &mut |_| {}).unwrap();
    let sides: Vec<(u32, u32)> = notes
        .evidence
        .games
        .iter()
        .map(|game| game.running.grid.size())
        .map(|size| (size.width, size.height))
        .collect();
    let expected: Vec<(u32, u32)> = (0..).map(|game| (7 + 2 * game, 7 + 2 * game)).take(sides.len()).collect();
    assert_eq!(sides, expected);
    assert!(sides.len() >= 3, "{sides:?}, {:?}", found.levels);
}

/// A smaller board may lie on the lines of the last one, most of which shows hidden tiles then.
#[test]
fn a_board_that_is_smaller_than_the_last_one_is_taken_as_it_is() {
    let all = client::bundled().unwrap();
    let client = client::by_name(&all, "winemine").unwrap();
    let mut desktop = desktop_with(client.clone(), 0, (BoardSize::new(13, 13), 22), 11, |plan| {
        (plan.faults.grows, plan.screen) = (-2, (700, 700));
    });
    let mut notes = Notes::default();
    learn(&mut desktop, &wishes(), &mut notes, &mut |_| {}).unwrap();
    let sides: Vec<u32> = notes.evidence.games.iter().map(|game| game.running.grid.size().width).collect();
    let expected: Vec<u32> = (0..).map(|game| 13 - 2 * game).take_while(|side| *side >= 9).collect();
    assert_eq!(sides[..expected.len()], expected, "{sides:?}");
}

/// A program that ends with its game is started again, as the person would, until what its games showed is enough.
#[test]
fn a_client_of_which_the_window_closes_is_learned_from_the_games_it_gives() {
    let all = client::bundled().unwrap();
    let client = client::by_name(&all, "winemine").unwrap();
    let mut notes = Notes::default();
    for seed in 40..60 {
        let skin = Skin::of(&client.themes[0]);
        let mut plan = Plan::new(BoardSize::new(9, 9), 10, skin.natural_pitch(), seed);
        plan.faults = Faults { closes: true, late: Duration::from_millis(15), ..Faults::default() };
        let mut desktop = Guarded::new(Simulated::new(client.clone(), skin, plan).unwrap());
        let before = notes.evidence.games.len();
        match learn(&mut desktop, &wishes(), &mut notes, &mut |_| {}) {
            Err(GaveUp::Closed { games }) => assert_eq!((games, games), (notes.evidence.games.len(), before + 1)),
            Err(other) => panic!("{other}"),
            Ok(found) => {
                assert!(found.new_game.is_empty(), "after {before} games: {:?}", found.new_game);
                assert!((0..3).all(|number| found.looks.contains_key(&Tile::Open(number))), "{:?}", found.looks.keys());
                return;
            }
        }
    }
    panic!("not learned in twenty games");
}

/// A client that begins no new game but by being started again, which takes 2.3 seconds.
fn to_be_started_again(seed: u64, faults: Faults) -> Guarded<Simulated> {
    let mut client = bundled("winemine");
    client.hands.new_game.clear();
    client.hands.uncover.clear();
    let (starts_in, late) = (Some(Duration::from_millis(2300)), Duration::from_millis(15));
    let change = |plan: &mut Plan| plan.faults = Faults { starts_in, late, ..faults };
    desktop_with(client, 0, (BoardSize::new(9, 9), 10), seed, change)
}

/// Four games with what was learned come to their end, none of them lost on a tile that was held to be safe.
fn four_games_end(found: &Found, desktop: &mut Guarded<Simulated>, what: &str) {
    let mut eyes = [Eyes::new(Arc::new(found.client()))];
    let player = solver::by_name("lowest-risk", &Setup::default()).unwrap();
    let mut bot = Bot::start(desktop, &mut eyes, Options::default()).unwrap();
    for game in 0..4 {
        bot.new_game().unwrap();
        let played = bot.play_game(player.as_ref());
        assert!(matches!(played.outcome, Outcome::Won | Outcome::Lost), "{what}, {game}: {:?}", played.outcome);
        assert!(played.fatal.is_none_or(|(risk, _)| risk > 0.0), "lost on a tile that was held to be safe");
    }
}

/// A program that ends with its game, or of which nothing begins another, is started again by the bot where the system tells how it was started:
/// while it is learned, and in play. How a game ended of which nothing was seen is known by what was opened last.
#[test]
fn a_program_that_begins_no_new_game_is_started_again() {
    // Also where the screen is black without it.
    for (closes, on_black, seed) in [(true, false, 40), (false, false, 41), (true, true, 42)] {
        let mut desktop = to_be_started_again(seed, Faults { closes, on_black, ..Faults::default() });
        let found = learn(&mut desktop, &wishes(), &mut Notes::default(), &mut |_| {}).unwrap();
        assert_eq!(found.new_game, [Step::Start]);
        four_games_end(&found, &mut desktop, &format!("closes {closes}, black {on_black}"));
    }
}

/// Its first tile looks otherwise then, until the pointer was on one.
#[test]
fn a_program_that_starts_with_a_tile_lit_shows_a_fresh_board() {
    for (closes, seed) in [(true, 40), (false, 41)] {
        let mut desktop = to_be_started_again(seed, Faults { closes, starts_lit: true, ..Faults::default() });
        let found = learn(&mut desktop, &wishes(), &mut Notes::default(), &mut |_| {}).unwrap();
        assert_eq!(found.new_game, [Step::Start]);
    }
}

/// Nothing else begins another either, which takes its time to find out: that is done once.
#[test]
fn a_program_that_deals_the_same_mines_whenever_it_starts_is_learned_by_them() {
    for (closes, seed) in [(true, 40), (false, 41)] {
        let deals_by = Some(Duration::from_secs(1_000_000));
        let mut desktop = to_be_started_again(seed, Faults { closes, deals_by, ..Faults::default() });
        let found = learn(&mut desktop, &wishes(), &mut Notes::default(), &mut |_| {}).unwrap();
        assert_eq!(found.new_game, [Step::Start]);
        assert!(desktop.inner().starts() <= 6, "closes {closes}: started {} times", desktop.inner().starts());
    }
}

/// The same clicks would be made again, and end at the same mine.
#[test]
fn the_mine_that_ended_a_game_twice_is_left_alone_where_the_same_mines_are_dealt() {
    let mut learned = 0;
    for seed in 40..46 {
        let deals_by = Some(Duration::from_secs(1_000_000));
        let change = |plan: &mut Plan| plan.faults.deals_by = deals_by;
        let mut desktop = desktop_with(bundled("winemine"), 0, (BoardSize::new(9, 9), 25), seed, change);
        let Ok(found) = learn(&mut desktop, &wishes(), &mut Notes::default(), &mut |_| {}) else { continue };
        learned += 1;
        let mut eyes = [Eyes::new(Arc::new(found.client()))];
        let player = solver::by_name("lowest-risk", &Setup::default()).unwrap();
        let mut bot = Bot::start(&mut desktop, &mut eyes, Options::default()).unwrap();
        let played = bot.play_game(player.as_ref());
        let game = bot.desktop().inner().game();
        for (cell, read) in game.board().size().cells().zip(played.trail.back().unwrap().tiles()) {
            let around = game.board().size().neighbours(cell).filter(|other| game.is_mine(*other)).count();
            assert!(read.number().is_none_or(|number| usize::from(number) == around), "{seed}: {read:?} at {cell}");
        }
    }
    assert!(learned >= 5, "of 6 only {learned} were learned");
}

/// Escape ends some programs: it takes nothing away that covers a board, though nothing covers it then.
#[test]
fn a_key_that_ends_the_program_is_not_kept() {
    let mut desktop = to_be_started_again(41, Faults { shade: true, escape_ends: true, ..Faults::default() });
    let mut notes = Notes::default();
    let found = learn(&mut desktop, &wishes(), &mut notes, &mut |_| {}).unwrap();
    assert!(desktop.inner().starts() > 0 && found.new_game == [Step::Start], "{:?}", found.new_game);
    assert!(!notes.uncover.contains(&Step::Keys("Escape".into())), "{:?}", notes.uncover);
}

/// The same where a page shows first: its button is a part of what begins a game.
#[test]
fn a_program_that_is_started_again_may_show_a_page_before_its_board() {
    for (closes, seed) in [(true, 40), (false, 41)] {
        let pages = Pages { before: 1, ..Pages::default() };
        let mut desktop = to_be_started_again(seed, Faults { closes, pages, ..Faults::default() });
        let wishes = pointed(&mut desktop);
        let found = learn(&mut desktop, &wishes, &mut Notes::default(), &mut |_| {}).unwrap();
        let is_way = |step: &Step| matches!(step.parts()[..], [Step::Start, Step::Wait(_), Step::Click(_)]);
        assert!(found.new_game.iter().all(is_way) && found.new_game.len() == 1, "{:?}", found.new_game);
        four_games_end(&found, &mut desktop, &format!("closes {closes}"));
    }
}

/// Ctrl+N opens a window in a browser: it is not typed into what has started other programs.
#[test]
fn what_opens_windows_elsewhere_is_not_typed_where_the_program_shows_more_than_the_client() {
    let all = client::bundled().unwrap();
    let client = client::by_name(&all, "kmines").unwrap();
    let begins = |has_others: bool| {
        let change = |plan: &mut Plan| {
            (plan.faults.has_others, plan.faults.starts_in) = (has_others, Some(Duration::from_millis(300)));
        };
        let mut desktop = desktop_with(client.clone(), 0, (BoardSize::new(9, 9), 10), 9, change);
        let mut notes = Notes::default();
        drop(learn(&mut desktop, &wishes(), &mut notes, &mut |_| {}));
        notes.new_game
    };
    let key = Step::Keys("ctrl+n".into());
    assert_eq!(begins(false), [key]);
    assert_eq!(begins(true), []);
}

#[test]
fn notes_that_were_tampered_with_are_refused() {
    let folder = folder("tampered");
    assert!(Notes::load(&folder).unwrap().is_none());
    let mut desktop = desktop("winemine", 0, BoardSize::new(9, 9), 10, 9);
    let mut notes = Notes::default();
    learn(&mut desktop, &Wishes { games: 1, ..wishes() }, &mut notes, &mut |_| {}).map(|_| ()).unwrap_err();
    notes.save(&folder).unwrap();
    let path = folder.join("notes.json");
    let text = std::fs::read_to_string(&path).unwrap();
    let spoilt = [
        text.replace("\"picture\":\"", "\"picture\":\"../"),
        text.replace("\"columns\":[", "\"columns\":[-500.0,"),
        text.replace("\"columns\":[", "\"columns\":[1e300,"),
        text.replace("\"clicked\":[", "\"clicked\":[4000000000,"),
        text[..text.len() / 2].to_owned(),
    ];
    for spoilt in spoilt {
        assert_ne!(spoilt, text);
        std::fs::write(&path, spoilt).unwrap();
        let error = Notes::load(&folder).unwrap_err().to_string();
        assert!(error.contains("notes.json"), "{error}");
    }
}

/// Pictures of which a page speaks are not written over before there is another page, and go when none speaks of them.
#[test]
fn notes_that_are_cut_off_while_they_are_written_are_those_before() {
    let folder = folder("cut-off");
    let seen = |seed: u64| {
        let mut desktop = desktop("winemine", 0, BoardSize::new(9, 9), 10, seed);
        let mut notes = Notes::default();
        // Whether one game is enough does not matter.
        drop(learn(&mut desktop, &Wishes { games: 1, ..wishes() }, &mut notes, &mut |_| {}));
        notes
    };
    let pictures = |notes: &Notes| -> Vec<image::RgbaImage> {
        let games = notes.evidence.games.iter();
        games.flat_map(|game| [game.running.picture.clone(), game.ending.picture.clone()]).collect()
    };
    let files = || {
        let names = std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path());
        names.filter(|path| path.extension().is_some_and(|end| end == "png")).collect::<Vec<_>>()
    };
    seen(9).save(&folder).unwrap();
    let (first, count) = (Notes::load(&folder).unwrap().unwrap(), files().len());
    assert!(count > 2);
    let second = seen(8);
    assert_ne!(pictures(&second).len(), 0);
    // Its page cannot be written.
    std::fs::create_dir(folder.join("draft.json")).unwrap();
    let error = second.save(&folder).unwrap_err().to_string();
    assert!(error.contains("draft.json"), "{error}");
    let kept = Notes::load(&folder).unwrap().unwrap();
    assert!(pictures(&kept) == pictures(&first));
    std::fs::remove_dir(folder.join("draft.json")).unwrap();
    std::fs::write(folder.join("believed.png"), "a picture of the person's").unwrap();
    Notes::default().save(&folder).unwrap();
    assert_eq!(files(), [folder.join("believed.png")]);
}

/// A screenshot of the fixtures, with or without what is on it.
fn saved(name: &str, has_truth: bool) -> Saved {
    let path = format!("{}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
    let truth = std::fs::read_to_string(format!("{path}.board")).unwrap().parse().unwrap();
    let picture = image::open(format!("{path}.png")).unwrap().into_rgba8();
    Saved { name: name.into(), picture, truth: has_truth.then_some(truth) }
}

#[test]
fn screenshots_show_looks_and_what_they_mean() {
    for has_truth in [true, false] {
        let names = ["beginner-0-start", "beginner-0-mid", "beginner-1-mid", "beginner-0-late", "beginner-2-mid"];
        let pictures: Vec<Saved> = names.iter().map(|name| saved(&format!("sgt-mines/{name}"), has_truth)).collect();
        let found = from_pictures("learned", &pictures, &mut |_| {}).unwrap();
        let mut eyes = Eyes::new(Arc::new(found.client()));
        for name in names {
            let Saved { picture, truth, .. } = saved(&format!("sgt-mines/{name}"), true);
            let shot = minesight::screenshot::Screenshot::from_picture(picture);
            let Ok(sight) = eyes.find(&shot) else { continue };
            let reading = eyes.read(&shot, &sight);
            for (read, truth) in reading.tiles.iter().zip(truth.unwrap().tiles()) {
                assert!(read.tile == *truth || read.tile == Tile::Unrecognised, "{name}: {:?} is {truth:?}", read.tile);
            }
        }
        let known = |tile| found.looks.contains_key(&tile);
        assert!(known(Tile::Hidden) && (!has_truth || known(Tile::Open(1)) && known(Tile::Open(2))), "{has_truth}");
    }
}

#[test]
fn a_screenshot_that_was_labelled_wrongly_is_noticed() {
    let names = ["beginner-0-mid", "beginner-0-start", "beginner-1-mid", "beginner-2-mid", "beginner-0-late"];
    let mut pictures: Vec<Saved> = names.iter().map(|name| saved(&format!("sgt-mines/{name}"), true)).collect();
    let truth = pictures[1].truth.as_ref().unwrap();
    let text: String = truth.to_string().chars().map(|letter| if letter == '#' { 'F' } else { letter }).collect();
    // The first line says the size.
    let text = format!("{}\n{}", truth.to_string().lines().next().unwrap(), text.split_once('\n').unwrap().1);
    pictures[1].truth = Some(text.parse().unwrap());
    let error = from_pictures("learned", &pictures, &mut |_| {}).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("beginner-0-start at") && error.contains("'F'"), "{error}");
}

/// Plays with eyes that miss the pictures of some numbers: so many games until none of what shows is unrecognised, for three games.
fn learned_on_the_job(client: &str, theme: usize, missing: &str, size: BoardSize, mines: u32) -> usize {
    let mut desktop = desktop(client, theme, size, mines, 77);
    let all = client::bundled().unwrap();
    let mut known = client::by_name(&all, client).unwrap().clone();
    known.rules.flags_to_win = false; // nor does the one that is played
    for theme in &mut known.themes {
        theme.tiles.retain(|look, _| !missing.contains(*look));
        theme.pictures.retain(|picture| !missing.contains(picture.tile.to_char()));
    }
    let player = solver::by_name("lowest-risk", &Setup::default()).unwrap();
    let (mut unknown, mut clean) = (Unknown::default(), 0);
    let mut eyes = [Eyes::new(Arc::new(known.clone()))];
    for game in 0..40 {
        if clean == 3 {
            return game - clean;
        }
        let mut bot = Bot::start(&mut desktop, &mut eyes, Options::default()).unwrap();
        let played = bot.play_game(player.as_ref());
        assert!(played.fatal.is_none_or(|(risk, _)| risk > 0.0), "lost on a tile that was held to be safe");
        assert!(played.effort.clicks > 0, "game {game} is the one before: {:?}", played.outcome);
        let shown = played.trail.back().unwrap().tiles();
        let painted = bot.desktop().inner().painted();
        for (read, truth) in shown.iter().zip(&painted).filter(|(read, _)| **read != Tile::Unrecognised) {
            assert!(read == truth || read.is_shown_mine() && truth.is_shown_mine(), "{read:?} is {truth:?}");
        }
        let is_over = matches!(played.outcome, Outcome::Won | Outcome::Lost);
        clean = if is_over && !shown.contains(&Tile::Unrecognised) { clean + 1 } else { 0 };
        if !is_over {
            println!("  game {game}: {:?}", played.outcome);
        }
        bot.new_game().unwrap();
        let learned = unknown.see(&played);
        for look in &learned {
            println!(
                "  game {game}: {:?} on {:?} tiles and games, wrong with {:.0e}",
                look.tile, look.seen, look.wrong
            );
        }
        known = with_pictures(&known, &learned);
        if !learned.is_empty() {
            eyes = [Eyes::new(Arc::new(known.clone()))];
        }
    }
    panic!("not learned in 40 games");
}

#[test]
fn a_rare_number_is_learned_while_it_is_played() {
    for (client, missing) in [("winemine", "345678"), ("gnome-mines", "345678"), ("xdemineur", "45678")] {
        let games = learned_on_the_job(client, 0, missing, BoardSize::new(16, 16), 40);
        println!("{client} without {missing}: {games} games");
    }
}
