//! `Scatter`: every place of the result takes its sources in order. Threads share the places: by rows
//! of the other axes or by columns of long rows. Along the only axis there is one thread: to find
//! which positions are its own costs more than to serve them all (100,000: 0.47 ms by two, 0.16 by
//! one).
use super::Target;
use super::blocks::Elements;
use super::index::{BLOCK, Index};
use super::lines::{blank, per_claim};
use super::stored::Wide;
use super::walk::{Axis, Narrowed, Walk};
use crate::interp::Memory;
use crate::level::vectorized;
use crate::pool::Pool;
use brasa_compile::kernel::Operand;
use brasa_ir::Result;
use brasa_ir::ops::ScatterOp;
use std::ops::Range;

pub(super) struct Scatter {
    index: Index,
    by: ScatterOp,
    x: Walk<1>,
    reads: [usize; 2],
    elements: usize,
    /// Views are the index, the result at position 0 of the axis, and the source.
    outer: Walk<3>,
    line: Axis<3>,
    row: Axis<3>,
    stride: isize,
    share: Share,
}

/// What threads divide among themselves. The result does not depend on how many parts it has.
#[derive(Clone, Copy)]
enum Share {
    /// An axis before the line.
    Outer(usize),
    Line,
    Row,
    Nothing,
}

/// Below this many sources one thread is faster.
const SERIAL: usize = 1 << 14;
/// Parts are cut at cache lines of the result.
const COLUMNS: usize = 16;

impl Scatter {
    pub(super) fn new(axis: usize, by: ScatterOp, operands: &[Operand]) -> Option<Scatter> {
        let [x, index, src] = operands else { return None };
        let target = brasa_ir::view::View::new(&x.ty.shape);
        let mut walk = Walk::new(&index.ty.shape, [&index.view, &target, &src.view])?;
        walk.axes[axis].strides[1] = 0;
        let mut outer = walk.merged();
        let mut line = outer.pop();
        let mut row = Axis { len: 1, strides: [0; 3] };
        if line.strides[0] == 0 && line.strides[1] != 0 {
            (row, line) = (line, outer.pop());
        }
        let own = |n: &usize| outer.axes[*n].strides[1] != 0;
        let longest = (0..outer.axes.len()).filter(own).max_by_key(|&n| outer.axes[n].len);
        let share = match longest {
            _ if row.len >= 2 * COLUMNS => Share::Row,
            Some(n) => Share::Outer(n),
            None if line.strides[1] != 0 && line.len > 1 => Share::Line,
            None => Share::Nothing,
        };
        let stride = target.affine()?.axes[axis].stride;
        let reads = [x.read, src.read];
        let index = Index::new("scatter", axis, x, index);
        let elements = x.ty.elements();
        let x = Walk::new(&x.ty.shape, [&x.view])?.merged();
        Some(Scatter { index, by, x, reads, elements, outer, line, row, stride, share })
    }

    /// # Safety
    /// The buffers are as large as the operands' views and the target say.
    pub(super) unsafe fn run<W: Wide>(
        &self,
        elements: Elements<W>,
        pool: &Pool,
        memory: Memory,
        to: Target<W>,
    ) -> Result<()> {
        let sources = self.outer.elements() * self.line.len * self.row.len;
        // SAFETY: promised by the caller.
        unsafe {
            self.begin(elements, pool, memory, to);
            if sources == 0 {
                return Ok(());
            }
            let (len, unit) = match self.share {
                Share::Outer(axis) => (self.outer.axes[axis].len, 1),
                Share::Line => (self.line.len, COLUMNS),
                Share::Row => (self.row.len, COLUMNS),
                Share::Nothing => (1, 1),
            };
            let most = if sources < SERIAL { 1 } else { pool.threads() };
            let part = len.div_ceil(most).next_multiple_of(unit);
            pool.run(len.div_ceil(part), &|n| {
                self.part(elements, memory, to, n * part..((n + 1) * part).min(len));
            });
            self.index.verdict(memory, &self.outer, self.line)?;
            if elements.is_narrow {
                each_claim(pool, self.elements, &|range| {
                    let to = std::slice::from_raw_parts_mut(to.at(range.start), range.len());
                    elements.settle(to);
                });
            }
        }
        Ok(())
    }

    /// Copies `x`.
    unsafe fn begin<W: Wide>(
        &self,
        elements: Elements<W>,
        pool: &Pool,
        memory: Memory,
        to: Target<W>,
    ) {
        let last = self.x.axes.last().copied().unwrap_or(Axis { len: 1, strides: [1] });
        each_claim(pool, self.elements, &|range| {
            let mut at = range.start;
            while at < range.end {
                let run = (last.len - at % last.len).min(range.end - at);
                let [start] = self.x.at(at);
                let from = elements.at(memory, self.reads[0], start);
                // SAFETY: promised by the caller.
                unsafe {
                    let to = std::slice::from_raw_parts_mut(to.at(at), run);
                    elements.widen(from, last.strides[0], to);
                }
                at += run;
            }
        });
    }

