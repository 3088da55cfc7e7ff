//! Measures the machine's peak arithmetic and copy rates, to which a profile compares kernels.
use brasa_cpu::Pool;
use brasa_cpu::gemm::{Accumulate, NoEpilogue, Output, Size, Strided, gemm};
use std::hint::black_box;
use std::sync::Mutex;
use std::time::{Duration, Instant};

pub struct Machine {
    pub threads: usize,
    /// FLOP/s of a cache-friendly matrix product: the practical peak.
    pub flops: f64,
    /// Bytes read plus written per second by a copy larger than all caches.
    pub bytes: f64,
}

/// Measuring time per figure.
const MEASURE_TIME: Duration = Duration::from_millis(50);

impl Machine {
    pub fn measure(pool: &Pool) -> Machine {
        Machine { threads: pool.threads(), flops: flops(pool), bytes: bytes(pool) }
    }
}

/// The shape that came closest to the raw FMA rate: 88 % on 2 cores of a Xeon with AVX-512
/// (2026-11).
const SIZE: Size = Size { m: 4096, n: 512, k: 128 };

fn flops(pool: &Pool) -> f64 {
    let Size { m, n, k } = SIZE;
    let (a, b, mut c) = (vec![0.5; m * k], vec![0.5; k * n], vec![0f32; m * n]);
    let seconds = best(|| {
        let (a, b) = (Strided::rows(&a, k), Strided::columns(&b, n));
        gemm(
            pool,
            SIZE,
            black_box(&a),
            &b,
            Output::new(&mut c, n, Accumulate::Replace),
            &NoEpilogue,
        );
    });
    (2 * m * n * k) as f64 / seconds
}

fn bytes(pool: &Pool) -> f64 {
    const LEN: usize = 16 << 20;
    let (from, mut to) = (vec![1f32; LEN], vec![0f32; LEN]);
    let part = LEN.div_ceil(pool.threads());
    let seconds = best(|| {
        let parts: Vec<_> = to.chunks_mut(part).zip(from.chunks(part)).map(Mutex::new).collect();
        pool.run(parts.len(), &|n| {
            let mut part = parts[n].lock().expect("each part is taken once");
            let (to, from) = &mut *part;
            to.copy_from_slice(black_box(from));
        });
    });
    (2 * LEN * size_of::<f32>()) as f64 / seconds
}

/// Seconds of the fastest of many calls.
fn best(mut f: impl FnMut()) -> f64 {
    let (start, mut best, mut calls) = (Instant::now(), Duration::MAX, 0);
    while start.elapsed() < MEASURE_TIME || calls < 3 {
        let start = Instant::now();
        f();
        best = best.min(start.elapsed());
        calls += 1;
    }
    best.as_secs_f64()
}
