//! Maps PyTorch layers with parameters, from their constructor arguments, to layers of `brasa::nn`.
use super::CaseError;
use super::inputs::Inputs;
use super::settings::Settings;
use brasa::nn::*;
use brasa::{Tensor, ops};
use std::rc::Rc;

type Result<T> = std::result::Result<T, CaseError>;
type Forward = Box<dyn Fn(&Inputs) -> Result<Vec<Tensor>>>;

/// A layer and its forward function.
pub(super) struct Built {
    pub(super) module: Rc<dyn Module>,
    pub(super) forward: Forward,
}

fn built<M: Module + 'static>(
    layer: M,
    forward: impl Fn(&M, &Inputs) -> Result<Vec<Tensor>> + 'static,
) -> Result<Option<Built>> {
    let layer = Rc::new(layer);
    let module = layer.clone();
    Ok(Some(Built { module, forward: Box::new(move |inputs| forward(&layer, inputs)) }))
}

/// A layer with one input and one output tensor.
fn single(layer: impl Layer + 'static) -> Result<Option<Built>> {
    built(layer, |layer, inputs| Ok(vec![layer.forward(inputs.first()?)]))
}

/// The layer with a PyTorch name; `None` if `nn` has none.
pub(super) fn build(kind: &str, s: &Settings) -> Result<Option<Built>> {
    match kind {
        "Linear" => {
            let layer = Linear::new(s.size("in_features")?, s.size("out_features")?);
            single(biased(s, layer, Linear::without_bias)?)
        }
        "Bilinear" => {
            let [left, right] = [s.size("in1_features")?, s.size("in2_features")?];
            let layer = Bilinear::new(left, right, s.size("out_features")?);
            built(biased(s, layer, Bilinear::without_bias)?, |layer, inputs| {
                Ok(vec![layer.forward(inputs.tensor("input1")?, inputs.tensor("input2")?)])
            })
        }
        // Only the op knows `padding_idx`.
        "Embedding" if s.get("padding_idx").is_none() => {
            single(Embedding::new(s.size("num_embeddings")?, s.size("embedding_dim")?))
        }
        "Identity" => single(Identity),
        "PReLU" => {
            s.number("init", 0.25)?;
            single(Prelu::new(s.size_or("num_parameters", 1)?))
        }
        "Conv1d" | "Conv2d" | "Conv3d" => convolution(kind, s),
        "ConvTranspose1d" | "ConvTranspose2d" | "ConvTranspose3d" => transposed(kind, s),
        "RNN" | "GRU" | "LSTM" => recurrent(kind, s),
        "RNNCell" | "GRUCell" | "LSTMCell" => cell(kind, s),
        "MultiheadAttention" => attention(s),
        "TransformerEncoderLayer" => encoder(s),
        "TransformerDecoderLayer" => decoder(s),
        _ => norm(kind, s),
    }
}

/// The layer, without biases if they are disabled.
fn biased<M>(s: &Settings, layer: M, without: fn(M) -> M) -> Result<M> {
    Ok(if s.flag("bias", true)? { layer } else { without(layer) })
}

/// The layer, without scale and shift if they are disabled.
fn scaled<M>(s: &Settings, name: &'static str, layer: M, without: fn(M) -> M) -> Result<M> {
    Ok(if s.flag(name, true)? { layer } else { without(layer) })
}

