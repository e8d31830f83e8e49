//! Playing a client that is not understood yet: clicks are made, and what they changed is kept.

use super::meaning::{Contradiction, Game, Known, Meanings, meanings, risk};
use crate::board::Tile;
use crate::client::Button;
use crate::desktop::{Action, Click, Desktop, DesktopError};
use crate::geometry::{BoardSize, Cell, Pixel, Rect, ScreenPoint, ScreenRect};
use crate::screenshot::Screenshot;
use crate::vision::Grid;
use crate::vision::looks::{ALIKE, LookId, Looks, changed};
use image::RgbaImage;
use std::collections::BTreeMap;
use std::time::Duration;

/// Whoever teaches watches: what is being done, in words.
pub type Tell<'a> = dyn FnMut(&str) + 'a;

/// A board that stayed the same for so long is painted: some clients let a flood grow, or blink at a loss.
const QUIET: Duration = Duration::from_millis(180);
/// The longest that is waited for that.
const PATIENCE: Duration = Duration::from_millis(3000);
/// The pause between two looks.
const PAUSE: Duration = Duration::from_millis(8);
/// How long the button stays down, and the pointer where it clicked: what the touchiest client known needs.
const HOLD: u64 = 30;
const STAY: Duration = Duration::from_millis(60);
/// Room around the board that is looked at, in tiles: for what a client shows there.
const MARGIN: f64 = 8.0;
/// Looks that come up at once, each on one tile only: something lies over the board.
const COVERED: usize = 9;
/// Pixels by which a grid may be moved when more of its looks are known.
const NUDGE: i32 = 3;

/// A board of a client that is being learned.
pub struct Explorer<'a, D: Desktop> {
    /// The screen and the mouse.
    pub desktop: &'a mut D,
    /// The board, in pixels of a picture of `region`.
    pub grid: Grid,
    /// The board and what is around it, on the screen.
    pub region: ScreenRect,
    /// The last picture of it.
    pub shot: Screenshot,
    /// What tiles look like.
    pub looks: Looks,
    /// What is known of them without counting.
    pub known: Known,
    /// What is believed of them.
    pub meanings: Meanings,
    /// The games so far.
    pub games: Vec<Game>,
    /// Pictures of what `games` holds: before the last click, and at the end.
    pictures: Vec<(RgbaImage, Option<RgbaImage>)>,
    /// Other pictures, with what their tiles look like: an untouched board, and marks.
    others: Vec<(RgbaImage, Vec<Option<LookId>>)>,
    /// Whether a tile looks different below the pointer.
    pub has_hover: bool,
    /// The longest a client took from a click to the last change, and the longest it rested meanwhile.
    pub paints: (Duration, Duration),
    /// Whether the next game is to be lost, to see how that looks: on a tile that is a mine for certain.
    pub is_to_lose: bool,
    /// What each first click of a game met: whether it opened several tiles, and whether it was the last.
    pub first_clicks: Vec<(bool, bool)>,
}

/// How a game that was played to learn came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Played {
    /// It is over.
    Over,
    /// Clicks stopped having an effect before any had one.
    Deaf,
}

impl<'a, D: Desktop> Explorer<'a, D> {
    /// Before a board at this place of a picture of the whole screen.
    pub fn new(desktop: &'a mut D, screen: &Screenshot, grid: &Grid) -> Result<Self, DesktopError> {
        let place = grid.around(screen.pixels.dimensions(), MARGIN);
        let corner = screen.to_screen(Pixel { x: f64::from(place.left), y: f64::from(place.top) });
        let end =
            screen.to_screen(Pixel { x: f64::from(place.left + place.width), y: f64::from(place.top + place.height) });
        let region =
            ScreenRect { corner, width: (end.x - corner.x).max(0) as u32, height: (end.y - corner.y).max(0) as u32 };
        let shot = desktop.look(Some(region))?;
        let by = screen.to_pixel(shot.origin);
        let mut explorer = Self {
            desktop,
            grid: grid.moved(by.x, by.y),
            region,
            shot,
            looks: Looks::new(ALIKE),
            known: Known::default(),
            meanings: Meanings::default(),
            games: Vec::new(),
            pictures: Vec::new(),
            others: Vec::new(),
            has_hover: false,
            paints: (Duration::ZERO, Duration::ZERO),
            is_to_lose: false,
            first_clicks: Vec::new(),
        };
        explorer.allow(&[]);
        Ok(explorer)
    }

