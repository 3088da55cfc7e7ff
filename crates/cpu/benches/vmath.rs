//! Nanoseconds per element of each vector math function, on blocks that stay in the L1 cache, at
//! every SIMD level of the machine: `cargo bench --bench vmath`.
use brasa_cpu::Level;
use brasa_cpu::vmath::{Binary, Unary};
use std::hint::black_box;
use std::time::{Duration, Instant};

const LEN: usize = 512;

fn main() {
    let levels: Vec<String> = Level::available().iter().map(|l| format!("{l:>9?}")).collect();
    println!("{:>10} {}", "ns/element", levels.join(" "));
    let x: Vec<f32> = (0..LEN).map(|i| 0.01 + i as f32 * (4.0 / LEN as f32)).collect();
    let mut y = vec![0.0; LEN];
    for &f in Unary::ALL {
        let row = Level::available()
            .iter()
            .map(|&level| format!("{:9.3}", best(|| f.map_at(level, black_box(&x), &mut y))));
        println!("{:>10} {}", f.name(), row.collect::<Vec<_>>().join(" "));
    }
    for &f in Binary::ALL {
        let row = Level::available()
            .iter()
            .map(|&level| format!("{:9.3}", best(|| f.map_at(level, black_box(&x), &x, &mut y))));
        println!("{:>10} {}", f.scalar().def().name, row.collect::<Vec<_>>().join(" "));
    }
}

/// Nanoseconds per element, best of many samples.
fn best(mut f: impl FnMut()) -> f64 {
    const CALLS: u32 = 20;
    let (start, mut best) = (Instant::now(), f64::INFINITY);
    while start.elapsed() < Duration::from_millis(100) {
        let sample = Instant::now();
        (0..CALLS).for_each(|_| f());
        best = best.min(sample.elapsed().as_secs_f64());
    }
    1e9 * best / f64::from(CALLS) / LEN as f64
}
