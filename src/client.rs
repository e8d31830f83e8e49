//! One Minesweeper client as data: its looks and its manners, from `calibration/<name>.toml` and
//! `templates/<name>/`. The bundled clients are compiled in; others are read from disk.
//! A new client is a new file and a new folder; if one needs an `if` in code, a field is missing here.

pub mod load;
mod save;

use crate::board::Tile;
use crate::game::Rule;
use crate::geometry::{BoardSize, Cell};
use image::RgbaImage;
pub use load::{ClientError, bundled, by_name, known, load, own_folder};
pub use save::save;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// How one client looks and behaves.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Client {
    /// Its name, also that of its file and folder.
    pub name: String,
    /// One line for people.
    pub about: String,
    /// What its window may be called: by that it is known while nothing of its board shows.
    #[serde(default)]
    pub title: Vec<String>,
    /// What its rules are.
    pub rules: Rules,
    /// Whether it offers boards of any other size than those of its levels: what looks like one then is none.
    #[serde(default = "yes")]
    pub custom_boards: bool,
    /// Whether columns and rows change their size while a game is played, as those of a table in a browser may.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub elastic: bool,
    /// Columns and rows of boards that it offers, but with no fixed number of mines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<[u32; 2]>,
    /// The boards it offers.
    #[serde(rename = "level", default)]
    pub levels: Vec<Level>,
    /// How to play it.
    pub hands: Hands,
    /// Where it says how many mines are left.
    #[serde(default)]
    pub counter: Option<Counter>,
    /// How it looks: one entry a theme; the first is the default.
    #[serde(rename = "theme")]
    pub themes: Vec<Theme>,
}

/// What a client's rules are.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    /// What the first click is promised.
    pub first_click: Rule,
    /// Boards can always be solved without guessing.
    #[serde(default)]
    pub no_guess: bool,
    /// The game is only won when every mine also carries a flag.
    #[serde(default)]
    pub flags_to_win: bool,
    /// All around an empty tile is opened with it: some programs forget the corners.
    #[serde(default = "yes", skip_serializing_if = "Clone::clone")]
    pub floods: bool,
}

/// A board a client offers.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Level {
    /// `beginner`, `intermediate`, `expert` or a name of its own.
    pub name: String,
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Mines.
    pub mines: u32,
    /// The keys that choose it, whatever board or page of levels the client shows; an answer is given only where a dialog is known to
    /// ask. Without them only the person can choose it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choose: Vec<Step>,
}

impl Level {
    /// Width and height.
    pub fn size(&self) -> BoardSize {
        BoardSize::new(self.width, self.height)
    }
}

/// How to play a client with the mouse and the keyboard.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Hands {
    /// How a tile is opened.
    #[serde(default = "left")]
    pub open: Press,
    /// How a flag is put on a hidden tile.
    #[serde(default = "right")]
    pub flag: Press,
    /// How a number with all its flags is opened around, if the client can.
    #[serde(default)]
    pub chord: Option<Press>,
    /// How it is played where the mouse does nothing: `open`, `flag` and `chord` are not clicked then.
    #[serde(default)]
    pub cursor: Option<Cursor>,
    /// What successive flag presses on one tile show, beginning and ending with hidden: `["hidden", "flag"]` or
    /// `["hidden", "flag", "question"]`.
    #[serde(default = "flag_cycle")]
    pub flag_cycle: Vec<String>,
    /// How long the pointer is on a tile before a button goes down, in milliseconds.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub rest_ms: u64,
    /// How long a button stays down, in milliseconds.
    #[serde(default)]
    pub hold_ms: u64,
    /// How long the pointer stays on each tile that it clicked until that changes, in milliseconds, for a client that asks where the pointer is as late as
    /// that. Where nothing is said it may leave at once as soon as the system shows that a click is over, and after [`STAY`] elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stay_ms: Option<u64>,
    /// Where the pointer goes before the board is looked at, for clients that change the look of the tile under it.
    /// Without it the pointer stays where it clicked.
    #[serde(default)]
    pub park: Option<Spot>,
    /// How long the board must not change before it is believed to be painted, in milliseconds; one that goes on and shows nothing but
    /// pictures of tiles that were at rest before in that game is believed at once.
    #[serde(default = "still")]
    pub still_ms: u64,
    /// The longest the client takes to paint the answer to a click, in milliseconds: after this without a change
    /// the click is taken as lost.
    #[serde(default = "paint")]
    pub paint_ms: u64,
    /// The longest it takes to answer the first click of a game (some make the board only then), in milliseconds.
    #[serde(default)]
    pub first_paint_ms: Option<u64>,
    /// What begins a new game, while one is running or after it has ended. Tried in order until a new board shows.
    pub new_game: Vec<Step>,
    /// What takes away whatever covers the board after a win or a loss (dialogs), before a new game.
    #[serde(default)]
    pub uncover: Vec<Step>,
    /// Whether it shows pages in place of its board between games, or something over all of it: what `new_game` clicks through.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pages: bool,
}

