//! The rules, with the mines known: deal, open, flood, flag, chord. [`Game`] is what a client plays with you.

use crate::board::{Board, BoardError, Tile};
use crate::geometry::{BoardSize, Cell};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

/// What a client promises about the first click; it decides how boards are dealt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Rule {
    /// The first click is never a mine.
    Safe,
    /// The first click is never a mine and has none around it: always an opening.
    Zero,
    /// The first click may be a mine.
    Any,
    /// A mine under the first click moves to the first free tile from the top left, as in Windows.
    Windows,
    /// The game opens a tile in the least dense region of the board (Studholme, "hinted games").
    Hinted,
    /// The game begins with a random opening already open.
    Opened,
}

impl Rule {
    /// Whether the first click on a board of which nothing is open is never a mine.
    pub fn is_promised(self) -> bool {
        matches!(self, Rule::Safe | Rule::Zero | Rule::Windows)
    }

    /// Whether a game opens something before the first click.
    pub fn opens_itself(self) -> bool {
        matches!(self, Rule::Hinted | Rule::Opened)
    }
}

impl std::fmt::Display for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Rule::Safe => "safe",
            Rule::Zero => "zero",
            Rule::Any => "any",
            Rule::Windows => "windows",
            Rule::Hinted => "hinted",
            Rule::Opened => "opened",
        })
    }
}

/// How a game stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Neither won nor lost.
    Playing,
    /// Every tile without a mine is open.
    Won,
    /// A mine was opened.
    Lost,
}

/// One game: where the mines are, and what the player sees of it.
///
/// The mines are only laid at the first click, by the game's [`Rule`], from an order of the tiles drawn from the
/// seed: the first tiles of that order which the rule allows hold the mines. So games of one seed are as alike as
/// the rule permits, wherever they are begun.
#[derive(Clone, Debug)]
pub struct Game {
    rule: Rule,
    /// Tiles in the order in which they are given mines; as long as the rules can ask for. Empty once laid.
    order: Vec<u32>,
    is_mine: Vec<bool>,
    /// The mines that touch each tile, with a rim of one tile around the board.
    numbers: Vec<u8>,
    board: Board,
    /// Tiles without a mine that are not open yet.
    left: usize,
    state: State,
}

impl Game {
    /// A new game; the same for the same arguments, whatever machine or number of threads.
    ///
    /// # Errors
    /// No tiles, or more mines than tiles.
    pub fn deal(size: BoardSize, mines: u32, rule: Rule, seed: u64) -> Result<Self, BoardError> {
        let board = Board::hidden(size, mines)?;
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        // A rule keeps at most nine tiles free, so nine spare tiles are enough (a Fisher-Yates shuffle cut short).
        let drawn = size.tiles().min(mines as usize + 9);
        let mut order: Vec<u32> = (0..size.tiles() as u32).collect();
        for place in 0..drawn {
            order.swap(place, rng.random_range(place..size.tiles()));
        }
        order.truncate(drawn);
        let is_mine = vec![false; size.tiles()];
        let left = size.tiles() - mines as usize;
        let mut game = Self { rule, order, is_mine, numbers: Vec::new(), board, left, state: State::Playing };
        match rule {
            Rule::Hinted => {
                game.lay(&[]);
                game.open_start(game.least_dense());
            }
            Rule::Opened => {
                game.lay(&[]);
                let start = game.random_opening(&mut rng);
                game.open_start(start);
            }
            Rule::Safe | Rule::Zero | Rule::Any | Rule::Windows => {}
        }
        Ok(game)
    }

    /// A game with exactly these mines; the first click has no privilege.
    ///
    /// # Errors
    /// No tiles, a mine outside of the board, or more mines than tiles.
    pub fn with_mines(size: BoardSize, mines: &[Cell]) -> Result<Self, BoardError> {
        let mut is_mine = vec![false; size.tiles()];
        for &cell in mines {
            if !size.contains(cell) {
                return Err(BoardError::TooManyMines { size, mines: mines.len() as u32 });
            }
            is_mine[size.index(cell)] = true;
        }
        let count = is_mine.iter().filter(|&&mine| mine).count();
        let board = Board::hidden(size, count as u32)?;
        let mut game = Self {
            rule: Rule::Any,
            order: Vec::new(),
            is_mine,
            numbers: Vec::new(),
            board,
            left: size.tiles() - count,
            state: State::Playing,
        };
        game.count();
        Ok(game)
    }

