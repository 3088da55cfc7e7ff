//! `cargo x test` and `cargo x check`: the list of checks, and the loop that runs them.
//! A check is a name and a command line, so that each can be run again alone.

use std::fmt;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use crate::setup;

/// A replay of results recorded from PyTorch. Skipped where these are not present.
macro_rules! conformance {
    ($name:literal, $arguments:literal) => {
        step(
            $name,
            concat!(
                "cargo run --release --quiet --package brasa-cli -- \
                 conformance ../shared/conformance/",
                $arguments
            ),
        )
        .needs(Need::Path("../shared/conformance"))
    };
}

/// Succeeds if there is an adapter for tests of shaders.
const FIND_ADAPTER: &str = "cargo run --release --quiet --package brasa-cli -- devices --need gpu";

/// Every check in running order, cheap ones first.
const STEPS: &[Step] = &[
    quick_step("fmt", "cargo fmt --all --check"),
    quick_step("clippy", "cargo clippy --workspace --all-targets -- -D warnings"),
    quick_step("gen", "cargo x gen --check"),
    step("rust", "cargo test --workspace --features brasa/ndarray"),
    conformance!("torch-ops", "torch_ops --device reference"),
    conformance!("torch-ops-cpu", "torch_ops --device cpu"),
    conformance!("torch-sizes", "torch_sizes --device reference"),
    conformance!("torch-sizes-cpu", "torch_sizes --device cpu"),
    conformance!("torch-sizes-avx2", "torch_sizes --device cpu").with("BRASA_LEVEL", "avx2"),
    conformance!("torch-sizes-base", "torch_sizes --device cpu").with("BRASA_LEVEL", "baseline"),
    conformance!("torch-opinfo", "torch_opinfo --device reference --min-pass 99"),
    conformance!("torch-opinfo-cpu", "torch_opinfo --device cpu --min-pass 99"),
    conformance!("torch-traces", "torch_traces --device reference"),
    conformance!("torch-traces-cpu", "torch_traces --device cpu"),
    step("gpu", "cargo test --workspace --features brasa/ndarray -- --ignored")
        .needs(Need::Adapter),
    conformance!("torch-ops-gpu", "torch_ops --device gpu").needs(Need::Adapter),
    conformance!("torch-sizes-gpu", "torch_sizes --device gpu").needs(Need::Adapter),
    conformance!("torch-opinfo-gpu", "torch_opinfo --device gpu --as-good-as reference")
        .needs(Need::Adapter),
    conformance!("torch-traces-gpu", "torch_traces --device gpu").needs(Need::Adapter),
    step("fuzz", "cargo x fuzz --device baseline avx2 avx512 --graphs 800 --all-paths"),
    step("fuzz-ops", "cargo x fuzz --device baseline avx2 avx512 --every-op --one-in 8"),
    step("fuzz-gpu", "cargo x fuzz --device gpu --graphs 2000 --all-paths").needs(Need::Adapter),
    step("fuzz-ops-gpu", "cargo x fuzz --device gpu --every-op --one-in 80").needs(Need::Adapter),
    step("web", "cargo x build web"),
    step("web-node", "node packages/brasa/scripts/test.mjs node"),
    step("web-chromium", "node packages/brasa/scripts/test.mjs chromium").after(setup::chromium),
    step("fuzz-wasm", "cargo x fuzz --device wasm wasm-threads wasm-fused --graphs 200"),
    step("fuzz-wasm-paths", "cargo x fuzz --device wasm-checked --graphs 400 --all-paths"),
    step("fuzz-chromium", "cargo x fuzz --device chromium chromium-fused --graphs 100"),
    step("fuzz-webgpu", "cargo x fuzz --device chromium-webgpu --graphs 800"),
    step("web-packed", "node packages/brasa/scripts/pack.mjs").after(setup::chromium),
    step("studio-build", "cargo x build studio"),
    step(
        "studio-inside",
        "cargo clippy --workspace --all-targets --features brasa-cli/studio -- -D warnings",
    ),
    step("studio", "node packages/studio/scripts/test.mjs").after(setup::chromium),
    step("studio-start", "cargo x start --check").after(setup::chromium),
];

