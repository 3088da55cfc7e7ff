//! Cases of single ops, small and large.
use super::CaseError;
use super::call::Arguments;
use super::check::Expected;
use super::compare::Want;
use super::format::{Case, Given, LargeCase, Sample};
use super::session::{Session, Source};
use crate::data::DataError;
use brasa_ir::{Id, Recorder, Value};

/// Keywords about storage, which do not affect values.
const STORAGE: [&str; 5] = ["device", "requires_grad", "layout", "pin_memory", "memory_format"];

/// Ops for which PyTorch's samples list the differentiable tensor first, although it is the second
/// argument.
const DIFFERENTIABLE_FIRST: [&str; 4] =
    ["where", "einsum", "nn.functional.embedding", "nn.functional.embedding_bag"];

/// The largest error of a case, as a fraction of its tolerance.
pub(super) fn run(case: &Case, source: Source) -> Result<f64, CaseError> {
    let g = Recorder::default();
    let mut session = Session::new(&g, source);
    let args = arguments(&mut session, case)?;
    let outputs = session.call(&case.op, args.clone())?;

    let mut expected = Expected::new(&session, case.tolerance, &case.outputs, &case.grads)?;
    expected.add_cotangents(&session, &case.cotangents)?;
    if !case.mutated.is_empty() {
        let after = running_statistics(&mut session, args)?;
        for (name, id) in RUNNING.iter().zip(after) {
            let Some(reference) = case.mutated.get(*name) else { continue };
            let want = Want::Whole(session.tensor(reference)?);
            expected.others.push((format!("{name} after the call"), id, want));
        }
    }
    expected.check(&mut session, &outputs)
}

fn arguments(session: &mut Session, case: &Case) -> Result<Arguments, DataError> {
    let mut args = session.arguments(&case.args)?;
    if DIFFERENTIABLE_FIRST.contains(&&case.op[..]) && args.len() >= 2 {
        args.swap(0, 1);
    }
    for (name, argument) in case.kwargs.iter().filter(|(name, _)| !STORAGE.contains(&&name[..])) {
        args.push((Some(name.clone()), session.argument(name, argument)?));
    }
    Ok(args)
}

/// The buffers that `batch_norm` updates in PyTorch. In Brasa this is a separate op.
const RUNNING: [&str; 2] = ["running_mean", "running_var"];

fn running_statistics(session: &mut Session, args: Arguments) -> Result<Vec<Id>, CaseError> {
    let find = |name: &str| args.iter().find(|(given, _)| given.as_deref() == Some(name));
    if let Some((_, Value::Bool(true))) = find("training") {
        let names = ["input", "running_mean", "running_var", "momentum"];
        return session
            .call("batch_norm_stats", names.into_iter().filter_map(find).cloned().collect());
    }
    RUNNING.iter().map(|name| Ok(session.leaf(name)?.id())).collect()
}

/// Like `run`, for a call with generated inputs.
pub(super) fn run_large(case: &LargeCase, source: Source) -> Result<f64, CaseError> {
    let g = Recorder::default();
    let mut session = Session::new(&g, source);
    let args = session.arguments(&case.args)?;
    for sample in case.outputs.iter().chain(case.grads.values()) {
        check_sample(sample).map_err(|what| source.error(what))?;
    }
    let outputs = session.call(&case.op, args)?;
    let mut expected = Expected::sampled(case.tolerance, &case.outputs, &case.grads);
    if let Some(Given::Generated(cotangent)) = case.cotangent.as_ref().map(|c| &c.given) {
        expected.cotangents = vec![Some(session.generate(cotangent)?)];
    }
    expected.check(&mut session, &outputs)
}

fn check_sample(sample: &Sample) -> Result<(), String> {
    let len = sample.shape.iter().try_fold(1usize, |len, &axis| len.checked_mul(axis));
    let len = len.ok_or_else(|| format!("shape {:?} has too many elements", sample.shape))?;
    if sample.flat_indices.len() != sample.values.len() {
        return Err("values and flat indices differ in length".to_string());
    }
    match sample.flat_indices.iter().find(|&&i| i >= len) {
        Some(i) => Err(format!("flat index {i} is out of range for {len} elements")),
        None => Ok(()),
    }
}
