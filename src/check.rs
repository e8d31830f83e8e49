//! Screenshots with their truth, read and compared with it: `NAME.png` beside `NAME.board`, which is board text
//! of what is on it. A screenshot without a `.board` shows no board that can be read, and must be
//! refused. In the truth `~` marks a tile of which something else covers a part: what is read there is not judged, and the
//! board may be refused.

pub mod page;

use crate::board::{Board, ParseError, Tile};
use crate::client::Client;
use crate::geometry::{BoardSize, Cell};
use crate::screenshot::Screenshot;
use crate::vision::find::locate::{LocateError, Sight};
use crate::vision::{Eyes, find_any};
use crate::vision::{Reading, TileReading};
use image::{RgbaImage, imageops};
use rayon::prelude::*;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// Why screenshots cannot be checked.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// A folder that cannot be listed.
    #[error("{} cannot be listed: {error}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// No screenshots at all.
    #[error("no screenshots (PNG, JPEG or GIF) in {folders}: give a folder with NAME.png and NAME.board")]
    Nothing {
        /// Where they were looked for.
        folders: String,
    },
    /// A picture that cannot be read.
    #[error("{} is not a picture that can be read: {error}", path.display())]
    Picture {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: image::ImageError,
    },
    /// A truth that cannot be opened.
    #[error("{} cannot be read: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// A truth that is no board.
    #[error("{}: {error}", path.display())]
    Truth {
        /// The file.
        path: PathBuf,
        /// What is wrong, with line and column.
        error: ParseError,
    },
}

/// One screenshot and what is known of it.
#[derive(Clone, Debug)]
pub struct Fixture {
    /// The picture.
    pub image: PathBuf,
    /// What is on it; `None` if it must be refused.
    pub truth: Option<Board>,
    /// The client in whose folder it lies.
    pub client: Option<String>,
}

/// What is in some folders.
#[derive(Clone, Debug, Default)]
pub struct Fixtures {
    /// The screenshots, by path.
    pub screenshots: Vec<Fixture>,
    /// `.board` files without a picture: the name of one of the two may be wrong.
    pub lone_boards: Vec<PathBuf>,
}

/// Whose board is looked for in a screenshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// That of the client in whose folder the screenshot lies, or any.
    Folder,
    /// Any client's.
    Any,
}

/// How the game on a screenshot stands, by the truth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Every tile is hidden.
    Untouched,
    /// It goes on.
    Playing,
    /// It is won.
    Won,
    /// It is lost.
    Lost,
    /// Something lies over a part of it.
    Covered,
    /// There is none.
    None,
}

impl State {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            State::Untouched => "untouched",
            State::Playing => "playing",
            State::Won => "won",
            State::Lost => "lost",
            State::Covered => "covered",
            State::None => "no board",
        }
    }

    fn of(truth: &Board) -> Self {
        let count = |wanted: fn(Tile) -> bool| truth.tiles().iter().filter(|tile| wanted(**tile)).count();
        let covered = count(Tile::is_covered);
        let is_won = || truth.mines().is_some_and(|mines| covered == mines as usize);
        if count(|tile| tile == Tile::Unrecognised) > 0 {
            State::Covered
        } else if count(|tile| tile.is_shown_mine() || tile == Tile::WrongFlag) > 0 {
            State::Lost
        } else if count(|tile| tile == Tile::Hidden) == truth.size().tiles() {
            State::Untouched
        } else if is_won() || (covered > 0 && covered == count(|tile| tile == Tile::Flag)) {
            State::Won
        } else {
            State::Playing
        }
    }
}

/// A tile that was read wrongly, or not recognised.
#[derive(Clone, Debug, Serialize)]
pub struct Amiss {
    /// Where.
    pub cell: Cell,
    /// What it is.
    #[serde(serialize_with = "as_text")]
    pub truth: Tile,
    /// What it was taken for.
    #[serde(serialize_with = "as_text")]
    pub read: Tile,
    /// The best match, which may not be good enough.
    #[serde(serialize_with = "as_text")]
    pub best: Tile,
    /// How well that matches, 0..1.
    pub score: f32,
    /// How far it leads over every other meaning (see [`TileReading::lead`]).
    pub lead: f32,
    /// The next best meaning, and how well that matches.
    pub runner_up: Option<f32>,
    /// The tile on the screen and the pictures it was compared with: best, runner-up, and the nearest of what it is. Only of
    /// the first tiles of a screenshot.
    #[serde(skip)]
    pub pictures: Option<Pictures>,
}

