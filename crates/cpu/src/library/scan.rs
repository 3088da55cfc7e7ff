//! `Scan`: lanes of lines that advance together. Lanes are neighbours across the axis, or several
//! lines along it, or the segments of a long line, which begin where those before them end.
use super::Target;
use super::blocks::Sums;
use super::lines::{Lines, blank, per_claim};
use super::stored::Running;
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
    /// The factors of a linear recurrence.
    a: Option<usize>,
    x: usize,
}

/// Lanes across the axis: enough to fill loads of whole cache lines.
const WIDE: usize = 64;
/// Lines along the axis: one AVX-512 vector of f64.
const NARROW: usize = 8;
/// Steps between one transposition of lines and the next.
const STEPS: usize = 64;
/// Steps of a segment: long lines are cut where there are too few for all lanes.
const SEGMENT: usize = 4096;

/// Lanes of work: where each begins, and how its elements follow one another.
struct Lanes<const N: usize> {
    starts: [isize; N],
    count: usize,
    step: isize,
    steps: usize,
}

/// Steps of lines, line by line.
type Turned<R> = [[R; STEPS]; NARROW];

impl<const N: usize> Lanes<N> {
    /// Where step `i` of a lane lies.
    fn at(&self, lane: usize, i: usize) -> isize {
        self.starts[lane] + self.step * i as isize
    }

    /// Whether steps of a lane can be read and written where they lie.
    fn is_plain<R>(&self, sums: Sums<R>) -> bool {
        sums.is_plain && self.step == 1
    }

    /// Some steps of all lanes, step by step.
    unsafe fn load<R: Running>(
        &self,
        sums: Sums<R>,
        (memory, read): (Memory, usize),
        (first, steps): (usize, usize),
        lines: &mut Turned<R>,
        to: &mut [R],
    ) {
        let to = &mut to.as_chunks_mut::<N>().0[..steps];
        let from = |lane: usize, i: usize| sums.at(memory, read, self.at(lane, first + i));
        // SAFETY: promised by the caller.
        unsafe {
            if N == WIDE {
                for (i, to) in to.iter_mut().enumerate() {
                    sums.load(from(0, i), 1, &mut to[..self.count]);
                }
                return;
            }
            for lane in 0..self.count {
                if self.is_plain(sums) {
                    let from = std::slice::from_raw_parts(from(lane, 0).cast(), steps);
                    to.iter_mut().zip(from).for_each(|(to, &x)| to[lane] = x);
                } else {
                    sums.load(from(lane, 0), self.step, &mut lines[lane][..steps]);
                }
            }
        }
        if !self.is_plain(sums) {
            let turned = |i: usize| std::array::from_fn(|lane| lines[lane][i]);
            to.iter_mut().enumerate().for_each(|(i, to)| *to = turned(i));
        }
    }

