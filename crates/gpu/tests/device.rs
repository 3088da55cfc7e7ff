//! What a device does beside computing: limits, writes, errors, ops without a shader, loss.
use brasa_compile::compile_with;
use brasa_gpu::{Buffer, Executable, Gpu, options, run, wait_for};
use brasa_ir::ops::{Custom, CustomOp, Role, Vjp, Write};
use brasa_ir::{Array, DType, Error, ErrorKind, Expr, Graph, Id, Number, Recorder, Result, Type};
use std::collections::HashMap;
use std::sync::Arc;

fn gpu() -> &'static Gpu {
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
    let gpu = gpu();
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
    let gpu = gpu();
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

/// A device that goes away is an error, and a new one takes up what was saved.
#[test]
fn a_lost_device_is_reported_and_can_be_replaced() {
    let g = Recorder::default();
    let ty = Type::new(DType::F32, [3]);
    let w = g.input("w", Role::Param, ty.clone());
    g.push(Write {}, &[w, w * 0.5 + 1.0]).expect("records");
    let mut snapshot = Array::f32([3], &[4.0, 8.0, 16.0]);
    let step = |gpu: &Gpu, from: &Array| -> (Executable, Vec<Buffer>) {
        g.read(|graph| uploaded(gpu, graph, &HashMap::from([(w.id(), from.clone())])))
    };
    let slots = g.read(|graph| graph.slots().to_vec());
    let first = wait_for(Gpu::new()).expect("opens");
    let (mut executable, buffers) = step(&first, &snapshot);
    wait_for(executable.run(&refs(&buffers), &slots)).expect("runs");
    snapshot = wait_for(first.read(&buffers[0])).expect("reads");
    first.destroy();
    let lost = wait_for(executable.run(&refs(&buffers), &slots))
        .and_then(|()| wait_for(first.read(&buffers[0])).map(drop))
        .expect_err("the device is gone");
    assert_eq!(lost.kind(), ErrorKind::Device, "{}", lost.message());

    let second = wait_for(Gpu::new()).expect("opens again");
    let (mut executable, buffers) = step(&second, &snapshot);
    wait_for(executable.run(&refs(&buffers), &slots)).expect("runs");
    let got = wait_for(second.read(&buffers[0])).expect("reads");
    assert_eq!(got.to_f64(), [2.5, 3.5, 5.5]);
}
