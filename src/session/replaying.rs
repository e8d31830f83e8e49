//! A desktop that shows what was recorded, and makes sure that the bot does again what it did then.

use super::{Chosen, Event, FailureKind, Look, Pictures, Recorded, Seen, SessionError};
use crate::desktop::{Action, Desktop, DesktopError, Note, ScreenRect};
use crate::geometry::{Cell, Rect};
use crate::screenshot::Screenshot;
use crate::vision::Grid;
use std::path::PathBuf;
use std::time::Duration;

/// A recorded game that is played again.
///
/// Every look is answered with the recorded picture, and all the rest (what is read, decided, clicked, waited for, and
/// in which order) must be as recorded: the first difference ends the replay with [`DesktopError::Replay`].
#[derive(Debug)]
pub struct Replaying {
    game: Recorded,
    next: usize,
    pictures: Pictures,
    shown: Option<Shown>,
    /// The first picture that is not the recorded one any more.
    altered: Option<Shown>,
    difference: Option<Difference>,
    last_rows: Vec<String>,
    last_grid: Option<Grid>,
    time: Duration,
}

/// A picture that was shown to the bot.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The line of the session that has the look.
    pub line: usize,
    /// The file that changed the picture last.
    pub frame: Option<PathBuf>,
    /// The picture.
    pub shot: Screenshot,
}

/// Where a replay is not what was recorded.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The number of the game in its run.
    pub game: u64,
    /// The session's file.
    pub file: PathBuf,
    /// The line of the session, from 1.
    pub line: usize,
    /// What is recorded there.
    pub recorded: String,
    /// What came instead.
    pub now: String,
    /// The picture the bot saw last; an altered one goes before, for it is the cause.
    pub shown: Option<Shown>,
    /// Whether that picture is not the one that was recorded.
    pub is_altered: bool,
    /// The first tile that was read differently, if it is that.
    pub cell: Option<Cell>,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { game, file, line, recorded, now, .. } = self;
        write!(f, "game {game} differs at {}:{line}: recorded {recorded}, now {now}", file.display())?;
        match &self.shown {
            Some(Shown { line, frame: Some(frame), .. }) => {
                let altered = if self.is_altered { "; that picture is not the recorded one any more" } else { "" };
                write!(f, " (seen: {}, line {line}{altered})", frame.display())
            }
            _ => Ok(()),
        }
    }
}

impl Replaying {
    /// The game, to be played from its first event.
    pub fn new(game: Recorded) -> Self {
        let last_grid = game.start.grid.clone();
        Self {
            game,
            next: 0,
            pictures: Pictures::default(),
            shown: None,
            altered: None,
            difference: None,
            last_rows: Vec::new(),
            last_grid,
            time: Duration::ZERO,
        }
    }

    /// The first difference, if there was one. A game that ended before all was replayed differs there; so does one with
    /// an altered picture, even if it was read as before.
    pub fn finish(mut self) -> Option<Difference> {
        if self.difference.is_none() {
            match self.peek() {
                None | Some(Event::End(_)) => {}
                Some(event) => {
                    let recorded = describe(event);
                    self.differ(recorded, "the end of the game".to_owned());
                }
            }
        }
        if self.difference.is_none() && self.altered.is_some() {
            self.differ("another picture".to_owned(), "the same readings and clicks".to_owned());
        }
        self.difference
    }

    /// How many events have been replayed.
    pub fn replayed(&self) -> usize {
        self.next
    }

    fn peek(&self) -> Option<&Event> {
        self.game.lines.get(self.next).map(|(_, line)| &line.event)
    }

    /// Goes on if the next event is `now`, otherwise that is the difference.
    fn expect(&mut self, now: Event) -> Result<(), DesktopError> {
        match self.peek() {
            Some(event) if self.difference.is_none() && same(event, &now) => {
                self.next += 1;
                Ok(())
            }
            Some(event) => {
                let (cell, recorded, now) = describe_both(event, &now);
                let is_first = self.difference.is_none();
                let error = self.differ(recorded, now);
                if let Some(difference) = self.difference.as_mut().filter(|_| is_first) {
                    difference.cell = cell;
                }
                Err(error)
            }
            None => Err(self.differ("the end of the session".to_owned(), describe(&now))),
        }
    }

