//! `cargo x build web`: builds the npm package `brasa`, ready to be used or packed. Compiles six modules to
//! wasm (the recorder; engines for one thread, for threads, for threads with fused multiply-add, for checked
//! mode and for WebGPU), and checks and bundles the TypeScript around them. Unchanged parts are not built
//! again.

pub(crate) mod stamp;
mod wasm;

use std::path::Path;
use std::process::Command;

use crate::progress::Progress;
use crate::setup;

/// The sources of the package, in addition to those of the wasm files.
const SOURCES: [&str; 9] = [
    "package-lock.json",
    "tsconfig.json",
    "packages/brasa/package.json",
    "packages/brasa/tsconfig.json",
    "packages/brasa/tsconfig.types.json",
    "packages/brasa/scripts/build.mjs",
    "packages/brasa/scripts/models.mjs",
    "packages/brasa/scripts/warm.mjs",
    "packages/brasa/src",
];

/// The parts of packages/brasa/dist that are missing or stale.
pub(crate) struct Work {
    wasm: wasm::Stale,
    /// The stamp of the sources of the JavaScript, if it is stale.
    package: Option<String>,
}

/// The file with the stamp of the sources that the JavaScript was built from.
const MARK: &str = "packages/brasa/dist/.built";

impl Work {
    /// Installs what building needs, and finds what is stale.
    pub(crate) fn find(root: &Path) -> Result<Work, String> {
        setup::wasm()?;
        setup::npm(root)?;
        let wasm = wasm::Stale::find(root)?;
        let made_of = format!("{} {:016x}", wasm.build, stamp::of(root, &SOURCES)?);
        let is_current = wasm.len() == 0 && stamp::is_current(&root.join(MARK), &made_of);
        Ok(Work { wasm, package: (!is_current).then_some(made_of) })
    }

    /// The number of stale parts.
    pub(crate) fn parts(&self) -> usize {
        self.wasm.len() + usize::from(self.package.is_some())
    }

    pub(crate) fn make(&self, root: &Path, progress: &mut Progress) -> Result<(), String> {
        self.wasm.make(root, progress)?;
        let Some(made_of) = &self.package else { return Ok(()) };
        progress.make("the npm package", || {
            node(root, &["packages/brasa/scripts/build.mjs", &self.wasm.build])?;
            stamp::leave(&root.join(MARK), made_of)
        })
    }
}

/// Builds what is missing or stale in packages/brasa/dist.
pub(crate) fn build(root: &Path) -> Result<(), String> {
    let work = Work::find(root)?;
    work.make(root, &mut Progress::of(work.parts()))
}

/// Serves tests and samples of the package, after building what is stale.
pub(crate) fn serve(root: &Path, port: u16) -> Result<(), String> {
    build(root)?;
    node(root, &["packages/brasa/scripts/dev.mjs", "--port", &port.to_string()])
}

/// Runs a script of the project with Node.
pub(crate) fn node(root: &Path, arguments: &[&str]) -> Result<(), String> {
    let status = Command::new("node").args(arguments).current_dir(root).status();
    let status = status.map_err(|error| format!("node cannot be started: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("`node {}` failed", arguments.join(" "))) }
}
