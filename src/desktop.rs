//! The only seam between the bot and the world: [`Desktop`]. The real screen (`screen`), it with mouse and keyboard (`live`), the
//! built-in client (`simulated`), and what [`crate::session`] records and plays again all stand behind it.

mod capabilities;
mod guard;
mod keys;
#[cfg(feature = "hands")]
pub mod live;
mod program;
#[cfg(feature = "eyes")]
pub mod screen;
pub mod simulated;
pub mod stoppable;
#[cfg(all(target_os = "linux", feature = "wayland-eyes"))]
mod wayland;
pub mod windows;

use crate::board::Board;
use crate::client::{Button, Touch};
pub use crate::geometry::ScreenRect;
use crate::geometry::{Rect, ScreenPoint};
use crate::screenshot::Screenshot;
use crate::solver::Decision;
use crate::vision::Reading;
pub use capabilities::{Capabilities, Pointer};
pub use guard::Guarded;
pub use keys::{Key, Keys, UnknownKey};
pub use program::Program;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A press and release of a button at one point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Click {
    /// Which button.
    pub button: Button,
    /// Where.
    pub at: ScreenPoint,
    /// How it is pressed.
    #[serde(flatten)]
    pub touch: Touch,
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
    /// The same for a dialog of the client's: typed only while one has the keyboard, as far as the system tells.
    Answer(String),
    /// A dialog of the client's that has the keyboard, or lies over its board, is told to close, as by its own button for that; where there is
    /// none, nothing.
    Close,
    /// Move the pointer, without a click: off the board, before the next look.
    Point(ScreenPoint),
    /// The client's window, or what is in place of it where that has gone, to the front and wholly onto the screen, and the keyboard to it. What was
    /// minimised stays so.
    Raise,
    /// The client's program is started again as it was: it ended with its game, or its window is closed first, unless it has started other
    /// programs, as a browser or a terminal has. Where it is not known how it was started, nothing.
    Start,
}

/// A window of the screen, as far as the system tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Which.
    pub id: u64,
    /// The program it belongs to; a dialog belongs to that of its window.
    pub program: u64,
    /// Its top left corner, in the mouse's units.
    pub corner: ScreenPoint,
}

impl Window {
    /// Where there is no window, or one that has just gone.
    pub const NONE: Window = Window { id: 0, program: 0, corner: ScreenPoint { x: 0, y: 0 } };
}

/// What the bot makes of what it sees, told to the desktop so that a recorder can keep it and a replay compare it.
#[derive(Clone, Copy, Debug)]
pub enum Note<'a> {
    /// What was read of the last look.
    Reading(&'a Screenshot, &'a Reading),
    /// What is going to be done on this board.
    Decision(&'a Board, &'a Decision),
}

/// The screen, the mouse, and the time.
///
/// A game must depend on nothing that changes but what comes through here, the clock included: then a recorded game
/// can be replayed, click by click.
///
/// A desktop that is put around another one names it in [`Desktop::behind`]; whatever else it does not say itself, that one does.
pub trait Desktop {
    /// The desktop that this one is put around, if it is.
    fn behind(&mut self) -> Option<&mut dyn Desktop> {
        None
    }

    /// What can be done and known here.
    fn capabilities(&mut self) -> Capabilities {
        self.behind().map_or(Capabilities::ALL, |behind| behind.capabilities())
    }

    /// What is on the screen now: all of it, or the part asked for (a desktop may give more than that part).
    ///
    /// # Errors
    /// The screen cannot be captured.
    fn look(&mut self, part: Option<ScreenRect>) -> Result<Screenshot, DesktopError>;

    /// Whether another look at the screen, or a part of it, would still show, `within` its picture, what was `seen` there.
    ///
    /// # Errors
    /// The screen cannot be captured.
    fn is_unchanged(
        &mut self,
        part: Option<ScreenRect>,
        seen: &Screenshot,
        within: Rect,
    ) -> Result<bool, DesktopError> {
        match self.behind() {
            Some(behind) => behind.is_unchanged(part, seen, within),
            None => Ok(self.look(part)?.shows_the_same(within, seen, within)),
        }
    }

