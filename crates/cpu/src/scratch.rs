//! Scratch memory of kernels, kept per thread between calls: a training step allocates none after
//! the first step. The system maps pages on first use, so rounding sizes up costs nothing.
use crate::memory::Buffer;
use std::cell::Cell;
use std::slice::from_raw_parts_mut;

thread_local! {
    /// Buffers not in use; the buffer of the outermost call is on top.
    static FREE: Cell<Vec<Buffer>> = const { Cell::new(Vec::new()) };
}

/// Calls `f` with `len` elements of unspecified value, aligned to a cache line. If the allocation
/// fails, unwinds with [`OutOfMemory`].
pub(crate) fn with<T: Pod, R>(len: usize, f: impl FnOnce(&mut [T]) -> R) -> R {
    let bytes = len.saturating_mul(size_of::<T>());
    let free = with_free_list(Vec::pop).filter(|free| free.bytes().len() >= bytes);
    let mut memory = free.unwrap_or_else(|| allocate(bytes));
    // SAFETY: the buffer holds at least `len` elements, is aligned to 64 and initialized, and
    // every bit pattern is a valid `T`. `memory` is borrowed for as long as the slice lives.
    let result = f(unsafe { from_raw_parts_mut(memory.bytes_mut().as_mut_ptr().cast(), len) });
    with_free_list(|free| free.push(memory));
    result
}

/// Panic payload of a failed scratch allocation, with its bytes. Unwinding skips the panic
/// message; `Executable` catches the payload and returns an error.
pub(crate) struct OutOfMemory(pub(crate) usize);

fn allocate(bytes: usize) -> Buffer {
    let rounded = bytes.checked_next_power_of_two().unwrap_or(bytes);
    let memory = Buffer::try_new(rounded).or_else(|| Buffer::try_new(bytes));
    memory.unwrap_or_else(|| std::panic::resume_unwind(Box::new(OutOfMemory(bytes))))
}

fn with_free_list<R>(f: impl FnOnce(&mut Vec<Buffer>) -> R) -> R {
    FREE.with(|cell| {
        let mut free = cell.take();
        let result = f(&mut free);
        cell.set(free);
        result
    })
}

/// Types for which every bit pattern is a valid value.
///
/// # Safety
/// - Any `size_of::<Self>()` initialized bytes are a valid value.
/// - The alignment is at most 64.
pub unsafe trait Pod: Copy {}
// SAFETY: floats have no invalid bit patterns; all types here are aligned to at most 16.
unsafe impl Pod for f32 {}
// SAFETY: as above.
unsafe impl Pod for f64 {}
// SAFETY: integers have no invalid bit patterns.
unsafe impl Pod for i32 {}
// SAFETY: as above.
unsafe impl Pod for i64 {}
// SAFETY: as above.
unsafe impl Pod for u8 {}
// SAFETY: as above.
unsafe impl Pod for u32 {}
// SAFETY: as above.
unsafe impl Pod for u64 {}
// SAFETY: as above.
unsafe impl Pod for u128 {}
