//! A board before and after → the shade that was laid over it meanwhile, and the board without it.
//!
//! Many clients, above all web pages, lay something dark and translucent over their board when a game is over, and write on that. What shows
//! through is every colour of before, nearer to one colour by one share.

use crate::geometry::Rect;
use image::{Rgba, RgbaImage};
use std::collections::HashMap;

/// A colour before, what most of it became, and how often it was there.
type Became = ([u8; 3], [u8; 3], f64);

/// What is laid over a board: a colour becomes its share `keep` (0..1) and `add` (grey levels, by channel).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shade {
    keep: f64,
    add: [f64; 3],
}

// Of these figures none was measured: they were chosen for drawn boards, and one client's shade, which keeps a half, was read with them.

/// Pixels that are compared, at most: a board has few colours.
const SAMPLES: u32 = 60_000;
/// Places at which a board is looked at to see where it has moved below a shade.
const PLACES: u32 = 4000;
/// The share of a board that a colour must have to be compared: what is rarer may be covered whole.
const FREQUENT: u32 = 200;
/// Grey levels by which a colour may be beside what the shade makes of it: half a level is lost by rounding, some by screens of few colours.
const BESIDE: f64 = 3.0;
/// Shades that keep more change little, and less cannot be told from what covers everything: a level then stands for five.
const KEEPS: std::ops::RangeInclusive<f64> = 0.2..=0.95;
/// The share of the pixels that must be as the shade makes them: the others may be mines that show now, or what is written over it.
const EXPLAINED: f64 = 0.6;
/// The same of the frequent colours, each by how much of the board it has.
const AGREED: f64 = 0.9;
/// Frequent colours at least, unless both of two have changed: a line goes through any two, of which one may be that of lines between tiles, and where
/// tiles of two tones are opened all at once they become no nearer to each other.
const COLOURS: usize = 3;
/// The share of the pixels that may be as they were though the shade would change them: it lies over all of a board, and where tiles were opened
/// others stay.
const UNTOUCHED: f64 = 0.02;

impl Shade {
    /// The shade that lies over a part of `now` and did not in `before`, where most of that can be explained by one. `by`: how many pixels farther right
    /// and down it lies in `now`.
    pub fn between(before: &RgbaImage, now: &RgbaImage, part: Rect, by: (i64, i64)) -> Option<Self> {
        let (left, top) = (moved(part.left, by.0)?, moved(part.top, by.1)?);
        let inside = |picture: &RgbaImage, left: u32, top: u32| {
            left + part.width <= picture.width() && top + part.height <= picture.height()
        };
        if !inside(before, part.left, part.top) || !inside(now, left, top) {
            return None;
        }
        let step = ((part.width * part.height / SAMPLES) as f64).sqrt().ceil().max(1.0) as usize;
        let across = || (0..part.width).step_by(step);
        let pixels = (0..part.height).step_by(step).flat_map(|y| across().map(move |x| (x, y)));
        let both = |(x, y)| (colour(before, part.left + x, part.top + y), colour(now, left + x, top + y));
        let sampled: Vec<_> = pixels.map(both).collect();
        let all = sampled.len() as u32;
        let mut seen: HashMap<[u8; 3], HashMap<[u8; 3], u32>> = HashMap::new();
        // Beside each other most are the same.
        for same in sampled.chunk_by(|one, other| one == other) {
            let (was, is) = same[0];
            *seen.entry(was).or_default().entry(is).or_default() += same.len() as u32;
        }
        // Of every frequent colour what it became mostly, and how often it was there.
        let became = seen.iter().filter_map(|(&was, is)| {
            let count: u32 = is.values().sum();
            let most = is.iter().max_by_key(|(colour, count)| (**count, **colour)).map(|(colour, _)| *colour);
            most.filter(|_| count * FREQUENT >= all).map(|is| (was, is, f64::from(count)))
        });
        let pairs: Vec<Became> = became.collect();
        let is_other =
            |(was, is, _): &Became| was.iter().zip(is).any(|(was, is)| f64::from(was.abs_diff(*is)) > BESIDE);
        let is_told = pairs.len() >= COLOURS || pairs.len() == 2 && pairs.iter().all(is_other);
        let shade = Self::through(&pairs).filter(|_| is_told)?;
        let agreed: f64 = pairs.iter().filter(|(was, is, _)| shade.makes(*was, *is)).map(|(.., count)| count).sum();
        let pixels = || seen.iter().flat_map(|(was, is)| is.iter().map(move |(is, count)| (*was, *is, *count)));
        let explained: u32 = pixels().filter(|(was, is, _)| shade.makes(*was, *is)).map(|(.., count)| count).sum();
        let is_untouched = |was: [u8; 3], is: [u8; 3]| was == is && !shade.makes(was, is);
        let untouched: u32 = pixels().filter(|(was, is, _)| is_untouched(*was, *is)).map(|(.., count)| count).sum();
        let is_one = f64::from(untouched) <= UNTOUCHED * f64::from(all)
            && agreed >= AGREED * pairs.iter().map(|(.., count)| count).sum::<f64>()
            && f64::from(explained) >= EXPLAINED * f64::from(all);
        is_one.then_some(shade)
    }

