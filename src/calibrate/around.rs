//! What is around a board: what a game changes there, and places told by the board's own.

use super::controls::is_plain;
use crate::client::{Anchor, Spot};
use crate::geometry::{Pixel, Rect};
use crate::screenshot::cut;
use crate::vision::Grid;
use image::RgbaImage;

/// Pixels that a thing to be clicked has at least.
const THICK: u32 = 4;
/// Where the pointer waits: just above the first tile...
pub const PARK: Spot = Spot { from: Anchor::TopLeft, tiles: [0.5, -0.4], pixels: [0.0; 2] };
/// ...or where there is something that may say what it is for, as the buttons of a browser do: below the board, or above its last tile.
const OTHERS: [Spot; 3] = [
    Spot { from: Anchor::BottomLeft, tiles: [0.5, 0.4], pixels: [0.0; 2] },
    Spot { from: Anchor::BottomRight, tiles: [-0.5, 0.4], pixels: [0.0; 2] },
    Spot { from: Anchor::TopRight, tiles: [-0.5, -0.4], pixels: [0.0; 2] },
];
/// Tiles around a place that are looked at, and grey levels by which plain ground differs at most.
const NEAR: f64 = 0.25;
const PLAIN: u8 = 8;

/// Where the pointer waits beside a board: above its first tile, or at another place that is plain ground and `may_be` where that is none.
pub fn quiet(picture: &RgbaImage, grid: &Grid, mut may_be: impl FnMut(Pixel) -> bool) -> Spot {
    let mut others = OTHERS.into_iter().filter(|spot| is_ground(picture, grid, *spot) && may_be(grid.spot(*spot)));
    if is_ground(picture, grid, PARK) { PARK } else { others.next().unwrap_or(PARK) }
}

/// Whether there is nothing but ground near this place.
fn is_ground(picture: &RgbaImage, grid: &Grid, spot: Spot) -> bool {
    let (at, (across, down)) = (grid.spot(spot), grid.pitch());
    let (left, top) = (at.x - NEAR * across, at.y - NEAR * down);
    let side = |pitch: f64| (2.0 * NEAR * pitch).max(1.0) as u32;
    let near = Rect { left: left as u32, top: top as u32, width: side(across), height: side(down) };
    let is_whole = |part: &RgbaImage| part.dimensions() == (near.width, near.height);
    left >= 0.0 && top >= 0.0 && cut(picture, near).is_some_and(|part| is_whole(&part) && is_plain(&part, PLAIN))
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgba;

    #[test]
    fn the_pointer_waits_where_there_is_nothing() {
        let grid = Grid { columns: vec![40.0, 60.0, 80.0], lines: vec![40.0, 60.0, 80.0] };
        let mut picture = RgbaImage::from_pixel(120, 120, Rgba([200, 200, 200, 255]));
        assert_eq!(quiet(&picture, &grid, |_| true), PARK);
        // A button above the board.
        (28..36).for_each(|y| (46..54).for_each(|x| picture.put_pixel(x, y, Rgba([90, 90, 90, 255]))));
        assert_eq!(quiet(&picture, &grid, |_| true).from, Anchor::BottomLeft);
        // Below it is another window.
        assert_eq!(quiet(&picture, &grid, |at| at.y < 80.0).from, Anchor::TopRight);
        assert_eq!(quiet(&picture, &grid, |_| false), PARK);
        // At the end of a screen there is no place for it.
        let small = image::imageops::crop_imm(&picture, 0, 0, 82, 82).to_image();
        assert_eq!(quiet(&small, &grid, |_| true).from, Anchor::TopRight);
    }
}
