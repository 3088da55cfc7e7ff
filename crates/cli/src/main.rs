//! The `brasa` command.
use brasa_cli::train::{self, Failure, eval, fetch, inspect, predict};
use brasa_cli::{bench, conformance, devices, explain, studio};
use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Train, evaluate, inspect and benchmark models with Brasa.
#[derive(Parser)]
#[command(
    version,
    after_help = "Exit codes: 0 success, 1 training diverged, 2 invalid input, 130 interrupted"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Train(Box<train::Settings>),
    Eval(eval::Settings),
    Predict(predict::Settings),
    Inspect(inspect::Settings),
    Explain(explain::Settings),
    Studio(studio::Settings),
    Fetch(fetch::Settings),
    /// Time training steps, inference and single kernels.
    Bench(bench::Settings),
    /// Compare results with recorded PyTorch results.
    Conformance(conformance::Settings),
    /// List the available devices.
    Devices(devices::Settings),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Train(settings) => train::command(&settings),
        Command::Eval(settings) => eval::command(&settings),
        Command::Predict(settings) => predict::command(&settings),
        Command::Inspect(settings) => inspect::command(&settings),
        Command::Explain(settings) => explain::command(&settings),
        Command::Studio(settings) => studio::command(&settings),
        Command::Fetch(settings) => fetch::command(&settings),
        Command::Bench(settings) => bench::command(&settings).map_err(Failure::Input),
        Command::Conformance(settings) => {
            conformance::command(&settings).map_err(|e| Failure::Input(e.to_string()))
        }
        Command::Devices(settings) => devices::command(&settings).map_err(Failure::Input),
    };
    result.unwrap_or_else(|failure| {
        let (code, what) = match failure {
            Failure::Diverged(what) => (1, what),
            Failure::Input(what) => (2, what),
        };
        eprintln!("error: {}", brasa_ir::printable(&what));
        ExitCode::from(code)
    })
}
