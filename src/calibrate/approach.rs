//! The screen → what may be a board, until one answers a click: what repeats like one; then, where the person points at a window, or one is called after
//! the game, the pages before its board, or the button that lies over it.

use super::called::window_of_the_game;
use super::pages::{Turn, Walk};
use super::{News, REST, Tell, steady};
use crate::client::Step;
use crate::desktop::windows::shown;
use crate::desktop::{Action, Desktop, DesktopError, Window};
use crate::geometry::{Pixel, ScreenPoint, ScreenRect};
use crate::screenshot::Screenshot;
use crate::vision::{Grid, boards_of_any_look, cut_off, pitch};
use std::time::Duration;

/// How long a board is waited for.
const APPEARS: Duration = Duration::from_secs(10);
/// Pages in place of a board after its first click.
const REPLACED: usize = 3;
/// Boards on one screen that are tried.
const TRIED: usize = 5;
/// Presses of an arrow by which a page is scrolled at once: a browser goes on by 40 pixels each. They lead to its end, where it is found again, wherever
/// it was scrolled to before.
const PRESSES: usize = 25;
/// What makes a page smaller in a browser, how often it is pressed at most (five times make it half as large in Chromium), and what makes it as large as it
/// was.
const SMALLER: &str = "ctrl+-";
const TIMES: usize = 5;
const AS_IT_WAS: &str = "ctrl+0";
/// Pixels that a scroll bar and a window's border take at most.
const BAR: f64 = 24.0;