pub(crate) struct Step {
    name: &'static str,
    command: &'static str,
    /// An environment variable for the command, and its value.
    variable: Option<(&'static str, &'static str)>,
    /// The step is skipped if one of these is absent.
    needs: [Option<Need>; 2],
    /// What to install first.
    set_up: Option<fn() -> Result<(), String>>,
    pace: Pace,
}

#[derive(Clone, Copy)]
enum Need {
    /// A path relative to the root.
    Path(&'static str),
    /// A GPU or a software adapter.
    Adapter,
}

impl Need {
    /// Why the need is not met, or `None` if it is.
    fn missing(self, root: &Path) -> Option<String> {
        match self {
            Need::Path(path) if root.join(path).exists() => None,
            Need::Path(path) => Some(format!("the data in {path} are not present")),
            Need::Adapter if succeeds(root, FIND_ADAPTER) => None,
            Need::Adapter => Some("there is no adapter to run shaders on".to_string()),
        }
    }
}

#[derive(PartialEq)]
enum Pace {
    /// Part of `cargo x check`.
    Quick,
    Full,
}

const fn step(name: &'static str, command: &'static str) -> Step {
    Step { name, command, variable: None, needs: [None; 2], set_up: None, pace: Pace::Full }
}

const fn quick_step(name: &'static str, command: &'static str) -> Step {
    Step { pace: Pace::Quick, ..step(name, command) }
}

impl Step {
    const fn needs(self, need: Need) -> Step {
        Step { needs: [Some(need), self.needs[0]], ..self }
    }

    const fn with(self, name: &'static str, value: &'static str) -> Step {
        Step { variable: Some((name, value)), ..self }
    }

    fn runs_shaders(&self) -> bool {
        self.needs.iter().flatten().any(|need| matches!(need, Need::Adapter))
    }

    const fn after(self, set_up: fn() -> Result<(), String>) -> Step {
        Step { set_up: Some(set_up), ..self }
    }
}

pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    STEPS.iter().map(|step| step.name)
}

/// The steps of these names in the order of the list; no names mean all steps.
pub(crate) fn named(names: &[String]) -> Vec<&'static Step> {
    let is_wanted = |step: &&Step| names.is_empty() || names.iter().any(|name| name == step.name);
    STEPS.iter().filter(is_wanted).collect()
}

pub(crate) fn quick() -> Vec<&'static Step> {
    STEPS.iter().filter(|step| step.pace == Pace::Quick).collect()
}

