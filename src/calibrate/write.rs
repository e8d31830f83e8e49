//! What was learned → a [`Client`], and its files.

use super::evidence::{Evidence, Record, Scene};
use super::keyed::ByKeys;
use super::meaning::Meanings;
use super::notes::Notes;
use crate::board::Tile;
use crate::client::{
    Belief, Button, Client, ClientError, Hands, Level, Picture, Press, Rules, Spot, Step, Theme, Touch, save,
};
use crate::game::Rule;
use crate::geometry::{BoardSize, ScreenPoint};
use crate::screenshot::{Screenshot, cut};
use crate::solver::probability::UNKNOWN_TOTAL_DENSITY;
use crate::vision::find::locate::BELIEVED;
use crate::vision::unknown::looks::{ALIKE, LookId};
use crate::vision::{Eyes, Reading, Sight, Variation};
use image::RgbaImage;
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Pictures of a look that are written.
const KEPT: usize = 4;
/// How long the pointer stays on a tile that it clicked, at most, until that changes: a program that draws ten pictures a second takes a click to be where
/// the pointer is up to 100 ms later. With 60 one in eight of its clicks had no effect, and two of eight games were given up for that.
const STAYS: Duration = Duration::from_millis(250);
/// Pictures of all looks of one kind of tile, with those that are added because they are not recognised by others.
const MOST_KEPT: usize = 24;
/// Games that must all have begun alike for a rule of the first click, and the chance of that being luck.
const FEWEST: usize = 4;
const LUCK: f64 = 1e-3;
/// Games that must have left something hidden beside an empty tile.
const DRY: usize = 2;

/// The score from which tiles are believed: of what was learned some looks were not seen yet, and pass for the nearest one. A mine with a cross reaches
/// 0.53 of a mine (web); that share of the way is also what a board's tiles must come on average.
const ACCEPTED: f32 = BELIEVED as f32;
/// Grey levels below which tiles are not lighter or darker than others, and the largest difference that is believed.
const FAINT: f32 = 2.0;
/// The score from which tiles with faint numbers are believed. In the one client that has these (PyQt, digits of 8 pixels) tiles of a look that was
/// learned reach 0.80 and more, and a 5 that was not passed for a 3 at 0.55.
const SURE: f32 = 0.7;
const MOST_TINT: f32 = 13.0;

/// What answers a dialog that never came up: what it offers first, or none of it.
const ANSWERS: [&str; 2] = ["Return", "Escape"];
/// Milliseconds for which clients that draw their mines from the clock deal the same ones (winemine and freesweep: a second).
const PAUSE: u64 = 1000;
/// The only theme of a client that was learned.
const THEME: &str = "learned";

/// The fewest milliseconds that an answer is waited for.
const PAINT: u64 = 500;

/// What was found out about a client.
#[derive(Clone, Debug)]
pub struct Found {
    /// Its name.
    pub name: String,
    /// The board it was learned on.
    pub size: BoardSize,
    /// The sizes of boards of which the mines are known.
    pub levels: Vec<(BoardSize, u32)>,
    /// Other sizes of boards that were seen.
    pub sizes: Vec<BoardSize>,
    /// Pictures by what they show, and the evidence for each in words.
    pub looks: BTreeMap<Tile, (Vec<RgbaImage>, String)>,
    /// What the first click is promised, for all that was seen.
    pub first_click: Rule,
    /// What a right click does to a hidden tile, in turn.
    pub marks: Vec<Tile>,
    /// What opens all that is left around a number that has its flags, where that was found out.
    pub chord: Option<Press>,
    /// The longest from a click to the last change, and the longest rest meanwhile.
    pub paints: (Duration, Duration),
    /// How much lighter or darker than another a tile of the same look may be, in grey levels.
    pub tint: f32,
    /// Whether numbers are so faint that one that was not seen yet would pass for another.
    pub is_faint: bool,
    /// Whether a game is only won when every mine carries a flag.
    pub flags_to_win: bool,
    /// Whether all around an empty tile is opened with it.
    pub floods: bool,
    /// Where the pointer waits.
    pub park: Spot,
    /// How a button is pressed.
    pub touch: Touch,
    /// Whether columns and rows change their size while a game is played.
    pub elastic: bool,
    /// Whether pages come in place of the board between games.
    pub pages: bool,
    /// What begins a new game; nothing where only the person can.
    pub new_game: Vec<Step>,
    /// What takes away what covers the board at the end.
    pub uncover: Vec<Step>,
    /// How it is played where the mouse does nothing.
    pub by_keys: Option<ByKeys>,
}

