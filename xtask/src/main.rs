//! `cargo x`: the commands for working on Brasa. Each command is a module; this file lists them and
//! turns their results into exit codes.

mod bench;
mod fuzz;
mod generate;
mod methods;
mod mutants;
mod progress;
mod setup;
mod start;
mod test;
mod typescript;
mod web;

use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::{Parser, Subcommand};

/// Work on Brasa: start it, test it, measure it.
#[derive(Parser)]
#[command(name = "cargo x", bin_name = "cargo x")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Open the studio in a browser
    Start(start::Settings),
    /// Serve the tests and samples of the npm package to your own browser; samples log to the terminal
    Serve {
        /// The port to serve on
        #[arg(long, default_value_t = 4174)]
        port: u16,
    },
    /// Run every check, or only the named ones; stops at the first failure
    Test {
        /// The checks to run; all if none is given
        #[arg(value_parser = PossibleValuesParser::new(test::names()))]
        steps: Vec<String>,
    },
    /// Run the quick checks only
    Check,
    /// Time training steps, inference and single kernels, optionally next to other libraries
    Bench(bench::Settings),
    /// Run random graphs of realistic sizes on every device and compare with an evaluator with error bounds
    Fuzz(fuzz::Settings),
    /// Inject small faults into a copy of the code, and count those that tests and fuzzer detect
    Mutants(mutants::Settings),
    /// Write the files that are generated from the op table
    Gen {
        /// Write nothing; fail if a file on disk is stale
        #[arg(long)]
        check: bool,
    },
    /// Download MNIST, once, into the cache that `brasa train mnist` reads
    Data,
    /// Build what users install
    Build {
        #[command(subcommand)]
        what: Build,
    },
}

#[derive(Subcommand)]
enum Build {
    /// The npm package, in packages/brasa/dist, with a report of what a browser downloads
    Web,
    /// The studio, in packages/studio/dist, and the npm package that it runs on
    Studio,
}

const FETCH: &str = "cargo run --release --quiet --package brasa-cli -- fetch mnist";

fn main() -> ExitCode {
    let root = setup::root();
    match Cli::parse().command {
        Command::Start(settings) => outcome(start::start(&root, &settings)),
        Command::Serve { port } => outcome(web::serve(&root, port)),
        Command::Test { steps } => test::run(&root, &test::named(&steps)),
        Command::Check => test::run(&root, &test::quick()),
        Command::Bench(settings) => bench::run(&root, &settings),
        Command::Fuzz(settings) => outcome(fuzz::run(&root, &settings)),
        Command::Mutants(settings) => outcome(mutants::run(&root, &settings)),
        Command::Gen { check } => generate::run(&root, check),
        Command::Data => match test::succeeds(&root, FETCH) {
            true => ExitCode::SUCCESS,
            false => ExitCode::FAILURE,
        },
        Command::Build { what: Build::Web } => outcome(web::build(&root)),
        Command::Build { what: Build::Studio } => outcome(start::build(&root)),
    }
}

/// Prints the error, if there is one.
fn outcome(result: Result<(), String>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}
