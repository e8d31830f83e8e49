//! A board beside what looks like one: a spreadsheet, a calendar, a chess board, another client's covered window, a picture of a
//! board in an image viewer, a wallpaper that is a lattice of its own pitch. The board must be found all the same.

use super::shots::{Known, Shot, fixtures, misplaced, open, shots};
use super::{all_eyes, dice, distort, setting};
use distort::Kernel;
use image::{Rgba, RgbaImage, imageops};
use minesight::client;
use minesight::screenshot::Screenshot;
use minesight::vision::Grid;
use minesight::vision::find_any;
use rand::RngExt;
use rayon::prelude::*;

/// What is beside the board.
#[derive(Clone, Copy, Debug)]
enum Decoy {
    /// A page behind the board's window.
    Page(&'static str),
    /// A drawn one in a window of its own.
    Drawn(Drawing),
    /// A window with a board of another client, of which something covers a part.
    CoveredWindow,
    /// A picture of another client's board in an image viewer, so much smaller.
    Picture(f64),
    /// A picture of another board of the same client, so much smaller.
    OwnPicture(f64),
    /// A wallpaper of the board's own pitch.
    Wallpaper(Drawing),
}

/// Squares of the pitch of a board.
#[derive(Clone, Copy, Debug)]
enum Drawing {
    /// Lines, with words in some cells.
    Spreadsheet,
    /// Lines, with a number in the corner of every cell.
    Calendar,
    /// Two tones.
    Chess,
    /// Thin lines and nothing else.
    Lines,
    /// Raised squares.
    Bevels,
    /// A dot in every cell.
    Dots,
}

const DECOYS: [Decoy; 12] = [
    Decoy::Page("page-spreadsheet"),
    Decoy::Page("page-calendar-month"),
    Decoy::Page("page-chess"),
    Decoy::Drawn(Drawing::Spreadsheet),
    Decoy::Drawn(Drawing::Calendar),
    Decoy::Drawn(Drawing::Chess),
    Decoy::CoveredWindow,
    Decoy::Picture(0.7),
    Decoy::OwnPicture(0.7),
    Decoy::Wallpaper(Drawing::Lines),
    Decoy::Wallpaper(Drawing::Bevels),
    Decoy::Wallpaper(Drawing::Dots),
];

/// So much of its surroundings comes with a board, in tiles.
const MARGIN: f64 = 1.5;
/// Room between windows, in pixels.
const APART: u32 = 24;
const PAPER: Rgba<u8> = Rgba([252, 252, 252, 255]);
const INK: Rgba<u8> = Rgba([60, 64, 72, 255]);
const LINE: Rgba<u8> = Rgba([200, 204, 210, 255]);

impl Drawing {
    /// The colour of a point of a cell, `u` and `v` from 0 to 1, one pixel being `(thin, flat)` of it.
    fn colour(self, (x, y): (i64, i64), (u, v): (f64, f64), (thin, flat): (f64, f64)) -> Rgba<u8> {
        let on_line = u < thin || v < flat;
        let within = |from: (f64, f64), to: (f64, f64)| (from.0..to.0).contains(&u) && (from.1..to.1).contains(&v);
        match self {
            Drawing::Spreadsheet if on_line => LINE,
            Drawing::Spreadsheet => {
                let letters = (u * 8.0) as i64;
                let has_word = (x * 7 + y * 3) % 5 < 3 && letters < 2 + (x + y * 5) % 5;
                let is_ink = has_word && within((0.1, 0.35), (0.9, 0.65)) && (u * 8.0).fract() < 0.6;
                if is_ink { INK } else { PAPER }
            }
            Drawing::Calendar if on_line => LINE,
            Drawing::Calendar => {
                let day = (y * 7 + x) % 31 + 1;
                let is_ink = within((0.1, 0.12), (0.22, 0.42)) && (day > 9 || u > 0.17)
                    || within((0.28, 0.12), (0.4, 0.42)) && (v * 12.0) as i64 % 3 != day % 3;
                if is_ink { INK } else { PAPER }
            }
            Drawing::Chess if (x + y) % 2 == 0 => Rgba([238, 220, 190, 255]),
            Drawing::Chess => Rgba([150, 110, 80, 255]),
            Drawing::Lines => {
                if on_line {
                    LINE
                } else {
                    PAPER
                }
            }
            Drawing::Bevels => {
                let grey = if u < 2.0 * thin || v < 2.0 * flat {
                    240
                } else if u > 1.0 - 2.0 * thin || v > 1.0 - 2.0 * flat {
                    130
                } else {
                    190
                };
                Rgba([grey, grey, grey, 255])
            }
            Drawing::Dots if (u - 0.5).hypot(v - 0.5) < 0.12 => INK,
            Drawing::Dots => Rgba([120, 160, 200, 255]),
        }
    }

