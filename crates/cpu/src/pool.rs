//! A thread pool that starts work within a microsecond: workers spin for a while after a run, then
//! park. Threads claim chunks one by one, so a preempted core delays only the chunk it holds.
use std::any::Any;
use std::cell::UnsafeCell;
use std::hint::spin_loop;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

/// Threads that share the chunks of a run. The caller of [`Pool::run`] is one of them.
pub struct Pool {
    shared: Arc<Shared>,
    #[cfg(not(target_family = "wasm"))]
    workers: Vec<std::thread::JoinHandle<()>>,
}

/// Upper limit of the threads of a pool, above any machine's.
pub const MAX_THREADS: usize = 4096;

type Task<'a> = &'a (dyn Fn(usize) + Sync);

/// Aligned to two cache lines, because the hardware prefetches lines in pairs.
#[repr(align(128))]
struct CachePadded<T>(T);

struct Shared {
    /// Number of chunks that no thread has claimed. A successful decrement proves that `job` is
    /// running, and it keeps running until the claimed chunk is reported in `unfinished`: this
    /// makes reading `job` sound.
    unclaimed: CachePadded<AtomicUsize>,
    unfinished: CachePadded<AtomicUsize>,
    job: CachePadded<UnsafeCell<Option<Job>>>,
    /// Held by the thread inside `run`. A thread that finds it taken (nested calls too) runs
    /// serially.
    busy: AtomicBool,
    helpers: AtomicUsize,
    /// Whether a worker has parked since the last call of `wake_all`. Written only under `gate`.
    has_parked: AtomicBool,
    gate: Mutex<()>,
    wake: Condvar,
    closing: AtomicBool,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

#[derive(Clone, Copy)]
struct Job {
    task: *const (dyn Fn(usize) + Sync),
    chunks: usize,
}

// SAFETY: `job` is written only by the thread that holds `busy` while no chunk is unclaimed or
// unfinished, and read only by threads that hold a claimed chunk. The task itself is `Sync`.
unsafe impl Sync for Shared {}
// SAFETY: as above; the pointer in `job` is used only during the run that lent it.
unsafe impl Send for Shared {}

impl Pool {
    /// A pool of `threads`, the caller included, or of as many as the system can start: see
    /// [`Pool::threads`]. At most [`MAX_THREADS`]. On wasm threads cannot be spawned: workers call
    /// [`Pool::work`].
    pub fn new(threads: usize) -> Pool {
        let shared = Arc::new(Shared {
            unclaimed: CachePadded(AtomicUsize::new(0)),
            unfinished: CachePadded(AtomicUsize::new(0)),
            job: CachePadded(UnsafeCell::new(None)),
            busy: AtomicBool::new(false),
            helpers: AtomicUsize::new(0),
            has_parked: AtomicBool::new(false),
            gate: Mutex::new(()),
            wake: Condvar::new(),
            closing: AtomicBool::new(false),
            panic: Mutex::new(None),
        });
        #[cfg(target_family = "wasm")]
        {
            let _ = threads;
            Pool { shared }
        }
        #[cfg(not(target_family = "wasm"))]
        {
            let spawn = |_| {
                let own = shared.clone();
                let worker = std::thread::Builder::new().spawn(move || own.work()).ok()?;
                shared.helpers.fetch_add(1, Ordering::Relaxed);
                Some(worker)
            };
            let workers = (1..threads.min(MAX_THREADS)).map_while(spawn).collect();
            Pool { shared, workers }
        }
    }

    /// The pool of the process: `BRASA_THREADS` threads, by default as many as the machine runs at
    /// once.
    pub fn global() -> &'static Pool {
        static GLOBAL: OnceLock<Pool> = OnceLock::new();
        GLOBAL.get_or_init(|| {
            let wanted = std::env::var("BRASA_THREADS").ok().and_then(|text| text.parse().ok());
            let machine = || std::thread::available_parallelism().map_or(1, usize::from);
            Pool::new(wanted.unwrap_or_else(machine).max(1))
        })
    }

    /// Threads that take part in a run, the caller included.
    #[inline]
    pub fn threads(&self) -> usize {
        1 + self.shared.helpers.load(Ordering::Relaxed)
    }

