//! Training: eager and compiled steps agree, optimizers follow their formulas, memory stays bounded,
//! programs are made once.
use brasa::nn::{BatchNorm1d, Dropout, Linear, Module, Param, Sequential, Tanh};
use brasa::optim::{
    self, AdaDelta, Adagrad, Adam, AdamW, Lion, Muon, NAdam, Optimizer, RAdam, RmsProp, Sgd,
};
use brasa::{Tensor, capture, compile, compiled_programs, manual_seed, ops};
use std::sync::Mutex;

/// The random generator and the count of programs belong to all threads: one test at a time.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> std::sync::MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn floats(x: &Tensor) -> Vec<f32> {
    x.to_vec::<f32>().expect("a value")
}

fn mlp() -> Sequential {
    Sequential::new().add(Linear::new(2, 16)).add(Tanh).add(Linear::new(16, 1))
}

fn xor() -> (Tensor, Tensor) {
    let x = Tensor::new([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]);
    (x, Tensor::new([[0.0], [1.0], [1.0], [0.0]]))
}

fn eager(model: &Sequential, optimizer: &mut Optimizer, x: &Tensor, y: &Tensor) -> Tensor {
    let loss = ops::mse_loss(&model.forward(x), y);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step().expect("a step");
    loss
}

#[test]
fn xor_is_learnt() {
    let _alone = alone();
    manual_seed(1);
    let (model, (x, y)) = (mlp(), xor());
    let mut optimizer = Adam::new(0.05).build(model.parameters());
    for _ in 0..300 {
        eager(&model, &mut optimizer, &x, &y);
    }
    let guess = floats(&model.forward(&x));
    for (got, want) in guess.iter().zip([0.0, 1.0, 1.0, 0.0]) {
        assert!((got - want).abs() < 0.1, "{guess:?}");
    }
}

#[test]
fn a_loop_compiles_once() {
    let _alone = alone();
    let (model, (x, y)) = (mlp(), xor());
    let mut optimizer = AdamW::new(0.01).build(model.parameters());
    for _ in 0..3 {
        eager(&model, &mut optimizer, &x, &y);
    }
    let before = compiled_programs();
    for step in 0..50 {
        optimizer.set_lr(0.01 / (step + 1) as f64);
        eager(&model, &mut optimizer, &x, &y);
    }
    assert_eq!(compiled_programs(), before);
}

#[test]
fn compiled_steps_equal_eager_ones() {
    let _alone = alone();
    type Build = fn(Vec<Param>) -> Optimizer;
    let rules: [(&str, Build); 12] = [
        ("sgd", |p| Sgd::new(0.1).build(p)),
        ("dampening", |p| Sgd::new(0.1).momentum(0.5).dampening(0.5).build(p)),
        ("momentum", |p| Sgd::new(0.1).momentum(0.9).nesterov(true).weight_decay(0.01).build(p)),
        ("adam", |p| Adam::new(0.01).build(p)),
        ("adamw", |p| AdamW::new(0.01).build(p)),
        ("rmsprop", |p| RmsProp::new(0.01).momentum(0.5).centered(true).build(p)),
        ("adagrad", |p| Adagrad::new(0.01).build(p)),
        ("adadelta", |p| AdaDelta::new(1.0).build(p)),
        ("nadam", |p| NAdam::new(0.01).build(p)),
        ("radam", |p| RAdam::new(0.01).build(p)),
        ("lion", |p| Lion::new(0.001).build(p)),
        ("muon", |p| Muon::new(0.01).build(p)),
    ];
    let (x, y) = xor();
    // Settings change on the way: numbers that are kept have to follow.
    let adjust = |optimizer: &mut Optimizer, t: usize| match t {
        5 => optimizer.set_lr(optimizer.lr() / 2.0),
        8 => optimizer.groups()[0].weight_decay += 0.1,
        _ => {}
    };
    for (name, build) in rules {
        manual_seed(3);
        let model = mlp();
        let mut optimizer = build(model.parameters());
        let mut losses: Vec<f32> = Vec::new();
        for t in 0..12 {
            adjust(&mut optimizer, t);
            losses.push(eager(&model, &mut optimizer, &x, &y).item::<f32>().expect("a loss"));
        }
        manual_seed(3);
        let model = mlp();
        let loss = |x: &[Tensor]| ops::mse_loss(&model.forward(&x[0]), &x[1]);
        let mut step = compile(&model, loss, build(model.parameters()));
        for (t, want) in losses.iter().enumerate() {
            adjust(step.optimizer(), t);
            let got = step.run(&[&x, &y]).expect("a step");
            assert!((got - want).abs() <= 1e-6 * want.abs(), "{name}, step {t}: {got} vs {want}");
        }
        assert!(losses[11] < losses[0], "{name}: {losses:?}");
    }
}

