//! Device behaviour apart from the results of kernels: limits, in-place writes, errors, ops
//! without a shader, device loss.
use brasa_compile::kernel::Body;
use brasa_compile::program::Launch;
use brasa_compile::{compile_with, grad};
use brasa_gpu::{Buffer, Executable, Gpu, Limits, Shaders, options, run, wait_for};
use brasa_ir::compose::{adam_step, matmul};
use brasa_ir::ops::{Custom, CustomOp, Role, ScatterOp, Vjp, Write};
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

/// More inputs than a shader can bind are staged in the arena, including written ones.
#[test]
#[ignore = "needs an adapter"]
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

/// A training loop that reads nothing runs ahead of the device, within a limit.
#[test]
#[ignore = "needs an adapter"]
fn run_waits_only_when_too_many_runs_are_in_flight() {
    // Not the shared device: other tests submit runs to it.
    let gpu = &wait_for(Gpu::new()).expect("there is an adapter");
    let g = Recorder::default();
    // Enough work for the device to fall behind.
    let ty = Type::new(DType::F32, [256, 256]);
    let (sum, x) = (g.input("sum", Role::State, ty.clone()), g.input("x", Role::Data, ty.clone()));
    g.push(Write {}, &[sum, sum + matmul(&g, x, x).expect("records")]).expect("records");
    let sixteenth = Array::full(&ty, Number::Float(0.0625));
    let values = HashMap::from([(sum.id(), sixteenth.clone()), (x.id(), sixteenth.clone())]);
    let (mut executable, mut buffers) = g.read(|graph| uploaded(gpu, graph, &values));
    let position = |id: Id| executable.program().inputs.iter().position(|i| i.node == id);
    let (sum, x) = (position(sum.id()).expect("an input"), position(x.id()).expect("an input"));
    for step in 0..200 {
        if step % 50 == 0 {
            buffers[x] = gpu.upload(&sixteenth).expect("uploads");
        }
        wait_for(executable.run(&refs(&buffers), &[])).expect("runs");
        assert!(gpu.in_flight() <= 128);
    }
    let got = wait_for(gpu.read(&buffers[sum])).expect("reads").to_f64();
    assert!(got.iter().all(|&x| x == 200.0625), "{}", got[0]);
    assert_eq!(gpu.in_flight(), 0);
}

/// Runs a graph of one input and returns its error.
fn error(ty: Type, value: f64, build: impl for<'g> Fn(Expr<'g>) -> Expr<'g>) -> Error {
    let g = Recorder::default();
    let x = g.input("x", Role::Data, ty.clone());
    let y = build(x);
    let values = HashMap::from([(x.id(), Array::full(&ty, Number::Float(value)))]);
    g.read(|graph| run(graph, &values, &[y.id()])).expect_err("fails")
}

#[test]
#[ignore = "needs an adapter"]
fn unsupported_dtypes_and_values_are_reported() {
    let f64_error = error(Type::new(DType::F64, [3]), 1.0, |x| x + x);
    assert_eq!(f64_error.kind(), ErrorKind::DType);
    assert!(f64_error.message().contains("CPU"), "{}", f64_error.message());

    let large = error(Type::new(DType::I64, [3]), 1e12, |x| x + x);
    assert_eq!(large.kind(), ErrorKind::Data);
    assert!(large.message().contains("1000000000000"), "{}", large.message());

    let builds: [fn(Expr) -> Expr; 2] = [|x| x + 3e9, |x| x + x.like(-3_000_000_000i64)];
    for build in builds {
        let large = error(Type::new(DType::I64, [3]), 1.0, build);
        assert_eq!(large.kind(), ErrorKind::Data);
        assert!(
            large.message().contains("3000000000, which does not fit into 32 bits"),
            "{}",
            large.message()
        );
    }

    let outside = error(Type::new(DType::I64, [3]), 7.0, |index| index.gather(0, index));
    assert_eq!(outside.kind(), ErrorKind::Data);
    let what = "index 7 is out of range for axis 0 of length 3";
    assert!(outside.message().contains(what), "{}", outside.message());
    assert!(outside.message().contains("input: i64[3]"), "{}", outside.message());
}

