//! Differentiation: appends to a graph the nodes that compute gradients. They are ordinary nodes,
//! so gradients can be differentiated again.
use crate::{effort, verify};
use brasa_ir::graph::{QuickMap, QuickSet};
use brasa_ir::ops::{Op, OpDef, Vjp};
use brasa_ir::{Error, Expr, Graph, Id, Recorder, Result};

/// Gradients of `outputs` with respect to `wanted`: for each of these, the sum over all outputs of
/// `cotangent · output`, differentiated. A missing cotangent counts as ones. The result is `None`
/// where an output does not depend on a wanted node, and nothing is recorded for it.
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
            if let Some(place) = reached.place(output.id()) {
                accumulate(&mut dys[place], dy);
            }
        }
        for (place, &id) in reached.nodes.iter().enumerate().rev() {
            let Some(dy) = dys[place] else { continue };
            let (op, vjp) = rule_inputs(g, id, dy, &reached);
            let contributions = g.in_place_of(id, || op.grad(&vjp));
            for (input, dx) in vjp.inputs.iter().zip(contributions) {
                if let (Some(place), Some(dx)) = (reached.place(input.id()), dx) {
                    accumulate(&mut dys[place], dx);
                }
            }
        }
        if cfg!(debug_assertions) {
            g.read(|graph| verify::expect("grad", verify::graph(graph, &[])));
        }
        let found = |x: &Expr<'g>| dys[reached.place(x.id())?];
        Ok(wanted.iter().map(found).collect())
    })
}

/// Forward mode: how `outputs` change as `inputs` move along `tangents`. It is the transpose of the
/// transpose: the gradient is linear in its cotangents, and differentiated by them.
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

/// The incoming gradient of an output, checked.
fn cotangent<'g>(output: Expr<'g>, given: Option<Expr<'g>>) -> Result<Expr<'g>> {
    if !output.dtype().is_float() {
        let error = Error::dtype("grad", "only floats have gradients");
        return Err(error.operand("output", &output.ty()));
    }
    match given {
        None => Ok(output.like(1.0)),
        Some(dy) if dy.ty() == output.ty() => Ok(dy),
        Some(dy) => {
            let error = Error::shape("grad", "a cotangent is of another type than its output");
            Err(error.operand("output", &output.ty()).operand("cotangent", &dy.ty()))
        }
    }
}

fn accumulate<'g>(total: &mut Option<Expr<'g>>, dx: Expr<'g>) {
    *total = Some(total.map_or(dx, |so_far| so_far + dx));
}

/// The nodes through which a gradient goes, in order. Looking for them takes no longer where other nodes
/// were recorded before: graphs of many steps are differentiated again and again.
struct Reached {
    nodes: Vec<Id>,
    places: QuickMap<Id, usize>,
}

impl Reached {
    fn new(g: &Recorder, outputs: &[Expr], wanted: &[Expr]) -> Reached {
        let ids = |list: &[Expr]| list.iter().map(Expr::id).collect::<Vec<Id>>();
        let wanted: QuickSet<Id> =
            wanted.iter().filter(|x| x.dtype().is_float()).map(Expr::id).collect();
        g.read(|graph| {
            let mut reached = Reached { nodes: Vec::new(), places: QuickMap::default() };
            for id in needed_from(graph, ids(outputs), wanted.iter().min().copied()) {
                let node = &graph[id];
                let flows = node.ty.dtype.is_float() && !matches!(node.op, Op::Detach(_));
                let is_led = || node.inputs.iter().any(|&input| reached.place(input).is_some());
                if wanted.contains(&id) || flows && is_led() {
                    reached.places.insert(id, reached.nodes.len());
                    reached.nodes.push(id);
                }
            }
            reached
        })
    }

    fn place(&self, id: Id) -> Option<usize> {
        self.places.get(&id).copied()
    }
}

/// What `ends` are computed from and themselves, in order, but nothing before `first`.
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
    let needs = ids.iter().map(|&input| reached.place(input).is_some()).collect();
    (op, Vjp { g, inputs, out: g.expr(id), dy, needs })
}
