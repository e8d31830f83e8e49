//! Tiles of a client that nobody described → groups of tiles that look alike, without any names for them.

use crate::geometry::{Cell, Rect};
use crate::screenshot::lines;
use crate::vision::grid::Grid;
use crate::vision::kept::{is_uneven, redrawn};
use crate::vision::tile::look::{Look, Seen, squares};
use crate::vision::tile::patch::{self, Patch, SIDE, VALUES, whole};
use crate::vision::tile::tiles::{TileId, Tiles};
use image::{RgbaImage, imageops};
use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

/// Which of the [`Looks`] a tile has: their index, in the order in which they were first seen.
pub type LookId = usize;

/// How much lighter or darker all over a tile may be than another of the same look, in grey levels: where tiles are translucent, by
/// what lies behind them (10 in the client that was measured).
pub const TINT: f32 = 10.0;
/// Root of the mean squared difference, in grey levels, after the best shift, up to which two tiles look alike. To take one look for
/// two costs some more games until both are understood; to take two for one is a contradiction. The faintest digits known (those of
/// an xterm of 12 points, dark blue on black) differ by 9.
pub const ALIKE: f32 = 4.5;
/// The same between a tile and one of another size, whose border may lie a pixel elsewhere: flat ones of a Tk client, which differ from its raised
/// ones by a faint border only, are 11 apart from these.
const REDRAWN: f32 = 1.5 * ALIKE;
/// Parts of a patch beside which a figure lies.
const BESIDE: usize = 3;
/// Share of the contrast of a figure by which another may differ from it, and the fewest grey levels of that, where tiles of one look are drawn alike.
/// Digits of 8 pixels, grey on tiles of 72 x 32, differ by 0.35 of theirs and more, the same one by nothing (PyQt, Fusion).
const FIGURE: f32 = 0.25;
const FAINT: f32 = 1.5;
/// Pixels in the middle of a tile that differ, and by how many grey levels, from which it has changed, however large it is: digits of 8 pixels on tiles
/// of 138 x 82 are 3.2 to 3.8 of all grey levels away from tiles without.
const FEW: usize = 6;
const STRONG: u8 = 60;
/// Grey levels by which a pixel must differ there.
const DIFFERENT: u8 = 8;
/// New looks that come up at once, each on one tile only: something lies over the board. Ten numbers, mines and wrong flags never
/// come up together.
pub const COVERED: usize = 7;
/// Pictures kept of a look: some clients draw it a little differently from place to place.
const KEPT: usize = 6;
/// Tiles that differ less than this from a picture that is kept tell nothing new.
const SAME: f32 = 2.0;
/// Pixels by which a tile is of another size than a picture: at a fractional pitch tiles differ by one.
const ANOTHER_SIZE: u32 = 2;
/// Beyond so many looks it is no board that is looked at.
const MOST: usize = 60;

/// What tiles of one picture are nearest to, by which of them they are.
type Met = HashMap<TileId, Option<(LookId, f32)>>;

/// The looks that were seen, and pictures of each.
#[derive(Clone, Debug)]
pub struct Looks {
    alike: f32,
    tint: f32,
    fine: bool,
    rim: u32,
    /// Whether columns or rows were seen to grow.
    pub grows: bool,
    looks: Vec<Vec<(Look, RgbaImage)>>,
}

impl Looks {
    /// None yet. Tiles up to `alike` grey levels apart ([`ALIKE`]) have one look.
    pub fn new(alike: f32) -> Self {
        Self { alike, tint: TINT, fine: false, rim: 0, grows: false, looks: Vec::new() }
    }

    /// The same where tiles of one look are drawn alike, so that those with small or pale figures can be told apart, which differ by less than
    /// tiles of one look do in other clients.
    pub fn finely(self, fine: bool) -> Self {
        Self { fine, ..self }
    }

    /// The same with another measure of what looks alike.
    pub fn with_alike(self, alike: f32) -> Self {
        Self { alike, ..self }
    }

    /// The same where a tile may be so much lighter or darker all over than another of its look.
    pub fn with_tint(self, tint: f32) -> Self {
        Self { tint, ..self }
    }

