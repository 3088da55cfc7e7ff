//! What is read while a compiled function is recorded is the same in every run, or it is refused.
use crate::{alone, floats};
use brasa::nn::{BatchNorm1d, Buffer, Linear, Module};
use brasa::optim::Sgd;
use brasa::{DType, Error, Forward, Tensor, capture, compile, no_grad, ops};

/// What a function that reads comes to: the error, which names this file and a way out.
fn refused(name: &str, result: Result<impl Sized, Error>, way_out: &str) {
    let error = result.err().unwrap_or_else(|| panic!("{name} was recorded")).to_string();
    assert!(error.contains("a compiled function is being recorded"), "{name}: {error}");
    assert!(error.contains(way_out), "{name}: {error}");
    assert!(error.contains("reads.rs:"), "{name}: {error}");
}

/// A function that gives a tensor, or what it could not read.
fn run(f: impl Fn(&Tensor) -> Result<Tensor, Error>, x: &Tensor) -> Result<Tensor, Error> {
    let forward = |x: &[Tensor]| f(&x[0]).unwrap_or_else(brasa::rejected);
    Forward::new(forward).run(&[x])
}

#[test]
fn values_that_change_are_not_read() {
    let _alone = alone();
    let x = Tensor::from_vec((0..300).map(|n| n as f32 - 20.0).collect(), [3, 100]);
    let model = Linear::new(100, 2);
    let weight = model.parameters()[0].clone();
    type Read<'a> = &'a dyn Fn(&Tensor) -> Result<Tensor, Error>;
    let reads: [(&str, Read); 9] = [
        ("item", &|x| Ok(x * x.sum(..).item::<f32>()?)),
        ("an input", &|x| Ok(x * x.to_vec::<f32>()?[0])),
        ("a view", &|x| Ok(x * x.i((0, 1)).item::<f64>()?)),
        ("bytes", &|x| Tensor::from_bytes(DType::F32, [3, 100], &x.exp().to_bytes()?)),
        ("another dtype", &|x| Ok(x * x.gt(0.0).any(..).item::<f32>()?)),
        ("a parameter", &|x| Ok(x * weight.to_vec::<f32>()?[0])),
        ("of parameters", &|x| Ok(x * weight.square().mean(..).item::<f32>()?)),
        ("draws", &|x| Ok(x * Tensor::rand([4]).sum(..).item::<f32>()?)),
        ("a changed copy", &|x| {
            let copy = Tensor::zeros([3, 100]);
            copy.copy_(x);
            Ok(x * copy.to_vec::<f32>()?[7])
        }),
    ];
    for (name, read) in reads {
        refused(name, run(read, &x), "capture(name, &x)");
    }
}

#[test]
fn ops_that_read_are_refused() {
    let _alone = alone();
    let x = Tensor::from_vec((0..200).map(|n| n % 7).collect::<Vec<i64>>(), 200);
    type Op<'a> = &'a dyn Fn(&Tensor) -> Tensor;
    let reading: [(&str, Op); 8] = [
        ("masked_select", &|x| x.masked_select(&x.gt(3))),
        ("nonzero", &|x| x.nonzero()),
        ("argwhere", &|x| x.argwhere()),
        ("bincount", &|x| x.bincount()),
        ("unique", &|x| x.unique()),
        ("unique_consecutive", &|x| x.unique_consecutive()),
        ("repeat_interleave", &|x| ops::repeat_interleave_tensor(x, x, 0)),
        ("of draws", &|_| Tensor::rand([9]).gt(0.5).nonzero()),
    ];
    for (name, op) in reading {
        refused(name, run(|x| Ok(op(x)), &x), "where_");
    }
}

/// Printing goes on, and shows what is known.
#[test]
fn a_loss_that_prints_itself_trains() {
    let _alone = alone();
    let (model, printed) = (Linear::new(3, 1), std::cell::RefCell::new(Vec::new()));
    let loss = |x: &[Tensor]| {
        let loss = ops::mse_loss(&model.forward(&x[0]), &x[1]);
        printed.borrow_mut().extend([
            format!("{loss}"),
            format!("{loss:?}"),
            format!("{:#?}", x[0]),
        ]);
        loss
    };
    let mut step = compile(&model, loss, Sgd::new(0.1).build(model.parameters()));
    let (x, y) = (Tensor::randn([64, 3]), Tensor::ones([64, 1]));
    let want = ops::mse_loss(&model.forward(&x), &y).item::<f32>().expect("a loss");
    let losses: Vec<f32> = (0..20).map(|_| step.run(&[&x, &y]).expect("a step")).collect();
    assert!((losses[0] - want).abs() < 1e-5 * want, "{losses:?}, the first is {want}");
    assert!(losses[19] < 0.5 * losses[0], "{losses:?}");
    let shown = |ty: &str| format!("tensor({ty}, recorded for a compiled function: no value yet)");
    let wanted = [shown("f32[]"), "Tensor(f32[])".to_string(), shown("f32[64, 3]")];
    assert_eq!(*printed.borrow(), wanted);
}

