//! How many columns and rows a board has, once some of its tiles are known.

use super::place::{FAMILIAR, NUDGE};
use super::{Evidence, Scene};
use crate::geometry::{BoardSize, Cell};
use crate::vision::unknown::looks::LookId;
use crate::vision::{Grid, SMALLEST, Way};
use image::RgbaImage;
use std::collections::BTreeSet;

/// Share of the tiles of a column or row beyond a board that must be hidden for it to be one of the board's: clients that open
/// something by themselves leave that much.
const HIDDEN: f64 = 0.34;
/// Share of the looks of an outermost column or row that must be on the rest of the board, too.
const SHARED: f64 = 0.5;
/// Share of a tile that a shadow, as of a bar above a page, takes at most.
const SHADOW: f64 = 0.125;
/// Empty tiles that tell of a side that never opens, and of the rest of the board that it does, at least.
const EMPTY: usize = 3;
/// Columns or rows by which a board may be larger on a side than was first thought.
const FARTHEST: usize = 8;

impl Evidence {
    /// How far the grid of a hardly touched board is off on each side: columns or rows that are the board's but not in the grid, or
    /// (below 0) the other way round, which no game ever changed. Left, right, top, bottom.
    pub fn misfit(&self, picture: &RgbaImage, grid: &Grid) -> [i32; 4] {
        let (was_played, never_opens) = (self.was_played(grid.size()), self.never_opens(grid.size()));
        let mut grid = grid.clone();
        let mut misfit = [0; 4];
        for (side, by) in misfit.iter_mut().enumerate() {
            while *by < FARTHEST as i32 {
                let Some(larger) = with_more(&grid, side, 1) else { break };
                let looks = strip(&self.looks.recognise(picture, &larger), larger.size(), side);
                let share = |count: usize| count as f64 / looks.len() as f64;
                let hidden = looks.iter().filter(|look| self.is_hidden(**look)).count();
                let known = looks.iter().flatten().count();
                if share(hidden) < HIDDEN || share(known) < FAMILIAR {
                    break;
                }
                (grid, *by) = (larger, *by + 1);
            }
            if *by == 0
                && never_opens[side]
                && let Some(smaller) = with_more(&grid, side, -1)
            {
                (grid, *by) = (smaller, -1);
                continue;
            }
            while *by <= 0 && *by > -(FARTHEST as i32) {
                let all = self.looks.recognise(picture, &grid);
                let looks = strip(&all, grid.size(), side);
                let Some(smaller) = with_more(&grid, side, -1) else { break };
                let rest = self.looks.recognise(picture, &smaller);
                let shared = looks.iter().filter(|look| look.is_some() && rest.contains(look)).count();
                let is_strange = looks.iter().all(|look| !self.is_hidden(*look));
                let is_played = *by == 0 && was_played[side];
                let is_shared = shared as f64 >= SHARED * looks.len() as f64;
                if !is_strange || is_played || is_shared || self.is_alike_inside(picture, &grid, side) {
                    break;
                }
                (grid, *by) = (smaller, *by - 1);
            }
        }
        misfit
    }

    /// Whether the outermost tiles of a side look like those next to them but for their outer edge: a shadow may fall on that.
    fn is_alike_inside(&self, picture: &RgbaImage, grid: &Grid, side: usize) -> bool {
        let way = if side < 2 { Way::Columns } else { Way::Lines };
        let edges = grid.edges(way);
        let (inset, last) = (SHADOW * crate::vision::pitch(edges), edges.len() - 1);
        let is_last = side % 2 == 1;
        let strip = |at: usize| {
            let (near, far) = (edges[at], edges[at + 1]);
            grid.with(way, if is_last { vec![near, far - inset] } else { vec![near + inset, far] })
        };
        let (outer, inner) = if is_last { (last - 1, last - 2) } else { (0, 1) };
        let mut looks = self.no_looks();
        let inner = looks.sort(picture, &strip(inner));
        let outer = looks.recognise(picture, &strip(outer));
        outer.iter().all(|look| look.is_some() && inner.contains(look))
    }

    /// Of each side (left, right, top, bottom) whether a tile at it had, in a game, a look that it had not on the untouched board and that others
    /// have which are not at that side: it is a tile, however it looks.
    fn was_played(&self, size: BoardSize) -> [bool; 4] {
        let Some(first) = self.others.first().filter(|scene| scene.grid.size() == size) else { return [false; 4] };
        let scenes = self.games.iter().map(|game| &game.running).filter(|scene| scene.grid.size() == size);
        let mut was_played = [false; 4];
        for (side, was_played) in was_played.iter_mut().enumerate() {
            let is_at = |cell: Cell| is_at_side(size, side, cell);
            *was_played = scenes.clone().any(|scene| {
                let tiles = || size.cells().zip(&first.looks).zip(&scene.looks);
                let others: BTreeSet<LookId> =
                    tiles().filter(|((cell, _), _)| !is_at(*cell)).filter_map(|(_, look)| *look).collect();
                let is_new = |then: &Option<LookId>, now: &Option<LookId>| {
                    then.is_some() && now.is_some_and(|look| *then != Some(look) && others.contains(&look))
                };
                tiles().any(|((cell, then), now)| is_at(cell) && is_new(then, now))
            });
        }
        was_played
    }

