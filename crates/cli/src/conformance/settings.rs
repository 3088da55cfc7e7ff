//! Arguments of constructors and calls by PyTorch's names. What nobody has asked for is not understood,
//! and is told.
use super::Trouble;
use super::format::Plain;
use brasa_ir::Value;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

type Result<T> = std::result::Result<T, Trouble>;

/// Settings that say how something is computed or stored, which changes no value.
const HARMLESS: [&str; 7] =
    ["device", "dtype", "inplace", "foreach", "fused", "capturable", "differentiable"];

pub(super) struct Settings<'a> {
    /// What they belong to.
    of: &'a str,
    given: &'a BTreeMap<String, Plain>,
    asked: RefCell<BTreeSet<&'static str>>,
}

impl<'a> Settings<'a> {
    pub(super) fn new(of: &'a str, given: &'a BTreeMap<String, Plain>) -> Settings<'a> {
        Settings { of, given, asked: RefCell::default() }
    }

    /// What was given, if it is not `None`.
    pub(super) fn get(&self, name: &'static str) -> Option<&'a Value> {
        self.asked.borrow_mut().insert(name);
        self.given.get(name).map(|plain| &plain.0).filter(|value| **value != Value::None)
    }

    /// Whether `None` was given, where that is not the same as nothing.
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

    /// A size that has to be given.
    pub(super) fn size(&self, name: &'static str) -> Result<usize> {
        let value = self.get(name).ok_or_else(|| self.missing(name))?;
        self.as_size(name, value)
    }

    pub(super) fn size_or(&self, name: &'static str, default: usize) -> Result<usize> {
        self.get(name).map_or(Ok(default), |value| self.as_size(name, value))
    }

    /// One size or several, which have to be given.
    pub(super) fn sizes(&self, name: &'static str) -> Result<Vec<usize>> {
        match self.get(name).ok_or_else(|| self.missing(name))? {
            Value::List(items) => items.iter().map(|item| self.as_size(name, item)).collect(),
            one => Ok(vec![self.as_size(name, one)?]),
        }
    }

    /// A size for each of so many axes; one may stand for all.
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
            _ => Err(Trouble::failed(format!("{}: {name} = {sizes:?}", self.of))),
        }
    }

    /// What cannot be done with these settings.
    pub(super) fn unsupported(&self, what: impl std::fmt::Display) -> Trouble {
        Trouble::Unsupported(format!("{} with {what}", self.of))
    }

    /// Whether all has been asked for. What is `None` or false is as good as not given.
    pub(super) fn finish(&self) -> Result<()> {
        let is_off = |value: &Value| matches!(value, Value::None | Value::Bool(false));
        let is_known = |name: &str| HARMLESS.contains(&name) || self.asked.borrow().contains(name);
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

    fn wrong(&self, name: &str, kind: &str, got: &Value) -> Trouble {
        Trouble::failed(format!("{}: {name} should be {kind}, not {got}", self.of))
    }

    fn missing(&self, name: &str) -> Trouble {
        Trouble::failed(format!("{}: {name} is missing", self.of))
    }
}
