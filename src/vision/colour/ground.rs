//! The ground that shows between the tiles, where the desktop's theme chooses it: the same tiles stand on white, grey or black.
//! What a picture has between faces of the client's own colours, line by line, is its ground; then the pictures of a theme are
//! painted on that.

use crate::board::Tile;
use crate::client::{Picture, Theme};
use crate::vision::grid::{Way, pitch};
use image::imageops::{self, FilterType};
use image::{Rgba, RgbaImage};
use std::collections::HashMap;

pub type Colour = [u8; 3];

/// The widest gap between two tiles, in pixels.
const WIDEST: usize = 24;
/// So many lines of a picture are looked at.
const LOOKED_AT: usize = 64;
/// So many gaps are seen at least, two lines of them for every two tiles of the smallest board.
const FEWEST: usize = 24;

/// The narrowest gap on a ground of which the colour is to be seen, in pixels: lines of tables are thinner.
const NARROWEST: usize = 3;
/// How far from a line of a pattern its ground may be, in tiles, and the share of all lines that it lies along.
const REACH: f64 = 0.35;
const MOST: f64 = 0.5;
/// So many lines across a pattern are asked.
const LINES: usize = 6;
/// And so many places along each.
const PLACES: usize = 10;
/// In so many places it is seen at least.
const SEEN: usize = 12;

/// The colours that the tiles of themes have between which a ground shows.
pub fn faces(themes: &[Theme]) -> Vec<Colour> {
    let looks = themes.iter().filter(|theme| theme.ground.is_some()).flat_map(|theme| &theme.pictures);
    let mut faces: Vec<Colour> = looks.map(|look| face(&look.pixels)).collect();
    faces.sort_unstable();
    faces.dedup();
    faces
}

/// The ground on which tiles with these faces, in order, stand in a part of a picture (its first and last pixels, across and down), as far as there
/// are any and it is not that of their own pictures. Colours may differ by `slack` levels a channel, where they were worked out.
pub fn seen(
    picture: &RgbaImage,
    &[(left, right), (top, bottom)]: &[(u32, u32); 2],
    (faces, slack): (&[Colour], u8),
    themes: &[Theme],
) -> Option<Colour> {
    if faces.is_empty() {
        return None;
    }
    let is_same = |one: Colour, other: Colour| (0..3).all(|part| one[part].abs_diff(other[part]) <= slack);
    let is_face = |run: Colour| match slack {
        0 => faces.binary_search(&run).is_ok(),
        _ => faces.iter().any(|face| is_same(*face, run)),
    };
    let mut gaps: HashMap<Colour, usize> = HashMap::new();
    let right = (right.min(picture.width()) as usize).max(left as usize);
    let lines = picture.as_raw().chunks_exact(4 * picture.width().max(1) as usize);
    let every = (bottom.saturating_sub(top) as usize / LOOKED_AT).max(1);
    for line in lines.take(bottom as usize).skip(top as usize).step_by(every) {
        let pixels =
            line.as_chunks::<4>().0[left as usize..right].iter().map(|&[red, green, blue, _]| [red, green, blue]);
        let pixels: Vec<Colour> = pixels.collect();
        // Where the last face ended, and of what was seen since, where it began to be something else.
        let mut face: Option<usize> = None;
        for (start, run) in runs(&pixels) {
            if !is_face(run) {
                continue;
            }
            if let Some(end) = face
                && (1..=WIDEST).contains(&(start - end))
            {
                // Beside a face colours may be mixed with it.
                *gaps.entry(pixels[(start + end) / 2]).or_default() += 1;
            }
            face = Some(pixels[start..].iter().position(|pixel| *pixel != run).map_or(pixels.len(), |at| start + at));
        }
    }
    let (ground, count) = gaps.into_iter().max_by_key(|&(colour, count)| (count, colour))?;
    let is_own = |theme: &Theme| theme.ground.is_some_and(|own| is_same(own, ground));
    (count >= FEWEST && !themes.iter().any(is_own)).then_some(ground)
}

/// The colour that lies along most of a pattern's lines, across and down, where the colours of the screen are others than the client's, so that
/// none of its faces tells.
pub fn along(picture: &RgbaImage, columns: &[f64], lines: &[f64]) -> Option<Colour> {
    let across = along_way(picture, Way::Columns, columns, lines)?;
    (along_way(picture, Way::Lines, lines, columns)? == across).then_some(across)
}

