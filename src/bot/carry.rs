//! From a decision to the board after it: the last look, the clicks, and what they did.

use super::aim::{self, Move, Wanted};
use super::painted::Painted;
use super::recover::{DIALOG, is_after};
use super::{Abort, Bot, Doubt, Scene, check};
use crate::board::Tile;
use crate::desktop::{Desktop, DesktopError};
use crate::geometry::Cell;
use crate::solver::{Decision, Reason};
use crate::vision::find::locate::Sight;
use std::time::Instant;

/// How often a click that changed nothing is repeated.
const REPEATS: u32 = 4;

/// The same for one that the game can do without.
const SPARED: u32 = 1;

/// How often a board that changes all the time is looked at again although what is read of it stays the same.
const RESTLESS: u32 = 3;

/// Tiles that were just clicked, look empty and did not open what is beside them: pressed ones may look so, and stay it where a client asks where the
/// pointer is when that has left. None where others look so, too.
fn held(scene: &Scene, before: &Scene, moves: &[Move]) -> Vec<Cell> {
    let (tiles, then, size) = (scene.tiles(), before.tiles(), scene.reading.grid.size());
    let is_clicked = |cell: Cell| moves.iter().any(|to_do| to_do.cell == cell && to_do.wanted == Wanted::Open);
    let was_covered = |cell: Cell| then.len() == tiles.len() && then[size.index(cell)].is_covered();
    let held: Vec<Cell> = check::dry(size, None, &tiles, true).collect();
    if held.iter().all(|cell| is_clicked(*cell) && was_covered(*cell)) { held } else { Vec::new() }
}

/// What came of the last look before the clicks.
enum LastLook {
    /// The board still shows what was decided on.
    Same,
    /// It shows something else now.
    Other(Scene),
}

