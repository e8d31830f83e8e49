//! Waiting for the client to have painted, by looking: the board has stopped changing, the clicked tiles have changed,
//! and what is read makes sense.

use super::aim::{Move, Wanted, opens_by_chord};
use super::check::{self, Doubt, Standing, check, standing};
use super::{Abort, Bot, Scene, settled};
use crate::board::Tile;
use crate::client::Client;
use crate::desktop::{Desktop, Note};
use crate::geometry::{BoardSize, Cell, Rect};
use crate::screenshot::Screenshot;
use crate::vision::colour::shade::Shade;
use crate::vision::find::locate::{BELIEVED, Sight};
use crate::vision::kept::centred;
use crate::vision::moving;
use crate::vision::{Grid, TileReading};
use image::{GenericImageView, RgbaImage};
use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What looking led to.
pub enum Painted {
    /// A board that can be acted on.
    Yes(Scene),
    /// The best that was to be had in time, and what is wrong with it.
    Doubtful(Scene, Doubt),
}

/// The end of a game on a board that has not come to rest, and when it was read first.
#[derive(Default)]
struct Ended(Option<(Vec<Tile>, Duration)>);

impl Ended {
    /// Since when these tiles have been read.
    fn since(&mut self, tiles: Vec<Tile>, now: Duration) -> Duration {
        match &self.0 {
            Some((then, since)) if *then == tiles => *since,
            _ => self.0.insert((tiles, now)).1,
        }
    }
}

/// A picture of the board and what is around it, and where in it the board is.
pub type Seen = (Arc<Screenshot>, Sight);

/// Waits between looks grow from this...
const SHORT: Duration = Duration::from_millis(1);
/// ...to this: long enough not to keep the client from painting on a busy machine.
const LONG: Duration = Duration::from_millis(20);

/// The longest that the system's word is believed that nothing was painted, without a look...
const UNTOLD: Duration = Duration::from_millis(100);
/// ...and how often such a look may show something else before the system's word is not asked for any more.
const KEEPS: u32 = 3;

/// What is read of a game that is over, and stays the same for so long, is its end, although its board never comes to rest.
const UNMOVED: Duration = Duration::from_secs(2);

/// How often a window that is moved is followed while one picture of it is waited for.
const WAYS: u32 = 10;

