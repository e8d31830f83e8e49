//! Looks that no picture of a known client shows, met while it is played: a rare number, or digits of another font.
//!
//! Such a tile is played around. What it was follows from the game it stood in, by the same counting as with a client that
//! nobody described ([`meanings`]), but with everything else on the board known; so one tile may be enough. Where most of what is
//! open is not recognised, it is a [`theme`] that nobody cut pictures of.

use super::meaning::{Game, Known, Meaning, meanings};
use super::notes::Notes;
use super::write::{Found, file_name};
use super::{GaveUp, Tell, Wishes};
use crate::board::Tile;
use crate::bot::{Outcome, Played, Scene};
use crate::client::{Client, Picture, Theme};
use crate::desktop::Desktop;
use crate::geometry::{Cell, ScreenPoint};
use crate::vision::unknown::looks::{ALIKE, LookId, Looks};
use image::RgbaImage;
use std::collections::BTreeMap;
use std::time::Duration;

/// Looks that are known have numbers from here on.
const NAMED: LookId = 1000;
/// Mines that the end of a game shows, and the one that was hit.
const MINE: LookId = NAMED + 10;
const HIT: LookId = NAMED + 11;
/// A label is believed at this chance of being wrong: where it was counted, or nothing else fits. Likelihood is not enough, for what is counted on are
/// boards with something strange on them, not any.
const SURE: f64 = 0.0;
/// Pictures of a look that are taken over.
const KEPT: usize = 3;
/// Games and time in which a theme must be learned.
const GAMES: usize = 12;
const TIME: Duration = Duration::from_secs(600);

/// A look that was learned.
#[derive(Clone, Debug)]
pub struct Learned {
    /// The theme that was on the screen.
    pub theme: String,
    /// What it is.
    pub tile: Tile,
    /// How it looks.
    pub pictures: Vec<RgbaImage>,
    /// The chance that this is wrong, as far as counting tells.
    pub wrong: f64,
    /// On how many tiles of how many games it was seen.
    pub seen: (usize, usize),
}

/// What was not recognised in the games of one client so far, by its theme.
#[derive(Debug, Default)]
pub struct Unknown {
    themes: BTreeMap<String, Strange>,
}

/// Looks of one theme.
#[derive(Debug)]
struct Strange {
    looks: Looks,
    games: Vec<Game>,
    /// What is understood of them.
    learned: BTreeMap<LookId, Tile>,
}

impl Default for Strange {
    fn default() -> Self {
        Self { looks: Looks::new(ALIKE), games: Vec::new(), learned: BTreeMap::new() }
    }
}

impl Unknown {
    /// Keeps what a game showed that was not recognised; the looks that are understood by now and were not before.
    pub fn see(&mut self, played: &Played) -> Vec<Learned> {
        let Some((scene, strange)) = strange_tiles(played) else { return Vec::new() };
        let theme = scene.reading.theme.clone();
        let known = self.themes.entry(theme.clone()).or_default();
        let others: Vec<bool> = strange.iter().map(|strange| !strange).collect();
        let looks = known.looks.sort_except(&scene.shot.pixels, &scene.reading.grid, &others);
        let running: Vec<Option<LookId>> =
            looks.iter().zip(scene.tiles()).map(|(look, tile)| look.or_else(|| named(tile))).collect();
        let ending = ending(played, &running);
        known.games.push(Game { size: scene.reading.grid.size(), running, ending });
        // What was another number before, and looks so now, says that a client shows the end of a game by that look.
        let now = known.looks.recognise(&scene.shot.pixels, &scene.reading.grid);
        let was_other = |look: LookId, tile: Tile| {
            let places = || (0..now.len()).filter(|&index| now[index] == Some(look));
            let before = |index: usize| played.trail.iter().filter_map(move |then| then.reading.tiles.get(index));
            places().flat_map(before).any(|then| then.tile.number().is_some_and(|number| Tile::Open(number) != tile))
        };
        let new = known.understood();
        let new = new.into_iter().filter(|(look, meaning)| !was_other(*look, meaning.tile));
        new.map(|(look, meaning)| known.taken(&theme, look, meaning)).collect()
    }
}

