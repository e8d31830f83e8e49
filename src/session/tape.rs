//! One game being recorded, in memory.

use super::discreet::hide_the_rest;
use super::pictures::{Pictures, encode, encode_opaque, print};
use super::{Chosen, End, Event, Failure, FailureKind, Line, Look, SESSION, Seen, SessionError, Start, frames_folder};
use crate::board::Board;
use crate::desktop::{DesktopError, Note, ScreenRect};
use crate::screenshot::Screenshot;
use crate::solver::{Decision, Reason};
use crate::vision::{Grid, Reading};
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

/// The name of the last picture of a game.
const LAST: &str = "last.png";

/// One game being recorded: its events, and its pictures as PNGs. Nothing is on the disk before [`Tape::save`].
#[derive(Debug)]
pub struct Tape {
    game: u64,
    began: Duration,
    lines: Vec<Line>,
    frames: Vec<(String, Vec<u8>)>,
    pictures: Pictures,
    last_rows: Vec<String>,
    last_grid: Option<Grid>,
    last_look: Option<Look>,
    bytes: usize,
    keeps_all: bool,
}

/// The most that one game keeps in memory, in bytes of its pictures; a game of an hour takes some 50 MB.
const MOST_BYTES: usize = 256 << 20;

/// The most events of one game.
const MOST_LINES: usize = 1 << 20;

impl Tape {
    /// A game that begins now.
    pub fn new(start: Start, now: Duration) -> Self {
        let last_grid = start.grid.clone();
        let mut tape = Self {
            game: start.game,
            began: now,
            lines: Vec::new(),
            frames: Vec::new(),
            pictures: Pictures::default(),
            last_rows: Vec::new(),
            last_grid,
            last_look: None,
            bytes: 0,
            keeps_all: false,
        };
        tape.push(now, Event::Game(Box::new(start)));
        tape
    }

    /// Keeps all of the screen wherever the bot looked at all of it. Otherwise, what it never looked at but together with everything else
    /// is black: only the board and what is around it is of interest, and the rest nobody's business.
    pub fn keep_all(&mut self) {
        self.keeps_all = true;
    }

    /// Adds something that happened.
    pub fn push(&mut self, now: Duration, event: Event) {
        // Microseconds are more than enough, and short to write.
        let ms = now.saturating_sub(self.began).as_micros() as f64 / 1000.0;
        if !self.is_full() {
            self.lines.push(Line { ms, event });
        }
    }

    /// Adds a look.
    pub fn look(&mut self, now: Duration, part: Option<ScreenRect>, shot: &Screenshot) {
        let size = [shot.pixels.width(), shot.pixels.height()];
        let (mut frame, mut at) = (None, [0, 0]);
        if let Some(change) = self.pictures.next(shot.origin, &shot.pixels) {
            let name = format!("{:05}.png", self.frames.len() + 1);
            if !self.is_full() {
                let png = encode(&change);
                self.bytes += png.len();
                self.frames.push((name.clone(), png));
            }
            (frame, at) = (Some(name), change.at);
        }
        let print = print(&shot.pixels);
        let look = Look { part, origin: shot.origin, scale: shot.scale, size, frame, at, print };
        self.last_look = Some(look.clone());
        self.push(now, Event::Look(look));
    }

    /// Adds what the bot made of what it saw.
    pub fn note(&mut self, now: Duration, note: Note<'_>) {
        let event = match note {
            Note::Reading(_, reading) => {
                let seen = Seen::of(reading, self.last_grid.as_ref());
                self.last_rows.clone_from(&seen.rows);
                self.last_grid = Some(reading.grid.clone());
                Event::Reading(seen)
            }
            Note::Decision(board, decision) => Event::Decision(Chosen::of(board, decision, &self.last_rows)),
        };
        self.push(now, event);
    }

    /// Adds a failure of the screen or the mouse.
    pub fn failed(&mut self, now: Duration, doing: &str, error: &DesktopError) {
        let kind = match error {
            DesktopError::Taken => FailureKind::Taken,
            DesktopError::Stopped => FailureKind::Stopped,
            DesktopError::Foreign(_) => FailureKind::Foreign,
            DesktopError::Black => FailureKind::Black,
            _ => FailureKind::Other,
        };
        self.push(now, Event::Failed(Failure { doing: doing.to_owned(), kind, message: error.to_string() }));
    }

    /// How many bytes its pictures take.
    pub fn picture_bytes(&self) -> usize {
        self.bytes
    }

    /// Whether the game went on for longer than can be kept: it is not saved.
    pub fn is_full(&self) -> bool {
        self.bytes >= MOST_BYTES || self.lines.len() >= MOST_LINES
    }

    /// How many times the bot looked.
    pub fn looks(&self) -> usize {
        self.lines.iter().filter(|line| matches!(line.event, Event::Look(_))).count()
    }