impl Hands {
    /// How its buttons are pressed.
    pub fn touch(&self) -> Touch {
        Touch { rest_ms: self.rest_ms, hold_ms: self.hold_ms }
    }
}

/// How a button is pressed: a client that asks only now and then where the mouse is misses what is quicker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Touch {
    /// How long the pointer is there before the button goes down, in milliseconds.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub rest_ms: u64,
    /// How long it stays down, in milliseconds.
    #[serde(default)]
    pub hold_ms: u64,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // as serde calls it
fn is_zero(time: &u64) -> bool {
    *time == 0
}

impl Touch {
    /// For when this had no effect: twice as long, and as long at rest before.
    pub fn firmer(self) -> Self {
        Self { rest_ms: (2 * self.rest_ms).max(2 * self.hold_ms), hold_ms: 2 * self.hold_ms }
    }

    /// For a button, which is clicked seldom: many programs ask where the pointer is as often as they draw themselves, and take a press to be where
    /// it was then.
    pub fn unhurried(self) -> Self {
        Self { rest_ms: self.rest_ms.max(UNHURRIED.rest_ms), hold_ms: self.hold_ms.max(UNHURRIED.hold_ms) }
    }
}

/// As long as three pictures take of a program that draws thirty a second.
const UNHURRIED: Touch = Touch { rest_ms: 100, hold_ms: 80 };

/// A client's own cursor, moved by keys, and what keys do to the tile below it.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Cursor {
    /// To the first tile of the first row.
    pub home: String,
    /// To the next tile of the row.
    pub right: String,
    /// To the next row.
    pub down: String,
    /// Opens the tile.
    pub open: String,
    /// Puts a flag on it, or goes on in `flag_cycle`.
    pub flag: String,
}

impl Cursor {
    /// The keys that bring it to a tile, wherever it was.
    pub fn way_to(&self, cell: Cell) -> impl Iterator<Item = &String> {
        let right = std::iter::repeat_n(&self.right, cell.x as usize);
        let down = std::iter::repeat_n(&self.down, cell.y as usize);
        std::iter::once(&self.home).chain(right).chain(down)
    }
}

/// A mouse button.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Button {
    /// Left.
    Left,
    /// Middle.
    Middle,
    /// Right.
    Right,
}

/// A button, with the keys held meanwhile.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Press {
    /// Which button.
    pub button: Button,
    /// Keys held meanwhile, as in `"ctrl"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with: Option<String>,
}

/// One step of a recipe such as `new_game`.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Step {
    /// Keys pressed together: `{ keys = "ctrl+r" }`.
    Keys(String),
    /// Keys for a dialog that is a window of its own: `{ answer = "Escape" }`. Where no dialog has the keyboard there is nothing to be
    /// answered, and nothing is typed: the client may have another use for that key.
    Answer(String),
    /// A dialog that is a window of its own is closed, as by its own button for that, where it takes no key: `"close"`.
    Close,
    /// The program is started again, once it has ended with its game, or its window is closed for that: `"start"`. What it shows next is waited for.
    Start,
    /// A click on a control: `{ click = { from = "top", tiles = [0.0, -2.0] } }`.
    Click(Spot),
    /// The pointer moves there, for what stays until it does: `{ point = { from = "top-left", tiles = [0.5, -0.4] } }`.
    Point(Spot),
    /// A pause in milliseconds: `{ wait = 300 }`.
    Wait(u64),
    /// Steps that are taken one after the other, all of them, before it is looked what came of them: a menu and what is in it, or a control
    /// that shows a new board and another without which that answers no click: `{ all = [{ keys = "alt+g" }, { keys = "n" }] }`.
    All(Vec<Step>),
}

