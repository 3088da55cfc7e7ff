//! The stage after simplification: a simplified graph, with everything that scheduling and planning
//! need to know about the recorded one.
use crate::graph::index_check::IndexCheck;
use crate::graph::simplify::{Simplified, simplify_with_checks};
use crate::memory::plan::Task;
use crate::program::ProgramInput;
use crate::target::Target;
use brasa_ir::ops::Op;
use brasa_ir::{Graph, Id, Node};

pub(crate) struct Prepared {
    pub(crate) graph: Graph,
    /// The nodes whose values the caller reads. The value of a write node is the written value.
    pub(crate) wanted: Vec<Id>,
    /// The inputs that are still used, as nodes of `graph` and as the caller knows them.
    pub(crate) nodes: Vec<Id>,
    pub(crate) inputs: Vec<ProgramInput>,
    index_checks: Vec<IndexCheck>,
}

impl Prepared {
    /// Simplifies the part of `g` that `wanted` and all writes depend on.
    pub(crate) fn simplify(g: &Graph, wanted: &[Id], checks_bounds: bool) -> Prepared {
        let writes = g.nodes().filter(|(_, node)| is_write(&node.op)).map(|(id, _)| id);
        let needed: Vec<Id> = wanted.iter().copied().chain(writes).collect();
        let simple = simplify_with_checks(g, &needed, checks_bounds);
        let place = |&id: &Id| simple.new_id(id).expect("simplification keeps wanted nodes");
        let mut wanted: Vec<Id> = wanted.iter().map(place).collect();
        for id in wanted.iter_mut().filter(|id| is_write(&simple.graph[**id].op)) {
            *id = simple.graph[*id].inputs[1];
        }
        let (nodes, inputs) = inputs(g, &simple);
        let Simplified { graph, index_checks, .. } = simple;
        Prepared { graph, wanted, nodes, inputs, index_checks }
    }

    /// The nodes whose values are read from outside: wanted nodes and index checks.
    pub(crate) fn roots(&self) -> Vec<Id> {
        let check_values = self.index_checks.iter().flat_map(|check| [check.before, check.at]);
        self.wanted.iter().copied().chain(check_values).collect()
    }

    /// What ordering and planning work on.
    pub(crate) fn task<'a>(&'a self, target: &'a Target) -> Task<'a> {
        let Prepared { graph: g, nodes: inputs, wanted, index_checks, .. } = self;
        Task { g, inputs, wanted, index_checks, target }
    }
}

fn is_write(op: &Op) -> bool {
    matches!(op, Op::Write(_))
}

/// The inputs that are still used, as nodes of the simplified graph and as the caller knows them.
fn inputs(g: &Graph, simple: &Simplified) -> (Vec<Id>, Vec<ProgramInput>) {
    let mut is_written = vec![false; simple.graph.len()];
    for (_, node) in simple.graph.nodes().filter(|(_, node)| is_write(&node.op)) {
        is_written[node.inputs[0].index()] = true;
    }
    let input = |(id, node): (Id, &Node)| {
        let Op::Input(input) = &node.op else { return None };
        let place = simple.new_id(id)?;
        let (name, role, ty) = (input.name.clone(), input.role, node.ty.clone());
        let is_written = is_written[place.index()];
        Some((place, ProgramInput { node: id, name, role, ty, is_written }))
    };
    g.nodes().filter_map(input).unzip()
}