/// Installs what is missing, runs the steps and reports.
pub(crate) fn run(root: &Path, steps: &[&Step]) -> ExitCode {
    if let Err(problem) = setup::components() {
        eprintln!("{problem}");
        return ExitCode::FAILURE;
    }
    if steps.iter().any(|step| step.runs_shaders()) {
        setup::vulkan();
    }
    let report = run_steps(root, steps);
    print!("\n{report}");
    if report.failed().is_some() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Runs the steps up to the first failure.
fn run_steps(root: &Path, steps: &[&Step]) -> Report {
    let mut report = Report(Vec::new());
    for step in steps {
        let outcome = match report.failed() {
            Some(_) => Outcome::NotRun,
            None => run_step(root, step),
        };
        report.0.push((step.name, outcome));
    }
    report
}

fn run_step(root: &Path, step: &Step) -> Outcome {
    let variable = step.variable.map(|(name, value)| format!("{name}={value} "));
    println!("== {}: {}{}", step.name, variable.unwrap_or_default(), step.command);
    let mut needs = step.needs.iter().flatten();
    if let Some(what) = needs.find_map(|need| need.missing(root)) {
        println!("{what}: {} was skipped", step.name);
        return Outcome::Skipped;
    }
    let start = Instant::now();
    let ready = step.set_up.map_or(Ok(()), |set_up| set_up());
    let passed = match ready {
        Ok(()) => succeeds_with(root, step.command, step.variable),
        Err(problem) => {
            eprintln!("{problem}");
            false
        }
    };
    let time = start.elapsed();
    println!("== {}: {} in {}", step.name, if passed { "ok" } else { "failed" }, seconds(time));
    if passed { Outcome::Passed(time) } else { Outcome::Failed(time) }
}

/// Runs a command line, split at spaces, in the root of the project.
pub(crate) fn succeeds(root: &Path, command: &str) -> bool {
    succeeds_with(root, command, None)
}

fn succeeds_with(root: &Path, command: &str, variable: Option<(&str, &str)>) -> bool {
    let mut words = command.split_whitespace();
    let program = words.next().expect("a command line names a program");
    let status = Command::new(program).args(words).envs(variable).current_dir(root).status();
    if let Err(error) = &status {
        eprintln!("{program} cannot be started: {error}");
    }
    status.is_ok_and(|status| status.success())
}

#[derive(Clone, Copy, Debug)]
enum Outcome {
    Passed(Duration),
    Failed(Duration),
    /// One of its needs is absent.
    Skipped,
    /// A step before it failed.
    NotRun,
}

/// The outcome of each step. Printed as a table with a summary line.
struct Report(Vec<(&'static str, Outcome)>);

impl Report {
    fn failed(&self) -> Option<&'static str> {
        let failed = |(_, outcome): &&(_, Outcome)| matches!(outcome, Outcome::Failed(_));
        self.0.iter().find(failed).map(|(name, _)| *name)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (mut passed, mut skipped, mut total) = (0, 0, Duration::ZERO);
        for (name, outcome) in &self.0 {
            match outcome {
                Outcome::Passed(time) => {
                    passed += 1;
                    total += *time;
                    writeln!(f, "{name:<18}ok      {:>9}", seconds(*time))?;
                }
                Outcome::Failed(time) => writeln!(f, "{name:<18}failed  {:>9}", seconds(*time))?,
                Outcome::Skipped => {
                    skipped += 1;
                    writeln!(f, "{name:<18}skipped")?;
                }
                Outcome::NotRun => writeln!(f, "{name:<18}not run")?,
            }
        }
        if let Some(name) = self.failed() {
            return writeln!(f, "{name} failed; run it alone with: cargo x test {name}");
        }
        writeln!(f, "{passed} passed, {skipped} skipped in {}", seconds(total))
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: Step = step("good", "cargo --version");
    const BAD: Step = step("bad", "cargo --no-such-flag");

    fn report(steps: &[&Step]) -> Vec<String> {
        let report = run_steps(&setup::root(), steps).to_string();
        // Times differ from run to run, so only the words are compared.
        let words = |line: &str| line.split_whitespace().take(2).collect::<Vec<_>>().join(" ");
        report.lines().map(words).collect()
    }

    #[test]
    fn a_failure_stops_the_run_and_is_named() {
        let lines = report(&[&GOOD, &BAD, &GOOD]);
        assert_eq!(lines, ["good ok", "bad failed", "good not", "bad failed;"]);
        let text = run_steps(&setup::root(), &[&BAD]).to_string();
        assert!(text.ends_with("run it alone with: cargo x test bad\n"), "{text}");
    }

    #[test]
    fn a_step_runs_with_its_variable() {
        let asks = step("asks", "cargo locate-project").with("CARGO_TERM_COLOR", "nonsense");
        assert_eq!(report(&[&GOOD, &asks]), ["good ok", "asks failed", "asks failed;"]);
    }

    #[test]
    fn a_step_without_its_data_is_skipped() {
        let absent = step("absent", "cargo --no-such-flag").needs(Need::Path("no/such/path"));
        let present = step("present", "cargo --version").needs(Need::Path("xtask/Cargo.toml"));
        let lines = report(&[&absent, &present]);
        assert_eq!(lines, ["absent skipped", "present ok", "1 passed,"]);
    }

    #[test]
    fn a_program_that_is_not_there_is_a_failure() {
        let lines = report(&[&step("ghost", "no-such-program-anywhere")]);
        assert_eq!(lines, ["ghost failed", "ghost failed;"]);
    }

    #[test]
    fn steps_are_chosen_by_name_and_keep_their_order() {
        let chosen = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
            named(&names).iter().map(|step| step.name).collect::<Vec<_>>()
        };
        assert_eq!(chosen(&["clippy", "fmt"]), ["fmt", "clippy"]);
        assert_eq!(chosen(&[]), names().collect::<Vec<_>>());
    }

    #[test]
    fn names_are_distinct() {
        let mut sorted: Vec<_> = names().collect();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), STEPS.len());
    }
}
