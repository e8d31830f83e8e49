//! [`Grid`] + pictures of tiles → [`Grid`]: columns and rows that have grown, or shrunk, by what is written in some of their tiles. Where the others keep
//! their size in the middle (buttons in a grid of Tk) lines between tiles tell little, for every tile has its own; tiles that were seen before are
//! looked for, to the pixel, and edges lie so that each is in the middle of its column. Or all tiles fill their columns, and only what is plain in them
//! has another size.

use super::grid::{Grid, Way, pitch};
use super::moving::{grows, is_same};
use crate::geometry::{Cell, Rect};
use crate::screenshot::lines;
use image::{RgbaImage, imageops};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Pixels by which the widest of some columns is wider than the narrowest where they do not only take turns between two whole numbers.
const UNEVEN: f64 = 2.0;
/// Half pixels by which the middles of tiles of a column are rounded apart, and pixels by which edges may lie beside theirs.
const ROUNDED: u32 = 2;
/// So many tiles of a column or row at least say where all of it are, but for those that look like most of the board.
const FEWEST: usize = 2;
/// What a column of a size of its own costs, in pixels by which edges are moved.
const ODD: i64 = 100;

/// Whether some columns or rows are larger than others.
pub fn is_uneven(grid: &Grid) -> bool {
    Way::BOTH.into_iter().any(|way| {
        let sizes = || grid.edges(way).windows(2).map(|pair| pair[1] - pair[0]);
        sizes().fold(0.0, f64::max) - sizes().fold(f64::INFINITY, f64::min) >= UNEVEN
    })
}

/// What a tile of a column or row that has another size would look like, were it of so many pixels: nothing where it is, or is not wholly in the picture.
/// Tiles may have kept their size in the middle, and the rest be the ground beside them, or be drawn as large as there is room.
pub fn redrawn(picture: &RgbaImage, grid: &Grid, cell: Cell, size: (u32, u32)) -> Vec<RgbaImage> {
    let tile = grid.tile(cell);
    let is_inside = tile.left + tile.width <= picture.width() && tile.top + tile.height <= picture.height();
    if (tile.width, tile.height) == size || !is_inside || tile.width == 0 || tile.height == 0 {
        return Vec::new();
    }
    let crop = |Rect { left, top, width, height }| imageops::crop_imm(picture, left, top, width, height).to_image();
    parts(tile, size).into_iter().map(crop).chain([fitted(picture, tile, size)]).collect()
}

/// The parts of a tile that are of so many pixels, in its middle or [`ROUNDED`] pixels beside that; along a way on which it is smaller all of it.
fn parts(tile: Rect, (width, height): (u32, u32)) -> Vec<Rect> {
    let (width, height) = (width.min(tile.width), height.min(tile.height));
    let places = |spare: u32| (spare / 2).saturating_sub(ROUNDED)..=(spare.div_ceil(2) + ROUNDED).min(spare);
    let (across, down) = (places(tile.width - width), places(tile.height - height));
    let places = down.flat_map(|y| across.clone().map(move |x| (x, y)));
    let parts = places.map(|(x, y)| Rect { left: tile.left + x, top: tile.top + y, width, height });
    parts.filter(|part| *part != tile).collect()
}

/// A tile drawn with as many pixels as asked for: its sides as they are, its middle as it is, and of the plain parts between them as much as there is
/// room for.
fn fitted(picture: &RgbaImage, tile: Rect, (width, height): (u32, u32)) -> RgbaImage {
    let from = |at: u32, size: u32, real: u32| {
        let side = size.min(real) / 4;
        let middle = (i64::from(at) - i64::from(size / 2) + i64::from(real / 2))
            .clamp(side.into(), i64::from(real.saturating_sub(side + 1).max(side)));
        match at {
            at if at < side => at,
            at if at >= size - side => real - (size - at),
            _ => middle as u32,
        }
    };
    RgbaImage::from_fn(width, height, |x, y| {
        *picture.get_pixel(tile.left + from(x, width, tile.width), tile.top + from(y, height, tile.height))
    })
}

