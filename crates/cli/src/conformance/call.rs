//! Calls ops by PyTorch name with PyTorch arguments.
use super::CaseError;
use super::session::Session;
use brasa_ir::table::{self, OpEntry, Param};
use brasa_ir::value::Spec;
use brasa_ir::{DType, Id, Value};

/// Arguments in the order of the call, with the names of those that were passed by name.
pub(super) type Arguments = Vec<(Option<String>, Value)>;

impl Session<'_, '_> {
    /// Calls the op with the PyTorch name `name`.
    pub(super) fn call(&mut self, name: &str, args: Arguments) -> Result<Vec<Id>, CaseError> {
        let entry = find(name)?;
        let (mut positional, mut named) = split_arguments(entry, gather(entry, args));
        for (n, value) in positional.iter_mut().enumerate() {
            self.read_masks(entry.params.get(n), value)?;
        }
        for (name, value) in &mut named {
            self.read_masks(entry.params.iter().find(|param| param.name == name), value)?;
        }
        let named: Vec<(&str, Value)> = named.iter().map(|(n, v)| (&n[..], v.clone())).collect();
        Ok(entry.call_reading(self.g, self, &positional, &named)?)
    }

    /// Replaces boolean masks of an index by the indices of their true elements. This reads the
    /// masks, since the number of indices depends on their values.
    fn read_masks(&mut self, param: Option<&Param>, value: &mut Value) -> Result<(), CaseError> {
        if param.is_none_or(|param| param.spec != Spec::List(&Spec::Index)) {
            return Ok(());
        }
        let items = match &mut *value {
            Value::List(items) => std::mem::take(items),
            single => vec![std::mem::replace(single, Value::None)],
        };
        let mut index = Vec::new();
        for item in items {
            match item {
                Value::Tensor(mask) if self.g.expr(mask).dtype() == DType::Bool => {
                    let as_tuple = (Some("as_tuple".to_string()), Value::Bool(true));
                    let indices = self.call("nonzero", vec![(None, item), as_tuple])?;
                    index.extend(indices.into_iter().map(Value::Tensor));
                }
                other => index.push(other),
            }
        }
        *value = Value::List(index);
        Ok(())
    }
}

/// The op of a name such as `torch.nn.functional.relu`. If a function and a method share their last
/// name part, the function's qualified name is an alias in the op table.
fn find(name: &str) -> Result<&'static OpEntry, CaseError> {
    let mut plain = name.strip_prefix("torch.").unwrap_or(name);
    if let Some(entry) = table::find(plain) {
        return Ok(entry);
    }
    for prefix in ["nn.functional.", "Tensor.", "linalg.", "special."] {
        plain = plain.strip_prefix(prefix).unwrap_or(plain);
    }
    let plain = if plain == "__getitem__" { "index" } else { plain };
    table::find(plain).ok_or_else(|| CaseError::Unsupported(format!("there is no op '{plain}'")))
}

/// Collects variadic arguments, as in `block_diag(a, b)` or `x.expand(2, 3)`, into the list that
/// the op takes: consecutive values of the list's item kind, if the next parameter has another
/// kind.
fn gather(entry: &OpEntry, args: Arguments) -> Arguments {
    let list = |spec: &Spec| match spec {
        Spec::List(item) | Spec::Optional(Spec::List(item)) => Some(**item),
        _ => None,
    };
    let mut params = entry.params.iter().enumerate();
    let Some((n, item)) = params.find_map(|(n, param)| Some((n, list(&param.spec)?))) else {
        return args;
    };
    let is_item =
        |(name, value): &&(Option<String>, Value)| name.is_none() && accepts(&item, value);
    let run = args.iter().skip(n).take_while(is_item).count();
    let next = entry.params.get(n + 1);
    if run < 2 || next.is_some_and(|next| accepts(&next.spec, &args[n + 1].1)) {
        return args;
    }
    let mut before = args;
    let mut items = before.split_off(n);
    let after = items.split_off(run);
    let items = Value::List(items.into_iter().map(|(_, value)| value).collect());
    before.into_iter().chain([(None, items)]).chain(after).collect()
}

/// Whether a parameter accepts a tensor or integer.
fn accepts(spec: &Spec, value: &Value) -> bool {
    match (spec, value) {
        (Spec::Optional(item) | Spec::List(item), value) => accepts(item, value),
        (Spec::Tensor | Spec::Operand | Spec::Index, Value::Tensor(_)) => true,
        (Spec::Int | Spec::Float | Spec::Number | Spec::Operand, Value::Int(_)) => true,
        _ => false,
    }
}

/// Splits positional from named arguments. If all are named, an unknown name is mapped to the
/// parameter at its position, unless that is given too: PyTorch calls the first parameter `input`,
/// `self` or `tensor`, depending on the op.
fn split_arguments(entry: &OpEntry, args: Arguments) -> (Vec<Value>, Vec<(String, Value)>) {
    let is_given = |name: &str| args.iter().any(|(given, _)| given.as_deref() == Some(name));
    let are_in_order = args.iter().all(|(name, _)| name.is_some());
    let name_at = |n: usize, name: &str| {
        let is_known = !are_in_order || entry.params.iter().any(|param| param.name == name);
        let there = entry.params.get(n).filter(|param| !is_known && !is_given(param.name));
        there.map_or(name, |param| param.name).to_string()
    };
    let (mut positional, mut named) = (Vec::new(), Vec::new());
    for (n, (name, value)) in args.iter().enumerate() {
        match name {
            None => positional.push(value.clone()),
            Some(name) => named.push((name_at(n, name), value.clone())),
        }
    }
    (positional, named)
}
