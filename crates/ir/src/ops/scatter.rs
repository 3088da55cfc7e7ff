//! `Scatter`: combines elements into a tensor at indices along one axis, in the order of the
//! source.
use super::gather::{check_index, targets};
use super::{Class, OpDef, Vjp, primitive};
use crate::array::{Array, Data};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::recorder::Expr;
use crate::shape::Type;
use crate::value::choice;

choice! {
    pub enum ScatterOp {
        /// Of several sources for one target the last is written.
        Set = "set",
        Add = "add",
        Max = "max",
        Min = "min",
        Prod = "prod",
    }
}

primitive! {
    /// Of `(x, index, src)`: `x` with `src` combined in at `x[…, index[…, j, …], …]`.
    pub struct Scatter { axis: usize, by: ScatterOp }
}

impl OpDef for Scatter {
    fn class(&self) -> Class {
        Class::Library
    }

    fn arity(&self) -> Option<usize> {
        Some(3)
    }

    fn flops(&self, inputs: &[&Type], _: &Type) -> usize {
        inputs[2].elements()
    }

    fn infer(&self, inputs: &[&Type]) -> Result<Type> {
        let [x, index, src] = [inputs[0], inputs[1], inputs[2]];
        check_index("scatter", self.axis, x, index)?;
        let fail = |e: Error| e.operand("input", x).operand("index", index).operand("src", src);
        if src.shape != index.shape {
            return Err(fail(Error::shape("scatter", "src and index differ in shape")));
        }
        if src.dtype != x.dtype {
            let what = format!("src is {} but input is {}", src.dtype, x.dtype);
            return Err(fail(Error::dtype("scatter", what)));
        }
        Ok(x.clone())
    }

    fn grad<'g>(&self, v: &Vjp<'g>) -> Vec<Option<Expr<'g>>> {
        let [x, index, src] = [v.inputs[0], v.inputs[1], v.inputs[2]];
        let at_src = |y: Expr<'g>| y.gather(self.axis, index);
        let add = |x: Expr<'g>, src| x.scatter(self.axis, index, src, ScatterOp::Add);
        let (dx, dsrc) = match self.by {
            ScatterOp::Add => (v.when(0, || v.dy), v.when(2, || at_src(v.dy))),
            ScatterOp::Set => {
                let zeros = src.zeros_like();
                let dx = v.when(0, || v.dy.scatter(self.axis, index, zeros, ScatterOp::Set));
                let dsrc = v.when(2, || {
                    // Only the last source of each target has a gradient.
                    let order = v.g.iota(src.elements(), DType::I64).reshape(&src.shape());
                    let none = v.g.constant(0, DType::I64, &x.shape());
                    let last = none.scatter(self.axis, index, order, ScatterOp::Set);
                    at_src(last).eq(order).choose(at_src(v.dy), src.zeros_like())
                });
                (dx, dsrc)
            }
            ScatterOp::Max | ScatterOp::Min => {
                let is_from_x = x.eq(v.out).cast(v.dy.dtype());
                let is_from_src = src.eq(at_src(v.out)).cast(v.dy.dtype());
                let share = v.dy / add(is_from_x, is_from_src);
                (v.when(0, || is_from_x * share), v.when(2, || is_from_src * at_src(share)))
            }
            ScatterOp::Prod => {
                // The product of all factors but one: by division where that one is not zero,
                // else the product of the others if they have no zero.
                let is_zero = |f: Expr<'g>| f.eq(f.zeros_like());
                let without_zeros = |f: Expr<'g>| is_zero(f).choose(f.like(1.0), f);
                let count = |f: Expr<'g>| is_zero(f).cast(v.dy.dtype());
                let zeros = add(count(x), count(src));
                let others =
                    without_zeros(x).scatter(self.axis, index, without_zeros(src), ScatterOp::Prod);
                let alone = zeros.eq(zeros.like(1.0)).choose(others, zeros.zeros_like());
                let slope = |f: Expr<'g>, out: Expr<'g>, alone: Expr<'g>| {
                    is_zero(f).choose(alone, out / without_zeros(f))
                };
                let dx = v.when(0, || v.dy * slope(x, v.out, alone));
                let dsrc = v.when(2, || at_src(v.dy) * slope(src, at_src(v.out), at_src(alone)));
                (dx, dsrc)
            }
        };
        vec![dx, None, dsrc]
    }

    fn eval(&self, inputs: &[&Array], out: &Type) -> Result<Array> {
        let [x, index, src] = [inputs[0], inputs[1], inputs[2]];
        let targets = targets("scatter", self.axis, &x.ty, index)?;
        if let (Data::Int(_), Data::Int(src)) = (&x.data, &src.data) {
            let mut y = x.to_i64();
            for (&to, &s) in targets.iter().zip(src) {
                y[to] = match self.by {
                    ScatterOp::Set => s,
                    ScatterOp::Add => y[to].wrapping_add(s),
                    ScatterOp::Max => y[to].max(s),
                    ScatterOp::Min => y[to].min(s),
                    ScatterOp::Prod => y[to].wrapping_mul(s),
                };
            }
            return Ok(Array::from_i64(out, y));
        }
        let mut y = x.to_f64();
        for (n, &to) in targets.iter().enumerate() {
            let s = src.f64(n);
            let nan = s.is_nan() || y[to].is_nan();
            y[to] = match self.by {
                ScatterOp::Set => s,
                ScatterOp::Add => y[to] + s,
                ScatterOp::Max | ScatterOp::Min if nan => f64::NAN,
                ScatterOp::Max => y[to].max(s),
                ScatterOp::Min => y[to].min(s),
                ScatterOp::Prod => y[to] * s,
            };
        }
        Ok(Array::from_f64(out, y))
    }
}
