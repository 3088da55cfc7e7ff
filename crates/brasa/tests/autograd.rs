//! Gradients against known values, and their correctness across flushes, in-place updates and
//! threads.
use brasa::{DType, Tensor, catch, grad_with, no_grad, ops};

fn floats(x: &Tensor) -> Vec<f32> {
    x.to_vec::<f32>().expect("a value")
}

#[test]
fn gradients_of_products_and_sums_are_correct() {
    let x = Tensor::new([[1.0, 2.0], [3.0, 4.0]]).requires_grad(true);
    let w = Tensor::new([[0.5], [-1.0]]).requires_grad(true);
    let y = x.matmul(&w);
    y.square().sum(..).backward();
    // y = [-1.5, -2.5]; dw = 2 xᵀ y; dx = 2 y wᵀ
    assert_eq!(floats(&w.grad().unwrap()), [-18.0, -26.0]);
    assert_eq!(floats(&x.grad().unwrap()), [-1.5, 3.0, -2.5, 5.0]);
}

#[test]
fn gradients_accumulate_until_they_are_cleared() {
    let x = Tensor::new([3.0]).requires_grad(true);
    for want in [6.0, 12.0] {
        x.square().sum(..).backward();
        assert_eq!(floats(&x.grad().unwrap()), [want]);
    }
    x.set_grad(None);
    x.square().sum(..).backward();
    assert_eq!(floats(&x.grad().unwrap()), [6.0]);
}

#[test]
fn reading_before_backward_does_not_change_gradients() {
    let x = Tensor::new([1.0, 2.0]).requires_grad(true);
    let h = x.exp();
    let loss = (&h * 3.0).sum(..);
    let before = loss.item::<f32>().unwrap();
    assert!((before - 3.0 * (1f32.exp() + 2f32.exp())).abs() < 1e-4);
    loss.backward();
    let got = floats(&x.grad().unwrap());
    for (got, want) in got.iter().zip([3.0 * 1f32.exp(), 3.0 * 2f32.exp()]) {
        assert!((got - want).abs() < 1e-4, "{got} vs {want}");
    }
    assert_eq!(loss.item::<f32>().unwrap(), before);
}

#[test]
fn a_graph_is_released_after_backward_unless_retained() {
    let x = Tensor::new([2.0]).requires_grad(true);
    let y = x.square().sum(..);
    y.backward_with(|o| o.retain_graph(true));
    y.backward();
    assert_eq!(floats(&x.grad().unwrap()), [8.0]);
    let error = catch(|| y.backward()).unwrap_err().to_string();
    assert!(error.contains("has released") && error.contains("autograd.rs"), "{error}");
}

#[test]
fn second_derivatives_are_correct() {
    let x = Tensor::new([2.0, -1.0]).requires_grad(true);
    let first = grad_with(&[&x.pow(3.0)], &[&x], |o| o.create_graph(true)).remove(0).unwrap();
    assert_eq!(floats(&first), [12.0, 3.0]);
    first.sum(..).backward();
    assert_eq!(floats(&x.grad().unwrap()), [12.0, -6.0]);
}

#[test]
fn no_gradient_flows_through_no_grad_and_detach() {
    let x = Tensor::new([2.0]).requires_grad(true);
    let frozen = no_grad(|| &x * 5.0);
    (&x * &frozen + &x * x.detach()).sum(..).backward();
    assert_eq!(floats(&x.grad().unwrap()), [12.0]);
}

#[test]
fn retain_grad_keeps_gradients_of_non_leaves() {
    let x = Tensor::new([2.0]).requires_grad(true);
    let h = &x * 3.0;
    h.retain_grad();
    h.square().sum(..).backward();
    assert_eq!(floats(&h.grad().unwrap()), [12.0]);
    assert_eq!(floats(&x.grad().unwrap()), [36.0]);
}

#[test]
fn in_place_updates_keep_values_that_backward_needs() {
    let x = Tensor::new([2.0]).requires_grad(true);
    let h = &x * 1.0;
    let y = h.square().sum(..);
    h.add_(10.0);
    y.backward();
    assert_eq!(floats(&x.grad().unwrap()), [4.0], "y was computed from the old value");
    assert_eq!(floats(&h), [12.0]);
}

