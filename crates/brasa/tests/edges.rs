//! Edge cases: limits, infinities and NaN, empty batches, narrow types.
use brasa::nn::{BatchNorm1d, Interpolation, Module, Param};
use brasa::{DType, Tensor, optim};

const INF: f32 = f32::INFINITY;

fn floats(x: &Tensor) -> Vec<f32> {
    x.to(DType::F32).to_vec::<f32>().expect("a value")
}

/// Equal, or both NaN.
fn assert_same(name: &str, got: &Tensor, want: &[f32]) {
    let got = floats(got);
    let is_same = |(a, b): (&f32, &f32)| a == b || (a.is_nan() && b.is_nan());
    let all = got.len() == want.len() && got.iter().zip(want).all(is_same);
    assert!(all, "{name}: {got:?}, expected {want:?}");
}

fn assert_close(name: &str, got: f32, want: f32) {
    assert!((got - want).abs() <= 5e-3 * want.abs(), "{name}: {got}, expected {want}");
}

#[test]
fn no_gradient_passes_at_the_limits_of_a_clamp() {
    type Clamp = fn(&Tensor) -> Tensor;
    let rows: [(&str, Clamp, [f32; 5]); 5] = [
        ("clamp", |x| x.clamp(-1.0, 1.0), [0.0, 0.0, 1.0, 0.0, 0.0]),
        ("clamp_min", |x| x.clamp_min(-1.0), [0.0, 0.0, 1.0, 1.0, 1.0]),
        ("clamp_max", |x| x.clamp_max(1.0), [1.0, 1.0, 1.0, 0.0, 0.0]),
        ("hardtanh", |x| x.hardtanh(), [0.0, 0.0, 1.0, 0.0, 0.0]),
        ("relu6", |x| (x * 3.0).relu6() / 3.0, [0.0, 0.0, 0.0, 1.0, 0.0]),
    ];
    for (name, clamp, want) in rows {
        let x = Tensor::new([-2.0, -1.0, 0.0, 1.0, 2.0]).requires_grad(true);
        clamp(&x).sum(..).backward();
        assert_same(name, &x.grad().expect("a gradient"), &want);
    }
}

#[test]
fn infinities_affect_only_their_windows() {
    let x = Tensor::new([[INF, 1.0, 2.0, 3.0, 4.0]]);
    assert_same("adaptive_avg_pool1d", &x.adaptive_avg_pool1d(3), &[INF, 2.0, 3.5]);
    let x = x.reshape([1, 1, 5]);
    let area = x.interpolate_with(|o| o.size(2).mode(Interpolation::Area));
    assert_same("area", &area, &[INF, 3.0]);
    let x = Tensor::new([[[f32::NAN, 1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0, 8.0]]]);
    let y = x.adaptive_avg_pool2d(2);
    assert_same("adaptive_avg_pool2d", &y, &[f32::NAN, 3.0, 5.0, 6.0]);
    // Antialiased shrinking from 7 to 2: the second element does not cover the first ones.
    let mut row = [1.0; 49];
    row[0] = INF;
    let y = Tensor::new(row).reshape([7, 7]).resize_with([2, 2], |o| o.antialias(true));
    let y = floats(&y);
    assert!(y[0] == INF && y[1..].iter().all(|y| (y - 1.0).abs() < 1e-5), "resize: {y:?}");
}

#[test]
fn gradients_of_uneven_windows_are_divided_by_their_size() {
    let x = Tensor::zeros([1, 5]).requires_grad(true);
    (x.adaptive_avg_pool1d(3) * Tensor::new([6.0, 12.0, 24.0])).sum(..).backward();
    let dx = x.grad().expect("a gradient");
    assert_same("adaptive_avg_pool1d", &dx, &[3.0, 7.0, 4.0, 16.0, 12.0]);
}

#[test]
fn grid_sample_reads_zeros_outside_the_image() {
    let image = Tensor::new([[[[INF, 1.0], [2.0, 3.0]]]]);
    // Beyond the lower right corner; half outside on the right; completely outside.
    let grid = Tensor::new([[[[0.5, 1.5], [1.0, 0.5], [9.0, 9.0]]]]);
    assert_same("grid_sample", &image.grid_sample(&grid), &[0.0, 1.5, 0.0]);
    let grid = grid.requires_grad(true);
    image.grid_sample(&grid).sum(..).backward();
    let slopes = floats(&grid.grad().expect("a gradient"));
    assert!(slopes.iter().all(|slope| slope.is_finite()), "{slopes:?}");
}

#[test]
fn empty_batches_do_not_change_running_statistics() {
    let norm = BatchNorm1d::new(2);
    let seen = |norm: &BatchNorm1d| (floats(&norm.running_mean), floats(&norm.running_var));
    norm.forward(&Tensor::new([[1.0, 2.0], [3.0, 6.0]]));
    let before = seen(&norm);
    norm.forward(&Tensor::zeros([0, 2]));
    norm.forward(&Tensor::zeros([0, 2, 3]));
    assert_eq!(seen(&norm), before);
    assert_eq!(before.0, [0.2, 0.4]);
    assert_eq!(norm.num_batches_tracked.item::<i64>().expect("a count"), 3);
    assert_eq!(norm.parameters().len(), 2);
}