/// The grid with its lines where tiles that look like most others of the board, pixel for pixel, lie in the middle of their columns and rows, or, where
/// a column has none of these, tiles that look like one of these pictures; as it is where columns and rows are even, or no lines put these tiles there.
pub fn centred(picture: &RgbaImage, grid: Grid, tiles: &[&RgbaImage]) -> Grid {
    if !is_uneven(&grid) {
        return grid;
    }
    let commonest = commonest(picture, &grid);
    let mut tiles: Vec<&RgbaImage> = tiles.to_vec();
    tiles.sort_by_key(|tile| Reverse(tile.width() * tile.height()));
    let mut spans: [Vec<Vec<Span>>; 2] =
        [grid.size().width, grid.size().height].map(|count| vec![Vec::new(); count as usize]);
    for cell in grid.size().cells() {
        let place = |tile: &&RgbaImage| place(picture, &grid, cell, tile);
        let common = commonest.as_ref().and_then(|tile| place(&tile));
        if let Some(Rect { left, top, width, height }) = common.or_else(|| tiles.iter().find_map(place)) {
            let span = |from: u32, size: u32| Span { is_common: common.is_some(), from, to: from + size };
            spans[0][cell.x as usize].push(span(left, width));
            spans[1][cell.y as usize].push(span(top, height));
        }
    }
    let mut found = grid.clone();
    for (way, spans) in Way::BOTH.into_iter().zip(spans) {
        let spans: Vec<Option<(i64, i64)>> = spans.iter().map(|spans| span(spans)).collect();
        if let Some(edges) = laid_around(grid.edges(way), &spans) {
            *found.edges_mut(way) = edges;
        }
    }
    found
}

/// Where a tile begins and ends along a way, and whether it looks like most of the board.
#[derive(Clone, Copy)]
struct Span {
    is_common: bool,
    from: u32,
    to: u32,
}

/// Edges near these, between the same ends, of which every known tile lies in the middle of its own two, rounded one way or the other: of all such edges
/// those with the fewest sizes besides the usual one and another, and then the nearest. Nothing where there are none.
fn laid_around(edges: &[f64], spans: &[Option<(i64, i64)>]) -> Option<Vec<f64>> {
    let whole: Vec<i64> = edges.iter().map(|edge| edge.round() as i64).collect();
    let sizes = || whole.windows(2).map(|pair| pair[1] - pair[0]);
    let usual = sizes().max_by_key(|size| (sizes().filter(|other| other == size).count(), Reverse(*size)))?;
    // Who is laid by lines has shrunk where a tile may have grown.
    let room = grows(edges);
    let laid = (usual - 2 * room..=usual + 2 * room).filter_map(|other| laid_with(&whole, spans, room, [usual, other]));
    let (_, best) = laid.min_by_key(|(cost, _)| *cost)?;
    Some(best.into_iter().map(|edge| edge as f64).collect())
}

/// The same where columns of these two sizes cost nothing, and what they cost. By dynamic programming over how far each edge is moved.
fn laid_with(whole: &[i64], spans: &[Option<(i64, i64)>], room: i64, sizes: [i64; 2]) -> Option<(i64, Vec<i64>)> {
    let last = whole.len() - 1;
    let places = |edge: usize| {
        let by = if edge == 0 || edge == last { 0 } else { room };
        whole[edge] - by..=whole[edge] + by
    };
    let cost = |column: usize, from: i64, to: i64| {
        let size = to - from;
        if let Some((start, end)) = spans[column] {
            let uneven = (end + start) - (to + from);
            if start < from || to < end || uneven.abs() > 1 {
                return None;
            }
        }
        let is_usual = size > 0 && sizes.contains(&size);
        (size > 0).then_some(if is_usual { 0 } else { ODD } + (to - whole[column + 1]).abs())
    };
    // The least cost of every place of an edge, and the place of the edge before it.
    let mut best: Vec<BTreeMap<i64, (i64, i64)>> = vec![BTreeMap::from([(whole[0], (0, 0))])];
    for column in 0..last {
        let mut next = BTreeMap::new();
        for to in places(column + 1) {
            let ways = best[column].iter().filter_map(|(&from, (sum, _))| Some((sum + cost(column, from, to)?, from)));
            if let Some(least) = ways.min() {
                next.insert(to, least);
            }
        }
        best.push(next);
    }
    let cost = best[last].get(&whole[last])?.0;
    let mut laid = vec![whole[last]];
    for edge in (1..=last).rev() {
        laid.push(best[edge][&laid[laid.len() - 1]].1);
    }
    laid.reverse();
    Some((cost, laid))
}

