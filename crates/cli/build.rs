//! With the feature `studio`, generates a list of the built studio's files, to be embedded in the
//! binary.
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if env::var_os("CARGO_FEATURE_STUDIO").is_none() {
        return;
    }
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packages/studio/dist");
    assert!(
        page.join("index.html").is_file(),
        "the feature `studio` requires the built page: run `cargo x build studio`"
    );
    println!("cargo::rerun-if-changed={}", page.display());
    let mut files = vec![page.join("index.html"), page.join("ember.svg")];
    collect_files(&page.join("assets"), &mut files);
    let mut list = String::from("pub static FILES: &[(&str, &[u8])] = &[\n");
    for file in files {
        let name = file.strip_prefix(&page).expect("file is inside the folder");
        let name = name.to_string_lossy().replace('\\', "/");
        let path = file.canonicalize().expect("file exists");
        _ = writeln!(list, "    ({name:?}, include_bytes!({path:?})),");
    }
    list += "];\n";
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join("studio.rs");
    fs::write(out, list).expect("OUT_DIR is writable");
}

/// All files below a folder, sorted.
fn collect_files(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut entries: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        match path.is_dir() {
            true => collect_files(&path, files),
            false => files.push(path),
        }
    }
}
