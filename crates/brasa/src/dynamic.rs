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
use crate::session::{Looking, Rejected, Scope, record_as};
use crate::{At, Error, Operand, Result, Tensor};
use brasa_ir::ops::{Op, Role};
use brasa_ir::table::{Call, OpEntry, Reader, VIEWS};
use brasa_ir::value::Value;
use brasa_ir::{Array, Expr, Id, Number, Recorder, Site};
use std::collections::HashMap;

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
    if matches!(op.call, Call::Reading(_)) {
        crate::flush();
    }
    record(op, site, positional, named, |s| Box::new(s.reader()))
}

/// [`call`] of an op that looks at data, where the data are not here: `known` are those of its tensors.
pub fn call_knowing(
    op: &'static OpEntry,
    site: Site,
    positional: &[Argument],
    named: &[(String, Argument)],
    known: &[(Tensor, Vec<u8>)],
) -> Result<Vec<Tensor>> {
    let array = |(x, bytes): &(Tensor, Vec<u8>)| {
        let array = Array::from_bytes(x.ty(), bytes).map_err(|what| Error::data(op.name, what))?;
        Ok((x.clone(), array))
    };
    let known = known.iter().map(array).collect::<Result<Vec<_>>>()?;
    record(op, site, positional, named, |s| {
        let values = known.iter().map(|(x, array)| (s.expr(x).id(), array.clone())).collect();
        Box::new(Known { values, fed: s.reader() })
    })
}

fn record(
    op: &'static OpEntry,
    site: Site,
    positional: &[Argument],
    named: &[(String, Argument)],
    reader: impl for<'g> FnOnce(&Scope<'g>) -> Box<dyn Reader + 'g>,
) -> Result<Vec<Tensor>> {
    positional.iter().chain(named.iter().map(|(_, value)| value)).for_each(Argument::settle);
    let recorded = record_as(op.name, site, |s| {
        let positional: Vec<Value> = positional.iter().map(|value| value.enter(s)).collect();
        let named = named.iter().map(|(name, value)| (name.as_str(), value.enter(s)));
        let named: Vec<(&str, Value)> = named.collect();
        op.call_reading(s.g, &mut *reader(s), &positional, &named)
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

/// Looks at data by the reference device, beginning with values that are known.
struct Known<'g> {
    values: HashMap<Id, Array>,
    fed: Looking<'g>,
}

impl Reader for Known<'_> {
    fn read(&mut self, x: Expr) -> Result<Array> {
        let own = Recorder::default();
        let mut inputs = HashMap::new();
        let wanted = x.recorder().read(|graph| {
            let mut is_needed = vec![false; graph.len()];
            is_needed[x.id().index()] = true;
            for (id, node) in graph.nodes().rev() {
                if is_needed[id.index()] && !self.values.contains_key(&id) {
                    node.inputs.iter().for_each(|input| is_needed[input.index()] = true);
                }
            }
            let mut moved: HashMap<Id, Id> = HashMap::new();
            for (id, node) in graph.nodes().filter(|(id, _)| is_needed[id.index()]) {
                let copied = match (self.values.get(&id), &node.op) {
                    (Some(value), _) => {
                        let input = own.input("", Role::Data, value.ty.clone());
                        inputs.insert(input.id(), value.clone());
                        input
                    }
                    (None, Op::Slot(slot)) => own.number(graph.slots()[slot.slot], slot.dtype),
                    (None, op) => {
                        let inputs: Vec<Expr> =
                            node.inputs.iter().map(|input| own.expr(moved[input])).collect();
                        own.push(op.clone(), &inputs)?
                    }
                };
                moved.insert(id, copied.id());
            }
            Ok::<Id, Error>(moved[&x.id()])
        })?;
        Ok(own.read(|graph| brasa_ir::eval(graph, &inputs, &[wanted]))?.swap_remove(0))
    }

    fn feed<'g>(&mut self, g: &'g Recorder, value: Array) -> Expr<'g> {
        let fed = self.fed.feed(g, value.clone());
        self.values.insert(fed.id(), value);
        fed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brasa_ir::table;

    #[test]
    fn what_is_known_need_not_be_read() -> Result<()> {
        let x = Tensor::new([[1.0, -2.0], [3.0, -4.0]]).requires_grad(true);
        let mask = x.gt(0.0);
        let known = [(mask.clone(), vec![1, 0, 1, 0])];
        let select = table::find("masked_select").expect("it is there");
        let (args, site) = ([(&x).into(), (&mask).into()], Site::Text("".into()));
        let picked = call_knowing(select, site, &args, &[], &known)?.swap_remove(0);
        picked.square().sum(..).backward();
        assert_eq!(picked.to_vec::<f32>()?, [1.0, 3.0]);
        assert_eq!(x.grad().expect("a gradient").to_vec::<f32>()?, [2.0, 0.0, 6.0, 0.0]);
        Ok(())
    }
}
