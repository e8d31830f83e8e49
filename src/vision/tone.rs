//! Colours that changed as a whole, as a night light or another brightness or contrast of the screen changes them: a line per channel
//! leads from the colours of the screen to those of the pictures. Which one a screen has is found by `toning`.

use super::patch::{Patch, VALUES};

/// A line per channel from the colours of the screen to those of a client's pictures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tone(pub [Line; 3]);

/// How bright a channel is meant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// Grey levels of the pictures for one of the screen.
    pub gain: f32,
    /// What black becomes.
    pub offset: f32,
}

/// Least and most that a channel is stretched: beyond that, colours are no longer told apart, or a plain surface becomes a tile.
pub const GAIN: std::ops::RangeInclusive<f32> = 0.5..=2.5;
/// Grey levels by which channels that change alike may be found apart.
const SAME: f32 = 14.0;

impl Tone {
    /// Whether colours changed as screens change them: all channels alike, by brightness and contrast, or by a night light, which only
    /// takes from green, and more from blue.
    pub fn is_plain(&self) -> bool {
        let [red, green, blue] = &self.0;
        let is_same = [48.0, 128.0, 208.0].into_iter().all(|value| {
            let values = [red, green, blue].map(|line| line.at(value));
            values.iter().copied().fold(f32::MIN, f32::max) - values.iter().copied().fold(f32::MAX, f32::min) < SAME
        });
        let is_night = self.0.iter().all(|line| line.offset.abs() < SAME)
            && (red.gain - 1.0).abs() < 0.06
            && red.gain < green.gain + 0.03
            && green.gain < blue.gain + 0.03;
        is_same || is_night
    }

    /// A client's own tile as the screen shows it.
    pub fn spoilt(&self, patch: &Patch) -> Patch {
        let value = |index: usize| {
            let line = self.0[index % 3];
            (((f32::from(patch[index]) - line.offset) / line.gain).clamp(0.0, 255.0) + 0.5) as i16
        };
        std::array::from_fn(value)
    }

    /// A tile as the screen shows it in the client's own colours.
    pub fn patch(&self, patch: &Patch) -> Patch {
        std::array::from_fn(|index| (self.0[index % 3].at(patch[index].into()) + 0.5) as i16)
    }

    /// Draws the lines through pairs of values, seen and meant.
    pub fn through(pairs: &[(&Patch, &Patch)]) -> Option<Self> {
        // Of every channel the sums of what is seen, of what is meant, of their products and of the squares of the first.
        let mut sums = [[0i64; 4]; 3];
        for (seen, meant) in pairs {
            let mut own = [[0i32; 4]; 3];
            for (seen, meant) in seen.as_chunks::<3>().0.iter().zip(meant.as_chunks::<3>().0) {
                for ((own, &x), &y) in own.iter_mut().zip(seen).zip(meant) {
                    let (x, y) = (i32::from(x), i32::from(y));
                    own.iter_mut().zip([x, y, x * y, x * x]).for_each(|(sum, value)| *sum += value);
                }
            }
            let all = sums.as_flattened_mut().iter_mut().zip(own.as_flattened());
            all.for_each(|(sum, own)| *sum += i64::from(*own));
        }
        let count = (pairs.len() * VALUES / 3) as f64;
        let lines = sums.map(|sums| {
            let [x, y, both, own] = sums.map(|sum| sum as f64);
            let (both, own) = (both - x * y / count.max(1.0), own - x * x / count.max(1.0));
            let gain = if own > count { both / own } else { 1.0 };
            Line { gain: gain as f32, offset: ((y - x * gain) / count.max(1.0)) as f32 }
        });
        lines.iter().all(|line| GAIN.contains(&line.gain)).then_some(Self(lines))
    }
}

impl Line {
    fn at(self, value: f32) -> f32 {
        (value * self.gain + self.offset).clamp(0.0, 255.0)
    }
}