    /// Tells where clicks are allowed from now on: the board first, then the client's controls. [`Guarded`] refuses anything
    /// else, and whatever would go to a window other than the one that shows the board now.
    fn allow(&mut self, areas: &[ScreenRect]) {
        if let Some(behind) = self.behind() {
            behind.allow(areas);
        }
    }

    /// Lets keys go to the window with one of these titles, and answers to its dialogs, before any board is known; nothing may be clicked
    /// then. Whether there is such a window.
    fn allow_titled(&mut self, titles: &[String]) -> bool {
        self.behind().is_some_and(|behind| behind.allow_titled(titles))
    }

    /// The only window that shows and has one of these titles; nothing if there is none, or several, or the system does not tell.
    fn window_titled(&mut self, titles: &[String]) -> Option<Window> {
        self.behind()?.window_titled(titles)
    }

    /// What a window is called now; nothing where the system does not tell.
    fn title_of(&mut self, window: Window) -> Option<String> {
        self.behind()?.title_of(window)
    }

    /// The window that a click at a point would go to; nothing where the system does not tell.
    fn window_at(&mut self, at: ScreenPoint) -> Option<Window> {
        self.behind()?.window_at(at)
    }

    /// The window that is typed into; nothing where the system does not tell.
    fn window_of_keys(&mut self) -> Option<Window> {
        self.behind()?.window_of_keys()
    }

    /// The same window as it is now; nothing if it is gone, or the system does not tell.
    fn window_now(&mut self, window: Window) -> Option<Window> {
        self.behind()?.window_now(window)
    }

    /// Whether a window is gone for good, and not only minimised or off the screen, as far as the system tells.
    fn has_gone(&mut self, window: Window) -> bool {
        self.behind().is_some_and(|behind| behind.has_gone(window))
    }

    /// Whether the program that made a window may have others, whether they show or not: only where the system tells that it has none it has not.
    fn may_have_windows(&mut self, window: Window) -> bool {
        self.behind().is_none_or(|behind| behind.may_have_windows(window))
    }

    /// Whether a window was made after another one, as far as the system tells.
    fn comes_after(&mut self, window: Window, other: Window) -> bool {
        self.behind().is_some_and(|behind| behind.comes_after(window, other))
    }

    /// Whether a window goes on with the client where the one that showed its board has gone: another one of its program that was made after it, or any
    /// of a program that has started no others, as a menu that was there from the start: a browser has, and shows more than the client. Or one of
    /// the program as it was started again. Not where the system does not tell.
    fn is_in_place_of(&mut self, window: Window, gone: Window) -> bool {
        self.behind().is_some_and(|behind| behind.is_in_place_of(window, gone))
    }

    /// Whether a board at this place is in another window than the one that shows the board that was allowed, while that one is still
    /// there; not where the system does not tell.
    fn is_elsewhere(&mut self, board: ScreenRect) -> bool {
        self.behind().is_some_and(|behind| behind.is_elsewhere(board))
    }

    /// Moves what is allowed along with the window that shows the board, and tells how far that has moved since the last time, in
    /// the mouse's units; nothing if that is not known.
    fn follow(&mut self) -> Option<(i32, i32)> {
        self.behind()?.follow()
    }

    /// Whether another window of the program that shows the board has the keyboard: a dialog, which may cover it. Not where the system
    /// does not tell.
    fn has_dialog(&mut self) -> bool {
        self.behind().is_some_and(|behind| behind.has_dialog())
    }

    /// Brings a window to the front and gives it the keyboard, where the system lets programs do so, and moves it onto the screen if it hangs over its
    /// edge and fits; one that is minimised stays so.
    ///
    /// # Errors
    /// The person asked to stop.
    fn raise(&mut self, window: Window) -> Result<(), DesktopError> {
        self.behind().map_or(Ok(()), |behind| behind.raise(window))
    }

