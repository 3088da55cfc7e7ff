//! `Scatter`: each element of the result combines its sources in order. Threads divide the result
//! by rows of the other axes or by columns of long rows. A scatter along the only axis runs on one
//! thread: for a thread, finding its own positions costs more than processing all of them (100,000
//! positions: 0.47 ms with two threads, 0.16 ms with one).
use super::ResultPtr;
use super::dtype_ops::ElementOps;
use super::index::{BLOCK, Index};
use super::lines::{units_per_claim, zeroed};
use super::stored::Wide;
use super::walk::{Axis, AxisRange, Walk};
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
    /// The iteration is over `outer`, then `line`, then `row`. View 0 is the index, view 1 the
    /// result at position 0 of the axis, view 2 the source.
    outer: Walk<3>,
    line: Axis<3>,
    row: Axis<3>,
    stride: isize,
    partition: Partition,
}

/// The axis that threads divide among themselves. The result does not depend on the number of
/// parts.
#[derive(Clone, Copy)]
enum Partition {
    /// An axis of `outer`.
    Outer(usize),
    Line,
    Row,
    None,
}

/// With fewer sources than this, one thread is faster.
const SERIAL: usize = 1 << 14;
/// Parts begin at multiples of this, so that they share no cache lines of the result.
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
        let partition = match longest {
            _ if row.len >= 2 * COLUMNS => Partition::Row,
            Some(n) => Partition::Outer(n),
            None if line.strides[1] != 0 && line.len > 1 => Partition::Line,
            None => Partition::None,
        };
        let stride = target.affine()?.axes[axis].stride;
        let reads = [x.read, src.read];
        let index = Index::new("scatter", axis, x, index);
        let elements = x.ty.elements();
        let x = Walk::new(&x.ty.shape, [&x.view])?.merged();
        Some(Scatter { index, by, x, reads, elements, outer, line, row, stride, partition })
    }

    /// # Safety
    /// - `memory` meets the launch contract of [`Memory`] for the operands' views.
    /// - `to` meets the contract of [`ResultPtr`].
    /// - `elements` are the functions of the operands' dtype.
    pub(super) unsafe fn run<W: Wide>(
        &self,
        elements: ElementOps<W>,
        pool: &Pool,
        memory: Memory,
        to: ResultPtr<W>,
    ) -> Result<()> {
        let sources = self.outer.elements() * self.line.len * self.row.len;
        // SAFETY: upheld by the caller. Parts of the result are disjoint, and so are ranges to
        // round.
        unsafe {
            self.copy_x(elements, pool, memory, to);
            if sources == 0 {
                return Ok(());
            }
            let (len, unit) = match self.partition {
                Partition::Outer(axis) => (self.outer.axes[axis].len, 1),
                Partition::Line => (self.line.len, COLUMNS),
                Partition::Row => (self.row.len, COLUMNS),
                Partition::None => (1, 1),
            };
            let most = if sources < SERIAL { 1 } else { pool.threads() };
            let part = len.div_ceil(most).next_multiple_of(unit);
            pool.run(len.div_ceil(part), &|n| {
                self.part(elements, memory, to, n * part..((n + 1) * part).min(len));
            });
            self.index.check(memory, &self.outer, self.line)?;
            if elements.is_narrow {
                each_claim(pool, self.elements, &|range| {
                    let to = std::slice::from_raw_parts_mut(to.at(range.start), range.len());
                    elements.round(to);
                });
            }
        }
        Ok(())
    }

    /// Copies `x` to the result.
    ///
    /// # Safety
    /// As [`Scatter::run`].
    unsafe fn copy_x<W: Wide>(
        &self,
        elements: ElementOps<W>,
        pool: &Pool,
        memory: Memory,
        to: ResultPtr<W>,
    ) {
        let last = self.x.axes.last().copied().unwrap_or(Axis { len: 1, strides: [1] });
        each_claim(pool, self.elements, &|range| {
            let mut at = range.start;
            while at < range.end {
                let run = (last.len - at % last.len).min(range.end - at);
                let [start] = self.x.at(at);
                let from = elements.at(memory, self.reads[0], start);
                // SAFETY: `run` elements of `x` and of the result from `at` on; the range is this
                // task's.
                unsafe {
                    let to = std::slice::from_raw_parts_mut(to.at(at), run);
                    elements.widen(from, last.strides[0], to);
                }
                at += run;
            }
        });
    }

    /// Combines the sources of one part of the result, in order.
    ///
    /// # Safety
    /// As [`Scatter::run`]. All elements of the result are initialized, `part` is inside the
    /// partitioned axis, and no other thread accesses this part of the result.
    unsafe fn part<W: Wide>(
        &self,
        elements: ElementOps<W>,
        memory: Memory,
        to: ResultPtr<W>,
        part: Range<usize>,
    ) {
        let (mut line, mut columns) = (0..self.line.len, 0..self.row.len);
        let mut range = None;
        let mut outer = self.outer.elements();
        match self.partition {
            Partition::Outer(axis) => {
                outer = outer / self.outer.axes[axis].len * part.len();
                range = Some(AxisRange { axis, start: part.start, len: part.len() });
            }
            Partition::Line => line = part,
            Partition::Row => columns = part,
            Partition::None => {}
        }
        let mut positions = [0; BLOCK];
        for outer in 0..outer {
            let starts = self.outer.at_within(outer, range.as_ref());
            for first in line.clone().step_by(BLOCK) {
                let count = BLOCK.min(line.end - first);
                let [index, base, src] =
                    std::array::from_fn(|v| starts[v] + first as isize * self.line.strides[v]);
                let positions = &mut positions[..count];
                // SAFETY: the block is inside the index and the source; the result is this part's
                // own.
                unsafe {
                    let step = self.line.strides[0];
                    let Some(at) = self.index.load(memory, index, step, positions) else {
                        continue;
                    };
                    let src = elements.at(memory, self.reads[1], src);
                    let to = to.0.wrapping_offset(base);
                    match self.row.len {
                        1 => self.combine_elements(elements, to, src, at),
                        _ => self.combine_rows(elements, to, src, at, &columns),
                    }
                }
            }
        }
    }

    /// Combines single elements at positions `at` of a line.
    ///
    /// # Safety
    /// - Bounds: `at` are positions of the axis; `src` has as many elements along the line; `to` is
    ///   the address of the line's first element of the result at position 0.
    /// - Initialization: sources and result are initialized.
    /// - Aliasing: no other thread accesses these elements of the result, none writes the source.
    unsafe fn combine_elements<W: Wide>(
        &self,
        elements: ElementOps<W>,
        to: *mut W,
        src: *const u8,
        at: &[usize],
    ) {
        let mut values: [W; BLOCK] = zeroed();
        debug_assert!(at.len() <= BLOCK);
        // SAFETY: the source has an element for each position.
        let values = unsafe { elements.read(src, self.line.strides[2], &mut values[..at.len()]) };
        macro_rules! each {
            ($combine:expr) => {
                for (j, (&at, &value)) in at.iter().zip(values.iter()).enumerate() {
                    let offset = at as isize * self.stride + j as isize * self.line.strides[1];
                    // SAFETY: the position is inside the result.
                    unsafe {
                        let to = to.offset(offset);
                        *to = $combine(*to, value);
                    }
                }
            };
        }
        match self.by {
            ScatterOp::Set => each!(|_, new| new),
            ScatterOp::Add => each!(W::plus),
            ScatterOp::Max => each!(W::nan_max),
            ScatterOp::Min => each!(W::nan_min),
            ScatterOp::Prod => each!(W::times),
        }
    }

    /// Combines `columns` of the rows at positions `at` of a line.
    ///
    /// # Safety
    /// As [`Scatter::combine_elements`], for these columns of each row.
    unsafe fn combine_rows<W: Wide>(
        &self,
        elements: ElementOps<W>,
        to: *mut W,
        src: *const u8,
        at: &[usize],
        columns: &Range<usize>,
    ) {
        let mut values: [W; BLOCK] = zeroed();
        let [_, to_step, src_step] = self.row.strides;
        for (j, &at) in at.iter().enumerate() {
            let row = at as isize * self.stride + j as isize * self.line.strides[1];
            let start = j as isize * self.line.strides[2];
            for first in columns.clone().step_by(BLOCK) {
                let values = &mut values[..BLOCK.min(columns.end - first)];
                let src = elements.after(src, start + first as isize * src_step);
                // SAFETY: the source has these columns.
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
                    // SAFETY: `combine_rows` passes a row of the result with `values.len()`
                    // elements.
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
            ScatterOp::Max => each!(W::nan_max),
            ScatterOp::Min => each!(W::nan_min),
            ScatterOp::Prod => each!(W::times),
        }
    }
}

/// Runs `f` on disjoint ranges that cover `0..len`.
fn each_claim(pool: &Pool, len: usize, f: &(dyn Fn(Range<usize>) + Sync)) {
    let claim = units_per_claim(1);
    pool.run(len.div_ceil(claim), &|n| f(n * claim..((n + 1) * claim).min(len)));
}
