//! The checked mode: models train as without it, on every kind of kernel that they use.
use brasa::nn::{BatchNorm2d, Conv2d, Layer, Linear, Lstm, MaxPool2d, Module, MultiheadAttention};
use brasa::{Device, Tensor, manual_seed, ops, optim::Adam, set_checked, set_default_device};

#[derive(Module)]
struct Images {
    conv: Conv2d,
    norm: BatchNorm2d,
    head: Linear,
}

impl Images {
    fn loss(&self, x: &Tensor, y: &Tensor) -> Tensor {
        let x = self.norm.forward(&self.conv.forward(x)).relu();
        let x = MaxPool2d::new(2).forward(&x).mean([2, 3]);
        ops::cross_entropy(&self.head.forward(&x), y)
    }
}

#[derive(Module)]
struct Sequences {
    recurrent: Lstm,
    attention: MultiheadAttention,
    head: Linear,
}

impl Sequences {
    fn loss(&self, x: &Tensor, y: &Tensor) -> Tensor {
        let (x, ..) = self.recurrent.forward(x, None);
        let x = self.attention.forward(&x, true);
        ops::mse_loss(&self.head.forward(&x), y)
    }
}

/// The losses of a few steps.
fn train(model: &dyn Module, loss: impl Fn() -> Tensor) -> Vec<f32> {
    let mut optimizer = Adam::new(1e-2).build(model.parameters());
    let mut step = || {
        let loss = loss();
        optimizer.zero_grad();
        loss.backward();
        optimizer.step().expect("a step");
        loss.item::<f32>().expect("a loss")
    };
    (0..3).map(|_| step()).collect()
}

fn losses() -> [Vec<f32>; 2] {
    manual_seed(3);
    let images = Images {
        conv: Conv2d::new(3, 8, 3).padding(1),
        norm: BatchNorm2d::new(8),
        head: Linear::new(8, 5),
    };
    let x = Tensor::randn([9, 3, 17, 15]);
    let y = Tensor::new([0i64, 1, 2, 3, 4, 0, 1, 2, 3]);
    let of_images = train(&images, || images.loss(&x, &y));
    let sequences = Sequences {
        recurrent: Lstm::new(7, 16, 1),
        attention: MultiheadAttention::new(16, 2),
        head: Linear::new(16, 3),
    };
    let x = Tensor::randn([5, 9, 7]);
    let y = Tensor::randn([5, 9, 3]);
    let of_sequences = train(&sequences, || sequences.loss(&x, &y));
    [of_images, of_sequences]
}

/// The error messages for an index and for a class that are out of range.
fn mistakes() -> [String; 2] {
    let x = Tensor::ones([3, 4]);
    let row = x.index_select(0, &Tensor::new([9i64]));
    let loss = ops::cross_entropy(&x, &Tensor::new([0i64, 9, 1]));
    [row, loss].map(|wrong| wrong.sum(..).item::<f32>().expect_err("is out of range").to_string())
}

fn check(device: Device) {
    set_default_device(device);
    set_checked(false);
    let plain = losses();
    set_checked(true);
    let checked = losses();
    let mistakes = mistakes();
    set_checked(false);
    assert_eq!(plain, checked);
    for message in mistakes {
        let is_users = message.contains("9 is out of range") && !message.contains("bug in Brasa");
        assert!(is_users, "{message}");
    }
    assert!(plain.iter().all(|losses| losses[2] < losses[0]), "{plain:?}");
}

#[test]
fn training_is_the_same_in_the_checked_mode() {
    check(Device::cpu());
}

#[cfg(feature = "gpu")]
#[test]
#[ignore = "needs an adapter"]
fn training_is_the_same_in_the_checked_mode_of_the_gpu() {
    check(Device::gpu().expect("there is an adapter"));
}
