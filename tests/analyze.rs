//! `minesight analyze`, as a user runs it: what it answers, and what it says to boards that cannot be.

use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Output, Stdio};

/// Runs `minesight analyze - ARGS` on a board.
fn analyze(board: &str, args: &[&str]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_minesight"))
        .args(["analyze", "-"])
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that refuses its arguments may have gone before it read anything.
    let _ = child.stdin.take().unwrap().write_all(board.as_bytes());
    child.wait_with_output().unwrap()
}

fn json_of(board: &str, args: &[&str]) -> Value {
    let output = analyze(board, &[args, &["--json"]].concat());
    assert!(output.status.success(), "{board}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn fixture(name: &str) -> String {
    std::fs::read_to_string(format!("{}/tests/fixtures/pedersen/{name}.board", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

#[test]
fn json_has_the_shape_that_scripts_rely_on() {
    let found = json_of("3 2 1\n#1.\n#1.", &["--strategy", "lowest-risk"]);
    let expected = json!({
        "consistent": true, "explanations": "2", "unique": false, "safe": [], "mines": [],
        "risk": [[0.5, null, null], [0.5, null, null]],
        "best": {"cell": [0, 0], "risk": 0.5, "reason": found["best"]["reason"]},
        "win_probability": 0.5,
        "wins": "1/2"
    });
    assert_eq!(found, expected);
    assert!(found["best"]["reason"].as_str().is_some_and(|reason| !reason.is_empty()));
}

#[test]
fn what_is_certain_is_listed() {
    let found = json_of("5 1 2\n#1##*", &[]);
    // The mine beside the 1 is the first tile or the third; with one mine shown the fourth is safe.
    assert_eq!(found["explanations"], "2");
    assert_eq!(found["safe"], json!([[3, 0]]));
    assert_eq!(found["best"]["cell"], json!([3, 0]));
    assert_eq!(found["best"]["risk"], 0.0);
    // Its number tells which: 2 between two mines, 1 beside one.
    assert_eq!(found["win_probability"], 1.0);
    let found = json_of("1 3 1\n#\n1\n.", &[]);
    assert_eq!((found["unique"].clone(), found["mines"].clone()), (json!(true), json!([[0, 0]])));
    assert_eq!((found["best"].clone(), found["win_probability"].clone()), (Value::Null, json!(1.0)));
}

/// Pedersen's questions about each configuration: consistent, how many explanations, unique, anything certain?
#[test]
fn pedersens_configurations() {
    for (name, explanations, certain) in
        [("wire", 2, 0), ("not", 2, 0), ("and", 5, 0), ("or", 4, 0), ("xor", 4, 0), ("figure-3.7", 1, 20)]
    {
        let found = json_of(&fixture(name), &[]);
        assert_eq!(found["consistent"], true, "{name}");
        assert_eq!(found["explanations"], explanations.to_string(), "{name}");
        assert_eq!(found["unique"], explanations == 1, "{name}");
        let count = |list: &str| found[list].as_array().unwrap().len();
        assert_eq!(count("safe") + count("mines"), certain, "{name}");
    }
    // A wire whose input is known is known to its end.
    let known = json_of(&fixture("wire").replacen("##", "#*", 1), &[]);
    assert_eq!(known["mines"], json!([[4, 1], [7, 1], [10, 1], [13, 1]]));
    assert_eq!(known["safe"], json!([[0, 1], [3, 1], [6, 1], [9, 1], [12, 1]]));
    // A false AND needs neither input: v alone is not settled by u, and the other way round.
    let gate = json_of(&fixture("and"), &[]);
    assert_eq!(gate["risk"][8][21], 0.2, "one row of five is true");
}

#[test]
fn nothing_explains_it_is_an_answer() {
    let found = json_of("3 2 ?\n1#1\n2#0", &[]);
    assert_eq!(found["consistent"], false);
    assert_eq!((found["explanations"].clone(), found["unique"].clone()), (json!("0"), json!(false)));
    assert_eq!((found["best"].clone(), found["win_probability"].clone()), (Value::Null, Value::Null));
    let text = analyze("3 1 2\n1#1", &[]);
    assert!(!text.status.success(), "a board of three tiles with two mines and one place for them cannot be");
}

#[test]
fn the_first_click_follows_the_rule() {
    let board = "3 3 2\n###\n###\n###";
    let wins = |rule| json_of(board, &["--rule", rule])["win_probability"].as_f64().unwrap();
    assert!((wins("any") - wins("safe") * 7.0 / 9.0).abs() < 1e-12);
    assert_eq!(json_of(board, &[])["win_probability"], wins("safe"), "safe is the rule if none is given");
    assert_eq!(wins("zero"), 1.0);
}

#[test]
fn games_that_are_over_have_no_best_move() {
    for (board, chance) in [("2 1 1\nX1", 0.0), ("2 1 1\n#1", 1.0), ("3 1 1\n#xX", 0.0), ("2 2 0\n..\n..", 1.0)] {
        let found = json_of(board, &[]);
        assert_eq!(found["best"], Value::Null, "{board}");
        assert_eq!(found["win_probability"], chance, "{board}");
    }
}

#[test]
fn text_for_people() {
    let output = analyze("4 2 3\n###2\n#2##", &[]);
    let text = String::from_utf8(output.stdout).unwrap();
    for part in ["4x2 with 3 mines", "explanations  6", "[3, 1]", "33.3 %", ">33"] {
        assert!(text.contains(part), "{part:?} is missing in\n{text}");
    }
    assert!(!text.contains('\x1b'), "no colours where nobody sees them");
}

#[test]
fn bad_input_is_refused_with_its_reason() {
    for (board, args, complaint) in [
        ("", &[][..], "no tiles"),
        ("###\n#a#\n", &[], "line 2, column 2"),
        ("2 2 1\n##\n#", &[], "line 3, column 2"),
        ("0 0 0\n", &[], "at least 1"),
        ("3 1 1\n3##", &[], "the 3 at [0, 0] is impossible"),
        ("3 1 1\nFF#", &[], "2 flags but only 1 mines"),
        ("2 1 3\n##", &[], "do not fit"),
        ("2 1 1\n##", &["--mines", "3"], "do not fit"),
        ("2 1 1\n##", &["--strategy", "luck"], "no strategy is called \"luck\""),
        ("2 1 1\n##", &["--svg", "/nowhere/at/all.svg"], "cannot write /nowhere/at/all.svg"),
    ] {
        let output = analyze(board, args);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{board:?} {args:?}: {error}");
        assert!(error.contains(complaint), "{board:?} {args:?}: {error}");
        assert!(output.stdout.is_empty(), "{board:?} {args:?}");
    }
    assert_eq!(analyze("##", &["--mines", "-1"]).status.code(), Some(2), "wrong usage");
    let missing = Command::new(env!("CARGO_BIN_EXE_minesight")).args(["analyze", "/no/such/board"]).output().unwrap();
    assert_eq!(missing.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&missing.stderr).contains("/no/such/board"));
}

#[test]
fn the_drawing_shows_every_tile() {
    let path = std::env::temp_dir().join(format!("minesight-analyze-{}.svg", std::process::id()));
    let output = analyze("4 2 3\n###2\n#2##", &["--svg", path.to_str().unwrap()]);
    assert!(output.status.success());
    let drawing = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert!(drawing.starts_with("<svg") && drawing.trim_end().ends_with("</svg>"));
    assert_eq!(drawing.matches("<title>").count(), 8);
    assert_eq!(drawing.matches("<g").count(), drawing.matches("</g>").count());
    assert!(drawing.contains("[0, 0]: risk 0.33333333333333"));
}

/// A field with random mines in which every opening and a share of the other numbers are open.
fn field(width: usize, height: usize, density: f64, share: f64) -> String {
    let mut state = 0x2545_F491_4F6C_DD1Du64;
    let mut lot = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mines: Vec<bool> = (0..width * height).map(|_| lot() < density).collect();
    let around = |tile: usize| {
        let (x, y) = (tile % width, tile / width);
        let rows = y.saturating_sub(1)..(y + 2).min(height);
        rows.flat_map(move |b| (x.saturating_sub(1)..(x + 2).min(width)).map(move |a| b * width + a))
    };
    let number = |tile: usize| around(tile).filter(|&other| mines[other]).count();
    let is_zero = |tile: usize| !mines[tile] && number(tile) == 0;
    let mut text = format!("{width} {height} {}", mines.iter().filter(|&&mine| mine).count());
    for (tile, is_mine) in mines.iter().enumerate() {
        if tile % width == 0 {
            text.push('\n');
        }
        let is_open = !is_mine && (around(tile).any(is_zero) || lot() < share);
        text.push(if is_open { char::from(b'0' + number(tile) as u8) } else { '#' });
    }
    text
}

#[test]
fn large_boards_take_a_moment() {
    for (width, height, share) in [(100_000, 1, 0.3), (1, 100_000, 0.6), (200, 200, 0.0), (200, 200, 0.3)] {
        let found = json_of(&field(width, height, 0.2, share), &[]);
        assert_eq!(found["consistent"], true);
        assert!(found["explanations"].as_str().unwrap().len() > 300);
    }
}

/// One dimension (Pedersen, 3.3.2): the string of figure 3.8, and contradictions that show only further on.
#[test]
fn boards_one_tile_high() {
    for (row, consistent) in [
        ("1*#2#0", false),
        ("1*#2*", true),
        ("*1#2*", false),
        ("#1#1#", true),
        ("#1#1##1#1*", true),
        ("*1#1#1*", false),
    ] {
        let found = json_of(&format!("{} 1 ?\n{row}", row.len()), &[]);
        assert_eq!(found["consistent"], consistent, "{row}");
    }
    // His *1b2: the 2 at the end has one neighbour, which is seen without any reasoning.
    assert_eq!(analyze("4 1 ?\n*1#2", &["--json"]).status.code(), Some(1));
}

/// Numbers in every second column and row: each covered tile hangs together with the next, all over the board.
fn all_in_one(side: usize, mines: u32) -> String {
    let rows = (0..side).map(|y| if y % 2 == 0 { "2#".repeat(side / 2) } else { "#".repeat(side) });
    format!("{side} {side} {mines}\n{}", rows.collect::<Vec<_>>().join("\n"))
}

/// Too wide for the time of one move: what a person waits for is exact, what the player went by is called an estimate.
#[test]
fn an_estimate_is_called_one() {
    let reason = |board: &str| json_of(board, &["--strategy", "best"])["best"]["reason"].as_str().unwrap().to_owned();
    assert!(reason(&all_in_one(12, 30)).contains("an estimate"));
    assert!(!reason(&all_in_one(10, 20)).contains("an estimate"));
}

#[test]
fn a_position_beyond_reach_is_refused_not_hung_on() {
    let output = analyze(&all_in_one(40, 300), &["--json"]);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("beyond reach"), "{error}");
    assert!(output.stdout.is_empty());
}
