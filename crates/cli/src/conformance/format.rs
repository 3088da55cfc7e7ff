//! The index files of recorded cases, as they are written.
use brasa_ir::{DType, Value};
use serde::Deserialize;
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// `index.json` of a directory of cases.
#[derive(Deserialize)]
pub(super) struct Index {
    pub(super) tensors_file: String,
    pub(super) cases: Vec<Case>,
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
                Some(json) => value(json)?,
                None => value(&Json::Object(raw.rest))?,
            }),
            _ => return Err("an argument is more than one of tensor, generated, list".into()),
        };
        Ok(Argument { name: raw.name, given })
    }
}

/// A plain value. `{"slice": [1, null, 2]}`, `{"ellipsis": true}` and `{"dtype": "float32"}` are
/// what JSON has no form for, as are the strings `"inf"`, `"-inf"` and `"nan"`.
fn value(json: &Json) -> Result<Value, String> {
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
        Json::Array(items) => Value::List(items.iter().map(value).collect::<Result<_, _>>()?),
        Json::Object(map) => {
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
            return Err(format!("not an argument: an object of [{}]", keys.join(", ")));
        }
    })
}