#[test]
fn in_place_arithmetic_updates_all_handles_and_views() {
    type InPlace = fn(&Tensor) -> &Tensor;
    let rows: [(&str, InPlace, [f32; 2]); 6] = [
        ("add_", |x| x.add_(10.0), [12.0, 13.0]),
        ("sub_", |x| x.sub_(Tensor::new([1.0, 2.0])), [1.0, 1.0]),
        ("mul_", |x| x.mul_(3.0), [6.0, 9.0]),
        ("div_", |x| x.div_(2.0), [1.0, 1.5]),
        ("pow_", |x| x.pow_(2.0), [4.0, 9.0]),
        ("neg_", |x| x.neg_(), [-2.0, -3.0]),
    ];
    for (name, update, want) in rows {
        let x = Tensor::new([2.0, 3.0]);
        let (other, view) = (x.clone(), x.i(1));
        let before = x.version();
        assert!(update(&x).is_same(&x), "{name} does not return the tensor itself");
        assert_eq!(floats(&other), want, "{name}");
        assert_eq!(floats(&view), want[1..], "{name}, through a view");
        assert_eq!(x.version(), before + 1, "{name}");
    }
    let wrong = catch(|| Tensor::ones([2]).add_(Tensor::ones([3, 2])).clone()).unwrap_err();
    assert!(wrong.to_string().contains("does not broadcast"), "{wrong}");
    let wrong = catch(|| Tensor::ones([1]).expand([3]).add_(1.0).clone()).unwrap_err();
    assert!(wrong.to_string().contains("share one memory location"), "{wrong}");
}

#[test]
fn elements_are_set_by_position() {
    let x = Tensor::zeros([2, 3, 2]);
    x.set((1, 2, 0), 5.0).set((0, -1, 1), 7.0);
    x.set((0, 0), Tensor::new([1.0, 2.0]));
    let want = [1.0, 2.0, 0.0, 0.0, 0.0, 7.0, 0.0, 0.0, 0.0, 0.0, 5.0, 0.0];
    assert_eq!(floats(&x), want);
    assert!(catch(|| x.set((2, 0, 0), 1.0).clone()).is_err());
}

#[test]
fn setting_the_gradient_to_none_clears_it() {
    let w = Tensor::new([3.0]).requires_grad(true);
    assert!(w.grad().is_none());
    w.square().sum(..).backward();
    w.set_grad(None);
    assert!(w.grad().is_none());
    w.square().sum(..).backward();
    assert_eq!(floats(&w.grad().unwrap()), [6.0]);
}

#[test]
fn views_stay_views_across_automatic_flushes() {
    // A recording is flushed when it exceeds 20,000 nodes, in the middle of this loop.
    let x = Tensor::zeros([2, 3]);
    let views: Vec<Tensor> = (0..21_000).map(|_| x.reshape([6])).collect();
    x.fill_(1.0);
    for view in views[19_900..20_100].iter().chain([&views[0], &views[20_999]]) {
        assert_eq!(floats(view), [1.0; 6]);
    }
}

#[test]
fn views_share_memory() {
    let x = Tensor::zeros([2, 3]);
    let row = x.i(1);
    let column = x.transpose(0, 1).select(0, 2);
    row.fill_(7.0);
    assert_eq!(floats(&x), [0.0, 0.0, 0.0, 7.0, 7.0, 7.0]);
    assert_eq!(floats(&column), [0.0, 7.0]);
    column.add_(1.0);
    assert_eq!(floats(&x), [0.0, 0.0, 1.0, 7.0, 7.0, 8.0]);
    assert_eq!(floats(&row), [7.0, 7.0, 8.0]);
    x.set((.., brasa::step(0.., 2)), -1.0);
    assert_eq!(floats(&x), [-1.0, 0.0, -1.0, -1.0, 7.0, -1.0]);
    assert_eq!(x.version(), row.version());
}

