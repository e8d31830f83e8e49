//! What to do when the board cannot be believed, clicked or seen: it is looked for again, uncovered where the client has
//! something for that, and waited for.

use super::painted::{self, Painted};
use super::view::View;
use super::{Abort, Bot, Doubt, Scene, check};
use crate::client::Step;
use crate::desktop::{Action, Desktop, DesktopError, Program, ScreenRect};
use crate::geometry::{BoardSize, ScreenPoint};
use std::time::Duration;

/// The longest a dialog takes to go away: toolkits load much for their first one.
pub const DIALOG: Duration = Duration::from_millis(1500);

/// Clicks after an answer in which the game that it begins may come up, at most.
const BEGINS: u32 = 4;

/// Between two questions whether a dialog is still there.
const ANSWER: Duration = Duration::from_millis(10);

/// How often a client's steps against a dialog, or for a new game, are tried.
pub const ROUNDS: u32 = 4;

/// The pause between two looks for a board that is waited for, at first...
const PAUSE: Duration = Duration::from_millis(150);
/// ...and later: to look for a board that is not there costs more than to see one.
const LONG_PAUSE: Duration = Duration::from_secs(1);

/// A window that covers the board, or has the keyboard, may go by itself; after this the client's is brought to the front, and
/// again whenever so much time has passed.
const POLITE: Duration = Duration::from_millis(1500);

/// After so long, or each of the client's steps against a dialog, a game that may be over below what its client paints over it is.
const OVER: Duration = Duration::from_secs(3);

/// For a look at the board where it was: as long as something is in the way, it does not change.
const NEAR: Duration = Duration::from_millis(200);

/// The board that was looked for, or what is wrong with what was found.
pub type Found = Result<Scene, Wrong>;

/// What is wrong with what was found where a board was looked for.
#[derive(Debug)]
pub enum Wrong {
    /// Nothing that can be named.
    Unclear,
    /// It cannot be believed.
    Doubtful(Doubt),
    /// Nor that, but the rest of the board shows.
    Covered(Doubt),
    /// It has another size.
    Resized { was: BoardSize, is: BoardSize },
    /// It is a board of another game. `is_plain`: it shows other numbers, and not only covered tiles.
    Another { is_plain: bool },
}

impl Wrong {
    /// To be told if it stays so.
    fn abort(self) -> Option<Abort> {
        match self {
            Wrong::Unclear | Wrong::Doubtful(Doubt::NotYet(_)) => None,
            Wrong::Doubtful(doubt) | Wrong::Covered(doubt) => Some(doubt.into()),
            Wrong::Resized { was, is } => Some(Abort::Resized { was, is }),
            Wrong::Another { .. } => Some(Abort::Restarted),
        }
    }
}

/// When to search the whole screen.
#[derive(Default)]
struct Search {
    rounds: u32,
    /// Not before: as much time is left for other things as the last search took.
    next: Option<Duration>,
}