fn norm(kind: &str, s: &Settings) -> Result<Option<Built>> {
    macro_rules! batch_norm {
        ($ty:ident) => {{
            if s.is_none("momentum") {
                return Err(s.unsupported("momentum = None, the mean of all batches"));
            }
            let layer = $ty::new(s.size("num_features")?).eps(s.number("eps", 1e-5)?);
            let layer = layer.momentum(s.number("momentum", 0.1)?);
            single(scaled(s, "affine", layer, $ty::without_affine)?)
        }};
    }
    let eps = s.number("eps", 1e-5)?;
    match kind {
        "LayerNorm" => {
            let layer = LayerNorm::new(s.sizes("normalized_shape")?).eps(eps);
            let layer = biased(s, layer, LayerNorm::without_bias)?;
            single(scaled(s, "elementwise_affine", layer, LayerNorm::without_affine)?)
        }
        "RMSNorm" => {
            let layer = RmsNorm::new(s.sizes("normalized_shape")?);
            let layer = if s.get("eps").is_some() { layer.eps(eps) } else { layer };
            single(scaled(s, "elementwise_affine", layer, RmsNorm::without_affine)?)
        }
        "GroupNorm" => {
            let layer = GroupNorm::new(s.size("num_groups")?, s.size("num_channels")?).eps(eps);
            single(scaled(s, "affine", layer, GroupNorm::without_affine)?)
        }
        "InstanceNorm1d" | "InstanceNorm2d" | "InstanceNorm3d" => {
            let (channels, _) = (s.size("num_features")?, s.number("momentum", 0.1)?);
            single(match s.flag("affine", false)? {
                true => InstanceNorm::affine(channels).eps(eps),
                false => InstanceNorm::default().eps(eps),
            })
        }
        // Without running statistics, use the op.
        _ if !s.flag("track_running_stats", true)? => Ok(None),
        "BatchNorm1d" => batch_norm!(BatchNorm1d),
        "BatchNorm2d" => batch_norm!(BatchNorm2d),
        "BatchNorm3d" => batch_norm!(BatchNorm3d),
        _ => Ok(None),
    }
}

/// The padding of a convolution: a setting of the layer, or a separate layer before it.
struct Padding {
    own: Vec<usize>,
    before: Option<Pad>,
}

fn conv_padding(s: &Settings, kernel: &[usize], dilation: &[usize]) -> Result<Padding> {
    let axes = kernel.len();
    let padding = match s.get("padding") {
        Some(brasa_ir::Value::Str(word)) if word == "valid" => vec![0; axes],
        Some(brasa_ir::Value::Str(word)) if word == "same" => {
            let reach = kernel.iter().zip(dilation).map(|(k, d)| d * k.saturating_sub(1));
            let reach: Vec<usize> = reach.collect();
            // Asymmetric padding is larger at the end, which needs a separate layer.
            if reach.iter().any(|n| n % 2 == 1) {
                let sides = reach.iter().rev().flat_map(|n| [n / 2, n - n / 2]);
                let before = Pad::new(sides.map(|n| n as i64).collect::<Vec<i64>>());
                return Ok(Padding { own: vec![0; axes], before: Some(before) });
            }
            reach.iter().map(|n| n / 2).collect()
        }
        _ => s.axes("padding", 0, axes)?,
    };
    let mode = match s.word("padding_mode", "zeros")? {
        "zeros" => return Ok(Padding { own: padding, before: None }),
        "reflect" => PadMode::Reflect,
        "replicate" => PadMode::Replicate,
        "circular" => PadMode::Circular,
        other => return Err(s.unsupported(format!("padding_mode = {other}"))),
    };
    let sides: Vec<i64> = padding.iter().rev().flat_map(|&n| [n as i64; 2]).collect();
    Ok(Padding { own: vec![0; axes], before: Some(Pad::new(sides).mode(mode)) })
}

fn convolution(kind: &str, s: &Settings) -> Result<Option<Built>> {
    macro_rules! conv {
        ($ty:ident, $axes:literal) => {{
            let (from, to) = (s.size("in_channels")?, s.size("out_channels")?);
            let (kernel, groups) = (s.axes("kernel_size", 1, $axes)?, s.size_or("groups", 1)?);
            let dilation = s.axes("dilation", 1, $axes)?;
            let Padding { own, before } = conv_padding(s, &kernel, &dilation)?;
            let layer = $ty::grouped(from, to, kernel, groups).dilation(dilation).padding(own);
            let layer = layer.stride(s.axes("stride", 1, $axes)?);
            built(biased(s, layer, $ty::without_bias)?, move |layer, inputs| {
                let x = inputs.first()?;
                Ok(vec![match &before {
                    Some(pad) => layer.forward(&pad.forward(x)),
                    None => layer.forward(x),
                }])
            })
        }};
    }
    match kind {
        "Conv1d" => conv!(Conv1d, 1),
        "Conv2d" => conv!(Conv2d, 2),
        _ => conv!(Conv3d, 3),
    }
}