    /// The same where so many pixels at every side of a tile say nothing: lines between tiles of 22.4 pixels are one pixel wide, or two, and where
    /// a tile is 22 wide they are another one's.
    pub fn within(self, rim: u32) -> Self {
        Self { rim, ..self }
    }

    /// The same where columns or rows grow by what is written in some of their tiles, and the others may keep their size.
    pub fn growing(self, grows: bool) -> Self {
        Self { grows, ..self }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.looks.len()
    }

    /// Pictures of one, the first that was seen first.
    pub fn pictures(&self, look: LookId) -> impl Iterator<Item = &RgbaImage> {
        self.looks[look].iter().map(|(_, picture)| picture)
    }

    /// Pictures of all.
    pub fn all_pictures(&self) -> impl Iterator<Item = &RgbaImage> {
        self.looks.iter().flatten().map(|(_, picture)| picture)
    }

    /// What every tile of a grid looks like, row by row; what was never seen before is a look of its own from now on. Nothing for a
    /// tile that is not wholly in the picture, or where there are more looks than a board can have.
    pub fn sort(&mut self, picture: &RgbaImage, grid: &Grid) -> Vec<Option<LookId>> {
        self.sort_except(picture, grid, &[])
    }

    /// The same of a board of which something lies over some tiles: those are not looked at, and have no look.
    pub fn sort_except(&mut self, picture: &RgbaImage, grid: &Grid, covered: &[bool]) -> Vec<Option<LookId>> {
        let (tiles, size) = (Tiles::new(picture), grid.size());
        let is_covered = |cell: Cell| covered.get(size.index(cell)).is_some_and(|covered| *covered);
        let mut met = HashMap::new();
        let mut look_of = |cell| self.look_of(&tiles, grid, cell, &mut met);
        size.cells().map(|cell| if is_covered(cell) { None } else { look_of(cell) }).collect()
    }

    /// The same without learning: only looks that are known.
    pub fn recognise(&self, picture: &RgbaImage, grid: &Grid) -> Vec<Option<LookId>> {
        let (tiles, mut met) = (Tiles::new(picture), HashMap::new());
        let known = |cell| {
            let (look, far) = self.nearest(&tiles, grid, cell, &mut met)?;
            (far <= self.alike).then_some(look)
        };
        grid.size().cells().map(known).collect()
    }

    /// The look of a picture of a single tile.
    pub fn find(&self, tile: &RgbaImage) -> Option<LookId> {
        self.recognise(tile, &Grid::only(tile.dimensions()))[0]
    }

    /// Has the look of a picture of a single tile known from now on.
    pub fn add(&mut self, tile: &RgbaImage) {
        self.sort(tile, &Grid::only(tile.dimensions()));
    }

    /// How far two looks are apart, in grey levels.
    pub fn apart(&self, one: LookId, other: LookId) -> f32 {
        self.pairs(one, other).map(|(one, other)| one.apart(&other.seen)).fold(f32::INFINITY, f32::min)
    }

    /// All pictures of one look, each with all of another.
    fn pairs(&self, one: LookId, other: LookId) -> impl Iterator<Item = (&Look, &Look)> {
        self.looks[one].iter().flat_map(move |(one, _)| self.looks[other].iter().map(move |(other, _)| (one, other)))
    }

    /// Whether two looks differ by their borders only.
    pub fn are_alike_inside(&self, one: LookId, other: LookId) -> bool {
        self.pairs(one, other).any(|(one, other)| middles_apart(&one.seen, &other.seen) <= self.alike)
    }

    /// The look that is nearest to a tile of another size inside of their borders, if one is as near as the same tile is when it is drawn anew.
    pub fn find_inside(&self, tile: &RgbaImage) -> Option<LookId> {
        let patch = whole(tile);
        let apart = |looks: &Vec<(Look, RgbaImage)>| {
            looks.iter().map(|(look, _)| middles_apart(&look.seen, &patch)).fold(f32::INFINITY, f32::min)
        };
        let nearest = self.looks.iter().map(apart).enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
        nearest.filter(|(_, apart)| *apart <= REDRAWN).map(|(look, _)| look)
    }

