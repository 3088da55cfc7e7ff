//! Builds the copy. Changes that do not compile are dropped: which these are, the compiler tells.
use crate::instrument::Instrumented;
use crate::mutants::Mutant;
use crate::tree::Tree;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The packages that are built with their tests.
const PACKAGES: [&str; 5] = ["brasa-ir", "brasa-compile", "brasa-cpu", "brasa-gpu", "brasa-fuzz"];

/// Tests rely on assertions and on checks of overflow, which builds for release do not have.
const PROFILE: [&str; 4] = [
    "profile.release.debug-assertions=true",
    "profile.release.overflow-checks=true",
    "profile.release.package.\"*\".debug-assertions=false",
    "profile.release.package.\"*\".overflow-checks=false",
];

/// A program that was built.
#[derive(Clone, Debug)]
pub struct Program {
    pub package: String,
    /// The name of the test, or of the crate if these are the tests inside it.
    pub target: String,
    pub is_test: bool,
    pub executable: PathBuf,
    /// Where it expects to run.
    pub folder: PathBuf,
}

/// Writes the copy, drops what does not compile, and builds the rest.
pub fn build(
    tree: &Tree,
    mutants: &mut Vec<Mutant>,
    folder: &Path,
) -> Result<Vec<Program>, String> {
    let target = &folder.join("build");
    let mut refused = Refused::read(folder.join("refused"));
    loop {
        mutants.retain(|mutant| !refused.keys.contains(&mutant.key()));
        let changed = tree.write(mutants)?;
        let messages = cargo(tree, target, &["check", "--lib"])?;
        let blamed = blame(&messages, &changed)?;
        if blamed.is_empty() {
            break;
        }
        println!("{} changes do not compile", blamed.len());
        refused.add(mutants.iter().filter(|mutant| blamed.contains(&mutant.id)))?;
    }
    let messages = cargo(tree, target, &["build", "--tests", "--bins"])?;
    let programs: Vec<Program> = messages.iter().filter_map(program).collect();
    match programs.is_empty() {
        true => Err("the copy does not build".to_string()),
        false => Ok(programs),
    }
}

/// Changes that did not compile, in a file: were they written again, all would have to be built again.
struct Refused {
    file: PathBuf,
    keys: BTreeSet<String>,
}

impl Refused {
    fn read(file: PathBuf) -> Refused {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        Refused { file, keys: text.lines().map(str::to_string).collect() }
    }

    fn add<'a>(&mut self, mutants: impl Iterator<Item = &'a Mutant>) -> Result<(), String> {
        self.keys.extend(mutants.map(Mutant::key));
        let lines: String = self.keys.iter().map(|key| format!("{key}\n")).collect();
        std::fs::write(&self.file, lines).map_err(|e| format!("{}: {e}", self.file.display()))
    }
}

/// What cargo says.
fn cargo(tree: &Tree, target: &Path, words: &[&str]) -> Result<Vec<Value>, String> {
    println!("== cargo {}", words.join(" "));
    let mut command = Command::new("cargo");
    command.args(words).args(["--release", "--quiet", "--message-format=json"]);
    command.args(PACKAGES.iter().flat_map(|package| ["--package", package]));
    command.args(PROFILE.iter().flat_map(|setting| ["--config", setting]));
    // Variables of the cargo that runs this are about another workspace.
    command.env("CARGO_TARGET_DIR", target).env_remove("CARGO_MANIFEST_DIR");
    let output = command.current_dir(tree.copy()).stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| format!("cargo cannot be started: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout).to_string();
    let messages: Vec<Value> =
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let has_errors = messages.iter().any(|message| error_of(message).is_some());
    match output.status.success() || has_errors && words[0] == "check" {
        true => Ok(messages),
        false => Err(format!("cargo {} failed\n{}", words.join(" "), errors(&messages))),
    }
}

/// The changes that errors are about.
fn blame(
    messages: &[Value],
    changed: &BTreeMap<String, Instrumented>,
) -> Result<BTreeSet<u32>, String> {
    let mut blamed = BTreeSet::new();
    for error in messages.iter().filter_map(error_of) {
        let spans = error["spans"].as_array().into_iter().flatten();
        let primary = spans.clone().filter(|span| span["is_primary"] == true);
        let found = ids(primary, changed);
        // Types that differ may be shown at what is right.
        blamed.extend(if found.is_empty() { ids(spans, changed) } else { found });
    }
    let has_errors = messages.iter().any(|message| error_of(message).is_some());
    match has_errors && blamed.is_empty() {
        true => Err(format!("no change explains these errors\n{}", errors(messages))),
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
    // The last one only counts the others.
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

/// `path+file:///…/crates/ir#brasa-ir@0.1.0`: of a folder with the package's name the name is left out.
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
    fn packages_have_names() {
        assert_eq!(package_name("path+file:///a/crates/ir#brasa-ir@0.1.0"), "brasa-ir");
        assert_eq!(package_name("path+file:///a/crates/brasa#0.1.0"), "brasa");
    }
}
