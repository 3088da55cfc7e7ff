//! Architectures without specially tuned kernels: five training steps in f32 agree with the same in
//! f64. A compiled step and a run resumed from a checkpoint agree with the plain loop, on the CPU
//! bit for bit.
#[path = "../../cpu/tests/common/levels.rs"]
mod levels;

use brasa::io::{Checkpoint, Checkpoints, Progress, Safetensors};
use brasa::nn::{
    BatchNorm2d, Conv2d, ConvTranspose2d, Embedding, GroupNorm, Gru, Interpolation, Layer,
    LayerNorm, Linear, Lstm, MaxPool2d, Module, MultiheadAttention, RmsNorm, Upsample,
};
use brasa::optim::{Optimizer, Sgd};
use brasa::{DType, Device, Tensor, compile, grad_with, manual_seed, ops};
use std::path::PathBuf;

/// A model with a loss.
trait Model: Module + Clone + 'static {
    fn new() -> Self;
    fn inputs() -> Vec<Tensor>;
    fn loss(&self, x: &[Tensor]) -> Tensor;
}

macro_rules! models {
    ($($name:ident { $($field:ident: $ty:ty = $value:expr),* $(,)? }
        ($($input:expr),* $(,)?) |$this:ident, $x:ident| $loss:expr;)*) => {
        $(
            #[derive(Module, Clone)]
            struct $name { $($field: $ty),* }

            impl Model for $name {
                fn new() -> Self {
                    $name { $($field: $value),* }
                }

                fn inputs() -> Vec<Tensor> {
                    vec![$($input),*]
                }

                fn loss(&self, $x: &[Tensor]) -> Tensor {
                    let $this = self;
                    $loss
                }
            }
        )*

        /// Checks every model on a device.
        fn check_all(device: Device) {
            $(check::<$name>(stringify!($name), device);)*
        }
    };
}

fn labels(count: i64, classes: i64) -> Tensor {
    Tensor::new((0..count).map(|i| i * 7 % classes).collect::<Vec<i64>>())
}

fn words(rows: usize, columns: usize, words: i64) -> Tensor {
    let count = (rows * columns) as i64;
    Tensor::new((0..count).map(|i| i * 13 % words).collect::<Vec<i64>>())
        .reshape([rows as isize, columns as isize])
}

/// The derivative of each element of `y` with respect to the same row of `x`, differentiable
/// itself.
fn derivative(y: &Tensor, x: &Tensor) -> Tensor {
    let slope = grad_with(&[y], &[x], |o| o.create_graph(true)).swap_remove(0);
    slope.expect("y depends on x")
}

