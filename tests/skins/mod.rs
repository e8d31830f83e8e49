//! Skins of clients that nobody made, drawn here: what learning meets beyond the usual look.

#![allow(dead_code)] // not every test that draws skins uses all of them

use image::{Rgba, RgbaImage};
use minesight::board::Tile;
use minesight::desktop::simulated::Skin;
use minesight::draw;
use minesight::geometry::Rect;

type Ink = [u8; 3];

/// How a skin draws a number, 1 to 8 (and 0, if it is written).
#[derive(Clone, Copy)]
enum Numbers {
    Digits,
    Letters,
    Dots,
    /// Digits, and a written zero.
    Zero,
}

/// What a skin looks like.
#[derive(Clone, Copy)]
struct Style {
    /// Width and height of a tile.
    tile: (u32, u32),
    hidden: Ink,
    open: Ink,
    /// Opacity of tiles (255: nothing shines through).
    opaque: u8,
    numbers: Numbers,
    /// How high they are, as a share of the tile.
    high: f32,
    /// All numbers in this colour; else each has its own.
    one_colour: Option<Ink>,
    /// Pixels between tiles, in this colour.
    gap: (u32, Ink),
    /// Tiles are circles on the gap's colour.
    is_round: bool,
    /// Hidden tiles are raised: light at the top and left, dark below and right.
    is_raised: bool,
    /// The line around a tile is so much lighter than it, where it has one.
    line: i32,
    /// Hidden tiles are as light as open ones at their top, and fade to their own colour at the bottom.
    fades: bool,
}

const PLAIN: Style = Style {
    tile: (24, 24),
    hidden: [176, 190, 205],
    open: [232, 236, 240],
    opaque: 255,
    numbers: Numbers::Digits,
    high: 0.7,
    one_colour: None,
    gap: (0, [0, 0, 0]),
    is_round: false,
    is_raised: true,
    line: 0,
    fades: false,
};

/// Colours of 1 to 8, none of them that of a known client.
const COLOURS: [Ink; 9] = [
    [120, 120, 120],
    [20, 90, 160],
    [30, 130, 60],
    [190, 40, 50],
    [90, 30, 130],
    [140, 80, 10],
    [0, 120, 130],
    [60, 60, 60],
    [150, 30, 110],
];

impl Style {
    fn pictures(self) -> Vec<(Tile, RgbaImage)> {
        let marks = [Tile::Hidden, Tile::Flag, Tile::Question, Tile::Mine, Tile::Exploded, Tile::WrongFlag];
        marks.into_iter().chain((0..=8).map(Tile::Open)).map(|tile| (tile, self.picture(tile))).collect()
    }

