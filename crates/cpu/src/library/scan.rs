//! `Scan`: several lines advance together, one per vector lane. Lanes are adjacent strided lines,
//! or several contiguous lines, or segments of a long line, each of which starts from the total of
//! those before it.
use super::ResultPtr;
use super::dtype_ops::SumOps;
use super::lines::{Lines, units_per_claim, zeroed};
use super::stored::Accumulator;
use crate::interp::Memory;
use crate::level::vectorized;
use crate::pool::Pool;
use crate::scratch;
use brasa_compile::kernel::Operand;
use brasa_ir::ops::{self, ScanOp};

pub(super) struct Scan {
    by: ScanOp,
    is_reversed: bool,
    lines: Lines,
    /// The read of the factors of a linear recurrence.
    a: Option<usize>,
    /// The read of the scanned operand.
    x: usize,
}

/// Lanes for strided lines: enough to load whole cache lines.
const WIDE: usize = 64;
/// Lanes for contiguous lines: one AVX-512 vector of f64.
const NARROW: usize = 8;
/// Steps per transposition of contiguous lines.
const STEPS: usize = 64;
/// Steps of a segment. Long lines are split if there are too few for all lanes.
const SEGMENT: usize = 4096;

/// Lines that advance together: the offset of each, and the distance between steps.
struct Lanes<const N: usize> {
    starts: [isize; N],
    count: usize,
    step: isize,
    steps: usize,
}

/// A block of steps, line by line.
type Transposed<R> = [[R; STEPS]; NARROW];

impl<const N: usize> Lanes<N> {
    /// The offset of step `i` of a lane.
    fn at(&self, lane: usize, i: usize) -> isize {
        self.starts[lane] + self.step * i as isize
    }

    /// Whether steps of a lane can be read and written in place.
    fn is_in_place<R>(&self, sums: SumOps<R>) -> bool {
        sums.is_plain && self.step == 1
    }

    /// Loads `steps` steps of all lanes from step `first` on, step by step.
    ///
    /// # Safety
    /// - `memory` meets the launch contract of [`Memory`] for `read`, and `sums` are the functions
    ///   of its dtype.
    /// - Bounds: these steps of the first `count` lanes are inside the operand. If `N` is `WIDE`,
    ///   lanes are adjacent in memory.
    unsafe fn load<R: Accumulator>(
        &self,
        sums: SumOps<R>,
        (memory, read): (Memory, usize),
        (first, steps): (usize, usize),
        lines: &mut Transposed<R>,
        to: &mut [R],
    ) {
        let to = &mut to.as_chunks_mut::<N>().0[..steps];
        let from = |lane: usize, i: usize| sums.at(memory, read, self.at(lane, first + i));
        // SAFETY: upheld by the caller.
        unsafe {
            if N == WIDE {
                for (i, to) in to.iter_mut().enumerate() {
                    sums.load(from(0, i), 1, &mut to[..self.count]);
                }
                return;
            }
            for lane in 0..self.count {
                if self.is_in_place(sums) {
                    let from = std::slice::from_raw_parts(from(lane, 0).cast(), steps);
                    to.iter_mut().zip(from).for_each(|(to, &x)| to[lane] = x);
                } else {
                    sums.load(from(lane, 0), self.step, &mut lines[lane][..steps]);
                }
            }
        }
        if !self.is_in_place(sums) {
            let transposed = |i: usize| std::array::from_fn(|lane| lines[lane][i]);
            to.iter_mut().enumerate().for_each(|(i, to)| *to = transposed(i));
        }
    }

