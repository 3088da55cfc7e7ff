//! A recorder without a device and the engine that computes for it: bitwise equal to the CPU.
use brasa::nn::{BatchNorm1d, Dropout, Linear, Module, Sequential, Tanh};
use brasa::optim::{Adam, AdamW, Sgd};
use brasa::remote::{self, Command, Engine, Reply};
use brasa::{
    Captures, DType, Device, ErrorKind, Number, Result, Tensor, compile, flush, manual_seed, ops,
    set_default_device,
};
use brasa_ir::Type;
use proptest::prelude::*;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};

/// The random generator is shared by all threads, so only one test runs at a time.
static SERIAL: Mutex<()> = Mutex::new(());

fn serial() -> MutexGuard<'static, ()> {
    SERIAL.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Runs `body` in a new thread with a remote device.
fn with_remote<T: Send>(body: impl FnOnce(&mut Connection) -> T + Send) -> T {
    let run = || {
        set_default_device(Device::remote());
        body(&mut Connection { engine: Engine::new(Device::cpu()), values: HashMap::new() })
    };
    std::thread::scope(|s| s.spawn(run).join().expect("the thread ends well"))
}

/// A connection to an engine.
struct Connection {
    engine: Engine,
    values: HashMap<u64, Result<Vec<u8>>>,
}

impl Connection {
    /// Sends the queued commands and receives replies.
    fn exchange(&mut self) {
        let answer = self.engine.execute(&remote::take_commands()).expect("commands are read");
        let replies = remote::replies(&answer).expect("replies are read");
        self.values.extend(replies.into_iter().map(|Reply { number, value }| (number, value)));
    }

    /// Reads a tensor as `await` does in TypeScript.
    fn value(&mut self, x: &Tensor) -> Result<Vec<f32>> {
        let number = remote::read(x)?;
        self.exchange();
        let bytes = self.values.remove(&number).expect("it was answered")?;
        let float = |bytes: &[u8]| f32::from_le_bytes(bytes.try_into().expect("four bytes"));
        Ok(bytes.chunks_exact(4).map(float).collect())
    }
}

fn model() -> Sequential {
    Sequential::new()
        .add(Linear::new(2, 16))
        .add(BatchNorm1d::new(16))
        .add(Tanh)
        .add(Dropout::new(0.25))
        .add(Linear::new(16, 1))
}

fn xor() -> (Tensor, Tensor) {
    let x = Tensor::new([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]);
    (x, Tensor::new([[0.0], [1.0], [1.0], [0.0]]))
}

/// Trains in a recorded loop. Returns the losses and the final parameters, read by `read`.
fn recorded(read: &mut dyn FnMut(&Tensor) -> Vec<f32>) -> Vec<Vec<f32>> {
    manual_seed(3);
    let (model, (x, y)) = (model(), xor());
    let mut optimizer = AdamW::new(0.05).build(model.parameters());
    let mut seen = Vec::new();
    for step in 0..12 {
        optimizer.set_lr(0.05 / (1.0 + step as f64));
        let loss = ops::mse_loss(&model.forward(&x), &y);
        optimizer.zero_grad();
        loss.backward();
        optimizer.step().expect("a step");
        if step % 3 == 0 {
            seen.push(read(&loss));
        }
    }
    seen.extend(model.state_dict().values().map(|x| read(&x.to(DType::F32))));
    seen
}

/// The same with compiled steps and a compiled forward pass.
fn compiled(read: &mut dyn FnMut(&Tensor) -> Vec<f32>) -> Vec<Vec<f32>> {
    manual_seed(3);
    let (model, (x, y)) = (model(), xor());
    let loss = |x: &[Tensor]| {
        let guess = model.forward(&x[0]);
        brasa::capture("guess", &guess);
        ops::mse_loss(&guess, &x[1])
    };
    let mut step = compile(&model, loss, Adam::new(0.05).build(model.parameters()));
    let mut seen = Vec::new();
    for n in 0..12 {
        step.set_lr(0.05 / (1.0 + n as f64));
        let (loss, captures): (Tensor, Captures) = step.step(&[&x, &y]).expect("a step");
        seen.push(read(&loss));
        seen.push(read(&captures["guess"]));
    }
    model.eval();
    let mut forward = step.attach(|x: &[Tensor]| model.forward(&x[0]));
    seen.push(read(&forward.run(&[&x]).expect("a pass")));
    seen
}

