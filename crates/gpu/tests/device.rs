//! What a device does beside computing: limits, writes, errors, ops without a shader, loss.
use brasa_compile::{compile_with, grad};
use brasa_gpu::{Buffer, Executable, Gpu, Limits, options, run, wait_for};
use brasa_ir::compose::{adam_step, matmul};
use brasa_ir::ops::{Custom, CustomOp, Role, Vjp, Write};
use brasa_ir::{Array, DType, Error, ErrorKind, Expr, Graph, Id, Number, Recorder, Result, Type};
use std::collections::HashMap;
use std::sync::Arc;

fn gpu() -> Gpu {
    Gpu::global().expect("there is an adapter")
}

fn uploaded(gpu: &Gpu, graph: &Graph, values: &HashMap<Id, Array>) -> (Executable, Vec<Buffer>) {
    let program = compile_with(graph, &[], &options()).expect("compiles");
    let upload = |id: Id| gpu.upload(&values[&id]).expect("uploads");
    let buffers = program.inputs.iter().map(|input| upload(input.node)).collect();
    (wait_for(Executable::new(gpu, program)).expect("compiles"), buffers)
}

fn refs(buffers: &[Buffer]) -> Vec<&Buffer> {
    buffers.iter().collect()
}

/// More inputs than a shader may bind go through the arena, those that are written included.
#[test]
fn a_kernel_may_have_any_number_of_inputs() {
    let gpu = &gpu();
    const MANY: usize = 70;
    let g = Recorder::default();
    let ty = Type::new(DType::F32, [5]);
    let inputs: Vec<Expr> = (0..MANY).map(|_| g.input("x", Role::State, ty.clone())).collect();
    let sum = inputs.iter().skip(1).fold(inputs[0], |sum, x| sum + *x);
    for &x in &inputs {
        g.push(Write {}, &[x, x + sum]).expect("records");
    }
    let value = |n: usize| Array::from_f64(&ty, (0..5).map(|i| (n * 5 + i) as f64));
    let values: HashMap<Id, Array> =
        inputs.iter().enumerate().map(|(n, x)| (x.id(), value(n))).collect();
    let (mut executable, buffers) = g.read(|graph| uploaded(gpu, graph, &values));
    let mut want: Vec<Vec<f64>> = (0..MANY).map(|n| value(n).to_f64()).collect();
    for _ in 0..2 {
        wait_for(executable.run(&refs(&buffers), &[])).expect("runs");
        let sums: Vec<f64> = (0..5).map(|i| want.iter().map(|x| x[i]).sum()).collect();
        want.iter_mut().for_each(|x| x.iter_mut().zip(&sums).for_each(|(x, sum)| *x += sum));
    }
    for (n, (buffer, want)) in buffers.iter().zip(want).enumerate() {
        assert_eq!(wait_for(gpu.read(buffer)).expect("reads").to_f64(), want, "input {n}");
    }
}

/// The error of a graph of one input.
fn error(ty: Type, value: f64, build: impl for<'g> Fn(Expr<'g>) -> Expr<'g>) -> Error {
    let g = Recorder::default();
    let x = g.input("x", Role::Data, ty.clone());
    let y = build(x);
    let values = HashMap::from([(x.id(), Array::full(&ty, Number::Float(value)))]);
    g.read(|graph| run(graph, &values, &[y.id()])).expect_err("fails")
}

#[test]
fn what_cannot_be_done_is_said() {
    let f64_error = error(Type::new(DType::F64, [3]), 1.0, |x| x + x);
    assert_eq!(f64_error.kind(), ErrorKind::DType);
    assert!(f64_error.message().contains("CPU"), "{}", f64_error.message());

    let large = error(Type::new(DType::I64, [3]), 1e12, |x| x + x);
    assert_eq!(large.kind(), ErrorKind::Data);
    assert!(large.message().contains("1000000000000"), "{}", large.message());

    let outside = error(Type::new(DType::I64, [3]), 7.0, |index| index.gather(0, index));
    assert_eq!(outside.kind(), ErrorKind::Data);
    assert!(outside.message().contains("index 7 is out of range"), "{}", outside.message());
}

