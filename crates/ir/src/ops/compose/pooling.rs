//! Pooling: the maximum or the mean of windows over one, two or three spatial axes. The input is
//! `[N, C, …]` or `[C, …]`.
use super::convolution::{per_axis, signed, span};
use super::prelude::*;

macro_rules! pools {
    ($($(#[$meta:meta])* $name:ident = $kind:ident $dims:literal;)*) => {$(pool! {
        $(#[$meta])* $name $kind $dims
    })*};
}

macro_rules! pool {
    ($(#[$meta:meta])* $name:ident max $dims:literal) => {
        $(#[$meta])*
        pub fn $name(
            g: &Recorder,
            input: Expr,
            kernel_size: Vec<usize>,
            stride: Option<Vec<usize>>,
            #[default(vec![0])] padding: Vec<usize>,
            #[default(vec![1])] dilation: Vec<usize>,
            #[default(false)] ceil_mode: bool,
            #[default(false)] return_indices: bool,
        ) -> Result<Vec<Expr>> {
            let pool = Pool::new(stringify!($name), $dims, input);
            let sizes = Sizes { kernel_size, stride, padding, dilation, ceil_mode };
            pool.max(pool.windows(sizes, lowest(input.dtype()))?, return_indices)
        }
    };
    ($(#[$meta:meta])* $name:ident avg $dims:literal) => {
        $(#[$meta])*
        pub fn $name(
            g: &Recorder,
            input: Expr,
            kernel_size: Vec<usize>,
            stride: Option<Vec<usize>>,
            #[default(vec![0])] padding: Vec<usize>,
            #[default(false)] ceil_mode: bool,
            #[default(true)] count_include_pad: bool,
            divisor_override: Option<i64>,
        ) -> Result<Expr> {
            let pool = Pool::new(stringify!($name), $dims, input);
            let sizes = Sizes { kernel_size, stride, padding, dilation: vec![1], ceil_mode };
            pool.avg(sizes, count_include_pad, divisor_override)
        }
    };
    ($(#[$meta:meta])* $name:ident adaptive_max $dims:literal) => {
        $(#[$meta])*
        pub fn $name(
            g: &Recorder,
            input: Expr,
            output_size: Vec<Option<usize>>,
            #[default(false)] return_indices: bool,
        ) -> Result<Vec<Expr>> {
            let pool = Pool::new(stringify!($name), $dims, input);
            pool.max(pool.adaptive_windows(&output_size)?, return_indices)
        }
    };
    ($(#[$meta:meta])* $name:ident adaptive_avg $dims:literal) => {
        $(#[$meta])*
        pub fn $name(
            g: &Recorder,
            input: Expr,
            output_size: Vec<Option<usize>>,
        ) -> Result<Expr> {
            Pool::new(stringify!($name), $dims, input).adaptive_avg(&output_size)
        }
    };
    ($(#[$meta:meta])* $name:ident lp $dims:literal) => {
        $(#[$meta])*
        pub fn $name(
            g: &Recorder,
            input: Expr,
            norm_type: f64,
            kernel_size: Vec<usize>,
            stride: Option<Vec<usize>>,
            #[default(false)] ceil_mode: bool,
        ) -> Result<Expr> {
            let pool = Pool::new(stringify!($name), $dims, input);
            let (padding, dilation) = (vec![0], vec![1]);
            pool.power(norm_type, Sizes { kernel_size, stride, padding, dilation, ceil_mode })
        }
    };
}

pools! {
    /// Largest element of each window along the last axis. Windows are `stride` apart, by default
    /// their own size. With `return_indices` also its index.
    #[op(
        case = "f32[2, 3, 8], 2",
        case = "f32[2, 7], 3, stride=2, padding=1, return_indices=true"
    )]
    max_pool1d = max 1;
    /// Largest element of each window over the last two axes. Windows are `stride` apart, by
    /// default their own size. With `return_indices` also its position in the flattened plane.
    #[op(
        case = "f32[1, 2, 4, 6], 2",
        case = "f32[2, 7, 5], 3, stride=2, padding=1, ceil_mode=true",
        case = "f32[1, 1, 6, 6], [2, 3], stride=1, dilation=2, return_indices=true"
    )]
    max_pool2d = max 2;
    /// Largest element of each window over the last three axes. Windows are `stride` apart, by
    /// default their own size. With `return_indices` also its position in the flattened volume.
    #[op(case = "f32[1, 2, 4, 4, 4], 2")]
    max_pool3d = max 3;
    /// Mean of each window along the last axis. Windows are `stride` apart, by default their own
    /// size.
    #[op(case = "f32[2, 3, 8], 2", case = "f32[2, 7], 3, stride=2, padding=1, ceil_mode=true")]
    avg_pool1d = avg 1;
    /// Mean of each window over the last two axes. Windows are `stride` apart, by default their
    /// own size. Zeros of the padding count unless `count_include_pad` is false;
    /// `divisor_override` replaces the count.
    #[op(
        case = "f32[1, 2, 4, 6], 2",
        case = "f32[2, 7, 5], 3, stride=2, padding=1, count_include_pad=false",
        case = "f32[1, 1, 4, 4], 2, divisor_override=3"
    )]
    avg_pool2d = avg 2;
    /// Mean of each window over the last three axes, as `avg_pool2d`.
    #[op(case = "f32[1, 2, 4, 4, 4], 2")]
    avg_pool3d = avg 3;
    /// `norm_type`-norm of each window along the last axis.
    #[op(case = "f32[1, 2, 6] in 0.5..2, 2.0, 2")]
    lp_pool1d = lp 1;
    /// `norm_type`-norm of each window over the last two axes.
    #[op(case = "f32[1, 2, 4, 6] in 0.5..2, 2.0, 2", case = "f32[1, 4, 4] in 0.5..2, 3.0, [2, 1]")]
    lp_pool2d = lp 2;
    /// Largest elements of `output_size` windows of nearly equal length, along the last
    /// axis.
    #[op(case = "f32[2, 3, 8], 4", case = "f32[2, 7], 3, return_indices=true")]
    adaptive_max_pool1d = adaptive_max 1;
    /// Largest elements of `output_size` windows of nearly equal size, over the last two
    /// axes; `none` keeps an axis.
    #[op(case = "f32[1, 2, 4, 6], [2, 3]", case = "f32[2, 7, 5], [3, none], return_indices=true")]
    adaptive_max_pool2d = adaptive_max 2;
    /// Largest elements of `output_size` windows of nearly equal size, over the last three
    /// axes; `none` keeps an axis.
    #[op(case = "f32[1, 2, 4, 3, 4], 2")]
    adaptive_max_pool3d = adaptive_max 3;
    /// Means of `output_size` windows of nearly equal length, along the last axis.
    #[op(case = "f32[2, 3, 8], 4", case = "f32[2, 7], 3")]
    adaptive_avg_pool1d = adaptive_avg 1;
    /// Means of `output_size` windows of nearly equal size, over the last two axes; `none`
    /// keeps an axis.
    #[op(case = "f32[1, 2, 4, 6], 1", case = "f32[2, 7, 5], [3, none]")]
    adaptive_avg_pool2d = adaptive_avg 2;
    /// Means of `output_size` windows of nearly equal size, over the last three axes;
    /// `none` keeps an axis.
    #[op(case = "f32[1, 2, 4, 3, 4], [2, 2, none]")]
    adaptive_avg_pool3d = adaptive_avg 3;
}

/// `adaptive_avg_pool` over the axes after the second; errors name `call`.
pub(super) fn adaptive_mean<'g>(
    call: &'static str,
    input: Expr<'g>,
    output_size: &[Option<usize>],
) -> Result<Expr<'g>> {
    Pool::new(call, output_size.len(), input).adaptive_avg(output_size)
}

/// One call of a pooling op.
struct Pool<'g> {
    name: &'static str,
    dims: usize,
    input: Expr<'g>,
}

/// The arguments of a pool with windows of one size.
struct Sizes {
    kernel_size: Vec<usize>,
    stride: Option<Vec<usize>>,
    padding: Vec<usize>,
    dilation: Vec<usize>,
    ceil_mode: bool,
}

/// The windows of one spatial axis: `n` of them, window `o` at `o · step − before`.
struct Axis {
    n: usize,
    size: usize,
    step: usize,
    dilation: usize,
    before: usize,
    /// Elements of padding after the input.
    after: usize,
}

/// Windows as `[…, O…, K…]`, and the data to compute input indices from window indices.
struct Windows<'g> {
    values: Expr<'g>,
    /// For each spatial axis the first position of each window.
    starts: Vec<Expr<'g>>,
    dilation: Vec<usize>,
}

impl<'g> Pool<'g> {
    fn new(name: &'static str, dims: usize, input: Expr<'g>) -> Pool<'g> {
        Pool { name, dims, input }
    }

    /// The number of axes before the spatial ones.
    fn lead(&self) -> Result<usize> {
        let (dims, rank) = (self.dims, self.input.rank());
        if rank != dims + 1 && rank != dims + 2 {
            let what = format!("input has {rank} axes, expected {} or {}", dims + 2, dims + 1);
            return Err(self.input.shape_error(what));
        }
        Ok(rank - dims)
    }

    fn axes(&self, sizes: &Sizes) -> Result<Vec<Axis>> {
        let (lead, shape) = (self.lead()?, self.input.shape());
        let list = |name, list: &[usize]| per_axis(self.name, name, list, self.dims);
        let kernel = list("kernel_size", &sizes.kernel_size)?;
        let stride = match sizes.stride.as_deref() {
            None | Some([]) => kernel.clone(),
            Some(stride) => list("stride", stride)?,
        };
        let padding = list("padding", &sizes.padding)?;
        let dilation = list("dilation", &sizes.dilation)?;
        let axis = |d: usize| {
            let (size, step, before) = (kernel[d], stride[d], padding[d]);
            let numbers = [("kernel_size", size), ("stride", step), ("dilation", dilation[d])];
            let what = if let Some((name, _)) = numbers.iter().find(|(_, n)| *n == 0) {
                format!("{name} is 0, expected 1 or more")
            } else if before > size / 2 {
                format!("padding is {before}, more than half of a kernel of {size}")
            } else {
                let axis = Axis { n: 0, size, step, dilation: dilation[d], before, after: 0 };
                return axis
                    .fitted(shape[lead + d], sizes.ceil_mode)
                    .map_err(|what| self.input.shape_error(format!("spatial axis {d}: {what}")));
            };
            Err(self.input.argument_error(what))
        };
        (0..self.dims).map(axis).collect()
    }

    fn windows(&self, sizes: Sizes, fill: Number) -> Result<Windows<'g>> {
        let (lead, axes) = (self.lead()?, self.axes(&sizes)?);
        let mut pads = vec![(0, 0); lead];
        pads.extend(axes.iter().map(|axis| (axis.before, axis.after)));
        let mut values = self.input.pad_all(&pads, fill);
        for (d, axis) in axes.iter().enumerate() {
            values = windowed(values, lead + d, axis)?;
        }
        let g = values.recorder();
        let starts = axes.iter().map(|axis| axis.starts(g)).collect();
        Ok(Windows { values, starts, dilation: axes.iter().map(|axis| axis.dilation).collect() })
    }

    /// The maximum of each window and, with `return_indices`, its index.
    fn max(&self, windows: Windows<'g>, return_indices: bool) -> Result<Vec<Expr<'g>>> {
        if self.input.dtype() == DType::Bool {
            let error = Error::dtype(self.name, "expected numbers");
            return Err(error.operand("input", &self.input.ty()));
        }
        let shape = windows.values.shape();
        let (outer, kernel) = shape.split_at(shape.len() - self.dims);
        let (axis, len) = (outer.len(), kernel.iter().product::<usize>());
        let flat = windows.values.reshape(&[outer, &[len]].concat());
        let g = flat.recorder();
        let argmax = g.emit(ArgReduce { by: ReduceOp::Max, axis }, &[flat]);
        // The gradient flows to the first maximum only.
        let y = g.emit(Gather { axis }, &[flat, argmax.unsqueeze(axis)]).reshape(outer);
        Ok(match return_indices {
            true => vec![y, self.positions(&windows, kernel, argmax)],
            false => vec![y],
        })
    }

    /// The indices of the maxima in the flattened spatial axes of the input.
    fn positions(&self, windows: &Windows<'g>, kernel: &[usize], argmax: Expr<'g>) -> Expr<'g> {
        let (rank, shape) = (argmax.rank(), self.input.shape());
        let lead = rank - self.dims;
        let whole = |value: usize| argmax.like(value);
        let mut flat = whole(0);
        for d in 0..self.dims {
            let inner: usize = kernel[d + 1..].iter().product();
            let within = argmax.floor_divide(whole(inner)).remainder(whole(kernel[d]));
            let mut along = vec![1; rank];
            along[lead + d] = windows.starts[d].len(0);
            let at = windows.starts[d].reshape(&along) + within * whole(windows.dilation[d]);
            // The argmax is padding only if all elements of the window are −inf.
            flat = flat * whole(shape[lead + d]) + at.maximum(whole(0));
        }
        flat
    }

    fn avg(
        &self,
        sizes: Sizes,
        count_include_pad: bool,
        divisor_override: Option<i64>,
    ) -> Result<Expr<'g>> {
        self.expect_floats()?;
        if divisor_override == Some(0) {
            return Err(self.input.argument_error("divisor_override must not be 0"));
        }
        let (lead, axes) = (self.lead()?, self.axes(&sizes)?);
        let windows = self.windows(sizes, Number::Float(0.0))?;
        let rank = lead + self.dims;
        let sum = windows.values.sum(&(rank..rank + self.dims).collect::<Vec<_>>());
        if let Some(divisor) = divisor_override {
            return Ok(sum * (1.0 / divisor as f64));
        }
        let mut count = 1;
        let mut y = sum;
        for (d, axis) in axes.iter().enumerate() {
            let len = self.input.len(lead + d);
            let is_even =
                axis.before + axis.after == 0 || count_include_pad && axis.after <= axis.before;
            if is_even {
                count *= axis.size;
                continue;
            }
            let mut along = vec![1; rank];
            along[lead + d] = axis.n;
            let counts = axis.counts(sum.recorder(), len, count_include_pad);
            y = y / counts.cast(sum.dtype()).reshape(&along);
        }
        Ok(if count == 1 { y } else { y * (1.0 / count as f64) })
    }

    fn power(&self, norm: f64, sizes: Sizes) -> Result<Expr<'g>> {
        self.expect_floats()?;
        if norm.is_nan() || norm <= 0.0 {
            return Err(self
                .input
                .argument_error(format!("norm_type is {norm}, expected above 0")));
        }
        let windows = self.windows(sizes, Number::Float(0.0))?;
        let (g, rank) = (self.input.recorder(), self.input.rank());
        let dtype = self.input.dtype();
        let (power, root) = (g.number(norm.into(), dtype), g.number((1.0 / norm).into(), dtype));
        let sum = windows.values.pow(power).sum(&(rank..rank + self.dims).collect::<Vec<_>>());
        Ok(sum.relu().pow(root))
    }

    /// The lengths of the spatial axes of the result.
    fn output_size(&self, output_size: &[Option<usize>]) -> Result<Vec<usize>> {
        let (lead, shape) = (self.lead()?, self.input.shape());
        let wanted = per_axis(self.name, "output_size", output_size, self.dims)?;
        if shape[lead..].contains(&0) {
            return Err(self.input.shape_error("the spatial axes must not be empty"));
        }
        let lens = wanted.iter().zip(&shape[lead..]).map(|(wanted, &len)| wanted.unwrap_or(len));
        let lens: Vec<usize> = lens.collect();
        match lens.iter().find(|&&len| len > i32::MAX as usize) {
            Some(len) => Err(self.input.argument_error(format!("output_size {len} is too large"))),
            None => Ok(lens),
        }
    }

    fn adaptive_windows(&self, output_size: &[Option<usize>]) -> Result<Windows<'g>> {
        let (lead, wanted) = (self.lead()?, self.output_size(output_size)?);
        let mut windows =
            Windows { values: self.input, starts: Vec::new(), dilation: vec![1; self.dims] };
        for (d, &n) in wanted.iter().enumerate() {
            let (x, axis) = (windows.values, lead + d);
            let (g, len) = (x.recorder(), x.len(axis));
            let (start, end) = bounds(g, len, n);
            windows.starts.push(start);
            windows.values = if n > 0 && len.is_multiple_of(n) {
                let size = len / n;
                windowed(x, axis, &Axis { n, size, step: size, dilation: 1, before: 0, after: 0 })?
            } else {
                uneven_windows(x, axis, (start, end), lowest(x.dtype()))?
            };
        }
        Ok(windows)
    }

    fn adaptive_avg(&self, output_size: &[Option<usize>]) -> Result<Expr<'g>> {
        self.expect_floats()?;
        let (lead, wanted) = (self.lead()?, self.output_size(output_size)?);
        let mut y = self.input;
        let (mut shape, mut even) = (y.shape(), Vec::new());
        for (d, &n) in wanted.iter().enumerate() {
            let (axis, len) = (lead + d, y.len(lead + d));
            if n > 0 && len.is_multiple_of(n) {
                even.push((axis, n, len / n));
            } else {
                let (start, end) = bounds(y.recorder(), len, n);
                // Masked instead of multiplied by zero, since elements outside a window may be
                // infinite.
                let windows = uneven_windows(y, axis, (start, end), Number::Float(0.0))?;
                let mut along = vec![1; y.rank()];
                along[axis] = n;
                y = windows.sum(&[y.rank()]) / (end - start).cast(y.dtype()).reshape(&along);
            }
            shape[axis] = n;
        }
        // Axes that divide evenly are split into windows by one reshape each, the last axis first.
        let (mut axes, mut count) = (Vec::new(), 1);
        for &(axis, n, size) in even.iter().rev().filter(|&&(_, _, size)| size > 1) {
            let mut cut = y.shape().with(axis, n);
            cut.insert(axis + 1, size);
            y = y.reshape(&cut);
            axes.iter_mut().for_each(|later| *later += 1);
            axes.insert(0, axis + 1);
            count *= size;
        }
        let y = if count == 1 { y } else { y.sum(&axes) * (1.0 / count as f64) };
        Ok(y.reshape(&shape))
    }

    fn expect_floats(&self) -> Result<()> {
        match self.input.dtype().is_float() {
            true => Ok(()),
            false => Err(Error::dtype(self.name, "expected floats")
                .operand("input", &self.input.ty())
                .help("convert it: input.to('f32')")),
        }
    }
}