/// How the board is come to.
pub struct Approach {
    /// Where the person points.
    at: Option<ScreenPoint>,
    route: Route,
    /// What repeats like a board and answered no click.
    pub deaf: Vec<Grid>,
    /// Of which a window shows a part only, and the sides on which it goes on: nothing is clicked there.
    cut: Vec<(Grid, Vec<&'static str>)>,
    /// The arrows by which its window was scrolled, and what showed of the board before.
    scrolled: Vec<(&'static str, Grid)>,
    /// How often its page was made smaller.
    smaller: usize,
    /// Windows that were brought onto the screen.
    brought_in: Vec<u64>,
    /// How often a page came in place of one.
    replaced: usize,
}

/// The window that the person points at.
pub fn pointed<D: Desktop>(desktop: &mut D, at: Option<ScreenPoint>) -> Option<Window> {
    at.and_then(|at| desktop.window_at(at)).filter(|window| *window != Window::NONE)
}

/// Whether the middle of one of two grids is on the other.
fn are_on_each_other(one: &Grid, other: &Grid) -> bool {
    let (one, other) = (one.bounds(), other.bounds());
    one.contains(other.center()) || other.contains(one.center())
}

/// A place beyond a side of a board by more than a tile that is seen in part, and a window's scroll bar.
fn beyond(grid: &Grid, side: &str) -> Pixel {
    let Pixel { x, y } = grid.bounds().center();
    let far = |edges: &[f64], is_last: bool| {
        let by = pitch(edges) + BAR;
        if is_last { edges[edges.len() - 1] + by } else { edges[0] - by }
    };
    match side {
        "left" | "right" => Pixel { x: far(&grid.columns, side == "right"), y },
        _ => Pixel { x, y: far(&grid.lines, side == "bottom") },
    }
}

/// Types these keys into the window that shows at a place, where nothing is clicked; whether it got them.
fn types_into<D: Desktop>(desktop: &mut D, at: ScreenPoint, keys: &[&str]) -> Result<bool, DesktopError> {
    // Keys go to the window of what may be clicked.
    desktop.allow(&[ScreenRect { corner: at, width: 1, height: 1 }]);
    let mut typed = desktop.act(&Action::Raise);
    for &key in keys {
        typed = typed.and_then(|()| desktop.act(&Action::Keys(key.into())));
    }
    match typed {
        Err(DesktopError::Foreign(_) | DesktopError::Input(_)) => return Ok(false),
        typed => typed?,
    }
    desktop.wait(REST)?;
    Ok(true)
}

/// What leads to a board.
enum Route {
    /// It shows already.
    Shown,
    /// Pages come before it.
    Pages(Walk),
    /// A button lies over it, and nothing else is clicked.
    Button(Walk),
}

impl Approach {
    /// From the screen as it is.
    pub fn new(at: Option<ScreenPoint>) -> Self {
        Self {
            at,
            route: Route::Shown,
            deaf: Vec::new(),
            cut: Vec::new(),
            scrolled: Vec::new(),
            smaller: 0,
            brought_in: Vec::new(),
            replaced: 0,
        }
    }

    /// The clicks that led here.
    pub fn turns(&self) -> Vec<Turn> {
        match &self.route {
            Route::Shown => Vec::new(),
            Route::Pages(walk) | Route::Button(walk) => walk.turns(),
        }
    }

    /// What was typed to scroll to the board.
    pub fn scroll(&self) -> Option<Step> {
        let arrows = self.scrolled.iter().flat_map(|(arrow, _)| [*arrow; PRESSES]);
        let keys: Vec<Step> = arrows.map(|arrow| Step::Keys(arrow.into())).collect();
        (!keys.is_empty()).then_some(Step::All(keys))
    }

    /// The screen, and what may be a board on it, the likeliest first, without what answered no click.
    ///
    /// # Errors
    /// The screen cannot be seen, or the person stopped.
    pub fn boards<D: Desktop>(&mut self, desktop: &mut D) -> Result<(Screenshot, Vec<Grid>), DesktopError> {
        let longest = if matches!(self.route, Route::Shown) { APPEARS } else { REST };
        let began = desktop.clock();
        let (screen, mut grids) = loop {
            let is_late = desktop.clock().saturating_sub(began) >= longest;
            let screen = match steady(desktop) {
                // Nothing is on the screen yet.
                Err(why) if why.is_without_picture() && !is_late => {
                    desktop.wait(REST)?;
                    continue;
                }
                seen => seen?,
            };
            let grids = self.shown(desktop, &screen);
            if !grids.is_empty() || is_late || !self.scrolled.is_empty() {
                break (screen, grids);
            }
            desktop.wait(REST)?;
        };
        grids.retain(|grid| !self.deaf.contains(grid));
        // A button may lie over the board that the person points at: one click tells.
        grids.truncate(if matches!(self.route, Route::Shown) && pointed(desktop, self.at).is_some() {
            1
        } else {
            TRIED
        });
        Ok((screen, grids))
    }

    /// What may be a board on this screen, the likeliest first.
    fn shown<D: Desktop>(&mut self, desktop: &mut D, screen: &Screenshot) -> Vec<Grid> {
        let all = boards_of_any_look(&screen.pixels);
        let (meant, others): (Vec<&Grid>, Vec<&Grid>) = all.iter().partition(|grid| self.may_be(desktop, screen, grid));
        let grids = self.whole(screen, meant.into_iter().cloned().collect());
        // What seems to be cut off where a likelier board shows is a part of that and of what is beside it: the person points at something there.
        self.cut.retain(|(cut, _)| {
            let mut likelier = all.iter().take_while(|grid| *grid != cut);
            !likelier.any(|grid| others.contains(&grid) && are_on_each_other(grid, cut))
        });
        grids
    }

    /// Those that are not cut off. What else is found of the tiles of one that is, and less likely, is a part of it.
    fn whole(&mut self, screen: &Screenshot, grids: Vec<Grid>) -> Vec<Grid> {
        self.cut.clear();
        let mut whole = Vec::new();
        for grid in grids {
            let sides = match cut_off(&screen.pixels, &grid) {
                // Once scrolled it may go on beyond both ends, which is like none.
                sides if sides.is_empty() => self.cut_before(&grid),
                sides => sides,
            };
            if !sides.is_empty() {
                self.cut.push((grid, sides));
            } else if !self.cut.iter().any(|(other, _)| are_on_each_other(other, &grid)) {
                whole.push(grid);
            }
        }
        whole
    }

    /// The sides on which a board still goes on after its window was scrolled: those of before, and what is opposite, if no more of it shows than did then.
    fn cut_before(&self, grid: &Grid) -> Vec<&'static str> {
        let Some((arrow, before)) = self.scrolled.first() else { return Vec::new() };
        let (now, then) = (grid.size(), before.size());
        match *arrow {
            "Down" | "Up" if now.height <= then.height => vec!["top", "bottom"],
            "Left" | "Right" if now.width <= then.width => vec!["left", "right"],
            _ => Vec::new(),
        }
    }

    /// Whether a board may be meant: the person points at it, or the window that was pointed at holds it.
    fn may_be<D: Desktop>(&self, desktop: &mut D, screen: &Screenshot, grid: &Grid) -> bool {
        match &self.route {
            Route::Shown => self.at.is_none_or(|at| {
                let Pixel { x, y } = screen.to_pixel(at);
                let holds = |edges: &[f64], at: f64| edges[0] <= at && at <= edges[edges.len() - 1];
                holds(&grid.columns, x) && holds(&grid.lines, y)
            }),
            Route::Pages(walk) | Route::Button(walk) => walk.holds(desktop, screen.to_screen(grid.bounds().center())),
        }
    }

    /// Leaves what answered no click; or a board of which the first click ended the game, to which a page may lead again.
    pub fn leave(&mut self, grid: &Grid, is_replaced: bool) {
        self.replaced += usize::from(is_replaced);
        if !is_replaced || self.replaced > REPLACED {
            self.deaf.push(grid.clone());
        }
    }

    /// Goes on where so many boards on the screen answered no click; whether there was anything to be done.
    ///
    /// # Errors
    /// The screen or the mouse cannot be used, or the person stopped.
    pub fn goes_on<D: Desktop>(
        &mut self,
        desktop: &mut D,
        (screen, tried): (&Screenshot, usize),
        tell: &mut Tell,
    ) -> Result<bool, DesktopError> {
        if self.scrolls(desktop, screen)? || self.makes_smaller(desktop, screen, tell)? {
            return Ok(true);
        }
        match (&self.route, pointed(desktop, self.at)) {
            (Route::Pages(_), _) => self.turns_on(desktop),
            (Route::Button(_), _) => Ok(false),
            (Route::Shown, Some(window)) if self.cut_board().is_none() => {
                let mut walk = Walk::new(desktop, window).beginning_at(self.at);
                // What repeats and does not answer is no page.
                let is_over_board = !self.deaf.is_empty();
                tell(News::Says(if is_over_board {
                    "it does not answer: clicking where you point"
                } else {
                    "no board shows: clicking what may be buttons"
                }));
                self.deaf.clear();
                let goes_on = walk.step(desktop)?;
                self.route = if is_over_board { Route::Button(walk) } else { Route::Pages(walk) };
                Ok(goes_on)
            }
            // What was clicked may have led on to a board.
            (Route::Shown, _) if tried > 0 => Ok(self.deaf.len() < 2 * TRIED),
            // Whose page may be before it nothing but the person and its title can say; before one that is cut off is none.
            (Route::Shown, None) if self.cut_board().is_none() && self.deaf.is_empty() => {
                let Some(window) = window_of_the_game(desktop, screen) else { return Ok(false) };
                let title = desktop.title_of(window);
                tell(News::Says(&format!(
                    "no board shows: clicking what may be buttons in the window that is called {:?}",
                    title.as_deref().unwrap_or_default()
                )));
                let mut walk = Walk::new(desktop, window).called(title);
                let goes_on = walk.step(desktop)?;
                self.route = Route::Pages(walk);
                Ok(goes_on)
            }
            (Route::Shown, _) => Ok(false),
        }
    }

    /// Brings the window of the likeliest of some boards, or of one that is cut off, or else the one that is pointed at or called after the game, wholly
    /// onto the screen, once; whether it has moved.
    ///
    /// # Errors
    /// The screen cannot be seen, or the person stopped.
    pub fn brings_in<D: Desktop>(
        &mut self,
        desktop: &mut D,
        screen: &Screenshot,
        grids: &[Grid],
    ) -> Result<bool, DesktopError> {
        let grid = grids.first().or(self.cut_board().map(|(grid, _)| grid));
        let at = grid.map(|grid| screen.to_screen(grid.bounds().center())).or(self.at);
        let Some(at) = at.or_else(|| {
            let game = window_of_the_game(desktop, screen)?;
            let shown = shown(desktop, screen).into_iter().find(|shown| shown.window.id == game.id)?;
            Some(screen.to_screen(shown.place.center()))
        }) else {
            return Ok(false);
        };
        let is_new = |window: &Window| *window != Window::NONE && !self.brought_in.contains(&window.id);
        let Some(window) = desktop.window_at(at).filter(is_new) else { return Ok(false) };
        self.brought_in.push(window.id);
        types_into(desktop, at, &[])?;
        Ok(desktop.window_now(window).is_some_and(|now| now.corner != window.corner))
    }

    /// Scrolls to what a window does not show of a board that goes on beyond it on one side; whether there may be more to be seen now.
    fn scrolls<D: Desktop>(&mut self, desktop: &mut D, screen: &Screenshot) -> Result<bool, DesktopError> {
        let Some((grid, sides)) = self.cut_board() else { return Ok(false) };
        let arrow = match sides[..] {
            ["bottom"] => "Down",
            ["top"] => "Up",
            ["right"] => "Right",
            ["left"] => "Left",
            _ => return Ok(false),
        };
        let off =
            |from: &Grid| (grid.origin().x - from.origin().x).abs().max((grid.origin().y - from.origin().y).abs());
        let has_moved = |(last, from): &(&str, Grid)| *last == arrow && off(from) >= 1.0;
        if !self.scrolled.last().is_none_or(has_moved) {
            return Ok(false);
        }
        let is_typed = types_into(desktop, screen.to_screen(grid.bounds().center()), &[arrow; PRESSES])?;
        if is_typed {
            self.scrolled.push((arrow, grid.clone()));
        }
        Ok(is_typed)
    }

    /// Makes the page smaller of which a window does not show all of a board, where scrolling does not help: in a program that shows more than the client, as a
    /// browser does, which has a key for that and remembers it for the page. Whether there may be more to be seen now; if it never helps the page is as
    /// large as it was.
    fn makes_smaller<D: Desktop>(
        &mut self,
        desktop: &mut D,
        screen: &Screenshot,
        tell: &mut Tell,
    ) -> Result<bool, DesktopError> {
        let Some((grid, sides)) = self.cut_board() else { return Ok(false) };
        let middle = screen.to_screen(grid.bounds().center());
        let window = desktop.window_at(middle);
        let program = window.and_then(|window| desktop.program_of(window));
        let is_browser = program.is_some_and(|program| !desktop.is_alone(&program));
        // What looks like the next tiles and ends within the window is cut off by something else, or is none.
        let is_beyond = |side: &&str| desktop.window_at(screen.to_screen(beyond(grid, side))) != window;
        if !is_browser || self.smaller > TIMES || !sides.iter().all(is_beyond) {
            return Ok(false);
        }
        if self.smaller == 0 {
            tell(News::Says("a board goes on beyond its window: making its page smaller"));
        }
        let is_last = self.smaller == TIMES;
        self.smaller += 1;
        self.scrolled.clear();
        let is_typed = types_into(desktop, middle, &[if is_last { AS_IT_WAS } else { SMALLER }])?;
        Ok(is_typed && !is_last)
    }

    /// The likeliest board that is cut off, and the sides on which it is.
    pub fn cut_board(&self) -> Option<&(Grid, Vec<&'static str>)> {
        self.cut.iter().find(|(grid, _)| !self.is_of_deaf(grid))
    }

    /// Whether a board is one that answered no click, a part of it, or one whose tiles are several of it.
    fn is_of_deaf(&self, grid: &Grid) -> bool {
        let is_as_fine = |deaf: &&Grid| deaf.pitch().0 < grid.pitch().0 + 1.0;
        self.deaf.iter().filter(is_as_fine).any(|deaf| are_on_each_other(deaf, grid))
    }

    /// The next click on the pages before a board; whether there was anything to be done.
    fn turns_on<D: Desktop>(&mut self, desktop: &mut D) -> Result<bool, DesktopError> {
        let Route::Pages(walk) = &mut self.route else { return Ok(false) };
        if walk.goes_back(desktop)? {
            return Ok(true);
        }
        let Some(page) = walk.look(desktop)? else { return Ok(false) };
        // A board may have come up since it was looked for: what would be taken for a button then may end its game.
        let is_there = self.shown(desktop, &page.0).iter().any(|grid| !self.deaf.contains(grid));
        match &mut self.route {
            Route::Pages(walk) if !is_there => walk.click(desktop, page),
            _ => Ok(true),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desktop::Program;
    use image::RgbaImage;
    use std::path::PathBuf;

    /// A window that takes keys.
    #[derive(Default)]
    struct Page {
        got: Vec<Action>,
        /// Whether its program has started others.
        is_browser: bool,
        /// Where it ends, to the right and below.
        ends: i32,
        /// Whether it hangs over the edge of the screen.
        hangs: bool,
    }

    impl Desktop for Page {
        fn look(&mut self, _: Option<ScreenRect>) -> Result<Screenshot, DesktopError> {
            Ok(Screenshot::from_picture(RgbaImage::new(400, 300)))
        }

        fn act(&mut self, action: &Action) -> Result<(), DesktopError> {
            self.got.push(action.clone());
            Ok(())
        }

        fn wait(&mut self, _: Duration) -> Result<(), DesktopError> {
            Ok(())
        }

        fn window_now(&mut self, window: Window) -> Option<Window> {
            let is_moved = self.hangs && self.got.contains(&Action::Raise);
            Some(Window { corner: ScreenPoint { y: if is_moved { -40 } else { 0 }, ..window.corner }, ..window })
        }

        fn window_at(&mut self, at: ScreenPoint) -> Option<Window> {
            (at.x < self.ends && at.y < self.ends).then_some(Window { id: 1, ..Window::NONE })
        }

        fn program_of(&mut self, _: Window) -> Option<Program> {
            Some(Program { process: 1, command: Vec::new(), folder: PathBuf::new(), environment: Vec::new() })
        }

        fn is_alone(&mut self, _: &Program) -> bool {
            !self.is_browser
        }

        fn clock(&mut self) -> Duration {
            Duration::ZERO
        }
    }

    /// A board of 9 columns that begins here.
    fn grid(top: u32, rows: u32) -> Grid {
        Grid {
            columns: (0..=9).map(|edge| 20.0 + 30.0 * f64::from(edge)).collect(),
            lines: (0..=rows).map(|edge| f64::from(top + 30 * edge)).collect(),
        }
    }

    #[test]
    fn a_page_of_a_browser_is_made_smaller_and_then_as_large_as_it_was() {
        let screen = Screenshot::from_picture(RgbaImage::new(400, 300));
        // The board's last whole tiles end at 290 and 270.
        for (is_browser, ends) in [(true, 300), (true, 340), (false, 300)] {
            let mut page = Page { is_browser, ends, ..Page::default() };
            let is_browser = is_browser && ends == 300;
            let mut approach = Approach::new(None);
            let mut smaller =
                |approach: &mut Approach| approach.makes_smaller(&mut page, &screen, &mut |_| {}).unwrap();
            assert!(!smaller(&mut approach), "nothing is cut off");
            approach.cut = vec![(grid(60, 7), vec!["right", "bottom"])];
            assert_eq!(
                [0; TIMES + 2].map(|_| smaller(&mut approach)),
                [is_browser, is_browser, is_browser, is_browser, is_browser, false, false]
            );
            let typed: Vec<&Action> = page.got.iter().filter(|action| **action != Action::Raise).collect();
            let key = |keys: &str| Action::Keys(keys.into());
            let (all, back) = ([SMALLER; TIMES].map(key), key(AS_IT_WAS));
            let expected: Vec<&Action> = all.iter().chain([&back]).filter(|_| is_browser).collect();
            assert_eq!(typed, expected);
        }
    }

    #[test]
    fn a_window_that_hangs_over_the_edge_of_the_screen_is_brought_in_once() {
        let screen = Screenshot::from_picture(RgbaImage::new(400, 300));
        for hangs in [true, false] {
            let mut page = Page { hangs, ends: 300, ..Page::default() };
            let mut approach = Approach::new(None);
            let mut brings_in = || approach.brings_in(&mut page, &screen, &[grid(60, 7)]).unwrap();
            assert_eq!([brings_in(), brings_in()], [hangs, false]);
            assert_eq!(page.got, [Action::Raise], "nothing is clicked or typed");
        }
    }

    #[test]
    fn what_a_window_does_not_show_of_a_board_is_scrolled_to() {
        let (mut page, screen) = (Page::default(), Screenshot::from_picture(RgbaImage::new(400, 300)));
        let mut approach = Approach::new(None);
        assert!(!approach.scrolls(&mut page, &screen).unwrap() && page.got.is_empty(), "nothing is cut off");
        approach.cut = vec![(grid(60, 7), vec!["right", "bottom"])];
        assert!(!approach.scrolls(&mut page, &screen).unwrap() && page.got.is_empty(), "on two sides");
        approach.cut = vec![(grid(60, 7), vec!["bottom"])];
        approach.deaf = vec![grid(60, 7)];
        assert!(!approach.scrolls(&mut page, &screen).unwrap() && page.got.is_empty(), "it answered no click");
        let halves = |edges: &[f64]| -> Vec<f64> {
            (0..2 * edges.len() - 1).map(|half| edges[half / 2] + 15.0 * (half % 2) as f64).collect()
        };
        let Grid { columns, lines } = grid(60, 7);
        approach.deaf = vec![Grid { columns: halves(&columns), lines: halves(&lines) }];
        assert!(approach.cut_board().is_none(), "nor did what its tiles are made of");
        approach.deaf.clear();
        assert!(approach.scrolls(&mut page, &screen).unwrap());
        let down = |action: &&Action| **action == Action::Keys("Down".into());
        assert_eq!((page.got.first(), page.got.iter().filter(down).count()), (Some(&Action::Raise), PRESSES));
        assert_eq!(approach.scroll(), Some(Step::All(vec![Step::Keys("Down".into()); PRESSES])));
        // Where nothing has moved it is no page, and what shows no more of a board than before shows not all of it.
        assert!(!approach.scrolls(&mut page, &screen).unwrap());
        assert_eq!(approach.cut_before(&grid(10, 7)), ["top", "bottom"]);
        assert_eq!(approach.cut_before(&grid(10, 9)), [""; 0]);
    }
}
