//! Memory that kernels work in, kept between calls: a training step allocates none after the first.
use std::cell::Cell;
use std::mem::MaybeUninit;
use std::slice::from_raw_parts_mut;

#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line(#[expect(dead_code, reason = "only its bytes count")] [MaybeUninit<u8>; 64]);

thread_local! {
    /// Buffers not in use, the one that was opened first on top.
    static KEPT: Cell<Vec<Vec<Line>>> = const { Cell::new(Vec::new()) };
}

/// Runs `f` with `len` elements of unspecified value, aligned to a cache line.
pub(crate) fn with<T: Number, R>(len: usize, f: impl FnOnce(&mut [T]) -> R) -> R {
    let lines = (len * size_of::<T>()).div_ceil(size_of::<Line>());
    let mut memory = on_kept(|kept| kept.pop().unwrap_or_default());
    if memory.len() < lines {
        memory = vec![Line([MaybeUninit::new(0); 64]); lines.next_power_of_two()];
    }
    // SAFETY: the lines hold at least `len` elements, are aligned to 64 and initialised, and every
    // bit pattern is a `Number`. `memory` is borrowed for as long as the slice lives.
    let result = f(unsafe { from_raw_parts_mut(memory.as_mut_ptr().cast(), len) });
    on_kept(|kept| kept.push(memory));
    result
}

fn on_kept<R>(f: impl FnOnce(&mut Vec<Vec<Line>>) -> R) -> R {
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
unsafe impl Number for u64 {}
// SAFETY: as above.
unsafe impl Number for u128 {}
