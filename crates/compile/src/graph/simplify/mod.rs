//! Simplification: computes the same values with fewer nodes. Removes dead nodes, merges common
//! subexpressions, folds constants, composes views, and applies algebraic rules. Runs after
//! differentiation.
//!
//! - Assumes a graph whose nodes satisfy the rules of their ops.
//! - Guarantees that wanted nodes and writes keep their values (floating-point values up to
//!   rounding), that no node is dead, and that no two nodes but inputs have the same op and operands.
//!   An index that a rule turns into a mask keeps its range check if the device performs it.
mod algebra;
mod indices;
mod views;

use crate::graph::index_check::IndexCheck;
use brasa_ir::graph::{Origin, QuickMap, QuickSet};
use brasa_ir::ops::{Const, Map, Op, OpDef, ReduceOp, Scalar};
use brasa_ir::{Graph, Id, Number, Type};
use std::collections::HashMap;

type Inputs = Vec<Id>;

/// A simplified graph, and the new node of each old one.
pub struct Simplified {
    pub graph: Graph,
    pub(crate) index_checks: Vec<IndexCheck>,
    new_ids: Vec<Option<Id>>,
}

impl Simplified {
    /// The new node with the value of an old one; `None` if the old one was dead.
    pub fn new_id(&self, old: Id) -> Option<Id> {
        self.new_ids[old.index()]
    }
}

/// The part of `g` that `wanted` depends on, simplified.
pub fn simplify(g: &Graph, wanted: &[Id]) -> Simplified {
    simplify_with_checks(g, wanted, false)
}

/// `simplify`, optionally with range checks for the indices that rules turn into masks.
pub(crate) fn simplify_with_checks(
    g: &Graph,
    wanted: &[Id],
    adds_index_checks: bool,
) -> Simplified {
    let mut new = Builder { adds_index_checks, ..Builder::default() };
    new.graph.continue_from(g);
    let mut new_ids = vec![None; g.len()];
    let readers = readers(g, wanted);
    for id in needed(g, wanted) {
        let node = &g[id];
        let moved = |old: &Id| new_ids[old.index()].expect("inputs precede readers");
        let inputs = node.inputs.iter().map(moved).collect();
        let place = new.add(node.op.clone(), inputs, node.origin);
        new.count_readers(place, readers[id.index()]);
        new_ids[id.index()] = Some(place);
    }
    // Rules leave dead nodes behind: those that only the original form needed.
    let mut index_checks = new.index_checks;
    let mut roots: Vec<Id> = wanted.iter().filter_map(|id| new_ids[id.index()]).collect();
    roots.extend(index_checks.iter().flat_map(|check| [check.before, check.at]));
    let kept = needed(&new.graph, &roots);
    if kept.len() == new.graph.len() {
        return Simplified { graph: new.graph, index_checks, new_ids };
    }
    let (graph, moves) = copy(&new.graph, &kept);
    for check in &mut index_checks {
        let moved = [check.before, check.at].map(|id| moves[id.index()].expect("roots are kept"));
        [check.before, check.at] = moved;
    }
    let new_ids = new_ids.into_iter().map(|place| moves[place?.index()]).collect();
    Simplified { graph, index_checks, new_ids }
}

/// The nodes that `wanted` depends on, in order.
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

/// The number of readers of each node.
fn readers(g: &Graph, wanted: &[Id]) -> Vec<usize> {
    let mut readers = vec![0; g.len()];
    for id in g.nodes().flat_map(|(_, node)| &node.inputs).chain(wanted) {
        readers[id.index()] += 1;
    }
    readers
}

/// A graph of the nodes `kept` of `g`.
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

/// Builds a graph in which no two nodes compute the same value.
#[derive(Default)]
struct Builder {
    graph: Graph,
    known: QuickMap<(Op, Inputs), Id>,
    /// The number of readers of a node before simplification.
    readers: HashMap<Id, usize>,
    /// Indices that are results of an `arg_reduce`.
    arg_reduces: HashMap<Id, KnownArgReduce>,
    adds_index_checks: bool,
    index_checks: Vec<IndexCheck>,
    /// The `before` nodes of `index_checks`.
    checked: QuickSet<Id>,
    /// Recursion depth: rules that add nodes, to which rules apply in turn.
    depth: usize,
}

/// Maximum recursion depth of rules. Factors and transposes move along chains no further than this.
const MAX_DEPTH: usize = 32;

/// An index node known to be the `arg_reduce` of `of`, and the same index in f32.
struct KnownArgReduce {
    of: Id,
    by: ReduceOp,
    axis: usize,
    index_f32: Id,
}

/// The two operands of a node if it is the given binary scalar function.
macro_rules! operands {
    ($b:expr, $id:expr, $function:path) => {
        match (&$b.graph[$id].op, &$b.graph[$id].inputs[..]) {
            (Op::Map(Map($function)), &[left, right]) => Some((left, right)),
            _ => None,
        }
    };
}

use operands;

/// The result of a rule.
enum Rewrite {
    /// An existing node with the same value.
    Known(Id),
    /// A new node with the same value; rules apply to it in turn.
    Node(Op, Inputs),
}
use Rewrite::{Known, Node};

type Rule = fn(&mut Builder, &Op, &[Id], Origin) -> Option<Rewrite>;

const RULES: &[Rule] = &[
    views::drop_identities,
    views::fold_constants,
    views::fold_constant_views,
    views::compose_views,
    views::compose_casts,
    algebra::absorb_neutral_elements,
    algebra::cancel_negations,
    algebra::fold_selects,
    indices::gather_arg_reduce,
    indices::gather_by_mask,
    indices::scatter_by_mask,
    indices::arg_reduce_by_mask,
    views::lower_fold_without_overlap,
    views::transpose_products,
    algebra::expand_activations,
    algebra::hoist_factors,
    algebra::sum_before_division,
    algebra::add_over_one_divisor,
    algebra::multiply_known_quotients,
];

impl Builder {
    /// Adds an op, or the simpler form that a rule gives. Returns the node with its value.
    fn add(&mut self, op: Op, inputs: Inputs, origin: Origin) -> Id {
        let key = (op, inputs);
        // Equal inputs are still distinct values.
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

    /// Applies the first rule that matches.
    fn rewrite(&mut self, (op, inputs): &(Op, Inputs), origin: Origin) -> Option<Rewrite> {
        if self.depth > MAX_DEPTH {
            return None;
        }
        RULES.iter().find_map(|rule| rule(self, op, inputs, origin))
    }

    fn map(&mut self, function: Scalar, args: &[Id], origin: Origin) -> Id {
        self.add(Map(function).into(), args.to_vec(), origin)
    }

    /// A binary function of a node and a number.
    fn map_number(&mut self, function: Scalar, x: Id, number: f64, origin: Origin) -> Id {
        let Type { dtype, shape } = self.ty(x).clone();
        let value = Number::Float(number).to(dtype);
        let c = self.add(Const { value, dtype, shape }.into(), vec![], origin);
        self.map(function, &[x, c], origin)
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

    /// The value of a constant node.
    fn number(&self, id: Id) -> Option<Number> {
        match self.op(id) {
            Op::Const(c) => Some(c.value),
            _ => None,
        }
    }

    /// Whether a node is constant along all of these axes.
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

    /// The node below expands and reshapes, and these ops, outermost first.
    fn below_expands(&self, id: Id) -> (Vec<Op>, Id) {
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
