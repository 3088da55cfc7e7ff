//! After the first steps a training loop allocates nothing on any thread, and its memory does not
//! grow.
use brasa_compile::compile;
use brasa_cpu::{Buffer, Executable, Pool};
use brasa_ir::compose::{argmax, cumsum, sort, topk};
use brasa_ir::ops::{ReduceOp, ScatterOp};
use brasa_ir::{DType, Expr, Number, Recorder, Result};
use common::Model;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex};

mod common;

/// The system's allocator, with a counter that can be switched on.
struct CountingAllocator;

static COUNTS: AtomicBool = AtomicBool::new(false);
static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is forwarded unchanged to the system's allocator.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller meets the contract of `GlobalAlloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller meets the contract of `GlobalAlloc`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: the caller meets the contract of `GlobalAlloc`.
        unsafe { System.realloc(memory, layout, size) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller meets the contract of `GlobalAlloc`.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

fn count() {
    if COUNTS.load(Ordering::Relaxed) {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
    }
}

/// The counter belongs to the whole process: one test at a time.
static TURN: Mutex<()> = Mutex::new(());

type Run = Mutex<(Executable, Vec<Buffer>)>;

/// Counts the allocations of `steps` steps, after each thread has run one step alone and some
/// together.
fn allocations(build: impl for<'g> Fn(&mut Model<'g>) -> Result<Expr<'g>>, steps: usize) -> usize {
    let g = Recorder::default();
    let mut model = Model::new(&g);
    let loss = build(&mut model).expect("records");
    model.train(loss).expect("records");
    let program = g.read(|graph| compile(graph, &model.wanted));
    let slots: Vec<Number> = g.read(|graph| graph.slots().to_vec());
    let pool = Pool::new(2);
    let own = |_| Mutex::new((Executable::new(program.clone()), model.buffers(&program)));
    let runs: Vec<Run> = (0..2).map(own).collect();
    let step = |run: &Run| {
        let (executable, buffers) = &mut *run.lock().expect("no step panics");
        executable.run(&pool, buffers, &slots).expect("runs");
    };
    // Runs inside a task are serial, so each thread warms up its own scratch memory.
    let both = Barrier::new(2);
    pool.run(2, &|n| {
        both.wait();
        step(&runs[n]);
    });
    // Often enough that both threads have taken part in every kernel, even on a busy machine.
    (0..50).for_each(|_| step(&runs[0]));

    ALLOCATIONS.store(0, Ordering::SeqCst);
    COUNTS.store(true, Ordering::SeqCst);
    (0..steps).for_each(|_| step(&runs[0]));
    COUNTS.store(false, Ordering::SeqCst);
    ALLOCATIONS.load(Ordering::SeqCst)
}

#[test]
fn a_step_allocates_nothing() {
    let _turn = TURN.lock().unwrap_or_else(|e| e.into_inner());
    assert_eq!(allocations(|m| common::mlp(m, 64, 48, 2), 20), 0, "MLP");
    assert_eq!(allocations(common::cnn, 20), 0, "CNN");
    assert_eq!(allocations(|m| common::gpt(m, 4, 32, 32), 20), 0, "transformer");
}

/// A loss through scans, sorts, selections, folds, arg reductions, indices and products of
/// integers.
fn library_ops<'g>(model: &mut Model<'g>) -> Result<Expr<'g>> {
    let g = model.g;
    let (x, long) = (model.param(&[64, 300]), model.param(&[70_000]));
    let index = model.integers(&[64, 40], 300);
    let sums = cumsum(g, x, 1, None)?;
    let sorted = sort(g, sums, 0, false, true)?.0;
    let top = topk(g, sorted, 20, -1, true, true)?.0;
    let picked = sorted.gather(1, index);
    let spread = x.scatter(1, index, picked, ScatterOp::Prod);
    let windows = sorted.window(1, 5, 2, 1).reduce(ReduceOp::Max, &[2]);
    let best = argmax(g, sums, Some(0), false)?.cast(DType::F32);
    let product = index.contract(index.transposed()).cast(DType::F32);
    let line = sort(g, cumsum(g, long, 0, None)?, 0, true, true)?.0;
    let parts = [top, spread, windows, best, product, line];
    let total = |x: Expr<'g>| x.reshape(&[x.elements()]).sum(&[0]);
    Ok(parts.into_iter().map(total).reduce(|a, b| a + b).expect("there are parts"))
}

#[test]
fn library_ops_allocate_nothing() {
    let _turn = TURN.lock().unwrap_or_else(|e| e.into_inner());
    assert_eq!(allocations(library_ops, 10), 0);
}

/// Resident pages of the process, if the system reports them.
fn resident_pages() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    text.split_whitespace().nth(1)?.parse().ok()
}

#[test]
fn ten_thousand_steps_do_not_grow_memory() {
    let _turn = TURN.lock().unwrap_or_else(|e| e.into_inner());
    assert_eq!(allocations(|m| common::mlp(m, 8, 12, 1), 100), 0);
    let before = resident_pages();
    assert_eq!(allocations(|m| common::mlp(m, 8, 12, 1), 10_000), 0);
    let grown = resident_pages().zip(before).map(|(after, before)| after.saturating_sub(before));
    assert!(grown.is_none_or(|pages| pages < 256), "{grown:?} additional pages");
}