    /// Stores `steps` steps of all lanes from step `first` on.
    ///
    /// # Safety
    /// - `to` meets the contract of [`ResultPtr`], as bytes, and `sums` are the functions of its
    ///   dtype.
    /// - Bounds: as [`Lanes::load`], for the result.
    /// - Aliasing: no other thread accesses these elements of the result.
    unsafe fn store<R: Accumulator>(
        &self,
        sums: SumOps<R>,
        from: &[R],
        (first, steps): (usize, usize),
        lines: &mut Transposed<R>,
        to: ResultPtr<u8>,
    ) {
        let from = &from.as_chunks::<N>().0[..steps];
        let to = |lane: usize, i: usize| sums.to(to, self.at(lane, first + i));
        // SAFETY: upheld by the caller.
        unsafe {
            if N == WIDE {
                for (i, from) in from.iter().enumerate() {
                    sums.store(&from[..self.count], to(0, i), 1);
                }
                return;
            }
            if !self.is_in_place(sums) {
                for (i, from) in from.iter().enumerate() {
                    (0..N).for_each(|lane| lines[lane][i] = from[lane]);
                }
            }
            for lane in 0..self.count {
                if self.is_in_place(sums) {
                    let to = std::slice::from_raw_parts_mut(to(lane, 0).cast(), steps);
                    to.iter_mut().zip(from).for_each(|(to, from)| *to = from[lane]);
                } else {
                    sums.store(&lines[lane][..steps], to(lane, 0), self.step);
                }
            }
        }
    }
}

impl Scan {
    pub(super) fn new(scan: &ops::Scan, operands: &[Operand]) -> Scan {
        let x = &operands[operands.len() - 1];
        Scan {
            by: scan.by,
            is_reversed: scan.reverse,
            lines: Lines::new(&x.ty.shape, scan.axis),
            a: (scan.by == ScanOp::Linear).then(|| operands[0].read),
            x: x.read,
        }
    }

    /// # Safety
    /// - `memory` meets the launch contract of [`Memory`] for the operands, which are contiguous.
    /// - `to` meets the contract of [`ResultPtr`], as bytes.
    /// - `sums` are the functions of the operands' dtype.
    pub(super) unsafe fn run<R: Accumulator>(
        &self,
        sums: SumOps<R>,
        pool: &Pool,
        memory: Memory,
        to: ResultPtr<u8>,
    ) {
        if self.lines.count() * self.lines.len == 0 {
            return;
        }
        // SAFETY: upheld by the caller.
        unsafe {
            let is_long = self.lines.count() < NARROW && self.lines.len >= 2 * SEGMENT;
            match () {
                () if self.lines.inner >= NARROW => self.scan_strided(sums, pool, memory, to),
                // Products of factors over a segment may overflow where single steps do not.
                () if is_long && self.a.is_none() => self.scan_segments(sums, pool, memory, to),
                () => self.scan_contiguous(sums, pool, memory, to),
            }
        }
    }

    /// Scans blocks of adjacent strided lines.
    ///
    /// # Safety
    /// As [`Scan::run`].
    unsafe fn scan_strided<R: Accumulator>(
        &self,
        sums: SumOps<R>,
        pool: &Pool,
        memory: Memory,
        to: ResultPtr<u8>,
    ) {
        let Lines { outer, len, inner } = self.lines;
        let blocks = inner.div_ceil(WIDE);
        let claim = units_per_claim(len * WIDE);
        pool.run((outer * blocks).div_ceil(claim), &|n| {
            for unit in n * claim..((n + 1) * claim).min(outer * blocks) {
                let (outer, first) = (unit / blocks, unit % blocks * WIDE);
                let start = self.begin(outer * len * inner + first);
                let count = WIDE.min(inner - first);
                let starts = std::array::from_fn(|lane| start + lane as isize);
                let lanes = Lanes { starts, count, step: self.step(), steps: len };
                // SAFETY: the lanes are `count` adjacent lines, which are this unit's own.
                unsafe { self.advance::<R, WIDE>(sums, memory, Some(to), &lanes, self.initial()) };
            }
        });
    }

