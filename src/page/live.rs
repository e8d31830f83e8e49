//! A page that follows what goes on: a run of games, or advice for a person who plays. [`Stage`] is what there is to see, [`serve`]
//! shows it to browsers. They can only look, and nothing leaves the machine unless the address says so.

use super::known::Known;
use super::{page, png_fast};
use crate::board::Board;
use crate::geometry::Rect;
use crate::session::Chosen;
use crate::solver::Decision;
use crate::vision::Grid;
use image::{RgbaImage, imageops};
use maud::html;
use serde_json::{Value, json};
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tiny_http::{Header, Method, Request, Response, Server, StatusCode};

/// What there is to see.
#[derive(Default)]
pub struct Stage {
    shown: Mutex<Shown>,
    changed: Condvar,
}

#[derive(Default)]
struct Shown {
    version: u64,
    picture: Option<Arc<(RgbaImage, Grid)>>,
    tiles: String,
    board: Option<Board>,
    chosen: Option<Chosen>,
    words: String,
    run: Option<Value>,
    asked: Option<Instant>,
}

/// How much of the surroundings is shown, in tiles.
const MARGIN: f64 = 3.2;

/// A page that has not asked for so long is closed.
const FOLLOWS: Duration = Duration::from_secs(25);

impl Stage {
    fn lock(&self) -> MutexGuard<'_, Shown> {
        // What is shown is whole after every change, whoever panicked.
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut Shown)) {
        let mut shown = self.lock();
        change(&mut shown);
        shown.version += 1;
        drop(shown);
        self.changed.notify_all();
    }

    /// Whether anybody looks: pictures need not be kept for nobody.
    pub fn is_followed(&self) -> bool {
        self.lock().asked.is_some_and(|asked| asked.elapsed() < FOLLOWS)
    }

    /// Shows a picture with what was read of it, in board text without breaks. Whoever plays waits for this, so all that can be
    /// done later is left to those who ask.
    pub fn show(&self, picture: RgbaImage, grid: Grid, tiles: String) {
        let picture = Arc::new((picture, grid));
        self.change(|shown| {
            (shown.picture, shown.tiles) = (Some(picture), tiles);
            (shown.board, shown.chosen) = (None, None);
        });
    }

    /// Tells what is best on the board that was shown last.
    pub fn decide(&self, board: &Board, decision: Option<&Decision>) {
        let chosen = decision.map(|decision| Chosen::of(board, decision, &[]));
        self.change(|shown| {
            shown.board = (shown.tiles.chars().count() == board.size().tiles()).then(|| board.clone());
            shown.chosen = chosen.filter(|_| shown.board.is_some());
        });
    }

    /// Says something in words.
    pub fn say(&self, words: &str) {
        if self.lock().words != words {
            self.change(|shown| words.clone_into(&mut shown.words));
        }
    }

    /// Tells how the run stands.
    pub fn tell(&self, run: Value) {
        self.change(|shown| shown.run = Some(run));
    }

    /// What there is to see, once it is not what it was at `after`; or after a while.
    fn later_than(&self, after: u64, patience: Duration) -> Value {
        let mut shown = self.lock();
        shown.asked = Some(Instant::now());
        let (mut shown, _) = self
            .changed
            .wait_timeout_while(shown, patience, |shown| shown.version == after)
            .unwrap_or_else(PoisonError::into_inner);
        shown.asked = Some(Instant::now());
        let (version, board, picture) = (shown.version, shown.board.clone(), shown.picture.clone());
        let (tiles, chosen, words, run) =
            (shown.tiles.clone(), shown.chosen.clone(), shown.words.clone(), shown.run.clone());
        drop(shown); // who plays must not wait for what follows
        json!({
            "version": version,
            "grid": picture.map(|picture| {
                let part = shown_part(&picture);
                picture.1.moved(f64::from(part.left), f64::from(part.top))
            }),
            "tiles": tiles,
            "known": board.as_ref().and_then(Known::of),
            "chosen": chosen,
            "words": words,
            "run": run,
        })
    }
}

/// The part of a picture that pages show: the minefield and a little around it.
fn shown_part((picture, grid): &(RgbaImage, Grid)) -> Rect {
    grid.around(picture.dimensions(), MARGIN)
}

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
#[error("the page cannot be at {address}: {why}; is another one there? Give another address: --page 127.0.0.1:PORT")]
pub struct ServeError {
    address: SocketAddr,
    why: String,
}

/// So many requests are answered at once; each page makes one or two.
const AT_ONCE: usize = 32;

/// How long a request waits for news.
const PATIENCE: Duration = Duration::from_secs(10);

/// Shows `stage` at an address as long as the program runs, and tells which address that is (a port 0 is any that is free).
///
/// # Errors
/// The address is taken, or not one of this machine.
pub fn serve(address: SocketAddr, title: &str, stage: Arc<Stage>) -> Result<SocketAddr, ServeError> {
    let server = Server::http(address).map_err(|why| ServeError { address, why: why.to_string() })?;
    let at = server.server_addr().to_ip().unwrap_or(address);
    let html = Arc::new(html_of(title));
    std::thread::spawn(move || {
        let busy = Arc::new(AtomicUsize::new(0));
        for request in server.incoming_requests() {
            if busy.fetch_add(1, Ordering::Relaxed) >= AT_ONCE {
                busy.fetch_sub(1, Ordering::Relaxed);
                let _ = request.respond(Response::empty(StatusCode(503)));
                continue;
            }
            let (stage, html, busy) = (stage.clone(), html.clone(), busy.clone());
            std::thread::spawn(move || {
                // Whoever asked may be gone; that is nobody's trouble.
                let _ = answer(request, &stage, &html, at.ip());
                busy.fetch_sub(1, Ordering::Relaxed);
            });
        }
    });
    Ok(at)
}

