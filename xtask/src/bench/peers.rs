//! Other libraries in the same run: the peer benchmark beside the project times them and Brasa back
//! to back, workload by workload and round by round.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::Settings;
use super::runs::Results;

const DRIVER: &str = "../shared/bench/native/run_all.py";

/// Whether the driver of the peer benchmark is there, and if not, what is needed.
pub(super) fn check(root: &Path) -> Result<(), String> {
    if root.join(DRIVER).is_file() {
        return Ok(());
    }
    Err(format!(
        "{DRIVER} is not present, so that no other library can be timed\n  \
         help: put the peer benchmark there: a Python 3 program that takes \
         --workloads, --peers, --rounds, --extra 'name=command' and --out DIR, \
         calls each command with the name of a workload, \
         and writes what the command prints, one line of JSON, to DIR/results.jsonl\n  \
         help: `cargo x bench` without --peers times Brasa alone"
    ))
}

/// Times Brasa and others. The driver installs what is missing and tells how it gets on.
pub(super) fn run(
    root: &Path,
    brasa: &Path,
    workloads: &[String],
    settings: &Settings,
) -> Result<Results, String> {
    // Beside the binary, which is in a folder of its own for each checkout.
    let out = brasa.with_file_name("bench-peers");
    let mut command = Command::new("python3");
    command.arg(root.join(DRIVER));
    command.args(["--workloads", &workloads.join(","), "--peers", &settings.peers.join(",")]);
    command.args(["--rounds", &settings.rounds.to_string()]);
    command.args(["--extra", &format!("brasa='{}' bench", brasa.display())]);
    command.arg("--out").arg(&out);
    if settings.append {
        command.arg("--append");
    }
    // Its own tables say the same as ours.
    command.stdout(std::process::Stdio::null());
    let status = command.status().map_err(|e| format!("python3 cannot be started: {e}"))?;
    if !status.success() {
        return Err(format!("the peer benchmark failed: {status}"));
    }
    let results = out.join("results.jsonl");
    let text = fs::read_to_string(&results);
    let text = text.map_err(|e| format!("{} cannot be read: {e}", results.display()))?;
    Ok(Results::parse(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_the_peer_benchmark_it_says_what_is_needed() {
        let problem = check(Path::new("no/such/folder")).expect_err("there is no such folder");
        assert!(problem.starts_with("../shared/bench/native/run_all.py is not present"));
        assert!(problem.contains("results.jsonl") && problem.contains("without --peers"));
    }
}