    /// Keeps the first difference; the error says it.
    fn differ(&mut self, recorded: String, now: String) -> DesktopError {
        let (line, altered) = (self.line(), self.altered.clone());
        let difference = self.difference.get_or_insert_with(|| Difference {
            game: self.game.start.game,
            file: self.game.file.clone(),
            line: altered.as_ref().map_or(line, |shown| shown.line),
            recorded,
            now,
            is_altered: altered.is_some(),
            shown: altered.or_else(|| self.shown.clone()),
            cell: None,
        });
        DesktopError::Replay(difference.to_string())
    }

    /// The line of the next event, or the last there is.
    fn line(&self) -> usize {
        self.game.lines.get(self.next).or(self.game.lines.last()).map_or(1, |(line, _)| *line)
    }

    /// A failure that was recorded here, as it was.
    fn failure(&mut self, wanted: &str) -> Result<(), DesktopError> {
        let Some(Event::Failed(failure)) = self.peek() else { return Ok(()) };
        if failure.doing != wanted {
            return Ok(());
        }
        let error = match failure.kind {
            FailureKind::Taken => DesktopError::Taken,
            FailureKind::Stopped => DesktopError::Stopped,
            FailureKind::Foreign => DesktopError::Foreign("as recorded"),
            FailureKind::Black => DesktopError::Black,
            FailureKind::Other if wanted != "act" && wanted != "wait" => DesktopError::Capture(failure.message.clone()),
            FailureKind::Other => DesktopError::Input(failure.message.clone()),
        };
        self.next += 1;
        Err(error)
    }

    fn show(&mut self, look: &Look) -> Result<Screenshot, SessionError> {
        let line = self.line();
        let frame = look.frame.as_ref().map(|name| self.game.frames.join(name));
        let picture = self.game.picture(&mut self.pictures, line, look)?.clone();
        let frame = frame.or_else(|| self.shown.as_ref().and_then(|shown| shown.frame.clone()));
        let is_altered = super::print(&picture) != look.print;
        let shot = Screenshot { pixels: picture, origin: look.origin, scale: look.scale };
        let shown = Shown { line, frame, shot: shot.clone() };
        if is_altered && self.altered.is_none() {
            self.altered = Some(shown.clone());
        }
        self.shown = Some(shown);
        Ok(shot)
    }
}

impl Desktop for Replaying {
    fn look(&mut self, part: Option<ScreenRect>) -> Result<Screenshot, DesktopError> {
        self.failure("look")?;
        let look = match self.peek() {
            Some(Event::Look(look)) if self.difference.is_none() && look.part == part => look.clone(),
            other => {
                let recorded = other.map_or("the end of the session".to_owned(), describe);
                return Err(self.differ(recorded, describe_look(part)));
            }
        };
        let shot = match self.show(&look) {
            Ok(shot) => shot,
            Err(error) => return Err(self.differ(describe_look(part), error.to_string())),
        };
        self.next += 1;
        Ok(shot)
    }

    fn is_unchanged(
        &mut self,
        _part: Option<ScreenRect>,
        _seen: &Screenshot,
        _within: Rect,
    ) -> Result<bool, DesktopError> {
        self.failure("is_unchanged")?;
        let has_changed = self.peek() == Some(&Event::Changed);
        self.next += usize::from(has_changed);
        Ok(!has_changed)
    }

    fn follow(&mut self) -> Option<(i32, i32)> {
        let Some(&Event::Displaced([x, y])) = self.peek() else { return None };
        self.next += 1;
        Some((x, y))
    }

    fn has_dialog(&mut self) -> bool {
        let has_dialog = self.peek() == Some(&Event::Dialog);
        self.next += usize::from(has_dialog);
        has_dialog
    }

    fn is_elsewhere(&mut self, _: ScreenRect) -> bool {
        let is_elsewhere = self.peek() == Some(&Event::Elsewhere);
        self.next += usize::from(is_elsewhere);
        is_elsewhere
    }

    fn act(&mut self, action: &Action) -> Result<(), DesktopError> {
        self.expect(Event::Act(action.clone()))?;
        self.failure("act")
    }

