//! Serialization of graphs: every node with its op, operands, call and source location, and the
//! slots. Reading a graph records each node again, with the usual checks. Source locations become
//! strings.
use super::{Codec, Decoded, Reader, build_id, checksum};
use brasa_ir::graph::{Origin, QuickMap, SiteId};
use brasa_ir::ops::{Custom, Detach, Op};
use brasa_ir::{DType, Error, Graph, Id, Number, Result, Site};
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

/// Identifies a serialized graph.
const MAGIC: &[u8; 8] = b"brasa\0g\x01";

/// Serializes the graph. Only the same build of Brasa can read it. A custom op that passes its
/// first operand through, such as one with a custom gradient, is written as that operand.
pub fn graph_to_bytes(g: &Graph) -> Result<Vec<u8>> {
    let passes = |op: &Op| matches!(op, Op::Custom(Custom(custom)) if custom.passes_through());
    let is_custom = |op: &Op| matches!(op, Op::Custom(_)) && !passes(op);
    if let Some((_, node)) = g.nodes().find(|(_, node)| is_custom(&node.op)) {
        let what = format!("the custom op '{}' cannot be serialized", node.op.name());
        return Err(Error::argument("graph", what).at(g.site(node.origin.site).clone()));
    }
    let mut names = Names::default();
    let mut nodes = Vec::new();
    g.len().write(&mut nodes);
    for (_, node) in g.nodes() {
        match passes(&node.op) {
            true => {
                Op::Detach(Detach {}).write(&mut nodes);
                vec![node.inputs[0]].write(&mut nodes);
            }
            false => {
                node.op.write(&mut nodes);
                node.inputs.to_vec().write(&mut nodes);
            }
        }
        names.number(node.origin.call).write(&mut nodes);
        names.number(&g.site(node.origin.site).to_string()).write(&mut nodes);
    }
    let mut body = Vec::new();
    g.slots().to_vec().write(&mut body);
    names.list.write(&mut body);
    body.extend(nodes);
    let mut bytes = MAGIC.to_vec();
    bytes.extend(build_id().to_le_bytes());
    bytes.extend(checksum(&body).to_le_bytes());
    bytes.extend(body);
    Ok(bytes)
}

/// Deserializes a graph. Fails if the bytes are corrupted, from another build, or contain an
/// invalid op.
pub fn graph_from_bytes(bytes: &[u8]) -> Result<Graph> {
    let body = super::body(bytes, MAGIC, "graph")?;
    let mut from = Reader::new(body);
    let graph = read(&mut from).and_then(|graph| match from.is_at_end() {
        true => Ok(graph),
        false => Err("unexpected bytes after the end".to_string()),
    });
    graph.map_err(|what| Error::data("graph", format!("the graph is not valid: {what}")))
}

fn read(from: &mut Reader) -> Decoded<Graph> {
    let mut g = Graph::default();
    let slots: Vec<Number> = Codec::read(from)?;
    let slots = slots.into_iter().map(|value| g.add_slot(value)).count();
    let names: Vec<String> = Codec::read(from)?;
    let mut sites: HashMap<usize, SiteId> = HashMap::new();
    let mut calls: HashMap<usize, &'static str> = HashMap::new();
    let mut written = HashSet::new();
    let named =
        |n: usize| names.get(n).ok_or_else(|| format!("name {n} of a list of {}", names.len()));
    for n in 0..usize::read(from)? {
        let op = Op::read(from)?;
        let inputs: Vec<Id> = Codec::read(from)?;
        let (call, site) = <(usize, usize)>::read(from)?;
        if let Some(id) = inputs.iter().find(|id| id.index() >= n) {
            return Err(format!("node {n} reads {id}, which is not an earlier node"));
        }
        match &op {
            Op::Slot(slot) if slot.slot >= slots => {
                return Err(format!("slot {} of {slots} slots", slot.slot));
            }
            Op::Const(constant) if !holds(constant.dtype, constant.value) => {
                return Err(format!("{} cannot hold {}", constant.dtype, constant.value));
            }
            Op::Write(_) => {
                let target = inputs.first().filter(|&&id| matches!(g[id].op, Op::Input(_)));
                if !target.is_some_and(|&id| written.insert(id)) {
                    return Err(format!(
                        "node {n} writes to a node that is not an input or is already written"
                    ));
                }
            }
            _ => {}
        }
        if let std::collections::hash_map::Entry::Vacant(free) = sites.entry(site) {
            free.insert(g.intern(Site::Text(named(site)?.as_str().into())));
        }
        if let std::collections::hash_map::Entry::Vacant(free) = calls.entry(call) {
            free.insert(intern_call(named(call)?, op.name()));
        }
        let origin = Origin { call: calls[&call], site: sites[&site] };
        g.push(op, &inputs, origin).map_err(|error| error.message())?;
    }
    Ok(g)
}

/// Whether a number is exactly representable in a dtype, including the bits of NaN.
fn holds(dtype: DType, value: Number) -> bool {
    let bits = |value: Number| match value {
        Number::Float(x) => x.to_bits(),
        Number::Int(x) => x as u64,
        Number::Bool(x) => x as u64,
    };
    let kept = value.to(dtype);
    std::mem::discriminant(&kept) == std::mem::discriminant(&value) && bits(kept) == bits(value)
}

/// A table of distinct strings.
#[derive(Default)]
struct Names {
    list: Vec<String>,
    numbers: QuickMap<String, usize>,
}

impl Names {
    fn number(&mut self, name: &str) -> usize {
        if let Some(&known) = self.numbers.get(name) {
            return known;
        }
        self.list.push(name.to_string());
        self.numbers.insert(name.to_string(), self.list.len() - 1);
        self.list.len() - 1
    }
}

/// Calls are op names and few others, such as `backward`. Names beyond this many do not come from
/// Brasa; such a node has the name of its primitive op instead.
const MAX_NAMES: usize = 2000;

/// The name of a call with a static lifetime: leaked once per distinct name.
fn intern_call(name: &str, op: &'static str) -> &'static str {
    static NAMES: Mutex<Option<HashSet<&'static str>>> = Mutex::new(None);
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    let names = names.get_or_insert_default();
    if let Some(known) = names.get(name) {
        return known;
    }
    if names.len() >= MAX_NAMES || name.len() > 100 {
        return op;
    }
    let name: &'static str = Box::leak(name.into());
    names.insert(name);
    name
}
