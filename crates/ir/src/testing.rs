//! Random well-typed graphs for property tests. A `Recipe` is a plain list of steps, which
//! proptest can shrink. Every recipe is valid, since each number in a step is reduced modulo the
//! number of choices; all values stay in −2..2, so that finite differences are accurate.
use crate::array::Array;
use crate::case::elements;
use crate::dtype::{DType, Number};
use crate::graph::Id;
use crate::ops::{self, *};
use crate::recorder::{Expr, Recorder};
use crate::shape::Type;
use crate::table;
use crate::value::Value;
use proptest::collection::vec;
use proptest::prelude::*;

/// Bound of the magnitude of all values.
const BOUND: f64 = 2.0;

/// The description of a graph.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// The shapes of the inputs.
    pub inputs: Vec<Vec<usize>>,
    pub steps: Vec<Step>,
}

/// One more value, computed from earlier ones.
#[derive(Clone, Debug)]
pub struct Step {
    pub kind: StepKind,
    /// Operands, counted from the latest value back.
    pub from: [u8; 2],
    /// Axes, lengths and other choices, whose meaning depends on the kind.
    pub knobs: [u8; 8],
}

macro_rules! kinds {
    ($($kind:ident),* $(,)?) => {
        /// What a step computes: usually one primitive, with conversions that adapt its operands.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum StepKind { $($kind),* }

        impl StepKind {
            pub const ALL: &[StepKind] = &[$(StepKind::$kind),*];
        }
    };
}
kinds! {
    Unary, Binary, Compare, Select, Whole, Narrow, Detach, Constant, Slot, Iota, Random, Reduce,
    ArgReduce, Reshape, Permute, Expand, Slice, Pad, Flip, Window, Fold, Gather, Scatter, Contract,
    Conv, Scan, Sort, Composite,
}

impl Recipe {
    /// Graphs of all kinds of steps.
    pub fn any() -> impl Strategy<Value = Recipe> {
        Recipe::of(StepKind::ALL.to_vec())
    }

    /// Graphs whose gradient is their derivative: without `detach` and rounding to narrow floats.
    pub fn smooth() -> impl Strategy<Value = Recipe> {
        let is_smooth = |kind: &StepKind| !matches!(kind, StepKind::Detach | StepKind::Narrow);
        Recipe::of(StepKind::ALL.iter().copied().filter(is_smooth).collect())
    }

    fn of(kinds: Vec<StepKind>) -> impl Strategy<Value = Recipe> {
        let step = (prop::sample::select(kinds), any::<[u8; 2]>(), any::<[u8; 8]>());
        let step = step.prop_map(|(kind, from, knobs)| Step { kind, from, knobs });
        let inputs = vec(vec(1usize..4, 0..5), 1..4);
        (inputs, vec(step, 1..16)).prop_map(|(inputs, steps)| Recipe { inputs, steps })
    }
}

/// The graph of a recipe.
#[derive(Clone, Debug)]
pub struct Built {
    pub inputs: Vec<(Id, Array)>,
    /// The values that no step reads.
    pub outputs: Vec<Id>,
}

/// Records the graph of a recipe with inputs of type `float`.
pub fn build(recipe: &Recipe, g: &Recorder, float: DType) -> Built {
    let mut inputs = Vec::new();
    let mut builder = Builder { g, float, pool: Vec::new() };
    for (n, shape) in recipe.inputs.iter().enumerate() {
        let ty = Type::new(float, &shape[..]);
        let x = g.input(&format!("x{n}"), Role::Data, ty.clone());
        inputs.push((x.id(), elements(("recipe", n), &ty, (-BOUND, BOUND))));
        builder.pool.push(x);
    }
    for step in &recipe.steps {
        let (y, bound) = builder.step(step);
        let y = limit(y, bound);
        builder.pool.push(y);
    }
    let values: Vec<Id> = builder.pool[inputs.len()..].iter().map(Expr::id).collect();
    let is_read = |id: &Id| g.read(|graph| graph.nodes().any(|(_, node)| node.inputs.contains(id)));
    let mut outputs: Vec<Id> = values.into_iter().filter(|id| !is_read(id)).collect();
    outputs.dedup();
    Built { inputs, outputs }
}

/// Reduces a tensor with values up to `bound` to at most 100 elements of at most `BOUND`.
fn limit(mut x: Expr, mut bound: f64) -> Expr {
    while x.elements() > 100 {
        let axis = (0..x.rank()).max_by_key(|&axis| x.len(axis)).expect("it has axes");
        bound *= x.len(axis) as f64;
        x = x.sum(&[axis]);
    }
    if x.rank() > 4 {
        x = x.reshape(&[x.elements()]);
    }
    if bound > BOUND { x * (BOUND / bound) } else { x }
}

