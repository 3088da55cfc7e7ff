//! Modules: paths, state dicts, modes, layers and inits.
use brasa::nn::*;
use brasa::{Tensor, catch};

#[derive(Module)]
struct Block {
    attn: MultiheadAttention,
    norm: LayerNorm,
}

#[derive(Module)]
struct Model {
    embed: Embedding,
    layers: Vec<Block>,
    head: Option<Linear>,
    dropout: Dropout,
    name: String,
    #[module(skip)]
    _kept: std::collections::HashMap<String, u8>,
}

fn model() -> Model {
    let block = || Block { attn: MultiheadAttention::new(4, 2), norm: LayerNorm::new(4) };
    Model {
        embed: Embedding::new(10, 4),
        layers: vec![block(), block()],
        head: Some(Linear::new(4, 10)),
        dropout: Dropout::new(0.5),
        name: "small".to_string(),
        _kept: Default::default(),
    }
}

impl Model {
    fn forward(&self, ids: &Tensor) -> Tensor {
        let mut x = self.dropout.forward(&self.embed.forward(ids));
        for block in &self.layers {
            x = &x + block.attn.forward(&block.norm.forward(&x), true);
        }
        self.head.as_ref().map_or(x.clone(), |head| head.forward(&x))
    }
}

#[test]
fn parameters_are_known_by_their_path() {
    let model = model();
    assert_eq!(model.name, "small");
    let names: Vec<String> = model.named_parameters().into_iter().map(|(name, _)| name).collect();
    for name in ["embed.weight", "layers.1.attn.out_proj.weight", "layers.0.norm.bias", "head.bias"]
    {
        assert!(names.iter().any(|own| own == name), "{name} in {names:?}");
    }
    assert_eq!(model.num_parameters(), 10 * 4 + 2 * (3 * 16 + 12 + 16 + 4 + 8) + 50);
    let table = model.summary();
    assert!(table.starts_with("Model\n") && table.contains("266 elements"), "{table}");
}

#[test]
fn recurrent_parameters_have_the_names_of_pytorch() {
    let names = |module: &dyn Module| {
        let named =
            module.named_parameters().into_iter().map(|(name, p)| (name, p.shape().to_vec()));
        named.collect::<Vec<_>>()
    };
    let row = |name: &str, shape: &[usize]| (name.to_string(), shape.to_vec());
    let lstm = names(&Lstm::new(4, 6, 2));
    let want = [
        row("weight_ih_l0", &[24, 4]),
        row("weight_hh_l0", &[24, 6]),
        row("bias_ih_l0", &[24]),
        row("bias_hh_l0", &[24]),
        row("weight_ih_l1", &[24, 6]),
        row("weight_hh_l1", &[24, 6]),
        row("bias_ih_l1", &[24]),
        row("bias_hh_l1", &[24]),
    ];
    assert_eq!(lstm, want);
    let gru = names(&Gru::bidirectional(4, 6, 2));
    assert_eq!(gru[4], row("weight_ih_l0_reverse", &[18, 4]));
    assert_eq!(gru[8], row("weight_ih_l1", &[18, 12]));
    assert_eq!(gru[15], row("bias_hh_l1_reverse", &[18]));
    assert!(Rnn::new(1, 1, 1).summary().starts_with("Rnn\n"));
}

#[test]
fn state_dicts_carry_a_model_over() {
    let (one, other) = (model(), model());
    let ids = Tensor::new([[1, 2, 3]]);
    one.eval();
    other.eval();
    let want = one.forward(&ids).to_vec::<f32>().unwrap();
    assert_ne!(other.forward(&ids).to_vec::<f32>().unwrap(), want);
    other.load_state_dict(&one.state_dict()).unwrap();
    assert_eq!(other.forward(&ids).to_vec::<f32>().unwrap(), want);
}

#[test]
fn a_wrong_state_dict_changes_nothing_and_is_explained() {
    let model = model();
    let before = model.head.as_ref().unwrap().weight.to_vec::<f32>().unwrap();
    let mut dict = model.state_dict();
    dict.remove("embed.weight");
    dict.insert("extra".to_string(), Tensor::ones([1]));
    dict.insert("head.bias".to_string(), Tensor::ones([3]));
    let error = model.load_state_dict(&dict).unwrap_err().to_string();
    let parts = ["'embed.weight' is missing", "'extra' is unknown", "'head.bias' has shape [3]"];
    for part in parts {
        assert!(error.contains(part), "{part} in {error}");
    }
    assert_eq!(model.head.as_ref().unwrap().weight.to_vec::<f32>().unwrap(), before);
}

#[test]
fn frozen_parameters_get_no_gradient() {
    let model = model();
    model.embed.freeze();
    model.forward(&Tensor::new([[1, 2]])).sum(..).backward();
    assert!(model.embed.weight.grad().is_none());
    assert!(model.head.as_ref().unwrap().weight.grad().is_some());
    assert_eq!(model.num_parameters(), 266 - 40);
}

