//! `Gather`: copies whole rows if the index is constant along them, otherwise single elements.
use super::ResultPtr;
use super::dtype_ops::ElementOps;
use super::index::{BLOCK, Index};
use super::lines::units_per_claim;
use super::stored::Wide;
use super::walk::{Axis, Walk};
use crate::interp::Memory;
use crate::pool::Pool;
use brasa_compile::kernel::Operand;
use brasa_ir::Result;

pub(super) struct Gather {
    index: Index,
    read: usize,
    /// The iteration is over `outer`, then `line`, then `row`. View 0 is the index, view 1 is `x`
    /// at position 0 of the axis.
    outer: Walk<2>,
    line: Axis<2>,
    row: Axis<2>,
    /// Stride of `x` along the axis.
    stride: isize,
}

impl Gather {
    pub(super) fn new(axis: usize, operands: &[Operand]) -> Option<Gather> {
        let [x, index] = operands else { return None };
        let mut walk = Walk::new(&index.ty.shape, [&index.view, &x.view])?;
        walk.axes[axis].strides[1] = 0;
        let mut outer = walk.merged();
        let mut line = outer.pop();
        let mut row = Axis { len: 1, strides: [0; 2] };
        if line.strides[0] == 0 {
            (row, line) = (line, outer.pop());
        }
        let stride = x.view.affine()?.axes[axis].stride;
        let index = Index::new("gather", axis, x, index);
        Some(Gather { index, read: x.read, outer, line, row, stride })
    }

    /// # Safety
    /// - `memory` meets the launch contract of [`Memory`] for the operands' views.
    /// - `to` meets the contract of [`ResultPtr`].
    /// - `elements` are the functions of the dtype of `x`.
    pub(super) unsafe fn run<W: Wide>(
        &self,
        elements: ElementOps<W>,
        pool: &Pool,
        memory: Memory,
        to: ResultPtr<W>,
    ) -> Result<()> {
        let (line, row) = (self.line, self.row);
        let blocks = line.len.div_ceil(BLOCK);
        let units = self.outer.elements() * blocks;
        let claim = units_per_claim(line.len.min(BLOCK) * row.len);
        pool.run(units.div_ceil(claim), &|n| {
            let mut positions = [0; BLOCK];
            for unit in n * claim..((n + 1) * claim).min(units) {
                let (outer, first) = (unit / blocks, unit % blocks * BLOCK);
                let [index, x] = self.outer.at(outer);
                let count = BLOCK.min(line.len - first);
                let index = index + first as isize * line.strides[0];
                let x = x + first as isize * line.strides[1];
                // SAFETY: the block is inside the index; its rows of the result are this unit's
                // own.
                unsafe {
                    let positions = &mut positions[..count];
                    let at = self.index.load(memory, index, line.strides[0], positions);
                    let Some(at) = at else { continue };
                    let x = elements.at(memory, self.read, x);
                    let to = to.at((outer * line.len + first) * row.len);
                    self.copy_rows(elements, x, at, to);
                }
            }
        });
        // SAFETY: the walk covers the index.
        unsafe { self.index.check(memory, &self.outer, line) }
    }

    /// Copies the rows at `positions` along a line.
    ///
    /// # Safety
    /// - Bounds: `positions` are inside the axis; `x` is the address of the line's first row at
    ///   position 0, and rows at `positions` are valid for reads; `to` is valid for writes of as
    ///   many rows.
    /// - Initialization: these rows of `x` are initialized, and so is the memory at `to`.
    /// - Aliasing: nothing else accesses the rows at `to` during the call, nothing writes `x`.
    unsafe fn copy_rows<W: Wide>(
        &self,
        elements: ElementOps<W>,
        x: *const u8,
        positions: &[usize],
        to: *mut W,
    ) {
        let row = self.row;
        debug_assert!(positions.len() <= BLOCK);
        // SAFETY: the result has a row for each position.
        let to = unsafe { std::slice::from_raw_parts_mut(to, positions.len() * row.len) };
        if row.len > 1 {
            for (j, (&at, to)) in positions.iter().zip(to.chunks_exact_mut(row.len)).enumerate() {
                let offset = at as isize * self.stride + j as isize * self.line.strides[1];
                // SAFETY: the position is inside `x`, and so is the whole row.
                unsafe { elements.widen(elements.after(x, offset), row.strides[1], to) };
            }
            return;
        }
        // SAFETY: positions are inside `x`; the destination holds `positions.len()` elements, which
        // have at most the width of a `W`, or of a `u32` if they are narrow.
        let collect = |to: *mut u8| unsafe {
            match elements.bytes {
                1 => self.collect::<u8>(x, positions, to),
                2 => self.collect::<u16>(x, positions, to),
                4 => self.collect::<u32>(x, positions, to),
                _ => self.collect::<u64>(x, positions, to),
            }
        };
        if !elements.is_narrow {
            return collect(to.as_mut_ptr().cast());
        }
        let mut picked = [0u32; BLOCK];
        collect(picked.as_mut_ptr().cast());
        // SAFETY: `collect` wrote one element for each position.
        unsafe { elements.widen(picked.as_ptr().cast(), 1, to) };
    }

    /// Copies the elements at `positions`, without conversion.
    ///
    /// # Safety
    /// As [`Gather::copy_rows`], for elements of the size of `B`.
    unsafe fn collect<B: Copy>(&self, x: *const u8, positions: &[usize], to: *mut u8) {
        let (mut x, to): (*const B, *mut B) = (x.cast(), to.cast());
        let (stride, step) = (self.stride, self.line.strides[1]);
        for (j, &at) in positions.iter().enumerate() {
            // SAFETY: the caller guarantees both elements.
            unsafe { *to.add(j) = *x.wrapping_offset(at as isize * stride) };
            x = x.wrapping_offset(step);
        }
    }
}
