//! A screenshot as a page: what was seen and why, tile by tile; which lattices were proposed and why each was refused; and a place
//! to say by hand what is right, for templates and fixtures.

use super::{page, png, values};
use crate::board::Tile;
use crate::geometry::Cell;
use crate::vision::find::locate::Refusal;
use crate::vision::find::propose::Source;
use crate::vision::tile::classify::Compared;
use crate::vision::{Grid, Reading, Tried};
use image::{RgbaImage, imageops};
use maud::{Markup, html};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};

/// So many of the pictures that a tile was compared with are shown.
const BEST: usize = 4;

/// So many lattices are shown: pictures with edges everywhere have hundreds.
const PROPOSED: usize = 200;

/// A lattice that might be a board, and what came of it.
#[derive(Serialize)]
struct Proposal<'a> {
    grid: &'a Grid,
    /// Whose board it would be: client and theme, and what the screen would have made of that.
    whose: String,
    /// Why it was refused, or that it was believed.
    verdict: String,
}

impl<'a> Proposal<'a> {
    fn of(tried: &'a Tried) -> Self {
        let variation = tried.variation;
        let ways = [
            variation.ground.map(|_| "on another ground".to_owned()),
            variation.stretch.map(|by| format!("enlarged {by} times")),
            variation.tone.map(|_| "in other colours".to_owned()),
        ];
        let ways: Vec<String> = ways.into_iter().flatten().collect();
        let ways = if ways.is_empty() { String::new() } else { format!(", {}", ways.join(", ")) };
        let edges = match tried.source {
            Source::Clear => "by clear edges",
            Source::Beside => "by edges beside the clearest lattice",
            Source::Faint => "by faint edges",
            Source::Bold => "by bold lines alone",
            Source::Thin => "by thin lines alone",
            Source::Coarse => "by the edges of large tiles",
            Source::Few => "by the edges of few tiles",
            Source::Fewest => "by the edges where few tiles begin",
            Source::Large => "by the edges of few large tiles",
            Source::Odd => "by edges at odd pixels",
        };
        let verdict = match &tried.refusal {
            None => "it was believed".to_owned(),
            Some(Refusal::NoBoard(share)) => format!("refused: {:.0}% of its tiles were recognised", 100.0 * share),
            Some(Refusal::Board(error)) => format!("refused: {error}"),
        };
        Self {
            grid: &tried.grid,
            whose: format!("{} ({}){ways}", tried.client, tried.theme),
            verdict: format!("Found {edges}, nearness {:.2}; {verdict}.", tried.near),
        }
    }
}

/// What came of looking for a board.
pub enum Found<'a> {
    /// It was read.
    Board {
        /// What was read.
        reading: &'a Reading,
        /// Its mines, if they are known.
        mines: Option<u32>,
        /// What is believed of it: the lowest score and the lowest lead.
        belief: [f32; 2],
        /// The pictures that its theme has by now, by what they are of, as in a calibration.
        files: &'a BTreeMap<char, Vec<String>>,
        /// What a tile was compared with, the best picture first.
        compare: &'a dyn Fn(Cell) -> Vec<Compared>,
    },
    /// Why there is none.
    Nothing(String),
}

#[derive(Serialize)]
struct Seen<'a> {
    name: &'a str,
    client: &'a str,
    theme: &'a str,
    size: [u32; 2],
    picture: String,
    grid: Option<&'a Grid>,
    mines: Option<u32>,
    belief: Option<[f32; 2]>,
    files: Option<&'a BTreeMap<char, Vec<String>>>,
    tiles: Vec<Look>,
    /// What tiles were compared with: what it is of, and the picture.
    pictures: Vec<(char, String)>,
    proposals: &'a [Proposal<'a>],
}

/// Pictures by number, with their scores.
type Near = Vec<(usize, f32)>;

/// What one tile looks like.
#[derive(Serialize)]
struct Look {
    tile: char,
    best: char,
    score: f32,
    lead: f32,
    other: Option<(char, f32)>,
    /// The pictures that come nearest, by number, with their scores.
    near: Near,
}

/// The page of a screenshot called `name`; `tried` is what was taken for a board, in order.
///
/// # Errors
/// A number in it has no form in JSON.
pub fn sight(name: &str, picture: &RgbaImage, found: &Found, tried: &[Tried]) -> serde_json::Result<String> {
    let proposals: Vec<Proposal> = tried.iter().take(PROPOSED).map(Proposal::of).collect();
    let proposals = proposals.as_slice();
    let mut seen = Seen {
        name,
        client: "",
        theme: "",
        size: picture.dimensions().into(),
        picture: png(picture),
        grid: None,
        mines: None,
        belief: None,
        files: None,
        tiles: Vec::new(),
        pictures: Vec::new(),
        proposals,
    };
    if let Found::Board { reading, mines, belief, files, compare } = found {
        (seen.client, seen.theme, seen.grid) = (&reading.client, &reading.theme, Some(&reading.grid));
        (seen.mines, seen.belief, seen.files) = (*mines, Some(*belief), Some(*files));
        let mut shelf = Shelf::default();
        seen.tiles = looks(picture, reading, compare, &mut shelf);
        seen.pictures = shelf.pictures;
    }
    let body = html! {
        h1 { (name) }
        (headline(found))
        div.bar role="toolbar" aria-label="What is drawn" {
            button #show-grid aria-pressed="true" data-key="g" { "Grid " kbd { "g" } }
            button #show-read aria-pressed="true" { "Reading " kbd { "r" } }
            button #show-whole aria-pressed="false" { "Whole picture " kbd { "z" } }
            button #next { "Next not recognised " kbd { "n" } }
            output #count {}
        }
        div.both {
            section aria-label="The picture" {
                div #window { canvas #picture tabindex="0" aria-label="the minefield; the arrow keys choose a tile" {} }
                p #tile.soft aria-live="polite" { "Point at a tile." }
            }
            section.told aria-label="The tile" {
                div #chosen { p.soft { "Choose a tile: with the mouse, or with the arrow keys." } }
                h3 { "What it is" }
                div #labels.bar role="toolbar" aria-label="labels" {}
                p.soft { "Or type it: # 0–8 F ? * X x; ~ takes the label away." }
                (downloads())
            }
        }
        (proposed(found, proposals))
        (by_hand())
        (values("sight", &seen)?)
    };
    let style = concat!(include_str!("trace.css"), include_str!("sight.css"));
    let scripts = [include_str!("board.js"), include_str!("zip.js"), include_str!("sight.js")];
    Ok(page(name, style, &body, &scripts))
}

