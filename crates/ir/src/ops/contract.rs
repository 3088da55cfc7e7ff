//! `Contract`: batched matrix product over the last two axes; the leading axes are equal. A library
//! kernel on every device; transposed operands are permuted views.
use super::{Class, OpDef, Vjp, primitive};
use crate::array::{Array, Data};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::recorder::Expr;
use crate::shape::Type;

primitive! {
    /// `a [B…, m, k]` by `b [B…, k, n]` is `[B…, m, n]`.
    pub struct Contract {}
}

impl OpDef for Contract {
    fn class(&self) -> Class {
        Class::Library
    }

    fn arity(&self) -> Option<usize> {
        Some(2)
    }

    fn flops(&self, inputs: &[&Type], out: &Type) -> usize {
        let k = inputs[0].shape.last().copied().unwrap_or(1);
        2 * out.elements() * k
    }

    fn infer(&self, inputs: &[&Type]) -> Result<Type> {
        let [a, b] = [inputs[0], inputs[1]];
        let fail = |what: &str| Error::shape("contract", what).operands(inputs);
        if a.rank() < 2 || b.rank() < 2 {
            return Err(fail("both operands must have two axes"));
        }
        let ((batch, [m, k]), (other, [k2, n])) = (split(a), split(b));
        if batch != other {
            return Err(fail("the leading axes differ"));
        }
        if k != k2 {
            return Err(fail(&format!("a has {k} columns but b has {k2} rows")));
        }
        if a.dtype != b.dtype || a.dtype == DType::Bool {
            let what = "operands must be numbers of one dtype";
            return Err(Error::dtype("contract", what).operands(inputs));
        }
        let shape = [batch, &[m, n]].concat();
        Ok(Type::new(a.dtype, shape))
    }

    fn grad<'g>(&self, v: &Vjp<'g>) -> Vec<Option<Expr<'g>>> {
        let [a, b] = [v.inputs[0], v.inputs[1]];
        let da = v.when(0, || v.dy.contract(b.transposed()));
        let db = v.when(1, || a.transposed().contract(v.dy));
        vec![da, db]
    }

    fn eval(&self, inputs: &[&Array], out: &Type) -> Result<Array> {
        let [a, b] = [inputs[0], inputs[1]];
        let (_, [m, k]) = split(&a.ty);
        let (_, [_, n]) = split(&b.ty);
        let terms = |at: usize| {
            let (batch, i, j) = (at / (m * n), at / n % m, at % n);
            (0..k).map(move |p| ((batch * m + i) * k + p, (batch * k + p) * n + j))
        };
        let outputs = 0..out.elements();
        Ok(match (&a.data, &b.data) {
            (Data::Int(a), Data::Int(b)) => {
                let add = |s: i64, (i, j): (usize, usize)| s.wrapping_add(a[i].wrapping_mul(b[j]));
                Array::from_i64(out, outputs.map(|at| terms(at).fold(0, add)))
            }
            _ => {
                let (a, b) = (a.to_f64(), b.to_f64());
                let dot = |at| terms(at).map(|(i, j)| a[i] * b[j]).sum::<f64>();
                Array::from_f64(out, outputs.map(dot))
            }
        })
    }
}

/// The leading axes and the last two.
fn split(ty: &Type) -> (&[usize], [usize; 2]) {
    let (batch, matrix) = ty.shape.split_at(ty.rank() - 2);
    (batch, [matrix[0], matrix[1]])
}
