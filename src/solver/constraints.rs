//! [`Board`] → "this many mines among these tiles": witnesses, boxes and components, without geometry.
//!
//! A *witness* is an open number that still touches tiles it says something about. Tiles touching the same witnesses
//! form a *box*: only how many of its tiles hold a mine matters, not which. Witnesses and boxes that hang together
//! form a *component*; components meet only in the total number of mines.

use super::Impossible;
use crate::board::{Board, Tile};
use crate::game::Rule;
use crate::geometry::{BoardSize, Cell};

/// What a [`Position`] holds for a tile that may be a mine; smaller values are the numbers of open tiles.
pub const UNKNOWN: u8 = 9;
/// A tile that certainly is a mine: shown, or concluded.
pub const MINE: u8 = 10;
/// A covered tile that certainly is none, and whose number is not known.
pub const SAFE: u8 = 11;
/// A tile without a mine that tells nothing more (a wrong flag shown).
pub(crate) const MUTE: u8 = 12;

/// No box, no witness.
pub const NONE: u32 = u32::MAX;

/// Which tiles touch which, and where they are, looked up instead of computed: a division takes longer.
#[derive(Clone, Debug, Default)]
pub struct Neighbours {
    size: Option<BoardSize>,
    lists: Vec<([u32; 8], u8)>,
    cells: Vec<Cell>,
}

impl Neighbours {
    /// Makes the table for `size`, unless it is there already.
    pub fn prepare(&mut self, size: BoardSize) {
        if self.size == Some(size) {
            return;
        }
        self.size = Some(size);
        self.cells.clear();
        self.cells.extend(size.cells());
        self.lists.clear();
        self.lists.extend(size.cells().map(|cell| {
            let mut list = [NONE; 8];
            let mut count = 0;
            for other in size.neighbours(cell) {
                list[count] = size.index(other) as u32;
                count += 1;
            }
            (list, count as u8)
        }));
    }

    /// Where tile `index` is.
    #[inline]
    pub fn cell(&self, index: u32) -> Cell {
        self.cells[index as usize]
    }

    /// The tiles that touch tile `index`, row by row.
    #[inline]
    pub fn of(&self, index: u32) -> &[u32] {
        let (list, count) = &self.lists[index as usize];
        &list[..usize::from(*count)]
    }

    /// Whether two tiles touch. All places of the list are compared, without stopping at the first: so several at a time.
    #[inline]
    pub fn touch(&self, one: u32, other: u32) -> bool {
        self.lists[one as usize].0.iter().fold(false, |any, &tile| any | (tile == other))
    }
}

/// A board as the engine sees it: one byte a tile, cheap to change and to change back.
#[derive(Clone, Debug, Default)]
pub struct Position {
    /// Number of an open tile, or [`UNKNOWN`], [`MINE`], [`SAFE`].
    pub tiles: Vec<u8>,
    /// The total of mines, shown ones included; `None` if not known.
    pub mines: Option<u32>,
    /// Which tiles touch which.
    pub neighbours: Neighbours,
    /// Whether a mine under the first click was moved to the first free tile from the top left: then an explanation that
    /// begins with k mines comes from k + 1 deals, and is so much likelier than the others.
    pub moved_mine: bool,
}

impl Position {
    /// Takes over `board`, in a game whose first click followed `rule`.
    pub fn read_under(&mut self, board: &Board, rule: Rule) {
        self.read(board);
        self.moved_mine = rule == Rule::Windows;
    }

    /// Takes over `board`. Marks are not believed; an unrecognised tile may be a mine and tells nothing.
    pub fn read(&mut self, board: &Board) {
        self.neighbours.prepare(board.size());
        (self.mines, self.moved_mine) = (board.mines(), false);
        self.tiles.resize(board.tiles().len(), 0);
        for (into, &tile) in self.tiles.iter_mut().zip(board.tiles()) {
            // One choice after the other, without a branch: so written, many tiles are read at a time.
            let is_open = matches!(tile, Tile::Open(_));
            let is_shown = matches!(tile, Tile::Mine | Tile::Exploded);
            let is_mute = matches!(tile, Tile::WrongFlag);
            let kind = if is_shown { MINE } else { UNKNOWN };
            let kind = if is_mute { MUTE } else { kind };
            let kind = if is_open { 0 } else { kind };
            *into = kind | if let Tile::Open(number) = tile { number } else { 0 };
        }
    }
}

/// An open number with what it still asks for.
#[derive(Clone, Copy, Debug)]
pub struct Witness {
    /// Where it is.
    pub cell: u32,
    /// Mines among its unknown tiles.
    pub need: u8,
    /// Its unknown tiles.
    pub unknown: u8,
    /// Its component.
    pub component: u32,
    boxes: [u32; 8],
    box_count: u8,
}