models! {
    Mlp { hidden: Linear = Linear::new(33, 65), head: Linear = Linear::new(65, 10) }
        (Tensor::randn([31, 33]), labels(31, 10))
        |m, x| ops::cross_entropy(&m.head.forward(&m.hidden.forward(&x[0]).gelu()), &x[1]);

    ResNet {
        stem: Conv2d = Conv2d::new(3, 16, 3).padding(1).without_bias(),
        norm1: BatchNorm2d = BatchNorm2d::new(16),
        conv: Conv2d = Conv2d::new(16, 16, 3).padding(1).without_bias(),
        norm2: BatchNorm2d = BatchNorm2d::new(16),
        down: Conv2d = Conv2d::new(16, 24, 1).stride(2),
        head: Linear = Linear::new(24, 10),
    }
        (Tensor::randn([5, 3, 17, 15]), labels(5, 10))
        |m, x| {
            let y = m.norm1.forward(&m.stem.forward(&x[0])).relu();
            let y = (m.norm2.forward(&m.conv.forward(&y)) + y).relu();
            let y = m.down.forward(&y).relu().mean([2, 3]);
            ops::cross_entropy(&m.head.forward(&y), &x[1])
        };

    MobileNet {
        widen: Conv2d = Conv2d::new(8, 32, 1).without_bias(),
        depthwise: Conv2d = Conv2d::grouped(32, 32, 5, 32).padding(2).stride(2),
        norm: GroupNorm = GroupNorm::new(4, 32),
        narrow: Conv2d = Conv2d::new(32, 12, 1),
    }
        (Tensor::randn([4, 8, 13, 19]), Tensor::randn([4, 12]))
        |m, x| {
            let y = m.depthwise.forward(&m.widen.forward(&x[0]).hardswish());
            let y = m.narrow.forward(&m.norm.forward(&y).silu());
            ops::mse_loss(&y.mean([2, 3]), &x[1])
        };

    ConvNext {
        depthwise: Conv2d = Conv2d::grouped(12, 12, 7, 12).padding(3),
        norm: LayerNorm = LayerNorm::new(12),
        up: Linear = Linear::new(12, 48),
        down: Linear = Linear::new(48, 12),
    }
        (Tensor::randn([3, 12, 9, 11]), Tensor::randn([3, 12, 9, 11]))
        |m, x| {
            let y = m.depthwise.forward(&x[0]).permute([0, 2, 3, 1]);
            let y = m.down.forward(&m.up.forward(&m.norm.forward(&y)).gelu());
            ops::mse_loss(&(y.permute([0, 3, 1, 2]) + &x[0]), &x[1])
        };

    UNet {
        enter: Conv2d = Conv2d::new(1, 8, 3).padding(1),
        middle: Conv2d = Conv2d::new(8, 16, 3).padding(1),
        leave: Conv2d = Conv2d::new(24, 1, 3).padding(1),
    }
        (Tensor::randn([3, 1, 16, 20]), Tensor::randn([3, 1, 16, 20]))
        |m, x| {
            let high = m.enter.forward(&x[0]).relu();
            let low = m.middle.forward(&MaxPool2d::new(2).forward(&high)).relu();
            let low = Upsample::new(2.0).mode(Interpolation::Bilinear).forward(&low);
            ops::mse_loss(&m.leave.forward(&ops::cat([&high, &low], 1)), &x[1])
        };

    Autoencoder {
        encoder: Conv2d = Conv2d::new(3, 10, 4).stride(2).padding(1),
        decoder: ConvTranspose2d = ConvTranspose2d::new(10, 3, 4).stride(2).padding(1),
    }
        (Tensor::randn([4, 3, 12, 14]))
        |m, x| ops::l1_loss(&m.decoder.forward(&m.encoder.forward(&x[0]).tanh()), &x[0]);

    Recurrent {
        lstm: Lstm = Lstm::new(7, 20, 2),
        head: Linear = Linear::new(20, 3),
    }
        (Tensor::randn([6, 9, 7]), Tensor::randn([6, 9, 3]))
        |m, x| ops::mse_loss(&m.head.forward(&m.lstm.forward(&x[0], None).0), &x[1]);

    Bidirectional {
        embedding: Embedding = Embedding::new(29, 12),
        gru: Gru = Gru::bidirectional(12, 9, 1),
        head: Linear = Linear::new(18, 5),
    }
        (words(8, 6, 29), labels(8, 5))
        |m, x| {
            let (y, _) = m.gru.forward(&m.embedding.forward(&x[0]).transpose(0, 1), None);
            ops::cross_entropy(&m.head.forward(&y.mean([0])), &x[1])
        };

    Gpt {
        embedding: Embedding = Embedding::new(31, 24),
        norm1: LayerNorm = LayerNorm::new(24),
        attention: MultiheadAttention = MultiheadAttention::new(24, 3),
        norm2: RmsNorm = RmsNorm::new(24),
        up: Linear = Linear::new(24, 96),
        down: Linear = Linear::new(96, 24),
    }
        (words(3, 17, 31), words(3, 17, 31).reshape([51]))
        |m, x| {
            let h = m.embedding.forward(&x[0]);
            let h = &h + m.attention.forward(&m.norm1.forward(&h), true);
            let h = &h + m.down.forward(&m.up.forward(&m.norm2.forward(&h)).silu());
            let scores = h.matmul(&m.embedding.weight.transpose(0, 1)).reshape([51, 31]);
            ops::cross_entropy(&scores, &x[1])
        };

    Vit {
        patches: Conv2d = Conv2d::new(3, 16, 4).stride(4),
        attention: MultiheadAttention = MultiheadAttention::new(16, 4),
        norm: LayerNorm = LayerNorm::new(16),
        head: Linear = Linear::new(16, 7),
    }
        (Tensor::randn([5, 3, 16, 20]), labels(5, 7))
        |m, x| {
            let tokens = m.patches.forward(&x[0]).flatten(2).transpose(1, 2);
            let tokens = &tokens + m.attention.forward(&m.norm.forward(&tokens), false);
            ops::cross_entropy(&m.head.forward(&tokens.mean([1])), &x[1])
        };

    Pinn { hidden: Linear = Linear::new(1, 24), head: Linear = Linear::new(24, 1) }
        (Tensor::randn([33, 1]))
        |m, x| {
            let x = x[0].detach().requires_grad(true);
            let u = m.head.forward(&m.hidden.forward(&x).tanh());
            let second = derivative(&derivative(&u, &x), &x);
            (second + &u).square().mean(..) + u.i(0).square().sum(..)
        };

    Metric { embed: Linear = Linear::new(19, 8) }
        (Tensor::randn([24, 19]), Tensor::randn([17, 19]))
        |m, x| {
            let far = ops::cdist(&m.embed.forward(&x[0]), &m.embed.forward(&x[1]));
            (-&far).logsumexp([1]).mean(..) + far.amin([0]).mean(..)
        };
}

