//! Installs what a check needs before it can run: missing parts of the toolchain, npm packages,
//! Chromium and a Vulkan driver; or says exactly what to install.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A part of the toolchain: its name for rustup, and the cargo command it provides.
const COMPONENTS: [(&str, &str); 2] = [("rustfmt", "fmt"), ("clippy", "clippy")];

const INSTALL: &str = "apt-get install -y --no-install-recommends";
const CHROMIUM: &str = "chromium fonts-dejavu-core";
const VULKAN: &str = "mesa-vulkan-drivers";
const ARM: &str = "qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross";

pub(crate) const ARM_TARGET: &str = "aarch64-unknown-linux-gnu";
pub(crate) const ARM_LINKER: &str = "aarch64-linux-gnu-gcc";
const ARM_EMULATOR: &str = "qemu-aarch64";
/// The command that runs a program for ARM.
pub(crate) const ARM_RUNNER: &str = "qemu-aarch64 -L /usr/aarch64-linux-gnu";

/// The root of the project, whatever directory `cargo x` was called from.
pub(crate) fn root() -> PathBuf {
    let manifest = env::var_os("CARGO_MANIFEST_DIR").expect("xtask is run by `cargo x`");
    Path::new(&manifest).parent().expect("xtask is in the root of the project").to_path_buf()
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

/// Installs what compiling to wasm needs: the target, and the sources of the standard library, which is
/// compiled again for threads.
pub(crate) fn wasm() -> Result<(), String> {
    have_parts(&[
        ("wasm32-unknown-unknown/lib", ["target", "add", "wasm32-unknown-unknown"]),
        ("src/rust/library/std", ["component", "add", "rust-src"]),
    ])
}

/// Installs what compiling for 64-bit ARM on Linux and running the result elsewhere needs: the target,
/// a linker and an emulator.
pub(crate) fn arm() -> Result<(), String> {
    have_parts(&[(&format!("{ARM_TARGET}/lib"), ["target", "add", ARM_TARGET])])?;
    let is_there = || {
        let program = |name: &str| succeeds(Command::new(name).arg("--version"));
        program(ARM_LINKER) && program(ARM_EMULATOR)
    };
    if is_there() {
        return Ok(());
    }
    println!("== setup: no ARM emulator found, installing {ARM}");
    install(ARM);
    match is_there() {
        true => Ok(()),
        false => Err(format!(
            "no ARM emulator was found, and installing one failed\n  \
             help: on Debian and Ubuntu, `sudo {INSTALL} {ARM}`"
        )),
    }
}

/// Adds the missing parts of the toolchain. Each part is identified by a path in `lib/rustlib`.
fn have_parts(parts: &[(&str, [&str; 3])]) -> Result<(), String> {
    let sysroot = Command::new("rustc").args(["--print", "sysroot"]).output();
    let sysroot = sysroot.map_err(|error| format!("rustc cannot be started: {error}"))?;
    let rustlib = Path::new(String::from_utf8_lossy(&sysroot.stdout).trim()).join("lib/rustlib");
    for (path, command) in parts {
        if rustlib.join(path).exists() {
            continue;
        }
        println!("== setup: rustup {}", command.join(" "));
        if !succeeds(Command::new("rustup").args(command)) {
            let command = command.join(" ");
            return Err(format!(
                "`rustup {command}` failed\n  \
                 help: install rustup from https://rustup.rs and run this again"
            ));
        }
    }
    Ok(())
}

/// Installs the npm packages that building and testing need, in the versions of the lock file.
pub(crate) fn npm(root: &Path) -> Result<(), String> {
    let (wanted, installed) = ("package-lock.json", "node_modules/.package-lock.json");
    let time = |path: &str| root.join(path).metadata().and_then(|data| data.modified()).ok();
    if time(installed).is_some_and(|installed| Some(installed) >= time(wanted)) {
        return Ok(());
    }
    if !succeeds(Command::new("npm").arg("--version")) {
        return Err(
            "npm is missing\n  help: install Node 20 or later from https://nodejs.org".into()
        );
    }
    println!("== setup: npm ci");
    let status = Command::new("npm").arg("ci").current_dir(root).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        _ => Err("`npm ci` failed\n  help: see above; it needs the npm registry".into()),
    }
}

/// Installs Chromium for tests in a browser.
pub(crate) fn chromium() -> Result<(), String> {
    let is_there = || {
        let mut named = env::var_os("CHROME").map(PathBuf::from).into_iter();
        let folders =
            env::split_paths(&env::var_os("PATH").unwrap_or_default()).collect::<Vec<_>>();
        let names = ["chromium", "chromium-browser", "google-chrome"];
        let mut usual = names.iter().flat_map(|name| folders.iter().map(move |at| at.join(name)));
        named.any(|program| program.is_file()) || usual.any(|program| program.is_file())
    };
    if is_there() {
        return Ok(());
    }
    println!("== setup: no Chromium found, installing it");
    install(CHROMIUM);
    if is_there() {
        return Ok(());
    }
    Err(format!(
        "no Chromium was found, and installing it failed\n  \
         help: install Chromium or Chrome (Debian and Ubuntu: `sudo {INSTALL} {CHROMIUM}`), \
         or set CHROME to its path"
    ))
}

/// Installs Debian's software Vulkan driver if there is no Vulkan driver, so that shaders can run.
pub(crate) fn vulkan() {
    let places = ["/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d"];
    let has_drivers =
        |place: &&str| std::fs::read_dir(place).is_ok_and(|mut files| files.next().is_some());
    if !cfg!(target_os = "linux") || places.iter().any(has_drivers) {
        return;
    }
    println!("== setup: no Vulkan driver found, installing {VULKAN}");
    if !install(VULKAN) {
        println!(
            "installing failed: tests of shaders will be skipped\n  \
             help: install a Vulkan driver (Debian and Ubuntu: `sudo {INSTALL} {VULKAN}`)"
        );
    }
}

/// Installs Debian packages. Fails on other systems and without root.
fn install(packages: &str) -> bool {
    let run = |command: &str| {
        let mut words = command.split_whitespace();
        words.next().is_some_and(|program| succeeds(Command::new(program).args(words)))
    };
    let install = format!("{INSTALL} {packages}");
    // First without `apt-get update`: the package lists may be fresh enough.
    run(&install) || (run("apt-get update") && run(&install))
}

fn no_rustup(component: &str, command: &str) -> String {
    format!(
        "{component} is missing, and so is rustup, which could add it\n  \
         help: install rustup from https://rustup.rs and run this again, \
         or install {component} manually so that `cargo {command} --version` works"
    )
}

fn succeeds(command: &mut Command) -> bool {
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}
