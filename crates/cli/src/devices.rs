//! `brasa devices`: what graphs can be run on here.
use brasa_cpu::{Level, Pool};
use std::fmt::Write;

/// A line or more for each device.
pub fn list() -> String {
    let mut text = format!("cpu  {} threads, {:?}\n", Pool::global().threads(), Level::best());
    let adapters = brasa_gpu::wait_for(brasa_gpu::adapters());
    if adapters.is_empty() {
        text += "gpu  no adapter: install a Vulkan driver (Debian: mesa-vulkan-drivers)\n";
    }
    for adapter in adapters {
        let brasa_gpu::Adapter { name, backend, kind, features, limits } = adapter;
        let features = if features.is_empty() { "none".to_string() } else { features.join(", ") };
        _ = writeln!(text, "gpu  {name} ({backend}, {kind})\n     features: {features}");
        for (what, most) in limits {
            _ = writeln!(text, "     {what}: {most}");
        }
    }
    text
}
