//! `Cast`: conversion to another dtype, to the nearest value.
use super::{Class, OpDef, Vjp, primitive};
use crate::array::{Array, Data};
use crate::dtype::DType;
use crate::error::Result;
use crate::recorder::Expr;
use crate::shape::Type;

primitive! {
    /// Floats are rounded towards zero to integers; as `bool`, all but zero is `true`.
    pub struct Cast { dtype: DType }
}

impl OpDef for Cast {
    fn class(&self) -> Class {
        Class::Pointwise
    }

    fn cost(&self) -> Option<u32> {
        Some(1)
    }

    fn infer(&self, inputs: &[&Type]) -> Result<Type> {
        Ok(Type::new(self.dtype, inputs[0].shape.clone()))
    }

    fn grad<'g>(&self, v: &Vjp<'g>) -> Vec<Option<Expr<'g>>> {
        vec![v.when(0, || v.dy.cast(v.x().dtype()))]
    }

    fn eval(&self, inputs: &[&Array], out: &Type) -> Result<Array> {
        Ok(match &inputs[0].data {
            Data::Int(x) => Array::from_i64(out, x.iter().copied()),
            Data::Float(x) if out.dtype == DType::Bool => {
                Array::from_i64(out, x.iter().map(|&x| (x != 0.0) as i64))
            }
            Data::Float(x) => Array::from_f64(out, x.iter().copied()),
        })
    }
}
