//! Simplification: the same values from fewer nodes. Drops what nobody reads, merges equal nodes,
//! folds constants, composes views, and does a little algebra. Runs after differentiation.
use brasa_ir::graph::{Fingerprint, Origin};
use brasa_ir::ops::{
    ArgReduce, Cast, Const, Custom, Expand, Flip, Fold, Gather, Iota, Map, Op, Pad, Permute,
    Reduce, ReduceOp, Reshape, Scalar, Scatter, ScatterOp, Slice,
};
use brasa_ir::{Array, DType, Graph, Id, Number, Type};
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

type Inputs = Vec<Id>;

/// A simplified graph, and where the nodes of the old one went.
pub struct Simplified {
    pub graph: Graph,
    places: Vec<Option<Id>>,
}

impl Simplified {
    /// The new node with the value of an old one; `None` if nobody wanted it.
    pub fn place(&self, old: Id) -> Option<Id> {
        self.places[old.index()]
    }
}

/// The part of `g` that `wanted` needs, simplified.
pub fn simplify(g: &Graph, wanted: &[Id]) -> Simplified {
    let mut new = Builder::default();
    new.graph.continue_from(g);
    let mut places = vec![None; g.len()];
    let readers = readers(g, wanted);
    for id in needed(g, wanted) {
        let node = &g[id];
        let moved = |old: &Id| places[old.index()].expect("inputs stand before readers");
        let inputs = node.inputs.iter().map(moved).collect();
        let place = new.add(node.op.clone(), inputs, node.origin);
        new.count_readers(place, readers[id.index()]);
        places[id.index()] = Some(place);
    }
    // Rules leave nodes behind that only their first form needed.
    let roots: Vec<Id> = wanted.iter().filter_map(|id| places[id.index()]).collect();
    let kept = needed(&new.graph, &roots);
    if kept.len() == new.graph.len() {
        return Simplified { graph: new.graph, places };
    }
    let (graph, moves) = copy(&new.graph, &kept);
    let places = places.into_iter().map(|place| moves[place?.index()]).collect();
    Simplified { graph, places }
}

/// What `wanted` depends on, in order.
fn needed(g: &Graph, wanted: &[Id]) -> Vec<Id> {
    let mut marks = vec![false; g.len()];
    for id in wanted {
        marks[id.index()] = true;
    }
    for (id, node) in g.nodes().rev() {
        if marks[id.index()] {
            node.inputs.iter().for_each(|input| marks[input.index()] = true);
        }
    }
    g.ids().filter(|id| marks[id.index()]).collect()
}

/// How many times each node is read.
fn readers(g: &Graph, wanted: &[Id]) -> Vec<usize> {
    let mut readers = vec![0; g.len()];
    for id in g.nodes().flat_map(|(_, node)| &node.inputs).chain(wanted) {
        readers[id.index()] += 1;
    }
    readers
}

/// The nodes `kept` of `g` alone.
fn copy(g: &Graph, kept: &[Id]) -> (Graph, Vec<Option<Id>>) {
    let mut graph = Graph::default();
    graph.continue_from(g);
    let mut moves: Vec<Option<Id>> = vec![None; g.len()];
    for &id in kept {
        let node = &g[id];
        let inputs: Inputs = node.inputs.iter().filter_map(|i| moves[i.index()]).collect();
        moves[id.index()] = Some(push(&mut graph, node.op.clone(), &inputs, node.origin));
    }
    (graph, moves)
}

fn push(graph: &mut Graph, op: Op, inputs: &[Id], origin: Origin) -> Id {
    match graph.push(op, inputs, origin) {
        Ok(id) => id,
        Err(e) => panic!("internal error, please report: {e}"),
    }
}

/// A graph in which no two nodes compute the same.
#[derive(Default)]
struct Builder {
    graph: Graph,
    known: HashMap<(Op, Inputs), Id, BuildHasherDefault<Fingerprint>>,
    /// How many readers a node had before simplification.
    readers: HashMap<Id, usize>,
    /// What is known of indices that came from `arg_reduce`.
    winners: HashMap<Id, Winner>,
}

