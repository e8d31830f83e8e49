//! New games: what is on the board before one, and how it is begun.

use super::check::{COVERED, Standing, standing};
use super::painted::Painted;
use super::recover::{DIALOG, ROUNDS};
use super::view::View;
use super::{Abort, Bot, Options, Place, Scene};
use crate::board::Tile;
use crate::client::{Anchor, Client, Spot, Step};
use crate::desktop::{Action, Desktop, DesktopError, ScreenRect};
use crate::geometry::{BoardSize, Cell, Pixel};
use crate::vision::find::locate::LocateError;
use crate::vision::{Eyes, find_any};
use std::sync::Arc;
use std::time::Duration;

/// How far a game is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Nothing was played yet.
    Fresh,
    /// Something was.
    UnderWay,
    /// It is won or lost.
    Over,
}

impl<'a, D: Desktop> Bot<'a, D> {
    /// Looks for the board after a game that was given up, as [`Bot::start`] does; as long as it is not to be found, what may cover it in
    /// the window that showed it is taken away, by the client's steps for that. If it is still not there, or another than the one that is
    /// asked for, the level is chosen, some times.
    ///
    /// # Errors
    /// As [`Bot::start`].
    pub fn start_over(place: Place, desktop: &'a mut D, eyes: &'a mut [Eyes], options: Options) -> Result<Self, Abort> {
        let mut bot = Self::at(place.0, desktop, eyes, options);
        let (mut rounds, mut chosen, began) = (0, 0, bot.desktop.clock());
        loop {
            let tried = bot.desktop.clock();
            let shows_another = match View::find(bot.desktop, bot.eyes, &mut bot.effort, Duration::ZERO) {
                Ok(view) => {
                    bot.view = view;
                    let is_asked_for = bot.options.size.is_none_or(|size| size == bot.size());
                    if is_asked_for || chosen == ROUNDS || bot.steps_to_level().is_empty() {
                        return Ok(bot);
                    }
                    true
                }
                // A search where there is nothing may take longer than is waited: what was done since the last one may have helped.
                Err(abort) if abort.may_pass() && tried.saturating_sub(began) < bot.options.wait => false,
                Err(other) => return Err(other),
            };
            let is_there = bot.follow()?.is_some();
            if is_there && !shows_another {
                bot.uncover()?;
            }
            // What covered the board may be gone now: where none shows, that is seen first.
            if chosen < ROUNDS && (shows_another || is_there && rounds > 0) {
                bot.choose_level()?;
                chosen += 1;
            }
            rounds += 1;
            bot.desktop.wait(DIALOG / 10)?;
        }
    }

    /// Takes a dialog of the client's own away that covers a part of its board, as the end of the game before may have left it, by the
    /// client's steps for that. Of a large board so little may be covered that it is found, and taken for a game that is under way.
    ///
    /// # Errors
    /// Screen, mouse or keyboard fail.
    pub fn clear_away(&mut self) -> Result<(), Abort> {
        for _ in 0..ROUNDS {
            if !self.is_covered()? {
                break;
            }
            if !self.desktop.has_dialog() {
                self.desktop.act(&Action::Raise)?; // it may have lost the keyboard
            }
            if !self.is_dialog_up(DIALOG / 3)? {
                break;
            }
            self.uncover()?;
            self.until_answered(DIALOG)?;
        }
        Ok(())
    }

    /// The client's steps to the level that is asked for.
    fn steps_to_level(&self) -> &[Step] {
        let level = self.options.size.and_then(|size| self.view.client.level_of(size));
        level.map_or(&[], |level| &level.choose)
    }

    /// Takes them once, as far as no other window is in the way.
    fn choose_level(&mut self) -> Result<(), Abort> {
        for step in self.steps_to_level().to_vec() {
            if matches!(step, Step::Answer(_)) && !self.is_dialog_up(DIALOG / 3)? {
                continue;
            }
            match self.step_in_front(&step) {
                Err(Abort::Desktop(DesktopError::Foreign(_))) => break,
                other => other?,
            }
        }
        Ok(())
    }

    /// Whether a dialog has the keyboard, or gets it in so much time.
    pub(super) fn is_dialog_up(&mut self, longest: Duration) -> Result<bool, Abort> {
        let began = self.desktop.clock();
        while !self.desktop.has_dialog() {
            if self.desktop.clock().saturating_sub(began) >= longest {
                return Ok(false);
            }
            self.desktop.wait(longest / 10)?;
        }
        Ok(true)
    }

