//! Large graphs of all shapes: kernels stay small, so that the work of compiling them grows
//! linearly, and results agree with the reference device.
#[path = "common/shapes.rs"]
mod shapes;

use brasa_compile::{Program, compile, effort};
use brasa_cpu::{Buffer, Executable, Pool};
use brasa_ir::{Array, Graph, Id, Recorder, Type, eval};
use shapes::{ALL, Build, Shape};
use std::collections::HashMap;

fn record(nodes: usize, build: Build) -> (Graph, Vec<Id>) {
    let g = Recorder::default();
    let wanted = Shape::record(&g, nodes, build).expect("records");
    (g.into_graph(), wanted)
}

fn shape(name: &str) -> Build {
    ALL.iter().find(|(other, _)| *other == name).expect("a shape").1
}

/// Small distinct values; integers are below eight, as indices are.
fn sample(ty: &Type, seed: usize) -> Array {
    let value = |i: usize| ((i * 7919 + seed * 104_729) % 1000) as f64 * 2e-4 - 0.1;
    match ty.dtype.is_float() {
        true => Array::from_f64(ty, (0..ty.elements()).map(value)),
        false => Array::from_i64(ty, (0..ty.elements()).map(|i| ((i + seed) % 8) as i64)),
    }
}

fn run(program: Program, graph: &Graph, values: &HashMap<Id, Array>) -> Vec<Array> {
    let outputs = program.outputs.len();
    let inputs = program.inputs.iter();
    let mut inputs: Vec<Buffer> = inputs.map(|input| Buffer::from(&values[&input.node])).collect();
    let mut executable = Executable::new(program);
    executable.run(Pool::global(), &mut inputs, graph.slots()).expect("runs");
    (0..outputs).map(|n| executable.output(&inputs, n)).collect()
}

fn values(program: &Program) -> HashMap<Id, Array> {
    let inputs = program.inputs.iter().enumerate();
    inputs.map(|(n, input)| (input.node, sample(&input.ty, n))).collect()
}

/// The number of steps of all kernels, and of the largest.
fn work(program: &Program) -> (usize, usize) {
    let steps = program.launches.iter().map(|launch| launch.kernel.code.steps.len());
    steps.fold((0, 0), |(sum, most), n| (sum + n, most.max(n)))
}

/// Devices may take time quadratic in a kernel's steps, so these have a bound, and their sum grows
/// linearly with the graph. So do the search steps that differentiation and compilation count.
#[test]
fn work_grows_with_the_size_of_a_graph() {
    for (name, build) in ALL {
        let measure = |nodes: usize| {
            let ((graph, program), searched) = effort::measure(|| {
                let (graph, wanted) = record(nodes, *build);
                let program = compile(&graph, &wanted);
                (graph, program)
            });
            let (steps, most) = work(&program);
            assert!(most <= 4096, "{name}: {most} steps of one kernel");
            (graph.len(), steps, searched)
        };
        let (small, large) = (measure(3_000), measure(12_000));
        let grown = |before: usize| before * large.0 / small.0 * 13 / 10;
        let (nodes, steps, searched) = large;
        assert!(steps <= grown(small.1) + nodes, "{name}: nodes and steps {small:?}, {large:?}");
        // A node becomes a few steps at most, even if several kernels recompute it.
        assert!(steps <= 16 * nodes, "{name}: {large:?}");
        // Without a bound, products with gradients took a thousand search steps per node, and
        // growing.
        let limit = grown(small.2) + 4 * nodes;
        assert!(searched <= limit.min(32 * nodes), "{name}: searched {small:?}, {large:?}");
    }
}

#[test]
fn large_graphs_agree_with_the_reference() {
    for (name, build) in ALL {
        let (graph, wanted) = record(1_200, *build);
        let program = compile(&graph, &wanted);
        let values = values(&program);
        let want = eval(&graph, &values, &wanted).expect("evaluates");
        for (got, want) in run(program, &graph, &values).iter().zip(&want) {
            let largest = (0..want.len()).map(|i| want.f64(i).abs()).fold(0.0, f64::max);
            for i in 0..want.len() {
                let (got, want) = (got.f64(i), want.f64(i));
                let is_close =
                    (got - want).abs() <= 1e-3 * largest + 1e-6 || got.is_nan() && want.is_nan();
                assert!(is_close || got == want, "{name}, element {i}: {got}, not {want}");
            }
        }
    }
}

/// In cubic time, each of these graphs would take minutes.
#[test]
fn long_chains_are_compiled_and_run() {
    for name in ["multiply by numbers", "add one", "alternate", "products", "moves with readers"] {
        let (graph, wanted) = record(20_000, shape(name));
        let program = compile(&graph, &wanted);
        let most = program.launches.iter().map(|launch| launch.kernel.nodes.len()).max();
        assert!(most <= Some(256), "{name}: a kernel of {most:?} nodes");
        let values = values(&program);
        let outputs = run(program, &graph, &values);
        if name == "add one" {
            let input = values.values().next().expect("an input").f64(0);
            let ones = graph.nodes().filter(|(_, node)| node.op.name() == "add").count();
            let (got, want) = (outputs[0].f64(0), input + ones as f64);
            assert!((got - want).abs() < 0.5, "{got}, not {want}");
        }
    }
}
