//! Engines execute the commands of a recorder, on the CPU or on WebGPU.
#[cfg(feature = "engine")]
mod cpu;
#[cfg(feature = "webgpu")]
mod replay_log;
#[cfg(feature = "webgpu")]
mod webgpu;

use brasa::remote::Reply;
use brasa::{ErrorKind, Recording};
use brasa_ir::ops::Role;
use brasa_ir::{Id, Site};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// Milliseconds since an arbitrary origin.
    #[wasm_bindgen(js_namespace = performance)]
    fn now() -> f64;
}

/// The name of the build, which must equal the page's.
#[wasm_bindgen]
pub fn build_name() -> String {
    option_env!("BRASA_BUILD").unwrap_or("unnamed").to_string()
}

/// One line per fast path: how often it was taken, and its name.
#[cfg(feature = "check")]
fn lines_of(paths: Vec<(&'static str, u64)>) -> String {
    paths.into_iter().map(|(name, count)| format!("{count} {name}\n")).collect()
}

/// A recorded step as the page sends it: `ids` number the graph's inputs, with their `names` and
/// `roles`.
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

/// A requested value, or the error that prevented it.
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
    /// Takes the bytes, unless there is an error.
    pub fn bytes(&mut self) -> Option<Vec<u8>> {
        self.reply.value.as_mut().ok().map(std::mem::take)
    }

    /// Kind, op, message and call site of the error.
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
