//! The ops, in three tiers, the cheapest to add first: composites (`compose/`), scalar functions
//! (rows of `scalar/table.rs`) and primitives (one file each, one line in the enum below). See
//! "Adding an op" in CONTRIBUTING.md.
mod cast;
pub mod compose;
mod contract;
mod conv;
mod custom;
mod elementwise;
mod gather;
mod leaf;
mod map;
mod movement;
mod random;
mod reduce;
mod scalar;
mod scan;
mod scatter;
mod sort;
mod special;
mod window;

pub use cast::Cast;
pub use contract::Contract;
pub use conv::Conv;
pub use custom::{Backward, Custom, CustomOp, Detach, Write, custom_gradient};
pub use elementwise::{common_shape, common_type, elementwise, promoted};
pub use gather::Gather;
pub use leaf::{Const, Input, Iota, Role, Slot};
pub use map::Map;
pub use movement::{Expand, Flip, Pad, Permute, Reshape, Slice};
pub use random::{Random, threefry};
pub use reduce::{ArgReduce, Reduce, ReduceOp};
pub use scalar::{Kind, Rule, Scalar, ScalarDef, Wgsl};
pub use scan::{Scan, ScanOp};
pub use scatter::{Scatter, ScatterOp};
pub use sort::Sort;
pub use window::{Fold, Window};

use crate::array::Array;
use crate::error::Result;
use crate::recorder::{Expr, Recorder};
use crate::shape::Type;
use crate::value::Value;
use crate::view::View;
use std::fmt::Debug;

/// How the compiler and devices treat a primitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Produces elements without reading tensors.
    Leaf,
    /// Computes each element from the elements at the same position.
    Pointwise,
    /// Rearranges, repeats or pads elements: see [`OpDef::view`].
    Movement,
    Reduction,
    /// Has an algorithm of its own and runs in a launch of its own, possibly with an epilogue.
    Library,
    /// Stores a value in an input.
    Write,
}

/// The device-independent definition of a primitive.
pub trait OpDef: Debug {
    fn class(&self) -> Class;

    /// The number of operands; `None` for custom ops, whose `infer` checks it.
    fn arity(&self) -> Option<usize> {
        Some(1)
    }

    /// For movement ops: how the result is read from storage, given how the operand is.
    fn view(&self, _: &View) -> Option<View> {
        None
    }

    /// Rough cost of an element in additions, without its operands; `None` for ops that are never
    /// recomputed.
    fn cost(&self) -> Option<u32> {
        (self.class() == Class::Movement).then_some(0)
    }

    /// Arithmetic operations of a library op: two per multiply-add, one per element otherwise.
    fn flops(&self, _: &[&Type], _: &Type) -> usize {
        0
    }

    /// The type of the output, or an error if the operands are invalid.
    fn infer(&self, inputs: &[&Type]) -> Result<Type>;
    /// One gradient per input; `None` if no gradient flows to it or none is needed.
    fn grad<'g>(&self, v: &Vjp<'g>) -> Vec<Option<Expr<'g>>>;
    /// The reference implementation, written for clarity and not for speed. Fails only on invalid
    /// data.
    fn eval(&self, inputs: &[&Array], out: &Type) -> Result<Array>;
}

/// The arguments of a gradient rule: inputs, output and incoming gradient.
pub struct Vjp<'g> {
    pub g: &'g Recorder,
    pub inputs: Vec<Expr<'g>>,
    pub out: Expr<'g>,
    pub dy: Expr<'g>,
    /// Whether each input needs a gradient.
    pub needs: Vec<bool>,
}

impl<'g> Vjp<'g> {
    /// The only input of a unary op.
    pub fn x(&self) -> Expr<'g> {
        self.inputs[0]
    }

    /// The gradient of input `n`, recorded only if it is needed.
    pub fn when(&self, n: usize, rule: impl FnOnce() -> Expr<'g>) -> Option<Expr<'g>> {
        self.needs[n].then(rule)
    }
}

