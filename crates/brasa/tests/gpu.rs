//! Tensors on the GPU: the same code as on the CPU, after one line that chooses the device.
use brasa::nn::{Linear, Module};
use brasa::optim::Adam;
use brasa::{Device, Tensor, catch, manual_seed, ops, set_default_device};

/// Losses of a small training on one device.
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
fn training_is_that_of_the_cpu() {
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
    let there = x.to_device(gpu).expect("moves");
    assert_eq!((there.device(), x.device()), (gpu, Device::cpu()));
    let mixed = catch(|| &x + &there).expect_err("devices differ").to_string();
    assert!(mixed.contains("lives on gpu") && mixed.contains("to_device(cpu)"), "{mixed}");

    set_default_device(gpu);
    let doubled = &there + &there;
    assert_eq!(doubled.device(), gpu);
    let back = doubled.to_device(Device::cpu()).expect("moves back");
    assert_eq!(back.to_vec::<f32>().expect("reads"), [2.0, 4.0, 6.0]);
}
