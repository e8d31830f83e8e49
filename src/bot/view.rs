//! Where the board is on the screen, and the part of the screen that is looked at for it.

use super::{Abort, Effort};
use crate::client::{Client, Spot, Step};
use crate::desktop::{Desktop, DesktopError, ScreenRect};
use crate::geometry::{BoardSize, Pixel, Rect, ScreenPoint};
use crate::screenshot::Screenshot;
use crate::vision::Grid;
use crate::vision::find::locate::{LocateError, Sight};
use crate::vision::{Eyes, Way, find_any};
use image::{Rgba, RgbaImage};
use imageproc::drawing::draw_filled_rect_mut;
use imageproc::rect as drawing;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Where on the screen the board is.
#[derive(Clone)]
pub struct View {
    pub client: Arc<Client>,
    /// Which of the eyes see it.
    pub whose: usize,
    /// Where it is in the pixels of `frame`, and its theme.
    pub sight: Sight,
    /// The whole screen without its pixels, to convert places.
    pub frame: Screenshot,
    /// The part of the screen with the board and what belongs to it.
    region: ScreenRect,
}

/// How long clients flash their board at most: Tatham's puzzles do it for half a second, busy machines for longer.
const FLASH: Duration = Duration::from_secs(1);

/// How often a look that failed is repeated.
const LOOKS: u32 = 5;

/// So many boards are looked at in one picture, if they are those of other windows.
const BOARDS: u32 = 3;

/// What is seen in place of a board that is another window's.
const BLANK: Rgba<u8> = Rgba([128, 128, 128, 255]);

/// How much of the surroundings belongs to a board, in tiles: counters and controls.
const SURROUNDINGS: f64 = 4.0;

impl View {
    /// Whether a place is on a tile of the board.
    pub fn is_on_board(&self, spot: Spot) -> bool {
        self.sight.grid.bounds().contains(self.sight.grid.spot(spot))
    }

    /// Whether the client's next game begins by a click on the board.
    pub fn begins_on_board(&self) -> bool {
        let mut parts = self.client.hands.new_game.iter().flat_map(Step::parts);
        parts.any(|step| matches!(step, Step::Click(spot) if self.is_on_board(*spot)))
    }

    /// Looks for the board of any client on the whole screen, and allows its clicks; for a while, because some clients flash it at
    /// the end of a game, and as long as `wait` says. A board in another window than the one that was allowed before is none as
    /// long as that one is there.
    pub fn find(
        desktop: &mut impl Desktop,
        eyes: &mut [Eyes],
        effort: &mut Effort,
        wait: Duration,
    ) -> Result<Self, Abort> {
        let (mut left, mut since, mut next) = (FLASH, None, None);
        loop {
            let part = next.take();
            let found = Self::find_with(desktop, effort, part, |shot| {
                let (whose, sight) = find_any(eyes, shot)?;
                Ok((whose, sight, eyes[whose].client().clone()))
            });
            let error = match found {
                Ok((view, _)) if desktop.is_elsewhere(view.board()) => {
                    Abort::Desktop(DesktopError::Foreign("another one shows a board, too"))
                }
                Ok((view, shot)) => {
                    desktop.allow(&view.allowed());
                    // What covered the board meanwhile would be taken for the client's window.
                    if matches!(desktop.is_unchanged(part, &shot, view.sight.grid.bounds()), Ok(true)) {
                        return Ok(view);
                    }
                    // A window that is moved all the time is where it was, or nearly: less to search, in less time.
                    next = Some(around(view.region));
                    Abort::Desktop(DesktopError::Foreign("the board changed while it was looked for"))
                }
                Err(error @ Abort::NotFound(_)) => error,
                // A screen that is only coming up, or a monitor that was just plugged in.
                Err(Abort::Desktop(why)) if why.is_without_picture() && !wait.is_zero() => why.into(),
                Err(other) => return Err(other),
            };
            if left.is_zero() {
                let now = if wait > FLASH { desktop.clock() } else { Duration::ZERO };
                let began = *since.get_or_insert(now);
                if now.saturating_sub(began) + FLASH >= wait {
                    return Err(error);
                }
            }
            desktop.wait(FLASH / 4)?;
            left = left.saturating_sub(FLASH / 4);
        }
    }