#[test]
fn remote_training_is_bitwise_equal() {
    let _serial = serial();
    let here = |x: &Tensor| x.to_vec::<f32>().expect("a value");
    type Run = fn(&mut dyn FnMut(&Tensor) -> Vec<f32>) -> Vec<Vec<f32>>;
    for run in [recorded, compiled] as [Run; 2] {
        let want = run(&mut |x| here(x));
        let got = with_remote(|line| run(&mut |x| line.value(x).expect("a value")));
        assert_eq!(got, want);
    }
}

#[test]
fn a_loop_sends_its_graph_once_and_frees_dropped_tensors() {
    let _serial = serial();
    with_remote(|line| {
        let (model, (x, y)) = (model(), xor());
        let mut optimizer = Sgd::new(0.05).momentum(0.9).build(model.parameters());
        let (mut graphs, mut held) = (Vec::new(), Vec::new());
        for _ in 0..6 {
            let loss = ops::mse_loss(&model.forward(&x), &y);
            optimizer.zero_grad();
            loss.backward();
            optimizer.step().expect("a step");
            drop(loss);
            let message = remote::take_commands();
            let commands = remote::commands(&message).expect("they are read");
            let is_graph = |command: &&Command| matches!(command, Command::Program { .. });
            graphs.push(commands.iter().filter(is_graph).count());
            assert!(line.engine.execute(&message).expect("they are carried out").is_empty());
            held.push(line.engine.held());
        }
        assert_eq!(graphs[2..], [0; 4], "repeated steps send a graph");
        assert!(held[2..].iter().all(|&now| now == held[2]), "memory grows: {held:?}");
        drop((model, optimizer, x, y));
        line.exchange();
        assert_eq!(line.engine.held(), (0, 0));
    });
}

#[test]
fn synchronous_reading_is_an_error() {
    with_remote(|_| {
        let x = Tensor::new([1.0, 2.0]);
        let error = (&x + 1.0).to_vec::<f32>().expect_err("the value is elsewhere");
        assert_eq!(error.kind(), ErrorKind::Argument);
        assert!(error.to_string().contains("cannot read synchronously"), "{error}");
        assert!(x.to_string().contains("cannot read synchronously"), "{x}");
        let error = brasa::catch(|| x.nonzero()).expect_err("its shape depends on data");
        assert!(error.to_string().contains("depends on data"), "{error}");
    });
}

#[test]
fn errors_of_runs_are_reported_with_the_next_reply() {
    with_remote(|line| {
        let x = Tensor::new([1.0, 2.0, 3.0]);
        let picked = x.index_select(0, &Tensor::new([0, 7]));
        let line_of_call = line!() - 1;
        flush();
        let error = line.value(&x).expect_err("the first reply carries the error");
        assert_eq!((error.kind(), error.op()), (ErrorKind::Data, "index_select"));
        let site = error.site().expect("it has a place").to_string();
        assert!(site.contains(&format!("remote.rs:{line_of_call}:")), "{site}");
        assert_eq!(line.value(&x).expect("it was reported"), [1.0, 2.0, 3.0]);
        // Failed values stay without a value, and so do results computed from them.
        assert!(line.value(&picked).is_err());
        assert!(line.value(&(&picked + 1.0)).is_err());
        assert_eq!(line.value(&(&x + 1.0)).expect("a value"), [2.0, 3.0, 4.0]);
    });
}

#[test]
fn announced_tensors_use_uploaded_bytes() {
    with_remote(|line| {
        let (x, id) = remote::announce(DType::F32, [2]);
        line.engine.upload(id, &[1.5f32.to_le_bytes(), 2.5f32.to_le_bytes()].concat());
        assert_eq!(line.value(&(&x * 2.0)).expect("a value"), [3.0, 5.0]);
        assert_eq!(remote::memory(&x).expect("it has memory"), id);
    });
}

#[test]
fn tensors_of_another_device_are_rejected() {
    let here = Tensor::new([1.0]);
    assert_eq!(here.device(), Device::cpu());
    with_remote(|line| {
        let error = brasa::catch(|| &here + 1.0).expect_err("it lives elsewhere");
        assert!(error.to_string().starts_with("add: the tensor lives on cpu"), "{error}");
        assert!(error.site().is_some());
        let there = here.to(Device::remote());
        assert_eq!(there.device(), Device::remote());
        assert_eq!(line.value(&(&there + 1.0)).expect("a value"), [2.0]);
    });
}