const STEPS: usize = 5;
/// Steps before the checkpoint.
const SAVED: usize = 3;

fn optimizer(model: &impl Model) -> Optimizer {
    Sgd::new(0.03).momentum(0.5).build(model.parameters())
}

/// The losses, and the parameters after the last step.
struct Run {
    losses: Vec<f64>,
    parameters: Vec<Vec<f64>>,
}

impl Run {
    fn new(model: &impl Model, losses: Vec<f64>) -> Run {
        let parameters = model.parameters().iter().map(|p| values(p)).collect();
        Run { losses, parameters }
    }

    /// Fails if the relative difference exceeds a tolerance (scaled by `1 + |want|`); 0 means the
    /// same bits.
    #[track_caller]
    fn assert_near(&self, what: &str, want: &Run, tolerance: f64) {
        assert_near(&format!("{what}, loss"), &self.losses, &want.losses, tolerance);
        for (n, (got, want)) in self.parameters.iter().zip(&want.parameters).enumerate() {
            assert_near(&format!("{what}, parameter {n}"), got, want, 2.0 * tolerance);
        }
    }
}

/// The elements of a tensor of f32 or f64.
fn values(x: &Tensor) -> Vec<f64> {
    match x.dtype() {
        DType::F64 => x.to_vec::<f64>().expect("values"),
        _ => x.to_vec::<f32>().expect("values").into_iter().map(f64::from).collect(),
    }
}

#[track_caller]
fn assert_near(what: &str, got: &[f64], want: &[f64], tolerance: f64) {
    assert_eq!(got.len(), want.len(), "{what}");
    for (i, (got, want)) in got.iter().zip(want).enumerate() {
        let is_near = (got - want).abs() <= tolerance * (1.0 + want.abs());
        assert!(is_near, "{what} [{i}]: {got}, expected {want}");
    }
}

/// Takes steps in a plain loop and returns their losses.
fn steps<M: Model>(model: &M, by: &mut Optimizer, inputs: &[Tensor], count: usize) -> Vec<f64> {
    let mut step = || {
        let loss = model.loss(inputs);
        by.zero_grad();
        loss.backward();
        by.step().expect("a step");
        values(&loss)[0]
    };
    (0..count).map(|_| step()).collect()
}

