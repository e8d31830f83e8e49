//! Colours that changed as a whole, as a night light or another brightness or contrast of the screen changes them: a line per channel
//! leads from the colours of the screen to those of the pictures. Which one a screen has is found by `toning`.

use crate::vision::tile::patch::Patch;
use image::RgbaImage;

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

/// Values of a screen that tell what was meant: a colour that would be brighter than white or darker than black could have been any.
const SHOWN: std::ops::RangeInclusive<i32> = 1..=254;

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

    /// A colour of the screen in the client's own colours.
    pub fn meant(&self, colour: [u8; 3]) -> [u8; 3] {
        std::array::from_fn(|channel| self.0[channel].at(colour[channel].into()).round().clamp(0.0, 255.0) as u8)
    }

    /// A colour of the client as the screen shows it.
    pub fn shown(&self, colour: [u8; 3]) -> [u8; 3] {
        std::array::from_fn(|channel| self.0[channel].shown(colour[channel].into()) as u8)
    }

    /// A picture of the screen in the client's own colours.
    pub fn meant_picture(&self, picture: &RgbaImage) -> RgbaImage {
        let tables: [[u8; 256]; 3] =
            self.0.map(|line| std::array::from_fn(|value| (line.at(value as f32) + 0.5) as u8));
        let mut meant = picture.clone();
        for pixel in meant.pixels_mut() {
            pixel.0.iter_mut().zip(&tables).for_each(|(value, table)| *value = table[usize::from(*value)]);
        }
        meant
    }

    /// This one, and another after it.
    pub fn then(&self, further: Tone) -> Tone {
        let both = |(own, next): (Line, Line)| Line {
            gain: own.gain * next.gain,
            offset: own.offset * next.gain + next.offset,
        };
        Tone(std::array::from_fn(|channel| both((self.0[channel], further.0[channel]))))
    }

    /// A client's own tile as the screen shows it.
    pub fn spoilt(&self, patch: &Patch) -> Patch {
        std::array::from_fn(|index| self.0[index % 3].shown(patch[index].into()) as i16)
    }

    /// A client's own picture as the screen shows it, pixel by pixel: what is cut off at white or black is so before pixels are averaged.
    pub fn painted(&self, picture: &RgbaImage) -> RgbaImage {
        let mut painted = picture.clone();
        for pixel in painted.pixels_mut() {
            for (value, line) in pixel.0.iter_mut().zip(&self.0) {
                *value = line.shown((*value).into()) as u8;
            }
        }
        painted
    }

    /// What every value of a screen is in the client's own colours. What is black or white there most likely is in these, too: it may have
    /// been cut off.
    pub fn table(&self) -> Table {
        let meant = |line: Line| {
            std::array::from_fn(|value| match value {
                0 | 255 => value as i16,
                _ => (line.at(value as f32) + 0.5) as i16,
            })
        };
        Table(self.0.map(meant))
    }

    /// Draws the lines of a kind through pairs of values, seen and meant.
    pub fn through(pairs: &[(&Patch, &Patch)], kind: Kind) -> Option<Self> {
        let lines = match kind {
            Kind::Any => sums(pairs).map(Sums::line),
            Kind::Contrast => [sums(pairs).into_iter().fold(Sums::default(), Sums::with).line(); 3],
            // Parts of which a line within was cut off at white or black say something else than the rest: the median does not mind.
            Kind::Brightness => {
                let all: Vec<[f32; 2]> = (0..3).flat_map(|channel| shown(pairs, channel)).collect();
                [Line { gain: 1.0, offset: median(all.iter().map(|[seen, meant]| meant - seen)).unwrap_or(0.0) }; 3]
            }
            Kind::Night => std::array::from_fn(|channel| {
                let gain = median(shown(pairs, channel).map(|[seen, meant]| meant / seen));
                Line { gain: gain.unwrap_or(1.0), offset: 0.0 }
            }),
        };
        lines.iter().all(|line| GAIN.contains(&line.gain)).then_some(Self(lines))
    }
}

