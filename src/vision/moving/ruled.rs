//! Boards that are ruled: a line of one colour from end to end between any two columns or rows, and around all of them. What is in the tiles cannot
//! look like that, so that in another picture as many of them tell every edge, whatever size the columns and rows have by then and wherever the board
//! is: a browser lays a table out anew for what is written in one of its cells.

use crate::vision::grid::{Grid, Way, pitch};
use image::RgbaImage;

/// Grey levels by which a pixel of such a line differs at most from the others of it, in each channel, and from the same line in another picture: less
/// than any figure does. Chosen, as the widths below.
const EVEN: u8 = 6;
/// The widest of them between tiles, in pixels, and by how many pixels it may be wider or narrower in another picture.
const WIDEST: u32 = 8;
const WIDER: u32 = 1;
/// Pixels from an edge within which it lies.
const BESIDE: f64 = 2.0;
/// How many times wider and narrower a column or row may be than those of before: one that has grown by half was seen. Chosen.
const GROWN: f64 = 2.5;

/// A line of one colour: from which pixel along the way to which, and the colour.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Rule {
    from: u32,
    to: u32,
    colour: [u8; 3],
}

impl Rule {
    fn width(self) -> u32 {
        self.to - self.from
    }

    /// Whether this may be the other one in another picture. The outer ones may go over into what is around the board.
    fn may_be(self, other: Self, is_outer: bool) -> bool {
        let is_wide = is_outer && other.width() > WIDEST;
        is_near(self.colour, other.colour)
            && if is_wide { self.width() > WIDEST } else { self.width().abs_diff(other.width()) <= WIDER }
    }
}

/// The edges of a board in another picture by the lines between and around its tiles; nothing if it is not ruled, or not all of them are seen.
pub fn ruled(before: &RgbaImage, grid: &Grid, now: &RgbaImage) -> Option<Grid> {
    let mut found = grid.clone();
    for way in Way::BOTH {
        let [edges, across] = [way, way.across()].map(|way| grid.edges(way));
        let (then, is) = (rules(before, way, across), rules(now, way, across));
        let own = of_edges(&then, edges)?;
        let limits = pitch(edges) / GROWN..pitch(edges) * GROWN;
        // The lines follow each other as they did, with nothing like them between; and only in one place.
        let colour = own[1].colour;
        let alike: Vec<Rule> = is.into_iter().filter(|rule| is_near(rule.colour, colour)).collect();
        let last = own.len() - 1;
        let is_board = |rules: &&[Rule]| {
            let is_like = |(at, (rule, own)): (usize, (&Rule, &Rule))| rule.may_be(*own, at == 0 || at == last);
            rules.iter().zip(&own).enumerate().all(is_like)
                && rules.windows(2).all(|pair| limits.contains(&f64::from(pair[1].from - pair[0].to)))
        };
        let mut all = alike.windows(own.len()).filter(is_board);
        let rules = all.next().filter(|_| all.next().is_none())?;
        let laid = edges.iter().zip(own.iter().zip(rules)).enumerate().map(|(at, (edge, (own, rule)))| {
            // Where the outer ones are as wide as what is around the board only the sides next to the tiles tell.
            let (was, is) = if at == 0 { (own.to, rule.to) } else { (own.from, rule.from) };
            edge + f64::from(is) - f64::from(was)
        });
        *found.edges_mut(way) = laid.collect();
    }
    Some(found)
}

/// The lines that lie at the edges of a board, if there is one at every edge, all of one colour, and none between them.
fn of_edges(rules: &[Rule], edges: &[f64]) -> Option<Vec<Rule>> {
    let last = edges.len() - 1;
    let is_at = |rule: &Rule, edge: f64| (f64::from(rule.from) - BESIDE..=f64::from(rule.to) + BESIDE).contains(&edge);
    let colour = rules.iter().find(|rule| rule.width() <= WIDEST && is_at(rule, edges[1]))?.colour;
    let alike: Vec<Rule> = rules.iter().filter(|rule| is_near(rule.colour, colour)).copied().collect();
    let own = edges.iter().map(|edge| alike.iter().find(|rule| is_at(rule, *edge)).copied());
    let own: Vec<Rule> = own.collect::<Option<_>>()?;
    let within = alike.iter().filter(|rule| own[0].from <= rule.from && rule.to <= own[last].to).count();
    (within == own.len() && own[1..last].iter().all(|rule| rule.width() <= WIDEST)).then_some(own)
}

