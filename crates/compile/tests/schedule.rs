//! Which nodes of larger graphs fuse into one kernel, and which values are stored; `passes/schedule`
//! tests small graphs.
use brasa_compile::kernel::{Granularity, Kernel, StepOp};
use brasa_compile::{Options, Target, compile, compile_with, grad};
use brasa_ir::compose::*;
use brasa_ir::ops::Role;
use brasa_ir::view::View;
use brasa_ir::{DType, Expr, Id, Recorder, Type};

fn input<'g>(g: &'g Recorder, role: Role, shape: &[usize]) -> Expr<'g> {
    g.input("x", role, Type::new(DType::F32, shape))
}

fn kernels(g: &Recorder, wanted: &[Expr]) -> Vec<Kernel> {
    let wanted: Vec<Id> = wanted.iter().map(|x| x.id()).collect();
    let program = g.read(|graph| compile(graph, &wanted));
    program.launches.into_iter().map(|launch| launch.kernel).collect()
}

fn names(kernels: &[Kernel]) -> Vec<String> {
    kernels.iter().map(|kernel| format!("{} {}", kernel.name(), kernel.domain)).collect()
}

/// The number of values per element that a kernel stores.
fn full_stores(kernel: &Kernel) -> usize {
    let is_full = |value: &&brasa_compile::kernel::Ref| {
        kernel.code.steps[value.index()].granularity == Granularity::PerElement
    };
    kernel.code.stores.iter().filter(is_full).count()
}

#[test]
fn softmax_and_its_gradient_are_one_kernel() {
    let g = Recorder::default();
    let (x, upstream) = (input(&g, Role::Data, &[64, 128]), input(&g, Role::Data, &[64, 128]));
    let y = softmax(&g, x, -1, None).expect("records");
    let dx = grad(&g, &[y], &[Some(upstream)], &[x]).expect("differentiates")[0].expect("depends");
    let kernels = kernels(&g, &[y, dx]);
    assert_eq!(names(&kernels), ["row3 [64, 128↓]"], "{}", kernels[0]);
    let reads = kernels.iter().map(|kernel| kernel.reads.len()).max();
    assert_eq!(reads, Some(2), "the input and the incoming gradient");
}

#[test]
fn a_backward_pass_recomputes_cheap_values() {
    let g = Recorder::default();
    let x = input(&g, Role::Data, &[64, 128]);
    let w = input(&g, Role::Param, &[128, 128]);
    let (gain, shift) = (input(&g, Role::Param, &[128]), input(&g, Role::Param, &[128]));
    let normal = layer_norm(&g, x, [128].into(), Some(gain), Some(shift), 1e-5).expect("records");
    let y = matmul(&g, normal, w).expect("records");
    let loss = sum(&g, y * y, None, false, None).expect("records");
    let found = grad(&g, &[loss], &[], &[x, gain, shift, w]).expect("differentiates");
    let found: Vec<Expr> = found.into_iter().map(|d| d.expect("depends")).collect();
    let kernels = kernels(&g, &found);
    let forward = &kernels[0];
    assert_eq!(forward.name(), "row2");
    assert_eq!(full_stores(forward), 1, "only the operand of the product is stored:\n{forward}");
}

/// Rows of 128 elements are reduced in the launch of their product only if they stay in cache.
#[test]
fn the_target_decides_which_rows_are_reduced() {
    let g = Recorder::default();
    let (a, b) = (input(&g, Role::Data, &[256, 64]), input(&g, Role::Data, &[64, 128]));
    let y = softmax(&g, a.contract(b), -1, None).expect("records");
    let launches = |target: Target| {
        let program = g.read(|graph| compile_with(graph, &[y.id()], &Options::new(target)));
        program.expect("compiles").launches.len()
    };
    let short_rows = |short_row_len, cached_operand_len| Target {
        short_row_len,
        cached_operand_len,
        ..Target::default()
    };
    assert_eq!(launches(Target::default()), 1);
    assert_eq!(launches(Target { reduced_row_lens: 32..=127, ..Target::default() }), 2);
    assert_eq!(launches(short_rows(127, 64 * 128)), 1);
    assert_eq!(launches(short_rows(127, 64 * 128 - 1)), 2);
}