/// The picture that most tiles of a board show, if tiles of several columns and rows do: where edges lie beside those of tiles a whole column is cut
/// alike.
fn commonest(picture: &RgbaImage, grid: &Grid) -> Option<RgbaImage> {
    let mut all: BTreeMap<Vec<u8>, Vec<Cell>> = BTreeMap::new();
    for cell in grid.size().cells() {
        let pixels: Vec<u8> = lines(picture, grid.tile(cell)).flatten().flatten().copied().collect();
        all.entry(pixels).or_default().push(cell);
    }
    let are_apart = |cells: &&Vec<Cell>| {
        cells.iter().any(|cell| cell.x != cells[0].x) && cells.iter().any(|cell| cell.y != cells[0].y)
    };
    let cells = all.values().filter(are_apart).max_by_key(|cells| cells.len())?;
    let Rect { left, top, width, height } = bare(picture, grid.tile(cells[0]))?;
    Some(imageops::crop_imm(picture, left, top, width, height).to_image())
}

/// A tile without the ground around it, as much on both sides: in a column that has grown more of that shows. Nothing of a tile of one colour.
fn bare(picture: &RgbaImage, tile: Rect) -> Option<Rect> {
    let Rect { left, top, width, height } = tile;
    let ground = picture.get_pixel_checked(left, top)?;
    let is_plain = |part: Rect| lines(picture, part).flatten().all(|line| line.chunks(4).all(|is| is == ground.0));
    let column = |x: u32| Rect { left: left + x, width: 1, ..tile };
    let row = |y: u32| Rect { top: top + y, height: 1, ..tile };
    let across = (0..width / 2).find(|&x| !is_plain(column(x)) || !is_plain(column(width - 1 - x)))?;
    let down = (0..height / 2).find(|&y| !is_plain(row(y)) || !is_plain(row(height - 1 - y)))?;
    Some(Rect { left: left + across, top: top + down, width: width - 2 * across, height: height - 2 * down })
}

/// Where the widest tile of a column begins, and where it ends, of those that have the middle of most: of the tiles that look like most of the board, where
/// there are any.
fn span(tiles: &[Span]) -> Option<(i64, i64)> {
    let has_common = tiles.iter().any(|tile| tile.is_common);
    let tiles = || tiles.iter().filter(|tile| tile.is_common == has_common);
    let has_middle = |at: u32| tiles().filter(move |tile| (tile.from + tile.to).abs_diff(at) <= ROUNDED);
    let middle = tiles().map(|tile| tile.from + tile.to).max_by_key(|at| has_middle(*at).count())?;
    let widest = has_middle(middle).max_by_key(|tile| tile.to - tile.from)?;
    let count = has_middle(middle).count();
    let is_told = has_common || count >= FEWEST;
    (is_told && 2 * count > tiles().count()).then_some((widest.from.into(), widest.to.into()))
}

