//! Gradients of views, of leaves that change after their use, and of histories that are used up.
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
fn a_stale_view_keeps_its_gradient_wherever_it_is_first_used() {
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

        // Also where the leaf had not been computed when the view was made.
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
fn what_was_cut_off_stays_so_when_its_base_is_updated() {
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
fn a_gradient_that_is_kept_counts_once() {
    let x = leaf();
    x.retain_grad();
    let h = &x * 3.0;
    h.retain_grad();
    h.retain_grad();
    h.square().sum(..).backward();
    assert_eq!((gradient(&h), gradient(&x)), (vec![6.0, 12.0], vec![18.0, 36.0]));
    // One that was kept before it became a leaf.
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
            // The square is that of the value it was computed from.
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
fn what_is_done_with_a_frozen_leaf_adds_nothing_to_its_gradient() {
    for is_pending in [false, true] {
        let w = if is_pending { Tensor::new([1.0]) + 0.0 } else { Tensor::new([1.0]) };
        let w = w.requires_grad(true);
        let used = &w * 2.0;
        w.set_requires_grad(false);
        let frozen = &w * 5.0;
        w.set_requires_grad(true);
        (&used + &frozen + &w * 10.0).sum(..).backward();
        assert_eq!(gradient(&w), [12.0], "{is_pending}");
        // Frozen now, it gets none of what it was used for before.
        let (used, other) = (&w * 2.0, leaf());
        w.set_requires_grad(false);
        (used.sum(..) + other.sum(..)).backward();
        assert_eq!(gradient(&w), [12.0], "{is_pending}");
    }
}

/// As in a GAN: the loss of one net is recorded, the net is frozen for the step of the other, thawed, and
/// only then gets its gradient.
#[test]
fn a_net_that_is_frozen_for_a_step_of_another_gets_its_gradient() {
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
fn a_history_that_is_used_up_is_named_and_never_left_out() {
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
        for part in ["used up", "retain_graph", "detach()", "tensor: f32[1]", &place] {
            assert!(error.contains(part), "{part} in {error}");
        }
    }
    assert!(x.grad().is_none() && u.grad().is_none(), "nothing was half done");
    // Also one that was computed from it, and read in between.
    let z = &h * 3.0;
    floats(&z);
    let error = catch(|| (&z * &u).sum(..).backward()).unwrap_err().to_string();
    assert!(error.contains("used up"), "{error}");
    assert!(h.is_tracked() && z.is_tracked());
    assert!(!no_grad(|| &h * 2.0).is_tracked());
    // Two ways out.
    (&z.detach() * &u).sum(..).backward();
    assert_eq!(gradient(&u), [6.0]);
    let h = &x + 1.0;
    h.sum(..).backward_with(|o| o.retain_graph(true));
    h.item::<f32>().unwrap();
    (&h * &u).sum(..).backward();
    assert_eq!(gradient(&x), [3.0]);
}

#[test]
fn views_of_leaves_are_used_in_step_after_step() {
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

/// Sums of what was differentiated are kept from step to step in many programs: they hold no history.
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
fn a_rejected_call_leaves_a_pending_leaf_as_it_was() {
    let w = (Tensor::new([1.0, 2.0]) + 1.0).requires_grad(true);
    assert!(catch(|| w.matmul(&Tensor::ones([3, 3]))).is_err());
    let other = Tensor::zeros([2]) - 5.0;
    assert_eq!(floats(&(&w * 1.0)), [2.0, 3.0]);
    assert_eq!(floats(&other), [-5.0, -5.0]);
}

#[test]
fn gradients_are_taken_inside_of_no_grad() {
    let x = leaf();
    let y = x.square().sum(..);
    let found = no_grad(|| brasa::grad_with(&[&y], &[&x], |o| o.retain_graph(true)));
    assert_eq!(floats(found[0].as_ref().unwrap()), [2.0, 4.0]);
    no_grad(|| y.backward());
    assert_eq!(gradient(&x), [2.0, 4.0]);
    assert!(!x.grad().unwrap().is_tracked());
}

#[test]
fn histories_do_not_end_because_another_thread_looks_on() {
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
