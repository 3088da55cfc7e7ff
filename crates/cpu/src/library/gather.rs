//! `Gather`: rows that move whole where the index repeats itself along them, else elements.
use super::Target;
use super::blocks::Elements;
use super::index::{BLOCK, Index};
use super::lines::per_claim;
use super::stored::Wide;
use super::walk::{Axis, Walk};
use crate::interp::Memory;
use crate::pool::Pool;
use brasa_compile::kernel::Operand;
use brasa_ir::Result;

pub(super) struct Gather {
    index: Index,
    read: usize,
    /// Views are the index and `x` at position 0 of the axis: `outer` lines of rows.
    outer: Walk<2>,
    line: Axis<2>,
    row: Axis<2>,
    /// From one position on the axis to the next.
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
    /// The buffers are as large as the operands' views and the target say.
    pub(super) unsafe fn run<W: Wide>(
        &self,
        elements: Elements<W>,
        pool: &Pool,
        memory: Memory,
        to: Target<W>,
    ) -> Result<()> {
        let (line, row) = (self.line, self.row);
        let blocks = line.len.div_ceil(BLOCK);
        let units = self.outer.elements() * blocks;
        let claim = per_claim(line.len.min(BLOCK) * row.len);
        pool.run(units.div_ceil(claim), &|n| {
            let mut positions = [0; BLOCK];
            for unit in n * claim..((n + 1) * claim).min(units) {
                let (outer, first) = (unit / blocks, unit % blocks * BLOCK);
                let [index, x] = self.outer.at(outer);
                let count = BLOCK.min(line.len - first);
                let index = index + first as isize * line.strides[0];
                let x = x + first as isize * line.strides[1];
                // SAFETY: promised by the caller.
                unsafe {
                    let positions = &mut positions[..count];
                    let at = self.index.positions(memory, index, line.strides[0], positions);
                    let Some(at) = at else { continue };
                    let x = elements.at(memory, self.read, x);
                    let to = to.at((outer * line.len + first) * row.len);
                    self.pick(elements, x, at, to);
                }
            }
        });
        // SAFETY: promised by the caller.
        unsafe { self.index.verdict(memory, &self.outer, line) }
    }

    /// The rows at some positions along a line.
    unsafe fn pick<W: Wide>(
        &self,
        elements: Elements<W>,
        x: *const u8,
        positions: &[usize],
        to: *mut W,
    ) {
        let row = self.row;
        // SAFETY: the result has a row for each position.
        let to = unsafe { std::slice::from_raw_parts_mut(to, positions.len() * row.len) };
        if row.len > 1 {
            for (j, (&at, to)) in positions.iter().zip(to.chunks_exact_mut(row.len)).enumerate() {
                let place = at as isize * self.stride + j as isize * self.line.strides[1];
                // SAFETY: positions are inside of `x`.
                unsafe { elements.widen(elements.after(x, place), row.strides[1], to) };
            }
            return;
        }
        // SAFETY: positions are inside of `x`, and there is room for an element of each.
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
        // SAFETY: there is one for each position.
        unsafe { elements.widen(picked.as_ptr().cast(), 1, to) };
    }

    /// Elements of some width at some positions, as they lie.
    unsafe fn collect<B: Copy>(&self, x: *const u8, positions: &[usize], to: *mut u8) {
        let (mut x, to): (*const B, *mut B) = (x.cast(), to.cast());
        let (stride, step) = (self.stride, self.line.strides[1]);
        for (j, &at) in positions.iter().enumerate() {
            // SAFETY: promised by the caller.
            unsafe { *to.add(j) = *x.wrapping_offset(at as isize * stride) };
            x = x.wrapping_offset(step);
        }
    }
}
