//! `cargo x start`: builds what is stale and serves the studio; with `--check`, looks at it in a headless
//! browser and tells whether a model learns there.

use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::{setup, web};

/// Everything that the page is made of, the types of the engine included.
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

/// How the studio is to be started.
#[derive(clap::Args)]
pub(crate) struct Settings {
    /// The port to serve on; the next free one if it is taken
    #[arg(long, default_value_t = 4173)]
    port: u16,
    /// Open no browser
    #[arg(long)]
    no_open: bool,
    /// Show the run whose event log grows in this folder, such as one of `brasa train`
    #[arg(long, value_name = "FOLDER")]
    watch: Option<PathBuf>,
    /// Serve nothing; see in a headless browser that a model learns, and leave a screenshot
    #[arg(long)]
    check: bool,
}

/// The `cargo x start` command.
pub(crate) fn start(root: &Path, settings: &Settings) -> Result<(), String> {
    build(root)?;
    let port = settings.port.to_string();
    let mut arguments = vec!["packages/studio/scripts/start.mjs", "--port", &port];
    if settings.no_open {
        arguments.push("--no-open");
    }
    let watched = settings.watch.as_ref().map(std::path::absolute).transpose();
    let watched = watched.map_err(|error| format!("the folder cannot be named: {error}"))?;
    let watched = watched.map(|folder| folder.to_string_lossy().into_owned());
    if let Some(folder) = &watched {
        arguments.extend(["--watch", folder]);
    }
    let screenshot = root.join("packages/studio/dist/check.png");
    let screenshot = screenshot.to_string_lossy();
    if settings.check {
        setup::chromium()?;
        arguments.extend(["--check", "--screenshot", &screenshot]);
    }
    web::node(root, &arguments)
}

/// Builds what is missing or stale of the engine and of the page.
pub(crate) fn build(root: &Path) -> Result<(), String> {
    web::build(root)?;
    let stamp = web::stamp::of(root, &SOURCES)?;
    let mark = root.join("packages/studio/dist/.built");
    if web::stamp::is_current(&mark, stamp) {
        return Ok(());
    }
    let start = Instant::now();
    println!("== build: the studio");
    web::node(root, &["packages/studio/scripts/build.mjs"])?;
    web::stamp::leave(&mark, stamp)?;
    println!("== build: the studio in {:.1} s", start.elapsed().as_secs_f64());
    Ok(())
}
