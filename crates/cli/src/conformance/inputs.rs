//! The arguments of a layer's call, as tensors on the tested device.
use super::CaseError;
use super::format::{Argument, Given, Kwarg, ModuleCase, Plain};
use super::session::{Session, Source};
use super::settings::Settings;
use brasa::Tensor;
use brasa_ir::{Array, Recorder, Type, Value};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

type Result<T> = std::result::Result<T, CaseError>;

/// A tensor with the value of an array.
pub(super) fn tensor(array: &Array) -> brasa::Result<Tensor> {
    Tensor::from_bytes(array.dtype(), array.shape().to_vec(), &array.to_bytes())
}

/// The value of a tensor.
pub(super) fn array(x: &Tensor) -> Result<Array> {
    let ty = Type::new(x.dtype(), x.shape());
    Array::from_bytes(&ty, &x.to_bytes()?).map_err(CaseError::failed)
}

/// The arguments of one call: tensors by name (`name.k` in a list), all others as settings.
pub(super) struct Inputs<'a> {
    tensors: Vec<(String, Tensor)>,
    pub(super) plain: Settings<'a>,
    read: RefCell<BTreeSet<String>>,
}

/// The arguments of a call that are not tensors.
pub(super) fn plain_arguments(case: &ModuleCase) -> BTreeMap<String, Plain> {
    let named = case.args.iter().filter_map(|argument| Some((argument.name.clone()?, argument)));
    let given = named.filter_map(|(name, argument)| match &argument.given {
        Given::Value(value) => Some((name, Plain(value.clone()))),
        _ => None,
    });
    let kwargs = case.call_kwargs.iter().filter_map(|(name, kwarg)| match kwarg {
        Kwarg::Plain(value) => Some((name.clone(), value.clone())),
        Kwarg::Tensor(_) => None,
    });
    given.chain(kwargs).collect()
}

impl<'a> Inputs<'a> {
    pub(super) fn new(
        case: &'a ModuleCase,
        plain: &'a BTreeMap<String, Plain>,
        source: Source,
    ) -> Result<Inputs<'a>> {
        let g = Recorder::default();
        let plain = Settings::new(&case.module, plain);
        let mut inputs = Inputs { tensors: Vec::new(), plain, read: RefCell::default() };
        let session = Session::new(&g, source);
        for (n, argument) in case.args.iter().enumerate() {
            let name = argument.name.clone().unwrap_or(n.to_string());
            inputs.add(&session, &name, argument)?;
        }
        for (name, kwarg) in &case.call_kwargs {
            if let Kwarg::Tensor(argument) = kwarg {
                inputs.add(&session, name, argument)?;
            }
        }
        for (name, x) in &inputs.tensors {
            x.set_requires_grad(case.grads.contains_key(name));
        }
        Ok(inputs)
    }

    fn add(&mut self, session: &Session, name: &str, argument: &Argument) -> Result<()> {
        let x = match &argument.given {
            Given::Tensor(reference) => tensor(session.tensor(reference)?)?,
            Given::Generated(generated) => tensor(&session.generate(generated)?)?,
            Given::List(items) => {
                for (n, item) in items.iter().enumerate() {
                    self.add(session, &format!("{name}.{n}"), item)?;
                }
                return Ok(());
            }
            Given::Value(value) if argument.name.is_none() && *value != Value::None => {
                return Err(CaseError::failed(format!("argument {name} has no name: {value}")));
            }
            Given::Value(_) => return Ok(()),
        };
        self.tensors.push((name.to_string(), x));
        Ok(())
    }

    /// The first tensor, under any name.
    pub(super) fn first(&self) -> Result<&Tensor> {
        let (name, x) =
            self.tensors.first().ok_or_else(|| CaseError::failed("there is no tensor argument"))?;
        self.read.borrow_mut().insert(name.clone());
        Ok(x)
    }

    pub(super) fn optional(&self, name: &str) -> Option<&Tensor> {
        self.read.borrow_mut().insert(name.to_string());
        self.tensors.iter().find(|(own, _)| own == name).map(|(_, x)| x)
    }

    pub(super) fn tensor(&self, name: &str) -> Result<&Tensor> {
        let missing = || CaseError::failed(format!("there is no tensor argument '{name}'"));
        self.optional(name).ok_or_else(missing)
    }

    /// Fails if an argument was not read.
    pub(super) fn finish(&self) -> Result<()> {
        self.plain.finish()?;
        match self.tensors.iter().find(|(name, _)| !self.read.borrow().contains(name)) {
            Some((name, _)) => Err(self.plain.unsupported(format!("an argument '{name}'"))),
            None => Ok(()),
        }
    }
}
