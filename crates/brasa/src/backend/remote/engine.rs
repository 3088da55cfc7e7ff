//! The engine: executes commands on a local device.
use super::command::{Command, Reply, commands};
use super::inputs;
use crate::backend::{Device, Memory, Program};
use crate::{Error, Result};
use brasa_compile::bytes::graph_from_bytes;
use brasa_ir::ops::Op;
use brasa_ir::{Number, Type};
use std::collections::HashMap;

/// Executes the commands of a recorder in another thread or process.
pub struct Engine {
    device: Device,
    memory: HashMap<u64, Allocation>,
    programs: HashMap<u64, Result<Loaded>>,
    /// The first error that no reply has reported yet.
    unreported: Option<Error>,
    /// The clock that times launches, and the times of the last run.
    clock: Option<fn() -> f64>,
    times: Vec<f64>,
}

struct Allocation {
    memory: Box<dyn Memory>,
    bytes: usize,
    contents: Contents,
}

enum Contents {
    /// Allocated, but not written yet.
    Unwritten,
    Ready,
    Failed(Error),
}

/// A compiled program.
struct Loaded {
    program: Box<dyn Program>,
    /// Number of the graph's inputs.
    inputs: usize,
    /// The positions of the graph's inputs that the program uses, in its order.
    used: Vec<usize>,
    /// The positions of the graph's inputs that the program writes.
    written: Vec<usize>,
}

impl Engine {
    /// An engine that computes on this device.
    pub fn new(device: Device) -> Engine {
        let (memory, programs) = (HashMap::new(), HashMap::new());
        Engine { device, memory, programs, unreported: None, clock: None, times: Vec::new() }
    }

    /// Executes a message from the recorder and returns the answer, which is empty if nothing was
    /// requested. Fails if the message cannot be decoded; none of it is executed then.
    pub fn execute(&mut self, message: &[u8]) -> Result<Vec<u8>> {
        let mut answer = Vec::new();
        for command in commands(message)? {
            if let Command::Read { reply, id } = command {
                let value = self.read(id);
                Reply { number: reply, value }.write(&mut answer);
                continue;
            }
            if let Err(error) = self.perform(command) {
                self.unreported.get_or_insert(error);
            }
        }
        Ok(answer)
    }

    /// Allocates memory with these bytes, for [`announce`](super::announce).
    pub fn upload(&mut self, id: u64, bytes: &[u8]) {
        let memory = self.device.backend().upload(bytes);
        self.memory
            .insert(id, Allocation { memory, bytes: bytes.len(), contents: Contents::Ready });
    }

    /// Sets the clock that times each launch from now on; `None` disables timing.
    pub fn set_clock(&mut self, clock: Option<fn() -> f64>) {
        self.clock = clock;
    }

    /// The measured times of the launches of the last run.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// Number of allocations, and their total bytes.
    pub fn held(&self) -> (usize, usize) {
        (self.memory.len(), self.memory.values().map(|held| held.bytes).sum())
    }

    /// Number of compiled programs.
    pub fn programs(&self) -> usize {
        self.programs.len()
    }

    fn perform(&mut self, command: Command) -> Result<()> {
        match command {
            Command::Allocate { id, bytes } => {
                let bytes = checked_len(bytes)?;
                let memory = self.device.backend().allocate(bytes);
                self.memory.insert(id, Allocation { memory, bytes, contents: Contents::Unwritten });
            }
            Command::Upload { id, bytes } => self.upload(id, &bytes),
            Command::Copy { id, from } => {
                let Allocation { memory, bytes, contents } = self.allocation(from)?;
                let contents = match contents {
                    Contents::Failed(error) => Contents::Failed(error.clone()),
                    _ => Contents::Ready,
                };
                let copy = Allocation { memory: memory.copied(), bytes: *bytes, contents };
                self.memory.insert(id, copy);
            }
            Command::Free { id } => drop(self.memory.remove(&id)),
            Command::Program { program, graph } => {
                let loaded = Loaded::new(self.device, &graph);
                self.programs.insert(program, loaded);
            }
            Command::Probe { program, node, ty, graph } => {
                let loaded = Loaded::probe(self.device, &graph, node, &ty);
                self.programs.insert(program, loaded);
            }
            Command::Run { program, inputs, slots } => self.run(program, &inputs, &slots)?,
            Command::Forget { program } => drop(self.programs.remove(&program)),
            Command::Read { .. } => {}
        }
        Ok(())
    }

