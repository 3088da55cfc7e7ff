//! The device: programs by fingerprint, made once and run on the memory of a recording.
use crate::storage::{Data, lock};
use crate::{Error, Result};
use brasa_compile::compile;
use brasa_cpu::{Buffer, Executable, Pool};
use brasa_ir::graph::Fingerprint;
use brasa_ir::{Graph, Id, Number, Recorder};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, LazyLock, Mutex};

/// Where tensors live and are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Device(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Cpu,
}

impl Device {
    /// The processor, with all of its threads.
    pub fn cpu() -> Device {
        Device(Kind::Cpu)
    }
}

/// The processor.
impl Default for Device {
    fn default() -> Device {
        Device::cpu()
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Kind::Cpu => f.write_str("cpu"),
        }
    }
}

/// A program and which of a recording's inputs it takes.
struct Ready {
    executable: Executable,
    inputs: Vec<usize>,
    used: u64,
}

/// Programs of all threads. Held during a run, so that no buffer is in two runs at once.
#[derive(Default)]
struct Programs {
    by_fingerprint: HashMap<Fingerprint, Ready>,
    buffers: Vec<Buffer>,
    clock: u64,
    compiled: u64,
}

static PROGRAMS: LazyLock<Mutex<Programs>> = LazyLock::new(Mutex::default);

/// Programs that are kept; those used longest ago go first.
const KEPT_PROGRAMS: usize = 128;

/// How many programs have been compiled since the start, by all threads. A training loop that goes on
/// counting compiles anew in each step.
pub fn compiled_programs() -> u64 {
    lock(&PROGRAMS).compiled
}

/// Runs the writes of a recording.
pub(crate) fn run(g: &Recorder, bindings: &[(Id, Arc<Data>)]) -> Result<()> {
    g.read(|graph| {
        let mut programs = lock(&PROGRAMS);
        let Programs { by_fingerprint, buffers, clock, compiled } = &mut *programs;
        *clock += 1;
        let fingerprint = graph.fingerprint();
        if !by_fingerprint.contains_key(&fingerprint) {
            if by_fingerprint.len() >= KEPT_PROGRAMS {
                let oldest = by_fingerprint.iter().min_by_key(|(_, ready)| ready.used);
                if let Some(oldest) = oldest.map(|(key, _)| *key) {
                    by_fingerprint.remove(&oldest);
                }
            }
            *compiled += 1;
            by_fingerprint.insert(fingerprint, Ready::new(graph, bindings)?);
        }
        let ready = by_fingerprint.get_mut(&fingerprint).expect("it is there now");
        ready.used = *clock;
        let data = ready.inputs.iter().map(|&n| &bindings[n].1);
        run_on(&mut ready.executable, buffers, data, graph.slots())
    })
}

impl Ready {
    fn new(graph: &Graph, bindings: &[(Id, Arc<Data>)]) -> Result<Ready> {
        let program = compile(graph, &[]);
        let place = |node: Id| bindings.binary_search_by_key(&node, |(id, _)| *id).ok();
        let inputs = program.inputs.iter().map(|input| place(input.node));
        let inputs: Option<Vec<usize>> = inputs.collect();
        let Some(inputs) = inputs else {
            return Err(Error::data("flush", "an input has no value"));
        };
        Ok(Ready { executable: Executable::new(program), inputs, used: 0 })
    }
}

/// A program that is compiled for one purpose and not shared.
pub(crate) fn run_alone<'a>(
    executable: &mut Executable,
    data: impl Iterator<Item = &'a Arc<Data>> + Clone,
    slots: &[Number],
) -> Result<()> {
    let mut programs = lock(&PROGRAMS);
    run_on(executable, &mut programs.buffers, data, slots)
}

/// Lends the buffers of `data` to a run.
fn run_on<'a>(
    executable: &mut Executable,
    buffers: &mut Vec<Buffer>,
    data: impl Iterator<Item = &'a Arc<Data>> + Clone,
    slots: &[Number],
) -> Result<()> {
    buffers.clear();
    buffers.extend(data.clone().map(|data| data.take()));
    let result = executable.run(Pool::global(), buffers, slots);
    for (data, buffer) in data.zip(buffers.drain(..)) {
        data.put(buffer);
    }
    result
}
