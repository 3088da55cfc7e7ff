//! The verifier of graphs. It checks that
//!
//! - operands exist, precede their readers, and match the arity of the op;
//! - the stored type of a node is the one that its op infers, and is not too large;
//! - the number of a constant is representable in its dtype;
//! - each slot has a value and one node only;
//! - no two random draws of one seed share a stream;
//! - `write` changes an input that outlives the run (a parameter or state), and no two writes
//!   change the same one;
//! - inputs that outlive the run have unique names, since their values are looked up by name;
//! - every node has the site of its call;
//! - the fingerprint matches the nodes.
use crate::error::Error;
use crate::graph::{Fingerprint, Graph, Id, Node};
use crate::ops::{Op, OpDef, Role};
use crate::shape::Type;
use std::collections::HashMap;
use std::hash::Hash;

/// `Ok`, or everything that is wrong with the graph.
pub fn verify(g: &Graph) -> Result<(), Vec<String>> {
    verify_by(g, Seen { by_name: true, ..Seen::default() })
}

/// `verify` for graphs whose inputs are identified by node instead of name: names may be missing or
/// equal, and any input may be written to.
pub fn verify_nodes(g: &Graph) -> Result<(), Vec<String>> {
    verify_by(g, Seen::default())
}

fn verify_by<'g>(g: &'g Graph, mut seen: Seen<'g>) -> Result<(), Vec<String>> {
    let mut problems = Vec::new();
    let mut fingerprint = Fingerprint::default();
    for (id, node) in g.nodes() {
        fingerprint.absorb(id.index(), node);
        let found = structure(g, id, node).and_then(|()| leaf(g, node, seen.by_name));
        let found = found.and_then(|()| seen.add(g, id, node));
        if let Err(problem) = found {
            problems.push(format!("{id} = {}: {problem}", node.op.name()));
        }
    }
    if fingerprint != g.fingerprint() {
        problems.push("the fingerprint does not match the nodes".to_string());
    }
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

/// Checks operands, type and site.
fn structure(g: &Graph, id: Id, node: &Node) -> Result<(), String> {
    if let Some(late) = node.inputs.iter().find(|input| input.index() >= id.index()) {
        return Err(format!("operand {late} does not precede it"));
    }
    if let Some(arity) = node.op.arity().filter(|&arity| arity != node.inputs.len()) {
        return Err(format!("takes {arity} operands, has {}", node.inputs.len()));
    }
    let operands: Vec<&Type> = node.inputs.iter().map(|&input| &g[input].ty).collect();
    let inferred = node.op.infer(&operands).map_err(|e: Error| e.message())?;
    if inferred != node.ty {
        return Err(format!("its type is {}, but the op infers {inferred}", node.ty));
    }
    if !inferred.shape.is_addressable() {
        return Err(format!("{inferred} is too large"));
    }
    if !g.has_site(node.origin.site) {
        return Err("the site of its call is unknown".to_string());
    }
    Ok(())
}

/// Checks constants, slots and writes.
fn leaf(g: &Graph, node: &Node, by_name: bool) -> Result<(), String> {
    match &node.op {
        Op::Const(constant) if constant.value != constant.value.to(constant.dtype) => {
            Err(format!("{} cannot hold {}", constant.dtype, constant.value))
        }
        Op::Slot(slot) if slot.slot >= g.slots().len() => {
            Err(format!("slot {} has no value", slot.slot))
        }
        Op::Write(_) => match &g[node.inputs[0]].op {
            Op::Input(input) if input.role != Role::Data || !by_name => Ok(()),
            other => Err(format!("writes to {}, not to a parameter or state", other.name())),
        },
        _ => Ok(()),
    }
}

/// Values that at most one node of a graph may have: slots, draws, targets of writes, names.
#[derive(Default)]
struct Seen<'g> {
    /// Whether inputs are identified by name and role.
    by_name: bool,
    slots: HashMap<usize, Id>,
    draws: HashMap<(Id, u32), Id>,
    written: HashMap<Id, Id>,
    names: HashMap<&'g str, Id>,
}

impl<'g> Seen<'g> {
    fn add(&mut self, g: &'g Graph, id: Id, node: &Node) -> Result<(), String> {
        match &node.op {
            Op::Slot(slot) => {
                unique(&mut self.slots, slot.slot, id, |slot| format!("slot {slot} is used by"))
            }
            Op::Random(random) => {
                let stream = (node.inputs[0], random.draw);
                unique(&mut self.draws, stream, id, |(_, draw)| format!("draw {draw} is used by"))
            }
            Op::Write(_) => {
                unique(&mut self.written, node.inputs[0], id, |to| format!("{to} is written by"))
            }
            Op::Input(input) if input.role != Role::Data && self.by_name => {
                let Op::Input(input) = &g[id].op else { return Ok(()) };
                unique(&mut self.names, &input.name, id, |name| {
                    format!("the name {name:?} is used by")
                })
            }
            _ => Ok(()),
        }
    }
}

