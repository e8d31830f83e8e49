//! Games after the first one, until nothing new is learned by them.

use super::evidence::Evidence;
use super::explore::{Explorer, GOES, GOES_BY_ITSELF, Played};
use super::meaning::{Contradiction, Meaning, Meanings};
use super::notes::Notes;
use super::write::{Found, first_click};
use super::{GaveUp, Given, News, Tell, Wishes, around, restart};
use crate::board::Tile;
use crate::client::Step;
use crate::desktop::{Desktop, DesktopError};
use crate::vision::{Eyes, Grid};
use std::sync::Arc;
use std::time::Duration;

/// After so long, and a few games, nothing may contradict itself. Games that say little take longer: a first click that may be a mine ends many.
const HOPELESS: Duration = Duration::from_secs(45);
/// After so long a look that is still open does not keep it from playing: whoever plays learns it then.
const LONG: Duration = Duration::from_secs(150);
/// How often in a row a game may be begun again because no click had an effect.
const DEAF: usize = 5;
/// Games that hid again what was open and are passed over, at most.
const STRANGE: usize = 2;
/// Games that are lost on purpose: a loss that shows nothing looks like no loss.
const LOSING: usize = 3;
/// Games in which it is tried whether a right click marks a tile, until it did.
const MARKED: usize = 2;
/// Games that may contradict all others.
const UNFIT: usize = 4;
/// Games after which nothing new must have been learned for two, to stop.
const FEWEST: usize = 4;

/// Games that were the same once more, after which the next will be, too.
const REPEATED: usize = 2;

/// Games that are begun until what was learned finds the board, at most.
const SHOWN: usize = 3;

/// Clicks that must have told something before games are held to tell nothing.
const TELLING: usize = 60;

/// Learning from game to game.
pub(super) struct Lessons<'a, 'd, D: Desktop> {
    explorer: Explorer<'d, D>,
    wishes: &'a Wishes,
    /// What the person says of how a new game begins.
    given: Option<Step>,
    /// When learning began.
    began: Duration,
    /// What was seen before the last game.
    before: Evidence,
    /// Games that were played since, whatever is known of others.
    rounds: usize,
    /// The most looks that were understood so far, and how many games there were by then.
    known: (usize, usize),
    /// Games that contradicted all others.
    unfit: usize,
    /// Games that were lost on purpose.
    losing: usize,
    /// Games in which it was tried whether a right click marks a tile.
    asked: usize,
    /// Games in a row of which no click had an effect.
    deaf: usize,
    /// Games that hid again what was open, as on a board that was taken for one of another size.
    strange: usize,
    /// Whether boards that came up after the first one answered.
    is_awake: bool,
    /// What began the game before once more, whether that is taken as it is, and how many such games there were.
    repeats: Vec<Step>,
    takes_repeats: bool,
    repeated: usize,
}

impl<'a, 'd, D: Desktop> Lessons<'a, 'd, D> {
    /// After a first game; `before` is what was seen before that.
    pub(super) fn new(explorer: Explorer<'d, D>, before: Evidence, wishes: &'a Wishes, began: Duration) -> Self {
        Self {
            given: given(wishes, &explorer),
            explorer,
            wishes,
            began,
            before,
            rounds: 0,
            known: (0, 0),
            unfit: 0,
            losing: 0,
            asked: 0,
            deaf: 0,
            strange: 0,
            is_awake: false,
            repeats: Vec::new(),
            takes_repeats: false,
            repeated: 0,
        }
    }

