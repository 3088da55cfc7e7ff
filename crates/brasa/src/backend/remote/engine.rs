//! The engine's side: carries out commands on a local device.
use super::command::{Command, Reply, commands};
use super::inputs;
use crate::backend::{Device, Memory, Program};
use crate::{Error, Result};
use brasa_compile::bytes::graph_from_bytes;
use brasa_ir::ops::Op;
use brasa_ir::{Number, Type};
use std::collections::HashMap;

/// Computes for a recorder elsewhere.
pub struct Engine {
    device: Device,
    memory: HashMap<u64, Held>,
    programs: HashMap<u64, Result<Loaded>>,
    /// The first error that no reply has carried yet.
    unreported: Option<Error>,
    /// What to time launches by, and what it has shown for those of the last run.
    clock: Option<fn() -> f64>,
    times: Vec<f64>,
}

struct Held {
    memory: Box<dyn Memory>,
    bytes: usize,
    state: State,
}

enum State {
    /// Room that nothing was written to.
    Fresh,
    Ready,
    Failed(Error),
}

/// A compiled program.
struct Loaded {
    program: Box<dyn Program>,
    /// How many inputs the graph has.
    inputs: usize,
    /// Which of the graph's inputs the program takes, in its order.
    taken: Vec<usize>,
    /// Which of the graph's inputs are written to.
    written: Vec<usize>,
}

impl Engine {
    /// An engine that computes on this device.
    pub fn new(device: Device) -> Engine {
        let (memory, programs) = (HashMap::new(), HashMap::new());
        Engine { device, memory, programs, unreported: None, clock: None, times: Vec::new() }
    }

    /// Carries out a message of the recorder's and gives the message to answer with, empty where
    /// nothing was asked. Fails where the message cannot be read; nothing of it is carried out then.
    pub fn execute(&mut self, message: &[u8]) -> Result<Vec<u8>> {
        let mut answer = Vec::new();
        for command in commands(message)? {
            if let Command::Read { reply, id } = command {
                let value = self.read(id);
                Reply { number: reply, value }.write(&mut answer);
                continue;
            }
            if let Err(error) = self.carry_out(command) {
                self.unreported.get_or_insert(error);
            }
        }
        Ok(answer)
    }

    /// Makes memory with these bytes, for [`announce`](super::announce).
    pub fn upload(&mut self, id: u64, bytes: &[u8]) {
        let memory = self.device.backend().upload(bytes);
        self.memory.insert(id, Held { memory, bytes: bytes.len(), state: State::Ready });
    }

    /// Lets this clock time each launch from here on, or none.
    pub fn set_clock(&mut self, clock: Option<fn() -> f64>) {
        self.clock = clock;
    }

    /// What the clock has shown for the launches of the last run.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// How many pieces of memory it holds, and their bytes.
    pub fn held(&self) -> (usize, usize) {
        (self.memory.len(), self.memory.values().map(|held| held.bytes).sum())
    }

    /// How many compiled programs it keeps.
    pub fn programs(&self) -> usize {
        self.programs.len()
    }

    fn carry_out(&mut self, command: Command) -> Result<()> {
        match command {
            Command::Room { id, bytes } => {
                let bytes = checked(bytes)?;
                let memory = self.device.backend().room(bytes);
                self.memory.insert(id, Held { memory, bytes, state: State::Fresh });
            }
            Command::Upload { id, bytes } => self.upload(id, &bytes),
            Command::Copy { id, from } => {
                let Held { memory, bytes, state } = self.held_as(from)?;
                let state = match state {
                    State::Failed(error) => State::Failed(error.clone()),
                    _ => State::Ready,
                };
                let copy = Held { memory: memory.copied(), bytes: *bytes, state };
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

    fn held_as(&self, id: u64) -> Result<&Held> {
        let lost = || Error::data("engine", format!("there is no memory {id}"));
        self.memory.get(&id).ok_or_else(lost)
    }

    fn read(&mut self, id: u64) -> Result<Vec<u8>> {
        if let Some(error) = self.unreported.take() {
            return Err(error);
        }
        let held = self.held_as(id)?;
        if let State::Failed(error) = &held.state {
            return Err(error.clone());
        }
        let mut bytes = Vec::new();
        held.memory.read(&mut |all| bytes = all.to_vec())?;
        Ok(bytes)
    }

    fn run(&mut self, program: u64, inputs: &[u64], slots: &[Number]) -> Result<()> {
        let lost = || Error::data("engine", format!("there is no program {program}"));
        let loaded = match self.programs.get_mut(&program).ok_or_else(lost)? {
            Ok(loaded) => loaded,
            Err(error) => return Err(error.clone()),
        };
        if inputs.len() != loaded.inputs {
            let what = format!("a run takes {} inputs, got {}", loaded.inputs, inputs.len());
            return Err(Error::data("engine", what));
        }
        let written: Vec<u64> = loaded.written.iter().map(|&n| inputs[n]).collect();
        let mut memory = Vec::with_capacity(loaded.taken.len());
        let mut failed = None;
        for &n in &loaded.taken {
            let lost = || Error::data("engine", format!("there is no memory {}", inputs[n]));
            let held = self.memory.get(&inputs[n]).ok_or_else(lost)?;
            if let State::Failed(error) = &held.state {
                failed = Some(error.clone());
            }
            memory.push(&*held.memory);
        }
        let (outcome, report) = match failed {
            // It was reported where it happened.
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
            match (&outcome, &held.state) {
                (Ok(()), _) => held.state = State::Ready,
                (Err(error), State::Fresh) => held.state = State::Failed(error.clone()),
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
            let what = format!("the value is of type {}, not {ty}", probe.ty);
            return Err(Error::argument("probe", what));
        }
        let lost = |_| Error::data("engine", "a probe takes what is no input of its graph");
        let place = |id| inputs.binary_search(&id).map_err(lost);
        let taken = probe.inputs.into_iter().map(|id| id.map_or(Ok(inputs.len()), place));
        let (taken, written) = (taken.collect::<Result<Vec<_>>>()?, vec![inputs.len()]);
        Ok(Loaded { program: probe.program, inputs: inputs.len() + 1, taken, written })
    }

    fn new(device: Device, graph: &[u8]) -> Result<Loaded> {
        let graph = graph_from_bytes(graph)?;
        let inputs = inputs(&graph);
        let place = |id| inputs.binary_search(&id);
        let program = device.backend().program(&graph)?;
        let lost = |_| Error::data("engine", "a program takes what is no input of its graph");
        let taken = program.inputs().iter().map(|&id| place(id).map_err(lost));
        let taken = taken.collect::<Result<Vec<usize>>>()?;
        let targets = graph.nodes().filter(|(_, node)| matches!(node.op, Op::Write(_)));
        let written = targets.filter_map(|(_, node)| place(node.inputs[0]).ok()).collect();
        Ok(Loaded { program, inputs: inputs.len(), taken, written })
    }
}

/// A number of bytes that there is room for, as far as can be told.
fn checked(bytes: u64) -> Result<usize> {
    let full = || Error::data("engine", format!("no room for a tensor of {bytes} bytes"));
    let bytes = usize::try_from(bytes).map_err(|_| full())?;
    Vec::<u8>::new().try_reserve_exact(bytes).map_err(|_| full())?;
    Ok(bytes)
}
