//! Calls of ops by PyTorch's names, with the arguments PyTorch takes.
use super::Trouble;
use crate::Device;
use brasa_ir::ops::Role;
use brasa_ir::table::{self, OpEntry, Reader};
use brasa_ir::value::Spec;
use brasa_ir::{Array, Expr, Id, Recorder, Value};
use std::collections::HashMap;

/// A graph that is being recorded together with the values of its inputs.
pub(super) struct Session<'g> {
    pub(super) g: &'g Recorder,
    pub(super) device: Device,
    values: HashMap<Id, Array>,
}

impl<'g> Session<'g> {
    pub(super) fn new(g: &'g Recorder, device: Device) -> Session<'g> {
        Session { g, device, values: HashMap::new() }
    }

    /// A new input with this value.
    pub(super) fn input(&mut self, name: &str, value: Array) -> Expr<'g> {
        let input = self.g.input(name, Role::Data, value.ty.clone());
        self.values.insert(input.id(), value);
        input
    }

    /// The values of recorded tensors.
    pub(super) fn run(&self, wanted: &[Id]) -> brasa_ir::Result<Vec<Array>> {
        self.g.read(|graph| self.device.run(graph, &self.values, wanted))
    }

    /// Calls the op that PyTorch calls `name`.
    pub(super) fn call(
        &mut self,
        name: &str,
        positional: Vec<Value>,
        named: Vec<(String, Value)>,
    ) -> Result<Vec<Id>, Trouble> {
        let entry = find(name)?;
        let positional = gather(entry, positional);
        let (positional, named) = by_position(entry, positional, named);
        let named: Vec<(&str, Value)> =
            named.iter().map(|(n, v)| (n.as_str(), v.clone())).collect();
        Ok(entry.call_reading(self.g, self, &positional, &named)?)
    }
}

impl Reader for Session<'_> {
    fn read(&mut self, x: Expr) -> brasa_ir::Result<Array> {
        Ok(self.run(&[x.id()])?.remove(0))
    }

    fn feed<'g>(&mut self, g: &'g Recorder, value: Array) -> Expr<'g> {
        let input = g.input("read", Role::Data, value.ty.clone());
        self.values.insert(input.id(), value);
        input
    }
}

/// The op behind a name such as `torch.nn.functional.relu`.
fn find(name: &str) -> Result<&'static OpEntry, Trouble> {
    let mut plain = name;
    for prefix in ["torch.", "nn.functional.", "Tensor.", "linalg.", "special."] {
        plain = plain.strip_prefix(prefix).unwrap_or(plain);
    }
    let plain = if plain == "__getitem__" { "index" } else { plain };
    table::find(plain).ok_or_else(|| Trouble::Unsupported(format!("there is no op '{plain}'")))
}

/// Gathers what PyTorch takes as separate arguments, as in `block_diag(a, b)` or `x.expand(2, 3)`,
/// into the list that the op takes: a run of values of the list's kind, where the parameter after
/// the list is of another kind.
fn gather(entry: &OpEntry, positional: Vec<Value>) -> Vec<Value> {
    let list = |spec: &Spec| match spec {
        Spec::List(item) | Spec::Optional(Spec::List(item)) => Some(**item),
        _ => None,
    };
    let Some((n, item)) =
        entry.params.iter().enumerate().find_map(|(n, p)| Some((n, list(&p.spec)?)))
    else {
        return positional;
    };
    let next_takes = |value| entry.params.get(n + 1).is_some_and(|p| accepts(&p.spec, value));
    let run = positional.iter().skip(n).take_while(|value| accepts(&item, value)).count();
    if run < 2 || next_takes(&positional[n + 1]) {
        return positional;
    }
    let mut before = positional;
    let mut items = before.split_off(n);
    let after = items.split_off(run);
    before.into_iter().chain([Value::List(items)]).chain(after).collect()
}

/// Whether a tensor or a number may stand for a parameter.
fn accepts(spec: &Spec, value: &Value) -> bool {
    match (spec, value) {
        (Spec::Optional(item) | Spec::List(item), value) => accepts(item, value),
        (Spec::Tensor | Spec::Operand | Spec::Index, Value::Tensor(_)) => true,
        (Spec::Int | Spec::Float | Spec::Number | Spec::Operand, Value::Int(_)) => true,
        _ => false,
    }
}

/// Lets an argument whose name the op does not know take the parameter at its place in the call:
/// PyTorch calls the first one `input`, `self` or `tensor`, as it happens.
fn by_position(
    entry: &OpEntry,
    mut positional: Vec<Value>,
    named: Vec<(String, Value)>,
) -> (Vec<Value>, Vec<(String, Value)>) {
    let mut rest = Vec::new();
    for (name, value) in named {
        let is_known = entry.params.iter().any(|p| p.name == name);
        if is_known || !rest.is_empty() || positional.len() >= entry.params.len() {
            rest.push((name, value));
        } else {
            positional.push(value);
        }
    }
    (positional, rest)
}
