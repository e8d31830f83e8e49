//! From what is to be done to where and how it is clicked.

use super::view::View;
use super::{Abort, Bot, Scene};
use crate::board::Tile;
use crate::client::{Anchor, Cursor, Hands, Press, STAY, Spot, Step, Touch};
use crate::desktop::{Action, Click, Desktop};
use crate::geometry::{BoardSize, Cell, Pixel, ScreenPoint};
use crate::solver::Decision;
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// What one tile is to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Its number.
    Open,
    /// A flag.
    Flag,
    /// Anything but a flag.
    NoFlag,
    /// The numbers of all hidden tiles around it: it is an open number with all its flags.
    Chord,
}

/// One thing to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// Where.
    pub cell: Cell,
    /// What it is to show.
    pub wanted: Wanted,
}

impl Move {
    /// Whether the tiles of a board show that it is done.
    pub fn is_done(&self, tiles: &[Tile], size: BoardSize) -> bool {
        let tile = |cell: Cell| tiles[size.index(cell)];
        match self.wanted {
            Wanted::Open => !tile(self.cell).is_covered() && tile(self.cell) != Tile::Unrecognised,
            Wanted::Flag => tile(self.cell) == Tile::Flag,
            Wanted::NoFlag => !matches!(tile(self.cell), Tile::Flag | Tile::Unrecognised),
            Wanted::Chord => !size.neighbours(self.cell).any(|other| opens_by_chord(tile(other))),
        }
    }
}

/// Whether a chord beside a tile opens it.
pub fn opens_by_chord(tile: Tile) -> bool {
    tile.is_covered() && tile != Tile::Flag
}

/// How often the flag must be pressed on `tile` until it shows the mark `goal`.
fn turns_to(hands: &Hands, tile: Tile, goal: &str) -> usize {
    let mark = match tile {
        Tile::Flag => "flag",
        Tile::Question => "question",
        _ => "hidden",
    };
    let place = |name: &str| hands.flag_cycle.iter().position(|mark| mark == name).unwrap_or(0);
    let length = hands.flag_cycle.len().max(1);
    (place(goal) + length - place(mark)) % length
}

/// The presses that turn `tile` into what is wanted: a mark is taken off before a tile is opened.
fn presses(hands: &Hands, tile: Tile, wanted: Wanted) -> Vec<&Press> {
    let turn_to = |goal: &str| std::iter::repeat_n(&hands.flag, turns_to(hands, tile, goal));
    match wanted {
        Wanted::Open => turn_to("hidden").chain([&hands.open]).collect(),
        Wanted::Flag => turn_to("flag").collect(),
        Wanted::NoFlag if tile == Tile::Flag => vec![&hands.flag],
        Wanted::NoFlag => Vec::new(),
        Wanted::Chord => hands.chord.iter().collect(),
    }
}

/// The tiles of a decision with one chord in place of several clicks, where all flags around a number are certain mines.
pub fn with_chords(tiles: &[Tile], size: BoardSize, decision: &Decision) -> Vec<Move> {
    let mines: HashSet<Cell> = decision.mines.iter().copied().collect();
    let mut to_open: HashSet<Cell> = decision.open.iter().copied().collect();
    let tile = |cell: Cell| tiles[size.index(cell)];
    let mut chords = Vec::new();
    let gain = |cell: Cell, to_open: &HashSet<Cell>| {
        let number = tile(cell).number()?;
        let flags: Vec<Cell> = size.neighbours(cell).filter(|&other| tile(other) == Tile::Flag).collect();
        let certain = flags.len() == usize::from(number) && flags.iter().all(|flag| mines.contains(flag));
        let hidden: Vec<Cell> = size
            .neighbours(cell)
            .filter(|&other| matches!(tile(other), Tile::Hidden | Tile::Question | Tile::Unrecognised))
            .collect();
        let safe = hidden.iter().all(|other| decision.open.contains(other));
        let opened = hidden.iter().filter(|other| to_open.contains(other)).count();
        (certain && safe && opened > 1).then_some(opened)
    };
    while let Some((_, cell)) =
        size.cells().filter_map(|cell| Some((gain(cell, &to_open)?, cell))).max_by_key(|&(gain, _)| gain)
    {
        size.neighbours(cell).for_each(|other| {
            to_open.remove(&other);
        });
        chords.push(Move { cell, wanted: Wanted::Chord });
    }
    let single = decision.open.iter().filter(|cell| to_open.contains(cell));
    chords.extend(single.map(|&cell| Move { cell, wanted: Wanted::Open }));
    chords
}

/// The longest that a press is held because the ones before had no effect, in milliseconds.
const HELD: u64 = 500;

/// The longest that the pointer stays on a tile because the presses before had no effect.
const LINGERS: Duration = Duration::from_millis(400);

