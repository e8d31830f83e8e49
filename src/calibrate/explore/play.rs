//! A game of a client that is learned, click by click: what every answer tells, and what is clicked next.

use super::{Explorer, ON_THE_BOARD, Played};
use crate::calibrate::evidence::{Record, Scene};
use crate::calibrate::meaning::{Game, risk};
use crate::calibrate::{News, Tell};
use crate::client::{Button, Touch};
use crate::desktop::{Desktop, DesktopError};
use crate::geometry::Cell;
use crate::vision::moving::lies_beside;
use crate::vision::unknown::looks::{LookId, changed};
use std::collections::BTreeMap;

/// Clicks of the first games after which the grid is looked at again: a game may end with its first click.
const ALIGNED: usize = 8;
/// Clicks that hide something open, after which this is no Minesweeper: no rule of it does that.
const CLOSED: usize = 3;
/// Clicks in a row after which no numbers explain what is open; a game of a client of which no number is known ends then.
const CONFUSED: usize = 12;
/// Tiles that are certain and clicked one after the other before their answer is waited for, at most, and games or clicks that must have told what
/// is known for that: large boards take a hundred clicks and more.
const TOGETHER: usize = 6;
const TOLD: usize = 2;
const TOLD_CLICKS: usize = 60;
/// The longest that a button is held, in milliseconds.
const LONGEST: u64 = 240;
/// Hidden tiles that do not hang together and change at once, from which they may be mines that show: a mark of the keyboard moves from one to another.
const SCATTERED: usize = 4;
/// Clicks without an effect, on different tiles, after which a game is over: one may be lost.
const DEAF: usize = 3;

/// A game that is played.
struct UnderWay {
    /// The board as it was seen last.
    board: Scene,
    /// The board before the last click that did anything, and where that was.
    last: Option<(Scene, Cell)>,
    /// Tiles that answered a click.
    pressed: Vec<Cell>,
    /// Tiles that did not, since the last one that did.
    deaf: Vec<Cell>,
    /// How many clicks did anything.
    clicks: usize,
    /// How many tiles the first of them changed, and how many were open before it.
    opened_first: usize,
    open_at_start: usize,
    /// Clicks after which a tile was hidden that had been open, and the game went on.
    closed: usize,
    /// Whether an empty tile had hidden ones beside it, and kept them.
    is_dry: bool,
    /// Whether the last click was one of several.
    was_together: bool,
    /// What hidden tiles may look like since its first click.
    repainted: Option<LookId>,
    /// It as if it had ended by a click that changed hidden tiles here and there, as where mines show, and how many clicks it had then.
    scattered: Option<(usize, Record)>,
}

impl UnderWay {
    fn of(board: Scene, open_at_start: usize) -> Self {
        Self {
            board,
            last: None,
            pressed: Vec::new(),
            deaf: Vec::new(),
            clicks: 0,
            opened_first: 0,
            open_at_start,
            closed: 0,
            is_dry: false,
            was_together: false,
            repainted: None,
            scattered: None,
        }
    }

    /// The pictures of it.
    fn scenes(&mut self) -> impl Iterator<Item = &mut Scene> {
        std::iter::once(&mut self.board).chain(self.last.as_mut().map(|(scene, _)| scene))
    }

    /// Whether mines showed, and what the next click seemed to open was hidden by the one after that: a tile that lights up below the pointer. Another
    /// click was made before that was looked at.
    fn lit_up(&self) -> bool {
        self.closed > 0 && self.scattered.as_ref().is_some_and(|(clicks, _)| clicks + 3 == self.clicks)
    }

    /// It as if it had ended by this click.
    fn ended(&self, running: Scene, mut ending: Scene, clicked: Cell) -> Record {
        // A page that says how the game ended may have moved the board, so that nothing tells which of its tiles is which.
        if running.grid == ending.grid && lies_beside(&running.picture, &running.grid, &ending.picture) {
            log::debug!("at the end of the game its tiles lie beside where they were: it tells nothing");
            ending.covered.fill(true);
            ending.looks.fill(None);
        }
        let Self { clicks, opened_first, open_at_start, .. } = *self;
        Record { running, ending, clicked, pressed: self.pressed.clone(), clicks, opened_first, open_at_start }
    }
}

