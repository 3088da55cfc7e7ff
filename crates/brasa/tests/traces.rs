//! A training recorded by PyTorch, repeated step by step with the layers and optimizers of this crate.
//! The recordings lie beside the repository; without them there is nothing to compare.
use brasa::nn::{Embedding, LayerNorm, Linear, Module, StateDict};
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

#[derive(Module)]
struct Block {
    ln1: LayerNorm,
    qkv: Linear,
    proj: Linear,
    ln2: LayerNorm,
    fc: Linear,
    out: Linear,
}

#[derive(Module)]
struct Gpt {
    wte: Embedding,
    wpe: Embedding,
    blocks: Vec<Block>,
    ln_f: LayerNorm,
    head: Linear,
    heads: usize,
}

impl Gpt {
    fn new(config: &Value) -> Gpt {
        let size = |name: &str| config[name].as_u64().expect("a size") as usize;
        let (vocabulary, width) = (size("vocab"), size("n_embd"));
        let block = |_| Block {
            ln1: LayerNorm::new(width),
            qkv: Linear::new(width, 3 * width).without_bias(),
            proj: Linear::new(width, width),
            ln2: LayerNorm::new(width),
            fc: Linear::new(width, 4 * width),
            out: Linear::new(4 * width, width),
        };
        Gpt {
            wte: Embedding::new(vocabulary, width),
            wpe: Embedding::new(size("block"), width),
            blocks: (0..size("n_layer")).map(block).collect(),
            ln_f: LayerNorm::new(width),
            head: Linear::new(width, vocabulary).without_bias(),
            heads: size("n_head"),
        }
    }

    /// Of ids `[batch, time]`, a row of logits for each.
    fn forward(&self, ids: &Tensor) -> Tensor {
        let mut h = self.wte.forward(ids) + &*self.wpe.weight;
        for block in &self.blocks {
            let parts = block.qkv.forward(&block.ln1.forward(&h)).chunk(3, -1);
            let [q, k, v] = [0, 1, 2].map(|n| parts[n].split_heads(self.heads));
            let mixed = q.scaled_dot_product_attention_with(&k, &v, |o| o.is_causal(true));
            h += block.proj.forward(&mixed.merge_heads());
            h = &h + block.out.forward(&block.fc.forward(&block.ln2.forward(&h)).gelu());
        }
        self.head.forward(&self.ln_f.forward(&h)).flatten_with(0, |o| o.end_dim(1))
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

fn optimizer(run: &Value, model: &dyn Module) -> Optimizer {
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

/// A recording: what it tells, and its tensors.
fn recording(name: &str) -> Option<(Value, Vec<u8>)> {
    let dir =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/conformance/torch_traces");
    let index = std::fs::read(dir.join(format!("{name}.json"))).ok()?;
    let bytes = std::fs::read(dir.join(format!("{name}.safetensors"))).expect("its tensors");
    Some((serde_json::from_slice(&index).expect("an index"), bytes))
}

/// Takes the steps of all runs of a recording.
fn replay(
    trace: &Value,
    file: &SafeTensors,
    model: &dyn Module,
    loss: impl Fn(&Tensor, &Tensor) -> Tensor,
) {
    let (xs, ys) = (tensor(file, "batches.x"), tensor(file, "batches.y"));
    for (name, run) in trace["runs"].as_object().expect("runs") {
        let at = |stage: &str| -> StateDict {
            let names = model.named_parameters().into_iter().map(|(own, _)| own);
            names.map(|own| (own.clone(), tensor(file, &format!("{stage}.{own}")))).collect()
        };
        model.load_state_dict(&at("init")).expect("the same names");
        let mut optimizer = optimizer(run, model);
        for (t, want) in run["losses"].as_array().expect("losses").iter().enumerate() {
            let loss = loss(&xs.i(t), &ys.i(t));
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

#[test]
fn losses_and_weights_follow_pytorch() {
    let Some((trace, bytes)) = recording("mlp") else { return };
    let file = SafeTensors::deserialize(&bytes).expect("tensors");
    let layer = |name: &str| {
        let weight = tensor(&file, &format!("init.{name}.weight"));
        Linear::new(weight.len_of(1), weight.len_of(0))
    };
    let model = Mlp { fc1: layer("fc1"), fc2: layer("fc2"), fc3: layer("fc3") };
    replay(&trace, &file, &model, |x, y| ops::cross_entropy(&model.forward(x), y));
}

#[test]
fn a_transformer_follows_pytorch() {
    let Some((trace, bytes)) = recording("gpt") else { return };
    let file = SafeTensors::deserialize(&bytes).expect("tensors");
    let model = Gpt::new(&trace["config"]);
    replay(&trace, &file, &model, |x, y| ops::cross_entropy(&model.forward(x), &y.flatten(0)));
}