    /// The sources for one part of what is shared, in order.
    unsafe fn part<W: Wide>(
        &self,
        elements: Elements<W>,
        memory: Memory,
        to: Target<W>,
        part: Range<usize>,
    ) {
        let (mut line, mut columns) = (0..self.line.len, 0..self.row.len);
        let mut narrowed = None;
        let mut outer = self.outer.elements();
        match self.share {
            Share::Outer(axis) => {
                outer = outer / self.outer.axes[axis].len * part.len();
                narrowed = Some(Narrowed { axis, start: part.start, len: part.len() });
            }
            Share::Line => line = part,
            Share::Row => columns = part,
            Share::Nothing => {}
        }
        let mut places = [0; BLOCK];
        for outer in 0..outer {
            let starts = self.outer.at_within(outer, narrowed.as_ref());
            for first in line.clone().step_by(BLOCK) {
                let count = BLOCK.min(line.end - first);
                let [index, base, src] =
                    std::array::from_fn(|v| starts[v] + first as isize * self.line.strides[v]);
                let places = &mut places[..count];
                // SAFETY: promised by the caller.
                unsafe {
                    let step = self.line.strides[0];
                    let Some(at) = self.index.positions(memory, index, step, places) else {
                        continue;
                    };
                    let src = elements.at(memory, self.reads[1], src);
                    let to = to.0.wrapping_offset(base);
                    match self.row.len {
                        1 => self.elements(elements, to, src, at),
                        _ => self.rows(elements, to, src, at, &columns),
                    }
                }
            }
        }
    }

    unsafe fn elements<W: Wide>(
        &self,
        elements: Elements<W>,
        to: *mut W,
        src: *const u8,
        at: &[usize],
    ) {
        let mut values: [W; BLOCK] = blank();
        // SAFETY: promised by the caller.
        let values = unsafe { elements.read(src, self.line.strides[2], &mut values[..at.len()]) };
        macro_rules! each {
            ($combine:expr) => {
                for (j, (&at, &value)) in at.iter().zip(values.iter()).enumerate() {
                    let place = at as isize * self.stride + j as isize * self.line.strides[1];
                    // SAFETY: positions are inside of the result.
                    unsafe {
                        let to = to.offset(place);
                        *to = $combine(*to, value);
                    }
                }
            };
        }
        match self.by {
            ScatterOp::Set => each!(|_, new| new),
            ScatterOp::Add => each!(W::plus),
            ScatterOp::Max => each!(W::larger),
            ScatterOp::Min => each!(W::smaller),
            ScatterOp::Prod => each!(W::times),
        }
    }

    unsafe fn rows<W: Wide>(
        &self,
        elements: Elements<W>,
        to: *mut W,
        src: *const u8,
        at: &[usize],
        columns: &Range<usize>,
    ) {
        let mut values: [W; BLOCK] = blank();
        let [_, to_step, src_step] = self.row.strides;
        for (j, &at) in at.iter().enumerate() {
            let row = at as isize * self.stride + j as isize * self.line.strides[1];
            let start = j as isize * self.line.strides[2];
            for first in columns.clone().step_by(BLOCK) {
                let values = &mut values[..BLOCK.min(columns.end - first)];
                let src = elements.after(src, start + first as isize * src_step);
                // SAFETY: promised by the caller.
                let values = unsafe { elements.read(src, src_step, values) };
                let to = to.wrapping_offset(row + first as isize * to_step);
                combine_row(self.by, to, to_step, values);
            }
        }
    }
}

vectorized! {
    fn combine_row<W: Wide>(by: ScatterOp, to: *mut W, step: isize, values: &[W]) {
        macro_rules! each {
            ($combine:expr) => {
                for (i, &value) in values.iter().enumerate() {
                    // SAFETY: callers hand in a row of the result.
                    unsafe {
                        let to = to.offset(step * i as isize);
                        *to = $combine(*to, value);
                    }
                }
            };
        }
        match by {
            ScatterOp::Set => each!(|_, new| new),
            ScatterOp::Add => each!(W::plus),
            ScatterOp::Max => each!(W::larger),
            ScatterOp::Min => each!(W::smaller),
            ScatterOp::Prod => each!(W::times),
        }
    }
}

/// Runs `f` on ranges that together are `0..len`.
fn each_claim(pool: &Pool, len: usize, f: &(dyn Fn(Range<usize>) + Sync)) {
    let claim = per_claim(1);
    pool.run(len.div_ceil(claim), &|n| f(n * claim..((n + 1) * claim).min(len)));
}