impl Witness {
    /// The boxes of its unknown tiles.
    #[inline]
    pub fn boxes(&self) -> &[u32] {
        &self.boxes[..usize::from(self.box_count)]
    }
}

/// Unknown tiles that touch the same witnesses.
#[derive(Clone, Copy, Debug)]
pub struct TileBox {
    cells: [u32; 8],
    cell_count: u8,
    witnesses: [u32; 8],
    witness_count: u8,
}

impl TileBox {
    /// Its tiles: one to eight.
    #[inline]
    pub fn cells(&self) -> &[u32] {
        &self.cells[..usize::from(self.cell_count)]
    }

    /// The one of its witnesses that was found first.
    fn first_witness(&self) -> u32 {
        self.witnesses().iter().copied().min().unwrap_or(NONE)
    }

    /// The witnesses all its tiles touch.
    #[inline]
    pub fn witnesses(&self) -> &[u32] {
        &self.witnesses[..usize::from(self.witness_count)]
    }
}

/// Everything the open numbers of a position say. Made to be used again and again without new memory.
#[derive(Clone, Debug, Default)]
pub struct Constraints {
    /// The position with what simple reasoning concludes filled in ([`MINE`], [`SAFE`]).
    pub tiles: Vec<u8>,
    /// Tiles concluded to be safe, by one number at a time.
    pub safe: Vec<u32>,
    /// Tiles concluded to be mines, by one number at a time.
    pub mines: Vec<u32>,
    /// Numbers with unknown tiles; those with none left have no boxes.
    pub witnesses: Vec<Witness>,
    /// Boxes of unknown tiles.
    pub boxes: Vec<TileBox>,
    /// The box of every tile, or [`NONE`].
    pub box_of: Vec<u32>,
    /// Witnesses in an order in which components follow one another; `components` are its ranges.
    pub walk: Vec<u32>,
    /// Where each component begins and ends in `walk`.
    pub components: Vec<(u32, u32)>,
    /// Unknown tiles in no box: nothing is known of them but the total.
    pub rest: u32,
    /// Mines among all unknown tiles; `None` if the total is not known. Negative: more are known than there are.
    pub mines_left: Option<i64>,
    /// The same component in the position before, or [`NONE`]; after [`Constraints::group_opened`].
    pub taken_over: Vec<u32>,
    /// What the boxes of the position before are called now, where their component was taken over.
    pub renumbered: Vec<u32>,
    unknown: u32,
    witness_at: Vec<u32>,
    agenda: Vec<u32>,
    /// Witnesses about whose tiles something was learned.
    touched: Vec<bool>,
    /// Components of the position before that are taken over.
    is_kept: Vec<bool>,
}

impl Constraints {
    /// Reads `position` and concludes what single numbers say, to the end.
    ///
    /// # Errors
    /// A number contradicts what is known around it.
    pub fn conclude(&mut self, position: &Position) -> Result<(), Impossible> {
        self.tiles.clear();
        self.tiles.extend_from_slice(&position.tiles);
        self.safe.clear();
        self.mines.clear();
        self.find_witnesses(position);
        self.finish(position)
    }

    /// What is known of `parent` once `tile`, unknown or safe, is open and shows `number`; concluded to the end. What
    /// was safe in `parent` still is in `safe`; of the mines only those concluded now are in `mines`.
    ///
    /// # Errors
    /// The number contradicts what is known around it.
    pub fn conclude_opened(
        &mut self,
        position: &Position,
        parent: &Constraints,
        tile: u32,
        number: u8,
    ) -> Result<(), Impossible> {
        self.tiles.clone_from(&parent.tiles);
        self.witnesses.clone_from(&parent.witnesses);
        self.witness_at.clone_from(&parent.witness_at);
        self.touched.clear();
        self.touched.resize(parent.witnesses.len(), false);
        (self.unknown, self.mines_left) = (parent.unknown, parent.mines_left);
        self.agenda.clear();
        self.mines.clear();
        self.safe.clear();
        if parent.tiles[tile as usize] == UNKNOWN {
            self.set(position, tile, SAFE);
            self.safe.clear();
        }
        self.safe.extend(parent.safe.iter().filter(|&&other| other != tile));
        self.tiles[tile as usize] = number;
        self.witness(position, tile, number);
        self.finish(position)
    }

    fn finish(&mut self, position: &Position) -> Result<(), Impossible> {
        while let Some(index) = self.agenda.pop() {
            self.apply(position, index)?;
        }
        Ok(())
    }