/// The longest that a way waits for a page, in milliseconds.
pub const LONGEST_WAIT: u64 = 4000;

impl Step {
    /// What is done, one after the other.
    pub fn parts(&self) -> Vec<&Step> {
        match self {
            Self::All(steps) => steps.iter().flat_map(Self::parts).collect(),
            one => vec![one],
        }
    }

    /// Whether the program is started again by it.
    pub fn starts(&self) -> bool {
        self.parts().contains(&&Self::Start)
    }

    /// Makes a way wait longer for its pages, which came too late for one of its clicks.
    pub fn slow_down(&mut self) {
        match self {
            Self::Wait(ms) => *ms = (2 * *ms).min(LONGEST_WAIT).max(*ms),
            Self::All(steps) => steps.iter_mut().for_each(Self::slow_down),
            _ => {}
        }
    }

    /// Changes every place in it.
    pub fn each_place(&mut self, change: &mut impl FnMut(&mut Spot)) {
        match self {
            Self::Click(spot) | Self::Point(spot) => change(spot),
            Self::All(steps) => steps.iter_mut().for_each(|step| step.each_place(change)),
            Self::Keys(_) | Self::Answer(_) | Self::Close | Self::Start | Self::Wait(_) => {}
        }
    }
}

/// A place relative to the board, so that it is right at any scale and size.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Spot {
    /// The point of the board it is measured from.
    pub from: Anchor,
    /// Right and down from there, in tiles.
    #[serde(default)]
    pub tiles: [f64; 2],
    /// And further by so many pixels, for what does not grow with the tiles.
    #[serde(default)]
    pub pixels: [f64; 2],
}

/// A point of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Anchor {
    /// The top left corner.
    TopLeft,
    /// The middle of the top edge.
    Top,
    /// The top right corner.
    TopRight,
    /// The middle of the left edge.
    Left,
    /// The middle.
    Center,
    /// The middle of the right edge.
    Right,
    /// The bottom left corner.
    BottomLeft,
    /// The middle of the bottom edge.
    Bottom,
    /// The bottom right corner.
    BottomRight,
}

/// Where a client says how many mines are left, and how its digits look.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Counter {
    /// What it says.
    pub shows: Shows,
    /// The top left and the bottom right corner of the area in which it stands. In an area of text there may be other words.
    pub area: [Spot; 2],
    /// The area is a display of so many digits of the same width; without it, it is dark text on a light ground.
    #[serde(default)]
    pub places: Option<u32>,
    /// Pictures of the digits `0`-`9` and of `/`, in `templates/<client>/counter/`: bright on black, of text only as much as
    /// the character covers, of a display a whole place. Digits that touch each other in a text have a picture together.
    pub digits: BTreeMap<String, Vec<String>>,
    /// The pictures named in `digits`, loaded.
    #[serde(skip)]
    pub pictures: Vec<(String, RgbaImage)>,
}

/// What a counter says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shows {
    /// Mines less flags.
    Left,
    /// Flags, a slash and mines: `3/10`.
    FlagsOfMines,
}