impl Axis {
    /// Computes the number of windows on an axis of `len`, and the padding they need after it.
    fn fitted(mut self, len: usize, ceil_mode: bool) -> std::result::Result<Axis, String> {
        let (len, before, step) = (signed(len), signed(self.before), signed(self.step));
        let reach = span(self.dilation, self.size - 1) + 1;
        let span_left = len + 2 * before - reach;
        if len == 0 || span_left < 0 {
            let padded = len + 2 * before;
            return Err(format!("a window of {reach} does not fit into {padded} elements"));
        }
        let up = if ceil_mode { step - 1 } else { 0 };
        let mut n = (span_left + up) / step + 1;
        // The last window must start inside the input or the padding before it.
        if ceil_mode && (n - 1) * step >= len + before {
            n -= 1;
        }
        self.n = n as usize;
        self.after = ((n - 1) * step + reach - len - before).max(0) as usize;
        Ok(self)
    }

    fn starts<'g>(&self, g: &'g Recorder) -> Expr<'g> {
        let at = g.iota(self.n, DType::I64);
        at * at.like(self.step) - at.like(self.before)
    }

    /// Number of elements of each window that the mean counts, on an axis of `len`.
    fn counts<'g>(&self, g: &'g Recorder, len: usize, count_include_pad: bool) -> Expr<'g> {
        let start = self.starts(g);
        let (first, last) = match count_include_pad {
            true => (start, len + self.before),
            false => (start.maximum(start.like(0)), len),
        };
        (start + start.like(self.size)).minimum(start.like(last)) - first
    }
}

