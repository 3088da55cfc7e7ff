//! `cargo x bench`: times Brasa's workloads, alone or in one run with other libraries, and runs the
//! benchmarks of single crates by name.

mod binaries;
mod peers;
mod record;
mod runs;
mod table;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use clap::Args;
use clap::builder::PossibleValuesParser;
use serde_json::Value;

use crate::{setup, web};
use runs::Results;

#[derive(Args)]
pub(crate) struct Settings {
    /// Benchmarks of single crates, such as gemm, to run instead; with --peers, gemm next to PyTorch
    #[arg(conflicts_with_all = ["workloads", "rounds", "append", "priority", "json", "record"])]
    names: Vec<String>,
    /// The workloads to time, such as W1,W3; all if none is given
    #[arg(long, value_delimiter = ',')]
    workloads: Vec<String>,
    /// Time the npm package in Chromium instead, next to TensorFlow.js, jax-js and ONNX Runtime
    #[arg(long, conflicts_with_all = ["names", "rounds", "peers", "append", "priority", "json", "record"])]
    browser: bool,
    /// Number of rounds; each times all workloads in new processes
    #[arg(long, default_value_t = 1)]
    rounds: usize,
    /// Time other libraries in the same run and compare; PyTorch, JAX and candle if none is given
    #[arg(long, value_delimiter = ',', num_args = 0..=1,
          default_missing_value = "torch-eager,torch-compile,jax-jit,candle",
          value_parser = PossibleValuesParser::new(peers::NAMES))]
    peers: Vec<String>,
    /// Add to the results of the previous runs with other libraries
    #[arg(long, requires = "peers")]
    append: bool,
    /// Run with this higher scheduling priority, 1 to 20, on a shared machine; needs root
    #[arg(long, requires = "peers", value_parser = clap::value_parser!(u8).range(1..=20))]
    priority: Option<u8>,
    /// Write the results to this file as lines of JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the tables to bench/record under this name, with date, machine and versions
    #[arg(long, value_name = "NAME")]
    record: Option<String>,
}

/// Exit codes: 1 if a workload failed or results disagree, 2 if nothing could be run.
pub(crate) fn run(root: &Path, settings: &Settings) -> ExitCode {
    match bench(root, settings) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::from(2)
        }
    }
}

/// Returns whether everything succeeded, or why nothing could be run.
fn bench(root: &Path, settings: &Settings) -> Result<bool, String> {
    if settings.browser {
        web::build(root)?;
        setup::chromium()?;
        let mut arguments = vec!["packages/brasa/scripts/bench.mjs".to_string()];
        if !settings.workloads.is_empty() {
            arguments.extend(["--workloads".to_string(), settings.workloads.join(",")]);
        }
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        return web::node(root, &arguments).map(|()| true);
    }
    if !settings.names.is_empty() {
        let benches = binaries::find(root, &settings.names)?;
        let torch = (!settings.peers.is_empty()).then(peers::torch).transpose()?;
        return Ok(benches.iter().all(|bench| bench.run(root, torch.as_deref())));
    }
    let record = settings.record.as_deref().map(|name| record::path(root, name)).transpose()?;
    if !settings.peers.is_empty() {
        peers::check(root)?;
    }
    let brasa = build(root)?;
    let known = workloads(&brasa)?;
    let workloads = if settings.workloads.is_empty() { &known } else { &settings.workloads };
    if let Some(name) = workloads.iter().find(|name| !known.contains(name)) {
        return Err(format!("there is no workload '{name}'; there are {}", known.join(", ")));
    }
    let results = match settings.peers.is_empty() {
        true => runs::alone(&brasa, workloads, settings.rounds)?,
        false => peers::run(root, &brasa, workloads, settings)?,
    };
    let report = report(&results, &known);
    println!("\n{report}");
    if let Some(path) = &settings.json {
        write(path, &results.lines())?;
    }
    if let Some(path) = record {
        write(&path, &record::page(&path, settings.rounds, &results, &report))?;
        println!("written to {}", path.display());
    }
    let missing: Vec<_> = workloads.iter().filter(|w| results.get(w, "brasa").is_none()).collect();
    missing.iter().for_each(|workload| eprintln!("brasa has no result for {workload}"));
    Ok(missing.is_empty() && results.disagreements().is_empty())
}

/// The tables of the results, followed by warnings.
fn report(results: &Results, workloads: &[String]) -> String {
    let mut parts = match results.peers().is_empty() {
        true => vec![table::alone(results, workloads)],
        false => vec![table::ratios(results, workloads), table::peers(results, workloads)],
    };
    let notes = [
        ("check values disagree", results.disagreements()),
        (
            "disturbed runs, with the share of the machine that other processes used",
            results.disturbed(),
        ),
    ];
    for (what, items) in notes.into_iter().filter(|(_, items)| !items.is_empty()) {
        parts.push(format!("{what}:\n\n- {}\n", items.join("\n- ")));
    }
    parts.join("\n")
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|e| format!("{} cannot be written: {e}", path.display()))
}

/// Builds the `brasa` command and returns where it is.
fn build(root: &Path) -> Result<PathBuf, String> {
    let arguments = ["build", "--release", "--package", "brasa-cli", "--message-format"];
    let mut cargo = Command::new("cargo");
    cargo.args(arguments).arg("json-render-diagnostics").current_dir(root);
    let output = cargo.stderr(std::process::Stdio::inherit()).output();
    let output = output.map_err(|e| format!("cargo cannot be started: {e}"))?;
    if !output.status.success() {
        return Err("brasa does not build".to_string());
    }
    let messages = String::from_utf8_lossy(&output.stdout).into_owned();
    executable(&messages)
        .ok_or_else(|| "cargo did not report the path of the brasa executable".to_string())
}

/// The binary that cargo's messages name.
fn executable(messages: &str) -> Option<PathBuf> {
    let messages = messages.lines().filter_map(|line| serde_json::from_str(line).ok());
    messages.filter_map(|message: Value| Some(message["executable"].as_str()?.into())).next_back()
}

/// The workloads that `brasa` knows.
fn workloads(brasa: &Path) -> Result<Vec<String>, String> {
    let output = Command::new(brasa).args(["bench", "--list"]).output();
    let output = output.map_err(|e| format!("brasa cannot be started: {e}"))?;
    let names = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(names.lines().map(str::to_string).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_binary_is_the_last_that_cargo_names() {
        let messages = "{\"executable\":null}\nnoise\n{\"executable\":\"a/brasa\"}\n{}\n";
        assert_eq!(executable(messages), Some(PathBuf::from("a/brasa")));
        assert_eq!(executable("{}\n"), None);
    }
}