    /// How many pixels farther right or down a board lies in `now` than in `before`, at most so many, if a shade lies over it that did not: where every
    /// colour of before became one other mostly, in the board and within `around` it.
    pub fn shift_below(
        before: &RgbaImage,
        now: &RgbaImage,
        board: Rect,
        around: Rect,
        most: (i64, i64),
    ) -> Option<(i64, i64)> {
        // Spread evenly, and in step with no tiles (by the plastic number).
        let part = |index: u32, by: f64, length: u32| (f64::from(index) * by).fract() * f64::from(length);
        let place = |index: u32| {
            let (x, y) = (part(index, 0.754_877_666, around.width), part(index, 0.569_840_291, around.height));
            (around.left + x as u32, around.top + y as u32)
        };
        let places: Vec<(u32, u32)> = (0..PLACES).map(place).collect();
        let same = |by: (i64, i64)| {
            let mut seen: HashMap<[u8; 3], HashMap<[u8; 3], u32>> = HashMap::new();
            for &(x, y) in &places {
                let there = moved(x, by.0).zip(moved(y, by.1)).filter(|(x, y)| *x < now.width() && *y < now.height());
                let Some(there) = there else { continue };
                let (was, is) = (colour(before, x, y), colour(now, there.0, there.1));
                *seen.entry(was).or_default().entry(is).or_default() += 1;
            }
            seen.values().filter_map(|became| became.values().max()).sum::<u32>()
        };
        let ways = (1..=most.0.max(most.1)).flat_map(|by| [(0, by), (0, -by), (by, 0), (-by, 0)]);
        let near = ways.filter(|(x, y)| x.abs() <= most.0 && y.abs() <= most.1);
        // Of several the nearest.
        let best = near.map(|by| (same(by), by)).reduce(|best, other| if other.0 > best.0 { other } else { best });
        let (_, by) = best.filter(|(count, _)| *count > same((0, 0)))?;
        Self::between(before, now, board, by).map(|_| by)
    }

    /// The line through pairs of colours, each weighed by its count.
    fn through(pairs: &[Became]) -> Option<Self> {
        let all: f64 = pairs.iter().map(|(.., count)| count).sum();
        let mean = |channel: usize, of: fn(&Became) -> [u8; 3]| {
            pairs.iter().map(|pair| f64::from(of(pair)[channel]) * pair.2).sum::<f64>() / all
        };
        let (mut both, mut own) = (0.0, 0.0);
        let means: [(f64, f64); 3] =
            std::array::from_fn(|channel| (mean(channel, |pair| pair.0), mean(channel, |pair| pair.1)));
        for (was, is, count) in pairs {
            for (channel, (mean_was, mean_is)) in means.iter().enumerate() {
                let far = f64::from(was[channel]) - mean_was;
                both += count * far * (f64::from(is[channel]) - mean_is);
                own += count * far * far;
            }
        }
        let keep = both / own;
        // Where all colours are alike nothing tells the share.
        (own > all * BESIDE * BESIDE && KEEPS.contains(&keep))
            .then(|| Self { keep, add: means.map(|(was, is)| is - keep * was) })
    }

