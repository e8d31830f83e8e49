//! A board that stands in another place, or has another size, than the last one.

use super::{Explorer, GOES};
use crate::calibrate::meaning::Meanings;
use crate::calibrate::steady;
use crate::client::Step;
use crate::desktop::{Action, Desktop, DesktopError, Window};
use crate::geometry::{Pixel, Rect, ScreenRect};
use crate::screenshot::Screenshot;
use crate::vision::unknown::looks::{ALIKE, Looks};
use crate::vision::{Grid, boards_of_any_look, cut_off};
use image::RgbaImage;

/// Pictures of a board of another size that are taken until two of them show the same.
const STEADY: usize = 5;
/// Pixels within which tiles are of one size.
const ONE_SIZE: f64 = 0.25;
/// Pixels of a board that are compared first where it is looked for, and the share of all that may differ.
const SAMPLES: u32 = 64;
const ELSEWHERE: f64 = 0.02;
/// Room around the board that is looked at, for what a client shows there: in tiles, and in pixels where these are small, for buttons are no smaller.
const MARGIN: f64 = 8.0;
const ROOM: f64 = 400.0;

impl<D: Desktop> Explorer<'_, D> {
    /// Looks for the untouched board on the whole screen: a new game may stand in another place, or in a window of its own. Whether it does.
    pub fn find_elsewhere(&mut self) -> Result<bool, DesktopError> {
        self.bring_in()?;
        let Some((picture, grid)) = &self.untouched else { return Ok(false) };
        let screen = self.desktop.look(None)?;
        let Some(by) = place_of(picture, grid.bounds(), &screen.pixels) else { return Ok(false) };
        let grid = grid.moved(-by.0, -by.1);
        if screen.to_screen(grid.origin()) == self.shot.to_screen(self.grid.origin()) {
            return Ok(false);
        }
        // What is as large as it may be a part of a larger one.
        let is_part = self.notes.evidence.misfit(&screen.pixels, &grid).into_iter().any(|more| more > 0);
        if is_part
            && let Some(window) = self.window_in_place()
            && self.look_for_another_size(window)?
        {
            return Ok(true);
        }
        log::debug!("the board is elsewhere by now");
        self.go_to(&screen, &grid).map(|()| true)
    }

    /// Brings a window that is in place of the board's wholly onto the screen, once.
    fn bring_in(&mut self) -> Result<(), DesktopError> {
        if !self.window_has_gone() {
            return Ok(());
        }
        let new = self.window_in_place().map(|window| window.id);
        if new.is_some() && self.brought_in != new {
            self.brought_in = new;
            self.desktop.act(&Action::Raise)?;
            self.desktop.wait(GOES)?;
        }
        Ok(())
    }

    /// Scrolls to a board of which the window shows a part only, as it did at first, if there is one; what was typed for that.
    pub fn scrolls_to_it(&mut self) -> Result<Option<Step>, DesktopError> {
        let Some(scroll) = self.notes.scroll.clone() else { return Ok(None) };
        let screen = self.desktop.look(None)?;
        let boards = self.boards_on(&screen.pixels);
        let is_cut = boards.iter().any(|grid| self.is_as_large(grid) && !cut_off(&screen.pixels, grid).is_empty());
        if !is_cut {
            return Ok(None);
        }
        self.carry_out(&scroll)?;
        steady(self.desktop)?;
        // The board was elsewhere before: it must not be followed from there.
        self.shot = self.desktop.look(Some(self.region))?;
        Ok(Some(scroll))
    }

    /// The boards of any look on the screen, which are searched once as long as it shows the same: what is tried for a new game mostly changes nothing.
    fn boards_on(&mut self, screen: &RgbaImage) -> Vec<Grid> {
        match &self.searched {
            Some((last, boards)) if last == screen => boards.clone(),
            _ => {
                let boards = boards_of_any_look(screen);
                self.searched = Some((screen.clone(), boards.clone()));
                boards
            }
        }
    }

    /// Whether tiles are as large as the board's.
    fn is_as_large(&self, grid: &Grid) -> bool {
        let ((wide, high), (across, down)) = (grid.pitch(), self.grid.pitch());
        (wide - across).abs() < ONE_SIZE && (high - down).abs() < ONE_SIZE
    }

    /// Looks for an untouched board of another size in a window of the client, where what is left of the last one is gone: a menu of levels may
    /// lead to one. Whether there is one.
    pub fn find_another_size(&mut self) -> Result<bool, DesktopError> {
        // What a dialog leaves to be seen of the last one is none.
        let is_gone = self.window_has_gone() || self.shows_little() && !self.desktop.has_dialog();
        let Some(window) = self.window_in_place().filter(|_| is_gone) else { return Ok(false) };
        self.look_for_another_size(window)
    }

    /// Whether few tiles are hidden where the last board was, or nothing shows there but hidden tiles and what is none: a smaller board may lie on the same
    /// lines.
    fn shows_little(&self) -> bool {
        let evidence = &self.notes.evidence;
        let looks = evidence.looks.recognise(&self.unshaded(), &self.grid);
        let hidden = looks.iter().filter(|look| evidence.is_hidden(**look)).count();
        let known = looks.iter().flatten().count();
        2 * hidden < looks.len() || hidden == known && known < looks.len()
    }

    /// The same, whatever is left of the last one.
    pub(super) fn look_for_another_size(&mut self, window: Window) -> Result<bool, DesktopError> {
        let mut before: Option<Grid> = None;
        for look in 0..STEADY {
            let screen = self.desktop.look(None)?;
            let grids = self.boards_on(&screen.pixels).into_iter();
            let grids: Vec<Grid> =
                grids.map(|grid| aligned(grid, |moved| self.shows_known_tiles(&screen, moved))).collect();
            let found = grids.into_iter().find(|grid| {
                let middle = screen.to_screen(grid.bounds().center());
                let is_its_own = self.desktop.window_at(middle).is_some_and(|found| found.program == window.program);
                let is_untouched = || Looks::new(ALIKE).sort(&screen.pixels, grid).iter().all(|look| *look == Some(0));
                // What goes on beyond the window cannot be played, nor understood.
                let is_whole = || cut_off(&screen.pixels, grid).is_empty();
                let is_new = grid.size() != self.size() && is_its_own && is_untouched();
                is_new && self.shows_known_tiles(&screen, grid) && !self.is_part(&screen, grid) && is_whole()
            });
            if before.is_some()
                && before == found
                && let Some(grid) = found
            {
                log::debug!("there is a board of {} now", grid.size());
                self.go_to(&screen, &grid)?;
                self.traps.clear();
                // Tiles of another size may be drawn otherwise.
                if self.notes.turn_to(self.grid.pitch()) {
                    self.meanings = Meanings::default();
                }
                let scene = self.scene(false);
                self.notes.evidence.take_as_untouched(scene);
                return Ok(true);
            }
            if look > 0 && before.is_none() && found.is_none() {
                break;
            }
            // A menu may still lie over a part of it.
            before = found;
            self.desktop.wait(GOES)?;
        }
        Ok(false)
    }

    /// Whether a board on the screen, if its tiles are as large as those of the last one, looks as that did when it was untouched: else its grid lies beside
    /// its tiles, as where a part of it is out of the window.
    fn shows_known_tiles(&self, screen: &Screenshot, grid: &Grid) -> bool {
        let looks = self.notes.evidence.looks.recognise(&screen.pixels, grid);
        let hidden = looks.iter().filter(|look| self.notes.evidence.is_hidden(**look)).count();
        !self.is_as_large(grid) || 2 * hidden > looks.len()
    }

    /// Whether a board on the screen is but a part of the last one, the rest of which is still there: what nobody opened of it looks untouched. Or all of
    /// it, with several of its tiles taken for one.
    fn is_part(&self, screen: &Screenshot, grid: &Grid) -> bool {
        let (own, (across, down)) = (self.grid_on(screen), self.grid.pitch());
        let is_near = |a: f64, b: f64, pitch: f64| (a - b).abs() < pitch / 4.0;
        let is_line = |edge: &f64, edges: &[f64], pitch: f64| edges.iter().any(|own| is_near(*edge, *own, pitch));
        let lies_on_it = grid.columns.iter().all(|edge| is_line(edge, &own.columns, across))
            && grid.lines.iter().all(|edge| is_line(edge, &own.lines, down));
        let looks = self.notes.evidence.looks.recognise(&screen.pixels, &own);
        let bounds = grid.bounds();
        let rest: Vec<bool> = own
            .size()
            .cells()
            .zip(&looks)
            .filter(|(cell, _)| !bounds.contains(own.center(*cell)))
            .map(|(_, look)| look.is_some())
            .collect();
        // What a client paints over its tiles may make two of them look like one that is twice as wide.
        let is_of_several = grid.pitch().0 > 1.5 * across || grid.pitch().1 > 1.5 * down;
        // Nor is what it lays over all of them known.
        lies_on_it
            && (is_of_several || self.is_shaded() || 2 * rest.iter().filter(|is_known| **is_known).count() > rest.len())
    }

    /// Where the board is in a picture of the whole screen.
    pub fn grid_on(&self, screen: &Screenshot) -> Grid {
        let origin = self.grid.origin();
        let there = screen.to_pixel(self.shot.to_screen(origin));
        self.grid.moved(origin.x - there.x, origin.y - there.y)
    }

    /// From now on the board is at this place of a picture of the whole screen, and untouched.
    fn go_to(&mut self, screen: &Screenshot, grid: &Grid) -> Result<(), DesktopError> {
        (self.grid, self.region, self.shot) = surroundings(self.desktop, screen, grid)?;
        self.untouched = Some((self.shot.pixels.clone(), self.grid.clone()));
        (self.calm, self.running, self.is_moved) = (None, None, false);
        self.find_window();
        self.allow(&[]);
        Ok(())
    }
}

