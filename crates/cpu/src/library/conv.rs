//! Convolutions as products of matrices: the kernel by windows of the input, which are gathered
//! while they are packed and never stored.
use super::{Library, Target};
use crate::gemm::{Accumulate, Output, Plain, Size, Source, Strided, Tile, gemm, gemm_batched};
use crate::interp::Memory;
use crate::pool::Pool;
use crate::scratch;
use brasa_compile::kernel::Operand;
use brasa_ir::ops::Conv as Attributes;
use brasa_ir::{DType, Type};

pub(super) struct Conv {
    op: Attributes,
    x: Operand,
    w: Operand,
    out: Type,
}

/// Below this many positions an image is too narrow a matrix by itself: all images then make one.
const NARROW: usize = 64;

impl Conv {
    /// `None` for element types without a fast path, and for nothing at all.
    pub(super) fn new(op: &Attributes, operands: &[Operand], out: &Type) -> Option<Conv> {
        let (x, w) = (operands[0].clone(), operands[1].clone());
        let is_affine = x.view.affine().is_some() && w.view.affine().is_some();
        let is_work = out.elements() > 0 && w.ty.elements() > 0 && x.ty.elements() > 0;
        let is_fast = is_affine && is_work && x.ty.dtype == DType::F32;
        is_fast.then(|| Conv { op: op.clone(), x, w, out: out.clone() })
    }

    /// # Safety
    /// The buffers are as large as the operands' views and the kernel's writes say.
    pub(super) unsafe fn run(&self, library: &Library, pool: &Pool, memory: Memory) {
        let weights = self.w.ty.elements();
        scratch::with::<f32, ()>(weights, |packed| {
            // SAFETY: promised by the caller.
            unsafe { self.lay_out_weights(memory, packed) };
            library.with_target::<f32, ()>(memory, |c: Target<f32>| {
                // SAFETY: promised by the caller.
                unsafe { self.multiply(library, pool, memory, packed, c) };
            });
        });
    }

    /// Copies the weights to rows of one output channel each.
    unsafe fn lay_out_weights(&self, memory: Memory, to: &mut [f32]) {
        let layer = self.w.view.affine().expect("checked when it was made");
        let from = memory.reads[self.w.read].cast::<f32>();
        // Trailing axes that lie one after the other are copied as one run.
        let (mut outer, mut run) = (layer.axes.len(), 1);
        while outer > 0
            && (layer.axes[outer - 1].stride == run as isize || layer.axes[outer - 1].len == 1)
        {
            outer -= 1;
            run *= layer.axes[outer].len;
        }
        let axes = &layer.axes[..outer];
        for (n, to) in to.chunks_exact_mut(run).enumerate() {
            let (mut rest, mut at) = (n, layer.offset);
            for axis in axes.iter().rev() {
                at += (rest % axis.len) as isize * axis.stride;
                rest /= axis.len;
            }
            // SAFETY: the view stays inside the buffer.
            to.copy_from_slice(unsafe { std::slice::from_raw_parts(from.offset(at), run) });
        }
    }

    unsafe fn multiply(
        &self,
        library: &Library,
        pool: &Pool,
        memory: Memory,
        weights: &[f32],
        c: Target<f32>,
    ) {
        let (batch, groups) = (self.out.shape[0], self.op.groups);
        let outputs = self.out.shape[1] / groups;
        let k = weights.len() / self.out.shape[1];
        let positions: usize = self.out.shape[2..].iter().product();
        // SAFETY: the caller promises the buffer.
        let windows = |image, group| unsafe { Windows::new(self, memory, image, group) };
        let rows = |group: usize| Strided::rows(&weights[group * outputs * k..][..outputs * k], k);
        if positions < NARROW && batch > 1 {
            let n = batch * positions;
            scratch::with::<f32, ()>(outputs * n, |all| {
                for group in 0..groups {
                    let output = Output::new(all, n, Accumulate::Replace);
                    let size = Size { m: outputs, n, k };
                    gemm(pool, size, &rows(group), &windows(0, group), output, &Plain);
                    for (i, &value) in all.iter().enumerate() {
                        let (o, image, at) = (i / n, i % n / positions, i % positions);
                        let to = ((image * groups + group) * outputs + o) * positions + at;
                        // SAFETY: the target has every element of the output.
                        unsafe { *c.at(to) = value };
                    }
                }
            });
            if !library.is_plain() {
                library.epilogue.with_thread(memory, |thread| {
                    // SAFETY: the target holds the whole result.
                    unsafe { thread.epilogue(0, self.out.elements(), c.at(0).cast()) };
                });
            }
            return;
        }
        let size = Size { m: outputs, n: positions, k };
        let item = |n: usize| {
            // SAFETY: each image and group has its own part of the output.
            let output = unsafe {
                let start = c.at(n * outputs * positions);
                Output::from_raw(start, outputs * positions, positions, Accumulate::Replace)
            };
            // SAFETY: the weights outlive the product.
            let rows = unsafe { outlive(rows(n % groups)) };
            (rows, windows(n / groups, n % groups), output)
        };
        if library.is_plain() {
            return gemm_batched(pool, batch * groups, size, &item, &Plain);
        }
        let finish = |tile: &mut Tile<f32>| {
            library.epilogue.with_thread(memory, |thread| {
                for i in 0..tile.rows {
                    let flat = (tile.batch * outputs + tile.row + i) * positions + tile.col;
                    let row = tile.row_mut(i);
                    // SAFETY: the row is the result at these elements.
                    unsafe { thread.epilogue(flat, row.len(), row.as_mut_ptr().cast()) };
                }
            });
        };
        gemm_batched(pool, batch * groups, size, &item, &finish);
    }
}

