//! Dynamic arguments: the values that the op table, the text form and other languages pass to ops.
use crate::dtype::{DType, Number};
use crate::graph::Id;
use crate::recorder::{Expr, Operand, Recorder};
use crate::shape::Shape;
use std::fmt;

/// An argument of an op, or an attribute of a primitive.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    Str(String),
    DType(DType),
    Tensor(Id),
    List(Vec<Value>),
    /// `start:stop:step`, as in an index.
    Slice(Option<i64>, Option<i64>, Option<i64>),
    Ellipsis,
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::None => f.write_str("none"),
            Value::Bool(b) => write!(f, "{b}"),
            Value::Int(i) => write!(f, "{i}"),
            Value::Float(x) => write!(f, "{x:?}"),
            // `{:?}` would add the tables of characters to escape to the wasm of a page.
            Value::Str(s) if cfg!(brasa_page) => write!(f, "\"{s}\""),
            Value::Str(s) => write!(f, "{s:?}"),
            Value::DType(d) => write!(f, "{d}"),
            Value::Tensor(id) => write!(f, "{id}"),
            Value::List(items) => {
                f.write_str("[")?;
                for (n, item) in items.iter().enumerate() {
                    let comma = if n > 0 { ", " } else { "" };
                    write!(f, "{comma}{item}")?;
                }
                f.write_str("]")
            }
            Value::Slice(start, stop, step) => {
                let part = |x: &Option<i64>| x.map_or(String::new(), |x| x.to_string());
                write!(f, "{}:{}", part(start), part(stop))?;
                step.map_or(Ok(()), |step| write!(f, ":{step}"))
            }
            Value::Ellipsis => f.write_str("..."),
        }
    }
}

/// What a parameter accepts. Printed in the manual and translated to Rust and TypeScript types.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Spec {
    Tensor,
    /// A tensor or a plain number.
    Operand,
    Number,
    Int,
    Float,
    Bool,
    Str,
    DType,
    Index,
    Choice(&'static [&'static str]),
    List(&'static Spec),
    Optional(&'static Spec),
    Either(&'static Spec, &'static Spec),
}

impl Spec {
    /// Whether the parameter takes a single tensor (possibly optional).
    pub(crate) const fn takes_tensor(&self) -> bool {
        match self {
            Spec::Tensor | Spec::Operand => true,
            Spec::Optional(item) => item.takes_tensor(),
            _ => false,
        }
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Spec::Tensor => f.write_str("Tensor"),
            Spec::Operand => f.write_str("Tensor | number"),
            Spec::Number => f.write_str("number"),
            Spec::Int => f.write_str("int"),
            Spec::Float => f.write_str("float"),
            Spec::Bool => f.write_str("bool"),
            Spec::Str => f.write_str("string"),
            Spec::DType => f.write_str("dtype"),
            Spec::Index => f.write_str("index"),
            Spec::Choice(words) => {
                let quoted: Vec<String> = words.iter().map(|w| format!("'{w}'")).collect();
                f.write_str(&quoted.join(" | "))
            }
            Spec::List(Spec::Operand) => f.write_str("(Tensor | number)[]"),
            Spec::List(item) => write!(f, "{item}[]"),
            Spec::Optional(item) => write!(f, "{item}?"),
            Spec::Either(one, other) => write!(f, "{one} | {other}"),
        }
    }
}

