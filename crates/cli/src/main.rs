//! The `brasa` command.
use brasa_cli::conformance::{self, Settings};
use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Tensors, gradients and training: tools around the library.
#[derive(Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Replay recorded results of PyTorch and compare.
    Conformance(Settings),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Conformance(settings) => conformance::command(&settings),
    };
    result.unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::from(2)
    })
}