/// The fields of a primitive, which the text form prints after name and operands and parses back.
pub(crate) trait Attributes: Sized {
    fn attributes(&self) -> Vec<(&'static str, Value)>;
    fn parse(g: &Recorder, attributes: &[(String, Value)]) -> std::result::Result<Self, String>;
}

/// Converts the attribute of this name.
pub(crate) fn attribute<'g, T: crate::value::Arg<'g>>(
    g: &'g Recorder,
    attributes: &[(String, Value)],
    name: &str,
) -> std::result::Result<T, String> {
    let found = attributes.iter().find(|(key, _)| key == name);
    let (_, value) = found.ok_or_else(|| format!("missing attribute '{name}'"))?;
    T::from_value(g, value).map_err(|why| format!("{name}: {why}"))
}

/// Declares a primitive: its fields are its attributes.
macro_rules! primitive {
    ($(#[$meta:meta])* pub struct $name:ident { $($(#[$inner:meta])* $field:ident: $ty:ty),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub struct $name { $($(#[$inner])* pub $field: $ty),* }

        impl $crate::ops::Attributes for $name {
            fn attributes(&self) -> Vec<(&'static str, $crate::value::Value)> {
                vec![$((stringify!($field), $crate::value::ToValue::to_value(&self.$field))),*]
            }

            fn parse(
                _g: &$crate::recorder::Recorder,
                _attributes: &[(String, $crate::value::Value)],
            ) -> std::result::Result<Self, String> {
                Ok($name { $($field: $crate::ops::attribute(_g, _attributes, stringify!($field))?),* })
            }
        }
    };
}
pub(crate) use primitive;

macro_rules! primitives {
    ($($name:ident = $word:literal),* $(,)?) => {
        /// A primitive: the only ops that devices, gradients and passes handle.
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub enum Op { Map(Map), Custom(Custom), $($name($name)),* }

        // A `match` instead of `dyn`, so that builds without the reference device contain no
        // `eval`.
        impl OpDef for Op {
            fn class(&self) -> Class {
                match self {
                    Op::Map(op) => op.class(),
                    Op::Custom(op) => op.class(),
                    $(Op::$name(op) => op.class()),*
                }
            }

            fn arity(&self) -> Option<usize> {
                match self {
                    Op::Map(op) => op.arity(),
                    Op::Custom(op) => op.arity(),
                    $(Op::$name(op) => op.arity()),*
                }
            }

            fn view(&self, x: &View) -> Option<View> {
                match self {
                    Op::Map(_) | Op::Custom(_) => None,
                    $(Op::$name(op) => op.view(x)),*
                }
            }

            fn cost(&self) -> Option<u32> {
                match self {
                    Op::Map(op) => op.cost(),
                    Op::Custom(op) => op.cost(),
                    $(Op::$name(op) => op.cost()),*
                }
            }

            fn flops(&self, inputs: &[&Type], out: &Type) -> usize {
                match self {
                    Op::Map(op) => op.flops(inputs, out),
                    Op::Custom(op) => op.flops(inputs, out),
                    $(Op::$name(op) => op.flops(inputs, out)),*
                }
            }

            fn infer(&self, inputs: &[&Type]) -> Result<Type> {
                match self {
                    Op::Map(op) => op.infer(inputs),
                    Op::Custom(op) => op.infer(inputs),
                    $(Op::$name(op) => op.infer(inputs)),*
                }
            }

            fn grad<'g>(&self, v: &Vjp<'g>) -> Vec<Option<Expr<'g>>> {
                match self {
                    Op::Map(op) => op.grad(v),
                    Op::Custom(op) => op.grad(v),
                    $(Op::$name(op) => op.grad(v)),*
                }
            }

            fn eval(&self, inputs: &[&Array], out: &Type) -> Result<Array> {
                match self {
                    Op::Map(op) => op.eval(inputs, out),
                    Op::Custom(op) => op.eval(inputs, out),
                    $(Op::$name(op) => op.eval(inputs, out)),*
                }
            }
        }

        impl Op {
            /// The name in the text form. Names for users are in the op table.
            pub fn name(&self) -> &'static str {
                match self {
                    Op::Map(Map(function)) => function.def().name,
                    Op::Custom(op) => op.0.name(),
                    $(Op::$name(_) => $word),*
                }
            }

            pub fn attributes(&self) -> Vec<(&'static str, Value)> {
                match self {
                    Op::Map(_) | Op::Custom(_) => Vec::new(),
                    $(Op::$name(op) => op.attributes()),*
                }
            }

            /// The op of this name with these attributes; `None` if there is no such primitive.
            pub(crate) fn parse(
                g: &Recorder,
                name: &str,
                attributes: &[(String, Value)],
            ) -> Option<std::result::Result<Op, String>> {
                match name {
                    $($word => Some($name::parse(g, attributes).map(Op::$name)),)*
                    _ => Scalar::named(name).map(|function| Ok(Op::Map(Map(function)))),
                }
            }
        }

        impl From<Map> for Op {
            fn from(op: Map) -> Op { Op::Map(op) }
        }
        impl From<Custom> for Op {
            fn from(op: Custom) -> Op { Op::Custom(op) }
        }
        $(impl From<$name> for Op {
            fn from(op: $name) -> Op { Op::$name(op) }
        })*
    };
}

primitives! {
    Input = "input",
    Const = "const",
    Slot = "slot",
    Iota = "iota",
    Random = "random_bits",
    Cast = "cast",
    Reduce = "reduce",
    ArgReduce = "arg_reduce",
    Reshape = "reshape",
    Permute = "permute",
    Expand = "expand",
    Slice = "slice",
    Pad = "pad",
    Flip = "flip",
    Window = "window",
    Fold = "fold",
    Gather = "gather",
    Scatter = "scatter",
    Contract = "contract",
    Conv = "conv",
    Scan = "scan",
    Sort = "sort",
    Write = "write",
    Detach = "detach",
}

impl Op {
    /// The primitive with this [`Op::name`] and these [`Op::attributes`].
    pub fn from_parts(name: &str, attributes: &[(String, Value)]) -> Result<Op, String> {
        let parsed = Op::parse(&Recorder::default(), name, attributes);
        parsed.unwrap_or_else(|| Err(format!("there is no primitive '{name}'")))
    }

    pub fn is_movement(&self) -> bool {
        self.class() == Class::Movement
    }

    pub fn is_library(&self) -> bool {
        self.class() == Class::Library
    }
}
