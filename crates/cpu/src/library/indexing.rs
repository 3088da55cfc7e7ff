//! `Gather` and `Scatter`: whole rows where the index is one for each row, else element by element.
use super::{Library, Target};
use crate::interp::{Anchor, Memory};
use crate::pool::Pool;
use brasa_compile::kernel::Operand;
use brasa_ir::ops::ScatterOp;
use brasa_ir::{DType, Error, Result, Shape};
use std::sync::atomic::{AtomicI64, Ordering};

/// How a tensor of the index's shape meets an operand: strides per axis, and where it begins.
struct Walk {
    read: usize,
    offset: isize,
    strides: Vec<isize>,
}

impl Walk {
    fn new(operand: &Operand) -> Option<Walk> {
        let layer = operand.view.affine()?;
        let strides = layer.axes.iter().map(|axis| axis.stride).collect();
        Some(Walk { read: operand.read, offset: layer.offset, strides })
    }

    fn at(&self, index: &[usize]) -> isize {
        let steps = index.iter().zip(&self.strides).map(|(&i, stride)| i as isize * stride);
        self.offset + steps.sum::<isize>()
    }
}

/// What both ops need: the index, and the axis of `x` that it counts along.
struct Indexed {
    op: &'static str,
    axis: usize,
    /// The length of `x` along the axis.
    len: usize,
    shape: Shape,
    index: Walk,
    index_dtype: DType,
    /// How many trailing axes are moved whole, and how many elements these are.
    whole_axes: usize,
    row: usize,
}

impl Indexed {
    fn new(op: &'static str, axis: usize, x: &Operand, index: &Operand) -> Option<Indexed> {
        let walk = Walk::new(index)?;
        let shape = index.ty.shape.clone();
        // Trailing axes over which the index repeats itself, and which are those of `x`.
        let is_whole = |n: &usize| {
            *n > axis && (walk.strides[*n] == 0 || shape[*n] == 1) && shape[*n] == x.ty.shape[*n]
        };
        let whole_axes = (0..shape.len()).rev().take_while(is_whole).count();
        let row = shape[shape.len() - whole_axes..].iter().product();
        let len = x.ty.shape[axis];
        let is_known = matches!(index.ty.dtype, DType::I64 | DType::I32);
        let index_dtype = index.ty.dtype;
        let indexed = Indexed { op, axis, len, shape, index: walk, index_dtype, whole_axes, row };
        is_known.then_some(indexed)
    }

    /// The axes that are walked one index at a time.
    fn walked(&self) -> Shape {
        self.shape[..self.shape.len() - self.whole_axes].into()
    }

    /// The index's value at a place; `None`, and noted, if it is out of range.
    unsafe fn value(&self, memory: Memory, at: &[usize], bad: &AtomicI64) -> Option<usize> {
        let from = memory.reads[self.index.read];
        let place = self.index.at(at);
        // SAFETY: the view stays inside its buffer.
        let value = unsafe {
            match self.index_dtype {
                DType::I64 => *from.cast::<i64>().offset(place),
                _ => *from.cast::<i32>().offset(place) as i64,
            }
        };
        let is_inside = (0..self.len as i64).contains(&value);
        if !is_inside {
            bad.store(value, Ordering::Relaxed);
        }
        is_inside.then_some(value as usize)
    }

    fn verdict(&self, bad: AtomicI64) -> Result<()> {
        match bad.into_inner() {
            FINE => Ok(()),
            value => {
                let (axis, len) = (self.axis, self.len);
                let what = format!("index {value} is out of range for axis {axis} of length {len}");
                Err(Error::data(self.op, what))
            }
        }
    }
}

/// No index is this.
const FINE: i64 = i64::MIN;

pub(super) struct Gather {
    indexed: Indexed,
    x: Walk,
    bytes: usize,
}

impl Gather {
    pub(super) fn new(axis: usize, operands: &[Operand]) -> Option<Gather> {
        let indexed = Indexed::new("gather", axis, &operands[0], &operands[1])?;
        let is_plain = operands[0].view.is_contiguous();
        let bytes = operands[0].ty.dtype.bytes();
        let x = Walk::new(&operands[0]).filter(|_| is_plain)?;
        Some(Gather { indexed, x, bytes })
    }

    /// # Safety
    /// The buffers are as large as the operands' views and the target say.
    pub(super) unsafe fn run(&self, pool: &Pool, memory: Memory, to: Target<u8>) -> Result<()> {
        let walked = self.indexed.walked();
        let (rows, row_bytes) = (walked.elements(), self.indexed.row * self.bytes);
        let bad = AtomicI64::new(FINE);
        let chunk = (CHUNK_BYTES / row_bytes.max(1)).max(1);
        pool.run(rows.div_ceil(chunk), &|n| {
            let mut at = vec![0; self.indexed.shape.len()];
            for row in n * chunk..((n + 1) * chunk).min(rows) {
                unravel(&walked, row, &mut at);
                // SAFETY: promised by the caller.
                unsafe {
                    let place = to.at(row * row_bytes);
                    let Some(value) = self.indexed.value(memory, &at, &bad) else { continue };
                    let axis = self.indexed.axis;
                    let own = std::mem::replace(&mut at[axis], value);
                    let from = self.x.at(&at) * self.bytes as isize;
                    let from = memory.reads[self.x.read].offset(from);
                    std::ptr::copy_nonoverlapping(from, place, row_bytes);
                    at[axis] = own;
                }
            }
        });
        self.indexed.verdict(bad)
    }
}