/// Twice its operand.
struct Double;

impl CustomOp for Double {
    fn name(&self) -> &'static str {
        "double"
    }
    fn infer(&self, inputs: &[&Type]) -> Result<Type> {
        Ok(inputs[0].clone())
    }
    fn eval(&self, inputs: &[&Array], out: &Type) -> Result<Array> {
        Ok(Array::from_f64(out, inputs[0].to_f64().into_iter().map(|x| 2.0 * x)))
    }
    fn grad<'g>(&self, v: &Vjp<'g>) -> Vec<Option<Expr<'g>>> {
        vec![Some(v.dy + v.dy)]
    }
}

#[test]
fn ops_of_the_users_own_run_on_the_cpu_in_between() {
    let gpu = &gpu();
    let g = Recorder::default();
    let ty = Type::new(DType::F32, [4, 3]);
    let x = g.input("x", Role::Data, ty.clone());
    let inner = x.transposed() + 1.0;
    let doubled = g.push(Custom(Arc::new(Double)), &[inner]).expect("records");
    let y = doubled * doubled;
    let value = Array::from_f64(&ty, (0..12).map(f64::from));
    g.read(|graph| {
        let program = compile_with(graph, &[y.id()], &options()).expect("compiles");
        let mut executable = wait_for(Executable::new(gpu, program)).expect("compiles");
        assert!(executable.shaders().hosted().eq(["double"]));
        let buffers = [&gpu.upload(&value).expect("uploads")];
        wait_for(executable.run(&buffers, graph.slots())).expect("runs");
        let got = wait_for(executable.output(&buffers, 0)).expect("reads").to_f64();
        let want = |i: usize| (2.0 * ((i % 4 * 3 + i / 4) as f64 + 1.0)).powi(2);
        assert_eq!(got, (0..12).map(want).collect::<Vec<_>>());
    });
}

/// An arena of many pages, and few bindings.
#[test]
fn a_small_device_gives_the_same() {
    let small = gpu().within(Limits { buffers: 6, bytes: 4096, ..gpu().limits() });
    let g = Recorder::default();
    let ty = Type::new(DType::F32, [30, 30]);
    let x = g.input("x", Role::Data, ty.clone());
    let steps: Vec<Expr> =
        (0..6).map(|n| matmul(&g, x, x + n as f64).expect("records").tanh()).collect();
    let sums = steps.iter().map(|step| step.sum(&[1]));
    let y = sums.fold(x.sum(&[1]), |sum, part| sum + part);
    let wanted: Vec<Id> = steps.iter().chain([&y]).map(Expr::id).collect();
    let value = Array::from_f64(&ty, (0..900).map(|i| (i % 17) as f64 * 0.01 - 0.05));
    let outputs = |gpu: &Gpu| -> Vec<Vec<f64>> {
        g.read(|graph| {
            let program = compile_with(graph, &wanted, &options()).expect("compiles");
            let inputs = [&gpu.upload(&value).expect("uploads")];
            let mut executable = wait_for(Executable::new(gpu, program)).expect("compiles");
            wait_for(executable.run(&inputs, graph.slots())).expect("runs");
            let read = |n| wait_for(executable.output(&inputs, n)).expect("reads").to_f64();
            (0..wanted.len()).map(read).collect()
        })
    };
    assert_eq!(outputs(&small), outputs(&gpu()));

    let tiny = gpu().within(Limits { bytes: 2048, ..gpu().limits() });
    let program = g.read(|graph| compile_with(graph, &wanted, &options())).expect("compiles");
    let error = wait_for(Executable::new(&tiny, program)).err().expect("is refused");
    assert_eq!(error.kind(), ErrorKind::Device);
    assert!(error.message().contains("x: f32[30, 30]"), "{}", error.message());
}

/// Training with Adam: its parameter, its two moments, and the program of a step.
struct Training<'g> {
    g: &'g Recorder,
    inputs: Vec<Id>,
    correction: [usize; 2],
}

