//! The pointer, measured before it is trusted: where it goes when it is sent somewhere, on every monitor.

use super::hands::Hands;
use crate::desktop::{DesktopError, ScreenRect};
use crate::geometry::ScreenPoint;
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

    /// Where the pointer must be sent to arrive there.
    pub fn correct(self, wanted: ScreenPoint) -> ScreenPoint {
        let ask = |wanted: i32, ratio: f64, offset: f64| ((f64::from(wanted) - offset) / ratio).round() as i32;
        ScreenPoint { x: ask(wanted.x, self.ratio.0, self.offset.0), y: ask(wanted.y, self.ratio.1, self.offset.1) }
    }
}

/// Sends the pointer to two points of every monitor, to see whether it obeys and by how much it must be corrected, and back.
/// A monitor it cannot be sent to is left out, unless it is the last one. Nothing where the system does not tell where it is.
pub fn measured(hands: &mut dyn Hands, monitors: &[ScreenRect]) -> Result<Vec<(ScreenRect, Aim)>, DesktopError> {
    let Some(home) = hands.location()? else { return Ok(Vec::new()) };
    let (mut aims, mut refused) = (Vec::new(), None);
    for &monitor in monitors {
        let corner = monitor.corner;
        match measure(hands, monitor) {
            Ok(aim) => {
                log::debug!("pointer on the monitor at {},{}: {aim:?}", corner.x, corner.y);
                aims.push((monitor, aim));
            }
            Err(reason) => {
                log::warn!("the monitor at {},{} is left out: {reason}", corner.x, corner.y);
                refused = Some(reason);
            }
        }
    }
    hands.go(home)?;
    match refused {
        Some(reason) if aims.is_empty() => Err(reason),
        _ => Ok(aims),
    }
}

fn measure(hands: &mut dyn Hands, monitor: ScreenRect) -> Result<Aim, DesktopError> {
    let at = |thirds: i32| ScreenPoint {
        x: monitor.corner.x + monitor.width as i32 * thirds / 3,
        y: monitor.corner.y + monitor.height as i32 * thirds / 3,
    };
    let asked = [at(1), at(2)];
    let mut found = asked;
    for (asked, found) in asked.iter().zip(&mut found) {
        hands.go(*asked)?;
        *found = hands.location()?.unwrap_or(*asked);
        for _ in 0..20 {
            // Some systems move the pointer a moment later.
            if *found == *asked {
                break;
            }
            sleep(Duration::from_millis(5));
            *found = hands.location()?.unwrap_or(*asked);
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