/// Whether all around an empty tile is opened with it. Some programs forget the corners: that must be seen in more than one game, for a picture may
/// be of a board that is still being painted. At the end of a game that was won the corners are open, too: then it was seen on the way.
fn floods(notes: &Notes, meanings: &Meanings) -> bool {
    let dry = notes.by_size(meanings).map(|(evidence, meanings)| {
        let is_dry = |game: &&Record| !evidence.dry(&game.running, &meanings).is_empty();
        evidence.games.iter().filter(is_dry).count()
    });
    dry.sum::<usize>().max(notes.dry) < DRY
}

/// What the first click is promised, once that can be told. That no first click hit a mine may be luck for as many games as are played
/// here; that each opened an area is not, at some point.
pub fn first_click(notes: &Notes, meanings: &Meanings) -> Option<Rule> {
    // Every game, with the chance that a first click opens an area by luck, and whether it opened no more than its tile.
    let all: Vec<(&Record, f64, bool)> = notes
        .by_size(meanings)
        .flat_map(|(evidence, meanings)| {
            let mines = meanings.mines.clone();
            let luck = move |size: BoardSize| {
                let density =
                    mines.get(&size).map_or(UNKNOWN_TOTAL_DENSITY, |&mines| f64::from(mines) / size.tiles() as f64);
                (1.0 - density).powi(9)
            };
            let hit = move |game: &Record| {
                let look = game.ending.looks.get(game.ending.grid.size().index(game.clicked)).copied().flatten();
                let meaning = look.and_then(|look| meanings.of.get(&look));
                // Mines that a loss shows are none that it opened.
                game.clicks == 1 && meaning.is_some_and(|meaning| meaning.tile.is_shown_mine())
            };
            let is_one = move |game: &Record| game.opened_first <= 1 || hit(game);
            evidence.games.iter().map(move |game| (game, luck(game.running.grid.size()), is_one(game)))
        })
        .collect();
    // One of many may have been seen wrongly, and who expects an area takes a board without one for fresh, too.
    let opened = all.iter().filter(|(game, ..)| game.open_at_start > 0).count();
    match all.len() {
        few if few < FEWEST => None,
        games if 2 * opened > games => Some(Rule::Opened),
        _ if all.iter().any(|(game, _, is_one)| *is_one || game.open_at_start > 0) => Some(Rule::Any),
        _ => (all.iter().map(|(_, luck, _)| luck).product::<f64>() <= LUCK).then_some(Rule::Zero),
    }
}

/// Whether two numbers are nearer to each other than tiles of one look may be in other clients.
fn has_faint_numbers(evidence: &Evidence, meanings: &Meanings) -> bool {
    let numbers = |number| meanings.of_tile(Tile::Open(number)).map(move |look| (number, look));
    let numbers: Vec<(u8, LookId)> = (1..=8).flat_map(numbers).collect();
    let is_near =
        |&(a, one): &(u8, LookId), &(b, other): &(u8, LookId)| a < b && evidence.looks.apart(one, other) < ALIKE;
    numbers.iter().any(|one| numbers.iter().any(|other| is_near(one, other)))
}

/// Of what was learned of tiles of several sizes what agrees with the size of which most numbers are known, by most games. Where another one says
/// otherwise of a number, what was taken for a board there was a part of one.
fn in_agreement<'a>(
    sizes: impl Iterator<Item = (&'a Evidence, Cow<'a, Meanings>)>,
) -> Vec<(&'a Evidence, Cow<'a, Meanings>)> {
    let mut sizes: Vec<_> = sizes.collect();
    let numbers =
        |meanings: &Meanings| (1..=8).filter(|&number| meanings.of_tile(Tile::Open(number)).next().is_some()).count();
    sizes.sort_by_key(|(evidence, meanings)| Reverse((numbers(meanings), evidence.games.len())));
    let Some((most, known)) = sizes.first() else { return sizes };
    let agrees = |evidence: &Evidence, meanings: &Meanings| {
        let is_number = |tile: Tile| matches!(tile, Tile::Open(1..));
        meanings.of.iter().all(|(&look, meaning)| {
            let own = evidence.looks.pictures(look).filter_map(|picture| most.looks.find_inside(picture));
            let mut own = own.filter_map(|look| known.of.get(&look)).map(|known| known.tile);
            own.all(|tile| tile == meaning.tile || !is_number(tile) && !is_number(meaning.tile))
        })
    };
    let agree: Vec<bool> = sizes[1..].iter().map(|(evidence, meanings)| agrees(evidence, meanings)).collect();
    let agree = std::iter::once(true).chain(agree);
    sizes.into_iter().zip(agree).filter_map(|(size, agrees)| agrees.then_some(size)).collect()
}

