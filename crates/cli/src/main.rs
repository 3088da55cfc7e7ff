//! The `brasa` command.
use brasa_cli::{bench, conformance, devices};
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
    /// Time training steps, inference and single kernels.
    Bench(bench::Settings),
    /// Replay recorded results of PyTorch and compare.
    Conformance(conformance::Settings),
    /// List what graphs can be run on here.
    Devices(devices::Settings),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Bench(settings) => bench::command(&settings),
        Command::Conformance(settings) => {
            conformance::command(&settings).map_err(|e| e.to_string())
        }
        Command::Devices(settings) => Ok(devices::command(&settings)),
    };
    result.unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::from(2)
    })
}
