//! `minesight man FOLDER`: what `--help` says, as manual pages for packages.

use crate::cli::{Cli, ManArgs};
use anyhow::Context;
use clap::CommandFactory;

/// Writes a page for the program and one for every command.
pub fn run(args: &ManArgs) -> anyhow::Result<()> {
    clap_mangen::generate_to(Cli::command(), &args.folder)
        .with_context(|| format!("the pages cannot be written to {}", args.folder.display()))
}
