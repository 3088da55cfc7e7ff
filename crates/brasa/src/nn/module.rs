//! `Module`: everything that models can do, based on one method that visits their parts.
use super::param::with_copies;
use super::{Buffer, Mode, Param};
use crate::flush::flush_own;
use crate::{Error, Result, Target, Tensor, no_grad};
use brasa_ir::graph::QuickSet;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// Tensors by field path.
pub type StateDict = BTreeMap<String, Tensor>;

/// Names that only a model or only a state dict has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unmatched {
    /// Names that only the model has: their values did not change.
    pub missing: Vec<String>,
    /// Names that only the state dict has.
    pub unknown: Vec<String>,
}

/// A part of a model.
pub enum Part<'a> {
    /// A trained tensor.
    Param(&'a Param),
    /// State that is not trained.
    Buffer(&'a Buffer),
    /// Whether a layer is in training mode.
    Mode(&'a Mode),
}

/// A traversal of the parts of a model.
pub struct Visit<'a> {
    path: String,
    look: &'a mut dyn FnMut(&str, Part<'_>),
}

impl Visit<'_> {
    /// Visits a field of the current module.
    pub fn field(&mut self, name: &str, part: &(impl Module + ?Sized)) {
        let len = self.path.len();
        if len > 0 {
            self.path.push('.');
        }
        self.path.push_str(name);
        part.visit(self);
        self.path.truncate(len);
    }

    /// Reports a leaf at the current path.
    pub fn found(&mut self, part: Part<'_>) {
        (self.look)(&self.path, part);
    }
}

/// A layer or a model. `#[derive(Module)]` implements it for structs whose fields are modules.
// All methods are part of `dyn Module`, so those that a page does not use are left out of its
// build.
pub trait Module {
    /// Visits all fields in order.
    fn visit(&self, at: &mut Visit);

    /// The type name.
    fn kind(&self) -> &'static str {
        "Module"
    }

    /// Calls `look` with each part and its path.
    fn each(&self, look: &mut dyn FnMut(&str, Part<'_>)) {
        self.visit(&mut Visit { path: String::new(), look });
    }

    /// The parameters in order, with their paths. A shared parameter is listed once, with its first
    /// path.
    fn named_parameters(&self) -> Vec<(String, Param)> {
        let (mut found, mut seen) = (Vec::new(), QuickSet::default());
        self.each(&mut |path, part| {
            if let Part::Param(param) = part
                && seen.insert(param.identity())
            {
                found.push((path.to_string(), param.clone()));
            }
        });
        found
    }

    /// A model with its own copies of the values, such as a target network. Tensors shared within
    /// the model are shared within the copy. A plain `clone` is another handle to the same
    /// parameters.
    ///
    /// ```
    /// use brasa::nn::{Linear, Module};
    /// let online = Linear::new(4, 2);
    /// let (handle, target) = (online.clone(), online.deep_clone());
    /// assert!(handle.weight.is_same(&online.weight));
    /// assert!(!target.weight.is_same(&online.weight));
    /// ```
    fn deep_clone(&self) -> Self
    where
        Self: Clone + Sized,
    {
        with_copies(|x| no_grad(|| x.clone_value()), || self.clone())
    }

    /// The model with its parameters, their gradients and its buffers on another device, as another
    /// float dtype, or both. Integer counters keep their dtype. Tensors shared within the model
    /// stay shared, and tensors that need no conversion are not copied. Build an optimizer for the
    /// new model.
    ///
    /// ```
    /// use brasa::nn::{Linear, Module};
    /// use brasa::{DType, Device, Tensor};
    /// let model = Linear::new(4, 2).to(Device::cpu()).to(DType::F64);
    /// assert_eq!(model.forward(&Tensor::ones([1, 4]).to(&*model.weight)).dtype(), DType::F64);
    /// ```
    #[track_caller]
    #[must_use = "returns a new model; the old one does not change"]
    fn to(&self, target: impl Into<Target>) -> Self
    where
        Self: Clone + Sized,
    {
        let target = target.into();
        target.check_of_model();
        let copy = move |x: &Tensor| {
            let moved = no_grad(|| x.to(target.of_part(x)));
            if let Some(grad) = x.grad().filter(|_| !moved.is_same(x)) {
                moved.set_grad(Some(grad.to(target.of_part(&grad))));
            }
            moved
        };
        with_copies(copy, || self.clone())
    }

    /// The parameters in order, without duplicates.
    fn parameters(&self) -> Vec<Param> {
        self.named_parameters().into_iter().map(|(_, param)| param).collect()
    }

    /// Number of trained elements.
    fn num_parameters(&self) -> usize {
        self.parameters().iter().filter(|p| p.is_tracked()).map(|p| p.numel()).sum()
    }

    /// Puts dropout, normalization and similar layers into training mode.
    fn train(&self) {
        set_mode(self, true);
    }

    /// Puts dropout, normalization and similar layers into evaluation mode.
    fn eval(&self) {
        set_mode(self, false);
    }

    /// Sets whether the parameters are trained: frozen ones get no gradient.
    fn set_requires_grad(&self, wanted: bool) {
        self.parameters().iter().for_each(|param| Tensor::set_requires_grad(param, wanted));
    }

    /// Excludes the parameters from training.
    fn freeze(&self) {
        self.set_requires_grad(false);
    }

    /// Clears the gradients.
    fn zero_grad(&self) {
        self.parameters().iter().for_each(|param| param.set_grad(None));
    }

    /// Parameters and buffers by path, sharing their memory. A shared tensor is listed under all
    /// its paths.
    fn state_dict(&self) -> StateDict {
        let mut dict = StateDict::new();
        self.each(&mut |path, part| {
            let tensor: &Tensor = match part {
                Part::Param(param) => param,
                Part::Buffer(buffer) => buffer,
                Part::Mode(_) => return,
            };
            dict.insert(path.to_string(), tensor.detach());
        });
        dict
    }

    /// Loads the values of a state dict. If a name is missing or unknown, or a shape differs,
    /// nothing changes, and the error lists all mismatches.
    fn load_state_dict(&self, dict: &StateDict) -> Result<()> {
        let own = self.state_dict();
        check_state("load_state_dict", &own, dict)?;
        no_grad(|| own.iter().for_each(|(name, tensor)| _ = tensor.copy_(&dict[name])));
        flush_own()
    }

    /// Loads the values that a state dict and the model have in common, and returns the names that
    /// only one of them has. If a shape differs, that is an error and nothing changes.
    #[cfg(not(brasa_page))]
    fn load_matching(&self, dict: &StateDict) -> Result<Unmatched> {
        let own = self.state_dict();
        let (common, missing): (StateDict, StateDict) =
            own.into_iter().partition(|(name, _)| dict.contains_key(name));
        let known = |name: &String| common.contains_key(name);
        let (given, unknown): (StateDict, StateDict) =
            dict.clone().into_iter().partition(|(name, _)| known(name));
        check_state("load_matching", &common, &given)?;
        no_grad(|| common.iter().for_each(|(name, tensor)| _ = tensor.copy_(&given[name])));
        flush_own()?;
        Ok(Unmatched {
            missing: missing.into_keys().collect(),
            unknown: unknown.into_keys().collect(),
        })
    }

    /// A table of the parameters.
    #[cfg(not(brasa_page))]
    fn summary(&self) -> String {
        let rows = self.named_parameters();
        let widest = |least: usize, len: &dyn Fn(&(String, Param)) -> usize| {
            rows.iter().map(len).fold(least, usize::max)
        };
        let name = widest(9, &|(name, _)| name.len());
        let shape = widest(5, &|(_, p)| format!("{:?}", p.shape()).len());
        let mut text =
            format!("{}\n{:name$}  {:shape$}  elements\n", self.kind(), "parameter", "shape");
        for (path, param) in &rows {
            let (lens, elements) = (format!("{:?}", param.shape()), param.numel());
            let frozen = if param.is_tracked() { "" } else { "  frozen" };
            text += &format!("{path:name$}  {lens:shape$}  {elements:>8}{frozen}\n");
        }
        let all: usize = rows.iter().map(|(_, p)| p.numel()).sum();
        text + &format!("{all} elements, {} of them trained\n", self.num_parameters())
    }
}