    /// Plays on until nothing new is learned.
    pub(super) fn learn(mut self, tell: &mut Tell) -> Result<Found, GaveUp> {
        loop {
            let understood = self.explorer.understand(std::mem::take(&mut self.before));
            told(&self.explorer, &understood, tell);
            if self.is_enough(&understood)? {
                break;
            }
            self.explorer.mind_traps();
            self.drop_repeats(tell);
            if let Some(found) = self.next_board(understood.is_ok(), tell)? {
                return Ok(found);
            }
            self.ask_for_marks(tell)?;
            self.play(tell)?;
        }
        let missing = missing(&self.explorer);
        if !missing.is_empty() && !is_playable(&self.explorer) {
            return Err(GaveUp::TooLittle { games: self.games(), missing });
        }
        // What comes next begins with a board that shows, and not with how the last game ended. Of one that begins with much of it open too little may
        // be left to find it by, and of the next one more.
        let mut eyes = Eyes::new(Arc::new(self.found().client()));
        let marks = self.explorer.notes.evidence.known.marks.len();
        for _ in 0..SHOWN {
            let is_begun = self.begins(tell)? || self.starts_again(tell)?;
            if !is_begun || eyes.find(&self.explorer.desktop.look(None)?).is_ok() {
                break;
            }
        }
        if self.explorer.notes.evidence.known.marks.len() > marks {
            self.take_late_marks();
        }
        Ok(self.found())
    }

    /// Has the flags known by which the last game was ended, if what they look like contradicts nothing.
    fn take_late_marks(&mut self) {
        let (evidence, meanings) = (self.explorer.notes.evidence.clone(), self.explorer.meanings.clone());
        if self.explorer.understand(evidence.clone()).is_err() {
            (self.explorer.notes.evidence, self.explorer.meanings) = (evidence, meanings);
        }
    }

    /// Games that were played, also those that were the same once more.
    fn games(&self) -> usize {
        self.explorer.notes.evidence.games.len() + self.repeated
    }

    fn found(&self) -> Found {
        let Explorer { notes, meanings, .. } = &self.explorer;
        Found::of(&self.wishes.name, self.explorer.size(), notes, meanings)
    }

    /// Whether no more is to be learned, or may be: by what the last game, too, says.
    ///
    /// # Errors
    /// Games contradict each other, so that it is no Minesweeper.
    fn is_enough(&mut self, understood: &Result<(), Contradiction>) -> Result<bool, GaveUp> {
        let spent = self.explorer.desktop.clock().saturating_sub(self.began);
        let (explorer, games) = (&self.explorer, self.games());
        self.rounds += 1;
        self.unfit += usize::from(understood.is_err());
        // Fewer games than there were are those of a board of another size.
        if explorer.meanings.of.len() > self.known.0 || games < self.known.1 {
            self.known = (explorer.meanings.of.len(), games);
        }
        let why = || GaveUp::Contradiction {
            games,
            why: understood.as_ref().map_or_else(ToString::to_string, |()| "no look is that of a number".into()),
        };
        // What was seen and is not understood yet may be the end of a game, or a rare number.
        let is_clear = explorer.notes.evidence.looks.count() <= explorer.meanings.of.len()
            && explorer.meanings.mines.contains_key(&explorer.size())
            && first_click(explorer.notes, &explorer.meanings).is_some();
        // Nor is more seen where every game is the same.
        let is_clear = is_clear || self.rounds > 2 * FEWEST || spent >= LONG || self.repeated >= REPEATED;
        let is_known = games >= FEWEST && missing(explorer).is_empty();
        let knows_marks = explorer.notes.knows_marks() || explorer.notes.flags_to_win || self.asked >= MARKED;
        // Where a game takes long, a rare number is not waited for once more.
        let is_quiet = spent >= LONG || games >= self.known.1 + 2;
        let is_all = is_known && is_quiet && is_clear && knows_marks;
        if is_all || spent >= self.wishes.time || self.rounds >= self.wishes.games {
            return if understood.is_err() && explorer.meanings.of.is_empty() { Err(why()) } else { Ok(true) };
        }
        if self.unfit >= UNFIT {
            // What four games contradict may be how they were seen: what all others say together is proved by playing.
            return if is_known { Ok(true) } else { Err(why()) };
        }
        let is_long = spent >= HOPELESS && games >= 2 && understood.is_err();
        // Where mines are many, and the first click may hit one, games end before they show much.
        let clicks: usize = explorer.notes.evidence.games.iter().map(|game| game.clicks).sum();
        if !explorer.meanings.has_numbers() && (is_long || games >= 2 * FEWEST && clicks >= TELLING) {
            return Err(why());
        }
        Ok(false)
    }

