//! What happens in one game: decisions, guesses and their risks, and at the end whose fault it was.

use super::Outcome;
use crate::board::Tile;
use crate::geometry::{BoardSize, Cell};
use crate::solver::{Decision, GuessKind, Reason};
use std::collections::{HashMap, HashSet};

/// Decisions in a row that show nothing new, after which a game is given up: the person may close a tile now and then.
const FRUITLESS: u32 = 12;

/// The course of one game.
#[derive(Clone)]
pub struct Course {
    pub size: BoardSize,
    pub mines: Option<u32>,
    pub moves: u64,
    pub guesses: Vec<(f64, GuessKind)>,
    pub fatal: Option<(f64, Option<GuessKind>)>,
    /// Why every tile was clicked.
    reasons: HashMap<Cell, Reason>,
    /// Of these the ones that were seen to be covered since.
    closed: HashSet<Cell>,
    last: Vec<Cell>,
    /// The mines that were known then.
    found: Vec<Cell>,
    /// The tiles that were decided on last.
    before: Vec<Tile>,
    /// The most tiles that were not hidden so far, and decisions in a row that made them no more.
    shown: usize,
    fruitless: u32,
}

impl Course {
    pub fn new(size: BoardSize) -> Self {
        Self {
            size,
            mines: None,
            moves: 0,
            guesses: Vec::new(),
            fatal: None,
            reasons: HashMap::new(),
            closed: HashSet::new(),
            last: Vec::new(),
            found: Vec::new(),
            before: Vec::new(),
            shown: 0,
            fruitless: 0,
        }
    }

    /// A decision on these tiles that was carried out.
    pub fn remember(&mut self, decision: &Decision, before: Vec<Tile>) {
        let shown = before.iter().filter(|tile| **tile != Tile::Hidden).count();
        self.fruitless = if shown > self.shown { 0 } else { self.fruitless + 1 };
        self.shown = self.shown.max(shown);
        self.before = before;
        self.moves += 1;
        if let Reason::Guess { risk, kind } = decision.reason {
            self.guesses.push((risk, kind));
        }
        self.reasons.extend(decision.open.iter().map(|&cell| (cell, decision.reason)));
        decision.open.iter().for_each(|cell| {
            self.closed.remove(cell);
        });
        self.last.clone_from(&decision.open);
        self.found.clone_from(&decision.mines);
    }

    /// The course as it is once a decision on these tiles is carried out.
    pub fn after(&self, decision: &Decision, before: Vec<Tile>) -> Self {
        let mut after = self.clone();
        after.remember(decision, before);
        after
    }

    /// Nothing but mines is left of these tiles, by whatever the others were opened.
    pub fn remember_cleared(&mut self, tiles: Vec<Tile>) {
        self.before = tiles;
        self.last.clear();
    }

    /// How many clicks in a row opened nothing although they seemed to, where that is more than chance makes it: the last tile, and how many. A
    /// tile that only looks pressed may pass for an open one, until the next is.
    pub fn in_vain(&self) -> Option<(Cell, u32)> {
        let cell = *self.last.first()?;
        (self.fruitless >= FRUITLESS).then_some((cell, self.fruitless))
    }

    /// What shows now, and what was `closed` when it was seen after its click: it may have been flagged by the person.
    pub fn notice(&mut self, tiles: &[Tile], closed: &[Cell]) {
        let is_covered = |cell: &&Cell| tiles[self.size.index(**cell)].is_covered();
        self.closed.extend(self.reasons.keys().filter(is_covered));
        self.closed.extend(closed);
    }

    /// The tiles that were to be opened.
    pub fn opened(&self) -> Vec<Cell> {
        self.reasons.keys().copied().collect()
    }

    /// Whether a game may be over below what covers a part of its board and stays there: nothing but mines was left to be opened, or
    /// what was risked last shows no number.
    pub fn may_be_over(&self, now: &[Tile]) -> bool {
        let tile = |cell: &Cell| now[self.size.index(*cell)];
        let mut risked = self.last.iter().filter(|cell| self.is_risked(cell));
        // Where nothing is as it was, the client hides its board, as one that waits does.
        let is_seen = self.before.iter().zip(now).any(|(was, is)| was == is && *is != Tile::Unrecognised);
        // What was opened last and is seen to be closed would be open in a game that is over.
        is_seen
            && !self.last.iter().any(|cell| tile(cell).is_covered())
            && (self.was_last()
                || self.is_cleared_where_seen(now)
                || risked.any(|cell| tile(cell).number().is_none() && !self.may_be_opening(*cell, now)))
    }

