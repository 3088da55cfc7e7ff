//! Library ops with pointwise ops before and after them.
use super::{BOUND, GraphBuilder, fit};
use brasa_ir::ops::{Conv, Scan, ScanOp, ScatterOp, Sort};
use brasa_ir::{DType, Expr};

/// Maximum number of multiplications of a matrix product.
const MAX_MULTIPLICATIONS: usize = 1 << 21;

/// The sizes of a convolution.
struct Windows {
    batch: usize,
    groups: usize,
    channels: usize,
    outputs: usize,
    lengths: Vec<usize>,
    sizes: Vec<usize>,
    /// Whether stride and dilation are one.
    is_plain: bool,
}

impl<'g> GraphBuilder<'g> {
    pub(super) fn library(&mut self) {
        let rank = self.random.within(1, 4);
        let shape = self.random.shape(rank, self.most);
        self.input(&shape);
        for _ in 0..self.random.within(1, 6) {
            let (x, bound) = self.any();
            let (y, bound) = match self.random.below(9) {
                0..3 => self.product(x, bound),
                3 => self.convolution(x, bound),
                4 => self.indexed(x, bound),
                5 => self.scanned(x, bound),
                6 => self.sorted(x, bound),
                _ => self.pointwise(x, bound),
            };
            self.keep(y, bound);
        }
    }

    /// Few rows, so long that devices split them.
    pub(super) fn long_lines(&mut self) {
        let len = self.random.pick(&[1025, 4097, 32_769, 65_537]);
        self.most = len;
        let lines = self.random.within(1, 3);
        let shape = self.random.pick(&[[lines, len], [len, lines]]);
        self.input(&shape);
        for _ in 0..self.random.within(1, 3) {
            let (x, bound) = self.any();
            let (y, bound) = match self.random.below(6) {
                0 => self.reduced(x, bound),
                1 => self.arg_reduced(x),
                2 => self.indexed(x, bound),
                3 => self.scanned(x, bound),
                4 => self.sorted(x, bound),
                _ => self.pointwise(x, bound),
            };
            self.keep(y, bound);
        }
    }

    /// Rows, columns and inner length of a product of limited size.
    fn product_lengths(&mut self) -> [usize; 3] {
        let mut lengths: [usize; 3] = [0; 3].map(|_| self.random.length(257));
        // Whole tiles, enough to occupy a whole device.
        if self.random.one_in(12) {
            lengths = self.random.pick(&[[512, 256, 16], [256, 512, 15]]);
        }
        // Sometimes one length is large and stays so.
        let long = self.random.below(12);
        if let Some(len) = lengths.get_mut(long) {
            *len = self.random.pick(&[511, 513, 1000, 1025, 2049, 4097]);
        }
        while lengths.iter().product::<usize>() > MAX_MULTIPLICATIONS {
            let n = self.random.below(3);
            if n != long {
                lengths[n] = lengths[n].div_ceil(2);
            }
        }
        lengths
    }

