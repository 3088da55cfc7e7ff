//! Milliseconds and GFLOP/s of convolutions and their gradients: `cargo bench --bench conv`.
//! Arguments select layers by prefix; `BENCH_MS` is the time per figure, 200 by default. Uses the
//! threads of the process (`BRASA_THREADS`).
use brasa_compile::{compile, grad};
use brasa_cpu::{Buffer, Executable, Pool};
use brasa_ir::ops::{Conv, Role};
use brasa_ir::{Array, DType, Graph, Id, Recorder, Type};
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// A square layer: name, batch, groups, channels, outputs (of all groups), length, taps, stride,
/// padding.
type Layer = (&'static str, [usize; 8]);

const LAYERS: &[Layer] = &[
    ("mnist 1", [64, 1, 1, 32, 28, 3, 1, 0]),
    ("mnist 2", [64, 1, 32, 64, 26, 3, 1, 0]),
    ("mnist 2 alone", [1, 1, 32, 64, 26, 3, 1, 0]),
    ("first 7x7/2", [4, 1, 3, 64, 224, 7, 2, 3]),
    ("first 3x3", [16, 1, 3, 64, 64, 3, 1, 1]),
    ("resnet 56", [8, 1, 64, 64, 56, 3, 1, 1]),
    ("resnet 56 alone", [1, 1, 64, 64, 56, 3, 1, 1]),
    ("resnet 28 /2", [8, 1, 128, 128, 56, 3, 2, 1]),
    ("resnet 14", [8, 1, 256, 256, 14, 3, 1, 1]),
    ("resnet 7", [8, 1, 512, 512, 7, 3, 1, 1]),
    ("1x1 56", [8, 1, 64, 256, 56, 1, 1, 0]),
    ("1x1 14", [8, 1, 1024, 256, 14, 1, 1, 0]),
    ("1x1 /2", [8, 1, 256, 512, 56, 1, 2, 0]),
    ("depthwise 56", [8, 128, 128, 128, 56, 3, 1, 1]),
    ("depthwise 28 /2", [8, 256, 256, 256, 28, 3, 2, 1]),
    ("groups of 4", [8, 32, 128, 128, 28, 3, 1, 1]),
];

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    println!(
        "{:>16}  {:^18}  {:^18}  {:^18}",
        "ms and GFLOP/s", "forward", "input gradient", "weight gradient"
    );
    for &(name, layer) in LAYERS {
        if wanted.is_empty() || wanted.iter().any(|w| name.starts_with(w.as_str())) {
            println!("{name:>16}  {}", measure(layer).join("  "));
        }
    }
}

fn measure([batch, groups, channels, outputs, len, taps, stride, pad]: [usize; 8]) -> [String; 3] {
    let g = Recorder::default();
    let input = |shape: [usize; 4]| g.input("x", Role::Data, Type::new(DType::F32, shape));
    let x = input([batch, channels, len, len]);
    let w = input([outputs, channels / groups, taps, taps]);
    let op = Conv {
        stride: vec![stride; 2],
        before: vec![pad as isize; 2],
        after: vec![pad as isize; 2],
        dilation: vec![1; 2],
        spread: vec![1; 2],
        groups,
    };
    let y = g.push(op, &[x, w]).expect("a valid layer");
    let dy = input([batch, outputs, y.shape()[2], y.shape()[3]]);
    let gradients = grad(&g, &[y], &[Some(dy)], &[x, w]).expect("the layer is differentiable");
    let flops = 2 * y.elements() * channels / groups * taps * taps;
    let ids = [x, w, dy].map(|x| x.id());
    let results = [Some(y), gradients[0], gradients[1]];
    g.read(|graph| {
        results.map(|result| {
            let seconds = time(graph, &ids, result.expect("a result").id());
            format!("{:8.3} {:5.0}    ", 1e3 * seconds, 1e-9 * flops as f64 / seconds)
        })
    })
}

/// The best time of a program with one result.
fn time(graph: &Graph, inputs: &[Id], wanted: Id) -> f64 {
    let value = |&id: &Id| {
        let ty = &graph[id].ty;
        (id, Array::from_f64(ty, (0..ty.elements()).map(|i| (i % 13) as f64 - 6.0)))
    };
    let values: HashMap<Id, Array> = inputs.iter().map(value).collect();
    let program = compile(graph, &[wanted]);
    let mut buffers: Vec<Buffer> =
        program.inputs.iter().map(|input| Buffer::from(&values[&input.node])).collect();
    let mut executable = Executable::new(program);
    let mut run = || {
        let start = Instant::now();
        executable.run(Pool::global(), &mut buffers, graph.slots()).expect("runs");
        start.elapsed()
    };
    let limit = std::env::var("BENCH_MS").ok().and_then(|ms| ms.parse().ok()).unwrap_or(200);
    let (start, mut best) = (Instant::now(), run());
    while start.elapsed() < Duration::from_millis(limit) {
        best = best.min(run());
    }
    best.as_secs_f64()
}
