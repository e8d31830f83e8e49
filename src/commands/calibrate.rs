//! `minesight calibrate`: a client never seen before is learned by playing it.

mod confirm;

use super::Interrupted;
use super::answers::Answers;
use super::paint::Paint;
use crate::calibrate::notes::Notes;
use crate::calibrate::pictures::{Saved, from_pictures};
use crate::calibrate::prove::{Unproved, prove};
use crate::calibrate::write::Found;
use crate::calibrate::{GaveUp, Given, News, Wishes, learn};
use crate::check;
use crate::cli::{CalibrateArgs, Restart};
use crate::client;
use crate::desktop::stoppable::{AtDecision, Stoppable};
use crate::desktop::{Desktop, DesktopError, Guarded};
use crate::geometry::ScreenPoint;
use anyhow::Context;
use image::RgbaImage;
use indicatif::ProgressBar;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Learns the client on the screen, or from saved screenshots, and writes it; one on the screen is then played.
pub fn run(args: &CalibrateArgs) -> anyhow::Result<()> {
    let folder = folder(args)?;
    if let Some(pictures) = &args.from {
        return run_from(args, pictures, &folder);
    }
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = stop.clone();
    ctrlc::set_handler(move || {
        if stopped.swap(true, Ordering::Relaxed) {
            std::process::exit(Interrupted::CODE.into());
        }
    })?;
    let mut world = Stoppable::new(Guarded::new(screen()?), stop.clone(), AtDecision::GoOn);
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
    let kept = folder.join("learning").join(&args.name);
    let known = if args.replace { None } else { Notes::load(&kept)? };
    let mut notes = known.unwrap_or_default();
    if !notes.evidence.games.is_empty() {
        eprintln!("going on from {} games that were seen before", notes.evidence.games.len());
    }
    let bar = ProgressBar::new_spinner();
    bar.enable_steady_tick(Duration::from_millis(200));
    let mut last: Option<RgbaImage> = None;
    let mut tell = |news: News| match news {
        News::Says(text) => bar.suspend(|| eprintln!("{text}")),
        News::Shows(picture) => last = Some(picture.clone()),
    };
    let mut learned = learn(&mut world, &wishes, &mut notes, &mut tell);
    bar.finish_and_clear();
    if args.confirm && !notes.evidence.games.is_empty() {
        let answers = Answers::begin();
        let meanings = confirm::confirm(&mut notes, Paint::for_stdout(), &mut || answers.next(&stop));
        // The person had the mouse meanwhile.
        world.resume();
        if let (Ok(found), Some(meanings)) = (&mut learned, &meanings) {
            let by_keys = found.by_keys.take();
            *found = Found { by_keys, ..Found::of(&found.name, found.size, &notes, meanings) };
        }
    }
    let is_worth_keeping = match &learned {
        Ok(_) | Err(GaveUp::TooLittle { .. } | GaveUp::Closed { .. } | GaveUp::NoNewGame { is_understood: true }) => {
            true
        }
        // Stopped by the person, or by a screen that failed: what was seen is not lost.
        Err(GaveUp::Desktop(_)) => !notes.evidence.games.is_empty(),
        Err(_) => false,
    };
    if is_worth_keeping {
        notes.save(&kept)?;
    }
    let picture = match (is_worth_keeping, last) {
        (_, None) => None,
        (true, Some(picture)) => Some((kept.join("believed.png"), picture)),
        (false, Some(picture)) => Some((std::env::temp_dir().join(format!("minesight-{}.png", args.name)), picture)),
    };
    if let Some((path, picture)) = picture {
        picture.save(&path).with_context(|| path.display().to_string())?;
        eprintln!("what was seen and what is believed of it: {}", path.display());
    }
    let mut found = learned.map_err(|error| in_words(error, is_worth_keeping))?;
    written(&found, &folder)?;
    proved(&mut world, &mut found, &notes, &folder, args.prove)
}

/// Learns what saved screenshots show.
fn run_from(args: &CalibrateArgs, pictures: &Path, folder: &Path) -> anyhow::Result<()> {
    let found = check::fixtures(&[pictures.to_owned()], &[])?;
    let saved = found.screenshots.into_iter().map(|fixture| {
        let picture = fixture.open()?.pixels;
        Ok(Saved { name: fixture.image.display().to_string(), picture, truth: fixture.truth })
    });
    let saved: Vec<Saved> = saved.collect::<anyhow::Result<_>>()?;
    let mut tell = |news: News| {
        if let News::Says(text) = news {
            eprintln!("{text}");
        }
    };
    let found = from_pictures(&args.name, &saved, &mut tell)?;
    written(&found, folder)?;
    println!(
        "how a new game begins is not known from pictures: start `minesight calibrate --name {0} --replace` before it,",
        args.name
    );
    println!("or write new_game into {0}.toml, and play with it", args.name);
    Ok(())
}

/// Writes what was found, and says what that is.
fn written(found: &Found, folder: &Path) -> anyhow::Result<()> {
    let path = found.write(folder)?;
    println!("{} is learned from a board of {}: {}", found.name, found.size, path.display());
    for (tile, (_, evidence)) in &found.looks {
        println!("  {}  {evidence}", tile.to_char());
    }
    let unseen: String =
        "012345678*XF".chars().filter(|look| found.looks.keys().all(|tile| tile.to_char() != *look)).collect();
    if !unseen.is_empty() {
        println!("not seen yet: {unseen}");
    }
    Ok(())
}

fn in_words(error: GaveUp, is_kept: bool) -> anyhow::Error {
    let next = if is_kept { "what was seen is kept: say the same again to go on" } else { "nothing was written" };
    match error {
        GaveUp::Desktop(DesktopError::Stopped) => Interrupted(format!("stopped; {next}")).into(),
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
    let is_learned = folder.join("calibration").join(format!("{name}.toml")).exists();
    if is_learned && !args.replace && !folder.join("learning").join(name).exists() {
        anyhow::bail!("{name} is known already: choose another name, or say --replace to learn it anew");
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

/// Plays games with what was learned, and says what came of it; what they show beyond that is written, too.
fn proved(world: &mut impl Desktop, found: &mut Found, notes: &Notes, folder: &Path, games: u64) -> anyhow::Result<()> {
    if games == 0 {
        return Ok(());
    }
    if found.new_game.is_empty() {
        println!(
            "no game was played with it, for nothing is known that begins one: begin each, and `minesight play` plays it"
        );
        return Ok(());
    }
    let mut tell = |news: News| {
        if let News::Says(text) = news {
            eprintln!("{text}");
        }
    };
    let mut keep = |found: &Found| found.write(folder).map(|_| ());
    let proof = prove(world, found, notes, games, &mut keep, &mut tell).map_err(|error| match error {
        Unproved::Asked(why) => Interrupted(why.to_string()).into(),
        other => anyhow::Error::new(other),
    })?;
    println!("{games} games with it: {proof}; now `minesight play` plays it");
    Ok(())
}