    /// A game under way: `board` as it is seen, over exactly these mines. Marks are taken away.
    ///
    /// The mines must explain every number that is shown, and be as many as the board says.
    pub(crate) fn resumed(board: &Board, mines: impl IntoIterator<Item = Cell>) -> Self {
        let mut board = board.clone();
        for tile in board.tiles_mut().iter_mut().filter(|tile| tile.is_covered()) {
            *tile = Tile::Hidden;
        }
        let mut game = Self {
            rule: Rule::Any,
            order: Vec::new(),
            is_mine: vec![false; board.size().tiles()],
            numbers: Vec::new(),
            left: 0,
            board,
            state: State::Playing,
        };
        game.lay_again(mines);
        game.left =
            game.board.tiles().iter().zip(&game.is_mine).filter(|(tile, mine)| tile.is_covered() && !**mine).count();
        game
    }

    /// What the player sees. After a loss only the mine that went off is shown ([`Game::reveal`] shows all).
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// How the game stands.
    pub fn state(&self) -> State {
        self.state
    }

    /// Whether there is a mine on `cell`; before the first click there is none anywhere.
    pub fn is_mine(&self, cell: Cell) -> bool {
        self.is_mine[self.board.size().index(cell)]
    }

    /// Opens a tile; an opening (a 0) opens everything around it too. A flagged or open tile stays as it is, and so
    /// does everything once the game is over.
    pub fn open(&mut self, cell: Cell) -> State {
        if self.state != State::Playing || !matches!(self.board.tile(cell), Tile::Hidden | Tile::Question) {
            return self.state;
        }
        if self.is_unlaid() {
            self.lay_for_first_click(cell);
        }
        if self.is_mine(cell) {
            let index = self.board.size().index(cell);
            self.board.tiles_mut()[index] = Tile::Exploded;
            self.state = State::Lost;
            return self.state;
        }
        self.flood(cell);
        if self.left == 0 {
            self.state = State::Won;
        }
        self.state
    }

    /// Lays the mines of a running game anew: exactly these, which must explain what the board shows.
    pub(crate) fn lay_again(&mut self, mines: impl IntoIterator<Item = Cell>) {
        let size = self.board.size();
        self.order.clear();
        self.is_mine.fill(false);
        mines.into_iter().for_each(|cell| self.is_mine[size.index(cell)] = true);
        self.count();
        debug_assert!(self.board.numbers().all(|(cell, number)| self.number(cell) == number), "{}", self.board);
    }

    /// Puts a flag on a covered tile, or takes it away.
    pub fn flag(&mut self, cell: Cell) {
        if self.state != State::Playing {
            return;
        }
        let index = self.board.size().index(cell);
        let tile = &mut self.board.tiles_mut()[index];
        *tile = match *tile {
            Tile::Hidden | Tile::Question => Tile::Flag,
            Tile::Flag => Tile::Hidden,
            other => other,
        };
    }

    /// Opens every tile around an open number that is not flagged, if as many flags touch it as it says.
    pub fn chord(&mut self, cell: Cell) -> State {
        let Some(number) = self.board.tile(cell).number() else { return self.state };
        let size = self.board.size();
        let flags = size.neighbours(cell).filter(|&other| self.board.tile(other) == Tile::Flag).count();
        if flags == usize::from(number) {
            for other in size.neighbours(cell) {
                self.open(other);
            }
        }
        self.state
    }

    /// What a client shows at the end of a lost game: all mines, and the flags that were wrong.
    pub fn reveal(&self) -> Board {
        let mut board = self.board.clone();
        for (tile, &mine) in board.tiles_mut().iter_mut().zip(&self.is_mine) {
            *tile = match *tile {
                Tile::Flag if !mine => Tile::WrongFlag,
                Tile::Hidden | Tile::Question if mine => Tile::Mine,
                other => other,
            };
        }
        board
    }

