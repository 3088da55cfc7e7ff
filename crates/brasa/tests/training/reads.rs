//! Reads while a compiled function is recorded: constants can be read, other values are rejected.
use crate::{floats, serial};
use brasa::nn::{BatchNorm1d, Buffer, Linear, Module};
use brasa::optim::Sgd;
use brasa::{DType, Error, Forward, Tensor, capture, compile, no_grad, ops};

/// Checks the error of a function that reads: it names this file and a remedy.
fn assert_read_error(name: &str, result: Result<impl Sized, Error>, remedy: &str) {
    let error = result.err().unwrap_or_else(|| panic!("{name} was recorded")).to_string();
    assert!(error.contains("a compiled function is being recorded"), "{name}: {error}");
    assert!(error.contains(remedy), "{name}: {error}");
    assert!(error.contains("reads.rs:"), "{name}: {error}");
}

/// Runs a function that returns a tensor or the error of a read.
fn run(f: impl Fn(&Tensor) -> Result<Tensor, Error>, x: &Tensor) -> Result<Tensor, Error> {
    let forward = |x: &[Tensor]| f(&x[0]).unwrap_or_else(brasa::rejected);
    Forward::new(forward).run(&[x])
}

#[test]
fn reading_values_that_change_between_runs_is_rejected() {
    let _serial = serial();
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
        assert_read_error(name, run(read, &x), "capture(name, &x)");
    }
}

#[test]
fn ops_with_data_dependent_shapes_are_rejected() {
    let _serial = serial();
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
        assert_read_error(name, run(|x| Ok(op(x)), &x), "where_");
    }
}

/// Printing works, and shows the type.
#[test]
fn printing_inside_a_compiled_function_works() {
    let _serial = serial();
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

/// Constants may be read; if they change later, the function is recorded again.
#[test]
fn constants_can_be_read_and_updates_are_noticed() {
    let _serial = serial();
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

/// State that a step itself changes is not constant, in whichever order it is read and changed.
#[test]
fn reading_state_that_the_function_changes_is_rejected() {
    let _serial = serial();
    let count = Buffer::new(Tensor::new([0.0]));
    let ahead = |x: &[Tensor]| {
        let scale = count.item::<f32>().expect("it is not known yet that it changes");
        count.add_(1.0);
        &x[0] * scale
    };
    let x = Tensor::ones([8]);
    assert_read_error("read, then changed", Forward::new(ahead).run(&[&x]), "run_with_captures");
    let after = |x: &Tensor| {
        count.add_(x.sum(..));
        Ok(x * count.item::<f32>()?)
    };
    assert_read_error("changed, then read", run(after, &x), "run_with_captures");
    assert_eq!(floats(&count), [0.0], "a rejected recording changed the state");
}

/// A rejected recording does not change parameters, buffers and gradients.
#[test]
fn a_rejected_recording_changes_nothing() {
    let _serial = serial();
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

/// The result of a function need not be computed by it, and may be captured as well.
#[test]
fn results_may_be_inputs_and_constants() {
    let _serial = serial();
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

/// Neither length nor a call of `flush` splits a recording.
#[test]
fn long_functions_are_recorded_whole() {
    let _serial = serial();
    let mut forward = Forward::new(|x: &[Tensor]| {
        let first = &x[0] + 1.0;
        brasa::flush();
        // More ops than trigger a flush elsewhere; their values are not used.
        (0..21_000).for_each(|n| _ = &first * n);
        first * &x[0]
    });
    for n in [2.0f32, 0.5] {
        let got = forward.run(&[&Tensor::new([n])]).expect("a run");
        assert_eq!(floats(&got), [(n + 1.0) * n]);
    }
}

#[test]
fn compiled_functions_do_not_nest() {
    let _serial = serial();
    let scale = Tensor::new(2.0);
    let inner = std::cell::RefCell::new(Forward::new(|x: &[Tensor]| &x[0] * &scale));
    let outer = |x: &Tensor| Ok(x + inner.borrow_mut().run(&[&Tensor::ones([2])])?);
    let error = run(outer, &Tensor::new([1.0, 2.0])).expect_err("a run in a recording").to_string();
    assert!(error.contains("while another one is being recorded"), "{error}");
    no_grad(|| scale.copy_(3.0));
    let got = inner.borrow_mut().run(&[&Tensor::ones([2])]).expect("a run");
    assert_eq!(floats(&got), [3.0, 3.0]);
}
