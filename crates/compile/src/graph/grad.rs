//! Differentiation: appends the nodes that compute gradients to a graph. They are ordinary nodes,
//! so gradients can be differentiated again.
use crate::effort;
use crate::program::verify;
use brasa_ir::graph::{QuickMap, QuickSet};
use brasa_ir::ops::{Op, OpDef, Vjp};
use brasa_ir::{Error, Expr, Graph, Id, Recorder, Result};

/// Reverse mode: for each node in `wanted`, the gradient of the sum over all outputs of `cotangent
/// · output`. A missing cotangent counts as ones. The result is `None` for a node that no output
/// depends on, and nothing is recorded for it.
#[track_caller]
pub fn grad<'g>(
    g: &'g Recorder,
    outputs: &[Expr<'g>],
    cotangents: &[Option<Expr<'g>>],
    wanted: &[Expr<'g>],
) -> Result<Vec<Option<Expr<'g>>>> {
    g.scope("grad", || {
        let reached = Reached::new(g, outputs, wanted);
        let mut dys: Vec<Option<Expr<'g>>> = vec![None; reached.nodes.len()];
        for (n, &output) in outputs.iter().enumerate() {
            let dy = cotangent(output, cotangents.get(n).copied().flatten())?;
            if let Some(index) = reached.index(output.id()) {
                accumulate(&mut dys[index], dy);
            }
        }
        for (index, &id) in reached.nodes.iter().enumerate().rev() {
            let Some(dy) = dys[index] else { continue };
            let (op, vjp) = rule_inputs(g, id, dy, &reached);
            let contributions = g.in_place_of(id, || op.grad(&vjp));
            for (input, dx) in vjp.inputs.iter().zip(contributions) {
                if let (Some(index), Some(dx)) = (reached.index(input.id()), dx) {
                    accumulate(&mut dys[index], dx);
                }
            }
        }
        if cfg!(debug_assertions) {
            g.read(|graph| verify::expect("grad", verify::graph(graph, &[])));
        }
        let found = |x: &Expr<'g>| dys[reached.index(x.id())?];
        Ok(wanted.iter().map(found).collect())
    })
}

/// Forward mode: the directional derivatives of `outputs` as `inputs` move along `tangents`.
/// Computed by double transposition: the gradient is linear in its cotangents and is differentiated
/// by them.
#[track_caller]
pub fn jvp<'g>(
    g: &'g Recorder,
    outputs: &[Expr<'g>],
    inputs: &[Expr<'g>],
    tangents: &[Expr<'g>],
) -> Result<Vec<Option<Expr<'g>>>> {
    g.scope("jvp", || {
        if inputs.len() != tangents.len() {
            let what = format!("{} inputs but {} tangents", inputs.len(), tangents.len());
            return Err(Error::argument("jvp", what));
        }
        let dummies: Vec<Expr<'g>> = outputs.iter().map(|y| y.zeros_like()).collect();
        let cotangents: Vec<_> = dummies.iter().copied().map(Some).collect();
        let gradients = grad(g, outputs, &cotangents, inputs)?;
        let reached = gradients.iter().zip(inputs).zip(tangents);
        let mut ends = (Vec::new(), Vec::new());
        for ((gradient, &input), &tangent) in reached {
            let Some(gradient) = *gradient else { continue };
            ends.0.push(gradient);
            ends.1.push(Some(cotangent(input, Some(tangent))?));
        }
        grad(g, &ends.0, &ends.1, &dummies)
    })
}

/// The incoming gradient of an output. Fails if it is of another type than the output.
fn cotangent<'g>(output: Expr<'g>, given: Option<Expr<'g>>) -> Result<Expr<'g>> {
    if !output.dtype().is_float() {
        let error = Error::dtype("grad", "only floats have gradients");
        return Err(error.operand("output", &output.ty()));
    }
    match given {
        None => Ok(output.like(1.0)),
        Some(dy) if dy.ty() == output.ty() => Ok(dy),
        Some(dy) => {
            let error = Error::shape("grad", "the cotangent has another type than the output");
            Err(error.operand("output", &output.ty()).operand("cotangent", &dy.ty()))
        }
    }
}

fn accumulate<'g>(total: &mut Option<Expr<'g>>, dx: Expr<'g>) {
    *total = Some(total.map_or(dx, |so_far| so_far + dx));
}

/// The nodes that a gradient flows through, in graph order. The search does not depend on how many
/// unrelated nodes were recorded before: long recordings are differentiated many times.
struct Reached {
    nodes: Vec<Id>,
    indices: QuickMap<Id, usize>,
}

impl Reached {
    fn new(g: &Recorder, outputs: &[Expr], wanted: &[Expr]) -> Reached {
        let ids = |list: &[Expr]| list.iter().map(Expr::id).collect::<Vec<Id>>();
        let wanted: QuickSet<Id> =
            wanted.iter().filter(|x| x.dtype().is_float()).map(Expr::id).collect();
        g.read(|graph| {
            let mut reached = Reached { nodes: Vec::new(), indices: QuickMap::default() };
            for id in needed_from(graph, ids(outputs), wanted.iter().min().copied()) {
                let node = &graph[id];
                let flows = node.ty.dtype.is_float() && !matches!(node.op, Op::Detach(_));
                let has_reached_input =
                    || node.inputs.iter().any(|&input| reached.index(input).is_some());
                if wanted.contains(&id) || flows && has_reached_input() {
                    reached.indices.insert(id, reached.nodes.len());
                    reached.nodes.push(id);
                }
            }
            reached
        })
    }

    fn index(&self, id: Id) -> Option<usize> {
        self.indices.get(&id).copied()
    }
}

/// `ends` and all nodes they depend on, in graph order, except nodes before `first`.
fn needed_from(graph: &Graph, ends: Vec<Id>, first: Option<Id>) -> Vec<Id> {
    let (mut todo, mut found) = (ends, Vec::new());
    let mut seen = QuickSet::default();
    while let Some(id) = todo.pop() {
        if first.is_some_and(|first| id >= first) && seen.insert(id) {
            found.push(id);
            todo.extend(&graph[id].inputs);
        }
    }
    effort::spend(found.len());
    found.sort_unstable();
    found
}

fn rule_inputs<'g>(g: &'g Recorder, id: Id, dy: Expr<'g>, reached: &Reached) -> (Op, Vjp<'g>) {
    let (op, ids) = g.read(|graph| (graph[id].op.clone(), graph[id].inputs.clone()));
    let inputs: Vec<Expr<'g>> = ids.iter().map(|&input| g.expr(input)).collect();
    let needs = ids.iter().map(|&input| reached.index(input).is_some()).collect();
    (op, Vjp { g, inputs, out: g.expr(id), dy, needs })
}