/// A class out of range is an error, whether the op is a gather or is compiled to a comparison,
/// even if the offending run was not the last one.
#[test]
#[ignore = "needs an adapter"]
fn a_class_out_of_range_is_an_error_at_the_next_read() {
    // Not the shared device: the next read must be this test's.
    let gpu = &wait_for(Gpu::new()).expect("opens");
    for rows in [1, 6, 70_000] {
        let g = Recorder::default();
        let x = g.input("x", Role::Data, Type::new(DType::F32, [rows, 5]));
        let index = g.input("index", Role::Data, Type::new(DType::I64, [rows, 1]));
        let picked = (x * 2.0).gather(1, index).sum(&[0, 1]);
        let placed = x.zeros_like().scatter(1, index, x.narrow(1, 0, 1), ScatterOp::Add);
        let wanted = [picked.id(), placed.sum(&[0]).id()];
        let program = g.read(|graph| compile_with(graph, &wanted, &options())).expect("compiles");
        let is_gather = |launch: &Launch| matches!(launch.kernel.body, Body::Library { .. });
        assert!(!program.launches.iter().any(is_gather) && !program.bounds.is_empty());
        let inputs: Vec<Id> = program.inputs.iter().map(|input| input.node).collect();
        let mut executable = wait_for(Executable::new(gpu, program)).expect("compiles");
        let mut run = |class: f64| {
            let classes = (0..rows).map(|n| if n + 1 == rows { class } else { 3.0 });
            let classes = Array::from_f64(&index.ty(), classes);
            let values = HashMap::from([(x.id(), sample(&x.ty())), (index.id(), classes)]);
            let upload = |id: &Id| gpu.upload(&values[id]).expect("uploads");
            let buffers: Vec<Buffer> = inputs.iter().map(upload).collect();
            let slots = g.read(|graph| graph.slots().to_vec());
            wait_for(executable.run(&refs(&buffers), &slots)).expect("runs");
            buffers
        };
        for class in [5.0, -1.0] {
            run(class);
            let buffers = run(4.0);
            let error = wait_for(gpu.read(&buffers[0])).expect_err("a class is out of range");
            assert_eq!(error.kind(), ErrorKind::Data);
            let what = format!("index {class} is out of range for axis 1 of length 5");
            assert!(error.message().contains(&what), "{}", error.message());
            assert!(error.message().contains(&format!("input: f32[{rows}, 5]")));
            wait_for(gpu.read(&buffers[0])).expect("the error is reported once");
        }
    }
}

/// A tensor of one device cannot be used on another.
#[test]
#[ignore = "needs an adapter"]
fn tensors_of_another_device_are_rejected() {
    let [gpu, other] = [(); 2].map(|()| wait_for(Gpu::new()).expect("opens"));
    let foreign = other.upload(&sample(&Type::new(DType::F32, [5]))).expect("uploads");
    let read = wait_for(gpu.read(&foreign)).map(|_| ());
    let bytes = wait_for(gpu.read_bytes(&foreign)).map(|_| ());
    for outcome in [read, bytes, gpu.copy(&foreign).map(|_| ())] {
        let error = outcome.expect_err("the tensor belongs to another device");
        assert_eq!(error.kind(), ErrorKind::Device);
        assert!(error.message().contains("belongs to another GPU device"), "{}", error.message());
    }
}

/// Doubles its operand.
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
#[ignore = "needs an adapter"]
fn custom_ops_run_on_the_cpu_between_launches() {
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
        assert!(executable.shaders().cpu_ops().eq(["double"]));
        let buffers = [&gpu.upload(&value).expect("uploads")];
        wait_for(executable.run(&buffers, graph.slots())).expect("runs");
        let got = wait_for(executable.output(&buffers, 0)).expect("reads").to_f64();
        let want = |i: usize| (2.0 * ((i % 4 * 3 + i / 4) as f64 + 1.0)).powi(2);
        assert_eq!(got, (0..12).map(want).collect::<Vec<_>>());
    });
}