/// What a click led to.
enum Led {
    /// The game goes on.
    On,
    /// It is over, or nothing more is to be had of it.
    ToItsEnd,
    /// This is no Minesweeper.
    Nowhere,
}

impl<D: Desktop> Explorer<'_, D> {
    /// Plays a game to its end, or until no click does anything.
    pub fn play(&mut self, tell: &mut Tell) -> Result<Played, DesktopError> {
        self.park()?;
        self.settle()?;
        self.watch_surroundings()?;
        let board = self.scene(false);
        let known = &self.notes.evidence.known;
        let is_open = |look: &&Option<LookId>| look.is_some() && !known.is_covered(**look);
        let open_at_start = board.looks.iter().filter(is_open).count();
        let mut game = UnderWay::of(board, open_at_start);
        (self.confused, self.lingers) = (0, false);
        self.shorter = None;
        loop {
            if game.clicks > 0 && self.went_on_by_itself()? {
                game.board = self.scene(false);
            }
            let mut chosen = self.choose(&game);
            if chosen.is_none() && self.takes_as_repainted(&mut game) {
                chosen = self.choose(&game);
            }
            self.is_cleared = chosen.is_none();
            let Some((cell, certain)) = chosen else { break };
            if self.confused >= CONFUSED && !self.meanings.has_numbers() {
                break;
            }
            match self.open(&mut game, cell, certain, tell)? {
                Led::On if game.clicks == 1 && std::mem::take(&mut self.is_to_mark) => {
                    self.notes.marks = self.try_marks(tell)?.or(self.notes.marks.take());
                    game.board = self.scene(false);
                }
                Led::On => self.grow_with(&mut game),
                Led::ToItsEnd => break,
                Led::Nowhere => return Ok(Played::Strange),
            }
        }
        Ok(self.keep(game))
    }

    /// Takes the commonest look for that of hidden tiles which the first click of a game painted anew: it is on most of the board, on no tile of it before,
    /// and none looks hidden any more. Whether there is such a look; it is kept once another click had an effect.
    fn takes_as_repainted(&mut self, game: &mut UnderWay) -> bool {
        let Some((before, _)) = game.last.as_ref().filter(|_| game.clicks == 1) else { return false };
        let evidence = &mut self.notes.evidence;
        let mut counts: BTreeMap<LookId, usize> = BTreeMap::new();
        game.board.looks.iter().flatten().for_each(|look| *counts.entry(*look).or_default() += 1);
        let Some((look, count)) = counts.into_iter().max_by_key(|(_, count)| *count) else { return false };
        let is_hidden = game.board.looks.iter().any(|look| evidence.is_hidden(*look));
        if is_hidden || 2 * count <= game.board.looks.len() || before.looks.contains(&Some(look)) {
            return false;
        }
        log::debug!("look {look} may be that of hidden tiles after the first click");
        evidence.known.hidden.insert(look);
        game.opened_first = game.board.looks.len() - count;
        game.repainted = Some(look);
        true
    }

    /// Sees whether the board of a first game is larger than was thought.
    fn grow_with(&mut self, game: &mut UnderWay) {
        let is_first = self.notes.evidence.games.is_empty() && !self.is_sure && !self.notes.elastic;
        let Some((before, clicked)) = game.last.as_ref().filter(|_| is_first) else { return };
        let misfit = self.goes_on_beyond(before, *clicked);
        if misfit == [0; 4] {
            return;
        }
        self.grow(misfit);
        for scene in game.scenes() {
            *scene = self.notes.evidence.look_at(&scene.picture, &self.grid, false, |_| false);
        }
        let by = |cell: &mut Cell| *cell = Cell::new(cell.x + misfit[0] as u32, cell.y + misfit[2] as u32);
        game.pressed.iter_mut().chain(&mut game.deaf).chain(game.last.as_mut().map(|(_, cell)| cell)).for_each(by);
        self.clicked.clear();
    }

    /// Keeps a game that is over.
    fn keep(&mut self, mut game: UnderWay) -> Played {
        if let Some(look) = game.repainted.filter(|_| game.clicks == 1) {
            self.notes.evidence.known.hidden.remove(&look);
        }
        let Some((mut running, clicked)) = game.last.take() else { return Played::Deaf };
        // Mines showed, and the page that tells of it came with the next click: that showed nothing else.
        let is_as_before = |(was, is): (&Option<LookId>, &Option<LookId>)| is.is_none() || was == is;
        let shows_nothing = running.looks.iter().zip(&game.board.looks).all(is_as_before);
        let was_over = game.lit_up();
        let is_end = |(clicks, _): &mut (usize, Record)| was_over || shows_nothing && *clicks + 1 == game.clicks;
        if let Some((_, ended)) = game.scattered.take_if(is_end) {
            log::debug!("the game was over before: mines showed");
            self.notes.evidence.games.push(ended);
            return Played::Over;
        }
        let evidence = &mut self.notes.evidence;
        let is_unsettled = evidence.settle(&mut running, &game.board);
        for row in running.looks.chunks(running.grid.size().width as usize) {
            let names = row.iter().map(|look| look.map_or(" --".into(), |look| format!("{look:3}")));
            log::debug!("{}", names.collect::<String>());
        }
        log::debug!("clicked last: {clicked}");
        evidence.games.push(game.ended(running, game.board.clone(), clicked));
        evidence.drop_numbers();
        if is_unsettled {
            // What is not on any picture any more is no look.
            evidence.sort_again(1.0);
        }
        self.notes.dry += usize::from(game.is_dry);
        Played::Over
    }

    /// Opens a tile, and before it some of those that are certain, too.
    fn open(
        &mut self,
        game: &mut UnderWay,
        cell: Cell,
        certain: Vec<Cell>,
        tell: &mut Tell,
    ) -> Result<Led, DesktopError> {
        let size = self.size();
        self.running = Some((game.board.picture.clone(), game.board.grid.clone()));
        let touch = self.notes.touch();
        if game.deaf.len() + 1 == DEAF && touch.hold_ms < LONGEST {
            // The last one before the game is held to be over must not be missed.
            self.notes.touch = Some(touch.firmer());
        }
        let had_dialog = self.desktop.has_dialog();
        let mut opened = Vec::new();
        for other in self.together(game, certain) {
            if !self.tap(other)? {
                break;
            }
            opened.push(other);
        }
        let is_foreign = match self.press(cell, Button::Left) {
            // A dialog of its own: the game may be over.
            Err(DesktopError::Foreign(_)) => {
                self.settle()?;
                true
            }
            other => {
                other?;
                false
            }
        };
        if self.window_has_gone() {
            // The click was its end, of which nothing was seen: the tile before it was none that was hit.
            let mut end = game.board.clone();
            end.covered.fill(true);
            end.looks.fill(None);
            game.clicks += 1;
            game.pressed.push(cell);
            game.last = Some((std::mem::replace(&mut game.board, end), cell));
            return Ok(Led::ToItsEnd);
        }
        if !is_foreign && self.is_replaced() {
            // The game was over before: what the last click showed is its end, and the page is no answer to this one.
            return Ok(Led::ToItsEnd);
        }
        let did = changed((&game.board.picture, &game.board.grid), (&self.seen(), &self.grid));
        // What the client lays over all of it since is how a game ends, also where no mine shows.
        let is_shaded = self.shows_through();
        if !is_foreign && !is_shaded && !did[size.index(cell)] {
            return Ok(self.had_no_effect(game, cell, touch));
        }
        let mut now = self.answer(game, cell, &did, is_foreign || is_shaded);
        if !is_foreign && self.is_only_pressed(&now, cell)? {
            let did = changed((&game.board.picture, &game.board.grid), (&self.seen(), &self.grid));
            now = self.answer(game, cell, &did, false);
        }
        // One of its own beside the board may tell the end, and leave a lost board to be clicked.
        let is_over = is_foreign || is_shaded || now.is_covered() || !had_dialog && self.desktop.has_dialog();
        if !is_over && !game.is_dry && game.board.grid == now.grid {
            let [then, now] = [&game.board, &now].map(|scene| self.notes.evidence.dry(scene, &self.meanings));
            game.is_dry = then.iter().any(|cell| now.contains(cell));
        }
        if is_over {
            let was_moved = self.put_back();
            let is_uncovered = self.uncover(Some((&game.board, Some(cell))), false, tell)?;
            if self.begun_by.is_none() && (is_uncovered || !was_moved) {
                now = self.scene(true);
            }
        } else if self.is_anew(Some((&game.board, None))) && game.clicks > 0 {
            // The click was one too many: it began the next game.
            self.begun_by = Some(ON_THE_BOARD);
            return Ok(Led::ToItsEnd);
        }
        let cell = if is_over { self.hit_before(game, &now, cell) } else { cell };
        game.deaf.clear();
        if is_foreign && now.looks == game.board.looks {
            return Ok(Led::ToItsEnd);
        }
        let is_one_of_several = !opened.is_empty();
        game.clicks += 1 + opened.len();
        opened.push(cell);
        game.pressed.append(&mut opened);
        if game.clicks == 1 {
            // Where columns grow what stays hidden is painted anew, too.
            let evidence = &self.notes.evidence;
            let is_open = |(did, look): &(&bool, &Option<LookId>)| **did && !evidence.is_hidden(**look);
            game.opened_first = did.iter().zip(&now.looks).filter(is_open).count();
        }
        match self.went_on(game) {
            Led::On => {}
            other => return Ok(other),
        }
        game.was_together = is_one_of_several;
        let was_hidden: Vec<bool> = game.board.looks.iter().map(|look| self.notes.evidence.is_hidden(*look)).collect();
        let came_up = |index: &usize| did[*index] && was_hidden[*index];
        if !is_over && !game.was_together && !size.hang_together(&did, cell) {
            let ended = || game.ended(game.board.clone(), now.clone(), cell);
            let is_scattered = (0..size.tiles()).filter(came_up).count() >= SCATTERED;
            let scattered = is_scattered.then(|| (game.clicks, ended()));
            self.shorter.get_or_insert_with(ended);
            game.scattered = scattered.or(game.scattered.take());
        }
        // Where the one that was hit looks otherwise others tell.
        let is_mine = (0..size.tiles()).filter(came_up).any(|index| {
            let meaning = now.looks[index].and_then(|look| self.meanings.of.get(&look));
            meaning.is_some_and(|meaning| meaning.tile.is_shown_mine())
        });
        game.last = Some((std::mem::replace(&mut game.board, now), cell));
        if is_mine {
            tell(News::Says("mines show"));
        }
        Ok(if is_mine || is_over { Led::ToItsEnd } else { Led::On })
    }

    /// The tile that ended a game: one that answered so late that this one was clicked before its answer came, or this one.
    fn hit_before(&self, game: &UnderWay, end: &Scene, cell: Cell) -> Cell {
        let is_hidden = |scene: &Scene, cell: Cell| {
            scene.looks.get(self.size().index(cell)).is_some_and(|look| self.notes.evidence.is_hidden(*look))
        };
        let is_seen = |cell: Cell| end.looks.get(self.size().index(cell)).is_some_and(Option::is_some);
        let is_hit = |other: &&Cell| is_hidden(&game.board, **other) && is_seen(**other) && !is_hidden(end, **other);
        let late = game.deaf.iter().rfind(is_hit).filter(|_| is_hidden(end, cell));
        late.copied().unwrap_or(cell)
    }

    /// Whether a tile that looks empty, and has hidden ones beside it, answers another click: it was only pressed, and the touch too short. Not asked
    /// any more once it is known that the client leaves such tiles hidden.
    fn is_only_pressed(&mut self, now: &Scene, cell: Cell) -> Result<bool, DesktopError> {
        let touch = self.notes.touch();
        let may_be = self.notes.dry < TOLD && touch.hold_ms < LONGEST && !now.is_covered();
        if !may_be || !self.notes.evidence.dry(now, &self.meanings).contains(&cell) {
            return Ok(false);
        }
        self.notes.touch = Some(touch.firmer());
        self.press(cell, Button::Left)?;
        let has_answered = changed((&now.picture, &now.grid), (&self.seen(), &self.grid)).contains(&true);
        if !has_answered {
            self.notes.touch = Some(touch);
        }
        log::debug!(
            "{cell} looks empty beside hidden tiles: {}",
            if has_answered { "it was only pressed" } else { "it is" }
        );
        Ok(has_answered)
    }

    /// A click on a tile had no effect, made with this touch.
    fn had_no_effect(&mut self, game: &mut UnderWay, cell: Cell, touch: Touch) -> Led {
        let is_first = game.clicks == 0 && self.notes.evidence.games.is_empty();
        if is_first && touch.hold_ms < LONGEST {
            // Before any click had an effect: it may have been too short to be seen.
            self.notes.touch = Some(touch.firmer());
            return Led::On;
        }
        self.notes.touch = Some(touch);
        game.deaf.push(cell);
        if game.deaf.len() < DEAF { Led::On } else { Led::ToItsEnd }
    }

    /// Clicks of the games before.
    fn clicks_before(&self) -> usize {
        self.notes.evidence.games.iter().map(|game| game.clicks).sum()
    }

    /// What the board shows after a click that did this. What it changed tells where tiles are, and which of them look alike.
    fn answer(&mut self, game: &mut UnderWay, cell: Cell, did: &[bool], is_its_end: bool) -> Scene {
        let size = self.size();
        let hangs_together = size.hang_together(did, cell);
        let before = self.clicks_before();
        let is_first = before + game.clicks < ALIGNED;
        // Where rows change their size the lines between tiles told where they are.
        let is_new = is_first && !self.is_sure && !self.notes.elastic && !self.is_shaded() && !self.is_overlapped();
        // What changes elsewhere, too, is the end of a game, and may be written over tiles.
        let is_new = is_new && hangs_together && !self.is_restless && !is_its_end;
        if is_new && self.grid == game.board.grid && self.align(&game.board, before + game.clicks == 0) {
            let evidence = &mut self.notes.evidence;
            for scene in game.scenes() {
                *scene = evidence.look_at(&scene.picture, &self.grid, false, |_| false);
            }
        }
        let mut now = self.scene(false);
        let is_lighter =
            |index: usize| did[index] && now.looks[index].is_some() && now.looks[index] == game.board.looks[index];
        let is_alike = (0..size.tiles()).any(is_lighter) && hangs_together;
        if is_alike && !is_its_end && self.notes.evidence.tell_apart() {
            // What a click opened is something else than it was, though it is but lighter.
            let looks = &mut self.notes.evidence.looks;
            for scene in game.scenes().chain([&mut now]) {
                scene.looks = looks.sort_except(&scene.picture, &scene.grid, &scene.covered);
            }
        }
        self.keep_hidden(&game.board, &now, did);
        now
    }

    /// The game went on after the click before the last one: what that opened together was empty. Unless something is hidden again, which no rule does.
    fn went_on(&mut self, game: &mut UnderWay) -> Led {
        let size = self.size();
        let Some((running, at)) = &game.last else { return Led::On };
        let evidence = &mut self.notes.evidence;
        let is_closed = |index: &usize| {
            let (then, now) = (running.looks[*index], game.board.looks[*index]);
            // What looked so from the beginning was not open.
            let was_open = then.is_some() && !evidence.known.is_covered(then);
            was_open && !evidence.was_there_first(*index, then) && evidence.is_hidden(now)
        };
        let closed: Vec<usize> = (0..size.tiles()).filter(is_closed).collect();
        // A line around the tile that has the keyboard goes on to another one with the next click.
        let framed = |index: &usize| {
            let look = running.looks[*index].filter(|_| !game.pressed.contains(&size.cell(*index)))?;
            let is_alone = running.looks.iter().filter(|other| **other == Some(look)).count() == 1;
            let mut hidden = evidence.known.hidden.iter();
            // That line may as well be around what is written in the middle of it.
            let is_line = closed.len() == 1 || hidden.any(|hidden| evidence.looks.are_alike_inside(look, *hidden));
            let is_framed = is_alone && is_line;
            is_framed.then_some(look)
        };
        match closed.iter().map(framed).collect::<Option<Vec<LookId>>>() {
            Some(framed) => evidence.known.hidden.extend(framed),
            None => game.closed += 1,
        }
        if game.lit_up() {
            return Led::ToItsEnd;
        }
        if game.closed >= CLOSED || game.clicks > size.tiles() {
            return Led::Nowhere;
        }
        if !game.was_together {
            self.notes.evidence.note_flood(size, &running.looks, &game.board.looks, *at);
        }
        Led::On
    }

    /// What did not change is still hidden, also where it has another size now and looks a little otherwise.
    fn keep_hidden(&mut self, before: &Scene, now: &Scene, did: &[bool]) {
        let known = &mut self.notes.evidence.known;
        for (index, look) in now.looks.iter().enumerate() {
            if let Some(look) = look.filter(|_| before.grid != now.grid && !did[index])
                && before.looks[index].is_some_and(|then| known.hidden.contains(&then))
                && !known.is_covered(Some(look))
            {
                log::debug!("look {look} is that of a hidden tile of another size");
                known.hidden.insert(look);
            }
        }
    }

    /// Where to click next: what is least likely to be a mine, for all that is believed. With it all others that are none for certain, the
    /// nearest to the middle first.
    fn choose(&mut self, game: &UnderWay) -> Option<(Cell, Vec<Cell>)> {
        let (size, evidence, seen) = (self.size(), &self.notes.evidence, &game.board.looks);
        let is_hidden = |cell: &Cell| evidence.is_hidden(seen[size.index(*cell)]) && !game.deaf.contains(cell);
        let middle = (f64::from(size.width) / 2.0 - 0.5, f64::from(size.height) / 2.0 - 0.5);
        // Where the last game ended with its first click the same may be dealt again.
        let hit = evidence.games.last().filter(|last| game.clicks == 0 && last.clicks == 1).map(|last| last.clicked);
        let far = |cell: Cell| {
            let aside = if hit == Some(cell) { f64::INFINITY } else { 0.0 };
            (f64::from(cell.x) - middle.0).powi(2) + (f64::from(cell.y) - middle.1).powi(2) + aside
        };
        let seen = Game { size, running: evidence.under_way(size, seen, &game.pressed), ending: None };
        let risks = risk(&evidence.known, &self.meanings, &seen);
        self.confused = if risks.is_some() { 0 } else { self.confused + 1 };
        let Some(risks) = risks else {
            let nearest = size.cells().filter(is_hidden).min_by(|a, b| far(*a).total_cmp(&far(*b)));
            return nearest.map(|cell| (cell, Vec::new()));
        };
        if self.is_to_lose
            && let Some((mine, _)) = risks.iter().find(|(cell, risk)| *risk == 1.0 && is_hidden(cell))
        {
            return Some((*mine, Vec::new()));
        }
        // Not so where one of them is none this time.
        if risks.iter().any(|(cell, risk)| *risk == 0.0 && self.traps.contains(cell)) {
            self.traps.clear();
        }
        let may_be = |(cell, _): &(Cell, f64)| is_hidden(cell) && !self.traps.contains(cell);
        let mut allowed: Vec<(Cell, f64)> = risks.into_iter().filter(may_be).collect();
        // Among equals the one in the middle: there it opens most.
        allowed.sort_by(|a, b| (a.1, far(a.0)).partial_cmp(&(b.1, far(b.0))).unwrap_or(std::cmp::Ordering::Equal));
        // What is left are mines: the game is won, or its end hidden.
        let &(chosen, _) = allowed.first().filter(|(_, risk)| *risk < 1.0)?;
        let certain = allowed.iter().skip(1).take_while(|(_, risk)| *risk == 0.0).map(|(cell, _)| *cell).collect();
        Some((chosen, certain))
    }

    /// Which of the tiles that are certain are clicked with the next one: where enough told what is known, and so much is left that none of
    /// them ends the game. A client that lets tiles fade in takes half a second for each answer.
    fn together(&self, game: &UnderWay, certain: Vec<Cell>) -> Vec<Cell> {
        let evidence = &self.notes.evidence;
        let hidden = game.board.looks.iter().filter(|look| evidence.is_hidden(**look)).count();
        let is_far = hidden > self.most_mines() + 3 * TOGETHER;
        // The answer to the first click, to one that had none, and what may be the end of a game are looked at by themselves.
        let is_plain = game.clicks > 0 && game.deaf.is_empty() && !self.is_to_lose && !self.lingers;
        let is_told = evidence.games.len() >= TOLD || self.clicks_before() + game.clicks >= TOLD_CLICKS;
        let may = is_far && is_plain && is_told;
        certain.into_iter().take(if may { TOGETHER } else { 0 }).collect()
    }
}
