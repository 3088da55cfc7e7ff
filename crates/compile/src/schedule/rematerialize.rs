//! Rematerialization: recompute cheap values in each consumer when that moves fewer bytes than
//! storing and reloading them.
//!
//! - Assumes a first grouping of the nodes, and which nodes it stores.
//! - Guarantees that the chosen nodes are pointwise, that no result, written value or operand of a
//!   library op is among them, and that they can be computed from values that are stored or so small
//!   that storing them costs little.
use crate::schedule::Traits;
use crate::schedule::group::Groups;
use brasa_ir::graph::QuickSet;
use brasa_ir::ops::{Op, OpDef};
use brasa_ir::{Graph, Id};

/// The stored values that each consumer should recompute.
pub(crate) fn find_rematerialized(
    g: &Graph,
    traits: &Traits,
    groups: &Groups,
    stored: &[bool],
    wanted: &[Id],
) -> Vec<Id> {
    let pinned = pinned(g, traits, wanted);
    let max_cost = groups.target.max_light_cost;
    let recipes = g.ids().map(|_| None).collect();
    let mut search = Search { g, traits, stored, recipes, max_cost };
    let mut traffic = Traffic::new(g, groups);
    let mut chosen = Vec::new();
    for id in g.ids().filter(|&id| stored[id.index()] && !pinned[id.index()]) {
        let Some(recipe) = search.recipe(id) else { continue };
        if traffic.decreases(id, &recipe.bases) {
            traffic.replace(id, &recipe.bases);
            chosen.extend(&recipe.nodes);
            search.recipes[id.index()] = Some(recipe);
        }
    }
    chosen
}

/// Values that need a buffer in any case: results, and operands of library ops.
fn pinned(g: &Graph, traits: &Traits, wanted: &[Id]) -> Vec<bool> {
    let mut pinned = vec![false; g.len()];
    for &id in wanted {
        pinned[id.index()] = true;
    }
    for (_, node) in g.nodes() {
        let operands: &[Id] = match &node.op {
            Op::Write(_) => &node.inputs[1..],
            op if op.is_library() => &node.inputs,
            _ => &[],
        };
        for &operand in operands {
            pinned[traits.base(g, operand).0.index()] = true;
        }
    }
    pinned
}

/// How to recompute a value: the nodes to inline, the buffers to load, the cost per element.
struct Recipe {
    nodes: Vec<Id>,
    bases: Vec<Id>,
    cost: u32,
}

struct Search<'a> {
    g: &'a Graph,
    traits: &'a Traits,
    stored: &'a [bool],
    /// Recipes of values that are already rematerialized.
    recipes: Vec<Option<Recipe>>,
    /// Maximum cost of a recipe.
    max_cost: u32,
}

impl Search<'_> {
    /// `None` if recomputing the value from buffers is not cheap.
    fn recipe(&self, id: Id) -> Option<Recipe> {
        let mut recipe = Recipe { nodes: Vec::new(), bases: Vec::new(), cost: 0 };
        let mut todo = vec![id];
        while let Some(next) = todo.pop() {
            let node = &self.g[next];
            recipe.cost += match &node.op {
                Op::Map(_) | Op::Cast(_) => node.op.cost()?,
                _ => return None,
            };
            if recipe.cost > self.max_cost {
                return None;
            }
            recipe.nodes.push(next);
            let bases = node.inputs.iter().flat_map(|&input| self.traits.bases(self.g, input));
            for (base, _) in bases {
                match (&self.recipes[base.index()], self.is_stored_or_small(id, base)) {
                    (Some(inner), _) => {
                        recipe.cost += inner.cost;
                        inner.bases.iter().for_each(|&base| recipe.add(base));
                    }
                    (None, true) => recipe.add(base),
                    (None, false) => todo.push(base),
                }
            }
        }
        (recipe.cost <= self.max_cost).then_some(recipe)
    }

    /// Whether a value is stored, or so small compared to `of` that storing it costs little.
    fn is_stored_or_small(&self, of: Id, base: Id) -> bool {
        let node = &self.g[base];
        let is_stored = self.stored[base.index()] || matches!(node.op, Op::Input(_));
        is_stored || SMALL_RATIO * node.ty.bytes() <= self.g[of].ty.bytes()
    }
}

/// A value this many times smaller than the recomputed one counts as free to store: for example one
/// value per row of at least 16 elements.
const SMALL_RATIO: usize = 16;

impl Recipe {
    fn add(&mut self, base: Id) {
        if !self.bases.contains(&base) {
            self.bases.push(base);
        }
    }
}

/// Which groups load which buffers.
struct Traffic<'a> {
    g: &'a Graph,
    groups: &'a Groups<'a>,
    readers: Vec<Vec<usize>>,
    /// The same as a set of pairs.
    known: QuickSet<(Id, usize)>,
}

impl<'a> Traffic<'a> {
    fn new(g: &'a Graph, groups: &'a Groups<'a>) -> Traffic<'a> {
        let (readers, known) = (vec![Vec::new(); g.len()], QuickSet::default());
        let mut traffic = Traffic { g, groups, readers, known };
        for id in g.ids() {
            let Some(group) = groups.group_of(id) else { continue };
            groups.dependencies(id).iter().for_each(|input| traffic.add(input.base, group));
        }
        traffic
    }

    /// Records that a group loads a buffer, unless the group computes it.
    fn add(&mut self, base: Id, reader: usize) {
        if self.groups.group_of(base) != Some(reader) && self.known.insert((base, reader)) {
            self.readers[base.index()].push(reader);
        }
    }

    /// Whether recomputing a value from `bases` in each reader moves fewer bytes.
    fn decreases(&self, id: Id, bases: &[Id]) -> bool {
        let bytes = |id: Id| self.g[id].ty.bytes();
        let readers = &self.readers[id.index()];
        let before = bytes(id) * (self.groups.target.store_cost + readers.len());
        let is_new = |reader: usize, base: &Id| {
            let is_own = self.groups.group_of(*base) == Some(reader);
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
