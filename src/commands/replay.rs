//! `minesight replay DIR|IMAGE...`: the loop again, over what was recorded.

use super::play::summary::{decision as in_words, text_of};
use crate::cli::ReplayArgs;
use crate::client::{self, Client};
use crate::film::{film, view};
use crate::page::trace::trace;
use crate::screenshot::Screenshot;
use crate::session::{self, Difference, Recorded};
use crate::solver::{self, Setup};
use crate::vision::{Eyes, find_any};
use crate::vision::{Grid, Standing};
use anyhow::{Context, bail, ensure};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Replays sessions in folders, and looks at pictures.
pub fn run(args: &ReplayArgs) -> anyhow::Result<()> {
    let (folders, pictures): (Vec<&PathBuf>, Vec<&PathBuf>) = args.paths.iter().partition(|path| path.is_dir());
    if args.gif.is_some() || args.page.is_some() {
        ensure!(folders.len() == 1 && pictures.is_empty(), "--gif and --page show one game: give one run folder");
        return show(args, &kept(args, folders[0])?[0]);
    }
    let clients = client::known(args.client.calibration.as_deref(), args.client.templates.as_deref())?;
    let mut games = 0;
    let mut differing = 0;
    for folder in folders {
        for game in &kept(args, folder)? {
            games += 1;
            differing += u64::from(!replay_game(args, &clients, folder, game)?);
        }
    }
    if !pictures.is_empty() {
        look_at_all(args, &clients, &pictures)?;
    }
    if args.strategy.is_none() && differing > 0 {
        bail!("{differing} of {games} games are not as they were recorded");
    }
    Ok(())
}

/// The games of a folder that are asked for; at least one.
fn kept(args: &ReplayArgs, folder: &Path) -> anyhow::Result<Vec<Recorded>> {
    let mut session = session::load(folder)?;
    session.warnings.iter().for_each(|warning| log::warn!("{warning}"));
    let is_wanted = |game: &Recorded| args.game.is_none_or(|number| number == game.number());
    ensure!(session.games.iter().any(is_wanted), "{}", nothing_kept(folder, args.game, &session.games));
    session.games.retain(is_wanted);
    Ok(session.games)
}

fn nothing_kept(folder: &Path, game: Option<u64>, games: &[Recorded]) -> String {
    let kept: Vec<String> = games.iter().map(|game| game.number().to_string()).collect();
    match (game, kept.is_empty()) {
        (Some(number), false) => {
            format!("{} has not kept game {number}; kept: {}", folder.display(), kept.join(", "))
        }
        _ => format!("{} has kept no game; `play --record DIR --frames all` keeps them", folder.display()),
    }
}

/// A film or a page of a game, or both.
fn show(args: &ReplayArgs, game: &Recorded) -> anyhow::Result<()> {
    args.gif.as_deref().map_or(Ok(()), |path| make_film(args, path, game))?;
    args.page.as_deref().map_or(Ok(()), |path| make_page(args, path, game))
}

fn make_film(args: &ReplayArgs, path: &Path, game: &Recorded) -> anyhow::Result<()> {
    let made = film(game, path)?;
    let bytes = std::fs::metadata(path)?.len();
    let (width, height) = made.size;
    if args.json {
        println!(
            "{}",
            serde_json::json!({"game": game.number(), "frames": made.frames, "width": width, "height": height, "bytes": bytes})
        );
    } else {
        println!(
            "{}: game {}, {} frames of {width}x{height}, {} kB",
            path.display(),
            game.number(),
            made.frames,
            bytes / 1000
        );
    }
    Ok(())
}

fn make_page(args: &ReplayArgs, path: &Path, game: &Recorded) -> anyhow::Result<()> {
    let page = trace(game)?;
    std::fs::write(path, &page).with_context(|| format!("{} cannot be written; give another file", path.display()))?;
    if args.json {
        println!("{}", serde_json::json!({"game": game.number(), "page": path, "bytes": page.len()}));
    } else {
        println!("{}: game {}, {} kB", path.display(), game.number(), page.len() / 1000);
    }
    Ok(())
}

/// What came of one game.
#[derive(Serialize)]
struct Replayed<'a> {
    game: u64,
    outcome: Option<&'a str>,
    events: usize,
    replayed: usize,
    same: bool,
    difference: Option<String>,
    /// The picture at the difference, with what was read of it.
    picture: Option<PathBuf>,
}

/// Replays a game and tells what came of it; says whether all was as recorded.
fn replay_game(args: &ReplayArgs, clients: &[Client], folder: &Path, game: &Recorded) -> anyhow::Result<bool> {
    let client = client::by_name(clients, &game.start.client)?;
    if let Some(strategy) = &args.strategy {
        return ask(args, strategy, game);
    }
    let (replayed, difference) = game.play_again(client)?;
    let picture = difference.as_ref().and_then(|difference| annotate(folder, difference, client));
    let events = game.lines.iter().filter(|(_, line)| !matches!(line.event, session::Event::End(_))).count();
    let result = Replayed {
        game: game.number(),
        outcome: game.end().map(|end| end.outcome.as_str()),
        events,
        replayed,
        same: difference.is_none(),
        difference: difference.as_ref().map(ToString::to_string),
        picture,
    };
    if args.json {
        println!("{}", serde_json::to_string(&result)?);
        return Ok(result.same);
    }
    match &result.difference {
        None => println!("game {}: {events} events, all as recorded", result.game),
        Some(difference) => println!("{difference}"),
    }
    if let Some(picture) = &result.picture {
        println!("  the picture at the difference: {}", picture.display());
    }
    Ok(result.same)
}

