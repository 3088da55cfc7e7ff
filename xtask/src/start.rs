//! `cargo x start`: builds what is stale and serves the studio; with `--check`, opens it in a headless
//! browser and checks that a model learns there.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::progress::Progress;
use crate::{setup, web};

/// The sources of the page, including the types of the npm package.
const SOURCES: [&str; 9] = [
    "package-lock.json",
    "tsconfig.json",
    "packages/studio/index.html",
    "packages/studio/public",
    "packages/studio/scripts/build.mjs",
    "packages/studio/src",
    "packages/studio/tsconfig.json",
    "packages/studio/vite.config.ts",
    "packages/brasa/src",
];

/// Arguments of `cargo x start`.
#[derive(clap::Args)]
pub(crate) struct Settings {
    /// The port to serve on; the next free one if it is taken
    #[arg(long, default_value_t = 4173)]
    port: u16,
    /// Do not open a browser
    #[arg(long)]
    no_open: bool,
    /// Show the run in this folder, such as one of `brasa train`
    #[arg(long, value_name = "FOLDER", conflicts_with = "check")]
    watch: Option<PathBuf>,
    /// Check in a headless browser that a model learns, save a screenshot and exit
    #[arg(long)]
    check: bool,
}

/// The `cargo x start` command.
pub(crate) fn start(root: &Path, settings: &Settings) -> Result<(), String> {
    build(root)?;
    let port = settings.port.to_string();
    if let Some(folder) = &settings.watch {
        return watch(root, folder, &port, settings.no_open);
    }
    let mut arguments = vec!["packages/studio/scripts/start.mjs", "--port", &port];
    if settings.no_open {
        arguments.push("--no-open");
    }
    let screenshot = root.join("packages/studio/dist/check.png");
    let screenshot = screenshot.to_string_lossy();
    if settings.check {
        setup::chromium()?;
        arguments.extend(["--check", "--screenshot", &screenshot]);
    }
    web::node(root, &arguments)
}

/// Serves the studio for a run with `brasa studio`.
fn watch(root: &Path, folder: &Path, port: &str, no_open: bool) -> Result<(), String> {
    let mut command = Command::new("cargo");
    command.args(["run", "--release", "--quiet", "--package", "brasa-cli", "--manifest-path"]);
    command.arg(root.join("Cargo.toml")).args(["--", "studio", "--port", port]);
    command.args(no_open.then_some("--no-open")).arg(folder);
    let status = command.status().map_err(|error| format!("cargo cannot be started: {error}"))?;
    if status.success() { Ok(()) } else { Err("the studio exited with an error".to_string()) }
}

/// Builds the parts of the engine and the page that are missing or stale.
pub(crate) fn build(root: &Path) -> Result<(), String> {
    let engine = web::Work::find(root)?;
    let stamp = web::stamp::of(root, &SOURCES)?;
    let mark = root.join("packages/studio/dist/.built");
    let is_current = web::stamp::is_current(&mark, stamp);
    let mut progress = Progress::of(engine.parts() + usize::from(!is_current));
    engine.make(root, &mut progress)?;
    if is_current {
        return Ok(());
    }
    progress.make("the studio", || {
        web::node(root, &["packages/studio/scripts/build.mjs"])?;
        web::stamp::leave(&mark, stamp)
    })
}
