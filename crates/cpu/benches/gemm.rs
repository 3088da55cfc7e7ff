//! GFLOP/s of matrix products with one and two threads, compared with the machine's peak: `cargo
//! bench --bench gemm`. Arguments select shapes (`512,512,512`); NN, NT and TN are layouts of A
//! and B. On a busy machine two threads need longer runs: `BENCH_MS` is the time per figure, 400
//! by default. Compared with PyTorch, shape by shape in one run: `cargo x bench gemm --peers`, or
//! set `BENCH_TORCH` to a Python with PyTorch.
use brasa_cpu::gemm::{Accumulate, NoEpilogue, Output, Size, Strided, gemm, gemm_batched};
use brasa_cpu::{Buffer, Level, Pool};
use std::hint::black_box;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// m, k, n as PyTorch prints them, and the batch size.
const SHAPES: &[(usize, usize, usize, usize)] = &[
    (64, 64, 64, 1),
    (128, 128, 128, 1),
    (256, 256, 256, 1),
    (512, 512, 512, 1),
    (1024, 1024, 1024, 1),
    (2048, 2048, 2048, 1),
    (64, 784, 128, 1),
    (128, 784, 512, 1),
    (512, 512, 2048, 1),
    (256, 64, 256, 1),
    (4096, 128, 512, 1),
    (64, 32, 64, 32),
    (1, 784, 512, 1),
    (64, 512, 10, 1),
    (16, 16, 16, 1),
];

/// Products of training steps: layers of 784, 512 and 256 at a batch of 128, a transformer of
/// width 128 at 2048 positions, the head of a convolutional network, attention; and their
/// gradients.
const TRAINING: &[(&str, usize, usize, usize, usize)] = &[
    ("NT", 128, 784, 512, 1),
    ("NT", 128, 512, 256, 1),
    ("NN", 128, 512, 784, 1),
    ("TN", 512, 128, 784, 1),
    ("NT", 2048, 128, 128, 1),
    ("NT", 2048, 128, 384, 1),
    ("NT", 2048, 128, 512, 1),
    ("NT", 2048, 512, 128, 1),
    ("TN", 128, 2048, 512, 1),
    ("TN", 512, 2048, 128, 1),
    ("TN", 384, 2048, 128, 1),
    ("NT", 64, 9216, 128, 1),
    ("TN", 128, 64, 9216, 1),
    ("NN", 64, 128, 9216, 1),
    ("NT", 128, 32, 128, 64),
    ("NN", 128, 128, 32, 64),
    ("TN", 128, 128, 32, 64),
    ("NT", 128, 128, 32, 64),
];

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|w| name.starts_with(w));
    let pools = [Pool::new(1), Pool::new(2)];
    let peaks = [peak(&pools[0]), peak(&pools[1])];
    println!("FMA peak: {:.0} and {:.0} GFLOP/s ({:?})", peaks[0], peaks[1], Level::best());
    println!("{:>20}  {:^21}  {:^21}", "", "1 thread", "2 threads");
    let layouts = ["NN", "NT", "TN"];
    let head: String = [0, 1].map(|_| layouts.map(|l| format!("{l:>5}")).join("  ")).join("     ");
    println!("{:>20}  {head}      of peak (NN)   of PyTorch (NN)", "m,k,n");
    let mut torch = Torch::find();
    for &(m, k, n, batch) in SHAPES {
        let name = name(m, k, n, batch);
        if !is_wanted(&name) {
            continue;
        }
        let speeds = [0, 1]
            .map(|p| layouts.map(|layout| measure(&pools[p], Size { m, n, k }, batch, layout)));
        let row = |p: usize| speeds[p].map(|s| format!("{s:5.0}")).join("  ");
        let of_torch = torch.as_mut().map_or("-".to_string(), |torch| {
            let mut ratio = |p: usize| speeds[p][0] / torch.ask(p + 1, Size { m, n, k }, batch);
            format!("{:.2} {:.2}", ratio(0), ratio(1))
        });
        println!(
            "{name:>20}  {}     {}      {:3.0} % {:3.0} %     {of_torch}",
            row(0),
            row(1),
            100. * speeds[0][0] / peaks[0],
            100. * speeds[1][0] / peaks[1],
        );
    }
    println!("{:>23}  1 thread  2 threads     of peak", "in training");
    for &(layout, m, k, n, batch) in TRAINING {
        let name = name(m, k, n, batch);
        if !is_wanted(&name) {
            continue;
        }
        let [one, two] = [0, 1].map(|p| measure(&pools[p], Size { m, n, k }, batch, layout));
        let of_peak = [100. * one / peaks[0], 100. * two / peaks[1]];
        println!(
            "{layout} {name:>20}  {one:8.0}  {two:9.0}   {:3.0} % {:3.0} %",
            of_peak[0], of_peak[1]
        );
    }
}