/// A grid moved by so few pixels that it shows tiles that are known: where every tile has several lines around it, any of them may have been taken for its
/// edge.
fn aligned(grid: Grid, shows_known_tiles: impl Fn(&Grid) -> bool) -> Grid {
    let near = [0.0, 1.0, -1.0, 2.0, -2.0];
    let mut moved = near.iter().flat_map(|dx| near.iter().map(|dy| grid.moved(*dx, *dy)));
    moved.find(|moved| shows_known_tiles(moved)).unwrap_or(grid)
}

/// A board that is somewhere in a picture of the whole screen: where it is in a picture of it and what is around it, that place, and the picture.
pub(super) fn surroundings(
    desktop: &mut impl Desktop,
    screen: &Screenshot,
    grid: &Grid,
) -> Result<(Grid, ScreenRect, Screenshot), DesktopError> {
    let (across, down) = grid.pitch();
    let place = grid.around(screen.pixels.dimensions(), MARGIN.max(ROOM / across.min(down)));
    let corner = screen.to_screen(Pixel { x: f64::from(place.left), y: f64::from(place.top) });
    let end =
        screen.to_screen(Pixel { x: f64::from(place.left + place.width), y: f64::from(place.top + place.height) });
    let region =
        ScreenRect { corner, width: (end.x - corner.x).max(0) as u32, height: (end.y - corner.y).max(0) as u32 };
    let shot = desktop.look(Some(region))?;
    let by = screen.to_pixel(shot.origin);
    Ok((grid.moved(by.x, by.y), region, shot))
}