fn command() -> impl Strategy<Value = Command> {
    let bytes = || prop::collection::vec(any::<u8>(), 0..9);
    let number = prop_oneof![
        any::<bool>().prop_map(Number::Bool),
        any::<i64>().prop_map(Number::Int),
        (-1e30..1e30).prop_map(Number::Float),
    ];
    prop_oneof![
        (any::<u64>(), 0..100u64).prop_map(|(id, bytes)| Command::Allocate { id, bytes }),
        (0..9u64, bytes()).prop_map(|(id, bytes)| Command::Upload { id, bytes }),
        (0..9u64, 0..9u64).prop_map(|(id, from)| Command::Copy { id, from }),
        (0..9u64).prop_map(|id| Command::Free { id }),
        (0..9u64, bytes()).prop_map(|(program, graph)| Command::Program { program, graph }),
        (0..9u64, prop::collection::vec(0..9u64, 0..4), prop::collection::vec(number, 0..3))
            .prop_map(|(program, inputs, slots)| Command::Run { program, inputs, slots }),
        (0..9u64).prop_map(|program| Command::Forget { program }),
        (any::<u64>(), 0..9u64).prop_map(|(reply, id)| Command::Read { reply, id }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(1),
        ..ProptestConfig::default()
    })]

    #[test]
    fn commands_round_trip(all in prop::collection::vec(command(), 0..9)) {
        let message = remote::message(&all);
        prop_assert_eq!(remote::commands(&message).expect("they are read"), all);
        // Invalid commands are answered with errors.
        let mut engine = Engine::new(Device::cpu());
        let answer = engine.execute(&message).expect("they are carried out");
        prop_assert!(remote::replies(&answer).is_ok());
    }

    #[test]
    fn no_bytes_panic(mut bytes in prop::collection::vec(any::<u8>(), 0..64), real in any::<bool>()) {
        if let (Some(first), true) = (bytes.first_mut(), real) {
            *first = remote::message(&[Command::Free { id: 0 }])[0];
        }
        let _ = remote::commands(&bytes);
        let _ = remote::replies(&bytes);
    }

    #[test]
    fn modified_messages_do_not_panic(
        all in prop::collection::vec(command(), 1..9), at: prop::sample::Index, byte: u8,
    ) {
        let mut message = remote::message(&all);
        let at = at.index(message.len());
        message[at] = byte;
        if let Ok(commands) = remote::commands(&message) {
            let is_large = |c: &Command| matches!(c, Command::Allocate { bytes, .. } if *bytes > 1 << 20);
            if !commands.iter().any(is_large) {
                let _ = Engine::new(Device::cpu()).execute(&message);
            }
        }
    }
}

#[test]
fn probes_work_remotely() {
    let _serial = serial();
    let probed = |read: &mut dyn FnMut(Result<Tensor>) -> Option<Vec<f32>>, is_remote: bool| {
        manual_seed(3);
        let model = Linear::new(2, 1);
        let loss = |x: &[Tensor]| ops::mse_loss(&model.forward(&x[0]), &x[1]);
        let mut step = compile(&model, loss, Sgd::new(0.1).build(model.parameters()));
        let (x, y) = xor();
        let explained = step.recording(&[&x, &y]).expect("a step can be recorded");
        let explained = explained.explain().expect("it can be explained");
        let explained: serde_json::Value = serde_json::from_str(&explained).expect("it is JSON");
        let nodes = explained["nodes"].as_array().expect("there are nodes");
        let floats = nodes.iter().enumerate().filter(|(_, node)| node["dtype"] == "f32");
        let mut value = |n: usize, shape: &serde_json::Value| {
            let lens = shape.as_array().expect("a list").iter();
            let shape: Vec<usize> =
                lens.map(|len| len.as_u64().expect("a length") as usize).collect();
            let ty = Type::new(DType::F32, shape);
            let inputs = [&x, &y];
            read(if is_remote { step.probe_as(&inputs, n, ty) } else { step.probe(&inputs, n) })
        };
        let all: Vec<_> = floats.map(|(n, node)| value(n, &node["shape"])).collect();
        assert!(value(nodes.len(), &serde_json::json!([])).is_none());
        all
    };
    let here = probed(&mut |x| x.ok()?.to_vec().ok(), false);
    let there =
        with_remote(|line| probed(&mut |x| line.value(&x.expect("it is recorded")).ok(), true));
    assert!(here.len() > 8 && here.iter().filter(|value| value.is_some()).count() > 6);
    assert_eq!(here, there);
}
