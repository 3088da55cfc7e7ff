//! What becomes one kernel, and what it leaves in memory.
use brasa_compile::kernel::{Kernel, Level, What};
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

/// How many values of every element a kernel stores.
fn full_stores(kernel: &Kernel) -> usize {
    let is_full =
        |value: &&brasa_compile::kernel::Ref| kernel.code.steps[value.index()].level == Level::Full;
    kernel.code.stores.iter().filter(is_full).count()
}

#[test]
fn softmax_and_its_gradient_are_a_kernel_each() {
    let g = Recorder::default();
    let (x, upstream) = (input(&g, Role::Data, &[64, 128]), input(&g, Role::Data, &[64, 128]));
    let y = softmax(&g, x, -1, None).expect("records");
    let dx = grad(&g, &[y], &[Some(upstream)], &[x]).expect("differentiates")[0].expect("depends");
    let kernels = kernels(&g, &[y, dx]);
    assert_eq!(names(&kernels), ["row3 [64, 128↓]"], "{}", kernels[0]);
    let reads = kernels.iter().map(|kernel| kernel.reads.len()).max();
    assert_eq!(reads, Some(2), "the input and what comes from above");
}

#[test]
fn a_backward_pass_computes_what_is_cheap_again() {
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
fn an_update_joins_the_reduction_that_makes_its_gradient() {
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

/// Two biases' updates: alone on the CPU, together where launches are dear, and that without more
/// inputs than asked for.
#[test]
fn updates_share_a_launch_where_that_is_asked_for() {
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

/// A softmax behind a product: with it on the CPU, by itself on devices that cannot.
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

/// A product takes in the reduction of other rows with its domain, whichever was recorded first.
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
fn light_work_on_an_operand_is_done_while_it_is_packed() {
    let g = Recorder::default();
    let x = input(&g, Role::Data, &[64, 128]);
    let narrow = g.input("w", Role::Param, Type::new(DType::I8, [32, 128]));
    let scale = input(&g, Role::Param, &[32, 1]);
    let weight = narrow.cast(DType::F32) * scale.expand(&[32, 128]);
    let y = x.contract(weight.transposed());
    let count = |packs_work: bool| {
        let options = Options { packs_work, ..Options::default() };
        let program = g.read(|graph| compile_with(graph, &[y.id()], &options)).expect("compiles");
        let works = program.launches.iter().flat_map(|launch| launch.kernel.works());
        (program.launches.len(), works.count(), program.arena_bytes)
    };
    assert_eq!(count(true), (1, 1, 64 * 32 * 4), "the operand is never in memory");
    assert_eq!(count(false), (2, 0, (64 * 32 + 32 * 128) * 4));
    let works = |wanted: &[Expr]| {
        let kernels = kernels(&g, wanted);
        (kernels.len(), kernels.iter().flat_map(|kernel| kernel.works()).count())
    };
    assert_eq!(works(&[x.relu().contract(weight.transposed())]), (2, 1), "it reads no more bytes");
    let padded = weight.narrow(0, 8, 24).pad(0, 8, 0, 0.0).transposed();
    assert_eq!(works(&[x.contract(padded)]), (2, 0), "nor through padding");
}

#[test]
fn an_attention_is_one_kernel_and_keeps_no_weights() {
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
    let (chained, apart) = (program(true), program(false));
    assert_eq!(chained.launches.len(), 1, "{chained}");
    assert_eq!(chained.arena_bytes, heads * t * d * 4, "only the result is in memory");
    assert_eq!(apart.arena_bytes, heads * t * (t + d) * 4);
    let [one, two] = [&chained, &apart].map(|program| -> (usize, usize) {
        let kernels = program.launches.iter().map(|launch| &launch.kernel);
        (kernels.clone().map(Kernel::flops).sum(), kernels.map(Kernel::bytes).sum())
    });
    assert_eq!(one.0, two.0, "the same arithmetic");
    assert_eq!(one.1 + 2 * heads * t * t * 4, two.1, "weights are neither written nor read");
}

/// A product takes the rows of another as they are, not those that a reshape makes of them.
#[test]
fn rows_of_another_length_are_not_taken_while_they_are_hot() {
    let launches = |shape: [usize; 2]| {
        let g = Recorder::default();
        let (a, b) = (input(&g, Role::Data, &[64, 16]), input(&g, Role::Data, &[16, 64]));
        let weights = softmax(&g, a.contract(b), -1, None).expect("records").reshape(&shape);
        let values = input(&g, Role::Data, &[shape[1], 8]);
        kernels(&g, &[weights.contract(values)]).len()
    };
    assert_eq!([[64, 64], [32, 128], [128, 32]].map(launches), [1, 2, 2]);
}

/// Each reader of a movement goes all of its way: a long one is cut into parts.
#[test]
fn long_movement_is_cut_into_parts() {
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
        let (apart, padding) = (Some(vec![2]), vec![padding]);
        let pooled = max_pool2d(&g, active, vec![window], apart, padding, vec![1], false, false);
        let y = pooled.expect("records")[0];
        let loss = sum(&g, y * y, None, false, None).expect("records");
        let found = grad(&g, &[loss], &[], &[x, bias]).expect("differentiates");
        let found: Vec<Expr> = found.into_iter().map(|d| d.expect("depends")).collect();
        assert_undivided(&kernels(&g, &found));
    }
}

/// That what kernels read are steps of one length, though perhaps not everywhere.
fn assert_undivided(kernels: &[Kernel]) {
    for kernel in kernels {
        let views = kernel.code.steps.iter().filter_map(|step| match &step.what {
            What::Load { view, .. } | What::Iota { view } => Some(view),
            _ => None,
        });
        let is_one_layer = |view: &View| view.layers().count() == 1;
        assert!(views.into_iter().all(is_one_layer), "{kernel}");
    }
}

#[test]
fn images_of_another_size_need_no_division() {
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
fn gradients_of_heads_side_by_side_need_no_division() {
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
fn draws_are_seen_through_movement() {
    let g = Recorder::default();
    let x = input(&g, Role::Data, &[4, 3]);
    let noise = rand_like(&g, x, None).expect("records");
    let turned = noise.permute(&[1, 0]).reshape(&[4, 3]);
    assert_eq!(names(&kernels(&g, &[x * turned])), ["map [4, 3]"]);
}

/// Values that are long and soon of no use are used up before the next is made, whatever the order in
/// which they were recorded; inputs, which are never freed, do not count.
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
    let total = columns.reduce(|a, b| a + b).expect("there are some");
    let options = Options { chains_products: false, ..Options::default() };
    let program = g.read(|graph| compile_with(graph, &[total.id()], &options)).expect("compiles");
    let (long, short) = (256 * 256 * 4, 256 * 4);
    assert!(program.arena_bytes <= long + 8 * short, "{program}");
}

/// Kernels that run side by side keep what they read until all of them have ended.
#[test]
fn what_kernels_side_by_side_read_is_freed_behind_all_of_them() {
    let g = Recorder::default();
    let w = input(&g, Role::Param, &[32, 32]);
    let product = |x: Expr| matmul(&g, x, w).expect("records").id();
    let firsts: Vec<Id> = (0..6).map(|_| product(input(&g, Role::Data, &[32, 32]))).collect();
    let seconds: Vec<Id> = firsts.iter().map(|&x| product(g.expr(x))).collect();
    let options = Options { chains_products: false, ..Options::default() };
    let program = g.read(|graph| compile_with(graph, &seconds, &options)).expect("compiles");
    let beside = program.launches.iter().filter(|launch| launch.kernel.is_beside).count();
    assert_eq!((program.launches.len(), beside), (12, 10), "{program}");
    assert_eq!(program.arena_bytes, 12 * 32 * 32 * 4, "{program}");
}

/// A value of each row replaces the old one in place on devices that read a row before they write it, if
/// it waits for a reduction and no element needs the old value.
#[test]
fn values_of_rows_replace_old_ones_in_place() {
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
    let turned = |x: Expr, mean: Expr| {
        let new = mean.flip(&[0]) * 0.9 + x.mean_keep(&[1]) * 0.1;
        [new.id(), (x - x.mean_keep(&[1])).id()]
    };
    assert_eq!(copies(true, running), 0);
    assert_eq!(copies(false, running), 1, "the device has to be able to");
    assert_eq!(copies(true, used_by_elements), 1);
    assert_eq!(copies(true, turned), 1);
}