    /// Squares of this pitch all over a picture.
    fn draw(self, (width, height): (u32, u32), (across, down): (f64, f64)) -> RgbaImage {
        RgbaImage::from_fn(width, height, |x, y| {
            let (u, v) = (f64::from(x) / across, f64::from(y) / down);
            self.colour((u as i64, v as i64), (u.fract(), v.fract()), (1.0 / across, 1.0 / down))
        })
    }
}

/// A window with something in it: a title above, a thin frame around.
fn framed(content: &RgbaImage, frame: Rgba<u8>) -> RgbaImage {
    let mut window = RgbaImage::from_pixel(content.width() + 2, content.height() + 29, frame);
    imageops::replace(&mut window, content, 1, 28);
    window
}

fn part(shot: &Shot) -> Shot {
    let (across, down) = shot.grid.pitch();
    shot.around([MARGIN * across, MARGIN * down])
}

/// The window that stands beside a board, if it is one.
fn window(decoy: Decoy, shot: &Shot, other: &Shot, own: &Shot) -> Option<RgbaImage> {
    let pitch = shot.grid.pitch();
    let viewed = |shot: &Shot, scale: f64| {
        let picture = distort::stretched(&part(shot).picture, scale, (0.0, 0.0), Kernel::Triangle);
        let mut content = RgbaImage::from_pixel(picture.width() + 80, picture.height() + 60, Rgba([40, 40, 44, 255]));
        imageops::replace(&mut content, &picture, 40, 30);
        framed(&content, Rgba([225, 222, 218, 255]))
    };
    match decoy {
        Decoy::Page(_) | Decoy::Wallpaper(_) => None,
        Decoy::Drawn(drawing) => {
            let cells = if matches!(drawing, Drawing::Chess) { (8.0, 8.0) } else { (14.0, 12.0) };
            let length = |cells: f64, pitch: f64| (cells * pitch) as u32;
            let content = drawing.draw((length(cells.0, pitch.0), length(cells.1, pitch.1)), pitch);
            Some(framed(&content, Rgba([225, 222, 218, 255])))
        }
        Decoy::CoveredWindow => {
            let mut window = part(other).picture;
            let (width, height) = (window.width() * 2 / 5, window.height() * 3 / 5);
            let cover = framed(&RgbaImage::from_pixel(width, height, PAPER), Rgba([80, 110, 160, 255]));
            imageops::replace(&mut window, &cover, i64::from(width), i64::from(height / 2));
            Some(window)
        }
        Decoy::Picture(scale) => Some(viewed(other, scale)),
        Decoy::OwnPicture(scale) => Some(viewed(own, scale)),
    }
}

/// A screen with the board and what is beside it, and where the board is.
fn composed(decoy: Decoy, shot: &Shot, other: &Shot, own: &Shot) -> (RgbaImage, Grid) {
    let board = part(shot);
    let window = window(decoy, shot, other, own);
    let (width, height) = board.picture.dimensions();
    let (beside, below) = window.as_ref().map_or((0, 0), |window| window.dimensions());
    let needed = (width + beside + 3 * APART, height.max(below) + 2 * APART);
    let size = (needed.0.max(1920), needed.1.max(1080));
    let mut screen = match decoy {
        Decoy::Wallpaper(drawing) => drawing.draw(size, shot.grid.pitch()),
        decoy => {
            let page = if let Decoy::Page(page) = decoy { page } else { "wallpaper-gradient" };
            let mut screen = RgbaImage::new(size.0, size.1);
            imageops::tile(&mut screen, &open(&fixtures().join("none").join(page).with_extension("png")));
            screen
        }
    };
    let mut rng = dice(shot, 5);
    let (room_across, room_down) = (size.0 - needed.0, size.1 - height - 2 * APART);
    let (right, down) = (rng.random_range(0..=room_across), rng.random_range(0..=room_down));
    // The board on the left or on the right.
    let is_left = rng.random_bool(0.5);
    let left = APART + right + if is_left || window.is_none() { 0 } else { beside + APART };
    let top = APART + down;
    if let Some(window) = window {
        let left = if is_left { left + width + APART } else { left - beside - APART };
        imageops::replace(&mut screen, &window, left.into(), APART.into());
    }
    imageops::replace(&mut screen, &board.picture, left.into(), top.into());
    (screen, board.grid.moved(-f64::from(left), -f64::from(top)))
}

/// What came of one screen: by named client, by any client.
struct Found {
    name: String,
    named: Result<(), String>,
    any: Result<(), String>,
}

/// Every kind of decoy beside one board of every client. `SAVE=folder` keeps the screens, `EVERY=4` takes every fourth.
fn survey() -> Vec<Found> {
    let clients = client::bundled().unwrap();
    let (shots, eyes) = (shots(&clients, 1), all_eyes());
    let of = |whose: usize| shots.iter().filter(move |shot| shot.whose == whose).collect::<Vec<_>>();
    let pairs: Vec<(usize, usize)> = (0..DECOYS.len())
        .flat_map(|decoy| (0..clients.len()).map(move |whose| (decoy, whose)))
        .step_by(setting("EVERY").unwrap_or(1))
        .collect();
    let judge = |&(decoy, whose): &(usize, usize)| {
        let (own, others) = (of(whose), of((whose + 1 + decoy % (clients.len() - 1)) % clients.len()));
        // Another board for every decoy, spread over all there are.
        let nth = |shots: &[&Known], step: usize| (decoy * step + whose) % shots.len();
        let shot = own[nth(&own, 7)].open();
        let (other, second) = (others[nth(&others, 5)].open(), own[nth(&own, 11)].open());
        let (picture, grid) = composed(DECOYS[decoy], &shot, &other, &second);
        let name = format!("{:?} beside {}", DECOYS[decoy], shot.name);
        if let Ok(folder) = std::env::var("SAVE") {
            picture.save(format!("{folder}/{}.png", name.replace(['/', ' ', '"'], "-"))).unwrap();
        }
        let screen = Screenshot::from_picture(picture);
        let judge = |grid_found: &Grid| misplaced(grid_found, &grid).map_or(Ok(()), Err);
        let named =
            eyes[whose].clone().find(&screen).map_err(|error| error.to_string()).and_then(|sight| judge(&sight.grid));
        let any = find_any(&mut eyes.clone(), &screen).map_err(|error| error.to_string());
        let any = any.and_then(|(found, sight)| match found == whose {
            true => judge(&sight.grid),
            false => Err(format!("a board of {} at {:?}", clients[found].name, sight.grid.origin())),
        });
        Found { name, named, any }
    };
    pairs.par_iter().map(judge).collect()
}

#[test]
#[ignore = "takes minutes"]
fn a_board_is_found_beside_what_looks_like_one() {
    let all = survey();
    let missed = |of: fn(&Found) -> &Result<(), String>| {
        all.iter()
            .filter_map(|found| Some(format!("{}: {}", found.name, of(found).as_ref().err()?)))
            .collect::<Vec<_>>()
    };
    let (named, any) = (missed(|found| &found.named), missed(|found| &found.any));
    println!("{} screens; not found by the client's name: {}, by any client: {}", all.len(), named.len(), any.len());
    println!("by name:\n{}\nby any:\n{}", named.join("\n"), any.join("\n"));
    assert!(named.is_empty() && any.is_empty());
}
