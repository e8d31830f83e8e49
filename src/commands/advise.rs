//! `minesight advise`: the person plays, and is told what is certain and what is risky.

use super::paint::{Paint, is_terminal};
use super::play::summary::decision as in_words;
use super::stage;
use crate::advise::{Advice, Advised, Wishes, advise};
use crate::board::{Board, Tile};
use crate::cli::AdviseArgs;
use crate::client;
use crate::geometry::Cell;
use crate::page::live::Stage;
use crate::solver::probability::{Risks, risks};
use crate::vision::{Eyes, Standing};
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Watches until Ctrl+C.
pub fn run(args: &AdviseArgs) -> anyhow::Result<()> {
    let clients = client::known(args.client.calibration.as_deref(), args.client.templates.as_deref())?;
    let mut eyes: Vec<Eyes> = match &args.client.client {
        Some(name) => vec![Eyes::new(Arc::new(client::by_name(&clients, name)?.clone()))],
        None => clients.into_iter().map(|client| Eyes::new(Arc::new(client))).collect(),
    };
    let stage = args.page.map(|address| stage::open(address, "Advice")).transpose()?;
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = stop.clone();
    ctrlc::set_handler(move || stopped.store(true, Ordering::Relaxed))?;
    let mut screen = screen()?;
    let mut go_on = |time| {
        std::thread::sleep(time);
        !stop.load(Ordering::Relaxed)
    };
    let mut out = Terminal { json: args.json, paint: Paint::for_stdout(), said: String::new() };
    let mut failed = None;
    let mut hear = |advice: Advice| {
        if let Some(stage) = &stage {
            show(stage, &advice);
        }
        if let Err(error) = out.tell(&advice) {
            stop.store(true, Ordering::Relaxed);
            failed = Some(error);
        }
    };
    advise(&mut eyes, Wishes { mines: args.mines }, &mut screen, &mut go_on, &mut hear)?;
    failed.map_or(Ok(()), |error| Err(error.into()))
}

#[cfg(feature = "eyes")]
fn screen() -> anyhow::Result<Box<crate::advise::Look<'static>>> {
    use crate::desktop::{Desktop, screen::Screen};
    let mut screen = Screen::open()?;
    Ok(Box::new(move |part| screen.look(part)))
}

#[cfg(not(feature = "eyes"))]
fn screen() -> anyhow::Result<Box<crate::advise::Look<'static>>> {
    anyhow::bail!("this build cannot look at the screen (feature `look` is off): build it with its default features")
}

/// The same on the page.
fn show(stage: &Stage, advice: &Advice) {
    match advice {
        Advice::Nothing(why) | Advice::Doubt(why) => stage.say(why),
        Advice::Board(advised) => {
            let tiles = advised.reading.tiles.iter().map(|tile| tile.tile.to_char()).collect();
            stage.show(advised.shot.pixels.clone(), advised.reading.grid.clone(), tiles);
            if advised.decision.is_some() {
                stage.decide(&advised.board, advised.decision.as_ref());
            }
            stage.say(&headline(advised));
        }
    }
}

fn headline(advised: &Advised) -> String {
    let size = advised.board.size();
    let mines = advised.board.mines().map_or("mines not known".to_owned(), |mines| format!("{mines} mines"));
    let stands = match advised.standing {
        Standing::Won => ": won",
        Standing::Lost => ": lost",
        Standing::Playing | Standing::Unknown => "",
    };
    format!("{} {size}, {mines}{stands}", advised.client.name)
}

/// Where it is said.
struct Terminal {
    json: bool,
    paint: Paint,
    /// What was said last, if it was no board.
    said: String,
}

impl Terminal {
    fn tell(&mut self, advice: &Advice) -> std::io::Result<()> {
        let mut out = std::io::stdout().lock();
        match advice {
            Advice::Nothing(why) | Advice::Doubt(why) => {
                if self.said != *why {
                    eprintln!("{why}");
                    self.said.clone_from(why);
                }
                return Ok(());
            }
            Advice::Board(advised) if self.json => writeln!(out, "{}", json(advised))?,
            Advice::Board(advised) => {
                // To the top left corner, and nothing below what is painted, where the board before can be painted over.
                let home = if is_terminal(&out) { "\x1b[H\x1b[J" } else { "" };
                writeln!(out, "{home}{}", picture(advised, self.paint))?;
            }
        }
        self.said.clear();
        out.flush()
    }
}

fn json(advised: &Advised) -> serde_json::Value {
    let (board, size) = (&advised.board, advised.board.size());
    let known = risks(board).ok();
    let at = |risk: f64| -> Vec<Cell> {
        let cells = known.iter().flat_map(|known| known.cells_at(risk));
        cells.filter(|&cell| board.tile(cell).may_be_mine()).collect()
    };
    let row = |y| -> Vec<Option<f64>> {
        (0..size.width).map(|x| known.as_ref().and_then(|known| known.risk(Cell::new(x, y)))).collect()
    };
    serde_json::json!({
        "client": advised.client.name,
        "rows": board.rows().collect::<Vec<_>>(),
        "state": advised.standing,
        "safe": at(0.0),
        "mines": at(1.0),
        "risk": (0..size.height).map(row).collect::<Vec<_>>(),
        "decision": advised.decision,
        "ms": advised.took.as_secs_f64() * 1000.0,
    })
}

/// The board, two characters a tile (an expert board is 60 wide), and what is best, in 80 columns.
fn picture(advised: &Advised, paint: Paint) -> String {
    let board = &advised.board;
    let known = if advised.decision.is_some() { risks(board).ok() } else { None };
    let rest = known.as_ref().and_then(|known| known.elsewhere(board));
    let size = board.size();
    let mut text = headline(advised) + "\n";
    for y in 0..size.height {
        for x in 0..size.width {
            text += &tile(board, known.as_ref(), rest, Cell::new(x, y), paint);
        }
        text.push('\n');
    }
    if known.is_some() {
        text += &format!("{} safe  {} mine  12 risk in per cent", paint.green("ok"), paint.red("**"));
        text += &rest.map_or(String::new(), |rest| format!("  :: elsewhere {:.1}", 100.0 * rest));
        text.push('\n');
    }
    if let Some(decision) = &advised.decision {
        let words: String = in_words(decision).chars().take(79).collect();
        text += &paint.bold(&words);
    }
    text
}

fn tile(board: &Board, known: Option<&Risks>, rest: Option<f64>, cell: Cell, paint: Paint) -> String {
    let risk = known.and_then(|known| known.risk(cell));
    match (board.tile(cell), risk) {
        (Tile::Open(0), _) => paint.dim(" ."),
        (tile, None) => format!(" {}", tile.to_char()),
        (_, Some(0.0)) => paint.green("ok"),
        (_, Some(1.0)) => paint.red("**"),
        (_, Some(_)) if risk == rest => paint.dim("::"),
        (_, Some(risk)) => paint.heat(&format!("{:2.0}", (100.0 * risk).clamp(1.0, 99.0)), risk),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expert_board_fits_into_80_columns() {
        let board: Board = format!(
            "30 16 99\n{}1{}\n{}",
            "#".repeat(14),
            "#".repeat(15),
            "##############################\n".repeat(15)
        )
        .parse()
        .unwrap();
        let known = risks(&board).unwrap();
        let rest = known.elsewhere(&board);
        let plain = Paint::never();
        let row: String = (0..30).map(|x| tile(&board, Some(&known), rest, Cell::new(x, 0), plain)).collect();
        assert_eq!(row.chars().count(), 60);
        assert!(row.contains("::20 120::"), "{row}");
    }
}
