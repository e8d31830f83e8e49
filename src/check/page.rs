//! All that is not right about some screenshots, as one page: everything in one file, no script, nothing from elsewhere.

use super::{Amiss, Checked, Outcome, Pictures, Row, rows};
use crate::board::Tile;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use image::{ImageError, ImageFormat, RgbaImage};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use std::io::Cursor;

/// The page.
///
/// # Errors
/// A picture that cannot be written as PNG, which none of its size is.
pub fn html(all: &[Checked]) -> Result<String, ImageError> {
    let wrong: Vec<&Checked> = all.iter().filter(|one| !one.faults().is_empty()).collect();
    let unsure: Vec<&Checked> =
        all.iter().filter(|one| one.faults().is_empty() && (one.is_refused() || !one.amiss().is_empty())).collect();
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "minesight check" }
                style { (PreEscaped(include_str!("page.css"))) }
            }
            body {
                main {
                    h1 { (all.len()) " screenshots" }
                    p class="soft" { "Read by minesight " (env!("CARGO_PKG_VERSION")) ". Times are of reading on all cores at once." }
                    div class="card" { (table(all)) }
                    h2 { "Wrong" }
                    (section(&wrong)?)
                    h2 { "Not recognised, or refused" }
                    (section(&unsure)?)
                }
            }
        }
    };
    Ok(page.into_string())
}

fn table(all: &[Checked]) -> Markup {
    let numbers = |row: &Row| {
        html! {
            td class="n" { (row.screenshots) }
            td class="n" { (row.refused) }
            td class="n" { (row.right) }
            td class="n" { (row.not_recognised) }
            td class={ "n" @if row.wrong > 0 { " wrong" } } { (row.wrong) }
            td class={ "n" @if row.wrong_boards > 0 { " wrong" } } { (row.wrong_boards) }
            td class="n" { (format!("{:.1}", row.ms_median)) }
            td class="n" { (format!("{:.1}", row.ms_worst)) }
        }
    };
    html! {
        table {
            tr {
                th { "Client" } th { "Theme" } th { "State" }
                @for name in ["Screenshots", "Refused", "Tiles right", "Not recognised", "Wrong", "Wrong boards", "ms, median", "worst"] {
                    th class="n" { (name) }
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
            tr class="sum" { td colspan="3" { "All" } (numbers(&Row::of(all))) }
        }
    }
}

fn section(all: &[&Checked]) -> Result<Markup, ImageError> {
    let cards: Vec<Markup> = all.iter().map(|checked| card(checked)).collect::<Result<_, _>>()?;
    Ok(html! {
        @if cards.is_empty() { p class="soft" { "None." } }
        @for card in cards { (card) }
    })
}

/// One screenshot.
fn card(checked: &Checked) -> Result<Markup, ImageError> {
    let thumbnail = checked.thumbnail.as_ref().map(source).transpose()?;
    let tiles: Vec<Markup> = checked
        .amiss()
        .iter()
        .filter_map(|amiss| Some((amiss, amiss.pictures.as_ref()?)))
        .map(|(amiss, pictures)| tile(amiss, pictures))
        .collect::<Result<_, _>>()?;
    let more = checked.amiss().len() - tiles.len();
    Ok(html! {
        div class="card" {
            h3 { (checked.image.display()) }
            p class="soft" {
                @if let Some(client) = &checked.client { (client) ", " }
                @if let Some(theme) = &checked.theme { (theme) ", " }
                (checked.state.name())
                @if let Some(size) = checked.size { ", " (size) }
                ", " (format!("{:.1} ms", checked.ms))
            }
            @match &checked.outcome {
                Outcome::Refused { message, .. } => p { "Refused: " (message) },
                Outcome::WrongBoard { message } => p class="wrong" { (message) },
                Outcome::Read { .. } => {}
            }
            @if let Some(counter) = checked.counter.filter(|counter| counter.is_wrong()) {
                p class="wrong" { "The counter shows " (counter.left) " and was read as " (counter.read.unwrap_or_default()) "." }
            }
            @if let Some(thumbnail) = thumbnail { img class="small" alt="the screenshot, small" src=(thumbnail); }
            div class="tiles" { @for tile in tiles { (tile) } }
            @if more > 0 { p class="soft" { "and " (more) " more tiles" } }
        }
    })
}

/// One tile beside the pictures it was compared with.
fn tile(amiss: &Amiss, pictures: &Pictures) -> Result<Markup, ImageError> {
    let picture = |picture: &RgbaImage, text: String| -> Result<Markup, ImageError> {
        let source = source(picture)?;
        Ok(html! { figure { img alt=(text) src=(source); (text) } })
    };
    let seen = picture(&pictures.tile, "seen".to_owned())?;
    let compared = pictures
        .nearest
        .iter()
        .map(|(tile, score, pixels)| picture(pixels, format!("{} {score:.2}", tile.to_char())))
        .collect::<Result<Vec<Markup>, ImageError>>()?;
    Ok(html! {
        div class={ "tile" @if amiss.is_wrong() { " bad" } } {
            (amiss.cell) " is " b { (amiss.truth.to_char()) } ", "
            @if amiss.is_wrong() { "taken for " b { (amiss.read.to_char()) } } @else { "not recognised" }
            br;
            span class="soft" { (likeliest(amiss)) }
            div class="pictures" { (seen) @for picture in compared { (picture) } }
        }
    })
}

fn likeliest(amiss: &Amiss) -> String {
    if amiss.best == Tile::Unrecognised {
        return "nothing could be compared".to_owned();
    }
    let runner_up = amiss.runner_up.map_or(String::new(), |score| format!(", next {score:.2}"));
    format!("likeliest {} {:.2}{runner_up}, lead {:.2}", amiss.best.to_char(), amiss.score, amiss.lead)
}

/// A picture as the address of an `img`.
fn source(picture: &RgbaImage) -> Result<String, ImageError> {
    let mut bytes = Cursor::new(Vec::new());
    picture.write_to(&mut bytes, ImageFormat::Png)?;
    Ok(format!("data:image/png;base64,{}", STANDARD.encode(bytes.into_inner())))
}
