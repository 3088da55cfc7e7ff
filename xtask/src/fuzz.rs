//! `cargo x fuzz`: random graphs at real sizes on every device and level, one after the other.
use std::path::Path;
use std::process::Command;

use clap::{Args, ValueEnum};

use crate::setup;

#[derive(Args)]
pub(crate) struct Settings {
    /// Minutes in all, shared by the devices; without it a fixed number of graphs is tried
    #[arg(long)]
    minutes: Option<f64>,
    /// Graphs for each level of the CPU; software that acts as a GPU gets a twentieth
    #[arg(long, default_value_t = 400)]
    graphs: u64,
    /// Devices to try; all of them when none is named
    #[arg(long, value_enum, num_args = 1..)]
    device: Vec<Device>,
    /// Kinds of graphs (broadcast, reduction, movement …); all of them when none is named
    #[arg(long)]
    kind: Vec<String>,
    /// The first seed
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Run the graphs of these files again instead
    #[arg(long, num_args = 1..)]
    replay: Vec<String>,
    /// Fail if a fast path was never taken
    #[arg(long)]
    all_paths: bool,
}

/// A device, on the CPU at a level of vector instructions.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Device {
    Baseline,
    Avx2,
    Avx512,
    Gpu,
}

impl Device {
    const ALL: [Device; 4] = [Device::Baseline, Device::Avx2, Device::Avx512, Device::Gpu];

    fn level(self) -> Option<&'static str> {
        match self {
            Device::Baseline => Some("baseline"),
            Device::Avx2 => Some("avx2"),
            Device::Avx512 => Some("avx512"),
            Device::Gpu => None,
        }
    }
}

/// Runs the fuzzer for each device; an error names those on which graphs failed.
pub(crate) fn run(root: &Path, settings: &Settings) -> Result<(), String> {
    let devices = if settings.device.is_empty() { &Device::ALL[..] } else { &settings.device };
    let mut failed = Vec::new();
    for &device in devices {
        if device == Device::Gpu {
            setup::vulkan();
        }
        let name = device.level().unwrap_or("gpu");
        println!("== fuzz: {name}");
        let mut command = Command::new("cargo");
        command.args(["run", "--release", "--quiet", "--package", "brasa-fuzz", "--"]);
        command.args(settings.arguments(device, devices.len())).current_dir(root);
        match device.level() {
            Some(level) => command.args(["--device", "cpu"]).env("BRASA_LEVEL", level),
            None => command.args(["--device", "gpu"]),
        };
        let status = command.status().map_err(|error| format!("cargo cannot start: {error}"))?;
        if !status.success() {
            failed.push(name);
        }
    }
    match failed[..] {
        [] => Ok(()),
        _ => Err(format!("the fuzzer failed on {}", failed.join(", "))),
    }
}

impl Settings {
    fn arguments(&self, device: Device, devices: usize) -> Vec<String> {
        let graphs = if device == Device::Gpu { self.graphs.div_ceil(20) } else { self.graphs };
        let mut arguments = vec![format!("--seed={}", self.seed)];
        match self.minutes {
            Some(minutes) => arguments.push(format!("--minutes={}", minutes / devices as f64)),
            None => arguments.push(format!("--graphs={graphs}")),
        }
        arguments.extend(self.kind.iter().map(|kind| format!("--kind={kind}")));
        if self.all_paths {
            arguments.push("--all-paths".to_string());
        }
        if !self.replay.is_empty() {
            arguments.push("--replay".to_string());
            arguments.extend(self.replay.iter().cloned());
        }
        arguments
    }
}