/// One way a client can look.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Theme {
    /// Its name; the folder `templates/<client>/<theme>/` holds its pictures.
    pub name: String,
    /// What is believed.
    #[serde(rename = "match", default)]
    pub belief: Belief,
    /// How much lighter or darker than its picture a look may be, in grey levels, where tiles are translucent and what lies
    /// behind them differs from place to place.
    #[serde(default)]
    pub tint: f32,
    /// Whether a picture lies behind the board, so that beyond the line around it anything may show.
    #[serde(default)]
    pub backdrop: bool,
    /// The colour between the tiles of the pictures (red, green, blue), where the desktop's theme chooses it: on another ground
    /// they are painted anew.
    #[serde(default)]
    pub ground: Option<[u8; 3]>,
    /// Display scales at which parts of a tile keep their size in points, as lines of a fixed width do: at twice the scale a tile
    /// looks like one of half the width.
    #[serde(default = "scales")]
    pub scales: Vec<f64>,
    /// What keeps its size in pixels while tiles grow with the window.
    #[serde(default)]
    pub fixed: Option<Fixed>,
    /// Pictures of every look, by the character of the tile in board text (`#`, `0`-`8`, `F`, `?`, `*`, `X`, `x`), and of what is none of
    /// these, but near one (`~`): it is not recognised.
    /// Several pictures are fine: of different scales, or of places where the client paints a look differently.
    /// A picture shows one whole tile, lines between tiles included, so its size is the pitch it was cut at.
    /// Transparent pixels are not compared.
    pub tiles: BTreeMap<char, Vec<String>>,
    /// The corners of the frame around the board, for clients whose tiles have no borders of their own, as in a terminal: where
    /// tiles are empty, only the frame tells where the board ends. The tiles then have the size of their pictures; where a frame is
    /// drawn of dashes, one for every character, and its corners are characters, they may have any.
    #[serde(default)]
    pub frame: Option<Frame>,
    /// The pictures named in `tiles`, loaded.
    #[serde(skip)]
    pub pictures: Vec<Picture>,
}

/// Looks whose lines and number keep their size in pixels, whatever the size of the tile: the number stands in the middle of a
/// plain or stippled tile. One picture serves all sizes: the part around the number becomes wider or narrower.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Fixed {
    /// Which, as in board text.
    pub looks: String,
    /// How wide the lines of a tile are, in pixels: at its left and top, and at its right and bottom.
    pub lines: [u32; 2],
}

impl Fixed {
    /// What a look would be on a tile as wide and high as this.
    pub fn of_size(&self, picture: &RgbaImage, size: u32) -> RgbaImage {
        let [before, after] = self.lines;
        let place = |at: u32, own: u32| match at {
            at if at < before => at,
            at if at + after >= size => (own + at).saturating_sub(size),
            at => {
                let (first, last) = (i64::from(before), i64::from(own) - i64::from(after) - 1);
                let at = i64::from(at) + i64::from(own / 2) - i64::from(size / 2);
                // Two pixels by turns, for a stipple.
                (if at < first { first + (first - at) % 2 } else { at.min(last - (at - last).max(0) % 2) }) as u32
            }
        };
        RgbaImage::from_fn(size, size, |x, y| *picture.get_pixel(place(x, picture.width()), place(y, picture.height())))
    }
}

/// Pictures of the corners of the frame around a board, that touch the board with one corner of their own.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Frame {
    /// It ends where the board begins.
    pub top_left: String,
    /// It ends above the board, and begins where the board ends.
    pub top_right: String,
    /// It begins below the board, and ends where the board begins.
    pub bottom_left: String,
    /// It begins where the board ends.
    pub bottom_right: String,
    /// All, loaded, in this order.
    #[serde(skip)]
    pub pictures: Vec<RgbaImage>,
}

impl Frame {
    /// The files of its pictures.
    pub fn files(&self) -> [&String; 4] {
        [&self.top_left, &self.top_right, &self.bottom_left, &self.bottom_right]
    }
}

/// A picture of one look of a tile.
#[derive(Clone, Debug)]
pub struct Picture {
    /// What it is a picture of.
    pub tile: Tile,
    /// Its file name.
    pub file: String,
    /// The whole tile, from the line on its left and top to the line of the next tile.
    pub pixels: RgbaImage,
}