/// The flags to be taken off, and seen to be gone, before anything is opened there or, in some clients, beside them. Where one press opens
/// a tile and, on a number, everything around it, a flag that may be wrong is deadly: the tile may be opened by an earlier click, or the
/// press may count twice.
pub fn wrong_flags(decision: &Decision, tiles: &[Tile], size: BoardSize, hands: &Hands) -> Vec<Move> {
    let reach = u32::from(hands.chord.as_ref() == Some(&hands.open));
    let may_be_wrong = |cell: &Cell| tiles[size.index(*cell)] == Tile::Flag && !decision.mines.contains(cell);
    let is_near = |cell: &Cell| size.square(*cell, reach).any(|other| decision.open.contains(&other));
    let flags = size.cells().filter(|cell| may_be_wrong(cell) && is_near(cell));
    flags.map(|cell| Move { cell, wanted: Wanted::NoFlag }).collect()
}

/// The moves that can be clicked in one go: in such a client a tile beside one that is not recognised, which may be a flag, too, is only
/// clicked by itself, while it is known to be covered.
pub fn in_one_go(moves: Vec<Move>, tiles: &[Tile], size: BoardSize, hands: &Hands) -> Vec<Move> {
    if hands.chord.as_ref() != Some(&hands.open) {
        return moves;
    }
    let is_unknown = |cell: Cell| tiles[size.index(cell)] == Tile::Unrecognised;
    let is_near = |to_do: &Move| to_do.wanted == Wanted::Open && size.square(to_do.cell, 1).any(is_unknown);
    let (near, far): (Vec<Move>, Vec<Move>) = moves.into_iter().partition(is_near);
    if far.is_empty() { near.into_iter().take(1).collect() } else { far }
}

/// The moves that can be clicked in one go where a click on the board begins the next game once one is over: none after one that may open more than its
/// own tile, and leave nothing to be opened. What has a known mine beside it opens nothing else.
pub fn up_to_an_opening(moves: Vec<Move>, decision: &Decision, size: BoardSize) -> Vec<Move> {
    let opens_one = |to_do: &Move| match to_do.wanted {
        Wanted::Open => size.neighbours(to_do.cell).any(|other| decision.mines.contains(&other)),
        Wanted::Chord => false,
        Wanted::Flag | Wanted::NoFlag => true,
    };
    let (mut now, openings): (Vec<Move>, Vec<Move>) = moves.into_iter().partition(opens_one);
    now.extend(openings.into_iter().next());
    now
}

impl View {
    /// Where the mouse has to go for a tile.
    pub fn point(&self, cell: Cell) -> ScreenPoint {
        self.frame.to_screen(self.sight.grid.center(cell))
    }

    /// The same so many eighths of a tile above and left of its middle, which may take no click; at most three.
    fn point_beside(&self, cell: Cell, eighths: u32) -> ScreenPoint {
        let grid = &self.sight.grid;
        let (middle, (width, height)) = (grid.center(cell), grid.pitch());
        let part = f64::from(eighths.min(3)) / 8.0;
        self.frame.to_screen(Pixel { x: middle.x - part * width, y: middle.y - part * height })
    }
}

/// Presses on the middle of a tile without an effect after which it is pressed ever farther beside that: what lies over a part of one that is no other
/// window's, as the grip in the corner of a window without room for it, takes them.
const BESIDE: u32 = 2;

