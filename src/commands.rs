//! One file per command; the only code that prints. Results go to stdout, everything else to stderr.

use crate::cli::{Cli, Command};

mod advise;
mod analyze;
mod answers;
mod calibrate;
mod check;
mod clients;
mod completions;
mod doctor;
mod man;
mod paint;
mod play;
mod read;
mod replay;
mod report;
mod simulate;
mod stage;

/// The person stopped the command; what was done until then is told, and nothing failed.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Interrupted(pub String);

impl Interrupted {
    /// The exit status: 128 and the number of SIGINT, as shells have it.
    pub const CODE: u8 = 130;
}

/// Runs the command.
///
/// # Errors
/// The command could not do its job; the error says what to do next.
pub fn run(cli: Cli) -> anyhow::Result<()> {
    match cli.command {
        Command::Advise(args) => advise::run(&args),
        Command::Analyze(args) => analyze::run(&args),
        Command::Calibrate(args) => calibrate::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Completions(args) => completions::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Man(args) => man::run(&args),
        Command::Play(args) => play::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Read(args) => read::run(&args),
        Command::Clients(args) => clients::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Simulate(args) => simulate::run(&args),
    }
}
