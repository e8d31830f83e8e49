//! What to do when the board cannot be believed, clicked or seen: it is looked for again, uncovered where the client has
//! something for that, and waited for.

use super::painted::{self, Painted, bounds};
use super::view::View;
use super::{Abort, Bot, Doubt, Scene, check};
use crate::client::Step;
use crate::desktop::{Action, Desktop, DesktopError};
use std::time::Duration;

/// The longest a dialog takes to go away: toolkits load much for their first one.
pub const DIALOG: Duration = Duration::from_millis(1500);

/// How often a client's steps against a dialog, or for a new game, are tried.
pub const ROUNDS: u32 = 4;

/// The pause between two looks for a board that is waited for, at first...
const PAUSE: Duration = Duration::from_millis(150);
/// ...and later: to look for a board that is not there costs more than to see one.
const LONG_PAUSE: Duration = Duration::from_secs(1);

/// A window that covers the board, or has the keyboard, may go by itself; after this the client's is brought to the front, and
/// again whenever so much time has passed.
const POLITE: Duration = Duration::from_millis(1500);

impl<D: Desktop> Bot<'_, D> {
    /// A reading that cannot be believed: the window may have moved, be covered, or take its time.
    pub(super) fn recover(&mut self, before: Option<&Scene>, scene: &Scene, doubt: Doubt) -> Result<Scene, Abort> {
        self.remember(scene);
        // What covers the board may be the client's own; other windows get no keys, whatever they look like.
        let is_there = before.is_some_and(|before| painted::is_partly_same(before, scene));
        let steps = if is_there && matches!(doubt, Doubt::Covered { .. }) {
            let steps = &self.view.client.hands.uncover;
            // A dialog that has just come up may not have the keyboard yet.
            (0..ROUNDS).flat_map(|_| steps.clone()).collect()
        } else {
            Vec::new()
        };
        self.return_to(before, doubt.into(), steps)
    }

    /// Another window was in the way of a click or of keys, whether that shows or not: a moment later the board is looked for again,
    /// and its window brought to the front.
    pub(super) fn wait_for(&mut self, before: &Scene, trouble: Abort) -> Result<Scene, Abort> {
        self.desktop.wait(PAUSE)?;
        let scene = self.return_to(Some(before), trouble, Vec::new())?;
        self.desktop.act(&Action::Raise)?;
        Ok(scene)
    }

    /// Looks for the board of `before`, takes `steps`, and waits as long as the options say.
    fn return_to(&mut self, before: Option<&Scene>, trouble: Abort, steps: Vec<Step>) -> Result<Scene, Abort> {
        log::info!("{trouble}; looking for the board again");
        let patience = self.view.patience();
        let (mut steps, mut trouble) = (steps.into_iter(), trouble);
        // Since when there is nothing to do but wait, and when the window was brought to the front.
        let mut waiting: Option<(Duration, Duration)> = None;
        let mut pause = PAUSE;
        loop {
            match self.found_again(before, patience) {
                Ok(Ok(scene)) => return Ok(scene),
                Ok(Err(why)) => trouble = why.unwrap_or(trouble),
                Err(Abort::NotFound(why)) => trouble = Abort::Gone(why),
                Err(Abort::Desktop(error @ (DesktopError::Capture(_) | DesktopError::Black))) => trouble = error.into(),
                Err(other) => return Err(other),
            }
            if let Some(step) = steps.next() {
                match self.take_step(&step) {
                    Ok(()) => {
                        if let Painted::Yes(scene) = self.painted(before, &[], patience.max(DIALOG))? {
                            return Ok(scene);
                        }
                    }
                    // Then it is not the client's own window that covers the board, or that is just going.
                    Err(Abort::Desktop(DesktopError::Foreign(_))) if !self.options.wait.is_zero() => {
                        self.desktop.wait(PAUSE)?;
                    }
                    Err(Abort::Desktop(DesktopError::Foreign(_))) => steps = Vec::new().into_iter(),
                    Err(other) => return Err(other),
                }
                continue;
            }
            if self.options.wait.is_zero() {
                return Err(trouble);
            }
            let now = self.desktop.clock();
            let (began, raised) = waiting.get_or_insert((now, now));
            if now.saturating_sub(*began) >= self.options.wait {
                return Err(trouble);
            }
            if now.saturating_sub(*raised) >= POLITE {
                *raised = now;
                self.desktop.act(&Action::Raise)?;
            }
            self.desktop.wait(pause)?;
            pause = (pause * 3 / 2).min(LONG_PAUSE);
        }
    }

    /// Looks for the board on the whole screen, and at it. If it is not the board of `before`, nothing changes: what may be clicked
    /// stays where it was; and what is wrong with it comes back, where that is clear.
    pub(super) fn found_again(
        &mut self,
        before: Option<&Scene>,
        patience: Duration,
    ) -> Result<Result<Scene, Option<Abort>>, Abort> {
        // A window that was only moved needs no search, which may take longer than it stays where it is.
        if let Some(by) = self.desktop.displacement().filter(|&by| by != (0, 0)) {
            let view = self.view.shifted(by);
            if let Ok(scene) = self.confirmed(view, before, patience)? {
                return Ok(Ok(scene));
            }
        }
        let view = self.view.find_again(self.desktop, self.eyes, &mut self.effort)?;
        let (was, is) = (self.view.size(), view.size());
        if was != is {
            // With a part of it covered, what shows may look like a smaller board.
            return Ok(Err(Some(Abort::Resized { was, is })));
        }
        self.confirmed(view, before, patience)
    }

    /// Takes another view for that of the board, if it shows the board of `before`.
    fn confirmed(
        &mut self,
        view: View,
        before: Option<&Scene>,
        patience: Duration,
    ) -> Result<Result<Scene, Option<Abort>>, Abort> {
        let known = std::mem::replace(&mut self.view, view);
        match self.painted(before, &[], patience) {
            Ok(Painted::Yes(scene)) => {
                self.desktop.allow(&self.view.allowed());
                // What covered the board meanwhile would be taken for the client's window.
                let is_same = self.view.is_unchanged(self.desktop, &scene.shot, bounds(&scene.reading.grid))?;
                Ok(if is_same { Ok(scene) } else { Err(None) })
            }
            Ok(Painted::Doubtful(scene, doubt)) => {
                let is_another = |before: &Scene| check::is_another_game(&before.tiles(), &scene.tiles());
                if before.is_some_and(is_another) {
                    self.desktop.allow(&self.view.allowed());
                    return Err(Abort::Restarted);
                }
                self.view = known;
                Ok(Err((!matches!(doubt, Doubt::NotYet(_))).then(|| doubt.into())))
            }
            Err(error) => {
                self.view = known;
                Err(error)
            }
        }
    }
}
