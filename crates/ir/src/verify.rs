//! The verifier: what must hold of every graph, whoever built it. It checks that
//!
//! - operands exist, stand before their readers, and are as many as the op takes;
//! - the stored type of a node is the one its op infers, and not too large;
//! - a constant's number is one its dtype can hold;
//! - a slot has a value, and no other node has the same slot;
//! - no two random draws of one seed share a stream;
//! - `write` changes an input that outlives the run (a parameter or state), and no two writes
//!   change the same one;
//! - inputs that outlive the run have names of their own, since their values are found by them;
//! - every node knows the place of the call it was recorded for;
//! - the fingerprint is that of the nodes.
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

/// `verify` where inputs are known by their nodes: names may be missing or the same, and any of them may
/// be written to.
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
        problems.push("the fingerprint is not that of the nodes".to_string());
    }
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

/// Operands, type and place.
fn structure(g: &Graph, id: Id, node: &Node) -> Result<(), String> {
    if let Some(late) = node.inputs.iter().find(|input| input.index() >= id.index()) {
        return Err(format!("the operand {late} does not stand before it"));
    }
    if let Some(arity) = node.op.arity().filter(|&arity| arity != node.inputs.len()) {
        return Err(format!("takes {arity} operands, has {}", node.inputs.len()));
    }
    let operands: Vec<&Type> = node.inputs.iter().map(|&input| &g[input].ty).collect();
    let inferred = node.op.infer(&operands).map_err(|e: Error| e.message())?;
    if inferred != node.ty {
        return Err(format!("is stored as {}, but the op gives {inferred}", node.ty));
    }
    if !inferred.shape.is_addressable() {
        return Err(format!("{inferred} is too large"));
    }
    if !g.has_site(node.origin.site) {
        return Err("the place of its call is not known".to_string());
    }
    Ok(())
}

/// What holds of single nodes of some kinds.
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

/// What at most one node of a graph may have.
#[derive(Default)]
struct Seen<'g> {
    /// Whether inputs are known by name and role.
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
                alone(&mut self.slots, slot.slot, id, |slot| format!("slot {slot} is that"))
            }
            Op::Random(random) => {
                let stream = (node.inputs[0], random.draw);
                alone(&mut self.draws, stream, id, |(_, draw)| format!("draw {draw} is that"))
            }
            Op::Write(_) => {
                alone(&mut self.written, node.inputs[0], id, |to| format!("{to} is the target"))
            }
            Op::Input(input) if input.role != Role::Data && self.by_name => {
                let Op::Input(input) = &g[id].op else { return Ok(()) };
                alone(&mut self.names, &input.name, id, |name| format!("{name:?} is the name"))
            }
            _ => Ok(()),
        }
    }
}

fn alone<K: Hash + Eq + Copy>(
    seen: &mut HashMap<K, Id>,
    key: K,
    id: Id,
    what: impl Fn(K) -> String,
) -> Result<(), String> {
    match seen.insert(key, id) {
        Some(first) => Err(format!("{} of {first} already", what(key))),
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
    fn what_records_is_valid() {
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
    fn what_texts_can_break_is_noticed() {
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
                "%2 = write: %0 is the target of %1 already",
            ),
            (
                "%0 = input state \"x\" f32[2]\n%1 = input param \"x\" f32[3]",
                "%1 = input: \"x\" is the name of %0 already",
            ),
            (
                "%0 = const 1 u32\n%1 = random_bits %0 draw=4 shape=[2]\n\
                 %2 = random_bits %0 draw=4 shape=[3]",
                "%2 = random_bits: draw 4 is that of %1 already",
            ),
        ];
        for (text, want) in rows {
            check(&graph(text), want);
        }
        for (text, _) in [rows[0], rows[3]] {
            assert_eq!(verify_nodes(&graph(text)), Ok(()), "roles and names do not matter there");
        }
        let two_seeds = "%0 = input \"a\" u32\n%1 = input \"b\" u32\n\
            %2 = random_bits %0 draw=4 shape=[2]\n%3 = random_bits %1 draw=4 shape=[2]";
        assert_eq!(verify(&graph(two_seeds)), Ok(()), "streams of two seeds are two");
    }

    #[test]
    fn what_passes_can_break_is_noticed() {
        let text = "%0 = input \"x\" f32[2]\n%1 = neg %0\n%2 = add %0 %1\n\
            %3 = slot 0.5 f32\n%4 = slot 0.25 f32\n%5 = const 1 f32";
        type Break = fn(&mut Graph);
        let rows: [(Break, &str); 9] = [
            (
                |g| g.node_mut(id(1)).inputs[0] = id(2),
                "%1 = neg: the operand %2 does not stand before it",
            ),
            (
                |g| g.node_mut(id(2)).inputs[0] = id(99),
                "%2 = add: the operand %99 does not stand before it",
            ),
            (|g| g.node_mut(id(2)).inputs.truncate(1), "%2 = add: takes 2 operands, has 1"),
            (
                |g| g.node_mut(id(1)).ty.dtype = DType::F64,
                "%1 = neg: is stored as f64[2], but the op gives f32[2]",
            ),
            (
                |g| {
                    let slot = g[id(3)].op.clone();
                    g.node_mut(id(4)).op = slot;
                },
                "%4 = slot: slot 0 is that of %3 already",
            ),
            (Graph::forget_slots, "%3 = slot: slot 0 has no value"),
            (Graph::forget_sites, "%1 = neg: the place of its call is not known"),
            (
                |g| {
                    let (value, shape) = (Number::Int(1), [].into());
                    g.node_mut(id(5)).op = Const { value, dtype: DType::F32, shape }.into();
                },
                "%5 = const: f32 cannot hold 1",
            ),
            (|g| g.node_mut(id(2)).inputs.swap(0, 1), "the fingerprint is not that of the nodes"),
        ];
        for (break_it, want) in rows {
            let mut g = graph(text);
            break_it(&mut g);
            check(&g, want);
        }
    }
}
