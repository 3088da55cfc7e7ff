//! Measures the functions of all hand-written Rust, TypeScript and JavaScript: the lines from the
//! signature to the closing brace, both counted, with comments and blank lines. A function includes
//! the functions inside of it, as a reader sees it. Tests count like all other functions: no suite
//! of this project is registered by one callback around all of its tests.

mod rust;
mod script;

use crate::assert_none;
use crate::tree::{self, File};

/// No function is longer.
const LONGEST: usize = 80;

/// At most one function in a hundred is longer.
const P99: usize = 45;

/// A function of the file that was scanned.
#[derive(Debug, PartialEq)]
struct Function {
    name: String,
    line: usize,
    lines: usize,
}

/// A function and the path of its file.
type Place = (String, Function);

#[test]
fn rust_functions_are_short() {
    check(&[".rs"], 5_000, |file| rust::functions(&file.text));
}

#[test]
fn script_functions_are_short() {
    let ends = [".ts", ".tsx", ".mjs", ".js"];
    check(&ends, 1_500, |file| script::functions(&file.text, file.path.ends_with(".tsx")));
}

#[test]
fn long_functions_are_reported() {
    let places = |lengths: &[(usize, usize)]| -> Vec<Place> {
        let functions = lengths.iter().flat_map(|&(lines, count)| {
            (0..count).map(move |line| Function { name: "f".to_string(), line, lines })
        });
        functions.map(|function| ("a.rs".to_string(), function)).collect()
    };
    assert_eq!(too_long(places(&[(P99, 99), (LONGEST, 1)])), [""; 0]);
    assert_eq!(too_long(places(&[(P99, 199), (LONGEST + 1, 1)])), ["a.rs:0: f has 81 lines"]);
    let above = too_long(places(&[(P99, 98), (P99 + 1, 1), (P99 + 2, 1)]));
    assert_eq!(above, ["a.rs:0: f has 47 lines", "a.rs:0: f has 46 lines"]);
}

/// Scans the hand-written files and expects at least `min` functions: a scanner that misses them
/// finds nothing long.
fn check(ends: &[&str], min: usize, scan: fn(&File) -> Result<Vec<Function>, String>) {
    let is_measured =
        |path: &str| !path.contains("/generated/") && ends.iter().any(|end| path.ends_with(end));
    let mut places = Vec::new();
    let mut failures = Vec::new();
    for file in tree::files().into_iter().filter(|file| is_measured(&file.path)) {
        match scan(&file) {
            Ok(found) => places.extend(found.into_iter().map(|f| (file.path.clone(), f))),
            Err(reason) => failures.push(format!("{}: {reason}", file.path)),
        }
    }
    assert_none(failures);
    assert!(places.len() >= min, "only {} functions were found, expected {min}", places.len());
    println!("{}", figures(&places));
    assert_none(too_long(places));
}

/// Number, 99th percentile and maximum of the lengths, which `--nocapture` shows.
fn figures(places: &[Place]) -> String {
    let mut lengths: Vec<usize> = places.iter().map(|(_, function)| function.lines).collect();
    lengths.sort_unstable();
    let p99 = lengths[(lengths.len() * 99).div_ceil(100) - 1];
    let longest = lengths[lengths.len() - 1];
    format!("{} functions, 99th percentile {p99} lines, longest {longest}", lengths.len())
}

/// The functions above `LONGEST` or, if they are more than one in a hundred, those above `P99`;
/// longest first.
fn too_long(mut places: Vec<Place>) -> Vec<String> {
    let above = places.iter().filter(|(_, function)| function.lines > P99).count();
    let limit = if above * 100 > places.len() { P99 } else { LONGEST };
    places.retain(|(_, function)| function.lines > limit);
    places.sort_by_key(|(_, function)| std::cmp::Reverse(function.lines));
    let problem = |(path, f): Place| format!("{path}:{}: {} has {} lines", f.line, f.name, f.lines);
    places.into_iter().map(problem).collect()
}
