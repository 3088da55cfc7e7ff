//! Packing in order of time (best fit): each span takes the smallest free hole when it begins.
use super::Span;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

/// Maximum number of holes to try if page boundaries make holes unusable.
const MAX_HOLES: usize = 16;

/// An offset for each span, and the size of the arena.
pub(super) fn pack(spans: &[Span], page: usize) -> (Vec<usize>, usize) {
    let mut order: Vec<usize> = (0..spans.len()).collect();
    order.sort_by_key(|&n| (spans[n].first, Reverse(spans[n].bytes), n));
    let mut holes = Holes { page, ..Holes::default() };
    let mut ends: BinaryHeap<Reverse<(usize, usize)>> = BinaryHeap::new();
    let mut offsets = vec![0; spans.len()];
    for n in order {
        while let Some(&Reverse((last, over))) = ends.peek()
            && last < spans[n].first
        {
            ends.pop();
            holes.free(offsets[over], spans[over].bytes);
        }
        offsets[n] = holes.allocate(spans[n].bytes);
        ends.push(Reverse((spans[n].last, n)));
    }
    (offsets, holes.total)
}

/// The free ranges of the arena. Adjacent ranges are merged.
#[derive(Default)]
struct Holes {
    page: usize,
    total: usize,
    /// The end of each hole, by its start.
    ends: BTreeMap<usize, usize>,
    /// The holes as `(size, start)`.
    sizes: BTreeSet<(usize, usize)>,
}

impl Holes {
    /// The first offset at or after `offset` where this many bytes lie within one page.
    fn fit(&self, offset: usize, bytes: usize) -> usize {
        let end = (offset / self.page + 1).saturating_mul(self.page);
        if bytes <= end - offset { offset } else { end }
    }

    fn allocate(&mut self, bytes: usize) -> usize {
        if bytes == 0 {
            return 0;
        }
        let candidates = self.sizes.range((bytes, 0)..).take(MAX_HOLES);
        let found = candidates.map(|&(size, start)| (start, start + size));
        let mut found = found.filter(|&(start, end)| self.fit(start, bytes) + bytes <= end);
        // Otherwise the arena grows, from the hole at its end if there is one.
        let last = self.ends.last_key_value().filter(|&(_, &end)| end == self.total);
        let last = last.map_or((self.total, self.total), |(&start, &end)| (start, end));
        let (start, end) = found.next().unwrap_or(last);
        self.remove(start, end);
        let offset = self.fit(start, bytes);
        self.total = self.total.max(offset + bytes);
        self.add(start, offset);
        self.add(offset + bytes, end.max(offset + bytes));
        offset
    }

    fn free(&mut self, offset: usize, bytes: usize) {
        if bytes == 0 {
            return;
        }
        let (mut start, mut end) = (offset, offset + bytes);
        if let Some((&before, &meets)) = self.ends.range(..start).next_back()
            && meets == start
        {
            self.remove(before, meets);
            start = before;
        }
        if let Some(&after) = self.ends.get(&end) {
            self.remove(end, after);
            end = after;
        }
        self.add(start, end);
    }

    fn add(&mut self, start: usize, end: usize) {
        if start < end {
            self.ends.insert(start, end);
            self.sizes.insert((end - start, start));
        }
    }

    fn remove(&mut self, start: usize, end: usize) {
        if start < end {
            self.ends.remove(&start);
            self.sizes.remove(&(end - start, start));
        }
    }
}
