//! Scheduling: partitions a graph into kernels. Pointwise ops and reductions over one domain fuse
//! into one loop, pointwise ops after a library op become its epilogue, movement ops become views
//! (index arithmetic), and cheap values are computed inline in each consumer. Each kernel records
//! why it was not fused with its producer.
//!
//! Terms: *movement* ops only rearrange or repeat elements (reshape, permute, pad, ...). The *base*
//! of an operand is the node below its movement. A *light* node is inlined: cheap enough to
//! recompute in every consumer.
//!
//! - Assumes a simplified graph. All inputs of a node precede it.
//! - Guarantees kernels in a valid execution order that store each wanted or written node, unless it
//!   is an input, store no node twice, and read only inputs and nodes that earlier kernels stored. A
//!   kernel runs at most one library op, or a matrix product over the rows of another. Values do not
//!   depend on which nodes are fused, up to the rounding of floating-point intermediates.
mod cost;
pub(crate) mod group;
pub mod kernel;
mod lower;
pub(crate) mod order;
mod rematerialize;
mod rounding;
mod split_axes;

use crate::options::Options;
use crate::schedule::group::{Groups, OperandView};
use crate::schedule::kernel::{Domain, Kernel};
use crate::schedule::lower::Lowering;
use crate::schedule::rematerialize::find_rematerialized;
use crate::schedule::rounding::rounded;
use crate::target::Target;
use brasa_ir::ops::{Op, OpDef};
use brasa_ir::view::View;
use brasa_ir::{DType, Graph, Id, Node};

/// The kernels that compute `wanted` and all writes, in a valid execution order.
pub fn schedule(g: &Graph, wanted: &[Id], options: &Options) -> Vec<Kernel> {
    let target = &options.target;
    let mut traits = Traits::new(g, wanted, target);
    let first = Groups::build(g, &traits, target);
    let stored_first = stored(g, &traits, &first, wanted);
    let rematerialized = find_rematerialized(g, &traits, &first, &stored_first, wanted);
    let groups = if rematerialized.is_empty() {
        first
    } else {
        traits.inline(&rematerialized);
        Groups::build(g, &traits, target)
    };
    let stored = stored(g, &traits, &groups, wanted);
    let lower = |&n: &usize| Lowering::new(g, &traits, &groups, n).kernel(&stored);
    groups.in_order().iter().map(lower).collect()
}

/// Properties of each node, computed before grouping.
pub(crate) struct Traits {
    /// Belongs to a group: computed once, in one kernel.
    computed: Vec<bool>,
    /// Cheap enough to recompute in every consumer.
    light: Vec<bool>,
    /// Rounded to the node's dtype wherever it is computed.
    rounded: Vec<bool>,
    packs_prologues: bool,
}

/// Maximum number of movement ops between a stored value and its reader.
const MOST_MOVES: usize = 32;

impl Traits {
    fn new(g: &Graph, wanted: &[Id], target: &Target) -> Traits {
        let mut cost: Vec<Option<u32>> = Vec::with_capacity(g.len());
        // The node below all movement ops, for each node.
        let mut bottoms: Vec<Id> = Vec::with_capacity(g.len());
        for (id, node) in g.nodes() {
            let own = node.op.cost();
            let loads = loads(g, node, &cost, &bottoms);
            let inputs = node.inputs.iter().map(|input| match cost[input.index()] {
                None if loads.is_some() => Some(target.load_cost),
                known => known,
            });
            let total = inputs.fold(own, |sum, input| Some(sum? + input?));
            cost.push(total.filter(|&sum| sum <= target.max_light_cost));
            bottoms.push(if node.op.is_movement() { bottoms[node.inputs[0].index()] } else { id });
        }
        let light: Vec<bool> = cost.iter().map(Option::is_some).collect();
        let (computed, packs_prologues) = (vec![false; g.len()], target.packs_prologues);
        let mut traits = Traits { computed, light, rounded: rounded(g), packs_prologues };
        for (id, node) in g.nodes() {
            let is_leaf = matches!(node.op, Op::Input(_) | Op::Write(_));
            let is_op = !is_leaf && !node.op.is_movement() && !traits.light[id.index()];
            traits.computed[id.index()] = is_op;
        }
        traits.store_padding(g);
        traits.store_long_moves(g);
        traits.force_buffers(g, wanted);
        traits
    }

    /// Stores values in the middle of long chains of movement ops: every reader would apply the
    /// whole chain.
    fn store_long_moves(&mut self, g: &Graph) {
        let mut moves = vec![0; g.len()];
        for (id, node) in g.nodes().filter(|(_, node)| node.op.is_movement()) {
            let before: usize = moves[node.inputs[0].index()];
            self.computed[id.index()] |= before == MOST_MOVES;
            moves[id.index()] = if self.computed[id.index()] { 0 } else { before + 1 };
        }
    }

