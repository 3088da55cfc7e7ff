//! Repetition: values that another kernel needs, but that it computes again from what lies in memory
//! anyway, where that moves fewer bytes than storing and loading them.
use crate::group::Groups;
use crate::schedule::{LIGHT, Traits, is_library, weight};
use brasa_ir::graph::QuickSet;
use brasa_ir::ops::{Map, Op};
use brasa_ir::{Graph, Id};

/// The stored values that their readers should compute for themselves.
pub(crate) fn repeated(
    g: &Graph,
    traits: &Traits,
    groups: &Groups,
    stored: &[bool],
    wanted: &[Id],
) -> Vec<Id> {
    let pinned = pinned(g, traits, wanted);
    let mut found = Found { g, traits, stored, ways: g.ids().map(|_| None).collect() };
    let mut traffic = Traffic::new(g, groups);
    let mut chosen = Vec::new();
    for id in g.ids().filter(|&id| stored[id.index()] && !pinned[id.index()]) {
        let Some(way) = found.way(id) else { continue };
        if traffic.falls(id, &way.bases) {
            traffic.replace(id, &way.bases);
            chosen.extend(&way.nodes);
            found.ways[id.index()] = Some(way);
        }
    }
    chosen
}

/// Values that need a buffer whoever reads them: results, and operands of library ops.
fn pinned(g: &Graph, traits: &Traits, wanted: &[Id]) -> Vec<bool> {
    let mut pinned = vec![false; g.len()];
    for &id in wanted {
        pinned[id.index()] = true;
    }
    for (_, node) in g.nodes() {
        let operands: &[Id] = match &node.op {
            Op::Write(_) => &node.inputs[1..],
            op if is_library(op) => &node.inputs,
            _ => &[],
        };
        for &operand in operands {
            pinned[traits.base(g, operand).0.index()] = true;
        }
    }
    pinned
}

/// How a value is computed again: by which nodes, from which buffers, at what cost for each element.
struct Way {
    nodes: Vec<Id>,
    bases: Vec<Id>,
    cost: u32,
}

struct Found<'a> {
    g: &'a Graph,
    traits: &'a Traits,
    stored: &'a [bool],
    /// Of values that are repeated already.
    ways: Vec<Option<Way>>,
}

impl Found<'_> {
    /// `None` for values that are not light work on buffers.
    fn way(&self, id: Id) -> Option<Way> {
        let mut way = Way { nodes: Vec::new(), bases: Vec::new(), cost: 0 };
        let mut todo = vec![id];
        while let Some(next) = todo.pop() {
            let node = &self.g[next];
            way.cost += match &node.op {
                Op::Map(Map(row)) => weight(*row),
                Op::Cast(_) => 1,
                _ => return None,
            };
            if way.cost > LIGHT {
                return None;
            }
            way.nodes.push(next);
            let bases = node.inputs.iter().flat_map(|&input| self.traits.bases(self.g, input));
            for (base, _) in bases {
                match (&self.ways[base.index()], self.is_at_hand(id, base)) {
                    (Some(again), _) => {
                        way.cost += again.cost;
                        again.bases.iter().for_each(|&base| way.add(base));
                    }
                    (None, true) => way.add(base),
                    (None, false) => todo.push(base),
                }
            }
        }
        (way.cost <= LIGHT).then_some(way)
    }

    /// Whether a value lies in memory, or is so small beside `of` that it may.
    fn is_at_hand(&self, of: Id, base: Id) -> bool {
        let node = &self.g[base];
        let is_stored = self.stored[base.index()] || matches!(node.op, Op::Input(_));
        is_stored || SMALL * node.ty.bytes() <= self.g[of].ty.bytes()
    }
}

/// Values of rows of at least this many elements count for nothing.
const SMALL: usize = 16;

impl Way {
    fn add(&mut self, base: Id) {
        if !self.bases.contains(&base) {
            self.bases.push(base);
        }
    }
}

/// A store in loads: a line is fetched before it is written.
const STORE: usize = 2;

/// Which groups read which buffers.
struct Traffic<'a> {
    g: &'a Graph,
    groups: &'a Groups<'a>,
    readers: Vec<Vec<usize>>,
    /// The same as pairs.
    known: QuickSet<(Id, usize)>,
}

impl<'a> Traffic<'a> {
    fn new(g: &'a Graph, groups: &'a Groups<'a>) -> Traffic<'a> {
        let (readers, known) = (vec![Vec::new(); g.len()], QuickSet::default());
        let mut traffic = Traffic { g, groups, readers, known };
        for id in g.ids() {
            let Some(group) = groups.of(id) else { continue };
            groups.reaches(id).iter().for_each(|reach| traffic.add(reach.base, group));
        }
        traffic
    }

    /// Notes that a group reads a buffer, unless the buffer is its own.
    fn add(&mut self, base: Id, reader: usize) {
        if self.groups.of(base) != Some(reader) && self.known.insert((base, reader)) {
            self.readers[base.index()].push(reader);
        }
    }

    /// Whether fewer bytes are moved if the readers of a value compute it from `bases`.
    fn falls(&self, id: Id, bases: &[Id]) -> bool {
        let bytes = |id: Id| self.g[id].ty.bytes();
        let readers = &self.readers[id.index()];
        let before = bytes(id) * (STORE + readers.len());
        let is_new = |reader: usize, base: &Id| {
            let is_own = self.groups.of(*base) == Some(reader);
            !is_own && !self.known.contains(&(*base, reader))
        };
        let loads = |&reader: &usize| -> usize {
            bases.iter().filter(|base| is_new(reader, base)).map(|&base| bytes(base)).sum()
        };
        readers.iter().map(loads).sum::<usize>() < before
    }

    fn replace(&mut self, id: Id, bases: &[Id]) {
        for reader in std::mem::take(&mut self.readers[id.index()]) {
            bases.iter().for_each(|&base| self.add(base, reader));
        }
    }
}