    fn wait(&mut self, time: Duration) -> Result<(), DesktopError> {
        self.expect(Event::Wait(time.as_micros() as u64))?;
        self.failure("wait")
    }

    fn wait_for_paint(&mut self, _within: ScreenRect, longest: Duration) -> Result<Option<bool>, DesktopError> {
        self.wait(longest)?;
        let Some(&Event::Painted(is_painted)) = self.peek() else { return Ok(None) };
        self.next += 1;
        Ok(Some(is_painted))
    }

    fn clock(&mut self) -> Duration {
        match self.peek() {
            Some(&Event::Clock(time)) => {
                self.next += 1;
                self.time = Duration::from_micros(time);
            }
            other => {
                // A clock cannot fail: the difference is kept, and the next call of anything else ends the replay.
                let recorded = other.map_or("the end of the session".to_owned(), describe);
                self.differ(recorded, "a look at the clock".to_owned());
            }
        }
        self.time
    }

    fn note(&mut self, note: Note<'_>) -> Result<(), DesktopError> {
        match note {
            Note::Reading(_, reading) => {
                let seen = Seen::of(reading, self.last_grid.as_ref());
                self.last_rows.clone_from(&seen.rows);
                self.last_grid = Some(reading.grid.clone());
                self.expect(Event::Reading(seen))
            }
            Note::Decision(board, decision) => {
                self.expect(Event::Decision(Chosen::of(board, decision, &self.last_rows)))
            }
        }
    }
}

/// Whether two events are the same as far as a replay must repeat them. Scores and risks are sums of floating-point
/// numbers, whose last digits depend on the machine; nothing that is done depends on those digits without differing.
fn same(recorded: &Event, now: &Event) -> bool {
    match (recorded, now) {
        (Event::Reading(a), Event::Reading(b)) => {
            a.rows == b.rows && a.mines_left == b.mines_left && same_grid(a.grid.as_ref(), b.grid.as_ref())
        }
        (Event::Decision(a), Event::Decision(b)) => {
            (a.risk - b.risk).abs() < 1e-9 && Chosen { risk: 0.0, ..a.clone() } == Chosen { risk: 0.0, ..b.clone() }
        }
        // Recorded before keys for a dialog were told from others.
        (Event::Act(Action::Keys(a)), Event::Act(Action::Answer(b))) => a == b,
        (a, b) => a == b,
    }
}

/// Whether two grids agree to a hundredth of a pixel.
fn same_grid(a: Option<&Grid>, b: Option<&Grid>) -> bool {
    let near = |a: &[f64], b: &[f64]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 0.01);
    match (a, b) {
        (Some(a), Some(b)) => near(&a.columns, &b.columns) && near(&a.lines, &b.lines),
        (None, None) => true,
        _ => false,
    }
}

fn describe(event: &Event) -> String {
    match event {
        Event::Game(start) => format!("the beginning of game {}", start.game),
        Event::Look(look) => describe_look(look.part),
        Event::Reading(_) => "a reading".to_owned(),
        Event::Decision(chosen) => describe_chosen(chosen),
        Event::Act(Action::Click(click)) => {
            format!("a {:?} click at {},{}", click.button, click.at.x, click.at.y).to_lowercase()
        }
        Event::Act(Action::Keys(keys)) => format!("the keys {keys}"),
        Event::Act(Action::Answer(keys)) => format!("the keys {keys} for a dialog"),
        Event::Act(Action::Close) => "the client's dialog closed".to_owned(),
        Event::Act(Action::Start) => "the client's program started again".to_owned(),
        Event::Act(Action::Raise) => "the client's window brought to the front".to_owned(),
        Event::Displaced([x, y]) => format!("a window that had moved by {x},{y}"),
        Event::Changed => "a board that had changed".to_owned(),
        Event::Dialog => "a dialog that had the keyboard".to_owned(),
        Event::Elsewhere => "a board in another window".to_owned(),
        Event::Act(Action::Point(at)) => format!("the pointer moved to {},{}", at.x, at.y),
        Event::Wait(time) => format!("a wait of {} ms", *time as f64 / 1000.0),
        Event::Painted(_) => "word of what was painted".to_owned(),
        Event::Clock(_) => "a look at the clock".to_owned(),
        Event::Failed(failure) => format!("a failure ({})", failure.message),
        Event::End(end) => format!("the end of the game ({})", end.outcome),
    }
}

