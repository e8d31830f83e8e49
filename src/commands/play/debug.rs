//! What is kept of a game in which something was odd: its last pictures, what was read of them, and every tile that was
//! not recognised.

use crate::bot::{Outcome, Played, Scene};
use crate::cli::PlayArgs;
use crate::client::Client;
use anyhow::Context;
use image::imageops;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Keeps the end of a game that was aborted or lost on a tile held to be safe, or that had tiles nobody knows. Returns
/// where.
pub fn keep_if_odd(args: &PlayArgs, client: &Client, number: u64, played: &Played) -> anyhow::Result<Option<PathBuf>> {
    let is_odd = match &played.outcome {
        Outcome::Aborted(abort) => !abort.is_request() && !abort.is_limit(),
        Outcome::Lost => played.fatal.is_none_or(|(risk, _)| risk == 0.0),
        Outcome::Won => false,
    };
    let unknown = played.trail.iter().any(|scene| scene.reading.unrecognised().next().is_some());
    if played.trail.is_empty() || !(is_odd || unknown && !is_over(played)) {
        return Ok(None);
    }
    let base = match &args.record {
        Some(folder) => folder.join("debug"),
        None => own_temporary().context("no folder for the last pictures can be made")?,
    };
    let folder = base.join(format!("{}-game-{number}", client.name));
    write_all(&folder, played).with_context(|| format!("{} cannot be written", folder.display()))?;
    Ok(Some(folder))
}

/// A folder in the system's temporary one that nobody could have laid out before: it must not exist.
fn own_temporary() -> std::io::Result<PathBuf> {
    use std::hash::{BuildHasher, RandomState};
    let folder =
        std::env::temp_dir().join(format!("minesight-{:016x}", RandomState::new().hash_one(std::process::id())));
    #[cfg_attr(not(unix), allow(unused_mut))]
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(&folder)?;
    Ok(folder)
}

/// Dialogs at the end of a game leave tiles that are not recognised, and nothing is odd about it.
fn is_over(played: &Played) -> bool {
    !matches!(played.outcome, Outcome::Aborted(_))
}

fn write_all(folder: &Path, played: &Played) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder)?;
    let mut story = String::new();
    for (index, scene) in played.trail.iter().enumerate() {
        let name = format!("{index}.png");
        scene.shot.pixels.save(folder.join(&name))?;
        writeln!(story, "{name}\n{}", rows(scene).join("\n"))?;
        for cell in scene.reading.unrecognised().take(20) {
            let tile = scene.reading.grid.tile(cell);
            let picture =
                imageops::crop_imm(&scene.shot.pixels, tile.left, tile.top, tile.width, tile.height).to_image();
            picture.save(folder.join(format!("{index}-unrecognised-{}-{}.png", cell.x, cell.y)))?;
        }
    }
    writeln!(story, "outcome: {:?}\nfatal: {:?}\nguesses: {:?}", played.outcome, played.fatal, played.guesses)?;
    std::fs::write(folder.join("story.txt"), story)?;
    Ok(())
}

fn rows(scene: &Scene) -> Vec<String> {
    let width = scene.reading.grid.size().width as usize;
    scene.tiles().chunks(width).map(|row| row.iter().map(|tile| tile.to_char()).collect()).collect()
}
