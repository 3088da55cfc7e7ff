//! `ArgReduce`: the best of each block, and only if it beats those before it, where it stands.
use super::Target;
use super::lines::{Lines, blank, per_claim, widen};
use super::stored::{Running, Stored, Wide};
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
const WIDE: usize = 64;
/// Long lines are cut into segments of this length.
const SEGMENT: usize = 1 << 15;

impl Winner {
    pub(super) fn new(op: &ops::ArgReduce, x: &Operand) -> Winner {
        let lines = Lines::new(&x.ty.shape, op.axis);
        Winner { is_max: op.by == ReduceOp::Max, lines, read: x.read }
    }

    /// # Safety
    /// The buffers are as large as the operand's view and the target say.
    pub(super) unsafe fn run<S: Stored>(&self, pool: &Pool, memory: Memory, to: Target<i64>) {
        // SAFETY: promised by the caller.
        unsafe {
            match self.lines.inner {
                1 => self.along::<S>(pool, memory, to),
                _ => self.across::<S>(pool, memory, to),
            }
        }
    }

    unsafe fn along<S: Stored>(&self, pool: &Pool, memory: Memory, to: Target<i64>) {
        let (count, len) = (self.lines.count(), self.lines.len);
        let per_line = len.div_ceil(SEGMENT);
        let claim = per_claim(len.min(SEGMENT));
        let units = count * per_line;
        scratch::with::<S::Wide, ()>(units, |best| {
            scratch::with::<i64, ()>(units, |places| {
                let (best, places) = (Target(best.as_mut_ptr()), Target(places.as_mut_ptr()));
                pool.run(units.div_ceil(claim), &|n| {
                    for unit in n * claim..((n + 1) * claim).min(units) {
                        let (line, first) = (unit / per_line, unit % per_line * SEGMENT);
                        let segment = SEGMENT.min(len - first);
                        // SAFETY: promised by the caller; each unit has a place of its own.
                        unsafe {
                            let x = super::read::<S>(memory, self.read).add(line * len + first);
                            let x = std::slice::from_raw_parts(x, segment);
                            let (value, at) = self.first_best(x);
                            *best.at(unit) = value;
                            *places.at(unit) = (first + at) as i64;
                        }
                    }
                });
                for line in 0..count {
                    let units = line * per_line..(line + 1) * per_line;
                    // SAFETY: as above.
                    let value = |&unit: &usize| unsafe { *best.at(unit) };
                    let beats = |a: usize, b: usize| self.beats(value(&b), value(&a));
                    let winner = units.reduce(|a, b| if beats(a, b) { b } else { a });
                    let winner = winner.expect("an axis has elements");
                    // SAFETY: as above.
                    unsafe { *to.at(line) = *places.at(winner) };
                }
            });
        });
    }

    /// The winner of a line, and where it first stands.
    fn first_best<S: Stored>(&self, x: &[S]) -> (S::Wide, usize) {
        let mut block: [S::Wide; BLOCK] = blank();
        let mut best = (x[0].widen(), 0);
        for (n, x) in x.chunks(BLOCK).enumerate() {
            let block = &mut block[..x.len()];
            widen(x, block);
            let (found, has_nan) = extreme(self.is_max, block);
            if has_nan {
                let at = block.iter().position(|x| x.is_nan()).expect("there is a NaN");
                return (block[at], n * BLOCK + at);
            }
            if self.beats(found, best.0) {
                let at = block.iter().position(|x| *x == found).expect("it was found here");
                best = (found, n * BLOCK + at);
            }
        }
        best
    }

    fn beats<W: Wide>(&self, x: W, best: W) -> bool {
        let is_better = if self.is_max { x > best } else { x < best };
        !best.is_nan() && (is_better || x.is_nan())
    }

    unsafe fn across<S: Stored>(&self, pool: &Pool, memory: Memory, to: Target<i64>) {
        let Lines { outer, len, inner } = self.lines;
        let blocks = inner.div_ceil(WIDE);
        let claim = per_claim(len * WIDE);
        pool.run((outer * blocks).div_ceil(claim), &|n| {
            for unit in n * claim..((n + 1) * claim).min(outer * blocks) {
                let (outer, first) = (unit / blocks, unit % blocks * WIDE);
                let count = WIDE.min(inner - first);
                let (mut row, mut best): ([S::Wide; WIDE], [S::Wide; WIDE]) = (blank(), blank());
                let mut places = [0i64; WIDE];
                // SAFETY: promised by the caller.
                unsafe {
                    let x = super::read::<S>(memory, self.read);
                    let x = x.add(outer * len * inner + first);
                    for i in 0..len {
                        let from = std::slice::from_raw_parts(x.add(i * inner), count);
                        match i {
                            0 => widen(from, &mut best[..count]),
                            _ => {
                                widen(from, &mut row[..count]);
                                challenge(self.is_max, i as i64, &row, &mut best, &mut places);
                            }
                        }
                    }
                    let to = to.at(outer * inner + first);
                    std::ptr::copy_nonoverlapping(places.as_ptr(), to, count);
                }
            }
        });
    }
}

vectorized! {
    /// The best element of a block, and whether any is NaN.
    fn extreme<W: Wide>(is_max: bool, x: &[W]) -> (W, bool) {
        const LANES: usize = 32;
        let nothing = if is_max { W::LOWEST } else { W::HIGHEST };
        let (mut best, mut nans) = ([nothing; LANES], [false; LANES]);
        let (chunks, rest) = x.as_chunks::<LANES>();
        let mut look = |lane: usize, x: W| {
            let is_better = if is_max { x > best[lane] } else { x < best[lane] };
            best[lane] = if is_better { x } else { best[lane] };
            nans[lane] |= x.is_nan();
        };
        for chunk in chunks {
            (0..LANES).for_each(|lane| look(lane, chunk[lane]));
        }
        rest.iter().enumerate().for_each(|(lane, &x)| look(lane, x));
        let better = |a: W, b: W| if is_max { a.larger(b) } else { a.smaller(b) };
        let best = best.into_iter().fold(nothing, better);
        (best, nans.contains(&true))
    }
}

vectorized! {
    /// Element `i` of some lines against the best so far.
    fn challenge<W: Wide>(
        is_max: bool,
        i: i64,
        x: &[W; WIDE],
        best: &mut [W; WIDE],
        places: &mut [i64; WIDE],
    ) {
        for lane in 0..WIDE {
            let (x, so_far) = (x[lane], best[lane]);
            let is_better = if is_max { x > so_far } else { x < so_far };
            let wins = is_better | (x.is_nan() & !so_far.is_nan());
            best[lane] = if wins { x } else { so_far };
            places[lane] = if wins { i } else { places[lane] };
        }
    }
}
