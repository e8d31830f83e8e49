//! What keeps the source tidy, checked so that nobody has to remember it: which module may use which, and what the
//! core must never know of.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Every module of the crate and the modules it may use. Dependencies point one way: the ends of the pipeline know
/// its middle, never the other way round.
const MAY_USE: &[(&str, &[&str])] = &[
    ("geometry", &[]),
    ("draw", &["geometry"]),
    ("board", &["geometry"]),
    ("game", &["board", "geometry"]),
    ("solver", &["board", "game", "geometry"]),
    ("analyze", &["solver", "board", "game", "geometry"]),
    ("stats", &[]),
    ("simulate", &["solver", "board", "game", "geometry", "stats"]),
    ("screenshot", &["geometry"]),
    ("client", &["board", "game", "geometry"]),
    ("vision", &["draw", "client", "screenshot", "board", "game", "geometry"]),
    ("desktop", &["client", "screenshot", "vision", "solver", "game", "board", "geometry", "session"]),
    ("bot", &["desktop", "vision", "client", "solver", "screenshot", "game", "board", "geometry"]),
    ("advise", &["bot", "desktop", "vision", "client", "solver", "screenshot", "board", "geometry"]),
    ("session", &["bot", "desktop", "vision", "client", "solver", "screenshot", "game", "board", "geometry"]),
    ("runs", &["session", "bot", "solver", "client", "game", "board", "geometry", "stats"]),
    ("page", &["session", "desktop", "vision", "solver", "board", "geometry"]),
    ("report", &["page", "runs", "stats", "simulate", "session", "solver", "game", "board", "geometry"]),
    ("film", &["draw", "session", "desktop", "vision", "solver", "board", "geometry"]),
    ("cli", &["game", "geometry", "simulate", "solver"]),
];

/// What the thinking core must not know: pictures, files, clocks, the screen, and printing.
const CORE: &[&str] = &["geometry", "board", "game", "solver"];
const FOREIGN_TO_CORE: &[&str] = &["image::", "std::fs", "std::io", "Instant", "SystemTime", "println!", "eprintln!"];

fn sources() -> Vec<PathBuf> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|end| end == "rs") {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    found.sort();
    found
}

/// The top module a source file belongs to: `src/vision/read.rs` and `src/vision.rs` are both `vision`.
fn module(path: &Path) -> String {
    let inside = path.strip_prefix(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).unwrap();
    inside.components().next().unwrap().as_os_str().to_string_lossy().trim_end_matches(".rs").to_owned()
}

/// The code of a file: without comments, and without the tests at its end.
fn code(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    let text = text.split("#[cfg(test)]\nmod ").next().unwrap();
    text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// The top modules that some code names: `crate::board::Tile` names `board`.
fn uses(code: &str) -> impl Iterator<Item = &str> {
    code.split("crate::").skip(1).map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap())
}

#[test]
fn dependencies_point_one_way() {
    let allowed: BTreeMap<&str, &[&str]> = MAY_USE.iter().copied().collect();
    let mut wrong = Vec::new();
    for path in sources() {
        let from = module(&path);
        if matches!(from.as_str(), "main" | "lib" | "commands") {
            continue;
        }
        let Some(allowed) = allowed.get(from.as_str()) else {
            wrong.push(format!("{}: module {from} has no place in MAY_USE", path.display()));
            continue;
        };
        for to in uses(&code(&path)).filter(|to| *to != from && !allowed.contains(to)) {
            wrong.push(format!("{}: {from} must not use {to}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn the_core_knows_nothing_of_the_world() {
    let mut wrong = Vec::new();
    for path in sources().iter().filter(|path| CORE.contains(&module(path).as_str())) {
        let code = code(path);
        for word in FOREIGN_TO_CORE.iter().filter(|word| code.contains(**word)) {
            wrong.push(format!("{}: {word}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// Clients are data: no client's name stands as a string in the code.
#[test]
fn no_client_is_special() {
    let calibration = Path::new(env!("CARGO_MANIFEST_DIR")).join("calibration");
    let names: Vec<String> = std::fs::read_dir(calibration)
        .map(|entries| {
            entries.map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into()).collect()
        })
        .unwrap_or_default();
    let mut wrong = Vec::new();
    for path in sources().iter().filter(|path| module(path) != "cli") {
        let code = code(path);
        for name in names.iter().filter(|name| code.contains(&format!("\"{name}\""))) {
            wrong.push(format!("{}: {name}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
