//! `brasa studio` and `brasa train --studio`: serve the studio for a live or finished run on this
//! machine. The server listens on loopback and requires the token in the address. docs/events.md
//! describes the protocol.
mod files;
mod follow;
mod queries;
mod request;
mod serve;

use crate::train::{EVENTS, Failure, saved_plan};
use crate::{note, print};
use clap::Args;
pub use serve::Studio;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

/// Show a run in the studio: its curves, graph and kernels.
///
/// Follows the event log of a live run, or replays that of a finished one. Press Ctrl-C to stop.
#[derive(Args)]
pub struct Settings {
    /// The folder of a run of `brasa train`
    run: PathBuf,
    /// The port to serve on; the next free one if it is taken, any free one with 0
    #[arg(long, default_value_t = PORT)]
    port: u16,
    /// Do not open a browser
    #[arg(long)]
    no_open: bool,
}

/// The default port of the studio.
pub const PORT: u16 = 4173;

pub fn command(settings: &Settings) -> Result<ExitCode, Failure> {
    let Settings { run, port, no_open } = settings;
    if !run.is_dir() {
        return Err(format!("{}: no such folder", run.display()).into());
    }
    if !run.join(EVENTS).exists() && !run.join(crate::train::PLAN).exists() {
        let help = "pass the folder printed by `brasa train`, such as runs/mnist-cnn-1";
        return Err(format!("{} contains no run\n  help: {help}", run.display()).into());
    }
    let plan =
        saved_plan(run).map_err(|error| note(format!("cannot show the graph: {error}"))).ok();
    let studio = Studio::open(*port, run, plan.as_ref())?;
    print(format!("Brasa studio   {}\nPress Ctrl-C to stop.\n", studio.address()))?;
    if !no_open {
        open_browser(studio.address());
    }
    loop {
        std::thread::park();
    }
}

/// Opens the page in a browser, if there is a display.
fn open_browser(address: &str) {
    let has_screen = !cfg!(target_os = "linux")
        || ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some());
    if !has_screen {
        return;
    }
    let program: &[&str] = match () {
        () if cfg!(target_os = "macos") => &["open"],
        () if cfg!(windows) => &["cmd", "/c", "start", ""],
        () => &["xdg-open"],
    };
    let mut command = Command::new(program[0]);
    command.args(&program[1..]).arg(address);
    // Failure is ignored: the address was printed too.
    let _ = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
}
