//! The person confirms what every look is held to be, or says what it is.

use crate::board::Tile;
use crate::calibrate::meaning::Meanings;
use crate::calibrate::notes::Notes;
use crate::commands::paint::Paint;
use image::RgbaImage;
use image::imageops::{FilterType, resize};

/// How wide a tile is shown, in characters.
const WIDE: u32 = 16;

/// Asks about every look; `answer` gives what the person types, or nothing when there is no more to come. What is said is taken into the notes,
/// unless it contradicts the games; what is believed with it, or nothing where no meaning fits all that was seen.
pub fn confirm(notes: &mut Notes, paint: Paint, answer: &mut dyn FnMut() -> Option<String>) -> Option<Meanings> {
    let mut meanings = notes.meanings().ok()?;
    println!(
        "Enter confirms; else type what it is: # hidden, 0 to 8, * mine, X the mine that was hit, x a wrong flag, F flag, ? question mark"
    );
    let looks = notes.evidence.looks.count();
    for look in 0..looks {
        for picture in notes.evidence.looks.pictures(look).take(1) {
            print!("{}", drawn(picture, paint));
        }
        loop {
            match meanings.of.get(&look) {
                Some(meaning) => println!("look {} of {looks}: {}  {meaning}", look + 1, meaning.tile.to_char()),
                None => println!("look {} of {looks}: not known", look + 1),
            }
            let Some(said) = answer() else { return Some(meanings) };
            let mut letters = said.trim().chars();
            let tile = match (letters.next(), letters.next()) {
                (None, _) => break,
                (Some(letter), None) => Tile::from_char(letter).filter(|tile| *tile != Tile::Unrecognised),
                _ => None,
            };
            let Some(tile) = tile else {
                println!("{:?} is no tile", said.trim());
                continue;
            };
            let before = notes.evidence.known.clone();
            notes.evidence.known.tell(look, tile);
            match notes.meanings() {
                Ok(now) => meanings = now,
                Err(contradiction) => {
                    println!("the games say otherwise: {contradiction}");
                    notes.evidence.known = before;
                    continue;
                }
            }
            break;
        }
    }
    Some(meanings)
}

/// A tile as characters of two pixels each; nothing without colours.
fn drawn(tile: &RgbaImage, paint: Paint) -> String {
    let (width, height) = tile.dimensions();
    let wide = width.min(WIDE);
    let high = (height * wide).div_ceil(width.max(1)).clamp(2, 2 * WIDE).next_multiple_of(2);
    let small = resize(tile, wide, high, FilterType::Triangle);
    let colour = |x: u32, y: u32| [0, 1, 2].map(|channel| small.get_pixel(x, y).0[channel]);
    let row = |y: u32| (0..wide).map(|x| paint.two_pixels(colour(x, y), colour(x, y + 1))).collect::<String>();
    let rows = (0..high).step_by(2).map(row).filter(|row| !row.is_empty());
    rows.map(|row| row + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Cell;
    use crate::vision::Grid;
    use image::Rgba;

    /// Notes of one game on 4x4 in which a first click opened a lone tile, of a look of its own.
    fn notes() -> Notes {
        let board = |open: bool| {
            RgbaImage::from_fn(80, 80, |x, y| {
                let is_open = open && x < 20 && y < 20;
                let light = if x % 20 == 0 || y % 20 == 0 { 60 } else { 150 + 80 * u8::from(is_open) };
                Rgba([light, light, light, 255])
            })
        };
        let edges: Vec<f64> = (0..=4).map(|at| f64::from(20 * at)).collect();
        let grid = Grid { columns: edges.clone(), lines: edges };
        let mut notes = Notes::default();
        let scene = notes.evidence.look_at(&board(false), &grid, false, |_| false);
        notes.evidence.take_as_untouched(scene.clone());
        let open = notes.evidence.look_at(&board(true), &grid, false, |_| false);
        notes.evidence.games.push(crate::calibrate::evidence::Record {
            running: open.clone(),
            ending: open,
            clicked: Cell::new(0, 0),
            pressed: vec![Cell::new(0, 0)],
            clicks: 1,
            opened_first: 1,
            open_at_start: 0,
        });
        notes
    }

    fn after(said: &[&str]) -> (Notes, Option<Meanings>) {
        let (mut notes, mut said) = (notes(), said.iter());
        let meanings = confirm(&mut notes, Paint::never(), &mut || said.next().map(|line| (*line).to_owned()));
        (notes, meanings)
    }

    #[test]
    fn what_the_person_says_is_believed_and_kept() {
        let named = |meanings: Option<Meanings>, look| meanings.unwrap().of.get(&look).map(|meaning| meaning.tile);
        let (mut notes, meanings) = after(&["", "2"]);
        assert_eq!(named(meanings, 0), Some(Tile::Hidden));
        notes.evidence.known.aside.insert(1);
        let folder = std::env::temp_dir().join(format!("minesight-confirm-{}", std::process::id()));
        notes.save(&folder).unwrap();
        let again = Notes::load(&folder).unwrap().unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(named(again.meanings().ok(), 1), Some(Tile::Open(2)));
        assert_eq!(again.evidence.known.aside, notes.evidence.known.aside);
    }

    #[test]
    fn what_is_no_tile_or_fits_no_game_is_asked_again() {
        // A corner has three neighbours.
        let (notes, _) = after(&["", "seven", "~", "5", "3"]);
        assert_eq!(notes.evidence.known.told.get(&1), Some(&Tile::Open(3)));
        let (notes, _) = after(&["", "5"]);
        assert_eq!(notes.evidence.known.told.get(&1), None);
    }

    #[test]
    fn enter_leaves_it_as_it_is() {
        let (notes, meanings) = after(&["", ""]);
        assert!(notes.evidence.known.told.is_empty());
        assert!(meanings.unwrap().of.contains_key(&0));
    }
}
