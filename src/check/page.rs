//! All that is not right about some screenshots, as one page.

use super::{Amiss, Checked, Outcome, Pictures, Row, rows};
use crate::board::Tile;
use crate::page::{self, png};
use image::RgbaImage;
use maud::{Markup, html};

/// The page.
pub fn html(all: &[Checked]) -> String {
    let wrong: Vec<&Checked> = all.iter().filter(|one| !one.faults().is_empty()).collect();
    let unsure: Vec<&Checked> =
        all.iter().filter(|one| one.faults().is_empty() && (one.is_refused() || !one.amiss().is_empty())).collect();
    let body = html! {
        h1 { (all.len()) " screenshots" }
        p.soft { "Read by minesight " (env!("CARGO_PKG_VERSION")) ". Times are of reading on all cores at once." }
        div.card { (table(all)) }
        h2 { "Wrong" }
        (section(&wrong))
        h2 { "Not recognised, or refused" }
        (section(&unsure))
    };
    page::page("check", include_str!("page.css"), &body, &[])
}

fn table(all: &[Checked]) -> Markup {
    let numbers = |row: &Row| {
        html! {
            td.n { (row.screenshots) }
            td.n { (row.refused) }
            td.n { (row.right) }
            td.n { (row.not_recognised) }
            td.n.wrong[row.wrong > 0] { (row.wrong) }
            td.n.wrong[row.wrong_boards > 0] { (row.wrong_boards) }
            td.n { (format!("{:.1}", row.ms_median)) }
            td.n { (format!("{:.1}", row.ms_worst)) }
        }
    };
    html! {
        table {
            tr {
                th { "Client" } th { "Theme" } th { "State" }
                @for name in ["Screenshots", "Refused", "Tiles right", "Not recognised", "Wrong", "Wrong boards", "ms, median", "worst"] {
                    th.n { (name) }
                }
            }
            @for row in rows(all) {
                tr {
                    td { (row.client.as_deref().unwrap_or("–")) }
                    td { (row.theme.as_deref().unwrap_or("–")) }
                    td { (row.state.map_or("", |state| state.name())) }
                    (numbers(&row))
                }
            }
            tr.sum { td colspan="3" { "All" } (numbers(&Row::of(all))) }
        }
    }
}

fn section(all: &[&Checked]) -> Markup {
    html! {
        @if all.is_empty() { p.soft { "None." } }
        @for checked in all { (card(checked)) }
    }
}

/// One screenshot.
fn card(checked: &Checked) -> Markup {
    let tiles: Vec<Markup> =
        checked.amiss().iter().filter_map(|amiss| Some(tile(amiss, amiss.pictures.as_ref()?))).collect();
    let more = checked.amiss().len() - tiles.len();
    html! {
        div.card {
            h3 { (checked.image.display()) }
            p.soft {
                @if let Some(client) = &checked.client { (client) ", " }
                @if let Some(theme) = &checked.theme { (theme) ", " }
                (checked.state.name())
                @if let Some(size) = checked.size { ", " (size) }
                ", " (format!("{:.1} ms", checked.ms))
            }
            @match &checked.outcome {
                Outcome::Refused { message, .. } => p { "Refused: " (message) },
                Outcome::WrongBoard { message } => p.wrong { (message) },
                Outcome::Read { .. } => {}
            }
            @if let Some(counter) = checked.counter.filter(|counter| counter.is_wrong()) {
                p.wrong { "The counter shows " (counter.left) " and was read as " (counter.read.unwrap_or_default()) "." }
            }
            @if let Some(thumbnail) = &checked.thumbnail { img.small alt="the screenshot, small" src=(source(thumbnail)); }
            div.near-all { @for tile in tiles { (tile) } }
            @if more > 0 { p.soft { "and " (more) " more tiles" } }
        }
    }
}

/// One tile beside the pictures it was compared with.
fn tile(amiss: &Amiss, pictures: &Pictures) -> Markup {
    let figure = |picture: &RgbaImage, text: &str| html! { figure { img alt=(text) src=(source(picture)); (text) } };
    html! {
        div.near.bad[amiss.is_wrong()] {
            (amiss.cell) " is " b { (amiss.truth.to_char()) } ", "
            @if amiss.is_wrong() { "taken for " b { (amiss.read.to_char()) } } @else { "not recognised" }
            br;
            span.soft { (likeliest(amiss)) }
            div.pictures {
                (figure(&pictures.tile, "seen"))
                @for (tile, score, pixels) in &pictures.nearest { (figure(pixels, &format!("{} {score:.2}", tile.to_char()))) }
            }
        }
    }
}

fn likeliest(amiss: &Amiss) -> String {
    if amiss.best == Tile::Unrecognised {
        return "nothing could be compared".to_owned();
    }
    let runner_up = amiss.runner_up.map_or(String::new(), |score| format!(", next {score:.2}"));
    format!("likeliest {} {:.2}{runner_up}, lead {:.2}", amiss.best.to_char(), amiss.score, amiss.lead)
}

/// A picture as the address of an `img`.
fn source(picture: &RgbaImage) -> String {
    format!("data:image/png;base64,{}", png(picture))
}