#[test]
fn leaves_are_updated_in_no_grad_only() {
    let w = Tensor::new([1.0]).requires_grad(true);
    let error = catch(|| w.add_(1.0).clone()).unwrap_err().to_string();
    assert!(error.contains("no_grad"), "{error}");
    no_grad(|| w.add_(1.0).clone());
    assert_eq!(floats(&w), [2.0]);
    w.square().sum(..).backward();
    assert_eq!(floats(&w.grad().unwrap()), [4.0]);
}

#[test]
fn errors_name_op_operands_and_call_site() {
    let wrong = catch(|| Tensor::ones([2, 3]).matmul(&Tensor::ones([2, 3])));
    let error = wrong.unwrap_err().to_string();
    for part in ["matmul: ", "f32[2, 3]", "tests/autograd.rs:"] {
        assert!(error.contains(part), "{part} in {error}");
    }
    let panic = std::panic::catch_unwind(|| Tensor::ones([2]).reshape([3]));
    let text = panic.unwrap_err().downcast::<String>().expect("a text");
    assert!(text.contains("reshape") && text.contains("tests/autograd.rs:"), "{text}");
    assert_eq!(floats(&Tensor::ones([2])), [1.0, 1.0], "recording does not continue");
}

#[test]
fn bad_data_are_reported_when_read() {
    let x = Tensor::ones([2, 2]);
    let picked = x.index_select(0, &Tensor::new([5]));
    let further = &picked * 2.0;
    assert!(further.to_vec::<f32>().is_err());
    assert_eq!(floats(&x), [1.0; 4]);
}

#[test]
fn tensors_can_be_used_by_other_threads() {
    let x = Tensor::new([1.0, 2.0]).requires_grad(true);
    let pending = &x * 2.0;
    let sum = std::thread::scope(|scope| {
        let spawned = scope.spawn(|| (&pending + 1.0).sum(..));
        spawned.join().expect("no panic")
    });
    assert_eq!(sum.item::<f32>().unwrap(), 8.0);
    assert_eq!((sum + 1).item::<f32>().unwrap(), 9.0);
}

#[test]
fn ops_with_data_dependent_shapes_read_data() {
    let x = Tensor::new([3.0, 0.0, 3.0, 1.0]);
    assert_eq!((&x * 2.0).unique().to_vec::<f32>().unwrap(), [0.0, 2.0, 6.0]);
    assert_eq!(x.nonzero().to_vec::<i64>().unwrap(), [0, 2, 3]);
    assert_eq!(x.masked_select(&x.gt(2.0)).shape(), [2]);
    assert_eq!(ops::cat([&x, &x], 0).dtype(), DType::F32);
}

#[test]
fn requires_grad_keeps_the_history_of_computed_tensors() {
    let w = Tensor::new([1.0, 2.0]).requires_grad(true);
    let y = (&w * 3.0).requires_grad(true);
    y.square().sum(..).backward();
    assert_eq!(w.grad().expect("no history").to_vec::<f32>().unwrap(), [18.0, 36.0]);
    let y = &w * 3.0;
    let error = brasa::catch(|| y.set_requires_grad(false)).unwrap_err().to_string();
    assert!(error.contains("only a leaf") && error.contains("detach"), "{error}");
    assert!(!y.detach().requires_grad(false).is_tracked());
}

#[test]
fn in_place_updates_reject_results_that_lose_fractions() {
    type Update = fn(&Tensor) -> &Tensor;
    let rows: [(&str, Update); 6] = [
        ("add_", |x| x.add_(1.5)),
        ("mul_", |x| x.mul_(Tensor::new([0.5]))),
        ("div_", |x| x.div_(2)),
        ("exp_", |x| x.exp_()),
        ("sigmoid_", |x| x.sigmoid_()),
        ("reciprocal_", |x| x.reciprocal_()),
    ];
    for (name, update) in rows {
        let x = Tensor::new([4, 5]);
        let error = catch(|| _ = update(&x)).expect_err(name).to_string();
        assert!(error.starts_with(name) && error.contains("cannot hold"), "{error}");
        assert_eq!(x.to_vec::<i64>().unwrap(), [4, 5], "{name} has changed the tensor");
    }
    assert_eq!(Tensor::new([4, 5]).add_(1).neg_().to_vec::<i64>().unwrap(), [-5, -6]);
    assert_eq!(Tensor::new([4.0]).add_(1).to_vec::<f32>().unwrap(), [5.0]);
}

