//! Differentiation: appends to a graph the nodes that compute gradients. They are ordinary nodes,
//! so gradients can be differentiated again.
use crate::verify;
use brasa_ir::ops::{Op, OpDef, Vjp};
use brasa_ir::{Error, Expr, Id, Recorder, Result};

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
        let mut dys: Vec<Option<Expr<'g>>> = vec![None; g.read(|graph| graph.len())];
        for (n, &output) in outputs.iter().enumerate() {
            let dy = cotangent(output, cotangents.get(n).copied().flatten())?;
            accumulate(&mut dys[output.id().index()], dy);
        }
        let leads_to_wanted = dependents(g, wanted);
        for id in g.read(|graph| graph.ids()).take(dys.len()).rev() {
            let Some(dy) = dys[id.index()] else { continue };
            if !leads_to_wanted[id.index()] {
                continue;
            }
            let (op, vjp) = rule_inputs(g, id, dy, &leads_to_wanted);
            let contributions = g.in_place_of(id, || op.grad(&vjp));
            for (input, dx) in vjp.inputs.iter().zip(contributions) {
                if let Some(dx) = dx.filter(|_| leads_to_wanted[input.id().index()]) {
                    accumulate(&mut dys[input.id().index()], dx);
                }
            }
        }
        if cfg!(debug_assertions) {
            g.read(|graph| verify::expect("grad", verify::graph(graph, &[])));
        }
        let found = |x: &Expr<'g>| dys[x.id().index()].filter(|_| leads_to_wanted[x.id().index()]);
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

/// Marks the nodes through which a gradient can reach `wanted`.
fn dependents(g: &Recorder, wanted: &[Expr]) -> Vec<bool> {
    g.read(|graph| {
        let mut marks = vec![false; graph.len()];
        for x in wanted {
            marks[x.id().index()] = x.dtype().is_float();
        }
        for (id, node) in graph.nodes() {
            let flows = node.ty.dtype.is_float() && !matches!(node.op, Op::Detach(_));
            let reached = || node.inputs.iter().any(|input| marks[input.index()]);
            marks[id.index()] |= flows && reached();
        }
        marks
    })
}

fn rule_inputs<'g>(g: &'g Recorder, id: Id, dy: Expr<'g>, marks: &[bool]) -> (Op, Vjp<'g>) {
    let (op, ids) = g.read(|graph| (graph[id].op.clone(), graph[id].inputs.clone()));
    let inputs: Vec<Expr<'g>> = ids.iter().map(|&input| g.expr(input)).collect();
    let needs = ids.iter().map(|input| marks[input.index()]).collect();
    (op, Vjp { g, inputs, out: g.expr(id), dy, needs })
}
