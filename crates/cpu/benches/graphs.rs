//! What large graphs cost: nanoseconds per node for each stage, from recording to a run, for all shapes
//! of graphs at several sizes: `cargo bench --bench graphs [shape] [sizes]`. A stage whose numbers grow
//! with the size takes more than linear time.
#[path = "../tests/common/shapes.rs"]
mod shapes;

use brasa_compile::{Options, compile, schedule, simplify};
use brasa_cpu::{Buffer, Executable, Pool};
use brasa_ir::Recorder;
use brasa_ir::ops::Op;
use shapes::{ALL, Build, Shape};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

const SIZES: [usize; 4] = [1_000, 4_000, 16_000, 64_000];
/// Shapes that take longer than this are not tried at the next size.
const LONGEST: f64 = 10.0;

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|name| !name.starts_with('-'));
    let wanted = arguments.next().unwrap_or_default();
    let sizes: Vec<usize> = arguments.map(|size| size.parse().expect("a size")).collect();
    let sizes = if sizes.is_empty() { SIZES.to_vec() } else { sizes };
    println!(
        "{:<30}{:>9}{:>8}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}   ns per node",
        "shape", "nodes", "kernels", "record", "simplify", "schedule", "plan", "prepare", "run"
    );
    for (name, build) in ALL.iter().filter(|(name, _)| name.contains(&wanted)) {
        for &nodes in &sizes {
            if time(name, nodes, *build) > LONGEST {
                break;
            }
        }
    }
}

/// The time that this thread has run, where the system tells: others may be busy, too.
fn now() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split(' ').next().and_then(|word| word.parse().ok());
    nanoseconds.map_or_else(|| START.elapsed(), Duration::from_nanos)
}

/// Prints a line for a shape; the seconds that it took.
fn time(name: &str, nodes: usize, build: Build) -> f64 {
    let begin = now();
    let g = Recorder::default();
    let wanted = Shape::record(&g, nodes, build).expect("records");
    let graph = g.into_graph();
    let mut times = vec![now() - begin];
    let mut measure = |from: Duration| times.push(now() - from);

    let writes = graph.nodes().filter(|(_, node)| matches!(node.op, Op::Write(_)));
    let needed: Vec<_> = wanted.iter().copied().chain(writes.map(|(id, _)| id)).collect();
    let start = now();
    let simple = simplify(&graph, &needed);
    measure(start);
    let roots: Vec<_> = wanted.iter().filter_map(|&id| simple.place(id)).collect();
    let start = now();
    schedule(&simple.graph, &roots, &Options::default());
    measure(start);
    let start = now();
    let program = compile(&graph, &wanted);
    measure(start);
    let launches = program.launches.len();
    let mut inputs: Vec<Buffer> =
        program.inputs.iter().map(|input| Buffer::new(input.ty.bytes())).collect();
    let start = now();
    let mut executable = Executable::new(program);
    measure(start);
    let start = now();
    executable.run(Pool::global(), &mut inputs, graph.slots()).expect("runs");
    measure(start);
    // A whole compilation, but for what was measured by itself.
    times[3] = times[3].saturating_sub(times[1] + times[2]);
    let per_node =
        |time: &Duration| format!("{:>9.0}", time.as_nanos() as f64 / graph.len() as f64);
    let times: String = times.iter().map(per_node).collect();
    println!("{name:<30}{:>9}{launches:>8}{times}", graph.len());
    (now() - begin).as_secs_f64()
}
