//! Rules for views and constants: identity views, composed views, and constant folding.
use super::Rewrite::{self, Known, Node};
use super::{Builder, zero};
use brasa_ir::graph::Origin;
use brasa_ir::ops::{
    Cast, Const, Custom, Expand, Flip, Fold, Op, OpDef, Pad, Permute, Reduce, Reshape, Slice,
};
use brasa_ir::{Array, Id, Number, Type};

/// Removes ops whose result is their operand.
pub(super) fn drop_identities(
    b: &mut Builder,
    op: &Op,
    inputs: &[Id],
    _: Origin,
) -> Option<Rewrite> {
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

/// Folds scalar functions and casts of constants.
pub(super) fn fold_constants(
    b: &mut Builder,
    op: &Op,
    inputs: &[Id],
    _: Origin,
) -> Option<Rewrite> {
    if !matches!(op, Op::Map(_) | Op::Cast(_)) {
        return None;
    }
    let numbers = inputs.iter().map(|&id| b.number(id)).collect::<Option<Vec<Number>>>()?;
    let one = |(id, number): (&Id, Number)| Array::full(&Type::new(b.ty(*id).dtype, []), number);
    let operands: Vec<Array> = inputs.iter().zip(numbers).map(one).collect();
    let ty = b.infer(op, inputs)?;
    let operands: Vec<&Array> = operands.iter().collect();
    let folded = op.eval(&operands, &Type::new(ty.dtype, [])).ok()?;
    let value = match ty.dtype.is_float() {
        true => Number::Float(folded.f64(0)),
        false => Number::Int(folded.i64(0)).to(ty.dtype),
    };
    Some(Node(Const { value, dtype: ty.dtype, shape: ty.shape }.into(), vec![]))
}

/// Views of constants are constants.
pub(super) fn fold_constant_views(
    b: &mut Builder,
    op: &Op,
    inputs: &[Id],
    _: Origin,
) -> Option<Rewrite> {
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
pub(super) fn compose_views(b: &mut Builder, op: &Op, inputs: &[Id], _: Origin) -> Option<Rewrite> {
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

/// Composes a cast with a lossless cast before it.
pub(super) fn compose_casts(b: &mut Builder, op: &Op, inputs: &[Id], _: Origin) -> Option<Rewrite> {
    let (Op::Cast(_), Op::Cast(_)) = (op, b.op(*inputs.first()?)) else { return None };
    let source = b.input(inputs[0]);
    let (from, through) = (b.ty(source).dtype, b.ty(inputs[0]).dtype);
    let is_lossless = from.promote(through) == through && from.category() == through.category();
    is_lossless.then(|| Node(op.clone(), vec![source]))
}

/// A fold of windows without overlap becomes movement ops.
pub(super) fn lower_fold_without_overlap(
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
    // x […, i, …, k] → […, i, k, …] → […, i·step + k, …], sliced or padded to `len`
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

/// `(A B)ᵀ` is `Bᵀ Aᵀ`, where the transposed operands are only views. Gradients of weights are then
/// computed in the layout of the weights.
pub(super) fn transpose_products(
    b: &mut Builder,
    op: &Op,
    inputs: &[Id],
    origin: Origin,
) -> Option<Rewrite> {
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