    /// Columns and rows.
    pub fn size(&self) -> BoardSize {
        self.grid.size()
    }

    /// The board in the mouse's units.
    fn board(&self) -> ScreenRect {
        let last = |edges: &[f64]| edges[edges.len() - 1];
        let corner = self.shot.to_screen(self.grid.origin());
        let end = self.shot.to_screen(Pixel { x: last(&self.grid.columns), y: last(&self.grid.lines) });
        ScreenRect { corner, width: (end.x - corner.x).max(1) as u32, height: (end.y - corner.y).max(1) as u32 }
    }

    /// Allows clicks on the board, and on these places.
    pub fn allow(&mut self, controls: &[ScreenPoint]) {
        let around =
            |at: &ScreenPoint| ScreenRect { corner: ScreenPoint { x: at.x - 2, y: at.y - 2 }, width: 5, height: 5 };
        let areas: Vec<ScreenRect> = std::iter::once(self.board()).chain(controls.iter().map(around)).collect();
        self.desktop.allow(&areas);
    }

    /// Looks until the board stays the same; how long it changed, and the longest rest before a change.
    pub fn settle(&mut self) -> Result<(Duration, Duration), DesktopError> {
        let bounds = self.grid.bounds();
        let began = self.desktop.clock();
        let mut shot = self.desktop.look(Some(self.region))?;
        let (mut last, mut rest) = (Duration::ZERO, Duration::ZERO);
        loop {
            self.desktop.wait(PAUSE)?;
            let next = self.desktop.look(Some(self.region))?;
            let now = self.desktop.clock().saturating_sub(began);
            if !shot.shows_the_same(bounds, &next, bounds) {
                rest = rest.max(now.saturating_sub(last));
                last = now;
            }
            shot = next;
            if now.saturating_sub(last) >= QUIET || now >= PATIENCE {
                self.shot = shot;
                return Ok((last, rest));
            }
        }
    }

    /// Takes the pointer off the board.
    pub fn park(&mut self) -> Result<(), DesktopError> {
        let at = self.shot.to_screen(self.grid.spot(super::write::PARK));
        self.desktop.act(&Action::Point(at))
    }

    /// Clicks a tile and waits for the answer.
    pub fn press(&mut self, cell: Cell, button: Button) -> Result<(), DesktopError> {
        let at = self.shot.to_screen(self.grid.center(cell));
        self.desktop.act(&Action::Click(Click { button, at, hold_ms: HOLD, with: None }))?;
        self.desktop.wait(STAY)?;
        let (last, rest) = self.settle()?;
        self.paints = (self.paints.0.max(last + STAY), self.paints.1.max(rest));
        let below = self.shot.pixels.clone();
        self.park()?;
        self.desktop.wait(STAY)?;
        self.settle()?;
        let size = self.size();
        let differs = changed(&below, &self.shot.pixels, &self.grid);
        self.has_hover |= differs[size.index(cell)];
        Ok(())
    }

    /// The look of every tile now.
    pub fn see(&mut self) -> Vec<Option<LookId>> {
        self.looks.sort(&self.shot.pixels, &self.grid)
    }

    /// The board's pixels alone.
    fn picture(&self) -> RgbaImage {
        self.shot.pixels.clone()
    }

    /// What is seen now is an untouched board, or nearly: its commonest look is that of a hidden tile (its two, where they take
    /// turns).
    pub fn take_as_untouched(&mut self) {
        let seen = self.see();
        self.others.push((self.picture(), seen.clone()));
        let size = self.size();
        let mut counts: BTreeMap<LookId, [usize; 2]> = BTreeMap::new();
        for (index, look) in seen.iter().enumerate() {
            let Cell { x, y } = size.cell(index);
            if let Some(look) = look {
                counts.entry(*look).or_default()[((x + y) % 2) as usize] += 1;
            }
        }
        let all = |counts: &[usize; 2]| counts[0] + counts[1];
        let Some((&most, first)) = counts.iter().max_by_key(|(_, counts)| all(counts)) else { return };
        self.known.hidden.insert(most);
        // By turns: one on the even places, the other on the odd ones.
        let other = usize::from(first[0] > first[1]);
        let partner = counts.iter().find(|(_, counts)| counts[other] * 3 > size.tiles() && counts[1 - other] == 0);
        if let Some((&partner, _)) = partner
            && first[other] == 0
        {
            self.known.hidden.insert(partner);
        }
    }

