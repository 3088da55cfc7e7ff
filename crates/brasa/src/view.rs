//! Views and in-place updates. Values never change once they are recorded; an update points a
//! tensor to a new value. A view remembers the movement ops that derive it from its base, so that
//! an update of either is visible in both.
use crate::args::Enter;
use crate::autograd::{enable_grad, no_grad};
use crate::session::{Scope, record, session};
use crate::storage::lock;
use crate::{Error, Operand, Result, Tensor, ops};
use brasa_ir::ops::{Op, Reshape, Scalar};
use brasa_ir::{DType, Expr, Graph, Id, Site};
use std::panic::Location;
use std::sync::Arc;

/// How a tensor is derived from its base.
#[derive(Clone)]
pub(crate) struct View {
    base: Tensor,
    /// The movement ops that lead from the base to the view.
    moves: Vec<Op>,
    /// The version of the base from which the view's value was computed.
    version: u64,
}

impl View {
    /// Computes the view from the current value of its base.
    pub(crate) fn enter<'g>(&mut self, s: &Scope<'g>) -> Expr<'g> {
        self.version = self.base.cell().version;
        // A detached view does not lead to a leaf.
        let is_cut = self.moves.iter().any(|op| matches!(op, Op::Detach(_)));
        let enter = || self.base.enter(s);
        let base = if is_cut { no_grad(enter) } else { enter() };
        self.moves.iter().fold(base, |x, op| s.g.emit(op.clone(), &[x]))
    }

    pub(crate) fn is_of_leaf(&self) -> bool {
        self.base.cell().is_leaf
    }
}

/// The tensor that the results of a call may be views of.
pub(crate) struct ViewBase {
    base: Tensor,
    /// Its node in the call, the version of its value, and the view that it is itself.
    entered: Option<(Id, u64, Option<View>)>,
}

impl ViewBase {
    pub(crate) fn new(base: &Tensor) -> ViewBase {
        ViewBase { base: base.clone(), entered: None }
    }

    /// Records the node of an operand, if the operand is the base.
    pub(crate) fn enter(&mut self, x: &Tensor, node: Id, version: u64, view: Option<&View>) {
        if self.entered.is_none() && Arc::ptr_eq(&self.base.0, &x.0) {
            self.entered = Some((node, version, view.cloned()));
        }
    }

    /// The view that a result is: of the base, or of the tensor that the base itself is a view of.
    pub(crate) fn view(&self, graph: &Graph, result: Id) -> Option<View> {
        let (node, version, outer) = self.entered.as_ref()?;
        let moves = moves(graph, *node, result)?;
        Some(match outer {
            None => View { base: self.base.clone(), moves, version: *version },
            Some(outer) => View { moves: [&outer.moves[..], &moves].concat(), ..outer.clone() },
        })
    }
}

impl Tensor {
    /// Recomputes a view whose base was updated.
    pub(crate) fn refresh(&self) {
        let Some(mut view) = self.stale_view() else { return };
        if self.is_outside_view() {
            return;
        }
        view.base.settle_tensor();
        // The base determines whether a gradient flows, not the place where the view is used again.
        let fresh = enable_grad(|| record("view", |s| Ok(view.enter(s).id())));
        let version = view.version;
        session(|own| {
            // Locked to the end, so that no other thread computes the recording meanwhile.
            let mut session = lock(own);
            let (recorded, data, tracked, spent) = {
                let fresh = fresh.cell();
                (fresh.recorded.clone(), fresh.data.clone(), fresh.is_tracked, fresh.is_spent)
            };
            let mut cell = self.cell();
            // Another thread may have seen a later version already.
            let Some(view) = cell.view.as_mut().filter(|view| view.version < version) else {
                return;
            };
            view.version = version;
            (cell.recorded, cell.data, cell.home) = (recorded, data, None);
            (cell.is_tracked, cell.is_spent, cell.is_released) = (tracked, spent, false);
            session.state.get_mut().live.push(Arc::downgrade(&self.0));
        });
    }

    /// Whether the tensor is a view that was made outside of the compiled function that is being
    /// recorded. The function must not change it, so each use derives it from its base again.
    pub(crate) fn is_outside_view(&self) -> bool {
        let recorded = {
            let cell = self.cell();
            if cell.view.is_none() || cell.is_leaf {
                return false;
            }
            cell.recorded.clone()
        };
        session(|own| {
            let is_inside = recorded.is_some_and(|recorded| Arc::ptr_eq(&recorded.session, own));
            !is_inside && lock(own).is_compiling()
        })
    }

    fn stale_view(&self) -> Option<View> {
        let cell = self.cell();
        let view = cell.view.as_ref()?;
        (view.base.cell().version != view.version).then(|| view.clone())
    }

    /// A new tensor that shares the memory of this one.
    #[track_caller]
    pub(crate) fn alias(&self, call: &'static str) -> Tensor {
        let base = self.base();
        let _turn = base.turn();
        self.settle();
        record(call, |s| {
            s.view_of(self);
            Ok(self.enter(s).detach().id())
        })
    }