    /// Begins a new game. Where none begins, what was found if that is enough to play, if not more than a game.
    fn next_board(&mut self, is_understood: bool, tell: &mut Tell) -> Result<Option<Found>, GaveUp> {
        let games = self.games();
        let is_enough = is_understood && is_playable(&self.explorer);
        // Where the program is known to be started again, nothing else is waited for.
        let is_started = self.explorer.notes.new_game.iter().any(Step::starts);
        if self.explorer.has_closed(if is_started { GOES } else { GOES_BY_ITSELF })? {
            // A page may have come in its place, in a window of its own.
            if self.given.is_none() && is_there(restart::is_through_pages(&mut self.explorer, None, tell))? {
                return Ok(None);
            }
            if self.starts_again(tell)? {
                return Ok(None);
            }
            if is_enough {
                tell(News::Says("its window has gone: whoever plays must start it again for each game"));
                return Ok(Some(self.found()));
            }
            return Err(GaveUp::Closed { games });
        }
        if self.begins(tell)? || self.starts_again(tell)? {
            return Ok(None);
        }
        if !self.repeats.is_empty() {
            // Better the same game than none.
            self.takes_repeats = true;
            let steps = std::mem::take(&mut self.repeats);
            self.explorer.deaf.retain(|step| !steps.contains(step));
            self.explorer.notes.new_game = steps;
            if self.begins(tell)? {
                return Ok(None);
            }
        }
        if is_enough {
            tell(News::Says("no new game begins by itself: whoever plays must begin each"));
            return Ok(Some(self.found()));
        }
        if self.explorer.window_has_gone() {
            return Err(GaveUp::Closed { games });
        }
        Err(GaveUp::NoNewGame { is_understood: self.explorer.meanings.has_numbers() })
    }

    fn begins(&mut self, tell: &mut Tell) -> Result<bool, DesktopError> {
        is_there(restart::restart(&mut self.explorer, self.given.as_ref(), tell))
    }

    /// Starts the program again, unless the person says what begins a new game.
    fn starts_again(&mut self, tell: &mut Tell) -> Result<bool, DesktopError> {
        Ok(self.given.is_none() && is_there(restart::is_started_again(&mut self.explorer, tell))?)
    }

    /// What began the same game once more is none that begins a new one, as long as there may be another: all else was tried before the program was
    /// started again. What such a game shows is no more proof than it was.
    fn drop_repeats(&mut self, tell: &mut Tell) {
        let notes = &mut self.explorer.notes;
        if self.given.is_some() || notes.new_game.is_empty() || !notes.evidence.is_same_again(&self.explorer.meanings) {
            return;
        }
        notes.evidence.drop_same(&self.explorer.meanings);
        self.takes_repeats |= notes.new_game.iter().all(Step::starts);
        if self.takes_repeats {
            tell(News::Says("that was the same game again"));
            self.repeated += 1;
            return;
        }
        tell(News::Says("that was the same game again: something else may begin a new one"));
        let steps = std::mem::take(&mut notes.new_game);
        self.explorer.deaf.extend(steps.iter().cloned());
        self.repeats.extend(steps);
    }

    /// Tries whether a right click marks a tile, where that is not known.
    fn ask_for_marks(&mut self, tell: &mut Tell) -> Result<(), GaveUp> {
        let notes = &self.explorer.notes;
        if notes.knows_marks() || notes.flags_to_win || self.games() < 2 || self.asked >= MARKED {
            return Ok(());
        }
        let marks = self.explorer.try_marks(tell)?;
        self.asked += 1;
        // A client may let no tile be marked before some are open.
        self.explorer.is_to_mark = marks.is_none() && self.asked >= MARKED;
        let marks = marks.unwrap_or_default();
        // The click that began this game may have ended it, too: nothing is said once. And what tiles of another size showed stays known.
        let known = &mut self.explorer.notes.marks;
        if !marks.is_empty() || known.is_none() && self.asked >= MARKED {
            *known = Some(marks);
        }
        Ok(())
    }

