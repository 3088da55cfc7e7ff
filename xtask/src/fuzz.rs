//! `cargo x fuzz`: runs random graphs of realistic sizes on every device and level in turn.
use std::path::Path;
use std::process::Command;

use clap::{Args, ValueEnum};

use crate::{setup, web};

#[derive(Args)]
pub(crate) struct Settings {
    /// Minutes in total, divided between the devices; without it a fixed number of graphs is run
    #[arg(long)]
    minutes: Option<f64>,
    /// Graphs for each device; a twentieth of them on emulated devices (GPU and ARM)
    #[arg(long, default_value_t = 400)]
    graphs: u64,
    /// Devices to test; if none is given, those that need no npm package
    #[arg(long, value_enum, num_args = 1..)]
    device: Vec<Device>,
    /// Kinds of graphs (broadcast, reduction, movement …); all if none is given
    #[arg(long)]
    kind: Vec<String>,
    /// The first seed
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Run only the graphs of these files
    #[arg(long, num_args = 1..)]
    replay: Vec<String>,
    /// Run every case of the op table at three sizes and in all dtypes instead of random graphs
    #[arg(long)]
    every_op: bool,
    /// Of the cases of the op table, run one in N
    #[arg(long, default_value_t = 1)]
    one_in: u64,
    /// Fail if a fast path was never taken
    #[arg(long)]
    all_paths: bool,
}

/// A device that runs the graphs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
enum Device {
    /// The CPU with the vector instructions that every x86-64 machine has
    Baseline,
    /// The CPU with AVX2
    Avx2,
    /// The CPU with AVX-512, whose JIT code is emulated where the machine lacks it
    Avx512,
    /// A 64-bit ARM CPU, emulated
    Neon,
    /// The GPU
    Gpu,
    /// The npm package in Node: the engine on one thread
    Wasm,
    /// The engine on one thread and on several
    WasmThreads,
    /// The same with fused multiply-add
    WasmFused,
    /// The engine in checked mode, which counts its fast paths
    WasmChecked,
    /// The npm package in Chromium: the engine on one thread
    Chromium,
    /// The engine on one thread and on several
    ChromiumThreads,
    /// The same with fused multiply-add
    ChromiumFused,
    /// The engine on WebGPU
    ChromiumWebgpu,
    /// The same in checked mode, which counts forms of shaders
    ChromiumWebgpuChecked,
}

impl Device {
    /// The devices that need no npm package.
    const NATIVE: [Device; 4] = [Device::Baseline, Device::Avx2, Device::Avx512, Device::Gpu];

    fn name(self) -> String {
        self.to_possible_value().expect("every device has a name").get_name().to_string()
    }

    /// Whether the device is emulated in software, which is slow.
    fn is_slow(self) -> bool {
        matches!(
            self,
            Device::Neon | Device::Gpu | Device::ChromiumWebgpu | Device::ChromiumWebgpuChecked
        )
    }

    /// Installs and builds what the device needs.
    fn set_up(self, root: &Path) -> Result<(), String> {
        if self == Device::Neon {
            setup::arm()?;
        }
        if self == Device::Gpu {
            setup::vulkan();
        }
        if self >= Device::Wasm {
            web::build(root)?;
        }
        if self >= Device::Chromium {
            setup::chromium()?;
        }
        Ok(())
    }
}

/// Runs the fuzzer for each device; an error names the devices on which graphs failed.
pub(crate) fn run(root: &Path, settings: &Settings) -> Result<(), String> {
    let devices = if settings.device.is_empty() { &Device::NATIVE[..] } else { &settings.device };
    let mut failed = Vec::new();
    for &device in devices {
        device.set_up(root)?;
        let name = device.name();
        println!("== fuzz: {name}");
        let mut command = Command::new("cargo");
        command.args(["run", "--release", "--quiet", "--package", "brasa-fuzz"]);
        if device == Device::Neon {
            command.args(["--target", setup::ARM_TARGET]);
            command.env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", setup::ARM_LINKER);
            command.env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER", setup::ARM_RUNNER);
        }
        command.arg("--").args(settings.arguments(device, devices.len())).current_dir(root);
        match device {
            Device::Baseline | Device::Avx2 | Device::Avx512 => {
                command.args(["--device", "cpu"]).env("BRASA_LEVEL", &name)
            }
            Device::Neon => command.args(["--device", "cpu"]),
            _ => command.args(["--device", &name]),
        };
        let status = command.status().map_err(|error| format!("cargo cannot start: {error}"))?;
        if !status.success() {
            report_crash(root);
            failed.push(name);
        }
    }
    match failed[..] {
        [] => Ok(()),
        _ => Err(format!("the fuzzer failed on {}", failed.join(", "))),
    }
}

/// Prints the graphs that a fuzzer was running when it died, if it did.
fn report_crash(root: &Path) {
    let files = std::fs::read_dir(root.join("target/fuzz")).into_iter().flatten().flatten();
    for file in files.filter(|file| file.file_name().to_string_lossy().starts_with("running-")) {
        println!("the fuzzer ended while it ran {}", file.path().display());
    }
}

impl Settings {
    fn arguments(&self, device: Device, devices: usize) -> Vec<String> {
        let graphs = if device.is_slow() { self.graphs.div_ceil(20) } else { self.graphs };
        let mut arguments = vec![format!("--seed={}", self.seed)];
        // Each worker has its own browsers.
        if device >= Device::Chromium {
            arguments.push("--workers=1".to_string());
        }
        match self.minutes {
            Some(minutes) => arguments.push(format!("--minutes={}", minutes / devices as f64)),
            None => arguments.push(format!("--graphs={graphs}")),
        }
        arguments.extend(self.kind.iter().map(|kind| format!("--kind={kind}")));
        if self.every_op {
            arguments.push("--every-op".to_string());
            arguments.push(format!("--one-in={}", self.one_in));
        }
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
