//! Generates random graphs of realistic sizes, by kind. A graph is a function of its kind and seed;
//! input values are functions of name, type and step, so that a graph in text form is a complete
//! test case.
mod library;
mod models;
mod movement;
mod ops;
mod pointwise;

use crate::random::Random;
use brasa_compile::grad;
use brasa_ir::case::elements;
use brasa_ir::ops::{Op, Role};
use brasa_ir::{Array, DType, Expr, Graph, Id, Number, Recorder, Type};
pub use ops::OpCase;

macro_rules! kinds {
    ($($kind:ident = $name:literal),* $(,)?) => {
        /// A kind of graph.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Kind { $($kind),* }

        impl Kind {
            pub const ALL: &[Kind] = &[$(Kind::$kind),*];

            pub fn name(self) -> &'static str {
                match self { $(Kind::$kind => $name),* }
            }
        }
    };
}
kinds! {
    Broadcast = "broadcast",
    Reduction = "reduction",
    Movement = "movement",
    Library = "library",
    Attention = "attention",
    Recurrent = "recurrent",
    Optimizer = "optimizer",
    Mixed = "mixed",
    Long = "long",
    Op = "op",
}

impl Kind {
    pub fn named(name: &str) -> Option<Kind> {
        Kind::ALL.iter().copied().find(|kind| kind.name() == name)
    }
}

/// A graph to test, with its outputs.
#[derive(Clone, Debug)]
pub struct Case {
    pub graph: Graph,
    pub outputs: Vec<Id>,
}

impl Case {
    /// Generates the graph of a kind and seed, with a float dtype that the device supports.
    pub fn generate(kind: Kind, seed: u64, has_doubles: bool) -> Case {
        let mut random = Random::new(seed ^ (kind as u64) << 56);
        if kind == Kind::Op {
            return ops::draw(&mut random, has_doubles);
        }
        let float = match random.below(12) {
            0 => DType::F16,
            1 => DType::BF16,
            2 if has_doubles => DType::F64,
            _ => DType::F32,
        };
        let g = Recorder::default();
        let most = random.elements();
        let mut builder =
            GraphBuilder { g: &g, random, float, most, pool: Vec::new(), inputs: Vec::new() };
        builder.generate(kind);
        let outputs = builder.outputs();
        Case { graph: g.into_graph(), outputs }
    }

    /// Values of the inputs for one step.
    pub fn inputs(&self, step: usize) -> Vec<(Id, Role, Array)> {
        let inputs = self.graph.nodes().filter_map(|(id, node)| match &node.op {
            Op::Input(input) => Some((id, input.role, values(&input.name, &node.ty, step))),
            _ => None,
        });
        inputs.collect()
    }

    /// The writes of the graph: inputs and their new values.
    pub fn writes(&self) -> Vec<(Id, Id)> {
        let writes = self.graph.nodes().filter(|(_, node)| matches!(node.op, Op::Write(_)));
        writes.map(|(id, node)| (node.inputs[0], id)).collect()
    }
}

/// Values for an input: its name starts with a style or ends with a range.
fn values(name: &str, ty: &Type, step: usize) -> Array {
    let range = match name {
        _ if range_of(name).is_some() => range_of(name).unwrap_or_default(),
        _ if !ty.dtype.is_float() => (-4.0, 5.0),
        _ if name.starts_with("zero") => (0.0, 0.0),
        _ if name.starts_with("positive") => (0.25, 2.0),
        _ if name.starts_with("whole") => (-3.0, 4.0),
        _ => (-2.0, 2.0),
    };
    let x = elements((name, step), ty, range);
    match name.starts_with("whole") {
        true => Array::from_f64(ty, x.to_f64().into_iter().map(f64::floor)),
        false => x,
    }
}

/// The range at the end of a name, such as that of `sqrt0 in 0.1..2`.
fn range_of(name: &str) -> Option<(f64, f64)> {
    let (low, high) = name.split_once(" in ")?.1.split_once("..")?;
    Some((low.parse().ok()?, high.parse().ok()?))
}

/// A graph under construction. Each value has a bound on its magnitude.
struct GraphBuilder<'g> {
    g: &'g Recorder,
    random: Random,
    float: DType,
    /// Maximum number of elements of a value.
    most: usize,
    pool: Vec<(Expr<'g>, f64)>,
    inputs: Vec<Expr<'g>>,
}

/// Values beyond this are scaled down.
const BOUND: f64 = 4.0;

impl<'g> GraphBuilder<'g> {
    fn generate(&mut self, kind: Kind) {
        match kind {
            Kind::Broadcast => self.broadcasts(),
            Kind::Reduction => self.reductions(),
            Kind::Movement => self.movements(),
            Kind::Library => self.library(),
            Kind::Attention => self.attention(),
            Kind::Recurrent => self.recurrence(),
            Kind::Optimizer => self.optimizer(),
            Kind::Long => self.long_lines(),
            Kind::Op => unreachable!("ops::draw generates cases of ops"),
            Kind::Mixed => {
                for _ in 0..self.random.within(2, 3) {
                    let kind = self.random.pick(&Kind::ALL[..6]);
                    self.most = self.most.min(20_000);
                    self.generate(kind);
                }
            }
        }
    }