    /// How many of these tiles look like no other of them. Where looks are known, what only a figure in its middle tells from one, or from others
    /// that are alike, is no such tile: it has their border.
    pub fn lonely(&self, picture: &RgbaImage, grid: &Grid, among: &[usize]) -> usize {
        let (tiles, size) = (Tiles::new(picture), grid.size());
        let look =
            |&index: &usize| self.with_cell(&tiles, grid, size.cell(index), |patch| Look::unnamed(**patch, self.tint));
        let looks: Vec<Look> = among.iter().filter_map(look).collect();
        let is_alike = |a: &Look, b: &Look| a.apart(&b.seen) <= self.alike;
        let has_twin =
            |index: usize| (0..looks.len()).any(|other| other != index && is_alike(&looks[index], &looks[other]));
        let (twins, alone): (Vec<usize>, Vec<usize>) = (0..looks.len()).partition(|&index| has_twin(index));
        let known = self.looks.iter().flatten().map(|(look, _)| look);
        let twins = twins.iter().filter(|_| self.count() > 0).map(|&index| &looks[index]);
        let borders: Vec<&Look> = known.chain(twins).collect();
        let is_framed = |look: &Look| borders.iter().any(|other| rims_apart(&look.seen, &other.seen) <= self.alike);
        alone.into_iter().filter(|&index| !is_framed(&looks[index])).count()
    }

    /// What `look` makes of what counts of a tile.
    fn with_cell<T>(&self, tiles: &Tiles, grid: &Grid, cell: Cell, look: impl FnOnce(&Seen) -> T) -> Option<T> {
        let (across, down) = self.inside(grid, cell);
        tiles.with(across, down, look)
    }

    /// The first and last edge of what counts of a tile, across and down.
    fn inside(&self, grid: &Grid, cell: Cell) -> ((f64, f64), (f64, f64)) {
        let rim = f64::from(self.rim);
        let inside = |edges: &[f64], at: u32| (edges[at as usize] + rim, edges[at as usize + 1] - rim);
        (inside(&grid.columns, cell.x), inside(&grid.lines, cell.y))
    }

    fn look_of(&mut self, tiles: &Tiles, grid: &Grid, cell: Cell, met: &mut Met) -> Option<LookId> {
        let look = self.nearest(tiles, grid, cell, met).filter(|(_, far)| *far <= self.alike);
        let tells_nothing = |(index, far): (LookId, f32)| {
            self.looks[index].len() >= KEPT || far <= SAME && !self.is_of_new_size(tiles, grid, cell, index)
        };
        if look.is_some_and(tells_nothing) {
            return look.map(|(look, _)| look);
        }
        if look.is_none() && self.looks.len() >= MOST {
            return None;
        }
        let pixels = pixels(tiles.picture, grid, cell);
        let known = self.with_cell(tiles, grid, cell, |patch| Look::unnamed(**patch, self.tint))?;
        let index = look.map_or(self.looks.len(), |(look, _)| look);
        if index == self.looks.len() {
            self.looks.push(Vec::new());
        }
        self.looks[index].push((known, pixels));
        // Another picture may be nearer to what was met before.
        met.clear();
        Some(index)
    }

    /// Whether a tile of a look has another size than all pictures of it. One that only lies within a larger tile has not.
    fn is_of_new_size(&self, tiles: &Tiles, grid: &Grid, cell: Cell, look: LookId) -> bool {
        let Rect { width, height, .. } = grid.tile(cell);
        let is_other = |picture: &RgbaImage| {
            picture.width().abs_diff(width) >= ANOTHER_SIZE || picture.height().abs_diff(height) >= ANOTHER_SIZE
        };
        self.grows
            && self.pictures(look).all(is_other)
            && self.compared(tiles, grid, cell).is_some_and(|(_, far)| far <= SAME)
    }

    /// The look that is nearest to a tile and how far it is, in grey levels. Tiles that show the same are looked at once. Where columns or rows have
    /// grown a tile may have kept its size.
    fn nearest(&self, tiles: &Tiles, grid: &Grid, cell: Cell, met: &mut Met) -> Option<(LookId, f32)> {
        let (across, down) = self.inside(grid, cell);
        let which = tiles.which(across, down)?;
        *met.entry(which).or_insert_with(|| {
            let whole = self.compared(tiles, grid, cell)?;
            let sizes = if self.grows && whole.1 > SAME && is_uneven(grid) { self.sizes() } else { BTreeSet::new() };
            let others = sizes.into_iter().flat_map(|size| redrawn(tiles.picture, grid, cell, size));
            let others = others
                .filter_map(|tile| self.compared(&Tiles::new(&tile), &Grid::only(tile.dimensions()), Cell::new(0, 0)));
            others.chain([whole]).min_by(|a, b| a.1.total_cmp(&b.1))
        })
    }