fn train<M: Model>(model: &M, inputs: &[Tensor]) -> Run {
    let losses = steps(model, &mut optimizer(model), inputs, STEPS);
    Run::new(model, losses)
}

fn train_compiled<M: Model>(model: &M, inputs: &[Tensor]) -> Run {
    let loss = |x: &[Tensor]| model.loss(x);
    let mut step = compile(model, loss, optimizer(model));
    let inputs: Vec<&Tensor> = inputs.iter().collect();
    let losses = (0..STEPS).map(|_| f64::from(step.run(&inputs).expect("a step"))).collect();
    Run::new(model, losses)
}

/// Stops at a checkpoint and resumes with another model.
fn train_resumed<M: Model>(model: &M, other: &M, inputs: &[Tensor], folder: &PathBuf) -> Run {
    let mut by = optimizer(model);
    let mut losses = steps(model, &mut by, inputs, SAVED);
    let model = Safetensors::new(model.state_dict());
    let progress = Progress { step: SAVED as u64, ..Progress::default() };
    let saved = Checkpoint { model, optimizer: by.state_dict(), progress, ..Checkpoint::default() };
    let place = Checkpoints::new(folder).save(&saved).expect("is written");

    let read = Checkpoint::read(place).expect("is whole");
    other.load_state_dict(&read.model.tensors).expect("fits");
    let mut by = optimizer(other);
    by.load_state_dict(&read.optimizer).expect("fits");
    losses.extend(steps(other, &mut by, inputs, STEPS - SAVED));
    Run::new(other, losses)
}

/// A folder for the checkpoints of this test and process.
fn folder(name: &str, device: Device) -> PathBuf {
    std::env::temp_dir().join(format!("brasa-models-{}-{device}-{name}", std::process::id()))
}

fn check<M: Model>(name: &str, device: Device) {
    manual_seed(7);
    let (model, inputs, other) = (M::new(), M::inputs(), M::new());
    let is_float = |x: &Tensor| x.dtype() == DType::F32;
    let widen = |x: &Tensor| if is_float(x) { x.to(DType::F64) } else { x.clone() };
    let want = train(&model.to(DType::F64), &inputs.iter().map(widen).collect::<Vec<_>>());
    assert!(want.losses[STEPS - 1] < want.losses[0], "{name} learns: {:?}", want.losses);

    // `deep_clone` makes copies on the model's device, so clone before moving.
    let [plain, compiled, stopped] = std::array::from_fn(|_| model.deep_clone().to(device));
    let other = other.to(device);
    let inputs: Vec<Tensor> = inputs.iter().map(|x| x.to(device)).collect();
    brasa::set_default_device(device);
    let same = if device == Device::cpu() { 0.0 } else { 1e-5 };
    let plain = train(&plain, &inputs);
    plain.assert_near(name, &want, 1e-4);
    train_compiled(&compiled, &inputs).assert_near(&format!("{name}, compiled"), &plain, same);
    let folder = folder(name, device);
    let resumed = train_resumed(&stopped, &other, &inputs, &folder);
    resumed.assert_near(&format!("{name}, resumed"), &plain, same);
    std::fs::remove_dir_all(folder).expect("was written");
    brasa::set_default_device(Device::cpu());
}

#[test]
fn five_steps_agree_with_f64() {
    check_all(Device::cpu());
}

#[test]
fn five_steps_agree_with_f64_at_other_levels() {
    levels::run_again(&["five_steps_agree_with_f64"], 0);
}

#[test]
fn five_steps_agree_with_f64_in_the_checked_mode() {
    levels::run_with(&["five_steps_agree_with_f64"], &[("BRASA_CHECK", "1")]);
}

#[cfg(feature = "gpu")]
#[test]
#[ignore = "needs an adapter"]
fn five_steps_on_the_gpu_agree_with_f64() {
    check_all(Device::gpu().expect("there is an adapter"));
}
