//! Extracts one node of a compiled graph, for tools that show intermediate values.
use crate::graph::prepared::Prepared;
use crate::graph::simplify::simplify;
use crate::options::Options;
use crate::pipeline::Pipeline;
use brasa_ir::ops::{Input, Op, Role, Write};
use brasa_ir::{Graph, Id, Result, Type};

/// A graph that computes one value.
#[derive(Debug)]
pub struct Extracted {
    pub graph: Graph,
    /// The inputs of `graph`, each with the corresponding input of the whole graph.
    pub inputs: Vec<(Id, Id)>,
    /// The type of the value. The graph writes it to one additional input, named `value`.
    pub ty: Type,
}

/// A graph that computes only one node of `g`. `node` is the node's number in the output of
/// [`explain`](crate::explain) with no wanted nodes but the writes. `None` if it does not exist.
pub fn extract(g: &Graph, node: usize) -> Result<Option<Extracted>> {
    let prepared = Pipeline::new(&Options::default()).simplify(g, &[]);
    let Prepared { graph: mut whole, nodes, inputs, .. } = prepared;
    let Some((id, found)) = whole.nodes().nth(node) else { return Ok(None) };
    // The value of a write node is the written value.
    let value = if matches!(found.op, Op::Write(_)) { found.inputs[1] } else { id };
    let (ty, origin) = (whole[value].ty.clone(), whole[value].origin);
    let Type { dtype, shape } = ty.clone();
    let target = Input { name: "value".to_string(), role: Role::State, dtype, shape };
    let target = whole.push(target.into(), &[], origin)?;
    let write = whole.push(Write {}.into(), &[target, value], origin)?;
    let alone = simplify(&whole, &[write]);
    let inputs = nodes.iter().zip(&inputs);
    let inputs = inputs.filter_map(|(id, input)| Some((alone.new_id(*id)?, input.node))).collect();
    Ok(Some(Extracted { graph: alone.graph, inputs, ty }))
}