fn answer(request: Request, stage: &Stage, html: &str, at: IpAddr) -> std::io::Result<()> {
    if *request.method() != Method::Get {
        return request.respond(Response::empty(StatusCode(405)));
    }
    if at.is_loopback() && !is_local(&request) {
        return request.respond(Response::empty(StatusCode(403)));
    }
    let (path, query) = request.url().split_once('?').unwrap_or((request.url(), ""));
    match path {
        "/" => request.respond(with_type(Response::from_string(html), "text/html; charset=utf-8")),
        "/state" => {
            let after = query.strip_prefix("after=").and_then(|after| after.parse().ok()).unwrap_or(0);
            let state = stage.later_than(after, PATIENCE).to_string();
            request.respond(with_type(Response::from_string(state), "application/json"))
        }
        "/picture" => {
            let picture = stage.lock().picture.clone();
            match picture {
                Some(picture) => {
                    let Rect { left, top, width, height } = shown_part(&picture);
                    let part = imageops::crop_imm(&picture.0, left, top, width, height).to_image();
                    request.respond(with_type(Response::from_data(png_fast(&part)), "image/png"))
                }
                None => request.respond(Response::empty(StatusCode(404))),
            }
        }
        _ => request.respond(Response::empty(StatusCode(404))),
    }
}

/// Whether a request names this machine as the one it wants: a page from elsewhere whose name was made to lead here does not.
fn is_local(request: &Request) -> bool {
    let host = request.headers().iter().find(|header| header.field.equiv("Host")).map(|header| header.value.as_str());
    let Some(host) = host else { return false };
    let name = host.rsplit_once(':').filter(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
    let name = name.map_or(host, |(name, _)| name).trim_matches(['[', ']']);
    name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn with_type<R: std::io::Read>(response: Response<R>, kind: &str) -> Response<R> {
    let header = |name: &str, value: &str| Header::from_bytes(name, value).expect("fixed headers are well formed");
    response
        .with_header(header("Content-Type", kind))
        .with_header(header("Cache-Control", "no-store"))
        .with_header(header("X-Content-Type-Options", "nosniff"))
}

fn html_of(title: &str) -> String {
    let body = html! {
        h1 { (title) }
        p #words.soft role="status" {}
        div #numbers.tiles {}
        div.both {
            section { div #window { canvas #picture aria-label="the minefield" {} } p #tile.soft { "Point at a tile." } }
            section.told { div #what aria-live="polite" {} div #games {} }
        }
        details {
            summary.soft { "Signs" }
            p {
                "✓ is safe, ● is a mine, a number is the risk in per cent; tiles of which the numbers tell nothing share one risk, which \
                 is named once. A frame marks what is best, dashed if it is a guess."
            }
        }
    };
    let style = concat!(include_str!("trace.css"), include_str!("live.css"));
    page(title, style, &body, &[include_str!("board.js"), include_str!("live.js")])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::TcpStream;

    fn ask(at: SocketAddr, request: &str) -> String {
        let mut stream = TcpStream::connect(at).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    fn status(at: SocketAddr, method: &str, path: &str, host: &str) -> String {
        let answer = ask(at, &format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"));
        answer.split(' ').nth(1).unwrap_or("none").to_owned()
    }

    #[test]
    fn it_can_only_be_looked_at_and_only_from_here() {
        let at = serve("127.0.0.1:0".parse().unwrap(), "t", Arc::default()).unwrap();
        let here = at.to_string();
        assert_eq!(status(at, "GET", "/", &here), "200");
        assert_eq!(status(at, "GET", "/", "localhost"), "200");
        assert_eq!(status(at, "GET", "/picture", &here), "404");
        assert_eq!(status(at, "GET", "/../etc/passwd", &here), "404");
        assert_eq!(status(at, "POST", "/state", &here), "405");
        assert_eq!(status(at, "GET", "/", "elsewhere.example"), "403");
        assert_eq!(status(at, "GET", "/", "127.0.0.1.elsewhere.example:80"), "403");
        let taken = serve(at, "t", Arc::default()).unwrap_err().to_string();
        assert!(taken.contains(&here) && taken.contains("--page"), "{taken}");
    }

    #[test]
    fn news_come_as_soon_as_there_are_any() {
        let stage = Arc::new(Stage::default());
        assert!(!stage.is_followed());
        let waiting = std::thread::spawn({
            let stage = stage.clone();
            move || stage.later_than(0, Duration::from_secs(60))
        });
        while !stage.is_followed() {
            std::thread::yield_now();
        }
        let grid = Grid { columns: vec![1.0, 5.0, 9.0], lines: vec![1.0, 5.0] };
        stage.show(RgbaImage::new(10, 6), grid, "1#".into());
        assert_eq!(waiting.join().unwrap()["tiles"], "1#");
        let board: Board = "2 1 1\n1#".parse().unwrap();
        stage.decide(&board, None);
        let state = stage.later_than(1, Duration::ZERO);
        assert_eq!((&state["known"]["explanations"], &state["known"]["risks"]), (&json!("1"), &json!([[1, 1.0]])));
        // A board of another size belongs to another picture.
        stage.decide(&"1 1 0\n0".parse().unwrap(), None);
        assert_eq!(stage.later_than(2, Duration::ZERO)["known"], Value::Null);
    }
}
