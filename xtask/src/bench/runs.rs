//! Results of the benchmark protocol: lines of JSON, one per run of a workload by a library.

use std::path::Path;
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};

/// The best round of one library in one workload.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(super) struct Run {
    pub(super) workload: String,
    pub(super) peer: String,
    #[serde(default)]
    pub(super) version: String,
    pub(super) ms_min: f64,
    pub(super) ms_median: f64,
    pub(super) first_step_ms: f64,
    pub(super) peak_rss_mb: Option<f64>,
    pub(super) check_first: Option<f64>,
    pub(super) check_10: Option<f64>,
    pub(super) kernels: Option<usize>,
    /// The share of the machine that other processes used during the run.
    other_cpu: Option<f64>,
}

pub(super) struct Results(Vec<Run>);

/// The allowed relative difference of check values.
const TOLERANCE: f64 = 1e-3;

/// A run is disturbed if other processes used more than this share of the machine.
const DISTURBANCE: f64 = 0.1;

impl Results {
    /// Parses lines of JSON. Several runs of one workload and library become one; lines that are not
    /// results, such as warnings, are ignored.
    pub(super) fn parse(text: &str) -> Results {
        let mut results = Results(Vec::new());
        for run in text.lines().filter_map(|line| serde_json::from_str::<Run>(line).ok()) {
            let is_same =
                |other: &&mut Run| (&other.workload, &other.peer) == (&run.workload, &run.peer);
            match results.0.iter_mut().find(is_same) {
                Some(other) => other.join(&run),
                None => results.0.push(run),
            }
        }
        results
    }

    pub(super) fn get(&self, workload: &str, peer: &str) -> Option<&Run> {
        self.0.iter().find(|run| run.workload == workload && run.peer == peer)
    }

    /// The other libraries, in order of their first run.
    pub(super) fn peers(&self) -> Vec<&str> {
        let mut peers: Vec<&str> = Vec::new();
        for run in self.0.iter().filter(|run| run.peer != "brasa") {
            if !peers.contains(&run.peer.as_str()) {
                peers.push(&run.peer);
            }
        }
        peers
    }

    /// The fastest of the other libraries.
    pub(super) fn best_peer(&self, workload: &str) -> Option<&Run> {
        let others = self.0.iter().filter(|run| run.workload == workload && run.peer != "brasa");
        others.min_by(|a, b| a.ms_min.total_cmp(&b.ms_min))
    }

    /// The version of each library, Brasa first.
    pub(super) fn versions(&self) -> Vec<String> {
        let names = ["brasa"].into_iter().chain(self.peers());
        let version = |name| self.0.iter().find(|run| run.peer == name).map(|run| &run.version);
        names.filter_map(|name| Some(format!("{name} {}", version(name)?))).collect()
    }

    /// Descriptions of check values that differ between Brasa and another library.
    pub(super) fn disagreements(&self) -> Vec<String> {
        let mut found = Vec::new();
        for own in self.0.iter().filter(|run| run.peer == "brasa") {
            found.extend(self.disagreements_of(own));
        }
        found
    }

    pub(super) fn disagreements_of(&self, own: &Run) -> Vec<String> {
        let mut found = Vec::new();
        let is_other = |run: &&Run| run.workload == own.workload && run.peer != own.peer;
        for other in self.0.iter().filter(is_other) {
            let steps =
                [(1, own.check_first, other.check_first), (10, own.check_10, other.check_10)];
            for (step, a, b) in steps {
                if !agree(a, b) {
                    let show = |x: Option<f64>| x.map_or("nothing".to_string(), |x| x.to_string());
                    let (workload, peer) = (&own.workload, &other.peer);
                    let (a, b) = (show(a), show(b));
                    found.push(format!("{workload}, step {step}: brasa {a}, {peer} {b}"));
                }
            }
        }
        found
    }

    /// The disturbed runs, one line per workload.
    pub(super) fn disturbed(&self) -> Vec<String> {
        let mut lines: Vec<(&str, String)> = Vec::new();
        for run in &self.0 {
            let Some(share) = run.other_cpu.filter(|share| *share >= DISTURBANCE) else { continue };
            let words = format!("{} {:.0} %", run.peer, 100.0 * share);
            match lines.iter_mut().find(|(workload, _)| *workload == run.workload) {
                Some((_, line)) => *line += &format!(", {words}"),
                None => lines.push((&run.workload, words)),
            }
        }
        lines.into_iter().map(|(workload, line)| format!("{workload}: {line}")).collect()
    }

    /// As lines of JSON.
    pub(super) fn lines(&self) -> String {
        let line = |run: &Run| serde_json::to_string(run).expect("a run is plain data") + "\n";
        self.0.iter().map(line).collect()
    }
}

