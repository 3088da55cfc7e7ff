//! Replays recorded results of PyTorch: forward values and gradients of ops, modules, expressions
//! and whole trainings.
mod call;
mod cases;
mod compare;
mod format;
mod report;

pub use report::{Failure, OpReport, Report, Verdict};

use crate::data::{self, DataError, Tensors};
use crate::device::Device;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

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
    /// Only cases whose id or op contains this.
    #[arg(long, value_name = "SUBSTRING", default_value = "")]
    filter: String,
    /// Succeed if at least this many cases of a hundred pass.
    #[arg(long, value_name = "PERCENT")]
    min_pass: Option<f64>,
    /// Print a line for each case.
    #[arg(long)]
    verbose: bool,
}

/// Runs the cases, prints the report, and succeeds if enough of them passed.
pub fn command(settings: &Settings) -> Result<ExitCode, DataError> {
    let mut progress = Progress { verbose: settings.verbose, done: 0, shown: false };
    let mut watch = |id: &str, verdict: &Verdict| progress.step(id, verdict);
    let report = run_watched(&settings.dir, settings.device, &settings.filter, &mut watch)?;
    progress.clear();
    if settings.json {
        println!("{}", serde_json::to_string_pretty(&report).expect("a report is plain data"));
    } else {
        println!("{report}");
    }
    let enough = match settings.min_pass {
        Some(percent) => report.percent() >= percent,
        None => report.passed == report.cases,
    };
    Ok(if enough { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Runs the cases of a directory whose id or op contains `filter`.
pub fn run(dir: &Path, device: Device, filter: &str) -> Result<Report, DataError> {
    run_watched(dir, device, filter, &mut |_, _| {})
}

fn run_watched(
    dir: &Path,
    device: Device,
    filter: &str,
    watch: &mut dyn FnMut(&str, &Verdict),
) -> Result<Report, DataError> {
    let path = dir.join("index.json");
    let index: format::Index = data::read_json(&path)?;
    let tensors = Tensors::open(&dir.join(&index.tensors_file))?;
    let mut report = Report::default();
    for case in &index.cases {
        if !case.id.contains(filter) && !case.op.contains(filter) {
            continue;
        }
        let verdict = judge(|| cases::run(case, &tensors, device))
            .map_err(|error| error.within(&format!("case '{}'", case.id)))?;
        watch(&case.id, &verdict);
        report.add(&case.id, &case.op, verdict);
    }
    Ok(report)
}

/// Why a case has no result.
enum Trouble {
    Failed { worst: f64, why: String },
    Unsupported(String),
    Data(DataError),
}

impl Trouble {
    fn failed(why: impl Into<String>) -> Trouble {
        Trouble::Failed { worst: f64::INFINITY, why: why.into() }
    }
}

impl From<brasa_ir::Error> for Trouble {
    fn from(error: brasa_ir::Error) -> Trouble {
        Trouble::failed(error.message())
    }
}

impl From<DataError> for Trouble {
    fn from(error: DataError) -> Trouble {
        Trouble::Data(error)
    }
}

/// Turns the worst error of a case, or what went wrong, into a verdict. A panic is a failure.
fn judge(case: impl FnOnce() -> Result<f64, Trouble>) -> Result<Verdict, DataError> {
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(case));
    let result = result.unwrap_or_else(|payload| {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("");
        Err(Trouble::failed(format!("panicked: {text}")))
    });
    match result {
        Ok(worst) => Ok(Verdict::Passed { worst }),
        Err(Trouble::Failed { worst, why }) => Ok(Verdict::Failed { worst, why }),
        Err(Trouble::Unsupported(why)) => Ok(Verdict::Unsupported { why }),
        Err(Trouble::Data(error)) => Err(error),
    }
}

/// What is shown while cases run: a counter if somebody is watching.
struct Progress {
    verbose: bool,
    done: usize,
    shown: bool,
}

impl Progress {
    fn step(&mut self, id: &str, verdict: &Verdict) {
        self.done += 1;
        if self.verbose {
            let word = match verdict {
                Verdict::Passed { .. } => "passed",
                Verdict::Failed { .. } => "failed",
                Verdict::Unsupported { .. } => "unsupported",
            };
            eprintln!("{word:11} {id}");
        } else if std::io::stderr().is_terminal() {
            self.shown = true;
            eprint!("\r\x1b[K{} {id}", self.done);
            let _ = std::io::stderr().flush();
        }
    }

    fn clear(&self) {
        if self.shown {
            eprint!("\r\x1b[K");
        }
    }
}
