//! `limited-search` and `limited-search-probability`: Pedersen 2004, sections 5.3 to 5.5, algorithms 2 to 5.

use super::coupled_sets::{Equation, coupled_sets, equations, equations_of_tiles};
use super::notes::{Note, Notes};
use super::{draw, guess, lots};
use crate::board::Board;
use crate::geometry::{BoardSize, Cell};
use crate::solver::{Area, Decision, Impossible, Setup, Strategy};
use std::collections::HashMap;

/// Supposes a mine on each unknown tile in turn, then none, and looks for a contradiction among the numbers of the
/// tile's zone of interest ([`Area::Zone`]; algorithms 2 and 3). Otherwise it opens any tile at random.
#[derive(Clone, Debug)]
pub struct LimitedSearch {
    seed: u64,
}

impl LimitedSearch {
    /// The player.
    pub fn new(setup: &Setup) -> Self {
        Self { seed: setup.seed }
    }
}

impl Strategy for LimitedSearch {
    fn name(&self) -> &'static str {
        "limited-search"
    }

    fn new_game(&mut self, seed: u64) {
        self.seed = seed;
    }

    fn decide(&self, board: &Board) -> Result<Decision, Impossible> {
        let mut notes = Notes::new(board);
        search_all(&mut notes, Area::Zone)?;
        Ok(notes.certain().unwrap_or_else(|| top_left_or_random(&notes, self.seed)))
    }
}

/// The same search counts explanations: m with a mine on the tile, f without. Where nothing is certain it opens a tile
/// with the lowest m / (m + f), by lot among equals (algorithms 4 and 5). The area that is searched is the zone of
/// interest, or a square (section 5.5.1).
#[derive(Clone, Debug)]
pub struct LimitedSearchProbability {
    seed: u64,
    area: Area,
}

impl LimitedSearchProbability {
    /// The player.
    pub fn new(setup: &Setup) -> Self {
        Self { seed: setup.seed, area: setup.area }
    }
}

impl Strategy for LimitedSearchProbability {
    fn name(&self) -> &'static str {
        "limited-search-probability"
    }

    fn new_game(&mut self, seed: u64) {
        self.seed = seed;
    }

    fn decide(&self, board: &Board) -> Result<Decision, Impossible> {
        let mut notes = Notes::new(board);
        let risks = search_all(&mut notes, self.area)?;
        if let Some(certain) = notes.certain() {
            return Ok(certain);
        }
        if board.is_untouched() {
            return Ok(top_left_or_random(&notes, self.seed));
        }
        Ok(self.safest(&notes, &risks))
    }
}

/// Risks closer than this count as equal (section 5.4.2).
const EPSILON: f64 = 1e-5;

impl LimitedSearchProbability {
    /// SafeList of the paper: the tiles of the lowest estimate, one of them by lot.
    fn safest(&self, notes: &Notes, risks: &HashMap<u32, f64>) -> Decision {
        let board = notes.board();
        let choices = notes.choices();
        // Tiles that no number says anything about: the mines left on the tiles left. The paper gives no formula, but
        // so every line of its table 5.4 is met; with the density of the untouched board there are half as many again
        // of 0.21, and next to no guesses above it.
        let unknown = notes.density();
        let risk = |cell: Cell| risks.get(&(board.size().index(cell) as u32)).copied().unwrap_or(unknown);
        let lowest = choices.iter().map(|&cell| risk(cell)).fold(f64::INFINITY, f64::min);
        let safest: Vec<Cell> = choices.into_iter().filter(|&cell| risk(cell) - lowest <= EPSILON).collect();
        match draw(&safest, &mut lots(self.seed, board)) {
            Some(cell) => guess(board, cell, risk(cell), notes.mines()),
            None => notes.nothing(),
        }
    }
}

/// Pedersen's first move (section 5.1.4), and a guess where nothing is known of the risks: each unknown tile is as good
/// as another.
fn top_left_or_random(notes: &Notes, seed: u64) -> Decision {
    let board = notes.board();
    let choices = notes.choices();
    let start = choices.first().copied().filter(|_| board.is_untouched());
    match start.or_else(|| draw(&choices, &mut lots(seed, board))) {
        Some(cell) => guess(board, cell, notes.density(), notes.mines()),
        None => notes.nothing(),
    }
}