#[test]
fn masks_select_the_elements_to_set() {
    let new = || Tensor::new([[1.0, -2.0, 3.0], [-4.0, 5.0, -6.0]]);
    let x = new();
    x.set(&x.lt(0.0), 0.0);
    assert_same("all axes", &x, &[1.0, 0.0, 3.0, 0.0, 5.0, 0.0]);
    let x = new();
    x.set(&Tensor::new([false, true]), Tensor::new([7.0, 8.0, 9.0]));
    assert_same("leading axes", &x, &[1.0, -2.0, 3.0, 7.0, 8.0, 9.0]);
    let x = new();
    x.set((.., &Tensor::new([true, false, true])), Tensor::new([[7.0], [8.0]]));
    assert_same("trailing axes", &x, &[7.0, -2.0, 7.0, 8.0, 5.0, 8.0]);
    let x = new();
    x.set((1, &Tensor::new([true, false, true])), 0.0);
    assert_same("of a row", &x, &[1.0, -2.0, 3.0, 0.0, 5.0, 0.0]);
    let x = new();
    x.i(1).set(&Tensor::new([true, false, true]), f32::NAN);
    assert_same("of a view", &x, &[1.0, -2.0, 3.0, f32::NAN, 5.0, f32::NAN]);
    let x = Tensor::new(-1.0);
    x.set(&x.lt(0.0), 0.0);
    assert_same("a scalar", &x, &[0.0]);
}

#[test]
fn one_hot_rejects_classes_out_of_range() {
    let error = |class: i64| {
        let y = Tensor::new([0, class]).one_hot_with(|o| o.num_classes(3));
        y.to_vec::<i64>().map_err(|error| error.to_string())
    };
    assert_eq!(error(2).expect("a class"), [1, 0, 0, 0, 0, 1]);
    for class in [3, -1] {
        let what = format!("one_hot: index {class} is out of range for axis 1 of length 3");
        let error = error(class).expect_err("no class");
        assert!(error.starts_with(&what), "{error}");
    }
}

#[test]
fn norms_of_narrow_gradients_are_computed_in_f32() {
    for dtype in [DType::F16, DType::BF16, DType::F32] {
        let w = Param::new(Tensor::zeros([2]).to(dtype));
        let grad = || w.set_grad(Some(Tensor::new([3e4, 4e4]).to(dtype)));
        grad();
        let norm = optim::clip_grad_norm([&w], 1.0).item::<f32>().expect("a norm");
        assert_close("clip_grad_norm", norm, 5e4);
        let clipped = w.grad().expect("a gradient");
        assert_eq!(clipped.dtype(), dtype);
        assert_close("clipped", floats(&clipped)[0], 0.6);
        grad();
        assert_close("norm", optim::normalize_grads([&w]).item::<f32>().expect("a norm"), 5e4);
        assert_close("normalized", floats(&w.grad().expect("a gradient"))[1], 0.8);
    }
    let x = Tensor::new([[300.0, 400.0]]).to(DType::F16);
    let zeros = Tensor::zeros([1, 2]).to(DType::F16);
    assert_close("pairwise_distance", floats(&x.pairwise_distance(&zeros))[0], 500.0);
    assert_close("cdist", floats(&x.cdist(&zeros))[0], 500.0);
    assert_close("cosine_similarity", floats(&x.cosine_similarity(&x, 1))[0], 1.0);
}

#[test]
fn large_terms_are_divided_before_they_are_added() {
    let (x, s) = (Tensor::new([[3e38, 3e38]]), Tensor::new([[10.0]]));
    assert_same("a sum", &(&x / &s).sum(1), &[6e37]);
    assert_same("two quotients", &(&x / &s + &x / &s), &[6e37, 6e37]);
    assert_same("products", &(&x * Tensor::new([[0.5]])).sum(1), &[3e38]);
    assert_same("a number", &(&x * 0.5).sum(1), &[3e38]);
    let (y, zero) = (Tensor::new([[0.0, 1.0]]), Tensor::new([[0.0]]));
    assert_same("by zero", &(&y / &zero).sum(1), &[f32::NAN]);
    assert_same("two by zero", &(&y / &zero + 1.0 / &zero), &[f32::NAN, INF]);
    // Narrow types overflow at ordinary values.
    for dtype in [DType::F16, DType::F32] {
        let (x, s) = (Tensor::full([1, 1000], 100.0).to(dtype), Tensor::new([[1000.0]]).to(dtype));
        assert_close("narrow sum", floats(&(&x / &s).sum(1))[0], 100.0);
        assert_close("narrow product", floats(&(&x * (1.0 / &s)).sum(1))[0], 100.0);
        let x = Tensor::new([6e4]).to(dtype);
        let s = Tensor::new([100.0]).to(dtype);
        assert_close("narrow quotients", floats(&(&x / &s + &x / &s))[0], 1200.0);
    }
}

#[test]
fn a_sum_with_zero_has_no_negative_zero() {
    let y = Tensor::new([-0.0, 1.0]) + 0.0;
    assert!(floats(&y)[0].is_sign_positive());
}

#[test]
fn lerp_reaches_both_ends() {
    let (a, b) = (Tensor::new([1e8, 0.1, -3.0]), Tensor::new([1.0, 0.3, 7.0]));
    assert_same("start", &a.lerp(&b, 0.0), &floats(&a));
    assert_same("end", &a.lerp(&b, 1.0), &floats(&b));
    let w = Tensor::new([1.0, 1.0, 0.5]);
    assert_same("tensor", &a.lerp(&b, &w), &[1.0, 0.3, 2.0]);
}