impl<D: Desktop> Bot<'_, D> {
    /// Makes the clicks of all moves in one go, then takes the pointer off the board where the client wants that.
    /// `again`: how often they had no effect; a client that asks seldom where the mouse is sees a press that is held longer, so each is held
    /// twice as long as the one before, and rests on the tile first.
    pub(super) fn click(&mut self, moves: &[Move], tiles: &[Tile], before: &Scene, again: u32) -> Result<(), Abort> {
        let began = Instant::now();
        let hands = self.view.client.hands.clone();
        let touch = firm(hands.touch(), again);
        let stay = hands.stay_ms.map(Duration::from_millis);
        for to_do in moves {
            let tile = tiles[self.view.size().index(to_do.cell)];
            if let Some(cursor) = &hands.cursor {
                self.type_at(cursor, &hands, tile, *to_do)?;
                continue;
            }
            for press in presses(&hands, tile, to_do.wanted) {
                let at = self.view.point_beside(to_do.cell, (again + 1).saturating_sub(BESIDE));
                self.act(click(press, at, touch))?;
            }
            // Some clients ask where the pointer is long after the button was released. That a tile changed may be that it looks pressed.
            match again {
                0 => stay.map_or(Ok(()), |stay| self.until_changed(&[*to_do], before, stay))?,
                1 if !self.stays_pressed => self.until_changed(&[*to_do], before, LINGERS)?,
                _ => self.desktop.wait(LINGERS)?,
            }
        }
        self.effort.click += began.elapsed();
        if stay.is_none() && self.parking().is_some() && !self.desktop.capabilities().seen_releases {
            self.until_changed(moves, before, STAY)?;
        }
        self.park()
    }

    /// Types what a move needs, for a client that is played by keys. It has the keyboard's attention once it was clicked.
    fn type_at(&mut self, cursor: &Cursor, hands: &Hands, tile: Tile, to_do: Move) -> Result<(), Abort> {
        if !self.has_clicked {
            self.attract_keys()?;
        }
        let (turns, last) = match to_do.wanted {
            Wanted::Open => (turns_to(hands, tile, "hidden"), Some(&cursor.open)),
            Wanted::Flag => (turns_to(hands, tile, "flag"), None),
            Wanted::NoFlag => (usize::from(tile == Tile::Flag), None),
            Wanted::Chord => return Ok(()),
        };
        for keys in cursor.way_to(to_do.cell).chain(std::iter::repeat_n(&cursor.flag, turns)).chain(last) {
            self.desktop.act(&Action::Keys(keys.clone()))?;
        }
        self.effort.clicks += 1;
        Ok(())
    }

    /// Where the pointer waits, where the client wants it off the board, or it would be in the pictures.
    fn parking(&mut self) -> Option<Spot> {
        // An arrow that points to the upper left covers nothing of the board from below.
        const BELOW: Spot = Spot { from: Anchor::BottomRight, tiles: [-0.5, 0.4], pixels: [0.0, 0.0] };
        if self.desktop.capabilities().pointer_in_pictures { Some(BELOW) } else { self.view.client.hands.park }
    }

    /// Takes the pointer off the board where that is needed.
    pub(super) fn park(&mut self) -> Result<(), Abort> {
        if let Some(spot) = self.parking() {
            let off = self.view.frame.to_screen(self.view.sight.grid.spot(spot));
            self.desktop.act(&Action::Point(off))?;
        }
        Ok(())
    }

    /// One step of a recipe. In a sequence the pointer stays where it clicked until its end: a menu closes where it leaves.
    pub(super) fn take_step(&mut self, step: &Step) -> Result<(), Abort> {
        let parts = step.parts();
        for part in &parts {
            self.take_part(part)?;
            // What else is to be done leads from its first page to a board.
            if **part == Step::Start && parts.len() == 1 {
                self.until_it_shows()?;
            }
        }
        let has_clicked = parts.iter().any(|part| matches!(part, Step::Click(_)));
        if has_clicked && self.desktop.capabilities().pointer_in_pictures {
            self.park()?; // a control may be so near that the pointer is over the board
        }
        Ok(())
    }

    fn take_part(&mut self, step: &Step) -> Result<(), Abort> {
        match step {
            Step::Keys(keys) => self.desktop.act(&Action::Keys(keys.clone()))?,
            Step::Answer(keys) => self.desktop.act(&Action::Answer(keys.clone()))?,
            Step::Close => self.desktop.act(&Action::Close)?,
            Step::Start => self.desktop.act(&Action::Start)?,
            Step::Point(spot) => {
                let at = self.view.frame.to_screen(self.view.sight.grid.spot(*spot));
                self.desktop.act(&Action::Point(at))?;
            }
            Step::Wait(ms) => self.desktop.wait(Duration::from_millis(*ms))?,
            Step::All(_) => {} // its parts are taken
            Step::Click(spot) => {
                let at = self.view.frame.to_screen(self.view.sight.grid.spot(*spot));
                let touch = self.view.client.hands.touch().unhurried();
                let press = self.view.client.hands.open.clone();
                self.act(click(&press, at, touch))?;
            }
        }
        Ok(())
    }

    /// Keys go to the window that was clicked last: clicks the board of a client without a mouse, where a click does nothing.
    fn attract_keys(&mut self) -> Result<(), Abort> {
        let at = self.view.point(Cell::new(0, 0));
        let press = self.view.client.hands.open.clone();
        let touch = self.view.client.hands.touch();
        self.act(click(&press, at, touch))?;
        self.desktop.wait(self.view.still() * 10)?;
        self.park()
    }

    fn act(&mut self, click: Click) -> Result<(), Abort> {
        self.desktop.act(&Action::Click(click))?;
        self.effort.clicks += 1;
        self.has_clicked = true;
        // A client that asks seldom where the pointer is asks so where a button was released, too.
        let hands = &self.view.client.hands;
        if hands.rest_ms > 0 {
            self.desktop.wait(hands.stay_ms.map_or(STAY, Duration::from_millis))?;
        }
        Ok(())
    }
}

/// A press at a point.
pub(super) fn click(press: &Press, at: ScreenPoint, touch: Touch) -> Click {
    Click { button: press.button, at, touch, with: press.with.clone() }
}

