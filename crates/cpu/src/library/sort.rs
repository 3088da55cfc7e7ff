//! `Sort`: keys and positions are packed into one integer, so that any sort of them is stable.
//! Lines are radix-sorted; the first few of many elements are selected; a long line is sorted in
//! parts that are merged.
use super::ResultPtr;
use super::dtype_ops::{KeyOps, Order};
use super::lines::{Lines, units_per_claim};
use super::stored::{Key, Packed};
use crate::interp::Memory;
use crate::pool::Pool;
use crate::scratch;
use brasa_compile::kernel::Operand;
use brasa_ir::ops;

pub(super) struct Sort {
    is_descending: bool,
    keep: usize,
    lines: Lines,
    read: usize,
}

/// Only lines of at least this length are sorted by several threads.
const MIN_PARALLEL_LEN: usize = 1 << 16;
/// Shorter lines are sorted by comparison: counting digits costs more.
const MIN_RADIX_LEN: usize = 256;
/// At most one element in this many is selected without sorting all.
const SELECT_RATIO: usize = 8;
/// Keys that are loaded together.
const BLOCK: usize = 64;
/// Adjacent strided lines that are loaded together: a cache line of f32.
const LANES: usize = 16;

impl Sort {
    pub(super) fn new(sort: &ops::Sort, x: &Operand) -> Sort {
        let lines = Lines::new(&x.ty.shape, sort.axis);
        Sort { is_descending: sort.descending, keep: sort.keep, lines, read: x.read }
    }

    fn order<K: Key>(&self) -> Order<K> {
        Order::sorted(self.is_descending)
    }

    /// # Safety
    /// - `memory` meets the launch contract of [`Memory`] for the operand, which is contiguous.
    /// - `to` meets the contract of [`ResultPtr`].
    /// - `keys` are the functions of the operand's dtype.
    pub(super) unsafe fn run<K: Key>(
        &self,
        keys: KeyOps<K>,
        pool: &Pool,
        memory: Memory,
        to: ResultPtr<i64>,
    ) {
        let (count, len) = (self.lines.count(), self.lines.len);
        if self.keep == 0 {
            return;
        }
        let is_few = self.keep * SELECT_RATIO <= len;
        if !is_few && len >= MIN_PARALLEL_LEN && count < pool.threads() {
            for line in 0..count {
                // SAFETY: upheld by the caller.
                unsafe { self.sort_parallel(keys, pool, memory, line, to) };
            }
            return;
        }
        if !is_few && self.lines.inner > 1 {
            // SAFETY: upheld by the caller.
            return unsafe { self.sort_lanes(keys, pool, memory, to) };
        }
        let claim = units_per_claim(len);
        pool.run(count.div_ceil(claim), &|n| {
            let len_of_scratch = if is_few { 2 * self.keep.max(BLOCK) } else { 2 * len };
            scratch::with::<K::Packed, ()>(len_of_scratch, |items| {
                for line in n * claim..((n + 1) * claim).min(count) {
                    // SAFETY: the line is inside the operand; its elements of the result are this
                    // unit's own.
                    unsafe {
                        let sorted = match is_few {
                            true => self.select(keys, memory, line, items),
                            false => {
                                let (items, other) = items.split_at_mut(len);
                                self.pack(keys, memory, line, 0, items);
                                sort(items, other)
                            }
                        };
                        self.store(line, 0, &sorted[..self.keep], to);
                    }
                }
            });
        });
    }

    /// Sorts strided lines in groups of adjacent ones, so that each cache line is read and written
    /// once.
    ///
    /// # Safety
    /// As [`Sort::run`].
    unsafe fn sort_lanes<K: Key>(
        &self,
        keys: KeyOps<K>,
        pool: &Pool,
        memory: Memory,
        to: ResultPtr<i64>,
    ) {
        let Lines { outer, len, inner } = self.lines;
        let groups = inner.div_ceil(LANES);
        let claim = units_per_claim(len * LANES);
        pool.run((outer * groups).div_ceil(claim), &|n| {
            scratch::with::<K::Packed, ()>((LANES + 1) * len, |items| {
                let (items, other) = items.split_at_mut(LANES * len);
                for unit in n * claim..((n + 1) * claim).min(outer * groups) {
                    let (outer, first) = (unit / groups, unit % groups * LANES);
                    let count = LANES.min(inner - first);
                    let mut row = [K::HIGHEST; LANES];
                    let row = &mut row[..count];
                    for i in 0..len {
                        let at = (outer * len + i) * inner + first;
                        let x = keys.at(memory, self.read, at as isize);
                        // SAFETY: element `i` of `count` adjacent lines is inside the operand.
                        unsafe { keys.load_keys(x, 1, self.order(), row) };
                        for (lane, &key) in row.iter().enumerate() {
                            items[lane * len + i] = K::Packed::new(key, i);
                        }
                    }
                    for items in items.chunks_exact_mut(len).take(count) {
                        sort_in_place(items, other);
                    }
                    for i in 0..self.keep {
                        for lane in 0..count {
                            let n = (outer * self.keep + i) * inner + first + lane;
                            // SAFETY: the result has `keep` elements for each line.
                            unsafe { *to.at(n) = items[lane * len + i].position() };
                        }
                    }
                }
            });
        });
    }

