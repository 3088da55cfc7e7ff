//! The tensor graph: an append-only arena of typed nodes in topological order. `push` is the only
//! way to add a node, so every node of a graph satisfies its op's shape and dtype rule.
use crate::dtype::{DType, Number};
use crate::error::{Error, Result};
use crate::ops::{Input, Op, OpDef, Role};
use crate::shape::Type;
use smallvec::SmallVec;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::ops::Index;
use std::panic::Location;
use std::sync::Arc;

/// A node of one graph.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Id(u32);

impl Id {
    /// The node with this index, for programs that outlive their graph.
    pub fn at(index: u32) -> Id {
        Id(index)
    }

    /// The node's index in the graph: inputs always precede the nodes that read them.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "%{}", self.0)
    }
}

/// Where the user wrote a call: a location in Rust source, or a location in another language as
/// text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Site {
    Rust(&'static Location<'static>),
    Text(Arc<str>),
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Site::Rust(at) => write!(f, "{}:{}:{}", at.file(), at.line(), at.column()),
            Site::Text(text) => f.write_str(text),
        }
    }
}

/// A site interned in its graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SiteId(u32);

/// The call a node was recorded for: the op the user named, and where.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    pub call: &'static str,
    pub site: SiteId,
}

#[derive(Clone, Debug)]
pub struct Node {
    pub op: Op,
    pub inputs: SmallVec<[Id; 3]>,
    pub ty: Type,
    pub origin: Origin,
}

/// Hash of a graph's ops, shapes, dtypes and edges, but not of the values in scalar slots. Two
/// runs with the same fingerprint recorded the same program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Fingerprint(u64, u64);

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}{:016x}", self.0, self.1)
    }
}

impl Default for Fingerprint {
    fn default() -> Fingerprint {
        Fingerprint(0x243F_6A88_85A3_08D3, 0x1319_8A2E_0370_7344)
    }
}

impl Fingerprint {
    /// Adds node `index` to the hash.
    pub(crate) fn absorb(&mut self, index: usize, node: &Node) {
        self.write_u32(index as u32);
        node.op.hash(self);
        node.ty.hash(self);
        for id in &node.inputs {
            self.write_u32(id.0);
        }
    }
}

/// `HashMap` with a fast hasher that does not resist DoS attacks: keys are internal. Leaving
/// SipHash out also shrinks the wasm of a page.
pub type QuickMap<K, V> = HashMap<K, V, BuildHasherDefault<Fingerprint>>;
/// `HashSet` with the hasher of [`QuickMap`].
pub type QuickSet<T> = HashSet<T, BuildHasherDefault<Fingerprint>>;

/// Two independent multiplicative hashes of 64 bits: a collision has to occur in both.
impl Hasher for Fingerprint {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u64(&mut self, x: u64) {
        self.0 = (self.0.rotate_left(23) ^ x).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.1 = (self.1 ^ x).wrapping_mul(0xD6E8_FEB8_6659_FD93).rotate_left(29);
    }

    fn write_u8(&mut self, x: u8) {
        self.write_u64(x as u64);
    }

    fn write_u32(&mut self, x: u32) {
        self.write_u64(x as u64);
    }

    fn write_usize(&mut self, x: usize) {
        self.write_u64(x as u64);
    }

    fn finish(&self) -> u64 {
        self.0 ^ self.1
    }
}

#[derive(Clone, Debug, Default)]
pub struct Graph {
    nodes: Vec<Node>,
    slots: Vec<Number>,
    draws: u32,
    seed: Option<Id>,
    fingerprint: Fingerprint,
    sites: Vec<Site>,
    site_of_location: QuickMap<usize, SiteId>,
}

impl Index<Id> for Graph {
    type Output = Node;
    fn index(&self, id: Id) -> &Node {
        &self.nodes[id.index()]
    }
}

/// A state of the graph to roll back to when a call fails half-way.
#[derive(Clone, Copy)]
pub(crate) struct Mark {
    nodes: usize,
    slots: usize,
    draws: u32,
    fingerprint: Fingerprint,
}

