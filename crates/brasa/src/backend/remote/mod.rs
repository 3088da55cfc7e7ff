//! Devices elsewhere: a recorder that has no device of its own, and the engine that computes for it.
//! In the browser the recorder is a small module on the main thread and the engine runs in a worker.
//!
//! On the **recorder**'s side (feature `remote`, [`Device::remote`](crate::Device::remote)) tensors,
//! gradients, modules, optimizers and compiled steps work as everywhere, but whatever needs memory or a
//! run is appended to a queue of [`Command`]s and taken for done:
//!
//! 1. [`take_commands`] empties this thread's queue into one message, to be sent to the engine. Messages
//!    have to arrive in order; how many commands each holds does not matter. `flush()` before it puts
//!    pending work there.
//! 2. [`read`] asks for the value of a tensor and gives the number of the reply. It flushes by itself.
//!    Reading at once (`item`, `to_vec`, printing, ops whose result's shape depends on data) is an error.
//! 3. [`replies`] reads a message of the engine's: bytes by number, or an error with the op, message and
//!    place that it would have had here.
//! 4. [`memory`] tells under which number the engine holds a tensor, and [`announce`] makes a tensor
//!    whose bytes are brought to the engine by another way than the queue.
//!
//! Dropped tensors and programs are freed by commands too. A graph is sent when its fingerprint is new.
//!
//! On the **engine**'s side (feature `engine`) an [`Engine`] carries out messages on a local device and
//! gives the message to send back, which may be empty. What goes wrong in a run is kept: the next reply,
//! whatever it was asked for, carries the first error that was not reported yet, and values that could
//! not be computed go on giving theirs. Memory that was to be updated keeps its value.
//!
//! Messages begin with the number of their form; both sides have to be of one build.
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

/// The inputs of a graph, in order: whose memory a run takes.
pub fn inputs(graph: &Graph) -> Vec<Id> {
    let is_input = |op: &Op| matches!(op, Op::Input(_));
    graph.nodes().filter(|(_, node)| is_input(&node.op)).map(|(id, _)| id).collect()
}
