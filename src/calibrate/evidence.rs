//! What was seen of a client that is being learned: pictures of its boards, each with its grid, and what their tiles look like.

use super::meaning::{Game, Known, Meanings};
use crate::board::Tile;
use crate::client::{Anchor, Spot};
use crate::geometry::{BoardSize, Cell, Pixel, Rect};
use crate::vision::looks::{ALIKE, COVERED, LookId, Looks, TINT};
use crate::vision::{Grid, Way};
use image::{GenericImageView, RgbaImage};
use std::collections::{BTreeMap, BTreeSet};

/// [`COVERED`] where something was just taken away from over a board: a loss shows one tile alone that is new, or two.
const STILL_COVERED: usize = 3;
/// Pixels by which a grid may be moved when more of its looks are known: what a line between tiles is wide.
pub const NUDGE: i32 = 3;
/// Share of the tiles of a column or row beyond a board that must be hidden for it to be one of the board's: clients that open
/// something by themselves leave that much.
const HIDDEN: f64 = 0.34;
/// Share of the tiles of a board, or of a column or row of it, that must have a look that is known for it to be one.
pub const FAMILIAR: f64 = 0.9;
/// Share of the looks of an outermost column or row that must be on the rest of the board, too.
const SHARED: f64 = 0.5;
/// The fewest columns and rows of a board.
const SMALLEST: u32 = 4;
/// Columns or rows by which a board may be larger on a side than was first thought.
const FARTHEST: usize = 8;
/// Share of a pitch by which what a click changed may be shorter than whole tiles, and from which on its place moves the grid.
const NEAR: f64 = 0.3;
const BESIDE: f64 = 0.08;
/// Pixels that a thing to be clicked has at least.
const THICK: u32 = 4;
/// How far a board may be moved by what a page shows beside it, in tiles.
const SHIFT: f64 = 3.0;
/// Of so many empty tiles one has nothing covered around it, also where a program forgets the corners.
const FREE: usize = 4;
/// How far tiles of one look may be apart, in grey levels: what is tried in turn.
const MEASURES: [f32; 5] = [ALIKE, 6.0, 8.0, 10.0, 12.0];
/// Grey levels by which one hidden tile may be lighter than another where nothing shines through them: one whose edges lie a little otherwise is.
const EVEN: f32 = 2.0;
/// Grey levels by which a pixel must differ to be changed.
const DIFFERENT: u8 = 8;

/// A picture of a board.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The board and what is around it.
    pub picture: RgbaImage,
    /// Where its tiles are.
    pub grid: Grid,
    /// Tiles over which something lies, row by row.
    pub covered: Vec<bool>,
    /// What every tile looks like; nothing for one that is covered.
    pub looks: Vec<Option<LookId>>,
}

impl Scene {
    /// Whether something lies over a part of the board.
    pub fn is_covered(&self) -> bool {
        self.covered.contains(&true)
    }
}

/// A game that was played to learn.
#[derive(Clone, Debug)]
pub struct Record {
    /// Before the last click that did anything.
    pub running: Scene,
    /// At the end.
    pub ending: Scene,
    /// Where it was clicked last.
    pub clicked: Cell,
    /// All tiles that answered a click.
    pub pressed: Vec<Cell>,
    /// How many clicks did anything.
    pub clicks: usize,
    /// How many tiles the first of them changed.
    pub opened_first: usize,
    /// How many tiles were open before that.
    pub open_at_start: usize,
}

impl Record {
    /// It as looks.
    pub fn game(&self) -> Game {
        let ending = Some((self.ending.looks.clone(), self.clicked));
        Game { size: self.running.grid.size(), running: self.running.looks.clone(), ending }
    }
}

/// A game under way: what its tiles look like, which of them answered a click, and its size.
type UnderWay<'a> = (&'a [Option<LookId>], &'a [Cell], BoardSize);

/// Everything that was seen.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// Grey levels up to which two tiles look alike.
    alike: f32,
    /// Grey levels by which one may be lighter all over than the other.
    lighter: f32,
    /// What tiles look like.
    pub looks: Looks,
    /// What is known of that without counting.
    pub known: Known,
    /// The games so far.
    pub games: Vec<Record>,
    /// Other pictures: untouched boards, and marks.
    pub others: Vec<Scene>,
}

impl Default for Evidence {
    fn default() -> Self {
        let looks = Looks::new(ALIKE);
        Self { alike: ALIKE, lighter: TINT, looks, known: Known::default(), games: Vec::new(), others: Vec::new() }
    }
}

impl Evidence {
    /// What these pictures show.
    pub fn of((alike, lighter): (f32, f32), others: Vec<Scene>, games: Vec<Record>) -> Self {
        let mut evidence = Self { alike, lighter, others, games, ..Self::default() };
        evidence.sort_again(1.0);
        evidence
    }

    /// Width and height of the tiles of its boards, in pixels; nothing before there is one.
    pub fn pitch(&self) -> Option<(f64, f64)> {
        let first = self.others.first().or_else(|| self.games.first().map(|game| &game.running));
        first.map(|scene| scene.grid.pitch())
    }

    /// Grey levels up to which two tiles look alike.
    pub fn alike(&self) -> f32 {
        self.alike
    }

    /// Grey levels by which a tile may be lighter all over than another of its look.
    pub fn lighter(&self) -> f32 {
        self.lighter
    }

    /// The games as looks.
    pub fn as_looks(&self) -> Vec<Game> {
        let doubtful = self.doubtful(None);
        let without =
            |looks: &[Option<LookId>]| looks.iter().map(|look| look.filter(|look| !doubtful.contains(look))).collect();
        let telling = |mut game: Game| {
            game.running = without(&self.telling(&game.running));
            game.ending = game.ending.map(|(looks, at)| (without(&self.telling(&looks)), at));
            game
        };
        self.games.iter().map(Record::game).map(telling).collect()
    }

    /// These looks of a game under way, of which so many tiles answered a click, without those that tell nothing yet.
    pub fn under_way(&self, size: BoardSize, seen: &[Option<LookId>], pressed: &[Cell]) -> Vec<Option<LookId>> {
        let doubtful = self.doubtful(Some((seen, pressed, size)));
        self.telling(seen).into_iter().map(|look| look.filter(|look| !doubtful.contains(look))).collect()
    }

    /// Looks that were on one tile at a time while games were played, and on none that answered a click: they may be open, but also hidden tiles
    /// beside the one that has the keyboard, or below the pointer, which a client may draw otherwise.
    fn doubtful(&self, own: Option<UnderWay>) -> BTreeSet<LookId> {
        let mut most: BTreeMap<LookId, usize> = BTreeMap::new();
        let mut open: BTreeSet<LookId> = BTreeSet::new();
        let games =
            self.games.iter().map(|game| (&game.running.looks[..], &game.pressed[..], game.running.grid.size()));
        // Of the first game nothing is known yet that could be told from others.
        let own = own.filter(|_| !self.games.is_empty());
        for (looks, pressed, size) in games.chain(own) {
            let mut counts: BTreeMap<LookId, usize> = BTreeMap::new();
            for look in looks.iter().flatten() {
                *counts.entry(*look).or_default() += 1;
            }
            for (look, count) in counts {
                let most = most.entry(look).or_default();
                *most = count.max(*most);
            }
            open.extend(pressed.iter().filter_map(|cell| looks.get(size.index(*cell)).copied().flatten()));
        }
        let known = &self.known;
        let is_known = |look: LookId| {
            known.is_covered(Some(look)) || known.zeros.contains(&look) || known.told.contains_key(&look)
        };
        most.retain(|look, most| *most == 1 && !open.contains(look) && !is_known(*look));
        most.into_keys().collect()
    }

