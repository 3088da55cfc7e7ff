//! Time to find the program of a recorded step in the cache, compared with compiling it.
use brasa_compile::Options;
use brasa_cpu::Cache;
use brasa_ir::Recorder;
use common::Model;
use std::time::Instant;

#[path = "../tests/common/mod.rs"]
mod common;

const ROUNDS: u32 = 1000;

fn main() {
    let g = Recorder::default();
    let mut model = Model::new(&g);
    let loss = common::gpt(&mut model, 4, 32, 32).expect("records");
    model.train(loss).expect("records");
    let (mut cache, options) = (Cache::default(), Options::default());
    g.read(|graph| {
        let start = Instant::now();
        cache.get(graph, &model.wanted, &options).expect("compiles");
        let compiled = start.elapsed();
        let start = Instant::now();
        for _ in 0..ROUNDS {
            cache.get(graph, &model.wanted, &options).expect("is found");
        }
        let found = start.elapsed() / ROUNDS;
        println!("{} nodes: compiled in {compiled:?}, found in {found:?}", graph.len());
    });
}
