//! Optimizers follow their formulas and PyTorch's numbers: rules, groups, averages, schedules.
use crate::{floats, serial};
use brasa::nn::{Linear, Module, Param};
use brasa::optim::{
    self, AdaDelta, Adagrad, Adam, AdamW, Lion, NAdam, Optimizer, RAdam, RmsProp, Sgd,
};
use brasa::{Tensor, compile};

#[test]
fn rules_follow_their_formulas() {
    let _serial = serial();
    // One parameter, gradient 1 at each step, two steps.
    type Build = fn(Vec<Param>) -> Optimizer;
    let rows: [(&str, Build, f32); 7] = [
        ("sgd", |p| Sgd::new(0.1).build(p), 0.8),
        ("momentum", |p| Sgd::new(0.1).momentum(0.9).build(p), 1.0 - 0.1 - 0.19),
        ("adam", |p| Adam::new(0.1).build(p), 0.8),
        ("adamw", |p| AdamW::new(0.1).weight_decay(0.5).build(p), (0.95 - 0.1) * 0.95 - 0.1),
        ("adagrad", |p| Adagrad::new(0.1).build(p), 1.0 - 0.1 - 0.1 / 2f32.sqrt()),
        ("lion", |p| Lion::new(0.1).build(p), 0.8),
        ("rmsprop", |p| RmsProp::new(0.1).build(p), 1.0 - 1.0 - 0.1 / (0.0199f32).sqrt()),
    ];
    for (name, build, want) in rows {
        let w = Param::new(Tensor::new([1.0]));
        let mut optimizer = build(vec![w.clone()]);
        for _ in 0..2 {
            optimizer.zero_grad();
            w.sum(..).backward();
            optimizer.step().expect("a step");
        }
        let got = floats(&w)[0];
        assert!((got - want).abs() < 1e-5, "{name}: {got} vs {want}");
    }
}

/// Eight steps on a quadratic, with weight decay. The numbers come from PyTorch's formulas in f64.
#[test]
fn rules_follow_pytorch_for_several_steps() {
    let _serial = serial();
    type Build = fn(Vec<Param>) -> Optimizer;
    let rows: [(&str, Build, [f64; 2]); 6] = [
        ("nadam", |p| NAdam::new(0.1).weight_decay(0.01).build(p), [1.6046779, -1.4360187]),
        ("radam", |p| RAdam::new(0.1).weight_decay(0.01).build(p), [2.5984024, -1.7446653]),
        ("adadelta", |p| AdaDelta::new(1.0).weight_decay(0.01).build(p), [1.0266481, -1.9734502]),
        (
            "adagrad",
            |p| Adagrad::new(0.1).lr_decay(0.1).weight_decay(0.01).build(p),
            [1.3424326, -1.6702651],
        ),
        (
            "rmsprop",
            |p| RmsProp::new(0.01).momentum(0.9).centered(true).weight_decay(0.01).build(p),
            [2.6257751, -0.6163223],
        ),
        (
            "nesterov",
            |p| Sgd::new(0.05).momentum(0.9).nesterov(true).weight_decay(0.01).build(p),
            [3.7685542, -1.2949911],
        ),
    ];
    for (name, build, want) in rows {
        let w = Param::new(Tensor::new([1.0, -2.0]));
        let mut optimizer = build(vec![w.clone()]);
        for _ in 0..8 {
            let bowl = (&*w - Tensor::new([3.0, -1.0])).square() * Tensor::new([1.0, 0.25]);
            optimizer.zero_grad();
            bowl.sum(..).backward();
            optimizer.step().expect("a step");
        }
        let got = floats(&w);
        let off = got.iter().zip(want).map(|(a, b)| (f64::from(*a) - b).abs()).fold(0.0, f64::max);
        assert!(off < 2e-5, "{name}: {got:?} vs {want:?}");
    }
}

#[test]
fn weight_decay_exempts_biases() {
    let _serial = serial();
    let layer = Linear::new(2, 2);
    let before = [floats(&layer.weight), floats(layer.bias.as_deref().unwrap())];
    let mut optimizer = AdamW::new(0.1).weight_decay(1.0).build(layer.parameters());
    (layer.forward(&Tensor::zeros([1, 2])).sum(..) * 0.0).backward();
    optimizer.step().unwrap();
    assert!((floats(&layer.weight)[0] - before[0][0] * 0.9).abs() < 1e-6);
    assert_eq!(floats(layer.bias.as_deref().unwrap()), before[1]);
}