    /// Where in the run folder its last picture is going to be as a whole, for people to look at.
    pub fn last_frame(&self) -> Option<String> {
        self.last_look.is_some().then(|| frames_folder(self.game).join(LAST).display().to_string())
    }

    /// Writes the game into a run folder, once it is over.
    ///
    /// # Errors
    /// The folder cannot be written; what was written of the game is taken away again.
    pub fn save(mut self, folder: &Path, now: Duration, end: End) -> Result<(), SessionError> {
        self.push(now, Event::End(end));
        let hidden =
            if self.keeps_all { Pictures::default() } else { hide_the_rest(&mut self.lines, &mut self.frames) };
        let last = self.last_look.as_ref().and_then(|look| {
            let picture = hidden.last(look.origin, look.size).or(self.pictures.last(look.origin, look.size))?;
            Some(encode_opaque(picture))
        });
        let frames = folder.join(frames_folder(self.game));
        let written = self.write_frames(&frames, last).and_then(|()| {
            let file = folder.join(SESSION);
            append(&file, &self.lines).map_err(|why| SessionError::Disk { file, why })
        });
        written.inspect_err(|_| {
            let _ = std::fs::remove_dir_all(&frames);
        })
    }

    fn write_frames(&self, frames: &Path, last: Option<Vec<u8>>) -> Result<(), SessionError> {
        let disk = |file: &Path, why| SessionError::Disk { file: file.to_owned(), why };
        std::fs::create_dir_all(frames).map_err(|why| disk(frames, why))?;
        let last = last.map(|png| (LAST.to_owned(), png));
        for (name, png) in self.frames.iter().chain(&last) {
            let file = frames.join(name);
            std::fs::write(&file, tighter(png)).map_err(|why| disk(&file, why))?;
        }
        // Once all are written: the first one to be on the disk brings most of the others there.
        for (name, _) in self.frames.iter().chain(&last) {
            let file = frames.join(name);
            // Windows brings only what may be written to the disk.
            let open = std::fs::File::options().write(true).open(&file);
            open.and_then(|open| open.sync_all()).map_err(|why| disk(&file, why))?;
        }
        Ok(())
    }
}

impl Seen {
    /// What was read, as it is recorded after a reading of a minefield at `last_grid`.
    pub fn of(reading: &Reading, last_grid: Option<&Grid>) -> Self {
        let tiles: Vec<char> = reading.tiles.iter().map(|tile| tile.tile.to_char()).collect();
        let rows = tiles.chunks(reading.grid.size().width.max(1) as usize).map(|row| row.iter().collect()).collect();
        let grid = (last_grid != Some(&reading.grid)).then(|| reading.grid.clone());
        Self { rows, lowest_score: reading.lowest_score(), mines_left: reading.mines_left, grid }
    }
}

impl Chosen {
    /// What was decided, as it is recorded after a reading of `last_rows`.
    pub fn of(board: &Board, decision: &Decision, last_rows: &[String]) -> Self {
        let rows: Vec<String> = board.rows().collect();
        let guess = match decision.reason {
            Reason::Certain => None,
            Reason::Guess { kind, .. } => Some(kind),
        };
        Self {
            rows: (rows != last_rows).then_some(rows),
            total: board.mines(),
            open: decision.open.clone(),
            mines: decision.mines.clone(),
            risk: decision.reason.risk(),
            guess,
        }
    }
}

/// Adds the lines to the file in one write; if that fails it is as it was.
fn append(file: &Path, lines: &[Line]) -> io::Result<()> {
    let mut text = Vec::new();
    for line in lines {
        serde_json::to_writer(&mut text, line)?;
        text.push(b'\n');
    }
    let mut log = OpenOptions::new().read(true).append(true).create(true).open(file)?;
    let length = log.metadata()?.len();
    // A kill may have left half a line: it must not run into ours.
    if length > 0 && !ends_with_line_feed(file)? {
        text.insert(0, b'\n');
    }
    log.write_all(&text).and_then(|()| log.sync_data()).inspect_err(|_| {
        let _ = log.set_len(length);
    })
}

fn ends_with_line_feed(file: &Path) -> io::Result<bool> {
    use std::io::{Read, Seek, SeekFrom};
    let mut file = std::fs::File::open(file)?;
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

/// The same picture in less room. This takes time, so it is not done while a game is played, nor for games that are not
/// kept.
fn tighter(png: &[u8]) -> Vec<u8> {
    let mut tight = Vec::new();
    let encoder = PngEncoder::new_with_quality(&mut tight, CompressionType::Default, FilterType::Adaptive);
    let written = image::load_from_memory(png).and_then(|picture| picture.write_with_encoder(encoder));
    if written.is_ok() && tight.len() < png.len() { tight } else { png.to_vec() }
}
