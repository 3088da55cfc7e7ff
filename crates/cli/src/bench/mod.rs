//! `brasa bench`: times a workload and prints one line of JSON, so that Brasa can stand beside other
//! libraries in one benchmark: same data, same weights, same protocol.
mod data;
mod model;
mod workloads;

use brasa_cpu::Pool;
use brasa_ir::Recorder;
use clap::Args;
use model::Model;
use serde_json::json;
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime};

/// Time training steps, inference and single kernels.
#[derive(Args)]
pub struct Settings {
    /// The workloads to run; all of them when none is named
    workloads: Vec<String>,
    /// Print the compiled program instead
    #[arg(long, conflicts_with = "profile")]
    explain: bool,
    /// Print the time of each kernel instead
    #[arg(long)]
    profile: bool,
}

/// Steps shorter than this are timed in blocks, with one look at the clock for each.
const BLOCK: f64 = 0.005;

pub fn command(settings: &Settings) -> Result<ExitCode, String> {
    let all = workloads::ALL.map(String::from);
    let names = if settings.workloads.is_empty() { &all[..] } else { &settings.workloads };
    for name in names {
        match settings {
            Settings { explain: true, .. } => print!("{}", recorded(name)?.executable.program()),
            Settings { profile: true, .. } => profile(name)?,
            _ => println!("{}", bench(name)?),
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn recorded(name: &str) -> Result<model::Step, String> {
    let g = Recorder::default();
    let mut model = Model::new(&g);
    let known = workloads::record(&mut model, name);
    let result = known.ok_or_else(|| format!("there is no workload '{name}'"))?;
    result.map_err(|e| e.to_string())?;
    Ok(model.compile())
}

/// Steps of which each kernel's best time is shown.
const PROFILED: usize = 50;

fn profile(name: &str) -> Result<(), String> {
    let mut step = recorded(name)?;
    let mut best: Vec<Duration> = Vec::new();
    for _ in 0..PROFILED {
        let times = step.profile(Pool::global()).map_err(|e| e.to_string())?;
        best.resize(times.len(), Duration::MAX);
        best.iter_mut().zip(times).for_each(|(best, time)| *best = time.min(*best));
    }
    let total: Duration = best.iter().sum();
    println!("{name}: {:.3} ms in {} kernels", total.as_secs_f64() * 1e3, best.len());
    for (launch, time) in step.executable.program().launches.iter().zip(best) {
        let (kernel, share) = (&launch.kernel, time.as_secs_f64() / total.as_secs_f64());
        let us = time.as_secs_f64() * 1e6;
        println!("{us:>10.1} us {:>5.1} %  {} {}", share * 100.0, kernel.name(), kernel.domain);
    }
    Ok(())
}

fn seconds_from(variable: &str, default: f64) -> Duration {
    let value = std::env::var(variable).ok().and_then(|text| text.parse().ok());
    Duration::from_secs_f64(value.unwrap_or(default))
}

fn bench(name: &str) -> Result<serde_json::Value, String> {
    let pool = Pool::global();
    let start = Instant::now();
    let mut step = recorded(name)?;
    let compiled = start.elapsed().saturating_sub(step.making);
    let take = |step: &mut model::Step| step.take(pool).map_err(|e| e.to_string());
    take(&mut step)?;
    let first = start.elapsed().saturating_sub(step.making);
    let check_first = step.check();
    let started = seconds_from("BENCH_T0", 0.0);
    let cold = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    for _ in 0..9 {
        take(&mut step)?;
    }
    let check_10 = step.check();

    let warm = seconds_from("BENCH_WARM", 0.4);
    let (start, mut taken) = (Instant::now(), 0);
    while start.elapsed() < warm || taken < 2 {
        take(&mut step)?;
        taken += 1;
    }
    let per_step = start.elapsed().as_secs_f64() / taken as f64;
    let block = ((BLOCK / per_step) as usize).clamp(1, 2000);
    let (start, length) = (Instant::now(), seconds_from("BENCH_SECONDS", 1.5));
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
        "compile_ms": compiled.as_secs_f64() * 1e3,
        "first_step_ms": first.as_secs_f64() * 1e3,
        "cold_start_ms": cold.saturating_sub(started).as_secs_f64() * 1e3,
        "peak_rss_mb": peak_memory(),
        "n": samples.len(),
        "kernels": step.executable.program().launches.len(),
        "check_first": check_first,
        "check_10": check_10,
    }))
}

/// The most memory this process has had, in MB, where the system tells.
fn peak_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes / 1024.0)
}
