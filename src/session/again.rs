//! A recorded game, played again.

use super::{Difference, Recorded, Replaying};
use crate::bot::{Bot, Options};
use crate::client::Client;
use crate::solver::{self, Setup, UnknownStrategy};
use crate::vision::Eyes;
use std::sync::Arc;
use std::time::Duration;

impl Recorded {
    /// The same loop, player and options over the recorded pictures. Tells how many events came again, and the first
    /// difference, if there is one.
    ///
    /// # Errors
    /// This version does not know the player.
    pub fn play_again(&self, client: &Client) -> Result<(usize, Option<Difference>), UnknownStrategy> {
        let player = solver::by_name(&self.start.strategy, &self.setup())?;
        let mut eyes = [Eyes::new(Arc::new(client.clone()))];
        let mut desktop = Replaying::new(self.clone());
        // How it ended is of no interest here: it is the desktop that compares.
        if let Ok(mut bot) = Bot::start(&mut desktop, &mut eyes, self.options()) {
            bot.play_game(player.as_ref());
        }
        Ok((desktop.replayed(), desktop.finish()))
    }

    /// What its player was told.
    pub fn setup(&self) -> Setup {
        let think = Duration::from_millis(self.start.think_ms);
        Setup { rule: self.start.rule, seed: self.start.seed, think, ..Setup::default() }.with_all_threads()
    }

    /// The bot's options, as `play` records them.
    fn options(&self) -> Options {
        let value = |name: &str| self.start.options.get(name);
        let flag = |name| value(name).and_then(serde_json::Value::as_bool).unwrap_or(false);
        let number = |name| value(name).and_then(serde_json::Value::as_u64);
        Options {
            mines: number("mines").map(|mines| mines as u32),
            flag_mines: flag("flag_mines"),
            chord: flag("chord"),
            delay: Duration::from_millis(number("delay_ms").unwrap_or(0)),
            wait: Duration::from_millis(number("wait_ms").unwrap_or(0)),
            size: None,
            max_risk: value("max_risk").and_then(serde_json::Value::as_f64),
        }
    }
}