    /// Packs `to.len()` elements of a line from `first` on.
    ///
    /// # Safety
    /// As [`Sort::run`] for `memory` and `keys`. `first + to.len()` is at most the length of a
    /// line.
    unsafe fn pack<K: Key>(
        &self,
        keys: KeyOps<K>,
        memory: Memory,
        line: usize,
        first: usize,
        to: &mut [K::Packed],
    ) {
        debug_assert!(first + to.len() <= self.lines.len);
        let inner = self.lines.inner;
        let x = keys.at(memory, self.read, self.lines.start(line) as isize);
        let mut block = [K::HIGHEST; BLOCK];
        for (n, to) in to.chunks_mut(BLOCK).enumerate() {
            let first = first + n * BLOCK;
            let x = keys.after(x, (first * inner) as isize);
            // SAFETY: the block is inside the line.
            unsafe { keys.load_keys(x, inner as isize, self.order(), &mut block[..to.len()]) };
            for (i, to) in to.iter_mut().enumerate() {
                *to = K::Packed::new(block[i], first + i);
            }
        }
    }

    /// Stores the positions of `sorted` as elements `first..` of a line of the result.
    ///
    /// # Safety
    /// `to` meets the contract of [`ResultPtr`]; `first + sorted.len()` is at most `keep`.
    unsafe fn store<P: Packed>(&self, line: usize, first: usize, sorted: &[P], to: ResultPtr<i64>) {
        debug_assert!(first + sorted.len() <= self.keep);
        let Lines { inner, .. } = self.lines;
        let start = (line / inner * self.keep + first) * inner + line % inner;
        for (n, item) in sorted.iter().enumerate() {
            // SAFETY: the result has `keep` elements for each line.
            unsafe { *to.at(start + n * inner) = item.position() };
        }
    }

    /// The first `keep` elements of a line, sorted. Blocks whose smallest key comes too late are
    /// skipped.
    ///
    /// # Safety
    /// As [`Sort::run`] for `memory` and `keys`.
    unsafe fn select<'a, K: Key>(
        &self,
        keys: KeyOps<K>,
        memory: Memory,
        line: usize,
        found: &'a mut [K::Packed],
    ) -> &'a [K::Packed] {
        let Lines { len, inner, .. } = self.lines;
        let x = keys.at(memory, self.read, self.lines.start(line) as isize);
        let mut block = [K::HIGHEST; BLOCK];
        let (mut count, mut latest) = (0, K::Packed::HIGHEST);
        for first in (0..len).step_by(BLOCK) {
            let block = &mut block[..BLOCK.min(len - first)];
            let x = keys.after(x, (first * inner) as isize);
            // SAFETY: the block is inside the line.
            let earliest = unsafe { keys.load_keys(x, inner as isize, self.order(), block) };
            if earliest > latest.key() {
                continue;
            }
            for (i, &key) in block.iter().enumerate() {
                let item = K::Packed::new(key, first + i);
                if item >= latest {
                    continue;
                }
                found[count] = item;
                count += 1;
                if count == found.len() {
                    latest = *found.select_nth_unstable(self.keep - 1).1;
                    count = self.keep;
                }
            }
        }
        let found = &mut found[..count];
        found.sort_unstable();
        found
    }

    /// Sorts one long line on all threads: sorts parts, then merges pairs of runs, piece by piece.
    ///
    /// # Safety
    /// As [`Sort::run`].
    unsafe fn sort_parallel<K: Key>(
        &self,
        keys: KeyOps<K>,
        pool: &Pool,
        memory: Memory,
        line: usize,
        to: ResultPtr<i64>,
    ) {
        let len = self.lines.len;
        let part = len.div_ceil(pool.threads().next_power_of_two());
        scratch::with::<K::Packed, ()>(2 * len, |items| {
            let (items, other) = items.split_at_mut(len);
            let (items, other) = (ResultPtr(items.as_mut_ptr()), ResultPtr(other.as_mut_ptr()));
            pool.run(len.div_ceil(part), &|n| {
                let (start, count) = (n * part, part.min(len - n * part));
                // SAFETY: parts are disjoint and inside both halves of the scratch memory, which is
                // initialized; the part is inside the line.
                unsafe {
                    let a = std::slice::from_raw_parts_mut(items.at(start), count);
                    let b = std::slice::from_raw_parts_mut(other.at(start), count);
                    self.pack(keys, memory, line, start, a);
                    sort_in_place(a, b);
                }
            });
            let (mut from, mut into, mut run) = (items, other, part);
            while run < len {
                pool.run(len.div_ceil(MERGE_PIECE), &|n| {
                    let piece = n * MERGE_PIECE..((n + 1) * MERGE_PIECE).min(len);
                    // SAFETY: pieces are disjoint; `from` holds all elements, and nothing writes
                    // it.
                    unsafe {
                        let all = std::slice::from_raw_parts(from.at(0).cast_const(), len);
                        let out = std::slice::from_raw_parts_mut(into.at(piece.start), piece.len());
                        merge_piece(all, run, piece.start, out);
                    }
                });
                (from, into, run) = (into, from, 2 * run);
            }
            pool.run(self.keep.div_ceil(MERGE_PIECE), &|n| {
                let piece = n * MERGE_PIECE..((n + 1) * MERGE_PIECE).min(self.keep);
                // SAFETY: `from` holds all elements; pieces of the result are disjoint.
                unsafe {
                    let sorted = std::slice::from_raw_parts(from.at(piece.start), piece.len());
                    self.store(line, piece.start, sorted, to);
                }
            });
        });
    }
}