#[test]
fn nesterov_requires_a_momentum() {
    let _serial = serial();
    let w = Param::new(Tensor::new([1.0]));
    let wrong = brasa::catch(|| _ = Sgd::new(0.1).nesterov(true).build([&w])).unwrap_err();
    assert!(wrong.to_string().contains("momentum(0.9)"), "{wrong}");
}

#[test]
fn settings_outside_their_ranges_are_rejected() {
    let _serial = serial();
    let w = [Param::new(Tensor::new([1.0]))];
    let rows: [(&str, &dyn Fn() -> Optimizer); 9] = [
        ("empty parameter list", &|| Sgd::new(0.1).build([] as [Param; 0])),
        ("lr is -0.1", &|| Sgd::new(-0.1).build(&w)),
        ("lr is NaN", &|| Adam::new(f64::NAN).build(&w)),
        ("weight_decay is -1", &|| AdamW::new(0.1).weight_decay(-1.0).build(&w)),
        ("momentum is -0.5", &|| Sgd::new(0.1).momentum(-0.5).build(&w)),
        ("beta1 is 1, expected at least 0 and less than 1", &|| {
            Adam::new(0.1).beta1(1.0).build(&w)
        }),
        ("beta2 is -0.1", &|| Lion::new(0.1).beta2(-0.1).build(&w)),
        ("eps is -1", &|| RmsProp::new(0.1).eps(-1.0).build(&w)),
        ("rho is 1.5", &|| AdaDelta::new(0.1).rho(1.5).build(&w)),
    ];
    for (what, build) in rows {
        let wrong = brasa::catch(|| _ = build()).unwrap_err().to_string();
        assert!(wrong.contains(what), "{wrong}");
    }
    let mut optimizer = Sgd::new(0.0).dampening(-1.0).build(&w);
    let other = Param::new(Tensor::new([1.0]));
    let wrong = brasa::catch(|| optimizer.add_group([&other], f64::NAN, 0.0)).unwrap_err();
    assert!(wrong.to_string().contains("lr is NaN"), "{wrong}");
    let mut dict = optimizer.state_dict();
    dict.insert("steps".into(), Tensor::new([1i64, 2]));
    let wrong = optimizer.load_state_dict(&dict).unwrap_err().to_string();
    assert!(wrong.contains("step counts of 2 parameters, expected 1"), "{wrong}");
}

/// Groups with their own settings, gradients accumulated over two batches, and a rate that changes
/// during training. The numbers are PyTorch's.
#[test]
fn groups_and_accumulated_gradients_follow_pytorch() {
    let _serial = serial();
    let start = || (Param::new(Tensor::new([1.0, -2.0])), Param::new(Tensor::new([0.5, 3.0])));
    let (a, b) = start();
    let mut sgd = Sgd::new(0.1).momentum(0.9).weight_decay(0.01).build([&a]);
    sgd.add_group([&b], 0.02, 0.0);
    let want = [
        ([1.099, -1.048], [0.390_000_02, 2.63]),
        ([1.124_401, 0.340_398], [0.196_500_03, 1.961_750_1]),
        ([0.997_299_25, 0.933_342_3], [-0.044_362_463, 1.087_681_4]),
        ([0.712_678_5, 1.318_392_8], [-0.291_994_63, 0.109_897_55]),
    ];
    for (step, (want_a, want_b)) in want.into_iter().enumerate() {
        sgd.zero_grad();
        two_losses(&a, &b).iter().for_each(Tensor::backward);
        sgd.step().expect("a step");
        near(&a, want_a, &format!("sgd, a after step {step}"));
        near(&b, want_b, &format!("sgd, b after step {step}"));
        if step == 1 {
            sgd.groups()[0].lr = 0.05;
        }
    }
    let (a, b) = start();
    let mut adam = AdamW::new(0.1).weight_decay(0.1).build([&a]);
    adam.add_group([&b], 0.02, 0.0);
    for _ in 0..4 {
        let [one, other] = two_losses(&a, &b);
        adam.zero_grad();
        (one + other).backward();
        adam.step().expect("a step");
    }
    near(&a, [1.309_161_7, -1.529_349_8], "adamw, a");
    near(&b, [0.420_061_92, 2.920_029], "adamw, b");
}

