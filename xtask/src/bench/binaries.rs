//! The benchmarks of single crates: the files of `crates/*/benches`, found by name.

use std::fs;
use std::path::Path;
use std::process::Command;

/// A benchmark and the crate it belongs to.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Bench {
    package: String,
    name: String,
}

impl Bench {
    fn arguments(&self) -> [&str; 5] {
        ["bench", "--package", &self.package, "--bench", &self.name]
    }

    /// Runs it, beside the PyTorch of a Python where it asks for that; whether it went well.
    pub(super) fn run(&self, root: &Path, torch: Option<&Path>) -> bool {
        let mut cargo = Command::new("cargo");
        cargo.args(self.arguments()).current_dir(root);
        if let Some(python) = torch {
            cargo.env("BENCH_TORCH", python);
        }
        let status = cargo.status();
        if let Err(error) = &status {
            eprintln!("cargo cannot be started: {error}");
        }
        status.is_ok_and(|status| status.success())
    }
}

/// The benchmarks of these names, in their order, or which of them does not exist.
pub(super) fn find(root: &Path, names: &[String]) -> Result<Vec<Bench>, String> {
    let known = all(root);
    let named = |name: &String| {
        let found = known.iter().find(|bench| bench.name == *name).cloned();
        found.ok_or_else(|| {
            let known: Vec<&str> = known.iter().map(|bench| bench.name.as_str()).collect();
            format!("there is no benchmark '{name}'; there are {}", known.join(", "))
        })
    };
    names.iter().map(named).collect()
}

fn all(root: &Path) -> Vec<Bench> {
    let mut benches = Vec::new();
    for room in entries(&root.join("crates")) {
        for file in entries(&root.join("crates").join(&room).join("benches")) {
            if let Some(name) = file.strip_suffix(".rs") {
                let package = if room == "brasa" { room.clone() } else { format!("brasa-{room}") };
                benches.push(Bench { package, name: name.to_string() });
            }
        }
    }
    benches
}

/// The names in a folder, in order; none where there is no folder.
fn entries(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort_unstable();
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup;

    #[test]
    fn benchmarks_are_found_by_name() {
        let names = ["gemm".to_string(), "record".to_string()];
        let found = find(&setup::root(), &names).expect("both exist");
        let commands: Vec<String> = found.iter().map(|bench| bench.arguments().join(" ")).collect();
        assert_eq!(
            commands,
            [
                "bench --package brasa-cpu --bench gemm",
                "bench --package brasa-compile --bench record"
            ]
        );
        let problem = find(&setup::root(), &["ghost".to_string()]).expect_err("there is no ghost");
        assert!(problem.starts_with("there is no benchmark 'ghost'; there are "), "{problem}");
        assert!(problem.contains("gemm"), "{problem}");
    }
}
