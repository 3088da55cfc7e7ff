//! Optimizer updates compared with their formulas, step by step in `f64`.
use brasa_ir::ops::Role;
use brasa_ir::table::find;
use brasa_ir::{Array, DType, Recorder, Type, Value, eval};
use std::collections::HashMap;

const PARAM: [f64; 3] = [0.5, -1.0, 2.0];

/// The gradient at each step.
fn gradient(step: i32) -> [f64; 3] {
    [0.3, -0.1, 0.2].map(|x| x * step as f64 - 0.25)
}

/// One call of an update: new parameter and new states, from tensors and rates.
fn update(op: &str, tensors: &[[f64; 3]], rates: &[f64], named: &[(&str, Value)]) -> Vec<[f64; 3]> {
    let g = Recorder::default();
    let ty = Type::new(DType::F64, [3]);
    let (mut values, mut args) = (HashMap::new(), Vec::new());
    for tensor in tensors {
        let x = g.input("x", Role::State, ty.clone()).id();
        values.insert(x, Array::from_f64(&ty, *tensor));
        args.push(Value::Tensor(x));
    }
    args.extend(rates.iter().map(|&rate| Value::Float(rate)));
    let entry = find(op).expect("an op of the table");
    let results = entry.call(&g, &args, named).expect("records");
    let results = g.read(|graph| eval(graph, &values, &results)).expect("evaluates");
    results.iter().map(|x| [0, 1, 2].map(|i| x.f64(i))).collect()
}

#[track_caller]
fn assert_near(what: &str, got: [f64; 3], want: [f64; 3]) {
    let is_near = got.iter().zip(want).all(|(got, want)| (got - want).abs() < 1e-12);
    assert!(is_near, "{what}: {got:?}, expected {want:?}");
}

struct Sgd {
    momentum: f64,
    dampening: f64,
    decay: f64,
    nesterov: bool,
}

#[test]
fn sgd_follows_its_formula() {
    let plain = Sgd { momentum: 0.0, dampening: 0.0, decay: 0.0, nesterov: false };
    let rows = [
        ("plain", Sgd { ..plain }),
        ("momentum", Sgd { momentum: 0.9, ..plain }),
        ("dampening", Sgd { momentum: 0.9, dampening: 0.5, ..plain }),
        ("nesterov", Sgd { momentum: 0.9, nesterov: true, ..plain }),
        ("decay", Sgd { momentum: 0.9, decay: 0.1, ..plain }),
    ];
    for (name, Sgd { momentum, dampening, decay, nesterov }) in rows {
        let named = [
            ("momentum", Value::Float(momentum)),
            ("dampening", Value::Float(dampening)),
            ("weight_decay", Value::Float(decay)),
            ("nesterov", Value::Bool(nesterov)),
        ];
        let (mut param, mut buffer) = (PARAM, [0.0; 3]);
        for step in 1..=4 {
            let lr = 0.1 / step as f64;
            let got = update("sgd_step", &[param, gradient(step), buffer], &[lr], &named);
            for i in 0..3 {
                let grad = gradient(step)[i] + decay * param[i];
                buffer[i] = momentum * buffer[i] + (1.0 - dampening) * grad;
                let direction = if nesterov { grad + momentum * buffer[i] } else { buffer[i] };
                param[i] -= lr * direction;
            }
            assert_near(&format!("{name}, step {step}"), got[0], param);
            assert_near(&format!("{name}, buffer of step {step}"), got[1], buffer);
        }
    }
}

/// Adam, and AdamW for a non-zero decay, as in their papers.
#[test]
fn adam_follows_its_formula() {
    let (lr, beta1, beta2, eps): (f64, f64, f64, f64) = (0.01, 0.8, 0.95, 1e-6);
    let named = [("beta1", beta1), ("beta2", beta2), ("eps", eps)];
    let named = named.map(|(name, x)| (name, Value::Float(x)));
    for (op, decay) in [("adam_step", 0.0), ("adamw_step", 0.1)] {
        let (mut param, mut m, mut v) = (PARAM, [0.0; 3], [0.0; 3]);
        for step in 1..=4 {
            let (part1, part2) = (1.0 - beta1.powi(step), 1.0 - beta2.powi(step));
            let rates = [lr / part1, 1.0 / part2.sqrt(), 1.0 - lr * decay];
            let got = update(op, &[param, gradient(step), m, v], &rates, &named);
            for i in 0..3 {
                let grad = gradient(step)[i];
                m[i] = beta1 * m[i] + (1.0 - beta1) * grad;
                v[i] = beta2 * v[i] + (1.0 - beta2) * grad * grad;
                let (mean, spread) = (m[i] / part1, (v[i] / part2).sqrt());
                param[i] -= lr * decay * param[i] + lr * mean / (spread + eps);
            }
            for (what, got, want) in [("param", got[0], param), ("m", got[1], m), ("v", got[2], v)]
            {
                assert_near(&format!("{op}, {what} of step {step}"), got, want);
            }
        }
    }
}

/// Rates are slots, so another rate does not change the fingerprint.
#[test]
fn rates_are_slots() {
    let fingerprint = |rate: f64| {
        let g = Recorder::default();
        let x = || Value::Tensor(g.input("x", Role::State, Type::new(DType::F32, [3])).id());
        let args = [x(), x(), x(), x(), Value::Float(rate), Value::Float(1.5 * rate)];
        find("adam_step").expect("an op").call(&g, &args, &[]).expect("records");
        g.into_graph().fingerprint()
    };
    assert_eq!(fingerprint(0.1), fingerprint(0.2));
}

#[test]
fn state_must_have_the_type_of_the_parameter() {
    let g = Recorder::default();
    let x = |shape: [usize; 1]| g.input("x", Role::State, Type::new(DType::F32, shape));
    let args = [x([3]), x([3]), x([2])].map(|x| Value::Tensor(x.id()));
    let args = [&args[..], &[Value::Float(0.1)]].concat();
    let error = find("sgd_step").expect("an op").call(&g, &args, &[]).expect_err("another length");
    assert_eq!(
        error.message(),
        "sgd_step: gradient and state must have the type of the parameter\n  param: f32[3]\n  \
         other: f32[2]"
    );
}
