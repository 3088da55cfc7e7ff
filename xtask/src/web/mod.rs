//! `cargo x build web`: the npm package `brasa`, ready to be used or packed. The engine is compiled to
//! wasm three times (recorder, engine on one thread, engine on many), then the TypeScript around it
//! is checked and bundled. What did not change since the last time is left alone.

pub(crate) mod stamp;
mod wasm;

use std::path::Path;
use std::process::Command;

use crate::setup;

/// What the package is made of beside the wasm files.
const SOURCES: [&str; 5] = [
    "package-lock.json",
    "tsconfig.json",
    "packages/brasa/package.json",
    "packages/brasa/scripts/build.mjs",
    "packages/brasa/src",
];

/// Builds what is missing or stale in packages/brasa/dist.
pub(crate) fn build(root: &Path) -> Result<(), String> {
    setup::wasm()?;
    setup::npm(root)?;
    let build = wasm::build_all(root)?;
    let stamp = stamp::of(root, &SOURCES)?;
    let mark = root.join("packages/brasa/dist/.built");
    let made_of = format!("{build} {stamp:016x}");
    if stamp::is_current(&mark, &made_of) {
        return Ok(());
    }
    node(root, &["packages/brasa/scripts/build.mjs", &build])?;
    stamp::leave(&mark, &made_of)
}

/// Runs a script of ours.
pub(crate) fn node(root: &Path, arguments: &[&str]) -> Result<(), String> {
    let status = Command::new("node").args(arguments).current_dir(root).status();
    let status = status.map_err(|error| format!("node cannot be started: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("`node {}` failed", arguments.join(" "))) }
}