/// Which element of each row of `of` is the first of the best, with that place as a float.
struct Winner {
    of: Id,
    by: ReduceOp,
    axis: usize,
    place: Id,
}

/// The two operands of a binary scalar function, if a node is one.
macro_rules! operands {
    ($b:expr, $id:expr, $row:path) => {
        match (&$b.graph[$id].op, &$b.graph[$id].inputs[..]) {
            (Op::Map(Map($row)), &[left, right]) => Some((left, right)),
            _ => None,
        }
    };
}

/// What a rule makes of a node.
enum Rewrite {
    /// An existing node has the value.
    Known(Id),
    /// Another node has the value; rules apply to it in turn.
    Node(Op, Inputs),
}
use Rewrite::{Known, Node};

type Rule = fn(&mut Builder, &Op, &[Id], Origin) -> Option<Rewrite>;

const RULES: &[Rule] = &[
    drop_identities,
    fold_constants,
    move_constants,
    compose_views,
    compose_casts,
    absorb_neutral_elements,
    cancel_negations,
    decide_selections,
    pick_winners,
    gather_by_mask,
    scatter_by_mask,
    arg_reduce_by_mask,
    fold_without_overlap,
    transpose_products,
    open_activations,
    float_factors,
    sum_without_factors,
    add_over_one_divisor,
    multiply_known_quotients,
];

impl Builder {
    fn add(&mut self, mut op: Op, mut inputs: Inputs, origin: Origin) -> Id {
        while let Some(rewrite) = RULES.iter().find_map(|rule| rule(self, &op, &inputs, origin)) {
            match rewrite {
                Known(id) => return id,
                Node(new_op, new_inputs) => (op, inputs) = (new_op, new_inputs),
            }
        }
        let key = (op, inputs);
        // Two inputs are two values, however alike they look.
        let is_input = matches!(key.0, Op::Input(_));
        if let Some(&same) = self.known.get(&key).filter(|_| !is_input) {
            return same;
        }
        let id = push(&mut self.graph, key.0.clone(), &key.1, origin);
        self.known.insert(key, id);
        id
    }

    fn map(&mut self, row: Scalar, args: &[Id], origin: Origin) -> Id {
        self.add(Map(row).into(), args.to_vec(), origin)
    }

    /// A function of a node and a number.
    fn map_number(&mut self, row: Scalar, x: Id, number: f64, origin: Origin) -> Id {
        let Type { dtype, shape } = self.ty(x).clone();
        let value = Number::Float(number).to(dtype);
        let c = self.add(Const { value, dtype, shape }.into(), vec![], origin);
        self.map(row, &[x, c], origin)
    }

    fn count_readers(&mut self, id: Id, readers: usize) {
        *self.readers.entry(id).or_default() += readers;
    }

    fn has_one_reader(&self, id: Id) -> bool {
        self.readers.get(&id) == Some(&1)
    }

    fn op(&self, id: Id) -> &Op {
        &self.graph[id].op
    }

    fn ty(&self, id: Id) -> &Type {
        &self.graph[id].ty
    }

    fn input(&self, id: Id) -> Id {
        self.graph[id].inputs[0]
    }

    /// The number all elements of a node have, if it is a constant.
    fn number(&self, id: Id) -> Option<Number> {
        match self.op(id) {
            Op::Const(c) => Some(c.value),
            _ => None,
        }
    }

