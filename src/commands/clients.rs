//! `minesight clients`: the calibrations there are, and what is known of each.

use crate::cli::ClientsArgs;
use crate::client::{self, Client};
use std::io::Write;

/// Prints every client, or the one asked for.
pub fn run(args: &ClientsArgs) -> anyhow::Result<()> {
    let clients = client::known(args.client.calibration.as_deref(), args.client.templates.as_deref())?;
    let chosen: Vec<&Client> = match &args.client.client {
        Some(name) => vec![client::by_name(&clients, name)?],
        None => clients.iter().collect(),
    };
    let mut out = std::io::stdout().lock();
    if args.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&chosen)?)?;
        return Ok(());
    }
    for client in chosen {
        describe(&mut out, client)?;
    }
    Ok(())
}

fn describe(out: &mut impl Write, client: &Client) -> anyhow::Result<()> {
    writeln!(out, "{}: {}", client.name, client.about)?;
    for level in &client.levels {
        writeln!(out, "  {}: {} with {} mines", level.name, level.size(), level.mines)?;
    }
    let promised = if client.rules.no_guess { ", boards can be solved without guessing" } else { "" };
    let flags = if client.rules.flags_to_win { ", won when every mine carries a flag" } else { "" };
    writeln!(out, "  first click: {}{promised}{flags}", client.rules.first_click)?;
    for theme in &client.themes {
        let looks: String = theme.looks().map(|tile| tile.to_char()).collect();
        let mut sizes: Vec<u32> = theme.pictures.iter().map(|picture| picture.pixels.width()).collect();
        sizes.sort_unstable();
        sizes.dedup();
        let sizes: Vec<String> = sizes.iter().map(u32::to_string).collect();
        writeln!(out, "  theme {}: looks {looks}, pictures {} pixels wide", theme.name, sizes.join(", "))?;
    }
    Ok(())
}
