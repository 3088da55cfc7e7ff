//! Checks the Markdown pages: links resolve, the tests they name exist, quoted code is current, and licence
//! files are present.

use std::fs;
use std::path::Path;

use crate::assert_none;
use crate::tree::{self, File};

#[test]
fn links_between_files_resolve() {
    let pages = tree::files_ending(".md");
    assert!(pages.len() > 1, "there are no pages to look at");
    assert_none(pages.iter().flat_map(|page| dead_links(&tree::root(), page)).collect());
}

#[test]
fn tests_named_in_pages_exist() {
    let pages = tree::files_ending(".md");
    assert_none(pages.iter().flat_map(|page| missing_tests(&tree::root(), page)).collect());
}

/// A code block after `<!-- from path -->` is quoted from that file.
#[test]
fn quoted_code_is_current() {
    let mut quotes = 0;
    for page in tree::files_ending(".md") {
        for part in page.text.split("<!-- from ").skip(1) {
            let (path, rest) = part.split_once(" -->").expect("the comment ends");
            let code = rest.split("```").nth(1).expect("a code block follows");
            let code = code.split_once('\n').expect("the block has lines").1;
            let source = fs::read_to_string(tree::root().join(path)).unwrap_or_default();
            assert!(source.contains(code.trim_end()), "{}: {path} has changed:\n{code}", page.path);
            quotes += 1;
        }
    }
    assert!(quotes > 0, "no page quotes any code");
}

#[test]
fn architecture_fits_two_screens() {
    let page = fs::read_to_string(tree::root().join("ARCHITECTURE.md")).unwrap();
    let count = page.lines().count();
    assert!((20..=120).contains(&count), "ARCHITECTURE.md has {count} lines, two screens are 120");
}

#[test]
fn the_code_map_names_every_crate_and_package() {
    let page = fs::read_to_string(tree::root().join("ARCHITECTURE.md")).unwrap();
    let (_, map) = page.split_once("## Code map").expect("there is a code map");
    let parts = tree::files().into_iter().filter_map(|file| part_of(&file.path));
    let missing = parts.filter(|part| !map.lines().any(|line| line.trim().starts_with(part)));
    let mut missing: Vec<String> =
        missing.map(|part| format!("{part}is missing in the code map")).collect();
    missing.dedup();
    assert_none(missing);
}

/// The crate or package that a file belongs to, followed by a space.
fn part_of(path: &str) -> Option<String> {
    let parts: Vec<&str> = path.split('/').collect();
    match parts[..] {
        ["crates" | "packages", name, _, ..] => Some(format!("{}/{name} ", parts[0])),
        _ => None,
    }
}

#[test]
fn the_readme_says_what_may_change() {
    let page = fs::read_to_string(tree::root().join("README.md")).unwrap();
    let words: Vec<&str> = page.split_whitespace().collect();
    let is_before_one = fs::read_to_string(tree::root().join("Cargo.toml"))
        .is_ok_and(|manifest| manifest.contains("\nversion = \"0."));
    let says_so = words.join(" ").contains("The API may change before 1.0");
    assert_eq!(says_so, is_before_one, "README.md on a change of the API");
}

#[test]
fn licence_files_exist() {
    let files = [
        ("LICENSE-MIT", "Permission is hereby granted, free of charge"),
        ("LICENSE-APACHE", "Apache License"),
        ("Cargo.toml", "license = \"MIT OR Apache-2.0\""),
    ];
    for (path, words) in files {
        let text = fs::read_to_string(tree::root().join(path)).unwrap_or_default();
        assert!(text.contains(words), "{path} does not say: {words}");
    }
}