    /// The sizes of the pictures, in pixels.
    fn sizes(&self) -> BTreeSet<(u32, u32)> {
        self.all_pictures().map(RgbaImage::dimensions).collect()
    }

    fn compared(&self, tiles: &Tiles, grid: &Grid, cell: Cell) -> Option<(LookId, f32)> {
        let tile = OnceCell::new();
        let tile = || tile.get_or_init(|| pixels(tiles.picture, grid, cell));
        let is_whole = grid.is_whole(cell);
        let nearest = |seen: &Seen| {
            let mut nearest: Option<(LookId, f32)> = None;
            let all =
                self.looks.iter().enumerate().flat_map(|(index, kept)| kept.iter().map(move |kept| (index, kept)));
            for (index, (look, picture)) in all {
                // No shift and stretch brings it nearer than that; most looks are far, and that is seen at once.
                let is_farther = |far: f32| nearest.is_some_and(|(_, best)| far.sqrt() - look.most > best);
                if is_farther(look.least(seen)) {
                    continue;
                }
                let far = look.distance(seen);
                if is_farther(far) {
                    continue;
                }
                let mut apart = look.aligned(far, seen).sqrt();
                if self.fine && apart <= self.alike {
                    let figures = match is_whole {
                        true => figures_apart_closely(picture, tile()),
                        false => figures_apart(&look.seen, seen, BESIDE..SIDE - BESIDE),
                    };
                    apart = apart.max(figures * self.alike);
                }
                if nearest.is_none_or(|(_, best)| apart < best) {
                    nearest = Some((index, apart));
                }
            }
            nearest
        };
        self.with_cell(tiles, grid, cell, nearest)?
    }
}

/// A tile as it is on a picture.
fn pixels(picture: &RgbaImage, grid: &Grid, cell: Cell) -> RgbaImage {
    let Rect { left, top, width, height } = grid.tile(cell);
    imageops::crop_imm(picture, left, top, width, height).to_image()
}

/// Root of the mean squared difference between what is inside of the borders of two tiles.
fn middles_apart(one: &Patch, other: &Patch) -> f32 {
    let middle = BESIDE..SIDE - BESIDE;
    let parts = middle.clone().flat_map(|y| middle.clone().map(move |x| 3 * (y * SIDE + x)));
    let squares = parts.flat_map(|at| at..at + 3).map(|at| f32::from(one[at] - other[at]).powi(2));
    let (count, sum) = squares.fold((0.0, 0.0), |(count, sum), square| (count + 1.0, sum + square));
    (sum / f32::max(count, 1.0)).sqrt()
}

/// How far the figures in these columns and rows of two tiles are apart: above 1 they are two. How light they are all over says nothing.
fn figures_apart(one: &Patch, other: &Patch, within: Range<usize>) -> f32 {
    let deviation = |value: &dyn Fn(usize) -> f32| {
        let of_channel = |channel: usize| {
            let parts = within.clone().flat_map(|y| within.clone().map(move |x| 3 * (y * SIDE + x) + channel));
            let (count, sum, squares) = parts.fold((0.0, 0.0, 0.0), |(count, sum, squares), at| {
                let value = value(at);
                (count + 1.0, sum + value, squares + value * value)
            });
            squares / count - (sum / count) * (sum / count)
        };
        ((0..3).map(of_channel).sum::<f32>() / 3.0).max(0.0).sqrt()
    };
    let contrast = deviation(&|at| f32::from(one[at])).min(deviation(&|at| f32::from(other[at])));
    deviation(&|at| f32::from(one[at] - other[at])) / (FIGURE * contrast).max(FAINT)
}

