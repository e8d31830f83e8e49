//! What keeps clicks and keys where they belong: [`Guarded`] is put around a desktop, and refuses whatever would go beside
//! the board and the controls, or to a window that is not the client's.

use super::{Action, Desktop, DesktopError, Program, Window};
use crate::geometry::{ScreenPoint, ScreenRect};
use crate::screenshot::Screenshot;
use std::time::Duration;

/// A desktop that lets nothing through but clicks on what was allowed, in the window that showed the board when it was, and
/// keys for that window's program.
#[derive(Debug)]
pub struct Guarded<D> {
    inner: D,
    allowed: Vec<ScreenRect>,
    client: Owner,
    /// The last window that was the client's, and how its program was started.
    program: Option<(Window, Program)>,
    /// The program that was started in its place.
    started: Option<Program>,
    /// Whether the allowed window was clicked: the keyboard follows the clicks.
    was_clicked: bool,
}

/// The longest it takes a window to go that was told to, or a program that closed its window, and between two questions whether it has.
const GOES: Duration = Duration::from_secs(3);
const ASKED: Duration = Duration::from_millis(50);

/// Whose window shows the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    /// Nothing was allowed yet.
    Nobody,
    /// The system does not tell.
    Untold,
    /// Windows of several programs, or none, are where the board is.
    Mixed,
    /// This one.
    Window(Window),
}

impl<D: Desktop> Guarded<D> {
    /// Around `inner`; nothing may be clicked or typed yet.
    pub fn new(inner: D) -> Self {
        Self { inner, allowed: Vec::new(), client: Owner::Nobody, program: None, started: None, was_clicked: false }
    }

    /// The desktop inside.
    pub fn inner(&self) -> &D {
        &self.inner
    }

    /// The desktop inside, past the guard.
    pub fn inner_mut(&mut self) -> &mut D {
        &mut self.inner
    }

    /// The window over a control that is another one of the client's, but no dialog: it leaves the keyboard where it is, as a menu does that
    /// has come up below its name. On the board itself nothing is clicked through one. Or one that is in place of the client's, which has
    /// gone.
    fn menu_at(&mut self, at: ScreenPoint, client: Window) -> Option<Window> {
        let is_control = self.allowed.iter().skip(1).any(|area| area.contains(at));
        let found = self.inner.window_at(at).filter(|_| is_control)?;
        let is_menu = found.program == client.program && found.id != client.id;
        let is_of_client = |keys: Window| keys.id == client.id;
        let has_keys = self.inner.window_of_keys().is_some_and(is_of_client);
        let is_meant = is_menu && has_keys && self.inner.is_dialog(found) || self.is_in_place_of(found, client);
        is_meant.then_some(found)
    }

    /// Another window of the client's program that has the keyboard, or lies over the board: some take no keyboard.
    fn dialog_of(&mut self, client: Window) -> Option<Window> {
        let is_dialog = |found: &Window| found.program == client.program && found.id != client.id;
        let board = self.allowed.first().copied();
        let over_board = board.into_iter().flat_map(points).collect::<Vec<_>>();
        let typed_into = self.inner.window_of_keys().filter(is_dialog);
        typed_into.or_else(|| over_board.into_iter().find_map(|at| self.inner.window_at(at).filter(is_dialog)))
    }

    /// Whether a window of the client's program is a dialog; or, where it does not say so, came after the client's, leaves a part of the board free, and is
    /// not one of a program that shows more than the client.
    fn may_be_closed(&mut self, window: Window, client: Window) -> bool {
        let board = self.allowed.first().copied();
        let is_client = |found: Window| found.id == client.id;
        let mut shown = board.into_iter().flat_map(points);
        self.inner.is_dialog(window)
            || self.inner.comes_after(window, client)
                && shown.any(|at| self.inner.window_at(at).is_some_and(is_client))
                && self.program.is_some()
                && self.client_is_alone()
    }

    /// Closes the client's dialog, if one is up: which.
    fn close_dialog(&mut self, client: Window) -> Result<Option<Window>, DesktopError> {
        let dialog = self.dialog_of(client).filter(|&dialog| self.may_be_closed(dialog, client));
        dialog.map_or(Ok(()), |dialog| self.inner.close(dialog))?;
        Ok(dialog)
    }

    /// Starts the client's program again, once it has gone.
    fn start_again(&mut self) -> Result<(), DesktopError> {
        let Some((window, program)) = self.program.clone() else { return Ok(()) };
        let started = self.started.clone().filter(|started| started.process != program.process);
        if let Some(started) = started.filter(|started| self.inner.runs(started))
            && !self.is_closed_again(&started)?
        {
            log::info!("the client's program was started again, and shows no board yet");
            return Ok(());
        }
        let has_gone = if self.inner.has_gone(window) {
            // What closed the window of its board, and goes on, shows another, or will, unless it has none for so long.
            self.comes_true(|desktop| !desktop.runs(&program))? || !self.inner.may_have_windows(window)
        } else if self.inner.is_alone(&program) {
            // Until that is gone it may let nothing else be closed.
            if let Some(dialog) = self.close_dialog(window)? {
                self.comes_true(|desktop| desktop.has_gone(dialog))?;
            }
            self.inner.close(window)?;
            self.comes_true(|desktop| desktop.has_gone(window))?
        } else {
            false
        };
        if !has_gone {
            log::info!("the client's program goes on, or has started others: it is not started again");
            return Ok(());
        }
        self.started = self.inner.start(&program)?;
        Ok(())
    }