    /// Whether the board is as at the beginning of a game: most of it hidden, and nothing on it that only an end shows.
    pub fn is_untouched(&mut self) -> bool {
        let seen = self.looks.recognise(&self.shot.pixels, &self.grid);
        let hidden = seen.iter().filter(|look| look.is_some_and(|look| self.known.hidden.contains(&look))).count();
        // A client may open something by itself.
        hidden == seen.len()
            || (hidden * 2 > seen.len() && seen.iter().all(|look| look.is_some_and(|look| self.is_open(look))))
    }

    fn is_open(&self, look: LookId) -> bool {
        self.known.hidden.contains(&look)
            || self.games.iter().any(|game| game.running.contains(&Some(look)))
            || self.known.zeros.contains(&look)
    }

    /// Plays a game to its end, or until no click does anything.
    pub fn play(&mut self, tell: &mut Tell) -> Result<Played, DesktopError> {
        self.park()?;
        self.settle()?;
        let mut before = (self.see(), self.picture());
        let mut last: Option<(Vec<Option<LookId>>, RgbaImage, Cell)> = None;
        let mut deaf: Vec<Cell> = Vec::new();
        let mut clicks = 0;
        while let Some(cell) = self.choose(&before.0, &deaf) {
            match self.press(cell, Button::Left) {
                // A dialog of its own: the game may be over.
                Err(DesktopError::Foreign(_)) => break,
                other => other?,
            }
            let size = self.size();
            let did = changed(&before.1, &self.shot.pixels, &self.grid);
            if !did[size.index(cell)] {
                deaf.push(cell);
                // A click may be lost; three on different tiles are not.
                if deaf.len() >= 3 {
                    break;
                }
                continue;
            }
            deaf.clear();
            clicks += 1;
            let seen = self.see();
            let opened = did.iter().filter(|did| **did).count();
            if self.is_covered(&before.0, &seen) {
                last = Some((before.0, before.1, cell));
                if clicks == 1 {
                    self.first_clicks.push((opened > 1, true));
                }
                before = (seen, self.picture());
                break;
            }
            let look = seen[size.index(cell)];
            if clicks == 1 {
                self.first_clicks.push((opened > 1, false));
            }
            if let Some((running, _, at)) = &last {
                // The game went on after the click before this: what that opened together was empty.
                self.note_flood(running, &before.0, *at);
            }
            last = Some((before.0, before.1, cell));
            before = (seen, self.picture());
            if look.and_then(|look| self.meanings.of.get(&look)).is_some_and(|meaning| meaning.tile.is_shown_mine()) {
                tell("a mine");
                break;
            }
        }
        let Some((running, picture, clicked)) = last else { return Ok(Played::Deaf) };
        if clicks == 1
            && let Some(first) = self.first_clicks.last_mut()
        {
            first.1 = true;
        }
        let ending = (before.0, clicked);
        self.games.push(Game { running, ending: Some(ending) });
        self.pictures.push((picture, Some(before.1)));
        Ok(Played::Over)
    }

    /// A click that opened three tiles or more in a game that went on was on an empty tile.
    fn note_flood(&mut self, before: &[Option<LookId>], after: &[Option<LookId>], at: Cell) {
        let opened = before.iter().zip(after).filter(|(before, after)| before != after).count();
        let look = after[self.size().index(at)];
        if opened >= 3
            && let Some(look) =
                look.filter(|look| !self.known.hidden.contains(look) && !self.known.marks.contains_key(look))
        {
            self.known.zeros.insert(look);
        }
    }

    /// Whether something lies over the board: many looks at once that no other tile has.
    fn is_covered(&self, before: &[Option<LookId>], now: &[Option<LookId>]) -> bool {
        let lonely = now.iter().enumerate().filter(|(index, look)| {
            before[*index] != **look
                && look.is_none_or(|look| now.iter().filter(|other| **other == Some(look)).count() == 1)
        });
        lonely.count() >= COVERED
    }

