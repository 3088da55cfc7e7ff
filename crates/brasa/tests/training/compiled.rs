//! Compiled steps equal eager ones, react to changes outside of them, and can be inspected.
use crate::{eager, floats, mlp, serial, xor};
use brasa::nn::{BatchNorm1d, Dropout, Linear, Module, Param, Sequential};
use brasa::optim::{
    self, AdaDelta, Adagrad, Adam, AdamW, Lion, Muon, NAdam, Optimizer, RAdam, RmsProp, Sgd,
};
use brasa::{Forward, Tensor, capture, compile, compiled_programs, manual_seed, no_grad, ops};

#[test]
fn compiled_steps_equal_eager_ones() {
    let _serial = serial();
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
    // Settings change during training, and numbers kept from earlier steps have to follow.
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
fn dropout_and_normalization_train_equally_when_compiled() {
    let _serial = serial();
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
    assert_eq!(floats(&model.forward(&x)), floats(&model.forward(&x)), "dropout in evaluation");
}

#[test]
fn a_step_clips_gradients_and_returns_its_optimizer() {
    let _serial = serial();
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

/// Accumulation, clipping and averaging within a compiled step equal the handwritten loop.
#[test]
fn compiled_steps_clip_accumulate_and_average() {
    let _serial = serial();
    manual_seed(6);
    let (x, y) = (Tensor::randn([5, 2]), Tensor::randn([5, 1]));
    // With a smaller eps, Adam would take full steps from gradients that are only rounding errors.
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
fn compiled_functions_notice_modes_and_freezing() {
    let _serial = serial();
    let model = Sequential::new().add(Linear::new(2, 64)).add(Dropout::new(0.5));
    let mut forward = brasa::Forward::new(|x| model.forward(&x[0]));
    let x = Tensor::ones([4, 2]);
    let zeros = |y: Tensor| floats(&y).iter().filter(|y| **y == 0.0).count();
    // About half of 256 elements are dropped in training.
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
    assert_eq!(compiled_programs(), before, "a program was compiled again");

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
fn captures_and_attached_functions_work_for_several_shapes() {
    let _serial = serial();
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
    assert_eq!(floats(&guess.run(&[&x]).unwrap()), before, "capture_types changed the model");
    let (_, captures) = step.run_with_captures(&[&x, &y]).unwrap();
    assert_eq!(floats(&captures["guess"]), before);
    assert_ne!(floats(&guess.run(&[&x]).unwrap()), before, "parameters are not shared");
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
fn tensors_that_outlive_a_recording_are_not_computed() {
    let _serial = serial();
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
    assert_eq!(kept.lock().unwrap().len(), 1, "the loss was recorded more than once");

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
    let lost = lost.expect_err("runs do not compute the tensor").to_string();
    assert!(lost.contains("capture(name, &tensor)"), "{lost}");
    keeps.set(false);
    assert_eq!(with, nodes(&mut other));
}

#[test]
fn explaining_a_step_does_not_change_state() {
    let _serial = serial();
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
fn any_node_of_a_step_can_be_read() {
    let _serial = serial();
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
    // One of the nodes is the gradient of the weight.
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
    assert_eq!(read(&model.weight), weight, "probing changed the weight");
    assert_eq!(step.optimizer().steps(), 1);
}

#[test]
fn views_made_outside_are_part_of_a_compiled_function() {
    let _serial = serial();
    for is_stale in [false, true] {
        let w = Param::new(Tensor::new([[1.0, 2.0], [3.0, 4.0]]));
        let head = w.t();
        if is_stale {
            no_grad(|| _ = w.add_(0.0));
        }
        let loss = |x: &[Tensor]| (x[0].matmul(&head) + w.square().sum(..)).sum(..);
        let mut step = compile(&w, loss, Sgd::new(0.5).build([w.clone()]));
        let x = Tensor::new([[1.0, 1.0]]);
        // The sum of squares is added to each of the two elements, so its gradient is 4 w; the
        // product adds 1.
        let mut want = [1.0, 2.0, 3.0, 4.0];
        for rows in [1, 1, 2] {
            let x = x.expand([rows, 2]);
            step.run(&[&x]).expect("a step");
            let rows = rows as f32;
            want = want.map(|w| w - 0.5 * (4.0 * rows * w + rows));
            assert_eq!(floats(&w), want, "{is_stale}, {rows} rows");
            assert_eq!(floats(&head), [want[0], want[2], want[1], want[3]]);
        }
        // After the run the tensor is still a view with a gradient.
        w.zero_grad();
        (&head * 2.0).sum(..).backward();
        assert_eq!(floats(&w.grad().expect("a gradient")), [2.0; 4], "{is_stale}");
    }
}

#[test]
fn recording_a_function_does_not_change_outside_views() {
    let _serial = serial();
    let w = Param::new(Tensor::new([1.0, 2.0]));
    let v = w.i(0);
    no_grad(|| _ = w.mul_(2.0));
    let mut f = Forward::new(|x| &x[0] * &v);
    let three = Tensor::new([3.0]);
    assert_eq!(floats(&f.run(&[&three]).expect("a run")), [6.0]);
    assert_eq!(v.item::<f32>().expect("a value"), 2.0);
    no_grad(|| _ = w.mul_(2.0));
    assert_eq!(floats(&f.run(&[&three]).expect("a run")), [12.0]);
    assert_eq!(v.item::<f32>().expect("a value"), 4.0);
    // A view that the function writes through.
    let buffer = Tensor::new([1.0, 2.0]);
    let part = buffer.i(1);
    let mut f = Forward::new(|x| {
        part.add_(&x[0]);
        &part * &buffer
    });
    for n in 1..4 {
        let got = f.run(&[&Tensor::new(10.0)]).expect("a run");
        let now = 2.0 + 10.0 * n as f32;
        assert_eq!(floats(&got), [now, now * now], "run {n}");
        assert_eq!((floats(&part), floats(&buffer)), (vec![now], vec![1.0, now]), "run {n}");
    }
    // Reading a view reads its base.
    let part = buffer.i(0);
    buffer.fill_(7.0);
    let mut f = Forward::new(|x| &x[0] * part.item::<f32>().unwrap_or(-1.0));
    assert_eq!(floats(&f.run(&[&three]).expect("a run")), [21.0]);
    buffer.fill_(8.0);
    assert_eq!(floats(&f.run(&[&three]).expect("a run")), [24.0]);
    let mut f = Forward::new(|x| &x[0] * v.item::<f32>().unwrap_or(-1.0));
    let error = f.run(&[&three]).map(|x| floats(&x));
    assert!(error.is_ok_and(|x| x == [-3.0]), "a parameter was read while recording");
}

#[test]
fn outside_histories_survive_a_recording_and_are_not_ignored() {
    let _serial = serial();
    let w = Param::new(Tensor::new([1.0, 2.0]));
    let h = &*w * 3.0;
    let loss = |x: &[Tensor]| (&x[0] * &h * &*w).sum(..);
    let mut step = compile(&w, loss, Sgd::new(0.5).build([w.clone()]));
    let x = Tensor::new([1.0, 1.0]);
    let error = step.run(&[&x]).unwrap_err().to_string();
    assert!(error.contains("outside of this compiled function"), "{error}");
    assert!(error.contains("compiled.rs:") && error.contains("detach()"), "{error}");
    let mut f = Forward::new(|x| &x[0] * &h);
    assert_eq!(floats(&f.run(&[&x]).expect("a run")), [3.0, 6.0]);
    assert_eq!(floats(&w), [1.0, 2.0]);
    h.sum(..).backward();
    assert_eq!(floats(&w.grad().expect("a gradient")), [3.0, 3.0]);
}

/// A compiled step runs between a loss and its backward pass.
#[test]
fn a_loss_from_before_a_compiled_step_has_its_gradient() {
    let _serial = serial();
    let w = Param::new(Tensor::new([1.0, 2.0]));
    let loss = (w.square() * 1.0).sum(..);
    let mut step = compile(&w, |x| (&x[0] * &*w).sum(..), Sgd::new(0.5).build([w.clone()]));
    step.run(&[&Tensor::new([1.0, 1.0])]).expect("a step");
    assert_eq!(floats(&w), [0.5, 1.5]);
    loss.backward();
    assert_eq!(floats(&w.grad().expect("a gradient")), [2.0, 4.0]);
}

#[test]
fn a_parameter_may_be_frozen_within_a_compiled_function() {
    let _serial = serial();
    let (d, g) = (Param::new(Tensor::new([1.0])), Param::new(Tensor::new([2.0])));
    let loss = |x: &[Tensor]| {
        let own = &x[0] * &*d * g.detach();
        d.set_requires_grad(false);
        let other = &*d * &*g * 10.0;
        d.set_requires_grad(true);
        (own + other).sum(..)
    };
    let mut step = compile((&d, &g), loss, Sgd::new(0.1).build([d.clone(), g.clone()]));
    let (mut want_d, mut want_g) = (1.0f32, 2.0f32);
    for _ in 0..3 {
        step.run(&[&Tensor::new([1.0])]).expect("a step");
        (want_d, want_g) = (want_d - 0.1 * want_g, want_g - 0.1 * (10.0 * want_d));
        assert!((floats(&d)[0] - want_d).abs() < 1e-5, "{} {want_d}", floats(&d)[0]);
        assert!((floats(&g)[0] - want_g).abs() < 1e-5, "{} {want_g}", floats(&g)[0]);
    }
}

#[test]
fn compiled_functions_may_update_computed_tensors() {
    let _serial = serial();
    let w = Param::new(Tensor::new([1.0, 2.0]));
    let h = &*w * 3.0;
    let mut f = Forward::new(|x| h.add_(&x[0]) * 2.0);
    for n in 1..4 {
        let got = f.run(&[&Tensor::new(1.0)]).expect("a run");
        let n = n as f32;
        assert_eq!(floats(&got), [6.0 + 2.0 * n, 12.0 + 2.0 * n]);
        assert_eq!(floats(&h), [3.0 + n, 6.0 + n]);
    }
}