#[test]
fn operators_follow_pytorch() {
    let (x, y) = (Tensor::new([7, -7, 12]), Tensor::new([3, 3, 10]));
    let rows: Vec<(&str, Tensor, [i64; 3])> = vec![
        ("%", &x % &y, [1, 2, 2]),
        ("number %", 20 % &y, [2, 2, 0]),
        ("&", &x & &y, [3, 1, 8]),
        ("|", &x | &y, [7, -5, 14]),
        ("^", &x ^ 1, [6, -8, 13]),
        ("!", !&x, [-8, 6, -13]),
    ];
    for (name, got, want) in rows {
        assert_eq!(got.to_vec::<i64>().unwrap(), want, "{name}");
    }
    let mask = &x.gt(0) & &!y.eq(3);
    assert_eq!(mask.to_vec::<bool>().unwrap(), [false, false, true]);
    // Operators with assignment update in place: visible through all handles.
    let mut a = Tensor::new([1.0, 2.0]);
    let other = a.clone();
    a += 3.0;
    a *= &Tensor::new([2.0, 4.0]);
    a -= 1;
    a /= 2.0;
    assert_eq!(other.to_vec::<f32>().unwrap(), [3.5, 9.5]);
    let error = catch(|| {
        let mut n = Tensor::new([1]);
        n += 0.5;
    });
    assert!(error.unwrap_err().to_string().contains("cannot hold"));
}

#[test]
fn in_place_clamp_mask_fill_and_random_fill_work() {
    let x = Tensor::new([-3.0, 0.5, 9.0]);
    let view = x.i(1..);
    x.clamp_(-1.0, 2.0).masked_fill_(&Tensor::new([true, false, false]), 7.0);
    assert_eq!(x.to_vec::<f32>().unwrap(), [7.0, 0.5, 2.0]);
    assert_eq!(view.to_vec::<f32>().unwrap(), [0.5, 2.0], "the view is stale");
    let drawn = Tensor::zeros([4000]);
    let mean = |x: &Tensor| x.mean(..).item::<f32>().unwrap();
    drawn.normal_(5.0, 0.5);
    let variance = mean(&(&drawn - 5.0).square());
    assert!((mean(&drawn) - 5.0).abs() < 0.05 && (variance - 0.25).abs() < 0.03);
    drawn.uniform_(-2.0, 0.0);
    assert!((mean(&drawn) + 1.0).abs() < 0.05 && drawn.max().item::<f32>().unwrap() <= 0.0);
}

/// In-place updates by several threads are serialized.
#[test]
fn concurrent_in_place_updates_are_serialized() {
    let total = Tensor::zeros([2, 40]);
    let row = total.i(1);
    std::thread::scope(|threads| {
        for _ in 0..4 {
            threads.spawn(|| {
                for n in 0..300 {
                    match n % 3 {
                        0 => _ = total.add_(1.0),
                        1 => _ = row.add_(Tensor::ones([40])),
                        _ => _ = total.clone().i(0).sub_(2.0),
                    }
                    if n % 50 == 0 {
                        assert!(total.to_vec::<f32>().is_ok());
                    }
                }
            });
        }
    });
    let want: Vec<f32> = [-400.0, 800.0].iter().flat_map(|x| [*x; 40]).collect();
    assert_eq!(total.to_vec::<f32>().expect("a value"), want);
    assert_eq!(row.to_vec::<f32>().expect("a value"), [800.0; 40]);
}

#[test]
fn long_chains_are_computed_and_differentiated() {
    let x = Tensor::ones([8]).requires_grad(true);
    let mut y = x.clone();
    // Several flushes happen in between; the history is kept.
    for _ in 0..30_000 {
        y = &y * 1.000_01;
    }
    let want = (30_000.0 * 1.000_01f64.ln()).exp() as f32;
    assert!((floats(&y)[0] - want).abs() < 1e-2 * want, "{} {want}", floats(&y)[0]);
    y.sum(..).backward();
    let gradient = floats(&x.grad().unwrap())[0];
    assert!((gradient - want).abs() < 1e-2 * want, "{gradient} {want}");
}
