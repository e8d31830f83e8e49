//! `minesight calibrate`: a client never seen before is learned by playing it.

use super::Interrupted;
use crate::bot::{Bot, Options, Outcome};
use crate::calibrate::{GaveUp, Given, Wishes, learn};
use crate::cli::{CalibrateArgs, Restart};
use crate::client::{self, Client};
use crate::desktop::stoppable::{AtDecision, Stoppable};
use crate::desktop::{Desktop, DesktopError, Guarded};
use crate::geometry::ScreenPoint;
use crate::solver::{self, Setup};
use crate::vision::Eyes;
use anyhow::Context;
use indicatif::ProgressBar;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Learns the client on the screen, writes it, and plays with it.
pub fn run(args: &CalibrateArgs) -> anyhow::Result<()> {
    let folder = folder(args)?;
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = stop.clone();
    ctrlc::set_handler(move || {
        if stopped.swap(true, Ordering::Relaxed) {
            std::process::exit(Interrupted::CODE.into());
        }
    })?;
    let mut world = Stoppable::new(Guarded::new(screen()?), stop, AtDecision::GoOn);
    let wishes = Wishes {
        name: args.name.clone(),
        at: args.at.map(|(x, y)| ScreenPoint { x, y }),
        new_game: args.new_game.clone().map(|given| match given {
            Restart::Keys(keys) => Given::Keys(keys),
            Restart::At(x, y) => Given::At(ScreenPoint { x, y }),
        }),
        games: args.games,
        time: Duration::from_secs(60 * args.minutes),
    };
    let bar = ProgressBar::new_spinner();
    bar.enable_steady_tick(Duration::from_millis(200));
    let mut tell = |text: &str| bar.suspend(|| eprintln!("{text}"));
    let found = learn(&mut world, &wishes, &mut tell).map_err(in_words)?;
    let path = found.write(&folder)?;
    bar.finish_and_clear();
    println!("{} is learned from a board of {}: {}", found.name, found.size, path.display());
    for (tile, (_, evidence)) in &found.looks {
        println!("  {}  {evidence}", tile.to_char());
    }
    let unseen: String =
        "012345678*XF".chars().filter(|look| found.looks.keys().all(|tile| tile.to_char() != *look)).collect();
    if !unseen.is_empty() {
        println!("not seen yet: {unseen}");
    }
    prove(&mut world, found.client(), args.prove)
}

fn in_words(error: GaveUp) -> anyhow::Error {
    match error {
        GaveUp::Desktop(DesktopError::Stopped) => Interrupted("stopped; nothing was written".into()).into(),
        other => other.into(),
    }
}

/// Where it is written.
fn folder(args: &CalibrateArgs) -> anyhow::Result<PathBuf> {
    let name = &args.name;
    let is_name =
        !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_.".contains(letter));
    if !is_name || name.starts_with('.') {
        anyhow::bail!("{name:?} cannot be the name of a client: use letters, digits, - and _");
    }
    let folder = args
        .into
        .clone()
        .or_else(client::own_folder)
        .context("this system has no folder for your data: name one with --into DIR")?;
    if client::bundled()?.iter().any(|client| client.name == *name) && !args.replace {
        anyhow::bail!("minesight knows a client called {name} already: choose another name, or say --replace");
    }
    if folder.join("calibration").join(format!("{name}.toml")).exists() && !args.replace {
        anyhow::bail!("{name} was learned already: choose another name, or say --replace to learn it anew");
    }
    Ok(folder)
}

#[cfg(feature = "hands")]
fn screen() -> anyhow::Result<Box<dyn Desktop>> {
    Ok(Box::new(crate::desktop::live::Live::open()?))
}

#[cfg(not(feature = "hands"))]
fn screen() -> anyhow::Result<Box<dyn Desktop>> {
    anyhow::bail!("this minesight was built without the screen: build it with its default features")
}

/// Plays games with what was learned.
fn prove(world: &mut impl Desktop, client: Client, games: u64) -> anyhow::Result<()> {
    if games == 0 {
        return Ok(());
    }
    let setup = Setup { rule: client.rules.first_click, ..Setup::default() };
    let player = solver::by_name("best", &setup)?;
    let mut eyes = [Eyes::new(Arc::new(client))];
    let (mut won, mut lost) = (0, 0);
    for game in 1..=games {
        let options = Options { wait: Duration::from_secs(10), ..Options::default() };
        let mut bot = Bot::start(world, &mut eyes, options).context("the board is not found with what was learned")?;
        bot.new_game()?;
        let played = bot.play_game(player.as_ref());
        match played.outcome {
            Outcome::Won => won += 1,
            Outcome::Lost => lost += 1,
            Outcome::Aborted(why) => {
                return Err(anyhow::Error::new(why).context(format!("game {game} with what was learned")));
            }
        }
        eprintln!("game {game} with what was learned: {won} won, {lost} lost");
    }
    println!("{games} games with it: {won} won, {lost} lost; now `minesight play` plays it");
    Ok(())
}
