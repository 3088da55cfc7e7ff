//! The copy of the workspace that mutants are inserted into. Unchanged files keep their
//! modification time, so that cargo does not rebuild them.
use crate::instrument::{Instrumented, MODULE};
use crate::mutants::{Mutant, numbered_sites};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub struct Tree {
    root: PathBuf,
    copy: PathBuf,
    paths: Vec<String>,
}

impl Tree {
    /// The files below the root that git tracks or would add.
    pub fn new(root: &Path, copy: PathBuf) -> Result<Tree, String> {
        let arguments = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
        let output = Command::new("git").args(arguments).current_dir(root).output();
        let output = output.map_err(|error| format!("cannot start git: {error}"))?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).to_string());
        }
        let text = String::from_utf8_lossy(&output.stdout).to_string();
        let paths = text.split('\0').filter(|path| !path.is_empty());
        let paths = paths.filter(|path| root.join(path).is_file()).map(str::to_string).collect();
        Ok(Tree { root: root.to_path_buf(), copy, paths })
    }

    pub fn copy(&self) -> &Path {
        &self.copy
    }

    pub fn paths(&self) -> &[String] {
        &self.paths
    }

    pub fn read(&self, path: &str) -> Result<String, String> {
        fs::read_to_string(self.root.join(path)).map_err(|error| format!("{path}: {error}"))
    }

    /// Writes the copy with mutants inserted. Returns the mutated files.
    pub fn write(&self, mutants: &[Mutant]) -> Result<BTreeMap<String, Instrumented>, String> {
        let files: BTreeSet<&String> = mutants.iter().map(|mutant| &mutant.path).collect();
        let crates: BTreeSet<String> = files.iter().map(|path| lib_of(path)).collect();
        let mut changed = BTreeMap::new();
        for path in &self.paths {
            let has_module = crates.contains(path);
            if !files.contains(path) && !has_module {
                let bytes = fs::read(self.root.join(path)).map_err(|e| format!("{path}: {e}"))?;
                self.put(path, &bytes)?;
                continue;
            }
            let source = self.read(path)?;
            let mut all = Instrumented::new(&source, &numbered_sites(mutants, path));
            if has_module {
                all.text.push_str(MODULE);
            }
            self.put(path, all.text.as_bytes())?;
            changed.insert(path.clone(), all);
        }
        self.remove_others()?;
        Ok(changed)
    }

    fn put(&self, path: &str, bytes: &[u8]) -> Result<(), String> {
        let to = self.copy.join(path);
        if fs::read(&to).is_ok_and(|old| old == bytes) {
            return Ok(());
        }
        let folder = to.parent().unwrap_or(&self.copy);
        let result = fs::create_dir_all(folder).and_then(|()| fs::write(&to, bytes));
        result.map_err(|error| format!("{}: {error}", to.display()))
    }

    /// Removes files that are no longer part of the project, so that removed tests do not run.
    fn remove_others(&self) -> Result<(), String> {
        let known: BTreeSet<&str> = self.paths.iter().map(String::as_str).collect();
        let mut folders = vec![self.copy.clone()];
        while let Some(folder) = folders.pop() {
            let entries =
                fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
            for entry in entries.flatten() {
                let path = entry.path();
                let name = path.strip_prefix(&self.copy).unwrap_or(&path).to_string_lossy();
                if path.is_dir() {
                    folders.push(path);
                } else if !known.contains(&*name) && name.ends_with(".rs") {
                    fs::remove_file(&path).map_err(|e| format!("{}: {e}", path.display()))?;
                }
            }
        }
        Ok(())
    }
}

/// The root module of the crate that a file belongs to.
fn lib_of(path: &str) -> String {
    let end = path.find("/src/").map_or(path.len(), |at| at + "/src/".len());
    format!("{}lib.rs", &path[..end])
}