    /// Makes the calling thread a worker until the pool is dropped.
    pub fn work(&self) {
        self.shared.helpers.fetch_add(1, Ordering::Relaxed);
        self.shared.work();
        self.shared.helpers.fetch_sub(1, Ordering::Relaxed);
    }

    /// Calls `task` with each of `0..chunks`, on any thread and in any order, and returns when all
    /// calls have returned. A panic in `task` is resumed here; chunks not started by then are
    /// skipped. Calls from inside a task, or while another thread uses the pool, run serially.
    pub fn run(&self, chunks: usize, task: Task) {
        let shared = &*self.shared;
        if chunks <= 1 || self.threads() == 1 || shared.busy.swap(true, Ordering::Acquire) {
            return (0..chunks).for_each(task);
        }
        // SAFETY: the lifetime ends when `run` returns, which is after the last use: each use is
        // between a claim and its report, and `run` waits for all reports.
        let task = unsafe { std::mem::transmute::<Task<'_>, Task<'static>>(task) };
        // SAFETY: we hold `busy` and no chunk is unclaimed or unfinished, so no thread reads
        // `job`.
        unsafe { *shared.job.0.get() = Some(Job { task, chunks }) };
        shared.unfinished.0.store(chunks, Ordering::Relaxed);
        // Sequentially consistent with `park`: either we see the parked worker or it sees the
        // chunks.
        shared.unclaimed.0.store(chunks, Ordering::SeqCst);
        if shared.has_parked.load(Ordering::SeqCst) {
            shared.wake_all();
        }
        shared.claim_all();
        let mut spins = 0;
        while shared.unfinished.0.load(Ordering::Acquire) > 0 {
            back_off(&mut spins);
        }
        let panic = lock(&shared.panic).take();
        shared.busy.store(false, Ordering::Release);
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.closing.store(true, Ordering::SeqCst);
        self.shared.wake_all();
        #[cfg(not(target_family = "wasm"))]
        for worker in self.workers.drain(..) {
            worker.join().expect("workers catch panics of tasks");
        }
    }
}

impl Shared {
    fn work(&self) {
        let mut budget = SpinBudget::new();
        while !self.closing.load(Ordering::Relaxed) {
            if self.has_work() {
                self.claim_all();
                budget = SpinBudget::new();
            } else if budget.is_spent() {
                self.park();
                budget = SpinBudget::new();
            } else {
                spin_loop();
            }
        }
    }

    fn has_work(&self) -> bool {
        self.unclaimed.0.load(Ordering::SeqCst) > 0
    }

    fn claim_all(&self) {
        while let Some(unclaimed) = self.claim() {
            // SAFETY: we hold a claimed chunk, so the job is running and no thread writes `job`.
            let job = unsafe { (*self.job.0.get()).expect("a claimed chunk has a job") };
            // SAFETY: `run` keeps the task alive until this chunk is reported.
            let task = unsafe { &*job.task };
            let outcome = catch_unwind(AssertUnwindSafe(|| task(job.chunks - unclaimed)));
            let mut finished = 1;
            if let Err(panic) = outcome {
                lock(&self.panic).get_or_insert(panic);
                finished += self.unclaimed.0.swap(0, Ordering::Relaxed);
            }
            self.unfinished.0.fetch_sub(finished, Ordering::Release);
        }
    }

    /// Claims one chunk; returns the number of unclaimed chunks before.
    fn claim(&self) -> Option<usize> {
        let take = |unclaimed: usize| unclaimed.checked_sub(1);
        self.unclaimed.0.fetch_update(Ordering::Acquire, Ordering::Relaxed, take).ok()
    }

