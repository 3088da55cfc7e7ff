//! A recorded step as data, for tools that show what becomes of it.
use crate::Result;
use brasa_compile::bytes::graph_from_bytes;
use brasa_compile::{Options, explain};
use brasa_ir::Id;
use brasa_ir::ops::Role;

/// A training step as it was recorded, made by [`TrainStep::recording`](crate::TrainStep::recording).
#[derive(Clone, Debug)]
pub struct Recording {
    /// The graph, as [`graph_to_bytes`](brasa_compile::bytes::graph_to_bytes) writes it.
    pub graph: Vec<u8>,
    /// What the inputs of the graph are called, and what each is for.
    pub names: Vec<(Id, String, Role)>,
}

impl Recording {
    /// Nodes, kernels and memory plan of the step on the CPU as JSON; docs/trace.md describes it.
    pub fn explain(&self) -> Result<String> {
        self.explain_for(&Options::default())
    }

    /// The same for a device that is compiled for with these options.
    pub fn explain_for(&self, options: &Options) -> Result<String> {
        let graph = graph_from_bytes(&self.graph)?;
        let name = |id: Id| {
            let (_, name, role) = self.names.iter().find(|(other, ..)| *other == id)?;
            Some((name.clone(), *role))
        };
        Ok(explain(&graph, &[], options, &name))
    }
}
