//! `Conv`: convolution over any number of spatial axes, general enough that both of its gradients
//! are convolutions again. A library kernel on every device: a contraction whose tiles are loaded
//! through windows.
use super::{Class, OpDef, Vjp, primitive};
use crate::array::Array;
use crate::error::{Error, Result};
use crate::recorder::Expr;
use crate::shape::{Shape, Type};

primitive! {
    /// `x [N, G·C, S…]` by `w [G·O, C, K…]` is `[N, G·O, S′…]`. All but `groups` have one entry
    /// per spatial axis. `spread` is the input dilation, as in transposed convolutions: the
    /// positions between elements are not part of the sums. Padding may be negative. Its zeros are
    /// part of the sums, so that an infinite weight gives NaN there, as in PyTorch.
    pub struct Conv {
        stride: Vec<usize>,
        before: Vec<isize>,
        after: Vec<isize>,
        dilation: Vec<usize>,
        spread: Vec<usize>,
        groups: usize,
    }
}

impl Conv {
    /// The number of positions of a window on spatial axis `d`.
    fn positions(&self, d: usize, len: usize, size: usize) -> Option<usize> {
        // Wide enough for any number that a user may pass.
        let wide = |n: usize| n as i128;
        let spread = if len == 0 { 0 } else { wide(len - 1) * wide(self.spread[d]) + 1 };
        let padded = spread + self.before[d] as i128 + self.after[d] as i128;
        let reach = wide(self.dilation[d]) * wide(size.checked_sub(1)?) + 1;
        // A distance that exceeds 64 bits counts as no position.
        let distance = u64::try_from(padded - reach).ok()?;
        usize::try_from(distance / self.stride[d] as u64).ok()?.checked_add(1)
    }

    fn dims(&self) -> usize {
        self.stride.len()
    }
}

impl Conv {
    /// Two per window element that lies on an element of the input and not on padding, so that a
    /// convolution and its gradients cost the same.
    fn flops_of(&self, x: &Type, w: &Type, out: &Type) -> usize {
        let hits = |d: usize| -> usize {
            let (len, taps, positions) = (x.shape[d + 2], w.shape[d + 2], out.shape[d + 2]);
            let is_hit = |at: usize, tap: usize| {
                let place =
                    (at * self.stride[d] + tap * self.dilation[d]) as isize - self.before[d];
                let place = usize::try_from(place).unwrap_or(usize::MAX);
                place % self.spread[d] == 0 && place / self.spread[d] < len
            };
            (0..positions).map(|at| (0..taps).filter(|&tap| is_hit(at, tap)).count()).sum()
        };
        let spatial: usize = (0..self.stride.len()).map(hits).product();
        2 * out.shape[0] * w.shape[0] * w.shape[1] * spatial
    }
}

impl OpDef for Conv {
    fn class(&self) -> Class {
        Class::Library
    }

    fn arity(&self) -> Option<usize> {
        Some(2)
    }

    fn flops(&self, inputs: &[&Type], out: &Type) -> usize {
        self.flops_of(inputs[0], inputs[1], out)
    }

    fn infer(&self, inputs: &[&Type]) -> Result<Type> {
        let [x, w] = [inputs[0], inputs[1]];
        let fail =
            |what: String| Error::shape("conv", what).operand("input", x).operand("weight", w);
        let dims = self.dims();
        if x.rank() != dims + 2 || w.rank() != dims + 2 {
            return Err(fail(format!("input and weight must have {} axes", dims + 2)));
        }
        let lists = [&self.dilation, &self.spread, &self.stride];
        let lists_fit = lists.iter().all(|l| l.len() == dims && !l.contains(&0));
        if !lists_fit || self.before.len() != dims || self.after.len() != dims || self.groups == 0 {
            return Err(fail("stride, dilation and groups must be positive".to_string()));
        }
        let (channels, per_group) = (x.shape[1], w.shape[1]);
        if Some(channels) != per_group.checked_mul(self.groups) {
            let groups = self.groups;
            let what = format!("input has {channels} channels, the weight {per_group}");
            let what =
                if groups == 1 { what } else { format!("{what} in each of {groups} groups") };
            return Err(fail(what));
        }
        if w.shape[0] % self.groups != 0 {
            let what = format!("{} outputs do not divide into {} groups", w.shape[0], self.groups);
            return Err(fail(what));
        }
        if x.dtype != w.dtype || !x.dtype.is_float() {
            let error = Error::dtype("conv", "input and weight must be floats of one dtype");
            return Err(error.operand("input", x).operand("weight", w));
        }
        let mut shape = Shape::from([x.shape[0], w.shape[0]]);
        for d in 0..dims {
            let (len, size) = (x.shape[d + 2], w.shape[d + 2]);
            match self.positions(d, len, size) {
                Some(n) => shape.push(n),
                None => {
                    let what = "the kernel is larger than the padded input";
                    return Err(fail(format!("{what} on spatial axis {d}")));
                }
            }
        }
        Ok(Type::new(x.dtype, shape))
    }