    /// A matrix product of limited size, sometimes of views, with pointwise ops before and after
    /// it.
    pub(super) fn product(&mut self, x: Expr<'g>, bound: f64) -> (Expr<'g>, f64) {
        let [m, n, k] = self.product_lengths();
        let batch: Vec<usize> = match self.random.below(4) {
            0 if m * n * k < 200_000 => vec![self.random.within(1, 5)],
            1 if m * n * k < 100_000 => vec![self.random.within(1, 3), self.random.within(1, 3)],
            _ => Vec::new(),
        };
        let mut shapes = [[m, k], [k, n]].map(|matrix| [&batch[..], &matrix].concat());
        let is_transposed = [self.random.one_in(3), self.random.one_in(3)];
        let last = batch.len() + 1;
        for (shape, is_transposed) in shapes.iter_mut().zip(is_transposed) {
            if is_transposed {
                shape.swap(last - 1, last);
            }
        }
        let a = fit(x, &shapes[0]);
        let b = match self.random.one_in(2) {
            true => self.input(&shapes[1]),
            false => fit(self.any().0, &shapes[1]),
        };
        let [a, b] = [(a, is_transposed[0]), (b, is_transposed[1])]
            .map(|(x, is_transposed)| if is_transposed { x.transposed() } else { x });
        let a = if self.random.one_in(3) { a * 0.5 + 0.25 } else { a };
        let is_integer = self.random.one_in(6);
        let y = match is_integer {
            true => {
                let dtype = self.random.pick(&[DType::I32, DType::I64, DType::I8]);
                let [a, b] = [a, b].map(|x| (x * 3.0).cast(dtype));
                a.contract(b).cast(self.float) * (1.0 / 9.0)
            }
            false => a.contract(b),
        };
        let bound = bound.max(BOUND) * BOUND * k as f64;
        let y = y * (BOUND / bound);
        let bias = if self.random.one_in(2) { Some(self.bias(n)) } else { None };
        let y = bias.map_or(y, |bias| y + bias.expand(&y.shape()));
        let y = if self.random.one_in(2) { y.relu() } else { y };
        // As in a norm: rows minus their mean, of a value that has another reader.
        if self.random.one_in(6) {
            let y = self.keep(y, 2.0 * BOUND);
            let mean = y.mean_keep(&[y.rank() - 1]);
            return (y - mean.expand(&y.shape()), 2.0 * BOUND);
        }
        (y, 2.0 * BOUND)
    }