    fn picture(self, tile: Tile) -> RgbaImage {
        let (width, height) = self.tile;
        let is_covered = matches!(tile, Tile::Hidden | Tile::Flag | Tile::Question);
        let ground = match tile {
            Tile::Exploded => [225, 60, 60],
            _ if is_covered => self.hidden,
            _ => self.open,
        };
        let colour = |[r, g, b]: Ink, opaque: u8| Rgba([r, g, b, opaque]);
        let (gap, between) = self.gap;
        let (half_x, half_y) = (f64::from(width) / 2.0, f64::from(height) / 2.0);
        let radius = half_x.min(half_y) - f64::from(gap) / 2.0;
        let mut picture = RgbaImage::from_fn(width, height, |x, y| {
            let (from_middle_x, from_middle_y) = (f64::from(x) + 0.5 - half_x, f64::from(y) + 0.5 - half_y);
            let is_between = match self.is_round {
                true => from_middle_x.hypot(from_middle_y) > radius,
                false => x.min(y) < gap / 2 || x + gap.div_ceil(2) >= width || y + gap.div_ceil(2) >= height,
            };
            let edge = (width / 12).max(1);
            let (first, last) = (gap / 2, gap.div_ceil(2) + 1);
            let is_line = [x, y].contains(&first) || x + last == width || y + last == height;
            match () {
                () if is_between => colour(between, 255),
                // What fades into open tiles has the same line as these.
                () if self.line != 0 && is_line => {
                    lighter(if self.fades { self.open } else { ground }, self.line, self.opaque)
                }
                () if is_covered && self.is_raised && (x < edge || y < edge) => lighter(ground, 45, self.opaque),
                () if is_covered && self.is_raised && (x + edge >= width || y + edge >= height) => {
                    lighter(ground, -60, self.opaque)
                }
                () if !is_covered && (x + 1 == width || y + 1 == height) => lighter(ground, -35, self.opaque),
                () if is_covered && self.fades => {
                    let mixed = |own: u8, open: u8| {
                        (u32::from(open) * (height - y) + u32::from(own) * y).div_ceil(height).min(255) as u8
                    };
                    colour([0, 1, 2].map(|channel| mixed(ground[channel], self.open[channel])), self.opaque)
                }
                () => colour(ground, self.opaque),
            }
        });
        let part = Rect { left: width / 6, top: height / 6, width: width * 2 / 3, height: height * 2 / 3 };
        let ink = |number: u8| self.one_colour.unwrap_or(COLOURS[usize::from(number)]);
        let [size, high] = [0.7, self.high].map(|share| share * width.min(height) as f32);
        match tile {
            Tile::Open(0) if !matches!(self.numbers, Numbers::Zero) => {}
            Tile::Open(number) => match self.numbers {
                Numbers::Digits | Numbers::Zero => {
                    draw::write_within(&mut picture, part, &number.to_string(), high, ink(number))
                }
                Numbers::Letters => {
                    let letter = char::from(b'A' + number - 1).to_string();
                    draw::write_within(&mut picture, part, &letter, high, ink(number));
                }
                Numbers::Dots => dots(&mut picture, number, ink(number)),
            },
            Tile::Flag => draw::write_within(&mut picture, part, "P", size, [200, 30, 30]),
            Tile::Question => draw::write_within(&mut picture, part, "?", size, [30, 30, 30]),
            Tile::Mine | Tile::Exploded => draw::write_within(&mut picture, part, "*", 1.3 * size, [15, 15, 15]),
            Tile::WrongFlag => draw::write_within(&mut picture, part, "X", size, [160, 0, 0]),
            Tile::Hidden | Tile::Unrecognised => {}
        }
        picture
    }
}

fn lighter(ink: Ink, by: i32, opaque: u8) -> Rgba<u8> {
    let [r, g, b] = ink.map(|value| (i32::from(value) + by).clamp(0, 255) as u8);
    Rgba([r, g, b, opaque])
}

/// So many dots, on a grid of three by three.
fn dots(picture: &mut RgbaImage, number: u8, ink: Ink) {
    let (width, height) = picture.dimensions();
    let side = (width / 7).max(2);
    for dot in 0..u32::from(number) {
        let (left, top) = (width * (2 * (dot % 3) + 1) / 6 - side / 2, height * (2 * (dot / 3) + 1) / 6 - side / 2);
        for (x, y) in (0..side).flat_map(|x| (0..side).map(move |y| (left + x, top + y))) {
            picture.put_pixel(x.min(width - 1), y.min(height - 1), Rgba([ink[0], ink[1], ink[2], 255]));
        }
    }
}

/// Hills under a sky, for what lies behind a board.
fn photograph() -> RgbaImage {
    RgbaImage::from_fn(320, 240, |x, y| {
        let hill = 130.0 + 30.0 * (f64::from(x) / 60.0).sin() + 12.0 * (f64::from(x) / 17.0).cos();
        let grain = ((x * 7919 + y * 104_729) % 13) as u8;
        match f64::from(y) < hill {
            true => Rgba([120 + (y / 4) as u8 + grain, 150 + (y / 5) as u8, 210, 255]),
            false => Rgba([70 + grain, 110 + (y / 8) as u8 + grain, 60, 255]),
        }
    })
}