    /// Stores padded tensors whose elements are read several times by windows, so that the padding
    /// test runs once per element (`max_pool2d` of 3 by 3, stride 2, on 16 x 16 x 32 x 32: 2.7 →
    /// 0.5 ms on one thread of a Zen 4, 2026-11).
    fn store_padding(&mut self, g: &Graph) {
        for (id, node) in g.nodes().filter(|(_, node)| matches!(node.op, Op::Window(_))) {
            let (base, moves) = self.base(g, id);
            let padding = moves.iter().find(|&&id| matches!(g[id].op, Op::Pad(_)));
            let Some(&padding) = padding else { continue };
            let is_read_again = 2 * node.ty.elements() >= 3 * g[padding].ty.elements();
            let is_mixed = apply(g, base, &moves).layers().count() > 1;
            if is_read_again && is_mixed {
                self.computed[padding.index()] = true;
            }
        }
    }

    /// Marks the nodes that always need a buffer: wanted or written values, and operands that a
    /// library op cannot read through their view.
    fn force_buffers(&mut self, g: &Graph, wanted: &[Id]) {
        let written = g.nodes().filter(|(_, node)| matches!(node.op, Op::Write(_)));
        let written: Vec<Id> = written.map(|(_, node)| node.inputs[1]).collect();
        for id in wanted.iter().chain(&written) {
            // Inputs already have a buffer.
            self.computed[id.index()] = !matches!(g[*id].op, Op::Input(_));
        }
        // A buffer inside another operand's movement chain can make that operand unreadable:
        // iterate.
        while self.force_operands(g) {}
    }

    /// Gives buffers to operands of library ops. Returns whether it added any.
    fn force_operands(&mut self, g: &Graph) -> bool {
        let mut has_forced = false;
        for (_, node) in g.nodes().filter(|(_, node)| node.op.is_library()) {
            for &id in &node.inputs {
                if !self.is_readable(g, &node.op, id) {
                    let part = self.readable_part(g, &node.op, id);
                    self.computed[part.index()] = true;
                    has_forced = true;
                }
            }
        }
        has_forced
    }

    /// Whether a library op can read an operand through its view, or compute it in a prologue.
    fn is_readable(&self, g: &Graph, op: &Op, id: Id) -> bool {
        let (base, moves) = self.base(g, id);
        let has_buffer = self.is_computed(base) || matches!(g[base].op, Op::Input(_));
        let is_stored = has_buffer && takes_view(op, &apply(g, base, &moves));
        is_stored || self.has_prologue(g, op, id)
    }

    /// Whether a matrix product should compute this light operand while packing it: it can read the
    /// inputs of the computation through their views, and they take at most half the bytes. With i8
    /// weights, 8 x 1024 x 4096 takes 4.1 → 2.5 ms, 64 rows 16.1 → 5.4 ms; but 4096 x 512 x 128
    /// with a relu of floats on the left 7.6 → 9.2 ms, as those are read in place (a busy Xeon,
    /// 2026-11).
    fn has_prologue(&self, g: &Graph, op: &Op, id: Id) -> bool {
        let can_pack =
            self.packs_prologues && matches!(op, Op::Contract(_)) && packs(g[id].ty.dtype);
        if !can_pack || !self.is_inlined_op(g, self.base(g, id).0) {
            return false;
        }
        let bases = self.bases(g, id);
        let bytes: usize = bases.iter().map(|(base, _)| g[*base].ty.bytes()).sum();
        let is_near = |(base, moves): &(Id, Vec<Id>)| takes_view(op, &apply(g, *base, moves));
        2 * bytes <= g[id].ty.bytes() && bases.iter().all(is_near)
    }

    /// Whether a node is computed inline; inputs are light, but only loaded.
    pub(crate) fn is_inlined_op(&self, g: &Graph, id: Id) -> bool {
        self.is_light(id) && !matches!(g[id].op, Op::Input(_))
    }

    /// The node to store so that a library op can read an operand: its base if the movement repeats
    /// no elements, so that other readers can share the buffer; else the operand itself.
    fn readable_part(&self, g: &Graph, op: &Op, id: Id) -> Id {
        let (base, moves) = self.base(g, id);
        let is_as_large = g[base].ty.elements() == g[id].ty.elements();
        let is_shared = is_as_large && takes_view(op, &apply(g, base, &moves));
        if is_shared { base } else { id }
    }

    /// Marks values as light: every consumer recomputes them.
    fn inline(&mut self, ids: &[Id]) {
        for id in ids {
            self.light[id.index()] = true;
            self.computed[id.index()] = false;
        }
    }

    /// Whether a node belongs to a group.
    pub(crate) fn is_computed(&self, id: Id) -> bool {
        self.computed[id.index()]
    }

    /// Whether a node is recomputed in every consumer instead of being stored.
    pub(crate) fn is_light(&self, id: Id) -> bool {
        self.light[id.index()] && !self.computed[id.index()]
    }

