//! Each invariant is broken once in what the passes leave, and its verifier notices.
use super::*;
use crate::check::check;
use crate::kernel::{Body, Level, Ref, What};
use crate::plan::plan as planned;
use crate::program::{Options, Program, Ready, compile};
use brasa_ir::ops::{Role, Write};
use brasa_ir::view::View;
use brasa_ir::{DType, Recorder};

/// A product with work behind it that replaces a state, and what two kernels make of it: a sum of rows
/// and another product.
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

fn ready() -> Ready {
    let (g, wanted) = sample();
    Ready::new(&g, &wanted, &Options::default())
}

/// The kernels are the product, the row sums and the other product.
fn sample_kernels(ready: &Ready) -> Vec<Kernel> {
    let options = Options { fewest_beside: 0, ..Options::default() };
    let kernels = ready.kernels(&options);
    let names: Vec<String> = kernels.iter().map(Kernel::name).collect();
    assert_eq!(names, ["contract+", "row1", "contract"]);
    kernels
}

#[track_caller]
fn notices(checked: Checked, want: &str) {
    let what = checked.expect_err(want);
    assert!(what.contains(want), "expected {want:?} in {what}");
}

#[test]
fn what_passes_leave_is_right() {
    let ready = ready();
    let list = sample_kernels(&ready);
    assert_eq!(graph(&ready.graph, &ready.roots()), Ok(()));
    assert_eq!(kernels(ready.task(), &ready.roots(), &list, false), Ok(()));
    let refs: Vec<&Kernel> = list.iter().collect();
    assert_eq!(plan(ready.task(), &refs, &planned(ready.task(), &refs)), Ok(()));
    // A budget may run kernels again.
    let twice = [list.clone(), list].concat();
    assert_eq!(kernels(ready.task(), &ready.roots(), &twice, true), Ok(()));
}

#[test]
fn broken_graphs_are_noticed() {
    let (g, _) = sample();
    notices(graph(&g, &[Id::at(99)]), "a node that is wanted does not exist");
    let g = Recorder::new(g);
    let state = g.read(|graph| graph.ids().nth(2)).expect("a state");
    g.emit(Write {}, &[g.expr(state), g.expr(state)]);
    let g = g.into_graph();
    notices(graph(&g, &[]), "%2 is the target of");
    notices(graph(&g, &[]), "%3 = contract %0 %1");
}

/// The first step of a kind.
fn step(kernel: &mut Kernel, is_it: fn(&What) -> bool) -> &mut crate::kernel::Step {
    kernel.code.steps.iter_mut().find(|step| is_it(&step.what)).expect("such a step")
}

fn is_load(what: &What) -> bool {
    matches!(what, What::Load { .. })
}

fn is_map(what: &What) -> bool {
    matches!(what, What::Map { .. })
}

fn is_reduce(what: &What) -> bool {
    matches!(what, What::Reduce { .. })
}

fn see_through(kernel: &mut Kernel, new: View) {
    let What::Load { view, .. } = &mut step(kernel, is_load).what else { return };
    *view = new;
}

#[test]
fn broken_kernels_are_noticed() {
    type Break = fn(&mut Vec<Kernel>);
    let rows: [(Break, &str); 17] = [
        (|k| k.swap(0, 1), "is read before it is written"),
        (|k| k.push(k[0].clone()), "is written twice"),
        (|k| drop(k.pop()), "is wanted, but no kernel makes it"),
        (|k| k[0].is_beside = true, "nothing runs before the first"),
        (|k| k[0].reads[0] = Id::at(99), "a node does not exist"),
        (
            |k| {
                let own = k[1].writes[0];
                k[1].reads.push(own)
            },
            "an operand or a result twice",
        ),
        (|k| k[1].writes.clear(), "it writes nothing"),
        (|k| k[1].code.stores.push(Ref(0)), "its operands are not those of its kernel"),
        (|k| k[1].code.stores[0] = Ref(99), "a store of nothing"),
        (|k| see_through(&mut k[1], View::new(&[3])), "has another shape"),
        (
            |k| {
                let shape = k[1].domain.shape(Level::Full);
                let mut larger = shape.clone();
                larger[0] *= 2;
                let mut start = vec![0; shape.len()];
                start[0] = shape[0];
                let ones = vec![1; shape.len()];
                see_through(&mut k[1], View::new(&larger).slice(&start, &shape, &ones));
            },
            "reads beyond its buffer",
        ),
        (
            |k| {
                let What::Reduce { of, .. } = &mut step(&mut k[1], is_reduce).what else { return };
                *of = Ref(99);
            },
            "reads a later one",
        ),
        (|k| step(&mut k[1], is_reduce).level = Level::Full, "reduces a row"),
        (
            |k| k[1].domain.axes.iter_mut().for_each(|axis| axis.is_reduced = false),
            "has another type",
        ),
        (|k| step(&mut k[0], is_map).dtype = DType::F64, "is f32, not f64"),
        (|k| step(&mut k[0], is_map).level = Level::Row, "reads elements for a row"),
        (
            |k| {
                let Body::Library { out, .. } = &mut k[2].body else { return };
                *out = Type::new(DType::F32, [16, 5]);
            },
            "contract does not give f32[16, 5]",
        ),
    ];
    let ready = ready();
    for (break_it, want) in rows {
        let mut list = sample_kernels(&ready);
        break_it(&mut list);
        notices(kernels(ready.task(), &ready.roots(), &list, false), want);
    }
}

