//! Lists the files of the project: everything below the root that `.gitignore` does not exclude.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// A text file, named by its path below the root with forward slashes.
pub(crate) struct File {
    pub(crate) path: String,
    pub(crate) text: String,
}

pub(crate) fn root() -> PathBuf {
    let manifest = env::var_os("CARGO_MANIFEST_DIR").expect("cargo runs this test");
    Path::new(&manifest).parent().expect("xtask lies in the root of the project").to_path_buf()
}

/// Every text file, sorted by path. Files that are not UTF-8 are binary data and skipped.
pub(crate) fn files() -> Vec<File> {
    let root = root();
    let ignored = fs::read_to_string(root.join(".gitignore")).expect(".gitignore can be read");
    let ignored: Vec<&str> = ignored.lines().map(|line| line.trim_start_matches('/')).collect();
    let mut files = Vec::new();
    walk(&root, "", &ignored, &mut files);
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

/// The files whose paths end with `end`.
pub(crate) fn files_ending(end: &str) -> Vec<File> {
    files().into_iter().filter(|file| file.path.ends_with(end)).collect()
}

fn walk(folder: &Path, prefix: &str, ignored: &[&str], files: &mut Vec<File>) {
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let entry = entry.expect("the entry can be read");
        let name = entry.file_name().into_string().expect("file names are UTF-8");
        if name == ".git" || ignored.iter().any(|pattern| matches(pattern, &name)) {
            continue;
        }
        let path = format!("{prefix}{name}");
        if entry.path().is_dir() {
            walk(&entry.path(), &format!("{path}/"), ignored, files);
        } else if let Ok(text) = fs::read_to_string(entry.path()) {
            files.push(File { path, text });
        }
    }
}

/// Supports the two kinds of pattern in our `.gitignore`: a name, and `*.extension`.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.strip_prefix('*') {
        Some(end) => name.ends_with(end),
        None => name == pattern,
    }
}
