//! Picture → [`Tone`]: a night light takes from green, and more from blue, of every colour on a screen, so the brightest ones of the whole picture
//! tell by how much, whatever is on it. With that the picture is as it was meant, and is looked at like any other.
//!
//! A screen has white somewhere, as a page, a text, an edge or a pointer; where nothing is white the guess is wrong, and no board is found with it.

use super::tone::{GAIN, Line, Tone};
use image::RgbaImage;

/// Every so many pixels are looked at: a number that divides few widths of screens.
const STEP: usize = 7;
/// So many of these, and so large a share of them, must be as bright as the brightest: a bright point or two are an edge that was sharpened.
const FEWEST: u32 = 6;
const SHARE: f64 = 2e-5;
/// A gain from which a channel is changed: what is less is read as it is.
const CHANGED: f32 = 1.03;

/// What brings the colours of a screen under a night light back. Nothing where its brightest colours are white, or no night light makes them.
pub fn night_light(picture: &RgbaImage) -> Option<Tone> {
    let mut counts = [[0u32; 256]; 3];
    let pixels = picture.as_raw().as_chunks::<4>().0;
    for pixel in pixels.iter().step_by(STEP) {
        counts.iter_mut().zip(pixel).for_each(|(counts, &value)| counts[usize::from(value)] += 1);
    }
    let enough = FEWEST.max((SHARE * (pixels.len() / STEP) as f64) as u32);
    let [red, green, blue] = counts.map(|counts| brightest(&counts, enough));
    let (green, blue) = (red / green.max(1.0), red / blue.max(1.0));
    let is_night = (1.0..=blue).contains(&green) && blue >= CHANGED && GAIN.contains(&blue);
    is_night.then(|| Tone([1.0, green, blue].map(|gain| Line { gain, offset: 0.0 })))
}

/// The brightest value that so many have, or more.
fn brightest(counts: &[u32; 256], enough: u32) -> f32 {
    let mut above = 0;
    let value = (0..256).rev().find(|&value| {
        above += counts[value];
        above >= enough
    });
    value.unwrap_or(0) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgba;

    /// A white page with dark text.
    fn page(spoilt: impl Fn([f32; 3]) -> [f32; 3]) -> RgbaImage {
        RgbaImage::from_fn(200, 100, |x, y| {
            let value = if (x / 3 + y / 5) % 4 == 0 { 40.0 } else { 255.0 };
            let [red, green, blue] = spoilt([value; 3]).map(|value| value.round() as u8);
            Rgba([red, green, blue, 255])
        })
    }

    #[test]
    fn what_a_night_light_takes_is_seen_in_what_was_white() {
        let tone = night_light(&page(|[red, green, blue]| [red, 0.75 * green, 0.5 * blue])).unwrap();
        let [red, green, blue] = tone.0.map(|line| line.gain);
        assert_eq!(red, 1.0);
        assert!((green - 1.0 / 0.75).abs() < 0.01, "{green}");
        assert!((blue - 2.0).abs() < 0.02, "{blue}");
        assert!(tone.is_plain());
    }

    #[test]
    fn a_screen_with_white_on_it_has_none() {
        assert_eq!(night_light(&page(|colour| colour)), None);
        assert_eq!(night_light(&page(|colour| colour.map(|value| 0.6 * value))), None, "darker");
        assert_eq!(night_light(&page(|[red, green, blue]| [0.5 * red, green, blue])), None, "bluish");
        assert_eq!(night_light(&RgbaImage::new(0, 0)), None);
    }
}
