//! Which nodes fuse into one kernel, and which values are stored.
use brasa_compile::kernel::{Granularity, Kernel, StepOp};
use brasa_compile::{Options, compile, compile_with, grad};
use brasa_ir::compose::*;
use brasa_ir::ops::{Role, Write};
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

#[test]
fn an_update_fuses_with_the_reduction_of_its_gradient() {
    let g = Recorder::default();
    let (x, bias) = (input(&g, Role::Data, &[64, 128]), input(&g, Role::Param, &[128]));
    let state = input(&g, Role::State, &[128]);
    let y = (x + bias).exp();
    let loss = sum(&g, y, None, false, None).expect("records");
    let d = grad(&g, &[loss], &[], &[bias]).expect("differentiates")[0].expect("depends");
    let new_state = state * 0.9 + d;
    g.emit(Write {}, &[state, new_state]);
    g.emit(Write {}, &[bias, bias - new_state * 0.1]);
    let kernels = kernels(&g, &[]);
    assert_eq!(names(&kernels), ["row1 [64↓, 128]"], "{}", kernels[0]);
}

/// Two bias updates: separate launches on the CPU, one launch where launches are expensive, within
/// the limit on inputs.
#[test]
fn updates_share_a_launch_if_requested() {
    let g = Recorder::default();
    for _ in 0..2 {
        let (dy, bias) = (input(&g, Role::Data, &[64, 32]), input(&g, Role::Param, &[32]));
        g.push(Write {}, &[bias, bias - dy.sum(&[0])]).expect("records");
    }
    let launches = |joint_inputs: usize| {
        let options = Options { joint_inputs, ..Options::default() };
        let program = g.read(|graph| compile_with(graph, &[], &options)).expect("compiles");
        program.launches.len()
    };
    assert_eq!([0, 3, 4].map(launches), [2, 2, 1]);
}

/// A softmax after a matrix product: fused on the CPU, separate on devices that cannot reduce
/// products.
#[test]
fn products_are_reduced_only_by_devices_that_can() {
    let g = Recorder::default();
    let (a, b) = (input(&g, Role::Data, &[256, 64]), input(&g, Role::Data, &[64, 128]));
    let y = softmax(&g, a.contract(b), -1, None).expect("records");
    let launches = |reduces_products: bool| {
        let options = Options { reduces_products, ..Options::default() };
        let program = g.read(|graph| compile_with(graph, &[y.id()], &options)).expect("compiles");
        program.launches.len()
    };
    assert_eq!([true, false].map(launches), [1, 2]);
}

/// A product fuses with an independent reduction over the same domain, in any order of recording.
#[test]
fn a_product_and_a_reduction_of_other_rows_are_one_kernel() {
    for is_product_first in [true, false] {
        let g = Recorder::default();
        let [x, a, b] = [(); 3].map(|()| input(&g, Role::Data, &[64, 64]));
        let early = is_product_first.then(|| a.contract(b));
        let rows = softmax(&g, x, -1, None).expect("records");
        let product = early.unwrap_or_else(|| a.contract(b));
        let kernels = kernels(&g, &[product + rows]);
        assert_eq!(names(&kernels), ["contract+ [64, 64↓]"], "{}", kernels[0]);
    }
}

