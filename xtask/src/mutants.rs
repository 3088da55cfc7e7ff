//! `cargo x mutants`: small faults in the code, and whether tests and fuzzer notice them.
use std::path::Path;
use std::process::Command;

use clap::Args;

use crate::setup;

#[derive(Args)]
pub(crate) struct Settings {
    /// Parts of the code (simplify, schedule, plan, autograd, jit, gemm, gpu); all of them when none is named
    #[arg(long, num_args = 1..)]
    area: Vec<String>,
    /// Faults to try in each part
    #[arg(long, default_value_t = 50)]
    sample: usize,
    /// Draws another sample
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Try these alone, by the numbers that a run with the same settings printed
    #[arg(long, num_args = 1..)]
    number: Vec<String>,
    /// Where checks run (cpu, gpu): the GPU means there as well
    #[arg(long, default_value = "cpu")]
    device: String,
}

/// Tries the faults; those that nobody noticed are printed and are no error.
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
        false => Err("the faults could not be tried".to_string()),
    }
}