/// The same by where the middles of two tiles differ, and half as much on every side of that: a figure counts there as it does on a tile that is twice
/// as large, however large its own is. One that is a little larger than the other has more at one of its sides.
fn figures_apart_closely(one: &RgbaImage, other: &RgbaImage) -> f32 {
    let least = |length: fn(&RgbaImage) -> u32| length(one).min(length(other));
    let (width, height) = (least(RgbaImage::width), least(RgbaImage::height));
    let ends = [(false, false), (true, false), (false, true), (true, true)].into_iter();
    let apart = |(right, bottom): (bool, bool)| {
        let corners = [one, other].map(|tile| {
            let left = if right { tile.width() - width } else { 0 };
            let top = if bottom { tile.height() - height } else { 0 };
            (left, top)
        });
        let Some(Rect { left, top, width, height }) = differing([one, other], corners, (width, height)) else {
            return 0.0;
        };
        let part = |tile: &RgbaImage, (x, y): (u32, u32)| {
            whole(&imageops::crop_imm(tile, x + left, y + top, width, height).to_image())
        };
        figures_apart(&part(one, corners[0]), &part(other, corners[1]), 0..SIDE)
    };
    let count = if one.dimensions() == other.dimensions() { 1 } else { 4 };
    ends.take(count).map(apart).fold(f32::INFINITY, f32::min)
}

/// Whether a tile and what is beside it are the same on two pictures, to the pixel.
fn shows_the_same(before: &RgbaImage, after: &RgbaImage, Rect { left, top, width, height }: Rect) -> bool {
    let part = Rect { left: left.saturating_sub(1), top: top.saturating_sub(1), width: width + 2, height: height + 2 };
    before.dimensions() == after.dimensions() && lines(before, part).eq(lines(after, part))
}

/// Whether the middle of a tile shows something small that stands out, and did not before, or the other way round.
fn has_another_figure(before: &RgbaImage, after: &RgbaImage, Rect { left, top, width, height }: Rect) -> bool {
    let beside = |length: u32| length * BESIDE as u32 / SIDE as u32;
    let (across, down) = (beside(width)..width - beside(width), beside(height)..height - beside(height));
    let mut places = down.flat_map(|y| across.clone().map(move |x| (left + x, top + y)));
    let differs = |(x, y): &(u32, u32)| {
        let both = before.get_pixel_checked(*x, *y).zip(after.get_pixel_checked(*x, *y));
        both.is_some_and(|(was, is)| was.0.into_iter().zip(is.0).any(|(was, is)| was.abs_diff(is) >= STRONG))
    };
    places.by_ref().filter(differs).nth(FEW - 1).is_some()
}

/// Where the middles of parts of two tiles differ, which begin at these corners and have one size, and half as much on every side of that; in the parts.
fn differing(tiles: [&RgbaImage; 2], corners: [(u32, u32); 2], (width, height): (u32, u32)) -> Option<Rect> {
    let middle = |length: u32| {
        let beside = length * BESIDE as u32 / SIDE as u32;
        beside..length - beside
    };
    let (across, down) = (middle(width), middle(height));
    let (mut columns, mut rows) = (None::<(u32, u32)>, None::<(u32, u32)>);
    let part = |(left, top): (u32, u32)| Rect {
        left: left + across.start,
        top: top + down.start,
        width: across.end - across.start,
        height: down.end - down.start,
    };
    let pairs = lines(tiles[0], part(corners[0])).zip(lines(tiles[1], part(corners[1])));
    for (y, (one, other)) in down.clone().zip(pairs) {
        let (Some(one), Some(other)) = (one, other) else { continue };
        if one == other {
            continue;
        }
        let pixels = one.as_chunks::<4>().0.iter().zip(other.as_chunks::<4>().0);
        let differs =
            |(one, other): (&[u8; 4], &[u8; 4])| one.iter().zip(other).any(|(a, b)| a.abs_diff(*b) > DIFFERENT);
        for (x, _) in across.clone().zip(pixels).filter(|(_, pair)| differs(*pair)) {
            columns = Some(columns.map_or((x, x), |(first, last)| (first.min(x), last.max(x))));
            rows = Some(rows.map_or((y, y), |(first, _)| (first, y)));
        }
    }
    let place = |all: &Range<u32>, (first, last): (u32, u32)| {
        let around = (last + 1 - first).div_ceil(2);
        let first = first.saturating_sub(around).max(all.start);
        (first, (last + 1 + around).min(all.end) - first)
    };
    let ((left, width), (top, height)) = (place(&across, columns?), place(&down, rows?));
    Some(Rect { left, top, width, height })
}

