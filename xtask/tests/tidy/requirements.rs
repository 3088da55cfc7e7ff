//! Checks `docs/requirements.md`: each id has one line with its text, and the line names a test or a
//! decision that exists, or the crate or package that still has to cover it.

use std::fs;
use std::path::Path;

use crate::docs::test_exists;
use crate::{assert_none, tree};

/// Letter and last number of each group of ids.
const IDS: [(&str, u32); 5] = [("T", 94), ("W", 45), ("A", 21), ("X", 62), ("P", 96)];

/// The crates, packages and folders that an open requirement can name.
const OWNERS: [&str; 12] = [
    "crates/ir",
    "crates/compile",
    "crates/cpu",
    "crates/gpu",
    "crates/brasa",
    "crates/onnx",
    "crates/web",
    "crates/cli",
    "packages/brasa",
    "packages/studio",
    "xtask",
    "docs",
];

#[test]
fn every_requirement_has_one_true_line() {
    let page = fs::read_to_string(tree::root().join("docs/requirements.md")).unwrap();
    assert_none(problems(&tree::root(), &page));
}

#[test]
fn false_lines_are_reported() {
    let root = tree::root();
    let good = [
        "| T4 | A text | open | crates/web |",
        "| T4 | A text | adr | docs/adr/0000-record-decisions.md |",
        "| T4 | A text | test | xtask/tests/tidy/requirements.rs::false_lines_are_reported |",
        "| T4 | A text | test | packages/studio/tests/train.test.mjs::the page fits a phone |",
    ];
    for line in good {
        assert_eq!(problem_of(&root, line), None, "{line}");
    }
    let bad = [
        "| T4 | A text | open | crates/nowhere |",
        "| T4 | A text | adr | docs/adr/9999-no-such-decision.md |",
        "| T4 | A text | adr | README.md |",
        "| T4 | A text | test | xtask/tests/tidy/requirements.rs::no_such_test |",
        "| T4 | A text | test | xtask/tests/no_such_file.rs::a_test |",
        "| T4 | A text | test | packages/studio/tests/train.test.mjs::the page fits |",
        "| T4 | A text | done | crates/ir |",
        "| T4 | open | crates/ir |",
        "| T4 | | open | crates/ir |",
        "| T4 | A text | open | crates/ir | later |",
        "| T95 | A text | open | crates/ir |",
    ];
    for line in bad {
        assert!(problem_of(&root, line).is_some(), "{line}");
    }
}

#[test]
fn missing_and_duplicate_lines_are_reported() {
    let lines: Vec<String> =
        ids().iter().map(|id| format!("| {id} | A text | open | docs |")).collect();
    let found = |lines: &[String]| problems(&tree::root(), &lines.join("\n"));
    assert_eq!(found(&lines), [""; 0]);
    assert_eq!(found(&lines[1..]), ["T1 has 0 lines"]);
    assert_eq!(found(&[&lines[..1], &lines].concat()), ["T1 has 2 lines"]);
}

fn ids() -> Vec<String> {
    let group = |(letter, last)| (1..=last).map(move |number| format!("{letter}{number}"));
    IDS.into_iter().flat_map(group).collect()
}

fn problems(root: &Path, page: &str) -> Vec<String> {
    let is_entry = |line: &&str| {
        line.starts_with('|') && !line.starts_with("| id ") && !line.starts_with("|-")
    };
    let entries: Vec<&str> = page.lines().filter(is_entry).collect();
    let mut problems: Vec<String> =
        entries.iter().filter_map(|entry| problem_of(root, entry)).collect();
    for id in ids() {
        let start = format!("| {id} |");
        let count = entries.iter().filter(|entry| entry.starts_with(&start)).count();
        if count != 1 {
            problems.push(format!("{id} has {count} lines"));
        }
    }
    problems
}

fn problem_of(root: &Path, entry: &str) -> Option<String> {
    let cells: Vec<&str> = entry.trim_matches('|').split('|').map(str::trim).collect();
    let [id, text, kind, place] = cells[..] else {
        return Some(format!("not of the form | id | requirement | kind | where |: {entry}"));
    };
    if text.is_empty() {
        return Some(format!("{id} has no text"));
    }
    if !ids().iter().any(|known| known == id) {
        return Some(format!("{id} is not a requirement"));
    }
    match kind {
        "test" => test_exists(root, place).err().map(|problem| format!("{id}: {problem}")),
        "adr" => {
            let is_there = place.starts_with("docs/adr/") && root.join(place).is_file();
            (!is_there).then(|| format!("{id}: there is no decision {place}"))
        }
        "open" => {
            let is_owner = OWNERS.contains(&place);
            (!is_owner).then(|| format!("{id}: {place} is not a crate, package or folder"))
        }
        _ => Some(format!("{id}: {kind} is not test, adr or open")),
    }
}