impl Graph {
    /// Checks `op` against its rule and records it.
    pub fn push(&mut self, op: Op, inputs: &[Id], origin: Origin) -> Result<Id> {
        if let Some(arity) = op.arity().filter(|&arity| arity != inputs.len()) {
            let what = format!("takes {arity} operands, got {}", inputs.len());
            return Err(Error::argument(op.name(), what));
        }
        let ty = {
            let types: SmallVec<[&Type; 3]> = inputs.iter().map(|&id| &self[id].ty).collect();
            op.infer(&types)?
        };
        if !ty.shape.is_addressable() {
            let what = format!("a tensor of shape {} is too large", ty.shape);
            return Err(Error::shape(origin.call, what));
        }
        if let Op::Random(random) = &op {
            self.draws = self.draws.max(random.draw.saturating_add(1));
        }
        let id = Id(self.nodes.len() as u32);
        if is_seed(&op) {
            self.seed.get_or_insert(id);
        }
        let node = Node { op, inputs: SmallVec::from_slice(inputs), ty, origin };
        self.fingerprint.absorb(id.index(), &node);
        self.nodes.push(node);
        Ok(id)
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub fn ids(&self) -> impl DoubleEndedIterator<Item = Id> + ExactSizeIterator + use<> {
        (0..self.nodes.len() as u32).map(Id)
    }

    /// All nodes with their ids, inputs before readers.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = (Id, &Node)> {
        self.ids().zip(&self.nodes)
    }

    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// The values of the scalar slots, in order of recording.
    pub fn slots(&self) -> &[Number] {
        &self.slots
    }

    pub fn set_slot(&mut self, slot: usize, value: Number) {
        self.slots[slot] = value;
    }

    /// Adds a slot with this value and returns its index.
    pub fn add_slot(&mut self, value: Number) -> usize {
        self.slots.push(value);
        self.slots.len() - 1
    }

    /// Allocates the number of the next random draw, so that no two draws of a graph share a
    /// stream.
    pub(crate) fn next_draw(&mut self) -> u32 {
        self.draws += 1;
        self.draws - 1
    }

    /// The input that seeds all random draws, if the graph has any.
    pub fn seed(&self) -> Option<Id> {
        self.seed
    }

    /// Removes and returns the seed input, if the graph has one; the next draw records a new one.
    pub fn take_seed(&mut self) -> Option<Id> {
        self.draws = 0;
        self.seed.take()
    }

    /// Removes all nodes. Interned sites and allocations are kept for the next recording.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.slots.clear();
        (self.draws, self.seed, self.fingerprint) = (0, None, Fingerprint::default());
    }

    /// Copies slots and draw numbering from `other`, for passes that rebuild a graph.
    pub fn continue_from(&mut self, other: &Graph) {
        self.slots.clone_from(&other.slots);
        self.draws = other.draws;
        self.sites.clone_from(&other.sites);
        self.site_of_location.clone_from(&other.site_of_location);
    }

    pub fn site(&self, id: SiteId) -> &Site {
        &self.sites[id.0 as usize]
    }

    pub(crate) fn has_site(&self, id: SiteId) -> bool {
        (id.0 as usize) < self.sites.len()
    }

    /// The id of this site; each Rust location is stored once.
    pub fn intern(&mut self, site: Site) -> SiteId {
        let key = match &site {
            Site::Rust(at) => Some(std::ptr::from_ref(*at) as usize),
            Site::Text(_) => None,
        };
        if let Some(&known) = key.and_then(|key| self.site_of_location.get(&key)) {
            return known;
        }
        if self.sites.last() == Some(&site) {
            return SiteId(self.sites.len() as u32 - 1);
        }
        self.sites.push(site);
        let id = SiteId(self.sites.len() as u32 - 1);
        key.map(|key| self.site_of_location.insert(key, id));
        id
    }

    pub(crate) fn mark(&self) -> Mark {
        let (nodes, slots) = (self.nodes.len(), self.slots.len());
        Mark { nodes, slots, draws: self.draws, fingerprint: self.fingerprint }
    }

    pub(crate) fn roll_back(&mut self, mark: Mark) {
        self.nodes.truncate(mark.nodes);
        self.slots.truncate(mark.slots);
        self.seed = self.seed.filter(|id| id.index() < mark.nodes);
        (self.draws, self.fingerprint) = (mark.draws, mark.fingerprint);
    }
}

/// Whether `op` is the input `seed`: one `u32`.
fn is_seed(op: &Op) -> bool {
    let Op::Input(Input { name, role, dtype, shape }) = op else { return false };
    name == "seed" && *role == Role::Data && *dtype == DType::U32 && shape.is_empty()
}

/// Ways to break a graph, for tests of the verifier.
#[cfg(test)]
impl Graph {
    pub(crate) fn node_mut(&mut self, id: Id) -> &mut Node {
        &mut self.nodes[id.index()]
    }

    pub(crate) fn unchecked_id(index: u32) -> Id {
        Id(index)
    }

    pub(crate) fn forget_sites(&mut self) {
        self.sites.clear();
    }

    pub(crate) fn forget_slots(&mut self) {
        self.slots.clear();
    }
}