#[test]
fn layers_give_the_shapes_that_pytorch_gives() {
    let image = Tensor::ones([2, 3, 8, 8]);
    let words = Tensor::ones([2, 5, 4]);
    let rows: Vec<(&str, Tensor, &[usize])> = vec![
        ("conv1d", Conv1d::new(3, 6, 3).forward(&Tensor::ones([2, 3, 9])), &[2, 6, 7]),
        ("conv2d", Conv2d::new(3, 6, 3).stride(2).padding(1).forward(&image), &[2, 6, 4, 4]),
        ("grouped", Conv2d::grouped(3, 6, 3, 3).without_bias().forward(&image), &[2, 6, 6, 6]),
        ("conv3d", Conv3d::new(1, 2, 2).forward(&Tensor::ones([1, 1, 4, 4, 4])), &[1, 2, 3, 3, 3]),
        ("convt", ConvTranspose2d::new(3, 6, 2).stride(2).forward(&image), &[2, 6, 16, 16]),
        ("convt1", ConvTranspose1d::new(4, 6, 3).forward(&Tensor::ones([2, 4, 5])), &[2, 6, 7]),
        ("max", MaxPool2d::new(2).forward(&image), &[2, 3, 4, 4]),
        ("avg", AvgPool2d::new(2).stride(1).forward(&image), &[2, 3, 7, 7]),
        ("adaptive", AdaptiveAvgPool2d::new([1, 1]).forward(&image), &[2, 3, 1, 1]),
        ("adaptive max", AdaptiveMaxPool2d::new([2, 2]).forward(&image), &[2, 3, 2, 2]),
        ("batch norm", BatchNorm2d::new(3).forward(&image), &[2, 3, 8, 8]),
        ("group norm", GroupNorm::new(1, 3).forward(&image), &[2, 3, 8, 8]),
        ("instance norm", InstanceNorm::default().forward(&image), &[2, 3, 8, 8]),
        ("rms norm", RmsNorm::new(4).forward(&words), &[2, 5, 4]),
        ("bilinear", Bilinear::new(4, 4, 7).forward(&words, &words), &[2, 5, 7]),
        ("encoder", TransformerEncoderLayer::new(4, 2, 8).forward(&words), &[2, 5, 4]),
        ("decoder", TransformerDecoderLayer::new(4, 2, 8).forward(&words, &words), &[2, 5, 4]),
        ("rnn", Rnn::new(4, 6, 2).forward(&words, None).0, &[2, 5, 6]),
        ("gru", Gru::bidirectional(4, 6, 1).forward(&words, None).0, &[2, 5, 12]),
        ("lstm", Lstm::new(4, 6, 2).forward(&words, None).2, &[2, 2, 6]),
        ("flatten", Flatten.forward(&image), &[2, 192]),
    ];
    for (name, y, shape) in rows {
        assert_eq!(y.shape(), shape, "{name}");
        assert!(y.to_vec::<f32>().unwrap().iter().all(|x| x.is_finite()), "{name}");
    }
}

#[test]
fn parameters_begin_as_they_are_told() {
    let spread = |init: Init, shape: &[usize]| {
        let x = init.tensor(shape).to_vec::<f32>().unwrap();
        let mean = x.iter().sum::<f32>() / x.len() as f32;
        (mean, (x.iter().map(|x| (x - mean).powi(2)).sum::<f32>() / x.len() as f32).sqrt())
    };
    let rows = [
        (Init::Uniform(-1.0, 3.0), 1.0, 4.0 / 12f32.sqrt()),
        (Init::Normal(2.0, 0.5), 2.0, 0.5),
        (Init::KaimingNormal(2f64.sqrt(), init::Fan::In), 0.0, (2.0 / 200f32).sqrt()),
        (Init::KaimingUniform(1.0, init::Fan::Out), 0.0, (1.0 / 100f32).sqrt()),
        (Init::XavierUniform(1.0), 0.0, (2.0 / 300f32).sqrt()),
        (Init::XavierNormal(2.0), 0.0, 2.0 * (2.0 / 300f32).sqrt()),
    ];
    for (init, mean, std) in rows {
        let (got_mean, got_std) = spread(init.clone(), &[100, 200]);
        assert!((got_mean - mean).abs() < 0.05 * std.max(0.1), "{init:?}: mean {got_mean}");
        assert!((got_std - std).abs() < 0.05 * std, "{init:?}: std {got_std}");
    }
    let q = Init::Orthogonal(1.0).tensor(&[6, 4]);
    let gram = q.t().matmul(&q).to_vec::<f32>().unwrap();
    for (i, x) in gram.iter().enumerate() {
        let want = if i % 5 == 0 { 1.0 } else { 0.0 };
        assert!((x - want).abs() < 1e-5, "{gram:?}");
    }
    let cut = Init::TruncNormal(0.0, 1.0).tensor(&[1000]).to_vec::<f32>().unwrap();
    assert!(cut.iter().all(|x| x.abs() <= 2.0));
    assert!(catch(|| Init::Literal(vec![1.0]).tensor(&[2])).is_err());
    assert!(
        !Param::init(3, Init::Zeros).decays() && Param::init(3, Init::Normal(0.0, 1.0)).decays()
    );
}