    /// Whether nothing that shows is left but known mines, where most of a board does, and what does not show was opened last or may have been by
    /// an empty tile among that.
    fn is_cleared_where_seen(&self, now: &[Tile]) -> bool {
        if self.before.len() != now.len() {
            return false;
        }
        let index = |cell: &Cell| self.size.index(*cell);
        let is_open = |at: &usize| now[*at].number().is_some() || self.before[*at].number().is_some();
        let opened = self.last.iter().filter(|cell| !self.is_risked(cell) && !is_open(&index(cell))).count();
        let left = (0..now.len()).filter(|at| !is_open(at)).count() - opened;
        if self.mines.is_some_and(|mines| mines as usize == left) {
            return true; // so many are not open, whatever lies over them
        }
        let is_strange = |at: usize| now[at] == Tile::Unrecognised;
        let are_told = self.mines.is_none_or(|mines| mines as usize == self.found.len());
        let seen = (0..now.len()).filter(|at| !is_strange(*at)).count();
        let is_beside_a_mine = |cell: &Cell| self.size.neighbours(*cell).any(|other| self.found.contains(&other));
        let may_be_empty = |cell: &&Cell| matches!(now[index(cell)], Tile::Unrecognised | Tile::Open(0));
        let strange: Vec<bool> = (0..now.len()).map(is_strange).collect();
        let mut is_opened = vec![false; now.len()];
        for cell in self.last.iter().filter(may_be_empty).filter(|cell| !is_beside_a_mine(cell)) {
            is_opened.iter_mut().zip(self.size.patch(&strange, *cell)).for_each(|(is, may_be)| *is |= may_be);
        }
        self.last.iter().for_each(|cell| is_opened[index(cell)] = true);
        self.found.iter().for_each(|cell| is_opened[index(cell)] = true);
        let is_left = |at: &usize| self.before[*at].is_covered() && !is_opened[*at] && now[*at].number().is_none();
        let mut left = (0..now.len()).filter(is_left).peekable();
        let may_be_mines = left.peek().is_none()
            || self.mines.is_none() && left.all(|at| self.is_beside_a_number(at, now)) && self.may_all_be_mines(now);
        are_told && 2 * seen >= now.len() && may_be_mines
    }

    /// Whether a tile is seen to be closed, and some number shows beside it.
    fn is_beside_a_number(&self, at: usize, now: &[Tile]) -> bool {
        let is_number = |other: Cell| now[self.size.index(other)].number().is_some();
        now[at].is_covered() && self.size.neighbours(self.size.cell(at)).any(is_number)
    }

    /// Whether all tiles that show and are closed may be mines, by the numbers that show: what does not show may be some, too, but where it was open before.
    fn may_all_be_mines(&self, now: &[Tile]) -> bool {
        let may_be = |cell: Cell, number: u8| {
            let around = || self.size.neighbours(cell).map(|other| self.size.index(other));
            let closed = around().filter(|at| now[*at].is_covered()).count();
            let unseen = around().filter(|at| now[*at] == Tile::Unrecognised && self.before[*at].is_covered()).count();
            (closed..=closed + unseen).contains(&usize::from(number))
        };
        self.size.cells().all(|cell| now[self.size.index(cell)].number().is_none_or(|number| may_be(cell, number)))
    }

    /// Whether what nobody knows may be what the first click opened: it hangs together with that tile, and is more than it.
    fn may_be_opening(&self, cell: Cell, now: &[Tile]) -> bool {
        let is_strange: Vec<bool> = now.iter().map(|tile| *tile == Tile::Unrecognised).collect();
        self.before.iter().all(|tile| tile.is_covered())
            && is_strange.iter().filter(|is| **is).count() > 1
            && self.size.hang_together(&is_strange, cell)
    }