fn describe_look(part: Option<ScreenRect>) -> String {
    match part {
        None => "a look at the whole screen".to_owned(),
        Some(ScreenRect { corner, width, height }) => {
            format!("a look at {width}x{height} at {},{}", corner.x, corner.y)
        }
    }
}

fn describe_chosen(chosen: &Chosen) -> String {
    let cells: Vec<String> = chosen.open.iter().take(3).map(|cell| cell.to_string()).collect();
    let more = if chosen.open.len() > 3 { format!(" and {} more", chosen.open.len() - 3) } else { String::new() };
    format!("the decision to open {}{more} at a risk of {:.4}", cells.join(", "), chosen.risk)
}

/// Both events; of two readings only where they differ, with the first such tile.
fn describe_both(recorded: &Event, now: &Event) -> (Option<Cell>, String, String) {
    if let (Event::Reading(recorded), Event::Reading(now)) = (recorded, now)
        && let Some((cell, a, b)) = first_difference(&recorded.rows, &now.rows)
    {
        return (Some(cell), format!("{a:?} read at {cell}"), format!("{b:?}"));
    }
    (None, describe(recorded), describe(now))
}

fn first_difference(a: &[String], b: &[String]) -> Option<(Cell, char, char)> {
    a.iter().zip(b).enumerate().find_map(|(y, (a, b))| {
        let (x, (a, b)) = a.chars().zip(b.chars()).enumerate().find(|(_, (a, b))| a != b)?;
        Some((Cell::new(x as u32, y as u32), a, b))
    })
}

#[cfg(test)]
mod tests {
    use super::super::{End, Recording, SESSION, Start, frames_folder, load};
    use super::*;
    use crate::client::{Button, Touch};
    use crate::desktop::Click;
    use crate::geometry::ScreenPoint;
    use image::{Rgba, RgbaImage};
    use std::path::Path;

    /// A screen with a light that wanders over it at every click.
    struct Wandering {
        light: u32,
        time: Duration,
    }

    impl Desktop for Wandering {
        fn look(&mut self, _part: Option<ScreenRect>) -> Result<Screenshot, DesktopError> {
            let lit = (self.light * 7 % 40, self.light * 11 % 30);
            let paint = |x, y| if (x, y) == lit { Rgba([255; 4]) } else { Rgba([x as u8, y as u8, 90, 255]) };
            Ok(Screenshot::from_picture(RgbaImage::from_fn(40, 30, paint)))
        }

        fn allow(&mut self, _areas: &[ScreenRect]) {}

        fn act(&mut self, _action: &Action) -> Result<(), DesktopError> {
            self.light += 1;
            if self.light == 9 { Err(DesktopError::Taken) } else { Ok(()) }
        }

        fn wait(&mut self, time: Duration) -> Result<(), DesktopError> {
            self.time += time;
            Ok(())
        }

        fn clock(&mut self) -> Duration {
            self.time += Duration::from_nanos(1_234_567);
            self.time
        }
    }

    /// Clicks on the light until somebody takes the mouse away.
    fn chase(desktop: &mut impl Desktop) -> Result<(), DesktopError> {
        loop {
            let shot = desktop.look(None)?;
            let Some((x, y, _)) = shot.pixels.enumerate_pixels().find(|(.., pixel)| pixel.0 == [255; 4]) else {
                return Ok(());
            };
            let at = ScreenPoint { x: x as i32, y: y as i32 };
            desktop.act(&Action::Click(Click { button: Button::Left, at, touch: Touch::default(), with: None }))?;
            let begun = desktop.clock();
            while desktop.clock() - begun < Duration::from_millis(4) {
                desktop.wait(Duration::from_millis(1))?;
            }
        }
    }