    /// Whether the board is still what was seen of it, a part of a picture of this view.
    pub fn is_unchanged(&self, desktop: &mut impl Desktop, seen: &Screenshot, board: Rect) -> Result<bool, Abort> {
        match desktop.is_unchanged(Some(self.region), seen, board) {
            Err(why) if why.is_without_picture() => Ok(false),
            other => Ok(other?),
        }
    }

    /// Looks for the same client's board again, on the whole screen.
    pub fn find_again(
        &self,
        desktop: &mut impl Desktop,
        eyes: &mut [Eyes],
        effort: &mut Effort,
    ) -> Result<Self, Abort> {
        let find = |shot: &Screenshot| Ok((self.whose, eyes[self.whose].find(shot)?, self.client.clone()));
        Ok(Self::find_with(desktop, effort, None, find)?.0)
    }

    /// A board in a picture that is taken now; one of another window than that which was allowed only where there is no other.
    fn find_with(
        desktop: &mut impl Desktop,
        effort: &mut Effort,
        part: Option<ScreenRect>,
        mut find: impl FnMut(&Screenshot) -> Result<(usize, Sight, Arc<Client>), LocateError>,
    ) -> Result<(Self, Screenshot), Abort> {
        let began = Instant::now();
        let mut shot = look_patiently(desktop, part)?;
        effort.looks += 1;
        effort.capture += began.elapsed();
        let mut elsewhere = None;
        let mut boards = 0;
        loop {
            let began = Instant::now();
            let found = find(&shot);
            effort.locate += began.elapsed();
            let (whose, sight, client) = match (found, elsewhere) {
                (Ok(found), _) => found,
                (Err(_), Some(view)) => return Ok((view, shot)),
                (Err(why), None) => return Err(why.into()),
            };
            let (region, bounds) = (region(&sight.grid, &client, &shot), sight.grid.bounds());
            let frame = Screenshot { pixels: RgbaImage::new(0, 0), ..shot };
            let view = Self { client, whose, sight, frame, region };
            boards += 1;
            if boards == BOARDS || !desktop.is_elsewhere(view.board()) {
                return Ok((view, shot));
            }
            // Another window of the client shows a board, too: its own may be beside that.
            let Rect { left, top, width, height } = bounds;
            let shown = drawing::Rect::at(left as i32, top as i32).of_size(width.max(1), height.max(1));
            draw_filled_rect_mut(&mut shot.pixels, shown, BLANK);
            elsewhere = Some(view);
        }
    }

    /// Lays its tiles where they are by now: both grids are of one picture of it.
    pub fn lay(&mut self, was: &Grid, is: &Grid) {
        for way in Way::BOTH {
            let moves = was.edges(way).iter().zip(is.edges(way)).map(|(was, is)| is - was);
            self.sight.grid.edges_mut(way).iter_mut().zip(moves).for_each(|(edge, by)| *edge += by);
        }
    }

    /// The same view of a window that has moved, in the mouse's units.
    pub fn shifted(&self, (x, y): (i32, i32)) -> Self {
        let Self { client, whose, sight, frame, region } = self;
        let scale = frame.scale;
        let grid = sight.grid.moved(-f64::from(x) * scale, -f64::from(y) * scale);
        let corner = ScreenPoint { x: region.corner.x + x, y: region.corner.y + y };
        Self {
            client: client.clone(),
            whose: *whose,
            sight: Sight { grid, ..sight.clone() },
            frame: frame.clone(),
            region: ScreenRect { corner, ..*region },
        }
    }

    pub fn size(&self) -> BoardSize {
        self.sight.grid.size()
    }

    /// Takes a picture of the board.
    pub fn look(&self, desktop: &mut impl Desktop, effort: &mut Effort) -> Result<(Screenshot, Sight), Abort> {
        let began = Instant::now();
        let shot = look_patiently(desktop, Some(self.region))?;
        effort.looks += 1;
        effort.capture += began.elapsed();
        let corner = self.frame.to_pixel(shot.origin);
        Ok((shot, Sight { grid: self.sight.grid.moved(corner.x, corner.y), ..self.sight.clone() }))
    }

    /// Where on the screen the board is.
    pub fn board(&self) -> ScreenRect {
        let last = |edges: &[f64]| edges[edges.len() - 1];
        let Pixel { x, y } = self.sight.grid.origin();
        self.rect(x, y, last(&self.sight.grid.columns), last(&self.sight.grid.lines))
    }