    /// Begins with a position in which the tiles of `safe` and `mines` (all of them, shown ones, too) are known and
    /// `unknown` are left; the numbers follow by [`Constraints::ask`].
    pub fn take_up(&mut self, position: &Position, unknown: u32) {
        self.tiles.clone_from(&position.tiles);
        self.forget_witnesses(position);
        self.safe.iter().for_each(|&tile| self.tiles[tile as usize] = SAFE);
        self.mines.iter().for_each(|&tile| self.tiles[tile as usize] = MINE);
        self.unknown = unknown;
        self.mines_left = position.mines.map(|mines| i64::from(mines) - self.mines.len() as i64);
    }

    /// Takes up a number that has nothing to say by itself.
    pub fn ask(&mut self, cell: u32, need: u8, unknown: u8) {
        self.witness_at[cell as usize] = self.witnesses.len() as u32;
        self.witnesses.push(Witness { cell, need, unknown, component: NONE, boxes: [0; 8], box_count: 0 });
        self.touched.push(true);
    }

    fn forget_witnesses(&mut self, position: &Position) {
        self.witnesses.clear();
        self.agenda.clear();
        self.touched.clear();
        self.witness_at.clear();
        self.witness_at.resize(position.tiles.len(), NONE);
        self.unknown = 0;
    }

    fn find_witnesses(&mut self, position: &Position) {
        self.forget_witnesses(position);
        let mut shown = 0;
        for (cell, &number) in position.tiles.iter().enumerate() {
            match number {
                UNKNOWN => self.unknown += 1,
                MINE => shown += 1,
                0..=8 => self.witness(position, cell as u32, number),
                _ => {}
            }
        }
        self.mines_left = position.mines.map(|mines| i64::from(mines) - shown);
    }

    /// Takes up an open number, if it says anything.
    #[inline]
    fn witness(&mut self, position: &Position, cell: u32, number: u8) {
        let (mut unknown, mut mines) = (0u8, 0u8);
        for &other in position.neighbours.of(cell) {
            let tile = self.tiles[other as usize];
            unknown += u8::from(tile == UNKNOWN);
            mines += u8::from(tile == MINE);
        }
        // A number that contradicts the mines around it must not go unnoticed, even with nothing unknown.
        if unknown > 0 || number != mines {
            let need = number.wrapping_sub(mines);
            let index = self.witnesses.len() as u32;
            self.ask(cell, need, unknown);
            if need == 0 || need >= unknown {
                self.agenda.push(index);
            }
        }
    }

    /// What one number says by itself, told to the numbers that share its tiles.
    fn apply(&mut self, position: &Position, index: u32) -> Result<(), Impossible> {
        let Witness { cell, need, unknown, .. } = self.witnesses[index as usize];
        if need > unknown {
            return Err(Impossible::near(position.size(), cell));
        }
        if unknown == 0 || (need != 0 && need != unknown) {
            return Ok(());
        }
        let concluded = if need == 0 { SAFE } else { MINE };
        for &tile in position.neighbours.of(cell) {
            if self.tiles[tile as usize] == UNKNOWN {
                self.set(position, tile, concluded);
            }
        }
        Ok(())
    }

    /// Fills in what is known of an unknown tile: [`SAFE`] or [`MINE`].
    fn set(&mut self, position: &Position, tile: u32, known: u8) {
        self.tiles[tile as usize] = known;
        self.unknown -= 1;
        if known == MINE {
            self.mines_left = self.mines_left.map(|mines| mines - 1);
        }
        let is_mine = u8::from(known == MINE);
        if known == MINE { &mut self.mines } else { &mut self.safe }.push(tile);
        for &other in position.neighbours.of(tile) {
            let index = self.witness_at[other as usize];
            if index == NONE {
                continue;
            }
            self.touched[index as usize] = true;
            let witness = &mut self.witnesses[index as usize];
            witness.unknown -= 1;
            // A need below zero wraps to more than eight: refused when its turn comes.
            witness.need = witness.need.wrapping_sub(is_mine);
            if witness.need == 0 || witness.need >= witness.unknown {
                self.agenda.push(index);
            }
        }
    }

    /// What pairs of numbers say: where the tiles only one of them touches must all be mines, or all be safe. Goes on
    /// until a safe tile is found or nothing more is. Call it after [`Constraints::conclude`].
    ///
    /// # Errors
    /// A number contradicts what is known around it.
    pub fn conclude_pairs(&mut self, position: &Position) -> Result<(), Impossible> {
        let mut index = 0;
        let mut since_found = 0;
        let count = self.witnesses.len();
        while since_found < count && self.safe.is_empty() {
            since_found = if self.compare(position, index as u32)? { 0 } else { since_found + 1 };
            index = (index + 1) % count;
        }
        Ok(())
    }

