//! Milliseconds of ops that use scans, sorts, folds and indices, and the bytes that they must
//! move: `cargo bench --bench library [name]`. Uses the threads of the process (`BRASA_THREADS`).
use brasa_compile::{Program, compile, grad};
use brasa_cpu::{Buffer, Executable, Pool};
use brasa_ir::case::{Case, Recorded};
use brasa_ir::{DType, Expr, Id, Number, Recorder, table};
use std::time::{Duration, Instant};

/// What is timed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    Value,
    /// The value and the gradients of all float arguments.
    Gradient,
}
use Of::{Gradient, Value};

const ROWS: &[(Of, &str, &str)] = &[
    (Value, "cumsum", "f32[1024, 1024], 1"),
    (Value, "cumsum", "f32[1024, 1024], 0"),
    (Value, "cumsum", "f32[1000000], 0"),
    (Value, "cumsum", "i64[1024, 1024], 1"),
    (Value, "cumprod", "f32[1024, 1024], 1"),
    (Value, "cummax", "f32[1024, 1024], 1"),
    (Value, "sort", "f32[1024, 1024]"),
    (Value, "sort", "f32[1024, 1024], 0"),
    (Value, "sort", "f32[1000000]"),
    (Value, "sort", "i64[1024, 1024] in 0..1000"),
    (Value, "topk", "f32[64, 50000], 10"),
    (Value, "topk", "f32[32, 1000], 5"),
    (Value, "median", "f32[1024, 1024], 1"),
    (Value, "argmax", "f32[1024, 1024], 1"),
    (Value, "argmax", "f32[1024, 1024], 0"),
    (Value, "argmax", "f32[1000000]"),
    (Value, "argmax", "f64[1024, 1024], 1"),
    (Value, "argmax", "i64[1024, 1024], 1"),
    (Value, "gather", "f32[100000], 0, i64[100000] in 0..100000"),
    (Value, "gather", "f16[1024, 1024], 1, i64[1024, 1024] in 0..1024"),
    (Value, "scatter_add", "f32[100000], 0, i64[100000] in 0..100000, f32[100000]"),
    (Value, "scatter_add", "f32[1024, 1024], 1, i64[1024, 1024] in 0..1024, f32[1024, 1024]"),
    (Value, "scatter_reduce", "f32[100000], 0, i64[100000] in 0..1000, f32[100000], 'amax'"),
    (Value, "embedding", "i64[4096] in 0..10000, f32[10000, 128]"),
    (Gradient, "embedding", "i64[4096] in 0..10000, f32[10000, 128]"),
    (Value, "max_pool2d", "f32[8, 16, 64, 64], 3, 2, 1"),
    (Gradient, "max_pool2d", "f32[8, 16, 64, 64], 3, 2, 1"),
    (Value, "avg_pool2d", "f32[8, 16, 64, 64], 3, 1, 1"),
    (Gradient, "avg_pool2d", "f32[8, 16, 64, 64], 3, 1, 1"),
    (Gradient, "unfold", "f32[8, 16, 32, 32], 3, 1, 1"),
    (Value, "interpolate", "f32[8, 16, 64, 64], scale_factor=2.0, mode='bilinear'"),
    (Gradient, "interpolate", "f32[8, 16, 64, 64], scale_factor=2.0, mode='bilinear'"),
    (Value, "matmul", "i32[256, 256], i32[256, 256]"),
    (Value, "matmul", "i64[256, 256], i64[256, 256]"),
    (Value, "rand", "[1000000]"),
    (Value, "randn", "[1000000]"),
    (Value, "randperm", "1000000"),
    (Value, "atan", "f32[1000000]"),
    (Value, "atan2", "f32[1000000], f32[1000000]"),
    (Value, "asinh", "f32[1000000]"),
    (Value, "erfinv", "f32[1000000] in -1..1"),
    (Value, "lgamma", "f32[1000000] in 0.1..9"),
    (Value, "remainder", "f32[1000000], f32[1000000] in 0.5..2"),
    (Value, "exp", "f64[1000000]"),
];

fn main() {
    let only = std::env::args().nth(1).filter(|arg| !arg.starts_with('-'));
    println!("{:>9} {:>9} {:>8}  op", "ms", "MB", "GB/s");
    for &(of, name, text) in ROWS {
        if only.as_ref().is_some_and(|only| !name.contains(&**only)) {
            continue;
        }
        let (ms, bytes) = time(of, name, text);
        let what = if of == Gradient { "gradient of " } else { "" };
        let mb = bytes as f64 / 1e6;
        println!("{ms:9.3} {mb:9.2} {:8.2}  {what}{name}({text})", mb / ms);
    }
}

/// Milliseconds, and bytes of inputs and outputs.
fn time(of: Of, name: &str, text: &'static str) -> (f64, usize) {
    let entry = table::find(name).unwrap_or_else(|| panic!("unknown op {name}"));
    let g = Recorder::default();
    let recorded = Case { entry, text }.record(&g, DType::F32).expect("a legal call");
    let wanted = wanted(&g, &recorded, of);
    let (program, slots) = g.read(|graph| (compile(graph, &wanted), graph.slots().to_vec()));
    if std::env::var_os("BRASA_SHOW").is_some() {
        println!("{program}");
    }
    let bytes = bytes(&program);
    (best(program, &recorded, &slots), bytes)
}

fn wanted(g: &Recorder, recorded: &Recorded, of: Of) -> Vec<Id> {
    let mut wanted = recorded.outputs.clone();
    if of == Gradient {
        let is_float = |x: &Expr| x.dtype().is_float();
        let tensors = |ids: &[Id]| -> Vec<Expr> {
            ids.iter().map(|&id| g.expr(id)).filter(is_float).collect()
        };
        let inputs: Vec<Id> = recorded.inputs.iter().map(|(id, _)| *id).collect();
        let slopes = grad(g, &tensors(&wanted), &[], &tensors(&inputs)).expect("differentiable");
        wanted.extend(slopes.into_iter().flatten().map(|dx| dx.id()));
    }
    wanted
}

fn bytes(program: &Program) -> usize {
    let inputs = program.inputs.iter().map(|input| input.ty.bytes());
    let outputs = program.outputs.iter().map(|id| program.buffers[id.index()].ty.bytes());
    inputs.chain(outputs).sum()
}

/// The shortest of many runs.
fn best(program: Program, recorded: &Recorded, slots: &[Number]) -> f64 {
    let value = |node: Id| {
        let found = recorded.inputs.iter().find(|(id, _)| *id == node);
        Buffer::from(&found.expect("inputs have values").1)
    };
    let mut buffers: Vec<Buffer> = program.inputs.iter().map(|input| value(input.node)).collect();
    let mut executable = Executable::new(program);
    let (start, mut best, mut runs) = (Instant::now(), f64::INFINITY, 0);
    while runs < 2 || start.elapsed() < Duration::from_millis(150) {
        let sample = Instant::now();
        executable.run(Pool::global(), &mut buffers, slots).expect("runs");
        best = best.min(sample.elapsed().as_secs_f64());
        runs += 1;
    }
    1e3 * best
}
