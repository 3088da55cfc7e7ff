//! Checks the dependencies between crates. Crates form layers: a crate may depend only on crates of
//! earlier layers, so two crates of one layer never depend on each other.

use std::process::Command;

use serde_json::Value;

use crate::{assert_none, tree};

const LAYERS: &[&[&str]] = &[
    &["brasa-macros"],
    &["brasa-ir"],
    &["brasa-compile"],
    &["brasa-cpu", "brasa-gpu"],
    &["brasa"],
    &["brasa-cli", "brasa-web"],
    &["brasa-fuzz", "brasa-mutants", "xtask", "xtask-wasm"],
];

/// External crates that only one of our crates may depend on.
const OWNED: &[(&str, &str)] = &[
    ("wgpu", "brasa-gpu"),
    ("wasm-bindgen", "brasa-web"),
    ("wasm-bindgen-futures", "brasa-web"),
    ("js-sys", "brasa-web"),
    ("web-sys", "brasa-web"),
];

#[test]
fn dependencies_point_one_way() {
    let edges = edges();
    assert!(!edges.is_empty(), "cargo metadata lists no dependency");
    assert_none(edges.iter().filter_map(|(from, to)| broken(from, to)).collect());
}

#[test]
fn every_crate_has_a_layer() {
    let unplaced = packages().into_iter().filter_map(|package| {
        let name = package["name"].as_str().expect("a package has a name").to_string();
        layer(&name).is_none().then(|| format!("{name} is in no layer of this test"))
    });
    assert_none(unplaced.collect());
}

#[test]
fn a_wrong_direction_is_reported() {
    let cases = [
        ("brasa-compile", "brasa-ir", true),
        ("brasa-ir", "brasa-compile", false),
        ("brasa-ir", "brasa-ir", true),
        ("brasa-cpu", "brasa-gpu", false),
        ("brasa-gpu", "brasa-cpu", false),
        ("brasa", "brasa-gpu", true),
        ("brasa-cpu", "brasa", false),
        ("brasa-gpu", "wgpu", true),
        ("brasa-cli", "wgpu", false),
        ("brasa-gpu", "web-sys", false),
        ("brasa-web", "wasm-bindgen", true),
        ("xtask", "serde", true),
    ];
    for (from, to, allowed) in cases {
        assert_eq!(broken(from, to).is_none(), allowed, "{from} -> {to}");
    }
}

/// The reason why `from` may not depend on `to`, if there is one.
fn broken(from: &str, to: &str) -> Option<String> {
    if let Some((_, owner)) = OWNED.iter().find(|(name, _)| *name == to) {
        return (from != *owner).then(|| format!("{from} uses {to}: only {owner} may"));
    }
    // A crate's tests may turn on its own features.
    if from == to {
        return None;
    }
    let (lower, own) = (layer(to)?, layer(from)?);
    (lower >= own).then(|| format!("{from} uses {to}: only crates of later layers may"))
}

fn layer(name: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&name))
}

/// Every dependency of every crate of the workspace, of all kinds and targets.
fn edges() -> Vec<(String, String)> {
    let mut edges = Vec::new();
    for package in packages() {
        for dependency in package["dependencies"].as_array().expect("dependencies are a list") {
            let name = |of: &Value| of["name"].as_str().expect("it has a name").to_string();
            edges.push((name(&package), name(dependency)));
        }
    }
    edges
}

fn packages() -> Vec<Value> {
    let arguments = ["metadata", "--no-deps", "--offline", "--format-version", "1"];
    let output = Command::new("cargo").args(arguments).current_dir(tree::root()).output();
    let output = output.expect("cargo can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo metadata is JSON");
    metadata["packages"].as_array().expect("packages are a list").clone()
}