    /// Closes what was started in place of the client's program, if it shows a window of its own that has the keyboard, and no board: its pages are
    /// gone through from the first one on. Whether it has ended.
    fn is_closed_again(&mut self, started: &Program) -> Result<bool, DesktopError> {
        let page = self.inner.window_of_keys().filter(|window| self.is_started(*window));
        let Some(page) = page.filter(|_| self.inner.is_alone(started)) else { return Ok(false) };
        self.inner.close(page)?;
        self.comes_true(|desktop| !desktop.runs(started))
    }

    /// Whether a window is one of the program that was started in place of the client's.
    fn is_started(&mut self, window: Window) -> bool {
        let Some(started) = self.started.as_ref().map(|started| started.process) else { return false };
        self.inner.program_of(window).is_some_and(|program| program.process == started)
    }

    /// Whether something is so, soon.
    fn comes_true(&mut self, is_so: impl Fn(&mut D) -> bool) -> Result<bool, DesktopError> {
        let began = self.inner.clock();
        while !is_so(&mut self.inner) {
            if self.inner.clock().saturating_sub(began) >= GOES {
                return Ok(false);
            }
            self.inner.wait(ASKED)?;
        }
        Ok(true)
    }

    fn owner_of(&mut self, board: ScreenRect) -> Owner {
        let mut windows = Vec::new();
        for point in points(board) {
            match self.inner.window_at(point) {
                Some(window) => windows.push(window),
                // It may tell in a moment: nothing is typed blindly meanwhile.
                None if self.inner.capabilities().windows => return Owner::Mixed,
                None => return Owner::Untold,
            }
        }
        let programs = || windows.iter().map(|window| window.program);
        if programs().any(|program| program == Window::NONE.program || program != windows[0].program) {
            return Owner::Mixed;
        }
        // A dialog of the client may be over some of the points.
        let votes = |window: &Window| windows.iter().filter(|other| *other == window).count();
        windows.iter().max_by_key(|window| votes(window)).map_or(Owner::Mixed, |&window| Owner::Window(window))
    }
}

/// Points that show whose board it is: near its corners, and its middle.
fn points(board: ScreenRect) -> [ScreenPoint; 5] {
    let ScreenRect { corner, width, height } = board;
    let inset = |length: u32| (length / 8).min(4) as i32;
    let (dx, dy) = (inset(width), inset(height));
    let (left, top) = (corner.x + dx, corner.y + dy);
    let right = (corner.x + width as i32 - 1 - dx).max(left);
    let bottom = (corner.y + height as i32 - 1 - dy).max(top);
    let middle = ((left + right) / 2, (top + bottom) / 2);
    [(left, top), (right, top), (left, bottom), (right, bottom), middle].map(|(x, y)| ScreenPoint { x, y })
}

impl<D: Desktop> Desktop for Guarded<D> {
    fn behind(&mut self) -> Option<&mut dyn Desktop> {
        Some(&mut self.inner)
    }

    fn look(&mut self, part: Option<ScreenRect>) -> Result<Screenshot, DesktopError> {
        self.inner.look(part)
    }

    fn allow(&mut self, areas: &[ScreenRect]) {
        let is_same_place = self.allowed.first() == areas.first();
        self.allowed = areas.to_vec();
        let found = areas.first().map_or(Owner::Nobody, |&board| self.owner_of(board));
        let client = match (self.client, found) {
            // A dialog that came up over the board is not the client.
            (Owner::Window(was), Owner::Window(is))
                if is_same_place
                    && is.id != was.id
                    && is.program == was.program
                    && self.inner.window_now(was).is_some() =>
            {
                self.client
            }
            // What comes in its place may be smaller.
            (Owner::Window(was), Owner::Mixed) if self.started.is_some() && self.inner.has_gone(was) => self.client,
            _ => found,
        };
        self.was_clicked &= client == self.client;
        self.client = client;
        if let Owner::Window(window) = client
            && self.program.as_ref().is_none_or(|(known, _)| known.id != window.id)
        {
            self.program = self.inner.program_of(window).map(|program| (window, program));
        }
    }

    fn allow_titled(&mut self, titles: &[String]) -> bool {
        self.allow(&[]);
        let found = self.inner.window_titled(titles);
        self.client = found.map_or(Owner::Nobody, Owner::Window);
        found.is_some()
    }

    fn follow(&mut self) -> Option<(i32, i32)> {
        let Owner::Window(client) = self.client else { return None };
        let now = self.inner.window_now(client)?;
        let by = (now.corner.x.checked_sub(client.corner.x)?, now.corner.y.checked_sub(client.corner.y)?);
        // Whatever covers it there now: the board is this window's.
        self.client = Owner::Window(now);
        for area in &mut self.allowed {
            area.corner = ScreenPoint { x: area.corner.x.checked_add(by.0)?, y: area.corner.y.checked_add(by.1)? };
        }
        Some(by)
    }