#[test]
fn a_step_scales_long_gradients_and_gives_its_optimizer_back() {
    let _alone = alone();
    let model = Linear::new(1, 1);
    let weight = &model.parameters()[0];
    brasa::no_grad(|| weight.copy_(0.0));
    let loss = |x: &[Tensor]| (&x[0] * &**weight).sum(..);
    let optimizer = Sgd::new(1.0).build([weight.clone()]);
    let mut step = compile(&model, loss, optimizer);
    step.clip(optim::Clip::Norm(2.0));
    for (x, want) in [(100.0f32, -2.0f32), (1.0, -3.0)] {
        step.run(&[&Tensor::new([[x]])]).expect("a step");
        let got = weight.item::<f32>().expect("a weight");
        assert!((got - want).abs() < 1e-4, "{got} after {x}, expected {want}");
    }
    assert_eq!(step.into_optimizer().steps(), 2);
}

#[test]
fn rules_follow_their_formulas() {
    let _alone = alone();
    // One number, gradient 1 at each step, two steps.
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

#[test]
fn weight_decay_spares_biases() {
    let _alone = alone();
    let layer = Linear::new(2, 2);
    let before = [floats(&layer.weight), floats(layer.bias.as_deref().unwrap())];
    let mut optimizer = AdamW::new(0.1).weight_decay(1.0).build(layer.parameters());
    (layer.forward(&Tensor::zeros([1, 2])).sum(..) * 0.0).backward();
    optimizer.step().unwrap();
    assert!((floats(&layer.weight)[0] - before[0][0] * 0.9).abs() < 1e-6);
    assert_eq!(floats(layer.bias.as_deref().unwrap()), before[1]);
}

#[test]
fn memory_stays_bounded() {
    let _alone = alone();
    let (model, (x, y)) = (mlp(), xor());
    let mut optimizer = Sgd::new(0.05).build(model.parameters());
    let mut last = Tensor::new(0.0);
    let resident = || {
        let status = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
        status.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or(0) * 4096
    };
    let mut after_warm_up = 0;
    for step in 0..20_000 {
        last = eager(&model, &mut optimizer, &x, &y);
        if step == 1000 {
            after_warm_up = resident();
        }
    }
    assert!(last.item::<f32>().unwrap().is_finite());
    let grown = resident().saturating_sub(after_warm_up);
    assert!(grown < 16 << 20, "{grown} bytes more after 19,000 steps");
}

#[test]
fn tensors_beyond_the_budget_go_stale() {
    let _alone = alone();
    brasa::set_memory_budget(100);
    let old = Tensor::ones([20]) * 2.0;
    let new = Tensor::ones([20]) * 3.0;
    brasa::flush();
    brasa::set_memory_budget(1 << 30);
    assert_eq!(floats(&new), [3.0; 20]);
    let error = old.to_vec::<f32>().unwrap_err();
    assert_eq!(error.kind(), brasa::ErrorKind::Stale);
    assert!(error.to_string().contains("set_memory_budget"), "{error}");
}

#[test]
fn gradients_are_clipped_and_accumulated() {
    let _alone = alone();
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

/// Groups with settings of their own, gradients that are summed over two batches, and a rate that
/// changes on the way. The figures are PyTorch's.
#[test]
fn groups_and_sums_of_gradients_follow_pytorch() {
    let _alone = alone();
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

#[test]
fn a_rate_that_changes_keeps_the_proportions_of_groups() {
    let _alone = alone();
    let [a, b] = [1.0, 1.0].map(|x| Param::new(Tensor::new([x])));
    let mut sgd = Sgd::new(0.1).build([&a]);
    sgd.add_group([&b], 0.02, 0.0);
    for (lr, want) in [(0.1, [0.1, 0.02]), (0.0, [0.0, 0.0]), (0.05, [0.05, 0.01])] {
        sgd.set_lr(lr);
        let rates: Vec<f64> = sgd.groups().iter().map(|group| group.lr).collect();
        assert!(rates.iter().zip(want).all(|(a, b)| (a - b).abs() < 1e-12), "{rates:?}");
    }
}

/// A parameter that is frozen for the first three steps then moves like one that was never there:
/// in Adam's first step by the whole rate.
#[test]
fn late_parameters_begin_at_their_first_step() {
    let _alone = alone();
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

        // Both counts go with the state.
        let dict = step.optimizer().state_dict();
        assert_eq!(dict["steps"].to_vec::<i64>().unwrap(), [4, 1]);
        let mut other = Adam::new(0.1).build([&old, &late]);
        other.load_state_dict(&dict).expect("it fits");
        assert_eq!(other.state_dict()["steps"].to_vec::<i64>().unwrap(), [4, 1]);
        assert_eq!(other.steps(), 4);

        // So does one that joins in later.
        let new = Param::new(Tensor::new([1.0]));
        other.add_group([&new], 0.1, 0.0);
        other.zero_grad();
        (&*new * 7.0).sum(..).backward();
        other.step().expect("a step");
        assert!((0.9 - floats(&new)[0]).abs() < 1e-5, "{:?}", floats(&new));
    }
}

/// Parts of a batch, clipped gradients and averages within a compiled step give what is written out.
#[test]
fn compiled_steps_clip_accumulate_and_average() {
    let _alone = alone();
    manual_seed(6);
    let (x, y) = (Tensor::randn([5, 2]), Tensor::randn([5, 1]));
    // Without it Adam makes whole steps of gradients that are rounding alone.
    let rule = Adam::new(0.02).eps(1e-3);
    for (parts, clip) in [(1, None), (1, Some(0.05)), (2, Some(0.05)), (3, None), (9, None)] {
        manual_seed(7);
        let plain = mlp();
        let mut optimizer = rule.clone().build(plain.parameters());
        let mut average = optim::Ema::new(plain.parameters(), 0.8);
        manual_seed(7);
        let model = mlp();
        let loss = |x: &[Tensor]| ops::mse_loss(&model.forward(&x[0]), &x[1]);
        let mut step = compile(&model, loss, rule.clone().build(model.parameters()));
        step.accumulate(parts).ema(0.8);
        if let Some(most) = clip {
            step.clip(optim::Clip::Norm(most));
        }
        for t in 0..6 {
            let want = ops::mse_loss(&plain.forward(&x), &y);
            optimizer.zero_grad();
            want.backward();
            if let Some(most) = clip {
                optim::clip_grad_norm(plain.parameters(), most);
            }
            optimizer.step().expect("a step");
            average.update().expect("an update");
            let got = step.run(&[&x, &y]).expect("a step");
            let want = want.item::<f32>().expect("a loss");
            assert!((got - want).abs() < 1e-5, "{parts} parts, {clip:?}, {t}: {got} vs {want}");
        }
        let own = step.average().expect("there is one");
        let pairs = own.averages().zip(average.averages()).map(|(a, b)| (floats(a), floats(b)));
        for (got, want) in pairs {
            let off = got.iter().zip(&want).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(off < 1e-5, "{parts} parts, {clip:?}: {got:?} vs {want:?}");
        }
        assert_eq!(step.optimizer().steps(), 6);
    }
}

#[test]
fn averages_follow_their_formula_and_can_be_stored() {
    let _alone = alone();
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
fn gradients_can_be_made_of_length_one() {
    let _alone = alone();
    let (a, b) = (Param::new(Tensor::new([3.0])), Param::new(Tensor::new([4.0, 0.0])));
    ((a.square() / 2.0).sum(..) + (b.square() / 2.0).sum(..)).backward();
    let norm = optim::normalize_grads([&a, &b]).item::<f32>().expect("a norm");
    assert!((norm - 5.0).abs() < 1e-5, "{norm}");
    let grads = [floats(&a.grad().unwrap()), floats(&b.grad().unwrap())].concat();
    assert!(grads.iter().zip([0.6, 0.8, 0.0]).all(|(g, w)| (g - w).abs() < 1e-6), "{grads:?}");
}

/// Eight steps on a bowl, with weight decay. The figures come from PyTorch's formulas in doubles.
#[test]
fn rules_follow_pytorch_for_several_steps() {
    let _alone = alone();
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

/// The rates of PyTorch's schedulers at some steps.
#[test]
fn schedules_follow_pytorch() {
    use optim::schedule::Schedule;
    let cycle = Schedule::one_cycle(1.0, 10, 0.3);
    type Rates = &'static [(u64, f64)];
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
        (
            "one-cycle",
            cycle,
            &[
                (0, 0.04),
                (1, 0.52),
                (2, 1.0),
                (3, 0.950_484_632),
                (8, 0.049_519_368),
                (9, 4e-6),
                (20, 4e-6),
            ],
        ),
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

#[test]
fn nesterov_needs_a_momentum() {
    let _alone = alone();
    let w = Param::new(Tensor::new([1.0]));
    let wrong = brasa::catch(|| _ = Sgd::new(0.1).nesterov(true).build([&w])).unwrap_err();
    assert!(wrong.to_string().contains("momentum(0.9)"), "{wrong}");
}

/// PyTorch's rates for the same measures.
#[test]
fn a_plateau_lowers_the_rate_as_in_pytorch() {
    let _alone = alone();
    let mut rate = optim::schedule::ReduceOnPlateau::new(1.0, 0.5, 2).min_lr(0.2);
    let measures =
        [1.0, 0.9, 0.89999, 0.9, 0.91, 0.5, 0.6, 0.7, 0.8, 0.49, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6];
    let rates: Vec<f64> = measures.iter().map(|&measure| rate.look(measure)).collect();
    let want = [1.0, 1.0, 1.0, 1.0, 0.5, 0.5, 0.5, 0.5, 0.25, 0.25, 0.25, 0.25, 0.2, 0.2, 0.2, 0.2];
    assert_eq!(rates, want);
}

#[test]
fn shapes_captures_and_attached_functions() {
    let _alone = alone();
    manual_seed(5);
    let model = mlp();
    let loss = |x: &[Tensor]| {
        let guess = model.forward(&x[0]);
        brasa::capture("guess", &guess);
        ops::mse_loss(&guess, &x[1])
    };
    let mut step = compile(&model, loss, Adam::new(0.01).build(model.parameters()));
    let mut guess = step.attach(|x| model.forward(&x[0]));
    let (x, y) = xor();
    let before = floats(&guess.run(&[&x]).unwrap());
    let types = step.capture_types(&[&x, &y]).unwrap();
    assert_eq!(
        types.iter().map(|(k, v)| format!("{k}: {v}")).collect::<Vec<_>>(),
        ["guess: f32[4, 1]"]
    );
    assert_eq!(floats(&guess.run(&[&x]).unwrap()), before, "to ask changes nothing");
    let (_, captures) = step.run_with_captures(&[&x, &y]).unwrap();
    assert_eq!(floats(&captures["guess"]), before);
    assert_ne!(floats(&guess.run(&[&x]).unwrap()), before, "parameters are shared");
    let (half_x, half_y) = (x.i(..2), y.i(..2));
    assert!(step.run(&[&half_x, &half_y]).unwrap().is_finite());
    assert!(step.run(&[&x, &y]).unwrap().is_finite());
    assert_eq!(step.optimizer().steps(), 3);
    assert_eq!(step.grads(&[&x, &y]).unwrap().len(), 4);
    step.accumulate(3);
    let types = step.capture_types(&[&x, &y]).unwrap();
    let (_, captures) = step.run_with_captures(&[&x, &y]).unwrap();
    let shape = captures["guess"].shape();
    assert_eq!((&*types["guess"].shape, shape), (shape, &[2, 1][..]));
    let mut hidden = step.attach(|x| {
        brasa::capture("twice", &(&x[0] * 2.0));
        model.forward(&x[0])
    });
    assert_eq!(hidden.capture_types(&[&x]).unwrap()["twice"].to_string(), "f32[4, 2]");
}

#[test]
fn dropout_and_norms_train_alike_when_compiled() {
    let _alone = alone();
    let build = || {
        manual_seed(11);
        let first = Sequential::new().add(Linear::new(2, 8)).add(BatchNorm1d::new(8));
        first.add(Dropout::new(0.5)).add(Linear::new(8, 1))
    };
    let (x, y) = xor();
    let model = build();
    let mut optimizer = Sgd::new(0.1).build(model.parameters());
    let want: Vec<f32> =
        (0..5).map(|_| eager(&model, &mut optimizer, &x, &y).item::<f32>().unwrap()).collect();
    let stats = floats(&model.state_dict()["1.running_mean"]);
    let model = build();
    let loss = |x: &[Tensor]| ops::mse_loss(&model.forward(&x[0]), &x[1]);
    let mut step = compile(&model, loss, Sgd::new(0.1).build(model.parameters()));
    let got: Vec<f32> = (0..5).map(|_| step.run(&[&x, &y]).unwrap()).collect();
    assert_eq!(got, want);
    assert_eq!(floats(&model.state_dict()["1.running_mean"]), stats);
    model.eval();
    assert_eq!(floats(&model.forward(&x)), floats(&model.forward(&x)), "no draws in use");
}

#[test]
fn compiled_functions_notice_modes_and_freezing() {
    let _alone = alone();
    let model = Sequential::new().add(Linear::new(2, 64)).add(Dropout::new(0.5));
    let mut forward = brasa::Forward::new(|x| model.forward(&x[0]));
    let x = Tensor::ones([4, 2]);
    let zeros = |y: Tensor| floats(&y).iter().filter(|y| **y == 0.0).count();
    // Of 256 elements about half are dropped, in training.
    for (training, dropped) in [(true, true), (false, false), (true, true)] {
        if training {
            model.train()
        } else {
            model.eval()
        }
        let count = zeros(forward.run(&[&x]).expect("a run"));
        assert_eq!(count > 50, dropped, "{count} zeros, training: {training}");
    }
    let before = compiled_programs();
    forward.run(&[&x]).expect("a run");
    assert_eq!(compiled_programs(), before, "both programs are kept");

    let (first, second) = (Linear::new(2, 2), Linear::new(2, 2));
    let both = (&first, &second);
    let loss = |x: &[Tensor]| second.forward(&first.forward(&x[0])).square().sum(..);
    let mut step = compile(both, loss, Sgd::new(0.01).build(both.parameters()));
    let weights = || [floats(&first.weight), floats(&second.weight)];
    for (frozen, moves) in [(false, true), (true, false), (false, true)] {
        first.set_requires_grad(!frozen);
        let old = weights();
        step.run(&[&x]).expect("a step");
        let new = weights();
        assert_eq!(new[0] != old[0], moves, "frozen: {frozen}");
        assert_ne!(new[1], old[1]);
    }
}

#[test]
fn a_recorded_step_can_be_explained_and_changes_nothing() {
    let _alone = alone();
    let model = Linear::new(3, 2);
    let loss = |x: &[Tensor]| ops::mse_loss(&model.forward(&x[0]), &x[1]);
    let mut step = compile(&model, loss, Adam::new(0.1).build(model.parameters()));
    let (x, y) = (Tensor::ones([4, 3]), Tensor::zeros([4, 2]));
    step.run(&[&x, &y]).expect("a step can be taken");
    let before = model.weight.to_vec::<f32>().expect("it can be read");
    let recording = step.recording(&[&x, &y]).expect("a step can be recorded");
    assert_eq!(model.weight.to_vec::<f32>().expect("it can be read"), before);
    assert_eq!(step.optimizer().steps(), 1);

    let all = recording.explain().expect("it can be explained");
    let all: serde_json::Value = serde_json::from_str(&all).expect("it is JSON");
    let nodes = all["nodes"].as_array().expect("there are nodes");
    let named = |name: &str| nodes.iter().find(|node| node["name"] == name);
    assert_eq!(named("weight").map(|node| &node["role"]), Some(&"param".into()));
    assert_eq!(named("input 0").map(|node| &node["role"]), Some(&"data".into()));
    for call in ["mse_loss", "backward", "step"] {
        assert!(nodes.iter().any(|node| node["call"] == call), "nothing was recorded by {call}");
    }
    assert!(!all["kernels"].as_array().expect("there are kernels").is_empty());
}

#[test]
fn nothing_is_computed_before_it_is_read() {
    let _alone = alone();
    let x = Tensor::new([1.0, 2.0]);
    let y = Tensor::new([3.0, 5.0]);
    let before = compiled_programs();
    let dropped = (&x * &y).exp();
    let z = 2.0 * &x + (1.0 - &y) / 4.0 - -&x;
    drop(dropped);
    assert_eq!(compiled_programs(), before);
    assert_eq!(floats(&z), [2.5, 5.0]);
    assert_eq!(compiled_programs(), before + 1);
    // A second look computes nothing.
    assert_eq!(floats(&z), [2.5, 5.0]);
    assert_eq!(compiled_programs(), before + 1);
}

#[test]
fn handles_kept_from_a_recording_cost_nothing_and_say_so() {
    let _alone = alone();
    let model = Linear::new(3, 2);
    let kept = std::sync::Mutex::new(Vec::new());
    let keeps = std::cell::Cell::new(true);
    let loss = |x: &[Tensor]| {
        let out = model.forward(&x[0]);
        if keeps.get() {
            kept.lock().unwrap().push(out.clone());
        }
        capture("out", &out);
        ops::mse_loss(&out, &x[1])
    };
    let mut step = compile(&model, loss, Sgd::new(0.1).build(model.parameters()));
    let (x, y) = (Tensor::ones([4, 3]), Tensor::zeros([4, 2]));
    let want = floats(&model.forward(&x));
    let (_, captures) = step.run_with_captures(&[&x, &y]).expect("a step can be taken");
    assert_eq!(floats(&captures["out"]), want);
    assert_eq!(kept.lock().unwrap().len(), 1, "it is recorded once");

    let nodes = |step: &mut brasa::TrainStep| {
        let all = step.recording(&[&x, &y]).and_then(|r| r.explain()).expect("it is explained");
        let all: serde_json::Value = serde_json::from_str(&all).expect("it is JSON");
        all["nodes"].as_array().expect("there are nodes").len()
    };
    let plain = |x: &[Tensor]| {
        let hidden = x[0].exp();
        if keeps.get() {
            kept.lock().unwrap().push(hidden.clone());
        }
        ops::mse_loss(&model.forward(&hidden), &x[1])
    };
    let mut other = compile(&model, plain, Sgd::new(0.1).build(model.parameters()));
    let with = nodes(&mut other);
    let lost = kept.lock().unwrap().pop().expect("it was kept").to_vec::<f32>();
    let lost = lost.expect_err("runs do not make it").to_string();
    assert!(lost.contains("capture(name, &tensor)"), "{lost}");
    keeps.set(false);
    assert_eq!(with, nodes(&mut other));
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let _alone = alone();
    manual_seed(12);
    let x = Tensor::randn([257, 129]);
    let value = || floats(&x.matmul(&x.transpose(0, 1)).softmax(-1).sum(0));
    let before = brasa::num_threads();
    let results: Vec<Vec<f32>> = [1, 3, 2]
        .map(|threads| {
            brasa::set_num_threads(threads);
            assert_eq!(brasa::num_threads(), threads);
            value()
        })
        .into();
    assert!(results.iter().all(|bits| *bits == results[0]));
    brasa::set_num_threads(0);
    assert_eq!(brasa::num_threads(), 1);
    brasa::set_num_threads(before);
}

#[test]
fn any_node_of_a_step_can_be_read() {
    let _alone = alone();
    let model = Linear::new(3, 2);
    let loss = |x: &[Tensor]| ops::mse_loss(&model.forward(&x[0]), &x[1]);
    let mut step = compile(&model, loss, Adam::new(0.05).build(model.parameters()));
    let x = Tensor::new([[1.0, 2.0, 3.0], [0.5, -1.0, 2.0]]);
    let inputs = [&x, &Tensor::zeros([2, 2])];
    let all = step.recording(&inputs).expect("a step can be recorded");
    let all = all.explain().expect("it can be explained");
    let all: serde_json::Value = serde_json::from_str(&all).expect("it is JSON");
    let nodes = all["nodes"].as_array().expect("there are nodes");
    step.run(&inputs).expect("a step can be taken");
    let read = |x: &Tensor| x.to_vec::<f32>().expect("it can be read");
    let (weight, grads) = (read(&model.weight), step.grads(&inputs).expect("there are gradients"));

    let mut probe = |node: usize| step.probe(&inputs, node);
    let named = |name: &str| nodes.iter().position(|node| node["name"] == name);
    let value = probe(named("weight").expect("it is an input")).expect("it has a value");
    assert_eq!(read(&value), weight);
    // The gradient of the weight is one of the nodes, whichever.
    let wanted = read(&grads["weight"]);
    let is_close = |x: &Tensor| {
        x.shape() == model.weight.shape()
            && read(x).iter().zip(&wanted).all(|(a, b)| (a - b).abs() < 1e-5 * (1.0 + b.abs()))
    };
    let backward = (0..nodes.len()).filter(|&n| nodes[n]["call"] == "backward");
    assert!(backward.into_iter().any(|n| is_close(&probe(n).expect("it has a value"))));
    for (n, node) in nodes.iter().enumerate().filter(|(_, node)| node["op"] != "input") {
        let value = probe(n).expect("every node has a value");
        assert_eq!(serde_json::json!(value.shape().to_vec()), node["shape"], "{node}");
    }
    assert!(probe(nodes.len()).is_err());
    assert_eq!(read(&model.weight), weight, "looking changes nothing");
    assert_eq!(step.optimizer().steps(), 1);
}
