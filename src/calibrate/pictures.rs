//! Saved screenshots → as much of a client as they show.

use super::evidence::{Evidence, hidden_share};
use super::meaning::{Game, Meanings, meanings};
use super::notes::Notes;
use super::write::Found;
use super::{GaveUp, News, Tell};
use crate::board::{Board, Tile};
use crate::geometry::BoardSize;
use crate::vision::unknown::looks::{ALIKE, LookId, Looks};
use crate::vision::{Grid, boards_of_any_look};
use image::RgbaImage;
use std::collections::BTreeMap;

/// A saved screenshot.
#[derive(Clone, Debug)]
pub struct Saved {
    /// What it is called, for messages.
    pub name: String,
    /// It.
    pub picture: RgbaImage,
    /// What is on its board, if somebody said so.
    pub truth: Option<Board>,
}

/// Share of an untouched board's tiles that have its commonest look, at least (two by turns count as one).
const UNTOUCHED: f64 = 0.8;

/// Learns what screenshots show of a client: its looks, but not how it is played. What is left out is told.
///
/// # Errors
/// No board is found, what is said of the screenshots contradicts itself, or it is not even known how a hidden tile looks.
pub fn from_pictures(name: &str, saved: &[Saved], tell: &mut Tell) -> Result<Found, GaveUp> {
    let mut notes = Notes::default();
    let mut said: BTreeMap<LookId, BTreeMap<Tile, String>> = BTreeMap::new();
    let mut games = Vec::new();
    let mut size = None;
    // Those with their truth first: they tell what a hidden tile is. Then those of which most is hidden.
    let mut scenes: Vec<(&Saved, Grid, f64)> = Vec::new();
    for saved in saved {
        let grids = boards_of_any_look(&saved.picture);
        let fits = |grid: &&Grid| saved.truth.as_ref().is_none_or(|truth| truth.size() == grid.size());
        match grids.iter().find(fits) {
            Some(grid) => scenes.push((saved, grid.clone(), hidden_share(&saved.picture, grid, Looks::new(ALIKE)))),
            None => tell(News::Says(&format!("{}: nothing repeats like a board on it; it is left out", saved.name))),
        }
    }
    scenes.sort_by(|a, b| {
        (b.0.truth.is_some(), b.2).partial_cmp(&(a.0.truth.is_some(), a.2)).unwrap_or(std::cmp::Ordering::Equal)
    });
    let Some((first, grid, share)) = scenes.first() else { return Err(GaveUp::NoBoard) };
    if first.truth.is_none() {
        if *share < UNTOUCHED {
            return Err(GaveUp::TooLittle {
                games: 0,
                missing: "# (a screenshot of an untouched board shows it)".into(),
            });
        }
        notes.evidence.measure(&first.picture, grid);
        notes.evidence.sort_again(1.0);
        let scene = notes.evidence.look_at(&first.picture, grid, false, |_| false);
        notes.evidence.take_as_untouched(scene);
        notes.evidence.sort_again(1.0);
        // No click tells them from open ones.
        notes.evidence.take_sides_as_hidden();
    }
    for (saved, grid, _) in &scenes {
        size = size.or(Some(grid.size()));
        let scene = notes.evidence.look_at(&saved.picture, grid, false, |_| false);
        match &saved.truth {
            Some(truth) => {
                let tiles = scene.looks.iter().zip(truth.tiles()).enumerate();
                for (index, (look, tile)) in tiles.filter(|(_, (_, tile))| **tile != Tile::Unrecognised) {
                    let Some(look) = look else { continue };
                    let labels = said.entry(*look).or_default();
                    labels.entry(*tile).or_insert_with(|| format!("{} at {}", saved.name, truth.size().cell(index)));
                }
            }
            None => {
                games.push((saved.name.clone(), Game { size: grid.size(), running: scene.looks.clone(), ending: None }))
            }
        }
        notes.evidence.others.push(scene);
    }
    take_labels(&mut notes.evidence, &said)?;
    let kept = fitting(&notes.evidence, games, tell);
    let meanings = understood(&notes.evidence, &kept)?;
    let size = size.unwrap_or(BoardSize::new(9, 9));
    let mut found = Found::of(name, size, &notes, &meanings);
    let mines = saved.iter().filter_map(|saved| Some((saved.truth.as_ref()?.size(), saved.truth.as_ref()?.mines()?)));
    found.levels.extend(mines);
    found.levels.sort_unstable();
    found.levels.dedup_by_key(|(size, _)| *size);
    Ok(found)
}

/// What was said of looks, unless two things were said of one.
fn take_labels(evidence: &mut Evidence, said: &BTreeMap<LookId, BTreeMap<Tile, String>>) -> Result<(), GaveUp> {
    for (&look, labels) in said {
        let mut named = labels.iter();
        let Some((&tile, place)) = named.next() else { continue };
        if let Some((other, there)) = named.next() {
            let why = format!(
                "tiles that look alike are called {:?} in {place} and {:?} in {there}; one of the .board files is wrong, or its grid was \
                 not found right",
                tile.to_char(),
                other.to_char()
            );
            return Err(GaveUp::Contradiction { games: 0, why });
        }
        evidence.known.tell(look, tile);
    }
    if evidence.known.hidden.is_empty() {
        return Err(GaveUp::TooLittle { games: 0, missing: "# (a hidden tile)".into() });
    }
    Ok(())
}

/// The boards that do not contradict each other; one of a game that is over may show mines.
fn fitting(evidence: &Evidence, games: Vec<(String, Game)>, tell: &mut Tell) -> Vec<Game> {
    let mut kept: Vec<Game> = Vec::new();
    for (name, game) in games {
        kept.push(game);
        if meanings(&evidence.known, &kept).is_err() {
            kept.pop();
            tell(News::Says(&format!(
                "{name}: it fits the others under no meaning of its tiles, as at the end of a game; it is left out"
            )));
        }
    }
    kept
}

fn understood(evidence: &Evidence, games: &[Game]) -> Result<Meanings, GaveUp> {
    meanings(&evidence.known, games)
        .map_err(|contradiction| GaveUp::Contradiction { games: games.len(), why: contradiction.to_string() })
}
