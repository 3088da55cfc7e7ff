//! A recorded training step as data, for tools that show how it is compiled.
use crate::Result;
use brasa_compile::bytes::graph_from_bytes;
use brasa_compile::{Options, explain};
use brasa_ir::Id;
use brasa_ir::ops::Role;

/// A recorded training step, made by [`TrainStep::recording`](crate::TrainStep::recording).
#[derive(Clone, Debug)]
pub struct Recording {
    /// The graph, in the format of [`graph_to_bytes`](brasa_compile::bytes::graph_to_bytes).
    pub graph: Vec<u8>,
    /// Name and role of each input of the graph.
    pub names: Vec<(Id, String, Role)>,
}

impl Recording {
    /// Nodes, kernels and memory plan of the step on the CPU as JSON; docs/trace.md describes the
    /// format.
    pub fn explain(&self) -> Result<String> {
        self.explain_for(&Options::default())
    }

    /// Like [`explain`](Recording::explain), for a device with these compile options.
    pub fn explain_for(&self, options: &Options) -> Result<String> {
        let graph = graph_from_bytes(&self.graph)?;
        let name = |id: Id| {
            let (_, name, role) = self.names.iter().find(|(other, ..)| *other == id)?;
            Some((name.clone(), *role))
        };
        Ok(explain(&graph, &[], options, &name))
    }
}
