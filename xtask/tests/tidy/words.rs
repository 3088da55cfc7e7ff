//! Refuses words that the project replaced by the terms of the field. `docs/glossary.md` has the terms.

use crate::assert_none;
use crate::tree::{self, File};

/// A word that must not come back, and the term to use.
const REFUSED: &[(&str, &str)] = &[
    ("room", "module, category, capacity, buffer or panel"),
    ("rooms", "modules, categories, buffers or panels"),
    ("beside", "concurrent, next to, or in addition to"),
    ("winner", "arg_reduce, or the index of the maximum"),
    ("winners", "arg_reduce, or the indices of the maxima"),
    ("seam", "interface, or split_axes"),
    ("seams", "split_axes"),
    ("carve", "extract"),
    ("carved", "extracted"),
    ("bereft", "device lost"),
    ("heir", "fallback engine"),
    ("tame", "clip"),
    ("tames", "clips"),
    ("unchained", "without the JIT"),
    ("anew", "again"),
    ("wherefrom", "from where"),
];

/// Paths that are not checked: records are history, the tale is training data, and the changelog, the
/// glossary and this file name the words.
const EXEMPT: &[&str] = &[
    "bench/record/",
    "CHANGELOG.md",
    "docs/glossary.md",
    "crates/brasa/src/data/tale.rs",
    "xtask/tests/tidy/words.rs",
];

/// Files of prose and code; data files such as JSON hold words of others.
const ENDINGS: &[&str] = &[".rs", ".ts", ".tsx", ".mjs", ".md", ".wgsl", ".css", ".html"];

#[test]
fn replaced_words_do_not_come_back() {
    let files = tree::files().into_iter().filter(is_checked);
    assert_none(files.flat_map(|file| refused(&file)).collect());
}

#[test]
fn a_replaced_word_is_reported_in_prose_and_in_names() {
    let file = |text: &str| File { path: "a.rs".to_string(), text: text.to_string() };
    let found = refused(&file(
        "// makes room\nlet allocated = 1;\nfn row_winner() {}\nlet isBeside = 1;\n",
    ));
    let lines: Vec<&str> = found.iter().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(lines, ["a.rs:1:", "a.rs:3:", "a.rs:4:"], "{found:?}");
    assert_eq!(refused(&file("let headroom = besides; // a roomy theme\n")), [""; 0]);
}

fn is_checked(file: &File) -> bool {
    ENDINGS.iter().any(|end| file.path.ends_with(end))
        && !EXEMPT.iter().any(|path| file.path.starts_with(path))
}

fn refused(file: &File) -> Vec<String> {
    let mut problems = Vec::new();
    for (number, line) in (1..).zip(file.text.lines()) {
        for word in words(line) {
            if let Some((_, term)) = REFUSED.iter().find(|(refused, _)| *refused == word) {
                problems.push(format!("{}:{number}: `{word}`: use {term}", file.path));
            }
        }
    }
    problems
}

/// The words of a line in lower case. Names are split at underscores and at capitals.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for c in line.chars() {
        if !c.is_alphabetic() || (c.is_uppercase() && was_lower) {
            words.push(String::new());
        }
        if c.is_alphabetic() {
            words.last_mut().expect("there is one").extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}