/// A parameter that is frozen for the first three steps then moves like a new one: in Adam's first
/// step by the full rate.
#[test]
fn late_parameters_start_at_their_first_step() {
    let _serial = serial();
    for compiled in [false, true] {
        let [old, late] = [1.0, 1.0].map(|x| Param::new(Tensor::new([x])));
        late.set_requires_grad(false);
        let both = (old.clone(), late.clone());
        let optimizer = Adam::new(0.1).build(both.parameters());
        let loss = |_: &[Tensor]| (&*old * 3.0).sum(..) + (&*late * 5.0).sum(..);
        let mut step = compile(&both, loss, optimizer);
        let mut take = || match compiled {
            true => _ = step.run(&[]).expect("a step"),
            false => {
                step.optimizer().zero_grad();
                loss(&[]).backward();
                step.optimizer().step().expect("a step");
            }
        };
        (0..3).for_each(|_| take());
        assert_eq!(floats(&late), [1.0]);
        late.set_requires_grad(true);
        take();
        let moved = 1.0 - floats(&late)[0];
        assert!((moved - 0.1).abs() < 1e-5, "moved by {moved}, compiled: {compiled}");
        assert!((1.0 - floats(&old)[0] - 0.4).abs() < 1e-4);

        // Both step counts are part of the state.
        let dict = step.optimizer().state_dict();
        assert_eq!(dict["steps"].to_vec::<i64>().unwrap(), [4, 1]);
        let mut other = Adam::new(0.1).build([&old, &late]);
        other.load_state_dict(&dict).expect("it fits");
        assert_eq!(other.state_dict()["steps"].to_vec::<i64>().unwrap(), [4, 1]);
        assert_eq!(other.steps(), 4);

        // The same for a parameter that is added later.
        let new = Param::new(Tensor::new([1.0]));
        other.add_group([&new], 0.1, 0.0);
        other.zero_grad();
        (&*new * 7.0).sum(..).backward();
        other.step().expect("a step");
        assert!((0.9 - floats(&new)[0]).abs() < 1e-5, "{:?}", floats(&new));
    }
}

#[test]
fn gradients_are_clipped_and_accumulated() {
    let _serial = serial();
    let w = Param::new(Tensor::new([3.0, 4.0]));
    for _ in 0..2 {
        (w.square() * 0.5).sum(..).backward();
    }
    let norm = optim::clip_grad_norm([&w], 1.0);
    assert!((norm.item::<f32>().unwrap() - 10.0).abs() < 1e-4);
    let clipped = floats(&w.grad().unwrap());
    assert!((clipped[0] - 0.6).abs() < 1e-4 && (clipped[1] - 0.8).abs() < 1e-4, "{clipped:?}");
    optim::clip_grad_value([&w], 0.7);
    assert!((floats(&w.grad().unwrap())[1] - 0.7).abs() < 1e-6);
}

#[test]
fn gradients_can_be_normalized() {
    let _serial = serial();
    let (a, b) = (Param::new(Tensor::new([3.0])), Param::new(Tensor::new([4.0, 0.0])));
    ((a.square() / 2.0).sum(..) + (b.square() / 2.0).sum(..)).backward();
    let norm = optim::normalize_grads([&a, &b]).item::<f32>().expect("a norm");
    assert!((norm - 5.0).abs() < 1e-5, "{norm}");
    let grads = [floats(&a.grad().unwrap()), floats(&b.grad().unwrap())].concat();
    assert!(grads.iter().zip([0.6, 0.8, 0.0]).all(|(g, w)| (g - w).abs() < 1e-6), "{grads:?}");
}

#[test]
fn averages_follow_their_formula_and_can_be_stored() {
    let _serial = serial();
    let w = Param::new(Tensor::new([1.0, 2.0]));
    let mut average = optim::Ema::new([&w], 0.75);
    for _ in 0..2 {
        brasa::no_grad(|| _ = w.add_(4.0));
        average.update().expect("an update");
    }
    // 1, then 1 · 0.75 + 5 · 0.25 = 2, then 2 · 0.75 + 9 · 0.25 = 3.75
    assert_eq!(floats(average.averages().next().expect("one")), [3.75, 4.75]);
    let dict = average.state_dict();
    average.swap();
    assert_eq!(
        (floats(&w), floats(&average.state_dict()["0"])),
        (vec![3.75, 4.75], vec![9.0, 10.0])
    );
    average.swap();
    let mut other = optim::Ema::new([&w], 0.75);
    other.load_state_dict(&dict).expect("it fits");
    assert_eq!(floats(&other.state_dict()["0"]), [3.75, 4.75]);
    assert!(other.load_state_dict(&Default::default()).is_err());
}

