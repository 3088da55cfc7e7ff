//! Breaks each invariant once in the result of a pass and expects its verifier to report that.
use super::*;
use crate::graph::prepared::Prepared;
use crate::memory::plan::plan as planned;
use crate::pass::Pass;
use crate::pipeline::{Pipeline, compile};
use crate::program::Program;
use crate::program::check::check;
use crate::schedule::kernel::{Body, Granularity, Ref, StepOp};
use crate::{Options, Target};
use brasa_ir::ops::{Role, Write};
use brasa_ir::view::View;
use brasa_ir::{DType, Recorder};
use std::sync::LazyLock;

/// A matrix product with an epilogue that updates a state, and two kernels that read it: a sum of
/// rows and another product.
fn sample() -> (Graph, Vec<Id>) {
    let g = Recorder::default();
    let input = |name, role, shape: [usize; 2]| g.input(name, role, Type::new(DType::F32, shape));
    let (x, w) = (input("x", Role::Data, [8, 4]), input("w", Role::Data, [4, 16]));
    let state = input("s", Role::State, [8, 16]);
    let t = x.contract(w).tanh();
    g.emit(Write {}, &[state, state + t]);
    let wanted = [t.sum(&[0]).id(), t.transposed().contract(x).id()];
    (g.into_graph(), wanted.to_vec())
}

fn prepared() -> Prepared {
    let (g, wanted) = sample();
    Pipeline::new(&Options::default()).simplify(&g, &wanted)
}

fn task(prepared: &Prepared) -> Task<'_> {
    static TARGET: LazyLock<Target> = LazyLock::new(Target::default);
    prepared.task(&TARGET)
}

/// The product, the row sums and the other product.
fn sample_kernels(prepared: &Prepared) -> Vec<Kernel> {
    let options = Options::new(Target { min_concurrent: 0, ..Target::default() });
    let passes = Pipeline::new(&options);
    let kernels = passes.order(prepared, &passes.schedule(prepared));
    let names: Vec<String> = kernels.iter().map(Kernel::name).collect();
    assert_eq!(names, ["contract+", "row1", "contract"]);
    kernels
}

#[track_caller]
fn assert_rejects(checked: Checked, want: &str) {
    let what = checked.expect_err(want);
    assert!(what.contains(want), "expected {want:?} in {what}");
}

#[test]
fn results_of_passes_are_valid() {
    let prepared = prepared();
    let list = sample_kernels(&prepared);
    assert_eq!(graph(&prepared.graph, &prepared.roots()), Ok(()));
    assert_eq!(kernels(task(&prepared), &prepared.roots(), &list, false), Ok(()));
    let refs: Vec<&Kernel> = list.iter().collect();
    assert_eq!(plan(task(&prepared), &refs, &planned(task(&prepared), &refs)), Ok(()));
    // A budget may run kernels again.
    let twice = [list.clone(), list].concat();
    assert_eq!(kernels(task(&prepared), &prepared.roots(), &twice, true), Ok(()));
}

#[test]
fn invalid_graphs_are_rejected() {
    let (g, _) = sample();
    assert_rejects(graph(&g, &[Id::at(99)]), "a wanted node does not exist");
    let g = Recorder::new(g);
    let state = g.read(|graph| graph.ids().nth(2)).expect("a state");
    g.emit(Write {}, &[g.expr(state), g.expr(state)]);
    let g = g.into_graph();
    assert_rejects(graph(&g, &[]), "%2 is written by");
    assert_rejects(graph(&g, &[]), "%3 = contract %0 %1");
}

/// The first step that matches.
fn step(kernel: &mut Kernel, is_it: fn(&StepOp) -> bool) -> &mut crate::schedule::kernel::Step {
    kernel.code.steps.iter_mut().find(|step| is_it(&step.op)).expect("a matching step")
}

fn is_load(op: &StepOp) -> bool {
    matches!(op, StepOp::Load { .. })
}

fn is_map(op: &StepOp) -> bool {
    matches!(op, StepOp::Map { .. })
}

fn is_reduce(op: &StepOp) -> bool {
    matches!(op, StepOp::Reduce { .. })
}

fn set_view(kernel: &mut Kernel, new: View) {
    let StepOp::Load { view, .. } = &mut step(kernel, is_load).op else { return };
    *view = new;
}

#[test]
fn invalid_kernels_are_rejected() {
    type Break = fn(&mut Vec<Kernel>);
    let rows: [(Break, &str); 17] = [
        (|k| k.swap(0, 1), "is read before it is written"),
        (|k| k.push(k[0].clone()), "is written twice"),
        (|k| drop(k.pop()), "is wanted, but no kernel computes it"),
        (|k| k[0].is_concurrent = true, "the first kernel is marked concurrent"),
        (|k| k[0].reads[0] = Id::at(99), "a node does not exist"),
        (
            |k| {
                let own = k[1].writes[0];
                k[1].reads.push(own)
            },
            "is read or written twice",
        ),
        (|k| k[1].writes.clear(), "it writes nothing"),
        (|k| k[1].code.stores.push(Ref(0)), "its buffers do not match its kernel"),
        (|k| k[1].code.stores[0] = Ref(99), "a store refers to a missing step"),
        (|k| set_view(&mut k[1], View::new(&[3])), "has a view of another shape"),
        (
            |k| {
                let shape = k[1].domain.shape(Granularity::PerElement);
                let mut larger = shape.clone();
                larger[0] *= 2;
                let mut start = vec![0; shape.len()];
                start[0] = shape[0];
                let ones = vec![1; shape.len()];
                set_view(&mut k[1], View::new(&larger).slice(&start, &shape, &ones));
            },
            "reads beyond its buffer",
        ),
        (
            |k| {
                let StepOp::Reduce { of, .. } = &mut step(&mut k[1], is_reduce).op else { return };
                *of = Ref(99);
            },
            "reads a later step",
        ),
        (
            |k| step(&mut k[1], is_reduce).granularity = Granularity::PerElement,
            "cannot reduce rows here",
        ),
        (
            |k| k[1].domain.axes.iter_mut().for_each(|axis| axis.is_reduced = false),
            "does not have the type of its step",
        ),
        (|k| step(&mut k[0], is_map).dtype = DType::F64, "is f32, not f64"),
        (
            |k| step(&mut k[0], is_map).granularity = Granularity::PerRow,
            "reads elements for a row value",
        ),
        (
            |k| {
                let Body::Library { out, .. } = &mut k[2].body else { return };
                *out = Type::new(DType::F32, [16, 5]);
            },
            "contract does not give f32[16, 5]",
        ),
    ];
    let prepared = prepared();
    for (break_it, want) in rows {
        let mut list = sample_kernels(&prepared);
        break_it(&mut list);
        assert_rejects(kernels(task(&prepared), &prepared.roots(), &list, false), want);
    }
}

