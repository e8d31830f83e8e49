//! Pages of a client before its first board: the way to the next game is gone from where it may be.

use super::Abort;
use crate::client::{Client, Spot, Stand, Step};
use crate::desktop::{Action, Desktop, DesktopError, ScreenRect, windows};
use crate::geometry::{Pixel, ScreenPoint};
use crate::vision::{Eyes, Grid, find_any};
use std::time::Duration;

/// What is waited for what a click brings up.
const COMES: Duration = Duration::from_millis(600);

/// Makes the clicks of the client's way to a new game in its window while no board shows: first the last of them, then the last two, and so
/// on, for fewer pages may be before the first board than after a game. Whether a board shows then. Nothing is clicked unless the way, and the
/// window, are one client's and clear.
///
/// # Errors
/// Screen or mouse fail.
pub fn through_pages(desktop: &mut impl Desktop, eyes: &mut [Eyes]) -> Result<bool, Abort> {
    let ways: Vec<(Stand, Vec<Spot>, u64)> = eyes.iter().filter_map(|eyes| way(eyes.client())).collect();
    let [(stand, clicks, hold_ms)] = ways.as_slice() else { return Ok(false) };
    let screen = desktop.look(None)?;
    let Some(window) = windows::own(desktop, &screen, None) else { return Ok(false) };
    let edges = |corner: i32, from: i32, tile: f64, count: u32| -> Vec<f64> {
        (0..=count).map(|index| f64::from(corner) + f64::from(from) + f64::from(index) * tile).collect()
    };
    let grid = Grid {
        columns: edges(window.corner.x, stand.corner[0], stand.tile[0], stand.size[0]),
        lines: edges(window.corner.y, stand.corner[1], stand.tile[1], stand.size[1]),
    };
    for from in (0..clicks.len()).rev() {
        for &click in &clicks[from..] {
            let Pixel { x, y } = grid.spot(click);
            let at = ScreenPoint { x: x.round() as i32, y: y.round() as i32 };
            if desktop.window_at(at).is_none_or(|found| found.program != window.program) {
                return Ok(false);
            }
            let place = ScreenRect { corner: ScreenPoint { x: at.x - 2, y: at.y - 2 }, width: 5, height: 5 };
            desktop.allow(&[place, place]);
            let press = crate::client::Press { button: crate::client::Button::Left, with: None };
            match desktop.act(&Action::Click(super::aim::click(&press, at, *hold_ms))) {
                Err(DesktopError::Foreign(_)) => return Ok(false),
                other => other?,
            }
            desktop.wait(COMES)?;
        }
        desktop.allow(&[]);
        let screen = desktop.look(None)?;
        if find_any(eyes, &screen).is_ok() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Where a client's board stands in its window, the clicks of its way to a new game, and how long each is held; nothing if it has no such way.
fn way(client: &Client) -> Option<(Stand, Vec<Spot>, u64)> {
    let hands = &client.hands;
    let stand = hands.stand.filter(|stand| stand.size.iter().all(|&tiles| (1..=MOST).contains(&tiles)))?;
    let parts = hands.new_game.first()?.parts();
    let clicks: Vec<Spot> =
        parts.into_iter().filter_map(|step| if let Step::Click(spot) = step { Some(*spot) } else { None }).collect();
    (!clicks.is_empty()).then_some((stand, clicks, hands.hold_ms))
}

/// Tiles of a side, at most.
const MOST: u32 = 1000;
