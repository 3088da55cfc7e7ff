//! Gradients of views, of leaves that change after their use, and of released histories.
use brasa::{Tensor, catch, no_grad};

fn floats(x: &Tensor) -> Vec<f32> {
    x.to_vec::<f32>().expect("a value")
}

/// A leaf of two elements, 1 and 2.
fn leaf() -> Tensor {
    Tensor::new([1.0, 2.0]).requires_grad(true)
}

fn gradient(x: &Tensor) -> Vec<f32> {
    x.grad().map_or_else(Vec::new, |gradient| floats(&gradient))
}

#[test]
fn a_stale_view_keeps_its_gradient_regardless_of_its_first_use() {
    type Touch = fn(&Tensor);
    let touches: [Touch; 4] = [
        |v| _ = v.detach(),
        |v| _ = no_grad(|| v * 2.0),
        |v| _ = no_grad(|| v.item::<f32>()),
        |v| _ = v + 0.0,
    ];
    for (n, touch) in touches.into_iter().enumerate() {
        let x = leaf();
        let a = &x * 1.0;
        let v = a.i(0);
        a.mul_(3.0);
        touch(&v);
        (&v + a.i(1)).backward();
        assert_eq!(gradient(&x), [3.0, 3.0], "{n}: from a result");

        // The same for a leaf that was not computed when the view was made.
        for w in [leaf(), (Tensor::new([0.0, 1.0]) + 1.0).requires_grad(true)] {
            let v = w.i(0);
            no_grad(|| _ = w.mul_(2.0));
            touch(&v);
            let frozen = no_grad(|| &v * 3.0);
            assert!(!frozen.is_tracked() && v.is_tracked(), "{n}");
            (&frozen * &w).sum(..).backward();
            assert_eq!(gradient(&w), [6.0, 6.0], "{n}: a constant");
            let loss = &v * 5.0;
            assert_eq!(loss.item::<f32>().unwrap(), 10.0);
            loss.backward();
            assert_eq!(gradient(&w), [11.0, 6.0], "{n}: from a leaf");
        }
    }
}

#[test]
fn detached_views_stay_detached_after_updates_of_their_base() {
    let x = leaf();
    let a = &x * 1.0;
    let (detached, cut) = (a.detach(), no_grad(|| a.i(0)));
    a.mul_(3.0);
    assert_eq!((floats(&detached), floats(&cut)), (vec![3.0, 6.0], vec![3.0]));
    assert!(!detached.is_tracked() && !cut.is_tracked());
    (&detached * &x + &cut * &x).sum(..).backward();
    assert_eq!(gradient(&x), [6.0, 9.0]);
}

#[test]
fn retaining_a_gradient_does_not_count_it_twice() {
    let x = leaf();
    x.retain_grad();
    let h = &x * 3.0;
    h.retain_grad();
    h.retain_grad();
    h.square().sum(..).backward();
    assert_eq!((gradient(&h), gradient(&x)), (vec![6.0, 12.0], vec![18.0, 36.0]));
    // A tensor whose gradient was retained before it became a leaf.
    let w = Tensor::new([1.0]);
    w.retain_grad();
    let w = w.requires_grad(true);
    (&w * 2.0).backward();
    assert_eq!(gradient(&w), [2.0]);
}

#[test]
fn a_leaf_that_changes_after_its_use_gets_the_gradient_of_each_use() {
    type Change = fn(&Tensor);
    let rows: [(&str, Change); 5] = [
        ("updated", |w| no_grad(|| _ = w.mul_(0.5))),
        ("frozen", |w| {
            w.set_requires_grad(false);
            w.set_requires_grad(true);
        }),
        ("used while frozen", |w| {
            w.set_requires_grad(false);
            assert!(!(w * 7.0).is_tracked());
            w.set_requires_grad(true);
        }),
        ("read", |w| _ = floats(w)),
        ("updated and read", |w| {
            no_grad(|| _ = w.mul_(0.5));
            floats(w);
        }),
    ];
    for (name, change) in rows {
        for is_pending in [false, true] {
            let make = |x: [f32; 1]| match is_pending {
                true => (Tensor::new(x) + 0.0).requires_grad(true),
                false => Tensor::new(x).requires_grad(true),
            };
            let (w, u) = (make([3.0]), make([1.0]));
            let loss = (w.square() + &u * 3.0).sum(..);
            change(&w);
            let factor = floats(&w)[0];
            let both = (&loss + (&w * 10.0).sum(..)).sum(..);
            let found = brasa::grad_with(&[&both], &[&w, &u], |o| o.retain_graph(true));
            let found: Vec<f32> = found.iter().flat_map(|x| floats(x.as_ref().unwrap())).collect();
            assert_eq!(found, [16.0, 3.0], "{name}, {is_pending}");
            both.backward();
            // The gradient of the square uses the value that the square was computed from.
            assert_eq!(
                (gradient(&w), gradient(&u)),
                (vec![16.0], vec![3.0]),
                "{name}, {is_pending}"
            );
            no_grad(|| _ = w.sub_(w.grad().unwrap() * 0.5));
            assert_eq!(floats(&w), [factor - 8.0], "{name}, {is_pending}");
        }
    }
}

#[test]
fn uses_of_a_frozen_leaf_do_not_contribute_to_its_gradient() {
    for is_pending in [false, true] {
        let w = if is_pending { Tensor::new([1.0]) + 0.0 } else { Tensor::new([1.0]) };
        let w = w.requires_grad(true);
        let used = &w * 2.0;
        w.set_requires_grad(false);
        let frozen = &w * 5.0;
        w.set_requires_grad(true);
        (&used + &frozen + &w * 10.0).sum(..).backward();
        assert_eq!(gradient(&w), [12.0], "{is_pending}");
        // A leaf that is frozen now gets no gradient for earlier uses.
        let (used, other) = (&w * 2.0, leaf());
        w.set_requires_grad(false);
        (used.sum(..) + other.sum(..)).backward();
        assert_eq!(gradient(&w), [12.0], "{is_pending}");
    }
}