    /// Plays the next game.
    fn play(&mut self, tell: &mut Tell) -> Result<(), GaveUp> {
        let games = self.games();
        let explorer = &mut self.explorer;
        // Who always wins does not learn how a loss looks.
        let has_lost = explorer.meanings.won.contains(&Some(false));
        explorer.is_to_lose = games >= 2 && !has_lost && self.losing < LOSING && missing(explorer).is_empty();
        self.losing += usize::from(explorer.is_to_lose);
        if explorer.is_to_lose {
            tell(News::Says("losing a game, to see how that looks"));
        }
        self.before = explorer.notes.evidence.clone();
        let mut played = explorer.play(tell)?;
        if played == Played::Deaf && self.given.is_none() && !self.is_awake && restart::wake(explorer, tell)? {
            played = explorer.play(tell)?;
        }
        self.is_awake |= played == Played::Over;
        match played {
            Played::Over => (self.deaf, explorer.is_deaf) = (0, false),
            // A page may still be loaded, or a menu be open: it is begun anew, and in another way if that does not help.
            Played::Deaf if self.deaf < DEAF => {
                explorer.forget_ends();
                explorer.is_deaf = self.deaf > 0;
                if explorer.is_deaf {
                    explorer.deaf.append(&mut explorer.notes.new_game);
                }
                self.deaf += 1;
            }
            Played::Deaf => return Err(GaveUp::Deaf(1)),
            // Nothing is known by it. Where numbers explain the games before it is Minesweeper, and something was wrong with this one.
            Played::Strange if self.strange < STRANGE && explorer.meanings.has_numbers() => {
                tell(News::Says("clicks hid again what was open: that game tells nothing"));
                explorer.notes.evidence = self.before.clone();
                self.strange += 1;
            }
            Played::Strange => return Err(GaveUp::strange(games)),
        }
        Ok(())
    }
}

/// What the person says of how a new game begins.
fn given<D: Desktop>(wishes: &Wishes, explorer: &Explorer<D>) -> Option<Step> {
    wishes.new_game.as_ref().map(|given| match given {
        Given::Keys(keys) => Step::Keys(keys.clone()),
        Given::At(at) => Step::Click(around::spot(&explorer.grid, explorer.shot.to_pixel(*at))),
    })
}

/// Begins another game where nothing was learned of the first: its first tile was a mine, and a page or the whole board came up at once. Whether one
/// began.
pub(super) fn begins_another<D: Desktop>(
    explorer: &mut Explorer<D>,
    wishes: &Wishes,
    tell: &mut Tell,
) -> Result<bool, DesktopError> {
    let given = given(wishes, explorer);
    if given.is_none() && !explorer.desktop.client_is_alone() {
        // In a browser the click may have followed a link: loaded again the page is a fresh board where it was one, and is left alone where it is not.
        return is_there(restart::is_loaded_again(explorer, None, tell));
    }
    Ok(is_there(restart::restart(explorer, given.as_ref(), tell))?
        || given.is_none() && is_there(restart::is_started_again(explorer, tell))?)
}

