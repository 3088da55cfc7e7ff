//! `Sort`: keys and positions packed into one number, so that any sort of them is stable. Lines are
//! sorted by digits, few of many by selection, and a long line in parts that are merged.
use super::Target;
use super::blocks::{Keys, Order};
use super::lines::{Lines, per_claim};
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

/// Lines that several threads sort together are at least this long.
const LONG: usize = 1 << 16;
/// Lines shorter than this are sorted by comparison: counting digits costs more.
const SHORT: usize = 256;
/// Less than one element in this many is selected; more are sorted.
const FEW: usize = 8;
/// Keys that are looked at together.
const BLOCK: usize = 64;
/// Neighbours that are sorted one after the other: a cache line of f32.
const GROUP: usize = 16;

impl Sort {
    pub(super) fn new(sort: &ops::Sort, x: &Operand) -> Sort {
        let lines = Lines::new(&x.ty.shape, sort.axis);
        Sort { is_descending: sort.descending, keep: sort.keep, lines, read: x.read }
    }

    fn order<K: Key>(&self) -> Order<K> {
        Order::sorted(self.is_descending)
    }

    /// # Safety
    /// The buffers are as large as the operand's view and the target say.
    pub(super) unsafe fn run<K: Key>(
        &self,
        keys: Keys<K>,
        pool: &Pool,
        memory: Memory,
        to: Target<i64>,
    ) {
        let (count, len) = (self.lines.count(), self.lines.len);
        if self.keep == 0 {
            return;
        }
        let is_few = self.keep * FEW <= len;
        if !is_few && len >= LONG && count < pool.threads() {
            for line in 0..count {
                // SAFETY: promised by the caller.
                unsafe { self.together(keys, pool, memory, line, to) };
            }
            return;
        }
        if !is_few && self.lines.inner > 1 {
            // SAFETY: promised by the caller.
            return unsafe { self.across(keys, pool, memory, to) };
        }
        let claim = per_claim(len);
        pool.run(count.div_ceil(claim), &|n| {
            let room = if is_few { 2 * self.keep.max(BLOCK) } else { 2 * len };
            scratch::with::<K::Packed, ()>(room, |items| {
                for line in n * claim..((n + 1) * claim).min(count) {
                    // SAFETY: promised by the caller.
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

    /// Neighbours across the axis: what they share of cache lines is read and written once.
    unsafe fn across<K: Key>(&self, keys: Keys<K>, pool: &Pool, memory: Memory, to: Target<i64>) {
        let Lines { outer, len, inner } = self.lines;
        let groups = inner.div_ceil(GROUP);
        let claim = per_claim(len * GROUP);
        pool.run((outer * groups).div_ceil(claim), &|n| {
            scratch::with::<K::Packed, ()>((GROUP + 1) * len, |items| {
                let (items, other) = items.split_at_mut(GROUP * len);
                for unit in n * claim..((n + 1) * claim).min(outer * groups) {
                    let (outer, first) = (unit / groups, unit % groups * GROUP);
                    let count = GROUP.min(inner - first);
                    let mut row = [K::HIGHEST; GROUP];
                    let row = &mut row[..count];
                    for i in 0..len {
                        let at = (outer * len + i) * inner + first;
                        let x = keys.at(memory, self.read, at as isize);
                        // SAFETY: promised by the caller.
                        unsafe { keys.fill(x, 1, self.order(), row) };
                        for (lane, &key) in row.iter().enumerate() {
                            items[lane * len + i] = K::Packed::new(key, i);
                        }
                    }
                    for items in items.chunks_exact_mut(len).take(count) {
                        sort_in_place(items, other);
                    }
                    for i in 0..self.keep {
                        for lane in 0..count {
                            let place = (outer * self.keep + i) * inner + first + lane;
                            // SAFETY: the result has `keep` places for each line.
                            unsafe { *to.at(place) = items[lane * len + i].position() };
                        }
                    }
                }
            });
        });
    }

    /// Packs elements `first ..` of a line.
    unsafe fn pack<K: Key>(
        &self,
        keys: Keys<K>,
        memory: Memory,
        line: usize,
        first: usize,
        to: &mut [K::Packed],
    ) {
        let inner = self.lines.inner;
        let x = keys.at(memory, self.read, self.lines.start(line) as isize);
        let mut block = [K::HIGHEST; BLOCK];
        for (n, to) in to.chunks_mut(BLOCK).enumerate() {
            let first = first + n * BLOCK;
            let x = keys.after(x, (first * inner) as isize);
            // SAFETY: promised by the caller.
            unsafe { keys.fill(x, inner as isize, self.order(), &mut block[..to.len()]) };
            for (i, to) in to.iter_mut().enumerate() {
                *to = K::Packed::new(block[i], first + i);
            }
        }
    }

    /// Writes positions from place `first` of a line on.
    unsafe fn store<P: Packed>(&self, line: usize, first: usize, sorted: &[P], to: Target<i64>) {
        let Lines { inner, .. } = self.lines;
        let start = (line / inner * self.keep + first) * inner + line % inner;
        for (n, item) in sorted.iter().enumerate() {
            // SAFETY: the result has `keep` places for each line.
            unsafe { *to.at(start + n * inner) = item.position() };
        }
    }

    /// The first `keep` of a line, sorted: blocks whose best key is too late are passed over.
    unsafe fn select<'a, K: Key>(
        &self,
        keys: Keys<K>,
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
            // SAFETY: promised by the caller.
            let earliest = unsafe { keys.fill(x, inner as isize, self.order(), block) };
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

    /// One long line by all threads: parts, then merges of two runs each, cut into pieces.
    unsafe fn together<K: Key>(
        &self,
        keys: Keys<K>,
        pool: &Pool,
        memory: Memory,
        line: usize,
        to: Target<i64>,
    ) {
        let len = self.lines.len;
        let part = len.div_ceil(pool.threads().next_power_of_two());
        scratch::with::<K::Packed, ()>(2 * len, |items| {
            let (items, other) = items.split_at_mut(len);
            let (items, other) = (Target(items.as_mut_ptr()), Target(other.as_mut_ptr()));
            pool.run(len.div_ceil(part), &|n| {
                let (start, count) = (n * part, part.min(len - n * part));
                // SAFETY: parts are different; the packed elements lie in both halves.
                unsafe {
                    let a = std::slice::from_raw_parts_mut(items.at(start), count);
                    let b = std::slice::from_raw_parts_mut(other.at(start), count);
                    self.pack(keys, memory, line, start, a);
                    sort_in_place(a, b);
                }
            });
            let (mut from, mut into, mut run) = (items, other, part);
            while run < len {
                pool.run(len.div_ceil(PIECE), &|n| {
                    let piece = n * PIECE..((n + 1) * PIECE).min(len);
                    // SAFETY: pieces are different, and all of `from` is filled.
                    unsafe {
                        let all = std::slice::from_raw_parts(from.at(0).cast_const(), len);
                        let out = std::slice::from_raw_parts_mut(into.at(piece.start), piece.len());
                        merge_piece(all, run, piece.start, out);
                    }
                });
                (from, into, run) = (into, from, 2 * run);
            }
            pool.run(self.keep.div_ceil(PIECE), &|n| {
                let piece = n * PIECE..((n + 1) * PIECE).min(self.keep);
                // SAFETY: all of `from` is filled.
                unsafe {
                    let sorted = std::slice::from_raw_parts(from.at(piece.start), piece.len());
                    self.store(line, piece.start, sorted, to);
                }
            });
        });
    }
}

/// Elements that one claim merges.
const PIECE: usize = 1 << 14;

/// Sorts `items` with the help of as much memory; gives back whichever of the two is sorted.
fn sort<'a, P: Packed>(items: &'a mut [P], other: &'a mut [P]) -> &'a [P] {
    if items.len() < SHORT {
        items.sort_unstable();
        return items;
    }
    // Positions ascend already, so keys are all there is to sort, the lowest digit first.
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
            let place = &mut counts[item.digit(n)];
            to[*place as usize] = item;
            *place += 1;
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

/// The elements `start ..` of what the runs of length `run` become when every two are merged.
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
        let from_a = taken(a, b, skip);
        merge(&a[from_a..], &b[skip - from_a..], out);
        done += count;
    }
}

/// How many of the first `n` of two merged runs come from the first.
fn taken<P: Packed>(a: &[P], b: &[P], n: usize) -> usize {
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

/// As many of two merged runs as fit.
fn merge<P: Packed>(a: &[P], b: &[P], out: &mut [P]) {
    let (mut i, mut j) = (0, 0);
    for out in out {
        let takes_a = j == b.len() || (i < a.len() && a[i] < b[j]);
        *out = if takes_a { a[i] } else { b[j] };
        i += usize::from(takes_a);
        j += usize::from(!takes_a);
    }
}