/// Small limits give an arena of many pages and few bindings.
#[test]
#[ignore = "needs an adapter"]
fn a_small_device_gives_the_same() {
    let small = gpu().with_limits(Limits { buffers: 6, bytes: 4096, ..gpu().limits() });
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

    let tiny = gpu().with_limits(Limits { bytes: 2048, ..gpu().limits() });
    let program = g.read(|graph| compile_with(graph, &wanted, &options())).expect("compiles");
    let error = wait_for(Executable::new(&tiny, program)).err().expect("the limits are too small");
    assert_eq!(error.kind(), ErrorKind::Device);
    assert!(error.message().contains("x: f32[30, 30]"), "{}", error.message());
}

/// A training step with Adam: the parameter and its two moments.
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

    /// Opens a device, compiles the step and uploads this state.
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

/// The device is lost during training; another continues from the last snapshot.
#[test]
#[ignore = "needs an adapter"]
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

fn sample(ty: &Type) -> Array {
    let value = |i: usize| ((i * 7919 + 13) % 1000) as f64 / 500.0 - 1.0;
    Array::from_f64(ty, (0..ty.elements()).map(value))
}

/// Allocations beyond the adapter's memory are rejected with the tensor's name, and the device
/// still works.
#[test]
#[ignore = "needs an adapter"]
fn failed_allocations_leave_the_device_usable() {
    let gpu = &gpu();
    let huge = Type::new(DType::F32, [1 << 40]);
    let refused = gpu.allocate(&huge).err().expect("no adapter has it");
    assert_eq!(refused.kind(), ErrorKind::Device);
    assert!(refused.message().contains("4398046511104 bytes"), "{}", refused.message());

    let g = Recorder::default();
    let x = g.input("x", Role::Data, Type::new(DType::F32, [1 << 20, 1 << 20]));
    let y = (x + 1.0).id();
    let program = g.read(|graph| compile_with(graph, &[y], &options()));
    let refused = Shaders::new(program.expect("compiles"), gpu.limits()).err().expect("too large");
    assert_eq!(refused.kind(), ErrorKind::Device);
    assert!(refused.message().contains("x: f32[1048576, 1048576]"), "{}", refused.message());

    let small = sample(&Type::new(DType::F32, [100]));
    let buffer = gpu.upload(&small).expect("the device still works");
    assert_eq!(wait_for(gpu.read(&buffer)).expect("reads").to_f64(), small.to_f64());
}

/// Every launch has a time, including launches of several shaders.
#[test]
#[ignore = "needs an adapter"]
fn profile_measures_every_launch() {
    let gpu = &gpu();
    let g = Recorder::default();
    let x = g.input("x", Role::Data, Type::new(DType::F32, [300_000]));
    let wanted = [x.sum(&[0]).id(), (x * 2.0).id()];
    g.read(|graph| {
        let program = compile_with(graph, &wanted, &options()).expect("compiles");
        let mut executable = wait_for(Executable::new(gpu, program)).expect("compiles");
        let buffers = [&gpu.upload(&sample(&Type::new(DType::F32, [300_000]))).expect("uploads")];
        let times = executable.profile(&buffers, graph.slots()).expect("runs");
        assert_eq!(times.len(), executable.program().launches.len());
        assert!(times.iter().all(|time| !time.is_zero()), "{times:?}");
    });
}

/// Bytes survive upload and read-back for every dtype.
#[test]
#[ignore = "needs an adapter"]
fn bytes_survive_upload_and_read_back() {
    let gpu = &gpu();
    for dtype in DType::ALL.into_iter().filter(|dtype| *dtype != DType::F64) {
        let array = sample(&Type::new(dtype, [37]));
        let bytes = array.to_bytes();
        let buffer = gpu.upload_bytes(&array.ty, &bytes).expect("uploads");
        assert_eq!(wait_for(gpu.read_bytes(&buffer)).expect("reads"), bytes, "{dtype}");
    }
    let short = gpu.upload_bytes(&Type::new(DType::F32, [3]), &[0; 8]).err().expect("is refused");
    assert_eq!(short.kind(), ErrorKind::Data);
}