impl Found {
    /// Has a second waited before each new game, if that is not done already; whether it was not.
    pub fn pause_before_a_game(&mut self) -> bool {
        let pause = Step::Wait(PAUSE);
        let is_new = !self.new_game.contains(&pause);
        if is_new {
            self.new_game.insert(0, pause);
        }
        is_new
    }

    /// What was found out of a client, last seen with a board of this size.
    pub fn of(name: &str, size: BoardSize, notes: &Notes, meanings: &Meanings) -> Self {
        let mut looks: BTreeMap<Tile, (Vec<RgbaImage>, String)> = BTreeMap::new();
        let (mut levels, mut sizes, mut is_faint) = (BTreeMap::new(), BTreeSet::from([size]), false);
        for (seen, meanings) in in_agreement(notes.by_size(meanings)) {
            let mut kept: BTreeMap<Tile, usize> = BTreeMap::new();
            for (look, meaning) in meanings.convincing() {
                let (pictures, evidence) = looks.entry(meaning.tile).or_default();
                let kept = kept.entry(meaning.tile).or_default();
                let more = seen.looks.pictures(look).take((2 * KEPT).saturating_sub(*kept).min(KEPT));
                for picture in more {
                    *kept += 1;
                    let rim = seen.rim();
                    // An empty tile may have a line at its sides, which may reach a pixel further in, and none where the board ends. The plain ones come
                    // first: a client of a terminal was not read with them behind the other.
                    if meaning.tile == Tile::Open(0) && rim > 0 {
                        let plain = [rim, rim + 1].map(|wide| without_rim(&without_line(picture, wide), rim));
                        pictures.extend(plain);
                    }
                    pictures.push(without_rim(picture, rim));
                    pictures.dedup();
                }
                *evidence += &format!("{}{meaning}", if evidence.is_empty() { "" } else { "; " });
            }
            is_faint |= has_faint_numbers(seen, &meanings);
            levels.extend(&meanings.mines);
            sizes.extend(seen.games.iter().map(|game| game.running.grid.size()));
        }
        sizes.retain(|size| !levels.contains_key(size));
        // To wait first would be to lose time where a key does it.
        let mut uncover = notes.uncover.clone();
        uncover.sort_by_key(|step| matches!(step, Step::Wait(_)));
        // What goes by itself may stay as long as the pointer is on it, or until it moves.
        if let Some(at) = uncover.iter().position(|step| matches!(step, Step::Wait(_))) {
            uncover.insert(at, Step::Point(notes.park()));
        }
        // A dialog may come up that did not while it was learned, as for a best time. Where there is none an answer goes nowhere.
        if !uncover.iter().any(|step| matches!(step, Step::Answer(_))) {
            uncover.extend(ANSWERS.map(|keys| Step::Answer(keys.to_owned())));
        }
        let mut found = Self {
            name: name.to_owned(),
            size,
            levels: levels.into_iter().collect(),
            sizes: sizes.into_iter().collect(),
            looks,
            first_click: first_click(notes, meanings).unwrap_or(Rule::Any),
            marks: match &notes.marks {
                Some(marks) if !marks.is_empty() => marks.clone(),
                // Of flags that a game is won by it may not be known whether they can be taken away.
                _ if notes.flags_to_win => vec![Tile::Flag],
                _ => Vec::new(),
            },
            chord: None,
            paints: notes.paints,
            tint: notes.evidence.tint(),
            is_faint,
            flags_to_win: notes.flags_to_win,
            elastic: notes.elastic,
            floods: floods(notes, meanings),
            park: notes.park(),
            touch: notes.touch(),
            pages: notes.pages,
            new_game: notes.new_game.clone(),
            uncover,
            by_keys: None,
        };
        found.read_again(notes, meanings);
        let odd = found.taken_for_mines(notes, meanings);
        if !odd.is_empty() {
            let evidence = format!("{} looks of what was opened last that are no mines, but near one", odd.len());
            found.looks.insert(Tile::Unrecognised, (odd, evidence));
        }
        found
    }

