//! Leaves, which have no operands: inputs, constants, slots and counters.
use super::{Class, OpDef, Vjp, primitive};
use crate::array::Array;
use crate::dtype::{DType, Number};
use crate::error::{Error, Result};
use crate::recorder::Expr;
use crate::shape::{Shape, Type};
use crate::value::choice;

choice! {
    /// The lifetime of an input, and whether runs change it.
    pub enum Role {
        /// Bound for each run.
        Data = "data",
        /// Trained: kept between runs, changed by `Write`.
        Param = "param",
        /// Kept between runs but not trained, such as optimizer moments.
        State = "state",
    }
}

primitive! {
    /// A tensor that is bound at run time.
    pub struct Input { name: String, role: Role, dtype: DType, shape: Shape }
}

primitive! {
    /// A tensor full of one number that is part of the program.
    pub struct Const { value: Number, dtype: DType, shape: Shape }
}

primitive! {
    /// A number that is set for each run; its value is not part of the program.
    pub struct Slot { slot: usize, dtype: DType }
}

primitive! {
    /// `0, 1, …, len − 1`.
    pub struct Iota { len: usize, dtype: DType }
}

macro_rules! leaf {
    ($op:ident, $cost:expr, $this:ident => $ty:expr, $out:ident => $eval:expr) => {
        impl OpDef for $op {
            fn class(&self) -> Class {
                Class::Leaf
            }
            fn arity(&self) -> Option<usize> {
                Some(0)
            }
            fn cost(&self) -> Option<u32> {
                const COST: fn(&$op) -> Option<u32> = $cost;
                COST(self)
            }
            fn infer(&self, _: &[&Type]) -> Result<Type> {
                let $this = self;
                Ok($ty)
            }
            fn grad<'g>(&self, _: &Vjp<'g>) -> Vec<Option<Expr<'g>>> {
                Vec::new()
            }
            fn eval(&self, _: &[&Array], $out: &Type) -> Result<Array> {
                let $this = self;
                $eval
            }
        }
    };
}
leaf!(Const, |_| Some(1), this => Type::new(this.dtype, this.shape.clone()),
    out => Ok(Array::full(out, this.value)));
leaf!(Iota, |_| Some(1), this => Type::new(this.dtype, [this.len]),
    out => Ok(Array::from_i64(out, 0..this.len as i64)));
// A single element is cheap to load again.
leaf!(Input, |input| (input.shape.elements() == 1).then_some(1), this => Type::new(this.dtype, this.shape.clone()),
    _out => Err(Error::data("input", format!("'{}' has no value", this.name))));
leaf!(Slot, |_| Some(1), this => Type::new(this.dtype, []),
    _out => Err(Error::data("slot", format!("slot {} has no value", this.slot))));