    /// These looks of a board without those that were on the first untouched one and on no other of its tiles ever since. They may be numbers of a
    /// game that begins with some, or hidden tiles that look otherwise, as in a last row that is lower: a second board tells.
    fn telling(&self, seen: &[Option<LookId>]) -> Vec<Option<LookId>> {
        let Some(first) = self.others.first() else { return seen.to_vec() };
        let games = self.games.iter().flat_map(|game| [&game.running, &game.ending]);
        let boards = || self.others.iter().chain(games.clone()).map(|scene| &scene.looks[..]).chain([seen]);
        let known = &self.known;
        let is_known = |look: LookId| {
            known.is_covered(Some(look)) || known.zeros.contains(&look) || known.told.contains_key(&look)
        };
        let own: BTreeSet<LookId> = first.looks.iter().flatten().copied().filter(|look| !is_known(*look)).collect();
        let stays = |look: LookId| {
            let is_there =
                |(at, other): (usize, &Option<LookId>)| *other != Some(look) || first.looks.get(at) == Some(other);
            boards().all(|looks| looks.iter().enumerate().all(is_there))
        };
        let doubtful: BTreeSet<LookId> = own.into_iter().filter(|look| stays(*look)).collect();
        seen.iter().map(|look| look.filter(|look| !doubtful.contains(look))).collect()
    }

    /// Tiles that look alike but for how light they are have other looks from now on, where no untouched board needs that; whether that is new.
    pub fn tell_apart(&mut self) -> bool {
        let is_needed = self.lighter == 0.0 || self.tint() > EVEN;
        if !is_needed {
            log::debug!("tiles that are lighter than others are no others by that");
            self.lighter = 0.0;
            self.sort_again(1.0);
        }
        !is_needed
    }

    /// What a picture shows. Looks that are new are kept, but not those of tiles that something lies over: where another window is, or
    /// much is new at once and nothing of it alike.
    pub fn look_at(
        &mut self,
        picture: &RgbaImage,
        grid: &Grid,
        was_covered: bool,
        is_elsewhere: impl FnMut(Cell) -> bool,
    ) -> Scene {
        let covered = self.covered(picture, grid, was_covered, is_elsewhere);
        let looks = self.looks.sort_except(picture, grid, &covered);
        Scene { picture: picture.clone(), grid: grid.clone(), covered, looks }
    }

    fn covered(
        &self,
        picture: &RgbaImage,
        grid: &Grid,
        was_covered: bool,
        mut is_elsewhere: impl FnMut(Cell) -> bool,
    ) -> Vec<bool> {
        let size = grid.size();
        let mut covered = vec![false; size.tiles()];
        if self.looks.count() == 0 {
            return covered;
        }
        let seen = self.looks.recognise(picture, grid);
        let strange: Vec<usize> = (0..seen.len()).filter(|&index| seen[index].is_none()).collect();
        if strange.iter().any(|&index| is_elsewhere(size.cell(index))) {
            covered = size.cells().map(is_elsewhere).collect();
        }
        let strange: Vec<usize> = strange.into_iter().filter(|&index| !covered[index]).collect();
        let most = if was_covered || covered.contains(&true) { STILL_COVERED } else { COVERED };
        let lonely = self.looks.lonely(picture, grid, &strange);
        let elsewhere = covered.iter().filter(|covered| **covered).count();
        log::debug!("{} strange tiles, {lonely} of them alone, {elsewhere} below another window", strange.len());
        // The first opening of all, where no open tile is known, may have many looks: on a backdrop that shines through few of its tiles are alike.
        let was_untouched = |look: LookId| self.others.iter().any(|scene| scene.looks.contains(&Some(look)));
        let is_first = || self.games.is_empty() && (0..self.looks.count()).all(was_untouched);
        if lonely >= most && !is_first() {
            // What a client writes over its own board hangs together: a tile on its own may be the mine that went off.
            let is_its_own = elsewhere == 0;
            let strange: BTreeSet<usize> = strange.into_iter().collect();
            let is_strange = |cell: Cell| strange.contains(&size.index(cell));
            for &index in &strange {
                covered[index] = !is_its_own || size.neighbours(size.cell(index)).any(is_strange);
            }
        }
        covered
    }

    /// Takes out of a picture the open tiles that another one of the same game, after it, shows otherwise: nothing that is open changes, so
    /// these were still being painted. Whether there are any. Where most of all, or of the tiles of one look, are otherwise, the end of the
    /// game painted these anew.
    pub fn settle(&self, scene: &mut Scene, after: &Scene) -> bool {
        let looks = || scene.looks.iter().zip(&after.looks).enumerate();
        let both = looks().filter_map(|(index, (then, now))| Some((index, (*then)?, (*now)?)));
        let open: Vec<_> = both.filter(|(_, then, _)| !self.known.is_covered(Some(*then))).collect();
        let is_repainted = |look: Option<LookId>| {
            let of_it = || open.iter().filter(|(_, then, _)| look.is_none_or(|look| *then == look));
            let changed = of_it().filter(|(_, then, now)| then != now).count();
            changed > 1 && changed * 2 > of_it().count()
        };
        let changed = open.iter().filter(|(_, then, now)| then != now && !is_repainted(Some(*then)));
        let changed: Vec<usize> = changed.map(|(index, _, _)| *index).collect();
        if changed.is_empty() || is_repainted(None) {
            return false;
        }
        log::debug!("{} open tiles were still being painted", changed.len());
        for index in changed {
            (scene.covered[index], scene.looks[index]) = (true, None);
        }
        true
    }

    /// What is seen is an untouched board, or nearly: its commonest look is that of a hidden tile (its two, where they take turns).
    pub fn take_as_untouched(&mut self, scene: Scene) {
        let size = scene.grid.size();
        let mut counts: BTreeMap<LookId, [usize; 2]> = BTreeMap::new();
        for (index, look) in scene.looks.iter().enumerate() {
            let Cell { x, y } = size.cell(index);
            if let Some(look) = look {
                counts.entry(*look).or_default()[((x + y) % 2) as usize] += 1;
            }
        }
        self.others.push(scene);
        let all = |counts: &[usize; 2]| counts[0] + counts[1];
        let Some((&most, first)) = counts.iter().max_by_key(|(_, counts)| all(counts)) else { return };
        self.known.hidden.insert(most);
        // By turns: one on the even places, the other on the odd ones.
        let other = usize::from(first[0] > first[1]);
        let partner = counts.iter().find(|(_, counts)| counts[other] * 3 > size.tiles() && counts[1 - other] == 0);
        if let Some((&partner, _)) = partner
            && first[other] == 0
        {
            self.known.hidden.insert(partner);
        }
        self.take_as_hidden();
    }

