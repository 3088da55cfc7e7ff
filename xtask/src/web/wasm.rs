//! Builds the wasm files of the package, each with the JavaScript that loads it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::stamp;
use crate::progress::Progress;

/// The sources of the wasm files.
const SOURCES: [&str; 12] = [
    "Cargo.toml",
    "Cargo.lock",
    "crates/macros",
    "crates/ir",
    "crates/compile",
    "crates/cpu",
    "crates/gpu",
    "crates/brasa",
    "crates/web",
    "xtask/wasm/Cargo.toml",
    "xtask/wasm/src/main.rs",
    "xtask/src/web/wasm.rs",
];

/// A build variant of crates/web.
struct Variant {
    name: &'static str,
    profile: &'static str,
    features: &'static str,
    flags: &'static [&'static str],
    is_shared: bool,
    /// Features of the standard library, if it is compiled again for this variant.
    std: Option<&'static str>,
    /// Whether wasm-bindgen generates JavaScript. The recorder has an interface of plain numbers.
    has_glue: bool,
}

/// Flags of variants that share memory between threads.
const SHARED: [&str; 8] = [
    "-Clink-arg=--shared-memory",
    "-Clink-arg=--import-memory",
    // 4 GiB, the most that 32-bit addresses reach.
    "-Clink-arg=--max-memory=4294967296",
    "-Clink-arg=--export=__wasm_init_tls",
    "-Clink-arg=--export=__tls_size",
    "-Clink-arg=--export=__tls_align",
    "-Clink-arg=--export=__tls_base",
    "-Clink-arg=--export=__heap_base",
];

const VARIANTS: [Variant; 6] = [
    Variant {
        name: "recorder",
        profile: "recorder",
        features: "recorder",
        // `immediate-abort` drops locations and messages of panics: 438 -> 376 kB. `brasa_page` drops
        // the reference evaluator and nested scopes (382 -> 339 kB) and packs an expression in one word
        // (310 -> 283 kB).
        flags: &["-Zunstable-options", "-Cpanic=immediate-abort", "--cfg", "brasa_page"],
        is_shared: false,
        std: Some("optimize_for_size"),
        has_glue: false,
    },
    Variant {
        name: "engine",
        profile: "engine",
        features: "engine",
        flags: &["-Ctarget-feature=+simd128,+bulk-memory"],
        is_shared: false,
        std: None,
        has_glue: true,
    },
    Variant {
        name: "engine-threads",
        profile: "engine",
        features: "engine",
        flags: &["-Ctarget-feature=+atomics,+bulk-memory,+mutable-globals,+simd128"],
        is_shared: true,
        std: Some(""),
        has_glue: true,
    },
    // With fused multiply-add, for browsers that support relaxed SIMD.
    Variant {
        name: "engine-fused",
        profile: "engine",
        features: "engine",
        flags: &["-Ctarget-feature=+atomics,+bulk-memory,+mutable-globals,+simd128,+relaxed-simd"],
        is_shared: true,
        std: Some(""),
        has_glue: true,
    },
    // Checked mode, which need not be fast: one module for CPU and WebGPU.
    Variant {
        name: "engine-checked",
        profile: "engine",
        features: "check,engine,webgpu",
        flags: &["-Ctarget-feature=+simd128,+bulk-memory"],
        is_shared: false,
        std: None,
        has_glue: true,
    },
    Variant {
        name: "engine-webgpu",
        profile: "recorder",
        features: "webgpu",
        flags: &["-Ctarget-feature=+bulk-memory"],
        is_shared: false,
        std: None,
        has_glue: true,
    },
];

/// The features that wasm-opt accepts. It does not introduce them: the flags above decide what a browser needs.
const WASM_FEATURES: [&str; 9] = [
    "--enable-bulk-memory",
    "--enable-multivalue",
    "--enable-mutable-globals",
    "--enable-nontrapping-float-to-int",
    "--enable-reference-types",
    "--enable-relaxed-simd",
    "--enable-sign-ext",
    "--enable-simd",
    "--enable-threads",
];

/// Passes for the recorder. Further ones make it smaller, but larger after gzip.
const SMALLER: [&str; 8] = [
    "--duplicate-function-elimination",
    "--rse",
    "--vacuum",
    "--remove-unused-brs",
    "--duplicate-function-elimination",
    "--optimize-instructions",
    "--vacuum",
    "--duplicate-function-elimination",
];

/// Sorting functions by name puts similar code together, which gzip compresses better: the recorder by 5 %.
const LAST: [&str; 4] = [
    "--reorder-functions-by-name",
    "--strip-debug",
    "--strip-producers",
    "--strip-target-features",
];

/// For all variants: no documentation of ops, no source locations.
const COMMON_FLAGS: [&str; 3] = ["--cfg", "brasa_small", "-Zlocation-detail=none"];

/// The wasm files that have to be built again.
pub(super) struct Stale {
    /// The name of the build, which wasm and JavaScript share.
    pub(super) build: String,
    stamp: u64,
    variants: Vec<&'static Variant>,
}