impl Amiss {
    /// Whether it was taken for something else: worse than not to be recognised.
    pub fn is_wrong(&self) -> bool {
        self.read != Tile::Unrecognised
    }
}

/// What one tile was compared with.
#[derive(Clone, Debug)]
pub struct Pictures {
    /// The tile on the screen.
    pub tile: RgbaImage,
    /// The client's pictures that are nearest to it, each with what it is of and its score.
    pub nearest: Vec<(Tile, f32, RgbaImage)>,
}

/// What came of a screenshot.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// A board, tile by tile.
    Read {
        /// Tiles that are what they were taken for.
        right: usize,
        /// All others, but those that something covers.
        amiss: Vec<Amiss>,
    },
    /// No board, as it should be or not.
    Refused {
        /// What a person would be told.
        message: String,
        /// There is none, or something covers a part of it.
        is_right: bool,
    },
    /// A board that is not there, of another size or of another client.
    WrongBoard {
        /// What was found, and what there is.
        message: String,
    },
}

/// What a client's mine counter shows.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Counter {
    /// Mines less flags, by the truth.
    pub left: i32,
    /// What was read.
    pub read: Option<i32>,
}

impl Counter {
    /// It was read, and wrongly.
    pub fn is_wrong(self) -> bool {
        self.read.is_some_and(|read| read != self.left)
    }
}

/// One screenshot, read and compared.
#[derive(Clone, Debug, Serialize)]
pub struct Checked {
    /// The picture.
    pub image: PathBuf,
    /// The client it was looked at for, or whose board was found where any was looked for.
    pub client: Option<String>,
    /// The theme that was recognised.
    pub theme: Option<String>,
    /// How the game stands.
    pub state: State,
    /// The size of the board, by the truth.
    pub size: Option<BoardSize>,
    /// What came of it.
    pub outcome: Outcome,
    /// The mine counter, where the client has one and the truth says what it must show.
    pub counter: Option<Counter>,
    /// Milliseconds that finding and reading took.
    pub ms: f64,
    /// The screenshot made small, if no board was read in it and there is one, or one is not there.
    #[serde(skip)]
    pub thumbnail: Option<RgbaImage>,
}

impl Checked {
    /// Tiles read wrongly, or not recognised.
    pub fn amiss(&self) -> &[Amiss] {
        if let Outcome::Read { amiss, .. } = &self.outcome { amiss } else { &[] }
    }

    /// Tiles read wrongly.
    pub fn wrong(&self) -> usize {
        self.amiss().iter().filter(|amiss| amiss.is_wrong()).count()
    }

    /// Tiles not recognised.
    pub fn not_recognised(&self) -> usize {
        self.amiss().len() - self.wrong()
    }

    /// Tiles read rightly.
    pub fn right(&self) -> usize {
        if let Outcome::Read { right, .. } = self.outcome { right } else { 0 }
    }

    /// Whether a board that should have been read was refused.
    pub fn is_refused(&self) -> bool {
        matches!(self.outcome, Outcome::Refused { is_right: false, .. })
    }

    /// Whether a board was found that is not there.
    pub fn is_wrong_board(&self) -> bool {
        matches!(self.outcome, Outcome::WrongBoard { .. })
    }

    /// Everything that must never happen, in words: a wrong tile, a wrong board, a wrong counter.
    pub fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        if let Outcome::WrongBoard { message } = &self.outcome {
            faults.push(message.clone());
        }
        for Amiss { cell, truth, read, score, lead, .. } in self.amiss().iter().filter(|amiss| amiss.is_wrong()) {
            let (truth, read) = (truth.to_char(), read.to_char());
            faults.push(format!("{cell} is {truth}, read as {read} (score {score:.2}, lead {lead:.2})"));
        }
        if let Some(counter) = self.counter.filter(|counter| counter.is_wrong()) {
            let read = counter.read.unwrap_or_default();
            faults.push(format!("{} mines are left, the counter is read as {read}", counter.left));
        }
        faults.into_iter().map(|fault| format!("{}: {fault}", self.image.display())).collect()
    }
}

/// Of so many tiles of a screenshot the pictures they were compared with are kept: more look alike.
const PICTURED: usize = 24;