#[test]
fn dead_links_and_missing_tests_are_reported() {
    let text = "# A page\n\
        [good](README.md) [part](#a-page) [web](https://example.com) `[code](no.md)`\n\
        [bad](no-such-file.md) [lost](#no-such-part)\n\
        ```\n[fenced](no.md)\n```\n\
        `xtask/tests/tidy/docs.rs::licence_files_exist` `xtask/tests/tidy/docs.rs::no_such`\n";
    let page = File { path: "page.md".to_string(), text: text.to_string() };
    let links = dead_links(&tree::root(), &page);
    assert_eq!(links, ["page.md: dead link no-such-file.md", "page.md: dead link #no-such-part"]);
    let tests = missing_tests(&tree::root(), &page);
    assert_eq!(tests, ["page.md: xtask/tests/tidy/docs.rs has no test no_such"]);
}

/// Whether `path/to/file.rs::test_name` names a test that exists, and if not, why.
/// In a TypeScript file the name is the title of the test.
pub(crate) fn test_exists(root: &Path, place: &str) -> Result<(), String> {
    let Some((path, name)) = place.split_once("::") else {
        return Err(format!("{place} is not of the form path::test"));
    };
    let Ok(text) = fs::read_to_string(root.join(path)) else {
        return Err(format!("{path} does not exist"));
    };
    let is_there = if path.ends_with(".rs") {
        text.contains(&format!("fn {name}("))
    } else if path.ends_with(".mjs") {
        // Tests of the studio are the fields of one object.
        text.contains(&format!("\n  '{name}': "))
    } else {
        let titled =
            |open| ["\"", "'", "`"].iter().any(|q| text.contains(&format!("{open}({q}{name}{q}")));
        titled("test") || titled("it")
    };
    if is_there { Ok(()) } else { Err(format!("{path} has no test {name}")) }
}

fn missing_tests(root: &Path, page: &File) -> Vec<String> {
    let prose = outside_fences(&page.text);
    let spans = prose.iter().flat_map(|line| line.split('`').skip(1).step_by(2));
    let places =
        spans.filter(|span| [".rs::", ".ts::", ".mjs::"].iter().any(|end| span.contains(end)));
    let missing = places.filter_map(|place| test_exists(root, place).err());
    missing.map(|problem| format!("{}: {problem}", page.path)).collect()
}

fn dead_links(root: &Path, page: &File) -> Vec<String> {
    let links = outside_fences(&page.text).into_iter().flat_map(links);
    let dead = links.filter(|link| !resolves(root, page, link));
    dead.map(|link| format!("{}: dead link {link}", page.path)).collect()
}

/// Addresses on the web are not followed: tests need no network.
fn resolves(root: &Path, page: &File, link: &str) -> bool {
    if link.contains("://") || link.starts_with("mailto:") {
        return true;
    }
    let (path, part) = link.split_once('#').unwrap_or((link, ""));
    let folder = root.join(&page.path);
    let target = folder.parent().expect("a file lies in a folder").join(path);
    if path.is_empty() {
        return anchors(&page.text).contains(&part.to_string());
    }
    target.exists() && (part.is_empty() || anchors_of(&target).contains(&part.to_string()))
}

fn anchors_of(file: &Path) -> Vec<String> {
    anchors(&fs::read_to_string(file).unwrap_or_default())
}

/// The anchor of each heading, as hosts of Markdown derive it.
fn anchors(text: &str) -> Vec<String> {
    let headings = outside_fences(text).into_iter().filter(|line| line.starts_with('#'));
    let anchor = |line: &str| {
        let words = line.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
        words.chars().filter(|c| c.is_alphanumeric() || "-_".contains(*c)).collect()
    };
    headings.map(anchor).collect()
}

/// The targets of `[text](target)`, code spans left out.
fn links(line: &str) -> Vec<&str> {
    let prose = line.split('`').step_by(2);
    let targets = prose.flat_map(|part| part.split("](").skip(1));
    targets.filter_map(|rest| rest.split(')').next()).collect()
}

fn outside_fences(text: &str) -> Vec<&str> {
    let mut is_fenced = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_fenced = !is_fenced;
        } else if !is_fenced {
            lines.push(line);
        }
    }
    lines
}
