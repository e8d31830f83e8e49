//! The real screen, mouse and keyboard. The mouse belongs to the person: everything stops as soon as the pointer is not
//! where the bot left it, or Escape is held. What may be clicked and typed is not decided here, but by [`super::Guarded`].

mod aim;
mod hands;
#[cfg(feature = "portable")]
mod portable;
#[cfg(all(target_os = "linux", feature = "wayland"))]
mod wayland;
#[cfg(windows)]
mod windows;
#[cfg(all(target_os = "linux", feature = "x11"))]
mod x11;

use super::screen::Screen;
use super::{Action, Capabilities, Click, Desktop, DesktopError, Keys, Program, ScreenRect, Way, Window, first};
use crate::geometry::{Rect, ScreenPoint};
use crate::screenshot::Screenshot;
pub use aim::Aim;
use hands::{Hands, Held, is_near};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The real screen, mouse and keyboard.
pub struct Live {
    screen: Screen,
    hands: Box<dyn Hands>,
    /// How the pointer must be corrected, monitor by monitor.
    aims: Vec<(ScreenRect, Aim)>,
    /// Since when the person holds Escape.
    escape: Option<Instant>,
    /// Where the bot left the pointer, once it has moved it.
    left_at: Option<ScreenPoint>,
    /// When it was seen after a click that no hand is on the mouse.
    checked: Option<Instant>,
    /// When it last typed.
    typed: Option<Instant>,
    monitors: Vec<ScreenRect>,
    /// When they were asked for.
    asked: Instant,
    started: Instant,
}

/// How long the system's monitors are taken for what they were...
const LATELY: Duration = Duration::from_millis(500);

/// ...and that no hand is on the mouse.
const JUST: Duration = Duration::from_millis(1);

/// How long a key is held: a program that looks at its keyboard once a frame sees none that is shorter (raylib, at 30 frames a second).
const PRESSED: Duration = Duration::from_millis(40);

/// Keys that follow each other sooner, as where a cursor is moved over a board, are each as short as can be.
const RUN: Duration = Duration::from_millis(60);

/// How long a key is held when the last one was released so long ago.
fn held(since: Option<Duration>) -> Duration {
    if since.is_some_and(|since| since < RUN) { Duration::ZERO } else { PRESSED }
}

/// How long the pointer may take to arrive; nothing is done meanwhile.
const ARRIVAL: Duration = Duration::from_secs(1);

/// So long Escape is held by a person who means it.
const HELD: Duration = Duration::from_millis(120);

/// Whether the bot holds a button down now.
static DOWN: AtomicBool = AtomicBool::new(false);

/// Waits until the bot holds no button down, for a moment at most: a program that ends meanwhile would leave it down.
pub fn let_go() {
    for _ in 0..200 {
        if !DOWN.load(Ordering::SeqCst) {
            return;
        }
        sleep(Duration::from_millis(1));
    }
}

/// Mouse and keyboard, by every kind of system that was compiled in; the first that is there is taken.
const WAYS: &[Way<Box<dyn Hands>>] = &[
    #[cfg(all(target_os = "linux", feature = "wayland"))]
    ("Wayland", || Ok(Box::new(wayland::Wayland::open()?))),
    #[cfg(all(target_os = "linux", feature = "x11"))]
    ("X11", || Ok(Box::new(x11::X11::connect()?))),
    #[cfg(windows)]
    ("Windows", || Ok(Box::new(windows::Windows))),
    #[cfg(feature = "portable")]
    ("enigo", || Ok(Box::new(portable::Portable::open()?))),
];

/// How far a pointer goes that is sent where it is.
const BESIDE: i32 = 3;

impl Live {
    /// Screen, mouse and keyboard. The pointer is moved to two points of every monitor, to see whether it goes where
    /// it is sent and by how much it must be corrected, and back.
    ///
    /// # Errors
    /// The screen cannot be captured, or the mouse does not obey.
    pub fn open() -> Result<Self, DesktopError> {
        let screen = Screen::open()?;
        let mut hands = first(WAYS).map_err(DesktopError::Input)?;
        let aims = aim::measured(hands.as_mut(), &screen.monitors())?;
        let now = Instant::now();
        let monitors = screen.monitors();
        Ok(Self {
            screen,
            hands,
            aims,
            escape: None,
            left_at: None,
            checked: None,
            typed: None,
            monitors,
            asked: now,
            started: now,
        })
    }