    /// Reads the boards that were seen as whoever plays will, and adds a picture of what is known on them and not recognised: a tile may be near
    /// enough to others to have their look, and too far from the pictures that were kept of it.
    fn read_again(&mut self, notes: &Notes, meanings: &Meanings) {
        let mut eyes = Eyes::new(Arc::new(self.client()));
        for (seen, meanings) in in_agreement(notes.by_size(meanings)) {
            for scene in seen.games.iter().map(|game| &game.running) {
                // A picture of one may tell others: each look once, then all of them anew.
                for _ in 0..KEPT {
                    let unread = unread(&mut eyes, scene, &meanings);
                    let pictures = unread.into_iter().map(|(tile, picture)| (tile, without_rim(&picture, seen.rim())));
                    if pictures.filter(|(tile, picture)| self.keep(*tile, picture)).count() == 0 {
                        break;
                    }
                    eyes = Eyes::new(Arc::new(self.client()));
                }
            }
        }
    }

    /// Keeps one more picture of a tile that has some; whether it was new, and there was room.
    fn keep(&mut self, tile: Tile, picture: &RgbaImage) -> bool {
        let Some((pictures, _)) = self.looks.get_mut(&tile) else { return false };
        let is_new = pictures.len() < MOST_KEPT && !pictures.contains(picture);
        pictures.extend(Some(picture.clone()).filter(|_| is_new));
        is_new
    }

    /// Pictures of looks that are no mines, but would be taken for some.
    fn taken_for_mines(&self, notes: &Notes, meanings: &Meanings) -> Vec<RgbaImage> {
        let (mut pictures, mut eyes) = (Vec::new(), None);
        for (seen, meanings) in in_agreement(notes.by_size(meanings)) {
            let mut odd = meanings.odd.clone();
            odd.retain(|look| !meanings.of.contains_key(look));
            for game in &seen.games {
                let Scene { grid, looks, .. } = &game.ending;
                let at = grid.size().index(game.clicked);
                let Some(look) = looks[at].filter(|look| odd.contains(look)) else { continue };
                let eyes = eyes.get_or_insert_with(|| Eyes::new(Arc::new(self.client())));
                let reading = read(eyes, &game.ending);
                if reading.tiles[at].tile.is_shown_mine() {
                    odd.remove(&look);
                    let own = seen.looks.pictures(look).take(KEPT);
                    pictures.extend(own.map(|picture| without_rim(picture, seen.rim())));
                }
            }
        }
        pictures
    }