    /// Of each side (left, right, top, bottom) whether all of its tiles stayed hidden in all games, also beside empty tiles, which open what is around
    /// them everywhere else: it is the ground around the board.
    fn never_opens(&self, size: BoardSize) -> [bool; 4] {
        let scenes: Vec<&Scene> =
            self.games.iter().map(|game| &game.running).filter(|scene| scene.grid.size() == size).collect();
        let hidden = |scene: &Scene, cell: Cell| self.is_hidden(scene.looks[size.index(cell)]);
        let sides = |cell: Cell| (0..4).filter(move |side| is_at_side(size, *side, cell));
        // Empty tiles beside hidden ones of each side; open tiles of that; and empty ones beside hidden tiles of no side, or beside none.
        let (mut shut, mut open, mut inside) = ([0; 4], [0; 4], (0, 0));
        for (scene, cell) in scenes.iter().flat_map(|scene| size.cells().map(move |cell| (scene, cell))) {
            let look = scene.looks[size.index(cell)];
            if look.is_some() && !hidden(scene, cell) {
                sides(cell).for_each(|side| open[side] += 1);
            }
            if look.is_none_or(|look| !self.known.zeros.contains(&look)) {
                continue;
            }
            let is_shut = |side: &usize| {
                size.neighbours(cell).any(|other| is_at_side(size, *side, other) && hidden(scene, other))
            };
            (0..4).filter(is_shut).for_each(|side| shut[side] += 1);
            let is_dry = size.neighbours(cell).any(|other| sides(other).next().is_none() && hidden(scene, other));
            if is_dry { inside.0 += 1 } else { inside.1 += 1 }
        }
        let is_told = inside.0 == 0 && inside.1 >= EMPTY;
        [0, 1, 2, 3].map(|side| is_told && open[side] == 0 && shut[side] >= EMPTY)
    }

    /// Gives every picture of a board with so many columns and rows so many more on each side: whole games, for columns may have become wider
    /// while one was played. A picture that ends before these tells nothing any more.
    pub fn resize(&mut self, old: BoardSize, misfit: [i32; 4]) {
        let mut resize = |scene: &mut Scene| -> bool {
            if scene.grid.size() != old {
                return true;
            }
            let Some(grid) = fitted(&scene.grid, misfit) else { return false };
            scene.covered = vec![false; grid.size().tiles()];
            scene.looks = vec![None; grid.size().tiles()];
            scene.grid = grid;
            true
        };
        self.others.retain_mut(&mut resize);
        self.games.retain_mut(|game| {
            let is_of_it = game.running.grid.size() == old;
            if !resize(&mut game.running) || !resize(&mut game.ending) {
                return false;
            }
            if is_of_it {
                let moved = |at: u32, by: i32| (at as i32 + by).max(0) as u32;
                let by = |cell: Cell| Cell::new(moved(cell.x, misfit[0]), moved(cell.y, misfit[2]));
                game.clicked = by(game.clicked);
                game.pressed.iter_mut().for_each(|cell| *cell = by(*cell));
            }
            // A last click beside the board that is left tells nothing.
            let size = game.running.grid.size();
            let is_on_it = |cell: &Cell| cell.x < size.width && cell.y < size.height;
            game.pressed.retain(is_on_it);
            is_on_it(&game.clicked)
        });
    }
}

/// The grid with so many more columns or rows on each side.
pub fn fitted(grid: &Grid, misfit: [i32; 4]) -> Option<Grid> {
    (0..4).try_fold(grid.clone(), |grid, side| with_more(&grid, side, misfit[side]))
}

/// A grid with more or fewer columns or rows on a side (left, right, top, bottom); nothing if too few are left, or it would leave the
/// picture on the left or at the top, but for a line: in a window in the corner of the screen the outermost tiles may be cut off by that.
fn with_more(grid: &Grid, side: usize, by: i32) -> Option<Grid> {
    let way = if side < 2 { Way::Columns } else { Way::Lines };
    let mut edges = grid.edges(way).to_vec();
    let pitch = crate::vision::pitch(&edges);
    for _ in 0..by.unsigned_abs() {
        match (side % 2, by > 0) {
            (0, true) => edges.insert(0, edges[0] - pitch),
            (_, true) => edges.push(edges[edges.len() - 1] + pitch),
            (0, false) => drop(edges.remove(0)),
            (_, false) => drop(edges.pop()),
        }
    }
    if edges[0] >= -f64::from(NUDGE) {
        edges[0] = edges[0].max(0.0);
    }
    (edges.len() as u32 > SMALLEST && edges[0] >= 0.0).then(|| grid.with(way, edges))
}

/// Whether a tile is at a side (left, right, top, bottom) of a board.
fn is_at_side(size: BoardSize, side: usize, cell: Cell) -> bool {
    match side {
        0 => cell.x == 0,
        1 => cell.x + 1 == size.width,
        2 => cell.y == 0,
        _ => cell.y + 1 == size.height,
    }
}

/// The tiles at a side (left, right, top, bottom) of a board.
pub fn at_side(size: BoardSize, side: usize) -> impl Iterator<Item = Cell> {
    size.cells().filter(move |cell| is_at_side(size, side, *cell))
}

/// The looks of the tiles at a side (left, right, top, bottom).
fn strip(looks: &[Option<LookId>], size: BoardSize, side: usize) -> Vec<Option<LookId>> {
    at_side(size, side).map(|cell| looks[size.index(cell)]).collect()
}