impl<'g> Training<'g> {
    fn new(g: &'g Recorder) -> Training<'g> {
        let ty = Type::new(DType::F32, [8]);
        let input = |name| g.input(name, Role::State, ty.clone());
        let (w, m, v) = (input("w"), input("m"), input("v"));
        let loss = ((w - 3.0) * (w - 3.0)).sum(&[0]);
        let dw = grad(g, &[loss], &[], &[w]).expect("differentiates")[0].expect("depends on w");
        let slot = |value: f64| {
            let number = g.number(Number::Float(value), DType::F32);
            (number.into(), g.read(|graph| graph.slots().len() - 1))
        };
        let ((step, first), (root, second)) = (slot(0.5), slot(2.0));
        let shrink = Number::Float(0.99).into();
        let new = adam_step(g, w, dw, m, v, step, root, shrink, 0.9, 0.999, 1e-8);
        let (new_w, new_m, new_v) = new.expect("records");
        for (target, value) in [(w, new_w), (m, new_m), (v, new_v)] {
            g.push(Write {}, &[target, value]).expect("records");
        }
        let inputs = [w, m, v].map(|x| x.id()).to_vec();
        Training { g, inputs, correction: [first, second] }
    }

    /// Opens a device with this state.
    fn begin(&self, state: &[Array]) -> (Gpu, Executable, Vec<Buffer>) {
        let gpu = wait_for(Gpu::new()).expect("opens");
        let values = self.inputs.iter().copied().zip(state.iter().cloned()).collect();
        let (executable, buffers) = self.g.read(|graph| uploaded(&gpu, graph, &values));
        (gpu, executable, buffers)
    }

    fn step(&self, n: i32, executable: &mut Executable, buffers: &[Buffer]) -> Result<()> {
        let mut slots = self.g.read(|graph| graph.slots().to_vec());
        let [step, root] = self.correction;
        slots[step] = Number::Float(0.1 / (1.0 - 0.9f64.powi(n)));
        slots[root] = Number::Float(1.0 / (1.0 - 0.999f64.powi(n)).sqrt());
        wait_for(executable.run(&refs(buffers), &slots))
    }
}

fn read_all(gpu: &Gpu, buffers: &[Buffer]) -> Result<Vec<Array>> {
    buffers.iter().map(|buffer| wait_for(gpu.read(buffer))).collect()
}

/// The device goes away in the middle of training; another takes up the last snapshot.
#[test]
fn training_survives_the_loss_of_its_device() {
    let g = Recorder::default();
    let training = Training::new(&g);
    let ty = Type::new(DType::F32, [8]);
    let zeros = Array::full(&ty, Number::Float(0.0));
    let start = [Array::from_f64(&ty, (0..8).map(f64::from)), zeros.clone(), zeros];

    let (gpu, mut executable, buffers) = training.begin(&start);
    (1..=8).for_each(|n| training.step(n, &mut executable, &buffers).expect("runs"));
    let undisturbed = read_all(&gpu, &buffers).expect("reads");

    let (gpu, mut executable, buffers) = training.begin(&start);
    (1..=3).for_each(|n| training.step(n, &mut executable, &buffers).expect("runs"));
    let snapshot = read_all(&gpu, &buffers).expect("reads");
    training.step(4, &mut executable, &buffers).expect("runs");
    assert_eq!(gpu.lost(), None);
    gpu.destroy();
    let failed = training.step(5, &mut executable, &buffers);
    let lost = failed.and_then(|()| read_all(&gpu, &buffers)).expect_err("the device is gone");
    assert_eq!(lost.kind(), ErrorKind::Device, "{}", lost.message());
    assert!(lost.message().contains("lost"), "{}", lost.message());
    assert!(gpu.lost().is_some() && gpu.upload(&snapshot[0]).is_err());

    let (gpu, mut executable, buffers) = training.begin(&snapshot);
    (4..=8).for_each(|n| training.step(n, &mut executable, &buffers).expect("runs"));
    let restored = read_all(&gpu, &buffers).expect("reads");
    for (n, (got, want)) in restored.iter().zip(&undisturbed).enumerate() {
        assert_eq!(got.to_f64(), want.to_f64(), "state {n}");
    }
}
