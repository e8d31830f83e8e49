//! Screenshots of real clients with their truth: no tile may be read wrongly, all but a few must be recognised (a board that
//! is not found at all is refused, and counted), no mine counter either, and pictures without a board must be refused. `tests/fixtures/<client>/<name>.png` beside `<name>.board`; `tests/fixtures/none/*.png`.
//!
//! In the truth `~` marks a tile of which something else covers a part: it must not be taken for another tile.

use minesight::client;
use minesight::screenshot::Screenshot;
use minesight::vision::{Eyes, find_any};
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn pictures(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "png"));
    files.sort();
    files
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

fn open(path: &Path) -> Screenshot {
    Screenshot::from_picture(image::open(path).unwrap().into_rgba8())
}

/// What came of one picture.
#[derive(Default)]
struct Tally {
    tiles: usize,
    unrecognised: usize,
    /// Pictures whose board was not found, or taken for covered.
    refused: usize,
    /// Games still played whose client has a counter, and how many of these were read.
    counters: usize,
    counted: usize,
    faults: Vec<String>,
}

fn tally(eyes: &mut Eyes, path: &Path) -> Tally {
    let truth = std::fs::read_to_string(path.with_extension("board")).unwrap();
    let mines: i32 = truth.split_whitespace().nth(2).unwrap().parse().unwrap();
    let truth: Vec<Vec<char>> = truth.lines().skip(1).map(|row| row.replace('.', "0").chars().collect()).collect();
    let mut tally = Tally { tiles: truth.iter().map(Vec::len).sum(), ..Tally::default() };
    let shot = open(path);
    let sight = match eyes.find(&shot) {
        Ok(sight) => sight,
        // Something lies over the board: saying so is right, too.
        Err(_) if truth.iter().flatten().any(|&tile| tile == '~') => return tally,
        Err(error) => {
            println!("{}: refused: {error}", path.display());
            return Tally { refused: 1, ..tally };
        }
    };
    let reading = eyes.read(&shot, &sight);
    let size = reading.grid.size();
    if (size.width as usize, size.height as usize) != (truth[0].len(), truth.len()) {
        tally.faults.push(format!("found {size}, it is {}x{}", truth[0].len(), truth.len()));
        return tally;
    }
    for (cell, tile) in size.cells().zip(&reading.tiles) {
        let (read, truth) = (tile.tile.to_char(), truth[cell.y as usize][cell.x as usize]);
        if read == '~' && truth != '~' {
            tally.unrecognised += 1;
        } else if read != truth && truth != '~' {
            tally.faults.push(format!("{cell} is {truth}, read as {read}: {tile:?}"));
        }
    }
    // At the end of a game some clients turn up flags, so that what their counter says is not on the board any more.
    let count = |looks: &str| truth.iter().flatten().filter(|&&tile| looks.contains(tile)).count();
    if eyes.client().counter.is_some() && count("*Xx~") == 0 {
        let (left, shown) = (mines - count("F") as i32, eyes.mines_left(&shot, &reading));
        tally.counters += 1;
        tally.counted += usize::from(shown.is_some());
        match shown {
            Some(shown) if shown != left => {
                tally.faults.push(format!("{left} mines are left, the counter is read as {shown}"))
            }
            Some(_) => {}
            None => println!("{}: counter not read", path.display()),
        }
    }
    tally
}

#[test]
fn no_tile_of_any_screenshot_is_read_wrongly() {
    let mut all = Tally::default();
    let mut seen = 0;
    for client in client::bundled().unwrap() {
        let files = pictures(&folder().join(&client.name));
        let mut eyes = Eyes::new(Arc::new(client));
        for file in files {
            let Tally { tiles, unrecognised, refused, counters, counted, faults } = tally(&mut eyes, &file);
            all.counters += counters;
            all.counted += counted;
            all.refused += refused;
            seen += 1;
            if unrecognised > 0 {
                println!("{}: {unrecognised} of {tiles} not recognised", file.display());
            }
            all.tiles += tiles;
            all.unrecognised += unrecognised;
            all.faults.extend(faults.into_iter().map(|fault| format!("{}: {fault}", file.display())));
        }
    }
    println!("{} of {} tiles not recognised, {} of {seen} pictures refused", all.unrecognised, all.tiles, all.refused);
    println!("{} of {} counters read", all.counted, all.counters);
    assert!(all.tiles > 0, "no fixtures");
    assert!(all.faults.is_empty(), "{}", all.faults.join("\n"));
    assert!(all.refused * 100 < seen, "{} of {seen} pictures refused", all.refused);
    assert!(all.counted * 3 > all.counters * 2, "only {} of {} counters read", all.counted, all.counters);
    assert!(all.unrecognised * 500 < all.tiles, "{} of {} tiles not recognised", all.unrecognised, all.tiles);
}

#[test]
fn pictures_without_a_board_are_refused() {
    let mut eyes: Vec<Eyes> =
        client::bundled().unwrap().into_iter().map(|client| Eyes::new(Arc::new(client))).collect();
    for file in pictures(&folder().join("none")) {
        let found = find_any(&mut eyes, &open(&file)).map(|(whose, sight)| (eyes[whose].client().name.clone(), sight));
        assert!(found.is_err(), "{}: {found:?}", file.display());
    }
}