/// Width of a screenshot made small, in pixels.
const THUMBNAIL: u32 = 480;

fn as_text<S: Serializer>(tile: &Tile, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_char(tile.to_char())
}

/// All screenshots in these folders and the folders in them. A screenshot belongs to the client whose name the innermost
/// folder has that is called like one.
///
/// # Errors
/// A folder that cannot be listed, a truth that cannot be read, or nothing at all.
pub fn fixtures(folders: &[PathBuf], clients: &[Client]) -> Result<Fixtures, CheckError> {
    let mut files = Vec::new();
    for folder in folders {
        list(folder, &mut files)?;
    }
    files.sort();
    files.dedup();
    let has_ending = |path: &Path, endings: &[&str]| {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        ending.is_some_and(|ending| endings.contains(&ending.as_str()))
    };
    let (images, others): (Vec<PathBuf>, Vec<PathBuf>) =
        files.into_iter().partition(|path| has_ending(path, &["png", "jpg", "jpeg", "gif"]));
    if images.is_empty() {
        let folders: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
        return Err(CheckError::Nothing { folders: folders.join(", ") });
    }
    let has_picture = |board: &PathBuf| images.iter().any(|image| image.with_extension("board") == **board);
    let boards = others.into_iter().filter(|path| has_ending(path, &["board"]));
    let lone_boards = boards.filter(|board| !has_picture(board)).collect();
    let screenshots = images.into_iter().map(|image| Fixture::new(image, clients)).collect::<Result<_, _>>()?;
    Ok(Fixtures { screenshots, lone_boards })
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), CheckError> {
    let wrong = |error| CheckError::Folder { path: folder.into(), error };
    for entry in std::fs::read_dir(folder).map_err(wrong)? {
        let entry = entry.map_err(wrong)?;
        // A link to a folder is not followed: it may lead back here.
        if entry.file_type().map_err(wrong)?.is_dir() {
            list(&entry.path(), files)?;
        } else {
            files.push(entry.path());
        }
    }
    Ok(())
}

impl Fixture {
    fn new(image: PathBuf, clients: &[Client]) -> Result<Self, CheckError> {
        let path = image.with_extension("board");
        let truth = if path.exists() {
            let text = match std::fs::read_to_string(&path) {
                Ok(text) => text,
                Err(error) => return Err(CheckError::File { path, error }),
            };
            Some(text.parse().map_err(|error| CheckError::Truth { path, error })?)
        } else {
            None
        };
        let named = |folder: &Path| {
            let name = folder.file_name()?.to_str()?;
            clients.iter().find(|client| client.name == name).map(|client| client.name.clone())
        };
        let absolute = std::path::absolute(&image).unwrap_or_else(|_| image.clone());
        let client = absolute.ancestors().skip(1).find_map(named);
        Ok(Self { image, truth, client })
    }

    /// The picture.
    ///
    /// # Errors
    /// A file that is no picture.
    pub fn open(&self) -> Result<Screenshot, CheckError> {
        let wrong = |error| CheckError::Picture { path: self.image.clone(), error };
        let file = image::ImageReader::open(&self.image).and_then(image::ImageReader::with_guessed_format);
        let picture = file.map_err(image::ImageError::IoError).and_then(image::ImageReader::decode).map_err(wrong)?;
        Ok(Screenshot::from_picture(picture.into_rgba8()))
    }
}

/// Reads all screenshots, as many at a time as there are cores, each with eyes that have seen no other; `done` is called after
/// every one. They come back in the same order.
///
/// # Errors
/// A file that is no picture.
pub fn check(
    fixtures: &[Fixture],
    clients: Vec<Client>,
    whose: Whose,
    done: &(dyn Fn() + Sync),
) -> Result<Vec<Checked>, CheckError> {
    let eyes: Vec<Eyes> = clients.into_iter().map(|client| Eyes::new(Arc::new(client))).collect();
    let check = |fixture: &Fixture| {
        let asked = fixture.client.as_ref().filter(|_| whose == Whose::Folder);
        let is_asked = |eyes: &&Eyes| asked.is_none_or(|name| eyes.client().name == *name);
        let mut eyes: Vec<Eyes> = eyes.iter().filter(is_asked).cloned().collect();
        let checked = read(fixture, &fixture.open()?, &mut eyes);
        done();
        Ok(checked)
    };
    fixtures.par_iter().map(check).collect()
}