#[test]
fn broken_plans_are_noticed() {
    // Buffers 0 to 2 are the inputs, 3 and 4 what the first product makes, 5 and 6 the outputs.
    type Break = fn(&mut Plan);
    let rows: [(Break, &str); 16] = [
        (|p| p.outputs[0] = BufferId(99), "a buffer does not exist"),
        (|p| p.buffers[5].ty.dtype = DType::F64, "has another type"),
        (|p| p.buffers[5].place = Place::Arena(4), "has no place"),
        (|p| p.buffers[5].place = Place::Arena(p.arena_bytes), "has no place"),
        (|p| p.buffers[5].place = Place::Input(0), "has no place"),
        (|p| drop(p.touched.pop()), "launches are not those of kernels"),
        (|p| p.touched[0].reads.truncate(1), "its buffers are not those of its kernel"),
        (|p| p.touched[1].reads[0] = BufferId(2), "another buffer than the latest"),
        (|p| p.touched[1].writes[0] = BufferId(6), "writes to another buffer"),
        (|p| p.buffers[3].last = 0, "is read, but lives no more"),
        (|p| p.buffers[2].last = 3, "which is read later"),
        (|p| p.outputs.swap(0, 1), "is lost"),
        (|p| p.buffers[5].last = 1, "is lost"),
        (|p| p.outputs.truncate(1), "outputs are missing"),
        (|p| p.live_bytes = p.arena_bytes + 1, "more bytes live than there are"),
        (|p| p.buffers[5].place = p.buffers[6].place, "overlap"),
    ];
    let ready = ready();
    let list = sample_kernels(&ready);
    let refs: Vec<&Kernel> = list.iter().collect();
    let right = || planned(ready.task(), &refs);
    let nodes: Vec<Id> = right().buffers.iter().map(|buffer| buffer.node).collect();
    assert_eq!(nodes.len(), 7, "{nodes:?}");
    for (break_it, want) in rows {
        let mut broken = right();
        break_it(&mut broken);
        notices(plan(ready.task(), &refs, &broken), want);
    }
    // The last product reads all of an operand for each element of its result.
    let mut broken = right();
    broken.buffers[6].place = broken.buffers[3].place;
    notices(plan(ready.task(), &refs, &broken), "is written before it is read");
}

#[test]
fn broken_programs_are_noticed() {
    type Break = fn(&mut Program);
    let rows: [(Break, &str); 6] = [
        (|p| p.launches[0].reads[0] = BufferId(99), "a buffer does not exist"),
        (|p| p.launches[1].kernel.is_beside = true, "meets what runs beside it"),
        (|p| p.inputs[2].is_written = false, "it writes to what is only read"),
        (|p| p.arena_bytes += 4096, "the arena is larger than its buffers"),
        (
            |p| {
                p.buffers[5].place = p.buffers[6].place;
                p.arena_bytes -= ALIGN;
            },
            "overlap",
        ),
        (|p| p.buffers[5].last = 1, "an output is lost"),
    ];
    let (g, wanted) = sample();
    for (break_it, want) in rows {
        let mut program = compile(&g, &wanted);
        assert_eq!(check(&program, false), Ok(()));
        break_it(&mut program);
        notices(check(&program, false), want);
    }
}

#[test]
#[should_panic = "internal error, please report: what schedule leaves is wrong: kernel 0: "]
fn the_pass_is_named() {
    let ready = ready();
    let mut list = sample_kernels(&ready);
    list.reverse();
    let options = Options { verify: true, ..Options::default() };
    options.verify("schedule", || kernels(ready.task(), &ready.roots(), &list, false));
}