    /// The same below a shade over all of the board, which a page may lay over it to say how the game ended before it has painted what was opened last:
    /// that was risked, and shows no number. Not where it may as well have been the last tile.
    pub fn may_be_over_unpainted(&self, now: &[Tile]) -> bool {
        let shows_nothing = |cell: &Cell| now[self.size.index(*cell)].number().is_none();
        let is_risked = self.last.iter().any(|cell| self.is_risked(cell));
        is_risked && self.last.iter().all(shows_nothing) && !self.was_last()
    }

    /// The same where a client is not known to show any mine: what was risked last, and nothing else, may be seen closed then.
    pub fn may_be_over_unshown(&self, now: &[Tile]) -> bool {
        let is_closed = |cell: &Cell| now[self.size.index(*cell)].is_covered();
        let is_seen = self.before.iter().zip(now).any(|(was, is)| was == is && *is != Tile::Unrecognised);
        is_seen && !self.last.is_empty() && self.last.iter().all(|cell| self.is_risked(cell) && is_closed(cell))
    }

    /// The same where nothing of the board shows any more, in a client that is known to show pages in its place when a game is over: what was
    /// opened last may have opened all that was left with it, too.
    pub fn may_be_over_unseen(&self) -> bool {
        let is_beside_a_mine = |cell: &Cell| self.size.neighbours(*cell).any(|other| self.found.contains(&other));
        let may_end = |cell: &Cell| self.is_risked(cell) || !is_beside_a_mine(cell);
        self.was_last() || self.last.iter().any(may_end) || self.may_leave_mines_alone()
    }

    /// Whether all that was left may be mines, by the numbers that showed: where it is not known how many there are, nothing tells of those that lie
    /// behind others.
    fn may_leave_mines_alone(&self) -> bool {
        let is_left = |cell: &Cell| self.before[self.size.index(*cell)].is_covered() && !self.last.contains(cell);
        let left = |cell: Cell| self.size.neighbours(cell).filter(is_left).count();
        self.mines.is_none()
            && !self.last.is_empty()
            && self.before.len() == self.size.tiles()
            && self.size.cells().all(|cell| {
                self.before[self.size.index(cell)].number().is_none_or(|number| left(cell) == usize::from(number))
            })
    }

    /// Whether nothing but mines was left when the last tiles were opened, and none of these was a risk: then the game is won, whatever shows.
    pub fn is_cleared_for_certain(&self) -> bool {
        self.was_last() && !self.last.iter().any(|cell| self.is_risked(cell))
    }

    /// The same by what shows: what was opened last has a number, is not painted yet, or lies with others below something, and none of it is a mine.
    pub fn is_cleared_unpainted(&self, now: &[Tile]) -> bool {
        let tile = |cell: &Cell| now[self.size.index(*cell)];
        let is_strange = |tile: &Tile| *tile == Tile::Unrecognised;
        let strange = self.last.iter().filter(|cell| is_strange(&tile(cell))).count();
        let is_covered = now.iter().filter(|tile| is_strange(tile)).count() > strange;
        let may_be_open = |cell: &Cell| match tile(cell) {
            Tile::Unrecognised => is_covered,
            tile => tile.number().is_some() || tile == Tile::Hidden,
        };
        let is_cleared = !self.last.is_empty() && self.is_cleared_for_certain();
        is_cleared && self.last.iter().all(may_be_open) && !self.hit_a_mine(now)
    }

    /// Whether nothing but mines was left when the last tiles were opened, or flags put where there was nothing to open any more: a client may see
    /// only then that the game is won.
    fn was_last(&self) -> bool {
        if self.before.is_empty() {
            return false;
        }
        let covered = self.before.iter().filter(|tile| tile.is_covered()).count();
        covered == self.last.len() + self.mines.map_or(self.found.len(), |mines| mines as usize)
    }