/// All lines of one colour across a way, in the middle half of a board: it may have another size along them, too.
fn rules(picture: &RgbaImage, way: Way, across: &[f64]) -> Vec<Rule> {
    let (first, quarter) = (across[0], (across[across.len() - 1] - across[0]) / 4.0);
    let most = way.across().length(picture);
    let (from, to) = ((first + quarter).max(0.0) as u32, ((first + 3.0 * quarter) as u32).min(most));
    let mut rules: Vec<Rule> = Vec::new();
    if from >= to {
        return rules;
    }
    for at in 0..way.length(picture) {
        let pixel = |other: u32| {
            let (x, y) = way.pixel(at, other);
            let [red, green, blue, _] = picture.get_pixel(x, y).0;
            [red, green, blue]
        };
        let colour = pixel(from);
        if !(from..to).all(|other| is_near(pixel(other), colour)) {
            continue;
        }
        match rules.last_mut() {
            Some(rule) if rule.to == at && is_near(rule.colour, colour) => rule.to = at + 1,
            _ => rules.push(Rule { from: at, to: at + 1, colour }),
        }
    }
    rules
}

/// Whether two colours are the same for all that is asked here.
fn is_near(one: [u8; 3], other: [u8; 3]) -> bool {
    one.iter().zip(other).all(|(one, other)| one.abs_diff(other) <= EVEN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgba;

    /// A table with columns and rows of these widths and heights from a place on, black lines of 3 pixels around every cell, and a figure at the left
    /// of each.
    fn table(corner: (u32, u32), widths: &[u32], heights: &[u32]) -> (RgbaImage, Grid) {
        let edges = |from: u32, sizes: &[u32]| {
            let ends = sizes.iter().scan(from, |at, size| {
                *at += size;
                Some(f64::from(*at))
            });
            std::iter::once(f64::from(from)).chain(ends).collect::<Vec<f64>>()
        };
        let grid = Grid { columns: edges(corner.0, widths), lines: edges(corner.1, heights) };
        let within = |edges: &[f64], at: f64| {
            edges.windows(2).find(|pair| pair[0] <= at && at < pair[1]).map(|pair| at - pair[0])
        };
        let (right, bottom) = (grid.columns[widths.len()], grid.lines[heights.len()]);
        let picture = RgbaImage::from_fn(600, 500, |x, y| {
            let (x, y) = (f64::from(x), f64::from(y));
            let light = match (within(&grid.columns, x), within(&grid.lines, y)) {
                (Some(u), Some(v)) if u < 3.0 || v < 3.0 => 0,
                (Some(u), Some(v))
                    if (8.0..16.0).contains(&u) && (8.0..20.0).contains(&v) && !((u + v) as u32).is_multiple_of(3) =>
                {
                    0
                }
                (Some(_), Some(_)) => 255,
                // The last line lies beyond the last tile.
                (u, v) => {
                    let is_right =
                        (0.0..3.0).contains(&(x - right)) && (v.is_some() || (0.0..3.0).contains(&(y - bottom)));
                    let is_below = (0.0..3.0).contains(&(y - bottom)) && u.is_some();
                    if is_right || is_below { 0 } else { 255 }
                }
            };
            Rgba([light, light, light, 255])
        });
        (picture, grid)
    }

    #[test]
    fn a_table_that_is_laid_out_anew_tells_every_edge_by_its_lines() {
        let (before, grid) = table((90, 60), &[38; 9], &[36; 9]);
        assert_eq!(ruled(&before, &grid, &before), Some(grid.clone()));
        // Half as wide again where something wider is written, and centred anew.
        let (now, truth) =
            table((62, 60), &[38, 38, 38, 38, 38, 57, 57, 57, 38], &[36, 40, 36, 36, 40, 36, 36, 36, 36]);
        assert_eq!(ruled(&before, &grid, &now), Some(truth));
        // Of a line that is covered, or a table with another line, nothing is told.
        let covered = RgbaImage::from_fn(600, 500, |x, y| {
            let is_box = (150..300).contains(&x) && (150..260).contains(&y);
            if is_box { Rgba([200, 220, 240, 255]) } else { *now.get_pixel(x, y) }
        });
        assert_eq!(ruled(&before, &grid, &covered), None);
        assert_eq!(ruled(&before, &grid, &table((62, 60), &[38; 10], &[36; 9]).0), None);
        let plain = RgbaImage::from_pixel(600, 500, Rgba([255, 255, 255, 255]));
        assert_eq!(ruled(&before, &grid, &plain), None);
        assert_eq!(ruled(&plain, &grid, &now), None);
    }
}
