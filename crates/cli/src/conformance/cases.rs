//! Cases of single ops.
use super::Trouble;
use super::call::Session;
use super::compare::{Tolerance, deviation};
use super::format::{Argument, Case, Given, TensorRef};
use crate::data::{DataError, Tensors};
use crate::device::Device;
use brasa_ir::{Array, Expr, Id, Recorder, Type, Value};
use std::collections::HashMap;

/// Keywords that say where and how a tensor is stored, which changes no value.
const STORAGE: [&str; 5] = ["device", "requires_grad", "layout", "pin_memory", "memory_format"];

/// The largest error of a case, as a fraction of its tolerance.
pub(super) fn run(case: &Case, tensors: &Tensors, device: Device) -> Result<f64, Trouble> {
    let g = Recorder::default();
    let mut call = Call { session: Session::new(&g, device), tensors, leaves: HashMap::new() };
    let mut positional = Vec::new();
    let mut named = Vec::new();
    for (n, argument) in case.args.iter().enumerate() {
        match &argument.name {
            Some(name) => named.push((name.clone(), call.argument(name, argument)?)),
            None => positional.push(call.argument(&n.to_string(), argument)?),
        }
    }
    for (name, argument) in case.kwargs.iter().filter(|(name, _)| !STORAGE.contains(&&name[..])) {
        named.push((name.clone(), call.argument(name, argument)?));
    }
    as_function(&case.op, &mut positional);
    let outputs = call.session.call(&case.op, positional, named)?;

    let mut expected = Expected::new(Tolerance { rtol: case.rtol, atol: case.atol });
    for output in &case.outputs {
        expected.outputs.push(tensor(tensors, output)?.clone());
    }
    for cotangent in &case.cotangents {
        let cotangent = cotangent.as_ref().map(|c| tensor(tensors, c)).transpose()?;
        expected.cotangents.push(cotangent.cloned());
    }
    for (path, gradient) in &case.grads {
        let leaf = call.leaf(path)?;
        expected.gradients.push((path.clone(), leaf, tensor(tensors, gradient)?.clone()));
    }
    expected.check(&mut call.session, &outputs)
}

/// OpInfo calls these as methods of their first tensor.
fn as_function(op: &str, positional: &mut [Value]) {
    if positional.len() >= 2 && ["where", "einsum"].contains(&op) {
        positional.swap(0, 1);
    }
}

/// The arguments of a call, as they become inputs of a graph.
struct Call<'a, 'g> {
    session: Session<'g>,
    tensors: &'a Tensors,
    /// Input tensors by argument name, or `name.k` for the k-th of a list.
    leaves: HashMap<String, Expr<'g>>,
}

impl<'g> Call<'_, 'g> {
    fn argument(&mut self, path: &str, argument: &Argument) -> Result<Value, Trouble> {
        Ok(match &argument.given {
            Given::Value(value) => value.clone(),
            Given::Tensor(reference) => {
                let array = tensor(self.tensors, reference)?.clone();
                let input = self.session.input(path, array);
                self.leaves.insert(path.to_string(), input);
                Value::Tensor(input.id())
            }
            Given::Generated(_) => return Err(Trouble::Unsupported("generated".into())),
            Given::List(items) => {
                let item = |(n, item)| self.argument(&format!("{path}.{n}"), item);
                Value::List(items.iter().enumerate().map(item).collect::<Result<_, _>>()?)
            }
        })
    }

    fn leaf(&self, path: &str) -> Result<Expr<'g>, DataError> {
        let missing = || DataError::new(self.tensors.path(), format!("'{path}' is no argument"));
        self.leaves.get(path).copied().ok_or_else(missing)
    }
}

/// The tensor referred to, if it is as described.
fn tensor<'a>(tensors: &'a Tensors, reference: &TensorRef) -> Result<&'a Array, DataError> {
    let array = tensors.get(&reference.key)?;
    let dtype = reference.dtype.as_deref().unwrap_or(array.dtype().torch_name());
    let shape = reference.shape.as_deref().unwrap_or(array.shape());
    if dtype == array.dtype().torch_name() && *shape == **array.shape() {
        return Ok(array);
    }
    let what = format!("tensor '{}' is {}, not {dtype}{shape:?}", reference.key, array.ty);
    Err(DataError::new(tensors.path(), what))
}