/// Root of the mean squared difference between the outermost parts of two tiles.
fn rims_apart(one: &Patch, other: &Patch) -> f32 {
    let is_rim = |part: usize| [part / SIDE, part % SIDE].iter().any(|&at| at == 0 || at == SIDE - 1);
    let rim = (0..SIDE * SIDE).filter(|&part| is_rim(part)).flat_map(|part| 3 * part..3 * part + 3);
    let (count, sum) = rim.fold((0, 0.0), |(count, sum), at| (count + 1, sum + f32::from(one[at] - other[at]).powi(2)));
    (sum / count as f32).sqrt()
}

/// Which tiles of a board differ between two pictures, each with the grid that it has there, row by row: more than two of one look do. What has
/// another size than before was drawn anew, and its border may lie a pixel elsewhere.
pub fn changed((before, was): (&RgbaImage, &Grid), (after, is): (&RgbaImage, &Grid)) -> Vec<bool> {
    let (then, now) = (Tiles::new(before), Tiles::new(after));
    let differs = |cell| {
        if was == is && shows_the_same(before, after, is.tile(cell)) {
            return false;
        }
        let far = |old: &Seen, new: &Seen| {
            if was == is {
                (squares(&**old, &**new) as f32 / VALUES as f32).sqrt()
            } else {
                Look::unnamed(**old, 0.0).apart(new)
            }
        };
        let least = if was == is { ALIKE } else { REDRAWN };
        let whole = then.with_cell(was, cell, |old| now.with_cell(is, cell, |new| far(old, new))).flatten();
        // In a column that has grown, or shrunk, it may be as it was but for its size.
        let size = |grid: &Grid| (grid.tile(cell).width, grid.tile(cell).height);
        let is_near = |tile: &RgbaImage, tiles: &Tiles, grid: &Grid| {
            let drawn = patch::whole(tile);
            let apart = tiles.with_cell(grid, cell, |seen| Look::unnamed(drawn, 0.0).apart(seen));
            apart.is_some_and(|apart| apart <= least)
        };
        let grown = || redrawn(after, is, cell, size(was)).iter().any(|tile| is_near(tile, &then, was));
        let shrunk = || redrawn(before, was, cell, size(is)).iter().any(|tile| is_near(tile, &now, is));
        let is_far = whole.is_some_and(|far| far > least && (was == is || !grown() && !shrunk()));
        is_far || was == is && has_another_figure(before, after, is.tile(cell))
    };
    is.size().cells().map(differs).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgba;

    /// Tiles of 20 pixels: raised ones, and flat ones with a bar as long as a number.
    fn picture(numbers: &[[u32; 4]; 3]) -> RgbaImage {
        RgbaImage::from_fn(80, 60, |x, y| {
            let number = numbers[(y / 20) as usize][(x / 20) as usize];
            let (x, y) = (x % 20, y % 20);
            let light = match (number, x.min(y), x.max(y)) {
                (0, 0..2, _) => 250,
                (0, _, 18..) => 90,
                (1.., 6..14, 6..14) if x < 7 + number => 20,
                _ => 190,
            };
            Rgba([light, light, light, 255])
        })
    }

    fn grid() -> Grid {
        Grid {
            columns: (0..=4).map(|x| f64::from(x * 20)).collect(),
            lines: (0..=3).map(|y| f64::from(y * 20)).collect(),
        }
    }

    #[test]
    fn tiles_that_look_alike_are_one_look_and_others_are_not() {
        let numbers = [[0, 0, 1, 2], [0, 3, 2, 1], [0, 1, 0, 3]];
        let looks = Looks::new(ALIKE).sort(&picture(&numbers), &grid());
        let numbers = numbers.as_flattened();
        for (a, b) in (0..12).flat_map(|a| (0..12).map(move |b| (a, b))) {
            assert_eq!(numbers[a] == numbers[b], looks[a] == looks[b], "{a} {b}: {looks:?}");
        }
    }

    #[test]
    fn tiles_that_differ_by_their_borders_are_alike_inside() {
        let raised = picture(&[[0; 4]; 3]);
        let mut looks = Looks::new(ALIKE);
        looks.sort(&picture(&[[0, 1, 2, 0], [0; 4], [0; 4]]), &grid());
        // A line around a tile with the figure of another.
        let mut lined = picture(&[[1; 4]; 3]);
        for at in 0..20 {
            for (x, y) in [(at, 0), (at, 19), (0, at), (19, at)] {
                lined.put_pixel(x, y, Rgba([0, 255, 0, 255]));
            }
        }
        let found = looks.sort(&lined, &grid());
        let (green, plain) = (found[0].unwrap(), found[1].unwrap());
        assert!(green != plain && looks.are_alike_inside(green, plain));
        let two = looks.sort(&picture(&[[2; 4]; 3]), &grid())[0].unwrap();
        assert!(!looks.are_alike_inside(green, two));
        assert!(looks.recognise(&raised, &grid())[0].is_some_and(|hidden| !looks.are_alike_inside(hidden, two)));
    }

    #[test]
    fn what_is_not_known_is_only_learned_by_sorting() {
        let mut looks = Looks::new(ALIKE);
        looks.sort(&picture(&[[0; 4]; 3]), &grid());
        assert_eq!(looks.count(), 1);
        let seen = looks.recognise(&picture(&[[0, 0, 0, 5], [0; 4], [0; 4]]), &grid());
        assert_eq!((seen[3], seen[4], looks.count()), (None, Some(0), 1));
    }

    #[test]
    fn a_tile_has_changed_if_another_look_is_on_it() {
        let (before, after) = (picture(&[[0; 4]; 3]), picture(&[[0, 1, 0, 0], [0; 4], [0; 4]]));
        let changed = changed((&before, &grid()), (&after, &grid()));
        assert_eq!(changed.iter().filter(|changed| **changed).count(), 1);
        assert!(changed[1]);
    }

    #[test]
    fn a_tile_has_changed_by_a_digit_however_large_it_is() {
        let grid = Grid { columns: vec![0.0, 140.0, 280.0], lines: vec![0.0, 80.0] };
        let picture = |digit: bool| {
            RgbaImage::from_fn(280, 80, |x, y| {
                let is_digit = digit && (68..72).contains(&x) && (36..44).contains(&y);
                let light = if is_digit { 30 } else { 240 };
                Rgba([light, light, light, 255])
            })
        };
        assert_eq!(changed((&picture(false), &grid), (&picture(true), &grid)), [true, false]);
        assert_eq!(changed((&picture(true), &grid), (&picture(true), &grid)), [false, false]);
    }

    #[test]
    fn numbers_that_are_new_are_tiles_and_what_lies_over_a_board_is_not() {
        let mut looks = Looks::new(ALIKE);
        looks.sort(&picture(&[[0; 4], [1; 4], [0; 4]]), &grid());
        let shown = picture(&[[2, 3, 4, 5], [6, 7, 0, 0], [0; 4]]);
        let among: Vec<usize> = (0..6).collect();
        assert_eq!(looks.lonely(&shown, &grid(), &among), 0);
        assert_eq!(Looks::new(ALIKE).lonely(&shown, &grid(), &among), 6);
        let text = RgbaImage::from_fn(80, 60, |x, y| {
            let light = if (x * x / 7 + y * 3) % 11 < 4 { 10 } else { 235 };
            Rgba([light, light, light, 255])
        });
        assert_eq!(looks.lonely(&text, &grid(), &among), 6);
    }

    #[test]
    fn a_tile_that_is_drawn_anew_at_another_size_has_not_changed() {
        // A light body between lines of two pixels, or three.
        let picture = |body: u32, light: u8| {
            RgbaImage::from_fn(80, 60, |x, y| {
                let light = if x % 20 < 1 || x % 20 > 18 || y < 1 || y > body { 165 } else { light };
                Rgba([light, light, light, 255])
            })
        };
        let grid = |height: f64| Grid { columns: vec![0.0, 20.0, 40.0], lines: vec![0.0, height] };
        let before = picture(18, 198);
        assert_eq!(changed((&before, &grid(20.0)), (&picture(18, 198), &grid(21.0))), [false; 2]);
        assert_eq!(changed((&before, &grid(20.0)), (&picture(19, 163), &grid(21.0))), [true; 2]);
    }
}