/// The same along one way, where the lines across have these edges.
fn along_way(picture: &RgbaImage, way: Way, edges: &[f64], across: &[f64]) -> Option<Colour> {
    let reach = (REACH * pitch(edges)).min(WIDEST as f64) as u32;
    let (limit, other) = (way.length(picture), way.across().length(picture));
    let mut longest: HashMap<Colour, usize> = HashMap::new();
    let mut asked = 0;
    let middles =
        across.windows(2).step_by(across.len().div_ceil(LINES)).map(|two| (two[0] + 0.3 * (two[1] - two[0])) as u32);
    for at in middles.filter(|at| *at < other) {
        for edge in edges
            .iter()
            .step_by(edges.len().div_ceil(PLACES))
            .map(|edge| edge.max(0.0) as u32)
            .filter(|edge| *edge >= reach && edge + reach < limit)
        {
            let colour = |along: u32| {
                let (x, y) = way.pixel(along, at);
                let [red, green, blue, _] = picture.get_pixel(x, y).0;
                [red, green, blue]
            };
            let seen: Vec<Colour> = (edge - reach..edge + reach).map(colour).collect();
            asked += 1;
            // What begins and ends here; faces of tiles go on.
            let starts: Vec<(usize, Colour)> = runs(&seen).collect();
            let inner = starts.windows(2).skip(1).map(|two| (two[1].0 - two[0].0, two[0].1));
            let wide = inner.filter(|(length, _)| *length >= NARROWEST);
            if let Some((_, colour)) = wide.max_by_key(|(length, _)| *length) {
                *longest.entry(colour).or_default() += 1;
            }
        }
    }
    let (ground, count) = longest.into_iter().max_by_key(|&(colour, count)| (count, colour))?;
    (count >= SEEN && count as f64 >= MOST * f64::from(asked)).then_some(ground)
}

/// Where the colour changes, and to which.
fn runs(pixels: &[Colour]) -> impl Iterator<Item = (usize, Colour)> {
    let starts = |&at: &usize| at == 0 || pixels[at] != pixels[at - 1];
    (0..pixels.len()).filter(starts).map(|at| (at, pixels[at]))
}

/// Some pictures of a theme painted on another ground, with a gap of this share of a tile between them if it is known; `None` if they have none. A client
/// may draw gaps of one width in pixels between tiles of any size.
pub fn on(theme: &Theme, ground: Colour, gap: Option<f32>, chosen: &[usize]) -> Option<Vec<Picture>> {
    let own = theme.ground?;
    // All pictures have the same outline: a plain one of the nearest size shows where they let the ground through.
    let mut outlines: HashMap<(u32, u32), Vec<f32>> = HashMap::new();
    let outline = |width: u32, height: u32| {
        let of = |tile: Tile| theme.pictures.iter().filter(move |look| look.tile == tile);
        let all = of(Tile::Hidden).chain(of(Tile::Open(0)));
        let Some(nearest) = all.min_by_key(|look| look.pixels.width().abs_diff(width)) else { return Vec::new() };
        let plain = imageops::resize(&nearest.pixels, width, height, FilterType::Triangle);
        let face = face(&plain);
        plain.pixels().map(|pixel| through([pixel[0], pixel[1], pixel[2]], face, own)).collect()
    };
    let paint = |&index: &usize| {
        let look = &theme.pictures[index];
        let (width, height) = look.pixels.dimensions();
        let outline = outlines.entry((width, height)).or_insert_with(|| outline(width, height));
        let mut pixels = look.pixels.clone();
        for (pixel, &through) in pixels.pixels_mut().zip(&*outline).filter(|(_, through)| **through > 0.0) {
            for channel in 0..3 {
                let change = through * (f32::from(ground[channel]) - f32::from(own[channel]));
                pixel[channel] = (f32::from(pixel[channel]) + change).round().clamp(0.0, 255.0) as u8;
            }
        }
        if let Some(gap) = gap {
            pixels = with_gap(&pixels, outline, gap, ground);
        }
        Picture { pixels, ..look.clone() }
    };
    Some(chosen.iter().map(paint).collect())
}

/// How much of the ground a pixel of a gap holds at least: what is lighter or darker within a face may hold a little.
const EDGE: f32 = 0.25;