    fn is_elsewhere(&mut self, board: ScreenRect) -> bool {
        let Owner::Window(client) = self.client else { return false };
        let is_its_own = match self.owner_of(board) {
            Owner::Window(found) => found.id == client.id,
            Owner::Untold => true,
            Owner::Nobody | Owner::Mixed => false,
        };
        !is_its_own && !self.inner.has_gone(client)
    }

    fn is_in_place_of(&mut self, window: Window, gone: Window) -> bool {
        if window == Window::NONE || !self.inner.has_gone(gone) {
            return false;
        }
        let is_last = |desktop: &mut Self| {
            desktop.inner.comes_after(window, gone) || desktop.program.is_some() && desktop.client_is_alone()
        };
        window.program == gone.program && is_last(self) || self.is_started(window)
    }

    fn client_is_alone(&mut self) -> bool {
        self.program.clone().is_none_or(|(_, program)| self.inner.is_alone(&program))
    }

    fn has_dialog(&mut self) -> bool {
        let Owner::Window(client) = self.client else { return false };
        let typed_into = self.inner.window_of_keys();
        let is_another = typed_into.is_some_and(|window| window.program == client.program && window.id != client.id);
        // What came in place of a window that has gone is no dialog.
        is_another && !self.inner.has_gone(client)
    }

    fn act(&mut self, action: &Action) -> Result<(), DesktopError> {
        if let Action::Click(click) = action
            && !self.allowed.iter().any(|area| area.contains(click.at))
        {
            return Err(DesktopError::NotAllowed(click.at));
        }
        match (action, self.client) {
            (Action::Point(_), _) => self.inner.act(action),
            (Action::Raise, Owner::Window(client)) => {
                let new = self.inner.window_of_keys().filter(|new| self.is_in_place_of(*new, client));
                self.inner.raise(new.unwrap_or(client))
            }
            (Action::Raise, _) => Ok(()),
            (Action::Start, _) => self.start_again(),
            (Action::Close, Owner::Window(client)) => self.close_dialog(client).map(|_| ()),
            // Which window would be closed is not known.
            (Action::Close, _) => Ok(()),
            (_, Owner::Nobody | Owner::Mixed) => Err(DesktopError::Foreign("over the board")),
            (Action::Keys(_) | Action::Answer(_), Owner::Untold) if !self.was_clicked => {
                Err(DesktopError::Foreign("perhaps it has the keyboard"))
            }
            (_, Owner::Untold) => {
                self.inner.act(action)?;
                self.was_clicked |= matches!(action, Action::Click(_));
                Ok(())
            }
            (Action::Answer(keys), Owner::Window(client)) => match self.inner.window_of_keys() {
                Some(dialog) if dialog.program != client.program => Err(DesktopError::Foreign("it has the keyboard")),
                Some(dialog) if dialog.id != client.id => self.inner.act_in(&Action::Keys(keys.clone()), dialog),
                // There is none, or none any more.
                _ => Ok(()),
            },
            (Action::Click(click), Owner::Window(client)) => {
                let menu = self.menu_at(click.at, client);
                self.inner.act_in(action, menu.unwrap_or(client))
            }
            (_, Owner::Window(client)) => self.inner.act_in(action, client),
        }
    }

    fn act_in(&mut self, action: &Action, _: Window) -> Result<(), DesktopError> {
        self.act(action)
    }

    fn wait(&mut self, time: Duration) -> Result<(), DesktopError> {
        self.inner.wait(time)
    }

