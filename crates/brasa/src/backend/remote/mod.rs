//! Remote devices: a recorder without a device of its own, and the engine that computes for it. In
//! the browser the recorder is a small module on the main thread and the engine runs in a worker.
//!
//! On the **recorder**'s side (feature `remote`, [`Device::remote`](crate::Device::remote))
//! tensors, gradients, modules, optimizers and compiled steps work as usual, but each allocation
//! and run is appended to a queue of [`Command`]s and assumed to succeed:
//!
//! 1. [`take_commands`] empties this thread's queue into one message to be sent to the engine.
//!    Messages have to arrive in order; the number of commands in each does not matter. Call
//!    `flush()` first to queue pending work.
//! 2. [`read`] requests the value of a tensor and returns the number of the reply. It flushes by
//!    itself. Synchronous reading (`item`, `to_vec`, printing, ops whose output shape depends on
//!    data) is an error.
//! 3. [`replies`] decodes a message from the engine: for each reply its number, and the bytes or an
//!    error with the op, message and call site that it would have had locally.
//! 4. [`memory`] returns the number under which the engine stores a tensor, and [`announce`] makes
//!    a tensor whose bytes reach the engine by another way than the queue.
//!
//! Dropped tensors and programs are freed by commands too. A graph is sent once per fingerprint.
//!
//! On the **engine**'s side (feature `engine`) an [`Engine`] executes messages on a local device
//! and returns the message to send back, which may be empty. An error in a run is kept: the next
//! reply, whichever value it was requested for, carries the first unreported error, and reading a
//! value that could not be computed returns its error every time. Memory that a failed run should
//! have updated keeps its value.
//!
//! Messages begin with a version number; both sides have to come from the same build.
mod command;
#[cfg(feature = "engine")]
mod engine;
#[cfg(feature = "remote")]
mod recorder;

use brasa_ir::ops::Op;
use brasa_ir::{Graph, Id};

pub use command::{Command, Reply, commands, message, replies};
#[cfg(feature = "engine")]
pub use engine::Engine;
#[cfg(feature = "remote")]
pub(super) use recorder::Remote;
#[cfg(feature = "remote")]
pub use recorder::{announce, memory, read, take_commands};

/// The inputs of a graph, in order. A run takes the memory of each.
pub fn inputs(graph: &Graph) -> Vec<Id> {
    let is_input = |op: &Op| matches!(op, Op::Input(_));
    graph.nodes().filter(|(_, node)| is_input(&node.op)).map(|(id, _)| id).collect()
}