fn set_mode(module: &(impl Module + ?Sized), training: bool) {
    module.each(&mut |_, part| {
        if let Part::Mode(mode) = part {
            mode.set(training);
        }
    });
}

/// Checks that names and shapes are equal.
pub(crate) fn check_state(call: &str, own: &StateDict, given: &StateDict) -> Result<()> {
    let missing = own.keys().filter(|name| !given.contains_key(*name));
    let unknown = given.keys().filter(|name| !own.contains_key(*name));
    let mut wrong: Vec<String> = missing.map(|name| format!("'{name}' is missing")).collect();
    wrong.extend(unknown.map(|name| format!("'{name}' is unknown")));
    for (name, tensor) in own {
        let other = given.get(name).filter(|other| other.shape() != tensor.shape());
        wrong.extend(other.map(|other| {
            format!("'{name}' has shape {:?}, expected {:?}", other.shape(), tensor.shape())
        }));
    }
    if wrong.is_empty() {
        return Ok(());
    }
    let more = wrong.len().saturating_sub(8);
    wrong.truncate(8);
    let rest = if more > 0 { format!(", and {more} more") } else { String::new() };
    Err(Error::data(call, wrong.join(", ") + &rest))
}

macro_rules! without_parts {
    ($($ty:ty),*) => {$(
        impl Module for $ty {
            fn visit(&self, _: &mut Visit) {}
        }
    )*};
}
without_parts!(bool, usize, isize, u32, i32, u64, i64, f32, f64, String, str, Tensor);

macro_rules! pointers {
    ($($ty:ty),*) => {$(
        impl<T: Module + ?Sized> Module for $ty {
            fn visit(&self, at: &mut Visit) {
                (**self).visit(at);
            }
            fn kind(&self) -> &'static str {
                (**self).kind()
            }
        }
    )*};
}
pointers!(&T, Box<T>, Rc<T>, Arc<T>);

impl<T: Module> Module for Option<T> {
    fn visit(&self, at: &mut Visit) {
        if let Some(part) = self {
            part.visit(at);
        }
    }
}

impl<T: Module> Module for [T] {
    fn visit(&self, at: &mut Visit) {
        self.iter().enumerate().for_each(|(n, part)| at.field(&n.to_string(), part));
    }
}

impl<T: Module> Module for Vec<T> {
    fn visit(&self, at: &mut Visit) {
        self[..].visit(at);
    }
}

impl<T: Module, const N: usize> Module for [T; N] {
    fn visit(&self, at: &mut Visit) {
        self[..].visit(at);
    }
}

macro_rules! tuples {
    ($(($($part:ident $n:tt),*))*) => {$(
        impl<$($part: Module),*> Module for ($($part,)*) {
            fn visit(&self, at: &mut Visit) {
                $(at.field(stringify!($n), &self.$n);)*
            }
        }
    )*};
}
tuples!((A 0) (A 0, B 1) (A 0, B 1, C 2) (A 0, B 1, C 2, D 3) (A 0, B 1, C 2, D 3, E 4));