/// The only place in and around a tile of a grid where this picture is.
fn place(picture: &RgbaImage, grid: &Grid, cell: Cell, tile: &RgbaImage) -> Option<Rect> {
    let (width, height) = tile.dimensions();
    let places = |way: Way, at: u32, length: u32| {
        let edges = grid.edges(way);
        let (from, to) = (edges[at as usize].round() as i64, edges[at as usize + 1].round() as i64);
        let (room, most) = (grows(edges), i64::from(way.length(picture)) - i64::from(length));
        let last = (to - i64::from(length) + room).max(from).min(most);
        // What is much larger or smaller is no tile of this board.
        let is_near = (to - from - i64::from(length)).abs() <= (pitch(edges) / 2.0) as i64;
        is_near.then_some((from - room).max(0) as u32..=last.max(0) as u32)
    };
    let (across, down) = (places(Way::Columns, cell.x, width)?, places(Way::Lines, cell.y, height)?);
    let whole = Rect { left: 0, top: 0, width, height };
    let is_there = |&(x, y): &(u32, u32)| is_same(tile, picture, whole, (x.into(), y.into()));
    let mut all = down.flat_map(|y| across.clone().map(move |x| (x, y))).filter(is_there);
    let (left, top) = all.next()?;
    // What is one colour all over is in many places.
    all.next().is_none().then_some(Rect { left, top, width, height })
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgba;

    /// A raised button of this size.
    fn button(width: u32, height: u32, light: u8) -> RgbaImage {
        RgbaImage::from_fn(width, height, |x, y| {
            let light = match () {
                () if x < 2 || y < 2 => 255,
                () if x + 2 >= width || y + 2 >= height => 100,
                () => light,
            };
            Rgba([light, light, light, 255])
        })
    }

    /// Columns of these widths, with a button of 30 pixels in the middle of every tile, but for one in each column that is wider, which fills it.
    fn board(widths: &[u32]) -> (RgbaImage, Grid) {
        let mut columns = vec![40.0];
        widths.iter().for_each(|width| columns.push(columns[columns.len() - 1] + f64::from(*width)));
        let lines = (0..=6).map(|row| 50.0 + 26.0 * f64::from(row)).collect();
        let grid = Grid { columns, lines };
        let mut picture = RgbaImage::from_pixel(400, 260, Rgba([217, 217, 217, 255]));
        for cell in grid.size().cells() {
            let tile = grid.tile(cell);
            let is_written = tile.width > 30 && cell.y == cell.x % 6;
            let button = button(if is_written { tile.width } else { 30 }, 26, 217);
            let left = tile.left + (tile.width - button.width()) / 2;
            imageops::replace(&mut picture, &button, left.into(), tile.top.into());
        }
        (picture, grid)
    }

    #[test]
    fn tiles_that_keep_their_size_tell_where_columns_are_that_have_grown() {
        for widths in [[30, 30, 39, 30, 39, 39, 30, 30], [39, 30, 39, 39, 39, 39, 30, 39]] {
            let (picture, truth) = board(&widths);
            // As lines tell it: a wide column and the next one share their width.
            let mut grid = truth.clone();
            (grid.columns[3], grid.columns[5]) = (grid.columns[3] - 5.0, grid.columns[5] + 4.0);
            // A tile of the wide column as it is cut by these.
            let cut = imageops::crop_imm(&picture, grid.columns[2] as u32, 102, 34, 26).to_image();
            for known in [vec![], vec![&button(30, 26, 217)], vec![&cut]] {
                let found = centred(&picture, grid.clone(), &known);
                assert_eq!(found.columns, truth.columns);
                assert_eq!(found.lines, truth.lines);
            }
        }
    }

    #[test]
    fn a_tile_that_keeps_its_size_is_in_one_of_the_parts_of_a_larger_one() {
        let tile = |left, top, width, height| Rect { left, top, width, height };
        assert_eq!(parts(tile(10, 20, 3, 4), (2, 4)), [tile(10, 20, 2, 4), tile(11, 20, 2, 4)]);
        assert_eq!(parts(tile(13, 20, 2, 4), (2, 4)), []);
        assert_eq!(parts(tile(13, 20, 2, 4), (5, 3)), [tile(13, 20, 2, 3), tile(13, 21, 2, 3)]);
    }

    #[test]
    fn a_tile_that_fills_its_column_is_drawn_as_wide_as_another() {
        let (narrow, wide) = (button(30, 26, 217), button(43, 24, 217));
        let grid = Grid { columns: vec![0.0, 43.0], lines: vec![0.0, 24.0] };
        let all = redrawn(&wide, &grid, Cell::new(0, 0), (30, 26));
        assert!(all.contains(&narrow));
        let grid = Grid { columns: vec![0.0, 30.0], lines: vec![0.0, 26.0] };
        assert!(redrawn(&narrow, &grid, Cell::new(0, 0), (43, 24)).contains(&wide));
        assert_eq!(redrawn(&narrow, &grid, Cell::new(0, 0), (30, 26)), []);
        // What is in its middle stays there.
        let mut figure = narrow.clone();
        figure.put_pixel(15, 13, Rgba([0, 0, 0, 255]));
        let wider = redrawn(&figure, &grid, Cell::new(0, 0), (43, 26)).pop().unwrap();
        assert_eq!(
            wider.enumerate_pixels().filter(|(.., pixel)| pixel.0[0] == 0).map(|(x, y, _)| (x, y)).collect::<Vec<_>>(),
            [(21, 13)]
        );
    }
}