impl<D: Desktop> Bot<'_, D> {
    /// Looks until the board has stopped changing and can be believed, at most `patience` long. `before` is the board
    /// before `moves` were made.
    pub(super) fn painted(
        &mut self,
        before: Option<&Scene>,
        moves: &[Move],
        patience: Duration,
    ) -> Result<Painted, Abort> {
        let (shot, sight) = self.view.look(self.desktop, &mut self.effort)?;
        self.painted_after((Arc::new(shot), sight), before, moves, patience)
    }

    /// The same with the last picture that was taken, of which it is known that it showed what there was.
    pub(super) fn painted_after(
        &mut self,
        (mut shot, mut sight): Seen,
        before: Option<&Scene>,
        moves: &[Move],
        patience: Duration,
    ) -> Result<Painted, Abort> {
        let tiles: Option<Vec<Tile>> = before.map(Scene::tiles);
        let began = self.desktop.clock();
        // When there was something to see last that had not been seen before: flags may wave for ever.
        let mut since = began;
        let mut seen = HashSet::new();
        let mut ended = Ended::default();
        let mut doubted: Option<(Scene, Doubt)> = None;
        let mut pause = SHORT;
        let (mut ways, mut looked) = (0, began);
        // A chord shows by nothing that is known before.
        let is_told_by_tiles = moves.iter().all(|to_do| to_do.wanted != Wanted::Chord);
        loop {
            let told = self.rest(pause)?;
            pause = (pause * 5 / 4).min(LONG);
            // Where the system says that nothing was painted there is nothing to see; but it may keep something to itself.
            let is_untold = told == Some(false);
            let looks = !is_untold || self.desktop.clock().saturating_sub(looked) >= UNTOLD;
            let next = if looks { Some(self.view.look(self.desktop, &mut self.effort)?) } else { None };
            let now = self.desktop.clock();
            if let Some((next, next_sight)) = next {
                looked = now;
                if !same_board(&shot, &next, &sight.grid) {
                    seen.insert(settled::key(&shot, sight.grid.bounds()));
                    (shot, sight, doubted) = (Arc::new(next), next_sight, None);
                    if seen.insert(settled::key(&shot, sight.grid.bounds())) {
                        (since, pause) = (now, SHORT);
                    }
                    self.untold += u32::from(is_untold);
                }
            }
            if told.is_some() {
                // Whatever is painted ends the next wait: it may last until there is something to do.
                let left = self.view.still().saturating_sub(now.saturating_sub(since));
                pause = if doubted.is_some() || left.is_zero() { LONG } else { left };
            }
            // A dialog of the client's that has come up since: that it covers the board will not change by waiting.
            if let Some((_, Doubt::Covered { .. })) = &doubted
                && self.desktop.has_dialog()
                && let Some((scene, doubt)) = doubted
            {
                return Ok(Painted::Doubtful(scene, doubt));
            }
            let is_late = now.saturating_sub(began) >= patience;
            let is_still = now.saturating_sub(since) >= self.view.still();
            let has_changed = || before.is_none_or(|before| all_changed(before, &shot, &sight.grid, moves));
            let is_known = || is_told_by_tiles && self.settled.has(&shot, &sight.grid);
            if !is_late && (doubted.is_some() || !has_changed() || !(is_still || is_known())) {
                continue;
            }
            // To read where the window was takes long, and says nothing.
            if ways < WAYS && self.follow()? == Some(true) {
                let (next, next_sight) = self.view.look(self.desktop, &mut self.effort)?;
                (shot, sight) = (Arc::new(next), next_sight);
                (since, doubted, pause, ways) = (now, None, SHORT, ways + 1);
                continue;
            }
            let mut scene = self.read(shot.clone(), &sight, tiles.as_deref(), moves)?;
            let mines = self.options.mines;
            let level = self.level_mines(sight.grid.size());
            let floods = self.view.client.rules.floods;
            let believed =
                |scene: &Scene| check(&scene.reading, tiles.as_deref(), moves, mines, level, is_late, floods);
            let mut checked = believed(&scene);
            let is_doubted = checked.is_err() && (is_still || is_late);
            let resized = before.filter(|_| is_doubted).map(|before| resized(before, &shot, &sight, &self.view.client));
            for resized in resized.unwrap_or_default() {
                let laid = Sight { grid: resized.clone(), ..sight.clone() };
                let again = self.read(shot.clone(), &laid, tiles.as_deref(), moves)?;
                // What only looks like other sizes, as a board that is painted bit by bit, is read no better so.
                if believed(&again).is_ok() {
                    log::debug!("columns are at {:?} now, rows at {:?}", resized.columns, resized.lines);
                    self.view.lay(&sight.grid, &resized);
                    self.desktop.allow(&self.view.allowed());
                    (scene, sight, checked) = (again, laid, Ok(()));
                    break;
                }
            }
            // Below a shade open tiles may look like hidden ones, too.
            if let (Err(Doubt::Covered { .. } | Doubt::Changed { .. }), true, Some(before)) =
                (&checked, is_still || is_late, before)
                && let Some(clear) = unshaded(before, &shot, &sight.grid)
            {
                let mut again = self.read(Arc::new(clear), &sight, tiles.as_deref(), moves)?;
                doubt_numbers(&mut again.reading.tiles, &before.reading.tiles);
                let is_misread = matches!(checked, Err(Doubt::Changed { .. }));
                if is_misread || again.reading.unrecognised().count() < scene.reading.unrecognised().count() {
                    log::debug!("a shade lies over the board");
                    // What shows through tells how a game ended; in one that goes on nothing is clicked below a shade.
                    if self.has_ended(&again, mines.or(level)) {
                        checked = believed(&again);
                    } else if is_misread {
                        let size = again.reading.grid.size();
                        checked = Err(Doubt::Covered { count: size.tiles(), cell: Cell::new(0, 0) });
                    }
                    scene = again;
                }
            }
            match checked {
                // A client may paint several games one over the other, and only what comes to rest is the end of one.
                Ok(())
                    if !is_still
                        && self.has_ended(&scene, mines.or(level))
                        && now.saturating_sub(ended.since(scene.tiles(), now)) < UNMOVED => {}
                Ok(()) => {
                    self.settled.add(&scene.shot, &scene.reading.grid);
                    return Ok(Painted::Yes(scene));
                }
                Err(Doubt::Covered { .. })
                    if is_still
                        && !self.view.client.rules.flags_to_win
                        && before.is_some_and(|before| uncovered(&mut scene, before, mines.or(level), floods)) =>
                {
                    return Ok(Painted::Yes(scene));
                }
                Err(doubt) if is_late => return Ok(Painted::Doubtful(scene, doubt)),
                Err(_) if !is_still => {}
                Err(doubt) => {
                    log::trace!("waiting: {doubt}");
                    doubted = Some((scene, doubt));
                }
            }
        }
    }

    /// Looks until every moved tile has changed, at most `longest` long: then the client has got the clicks.
    pub(super) fn until_changed(&mut self, moves: &[Move], before: &Scene, longest: Duration) -> Result<(), Abort> {
        let began = self.desktop.clock();
        let mut told = None;
        loop {
            if told != Some(false) {
                let (shot, sight) = self.view.look(self.desktop, &mut self.effort)?;
                if all_changed(before, &shot, &sight.grid, moves) {
                    return Ok(());
                }
            }
            let left = longest.saturating_sub(self.desktop.clock().saturating_sub(began));
            if left.is_zero() {
                return Ok(());
            }
            told = self.rest(if told.is_some() { left.min(LONG) } else { SHORT })?;
        }
    }

    fn has_ended(&self, scene: &Scene, mines: Option<u32>) -> bool {
        standing(&scene.tiles(), mines, &self.view.client.rules) != Standing::Playing
    }

    /// Lets time pass until something is painted on the board, at most so much; whether something was, where the system can be believed.
    pub(super) fn rest(&mut self, time: Duration) -> Result<Option<bool>, Abort> {
        let began = Instant::now();
        let told = self.desktop.wait_for_paint(self.view.board(), time)?;
        self.effort.wait += began.elapsed();
        Ok(told.filter(|_| self.untold < KEEPS))
    }

    pub(super) fn read(
        &mut self,
        shot: Arc<Screenshot>,
        sight: &Sight,
        before: Option<&[Tile]>,
        moves: &[Move],
    ) -> Result<Scene, Abort> {
        let began = Instant::now();
        let mut reading = self.eyes[self.view.whose].read_after(&shot, sight, before);
        if let Some(before) = before {
            keep_numbers(&mut reading.tiles, before, moves, reading.grid.size());
        }
        self.effort.read += began.elapsed();
        self.effort.readings += 1;
        self.desktop.note(Note::Reading(&shot, &reading))?;
        Ok(Scene { shot, reading })
    }
}

