//! Advice for a person who plays: the board is watched, and after every change it is said what is certain and what is risky.
//! Nothing here can act: all it is given is a way to look.

use crate::board::{Board, Tile};
use crate::bot::region;
use crate::client::Client;
use crate::desktop::{DesktopError, ScreenRect};
use crate::geometry::BoardSize;
use crate::screenshot::Screenshot;
use crate::solver::{self, Decision, Setup, Strategy};
use crate::vision::{Eyes, Reading, Sight, Standing, find_any};
use std::time::{Duration, Instant};

/// A part of the screen, or all of it, as it is now.
pub type Look<'a> = dyn FnMut(Option<ScreenRect>) -> Result<Screenshot, DesktopError> + 'a;

/// What there is to say.
pub enum Advice<'a> {
    /// No board shows; why.
    Nothing(String),
    /// A board shows, but what is read of it makes no sense (yet); why.
    Doubt(String),
    /// The board changed.
    Board(Box<Advised<'a>>),
}

/// A board with the best that can be done on it.
pub struct Advised<'a> {
    /// Whose board.
    pub client: &'a Client,
    /// What was looked at.
    pub shot: &'a Screenshot,
    /// What was read of it.
    pub reading: &'a Reading,
    /// What is known.
    pub board: Board,
    /// How the game stands.
    pub standing: Standing,
    /// What to do next; nothing where the game is over, or nothing explains the board.
    pub decision: Option<Decision>,
    /// How long it took from the picture that showed the change to here.
    pub took: Duration,
}

/// How long a guess may be thought about: people wait for it.
const THINK: Duration = Duration::from_millis(30);

/// Between two looks at a board. A look at an expert board takes about as long, so this is half of one core at most.
const PAUSE: Duration = Duration::from_millis(8);

/// Between two looks for a board.
const SEARCH: Duration = Duration::from_millis(300);

/// So long a board may be covered before it is looked for elsewhere.
const COVERED: Duration = Duration::from_millis(700);

/// What the person may know better.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wishes {
    /// The number of mines.
    pub mines: Option<u32>,
}

/// Watches with `look` until `go_on` says no: it is asked before every wait, and lets that much time pass. `hear` is told every
/// change.
///
/// # Errors
/// The screen cannot be captured.
pub fn advise(
    eyes: &mut [Eyes],
    wishes: Wishes,
    look: &mut Look,
    go_on: &mut dyn FnMut(Duration) -> bool,
    hear: &mut dyn FnMut(Advice),
) -> Result<(), DesktopError> {
    while go_on(Duration::ZERO) {
        let shot = look(None)?;
        match find_any(eyes, &shot) {
            Ok((whose, sight)) => {
                let watch = Watch::new(&mut eyes[whose], wishes, &shot, sight);
                watch.follow(look, go_on, hear)?;
            }
            Err(error) => {
                hear(Advice::Nothing(error.to_string()));
                if !go_on(SEARCH) {
                    return Ok(());
                }
            }
        }
    }
    Ok(())
}

/// A board that is watched.
struct Watch<'a> {
    eyes: &'a mut Eyes,
    wishes: Wishes,
    player: Box<dyn Strategy>,
    sight: Sight,
    /// The whole screen without its pixels, to convert places.
    frame: Screenshot,
    part: ScreenRect,
}

impl<'a> Watch<'a> {
    fn new(eyes: &'a mut Eyes, wishes: Wishes, shot: &Screenshot, sight: Sight) -> Self {
        let setup =
            Setup { rule: eyes.client().rules.first_click, think: THINK, ..Setup::default() }.with_all_threads();
        let player = solver::by_name("best", &setup).expect("the best player is always there");
        let part = region(&sight.grid, eyes.client(), shot);
        let frame = Screenshot { pixels: image::RgbaImage::new(0, 0), ..*shot };
        Self { eyes, wishes, player, sight, frame, part }
    }

    /// Says what there is to say of this board, as long as it is there.
    fn follow(
        mut self,
        look: &mut Look,
        go_on: &mut dyn FnMut(Duration) -> bool,
        hear: &mut dyn FnMut(Advice),
    ) -> Result<(), DesktopError> {
        let mut last: Option<(Screenshot, Reading)> = None;
        let mut told: Option<Seen> = None;
        let mut covered: Option<Instant> = None;
        loop {
            let shot = look(Some(self.part))?;
            let began = Instant::now();
            let (before, reading) = match last.take() {
                Some((before, reading)) if before.pixels == shot.pixels => (Some(seen(&reading)), reading),
                Some((_, before)) => (Some(seen(&before)), self.read(&shot)),
                None => (None, self.read(&shot)),
            };
            let now = seen(&reading);
            if !is_covered(&reading) {
                covered = None;
            } else if covered.get_or_insert(began).elapsed() > COVERED {
                return Ok(());
            }
            // Read twice alike: the client has painted what it was at.
            let is_settled = told.is_none() || before.as_ref() == Some(&now);
            if covered.is_none() && is_settled && told.as_ref() != Some(&now) {
                hear(self.advice(&shot, &reading, began));
                told = Some(now);
            }
            last = Some((shot, reading));
            if !go_on(PAUSE) {
                return Ok(());
            }
        }
    }

