//! One node of a compiled graph alone, for tools that ask what its value is.
use crate::program::{Options, Ready};
use crate::simplify::simplify;
use brasa_ir::ops::{Input, Op, Role, Write};
use brasa_ir::{Graph, Id, Result, Type};

/// A graph that computes one value.
#[derive(Debug)]
pub struct Carved {
    pub graph: Graph,
    /// The inputs that the value is computed from, each with the one of the whole that it stands for.
    pub inputs: Vec<(Id, Id)>,
    /// The type of the value, which is written to one more input.
    pub ty: Type,
}

/// What computes a node of `g` and nothing else; the node has the number that
/// [`explain`](crate::explain) gives it where nothing but the writes is wanted. `None` where there is no
/// such node.
pub fn carve(g: &Graph, node: usize) -> Result<Option<Carved>> {
    let Ready { graph: mut whole, nodes, inputs, .. } = Ready::new(g, &[], &Options::default());
    let Some((id, found)) = whole.nodes().nth(node) else { return Ok(None) };
    // The value of a write is what is written.
    let value = if matches!(found.op, Op::Write(_)) { found.inputs[1] } else { id };
    let (ty, origin) = (whole[value].ty.clone(), whole[value].origin);
    let Type { dtype, shape } = ty.clone();
    let target = Input { name: "value".to_string(), role: Role::State, dtype, shape };
    let target = whole.push(target.into(), &[], origin)?;
    let write = whole.push(Write {}.into(), &[target, value], origin)?;
    let alone = simplify(&whole, &[write]);
    let inputs = nodes.iter().zip(&inputs);
    let inputs = inputs.filter_map(|(id, input)| Some((alone.place(*id)?, input.node))).collect();
    Ok(Some(Carved { graph: alone.graph, inputs, ty }))
}