    /// Whether a window is there for another one, as a dialog or a menu is, or has no frame as a window of its own would: a second game of the
    /// same program, or another window of a browser, is none of the bot's.
    fn is_dialog(&mut self, window: Window) -> bool {
        self.behind().is_some_and(|behind| behind.is_dialog(window))
    }

    /// Tells a window to close, where the system lets programs do so.
    ///
    /// # Errors
    /// The person asked to stop.
    fn close(&mut self, window: Window) -> Result<(), DesktopError> {
        self.behind().map_or(Ok(()), |behind| behind.close(window))
    }

    /// How the program of a window was started, where the system tells.
    fn program_of(&mut self, window: Window) -> Option<Program> {
        self.behind()?.program_of(window)
    }

    /// Whether a program runs, as far as the system tells.
    fn runs(&mut self, program: &Program) -> bool {
        self.behind().is_some_and(|behind| behind.runs(program))
    }

    /// Whether a program runs and has started no other, as far as the system tells.
    fn is_alone(&mut self, program: &Program) -> bool {
        self.behind().is_some_and(|behind| behind.is_alone(program))
    }

    /// Whether the client's program has started no other, as far as the system tells: a browser has, and does more than the client.
    fn client_is_alone(&mut self) -> bool {
        self.behind().is_none_or(|behind| behind.client_is_alone())
    }

    /// Starts a program once more, as it was started: the one that runs now, where the system lets programs do so.
    ///
    /// # Errors
    /// It cannot be started, or the person asked to stop.
    fn start(&mut self, program: &Program) -> Result<Option<Program>, DesktopError> {
        self.behind().map_or(Ok(None), |behind| behind.start(program))
    }

    /// Does it.
    ///
    /// # Errors
    /// The mouse or keyboard cannot be used, the place is not allowed, or the person has taken the mouse.
    fn act(&mut self, action: &Action) -> Result<(), DesktopError>;

    /// Does it if a click hits this very window where it was, or what is typed goes to it; asked as late as can be.
    ///
    /// # Errors
    /// As [`Desktop::act`], and [`DesktopError::Foreign`] if another window is in the way.
    fn act_in(&mut self, action: &Action, window: Window) -> Result<(), DesktopError> {
        if let Some(behind) = self.behind() {
            return behind.act_in(action, window);
        }
        match action {
            Action::Click(click) => {
                self.act(&Action::Point(click.at))?;
                let found = self.window_at(click.at);
                check_window(found, window)?;
            }
            Action::Keys(_) | Action::Answer(_) => check_typed_into(self.window_of_keys(), window)?,
            Action::Point(_) | Action::Raise | Action::Close | Action::Start => {}
        }
        self.act(action)
    }

    /// Lets `time` pass; a desktop without a clock only counts it.
    ///
    /// # Errors
    /// The person has taken the mouse meanwhile, or asked to stop.
    fn wait(&mut self, time: Duration) -> Result<(), DesktopError>;

    /// Lets time pass until something is painted in this part of the screen, `longest` at most. Whether something was since the last
    /// call; nothing where the system does not tell.
    ///
    /// # Errors
    /// As [`Desktop::wait`].
    fn wait_for_paint(&mut self, within: ScreenRect, longest: Duration) -> Result<Option<bool>, DesktopError> {
        match self.behind() {
            Some(behind) => behind.wait_for_paint(within, longest),
            None => self.wait(longest).map(|()| None),
        }
    }

    /// The time since some fixed moment, to decide by (has the client had long enough to paint?). A desktop without
    /// a clock counts its waits.
    fn clock(&mut self) -> Duration;

    /// Hears what the bot makes of what it saw. Most desktops do not care.
    ///
    /// # Errors
    /// It is not what was recorded.
    fn note(&mut self, note: Note<'_>) -> Result<(), DesktopError> {
        self.behind().map_or(Ok(()), |behind| behind.note(note))
    }