/// Bytes that one claim of work moves.
const CHUNK_BYTES: usize = 1 << 15;

pub(super) struct Scatter {
    indexed: Indexed,
    by: ScatterOp,
    x: Walk,
    src: Walk,
    /// Elements of the result.
    elements: usize,
    strides: Vec<usize>,
}

impl Scatter {
    /// `None` where there is no fast path.
    pub(super) fn new(axis: usize, by: ScatterOp, operands: &[Operand]) -> Option<Scatter> {
        let [x, index, src] = operands else { return None };
        let indexed = Indexed::new("scatter", axis, x, index)?;
        let is_plain = x.view.is_contiguous() && x.ty.dtype == DType::F32;
        let is_simple = matches!(by, ScatterOp::Add | ScatterOp::Set);
        let strides = x.ty.shape.strides().to_vec();
        let elements = x.ty.elements();
        let (x, src) = (Walk::new(x).filter(|_| is_plain && is_simple)?, Walk::new(src)?);
        Some(Scatter { indexed, by, x, src, elements, strides })
    }

    /// Every thread walks the whole index and takes care of its own columns, so that the order of
    /// additions is that of the source whatever the number of threads.
    ///
    /// # Safety
    /// As [`Gather::run`].
    pub(super) unsafe fn run(&self, pool: &Pool, memory: Memory, to: Target<f32>) -> Result<()> {
        // SAFETY: the result is as large as `x`.
        unsafe {
            let x = memory.reads[self.x.read].cast::<f32>();
            std::ptr::copy(x, to.at(0), self.elements);
        }
        let walked = self.indexed.walked();
        let (rows, row) = (walked.elements(), self.indexed.row);
        let bad = AtomicI64::new(FINE);
        let is_small = rows * row < SERIAL_ELEMENTS;
        let parts = if is_small { 1 } else { row.div_ceil(COLUMNS) };
        let last = self.indexed.shape.len().wrapping_sub(1);
        let src_step = if self.indexed.whole_axes == 1 { self.src.strides[last] } else { 0 };
        pool.run(parts, &|part| {
            let columns = match parts {
                1 => 0..row,
                _ => part * COLUMNS..((part + 1) * COLUMNS).min(row),
            };
            let mut at = vec![0; self.indexed.shape.len()];
            let mut inner = at.clone();
            for n in 0..rows {
                unravel(&walked, n, &mut at);
                // SAFETY: promised by the caller.
                unsafe {
                    let Some(value) = self.indexed.value(memory, &at, &bad) else { continue };
                    let target = |at: &[usize]| -> usize {
                        let own = |(axis, (i, stride)): (usize, (&usize, &usize))| {
                            (if axis == self.indexed.axis { value } else { *i }) * stride
                        };
                        at.iter().zip(&self.strides).enumerate().map(own).sum()
                    };
                    let src = memory.reads[self.src.read].cast::<f32>();
                    if self.indexed.whole_axes <= 1 {
                        let (start, base) = (self.src.at(&at), target(&at));
                        for column in columns.clone() {
                            let value = *src.offset(start + column as isize * src_step);
                            self.combine(to.at(base + column), value);
                        }
                        continue;
                    }
                    for column in columns.clone() {
                        inner.copy_from_slice(&at);
                        unravel_tail(
                            &self.indexed.shape,
                            column,
                            self.indexed.whole_axes,
                            &mut inner,
                        );
                        self.combine(to.at(target(&inner)), *src.offset(self.src.at(&inner)));
                    }
                }
            }
        });
        self.indexed.verdict(bad)
    }

    unsafe fn combine(&self, to: *mut f32, value: f32) {
        // SAFETY: promised by the caller.
        unsafe {
            match self.by {
                ScatterOp::Set => *to = value,
                _ => *to += value,
            }
        }
    }
}

/// Columns that one thread takes care of: a cache line of neighbours is never shared.
const COLUMNS: usize = 64;
/// Less than this is not worth walking the index more than once.
const SERIAL_ELEMENTS: usize = 1 << 14;

/// Sets the leading indices from a flat number over `shape`.
fn unravel(shape: &[usize], mut flat: usize, to: &mut [usize]) {
    for n in (0..shape.len()).rev() {
        to[n] = flat % shape[n];
        flat /= shape[n];
    }
}

/// Sets the last `count` indices from a flat number over them.
fn unravel_tail(shape: &[usize], flat: usize, count: usize, to: &mut [usize]) {
    let first = shape.len() - count;
    unravel(&shape[first..], flat, &mut to[first..]);
}

impl Library {
    /// Runs the epilogue over the whole result, which lies at `c` as registers hold it.
    ///
    /// # Safety
    /// `c` has every element of the result, and the buffers are as large as the kernel says.
    pub(super) unsafe fn finish<T: Copy>(&self, pool: &Pool, memory: Memory, c: Target<T>) {
        if self.is_plain() {
            return;
        }
        // SAFETY: promised by the caller.
        unsafe { self.epilogue.run_behind(pool, memory, Anchor::Whole(c.cast::<u8>().0)) };
    }
}
