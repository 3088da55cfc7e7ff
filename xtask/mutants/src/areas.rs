//! The areas of the code to mutate, and the checks for each of them.
use crate::sites::Scope;
use clap::ValueEnum;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Area {
    /// Simplification of graphs
    Simplify,
    /// Scheduling of graphs into kernels
    Schedule,
    /// Kernel order and memory planning
    Plan,
    /// Gradients
    Autograd,
    /// The JIT compiler for loops
    Jit,
    /// Matrix products
    Gemm,
    /// Generation of shaders
    Gpu,
}

/// The source files whose path starts with `prefix`.
pub struct Files {
    pub prefix: &'static str,
    pub scope: Scope,
}

const fn files(prefix: &'static str) -> Files {
    Files { prefix, scope: Scope { only: None, has_shaders: false } }
}

const fn rules(prefix: &'static str) -> Files {
    Files { prefix, scope: Scope { only: Some("grad"), has_shaders: false } }
}

const SIMPLIFY: &[Files] = &[files("crates/compile/src/graph/simplify/")];
const SCHEDULE: &[Files] = &[
    files("crates/compile/src/schedule.rs"),
    files("crates/compile/src/schedule/group"),
    files("crates/compile/src/schedule/lower.rs"),
    files("crates/compile/src/schedule/split_axes.rs"),
    files("crates/compile/src/schedule/rematerialize.rs"),
    files("crates/compile/src/schedule/rounding.rs"),
];
const PLAN: &[Files] = &[
    files("crates/compile/src/memory/plan.rs"),
    files("crates/compile/src/memory/pack"),
    files("crates/compile/src/schedule/order.rs"),
    files("crates/compile/src/program/relayout.rs"),
];
// Gradients of composites follow from those of primitives.
const AUTOGRAD: &[Files] = &[
    files("crates/compile/src/graph/grad.rs"),
    rules("crates/ir/src/ops/cast.rs"),
    rules("crates/ir/src/ops/con"),
    rules("crates/ir/src/ops/custom.rs"),
    rules("crates/ir/src/ops/elementwise.rs"),
    rules("crates/ir/src/ops/gather.rs"),
    rules("crates/ir/src/ops/map.rs"),
    rules("crates/ir/src/ops/movement.rs"),
    rules("crates/ir/src/ops/reduce.rs"),
    rules("crates/ir/src/ops/scalar/table.rs"),
    rules("crates/ir/src/ops/sca"),
    rules("crates/ir/src/ops/sort.rs"),
    rules("crates/ir/src/ops/window.rs"),
];
// The emulator is test code.
const JIT: &[Files] = &[
    files("crates/cpu/src/jit/asm.rs"),
    files("crates/cpu/src/jit/body.rs"),
    files("crates/cpu/src/jit/emit.rs"),
    files("crates/cpu/src/jit/trace.rs"),
];
const GEMM: &[Files] = &[files("crates/cpu/src/gemm/")];
const GPU: &[Files] =
    &[Files { prefix: "crates/gpu/src/emit/", scope: Scope { only: None, has_shaders: true } }];

impl Area {
    pub fn name(self) -> String {
        self.to_possible_value().expect("every area has a name").get_name().to_string()
    }

    /// What to mutate in the file of this path, if it belongs to the area.
    pub fn scope(self, path: &str) -> Option<Scope> {
        let all = match self {
            Area::Simplify => SIMPLIFY,
            Area::Schedule => SCHEDULE,
            Area::Plan => PLAN,
            Area::Autograd => AUTOGRAD,
            Area::Jit => JIT,
            Area::Gemm => GEMM,
            Area::Gpu => GPU,
        };
        let is_source = path.ends_with(".rs") && !path.contains("tests");
        let files = all.iter().find(|files| path.starts_with(files.prefix));
        files.filter(|_| is_source && !path.contains("/compose/")).map(|files| files.scope)
    }

    /// The packages whose tests run.
    pub fn packages(self) -> &'static [&'static str] {
        match self {
            Area::Gpu => &["brasa-gpu", "brasa-fuzz"],
            Area::Autograd => &["brasa-ir", "brasa-compile", "brasa-cpu"],
            Area::Jit | Area::Gemm => &["brasa-cpu", "brasa-fuzz"],
            Area::Simplify | Area::Schedule | Area::Plan => {
                &["brasa-compile", "brasa-cpu", "brasa-fuzz"]
            }
        }
    }
}

/// The device that a check needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Device {
    Cpu,
    Gpu,
}

/// A way to run the programs of a package.
pub struct Variant {
    pub package: &'static str,
    pub name: &'static str,
    pub device: Device,
    /// Whether the program is a test or the fuzzer.
    pub is_test: bool,
    pub arguments: &'static [&'static str],
    pub variable: Option<(&'static str, &'static str)>,
}

const fn fuzz(
    name: &'static str,
    level: &'static str,
    arguments: &'static [&'static str],
) -> Variant {
    let variable = Some(("BRASA_LEVEL", level));
    Variant {
        package: "brasa-fuzz",
        name,
        device: Device::Cpu,
        is_test: false,
        arguments,
        variable,
    }
}

/// All ways to run programs. An empty package applies to all packages.
pub const VARIANTS: &[Variant] = &[
    Variant {
        package: "",
        name: "",
        device: Device::Cpu,
        is_test: true,
        arguments: &[],
        variable: None,
    },
    Variant {
        package: "brasa-gpu",
        name: "with an adapter",
        device: Device::Gpu,
        is_test: true,
        arguments: &["--ignored"],
        variable: None,
    },
    fuzz("avx512", "avx512", &["--graphs=150"]),
    fuzz("avx2", "avx2", &["--graphs=150"]),
    fuzz("baseline", "baseline", &["--graphs=150"]),
    Variant {
        package: "brasa-fuzz",
        name: "gpu",
        device: Device::Gpu,
        is_test: false,
        arguments: &["--device=gpu", "--graphs=60"],
        variable: None,
    },
];
