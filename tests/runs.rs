//! Recorded runs as people meet them, at the command line: killed, interrupted, out of room, stopped, replayed, reported. All
//! on the built-in client, so that no display is needed.

use minesight::runs::{Ending, Run, load};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A folder of its own for a test, gone afterwards.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("minesight-cli-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn minesight(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_minesight"));
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn play(run: &Path, games: u64, more: &[&str]) -> Command {
    let mut command = minesight(&["play", "--simulated", "--strategy", "lowest-risk", "--games", &games.to_string()]);
    command.arg("--record").arg(run).args(more);
    command
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn succeeds(mut command: Command) -> Output {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    output
}

/// What it says as it fails.
fn fails(mut command: Command) -> String {
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    stderr(&output)
}

/// The run, if its games are numbered from 1 on, once each, and nothing is odd about it.
fn whole(folder: &Path) -> Run {
    let run = load(folder).unwrap();
    assert_eq!(run.warnings, Vec::<String>::new());
    let numbers: Vec<u64> = run.games.iter().map(|record| record.game).collect();
    assert_eq!(numbers, (1..=run.games.len() as u64).collect::<Vec<_>>());
    run
}

fn lines(run: &Path) -> usize {
    std::fs::read_to_string(run.join("games.jsonl")).map_or(0, |text| text.lines().count())
}

/// Waits until the player has recorded `games` more games.
fn has_recorded_more(player: &mut Child, run: &Path, games: usize) {
    let (before, began) = (lines(run), Instant::now());
    while lines(run) < before + games {
        assert!(player.try_wait().unwrap().is_none(), "it ended before it was stopped");
        assert!(began.elapsed() < Duration::from_secs(120), "no game is recorded");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn killed_at_any_moment_a_run_goes_on_with_the_same_command() {
    let scratch = Scratch::new("killed");
    let (run, games) = (scratch.path("run"), 60);
    let command = || play(&run, games, &["--frames", "all"]);
    // Moments of all sorts: in mid-game, at its end, while its pictures are written.
    for moment in [0, 3, 9, 17, 31] {
        let mut player = command().spawn().unwrap();
        has_recorded_more(&mut player, &run, 2);
        std::thread::sleep(Duration::from_millis(moment));
        player.kill().unwrap();
        player.wait().unwrap();
    }
    succeeds(command());
    assert_eq!(whole(&run).games.len() as u64, games);
    // Every board was dealt once: none was played again, none left out.
    let boards: std::collections::BTreeSet<String> = whole(&run)
        .games
        .iter()
        .map(|record| format!("{:?} {:?} {}", record.guesses, record.outcome, record.moves))
        .collect();
    assert!(boards.len() > 20, "{boards:?}");
    // Done is done: nothing is played any more.
    let before = std::fs::read(run.join("games.jsonl")).unwrap();
    succeeds(command());
    assert_eq!(std::fs::read(run.join("games.jsonl")).unwrap(), before);
    let mut replay = minesight(&["replay"]);
    replay.arg(&run);
    let replayed = stdout(&succeeds(replay));
    assert!(replayed.lines().count() >= 55, "a game killed while its pictures were written has none: {replayed}");
    assert!(replayed.lines().all(|line| line.ends_with("all as recorded")), "{replayed}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_a_whole_record_that_goes_on() {
    let scratch = Scratch::new("interrupted");
    let run = scratch.path("run");
    let mut player = play(&run, 100_000, &[]).spawn().unwrap();
    has_recorded_more(&mut player, &run, 3);
    assert!(Command::new("kill").args(["-INT", &player.id().to_string()]).status().unwrap().success());
    let output = player.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    assert!(stderr(&output).contains("stopped on request"), "{}", stderr(&output));
    let games = whole(&run).games.len() as u64;
    assert!(stdout(&output).contains(&format!("{games} games")), "{}", stdout(&output));
    assert!(whole(&run).games.iter().all(|record| record.outcome != Ending::Aborted), "the last game does not count");
    succeeds(play(&run, games + 2, &[]));
    assert_eq!(whole(&run).games.len() as u64, games + 2);
}

/// A limit on the size of files stands for a full disk: `session.jsonl` grows out of it.
#[cfg(unix)]
#[test]
fn without_room_for_pictures_it_stops_before_the_next_game() {
    let scratch = Scratch::new("room");
    let run = scratch.path("run");
    let limited = r#"trap "" XFSZ; ulimit -f 96; exec "$@""#;
    let mut command = Command::new("bash");
    command.args(["-c", limited, "bash", env!("CARGO_BIN_EXE_minesight")]);
    command.args(play(&run, 60, &["--frames", "all"]).get_args());
    let complaint = fails(command);
    let games = whole(&run).games.len();
    assert!(games > 0 && games < 60, "{games}");
    assert!(complaint.contains(&format!("the pictures of game {games} are not kept")), "{complaint}");
    assert!(complaint.contains("session.jsonl"), "{complaint}");
    succeeds(play(&run, 60, &["--frames", "all"]));
    assert_eq!(whole(&run).games.len(), 60);
    assert_eq!(minesight::session::load(&run).unwrap().games.len(), 59, "all but the one without room");
}

#[test]
fn where_nothing_can_be_recorded_nothing_is_played() {
    let scratch = Scratch::new("unwritable");
    let run = scratch.path("run");
    succeeds(play(&run, 2, &[]));
    // A folder in its place cannot be written, not even by root.
    std::fs::create_dir(run.join(".reserve")).unwrap();
    let complaint = fails(play(&run, 4, &[]));
    assert!(complaint.contains(".reserve cannot be written"), "{complaint}");
    assert_eq!(whole(&run).games.len(), 2);
    let complaint = fails(play(&scratch.path("run/games.jsonl/inside"), 2, &[]));
    assert!(complaint.contains("games.jsonl/inside cannot be made"), "{complaint}");
}

#[test]
fn runs_stop_when_it_is_enough() {
    let scratch = Scratch::new("stops");
    let played = |name: &str, more: &[&str]| {
        let run = scratch.path(name);
        succeeds(play(&run, 40, more));
        whole(&run).games
    };
    let won = |games: &[minesight::runs::GameRecord]| games.iter().filter(|game| game.outcome == Ending::Won).count();
    let wins = played("wins", &["--until-wins", "5"]);
    assert_eq!((won(&wins), wins.last().unwrap().outcome), (5, Ending::Won));
    let streak = played("streak", &["--until-streak", "3"]);
    assert!(streak.len() >= 3 && won(&streak[streak.len() - 3..]) == 3);
    assert_eq!(played("time", &["--for", "0s"]).len(), 0);
    // The same boards: games are given up where the others guessed higher, and nothing else changes.
    let (free, careful) = (played("free", &[]), played("careful", &["--max-risk", "0.2"]));
    assert_eq!((free.len(), careful.len()), (40, 40));
    for (free, careful) in free.iter().zip(&careful) {
        let risky = free.guesses.iter().position(|&risk| risk > 0.2);
        assert_eq!(careful.guesses, free.guesses[..risky.unwrap_or(free.guesses.len())]);
        assert_eq!(careful.outcome, if risky.is_some() { Ending::Aborted } else { free.outcome });
        assert_eq!(careful.trouble.is_some(), risky.is_some());
    }
    assert!(careful.iter().any(|record| record.outcome == Ending::Aborted), "no board needs a high guess");
    // Another limit is another run.
    let complaint = fails(play(&scratch.path("careful"), 41, &["--max-risk", "0.3"]));
    assert!(complaint.contains("run.toml:") && complaint.contains("max_risk = 0.2"), "{complaint}");
}

#[test]
fn damaged_and_foreign_folders_are_named_with_file_and_line() {
    let scratch = Scratch::new("damaged");
    let run = scratch.path("run");
    succeeds(play(&run, 3, &["--frames", "all"]));
    let edit = |file: &str, edit: &dyn Fn(String) -> String| {
        let file = run.join(file);
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, edit(text.clone())).unwrap();
        move || std::fs::write(&file, &text).unwrap()
    };
    let report = || {
        let mut command = minesight(&["report", "--expect", "0"]);
        command.arg(&run);
        command
    };
    let replay = || {
        let mut command = minesight(&["replay"]);
        command.arg(&run);
        command
    };

    let mend = edit("games.jsonl", &|text| text[..text.len() - 20].to_owned());
    assert!(stderr(&succeeds(report())).contains("games.jsonl:3: the last line was cut short; dropped"));
    mend();
    let mend = edit("games.jsonl", &|text| text.replacen("\"client\":\"winemine\"", "\"client\":\"kmines\"", 1));
    assert!(stderr(&succeeds(report())).contains("games.jsonl:2: client winemine, but kmines before"));
    assert!(fails(play(&run, 4, &["--frames", "all"])).contains("games.jsonl:1: this run has client = \"kmines\""));
    mend();
    let mend = edit("run.toml", &|text| text.replace("format = 1", "format = 7"));
    assert!(fails(report()).contains("run.toml:1: a run of format 7"));
    assert!(fails(play(&run, 4, &[])).contains("run.toml:1: a run of format 7"));
    mend();
    let mend = edit("session.jsonl", &|text| text[..text.len() - 20].to_owned());
    let output = succeeds(replay());
    assert!(stderr(&output).contains("session.jsonl:") && stderr(&output).contains("game 3 left out"));
    assert_eq!(stdout(&output).lines().count(), 2);
    mend();
    std::fs::remove_file(run.join("frames/000002/00003.png")).unwrap();
    let output = replay().output().unwrap();
    assert!(stderr(&output).contains("1 of 3 games are not as they were recorded"), "{}", stderr(&output));
    let missing = stdout(&output).lines().find(|line| line.contains("is missing")).unwrap_or_default().to_owned();
    assert!(missing.contains("session.jsonl:") && missing.contains("000002/00003.png"), "{}", stdout(&output));

    let foreign = scratch.path("foreign");
    std::fs::create_dir(&foreign).unwrap();
    std::fs::write(foreign.join("thesis.txt"), "precious").unwrap();
    assert!(fails(play(&foreign, 1, &[])).contains("foreign holds thesis.txt and no run.toml"));
    let mut command = minesight(&["report"]);
    command.arg(&foreign);
    assert!(fails(command).contains("foreign is no run folder"));
    let mut command = minesight(&["replay"]);
    command.arg(&foreign);
    assert!(fails(command).contains("session.jsonl does not exist"));
}

#[test]
fn other_players_are_asked_films_are_made_and_pictures_are_looked_at() {
    let scratch = Scratch::new("replay");
    let sessions = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sessions");
    let mut command = minesight(&["replay", "--strategy", "single-point"]);
    command.arg(sessions.join("winemine"));
    let asked = stdout(&succeeds(command));
    assert!(asked.contains("single-point would open"), "{asked}");
    assert!(asked.lines().last().unwrap().ends_with("decisions would differ"), "{asked}");

    let film = scratch.path("game.gif");
    let mut command = minesight(&["replay", "--gif"]);
    command.arg(&film).arg(sessions.join("winemine"));
    succeeds(command);
    use image::AnimationDecoder;
    let film = std::io::BufReader::new(std::fs::File::open(film).unwrap());
    let frames = image::codecs::gif::GifDecoder::new(film).unwrap().into_frames().collect_frames().unwrap();
    assert!(frames.len() > 3, "{} frames", frames.len());

    let mut command = minesight(&["replay", "--json"]);
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/winemine");
    command.arg(fixtures.join("beginner-0-mid.png")).arg(fixtures.join("beginner-0-start.png"));
    let looked = stdout(&succeeds(command));
    assert_eq!(looked.lines().count(), 2, "{looked}");
    for line in looked.lines() {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!((&line["client"], &line["state"]), (&"winemine".into(), &"playing".into()));
        assert!(!line["clicks"].as_array().unwrap().is_empty());
    }
    let mut command = minesight(&["replay"]);
    command.args(["beginner-0-covered.png", "beginner-1-lost.png"].map(|name| fixtures.join(name)));
    let output = command.output().unwrap();
    assert!(stdout(&output).contains("the game is lost") && !stdout(&output).contains("open ["), "{}", stdout(&output));
    assert!(stderr(&output).contains("beginner-0-covered.png: a board of winemine"), "{}", stderr(&output));
    assert!(stderr(&output).contains("1 of 2 pictures cannot be played on"), "{}", stderr(&output));
}

#[test]
fn every_decision_can_be_shown_in_80_columns_and_asked_about() {
    use std::io::Write;
    let output = succeeds(minesight(&["play", "--simulated", "--level", "expert", "--watch"]));
    let shown = stderr(&output);
    assert!(shown.lines().count() > 17, "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    assert!(shown.contains('(') && shown.contains("certainly safe"), "{shown}");

    let mut player = minesight(&["play", "--simulated", "--step"]).stdin(Stdio::piped()).spawn().unwrap();
    player.stdin.take().unwrap().write_all(b"\n\nq\n").unwrap();
    let output = player.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "the person stopped it");
    assert_eq!(stderr(&output).matches("Enter goes on").count(), 3, "{}", stderr(&output));
    assert!(stderr(&output).contains("stopped on request"), "{}", stderr(&output));
    assert!(stdout(&output).contains("0 games"), "{}", stdout(&output));
}

#[cfg(unix)]
#[test]
fn pressed_twice_ctrl_c_ends_it_too() {
    let player = minesight(&["play", "--simulated", "--games", "1000000"]).spawn().unwrap();
    std::thread::sleep(Duration::from_secs(3));
    for _ in 0..2 {
        assert!(Command::new("kill").args(["-INT", &player.id().to_string()]).status().unwrap().success());
    }
    assert_eq!(player.wait_with_output().unwrap().status.code(), Some(130));
}

#[test]
fn two_that_begin_one_run_at_once_do_not_mix_their_headers() {
    let scratch = Scratch::new("two");
    let run = scratch.path("run");
    let players: Vec<Child> =
        ["1", "2"].map(|seed| play(&run, 30, &["--seed", seed]).spawn().unwrap()).into_iter().collect();
    let outputs: Vec<Output> = players.into_iter().map(|player| player.wait_with_output().unwrap()).collect();
    let succeeded: Vec<usize> = (0..2).filter(|&which| outputs[which].status.success()).collect();
    assert_eq!(succeeded.len(), 1, "{} {}", stderr(&outputs[0]), stderr(&outputs[1]));
    let run = whole(&run);
    assert_eq!(run.header.seed, succeeded[0] as u64 + 1, "the header is that of the one who played");
    assert_eq!(run.games.len(), 30);
}

#[test]
fn a_run_goes_on_only_with_the_same_player() {
    let scratch = Scratch::new("player");
    let run = scratch.path("run");
    succeeds(play(&run, 1, &[]));
    let complaint = fails(play(&run, 2, &["--think", "7"]));
    assert!(complaint.contains("think_ms = 7"), "{complaint}");
}

#[test]
fn a_damaged_record_does_not_repeat_a_board() {
    let scratch = Scratch::new("damaged");
    let (whole_run, damaged) = (scratch.path("whole"), scratch.path("damaged"));
    succeeds(play(&whole_run, 6, &[]));
    succeeds(play(&damaged, 4, &[]));
    let file = damaged.join("games.jsonl");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replacen(r#"{"game":2,"#, r#"{"game":2;"#, 1)).unwrap();
    succeeds(play(&damaged, 6, &[]));
    let of = |folder: &Path, number| load(folder).unwrap().games.into_iter().find(|game| game.game == number).unwrap();
    for number in [5, 6] {
        let (one, other) = (of(&whole_run, number), of(&damaged, number));
        assert_eq!((one.guesses, one.moves, one.outcome), (other.guesses, other.moves, other.outcome), "game {number}");
    }
}

#[test]
fn a_game_cut_off_while_its_pictures_were_written_counts() {
    let scratch = Scratch::new("announced");
    let run = scratch.path("run");
    succeeds(play(&run, 2, &[]));
    let file = run.join("games.jsonl");
    let text = std::fs::read_to_string(&file).unwrap();
    let (first, second) = text.split_once('\n').unwrap();
    let announced = whole(&run).games.remove(1);
    std::fs::write(&file, format!("{first}\n")).unwrap();
    std::fs::write(run.join(".announced.json"), second.trim_end()).unwrap();
    succeeds(play(&run, 2, &[]));
    let games = whole(&run).games;
    assert_eq!((games.len(), games[1].moves, games[1].outcome), (2, announced.moves, announced.outcome));
    assert!(!run.join(".announced.json").exists());
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_ends_it_quietly() {
    for command in ["play --simulated --games 3 --json", "completions bash", "clients", "clients --json"] {
        let mut bash = Command::new("bash");
        let script = format!("set -o pipefail; {} {command} | head -c 0", env!("CARGO_BIN_EXE_minesight"));
        let output = bash.args(["-c", &script]).output().unwrap();
        assert!(output.status.success(), "{command}: {}", stderr(&output));
        assert!(!stderr(&output).contains("panicked"), "{command}: {}", stderr(&output));
    }
}

#[test]
fn numbers_that_are_too_large_are_refused() {
    for arguments in [
        ["--seed", "9223372036854775808"],
        ["--think", "99999999999999"],
        ["--delay", "99999999999999"],
        ["--size", "4294967295x1"],
    ] {
        let mut command = minesight(&["play", "--simulated", "--mines", "1"]);
        let output = command.args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", stderr(&output));
    }
    let complaint = fails(minesight(&["play", "--simulated", "--size", "5000x5000", "--mines", "1"]));
    assert!(complaint.contains("400x400"), "{complaint}");
    succeeds(minesight(&["play", "--simulated", "--seed", "9223372036854775807", "--games", "2"]));
}
