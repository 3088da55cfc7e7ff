//! `cargo x build web`: the npm package `brasa`, ready to be used or packed. Six modules are compiled to
//! wasm (recorder; engine on one thread, on many, on many with fused products, in the checked mode, on
//! WebGPU), then the TypeScript around them is checked and bundled, and the recorder is split by what
//! programs call. What did not change since the last time is left alone.

pub(crate) mod stamp;
mod wasm;

use std::path::Path;
use std::process::Command;

use crate::progress::Progress;
use crate::setup;

/// What the package is made of beside the wasm files.
const SOURCES: [&str; 12] = [
    "package-lock.json",
    "tsconfig.json",
    "packages/brasa/package.json",
    "packages/brasa/tsconfig.json",
    "packages/brasa/tsconfig.types.json",
    "packages/brasa/scripts/build.mjs",
    "packages/brasa/scripts/models.mjs",
    "packages/brasa/scripts/warm.mjs",
    "packages/brasa/scripts/watch.mjs",
    "packages/brasa/src",
    "xtask/wasm/src/pack.rs",
    "xtask/wasm/src/split.rs",
];

/// What is missing or stale in packages/brasa/dist.
pub(crate) struct Work {
    wasm: wasm::Stale,
    /// What the JavaScript is to be made of, unless it is.
    package: Option<String>,
}

/// Where it stands what the JavaScript was made of.
const MARK: &str = "packages/brasa/dist/.built";

impl Work {
    /// Sets up what building needs, and looks what there is to do.
    pub(crate) fn find(root: &Path) -> Result<Work, String> {
        setup::wasm()?;
        setup::npm(root)?;
        let wasm = wasm::Stale::find(root)?;
        let made_of = format!("{} {:016x}", wasm.build, stamp::of(root, &SOURCES)?);
        let is_current = wasm.len() == 0 && stamp::is_current(&root.join(MARK), &made_of);
        Ok(Work { wasm, package: (!is_current).then_some(made_of) })
    }

    /// How many parts that is.
    pub(crate) fn parts(&self) -> usize {
        self.wasm.len() + usize::from(self.package.is_some())
    }

    pub(crate) fn make(&self, root: &Path, progress: &mut Progress) -> Result<(), String> {
        self.wasm.make(root, progress)?;
        let Some(made_of) = &self.package else { return Ok(()) };
        progress.make("the npm package", || {
            let build =
                |step| node(root, &["packages/brasa/scripts/build.mjs", step, &self.wasm.build]);
            build("code")?;
            wasm::split_recorder(root, &self.wasm.build)?;
            build("files")?;
            stamp::leave(&root.join(MARK), made_of)
        })
    }
}

/// Builds what is missing or stale in packages/brasa/dist.
pub(crate) fn build(root: &Path) -> Result<(), String> {
    let work = Work::find(root)?;
    work.make(root, &mut Progress::of(work.parts()))
}

/// Serves tests and samples of the package, built anew where it is stale.
pub(crate) fn serve(root: &Path, port: u16) -> Result<(), String> {
    build(root)?;
    node(root, &["packages/brasa/scripts/dev.mjs", "--port", &port.to_string()])
}

/// Runs a script of ours.
pub(crate) fn node(root: &Path, arguments: &[&str]) -> Result<(), String> {
    let status = Command::new("node").args(arguments).current_dir(root).status();
    let status = status.map_err(|error| format!("node cannot be started: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("`node {}` failed", arguments.join(" "))) }
}
