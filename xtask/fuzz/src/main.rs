//! Fuzzer: runs random graphs of realistic sizes on a device and compares the results with an
//! evaluator that computes error bounds. `cargo x fuzz` runs this for every device and SIMD level.
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
use generate::{Case, Kind, OpCase};
use random::Random;
use report::{Current, Paths, Report};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

#[derive(Parser)]
#[command(name = "brasa-fuzz")]
struct Settings {
    /// The device to test
    #[arg(long, value_enum, default_value_t = Name::Cpu)]
    device: Name,
    /// Kinds of graphs; all kinds by default
    #[arg(long, value_parser = parse_kind)]
    kind: Vec<Kind>,
    /// Test every case of the op table at three sizes instead of random graphs
    #[arg(long)]
    every_op: bool,
    /// With --every-op, test one in N cases
    #[arg(long, default_value_t = 1)]
    one_in: u64,
    /// How long to run, in minutes
    #[arg(long)]
    minutes: Option<f64>,
    /// How many graphs to test
    #[arg(long, default_value_t = 1000)]
    graphs: u64,
    /// The first seed
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Worker threads, each with a device of its own
    #[arg(long, default_value_t = 2)]
    workers: usize,
    /// The folder for failing graphs
    #[arg(long, default_value = "target/fuzz")]
    out: PathBuf,
    /// Only run the graphs in these files or folders
    #[arg(long, num_args = 1..)]
    replay: Vec<PathBuf>,
    /// Fail if a fast path of the device was never taken
    #[arg(long)]
    all_paths: bool,
    /// Stop at the first failing graph, without shrinking it
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
    WasmChecked,
    Chromium,
    ChromiumThreads,
    ChromiumFused,
    ChromiumWebgpu,
    ChromiumWebgpuChecked,
}

impl Name {
    /// The name as in `cargo x fuzz`, which names the CPU by its SIMD level.
    fn text(self) -> String {
        match self {
            Name::Cpu => format!("{:?}", brasa_cpu::Level::jit()).to_lowercase(),
            _ => self.to_possible_value().expect("it has a name").get_name().to_string(),
        }
    }

    fn open(self) -> Result<Device, String> {
        let web = |place, device, variant| Device::web(WebEngine { place, device, variant });
        match self {
            Name::Cpu => Ok(Device::cpu()),
            Name::Gpu => Device::gpu(),
            Name::Wasm => web("node", "cpu", "single"),
            Name::WasmThreads => web("node", "cpu", "threads"),
            Name::WasmFused => web("node", "cpu", "fused"),
            Name::WasmChecked => web("node", "cpu", "checked"),
            Name::Chromium => web("chromium", "cpu", "single"),
            Name::ChromiumThreads => web("chromium", "cpu", "threads"),
            Name::ChromiumFused => web("chromium", "cpu", "fused"),
            Name::ChromiumWebgpu => web("chromium", "webgpu", "single"),
            Name::ChromiumWebgpuChecked => web("chromium", "webgpu", "checked"),
        }
    }
}

/// The time limit for shrinking a graph.
const SHRINK_TIME: Duration = Duration::from_secs(20);

fn parse_kind(name: &str) -> Result<Kind, String> {
    let names: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
    Kind::named(name).ok_or(format!("kinds are {}", names.join(", ")))
}

