//! The index of a `Gather` or `Scatter`: blocks of positions, and the error for one out of range.
use super::walk::{Axis, Walk};
use crate::interp::Memory;
use crate::level::vectorized;
use brasa_compile::Positions;
use brasa_compile::kernel::Operand;
use brasa_ir::{DType, Result};
use std::sync::atomic::{AtomicBool, Ordering};

/// Positions that are looked up together.
pub(super) const BLOCK: usize = 256;

pub(super) struct Index {
    read: usize,
    positions: Positions,
    has_bad: AtomicBool,
}

impl Index {
    pub(super) fn new(op: &'static str, axis: usize, input: &Operand, index: &Operand) -> Index {
        let (read, input, index) = (index.read, input.ty.clone(), index.ty.clone());
        let positions = Positions { op: op.to_string(), axis, input, index };
        Index { read, positions, has_bad: AtomicBool::new(false) }
    }

    /// The length of the axis that positions lie on.
    fn len(&self) -> usize {
        self.positions.input.shape[self.positions.axis]
    }

    /// The positions from element `start` on, or `None` where one is out of range.
    ///
    /// # Safety
    /// The index has these elements.
    pub(super) unsafe fn positions<'a>(
        &self,
        memory: Memory,
        start: isize,
        step: isize,
        to: &'a mut [usize],
    ) -> Option<&'a [usize]> {
        let (from, len) = (memory.reads[self.read], self.len());
        let is_inside = match self.positions.index.dtype {
            DType::I64 => look_up(from.cast::<i64>().wrapping_offset(start), step, len, to),
            DType::I32 => look_up(from.cast::<i32>().wrapping_offset(start), step, len, to),
            DType::U32 => look_up(from.cast::<u32>().wrapping_offset(start), step, len, to),
            DType::I8 => look_up(from.cast::<i8>().wrapping_offset(start), step, len, to),
            _ => look_up(from.wrapping_offset(start), step, len, to),
        };
        if !is_inside {
            self.has_bad.store(true, Ordering::Relaxed);
        }
        is_inside.then_some(to)
    }

    /// The error for the first position out of range, if there was any since the last call. The
    /// first of the views is the index.
    ///
    /// # Safety
    /// The index has the elements of the walk, on the last axis of which `line` lies.
    pub(super) unsafe fn verdict<const N: usize>(
        &self,
        memory: Memory,
        outer: &Walk<N>,
        line: Axis<N>,
    ) -> Result<()> {
        if !self.has_bad.swap(false, Ordering::Relaxed) {
            return Ok(());
        }
        let mut position = [0];
        for flat in 0..outer.elements() * line.len {
            let start = outer.at(flat / line.len)[0];
            let start = start + (flat % line.len) as isize * line.strides[0];
            // SAFETY: promised by the caller.
            if unsafe { self.positions(memory, start, 0, &mut position) }.is_some() {
                continue;
            }
            self.has_bad.store(false, Ordering::Relaxed);
            return Err(self.positions.out_of_range(position[0] as i64));
        }
        Ok(())
    }
}

/// An integer in memory.
trait Whole: Copy {
    fn whole(self) -> i64;
}

macro_rules! whole {
    ($($ty:ty)*) => {
        $(impl Whole for $ty {
            #[inline(always)]
            fn whole(self) -> i64 {
                self as i64
            }
        })*
    };
}
whole!(u8 i8 i32 u32 i64);

vectorized! {
    /// Reads positions, and tells whether all are below `len`.
    fn look_up<I: Whole>(from: *const I, step: isize, len: usize, to: &mut [usize]) -> bool {
        let mut bad = 0;
        for (i, to) in to.iter_mut().enumerate() {
            // SAFETY: the caller of `positions` promises these elements.
            let at = unsafe { *from.offset(step * i as isize) }.whole();
            bad |= (at as u64 >= len as u64) as u64;
            *to = at as usize;
        }
        bad == 0
    }
}
