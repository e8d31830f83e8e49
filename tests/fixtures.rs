//! Screenshots of real clients with their truth, through `minesight check`: no tile may be read wrongly, all but a few must be
//! recognised (a board that is not found at all is refused, and counted), no mine counter either, and pictures without a board
//! must be refused. See `tests/fixtures/README.md`.

use minesight::check::{Checked, Fixtures, Row, Whose, check, fixtures};
use minesight::client;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

fn checked(whose: Whose) -> Vec<Checked> {
    let clients = client::bundled().unwrap();
    let Fixtures { screenshots, .. } = fixtures(&[folder()], &clients).unwrap();
    assert!(screenshots.iter().any(|fixture| fixture.truth.is_none()), "no pictures without a board");
    check(&screenshots, clients, whose, &|| {}).unwrap()
}

#[test]
fn no_tile_of_any_screenshot_is_read_wrongly() {
    let all = checked(Whose::Folder);
    for one in all.iter().filter(|one| one.is_refused() || one.not_recognised() > 0) {
        println!("{}: {:?}, {} not recognised", one.image.display(), one.outcome, one.not_recognised());
    }
    let Row { screenshots, refused, right, not_recognised, counters, counters_read, .. } = Row::of(&all);
    println!(
        "{not_recognised} of {} tiles not recognised, {refused} of {screenshots} pictures refused",
        right + not_recognised
    );
    println!("{counters_read} of {counters} counters read");
    let faults: Vec<String> = all.iter().flat_map(Checked::faults).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(right > 0, "no fixtures");
    assert!(refused * 100 < screenshots, "{refused} of {screenshots} pictures refused");
    assert!(counters_read * 3 > counters * 2, "only {counters_read} of {counters} counters read");
    assert!(not_recognised * 500 < right, "{not_recognised} tiles not recognised, {right} are");
}