/// The elements of `x` in another shape: repeated or truncated.
fn fit<'g>(x: Expr<'g>, shape: &[usize]) -> Expr<'g> {
    if *x.shape() == *shape {
        return x;
    }
    let (have, need) = (x.elements(), shape.iter().product::<usize>());
    let times = need.div_ceil(have);
    let tiled = x.reshape(&[1, have]).expand(&[times, have]).reshape(&[times * have]);
    tiled.narrow(0, 0, need).reshape(shape)
}

/// Iterator over the choices of a step.
struct Knobs<'s>(std::slice::Iter<'s, u8>);

impl Knobs<'_> {
    /// A number below `n`.
    fn below(&mut self, n: usize) -> usize {
        self.0.next().map_or(0, |&knob| knob as usize % n.max(1))
    }

    /// A number from `low` to `high`, both included.
    fn within(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high + 1 - low)
    }

    fn one_of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

struct Builder<'g> {
    g: &'g Recorder,
    float: DType,
    pool: Vec<Expr<'g>>,
}

impl<'g> Builder<'g> {
    fn pick(&self, back: u8) -> Expr<'g> {
        self.pool[self.pool.len() - 1 - back as usize % self.pool.len()]
    }

    /// The new value and a bound of its elements.
    fn step(&self, step: &Step) -> (Expr<'g>, f64) {
        let (x, other) = (self.pick(step.from[0]), self.pick(step.from[1]));
        let mut k = Knobs(step.knobs.iter());
        let axis = k.below(x.rank());
        // Kinds that work along an axis get a scalar as a tensor of one element.
        let line = if x.rank() == 0 { x.reshape(&[1]) } else { x };
        match step.kind {
            StepKind::Unary | StepKind::Binary => self.scalar(step.kind, x, other, &mut k),
            StepKind::Compare => {
                (self.compare(x, fit(other, &x.shape()), &mut k).cast(self.float), 1.0)
            }
            StepKind::Select => {
                let other = fit(other, &x.shape());
                let third = fit(self.pick(step.knobs[7]), &x.shape());
                (self.compare(x, other, &mut k).choose(third, other * 0.5), BOUND)
            }
            StepKind::Whole => {
                let dtype = k.one_of(&[DType::I32, DType::Bool, DType::I8, DType::I64, DType::U8]);
                ((x * 1.7).cast(dtype).cast(self.float), 255.0)
            }
            StepKind::Narrow => {
                let dtype = k.one_of(&[DType::F16, DType::BF16, DType::F32]);
                (x.cast(dtype).cast(self.float), BOUND)
            }
            StepKind::Detach => (x.detach(), BOUND),
            StepKind::Constant | StepKind::Slot | StepKind::Iota | StepKind::Random => {
                self.leaf(step.kind, &mut k)
            }
            StepKind::Reshape
            | StepKind::Permute
            | StepKind::Expand
            | StepKind::Slice
            | StepKind::Pad
            | StepKind::Flip => (move_elements(step.kind, line, axis, &mut k), BOUND),
            StepKind::Composite => self.composite(line, axis, &mut k),
            _ => self.along(step.kind, line, other, axis, &mut k),
        }
    }

    /// A scalar function, applied to operands scaled to its domain.
    fn scalar(
        &self,
        kind: StepKind,
        x: Expr<'g>,
        other: Expr<'g>,
        k: &mut Knobs,
    ) -> (Expr<'g>, f64) {
        let arity = if kind == StepKind::Unary { 1 } else { 2 };
        let fits = |f: &Scalar| {
            f.def().arity == arity && matches!(f.def().kind, ops::Kind::Float | ops::Kind::Any)
        };
        let functions: Vec<Scalar> = Scalar::ALL.iter().copied().filter(fits).collect();
        let function = k.one_of(&functions);
        let (low, high) = function.def().domain;
        let (middle, scale) = ((low + high) / 2.0, (high - low) / (2.0 * BOUND));
        let onto = |x: Expr<'g>| if middle == 0.0 && scale == 1.0 { x } else { x * scale + middle };
        let operands = [onto(x), onto(fit(other, &x.shape()))];
        let samples: Vec<f64> = (0..=16).map(|i| low + (high - low) * i as f64 / 16.0).collect();
        let eval = |a: f64, b: f64| (function.def().eval)(&[a, b][..arity]).abs();
        let grid = samples.iter().flat_map(|&a| samples.iter().map(move |&b| eval(a, b)));
        let bound = grid.fold(0.0, f64::max);
        (Expr::map(function, &operands[..arity]), bound)
    }

    fn compare(&self, x: Expr<'g>, y: Expr<'g>, k: &mut Knobs) -> Expr<'g> {
        let comparison = k.one_of(&[Scalar::Lt, Scalar::Le, Scalar::Gt, Scalar::Ge, Scalar::Ne]);
        Expr::map(comparison, &[x, y])
    }

    fn leaf(&self, kind: StepKind, k: &mut Knobs) -> (Expr<'g>, f64) {
        let (g, value) = (self.g, k.below(16) as f64 * 0.25 - 1.9);
        match kind {
            StepKind::Constant => (g.constant(value, self.float, &[k.within(1, 3), 2]), BOUND),
            StepKind::Slot => (g.number(Number::Float(value), self.float), BOUND),
            StepKind::Iota => (g.iota(k.within(1, 6), DType::I64).cast(self.float), 6.0),
            _ => {
                let (seed, draw) = (g.constant(7, DType::U32, &[]), g.next_draw());
                let shape = [k.within(1, 3), k.within(1, 3)].into();
                let bits = g.emit(Random { draw, shape }, &[seed]);
                (bits.cast(self.float), 2f64.powi(32))
            }
        }
    }

    /// Ops of the table that take a tensor and a dim.
    fn composite(&self, x: Expr<'g>, axis: usize, k: &mut Knobs) -> (Expr<'g>, f64) {
        let names = ["softmax", "log_softmax", "logsumexp", "mean", "cumsum", "cumprod", "amax"];
        let call = |name: &str| {
            let (tensor, dim) = (Value::Tensor(x.id()), Value::Int(axis as i64));
            let results = table::find(name)?.call(self.g, &[tensor], &[("dim", dim)]).ok()?;
            Some(self.g.expr(*results.first()?))
        };
        let y = call(k.one_of(&names)).filter(|y| y.dtype() == self.float);
        (y.unwrap_or(x), BOUND * (1.0 + x.elements() as f64))
    }

    /// Kinds that combine elements along an axis.
    fn along(
        &self,
        kind: StepKind,
        x: Expr<'g>,
        other: Expr<'g>,
        axis: usize,
        k: &mut Knobs,
    ) -> (Expr<'g>, f64) {
        let (g, len) = (self.g, x.len(axis));
        match kind {
            StepKind::Reduce => {
                let by = k.one_of(&[ReduceOp::Sum, ReduceOp::Max, ReduceOp::Min]);
                let mask = k.within(1, 15);
                let axes: Vec<usize> = (0..x.rank()).filter(|axis| mask >> axis & 1 == 1).collect();
                (x.reduce(by, &axes), BOUND * x.elements() as f64)
            }
            StepKind::ArgReduce => {
                let by = k.one_of(&[ReduceOp::Max, ReduceOp::Min]);
                (g.emit(ArgReduce { by, axis }, &[x]).cast(self.float), len as f64)
            }
            StepKind::Window => {
                let (size, step, dilation) = (k.within(1, 3), k.within(1, 2), k.within(1, 2));
                let size = size.min((len - 1) / dilation + 1);
                (x.window(axis, size, step, dilation), BOUND)
            }
            StepKind::Fold => self.fold(x, k),
            StepKind::Gather => (x.gather(axis, self.index(x, axis, k)), BOUND),
            StepKind::Scatter => {
                let index = self.index(x, axis, k);
                let src = fit(other, &index.shape());
                let all = [ScatterOp::Set, ScatterOp::Add, ScatterOp::Max, ScatterOp::Min];
                let by = k.one_of(&[&all[..], &[ScatterOp::Prod]].concat());
                (x.scatter(axis, index, src, by), BOUND.powi(5))
            }
            StepKind::Contract => self.contract(x, other, k),
            StepKind::Conv => self.conv(x, other, k),
            StepKind::Scan => self.scan(x, other, axis, k),
            _ => {
                let order =
                    g.emit(Sort { axis, descending: k.below(2) == 1, keep: x.len(axis) }, &[x]);
                (x.gather(axis, order), BOUND)
            }
        }
    }

    /// Adds up windows.
    fn fold(&self, x: Expr<'g>, k: &mut Knobs) -> (Expr<'g>, f64) {
        let (size, step, dilation) = (k.within(1, 3), k.within(1, 3), k.within(1, 2));
        let windows = k.within(1, 3);
        let reach = (windows - 1) * step + (size - 1) * dilation + 1;
        // The axis may extend past the last window by less than one step.
        let len = reach + k.below(step);
        let x = fit(x, &[2, windows, size]);
        (self.g.emit(Fold { axis: 1, len, step, dilation }, &[x]), BOUND * 9.0)
    }

    /// A matrix product, sometimes of batches.
    fn contract(&self, x: Expr<'g>, other: Expr<'g>, k: &mut Knobs) -> (Expr<'g>, f64) {
        let batch = &[2, 1][..k.below(3)];
        let [m, n, inner] = [k.within(1, 3), k.within(1, 3), k.within(1, 3)];
        let a = fit(x, &[batch, &[m, inner]].concat());
        let b = fit(other, &[batch, &[inner, n]].concat());
        (a.contract(b), BOUND * BOUND * inner as f64)
    }

    /// A running sum, extreme or linear recurrence.
    fn scan(&self, x: Expr<'g>, other: Expr<'g>, axis: usize, k: &mut Knobs) -> (Expr<'g>, f64) {
        let by = k.one_of(&[ScanOp::Sum, ScanOp::Linear, ScanOp::Max, ScanOp::Min]);
        let scan = Scan { by, axis, reverse: k.below(2) == 1 };
        let y = match by {
            ScanOp::Linear => self.g.emit(scan, &[fit(other, &x.shape()) * 0.5, x]),
            _ => self.g.emit(scan, &[x]),
        };
        (y, BOUND * x.len(axis) as f64)
    }

    /// A few valid indices into an axis of `x`, unordered and with repetitions.
    fn index(&self, x: Expr<'g>, axis: usize, k: &mut Knobs) -> Expr<'g> {
        let shape = x.shape().with(axis, k.within(1, 4));
        let count = self.g.iota(shape.elements(), DType::I64);
        let mixed = count * k.within(1, 3) as f64 + k.below(4) as f64;
        mixed.remainder(count.like(x.len(axis))).reshape(&shape)
    }

    fn conv(&self, x: Expr<'g>, other: Expr<'g>, k: &mut Knobs) -> (Expr<'g>, f64) {
        let dims = k.within(1, 2);
        let (size, len) = (k.within(1, 3), k.within(2, 4));
        let (groups, channels) = (k.within(1, 2), k.within(1, 2));
        let shape = k.below(16);
        let (stride, dilation) = (1 + (shape & 1), 1 + (shape >> 1 & 1));
        let spread = 1 + (shape >> 2 & 1);
        let lengths = |len: usize| vec![len; dims];
        let x = fit(x, &[&[2, groups * channels], &lengths(len)[..]].concat());
        let w = fit(other, &[&[groups * 2, channels], &lengths(size)[..]].concat());
        // Negative padding if the kernel still fits.
        let spare = ((len - 1) * spread) as isize - ((size - 1) * dilation) as isize;
        let before = if spare > 0 { -1 } else { -spare + 1 };
        let conv = Conv {
            stride: lengths(stride),
            before: vec![before; dims],
            after: vec![(shape >> 3) as isize; dims],
            dilation: lengths(dilation),
            spread: lengths(spread),
            groups,
        };
        (self.g.emit(conv, &[x, w]), BOUND * BOUND * (channels * size.pow(dims as u32)) as f64)
    }
}

