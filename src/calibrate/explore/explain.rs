//! What all games together mean, and what is tried where they contradict each other.

use super::Explorer;
use crate::board::Tile;
use crate::calibrate::evidence::Evidence;
use crate::calibrate::meaning::{Contradiction, Meaning, Meanings};
use crate::desktop::Desktop;
use std::collections::BTreeSet;

/// Shares of the measure of what looks alike that are tried where it leads to a contradiction.
const MEASURES: [f32; 5] = [0.7, 0.5, 1.4, FINER[0], FINER[1]];
/// The same where no number comes out: small pale digits on large tiles may be one look with the empty tile.
const FINER: [f32; 2] = [0.25, 0.12];
/// Games that must agree for one that contradicts them to be left out.
const AGREEING: usize = 2;
/// Looks that nothing is known of, above which their sides are suspected: a client that draws the lines around its tiles by what is beside these had 23
/// after two games, and of those that do not few have so many.
const SCATTERED: usize = 16;
/// Looks that may say nothing of mines.
const MUTE: usize = 2;

impl<D: Desktop> Explorer<'_, D> {
    /// Counts anew what everything means. Where the last game explains nothing as a whole, it may have been over before it ended.
    /// Where it contradicts all before it, which do not contradict each other, it is
    /// left out: something lay over its board, or was still being painted.
    ///
    /// # Errors
    /// It contradicts itself; with the last game, if that was left out.
    pub fn understand(&mut self, before: Evidence) -> Result<(), Contradiction> {
        let mut explained = self.explain();
        if explained.is_err()
            && let Some(shorter) = self.shorter.take()
        {
            let longer = self.notes.evidence.clone();
            self.notes.evidence.replace_last(shorter);
            let again = self.explain();
            if again.is_ok() {
                log::debug!("the game was over before: it went on after a mine");
                explained = again;
            } else {
                self.notes.evidence = longer;
            }
        }
        if explained.is_err() {
            let after = std::mem::replace(&mut self.notes.evidence, before);
            if self.notes.evidence.games.is_empty() || self.explain().is_err() {
                self.notes.evidence = after;
                self.meanings = Meanings::default();
                return self.explain_without_one().ok_or(()).or(explained);
            }
        }
        explained
    }

    /// What all games but one mean, where that one contradicts all others, whichever it is: they agree, and tell numbers. It is left out then.
    fn explain_without_one(&mut self) -> Option<()> {
        let all = self.notes.evidence.clone();
        let others = all.games.len().checked_sub(1).filter(|others| *others >= AGREEING)?;
        for at in 0..others {
            self.notes.evidence.games.remove(at);
            self.notes.evidence.sort_again(1.0);
            if let Ok(meanings) = self.attempt()
                && meanings.of.values().any(|meaning| matches!(meaning.tile, Tile::Open(1..)))
            {
                log::debug!("without game {} all others agree", at + 1);
                self.meanings = meanings;
                return Some(());
            }
            self.notes.evidence = all.clone();
        }
        None
    }

    /// What everything means, by all games. Where it contradicts itself an empty tile opens nothing around itself; or looks were taken for one that are
    /// two; or one of them, of which a game has one tile at most, says nothing of mines; or one is that of mines in a game that goes on.
    pub fn explain(&mut self) -> Result<(), Contradiction> {
        let may_open_alone = self.notes.evidence.opens_alone();
        self.notes.evidence.known.opens_alone &= may_open_alone;
        let mut first = self.attempt();
        if first.is_err() && may_open_alone && !self.notes.evidence.known.opens_alone {
            self.notes.evidence.known.opens_alone = true;
            let otherwise = self.attempt();
            self.notes.evidence.known.opens_alone = otherwise.is_ok();
            if otherwise.is_ok() {
                log::debug!("an empty tile opens nothing around itself");
                first = otherwise;
            }
        }
        let otherwise = match &first {
            Ok(meanings) => match self.untold(meanings) {
                untold @ SCATTERED.. => self.explain_otherwise(names(meanings), untold / 2),
                _ => None,
            },
            Err(_) => self.explain_otherwise(0, usize::MAX),
        };
        if let Some(meanings) = otherwise {
            self.meanings = meanings;
            return Ok(());
        }
        let mut found = first.clone();
        let is_number = |meaning: &Meaning| matches!(meaning.tile, Tile::Open(1..));
        // How many names are to be had at least, if this is not good enough: that hidden tiles have more looks is none.
        let least = match &first {
            Ok(meanings) if !meanings.of.values().any(is_number) => Some(names(meanings) + 1),
            Ok(meanings) => Some(names(meanings)).filter(|_| self.notes.evidence.numbers_turned_empty()),
            Err(_) => Some(0),
        };
        if let Some(least) = least {
            let before = self.notes.evidence.clone();
            for &measure in if first.is_ok() { &FINER[..] } else { &MEASURES[..] } {
                self.notes.evidence.sort_again(measure);
                // What is open looks like hidden tiles to a measure that is too coarse.
                let is_as_open = self.notes.evidence.covered_tiles() == before.covered_tiles();
                match self.attempt() {
                    Ok(meanings) if is_as_open && names(&meanings) >= least => {
                        found = Ok(meanings);
                        break;
                    }
                    _ => self.notes.evidence = before.clone(),
                }
            }
        }
        if found.is_err() {
            self.notes.evidence.sort_again(1.0);
            found = self.attempt();
            while let Err(Contradiction { look: Some(look), .. }) = &found
                && self.notes.evidence.known.mute.len() < MUTE
                && self.notes.evidence.is_single(*look)
                && self.notes.evidence.games.len() > 1
            {
                log::debug!("look {look} says nothing of mines, perhaps");
                self.notes.evidence.known.mute.insert(*look);
                found = self.attempt();
            }
        }
        if found.is_err() {
            self.notes.evidence.known.mute.clear();
        }
        // Or one of them is that of mines, and the game goes on.
        for look in if found.is_err() { self.notes.evidence.may_be_hit() } else { Vec::new() } {
            self.notes.evidence.known.hit.insert(look);
            found = self.attempt();
            if found.is_ok() {
                log::debug!("look {look} is that of a mine, after which the game goes on");
                break;
            }
            self.notes.evidence.known.hit.remove(&look);
        }
        // What is wrong is told by looks as they are sorted now.
        self.meanings = found.map_err(|other| first.err().unwrap_or(other))?;
        Ok(())
    }

    /// What everything means with the grid moved to where all games together have fewer looks, or without the sides of tiles: an untouched board does
    /// not tell on which side of a line a tile ends. Nothing, and all as it was, where that contradicts itself, too, or tells fewer names than `least`, or
    /// leaves more than `most` looks without one.
    fn explain_otherwise(&mut self, least: usize, most: usize) -> Option<Meanings> {
        if self.is_sure {
            return None;
        }
        let before = self.notes.evidence.clone();
        for (by, rim) in before.read_otherwise(&self.grid, self.notes.elastic) {
            self.shift(by);
            self.notes.evidence.leave_out(rim);
            // What is open looks like hidden tiles where only its sides tell it from these: then what was clicked does, too, and not only hidden tiles onto
            // which the border of an open one reaches.
            let now = &self.notes.evidence;
            let is_as_open =
                now.covered_answers() == before.covered_answers() && now.covered_tiles() >= before.covered_tiles();
            match self.attempt() {
                Ok(meanings) if is_as_open && names(&meanings) >= least && self.untold(&meanings) <= most => {
                    log::debug!("read without {rim} pixels at the sides of tiles all games agree");
                    return Some(meanings);
                }
                _ => self.shift((-by.0, -by.1)),
            }
            self.notes.evidence = before.clone();
        }
        None
    }

    /// How many looks there are that these meanings say nothing of.
    pub fn untold(&self, meanings: &Meanings) -> usize {
        self.notes.evidence.looks.count().saturating_sub(meanings.of.len())
    }

    fn attempt(&self) -> Result<Meanings, Contradiction> {
        let found = self.notes.meanings();
        if let Err(why) = &found {
            log::trace!("{why}; held to be known: {:?}", self.notes.evidence.known);
        }
        found
    }
}

/// How many different tiles are told.
fn names(meanings: &Meanings) -> usize {
    meanings.of.values().map(|meaning| meaning.tile).collect::<BTreeSet<_>>().len()
}
