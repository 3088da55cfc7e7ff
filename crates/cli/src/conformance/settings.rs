//! Typed access to constructor and call arguments by PyTorch name. `finish` reports arguments that
//! were not read as unsupported.
use super::CaseError;
use super::format::Plain;
use brasa_ir::Value;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

type Result<T> = std::result::Result<T, CaseError>;

/// Settings about execution or storage, which do not affect values.
const IGNORED: [&str; 7] =
    ["device", "dtype", "inplace", "foreach", "fused", "capturable", "differentiable"];

pub(super) struct Settings<'a> {
    /// The module or optimizer they belong to.
    of: &'a str,
    given: &'a BTreeMap<String, Plain>,
    read: RefCell<BTreeSet<&'static str>>,
}

impl<'a> Settings<'a> {
    pub(super) fn new(of: &'a str, given: &'a BTreeMap<String, Plain>) -> Settings<'a> {
        Settings { of, given, read: RefCell::default() }
    }

    /// The given value, unless it is `None`.
    pub(super) fn get(&self, name: &'static str) -> Option<&'a Value> {
        self.read.borrow_mut().insert(name);
        self.given.get(name).map(|plain| &plain.0).filter(|value| **value != Value::None)
    }

    /// Whether `None` was passed explicitly.
    pub(super) fn is_none(&self, name: &str) -> bool {
        self.given.get(name).is_some_and(|plain| plain.0 == Value::None)
    }

    pub(super) fn number(&self, name: &'static str, default: f64) -> Result<f64> {
        self.get(name).map_or(Ok(default), |value| self.as_number(name, value))
    }

    pub(super) fn pair(&self, name: &'static str, default: [f64; 2]) -> Result<[f64; 2]> {
        match self.get(name) {
            None => Ok(default),
            Some(Value::List(items)) if items.len() == 2 => {
                Ok([self.as_number(name, &items[0])?, self.as_number(name, &items[1])?])
            }
            Some(other) => Err(self.wrong(name, "two numbers", other)),
        }
    }

    pub(super) fn flag(&self, name: &'static str, default: bool) -> Result<bool> {
        match self.get(name) {
            None => Ok(default),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(other) => Err(self.wrong(name, "true or false", other)),
        }
    }

    pub(super) fn word(&self, name: &'static str, default: &'a str) -> Result<&'a str> {
        match self.get(name) {
            None => Ok(default),
            Some(Value::Str(word)) => Ok(word),
            Some(other) => Err(self.wrong(name, "a word", other)),
        }
    }

    /// A required size.
    pub(super) fn size(&self, name: &'static str) -> Result<usize> {
        let value = self.get(name).ok_or_else(|| self.missing(name))?;
        self.as_size(name, value)
    }

    pub(super) fn size_or(&self, name: &'static str, default: usize) -> Result<usize> {
        self.get(name).map_or(Ok(default), |value| self.as_size(name, value))
    }

    /// One or several sizes, required.
    pub(super) fn sizes(&self, name: &'static str) -> Result<Vec<usize>> {
        match self.get(name).ok_or_else(|| self.missing(name))? {
            Value::List(items) => items.iter().map(|item| self.as_size(name, item)).collect(),
            one => Ok(vec![self.as_size(name, one)?]),
        }
    }

    /// A size per axis; a single one applies to all axes.
    pub(super) fn axes(
        &self,
        name: &'static str,
        default: usize,
        axes: usize,
    ) -> Result<Vec<usize>> {
        let sizes = if self.get(name).is_some() { self.sizes(name)? } else { vec![default] };
        match sizes[..] {
            [one] => Ok(vec![one; axes]),
            _ if sizes.len() == axes => Ok(sizes),
            _ => Err(CaseError::failed(format!("{}: {name} = {sizes:?}", self.of))),
        }
    }

    /// An error for an unsupported setting.
    pub(super) fn unsupported(&self, what: impl std::fmt::Display) -> CaseError {
        CaseError::Unsupported(format!("{} with {what}", self.of))
    }

    /// Fails if a setting was not read, unless it is `None` or false.
    pub(super) fn finish(&self) -> Result<()> {
        let is_off = |value: &Value| matches!(value, Value::None | Value::Bool(false));
        let is_known = |name: &str| IGNORED.contains(&name) || self.read.borrow().contains(name);
        match self.given.iter().find(|(name, plain)| !is_known(name) && !is_off(&plain.0)) {
            Some((name, plain)) => Err(self.unsupported(format!("{name} = {}", plain.0))),
            None => Ok(()),
        }
    }

    fn as_number(&self, name: &str, value: &Value) -> Result<f64> {
        match value {
            Value::Float(x) => Ok(*x),
            Value::Int(i) => Ok(*i as f64),
            other => Err(self.wrong(name, "a number", other)),
        }
    }

    fn as_size(&self, name: &str, value: &Value) -> Result<usize> {
        match value {
            Value::Int(i) if (0..1 << 24).contains(i) => Ok(*i as usize),
            other => Err(self.wrong(name, "a size", other)),
        }
    }

    fn wrong(&self, name: &str, kind: &str, got: &Value) -> CaseError {
        CaseError::failed(format!("{}: {name} should be {kind}, not {got}", self.of))
    }

    fn missing(&self, name: &str) -> CaseError {
        CaseError::failed(format!("{}: {name} is missing", self.of))
    }
}