/// Records that node `id` has `key`; an error if another node has it.
fn unique<K: Hash + Eq + Copy>(
    seen: &mut HashMap<K, Id>,
    key: K,
    id: Id,
    what: impl Fn(K) -> String,
) -> Result<(), String> {
    match seen.insert(key, id) {
        Some(first) => Err(format!("{} {first} already", what(key))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::{DType, Number};
    use crate::ops::Const;
    use crate::text::parse;

    fn graph(text: &str) -> Graph {
        parse(text).unwrap_or_else(|e| panic!("{text}\n{e}")).graph
    }

    fn id(index: u32) -> Id {
        Graph::unchecked_id(index)
    }

    #[track_caller]
    fn check(g: &Graph, want: &str) {
        let problems = verify(g).expect_err(want);
        assert!(problems.iter().any(|p| p == want), "expected {want:?} among {problems:#?}");
    }

    #[test]
    fn recorded_graphs_are_valid() {
        let g = graph(
            "%w = input param \"w\" f32[2]\n%m = input state \"m\" f32[2]\n\
             %k = slot 0.5 f32 %k2 = expand %k shape=[2]\n\
             %n = mul %w %k2\n%a = write %w %n\n%b = write %m %n\n\
             %s = const 7 u32 %r = random_bits %s draw=3 shape=[2]",
        );
        assert_eq!(verify(&g), Ok(()));
        assert_eq!(verify(&Graph::default()), Ok(()));
    }

    #[test]
    fn invalid_texts_are_reported() {
        let rows = [
            (
                "%0 = input \"x\" f32[2]\n%1 = write %0 %0",
                "%1 = write: writes to input, not to a parameter or state",
            ),
            (
                "%0 = input state \"x\" f32[2]\n%1 = relu %0\n%2 = write %1 %0",
                "%2 = write: writes to relu, not to a parameter or state",
            ),
            (
                "%0 = input state \"x\" f32[2]\n%1 = write %0 %0\n%2 = write %0 %0",
                "%2 = write: %0 is written by %1 already",
            ),
            (
                "%0 = input state \"x\" f32[2]\n%1 = input param \"x\" f32[3]",
                "%1 = input: the name \"x\" is used by %0 already",
            ),
            (
                "%0 = const 1 u32\n%1 = random_bits %0 draw=4 shape=[2]\n\
                 %2 = random_bits %0 draw=4 shape=[3]",
                "%2 = random_bits: draw 4 is used by %1 already",
            ),
        ];
        for (text, want) in rows {
            check(&graph(text), want);
        }
        for (text, _) in [rows[0], rows[3]] {
            assert_eq!(verify_nodes(&graph(text)), Ok(()), "verify_nodes ignores roles and names");
        }
        let two_seeds = "%0 = input \"a\" u32\n%1 = input \"b\" u32\n\
            %2 = random_bits %0 draw=4 shape=[2]\n%3 = random_bits %1 draw=4 shape=[2]";
        assert_eq!(verify(&graph(two_seeds)), Ok(()), "different seeds have different streams");
    }

    #[test]
    fn graphs_broken_by_a_pass_are_reported() {
        let text = "%0 = input \"x\" f32[2]\n%1 = neg %0\n%2 = add %0 %1\n\
            %3 = slot 0.5 f32\n%4 = slot 0.25 f32\n%5 = const 1 f32";
        type Break = fn(&mut Graph);
        let rows: [(Break, &str); 9] = [
            (|g| g.node_mut(id(1)).inputs[0] = id(2), "%1 = neg: operand %2 does not precede it"),
            (|g| g.node_mut(id(2)).inputs[0] = id(99), "%2 = add: operand %99 does not precede it"),
            (|g| g.node_mut(id(2)).inputs.truncate(1), "%2 = add: takes 2 operands, has 1"),
            (
                |g| g.node_mut(id(1)).ty.dtype = DType::F64,
                "%1 = neg: its type is f64[2], but the op infers f32[2]",
            ),
            (
                |g| {
                    let slot = g[id(3)].op.clone();
                    g.node_mut(id(4)).op = slot;
                },
                "%4 = slot: slot 0 is used by %3 already",
            ),
            (Graph::forget_slots, "%3 = slot: slot 0 has no value"),
            (Graph::forget_sites, "%1 = neg: the site of its call is unknown"),
            (
                |g| {
                    let (value, shape) = (Number::Int(1), [].into());
                    g.node_mut(id(5)).op = Const { value, dtype: DType::F32, shape }.into();
                },
                "%5 = const: f32 cannot hold 1",
            ),
            (|g| g.node_mut(id(2)).inputs.swap(0, 1), "the fingerprint does not match the nodes"),
        ];
        for (break_it, want) in rows {
            let mut g = graph(text);
            break_it(&mut g);
            check(&g, want);
        }
    }
}