/// Begins a new game as while it was learned, on a board that was found with that and on which nothing that is known begins one; `is_cleared`: nothing but
/// its mines was left. What begins one is added to what is known. Whether one began.
pub(super) fn begins_again<D: Desktop>(
    desktop: &mut D,
    notes: &Notes,
    found: &mut Found,
    (grid, is_cleared): (&Grid, bool),
    tell: &mut Tell,
) -> Result<bool, DesktopError> {
    // What begins a game does not depend on what looks mean, of which all games together may say nothing.
    let meanings = notes.meanings().unwrap_or_default();
    let mut notes = notes.clone();
    notes.evidence.games.clear();
    let screen = desktop.look(None)?;
    let mut explorer = Explorer::new(desktop, &mut notes, &screen, grid)?;
    (explorer.meanings, explorer.is_cleared) = (meanings, is_cleared);
    // What is open now is hidden again in a new game.
    explorer.take_as_ended();
    tell(News::Says("nothing that is known begins a new game: trying all that may"));
    if !is_there(restart::restart(&mut explorer, None, tell))? {
        return Ok(false);
    }
    let mut meanings = explorer.meanings.clone();
    for (&look, &tile) in &notes.evidence.known.marks {
        meanings.of.entry(look).or_insert(Meaning { tile, wrong: 0.0, seen: (0, 0) });
    }
    let now = Found::of(&found.name, found.size, &notes, &meanings);
    found.new_game.extend(now.new_game.into_iter().filter(|step| !found.new_game.contains(step)).collect::<Vec<_>>());
    if now.flags_to_win && !found.flags_to_win {
        (found.flags_to_win, found.marks) = (true, now.marks);
        found.looks.extend(now.looks.into_iter().filter(|(tile, _)| *tile == Tile::Flag));
    }
    Ok(true)
}

/// Tells what is believed after a game.
fn told<D: Desktop>(explorer: &Explorer<D>, understood: &Result<(), Contradiction>, tell: &mut Tell) {
    let games = explorer.notes.evidence.games.len();
    match understood {
        Ok(()) => tell(News::Says(&format!("after game {games}: {}", summary(explorer)))),
        Err(contradiction) => tell(News::Says(&format!("after game {games}: {contradiction}"))),
    }
    if let Some(picture) = explorer.notes.believed(&explorer.meanings) {
        tell(News::Shows(&picture));
    }
}

/// What must be known to play and is not: by the characters of board text. A number that games enough did not tell is rare on these boards:
/// whoever plays goes around it, and learns it then.
fn missing<D: Desktop>(explorer: &Explorer<D>) -> String {
    missing_of(&explorer.notes.evidence, &explorer.meanings)
}

fn missing_of(evidence: &Evidence, meanings: &Meanings) -> String {
    let known = |tile: Tile| meanings.of.values().any(|meaning| meaning.tile == tile);
    let is_rare = evidence.games.len() >= 2 * FEWEST;
    let mut needed = vec![Tile::Hidden, Tile::Open(0), Tile::Open(1)];
    needed.extend([Tile::Open(2), Tile::Open(3)].into_iter().filter(|_| !is_rare));
    needed.into_iter().filter(|tile| !known(*tile)).map(Tile::to_char).collect()
}

/// Whether boards with tiles of some size can be played.
fn is_playable<D: Desktop>(explorer: &Explorer<D>) -> bool {
    let mut sizes = explorer.notes.by_size(&explorer.meanings);
    sizes.any(|(evidence, meanings)| missing_of(evidence, &meanings).is_empty())
}

/// What is believed, in a line.
fn summary<D: Desktop>(explorer: &Explorer<D>) -> String {
    let mut known: Vec<char> = explorer.meanings.of.values().map(|meaning| meaning.tile.to_char()).collect();
    known.sort_unstable();
    known.dedup();
    let open = explorer.untold(&explorer.meanings);
    let known: String = known.into_iter().collect();
    let mines = explorer.meanings.mines.get(&explorer.size());
    let mines = mines.map_or("mines not known".to_owned(), |mines| format!("{mines} mines"));
    let won = explorer.meanings.won.iter().filter(|won| **won == Some(true)).count();
    let lost = explorer.meanings.won.iter().filter(|won| **won == Some(false)).count();
    format!("known {known}, {open} looks open, {mines}, {won} won, {lost} lost")
}

/// Whether a fresh board is there; none where what was tried closed its window, and there is no other.
fn is_there(begun: Result<bool, DesktopError>) -> Result<bool, DesktopError> {
    match begun {
        Err(DesktopError::Black) => Ok(false),
        other => other,
    }
}
