//! `Map`: applies a scalar function to every element of tensors of one shape.
use super::{Class, Kind, OpDef, Scalar, Vjp};
use crate::array::{Array, Data};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::recorder::Expr;
use crate::shape::Type;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Map(pub Scalar);

impl OpDef for Map {
    fn class(&self) -> Class {
        Class::Pointwise
    }

    fn arity(&self) -> Option<usize> {
        Some(self.0.def().arity)
    }

    fn cost(&self) -> Option<u32> {
        Some(self.0.def().cost())
    }

    fn infer(&self, inputs: &[&Type]) -> Result<Type> {
        let def = self.0.def();
        let name = def.name;
        if inputs.iter().any(|x| x.shape != inputs[0].shape) {
            return Err(Error::shape(name, "shapes differ").operands(inputs));
        }
        let values = if def.kind == Kind::Select { &inputs[1..] } else { inputs };
        let dtype = values[0].dtype;
        if values.iter().any(|x| x.dtype != dtype) {
            return Err(Error::dtype(name, "dtypes differ").operands(inputs));
        }
        let (is_accepted, expected) = match def.kind {
            Kind::Float => (dtype.is_float(), "floats"),
            Kind::Bits => (!dtype.is_float(), "integers or bools"),
            Kind::Select => (inputs[0].dtype == DType::Bool, "a bool condition"),
            Kind::Any | Kind::Compare => (true, ""),
        };
        if !is_accepted {
            return Err(Error::dtype(name, format!("expected {expected}")).operands(inputs));
        }
        let result = if def.kind == Kind::Compare { DType::Bool } else { dtype };
        Ok(Type::new(result, inputs[0].shape.clone()))
    }

    fn grad<'g>(&self, v: &Vjp<'g>) -> Vec<Option<Expr<'g>>> {
        let rules = self.0.def().grad.iter().enumerate();
        let mut gradients: Vec<_> = rules.map(|(n, rule)| v.when(n, || rule(v))).collect();
        gradients.resize(v.inputs.len(), None);
        gradients
    }

    fn eval(&self, inputs: &[&Array], out: &Type) -> Result<Array> {
        let def = self.0.def();
        let is_int = inputs.iter().all(|x| matches!(x.data, Data::Int(_)));
        let indices = 0..out.elements();
        if self.0 == Scalar::BitwiseNot && out.dtype == DType::Bool {
            return Ok(Array::from_i64(out, indices.map(|i| 1 - inputs[0].i64(i))));
        }
        if let (true, Some(int)) = (is_int, def.int) {
            let at =
                |i| int(&[0, 1, 2].map(|n| inputs.get(n).map_or(0, |x| x.i64(i)))[..def.arity]);
            return Ok(Array::from_i64(out, indices.map(at)));
        }
        let at = |i| {
            (def.eval)(&[0, 1, 2].map(|n| inputs.get(n).map_or(0.0, |x| x.f64(i)))[..def.arity])
        };
        Ok(Array::from_f64(out, indices.map(at)))
    }
}