/// What does not change may be read; what changes later is noticed.
#[test]
fn constants_are_read_and_followed() {
    let _alone = alone();
    let table = Tensor::new([1.0, 2.0, 4.0]);
    let recorded = std::cell::Cell::new(0);
    let mut forward = Forward::new(|x: &[Tensor]| {
        recorded.set(recorded.get() + 1);
        let scale = table.to_vec::<f32>().expect("a value")[1];
        let steps = (Tensor::arange(5) * 2).sum(..).item::<i64>().expect("a value");
        let places = table.gt(1.5).nonzero().len_of(0) as f32;
        &x[0] * scale + (steps as f32) + places
    });
    for n in 0..3 {
        let got = forward.run(&[&Tensor::new([n as f32])]).expect("a run");
        assert_eq!(floats(&got), [2.0 * n as f32 + 22.0]);
    }
    table.set(1, 10.0);
    let got = forward.run(&[&Tensor::new([3.0])]).expect("a run");
    assert_eq!((floats(&got), recorded.get()), (vec![52.0], 2));
}

/// State that a step itself changes is no constant, in whatever order it is read and changed.
#[test]
fn state_of_the_function_is_not_read() {
    let _alone = alone();
    let count = Buffer::new(Tensor::new([0.0]));
    let ahead = |x: &[Tensor]| {
        let scale = count.item::<f32>().expect("it is not known yet that it changes");
        count.add_(1.0);
        &x[0] * scale
    };
    let x = Tensor::ones([8]);
    refused("read, then changed", Forward::new(ahead).run(&[&x]), "run_with_captures");
    let after = |x: &Tensor| {
        count.add_(x.sum(..));
        Ok(x * count.item::<f32>()?)
    };
    refused("changed, then read", run(after, &x), "run_with_captures");
    assert_eq!(floats(&count), [0.0], "a recording that was refused changes nothing");
}

/// A refused recording leaves parameters, buffers and gradients as they were.
#[test]
fn a_refused_step_changes_nothing() {
    let _alone = alone();
    let (model, norm) = (Linear::new(4, 4), BatchNorm1d::new(4));
    let loss = |x: &[Tensor]| {
        let y = norm.forward(&model.forward(&x[0])).square().mean(..);
        let scale = y.item::<f32>().map_err(|error| error.to_string());
        &y * scale.unwrap_or_else(|error| panic!("{error}"))
    };
    let before: Vec<Vec<f32>> = norm.state_dict().values().map(floats).collect();
    let x = Tensor::randn([16, 4]);
    let stepped = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        compile(&model, loss, Sgd::new(0.1).build(model.parameters())).run(&[&x])
    }));
    assert!(stepped.is_err(), "the read was refused");
    let after: Vec<Vec<f32>> = norm.state_dict().values().map(floats).collect();
    assert_eq!(before, after);
    let again = |x: &[Tensor]| norm.forward(&model.forward(&x[0])).square().mean(..);
    let mut step = compile(&model, again, Sgd::new(0.1).build(model.parameters()));
    assert!(step.run(&[&x]).expect("a step").is_finite());
}

/// What a function gives need not be computed by it, and may be captured as well.
#[test]
fn results_may_be_inputs_and_constants() {
    let _alone = alone();
    let table = Tensor::new([7.0, 8.0]);
    type Give<'a> = &'a dyn Fn(&[Tensor]) -> Tensor;
    let functions: [(&str, Give, [f32; 2]); 4] = [
        ("an input", &|x| x[0].clone(), [1.0, 2.0]),
        ("an input as it is", &|x| x[0].reshape([2]).cast(DType::F32), [1.0, 2.0]),
        ("a tensor from outside", &|_| table.clone(), [7.0, 8.0]),
        ("a new tensor", &|_| Tensor::new([5.0, 6.0]), [5.0, 6.0]),
    ];
    for (name, give, want) in functions {
        let mut forward = Forward::new(|x: &[Tensor]| {
            capture("table", &table);
            capture("input", &x[0]);
            give(x)
        });
        for shift in [0.0, 3.0] {
            let x = Tensor::new([1.0 + shift, 2.0 + shift]);
            let (got, captures) = forward.run_with_captures(&[&x]).expect("a run");
            let want = want.map(|y| if name.starts_with("an input") { y + shift } else { y });
            assert_eq!(floats(&got), want, "{name}");
            assert_eq!(floats(&captures["table"]), [7.0, 8.0], "{name}");
            assert_eq!(floats(&captures["input"]), floats(&x), "{name}");
        }
    }
}

/// Recording is not cut by its length, nor by a call of `flush`.
#[test]
fn long_functions_are_recorded_whole() {
    let _alone = alone();
    let mut forward = Forward::new(|x: &[Tensor]| {
        let first = &x[0] + 1.0;
        brasa::flush();
        // More than are pending at most elsewhere; nobody asks for their values.
        (0..21_000).for_each(|n| _ = &first * n);
        first * &x[0]
    });
    for n in [2.0f32, 0.5] {
        let got = forward.run(&[&Tensor::new([n])]).expect("a run");
        assert_eq!(floats(&got), [(n + 1.0) * n]);
    }
}

#[test]
fn compiled_functions_are_not_run_while_another_is_recorded() {
    let _alone = alone();
    let scale = Tensor::new(2.0);
    let inner = std::cell::RefCell::new(Forward::new(|x: &[Tensor]| &x[0] * &scale));
    let outer = |x: &Tensor| Ok(x + inner.borrow_mut().run(&[&Tensor::ones([2])])?);
    let error = run(outer, &Tensor::new([1.0, 2.0])).expect_err("a run in a recording").to_string();
    assert!(error.contains("while another is recorded"), "{error}");
    no_grad(|| scale.copy_(3.0));
    let got = inner.borrow_mut().run(&[&Tensor::ones([2])]).expect("a run");
    assert_eq!(floats(&got), [3.0, 3.0]);
}
