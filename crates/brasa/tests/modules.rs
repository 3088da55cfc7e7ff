//! Modules: paths, state dicts, modes, layers and initialization.
use brasa::nn::*;
use brasa::optim::{Adam, Ema, Sgd, clip_grad_norm};
use brasa::{DType, Tensor, catch};

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
fn parameters_are_named_by_their_path() {
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
fn recurrent_cells_agree_with_layers() {
    let x = Tensor::randn([2, 3, 4]);
    let steps = x.unbind(1);
    let start = || Tensor::zeros([2, 5]);
    let floats = |x: &Tensor| x.to_vec::<f32>().expect("a value");
    let check = |found: &Tensor, wanted: Tensor| {
        let pairs = floats(found).into_iter().zip(floats(&wanted)).collect::<Vec<_>>();
        assert!(pairs.iter().all(|(a, b)| (a - b).abs() < 1e-6), "{pairs:?}");
    };
    let cell = GruCell::new(4, 5);
    let mut layer = Gru::new(4, 5, 1);
    layer.params = cell.parameters();
    let last = steps.iter().fold(start(), |state, step| cell.forward(step, &state));
    check(&last, layer.forward(&x, None).1.select(0, 0));

    let cell = RnnCell::new(4, 5);
    let mut layer = Rnn::new(4, 5, 1);
    layer.params = cell.parameters();
    let last = steps.iter().fold(start(), |state, step| cell.forward(step, &state));
    check(&last, layer.forward(&x, None).1.select(0, 0));

    let cell = LstmCell::new(4, 5);
    let mut layer = Lstm::new(4, 5, 1);
    layer.params = cell.parameters();
    let both = (start(), start());
    let (state, memory) = steps.iter().fold(both, |(hx, cx), step| cell.forward(step, &hx, &cx));
    let (_, hx, cx) = layer.forward(&x, None);
    check(&state, hx.select(0, 0));
    check(&memory, cx.select(0, 0));
}

#[test]
fn recurrent_parameters_have_pytorch_names() {
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
fn state_dicts_transfer_all_values() {
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
fn a_mismatched_state_dict_is_rejected_without_changes() {
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
fn load_matching_loads_common_names_and_returns_the_others() {
    let model = model();
    let mut dict = model.state_dict();
    dict.remove("embed.weight");
    dict.insert("extra".to_string(), Tensor::ones([1]));
    dict.insert("head.bias".to_string(), Tensor::full([10], 3.0));
    let rest = model.load_matching(&dict).unwrap();
    let names = |name: &str| vec![name.to_string()];
    assert_eq!((rest.missing, rest.unknown), (names("embed.weight"), names("extra")));
    let bias = || model.head.as_ref().unwrap().bias.as_ref().unwrap().to_vec::<f32>().unwrap();
    assert_eq!(bias(), [3.0; 10]);
    dict.insert("head.bias".to_string(), Tensor::ones([3]));
    let error = model.load_matching(&dict).unwrap_err().to_string();
    assert!(error.contains("'head.bias' has shape [3]"), "{error}");
    assert_eq!(bias(), [3.0; 10]);
}

/// The names are those of `torch.nn.BatchNorm2d(3).state_dict()`.
#[test]
fn batch_norms_have_pytorchs_state() {
    let norm = BatchNorm2d::new(3);
    let names: Vec<String> = norm.state_dict().into_keys().collect();
    assert_eq!(names, ["bias", "num_batches_tracked", "running_mean", "running_var", "weight"]);
    let image = Tensor::ones([2, 3, 4, 4]);
    norm.forward(&image);
    norm.forward(&image);
    norm.eval();
    norm.forward(&image);
    assert_eq!(norm.num_batches_tracked.item::<i64>().unwrap(), 2);
    let mut dict = norm.state_dict();
    dict.insert("num_batches_tracked".to_string(), Tensor::new(40));
    norm.load_state_dict(&dict).unwrap();
    assert_eq!(norm.num_batches_tracked.item::<i64>().unwrap(), 40);
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

/// Checks rows of a name, a result and its shape.
#[track_caller]
fn check_shapes(rows: &[(&str, Tensor, &[usize])]) {
    for (name, y, shape) in rows {
        assert_eq!(&y.shape(), shape, "{name}");
        assert!(y.to_vec::<f32>().unwrap().iter().all(|x| x.is_finite()), "{name}");
    }
}

#[test]
fn convolutions_and_pools_have_pytorchs_output_shapes() {
    let image = Tensor::ones([2, 3, 8, 8]);
    let words = Tensor::ones([2, 5, 4]);
    let volume = Tensor::ones([1, 2, 4, 4, 4]);
    check_shapes(&[
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
        ("max 3d", MaxPool3d::new(2).forward(&volume), &[1, 2, 2, 2, 2]),
        ("avg 3d", AvgPool3d::new(2).forward(&volume), &[1, 2, 2, 2, 2]),
        ("adaptive 1d", AdaptiveAvgPool1d::new([3]).forward(&words), &[2, 5, 3]),
        ("adaptive max 1d", AdaptiveMaxPool1d::new([3]).forward(&words), &[2, 5, 3]),
        ("adaptive 3d", AdaptiveAvgPool3d::new([1, 2, 3]).forward(&volume), &[1, 2, 1, 2, 3]),
        ("convt 3d", ConvTranspose3d::new(2, 3, 2).stride(2).forward(&volume), &[1, 3, 8, 8, 8]),
        (
            "grouped convt",
            ConvTranspose2d::grouped(4, 6, 3, 2)
                .dilation(2)
                .without_bias()
                .forward(&Tensor::ones([1, 4, 5, 5])),
            &[1, 6, 9, 9],
        ),
    ]);
}

#[test]
fn layers_of_sequences_have_pytorchs_output_shapes() {
    let words = Tensor::ones([2, 5, 4]);
    check_shapes(&[
        ("bilinear", Bilinear::new(4, 4, 7).forward(&words, &words), &[2, 5, 7]),
        ("encoder", TransformerEncoderLayer::new(4, 2, 8).forward(&words), &[2, 5, 4]),
        ("decoder", TransformerDecoderLayer::new(4, 2, 8).forward(&words, &words), &[2, 5, 4]),
        ("rnn", Rnn::new(4, 6, 2).forward(&words, None).0, &[2, 5, 6]),
        ("gru", Gru::bidirectional(4, 6, 1).forward(&words, None).0, &[2, 5, 12]),
        ("lstm", Lstm::new(4, 6, 2).forward(&words, None).2, &[2, 2, 6]),
        ("lean rnn", Rnn::new(4, 6, 2).without_bias().relu().forward(&words, None).0, &[2, 5, 6]),
        (
            "dropped lstm",
            Lstm::bidirectional(4, 6, 3).dropout(0.5).forward(&words, None).2,
            &[6, 2, 6],
        ),
    ]);
}

#[test]
fn other_layers_have_pytorchs_output_shapes() {
    let image = Tensor::ones([2, 3, 8, 8]);
    let words = Tensor::ones([2, 5, 4]);
    let volume = Tensor::ones([1, 2, 4, 4, 4]);
    check_shapes(&[
        ("batch norm", BatchNorm2d::new(3).forward(&image), &[2, 3, 8, 8]),
        ("group norm", GroupNorm::new(1, 3).forward(&image), &[2, 3, 8, 8]),
        ("instance norm", InstanceNorm::default().forward(&image), &[2, 3, 8, 8]),
        ("rms norm", RmsNorm::new(4).forward(&words), &[2, 5, 4]),
        ("flatten", Flatten.forward(&image), &[2, 192]),
        ("unflatten", Unflatten::new(1, [1, 3]).forward(&image), &[2, 1, 3, 8, 8]),
        ("upsample", Upsample::new(2.0).forward(&image), &[2, 3, 16, 16]),
        (
            "bilinear upsample",
            Upsample::new(1.5).mode(Interpolation::Bilinear).forward(&image),
            &[2, 3, 12, 12],
        ),
        ("shuffle", PixelShuffle(2).forward(&Tensor::ones([1, 4, 3, 3])), &[1, 1, 6, 6]),
        ("unshuffle", PixelUnshuffle(2).forward(&image), &[2, 12, 4, 4]),
        ("pad", Pad::new([1, 2]).value(3.0).forward(&words), &[2, 5, 7]),
        (
            "mirrored pad",
            Pad::new([1, 1, 2, 2]).mode(PadMode::Reflect).forward(&image),
            &[2, 3, 12, 10],
        ),
        ("dropout 1d", Dropout1d::new(0.5).forward(&words), &[2, 5, 4]),
        ("dropout 2d", Dropout2d::new(0.5).forward(&image), &[2, 3, 8, 8]),
        ("dropout 3d", Dropout3d::new(0.5).forward(&volume), &[1, 2, 4, 4, 4]),
        ("alpha dropout", AlphaDropout::new(0.5).forward(&words), &[2, 5, 4]),
        ("identity", Identity.forward(&words), &[2, 5, 4]),
        ("log softmax", LogSoftmax(-1).forward(&words), &[2, 5, 4]),
        ("glu", Glu(-1).forward(&words), &[2, 5, 2]),
        ("shrink", Hardshrink.forward(&Softshrink.forward(&words)), &[2, 5, 4]),
        ("batch norm 3d", BatchNorm3d::new(2).without_affine().forward(&volume), &[1, 2, 4, 4, 4]),
        ("instance affine", InstanceNorm::affine(3).eps(1e-3).forward(&image), &[2, 3, 8, 8]),
        ("prelu", Prelu::new(3).forward(&image), &[2, 3, 8, 8]),
    ]);
}

#[test]
fn initial_values_have_the_specified_distribution() {
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

/// Two layers with a shared weight, as in many language models.
#[derive(Module, Clone)]
struct Tied {
    first: Linear,
    second: Linear,
    dropout: Dropout,
}

fn tied() -> Tied {
    let first = Linear::new(2, 2).without_bias();
    Tied { second: first.clone(), first, dropout: Dropout::new(0.5) }
}

#[test]
fn shared_parameters_count_once() {
    let model = tied();
    assert_eq!((model.parameters().len(), model.num_parameters()), (1, 4));
    let names: Vec<String> = model.state_dict().into_keys().collect();
    assert_eq!(names, ["first.weight", "second.weight"]);
    // Each element moves once, by the rate times its gradient of 2.
    let before = model.first.weight.to_vec::<f32>().unwrap();
    let mut optimizer = Sgd::new(0.1).build([&model.first.weight, &model.second.weight]);
    (&*model.first.weight * 2.0).sum(..).backward();
    let norm = clip_grad_norm([&model.first.weight, &model.second.weight], 100.0);
    assert!((norm.item::<f32>().unwrap() - 4.0).abs() < 1e-5);
    optimizer.step().unwrap();
    let after = model.first.weight.to_vec::<f32>().unwrap();
    for (old, new) in before.iter().zip(&after) {
        assert!((old - new - 0.2).abs() < 1e-6, "{before:?} became {after:?}");
    }
    let mut average = Ema::new([&model.first.weight, &model.second.weight], 0.5);
    brasa::no_grad(|| _ = model.first.weight.add_(1.0));
    average.update().unwrap();
    average.swap();
    let averaged = model.first.weight.to_vec::<f32>().unwrap();
    assert!((averaged[0] - after[0] - 0.5).abs() < 1e-6, "{averaged:?} from {after:?}");
    let twice = catch(|| optimizer.add_group([&model.second.weight], 0.1, 0.0)).unwrap_err();
    assert!(twice.to_string().contains("already in another group"), "{twice}");
}

#[test]
fn deep_clones_are_independent() {
    let online = tied();
    let (handle, target) = (online.clone(), online.deep_clone());
    online.eval();
    brasa::no_grad(|| _ = online.first.weight.fill_(7.0));
    assert_eq!(handle.second.weight.to_vec::<f32>().unwrap(), [7.0; 4]);
    assert_ne!(target.first.weight.to_vec::<f32>().unwrap(), [7.0; 4]);
    assert!(target.first.weight.is_same(&target.second.weight), "tied weights were separated");
    let x = Tensor::ones([64]);
    assert_eq!(handle.dropout.forward(&x).to_vec::<f32>().unwrap(), [1.0; 64]);
    assert_ne!(target.dropout.forward(&x).to_vec::<f32>().unwrap(), [1.0; 64]);
    online.first.freeze();
    assert!(!online.first.weight.is_tracked() && target.first.weight.is_tracked());
    assert!(!online.deep_clone().first.weight.is_tracked(), "a frozen weight was unfrozen");
}

#[test]
fn models_convert_to_another_dtype() {
    let model = tied();
    model.first.forward(&Tensor::ones([1, 2])).sum(..).backward();
    model.second.freeze();
    let wide = model.to(DType::F64);
    assert_eq!(wide.first.weight.dtype(), DType::F64);
    assert!(wide.first.weight.is_same(&wide.second.weight), "tied weights were separated");
    assert!(!wide.first.weight.is_tracked(), "a frozen weight was unfrozen");
    assert_eq!(wide.first.weight.grad().expect("a gradient").to_vec::<f64>().unwrap(), [1.0; 4]);
    assert_eq!(model.first.weight.dtype(), DType::F32, "the original was converted");
    assert!(model.to(DType::F32).first.weight.is_same(&model.first.weight));
    let wrong = catch(|| model.to(DType::I32)).err().expect("only floats").to_string();
    assert!(wrong.starts_with("to: a model of dtype i32 cannot be trained"), "{wrong}");
}

#[test]
fn models_train_in_another_dtype() {
    let model = Sequential::new().add(Linear::new(3, 8)).add(BatchNorm1d::new(8)).to(DType::F64);
    let dtypes: Vec<DType> = model.state_dict().values().map(Tensor::dtype).collect();
    let counters = dtypes.iter().filter(|dtype| **dtype == DType::I64).count();
    assert_eq!((counters, dtypes.len()), (1, 7), "counters were converted: {dtypes:?}");
    let before = model.parameters()[0].to_vec::<f64>().unwrap();
    let mut optimizer = Adam::new(0.1).build(model.parameters());
    model.forward(&Tensor::rand([4, 3]).to(DType::F64)).abs().sum(..).backward();
    optimizer.step().unwrap();
    assert_ne!(model.parameters()[0].to_vec::<f64>().unwrap(), before);
    let x = &model.parameters()[0];
    x.set_grad(None);
    x.to(DType::F32).sum(..).backward();
    assert!(x.grad().is_some(), "no gradient flows through `Param::to`");
}

/// The expected numbers are computed from the formulas.
#[test]
fn layers_follow_their_settings() {
    let x = Tensor::new([[-2.0, 1.0]]);
    let tanh_gelu = |x: f32| 0.5 * x * (1.0 + (0.797_884_6 * (x + 0.044715 * x.powi(3))).tanh());
    let rows: Vec<(&str, Tensor, [f32; 2])> = vec![
        ("leaky", LeakyRelu(0.3).forward(&x), [-0.6, 1.0]),
        ("leaky by default", LeakyRelu::default().forward(&x), [-0.02, 1.0]),
        ("prelu", Prelu::new(1).forward(&x), [-0.5, 1.0]),
        ("gelu", GeluTanh.forward(&x), [tanh_gelu(-2.0), tanh_gelu(1.0)]),
        ("layer norm", LayerNorm::new(2).without_affine().eps(1.75).forward(&x), [-0.75, 0.75]),
        ("rms norm", RmsNorm::new(2).eps(1.5).forward(&x), [-1.0, 0.5]),
        ("tiny rms norm", RmsNorm::new(2).forward(&(&x * 1e-4)), [-0.526_664, 0.263_332]),
    ];
    for (name, y, want) in rows {
        let got = y.to_vec::<f32>().unwrap();
        assert!(got.iter().zip(want).all(|(a, b)| (a - b).abs() < 2e-5), "{name}: {got:?}");
    }
    let norm = BatchNorm1d::new(1).momentum(0.5).eps(0.0);
    norm.forward(&Tensor::new([[1.0], [3.0]]));
    assert_eq!(norm.running_mean.to_vec::<f32>().unwrap(), [1.0]);
    assert_eq!(norm.running_var.to_vec::<f32>().unwrap(), [1.5]);
}

#[test]
fn attention_applies_masks_and_dropout() {
    let attention = MultiheadAttention::new(4, 2).dropout(0.5);
    assert!(
        attention
            .out_proj
            .bias
            .as_ref()
            .unwrap()
            .to_vec::<f32>()
            .unwrap()
            .iter()
            .all(|x| *x == 0.0)
    );
    let (q, k, v) = (Tensor::randn([2, 3, 4]), Tensor::randn([2, 5, 4]), Tensor::randn([2, 5, 4]));
    let hidden = Tensor::new([[false, false, true, false, true], [false; 5]]);
    let blocked = Tensor::ones([3, 5]).triu_with(|o| o.diagonal(2)).to(brasa::DType::Bool);
    let floats = |x: &Tensor| x.to_vec::<f32>().unwrap();
    let run = || {
        let masks = |o: AttentionOptions| o.mask(&blocked).key_padding_mask(&hidden);
        attention.attend_with(&q, &k, &v, masks)
    };
    attention.eval();
    let (mixed, weights) = run();
    assert_eq!((mixed.shape(), weights.shape()), (&[2, 3, 4][..], &[2, 3, 5][..]));
    let seen = floats(&weights);
    for (i, weight) in seen.iter().enumerate() {
        let (batch, query, key) = (i / 15, i / 5 % 3, i % 5);
        let is_hidden = key >= query + 2 || (batch == 0 && (key == 2 || key == 4));
        assert_eq!(*weight == 0.0, is_hidden, "{batch} {query} {key}: {weight}");
    }
    assert_eq!(floats(&run().0), floats(&mixed), "dropout is active in evaluation mode");
    attention.train();
    assert_ne!(floats(&run().0), floats(&mixed));
    // On average over many draws, dropout does not change the result.
    let mean = (0..400).map(|_| run().0).reduce(|a, b| a + b).unwrap() / 400.0;
    let off = (mean - &mixed).abs().max().item::<f32>().unwrap();
    assert!(off < 0.3, "{off}");
}

/// At a dropout rate of nearly 0, the layers in segments equal the layers run together.
#[test]
fn recurrent_dropout_applies_between_layers_only() {
    let x = Tensor::randn([2, 5, 4]);
    let floats = |x: &Tensor| x.to_vec::<f32>().unwrap();
    let lstm = Lstm::new(4, 6, 2).dropout(0.5);
    lstm.eval();
    let quiet = floats(&lstm.forward(&x, None).0);
    lstm.train();
    assert_ne!(floats(&lstm.forward(&x, None).0), quiet);
    let states = (Tensor::randn([2, 2, 6]), Tensor::randn([2, 2, 6]));
    let nearly = lstm.clone().dropout(1e-12).forward(&x, Some((&states.0, &states.1)));
    lstm.eval();
    let whole = lstm.forward(&x, Some((&states.0, &states.1)));
    for (a, b) in [(&nearly.0, &whole.0), (&nearly.1, &whole.1), (&nearly.2, &whole.2)] {
        let off = (a - b).abs().max().item::<f32>().unwrap();
        assert!(off < 1e-6, "{off}");
    }
    let one = Gru::new(4, 6, 1).dropout(0.9);
    assert_eq!(floats(&one.forward(&x, None).0), floats(&one.forward(&x, None).0));
}

#[test]
fn containers_of_modules_are_modules() {
    let shared = std::rc::Rc::new(Linear::new(1, 1).without_bias());
    let parts = (
        shared.clone(),
        [Prelu::new(1), Prelu::new(1)],
        (Some(LayerNorm::new(2).without_bias()), None::<Linear>),
        std::sync::Arc::new(Linear::new(1, 1).without_bias()),
    );
    let names: Vec<String> = parts.named_parameters().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["0.weight", "1.0.weight", "1.1.weight", "2.0.weight", "3.weight"]);
    assert!(parts.parameters()[0].is_same(&shared.weight));
}

#[test]
fn alpha_dropout_applies_in_training_only() {
    let x = Tensor::ones([64]);
    let changed = |layer: &AlphaDropout| {
        layer.forward(&x).to_vec::<f32>().unwrap().iter().filter(|&&y| y != 1.0).count()
    };
    let layer = AlphaDropout::new(0.5);
    assert!(changed(&layer) > 0);
    layer.eval();
    assert_eq!(changed(&layer), 0);
}

/// As in PyTorch, a decoder layer is not causal by default.
#[test]
fn decoder_layers_are_causal_on_request() {
    let (x, memory) = (Tensor::randn([1, 4, 4]), Tensor::randn([1, 3, 4]));
    let other = &x + &Tensor::new([[0.0f32], [0.0], [0.0], [9.0]]);
    let layer = TransformerDecoderLayer::new(4, 2, 8);
    layer.eval();
    let first = |layer: &TransformerDecoderLayer, x: &Tensor, causal: Option<bool>| {
        let y =
            layer.forward_with(x, &memory, |o| causal.map_or(o.clone(), |c| o.causal(c)), |o| o);
        y.narrow(1, 0, 1).to_vec::<f32>().unwrap()
    };
    assert_ne!(first(&layer, &x, None), first(&layer, &other, None));
    assert_eq!(first(&layer, &x, Some(true)), first(&layer, &other, Some(true)));
    let layer = layer.causal(true);
    assert_eq!(first(&layer, &x, None), first(&layer, &other, None));
    assert_ne!(first(&layer, &x, Some(false)), first(&layer, &other, Some(false)));
}
