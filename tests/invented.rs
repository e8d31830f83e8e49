//! Clients that nobody made are learned from nothing: fourteen skins, each way to lose and to win, fractional scales. No label may be
//! wrong, and what was learned must read every board.
//!
//! `cargo test --test invented -- --nocapture` prints the table of `results/learning.md`.

mod skins;

use minesight::board::Tile;
use minesight::bot::{Bot, Options, Outcome};
use minesight::calibrate::notes::Notes;
use minesight::calibrate::{News, Wishes, learn};
use minesight::client::{self, Client, Step};
use minesight::desktop::Guarded;
use minesight::desktop::simulated::{End, Faults, Loss, Plan, Simulated, Skin, Win};
use minesight::geometry::BoardSize;
use minesight::solver::{self, Setup};
use minesight::vision::Eyes;
use std::sync::Arc;
use std::time::Duration;

/// A client of no particular manners: F2 begins a new game.
fn manners() -> Client {
    let all = client::bundled().unwrap();
    let mut client = client::by_name(&all, "winemine").unwrap().clone();
    client.hands.new_game = vec![Step::Keys("F2".into())];
    client.hands.uncover = vec![Step::Keys("Escape".into())];
    client
}

struct Case {
    name: String,
    skin: Skin,
    scale: f64,
    end: End,
    faults: Faults,
}

/// What came of one: the games it took, or why it was given up; the labels; games with it that came to an end, of four.
fn learned(case: &Case, seed: u64) -> Result<String, String> {
    let mut plan = Plan::new(BoardSize::new(9, 9), 10, case.skin.natural_pitch() * case.scale, seed);
    (plan.end, plan.faults) = (case.end, case.faults.clone());
    let mut desktop = Guarded::new(Simulated::new(manners(), case.skin.clone(), plan).unwrap());
    let wishes =
        Wishes { name: "learned".into(), at: None, new_game: None, games: 12, time: Duration::from_secs(3600) };
    let (mut said, mut notes) = (Vec::new(), Notes::default());
    let found = learn(&mut desktop, &wishes, &mut notes, &mut |news| {
        if let News::Says(text) = news {
            said.push(text.to_owned());
        }
    });
    let found = found.map_err(|error| format!("{error}\n{}", said.join("\n")))?;
    let labels: String = found.looks.keys().map(|tile| tile.to_char()).collect();
    let mut eyes = [Eyes::new(Arc::new(found.client()))];
    let player = solver::by_name("lowest-risk", &Setup::default()).unwrap();
    if std::env::var("INVENTED").is_ok() {
        println!("{}", said.join("\n"));
        notes.save(std::path::Path::new("target/invented")).unwrap();
        found.write(std::path::Path::new("target/invented")).unwrap();
    }
    let mut over = 0;
    let games = notes.evidence.games.len();
    for _ in 0..4 {
        let mut bot = Bot::start(&mut desktop, &mut eyes, Options::default()).map_err(|error| error.to_string())?;
        let played = bot.play_game(player.as_ref());
        if let Outcome::Aborted(why) = &played.outcome {
            println!("  {}: {why}", case.name);
        }
        over += u32::from(matches!(played.outcome, Outcome::Won | Outcome::Lost));
        assert!(
            played.fatal.is_none_or(|(risk, _)| risk > 0.0),
            "{}: lost on a tile that was held to be safe",
            case.name
        );
        if let Some(last) = played.trail.back() {
            check(&case.name, &last.tiles(), &bot.desktop().inner().painted());
        }
        bot.new_game().map_err(|error| error.to_string())?;
    }
    Ok(format!("{games} games, {labels}, {over} of 4 games with it came to their end"))
}

/// No tile was read wrongly: at most not at all.
fn check(name: &str, read: &[Tile], painted: &[Tile]) {
    for (read, truth) in read.iter().zip(painted) {
        let is_mine = read.is_shown_mine() && truth.is_shown_mine();
        assert!(read == truth || is_mine || *read == Tile::Unrecognised, "{name}: {read:?} is {truth:?}");
    }
}

/// All of these are learned, but so many.
fn all_learned(cases: Vec<Case>, failures: usize) {
    let mut failed = Vec::new();
    // One alone: INVENTED=tiny cargo test --test invented
    let only = std::env::var("INVENTED").unwrap_or_default();
    for (index, case) in cases.iter().enumerate().filter(|(_, case)| case.name.contains(&only)) {
        match learned(case, 11 + index as u64) {
            Ok(what) => println!("| {} | {what} |", case.name),
            Err(why) => {
                println!("| {} | given up: {why} |", case.name);
                failed.push(format!("{}: {why}", case.name));
            }
        }
    }
    assert!(failed.len() <= failures, "{}", failed.join("\n\n"));
}

