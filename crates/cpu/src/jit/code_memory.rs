//! Executable memory: written once, then read-only and executable.
use memmap2::{Mmap, MmapMut};

pub(super) struct CodeMemory(Mmap);

impl CodeMemory {
    /// `None` if the system refuses executable memory.
    pub(super) fn new(code: &[u8]) -> Option<CodeMemory> {
        let mut memory = MmapMut::map_anon(code.len()).ok()?;
        memory.copy_from_slice(code);
        memory.make_exec().ok().map(CodeMemory)
    }

    pub(super) fn at(&self, offset: usize) -> *const u8 {
        self.0.as_ptr().wrapping_add(offset)
    }

    #[cfg(feature = "emulate")]
    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }
}