    fn read(&mut self, shot: &Screenshot) -> Reading {
        let corner = self.frame.to_pixel(shot.origin);
        let sight = Sight { grid: self.sight.grid.moved(corner.x, corner.y), ..self.sight.clone() };
        let mut reading = self.eyes.read(shot, &sight);
        reading.mines_left = self.eyes.mines_left(shot, &reading);
        reading
    }

    fn advice<'b>(&'b self, shot: &'b Screenshot, reading: &'b Reading, began: Instant) -> Advice<'b> {
        let client = self.eyes.client();
        let level = |size: BoardSize| Some(client.level_of(size)?.mines);
        let mines = self.wishes.mines.or(reading.mines()).or_else(|| level(reading.grid.size()));
        let board = match reading.board(mines) {
            Ok(board) => board,
            Err(error) => return Advice::Doubt(error.to_string()),
        };
        let standing = reading.standing(mines);
        let goes_on = !matches!(standing, Standing::Won | Standing::Lost);
        let decision = if goes_on {
            match self.player.decide(&board) {
                Ok(decision) => Some(decision),
                Err(error) => return Advice::Doubt(error.to_string()),
            }
        } else {
            None
        };
        Advice::Board(Box::new(Advised { client, shot, reading, board, standing, decision, took: began.elapsed() }))
    }
}

/// What people see of a reading.
type Seen = (Vec<Tile>, Option<i32>);

fn seen(reading: &Reading) -> Seen {
    (reading.tiles.iter().map(|tile| tile.tile).collect(), reading.mines_left)
}

/// Whether a window lies over the board, or it is gone.
fn is_covered(reading: &Reading) -> bool {
    reading.unrecognised().count() * 4 > reading.tiles.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::bundled;
    use crate::desktop::simulated::{Plan, Simulated, Skin};
    use crate::desktop::{Action, Click, Desktop};
    use crate::geometry::{Cell, Pixel};
    use std::cell::RefCell;
    use std::sync::Arc;

    /// Counts all that could be sent to the client.
    struct Counting {
        inner: Simulated,
        acts: usize,
    }

    fn watched(size: BoardSize, mines: u32) -> (RefCell<Counting>, [Eyes; 1], Plan) {
        let client = bundled().unwrap().into_iter().find(|client| client.name == crate::cli::SKIN).unwrap();
        let skin = Skin::of(&client.themes[0]);
        let plan = Plan::new(size, mines, skin.natural_pitch(), 3);
        let eyes = [Eyes::new(Arc::new(client.clone()))];
        let inner = Simulated::new(client, skin, plan.clone()).unwrap();
        (RefCell::new(Counting { inner, acts: 0 }), eyes, plan)
    }

    /// The person, who is the only one that clicks.
    fn click(desktop: &mut Counting, plan: &Plan, cell: Cell) {
        let place = |corner: u32, at: u32| f64::from(corner) + plan.pitch * (f64::from(at) + 0.5);
        let shot = desktop.inner.look(None).unwrap();
        let at = shot.to_screen(Pixel { x: place(plan.corner.0, cell.x), y: place(plan.corner.1, cell.y) });
        desktop.inner.allow(&[ScreenRect { corner: at, width: 1, height: 1 }]);
        let open =
            Click { button: crate::client::Button::Left, at, touch: crate::client::Touch::default(), with: None };
        desktop.acts += 1;
        desktop.inner.act(&Action::Click(open)).unwrap();
    }

    #[test]
    fn the_person_plays_and_the_bot_only_looks() {
        let (desktop, mut eyes, plan) = watched(BoardSize::new(9, 9), 10);
        // What it says to open next; the person follows it, as long as it is certain, or begins.
        let next: RefCell<Vec<Cell>> = RefCell::new(vec![]);
        let (mut clicks, mut rounds, mut heard, mut standing) = (0, 0, 0, Standing::Unknown);
        let mut look = |part| desktop.borrow_mut().inner.look(part);
        let mut go_on = |_| {
            rounds += 1;
            if let Some(cell) = next.borrow_mut().pop() {
                clicks += 1;
                click(&mut desktop.borrow_mut(), &plan, cell);
            }
            rounds < 400
        };
        let mut hear = |advice: Advice| {
            let Advice::Board(advised) = advice else { panic!("the board is always there") };
            heard += 1;
            standing = advised.standing;
            *next.borrow_mut() = advised.decision.map_or(vec![], |decision| decision.open);
        };
        advise(&mut eyes, Wishes::default(), &mut look, &mut go_on, &mut hear).unwrap();
        assert!(heard > 3 && clicks > 3, "{heard} {clicks}");
        assert!(matches!(standing, Standing::Won | Standing::Lost), "{standing:?}");
        // Nothing was done to the client but what the person did.
        let desktop = desktop.into_inner();
        assert_eq!((desktop.acts, desktop.inner.presses() as usize), (clicks, clicks));
    }
}