    /// Waits for one call of `wake_all`. A woken worker spins again before it parks again.
    fn park(&self) {
        let gate = lock(&self.gate);
        self.has_parked.store(true, Ordering::SeqCst);
        if !self.has_work() && !self.closing.load(Ordering::SeqCst) {
            drop(self.wake.wait(gate).unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// Wakes each parked worker once. Runs that start while the workers wake up need not call it
    /// again.
    fn wake_all(&self) {
        let _gate = lock(&self.gate);
        self.has_parked.store(false, Ordering::SeqCst);
        self.wake.notify_all();
    }
}

/// Limits how long an idle worker spins before it parks: long enough for the serial code between
/// two kernels, short enough that an idle program releases the core.
struct SpinBudget {
    spins: u32,
    #[cfg(not(target_family = "wasm"))]
    since: Option<std::time::Instant>,
}

impl SpinBudget {
    fn new() -> SpinBudget {
        SpinBudget {
            spins: 0,
            #[cfg(not(target_family = "wasm"))]
            since: None,
        }
    }

    #[cfg(not(target_family = "wasm"))]
    fn is_spent(&mut self) -> bool {
        self.spins += 1;
        if !self.spins.is_multiple_of(64) {
            return false;
        }
        let since = *self.since.get_or_insert_with(std::time::Instant::now);
        since.elapsed() > std::time::Duration::from_micros(80)
    }

    /// Plain wasm has no clock; one spin takes about a nanosecond.
    #[cfg(target_family = "wasm")]
    fn is_spent(&mut self) -> bool {
        self.spins += 1;
        self.spins > 80_000
    }
}

/// Spins at first, then yields: a worker that the system has preempted may need this core.
fn back_off(spins: &mut u32) {
    *spins += 1;
    if *spins < 2000 {
        return spin_loop();
    }
    std::thread::yield_now();
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;

    /// The sum of squares of `0..chunks`, computed by a run.
    fn squares(pool: &Pool, chunks: usize) -> u64 {
        let total = AtomicU64::new(0);
        pool.run(chunks, &|i| {
            total.fetch_add((i * i) as u64, Ordering::Relaxed);
        });
        total.into_inner()
    }

    fn expected(chunks: usize) -> u64 {
        (0..chunks as u64).map(|i| i * i).sum()
    }

    #[test]
    fn every_chunk_runs_once() {
        for threads in 1..=4 {
            let pool = Pool::new(threads);
            assert_eq!(pool.threads(), threads);
            for chunks in [0, 1, 2, 3, 7, 64, 1000] {
                assert_eq!(squares(&pool, chunks), expected(chunks), "{threads} threads");
            }
        }
    }

    #[test]
    fn small_runs_call_every_chunk_once() {
        for threads in 1..=4 {
            let pool = Pool::new(threads);
            for round in 0..20_000 {
                let chunks = round % 7;
                assert_eq!(squares(&pool, chunks), expected(chunks), "run {round}");
            }
        }
    }

    #[test]
    fn runs_after_the_workers_have_parked() {
        let pool = Pool::new(3);
        for round in 0..20 {
            while !pool.shared.has_parked.load(Ordering::SeqCst) {
                std::thread::yield_now();
            }
            assert_eq!(squares(&pool, 50), expected(50), "run {round}");
        }
    }

    #[test]
    fn nested_runs_complete_serially() {
        let pool = Pool::new(3);
        let total = AtomicU64::new(0);
        pool.run(10, &|_| {
            total.fetch_add(squares(&pool, 10), Ordering::Relaxed);
        });
        assert_eq!(total.into_inner(), 10 * expected(10));
    }

    #[test]
    fn concurrent_callers_share_a_pool() {
        let pool = Pool::new(2);
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| (0..2000).for_each(|_| assert_eq!(squares(&pool, 9), expected(9))));
            }
        });
    }

    #[test]
    fn panics_reach_the_caller() {
        for threads in 1..=4 {
            let pool = Pool::new(threads);
            for bad in [0, 5, 99] {
                let run = || {
                    pool.run(100, &|i| {
                        if i == bad {
                            panic!("chunk {i}")
                        }
                    })
                };
                let panic = catch_unwind(AssertUnwindSafe(run)).expect_err("a chunk panics");
                let text = panic.downcast_ref::<String>().expect("the panic has a text");
                assert_eq!(*text, format!("chunk {bad}"));
                assert_eq!(squares(&pool, 100), expected(100), "usable afterwards");
            }
        }
    }

    #[test]
    fn threads_can_join_as_workers() {
        let pool = Pool::new(1);
        std::thread::scope(|scope| {
            scope.spawn(|| pool.work());
            while pool.threads() < 2 {
                std::thread::yield_now();
            }
            (0..1000).for_each(|_| assert_eq!(squares(&pool, 9), expected(9)));
            pool.shared.closing.store(true, Ordering::SeqCst);
            pool.shared.wake_all();
        });
    }
}