/// # Safety
/// The data lives as long as the result is used.
unsafe fn outlive<'a>(x: Strided<'_, f32>) -> Strided<'a, f32> {
    // SAFETY: promised by the caller.
    let data = unsafe { std::slice::from_raw_parts(x.data.as_ptr(), x.data.len()) };
    Strided { data, offset: x.offset, stride_i: x.stride_i, stride_k: x.stride_k }
}

/// The input as a matrix: `i` counts positions of the window, image by image, and `k` the elements
/// under it, channel by channel.
struct Windows<'a> {
    conv: &'a Conv,
    data: *const f32,
    /// Of image, channel, and up to three axes.
    strides: [isize; 5],
    positions: usize,
    taps: usize,
}

// SAFETY: the input is only read.
unsafe impl Sync for Windows<'_> {}

impl<'a> Windows<'a> {
    /// # Safety
    /// The buffer holds all that the input's view reaches.
    unsafe fn new(conv: &'a Conv, memory: Memory, image: usize, group: usize) -> Windows<'a> {
        let layer = conv.x.view.affine().expect("checked when it was made");
        let mut strides = [0; 5];
        strides.iter_mut().zip(&layer.axes).for_each(|(to, axis)| *to = axis.stride);
        let channel = (group * conv.w.ty.shape[1]) as isize;
        let offset = layer.offset + image as isize * strides[0] + channel * strides[1];
        // SAFETY: the first element of an image is inside the buffer.
        let data = unsafe { memory.reads[conv.x.read].cast::<f32>().offset(offset) };
        let positions = conv.out.shape[2..].iter().product();
        let taps = conv.w.ty.shape[2..].iter().product();
        Windows { conv, data, strides, positions, taps }
    }

    /// The index of `flat` among the last axes of a shape.
    fn unravel(shape: &[usize], mut flat: usize, to: &mut [usize; 3]) {
        for d in (0..shape.len()).rev() {
            to[d] = flat % shape[d];
            flat /= shape[d];
        }
    }

    /// The offset of the input element under tap `tap` at position `at`; `None` for padding.
    fn source(&self, at: &[usize; 3], tap: &[usize; 3]) -> Option<isize> {
        let op = &self.conv.op;
        let mut offset = 0;
        for d in 0..op.stride.len() {
            let i = (at[d] * op.stride[d] + tap[d] * op.dilation[d]) as isize - op.before[d];
            let spread = op.spread[d] as isize;
            let is_hit =
                i >= 0 && i % spread == 0 && i / spread < self.conv.x.ty.shape[d + 2] as isize;
            offset += is_hit.then(|| i / spread * self.strides[d + 2])?;
        }
        Some(offset)
    }

    /// Copies `to.len()` neighbours along the last axis, from position `at` on, under one tap.
    unsafe fn pack_run(
        &self,
        image: *const f32,
        at: &[usize; 3],
        tap: &[usize; 3],
        to: &mut [f32],
    ) {
        let op = &self.conv.op;
        let d = op.stride.len() - 1;
        let mut first = *at;
        if op.spread[d] != 1 {
            for value in to {
                // SAFETY: `source` gives offsets inside the image.
                *value = self.source(&first, tap).map_or(0.0, |i| unsafe { *image.offset(i) });
                first[d] += 1;
            }
            return;
        }
        // The other axes decide for all of the run whether it is padding.
        let len = self.conv.x.ty.shape[d + 2] as isize;
        let (step, stride) = (op.stride[d] as isize, self.strides[d + 2]);
        let start = (at[d] * op.stride[d] + tap[d] * op.dilation[d]) as isize - op.before[d];
        let inside = |i: isize| start + i * step >= 0 && start + i * step < len;
        let count = to.len() as isize;
        let lo = if start >= 0 { 0 } else { (-start + step - 1) / step }.min(count);
        let hi = if start < len { (len - start + step - 1) / step } else { 0 }.clamp(lo, count);
        debug_assert!(lo == hi || (inside(lo) && inside(hi - 1)));
        first[d] = at[d] + lo as usize;
        let source = if lo < hi { self.source(&first, tap) } else { None };
        let Some(source) = source else { return to.fill(0.0) };
        to[..lo as usize].fill(0.0);
        to[hi as usize..].fill(0.0);
        let middle = &mut to[lo as usize..hi as usize];
        let by = step * stride;
        // SAFETY: the whole middle lies inside the image.
        unsafe {
            if by == 1 {
                let from = std::slice::from_raw_parts(image.offset(source), middle.len());
                return middle.copy_from_slice(from);
            }
            for (i, value) in middle.iter_mut().enumerate() {
                *value = *image.offset(source + i as isize * by);
            }
        }
    }
}

impl Windows<'_> {
    /// `pack` for kernels with longer rows than the output, as in gradients of weights: runs go
    /// along the taps.
    fn pack_by_taps(
        &self,
        first: usize,
        count: usize,
        k0: usize,
        kc: usize,
        width: usize,
        dst: &mut [f32],
    ) {
        let out = &self.conv.out.shape[2..];
        let kernel = &self.conv.w.ty.shape[2..];
        let row = *kernel.last().expect("a spatial axis");
        let mut values = [0.0; LONGEST_RUN];
        for (n, panel) in dst.chunks_exact_mut(width * kc).enumerate() {
            let start = first + n * width;
            let lanes = width.min(first + count - start);
            for lane in 0..width {
                if lane >= lanes {
                    panel.iter_mut().skip(lane).step_by(width).for_each(|x| *x = 0.0);
                    continue;
                }
                let (image, position) =
                    ((start + lane) / self.positions, (start + lane) % self.positions);
                let (mut at, mut tap) = ([0; 3], [0; 3]);
                Windows::unravel(out, position, &mut at);
                // SAFETY: every image of the batch lies inside the buffer.
                let image = unsafe { self.data.offset(image as isize * self.strides[0]) };
                let mut p = 0;
                while p < kc {
                    let (channel, t) = ((k0 + p) / self.taps, (k0 + p) % self.taps);
                    Windows::unravel(kernel, t, &mut tap);
                    let run = (row - t % row).min(kc - p).min(LONGEST_RUN);
                    // SAFETY: the channel lies inside the image.
                    unsafe {
                        let channel = image.offset(channel as isize * self.strides[1]);
                        self.tap_run(channel, &at, &tap, &mut values[..run]);
                    }
                    for (i, &value) in values[..run].iter().enumerate() {
                        panel[(p + i) * width + lane] = value;
                    }
                    p += run;
                }
            }
        }
    }

