//! The index operand of a `Gather` or `Scatter`: loads blocks of positions and reports a position
//! that is out of range.
use super::walk::{Axis, Walk};
use crate::interp::Memory;
use crate::level::vectorized;
use brasa_compile::Positions;
use brasa_compile::kernel::Operand;
use brasa_ir::{DType, Result};
use std::sync::atomic::{AtomicBool, Ordering};

/// Positions that are loaded together.
pub(super) const BLOCK: usize = 256;

pub(super) struct Index {
    read: usize,
    positions: Positions,
    has_out_of_range: AtomicBool,
}

impl Index {
    pub(super) fn new(op: &'static str, axis: usize, input: &Operand, index: &Operand) -> Index {
        let (read, input, index) = (index.read, input.ty.clone(), index.ty.clone());
        let positions = Positions { op: op.to_string(), axis, input, index };
        Index { read, positions, has_out_of_range: AtomicBool::new(false) }
    }

    /// The length of the indexed axis.
    fn axis_len(&self) -> usize {
        self.positions.input.shape[self.positions.axis]
    }

    /// Loads positions from element `start` of the index on; `None` if one is out of range.
    ///
    /// # Safety
    /// - `memory` meets the launch contract of [`Memory`] for the index.
    /// - Bounds: the index has `to.len()` elements from `start` on, `step` elements apart.
    pub(super) unsafe fn load<'a>(
        &self,
        memory: Memory,
        start: isize,
        step: isize,
        to: &'a mut [usize],
    ) -> Option<&'a [usize]> {
        let (from, len) = (memory.reads[self.read], self.axis_len());
        let is_inside = match self.positions.index.dtype {
            DType::I64 => load_positions(from.cast::<i64>().wrapping_offset(start), step, len, to),
            DType::I32 => load_positions(from.cast::<i32>().wrapping_offset(start), step, len, to),
            DType::U32 => load_positions(from.cast::<u32>().wrapping_offset(start), step, len, to),
            DType::I8 => load_positions(from.cast::<i8>().wrapping_offset(start), step, len, to),
            _ => load_positions(from.wrapping_offset(start), step, len, to),
        };
        if !is_inside {
            self.has_out_of_range.store(true, Ordering::Relaxed);
        }
        is_inside.then_some(to)
    }

    /// Returns an error for the first position out of range, if [`Index::load`] found one since the
    /// last call. View 0 of `outer` and `line` is the index.
    ///
    /// # Safety
    /// - `memory` meets the launch contract of [`Memory`] for the index.
    /// - Bounds: the index has every element of `outer`, followed by the axis `line`.
    pub(super) unsafe fn check<const N: usize>(
        &self,
        memory: Memory,
        outer: &Walk<N>,
        line: Axis<N>,
    ) -> Result<()> {
        if !self.has_out_of_range.swap(false, Ordering::Relaxed) {
            return Ok(());
        }
        let mut position = [0];
        for flat in 0..outer.elements() * line.len {
            let start = outer.at(flat / line.len)[0];
            let start = start + (flat % line.len) as isize * line.strides[0];
            // SAFETY: the element is one of the walk.
            if unsafe { self.load(memory, start, 0, &mut position) }.is_some() {
                continue;
            }
            self.has_out_of_range.store(false, Ordering::Relaxed);
            return Err(self.positions.out_of_range(position[0] as i64));
        }
        Ok(())
    }
}

/// A stored integer.
trait Integer: Copy {
    fn to_i64(self) -> i64;
}

macro_rules! integer {
    ($($ty:ty)*) => {
        $(impl Integer for $ty {
            #[inline(always)]
            fn to_i64(self) -> i64 {
                self as i64
            }
        })*
    };
}
integer!(u8 i8 i32 u32 i64);

vectorized! {
    /// Loads positions and returns whether all are below `len`.
    fn load_positions<I: Integer>(
        from: *const I,
        step: isize,
        len: usize,
        to: &mut [usize],
    ) -> bool {
        let mut bad = 0;
        for (i, to) in to.iter_mut().enumerate() {
            // SAFETY: the caller of `Index::load` guarantees these elements.
            let at = unsafe { *from.offset(step * i as isize) }.to_i64();
            bad |= (at as u64 >= len as u64) as u64;
            *to = at as usize;
        }
        bad == 0
    }
}
