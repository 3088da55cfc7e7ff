//! What a check needs before it can run. Installs the parts of the toolchain that are missing,
//! or says exactly what to install.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A part of the toolchain: its name for rustup, and the cargo command it brings.
const COMPONENTS: [(&str, &str); 2] = [("rustfmt", "fmt"), ("clippy", "clippy")];

/// The root of the project, whatever directory `cargo x` was called from.
pub(crate) fn root() -> PathBuf {
    let manifest = env::var_os("CARGO_MANIFEST_DIR").expect("xtask is run by `cargo x`");
    Path::new(&manifest).parent().expect("xtask lies in the root of the project").to_path_buf()
}

/// Adds the missing components.
pub(crate) fn components() -> Result<(), String> {
    for (component, command) in COMPONENTS {
        if succeeds(Command::new("cargo").args([command, "--version"])) {
            continue;
        }
        if !succeeds(Command::new("rustup").arg("--version")) {
            return Err(no_rustup(component, command));
        }
        println!("== setup: {component} is missing, adding it with rustup");
        let added = Command::new("rustup").args(["component", "add", component]).status();
        if !added.is_ok_and(|status| status.success()) {
            return Err(format!("`rustup component add {component}` failed"));
        }
    }
    Ok(())
}

/// A Vulkan driver, so that shaders can be run: where there is none, Debian's software driver.
pub(crate) fn vulkan() {
    let places = ["/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d"];
    let has_drivers =
        |place: &&str| std::fs::read_dir(place).is_ok_and(|mut files| files.next().is_some());
    if !cfg!(target_os = "linux") || places.iter().any(has_drivers) {
        return;
    }
    println!("== setup: there is no Vulkan driver, adding mesa-vulkan-drivers");
    let install = "apt-get install -y --no-install-recommends mesa-vulkan-drivers";
    let is_added = ["apt-get update", install].iter().all(|command| {
        let mut words = command.split_whitespace();
        let program = words.next().expect("a program");
        succeeds(Command::new(program).args(words))
    });
    if !is_added {
        println!(
            "it could not be added: tests of shaders will be skipped\n  \
             help: install a Vulkan driver (Debian and Ubuntu: `sudo {install}`)"
        );
    }
}

fn no_rustup(component: &str, command: &str) -> String {
    format!(
        "{component} is missing and rustup is not there to add it\n  \
         help: install rustup from https://rustup.rs and run this again, \
         or install {component} by hand so that `cargo {command} --version` works"
    )
}

fn succeeds(command: &mut Command) -> bool {
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}
