//! Compares Brasa with recorded PyTorch results: values and gradients of ops, modules and
//! expressions, and complete training runs.
mod call;
mod cases;
mod check;
mod compare;
mod expr;
mod format;
mod inputs;
mod layers;
mod models;
mod modules;
mod numbers;
mod optimizers;
mod report;
mod session;
mod settings;
mod tokens;
mod traces;

pub use report::{Failure, OpReport, Report};

use crate::data::{self, DataError, Tensors};
use crate::device::Device;
use format::{Format, Index};
use report::Verdict;
use session::Source;
use std::cell::RefCell;
use std::collections::HashSet;
use std::io::{IsTerminal, Write};
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// The supported formats of `index.json`.
const FORMATS: [&str; 2] = ["torch-ops-conformance/1", "torch-opinfo/1"];

/// Runs that take longer show their progress.
const PROGRESS_DELAY: Duration = Duration::from_secs(1);

/// Arguments of `brasa conformance`.
#[derive(clap::Args)]
pub struct Settings {
    /// A directory of recorded cases: `index.json` and its tensors, or training traces.
    dir: PathBuf,
    #[arg(long, value_enum, default_value = "reference")]
    device: Device,
    /// Print the report as JSON.
    #[arg(long)]
    json: bool,
    /// Run only cases whose id or op contains this.
    #[arg(long, value_name = "SUBSTRING", default_value = "")]
    filter: String,
    /// Succeed if at least this percentage of the cases passes.
    #[arg(long, value_name = "PERCENT")]
    min_pass: Option<f64>,
    /// Succeed if every case that passes on this device passes; unsupported cases are ignored.
    #[arg(long, value_name = "DEVICE", value_enum, conflicts_with = "min_pass")]
    as_good_as: Option<Device>,
    /// Print a line for each case.
    #[arg(long)]
    verbose: bool,
}

/// Runs the cases, prints the report, and succeeds if enough of them passed.
pub fn command(settings: &Settings) -> Result<ExitCode, DataError> {
    let mut progress = Progress::new(settings.verbose);
    let mut watch = |id: &str, verdict: &Verdict| progress.step(id, verdict);
    let report = with_quiet_panics(|| {
        let choice = Choice { filter: &settings.filter, only: None };
        let mut report = run_watched(&settings.dir, settings.device, choice, &mut watch)?;
        if let Some(device) = settings.as_good_as {
            report.worse = passing_elsewhere(&settings.dir, device, &report)?;
        }
        Ok(report)
    });
    progress.clear();
    let report: Report = report?;
    let text = match settings.json {
        true => serde_json::to_string_pretty(&report).expect("a report is plain data"),
        false => report.to_string(),
    };
    // Ignored: the reader of a pipe may have closed it.
    let _ = writeln!(std::io::stdout(), "{text}");
    let enough = match (settings.min_pass, settings.as_good_as) {
        (Some(percent), _) => report.percent() >= percent,
        (None, Some(_)) => report.worse.is_empty(),
        (None, None) => report.passed == report.cases,
    };
    Ok(if enough { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Runs the cases of a directory whose id or op contains `filter`.
pub fn run(dir: &Path, device: Device, filter: &str) -> Result<Report, DataError> {
    run_watched(dir, device, Choice { filter, only: None }, &mut |_, _| {})
}

/// The failed cases of a report that pass on another device.
fn passing_elsewhere(
    dir: &Path,
    device: Device,
    report: &Report,
) -> Result<Vec<String>, DataError> {
    let failed: HashSet<&str> = report.failed().map(|failure| &failure.id[..]).collect();
    if failed.is_empty() {
        return Ok(Vec::new());
    }
    let choice = Choice { filter: "", only: Some(&failed) };
    let mut passing = Vec::new();
    run_watched(dir, device, choice, &mut |id, verdict| {
        if matches!(verdict, Verdict::Passed { .. }) {
            passing.push(id.to_string());
        }
    })?;
    Ok(passing)
}

/// Selects cases by a filter on id or op, and optionally by a set of ids.
#[derive(Clone, Copy)]
struct Choice<'a> {
    filter: &'a str,
    only: Option<&'a HashSet<&'a str>>,
}

impl Choice<'_> {
    fn has(&self, id: &str, op: &str) -> bool {
        let is_found = id.contains(self.filter) || op.contains(self.filter);
        is_found && self.only.is_none_or(|only| only.contains(id))
    }
}

fn run_watched(
    dir: &Path,
    device: Device,
    choice: Choice,
    watch: &mut dyn FnMut(&str, &Verdict),
) -> Result<Report, DataError> {
    let mut runner = Runner { choice, watch, report: Report::default() };
    let index = dir.join("index.json");
    if !dir.is_dir() {
        return Err(DataError::new(dir, "is not a directory"));
    }
    if index.exists() {
        runner.index(&index, device)?;
    } else {
        traces::run(dir, device, &mut runner)?;
    }
    if runner.report.cases == 0 {
        return Err(DataError::new(dir, format!("no case matches '{}'", choice.filter)));
    }
    Ok(runner.report)
}

/// Runs cases and collects the report.
struct Runner<'a> {
    choice: Choice<'a>,
    watch: &'a mut dyn FnMut(&str, &Verdict),
    report: Report,
}

