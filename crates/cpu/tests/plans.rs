//! Memory plans: values share memory where that is safe, and inputs are overwritten only after all
//! reads of their old values.
use brasa_compile::plan::Place;
use brasa_compile::{Program, compile};
use brasa_cpu::{Buffer, Executable, Pool};
use brasa_ir::ops::{Role, Write};
use brasa_ir::{DType, Expr, Recorder, Type};
use common::Model;

mod common;

fn tensor<'g>(g: &'g Recorder, name: &str, role: Role) -> Expr<'g> {
    g.input(name, role, Type::new(DType::F32, [3]))
}

fn floats(values: [f32; 3]) -> Buffer {
    let mut buffer = Buffer::new(12);
    let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
    buffer.bytes_mut().copy_from_slice(&bytes);
    buffer
}

/// The bytes of the inputs after a run.
fn run(program: Program, mut inputs: Vec<Buffer>) -> Vec<Vec<u8>> {
    let mut executable = Executable::new(program);
    executable.run(&Pool::new(2), &mut inputs, &[]).expect("runs");
    inputs.iter().map(|buffer| buffer.bytes().to_vec()).collect()
}

#[test]
fn inputs_exchange_their_values() {
    let g = Recorder::default();
    let [a, b, c] = ["a", "b", "c"].map(|name| tensor(&g, name, Role::State));
    for (to, from) in [(a, b), (b, c), (c, a)] {
        g.push(Write {}, &[to, from]).expect("records");
    }
    let program = g.read(|graph| compile(graph, &[]));
    let [x, y, z] = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]];
    let after = run(program, [x, y, z].map(floats).into());
    let want: Vec<Vec<u8>> = [y, z, x].map(|v| floats(v).bytes().to_vec()).into();
    assert_eq!(after, want);
}

#[test]
fn old_values_are_read_before_new_ones_are_written() {
    let g = Recorder::default();
    let [a, b] = ["a", "b"].map(|name| tensor(&g, name, Role::State));
    // Both new values need both old ones.
    for (to, from) in [(a, a + b), (b, (a - b).exp())] {
        g.push(Write {}, &[to, from]).expect("records");
    }
    let program = g.read(|graph| compile(graph, &[]));
    let after = run(program, vec![floats([1.0, 2.0, 3.0]), floats([1.0, 2.0, 3.0])]);
    let want: Vec<Vec<u8>> = [[2.0, 4.0, 6.0], [1.0; 3]].map(|v| floats(v).bytes().to_vec()).into();
    assert_eq!(after, want);
}

#[test]
fn a_result_reuses_the_buffer_of_a_dead_operand() {
    let g = Recorder::default();
    let x = g.input("x", Role::Data, Type::new(DType::F32, [8, 8]));
    // The products are separate kernels; the kernel after the second reads both element by
    // element, and its sum is used again later.
    let (a, b) = (x.contract(x), x.transposed().contract(x));
    let y = (a.sum_keep(&[0]).expand(&[8, 8]) + a) * b.flip(&[1]);
    let wanted = y.contract(y).id();
    let program = g.read(|graph| compile(graph, &[wanted]));
    let places: Vec<Place> = program.buffers.iter().map(|buffer| buffer.place).collect();
    let shared = (0..places.len()).filter(|&n| places[..n].contains(&places[n])).count();
    assert!(shared > 0, "{program}");
    assert!(program.arena_bytes <= 4 * 256, "{program}");
}

/// A loop overwrites an operand at its last use: however many loops follow each other, the arena
/// holds one of their values and a product, also after a relayout for a device.
#[test]
fn consecutive_loops_need_one_buffer() {
    let g = Recorder::default();
    let x = g.input("x", Role::Data, Type::new(DType::F32, [64, 64]));
    // A kernel that reads a flipped product cannot be fused with it.
    let last = (0..4).fold(x, |y, _| (y - y.contract(y).flip(&[0])).exp());
    let wanted = last.sum_keep(&[0, 1]).id();
    let mut program = g.read(|graph| compile(graph, &[wanted]));
    let matrix = 64 * 64 * 4;
    let is_stored = |buffer: &&brasa_compile::plan::Buffer| {
        buffer.ty.bytes() == matrix && matches!(buffer.place, Place::Arena(_))
    };
    assert!(program.buffers.iter().filter(is_stored).count() >= 7, "{program}");
    assert!(program.arena_bytes < 5 * matrix / 2, "{program}");
    program.relayout(|ty: &Type| ty.bytes(), usize::MAX);
    assert!(program.arena_bytes < 5 * matrix / 2, "{program}");
}

#[test]
fn arenas_have_few_gaps() {
    for n in 0..3 {
        let g = Recorder::default();
        let mut model = Model::new(&g);
        let loss = match n {
            0 => common::mlp(&mut model, 64, 48, 4),
            1 => common::cnn(&mut model),
            _ => common::gpt(&mut model, 4, 32, 32),
        };
        model.train(loss.expect("records")).expect("records");
        let program = g.read(|graph| compile(graph, &model.wanted));
        let (arena, live) = (program.arena_bytes, program.live_bytes);
        assert!(arena >= live && arena * 100 <= live * 103, "model {n}: {arena} of {live}");
        let inputs: usize = program.inputs.iter().map(|input| input.ty.bytes()).sum();
        assert_eq!(program.peak_bytes(), arena + inputs);
    }
}

/// Buffers that are live at the same time are disjoint and do not cross a page, however long
/// elements are.
#[test]
fn live_buffers_are_disjoint_after_relayout() {
    let g = Recorder::default();
    let mut model = Model::new(&g);
    let loss = common::gpt(&mut model, 4, 32, 32).expect("records");
    model.train(loss).expect("records");
    let before = g.read(|graph| compile(graph, &model.wanted));
    // Longer elements for some types, as on devices without 64-bit integers.
    let bytes = |ty: &Type| ty.elements() * if ty.dtype == DType::F32 { 4 } else { 16 };
    let longest = before.buffers.iter().map(|buffer| bytes(&buffer.ty)).max().unwrap_or(0);
    for page in [longest.next_multiple_of(256), (4 * longest).next_multiple_of(256), usize::MAX] {
        let mut program = before.clone();
        program.relayout(bytes, page);
        let mut taken: Vec<(usize, usize, &brasa_compile::plan::Buffer)> = Vec::new();
        for buffer in &program.buffers {
            let Place::Arena(at) = buffer.place else { continue };
            let end = at + bytes(&buffer.ty);
            assert!(end <= program.arena_bytes && at / page == (end - 1) / page, "page {page}");
            for &(other_at, other_end, other) in &taken {
                // A result may reuse the buffer of an operand at its last use.
                let is_over = buffer.first == other.last || other.first == buffer.last;
                let is_same = at == other_at && end == other_end && is_over;
                let is_apart = buffer.first > other.last || other.first > buffer.last;
                let is_disjoint = at >= other_end || other_at >= end;
                assert!(is_disjoint || is_apart || is_same, "page {page}:\n{program}");
            }
            taken.push((at, end, buffer));
        }
        let shared = |program: &Program| {
            let places: Vec<Place> = program.buffers.iter().map(|buffer| buffer.place).collect();
            (0..places.len()).filter(|&n| places[..n].contains(&places[n])).count()
        };
        assert!(2 * shared(&program) > shared(&before), "page {page}: no memory is reused");
        assert!(program.arena_bytes >= program.live_bytes);
    }
}