#[test]
fn attention_is_one_kernel_and_stores_no_weights() {
    let g = Recorder::default();
    let (heads, t, d) = (4, 2048, 32);
    let [q, k, v] = [(); 3].map(|()| input(&g, Role::Data, &[heads, t, d]));
    let scores = q.contract(k.permute(&[0, 2, 1])) * 0.2;
    let weights = softmax(&g, scores, -1, None).expect("records");
    let y = weights.contract(v);
    let program = |chains_products: bool| {
        let options = Options::new(Target { chains_products, ..Target::default() });
        g.read(|graph| compile_with(graph, &[y.id()], &options)).expect("compiles")
    };
    let (chained, separate) = (program(true), program(false));
    assert_eq!(chained.launches.len(), 1, "{chained}");
    assert_eq!(chained.arena_bytes, heads * t * d * 4, "only the result is stored");
    assert_eq!(separate.arena_bytes, heads * t * (t + d) * 4);
    let [one, two] = [&chained, &separate].map(|program| -> (usize, usize) {
        let kernels = program.launches.iter().map(|launch| &launch.kernel);
        (kernels.clone().map(Kernel::flops).sum(), kernels.map(Kernel::bytes).sum())
    });
    assert_eq!(one.0, two.0, "the same arithmetic");
    assert_eq!(one.1 + 2 * heads * t * t * 4, two.1, "weights are neither written nor read");
}

/// Long chains of movement ops are split by stored values, as every reader would apply the whole
/// chain.
#[test]
fn long_chains_of_movement_are_split() {
    let g = Recorder::default();
    let launches = |moves: usize| {
        let x = (0..moves).fold(input(&g, Role::Data, &[4]), |x, n| match n % 2 {
            0 => x.pad(0, 1, 0, 0.0),
            _ => x.flip(&[0]),
        });
        kernels(&g, &[x]).len()
    };
    assert_eq!([20, 30, 100, 200].map(launches), [1, 1, 4, 7]);
}

#[test]
fn gradients_of_pools_of_any_size_need_no_division() {
    for (size, window, padding) in [(28, 2, 0), (14, 2, 0), (15, 3, 0), (32, 3, 1)] {
        let g = Recorder::default();
        let x = input(&g, Role::Data, &[4, 3, size, size]);
        let bias = input(&g, Role::Param, &[3, 1, 1]);
        let active = (x + bias).relu();
        let (stride, padding) = (Some(vec![2]), vec![padding]);
        let pooled = max_pool2d(&g, active, vec![window], stride, padding, vec![1], false, false);
        let y = pooled.expect("records")[0];
        let loss = sum(&g, y * y, None, false, None).expect("records");
        let found = grad(&g, &[loss], &[], &[x, bias]).expect("differentiates");
        let found: Vec<Expr> = found.into_iter().map(|d| d.expect("depends")).collect();
        assert_undivided(&kernels(&g, &found));
    }
}

/// Asserts that kernels read with constant strides, up to padding: views have one layer.
fn assert_undivided(kernels: &[Kernel]) {
    for kernel in kernels {
        let views = kernel.code.steps.iter().filter_map(|step| match &step.op {
            StepOp::Load { view, .. } | StepOp::Iota { view } => Some(view),
            _ => None,
        });
        let is_one_layer = |view: &View| view.layers().count() == 1;
        assert!(views.into_iter().all(is_one_layer), "{kernel}");
    }
}

#[test]
fn resized_images_need_no_division() {
    let g = Recorder::default();
    let x = input(&g, Role::Data, &[2, 8, 6, 6]);
    let factor = Some(vec![2.0]);
    let larger = interpolate(&g, x, None, factor, Interpolation::Bilinear, None, None, false);
    let shuffled = pixel_shuffle(&g, x, 2).expect("records");
    let pooled = adaptive_avg_pool2d(&g, larger.expect("records"), vec![Some(4)]);
    let (y, z) = (pooled.expect("records"), shuffled);
    let loss = sum(&g, y * y, None, false, None).expect("records")
        + sum(&g, z * z, None, false, None).expect("records");
    let found = grad(&g, &[loss], &[], &[x]).expect("differentiates");
    assert_undivided(&kernels(&g, &[loss, found[0].expect("depends")]));
}

#[test]
fn gradients_of_attention_heads_need_no_division() {
    let g = Recorder::default();
    let x = input(&g, Role::Data, &[2, 6, 8]);
    let (w, bias) = (input(&g, Role::Param, &[24, 8]), input(&g, Role::Param, &[24]));
    let (out, shift) = (input(&g, Role::Param, &[8, 8]), input(&g, Role::Param, &[8]));
    let (bias_in, bias_out) = (Some(bias), Some(shift));
    let both =
        multi_head_attention(&g, x, x, x, 2, w, bias_in, out, bias_out, None, true, None, 0.0);
    let y = both.expect("records").0;
    let loss = sum(&g, y * y, None, false, None).expect("records");
    let found = grad(&g, &[loss], &[], &[w, bias]).expect("differentiates");
    let found: Vec<Expr> = found.into_iter().map(|d| d.expect("depends")).collect();
    assert_undivided(&kernels(&g, &found));
}