    fn allocation(&self, id: u64) -> Result<&Allocation> {
        let lost = || Error::data("engine", format!("memory {id} does not exist"));
        self.memory.get(&id).ok_or_else(lost)
    }

    fn read(&mut self, id: u64) -> Result<Vec<u8>> {
        if let Some(error) = self.unreported.take() {
            return Err(error);
        }
        let held = self.allocation(id)?;
        if let Contents::Failed(error) = &held.contents {
            return Err(error.clone());
        }
        let mut bytes = Vec::new();
        held.memory.read(&mut |all| bytes = all.to_vec())?;
        Ok(bytes)
    }

    fn run(&mut self, program: u64, inputs: &[u64], slots: &[Number]) -> Result<()> {
        let lost = || Error::data("engine", format!("program {program} does not exist"));
        let loaded = match self.programs.get_mut(&program).ok_or_else(lost)? {
            Ok(loaded) => loaded,
            Err(error) => return Err(error.clone()),
        };
        if inputs.len() != loaded.inputs {
            let what = format!("the program takes {} inputs, got {}", loaded.inputs, inputs.len());
            return Err(Error::data("engine", what));
        }
        let written: Vec<u64> = loaded.written.iter().map(|&n| inputs[n]).collect();
        let mut memory = Vec::with_capacity(loaded.used.len());
        let mut failed = None;
        for &n in &loaded.used {
            let lost = || Error::data("engine", format!("memory {} does not exist", inputs[n]));
            let held = self.memory.get(&inputs[n]).ok_or_else(lost)?;
            if let Contents::Failed(error) = &held.contents {
                failed = Some(error.clone());
            }
            memory.push(&*held.memory);
        }
        let (outcome, report) = match failed {
            // The error was reported when it occurred.
            Some(error) => (Err(error), Ok(())),
            None => {
                let outcome = match self.clock {
                    None => loaded.program.run(&memory, slots),
                    Some(clock) => loaded
                        .program
                        .profile(&memory, slots, &clock)
                        .map(|times| self.times = times),
                };
                (outcome.clone(), outcome)
            }
        };
        for id in written {
            let Some(held) = self.memory.get_mut(&id) else { continue };
            match (&outcome, &held.contents) {
                (Ok(()), _) => held.contents = Contents::Ready,
                (Err(error), Contents::Unwritten) => {
                    held.contents = Contents::Failed(error.clone())
                }
                _ => {}
            }
        }
        report
    }
}

impl Loaded {
    fn probe(device: Device, graph: &[u8], node: u64, ty: &Type) -> Result<Loaded> {
        let graph = graph_from_bytes(graph)?;
        let inputs = inputs(&graph);
        let probe = device.backend().probe(&graph, node as usize, Some(ty))?;
        if probe.ty != *ty {
            let what = format!("the value has type {}, expected {ty}", probe.ty);
            return Err(Error::argument("probe", what));
        }
        let place = |id| {
            let lost =
                |_| Error::data("engine", format!("probe input {id} is not an input of the graph"));
            inputs.binary_search(&id).map_err(lost)
        };
        let used = probe.inputs.into_iter().map(|id| id.map_or(Ok(inputs.len()), place));
        let (used, written) = (used.collect::<Result<Vec<_>>>()?, vec![inputs.len()]);
        Ok(Loaded { program: probe.program, inputs: inputs.len() + 1, used, written })
    }

    fn new(device: Device, graph: &[u8]) -> Result<Loaded> {
        let graph = graph_from_bytes(graph)?;
        let inputs = inputs(&graph);
        let place = |id| inputs.binary_search(&id);
        let program = device.backend().program(&graph)?;
        let lost =
            |id| Error::data("engine", format!("program input {id} is not an input of the graph"));
        let used = program.inputs().iter().map(|&id| place(id).map_err(|_| lost(id)));
        let used = used.collect::<Result<Vec<usize>>>()?;
        let targets = graph.nodes().filter(|(_, node)| matches!(node.op, Op::Write(_)));
        let written = targets.filter_map(|(_, node)| place(node.inputs[0]).ok()).collect();
        Ok(Loaded { program, inputs: inputs.len(), used, written })
    }
}

/// Checks that this many bytes can be allocated, as far as can be known in advance.
fn checked_len(bytes: u64) -> Result<usize> {
    let full = || Error::data("engine", format!("out of memory: cannot allocate {bytes} bytes"));
    let bytes = usize::try_from(bytes).map_err(|_| full())?;
    Vec::<u8>::new().try_reserve_exact(bytes).map_err(|_| full())?;
    Ok(bytes)
}