fn name(m: usize, k: usize, n: usize, batch: usize) -> String {
    format!("{m},{k},{n}{}", if batch > 1 { format!(" x{batch}") } else { String::new() })
}

/// Numbers in a buffer, as programs have them: its pages may be large.
fn numbers(len: usize, number: impl Fn(usize) -> usize) -> Buffer {
    let mut buffer = Buffer::new(4 * len);
    let floats = buffer.bytes_mut().chunks_exact_mut(4);
    floats
        .enumerate()
        .for_each(|(i, bytes)| bytes.copy_from_slice(&(number(i) as f32 - 5.0).to_ne_bytes()));
    buffer
}

fn floats(buffer: &Buffer) -> &[f32] {
    // SAFETY: a buffer is aligned to a cache line, and any bits are a float.
    let (before, floats, after) = unsafe { buffer.bytes().align_to() };
    assert!(before.is_empty() && after.is_empty());
    floats
}

/// Best GFLOP/s of a batch of products.
fn measure(pool: &Pool, size: Size, batch: usize, layout: &str) -> f64 {
    let Size { m, n, k } = size;
    let (a, b) = (numbers(batch * m * k, |i| i % 13), numbers(batch * n * k, |i| i % 11));
    let (a, b) = (floats(&a), floats(&b));
    let mut c = numbers(batch * m * n, |_| 0);
    let to = c.bytes_mut().as_mut_ptr() as usize;
    let item = |i: usize| {
        let (a, b) = (&a[i * m * k..][..m * k], &b[i * n * k..][..n * k]);
        let a = if layout == "TN" { Strided::columns(a, m) } else { Strided::rows(a, k) };
        let b = if layout == "NT" { Strided::rows(b, k) } else { Strided::columns(b, n) };
        // SAFETY: each product has its own part of `c`, which outlives the call.
        let c = unsafe {
            Output::from_raw((to as *mut f32).add(i * m * n), m * n, n, Accumulate::Replace)
        };
        (a, b, c)
    };
    let seconds = best(pool.threads(), || {
        if batch > 1 {
            return gemm_batched(pool, batch, size, &item, &NoEpilogue);
        }
        let (a, b, c) = item(0);
        gemm(pool, size, black_box(&a), &b, c, &NoEpilogue);
    });
    2e-9 * (batch * m * n * k) as f64 / seconds
}

/// Milliseconds per figure.
fn patience() -> u64 {
    std::env::var("BENCH_MS").ok().and_then(|ms| ms.parse().ok()).unwrap_or(400)
}

/// PyTorch in a separate process, which is asked for one product at a time.
struct Torch {
    child: Child,
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Torch {
    fn find() -> Option<Torch> {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bench/torch_products.py");
        let mut command = Command::new(std::env::var_os("BENCH_TORCH")?);
        command.arg(script).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("BENCH_TORCH is a Python");
        let questions = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().expect("it is piped"));
        Some(Torch { child, questions, answers })
    }