/// When a match is believed. Both are shares of the distances between the theme's own pictures, so they mean the same
/// for every client, however faint its numbers are.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Belief {
    /// The lowest score that is believed: 1 is identical, 0 is as far from the picture as the nearest picture of
    /// another tile is.
    #[serde(default = "accept")]
    pub accept: f32,
    /// The lowest lead over every picture of another tile: 1 is on the spot, 0 is halfway between the two.
    #[serde(default = "margin")]
    pub margin: f32,
}

impl Default for Belief {
    fn default() -> Self {
        Self { accept: accept(), margin: margin() }
    }
}

/// Nearer than half the way to any other look: beyond that, the tile could be a look nobody has a picture of.
fn accept() -> f32 {
    0.5
}

/// Within the first 30 % of the way to any other look.
fn margin() -> f32 {
    0.4
}

fn left() -> Press {
    Press { button: Button::Left, with: None }
}

fn right() -> Press {
    Press { button: Button::Right, with: None }
}

fn yes() -> bool {
    true
}

fn scales() -> Vec<f64> {
    vec![1.0]
}

fn flag_cycle() -> Vec<String> {
    vec!["hidden".into(), "flag".into()]
}

/// A stay of 50 ms lost none of 240 clicks in the touchiest client measured, moving away within 1 ms lost 20 of 96.
pub const STAY: Duration = Duration::from_millis(50);

/// Longer than a client needs between two parts of one answer, shorter than a frame of the screen.
fn still() -> u64 {
    6
}

fn paint() -> u64 {
    1000
}

impl Client {
    /// The level with this name.
    pub fn level(&self, name: &str) -> Option<&Level> {
        self.levels.iter().find(|level| level.name == name)
    }

    /// The level with boards of this size.
    pub fn level_of(&self, size: BoardSize) -> Option<&Level> {
        self.levels.iter().find(|level| level.size() == size)
    }

    /// Whether it is known to offer boards of this size.
    pub fn has_size(&self, size: BoardSize) -> bool {
        self.level_of(size).is_some() || self.sizes.contains(&[size.width, size.height])
    }

    /// The sizes that it is known to offer, the smallest first.
    pub fn known_sizes(&self) -> Vec<BoardSize> {
        let levels = self.levels.iter().map(Level::size);
        let mut all: Vec<BoardSize> =
            levels.chain(self.sizes.iter().map(|&[width, height]| BoardSize::new(width, height))).collect();
        all.sort_by_key(|size| size.tiles());
        all
    }
}

impl Theme {
    /// The looks this theme has pictures of.
    pub fn looks(&self) -> impl Iterator<Item = Tile> {
        self.tiles.keys().filter_map(|&character| Tile::from_char(character))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgba;

    /// A tile with lines of 2 pixels at its left and top, and a number of 7x13 in its middle.
    fn tile(size: u32, ground: impl Fn(u32, u32) -> u8) -> RgbaImage {
        let is_number =
            |x: u32, y: u32| (size / 2 - 3..size / 2 + 4).contains(&x) && (size / 2 - 6..size / 2 + 7).contains(&y);
        RgbaImage::from_fn(size, size, |x, y| match (x, y) {
            (0..2, _) | (_, 0..2) => Rgba([0, 0, 0, 255]),
            (x, y) if is_number(x, y) => Rgba([0, 100, 0, 255]),
            (x, y) => Rgba([ground(x, y); 4]),
        })
    }

    #[test]
    fn a_number_of_a_fixed_size_stands_in_the_middle_of_tiles_of_any_size() {
        let fixed = Fixed { looks: "2".into(), lines: [2, 0] };
        for size in [18, 20, 33, 49, 50, 51, 94, 200] {
            assert_eq!(fixed.of_size(&tile(50, |_, _| 255), size), tile(size, |_, _| 255), "{size}");
        }
    }

    #[test]
    fn a_stipple_stays_one() {
        let fixed = Fixed { looks: "#".into(), lines: [2, 0] };
        let stipple = |x: u32, y: u32| ((x + y) % 2 * 200) as u8;
        for size in [20, 94] {
            assert_eq!(fixed.of_size(&tile(50, stipple), size), tile(size, stipple), "{size}");
        }
    }
}