    /// The client as data.
    pub fn client(&self) -> Client {
        let file = |tile: Tile, index: usize| format!("{}-{index}.png", file_name(tile));
        let names = |(&tile, (pictures, _)): (&Tile, &(Vec<RgbaImage>, String))| {
            (tile.to_char(), (0..pictures.len()).map(|index| file(tile, index)).collect())
        };
        let pictures = self.looks.iter().flat_map(|(&tile, (pictures, _))| {
            let named = pictures.iter().enumerate();
            named.map(move |(index, pixels)| {
                let pixels = self.by_keys.as_ref().map_or_else(|| pixels.clone(), |keys| keys.without_cursor(pixels));
                Picture { tile, file: file(tile, index), pixels }
            })
        });
        let theme = Theme {
            name: THEME.into(),
            belief: Belief { accept: if self.is_faint { SURE } else { ACCEPTED }, ..Belief::default() },
            // Less is noise; more was not taken for one look.
            tint: if self.tint < FAINT { 0.0 } else { self.tint.ceil().min(MOST_TINT) },
            backdrop: false,
            ground: None,
            scales: vec![1.0],
            fixed: None,
            tiles: self.looks.iter().map(names).collect(),
            frame: self.by_keys.as_ref().and_then(ByKeys::frame),
            pictures: pictures.collect(),
        };
        let marks = self.marks.iter().map(|mark| if *mark == Tile::Question { "question" } else { "flag" });
        let level = |&(size, mines): &(BoardSize, u32)| Level {
            name: level_name(size, mines),
            width: size.width,
            height: size.height,
            mines,
            choose: Vec::new(),
        };
        Client {
            name: self.name.clone(),
            about: format!("learned from a board of {}", self.size),
            title: Vec::new(),
            rules: Rules {
                first_click: self.first_click,
                no_guess: false,
                flags_to_win: self.flags_to_win,
                floods: self.floods,
            },
            custom_boards: true,
            elastic: self.elastic,
            sizes: self.sizes.iter().map(|size| [size.width, size.height]).collect(),
            levels: self.levels.iter().map(level).collect(),
            hands: Hands {
                open: Press { button: Button::Left, with: None },
                flag: Press { button: Button::Right, with: None },
                chord: self.chord.clone(),
                cursor: self.by_keys.as_ref().map(|keys| keys.cursor.clone()),
                flag_cycle: std::iter::once("hidden").chain(marks).map(Into::into).collect(),
                rest_ms: self.touch.rest_ms,
                hold_ms: self.touch.hold_ms,
                stay_ms: Some(STAYS.as_millis() as u64),
                // A tile below the pointer may look different, hidden or open, before a game or at its end.
                park: self.by_keys.is_none().then_some(self.park),
                still_ms: (2 * self.paints.1.as_millis() as u64).clamp(6, 400),
                paint_ms: (3 * self.paints.0.as_millis() as u64).clamp(PAINT, 10_000),
                first_paint_ms: None,
                new_game: self.steps(&self.new_game),
                uncover: self.steps(&self.uncover),
                pages: self.pages,
            },
            counter: None,
            themes: vec![theme],
        }
    }

    /// Steps as they are taken where the client is played.
    fn steps(&self, steps: &[Step]) -> Vec<Step> {
        steps.iter().map(|step| self.by_keys.as_ref().map_or_else(|| step.clone(), |keys| keys.step(step))).collect()
    }

    /// Writes `calibration/<name>.toml` and `templates/<name>/` into a folder; what was there of this client is replaced. The calibration.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<PathBuf, ClientError> {
        let looks = self.looks.iter();
        let evidence: String =
            looks.map(|(tile, (_, evidence))| format!("\n  {}  {evidence}", tile.to_char())).collect();
        let about = format!("Learned by `minesight calibrate`. What each look rests on:{evidence}");
        save(&self.client(), folder, &about)
    }
}

/// What eyes make of a board that was seen.
fn read(eyes: &mut Eyes, scene: &Scene) -> Reading {
    let grid = scene.grid.clone();
    let sight = Sight { grid, theme: 0, match_: 1.0, share: 1.0, variation: Variation::default() };
    let shot = Screenshot { pixels: scene.picture.clone(), origin: ScreenPoint { x: 0, y: 0 }, scale: 1.0 };
    eyes.read(&shot, &sight)
}

/// What is known on a board that was seen and not recognised, with a picture of each look.
fn unread(eyes: &mut Eyes, scene: &Scene, meanings: &Meanings) -> Vec<(Tile, RgbaImage)> {
    let mut unread: BTreeMap<LookId, (Tile, RgbaImage)> = BTreeMap::new();
    let of: BTreeMap<LookId, Tile> = meanings.convincing().map(|(look, meaning)| (look, meaning.tile)).collect();
    let reading = read(eyes, scene);
    for ((cell, look), read) in scene.grid.size().cells().zip(&scene.looks).zip(&reading.tiles) {
        let known = look.and_then(|look| Some((look, *of.get(&look)?)));
        if let Some((look, tile)) = known.filter(|_| read.tile == Tile::Unrecognised)
            && let Some(picture) = cut(&scene.picture, scene.grid.tile(cell))
        {
            unread.entry(look).or_insert((tile, picture));
        }
    }
    unread.into_values().collect()
}

/// A picture of a tile of which so many pixels at every side are not compared. What they show stays below: a part of a tile that is compared may
/// have some of them.
fn without_rim(picture: &RgbaImage, rim: u32) -> RgbaImage {
    let mut without = picture.clone();
    if picture.width().min(picture.height()) > 2 * rim {
        let is_rim = |x: u32, y: u32| inside(picture, rim, x, y) != (x, y);
        for (_, _, pixel) in without.enumerate_pixels_mut().filter(|(x, y, _)| is_rim(*x, *y)) {
            pixel[3] = 0;
        }
    }
    without
}