    /// Begins a new game where a board was, however that looks now.
    ///
    /// # Errors
    /// As [`Bot::new_game`].
    pub fn begin_at(place: Place, desktop: &'a mut D, eyes: &'a mut [Eyes], options: Options) -> Result<Self, Abort> {
        // More may be known of its client by now.
        let mut view = place.0;
        view.client = eyes[view.whose].client().clone();
        let mut bot = Self::at(view, desktop, eyes, options);
        bot.follow()?;
        bot.new_game()?;
        Ok(bot)
    }

    /// How far the game on the screen is. Nothing is clicked.
    ///
    /// # Errors
    /// The screen cannot be captured, or what is on it cannot be believed.
    pub fn stage(&mut self) -> Result<Stage, Abort> {
        self.park()?; // a tile below the pointer may look different
        let scene = self.look()?;
        Ok(if self.is_fresh(&scene) {
            Stage::Fresh
        } else if self.is_over(&scene) {
            Stage::Over
        } else {
            Stage::UnderWay
        })
    }

    /// Begins a new game, unless a fresh board shows.
    ///
    /// # Errors
    /// As [`Bot::new_game`].
    pub fn begin_unless_fresh(&mut self) -> Result<(), Abort> {
        match self.stage() {
            Ok(Stage::Fresh) if self.view.client.rules.first_click.opens_itself() => {
                // Nothing may be open yet; if nothing will be, it is played all the same.
                self.is_fresh_within(self.view.patience(), false, false).map(|_| ())
            }
            Ok(Stage::Fresh) => Ok(()),
            Err(abort) if abort.is_request() => Err(abort),
            Ok(_) | Err(_) => self.new_game(),
        }
    }

    /// Begins a new game, as the client has it, and sees to it that a fresh board shows; a client that cannot be reached is waited for
    /// as long as the options say. A game that is under way is thrown away.
    ///
    /// # Errors
    /// No fresh board shows after all the client's steps, or screen or mouse fail.
    pub fn new_game(&mut self) -> Result<(), Abort> {
        if !self.has_clicked {
            self.desktop.act(&Action::Raise)?;
        }
        let (mut rounds, mut since) = (0, self.desktop.clock());
        loop {
            let tried = self.desktop.clock();
            let trouble = match self.try_new_game(rounds) {
                Ok(true) => return Ok(()),
                Ok(false) => {
                    (rounds, since) = (rounds + 1, self.desktop.clock());
                    Abort::NoNewGame(self.view.client.hands.new_game.len())
                }
                Err(abort) if abort.may_pass() => {
                    log::debug!("no new game yet: {abort}");
                    abort
                }
                Err(other) => return Err(other),
            };
            if rounds == ROUNDS || trouble.may_pass() && tried.saturating_sub(since) >= self.options.wait {
                let is_begun = rounds == ROUNDS && self.open_what_is_left()? && self.try_new_game(rounds)?;
                return if is_begun { Ok(()) } else { Err(trouble) };
            }
            self.desktop.wait(DIALOG / 10)?;
        }
    }

    /// Opens a mine of a game that is won: some clients do not know that it is, and begin no other before one goes off. Whether there was one.
    fn open_what_is_left(&mut self) -> Result<bool, Abort> {
        let Painted::Yes(scene) = self.painted(None, &[], self.view.patience())? else { return Ok(false) };
        let tiles = scene.tiles();
        let is_won = standing(&tiles, self.mines(&scene), &self.view.client.rules) == Standing::Won;
        let Some(index) = tiles.iter().position(|tile| *tile == Tile::Hidden).filter(|_| is_won) else {
            return Ok(false);
        };
        let Cell { x, y } = self.view.sight.grid.size().cell(index);
        let tiles = [f64::from(x) + 0.5, f64::from(y) + 0.5];
        log::debug!("the game that is won is ended by a mine");
        self.take_step(&Step::Click(Spot { from: Anchor::TopLeft, tiles, pixels: [0.0; 2] }))?;
        Ok(true)
    }