    fn input(&mut self, shape: &[usize]) -> Expr<'g> {
        self.input_of(shape, Role::Data)
    }

    fn input_of(&mut self, shape: &[usize], role: Role) -> Expr<'g> {
        let style = self.random.pick(&["unit", "unit", "unit", "positive", "whole"]);
        let name = format!("{style}{}", self.inputs.len());
        let x = self.g.input(&name, role, Type::new(self.float, shape));
        self.inputs.push(x);
        self.pool.push((x, BOUND));
        x
    }

    /// A random earlier value, more often a recent one.
    fn any(&mut self) -> (Expr<'g>, f64) {
        let back = self.random.below(self.pool.len()).min(self.random.below(self.pool.len()));
        self.pool[self.pool.len() - 1 - back]
    }

    fn keep(&mut self, x: Expr<'g>, bound: f64) -> Expr<'g> {
        let kept = if bound > BOUND { (x * (BOUND / bound), BOUND) } else { (x, bound) };
        self.pool.push(kept);
        kept.0
    }

    /// A scalar: a constant, or a slot.
    fn number(&mut self, low: f64) -> Expr<'g> {
        let value = low + self.random.below(64) as f64 / 32.0;
        match self.random.one_in(2) {
            true => self.g.constant(value, self.float, &[]),
            false => self.g.number(Number::Float(value), self.float),
        }
    }

    /// A shape that broadcasts to `shape`: some axes are one or missing.
    fn with_ones(&mut self, shape: &[usize]) -> Vec<usize> {
        let mut shape = shape.to_vec();
        for len in &mut shape {
            if self.random.one_in(3) {
                *len = 1;
            }
        }
        let drop = if self.random.one_in(3) { self.random.below(shape.len() + 1) } else { 0 };
        shape.drain(..drop);
        shape
    }

    /// A value expanded to another shape, or tiled if it does not broadcast.
    fn expanded(&self, x: Expr<'g>, shape: &[usize]) -> Expr<'g> {
        if brasa_ir::shape::expands_to(&x.shape(), shape) {
            return x.expand(shape);
        }
        fit(x, shape)
    }

    /// Values without readers, and gradients of some of them.
    fn outputs(&mut self) -> Vec<Id> {
        let mut is_read = vec![false; self.g.read(|graph| graph.len())];
        self.g.read(|graph| {
            let inputs = graph.nodes().flat_map(|(_, node)| node.inputs.iter());
            inputs.for_each(|input| is_read[input.index()] = true);
        });
        let ends = self.pool.iter().map(|(x, _)| *x).filter(|x| !is_read[x.id().index()]);
        let mut ends: Vec<Expr<'g>> = ends.collect();
        ends.dedup_by_key(|x| x.id());
        let late = ends.len().saturating_sub(5);
        let ends = ends.split_off(late);
        let mut outputs: Vec<Id> = ends.iter().map(|x| x.id()).collect();
        let has_writes =
            !self.g.read(|graph| !graph.nodes().any(|(_, node)| matches!(node.op, Op::Write(_))));
        if !has_writes && !self.random.one_in(3) {
            outputs.extend(self.gradients(&ends));
        }
        outputs
    }

    /// Gradients of values with respect to the inputs, sometimes second-order ones too.
    fn gradients(&mut self, ends: &[Expr<'g>]) -> Vec<Id> {
        let cotangents: Vec<Option<Expr<'g>>> = ends
            .iter()
            .map(|y| {
                let name = format!("unit_dy{}", y.id());
                let make = |_| self.g.input(&name.replace('%', ""), Role::Data, y.ty());
                self.random.one_in(2).then_some(()).map(make)
            })
            .collect();
        let wanted = self.inputs.clone();
        let Ok(first) = grad(self.g, ends, &cotangents, &wanted) else { return Vec::new() };
        let first: Vec<Expr<'g>> = first.into_iter().flatten().collect();
        let mut outputs: Vec<Id> = first.iter().map(|x| x.id()).collect();
        let is_small = self.g.read(|graph| graph.len()) < 400;
        if is_small && self.random.one_in(4) {
            let second = grad(self.g, &first, &[], &wanted).unwrap_or_default();
            outputs.extend(second.into_iter().flatten().map(|x| x.id()));
        }
        outputs
    }
}

/// The elements of `x` in another shape, repeated or truncated.
fn fit<'g>(x: Expr<'g>, shape: &[usize]) -> Expr<'g> {
    if *x.shape() == *shape {
        return x;
    }
    let (have, need) = (x.elements(), shape.iter().product::<usize>());
    if have == need {
        return x.reshape(shape);
    }
    let times = need.div_ceil(have);
    let tiled = x.reshape(&[1, have]).expand(&[times, have]).reshape(&[times * have]);
    tiled.narrow(0, 0, need).reshape(shape)
}