#[test]
fn invalid_plans_are_rejected() {
    // Buffers 0 to 2 are the inputs, 3 and 4 results of the first product, 5 and 6 the outputs.
    type Break = fn(&mut Plan);
    let rows: [(Break, &str); 16] = [
        (|p| p.outputs[0] = BufferId(99), "a buffer does not exist"),
        (|p| p.buffers[5].ty.dtype = DType::F64, "does not have the type of its node"),
        (|p| p.buffers[5].place = Place::Arena(4), "has no valid place"),
        (|p| p.buffers[5].place = Place::Arena(p.arena_bytes), "has no valid place"),
        (|p| p.buffers[5].place = Place::Input(0), "has no valid place"),
        (|p| drop(p.touched.pop()), "the number of launches differs"),
        (|p| p.touched[0].reads.truncate(1), "its buffers do not match its kernel"),
        (|p| p.touched[1].reads[0] = BufferId(2), "another buffer than the latest"),
        (|p| p.touched[1].writes[0] = BufferId(6), "writes to another buffer"),
        (|p| p.buffers[3].last = 0, "is read after the end of its lifetime"),
        (|p| p.buffers[2].last = 3, "which is read later"),
        (|p| p.outputs.swap(0, 1), "does not outlive the run"),
        (|p| p.buffers[5].last = 1, "does not outlive the run"),
        (|p| p.outputs.truncate(1), "outputs are missing"),
        (|p| p.live_bytes = p.arena_bytes + 1, "more bytes are live than the arena has"),
        (|p| p.buffers[5].place = p.buffers[6].place, "overlap"),
    ];
    let prepared = prepared();
    let list = sample_kernels(&prepared);
    let refs: Vec<&Kernel> = list.iter().collect();
    let right = || planned(task(&prepared), &refs);
    let nodes: Vec<Id> = right().buffers.iter().map(|buffer| buffer.node).collect();
    assert_eq!(nodes.len(), 7, "{nodes:?}");
    for (break_it, want) in rows {
        let mut broken = right();
        break_it(&mut broken);
        assert_rejects(plan(task(&prepared), &refs, &broken), want);
    }
    // The last product reads all of an operand for each element of its result.
    let mut broken = right();
    broken.buffers[6].place = broken.buffers[3].place;
    assert_rejects(plan(task(&prepared), &refs, &broken), "is written before it is read");
}

#[test]
fn invalid_programs_are_rejected() {
    type Break = fn(&mut Program);
    let rows: [(Break, &str); 6] = [
        (|p| p.launches[0].reads[0] = BufferId(99), "a buffer does not exist"),
        (|p| p.launches[1].kernel.is_concurrent = true, "conflicts with a concurrent launch"),
        (|p| p.inputs[2].is_written = false, "it writes to a read-only input"),
        (|p| p.arena_bytes += 4096, "the arena is larger than its buffers"),
        (
            |p| {
                p.buffers[5].place = p.buffers[6].place;
                p.arena_bytes -= ALIGN;
            },
            "overlap",
        ),
        (|p| p.buffers[5].last = 1, "an output does not outlive the run"),
    ];
    let (g, wanted) = sample();
    for (break_it, want) in rows {
        let mut program = compile(&g, &wanted);
        assert_eq!(check(&program, &Target::default()), Ok(()));
        break_it(&mut program);
        assert_rejects(check(&program, &Target::default()), want);
    }
}

#[test]
fn rows_that_the_target_does_not_reduce_are_rejected() {
    let g = Recorder::default();
    let input = |shape: [usize; 2]| g.input("", Role::Data, Type::new(DType::F32, shape));
    let y = input([8, 4]).contract(input([4, 64]));
    let wanted = [y.sum_keep(&[1]).id()];
    let program = compile(&g.into_graph(), &wanted);
    assert_eq!(check(&program, &Target::default()), Ok(()));
    let short = Target { reduced_row_lens: 1..=63, ..Target::default() };
    assert_rejects(check(&program, &short), "launch 0: it cannot reduce rows of f32[8, 64]");
}

#[test]
#[should_panic = "internal error, please report: invalid result of pass schedule: kernel 0: "]
fn a_failed_verification_names_the_pass() {
    let prepared = prepared();
    let mut list = sample_kernels(&prepared);
    list.reverse();
    let options = Options { verify: true, ..Options::default() };
    Pipeline::new(&options)
        .verify(Pass::Schedule, || kernels(task(&prepared), &prepared.roots(), &list, false));
}
