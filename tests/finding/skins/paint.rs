//! Paints boards of invented looks: a skin is data, a point of a tile has a colour, and every pixel is the mean of some points, so that
//! edges may lie anywhere between pixels.

use super::super::shots::{fixtures, open};
use image::{Rgba, RgbaImage, imageops};
use minesight::board::Tile;
use minesight::game::{Game, Rule, State as GameState};
use minesight::geometry::{BoardSize, Cell};
use minesight::vision::Grid;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

type Rng = Xoshiro256PlusPlus;
type Colour = [f64; 3];

/// How far a game is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Untouched,
    Early,
    Mid,
    Late,
    Won,
    Lost,
}

pub const STATES: [State; 6] = [State::Untouched, State::Early, State::Mid, State::Late, State::Won, State::Lost];

/// A look.
pub struct Skin {
    pub name: &'static str,
    /// Not to be looked at by whoever builds what finds boards.
    pub is_kept_back: bool,
    /// Height of a tile in pixels, from and to.
    height: (f64, f64),
    /// Its width by its height.
    aspect: f64,
    /// Whether the client puts every edge on a whole pixel, so that some tiles are a pixel wider.
    is_whole: bool,
    /// What is between the tiles and around the board.
    ground: Ground,
    /// The part of a tile that is ground, on all sides together.
    gap: f64,
    corner: Corner,
    hidden: Face,
    open: Face,
    numbers: Numbers,
    /// The colours of 1 to 8, or of all.
    inks: &'static [Colour],
    /// Whether an empty tile carries a written zero.
    has_zero: bool,
}

#[derive(Clone, Copy)]
enum Ground {
    Plain(Colour),
    /// Something like a photograph, which shows through what is not opaque, too.
    Photograph,
}

#[derive(Clone, Copy)]
enum Corner {
    Square,
    /// Rounded by so much of a tile.
    Rounded(f64),
    /// As round as can be.
    Round,
}

/// The ground of a tile.
#[derive(Clone, Copy)]
struct Face {
    /// Two tones by turns, like squares of a chess board; often the same.
    tones: [Colour; 2],
    border: Border,
    pattern: Pattern,
    opacity: f64,
}

#[derive(Clone, Copy)]
enum Border {
    None,
    /// A line on all sides, so many pixels wide.
    Line(f64, Colour),
    /// Light on the left and top, dark on the right and bottom, so much of the tile wide.
    Raised(f64, Colour, Colour),
}

#[derive(Clone, Copy)]
enum Pattern {
    Plain,
    /// Lighter above, darker below, by so much.
    Shaded(f64),
    /// Every second pixel in another colour.
    Stipple(Colour),
}

#[derive(Clone, Copy)]
enum Numbers {
    Digits,
    /// `A` for 1.
    Letters,
    /// As on dice.
    Dots,
}

const fn grey(value: f64) -> Colour {
    [value; 3]
}

const fn flat(tone: Colour) -> Face {
    Face { tones: [tone; 2], border: Border::None, pattern: Pattern::Plain, opacity: 1.0 }
}

const fn lined(tone: Colour, width: f64, line: Colour) -> Face {
    Face { border: Border::Line(width, line), ..flat(tone) }
}

const fn raised(tone: Colour, width: f64, light: Colour, dark: Colour) -> Face {
    Face { border: Border::Raised(width, light, dark), ..flat(tone) }
}

const fn chequered(tones: [Colour; 2]) -> Face {
    Face { tones, ..flat(grey(0.0)) }
}

