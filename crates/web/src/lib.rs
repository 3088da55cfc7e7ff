//! Brasa in the browser, as two wasm modules. The **recorder** lives in the page, has no device
//! and returns at once: it checks calls, records them and queues commands. The **engine** lives
//! in a worker and executes the commands. The TypeScript in `packages/brasa` passes messages
//! between them.
#[cfg(any(feature = "engine", feature = "webgpu"))]
pub mod engine;
// Only called from JavaScript. Native builds do not export the names because libc defines some of
// them too.
#[cfg(feature = "recorder")]
#[cfg_attr(not(target_family = "wasm"), allow(dead_code))]
pub mod recorder;