    /// Where to click next: what is least likely to be a mine, for all that is believed.
    fn choose(&mut self, seen: &[Option<LookId>], deaf: &[Cell]) -> Option<Cell> {
        let size = self.size();
        let is_hidden = |cell: &Cell| {
            seen[size.index(*cell)].is_some_and(|look| self.known.hidden.contains(&look)) && !deaf.contains(cell)
        };
        let middle = (f64::from(size.width) / 2.0 - 0.5, f64::from(size.height) / 2.0 - 0.5);
        let far = |cell: Cell| (f64::from(cell.x) - middle.0).powi(2) + (f64::from(cell.y) - middle.1).powi(2);
        let running = Game { running: seen.to_vec(), ending: None };
        let games: Vec<Game> = self.games.iter().cloned().chain([running]).collect();
        let now = meanings(size, &self.known, &games);
        let risks = now.ok().and_then(|meanings| risk(size, &self.known, &meanings, seen));
        let Some(risks) = risks else {
            return size.cells().filter(is_hidden).min_by(|a, b| far(*a).total_cmp(&far(*b)));
        };
        if self.is_to_lose
            && let Some((mine, _)) = risks.iter().find(|(cell, risk)| *risk == 1.0 && is_hidden(cell))
        {
            return Some(*mine);
        }
        let allowed = risks.into_iter().filter(|(cell, _)| is_hidden(cell));
        // Among equals the one in the middle: there it opens most.
        let chosen = allowed
            .min_by(|a, b| (a.1, far(a.0)).partial_cmp(&(b.1, far(b.0))).unwrap_or(std::cmp::Ordering::Equal))?;
        // What is left are mines: the game is won, or its end hidden.
        (chosen.1 < 1.0).then_some(chosen.0)
    }

    /// Counts anew what everything means. Where it contradicts itself the grid may lie a little beside the tiles, or looks were
    /// taken for one that are two: both are tried.
    ///
    /// # Errors
    /// It still does.
    pub fn understand(&mut self) -> Result<(), Contradiction> {
        let found = meanings(self.size(), &self.known, &self.games);
        self.meanings = match found {
            Ok(found) => found,
            Err(contradiction) => {
                self.sort_again(ALIKE / 2.0);
                meanings(self.size(), &self.known, &self.games).map_err(|_| contradiction)?
            }
        };
        Ok(())
    }

    /// Moves the grid to where its tiles have the fewest looks: before anything is open a line may belong to the tile on either
    /// side of it.
    pub fn nudge(&mut self) {
        let looks = |grid: &Grid| {
            let mut looks = Looks::new(ALIKE);
            let nothing = looks.sort(&self.shot.pixels, grid).iter().filter(|look| look.is_none()).count();
            looks.count() + nothing
        };
        let mut best = (looks(&self.grid), 0, self.grid.clone());
        for (x, y) in (-NUDGE..=NUDGE).flat_map(|x| (-NUDGE..=NUDGE).map(move |y| (x, y))) {
            let grid = self.grid.moved(f64::from(x), f64::from(y));
            let found = (looks(&grid), x.abs() + y.abs());
            if found < (best.0, best.1) {
                best = (found.0, found.1, grid);
            }
        }
        if best.1 > 0 {
            self.grid = best.2;
            self.sort_again(ALIKE);
        }
    }

    /// Sorts all pictures anew, with another measure of what looks alike; what is known without counting is carried over to the looks
    /// that the same tiles have now.
    pub fn sort_again(&mut self, alike: f32) {
        let mut looks = Looks::new(alike);
        let mut now_called: BTreeMap<LookId, BTreeMap<LookId, usize>> = BTreeMap::new();
        let mut sort = |picture: &RgbaImage, seen: &mut Vec<Option<LookId>>| {
            let now = looks.sort(picture, &self.grid);
            for (then, now) in seen.iter().zip(&now).filter_map(|(then, now)| Some((*then.as_ref()?, *now.as_ref()?))) {
                *now_called.entry(then).or_default().entry(now).or_default() += 1;
            }
            *seen = now;
        };
        for ((before, after), game) in self.pictures.iter().zip(&mut self.games) {
            sort(before, &mut game.running);
            if let (Some(after), Some((ending, _))) = (after, &mut game.ending) {
                sort(after, ending);
            }
        }
        self.others.iter_mut().for_each(|(picture, seen)| sort(picture, seen));
        // What most of its tiles are called now, and whatever else many are.
        let called = |look: &LookId| -> Vec<LookId> {
            let Some(now) = now_called.get(look) else { return Vec::new() };
            let all: usize = now.values().sum();
            now.iter().filter(|(_, count)| **count * 5 >= all).map(|(look, _)| *look).collect()
        };
        self.known = Known {
            hidden: self.known.hidden.iter().flat_map(called).collect(),
            zeros: self.known.zeros.iter().flat_map(called).collect(),
            marks: self
                .known
                .marks
                .iter()
                .flat_map(|(look, tile)| called(look).into_iter().map(|look| (look, *tile)))
                .collect(),
        };
        self.looks = looks;
    }

