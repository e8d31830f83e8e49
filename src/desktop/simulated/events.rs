//! What a desktop does of its own accord, and the person at it: a schedule of [`Event`]s, drawn from a seed.

use crate::client::Client;
use crate::geometry::{BoardSize, Cell};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::time::Duration;

/// When something happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// At this time.
    Time(Duration),
    /// At this look at the screen, from 1.
    Look(u32),
    /// At this press or key, from 1.
    Press(u32),
}

/// Something that happens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// When.
    pub when: When,
    /// What.
    pub what: What,
}

/// What can happen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum What {
    /// The client's window moves by so many pixels, as far as the screen goes.
    Move(i32, i32),
    /// The client's tiles become larger or smaller by so many pixels.
    Resize(i32),
    /// The client changes to its next theme.
    Theme,
    /// Another program's window comes up over a part of the board and takes the keyboard, for so long. It is a share of the
    /// board's width and height from its top left corner: where it begins, and where it ends.
    Cover([f64; 2], [f64; 2], Duration),
    /// A small window of another program comes up over a corner of the board and stays above all others, without the keyboard.
    Notice(Duration),
    /// Another program takes the keyboard for so long; its window is elsewhere.
    Focus(Duration),
    /// The client's window is minimised for so long.
    Minimise(Duration),
    /// A dialog of the client covers its board for so long, or until the client's keys against one.
    Dialog(Duration),
    /// The client opens a second window with a fresh board.
    Second,
    /// The client's window is closed.
    Close,
    /// The person puts a flag on a tile, or goes on with its marks.
    Flag(Cell),
    /// The person opens a tile.
    Open(Cell),
    /// The person begins a new game.
    Restart,
    /// The person chooses another level.
    Level(BoardSize, u32),
    /// The client shows its page of levels in place of the board: a click there chooses its second one.
    Levels,
    /// The next press or key counts twice.
    Twice,
    /// The next press or key is lost.
    Lost,
    /// The next press reaches the client only so much later.
    Late(Duration),
    /// The next picture shows the upper half of the one before.
    Torn,
    /// So many next looks show a black screen.
    Black(u32),
    /// So many next looks fail.
    Fail(u32),
}

impl What {
    /// What sort of fault this is, for tables.
    pub fn name(self) -> &'static str {
        match self {
            What::Move(..) => "moved",
            What::Resize(_) => "resized",
            What::Theme => "theme changed",
            What::Cover(..) => "covered",
            What::Notice(_) => "notification",
            What::Focus(_) => "keyboard taken",
            What::Minimise(_) => "minimised",
            What::Dialog(_) => "dialog",
            What::Second => "second window",
            What::Close => "closed",
            What::Flag(_) => "flagged by hand",
            What::Open(_) => "opened by hand",
            What::Restart => "restarted by hand",
            What::Level(..) => "level changed",
            What::Levels => "page of levels",
            What::Twice => "press doubled",
            What::Lost => "press lost",
            What::Late(_) => "press late",
            What::Torn => "picture torn",
            What::Black(_) => "picture black",
            What::Fail(_) => "picture failed",
        }
    }

    /// One of all that can happen to a client on a board of this size.
    fn random(rng: &mut Xoshiro256PlusPlus, client: &Client, size: BoardSize) -> Self {
        let ms = |rng: &mut Xoshiro256PlusPlus, most: u64| Duration::from_millis(rng.random_range(20..most));
        let cell = size.cell(rng.random_range(0..size.tiles()));
        match rng.random_range(0..100) {
            0..14 => What::Move(rng.random_range(-60..=60), rng.random_range(-60..=60)),
            14..18 => What::Resize(rng.random_range(-2..=6)),
            18..20 => What::Theme,
            20..32 => {
                let span = |rng: &mut Xoshiro256PlusPlus| {
                    let from = rng.random_range(-0.3..0.9);
                    (from, from + rng.random_range(0.1..1.2))
                };
                let ((left, right), (top, bottom)) = (span(rng), span(rng));
                // Some stay longer than anybody waits.
                What::Cover([left, top], [right, bottom], ms(rng, 14_000))
            }
            32..37 => What::Notice(ms(rng, 6000)),
            37..45 => What::Focus(ms(rng, 6000)),
            45..50 => What::Minimise(ms(rng, 14_000)),
            50..54 => What::Dialog(ms(rng, 6000)),
            54..56 => What::Second,
            56..58 => What::Close,
            58..64 => What::Flag(cell),
            64..69 => What::Open(cell),
            69..71 => What::Restart,
            71..72 => {
                let other = client.levels.iter().find(|level| level.size() != size);
                other.map_or(What::Restart, |level| What::Level(level.size(), level.mines))
            }
            72..77 => What::Twice,
            77..83 => What::Lost,
            83..88 => What::Late(ms(rng, 1500)),
            88..93 => What::Torn,
            93..97 => What::Black(rng.random_range(1..6)),
            _ => What::Fail(rng.random_range(1..6)),
        }
    }
}

/// What happens in one game, drawn from a seed: none to six events, at times, looks and presses of the game.
pub fn schedule(seed: u64, client: &Client, size: BoardSize) -> Vec<Event> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    (0..rng.random_range(0..=6))
        .map(|_| {
            let when = match rng.random_range(0..3) {
                0 => When::Time(Duration::from_millis(rng.random_range(0..2500))),
                1 => When::Look(rng.random_range(1..200)),
                _ => When::Press(rng.random_range(1..60)),
            };
            Event { when, what: What::random(&mut rng, client, size) }
        })
        .collect()
}