/// How it is pressed after it had no effect so often.
fn firm(touch: Touch, again: u32) -> Touch {
    let firmer = (0..again).fold(touch, |touch, _| touch.firmer());
    Touch { rest_ms: firmer.rest_ms.min(touch.rest_ms.max(HELD)), hold_ms: firmer.hold_ms.min(touch.hold_ms.max(HELD)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::Reason;

    #[test]
    fn a_flag_that_may_be_wrong_is_taken_off_before_a_tile_there_or_beside_it_is_opened() {
        let size = BoardSize::new(6, 1);
        let tiles: Vec<Tile> = "#F###F".chars().map(|tile| Tile::from_char(tile).unwrap()).collect();
        let cells = |columns: &[u32]| columns.iter().map(|&x| Cell::new(x, 0)).collect::<Vec<_>>();
        let hands = |chord: Option<Press>| Hands { chord, ..toml::from_str("new_game = []").unwrap() };
        let flags = |open: &[u32], mines: &[u32], chord: Option<Press>| {
            let decision = Decision { open: cells(open), mines: cells(mines), reason: Reason::Certain };
            let flags = wrong_flags(&decision, &tiles, size, &hands(chord));
            assert!(flags.iter().all(|to_do| to_do.wanted == Wanted::NoFlag));
            flags.iter().map(|to_do| to_do.cell.x).collect::<Vec<_>>()
        };
        let both = Some(hands(None).open);
        assert_eq!(flags(&[0, 3], &[], both.clone()), [1]);
        assert_eq!(flags(&[2, 1, 4], &[], both.clone()), [1, 5], "on one of them, too");
        assert_eq!(flags(&[3], &[], both.clone()), [0; 0], "none is near");
        assert_eq!(flags(&[0, 2], &[1], both), [0; 0], "it is right");
        let other = Some(Press { button: crate::client::Button::Middle, with: None });
        for chord in [None, other] {
            assert_eq!(flags(&[0, 2], &[], chord.clone()), [0; 0], "nothing is opened around a number");
            assert_eq!(flags(&[0, 5], &[], chord), [5], "but that one is to be opened itself");
        }
    }

    #[test]
    fn a_tile_beside_what_may_be_a_flag_is_clicked_by_itself() {
        let size = BoardSize::new(5, 1);
        let tiles: Vec<Tile> = "#~###".chars().map(|tile| Tile::from_char(tile).unwrap()).collect();
        let hands = |chord: Option<Press>| Hands { chord, ..toml::from_str("new_game = []").unwrap() };
        let chosen = |columns: &[u32], chord: Option<Press>| {
            let moves = columns.iter().map(|&x| Move { cell: Cell::new(x, 0), wanted: Wanted::Open }).collect();
            let moves = in_one_go(moves, &tiles, size, &hands(chord));
            moves.iter().map(|to_do| to_do.cell.x).collect::<Vec<_>>()
        };
        let both = Some(hands(None).open);
        assert_eq!(chosen(&[0, 3, 2, 4], both.clone()), [3, 4]);
        assert_eq!(chosen(&[2, 0], both), [2], "one of them");
        assert_eq!(chosen(&[0, 3, 2, 4], None), [0, 3, 2, 4]);
    }

    #[test]
    fn where_a_click_begins_the_next_game_none_follows_one_that_may_win() {
        let size = BoardSize::new(9, 1);
        let moves = |columns: &[u32]| -> Vec<Move> {
            columns.iter().map(|&x| Move { cell: Cell::new(x, 0), wanted: Wanted::Open }).collect()
        };
        let decision = Decision { open: Vec::new(), mines: vec![Cell::new(3, 0)], reason: Reason::Certain };
        assert_eq!(up_to_an_opening(moves(&[0, 2, 6, 4, 8]), &decision, size), moves(&[2, 4, 0]));
        assert_eq!(up_to_an_opening(moves(&[2, 4]), &decision, size), moves(&[2, 4]));
        assert_eq!(up_to_an_opening(moves(&[7, 6]), &decision, size), moves(&[7]));
    }

    #[test]
    fn a_flag_is_taken_off_by_one_press_whatever_mark_is_next() {
        let hands: Hands = toml::from_str("new_game = []").unwrap();
        assert_eq!(presses(&hands, Tile::Flag, Wanted::NoFlag), [&hands.flag]);
        assert!(presses(&hands, Tile::Hidden, Wanted::NoFlag).is_empty());
        let is_bare =
            |tile: Tile| Move { cell: Cell::new(0, 0), wanted: Wanted::NoFlag }.is_done(&[tile], BoardSize::new(1, 1));
        assert!(is_bare(Tile::Hidden) && is_bare(Tile::Question));
        assert!(!is_bare(Tile::Flag) && !is_bare(Tile::Unrecognised));
    }
}