/// A type that a parameter of an op may have.
pub trait Arg<'g>: Sized {
    const SPEC: Spec;
    /// Converts the value; the error says what was expected.
    fn from_value(g: &'g Recorder, value: &Value) -> Result<Self, String>;
    /// An arbitrary value, to continue with a call that will be rejected.
    fn stand_in(g: &'g Recorder) -> Self;
}

/// The reverse of [`Arg`], for attributes of primitives.
pub trait ToValue {
    fn to_value(&self) -> Value;
}

fn expected<T>(what: &str, got: &Value) -> Result<T, String> {
    Err(format!("expected {what}, got {}", describe(got)))
}

/// A value as error messages show it.
pub(crate) fn describe(value: &Value) -> String {
    match value {
        Value::Str(text) => format!("'{text}'"),
        Value::Tensor(_) => "a tensor".to_string(),
        Value::List(items) if items.iter().any(|item| matches!(item, Value::Tensor(_))) => {
            "a list of tensors".to_string()
        }
        plain => plain.to_string(),
    }
}

impl<'g> Arg<'g> for bool {
    const SPEC: Spec = Spec::Bool;
    fn from_value(_: &'g Recorder, value: &Value) -> Result<bool, String> {
        match value {
            Value::Bool(b) => Ok(*b),
            Value::Int(i @ 0..=1) => Ok(*i == 1),
            other => expected("true or false", other),
        }
    }
    fn stand_in(_: &'g Recorder) -> bool {
        false
    }
}

fn integer(value: &Value) -> Result<i64, String> {
    match value {
        Value::Int(i) => Ok(*i),
        Value::Bool(b) => Ok(*b as i64),
        Value::Float(x) if x.fract() == 0.0 && x.abs() < 9e15 => Ok(*x as i64),
        other => expected("an integer", other),
    }
}

fn not_in_range(int: i64) -> String {
    match int {
        ..0 => format!("expected 0 or more, got {int}"),
        _ => format!("{int} is too large"),
    }
}

macro_rules! integer_arg {
    ($($ty:ty),*) => {$(
        impl<'g> Arg<'g> for $ty {
            const SPEC: Spec = Spec::Int;
            fn from_value(_: &'g Recorder, value: &Value) -> Result<$ty, String> {
                let int = integer(value)?;
                <$ty>::try_from(int).map_err(|_| not_in_range(int))
            }
            fn stand_in(_: &'g Recorder) -> $ty {
                0
            }
        }
        impl ToValue for $ty {
            fn to_value(&self) -> Value {
                Value::Int(*self as i64)
            }
        }
    )*};
}
integer_arg!(i64, isize, usize, u32);

impl<'g> Arg<'g> for f64 {
    const SPEC: Spec = Spec::Float;
    fn from_value(_: &'g Recorder, value: &Value) -> Result<f64, String> {
        match value {
            Value::Int(i) => Ok(*i as f64),
            Value::Float(x) => Ok(*x),
            other => expected("a number", other),
        }
    }
    fn stand_in(_: &'g Recorder) -> f64 {
        0.0
    }
}

impl<'g> Arg<'g> for Number {
    const SPEC: Spec = Spec::Number;
    fn from_value(_: &'g Recorder, value: &Value) -> Result<Number, String> {
        match value {
            Value::Bool(b) => Ok(Number::Bool(*b)),
            Value::Int(i) => Ok(Number::Int(*i)),
            Value::Float(x) => Ok(Number::Float(*x)),
            other => expected("a number", other),
        }
    }
    fn stand_in(_: &'g Recorder) -> Number {
        Number::Int(0)
    }
}

impl<'g> Arg<'g> for String {
    const SPEC: Spec = Spec::Str;
    fn from_value(_: &'g Recorder, value: &Value) -> Result<String, String> {
        match value {
            Value::Str(s) => Ok(s.clone()),
            other => expected("a string", other),
        }
    }
    fn stand_in(_: &'g Recorder) -> String {
        String::new()
    }
}

impl<'g> Arg<'g> for DType {
    const SPEC: Spec = Spec::DType;
    fn from_value(_: &'g Recorder, value: &Value) -> Result<DType, String> {
        match value {
            Value::DType(d) => Ok(*d),
            Value::Str(s) => s.parse(),
            other => expected("a dtype", other),
        }
    }
    fn stand_in(_: &'g Recorder) -> DType {
        DType::F32
    }
}

impl<'g> Arg<'g> for Expr<'g> {
    const SPEC: Spec = Spec::Tensor;
    fn from_value(g: &'g Recorder, value: &Value) -> Result<Expr<'g>, String> {
        match value {
            Value::Tensor(id) => Ok(g.expr(*id)),
            other => expected("a tensor", other),
        }
    }
    fn stand_in(g: &'g Recorder) -> Expr<'g> {
        g.expr(Id::at(0))
    }
}

impl<'g> Arg<'g> for Operand<'g> {
    const SPEC: Spec = Spec::Operand;
    fn from_value(g: &'g Recorder, value: &Value) -> Result<Operand<'g>, String> {
        match value {
            Value::Tensor(id) => Ok(Operand::Tensor(g.expr(*id))),
            number => match Number::from_value(g, number) {
                Ok(n) => Ok(Operand::Number(n)),
                Err(_) => expected("a tensor or a number", number),
            },
        }
    }
    fn stand_in(_: &'g Recorder) -> Operand<'g> {
        Operand::Number(Number::Int(0))
    }
}

impl<'g> Arg<'g> for Shape {
    const SPEC: Spec = Spec::List(&Spec::Int);
    fn from_value(g: &'g Recorder, value: &Value) -> Result<Shape, String> {
        Vec::<usize>::from_value(g, value).map(Shape::from)
    }
    fn stand_in(_: &'g Recorder) -> Shape {
        Shape::from(Vec::new())
    }
}

/// A single item is accepted as a list of one, as PyTorch's `int or tuple`.
impl<'g, T: Arg<'g>> Arg<'g> for Vec<T> {
    const SPEC: Spec = Spec::List(&T::SPEC);
    fn from_value(g: &'g Recorder, value: &Value) -> Result<Vec<T>, String> {
        match value {
            Value::List(items) => items.iter().map(|item| T::from_value(g, item)).collect(),
            single => Ok(vec![T::from_value(g, single)?]),
        }
    }
    fn stand_in(_: &'g Recorder) -> Vec<T> {
        Vec::new()
    }
}

impl<'g, T: Arg<'g>> Arg<'g> for Option<T> {
    const SPEC: Spec = Spec::Optional(&T::SPEC);
    fn from_value(g: &'g Recorder, value: &Value) -> Result<Option<T>, String> {
        match value {
            Value::None => Ok(None),
            value => T::from_value(g, value).map(Some),
        }
    }
    fn stand_in(_: &'g Recorder) -> Option<T> {
        None
    }
}

/// One part of an index expression such as `x[1, :, ..., None, idx]`.
#[derive(Clone, Copy)]
pub enum Index<'g> {
    At(i64),
    Slice(Option<i64>, Option<i64>, Option<i64>),
    NewAxis,
    Ellipsis,
    Tensor(Expr<'g>),
}

impl<'g> Arg<'g> for Index<'g> {
    const SPEC: Spec = Spec::Index;
    fn from_value(g: &'g Recorder, value: &Value) -> Result<Index<'g>, String> {
        match value {
            Value::Int(i) => Ok(Index::At(*i)),
            Value::Slice(start, stop, step) => Ok(Index::Slice(*start, *stop, *step)),
            Value::None => Ok(Index::NewAxis),
            Value::Ellipsis => Ok(Index::Ellipsis),
            Value::Tensor(id) => Ok(Index::Tensor(g.expr(*id))),
            other => expected("an integer, a slice, none, ... or a tensor", other),
        }
    }
    fn stand_in(_: &'g Recorder) -> Index<'g> {
        Index::Ellipsis
    }
}

impl ToValue for bool {
    fn to_value(&self) -> Value {
        Value::Bool(*self)
    }
}

impl ToValue for String {
    fn to_value(&self) -> Value {
        Value::Str(self.clone())
    }
}

impl ToValue for DType {
    fn to_value(&self) -> Value {
        Value::DType(*self)
    }
}

impl ToValue for Number {
    fn to_value(&self) -> Value {
        match self {
            Number::Bool(b) => Value::Bool(*b),
            Number::Int(i) => Value::Int(*i),
            Number::Float(x) => Value::Float(*x),
        }
    }
}

impl ToValue for Shape {
    fn to_value(&self) -> Value {
        Value::List(self.iter().map(|&len| Value::Int(len as i64)).collect())
    }
}

impl<T: ToValue> ToValue for Vec<T> {
    fn to_value(&self) -> Value {
        Value::List(self.iter().map(T::to_value).collect())
    }
}

/// The index of the word that `value` is.
pub(crate) fn word_index(words: &'static [&'static str], value: &Value) -> Result<usize, String> {
    let is_it = |word: &&str| matches!(value, Value::Str(text) if text == word);
    let expected = || format!("expected {}, got {}", Spec::Choice(words), describe(value));
    words.iter().position(is_it).ok_or_else(expected)
}

/// Declares an enum whose variants are words in the op table, the text form and other languages.
macro_rules! choice {
    ($(#[$meta:meta])* pub enum $name:ident {
        $($(#[$inner:meta])* $variant:ident = $word:literal),* $(,)?
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$inner])* $variant),* }

        impl $name {
            pub const WORDS: &'static [&'static str] = &[$($word),*];
            pub fn word(self) -> &'static str {
                Self::WORDS[self as usize]
            }
        }

        impl<'g> $crate::value::Arg<'g> for $name {
            const SPEC: $crate::value::Spec = $crate::value::Spec::Choice(Self::WORDS);
            fn from_value(
                _: &'g $crate::recorder::Recorder,
                value: &$crate::value::Value,
            ) -> std::result::Result<$name, String> {
                Ok([$($name::$variant),*][$crate::value::word_index(Self::WORDS, value)?])
            }
            fn stand_in(_: &'g $crate::recorder::Recorder) -> $name {
                [$($name::$variant),*][0]
            }
        }

        impl $crate::value::ToValue for $name {
            fn to_value(&self) -> $crate::value::Value {
                $crate::value::Value::Str(self.word().to_string())
            }
        }
    };
}
pub(crate) use choice;
