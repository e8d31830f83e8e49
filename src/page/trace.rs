//! A recorded game as a page: every decision with the picture before and after, what was read of it, the risks, why it was made,
//! the clicks that followed and what the client answered. Pictures are stored as the changes they are.

use super::known::Known;
use super::{page, png, values};
use crate::desktop::{Action, Click};
use crate::geometry::ScreenPoint;
use crate::session::{Change, Chosen, Event, Look, Pictures, Recorded, SessionError, difference};
use crate::vision::Grid;
use image::{RgbaImage, imageops};
use maud::{Markup, html};
use serde::Serialize;

/// What the page knows of a game.
#[derive(Serialize)]
struct Trace<'a> {
    outcome: &'a str,
    width: u32,
    height: u32,
    /// From the first event to the last, in milliseconds.
    ms: f64,
    /// Width and height of all that was looked at, in pixels.
    size: [u32; 2],
    /// Where the minefield was; steps tell by number which of these is theirs.
    grids: Vec<Grid>,
    frames: Vec<Frame>,
    steps: Vec<Step<'a>>,
}

/// What changed on the screen with a look.
#[derive(Serialize)]
struct Frame {
    at: [u32; 2],
    png: String,
}

/// What happens from one decision to the next.
#[derive(Serialize)]
struct Step<'a> {
    /// When, in milliseconds from the beginning.
    ms: f64,
    /// How many of the frames make the picture it begins with.
    frames: usize,
    /// Its line in `session.jsonl`.
    line: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    grid: Option<usize>,
    /// What was read, row by row without breaks.
    tiles: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mines_left: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    chosen: Option<&'a Chosen>,
    #[serde(skip_serializing_if = "Option::is_none")]
    known: Option<Known>,
    /// How the game ended, in the last step.
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<&'a crate::session::End>,
    events: Vec<Happened>,
}

