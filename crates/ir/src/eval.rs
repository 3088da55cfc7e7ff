//! The reference device: evaluates a graph node by node, without optimization. All other devices
//! are tested against it.
use crate::array::Array;
use crate::error::{Error, Result};
use crate::graph::{Graph, Id};
use crate::ops::{Op, OpDef};
use std::collections::HashMap;

/// The values of `wanted`, given those of the graph's inputs. Only their dependencies are computed,
/// and each value is freed after its last use.
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
                let locate = |e: Error| e.within(node.origin.call).at(site(g, id));
                op.eval(&args, &node.ty).map_err(locate)?
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

/// The value given for an input; an error if it is missing or has another type than was recorded.
fn bound(inputs: &HashMap<Id, Array>, id: Id, name: &str, g: &Graph) -> Result<Array> {
    let ty = &g[id].ty;
    match inputs.get(&id) {
        Some(value) if value.ty == *ty => Ok(value.clone()),
        Some(value) => {
            let what = format!("'{name}' was recorded as {ty}, but its value is {}", value.ty);
            Err(Error::data("input", what).at(site(g, id)))
        }
        None => Err(Error::data("input", format!("'{name}' has no value")).at(site(g, id))),
    }
}

fn site(g: &Graph, id: Id) -> crate::graph::Site {
    g.site(g[id].origin.site).clone()
}
