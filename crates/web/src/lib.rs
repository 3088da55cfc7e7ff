//! Brasa in the browser, as two wasm modules. The **recorder** lives in the page, has no device and
//! answers at once: it checks calls, records them and queues commands. The **engine** lives in a worker
//! and carries the commands out. TypeScript in `packages/brasa` brings messages from one to the other.
#[cfg(any(feature = "engine", feature = "webgpu"))]
pub mod engine;
// Called from JavaScript, elsewhere by nobody: natively the names are not even exported, since the C
// library has some of them too.
#[cfg(feature = "recorder")]
#[cfg_attr(not(target_family = "wasm"), allow(dead_code))]
pub mod recorder;