#[test]
fn set_lr_keeps_the_proportions_of_groups() {
    let _serial = serial();
    let [a, b] = [1.0, 1.0].map(|x| Param::new(Tensor::new([x])));
    let mut sgd = Sgd::new(0.1).build([&a]);
    sgd.add_group([&b], 0.02, 0.0);
    for (lr, want) in [(0.1, [0.1, 0.02]), (0.0, [0.0, 0.0]), (0.05, [0.05, 0.01])] {
        sgd.set_lr(lr);
        let rates: Vec<f64> = sgd.groups().iter().map(|group| group.lr).collect();
        assert!(rates.iter().zip(want).all(|(a, b)| (a - b).abs() < 1e-12), "{rates:?}");
    }
}

/// Steps and rates.
type Rates = &'static [(u64, f64)];

/// The rates of `one_cycle(1.0, 10, 0.3)`.
const ONE_CYCLE: Rates = &[
    (0, 0.04),
    (1, 0.52),
    (2, 1.0),
    (3, 0.950_484_632),
    (8, 0.049_519_368),
    (9, 4e-6),
    (20, 4e-6),
];

/// The rates of PyTorch's schedulers at some steps.
#[test]
fn schedules_follow_pytorch() {
    use optim::schedule::Schedule;
    let cycle = Schedule::one_cycle(1.0, 10, 0.3);
    let rows: [(&str, Schedule, Rates); 8] = [
        ("step", Schedule::step(1.0, 3, 0.1), &[(0, 1.0), (2, 1.0), (3, 0.1), (6, 0.01)]),
        (
            "multistep",
            Schedule::multi_step(1.0, [2, 5], 0.5),
            &[(1, 1.0), (2, 0.5), (4, 0.5), (5, 0.25), (9, 0.25)],
        ),
        ("exponential", Schedule::exponential(2.0, 0.5), &[(0, 2.0), (1, 1.0), (4, 0.125)]),
        (
            "polynomial",
            Schedule::polynomial(1.0, 0.0, 4, 2.0),
            &[(0, 1.0), (1, 0.5625), (2, 0.25), (4, 0.0), (9, 0.0)],
        ),
        ("linear", Schedule::linear(0.5, 1.0, 4), &[(0, 0.5), (1, 0.625), (4, 1.0), (5, 1.0)]),
        (
            "cosine",
            Schedule::cosine(1.0, 0.0, 4),
            &[(0, 1.0), (1, 0.853_553_390_6), (2, 0.5), (4, 0.0)],
        ),
        ("one-cycle", cycle, ONE_CYCLE),
        (
            "warm-up",
            Schedule::step(1.0, 2, 0.1).warm_up(2),
            &[(0, 0.0), (1, 0.5), (2, 1.0), (3, 1.0), (4, 0.1)],
        ),
    ];
    for (name, schedule, want) in rows {
        for &(step, want) in want {
            let got = schedule.at(step);
            assert!((got - want).abs() < 1e-9, "{name}, step {step}: {got} vs {want}");
        }
    }
}

/// PyTorch's rates for the same metrics.
#[test]
fn a_plateau_lowers_the_rate_as_in_pytorch() {
    let _serial = serial();
    let mut rate = optim::schedule::ReduceOnPlateau::new(1.0, 0.5, 2).min_lr(0.2);
    let measures =
        [1.0, 0.9, 0.89999, 0.9, 0.91, 0.5, 0.6, 0.7, 0.8, 0.49, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6];
    let rates: Vec<f64> = measures.iter().map(|&measure| rate.update(measure)).collect();
    let want = [1.0, 1.0, 1.0, 1.0, 0.5, 0.5, 0.5, 0.5, 0.25, 0.25, 0.25, 0.25, 0.2, 0.2, 0.2, 0.2];
    assert_eq!(rates, want);
}

/// The loss of two parameters on one of two small batches.
fn two_losses(a: &Param, b: &Param) -> [Tensor; 2] {
    [[1.0, 2.0], [-1.0, 0.5]].map(|x| {
        let x = Tensor::new(x);
        let miss = |p: &Param, target: f64| ((&**p * &x).sum(..) - target).square();
        (miss(a, 1.0) + miss(b, -2.0)) / 2.0
    })
}

fn near(got: &Tensor, want: [f32; 2], what: &str) {
    let got = floats(got);
    let off = got.iter().zip(want).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(off < 2e-6, "{what}: {got:?} vs {want:?}");
}
