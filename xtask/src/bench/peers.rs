//! Other libraries in the same run: the peer benchmark in `../shared` times them and Brasa back
//! to back, workload by workload and round by round.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Settings;
use super::runs::Results;

const DRIVER: &str = "../shared/bench/native/run_all.py";

/// The libraries that the driver can install and run.
pub(super) const NAMES: [&str; 7] = [
    "torch-eager",
    "torch-compile",
    "jax-jit",
    "candle",
    "tinygrad-clang",
    "burn-flex",
    "burn-ndarray",
];

/// Checks that the driver of the peer benchmark is present; the error says what is needed.
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

/// The Python with PyTorch that the driver installed.
pub(super) fn torch() -> Result<PathBuf, String> {
    let own = std::env::var_os("PEERS_HOME").map(PathBuf::from);
    let home = || std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache/peers-native"));
    let python = own.or_else(home).unwrap_or_default().join("venv-torch/bin/python");
    match python.is_file() {
        true => Ok(python),
        false => Err(format!(
            "{} is not present, so that PyTorch cannot be timed\n  \
             help: `cargo x bench --peers torch-eager --workloads W4` installs it",
            python.display()
        )),
    }
}

/// Times Brasa and others. The driver installs what is missing and prints its progress.
pub(super) fn run(
    root: &Path,
    brasa: &Path,
    workloads: &[String],
    settings: &Settings,
) -> Result<Results, String> {
    // Next to the binary, which is in a separate folder for each checkout.
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
    if let Some(priority) = settings.priority {
        command.args(["--prio", &priority.to_string()]);
    }
    // Discard its tables: they repeat ours.
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
    use clap::Parser;

    #[test]
    fn a_missing_list_means_the_usual_libraries_and_wrong_names_are_noticed() {
        #[derive(clap::Parser)]
        struct Line {
            #[command(flatten)]
            settings: Settings,
        }
        let parse = |words: &[&str]| Line::try_parse_from([&["bench"], words].concat());
        let peers = |words: &[&str]| parse(words).map(|line| line.settings.peers).ok();
        let usual = ["torch-eager", "torch-compile", "jax-jit", "candle"].map(String::from);
        assert_eq!(peers(&["--peers"]), Some(usual.to_vec()));
        assert_eq!(
            peers(&["--peers", "candle,jax-jit"]),
            Some(vec!["candle".into(), "jax-jit".into()])
        );
        assert_eq!(peers(&["--workloads", "W1,W2"]), Some(vec![]));
        assert_eq!(peers(&["--peers", "W1"]), None);
        assert_eq!(peers(&["gemm", "--peers"]), Some(usual.to_vec()));
        assert_eq!(peers(&["gemm", "--rounds", "2"]), None);
        assert_eq!(peers(&["--append"]), None);
    }

    #[test]
    fn without_the_peer_benchmark_it_says_what_is_needed() {
        let problem = check(Path::new("no/such/folder")).expect_err("there is no such folder");
        assert!(problem.starts_with("../shared/bench/native/run_all.py is not present"));
        assert!(problem.contains("results.jsonl") && problem.contains("without --peers"));
    }
}
