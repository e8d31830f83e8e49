//! [`Grid`] + pictures of tiles → [`Grid`]: columns and rows that have grown by what is written in some of their tiles, where the others keep their
//! size in the middle (buttons in a grid of Tk). Lines between tiles tell little there, for every tile has its own; tiles that were seen before are
//! looked for, to the pixel, and edges lie in the middle between them.

use super::grid::{Grid, Way, pitch};
use super::moving::{grows, is_same};
use crate::geometry::{Cell, Rect};
use crate::screenshot::lines;
use image::{RgbaImage, imageops};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Pixels by which the widest of some columns is wider than the narrowest where they do not only take turns between two whole numbers.
const UNEVEN: f64 = 2.0;
/// Half pixels by which the middles of tiles of a column are rounded apart.
const ROUNDED: u32 = 2;
/// So many tiles of a column or row at least say where all of it are.
const FEWEST: usize = 2;

/// Whether some columns or rows are larger than others.
pub fn is_uneven(grid: &Grid) -> bool {
    Way::BOTH.into_iter().any(|way| {
        let sizes = || grid.edges(way).windows(2).map(|pair| pair[1] - pair[0]);
        sizes().fold(0.0, f64::max) - sizes().fold(f64::INFINITY, f64::min) >= UNEVEN
    })
}

/// The parts of a tile that are of so many pixels, where it is larger than that, as grids of one tile: of a tile that has kept its size the rest is
/// the ground beside it, wherever edges between tiles were taken to be.
pub fn parts(grid: &Grid, cell: Cell, (width, height): (u32, u32)) -> impl Iterator<Item = Grid> {
    let places = |edges: &[f64], at: u32, size: u32| -> Vec<Vec<f64>> {
        let (from, to) = (edges[at as usize], edges[at as usize + 1]);
        let (from, spare) = (from.round(), to.round() - from.round() - f64::from(size));
        let begins = (0..=spare.max(0.0) as u32).map(|by| from + f64::from(by));
        begins.map(|begin| vec![begin, if spare > 0.0 { begin + f64::from(size) } else { to }]).collect()
    };
    let (across, down) = (places(&grid.columns, cell.x, width), places(&grid.lines, cell.y, height));
    let is_larger = across.len() > 1 || down.len() > 1;
    let both = across
        .into_iter()
        .flat_map(move |columns| down.clone().into_iter().map(move |lines| Grid { columns: columns.clone(), lines }));
    both.filter(move |_| is_larger)
}

/// The grid with its lines in the middle between the tiles that look like one of these pictures, or like most others of the board, pixel for pixel;
/// as it is where columns and rows are even. Tiles of several sizes in one column have one middle.
pub fn centred(picture: &RgbaImage, grid: Grid, tiles: &[&RgbaImage]) -> Grid {
    if !is_uneven(&grid) {
        return grid;
    }
    let commonest = commonest(picture, &grid);
    let mut tiles: Vec<&RgbaImage> = tiles.iter().copied().chain(&commonest).collect();
    tiles.sort_by_key(|tile| Reverse(tile.width() * tile.height()));
    let mut spans: [Vec<Vec<(u32, u32)>>; 2] =
        [grid.size().width, grid.size().height].map(|count| vec![Vec::new(); count as usize]);
    for cell in grid.size().cells() {
        if let Some(place) = tiles.iter().find_map(|tile| place(picture, &grid, cell, tile)) {
            spans[0][cell.x as usize].push((place.left, place.left + place.width));
            spans[1][cell.y as usize].push((place.top, place.top + place.height));
        }
    }
    let mut found = grid;
    for (way, spans) in Way::BOTH.into_iter().zip(spans) {
        let spans: Vec<Option<(f64, f64)>> = spans.iter().map(|spans| span(spans)).collect();
        let edges = found.edges_mut(way);
        for (index, pair) in spans.windows(2).enumerate() {
            if let [Some((_, end)), Some((start, _))] = pair {
                edges[index + 1] = ((end + start) / 2.0).round();
            }
        }
        // Beside a column of which no tile is known a tile still lies in the middle of its own.
        for (index, span) in spans.iter().enumerate() {
            let Some((start, end)) = span else { continue };
            let is_known = |beside: Option<usize>| beside.is_none_or(|at| spans.get(at).is_none_or(Option::is_some));
            match (is_known(index.checked_sub(1)), is_known(Some(index + 1))) {
                (false, true) => edges[index] = (start + end - edges[index + 1]).min(*start),
                (true, false) => edges[index + 1] = (start + end - edges[index]).max(*end),
                _ => {}
            }
        }
    }
    found
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
    let Rect { left, top, width, height } = grid.tile(cells[0]);
    Some(imageops::crop_imm(picture, left, top, width, height).to_image())
}

/// Where the widest tile of a column begins, and where it ends, of those that have the middle of most.
fn span(tiles: &[(u32, u32)]) -> Option<(f64, f64)> {
    let has_middle = |at: u32| tiles.iter().filter(move |(from, to)| (from + to).abs_diff(at) <= ROUNDED);
    let middle = tiles.iter().map(|(from, to)| from + to).max_by_key(|at| has_middle(*at).count())?;
    let (from, to) = has_middle(middle).max_by_key(|(from, to)| to - from)?;
    let count = has_middle(middle).count();
    (count >= FEWEST && 2 * count > tiles.len()).then_some((f64::from(*from), f64::from(*to)))
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
        let (picture, truth) = board(&[30, 30, 39, 30, 39, 39, 30, 30]);
        // As lines tell it: a wide column and the next one share their width.
        let mut grid = truth.clone();
        (grid.columns[3], grid.columns[5]) = (grid.columns[3] - 5.0, grid.columns[5] + 4.0);
        for known in [vec![], vec![&button(30, 26, 217)]] {
            let found = centred(&picture, grid.clone(), &known);
            for (column, (found, truth)) in found.columns.windows(2).zip(truth.columns.windows(2)).enumerate() {
                let off = (found[0] + found[1] - truth[0] - truth[1]) / 2.0;
                assert!(off.abs() <= 1.5, "column {column} is {off} pixels beside");
            }
            assert_eq!(found.lines, truth.lines);
        }
    }

    #[test]
    fn a_tile_that_keeps_its_size_is_in_one_of_the_parts_of_a_larger_one() {
        let grid = Grid { columns: vec![10.0, 13.0, 15.0], lines: vec![20.0, 24.0] };
        let parts = |x: u32, size: (u32, u32)| -> Vec<(Vec<f64>, Vec<f64>)> {
            parts(&grid, Cell::new(x, 0), size).map(|part| (part.columns, part.lines)).collect()
        };
        let lines = vec![20.0, 24.0];
        assert_eq!(parts(0, (2, 4)), [(vec![10.0, 12.0], lines.clone()), (vec![11.0, 13.0], lines.clone())]);
        assert_eq!(parts(1, (2, 4)), []);
        assert_eq!(parts(1, (5, 3)), [(vec![13.0, 15.0], vec![20.0, 23.0]), (vec![13.0, 15.0], vec![21.0, 24.0])]);
    }
}
