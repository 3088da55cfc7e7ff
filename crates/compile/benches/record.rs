//! Nanoseconds per node for recording, differentiating and simplifying one long graph, at two
//! lengths, so that superlinear growth shows.
use brasa_compile::{grad, simplify};
use brasa_ir::ops::Role;
use brasa_ir::{DType, Expr, Recorder, Type};
use std::time::{Duration, Instant};

/// Reports the best of several rounds, to exclude noise of the machine.
const ROUNDS: usize = 7;

fn main() {
    println!(
        "{:>8} {:>12} {:>12} {:>12}   ns per node, best of {ROUNDS}",
        "nodes", "record", "grad", "simplify"
    );
    for nodes in [10_000, 100_000] {
        let rounds: Vec<Round> = (0..ROUNDS).map(|_| round(nodes)).collect();
        let best = |part: fn(&Round) -> f64| rounds.iter().map(part).fold(f64::MAX, f64::min);
        let (record, grad) = (best(|r| r.record), best(|r| r.grad));
        println!("{nodes:>8} {record:>12.0} {grad:>12.0} {:>12.0}", best(|r| r.simplify));
    }
}

/// Nanoseconds per node that each stage added or read.
struct Round {
    record: f64,
    grad: f64,
    simplify: f64,
}

fn round(nodes: usize) -> Round {
    let g = Recorder::default();
    let x = g.input("x", Role::Data, Type::new(DType::F32, [32, 64]));
    let len = || g.read(|graph| graph.len());

    let start = Instant::now();
    let y = chain(x, nodes);
    let recorded = (start.elapsed(), len());

    let start = Instant::now();
    let dx = grad(&g, &[y], &[], &[x]).expect("differentiates")[0].expect("depends on x");
    let differentiated = (start.elapsed(), len() - recorded.1);

    let wanted = [y.id(), dx.id()];
    let start = Instant::now();
    let simplified = g.read(|graph| simplify(graph, &wanted));
    let elapsed = (start.elapsed(), len());
    assert!(simplified.new_id(dx.id()).is_some());

    let per_node = |(time, nodes): (Duration, usize)| time.as_nanos() as f64 / nodes as f64;
    Round {
        record: per_node(recorded),
        grad: per_node(differentiated),
        simplify: per_node(elapsed),
    }
}

/// A deep network of pointwise ops, views and reductions.
fn chain(x: Expr<'_>, nodes: usize) -> Expr<'_> {
    let g = x.recorder();
    let mut y = x;
    while g.read(|graph| graph.len()) < nodes {
        let bias = y.sum_keep(&[1]);
        y = (y + bias).tanh() * x;
        y = y.reshape(&[64, 32]).permute(&[1, 0]);
    }
    y
}
