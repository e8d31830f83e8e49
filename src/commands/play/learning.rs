//! What `play` learns: looks of its client that no picture knows.

use super::world::World;
use super::{Session, wait_for_board};
use crate::bot::{Abort, Bot, Outcome, Place, Played, Scene};
use crate::calibrate::on_the_job;
use crate::calibrate::{GaveUp, News};
use crate::cli::PlayArgs;
use crate::client::{self, Client, Theme};
use crate::desktop::{Desktop, DesktopError};
use crate::geometry::ScreenPoint;
use crate::vision::{Eyes, boards_of_any_look};
use anyhow::Context;
use std::sync::Arc;

/// Where a named client shows no board that its pictures know, for as long as one is waited for, its theme is learned: for this run, or
/// for later ones, too, if that is wanted. Without the word for it, nothing is clicked but a board in the window that has the client's
/// title.
pub fn learn_what_is_shown(args: &PlayArgs, world: &mut World, eyes: &mut [Eyes]) -> anyhow::Result<()> {
    if args.client.client.is_none() || !may_learn(args) {
        return Ok(());
    }
    let Err(missing) = wait_for_board(args, world, eyes, |_| Ok(())) else { return Ok(()) };
    let is_not_found = matches!(missing.downcast_ref(), Some(Abort::NotFound(_)));
    let client = eyes[0].client().clone();
    let at = board_of(world, &client)?;
    if !is_not_found || at.is_none() && !args.learn {
        return Err(missing);
    }
    eprintln!(
        "no theme of {} looks like what is on the screen: it is learned, in games that do not count",
        client.name
    );
    let mut client = (*client).clone();
    client.themes.push(theme(world, &client, at)?);
    if args.learn {
        save(&client)?;
    }
    eyes[0] = Eyes::new(Arc::new(client));
    Ok(())
}

/// Whether themes are learned. A run that is recorded must be replayed with what everybody has: there it is only done where what was
/// learned is also written.
fn may_learn(args: &PlayArgs) -> bool {
    args.record.is_none() || args.learn
}

/// The middle of what repeats like a board in the window with the client's title, if there is just one such window.
fn board_of(world: &mut World, client: &Client) -> anyhow::Result<Option<ScreenPoint>> {
    let Some(own) = world.window_titled(&client.title) else { return Ok(None) };
    let screen = world.look(None)?;
    let middles = boards_of_any_look(&screen.pixels).into_iter().map(|grid| screen.to_screen(grid.bounds().center()));
    Ok(middles.into_iter().find(|&at| world.window_at(at).is_some_and(|window| window.id == own.id)))
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
    /// Learns what a game showed that no picture knows, for the next one.
    pub fn learn(&mut self, played: &Played) -> anyhow::Result<()> {
        if !may_learn(self.args) {
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
        let Some(count) = played.trail.back().and_then(Scene::new_looks) else { return Ok(()) };
        let name = self.client.name.clone();
        if !may_learn(self.args) {
            log::warn!(
                "{count} tiles have a look that no theme of {name} has: `minesight play --client {name} --learn` learns it, by playing some \
                 games"
            );
            return Ok(());
        }
        eprintln!("{count} tiles have a look that no theme of {name} has: it is learned, in games that do not count");
        // The board is where it was, but cannot be found as it looks now: a fresh one can.
        let options = self.options.clone();
        let at = self.place.as_ref().map(Place::middle);
        match self.place.take() {
            Some(place) => drop(Bot::begin_at(place, &mut self.world, self.eyes, options)?),
            None => self.begin_after_abort()?,
        }
        let theme = match theme(&mut self.world, &self.client, at) {
            Ok(theme) => theme,
            Err(error) if self.args.learn || error.is::<DesktopError>() => return Err(error),
            // It may as well be something over the board, and gone in the next game.
            Err(error) => {
                log::warn!("{error:#}");
                return Ok(());
            }
        };
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

/// A theme of a client that is on the screen, learned by playing, of the board at this point if one is given.
fn theme(world: &mut impl Desktop, client: &Client, at: Option<ScreenPoint>) -> anyhow::Result<Theme> {
    let mut tell = |news: News| {
        if let News::Says(text) = news {
            eprintln!("{text}");
        }
    };
    on_the_job::theme(world, client, at, &mut tell).map_err(|error| match error {
        // What the person asked for is no failure of learning.
        GaveUp::Desktop(why) => why.into(),
        other => anyhow::Error::new(other).context(format!("a new theme of {}", client.name)),
    })
}