/// The picture at a difference, with the grid as it is found now, beside the session.
fn annotate(folder: &Path, difference: &Difference, client: &Client) -> Option<PathBuf> {
    let mut shot = difference.shown.as_ref()?.shot.clone();
    let mut eyes = Eyes::new(Arc::new(client.clone()));
    if let Ok(sight) = eyes.find(&shot) {
        view::draw_grid(&mut shot.pixels, &sight.grid);
        if let Some(cell) = difference.cell.filter(|&cell| sight.grid.size().contains(cell)) {
            view::point_at(&mut shot.pixels, &sight.grid, cell);
        }
    }
    let name = format!("difference-{:06}.png", difference.game);
    let path = folder.join(&name);
    if shot.pixels.save(&path).is_ok() {
        return Some(path);
    }
    let path = std::env::temp_dir().join(name);
    shot.pixels.save(&path).ok().map(|()| path)
}

/// What another player would have done at every decision.
fn ask(args: &ReplayArgs, strategy: &str, game: &Recorded) -> anyhow::Result<bool> {
    let start = &game.start;
    let player = solver::by_name(strategy, &game.setup())?;
    let (mut decisions, mut others) = (0, 0);
    game.moments(|moment| {
        decisions += 1;
        let Ok(decision) = player.decide(&moment.board) else { return };
        let same = moment.chosen.open.iter().all(|cell| decision.open.contains(cell))
            && decision.open.len() == moment.chosen.open.len();
        if same {
            return;
        }
        others += 1;
        let risk = decision.reason.risk();
        if args.json {
            println!(
                "{}",
                serde_json::json!({
                    "game": start.game, "line": moment.line,
                    "recorded": {"open": moment.chosen.open, "risk": moment.chosen.risk},
                    "instead": {"open": decision.open, "risk": risk},
                })
            );
        } else {
            let cells = |cells: &[crate::geometry::Cell]| match cells {
                [] => "nothing".to_owned(),
                [cell] => cell.to_string(),
                [cell, rest @ ..] => format!("{cell} and {} more", rest.len()),
            };
            println!(
                "game {} line {}: {} opened {} at {:.3}; {strategy} would open {} at {risk:.3}",
                start.game,
                moment.line,
                start.strategy,
                cells(&moment.chosen.open),
                moment.chosen.risk,
                cells(&decision.open),
            );
        }
    })?;
    if !args.json {
        println!("game {}: {others} of {decisions} decisions would differ", start.game);
    }
    Ok(true)
}

/// What the bot would do on saved screenshots.
fn look_at_all(args: &ReplayArgs, clients: &[Client], pictures: &[&PathBuf]) -> anyhow::Result<()> {
    let wanted = match &args.client.client {
        Some(name) => vec![client::by_name(clients, name)?],
        None => clients.iter().collect(),
    };
    let mut eyes: Vec<Eyes> = wanted.into_iter().map(|client| Eyes::new(Arc::new(client.clone()))).collect();
    let mut failed = 0;
    for path in pictures {
        if let Err(error) = look_at(args, &mut eyes, path) {
            failed += 1;
            eprintln!("{}: {error:#}", path.display());
        }
    }
    ensure!(failed == 0, "{failed} of {} pictures cannot be played on", pictures.len());
    Ok(())
}

fn look_at(args: &ReplayArgs, eyes: &mut [Eyes], path: &Path) -> anyhow::Result<()> {
    let pixels = image::open(path).context("not a picture that can be read")?.into_rgba8();
    let shot = Screenshot::from_picture(pixels);
    let (whose, sight) = find_any(eyes, &shot)?;
    let reading = eyes[whose].read(&shot, &sight);
    let client = eyes[whose].client().clone();
    let mines = args.mines.or_else(|| client.level_of(reading.grid.size()).map(|level| level.mines));
    let board = reading.board(mines)?;
    let standing = reading.standing(mines);
    let rows: Vec<String> = board.rows().collect();
    if matches!(standing, Standing::Won | Standing::Lost) {
        if args.json {
            println!("{}", serde_json::json!({"image": path, "client": client.name, "rows": rows, "state": standing}));
        } else {
            let how = if standing == Standing::Won { "won" } else { "lost" };
            println!("{}: {}\n{}\nthe game is {how}", path.display(), client.name, text_of(&board));
        }
        return Ok(());
    }
    let name = args.strategy.as_deref().unwrap_or("best");
    let player = solver::by_name(name, &Setup { rule: client.rules.first_click, ..Setup::default() })?;
    let decision = player.decide(&board)?;
    let at = |grid: &Grid| decision.open.iter().map(|&cell| shot.to_screen(grid.center(cell))).collect::<Vec<_>>();
    if args.json {
        println!(
            "{}",
            serde_json::json!({"image": path, "client": client.name, "rows": rows, "state": standing, "decision": decision, "clicks": at(&reading.grid)})
        );
    } else {
        println!("{}: {}\n{}\n{}", path.display(), client.name, text_of(&board), in_words(&decision));
    }
    Ok(())
}
