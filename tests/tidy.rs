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
    ("check", &["page", "vision", "client", "screenshot", "board", "geometry"]),
    ("desktop", &["client", "screenshot", "vision", "solver", "game", "board", "geometry"]),
    ("bot", &["desktop", "vision", "client", "solver", "screenshot", "game", "board", "geometry"]),
    ("calibrate", &["bot", "draw", "desktop", "vision", "client", "solver", "screenshot", "game", "board", "geometry"]),
    ("advise", &["bot", "desktop", "vision", "client", "solver", "screenshot", "board", "geometry"]),
    ("session", &["bot", "desktop", "vision", "client", "solver", "screenshot", "game", "board", "geometry"]),
    ("runs", &["session", "bot", "solver", "client", "game", "board", "geometry", "stats"]),
    ("page", &["session", "desktop", "vision", "solver", "board", "geometry"]),
    ("report", &["page", "runs", "stats", "simulate", "session", "solver", "game", "board", "geometry"]),
    ("film", &["draw", "session", "desktop", "vision", "solver", "board", "geometry"]),
    ("cli", &["desktop", "game", "geometry", "simulate", "solver"]),
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

/// The names in some code that begin with one of these roots: `crate::vision::Grid` gives `["vision", "Grid"]`; a group in braces gives
/// one path for every name in it.
fn paths<'a>(code: &'a str, root: &'a str) -> impl Iterator<Item = Vec<String>> + 'a {
    let begins = code.match_indices(root).filter(move |(at, _)| {
        // Not the end of a longer word or path, as in `super::super::`.
        !code[..*at].ends_with(|before: char| before.is_alphanumeric() || before == '_' || before == ':')
    });
    let found = begins.flat_map(move |(at, _)| expand(&code[at + root.len()..]));
    found.filter(|path| path[0] != "super")
}

/// `a::{b, c::d}` → `a::b`, `a::c::d`.
fn expand(text: &str) -> Vec<Vec<String>> {
    if let Some(group) = text.strip_prefix('{') {
        let (mut depth, mut begin, mut found) = (1, 0, Vec::new());
        for (at, letter) in group.char_indices() {
            match letter {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            if depth == 0 || (depth == 1 && letter == ',') {
                found.extend(expand(group[begin..at].trim()));
                begin = at + 1;
            }
            if depth == 0 {
                break;
            }
        }
        return found;
    }
    let end = text.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(text.len());
    let name = text[..end].to_owned();
    let rest = text[end..].strip_prefix("::").map(expand).unwrap_or_default();
    if rest.is_empty() {
        return vec![vec![name]];
    }
    let with_name = |mut path: Vec<String>| {
        path.insert(0, name.clone());
        path
    };
    rest.into_iter().map(with_name).collect()
}

/// The module of a file: `src/vision/read.rs` is `["vision", "read"]`, `src/lib.rs` is the root.
fn module_path(path: &Path) -> Vec<String> {
    let inside = path.strip_prefix(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).unwrap().with_extension("");
    let names = inside.iter().map(|name| name.to_string_lossy().into_owned());
    names.filter(|name| name != "lib").collect()
}

/// Which files a file imports from: everything its `use` lines and paths name with `crate::`, `super::` or `self::`. A name that
/// a module passes on from another file (`pub use`) counts as that module's.
fn imports() -> BTreeMap<Vec<String>, Vec<Vec<String>>> {
    let files: Vec<(Vec<String>, String)> = sources().iter().map(|path| (module_path(path), code(path))).collect();
    let is_file = |path: &[String]| files.iter().any(|(module, _)| module == path);
    let mut graph = BTreeMap::new();
    for (from, code) in files.iter().filter(|(module, _)| *module != ["main"]) {
        let mut to = Vec::new();
        let parent = &from[..from.len().saturating_sub(1)];
        let grandparent = &parent[..parent.len().saturating_sub(1)];
        for (root, base) in
            [("crate::", &[][..]), ("super::super::", grandparent), ("super::", parent), ("self::", from)]
        {
            for path in paths(code, root) {
                let mut path: Vec<String> = base.iter().cloned().chain(path).collect();
                while !is_file(&path) && path.pop().is_some() {}
                if path != *from && !path.is_empty() && !to.contains(&path) {
                    to.push(path);
                }
            }
        }
        graph.insert(from.clone(), to);
    }
    graph
}

/// Everything that imports itself by way of others, with what it imports on that way.
fn cycles(graph: &BTreeMap<Vec<String>, Vec<Vec<String>>>) -> Vec<String> {
    let reached = |from: &Vec<String>| {
        let (mut seen, mut next) = (Vec::new(), graph[from].clone());
        while let Some(module) = next.pop() {
            if !seen.contains(&module) {
                next.extend(graph.get(&module).into_iter().flatten().cloned());
                seen.push(module);
            }
        }
        seen
    };
    let is_back = |from: &Vec<String>, to: &&Vec<String>| graph.contains_key(*to) && reached(to).contains(from);
    let name = |module: &Vec<String>| module.join("::");
    let told = |from: &Vec<String>| {
        let back: Vec<String> = graph[from].iter().filter(|to| is_back(from, to)).map(name).collect();
        (!back.is_empty()).then(|| format!("{} imports {}, which comes back to it", name(from), back.join(", ")))
    };
    graph.keys().filter_map(told).collect()
}

/// No two files import each other, not even by way of others: whoever reads one needs not know the other first. That a module
/// is made of the files in its folder (`mod`, `pub use`, paths that begin with the name of such a file) is no import.
#[test]
fn no_files_import_each_other() {
    let cycles = cycles(&imports());
    assert!(cycles.is_empty(), "\n{}", cycles.join("\n"));
}

/// Nor do any two folders.
#[test]
fn no_modules_import_each_other() {
    let mut graph: BTreeMap<Vec<String>, Vec<Vec<String>>> = BTreeMap::new();
    for (from, to) in imports() {
        let from = from[..from.len().min(1)].to_vec();
        let to = to.into_iter().map(|to| to[..1].to_vec()).filter(|to| *to != from);
        let known = graph.entry(from.clone()).or_default();
        to.for_each(|to| {
            if !known.contains(&to) {
                known.push(to)
            }
        });
    }
    let cycles = cycles(&graph);
    assert!(cycles.is_empty(), "\n{}", cycles.join("\n"));
}

#[test]
fn paths_are_read_as_the_compiler_reads_them() {
    let of = |code: &str, root: &str| paths(code, root).map(|path| path.join("::")).collect::<Vec<_>>();
    assert_eq!(
        of("use crate::vision::{Grid, read::{Eyes, find_any}};", "crate::"),
        ["vision::Grid", "vision::read::Eyes", "vision::read::find_any"]
    );
    assert_eq!(of("let a = crate::board::Tile::Flag;", "crate::"), ["board::Tile::Flag"]);
    assert_eq!(of("use super::super::a::B;", "super::"), Vec::<String>::new());
    assert_eq!(of("use super::super::a::B;", "super::super::"), ["a::B"]);
}