    /// Scans several contiguous lines at a time.
    ///
    /// # Safety
    /// As [`Scan::run`].
    unsafe fn scan_contiguous<R: Accumulator>(
        &self,
        sums: SumOps<R>,
        pool: &Pool,
        memory: Memory,
        to: ResultPtr<u8>,
    ) {
        let (count, len) = (self.lines.count(), self.lines.len);
        let claim = units_per_claim(len * NARROW);
        pool.run(count.div_ceil(NARROW).div_ceil(claim), &|n| {
            for group in n * claim..((n + 1) * claim).min(count.div_ceil(NARROW)) {
                let first = group * NARROW;
                let starts = std::array::from_fn(|lane| {
                    self.begin(self.lines.start((first + lane).min(count - 1)))
                });
                let lanes = Lanes {
                    starts,
                    count: NARROW.min(count - first),
                    step: self.step(),
                    steps: len,
                };
                // SAFETY: the lanes are lines of the operand, which are this unit's own.
                unsafe {
                    self.advance::<R, NARROW>(sums, memory, Some(to), &lanes, self.initial())
                };
            }
        });
    }

    /// Scans long lines: computes the total of each segment, then scans all segments, each from the
    /// total of those before it.
    ///
    /// # Safety
    /// As [`Scan::run`].
    unsafe fn scan_segments<R: Accumulator>(
        &self,
        sums: SumOps<R>,
        pool: &Pool,
        memory: Memory,
        to: ResultPtr<u8>,
    ) {
        let per_line = self.lines.len.div_ceil(SEGMENT);
        let count = self.lines.count() * per_line;
        let groups = count.div_ceil(NARROW);
        // The last segment of a line may be shorter; then its lane is advanced alone.
        let lanes = |line: usize, first: usize, lanes: usize| {
            let start =
                self.begin(self.lines.start(line)) + self.step() * (first * SEGMENT) as isize;
            let starts = std::array::from_fn(|lane| {
                start + self.step() * (lane.min(lanes - 1) * SEGMENT) as isize
            });
            let steps = SEGMENT.min(self.lines.len - first * SEGMENT);
            Lanes { starts, count: lanes, step: self.step(), steps }
        };
        let each = |group: usize, f: &dyn Fn(usize, Lanes<NARROW>)| {
            let end = ((group + 1) * NARROW).min(count);
            let mut at = group * NARROW;
            while at < end {
                let (line, first) = (at / per_line, at % per_line);
                let whole = self.lines.len / SEGMENT;
                let run = whole.saturating_sub(first).clamp(1, end - at);
                f(at, lanes(line, first, run));
                at += run;
            }
        };
        scratch::with::<R, ()>(count, |totals| {
            let totals = ResultPtr(totals.as_mut_ptr());
            pool.run(groups, &|group| {
                each(group, &|at, lanes| {
                    let state = self.initial();
                    // SAFETY: segments are inside their lines; each has a total of its own.
                    unsafe {
                        let ends = self.advance::<R, NARROW>(sums, memory, None, &lanes, state);
                        (0..lanes.count).for_each(|lane| *totals.at(at + lane) = ends[lane]);
                    }
                });
            });
            for line in 0..self.lines.count() {
                let mut before = self.initial::<R, 1>()[0];
                for segment in line * per_line..(line + 1) * per_line {
                    // SAFETY: each segment has a total, which is initialized.
                    let total = unsafe { &mut *totals.at(segment) };
                    let after = combine(self.by, before, R::default(), *total);
                    *total = before;
                    before = after;
                }
            }
            pool.run(groups, &|group| {
                each(group, &|at, lanes| {
                    // SAFETY: segments are inside their lines and disjoint.
                    unsafe {
                        let state =
                            std::array::from_fn(|lane| *totals.at(at + lane.min(lanes.count - 1)));
                        self.advance::<R, NARROW>(sums, memory, Some(to), &lanes, state);
                    }
                });
            });
        });
    }

    /// The element that is scanned first, of the line whose first element in memory is `start`.
    fn begin(&self, start: usize) -> isize {
        let last = (self.lines.len - 1) * self.lines.inner;
        (start + if self.is_reversed { last } else { 0 }) as isize
    }

    fn step(&self) -> isize {
        let step = self.lines.inner as isize;
        if self.is_reversed { -step } else { step }
    }

