//! `minesight completions SHELL`.

use crate::cli::{Cli, CompletionsArgs};
use clap::CommandFactory;
use std::io::Write;

/// Prints the completions of one shell.
pub fn run(args: &CompletionsArgs) -> anyhow::Result<()> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "minesight", &mut text);
    Ok(std::io::stdout().write_all(&text)?)
}
