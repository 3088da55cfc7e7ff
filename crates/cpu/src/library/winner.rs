//! `ArgReduce`: along memory the first of each block in order, and only if it comes before all so far,
//! where it stands; across it many lines side by side.
use super::Target;
use super::blocks::{Elements, Keys, Order};
use super::lines::{Lines, blank, per_claim};
use super::stored::{Key, Wide};
use crate::interp::Memory;
use crate::level::vectorized;
use crate::pool::Pool;
use crate::scratch;
use brasa_compile::kernel::Operand;
use brasa_ir::ops::{self, ReduceOp};

pub(super) struct Winner {
    is_max: bool,
    lines: Lines,
    read: usize,
}

/// Elements of a line that are looked at together, and neighbours across it.
const BLOCK: usize = 512;
const WIDE: usize = 128;
/// Neighbours of one step.
const LANES: usize = 64;
/// Long lines are cut into segments of this length.
const SEGMENT: usize = 1 << 15;

impl Winner {
    pub(super) fn new(op: &ops::ArgReduce, x: &Operand) -> Winner {
        let lines = Lines::new(&x.ty.shape, op.axis);
        Winner { is_max: op.by == ReduceOp::Max, lines, read: x.read }
    }

    /// Whether lines lie along memory.
    pub(super) fn is_along(&self) -> bool {
        self.lines.inner == 1
    }

    /// The winners of lines that lie along memory.
    ///
    /// # Safety
    /// The buffers are as large as the operand's view and the target say.
    pub(super) unsafe fn along<K: Key>(
        &self,
        keys: Keys<K>,
        pool: &Pool,
        memory: Memory,
        to: Target<i64>,
    ) {
        let (count, len) = (self.lines.count(), self.lines.len);
        let per_line = len.div_ceil(SEGMENT);
        let claim = per_claim(len.min(SEGMENT));
        let units = count * per_line;
        scratch::with::<K, ()>(units, |best| {
            scratch::with::<i64, ()>(units, |places| {
                let (best, places) = (Target(best.as_mut_ptr()), Target(places.as_mut_ptr()));
                pool.run(units.div_ceil(claim), &|n| {
                    for unit in n * claim..((n + 1) * claim).min(units) {
                        let (line, first) = (unit / per_line, unit % per_line * SEGMENT);
                        let segment = SEGMENT.min(len - first);
                        let x = keys.at(memory, self.read, (line * len + first) as isize);
                        // SAFETY: promised by the caller; each unit has a place of its own.
                        unsafe {
                            let (key, at) = self.first_best(keys, x, segment);
                            *best.at(unit) = key;
                            *places.at(unit) = (first + at) as i64;
                        }
                    }
                });
                for line in 0..count {
                    let units = line * per_line..(line + 1) * per_line;
                    // SAFETY: as above.
                    let winner = units.min_by_key(|&unit| unsafe { *best.at(unit) });
                    let winner = winner.expect("an axis has elements");
                    // SAFETY: as above.
                    unsafe { *to.at(line) = *places.at(winner) };
                }
            });
        });
    }

    /// The winner of `len` elements, and where it first stands.
    unsafe fn first_best<K: Key>(&self, keys: Keys<K>, x: *const u8, len: usize) -> (K, usize) {
        let mut block = [K::HIGHEST; BLOCK];
        let mut best = (K::HIGHEST, 0);
        for first in (0..len).step_by(BLOCK) {
            let block = &mut block[..BLOCK.min(len - first)];
            let x = keys.after(x, first as isize);
            // SAFETY: promised by the caller.
            let found = unsafe { keys.fill(x, 1, Order::best(self.is_max), block) };
            if found < best.0 {
                let at = block.iter().position(|key| *key == found).expect("it was found here");
                best = (found, first + at);
            }
        }
        best
    }

    /// The winners of lines that lie across memory.
    ///
    /// # Safety
    /// As [`Winner::along`].
    pub(super) unsafe fn across<W: Wide>(
        &self,
        elements: Elements<W>,
        pool: &Pool,
        memory: Memory,
        to: Target<i64>,
    ) {
        let Lines { outer, len, inner } = self.lines;
        let blocks = inner.div_ceil(WIDE);
        let claim = per_claim(len * WIDE);
        pool.run((outer * blocks).div_ceil(claim), &|n| {
            for unit in n * claim..((n + 1) * claim).min(outer * blocks) {
                let (outer, first) = (unit / blocks, unit % blocks * WIDE);
                let count = WIDE.min(inner - first);
                let (mut row, mut best): ([W; WIDE], [W; WIDE]) = (blank(), blank());
                let mut places = [0i64; WIDE];
                let x = |i: usize| {
                    let at = (outer * len + i) * inner + first;
                    elements.at(memory, self.read, at as isize)
                };
                // SAFETY: promised by the caller.
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
                        challenge(self.is_max, i as i64, found, &mut best, &mut places);
                    }
                    let to = to.at(outer * inner + first);
                    std::ptr::copy_nonoverlapping(places.as_ptr(), to, count);
                }
            }
        });
    }
}

vectorized! {
    /// Element `i` of some lines against the best so far, whole steps of them.
    fn challenge<W: Wide>(is_max: bool, i: i64, x: &[W], best: &mut [W], places: &mut [i64]) {
        let best = best.as_chunks_mut::<LANES>().0;
        let places = places.as_chunks_mut::<LANES>().0;
        for ((x, best), places) in x.as_chunks::<LANES>().0.iter().zip(best).zip(places) {
            for lane in 0..LANES {
                let (x, so_far) = (x[lane], best[lane]);
                let is_better = if is_max { x > so_far } else { x < so_far };
                let wins = is_better | (x.is_nan() & !so_far.is_nan());
                best[lane] = if wins { x } else { so_far };
                places[lane] = if wins { i } else { places[lane] };
            }
        }
    }
}