    /// Where the one index of each row along `axis` points; `None` if there are several, or not for
    /// every row.
    fn one_per_row(&mut self, axis: usize, ty: &Type, index: Id, origin: Origin) -> Option<Id> {
        let index_ty = self.ty(index).clone();
        if index_ty.shape != ty.shape.with(axis, 1) {
            return None;
        }
        let mut along = vec![1; ty.rank()];
        along[axis] = ty.shape[axis];
        let index = self.as_float_place(index, origin);
        let (len, dtype) = (ty.shape[axis], self.ty(index).dtype);
        let iota = self.add(Iota { len, dtype }.into(), vec![], origin);
        let iota = self.add(Reshape { shape: along.into() }.into(), vec![iota], origin);
        let shape = ty.shape.clone();
        let iota = self.add(Expand { shape: shape.clone() }.into(), vec![iota], origin);
        let index = self.add(Expand { shape }.into(), vec![index], origin);
        Some(self.add(Map(Scalar::Eq).into(), vec![iota, index], origin))
    }

    /// Whether a node repeats its elements along all of some axes.
    fn is_same_along(&self, id: Id, axes: &[usize]) -> bool {
        match self.op(id) {
            Op::Const(_) => true,
            Op::Expand(_) => {
                let shape = &self.ty(self.input(id)).shape;
                shape.len() == self.ty(id).rank() && axes.iter().all(|&axis| shape[axis] == 1)
            }
            _ => false,
        }
    }

    /// What repetition and reshapes lead down to, and these, outermost first.
    fn spread(&self, id: Id) -> (Vec<Op>, Id) {
        let (mut moves, mut base) = (Vec::new(), id);
        while let op @ (Op::Expand(_) | Op::Reshape(_)) = self.op(base) {
            moves.push(op.clone());
            base = self.input(base);
        }
        (moves, base)
    }

    /// The same index in f32 if it is known in that form, for comparisons at full speed.
    fn as_float_place(&mut self, index: Id, origin: Origin) -> Id {
        let (moves, base) = self.spread(index);
        match self.winners.get(&base) {
            Some(winner) => {
                let place = winner.place;
                moves.into_iter().rev().fold(place, |x, step| self.add(step, vec![x], origin))
            }
            None => index,
        }
    }

    fn infer(&self, op: &Op, inputs: &[Id]) -> Option<Type> {
        let types: Vec<&Type> = inputs.iter().map(|&id| self.ty(id)).collect();
        op.def().infer(&types).ok()
    }
}

/// Ops that give back their operand.
fn drop_identities(b: &mut Builder, op: &Op, inputs: &[Id], _: Origin) -> Option<Rewrite> {
    let &x = inputs.first()?;
    let is_identity = match op {
        Op::Detach(_) => true,
        Op::Custom(Custom(custom)) => custom.passes_through(),
        Op::Cast(Cast { dtype }) => *dtype == b.ty(x).dtype,
        Op::Reshape(Reshape { shape }) | Op::Expand(Expand { shape }) => *shape == b.ty(x).shape,
        Op::Permute(Permute { axes }) => axes.iter().copied().eq(0..axes.len()),
        Op::Flip(Flip { axes }) => axes.is_empty(),
        Op::Slice(slice) => *slice == Slice::whole(&b.ty(x).shape),
        Op::Pad(pad) => pad.before.iter().chain(&pad.after).all(|&n| n == 0),
        Op::Reduce(Reduce { axes, .. }) => axes.is_empty(),
        _ => false,
    };
    is_identity.then_some(Known(x))
}

/// Scalar functions and casts of constants.
fn fold_constants(b: &mut Builder, op: &Op, inputs: &[Id], _: Origin) -> Option<Rewrite> {
    if !matches!(op, Op::Map(_) | Op::Cast(_)) {
        return None;
    }
    let numbers = inputs.iter().map(|&id| b.number(id)).collect::<Option<Vec<Number>>>()?;
    let one = |(id, number): (&Id, Number)| Array::full(&Type::new(b.ty(*id).dtype, []), number);
    let operands: Vec<Array> = inputs.iter().zip(numbers).map(one).collect();
    let ty = b.infer(op, inputs)?;
    let operands: Vec<&Array> = operands.iter().collect();
    let folded = op.def().eval(&operands, &Type::new(ty.dtype, [])).ok()?;
    let value = match ty.dtype.is_float() {
        true => Number::Float(folded.f64(0)),
        false => Number::Int(folded.i64(0)).to(ty.dtype),
    };
    Some(Node(Const { value, dtype: ty.dtype, shape: ty.shape }.into(), vec![]))
}