fn transposed(kind: &str, s: &Settings) -> Result<Option<Built>> {
    macro_rules! conv {
        ($ty:ident, $axes:literal) => {{
            let (from, to) = (s.size("in_channels")?, s.size("out_channels")?);
            let (kernel, groups) = (s.axes("kernel_size", 1, $axes)?, s.size_or("groups", 1)?);
            if s.word("padding_mode", "zeros")? != "zeros" {
                return Err(s.unsupported("a padding_mode"));
            }
            let layer = $ty::grouped(from, to, kernel, groups)
                .stride(s.axes("stride", 1, $axes)?)
                .padding(s.axes("padding", 0, $axes)?)
                .output_padding(s.axes("output_padding", 0, $axes)?)
                .dilation(s.axes("dilation", 1, $axes)?);
            single(biased(s, layer, $ty::without_bias)?)
        }};
    }
    match kind {
        "ConvTranspose1d" => conv!(ConvTranspose1d, 1),
        "ConvTranspose2d" => conv!(ConvTranspose2d, 2),
        _ => conv!(ConvTranspose3d, 3),
    }
}

/// The layout of sequences: batch first, batch second, or unbatched.
#[derive(Clone, Copy)]
struct Layout {
    batch_first: bool,
}

impl Layout {
    fn new(s: &Settings) -> Result<Layout> {
        Ok(Layout { batch_first: s.flag("batch_first", false)? })
    }

    /// `[batch, time, features]`
    fn to_batch_first(self, x: &Tensor) -> Tensor {
        match x.rank() {
            2 => x.unsqueeze(0),
            _ if self.batch_first => x.clone(),
            _ => x.transpose(0, 1),
        }
    }

    /// Converts `[batch, time, features]` to the layout of `like`.
    fn to_layout_of(self, y: &Tensor, like: &Tensor) -> Tensor {
        match like.rank() {
            2 => y.squeeze(0),
            _ if self.batch_first => y.clone(),
            _ => y.transpose(0, 1),
        }
    }
}

fn recurrent(kind: &str, s: &Settings) -> Result<Option<Built>> {
    let layout = Layout::new(s)?;
    if s.size_or("proj_size", 0)? > 0 {
        return Err(s.unsupported("proj_size"));
    }
    macro_rules! layer {
        ($ty:ident) => {{
            let (from, to) = (s.size("input_size")?, s.size("hidden_size")?);
            let layers = s.size_or("num_layers", 1)?;
            let layer = match s.flag("bidirectional", false)? {
                true => $ty::bidirectional(from, to, layers),
                false => $ty::new(from, to, layers),
            };
            biased(s, layer, $ty::without_bias)?.dropout(s.number("dropout", 0.0)?)
        }};
    }
    match kind {
        "LSTM" => built(layer!(Lstm), move |layer, inputs| {
            let x = inputs.tensor("input")?;
            let [hx, cx] = ["hx.0", "hx.1"].map(|name| state(inputs.optional(name), x));
            let (y, h, c) = layer.forward(&layout.to_batch_first(x), hx.as_ref().zip(cx.as_ref()));
            Ok(vec![layout.to_layout_of(&y, x), last(&h, x), last(&c, x)])
        }),
        "GRU" => built(layer!(Gru), move |layer, inputs| {
            let x = inputs.tensor("input")?;
            let hx = state(inputs.optional("hx"), x);
            let (y, h) = layer.forward(&layout.to_batch_first(x), hx.as_ref());
            Ok(vec![layout.to_layout_of(&y, x), last(&h, x)])
        }),
        _ => {
            let layer = layer!(Rnn);
            let layer = if is_relu(s)? { layer.relu() } else { layer };
            built(layer, move |layer, inputs| {
                let x = inputs.tensor("input")?;
                let hx = state(inputs.optional("hx"), x);
                let (y, h) = layer.forward(&layout.to_batch_first(x), hx.as_ref());
                Ok(vec![layout.to_layout_of(&y, x), last(&h, x)])
            })
        }
    }
}