/// Start and end of each of `n` windows of nearly equal length that cover an axis of `len`.
fn bounds(g: &Recorder, len: usize, n: usize) -> (Expr<'_>, Expr<'_>) {
    let at = g.iota(n, DType::I64);
    let (len, n) = (at.like(len), at.like(n));
    let start = (at * len).floor_divide(n);
    let end = ((at + at.like(1)) * len + n - at.like(1)).floor_divide(n);
    (start, end)
}

/// The windows of one axis, as a new last axis.
fn windowed<'g>(x: Expr<'g>, axis: usize, how: &Axis) -> Result<Expr<'g>> {
    let &Axis { size, step, dilation, .. } = how;
    x.recorder().push(Window { axis, size, step, dilation }, &[x])
}

/// Windows of different lengths, padded with `fill` to that of the longest.
fn uneven_windows<'g>(
    x: Expr<'g>,
    axis: usize,
    (start, end): (Expr<'g>, Expr<'g>),
    fill: Number,
) -> Result<Expr<'g>> {
    let (g, len, n) = (x.recorder(), x.len(axis), start.len(0));
    // Window o begins at the fraction (o·len mod n) / n, a multiple of gcd(len, n) / n.
    let longest = if n == 0 { 1 } else { (n - gcd(len, n) + len).div_ceil(n) };
    let at = start.unsqueeze(1) + g.iota(longest, DType::I64);
    let is_inside = at.lt(end.unsqueeze(1));
    let mut along = vec![1; x.rank()];
    along[axis] = n * longest;
    let index = at.minimum(at.like(len - 1)).reshape(&along);
    let index = index.expand(&x.shape().with(axis, n * longest));
    let found = g.push(Gather { axis }, &[x, index])?;
    let is_inside = is_inside.reshape(&along).expand(&found.shape());
    let found = is_inside.choose(found, found.like(fill));
    let mut split = found.shape().with(axis, n);
    split.insert(axis + 1, longest);
    Ok(found.reshape(&split).move_axis(axis + 1, x.rank()))
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The identity of the maximum.
fn lowest(dtype: DType) -> Number {
    match dtype.is_float() {
        true => Number::Float(f64::NEG_INFINITY),
        false => Number::Int(dtype.int_range().0),
    }
}

entries![
    max_pool1d,
    max_pool2d,
    max_pool3d,
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
    lp_pool1d,
    lp_pool2d,
    adaptive_max_pool1d,
    adaptive_max_pool2d,
    adaptive_max_pool3d,
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
];