impl Strange {
    /// What is new and has its proof. A game that fits no meaning is forgotten: something lay over its board.
    fn understood(&mut self) -> Vec<(LookId, Meaning)> {
        let numbers = (0..=8).map(Tile::Open);
        let known = numbers.filter_map(|tile| Some((named(tile)?, tile)));
        let told = known.chain(self.learned.clone()).collect();
        let one = |tile| named(tile).into_iter().collect();
        let shows = |number: &u8| self.games.iter().any(|game| game.running.contains(&named(Tile::Open(*number))));
        let known = Known {
            hidden: one(Tile::Hidden),
            zeros: one(Tile::Open(0)),
            told,
            mines: [MINE, HIT].into(),
            taken: (0..=8).filter(shows).collect(),
            ..Known::default()
        };
        let mut found = meanings(&known, &self.games);
        if found.is_err()
            && let Some(game) = self.games.last_mut()
            && game.ending.take().is_some()
        {
            // What was taken for its mines may be something else.
            found = meanings(&known, &self.games);
        }
        let found = match found {
            Ok(found) => found,
            Err(contradiction) => {
                log::debug!("what was not recognised is not learned from this game: {contradiction}");
                self.games.pop();
                return Vec::new();
            }
        };
        let is_new = |look: &LookId| *look < NAMED && !self.learned.contains_key(look);
        let new = found.of.iter().filter(|(look, meaning)| is_new(look) && meaning.wrong <= SURE);
        new.map(|(&look, &meaning)| (look, meaning)).collect()
    }

    fn taken(&mut self, theme: &str, look: LookId, Meaning { tile, wrong, seen }: Meaning) -> Learned {
        self.learned.insert(look, tile);
        let pictures = self.looks.pictures(look).take(KEPT).cloned().collect();
        Learned { theme: theme.to_owned(), tile, pictures, wrong, seen }
    }
}

/// The number of a look that is known; nothing for what says nothing of mines.
fn named(tile: Tile) -> Option<LookId> {
    match tile {
        Tile::Open(number) => Some(NAMED + usize::from(number)),
        // Mines that show are where tiles were hidden.
        Tile::Hidden | Tile::Flag | Tile::Question | Tile::Mine | Tile::Exploded => Some(NAMED + 9),
        Tile::WrongFlag | Tile::Unrecognised => None,
    }
}

/// How a game was lost that showed these looks before, and where, if all of its mines show: the numbers around them can be counted.
fn ending(played: &Played, running: &[Option<LookId>]) -> Option<(Vec<Option<LookId>>, Cell)> {
    let last = played.trail.back().filter(|_| matches!(played.outcome, Outcome::Lost))?;
    let (tiles, size) = (last.tiles(), last.reading.grid.size());
    if tiles.len() != running.len() {
        return None;
    }
    let shown = tiles.iter().filter(|tile| tile.is_shown_mine()).count();
    if played.mines != Some(shown as u32) {
        return None;
    }
    let is_hit = |cell: &Cell| tiles[size.index(*cell)].is_shown_mine() && played.opened.contains(cell);
    let hit = size.cells().find(is_hit)?;
    let look = |(now, then): (&Tile, &Option<LookId>)| match now {
        Tile::Mine => Some(MINE),
        Tile::Exploded => Some(HIT),
        Tile::Unrecognised => *then,
        tile => named(*tile),
    };
    Some((tiles.iter().zip(running).map(look).collect(), hit))
}

/// The last look at a game that shows all that it told, and which of its tiles are open for certain and not recognised.
fn strange_tiles(played: &Played) -> Option<(&Scene, Vec<bool>)> {
    let is_won = matches!(played.outcome, Outcome::Won);
    let shows_end = |scene: &Scene| scene.tiles().iter().any(|tile| tile.is_shown_mine() || *tile == Tile::WrongFlag);
    // A loss may show tiles that were not opened.
    let at = played.trail.iter().rposition(|scene| is_won || !shows_end(scene))?;
    let (scene, earlier) = (&played.trail[at], played.trail.range(..at));
    // A tile that was opened last shows the same when the game is lost.
    let beside: Vec<&Scene> =
        [at.checked_sub(1), Some(at + 1)].into_iter().filter_map(|at| played.trail.get(at?)).collect();
    let (tiles, grid) = (scene.tiles(), &scene.reading.grid);
    let size = grid.size();
    let is_same = |other: &Scene| other.reading.grid.size() == size && other.reading.theme == scene.reading.theme;
    if !earlier.clone().all(is_same) {
        return None;
    }
    let strange = size.cells().map(|cell: Cell| {
        let index = size.index(cell);
        let is_there = |other: &&Scene| {
            is_same(other) && other.shot.shows_the_same(other.reading.grid.tile(cell), &scene.shot, grid.tile(cell))
        };
        let stays = || beside.iter().any(is_there);
        let was_known = || earlier.clone().any(|scene| scene.reading.tiles[index].tile.number().is_some());
        let is_beside_zero = || size.neighbours(cell).any(|other| tiles[size.index(other)] == Tile::Open(0));
        tiles[index] == Tile::Unrecognised
            && (played.opened.contains(&cell) || is_beside_zero())
            && stays()
            && !was_known()
    });
    let strange: Vec<bool> = strange.collect();
    strange.contains(&true).then_some((scene, strange))
}

