//! A training recorded by PyTorch, repeated step by step with the layers and optimizers of this crate.
//! The recordings lie beside the repository; without them there is nothing to compare.
use brasa::nn::{Linear, Module, StateDict};
use brasa::optim::{Adam, AdamW, Optimizer, Sgd};
use brasa::{DType, Tensor, ops};
use safetensors::{Dtype, SafeTensors};
use serde_json::Value;
use std::path::Path;

#[derive(Module)]
struct Mlp {
    fc1: Linear,
    fc2: Linear,
    fc3: Linear,
}

impl Mlp {
    fn forward(&self, x: &Tensor) -> Tensor {
        let h = self.fc1.forward(&(x.float() / 255.0).flatten(1)).relu();
        self.fc3.forward(&self.fc2.forward(&h).relu())
    }
}

fn tensor(file: &SafeTensors, name: &str) -> Tensor {
    let view = file.tensor(name).unwrap_or_else(|error| panic!("{name}: {error}"));
    let dtype = match view.dtype() {
        Dtype::F32 => DType::F32,
        Dtype::F64 => DType::F64,
        Dtype::U8 => DType::U8,
        Dtype::I64 => DType::I64,
        other => panic!("{name} is of {other:?}"),
    };
    Tensor::from_bytes(dtype, view.shape(), view.data()).expect("as many bytes as the shape says")
}

fn optimizer(run: &Value, model: &Mlp) -> Optimizer {
    let args = &run["args"];
    let number = |name: &str| args[name].as_f64().unwrap_or(0.0);
    let (lr, decay, params) = (number("lr"), number("weight_decay"), model.parameters());
    let beta = |n: usize| args["betas"][n].as_f64().expect("two betas");
    match run["optimizer"].as_str().expect("a name") {
        "torch.optim.SGD" => {
            Sgd::new(lr).momentum(number("momentum")).weight_decay(decay).build(params)
        }
        "torch.optim.Adam" => {
            let adam = Adam::new(lr).beta1(beta(0)).beta2(beta(1)).eps(number("eps"));
            adam.weight_decay(decay).build(params)
        }
        "torch.optim.AdamW" => {
            let adam = AdamW::new(lr).beta1(beta(0)).beta2(beta(1)).eps(number("eps"));
            adam.weight_decay(decay).build(params)
        }
        other => panic!("there is no optimizer {other}"),
    }
    .decay_all()
}

#[test]
fn losses_and_weights_follow_pytorch() {
    let dir =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/conformance/torch_traces");
    let Ok(index) = std::fs::read(dir.join("mlp.json")) else { return };
    let trace: Value = serde_json::from_slice(&index).expect("an index");
    let bytes = std::fs::read(dir.join("mlp.safetensors")).expect("tensors beside the index");
    let file = SafeTensors::deserialize(&bytes).expect("tensors");
    let (xs, ys) = (tensor(&file, "batches.x"), tensor(&file, "batches.y"));
    for (name, run) in trace["runs"].as_object().expect("runs") {
        let layer = |name: &str| {
            let weight = tensor(&file, &format!("init.{name}.weight"));
            Linear::new(weight.len_of(1), weight.len_of(0))
        };
        let model = Mlp { fc1: layer("fc1"), fc2: layer("fc2"), fc3: layer("fc3") };
        let at = |stage: &str| -> StateDict {
            let names = model.named_parameters().into_iter().map(|(own, _)| own);
            names.map(|own| (own.clone(), tensor(&file, &format!("{stage}.{own}")))).collect()
        };
        model.load_state_dict(&at("init")).expect("the same names");
        let mut optimizer = optimizer(run, &model);
        for (t, want) in run["losses"].as_array().expect("losses").iter().enumerate() {
            let (x, y) = (xs.i(t), ys.i(t));
            let loss = ops::cross_entropy(&model.forward(&x), &y);
            optimizer.zero_grad();
            loss.backward();
            optimizer.step().expect("a step");
            let (got, want) = (loss.item::<f64>().expect("a loss"), want.as_f64().expect("a loss"));
            let rtol = run["tolerance"]["loss_rtol"].as_f64().expect("a tolerance");
            assert!((got - want).abs() <= rtol * want, "{name}, loss of step {t}: {got} vs {want}");
        }
        let atol = run["tolerance"]["final_atol"].as_f64().expect("a tolerance");
        for (own, want) in at(&format!("{name}.final")) {
            let got = model.state_dict()[&own].to_vec::<f64>().expect("weights");
            let want = want.to_vec::<f64>().expect("weights");
            let off = got.iter().zip(&want).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(off <= atol, "{name}, {own}: {off} off");
        }
    }
}
