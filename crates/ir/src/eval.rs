//! The reference device: runs a graph node by node, slowly and plainly. The oracle of all others.
use crate::array::Array;
use crate::error::{Error, Result};
use crate::graph::{Graph, Id};
use crate::ops::{Op, OpDef};
use std::collections::HashMap;

/// The values of `wanted`, given those of the graph's inputs. Only what they need is computed, and
/// nothing is kept longer than it is needed.
pub fn eval(g: &Graph, inputs: &HashMap<Id, Array>, wanted: &[Id]) -> Result<Vec<Array>> {
    let mut uses = vec![0usize; g.len()];
    for id in wanted {
        uses[id.index()] += 1;
    }
    for (id, node) in g.nodes().rev() {
        if uses[id.index()] > 0 {
            for input in &node.inputs {
                uses[input.index()] += 1;
            }
        }
    }

    let mut values: HashMap<Id, Array> = HashMap::new();
    for (id, node) in g.nodes() {
        if uses[id.index()] == 0 {
            continue;
        }
        let value = match &node.op {
            Op::Input(input) => bound(inputs, id, &input.name, g)?,
            Op::Slot(slot) => Array::full(&node.ty, g.slots()[slot.slot]),
            op => {
                let args: Vec<&Array> = node.inputs.iter().map(|i| &values[i]).collect();
                let place = |e: Error| e.within(node.origin.call).at(site(g, id));
                op.eval(&args, &node.ty).map_err(place)?
            }
        };
        values.insert(id, value);
        for input in &node.inputs {
            uses[input.index()] -= 1;
            if uses[input.index()] == 0 {
                values.remove(input);
            }
        }
    }
    Ok(wanted.iter().map(|id| values[id].clone()).collect())
}

/// The value handed in for an input, if it is of the type that was recorded.
fn bound(inputs: &HashMap<Id, Array>, id: Id, name: &str, g: &Graph) -> Result<Array> {
    let ty = &g[id].ty;
    match inputs.get(&id) {
        Some(value) if value.ty == *ty => Ok(value.clone()),
        Some(value) => {
            let what = format!("'{name}' was recorded as {ty} but is given {}", value.ty);
            Err(Error::data("input", what).at(site(g, id)))
        }
        None => Err(Error::data("input", format!("'{name}' has no value")).at(site(g, id))),
    }
}

fn site(g: &Graph, id: Id) -> crate::graph::Site {
    g.site(g[id].origin.site).clone()
}
