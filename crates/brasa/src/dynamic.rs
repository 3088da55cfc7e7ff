//! Calls of ops by their entry in the op table, with dynamically typed arguments, for bindings.
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
use crate::session::{Rejected, Scope, SessionReader, record_as};
use crate::{At, Error, Operand, Result, Tensor};
use brasa_ir::table::{Call, OpEntry, Reader, VIEWS};
use brasa_ir::value::Value;
use brasa_ir::{Array, Expr, Id, Number, Recorder, Site};

/// An argument of a call.
#[derive(Clone, Debug)]
pub enum Argument {
    /// A value without tensors.
    Value(Value),
    /// A tensor.
    Tensor(Tensor),
    /// Several arguments as a list.
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

    /// The argument as a tensor or a number, for an op named `call`.
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

/// Converts the parts of an index.
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

/// Records an op and returns its results. A rejected call records nothing.
pub fn call(
    op: &'static OpEntry,
    site: Site,
    positional: &[Argument],
    named: &[(String, Argument)],
) -> Result<Vec<Tensor>> {
    if matches!(op.call, Call::Reading(_)) {
        crate::flush();
    }
    record(op, site, positional, named)
}

/// The outcome of a call that reads data.
#[derive(Debug)]
pub enum CallOutcome {
    /// The results of the call.
    Results(Vec<Tensor>),
    /// The next value that the call has to read: repeat the call with its bytes appended to
    /// `known`.
    Wanted(Tensor),
}

/// [`call`] of an op that reads data which this process does not hold: `known` contains the bytes
/// of the values it has asked for, in order.
pub fn call_with_known(
    op: &'static OpEntry,
    site: Site,
    positional: &[Argument],
    named: &[(String, Argument)],
    known: &[Vec<u8>],
) -> Result<CallOutcome> {
    let mut wanted = None;
    let results = record_with(op, site, positional, named, |s, positional, named| {
        let mut reader = Known { known: known.iter(), wanted: None, fed: s.reader() };
        let recorded = op.call_reading(s.g, &mut reader, positional, named);
        wanted = reader.wanted;
        // The value that the op wants to read is recorded and returned in place of the results.
        wanted.map_or(recorded, |id| Ok(vec![id]))
    })?;
    Ok(match (wanted, results.first()) {
        (Some(_), Some(x)) => CallOutcome::Wanted(x.clone()),
        _ => CallOutcome::Results(results),
    })
}

/// The old name of [`CallOutcome`].
#[deprecated(since = "0.2.0", note = "renamed to `CallOutcome`")]
pub type Found = CallOutcome;

/// The old name of [`call_with_known`].
#[deprecated(since = "0.2.0", note = "renamed to `call_with_known`")]
pub fn call_knowing(
    op: &'static OpEntry,
    site: Site,
    positional: &[Argument],
    named: &[(String, Argument)],
    known: &[Vec<u8>],
) -> Result<CallOutcome> {
    call_with_known(op, site, positional, named, known)
}

fn record(
    op: &'static OpEntry,
    site: Site,
    positional: &[Argument],
    named: &[(String, Argument)],
) -> Result<Vec<Tensor>> {
    record_with(op, site, positional, named, |s, positional, named| {
        op.call_reading(s.g, &mut s.reader(), positional, named)
    })
}

fn record_with(
    op: &'static OpEntry,
    site: Site,
    positional: &[Argument],
    named: &[(String, Argument)],
    record: impl FnOnce(&Scope, &[Value], &[(&str, Value)]) -> Result<Vec<Id>>,
) -> Result<Vec<Tensor>> {
    let viewed = match positional.first() {
        Some(Argument::Tensor(x)) if VIEWS.contains(&op.name) => Some((x, x.base())),
        _ => None,
    };
    let _turn = viewed.as_ref().map(|(_, base)| base.turn());
    positional.iter().chain(named.iter().map(|(_, value)| value)).for_each(Argument::settle);
    let recorded = record_as(op.name, site, |s| {
        if let Some((x, _)) = &viewed {
            s.view_of(x);
        }
        let positional: Vec<Value> = positional.iter().map(|value| value.enter(s)).collect();
        let named = named.iter().map(|(name, value)| (name.as_str(), value.enter(s)));
        record(s, &positional, &named.collect::<Vec<_>>())
    });
    recorded.map_err(|rejected| match rejected {
        Rejected::Here(error) | Rejected::Before(error) => error,
    })
}

/// A reader that replays known values, then notes the first unknown one.
struct Known<'g> {
    known: std::slice::Iter<'g, Vec<u8>>,
    wanted: Option<Id>,
    fed: SessionReader<'g>,
}

impl Reader for Known<'_> {
    fn read(&mut self, x: Expr) -> Result<Array> {
        self.fed.check(&x)?;
        let Some(bytes) = self.known.next() else {
            self.wanted.get_or_insert(x.id());
            return Err(Error::argument("read", "the value is not available"));
        };
        Array::from_bytes(&x.ty(), bytes).map_err(|what| Error::data("read", what))
    }

    fn feed<'g>(&mut self, g: &'g Recorder, value: Array) -> Expr<'g> {
        self.fed.feed(g, value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brasa_ir::table;

    #[test]
    fn known_bytes_replace_reading() -> Result<()> {
        let x = Tensor::new([[1.0, -2.0], [3.0, -4.0]]).requires_grad(true);
        let mask = x.gt(0.0);
        let select = table::find("masked_select").expect("it is there");
        let (args, site) = ([(&x).into(), (&mask).into()], Site::Text("".into()));
        let select = |known: &[Vec<u8>]| call_with_known(select, site.clone(), &args, &[], known);
        let CallOutcome::Wanted(asked) = select(&[])? else { panic!("it cannot be known") };
        assert_eq!(asked.to_vec::<bool>()?, [true, false, true, false]);
        let CallOutcome::Results(mut picked) = select(&[vec![1, 0, 1, 0]])? else {
            panic!("it is known")
        };
        let picked = picked.swap_remove(0);
        picked.square().sum(..).backward();
        assert_eq!(picked.to_vec::<f32>()?, [1.0, 3.0]);
        assert_eq!(x.grad().expect("a gradient").to_vec::<f32>()?, [2.0, 0.0, 6.0, 0.0]);
        Ok(())
    }
}