    /// How a game came out that ended with a question over its board, by what shows around that: mines may show at a win, too, but not where
    /// something was opened. Where that is covered, what was certain has won it; a guess has only if it left nothing but mines. A mine that
    /// goes off, or the question itself, may look like an empty tile: where the client `floods` none has a hidden one beside it.
    pub fn ended(&mut self, now: &[Tile], floods: bool) -> Outcome {
        let covered = self.before.iter().filter(|tile| tile.is_covered()).count();
        let is_risked = self.last.iter().any(|cell| self.is_risked(cell));
        let is_last = self.mines.is_some_and(|mines| covered == mines as usize + self.last.len());
        let tile = |cell: &Cell| now[self.size.index(*cell)];
        let is_beside_hidden =
            |cell: &Cell| self.size.neighbours(*cell).any(|other| now[self.size.index(other)] == Tile::Hidden);
        let is_open = self.last.iter().all(|cell| match tile(cell).number() {
            Some(0) => !floods || !is_beside_hidden(cell),
            number => number.is_some(),
        });
        // What the question covers may be read as anything: only what was opened last can have gone off.
        let is_hit = self.last.iter().any(|cell| tile(cell).is_shown_mine());
        if !is_hit && (!is_risked || is_last || is_open) {
            return Outcome::Won;
        }
        self.attribute_loss(now);
        if self.fatal.is_none()
            && let Some(cell) = self.last.iter().find(|cell| self.is_risked(cell))
            && let Reason::Guess { risk, kind } = self.reasons[cell]
        {
            self.fatal = Some((risk, Some(kind)));
        }
        Outcome::Lost
    }

    /// Whether a tile is one of the mines that were known when something was decided last.
    pub fn knows_mine(&self, cell: Cell) -> bool {
        self.found.contains(&cell)
    }

    /// The tiles as they count for how the game stands: what was opened because it is safe, or with an empty tile beside it where the client
    /// `floods`, or was seen open, is open, also where its look is not known, or something covers it, and whatever its number is.
    pub fn as_opened(&self, tiles: &[Tile], floods: bool) -> Vec<Tile> {
        let is_safe = |index| {
            let cell = self.size.cell(index);
            let is_empty = |other| tiles[self.size.index(other)] == Tile::Open(0);
            let is_beside_empty = || floods && self.size.neighbours(cell).any(is_empty);
            let was_open = || self.before.get(index).is_some_and(|tile| tile.number().is_some());
            let is_safe = self.reasons.get(&cell) == Some(&Reason::Certain) || was_open() || is_beside_empty();
            is_safe && !self.closed.contains(&cell)
        };
        let open = |(index, &tile): (usize, &Tile)| match tile {
            Tile::Unrecognised if is_safe(index) => Tile::Open(0),
            other => other,
        };
        tiles.iter().enumerate().map(open).collect()
    }

    /// Whether a tile that was opened might have been a mine. The first of a game is a guess without a risk under most rules.
    fn is_risked(&self, cell: &Cell) -> bool {
        matches!(self.reasons[cell], Reason::Guess { risk, .. } if risk > 0.0)
    }

    /// Whether the only tile of a look that nobody knows is one that was risked: where nothing else answers any more it was a mine, and is what
    /// lost the game.
    pub fn went_off_unknown(&mut self, tiles: &[Tile]) -> bool {
        let mut strange = self.size.cells().filter(|cell| tiles[self.size.index(*cell)] == Tile::Unrecognised);
        let only = strange.next().filter(|_| strange.next().is_none());
        match only.and_then(|cell| self.reasons.get(&cell)) {
            Some(&Reason::Guess { risk, kind }) if risk > 0.0 => {
                self.fatal = Some((risk, Some(kind)));
                true
            }
            _ => false,
        }
    }

    /// Whether a tile that was opened shows a mine.
    pub fn hit_a_mine(&self, tiles: &[Tile]) -> bool {
        self.reasons.keys().any(|&cell| tiles[self.size.index(cell)].is_shown_mine())
    }

    /// Whether what was opened last shows numbers, all of it: by that no game is lost.
    pub fn ended_with_numbers(&self, tiles: &[Tile]) -> bool {
        !self.last.is_empty() && self.last.iter().all(|cell| tiles[self.size.index(*cell)].number().is_some())
    }

