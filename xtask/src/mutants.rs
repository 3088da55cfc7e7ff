//! `cargo x mutants`: injects small faults into the code and counts those that tests and fuzzer detect.
use std::path::Path;
use std::process::Command;

use clap::Args;

use crate::setup;

#[derive(Args)]
pub(crate) struct Settings {
    /// Parts of the code (simplify, schedule, plan, autograd, jit, gemm, gpu); all if none is given
    #[arg(long, num_args = 1..)]
    area: Vec<String>,
    /// Faults to inject in each part
    #[arg(long, default_value_t = 50)]
    sample: usize,
    /// Seed of the sample
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Only these faults, by the numbers that a run with the same settings printed
    #[arg(long, num_args = 1..)]
    number: Vec<String>,
    /// Where checks run: cpu, or gpu for both
    #[arg(long, default_value = "cpu")]
    device: String,
}

/// Injects the faults. Survivors are printed and are not an error.
pub(crate) fn run(root: &Path, settings: &Settings) -> Result<(), String> {
    if settings.device == "gpu" {
        setup::vulkan();
    }
    let mut command = Command::new("cargo");
    command.args(["run", "--release", "--quiet", "--package", "brasa-mutants", "--"]);
    command.arg(format!("--sample={}", settings.sample));
    command.arg(format!("--seed={}", settings.seed));
    command.arg(format!("--device={}", settings.device));
    for (name, values) in [("--area", &settings.area), ("--number", &settings.number)] {
        if !values.is_empty() {
            command.arg(name).args(values);
        }
    }
    let status = command.current_dir(root).status();
    match status.map_err(|error| format!("cargo cannot start: {error}"))?.success() {
        true => Ok(()),
        false => Err("mutation testing failed".to_string()),
    }
}