    /// How pictures are taken, for people.
    pub fn capture_name(&self) -> String {
        self.screen.capture_name()
    }

    /// What moves the pointer, for people.
    pub fn hands_name(&self) -> &'static str {
        self.hands.name()
    }

    /// How the mouse was measured on every monitor; nothing where the system does not tell where it is.
    pub fn aims(&self) -> &[(ScreenRect, Aim)] {
        &self.aims
    }

    /// Stops when the person has the mouse: the pointer is not where it was left, or waits in a corner. It is given time
    /// to arrive: a window manager that looks at a click first holds back what comes after it.
    fn check_hands_off(&mut self) -> Result<(), DesktopError> {
        let left_at = self.left_at;
        let began = Instant::now();
        loop {
            let held = self.hands.held(left_at)?;
            self.check_escape(held)?;
            if held.is_pointer_there && (left_at.is_some() || !self.is_in_a_corner()?) {
                return Ok(());
            }
            if began.elapsed() >= ARRIVAL {
                log::info!("the pointer was left at {left_at:?} and is at {:?}", self.hands.location()?);
                return Err(DesktopError::Taken);
            }
            sleep(Duration::from_millis(1));
        }
    }

    fn is_in_a_corner(&mut self) -> Result<bool, DesktopError> {
        let Some(now) = self.hands.location()? else { return Ok(false) };
        Ok(corners(self.monitors()).into_iter().any(|corner| is_near(now, corner)))
    }

    /// The monitors, as they were a moment ago at most: they are asked for before every click.
    fn monitors(&mut self) -> &[ScreenRect] {
        if self.asked.elapsed() >= LATELY {
            (self.asked, self.monitors) = (Instant::now(), self.screen.monitors());
        }
        &self.monitors
    }

    /// Stops when the person holds Escape. The bot's own taps are shorter.
    fn check_escape(&mut self, held: Held) -> Result<(), DesktopError> {
        if !held.is_escape_down {
            self.escape = None;
            return Ok(());
        }
        if self.escape.get_or_insert_with(Instant::now).elapsed() >= HELD { Err(DesktopError::Taken) } else { Ok(()) }
    }

    /// Waits until no button is down. A window manager may hold back all that follows a press until it has looked at it,
    /// and what is held back happens where the pointer is by then: moved on at once, the button would be released over
    /// another tile (openbox: 20 to 50 of 60 clicks without this, none of 180 with it).
    fn check_released(&mut self) -> Result<(), DesktopError> {
        let began = Instant::now();
        loop {
            let held = self.hands.held(self.left_at)?;
            if !held.is_button_down {
                let is_off = held.is_pointer_there && !held.is_escape_down;
                self.checked = is_off.then(Instant::now);
                return Ok(());
            }
            if began.elapsed() >= ARRIVAL {
                log::info!("a button stays down although it was released");
                return Err(DesktopError::Taken);
            }
            sleep(Duration::from_micros(50));
        }
    }

    /// The nearest point that the pointer can be sent to.
    fn on_screen(&mut self, point: ScreenPoint) -> ScreenPoint {
        let monitors = self.monitors();
        if monitors.iter().any(|monitor| monitor.contains(point)) { point } else { nearest(monitors, point) }
    }

    fn go(&mut self, point: ScreenPoint) -> Result<(), DesktopError> {
        let aim = self.aims.iter().find(|(monitor, _)| monitor.contains(point)).map_or(Aim::TRUE, |&(_, aim)| aim);
        if self.left_at.is_none() {
            self.hands.take()?;
        }
        self.hands.go(aim.correct(point))?;
        self.left_at = Some(point);
        Ok(())
    }

    /// A click, in this window if it is said, and nowhere else.
    fn click(&mut self, click: &Click, window: Option<Window>) -> Result<(), DesktopError> {
        let with: Option<Keys> = click.with.as_deref().map(parse_keys).transpose()?;
        if self.on_screen(click.at) != click.at {
            return Err(DesktopError::Foreign("it is partly beyond the edge of the screen"));
        }
        self.go(click.at)?;
        sleep(Duration::from_millis(click.touch.rest_ms));
        if window.is_none() || with.is_some() || click.touch.rest_ms > 0 {
            self.check_hands_off()?; // not pressed before it is there
        }
        if let Some(keys) = &with {
            self.hands.keys(keys, true)?;
        }
        DOWN.store(true, Ordering::SeqCst);
        let pressed = match window {
            Some(window) => self.press_on(window, click),
            None => self.hands.button(click.button, true),
        };
        if pressed.is_ok() {
            sleep(Duration::from_millis(click.touch.hold_ms));
            self.hands.button(click.button, false)?;
        }
        DOWN.store(false, Ordering::SeqCst);
        if let Some(keys) = &with {
            self.hands.keys(keys, false)?;
        }
        pressed?;
        self.check_released()
    }

    /// Presses the button as soon as the pointer is there.
    fn press_on(&mut self, window: Window, click: &Click) -> Result<(), DesktopError> {
        while !self.hands.press_on(window, click.at, click.button)? {
            self.check_hands_off()?;
        }
        Ok(())
    }
}

