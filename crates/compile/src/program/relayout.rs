//! Recomputes the arena layout for a device with other element sizes or paged memory.
use crate::memory::pack::{ALIGN, Span, pack, peak, profile};
use crate::memory::plan::{BufferId, Place};
use crate::program::Program;
use brasa_ir::Type;

impl Program {
    /// Assigns new arena offsets for a device on which types take `bytes` and no buffer may cross a
    /// `page` boundary. A page is at least as long as each buffer. In-place results stay in place
    /// if result and operand have the same size on that device.
    pub fn relayout(&mut self, bytes: impl Fn(&Type) -> usize, page: usize) {
        let homes = self.homes(&bytes);
        let mut lasts: Vec<usize> = self.buffers.iter().map(|buffer| buffer.last).collect();
        for (n, &home) in homes.iter().enumerate() {
            lasts[home] = lasts[home].max(self.buffers[n].last);
        }
        let owns_span =
            |n: &usize| homes[*n] == *n && matches!(self.buffers[*n].place, Place::Arena(_));
        let span = |home: usize| {
            let bytes = bytes(&self.buffers[home].ty).next_multiple_of(ALIGN);
            Span { home, bytes, first: self.buffers[home].first, last: lasts[home] }
        };
        let spans: Vec<Span> = (0..homes.len()).filter(owns_span).map(span).collect();
        let (offsets, arena_bytes) = pack(&spans, page);
        for (span, offset) in spans.iter().zip(offsets) {
            self.buffers[span.home].place = Place::Arena(offset);
        }
        for (n, &home) in homes.iter().enumerate() {
            self.buffers[n].place = self.buffers[home].place;
        }
        self.live_bytes = peak(&profile(&spans, self.launches.len()));
        self.arena_bytes = arena_bytes;
    }

    /// The buffer that each buffer shares its place with: itself, or the operand that it
    /// overwrites.
    fn homes(&self, bytes: &impl Fn(&Type) -> usize) -> Vec<usize> {
        let mut homes: Vec<usize> = (0..self.buffers.len()).collect();
        for launch in &self.launches {
            for write in &launch.writes {
                let new = &self.buffers[write.index()];
                let is_overwritten = |read: &&BufferId| {
                    let old = &self.buffers[read.index()];
                    matches!(new.place, Place::Arena(_))
                        && old.place == new.place
                        && old.ty.elements() == new.ty.elements()
                        && bytes(&old.ty) == bytes(&new.ty)
                };
                if let Some(read) = launch.reads.iter().find(is_overwritten) {
                    homes[write.index()] = homes[read.index()];
                }
            }
        }
        homes
    }
}