fn is_relu(s: &Settings) -> Result<bool> {
    match s.word("nonlinearity", "tanh")? {
        "tanh" => Ok(false),
        "relu" => Ok(true),
        other => Err(s.unsupported(format!("nonlinearity = {other}"))),
    }
}

/// An initial state, with a batch axis added for unbatched input.
fn state(given: Option<&Tensor>, x: &Tensor) -> Option<Tensor> {
    given.map(|hx| if x.rank() == 2 { hx.unsqueeze(1) } else { hx.clone() })
}

/// A final state, with the batch axis removed for unbatched input.
fn last(h: &Tensor, x: &Tensor) -> Tensor {
    if x.rank() == 2 { h.squeeze(1) } else { h.clone() }
}

fn cell(kind: &str, s: &Settings) -> Result<Option<Built>> {
    let (from, to) = (s.size("input_size")?, s.size("hidden_size")?);
    // Without a state, it starts with zeros.
    let initial_state = move |inputs: &Inputs, name: &str| -> Result<Tensor> {
        let given = inputs.optional(name).cloned();
        let mut shape = inputs.tensor("input")?.shape().to_vec();
        *shape
            .last_mut()
            .ok_or_else(|| CaseError::failed("a cell requires at least one axis"))? = to;
        Ok(given.unwrap_or_else(|| Tensor::zeros(shape)))
    };
    match kind {
        "LSTMCell" => {
            let layer = biased(s, LstmCell::new(from, to), LstmCell::without_bias)?;
            built(layer, move |layer, inputs| {
                let [hx, cx] = [initial_state(inputs, "hx.0")?, initial_state(inputs, "hx.1")?];
                let (h, c) = layer.forward(inputs.tensor("input")?, &hx, &cx);
                Ok(vec![h, c])
            })
        }
        "GRUCell" => {
            let layer = biased(s, GruCell::new(from, to), GruCell::without_bias)?;
            built(layer, move |layer, inputs| {
                Ok(vec![layer.forward(inputs.tensor("input")?, &initial_state(inputs, "hx")?)])
            })
        }
        _ => {
            let layer = biased(s, RnnCell::new(from, to), RnnCell::without_bias)?;
            built(if is_relu(s)? { layer.relu() } else { layer }, move |layer, inputs| {
                Ok(vec![layer.forward(inputs.tensor("input")?, &initial_state(inputs, "hx")?)])
            })
        }
    }
}