impl Runner<'_> {
    /// Runs the cases of an index file.
    fn index(&mut self, path: &Path, device: Device) -> Result<(), DataError> {
        let format: Format = data::read_json(path)?;
        if !FORMATS.contains(&&format.format[..]) {
            let what = format!(
                "unknown format '{}', expected one of {}",
                format.format,
                FORMATS.join(", ")
            );
            return Err(DataError::new(path, what));
        }
        let index: Index = data::read_json(path)?;
        let tensors = &Tensors::open(&path.with_file_name(&index.tensors_file))?;
        let source = Source { index: path, tensors, device };
        for case in &index.cases {
            self.case(&case.id, &case.op, || cases::run(case, source))?;
        }
        for case in &index.modules {
            self.case(&case.id, &case.module, || modules::run(case, source))?;
        }
        for case in &index.exprs {
            self.case(&case.id, "expressions", || expr::run(case, source))?;
        }
        for case in &index.large {
            self.case(&case.id, &case.op, || cases::run_large(case, source))?;
        }
        Ok(())
    }

    /// Runs a case unless the filter excludes it.
    fn case(
        &mut self,
        id: &str,
        op: &str,
        case: impl FnOnce() -> Result<f64, CaseError>,
    ) -> Result<(), DataError> {
        if !self.choice.has(id, op) {
            return Ok(());
        }
        let verdict = judge(case).map_err(|error| error.within(&format!("case '{id}'")))?;
        (self.watch)(id, &verdict);
        self.report.add(id, op, verdict);
        Ok(())
    }
}

/// Why a case has no result.
enum CaseError {
    Failed { worst: f64, why: String },
    Unsupported(String),
    Data(DataError),
}

impl CaseError {
    fn failed(why: impl Into<String>) -> CaseError {
        CaseError::Failed { worst: f64::INFINITY, why: why.into() }
    }
}

impl From<brasa_ir::Error> for CaseError {
    fn from(error: brasa_ir::Error) -> CaseError {
        if error.message().contains("run this on the CPU") {
            return CaseError::Unsupported(error.message());
        }
        CaseError::failed(error.message())
    }
}

impl From<DataError> for CaseError {
    fn from(error: DataError) -> CaseError {
        CaseError::Data(error)
    }
}

thread_local! {
    /// Message and location of this thread's last panic.
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Runs `body` with panic messages stored for the report instead of printed.
fn with_quiet_panics<T>(body: impl FnOnce() -> T) -> T {
    let before = panic::take_hook();
    panic::set_hook(Box::new(|info| PANIC.set(info.to_string())));
    let result = body();
    panic::set_hook(before);
    result
}

/// Converts the result of a case into a verdict. A panic is a failure.
fn judge(case: impl FnOnce() -> Result<f64, CaseError>) -> Result<Verdict, DataError> {
    let result = panic::catch_unwind(AssertUnwindSafe(case));
    let result = result.unwrap_or_else(|_| {
        let panic = PANIC.take();
        Err(CaseError::failed(if panic.is_empty() { "panicked".to_string() } else { panic }))
    });
    match result {
        Ok(worst) => Ok(Verdict::Passed { worst }),
        Err(CaseError::Failed { worst, why }) => Ok(Verdict::Failed { worst, why }),
        Err(CaseError::Unsupported(why)) => Ok(Verdict::Unsupported { why }),
        Err(CaseError::Data(error)) => Err(error),
    }
}

/// Progress output: a line per case if verbose, otherwise a counter on terminals if the run takes
/// long.
struct Progress {
    verbose: bool,
    done: usize,
    since: Instant,
    is_shown: bool,
}

impl Progress {
    fn new(verbose: bool) -> Progress {
        Progress { verbose, done: 0, since: Instant::now(), is_shown: false }
    }

    fn step(&mut self, id: &str, verdict: &Verdict) {
        self.done += 1;
        if self.verbose {
            let word = match verdict {
                Verdict::Passed { .. } => "passed",
                Verdict::Failed { .. } => "failed",
                Verdict::Unsupported { .. } => "unsupported",
            };
            eprintln!("{word:11} {id}");
        } else if self.since.elapsed() > PROGRESS_DELAY && std::io::stderr().is_terminal() {
            self.is_shown = true;
            eprint!("\r\x1b[K{} {id}", self.done);
            let _ = std::io::stderr().flush();
        }
    }

    fn clear(&self) {
        if self.is_shown {
            eprint!("\r\x1b[K");
        }
    }
}