fn patient() -> Faults {
    Faults { late: Duration::from_millis(15), ..Faults::default() }
}

#[test]
fn invented_skins_are_learned() {
    let cases = skins::invented().into_iter().map(|(name, skin)| Case {
        name: name.into(),
        skin,
        scale: 1.0,
        end: End::default(),
        faults: patient(),
    });
    all_learned(cases.collect(), 0);
}

/// The ground around a board that looks like hidden tiles answers no click: the board ends where it does.
#[test]
fn a_board_is_not_grown_onto_a_ground_that_looks_like_it() {
    whole(skins::like_its_ground(), BoardSize::new(9, 9), 10);
}

/// What the first clicks change may be the lower part of tiles only.
#[test]
fn a_grid_is_not_moved_to_where_tiles_change_most() {
    whole(skins::faded(), BoardSize::new(10, 10), 15);
}

/// Where hidden tiles look otherwise by turns, so do their flags.
#[test]
fn a_flag_is_learned_on_both_tones() {
    let (_, skin) = skins::invented().into_iter().find(|(name, _)| *name == "chequered ground").unwrap();
    let mut plan = Plan::new(BoardSize::new(9, 9), 10, skin.natural_pitch(), 24);
    plan.faults = patient();
    let mut desktop = Guarded::new(Simulated::new(manners(), skin, plan).unwrap());
    let wishes = Wishes { name: "learned".into(), at: None, new_game: None, games: 3, time: Duration::from_secs(3600) };
    let found = learn(&mut desktop, &wishes, &mut Notes::default(), &mut |_| {}).unwrap();
    assert_eq!(found.looks[&Tile::Flag].0.len(), 2);
}

/// A board that is learned with all of its columns and rows.
fn whole(skin: Skin, size: BoardSize, mines: u32) {
    let mut plan = Plan::new(size, mines, skin.natural_pitch(), 24);
    plan.faults = patient();
    let mut desktop = Guarded::new(Simulated::new(manners(), skin, plan).unwrap());
    let wishes =
        Wishes { name: "learned".into(), at: None, new_game: None, games: 12, time: Duration::from_secs(3600) };
    let found = learn(&mut desktop, &wishes, &mut Notes::default(), &mut |_| {}).unwrap();
    assert_eq!((found.size, found.levels.clone()), (size, vec![(size, mines)]));
    assert!((0..3).all(|number| found.looks.contains_key(&Tile::Open(number))));
}

#[test]
fn at_fractional_scales_too() {
    let scales = [1.25, 1.5, 1.75];
    let cases = skins::invented().into_iter().take(3).zip(scales).map(|((name, skin), scale)| Case {
        name: format!("{name} at {scale}"),
        skin,
        scale,
        end: End::default(),
        faults: patient(),
    });
    all_learned(cases.collect(), 0);
}

#[test]
fn every_way_to_lose_and_to_win_is_learned() {
    let (_, skin) = skins::invented().swap_remove(0);
    let losses = [Loss::Mines, Loss::Hit, Loss::Nothing, Loss::Board, Loss::Dark];
    let ends = losses.into_iter().map(|loss| End { loss, win: Win::Nothing });
    let ends = ends.chain([Win::Flags, Win::Mines].map(|win| End { loss: Loss::Mines, win }));
    let mut cases: Vec<Case> = ends
        .map(|end| Case { name: format!("{end:?}"), skin: skin.clone(), scale: 1.0, end, faults: patient() })
        .collect();
    let manners = [
        ("lighter below the pointer", Faults { hover: true, ..patient() }),
        ("hidden tiles light up below the pointer", Faults { lights_up: true, ..patient() }),
        ("a line around the tile after the one that was opened", Faults { keyboard: true, ..patient() }),
        ("a flood tile by tile", Faults { piecemeal: Duration::from_millis(12), ..patient() }),
        ("a flood that rests longer than others take", Faults { piecemeal: Duration::from_millis(250), ..patient() }),
        ("a press in nine is lost", Faults { lose_every: Some(9), ..patient() }),
        ("the pointer is asked for seldom", Faults { polls: Duration::from_millis(50), ..patient() }),
        ("a plain dialog at the end", Faults { dialog: true, ..patient() }),
        ("a shade over the board at the end", Faults { shade: true, ..patient() }),
    ];
    cases.extend(manners.into_iter().map(|(name, faults)| Case {
        name: name.into(),
        skin: skin.clone(),
        scale: 1.0,
        end: End::default(),
        faults,
    }));
    all_learned(cases, 0);
}