impl Run {
    fn join(&mut self, other: &Run) {
        self.ms_min = self.ms_min.min(other.ms_min);
        self.ms_median = self.ms_median.min(other.ms_median);
        self.first_step_ms = self.first_step_ms.min(other.first_step_ms);
        let peaks = self.peak_rss_mb.into_iter().chain(other.peak_rss_mb);
        self.peak_rss_mb = peaks.reduce(f64::max);
        let shares = self.other_cpu.into_iter().chain(other.other_cpu);
        self.other_cpu = shares.reduce(f64::min);
    }
}

fn agree(a: Option<f64>, b: Option<f64>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() <= TOLERANCE * a.abs().max(b.abs()),
        _ => false,
    }
}

/// Times Brasa alone, each workload and round in a separate process.
pub(super) fn alone(brasa: &Path, workloads: &[String], rounds: usize) -> Result<Results, String> {
    let mut lines = String::new();
    for round in 1..=rounds {
        for workload in workloads {
            eprintln!("round {round} of {rounds}: {workload}");
            let mut command = Command::new(brasa);
            command.args(["bench", workload]).stderr(Stdio::inherit());
            let output = command.output().map_err(|e| format!("brasa cannot be started: {e}"))?;
            lines += &String::from_utf8_lossy(&output.stdout);
        }
    }
    Ok(Results::parse(&lines))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(workload: &str, peer: &str, ms: f64, check: f64) -> String {
        format!(
            "{{\"workload\":\"{workload}\",\"peer\":\"{peer}\",\"version\":\"1.2\",\"ms_min\":{ms},\
             \"ms_median\":{},\"first_step_ms\":50,\"peak_rss_mb\":{},\"check_first\":2.5,\
             \"check_10\":{check},\"unknown\":[1]}}\n",
            ms * 1.5,
            ms * 10.0
        )
    }

    #[test]
    fn the_best_of_several_rounds_is_kept() {
        let text =
            line("W1", "brasa", 3.0, 1.0) + "a warning\n{}\n" + &line("W1", "brasa", 2.0, 1.0);
        let results = Results::parse(&text);
        let run = results.get("W1", "brasa").expect("there is a run");
        assert_eq!((run.ms_min, run.ms_median, run.peak_rss_mb), (2.0, 3.0, Some(30.0)));
        assert_eq!(results.0.len(), 1);
        assert_eq!(Results::parse(&results.lines()).0, results.0);
    }

    #[test]
    fn the_fastest_other_library_is_the_one_to_beat() {
        let runs = [("brasa", 1.0), ("slow", 9.0), ("quick", 4.0)];
        let text: String = runs.iter().map(|(peer, ms)| line("W1", peer, *ms, 1.0)).collect();
        let results = Results::parse(&text);
        assert_eq!(results.best_peer("W1").map(|run| run.peer.as_str()), Some("quick"));
        assert_eq!(results.best_peer("W2"), None);
        assert_eq!(results.peers(), ["slow", "quick"]);
        assert_eq!(results.versions(), ["brasa 1.2", "slow 1.2", "quick 1.2"]);
    }

    #[test]
    fn values_that_differ_by_more_than_a_thousandth_are_named() {
        let text = line("W1", "brasa", 1.0, 2.0) + &line("W1", "near", 1.0, 2.001);
        assert_eq!(Results::parse(&text).disagreements(), [""; 0]);
        let text = text + &line("W1", "far", 1.0, 2.01);
        let found = Results::parse(&text).disagreements();
        assert_eq!(found, ["W1, step 10: brasa 2, far 2.01"]);
    }

    #[test]
    fn disturbed_runs_are_named() {
        let quiet = line("W1", "calm", 1.0, 1.0).replace("\"unknown\":[1]", "\"other_cpu\":0.05");
        let busy = line("W1", "torch", 1.0, 1.0).replace("\"unknown\":[1]", "\"other_cpu\":0.75");
        let own = line("W1", "brasa", 1.0, 1.0).replace("\"unknown\":[1]", "\"other_cpu\":0.2");
        let unknown = line("W2", "brasa", 1.0, 1.0);
        let found = Results::parse(&(quiet + &busy + &own + &unknown)).disturbed();
        assert_eq!(found, ["W1: torch 75 %, brasa 20 %"]);
        // One quiet round is enough, since the best round counts.
        let calm = busy.replace("0.75", "0.02");
        assert_eq!(Results::parse(&(busy + &calm)).disturbed(), [""; 0]);
    }

    #[test]
    fn a_value_that_is_not_there_or_not_a_number_agrees_with_nothing() {
        assert!(!agree(None, None));
        assert!(!agree(Some(1.0), None));
        assert!(!agree(Some(f64::NAN), Some(f64::NAN)));
        assert!(agree(Some(0.0), Some(0.0)));
    }
}
