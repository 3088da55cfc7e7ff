//! The op table as data: every op a user can call, with its parameters, documentation and cases.
//! Everything outside this crate that lists ops (the manual, Rust and TypeScript methods, the text
//! form, conformance) reads it from here.
use crate::array::Array;
use crate::error::{Error, Result};
use crate::graph::Id;
use crate::ops::{self, Scalar};
use crate::recorder::{Expr, Operand, Recorder};
use crate::value::{Arg, Spec, Value};
use std::borrow::Cow;
use std::cell::RefCell;
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
    /// The type of the function's parameter, as written in Rust.
    pub ty: &'static str,
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
    /// One tensor or several, as the arguments say.
    Varied,
}

impl fmt::Display for Returns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Returns::Tensor => "Tensor",
            Returns::Pair => "(Tensor, Tensor)",
            Returns::Triple => "(Tensor, Tensor, Tensor)",
            Returns::List => "Tensor[]",
            Returns::Varied => "Tensor | Tensor[]",
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

/// The results of an op that gives one tensor or several, as its arguments say.
#[derive(Clone, Debug)]
pub enum Outputs<'g> {
    One(Expr<'g>),
    Many(Vec<Expr<'g>>),
}

impl Returned for Outputs<'_> {
    const RETURNS: Returns = Returns::Varied;
    fn ids(self) -> Vec<Id> {
        match self {
            Outputs::One(x) => vec![x.id()],
            Outputs::Many(list) => list.ids(),
        }
    }
}

/// Ops whose results are another look at the memory of their first operand.
pub const VIEWS: [&str; 25] = [
    "adjoint",
    "chunk",
    "diagonal",
    "expand",
    "expand_as",
    "flatten",
    "movedim",
    "narrow",
    "permute",
    "ravel",
    "reshape",
    "reshape_as",
    "select",
    "slice",
    "split",
    "split_with_sizes",
    "squeeze",
    "t",
    "tensor_split",
    "transpose",
    "unbind",
    "unflatten",
    "unsqueeze",
    "hsplit",
    "vsplit",
];

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
    values: Vec<Option<Cow<'a, Value>>>,
    fault: RefCell<Option<Error>>,
}

/// A wrong argument is remembered until all are read, so that reading one needs no exit of its own. What is
/// not inlined is called from every op.
impl Bound<'_> {
    /// Argument `n`, which has no default.
    #[inline(never)]
    pub fn get<'g, T: Arg<'g>>(&self, g: &'g Recorder, n: usize) -> T {
        self.given(g, n).unwrap_or_else(|| {
            self.missing(n);
            T::stand_in(g)
        })
    }

    /// Argument `n`, or its default.
    #[inline(never)]
    pub fn or<'g, T: Arg<'g>>(&self, g: &'g Recorder, n: usize, default: T) -> T {
        self.given(g, n).unwrap_or(default)
    }

    /// Why an argument cannot be taken, the first of all.
    #[inline(never)]
    pub fn check(&self) -> Result<()> {
        self.fault.take().map_or(Ok(()), Err)
    }

    fn given<'g, T: Arg<'g>>(&self, g: &'g Recorder, n: usize) -> Option<T> {
        let value = self.values[n].as_deref()?;
        Some(T::from_value(g, value).unwrap_or_else(|why| {
            self.wrong(n, &why);
            T::stand_in(g)
        }))
    }

    #[inline(never)]
    fn missing(&self, n: usize) {
        self.reject(format!("missing argument '{}'", self.entry.params[n].name));
    }

    #[inline(never)]
    fn wrong(&self, n: usize, why: &str) {
        self.reject(format!("{}: {why}", self.entry.params[n].name));
    }

    fn reject(&self, what: String) {
        let mut fault = self.fault.borrow_mut();
        fault.get_or_insert_with(|| Error::argument(self.entry.name, what));
    }
}

/// The results of an op as nodes.
#[inline(never)]
pub fn returned<T: Returned>(results: Result<T>) -> Result<Vec<Id>> {
    results.map(Returned::ids)
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
                    let operands: Vec<Operand> = operands.collect();
                    bound.check()?;
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
        let mut values = self.place(positional)?;
        values.resize(self.params.len(), None);
        for (name, value) in named {
            // `keepDim`, `keepdim`, `keep_dim` and NumPy's `keepdims` are one name.
            let plain = |s: &str| {
                let plain = s.replace('_', "").to_ascii_lowercase();
                if plain == "keepdims" { "keepdim".to_string() } else { plain }
            };
            let Some(n) = self.params.iter().position(|p| plain(p.name) == plain(name)) else {
                let names: Vec<&str> = self.params.iter().map(|p| p.name).collect();
                let error = Error::argument(self.name, format!("has no argument '{name}'"));
                return Err(error.help(format!("it takes {}", names.join(", "))));
            };
            if values[n].replace(Cow::Borrowed(value)).is_some() {
                return Err(Error::argument(self.name, format!("'{name}' was given twice")));
            }
        }
        Ok(Bound { entry: self, values, fault: RefCell::default() })
    }

    /// The positional arguments. Where the last parameter is a list, its items may be written out:
    /// `permute(x, 1, 0)` is `permute(x, [1, 0])`.
    fn place<'a>(&self, positional: &'a [Value]) -> Result<Vec<Option<Cow<'a, Value>>>> {
        let most = self.params.len();
        let all = |values: &'a [Value]| values.iter().map(|v| Some(Cow::Borrowed(v))).collect();
        if positional.len() <= most {
            return Ok(all(positional));
        }
        let takes_list = |p: &Param| matches!(p.spec, Spec::List(_));
        if !self.params.last().is_some_and(takes_list) {
            let s = if most == 1 { "" } else { "s" };
            let what = format!("takes at most {most} argument{s}, got {}", positional.len());
            return Err(Error::argument(self.name, what));
        }
        let (single, listed) = positional.split_at(most - 1);
        let mut values: Vec<_> = all(single);
        values.push(Some(Cow::Owned(Value::List(listed.to_vec()))));
        Ok(values)
    }
}

/// Every op, room by room.
pub fn all() -> &'static [OpEntry] {
    static ALL: OnceLock<Vec<OpEntry>> = OnceLock::new();
    ALL.get_or_init(|| {
        #[cfg(brasa_page)]
        let composites = crate::packed::composites();
        #[cfg(not(brasa_page))]
        let composites = ops::compose::ROOMS.concat();
        let is_wrapped = |row: &Scalar| composites.iter().any(|e| e.name == row.def().name);
        // `Select`, the only row of three operands, is what users call `where`.
        let is_called = |row: &&Scalar| row.def().arity < 3 && !is_wrapped(row);
        let rows = Scalar::ALL.iter().filter(is_called).map(|row| row.entry());
        rows.chain(composites.iter().cloned()).collect()
    })
}

/// The op of this name or alias.
pub fn find(name: &str) -> Option<&'static OpEntry> {
    // A page asks only when something goes wrong.
    if cfg!(brasa_page) {
        return all().iter().find(|e| e.name == name);
    }
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
