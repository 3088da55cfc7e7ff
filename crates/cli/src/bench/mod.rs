//! `brasa bench`: times workloads and prints one line of JSON each. Data, weights and protocol are
//! shared with the benchmarks of other libraries.
mod data;
mod engine;
mod machine;
mod model;
mod profile;
mod workloads;

use crate::device::Device;
use crate::print;
use brasa_cpu::Pool;
use brasa_ir::{Graph, Id, Recorder};
use clap::Args;
use model::{Model, Step};
use profile::{Order, Profile};
use serde_json::{Value, json};
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime};

/// Time training steps, inference and single kernels.
#[derive(Args)]
pub struct Settings {
    /// The workloads to run; all by default
    workloads: Vec<String>,
    #[arg(long, value_enum, default_value = "cpu")]
    device: Device,
    /// Print the names of all workloads instead
    #[arg(long, conflicts_with_all = ["workloads", "explain", "profile"])]
    list: bool,
    /// Print the compiled program instead
    #[arg(long, conflicts_with = "profile")]
    explain: bool,
    /// Print time, FLOPs and memory traffic of each kernel instead, in launch order or by time
    #[arg(long, value_enum, value_name = "ORDER", num_args = 0..=1, default_missing_value = "order")]
    profile: Option<Order>,
    /// Merge identical kernels of a profile into one row
    #[arg(long, requires = "profile")]
    group: bool,
    /// Print a profile as one line of JSON; timings always are
    #[arg(long, conflicts_with_all = ["list", "explain"])]
    json: bool,
}

/// Shorter steps are timed in blocks of about this many seconds.
const BLOCK: f64 = 0.005;

pub fn command(settings: &Settings) -> Result<ExitCode, String> {
    let all = workloads::ALL.map(String::from);
    let names = if settings.workloads.is_empty() { &all[..] } else { &settings.workloads };
    if settings.list {
        print(all.join("\n") + "\n")?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(name) = names.iter().find(|name| !all.contains(name)) {
        return Err(unknown(name));
    }
    let own = variable("BENCH_THREADS").map(|threads: usize| Pool::new(threads.max(1)));
    let pool = own.as_ref().unwrap_or_else(|| Pool::global());
    for name in names {
        match settings {
            Settings { explain: true, .. } => print(explained(name, settings.device)?)?,
            Settings { profile: Some(order), .. } => show_profile(name, pool, *order, settings)?,
            _ => print(format!("{}\n", bench(name, pool, settings.device)?))?,
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn unknown(name: &str) -> String {
    format!("unknown workload '{name}', expected one of {}", workloads::ALL.join(", "))
}

pub fn workload_names() -> &'static [&'static str] {
    &workloads::ALL
}

/// The recorded graph of a workload and its requested nodes.
pub fn graph(name: &str) -> Result<(Graph, Vec<Id>), String> {
    let g = Recorder::default();
    let wanted = recorded(&g, name)?.wanted;
    Ok((g.into_graph(), wanted))
}

fn recorded<'g>(g: &'g Recorder, name: &str) -> Result<Model<'g>, String> {
    let mut model = Model::new(g);
    let known = workloads::record(&mut model, name);
    let result = known.ok_or_else(|| unknown(name))?;
    result.map_err(|e| e.to_string())?;
    Ok(model)
}

/// The compiled program, or its shaders, which are the same on all GPUs except for some copies.
fn explained(name: &str, device: Device) -> Result<String, String> {
    let g = Recorder::default();
    let program = recorded(&g, name)?.program(device).map_err(|e| e.to_string())?;
    match device {
        Device::Gpu => match brasa_gpu::Shaders::new(program, Default::default()) {
            Ok(shaders) => Ok(shaders.to_string()),
            Err(e) => Err(e.to_string()),
        },
        _ => Ok(program.to_string()),
    }
}

/// The compiled step of a workload, and the time to record and compile it, without creating its
/// data.
fn prepared(name: &str, device: Device) -> Result<(Step, Duration), String> {
    let (g, start) = (Recorder::default(), Instant::now());
    let model = recorded(&g, name)?;
    let recording = start.elapsed();
    let data = model.data();
    let start = Instant::now();
    let step = model.compile(data, device).map_err(|e| e.to_string())?;
    Ok((step, recording + start.elapsed()))
}

fn show_profile(name: &str, pool: &Pool, order: Order, settings: &Settings) -> Result<(), String> {
    let (mut step, _) = prepared(name, settings.device)?;
    let mut profile = Profile::measure(name, &mut step, pool).map_err(|e| e.to_string())?;
    if settings.group {
        profile.group();
    }
    profile.sort(order);
    match settings.json {
        true => print(format!("{}\n", profile.json())),
        false => print(format!("{profile}\n")),
    }
}

fn variable<T: std::str::FromStr>(name: &str) -> Option<T> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

fn seconds(name: &str, default: f64) -> Duration {
    let given = variable(name).and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    given.unwrap_or_else(|| Duration::from_secs_f64(default))
}

/// Milliseconds since the process was launched, if the environment states the launch time.
fn since_launch() -> Option<f64> {
    let launch: f64 = variable("BENCH_T0")?;
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).ok()?;
    Some((now.as_secs_f64() - launch) * 1e3)
}

fn bench(name: &str, pool: &Pool, device: Device) -> Result<Value, String> {
    let (mut step, preparing) = prepared(name, device)?;
    let take = |step: &mut Step| step.take(pool).map_err(|e| e.to_string());
    let start = Instant::now();
    take(&mut step)?;
    let first = preparing + start.elapsed();
    let cold_start = since_launch();
    // Measured here: later steps need no more memory, but reading the output copies it.
    let peak = peak_memory();
    let check_first = step.check().map_err(|e| e.to_string())?;
    for _ in 0..9 {
        take(&mut step)?;
    }
    let check_10 = step.check().map_err(|e| e.to_string())?;

    let warm = seconds("BENCH_WARM", 0.4);
    let (start, mut taken) = (Instant::now(), 0);
    while start.elapsed() < warm || taken < 2 {
        take(&mut step)?;
        taken += 1;
    }
    let per_step = start.elapsed().as_secs_f64() / taken as f64;
    let block = ((BLOCK / per_step) as usize).clamp(1, 2000);
    let (start, length) = (Instant::now(), seconds("BENCH_SECONDS", 1.5));
    let mut samples = Vec::new();
    while start.elapsed() < length || samples.len() < 5 {
        let start = Instant::now();
        for _ in 0..block {
            take(&mut step)?;
        }
        samples.push(start.elapsed().as_secs_f64() * 1e3 / block as f64);
    }
    samples.sort_by(f64::total_cmp);
    Ok(json!({
        "workload": name,
        "peer": "brasa",
        "version": env!("CARGO_PKG_VERSION"),
        "ms_min": samples[0],
        "ms_median": samples[samples.len() / 2],
        "compile_ms": preparing.as_secs_f64() * 1e3,
        "first_step_ms": first.as_secs_f64() * 1e3,
        "cold_start_ms": cold_start,
        "peak_rss_mb": peak,
        "n": samples.len(),
        "block": block,
        "kernels": step.engine.launches(),
        "check_first": check_first,
        "check_10": check_10,
    }))
}

/// The peak memory of this process in MB, if the system reports it.
fn peak_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes / 1024.0)
}