    /// A look that is on the same tiles of two untouched boards, and on no other tile in any picture, is that of hidden tiles which look otherwise than the
    /// others from the beginning: in a corner of a round board, or where the pointer left.
    fn take_as_hidden(&mut self) {
        let places = |scene: &Scene, look: LookId| -> Vec<usize> {
            scene.looks.iter().enumerate().filter(|(_, other)| **other == Some(look)).map(|(at, _)| at).collect()
        };
        let Some(last) = self.others.last() else { return };
        let odd: BTreeSet<LookId> = last.looks.iter().flatten().copied().collect();
        let own: Vec<LookId> = odd.into_iter().filter(|look| !self.known.is_covered(Some(*look))).collect();
        let games = self.games.iter().flat_map(|game| [&game.running, &game.ending]);
        let scenes: Vec<&Scene> = self.others.iter().chain(games).collect();
        let is_of_these_tiles = |look: &LookId| {
            let here = places(last, *look);
            let again = self.others.iter().filter(|scene| places(scene, *look) == here).count();
            again > 1 && scenes.iter().all(|scene| places(scene, *look).iter().all(|at| here.contains(at)))
        };
        let found: Vec<LookId> = own.into_iter().filter(is_of_these_tiles).collect();
        self.known.hidden.extend(found);
    }

    /// Whether a look is that of a tile that nobody opened, or a mark on one.
    pub fn is_hidden(&self, look: Option<LookId>) -> bool {
        look.is_some_and(|look| self.known.hidden.contains(&look))
    }

    /// Whether a tile that looks so may be as it was at the beginning: it is hidden, or had this look on the first board, as one at the rim may.
    pub fn was_there_first(&self, index: usize, look: Option<LookId>) -> bool {
        let first = || self.others.first().and_then(|scene| scene.looks.get(index).copied().flatten());
        self.is_hidden(look) || look.is_some() && first() == look
    }

    /// Whether looks are those of a new game, after one that showed `before` while it was played: most is hidden, and much of what was
    /// open is so again.
    pub fn is_anew(&self, looks: &[Option<LookId>], before: Option<&Scene>) -> bool {
        let hidden = looks.iter().filter(|look| self.is_hidden(**look)).count();
        if 2 * hidden > looks.len() && looks.iter().enumerate().all(|(index, look)| self.was_there_first(index, *look))
        {
            return true;
        }
        let Some(before) = before.filter(|before| before.looks.len() == looks.len()) else { return false };
        let was_open = |index: &usize| before.looks[*index].is_some_and(|look| !self.known.is_covered(Some(look)));
        let open: Vec<usize> = (0..looks.len()).filter(was_open).collect();
        let again = open.iter().filter(|&&index| self.is_hidden(looks[index])).count();
        hidden * 2 > looks.len() && again > 0 && again * 3 >= open.len()
    }

    /// The grid moved to where its tiles have the fewest looks: before anything is open a line may belong to the tile on either side of
    /// it. Nothing where it is best already. Tiles at the rim have other lines beside them, and say nothing of that.
    pub fn nudged(&self, picture: &RgbaImage, grid: &Grid) -> Option<(f64, f64)> {
        let inner = |edges: &[f64]| edges[1..edges.len() - 1].to_vec();
        let has_inner = grid.size().width.min(grid.size().height) > SMALLEST;
        let grid =
            &if has_inner { Grid { columns: inner(&grid.columns), lines: inner(&grid.lines) } } else { grid.clone() };
        let looks = |grid: &Grid| {
            let mut looks = Looks::new(self.alike).with_tint(self.lighter);
            let nothing = looks.sort(picture, grid).iter().filter(|look| look.is_none()).count();
            looks.count() + nothing
        };
        let mut best = (looks(grid), 0, (0, 0));
        for (x, y) in (-NUDGE..=NUDGE).flat_map(|x| (-NUDGE..=NUDGE).map(move |y| (x, y))) {
            let found = (looks(&grid.moved(f64::from(x), f64::from(y))), x.abs() + y.abs());
            if found < (best.0, best.1) {
                best = (found.0, found.1, (x, y));
            }
        }
        (best.1 > 0).then_some((f64::from(best.2.0), f64::from(best.2.1)))
    }

    /// How far the grid of a hardly touched board is off on each side: columns or rows that are the board's but not in the grid, or
    /// (below 0) the other way round, which no game ever changed. Left, right, top, bottom.
    pub fn misfit(&self, picture: &RgbaImage, grid: &Grid) -> [i32; 4] {
        let was_played = self.was_played(grid.size());
        let mut grid = grid.clone();
        let mut misfit = [0; 4];
        for (side, by) in misfit.iter_mut().enumerate() {
            let is_last = side % 2 == 1;
            let way = if side < 2 { Way::Columns } else { Way::Lines };
            while *by < FARTHEST as i32 {
                let Some(larger) = resized(&grid, side, 1) else { break };
                let looks = strip(&self.looks.recognise(picture, &larger), larger.size(), way, is_last);
                let share = |count: usize| count as f64 / looks.len() as f64;
                let hidden = looks.iter().filter(|look| self.is_hidden(**look)).count();
                let known = looks.iter().flatten().count();
                if share(hidden) < HIDDEN || share(known) < FAMILIAR {
                    break;
                }
                (grid, *by) = (larger, *by + 1);
            }
            while *by <= 0 && *by > -(FARTHEST as i32) {
                let all = self.looks.recognise(picture, &grid);
                let looks = strip(&all, grid.size(), way, is_last);
                let Some(smaller) = resized(&grid, side, -1) else { break };
                let rest = self.looks.recognise(picture, &smaller);
                let shared = looks.iter().filter(|look| look.is_some() && rest.contains(look)).count();
                let is_strange = looks.iter().all(|look| !self.is_hidden(*look));
                let is_played = *by == 0 && was_played[side];
                if !is_strange || is_played || shared as f64 >= SHARED * looks.len() as f64 {
                    break;
                }
                (grid, *by) = (smaller, *by - 1);
            }
        }
        misfit
    }

