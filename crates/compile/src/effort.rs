//! Counts the steps of searches inside passes, so that tests can check complexity without measuring
//! time. Passes report loops that could grow faster than the graph.
use std::cell::Cell;

thread_local! {
    static SPENT: Cell<usize> = const { Cell::new(0) };
}

/// Adds steps to this thread's count.
pub(crate) fn spend(steps: usize) {
    SPENT.with(|spent| spent.set(spent.get() + steps));
}

/// The result of `run`, and the number of steps that searches took in it on this thread.
pub fn measure<T>(run: impl FnOnce() -> T) -> (T, usize) {
    let before = SPENT.with(Cell::get);
    let result = run();
    (result, SPENT.with(Cell::get) - before)
}
