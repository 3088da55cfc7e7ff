//! Pointwise ops, broadcasts and reductions.
use super::{BOUND, GraphBuilder};
use brasa_ir::ops::{self, ArgReduce, Map, ReduceOp, Scalar};
use brasa_ir::{DType, Expr, Value, table};

impl<'g> GraphBuilder<'g> {
    pub(super) fn pointwise(&mut self, x: Expr<'g>, bound: f64) -> (Expr<'g>, f64) {
        let (other, other_bound) = self.any();
        let other = self.expanded(other, &x.shape());
        match self.random.below(12) {
            0 => (x + other, bound + other_bound),
            1 => (x - other, bound + other_bound),
            2 => (x * other, bound * other_bound),
            3 if x.rank() > 0 && self.random.one_in(2) => (x * self.row_quotient(x), bound * BOUND),
            3 => {
                let by = self.number(1.0).expand(&x.shape());
                (x / by, bound)
            }
            4 => (x / (other.abs() + 0.5), 2.0 * bound),
            5 => (x * other + other, bound * other_bound + other_bound),
            6 => {
                let compare = self.random.pick(&[Scalar::Lt, Scalar::Le, Scalar::Gt, Scalar::Ne]);
                let mask = Expr::map(compare, &[x, other]);
                (mask.choose(x * 0.5, other), bound.max(other_bound))
            }
            7 => {
                let by = self.number(-1.0).expand(&x.shape());
                (x * by, 2.0 * bound)
            }
            8 => {
                let dtype = self.random.pick(&[DType::I32, DType::I8, DType::U8, DType::I64]);
                let x = if dtype == DType::U8 { x.abs() } else { x };
                ((x * 7.0).cast(dtype).cast(self.float) * 0.1, bound)
            }
            9 => {
                let dtype = self.random.pick(&[DType::F16, DType::BF16, DType::F32]);
                (x.cast(dtype).cast(self.float), bound)
            }
            _ => self.unary(x, bound),
        }
    }

    /// A value per row divided by a scalar, as in means and their gradients.
    fn row_quotient(&mut self, x: Expr<'g>) -> Expr<'g> {
        let row = self.input(&x.shape().with(x.rank() - 1, 1));
        let by = self.number(1.0).expand(&row.shape());
        (row / by).expand(&x.shape())
    }

    /// A random scalar function on its domain.
    pub(super) fn unary(&mut self, x: Expr<'g>, bound: f64) -> (Expr<'g>, f64) {
        let fits = |function: &&Scalar| {
            function.def().arity == 1
                && matches!(function.def().kind, ops::Kind::Float | ops::Kind::Any)
        };
        let functions: Vec<Scalar> = Scalar::ALL.iter().filter(fits).copied().collect();
        let function = self.random.pick(&functions);
        let (low, high) = function.def().domain;
        let (middle, scale) = ((low + high) / 2.0, (high - low) / (2.0 * bound.max(1e-3)));
        let at = |i: usize| low + (high - low) * i as f64 / 16.0;
        let most = (0..=16).map(|i| (function.def().eval)(&[at(i)]).abs()).fold(0.0, f64::max);
        let x = x * scale + middle;
        (self.g.emit(Map(function), &[x]), most)
    }

    pub(super) fn broadcasts(&mut self) {
        let rank = self.random.within(1, 6);
        let shape = self.random.shape(rank, self.most);
        for n in 0..self.random.within(1, 4) {
            let own = if n == 0 { shape.clone() } else { self.with_ones(&shape) };
            self.input(&own);
        }
        for _ in 0..self.random.within(2, 12) {
            let (x, bound) = self.any();
            let to = self.with_ones(&shape);
            let x = match self.random.below(4) {
                0 if brasa_ir::shape::expands_to(&x.shape(), &shape) => x.expand(&shape),
                1 => self.expanded(x, &to),
                _ => x,
            };
            let (y, bound) = match self.random.below(5) {
                0 => self.reduced(x, bound),
                _ => self.pointwise(x, bound),
            };
            self.keep(y, bound);
        }
    }

    /// A reduction over some axes, sometimes keeping them with length one.
    pub(super) fn reduced(&mut self, x: Expr<'g>, bound: f64) -> (Expr<'g>, f64) {
        let mask = self.random.within(1, 63);
        let axes: Vec<usize> = (0..x.rank()).filter(|axis| mask >> axis & 1 == 1).collect();
        let count: usize = axes.iter().map(|&axis| x.len(axis)).product();
        let by = self.random.pick(&[ReduceOp::Sum, ReduceOp::Sum, ReduceOp::Max, ReduceOp::Min]);
        let y = x.reduce(by, &axes);
        let (y, bound) = match by {
            ReduceOp::Sum if self.random.one_in(2) => (y / y.like(count as f64), bound),
            ReduceOp::Sum => (y * (1.0 / (count as f64).sqrt()), bound * (count as f64).sqrt()),
            _ => (y, bound),
        };
        let kept = x.shape().keeping(&axes);
        (if self.random.one_in(2) { y.reshape(&kept) } else { y }, bound)
    }

    /// An op of the op table that takes a tensor and a dim.
    pub(super) fn composite(&mut self, x: Expr<'g>, bound: f64) -> (Expr<'g>, f64) {
        const NAMES: [&str; 14] = [
            "softmax",
            "log_softmax",
            "logsumexp",
            "mean",
            "var",
            "std",
            "cumsum",
            "cumprod",
            "amax",
            "amin",
            "cummax",
            "median",
            "sum",
            "softmin",
        ];
        let name = self.random.pick(&NAMES);
        let x = if x.rank() == 0 { x.reshape(&[1]) } else { x };
        let axis = self.random.below(x.rank());
        let len = x.len(axis) as f64;
        // Products along long rows vanish or overflow.
        let scaled = if name == "cumprod" { x * (0.9 / bound) + 0.5 } else { x };
        let (tensor, dim) = (Value::Tensor(scaled.id()), Value::Int(axis as i64));
        let called =
            table::find(name).and_then(|op| op.call(self.g, &[tensor], &[("dim", dim)]).ok());
        let y = called.and_then(|results| Some(self.g.expr(*results.first()?)));
        match y.filter(|y| y.dtype() == self.float) {
            Some(y) => (y, bound * (2.0 + len)),
            None => (x, bound),
        }
    }

    pub(super) fn reductions(&mut self) {
        let rank = self.random.within(1, 5);
        let shape = self.random.shape(rank, self.most);
        self.input(&shape);
        if self.random.one_in(2) {
            let own = self.with_ones(&shape);
            self.input(&own);
        }
        for _ in 0..self.random.within(1, 8) {
            let (x, bound) = self.any();
            let (y, bound) = match self.random.below(6) {
                0 | 1 => self.reduced(x, bound),
                2 => self.composite(x, bound),
                3 => self.arg_reduced(x),
                _ => self.pointwise(x, bound),
            };
            self.keep(y, bound);
        }
    }

    /// The index of the largest or smallest element.
    pub(super) fn arg_reduced(&mut self, x: Expr<'g>) -> (Expr<'g>, f64) {
        let x = if x.rank() == 0 { x.reshape(&[1]) } else { x };
        let axis = self.random.below(x.rank());
        let by = self.random.pick(&[ReduceOp::Max, ReduceOp::Min]);
        let at = self.g.emit(ArgReduce { by, axis }, &[x]);
        (at.cast(self.float), x.len(axis) as f64)
    }
}