impl Live {
    fn act_on(&mut self, action: &Action, window: Option<Window>) -> Result<(), DesktopError> {
        // What was seen after the click before is still true.
        if self.checked.take().is_none_or(|checked| checked.elapsed() >= JUST) {
            self.check_hands_off()?;
        }
        match action {
            Action::Click(click) => self.click(click, window),
            Action::Keys(text) | Action::Answer(text) => {
                let keys = parse_keys(text)?;
                let hold = held(self.typed.map(|typed| typed.elapsed()));
                match window {
                    Some(window) => self.hands.press_into(window, &keys)?,
                    None => self.hands.keys(&keys, true)?,
                }
                sleep(hold);
                self.hands.keys(&keys, false)?;
                self.typed = Some(Instant::now());
                Ok(())
            }
            Action::Point(point) => {
                let point = self.on_screen(*point);
                // Who waits for the pointer to move sees it move, also where it was left there.
                if self.left_at == Some(point) {
                    let beside = self.on_screen(ScreenPoint { x: point.x + BESIDE, ..point });
                    let beside = if beside == point { ScreenPoint { x: point.x - BESIDE, ..point } } else { beside };
                    self.go(beside)?;
                }
                self.go(point)
            }
            Action::Raise | Action::Close | Action::Start => Ok(()),
        }
    }
}

impl Desktop for Live {
    fn look(&mut self, part: Option<ScreenRect>) -> Result<Screenshot, DesktopError> {
        self.screen.look(part)
    }

    fn is_unchanged(
        &mut self,
        part: Option<ScreenRect>,
        seen: &Screenshot,
        within: Rect,
    ) -> Result<bool, DesktopError> {
        self.screen.is_unchanged(part, seen, within)
    }

    fn capabilities(&mut self) -> Capabilities {
        let Capabilities { capture_part, pointer_in_pictures, .. } = self.screen.capabilities();
        Capabilities { capture_part, pointer_in_pictures, ..self.hands.capabilities() }
    }

    fn window_at(&mut self, at: ScreenPoint) -> Option<Window> {
        self.hands.window_at(at)
    }

    fn window_titled(&mut self, titles: &[String]) -> Option<Window> {
        self.hands.window_titled(titles)
    }

    fn title_of(&mut self, window: Window) -> Option<String> {
        self.hands.title_of(window)
    }

    fn window_of_keys(&mut self) -> Option<Window> {
        self.hands.window_of_keys()
    }

    fn window_now(&mut self, window: Window) -> Option<Window> {
        self.hands.window_now(window)
    }

    fn has_gone(&mut self, window: Window) -> bool {
        self.hands.has_gone(window)
    }

    fn may_have_windows(&mut self, window: Window) -> bool {
        self.hands.may_have_windows(window)
    }

    fn comes_after(&mut self, window: Window, other: Window) -> bool {
        self.hands.comes_after(window, other)
    }