/// What every value of each channel becomes.
pub struct Table([[i16; 256]; 3]);

impl Table {
    /// Of a tile.
    pub fn patch(&self, patch: &Patch) -> Patch {
        let mut meant = *patch;
        for part in meant.as_chunks_mut::<3>().0 {
            part.iter_mut().zip(&self.0).for_each(|(value, table)| *value = table[*value as usize & 255]);
        }
        meant
    }
}

/// How colours change as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Every channel by a line of its own.
    Any,
    /// All by the same amount.
    Brightness,
    /// Every channel by a factor of its own.
    Night,
    /// All by the same line.
    Contrast,
}

impl Kind {
    /// As screens change them, the simplest first.
    pub const PLAIN: [Kind; 3] = [Kind::Brightness, Kind::Night, Kind::Contrast];
}

/// Of a channel of some pairs the sums of what is seen, of what is meant, of their products, of the squares of the first, and how many.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    seen: f64,
    meant: f64,
    both: f64,
    square: f64,
    count: f64,
}

impl Sums {
    fn with(self, other: Sums) -> Sums {
        Sums {
            seen: self.seen + other.seen,
            meant: self.meant + other.meant,
            both: self.both + other.both,
            square: self.square + other.square,
            count: self.count + other.count,
        }
    }

    /// The line of least squares.
    fn line(self) -> Line {
        let Sums { seen: x, meant: y, both, square, count } = self;
        let (both, own) = (both - x * y / count.max(1.0), square - x * x / count.max(1.0));
        let gain = if own > count { both / own } else { 1.0 };
        Line { gain: gain as f32, offset: ((y - x * gain) / count.max(1.0)) as f32 }
    }
}

/// What of a channel tells what was meant, and that.
fn shown<'a>(pairs: &[(&'a Patch, &'a Patch)], channel: usize) -> impl Iterator<Item = [f32; 2]> {
    let of = move |(seen, meant): &(&'a Patch, &'a Patch)| {
        seen.as_chunks::<3>()
            .0
            .iter()
            .zip(meant.as_chunks::<3>().0)
            .map(move |(seen, meant)| (seen[channel], meant[channel]))
    };
    let all = pairs.iter().flat_map(of);
    all.filter(|(seen, _)| SHOWN.contains(&i32::from(*seen))).map(|(seen, meant)| [f32::from(seen), f32::from(meant)])
}

fn median(values: impl Iterator<Item = f32>) -> Option<f32> {
    let mut values: Vec<f32> = values.collect();
    let middle = values.len() / 2;
    (!values.is_empty()).then(|| *values.select_nth_unstable_by(middle, f32::total_cmp).1)
}

/// Sums of every channel.
fn sums(pairs: &[(&Patch, &Patch)]) -> [Sums; 3] {
    let mut sums = [[0i64; 5]; 3];
    for (seen, meant) in pairs {
        let mut own = [[0i32; 5]; 3];
        for (seen, meant) in seen.as_chunks::<3>().0.iter().zip(meant.as_chunks::<3>().0) {
            for ((own, &x), &y) in own.iter_mut().zip(seen).zip(meant) {
                let (x, y) = (i32::from(x), i32::from(y));
                if SHOWN.contains(&x) {
                    own.iter_mut().zip([x, y, x * y, x * x, 1]).for_each(|(sum, value)| *sum += value);
                }
            }
        }
        let all = sums.as_flattened_mut().iter_mut().zip(own.as_flattened());
        all.for_each(|(sum, own)| *sum += i64::from(*own));
    }
    sums.map(|own| {
        let [seen, meant, both, square, count] = own.map(|sum| sum as f64);
        Sums { seen, meant, both, square, count }
    })
}

impl Line {
    /// What the screen makes of a value.
    fn shown(self, value: f32) -> f32 {
        ((value - self.offset) / self.gain).clamp(0.0, 255.0) + 0.5
    }

    fn at(self, value: f32) -> f32 {
        (value * self.gain + self.offset).clamp(0.0, 255.0)
    }
}