/// Views of constants are constants.
fn move_constants(b: &mut Builder, op: &Op, inputs: &[Id], _: Origin) -> Option<Rewrite> {
    let value = b.number(*inputs.first()?)?;
    let is_view = match op {
        Op::Reshape(_) | Op::Permute(_) | Op::Expand(_) => true,
        Op::Slice(_) | Op::Flip(_) | Op::Window(_) => true,
        Op::Pad(pad) => pad.value == value,
        _ => false,
    };
    let ty = b.infer(op, inputs).filter(|_| is_view)?;
    Some(Node(Const { value, dtype: ty.dtype, shape: ty.shape }.into(), vec![]))
}

/// A view of a view of the same kind is one view.
fn compose_views(b: &mut Builder, op: &Op, inputs: &[Id], _: Origin) -> Option<Rewrite> {
    let &x = inputs.first()?;
    let composed: Op = match (op, b.op(x)) {
        (Op::Reshape(_), Op::Reshape(_)) | (Op::Expand(_), Op::Expand(_)) => op.clone(),
        (Op::Permute(outer), Op::Permute(inner)) => {
            let axes = outer.axes.iter().map(|&axis| inner.axes[axis]).collect();
            Permute { axes }.into()
        }
        (Op::Flip(outer), Op::Flip(inner)) => {
            let once = |list: &[usize], other: &[usize]| -> Vec<usize> {
                list.iter().copied().filter(|axis| !other.contains(axis)).collect()
            };
            let mut axes = once(&outer.axes, &inner.axes);
            axes.extend(once(&inner.axes, &outer.axes));
            Flip { axes }.into()
        }
        (Op::Slice(outer), Op::Slice(inner)) => {
            let axes = 0..outer.len.len();
            let start = |axis: usize| inner.start[axis] + outer.start[axis] * inner.step[axis];
            let step = |axis: usize| inner.step[axis] * outer.step[axis];
            let start = axes.clone().map(start).collect();
            Slice { start, len: outer.len.clone(), step: axes.map(step).collect() }.into()
        }
        _ => return None,
    };
    Some(Node(composed, vec![b.input(x)]))
}

/// A cast of a cast that lost nothing.
fn compose_casts(b: &mut Builder, op: &Op, inputs: &[Id], _: Origin) -> Option<Rewrite> {
    let (Op::Cast(_), Op::Cast(_)) = (op, b.op(*inputs.first()?)) else { return None };
    let source = b.input(inputs[0]);
    let (from, through) = (b.ty(source).dtype, b.ty(inputs[0]).dtype);
    let is_lossless = from.promote(through) == through && from.category() == through.category();
    is_lossless.then(|| Node(op.clone(), vec![source]))
}

/// `x + 0`, `x − 0`, `x · 1`, `x / 1`, `x ^ 1`.
fn absorb_neutral_elements(b: &mut Builder, op: &Op, inputs: &[Id], _: Origin) -> Option<Rewrite> {
    let Op::Map(Map(row)) = op else { return None };
    let is = |n: usize, value: f64| b.number(inputs[n]).is_some_and(|x| x.as_f64() == value);
    match row {
        Scalar::Add if is(1, 0.0) => Some(Known(inputs[0])),
        Scalar::Add if is(0, 0.0) => Some(Known(inputs[1])),
        Scalar::Sub if is(1, 0.0) => Some(Known(inputs[0])),
        Scalar::Mul if is(1, 1.0) => Some(Known(inputs[0])),
        Scalar::Mul if is(0, 1.0) => Some(Known(inputs[1])),
        Scalar::Div | Scalar::Pow if is(1, 1.0) => Some(Known(inputs[0])),
        _ => None,
    }
}