    fn raise(&mut self, window: Window) -> Result<(), DesktopError> {
        self.check_hands_off()?;
        self.hands.raise(window)
    }

    fn is_dialog(&mut self, window: Window) -> bool {
        self.hands.is_dialog(window)
    }

    fn close(&mut self, window: Window) -> Result<(), DesktopError> {
        self.check_hands_off()?;
        self.hands.close(window)
    }

    fn program_of(&mut self, window: Window) -> Option<Program> {
        Program::of(self.hands.process_of(window)?)
    }

    fn runs(&mut self, program: &Program) -> bool {
        program.runs()
    }

    fn is_alone(&mut self, program: &Program) -> bool {
        program.is_alone()
    }

    fn start(&mut self, program: &Program) -> Result<Option<Program>, DesktopError> {
        self.check_hands_off()?;
        let name = program.command.join(" ".as_ref());
        log::info!("starting {} in {}", name.display(), program.folder.display());
        let started = program.start();
        started
            .map(Some)
            .map_err(|why| DesktopError::Input(format!("{} cannot be started again: {why}", name.display())))
    }

    fn act(&mut self, action: &Action) -> Result<(), DesktopError> {
        self.act_on(action, None)
    }

    fn act_in(&mut self, action: &Action, window: Window) -> Result<(), DesktopError> {
        self.act_on(action, Some(window))
    }

    fn wait(&mut self, time: Duration) -> Result<(), DesktopError> {
        sleep(time);
        self.check_hands_off()
    }

    fn wait_for_paint(&mut self, within: ScreenRect, longest: Duration) -> Result<Option<bool>, DesktopError> {
        let told = self.screen.wait_for_paint(within, longest)?;
        self.check_hands_off()?;
        Ok(told)
    }

    fn clock(&mut self) -> Duration {
        self.started.elapsed()
    }

    fn resume(&mut self) {
        self.left_at = None;
    }
}

fn parse_keys(text: &str) -> Result<Keys, DesktopError> {
    text.parse().map_err(|error: super::UnknownKey| DesktopError::Input(error.to_string()))
}

/// The point of the screen that is nearest to another one: a pointer sent beyond the edge stays there, and would not be where it was
/// left.
fn nearest(monitors: &[ScreenRect], to: ScreenPoint) -> ScreenPoint {
    let within = |of: &ScreenRect| {
        let clamp = |at: i32, from: i32, length: u32| at.clamp(from, from.saturating_add_unsigned(length.max(1) - 1));
        ScreenPoint { x: clamp(to.x, of.corner.x, of.width), y: clamp(to.y, of.corner.y, of.height) }
    };
    let away = |point: &ScreenPoint| f64::from(point.x.abs_diff(to.x)).hypot(f64::from(point.y.abs_diff(to.y))) as u64;
    monitors.iter().map(within).min_by_key(away).unwrap_or(to)
}

fn corners(monitors: &[ScreenRect]) -> Vec<ScreenPoint> {
    let of = |rect: &ScreenRect| {
        let (left, top) = (rect.corner.x, rect.corner.y);
        let (right, bottom) = (left + rect.width as i32 - 1, top + rect.height as i32 - 1);
        [(left, top), (right, top), (left, bottom), (right, bottom)].map(|(x, y)| ScreenPoint { x, y })
    };
    monitors.iter().flat_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pointer_is_sent_to_no_place_beyond_the_screen() {
        let point = |x, y| ScreenPoint { x, y };
        let left = ScreenRect { corner: point(-1280, 0), width: 1280, height: 1024 };
        let right = ScreenRect { corner: point(0, 0), width: 1920, height: 1080 };
        for (to, arrives) in [
            ((5, 7), (5, 7)),
            ((528, 1158), (528, 1079)),
            ((2000, -3), (1919, 0)),
            ((-5, 1030), (0, 1030)),
            ((-50, 1030), (-50, 1023)),
            ((-1400, 3000), (-1280, 1023)),
        ] {
            assert_eq!(nearest(&[left, right], point(to.0, to.1)), point(arrives.0, arrives.1), "{to:?}");
        }
        assert_eq!(nearest(&[], point(5, 7)), point(5, 7), "the system tells of no screen");
    }
}