    /// The person has had the mouse for a while, with the bot's knowledge, and leaves it where it is now.
    fn resume(&mut self) {
        if let Some(behind) = self.behind() {
            behind.resume();
        }
    }
}

impl Desktop for Box<dyn Desktop> {
    fn behind(&mut self) -> Option<&mut dyn Desktop> {
        Some(&mut **self)
    }

    fn look(&mut self, part: Option<ScreenRect>) -> Result<Screenshot, DesktopError> {
        (**self).look(part)
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
}

/// Whether a click hits the window it is meant for, where that was.
fn check_window(found: Option<Window>, wanted: Window) -> Result<(), DesktopError> {
    match found {
        Some(found) if found == wanted => Ok(()),
        Some(found) if found.id == wanted.id => Err(DesktopError::Foreign("it has moved")),
        _ => Err(DesktopError::Foreign("under the pointer")),
    }
}

/// Whether what is typed goes to the window it is meant for.
fn check_typed_into(found: Option<Window>, wanted: Window) -> Result<(), DesktopError> {
    match found {
        Some(found) if found.id == wanted.id => Ok(()),
        _ => Err(DesktopError::Foreign("it has the keyboard")),
    }
}

/// One way to use a screen or a mouse: what it is called, and how it is opened.
#[cfg(feature = "eyes")]
type Way<T> = (&'static str, fn() -> Result<T, String>);

/// The first way that works; else why none of them does.
#[cfg(feature = "eyes")]
fn first<T>(ways: &[Way<T>]) -> Result<T, String> {
    let mut reasons = Vec::new();
    for (name, open) in ways {
        match open() {
            Ok(found) => return Ok(found),
            Err(reason) => {
                log::info!("not through {name}: {reason}");
                reasons.push(format!("{name}: {reason}"));
            }
        }
    }
    if reasons.is_empty() {
        return Err(
            "this minesight was built without any way to this system's: build it with its default features".into()
        );
    }
    Err(reasons.join("; "))
}

/// The smallest rectangle that holds all monitors.
#[cfg(any(windows, feature = "wayland-eyes", feature = "portable-eyes"))]
fn everything(monitors: &[ScreenRect]) -> ScreenRect {
    let left = monitors.iter().map(|place| place.corner.x).min().unwrap_or(0);
    let top = monitors.iter().map(|place| place.corner.y).min().unwrap_or(0);
    let right = monitors.iter().map(|place| place.corner.x + place.width as i32).max().unwrap_or(0);
    let bottom = monitors.iter().map(|place| place.corner.y + place.height as i32).max().unwrap_or(0);
    ScreenRect { corner: ScreenPoint { x: left, y: top }, width: (right - left) as u32, height: (bottom - top) as u32 }
}

/// Whether the session is a Wayland one, where an X server knows only some of the windows.
#[cfg(all(target_os = "linux", any(feature = "x11-eyes", feature = "wayland-eyes")))]
fn is_wayland() -> bool {
    std::env::var_os("WAYLAND_DISPLAY").is_some() || std::env::var_os("WAYLAND_SOCKET").is_some()
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
    /// What was to be clicked or typed would have gone to another window: never carried out.
    #[error("another window is in the way of the client's ({0}); nothing was sent to it")]
    Foreign(&'static str),
    /// The pointer is not where the bot left it.
    #[error("the mouse was moved, or Escape was held; the bot stopped and leaves the mouse to you")]
    Taken,
    /// The person asked to stop (Ctrl+C).
    #[error("stopped on request")]
    Stopped,
    /// There are no more recorded pictures, or what is recorded differs from what the bot does.
    #[error("{0}")]
    Replay(String),
}

impl DesktopError {
    /// Whether there was no picture of the screen to be had; there may be one a moment later.
    pub fn is_without_picture(&self) -> bool {
        matches!(self, DesktopError::Capture(_) | DesktopError::Black)
    }
}
