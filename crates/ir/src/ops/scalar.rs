//! Scalar functions, the elementwise half of the op table: what a row says, and what is made of it.
//! The rows themselves are in `scalar/rows.rs`.
mod formulas;
mod rows;

pub use rows::Scalar;

use super::Vjp;
use crate::dtype::DType;
use crate::recorder::Expr;
use crate::table::{Call, OpEntry, Param, Returns};
use crate::value::Spec;

/// Which dtypes a scalar function takes and gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Floats to the same float type.
    Float,
    /// Any type to itself.
    Any,
    /// Any type to `bool`.
    Compare,
    /// Integers and `bool` to themselves.
    Bits,
    /// A `bool` first, then any type, which is the result's.
    Select,
}

/// The gradient for one operand.
pub type Rule = for<'g> fn(&Vjp<'g>) -> Expr<'g>;

/// One elementwise function.
#[derive(Debug)]
pub struct ScalarDef {
    pub name: &'static str,
    pub aliases: &'static [&'static str],
    pub doc: &'static str,
    pub arity: usize,
    pub kind: Kind,
    /// The meaning. Also folds constants and drives the reference device.
    pub eval: fn(&[f64]) -> f64,
    /// The meaning on integers, exact; absent for functions of floats alone.
    pub int: Option<fn(&[i64]) -> i64>,
    /// One rule per operand; none at all where the function is flat or discrete.
    pub grad: &'static [Rule],
    /// Where tests sample each operand.
    pub domain: (f64, f64),
}

const ROW: ScalarDef = ScalarDef {
    name: "",
    aliases: &[],
    doc: "",
    arity: 1,
    kind: Kind::Float,
    eval: |_| f64::NAN,
    int: None,
    grad: &[],
    domain: (-2.0, 2.0),
};

/// What builds for the browser keep of a row: the reference device and the manual are not there.
const fn kept(row: ScalarDef) -> ScalarDef {
    let row = if cfg!(brasa_small) { ScalarDef { doc: "", ..row } } else { row };
    let called = ScalarDef { aliases: &[], eval: ROW.eval, int: None, domain: ROW.domain, ..row };
    if cfg!(brasa_page) { called } else { row }
}

macro_rules! method {
    (operator $method:ident $id:ident) => {};
    (unary $method:ident $id:ident) => {
        impl<'g> Expr<'g> {
            #[doc = concat!("The row `", stringify!($id), "`.")]
            #[cfg_attr(not(brasa_page), track_caller)]
            pub fn $method(self) -> Expr<'g> {
                Expr::map(Scalar::$id, &[self])
            }
        }
    };
    (binary $method:ident $id:ident) => {
        impl<'g> Expr<'g> {
            #[doc = concat!("The row `", stringify!($id), "`.")]
            #[cfg_attr(not(brasa_page), track_caller)]
            pub fn $method(self, other: Expr<'g>) -> Expr<'g> {
                Expr::map(Scalar::$id, &[self, other])
            }
        }
    };
}

macro_rules! scalars {
    ($($id:ident = $shape:ident $method:ident { $($field:ident: $value:expr),* $(,)? })*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Scalar { $($id),* }

        impl Scalar {
            pub const ALL: &[Scalar] = &[$(Scalar::$id),*];

            pub fn def(self) -> &'static ScalarDef {
                static ROWS: &[ScalarDef] =
                    &[$(kept(ScalarDef { name: stringify!($method), $($field: $value,)* ..ROW })),*];
                &ROWS[self as usize]
            }
        }

        $(method!($shape $method $id);)*
    };
}
use {method, scalars};

impl Scalar {
    /// The row of this name.
    pub fn named(name: &str) -> Option<Scalar> {
        Scalar::ALL.iter().copied().find(|row| row.def().name == name)
    }

    /// The row as an op users can call.
    pub(crate) fn entry(self) -> OpEntry {
        const fn operand(name: &'static str) -> Param {
            Param { name, ty: "Operand", spec: Spec::Operand, default: None }
        }
        const UNARY: &[Param] =
            &[Param { name: "input", ty: "Expr", spec: Spec::Tensor, default: None }];
        const BINARY: &[Param] = &[operand("input"), operand("other")];
        let def = self.def();
        OpEntry {
            name: def.name,
            room: "scalar",
            doc: def.doc,
            aliases: def.aliases,
            params: if def.arity == 1 { UNARY } else { BINARY },
            returns: Returns::Tensor,
            cases: if cfg!(brasa_small) { &[] } else { def.cases() },
            call: Call::Row(self),
        }
    }
}

impl ScalarDef {
    /// The one case of a row, for the table, which is built once for the life of the program.
    fn cases(&self) -> &'static [&'static str] {
        let dtype = if self.kind == Kind::Bits { DType::I32 } else { DType::F32 };
        let (low, high) = self.domain;
        let operand = format!("{dtype}[2, 3] in {low}..{high}");
        let case = vec![operand; self.arity].join(", ");
        Box::leak(Box::new([&*case.leak()]))
    }
}
