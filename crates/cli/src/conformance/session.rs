//! Records the graph of one case, with the values of its inputs, and runs it.
use super::CaseError;
use super::call::Arguments;
use super::format::{Argument, Generated, Given, TensorRef};
use crate::data::{DataError, Tensors};
use crate::device::Device;
use brasa_ir::ops::Role;
use brasa_ir::table::Reader;
use brasa_ir::{Array, DType, Expr, Graph, Id, Number, Recorder, Type, Value};
use std::collections::HashMap;
use std::path::Path;

/// Maximum number of elements of a generated tensor.
const MAX_GENERATED: usize = 1 << 28;

/// The files of the cases and the device they run on.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    /// The file that describes them.
    pub(super) index: &'a Path,
    pub(super) tensors: &'a Tensors,
    pub(super) device: Device,
}

impl Source<'_> {
    /// An error in the index file.
    pub(super) fn error(&self, what: impl Into<String>) -> DataError {
        DataError::new(self.index, what)
    }
}

/// A graph being recorded and the values of its inputs.
pub(super) struct Session<'a, 'g> {
    pub(super) g: &'g Recorder,
    source: Source<'a>,
    values: HashMap<Id, Array>,
    leaves: HashMap<String, Expr<'g>>,
}

impl<'a, 'g> Session<'a, 'g> {
    pub(super) fn new(g: &'g Recorder, source: Source<'a>) -> Session<'a, 'g> {
        Session { g, source, values: HashMap::new(), leaves: HashMap::new() }
    }

    /// A new input with this value.
    pub(super) fn input(&mut self, name: &str, value: Array) -> Expr<'g> {
        let input = self.g.input(name, Role::Data, value.ty.clone());
        self.values.insert(input.id(), value);
        self.leaves.insert(name.to_string(), input);
        input
    }

    /// The argument as a value; its tensors become inputs named `path`, or `path.k` in a list.
    pub(super) fn argument(&mut self, path: &str, argument: &Argument) -> Result<Value, DataError> {
        Ok(match &argument.given {
            Given::Value(value) => value.clone(),
            Given::Tensor(reference) => {
                let array = self.tensor(reference)?.clone();
                Value::Tensor(self.input(path, array).id())
            }
            Given::Generated(generated) => {
                let array = self.generate(generated)?;
                Value::Tensor(self.input(path, array).id())
            }
            Given::List(items) => {
                let item = |(n, item)| self.argument(&format!("{path}.{n}"), item);
                Value::List(items.iter().enumerate().map(item).collect::<Result<_, _>>()?)
            }
        })
    }

    /// Arguments in order; unnamed ones get their number as path.
    pub(super) fn arguments(&mut self, given: &[Argument]) -> Result<Arguments, DataError> {
        let mut args = Vec::new();
        for (n, argument) in given.iter().enumerate() {
            let path = argument.name.clone().unwrap_or(n.to_string());
            args.push((argument.name.clone(), self.argument(&path, argument)?));
        }
        Ok(args)
    }

    /// The referenced tensor. Checks its dtype and shape.
    pub(super) fn tensor(&self, reference: &TensorRef) -> Result<&'a Array, DataError> {
        let array = self.source.tensors.get(&reference.key)?;
        let dtype = reference.dtype.as_deref().unwrap_or(array.dtype().torch_name());
        let shape = reference.shape.as_deref().unwrap_or(array.shape());
        if dtype == array.dtype().torch_name() && *shape == **array.shape() {
            return Ok(array);
        }
        let (key, found) = (&reference.key, &array.ty);
        Err(self.source.error(format!("tensor '{key}' is {found}, not {dtype}{shape:?}")))
    }

    /// Generates a tensor by a hash of flat indices, between −1 and 1.
    pub(super) fn generate(&self, what: &Generated) -> Result<Array, DataError> {
        let len = what.shape.iter().try_fold(1usize, |len, &axis| len.checked_mul(axis));
        let Some(len) = len.filter(|&len| len <= MAX_GENERATED) else {
            return Err(self
                .source
                .error(format!("cannot generate a tensor of shape {:?}", what.shape)));
        };
        let seed = what.seed.wrapping_mul(0x9E37_79B9);
        let element = |i: usize| {
            let mut h = (i as u32).wrapping_add(seed);
            h = (h ^ h >> 16).wrapping_mul(0x85EB_CA6B);
            h = (h ^ h >> 13).wrapping_mul(0xC2B2_AE35);
            h ^= h >> 16;
            (h >> 8) as f64 / (1 << 24) as f64 * 2.0 - 1.0
        };
        let ty = Type::new(DType::F32, &what.shape[..]);
        Ok(Array::from_f64(&ty, (0..len).map(element)))
    }

    /// The input of a tensor argument.
    pub(super) fn leaf(&self, path: &str) -> Result<Expr<'g>, DataError> {
        let missing = || self.source.error(format!("there is no tensor argument '{path}'"));
        self.leaves.get(path).copied().ok_or_else(missing)
    }

    /// The values of recorded tensors.
    pub(super) fn run(&mut self, wanted: &[Id]) -> brasa_ir::Result<Vec<Array>> {
        if let Some(seed) = self.g.read(Graph::seed) {
            let ty = Type::new(DType::U32, []);
            self.values.entry(seed).or_insert_with(|| Array::full(&ty, Number::Int(0)));
        }
        self.g.read(|graph| self.source.device.run(graph, &self.values, wanted))
    }

    /// Calls an op that returns one tensor.
    pub(super) fn one(&mut self, op: &str, args: &[Value]) -> Result<Value, CaseError> {
        match self.call(op, args.iter().map(|arg| (None, arg.clone())).collect())?[..] {
            [id] => Ok(Value::Tensor(id)),
            ref many => Err(CaseError::failed(format!(
                "{op} returned {} tensors, expected one",
                many.len()
            ))),
        }
    }
}

impl Reader for Session<'_, '_> {
    fn read(&mut self, x: Expr) -> brasa_ir::Result<Array> {
        Ok(self.run(&[x.id()])?.remove(0))
    }

    fn feed<'g>(&mut self, g: &'g Recorder, value: Array) -> Expr<'g> {
        let input = g.input("read", Role::Data, value.ty.clone());
        self.values.insert(input.id(), value);
        input
    }
}
