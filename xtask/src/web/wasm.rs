//! The wasm files of the package, each with the JavaScript that loads it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use super::stamp;

/// Everything that ends up in the wasm files.
const SOURCES: [&str; 11] = [
    "Cargo.toml",
    "Cargo.lock",
    "crates/macros",
    "crates/ir",
    "crates/compile",
    "crates/cpu",
    "crates/gpu",
    "crates/brasa",
    "crates/web",
    "xtask/bindgen",
    "xtask/src/web/wasm.rs",
];

/// One way to compile crates/web.
struct Flavour {
    name: &'static str,
    profile: &'static str,
    features: &'static str,
    flags: &'static [&'static str],
    /// How the standard library is compiled anew, where it is.
    std: Option<&'static str>,
    /// Whether JavaScript is written around it. The recorder has an interface of plain numbers.
    has_glue: bool,
}

const FLAVOURS: [Flavour; 4] = [
    Flavour {
        name: "recorder",
        profile: "recorder",
        features: "recorder",
        // Where a panic stood is left out, and how it was worded: 438 kB become 376.
        flags: &["-Zunstable-options", "-Cpanic=immediate-abort"],
        std: Some("optimize_for_size"),
        has_glue: false,
    },
    Flavour {
        name: "engine",
        profile: "engine",
        features: "engine",
        flags: &["-Ctarget-feature=+simd128,+bulk-memory"],
        std: None,
        has_glue: true,
    },
    Flavour {
        name: "engine-threads",
        profile: "engine",
        features: "engine",
        flags: &[
            "-Ctarget-feature=+atomics,+bulk-memory,+mutable-globals,+simd128",
            "-Clink-arg=--shared-memory",
            "-Clink-arg=--import-memory",
            // 4 GiB, the most that 32-bit addresses reach.
            "-Clink-arg=--max-memory=4294967296",
            "-Clink-arg=--export=__wasm_init_tls",
            "-Clink-arg=--export=__tls_size",
            "-Clink-arg=--export=__tls_align",
            "-Clink-arg=--export=__tls_base",
            "-Clink-arg=--export=__heap_base",
        ],
        std: Some(""),
        has_glue: true,
    },
    Flavour {
        name: "engine-webgpu",
        profile: "recorder",
        features: "webgpu",
        flags: &["-Ctarget-feature=+bulk-memory"],
        std: None,
        has_glue: true,
    },
];

/// What wasm-opt may use: what the compiler uses, and nothing that a browser of three years ago lacks.
const WASM_FEATURES: [&str; 7] = [
    "--enable-bulk-memory",
    "--enable-mutable-globals",
    "--enable-nontrapping-float-to-int",
    "--enable-reference-types",
    "--enable-sign-ext",
    "--enable-simd",
    "--enable-threads",
];

/// For all: no documentation of ops, no places of the machine that built it.
const COMMON_FLAGS: [&str; 3] = ["--cfg", "brasa_small", "-Zlocation-detail=none"];

/// Builds what is stale; gives the name of the build, which wasm and JavaScript carry alike.
pub(super) fn build_all(root: &Path) -> Result<String, String> {
    let present: Vec<&str> = SOURCES.into_iter().filter(|path| root.join(path).exists()).collect();
    let stamp = stamp::of(root, &present)?;
    let build = format!("{stamp:016x}");
    let folder = root.join("packages/brasa/dist/wasm");
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for flavour in &FLAVOURS {
        let mark = target(root).join(format!("{}.built", flavour.name));
        let is_there = folder.join(format!("{}_bg.wasm", flavour.name)).exists();
        if is_there && stamp::is_current(&mark, stamp) {
            continue;
        }
        let start = Instant::now();
        println!("== build: {}.wasm", flavour.name);
        flavour.build(root, &folder, &build)?;
        stamp::leave(&mark, stamp)?;
        println!("== build: {}.wasm in {:.1} s", flavour.name, start.elapsed().as_secs_f64());
    }
    Ok(build)
}

/// Where cargo works for wasm: apart from the native builds, whose flags differ.
fn target(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from).join("web")
}

impl Flavour {
    fn build(&self, root: &Path, folder: &Path, build: &str) -> Result<(), String> {
        let target = target(root).join(self.name);
        let mut cargo = Command::new("cargo");
        cargo
            .args(["build", "--package", "brasa-web", "--lib", "--no-default-features"])
            .args(["--features", self.features, "--profile", self.profile])
            .args(["--target", "wasm32-unknown-unknown", "--target-dir"])
            .arg(&target)
            .env("BRASA_BUILD", build)
            .env("CARGO_ENCODED_RUSTFLAGS", [&COMMON_FLAGS, self.flags].concat().join("\u{1f}"))
            .env("RUSTC_BOOTSTRAP", "1");
        if let Some(features) = self.std {
            cargo.arg("-Zbuild-std=std,panic_abort");
            cargo.arg(format!("-Zbuild-std-features={features}"));
        }
        run(root, &mut cargo)?;
        let compiled =
            target.join("wasm32-unknown-unknown").join(self.profile).join("brasa_web.wasm");
        let wasm = folder.join(format!("{}_bg.wasm", self.name));
        if !self.has_glue {
            let copied = fs::copy(&compiled, &wasm);
            return copied.map(|_| ()).map_err(|error| format!("{}: {error}", wasm.display()));
        }
        let mut bindgen = Command::new("cargo");
        bindgen.args(["run", "--quiet", "--package", "xtask-bindgen", "--"]);
        run(root, bindgen.arg(&compiled).arg(folder).arg(self.name))?;
        let mut optimise = Command::new("node");
        optimise.args(["node_modules/binaryen/bin/wasm-opt", "-O3"]).args(WASM_FEATURES);
        run(root, optimise.arg(&wasm).arg("-o").arg(&wasm))
    }
}

fn run(root: &Path, command: &mut Command) -> Result<(), String> {
    let shown = format!("{command:?}");
    let status = command.current_dir(root).status();
    let status = status.map_err(|error| format!("{shown} cannot be started: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{shown} failed")) }
}