impl<D: Desktop> Bot<'_, D> {
    /// Does what was decided on a scene, and looks what came of it. Where the scene turns out to be another one before anything is
    /// clicked, nothing is, and that scene comes back.
    pub(super) fn carry_out_decision(&mut self, decision: &Decision, mut scene: Scene) -> Result<Scene, Abort> {
        let open =
            |cells: &[Cell]| -> Vec<Move> { cells.iter().map(|&cell| Move { cell, wanted: Wanted::Open }).collect() };
        let mut moves = open(&decision.open);
        // What had no effect once is not tried again in this game.
        if (self.options.flag_mines || self.options.chord) && self.effort.in_vain == 0 {
            let tiles = scene.tiles();
            let size = scene.reading.grid.size();
            // What is not recognised may be a flag, which another press would take off.
            let is_bare = |cell: &&Cell| matches!(tiles[size.index(**cell)], Tile::Hidden | Tile::Question);
            let bare = decision.mines.iter().filter(is_bare);
            let flags: Vec<Move> = bare.map(|&cell| Move { cell, wanted: Wanted::Flag }).collect();
            if !self.options.chord {
                moves.splice(0..0, flags);
            } else if self.view.client.hands.chord.is_some() && decision.reason == Reason::Certain {
                if !flags.is_empty() {
                    scene = self.carry_out(&flags, &scene)?;
                }
                if self.effort.in_vain == 0 {
                    moves = aim::with_chords(&scene.tiles(), size, decision);
                }
            }
        }
        let mut moves = aim::in_one_go(moves, &scene.tiles(), self.view.size(), &self.view.client.hands);
        if self.view.begins_on_board() {
            moves = aim::up_to_an_opening(moves, decision, self.view.size());
        }
        let after = self.carry_out(&moves, &scene)?;
        let (tiles, size) = (after.tiles(), after.reading.grid.size());
        let is_chord = |to_do: &&Move| to_do.wanted == Wanted::Chord && to_do.is_done(&tiles, size);
        self.effort.chords += moves.iter().filter(is_chord).count() as u32;
        Ok(after)
    }

    /// Does the moves, all in one go, and looks until the client has painted the answer; moves without an effect are
    /// repeated. Where there is no picture meanwhile, the board is waited for.
    pub(super) fn carry_out(&mut self, moves: &[Move], before: &Scene) -> Result<Scene, Abort> {
        match self.until_done(moves, before) {
            Err(Abort::Desktop(why)) if why.is_without_picture() => self.return_to(Some(before), why.into()),
            other => other,
        }
    }

    fn until_done(&mut self, moves: &[Move], before: &Scene) -> Result<Scene, Abort> {
        let mut todo = moves.to_vec();
        let mut latest = before.clone();
        let first = before.tiles().iter().all(|tile| tile.is_covered());
        let patience = if first { self.view.first_patience() } else { self.view.patience() };
        for again in 0..=REPEATS {
            if let LastLook::Other(scene) = self.last_look(&latest)? {
                return Ok(scene);
            }
            let tiles = latest.tiles();
            let is_flagged =
                |to_do: &Move| to_do.wanted == Wanted::Open && tiles[self.view.size().index(to_do.cell)] == Tile::Flag;
            if todo.iter().any(is_flagged) {
                return Ok(latest); // the person put it there: it is taken off by itself first
            }
            match self.click(&todo, &tiles, &latest, again) {
                Err(Abort::Desktop(DesktopError::Foreign(why))) => {
                    self.refused = Some(why);
                    self.park()?; // a tile below the pointer may look different
                    return self.wait_for(&latest, DesktopError::Foreign(why).into());
                }
                other => other?,
            }
            // What was not recognised when it was clicked may be a flag, and stay one.
            let is_unknown = |cell: &Cell| tiles[self.view.size().index(*cell)] == Tile::Unrecognised;
            self.closed = todo.iter().map(|to_do| to_do.cell).filter(is_unknown).collect();
            let sight = Sight { grid: latest.reading.grid.clone(), ..self.view.sight.clone() };
            match self.painted_after((latest.shot.clone(), sight), Some(before), &todo, patience)? {
                Painted::Yes(scene) => return Ok(scene),
                Painted::Doubtful(..) if self.is_asked(DIALOG)? => return Err(Abort::Asked),
                Painted::Doubtful(scene, Doubt::NotYet(cells)) => {
                    // A larger board looks like the one that was there as long as nothing is open.
                    if let Some(grown) = self.grown()? {
                        return Err(grown);
                    }
                    if self.desktop.has_dialog() {
                        self.uncover()?; // it may let nothing else be clicked, whether it covers the board or not
                        self.until_answered(self.options.wait)?;
                        self.answered = Some(self.effort.clicks);
                        // What takes it away may begin the next game.
                        let now = self.painted(Some(before), &[], patience.max(DIALOG))?;
                        if matches!(&now, Painted::Doubtful(now, _) if is_after(Some(before), now)) {
                            return Err(Abort::Answered);
                        }
                    }
                    todo.retain(|to_do| cells.contains(&to_do.cell));
                    log::debug!("{} of {} clicks had no effect: {cells:?}", todo.len(), moves.len());
                    self.effort.repeated += todo.len() as u32;
                    let (tiles, size) = (scene.tiles(), scene.reading.grid.size());
                    self.closed = cells.into_iter().filter(|cell| tiles[size.index(*cell)].is_covered()).collect();
                    latest = scene;
                    if again >= SPARED && todo.iter().all(|to_do| self.is_spare(to_do)) {
                        log::info!("{} presses for flags or chords had no effect: it goes on without", todo.len());
                        self.effort.in_vain += todo.len() as u32;
                        return Ok(latest);
                    }
                }
                Painted::Doubtful(mut scene, doubt) => {
                    let may_be_held = again < REPEATS && matches!(doubt, Doubt::Flood(_));
                    let held = if may_be_held { held(&scene, before, &todo) } else { Vec::new() };
                    if !held.is_empty() {
                        self.stays_pressed = true;
                        log::debug!("pressed and not open: {held:?}");
                        let size = scene.reading.grid.size();
                        for index in held.into_iter().map(|cell| size.index(cell)) {
                            scene.reading.tiles[index] = before.reading.tiles[index];
                        }
                        let tiles = scene.tiles();
                        todo.retain(|to_do| !to_do.is_done(&tiles, size));
                        self.effort.repeated += todo.len() as u32;
                        latest = scene;
                        continue;
                    }
                    let scene = self.recover(Some(before), &scene, doubt)?;
                    let tiles = scene.tiles();
                    let size = scene.reading.grid.size();
                    let is_over = check::is_over(&tiles);
                    todo.retain(|to_do| !is_over && !to_do.is_done(&tiles, size));
                    if todo.is_empty() {
                        return Ok(scene);
                    }
                    latest = scene;
                }
            }
        }
        if self.desktop.has_dialog() {
            return Err(DesktopError::Foreign("a dialog that lets nothing else be clicked").into());
        }
        let cell = todo.first().map_or(Cell::new(0, 0), |to_do| to_do.cell);
        Err(Abort::Deaf { cell, clicks: REPEATS + 1 })
    }

    /// Whether the game can go on without a move: what a chord opens is opened tile by tile, too, and most clients are won without a flag.
    fn is_spare(&self, to_do: &Move) -> bool {
        match to_do.wanted {
            Wanted::Chord => true,
            Wanted::Flag => !self.view.client.rules.flags_to_win,
            Wanted::Open | Wanted::NoFlag => false,
        }
    }

    /// Whether the board is still what was decided on, pixel for pixel; one that never comes to rest at least tile by tile.
    fn last_look(&mut self, scene: &Scene) -> Result<LastLook, Abort> {
        let mut seen = scene.clone();
        for _ in 0..RESTLESS {
            let began = Instant::now();
            let is_same = self.view.is_unchanged(self.desktop, &seen.shot, seen.reading.grid.bounds());
            self.effort.capture += began.elapsed();
            if is_same? {
                return Ok(LastLook::Same);
            }
            log::debug!("the board changed after it was read: it is looked at again");
            let now = self.seen_after(scene)?;
            if now.tiles() != scene.tiles() || now.reading.grid != scene.reading.grid {
                return Ok(LastLook::Other(now));
            }
            seen = now;
        }
        Ok(LastLook::Same)
    }
}