impl Stale {
    pub(super) fn find(root: &Path) -> Result<Stale, String> {
        let present = SOURCES.into_iter().filter(|path| root.join(path).exists());
        let stamp = stamp::of(root, &present.collect::<Vec<_>>())?;
        let is_current = |variant: &Variant| {
            variant.file(root).exists() && stamp::is_current(&variant.mark(root), stamp)
        };
        let variants = VARIANTS.iter().filter(|variant| !is_current(variant)).collect();
        Ok(Stale { build: format!("{stamp:016x}"), stamp, variants })
    }

    pub(super) fn len(&self) -> usize {
        self.variants.len()
    }

    pub(super) fn make(&self, root: &Path, progress: &mut Progress) -> Result<(), String> {
        let folder = root.join(FOLDER);
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        for variant in &self.variants {
            progress.make(&format!("{}.wasm", variant.name), || {
                variant.build(root, &folder, &self.build)?;
                stamp::leave(&variant.mark(root), self.stamp)
            })?;
        }
        Ok(())
    }
}

/// Where the files lie.
const FOLDER: &str = "packages/brasa/dist/wasm";

/// Where cargo works for wasm: apart from the native builds, whose flags differ.
fn target(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from).join("web")
}

impl Variant {
    fn file(&self, root: &Path) -> PathBuf {
        root.join(FOLDER).join(format!("{}_bg.wasm", self.name))
    }

    fn mark(&self, root: &Path) -> PathBuf {
        target(root).join(format!("{}.built", self.name))
    }

    fn build(&self, root: &Path, folder: &Path, build: &str) -> Result<(), String> {
        let target = target(root).join(self.name);
        let shared = if self.is_shared { SHARED.as_slice() } else { &[] };
        let flags = [&COMMON_FLAGS, self.flags, shared].concat();
        let mut cargo = Command::new("cargo");
        cargo
            .args(["build", "--package", "brasa-web", "--lib", "--no-default-features"])
            .args(["--features", self.features, "--profile", self.profile])
            .args(["--target", "wasm32-unknown-unknown", "--target-dir"])
            .arg(&target)
            .env("BRASA_BUILD", build)
            .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"))
            .env("RUSTC_BOOTSTRAP", "1");
        if let Some(features) = self.std {
            cargo.arg("-Zbuild-std=std,panic_abort");
            cargo.arg(format!("-Zbuild-std-features={features}"));
        }
        run(root, &mut cargo)?;
        let compiled =
            target.join("wasm32-unknown-unknown").join(self.profile).join("brasa_web.wasm");
        let wasm = self.file(root);
        if !self.has_glue {
            return optimize(root, &SMALLER, &compiled, &wasm);
        }
        let mut bindgen = Command::new("cargo");
        bindgen.args(["run", "--quiet", "--package", "xtask-wasm", "--"]);
        run(root, bindgen.arg(&compiled).arg(folder).arg(self.name))?;
        let mut source = wasm.clone();
        if self.is_fused() {
            source = target.join("engine.wat");
            let mut print = binaryen("wasm-dis");
            run(root, print.arg(&wasm).arg("-o").arg(&source))?;
            let problem = |error| format!("{}: {error}", source.display());
            let text = fs::read_to_string(&source).map_err(problem)?;
            fs::write(&source, strict(&text)?).map_err(problem)?;
        }
        optimize(root, &["-O3"], &source, &wasm)
    }

    fn is_fused(&self) -> bool {
        self.flags.iter().any(|flag| flag.contains("+relaxed-simd"))
    }
}

/// A tool of binaryen, with the features that files may use.
fn binaryen(tool: &str) -> Command {
    let mut command = Command::new("node");
    command.arg(format!("node_modules/binaryen/bin/{tool}")).args(WASM_FEATURES);
    command
}

/// With relaxed-simd LLVM also takes `if a < b { a } else { b }` for a minimum that may lose NaN. Puts the
/// exact ones back, so that fused products are all that is relaxed.
fn strict(text: &str) -> Result<String, String> {
    let text = text.replace(".relaxed_min", ".pmin").replace(".relaxed_max", ".pmax");
    let mut relaxed = text.match_indices(".relaxed_").map(|(at, _)| &text[at + 1..]);
    match relaxed.find(|rest| !rest.starts_with("relaxed_madd")) {
        None => Ok(text),
        Some(rest) => {
            let name = rest.split_whitespace().next().unwrap_or_default();
            Err(format!("{name} in engine-fused.wasm is not exact"))
        }
    }
}

/// Optimizes a wasm file and removes what only debuggers read.
fn optimize(root: &Path, passes: &[&str], from: &Path, to: &Path) -> Result<(), String> {
    run(root, binaryen("wasm-opt").args(passes).args(LAST).arg(from).arg("-o").arg(to))
}

fn run(root: &Path, command: &mut Command) -> Result<(), String> {
    let shown = format!("{command:?}");
    let status = command.current_dir(root).status();
    let status = status.map_err(|error| format!("{shown} cannot be started: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{shown} failed")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_products_are_relaxed() {
        let text = "(f32x4.relaxed_madd (f64x2.relaxed_min) (f32x4.relaxed_max))";
        let fixed = "(f32x4.relaxed_madd (f64x2.pmin) (f32x4.pmax))";
        assert_eq!(strict(text), Ok(fixed.to_string()));
        assert!(strict("(i8x16.relaxed_swizzle )").is_err_and(|what| what.contains("swizzle")));
    }
}
