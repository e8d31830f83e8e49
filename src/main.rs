//! Parse the arguments, run the command, print the error chain.

use clap::Parser;
use minesight::commands::Interrupted;
use std::process::ExitCode;

fn main() -> ExitCode {
    end_with_the_reader();
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

/// `println!` panics when nobody reads any more (`minesight … | head`): the program ends quietly then.
fn end_with_the_reader() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let message = panic.payload().downcast_ref::<String>().map_or("", String::as_str);
        if message.starts_with("failed printing to stdout") && is_pipe_error(message) {
            std::process::exit(0);
        }
        usual(panic);
    }));
}

/// Whether this is what the system says of a pipe without a reader: Unix's EPIPE, Windows' ERROR_NO_DATA or ERROR_BROKEN_PIPE.
fn is_pipe_error(message: &str) -> bool {
    ["os error 32)", "os error 232)", "os error 109)"].iter().any(|error| message.contains(error))
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
        .any(|cause| cause.kind() == std::io::ErrorKind::BrokenPipe)
}