    fn initial<R: Accumulator, const N: usize>(&self) -> [R; N] {
        [match self.by {
            ScanOp::Sum | ScanOp::Linear => R::ADD_IDENTITY,
            ScanOp::Max => R::LOWEST,
            ScanOp::Min => R::HIGHEST,
        }; N]
    }

    /// Scans all steps of the lanes from `state` on. Returns the state at the end. Stores the
    /// results if there is a `to`.
    ///
    /// # Safety
    /// As [`Lanes::load`], for all steps and both operands, and as [`Lanes::store`] if there is a
    /// `to`.
    unsafe fn advance<R: Accumulator, const N: usize>(
        &self,
        sums: SumOps<R>,
        memory: Memory,
        to: Option<ResultPtr<u8>>,
        lanes: &Lanes<N>,
        mut state: [R; N],
    ) -> [R; N] {
        let per_block = (STEPS * NARROW / N).min(lanes.steps);
        let mut x: [R; STEPS * NARROW] = zeroed();
        let mut a: [R; STEPS * NARROW] = zeroed();
        let mut lines: Transposed<R> = [zeroed(); NARROW];
        for first in (0..lanes.steps).step_by(per_block) {
            let steps = per_block.min(lanes.steps - first);
            let block = (first, steps);
            // SAFETY: the block is inside the steps of the lanes.
            unsafe { lanes.load(sums, (memory, self.x), block, &mut lines, &mut x) };
            if let Some(read) = self.a {
                // SAFETY: as above.
                unsafe { lanes.load(sums, (memory, read), block, &mut lines, &mut a) };
                if first == 0 {
                    // The first element has no predecessor, so its factor is ignored.
                    a[..N].fill(R::default());
                }
            }
            let len = N * steps;
            match N {
                WIDE => run_wide(self.by, &mut state, &a[..len], &mut x[..len]),
                _ => run_narrow(self.by, &mut state, &a[..len], &mut x[..len]),
            }
            if let Some(to) = to {
                // SAFETY: as above.
                unsafe { lanes.store(sums, &x, block, &mut lines, to) };
            }
        }
        state
    }
}

#[inline(always)]
fn combine<R: Accumulator>(by: ScanOp, so_far: R, a: R, x: R) -> R {
    match by {
        ScanOp::Sum => so_far.plus(x),
        ScanOp::Linear => a.times(so_far).plus(x),
        ScanOp::Max => so_far.nan_max(x),
        ScanOp::Min => so_far.nan_min(x),
    }
}

/// Scans steps whose lanes are adjacent.
#[inline(always)]
fn run<R: Accumulator, const N: usize>(by: ScanOp, state: &mut [R], a: &[R], x: &mut [R]) {
    let state: &mut [R; N] = state.try_into().expect("as many states as lanes");
    for (x, a) in x.as_chunks_mut::<N>().0.iter_mut().zip(a.as_chunks::<N>().0) {
        for lane in 0..N {
            state[lane] = combine(by, state[lane], a[lane], x[lane]);
            x[lane] = state[lane];
        }
    }
}

vectorized! {
    fn run_wide<R: Accumulator>(by: ScanOp, state: &mut [R], a: &[R], x: &mut [R]) {
        match by {
            ScanOp::Sum => run::<R, WIDE>(ScanOp::Sum, state, a, x),
            ScanOp::Linear => run::<R, WIDE>(ScanOp::Linear, state, a, x),
            ScanOp::Max => run::<R, WIDE>(ScanOp::Max, state, a, x),
            ScanOp::Min => run::<R, WIDE>(ScanOp::Min, state, a, x),
        }
    }
}

vectorized! {
    fn run_narrow<R: Accumulator>(by: ScanOp, state: &mut [R], a: &[R], x: &mut [R]) {
        match by {
            ScanOp::Sum => run::<R, NARROW>(ScanOp::Sum, state, a, x),
            ScanOp::Linear => run::<R, NARROW>(ScanOp::Linear, state, a, x),
            ScanOp::Max => run::<R, NARROW>(ScanOp::Max, state, a, x),
            ScanOp::Min => run::<R, NARROW>(ScanOp::Min, state, a, x),
        }
    }
}
