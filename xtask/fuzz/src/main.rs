//! Random graphs at real sizes, run on a device and compared with an evaluator that carries error
//! bounds. `cargo x fuzz` runs this for every device and level.
mod check;
mod device;
mod generate;
mod random;
mod remote;
mod report;
mod shrink;

use check::{Outcome, check};
use clap::{Parser, ValueEnum};
use device::{Device, WebEngine};
use generate::Kind;
use report::{Current, Report};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

#[derive(Parser)]
#[command(name = "brasa-fuzz")]
struct Settings {
    /// The device to try
    #[arg(long, value_enum, default_value_t = Name::Cpu)]
    device: Name,
    /// Kinds of graphs; all of them when none is named
    #[arg(long, value_parser = parse_kind)]
    kind: Vec<Kind>,
    /// How long to go on
    #[arg(long)]
    minutes: Option<f64>,
    /// How many graphs to try
    #[arg(long, default_value_t = 1000)]
    graphs: u64,
    /// The first seed
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Worker threads, each with a device of its own
    #[arg(long, default_value_t = 2)]
    workers: usize,
    /// Where graphs that fail are kept
    #[arg(long, default_value = "target/fuzz")]
    out: PathBuf,
    /// Run the graphs of these files only
    #[arg(long, num_args = 1..)]
    replay: Vec<PathBuf>,
    /// Fail if a fast path of the device was never taken
    #[arg(long)]
    all_paths: bool,
    /// Stop at the first graph that fails, and leave it as large as it is
    #[arg(long, conflicts_with = "minutes")]
    stop: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Name {
    Cpu,
    Gpu,
    Wasm,
    WasmThreads,
    WasmFused,
    Chromium,
    ChromiumThreads,
    ChromiumFused,
    ChromiumWebgpu,
}

impl Name {
    /// In the words of `cargo x fuzz`, to which the CPU is a level.
    fn text(self) -> String {
        match self {
            Name::Cpu => format!("{:?}", brasa_cpu::Level::loops()).to_lowercase(),
            _ => self.to_possible_value().expect("it has a name").get_name().to_string(),
        }
    }

    fn open(self) -> Result<Device, String> {
        let web = |place, device, flavour| Device::web(WebEngine { place, device, flavour });
        match self {
            Name::Cpu => Ok(Device::cpu()),
            Name::Gpu => Device::gpu(),
            Name::Wasm => web("node", "cpu", "single"),
            Name::WasmThreads => web("node", "cpu", "threads"),
            Name::WasmFused => web("node", "cpu", "fused"),
            Name::Chromium => web("chromium", "cpu", "single"),
            Name::ChromiumThreads => web("chromium", "cpu", "threads"),
            Name::ChromiumFused => web("chromium", "cpu", "fused"),
            Name::ChromiumWebgpu => web("chromium", "webgpu", "single"),
        }
    }
}

/// How long a graph is made smaller.
const SHRINKING: Duration = Duration::from_secs(20);

fn parse_kind(name: &str) -> Result<Kind, String> {
    let names: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
    Kind::named(name).ok_or(format!("kinds are {}", names.join(", ")))
}

fn main() -> ExitCode {
    let settings = Settings::parse();
    // What panics inside a check is reported with its graph.
    std::panic::set_hook(Box::new(|_| {}));
    let outcome = match settings.replay.is_empty() {
        true => fuzz(&settings),
        false => replay(&settings),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

/// Runs graphs from files; true if all agree.
fn replay(settings: &Settings) -> Result<bool, String> {
    let device = settings.device.open()?;
    let mut failed = 0;
    for path in &settings.replay {
        let source =
            std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        let case = check::from_text(&source).map_err(|e| format!("{}: {e}", path.display()))?;
        for seed in 0..4 {
            if let Outcome::Failed(failure) = check(&device, &case, seed) {
                println!("{}: {}", path.display(), failure.what);
                failed += 1;
                break;
            }
        }
    }
    println!("{} passed, {failed} failed", settings.replay.len() - failed);
    Ok(failed == 0)
}

/// Tries graphs until time or number is reached; true if all agree.
fn fuzz(settings: &Settings) -> Result<bool, String> {
    let kinds = if settings.kind.is_empty() { Kind::ALL.to_vec() } else { settings.kind.clone() };
    let next = AtomicU64::new(0);
    let report = Mutex::new(Report::new(settings.out.clone(), settings.device.text()));
    let start = Instant::now();
    let limit = settings.minutes.map(|minutes| Duration::from_secs_f64(60.0 * minutes));
    let work = |worker: usize| -> Result<(), String> {
        let device = settings.device.open()?;
        let current = Current::new(&settings.out, worker);
        loop {
            let n = next.fetch_add(1, Ordering::Relaxed);
            let is_over = match limit {
                Some(limit) => start.elapsed() >= limit,
                None => n >= settings.graphs,
            };
            if is_over {
                return Ok(());
            }
            let kind = kinds[n as usize % kinds.len()];
            let (seed, case) = device.choose(kind, settings.seed + n);
            current.is(&case, &format!("{} {seed}", kind.name()))?;
            let outcome = check(&device, &case, seed);
            let mut shown = None;
            if let Outcome::Failed(failure) = &outcome {
                if settings.stop {
                    next.fetch_max(settings.graphs, Ordering::Relaxed);
                    return Err(format!("{} {seed}: {}", kind.name(), failure.what));
                }
                let small = shrink::shrink(&device, &case, failure, seed, SHRINKING);
                shown = Some((failure.clone(), small));
            }
            let mut report = report.lock().unwrap_or_else(|poison| poison.into_inner());
            report.add(kind, seed, &case, outcome, shown);
        }
    };
    let results: Vec<Result<(), String>> = std::thread::scope(|scope| {
        let work = &work;
        let spawn = |worker| scope.spawn(move || work(worker));
        let workers: Vec<_> = (0..settings.workers.max(1)).map(spawn).collect();
        let join = |worker: std::thread::ScopedJoinHandle<_>| {
            worker.join().unwrap_or(Err("a worker panicked outside of a check".to_string()))
        };
        workers.into_iter().map(join).collect()
    });
    results.into_iter().collect::<Result<Vec<()>, String>>()?;
    let report = report.into_inner().unwrap_or_else(|poison| poison.into_inner());
    let paths = match settings.device {
        Name::Cpu => brasa_cpu::paths::counts(),
        Name::Gpu => brasa_gpu::paths::counts(),
        _ => Vec::new(),
    };
    println!("{}", report.summary(start.elapsed(), &paths));
    let is_complete = !settings.all_paths || report::missing(&paths).is_empty();
    Ok(report.failures() == 0 && is_complete)
}