/// The movement ops.
fn move_elements<'g>(kind: StepKind, x: Expr<'g>, axis: usize, k: &mut Knobs) -> Expr<'g> {
    let (shape, len) = (x.shape(), x.len(axis));
    match kind {
        StepKind::Reshape => match k.below(3) {
            0 => x.reshape(&[x.elements()]),
            1 => x.reshape(&shape.iter().rev().copied().collect::<Vec<_>>()),
            _ => x.unsqueeze(axis),
        },
        StepKind::Permute => {
            let turn = k.below(x.rank());
            let mut axes: Vec<usize> = (0..x.rank()).collect();
            axes.rotate_left(turn);
            axes.swap(0, axis);
            x.permute(&axes)
        }
        StepKind::Expand => {
            let mut shape = shape;
            shape.insert(axis, k.within(1, 3));
            x.unsqueeze(axis).expand(&shape)
        }
        StepKind::Slice => {
            let (start, step) = (k.below(len), k.within(1, 3));
            let most = (len - start).div_ceil(step);
            x.stride(axis, start, k.within(1, most), step)
        }
        StepKind::Pad => {
            let (before, after) = (k.below(3), k.below(3));
            x.pad(axis, before, after, k.below(4) as f64 * 0.5 - 1.0)
        }
        _ => {
            let mask = k.within(1, 15);
            let axes: Vec<usize> = (0..x.rank()).filter(|axis| mask >> axis & 1 == 1).collect();
            x.flip(&axes)
        }
    }
}