const INKS: &[Colour] = &[
    [30.0, 60.0, 220.0],
    [20.0, 130.0, 30.0],
    [210.0, 30.0, 30.0],
    [20.0, 20.0, 130.0],
    [130.0, 20.0, 20.0],
    [0.0, 130.0, 130.0],
    [20.0, 20.0, 20.0],
    [120.0, 120.0, 120.0],
];
const PASTELS: &[Colour] = &[
    [120.0, 190.0, 255.0],
    [130.0, 230.0, 140.0],
    [255.0, 140.0, 140.0],
    [190.0, 150.0, 255.0],
    [255.0, 200.0, 110.0],
    [110.0, 230.0, 230.0],
    [240.0, 240.0, 240.0],
    [170.0, 170.0, 170.0],
];
const BLACK: &[Colour] = &[grey(15.0)];
const WHITE: &[Colour] = &[grey(240.0)];

/// What skins have in common unless they say otherwise.
const PLAIN: Skin = Skin {
    name: "",
    is_kept_back: false,
    height: (17.0, 44.0),
    aspect: 1.0,
    is_whole: false,
    ground: Ground::Plain(grey(236.0)),
    gap: 0.0,
    corner: Corner::Square,
    hidden: lined(grey(190.0), 1.0, grey(110.0)),
    open: lined(grey(225.0), 1.0, grey(150.0)),
    numbers: Numbers::Digits,
    inks: INKS,
    has_zero: false,
};

pub static SKINS: [Skin; 18] = [
    Skin { name: "letters", numbers: Numbers::Letters, ..PLAIN },
    Skin {
        name: "dots",
        numbers: Numbers::Dots,
        hidden: raised([180.0, 190.0, 205.0], 0.1, grey(250.0), grey(110.0)),
        ..PLAIN
    },
    Skin {
        name: "one colour",
        hidden: lined(grey(244.0), 1.0, grey(20.0)),
        open: lined(grey(255.0), 1.0, grey(20.0)),
        inks: BLACK,
        ..PLAIN
    },
    Skin {
        name: "chequered",
        hidden: chequered([[170.0, 215.0, 81.0], [162.0, 209.0, 73.0]]),
        open: chequered([[229.0, 194.0, 159.0], [215.0, 184.0, 153.0]]),
        ground: Ground::Plain([74.0, 117.0, 44.0]),
        ..PLAIN
    },
    Skin {
        name: "photograph behind",
        ground: Ground::Photograph,
        hidden: Face { opacity: 0.45, ..lined([120.0, 150.0, 190.0], 1.5, grey(250.0)) },
        open: Face { opacity: 0.75, ..lined(grey(235.0), 1.0, grey(200.0)) },
        ..PLAIN
    },
    Skin {
        name: "round",
        corner: Corner::Round,
        gap: 0.08,
        hidden: flat([70.0, 110.0, 170.0]),
        open: flat([215.0, 222.0, 232.0]),
        ..PLAIN
    },
    Skin {
        name: "gaps",
        corner: Corner::Rounded(0.18),
        gap: 0.2,
        hidden: flat([222.0, 222.0, 220.0]),
        open: flat([186.0, 189.0, 182.0]),
        ground: Ground::Plain(grey(250.0)),
        is_whole: true,
        ..PLAIN
    },
    Skin { name: "4:3", aspect: 4.0 / 3.0, hidden: raised(grey(192.0), 0.08, grey(255.0), grey(128.0)), ..PLAIN },
    Skin { name: "1:2", aspect: 0.5, height: (24.0, 60.0), ..PLAIN },
    Skin { name: "written zero", has_zero: true, ..PLAIN },
    Skin {
        name: "dark",
        ground: Ground::Plain(grey(24.0)),
        hidden: lined([58.0, 62.0, 70.0], 1.0, [84.0, 90.0, 102.0]),
        open: lined([36.0, 38.0, 44.0], 1.0, [56.0, 60.0, 68.0]),
        inks: PASTELS,
        ..PLAIN
    },
    Skin {
        name: "tiny",
        height: (11.6, 13.4),
        hidden: raised(grey(192.0), 0.12, grey(255.0), grey(128.0)),
        open: lined(grey(192.0), 0.7, grey(128.0)),
        ..PLAIN
    },
    Skin {
        name: "huge",
        height: (300.0, 400.0),
        hidden: Face { pattern: Pattern::Shaded(30.0), ..lined([90.0, 140.0, 200.0], 3.0, [40.0, 70.0, 110.0]) },
        ..PLAIN
    },
    Skin {
        name: "outlines, kept back",
        is_kept_back: true,
        ground: Ground::Plain(grey(0.0)),
        hidden: lined(grey(0.0), 1.0, [0.0, 170.0, 0.0]),
        open: lined(grey(28.0), 1.0, [0.0, 90.0, 0.0]),
        inks: WHITE,
        ..PLAIN
    },
    Skin {
        name: "coloured stipple",
        is_kept_back: true,
        is_whole: true,
        hidden: Face {
            pattern: Pattern::Stipple([250.0, 230.0, 200.0]),
            ..lined([180.0, 120.0, 90.0], 2.0, grey(40.0))
        },
        open: lined([250.0, 240.0, 225.0], 2.0, grey(40.0)),
        ..PLAIN
    },
    Skin {
        name: "open without lines",
        is_kept_back: true,
        hidden: raised([150.0, 180.0, 150.0], 0.09, [215.0, 235.0, 215.0], [80.0, 110.0, 80.0]),
        open: flat([222.0, 226.0, 218.0]),
        ..PLAIN
    },
    Skin {
        name: "shaded with white lines",
        is_kept_back: true,
        ground: Ground::Plain(grey(255.0)),
        hidden: Face { pattern: Pattern::Shaded(40.0), ..lined([200.0, 150.0, 210.0], 1.5, grey(255.0)) },
        open: Face { pattern: Pattern::Shaded(8.0), ..lined([240.0, 232.0, 244.0], 1.5, grey(255.0)) },
        ..PLAIN
    },
    Skin {
        name: "chequered, dark, letters",
        is_kept_back: true,
        aspect: 0.9,
        ground: Ground::Plain(grey(12.0)),
        hidden: chequered([[60.0, 40.0, 90.0], [74.0, 52.0, 108.0]]),
        open: chequered([[28.0, 26.0, 36.0], [36.0, 33.0, 46.0]]),
        numbers: Numbers::Letters,
        inks: PASTELS,
        ..PLAIN
    },
];

