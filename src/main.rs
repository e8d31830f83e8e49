//! Parse the arguments, run the command, print the error chain.

use clap::Parser;
use minesight::commands::Interrupted;
use std::process::ExitCode;

fn main() -> ExitCode {
    // enigo complains of keyboards that nothing is wrong with.
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn,enigo=error"))
        .format_timestamp(None)
        .init();
    match minesight::commands::run(minesight::cli::Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        // Somebody downstream has seen enough (`minesight … | head`): not an error of ours.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            if let Some(interrupted) = error.downcast_ref::<Interrupted>() {
                eprintln!("{interrupted}");
                return ExitCode::from(Interrupted::CODE);
            }
            eprintln!("minesight: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
        .any(|cause| cause.kind() == std::io::ErrorKind::BrokenPipe)
}
