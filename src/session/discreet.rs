//! What a record shows of the screen: the board and what is around it, and no more unless that is asked for.

use super::pictures::{Change, Pictures, encode, print};
use super::{Event, Line, Look};
use crate::geometry::{Pixel, Rect};
use crate::screenshot::Screenshot;
use image::{Rgba, RgbaImage};

/// Makes black, in the pictures of the whole screen, whatever was never looked at by itself: of the board's part of the screen there
/// is a picture before every decision. Gives the last pictures as they are then; none if a part was all there is.
pub fn hide_the_rest(lines: &mut [Line], frames: &mut [(String, Vec<u8>)]) -> Pictures {
    let looks = || lines.iter().filter_map(|line| if let Event::Look(look) = &line.event { Some(look) } else { None });
    let parts: Vec<Look> = looks().filter(|look| look.part.is_some()).cloned().collect();
    let is_part = |look: &Look| parts.iter().any(|part| (part.origin, part.size) == (look.origin, look.size));
    let mut pictures = Pictures::default();
    if looks().any(|look| look.part.is_none() && is_part(look)) {
        return pictures;
    }
    for line in lines {
        let Event::Look(look) = &mut line.event else { continue };
        if look.part.is_some() {
            continue;
        }
        let png = frames.iter_mut().find(|(name, _)| Some(name) == look.frame.as_ref()).map(|(_, png)| png);
        let decoded = png.as_ref().and_then(|png| image::load_from_memory(png).ok());
        let change = decoded.map(|picture| {
            let is_first = pictures.last(look.origin, look.size).is_none();
            let mut change = Change { at: look.at, pixels: picture.into_rgba8() };
            let shown: Vec<Rect> = parts.iter().map(|part| place(part, look)).collect();
            hide(&mut change, &shown, if is_first { Rgba([0, 0, 0, u8::MAX]) } else { Rgba([0; 4]) });
            change
        });
        if let (Some(png), Some(change)) = (png, &change) {
            *png = encode(change);
        }
        if let Ok(picture) = pictures.apply(look.origin, look.size, change.as_ref()) {
            look.print = print(picture);
        }
    }
    pictures
}

/// Where a part of the screen is in a picture of all of it.
fn place(part: &Look, whole: &Look) -> Rect {
    let frame = Screenshot { pixels: RgbaImage::new(0, 0), origin: whole.origin, scale: whole.scale };
    let Pixel { x, y } = frame.to_pixel(part.origin);
    let [width, height] = part.size;
    Rect { left: x.max(0.0) as u32, top: y.max(0.0) as u32, width, height }
}

/// Gives all pixels that lie in none of these parts of the whole picture one colour.
fn hide(change: &mut Change, shown: &[Rect], colour: Rgba<u8>) {
    let [left, top] = change.at;
    for (y, row) in change.pixels.enumerate_rows_mut() {
        let y = top + y;
        let beside: Vec<&Rect> = shown.iter().filter(|rect| (rect.top..rect.top + rect.height).contains(&y)).collect();
        for (x, _, pixel) in row {
            let x = left + x;
            if !beside.iter().any(|rect| (rect.left..rect.left + rect.width).contains(&x)) {
                *pixel = colour;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{ScreenPoint, ScreenRect};

    fn shot(part: Option<ScreenRect>, colour: impl Fn(u32, u32) -> [u8; 3]) -> Screenshot {
        let pixels = RgbaImage::from_fn(40, 30, |x, y| {
            let [red, green, blue] = colour(x, y);
            Rgba([red, green, blue, 255])
        });
        Screenshot { pixels, origin: ScreenPoint { x: -10, y: 5 }, scale: 1.0 }.part(part).unwrap()
    }

    /// A letter on the left of the screen that changes, and a board on its right.
    #[test]
    fn what_was_never_looked_at_by_itself_is_black() {
        let board = ScreenRect { corner: ScreenPoint { x: 10, y: 10 }, width: 12, height: 15 };
        let screen = |letter: u8, tile: u8| move |x: u32, _: u32| [if x < 15 { letter } else { tile }, x as u8, 50];
        let (mut lines, mut frames, mut pictures) = (Vec::new(), Vec::new(), Pictures::default());
        for (part, letter, tile) in [(None, 7, 1), (Some(board), 7, 2), (None, 8, 3), (None, 9, 3), (Some(board), 9, 4)]
        {
            let Screenshot { pixels, origin, scale } = shot(part, screen(letter, tile));
            let change = pictures.next(origin, &pixels);
            let name = format!("{}.png", lines.len());
            let (size, at) = ([pixels.width(), pixels.height()], change.as_ref().map_or([0, 0], |change| change.at));
            let (frame, print) = (change.as_ref().map(|_| name.clone()), print(&pixels));
            lines.push(Line { ms: 0.0, event: Event::Look(Look { part, origin, scale, size, frame, at, print }) });
            frames.extend(change.map(|change| (name, encode(&change))));
        }
        let last = hide_the_rest(&mut lines, &mut frames);
        let (mut pictures, mut seen) = (Pictures::default(), Vec::new());
        for line in &lines {
            let Event::Look(look) = &line.event else { continue };
            let png = frames.iter().find(|(name, _)| Some(name) == look.frame.as_ref());
            let pixels = png.map(|(_, png)| image::load_from_memory(png).unwrap().into_rgba8());
            let change = pixels.map(|pixels| Change { at: look.at, pixels });
            let picture = pictures.apply(look.origin, look.size, change.as_ref()).unwrap();
            assert_eq!(print(picture), look.print);
            if look.part.is_none() {
                seen.push(picture.clone());
            }
        }
        assert_eq!(seen.len(), 3);
        assert_eq!(last.last(ScreenPoint { x: -10, y: 5 }, [40, 30]), seen.last());
        for (picture, tile) in seen.iter().zip([1, 3, 3]) {
            for (x, y, pixel) in picture.enumerate_pixels() {
                let is_board = (20..32).contains(&x) && (5..20).contains(&y);
                let expected = if is_board { [tile, x as u8, 50, 255] } else { [0, 0, 0, 255] };
                assert_eq!(pixel.0, expected, "{x},{y}");
            }
        }
    }
}