/// By how much a part of one picture is farther right and below in another, if nearly all of it is there.
fn place_of(picture: &RgbaImage, part: Rect, other: &RgbaImage) -> Option<(f64, f64)> {
    let Rect { left, top, width, height } = part;
    if left + width > picture.width() || top + height > picture.height() {
        return None;
    }
    let is_there = |at: (u32, u32), (x, y): (u32, u32)| {
        picture.get_pixel(left + x, top + y) == other.get_pixel(at.0 + x, at.1 + y)
    };
    // Few places pass what is seen at these, spread all over it.
    let samples: Vec<(u32, u32)> = (0..SAMPLES).map(|at| (at * 7919 % width, at * 6007 % height)).collect();
    let all = || (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    let is_place = |at: (u32, u32)| {
        samples.iter().all(|&sample| is_there(at, sample))
            && all().filter(|&pixel| !is_there(at, pixel)).count() as f64 <= ELSEWHERE * f64::from(width * height)
    };
    let (across, down) = ((other.width() + 1).checked_sub(width)?, (other.height() + 1).checked_sub(height)?);
    let found = (0..down).flat_map(|y| (0..across).map(move |x| (x, y))).find(|&at| is_place(at))?;
    Some((f64::from(found.0) - f64::from(left), f64::from(found.1) - f64::from(top)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_is_moved_by_a_pixel_or_two_to_tiles_that_are_known() {
        let grid = Grid { columns: vec![10.0, 30.0, 50.0], lines: vec![5.0, 25.0, 45.0] };
        for (x, y, is_near) in [(0.0, 0.0, true), (0.0, 1.0, true), (-2.0, 2.0, true), (3.0, 0.0, false)] {
            let known = grid.moved(x, y);
            let found = aligned(grid.clone(), |moved| *moved == known);
            assert_eq!(found, if is_near { known } else { grid.clone() });
        }
    }

    #[test]
    fn a_board_that_stands_elsewhere_is_found_again() {
        let light = |x: u32, y: u32| if x.is_multiple_of(10) || y.is_multiple_of(10) { 90 } else { 200 };
        let board = |left: u32, top: u32| {
            RgbaImage::from_fn(150, 120, |x, y| {
                let is_board = (left..left + 60).contains(&x) && (top..top + 40).contains(&y);
                let light = if is_board { light(x - left, y - top) } else { 30 };
                image::Rgba([light, light, light, 255])
            })
        };
        let (before, part) = (board(20, 30), Rect { left: 20, top: 30, width: 60, height: 40 });
        assert_eq!(place_of(&before, part, &before), Some((0.0, 0.0)));
        assert_eq!(place_of(&before, part, &board(73, 5)), Some((53.0, -25.0)));
        assert_eq!(place_of(&before, part, &board(120, 30)), None);
    }
}