/// Elements that a thread merges per claim.
const MERGE_PIECE: usize = 1 << 14;

/// Sorts `items` with `other` as scratch memory of the same length. Returns whichever of the two
/// holds the sorted elements.
fn sort<'a, P: Packed>(items: &'a mut [P], other: &'a mut [P]) -> &'a [P] {
    if items.len() < MIN_RADIX_LEN {
        items.sort_unstable();
        return items;
    }
    // Positions are already in order, so only the digits of keys are sorted, least significant
    // first.
    let mut counts = [[0u32; 256]; 8];
    for &item in items.iter() {
        (0..P::DIGITS).for_each(|n| counts[n][item.digit(n)] += 1);
    }
    let (mut from, mut to) = (items, other);
    for (n, counts) in counts.iter_mut().enumerate().take(P::DIGITS) {
        let is_same = counts[from[0].digit(n)] as usize == from.len();
        if is_same {
            continue;
        }
        let mut next = 0;
        for count in counts.iter_mut() {
            (*count, next) = (next, next + *count);
        }
        for &item in from.iter() {
            let next = &mut counts[item.digit(n)];
            to[*next as usize] = item;
            *next += 1;
        }
        (from, to) = (to, from);
    }
    from
}

fn sort_in_place<P: Packed>(items: &mut [P], other: &mut [P]) {
    let own = items.as_ptr();
    let sorted = sort(items, other);
    if sorted.as_ptr() != own {
        items.copy_from_slice(other);
    }
}

/// Computes `out.len()` elements from `start` on of the sequence that results when each pair of
/// runs of length `run` in `all` is merged.
fn merge_piece<P: Packed>(all: &[P], run: usize, start: usize, out: &mut [P]) {
    let mut done = 0;
    while done < out.len() {
        let pair = (start + done) / (2 * run) * (2 * run);
        let middle = (pair + run).min(all.len());
        let end = (pair + 2 * run).min(all.len());
        let (a, b) = (&all[pair..middle], &all[middle..end]);
        let skip = start + done - pair;
        let count = (end - pair - skip).min(out.len() - done);
        let out = &mut out[done..done + count];
        let from_a = split_of_merge(a, b, skip);
        merge(&a[from_a..], &b[skip - from_a..], out);
        done += count;
    }
}

/// How many of the first `n` elements of two merged runs come from the first run.
fn split_of_merge<P: Packed>(a: &[P], b: &[P], n: usize) -> usize {
    let (mut low, mut high) = (n.saturating_sub(b.len()), n.min(a.len()));
    while low < high {
        let middle = (low + high) / 2;
        match a[middle] < b[n - middle - 1] {
            true => low = middle + 1,
            false => high = middle,
        }
    }
    low
}

/// Merges two runs until `out` is full.
fn merge<P: Packed>(a: &[P], b: &[P], out: &mut [P]) {
    let (mut i, mut j) = (0, 0);
    for out in out {
        let takes_a = j == b.len() || (i < a.len() && a[i] < b[j]);
        *out = if takes_a { a[i] } else { b[j] };
        i += usize::from(takes_a);
        j += usize::from(!takes_a);
    }
}