    /// Best GFLOP/s of a batch of products.
    fn ask(&mut self, threads: usize, size: Size, batch: usize) -> f64 {
        let (Size { m, n, k }, patience) = (size, patience());
        let questions = self.questions.as_mut().expect("they end with this");
        writeln!(questions, "{threads} {m} {k} {n} {batch} {patience}").expect("PyTorch listens");
        let mut answer = String::new();
        self.answers.read_line(&mut answer).expect("PyTorch answers");
        answer.trim().parse().expect("PyTorch answers with a number")
    }
}

impl Drop for Torch {
    fn drop(&mut self) {
        self.questions = None;
        let _ = self.child.wait();
    }
}

/// Seconds of one call, from many samples that are long enough for the clock. One thread is timed
/// by its CPU clock, which excludes time that other programs have the core; because that clock
/// sometimes misses time, the fastest twentieth of the samples is left out.
fn best(threads: usize, mut f: impl FnMut()) -> f64 {
    let clock = if threads == 1 { thread_seconds } else { wall_seconds };
    let mut time = |calls: u32| {
        let start = clock();
        (0..calls).for_each(|_| f());
        (clock() - start) / f64::from(calls)
    };
    time(1);
    let calls = (5e-5 / time(3)).ceil().max(1.0) as u32;
    let (start, mut samples) = (Instant::now(), Vec::new());
    while start.elapsed() < Duration::from_millis(patience()) || samples.len() < 5 {
        samples.push(time(calls));
    }
    samples.sort_by(f64::total_cmp);
    samples[if threads == 1 { samples.len() / 20 } else { 0 }]
}

fn wall_seconds() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}

#[cfg(target_os = "linux")]
fn thread_seconds() -> f64 {
    #[repr(C)]
    struct Time(i64, i64);
    unsafe extern "C" {
        fn clock_gettime(clock: i32, time: *mut Time) -> i32;
    }
    const OF_THREAD: i32 = 3;
    let mut time = Time(0, 0);
    // SAFETY: `clock_gettime` writes to `time`, which lives during the call.
    unsafe { clock_gettime(OF_THREAD, &mut time) };
    time.0 as f64 + 1e-9 * time.1 as f64
}

#[cfg(not(target_os = "linux"))]
use wall_seconds as thread_seconds;

/// GFLOP/s of independent fused multiply-adds on registers, on all threads of a pool.
fn peak(pool: &Pool) -> f64 {
    const ROUNDS: usize = 20_000;
    // As many dependency chains as registers allow, and lanes per register.
    let (chains, lanes) = if Level::best() == Level::Avx512 { (16, 16) } else { (12, 8) };
    let threads = pool.threads();
    let seconds = best(threads, || pool.run(threads, &|_| multiply_add(ROUNDS)));
    2e-9 * (threads * ROUNDS * chains * lanes) as f64 / seconds
}

#[cfg(target_arch = "x86_64")]
fn multiply_add(rounds: usize) {
    use std::arch::x86_64::*;
    macro_rules! chains {
        ($rounds:ident $splat:ident $fma:ident $first:ident, $($sum:ident)*) => {{
            let (x, y) = ($splat(black_box(0.5)), $splat(black_box(1.0)));
            $(let mut $sum = y;)*
            for _ in 0..$rounds {
                $($sum = $fma($sum, x, y);)*
            }
            $(black_box($first($sum));)*
        }};
    }
    #[target_feature(enable = "avx512f")]
    fn wide(rounds: usize) {
        chains!(rounds _mm512_set1_ps _mm512_fmadd_ps _mm512_cvtss_f32, a b c d e f g h i j k l m n o p);
    }
    #[target_feature(enable = "avx2,fma")]
    fn half(rounds: usize) {
        chains!(rounds _mm256_set1_ps _mm256_fmadd_ps _mm256_cvtss_f32, a b c d e f g h i j k l);
    }
    match Level::best() {
        // SAFETY: `Level::best` has detected these instructions.
        Level::Avx512 => unsafe { wide(rounds) },
        // SAFETY: as above.
        Level::Avx2 => unsafe { half(rounds) },
        Level::Baseline => {}
    };
}

#[cfg(not(target_arch = "x86_64"))]
fn multiply_add(_: usize) {}
