//! Buffers: zeroed bytes aligned to a cache line, so that any element type or vector fits. Pages
//! are not touched by allocation, so the system maps them on first use.
use brasa_ir::Array;
use std::alloc::{Layout, alloc_zeroed};

/// The bytes of a tensor.
pub struct Buffer {
    memory: Vec<u8>,
    start: usize,
    len: usize,
}

/// Bytes of a cache line, and of the widest vectors.
const CACHE_LINE: usize = 64;
/// Buffers of at least this many bytes use pages of 2 MiB where the system has them: the 30,000
/// page faults of a 120 MB arena become 60.
const LARGE: usize = 4 << 20;
const LARGE_PAGE: usize = 2 << 20;

impl Buffer {
    /// `len` zero bytes. Panics if the allocation fails: see [`Buffer::try_new`].
    pub fn new(len: usize) -> Buffer {
        Buffer::try_new(len).unwrap_or_else(|| panic!("there is no memory for {len} bytes"))
    }

    /// `len` zero bytes, or `None` if the allocation fails.
    pub fn try_new(len: usize) -> Option<Buffer> {
        let align = if len >= LARGE { LARGE_PAGE } else { CACHE_LINE };
        let mut memory = zeros(len.checked_add(align)?)?;
        let start = memory.as_ptr().align_offset(align).min(align);
        if len >= LARGE {
            prefer_large_pages(&mut memory[start..start + len]);
        }
        Some(Buffer { memory, start, len })
    }

    pub fn bytes(&self) -> &[u8] {
        &self.memory[self.start..self.start + self.len]
    }

    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..self.start + self.len]
    }
}

impl Clone for Buffer {
    fn clone(&self) -> Buffer {
        let mut buffer = Buffer::new(self.len);
        buffer.bytes_mut().copy_from_slice(self.bytes());
        buffer
    }
}

impl From<&Array> for Buffer {
    fn from(array: &Array) -> Buffer {
        let bytes = array.to_bytes();
        let mut buffer = Buffer::new(bytes.len());
        buffer.bytes_mut().copy_from_slice(&bytes);
        buffer
    }
}

/// As `vec![0; len]`, which leaves its pages untouched, but without aborting on failure.
fn zeros(len: usize) -> Option<Vec<u8>> {
    let layout = Layout::array::<u8>(len).ok().filter(|layout| layout.size() > 0)?;
    // SAFETY: the size is not zero.
    let start = unsafe { alloc_zeroed(layout) };
    // SAFETY: the global allocator gave `len` bytes with the alignment of `u8`, all zero.
    (!start.is_null()).then(|| unsafe { Vec::from_raw_parts(start, len, len) })
}

/// Asks the system for large pages; the system may decline.
#[cfg(target_os = "linux")]
fn prefer_large_pages(memory: &mut [u8]) {
    use std::ffi::{c_int, c_void};
    const HUGE_PAGE: c_int = 14;
    unsafe extern "C" {
        fn madvise(start: *mut c_void, len: usize, advice: c_int) -> c_int;
    }
    let whole = memory.len() / LARGE_PAGE * LARGE_PAGE;
    // SAFETY: the range is ours and begins on a page; the advice changes no byte of it.
    unsafe { madvise(memory.as_mut_ptr().cast(), whole, HUGE_PAGE) };
}

#[cfg(not(target_os = "linux"))]
fn prefer_large_pages(_: &mut [u8]) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_allocation_returns_none() {
        for len in [usize::MAX, usize::MAX - LARGE_PAGE, isize::MAX as usize, 1 << 48] {
            assert!(Buffer::try_new(len).is_none(), "{len} bytes");
        }
    }

    #[test]
    fn buffers_are_aligned_and_zeroed() {
        for len in [0, 1, 63, 64, 1000, LARGE - 1, LARGE, LARGE + 5] {
            let mut buffer = Buffer::new(len);
            assert_eq!(buffer.bytes().len(), len);
            assert!(buffer.bytes().iter().all(|&byte| byte == 0));
            assert!(buffer.bytes().as_ptr().addr().is_multiple_of(CACHE_LINE), "{len} bytes");
            buffer.bytes_mut().iter_mut().for_each(|byte| *byte = 7);
            let copy = buffer.clone();
            assert!(copy.bytes().iter().all(|&byte| byte == 7) && copy.bytes().len() == len);
        }
    }
}