    fn clock(&mut self) -> Duration {
        self.inner.clock()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::{Button, Touch};
    use crate::desktop::{Capabilities, Click};

    const BOARD: ScreenRect = ScreenRect { corner: ScreenPoint { x: 100, y: 100 }, width: 90, height: 90 };
    const FACE: ScreenRect = ScreenRect { corner: ScreenPoint { x: 140, y: 60 }, width: 10, height: 10 };

    /// The process of what is started.
    const STARTED: u32 = 9;

    /// A window that is no dialog, though it may be of the client's program.
    const SECOND: u64 = 3;

    /// Windows by their places, the topmost first, and what each of them got.
    #[derive(Default)]
    struct Desk {
        windows: Vec<(ScreenRect, Window)>,
        keys: Option<Window>,
        tells_nothing: bool,
        /// It tells of windows, but not now.
        is_busy: bool,
        got: Vec<Action>,
        raised: Vec<Window>,
        closed: Vec<Window>,
        /// Of which programs it is told how they were started.
        tells_programs: bool,
        has_others: bool,
        /// Whether programs go on without their windows.
        goes_on: bool,
        started: Vec<u32>,
        /// Whether a window stays where it is to be closed, as one that asks why.
        stays: bool,
        waited: Duration,
    }

    fn window(id: u64, program: u64, x: i32, y: i32) -> (ScreenRect, Window) {
        let corner = ScreenPoint { x, y };
        (ScreenRect { corner, width: 200, height: 200 }, Window { id, program, corner })
    }

    impl Desktop for Desk {
        fn look(&mut self, _: Option<ScreenRect>) -> Result<Screenshot, DesktopError> {
            Err(DesktopError::Black)
        }

        fn capabilities(&mut self) -> Capabilities {
            Capabilities { windows: !self.tells_nothing, ..Capabilities::ALL }
        }

        fn window_at(&mut self, at: ScreenPoint) -> Option<Window> {
            let found = self.windows.iter().find(|(place, _)| place.contains(at));
            (!self.tells_nothing && !self.is_busy).then(|| found.map_or(Window::NONE, |(_, window)| *window))
        }

        fn window_titled(&mut self, titles: &[String]) -> Option<Window> {
            let is_there = !self.tells_nothing && titles.contains(&"Mines".to_owned());
            self.windows.last().filter(|_| is_there).map(|(_, window)| *window)
        }

        fn window_of_keys(&mut self) -> Option<Window> {
            if self.tells_nothing { None } else { self.keys }
        }

        fn has_gone(&mut self, window: Window) -> bool {
            !self.windows.iter().any(|(_, now)| now.id == window.id)
        }

        fn may_have_windows(&mut self, window: Window) -> bool {
            self.windows.iter().any(|(_, now)| now.program == window.program)
        }

        fn comes_after(&mut self, window: Window, other: Window) -> bool {
            window.id > other.id
        }

        fn raise(&mut self, window: Window) -> Result<(), DesktopError> {
            self.raised.push(window);
            Ok(())
        }

        fn is_dialog(&mut self, window: Window) -> bool {
            window.id != SECOND
        }

        fn close(&mut self, window: Window) -> Result<(), DesktopError> {
            self.closed.push(window);
            let stays = self.stays || window.program != u64::from(STARTED);
            self.windows.retain(|(_, now)| stays || now.id != window.id);
            Ok(())
        }

        fn program_of(&mut self, window: Window) -> Option<Program> {
            let process = u32::try_from(window.program).unwrap();
            self.tells_programs.then(|| Program { process, ..Program::default() })
        }

        fn runs(&mut self, program: &Program) -> bool {
            self.goes_on
                || program.process == STARTED
                    && self.windows.iter().any(|(_, window)| window.program == u64::from(STARTED))
        }

        fn is_alone(&mut self, _: &Program) -> bool {
            !self.has_others
        }

        fn start(&mut self, program: &Program) -> Result<Option<Program>, DesktopError> {
            self.started.push(program.process);
            Ok(Some(Program { process: STARTED, ..program.clone() }))
        }

        fn act(&mut self, action: &Action) -> Result<(), DesktopError> {
            if !matches!(action, Action::Point(_)) {
                self.got.push(action.clone());
            }
            Ok(())
        }

        fn window_now(&mut self, window: Window) -> Option<Window> {
            self.windows.iter().map(|(_, now)| *now).find(|now| now.id == window.id)
        }

        fn wait(&mut self, time: Duration) -> Result<(), DesktopError> {
            self.waited += time;
            Ok(())
        }

        fn clock(&mut self) -> Duration {
            self.waited
        }
    }

    fn click(x: i32, y: i32) -> Action {
        Action::Click(Click { button: Button::Left, at: ScreenPoint { x, y }, touch: Touch::default(), with: None })
    }

    fn keys() -> Action {
        Action::Keys("n".into())
    }

    /// A client's window at 50,50 that has the keyboard, and its board allowed.
    fn guarded() -> Guarded<Desk> {
        let (place, client) = window(1, 7, 50, 50);
        let desk = Desk { windows: vec![(place, client)], keys: Some(client), ..Desk::default() };
        let mut guarded = Guarded::new(desk);
        assert!(guarded.act(&click(110, 110)).is_err() && guarded.act(&keys()).is_err(), "nothing is allowed yet");
        guarded.allow(&[BOARD, FACE]);
        guarded
    }

    /// What is done to the client's windows, and whether the board may be clicked and keys typed then.
    fn check(change: impl FnOnce(&mut Desk), may_click: bool, may_type: bool) {
        let mut guarded = guarded();
        change(guarded.inner_mut());
        let clicked = guarded.act(&click(110, 110));
        let typed = guarded.act(&keys());
        assert_eq!((clicked.is_ok(), typed.is_ok()), (may_click, may_type), "{clicked:?} {typed:?}");
        assert_eq!(guarded.inner().got.len(), usize::from(may_click) + usize::from(may_type));
    }

    /// What is started when the client is to be started again, and what is closed for that.
    fn started(change: impl FnOnce(&mut Desk)) -> (Vec<u32>, Vec<u64>) {
        let mut guarded = guarded();
        guarded.inner_mut().tells_programs = true;
        guarded.allow(&[BOARD]);
        change(guarded.inner_mut());
        guarded.act(&Action::Start).unwrap();
        let desk = guarded.inner();
        assert!(desk.got.is_empty());
        (desk.started.clone(), desk.closed.iter().map(|window| window.id).collect())
    }

    #[test]
    fn the_clients_program_is_started_again_and_no_other() {
        assert_eq!(started(|desk| desk.windows.clear()), (vec![7], vec![]));
        let page = window(9, 7, 500, 500);
        let goes_on = |desk: &mut Desk| (desk.windows, desk.goes_on) = (vec![page], true);
        assert_eq!(started(goes_on), (vec![], vec![]), "it has a page of its own");
        let goes_on = |desk: &mut Desk| (desk.windows, desk.goes_on) = (vec![], true);
        assert_eq!(started(goes_on), (vec![7], vec![]), "it goes on, and has no window");
        let another = window(2, 8, 50, 50);
        assert_eq!(
            started(|desk| desk.windows = vec![another]),
            (vec![7], vec![]),
            "what lies there now is left alone"
        );
        assert_eq!(
            started(|desk| desk.windows.insert(0, another)),
            (vec![], vec![1]),
            "it stays open: it may have asked why"
        );
        assert_eq!(started(|desk| desk.has_others = true), (vec![], vec![]), "it shows more than the client");
        let asks = window(2, 7, 60, 60);
        let is_asked = |desk: &mut Desk| {
            desk.windows.insert(0, asks);
            desk.keys = Some(asks.1);
        };
        assert_eq!(started(is_asked), (vec![], vec![2, 1]), "a dialog that lets nothing else be closed goes first");
    }

    #[test]
    fn a_page_of_what_was_started_is_clicked_on_controls_and_closed_before_it_is_started_once_more() {
        for (program, is_its_own, stays) in
            [(STARTED.into(), true, false), (STARTED.into(), true, true), (8, false, false)]
        {
            let mut guarded = guarded();
            guarded.inner_mut().stays = stays;
            guarded.inner_mut().tells_programs = true;
            guarded.allow(&[BOARD, FACE]);
            guarded.inner_mut().windows.clear();
            guarded.act(&Action::Start).unwrap();
            // It is smaller than the board was.
            let (place, page) = window(12, program, 50, 50);
            guarded.inner_mut().windows = vec![(ScreenRect { height: 100, ..place }, page)];
            guarded.inner_mut().keys = Some(page);
            guarded.allow(&[BOARD, FACE]);
            assert_eq!(guarded.act(&click(145, 65)).is_ok(), is_its_own, "{program}");
            assert!(guarded.act(&click(110, 110)).is_err() && guarded.act(&keys()).is_err(), "it is no board");
            guarded.act(&Action::Start).unwrap();
            assert_eq!(guarded.inner().started.len(), if is_its_own && stays { 1 } else { 2 });
            assert_eq!(guarded.inner().closed.len(), usize::from(is_its_own), "what is another's is left alone");
            guarded.inner_mut().windows = vec![window(13, program, 50, 50)];
            guarded.allow(&[BOARD, FACE]);
            assert!(guarded.act(&click(110, 110)).is_ok(), "there is a board");
        }
    }

    #[test]
    fn what_is_not_known_is_not_started() {
        let mut guarded = guarded();
        guarded.inner_mut().windows.clear();
        guarded.act(&Action::Start).unwrap();
        assert!(guarded.inner().started.is_empty());
    }

    #[test]
    fn what_is_allowed_goes_through() {
        check(|_| {}, true, true);
        let mut guarded = guarded();
        assert!(guarded.act(&click(145, 65)).is_ok(), "a control");
        for (x, y) in [(99, 110), (110, 99), (190, 110), (110, 190), (139, 65), (150, 65)] {
            assert!(matches!(guarded.act(&click(x, y)), Err(DesktopError::NotAllowed(_))), "{x},{y}");
        }
    }

    #[test]
    fn another_window_under_the_point_gets_nothing() {
        check(|desk| desk.windows.insert(0, window(2, 8, 20, 20)), false, true);
        check(|desk| desk.windows.clear(), false, true);
        // A dialog of the client is not its board.
        check(|desk| desk.windows.insert(0, window(2, 7, 20, 20)), false, true);
    }

    #[test]
    fn what_comes_in_place_of_a_window_that_has_gone_is_clicked_on_controls_and_is_no_dialog() {
        for (id, program, is_its_own) in [(2, 7, true), (2, 8, false), (0, 7, false)] {
            let mut guarded = guarded();
            let page = window(id, program, 20, 20);
            guarded.inner_mut().keys = Some(page.1);
            guarded.inner_mut().windows = vec![page];
            assert!(!guarded.has_dialog());
            assert_eq!(guarded.act(&click(145, 65)).is_ok(), is_its_own, "{id} {program}");
            assert!(guarded.act(&click(110, 110)).is_err(), "what was the board");
        }
    }

    #[test]
    fn a_window_that_was_there_before_is_in_place_of_one_that_has_gone_if_its_program_has_started_no_others() {
        // A menu that was there from the start; a browser's other window; a program of which nothing is told.
        for (tells_programs, has_others, is_its_own) in
            [(true, false, true), (true, true, false), (false, false, false)]
        {
            let mut guarded = guarded();
            let page = window(0, 7, 20, 20);
            *guarded.inner_mut() = Desk { tells_programs, has_others, ..std::mem::take(guarded.inner_mut()) };
            guarded.allow(&[BOARD, FACE]);
            assert!(!guarded.is_in_place_of(page.1, window(1, 7, 0, 0).1), "the board's window is still there");
            guarded.inner_mut().keys = Some(page.1);
            guarded.inner_mut().windows = vec![page];
            assert_eq!(guarded.act(&click(145, 65)).is_ok(), is_its_own, "{tells_programs} {has_others}");
            assert!(guarded.act(&click(110, 110)).is_err(), "what was the board");
        }
    }

    #[test]
    fn a_menu_over_a_control_is_clicked_and_a_dialog_is_not() {
        // The third is another window of its program, which has a frame, as a browser has several.
        for (id, program, keys, is_menu) in [(2, 7, 1, true), (2, 7, 2, false), (SECOND, 7, 1, false), (2, 8, 1, false)]
        {
            let mut guarded = guarded();
            guarded.inner_mut().windows.insert(0, window(id, program, 20, 20));
            guarded.inner_mut().keys = Some(window(keys, 7, 0, 0).1);
            assert_eq!(guarded.act(&click(145, 65)).is_ok(), is_menu, "{id} {program} {keys}");
            assert!(guarded.act(&click(110, 110)).is_err(), "the board below it");
        }
    }

    #[test]
    fn a_dialog_over_the_board_does_not_become_the_client() {
        let mut guarded = guarded();
        let (place, dialog) = window(2, 7, 20, 20);
        guarded.inner_mut().windows.insert(0, (place, dialog));
        guarded.allow(&[BOARD, FACE]);
        assert!(guarded.act(&click(110, 110)).is_err());
        guarded.act(&Action::Close).unwrap();
        assert_eq!(guarded.inner().closed, [dialog], "it has no keyboard");
        // A board in another place may be in another window.
        let elsewhere = ScreenRect { corner: ScreenPoint { x: 30, y: 30 }, ..BOARD };
        guarded.allow(&[elsewhere]);
        assert!(guarded.act(&click(110, 110)).is_ok());
    }

    #[test]
    fn only_a_dialog_of_the_client_is_closed() {
        let windows = [((1, 7), false), ((2, 7), true), ((SECOND, 7), false), ((2, 8), false), ((0, 0), false)];
        for ((id, program), is_closed) in windows {
            let mut guarded = guarded();
            guarded.inner_mut().keys = Some(window(id, program, 0, 0).1);
            guarded.act(&Action::Close).unwrap();
            assert_eq!(guarded.inner().closed.len(), usize::from(is_closed), "{id} {program}");
        }
    }

    #[test]
    fn a_box_that_does_not_say_that_it_is_a_dialog_is_closed_if_it_leaves_a_part_of_the_board_free() {
        let (large, small) = (
            window(SECOND, 7, 50, 50),
            (ScreenRect { width: 60, height: 60, ..window(0, 0, 110, 110).0 }, window(SECOND, 7, 110, 110).1),
        );
        for (others, over, is_closed) in [(false, small, true), (true, small, false), (false, large, false)] {
            let (place, client) = window(1, 7, 50, 50);
            let mut desk = Desk { windows: vec![(place, client)], keys: Some(client), ..Desk::default() };
            (desk.tells_programs, desk.has_others) = (true, others);
            let mut guarded = Guarded::new(desk);
            guarded.allow(&[BOARD]);
            guarded.inner_mut().windows.insert(0, over);
            guarded.act(&Action::Close).unwrap();
            assert_eq!(guarded.inner().closed.len(), usize::from(is_closed), "{others} {over:?}");
        }
    }

    #[test]
    fn a_dialog_is_another_window_of_the_program_that_is_typed_into() {
        let mut guarded = guarded();
        for (keys, is_dialog) in [((1, 7), false), ((2, 7), true), ((2, 8), false), ((0, 0), false)] {
            guarded.inner_mut().keys = Some(window(keys.0, keys.1, 0, 0).1);
            assert_eq!(guarded.has_dialog(), is_dialog, "{keys:?}");
        }
        guarded.inner_mut().keys = None;
        assert!(!guarded.has_dialog());
        assert!(
            !Guarded::new(Desk { keys: Some(window(2, 7, 0, 0).1), ..Desk::default() }).has_dialog(),
            "of no board"
        );
    }

    #[test]
    fn a_window_that_moved_is_not_clicked() {
        check(|desk| desk.windows[0] = window(1, 7, 51, 50), false, true);
    }

    #[test]
    fn another_window_with_the_keyboard_gets_no_keys() {
        check(|desk| desk.keys = Some(window(2, 8, 500, 20).1), true, false);
        check(|desk| desk.keys = Some(Window::NONE), true, false);
        check(|desk| desk.keys = None, true, false);
        // One of the same program, either: a dialog, or one with another board.
        check(|desk| desk.keys = Some(window(2, 7, 500, 20).1), true, false);
    }

    #[test]
    fn an_answer_is_for_a_dialog_and_nothing_else() {
        let answer = Action::Answer("Escape".into());
        for (keys, is_typed, is_ok) in [
            (Some((1, 7)), false, true), // the client itself: nothing to be answered
            (Some((2, 7)), true, true),
            (Some((2, 8)), false, false),
            (Some((0, 0)), false, false),
            (None, false, true),
        ] {
            let mut guarded = guarded();
            guarded.inner_mut().keys = keys.map(|(id, program)| window(id, program, 500, 20).1);
            let answered = guarded.act(&answer);
            assert_eq!(answered.is_ok(), is_ok, "{keys:?}: {answered:?}");
            let expected = if is_typed { vec![Action::Keys("Escape".into())] } else { vec![] };
            assert_eq!(guarded.inner().got, expected, "{keys:?}");
        }
        let mut blind = Guarded::new(Desk { tells_nothing: true, ..Desk::default() });
        blind.allow(&[BOARD]);
        assert!(blind.act(&answer).is_err(), "nothing was clicked");
        assert!(blind.act(&click(110, 110)).is_ok() && blind.act(&answer).is_ok());
        assert_eq!(blind.inner().got.len(), 2);
    }

    #[test]
    fn by_its_title_a_window_is_typed_into_and_its_dialog_answered_but_nothing_is_clicked() {
        let (titles, answer) = (["Mines".to_owned()], Action::Answer("Return".into()));
        let mut guarded = guarded();
        guarded.inner_mut().keys = Some(window(2, 7, 500, 20).1);
        assert!(guarded.allow_titled(&titles) && guarded.has_dialog());
        assert!(guarded.act(&answer).is_ok() && guarded.act(&keys()).is_err(), "a dialog has the keyboard");
        assert_eq!(guarded.inner().got, [Action::Keys("Return".into())]);
        assert!(matches!(guarded.act(&click(110, 110)), Err(DesktopError::NotAllowed(_))));
        guarded.inner_mut().keys = Some(window(3, 8, 500, 20).1);
        assert!(!guarded.has_dialog() && guarded.act(&answer).is_err(), "another program has it");
        assert!(!guarded.allow_titled(&["Other".to_owned()]) && guarded.act(&answer).is_err());
        guarded.inner_mut().tells_nothing = true;
        assert!(!guarded.allow_titled(&titles) && !guarded.has_dialog());
    }

    #[test]
    fn a_board_elsewhere_is_one_in_another_window_while_its_own_is_there() {
        let there = ScreenRect { corner: ScreenPoint { x: 400, y: 100 }, ..BOARD };
        let mut guarded = guarded();
        assert!(!guarded.is_elsewhere(BOARD));
        assert!(guarded.is_elsewhere(there), "on the bare desktop");
        for program in [7, 8] {
            guarded.inner_mut().windows.truncate(1);
            guarded.inner_mut().windows.push(window(2, program, 350, 50));
            assert!(guarded.is_elsewhere(there), "a window of program {program}");
            assert!(!guarded.is_elsewhere(BOARD));
        }
        guarded.inner_mut().windows.insert(0, pixel(104, 104));
        assert!(guarded.is_elsewhere(BOARD), "something is in the way there");
        guarded.inner_mut().windows.retain(|(_, window)| window.id == 2);
        assert!(!guarded.is_elsewhere(there), "its own is gone");
        let mut silent = self::guarded();
        silent.inner_mut().tells_nothing = true;
        assert!(!silent.is_elsewhere(there), "nothing is told any more");
        let mut other = Guarded::new(Desk { windows: vec![window(2, 8, 350, 50)], ..Desk::default() });
        assert!(!other.is_elsewhere(there), "nothing was allowed yet");
        other.inner_mut().tells_nothing = true;
        other.allow(&[there]);
        assert!(!other.is_elsewhere(BOARD), "nothing is told");
    }

    #[test]
    fn a_board_below_another_window_is_nobodys() {
        let mut guarded = guarded();
        guarded.inner_mut().windows.insert(0, window(2, 8, 150, 150));
        guarded.allow(&[BOARD]);
        assert!(guarded.act(&click(110, 110)).is_err() && guarded.act(&keys()).is_err());
        guarded.inner_mut().windows.remove(0);
        guarded.allow(&[BOARD]);
        assert!(guarded.act(&click(110, 110)).is_ok() && guarded.act(&keys()).is_ok());
        guarded.inner_mut().windows.clear();
        guarded.allow(&[BOARD]);
        assert!(guarded.act(&click(110, 110)).is_err() && guarded.act(&keys()).is_err(), "the bare desktop");
    }

    #[test]
    fn below_a_dialog_of_its_own_the_client_is_the_larger_window() {
        let mut guarded = guarded();
        guarded.inner_mut().windows.insert(0, window(2, 7, 150, 150));
        guarded.allow(&[BOARD]);
        assert!(guarded.act(&click(110, 110)).is_ok());
        assert!(guarded.act(&click(180, 180)).is_err());
    }

    /// A window on one pixel.
    fn pixel(x: i32, y: i32) -> (ScreenRect, Window) {
        let corner = ScreenPoint { x, y };
        (ScreenRect { corner, width: 1, height: 1 }, Window { id: 2, program: 8, corner })
    }

    #[test]
    fn whose_the_board_is_is_asked_near_its_corners_and_in_its_middle() {
        // Four pixels in, of a board of 90 by 90 at 100,100; the middle is between those.
        let asked = [(104, 104), (185, 104), (104, 185), (185, 185), (144, 144)];
        let expected = asked.map(|(x, y)| ScreenPoint { x, y });
        assert_eq!(points(BOARD), expected);
        for (x, y) in asked {
            let mut guarded = guarded();
            guarded.inner_mut().windows.insert(0, pixel(x, y));
            guarded.allow(&[BOARD]);
            assert!(guarded.act(&keys()).is_err(), "{x},{y}");
        }
        // Of a small board an eighth, and never outside of it.
        let small = |width, height| points(ScreenRect { corner: ScreenPoint { x: 0, y: 0 }, width, height });
        assert_eq!(small(16, 8)[3], ScreenPoint { x: 13, y: 6 });
        assert_eq!(small(1, 1), [ScreenPoint { x: 0, y: 0 }; 5]);
        assert_eq!(small(0, 0), [ScreenPoint { x: 0, y: 0 }; 5]);
    }

    #[test]
    fn what_is_allowed_moves_with_the_window() {
        let mut guarded = guarded();
        assert_eq!(guarded.follow(), Some((0, 0)));
        guarded.inner_mut().windows[0] = window(1, 7, 57, 39);
        assert!(guarded.act(&click(110, 110)).is_err());
        assert_eq!(guarded.follow(), Some((7, -11)));
        assert_eq!(guarded.follow(), Some((0, 0)));
        assert!(guarded.act(&click(107, 89)).is_ok() && guarded.act(&click(152, 54)).is_ok());
        assert!(matches!(guarded.act(&click(107, 88)), Err(DesktopError::NotAllowed(_))));
        assert!(matches!(guarded.act(&click(106, 89)), Err(DesktopError::NotAllowed(_))));
        // Another window over all of it does not become the board's.
        guarded.inner_mut().windows[0] = window(1, 7, 60, 39);
        guarded.inner_mut().windows.insert(0, window(2, 8, 50, 30));
        assert_eq!(guarded.follow(), Some((3, 0)));
        assert!(matches!(guarded.act(&click(115, 100)), Err(DesktopError::Foreign(_))));
        guarded.inner_mut().windows.clear();
        assert_eq!(guarded.follow(), None);
    }

    #[test]
    fn nothing_gets_past_the_guard() {
        let mut guarded = guarded();
        let (_, other) = window(2, 8, 0, 0);
        assert!(matches!(guarded.act_in(&click(10, 10), other), Err(DesktopError::NotAllowed(_))));
        assert!(guarded.act_in(&click(110, 110), other).is_ok());
        assert_eq!(guarded.inner().got.len(), 1);
        assert!(guarded.behind().is_some());
        guarded.wait(Duration::from_millis(3)).unwrap();
        assert_eq!(guarded.clock(), Duration::from_millis(3), "time passes behind it");
    }

    #[test]
    fn only_the_clients_window_is_raised() {
        let mut guarded = guarded();
        guarded.act(&Action::Raise).unwrap();
        assert_eq!(guarded.inner().raised, [window(1, 7, 50, 50).1]);
        guarded.inner_mut().windows.clear();
        guarded.allow(&[BOARD]);
        guarded.act(&Action::Raise).unwrap();
        assert_eq!(guarded.inner().raised.len(), 1);
    }

    #[test]
    fn a_window_in_place_of_the_clients_is_raised_once_that_has_gone() {
        for (program, expected) in [(7, 2), (8, 1)] {
            let mut guarded = guarded();
            let other = window(2, program, 350, 50);
            guarded.inner_mut().windows.push(other);
            guarded.inner_mut().keys = Some(other.1);
            guarded.act(&Action::Raise).unwrap();
            guarded.inner_mut().windows.remove(0);
            guarded.act(&Action::Raise).unwrap();
            let raised: Vec<u64> = guarded.inner().raised.iter().map(|window| window.id).collect();
            assert_eq!(raised, [1, expected], "a window of program {program}");
        }
    }

    #[test]
    fn where_the_system_tells_of_windows_but_not_now_nothing_is_done() {
        let mut guarded = guarded();
        guarded.inner_mut().is_busy = true;
        guarded.allow(&[BOARD]);
        assert!(guarded.act(&click(110, 110)).is_err() && guarded.act(&keys()).is_err());
        guarded.inner_mut().is_busy = false;
        guarded.allow(&[BOARD]);
        assert!(guarded.act(&click(110, 110)).is_ok() && guarded.act(&keys()).is_ok());
    }

    #[test]
    fn where_the_system_tells_nothing_keys_follow_a_click() {
        let mut guarded = Guarded::new(Desk { tells_nothing: true, ..Desk::default() });
        guarded.allow(&[BOARD]);
        assert!(guarded.act(&keys()).is_err());
        assert!(guarded.act(&click(110, 110)).is_ok());
        assert!(guarded.act(&keys()).is_ok());
        assert!(guarded.act(&click(10, 110)).is_err());
        guarded.allow(&[BOARD]);
        assert!(guarded.act(&keys()).is_ok(), "it is still that board");
        guarded.allow(&[]);
        guarded.allow(&[BOARD]);
        assert!(guarded.act(&keys()).is_err(), "nothing was clicked since there was no board");
    }
}
