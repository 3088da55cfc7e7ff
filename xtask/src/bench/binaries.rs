//! Benchmarks of single crates: the files in `crates/*/benches`, found by name.

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

    /// Runs the benchmark, next to the PyTorch of `python` if it compares with PyTorch. Returns whether it succeeded.
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

/// The benchmarks of these names in the given order, or an error for a name that does not exist.
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
    for folder in entries(&root.join("crates")) {
        for file in entries(&root.join("crates").join(&folder).join("benches")) {
            if let Some(name) = file.strip_suffix(".rs") {
                let is_facade = folder == "brasa";
                let package = if is_facade { folder.clone() } else { format!("brasa-{folder}") };
                benches.push(Bench { package, name: name.to_string() });
            }
        }
    }
    benches
}

/// The sorted names in a folder; none if the folder does not exist.
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
