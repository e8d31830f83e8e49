//! `minesight completions SHELL`.

use crate::cli::{Cli, CompletionsArgs};
use clap::CommandFactory;

/// Prints the completions of one shell.
pub fn run(args: &CompletionsArgs) -> anyhow::Result<()> {
    clap_complete::generate(args.shell, &mut Cli::command(), "minesight", &mut std::io::stdout());
    Ok(())
}