/// A tile with so much of a gap around its face, half of it on either side, which is not compared: where a gap is much darker or lighter than tiles a
/// part of a pixel more or less of it outweighs a number. That there is a gap was seen.
fn with_gap(picture: &RgbaImage, outline: &[f32], gap: f32, ground: Colour) -> RgbaImage {
    let (width, height) = picture.dimensions();
    // How much of the ground is on either side of the face, along the middle.
    let margins = |way: Way| {
        let (length, middle) = (way.length(picture), way.across().length(picture) / 2);
        let at = |along: u32| {
            let (x, y) = way.pixel(along, middle);
            outline.get((y * width + x) as usize).copied().unwrap_or(0.0)
        };
        let side =
            |places: &mut dyn Iterator<Item = u32>| places.map(at).take_while(|share| *share > EDGE).sum::<f32>();
        [side(&mut (0..length / 2)), side(&mut (length / 2..length).rev())]
    };
    // Where in the picture that is what is so far from the border, if it is of the face.
    let place = |along: u32, length: u32, [before, after]: [f32; 2]| {
        let (along, length) = (along as f32 + 0.5, length as f32);
        let margin = gap * length / 2.0;
        let share = (along - margin) / (length - 2.0 * margin);
        (margin..length - margin).contains(&along).then_some(before + share * (length - before - after) - 0.5)
    };
    let (across, down) = (margins(Way::Columns), margins(Way::Lines));
    RgbaImage::from_fn(width, height, |x, y| {
        let inner = place(x, width, across).zip(place(y, height, down)).and_then(|(x, y)| {
            let (x, y) = (x.clamp(0.0, (width - 1) as f32), y.clamp(0.0, (height - 1) as f32));
            imageops::interpolate_bilinear(picture, x, y)
        });
        inner.unwrap_or(Rgba([ground[0], ground[1], ground[2], 0]))
    })
}

/// The share of the ground in a colour that lies between it and a tile's face.
fn through(colour: Colour, face: Colour, ground: Colour) -> f32 {
    let to = |other: Colour| [0, 1, 2].map(|i| f32::from(other[i]) - f32::from(face[i]));
    let (way, here) = (to(ground), to(colour));
    let all: f32 = way.iter().map(|step| step * step).sum();
    let some: f32 = way.iter().zip(here).map(|(step, is)| step * is).sum();
    (some / all.max(1.0)).clamp(0.0, 1.0)
}

/// The colour that most of a picture has.
fn face(picture: &RgbaImage) -> Colour {
    let mut all: Vec<Colour> = picture.pixels().map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
    all.sort_unstable();
    all.chunk_by(|a, b| a == b).max_by_key(|run| run.len()).map_or([0; 3], |run| run[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client;

    const WHITE: Colour = [255, 255, 255];
    const BLACK: Colour = [20, 20, 24];
    const ALL: [(u32, u32); 2] = [(0, 600), (0, 500)];

    fn themes() -> Vec<Theme> {
        client::by_name(&client::bundled().unwrap(), "gnome-mines").unwrap().themes.clone()
    }

    /// Hidden tiles of a theme beside each other on a large plain window.
    fn board(theme: &Theme, ground: Colour) -> RgbaImage {
        let mut picture = RgbaImage::from_pixel(600, 500, Rgba([ground[0], ground[1], ground[2], 255]));
        let tile = &theme.pictures.iter().find(|look| look.tile == Tile::Hidden).unwrap().pixels;
        for place in 0..64 {
            let (x, y) = (place % 8 * tile.width() + 40, place / 8 * tile.height() + 60);
            imageops::replace(&mut picture, tile, x.into(), y.into());
        }
        picture
    }

    #[test]
    fn a_ground_is_seen_and_painted() {
        let themes = themes();
        for ground in [WHITE, BLACK] {
            let painted: Vec<Theme> = themes
                .iter()
                .map(|theme| {
                    let all: Vec<usize> = (0..theme.pictures.len()).collect();
                    Theme { pictures: on(theme, ground, None, &all).unwrap(), ground: Some(ground), ..theme.clone() }
                })
                .collect();
            assert_eq!(seen(&board(&painted[0], ground), &ALL, (&faces(&themes), 0), &themes), Some(ground));
            assert_eq!(seen(&board(&painted[0], ground), &ALL, (&faces(&painted), 0), &painted), None, "it is theirs");
            for (theme, painted) in themes.iter().zip(&painted) {
                for (look, other) in theme.pictures.iter().zip(&painted.pictures) {
                    // Beside some hovered tiles there is a glow.
                    let side = |pixels: &RgbaImage| pixels.get_pixel(0, pixels.height() / 2).0;
                    if side(&look.pixels)[..3] == theme.ground.unwrap() {
                        assert_eq!(side(&other.pixels)[..3], ground, "{} {}", theme.name, look.file);
                    }
                    let (x, y) = (look.pixels.width() / 2, look.pixels.height() / 2);
                    assert_eq!(
                        look.pixels.get_pixel(x, y),
                        other.pixels.get_pixel(x, y),
                        "{} {}",
                        theme.name,
                        look.file
                    );
                }
            }
        }
    }

    #[test]
    fn a_window_without_tiles_has_no_ground() {
        let plain = RgbaImage::from_pixel(600, 500, Rgba([186, 189, 182, 255]));
        let (themes, faces) = (themes(), faces(&themes()));
        assert_eq!(seen(&plain, &ALL, (&faces, 0), &themes), None);
        assert_eq!(seen(&RgbaImage::new(0, 0), &ALL, (&faces, 0), &themes), None);
    }
}
