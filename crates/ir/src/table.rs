//! The op table as data: every op a user can call, with its parameters, documentation and cases.
//! Everything outside this crate that lists ops (the manual, Rust and TypeScript methods, the text
//! form, conformance) reads it from here.
use crate::array::Array;
use crate::error::{Error, Result};
use crate::graph::Id;
use crate::ops::{self, Scalar};
use crate::recorder::{Expr, Operand, Recorder};
use crate::value::{Arg, Spec, Value};
use std::collections::HashMap;
use std::fmt;
use std::sync::OnceLock;

/// One op.
#[derive(Clone, Debug)]
pub struct OpEntry {
    /// PyTorch's name, without the `torch.` path.
    pub name: &'static str,
    /// The file it lives in.
    pub room: &'static str,
    pub doc: &'static str,
    pub aliases: &'static [&'static str],
    pub params: &'static [Param],
    pub returns: Returns,
    /// Arguments of example calls, see [`crate::case`].
    pub cases: &'static [&'static str],
    pub call: Call,
}

/// How an entry is recorded.
#[derive(Clone, Copy, Debug)]
pub enum Call {
    Composite(for<'g> fn(&'g Recorder, &Bound) -> Result<Vec<Id>>),
    /// An op whose result's shape depends on data, which it has to read first.
    Reading(for<'g> fn(&'g Recorder, &mut dyn Reader, &Bound) -> Result<Vec<Id>>),
    /// A row of the scalar table, called with promotion and broadcasting.
    Row(Scalar),
}

#[derive(Clone, Copy, Debug)]
pub struct Param {
    pub name: &'static str,
    pub spec: Spec,
    /// As written in Rust; `None` where the argument is required.
    pub default: Option<&'static str>,
}

/// What an op gives back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returns {
    Tensor,
    Pair,
    Triple,
    List,
}

impl fmt::Display for Returns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Returns::Tensor => "Tensor",
            Returns::Pair => "(Tensor, Tensor)",
            Returns::Triple => "(Tensor, Tensor, Tensor)",
            Returns::List => "Tensor[]",
        })
    }
}

/// A type that an op may return.
pub trait Returned {
    const RETURNS: Returns;
    fn ids(self) -> Vec<Id>;
}

impl Returned for Expr<'_> {
    const RETURNS: Returns = Returns::Tensor;
    fn ids(self) -> Vec<Id> {
        vec![self.id()]
    }
}

impl Returned for (Expr<'_>, Expr<'_>) {
    const RETURNS: Returns = Returns::Pair;
    fn ids(self) -> Vec<Id> {
        vec![self.0.id(), self.1.id()]
    }
}

impl Returned for (Expr<'_>, Expr<'_>, Expr<'_>) {
    const RETURNS: Returns = Returns::Triple;
    fn ids(self) -> Vec<Id> {
        vec![self.0.id(), self.1.id(), self.2.id()]
    }
}

impl Returned for Vec<Expr<'_>> {
    const RETURNS: Returns = Returns::List;
    fn ids(self) -> Vec<Id> {
        self.iter().map(Expr::id).collect()
    }
}

/// Computes tensors while a graph is being recorded, for ops that must look at data.
pub trait Reader {
    /// The value of a recorded tensor.
    fn read(&mut self, x: Expr) -> Result<Array>;
    /// A new input with this value.
    fn feed<'g>(&mut self, g: &'g Recorder, value: Array) -> Expr<'g>;
}

/// Arguments matched with an op's parameters.
pub struct Bound<'a> {
    entry: &'a OpEntry,
    values: Vec<Option<&'a Value>>,
}

impl Bound<'_> {
    /// Argument `n`, which has no default.
    pub fn get<'g, T: Arg<'g>>(&self, g: &'g Recorder, n: usize) -> Result<T> {
        let missing = || format!("missing argument '{}'", self.entry.params[n].name);
        let value = self.values[n].ok_or_else(|| Error::argument(self.entry.name, missing()))?;
        self.read(g, n, value)
    }

    /// Argument `n`, or its default where it was not given.
    pub fn get_or<'g, T: Arg<'g>>(
        &self,
        g: &'g Recorder,
        n: usize,
        default: impl FnOnce() -> T,
    ) -> Result<T> {
        match self.values[n] {
            Some(value) => self.read(g, n, value),
            None => Ok(default()),
        }
    }

    fn read<'g, T: Arg<'g>>(&self, g: &'g Recorder, n: usize, value: &Value) -> Result<T> {
        let name = self.entry.params[n].name;
        let wrong = |why: String| Error::argument(self.entry.name, format!("{name}: {why}"));
        T::from_value(g, value).map_err(wrong)
    }
}

