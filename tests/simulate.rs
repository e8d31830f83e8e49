//! `minesight simulate`, as a user runs it: what it writes, and what it says to games that cannot be.

use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output};

/// A folder of its own for one test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("minesight-simulate-{name}-{}", std::process::id()));
        std::fs::create_dir(&path).unwrap();
        Self(path)
    }

    fn simulate(&self, args: &str) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_minesight"));
        command.current_dir(&self.0).arg("simulate").args(args.split_whitespace()).output().unwrap()
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).unwrap()
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(&self.0)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn games_that_cannot_be_are_refused_and_nothing_is_written() {
    let folder = Folder::new("refused");
    let good = r#"{"width":3,"height":2,"mines":[[0,0],[2,1]],"start":[1,0]}"#;
    folder.write("good.jsonl", good);
    folder.write("cut.jsonl", &format!("{good}\n\n{{\"width\":3\n"));
    folder.write("twice.jsonl", &format!("{good}\n{}", r#"{"width":3,"height":2,"mines":[[1,0],[1,0]]}"#));
    folder.write("off.jsonl", r#"{"width":3,"height":2,"mines":[[3,0]]}"#);
    folder.write("none.jsonl", r#"{"width":0,"height":0,"mines":[]}"#);
    folder.write("empty.jsonl", "");
    let before = folder.names();
    for (args, code, complaint) in [
        ("--strategy luck", 1, "no strategy is called \"luck\"; there are: single-point, "),
        ("--strategy lowest-risk,luck", 1, "no strategy is called \"luck\""),
        ("--size 0x5 --mines 0", 2, "a board of 0x5 has no tiles"),
        ("--size 5x5 --mines 26", 1, "26 mines do not fit on a board of 5x5"),
        ("--size 5x5", 1, "--size and --mines go together"),
        ("--size five --mines 5", 2, "write columns x rows"),
        ("--size 99999x99999 --mines 5", 2, "too large"),
        ("--level hard", 1, "there are: beginner, intermediate, expert"),
        ("--rule lucky", 2, "possible values: safe, zero"),
        ("--games 0", 2, "0 is not in 1.."),
        ("--threads 0", 2, "--threads"),
        ("--start 30,0", 1, "[30, 0] is not on a board of 30x16"),
        ("--sweep luck=1", 2, "cannot be varied"),
        ("--sweep board=2x2/9", 1, "9 mines do not fit on a board of 2x2"),
        ("--sweep aspect=7 --size 30x30 --mines 180", 1, "900 tiles do not make 7 rows"),
        ("--boards cut.jsonl", 1, "cut.jsonl, line 3: EOF"),
        ("--boards twice.jsonl", 1, "twice.jsonl, line 2: two mines at [1, 0]"),
        ("--boards off.jsonl", 1, "off.jsonl, line 1: [3, 0] is not on a board of 3x2"),
        ("--boards none.jsonl", 1, "none.jsonl, line 1: a board of 0x0 cannot be played"),
        ("--boards empty.jsonl", 1, "empty.jsonl has no boards"),
        ("--boards nowhere.jsonl", 1, "nowhere.jsonl cannot be read"),
        ("--boards good.jsonl --games 7", 1, "7 games were asked for and the file has 1 boards"),
        ("--boards good.jsonl --size 3x3 --mines 1", 2, "cannot be used with"),
        ("--boards good.jsonl --expected", 1, "boards of a file cannot be dealt again"),
        ("--rule opened --expected", 1, "under the rule opened"),
        ("--rule zero --size 3x3 --mines 1 --expected", 1, "under the rule zero"),
        ("--against luck", 1, "no strategy is called \"luck\""),
        ("--from 18446744073709551615 --games 2", 1, "no games of such high numbers"),
        ("--merge good.jsonl --games 3", 2, "cannot be used with"),
        ("--merge good.jsonl", 1, "good.jsonl, line 1: missing field"),
        ("--games 3 --svg nowhere/out.svg", 1, "nowhere/out.svg cannot be written"),
    ] {
        let output = folder.simulate(&format!("{args} --csv out.csv --risks risks.csv"));
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{args}: {error}");
        assert!(error.contains(complaint), "{args}: {error}");
        assert!(output.stdout.is_empty(), "{args}");
        assert_eq!(folder.names(), before, "{args} left something behind");
    }
    let output = folder.simulate("--boards cut.jsonl --games-out games.jsonl");
    assert!(!output.status.success() && folder.names() == before);
}

#[test]
fn what_was_measured_is_written() {
    let folder = Folder::new("written");
    let args = "--strategy csp --size 9x9 --mines 15 --games 100 --threads 1 --json --sizes \
                --csv runs.csv --risks risks.csv --svg risks.svg --games-out games.jsonl";
    let output = folder.simulate(args);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(folder.names(), ["games.jsonl", "risks.csv", "risks.svg", "runs.csv"]);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let runs = folder.read("runs.csv");
    let (header, row) = runs.trim_end().split_once('\n').unwrap();
    let column = |name: &str| {
        let place = header.split(',').position(|other| other == name).unwrap();
        row.split(',').nth(place).unwrap().to_owned()
    };
    assert_eq!(column("wins"), found["wins"].to_string());
    assert_eq!(column("sets"), found["sets"]["sets"].to_string());
    assert_eq!(column("set_most_tiles"), found["sets"]["most_tiles"]["tiles"].to_string());
    let by_freedom = found["sets"]["by_freedom"].as_object().unwrap();
    let sum: u64 = by_freedom.values().map(|sets| sets.as_u64().unwrap()).sum();
    assert_eq!(Some(sum), found["sets"]["sets"].as_u64());
    // Every guess but the first click is in one bin of `all`, and in one of its kind.
    let guesses = |risks: &str| -> u64 {
        let of = |line: &str| line.split(',').nth(9).unwrap().parse::<u64>().unwrap();
        risks.lines().skip(1).map(of).sum()
    };
    let games = folder.read("games.jsonl");
    let all: u64 =
        games.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["guesses"].as_u64().unwrap() - 1).sum();
    assert_eq!((games.lines().count(), guesses(&folder.read("risks.csv"))), (100, 2 * all));
}

/// What a run says, but for the time it took and the threads it took.
fn said(output: &Output) -> Value {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let runs = found.get_mut("runs").and_then(Value::as_array_mut).unwrap();
    for run in runs {
        let run = run.as_object_mut().unwrap();
        run.remove("ms_per_game").unwrap();
        run.remove("threads").unwrap();
    }
    found
}

#[test]
fn parts_add_up_to_the_run() {
    let folder = Folder::new("parts");
    let run = "--strategy lowest-risk --against csp,single-point --size 9x9 --mines 14 --seed 7 --sizes --json";
    let whole = said(&folder.simulate(&format!("{run} --games 120 --threads 2 --games-out whole.jsonl")));
    for (part, from) in [0, 30, 60, 90].into_iter().enumerate() {
        folder.simulate(&format!("{run} --from {from} --games 30 --threads 1 --games-out part{part}.jsonl"));
    }
    // To the last digit, in any order.
    let merged = said(&folder.simulate("--merge part2.jsonl part0.jsonl part3.jsonl part1.jsonl --json"));
    assert_eq!(merged, whole);
    assert_eq!(said(&folder.simulate("--merge whole.jsonl --json")), whole);
    assert!(whole["comparisons"][1]["expected"]["difference"].as_f64().unwrap() > 0.0, "{whole}");
    // A part by itself says where it begins.
    assert_eq!(said(&folder.simulate("--merge part1.jsonl part2.jsonl --json"))["runs"][0]["from"], 30);

    let other = "--strategy lowest-risk --size 9x9 --mines 14 --seed 8 --games 3 --games-out other.jsonl";
    folder.simulate(other);
    let first = folder.read("part0.jsonl");
    folder.write("cut.jsonl", &first[..first.len() - 40]);
    folder.write("headless.jsonl", first.split_once('\n').unwrap().1);
    folder.write("empty.jsonl", "");
    for (files, complaint) in [
        (
            "part0.jsonl part2.jsonl",
            "the games 30 to 59 of lowest-risk are missing; play them with --from 30 --games 30",
        ),
        ("part0.jsonl part1.jsonl part0.jsonl", "game 0 of lowest-risk is there twice"),
        (
            "part0.jsonl other.jsonl",
            "other.jsonl, line 1: these games are of another run: seed is 8, and 7 in part0.jsonl",
        ),
        ("cut.jsonl", "cut.jsonl, line 90: EOF"),
        ("headless.jsonl", "headless.jsonl, line 1: it does not say which run it belongs to"),
        ("empty.jsonl", "empty.jsonl has no games"),
        ("nowhere.jsonl", "nowhere.jsonl cannot be read"),
    ] {
        let output = folder.simulate(&format!("--merge {files}"));
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{files}: {error}");
        assert!(error.contains(complaint), "{files}: {error}");
        assert!(output.stdout.is_empty(), "{files}");
    }
}

/// Points of a sweep that play the same boards are compared with the first one; points of other boards are not.
#[test]
fn a_sweep_over_the_same_boards_says_how_its_points_differ() {
    let folder = Folder::new("sweep");
    let comparisons = |sweep: &str| -> Vec<Value> {
        let args = format!("--sweep {sweep} --expected --size 8x8 --mines 12 --games 40 --threads 1 --json");
        let output = folder.simulate(&args);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        let rate = |point: usize| found["points"][point]["runs"][0]["expected"]["win_rate"].as_f64().unwrap();
        let comparisons = found["comparisons"].as_array().unwrap().clone();
        for (comparison, point) in comparisons.iter().zip(1..) {
            let difference = comparison["expected"]["difference"].as_f64().unwrap();
            assert!((difference - (rate(0) - rate(point))).abs() < 1e-9, "{comparison}");
        }
        comparisons
    };
    let by_time = comparisons("think=100,0,20");
    assert_eq!(by_time.len(), 2);
    assert_eq!([&by_time[0]["first"], &by_time[0]["second"]], ["best (think 100 ms)", "best (think 0 ms)"]);
    assert_eq!(comparisons("size=8,9"), Vec::<Value>::new());
}