    unsafe fn store<R: Running>(
        &self,
        sums: Sums<R>,
        from: &[R],
        (first, steps): (usize, usize),
        lines: &mut Turned<R>,
        to: Target<u8>,
    ) {
        let from = &from.as_chunks::<N>().0[..steps];
        let to = |lane: usize, i: usize| sums.to(to, self.at(lane, first + i));
        // SAFETY: promised by the caller.
        unsafe {
            if N == WIDE {
                for (i, from) in from.iter().enumerate() {
                    sums.store(&from[..self.count], to(0, i), 1);
                }
                return;
            }
            if !self.is_plain(sums) {
                for (i, from) in from.iter().enumerate() {
                    (0..N).for_each(|lane| lines[lane][i] = from[lane]);
                }
            }
            for lane in 0..self.count {
                if self.is_plain(sums) {
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
    /// The buffers are as large as the operand's view and the target say.
    pub(super) unsafe fn run<R: Running>(
        &self,
        sums: Sums<R>,
        pool: &Pool,
        memory: Memory,
        to: Target<u8>,
    ) {
        if self.lines.count() * self.lines.len == 0 {
            return;
        }
        // SAFETY: promised by the caller.
        unsafe {
            let is_long = self.lines.count() < NARROW && self.lines.len >= 2 * SEGMENT;
            match () {
                () if self.lines.inner >= NARROW => self.across(sums, pool, memory, to),
                // Factors of segments may overflow where single steps do not.
                () if is_long && self.a.is_none() => self.segments(sums, pool, memory, to),
                () => self.along(sums, pool, memory, to),
            }
        }
    }

    /// Blocks of neighbours across the axis.
    unsafe fn across<R: Running>(
        &self,
        sums: Sums<R>,
        pool: &Pool,
        memory: Memory,
        to: Target<u8>,
    ) {
        let Lines { outer, len, inner } = self.lines;
        let blocks = inner.div_ceil(WIDE);
        let claim = per_claim(len * WIDE);
        pool.run((outer * blocks).div_ceil(claim), &|n| {
            for unit in n * claim..((n + 1) * claim).min(outer * blocks) {
                let (outer, first) = (unit / blocks, unit % blocks * WIDE);
                let start = self.begin(outer * len * inner + first);
                let count = WIDE.min(inner - first);
                let starts = std::array::from_fn(|lane| start + lane as isize);
                let lanes = Lanes { starts, count, step: self.step(), steps: len };
                // SAFETY: promised by the caller.
                unsafe { self.advance::<R, WIDE>(sums, memory, Some(to), &lanes, self.initial()) };
            }
        });
    }

    /// Several lines at once.
    unsafe fn along<R: Running>(&self, sums: Sums<R>, pool: &Pool, memory: Memory, to: Target<u8>) {
        let (count, len) = (self.lines.count(), self.lines.len);
        let claim = per_claim(len * NARROW);
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
                // SAFETY: promised by the caller.
                unsafe {
                    self.advance::<R, NARROW>(sums, memory, Some(to), &lanes, self.initial())
                };
            }
        });
    }

    /// Long lines: what each segment comes to, then all segments from what lies before them.
    unsafe fn segments<R: Running>(
        &self,
        sums: Sums<R>,
        pool: &Pool,
        memory: Memory,
        to: Target<u8>,
    ) {
        let per_line = self.lines.len.div_ceil(SEGMENT);
        let count = self.lines.count() * per_line;
        let groups = count.div_ceil(NARROW);
        // The last segment of a line may be shorter: its lane is then a group of its own.
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
            let totals = Target(totals.as_mut_ptr());
            pool.run(groups, &|group| {
                each(group, &|at, lanes| {
                    let state = self.initial();
                    // SAFETY: promised by the caller; each segment has a total of its own.
                    unsafe {
                        let ends = self.advance::<R, NARROW>(sums, memory, None, &lanes, state);
                        (0..lanes.count).for_each(|lane| *totals.at(at + lane) = ends[lane]);
                    }
                });
            });
            for line in 0..self.lines.count() {
                let mut before = self.initial::<R, 1>()[0];
                for segment in line * per_line..(line + 1) * per_line {
                    // SAFETY: there is a total of each segment.
                    let total = unsafe { &mut *totals.at(segment) };
                    let after = combine(self.by, before, R::default(), *total);
                    *total = before;
                    before = after;
                }
            }
            pool.run(groups, &|group| {
                each(group, &|at, lanes| {
                    // SAFETY: promised by the caller.
                    unsafe {
                        let state =
                            std::array::from_fn(|lane| *totals.at(at + lane.min(lanes.count - 1)));
                        self.advance::<R, NARROW>(sums, memory, Some(to), &lanes, state);
                    }
                });
            });
        });
    }

    /// The element that is scanned first of a line whose first element in memory is `start`.
    fn begin(&self, start: usize) -> isize {
        let last = (self.lines.len - 1) * self.lines.inner;
        (start + if self.is_reversed { last } else { 0 }) as isize
    }

    fn step(&self) -> isize {
        let step = self.lines.inner as isize;
        if self.is_reversed { -step } else { step }
    }

    fn initial<R: Running, const N: usize>(&self) -> [R; N] {
        [match self.by {
            ScanOp::Sum | ScanOp::Linear => R::NOTHING,
            ScanOp::Max => R::LOWEST,
            ScanOp::Min => R::HIGHEST,
        }; N]
    }

    /// Takes lanes from a state to their ends, which it gives back.
    unsafe fn advance<R: Running, const N: usize>(
        &self,
        sums: Sums<R>,
        memory: Memory,
        to: Option<Target<u8>>,
        lanes: &Lanes<N>,
        mut state: [R; N],
    ) -> [R; N] {
        let per_block = (STEPS * NARROW / N).min(lanes.steps);
        let mut x: [R; STEPS * NARROW] = blank();
        let mut a: [R; STEPS * NARROW] = blank();
        let mut lines: Turned<R> = [blank(); NARROW];
        for first in (0..lanes.steps).step_by(per_block) {
            let steps = per_block.min(lanes.steps - first);
            let block = (first, steps);
            // SAFETY: promised by the caller.
            unsafe { lanes.load(sums, (memory, self.x), block, &mut lines, &mut x) };
            if let Some(read) = self.a {
                // SAFETY: as above.
                unsafe { lanes.load(sums, (memory, read), block, &mut lines, &mut a) };
                if first == 0 {
                    // Nothing lies before the first element, whatever its factor.
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
fn combine<R: Running>(by: ScanOp, so_far: R, a: R, x: R) -> R {
    match by {
        ScanOp::Sum => so_far.plus(x),
        ScanOp::Linear => a.times(so_far).plus(x),
        ScanOp::Max => so_far.larger(x),
        ScanOp::Min => so_far.smaller(x),
    }
}

/// The steps of lanes that lie side by side.
#[inline(always)]
fn run<R: Running, const N: usize>(by: ScanOp, state: &mut [R], a: &[R], x: &mut [R]) {
    let state: &mut [R; N] = state.try_into().expect("as many states as lanes");
    for (x, a) in x.as_chunks_mut::<N>().0.iter_mut().zip(a.as_chunks::<N>().0) {
        for lane in 0..N {
            state[lane] = combine(by, state[lane], a[lane], x[lane]);
            x[lane] = state[lane];
        }
    }
}

vectorized! {
    fn run_wide<R: Running>(by: ScanOp, state: &mut [R], a: &[R], x: &mut [R]) {
        match by {
            ScanOp::Sum => run::<R, WIDE>(ScanOp::Sum, state, a, x),
            ScanOp::Linear => run::<R, WIDE>(ScanOp::Linear, state, a, x),
            ScanOp::Max => run::<R, WIDE>(ScanOp::Max, state, a, x),
            ScanOp::Min => run::<R, WIDE>(ScanOp::Min, state, a, x),
        }
    }
}

vectorized! {
    fn run_narrow<R: Running>(by: ScanOp, state: &mut [R], a: &[R], x: &mut [R]) {
        match by {
            ScanOp::Sum => run::<R, NARROW>(ScanOp::Sum, state, a, x),
            ScanOp::Linear => run::<R, NARROW>(ScanOp::Linear, state, a, x),
            ScanOp::Max => run::<R, NARROW>(ScanOp::Max, state, a, x),
            ScanOp::Min => run::<R, NARROW>(ScanOp::Min, state, a, x),
        }
    }
}