    /// Number of in-place updates of this tensor, or of its base if it is a view.
    pub fn version(&self) -> u64 {
        let cell = self.cell();
        match &cell.view {
            Some(view) => view.base.cell().version,
            None => cell.version,
        }
    }

    /// Replaces the value of this tensor, and of all views of the same memory, by `value`, which is
    /// broadcast to its shape, converted to its dtype and moved to its device.
    #[track_caller]
    pub fn copy_(&self, value: impl Into<Operand>) -> &Tensor {
        let base = self.base();
        let _turn = base.turn();
        self.write(value.into())
    }

    /// The tensor whose memory this one shares; itself if it is no view.
    pub(crate) fn base(&self) -> Tensor {
        self.cell().view.as_ref().map_or_else(|| self.clone(), |view| view.base.clone())
    }

    /// [`copy_`](Tensor::copy_) for callers that hold the lock of [`turn`](Tensor::turn).
    #[track_caller]
    pub(crate) fn write(&self, value: Operand) -> &Tensor {
        let value = match value {
            Operand::Tensor(x) => Operand::Tensor(x.to(self.device())),
            number => number,
        };
        value.settle();
        self.settle();
        let ty = self.ty();
        let new = record("copy_", |s| {
            let value = match value.enter(s) {
                brasa_ir::Operand::Tensor(x) => x,
                brasa_ir::Operand::Number(n) => s.g.number(n, ty.dtype),
            };
            if !brasa_ir::shape::expands_to(&value.shape(), &ty.shape) {
                let error = Error::shape("copy_", "the new value does not broadcast to the tensor");
                return Err(error.operand("tensor", ty).operand("value", &value.ty()));
            }
            Ok(value.cast(ty.dtype).expand(&ty.shape).id())
        });
        self.assign("copy_", &new);
        self
    }

    /// Stores the result of an op on this tensor, unless its dtype cannot hold it: fractions would
    /// be truncated silently. The caller has held the lock of [`turn`](Tensor::turn) since before
    /// the op, so that no update by another thread gets lost.
    #[track_caller]
    pub(crate) fn replace(&self, call: &'static str, new: Tensor) -> &Tensor {
        let (own, result) = (self.dtype(), new.dtype());
        let rank = |dtype: DType| match dtype {
            DType::Bool => 0,
            dtype if dtype.is_float() => 2,
            _ => 1,
        };
        if new.fault().is_some() || rank(result) <= rank(own) {
            return self.write(new.into());
        }
        let what = format!("the result is {result}, which a tensor of {own} cannot hold");
        let help = format!(
            "convert first, x.to(DType::{result:?}), or use the op that gives a new tensor"
        );
        let error = Error::dtype(call, what).operand("tensor", self.ty()).help(help);
        crate::session::reject(&error.at(Site::Rust(Location::caller())));
        self
    }

    /// Points this tensor to the value of `new`, which has the same type.
    #[track_caller]
    pub(crate) fn assign(&self, call: &'static str, new: &Tensor) {
        let is_leaf = self.cell().is_leaf;
        if is_leaf && crate::autograd::is_grad_enabled() {
            let error =
                Error::argument(call, "a leaf that requires a gradient cannot be updated in place");
            let help = "update it inside no_grad(|| ...)";
            crate::session::reject(&error.operand("tensor", self.ty()).help(help));
            return;
        }
        if new.fault().is_some() {
            return;
        }
        let view = self.cell().view.clone();
        new.settle();
        match view {
            None => {
                _ = record(call, |s| {
                    let node = new.enter(s).id();
                    s.assign(self, node);
                    Ok(Vec::<Id>::new())
                })
            }
            Some(view) => {
                view.base.settle();
                let base = record(call, |s| {
                    write_through(view.base.enter(s), &view.moves, new.enter(s)).map(|x| x.id())
                });
                view.base.assign(call, &base);
            }
        }
    }
}

/// The movement ops that lead from `from` to `to`; `None` if other ops take part.
fn moves(graph: &Graph, from: Id, to: Id) -> Option<Vec<Op>> {
    let (mut at, mut moves) = (to, Vec::new());
    while at != from {
        let node = &graph[at];
        match node.op {
            Op::Reshape(_) | Op::Permute(_) | Op::Slice(_) | Op::Expand(_) | Op::Detach(_) => {}
            _ => return None,
        }
        moves.push(node.op.clone());
        at = node.inputs[0];
    }
    moves.reverse();
    Some(moves)
}

