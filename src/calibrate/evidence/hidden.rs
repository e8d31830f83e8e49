//! What hidden tiles look like, told by untouched boards.

use super::{Evidence, Scene};
use crate::geometry::{Cell, Rect};
use crate::vision::unknown::looks::LookId;
use image::GenericImageView;
use std::collections::{BTreeMap, BTreeSet};

/// Of so many tiles of a board one at least is hidden when a game begins.
const FEW: usize = 8;
/// Tiles that may look otherwise because the pointer was there, at most.
const LEFT: usize = 2;
/// Tiles of an opening at least: it has an empty one, and those around that in a corner.
const OPENING: usize = 4;

impl Evidence {
    /// What is seen is an untouched board, or nearly: its commonest look is that of a hidden tile (its two, where they take turns), unless it has
    /// hidden tiles that are known: it may begin with an opening.
    pub fn take_as_untouched(&mut self, scene: Scene) {
        let size = scene.grid.size();
        let mut counts: BTreeMap<LookId, [usize; 2]> = BTreeMap::new();
        for (index, look) in scene.looks.iter().enumerate() {
            let Cell { x, y } = size.cell(index);
            if let Some(look) = look {
                counts.entry(*look).or_default()[((x + y) % 2) as usize] += 1;
            }
        }
        let known = scene.looks.iter().filter(|look| self.is_hidden(**look)).count();
        self.others.push(scene);
        if known * FEW >= size.tiles() {
            self.take_as_hidden();
            return;
        }
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

    /// A look that all tiles along some sides of the untouched board which was seen last have, and no others, is that of hidden tiles, too: the line around a
    /// board is not what lies between its tiles.
    pub fn take_sides_as_hidden(&mut self) {
        let Some(scene) = self.others.last() else { return };
        let size = scene.grid.size();
        let end = |at: u32, length: u32| (at == 0, at + 1 == length);
        let inner = (false, false);
        let mut parts: BTreeMap<_, BTreeSet<Option<LookId>>> = BTreeMap::new();
        for (index, look) in scene.looks.iter().enumerate() {
            let Cell { x, y } = size.cell(index);
            parts.entry((end(x, size.width), end(y, size.height))).or_default().insert(*look);
        }
        let is_of_a_side = |look: &LookId| {
            let shown = || parts.iter().filter(|(_, looks)| looks.contains(&Some(*look)));
            shown().all(|(part, looks)| *part != (inner, inner) && looks.len() == 1)
                && shown().any(|((across, down), _)| *across == inner || *down == inner)
        };
        let looks: BTreeSet<LookId> = scene.looks.iter().flatten().copied().collect();
        let found: Vec<LookId> = looks.into_iter().filter(is_of_a_side).collect();
        self.known.hidden.extend(found);
    }

    /// What was taken for hidden tiles answers no click: it is what a game that begins with an opening shows of that, and the commonest of the other
    /// looks is that of hidden tiles, but for those that were tried. Whether there is one.
    pub fn take_next_as_hidden(&mut self, tried: &mut BTreeSet<LookId>) -> bool {
        tried.extend(&self.known.hidden);
        let Some(first) = self.others.first() else { return false };
        let mut counts: BTreeMap<LookId, usize> = BTreeMap::new();
        for look in first.looks.iter().flatten().filter(|look| !tried.contains(look)) {
            *counts.entry(*look).or_default() += 1;
        }
        let next = counts.into_iter().max_by_key(|(_, count)| *count);
        let Some((next, _)) = next.filter(|(_, count)| count * FEW >= first.looks.len()) else { return false };
        self.known.hidden = [next].into();
        true
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
        // What lies where an untouched board was hidden as elsewhere came over it, but for what the pointer left behind.
        let alike = |scene: &&Scene| scene.grid.size() == last.grid.size();
        let was_plain = |at: &usize| self.others.iter().filter(alike).any(|scene| self.is_hidden(scene.looks[*at]));
        let came = |look: &LookId| places(last, *look).iter().filter(|at| was_plain(at)).count();
        let is_pointer = found.iter().map(came).sum::<usize>() <= LEFT;
        let found: Vec<LookId> = found.into_iter().filter(|look| is_pointer || came(look) == 0).collect();
        self.known.hidden.extend(found);
    }

    /// Whether a look is that of a tile that nobody opened, without a mark.
    pub fn is_hidden(&self, look: Option<LookId>) -> bool {
        look.is_some_and(|look| self.known.hidden.contains(&look))
    }

    /// Whether a tile that looks so may be as it was at the beginning: it is hidden, or had this look on the first board, as one at the rim may.
    pub fn was_there_first(&self, index: usize, look: Option<LookId>) -> bool {
        let first = || self.others.first().and_then(|scene| scene.looks.get(index).copied().flatten());
        self.is_hidden(look) || look.is_some() && first() == look
    }

    /// Whether looks are those of a new game, after one that showed `before` while it was played, and in which this tile was clicked last: most is
    /// hidden, and much of what was open is so again; or that tile is, and others that were hidden are open, as where a game begins with an opening.
    pub fn is_anew(&self, looks: &[Option<LookId>], before: Option<(&Scene, Option<Cell>)>) -> bool {
        let hidden = looks.iter().filter(|look| self.is_hidden(**look)).count();
        if 2 * hidden > looks.len() && looks.iter().enumerate().all(|(index, look)| self.was_there_first(index, *look))
        {
            return true;
        }
        let Some((before, clicked)) = before.filter(|(before, _)| before.looks.len() == looks.len()) else {
            return false;
        };
        // Where nothing at one of its sides is known the board has another size, and lies elsewhere.
        let size = before.grid.size();
        let is_strange = |cell: Cell| looks[size.index(cell)].is_none();
        let is_beside = |x: u32| (0..size.height).all(|y| is_strange(Cell::new(x, y)));
        let is_above = |y: u32| (0..size.width).all(|x| is_strange(Cell::new(x, y)));
        if [0, size.width - 1].into_iter().any(is_beside) || [0, size.height - 1].into_iter().any(is_above) {
            return false;
        }
        let is_open = |look: Option<LookId>| look.is_some() && !self.known.is_covered(look);
        let open: Vec<usize> = (0..looks.len()).filter(|&index| is_open(before.looks[index])).collect();
        let again = open.iter().filter(|&&index| self.is_hidden(looks[index])).count();
        let is_again = again > 0 && again * 3 >= open.len();
        // An opening hangs together; mines that show lie here and there.
        let came_up = |index: usize| self.is_hidden(before.looks[index]) && is_open(looks[index]);
        let came_up: Vec<bool> = (0..looks.len()).map(came_up).collect();
        let is_opening = came_up.iter().position(|came_up| *came_up).is_some_and(|first| {
            let count = came_up.iter().filter(|came_up| **came_up).count();
            count >= OPENING && size.hang_together(&came_up, size.cell(first))
        });
        let is_other = clicked.is_some_and(|cell| self.is_hidden(looks[size.index(cell)])) && is_opening;
        hidden * 2 > looks.len() && (is_again || is_other)
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
}
