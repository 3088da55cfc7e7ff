//! The op table: every op a user can call, with its parameters, documentation and example calls.
//! The manual, the Rust and TypeScript methods, the text form and the conformance tests are made
//! from it.
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

/// One op of the table. Its position in [`all`] is its op id.
#[derive(Clone, Debug)]
pub struct OpEntry {
    /// PyTorch's name, without the `torch.` path.
    pub name: &'static str,
    /// The chapter of the manual: the module of `ops::compose` that declares it, or `scalar`.
    pub category: &'static str,
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
    Composite(for<'g> fn(&'g Recorder, &BoundArgs) -> Result<Vec<Id>>),
    /// An op that reads data while it is recorded, because the shape of its result depends on them.
    Reading(for<'g> fn(&'g Recorder, &mut dyn Reader, &BoundArgs) -> Result<Vec<Id>>),
    /// A scalar function, with type promotion and broadcasting.
    Scalar(Scalar),
}

#[derive(Clone, Copy, Debug)]
pub struct Param {
    pub name: &'static str,
    /// The type of the function's parameter, as written in Rust.
    pub ty: &'static str,
    pub spec: Spec,
    /// As written in Rust; `None` if the argument is required.
    pub default: Option<&'static str>,
}

/// What an op returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returns {
    Tensor,
    Pair,
    Triple,
    List,
    /// One tensor or several, depending on the arguments.
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

/// The results of an op that returns one tensor or several, depending on its arguments.
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

/// Ops whose results are views of the memory of their first operand.
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

/// Computes tensors while a graph is being recorded, for ops that read data.
pub trait Reader {
    /// The value of a recorded tensor.
    fn read(&mut self, x: Expr) -> Result<Array>;
    /// Records a new input with this value.
    fn feed<'g>(&mut self, g: &'g Recorder, value: Array) -> Expr<'g>;
}

/// Arguments matched with an op's parameters.
pub struct BoundArgs<'a> {
    entry: &'a OpEntry,
    values: Vec<Option<Cow<'a, Value>>>,
    fault: RefCell<Option<Error>>,
}

/// Stores the first wrong argument until all are read, so that reading an argument is infallible
/// in the code of each op. Methods that every op calls are not inlined, to keep the code small.
impl BoundArgs<'_> {
    /// Argument `n`, which has no default.
    #[inline(never)]
    pub fn get<'g, T: Arg<'g>>(&self, g: &'g Recorder, n: usize) -> T {
        self.convert(g, n).unwrap_or_else(|| {
            self.missing(n);
            T::stand_in(g)
        })
    }

    /// Argument `n`, or its default.
    #[inline(never)]
    pub fn or<'g, T: Arg<'g>>(&self, g: &'g Recorder, n: usize, default: T) -> T {
        self.convert(g, n).unwrap_or(default)
    }

    /// The error of the first wrong argument, if there is one.
    #[inline(never)]
    pub fn check(&self) -> Result<()> {
        self.fault.take().map_or(Ok(()), Err)
    }

    fn convert<'g, T: Arg<'g>>(&self, g: &'g Recorder, n: usize) -> Option<T> {
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

/// The node ids of an op's results.
#[inline(never)]
pub fn result_ids<T: Returned>(results: Result<T>) -> Result<Vec<Id>> {
    results.map(Returned::ids)
}

impl OpEntry {
    /// Records a call with positional and named arguments, as other languages pass them.
    pub fn call(
        &self,
        g: &Recorder,
        positional: &[Value],
        named: &[(&str, Value)],
    ) -> Result<Vec<Id>> {
        self.dispatch(g, None, positional, named)
    }

    /// `call` that supports also the ops that read data ([`Call::Reading`]).
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
                (Call::Scalar(function), _) => {
                    let operands = (0..self.params.len()).map(|n| bound.get::<Operand>(g, n));
                    let operands: Vec<Operand> = operands.collect();
                    bound.check()?;
                    Ok(vec![ops::elementwise(g, function, &operands)?.id()])
                }
            }
        })
    }

    fn bind<'a>(
        &'a self,
        positional: &'a [Value],
        named: &'a [(&str, Value)],
    ) -> Result<BoundArgs<'a>> {
        let mut values = self.bind_positional(positional)?;
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
        Ok(BoundArgs { entry: self, values, fault: RefCell::default() })
    }

    /// The values of the positional arguments. If the last parameter is a list, its items may be
    /// passed as separate arguments: `permute(x, 1, 0)` is `permute(x, [1, 0])`.
    fn bind_positional<'a>(&self, positional: &'a [Value]) -> Result<Vec<Option<Cow<'a, Value>>>> {
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

/// Every op, by category. The index of an op is its op id.
pub fn all() -> &'static [OpEntry] {
    static ALL: OnceLock<Vec<OpEntry>> = OnceLock::new();
    ALL.get_or_init(|| {
        #[cfg(brasa_page)]
        let composites = crate::packed::composites();
        #[cfg(not(brasa_page))]
        let composites = ops::compose::CATEGORIES.concat();
        let is_wrapped = |f: &Scalar| composites.iter().any(|e| e.name == f.def().name);
        // Users call `Select`, the only function of three operands, `where`.
        let is_public = |f: &&Scalar| f.def().arity < 3 && !is_wrapped(f);
        let scalars = Scalar::ALL.iter().filter(is_public).map(|f| f.entry());
        scalars.chain(composites.iter().cloned()).collect()
    })
}

/// The op of this name or alias.
pub fn find(name: &str) -> Option<&'static OpEntry> {
    // A page looks names up only for error messages.
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

/// The category of an op: the name of the module that declares it.
pub const fn category(module_path: &'static str) -> &'static str {
    // `brasa_ir::ops::compose::norms::layer_norm` → `norms`: the segment before the last `::`.
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
