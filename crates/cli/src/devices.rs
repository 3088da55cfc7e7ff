//! `brasa devices`: what graphs can be run on here.
use crate::Device;
use brasa_cpu::{Level, Pool};
use brasa_gpu::{Adapter, adapters, wait_for};
use clap::Args;
use std::fmt::Write;
use std::process::ExitCode;

#[derive(Args)]
pub struct Settings {
    /// Fail unless there is such a device
    #[arg(long, value_enum)]
    need: Option<Device>,
}

pub fn command(settings: &Settings) -> ExitCode {
    let adapters = wait_for(adapters());
    print!("{}", list(&adapters));
    let is_missing = settings.need == Some(Device::Gpu) && adapters.is_empty();
    if is_missing { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// A line or more for each device.
fn list(adapters: &[Adapter]) -> String {
    let mut text = format!("cpu  {} threads, {:?}\n", Pool::global().threads(), Level::best());
    if adapters.is_empty() {
        text += "gpu  no adapter: install a Vulkan driver (Debian: mesa-vulkan-drivers)\n";
    }
    for Adapter { name, backend, kind, features, limits } in adapters {
        let features = if features.is_empty() { "none".to_string() } else { features.join(", ") };
        _ = writeln!(text, "gpu  {name} ({backend}, {kind})\n     features: {features}");
        for (what, most) in limits {
            _ = writeln!(text, "     {what}: {most}");
        }
    }
    text
}