/// As in a GAN: the loss of one network is recorded, the network is frozen for the step of the
/// other and unfrozen, and only then is its gradient computed.
#[test]
fn a_temporarily_frozen_network_gets_its_gradient() {
    let (d, g) = (leaf(), leaf());
    let d_loss = (&d * g.detach()).sum(..);
    d.set_requires_grad(false);
    (&d * &g).sum(..).backward();
    d.set_requires_grad(true);
    no_grad(|| _ = g.sub_(g.grad().unwrap()));
    brasa::flush();
    assert!(d.grad().is_none());
    d_loss.backward();
    assert_eq!((gradient(&d), gradient(&g)), (vec![1.0, 2.0], vec![1.0, 2.0]));
    assert_eq!(floats(&g), [0.0, 0.0]);
}

#[test]
fn a_released_history_is_an_error_not_a_missing_gradient() {
    let (x, u) = (Tensor::new([1.0]).requires_grad(true), Tensor::new([2.0]).requires_grad(true));
    let h = &x + 1.0;
    h.sum(..).backward();
    h.item::<f32>().unwrap();
    x.set_grad(None);
    let line = line!() + 1;
    let y = &h * &u;
    for y in [y.sum(..), (&y * 1.0).sum(..)] {
        let error = catch(|| y.backward()).unwrap_err().to_string();
        let place = format!("histories.rs:{line}:");
        for part in ["released", "retain_graph", "detach()", "tensor: f32[1]", &place] {
            assert!(error.contains(part), "{part} in {error}");
        }
    }
    assert!(x.grad().is_none() && u.grad().is_none(), "some gradients were stored");
    // The same for a tensor that was computed from it, and read in between.
    let z = &h * 3.0;
    floats(&z);
    let error = catch(|| (&z * &u).sum(..).backward()).unwrap_err().to_string();
    assert!(error.contains("released"), "{error}");
    assert!(h.is_tracked() && z.is_tracked());
    assert!(!no_grad(|| &h * 2.0).is_tracked());
    // Two remedies: detach and retain_graph.
    (&z.detach() * &u).sum(..).backward();
    assert_eq!(gradient(&u), [6.0]);
    let h = &x + 1.0;
    h.sum(..).backward_with(|o| o.retain_graph(true));
    h.item::<f32>().unwrap();
    (&h * &u).sum(..).backward();
    assert_eq!(gradient(&x), [3.0]);
}

#[test]
fn views_of_leaves_can_be_reused_in_every_step() {
    let w = leaf();
    let v = w.i(0);
    for step in 1..4 {
        let loss = &v * 3.0;
        loss.backward();
        loss.item::<f32>().unwrap();
        assert_eq!(gradient(&w), [3.0 * step as f32, 0.0]);
    }
    no_grad(|| _ = w.mul_(2.0));
    for _ in 0..2 {
        w.set_grad(None);
        let loss = v.square();
        loss.backward();
        assert_eq!((loss.item::<f32>().unwrap(), gradient(&w)), (4.0, vec![4.0, 0.0]));
    }
}

/// Many programs keep a running sum of losses that were differentiated: it holds no history.
#[test]
fn a_sum_of_losses_keeps_no_history() {
    let w = leaf();
    let mut total = Tensor::new(0.0);
    for _ in 0..2_000 {
        let loss = w.square().sum(..);
        loss.backward();
        w.set_grad(None);
        brasa::flush();
        total = &total + &loss;
    }
    assert_eq!(total.item::<f32>().unwrap(), 10_000.0);
    w.sum(..).backward();
    assert_eq!(gradient(&w), [1.0, 1.0]);
}

#[test]
fn a_rejected_call_does_not_change_a_pending_leaf() {
    let w = (Tensor::new([1.0, 2.0]) + 1.0).requires_grad(true);
    assert!(catch(|| w.matmul(&Tensor::ones([3, 3]))).is_err());
    let other = Tensor::zeros([2]) - 5.0;
    assert_eq!(floats(&(&w * 1.0)), [2.0, 3.0]);
    assert_eq!(floats(&other), [-5.0, -5.0]);
}

#[test]
fn gradients_can_be_computed_in_no_grad() {
    let x = leaf();
    let y = x.square().sum(..);
    let found = no_grad(|| brasa::grad_with(&[&y], &[&x], |o| o.retain_graph(true)));
    assert_eq!(floats(found[0].as_ref().unwrap()), [2.0, 4.0]);
    no_grad(|| y.backward());
    assert_eq!(gradient(&x), [2.0, 4.0]);
    assert!(!x.grad().unwrap().is_tracked());
}

#[test]
fn histories_survive_reads_by_other_threads() {
    let x = leaf();
    let h = &x * 2.0;
    floats(&h);
    std::thread::scope(|scope| {
        let look = scope.spawn(|| {
            let y = (&h * leaf()).sum(..);
            let sum = no_grad(|| h.sum(..)).item::<f32>().unwrap();
            (sum, catch(|| y.backward()).unwrap_err().to_string())
        });
        let (sum, error) = look.join().unwrap();
        assert!(sum == 6.0 && error.contains("thread"), "{sum} {error}");
    });
    h.sum(..).backward();
    assert_eq!(gradient(&x), [2.0, 2.0]);
}
