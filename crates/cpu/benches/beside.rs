//! Microseconds of small training steps with kernels one after the other (0), and side by side where
//! at least so many are alike: `cargo bench --bench beside`. Two threads.
use brasa_compile::{Options, Program, compile_with};
use brasa_cpu::{Buffer, Executable, Pool};
use brasa_ir::{Expr, Number, Recorder, Result};
use common::Model;
use std::time::Instant;

#[path = "../tests/common/mod.rs"]
mod common;

const FEWEST: [usize; 5] = [0, 2, 3, 4, 6];

fn main() {
    println!("at least       {}", FEWEST.map(|fewest| format!("{fewest:>16}")).join(""));
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

/// Models of their own on one batch, whose losses are added.
fn towers<'g>(m: &mut Model<'g>, batch: usize, width: usize, count: usize) -> Result<Expr<'g>> {
    let losses = (0..count).map(|_| common::mlp(m, batch, width, 1)).collect::<Result<Vec<_>>>()?;
    Ok(losses.into_iter().reduce(|a, b| a + b).expect("there are towers"))
}

struct Run {
    executable: Executable,
    buffers: Vec<Buffer>,
    beside: usize,
    best: f64,
}

fn row(name: &str, build: impl for<'g> Fn(&mut Model<'g>) -> Result<Expr<'g>>) {
    let g = Recorder::default();
    let mut model = Model::new(&g);
    let loss = build(&mut model).expect("records");
    model.train(loss).expect("records");
    let slots: Vec<Number> = g.read(|graph| graph.slots().to_vec());
    let program = |fewest_beside| -> Program {
        let options = Options { fewest_beside, ..Options::default() };
        g.read(|graph| compile_with(graph, &model.wanted, &options)).expect("compiles")
    };
    let run = |fewest: usize| {
        let program = program(fewest);
        let beside = program.launches.iter().filter(|launch| launch.kernel.is_beside).count();
        let buffers = model.buffers(&program);
        Run { executable: Executable::new(program), buffers, beside, best: f64::INFINITY }
    };
    let mut runs = FEWEST.map(run);
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
    let cells = runs.map(|run| format!("{:>10.2} ({:>3})", run.best, run.beside));
    println!("{name:<15}{}  of {launches}", cells.join(""));
}