/// Numbers that are not recognised any more are what they were, if all of them are beside flags, or are or touch what was clicked: some clients paint
/// a number otherwise once it has its flags, or a line around the tile that has the keyboard, and no number ever changes. What covers the board covers
/// others, too.
fn keep_numbers(now: &mut [TileReading], before: &[Tile], moves: &[Move], size: BoardSize) {
    let is_lost = |index: usize| before[index].number().is_some() && now[index].tile == Tile::Unrecognised;
    let lost: Vec<usize> = (0..now.len().min(before.len())).filter(|&index| is_lost(index)).collect();
    let is_explained = |&index: &usize| {
        let cell = size.cell(index);
        let has_flag = || size.neighbours(cell).any(|cell| now[size.index(cell)].tile == Tile::Flag);
        let is_clicked = || moves.iter().any(|to_do| size.square(to_do.cell, 1).any(|touched| touched == cell));
        before[index] != Tile::Open(0) && has_flag() || is_clicked()
    };
    if lost.iter().all(is_explained) {
        lost.into_iter().for_each(|index| now[index].tile = before[index]);
    }
}

/// Fills in what was open before and is covered now, if that shows that the board is cleared: what a client puts over it at the end needs
/// not be taken away then.
fn uncovered(scene: &mut Scene, before: &Scene, mines: Option<u32>, floods: bool) -> bool {
    let is_cleared = check::cleared(&scene.reading, &before.tiles(), mines, floods);
    if is_cleared {
        for (now, then) in scene.reading.tiles.iter_mut().zip(&before.reading.tiles) {
            if now.tile == Tile::Unrecognised && then.tile.number().is_some() {
                *now = *then;
            }
        }
    }
    is_cleared
}

