//! Buffers: bytes on a cache line's boundary, so that every element type and vector can lie there.
use brasa_ir::Array;

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; 64]);

/// A tensor's bytes.
#[derive(Clone)]
pub struct Buffer {
    lines: Vec<Line>,
    len: usize,
}

impl Buffer {
    /// `len` bytes of zeros.
    pub fn new(len: usize) -> Buffer {
        Buffer { lines: vec![Line([0; 64]); len.div_ceil(64)], len }
    }

    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the lines hold at least `len` bytes.
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), self.len) }
    }

    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.len) }
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