    /// Takes the client's steps once; whether a fresh board shows now. `rounds`: how often they had no effect before, as where a page came too late for
    /// the click on it.
    fn try_new_game(&mut self, rounds: u32) -> Result<bool, Abort> {
        let (mut hands, again) = (self.view.client.hands.clone(), rounds > 0);
        (0..rounds).for_each(|_| hands.new_game.iter_mut().for_each(Step::slow_down));
        let patience = self.view.patience();
        // Keys are for nobody, and what is below where its window was is none of the client's.
        if self.is_program_gone()?
            && let Some(step) = hands.new_game.iter().find(|step| step.starts())
        {
            self.take_step(step)?;
            return self.is_fresh_within(patience.max(DIALOG), false, false);
        }
        self.follow()?;
        // A dialog may come up a while after the end of a game, and take the keys that were meant for the client.
        let scene = self.as_it_is()?;
        let was_over = self.is_over(&scene);
        // What is asked may come up late, and be lost below a window that is brought to the front meanwhile.
        let asks = !again && matches!(hands.new_game.first(), Some(Step::Answer(_)));
        if again || is_covered(&scene) {
            // A dialog over the board, or beside it, may have lost the keyboard to the click that brought it up.
            let has_dialog = if asks { self.is_dialog_up(DIALOG)? } else { self.desktop.has_dialog() };
            if !has_dialog {
                self.desktop.act(&Action::Raise)?;
                self.desktop.wait(DIALOG / 3)?;
            }
        }
        let is_in_the_way = is_covered(&scene) || self.desktop.has_dialog();
        let uncover = if is_in_the_way { hands.uncover.as_slice() } else { &[] };
        let mut in_the_way = None;
        // What the client wants to know before it begins a new game is asked after the first thing that is done for one.
        let first = hands.new_game.iter().position(|step| !matches!(step, Step::Wait(_)));
        for (index, step) in uncover.iter().chain(&hands.new_game).enumerate() {
            let of_new_game = index.checked_sub(uncover.len());
            let is_first = of_new_game.is_some() && of_new_game == first;
            let step = &if is_first { step.clone() } else { self.answer_if_asked(step) };
            // Where a control is depends on the board's size, which the person may have changed: it is looked for just before.
            let taken = match step {
                step if of_new_game.is_some() && has_click(step) => match self.resized() {
                    Ok(None) => self.take_step(step),
                    Ok(Some(resized)) => Err(resized),
                    // What covers a part of the board may cover the control, which may be elsewhere on a larger one; but not what the
                    // client painted over its board itself.
                    Err(_) if is_in_the_way && !self.is_its_own() => {
                        Err(DesktopError::Foreign("over the board").into())
                    }
                    Err(_) => self.take_step(step),
                },
                _ => self.step_in_front(step),
            };
            match taken {
                Err(Abort::Desktop(DesktopError::Foreign(_)))
                    if of_new_game.is_none() && self.is_in_its_own_way(step) =>
                {
                    continue;
                }
                Err(abort @ Abort::Desktop(DesktopError::Foreign(_))) => {
                    self.desktop.act(&Action::Raise)?;
                    in_the_way = Some(abort);
                    break;
                }
                other => other?,
            }
            if matches!(step, Step::Point(_) | Step::Wait(_)) {
                continue;
            }
            // A click on a board that was over may also open the tile of the new one.
            let is_on_board = matches!(step, Step::Click(spot) if self.view.is_on_board(*spot));
            // Where the client asks something first, its next step is the answer.
            let mut next = uncover.iter().chain(&hands.new_game).skip(index + 1);
            let answers = next.find(|step| !matches!(step, Step::Wait(_)));
            let may_ask = is_first && matches!(answers, Some(Step::Answer(_)));
            let mut is_fresh = self.is_fresh_within(patience.max(DIALOG), was_over && is_on_board, may_ask)?;
            // What was answered may stay as it was painted, over the new board, and keep the keyboard.
            if !is_fresh && matches!(step, Step::Answer(_)) && self.desktop.has_dialog() {
                self.desktop.act(&Action::Raise)?;
                is_fresh = self.is_fresh_within(DIALOG, false, may_ask)?;
            }
            // While it asks whether a game is to be thrown away, a client may hide its board, which looks untouched then.
            let is_asked = is_fresh && may_ask && !was_over && self.is_dialog_up(DIALOG / 3)?;
            if is_fresh && !is_asked {
                return Ok(true);
            }
        }
        // A new game may stand elsewhere, or the window may have been moved; or it hangs over the edge of the screen.
        let mut found = self.found_again(None, patience);
        if matches!(found, Err(Abort::NotFound(_))) {
            self.desktop.act(&Action::Raise)?;
            self.desktop.wait(DIALOG / 3)?;
            found = self.found_again(None, patience);
        }
        match found {
            Ok(Ok(scene)) if self.is_fresh(&scene) => Ok(true),
            Ok(_) | Err(Abort::NotFound(_)) => in_the_way.map_or(Ok(false), Err),
            Err(other) => Err(other),
        }
    }