/// What was a number and looks otherwise through a shade is not recognised: a client's dialog may lie there, too.
fn doubt_numbers(now: &mut [TileReading], before: &[TileReading]) {
    let doubtful =
        now.iter_mut().zip(before).filter(|(now, then)| then.tile.number().is_some() && now.tile != then.tile);
    doubtful.for_each(|(now, _)| now.tile = Tile::Unrecognised);
}

/// The board without the shade that lies over it, and did not in the picture of `before`.
pub(super) fn unshaded(before: &Scene, now: &Screenshot, grid: &Grid) -> Option<Screenshot> {
    let (then, board) = (&before.shot.pixels, grid.bounds());
    let is_there = before.reading.grid == *grid && then.dimensions() == now.pixels.dimensions();
    let shade = if is_there { Shade::between(then, &now.pixels, board, (0, 0)) } else { None }?;
    Some(Screenshot { pixels: shade.taken_off(&now.pixels, board), ..*now })
}

/// Where the tiles may be in a picture of what a scene shows, if columns or rows have another size by now, the likeliest first.
fn resized(before: &Scene, now: &Screenshot, sight: &Sight, client: &Client) -> Vec<Grid> {
    let grid = &sight.grid;
    let (then, now) = (&before.shot.pixels, &now.pixels);
    if before.reading.grid != *grid || then.dimensions() != now.dimensions() {
        return Vec::new();
    }
    let relaid = if client.elastic { moving::relaid(then, grid, now) } else { None };
    let pictures = client.themes.get(sight.theme).map_or(&[][..], |theme| &theme.pictures);
    let pictures: Vec<&RgbaImage> = pictures.iter().map(|picture| &picture.pixels).collect();
    let found = moving::resized(then, grid, now, client.elastic).into_iter().chain(relaid);
    let mut found: Vec<Grid> =
        found.map(|found| centred(now, found, &pictures)).filter(|found| found != grid).collect();
    found.dedup();
    found
}

/// Whether two pictures of one place show the same pixels on the board.
fn same_board(one: &Screenshot, other: &Screenshot, grid: &Grid) -> bool {
    let board = grid.bounds();
    one.shows_the_same(board, other, board)
}

/// Whether at least one tile in twenty, or one piece of the rim in twenty, is what it was, pixel for pixel or as a number, or two
/// numbers are: a dialog leaves some of them, a closed window none. Two tiles that happen to be read as the same numbers in what
/// was behind a closed window would have to be pictures of them.
pub(super) fn is_partly_same(before: &Scene, now: &Scene) -> bool {
    let (then, grid) = (&before.reading.grid, &now.reading.grid);
    let size = grid.size();
    if then.size() != size {
        return false;
    }
    // A window that has lost the keyboard may be painted a little paler, and beside what is covered no reading is believed:
    // what a tile is like on its own tells.
    let number = |scene: &Scene, cell: Cell| {
        let tile = scene.reading.tiles.get(size.index(cell)).filter(|tile| f64::from(tile.score) >= BELIEVED)?;
        tile.best.number().filter(|&number| number > 0)
    };
    let is_same_number = |&cell: &Cell| number(now, cell).is_some() && number(now, cell) == number(before, cell);
    let is_same_tile =
        |&cell: &Cell| is_same_number(&cell) || before.shot.shows_the_same(then.tile(cell), &now.shot, grid.tile(cell));
    // Where the rim is plain it may be the desktop, which stays when a window goes.
    let is_same_rim =
        |(at, there): &(Rect, Rect)| !is_plain(&before.shot, *at) && before.shot.shows_the_same(*at, &now.shot, *there);
    let rims: Vec<(Rect, Rect)> = rim(then).into_iter().zip(rim(grid)).collect();
    size.cells().filter(is_same_number).nth(1).is_some()
        || size.cells().filter(is_same_tile).count() * 20 >= size.tiles()
        || rims.iter().filter(|pair| is_same_rim(pair)).count() * 20 >= rims.len()
}