    /// Compares one witness with every other that shares tiles with it; whether anything was found.
    fn compare(&mut self, position: &Position, index: u32) -> Result<bool, Impossible> {
        let Witness { cell, need, unknown, .. } = self.witnesses[index as usize];
        if unknown == 0 {
            return Ok(false);
        }
        let mut own = [0; 8];
        let mut own_count = 0;
        for &tile in position.neighbours.of(cell) {
            if self.tiles[tile as usize] == UNKNOWN {
                own[own_count] = tile;
                own_count += 1;
            }
        }
        let own = &own[..own_count];
        let mut seen = [NONE; 24];
        let mut seen_count = 0;
        for &tile in own {
            for &at in position.neighbours.of(tile) {
                let other = self.witness_at[at as usize];
                if other == NONE || other == index || seen[..seen_count].contains(&other) {
                    continue;
                }
                seen[seen_count] = other;
                seen_count += 1;
                let Witness { need: their_need, unknown: their_unknown, .. } = self.witnesses[other as usize];
                // Mines only we touch, less the mines only they touch: if that is all of our own tiles, they are
                // mines, and theirs are safe.
                if need < their_need || their_unknown == 0 {
                    continue;
                }
                // They share a tile at least, and no more than they have.
                let surplus = usize::from(need - their_need);
                if surplus >= own_count || surplus + usize::from(their_unknown) < own_count {
                    continue;
                }
                let only_ours = own.iter().filter(|&&tile| !position.neighbours.touch(at, tile)).count();
                if surplus != only_ours {
                    continue;
                }
                let theirs = position.neighbours.of(at);
                if only_ours == 0 && own_count == usize::from(their_unknown) {
                    continue;
                }
                for &tile in own {
                    if !theirs.contains(&tile) {
                        self.set(position, tile, MINE);
                    }
                }
                for &tile in theirs {
                    if self.tiles[tile as usize] == UNKNOWN && !own.contains(&tile) {
                        self.set(position, tile, SAFE);
                    }
                }
                while let Some(index) = self.agenda.pop() {
                    self.apply(position, index)?;
                }
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Unknown tiles, boxed or not.
    pub fn unknown(&self) -> u32 {
        self.unknown
    }

    /// Groups what is left unknown into boxes and components, and counts the rest.
    pub fn group(&mut self, position: &Position) {
        self.begin_grouping();
        let mut boxed = 0;
        for index in 0..self.witnesses.len() as u32 {
            boxed += self.box_tiles_of(position, index);
        }
        for start in 0..self.witnesses.len() as u32 {
            self.find_component(start);
        }
        self.rest = self.unknown - boxed;
    }

    /// The same after [`Constraints::conclude_opened`] of `tile`, where `parent` has been grouped: components about which
    /// nothing was learned are taken over. Everything comes out in the order in which [`Constraints::group`] finds it.
    pub fn group_opened(&mut self, position: &Position, parent: &Constraints, tile: u32) {
        self.begin_grouping();
        self.renumbered.clear();
        self.renumbered.resize(parent.boxes.len(), NONE);
        let mut is_kept = std::mem::take(&mut self.is_kept);
        is_kept.clear();
        is_kept.resize(parent.components.len(), true);
        let learned = self.touched.iter().zip(&parent.witnesses).filter(|(touched, _)| **touched);
        let beside = position.neighbours.of(tile).iter().filter_map(|&other| parent.witness_of(other));
        for witness in learned.map(|(_, witness)| witness).chain(beside) {
            if let Some(kept) = is_kept.get_mut(witness.component as usize) {
                *kept = false;
            }
        }
        let kept = |index: u32| {
            let component = parent.witnesses.get(index as usize)?.component;
            is_kept.get(component as usize).copied()?.then_some(component)
        };
        let (mut boxed, mut number) = (0, 0);
        for index in 0..self.witnesses.len() as u32 {
            if kept(index).is_none() {
                boxed += self.box_tiles_of(position, index);
                continue;
            }
            while let Some(same) = parent.boxes.get(number) {
                if same.first_witness() > index {
                    break;
                }
                if same.first_witness() == index {
                    self.renumbered[number] = self.boxes.len() as u32;
                    boxed += u32::from(same.cell_count);
                    self.take_box(*same);
                }
                number += 1;
            }
        }
        for start in 0..self.witnesses.len() as u32 {
            match kept(start) {
                Some(component) => self.take_component(parent, start, component),
                None => self.find_component(start),
            }
        }
        self.is_kept = is_kept;
        self.rest = self.unknown - boxed;
    }

    fn begin_grouping(&mut self) {
        self.boxes.clear();
        self.box_of.clear();
        self.box_of.resize(self.tiles.len(), NONE);
        self.walk.clear();
        self.components.clear();
        self.taken_over.clear();
        for witness in &mut self.witnesses {
            (witness.component, witness.box_count) = (NONE, 0);
        }
    }

    /// A witness of an unknown tile in a box.
    fn witness_of(&self, tile: u32) -> Option<&Witness> {
        let boxed = self.boxes.get(self.box_of[tile as usize] as usize)?;
        Some(&self.witnesses[boxed.witnesses[0] as usize])
    }

    /// Adds a box and tells its witnesses and tiles.
    fn take_box(&mut self, boxed: TileBox) {
        let number = self.boxes.len() as u32;
        for &at in boxed.witnesses() {
            let witness = &mut self.witnesses[at as usize];
            witness.boxes[usize::from(witness.box_count)] = number;
            witness.box_count += 1;
        }
        for &cell in boxed.cells() {
            self.box_of[cell as usize] = number;
        }
        self.boxes.push(boxed);
    }

    fn take_component(&mut self, parent: &Constraints, start: u32, component: u32) {
        if self.witnesses[start as usize].component != NONE {
            return;
        }
        let (begin, end) = parent.components[component as usize];
        let (number, first) = (self.components.len() as u32, self.walk.len() as u32);
        self.walk.extend_from_slice(&parent.walk[begin as usize..end as usize]);
        for &index in &self.walk[first as usize..] {
            self.witnesses[index as usize].component = number;
        }
        self.components.push((first, self.walk.len() as u32));
        self.taken_over.push(component);
    }

    /// Boxes the tiles whose first witness is `index`; returns how many there are.
    fn box_tiles_of(&mut self, position: &Position, index: u32) -> u32 {
        let Witness { cell, unknown, .. } = self.witnesses[index as usize];
        if unknown == 0 {
            return 0;
        }
        let first_new = self.boxes.len();
        let mut boxed = 0;
        for &tile in position.neighbours.of(cell) {
            if self.tiles[tile as usize] != UNKNOWN || self.box_of[tile as usize] != NONE {
                continue;
            }
            boxed += 1;
            let mut witnesses = [NONE; 8];
            let mut witness_count = 0;
            for &at in position.neighbours.of(tile) {
                if self.witness_at[at as usize] != NONE {
                    witnesses[witness_count] = self.witness_at[at as usize];
                    witness_count += 1;
                }
            }
            let same = self.boxes[first_new..].iter().position(|known| known.witnesses == witnesses);
            let number = first_new + same.unwrap_or(self.boxes.len() - first_new);
            if same.is_none() {
                let witness_count = witness_count as u8;
                self.boxes.push(TileBox { cells: [0; 8], cell_count: 0, witnesses, witness_count });
                for &at in &witnesses[..usize::from(witness_count)] {
                    let witness = &mut self.witnesses[at as usize];
                    witness.boxes[usize::from(witness.box_count)] = number as u32;
                    witness.box_count += 1;
                }
            }
            let into = &mut self.boxes[number];
            into.cells[usize::from(into.cell_count)] = tile;
            into.cell_count += 1;
            self.box_of[tile as usize] = number as u32;
        }
        boxed
    }

    /// The component that begins with witness `start`, unless it is in one already.
    fn find_component(&mut self, start: u32) {
        let witness = &mut self.witnesses[start as usize];
        if witness.unknown == 0 || witness.component != NONE {
            return;
        }
        let component = self.components.len() as u32;
        let begin = self.walk.len();
        witness.component = component;
        self.walk.push(start);
        let mut next = begin;
        while next < self.walk.len() {
            let from = self.walk[next] as usize;
            next += 1;
            for place in 0..usize::from(self.witnesses[from].box_count) {
                let shared = &self.boxes[self.witnesses[from].boxes[place] as usize];
                for &other in shared.witnesses() {
                    let witness = &mut self.witnesses[other as usize];
                    if witness.component == NONE {
                        witness.component = component;
                        self.walk.push(other);
                    }
                }
            }
        }
        self.components.push((begin as u32, self.walk.len() as u32));
        self.taken_over.push(NONE);
    }
}

impl Position {
    /// Width and height.
    pub fn size(&self) -> BoardSize {
        self.neighbours.size.unwrap_or(BoardSize::new(0, 0))
    }
}