fn headline(found: &Found) -> Markup {
    html! {
        @match found {
            Found::Nothing(why) => p.warn { "No board was believed: " (why) },
            Found::Board { reading, .. } => {
                @let unknown = reading.unrecognised().count();
                p.soft {
                    (reading.client) " (" (reading.theme) "), " (reading.grid.size()) ", lowest score "
                    (format!("{:.2}", reading.lowest_score()))
                    @if unknown > 0 { "; " b { (unknown) " tiles not recognised" } }
                }
            }
        }
    }
}

fn downloads() -> Markup {
    html! {
        h3 { "Take it along" }
        p #labelled.soft { "Nothing is labelled yet." }
        label { "Mines " input #mines type="text" size="4" inputmode="numeric"; }
        div.bar {
            button #save-board { "Download the board" }
            button #save-all { "Download all" }
        }
        p.soft {
            "The board is board text, the truth for " code { "check" } ". All: this screenshot with its board, and the pictures of the \
             tiles you labelled, with the lines for " code { "[theme.tiles]" } " in the calibration, each in place of the one that is there."
        }
    }
}

fn proposed(found: &Found, proposals: &[Proposal]) -> Markup {
    html! {
        h2 { "Lattices that were proposed" }
        @if proposals.is_empty() {
            p.soft {
                @match found {
                    Found::Nothing(_) => "None, or they are not known: give the grid by hand.",
                    Found::Board { .. } => "The first that was believed is drawn above.",
                }
            }
        } @else {
            p.soft { "In the order in which they were tried. Point at one to see it in the picture." }
            ol #proposals {
                @for (index, proposal) in proposals.iter().enumerate() {
                    li {
                        button data-proposal=(index) { (proposal.grid.size()) " for " (proposal.whose) }
                        " " (proposal.verdict) " "
                        button data-use=(index) { "label on it" }
                    }
                }
            }
        }
    }
}

/// A grid for a board that was not found.
fn by_hand() -> Markup {
    let fields = ["columns", "rows", "left", "top", "right", "bottom"];
    html! {
        details #hand {
            summary { "Give the grid by hand" }
            p.soft { "Edges in pixels of the screenshot: from the line on the left of the first tile to the one on the right of the last." }
            div.bar {
                @for field in fields { label { (field) " " input id={ "hand-" (field) } type="text" size="5" inputmode="decimal"; } }
                button #hand-use { "Use it" }
            }
            p #hand-said role="status" {}
        }
    }
}

/// The pictures that tiles were compared with, each kept once.
#[derive(Default)]
struct Shelf {
    pictures: Vec<(char, String)>,
    known: HashMap<(char, Vec<u8>), usize>,
}

impl Shelf {
    fn place(&mut self, compared: &Compared) -> usize {
        let look = compared.tile.to_char();
        let pictures = &mut self.pictures;
        *self.known.entry((look, compared.pixels.as_raw().clone())).or_insert_with(|| {
            pictures.push((look, png(&compared.pixels)));
            pictures.len() - 1
        })
    }
}

fn looks(
    picture: &RgbaImage,
    reading: &Reading,
    compare: &dyn Fn(Cell) -> Vec<Compared>,
    shelf: &mut Shelf,
) -> Vec<Look> {
    // Most tiles of a board look like others: those are compared once.
    let mut met: HashMap<(u32, Vec<u8>), Near> = HashMap::new();
    let look = |(cell, tile): (Cell, &crate::vision::TileReading)| {
        let area = reading.grid.tile(cell);
        let pixels = imageops::crop_imm(picture, area.left, area.top, area.width, area.height).to_image();
        let near = met.entry((area.width, pixels.into_raw())).or_insert_with(|| {
            let compared = compare(cell);
            let mut near = Near::new();
            let mut looks: Vec<Tile> = Vec::new();
            // The best picture of every look, not several of one.
            for other in compared.iter().filter(|other| !other.score.is_nan()) {
                if !looks.contains(&other.tile) && near.len() < BEST {
                    looks.push(other.tile);
                    near.push((shelf.place(other), other.score));
                }
            }
            near
        });
        Look {
            tile: tile.tile.to_char(),
            best: tile.best.to_char(),
            score: tile.score,
            lead: tile.lead,
            other: tile.runner_up.map(|(tile, score)| (tile.to_char(), score)),
            near: near.clone(),
        }
    };
    reading.grid.size().cells().zip(&reading.tiles).map(look).collect()
}
