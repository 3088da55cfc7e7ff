//! Cases of PyTorch modules. Modules with parameters use layers of `brasa::nn`, all others the op
//! of the same name.
use super::CaseError;
use super::check::Expected;
use super::compare::Tally;
use super::format::{Kwarg, Mode, ModuleCase, TensorRef};
use super::inputs::{Inputs, plain_arguments, tensor};
use super::layers::{self, Built};
use super::session::{Session, Source};
use super::settings::Settings;
use brasa::Tensor;
use brasa::nn::StateDict;
use brasa_ir::table::{self, OpEntry};
use brasa_ir::{Recorder, Value};

type Result<T> = std::result::Result<T, CaseError>;

/// The largest error of a case, as a fraction of its tolerance.
pub(super) fn run(case: &ModuleCase, source: Source) -> Result<f64> {
    let kind = case.module.trim_start_matches("torch.nn.");
    let settings = Settings::new(&case.module, &case.init);
    brasa::set_default_device(source.device.tensors()?);
    let built = brasa::catch(|| layers::build(kind, &settings))??;
    let Some(layer) = built else { return functional(kind, case, source) };
    settings.finish()?;
    brasa::catch(|| replay(case, layer, source))?
}

/// Calls a layer and compares results, gradients and buffers.
fn replay(case: &ModuleCase, layer: Built, source: Source) -> Result<f64> {
    let g = Recorder::default();
    let session = Session::new(&g, source);
    let value =
        |reference: &TensorRef| -> Result<Tensor> { Ok(tensor(session.tensor(reference)?)?) };
    let state = case.state.iter().map(|(name, given)| Ok((name.clone(), value(given)?)));
    layer.module.load_state_dict(&state.collect::<Result<StateDict>>()?)?;
    match case.mode {
        Mode::Train => layer.module.train(),
        Mode::Eval => layer.module.eval(),
    }
    let plain = plain_arguments(case);
    let inputs = Inputs::new(case, &plain, source)?;
    let outputs = (layer.forward)(&inputs)?;
    inputs.finish()?;
    if outputs.len() != case.outputs.len() {
        let (got, want) = (outputs.len(), case.outputs.len());
        return Err(CaseError::failed(format!("returned {got} tensors, expected {want}")));
    }

    let mut tally = Tally::default();
    let leaves: Vec<Tensor> =
        case.grads.keys().map(|path| leaf(&layer, &inputs, path)).collect::<Result<_>>()?;
    let (mut ys, mut dys) = (Vec::new(), Vec::new());
    for (y, cotangent) in outputs.iter().zip(&case.cotangents) {
        if let Some(dy) = cotangent.as_ref().filter(|_| y.dtype().is_float()) {
            ys.push(y);
            dys.push(value(dy)?);
        }
    }
    let gradients = match leaves.is_empty() {
        true => Vec::new(),
        false => brasa::grad_with(&ys, &leaves.iter().collect::<Vec<_>>(), |o| o.gradient(dys)),
    };
    for (n, (y, want)) in outputs.iter().zip(&case.outputs).enumerate() {
        tally.tensor(&format!("output {n}"), y, session.tensor(want)?, case.tolerance)?;
    }
    for (((path, want), x), dx) in case.grads.iter().zip(&leaves).zip(gradients) {
        let dx = dx.unwrap_or_else(|| x.zeros_like());
        let what = format!("gradient of {path}");
        tally.tensor(&what, &dx, session.tensor(want)?, case.tolerance)?;
    }
    compare_state(case, &layer, &session, &mut tally)?;
    tally.verdict()
}

/// The input or the parameter that a gradient is of.
fn leaf(layer: &Built, inputs: &Inputs, path: &str) -> Result<Tensor> {
    let Some(name) = path.strip_prefix("param:") else {
        return inputs.tensor(path).cloned();
    };
    let params = layer.module.named_parameters();
    let found = params.iter().find(|(own, _)| own == name);
    let missing = || CaseError::failed(format!("there is no parameter '{name}'"));
    Ok((*found.ok_or_else(missing)?.1).clone())
}

/// Compares the buffers after the call.
fn compare_state(
    case: &ModuleCase,
    layer: &Built,
    session: &Session,
    tally: &mut Tally,
) -> Result<()> {
    let after = layer.module.state_dict();
    for (name, want) in &case.state_after {
        let missing = || CaseError::failed(format!("there is no state '{name}'"));
        let got = after.get(name).ok_or_else(missing)?;
        let what = format!("{name} after the call");
        tally.tensor(&what, got, session.tensor(want)?, case.tolerance)?;
    }
    Ok(())
}

/// Settings that only size the parameters.
const SIZES: [&str; 4] = ["num_embeddings", "embedding_dim", "num_features", "inplace"];

