//! Shrinks a failing graph: removes outputs, takes earlier nodes as outputs, and replaces nodes by
//! inputs.
use crate::check::{Failure, Outcome, check};
use crate::device::Device;
use crate::generate::Case;
use brasa_ir::ops::{Op, Role};
use brasa_ir::{Id, Recorder};
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// The smallest graph found within the time limit that fails in the same way as `case`: with a
/// wrong result, or without results.
pub fn shrink(device: &Device, case: &Case, failure: &Failure, seed: u64, limit: Duration) -> Case {
    let start = Instant::now();
    let is_similar = |other: &Failure| other.output.is_some() == failure.output.is_some();
    let fails = |case: &Case| {
        start.elapsed() < limit
            && matches!(check(device, case, seed), Outcome::Failed(other) if is_similar(&other))
    };
    let mut best = case.clone();
    for is_kept in [false, true] {
        let bare = copy(case, &case.outputs, None, is_kept);
        if fails(&bare) {
            best = bare;
            break;
        }
    }
    loop {
        let candidates = smaller(&best);
        match candidates.into_iter().find(|candidate| fails(candidate)) {
            Some(next) => best = next,
            None => return best,
        }
    }
}

/// Slightly smaller graphs, smallest first.
fn smaller(case: &Case) -> Vec<Case> {
    let mut list = Vec::new();
    let has_writes = !case.writes().is_empty();
    let count = case.graph.len();
    for (id, node) in case.graph.nodes() {
        let is_inner = !node.inputs.is_empty() && !matches!(node.op, Op::Write(_));
        if is_inner && case.outputs != [id] {
            list.push(copy(case, &[id], None, false));
        }
        if is_inner && node.ty.dtype.is_float() {
            list.push(copy(case, &case.outputs, Some(id), has_writes));
        }
    }
    for n in 0..case.outputs.len() {
        if case.outputs.len() > 1 {
            let mut outputs = case.outputs.clone();
            outputs.remove(n);
            list.push(copy(case, &outputs, None, has_writes));
        }
    }
    list.retain(|case| case.graph.len() < count || !has_writes);
    list.retain(|smaller| {
        smaller.graph.len() < count || smaller.outputs.len() < case.outputs.len()
    });
    list.sort_by_key(|case| (case.graph.len(), case.outputs.len()));
    list
}

/// The part of a graph that `outputs` depend on, with one node replaced by an input.
fn copy(case: &Case, outputs: &[Id], cut: Option<Id>, keeps_writes: bool) -> Case {
    let g = Recorder::default();
    let mut is_needed = vec![false; case.graph.len()];
    outputs.iter().for_each(|id| is_needed[id.index()] = true);
    for (id, node) in case.graph.nodes().rev() {
        is_needed[id.index()] |= keeps_writes && matches!(node.op, Op::Write(_));
        if is_needed[id.index()] && Some(id) != cut {
            node.inputs.iter().for_each(|input| is_needed[input.index()] = true);
        }
    }
    let mut copies: HashMap<Id, Id> = HashMap::new();
    for (id, node) in case.graph.nodes().filter(|(id, _)| is_needed[id.index()]) {
        let inputs: Vec<_> = match Some(id) == cut {
            true => Vec::new(),
            false => node.inputs.iter().map(|input| g.expr(copies[input])).collect(),
        };
        let new = match &node.op {
            _ if Some(id) == cut => {
                g.input(&format!("unit_cut{}", id.index()), Role::Data, node.ty.clone())
            }
            Op::Slot(slot) => g.number(case.graph.slots()[slot.slot], node.ty.dtype),
            op => g.emit(op.clone(), &inputs),
        };
        copies.insert(id, new.id());
    }
    let outputs = outputs.iter().map(|id| copies[id]).collect();
    Case { graph: g.into_graph(), outputs }
}
