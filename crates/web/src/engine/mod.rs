//! Engines, which carry out the commands of a recorder: on the processor or on WebGPU.
#[cfg(feature = "engine")]
mod cpu;
#[cfg(feature = "webgpu")]
mod journal;
#[cfg(feature = "webgpu")]
mod webgpu;

use brasa::remote::Reply;
use brasa::{ErrorKind, Recording};
use brasa_ir::ops::Role;
use brasa_ir::{Id, Site};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// Milliseconds since some moment.
    #[wasm_bindgen(js_namespace = performance)]
    fn now() -> f64;
}

/// The name of the build, which the page's own must equal.
#[wasm_bindgen]
pub fn build_name() -> String {
    option_env!("BRASA_BUILD").unwrap_or("unnamed").to_string()
}

/// A line for each fast path: how often it was taken, and its name.
#[cfg(feature = "check")]
fn lines_of(paths: Vec<(&'static str, u64)>) -> String {
    paths.into_iter().map(|(name, count)| format!("{count} {name}\n")).collect()
}

/// A recorded step, as the page sends it: inputs are named by place in the graph, `names` and `roles`
/// belong to `ids`.
fn recording(graph: Vec<u8>, ids: Vec<u32>, names: Vec<String>, roles: Vec<String>) -> Recording {
    let role = |word: &str| match word {
        "param" => Role::Param,
        "state" => Role::State,
        _ => Role::Data,
    };
    let names = ids.into_iter().zip(names).zip(roles);
    let names = names.map(|((id, name), word)| (Id::at(id), name, role(&word))).collect();
    Recording { graph, names }
}

/// A value that was asked for, or why there is none.
#[wasm_bindgen]
pub struct Answer {
    /// The number of the reply.
    pub number: f64,
    reply: Reply,
}

impl Answer {
    fn new(reply: Reply) -> Answer {
        Answer { number: reply.number as f64, reply }
    }
}

#[wasm_bindgen]
impl Answer {
    /// The bytes, unless there is an error.
    pub fn bytes(&mut self) -> Option<Vec<u8>> {
        self.reply.value.as_mut().ok().map(std::mem::take)
    }

    /// Kind, op, message and place of the error.
    pub fn error(&self) -> Option<Vec<String>> {
        let error = self.reply.value.as_ref().err()?;
        let kind = match error.kind() {
            ErrorKind::Shape => "ShapeError",
            ErrorKind::DType => "DTypeError",
            ErrorKind::Argument => "ArgumentError",
            ErrorKind::Data => "DataError",
            ErrorKind::Device => "DeviceError",
            ErrorKind::Stale => "StaleTensorError",
        };
        let site = error.site().map_or(String::new(), Site::to_string);
        Some(vec![kind.to_string(), error.op().to_string(), error.message(), site])
    }
}
