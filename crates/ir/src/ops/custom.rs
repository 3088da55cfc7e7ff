//! Ops with effects on differentiation or on state: `Detach`, `Write`, and `Custom`, a
//! user-defined op.
use super::{Class, OpDef, Vjp, primitive};
use crate::array::Array;
use crate::error::{Error, Result};
use crate::recorder::{Expr, Recorder};
use crate::shape::Type;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

primitive! {
    /// The same value, through which no gradient flows.
    pub struct Detach {}
}

primitive! {
    /// Operands `(input, value)`: at the end of the run, the input gets this value.
    pub struct Write {}
}

impl OpDef for Detach {
    fn class(&self) -> Class {
        Class::Pointwise
    }

    fn infer(&self, inputs: &[&Type]) -> Result<Type> {
        Ok(inputs[0].clone())
    }

    fn grad<'g>(&self, _: &Vjp<'g>) -> Vec<Option<Expr<'g>>> {
        vec![None]
    }

    fn eval(&self, inputs: &[&Array], _: &Type) -> Result<Array> {
        Ok(inputs[0].clone())
    }
}

impl OpDef for Write {
    fn class(&self) -> Class {
        Class::Write
    }

    fn arity(&self) -> Option<usize> {
        Some(2)
    }

    fn infer(&self, inputs: &[&Type]) -> Result<Type> {
        if inputs[0] != inputs[1] {
            let error = Error::shape("write", "target and value differ in type");
            return Err(error.operand("target", inputs[0]).operand("value", inputs[1]));
        }
        Ok(inputs[1].clone())
    }

    fn grad<'g>(&self, v: &Vjp<'g>) -> Vec<Option<Expr<'g>>> {
        vec![None, v.when(1, || v.dy)]
    }

    fn eval(&self, inputs: &[&Array], _: &Type) -> Result<Array> {
        Ok(inputs[1].clone())
    }
}

/// A user-defined op: shape rule, evaluation and gradient.
pub trait CustomOp: Send + Sync {
    fn name(&self) -> &'static str;
    fn infer(&self, inputs: &[&Type]) -> Result<Type>;
    fn eval(&self, inputs: &[&Array], out: &Type) -> Result<Array>;
    fn grad<'g>(&self, v: &Vjp<'g>) -> Vec<Option<Expr<'g>>>;
    /// Whether the result is the first operand, so that nothing has to run.
    fn passes_through(&self) -> bool {
        false
    }
}

/// The primitive that applies a user-defined op. Two are equal if they share the object.
#[derive(Clone)]
pub struct Custom(pub Arc<dyn CustomOp>);

impl Custom {
    fn address(&self) -> usize {
        Arc::as_ptr(&self.0).cast::<()>() as usize
    }
}

impl fmt::Debug for Custom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Custom({})", self.0.name())
    }
}

impl PartialEq for Custom {
    fn eq(&self, other: &Custom) -> bool {
        self.address() == other.address()
    }
}

impl Eq for Custom {}

impl Hash for Custom {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.name().hash(state);
        self.address().hash(state);
    }
}

impl OpDef for Custom {
    fn class(&self) -> Class {
        Class::Library
    }

    fn arity(&self) -> Option<usize> {
        None
    }

    fn infer(&self, inputs: &[&Type]) -> Result<Type> {
        self.0.infer(inputs)
    }

    fn grad<'g>(&self, v: &Vjp<'g>) -> Vec<Option<Expr<'g>>> {
        self.0.grad(v)
    }

    fn eval(&self, inputs: &[&Array], out: &Type) -> Result<Array> {
        self.0.eval(inputs, out)
    }
}

/// The gradient rule of [`custom_gradient`]: from the inputs, the output and dy to one gradient
/// per input.
pub type Backward =
    Arc<dyn for<'g> Fn(&[Expr<'g>], Expr<'g>, Expr<'g>) -> Vec<Option<Expr<'g>>> + Send + Sync>;

/// `value`, computed from `inputs` by any ops, with the gradient `backward` instead of theirs.
#[track_caller]
pub fn custom_gradient<'g>(
    g: &'g Recorder,
    name: &'static str,
    inputs: &[Expr<'g>],
    value: Expr<'g>,
    backward: Backward,
) -> Result<Expr<'g>> {
    let operands = [&[value.detach()], inputs].concat();
    g.push(Custom(Arc::new(WithGradient { name, backward })), &operands)
}

/// Returns its first operand; the gradient flows to the other operands.
struct WithGradient {
    name: &'static str,
    backward: Backward,
}

impl CustomOp for WithGradient {
    fn name(&self) -> &'static str {
        self.name
    }

    fn infer(&self, inputs: &[&Type]) -> Result<Type> {
        Ok(inputs[0].clone())
    }

    fn eval(&self, inputs: &[&Array], _: &Type) -> Result<Array> {
        Ok(inputs[0].clone())
    }

    fn grad<'g>(&self, v: &Vjp<'g>) -> Vec<Option<Expr<'g>>> {
        let mut gradients = vec![None];
        gradients.extend((self.backward)(&v.inputs[1..], v.out, v.dy));
        gradients
    }

    fn passes_through(&self) -> bool {
        true
    }
}
