//! Training: eager and compiled steps agree, optimizers follow their formulas, memory stays bounded,
//! programs are made once.
use brasa::nn::{BatchNorm1d, Dropout, Linear, Module, Param, Sequential, Tanh};
use brasa::optim::{
    self, AdaDelta, Adagrad, Adam, AdamW, Lion, Muon, NAdam, Optimizer, RAdam, RmsProp, Sgd,
};
use brasa::{Tensor, compile, compiled_programs, manual_seed, ops};
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
    let rules: [(&str, Build); 11] = [
        ("sgd", |p| Sgd::new(0.1).build(p)),
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
    for (name, build) in rules {
        manual_seed(3);
        let model = mlp();
        let mut optimizer = build(model.parameters());
        let losses: Vec<f32> = (0..12)
            .map(|_| eager(&model, &mut optimizer, &x, &y).item::<f32>().expect("a loss"))
            .collect();
        manual_seed(3);
        let model = mlp();
        let loss = |x: &[Tensor]| ops::mse_loss(&model.forward(&x[0]), &x[1]);
        let mut step = compile(&model, loss, build(model.parameters()));
        for (t, want) in losses.iter().enumerate() {
            let got = step.run(&[&x, &y]).expect("a step");
            assert!((got - want).abs() <= 1e-6 * want.abs(), "{name}, step {t}: {got} vs {want}");
        }
        assert!(losses[11] < losses[0], "{name}: {losses:?}");
    }
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
    let (_, captures) = step.run_with_captures(&[&x, &y]).unwrap();
    assert_eq!(floats(&captures["guess"]), before);
    assert_ne!(floats(&guess.run(&[&x]).unwrap()), before, "parameters are shared");
    let (half_x, half_y) = (x.i(..2), y.i(..2));
    assert!(step.run(&[&half_x, &half_y]).unwrap().is_finite());
    assert!(step.run(&[&x, &y]).unwrap().is_finite());
    assert_eq!(step.optimizer().steps(), 3);
    assert_eq!(step.grads(&[&x, &y]).unwrap().len(), 4);
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
