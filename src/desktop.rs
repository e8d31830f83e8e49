//! The only seam between the bot and the world: [`Desktop`]. Real screen and mouse (`live`), the built-in client
//! (`simulated`), a recorder around another desktop (`record`), and saved pictures (`replay`) all stand behind it.

mod keys;
#[cfg(feature = "live")]
pub mod live;
pub mod record;
pub mod replay;
pub mod simulated;
pub mod stoppable;

use crate::board::Board;
use crate::client::Button;
use crate::geometry::ScreenPoint;
use crate::screenshot::Screenshot;
use crate::solver::Decision;
use crate::vision::Reading;
pub use keys::{Key, Keys, UnknownKey};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A part of the screen, in the mouse's units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScreenRect {
    /// Its top left corner.
    pub corner: ScreenPoint,
    /// Width in the mouse's units.
    pub width: u32,
    /// Height in the mouse's units.
    pub height: u32,
}

impl ScreenRect {
    /// Whether `point` lies inside.
    pub fn contains(self, point: ScreenPoint) -> bool {
        let (dx, dy) = (i64::from(point.x) - i64::from(self.corner.x), i64::from(point.y) - i64::from(self.corner.y));
        (0..i64::from(self.width)).contains(&dx) && (0..i64::from(self.height)).contains(&dy)
    }

    /// What both have in common, if they have.
    pub fn overlap(self, other: ScreenRect) -> Option<ScreenRect> {
        let span = |from: i32, length: u32, other_from: i32, other_length: u32| {
            let start = i64::from(from.max(other_from));
            let end = (i64::from(from) + i64::from(length)).min(i64::from(other_from) + i64::from(other_length));
            (end > start).then_some((start as i32, (end - start) as u32))
        };
        let (x, width) = span(self.corner.x, self.width, other.corner.x, other.width)?;
        let (y, height) = span(self.corner.y, self.height, other.corner.y, other.height)?;
        Some(ScreenRect { corner: ScreenPoint { x, y }, width, height })
    }
}

/// A press and release of a button at one point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Click {
    /// Which button.
    pub button: Button,
    /// Where.
    pub at: ScreenPoint,
    /// How long it stays down, in milliseconds.
    #[serde(default)]
    pub hold_ms: u64,
    /// Keys held meanwhile, as in "ctrl" (some clients flag with Ctrl+click).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with: Option<String>,
}

/// What the bot does to the world.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// A click.
    Click(Click),
    /// Keys pressed together and released, as in "F2" or "ctrl+r".
    Keys(String),
    /// Move the pointer, without a click: off the board, before the next look.
    Point(ScreenPoint),
}

/// What the bot makes of what it sees, told to the desktop so that a recorder can keep it and a replay compare it.
#[derive(Clone, Copy, Debug)]
pub enum Note<'a> {
    /// What was read of the last look.
    Reading(&'a Reading),
    /// What is going to be done on this board.
    Decision(&'a Board, &'a Decision),
}

/// The screen, the mouse, and the time.
///
/// A game must depend on nothing that changes but what comes through here, the clock included: then a recorded game
/// can be replayed, click by click.
pub trait Desktop {
    /// What is on the screen now: all of it, or the part asked for (a desktop may give more than that part).
    ///
    /// # Errors
    /// The screen cannot be captured.
    fn look(&mut self, part: Option<ScreenRect>) -> Result<Screenshot, DesktopError>;

    /// Tells where clicks are allowed from now on: the board and the client's controls. Anything else is refused.
    fn allow(&mut self, areas: &[ScreenRect]);

    /// Does it.
    ///
    /// # Errors
    /// The mouse or keyboard cannot be used, the place is not allowed, or the person has taken the mouse.
    fn act(&mut self, action: &Action) -> Result<(), DesktopError>;

    /// Lets `time` pass; a desktop without a clock only counts it.
    ///
    /// # Errors
    /// The person has taken the mouse meanwhile, or asked to stop.
    fn wait(&mut self, time: Duration) -> Result<(), DesktopError>;

    /// The time since some fixed moment, to decide by (has the client had long enough to paint?). A desktop without
    /// a clock counts its waits.
    fn clock(&mut self) -> Duration;

    /// Hears what the bot makes of what it saw. Most desktops do not care.
    ///
    /// # Errors
    /// It is not what was recorded.
    fn note(&mut self, note: Note<'_>) -> Result<(), DesktopError> {
        let _ = note;
        Ok(())
    }

    /// The person has had the mouse for a while, with the bot's knowledge, and leaves it where it is now.
    fn resume(&mut self) {}
}

impl<D: Desktop + ?Sized> Desktop for Box<D> {
    fn look(&mut self, part: Option<ScreenRect>) -> Result<Screenshot, DesktopError> {
        (**self).look(part)
    }

    fn allow(&mut self, areas: &[ScreenRect]) {
        (**self).allow(areas);
    }

    fn act(&mut self, action: &Action) -> Result<(), DesktopError> {
        (**self).act(action)
    }

    fn wait(&mut self, time: Duration) -> Result<(), DesktopError> {
        (**self).wait(time)
    }

    fn clock(&mut self) -> Duration {
        (**self).clock()
    }

    fn note(&mut self, note: Note<'_>) -> Result<(), DesktopError> {
        (**self).note(note)
    }

    fn resume(&mut self) {
        (**self).resume();
    }
}

/// What can go wrong between the bot and the world.
#[derive(Debug, thiserror::Error)]
pub enum DesktopError {
    /// There is no screen to look at, or it gives no picture.
    #[error("the screen cannot be captured: {0}")]
    Capture(String),
    /// A picture without anything on it is no picture of a screen that is in use.
    #[error(
        "the captured screen is entirely black: it may be off or locked, the permission to record the screen may be \
         missing, or there is nothing on it; show the client, then try `minesight doctor`"
    )]
    Black,
    /// Mouse or keyboard do not obey.
    #[error("mouse or keyboard cannot be used: {0}")]
    Input(String),
    /// A click outside of what was allowed: never carried out.
    #[error("refused to click at {},{}: outside of the board and the client's controls", .0.x, .0.y)]
    NotAllowed(ScreenPoint),
    /// The pointer is not where the bot left it.
    #[error("the mouse was moved by someone else; the bot stopped and leaves the mouse to you")]
    Taken,
    /// The person asked to stop (Ctrl+C).
    #[error("stopped on request")]
    Stopped,
    /// There are no more recorded pictures, or what is recorded differs from what the bot does.
    #[error("{0}")]
    Replay(String),
}
