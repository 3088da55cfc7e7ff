//! Checks that hold for every file: a header, no `unsafe` outside of two crates, no machine paths, no
//! trailing blanks.

use crate::assert_none;
use crate::tree::{self, File};

/// Crates without `unsafe`. Only the CPU device and the wasm glue need it.
const SAFE_CRATES: [&str; 6] = [
    "crates/ir/",
    "crates/compile/",
    "crates/gpu/",
    "crates/macros/",
    "crates/brasa/",
    "crates/cli/",
];

/// First folders of absolute paths that exist on one machine only.
const MACHINE_FOLDERS: [&str; 6] = ["root", "home", "Users", "tmp", "work", "mnt"];

#[test]
fn source_files_say_what_they_are() {
    assert_none(problems(".rs", introduction));
}

#[test]
fn safe_crates_have_no_unsafe() {
    let sources = tree::files_ending(".rs").into_iter();
    let sources = sources.filter(|file| SAFE_CRATES.iter().any(|path| file.path.starts_with(path)));
    assert_none(sources.flat_map(|file| unsafe_lines(&file)).collect());
}

#[test]
fn no_file_names_a_path_of_one_machine() {
    assert_none(problems("", machine_paths));
}

#[test]
fn no_line_ends_in_blanks() {
    assert_none(problems("", trailing_blanks));
}

#[test]
fn broken_rules_are_reported() {
    let found = |check: fn(&File) -> Vec<String>, text: &str| {
        check(&File { path: "a.rs".to_string(), text: text.to_string() })
    };
    assert_eq!(found(introduction, "use std::fs;\n\nfn main() {}\n").len(), 1);
    assert_eq!(found(introduction, "//! Adds.\n\nfn main() {}\n").len(), 0);
    assert_eq!(found(unsafe_lines, "// unsafe\nlet x = unsafe { y };\n"), ["a.rs:2: unsafe"]);
    assert_eq!(found(unsafe_lines, "#![forbid(unsafe_code)]\n").len(), 0);
    let machine = MACHINE_FOLDERS.map(|folder| format!("see \"/{folder}/notes\"")).join("\n");
    assert_eq!(found(machine_paths, &machine).len(), MACHINE_FOLDERS.len());
    let elsewhere = |folder| format!("https://example.com/{folder}/ docs/{folder}/a ../{folder}/b");
    assert_eq!(found(machine_paths, &MACHINE_FOLDERS.map(elsewhere).join("\n")).len(), 0);
    assert_eq!(found(trailing_blanks, "a \nb\n\tc\t\n").len(), 2);
}

/// The problems that `check` finds in the files whose names end with `end`.
fn problems(end: &str, check: fn(&File) -> Vec<String>) -> Vec<String> {
    let files = tree::files_ending(end);
    assert!(!files.is_empty(), "there is no file to look at");
    files.iter().flat_map(check).collect()
}

fn introduction(file: &File) -> Vec<String> {
    if file.text.starts_with("//!") {
        vec![]
    } else {
        vec![format!("{}: does not begin with //!", file.path)]
    }
}

fn unsafe_lines(file: &File) -> Vec<String> {
    lines(file, "unsafe", |line| {
        let code = line.split("//").next().unwrap_or_default();
        // Words with hyphens, such as `unsafe-eval` of a content security policy, are not keywords.
        code.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-')
            .any(|word| word == "unsafe")
    })
}

fn machine_paths(file: &File) -> Vec<String> {
    let folders = MACHINE_FOLDERS.map(|folder| format!("/{folder}/"));
    lines(file, "a path of one machine", |line| {
        folders.iter().any(|folder| {
            // After a letter or a dot the folder is part of a longer path or of an address.
            let is_start = |at: usize| {
                !line[..at].ends_with(|c: char| c.is_alphanumeric() || "._-}".contains(c))
            };
            line.match_indices(folder).any(|(at, _)| is_start(at))
        })
    })
}

fn trailing_blanks(file: &File) -> Vec<String> {
    lines(file, "ends in blanks", |line| line.ends_with([' ', '\t']))
}

/// One problem per line for which `is_bad` holds.
fn lines(file: &File, problem: &str, is_bad: impl Fn(&str) -> bool) -> Vec<String> {
    let numbered = (1..).zip(file.text.lines());
    let bad = numbered.filter(|(_, line)| is_bad(line));
    bad.map(|(number, _)| format!("{}:{number}: {problem}", file.path)).collect()
}