/// Reads one screenshot and compares it with its truth.
fn read(fixture: &Fixture, shot: &Screenshot, eyes: &mut [Eyes]) -> Checked {
    let start = Instant::now();
    let found = find_any(eyes, shot).map(|(whose, sight)| {
        let reading = eyes[whose].read(shot, &sight);
        (whose, sight, reading)
    });
    let ms = start.elapsed().as_secs_f64() * 1e3;
    let taken_for = found.as_ref().ok().map(|(_, _, reading)| (reading.client.clone(), reading.theme.clone()));
    let state = fixture.truth.as_ref().map_or(State::None, State::of);
    let (outcome, counter) = match (found, &fixture.truth) {
        (Err(error), _) => (refused(&error, state), None),
        (Ok((.., reading)), None) => (wrong_board(&reading, "there is none to be read"), None),
        (Ok((whose, sight, reading)), Some(truth)) => judge(fixture, truth, shot, &eyes[whose], &sight, &reading),
    };
    let mut checked = Checked {
        image: fixture.image.clone(),
        client: fixture.client.clone().or(taken_for.as_ref().map(|(client, _)| client.clone())),
        theme: taken_for.map(|(_, theme)| theme),
        state,
        size: fixture.truth.as_ref().map(Board::size),
        outcome,
        counter,
        ms,
        thumbnail: None,
    };
    if checked.is_refused() || checked.is_wrong_board() {
        let (width, height) = shot.pixels.dimensions();
        let height = (u64::from(height) * u64::from(THUMBNAIL) / u64::from(width.max(1))).max(1) as u32;
        checked.thumbnail = Some(imageops::thumbnail(&shot.pixels, THUMBNAIL, height));
    }
    checked
}

fn refused(error: &LocateError, state: State) -> Outcome {
    Outcome::Refused { message: error.to_string(), is_right: matches!(state, State::None | State::Covered) }
}

fn wrong_board(reading: &Reading, truth: &str) -> Outcome {
    let (size, corner) = (reading.grid.size(), reading.grid.origin());
    let message = format!("found a {} board of {size} at {:.0},{:.0}; {truth}", reading.client, corner.x, corner.y);
    Outcome::WrongBoard { message }
}

/// A board that was read, against its truth.
fn judge(
    fixture: &Fixture,
    truth: &Board,
    shot: &Screenshot,
    eyes: &Eyes,
    sight: &Sight,
    reading: &Reading,
) -> (Outcome, Option<Counter>) {
    let size = reading.grid.size();
    if size != truth.size() {
        return (wrong_board(reading, &format!("it is {}", truth.size())), None);
    }
    if let Some(client) = fixture.client.as_ref().filter(|client| **client != reading.client) {
        return (wrong_board(reading, &format!("it is one of {client}")), None);
    }
    let (mut right, mut amiss) = (0, Vec::new());
    for (cell, tile) in size.cells().zip(&reading.tiles) {
        match truth.tile(cell) {
            Tile::Unrecognised => {}
            is if is == tile.tile => right += 1,
            is => amiss.push(Amiss {
                cell,
                truth: is,
                read: tile.tile,
                best: tile.best,
                score: tile.score,
                lead: tile.lead,
                runner_up: tile.runner_up.map(|(_, score)| score),
                pictures: (amiss.len() < PICTURED).then(|| pictures(shot, eyes, sight, (cell, is), tile)),
            }),
        }
    }
    (Outcome::Read { right, amiss }, counter(truth, shot, eyes, reading))
}

/// What a tile was compared with: the best picture, the best of another meaning, and the best of what it is.
fn pictures(
    shot: &Screenshot,
    eyes: &Eyes,
    sight: &Sight,
    (cell, truth): (Cell, Tile),
    tile: &TileReading,
) -> Pictures {
    let compared = eyes.compare(shot, sight, cell);
    let mut nearest: Vec<(Tile, f32, RgbaImage)> = Vec::new();
    let runner_up = tile.runner_up.map(|(tile, _)| tile);
    for wanted in [Some(tile.best), runner_up, Some(truth)].into_iter().flatten() {
        let found = compared.iter().find(|picture| picture.tile == wanted);
        if let Some(picture) = found.filter(|_| nearest.iter().all(|(tile, ..)| *tile != wanted)) {
            nearest.push((wanted, picture.score, picture.pixels.clone()));
        }
    }
    let area = sight.grid.tile(cell);
    let tile = imageops::crop_imm(&shot.pixels, area.left, area.top, area.width, area.height).to_image();
    Pictures { tile, nearest }
}