    fn start() -> Start {
        serde_json::from_str(
            r#"{"game":3,"version":"1","client":"light","theme":"plain","width":1,"height":1,"mines":0,
                "strategy":"chase","rule":"any","seed":1,"think_ms":0}"#,
        )
        .unwrap()
    }

    /// A recorded game of [`chase`], in a folder of its own that is gone afterwards.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Self {
            let folder = std::env::temp_dir().join(format!("minesight-replay-{name}-{}", std::process::id()));
            let _ = std::fs::remove_dir_all(&folder);
            std::fs::create_dir_all(&folder).unwrap();
            let mut desktop = Recording::new(Wandering { light: 0, time: Duration::ZERO });
            desktop.begin(start());
            assert!(matches!(chase(&mut desktop), Err(DesktopError::Taken)));
            let (mut tape, now) = desktop.end().unwrap();
            tape.keep_all(); // it only ever looks at all of the screen
            let end = End { outcome: "aborted".into(), trouble: Some("taken".into()) };
            let last = folder.join(tape.last_frame().unwrap());
            tape.save(&folder, now, end).unwrap();
            assert!(last.exists());
            Self(folder)
        }

        fn frame(&self, number: u32) -> PathBuf {
            self.0.join(frames_folder(3)).join(format!("{number:05}.png"))
        }

        fn replay(&self) -> (Result<(), DesktopError>, Option<Difference>) {
            let session = load(&self.0).unwrap();
            assert_eq!(session.warnings, Vec::<String>::new());
            let mut desktop = Replaying::new(session.games[0].clone());
            let result = chase(&mut desktop);
            (result, desktop.finish())
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn alter(frame: &Path, change: impl Fn(&mut RgbaImage)) {
        let mut picture = image::open(frame).unwrap().into_rgba8();
        change(&mut picture);
        picture.save(frame).unwrap();
    }

    #[test]
    fn the_same_pictures_give_the_same_clicks() {
        let (result, difference) = Scratch::new("same").replay();
        assert!(matches!(result, Err(DesktopError::Taken)), "failures are repeated too: {result:?}");
        assert!(difference.is_none(), "{difference:?}");
    }

    #[test]
    fn a_changed_picture_is_named_whether_it_changes_a_click_or_not() {
        for (name, block) in [("click", [255; 4]), ("look", [1, 2, 3, 255])] {
            let scratch = Scratch::new(name);
            alter(&scratch.frame(5), |picture| picture.put_pixel(0, 0, Rgba(block)));
            let difference = scratch.replay().1.expect(name);
            assert!(difference.is_altered);
            assert_eq!(difference.shown.as_ref().unwrap().frame, Some(scratch.frame(5)), "{difference}");
            let line = std::fs::read_to_string(scratch.0.join(SESSION)).unwrap();
            assert!(line.lines().nth(difference.line - 1).unwrap().contains("00005.png"), "{difference}");
        }
    }

    #[test]
    fn another_player_differs_at_its_first_other_click() {
        let scratch = Scratch::new("other");
        let mut desktop = Replaying::new(load(&scratch.0).unwrap().games[0].clone());
        desktop.look(None).unwrap();
        let elsewhere = Action::Point(ScreenPoint { x: 1, y: 1 });
        assert!(desktop.act(&elsewhere).is_err());
        let difference = desktop.finish().unwrap().to_string();
        assert!(difference.contains("recorded a left click at 0,0, now the pointer moved to 1,1"), "{difference}");
    }

    #[test]
    fn missing_and_broken_pictures_are_named_with_their_line() {
        let scratch = Scratch::new("missing");
        std::fs::write(scratch.frame(4), "no picture").unwrap();
        let error = scratch.replay().0.unwrap_err().to_string();
        assert!(error.contains("session.jsonl:") && error.contains("00004.png cannot be used"), "{error}");
        std::fs::remove_file(scratch.frame(2)).unwrap();
        let error = scratch.replay().0.unwrap_err().to_string();
        assert!(error.contains("session.jsonl:") && error.contains("00002.png is missing"), "{error}");
    }

    #[test]
    fn a_session_that_was_cut_short_or_written_twice() {
        let scratch = Scratch::new("cut");
        let file = scratch.0.join(SESSION);
        let whole = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, format!("{whole}{whole}")).unwrap();
        assert!(scratch.replay().1.is_none(), "the later one counts");
        std::fs::write(&file, &whole[..whole.len() - 9]).unwrap();
        let session = load(&scratch.0).unwrap();
        assert!(session.games.is_empty());
        assert!(session.warnings[0].contains("session.jsonl:") && session.warnings[0].contains("game 3 left out"));
    }
}
