//! The mouse and the keyboard, through enigo; measured before they are trusted.

use crate::client::Button;
use crate::desktop::{DesktopError, Key, Keys, ScreenRect};
use crate::geometry::ScreenPoint;
use enigo::{Coordinate, Direction, Enigo, Keyboard, Mouse as _, Settings};
use std::thread::sleep;
use std::time::Duration;

/// How the pointer must be sent so that it arrives: `asked = (wanted - offset) / ratio`, across and down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aim {
    /// How far the pointer goes for one unit asked.
    pub ratio: (f64, f64),
    /// Where it arrives when it is sent to 0, 0.
    pub offset: (f64, f64),
}

impl Aim {
    /// It arrives where it is sent.
    pub const TRUE: Aim = Aim { ratio: (1.0, 1.0), offset: (0.0, 0.0) };

    /// From two points asked for and the points where the pointer arrived.
    pub fn measured(asked: [ScreenPoint; 2], found: [ScreenPoint; 2]) -> Option<Aim> {
        let line = |asked: [i32; 2], found: [i32; 2]| {
            let ratio = f64::from(found[1] - found[0]) / f64::from(asked[1] - asked[0]);
            // Within rounding of the truth: believed to be it.
            let whole = found.iter().zip(asked).all(|(found, asked)| found.abs_diff(asked) <= 1);
            let line = if whole { (1.0, 0.0) } else { (ratio, f64::from(found[0]) - ratio * f64::from(asked[0])) };
            // A pointer that does not move, or hardly, does not obey at all.
            (0.1..10.0).contains(&line.0).then_some(line)
        };
        let (ratio_x, offset_x) = line(asked.map(|point| point.x), found.map(|point| point.x))?;
        let (ratio_y, offset_y) = line(asked.map(|point| point.y), found.map(|point| point.y))?;
        Some(Aim { ratio: (ratio_x, ratio_y), offset: (offset_x, offset_y) })
    }

    fn correct(self, wanted: ScreenPoint) -> ScreenPoint {
        let ask = |wanted: i32, ratio: f64, offset: f64| ((f64::from(wanted) - offset) / ratio).round() as i32;
        ScreenPoint { x: ask(wanted.x, self.ratio.0, self.offset.0), y: ask(wanted.y, self.ratio.1, self.offset.1) }
    }
}

/// The mouse and the keyboard.
pub struct Mouse {
    /// One for the whole run: every new one costs a connection and the reading of the keyboard's layout.
    enigo: Enigo,
    aims: Vec<(ScreenRect, Aim)>,
}

impl Mouse {
    /// Connects, and measures the pointer on every monitor.
    pub fn measured(monitors: &[ScreenRect]) -> Result<Self, DesktopError> {
        #[cfg(target_os = "windows")]
        if enigo::set_dpi_awareness().is_err() {
            log::warn!("the process keeps its own display scale");
        }
        // The default delay makes every click last 24 ms; whatever a client needs is said by its calibration.
        let settings = Settings { linux_delay: 0, ..Settings::default() };
        let enigo = Enigo::new(&settings).map_err(|error| DesktopError::Input(with_advice(&error)))?;
        let mut mouse = Self { enigo, aims: Vec::new() };
        let home = mouse.location()?;
        for &monitor in monitors {
            let aim = mouse.measure(monitor)?;
            log::debug!("pointer on the monitor at {},{}: {aim:?}", monitor.corner.x, monitor.corner.y);
            mouse.aims.push((monitor, aim));
        }
        mouse.go(home)?;
        Ok(mouse)
    }

    /// How the pointer was measured on every monitor.
    pub fn aims(&self) -> &[(ScreenRect, Aim)] {
        &self.aims
    }

    fn measure(&mut self, monitor: ScreenRect) -> Result<Aim, DesktopError> {
        let at = |thirds: i32| ScreenPoint {
            x: monitor.corner.x + monitor.width as i32 * thirds / 3,
            y: monitor.corner.y + monitor.height as i32 * thirds / 3,
        };
        let asked = [at(1), at(2)];
        let mut found = asked;
        for (asked, found) in asked.iter().zip(&mut found) {
            self.send(*asked)?;
            *found = self.location()?;
            for _ in 0..20 {
                // Some systems move the pointer a moment later.
                if *found == *asked {
                    break;
                }
                sleep(Duration::from_millis(5));
                *found = self.location()?;
            }
        }
        Aim::measured(asked, found).ok_or_else(|| {
            DesktopError::Input(format!(
                "the pointer was sent to {:?} and went to {:?}; is another program holding it, or is the permission to \
                 control the mouse missing?",
                asked.map(|point| (point.x, point.y)),
                found.map(|point| (point.x, point.y))
            ))
        })
    }

