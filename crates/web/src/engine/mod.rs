//! The engine: carries out the commands of a recorder, on as many threads as were lent to it.
use brasa::remote::{self, Reply};
use brasa::{Device, ErrorKind, Recording};
use brasa_ir::ops::Role;
use brasa_ir::{Id, Site};
use wasm_bindgen::prelude::*;

/// The name of the build, which the page's own must equal.
#[wasm_bindgen]
pub fn build_name() -> String {
    option_env!("BRASA_BUILD").unwrap_or("unnamed").to_string()
}

/// Lends the calling thread to the engine, for good.
#[wasm_bindgen]
pub fn work() {
    brasa_cpu::Pool::global().work();
}

/// How many threads compute.
#[wasm_bindgen]
pub fn threads() -> usize {
    brasa_cpu::Pool::global().threads()
}

#[wasm_bindgen]
extern "C" {
    /// Milliseconds since some moment.
    #[wasm_bindgen(js_namespace = performance)]
    fn now() -> f64;
}

/// Nodes, kernels and memory plan of a recorded step as JSON. Inputs are named by place in the graph:
/// `names` and `roles` belong to `ids`.
#[wasm_bindgen]
pub fn explain(
    graph: Vec<u8>,
    ids: Vec<u32>,
    names: Vec<String>,
    roles: Vec<String>,
) -> Result<String, JsError> {
    let role = |word: &str| match word {
        "param" => Role::Param,
        "state" => Role::State,
        _ => Role::Data,
    };
    let names = ids.into_iter().zip(names).zip(roles);
    let names = names.map(|((id, name), word)| (Id::at(id), name, role(&word))).collect();
    Recording { graph, names }.explain().map_err(|error| JsError::new(&error.to_string()))
}

/// An engine on the processor.
#[wasm_bindgen]
pub struct Engine {
    inner: remote::Engine,
    replies: std::vec::IntoIter<Reply>,
}

/// A value that was asked for, or why there is none.
#[wasm_bindgen]
pub struct Answer {
    /// The number of the reply.
    pub number: f64,
    reply: Reply,
}

#[wasm_bindgen]
impl Engine {
    #[wasm_bindgen(constructor)]
    #[allow(clippy::new_without_default)]
    pub fn new() -> Engine {
        Engine { inner: remote::Engine::new(Device::cpu()), replies: Vec::new().into_iter() }
    }

    /// Makes memory with these bytes.
    pub fn upload(&mut self, id: f64, bytes: &[u8]) {
        self.inner.upload(id as u64, bytes);
    }

    /// Carries out a message; answers are had from `answer` then. Throws where it cannot be read.
    pub fn execute(&mut self, message: &[u8]) -> Result<(), JsError> {
        let answer = self.inner.execute(message).and_then(|bytes| remote::replies(&bytes));
        self.replies = answer.map_err(|error| JsError::new(&error.to_string()))?.into_iter();
        Ok(())
    }

    /// The next answer to the last message.
    pub fn answer(&mut self) -> Option<Answer> {
        let reply = self.replies.next()?;
        Some(Answer { number: reply.number as f64, reply })
    }

    /// Times each launch from here on, or no more.
    pub fn set_timing(&mut self, wanted: bool) {
        self.inner.set_clock(wanted.then_some(now as fn() -> f64));
    }

    /// Milliseconds of each launch of the last run.
    pub fn times(&self) -> Vec<f64> {
        self.inner.times().to_vec()
    }

    /// Bytes of tensors held.
    pub fn bytes(&self) -> f64 {
        self.inner.held().1 as f64
    }

    /// Tensors held.
    pub fn count(&self) -> usize {
        self.inner.held().0
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