    /// Takes the client's steps against what covers its board once, as far as no other window is in the way.
    pub(super) fn uncover(&mut self) -> Result<(), Abort> {
        for step in self.view.client.hands.uncover.clone() {
            let step = self.answer_if_asked(&step);
            match self.step_in_front(&step) {
                Err(Abort::Desktop(DesktopError::Foreign(_))) if self.is_in_its_own_way(&step) => {}
                Err(Abort::Desktop(DesktopError::Foreign(_))) => break,
                other => other?,
            }
        }
        Ok(())
    }

    /// A step against what covers the board, or after one that may have brought up a question. Keys are for the dialog that has the
    /// keyboard, where one has: the client may have another use for them by the time that it is gone.
    pub(super) fn answer_if_asked(&mut self, step: &Step) -> Step {
        match step {
            Step::Keys(keys) if self.desktop.has_dialog() => Step::Answer(keys.clone()),
            other => other.clone(),
        }
    }

    /// Takes a step, with the client's window brought to the front where another one is in the way.
    pub(super) fn step_in_front(&mut self, step: &Step) -> Result<(), Abort> {
        for pause in [DIALOG / 10, DIALOG / 3, DIALOG] {
            match self.take_step(step) {
                Err(Abort::Desktop(DesktopError::Foreign(why))) => log::debug!("another window is in the way: {why}"),
                other => return other,
            }
            self.desktop.act(&Action::Raise)?;
            self.desktop.wait(pause)?;
            self.follow()?;
        }
        self.take_step(step)
    }

    /// Whether there are more tiles that cannot be seen than a client may have without a picture of them.
    pub(super) fn is_covered(&mut self) -> Result<bool, Abort> {
        Ok(is_covered(&self.as_it_is()?))
    }

    /// The board where it was, whatever shows there.
    pub(super) fn as_it_is(&mut self) -> Result<Scene, Abort> {
        let (Painted::Yes(scene) | Painted::Doubtful(scene, _)) = self.painted(None, &[], self.view.still() * 3)?;
        Ok(scene)
    }

    /// Looks until a board shows on which nothing was played yet, at most `longest`. `may_be_begun`: or one of which something is open, for
    /// that was done by what began it. `may_ask`: a dialog that has the keyboard ends it, too, for that is to be answered.
    fn is_fresh_within(&mut self, longest: Duration, may_be_begun: bool, may_ask: bool) -> Result<bool, Abort> {
        let began = self.desktop.clock();
        let mut is_parked = false;
        loop {
            self.follow()?;
            let is_over = self.desktop.clock().saturating_sub(began) >= longest;
            let mut is_fresh = false;
            if let Painted::Yes(scene) = self.painted(None, &[], self.view.patience())? {
                is_fresh = self.is_fresh(&scene) || may_be_begun && self.is_begun(&scene);
                // Some show their board covered for a moment before they open a part of it: a click by then is one on a tile of which
                // nothing is promised.
                let opens = self.view.client.rules.first_click.opens_itself();
                if is_fresh && (is_over || !opens || scene.tiles().iter().any(|tile| tile.number().is_some())) {
                    return Ok(true);
                }
            }
            if may_ask && self.desktop.has_dialog() || is_over {
                return Ok(is_fresh);
            }
            // A menu may lie over the board, and the pointer is on a tile, then.
            if !may_ask && !std::mem::replace(&mut is_parked, true) {
                self.park()?;
            }
            self.desktop.wait(Duration::from_millis(5))?;
        }
    }

    /// Whether the game on the screen is over.
    pub fn is_over(&self, scene: &Scene) -> bool {
        let standing = standing(&scene.tiles(), self.mines(scene), &self.view.client.rules);
        matches!(standing, Standing::Won | Standing::Lost)
    }

    /// Whether a game is under way of which everything is told.
    fn is_begun(&self, scene: &Scene) -> bool {
        !self.is_over(scene) && scene.tiles().iter().all(|tile| matches!(tile, Tile::Hidden | Tile::Open(_)))
    }

    /// Whether nothing was played yet.
    pub(super) fn is_fresh(&self, scene: &Scene) -> bool {
        let tiles = scene.tiles();
        if self.view.client.rules.first_click.opens_itself() {
            // A picture where the game begins may have no name.
            let untouched = tiles.iter().all(|tile| matches!(tile, Tile::Hidden | Tile::Open(_) | Tile::Unrecognised));
            let is_known = tiles.iter().filter(|tile| **tile == Tile::Unrecognised).count() < COVERED;
            // The game before may have ended with one, and where only the mines are hidden nothing is left to be played.
            let hidden = tiles.iter().filter(|tile| **tile == Tile::Hidden).count();
            let is_left = self.mines(scene).is_none_or(|mines| hidden > mines as usize);
            untouched && is_known && is_left && !self.is_over(scene)
        } else {
            tiles.iter().all(|&tile| tile == Tile::Hidden)
        }
    }
}

