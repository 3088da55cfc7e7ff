//! The files of recorded cases, as they are written.
use brasa_ir::{DType, Value};
use serde::Deserialize;
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// What kind of file this is.
#[derive(Deserialize)]
pub(super) struct Format {
    pub(super) format: String,
}

/// `index.json` of a directory of cases.
#[derive(Deserialize)]
pub(super) struct Index {
    pub(super) tensors_file: String,
    pub(super) cases: Vec<Case>,
    #[serde(default)]
    pub(super) modules: Vec<ModuleCase>,
    #[serde(default)]
    pub(super) exprs: Vec<ExprCase>,
    #[serde(default)]
    pub(super) large: Vec<LargeCase>,
}

/// One call of an op and what came of it.
#[derive(Deserialize)]
pub(super) struct Case {
    pub(super) id: String,
    pub(super) op: String,
    pub(super) args: Vec<Argument>,
    #[serde(default)]
    pub(super) kwargs: BTreeMap<String, Argument>,
    pub(super) outputs: Vec<TensorRef>,
    #[serde(default)]
    pub(super) cotangents: Vec<Option<TensorRef>>,
    #[serde(default)]
    pub(super) grads: BTreeMap<String, TensorRef>,
    /// Running statistics after the call.
    #[serde(default)]
    pub(super) mutated: BTreeMap<String, TensorRef>,
    #[serde(flatten)]
    pub(super) tolerance: Tolerance,
}

/// One call of a layer with given parameters.
#[derive(Deserialize)]
pub(super) struct ModuleCase {
    pub(super) id: String,
    pub(super) module: String,
    #[serde(default)]
    pub(super) init: BTreeMap<String, Plain>,
    pub(super) mode: Mode,
    #[serde(default)]
    pub(super) state: BTreeMap<String, TensorRef>,
    pub(super) args: Vec<Argument>,
    #[serde(default)]
    pub(super) call_kwargs: BTreeMap<String, Kwarg>,
    pub(super) outputs: Vec<TensorRef>,
    #[serde(default)]
    pub(super) cotangents: Vec<Option<TensorRef>>,
    #[serde(default)]
    pub(super) grads: BTreeMap<String, TensorRef>,
    #[serde(default)]
    pub(super) state_after: BTreeMap<String, TensorRef>,
    #[serde(flatten)]
    pub(super) tolerance: Tolerance,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Mode {
    Train,
    Eval,
}

/// An expression in Python. The cotangent is all ones.
#[derive(Deserialize)]
pub(super) struct ExprCase {
    pub(super) id: String,
    pub(super) expr: String,
    pub(super) args: Vec<Argument>,
    pub(super) outputs: Vec<TensorRef>,
    #[serde(default)]
    pub(super) grads: BTreeMap<String, TensorRef>,
    #[serde(flatten)]
    pub(super) tolerance: Tolerance,
}

/// A call with generated inputs, of whose results only a sample is recorded.
#[derive(Deserialize)]
pub(super) struct LargeCase {
    pub(super) id: String,
    pub(super) op: String,
    pub(super) args: Vec<Argument>,
    pub(super) outputs: Vec<Sample>,
    pub(super) cotangent: Option<Argument>,
    #[serde(default)]
    pub(super) grads: BTreeMap<String, Sample>,
    #[serde(flatten)]
    pub(super) tolerance: Tolerance,
}

/// `|got − want| ≤ atol + rtol · |want|`.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct Tolerance {
    pub(super) rtol: f64,
    pub(super) atol: f64,
}

/// A tensor of the tensors file; what is said of its type is checked.
#[derive(Clone, Deserialize)]
pub(super) struct TensorRef {
    pub(super) key: String,
    pub(super) shape: Option<Vec<usize>>,
    pub(super) dtype: Option<String>,
}

/// Some elements of a tensor of floats, and the sum of the magnitudes of all.
#[derive(Clone, Deserialize)]
pub(super) struct Sample {
    pub(super) shape: Vec<usize>,
    pub(super) flat_indices: Vec<usize>,
    pub(super) values: Vec<f64>,
    pub(super) sum_abs: f64,
}

/// An argument, with its name where it was passed by name.
#[derive(Deserialize)]
#[serde(try_from = "RawArgument")]
pub(super) struct Argument {
    pub(super) name: Option<String>,
    pub(super) given: Given,
}

pub(super) enum Given {
    Tensor(TensorRef),
    Generated(Generated),
    List(Vec<Argument>),
    Value(Value),
}

/// A tensor made by a hash of its flat indices.
#[derive(Deserialize)]
pub(super) struct Generated {
    pub(super) shape: Vec<usize>,
    pub(super) seed: u32,
}

#[derive(Deserialize)]
struct RawArgument {
    name: Option<String>,
    tensor: Option<TensorRef>,
    generated: Option<Generated>,
    list: Option<Vec<Argument>>,
    #[serde(flatten)]
    rest: serde_json::Map<String, Json>,
}