impl<D: Desktop> Bot<'_, D> {
    /// A reading that cannot be believed: the window may have moved, be covered, or take its time.
    pub(super) fn recover(&mut self, before: Option<&Scene>, scene: &Scene, doubt: Doubt) -> Result<Scene, Abort> {
        self.remember(scene);
        self.return_to(before, doubt.into())
    }

    /// Another window was in the way of a click or of keys, whether that shows or not: a moment later the board is looked for again,
    /// and its window brought to the front.
    pub(super) fn wait_for(&mut self, before: &Scene, trouble: Abort) -> Result<Scene, Abort> {
        self.desktop.wait(PAUSE)?;
        let scene = self.return_to(Some(before), trouble)?;
        self.desktop.act(&Action::Raise)?;
        Ok(scene)
    }

    /// Nothing can be opened while some tiles are not recognised: if it is something over the board, it may go, or be brought behind the
    /// client's window. Whether there is time left to wait for that, `since` the first time.
    pub(super) fn waits_for_tiles(&mut self, since: &mut Option<Duration>) -> Result<bool, Abort> {
        let now = self.desktop.clock();
        let began = *since.get_or_insert(now);
        if now.saturating_sub(began) >= self.options.wait {
            return Ok(false);
        }
        self.desktop.wait(POLITE / 3)?;
        if self.desktop.has_dialog() {
            self.uncover()?;
        } else if now.saturating_sub(began) >= POLITE {
            self.desktop.act(&Action::Raise)?;
        }
        Ok(true)
    }

    /// Looks for the board of `before`, takes the client's steps against what covers it, and waits as long as the options say.
    pub(super) fn return_to(&mut self, before: Option<&Scene>, trouble: Abort) -> Result<Scene, Abort> {
        // A client may take its time to begin what an answer asked for.
        let has_answered = self.has_answered();
        match self.looked_for(before, trouble) {
            Err(Abort::Restarted) if has_answered => Err(Abort::Answered),
            other => other,
        }
    }

    /// Whether something was answered to the client a moment ago.
    fn has_answered(&self) -> bool {
        self.answered.is_some_and(|clicks| self.effort.clicks <= clicks + BEGINS)
    }

    /// The same, whatever was answered before.
    fn looked_for(&mut self, before: Option<&Scene>, trouble: Abort) -> Result<Scene, Abort> {
        log::info!("{trouble}; looking for the board again");
        let patience = self.view.patience();
        let mut trouble = trouble;
        // A dialog that has just come up may not have the keyboard yet.
        let uncover = self.view.client.hands.uncover.clone();
        let mut steps = (0..ROUNDS).flat_map(|_| uncover.iter()).peekable();
        // How many of these were not taken yet.
        let mut left = uncover.len();
        let doubt = if let Abort::Doubt(doubt) = &trouble { Some(doubt.clone()) } else { None };
        let mut under_way = self.under_way.clone();
        // Since when there is nothing to do but wait, and when the window was brought to the front.
        let mut waiting: Option<(Duration, Duration)> = None;
        let mut is_late = false;
        let mut pause = PAUSE;
        let mut search = Search::default();
        loop {
            if before.is_some() && self.is_asked(Duration::ZERO)? {
                return Err(Abort::Asked);
            }
            // What covers the board may be the client's own; other windows get no keys, whatever they look like.
            let (mut is_covered, mut is_another) = (false, false);
            match self.seen_again(before, patience, &mut search) {
                Ok(Ok(scene)) => return Ok(scene),
                Ok(Err(why)) => {
                    is_covered = matches!(why, Wrong::Covered(_)) || self.desktop.has_dialog();
                    is_another = matches!(why, Wrong::Another { .. });
                    trouble = why.abort().unwrap_or(trouble);
                }
                Err(Abort::NotFound(why)) => {
                    is_covered = self.desktop.has_dialog();
                    trouble = Abort::Gone(why);
                    if self.is_program_gone()? {
                        return Err(trouble);
                    }
                }
                Err(Abort::Desktop(error)) if error.is_without_picture() => {
                    trouble = error.into();
                    // A screen on which there is nothing else is black once it has gone.
                    if self.is_program_gone()? {
                        return Err(trouble);
                    }
                }
                Err(other) => return Err(other),
            }
            if (is_late || is_covered && left == 0 && !uncover.is_empty())
                && let Some((doubt, game)) = doubt.as_ref().zip(under_way.take())
                && self.over_where(doubt, &game)?.is_some()
            {
                return Err(doubt.clone().into());
            }
            if is_covered && let Some(step) = steps.peek().map(|step| self.answer_if_asked(step)) {
                // Who has the keyboard may give it back; after a while it is asked for, and the step taken at once.
                let is_polite = waiting.is_none_or(|(_, raised)| self.desktop.clock().saturating_sub(raised) < POLITE);
                // What begins a new game may be what answers a question that the client asks within its window.
                let is_question = self.desktop.has_dialog()
                    || steps.peek().is_some_and(|step| self.view.client.hands.new_game.contains(step));
                let taken = if is_polite { self.take_step(&step) } else { self.step_in_front(&step) };
                match taken {
                    Ok(()) => {
                        steps.next();
                        left = left.saturating_sub(1);
                        self.until_answered(DIALOG)?;
                        self.answered = Some(self.effort.clicks).filter(|_| is_question).or(self.answered);
                        match self.painted(before, &[], patience.max(DIALOG))? {
                            Painted::Yes(scene) => return Ok(scene),
                            // The answer that takes a dialog away may begin the next game. Without one, or if another game showed around it,
                            // it was begun by hand.
                            Painted::Doubtful(scene, _) if is_question && !is_another && is_after(before, &scene) => {
                                return Err(Abort::Answered);
                            }
                            Painted::Doubtful(..) => {}
                        }
                        // What covers it may be a dialog that has lost the keyboard: then nothing was typed.
                        self.desktop.act(&Action::Raise)?;
                        continue;
                    }
                    Err(Abort::Desktop(DesktopError::Foreign(_))) if self.is_in_its_own_way(&step) => {
                        steps.next();
                        left = left.saturating_sub(1);
                        continue;
                    }
                    // It is not the client's own window that covers the board, or another one has the keyboard.
                    Err(Abort::Desktop(DesktopError::Foreign(_))) => {}
                    Err(other) => return Err(other),
                }
            }
            if self.options.wait.is_zero() {
                return Err(trouble);
            }
            let now = self.desktop.clock();
            let (began, raised) = waiting.get_or_insert((now, now));
            if now.saturating_sub(*began) >= self.options.wait {
                return Err(trouble);
            }
            is_late = now.saturating_sub(*began) >= OVER;
            if now.saturating_sub(*raised) >= POLITE {
                *raised = now;
                self.desktop.act(&Action::Raise)?;
            }
            self.desktop.wait(pause)?;
            pause = (pause * 3 / 2).min(LONG_PAUSE);
        }
    }

    /// Whether a click gets nowhere for a dialog of the client's own, as for the message of another end of a game: what answers that is among the
    /// steps after it.
    pub(super) fn is_in_its_own_way(&mut self, step: &Step) -> bool {
        matches!(step, Step::Click(_)) && self.desktop.has_dialog()
    }

    /// Waits until no dialog of the client's has the keyboard, so long at most.
    pub(super) fn until_answered(&mut self, longest: Duration) -> Result<(), Abort> {
        let began = self.desktop.clock();
        while self.desktop.has_dialog() && self.desktop.clock().saturating_sub(began) < longest {
            self.rest(ANSWER)?;
        }
        Ok(())
    }

    /// Looks at the board where its window is now, and on the whole screen when that does not help: a search where there is nothing to
    /// be found takes longer than most of what happens to a window.
    fn seen_again(&mut self, before: Option<&Scene>, patience: Duration, search: &mut Search) -> Result<Found, Abort> {
        let known = self.follow()?;
        let near = match known {
            Some(true) => self.confirmed(self.view.clone(), before, patience, true)?,
            Some(false) => self.confirmed(self.view.clone(), before, patience.min(NEAR), true)?,
            None => self.confirmed(self.view.clone(), before, patience.min(NEAR), false)?,
        };
        if matches!(near, Err(Wrong::Another { .. })) && self.shows_a_board()? {
            return Err(Abort::Restarted);
        }
        search.rounds += 1;
        let began = self.desktop.clock();
        if near.is_ok() || known.is_some() && search.rounds < 3 || search.next.is_some_and(|next| began < next) {
            return Ok(near);
        }
        let found = self.found_again(before, patience);
        let now = self.desktop.clock();
        search.next = Some(now + now.saturating_sub(began));
        match (&near, found) {
            (_, Ok(Ok(scene))) => Ok(Ok(scene)),
            // Where the board shows in part, that says more than what a search makes of it, or finds elsewhere.
            (Err(Wrong::Covered(_) | Wrong::Another { is_plain: true }), Ok(_) | Err(Abort::NotFound(_)))
            | (Err(Wrong::Another { .. }), Err(Abort::NotFound(_))) => Ok(near),
            (_, found) => found,
        }
    }

    /// Whether a board is where the known one is, by a search that knows nothing of it: what a client covers its board with may look
    /// like hidden tiles where tiles are expected.
    fn shows_a_board(&mut self) -> Result<bool, Abort> {
        self.follow()?;
        let expected = self.view.clone();
        let near = |one: f64, other: f64, pitch: f64| (one - other).abs() < pitch / 2.0;
        match self.view.find_again(self.desktop, self.eyes, &mut self.effort) {
            Ok(found) => {
                let (here, there) = (found.sight.grid.origin(), expected.sight.grid.origin());
                let (across, down) = expected.sight.grid.pitch();
                let is_there = found.size() == expected.size()
                    && near(here.x, there.x, across)
                    && near(here.y, there.y, down)
                    && !self.desktop.is_elsewhere(found.board());
                if is_there {
                    self.view = found;
                    self.desktop.allow(&self.view.allowed());
                }
                Ok(is_there)
            }
            Err(Abort::NotFound(_)) => Ok(false),
            Err(Abort::Desktop(why)) if why.is_without_picture() => Ok(false),
            Err(other) => Err(other),
        }
    }

    /// Looks for the board on the whole screen, and at it. If it is not the board of `before`, nothing changes: what may be clicked
    /// stays where it was; and what is wrong with it comes back, where that is clear.
    pub(super) fn found_again(&mut self, before: Option<&Scene>, patience: Duration) -> Result<Found, Abort> {
        self.follow()?;
        let view = self.view.find_again(self.desktop, self.eyes, &mut self.effort)?;
        if self.follow()? == Some(true) {
            return Ok(Err(Wrong::Unclear)); // it was found where it was, or where it is: who knows
        }
        if self.desktop.is_elsewhere(view.board()) {
            return Ok(Err(Wrong::Unclear)); // another window of the client says nothing of what happened to this one
        }
        let (was, is) = (self.view.size(), view.size());
        if was != is {
            // With a part of it covered, what shows may look like a smaller board.
            return Ok(Err(Wrong::Resized { was, is }));
        }
        self.confirmed(view, before, patience, false)
    }

    /// Waits until a program that was started shows its board, in whatever window that is.
    pub(super) fn until_it_shows(&mut self) -> Result<(), Abort> {
        let (began, patience) = (self.desktop.clock(), self.view.patience());
        while self.desktop.clock().saturating_sub(began) < Program::STARTS {
            match self.found_again(None, patience) {
                Ok(Ok(_)) => return Ok(()),
                Ok(Err(_)) => {}
                // It may hang over the edge of the screen.
                Err(Abort::NotFound(_)) => self.desktop.act(&Action::Raise)?,
                Err(abort) if abort.may_pass() => {}
                Err(other) => return Err(other),
            }
            self.desktop.wait(PAUSE)?;
        }
        Ok(())
    }

    /// Whether the client's program is one that ends with its game, and its window is not to be seen.
    pub(super) fn is_program_gone(&mut self) -> Result<bool, Abort> {
        let starts = self.view.client.hands.new_game.iter().any(Step::starts);
        Ok(starts && self.follow()?.is_none())
    }

    /// Whether what shows where the board is was painted by the client itself: no other window lies there, as far as the system tells
    /// of windows at all.
    pub(super) fn is_its_own(&mut self) -> bool {
        let board = self.view.board();
        let places = [(0.5, 0.5), (0.05, 0.05), (0.95, 0.05), (0.05, 0.95), (0.95, 0.95)];
        let windows = places.map(|(x, y)| self.desktop.window_at(within(board, x, y)).map(|window| window.id));
        windows[0].is_some()
            && windows.iter().all(|window| *window == windows[0])
            && !self.desktop.has_dialog()
            && !self.desktop.is_elsewhere(self.view.board())
    }

    /// Why a game was given up, where another size of the board explains it: as a board of the size it had, it cannot be understood.
    pub(super) fn explained(&mut self, abort: Abort) -> Abort {
        if !matches!(abort, Abort::Doubt(_) | Abort::Impossible(..) | Abort::Deaf { .. } | Abort::Stuck { .. }) {
            return abort;
        }
        self.resized().ok().flatten().unwrap_or(abort)
    }

    /// Whether the client's board has another size now, in the window that it was in; that it is not found is the error. Nothing is done with it.
    pub(super) fn resized(&mut self) -> Result<Option<Abort>, Abort> {
        let found = self.view.find_again(self.desktop, self.eyes, &mut self.effort)?;
        let (was, is) = (self.view.size(), found.size());
        let is_resized = was != is && !self.desktop.is_elsewhere(found.board());
        Ok(is_resized.then_some(Abort::Resized { was, is }))
    }

    /// Whether the client's board is larger now than it was, where it was: the part of it that is looked at may show nothing of that. What
    /// is found to be smaller may be covered.
    pub(super) fn grown(&mut self) -> Result<Option<Abort>, Abort> {
        let found = match self.view.find_again(self.desktop, self.eyes, &mut self.effort) {
            Ok(found) => found,
            Err(Abort::NotFound(_)) => return Ok(None),
            Err(Abort::Desktop(why)) if why.is_without_picture() => return Ok(None),
            Err(other) => return Err(other),
        };
        let (was, is, board) = (self.view.size(), found.size(), self.view.board());
        let is_larger = was != is && is.width >= was.width && is.height >= was.height;
        let is_here = found.board().contains(within(board, 0.5, 0.5)) && !self.desktop.is_elsewhere(found.board());
        Ok((is_larger && is_here).then_some(Abort::Resized { was, is }))
    }

    /// Takes another view for that of the board, if it shows the board of `before`. `is_its_window`: what it shows otherwise is another
    /// game in its window, and not another window of the client.
    fn confirmed(
        &mut self,
        view: View,
        before: Option<&Scene>,
        patience: Duration,
        is_its_window: bool,
    ) -> Result<Found, Abort> {
        let (known, moved) = (std::mem::replace(&mut self.view, view), self.moved);
        if self.view.sight.grid.origin() != known.sight.grid.origin() {
            self.park()?; // the pointer may be over the board now
        }
        match self.painted(before, &[], patience) {
            Ok(Painted::Yes(_)) if self.desktop.is_elsewhere(self.view.board()) => {
                self.view = known.shifted((self.moved.0 - moved.0, self.moved.1 - moved.1));
                Ok(Err(Wrong::Unclear))
            }
            Ok(Painted::Yes(scene)) => {
                self.desktop.allow(&self.view.allowed());
                // What covered the board meanwhile would be taken for the client's window.
                let is_same = self.view.is_unchanged(self.desktop, &scene.shot, scene.reading.grid.bounds())?;
                Ok(if is_same { Ok(scene) } else { Err(Wrong::Unclear) })
            }
            Ok(Painted::Doubtful(scene, doubt)) => {
                self.view = known.shifted((self.moved.0 - moved.0, self.moved.1 - moved.1));
                let tiles = scene.tiles();
                // Where nothing of it shows any more, and no other window either, the client painted over it.
                let is_covered = matches!(doubt, Doubt::Covered { .. })
                    && before.is_some_and(|before| {
                        painted::is_partly_same(before, &scene) || is_its_window && self.is_its_own()
                    });
                let another = before.map(Scene::tiles).filter(|before| check::is_another_game(before, &tiles));
                Ok(Err(match another {
                    // Another window of the client says nothing of what happened to this one.
                    Some(_) if !is_its_window => Wrong::Unclear,
                    Some(before) => Wrong::Another { is_plain: check::shows_other_numbers(&before, &tiles) },
                    None if is_covered => Wrong::Covered(doubt),
                    None => Wrong::Doubtful(doubt),
                }))
            }
            Err(error) => {
                self.view = known.shifted((self.moved.0 - moved.0, self.moved.1 - moved.1));
                Err(error)
            }
        }
    }
}

/// Whether a board shows another game than it did before.
pub(super) fn is_after(before: Option<&Scene>, now: &Scene) -> bool {
    before.is_some_and(|before| check::is_another_game(&before.tiles(), &now.tiles()))
}

/// The place at these shares of a board's width and height.
fn within(board: ScreenRect, across: f64, down: f64) -> ScreenPoint {
    let ScreenRect { corner, width, height } = board;
    let along = |from: i32, length: u32, share: f64| from.saturating_add((f64::from(length) * share) as i32);
    ScreenPoint { x: along(corner.x, width, across), y: along(corner.y, height, down) }
}