/// The client with more pictures. Themes that it does not have are left out.
pub fn with_pictures(client: &Client, learned: &[Learned]) -> Client {
    let mut client = client.clone();
    for learned in learned {
        let Some(theme) = client.themes.iter_mut().find(|theme| theme.name == learned.theme) else { continue };
        for pixels in &learned.pictures {
            let files = theme.tiles.entry(learned.tile.to_char()).or_default();
            let free = (0..).map(|number| format!("{}-seen-{number}.png", file_name(learned.tile)));
            let Some(file) = { free }.find(|file| !files.contains(file)) else { continue };
            files.push(file.clone());
            theme.pictures.push(Picture { tile: learned.tile, file, pixels: pixels.clone() });
        }
        let is_known =
            |picture: &Picture| picture.tile == Tile::Unrecognised && are_alike(&learned.pictures, &picture.pixels);
        let (known, others) = std::mem::take(&mut theme.pictures).into_iter().partition::<Vec<_>, _>(is_known);
        theme.pictures = others;
        let unknown = Tile::Unrecognised.to_char();
        let files = theme.tiles.entry(unknown).or_default();
        files.retain(|file| !known.iter().any(|picture| picture.file == *file));
        if files.is_empty() {
            theme.tiles.remove(&unknown);
        }
    }
    client
}

/// Whether a picture is of the same look as one of these.
fn are_alike(pictures: &[RgbaImage], picture: &RgbaImage) -> bool {
    let mut looks = Looks::new(ALIKE);
    pictures.iter().for_each(|own| looks.add(own));
    looks.find(picture).is_some()
}

/// More pictures for a client that was just learned, of what was met when it was played.
pub fn add(found: &mut Found, learned: Vec<Learned>) {
    for Learned { tile, pictures, wrong, seen: (tiles, games), .. } in learned {
        if let Some((odd, _)) = found.looks.get_mut(&Tile::Unrecognised) {
            odd.retain(|picture| !are_alike(&pictures, picture));
        }
        found.looks.retain(|tile, (pictures, _)| *tile != Tile::Unrecognised || !pictures.is_empty());
        let (known, evidence) = found.looks.entry(tile).or_default();
        known.extend(pictures);
        let and = if evidence.is_empty() { "" } else { "; " };
        *evidence += &format!("{and}{tiles} tiles in {games} games that proved it: wrong with a chance of {wrong:.0e}");
    }
}

/// Learns a theme of a client that is known, by playing games, from an untouched board on the screen: the one at this point, if one is
/// given.
///
/// # Errors
/// As [`super::learn`].
pub fn theme<D: Desktop>(
    desktop: &mut D,
    client: &Client,
    at: Option<ScreenPoint>,
    tell: &mut Tell,
) -> Result<Theme, GaveUp> {
    let hands = &client.hands;
    let mut notes = Notes { new_game: hands.new_game.clone(), uncover: hands.uncover.clone(), ..Notes::default() };
    let wishes = Wishes { name: client.name.clone(), at, new_game: None, games: GAMES, time: TIME };
    let mut theme = super::learn(desktop, &wishes, &mut notes, tell)?.client().themes.swap_remove(0);
    let is_taken = |name: &String| client.themes.iter().any(|theme| theme.name == *name);
    theme.name =
        (1..).map(|number| format!("{}-{number}", theme.name)).find(|name| !is_taken(name)).unwrap_or_default();
    Ok(theme)
}
