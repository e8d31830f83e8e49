//! A recorded game as an animated picture: what the bot saw, with its view drawn in (grid, risks, next click).

pub mod view;

use crate::geometry::ScreenPoint;
use crate::session::{Change, Moment, Pictures, Recorded, SessionError};
use gif::{DisposalMethod, Encoder, EncodingError, Frame, Repeat};
use image::{RgbaImage, imageops};
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

/// How long the decisions are shown, whatever the bot took: to be followed by people.
const CERTAIN: Duration = Duration::from_millis(160);
const GUESS: Duration = Duration::from_millis(700);
const END: Duration = Duration::from_millis(3000);

/// How thoroughly colours are chosen where there are more than 256: 1 is best, 30 is fastest.
const SPEED: i32 = 10;

/// How much of the surroundings is shown, in tiles.
const MARGIN: f64 = 3.6;

/// What a film came out as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Film {
    /// Pictures in it.
    pub frames: usize,
    /// Width and height in pixels.
    pub size: (u32, u32),
}

/// Why there is no film.
#[derive(Debug, thiserror::Error)]
pub enum FilmError {
    /// The session's pictures cannot be used.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// There is nothing to show.
    #[error("game {0} has no decision to show")]
    Empty(u64),
    /// It cannot be written.
    #[error("{} cannot be written: {problem}", .file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// Why.
        problem: String,
    },
}

/// Writes the film of a game to `file`.
///
/// # Errors
/// See [`FilmError`].
pub fn film(game: &Recorded, file: &std::path::Path) -> Result<Film, FilmError> {
    let write_error = |problem: String| FilmError::Write { file: file.to_owned(), problem };
    let reel = Reel::of(game)?;
    if reel.frames.is_empty() {
        return Err(FilmError::Empty(game.number()));
    }
    if u16::try_from(reel.size.0.max(reel.size.1)).is_err() {
        return Err(write_error("the board is too large for a GIF".to_owned()));
    }
    let film = Film { frames: reel.frames.len(), size: reel.size };
    let out = std::fs::File::create(file).map_err(|error| write_error(error.to_string()))?;
    let mut out = std::io::BufWriter::new(out);
    reel.write(&mut out).map_err(|error| write_error(error.to_string()))?;
    out.flush().map_err(|error| write_error(error.to_string()))?;
    Ok(film)
}

/// The pictures of a film, each as what changed since the one before, with how long it is shown.
struct Reel {
    size: (u32, u32),
    frames: Vec<(Change, Duration)>,
    shown: Pictures,
}

impl Reel {
    fn of(game: &Recorded) -> Result<Self, FilmError> {
        let mut reel = Reel { size: (0, 0), frames: Vec::new(), shown: Pictures::default() };
        let mut window = None;
        let last = game.moments(|moment| {
            let size = moment.picture.dimensions();
            // The part of the screen that is shown stays the same, or the film would jump.
            let (first, shown) = *window.get_or_insert_with(|| (size, moment.grid.around(size, MARGIN)));
            if first == size {
                let mut picture = moment.picture.clone();
                view::draw(&mut picture, &moment.grid, &moment.board, moment.chosen);
                reel.add(&crop(&picture, shown), time(&moment));
            }
        })?;
        if let (Some((size, shown)), Some(picture)) = (window, last)
            && picture.dimensions() == size
        {
            reel.add(&crop(&picture, shown), END);
        }
        Ok(reel)
    }

    fn add(&mut self, picture: &RgbaImage, time: Duration) {
        match (self.shown.next(ScreenPoint { x: 0, y: 0 }, picture), self.frames.last_mut()) {
            (Some(change), _) => {
                self.size = picture.dimensions();
                self.frames.push((change, time));
            }
            (None, Some((_, shown))) => *shown += time,
            (None, None) => {}
        }
    }

    /// Every picture is painted over the one before; what did not change is transparent.
    fn write(self, out: &mut impl Write) -> Result<(), EncodingError> {
        let (width, height) = (self.size.0 as u16, self.size.1 as u16);
        let mut gif = Encoder::new(out, width, height, &[])?;
        gif.set_repeat(Repeat::Infinite)?;
        for (Change { at, pixels }, time) in self.frames {
            let (width, height) = (pixels.width() as u16, pixels.height() as u16);
            let mut frame = Frame::from_rgba_speed(width, height, &mut pixels.into_raw(), SPEED);
            (frame.left, frame.top) = (at[0] as u16, at[1] as u16);
            frame.delay = (time.as_millis() / 10) as u16;
            frame.dispose = DisposalMethod::Keep;
            gif.write_frame(&frame)?;
        }
        Ok(())
    }
}

fn time(moment: &Moment<'_>) -> Duration {
    if moment.chosen.guess.is_some() { GUESS } else { CERTAIN }
}

fn crop(picture: &RgbaImage, part: crate::geometry::Rect) -> RgbaImage {
    imageops::crop_imm(picture, part.left, part.top, part.width, part.height).to_image()
}