/// `−(−x)` is `x`, and adding or subtracting a negation is the other of the two.
fn cancel_negations(b: &mut Builder, op: &Op, inputs: &[Id], _: Origin) -> Option<Rewrite> {
    let Op::Map(Map(row)) = op else { return None };
    let last = *inputs.last()?;
    let Op::Map(Map(Scalar::Neg)) = b.op(last) else { return None };
    match row {
        Scalar::Neg => Some(Known(b.input(last))),
        Scalar::Add => Some(Node(Map(Scalar::Sub).into(), vec![inputs[0], b.input(last)])),
        Scalar::Sub => Some(Node(Map(Scalar::Add).into(), vec![inputs[0], b.input(last)])),
        _ => None,
    }
}

/// A selection whose condition is known, or does not matter.
fn decide_selections(b: &mut Builder, op: &Op, inputs: &[Id], _: Origin) -> Option<Rewrite> {
    let Op::Map(Map(Scalar::Select)) = op else { return None };
    let [condition, yes, no] = inputs else { return None };
    match b.number(*condition) {
        Some(known) => Some(Known(if known.as_f64() != 0.0 { *yes } else { *no })),
        None => (yes == no).then_some(Known(*yes)),
    }
}

/// One element picked from each row of computed values, as a masked sum: it joins the kernel that
/// computes the row, as in a cross entropy.
fn gather_by_mask(b: &mut Builder, op: &Op, inputs: &[Id], origin: Origin) -> Option<Rewrite> {
    let Op::Gather(Gather { axis }) = *op else { return None };
    let [x, index] = *inputs else { return None };
    let is_computed = matches!(b.op(x), Op::Map(_));
    let mask = b.one_per_row(axis, &b.ty(x).clone(), index, origin).filter(|_| is_computed)?;
    let ty = b.ty(x).clone();
    let zero =
        b.add(Const { value: zero(&ty), dtype: ty.dtype, shape: ty.shape }.into(), vec![], origin);
    let picked = b.add(Map(Scalar::Select).into(), vec![mask, x, zero], origin);
    let by_sum = Reduce { by: ReduceOp::Sum, axes: vec![axis] };
    let sum = b.add(by_sum.into(), vec![picked], origin);
    Some(Node(Reshape { shape: b.ty(index).shape.clone() }.into(), vec![sum]))
}

/// One element placed into each row of zeros, as a selection.
fn scatter_by_mask(b: &mut Builder, op: &Op, inputs: &[Id], origin: Origin) -> Option<Rewrite> {
    let Op::Scatter(Scatter { axis, by: ScatterOp::Add | ScatterOp::Set }) = *op else {
        return None;
    };
    let [base, index, src] = *inputs else { return None };
    let is_zero = b.number(base).is_some_and(|value| value.as_f64() == 0.0);
    let ty = b.ty(base).clone();
    let mask = b.one_per_row(axis, &ty, index, origin).filter(|_| is_zero)?;
    let src = b.add(Expand { shape: ty.shape }.into(), vec![src], origin);
    Some(Node(Map(Scalar::Select).into(), vec![mask, src, base]))
}

fn zero(ty: &Type) -> Number {
    Number::Int(0).to(ty.dtype)
}

/// Rows up to this length are reduced many at a time.
const SHORT_ROW: usize = 32;