/// `base` with `value` written to the elements that the view by `moves` covers.
fn write_through<'g>(base: Expr<'g>, moves: &[Op], value: Expr<'g>) -> Result<Expr<'g>> {
    let Some((first, rest)) = moves.split_first() else { return Ok(value) };
    let inner = base.recorder().push(first.clone(), &[base])?;
    let inner = write_through(inner, rest, value)?;
    let shape = base.shape();
    Ok(match first {
        Op::Detach(_) => inner,
        Op::Reshape(Reshape { .. }) => inner.reshape(&shape),
        Op::Permute(permute) => {
            let mut back = vec![0; permute.axes.len()];
            permute.axes.iter().enumerate().for_each(|(to, &from)| back[from] = to);
            inner.permute(&back)
        }
        Op::Slice(slice) => {
            let (mut value, mut mask) = (inner, inner.like(1.0).cast(DType::Bool));
            for axis in 0..shape.len() {
                let (start, len, step) = (slice.start[axis], slice.len[axis], slice.step[axis]);
                value = scatter_along(value, axis, [start, len, step], shape[axis]);
                mask = scatter_along(mask, axis, [start, len, step], shape[axis]);
            }
            Expr::map(Scalar::Select, &[mask, value, base])
        }
        _ => {
            let what = "several elements of this tensor share one memory location";
            let error = base.argument_error(what);
            return Err(error.help("copy it first: x.clone_value()"));
        }
    })
}

/// Places the elements of an axis at `start`, `start + step`, … on an axis of length `total`.
fn scatter_along<'g>(
    x: Expr<'g>,
    axis: usize,
    [start, len, step]: [usize; 3],
    total: usize,
) -> Expr<'g> {
    if len == 0 || (start == 0 && len == total) {
        let missing = if len == 0 { total } else { 0 };
        return x.pad(axis, 0, missing, 0.0);
    }
    let mut shape = x.shape();
    let apart = x.unsqueeze(axis + 1).pad(axis + 1, 0, step - 1, 0.0);
    shape[axis] = len * step;
    let flat = apart.reshape(&shape);
    let kept = (total - start).min(len * step);
    flat.narrow(axis, 0, kept).pad(axis, start, total - start - kept, 0.0)
}

macro_rules! in_place {
    ($($(#[$doc:meta])* $name:ident = $op:ident($($arg:ident),*);)*) => {
        impl Tensor {$(
            $(#[$doc])*
            #[track_caller]
            pub fn $name(&self, $($arg: impl Into<Operand>),*) -> &Tensor {
                let base = self.base();
                let _turn = base.turn();
                let new = ops::$op(self, $($arg),*);
                self.replace(stringify!($name), new)
            }
        )*}
    };
}
in_place! {
    /// Adds to this tensor in place.
    add_ = add(other);
    /// Subtracts from this tensor in place.
    sub_ = sub(other);
    /// Multiplies this tensor in place.
    mul_ = mul(other);
    /// Divides this tensor in place.
    div_ = div(other);
    /// Raises this tensor to a power in place.
    pow_ = pow(other);
}

macro_rules! unary_in_place {
    ($($name:ident = $op:ident),*) => {
        impl Tensor {$(
            #[doc = concat!("[`", stringify!($op), "`](Tensor::", stringify!($op), ") in place.")]
            #[track_caller]
            pub fn $name(&self) -> &Tensor {
                let base = self.base();
                let _turn = base.turn();
                let new = ops::$op(self);
                self.replace(stringify!($name), new)
            }
        )*}
    };
}
unary_in_place!(
    abs_ = abs,
    neg_ = neg,
    exp_ = exp,
    log_ = log,
    sqrt_ = sqrt,
    square_ = square,
    relu_ = relu,
    sigmoid_ = sigmoid,
    tanh_ = tanh,
    floor_ = floor,
    ceil_ = ceil,
    round_ = round,
    reciprocal_ = reciprocal
);

impl Tensor {
    /// Fills this tensor with zeros in place.
    #[track_caller]
    pub fn zero_(&self) -> &Tensor {
        self.copy_(0.0)
    }

    /// Fills this tensor with a number in place.
    #[track_caller]
    pub fn fill_(&self, value: impl Into<Operand>) -> &Tensor {
        self.copy_(value)
    }

    /// Limits the elements of this tensor to a range in place.
    #[track_caller]
    pub fn clamp_(&self, min: impl Into<Operand>, max: impl Into<Operand>) -> &Tensor {
        let base = self.base();
        let _turn = base.turn();
        self.replace("clamp_", ops::clamp(self, min, max))
    }

    /// Sets the elements where `mask` is true in place.
    #[track_caller]
    pub fn masked_fill_(&self, mask: &Tensor, value: impl Into<Operand>) -> &Tensor {
        let base = self.base();
        let _turn = base.turn();
        self.replace("masked_fill_", ops::masked_fill(self, mask, value))
    }

    /// Fills this tensor with normal draws in place.
    #[track_caller]
    pub fn normal_(&self, mean: f64, std: f64) -> &Tensor {
        let base = self.base();
        let _turn = base.turn();
        self.replace("normal_", ops::normal(mean, std, self.shape()))
    }

    /// Fills this tensor with uniform draws in place.
    #[track_caller]
    pub fn uniform_(&self, low: f64, high: f64) -> &Tensor {
        let base = self.base();
        let _turn = base.turn();
        self.replace("uniform_", ops::uniform_with(self.shape(), |o| o.low(low).high(high)))
    }

    /// A copy in its own memory, through which gradients flow.
    #[track_caller]
    pub fn clone_value(&self) -> Tensor {
        ops::positive(self)
    }
}