/// What a call should have given.
struct Expected<'g> {
    tolerance: Tolerance,
    outputs: Vec<Array>,
    /// The upstream gradient of each output; empty where no gradients are compared.
    cotangents: Vec<Option<Array>>,
    gradients: Vec<(String, Expr<'g>, Array)>,
}

impl<'g> Expected<'g> {
    fn new(tolerance: Tolerance) -> Expected<'g> {
        let (outputs, cotangents, gradients) = (Vec::new(), Vec::new(), Vec::new());
        Expected { tolerance, outputs, cotangents, gradients }
    }

    /// The largest error as a fraction of the tolerance.
    fn check(&self, session: &mut Session<'g>, outputs: &[Id]) -> Result<f64, Trouble> {
        let outputs: Vec<Expr> = outputs.iter().map(|&id| session.g.expr(id)).collect();
        if outputs.len() != self.outputs.len() {
            let (got, want) = (outputs.len(), self.outputs.len());
            return Err(Trouble::failed(format!("gave {got} tensors, expected {want}")));
        }
        let mut compared = Vec::new();
        for (n, (output, want)) in outputs.iter().zip(&self.outputs).enumerate() {
            compared.push((format!("output {n}"), *output, want));
        }
        check_types(&compared)?;
        let gradients = self.differentiate(session, &outputs)?;
        for ((path, _, want), dx) in self.gradients.iter().zip(gradients) {
            compared.push((format!("gradient of {path}"), dx, want));
        }
        check_types(&compared)?;

        let ids: Vec<Id> = compared.iter().map(|(_, x, _)| x.id()).collect();
        let mut worst: f64 = 0.0;
        let mut wrong = Vec::new();
        for (got, (what, _, want)) in session.run(&ids)?.iter().zip(&compared) {
            let seen = deviation(got, want, self.tolerance);
            worst = worst.max(seen.worst);
            if seen.worst > 1.0 {
                wrong.push(format!("{what} {} ({:.3} × tolerance)", seen.place, seen.worst));
            }
        }
        if wrong.is_empty() {
            return Ok(worst);
        }
        Err(Trouble::Failed { worst, why: wrong.join("\n") })
    }

    /// The gradients to compare; zeros where an output does not depend on the argument.
    fn differentiate(
        &self,
        session: &mut Session<'g>,
        outputs: &[Expr<'g>],
    ) -> Result<Vec<Expr<'g>>, Trouble> {
        let (mut ys, mut dys) = (Vec::new(), Vec::new());
        for (output, cotangent) in outputs.iter().zip(&self.cotangents) {
            if let Some(cotangent) = cotangent.as_ref().filter(|_| output.dtype().is_float()) {
                ys.push(*output);
                dys.push(Some(session.input("cotangent", cotangent.clone())));
            }
        }
        let wanted: Vec<Expr> = self.gradients.iter().map(|(_, leaf, _)| *leaf).collect();
        let gradients = brasa_compile::grad(session.g, &ys, &dys, &wanted)?;
        let or_zeros = |(dx, x): (Option<Expr<'g>>, Expr<'g>)| dx.unwrap_or_else(|| x.zeros_like());
        Ok(gradients.into_iter().zip(wanted).map(or_zeros).collect())
    }
}

fn check_types(compared: &[(String, Expr, &Array)]) -> Result<(), Trouble> {
    let differs = |(_, got, want): &&(String, Expr, &Array)| got.ty() != want.ty;
    let Some((what, got, want)) = compared.iter().find(differs) else { return Ok(()) };
    let (got, want): (Type, &Type) = (got.ty(), &want.ty);
    Err(Trouble::failed(format!("{what} is {got}, expected {want}")))
}