/// The first position of the winner of computed values or of short rows, such as windows, as the least
/// of the positions that hold it: two reductions of one row, which join the kernel that computes it.
fn arg_reduce_by_mask(b: &mut Builder, op: &Op, inputs: &[Id], origin: Origin) -> Option<Rewrite> {
    let Op::ArgReduce(ArgReduce { by, axis }) = *op else { return None };
    let x = inputs[0];
    let ty = b.ty(x).clone();
    // Positions are counted in f32, which is exact up to 2²⁴ and fast on every device.
    let len = ty.shape[axis];
    if len > 1 << 24 || !(len <= SHORT_ROW || matches!(b.op(x), Op::Map(_))) {
        return None;
    }
    let best = b.add(Reduce { by, axes: vec![axis] }.into(), vec![x], origin);
    let kept = Reshape { shape: ty.shape.with(axis, 1) };
    let best = b.add(kept.into(), vec![best], origin);
    let whole = Expand { shape: ty.shape.clone() };
    let best = b.add(whole.clone().into(), vec![best], origin);
    let mut is_best = b.add(Map(Scalar::Eq).into(), vec![x, best], origin);
    if ty.dtype.is_float() {
        let is_nan = b.add(Map(Scalar::Ne).into(), vec![x, x], origin);
        is_best = b.add(Map(Scalar::BitwiseOr).into(), vec![is_best, is_nan], origin);
    }
    let mut along = vec![1; ty.rank()];
    along[axis] = len;
    let dtype = DType::F32;
    let iota = b.add(Iota { len, dtype }.into(), vec![], origin);
    let iota = b.add(Reshape { shape: along.into() }.into(), vec![iota], origin);
    let iota = b.add(whole.into(), vec![iota], origin);
    let value = Number::Float(len as f64);
    let none = b.add(Const { value, dtype, shape: ty.shape }.into(), vec![], origin);
    let places = b.add(Map(Scalar::Select).into(), vec![is_best, iota, none], origin);
    let first = Reduce { by: ReduceOp::Min, axes: vec![axis] };
    let first = b.add(first.into(), vec![places], origin);
    let index = b.add(Cast { dtype: DType::I64 }.into(), vec![first], origin);
    b.winners.insert(index, Winner { of: x, by, axis, place: first });
    Some(Known(index))
}

/// The element at the place of the winner is the winner.
fn pick_winners(b: &mut Builder, op: &Op, inputs: &[Id], origin: Origin) -> Option<Rewrite> {
    let Op::Gather(Gather { axis }) = *op else { return None };
    let [x, index] = *inputs else { return None };
    let winner = b.winners.get(&b.spread(index).1).filter(|w| w.of == x && w.axis == axis)?;
    let best = Reduce { by: winner.by, axes: vec![axis] };
    let shape = b.ty(index).shape.clone();
    if shape != b.ty(x).shape.with(axis, 1) {
        return None;
    }
    let best = b.add(best.into(), vec![x], origin);
    Some(Node(Reshape { shape }.into(), vec![best]))
}

/// Windows that do not overlap are added up by moving them.
fn fold_without_overlap(
    b: &mut Builder,
    op: &Op,
    inputs: &[Id],
    origin: Origin,
) -> Option<Rewrite> {
    let Op::Fold(Fold { axis, len, step, dilation: 1 }) = *op else { return None };
    let ty = b.ty(inputs[0]).clone();
    let last = ty.rank() - 1;
    let (windows, size) = (ty.shape[axis], ty.shape[last]);
    if size > step {
        return None;
    }
    // x […, i, …, k] → […, i, k, …] → […, i·step + k, …], cut or filled up to `len`
    let mut axes: Vec<usize> = (0..last).collect();
    axes.insert(axis + 1, last);
    let x = b.add(Permute { axes }.into(), vec![inputs[0]], origin);
    let mut gap = vec![0; ty.rank()];
    gap[axis + 1] = step - size;
    let before = vec![0; ty.rank()];
    let value = zero(&ty);
    let x = b.add(Pad { before, after: gap, value }.into(), vec![x], origin);
    let merged = ty.shape.without(&[last]).with(axis, windows * step);
    let x = b.add(Reshape { shape: merged.clone() }.into(), vec![x], origin);
    let mut slice = Slice::whole(&merged);
    slice.len[axis] = len.min(windows * step);
    let x = b.add(slice.into(), vec![x], origin);
    let mut after = vec![0; merged.len()];
    after[axis] = len.saturating_sub(windows * step);
    Some(Node(Pad { before: vec![0; merged.len()], after, value }.into(), vec![x]))
}