impl TryFrom<RawArgument> for Argument {
    type Error = String;

    fn try_from(raw: RawArgument) -> Result<Argument, String> {
        let given = match (raw.tensor, raw.generated, raw.list) {
            (Some(tensor), None, None) => Given::Tensor(tensor),
            (None, Some(generated), None) => Given::Generated(generated),
            (None, None, Some(list)) => Given::List(list),
            (None, None, None) => Given::Value(match raw.rest.get("value") {
                Some(json) => plain(json)?,
                None => plain(&Json::Object(raw.rest))?,
            }),
            _ => return Err("an argument is more than one of tensor, generated, list".into()),
        };
        Ok(Argument { name: raw.name, given })
    }
}

/// A value that is no tensor.
#[derive(Clone, Deserialize)]
#[serde(try_from = "Json")]
pub(super) struct Plain(pub(super) Value);

impl TryFrom<Json> for Plain {
    type Error = String;

    fn try_from(json: Json) -> Result<Plain, String> {
        plain(&json).map(Plain)
    }
}

/// An argument that a layer is called with by name: a value as it is, or described like others.
#[derive(Deserialize)]
#[serde(try_from = "Json")]
pub(super) enum Kwarg {
    Plain(Plain),
    Tensor(Argument),
}

impl TryFrom<Json> for Kwarg {
    type Error = String;

    fn try_from(json: Json) -> Result<Kwarg, String> {
        let is_described = |map: &serde_json::Map<String, Json>| {
            ["tensor", "generated", "list", "value"].iter().any(|key| map.contains_key(*key))
        };
        if !json.as_object().is_some_and(is_described) {
            return plain(&json).map(|value| Kwarg::Plain(Plain(value)));
        }
        let argument: Argument = serde_json::from_value(json).map_err(|e| e.to_string())?;
        Ok(match argument.given {
            Given::Value(value) => Kwarg::Plain(Plain(value)),
            _ => Kwarg::Tensor(argument),
        })
    }
}

/// What JSON has no form for is written as `{"slice": [1, null, 2]}`, `{"ellipsis": true}` and
/// `{"dtype": "float32"}`, or as one of the strings `"inf"`, `"-inf"`, `"nan"`.
fn plain(json: &Json) -> Result<Value, String> {
    Ok(match json {
        Json::Null => Value::None,
        Json::Bool(b) => Value::Bool(*b),
        Json::Number(n) => match n.as_i64() {
            Some(i) => Value::Int(i),
            None => Value::Float(n.as_f64().unwrap_or(f64::NAN)),
        },
        Json::String(s) => match s.as_str() {
            "inf" => Value::Float(f64::INFINITY),
            "-inf" => Value::Float(f64::NEG_INFINITY),
            "nan" => Value::Float(f64::NAN),
            word => Value::Str(word.to_string()),
        },
        Json::Array(items) => Value::List(items.iter().map(plain).collect::<Result<_, _>>()?),
        Json::Object(map) => object(map)?,
    })
}

fn object(map: &serde_json::Map<String, Json>) -> Result<Value, String> {
    if let Some(Json::Array(parts)) = map.get("slice") {
        let part = |n: usize| parts.get(n).and_then(Json::as_i64);
        return Ok(Value::Slice(part(0), part(1), part(2)));
    }
    if let Some(Json::String(name)) = map.get("dtype") {
        return Ok(Value::DType(name.parse::<DType>()?));
    }
    if map.contains_key("ellipsis") {
        return Ok(Value::Ellipsis);
    }
    let keys: Vec<&str> = map.keys().map(String::as_str).collect();
    Err(format!("an argument must be a tensor, list or value, not {{{}}}", keys.join(", ")))
}

/// The training of one model, with one or several optimizers.
#[derive(Deserialize)]
pub(super) struct Trace {
    pub(super) name: String,
    pub(super) steps: usize,
    pub(super) tensors_file: String,
    /// How the output comes of the input, in words.
    #[serde(default)]
    pub(super) model: String,
    #[serde(default)]
    pub(super) loss: Option<String>,
    #[serde(default)]
    pub(super) config: BTreeMap<String, Plain>,
    pub(super) runs: BTreeMap<String, TraceRun>,
}

#[derive(Deserialize)]
pub(super) struct TraceRun {
    pub(super) optimizer: String,
    #[serde(default)]
    pub(super) args: BTreeMap<String, Plain>,
    /// Before each update.
    pub(super) losses: Vec<f64>,
    pub(super) tolerance: TraceTolerance,
}

#[derive(Deserialize)]
pub(super) struct TraceTolerance {
    pub(super) loss_rtol: f64,
    pub(super) grad_step0_atol: f64,
    pub(super) after_step1_atol: f64,
    pub(super) final_atol: f64,
    pub(super) eval_logits_atol: f64,
}