    /// Whether a node is rounded to its dtype even where it is not stored.
    pub(crate) fn is_rounded(&self, id: Id) -> bool {
        self.rounded[id.index()]
    }

    /// The nodes that are not light and that `id` is computed from, each with the movement ops
    /// between, innermost first.
    pub(crate) fn bases(&self, g: &Graph, id: Id) -> Vec<(Id, Vec<Id>)> {
        let sources = self.sources(g, id).into_iter();
        sources.filter(|(base, _)| !self.is_light(*base)).collect()
    }

    /// The bases, and the leaves of light expressions.
    pub(crate) fn sources(&self, g: &Graph, id: Id) -> Vec<(Id, Vec<Id>)> {
        let mut found = Vec::new();
        let mut todo = vec![(id, Vec::new())];
        while let Some((id, outer)) = todo.pop() {
            let (base, mut moves) = self.base(g, id);
            moves.extend(outer);
            let inputs = &g[base].inputs;
            match self.is_light(base) && !inputs.is_empty() {
                true => todo.extend(inputs.iter().map(|&input| (input, moves.clone()))),
                false => found.push((base, moves)),
            }
        }
        found
    }

    /// The node below the movement ops at `id`, and these ops, innermost first.
    pub(crate) fn base(&self, g: &Graph, id: Id) -> (Id, Vec<Id>) {
        let (mut base, mut moves) = (id, Vec::new());
        while g[base].op.is_movement() && !self.is_computed(base) {
            moves.push(base);
            base = g[base].inputs[0];
        }
        moves.reverse();
        (base, moves)
    }
}

/// Whether a library op can read an operand through a view.
pub(crate) fn takes_view(op: &Op, view: &View) -> bool {
    match op {
        Op::Contract(_) | Op::Conv(_) | Op::Gather(_) | Op::Scatter(_) => view.affine().is_some(),
        _ => view.is_contiguous(),
    }
}

/// Whether a matrix product packs elements of this dtype unconverted, as prologues require.
pub(crate) fn packs(dtype: DType) -> bool {
    matches!(dtype, DType::F32 | DType::F64)
}

/// The bytes that a pointwise op loads, if they are at most half of its result: then recomputing it
/// in every consumer moves less data. An example is the product of a broadcast row and a broadcast
/// column.
fn loads(g: &Graph, node: &Node, cost: &[Option<u32>], bottoms: &[Id]) -> Option<usize> {
    if !matches!(node.op, Op::Map(_) | Op::Cast(_)) {
        return None;
    }
    let mut bases: Vec<Id> = Vec::new();
    for &input in node.inputs.iter().filter(|input| cost[input.index()].is_none()) {
        let base = bottoms[input.index()];
        if !bases.contains(&base) {
            bases.push(base);
        }
    }
    let bytes: usize = bases.iter().map(|&base| g[base].ty.bytes()).sum();
    (2 * bytes <= node.ty.bytes()).then_some(bytes)
}

/// The view of `base` after `moves`.
pub(crate) fn apply(g: &Graph, base: Id, moves: &[Id]) -> View {
    let plain = View::new(&g[base].ty.shape);
    let step = |view: View, &id: &Id| g[id].op.view(&view).expect("only movement ops are skipped");
    moves.iter().fold(plain, step)
}

/// The nodes that get buffers: wanted or written values, and values that another kernel reads.
fn stored(g: &Graph, traits: &Traits, groups: &Groups, wanted: &[Id]) -> Vec<bool> {
    let mut stored = vec![false; g.len()];
    for &id in wanted {
        stored[id.index()] = true;
    }
    for (id, node) in g.nodes() {
        if let Op::Write(_) = node.op {
            stored[node.inputs[1].index()] = true;
        }
        let Some(group) = groups.group_of(id) else { continue };
        for (base, _) in node.inputs.iter().flat_map(|&input| traits.bases(g, input)) {
            if groups.group_of(base).is_some_and(|other| other != group) {
                stored[base.index()] = true;
            }
        }
    }
    stored
}

/// How a node with this many elements reads an operand: element by element, or through a view.
pub(crate) fn operand_view(g: &Graph, base: Id, moves: &[Id], elements: usize) -> OperandView {
    let view = apply(g, base, moves);
    let is_identity = view.len() == elements
        && g[base].ty.elements() == elements
        && view.reshape(&[elements]).is_contiguous();
    if is_identity { OperandView::Identity } else { OperandView::Through(view) }
}

/// The domain of a kernel with this node only.
pub(crate) fn own_domain(g: &Graph, id: Id) -> Domain {
    let node = &g[id];
    match &node.op {
        Op::Reduce(reduce) => Domain::new(&g[node.inputs[0]].ty.shape, &reduce.axes),
        _ => Domain::new(&node.ty.shape, &[]),
    }
}