    /// Of each side (left, right, top, bottom) whether a tile at it had, in a game, a look that it had not on the untouched board and that others
    /// have which are not at that side: it is a tile, however it looks.
    fn was_played(&self, size: BoardSize) -> [bool; 4] {
        let Some(first) = self.others.first().filter(|scene| scene.grid.size() == size) else { return [false; 4] };
        let scenes = self.games.iter().map(|game| &game.running).filter(|scene| scene.grid.size() == size);
        let mut was_played = [false; 4];
        for (side, was_played) in was_played.iter_mut().enumerate() {
            let is_at = |cell: Cell| match side {
                0 => cell.x == 0,
                1 => cell.x + 1 == size.width,
                2 => cell.y == 0,
                _ => cell.y + 1 == size.height,
            };
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

    /// By how many grey levels one hidden tile is lighter all over than another: where tiles are translucent, by what lies behind them.
    pub fn tint(&self) -> f32 {
        let Some(scene) = self.others.first() else { return 0.0 };
        let size = scene.grid.size();
        let lightness = |index: usize| {
            let Rect { left, top, width, height } = scene.grid.tile(size.cell(index));
            let tile = image::imageops::crop_imm(&scene.picture, left, top, width, height);
            let sum: u32 = tile
                .pixels()
                .map(|(_, _, pixel)| pixel.0[..3].iter().map(|&value| u32::from(value)).sum::<u32>())
                .sum();
            sum as f32 / (3 * width * height).max(1) as f32
        };
        let range = |look: &LookId| {
            let all = (0..size.tiles()).filter(|&index| scene.looks[index] == Some(*look)).map(lightness);
            let (least, most) =
                all.fold((f32::INFINITY, f32::NEG_INFINITY), |(a, b), value| (a.min(value), b.max(value)));
            (most - least).max(0.0)
        };
        self.known.hidden.iter().map(range).fold(0.0, f32::max)
    }

    /// Moves the grid of every picture that has this one.
    pub fn shift(&mut self, old: &Grid, (x, y): (f64, f64)) {
        let Evidence { games, others, .. } = self;
        let scenes = games.iter_mut().flat_map(|game| [&mut game.running, &mut game.ending]).chain(others);
        for scene in scenes.filter(|scene| scene.grid == *old) {
            scene.grid = scene.grid.moved(x, y);
        }
    }

    /// How far tiles of one look may be apart: on an untouched board all have one (or two by turns), however what lies behind them
    /// shines through. What was sorted before is to be sorted again then.
    pub fn measure(&mut self, picture: &RgbaImage, grid: &Grid) {
        let is_one = |alike: &f32| hidden_share(picture, grid, *alike) >= FAMILIAR;
        let alike = MEASURES.into_iter().find(is_one).unwrap_or(ALIKE);
        log::debug!("tiles up to {alike} grey levels apart look alike");
        self.alike = alike;
    }

    /// The grid of an untouched board where most of its tiles look alike, changed as little as can be: those at its rim do not where the lines
    /// between tiles were given to the wrong side, or the line around the board to them.
    pub fn evened(&self, picture: &RgbaImage, grid: &Grid) -> Grid {
        let share = |grid: &Grid| hidden_share(picture, grid, ALIKE);
        let mut ways: Vec<(i32, i32)> = (-NUDGE..=NUDGE).flat_map(|x| (-NUDGE..=NUDGE).map(move |y| (x, y))).collect();
        ways.sort_by_key(|(x, y)| x * x + y * y);
        let regular = regular(grid);
        let mut best = (share(grid), grid.clone());
        for (x, y) in ways {
            if best.0 == 1.0 {
                break;
            }
            let moved = regular.moved(f64::from(x), f64::from(y));
            let share = share(&moved);
            if share > best.0 {
                best = (share, moved);
            }
        }
        // The last column or row may be a little narrower than all others: what is beside the board is none of it.
        for (way, is_last) in Way::BOTH.into_iter().flat_map(|way| [(way, false), (way, true)]) {
            for by in 1..=NUDGE {
                let mut edges = best.1.edges(way).to_vec();
                let (at, by) = if is_last { (edges.len() - 1, -f64::from(by)) } else { (0, f64::from(by)) };
                edges[at] += by;
                let trimmed = best.1.with(way, edges);
                let share = share(&trimmed);
                if share > best.0 {
                    best = (share, trimmed);
                    break;
                }
            }
        }
        best.1
    }

    /// The empty tiles that have hidden ones beside them.
    pub fn dry(&self, scene: &Scene, meanings: &Meanings) -> Vec<Cell> {
        let (looks, size) = (&scene.looks, scene.grid.size());
        let is_empty = |look: LookId| meanings.of.get(&look).is_some_and(|meaning| meaning.tile == Tile::Open(0));
        let is_beside_hidden =
            |cell: &Cell| size.neighbours(*cell).any(|other| self.is_hidden(looks[size.index(other)]));
        size.cells().filter(|&cell| looks[size.index(cell)].is_some_and(is_empty)).filter(is_beside_hidden).collect()
    }

    /// Whether tiles of different open looks, and each time more than one of each, look like empty ones at the end: pale figures are one look with
    /// these, then.
    pub fn numbers_turned_empty(&self) -> bool {
        let mut turned: BTreeMap<LookId, usize> = BTreeMap::new();
        for (was, is) in self.games.iter().flat_map(|game| game.running.looks.iter().zip(&game.ending.looks)) {
            if let (Some(was), Some(is)) = (was, is)
                && was != is
                && self.known.zeros.contains(is)
                && !self.known.zeros.contains(was)
                && !self.known.is_covered(Some(*was))
            {
                *turned.entry(*was).or_default() += 1;
            }
        }
        turned.values().filter(|count| **count > 1).count() > 1
    }

    /// How many tiles of all games were not opened before the last click.
    pub fn covered_tiles(&self) -> usize {
        let looks = self.games.iter().flat_map(|game| &game.running.looks);
        looks.filter(|look| self.known.is_covered(**look)).count()
    }

    /// Sorts all pictures anew, with so many times the measure of what looks alike, or other grids; what is known without counting is carried
    /// over to the looks that the same tiles have now.
    pub fn sort_again(&mut self, measure: f32) {
        let alike = self.alike * measure;
        let old = std::mem::replace(&mut self.looks, Looks::new(alike).with_tint(self.lighter));
        let Evidence { looks, games, others, known, .. } = self;
        let mut called: BTreeMap<LookId, BTreeMap<LookId, usize>> = BTreeMap::new();
        let scenes = games.iter_mut().flat_map(|game| [&mut game.running, &mut game.ending]);
        for scene in others.iter_mut().chain(scenes) {
            let now = looks.sort_except(&scene.picture, &scene.grid, &scene.covered);
            for (then, now) in scene.looks.iter().zip(&now).filter_map(|(then, now)| Some(((*then)?, (*now)?))) {
                *called.entry(then).or_default().entry(now).or_default() += 1;
            }
            scene.looks = now;
        }
        // What most of its tiles are called now, and whatever else many are; where its tiles are others now, what its pictures are.
        let mut now_of = |look: &LookId| -> Vec<LookId> {
            let now = called.remove(look).unwrap_or_default();
            let all: usize = now.values().sum();
            let mut now: Vec<LookId> =
                now.into_iter().filter(|(_, count)| count * 5 >= all).map(|(look, _)| look).collect();
            if now.is_empty() {
                now = old.pictures(*look).filter_map(|picture| looks.find(picture)).collect();
                now.sort_unstable();
                now.dedup();
            }
            now
        };
        let all: BTreeSet<LookId> = known
            .hidden
            .iter()
            .chain(&known.zeros)
            .chain(known.marks.keys())
            .chain(known.told.keys())
            .chain(&known.mute)
            .chain(&known.aside)
            .chain(&known.mines)
            .copied()
            .collect();
        let now: BTreeMap<LookId, Vec<LookId>> = all.iter().map(|look| (*look, now_of(look))).collect();
        let named = |look: &LookId| now[look].iter().copied();
        *known = Known {
            hidden: known.hidden.iter().flat_map(named).collect(),
            zeros: known.zeros.iter().flat_map(named).collect(),
            marks: known.marks.iter().flat_map(|(look, tile)| named(look).map(|look| (look, *tile))).collect(),
            told: known.told.iter().flat_map(|(look, tile)| named(look).map(|look| (look, *tile))).collect(),
            mute: known.mute.iter().flat_map(named).collect(),
            aside: known.aside.iter().flat_map(named).collect(),
            mines: known.mines.iter().flat_map(named).collect(),
            taken: known.taken.clone(),
        };
        self.drop_numbers();
    }

    /// Takes this for the last game, whatever numbers its looks had when it was seen: to sort again changes them.
    pub fn replace_last(&mut self, mut game: Record) {
        for scene in [&mut game.running, &mut game.ending] {
            scene.looks = self.looks.sort_except(&scene.picture, &scene.grid, &scene.covered);
        }
        if let Some(last) = self.games.last_mut() {
            *last = game;
        }
        self.sort_again(1.0);
    }

    /// What was sorted as an empty tile may be a number now, or with one: around that something always stays covered, its mines.
    fn drop_numbers(&mut self) {
        let Evidence { games, known, .. } = self;
        let mut places: BTreeMap<LookId, (usize, usize)> = BTreeMap::new();
        for Record { running, .. } in games.iter() {
            let size = running.grid.size();
            let is_free = |cell: Cell| {
                let around = size.neighbours(cell).map(|other| running.looks[size.index(other)]);
                around.into_iter().all(|look| look.is_some() && !known.is_covered(look))
            };
            for (index, look) in running.looks.iter().enumerate().filter_map(|(at, look)| Some((at, (*look)?))) {
                let (all, free) = places.entry(look).or_default();
                *all += 1;
                *free += usize::from(is_free(size.cell(index)));
            }
        }
        known.zeros.retain(|look| places.get(look).is_none_or(|(all, free)| free * FREE >= *all));
    }

    /// Whether a look is on one open tile of a game at most, and on none that was opened by a click.
    pub fn is_single(&self, look: LookId) -> bool {
        self.games.iter().all(|game| {
            let places = game.running.looks.iter().filter(|other| **other == Some(look)).count();
            let at = game.running.grid.size().index(game.clicked);
            places <= 1 && game.ending.looks[at] != Some(look)
        })
    }
}

/// Share of the tiles of an untouched board that look hidden if tiles up to so many grey levels apart look alike.
pub fn hidden_share(picture: &RgbaImage, grid: &Grid, alike: f32) -> f64 {
    let mut evidence = Evidence { looks: Looks::new(alike), ..Evidence::default() };
    let scene = evidence.look_at(picture, grid, false, |_| false);
    evidence.take_as_untouched(scene);
    let scene = &evidence.others[0];
    let hidden = scene.looks.iter().filter(|look| evidence.is_hidden(**look)).count();
    hidden as f64 / scene.looks.len() as f64
}

/// The grid with its outermost columns and rows as wide as all others, where these are all of one width and those nearly so.
fn regular(grid: &Grid) -> Grid {
    let mut grid = grid.clone();
    for way in Way::BOTH {
        let edges = grid.edges_mut(way);
        let last = edges.len() - 1;
        if last < SMALLEST as usize {
            continue;
        }
        let width = edges[2] - edges[1];
        let is_even = edges[1..last].windows(2).all(|pair| pair[1] - pair[0] == width);
        let is_near = |edge: f64, other: f64| (edge - other).abs() <= f64::from(NUDGE);
        let (first, end) = (edges[1] - width, edges[last - 1] + width);
        if is_even && is_near(first, edges[0]) && is_near(end, edges[last]) && first >= 0.0 {
            (edges[0], edges[last]) = (first, end);
        }
    }
    grid
}

/// The grid with so many more columns or rows on each side.
pub fn fitted(grid: &Grid, misfit: [i32; 4]) -> Option<Grid> {
    (0..4).try_fold(grid.clone(), |grid, side| resized(&grid, side, misfit[side]))
}

/// A grid with more or fewer columns or rows on a side (left, right, top, bottom); nothing if too few are left, or it would leave the
/// picture on the left or at the top.
fn resized(grid: &Grid, side: usize, by: i32) -> Option<Grid> {
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
    (edges.len() as u32 > SMALLEST && edges[0] >= 0.0).then(|| grid.with(way, edges))
}

/// The looks of the first or last column or row.
fn strip(looks: &[Option<LookId>], size: BoardSize, way: Way, is_last: bool) -> Vec<Option<LookId>> {
    let is_of = |cell: Cell| match (way, is_last) {
        (Way::Columns, false) => cell.x == 0,
        (Way::Columns, true) => cell.x + 1 == size.width,
        (Way::Lines, false) => cell.y == 0,
        (Way::Lines, true) => cell.y + 1 == size.height,
    };
    size.cells().zip(looks).filter(|(cell, _)| is_of(*cell)).map(|(_, look)| *look).collect()
}

/// How far a grid lies beside the tiles that a click changed, across and down: these begin and end where tiles do, or as far from
/// there on either side. Nothing where it does not.
pub fn beside(before: &RgbaImage, after: &RgbaImage, grid: &Grid) -> Option<(f64, f64)> {
    let (area, (across, down)) = (grid.around(before.dimensions(), 1.0), grid.pitch());
    let mut changed: Option<[u32; 4]> = None;
    for (x, y) in (0..area.height).flat_map(|y| (0..area.width).map(move |x| (area.left + x, area.top + y))) {
        let (Some(then), Some(now)) = (before.get_pixel_checked(x, y), after.get_pixel_checked(x, y)) else { continue };
        // What is farther out than half a tile is something else.
        let is_near = (x as f64) > grid.columns[0] - across / 2.0
            && (x as f64) < grid.columns[grid.columns.len() - 1] + across / 2.0
            && (y as f64) > grid.lines[0] - down / 2.0
            && (y as f64) < grid.lines[grid.lines.len() - 1] + down / 2.0;
        if is_near && then.0.iter().zip(&now.0).any(|(then, now)| then.abs_diff(*now) > DIFFERENT) {
            let known = changed.get_or_insert([x, y, x, y]);
            *known = [known[0].min(x), known[1].min(y), known[2].max(x), known[3].max(y)];
        }
    }
    let [left, top, right, bottom] = changed?;
    let off = |way: Way, from: u32, to: u32| {
        let edges = grid.edges(way);
        let pitch = crate::vision::pitch(edges);
        // Beyond the nearest edge, in pitches, -0.5 to 0.5: half a tile is as far on one side as on the other.
        let beyond = |at: f64| {
            let edge = edges.iter().min_by(|a, b| (at - **a).abs().total_cmp(&(at - **b).abs()));
            edge.map_or(0.0, |edge| (at - edge) / pitch)
        };
        let (before, after) = (beyond(f64::from(from)), beyond(f64::from(to) + 1.0));
        let apart = (after - before) - (after - before).round();
        let by = before + apart / 2.0;
        let by = by - by.round();
        // A figure alone, on a tile that stays as it was, is no tile.
        let is_whole = f64::from(to + 1 - from) >= (1.0 - NEAR) * pitch;
        (is_whole && apart.abs() < NEAR && by.abs() > BESIDE).then_some((by * pitch).round())
    };
    let by = (off(Way::Columns, left, right), off(Way::Lines, top, bottom));
    (by.0.is_some() || by.1.is_some()).then(|| (-by.0.unwrap_or(0.0), -by.1.unwrap_or(0.0)))
}

/// What lies outside of a board and differs between two pictures of it: the boxes around it, in pixels, at most as large as four tiles,
/// the nearest to the middle of the board first.
pub fn changed_around(before: &RgbaImage, after: &RgbaImage, grid: &Grid) -> Vec<Rect> {
    let bounds = grid.bounds();
    let (across, down) = grid.pitch();
    let differs = |x: u32, y: u32| {
        !bounds.contains(Pixel { x: f64::from(x), y: f64::from(y) }) && before.get_pixel(x, y) != after.get_pixel(x, y)
    };
    let (width, height) = (before.width().min(after.width()), before.height().min(after.height()));
    let mut boxes: Vec<[u32; 4]> = Vec::new();
    for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).filter(|&(x, y)| differs(x, y)) {
        let near = |[left, top, right, bottom]: &[u32; 4]| {
            x + 4 >= *left && x <= right + 4 && y + 4 >= *top && y <= bottom + 4
        };
        match boxes.iter_mut().find(|place| near(place)) {
            Some(place) => *place = [place[0].min(x), place[1].min(y), place[2].max(x), place[3].max(y)],
            None => boxes.push([x, y, x, y]),
        }
    }
    let rects = boxes.into_iter().map(|[left, top, right, bottom]| Rect {
        left,
        top,
        width: right - left + 1,
        height: bottom - top + 1,
    });
    let most = (4.0 * across.max(down)).max(60.0);
    let mut rects: Vec<Rect> = rects.filter(|rect| f64::from(rect.width.max(rect.height)) <= most).collect();
    let middle = f64::from(bounds.left) + f64::from(bounds.width) / 2.0;
    // A pixel beside the board is the edge of a tile.
    rects.retain(|rect| rect.width.min(rect.height) >= THICK);
    rects.sort_by(|a, b| (a.center().x - middle).abs().total_cmp(&(b.center().x - middle).abs()));
    rects
}

/// By how much a board has moved from one picture to another, down or across, if most of its tiles are as they were there, pixel for pixel, and
/// not where they were: a page that says how a game ended moves what is above and below.
pub fn shifted(before: &RgbaImage, after: &RgbaImage, grid: &Grid) -> Option<(f64, f64)> {
    let (size, (across, down)) = (grid.size(), grid.pitch());
    let is_same = |Rect { left, top, width, height }: Rect, (x, y): (i64, i64)| {
        let there = |at: u32, by: i64| u32::try_from(i64::from(at) + by).ok();
        let pixel = |at: (u32, u32)| after.get_pixel_checked(there(at.0, x)?, there(at.1, y)?);
        let mut all = (top..top + height).flat_map(|y| (left..left + width).map(move |x| (x, y)));
        all.all(|at| before.get_pixel_checked(at.0, at.1).is_some_and(|then| pixel(at) == Some(then)))
    };
    let count = |by: (i64, i64)| size.cells().filter(|cell| is_same(grid.tile(*cell), by)).count();
    if 2 * count((0, 0)) > size.tiles() {
        return None;
    }
    let (wide, high) = ((SHIFT * across) as i64, (SHIFT * down) as i64);
    let ways = (1..=wide.max(high)).flat_map(|by| [(0, by), (0, -by), (by, 0), (-by, 0)]);
    let near = ways.filter(|(x, y)| x.abs() <= wide && y.abs() <= high);
    let (x, y) = near.into_iter().find(|by| 2 * count(*by) > size.tiles())?;
    Some((x as f64, y as f64))
}

/// Whether most of what is around a board, within a tile of it, differs between two pictures: something lies over all of it, as the shade
/// that a page puts over itself behind a question.
pub fn is_shaded(before: &RgbaImage, after: &RgbaImage, grid: &Grid) -> bool {
    let bounds = grid.bounds();
    let ring = grid.around(after.dimensions(), 1.0);
    if before.dimensions() != after.dimensions() {
        return false;
    }
    let rows = ring.top..ring.top + ring.height;
    let around = rows.flat_map(|y| (ring.left..ring.left + ring.width).map(move |x| (x, y)));
    let around = around.filter(|&(x, y)| !bounds.contains(Pixel { x: f64::from(x), y: f64::from(y) }));
    let (all, other) = around.fold((0, 0), |(all, other), (x, y)| {
        (all + 1, other + usize::from(before.get_pixel(x, y) != after.get_pixel(x, y)))
    });
    2 * other > all
}

/// A place relative to the board: from the nearest of its corners and middles, in pixels, as controls stand still when a board has more
/// tiles.
pub fn spot(grid: &Grid, at: Pixel) -> Spot {
    let anchors = [Anchor::Top, Anchor::TopLeft, Anchor::TopRight, Anchor::Bottom, Anchor::Left, Anchor::Right];
    let from = |anchor: Anchor| grid.spot(Spot { from: anchor, tiles: [0.0; 2], pixels: [0.0; 2] });
    let far = |anchor: &Anchor| (from(*anchor).x - at.x).hypot(from(*anchor).y - at.y);
    let anchor = anchors.into_iter().min_by(|a, b| far(a).total_cmp(&far(b))).unwrap_or(Anchor::Top);
    let corner = from(anchor);
    let (across, down) = grid.pitch();
    Spot {
        from: anchor,
        tiles: [(at.x - corner.x) / across, (at.y - corner.y) / down].map(|tiles| (tiles * 100.0).round() / 100.0),
        pixels: [0.0; 2],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgba;

    const SIDE: u32 = 12;

    /// A board of tiles with frames and, where they have a number above 0, bars of its height in its colour.
    fn board(rows: &str, colour: [u8; 3], at: (u32, u32)) -> (RgbaImage, Grid) {
        let rows: Vec<Vec<u32>> =
            rows.split_whitespace().map(|row| row.chars().filter_map(|tile| tile.to_digit(16)).collect()).collect();
        let (width, height) = (rows[0].len() as u32, rows.len() as u32);
        let picture = RgbaImage::from_fn(width * SIDE + 20, height * SIDE + 20, |x, y| {
            let place = (x.wrapping_sub(10), y.wrapping_sub(10));
            let tile = rows.get((place.1 / SIDE) as usize).and_then(|row| row.get((place.0 / SIDE) as usize));
            let (x, y) = (place.0 % SIDE, place.1 % SIDE);
            let [red, green, blue] = match tile {
                None => [240; 3],
                Some(_) if [0, SIDE - 1].contains(&x) || [0, SIDE - 1].contains(&y) => [110; 3],
                Some(15) => [170; 3],
                Some(number) if *number > 0 && (3..6).contains(&x) && y >= 2 && y < 2 + 2 * number => colour,
                Some(_) => [225; 3],
            };
            Rgba([red, green, blue, 255])
        });
        let edges = |from: u32, count: u32| (0..=count).map(|edge| f64::from(from + edge * SIDE)).collect();
        (picture, Grid { columns: edges(at.0, width), lines: edges(at.1, height) })
    }

    #[test]
    fn numbers_that_turn_grey_at_the_end_were_painted_before() {
        let (then, grid) = board("ffff 1122 0010 0000", [0, 0, 200], (10, 10));
        let (late, _) = board("ffff 1022 0010 0000", [0, 0, 200], (10, 10));
        let (grey, _) = board("ffff 1122 0010 0000", [150; 3], (10, 10));
        for (before, after, removed) in [(&then, &grey, 0), (&late, &then, 1), (&then, &then, 0)] {
            let mut evidence = Evidence::default();
            let hidden = evidence.look_at(&board("ffff ffff ffff ffff", [0; 3], (10, 10)).0, &grid, false, |_| false);
            evidence.take_as_untouched(hidden);
            let [mut running, ending] =
                [before, after].map(|picture| evidence.look_at(picture, &grid, false, |_| false));
            assert_eq!(evidence.settle(&mut running, &ending), removed > 0);
            assert_eq!(running.looks.iter().filter(|look| look.is_none()).count(), removed);
        }
    }

    #[test]
    fn what_stood_on_an_untouched_board_alone_tells_nothing() {
        // Hidden tiles of a last row look otherwise: no number can be told from them before a second board.
        let (untouched, grid) = board("ffff ffff ffff 4444", [90, 0, 0], (10, 10));
        let (played, _) = board("ffff f1ff ffff 4444", [90, 0, 0], (10, 10));
        let (open, _) = board("ffff f14f ffff 4444", [90, 0, 0], (10, 10));
        let mut evidence = Evidence::default();
        let mut see = |picture: &RgbaImage, is_untouched: bool| {
            let scene = evidence.look_at(picture, &grid, false, |_| false);
            let telling = evidence.telling(&scene.looks);
            if is_untouched {
                evidence.take_as_untouched(scene);
            }
            telling.iter().filter(|look| look.is_none()).count()
        };
        see(&untouched, true);
        assert_eq!(see(&played, false), 4);
        assert_eq!(see(&open, false), 0, "it is on another tile, too");
        see(&untouched, true);
        assert_eq!(see(&played, false), 0, "it is known to be hidden");
        assert_eq!(evidence.known.hidden.len(), 2);
    }

    #[test]
    fn a_row_that_looks_otherwise_is_of_the_board_once_it_was_played() {
        // Tiles of the first row begin with another line than the others.
        let see = |first: &str| board(&format!("{first} ffff ffff ffff ffff"), [90, 0, 0], (10, 10));
        let (untouched, grid) = see("4444");
        let misfit = |played: Option<&str>| {
            let mut evidence = Evidence::default();
            let scene = evidence.look_at(&untouched, &grid, false, |_| false);
            evidence.take_as_untouched(scene);
            if let Some(played) = played {
                let (picture, _) = board(played, [90, 0, 0], (10, 10));
                let scene = evidence.look_at(&picture, &grid, false, |_| false);
                let (clicked, clicks, opened_first, open_at_start) = (Cell::new(0, 0), 1, 2, 0);
                let (running, ending) = (scene.clone(), scene);
                evidence.games.push(Record {
                    running,
                    ending,
                    clicked,
                    pressed: vec![clicked],
                    clicks,
                    opened_first,
                    open_at_start,
                });
            }
            evidence.misfit(&untouched, &grid)
        };
        assert_eq!(misfit(None), [0, 0, -1, 0]);
        assert_eq!(misfit(Some("4444 ffff f1ff ffff ffff")), [0, 0, -1, 0], "nothing of it answered");
        assert_eq!(misfit(Some("4144 f1ff ffff ffff ffff")), [0; 4]);
    }

    #[test]
    fn a_game_in_which_rows_became_lower_is_resized_as_a_whole() {
        let (picture, grid) = board("ffff ffff ffff ffff ffff", [0; 3], (10, 10));
        let mut lower = grid.clone();
        lower.lines.iter_mut().skip(3).for_each(|edge| *edge -= 1.0);
        let mut evidence = Evidence::default();
        let [running, ending] = [&grid, &lower].map(|grid| evidence.look_at(&picture, grid, false, |_| false));
        evidence.take_as_untouched(running.clone());
        let clicked = Cell::new(1, 1);
        evidence.games.push(Record {
            running,
            ending,
            clicked,
            pressed: vec![clicked],
            clicks: 1,
            opened_first: 1,
            open_at_start: 0,
        });
        evidence.resize(grid.size(), [0, 0, 0, -1]);
        evidence.sort_again(1.0);
        let game = &evidence.games[0];
        assert_eq!((game.running.looks.len(), game.ending.looks.len(), game.clicked), (16, 16, clicked));
        evidence.resize(BoardSize::new(4, 4), [0, 0, -3, 0]);
        assert!(evidence.games.is_empty() && evidence.others.is_empty(), "too few rows for a board are left");
    }

    #[test]
    fn a_first_opening_of_many_looks_is_not_covered() {
        let see = |has_opened: bool| {
            let (picture, grid) = board("ffffffff 11223344 55667700 80808080", [0, 0, 200], (10, 10));
            let (untouched, _) = board("ffffffff ffffffff ffffffff ffffffff", [0; 3], (10, 10));
            // A backdrop that shines through: some tiles are like no other.
            let picture = RgbaImage::from_fn(picture.width(), picture.height(), |x, y| {
                let (column, row) = (x.wrapping_sub(10) / SIDE, y.wrapping_sub(10) / SIDE);
                let is_lit = (1..4).contains(&row) && column < 7 && (column + row) % 2 == 0;
                let less = |channel: u32| if is_lit { 9 * ((column + 8 * row) * channel % 13) as u8 } else { 0 };
                let [red, green, blue, alpha] = picture.get_pixel(x, y).0;
                let [red, green, blue] =
                    [(red, 5), (green, 7), (blue, 11)].map(|(value, by)| value.saturating_sub(less(by)));
                Rgba([red, green, blue, alpha])
            });
            let mut evidence = Evidence::default();
            let scene = evidence.look_at(&untouched, &grid, false, |_| false);
            evidence.take_as_untouched(scene);
            if has_opened {
                let (opened, _) = board("ffffffff ffffffff ffffffff 0fffffff", [0; 3], (10, 10));
                evidence.look_at(&opened, &grid, false, |_| false);
            }
            evidence.look_at(&picture, &grid, false, |_| false).covered.iter().filter(|covered| **covered).count()
        };
        assert_eq!(see(false), 0);
        assert!(see(true) > 0, "what comes later may lie over the board");
    }

    #[test]
    fn a_mark_stays_what_it_is_where_the_last_game_is_replaced() {
        let mut evidence = Evidence::default();
        let (untouched, grid) = board("ffff ffff ffff ffff", [0, 0, 200], (10, 10));
        let see = |evidence: &mut Evidence, rows: &str| {
            evidence.look_at(&board(rows, [0, 0, 200], (10, 10)).0, &grid, false, |_| false)
        };
        let scene = evidence.look_at(&untouched, &grid, false, |_| false);
        evidence.take_as_untouched(scene);
        let marked = see(&mut evidence, "ffff ffff ffff fff4");
        let mark = marked.looks[15].unwrap();
        evidence.others.push(marked);
        evidence.known.marks.insert(mark, Tile::Flag);
        let (running, ending) = (see(&mut evidence, "1111 1111 ffff ffff"), see(&mut evidence, "1111 1111 1fff ffff"));
        let (clicked, clicks, opened_first, open_at_start) = (Cell::new(0, 2), 2, 8, 0);
        let mut game = Record { running, ending, clicked, pressed: vec![clicked], clicks, opened_first, open_at_start };
        evidence.games.push(game.clone());
        // As if its looks had been counted otherwise when it was seen.
        let open = game.running.looks[0];
        for look in game.running.looks.iter_mut().chain(&mut game.ending.looks).filter(|look| **look == open) {
            *look = Some(mark);
        }
        evidence.replace_last(game);
        let is_now = evidence.others.last().unwrap().looks[15].unwrap();
        assert_eq!(evidence.known.marks.keys().copied().collect::<Vec<_>>(), [is_now]);
        assert_ne!(evidence.games[0].running.looks[0], Some(is_now));
    }

    #[test]
    fn an_open_tile_that_is_but_lighter_is_told_apart() {
        let grey = |light: u8| {
            RgbaImage::from_fn(68, 68, |x, y| {
                let is_line = x < 10 || y < 10 || (x - 10) % SIDE == 0 || (y - 10) % SIDE == 0;
                let light = if is_line {
                    110
                } else if x < 34 && y < 34 {
                    light
                } else {
                    241
                };
                Rgba([light, light, light, 255])
            })
        };
        let (_, grid) = board("ffff ffff ffff ffff", [0; 3], (10, 10));
        let mut evidence = Evidence::default();
        let scene = evidence.look_at(&grey(241), &grid, false, |_| false);
        evidence.take_as_untouched(scene);
        let is_hidden = |evidence: &mut Evidence| {
            let looks = evidence.look_at(&grey(249), &grid, false, |_| false).looks;
            evidence.is_hidden(looks[0])
        };
        assert!(is_hidden(&mut evidence), "it may be what shines through");
        assert!(evidence.tell_apart());
        assert!(!is_hidden(&mut evidence));
        assert!(!evidence.tell_apart(), "once is enough");
    }

    #[test]
    fn a_grid_beside_its_tiles_is_moved_to_where_all_look_alike() {
        let rows = ["ffffffff"; 8].join(" ");
        let (picture, truth) = board(&rows, [0; 3], (10, 10));
        for at in [(10, 10), (9, 9), (12, 10)] {
            let (_, grid) = board(&rows, [0; 3], at);
            assert_eq!(Evidence::default().evened(&picture, &grid), truth, "{at:?}");
        }
        for (which, by) in [(0, 1.0), (0, -2.0), (8, -1.0), (8, 2.0)] {
            let mut grid = truth.clone();
            grid.columns[which] += by;
            assert_eq!(Evidence::default().evened(&picture, &grid), truth, "column {which} by {by}");
        }
    }

    #[test]
    fn a_frame_that_reaches_into_the_last_column_is_none_of_it() {
        let edges = || (0..=10).map(|edge| f64::from(40 * edge + 20)).collect();
        let grid = Grid { columns: edges(), lines: edges() };
        let picture = RgbaImage::from_fn(460, 460, |x, y| {
            let is_inside = |at: u32| (20..419).contains(&at);
            let light = 170 + 20 * (((x.wrapping_sub(20)) / 40 + (y.wrapping_sub(20)) / 40) % 2) as u8;
            Rgba(if is_inside(x) && is_inside(y) { [light, light, light, 255] } else { [0, 128, 0, 255] })
        });
        let found = Evidence::default().evened(&picture, &grid);
        assert_eq!((found.columns[10], found.lines[10]), (419.0, 419.0), "{found:?}");
        assert_eq!((found.columns[..10].to_vec(), found.lines[0]), (grid.columns[..10].to_vec(), 20.0));
    }

    #[test]
    fn a_figure_that_comes_up_on_a_tile_does_not_move_the_grid() {
        let (before, grid) = board("ffff ffff ffff ffff", [0; 3], (10, 10));
        let mut after = before.clone();
        // Less than a third of a tile, on the line of its middle.
        for (x, y) in (33..36).flat_map(|x| (28..31).map(move |y| (x, y))) {
            after.put_pixel(x, y, Rgba([0, 0, 0, 255]));
        }
        assert_eq!(beside(&before, &after, &grid), None);
        let (open, _) = board("ffff f1ff ffff ffff", [0; 3], (10, 10));
        assert_eq!(beside(&before, &open, &grid.moved(3.0, 0.0)), Some((-3.0, 0.0)));
    }

    #[test]
    fn a_board_that_a_page_has_moved_is_followed() {
        let edges = |from: u32| (0..=8).map(|edge| f64::from(from + 30 * edge)).collect();
        let grid = |top: u32| Grid { columns: edges(60), lines: edges(top) };
        // Numbers as bars of their length; the first so many tiles are open.
        let board = |top: u32, open: u32| {
            RgbaImage::from_fn(400, 420, |x, y| {
                let (x, y) = (x.wrapping_sub(60), y.wrapping_sub(top));
                if x >= 240 || y >= 240 {
                    return image::Rgba([90, 90, 90, 255]);
                }
                let tile = y / 30 * 8 + x / 30;
                let is_line = x % 30 == 0 || y % 30 == 0;
                let is_bar = tile < open && (10..14).contains(&(y % 30)) && (4..6 + tile % 5 * 4).contains(&(x % 30));
                let light = match (is_line || is_bar, tile < open) {
                    (true, _) => 40,
                    (_, true) => 230,
                    _ => 170,
                };
                image::Rgba([light, light, light, 255])
            })
        };
        assert_eq!(shifted(&board(100, 50), &board(121, 51), &grid(100)), Some((0.0, 21.0)));
        assert_eq!(shifted(&board(140, 50), &board(121, 50), &grid(140)), Some((0.0, -19.0)));
        assert_eq!(shifted(&board(100, 50), &board(100, 55), &grid(100)), None);
        assert_eq!(shifted(&board(100, 0), &board(100, 60), &grid(100)), None, "a flood");
        assert_eq!(shifted(&board(100, 60), &board(100, 0), &grid(100)), None, "a new game");
    }
}
