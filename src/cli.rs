//! The command line: commands, flags and defaults, nothing else. What they do is in [`crate::commands`].

use crate::game::Rule;
use crate::geometry::BoardSize;
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// Plays real Minesweeper clients on the screen: looks, reads, decides, clicks.
#[derive(Debug, Parser)]
#[command(name = "minesight", version, propagate_version = true, max_term_width = 100)]
#[command(after_help = "Examples:\n  minesight play --simulated          watch a game without any client\n  \
    minesight play                      play the client that is on the screen\n  \
    minesight play --games 100 --record runs/today\n  \
    minesight read shot.png             a screenshot as a board\n  \
    minesight simulate --games 10000 --level expert\n\n\
    Set RUST_LOG=minesight=debug to see what the bot sees.")]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Shell completions, on stdout
    #[command(
        after_help = "Example:\n  minesight completions bash > ~/.local/share/bash-completion/completions/minesight"
    )]
    Completions(CompletionsArgs),
}

/// `completions`
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// Which shell
    pub shell: clap_complete::Shell,
}

/// Which board: by the name of a level, or by its size.
#[derive(Clone, Debug, Default, Args)]
pub struct BoardArgs {
    /// beginner (9x9, 10 mines), intermediate (16x16, 40), expert (30x16, 99); a client may have its own
    #[arg(long, value_name = "NAME", conflicts_with_all = ["size", "mines"])]
    pub level: Option<String>,
    /// Columns x rows, as in 30x16
    #[arg(long, value_name = "WxH", value_parser = parse_size)]
    pub size: Option<BoardSize>,
    /// Number of mines
    #[arg(long, value_name = "M")]
    pub mines: Option<u32>,
}

/// Where the clients come from.
#[derive(Clone, Debug, Default, Args)]
pub struct ClientArgs {
    /// Which client; without it every known one is tried and the best match wins
    #[arg(long, value_name = "NAME")]
    pub client: Option<String>,
    /// A folder with more calibrations (<client>.toml), beside the bundled ones
    #[arg(long, value_name = "DIR")]
    pub calibration: Option<PathBuf>,
    /// The folder with their tile pictures
    #[arg(long, value_name = "DIR")]
    pub templates: Option<PathBuf>,
}

/// Which player, and what it is told.
#[derive(Clone, Debug, Args)]
pub struct StrategyArgs {
    /// The player; see `minesight simulate --help` for all of them
    #[arg(long, value_name = "NAME", default_value = "best")]
    pub strategy: String,
    /// Where all chance comes from
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// How long one guess may take, in milliseconds, where the player can use it
    #[arg(long, value_name = "MS", default_value_t = 100)]
    pub think: u64,
}

/// The rule of the first click.
#[derive(Clone, Copy, Debug, Args)]
pub struct RuleArgs {
    /// What the first click is promised
    #[arg(long, value_enum, default_value_t = Rule::Safe)]
    pub rule: Rule,
}

fn parse_size(text: &str) -> Result<BoardSize, String> {
    let parse = || {
        let (width, height) = text.split_once(['x', 'X'])?;
        Some(BoardSize::new(width.parse().ok()?, height.parse().ok()?))
    };
    let size = parse().ok_or_else(|| format!("{text:?} is not a size; write columns x rows, as in 30x16"))?;
    if size.tiles() == 0 { Err(format!("a board of {size} has no tiles")) } else { Ok(size) }
}

/// The boards everybody knows, by the name of their level: size and mines.
pub const LEVELS: [(&str, BoardSize, u32); 3] = [
    ("beginner", BoardSize::new(9, 9), 10),
    ("intermediate", BoardSize::new(16, 16), 40),
    ("expert", BoardSize::new(30, 16), 99),
];

impl BoardArgs {
    /// The board asked for, where no client has a say; expert if nothing was asked for.
    ///
    /// # Errors
    /// An unknown level, or only one of size and mines.
    pub fn resolve(&self) -> anyhow::Result<(BoardSize, u32)> {
        match (&self.level, self.size, self.mines) {
            (Some(name), _, _) => {
                let known = LEVELS.iter().find(|(level, ..)| level == name);
                let names = LEVELS.map(|(level, ..)| level).join(", ");
                let (_, size, mines) = known.ok_or_else(|| anyhow::anyhow!("no level {name:?}; there are: {names}"))?;
                Ok((*size, *mines))
            }
            (None, Some(size), Some(mines)) => Ok((size, mines)),
            (None, None, None) => Ok((LEVELS[2].1, LEVELS[2].2)),
            (None, ..) => anyhow::bail!("--size and --mines go together"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_holds_together() {
        Cli::command().debug_assert();
    }

    #[test]
    fn sizes() {
        assert_eq!(parse_size("30x16"), Ok(BoardSize::new(30, 16)));
        for wrong in ["", "30", "0x4", "x", "-1x3", "3x4x5", "99999999999x1"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
    }
}
