//! Microseconds per small training step for several values of `min_concurrent`; 0 runs all kernels
//! sequentially. Two threads: `cargo bench --bench concurrent`.
use brasa_compile::{Options, Program, Target, compile_with};
use brasa_cpu::{Buffer, Executable, Pool};
use brasa_ir::{Expr, Number, Recorder, Result};
use common::Model;
use std::time::Instant;

#[path = "../tests/common/mod.rs"]
mod common;

const MIN_CONCURRENT: [usize; 5] = [0, 2, 3, 4, 6];

fn main() {
    println!("min_concurrent {}", MIN_CONCURRENT.map(|n| format!("{n:>16}")).join(""));
    for (batch, width) in [(8, 16), (16, 32), (16, 64), (32, 64), (64, 64), (64, 128)] {
        row(&format!("mlp {batch}x{width}"), |m| common::mlp(m, batch, width, 2));
    }
    for (batch, width) in [(8, 16), (16, 32), (16, 64), (32, 64)] {
        row(&format!("4 towers {batch}x{width}"), |m| towers(m, batch, width, 4));
    }
    row("cnn", common::cnn);
    for (batch, context, width) in [(1, 8, 16), (2, 16, 16), (4, 16, 32), (4, 32, 32)] {
        row(&format!("gpt {batch}x{context}x{width}"), |m| common::gpt(m, batch, context, width));
    }
}

/// Independent models on one batch, whose losses are added.
fn towers<'g>(m: &mut Model<'g>, batch: usize, width: usize, count: usize) -> Result<Expr<'g>> {
    let losses = (0..count).map(|_| common::mlp(m, batch, width, 1)).collect::<Result<Vec<_>>>()?;
    Ok(losses.into_iter().reduce(|a, b| a + b).expect("there are towers"))
}

struct Run {
    executable: Executable,
    buffers: Vec<Buffer>,
    concurrent: usize,
    best: f64,
}

fn row(name: &str, build: impl for<'g> Fn(&mut Model<'g>) -> Result<Expr<'g>>) {
    let g = Recorder::default();
    let mut model = Model::new(&g);
    let loss = build(&mut model).expect("records");
    model.train(loss).expect("records");
    let slots: Vec<Number> = g.read(|graph| graph.slots().to_vec());
    let program = |min_concurrent| -> Program {
        let options = Options::new(Target { min_concurrent, ..Target::default() });
        g.read(|graph| compile_with(graph, &model.wanted, &options)).expect("compiles")
    };
    let run = |min_concurrent: usize| {
        let program = program(min_concurrent);
        let concurrent =
            program.launches.iter().filter(|launch| launch.kernel.is_concurrent).count();
        let buffers = model.buffers(&program);
        Run { executable: Executable::new(program), buffers, concurrent, best: f64::INFINITY }
    };
    let mut runs = MIN_CONCURRENT.map(run);
    let launches = runs[0].executable.program().launches.len();
    let pool = Pool::new(2);
    for _ in 0..60 {
        for run in &mut runs {
            let start = Instant::now();
            for _ in 0..50 {
                run.executable.run(&pool, &mut run.buffers, &slots).expect("runs");
            }
            run.best = run.best.min(1e6 / 50.0 * start.elapsed().as_secs_f64());
        }
    }
    let cells = runs.map(|run| format!("{:>10.2} ({:>3})", run.best, run.concurrent));
    println!("{name:<15}{}  of {launches}", cells.join(""));
}