/// The transpose of a product is the product of the transposes, which are only views: gradients of
/// weights come out in the layout of the weights.
fn transpose_products(b: &mut Builder, op: &Op, inputs: &[Id], origin: Origin) -> Option<Rewrite> {
    let Op::Permute(Permute { axes }) = op else { return None };
    let x = *inputs.first()?;
    let last = axes.len().checked_sub(2)?;
    let mut swapped: Vec<usize> = (0..axes.len()).collect();
    swapped.swap(last, last + 1);
    if !matches!(b.op(x), Op::Contract(_)) || *axes != swapped {
        return None;
    }
    let operands = b.graph[x].inputs.clone();
    let mut transposed = |id: Id| b.add(op.clone(), vec![id], origin);
    let (left, right) = (transposed(operands[1]), transposed(operands[0]));
    Some(Node(b.op(x).clone(), vec![left, right]))
}

/// Activations that are functions of another one, where their operand has more readers: a gradient
/// needs that other function as well, which is then computed once.
fn open_activations(b: &mut Builder, op: &Op, inputs: &[Id], origin: Origin) -> Option<Rewrite> {
    let Op::Map(Map(row @ (Scalar::GeluTanh | Scalar::Silu))) = op else { return None };
    let x = *inputs.first()?;
    // Narrow types would be rounded at every step.
    if b.has_one_reader(x) || !matches!(b.ty(x).dtype, DType::F32 | DType::F64) {
        return None;
    }
    let factor = match row {
        Scalar::Silu => b.map(Scalar::Sigmoid, &[x], origin),
        // As its gradient has it: ½(tanh u + 1), u = √(2/π) x (1 + 0.044715 x²).
        _ => {
            let square = b.map(Scalar::Mul, &[x, x], origin);
            let cubic = b.map_number(Scalar::Mul, square, 0.044715, origin);
            let slope = b.map_number(Scalar::Add, cubic, 1.0, origin);
            let u = b.map(Scalar::Mul, &[slope, x], origin);
            let u = b.map_number(Scalar::Mul, u, 0.797_884_560_802_865_4, origin);
            let tanh = b.map(Scalar::Tanh, &[u], origin);
            let sum = b.map_number(Scalar::Add, tanh, 1.0, origin);
            b.map_number(Scalar::Mul, sum, 0.5, origin)
        }
    };
    Some(Node(Map(Scalar::Mul).into(), vec![x, factor]))
}

/// `c · x` in a view or in a product of matrices: the factor goes behind it, where it costs nothing,
/// and the operand can be read where it lies.
fn float_factors(b: &mut Builder, op: &Op, inputs: &[Id], origin: Origin) -> Option<Rewrite> {
    let is_view = match op {
        Op::Reshape(_) | Op::Permute(_) | Op::Slice(_) | Op::Flip(_) => true,
        Op::Pad(Pad { value, .. }) => value.as_f64() == 0.0,
        _ => false,
    };
    if !is_view && !matches!(op, Op::Contract(_)) {
        return None;
    }
    let factor = |id: Id| {
        let (x, c) = operands!(b, id, Scalar::Mul)?;
        let is_wide = matches!(b.ty(id).dtype, DType::F32 | DType::F64);
        // Zeros of padding stay zeros.
        b.number(c).filter(|c| is_wide && c.as_f64().is_finite()).map(|value| (x, value))
    };
    let (n, (x, value)) = inputs.iter().enumerate().find_map(|(n, &id)| Some((n, factor(id)?)))?;
    let mut inputs = inputs.to_vec();
    inputs[n] = x;
    let x = b.add(op.clone(), inputs, origin);
    let Type { dtype, shape } = b.ty(x).clone();
    let c = b.add(Const { value, dtype, shape }.into(), vec![], origin);
    Some(Node(Map(Scalar::Mul).into(), vec![x, c]))
}

