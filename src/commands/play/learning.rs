//! What `play` learns: looks of its client that no picture knows.

use super::world::World;
use super::{Session, options};
use crate::bot::{Abort, Bot, Outcome, Played};
use crate::calibrate::on_the_job;
use crate::calibrate::{GaveUp, News};
use crate::cli::PlayArgs;
use crate::client::{self, Client, Theme};
use crate::desktop::Desktop;
use crate::vision::Eyes;
use anyhow::Context;
use std::sync::Arc;

/// Where a named client shows no board that its pictures know, its theme is learned, if that is wanted.
pub fn learn_what_is_shown(args: &PlayArgs, world: &mut World, eyes: &mut [Eyes]) -> anyhow::Result<()> {
    if !args.learn || args.client.client.is_none() {
        return Ok(());
    }
    match Bot::start(world, eyes, options(args, None)) {
        Err(Abort::NotFound(_)) => {}
        Err(other) => return Err(other.into()),
        Ok(_) => return Ok(()),
    }
    let mut client = (**eyes[0].client()).clone();
    eprintln!(
        "no theme of {} looks like what is on the screen: it is learned, in games that do not count",
        client.name
    );
    client.themes.push(theme(world, &client)?);
    save(&client)?;
    eyes[0] = Eyes::new(Arc::new(client));
    Ok(())
}

/// Writes what was learned of a client to the person's own folder.
fn save(client: &Client) -> anyhow::Result<()> {
    let folder =
        client::own_folder().context("this system has no folder for your data: name one with $MINESIGHT_CLIENTS")?;
    let path = client::save(client, &folder, &format!("{}, with what `minesight play --learn` met.", client.name))?;
    eprintln!("what was learned is written to {}", path.display());
    Ok(())
}

impl Session<'_> {
    /// Learns what a game showed that no picture knows, for the next one. A run that is recorded must be replayed with what everybody
    /// has: there it counts only where it is also written.
    pub fn learn(&mut self, played: &Played) -> anyhow::Result<()> {
        if self.args.record.is_some() && !self.args.learn {
            return Ok(());
        }
        let learned = self.unknown.see(played);
        if learned.is_empty() {
            return Ok(());
        }
        for look in &learned {
            let (tile, (tiles, games)) = (look.tile.to_char(), look.seen);
            let chance = match look.wrong > 0.0 {
                true => format!("wrong with a chance of {:.0e}", look.wrong),
                false => "nothing else fits".into(),
            };
            eprintln!("learned how a {tile} looks: {tiles} tiles in {games} games, {chance}");
        }
        self.take(on_the_job::with_pictures(&self.client, &learned))
    }

    /// Learns a theme that a game showed and the client's pictures do not, by playing games that do not count.
    pub fn learn_theme(&mut self, played: &Played) -> anyhow::Result<()> {
        let Outcome::Aborted(Abort::Doubt(_)) = played.outcome else { return Ok(()) };
        let Some(count) = played.trail.back().and_then(on_the_job::new_looks) else { return Ok(()) };
        let name = self.client.name.clone();
        if !self.args.learn {
            // It may as well be something over the board, and gone in the next game.
            log::warn!(
                "{count} tiles have a look that no theme of {name} has: `minesight play --client {name} --learn` learns it, by playing some \
                 games"
            );
            return Ok(());
        }
        eprintln!("{count} tiles have a look that no theme of {name} has: it is learned, in games that do not count");
        // The board is where it was, but cannot be found as it looks now: a fresh one can.
        let options = self.options.clone();
        match self.place.take() {
            Some(place) => Bot::begin_at(place, &mut self.world, self.eyes, options)?,
            None => self.begin_after_abort()?,
        }
        let theme = theme(&mut self.world, &self.client)?;
        let mut client = (*self.client).clone();
        client.themes.push(theme);
        self.take(client)
    }

    /// Plays on with what was learned of the client, and writes it if that is wanted.
    fn take(&mut self, client: Client) -> anyhow::Result<()> {
        self.client = Arc::new(client);
        self.eyes[0] = Eyes::new(self.client.clone());
        if self.args.learn { save(&self.client) } else { Ok(()) }
    }
}

/// A theme of a client that is on the screen, learned by playing.
fn theme(world: &mut impl Desktop, client: &Client) -> anyhow::Result<Theme> {
    let mut tell = |news: News| {
        if let News::Says(text) = news {
            eprintln!("{text}");
        }
    };
    on_the_job::theme(world, client, &mut tell).map_err(|error| match error {
        // What the person asked for is no failure of learning.
        GaveUp::Desktop(why) => why.into(),
        other => anyhow::Error::new(other).context(format!("a new theme of {}", client.name)),
    })
}
