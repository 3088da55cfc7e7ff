//! Simplification: the same values from fewer nodes. Drops what nobody reads, merges equal nodes,
//! folds constants, composes views, and does a little algebra. Runs after differentiation.
mod algebra;
mod positions;
mod views;

use crate::bound::Watch;
use brasa_ir::graph::{Origin, QuickMap, QuickSet};
use brasa_ir::ops::{Const, Map, Op, OpDef, ReduceOp, Scalar};
use brasa_ir::{Graph, Id, Number, Type};
use std::collections::HashMap;

type Inputs = Vec<Id>;

/// A simplified graph, and where the nodes of the old one went.
pub struct Simplified {
    pub graph: Graph,
    pub(crate) watches: Vec<Watch>,
    places: Vec<Option<Id>>,
}

impl Simplified {
    /// The new node with the value of an old one; `None` if nobody wanted it.
    pub fn place(&self, old: Id) -> Option<Id> {
        self.places[old.index()]
    }
}

/// The part of `g` that `wanted` needs, simplified.
pub fn simplify(g: &Graph, wanted: &[Id]) -> Simplified {
    simplify_watched(g, wanted, false)
}

/// `simplify`, with nodes that watch positions which are no longer followed, if these are wanted.
pub(crate) fn simplify_watched(g: &Graph, wanted: &[Id], has_watches: bool) -> Simplified {
    let mut new = Builder { has_watches, ..Builder::default() };
    new.graph.continue_from(g);
    let mut places = vec![None; g.len()];
    let readers = readers(g, wanted);
    for id in needed(g, wanted) {
        let node = &g[id];
        let moved = |old: &Id| places[old.index()].expect("inputs stand before readers");
        let inputs = node.inputs.iter().map(moved).collect();
        let place = new.add(node.op.clone(), inputs, node.origin);
        new.count_readers(place, readers[id.index()]);
        places[id.index()] = Some(place);
    }
    // Rules leave nodes behind that only their first form needed.
    let mut watches = new.watches;
    let mut roots: Vec<Id> = wanted.iter().filter_map(|id| places[id.index()]).collect();
    roots.extend(watches.iter().flat_map(|watch| [watch.before, watch.at]));
    let kept = needed(&new.graph, &roots);
    if kept.len() == new.graph.len() {
        return Simplified { graph: new.graph, watches, places };
    }
    let (graph, moves) = copy(&new.graph, &kept);
    for watch in &mut watches {
        let moved = [watch.before, watch.at].map(|id| moves[id.index()].expect("roots are kept"));
        [watch.before, watch.at] = moved;
    }
    let places = places.into_iter().map(|place| moves[place?.index()]).collect();
    Simplified { graph, watches, places }
}

/// What `wanted` depends on, in order.
fn needed(g: &Graph, wanted: &[Id]) -> Vec<Id> {
    let mut marks = vec![false; g.len()];
    for id in wanted {
        marks[id.index()] = true;
    }
    for (id, node) in g.nodes().rev() {
        if marks[id.index()] {
            node.inputs.iter().for_each(|input| marks[input.index()] = true);
        }
    }
    g.ids().filter(|id| marks[id.index()]).collect()
}

/// How many times each node is read.
fn readers(g: &Graph, wanted: &[Id]) -> Vec<usize> {
    let mut readers = vec![0; g.len()];
    for id in g.nodes().flat_map(|(_, node)| &node.inputs).chain(wanted) {
        readers[id.index()] += 1;
    }
    readers
}

/// The nodes `kept` of `g` alone.
fn copy(g: &Graph, kept: &[Id]) -> (Graph, Vec<Option<Id>>) {
    let mut graph = Graph::default();
    graph.continue_from(g);
    let mut moves: Vec<Option<Id>> = vec![None; g.len()];
    for &id in kept {
        let node = &g[id];
        let inputs: Inputs = node.inputs.iter().filter_map(|i| moves[i.index()]).collect();
        moves[id.index()] = Some(push(&mut graph, node.op.clone(), &inputs, node.origin));
    }
    (graph, moves)
}

fn push(graph: &mut Graph, op: Op, inputs: &[Id], origin: Origin) -> Id {
    match graph.push(op, inputs, origin) {
        Ok(id) => id,
        Err(e) => panic!("internal error, please report: {e}"),
    }
}

/// A graph in which no two nodes compute the same.
#[derive(Default)]
struct Builder {
    graph: Graph,
    known: QuickMap<(Op, Inputs), Id>,
    /// How many readers a node had before simplification.
    readers: HashMap<Id, usize>,
    /// What is known of indices that came from `arg_reduce`.
    winners: HashMap<Id, Winner>,
    has_watches: bool,
    watches: Vec<Watch>,
    /// Their nodes `before`.
    watched: QuickSet<Id>,
    /// How many nodes are being added, each for the sake of the one before it.
    depth: usize,
}

/// Rules that add nodes, to which rules apply in turn, do so at most this often for one node: what is
/// moved through chains, as factors and transposes, is moved no further.
const MOST_DEPTH: usize = 32;