/// Runs a module as an op: its settings and buffers become arguments.
fn functional(kind: &str, case: &ModuleCase, source: Source) -> Result<f64> {
    let (entry, mut fixed) = op_of(kind)?;
    if !case.state_after.is_empty() {
        return Err(CaseError::Unsupported(format!("{kind} with buffers that the call updates")));
    }
    let g = Recorder::default();
    let mut session = Session::new(&g, source);
    let mut args = session.arguments(&case.args)?;
    for (name, kwarg) in &case.call_kwargs {
        let value = match kwarg {
            Kwarg::Plain(plain) => plain.0.clone(),
            Kwarg::Tensor(argument) => session.argument(name, argument)?,
        };
        args.push((Some(name.clone()), value));
    }
    for (name, reference) in &case.state {
        let array = session.tensor(reference)?.clone();
        let input = session.input(&format!("param:{name}"), array);
        args.push((Some(name.clone()), Value::Tensor(input.id())));
    }
    args.extend(settings(kind, case, entry)?);
    // Batch norm without running statistics always uses the batch statistics.
    let training = case.mode == Mode::Train || entry.name == "batch_norm";
    fixed.push(("training", Value::Bool(training)));
    for (name, value) in fixed {
        let is_given = args.iter().any(|(given, _)| given.as_deref() == Some(name));
        if !is_given && entry.params.iter().any(|param| param.name == name) {
            args.push((Some(name.to_string()), value));
        }
    }
    let outputs = session.call(entry.name, args)?;
    let mut expected = Expected::new(&session, case.tolerance, &case.outputs, &case.grads)?;
    expected.add_cotangents(&session, &case.cotangents)?;
    expected.check(&mut session, &outputs)
}

/// The settings of a module as arguments of its op.
fn settings(
    kind: &str,
    case: &ModuleCase,
    entry: &OpEntry,
) -> Result<Vec<(Option<String>, Value)>> {
    let mut found = Vec::new();
    for (name, plain) in case.init.iter().filter(|(name, _)| !SIZES.contains(&&name[..])) {
        let value = expand_padding(kind, name, &plain.0);
        let name = if name == "unflattened_size" { "sizes" } else { name };
        let name = if name == "padding" && entry.name == "pad" { "pad" } else { name };
        let is_known = entry.params.iter().any(|param| param.name == name);
        if !is_known && !matches!(value, Value::None | Value::Bool(false)) {
            return Err(CaseError::Unsupported(format!("{kind} with {name} = {value}")));
        }
        if is_known {
            found.push((Some(name.to_string()), value));
        }
    }
    Ok(found)
}

/// Expands a single padding to both sides of all axes.
fn expand_padding(kind: &str, name: &str, value: &Value) -> Value {
    let axes: Option<usize> =
        kind.split_once("Pad").and_then(|(_, axes)| axes.strip_suffix('d')?.parse().ok());
    match (axes, value) {
        (Some(axes), Value::Int(n)) if name == "padding" => {
            Value::List(vec![Value::Int(*n); 2 * axes])
        }
        _ => value.clone(),
    }
}

type Fixed = Vec<(&'static str, Value)>;

/// The op of a module, and the arguments implied by the module's name.
fn op_of(kind: &str) -> Result<(&'static OpEntry, Fixed)> {
    let word = |word: &str| Value::Str(word.to_string());
    let (name, fixed) = match kind {
        "BCELoss" => ("binary_cross_entropy", vec![]),
        "BCEWithLogitsLoss" => ("binary_cross_entropy_with_logits", vec![]),
        "Softmax2d" => ("softmax", vec![("dim", Value::Int(-3))]),
        "Flatten" => ("flatten", vec![("start_dim", Value::Int(1))]),
        "Upsample" | "UpsamplingNearest2d" => ("interpolate", vec![]),
        "UpsamplingBilinear2d" => {
            ("interpolate", vec![("mode", word("bilinear")), ("align_corners", Value::Bool(true))])
        }
        "Unfold" => ("nn.functional.unfold", vec![]),
        _ if kind.starts_with("ReflectionPad") => ("pad", vec![("mode", word("reflect"))]),
        _ if kind.starts_with("ReplicationPad") => ("pad", vec![("mode", word("replicate"))]),
        _ if kind.starts_with("CircularPad") => ("pad", vec![("mode", word("circular"))]),
        _ if kind.starts_with("ZeroPad") || kind.starts_with("ConstantPad") => ("pad", vec![]),
        _ => (kind, vec![]),
    };
    // `LeakyReLU` is leaky_relu, `CrossEntropyLoss` cross_entropy and `BatchNorm2d` batch_norm.
    let plain = |name: &str| name.replace('_', "").to_lowercase();
    let shorter = name.trim_end_matches("Loss").trim_end_matches(['1', '2', '3', 'd']);
    let found = table::find(name).or_else(|| {
        [name, shorter]
            .iter()
            .find_map(|name| table::all().iter().find(|entry| plain(entry.name) == plain(name)))
    });
    let missing = || CaseError::Unsupported(format!("unknown module '{kind}'"));
    Ok((found.ok_or_else(missing)?, fixed))
}