/// Whether the mouse is used for a step.
fn has_click(step: &Step) -> bool {
    step.parts().iter().any(|step| matches!(step, Step::Click(_)))
}

/// Whether there are more tiles that cannot be seen than a client may have without a picture of them.
fn is_covered(scene: &Scene) -> bool {
    scene.reading.unrecognised().count() >= COVERED
}

/// Takes away what lies over the client's board before that is known, as a bot that was cut off may have left it, by that client's
/// keys for it. `whole`: the board's size, if it is none of the client's levels; with a part of it covered there may seem to be less.
/// Nothing is clicked, and nothing is typed unless the window that shows the rest of the board, or a dialog of its program, has the
/// keyboard; where nothing of it shows, only a dialog of the window that has the client's title is answered.
///
/// # Errors
/// Screen, mouse or keyboard fail. What may pass, as a picture that is black because the client has not painted yet, or no board that
/// shows, is not said here, but by whoever looks for it next.
pub fn uncover(desktop: &mut impl Desktop, eyes: &mut [Eyes], whole: Option<BoardSize>) -> Result<(), Abort> {
    match take_away(desktop, eyes, whole) {
        Err(abort) if abort.may_pass() => {
            log::info!("nothing was taken away from over the board: {abort}");
            Ok(())
        }
        other => other,
    }
}

fn take_away(desktop: &mut impl Desktop, eyes: &mut [Eyes], whole: Option<BoardSize>) -> Result<(), Abort> {
    let is_part = |part: BoardSize, client: &Client| match whole {
        Some(whole) => part != whole && part.width <= whole.width && part.height <= whole.height,
        None => !client.has_size(part),
    };
    for _ in 0..ROUNDS {
        let shot = desktop.look(None)?;
        let part = match find_any(eyes, &shot) {
            Ok((whose, sight)) if is_part(sight.grid.size(), eyes[whose].client()) => {
                Some((whose, sight.grid.origin()))
            }
            Ok(_) => return Ok(()),
            Err(LocateError::Covered { client: name, x, y, .. }) => {
                let whose = eyes.iter().position(|eyes| eyes.client().name == name);
                whose.map(|whose| (whose, Pixel { x, y }))
            }
            Err(_) => None,
        };
        let client = match part {
            Some((whose, corner)) => {
                let at = shot.to_screen(Pixel { x: corner.x + 3.0, y: corner.y + 3.0 });
                desktop.allow(&[ScreenRect { corner: at, width: 1, height: 1 }]);
                desktop.act(&Action::Raise)?;
                desktop.wait(DIALOG / 3)?;
                eyes[whose].client().clone()
            }
            None => match behind_a_dialog(desktop, eyes)? {
                Some(client) => client,
                None => return Ok(()),
            },
        };
        for step in &client.hands.uncover {
            let action = match step {
                Step::Keys(keys) if !desktop.has_dialog() => Action::Keys(keys.clone()),
                Step::Keys(keys) | Step::Answer(keys) => Action::Answer(keys.clone()),
                Step::Close => Action::Close,
                Step::Start | Step::Click(_) | Step::Point(_) | Step::Wait(_) | Step::All(_) => continue,
            };
            match desktop.act(&action) {
                Err(DesktopError::Foreign(why)) => log::info!("the client's keys were not typed: {why}"),
                other => other?,
            }
            desktop.wait(DIALOG / 3)?;
        }
    }
    Ok(())
}

/// The client whose window, by its title, has a dialog that can be answered; the windows of others are brought to the front.
fn behind_a_dialog(desktop: &mut impl Desktop, eyes: &[Eyes]) -> Result<Option<Arc<Client>>, Abort> {
    for client in eyes.iter().map(Eyes::client) {
        if !desktop.allow_titled(&client.title) {
            continue;
        }
        if !desktop.has_dialog() {
            // It may have lost the keyboard; or there is none, and the window hangs over the edge of the screen.
            desktop.act(&Action::Raise)?;
            desktop.wait(DIALOG / 3)?;
        }
        if desktop.has_dialog() && !client.hands.uncover.is_empty() {
            return Ok(Some(client.clone()));
        }
    }
    Ok(None)
}