    /// Whose fault it was: the tile that went off among those clicked last, or clicked ever. Where something covers the one that was
    /// risked last it is taken to be that; of one that was safe, which is covered, nothing is known: the person may have opened another.
    /// A mine that the person opened is nobody's fault here.
    pub fn attribute_loss(&mut self, tiles: &[Tile]) {
        let tile = |cell: &Cell| tiles[self.size.index(*cell)];
        let among_last = |shows: fn(Tile) -> bool| self.last.iter().find(|cell| shows(tile(cell))).copied();
        let ever = |shows: fn(Tile) -> bool| self.reasons.keys().find(|cell| shows(tile(cell))).copied();
        // A client may show every mine as one that went off.
        let shows_which = tiles.iter().filter(|tile| **tile == Tile::Exploded).count() == 1;
        let hit = among_last(|tile| tile == Tile::Exploded)
            .or_else(|| ever(|tile| tile == Tile::Exploded))
            .or_else(|| among_last(Tile::is_shown_mine))
            .or_else(|| ever(Tile::is_shown_mine))
            .or_else(|| {
                among_last(|tile| tile == Tile::Unrecognised).filter(|cell| !shows_which && self.is_risked(cell))
            });
        self.fatal = hit.map(|cell| match self.reasons[&cell] {
            Reason::Certain => (0.0, None),
            Reason::Guess { risk, kind } => (risk, Some(kind)),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GUESS: Reason = Reason::Guess { risk: 0.25, kind: GuessKind::Educated };

    fn opened(x: u32, reason: Reason) -> Decision {
        Decision { open: vec![Cell::new(x, 0)], mines: vec![], reason }
    }

    fn tiles(row: &str) -> Vec<Tile> {
        row.chars().map(|tile| Tile::from_char(tile).unwrap()).collect()
    }

    #[test]
    fn a_mine_that_is_shown_where_it_was_opened_was_hit() {
        let mut game = Course::new(BoardSize::new(3, 1));
        game.remember(&opened(0, Reason::Certain), Vec::new());
        game.remember(&opened(1, GUESS), Vec::new());
        assert_eq!((game.moves, game.guesses.len()), (2, 1));
        for (row, hit) in [("01*", false), ("0~F", false), ("*1#", true), ("0X#", true), ("01X", false)] {
            assert_eq!(game.hit_a_mine(&tiles(row)), hit, "{row}");
        }
    }

    #[test]
    fn a_board_of_mines_alone_is_won_whatever_hides_it_next() {
        let mut game = Course::new(BoardSize::new(4, 1));
        game.mines = Some(1);
        // The last tile opened another one, too, as a double click does.
        game.remember(&opened(1, GUESS), tiles("0##1"));
        assert!(!game.is_cleared_for_certain());
        game.remember_cleared(tiles("01#1"));
        assert!(game.is_cleared_for_certain());
        assert!(matches!(game.ended(&tiles("~~~~"), true), Outcome::Won));
    }

    #[test]
    fn an_area_that_nobody_knows_is_no_loss() {
        for (before, now, may_be_over) in [
            // All that is strange may have been opened by the first click.
            ("#####", "#~~~#", false),
            // The tile alone, what does not hang together, or comes later, is how a game ends.
            ("#####", "#~###", true),
            ("#####", "#~#~#", true),
            ("###1#", "#~~1#", true),
        ] {
            let mut game = Course::new(BoardSize::new(5, 1));
            game.mines = Some(1);
            game.remember(&opened(1, GUESS), tiles(before));
            assert_eq!(game.may_be_over(&tiles(now)), may_be_over, "{before} {now}");
        }
    }

    #[test]
    fn a_strange_look_of_what_was_risked_is_a_mine_where_nothing_answers() {
        for (row, is_lost) in [("1~#", true), ("12#", false), ("~1#", false), ("~~#", false), ("1#~", false)] {
            let mut game = Course::new(BoardSize::new(3, 1));
            game.remember(&opened(0, Reason::Certain), Vec::new());
            game.remember(&opened(1, GUESS), Vec::new());
            assert_eq!(game.went_off_unknown(&tiles(row)), is_lost, "{row}");
            assert_eq!(game.fatal, is_lost.then_some((0.25, Some(GuessKind::Educated))));
        }
    }

    #[test]
    fn what_was_safe_is_open_whatever_it_looks_like() {
        let mut game = Course::new(BoardSize::new(3, 1));
        game.remember(&opened(0, Reason::Certain), Vec::new());
        game.remember(&opened(1, GUESS), Vec::new());
        assert_eq!(game.as_opened(&tiles("~F1"), true), tiles("0F1"));
        assert_eq!(game.as_opened(&tiles("1~~"), true), tiles("1~~"));
        game.remember(&opened(0, Reason::Certain), tiles("0#2"));
        assert_eq!(game.as_opened(&tiles("1~~"), true), tiles("1~0"), "it was seen open");
        game.remember(&opened(0, Reason::Certain), Vec::new());
        assert_eq!(
            Course::new(BoardSize::new(3, 1)).as_opened(&tiles("0~~"), true),
            tiles("00~"),
            "it was opened with the first"
        );
        assert_eq!(
            Course::new(BoardSize::new(3, 1)).as_opened(&tiles("0~~"), false),
            tiles("0~~"),
            "nothing opens with another"
        );
    }

    #[test]
    fn what_was_clicked_and_is_seen_to_be_flagged_is_not_open() {
        let mut game = Course::new(BoardSize::new(3, 1));
        game.remember(&opened(0, Reason::Certain), Vec::new());
        game.notice(&tiles("1##"), &[]);
        assert_eq!(game.as_opened(&tiles("~F1"), true), tiles("0F1"), "it was seen open, and something covers it");
        for (tiles_now, closed) in [("F##", vec![]), ("~##", vec![Cell::new(0, 0)])] {
            game.notice(&tiles(tiles_now), &closed);
            assert_eq!(game.as_opened(&tiles("~F1"), true), tiles("~F1"));
            game.remember(&opened(0, Reason::Certain), Vec::new());
            assert_eq!(game.as_opened(&tiles("~F1"), true), tiles("0F1"), "it was clicked again");
        }
    }

    #[test]
    fn a_board_that_is_hidden_wholly_is_not_over() {
        let before = tiles("1###");
        for (now, may_be) in [("1~~~", true), ("~~~#", true), ("~~~~", false), ("2~~~", false)] {
            let mut game = Course::new(BoardSize::new(4, 1));
            game.remember(&opened(1, GUESS), before.clone());
            assert_eq!(game.may_be_over(&tiles(now)), may_be, "{now}");
        }
        let mut game = Course::new(BoardSize::new(4, 1));
        let start = Reason::Guess { risk: 0.0, kind: GuessKind::Start };
        game.remember(&opened(1, start), tiles("####"));
        assert!(!game.may_be_over(&tiles("#~##")), "nothing was risked");
    }

    #[test]
    fn below_a_page_a_game_may_be_over_after_a_risk_or_the_last_tile() {
        let before = tiles("1###");
        for (mines, reason, found, may_be, is_cleared) in [
            (Some(2), Reason::Certain, vec![], true, true),
            (Some(2), GUESS, vec![], true, false),
            (Some(1), Reason::Certain, vec![Cell::new(2, 0)], false, false),
            (Some(1), Reason::Certain, vec![], true, false), // it may open the last one, too
            (Some(1), GUESS, vec![Cell::new(2, 0)], true, false),
        ] {
            let mut game = Course::new(BoardSize::new(4, 1));
            assert!(!game.may_be_over_unseen() && !game.is_cleared_for_certain(), "nothing was opened");
            game.mines = mines;
            game.remember(&Decision { mines: found, ..opened(1, reason) }, before.clone());
            assert_eq!(game.may_be_over_unseen(), may_be, "{mines:?} {reason:?}");
            assert_eq!(game.is_cleared_for_certain(), is_cleared, "{mines:?} {reason:?}");
        }
    }

    #[test]
    fn where_mines_are_not_counted_what_lies_behind_others_may_be_one() {
        for (mines, row, found, open, may_be) in [
            (None, "1#####1", &[1, 3, 5][..], 2, true),
            (None, "1#1###1", &[1, 5], 4, false),
            (Some(3), "1#####1", &[1, 3, 5], 2, false),
            (Some(4), "1#####1", &[1, 3, 5], 2, true),
        ] {
            let mut game = Course::new(BoardSize::new(7, 1));
            game.mines = mines;
            let mines = found.iter().map(|x| Cell::new(*x, 0)).collect();
            game.remember(&Decision { mines, ..opened(open, Reason::Certain) }, tiles(row));
            assert_eq!(game.may_be_over_unseen(), may_be, "{row} {open}");
        }
    }

    #[test]
    fn a_game_may_be_over_below_what_covers_it() {
        let before = tiles("1###");
        for (mines, reason, now, may_be) in [
            (Some(2), Reason::Certain, "1~~~", true),
            (Some(1), Reason::Certain, "1~~~", false),
            (Some(1), GUESS, "1~~~", true),
            (Some(1), GUESS, "12~~", false),
            (Some(1), GUESS, "1#~~", false), // it is seen to be closed
            (Some(2), Reason::Certain, "1#~~", false),
            (None, Reason::Certain, "1~~~", false),
        ] {
            let mut game = Course::new(BoardSize::new(4, 1));
            game.mines = mines;
            game.remember(&opened(1, reason), before.clone());
            assert_eq!(game.may_be_over(&tiles(now)), may_be, "{mines:?} {reason:?} {now}");
        }
        let mut game = Course::new(BoardSize::new(4, 1));
        let all_known = Decision { mines: vec![Cell::new(2, 0), Cell::new(3, 0)], ..opened(1, Reason::Certain) };
        game.remember(&all_known, before);
        assert!(game.may_be_over(&tiles("1~~~")));
        // An empty tile may have opened what nobody decided on; what is seen to be left was not.
        for (before, now, mines, may_be) in [
            ("1#2####1", "1#2~~~~1", None, true),
            ("1#2####1", "1#2~#~~1", None, false),
            ("1#2####1", "1#2~~1~1", None, false),    // no flood goes through a 1
            ("1#2####1", "1#2~~~~1", Some(2), false), // one of them is a mine
            ("1#2####1", "1#2~1#~1", Some(4), true),  // so many are not open
            ("1#2####1", "~~~~~~~1", None, false),    // too little of it shows
            ("1#2####1", "1#2~~1#1", None, true),     // what is left may be a mine
            ("1#2####1", "1#2~~0#1", None, false),    // it is none, for the 0
            ("1#2####1", "1#2~~1#1", Some(2), false), // one of three is none
        ] {
            let mut game = Course::new(BoardSize::new(8, 1));
            game.mines = mines;
            game.remember(&Decision { mines: vec![Cell::new(1, 0)], ..opened(4, Reason::Certain) }, tiles(before));
            assert_eq!(game.may_be_over(&tiles(now)), may_be, "{before} {now} {mines:?}");
        }
        // Nothing was left to be opened, and a client saw only then that it is won when a flag was put.
        let flags = Decision { open: Vec::new(), ..all_known };
        game.remember(&flags, tiles("11##"));
        assert!(game.may_be_over(&tiles("1~~~")) && game.is_cleared_for_certain());
        assert!(matches!(game.ended(&tiles("1~~~"), true), Outcome::Won));
        game.remember(&flags, tiles("1###"));
        assert!(!game.may_be_over(&tiles("1~~~")) && !game.may_be_over_unseen(), "something was");
    }

    #[test]
    fn a_win_may_show_its_mines_before_its_last_tile() {
        for (mines, reason, now, is_won) in [
            (Some(2), Reason::Certain, "1#**", true),
            (Some(2), Reason::Certain, "12**", true),
            (Some(2), Reason::Certain, "1X**", false),
            (Some(2), Reason::Certain, "1~**", false), // it may be the one that went off
            (Some(2), Reason::Certain, "~~**", true),  // something lies over it
            (Some(1), Reason::Certain, "1#*#", false), // more was left
            (Some(2), GUESS, "1#**", false),
        ] {
            let mut game = Course::new(BoardSize::new(4, 1));
            game.mines = mines;
            game.remember(&opened(1, reason), tiles("1###"));
            assert_eq!(game.is_cleared_unpainted(&tiles(now)), is_won, "{mines:?} {reason:?} {now}");
        }
    }

    #[test]
    fn a_loss_may_show_no_mine() {
        for (reason, now, may_be) in [(GUESS, "1#~~", true), (GUESS, "12~~", false), (Reason::Certain, "1#~~", false)] {
            let mut game = Course::new(BoardSize::new(4, 1));
            game.remember(&opened(1, reason), tiles("1###"));
            assert_eq!(game.may_be_over_unshown(&tiles(now)), may_be, "{reason:?} {now}");
            if may_be {
                assert!(matches!(game.ended(&tiles(now), true), Outcome::Lost) && game.fatal.is_some());
            }
        }
    }

    #[test]
    fn a_game_may_be_over_before_its_last_tile_is_painted() {
        let before = tiles("1###");
        for (mines, reason, now, may_be) in [
            (Some(1), GUESS, "1###", true),
            (Some(1), GUESS, "1~##", true),
            (None, GUESS, "1###", true),
            (Some(1), GUESS, "12##", false),
            (Some(2), GUESS, "1###", false), // it may have been the last one
            (Some(1), Reason::Certain, "1###", false),
        ] {
            let mut game = Course::new(BoardSize::new(4, 1));
            game.mines = mines;
            game.remember(&opened(1, reason), before.clone());
            assert_eq!(game.may_be_over_unpainted(&tiles(now)), may_be, "{mines:?} {reason:?} {now}");
            if may_be {
                assert!(matches!(game.ended(&tiles(now), true), Outcome::Lost));
                assert_eq!(game.fatal, Some((0.25, Some(GuessKind::Educated))));
            }
        }
    }

    #[test]
    fn what_a_question_covers_is_known_by_what_led_to_it() {
        let before = tiles("1###");
        for (mines, reason, now, won) in [
            (Some(2), Reason::Certain, "1~~#", true),
            (Some(2), GUESS, "1~~#", true),
            (Some(1), GUESS, "1~~#", false),
            (None, GUESS, "1~~#", false),
            (None, GUESS, "11~#", true),
            (Some(2), GUESS, "1~~*", true),
            (Some(1), GUESS, "1~~*", false),
            (Some(1), GUESS, "11~*", true),
            (Some(2), GUESS, "1X~#", false),
            (Some(1), Reason::Certain, "1X~*", false),
            (Some(1), GUESS, "10##", false),
            (Some(2), GUESS, "10#~", true), // nothing but mines was left
            (Some(1), GUESS, "10~#", true),
        ] {
            let mut game = Course::new(BoardSize::new(4, 1));
            game.mines = mines;
            game.remember(&opened(1, reason), before.clone());
            let outcome = game.ended(&tiles(now), true);
            assert_eq!(matches!(outcome, Outcome::Won), won, "{mines:?} {reason:?} {now}");
            assert_eq!(game.fatal.is_some_and(|(risk, _)| risk > 0.0), !won && reason == GUESS, "{now}");
        }
    }

    #[test]
    fn a_loss_is_charged_to_the_tile_that_went_off() {
        for (row, fatal) in [
            ("0X#*", Some(0.25)),
            ("0*#*", Some(0.25)),
            ("X1#*", Some(0.0)),
            ("X*#*", Some(0.0)),
            ("**#*", Some(0.25)),
            ("0~#*", Some(0.25)),
            // The person's: a tile that was never clicked, while those that were are numbers, or were not reached.
            ("01X*", None),
            ("0~X*", None),
            ("0#X*", None),
            ("01#X", None),
        ] {
            let mut game = Course::new(BoardSize::new(4, 1));
            game.remember(&opened(0, Reason::Certain), Vec::new());
            game.remember(&opened(1, GUESS), Vec::new());
            game.attribute_loss(&tiles(row));
            assert_eq!(game.fatal.map(|(risk, _)| risk), fatal, "{row}");
            assert_eq!(game.fatal.and_then(|(_, kind)| kind).is_some(), fatal == Some(0.25), "{row}");
        }
        for (row, fatal) in [("0~XX", Some(0.25)), ("01XX", None)] {
            let mut game = Course::new(BoardSize::new(4, 1));
            game.remember(&opened(0, Reason::Certain), Vec::new());
            game.remember(&opened(1, GUESS), Vec::new());
            game.attribute_loss(&tiles(row));
            assert_eq!(
                game.fatal.map(|(risk, _)| risk),
                fatal,
                "{row}, where all mines look like the one that went off"
            );
        }
        for (row, fatal) in [("~##*", None), ("X##*", Some(0.0)), ("*##*", Some(0.0))] {
            let mut game = Course::new(BoardSize::new(4, 1));
            game.remember(&opened(0, Reason::Certain), Vec::new());
            game.attribute_loss(&tiles(row));
            assert_eq!(game.fatal.map(|(risk, _)| risk), fatal, "{row}");
        }
    }
}
