//! `minesight check` on folders that are right, wrong, or not what they should be.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

/// A file's path and content: a copy of a fixture, or text.
type File<'a> = (&'a str, Result<&'a str, &'a str>);

/// A new folder with some files.
fn folder(name: &str, files: &[File]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("check").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    for (path, content) in files {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        match content {
            Ok(other) => std::fs::copy(fixture(other), path).map(|_| ()),
            Err(text) => std::fs::write(path, text),
        }
        .unwrap();
    }
    folder
}

fn check(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_minesight")).arg("check").arg(folder).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

const SHOT: File = ("winemine/a.png", Ok("winemine/beginner-0-mid.png"));

#[test]
fn screenshots_that_are_right_are_counted() {
    let truth = ("winemine/a.board", Ok("winemine/beginner-0-mid.board"));
    let folder = folder("right", &[SHOT, truth, ("winemine/plain.png", Ok("none/wallpaper-plain.png"))]);
    for arguments in [&["--json"][..], &["--json", "--any"], &["--json", "--client", "winemine"]] {
        let output = check(&folder, arguments);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let all = &report["all"];
        assert_eq!((all["right"].as_u64(), all["wrong"].as_u64()), (Some(81), Some(0)), "{all}");
        assert_eq!((all["rightly_refused"].as_u64(), all["screenshots"].as_u64()), (Some(1), Some(2)), "{all}");
    }
}

/// The truth says something else than the screen: as good as a tile that is read wrongly.
#[test]
fn a_wrong_tile_is_an_error_and_on_the_page() {
    let truth = std::fs::read_to_string(fixture("winemine/beginner-0-mid.board")).unwrap();
    let hidden = truth.rfind('#').unwrap();
    let truth = format!("{}F{}", &truth[..hidden], &truth[hidden + 1..]);
    let folder = folder("wrong", &[SHOT, ("winemine/a.board", Err(&truth))]);
    let page = folder.join("page.html");
    let output = check(&folder, &["--page", page.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("tiles 1, boards 0"), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("winemine"), "{}", text(&output.stdout));
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("taken for <b>#</b>") && page.contains("data:image/png;base64,"), "{page}");
}

#[test]
fn a_board_without_its_truth_is_an_error() {
    let output = check(&folder("alone", &[SHOT]), &[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("there is none to be read"), "{}", text(&output.stderr));
}

#[test]
fn bad_input_is_named() {
    let cases: [(&str, &[File], &str); 4] = [
        ("empty", &[("readme.txt", Err("nothing"))], "no screenshots"),
        ("letters", &[SHOT, ("winemine/a.board", Err("3 2 1\n##1\n#z1\n"))], "a.board: line 3, column 2: 'z'"),
        (
            "short",
            &[SHOT, ("winemine/a.board", Err("3 2 1\n##1\n"))],
            "a.board: line 2, column 1: the board has 1 rows",
        ),
        ("no-picture", &[("a.png", Err("nothing"))], "a.png is not a picture"),
    ];
    for (name, files, message) in cases {
        let output = check(&folder(name, files), &[]);
        assert_eq!(output.status.code(), Some(1), "{name}");
        assert!(text(&output.stderr).contains(message), "{name}: {}", text(&output.stderr));
    }
    let output = check(Path::new("/no/such/folder"), &[]);
    assert!(text(&output.stderr).contains("/no/such/folder cannot be listed"), "{}", text(&output.stderr));
}
