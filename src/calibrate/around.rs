//! What is around a board: what a game changes there, and places told by the board's own.

use crate::client::{Anchor, Spot};
use crate::geometry::{Pixel, Rect};
use crate::vision::Grid;
use image::RgbaImage;

/// Pixels that a thing to be clicked has at least.
const THICK: u32 = 4;

/// What lies outside of a board and differs between two pictures of it: the boxes around it, in pixels, at most as large as four tiles,
/// the nearest to the middle of the board first.
pub fn changed_around(before: &RgbaImage, after: &RgbaImage, grid: &Grid) -> Vec<Rect> {
    let (across, down) = grid.pitch();
    let most = (4.0 * across.max(down)).max(60.0);
    let mut rects = changed_outside(before, after, grid);
    rects.retain(|rect| f64::from(rect.width.max(rect.height)) <= most);
    rects
}

/// The same, however large.
pub fn changed_outside(before: &RgbaImage, after: &RgbaImage, grid: &Grid) -> Vec<Rect> {
    let bounds = grid.bounds();
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
    let rect =
        |[left, top, right, bottom]: [u32; 4]| Rect { left, top, width: right - left + 1, height: bottom - top + 1 };
    let mut rects: Vec<Rect> = boxes.into_iter().map(rect).collect();
    let middle = f64::from(bounds.left) + f64::from(bounds.width) / 2.0;
    // A pixel beside the board is the edge of a tile.
    rects.retain(|rect| rect.width.min(rect.height) >= THICK);
    rects.sort_by(|a, b| (a.center().x - middle).abs().total_cmp(&(b.center().x - middle).abs()));
    rects
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
