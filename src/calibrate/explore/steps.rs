//! Single steps of what begins a new game, and how a game is ended of which nothing but mines is left.

use super::press::STAY;
use super::{Explorer, ON_THE_BOARD};
use crate::board::Tile;
use crate::client::{Button, Step};
use crate::desktop::{Action, Click, Desktop, DesktopError};
use crate::geometry::{Cell, ScreenPoint};
use std::time::Duration;

/// How long a window takes to come to the front.
const RAISED: Duration = Duration::from_millis(400);

/// A step for people.
pub fn in_words(step: &Step) -> String {
    match step {
        Step::Keys(keys) | Step::Answer(keys) => format!("the key {keys}"),
        on_the_board if *on_the_board == ON_THE_BOARD => "a click on the board".into(),
        Step::Click(spot) => {
            let name = toml::Value::try_from(spot.from).ok().and_then(|name| name.as_str().map(str::to_owned));
            format!(
                "a click {:.1} tiles right and {:.1} below the board's {}",
                spot.tiles[0],
                spot.tiles[1],
                name.unwrap_or_default()
            )
        }
        Step::Close => "closing a dialog".into(),
        Step::Start => "starting the program again".into(),
        Step::Point(_) => "the pointer moved".into(),
        Step::Wait(ms) => format!("a wait of {ms} ms"),
        Step::All(steps) => steps.iter().map(in_words).collect::<Vec<_>>().join(", then "),
    }
}

impl<D: Desktop> Explorer<'_, D> {
    /// Tiles that still look hidden, after a game in which nothing but mines was left of them.
    fn rest(&self) -> Vec<Cell> {
        let (size, evidence) = (self.size(), &self.notes.evidence);
        let looks = evidence.looks.recognise(&self.shot.pixels, &self.grid);
        size.cells().filter(|&cell| self.is_cleared && evidence.is_hidden(looks[size.index(cell)])).collect()
    }

    /// Puts a flag on every mine that is left; whether there were any, and right clicks are known to put flags.
    pub fn flag_the_rest(&mut self) -> Result<bool, DesktopError> {
        let rest = self.rest();
        if rest.is_empty() || self.notes.marks.as_ref().is_none_or(|marks| marks.first() != Some(&Tile::Flag)) {
            return Ok(false);
        }
        let touch = self.notes.touch();
        for cell in rest {
            let at = self.shot.to_screen(self.grid.center(cell));
            self.desktop.act(&Action::Click(Click { button: Button::Right, at, touch, with: None }))?;
            self.desktop.wait(STAY)?;
        }
        self.settle()?;
        Ok(true)
    }

    /// Opens one of the mines that are left without a flag; whether there were any.
    pub fn open_a_mine(&mut self) -> Result<bool, DesktopError> {
        if let Some(&cell) = self.rest().first() {
            return match self.press(cell, Button::Left) {
                // A menu may be over it that what was tried before has opened.
                Err(DesktopError::Foreign(_)) => Ok(true),
                other => other.map(|_| true),
            };
        }
        Ok(false)
    }

    /// Does one step. What would have gone to another window is not done, and not tried again.
    pub fn carry_out(&mut self, step: &Step) -> Result<(), DesktopError> {
        // What is below where its window was is none of the client's.
        if !step.starts() && self.window_has_gone() && self.window_in_place().is_none() {
            log::debug!("its window has gone: {} is not tried", in_words(step));
            return Ok(());
        }
        log::debug!("trying {}", in_words(step));
        match self.carry_out_here(step) {
            Err(DesktopError::Foreign(_)) => {
                self.desktop.act(&Action::Raise)?;
                self.desktop.wait(RAISED)?;
                match self.carry_out_here(step) {
                    Err(DesktopError::Foreign(_)) => Ok(()),
                    other => other,
                }
            }
            other => other,
        }
    }

    fn carry_out_here(&mut self, step: &Step) -> Result<(), DesktopError> {
        match step {
            Step::Keys(keys) if !self.desktop.has_dialog() => self.desktop.act(&Action::Keys(keys.clone())),
            Step::Keys(keys) | Step::Answer(keys) => self.desktop.act(&Action::Answer(keys.clone())),
            Step::Close => self.desktop.act(&Action::Close),
            Step::Start => {
                self.desktop.act(&Action::Start)?;
                self.until_it_shows()
            }
            Step::Wait(ms) => self.desktop.wait(Duration::from_millis(*ms)),
            Step::All(_) => {
                for step in step.parts() {
                    self.carry_out_here(step)?;
                    self.desktop.wait(STAY)?;
                }
                Ok(())
            }
            Step::Point(spot) => self.desktop.act(&Action::Point(self.shot.to_screen(self.grid.spot(*spot)))),
            Step::Click(spot) => {
                let at: ScreenPoint = self.shot.to_screen(self.grid.spot(*spot));
                self.allow(&[at]);
                let touch = self.notes.touch().unhurried();
                self.desktop.act(&Action::Click(Click { button: Button::Left, at, touch, with: None }))?;
                self.desktop.wait(STAY)
            }
        }
    }
}
