//! Effort: how many steps searches take, which a test can count where time would depend on the machine.
//! Passes report what could grow faster than a graph does.
use std::cell::Cell;

thread_local! {
    static SPENT: Cell<usize> = const { Cell::new(0) };
}

/// Reports steps of a search.
pub(crate) fn spend(steps: usize) {
    SPENT.with(|spent| spent.set(spent.get() + steps));
}

/// What a function gives, and the steps that its searches took on this thread.
pub fn measure<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = SPENT.with(Cell::get);
    let result = work();
    (result, SPENT.with(Cell::get) - before)
}
