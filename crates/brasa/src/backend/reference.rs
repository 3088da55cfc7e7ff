//! The reference device: evaluates graphs node by node. Slow and simple; other devices are checked
//! against it.
use super::{Backend, Device, Memory, Program, own};
use crate::storage::{Data, lock};
use crate::{Error, Result};
use brasa_ir::ops::Op;
use brasa_ir::{Array, Graph, Id, Number, Type, eval};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

pub(super) struct Reference;

impl Backend for Reference {
    fn name(&self) -> &'static str {
        "reference"
    }

    fn allocate(&self, bytes: usize) -> Box<dyn Memory> {
        Box::new(Bytes(Mutex::new(vec![0; bytes])))
    }

    fn upload(&self, bytes: &[u8]) -> Box<dyn Memory> {
        Box::new(Bytes(Mutex::new(bytes.to_vec())))
    }

    fn run(&self, graph: &Graph, inputs: &[(Id, Arc<Data>)]) -> Result<()> {
        let inputs = inputs.iter().map(|(id, data)| Ok((*id, own(data.memory(), device())?)));
        write(graph, &inputs.collect::<Result<_>>()?)
    }

    fn program(&self, graph: &Graph) -> Result<Box<dyn Program>> {
        let is_input = |id: &Id| matches!(graph[*id].op, Op::Input(_));
        let inputs = graph.ids().filter(is_input).collect();
        Ok(Box::new(Interpreted { graph: graph.clone(), inputs }))
    }

    fn value(&self, graph: &Graph, inputs: &[(Id, Arc<Data>)], wanted: Id) -> Result<Array> {
        let values = inputs.iter().map(|(id, data)| Ok((*id, data.array()?)));
        Ok(eval(graph, &values.collect::<Result<_>>()?, &[wanted])?.remove(0))
    }
}

fn device() -> Device {
    Device(&Reference)
}

/// Computes all writes from the current inputs, then stores the results in the written inputs.
fn write(graph: &Graph, inputs: &HashMap<Id, &Bytes>) -> Result<()> {
    let values = inputs.iter().map(|(id, memory)| Ok((*id, memory.array(&graph[*id].ty)?)));
    let values: HashMap<Id, Array> = values.collect::<Result<_>>()?;
    let writes = graph.nodes().filter(|(_, node)| matches!(node.op, Op::Write(_)));
    let (ids, targets): (Vec<Id>, Vec<Id>) = writes.map(|(id, node)| (id, node.inputs[0])).unzip();
    for (target, result) in targets.iter().zip(eval(graph, &values, &ids)?) {
        let unknown = || Error::data("write", "the target of a write is not an input");
        let memory = inputs.get(target).ok_or_else(unknown)?;
        *lock(&memory.0) = result.to_bytes();
    }
    Ok(())
}

/// A graph that is interpreted.
struct Interpreted {
    graph: Graph,
    inputs: Vec<Id>,
}

impl Program for Interpreted {
    fn inputs(&self) -> &[Id] {
        &self.inputs
    }

    fn run(&mut self, inputs: &[&dyn Memory], slots: &[Number]) -> Result<()> {
        for (n, slot) in slots.iter().enumerate() {
            self.graph.set_slot(n, *slot);
        }
        let given = self.inputs.iter().zip(inputs);
        let inputs = given.map(|(id, memory)| Ok((*id, own(*memory, device())?)));
        write(&self.graph, &inputs.collect::<Result<_>>()?)
    }
}

struct Bytes(Mutex<Vec<u8>>);

impl Bytes {
    fn array(&self, ty: &Type) -> Result<Array> {
        Array::from_bytes(ty, &lock(&self.0)).map_err(|what| Error::data("read", what))
    }
}

impl Memory for Bytes {
    fn copied(&self) -> Box<dyn Memory> {
        Reference.upload(&lock(&self.0))
    }

    fn read(&self, look: &mut dyn FnMut(&[u8])) -> Result<()> {
        look(&lock(&self.0));
        Ok(())
    }
}