/// `Σ c·x`, `Σ x/c` and `Σ −x`, where `c` is the same all along the sum: the sum comes first.
fn sum_without_factors(b: &mut Builder, op: &Op, inputs: &[Id], origin: Origin) -> Option<Rewrite> {
    let Op::Reduce(Reduce { by: ReduceOp::Sum, axes }) = op else { return None };
    let of = *inputs.first()?;
    if !b.ty(of).dtype.is_float() || !b.has_one_reader(of) {
        return None;
    }
    if let Op::Map(Map(Scalar::Neg)) = b.op(of) {
        let sum = b.add(op.clone(), vec![b.input(of)], origin);
        return Some(Node(Map(Scalar::Neg).into(), vec![sum]));
    }
    let (row, (x, factor)) = match operands!(b, of, Scalar::Mul) {
        Some((x, c)) if b.is_same_along(c, axes) => (Scalar::Mul, (x, c)),
        Some((c, x)) if b.is_same_along(c, axes) => (Scalar::Mul, (x, c)),
        Some(_) => return None,
        None => (Scalar::Div, operands!(b, of, Scalar::Div)?),
    };
    if !b.is_same_along(factor, axes) {
        return None;
    }
    let sum = b.add(op.clone(), vec![x], origin);
    let factor = match b.number(factor) {
        Some(value) => {
            let Type { dtype, shape } = b.ty(sum).clone();
            b.add(Const { value, dtype, shape }.into(), vec![], origin)
        }
        None => {
            let kept =
                axes.iter().fold(b.ty(factor).shape.clone(), |kept, &axis| kept.with(axis, 1));
            let factor = b.add(Expand { shape: kept }.into(), vec![b.input(factor)], origin);
            let shape = b.ty(sum).shape.clone();
            b.add(Reshape { shape }.into(), vec![factor], origin)
        }
    };
    Some(Node(Map(row).into(), vec![sum, factor]))
}

/// `a/s + b/s` is `(a + b)/s`, also where `b/s` is repeated along rows of `a/s`.
fn add_over_one_divisor(
    b: &mut Builder,
    op: &Op,
    inputs: &[Id],
    origin: Origin,
) -> Option<Rewrite> {
    let Op::Map(Map(Scalar::Add | Scalar::Sub)) = op else { return None };
    let [left, right] = *inputs else { return None };
    let (a, divisor) = operands!(b, left, Scalar::Div)?;
    let (moves, base) = b.spread(right);
    let (top, small) = operands!(b, base, Scalar::Div)?;
    if !b.ty(left).dtype.is_float() {
        return None;
    }
    let mut again =
        |start: Id| moves.iter().rev().fold(start, |x, step| b.add(step.clone(), vec![x], origin));
    if again(small) != divisor {
        return None;
    }
    let top = again(top);
    let sum = b.add(op.clone(), vec![a, top], origin);
    Some(Node(Map(Scalar::Div).into(), vec![sum, divisor]))
}

/// `(y/s) · e` is `y · (e/s)` where that quotient was known before, as in the gradient of a softmax.
fn multiply_known_quotients(b: &mut Builder, op: &Op, inputs: &[Id], _: Origin) -> Option<Rewrite> {
    let Op::Map(Map(Scalar::Mul)) = op else { return None };
    let [left, right] = *inputs else { return None };
    [(left, right), (right, left)].into_iter().find_map(|(quotient, e)| {
        let (y, s) = operands!(b, quotient, Scalar::Div)?;
        let &known = b.known.get(&(Map(Scalar::Div).into(), vec![e, s]))?;
        (known < quotient).then(|| Node(Map(Scalar::Mul).into(), vec![y, known]))
    })
}