/// Every invented skin, by name.
pub fn invented() -> Vec<(&'static str, Skin)> {
    let skin = |style: Style| Skin::new(style.pictures());
    let second_tone = Style { hidden: [156, 172, 190], open: [214, 220, 226], ..PLAIN };
    let two_tones = Style { is_raised: false, gap: (2, [120, 130, 140]), hidden: [140, 200, 90], ..PLAIN };
    vec![
        ("letters", skin(Style { numbers: Numbers::Letters, ..PLAIN })),
        ("dots", skin(Style { numbers: Numbers::Dots, tile: (30, 30), ..PLAIN })),
        ("one colour", skin(Style { one_colour: Some([50, 50, 60]), ..PLAIN })),
        ("chequered ground", skin(PLAIN).by_turns(second_tone.pictures())),
        ("photograph", skin(Style { opaque: 205, tile: (28, 28), ..PLAIN }).over(photograph())),
        ("two tones", skin(two_tones).by_turns(Style { hidden: [150, 215, 100], ..two_tones }.pictures())),
        ("round", skin(Style { is_round: true, is_raised: false, gap: (2, [245, 245, 245]), tile: (32, 32), ..PLAIN })),
        ("gaps", skin(Style { gap: (6, [250, 250, 250]), is_raised: false, tile: (36, 36), ..PLAIN })),
        ("4:3", skin(Style { tile: (32, 24), ..PLAIN })),
        ("written zero", skin(Style { numbers: Numbers::Zero, ..PLAIN })),
        ("dark", skin(Style { hidden: [48, 52, 60], open: [28, 30, 34], ..PLAIN })),
        ("tiny", skin(Style { tile: (12, 12), numbers: Numbers::Dots, ..PLAIN })),
        ("huge", skin(Style { tile: (96, 96), ..PLAIN })),
        (
            "small and pale",
            skin(Style { tile: (60, 60), open: [200; 3], one_colour: Some([226; 3]), high: 0.16, ..PLAIN }),
        ),
    ]
}

const GROUND: Ink = [46, 50, 58];
/// Hidden tiles look like all that is around the board, but for faint lines around them.
const FAINT: Style =
    Style { hidden: GROUND, open: [22, 24, 30], gap: (2, GROUND), line: 12, is_raised: false, tile: (30, 30), ..PLAIN };

/// All around the board looks like hidden tiles, but for faint lines around these.
pub fn like_its_ground() -> Skin {
    Skin::new(FAINT.pictures()).over(RgbaImage::from_pixel(8, 8, lighter(GROUND, 0, 255)))
}

/// Hidden tiles that fade into what open ones are: a click changes their lower part.
pub fn faded() -> Skin {
    let style =
        Style { hidden: [214, 210, 208], open: [251, 250, 249], line: -50, is_raised: false, fades: true, ..PLAIN };
    Skin::new(Style { tile: (79, 51), ..style }.pictures()).over(RgbaImage::from_pixel(8, 8, Rgba([0, 0, 0, 255])))
}

/// Pictures of tiles of which one look is the ground of the page: what is hidden (nearly), empty, or a mine.
pub fn on_their_ground() -> Vec<(&'static str, Vec<(Tile, RgbaImage)>)> {
    let [red, green, blue] = GROUND;
    let plain = RgbaImage::from_pixel(30, 30, Rgba([red, green, blue, 255]));
    let raised = Style { hidden: [96, 110, 128], open: [150, 156, 166], tile: (30, 30), ..PLAIN };
    let mut mines = raised.pictures();
    mines.iter_mut().filter(|(tile, _)| *tile == Tile::Mine).for_each(|(_, picture)| *picture = plain.clone());
    let empty = Style { open: GROUND, gap: (2, GROUND), ..raised };
    vec![("hidden", FAINT.pictures()), ("empty", empty.pictures()), ("mines", mines)]
}

/// The ground on which these are.
pub fn ground(width: u32, height: u32) -> RgbaImage {
    RgbaImage::from_pixel(width, height, lighter(GROUND, 0, 255))
}