/// Searches around every unknown tile beside a number until nothing new is found, and returns the estimated risks of
/// those that remain. Algorithm 4 prints `return 1` at a contradiction where the text says 0; it is 0 here.
///
/// What one number shows is noted first and, if that makes a tile safe, nothing is searched: each number beside a tile
/// is in the tile's area, so the search would find the same. A mine found in passing is used from the next round on.
fn search_all(notes: &mut Notes, area: Area) -> Result<HashMap<u32, f64>, Impossible> {
    loop {
        notes.single_points()?;
        if notes.cells(Note::Safe).next().is_some() {
            return Ok(HashMap::new());
        }
        let mut areas = Areas::new(notes, area);
        let mut risks = HashMap::new();
        let mut moved = false;
        for cell in notes.cells(Note::Unknown).collect::<Vec<_>>() {
            match areas.risk(cell) {
                None => {}
                Some(risk) if risk.is_nan() => return Err(Impossible { near: Some(cell) }),
                Some(risk) if risk <= 0.0 || risk >= 1.0 => {
                    notes.set(cell, if risk <= 0.0 { Note::Safe } else { Note::Mine })?;
                    moved = true;
                }
                Some(risk) => {
                    risks.insert(notes.board().size().index(cell) as u32, risk);
                }
            }
        }
        if !moved {
            return Ok(risks);
        }
    }
}

/// The searches on one board; what was found for one tile holds for all tiles with the same area that touch the same
/// numbers.
struct Areas {
    size: BoardSize,
    area: Area,
    equations: Vec<Equation>,
    /// The place of the number of each equation.
    centres: Vec<Cell>,
    of_tile: Vec<Vec<u32>>,
    /// Risk by the numbers that touch the tile, and those of its area.
    found: HashMap<(Vec<u32>, Vec<u32>), f64>,
}

impl Areas {
    fn new(notes: &Notes, area: Area) -> Self {
        let size = notes.board().size();
        let equations = equations(notes);
        let open = notes.board().numbers().filter(|&(cell, number)| !notes.around(cell, number).0.is_empty());
        let centres = open.map(|(cell, _)| cell).collect();
        let of_tile = equations_of_tiles(&equations, size.tiles());
        Self { size, area, equations, centres, of_tile, found: HashMap::new() }
    }

    /// The numbers that are searched to judge `cell`.
    fn of(&self, cell: Cell) -> Vec<u32> {
        let mut members: Vec<u32> = match self.area {
            Area::Zone => {
                let beside = self.size.neighbours(cell).chain([cell]).map(|other| self.size.index(other));
                beside.flat_map(|other| self.of_tile[other].iter().copied()).collect()
            }
            Area::Square(radius) => {
                let near = |centre: &Cell| centre.x.abs_diff(cell.x).max(centre.y.abs_diff(cell.y)) <= radius;
                (0..).zip(&self.centres).filter(|(_, centre)| near(centre)).map(|(index, _)| index).collect()
            }
        };
        members.sort_unstable();
        members.dedup();
        members
    }

    /// m / (m + f) of a tile; nothing if no number touches it or the search is too large, not a number if nothing
    /// explains its area.
    fn risk(&mut self, cell: Cell) -> Option<f64> {
        let index = self.size.index(cell) as u32;
        let touching = &self.of_tile[index as usize];
        if touching.is_empty() {
            return None;
        }
        let members = self.of(cell);
        let key = (touching.clone(), members);
        if let Some(&risk) = self.found.get(&key) {
            return Some(risk);
        }
        let local: Vec<Equation> = key.1.iter().map(|&member| self.equations[member as usize].clone()).collect();
        // Numbers of the area that have no tile in common with the rest multiply m and f alike.
        let set =
            coupled_sets(&local).into_iter().find(|set| set.groups.iter().any(|group| group.cells.contains(&index)))?;
        let group = set.groups.iter().position(|group| group.cells.contains(&index))?;
        let solutions = set.solve(&local)?;
        let (mined, free) = (solutions.mined(group), solutions.free(group));
        let risk = mined / (mined + free);
        self.found.insert(key, risk);
        Some(risk)
    }
}