/// Masks by argument name. `is_causal` is only a hint if a mask is given.
fn masks(
    inputs: &Inputs,
    [mask, padding, causal]: [&'static str; 3],
) -> Result<impl FnOnce(AttentionOptions) -> AttentionOptions + use<>> {
    let (mask, padding) = (inputs.optional(mask).cloned(), inputs.optional(padding).cloned());
    let padding = padding.map(|padding| match padding.rank() {
        1 => padding.unsqueeze(0),
        _ => padding,
    });
    let causal = inputs.plain.flag(causal, false)? && mask.is_none();
    Ok(move |o: AttentionOptions| {
        o.mask(mask.as_ref()).key_padding_mask(padding.as_ref()).causal(causal)
    })
}

fn attention(s: &Settings) -> Result<Option<Built>> {
    let layout = Layout::new(s)?;
    let width = s.size("embed_dim")?;
    if [s.size_or("kdim", width)?, s.size_or("vdim", width)?] != [width; 2] {
        return Err(s.unsupported("a kdim or vdim that is not embed_dim"));
    }
    let layer = MultiheadAttention::new(width, s.size("num_heads")?);
    let layer = biased(s, layer, MultiheadAttention::without_bias)?;
    built(layer.dropout(s.number("dropout", 0.0)?), move |layer, inputs| {
        let query = inputs.tensor("query")?;
        let [q, k, v] = [query, inputs.tensor("key")?, inputs.tensor("value")?];
        let masks = masks(inputs, ["attn_mask", "key_padding_mask", "is_causal"])?;
        let [x, k, v] = [q, k, v].map(|x| layout.to_batch_first(x));
        let (y, weights) = layer.attend_with(&x, &k, &v, masks);
        let needs_weights = inputs.plain.flag("need_weights", true)?;
        if needs_weights && !inputs.plain.flag("average_attn_weights", true)? {
            return Err(CaseError::Unsupported("the attention of each head".to_string()));
        }
        let weights = needs_weights.then(|| match query.rank() {
            2 => weights.squeeze(0),
            _ => weights,
        });
        Ok([layout.to_layout_of(&y, query)].into_iter().chain(weights).collect())
    })
}

fn activation(s: &Settings) -> Result<fn(&Tensor) -> Tensor> {
    match s.word("activation", "relu")? {
        "relu" => Ok(ops::relu),
        "gelu" => Ok(ops::gelu),
        other => Err(s.unsupported(format!("activation = {other}"))),
    }
}

fn encoder(s: &Settings) -> Result<Option<Built>> {
    let layout = Layout::new(s)?;
    let (width, hidden) = (s.size("d_model")?, s.size_or("dim_feedforward", 2048)?);
    let mut layer = TransformerEncoderLayer::new(width, s.size("nhead")?, hidden)
        .dropout(s.number("dropout", 0.1)?)
        .activation(activation(s)?)
        .norm_first(s.flag("norm_first", false)?);
    let eps = s.number("layer_norm_eps", 1e-5)?;
    layer.self_attn = biased(s, layer.self_attn, MultiheadAttention::without_bias)?;
    layer.linear1 = biased(s, layer.linear1, Linear::without_bias)?;
    layer.linear2 = biased(s, layer.linear2, Linear::without_bias)?;
    layer.norm1 = biased(s, layer.norm1, LayerNorm::without_bias)?.eps(eps);
    layer.norm2 = biased(s, layer.norm2, LayerNorm::without_bias)?.eps(eps);
    built(layer, move |layer, inputs| {
        let x = inputs.tensor("src")?;
        let masks = masks(inputs, ["src_mask", "src_key_padding_mask", "is_causal"])?;
        Ok(vec![layout.to_layout_of(&layer.forward_with(&layout.to_batch_first(x), masks), x)])
    })
}

fn decoder(s: &Settings) -> Result<Option<Built>> {
    let layout = Layout::new(s)?;
    let (width, hidden) = (s.size("d_model")?, s.size_or("dim_feedforward", 2048)?);
    let mut layer = TransformerDecoderLayer::new(width, s.size("nhead")?, hidden)
        .dropout(s.number("dropout", 0.1)?)
        .activation(activation(s)?)
        .norm_first(s.flag("norm_first", false)?);
    let eps = s.number("layer_norm_eps", 1e-5)?;
    layer.self_attn = biased(s, layer.self_attn, MultiheadAttention::without_bias)?;
    layer.multihead_attn = biased(s, layer.multihead_attn, MultiheadAttention::without_bias)?;
    layer.linear1 = biased(s, layer.linear1, Linear::without_bias)?;
    layer.linear2 = biased(s, layer.linear2, Linear::without_bias)?;
    layer.norm1 = biased(s, layer.norm1, LayerNorm::without_bias)?.eps(eps);
    layer.norm2 = biased(s, layer.norm2, LayerNorm::without_bias)?.eps(eps);
    layer.norm3 = biased(s, layer.norm3, LayerNorm::without_bias)?.eps(eps);
    built(layer, move |layer, inputs| {
        let (x, memory) = (inputs.tensor("tgt")?, inputs.tensor("memory")?);
        let own = masks(inputs, ["tgt_mask", "tgt_key_padding_mask", "tgt_is_causal"])?;
        let other = masks(inputs, ["memory_mask", "memory_key_padding_mask", "memory_is_causal"])?;
        let y = layer.forward_with(
            &layout.to_batch_first(x),
            &layout.to_batch_first(memory),
            own,
            other,
        );
        Ok(vec![layout.to_layout_of(&y, x)])
    })
}
