//! Tensors on the GPU: the same code as on the CPU, after one line that selects the device.
use brasa::nn::{BatchNorm1d, Linear, Module, Sequential, Tanh};
use brasa::optim::Adam;
use brasa::{Device, Tensor, catch, manual_seed, ops, set_default_device};

/// The losses of a small training run on one device.
fn losses(device: Device) -> Vec<f32> {
    set_default_device(device);
    manual_seed(3);
    let (hidden, head) = (Linear::new(4, 16), Linear::new(16, 2));
    let parameters = [hidden.parameters(), head.parameters()].concat();
    let mut optimizer = Adam::new(0.05).build(parameters);
    let x = Tensor::new(std::array::from_fn::<[f32; 4], 32, _>(|i| {
        std::array::from_fn(|j| ((i * 7 + j * 13) % 19) as f32 * 0.1 - 0.9)
    }));
    let target = x.matmul(&Tensor::new([[1.0, 0.0], [0.5, -1.0], [0.0, 0.3], [-0.4, 0.1]]));
    let mut losses = Vec::new();
    for _ in 0..20 {
        optimizer.zero_grad();
        let loss = ops::mse_loss(&head.forward(&hidden.forward(&x).tanh()), &target);
        loss.backward();
        optimizer.step().expect("steps");
        losses.push(loss.item::<f32>().expect("a number"));
    }
    losses
}

#[test]
#[ignore = "needs an adapter"]
fn training_matches_the_cpu() {
    let gpu = Device::gpu().expect("there is an adapter");
    let (here, there) = (losses(Device::cpu()), losses(gpu));
    assert!(there[19] < 0.5 * there[0], "{there:?}");
    for (step, (here, there)) in here.iter().zip(&there).enumerate() {
        assert!((here - there).abs() < 1e-4 * (1.0 + here.abs()), "{step}: {here}, gpu {there}");
    }
}

#[test]
#[ignore = "needs an adapter"]
fn tensors_move_between_devices_and_are_not_mixed() {
    let gpu = Device::gpu().expect("there is an adapter");
    let x = Tensor::new([1.0, 2.0, 3.0]);
    let there = x.to(gpu);
    assert_eq!((there.device(), x.device()), (gpu, Device::cpu()));
    let mixed = catch(|| &x + &there).expect_err("devices differ").to_string();
    assert!(mixed.contains("lives on gpu") && mixed.contains("x.to(default_device())"), "{mixed}");

    let tracked = Tensor::new([1.0]).requires_grad(true) * 2.0;
    let cut = catch(|| tracked.to(gpu)).expect_err("a gradient would be lost").to_string();
    assert!(cut.contains("x.detach().to("), "{cut}");
    assert_eq!(tracked.detach().to(gpu).device(), gpu);

    set_default_device(gpu);
    let doubled = &there + &there;
    assert_eq!(doubled.device(), gpu);
    let back = doubled.to(Device::cpu());
    assert_eq!(back.to_vec::<f32>().expect("reads"), [2.0, 4.0, 6.0]);
}

#[test]
#[ignore = "needs an adapter"]
fn models_move_with_buffers_and_gradients() {
    let gpu = Device::gpu().expect("there is an adapter");
    let here = Sequential::new().add(Linear::new(4, 8)).add(BatchNorm1d::new(8)).add(Tanh);
    let x = Tensor::rand([8, 4]);
    here.forward(&x).square().sum(..).backward();
    let want = here.forward(&x).to_vec::<f32>().expect("reads");

    let (there, saved) = (here.to(gpu), here.state_dict());
    set_default_device(gpu);
    assert!(there.state_dict().values().all(|part| part.device() == gpu));
    assert!(there.parameters().iter().all(|p| p.is_tracked()));
    assert_eq!(there.parameters()[0].grad().expect("moves along").device(), gpu);
    let got = there.forward(&x.to(gpu)).to_vec::<f32>().expect("reads");
    assert!(got.iter().zip(&want).all(|(a, b)| (a - b).abs() < 1e-5), "{got:?}, cpu {want:?}");

    let before = there.parameters()[0].to_vec::<f32>().expect("reads");
    let mut optimizer = Adam::new(0.05).build(there.parameters());
    optimizer.step().expect("steps");
    assert_ne!(there.parameters()[0].to_vec::<f32>().expect("reads"), before);
    there.load_state_dict(&saved).expect("values come from any device");
    assert_eq!(there.parameters()[0].to_vec::<f32>().expect("reads"), before);
}