    /// Where clicks are allowed: on the board, and on the client's controls.
    pub fn allowed(&self) -> Vec<ScreenRect> {
        let (across, down) = self.sight.grid.pitch();
        let hands = &self.client.hands;
        let steps = hands.new_game.iter().chain(&hands.uncover).flat_map(Step::parts);
        let controls = steps.filter_map(|step| match step {
            Step::Click(spot) => {
                let Pixel { x, y } = self.sight.grid.spot(*spot);
                Some(self.rect(x - across / 2.0, y - down / 2.0, x + across / 2.0, y + down / 2.0))
            }
            Step::Keys(_)
            | Step::Answer(_)
            | Step::Close
            | Step::Start
            | Step::Point(_)
            | Step::Wait(_)
            | Step::All(_) => None,
        });
        std::iter::once(self.board()).chain(controls).collect()
    }

    fn rect(&self, left: f64, top: f64, right: f64, bottom: f64) -> ScreenRect {
        between(self.frame.to_screen(Pixel { x: left, y: top }), self.frame.to_screen(Pixel { x: right, y: bottom }))
    }

    /// The longest wait for the answer to a click.
    pub fn patience(&self) -> Duration {
        Duration::from_millis(self.client.hands.paint_ms)
    }

    /// The longest wait for the answer to the first click of a game.
    pub fn first_patience(&self) -> Duration {
        self.client.hands.first_paint_ms.map_or(self.patience(), Duration::from_millis)
    }

    /// How long the board must not change before it is believed.
    pub fn still(&self) -> Duration {
        Duration::from_millis(self.client.hands.still_ms)
    }
}

/// Looks at the screen, some times if that fails: it may do so once, while a monitor or a window manager changes something.
fn look_patiently(desktop: &mut impl Desktop, part: Option<ScreenRect>) -> Result<Screenshot, DesktopError> {
    for look in 0..LOOKS {
        match desktop.look(part) {
            Err(why) if why.is_without_picture() => {
                let level = if look == 0 { log::Level::Info } else { log::Level::Debug };
                log::log!(level, "{why}; looking again");
            }
            other => return other,
        }
        desktop.wait(FLASH / 10)?;
    }
    desktop.look(part)
}

/// The board, its surroundings and its counter, in the mouse's units, as far as it is on the screen.
pub fn region(grid: &Grid, client: &Client, shot: &Screenshot) -> ScreenRect {
    let (across, down) = grid.pitch();
    let clamp = |value: f64, most: u32| value.clamp(0.0, f64::from(most));
    let (width, height) = (shot.pixels.width(), shot.pixels.height());
    let (first, last) = (grid.origin(), (grid.columns[grid.columns.len() - 1], grid.lines[grid.lines.len() - 1]));
    let corner = Pixel { x: first.x - SURROUNDINGS * across, y: first.y - SURROUNDINGS * down };
    let end = Pixel { x: last.0 + SURROUNDINGS * across, y: last.1 + SURROUNDINGS * down };
    let counter = client.counter.as_ref().map_or([corner, end], |counter| counter.area.map(|spot| grid.spot(spot)));
    let corner = Pixel { x: clamp(corner.x.min(counter[0].x), width), y: clamp(corner.y.min(counter[0].y), height) };
    let end = Pixel { x: clamp(end.x.max(counter[1].x), width), y: clamp(end.y.max(counter[1].y), height) };
    between(shot.to_screen(corner), shot.to_screen(end))
}

/// A part of the screen and what is around it, as far as a window may be moved while a picture is searched.
fn around(ScreenRect { corner, width, height }: ScreenRect) -> ScreenRect {
    const WAY: u32 = 100;
    let corner = ScreenPoint { x: corner.x.saturating_sub_unsigned(WAY), y: corner.y.saturating_sub_unsigned(WAY) };
    ScreenRect { corner, width: width.saturating_add(2 * WAY), height: height.saturating_add(2 * WAY) }
}

fn between(corner: ScreenPoint, end: ScreenPoint) -> ScreenRect {
    let length = |from: i32, to: i32| to.saturating_sub(from).max(0) as u32;
    ScreenRect { corner, width: length(corner.x, end.x), height: length(corner.y, end.y) }
}
