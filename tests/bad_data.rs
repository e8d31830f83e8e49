//! Whatever is in a file or on the command line: an error or a warning, never a panic, and it ends soon. Files that are right are
//! changed at random places; `CASES=1000000 cargo test --release --no-default-features --test bad_data` tries more.

use clap::Parser;
use image::{Rgba, RgbaImage, imageops};
use minesight::board::Board;
use minesight::cli::Cli;
use minesight::client;
use minesight::desktop::Keys;
use minesight::screenshot::Screenshot;
use minesight::session::{self, Pictures};
use minesight::vision::Eyes;
use minesight::{film, runs};
use proptest::prelude::*;
use proptest::test_runner::Config;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn cases(usual: u32) -> Config {
    let cases = std::env::var("CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(usual);
    Config { cases, failure_persistence: None, max_shrink_iters: 200, ..Config::default() }
}

/// A folder of its own for a test, gone afterwards.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("minesight-bad-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Words that were trouble in one place or another.
const WORDS: [&str; 25] = [
    "",
    "[]",
    "{}",
    "null",
    "nan",
    "inf",
    "-1",
    "0",
    "1e999",
    "4294967295",
    "4294967296",
    "9223372036854775808",
    "18446744073709551616",
    "0.5",
    "\"../../x\"",
    "\"/etc/passwd\"",
    "..",
    "\n",
    "\"",
    ",",
    "true",
    "\u{0}",
    "é",
    "[[",
    "=",
];

/// What is put in place of some characters: words that were trouble, and anything.
fn rubbish() -> impl Strategy<Value = String> {
    prop_oneof![proptest::sample::select(&WORDS[..]).prop_map(str::to_owned), ".{0,4}",]
}

/// Changes of a text: at a share of its length, so many characters give way to something else.
fn changes() -> impl Strategy<Value = Vec<(f64, usize, String)>> {
    proptest::collection::vec((0.0..1.0f64, 0..12usize, rubbish()), 1..4)
}

fn changed(text: &str, changes: &[(f64, usize, String)]) -> String {
    changes.iter().fold(text.to_owned(), |text, (at, length, with)| {
        let characters: Vec<char> = text.chars().collect();
        let from = (characters.len() as f64 * at) as usize;
        let to = (from + length).min(characters.len());
        characters[..from].iter().collect::<String>() + with + &characters[to..].iter().collect::<String>()
    })
}

fn in_project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn text_of(path: &str) -> String {
    std::fs::read_to_string(in_project(path)).unwrap()
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn board_text(changes in changes()) {
        let text = changed("9 9 10\n#########\n#11111###\n#1...1F##\n#########\n#?*Xx~###\n", &changes);
        if let Ok(board) = text.parse::<Board>() {
            let again: Board = board.to_string().parse().unwrap();
            prop_assert_eq!(again.tiles(), board.tiles());
        }
    }

    #[test]
    fn names_of_keys(text in prop_oneof![
        ".{0,12}",
        proptest::collection::vec(proptest::sample::select(vec![
            "ctrl", "shift", "alt", "meta", "+", "++", "F2", "F99", "Return", "Escape", "n", "é", " ", "",
        ]), 0..6).prop_map(|words| words.concat()),
    ]) {
        let _ = text.parse::<Keys>();
    }

    #[test]
    fn command_lines(words in proptest::collection::vec(prop_oneof![
        proptest::sample::select(vec![
            "play", "simulate", "analyze", "read", "replay", "report", "clients", "doctor", "--games", "--seed", "--size",
            "--mines", "--for", "--wait", "--max-risk", "--think", "--sweep", "density=0:1:0", "size=5:60:5", "30x16", "--area",
            "--start", "3,4", "-", "--simulated", "--faults", "--json", "--level", "expert",
        ]).prop_map(str::to_owned),
        rubbish(),
    ], 0..8)) {
        let _ = Cli::try_parse_from(std::iter::once("minesight".to_owned()).chain(words));
    }
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn records(changes in changes()) {
        let scratch = Scratch::new("records");
        let (header, games) = (text_of("tests/sessions/xbomb/run.toml"), text_of("tests/sessions/xbomb/games.jsonl"));
        std::fs::write(scratch.0.join("run.toml"), &header).unwrap();
        std::fs::write(scratch.0.join("games.jsonl"), changed(&games, &changes)).unwrap();
        let run = runs::load(&scratch.0).unwrap();
        prop_assert!(run.games.iter().all(|game| game.width <= 10_000 && game.height <= 10_000));
        std::fs::write(scratch.0.join("run.toml"), changed(&header, &changes)).unwrap();
        let _ = runs::load(&scratch.0);
    }

}

proptest! {
    // Every time all bundled pictures are loaded, too.
    #![proptest_config(cases(40))]

    #[test]
    fn calibrations(changes in changes(), which in 0..3usize) {
        let scratch = Scratch::new("calibrations");
        let file = ["freesweep.toml", "winemine.toml", "xbomb.toml"][which];
        std::fs::write(scratch.0.join(file), changed(&text_of(&format!("calibration/{file}")), &changes)).unwrap();
        let _ = client::load(Some(&scratch.0), None);
    }
}

/// A screenshot with rectangles of one colour, or of another part of it, put over it, and cut off.
fn spoilt(shot: &RgbaImage, spots: &[Spot], (width, height): (f64, f64)) -> RgbaImage {
    let mut shot = shot.clone();
    let (across, down) = (f64::from(shot.width()), f64::from(shot.height()));
    for (place, size, from, colour) in spots {
        let at = |share: (f64, f64)| ((across * share.0) as u32, (down * share.1) as u32);
        let ((left, top), (width, height), (x, y)) = (at(*place), at(*size), at(*from));
        let part = match colour {
            Some(colour) => RgbaImage::from_pixel(width, height, Rgba(*colour)),
            None => imageops::crop_imm(&shot, x, y, width, height).to_image(),
        };
        imageops::replace(&mut shot, &part, left.into(), top.into());
    }
    imageops::crop_imm(&shot, 0, 0, (across * width) as u32, (down * height) as u32).to_image()
}

/// Where, how large, copied from where, or in which colour.
type Spot = ((f64, f64), (f64, f64), (f64, f64), Option<[u8; 4]>);

fn spots() -> impl Strategy<Value = Vec<Spot>> {
    let share = || (0.0..1.0f64, 0.0..1.0f64);
    let size = (0.0..0.5f64, 0.0..0.5f64);
    proptest::collection::vec((share(), size, share(), proptest::option::of(any::<[u8; 4]>())), 0..6)
}

proptest! {
    #![proptest_config(cases(150))]

    /// What is read of it, if anything is, keeps the rules, or is an error.
    #[test]
    fn pictures(which in 0..PICTURES.len(), spots in spots(), part in (0.0..1.0f64, 0.0..1.0f64)) {
        let (client, path) = PICTURES[which];
        let picture = image::open(in_project(path)).unwrap().into_rgba8();
        let shot = Screenshot::from_picture(spoilt(&picture, &spots, (1.0 - part.0.powi(4), 1.0 - part.1.powi(4))));
        let mut eyes = EYES.with(|eyes| eyes.iter().find(|eyes| eyes.client().name == client).unwrap().clone());
        if let Ok(sight) = eyes.find(&shot) {
            let reading = eyes.read(&shot, &sight);
            prop_assert_eq!(reading.tiles.len(), sight.grid.size().tiles());
            let _ = eyes.mines_left(&shot, &reading);
            let _ = reading.board(None);
        }
    }
}

const PICTURES: [(&str, &str); 3] = [
    ("winemine", "tests/fixtures/winemine/beginner-0-late.png"),
    ("gnome-mines", "tests/fixtures/gnome-mines/beginner-0-late.png"),
    ("xdemineur", "tests/fixtures/xdemineur/beginner-0-early.png"),
];

thread_local! {
    static EYES: Vec<Eyes> = client::bundled().unwrap().into_iter().map(|client| Eyes::new(Arc::new(client))).collect();
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn sessions(changes in changes()) {
        let scratch = Scratch::new("sessions");
        let text = changed(&text_of("tests/sessions/xbomb/session.jsonl"), &changes);
        std::fs::write(scratch.0.join("session.jsonl"), text).unwrap();
        let frames = scratch.0.join("frames/000001");
        std::fs::create_dir_all(&frames).unwrap();
        for entry in std::fs::read_dir(in_project("tests/sessions/xbomb/frames/000001")).unwrap() {
            let entry = entry.unwrap();
            std::fs::copy(entry.path(), frames.join(entry.file_name())).unwrap();
        }
        let Ok(session) = session::load(&scratch.0) else { return Ok(()) };
        for game in &session.games {
            let mut pictures = Pictures::default();
            for (line, entry) in &game.lines {
                if let session::Event::Look(look) = &entry.event {
                    let _ = game.picture(&mut pictures, *line, look);
                }
            }
            let _ = game.moments(|moment| assert_eq!(moment.grid.size(), moment.board.size()));
            let _ = film::film(game, &scratch.0.join("film.gif"));
        }
    }
}

/// What was once trouble, each with what is said of it.
#[test]
fn calibrations_that_were_trouble() {
    let scratch = Scratch::new("trouble");
    let (calibration, file) = (scratch.0.join("calibration"), scratch.0.join("calibration/winemine.toml"));
    std::fs::create_dir_all(&calibration).unwrap();
    let text = text_of("calibration/winemine.toml");
    let with = |place: &str, more: &str| {
        assert!(text.contains(place), "{place}");
        text.replacen(place, &format!("{place}\n{more}"), 1)
    };
    for (text, complaint) in [
        (text.replacen("name = \"winemine\"", "name = \"../winemine\"", 1), "another folder"),
        (text.replacen("name = \"winemine\"", "name = \"/winemine\"", 1), "another folder"),
        (with("[[theme]]", "tint = nan"), "tint must lie between 0 and 255"),
        (with("[[theme]]", "fixed = { looks = \"#\", lines = [4294967295, 4294967295] }"), "no line is wider"),
        (with("[hands]", "hold_ms = 99999999999"), "a button is held for 2000 ms at most"),
        (with("[hands]", "first_paint_ms = 99999999999"), "nothing is waited for longer"),
        (with("[hands]", "park = { from = \"top\", tiles = [inf, 0.0] }"), "too far from the board"),
        (text.replacen("\"question\"]", "\"qestion\"]", 1), "is no mark"),
    ] {
        std::fs::write(&file, text).unwrap();
        let error = client::load(Some(&calibration), None).unwrap_err().to_string();
        assert!(error.contains("winemine.toml") && error.contains(complaint), "{error}");
    }
}

#[test]
fn lines_of_sessions_that_were_trouble() {
    let scratch = Scratch::new("lines");
    let text = text_of("tests/sessions/xbomb/session.jsonl");
    let look = text.lines().find(|line| line.contains("\"frame\":\"00001.png\"")).unwrap();
    let reading = text.lines().find(|line| line.contains("\"columns\":[")).unwrap();
    let columns = reading.find("\"columns\":[").unwrap();
    let columns = &reading[columns..columns + reading[columns..].find(']').unwrap() + 1];
    for (was, is, complaint) in [
        (columns, "\"columns\":[]", "its grid has no tiles"),
        (columns, "\"columns\":[1.0,1e300]", "its grid has no tiles"),
        ("\"frame\":\"00001.png\"", "\"frame\":\"../../../00001.png\"", "no picture in the game's folder"),
        ("\"frame\":\"00001.png\"", "\"frame\":\"/etc/passwd\"", "no picture in the game's folder"),
        ("\"scale\":1.0", "\"scale\":0.0", "no screen has"),
    ] {
        assert!(look.contains(was) || reading.contains(was), "{was}");
        std::fs::write(scratch.0.join("session.jsonl"), text.replacen(was, is, 1)).unwrap();
        let session = session::load(&scratch.0).unwrap();
        assert!(session.warnings.iter().any(|warning| warning.contains(complaint)), "{was}: {:?}", session.warnings);
        assert!(session.warnings[0].contains("session.jsonl:"), "{:?}", session.warnings);
    }
}

#[test]
fn a_session_of_another_version_says_so_and_costs_no_other_game() {
    let scratch = Scratch::new("version");
    let text = text_of("tests/sessions/xbomb/session.jsonl");
    let second = text.lines().next().unwrap().replacen("\"game\":1", "\"game\":2", 1);
    let foreign = second.replacen(env!("CARGO_PKG_VERSION"), "99.0.0", 1).replacen("\"strategy\"", "\"player\"", 1);
    assert!(foreign != second && foreign.contains("99.0.0"));
    std::fs::write(scratch.0.join("session.jsonl"), format!("{text}{foreign}\n{{\"ms\":1.0,\"clock\":1}}\n")).unwrap();
    let session = session::load(&scratch.0).unwrap();
    assert_eq!(session.games.iter().map(session::Recorded::number).collect::<Vec<_>>(), [1]);
    let [warning] = session.warnings.as_slice() else { panic!("{:?}", session.warnings) };
    assert!(warning.contains("`strategy`") && warning.contains("recorded by minesight 99.0.0"), "{warning}");
}

/// Texts changed at random places, millions of them: `MILLIONS=10 cargo test --release --no-default-features --test bad_data -- --ignored
/// --nocapture`, or only those of which `ONLY` is a part of the name. What a text is read as must be written as it is read.
#[test]
#[ignore = "takes long"]
fn very_many_changed_texts() {
    let millions: f64 = std::env::var("MILLIONS").ok().and_then(|millions| millions.parse().ok()).unwrap_or(0.1);
    let lines = |path: &str| -> Vec<String> { text_of(path).lines().take(400).map(str::to_owned).collect() };
    let calibrations = ["freesweep", "winemine", "xbomb", "xdemineur"];
    let calibrations = calibrations.map(|name| text_of(&format!("calibration/{name}.toml"))).to_vec();
    let words = "play --simulated --games 3 --size 30x16 --mines 99 --seed 7 --for 90s --wait 2m --max-risk 0.3 --think 5 --level expert";
    let boards =
        vec!["9 5 10\n#########\n#11111###\n#1...1F##\n#1...11##\n#?*Xx~###\n".to_owned(), "3 3 ?\n0..\n~X*\n".into()];
    let keys = vec!["ctrl+shift+F12".to_owned(), "alt+Return".into(), "n".into()];
    type Reads = fn(&str) -> bool;
    let targets: [(&str, f64, Vec<String>, Reads); 6] = [
        ("board text", 0.4, boards, |text| {
            let Ok(board) = text.parse::<Board>() else { return false };
            assert_eq!(board.to_string().parse::<Board>().unwrap().tiles(), board.tiles(), "{text}");
            true
        }),
        ("names of keys", 0.3, keys, |text| text.parse::<Keys>().is_ok()),
        ("lines of records", 0.14, lines("tests/sessions/xbomb/games.jsonl"), |text| {
            serde_json::from_str::<runs::GameRecord>(text).is_ok()
        }),
        ("lines of sessions", 0.13, lines("tests/sessions/xbomb/session.jsonl"), |text| {
            serde_json::from_str::<session::Line>(text).is_ok()
        }),
        ("calibrations", 0.01, calibrations, |text| toml::from_str::<client::Client>(text).is_ok()),
        ("command lines", 0.02, vec![words.to_owned()], |text| {
            Cli::try_parse_from(std::iter::once("minesight").chain(text.split(' '))).is_ok()
        }),
    ];
    let only = std::env::var("ONLY").unwrap_or_default();
    for (name, share, seeds, reads) in targets.into_iter().filter(|(name, ..)| name.contains(&only)) {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let (times, mut read) = ((millions * 1e6 * share) as u64, 0);
        let longest = (0..times).fold(std::time::Duration::ZERO, |longest, _| {
            let text = spoilt_text(&mut rng, &seeds);
            let began = std::time::Instant::now();
            read += u64::from(reads(&text));
            longest.max(began.elapsed())
        });
        println!("{name}: {times} texts, {read} of them read, the longest took {longest:?}");
    }
}

/// One of these texts with some characters taken away, doubled, or replaced by words that were trouble, or by any byte.
fn spoilt_text(rng: &mut Xoshiro256PlusPlus, seeds: &[String]) -> String {
    let mut text = seeds[rng.random_range(0..seeds.len())].clone().into_bytes();
    for _ in 0..rng.random_range(1..=4) {
        let from = rng.random_range(0..=text.len());
        let to = (from + rng.random_range(0..12)).min(text.len());
        match rng.random_range(0..4) {
            0 => drop(text.drain(from..to)),
            1 => text.splice(from..to, WORDS[rng.random_range(0..WORDS.len())].bytes()).for_each(drop),
            2 => text.splice(from..from, text[from..to].to_vec()).for_each(drop),
            _ => text.splice(from..to, [rng.random::<u8>()]).for_each(drop),
        }
    }
    String::from_utf8_lossy(&text).into_owned()
}