    fn grad<'g>(&self, v: &Vjp<'g>) -> Vec<Option<Expr<'g>>> {
        let (x, w) = (v.inputs[0], v.inputs[1]);
        if x.elements() == 0 {
            // Only padding was convolved, and a convolution cannot return an empty tensor.
            return vec![v.when(0, || x.zeros_like()), v.when(1, || w.zeros_like())];
        }
        vec![
            v.when(0, || self.input_gradient(v, x, w)),
            v.when(1, || self.weight_gradient(v, x, w)),
        ]
    }

    fn eval(&self, inputs: &[&Array], out: &Type) -> Result<Array> {
        let [x, w] = [inputs[0], inputs[1]];
        let (xs, ws) = (x.shape().strides(), w.shape().strides());
        let (per_group, outputs) = (w.shape()[1], w.shape()[0] / self.groups);
        let kernel: Shape = w.shape()[2..].iter().copied().collect();
        let kernel_indices: Vec<Vec<usize>> = kernel.indices().collect();
        let (xd, wd) = (x.to_f64(), w.to_f64());
        // The input index on axis `d` of kernel element `k` at position `at`; none between
        // elements.
        let input_index = |d: usize, at: usize, k: usize| -> Option<isize> {
            let i = (at * self.stride[d] + k * self.dilation[d]) as isize - self.before[d];
            let spread = self.spread[d] as isize;
            (i % spread == 0).then_some(i / spread)
        };
        // The input offset that kernel element `k` reads at position `at`: `Some(None)` is
        // padding, `None` is between elements.
        let source = |at: &[usize], k: &[usize]| -> Option<Option<usize>> {
            let mut offset = Some(0);
            for d in 0..self.dims() {
                let i = usize::try_from(input_index(d, at[d], k[d])?).ok();
                let inside = i.filter(|&i| i < x.shape()[d + 2]);
                offset = offset.zip(inside).map(|(offset, i)| offset + i * xs[d + 2]);
            }
            Some(offset)
        };
        let value = |i: Vec<usize>| {
            let (n, o, at) = (i[0], i[1], &i[2..]);
            let first = o / outputs * per_group;
            let mut sum = 0.0;
            for (flat, k) in kernel_indices.iter().enumerate() {
                let Some(offset) = source(at, k) else { continue };
                for c in 0..per_group {
                    let element = |offset: usize| xd[n * xs[0] + (first + c) * xs[1] + offset];
                    sum += offset.map_or(0.0, element) * wd[o * ws[0] + c * ws[1] + flat];
                }
            }
            sum
        };
        Ok(Array::from_f64(out, out.shape.indices().map(value)))
    }
}

impl Conv {
    /// dx: dy, dilated by the stride, convolved with the flipped kernel, whose inputs and outputs
    /// are swapped.
    fn input_gradient<'g>(&self, v: &Vjp<'g>, x: Expr<'g>, w: Expr<'g>) -> Expr<'g> {
        let (groups, dims) = (self.groups, self.dims());
        let (xs, ws, ys) = (x.shape(), w.shape(), v.dy.shape());
        let (outputs, inputs) = (ws[0] / groups, ws[1]);
        let swapped = w
            .reshape(&[&[groups, outputs, inputs], &ws[2..]].concat())
            .swap(1, 2)
            .reshape(&[&[groups * inputs, outputs], &ws[2..]].concat())
            .flip(&(2..dims + 2).collect::<Vec<_>>());
        let mut conv =
            Conv { stride: self.spread.clone(), spread: self.stride.clone(), ..self.clone() };
        for d in 0..dims {
            let reach = (self.dilation[d] * (ws[d + 2] - 1)) as isize;
            conv.before[d] = reach - self.before[d];
            // Makes the result exactly as long as the input.
            let wanted = (xs[d + 2] as isize - 1) * self.spread[d] as isize + 1;
            let spread = (ys[d + 2] as isize - 1) * self.stride[d] as isize + 1;
            conv.after[d] = wanted - spread - conv.before[d] + reach;
        }
        v.g.emit(conv, &[v.dy, swapped])
    }

    /// dw: the input convolved with dy, with batch and channels swapped.
    fn weight_gradient<'g>(&self, v: &Vjp<'g>, x: Expr<'g>, w: Expr<'g>) -> Expr<'g> {
        let (groups, dims) = (self.groups, self.dims());
        let (xs, ws, ys) = (x.shape(), w.shape(), v.dy.shape());
        let (batch, outputs, inputs) = (xs[0], ws[0] / groups, ws[1]);
        // x [N, G·C, S…] → [C, G·N, S…]; dy [N, G·O, S′…] → [G·O, N, S′…]
        let x = x
            .reshape(&[&[batch, groups, inputs], &xs[2..]].concat())
            .swap(0, 2)
            .reshape(&[&[inputs, groups * batch], &xs[2..]].concat());
        let dy = v.dy.swap(0, 1);
        let mut conv =
            Conv { stride: self.dilation.clone(), dilation: self.stride.clone(), ..self.clone() };
        for d in 0..dims {
            // Makes the result exactly as long as the kernel.
            let reach = (ys[d + 2] as isize - 1) * self.stride[d] as isize + 1;
            let wanted = reach + (ws[d + 2] as isize - 1) * self.dilation[d] as isize;
            let spread = (xs[d + 2] as isize - 1) * self.spread[d] as isize + 1;
            conv.after[d] = wanted - spread - self.before[d];
        }
        let dw = v.g.emit(conv, &[x, dy]);
        debug_assert_eq!(dw.shape()[1], groups * outputs);
        dw.swap(0, 1)
    }
}
