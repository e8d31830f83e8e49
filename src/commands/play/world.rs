//! The desktop that is played on: the screen, or the built-in client.

use super::page::Watched;
use super::terminal::at_decision;
use crate::cli::{LEVELS, PlayArgs, SKIN};
use crate::client::Client;
use crate::desktop::simulated::events::schedule;
use crate::desktop::simulated::unkind::Unkind;
use crate::desktop::simulated::{Plan, Simulated, Skin};
use crate::desktop::stoppable::Stoppable;
use crate::desktop::{Desktop, Guarded};
use crate::geometry::BoardSize;
use crate::page::live::Stage;
use anyhow::Context;
use indicatif::ProgressBar;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Any desktop, with a guard against clicks and keys that do not belong there, and a person who may stop it.
pub type World = Stoppable<Guarded<Box<dyn Desktop>>>;

/// The desktop that was asked for. A recorded run on the built-in client goes on with the boards after those of the
/// `played` games. What is shown of it in the terminal goes above `bar`, what can be seen from elsewhere to `page`.
pub fn open(
    args: &PlayArgs,
    clients: &[Arc<Client>],
    played: u64,
    bar: &ProgressBar,
    stop: Arc<AtomicBool>,
    page: Option<Arc<Stage>>,
) -> anyhow::Result<World> {
    let desktop: Box<dyn Desktop> = if args.simulated { simulated(args, clients, played)? } else { screen(args)? };
    let desktop = match page {
        Some(stage) => Box::new(Watched::new(desktop, stage)),
        None => desktop,
    };
    let at_decision = at_decision(args, bar, &stop);
    Ok(Stoppable::new(Guarded::new(desktop), stop, at_decision))
}

/// The longest side of a board that is painted, in tiles: at 20 pixels a tile, more than any screen.
const LARGEST: u32 = 400;

fn screen(args: &PlayArgs) -> anyhow::Result<Box<dyn Desktop>> {
    #[cfg(feature = "eyes")]
    if args.dry_run {
        return Ok(Box::new(crate::desktop::screen::Screen::open()?));
    }
    #[cfg(feature = "hands")]
    if !args.dry_run {
        let live = crate::desktop::live::Live::open()?;
        log::info!("capturing through {}", live.capture_name());
        return Ok(Box::new(live));
    }
    anyhow::bail!(
        "this minesight was built without {}: build it with its default features, or play --simulated",
        if args.dry_run { "the screen" } else { "hands" }
    )
}

fn simulated(args: &PlayArgs, clients: &[Arc<Client>], played: u64) -> anyhow::Result<Box<dyn Desktop>> {
    let client = clients.iter().find(|client| client.name == SKIN).or(clients.first());
    let client = client.context("no client to look like: no calibration was loaded; see `minesight clients`")?;
    let (size, mines) = board(args, client)?;
    if size.width.max(size.height) > LARGEST {
        anyhow::bail!("the built-in client has boards of up to {LARGEST}x{LARGEST} tiles, not {size}");
    }
    let theme = client.themes.first().with_context(|| format!("{} has no theme to look like", client.name))?;
    let skin = Skin::of(theme);
    let seed = args.strategy.seed.wrapping_add(played);
    let plan = Plan::new(size, mines, skin.natural_pitch(), seed);
    let Some(faults) = args.faults else { return Ok(Box::new(Simulated::new(Client::clone(client), skin, plan)?)) };
    let events = schedule(faults, client, size);
    events.iter().for_each(|event| log::info!("faults {faults}: {event:?}"));
    let simulated = Simulated::new(Client::clone(client), skin, plan.with_room())?;
    // Every other client hides its board while it has not the keyboard.
    Ok(Box::new(Unkind::new(simulated, faults % 2 == 1, events)))
}

/// The board that was asked for, by the client's levels before those everybody knows.
fn board(args: &PlayArgs, client: &Client) -> anyhow::Result<(BoardSize, u32)> {
    let asked = &args.board;
    let level = match (&asked.level, asked.size) {
        (Some(name), _) => client.level(name),
        (None, None) => client.level(LEVELS[0].0).or(client.levels.first()),
        (None, Some(size)) => client.level_of(size).filter(|_| asked.mines.is_none()),
    };
    level.map_or_else(|| asked.resolve(), |level| Ok((level.size(), asked.mines.unwrap_or(level.mines))))
}