    /// A bias for the columns of a product, sometimes permuted, so that its epilogue must split
    /// rows.
    fn bias(&mut self, n: usize) -> Expr<'g> {
        let pieces = self.random.pick(&[1, 2, 16, 32]);
        if pieces == 1 || !n.is_multiple_of(pieces) {
            return self.input(&[n]);
        }
        self.input(&[pieces, n / pieces]).transposed().reshape(&[n])
    }

    pub(super) fn convolution(&mut self, x: Expr<'g>, bound: f64) -> (Expr<'g>, f64) {
        let size = if self.random.one_in(6) { self.layer() } else { self.windows() };
        self.convolve(x, bound, size)
    }

    /// A typical layer of image networks: kernels of 3 × 3 and stride 1. The number of 2 × 2
    /// patches is around the threshold of the Winograd path.
    fn layer(&mut self) -> Windows {
        let len: usize = self.random.pick(&[8, 12, 16, 17, 24, 33]);
        let patches = self.random.pick(&[300, 512, 520]);
        let batch = patches / (len / 2).pow(2) + 1;
        let [channels, outputs] = [0; 2].map(|_| self.random.pick(&[3, 15, 16, 17, 24]));
        Windows {
            batch,
            groups: 1,
            channels,
            outputs,
            lengths: vec![len; 2],
            sizes: vec![3; 2],
            is_plain: true,
        }
    }

    /// Small convolutions with all kinds of attributes.
    fn windows(&mut self) -> Windows {
        let dims = self.random.within(1, 2);
        let groups = self.random.pick(&[1, 1, 1, 2, 4]);
        let channels = self.random.pick(&[1, 2, 3, 4, 8, 16]);
        let outputs = self.random.pick(&[1, 2, 4, 8, 15, 16, 17, 32]);
        let mut batch = self.random.within(1, 4);
        let sizes: Vec<usize> = (0..dims).map(|_| self.random.pick(&[1, 1, 2, 3, 3, 5])).collect();
        let most = if dims == 1 { 200 } else { 20 };
        let lengths: Vec<usize> = (0..dims).map(|_| self.random.within(3, most)).collect();
        let steps = |batch: usize| {
            let places: usize = lengths.iter().product::<usize>() * batch;
            places * groups * outputs * channels * sizes.iter().product::<usize>()
        };
        while batch > 1 && steps(batch) > 2_000_000 {
            batch -= 1;
        }
        let channels = if steps(batch) > 4_000_000 { 1 } else { channels };
        Windows { batch, groups, channels, outputs, lengths, sizes, is_plain: false }
    }

    fn convolve(&mut self, x: Expr<'g>, bound: f64, windows: Windows) -> (Expr<'g>, f64) {
        let Windows { batch, groups, channels, outputs, lengths, sizes, is_plain } = windows;
        let dims = lengths.len();
        let x = fit(x, &[&[batch, groups * channels], &lengths[..]].concat());
        let w = self.input(&[&[groups * outputs, channels], &sizes[..]].concat());
        let mut conv = Conv {
            stride: Vec::new(),
            before: Vec::new(),
            after: Vec::new(),
            dilation: Vec::new(),
            spread: vec![1; dims],
            groups,
        };
        for d in 0..dims {
            let dilation = if is_plain { 1 } else { self.random.pick(&[1, 1, 1, 2]) };
            let reach = (sizes[d] - 1) * dilation + 1;
            let missing = reach.saturating_sub(lengths[d]) as isize;
            conv.stride.push(if is_plain { 1 } else { self.random.pick(&[1, 1, 2, 3]) });
            conv.dilation.push(dilation);
            conv.before.push(self.random.below(sizes[d]) as isize + missing);
            conv.after.push(self.random.below(sizes[d]) as isize);
        }
        let count = channels * sizes.iter().product::<usize>();
        let y = self.g.emit(conv, &[x, w]) * (1.0 / count as f64);
        let bound = bound * BOUND;
        match self.random.below(3) {
            0 => (y.relu(), bound),
            1 => (y + 1.0, bound + 1.0),
            _ => (y, bound),
        }
    }

    /// Indices into an axis in shuffled order, with repetitions.
    pub(super) fn index(&mut self, x: Expr<'g>, axis: usize) -> Expr<'g> {
        let len =
            self.random.length((self.most.max(64) * x.len(axis) / x.elements().max(1)).max(1));
        let shape = x.shape().with(axis, len);
        let count = self.g.iota(shape.elements(), DType::I64);
        let mixed = count * self.random.within(1, 7) as f64 + self.random.below(5) as f64;
        let dtype = self.random.pick(&[DType::I64, DType::I32]);
        mixed.remainder(count.like(x.len(axis))).reshape(&shape).cast(dtype)
    }

    pub(super) fn indexed(&mut self, x: Expr<'g>, bound: f64) -> (Expr<'g>, f64) {
        let x = if x.rank() == 0 { x.reshape(&[1]) } else { x };
        let axis = self.random.below(x.rank());
        let index = self.index(x, axis);
        if self.random.one_in(2) {
            return (x.gather(axis, index), bound);
        }
        let (other, other_bound) = self.any();
        let src = fit(other, &index.shape());
        let by = self.random.pick(&[
            ScatterOp::Set,
            ScatterOp::Add,
            ScatterOp::Add,
            ScatterOp::Max,
            ScatterOp::Min,
        ]);
        let times = index.len(axis) as f64;
        (x.scatter(axis, index, src, by), bound + other_bound * times)
    }

    pub(super) fn scanned(&mut self, x: Expr<'g>, bound: f64) -> (Expr<'g>, f64) {
        let x = if x.rank() == 0 { x.reshape(&[1]) } else { x };
        let axis = self.random.below(x.rank());
        let by = self.random.pick(&[ScanOp::Sum, ScanOp::Linear, ScanOp::Max, ScanOp::Min]);
        let scan = Scan { by, axis, reverse: self.random.one_in(2) };
        let y = match by {
            ScanOp::Linear => {
                let other = fit(self.any().0, &x.shape());
                self.g.emit(scan, &[other * (0.9 / BOUND), x])
            }
            _ => self.g.emit(scan, &[x]),
        };
        (y, bound * if by == ScanOp::Sum { x.len(axis) as f64 } else { 10.0 })
    }

    pub(super) fn sorted(&mut self, x: Expr<'g>, bound: f64) -> (Expr<'g>, f64) {
        let x = if x.rank() == 0 { x.reshape(&[1]) } else { x };
        let axis = self.random.below(x.rank());
        let keep = if self.random.one_in(2) { x.len(axis) } else { x.len(axis).div_ceil(3) };
        let descending = self.random.one_in(2);
        let order = self.g.emit(Sort { axis, descending, keep }, &[x]);
        (x.gather(axis, order), bound)
    }
}
