//! Calls of ops by their row in the table, with arguments of any kind: how other languages record.
//!
//! ```
//! use brasa::{Tensor, dynamic};
//! use brasa_ir::{Site, table, value::Value};
//! # fn main() -> brasa::Result<()> {
//! let sum = table::find("sum").expect("it is there");
//! let (x, dim) = (Tensor::ones([2, 3]), Value::Int(1));
//! let found = dynamic::call(sum, Site::Text("here".into()), &[(&x).into(), dim.into()], &[])?;
//! assert_eq!(found[0].to_vec::<f32>()?, [3.0, 3.0]);
//! # Ok(())
//! # }
//! ```
use crate::session::{Rejected, Scope, record_as};
use crate::{At, Error, Operand, Result, Tensor};
use brasa_ir::table::{Call, OpEntry, VIEWS};
use brasa_ir::value::Value;
use brasa_ir::{Number, Site};

/// An argument of a call.
#[derive(Clone, Debug)]
pub enum Argument {
    /// What holds no tensor.
    Value(Value),
    /// A tensor.
    Tensor(Tensor),
    /// Several arguments as one.
    List(Vec<Argument>),
}

impl From<Value> for Argument {
    fn from(value: Value) -> Argument {
        Argument::Value(value)
    }
}

impl From<&Tensor> for Argument {
    fn from(x: &Tensor) -> Argument {
        Argument::Tensor(x.clone())
    }
}

impl Argument {
    fn settle(&self) {
        match self {
            Argument::Value(_) => {}
            Argument::Tensor(x) => x.settle_tensor(),
            Argument::List(items) => items.iter().for_each(Argument::settle),
        }
    }

    fn enter(&self, s: &Scope) -> Value {
        match self {
            Argument::Value(value) => value.clone(),
            Argument::Tensor(x) => Value::Tensor(s.expr(x).id()),
            Argument::List(items) => Value::List(items.iter().map(|item| item.enter(s)).collect()),
        }
    }

    /// A tensor or a number, as an argument of `call`.
    pub fn operand(&self, call: &str) -> Result<Operand> {
        Ok(match self {
            Argument::Tensor(x) => Operand::Tensor(x.clone()),
            Argument::Value(Value::Bool(x)) => Operand::Number(Number::Bool(*x)),
            Argument::Value(Value::Int(x)) => Operand::Number(Number::Int(*x)),
            Argument::Value(Value::Float(x)) => Operand::Number(Number::Float(*x)),
            _ => return Err(Error::argument(call, "expected a tensor or a number")),
        })
    }
}

/// The parts of an index.
pub fn index(parts: &[Argument]) -> Result<Vec<At>> {
    let part = |part: &Argument| {
        Ok(match part {
            Argument::Tensor(x) => At::Tensor(x.clone()),
            Argument::Value(Value::Int(at)) => At::Position(*at),
            Argument::Value(Value::None) => At::NewAxis,
            Argument::Value(Value::Ellipsis) => At::Rest,
            Argument::Value(Value::Slice(start, stop, step)) => At::Range(*start, *stop, *step),
            _ => return Err(Error::argument("index", "expected positions, slices or tensors")),
        })
    };
    parts.iter().map(part).collect()
}

/// Records an op and gives its results. A rejected call records nothing.
pub fn call(
    op: &'static OpEntry,
    site: Site,
    positional: &[Argument],
    named: &[(String, Argument)],
) -> Result<Vec<Tensor>> {
    positional.iter().chain(named.iter().map(|(_, value)| value)).for_each(Argument::settle);
    if matches!(op.call, Call::Reading(_)) {
        crate::flush();
    }
    let recorded = record_as(op.name, site, |s| {
        let positional: Vec<Value> = positional.iter().map(|value| value.enter(s)).collect();
        let named = named.iter().map(|(name, value)| (name.as_str(), value.enter(s)));
        let named: Vec<(&str, Value)> = named.collect();
        op.call_reading(s.g, &mut s.reader(), &positional, &named)
    });
    let results = recorded.map_err(|rejected| match rejected {
        Rejected::Here(error) | Rejected::Before(error) => error,
    })?;
    match positional.first() {
        Some(Argument::Tensor(x)) if VIEWS.contains(&op.name) => {
            Ok(results.into_iter().map(|result| result.viewing(x)).collect())
        }
        _ => Ok(results),
    }
}
