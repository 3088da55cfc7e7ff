//! The time to start work on a pool, while its workers spin and after they have parked: `cargo
//! bench --bench pool`.
use brasa_cpu::Pool;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

fn main() {
    println!("us for an empty run that every thread takes part in (best, median)");
    for threads in [1, 2, 4] {
        let pool = Pool::new(threads);
        let spinning = (0..20_000).map(|_| rendezvous(&pool)).collect();
        let parked = (0..200).map(|_| {
            std::thread::sleep(Duration::from_millis(1));
            rendezvous(&pool)
        });
        println!(
            "{threads} threads: spinning {}, parked {}",
            show(spinning),
            show(parked.collect())
        );
    }
}

/// Microseconds of a run whose chunks wait for each other, so that each thread must take one.
fn rendezvous(pool: &Pool) -> f64 {
    let threads = pool.threads();
    let arrived = AtomicU32::new(0);
    let start = Instant::now();
    pool.run(threads, &|_| {
        arrived.fetch_add(1, Ordering::AcqRel);
        while arrived.load(Ordering::Acquire) < threads as u32 {
            std::hint::spin_loop();
        }
    });
    1e6 * start.elapsed().as_secs_f64()
}

fn show(mut times: Vec<f64>) -> String {
    times.sort_by(f64::total_cmp);
    format!("{:.2} {:.2}", times[0], times[times.len() / 2])
}