/// A picture of a tile of which so many pixels at every side look as what is beside them does.
fn without_line(picture: &RgbaImage, wide: u32) -> RgbaImage {
    if picture.width().min(picture.height()) <= 2 * wide {
        return picture.clone();
    }
    RgbaImage::from_fn(picture.width(), picture.height(), |x, y| {
        let (x, y) = inside(picture, wide, x, y);
        *picture.get_pixel(x, y)
    })
}

/// The pixel nearest to one of a picture that is so many away from every side of it.
fn inside(picture: &RgbaImage, rim: u32, x: u32, y: u32) -> (u32, u32) {
    (x.clamp(rim, picture.width() - 1 - rim), y.clamp(rim, picture.height() - 1 - rim))
}

/// A name that can be that of a file everywhere.
pub(super) fn file_name(tile: Tile) -> String {
    match tile {
        Tile::Hidden => "hidden".into(),
        Tile::Open(number) => number.to_string(),
        Tile::Flag => "flag".into(),
        Tile::Question => "question".into(),
        Tile::Mine => "mine".into(),
        Tile::Exploded => "exploded".into(),
        Tile::WrongFlag => "wrong".into(),
        Tile::Unrecognised => "unknown".into(),
    }
}

fn level_name(size: BoardSize, mines: u32) -> String {
    match (size.width, size.height, mines) {
        (8 | 9, 8 | 9, 10) => "beginner".into(),
        (16, 16, 40) => "intermediate".into(),
        (30, 16, 99) => "expert".into(),
        _ => format!("{size}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calibrate::meaning::Meaning;
    use crate::geometry::Cell;
    use crate::vision::Grid;
    use image::Rgba;

    /// A tile with a bar and one without, of this size, with lines of this colour.
    fn board(side: u32, [red, green, blue]: [u8; 3]) -> (RgbaImage, Grid) {
        let picture = RgbaImage::from_fn(2 * side, side, |x, y| {
            let (u, v) = (x % side * 10 / side, y * 10 / side);
            let is_bar = x < side && (3..6).contains(&u) && (2..8).contains(&v);
            Rgba(match u == 0 || v == 0 {
                true => [red, green, blue, 255],
                false if is_bar => [0, 0, 200, 255],
                false => [225, 225, 225, 255],
            })
        });
        let edges = |count: u32| (0..=count).map(|index| f64::from(index * side)).collect();
        (picture, Grid { columns: edges(2), lines: edges(1) })
    }

    /// Such tiles, and what they are held to be.
    fn seen(side: u32, labels: [Tile; 2]) -> (Evidence, Meanings) {
        let mut evidence = Evidence::default();
        let (picture, grid) = board(side, [110; 3]);
        let looks = evidence.looks.sort(&picture, &grid);
        let mut meanings = Meanings::default();
        for (look, tile) in looks.into_iter().flatten().zip(labels) {
            meanings.of.insert(look, Meaning { tile, wrong: 1e-9, seen: (9, 3) });
        }
        assert_eq!(meanings.of.len(), 2);
        (evidence, meanings)
    }

    /// A game that ended as it was.
    fn record(running: Scene) -> Record {
        let (ending, clicked) = (running.clone(), Cell::new(0, 0));
        Record { running, ending, clicked, pressed: vec![clicked], clicks: 1, opened_first: 1, open_at_start: 0 }
    }

    #[test]
    fn a_first_click_that_hit_a_mine_opened_no_area_whatever_showed_then() {
        let (evidence, meanings) = seen(30, [Tile::Exploded, Tile::Hidden]);
        let (picture, grid) = board(30, [110; 3]);
        let looks = meanings.of.keys().copied().map(Some).collect();
        let scene = Scene { picture, grid, covered: vec![false; 2], looks };
        let mut notes = Notes { evidence, ..Notes::default() };
        let game = |clicked: u32| Record { clicked: Cell::new(clicked, 0), opened_first: 9, ..record(scene.clone()) };
        notes.evidence.games = vec![game(1); 12];
        assert_eq!(first_click(&notes, &meanings), Some(Rule::Zero));
        notes.evidence.games.push(game(0));
        assert_eq!(first_click(&notes, &meanings), Some(Rule::Any));
        notes.evidence.games[12] = Record { clicks: 2, ..game(0) };
        assert_eq!(first_click(&notes, &meanings), Some(Rule::Zero), "it was the second click");
    }

    #[test]
    fn what_is_not_compared_of_a_picture_shows_what_it_did() {
        // What is drawn between tiles takes the last three pixels of each, and two are not compared.
        let picture = RgbaImage::from_fn(30, 30, |x, y| {
            let light = if x.max(y) >= 27 { 140 } else { 190 };
            Rgba([light, light, light, 255])
        });
        let plain = without_line(&picture, 3);
        let looks = [&picture, &plain].map(|picture| without_rim(picture, 2));
        assert_eq!(looks.each_ref().map(|look| look.get_pixel(10, 27)[0]), [140, 190]);
        assert_eq!(looks.each_ref().map(|look| look.get_pixel(10, 29)[0]), [140, 190]);
        for look in &looks {
            let compared = look.enumerate_pixels().filter(|(_, _, pixel)| pixel[3] > 0);
            assert_eq!(compared.count(), 26 * 26);
        }
        // One that is smaller than its rim keeps all of itself.
        assert_eq!(without_rim(&picture, 15), picture);
    }

    #[test]
    fn what_is_known_and_not_recognised_gets_a_picture_of_its_own() {
        let labels = [Tile::Open(1), Tile::Hidden];
        let (mut evidence, meanings) = seen(30, labels);
        // The same two tiles, with lines that are darker than those on the pictures that were kept.
        let (picture, grid) = board(30, [0; 3]);
        let looks = meanings.of.keys().copied().map(Some).collect();
        let running = Scene { picture, grid, covered: vec![false; 2], looks };
        let kept = Found::of(
            "learned",
            BoardSize::new(2, 1),
            &Notes { evidence: evidence.clone(), ..Notes::default() },
            &meanings,
        );
        let is_read = |found: &Found| {
            read(&mut Eyes::new(Arc::new(found.client())), &running).tiles.iter().map(|read| read.tile).eq(labels)
        };
        assert!(!is_read(&kept));
        evidence.games.push(record(running.clone()));
        let found = Found::of("learned", BoardSize::new(2, 1), &Notes { evidence, ..Notes::default() }, &meanings);
        assert!(is_read(&found));
    }

    #[test]
    fn what_was_seen_in_one_game_beside_a_common_look_of_its_number_is_not_written() {
        let labels = [Tile::Open(1), Tile::Open(2)];
        let cases = [(1, 1, 30, false), (2, 1, 30, false), (2, 2, 30, true), (3, 1, 30, true), (1, 1, 3, true)];
        for (tiles, games, others, is_written) in cases {
            let (mut evidence, mut meanings) = seen(30, labels);
            let looks: Vec<LookId> = meanings.of.keys().copied().collect();
            // It is not recognised where it was seen, either.
            let (picture, grid) = board(30, [110; 3]);
            let all = looks.iter().copied().map(Some).collect();
            evidence.games.push(record(Scene { picture, grid, covered: vec![false; 2], looks: all }));
            let meaning = |seen: (usize, usize)| Meaning { tile: Tile::Open(1), wrong: 1e-9, seen };
            meanings.of = BTreeMap::from([(looks[0], meaning((others, 4))), (looks[1], meaning((tiles, games)))]);
            let notes = Notes { evidence, ..Notes::default() };
            let found = Found::of("learned", BoardSize::new(2, 1), &notes, &meanings);
            let pictures = found.looks[&Tile::Open(1)].0.len();
            assert_eq!(pictures > 1, is_written, "{tiles} in {games} beside {others}: {pictures}");
        }
    }

    #[test]
    fn tiles_of_another_size_that_are_named_otherwise_are_not_believed() {
        let (one, zero) = (Tile::Open(1), Tile::Open(0));
        for (labels, kept) in [([one, zero], 2), ([zero, one], 1), ([one, one], 1), ([one, Tile::Hidden], 2)] {
            let all = [seen(30, [one, zero]), seen(40, labels)];
            let sizes = all.iter().map(|(evidence, meanings)| (evidence, Cow::Borrowed(meanings)));
            assert_eq!(in_agreement(sizes).len(), kept, "{labels:?}");
        }
    }
}
