//! Memory that kernels work in, kept between calls: a training step allocates none after the first.
//! Its pages come when they are used, so that rounding up costs nothing.
use crate::memory::Buffer;
use std::cell::Cell;
use std::slice::from_raw_parts_mut;

thread_local! {
    /// Buffers not in use, the one that was opened first on top.
    static KEPT: Cell<Vec<Buffer>> = const { Cell::new(Vec::new()) };
}

/// Runs `f` with `len` elements of unspecified value, aligned to a cache line.
pub(crate) fn with<T: Number, R>(len: usize, f: impl FnOnce(&mut [T]) -> R) -> R {
    let bytes = len.saturating_mul(size_of::<T>());
    let kept = on_kept(Vec::pop).filter(|kept| kept.bytes().len() >= bytes);
    let mut memory = kept.unwrap_or_else(|| open(bytes));
    // SAFETY: the buffer holds at least `len` elements, is aligned to 64 and initialised, and every
    // bit pattern is a `Number`. `memory` is borrowed for as long as the slice lives.
    let result = f(unsafe { from_raw_parts_mut(memory.bytes_mut().as_mut_ptr().cast(), len) });
    on_kept(|kept| kept.push(memory));
    result
}

/// Ends a kernel that cannot have its memory. Unwinds without the message of a panic to whoever runs
/// the program, who makes it an error.
pub(crate) struct NoMemory(pub(crate) usize);

fn open(bytes: usize) -> Buffer {
    let rounded = bytes.checked_next_power_of_two().unwrap_or(bytes);
    let memory = Buffer::try_new(rounded).or_else(|| Buffer::try_new(bytes));
    memory.unwrap_or_else(|| std::panic::resume_unwind(Box::new(NoMemory(bytes))))
}

fn on_kept<R>(f: impl FnOnce(&mut Vec<Buffer>) -> R) -> R {
    KEPT.with(|cell| {
        let mut kept = cell.take();
        let result = f(&mut kept);
        cell.set(kept);
        result
    })
}

/// Types for which every bit pattern is a value.
///
/// # Safety
/// Any initialised bytes of the right size must be a valid value.
pub unsafe trait Number: Copy {}
// SAFETY: floats have no invalid bit patterns.
unsafe impl Number for f32 {}
// SAFETY: as above.
unsafe impl Number for f64 {}
// SAFETY: nor have integers.
unsafe impl Number for i32 {}
// SAFETY: as above.
unsafe impl Number for i64 {}
// SAFETY: as above.
unsafe impl Number for u8 {}
// SAFETY: as above.
unsafe impl Number for u32 {}
// SAFETY: as above.
unsafe impl Number for u64 {}
// SAFETY: as above.
unsafe impl Number for u128 {}