fn main() -> ExitCode {
    let settings = Settings::parse();
    // Panics inside a check are reported with the graph.
    std::panic::set_hook(Box::new(|_| {}));
    let outcome = match settings.replay.is_empty() {
        true => fuzz(&settings),
        false => settings.device.open().and_then(|device| replay(&device, &settings.replay)),
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

/// Regression graphs: those that once failed, and those of rarely generated paths.
const FOUND: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/found");

/// The graphs of files and of all files in folders, by path.
fn read_graphs(paths: &[PathBuf]) -> Result<Vec<(PathBuf, Case)>, String> {
    let mut files = Vec::new();
    for path in paths {
        let problem = |error: std::io::Error| format!("{}: {error}", path.display());
        match path.is_dir() {
            true => {
                let entries = std::fs::read_dir(path).map_err(problem)?;
                files.extend(entries.flatten().map(|entry| entry.path()));
            }
            false => files.push(path.clone()),
        }
    }
    files.sort();
    let read = |path: PathBuf| {
        let source = std::fs::read_to_string(&path).map_err(|error| error.to_string());
        let case = source.and_then(|source| check::from_text(&source));
        case.map_err(|error| format!("{}: {error}", path.display())).map(|case| (path, case))
    };
    files.into_iter().map(read).collect()
}

/// Runs graphs from files on a device, in each of its configurations. Returns whether all results
/// agree.
fn replay(device: &Device, paths: &[PathBuf]) -> Result<bool, String> {
    let graphs = read_graphs(paths)?;
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    for (path, case) in &graphs {
        if !device.has_dtypes(case) {
            skipped += 1;
            continue;
        }
        let outcomes = (0..device.configurations()).map(|seed| check(device, case, seed));
        let failure = outcomes.into_iter().find_map(|outcome| match outcome {
            Outcome::Failed(failure) => Some(failure),
            Outcome::Same { .. } => None,
        });
        match failure {
            Some(failure) => {
                println!("{}: {}", path.display(), failure.what);
                failed += 1;
            }
            None => passed += 1,
        }
    }
    println!(
        "replayed: {passed} passed, {failed} failed, {skipped} skipped for unsupported dtypes"
    );
    Ok(failed == 0)
}

/// Where graphs come from.
enum Source {
    /// Random graphs of these kinds in turn.
    Kinds(Vec<Kind>),
    /// Cases of the op table.
    Ops(Vec<(u64, OpCase)>),
}

impl Source {
    fn new(settings: &Settings) -> Source {
        // A random sample: sizes and dtypes alternate, so that a strided one would cover few
        // combinations.
        let is_taken = |(n, _): &(u64, OpCase)| {
            Random::new(n ^ settings.seed << 32).one_in(settings.one_in.max(1) as usize)
        };
        match settings.every_op {
            true => Source::Ops((0..).zip(OpCase::all()).filter(is_taken).collect()),
            false if settings.kind.is_empty() => Source::Kinds(Kind::ALL.to_vec()),
            false => Source::Kinds(settings.kind.clone()),
        }
    }

    /// The number of graphs; `None` if limited by time only.
    fn len(&self, settings: &Settings) -> Option<u64> {
        match self {
            Source::Ops(cases) => Some(cases.len() as u64),
            Source::Kinds(_) => settings.minutes.is_none().then_some(settings.graphs),
        }
    }

    /// A graph with its kind and seed; `None` for an op that does not support the dtype or size.
    fn graph(&self, device: &Device, seed: u64, n: u64) -> Option<(Kind, u64, Case)> {
        match self {
            Source::Ops(cases) => {
                let (n, case) = &cases[n as usize];
                let case = case.graph(&mut Random::new(*n), device.has_doubles())?;
                Some((Kind::Op, *n, case))
            }
            Source::Kinds(kinds) => {
                let kind = kinds[n as usize % kinds.len()];
                let (seed, case) = device.choose(kind, seed + n);
                Some((kind, seed, case))
            }
        }
    }
}

/// Runs the regression graphs, then others until a limit is reached. Returns whether all results
/// agree.
fn fuzz(settings: &Settings) -> Result<bool, String> {
    let first = settings.device.open()?;
    if !replay(&first, &[PathBuf::from(FOUND)])? {
        return Ok(false);
    }
    let paths = Mutex::new(first.remote_paths()?);
    drop(first);
    let source = Source::new(settings);
    let next = AtomicU64::new(0);
    let report = Mutex::new(Report::new(settings.out.clone(), settings.device.text()));
    let start = Instant::now();
    let limit = settings.minutes.map(|minutes| Duration::from_secs_f64(60.0 * minutes));
    let work = |worker: usize| -> Result<(), String> {
        let device = settings.device.open()?;
        let current = Current::new(&settings.out, worker);
        loop {
            let n = next.fetch_add(1, Ordering::Relaxed);
            let is_late = limit.is_some_and(|limit| start.elapsed() >= limit);
            if is_late || source.len(settings).is_some_and(|len| n >= len) {
                let mut paths = paths.lock().unwrap_or_else(|poison| poison.into_inner());
                report::add_paths(&mut paths, device.remote_paths()?);
                return Ok(());
            }
            let Some((kind, seed, case)) = source.graph(&device, settings.seed, n) else {
                continue;
            };
            current.set(&case, &format!("{} {seed}", kind.name()))?;
            let outcome = check(&device, &case, seed);
            let mut shown = None;
            if let Outcome::Failed(failure) = &outcome {
                if settings.stop {
                    next.fetch_max(u64::MAX / 2, Ordering::Relaxed);
                    return Err(format!("{} {seed}: {}", kind.name(), failure.what));
                }
                let small = shrink::shrink(&device, &case, failure, seed, SHRINK_TIME);
                shown = Some((failure.clone(), small));
            }
            let mut report = report.lock().unwrap_or_else(|poison| poison.into_inner());
            report.add(kind, seed, &case, outcome, shown);
        }
    };
    run_workers(settings.workers, &work)?;
    let report = report.into_inner().unwrap_or_else(|poison| poison.into_inner());
    let paths = paths.into_inner().unwrap_or_else(|poison| poison.into_inner());
    finish(settings, &report, paths, start.elapsed())
}

/// Runs `work` on threads, and returns the first error.
fn run_workers(
    workers: usize,
    work: &(impl Fn(usize) -> Result<(), String> + Sync),
) -> Result<(), String> {
    let results: Vec<Result<(), String>> = std::thread::scope(|scope| {
        let spawn = |worker| scope.spawn(move || work(worker));
        let workers: Vec<_> = (0..workers.max(1)).map(spawn).collect();
        let join = |worker: std::thread::ScopedJoinHandle<_>| {
            worker.join().unwrap_or_else(|panic| {
                Err(format!("a worker panicked outside of a check: {}", check::panic_text(&*panic)))
            })
        };
        workers.into_iter().map(join).collect()
    });
    results.into_iter().collect()
}

/// Prints the summary. Returns whether all results agree and, if asked for, all paths were taken.
fn finish(
    settings: &Settings,
    report: &Report,
    mut paths: Paths,
    elapsed: Duration,
) -> Result<bool, String> {
    match settings.device {
        Name::Cpu => report::add_paths(&mut paths, named(brasa_cpu::paths::counts())),
        Name::Gpu => report::add_paths(&mut paths, named(brasa_gpu::paths::counts())),
        _ => {}
    }
    println!("{}", report.summary(elapsed, &paths));
    if settings.all_paths && paths.is_empty() {
        return Err(
            "--all-paths: engines of the npm package count paths in checked mode only".to_string()
        );
    }
    let is_complete = !settings.all_paths || report::missing(&paths).is_empty();
    Ok(report.failures() == 0 && is_complete)
}

fn named(paths: Vec<(&'static str, u64)>) -> Paths {
    paths.into_iter().map(|(name, count)| (name.to_string(), count)).collect()
}
