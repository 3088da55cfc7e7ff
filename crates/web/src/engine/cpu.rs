//! The engine on the CPU. It uses the threads that call [`work`]; the feature `check` enables the
//! checked mode.
use super::{Answer, now, recording};
use brasa::Device;
use brasa::remote::{self, Reply};
use wasm_bindgen::prelude::*;

/// Adds the calling thread to the engine's pool. Does not return.
#[wasm_bindgen]
pub fn work() {
    brasa_cpu::Pool::global().work();
}

/// The number of threads that compute.
#[wasm_bindgen]
pub fn threads() -> usize {
    brasa_cpu::Pool::global().threads()
}

/// An engine on the CPU.
#[wasm_bindgen]
pub struct Engine {
    inner: remote::Engine,
    replies: std::vec::IntoIter<Reply>,
}

#[wasm_bindgen]
impl Engine {
    #[wasm_bindgen(constructor)]
    #[allow(clippy::new_without_default)]
    pub fn new() -> Engine {
        #[cfg(feature = "check")]
        brasa::set_checked(true);
        Engine { inner: remote::Engine::new(Device::cpu()), replies: Vec::new().into_iter() }
    }

    /// Creates memory with these bytes.
    pub fn upload(&mut self, id: f64, bytes: &[u8]) {
        self.inner.upload(id as u64, bytes);
    }

    /// Executes a message; `answer` then returns its answers. Throws if the message cannot be
    /// parsed.
    pub fn execute(&mut self, message: &[u8]) -> Result<(), JsError> {
        let answer = self.inner.execute(message).and_then(|bytes| remote::replies(&bytes));
        self.replies = answer.map_err(|error| JsError::new(&error.to_string()))?.into_iter();
        Ok(())
    }

    /// The next answer to the last message.
    pub fn answer(&mut self) -> Option<Answer> {
        self.replies.next().map(Answer::new)
    }

    /// Nodes, kernels and memory plan of a recorded step as JSON.
    pub fn explain(
        &self,
        graph: Vec<u8>,
        ids: Vec<u32>,
        names: Vec<String>,
        roles: Vec<String>,
    ) -> Result<String, JsError> {
        let json = recording(graph, ids, names, roles).explain();
        json.map_err(|error| JsError::new(&error.to_string()))
    }

    /// Turns timing of launches on or off.
    pub fn set_timing(&mut self, wanted: bool) {
        self.inner.set_clock(wanted.then_some(now as fn() -> f64));
    }

    /// Milliseconds of each launch of the last run.
    pub fn times(&self) -> Vec<f64> {
        self.inner.times().to_vec()
    }

    /// How often each fast path was taken, for fuzzers.
    #[cfg(feature = "check")]
    pub fn paths(&self) -> String {
        super::lines_of(brasa_cpu::paths::counts())
    }

    /// Bytes of all tensors in memory.
    pub fn bytes(&self) -> f64 {
        self.inner.held().1 as f64
    }

    /// The number of compiled programs.
    pub fn programs(&self) -> usize {
        self.inner.programs()
    }

    /// The number of tensors in memory.
    pub fn count(&self) -> usize {
        self.inner.held().0
    }
}