    fn makes(&self, was: [u8; 3], is: [u8; 3]) -> bool {
        (0..3).all(|channel| {
            (self.keep * f64::from(was[channel]) + self.add[channel] - f64::from(is[channel])).abs() <= BESIDE
        })
    }

    /// The picture without this shade over a part of it.
    pub fn taken_off(&self, picture: &RgbaImage, part: Rect) -> RgbaImage {
        let mut clear = picture.clone();
        for y in part.top..(part.top + part.height).min(picture.height()) {
            for x in part.left..(part.left + part.width).min(picture.width()) {
                let Rgba([.., opacity]) = *picture.get_pixel(x, y);
                let is = colour(picture, x, y);
                let was = |channel: usize| {
                    ((f64::from(is[channel]) - self.add[channel]) / self.keep).round().clamp(0.0, 255.0)
                };
                clear.put_pixel(x, y, Rgba([was(0) as u8, was(1) as u8, was(2) as u8, opacity]));
            }
        }
        clear
    }
}

/// A place moved by so many pixels; nothing before the first.
fn moved(at: u32, by: i64) -> Option<u32> {
    u32::try_from(i64::from(at) + by).ok()
}

fn colour(picture: &RgbaImage, x: u32, y: u32) -> [u8; 3] {
    let Rgba([red, green, blue, _]) = *picture.get_pixel(x, y);
    [red, green, blue]
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOARD: Rect = Rect { left: 10, top: 20, width: 160, height: 160 };

    /// Tiles of 20 pixels, raised or flat with a bar, on a white page.
    fn board(is_open: impl Fn(u32) -> bool) -> RgbaImage {
        RgbaImage::from_fn(200, 200, |x, y| {
            if x < BOARD.left || y < BOARD.top || x >= 170 || y >= 180 {
                return Rgba([255, 255, 255, 255]);
            }
            let (x, y) = (x - BOARD.left, y - BOARD.top);
            let tile = y / 20 * 8 + x / 20;
            match (is_open(tile), x % 20, y % 20) {
                (true, 8..11, 4..16) => Rgba([20, 40, 200, 255]),
                (true, ..) => Rgba([205, 205, 200, 255]),
                (false, 0..2, _) | (false, _, 0..2) => Rgba([250, 250, 250, 255]),
                (false, ..) => Rgba([170, 175, 180, 255]),
            }
        })
    }

    /// The same below a layer, but for one line, on which something is written.
    fn shaded(board: &RgbaImage, keep: f64, layer: u8) -> RgbaImage {
        let below = |value: u8| (keep * f64::from(value) + (1.0 - keep) * f64::from(layer)).round() as u8;
        RgbaImage::from_fn(200, 200, |x, y| {
            let Rgba([red, green, blue, opacity]) = *board.get_pixel(x, y);
            if (90..100).contains(&y) && x % 5 < 2 {
                Rgba([255; 4])
            } else {
                Rgba([below(red), below(green), below(blue), opacity])
            }
        })
    }

    #[test]
    fn what_shows_through_a_shade_is_the_board() {
        let before = board(|tile| tile % 3 == 0);
        for (keep, layer) in [(0.5, 0), (0.3, 0), (0.6, 255), (0.8, 90)] {
            // A tile has been opened since.
            let now = board(|tile| tile % 3 == 0 || tile == 10);
            let over = shaded(&now, keep, layer);
            let shade = Shade::between(&before, &over, BOARD, (0, 0)).expect("a shade");
            let clear = shade.taken_off(&over, BOARD);
            for (x, y, pixel) in clear.enumerate_pixels().filter(|(_, y, _)| !(90..100).contains(y)) {
                let is_inside = (10..170).contains(&x) && (20..180).contains(&y);
                let then = now.get_pixel(x, y);
                let far = (0..3).map(|channel| pixel.0[channel].abs_diff(then.0[channel])).max();
                assert!(!is_inside || far <= Some(5), "{keep} {layer}: {pixel:?} instead of {then:?}");
            }
        }
    }

    /// An untouched board that is chequered has two colours, and its first click may be a mine.
    #[test]
    fn a_shade_over_two_tones_is_one() {
        let tones = |light: [u8; 3], dark: [u8; 3]| {
            RgbaImage::from_fn(200, 200, |x, y| {
                let [red, green, blue] = if (x / 20 + y / 20) % 2 == 0 { light } else { dark };
                Rgba([red, green, blue, 255])
            })
        };
        let before = tones([63, 120, 255], [51, 102, 235]);
        let over = shaded(&before, 0.7, 0);
        let shade = Shade::between(&before, &over, BOARD, (0, 0)).expect("a shade");
        assert!((shade.keep - 0.7).abs() < 0.05, "{shade:?}");
        let open = tones([229, 194, 159], [215, 184, 153]);
        assert_eq!(Shade::between(&tones([170, 215, 81], [162, 209, 73]), &open, BOARD, (0, 0)), None, "it was opened");
    }

    #[test]
    fn a_board_that_has_moved_is_found_below_a_shade() {
        let around = Rect { left: 0, top: 0, width: 200, height: 200 };
        for (by, open) in [((0, 17), 3), ((0, -20), 3), ((9, 0), 5), ((0, 35), 40)] {
            let before = board(|tile| tile % open == 0);
            let now = board(|tile| tile % open == 0 || tile == 10);
            let moved = RgbaImage::from_fn(200, 200, |x, y| {
                let there = moved(x, -by.0).zip(moved(y, -by.1)).filter(|(x, y)| *x < 200 && *y < 200);
                there.map_or(Rgba([255; 4]), |(x, y)| *now.get_pixel(x, y))
            });
            let room = Rect { top: 40, height: 100, ..BOARD };
            let over = shaded(&moved, 0.3, 0);
            assert_eq!(Shade::shift_below(&before, &over, room, around, (60, 60)), Some(by));
            assert_eq!(Shade::shift_below(&before, &moved, room, around, (60, 60)), None, "no shade");
            assert_eq!(
                Shade::shift_below(&before, &shaded(&now, 0.3, 0), room, around, (60, 60)),
                None,
                "in its place"
            );
        }
    }

    #[test]
    fn a_board_that_is_only_played_is_not_shaded() {
        let before = board(|tile| tile % 3 == 0);
        for after in [board(|tile| tile % 3 == 0), board(|tile| tile % 2 == 0), board(|_| true)] {
            assert_eq!(Shade::between(&before, &after, BOARD, (0, 0)), None);
        }
        // Of two colours alone, of which one is the lines': most of a board opens at once.
        let lined = |open: u32| {
            RgbaImage::from_fn(200, 200, |x, y| {
                let is_line = x % 20 == 10 || y % 20 == 0;
                let light = if is_line {
                    128
                } else if y < open {
                    200
                } else {
                    238
                };
                Rgba([light, light, light, 255])
            })
        };
        assert_eq!(Shade::between(&lined(0), &lined(140), BOARD, (0, 0)), None);
        assert_eq!(Shade::between(&lined(0), &lined(180), BOARD, (0, 0)), None, "all of it");
        let plain = RgbaImage::from_pixel(200, 200, Rgba([90, 90, 90, 255]));
        assert_eq!(Shade::between(&before, &plain, BOARD, (0, 0)), None, "a page in its place");
        assert_eq!(Shade::between(&plain, &before, BOARD, (0, 0)), None);
        assert_eq!(Shade::between(&before, &before, Rect { left: 100, ..BOARD }, (0, 0)), None, "beyond the picture");
    }
}