    /// The elements under `to.len()` neighbouring taps at one position.
    unsafe fn tap_run(&self, image: *const f32, at: &[usize; 3], tap: &[usize; 3], to: &mut [f32]) {
        let d = self.conv.op.stride.len() - 1;
        let mut last = *tap;
        last[d] += to.len() - 1;
        let ends = (self.source(at, tap), self.source(at, &last));
        let step = self.conv.op.dilation[d] as isize * self.strides[d + 2];
        if let ((Some(first), Some(_)), 1) = (ends, self.conv.op.spread[d]) {
            for (i, value) in to.iter_mut().enumerate() {
                // SAFETY: both ends lie inside the image, and so does what is between.
                *value = unsafe { *image.offset(first + i as isize * step) };
            }
            return;
        }
        let mut tap = *tap;
        for value in to {
            // SAFETY: `source` gives offsets inside the image.
            *value = self.source(at, &tap).map_or(0.0, |i| unsafe { *image.offset(i) });
            tap[d] += 1;
        }
    }
}

/// Taps that are gathered at a time.
const LONGEST_RUN: usize = 64;

impl Source<f32> for Windows<'_> {
    fn pack(
        &self,
        first: usize,
        count: usize,
        k0: usize,
        kc: usize,
        width: usize,
        dst: &mut [f32],
    ) {
        let out = &self.conv.out.shape[2..];
        let kernel = &self.conv.w.ty.shape[2..];
        let row = *out.last().expect("a spatial axis");
        if *kernel.last().expect("a spatial axis") > row {
            return self.pack_by_taps(first, count, k0, kc, width, dst);
        }
        for (n, panel) in dst.chunks_exact_mut(width * kc).enumerate() {
            let start = first + n * width;
            let lanes = width.min(first + count - start);
            let (mut lane, mut at, mut tap) = (0, [0; 3], [0; 3]);
            // Runs of positions that are neighbours in one row of one image.
            while lane < lanes {
                let (image, position) =
                    ((start + lane) / self.positions, (start + lane) % self.positions);
                Windows::unravel(out, position, &mut at);
                let run = (row - position % row).min(lanes - lane);
                // SAFETY: every image of the batch lies inside the buffer.
                let image = unsafe { self.data.offset(image as isize * self.strides[0]) };
                for p in 0..kc {
                    let (channel, t) = ((k0 + p) / self.taps, (k0 + p) % self.taps);
                    Windows::unravel(kernel, t, &mut tap);
                    let to = &mut panel[p * width + lane..][..run];
                    // SAFETY: the channel lies inside the image.
                    unsafe {
                        let channel = image.offset(channel as isize * self.strides[1]);
                        self.pack_run(channel, &at, &tap, to);
                    }
                }
                lane += run;
            }
            for p in 0..kc {
                panel[p * width + lanes..(p + 1) * width].fill(0.0);
            }
        }
    }
}