/// A screen with a board.
pub struct Painted {
    pub picture: RgbaImage,
    pub grid: Grid,
}

/// Columns, rows, mines.
const BOARDS: [(u32, u32, u32); 12] = [
    (9, 9, 10),
    (16, 16, 40),
    (30, 16, 99),
    (8, 8, 10),
    (24, 20, 90),
    (10, 30, 50),
    (4, 8, 6),
    (12, 5, 9),
    (40, 24, 180),
    (6, 5, 5),
    (9, 5, 7),
    (4, 4, 3),
];
const DESKTOPS: [&str; 8] = [
    "wallpaper-plain",
    "wallpaper-white",
    "wallpaper-gradient",
    "wallpaper-waves",
    "page-article",
    "page-forms",
    "page-gallery",
    "terminal-listing",
];
/// The smallest screen; what does not fit is on one twice as large.
const SCREEN: (u32, u32) = (1920, 1080);
/// Points of a pixel that are looked at, across and down.
const POINTS: u32 = 4;

/// One board. The same arguments paint the same picture.
pub fn paint(skin: &Skin, state: State, seed: u64) -> Painted {
    let salt = skin.name.bytes().fold(seed, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    let mut rng = Rng::seed_from_u64(salt.wrapping_mul(7).wrapping_add(state as u64));
    let height = rng.random_range(skin.height.0..skin.height.1);
    let pitch = (height * skin.aspect, height);
    let factor = if skin.height.0 >= 200.0 { 2 } else { 1 };
    let screen = (SCREEN.0 * factor, SCREEN.1 * factor);
    // Room for a title and a frame.
    let fits = |&&(width, height, _): &&(u32, u32, u32)| {
        f64::from(width) * pitch.0 + 80.0 < f64::from(screen.0)
            && f64::from(height) * pitch.1 + 130.0 < f64::from(screen.1)
    };
    let boards: Vec<_> = BOARDS.iter().filter(fits).collect();
    let &(columns, rows, mines) = boards[rng.random_range(0..boards.len())];
    let size = BoardSize::new(columns, rows);
    let tiles = game(size, mines, state, &mut rng);
    let room = |screen: u32, tiles: u32, pitch: f64| f64::from(screen) - f64::from(tiles) * pitch;
    let left = rng.random_range(40.0..room(screen.0, columns, pitch.0) - 39.0);
    let top = rng.random_range(90.0..room(screen.1, rows, pitch.1) - 39.0);
    let edges = |from: f64, tiles: u32, pitch: f64| {
        let edge = |index: u32| from + f64::from(index) * pitch;
        (0..=tiles).map(|index| if skin.is_whole { edge(index).round() } else { edge(index) }).collect()
    };
    let grid = Grid { columns: edges(left, columns, pitch.0), lines: edges(top, rows, pitch.1) };
    let mut picture = RgbaImage::new(screen.0, screen.1);
    imageops::tile(
        &mut picture,
        &open(&fixtures().join("none").join(DESKTOPS[rng.random_range(0..DESKTOPS.len())]).with_extension("png")),
    );
    if rng.random_bool(0.75) {
        window(&mut picture, skin, &grid, &mut rng);
    }
    board(&mut picture, skin, &grid, &tiles);
    Painted { picture, grid }
}

/// The tiles of a game that is so far.
fn game(size: BoardSize, mines: u32, state: State, rng: &mut Rng) -> Vec<Tile> {
    let mut game = Game::deal(size, mines, Rule::Zero, rng.random()).unwrap();
    let safe = size.tiles() - mines as usize;
    let wanted = match state {
        State::Untouched => 0,
        State::Early => 1,
        State::Mid | State::Lost => safe / 2,
        State::Late => safe * 9 / 10,
        State::Won => safe,
    };
    let opened = |game: &Game| size.cells().filter(|&cell| game.board().tile(cell).number().is_some()).count();
    while opened(&game) < wanted && game.state() == GameState::Playing {
        let cell = size.cell(rng.random_range(0..size.tiles()));
        if opened(&game) == 0 || !game.is_mine(cell) {
            game.open(cell);
        }
    }
    // People put flags where they know mines.
    let share = if state == State::Won { 1.0 } else { 0.5 };
    if !matches!(state, State::Untouched | State::Early) && game.state() == GameState::Playing {
        for cell in size.cells().filter(|_| rng.random_bool(share)).collect::<Vec<Cell>>() {
            if game.is_mine(cell) {
                game.flag(cell);
            }
        }
    }
    if state == State::Lost {
        let mine = size.cells().find(|&cell| game.is_mine(cell) && game.board().tile(cell) == Tile::Hidden);
        mine.inspect(|&cell| {
            game.open(cell);
        });
        return game.reveal().tiles().to_vec();
    }
    game.board().tiles().to_vec()
}

/// A window around the board: title, frame, something of a display above the board.
fn window(picture: &mut RgbaImage, skin: &Skin, grid: &Grid, rng: &mut Rng) {
    let margin = rng.random_range(3..30i64);
    let (left, top) = (grid.columns[0] as i64 - margin, grid.lines[0] as i64 - margin - 50);
    let right = grid.columns[grid.columns.len() - 1].ceil() as i64 + margin;
    let bottom = grid.lines[grid.lines.len() - 1].ceil() as i64 + margin;
    let title = Rgba([70, 74, 84, 255]);
    for y in top..bottom {
        for x in left..right {
            let is_display = (top + 30..top + 46).contains(&y) && (left + 8..left + 50).contains(&x);
            let colour = if y < top + 24 {
                title
            } else if is_display {
                Rgba([20, 20, 20, 255])
            } else {
                rgba(behind(skin, x as f64, y as f64))
            };
            if x >= 0 && y >= 0 && (x as u32) < picture.width() && (y as u32) < picture.height() {
                picture.put_pixel(x as u32, y as u32, colour);
            }
        }
    }
}

fn rgba(colour: Colour) -> Rgba<u8> {
    let [r, g, b] = colour.map(|value| value.round().clamp(0.0, 255.0) as u8);
    Rgba([r, g, b, 255])
}

fn mix(a: Colour, b: Colour, share: f64) -> Colour {
    std::array::from_fn(|channel| a[channel] * (1.0 - share) + b[channel] * share)
}

/// What is behind the tiles at a point.
fn behind(skin: &Skin, x: f64, y: f64) -> Colour {
    match skin.ground {
        Ground::Plain(colour) => colour,
        Ground::Photograph => photograph(x, y),
    }
}

/// Smooth noise of several sizes: sky above, something dark below.
fn photograph(x: f64, y: f64) -> Colour {
    let at = |x: i64, y: i64, salt: i64| {
        let mut value =
            (x.wrapping_mul(374_761_393) ^ y.wrapping_mul(668_265_263) ^ salt.wrapping_mul(1_274_126_177)) as u64;
        value = (value ^ (value >> 13)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        ((value >> 40) & 0xffff) as f64 / 65535.0
    };
    let noise = |size: f64, salt: i64| {
        let (u, v) = (x / size, y / size);
        let (s, t) = (u.fract(), v.fract());
        let (i, j) = (u as i64, v as i64);
        let row = |j: i64| at(i, j, salt) * (1.0 - s) + at(i + 1, j, salt) * s;
        row(j) * (1.0 - t) + row(j + 1) * t
    };
    let light = 0.5 * noise(180.0, 1) + 0.25 * noise(60.0, 2) + 0.15 * noise(17.0, 3) + 0.1 * noise(3.0, 4);
    let warm = noise(240.0, 5);
    mix([40.0, 60.0, 40.0], mix([150.0, 190.0, 235.0], [235.0, 200.0, 150.0], warm), light)
}

/// Paints the tiles: every pixel is the mean of the points of it.
fn board(picture: &mut RgbaImage, skin: &Skin, grid: &Grid, tiles: &[Tile]) {
    let size = grid.size();
    let span = |edges: &[f64]| (edges[0].floor() as u32, edges[edges.len() - 1].ceil() as u32);
    let ((left, right), (top, bottom)) = (span(&grid.columns), span(&grid.lines));
    let place = |edges: &[f64], at: f64| {
        let after = edges.partition_point(|&edge| edge <= at);
        (after > 0 && after < edges.len()).then(|| (after - 1, at - edges[after - 1], edges[after] - edges[after - 1]))
    };
    let points = |from: u32, to: u32, edges: &[f64]| -> Vec<Option<(usize, f64, f64)>> {
        let at = |index: u32| f64::from(from) + (f64::from(index) + 0.5) / f64::from(POINTS);
        (0..(to - from) * POINTS).map(|index| place(edges, at(index))).collect()
    };
    let (across, down) = (points(left, right, &grid.columns), points(top, bottom, &grid.lines));
    for y in top..bottom {
        for x in left..right {
            let before = picture.get_pixel(x, y).0;
            let before: Colour = std::array::from_fn(|channel| f64::from(before[channel]));
            let mut sum = [0.0; 3];
            for v in 0..POINTS {
                for u in 0..POINTS {
                    let column = across[((x - left) * POINTS + u) as usize];
                    let line = down[((y - top) * POINTS + v) as usize];
                    let colour = match (column, line) {
                        (Some((column, dx, width)), Some((line, dy, height))) => {
                            let cell = Cell::new(column as u32, line as u32);
                            let point =
                                Point { tile: tiles[size.index(cell)], cell, dx, dy, width, height, pixel: (x, y) };
                            point.colour(skin)
                        }
                        _ => before,
                    };
                    sum.iter_mut().zip(colour).for_each(|(sum, value)| *sum += value);
                }
            }
            picture.put_pixel(x, y, rgba(sum.map(|sum| sum / f64::from(POINTS * POINTS))));
        }
    }
}

/// A point of a tile.
struct Point {
    tile: Tile,
    cell: Cell,
    /// From the tile's left and top, in pixels.
    dx: f64,
    dy: f64,
    width: f64,
    height: f64,
    /// The pixel it is in.
    pixel: (u32, u32),
}

impl Point {
    fn colour(&self, skin: &Skin) -> Colour {
        let behind = behind(skin, f64::from(self.pixel.0), f64::from(self.pixel.1));
        if !self.is_inside(skin) {
            return behind;
        }
        let is_open = matches!(self.tile, Tile::Open(_) | Tile::Mine | Tile::Exploded);
        let face = if is_open { &skin.open } else { &skin.hidden };
        if let Some(ink) = self.ink(skin) {
            return ink;
        }
        mix(behind, self.face(face, skin.gap), face.opacity)
    }

    /// Whether it is on the tile, not between the tiles.
    fn is_inside(&self, skin: &Skin) -> bool {
        let (u, v) = (self.dx / self.width - 0.5, self.dy / self.height - 0.5);
        let half = 0.5 - skin.gap / 2.0;
        let round = match skin.corner {
            Corner::Square => 0.0,
            Corner::Rounded(by) => by,
            Corner::Round => half,
        };
        let out = |at: f64| (at.abs() - (half - round)).max(0.0);
        u.abs() <= half && v.abs() <= half && out(u).hypot(out(v)) <= round.max(1e-9)
            || round == 0.0 && u.abs().max(v.abs()) <= half
    }

    fn face(&self, face: &Face, gap: f64) -> Colour {
        let tone = face.tones[((self.cell.x + self.cell.y) % 2) as usize];
        let (gap_x, gap_y) = (gap / 2.0 * self.width, gap / 2.0 * self.height);
        let (before, after) =
            ((self.dx - gap_x).min(self.dy - gap_y), (self.width - gap_x - self.dx).min(self.height - gap_y - self.dy));
        match face.border {
            // Half on every side, so that lines between tiles have their width.
            Border::Line(width, line) if before < width / 2.0 || after < width / 2.0 => return line,
            Border::Raised(width, light, dark) => {
                let wide = width * self.height;
                if before < wide && before <= after {
                    return light;
                }
                if after < wide {
                    return dark;
                }
            }
            _ => {}
        }
        match face.pattern {
            Pattern::Plain => tone,
            Pattern::Shaded(by) => tone.map(|value| value + by * (0.5 - self.dy / self.height)),
            Pattern::Stipple(other) if (self.pixel.0 + self.pixel.1).is_multiple_of(2) => other,
            Pattern::Stipple(_) => tone,
        }
    }

    /// What is drawn on the tile, if anything is at this point.
    fn ink(&self, skin: &Skin) -> Option<Colour> {
        // Signs are square, in the middle.
        let side = self.width.min(self.height);
        let (u, v) = ((self.dx - self.width / 2.0) / side, (self.dy - self.height / 2.0) / side);
        match self.tile {
            Tile::Open(0) if skin.has_zero => glyph('0', u, v).then_some(grey(150.0)),
            Tile::Open(0) => None,
            Tile::Open(number) => {
                let is_ink = match skin.numbers {
                    Numbers::Digits => glyph(char::from(b'0' + number), u, v),
                    Numbers::Letters => glyph(char::from(b'A' + number - 1), u, v),
                    Numbers::Dots => DOTS[usize::from(number) - 1].iter().any(|&(x, y)| (u - x).hypot(v - y) < 0.085),
                };
                is_ink.then(|| skin.inks[(usize::from(number) - 1) % skin.inks.len()])
            }
            Tile::Flag | Tile::WrongFlag => {
                let is_cloth = (-0.22..0.05).contains(&v) && u > -0.18 && u < 0.22 - (v + 0.085).abs() * 2.6;
                let is_pole = (-0.22..-0.16).contains(&u) && (-0.25..0.28).contains(&v);
                if is_cloth { Some([215.0, 40.0, 40.0]) } else { is_pole.then_some(grey(50.0)) }
            }
            Tile::Mine | Tile::Exploded => {
                let is_spike = u.abs() < 0.03 && v.abs() < 0.3 || v.abs() < 0.03 && u.abs() < 0.3;
                let colour = if self.tile == Tile::Exploded { [200.0, 20.0, 20.0] } else { grey(40.0) };
                (u.hypot(v) < 0.2 || is_spike).then_some(colour)
            }
            _ => None,
        }
    }
}

/// The dots of 1 to 8, from the middle.
const DOTS: [&[(f64, f64)]; 8] = [
    &[(0.0, 0.0)],
    &[(-0.2, -0.2), (0.2, 0.2)],
    &[(-0.22, -0.22), (0.0, 0.0), (0.22, 0.22)],
    &[(-0.2, -0.2), (0.2, 0.2), (-0.2, 0.2), (0.2, -0.2)],
    &[(-0.2, -0.2), (0.2, 0.2), (-0.2, 0.2), (0.2, -0.2), (0.0, 0.0)],
    &[(-0.2, -0.22), (-0.2, 0.0), (-0.2, 0.22), (0.2, -0.22), (0.2, 0.0), (0.2, 0.22)],
    &[(-0.2, -0.22), (-0.2, 0.0), (-0.2, 0.22), (0.2, -0.22), (0.2, 0.0), (0.2, 0.22), (0.0, 0.0)],
    &[(-0.2, -0.22), (-0.2, 0.0), (-0.2, 0.22), (0.2, -0.22), (0.2, 0.0), (0.2, 0.22), (0.0, -0.11), (0.0, 0.11)],
];

/// Whether a point, from the middle of the tile, is on a sign of five by seven dots that is six tenths of the tile high.
fn glyph(sign: char, u: f64, v: f64) -> bool {
    const DOT: f64 = 0.6 / 7.0;
    let (column, row) = ((u / DOT + 2.5).floor(), (v / DOT + 3.5).floor());
    if !(0.0..5.0).contains(&column) || !(0.0..7.0).contains(&row) {
        return false;
    }
    let rows: [u8; 7] = match sign {
        '0' => [14, 17, 19, 21, 25, 17, 14],
        '1' => [4, 12, 4, 4, 4, 4, 14],
        '2' => [14, 17, 1, 6, 8, 16, 31],
        '3' => [14, 17, 1, 6, 1, 17, 14],
        '4' => [2, 6, 10, 18, 31, 2, 2],
        '5' => [31, 16, 30, 1, 1, 17, 14],
        '6' => [6, 8, 16, 30, 17, 17, 14],
        '7' => [31, 1, 2, 4, 8, 8, 8],
        '8' => [14, 17, 17, 14, 17, 17, 14],
        'A' => [14, 17, 17, 31, 17, 17, 17],
        'B' => [30, 17, 17, 30, 17, 17, 30],
        'C' => [14, 17, 16, 16, 16, 17, 14],
        'D' => [30, 17, 17, 17, 17, 17, 30],
        'E' => [31, 16, 16, 30, 16, 16, 31],
        'F' => [31, 16, 16, 30, 16, 16, 16],
        'G' => [14, 17, 16, 23, 17, 17, 15],
        _ => [17, 17, 17, 31, 17, 17, 17],
    };
    rows[row as usize] >> (4 - column as usize) & 1 == 1
}