impl OpEntry {
    /// Records a call with positional and named arguments, as other languages make it.
    pub fn call(
        &self,
        g: &Recorder,
        positional: &[Value],
        named: &[(&str, Value)],
    ) -> Result<Vec<Id>> {
        self.dispatch(g, None, positional, named)
    }

    /// `call` for any op, also those that must look at data first.
    pub fn call_reading(
        &self,
        g: &Recorder,
        reader: &mut dyn Reader,
        positional: &[Value],
        named: &[(&str, Value)],
    ) -> Result<Vec<Id>> {
        self.dispatch(g, Some(reader), positional, named)
    }

    fn dispatch(
        &self,
        g: &Recorder,
        reader: Option<&mut dyn Reader>,
        positional: &[Value],
        named: &[(&str, Value)],
    ) -> Result<Vec<Id>> {
        g.scope(self.name, || {
            let bound = self.bind(positional, named)?;
            match (self.call, reader) {
                (Call::Composite(call), _) => call(g, &bound),
                (Call::Reading(call), Some(reader)) => call(g, reader, &bound),
                (Call::Reading(_), None) => {
                    let what = "the shape of the result depends on data, which must be read first";
                    Err(Error::argument(self.name, what))
                }
                (Call::Row(row), _) => {
                    let operands = (0..self.params.len()).map(|n| bound.get::<Operand>(g, n));
                    let operands = operands.collect::<Result<Vec<_>>>()?;
                    Ok(vec![ops::elementwise(g, row, &operands)?.id()])
                }
            }
        })
    }

    fn bind<'a>(
        &'a self,
        positional: &'a [Value],
        named: &'a [(&str, Value)],
    ) -> Result<Bound<'a>> {
        if positional.len() > self.params.len() {
            let (most, given) = (self.params.len(), positional.len());
            let what = format!("takes at most {most} arguments, {given} were given");
            return Err(Error::argument(self.name, what));
        }
        let mut values: Vec<Option<&Value>> = positional.iter().map(Some).collect();
        values.resize(self.params.len(), None);
        for (name, value) in named {
            // `keepDim`, `keepdim` and `keep_dim` are one name.
            let plain = |s: &str| s.replace('_', "").to_lowercase();
            let Some(n) = self.params.iter().position(|p| plain(p.name) == plain(name)) else {
                let names: Vec<&str> = self.params.iter().map(|p| p.name).collect();
                let error = Error::argument(self.name, format!("has no argument '{name}'"));
                return Err(error.help(format!("it takes {}", names.join(", "))));
            };
            if values[n].replace(value).is_some() {
                return Err(Error::argument(self.name, format!("'{name}' was given twice")));
            }
        }
        Ok(Bound { entry: self, values })
    }
}

/// Every op, room by room.
pub fn all() -> &'static [OpEntry] {
    static ALL: OnceLock<Vec<OpEntry>> = OnceLock::new();
    ALL.get_or_init(|| {
        let composites: Vec<OpEntry> = ops::compose::rooms().concat();
        let is_wrapped = |row: &Scalar| composites.iter().any(|e| e.name == row.def().name);
        // `Select`, the only row of three operands, is what users call `where`.
        let is_called = |row: &&Scalar| row.def().arity < 3 && !is_wrapped(row);
        let rows = Scalar::ALL.iter().filter(is_called).map(|row| row.entry());
        rows.chain(composites.iter().cloned()).collect()
    })
}

/// The op of this name or alias.
pub fn find(name: &str) -> Option<&'static OpEntry> {
    static NAMES: OnceLock<HashMap<&'static str, &'static OpEntry>> = OnceLock::new();
    let names = NAMES.get_or_init(|| {
        let aliases = all().iter().flat_map(|e| e.aliases.iter().map(move |&a| (a, e)));
        aliases.chain(all().iter().map(|e| (e.name, e))).collect()
    });
    names.get(name).copied()
}

/// The room of an op: the file of the module it was declared in.
pub const fn room(module_path: &'static str) -> &'static str {
    // `brasa_ir::ops::compose::norm::layer_norm` → `norm`: what stands before the last `::`.
    let bytes = module_path.as_bytes();
    let mut end = bytes.len();
    while bytes[end - 1] != b':' {
        end -= 1;
    }
    end -= 2;
    let mut start = end;
    while bytes[start - 1] != b':' {
        start -= 1;
    }
    let (_, tail) = module_path.split_at(start);
    let (name, _) = tail.split_at(end - start);
    name
}