/// The strip around a board, a quarter of a tile wide, in pieces as long as a tile.
fn rim(grid: &Grid) -> Vec<Rect> {
    let size = grid.size();
    let (right, bottom) = (size.width - 1, size.height - 1);
    let beside = (0..size.height).flat_map(|y| {
        let (first, last) = (grid.tile(Cell::new(0, y)), grid.tile(Cell::new(right, y)));
        let width = first.width / 4;
        [
            Rect { left: first.left.saturating_sub(width), width, ..first },
            Rect { left: last.left + last.width, width, ..last },
        ]
    });
    let above = (0..size.width).flat_map(|x| {
        let (first, last) = (grid.tile(Cell::new(x, 0)), grid.tile(Cell::new(x, bottom)));
        let height = first.height / 4;
        [
            Rect { top: first.top.saturating_sub(height), height, ..first },
            Rect { top: last.top + last.height, height, ..last },
        ]
    });
    beside.chain(above).collect()
}

/// Whether a part of a picture is of one colour, or not in the picture.
fn is_plain(shot: &Screenshot, at: Rect) -> bool {
    let (width, height) = shot.pixels.dimensions();
    if at.width * at.height == 0 || at.left + at.width > width || at.top + at.height > height {
        return true;
    }
    let part = shot.pixels.view(at.left, at.top, at.width, at.height);
    let first = part.get_pixel(0, 0);
    part.pixels().all(|(_, _, pixel)| pixel == first)
}

/// Whether every tile with a move on it looks different than before.
fn all_changed(before: &Scene, shot: &Screenshot, grid: &Grid, moves: &[Move]) -> bool {
    let has_changed = |cell: Cell| !before.shot.shows_the_same(before.reading.grid.tile(cell), shot, grid.tile(cell));
    let (tiles, size) = (before.tiles(), before.reading.grid.size());
    moves.iter().all(|to_do| match to_do.wanted {
        // It is seen by the tiles around it.
        Wanted::Chord => {
            size.neighbours(to_do.cell).filter(|&other| opens_by_chord(tiles[size.index(other)])).all(has_changed)
        }
        _ => has_changed(to_do.cell),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_look_otherwise_beside_their_flags_or_a_click_are_what_they_were() {
        let tiles = |board: &str| -> Vec<Tile> { board.chars().filter_map(Tile::from_char).collect() };
        let kept = |before: &str, now: &str, clicked: &[u32]| {
            let reading = |tile| TileReading { tile, ..TileReading::NOTHING };
            let mut now: Vec<TileReading> = tiles(now).into_iter().map(reading).collect();
            let moves: Vec<Move> =
                clicked.iter().map(|&x| Move { cell: Cell::new(x, 0), wanted: Wanted::Open }).collect();
            keep_numbers(&mut now, &tiles(before), &moves, BoardSize::new(4, 2));
            now.iter().map(|reading| reading.tile.to_char()).collect::<String>()
        };
        assert_eq!(kept("#110#210", "F~10F~10", &[]), "F110F210");
        assert_eq!(kept("#110#210", "F~1~F210", &[]), "F~1~F210", "something covers the last");
        assert_eq!(kept("#110#210", "#~10#210", &[]), "#~10#210", "no flag tells why");
        // A line around the tile that was clicked reaches over those beside it.
        assert_eq!(kept("#110#210", "1~10#~10", &[0]), "1110#210");
        assert_eq!(kept("#110#210", "1~1~#~10", &[0]), "1~1~#~10", "something covers another one, too");
    }

    #[test]
    fn what_was_a_number_is_no_mine_through_a_shade() {
        let tiles = |row: &str| -> Vec<TileReading> {
            let tiles = row.chars().filter_map(Tile::from_char);
            tiles.map(|tile| TileReading { tile, ..TileReading::NOTHING }).collect()
        };
        let mut now = tiles("1X#0*3");
        doubt_numbers(&mut now, &tiles("11##42"));
        assert_eq!(now, tiles("1~#0~~"));
    }
}
