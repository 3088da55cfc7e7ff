//! The report: counts by kind of graph, and failures by cause, each with a file to replay.
use crate::check::{Failure, Outcome, to_text};
use crate::generate::{Case, Kind};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The file with the graph that a worker is running: it remains if the process crashes.
pub struct Current(PathBuf);

impl Current {
    pub fn new(out: &Path, worker: usize) -> Current {
        Current(out.join(format!("running-{worker}.ir")))
    }

    pub fn set(&self, case: &Case, name: &str) -> Result<(), String> {
        let folder = self.0.parent().unwrap_or(Path::new("."));
        let write = || {
            std::fs::create_dir_all(folder)?;
            std::fs::write(&self.0, to_text(case, name))
        };
        write().map_err(|error| format!("{}: {error}", self.0.display()))
    }
}

impl Drop for Current {
    fn drop(&mut self) {
        // The file may not exist.
        _ = std::fs::remove_file(&self.0);
    }
}

/// Fast paths, each with how often it was taken.
pub type Paths = Vec<(String, u64)>;

pub struct Report {
    out: PathBuf,
    /// The device, as named by `cargo x fuzz`.
    device: String,
    kinds: BTreeMap<Kind, Counts>,
    causes: BTreeMap<String, Vec<String>>,
}

#[derive(Default)]
struct Counts {
    graphs: u64,
    nodes: u64,
    known: u64,
    open: u64,
    failed: u64,
}

impl Report {
    pub fn new(out: PathBuf, device: String) -> Report {
        Report { out, device, kinds: BTreeMap::new(), causes: BTreeMap::new() }
    }

    pub fn failures(&self) -> u64 {
        self.kinds.values().map(|counts| counts.failed).sum()
    }

    pub fn add(
        &mut self,
        kind: Kind,
        seed: u64,
        case: &Case,
        outcome: Outcome,
        small: Option<(Failure, Case)>,
    ) {
        let counts = self.kinds.entry(kind).or_default();
        counts.graphs += 1;
        counts.nodes += case.graph.len() as u64;
        match outcome {
            Outcome::Same { known, open } => {
                counts.known += known as u64;
                counts.open += open as u64;
            }
            Outcome::Failed(_) => counts.failed += 1,
        }
        if let Some((failure, small)) = small {
            self.keep(kind, seed, &failure, &small);
        }
    }

    /// Writes a failing graph to a file and prints how to run it again.
    fn keep(&mut self, kind: Kind, seed: u64, failure: &Failure, small: &Case) {
        let cause = cause(small, failure);
        let list = self.causes.entry(cause.clone()).or_default();
        list.push(format!("{} {seed}: {}", kind.name(), failure.what));
        // A few examples per cause suffice.
        if list.len() > 3 {
            return;
        }
        let path = self.out.join(format!("{}-{seed}.ir", kind.name()));
        let what = format!("{} {seed}\n{}", kind.name(), failure.what);
        let written = std::fs::create_dir_all(&self.out)
            .and_then(|()| std::fs::write(&path, to_text(small, &what)));
        println!("failed: {} {seed}: {}\n  cause: {cause}", kind.name(), failure.what);
        match written {
            Ok(()) => {
                let (device, path) = (&self.device, path.display());
                println!("  replay: cargo x fuzz --device {device} --replay {path}");
            }
            Err(error) => println!("  {} cannot be written: {error}", path.display()),
        }
    }

    /// The table of kinds, the causes of failures, and the paths that were taken.
    pub fn summary(&self, time: Duration, paths: &[(String, u64)]) -> String {
        let mut text = String::new();
        let mut line = |words: String| {
            text.push_str(&words);
            text.push('\n');
        };
        let head = ["kind", "graphs", "nodes", "elements", "open %", "failed"];
        line(format!(
            "{:<12}{:>9}{:>9}{:>14}{:>9}{:>8}",
            head[0], head[1], head[2], head[3], head[4], head[5]
        ));
        let mut graphs = 0;
        for (kind, counts) in &self.kinds {
            graphs += counts.graphs;
            let all = (counts.known + counts.open).max(1);
            line(format!(
                "{:<12}{:>9}{:>9}{:>14}{:>9.2}{:>8}",
                kind.name(),
                counts.graphs,
                counts.nodes / counts.graphs.max(1),
                all,
                100.0 * counts.open as f64 / all as f64,
                counts.failed
            ));
        }
        for (cause, list) in &self.causes {
            line(format!("{} of cause {cause}, for example {}", list.len(), list[0]));
        }
        for (name, count) in paths {
            line(format!("path {name:<46}{count:>12}"));
        }
        for name in missing(paths) {
            line(format!("never taken: {name}"));
        }
        let (seconds, failed) = (time.as_secs_f64(), self.failures());
        line(format!("{graphs} graphs in {seconds:.0} s, {:.1} a second", graphs as f64 / seconds));
        line(format!("{} passed, {failed} failed", graphs - failed));
        text
    }
}

/// Adds the counts of another engine.
pub fn add_paths(all: &mut Paths, others: Paths) {
    for (name, count) in others {
        match all.iter_mut().find(|(known, _)| *known == name) {
            Some((_, sum)) => *sum += count,
            None => all.push((name, count)),
        }
    }
}

/// Paths that were never taken.
pub fn missing(paths: &[(String, u64)]) -> Vec<&str> {
    paths.iter().filter(|(_, count)| *count == 0).map(|(name, _)| &**name).collect()
}

/// A key to group similar failures: the beginning of the message, or the ops of the shrunk graph.
fn cause(small: &Case, failure: &Failure) -> String {
    if failure.output.is_none() {
        let line = failure.what.lines().next().unwrap_or_default();
        return line.chars().filter(|c| !c.is_ascii_digit()).take(60).collect();
    }
    let ops = small.graph.nodes().filter(|(_, node)| !node.inputs.is_empty());
    let mut ops: Vec<&str> = ops.map(|(_, node)| node.op.name()).collect();
    ops.sort_unstable();
    ops.dedup();
    ops.join(" ")
}
