//! Arenas of other devices: elements of other sizes, and memory in pages.
use crate::pack::{ALIGN, Span, most, pack, profile};
use crate::plan::{BufferId, Place};
use crate::program::Program;
use brasa_ir::Type;

impl Program {
    /// Places the buffers of the arena anew, for a device where types take other `bytes` and where
    /// no buffer may lie across the end of a page, which is at least as long as each of them. What
    /// was written over an operand still is, if both take the same bytes there.
    pub fn rearrange(&mut self, bytes: impl Fn(&Type) -> usize, page: usize) {
        let homes = self.homes(&bytes);
        let mut lasts: Vec<usize> = self.buffers.iter().map(|buffer| buffer.last).collect();
        for (n, &home) in homes.iter().enumerate() {
            lasts[home] = lasts[home].max(self.buffers[n].last);
        }
        let is_piece =
            |n: &usize| homes[*n] == *n && matches!(self.buffers[*n].place, Place::Arena(_));
        let span = |home: usize| {
            let bytes = bytes(&self.buffers[home].ty).next_multiple_of(ALIGN);
            Span { home, bytes, first: self.buffers[home].first, last: lasts[home] }
        };
        let spans: Vec<Span> = (0..homes.len()).filter(is_piece).map(span).collect();
        let (offsets, arena_bytes) = pack(&spans, page);
        for (span, offset) in spans.iter().zip(offsets) {
            self.buffers[span.home].place = Place::Arena(offset);
        }
        for (n, &home) in homes.iter().enumerate() {
            self.buffers[n].place = self.buffers[home].place;
        }
        self.live_bytes = most(&profile(&spans, self.launches.len()));
        self.arena_bytes = arena_bytes;
    }

    /// For each buffer the one whose place it took: its own, or that of an operand.
    fn homes(&self, bytes: &impl Fn(&Type) -> usize) -> Vec<usize> {
        let mut homes: Vec<usize> = (0..self.buffers.len()).collect();
        for launch in &self.launches {
            for write in &launch.writes {
                let new = &self.buffers[write.index()];
                let is_under = |read: &&BufferId| {
                    let old = &self.buffers[read.index()];
                    matches!(new.place, Place::Arena(_))
                        && old.place == new.place
                        && old.ty.elements() == new.ty.elements()
                        && bytes(&old.ty) == bytes(&new.ty)
                };
                if let Some(read) = launch.reads.iter().find(is_under) {
                    homes[write.index()] = homes[read.index()];
                }
            }
        }
        homes
    }
}