/// Something that happened, short because there is much of it.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum What<'a> {
    /// A look; how many frames make its picture.
    Look(usize),
    /// A click, at a pixel of the picture.
    Click(&'a Click, [f64; 2]),
    Keys(&'a str),
    Point([f64; 2]),
    Wait(f64),
    Read(usize),
    Failed(&'a str),
    Said(&'a str),
}

#[derive(Serialize)]
struct Happened(f64, serde_json::Value);

/// The page of a game.
///
/// # Errors
/// Its pictures cannot be used.
pub fn trace(game: &Recorded) -> Result<String, SessionError> {
    let trace = Trace::of(game)?;
    let spent = spent(game);
    let start = &game.start;
    let outcome = trace.outcome;
    let title = format!("game {}, {outcome}: {}, {}x{}", start.game, start.client, trace.width, trace.height);
    let body = html! {
        h1 { "Game " (start.game) ": " (outcome) }
        p.soft {
            (start.client) ", " @if let Some(level) = &start.level { (level) ", " }
            (trace.width) "x" (trace.height) @if let Some(mines) = mines(game) { ", " (mines) " mines" }
            " · player " (start.strategy) ", seed " (start.seed) " · " (format!("{:.2} s", trace.ms / 1000.0))
            " · minesight " (start.version)
        }
        (controls())
        div.both {
            section.stage aria-label="The screen" {
                div #window { canvas #picture tabindex="0" aria-label="the minefield; point at a tile, or move with Shift and the arrow keys" {} }
                p #tile.soft { "Point at a tile." }
            }
            section.told aria-label="The step" {
                div #what aria-live="polite" {}
                h3 { "What happened" }
                ol #events {}
            }
        }
        h2 { "Where the time went" }
        div.card { (time_table(&spent)) }
        (keys())
        (values("trace", &trace).map_err(|error| SessionError::Disk { file: game.file.clone(), why: error.into() })?)
    };
    Ok(page(&title, include_str!("trace.css"), &body, &[include_str!("board.js"), include_str!("trace.js")]))
}

fn mines(game: &Recorded) -> Option<u32> {
    let known = game.lines.iter().find_map(|(_, line)| match &line.event {
        Event::Decision(chosen) => chosen.total,
        _ => None,
    });
    known.or(Some(game.start.mines).filter(|&mines| mines > 0))
}

fn controls() -> Markup {
    let toggles = [
        ("grid", "g", "Grid"),
        ("read", "r", "Reading"),
        ("risk", "k", "Risks"),
        ("click", "c", "Clicks"),
        ("whole", "z", "Whole screen"),
    ];
    html! {
        div.bar role="toolbar" aria-label="Steps" {
            button #first title="to the beginning (Home)" { "|◀" }
            button #back title="one step back (left arrow)" { "◀" }
            button #on title="one step on (right arrow)" { "▶" }
            button #last title="to the end (End)" { "▶|" }
            button #guess title="to the next guess (n); Shift+n: the one before" { "next guess" }
            button #play aria-pressed="false" title="goes on by itself (space)" { "play" }
            button #after aria-pressed="false" title="the picture after it instead of the one before (b)" { "after" }
            output #place {}
        }
        div #line role="slider" tabindex="0" aria-label="time line" aria-valuemin="0" {}
        div.bar role="toolbar" aria-label="What is drawn" {
            @for (id, key, name) in toggles { button id={ "show-" (id) } aria-pressed="false" data-key=(key) { (name) " " kbd { (key) } } }
        }
    }
}

fn keys() -> Markup {
    let keys = [
        ("← →", "one step back or on"),
        ("Home End", "to the beginning, to the end"),
        ("n N", "next guess, guess before"),
        ("space", "go on by itself"),
        ("b", "picture before or after"),
        ("g r k c z", "grid, reading, risks, clicks, whole screen"),
        ("Shift+arrows", "point at another tile"),
    ];
    html! {
        details {
            summary.soft { "Keys and signs" }
            dl.list { @for (key, does) in keys { dt { kbd { (key) } } dd { (does) } } }
            p {
                "Risks: ✓ is safe, ● is a mine, a number is the risk in per cent; tiles of which the numbers tell nothing share one risk, \
                 which is named once. A frame marks what is opened next, dashed if it is a guess. Numbered rings are clicks, in order."
            }
        }
    }
}

fn time_table(spent: &[(&'static str, f64)]) -> Markup {
    let all: f64 = spent.iter().map(|(_, ms)| ms).sum::<f64>().max(f64::MIN_POSITIVE);
    html! {
        table {
            @for (what, ms) in spent {
                tr {
                    td { (what) } td.n { (format!("{:.0} ms", ms)) } td.n { (format!("{:.0}%", 100.0 * ms / all)) }
                    td.wide { div.share style={ "width:" (format!("{:.1}", 100.0 * ms / all)) "%" } {} }
                }
            }
        }
    }
}

/// Where the time went, in milliseconds: looks, readings and decisions are noted when they are done, acts and waits before.
fn spent(game: &Recorded) -> Vec<(&'static str, f64)> {
    const NAMES: [&str; 6] =
        ["taking pictures", "finding and reading", "deciding", "clicking", "waiting for the client", "the rest"];
    let mut sums = [0.0; NAMES.len()];
    for pair in game.lines.windows(2) {
        let (before, after) = (&pair[0].1, &pair[1].1);
        let which = match (&before.event, &after.event) {
            (Event::Act(_), _) => 3,
            (Event::Wait(_), _) => 4,
            (_, Event::Look(_)) => 0,
            (_, Event::Reading(_)) => 1,
            (_, Event::Decision(_)) => 2,
            _ => 5,
        };
        sums[which] += (after.ms - before.ms).max(0.0);
    }
    NAMES.into_iter().zip(sums).collect()
}

/// All that was looked at, as one picture that changes.
struct Screen {
    corner: ScreenPoint,
    scale: f64,
    pixels: RgbaImage,
    frames: Vec<Frame>,
}

impl Screen {
    fn of(game: &Recorded) -> Self {
        let looks = || {
            game.lines.iter().filter_map(|(_, line)| match &line.event {
                Event::Look(look) => Some(look),
                _ => None,
            })
        };
        let corner = |of: fn(&Look) -> i32| looks().map(of).min().unwrap_or(0);
        let corner = ScreenPoint { x: corner(|look| look.origin.x), y: corner(|look| look.origin.y) };
        let scale = looks().next().map_or(1.0, |look| look.scale);
        let mut screen = Self { corner, scale, pixels: RgbaImage::new(0, 0), frames: Vec::new() };
        let end =
            |side: usize| looks().map(|look| screen.place(look.origin)[side] + look.size[side]).max().unwrap_or(0);
        // Nothing larger can be drawn by browsers; a damaged session may claim it.
        let (width, height) = (end(0).min(MOST), end(1).min(MOST));
        screen.pixels = RgbaImage::new(width, height);
        screen
    }

    /// Where in the picture a point of the screen is.
    fn pixel(&self, point: ScreenPoint) -> [f64; 2] {
        let side = |at: i32, from: i32| (f64::from(at) - f64::from(from)) * self.scale;
        [side(point.x, self.corner.x), side(point.y, self.corner.y)]
    }

    fn place(&self, point: ScreenPoint) -> [u32; 2] {
        self.pixel(point).map(|at| at.round().clamp(0.0, f64::from(MOST)) as u32)
    }

    /// Shows a picture in its place, and keeps what that changes.
    fn show(&mut self, origin: ScreenPoint, picture: &RgbaImage) {
        let place = self.place(origin);
        if let Some(Change { at, pixels }) = difference(&self.pixels, place, picture) {
            let at = [place[0] + at[0], place[1] + at[1]];
            imageops::overlay(&mut self.pixels, &pixels, at[0].into(), at[1].into());
            self.frames.push(Frame { at, png: png(&pixels) });
        }
    }
}

/// Sides of a canvas in browsers, at most.
const MOST: u32 = 16_384;

impl<'a> Trace<'a> {
    fn of(game: &'a Recorded) -> Result<Self, SessionError> {
        let mut screen = Screen::of(game);
        let mut pictures = Pictures::default();
        let mut grids: Vec<Grid> = Vec::new();
        // Where the minefield is in the picture that was looked at last, and where on the screen that is.
        let (mut grid, mut place) = (game.start.grid.clone(), [0.0; 2]);
        let (mut rows, mut score, mut mines_left): (&[String], _, _) = (&[], None, None);
        let step = |ms, frames, line| Step {
            ms,
            frames,
            line,
            grid: None,
            tiles: String::new(),
            score: None,
            mines_left: None,
            chosen: None,
            known: None,
            end: None,
            events: Vec::new(),
        };
        let mut steps = vec![step(0.0, 0, 0)];
        for (line, entry) in game.lines.iter().map(|(line, entry)| (*line, entry)) {
            let ms = entry.ms;
            let mut happened = |what: What| {
                if let (Some(step), Ok(what)) = (steps.last_mut(), serde_json::to_value(what)) {
                    step.events.push(Happened(ms, what));
                }
            };
            match &entry.event {
                Event::Look(look) => {
                    let picture = game.picture(&mut pictures, line, look)?;
                    screen.show(look.origin, picture);
                    place = screen.pixel(look.origin);
                    happened(What::Look(screen.frames.len()));
                }
                Event::Reading(seen) => {
                    grid = seen.grid.clone().or(grid);
                    (rows, score, mines_left) = (&seen.rows, Some(seen.lowest_score), seen.mines_left);
                    let unknown = rows.iter().flat_map(|row| row.chars()).filter(|&tile| tile == '~').count();
                    happened(What::Read(unknown));
                }
                Event::Act(Action::Click(click)) => happened(What::Click(click, screen.pixel(click.at))),
                Event::Act(Action::Keys(keys) | Action::Answer(keys)) => happened(What::Keys(keys)),
                Event::Act(Action::Point(at)) => happened(What::Point(screen.pixel(*at))),
                Event::Act(Action::Close) => happened(What::Said("dialog closed")),
                Event::Act(Action::Start) => happened(What::Said("program started again")),
                Event::Act(Action::Raise) => happened(What::Said("window brought to the front")),
                Event::Changed => happened(What::Said("the board had changed: nothing was clicked on what was seen")),
                Event::Dialog => happened(What::Said("a dialog of the client has the keyboard")),
                Event::Elsewhere => happened(What::Said("a board was seen in another window, and left alone")),
                Event::Displaced([x, y]) => happened(What::Said(&format!("the window had moved by {x}, {y}"))),
                Event::Wait(microseconds) => happened(What::Wait(*microseconds as f64 / 1000.0)),
                Event::Failed(failure) => happened(What::Failed(&failure.message)),
                Event::Decision(_) | Event::End(_) => {
                    let mut step = step(ms, screen.frames.len(), line);
                    let grid = grid.as_ref().map(|grid| grid.moved(-place[0], -place[1]));
                    step.grid = grid.map(|grid| number_of(&mut grids, grid));
                    (step.tiles, step.score, step.mines_left) = (rows.concat(), score, mines_left);
                    if let Event::Decision(chosen) = &entry.event {
                        step.chosen = Some(chosen);
                        step.tiles = chosen.rows.as_deref().unwrap_or(rows).concat();
                        step.known = chosen.board(rows).as_ref().and_then(Known::of);
                    }
                    if let Event::End(end) = &entry.event {
                        step.end = Some(end);
                    }
                    steps.push(step);
                }
                Event::Game(_) | Event::Clock(_) | Event::Painted(_) => {}
            }
        }
        let size = [screen.pixels.width(), screen.pixels.height()];
        let last = grids.last().map(Grid::size);
        Ok(Self {
            outcome: game.end().map_or("not finished", |end| end.outcome.as_str()),
            width: last.map_or(game.start.width, |size| size.width),
            height: last.map_or(game.start.height, |size| size.height),
            ms: game.lines.last().map_or(0.0, |(_, line)| line.ms),
            size,
            grids,
            frames: screen.frames,
            steps,
        })
    }
}

fn number_of(grids: &mut Vec<Grid>, grid: Grid) -> usize {
    grids.iter().position(|known| *known == grid).unwrap_or_else(|| {
        grids.push(grid);
        grids.len() - 1
    })
}
