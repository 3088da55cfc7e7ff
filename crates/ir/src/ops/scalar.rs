//! Scalar functions, which are the elementwise ops: the fields of a definition, the enum `Scalar`,
//! the methods of `Expr` and the entries of the op table. The definitions are in
//! `scalar/table.rs`.
mod formulas;
mod table;

pub use table::Scalar;

use super::Vjp;
use crate::dtype::DType;
use crate::recorder::Expr;
use crate::table::{Call, OpEntry, Param, Returns};
use crate::value::Spec;

/// Which dtypes a scalar function takes and returns.
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
    /// First a `bool`, then two operands of any type, which is that of the result.
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
    /// The value, for the reference device and for constant folding.
    pub eval: fn(&[f64]) -> f64,
    /// The exact value on integers; `None` for functions of floats only.
    pub int: Option<fn(&[i64]) -> i64>,
    /// One rule per operand; empty if the gradient is zero or undefined everywhere.
    pub grad: &'static [Rule],
    /// The range from which tests sample each operand.
    pub domain: (f64, f64),
    pub wgsl: Wgsl,
    /// Whether values of a float dtype map to values of that dtype, so that results computed in a
    /// wider one need no rounding.
    pub is_exact: bool,
    /// Rough cost in additions, unless it is that of its kind: see [`ScalarDef::cost`].
    pub cost: Option<u8>,
}

/// The function in WGSL, for each class of numbers that shaders compute with. `{a}`, `{b}` and
/// `{c}` are the operands. Empty if the function does not take such numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wgsl {
    /// f16 and bf16 too, as f32.
    pub float: &'static str,
    /// i64 too, and integers of 8 bits, as i32.
    pub int: &'static str,
    pub uint: &'static str,
    /// The integer function on 0 and 1, simplified.
    pub bool: &'static str,
}

impl Wgsl {
    /// The same for all numbers.
    const fn all(text: &'static str) -> Wgsl {
        Wgsl { float: text, ..Wgsl::bits(text) }
    }

    /// Only for floats.
    const fn float(text: &'static str) -> Wgsl {
        Wgsl { float: text, int: "", uint: "", bool: "" }
    }

    /// Only for integers and `bool`.
    const fn bits(text: &'static str) -> Wgsl {
        Wgsl { float: "", int: text, uint: text, bool: text }
    }
}

/// Defaults of a definition.
const DEFAULTS: ScalarDef = ScalarDef {
    name: "",
    aliases: &[],
    doc: "",
    arity: 1,
    kind: Kind::Float,
    eval: |_| f64::NAN,
    int: None,
    grad: &[],
    domain: (-2.0, 2.0),
    wgsl: Wgsl::float(""),
    is_exact: false,
    cost: None,
};

/// Removes the fields that builds for the browser do not need: those of the reference device and
/// the manual, and in the page those of devices.
const fn strip(def: ScalarDef) -> ScalarDef {
    let ScalarDef { eval, domain, wgsl, .. } = DEFAULTS;
    let small = ScalarDef { doc: "", aliases: &[], domain, ..def };
    let page = ScalarDef { eval, int: None, wgsl, ..small };
    if cfg!(brasa_page) {
        page
    } else if cfg!(brasa_small) {
        small
    } else {
        def
    }
}

macro_rules! method {
    (operator $method:ident $id:ident) => {};
    (unary $method:ident $id:ident) => {
        impl<'g> Expr<'g> {
            #[doc = concat!("The scalar function `", stringify!($id), "`.")]
            #[cfg_attr(not(brasa_page), track_caller)]
            pub fn $method(self) -> Expr<'g> {
                Expr::map(Scalar::$id, &[self])
            }
        }
    };
    (binary $method:ident $id:ident) => {
        impl<'g> Expr<'g> {
            #[doc = concat!("The scalar function `", stringify!($id), "`.")]
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
                static DEFS: &[ScalarDef] = &[$(strip(ScalarDef {
                    name: stringify!($method), $($field: $value,)* ..DEFAULTS
                })),*];
                &DEFS[self as usize]
            }
        }

        $(method!($shape $method $id);)*
    };
}
use {method, scalars};

impl Scalar {
    /// The function of this name.
    pub fn named(name: &str) -> Option<Scalar> {
        Scalar::ALL.iter().copied().find(|function| function.def().name == name)
    }

    /// The function as an entry of the op table.
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
            category: "scalar",
            doc: def.doc,
            aliases: def.aliases,
            params: if def.arity == 1 { UNARY } else { BINARY },
            returns: Returns::Tensor,
            cases: if cfg!(brasa_small) { &[] } else { def.cases() },
            call: Call::Scalar(self),
        }
    }
}

impl ScalarDef {
    /// Rough cost in additions.
    pub fn cost(&self) -> u32 {
        let of_kind = if self.kind == Kind::Float { 12 } else { 1 };
        self.cost.unwrap_or(of_kind).into()
    }

    /// The single case of the function. Leaks: the op table is built once and never freed.
    fn cases(&self) -> &'static [&'static str] {
        let dtype = if self.kind == Kind::Bits { DType::I32 } else { DType::F32 };
        let (low, high) = self.domain;
        let operand = format!("{dtype}[2, 3] in {low}..{high}");
        let case = vec![operand; self.arity].join(", ");
        Box::leak(Box::new([&*case.leak()]))
    }
}
