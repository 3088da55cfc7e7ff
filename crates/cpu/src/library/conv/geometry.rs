//! A convolution as three strided spatial axes, split into dense phases: if the input is dilated
//! (`spread > 1`), the outputs of one residue class use the same taps, and each class is a
//! convolution without holes.
use brasa_compile::kernel::Operand;
use brasa_ir::Type;
use brasa_ir::ops::Conv as Attributes;

/// Number of spatial axes; missing ones have length one.
pub(super) const AXES: usize = 3;

/// One spatial axis. Tap `t` of output `i` reads coordinate `i · stride + t · dilation - before` of
/// an input whose elements are `spread` coordinates apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    pub len: usize,
    pub taps: usize,
    pub out: usize,
    pub stride: usize,
    pub dilation: usize,
    pub before: isize,
    pub spread: usize,
    /// Strides of the axis in the input and in the weights, in elements.
    pub x: isize,
    pub w: isize,
}

/// Sizes and memory layout of a convolution. Strides count elements.
#[derive(Clone, Debug)]
pub(super) struct Geometry {
    pub batch: usize,
    pub groups: usize,
    /// Input and output channels per group.
    pub channels: usize,
    pub outputs: usize,
    pub axes: [Axis; AXES],
    pub x: OperandLayout,
    pub w: OperandLayout,
}

/// Memory layout of an operand: `outer` is the stride of its first axis, `channel` of its second.
#[derive(Clone, Copy, Debug)]
pub(super) struct OperandLayout {
    pub read: usize,
    pub offset: isize,
    pub outer: isize,
    pub channel: isize,
    /// Number of elements of the buffer that may be read.
    pub reach: usize,
}

impl Geometry {
    /// `None` if an operand is not strided or if there are more than three spatial axes.
    pub fn new(op: &Attributes, operands: &[Operand], out: &Type) -> Option<Geometry> {
        let (x, w) = (&operands[0], &operands[1]);
        let dims = op.stride.len();
        if dims > AXES {
            return None;
        }
        let (x_axes, w_axes) = (&x.view.affine()?.axes, &w.view.affine()?.axes);
        let axis = |n: usize| match (n + dims).checked_sub(AXES) {
            Some(d) => Axis {
                len: x_axes[d + 2].len,
                taps: w_axes[d + 2].len,
                out: out.shape[d + 2],
                stride: op.stride[d],
                dilation: op.dilation[d],
                before: op.before[d],
                spread: op.spread[d],
                x: x_axes[d + 2].stride,
                w: w_axes[d + 2].stride,
            },
            None => {
                let (stride, dilation, spread) = (1, 1, 1);
                Axis { len: 1, taps: 1, out: 1, stride, dilation, before: 0, spread, x: 0, w: 0 }
            }
        };
        Some(Geometry {
            batch: out.shape[0],
            groups: op.groups,
            channels: w.ty.shape[1],
            outputs: out.shape[1] / op.groups,
            axes: std::array::from_fn(axis),
            x: OperandLayout::new(x)?,
            w: OperandLayout::new(w)?,
        })
    }

    /// Number of positions of the window.
    pub fn positions(&self) -> usize {
        self.axes.iter().map(|axis| axis.out).product()
    }

    /// Number of elements of the window in one channel.
    pub fn taps(&self) -> usize {
        self.axes.iter().map(|axis| axis.taps).product()
    }

    pub fn flops(&self) -> usize {
        let outputs = self.batch * self.groups * self.outputs * self.positions();
        2 * outputs * self.channels * self.taps()
    }

    /// The offset of a group of an image in the input.
    pub fn image(&self, image: usize, group: usize) -> isize {
        let channel = (group * self.channels) as isize;
        self.x.offset + image as isize * self.x.outer + channel * self.x.channel
    }

    /// Whether every tap of every output reads an element: no padding, no input dilation.
    pub fn is_dense(&self) -> bool {
        self.axes.iter().all(|axis| {
            let last = (axis.out - 1) * axis.stride + (axis.taps - 1) * axis.dilation;
            let last = last as isize - axis.before;
            axis.spread == 1 && axis.before <= 0 && last < axis.len as isize
        })
    }
}

impl OperandLayout {
    fn new(operand: &Operand) -> Option<OperandLayout> {
        let layer = operand.view.affine()?;
        Some(OperandLayout {
            read: operand.read,
            offset: layer.offset,
            outer: layer.axes[0].stride,
            channel: layer.axes[1].stride,
            reach: super::super::reach(&operand.view),
        })
    }
}

/// Outputs `first`, `first + step`, … of an axis. For each tap `(tap, at)`, the `i`-th of them
/// reads input element `i · advance + at`, or padding.
#[derive(Clone, Debug)]
pub(super) struct Phase {
    pub first: usize,
    pub step: usize,
    pub count: usize,
    pub advance: usize,
    pub taps: Vec<(usize, isize)>,
}

impl Axis {
    /// The phases of the axis: one if the input is not dilated.
    pub fn phases(&self) -> Vec<Phase> {
        let common = gcd(self.stride, self.spread);
        let (step, advance) = (self.spread / common, self.stride / common);
        let phase = |first: usize| {
            let count = (self.out - first).div_ceil(step);
            let furthest = ((count - 1) * advance) as isize;
            let tap = |tap: usize| {
                let coordinate = (first * self.stride + tap * self.dilation) as isize - self.before;
                let at = coordinate.div_euclid(self.spread as isize);
                let hits = coordinate.rem_euclid(self.spread as isize) == 0;
                let is_read = hits && at < self.len as isize && at + furthest >= 0;
                is_read.then_some((tap, at))
            };
            Phase { first, step, count, advance, taps: (0..self.taps).filter_map(tap).collect() }
        };
        (0..step.min(self.out)).map(phase).collect()
    }
}

impl Phase {
    /// The lowest and the highest offset `at` of a tap.
    pub fn tap_range(&self) -> (isize, isize) {
        let offsets = self.taps.iter().map(|&(_, at)| at);
        (offsets.clone().min().unwrap_or(0), offsets.max().unwrap_or(0))
    }

    /// Whether no output of the phase reads padding.
    pub fn is_inside(&self, len: usize) -> bool {
        let (low, high) = self.tap_range();
        let furthest = high + ((self.count - 1) * self.advance) as isize;
        low >= 0 && furthest < len as isize
    }
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}
