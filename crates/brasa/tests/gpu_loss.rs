//! Loss of the GPU during training. A separate file, since all tests of a process share the device.
use brasa::nn::{Linear, Module, Sequential, Tanh};
use brasa::optim::{Adam, Optimizer};
use brasa::{Device, Result, Tensor, catch, manual_seed, ops, set_default_device};
use std::collections::BTreeMap;

type Dict = BTreeMap<String, Tensor>;

/// A model, its optimizer and its data, all on the GPU.
struct Training {
    model: Sequential,
    optimizer: Optimizer,
    x: Tensor,
    target: Tensor,
}

impl Training {
    fn new() -> Training {
        manual_seed(3);
        let model = Sequential::new().add(Linear::new(4, 16)).add(Tanh).add(Linear::new(16, 1));
        let optimizer = Adam::new(0.05).build(model.parameters());
        let x = Tensor::new(std::array::from_fn::<[f32; 4], 8, _>(|i| {
            std::array::from_fn(|j| ((i * 7 + j * 13) % 19) as f32 * 0.1 - 0.9)
        }));
        let target = Tensor::new(std::array::from_fn::<[f32; 1], 8, _>(|i| [i as f32 * 0.1]));
        Training { model, optimizer, x, target }
    }

    fn step(&mut self) -> Result<f32> {
        self.optimizer.zero_grad();
        let loss = catch(|| {
            let loss = ops::mse_loss(&self.model.forward(&self.x), &self.target);
            loss.backward();
            loss
        })?;
        self.optimizer.step()?;
        loss.item()
    }

    /// The state that training resumes from, copied to the CPU.
    fn saved(&self) -> [Dict; 2] {
        let to_cpu = |dict: Dict| {
            let moved = dict.into_iter().map(|(name, x)| (name, x.to(Device::cpu())));
            moved.collect::<Dict>()
        };
        [to_cpu(self.model.state_dict()), to_cpu(self.optimizer.state_dict())]
    }

    fn restore(&mut self, saved: &[Dict; 2]) -> Result<()> {
        self.model.load_state_dict(&saved[0])?;
        self.optimizer.load_state_dict(&saved[1])
    }
}

#[test]
#[ignore = "needs an adapter"]
fn training_resumes_from_a_state_dict_after_device_loss() {
    set_default_device(Device::gpu().expect("there is an adapter"));
    let mut undisturbed = Training::new();
    let want: Vec<f32> = (0..6).map(|_| undisturbed.step().expect("steps")).collect();

    let mut training = Training::new();
    let mut got: Vec<f32> = (0..3).map(|_| training.step().expect("steps")).collect();
    let saved = training.saved();
    brasa_gpu::Gpu::global().expect("is open").destroy();
    // The first error may come from work in flight; the second is about tensors that have to be
    // recreated.
    for _ in 0..2 {
        let error = training.step().expect_err("the device is gone").to_string();
        assert!(error.contains("lost"), "{error}");
        assert!(error.contains("help: "), "{error}");
    }

    let mut training = Training::new();
    training.restore(&saved).expect("a new device is opened");
    got.extend((0..3).map(|_| training.step().expect("steps")));
    assert_eq!(got, want);
}