    /// The mines that touch `cell`.
    fn number(&self, cell: Cell) -> u8 {
        self.numbers[(cell.y as usize + 1) * (self.board.size().width as usize + 2) + cell.x as usize + 1]
    }

    /// Whether the mines wait for the first click.
    fn is_unlaid(&self) -> bool {
        !self.order.is_empty()
    }

    fn lay_for_first_click(&mut self, cell: Cell) {
        let size = self.board.size();
        match self.rule {
            Rule::Safe => self.lay(&[cell]),
            Rule::Zero => {
                // Where there is no room for an opening, as much of it as there is room for.
                let around = std::iter::once(cell).chain(size.neighbours(cell));
                let free: Vec<Cell> = around.take(size.tiles() - self.mines() as usize).collect();
                self.lay(&free);
            }
            Rule::Windows => {
                self.lay(&[]);
                let index = size.index(cell);
                if self.is_mine[index]
                    && let Some(free) = self.is_mine.iter().position(|&mine| !mine)
                {
                    self.is_mine.swap(index, free);
                    self.count();
                }
            }
            Rule::Any | Rule::Hinted | Rule::Opened => self.lay(&[]),
        }
    }

    fn mines(&self) -> u32 {
        self.board.mines().expect("a game knows its mines")
    }

    /// Lays the mines on the first tiles of the order, keeping `free` free as long as there is another place.
    fn lay(&mut self, free: &[Cell]) {
        let size = self.board.size();
        let free: Vec<u32> = free.iter().map(|&cell| size.index(cell) as u32).collect();
        let order = std::mem::take(&mut self.order);
        let allowed = order.iter().filter(|index| !free.contains(index));
        let last_resort = order.iter().filter(|index| free.contains(index));
        for &index in allowed.chain(last_resort).take(self.mines() as usize) {
            self.is_mine[index as usize] = true;
        }
        self.count();
    }

    /// Counts the mines around every tile, once they are laid.
    fn count(&mut self) {
        let BoardSize { width, height } = self.board.size();
        let stride = width as usize + 2;
        self.numbers.clear();
        self.numbers.resize(stride * (height as usize + 2), 0);
        for (row, tiles) in self.is_mine.chunks(width as usize).enumerate() {
            for (column, _) in tiles.iter().enumerate().filter(|(_, is_mine)| **is_mine) {
                let above = row * stride + column;
                let [beside, below] = [above + stride, above + 2 * stride];
                for at in [above, above + 1, above + 2, beside, beside + 2, below, below + 1, below + 2] {
                    self.numbers[at] += 1;
                }
            }
        }
    }

    /// The tile without a mine whose surroundings, two tiles far, hold the fewest mines for their size.
    fn least_dense(&self) -> Option<Cell> {
        let size = self.board.size();
        let density = |cell: Cell| {
            let (tiles, mines) = size
                .square(cell, 2)
                .fold((0u32, 0u32), |(tiles, mines), other| (tiles + 1, mines + u32::from(self.is_mine(other))));
            // Exact comparison of fractions with at most 25 tiles: 360360 is divisible by nearly all of them.
            (u64::from(self.number(cell)), u64::from(mines) * 360_360 / u64::from(tiles))
        };
        size.cells().filter(|&cell| !self.is_mine(cell)).min_by_key(|&cell| density(cell))
    }

    /// A random tile among the openings, or among those without a mine if there is no opening.
    fn random_opening(&self, rng: &mut Xoshiro256PlusPlus) -> Option<Cell> {
        let safe: Vec<Cell> = self.board.size().cells().filter(|&cell| !self.is_mine(cell)).collect();
        let openings: Vec<Cell> = safe.iter().copied().filter(|&cell| self.number(cell) == 0).collect();
        let choice = if openings.is_empty() { safe } else { openings };
        (!choice.is_empty()).then(|| choice[rng.random_range(0..choice.len())])
    }

    fn open_start(&mut self, start: Option<Cell>) {
        if let Some(cell) = start {
            self.open(cell);
        }
    }

