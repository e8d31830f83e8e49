//! A client is learned from nothing, on the built-in one in several looks and with several manners: no label may be wrong, and
//! what was learned must read every board of it.

use minesight::bot::{Bot, Options, Outcome};
use minesight::calibrate::notes::Notes;
use minesight::calibrate::{GaveUp, News, Wishes, learn};
use minesight::client;
use minesight::desktop::Guarded;
use minesight::desktop::simulated::{Faults, Plan, Simulated, Skin};
use minesight::geometry::BoardSize;
use minesight::solver::{self, Setup};
use minesight::vision::Eyes;
use std::sync::Arc;
use std::time::Duration;

fn wishes() -> Wishes {
    Wishes { name: "learned".into(), at: None, new_game: None, games: 10, time: Duration::from_secs(3600) }
}

fn desktop(name: &str, theme: usize, size: BoardSize, mines: u32, seed: u64) -> Guarded<Simulated> {
    let all = client::bundled().unwrap();
    let mut client = client::by_name(&all, name).unwrap().clone();
    let skin = Skin::of(&client.themes[theme]);
    // What begins a new game there may take several steps; what is learned is one.
    client.hands.new_game.retain(|step| !matches!(step, client::Step::Wait(_)));
    client.hands.new_game.truncate(1);
    client.rules.flags_to_win = false;
    let mut plan = Plan::new(size, mines, skin.natural_pitch(), seed);
    plan.faults = Faults { late: Duration::from_millis(15), ..Faults::default() };
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
    let mut eyes = [Eyes::new(Arc::new(found.client()))];
    let player = solver::by_name("lowest-risk", &Setup::default()).unwrap();
    let mut over = 0;
    for _ in 0..4 {
        let mut bot = Bot::start(&mut desktop, &mut eyes, Options::default()).unwrap();
        bot.new_game().unwrap();
        let played = bot.play_game(player.as_ref());
        // A number that was not seen before may keep it from going on: it must not be taken for another.
        over += u32::from(matches!(played.outcome, Outcome::Won | Outcome::Lost));
        assert!(played.fatal.is_none_or(|(risk, _)| risk > 0.0), "{name}: lost on a tile that was held to be safe");
        let last = played.trail.back().unwrap();
        let painted = desktop.inner().painted();
        for (read, truth) in last.tiles().iter().zip(&painted) {
            let is_mine = read.is_shown_mine() && truth.is_shown_mine();
            assert!(
                read == truth || is_mine || *read == minesight::board::Tile::Unrecognised,
                "{name}: {read:?} is {truth:?}"
            );
        }
    }
    assert!(over >= 3, "{name}: only {over} of 4 games came to an end\n{}", said.join("\n"));
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

#[test]
fn nothing_is_learned_where_nothing_is() {
    let mut desktop = desktop("winemine", 0, BoardSize::new(3, 3), 1, 1);
    let error = learn(&mut desktop, &wishes(), &mut Notes::default(), &mut |_| {}).unwrap_err();
    assert!(matches!(error, GaveUp::NoBoard | GaveUp::Deaf(_)), "{error}");
    assert!(desktop.inner().presses() <= 15, "{} presses", desktop.inner().presses());
}
