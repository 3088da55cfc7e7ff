//! Builds the copy. Drops the mutants that do not compile, according to the compiler's errors.
use crate::instrument::Instrumented;
use crate::mutants::Mutant;
use crate::tree::Tree;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The packages to build, with their tests.
const PACKAGES: [&str; 5] = ["brasa-ir", "brasa-compile", "brasa-cpu", "brasa-gpu", "brasa-fuzz"];

/// Tests rely on debug assertions and overflow checks, which release builds lack by default.
const PROFILE: [&str; 4] = [
    "profile.release.debug-assertions=true",
    "profile.release.overflow-checks=true",
    "profile.release.package.\"*\".debug-assertions=false",
    "profile.release.package.\"*\".overflow-checks=false",
];

/// An executable that was built.
#[derive(Clone, Debug)]
pub struct Program {
    pub package: String,
    /// The name of the test target, or of the crate for unit tests.
    pub target: String,
    pub is_test: bool,
    pub executable: PathBuf,
    /// The working directory that it expects.
    pub folder: PathBuf,
}

/// Writes the copy, drops mutants that do not compile, and builds the rest.
pub fn build(
    tree: &Tree,
    mutants: &mut Vec<Mutant>,
    folder: &Path,
) -> Result<Vec<Program>, String> {
    let target = &folder.join("build");
    let mut rejected = Rejected::read(folder.join("rejected"));
    loop {
        mutants.retain(|mutant| !rejected.keys.contains(&mutant.key()));
        let changed = tree.write(mutants)?;
        let messages = cargo(tree, target, &["check", "--lib"])?;
        let blamed = blame(&messages, &changed)?;
        if blamed.is_empty() {
            break;
        }
        println!("{} mutants do not compile", blamed.len());
        rejected.add(mutants.iter().filter(|mutant| blamed.contains(&mutant.id)))?;
    }
    let messages = cargo(tree, target, &["build", "--tests", "--bins"])?;
    let programs: Vec<Program> = messages.iter().filter_map(program).collect();
    match programs.is_empty() {
        true => Err("the copy does not build".to_string()),
        false => Ok(programs),
    }
}

/// Mutants that did not compile, kept in a file so that later runs do not build them again.
struct Rejected {
    file: PathBuf,
    keys: BTreeSet<String>,
}

impl Rejected {
    fn read(file: PathBuf) -> Rejected {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        Rejected { file, keys: text.lines().map(str::to_string).collect() }
    }

    fn add<'a>(&mut self, mutants: impl Iterator<Item = &'a Mutant>) -> Result<(), String> {
        self.keys.extend(mutants.map(Mutant::key));
        let lines: String = self.keys.iter().map(|key| format!("{key}\n")).collect();
        std::fs::write(&self.file, lines).map_err(|e| format!("{}: {e}", self.file.display()))
    }
}

/// Runs cargo; returns its JSON messages.
fn cargo(tree: &Tree, target: &Path, words: &[&str]) -> Result<Vec<Value>, String> {
    println!("== cargo {}", words.join(" "));
    let mut command = Command::new("cargo");
    command.args(words).args(["--release", "--quiet", "--message-format=json"]);
    command.args(PACKAGES.iter().flat_map(|package| ["--package", package]));
    command.args(PROFILE.iter().flat_map(|setting| ["--config", setting]));
    // The variables of the outer cargo refer to another workspace.
    command.env("CARGO_TARGET_DIR", target).env_remove("CARGO_MANIFEST_DIR");
    let output = command.current_dir(tree.copy()).stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| format!("cannot start cargo: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout).to_string();
    let messages: Vec<Value> =
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let has_errors = messages.iter().any(|message| error_of(message).is_some());
    match output.status.success() || has_errors && words[0] == "check" {
        true => Ok(messages),
        false => Err(format!("cargo {} failed\n{}", words.join(" "), errors(&messages))),
    }
}

/// The mutants that the compile errors refer to.
fn blame(
    messages: &[Value],
    changed: &BTreeMap<String, Instrumented>,
) -> Result<BTreeSet<u32>, String> {
    let mut blamed = BTreeSet::new();
    for error in messages.iter().filter_map(error_of) {
        let spans = error["spans"].as_array().into_iter().flatten();
        let primary = spans.clone().filter(|span| span["is_primary"] == true);
        let found = ids(primary, changed);
        // For mismatched types, the primary span may be the unchanged side.
        blamed.extend(if found.is_empty() { ids(spans, changed) } else { found });
    }
    let has_errors = messages.iter().any(|message| error_of(message).is_some());
    match has_errors && blamed.is_empty() {
        true => Err(format!("these errors are not caused by mutants\n{}", errors(messages))),
        false => Ok(blamed),
    }
}

fn ids<'a>(
    spans: impl Iterator<Item = &'a Value>,
    changed: &BTreeMap<String, Instrumented>,
) -> Vec<u32> {
    let of = |span: &Value| {
        let file = changed.get(span["file_name"].as_str()?)?;
        let at = |name: &str| span[name].as_u64().map(|byte| byte as usize);
        Some(file.blamed(&(at("byte_start")?..at("byte_end")?)))
    };
    spans.filter_map(of).flatten().collect()
}

fn error_of(message: &Value) -> Option<&Value> {
    let inner = &message["message"];
    let is_error = message["reason"] == "compiler-message" && inner["level"] == "error";
    // Skips the summary at the end, which has no spans.
    (is_error && inner["spans"].as_array().is_some_and(|spans| !spans.is_empty())).then_some(inner)
}

fn errors(messages: &[Value]) -> String {
    let errors = messages.iter().filter_map(error_of);
    errors.filter_map(|error| error["rendered"].as_str()).collect()
}

fn program(message: &Value) -> Option<Program> {
    let executable = message["executable"].as_str()?;
    let manifest = Path::new(message["manifest_path"].as_str()?);
    let id = message["package_id"].as_str()?;
    let is_test = message["profile"]["test"] == true;
    Some(Program {
        package: package_name(id).to_string(),
        target: message["target"]["name"].as_str()?.to_string(),
        is_test,
        executable: PathBuf::from(executable),
        folder: manifest.parent()?.to_path_buf(),
    })
}

/// The package name in `path+file:///…/crates/ir#brasa-ir@0.1.0`. The id omits the name if it
/// equals the folder's name.
fn package_name(id: &str) -> &str {
    let (path, version) = id.rsplit_once('#').unwrap_or((id, ""));
    match version.split_once('@') {
        Some((name, _)) => name,
        None => path.rsplit('/').next().unwrap_or(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn package_names_are_parsed() {
        assert_eq!(package_name("path+file:///a/crates/ir#brasa-ir@0.1.0"), "brasa-ir");
        assert_eq!(package_name("path+file:///a/crates/brasa#0.1.0"), "brasa");
    }
}
