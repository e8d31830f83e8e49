//! Games of real clients, as they were recorded: the same pictures must give the same readings, decisions and clicks; and a
//! picture that was changed must be named.

use image::Rgba;
use minesight::client::{self, Client};
use minesight::session::{Event, Recorded, load};
use std::path::{Path, PathBuf};

fn sessions() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sessions");
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut sessions: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    sessions.sort();
    assert!(sessions.len() >= 5, "there should be more sessions: {sessions:?}");
    sessions
}

fn games(folder: &Path) -> Vec<Recorded> {
    let session = load(folder).unwrap();
    assert_eq!(session.warnings, Vec::<String>::new(), "{}", folder.display());
    assert!(!session.games.is_empty());
    session.games
}

fn client_of(game: &Recorded) -> Client {
    client::by_name(&client::bundled().unwrap(), &game.start.client).unwrap().clone()
}

#[test]
fn every_session_comes_to_the_same_readings_decisions_and_clicks() {
    for folder in sessions() {
        for game in games(&folder) {
            let (replayed, difference) = game.play_again(&client_of(&game)).unwrap();
            assert!(difference.is_none(), "{}: {}", folder.display(), difference.unwrap());
            assert!(replayed + 1 >= game.lines.len(), "{}: only {replayed} events", folder.display());
        }
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Paints a block of pixels in the middle of the picture of a frame (a tile looks different then), and tells the line of
/// its look.
fn spoil(game: &Recorded, which: usize) -> (usize, PathBuf) {
    let looks = game.lines.iter().filter_map(|(line, entry)| match &entry.event {
        Event::Look(look) => Some((*line, game.frames.join(look.frame.as_ref()?))),
        _ => None,
    });
    let looks: Vec<(usize, PathBuf)> = looks.collect();
    let (line, frame) = looks[which * (looks.len() - 1) / 2].clone();
    let mut picture = image::open(&frame).unwrap().into_rgba8();
    let (left, top) = (picture.width() / 2, picture.height() / 2);
    for (x, y) in (0..8).flat_map(|y| (0..8).map(move |x| (left + x, top + y))) {
        if x < picture.width() && y < picture.height() {
            picture.put_pixel(x, y, Rgba([255, 0, 255, 255]));
        }
    }
    picture.save(&frame).unwrap();
    (line, frame)
}

#[test]
fn a_changed_block_of_pixels_is_reported_at_its_frame() {
    let scratch = std::env::temp_dir().join(format!("minesight-spoiled-{}", std::process::id()));
    for folder in sessions() {
        for which in 0..3 {
            let _ = std::fs::remove_dir_all(&scratch);
            copy(&folder, &scratch);
            let game = games(&scratch).remove(0);
            let (line, frame) = spoil(&game, which);
            let (_, difference) = game.play_again(&client_of(&game)).unwrap();
            let difference = difference.unwrap_or_else(|| panic!("{}: not noticed", folder.display()));
            assert_eq!(difference.line, line, "{}: {difference}", folder.display());
            let shown = difference.shown.as_ref().and_then(|shown| shown.frame.as_deref());
            assert_eq!(shown, Some(frame.as_path()), "{}: {difference}", folder.display());
        }
    }
    let _ = std::fs::remove_dir_all(&scratch);
}