/// What the mine counter shows, where the truth tells: at the end of a game some clients turn up flags, so that what it says
/// is not on the board any more.
fn counter(truth: &Board, shot: &Screenshot, eyes: &Eyes, reading: &Reading) -> Option<Counter> {
    let state = State::of(truth);
    if eyes.client().counter.is_none() || matches!(state, State::Lost | State::Covered) {
        return None;
    }
    let flags = truth.tiles().iter().filter(|&&tile| tile == Tile::Flag).count();
    Some(Counter { left: truth.mines()? as i32 - flags as i32, read: eyes.mines_left(shot, reading) })
}

/// What came of all screenshots of one client, theme and state.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The client; `None` if it is not known.
    pub client: Option<String>,
    /// The theme; `None` if it is not known.
    pub theme: Option<String>,
    /// How the games stand; `None` in a row of all.
    pub state: Option<State>,
    /// Screenshots.
    pub screenshots: usize,
    /// Screenshots without a board that can be read, that were refused.
    pub rightly_refused: usize,
    /// Boards that were refused.
    pub refused: usize,
    /// Boards that are not there, or of another size or client.
    pub wrong_boards: usize,
    /// Tiles read rightly.
    pub right: usize,
    /// Tiles not recognised.
    pub not_recognised: usize,
    /// Tiles read wrongly.
    pub wrong: usize,
    /// Mine counters that should have been read.
    pub counters: usize,
    /// Those that were.
    pub counters_read: usize,
    /// Those that were read wrongly.
    pub counters_wrong: usize,
    /// Milliseconds a screenshot, the median.
    pub ms_median: f64,
    /// The same, the worst.
    pub ms_worst: f64,
}

impl Row {
    /// The sum of some screenshots.
    pub fn of<'a>(all: impl IntoIterator<Item = &'a Checked>) -> Self {
        let all: Vec<&Checked> = all.into_iter().collect();
        let sum = |count: fn(&Checked) -> usize| all.iter().map(|checked| count(checked)).sum::<usize>();
        let mut times: Vec<f64> = all.iter().map(|checked| checked.ms).collect();
        times.sort_by(f64::total_cmp);
        Self {
            client: None,
            theme: None,
            state: None,
            screenshots: all.len(),
            rightly_refused: sum(|one| usize::from(matches!(one.outcome, Outcome::Refused { is_right: true, .. }))),
            refused: sum(|one| one.is_refused().into()),
            wrong_boards: sum(|one| one.is_wrong_board().into()),
            right: sum(Checked::right),
            not_recognised: sum(Checked::not_recognised),
            wrong: sum(Checked::wrong),
            counters: sum(|one| one.counter.is_some().into()),
            counters_read: sum(|one| one.counter.is_some_and(|counter| counter.read.is_some()).into()),
            counters_wrong: sum(|one| one.counter.is_some_and(Counter::is_wrong).into()),
            ms_median: times.get(times.len() / 2).copied().unwrap_or(0.0),
            ms_worst: times.last().copied().unwrap_or(0.0),
        }
    }
}

/// One row for every client, theme and state there is.
pub fn rows(all: &[Checked]) -> Vec<Row> {
    let mut groups: BTreeMap<_, Vec<&Checked>> = BTreeMap::new();
    for checked in all {
        groups.entry((&checked.client, &checked.theme, checked.state)).or_default().push(checked);
    }
    let rows = groups.into_iter().map(|((client, theme, state), group)| Row {
        client: client.clone(),
        theme: theme.clone(),
        state: Some(state),
        ..Row::of(group)
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_told_by_the_truth() {
        for (text, state) in [
            ("2 1 1\n##", State::Untouched),
            ("3 1 1\n1##", State::Playing),
            ("2 1 1\n1#", State::Won),
            ("3 1 ?\n01F", State::Won),
            ("2 1 1\n1X", State::Lost),
            ("2 1 1\n~#", State::Covered),
        ] {
            assert_eq!(State::of(&text.parse().unwrap()), state, "{text}");
        }
    }
}