#[test]
fn a_cheap_operand_is_computed_while_it_is_packed() {
    let g = Recorder::default();
    let x = input(&g, Role::Data, &[64, 128]);
    let narrow = g.input("w", Role::Param, Type::new(DType::I8, [32, 128]));
    let scale = input(&g, Role::Param, &[32, 1]);
    let weight = narrow.cast(DType::F32) * scale.expand(&[32, 128]);
    let y = x.contract(weight.transposed());
    let count = |packs_prologues: bool| {
        let options = Options { packs_prologues, ..Options::default() };
        let program = g.read(|graph| compile_with(graph, &[y.id()], &options)).expect("compiles");
        let prologues = program.launches.iter().flat_map(|launch| launch.kernel.prologues());
        (program.launches.len(), prologues.count(), program.arena_bytes)
    };
    assert_eq!(count(true), (1, 1, 64 * 32 * 4), "the operand is never stored");
    assert_eq!(count(false), (2, 0, (64 * 32 + 32 * 128) * 4));
    let prologues = |wanted: &[Expr]| {
        let kernels = kernels(&g, wanted);
        (kernels.len(), kernels.iter().flat_map(|kernel| kernel.prologues()).count())
    };
    assert_eq!(
        prologues(&[x.relu().contract(weight.transposed())]),
        (2, 1),
        "it does not save bytes on the left"
    );
    let padded = weight.narrow(0, 8, 24).pad(0, 8, 0, 0.0).transposed();
    assert_eq!(prologues(&[x.contract(padded)]), (2, 0), "products cannot pack through padding");
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
        let options = Options { chains_products, ..Options::default() };
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

/// A product consumes rows of another product only unchanged, not after a reshape.
#[test]
fn products_of_reshaped_rows_are_not_chained() {
    let launches = |shape: [usize; 2]| {
        let g = Recorder::default();
        let (a, b) = (input(&g, Role::Data, &[64, 16]), input(&g, Role::Data, &[16, 64]));
        let weights = softmax(&g, a.contract(b), -1, None).expect("records").reshape(&shape);
        let values = input(&g, Role::Data, &[shape[1], 8]);
        kernels(&g, &[weights.contract(values)]).len()
    };
    assert_eq!([[64, 64], [32, 128], [128, 32]].map(launches), [1, 2, 2]);
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

#[test]
fn random_numbers_fuse_through_movement() {
    let g = Recorder::default();
    let x = input(&g, Role::Data, &[4, 3]);
    let noise = rand_like(&g, x, None).expect("records");
    let moved = noise.permute(&[1, 0]).reshape(&[4, 3]);
    assert_eq!(names(&kernels(&g, &[x * moved])), ["map [4, 3]"]);
}

/// Large short-lived values are consumed before the next one is computed, in any order of
/// recording. Inputs do not count, as they are never freed.
#[test]
fn kernels_that_free_memory_run_early() {
    let g = Recorder::default();
    let column = input(&g, Role::Data, &[256, 1]);
    let product = |_| {
        let x = input(&g, Role::Data, &[256, 256]);
        matmul(&g, x, x).expect("records")
    };
    let products: Vec<Expr> = (0..6).map(product).collect();
    let columns = products.iter().map(|&x| matmul(&g, x, column).expect("records"));
    let total = columns.reduce(|a, b| a + b).expect("there are columns");
    let options = Options { chains_products: false, ..Options::default() };
    let program = g.read(|graph| compile_with(graph, &[total.id()], &options)).expect("compiles");
    let (long, short) = (256 * 256 * 4, 256 * 4);
    assert!(program.arena_bytes <= long + 8 * short, "{program}");
}

/// Operands of concurrent kernels are live until all of these kernels have ended.
#[test]
fn operands_of_concurrent_kernels_are_freed_after_all_of_them() {
    let g = Recorder::default();
    let w = input(&g, Role::Param, &[32, 32]);
    let product = |x: Expr| matmul(&g, x, w).expect("records").id();
    let firsts: Vec<Id> = (0..6).map(|_| product(input(&g, Role::Data, &[32, 32]))).collect();
    let seconds: Vec<Id> = firsts.iter().map(|&x| product(g.expr(x))).collect();
    let options = Options { chains_products: false, ..Options::default() };
    let program = g.read(|graph| compile_with(graph, &seconds, &options)).expect("compiles");
    let concurrent = program.launches.iter().filter(|launch| launch.kernel.is_concurrent).count();
    assert_eq!((program.launches.len(), concurrent), (12, 10), "{program}");
    assert_eq!(program.arena_bytes, 12 * 32 * 32 * 4, "{program}");
}

/// A row value is updated in place on devices that read a row before they write it, if it depends
/// on a reduction and no element depends on the old value.
#[test]
fn row_values_are_updated_in_place() {
    let copies = |overwrites_rows: bool, update: fn(Expr, Expr) -> [Id; 2]| {
        let g = Recorder::default();
        let x = input(&g, Role::Data, &[64, 48]);
        let mean = input(&g, Role::State, &[64, 1]);
        let [new, wanted] = update(x, mean);
        g.push(Write {}, &[mean, g.expr(new)]).expect("records");
        let options = Options { overwrites_rows, ..Options::default() };
        let program = g.read(|graph| compile_with(graph, &[wanted], &options)).expect("compiles");
        assert_eq!(program.launches.len(), 1, "{program}");
        program.copies.len()
    };
    let running = |x: Expr, mean: Expr| {
        let new = mean * 0.9 + x.mean_keep(&[1]) * 0.1;
        [new.id(), (x - x.mean_keep(&[1])).id()]
    };
    let used_by_elements = |x: Expr, mean: Expr| {
        let new = mean * 0.9 + x.mean_keep(&[1]) * 0.1;
        [new.id(), ((x - x.mean_keep(&[1])) * mean).id()]
    };
    let flipped = |x: Expr, mean: Expr| {
        let new = mean.flip(&[0]) * 0.9 + x.mean_keep(&[1]) * 0.1;
        [new.id(), (x - x.mean_keep(&[1])).id()]
    };
    assert_eq!(copies(true, running), 0);
    assert_eq!(copies(false, running), 1, "the device does not support it");
    assert_eq!(copies(true, used_by_elements), 1);
    assert_eq!(copies(true, flipped), 1);
}
