//! Flops and bytes of kernels, compared with figures computed by hand.
use brasa_compile::kernel::{Body, Kernel};
use brasa_compile::{compile, grad};
use brasa_ir::compose::*;
use brasa_ir::ops::{Op, Role};
use brasa_ir::{DType, Expr, Id, Recorder, Type};

fn tensor<'g>(g: &'g Recorder, shape: &[usize]) -> Expr<'g> {
    g.input("x", Role::Data, Type::new(DType::F32, shape))
}

fn kernels(g: &Recorder, wanted: &[Expr]) -> Vec<Kernel> {
    let wanted: Vec<Id> = wanted.iter().map(Expr::id).collect();
    let program = g.read(|graph| compile(graph, &wanted));
    program.launches.into_iter().map(|launch| launch.kernel).collect()
}

/// Flops and bytes of the only kernel.
#[track_caller]
fn cost(g: &Recorder, wanted: &[Expr]) -> (usize, usize) {
    let kernels = kernels(g, wanted);
    let [kernel] = &kernels[..] else { panic!("{} kernels", kernels.len()) };
    (kernel.flops(), kernel.bytes())
}

#[test]
fn pointwise_flops_are_steps_times_elements() {
    let g = Recorder::default();
    let (a, b) = (tensor(&g, &[10, 20]), tensor(&g, &[10, 20]));
    assert_eq!(cost(&g, &[a * b + a]), (2 * 200, 3 * 200 * 4));
}

#[test]
fn a_broadcast_operand_is_read_once() {
    let g = Recorder::default();
    let (a, row) = (tensor(&g, &[10, 20]), tensor(&g, &[20]));
    assert_eq!(cost(&g, &[a + row]), (200, (200 + 20 + 200) * 4));
}

#[test]
fn elements_outside_all_views_are_not_counted() {
    let g = Recorder::default();
    let a = tensor(&g, &[10, 20]);
    let left = a.narrow(1, 0, 5) * a.narrow(1, 0, 5);
    assert_eq!(cost(&g, &[left]), (50, (50 + 50) * 4));
    let padded = a.pad(0, 3, 3, 0.0).relu();
    assert_eq!(cost(&g, &[padded]).1, (200 + 16 * 20) * 4);
}

#[test]
fn overlapping_windows_are_read_once() {
    let g = Recorder::default();
    let a = tensor(&g, &[100]);
    let sums = a.window(0, 5, 1, 1).sum(&[1]);
    assert_eq!(cost(&g, &[sums]), (96 * 5, (100 + 96) * 4));
    let neighbours = a.narrow(0, 0, 99) + a.narrow(0, 1, 99);
    assert_eq!(cost(&g, &[neighbours]), (99, (100 + 99) * 4));
}

#[test]
fn a_reduction_counts_its_operand_elements() {
    let g = Recorder::default();
    let a = tensor(&g, &[10, 20]);
    assert_eq!(cost(&g, &[a.sum(&[1])]), (200, (200 + 10) * 4));
}

#[test]
fn a_product_counts_two_m_n_k_and_its_epilogue() {
    let g = Recorder::default();
    let (a, b) = (tensor(&g, &[7, 3, 4]), tensor(&g, &[7, 4, 5]));
    let bytes = 7 * (12 + 20 + 15) * 4;
    assert_eq!(cost(&g, &[a.contract(b)]), (7 * 2 * 3 * 4 * 5, bytes));
    let (a, b) = (tensor(&g, &[32, 64]), tensor(&g, &[64, 48]));
    let (product, bytes) = (2 * 32 * 64 * 48, (32 * 64 + 64 * 48 + 32 * 48) * 4);
    assert_eq!(cost(&g, &[a.contract(b).relu()]), (product + 32 * 48, bytes));
}

/// Padding does not count, so a convolution and its gradients have the same cost.
#[test]
fn a_convolution_and_its_gradients_cost_the_same() {
    let g = Recorder::default();
    let (x, w) = (tensor(&g, &[2, 3, 10, 12]), tensor(&g, &[4, 3, 3, 3]));
    for (stride, padding) in [(1, 0), (1, 1), (2, 1), (3, 2)] {
        let padding = Padding::Sides(vec![padding]);
        let y = conv2d(&g, x, w, None, vec![stride], Some(padding), vec![1], 1).expect("records");
        let gradients = grad(&g, &[y], &[None], &[x, w]).expect("differentiates");
        let wanted: Vec<Expr> = gradients.into_iter().flatten().chain([y]).collect();
        let is_conv = |k: &&Kernel| matches!(&k.body, Body::Library { op: Op::Conv(_), .. });
        let all = kernels(&g, &wanted);
        let flops: Vec<usize> = all.iter().filter(is_conv).map(Kernel::flops).collect();
        assert_eq!(flops.len(), 3);
        assert!(flops.iter().all(|&f| f == flops[0]), "stride {stride}: {flops:?}");
        if stride == 1 && y.len(2) == 8 {
            assert_eq!(flops[0], 2 * y.elements() * 3 * 3 * 3);
        }
    }
}

#[test]
fn a_gather_reads_only_the_gathered_rows() {
    let g = Recorder::default();
    let table = tensor(&g, &[1000, 8]);
    let index = g.input("i", Role::Data, Type::new(DType::I64, [3]));
    let rows = embedding(&g, index, table, None).expect("records");
    assert_eq!(cost(&g, &[rows]), (0, 3 * 8 * 4 + 3 * 8 + 3 * 8 * 4));
}