/// Which element of each row of `of` is the first of the best, with that place as a float.
struct Winner {
    of: Id,
    by: ReduceOp,
    axis: usize,
    place: Id,
}

/// The two operands of a binary scalar function, if a node is one.
macro_rules! operands {
    ($b:expr, $id:expr, $row:path) => {
        match (&$b.graph[$id].op, &$b.graph[$id].inputs[..]) {
            (Op::Map(Map($row)), &[left, right]) => Some((left, right)),
            _ => None,
        }
    };
}

use operands;

/// What a rule makes of a node.
enum Rewrite {
    /// An existing node has the value.
    Known(Id),
    /// Another node has the value; rules apply to it in turn.
    Node(Op, Inputs),
}
use Rewrite::{Known, Node};

type Rule = fn(&mut Builder, &Op, &[Id], Origin) -> Option<Rewrite>;

const RULES: &[Rule] = &[
    views::drop_identities,
    views::fold_constants,
    views::move_constants,
    views::compose_views,
    views::compose_casts,
    algebra::absorb_neutral_elements,
    algebra::cancel_negations,
    algebra::decide_selections,
    positions::pick_winners,
    positions::gather_by_mask,
    positions::scatter_by_mask,
    positions::arg_reduce_by_mask,
    views::fold_without_overlap,
    views::transpose_products,
    algebra::open_activations,
    algebra::float_factors,
    algebra::sum_before_division,
    algebra::add_over_one_divisor,
    algebra::multiply_known_quotients,
];

impl Builder {
    /// The node with the value of an op, as it is or by rules.
    fn add(&mut self, op: Op, inputs: Inputs, origin: Origin) -> Id {
        let key = (op, inputs);
        // Two inputs are two values, however alike they look.
        let is_input = matches!(key.0, Op::Input(_));
        if let Some(&same) = self.known.get(&key).filter(|_| !is_input) {
            return same;
        }
        self.depth += 1;
        let rewrite = self.rewrite(&key, origin);
        let id = match rewrite {
            Some(Known(id)) => id,
            Some(Node(op, inputs)) => self.add(op, inputs, origin),
            None => push(&mut self.graph, key.0.clone(), &key.1, origin),
        };
        self.depth -= 1;
        self.known.insert(key, id);
        id
    }

    /// What the first rule that applies makes of a node.
    fn rewrite(&mut self, (op, inputs): &(Op, Inputs), origin: Origin) -> Option<Rewrite> {
        if self.depth > MOST_DEPTH {
            return None;
        }
        RULES.iter().find_map(|rule| rule(self, op, inputs, origin))
    }

    fn map(&mut self, row: Scalar, args: &[Id], origin: Origin) -> Id {
        self.add(Map(row).into(), args.to_vec(), origin)
    }

    /// A function of a node and a number.
    fn map_number(&mut self, row: Scalar, x: Id, number: f64, origin: Origin) -> Id {
        let Type { dtype, shape } = self.ty(x).clone();
        let value = Number::Float(number).to(dtype);
        let c = self.add(Const { value, dtype, shape }.into(), vec![], origin);
        self.map(row, &[x, c], origin)
    }

    fn count_readers(&mut self, id: Id, readers: usize) {
        *self.readers.entry(id).or_default() += readers;
    }

    fn has_one_reader(&self, id: Id) -> bool {
        self.readers.get(&id) == Some(&1)
    }

    fn op(&self, id: Id) -> &Op {
        &self.graph[id].op
    }

    fn ty(&self, id: Id) -> &Type {
        &self.graph[id].ty
    }

    fn input(&self, id: Id) -> Id {
        self.graph[id].inputs[0]
    }

    /// The number all elements of a node have, if it is a constant.
    fn number(&self, id: Id) -> Option<Number> {
        match self.op(id) {
            Op::Const(c) => Some(c.value),
            _ => None,
        }
    }

    /// Whether a node repeats its elements along all of some axes.
    fn is_same_along(&self, id: Id, axes: &[usize]) -> bool {
        match self.op(id) {
            Op::Const(_) => true,
            Op::Expand(_) => {
                let shape = &self.ty(self.input(id)).shape;
                shape.len() == self.ty(id).rank() && axes.iter().all(|&axis| shape[axis] == 1)
            }
            _ => false,
        }
    }

    /// What repetition and reshapes lead down to, and these, outermost first.
    fn spread(&self, id: Id) -> (Vec<Op>, Id) {
        let (mut moves, mut base) = (Vec::new(), id);
        while let op @ (Op::Expand(_) | Op::Reshape(_)) = self.op(base) {
            moves.push(op.clone());
            base = self.input(base);
        }
        (moves, base)
    }

    fn infer(&self, op: &Op, inputs: &[Id]) -> Option<Type> {
        let types: Vec<&Type> = inputs.iter().map(|&id| self.ty(id)).collect();
        op.infer(&types).ok()
    }
}

fn zero(ty: &Type) -> Number {
    Number::Int(0).to(ty.dtype)
}