    /// Whether a right click marks a tile, and with what: pressed until it looks hidden again.
    pub fn try_marks(&mut self, tell: &mut Tell) -> Result<Vec<Tile>, DesktopError> {
        let seen = self.see();
        let size = self.size();
        let hidden = |look: &Option<LookId>| look.is_some_and(|look| self.known.hidden.contains(&look));
        let Some(index) = (0..size.tiles()).rev().find(|&index| hidden(&seen[index])) else { return Ok(Vec::new()) };
        let cell = size.cell(index);
        let (own, names) = (seen[index], [Tile::Flag, Tile::Question]);
        let mut found = Vec::new();
        for name in names.into_iter().map(Some).chain([None]) {
            let before = self.picture();
            if let Err(error) = self.press(cell, Button::Right) {
                // A menu is a window of its own.
                let DesktopError::Foreign(_) = error else { return Err(error) };
                self.dismiss()?;
                return Ok(Vec::new());
            }
            let did = changed(&before, &self.shot.pixels, &self.grid);
            if did.iter().filter(|did| **did).count() != usize::from(did[index]) {
                // More than this tile: a menu, or it was opened.
                self.dismiss()?;
                tell("a right click is no flag here");
                return Ok(Vec::new());
            }
            let now = self.see()[index];
            if now == own || !did[index] {
                break;
            }
            let (Some(look), Some(name)) = (now, name) else { return Ok(Vec::new()) };
            if self.is_open(look) {
                return Ok(Vec::new());
            }
            found.push((look, name));
            let seen = self.see();
            self.others.push((self.picture(), seen));
        }
        let is_back = self.see()[index] == own;
        if !is_back {
            tell("a right click marks a tile for good");
            return Ok(Vec::new());
        }
        self.known.marks.extend(found.iter().copied());
        Ok(found.into_iter().map(|(_, tile)| tile).collect())
    }

    /// Takes away what a click brought up, if the keyboard is the client's.
    fn dismiss(&mut self) -> Result<(), DesktopError> {
        match self.desktop.act(&Action::Keys("Escape".into())) {
            Err(DesktopError::Foreign(_)) => {}
            other => other?,
        }
        self.settle().map(|_| ())
    }

    /// What lies outside of the board and differs between two pictures of it: the boxes around it, in pixels, at most as large as four
    /// tiles, the nearest to the middle of the top edge first.
    pub fn changed_around(&self, before: &RgbaImage, after: &RgbaImage) -> Vec<Rect> {
        let bounds = self.grid.bounds();
        let (across, down) = self.grid.pitch();
        let differs = |x: u32, y: u32| {
            !bounds.contains(Pixel { x: f64::from(x), y: f64::from(y) })
                && before.get_pixel(x, y) != after.get_pixel(x, y)
        };
        let (width, height) = (before.width().min(after.width()), before.height().min(after.height()));
        let mut boxes: Vec<[u32; 4]> = Vec::new();
        for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).filter(|&(x, y)| differs(x, y)) {
            let near = |[left, top, right, bottom]: &[u32; 4]| {
                x + 4 >= *left && x <= right + 4 && y + 4 >= *top && y <= bottom + 4
            };
            match boxes.iter_mut().find(|place| near(place)) {
                Some(place) => *place = [place[0].min(x), place[1].min(y), place[2].max(x), place[3].max(y)],
                None => boxes.push([x, y, x, y]),
            }
        }
        let rects = boxes.into_iter().map(|[left, top, right, bottom]| Rect {
            left,
            top,
            width: right - left + 1,
            height: bottom - top + 1,
        });
        let most = (4.0 * across.max(down)).max(60.0);
        let mut rects: Vec<Rect> = rects.filter(|rect| f64::from(rect.width.max(rect.height)) <= most).collect();
        let middle = f64::from(bounds.left) + f64::from(bounds.width) / 2.0;
        rects.sort_by(|a, b| (a.center().x - middle).abs().total_cmp(&(b.center().x - middle).abs()));
        rects
    }

    /// The pictures of the last game: before its last click and after it.
    pub fn last_pictures(&self) -> Option<(&RgbaImage, &RgbaImage)> {
        let (before, after) = self.pictures.last()?;
        Some((before, after.as_ref()?))
    }
}