    fn flood(&mut self, start: Cell) {
        let size = self.board.size();
        // Most tiles open nothing around them: for them the stack takes no memory.
        let (mut stack, mut next) = (Vec::new(), Some(start));
        while let Some(cell) = next {
            let index = size.index(cell);
            if matches!(self.board.tiles()[index], Tile::Hidden | Tile::Question) {
                let number = self.number(cell);
                self.board.tiles_mut()[index] = Tile::Open(number);
                self.left -= 1;
                if number == 0 {
                    size.neighbours(cell).for_each(|other| stack.push(other));
                }
            }
            next = stack.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: [Rule; 6] = [Rule::Safe, Rule::Zero, Rule::Any, Rule::Windows, Rule::Hinted, Rule::Opened];

    fn mines_of(game: &Game) -> Vec<Cell> {
        game.board().size().cells().filter(|&cell| game.is_mine(cell)).collect()
    }

    #[test]
    fn the_first_click_is_what_the_rule_promises() {
        let size = BoardSize::new(9, 9);
        for seed in 0..300 {
            for rule in RULES {
                let mut game = Game::deal(size, 35, rule, seed).unwrap();
                let click = Cell::new(4, 4);
                let hit = game.open(click) == State::Lost;
                match rule {
                    Rule::Safe | Rule::Windows => assert!(!hit),
                    Rule::Zero => assert_eq!(game.board().tile(click), Tile::Open(0)),
                    Rule::Hinted | Rule::Opened | Rule::Any => {}
                }
                assert_eq!(mines_of(&game).len(), 35, "{rule}, seed {seed}");
            }
        }
    }

    #[test]
    fn no_size_or_density_panics() {
        for (width, height) in [(1, 1), (1, 2), (2, 1), (1, 7), (3, 3), (5, 2)] {
            let size = BoardSize::new(width, height);
            for mines in 0..=size.tiles() as u32 {
                for rule in RULES {
                    let mut game = Game::deal(size, mines, rule, 7).unwrap();
                    for cell in size.cells() {
                        if !game.is_mine(cell) {
                            game.open(cell);
                        }
                    }
                    assert_eq!(mines_of(&game).len(), mines as usize);
                }
            }
        }
    }

    #[test]
    fn a_thousand_by_a_thousand_floods() {
        let mut game = Game::deal(BoardSize::new(1000, 1000), 1, Rule::Zero, 1).unwrap();
        assert_eq!(game.open(Cell::new(500, 500)), State::Won);
    }

    #[test]
    fn opening_everything_safe_wins_and_chords_obey_flags() {
        let mut game = Game::with_mines(BoardSize::new(3, 2), &[Cell::new(0, 0)]).unwrap();
        assert_eq!(game.open(Cell::new(2, 0)), State::Playing);
        assert_eq!(game.board().rows().collect::<Vec<_>>(), ["#10", "#10"]);
        assert_eq!(game.chord(Cell::new(1, 0)), State::Playing, "no flag, no chord");
        game.flag(Cell::new(0, 0));
        assert_eq!(game.chord(Cell::new(1, 0)), State::Won);
    }

    #[test]
    fn a_loss_shows_mines_and_wrong_flags() {
        let mines = [Cell::new(0, 0), Cell::new(2, 0)];
        let mut game = Game::with_mines(BoardSize::new(4, 1), &mines).unwrap();
        game.flag(Cell::new(1, 0));
        assert_eq!(game.open(Cell::new(0, 0)), State::Lost);
        assert_eq!(game.reveal().rows().next().unwrap(), "Xx*#");
    }

    #[test]
    fn seeds_are_dealt_fairly() {
        // Each tile should hold a mine in about 10 of 81 boards: 5 standard deviations either way.
        let size = BoardSize::new(9, 9);
        let mut counts = vec![0u32; size.tiles()];
        let games = 20_000;
        for seed in 0..games {
            let mut game = Game::deal(size, 10, Rule::Any, seed).unwrap();
            game.open(Cell::new(0, 0));
            mines_of(&game).iter().for_each(|&cell| counts[size.index(cell)] += 1);
        }
        let share = 10.0 / 81.0;
        let allowed = 5.0 * (games as f64 * share * (1.0 - share)).sqrt();
        assert!(counts.iter().all(|&count| (f64::from(count) - games as f64 * share).abs() < allowed));
    }
}
