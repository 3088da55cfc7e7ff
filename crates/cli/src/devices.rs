//! `brasa devices`: lists the CPU and the GPU adapters of this machine.
use crate::{Device, print};
use brasa_cpu::{Level, Pool};
use brasa_gpu::{Adapter, adapters, wait_for};
use clap::Args;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::process::ExitCode;

#[derive(Args)]
pub struct Settings {
    /// Fail unless this device is available
    #[arg(long, value_enum)]
    need: Option<Device>,
    /// Print the list as one line of JSON
    #[arg(long)]
    json: bool,
}

pub fn command(settings: &Settings) -> Result<ExitCode, String> {
    let adapters = wait_for(adapters());
    match settings.json {
        true => print(format!("{}\n", json(&adapters)))?,
        false => print(list(&adapters))?,
    }
    let is_missing = settings.need == Some(Device::Gpu) && adapters.is_empty();
    Ok(if is_missing { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// The list as JSON.
fn json(adapters: &[Adapter]) -> Value {
    let gpu = |adapter: &Adapter| {
        let Adapter { name, backend, kind, features, limits } = adapter;
        let limits: BTreeMap<&str, u64> = limits.iter().copied().collect();
        json!({ "name": name, "backend": backend, "kind": kind, "features": features, "limits": limits })
    };
    let cpu =
        json!({ "threads": Pool::global().threads(), "level": format!("{:?}", Level::best()) });
    json!({ "cpu": cpu, "gpu": adapters.iter().map(gpu).collect::<Vec<_>>() })
}

/// The list as text.
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
