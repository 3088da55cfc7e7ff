//! `ArgReduce`: the position of the first maximum or minimum of each line. For contiguous lines,
//! the best key of each block is computed first, and its position only if it beats all earlier
//! blocks. Strided lines are processed many at a time.
use super::ResultPtr;
use super::dtype_ops::{ElementOps, KeyOps, Order};
use super::lines::{Lines, units_per_claim, zeroed};
use super::stored::{Key, Wide};
use crate::interp::Memory;
use crate::level::vectorized;
use crate::pool::Pool;
use crate::scratch;
use brasa_compile::kernel::Operand;
use brasa_ir::ops::{self, ReduceOp};

pub(super) struct ArgReduce {
    is_max: bool,
    lines: Lines,
    read: usize,
}

/// Elements of a contiguous line that are loaded together.
const BLOCK: usize = 512;
/// Adjacent strided lines that are processed together.
const WIDE: usize = 128;
/// Adjacent lines per step of the inner loop.
const LANES: usize = 64;
/// Long lines are split into segments of this length, for the threads.
const SEGMENT: usize = 1 << 15;

impl ArgReduce {
    pub(super) fn new(op: &ops::ArgReduce, x: &Operand) -> ArgReduce {
        let lines = Lines::new(&x.ty.shape, op.axis);
        ArgReduce { is_max: op.by == ReduceOp::Max, lines, read: x.read }
    }

    /// Whether lines are contiguous in memory.
    pub(super) fn is_contiguous(&self) -> bool {
        self.lines.inner == 1
    }

    /// Reduces lines that are contiguous in memory.
    ///
    /// # Safety
    /// - [`ArgReduce::is_contiguous`] holds.
    /// - `memory` meets the launch contract of [`Memory`] for the operand, which is contiguous.
    /// - `to` meets the contract of [`ResultPtr`].
    /// - `keys` are the functions of the operand's dtype.
    pub(super) unsafe fn run_contiguous<K: Key>(
        &self,
        keys: KeyOps<K>,
        pool: &Pool,
        memory: Memory,
        to: ResultPtr<i64>,
    ) {
        debug_assert!(self.is_contiguous());
        let (count, len) = (self.lines.count(), self.lines.len);
        let per_line = len.div_ceil(SEGMENT);
        let claim = units_per_claim(len.min(SEGMENT));
        let units = count * per_line;
        scratch::with::<K, ()>(units, |best| {
            scratch::with::<i64, ()>(units, |positions| {
                let (best, positions) =
                    (ResultPtr(best.as_mut_ptr()), ResultPtr(positions.as_mut_ptr()));
                pool.run(units.div_ceil(claim), &|n| {
                    for unit in n * claim..((n + 1) * claim).min(units) {
                        let (line, first) = (unit / per_line, unit % per_line * SEGMENT);
                        let segment = SEGMENT.min(len - first);
                        let x = keys.at(memory, self.read, (line * len + first) as isize);
                        // SAFETY: the segment is inside the operand; each unit has an element of
                        // its own in `best` and `positions`.
                        unsafe {
                            let (key, at) = self.first_best(keys, x, segment);
                            *best.at(unit) = key;
                            *positions.at(unit) = (first + at) as i64;
                        }
                    }
                });
                for line in 0..count {
                    let units = line * per_line..(line + 1) * per_line;
                    // SAFETY: there is an element of each unit.
                    let first = units.min_by_key(|&unit| unsafe { *best.at(unit) });
                    let first = first.expect("an axis has elements");
                    // SAFETY: as above; the result has an element for each line.
                    unsafe { *to.at(line) = *positions.at(first) };
                }
            });
        });
    }

    /// The best key of `len` contiguous elements, and its first position.
    ///
    /// # Safety
    /// As [`KeyOps::load_keys`], for `len` contiguous elements at `x`.
    unsafe fn first_best<K: Key>(&self, keys: KeyOps<K>, x: *const u8, len: usize) -> (K, usize) {
        let mut block = [K::HIGHEST; BLOCK];
        let mut best = (K::HIGHEST, 0);
        for first in (0..len).step_by(BLOCK) {
            let block = &mut block[..BLOCK.min(len - first)];
            let x = keys.after(x, first as isize);
            // SAFETY: the block is inside the elements at `x`.
            let found = unsafe { keys.load_keys(x, 1, Order::best(self.is_max), block) };
            if found < best.0 {
                let at = block
                    .iter()
                    .position(|key| *key == found)
                    .expect("the block contains its smallest key");
                best = (found, first + at);
            }
        }
        best
    }

    /// Reduces lines that are strided in memory, with adjacent lines next to each other.
    ///
    /// # Safety
    /// - `memory` meets the launch contract of [`Memory`] for the operand, which is contiguous.
    /// - `to` meets the contract of [`ResultPtr`].
    /// - `elements` are the functions of the operand's dtype.
    pub(super) unsafe fn run_strided<W: Wide>(
        &self,
        elements: ElementOps<W>,
        pool: &Pool,
        memory: Memory,
        to: ResultPtr<i64>,
    ) {
        let Lines { outer, len, inner } = self.lines;
        let blocks = inner.div_ceil(WIDE);
        let claim = units_per_claim(len * WIDE);
        pool.run((outer * blocks).div_ceil(claim), &|n| {
            for unit in n * claim..((n + 1) * claim).min(outer * blocks) {
                let (outer, first) = (unit / blocks, unit % blocks * WIDE);
                let count = WIDE.min(inner - first);
                let (mut row, mut best): ([W; WIDE], [W; WIDE]) = (zeroed(), zeroed());
                let mut positions = [0i64; WIDE];
                let x = |i: usize| {
                    let at = (outer * len + i) * inner + first;
                    elements.at(memory, self.read, at as isize)
                };
                // SAFETY: `count` adjacent lines from `first` on are inside the operand, and their
                // elements of the result are this unit's own.
                unsafe {
                    elements.widen(x(0), 1, &mut best[..count]);
                    for i in 1..len {
                        let found = match count % LANES == 0 {
                            true => elements.read(x(i), 1, &mut row[..count]),
                            false => {
                                elements.widen(x(i), 1, &mut row[..count]);
                                &row[..count.next_multiple_of(LANES)]
                            }
                        };
                        update_best(self.is_max, i as i64, found, &mut best, &mut positions);
                    }
                    let to = to.at(outer * inner + first);
                    std::ptr::copy_nonoverlapping(positions.as_ptr(), to, count);
                }
            }
        });
    }
}

vectorized! {
    /// Compares element `i` of adjacent lines with their best so far. The number of lines is a
    /// multiple of `LANES`.
    fn update_best<W: Wide>(is_max: bool, i: i64, x: &[W], best: &mut [W], positions: &mut [i64]) {
        let best = best.as_chunks_mut::<LANES>().0;
        let positions = positions.as_chunks_mut::<LANES>().0;
        for ((x, best), positions) in x.as_chunks::<LANES>().0.iter().zip(best).zip(positions) {
            for lane in 0..LANES {
                let (x, so_far) = (x[lane], best[lane]);
                let is_better = if is_max { x > so_far } else { x < so_far };
                let is_first = is_better | (x.is_nan() & !so_far.is_nan());
                best[lane] = if is_first { x } else { so_far };
                positions[lane] = if is_first { i } else { positions[lane] };
            }
        }
    }
}
