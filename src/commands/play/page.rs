//! `play --page`: the run on a page, while it goes on.

use super::summary::Summary;
use crate::board::Board;
use crate::desktop::{Action, Desktop, DesktopError, Note, ScreenRect};
use crate::page::live::Stage;
use crate::runs::GameRecord;
use crate::screenshot::Screenshot;
use crate::solver::Decision;
use serde_json::json;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Between two pictures of the page. The game waits while one is copied, a millisecond or two for a whole screen; more of them nobody could follow.
const PAUSE: Duration = Duration::from_millis(250);

/// So many of the last games are shown.
const LAST: usize = 60;

/// Another desktop, of which the page is shown what was seen and decided. It is a desktop itself, so that the bot does not know.
pub struct Watched<D> {
    inner: D,
    stage: Arc<Stage>,
    shown: Option<Instant>,
    /// What was read last is on the page.
    is_shown: bool,
}

impl<D: Desktop> Watched<D> {
    pub fn new(inner: D, stage: Arc<Stage>) -> Self {
        Self { inner, stage, shown: None, is_shown: false }
    }

    fn is_due(&self) -> bool {
        self.shown.is_none_or(|shown| shown.elapsed() >= PAUSE) && self.stage.is_followed()
    }

    fn decided(&self, board: &Board, decision: &Decision) {
        if self.is_shown {
            self.stage.decide(board, Some(decision));
        }
    }
}

impl<D: Desktop> Desktop for Watched<D> {
    fn behind(&mut self) -> Option<&mut dyn Desktop> {
        Some(&mut self.inner)
    }

    fn look(&mut self, part: Option<ScreenRect>) -> Result<Screenshot, DesktopError> {
        self.inner.look(part)
    }

    fn act(&mut self, action: &Action) -> Result<(), DesktopError> {
        self.inner.act(action)
    }

    fn wait(&mut self, time: Duration) -> Result<(), DesktopError> {
        self.inner.wait(time)
    }

    fn clock(&mut self) -> Duration {
        self.inner.clock()
    }

    fn note(&mut self, note: Note<'_>) -> Result<(), DesktopError> {
        match note {
            Note::Reading(shot, reading) => {
                self.is_shown = self.is_due();
                if self.is_shown {
                    let tiles = reading.tiles.iter().map(|tile| tile.tile.to_char()).collect();
                    self.stage.show(shot.pixels.clone(), reading.grid.clone(), tiles);
                    self.shown = Some(Instant::now());
                }
            }
            Note::Decision(board, decision) => self.decided(board, decision),
        }
        self.inner.note(note)
    }
}

/// How the run stands, told to the page after every game.
pub struct RunPage {
    stage: Arc<Stage>,
    most: u64,
    began: Instant,
    played: u64,
    last: VecDeque<serde_json::Value>,
}

impl RunPage {
    /// A run of at most `most` games.
    pub fn new(stage: Arc<Stage>, most: u64) -> Self {
        Self { stage, most, began: Instant::now(), played: 0, last: VecDeque::new() }
    }

    /// Tells of all games so far.
    pub fn begin(&mut self, summary: &Summary) {
        self.began = Instant::now();
        self.tell(summary);
    }

    /// Tells of one more game.
    pub fn game_over(&mut self, record: &GameRecord, summary: &Summary) {
        self.played += 1;
        if self.last.len() == LAST {
            self.last.pop_front();
        }
        self.last.push_back(json!({
            "game": record.game, "outcome": record.outcome, "ms": record.ms, "fatal_risk": record.fatal_risk,
        }));
        self.tell(summary);
    }

    fn tell(&self, summary: &Summary) {
        let mut run = json!(summary.last());
        let games = run["games"].as_u64().unwrap_or(0);
        let known_end = (self.most != u64::MAX).then_some(self.most);
        let per_game = self.began.elapsed().as_secs_f64() * 1000.0 / self.played as f64;
        let left = known_end.filter(|_| self.played > 0).map(|most| per_game * most.saturating_sub(games) as f64);
        run["of"] = json!(known_end);
        run["left_ms"] = json!(left);
        run["last"] = json!(self.last);
        self.stage.tell(run);
    }
}