    /// Where the pointer is.
    pub fn location(&self) -> Result<ScreenPoint, DesktopError> {
        let (x, y) = self.enigo.location().map_err(input)?;
        Ok(ScreenPoint { x, y })
    }

    /// Moves the pointer.
    pub fn go(&mut self, point: ScreenPoint) -> Result<(), DesktopError> {
        let aim = self.aims.iter().find(|(monitor, _)| monitor.contains(point)).map_or(Aim::TRUE, |&(_, aim)| aim);
        self.send(aim.correct(point))
    }

    fn send(&mut self, point: ScreenPoint) -> Result<(), DesktopError> {
        self.enigo.move_mouse(point.x, point.y, Coordinate::Abs).map_err(input)
    }

    /// Presses a button where the pointer is, or releases it.
    pub fn button(&mut self, button: Button, is_press: bool) -> Result<(), DesktopError> {
        let button = match button {
            Button::Left => enigo::Button::Left,
            Button::Middle => enigo::Button::Middle,
            Button::Right => enigo::Button::Right,
        };
        self.enigo.button(button, if is_press { Direction::Press } else { Direction::Release }).map_err(input)
    }

    /// Presses keys, in their order.
    pub fn press_keys(&mut self, keys: &Keys) -> Result<(), DesktopError> {
        keys.0.iter().try_for_each(|&key| self.enigo.key(enigo_key(key), Direction::Press).map_err(input))
    }

    /// Releases them, the last one first.
    pub fn release_keys(&mut self, keys: &Keys) -> Result<(), DesktopError> {
        keys.0.iter().rev().try_for_each(|&key| self.enigo.key(enigo_key(key), Direction::Release).map_err(input))
    }
}

fn enigo_key(key: Key) -> enigo::Key {
    use enigo::Key as E;
    match key {
        Key::Ctrl => E::Control,
        Key::Alt => E::Alt,
        Key::Shift => E::Shift,
        Key::Meta => E::Meta,
        Key::Return => E::Return,
        Key::Escape => E::Escape,
        Key::Tab => E::Tab,
        Key::Space => E::Space,
        Key::Backspace => E::Backspace,
        Key::Left => E::LeftArrow,
        Key::Right => E::RightArrow,
        Key::Up => E::UpArrow,
        Key::Down => E::DownArrow,
        Key::F(number) => {
            const F: [E; 12] = [E::F1, E::F2, E::F3, E::F4, E::F5, E::F6, E::F7, E::F8, E::F9, E::F10, E::F11, E::F12];
            F[usize::from(number.clamp(1, 12)) - 1]
        }
        Key::Char(character) => E::Unicode(character),
    }
}

fn input(error: enigo::InputError) -> DesktopError {
    DesktopError::Input(error.to_string())
}

fn with_advice(error: &enigo::NewConError) -> String {
    let advice = if cfg!(target_os = "macos") {
        "allow this terminal under System Settings, Privacy & Security, Accessibility"
    } else if cfg!(target_os = "windows") {
        "a window that runs as administrator only obeys programs that do too"
    } else {
        "is DISPLAY set, and may this user use it? Wayland needs a compositor that lets programs move the pointer"
    };
    format!("{error}; {advice}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(x: i32, y: i32) -> ScreenPoint {
        ScreenPoint { x, y }
    }

    #[test]
    fn a_pointer_that_obeys_is_not_corrected() {
        let asked = [point(640, 360), point(1280, 720)];
        assert_eq!(Aim::measured(asked, asked), Some(Aim::TRUE));
        assert_eq!(Aim::measured(asked, [point(641, 360), point(1280, 721)]), Some(Aim::TRUE), "rounding");
    }

    #[test]
    fn a_scaled_pointer_is_corrected() {
        let asked = [point(-640, 300), point(-1280, 600)];
        let aim = Aim::measured(asked, [point(-960, 450), point(-1920, 900)]).unwrap();
        assert_eq!(aim.correct(point(-1500, 750)), point(-1000, 500));
    }

    #[test]
    fn a_pointer_that_stays_put_is_refused() {
        let asked = [point(640, 360), point(1280, 720)];
        assert_eq!(Aim::measured(asked, [point(5, 5), point(5, 5)]), None);
    }
}
