//! The cost of large graphs: nanoseconds per node for each stage, from recording to a run, for all
//! shapes of graphs at several sizes: `cargo bench --bench graphs [shape] [sizes]`. A stage whose
//! time per node grows with the size takes more than linear time; a factor of two or three is due
//! to caches that no longer hold its tables. `cargo bench --bench graphs "" 4000 1000000` tries a
//! million nodes of all shapes, which takes a quarter of an hour and up to 8 GB.
#[path = "../tests/common/shapes.rs"]
mod shapes;

use brasa_compile::{Options, compile, schedule, simplify};
use brasa_cpu::{Buffer, Executable, Pool};
use brasa_ir::Recorder;
use brasa_ir::ops::Op;
use shapes::{ALL, Build, Shape};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

const SIZES: [usize; 3] = [4_000, 64_000, 250_000];
/// Shapes that take longer than this, in seconds, are not tried at the next size.
const LONGEST: f64 = 10.0;
/// Small graphs are measured repeatedly, up to this many nodes in total, because the clock is
/// coarse.
const MEASURED: usize = 64_000;

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|name| !name.starts_with('-'));
    let wanted = arguments.next().unwrap_or_default();
    let sizes: Vec<usize> = arguments.map(|size| size.parse().expect("a size")).collect();
    let sizes = if sizes.is_empty() { SIZES.to_vec() } else { sizes };
    println!(
        "{:<30}{:>9}{:>8}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}   ns per node, bytes per node",
        "shape",
        "nodes",
        "kernels",
        "record",
        "simplify",
        "schedule",
        "plan",
        "prepare",
        "run",
        "memory"
    );
    // An exact name selects this shape only; any other text all shapes that contain it.
    let is_whole = ALL.iter().any(|(name, _)| *name == wanted);
    let is_wanted = |name: &str| if is_whole { name == wanted } else { name.contains(&wanted) };
    for (name, build) in ALL.iter().filter(|(name, _)| is_wanted(name)) {
        for &nodes in &sizes {
            if measure(name, nodes, *build) > LONGEST {
                break;
            }
        }
    }
}

/// The CPU time of this thread if the system reports it, which excludes other processes; else wall
/// time.
fn now() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split(' ').next().and_then(|word| word.parse().ok());
    nanoseconds.map_or_else(|| START.elapsed(), Duration::from_nanos)
}

/// A memory figure of the process in bytes: `VmRSS` is the current use, `VmHWM` the peak; 0 if the
/// system does not report it.
fn memory(name: &str) -> usize {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<usize>().ok());
    1024 * kilobytes.unwrap_or(0)
}

/// Prints a line for a shape; returns the seconds that one graph took.
fn measure(name: &str, nodes: usize, build: Build) -> f64 {
    // Resets the peak memory use.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    let (begin, held) = (now(), memory("VmRSS"));
    let rounds = (MEASURED / nodes).max(1);
    let (mut times, size, launches) = time(nodes, build);
    for _ in 1..rounds {
        let (more, ..) = time(nodes, build);
        times.iter_mut().zip(more).for_each(|(time, more)| *time += more);
    }
    let per_node =
        |time: &Duration| format!("{:>9.0}", time.as_nanos() as f64 / (rounds * size) as f64);
    let times: String = times.iter().map(per_node).collect();
    let bytes = memory("VmHWM").saturating_sub(held) / size;
    println!("{name:<30}{size:>9}{launches:>8}{times}{bytes:>9}");
    (now() - begin).as_secs_f64() / rounds as f64
}

/// The times of the stages of one graph, its number of nodes and of launches.
fn time(nodes: usize, build: Build) -> ([Duration; 6], usize, usize) {
    let mut last = now();
    let mut lap = || {
        let before = std::mem::replace(&mut last, now());
        last - before
    };
    let g = Recorder::default();
    let wanted = Shape::record(&g, nodes, build).expect("records");
    let graph = g.into_graph();
    let record = lap();
    let writes = graph.nodes().filter(|(_, node)| matches!(node.op, Op::Write(_)));
    let needed: Vec<_> = wanted.iter().copied().chain(writes.map(|(id, _)| id)).collect();
    let simple = simplify(&graph, &needed);
    let roots: Vec<_> = wanted.iter().filter_map(|&id| simple.new_id(id)).collect();
    let simplified = lap();
    schedule(&simple.graph, &roots, &Options::default());
    let scheduled = lap();
    drop(simple);
    lap();
    let program = compile(&graph, &wanted);
    // A whole compilation, without the stages that were measured separately.
    let planned = lap().saturating_sub(simplified + scheduled);
    let launches = program.launches.len();
    let mut inputs: Vec<Buffer> =
        program.inputs.iter().map(|input| Buffer::new(input.ty.bytes())).collect();
    lap();
    let mut executable = Executable::new(program);
    let prepared = lap();
    executable.run(Pool::global(), &mut inputs, graph.slots()).expect("runs");
    ([record, simplified, scheduled, planned, prepared, lap()], graph.len(), launches)
}
