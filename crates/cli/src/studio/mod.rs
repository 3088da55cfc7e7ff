//! `brasa studio` and `brasa train --studio`: the studio for a run on this machine, live or finished.
//! Everything is served on loopback, to those who have the address with its token; docs/events.md
//! describes what the page is told.
mod asked;
mod files;
mod follow;
mod request;
mod serve;

use crate::train::{EVENTS, Failure, saved_plan};
use crate::{note, print};
use clap::Args;
pub use serve::Studio;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

/// Show a run in the studio: its curves, its graph, its kernels.
///
/// Follows the event log of a run that is under way, or replays that of one that has ended. Ctrl-C
/// ends it.
#[derive(Args)]
pub struct Settings {
    /// The folder of a run of `brasa train`
    run: PathBuf,
    /// The port to serve on; the next free one if it is taken, any with 0
    #[arg(long, default_value_t = PORT)]
    port: u16,
    /// Open no browser
    #[arg(long)]
    no_open: bool,
}

/// Where the studio is served, if that is free.
pub const PORT: u16 = 4173;

pub fn command(settings: &Settings) -> Result<ExitCode, Failure> {
    let Settings { run, port, no_open } = settings;
    if !run.is_dir() {
        return Err(format!("{}: there is no such folder", run.display()).into());
    }
    if !run.join(EVENTS).exists() && !run.join(crate::train::PLAN).exists() {
        let help = "name the folder that `brasa train` has printed, such as runs/mnist-cnn-1";
        return Err(format!("{} holds no run\n  help: {help}", run.display()).into());
    }
    let plan =
        saved_plan(run).map_err(|error| note(format!("the graph cannot be shown: {error}"))).ok();
    let studio = Studio::open(*port, run, plan.as_ref())?;
    print(format!("Brasa studio   {}\nCtrl-C ends it.\n", studio.address()))?;
    if !no_open {
        open_browser(studio.address());
    }
    loop {
        std::thread::park();
    }
}

/// Shows a page where there is a screen.
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
    // The address was printed too.
    let _ = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
}
