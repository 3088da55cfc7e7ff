//! Builds the models of training traces from the names and shapes of their parameters.
use super::CaseError;
use super::format::Trace;
use super::settings::Settings;
use brasa::nn::{
    BatchNorm2d, Conv2d, Embedding, Layer, LayerNorm, Linear, MaxPool2d, Module, Visit,
};
use brasa::{DType, Tensor, ops};
use brasa_ir::Array;
use std::collections::BTreeMap;

type Result<T> = std::result::Result<T, CaseError>;
type Activation = fn(&Tensor) -> Tensor;

/// A model that maps a batch to logits.
pub(super) trait Net: Module {
    fn logits(&self, x: &Tensor) -> Tensor;
}

/// The initial state of a model, by PyTorch name.
pub(super) type State<'a> = BTreeMap<&'a str, &'a Array>;

/// The model of a trace; `x` is an example batch.
pub(super) fn build(trace: &Trace, state: &State, x: &Tensor) -> Result<Box<dyn Net>> {
    let parts = Builder { trace, state };
    if parts.has("wte") {
        return Ok(Box::new(parts.gpt()?));
    }
    if parts.has("conv1") {
        return Ok(Box::new(parts.cnn(x)?));
    }
    let names: Vec<&str> = parts.names().collect();
    Ok(Box::new(parts.mlp(&names)?))
}

/// The loss of a trace.
pub(super) fn loss(trace: &Trace, logits: &Tensor, y: &Tensor) -> Result<Tensor> {
    let described = trace.loss.as_deref().unwrap_or("cross_entropy");
    let name = described.trim_start_matches("torch.nn.").trim_start_matches("functional.");
    match name.trim_start_matches("F.") {
        "cross_entropy" | "cross_entropy()" | "cross_entropy(reduction='mean')" => {
            // In texts, each position is an example.
            let classes = logits.len_of(-1) as isize;
            Ok(ops::cross_entropy(&logits.reshape([-1, classes]), &y.flatten(0)))
        }
        "mse_loss" | "mse_loss()" | "mse_loss(reduction='mean')" => Ok(ops::mse_loss(logits, y)),
        _ => Err(CaseError::Unsupported(format!("the loss {described}"))),
    }
}

/// Converts inputs to floats; bytes are divided by 255.
fn floats(x: &Tensor) -> Tensor {
    if x.dtype() == DType::U8 { x.to(DType::F32) / 255.0 } else { x.clone() }
}

/// Linear layers with an activation in between.
struct Mlp {
    layers: Vec<(String, Linear)>,
    activation: Activation,
}

impl Module for Mlp {
    fn visit(&self, at: &mut Visit) {
        self.layers.iter().for_each(|(name, layer)| at.field(name, layer));
    }
}

impl Net for Mlp {
    fn logits(&self, x: &Tensor) -> Tensor {
        let mut h = floats(x).flatten(1);
        for (n, (_, layer)) in self.layers.iter().enumerate() {
            h = layer.forward(&if n > 0 { (self.activation)(&h) } else { h });
        }
        h
    }
}

/// Convolutions, each with optional norm, activation and max pooling, then linear layers.
struct Cnn {
    stages: Vec<Stage>,
    pool: MaxPool2d,
    head: Mlp,
}

struct Stage {
    conv: Conv2d,
    norm: Option<BatchNorm2d>,
}

impl Module for Cnn {
    fn visit(&self, at: &mut Visit) {
        for (n, Stage { conv, norm }) in self.stages.iter().enumerate() {
            at.field(&format!("conv{}", n + 1), conv);
            at.field(&format!("bn{}", n + 1), norm);
        }
        self.head.visit(at);
    }
}

impl Cnn {
    fn features(&self, x: &Tensor) -> Tensor {
        let mut h = floats(x);
        if h.rank() == 3 {
            h = h.unsqueeze(1);
        }
        for Stage { conv, norm } in &self.stages {
            h = conv.forward(&h);
            h = norm.as_ref().map_or(h.clone(), |norm| norm.forward(&h));
            h = self.pool.forward(&(self.head.activation)(&h));
        }
        h
    }
}

impl Net for Cnn {
    fn logits(&self, x: &Tensor) -> Tensor {
        self.head.logits(&self.features(x))
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

/// A causal transformer over token ids.
#[derive(Module)]
struct Gpt {
    wte: Embedding,
    wpe: Embedding,
    blocks: Vec<Block>,
    ln_f: LayerNorm,
    head: Linear,
    heads: usize,
}

impl Net for Gpt {
    fn logits(&self, ids: &Tensor) -> Tensor {
        let positions = ops::arange(ids.len_of(-1) as i64);
        let mut h = self.wte.forward(ids) + self.wpe.forward(&positions);
        for block in &self.blocks {
            // Queries, keys and values are concatenated along the last axis.
            let parts = block.qkv.forward(&block.ln1.forward(&h)).chunk(3, -1);
            let [q, k, v] = [0, 1, 2].map(|n| parts[n].split_heads(self.heads));
            let mixed = q.scaled_dot_product_attention_with(&k, &v, |o| o.is_causal(true));
            h += block.proj.forward(&mixed.merge_heads());
            h = &h + block.out.forward(&block.fc.forward(&block.ln2.forward(&h)).gelu());
        }
        self.head.forward(&self.ln_f.forward(&h))
    }
}

/// Creates layers from the names and shapes of the initial state.
struct Builder<'a> {
    trace: &'a Trace,
    state: &'a State<'a>,
}

impl<'a> Builder<'a> {
    fn has(&self, layer: &str) -> bool {
        self.state.contains_key(&format!("{layer}.weight")[..])
    }

    /// Layers with a weight, sorted by number.
    fn names(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let number = |name: &str| {
            let digits: String = name.chars().filter(char::is_ascii_digit).collect();
            digits.parse::<usize>().unwrap_or(usize::MAX)
        };
        let mut names: Vec<&str> =
            self.state.keys().filter_map(|name| name.strip_suffix(".weight")).collect();
        names.sort_by_key(|name| number(name));
        names.into_iter()
    }

    /// The shape of a layer's weight. Fails unless it has `N` axes.
    fn shape<const N: usize>(&self, layer: &str) -> Result<[usize; N]> {
        let name = format!("{layer}.weight");
        let missing = || CaseError::failed(format!("the model has no '{name}'"));
        let shape = self.state.get(&name[..]).ok_or_else(missing)?.shape();
        let wrong = |_| CaseError::failed(format!("'{name}' has shape {shape}, expected {N} axes"));
        shape[..].try_into().map_err(wrong)
    }

    fn has_bias(&self, layer: &str) -> bool {
        self.state.contains_key(&format!("{layer}.bias")[..])
    }

    fn linear(&self, name: &str) -> Result<Linear> {
        let [outputs, inputs] = self.shape(name)?;
        let layer = Linear::new(inputs, outputs);
        Ok(if self.has_bias(name) { layer } else { layer.without_bias() })
    }

    fn norm(&self, name: &str) -> Result<LayerNorm> {
        let [features] = self.shape(name)?;
        let layer = LayerNorm::new(features);
        Ok(if self.has_bias(name) { layer } else { layer.without_bias() })
    }

    fn embedding(&self, name: &str) -> Result<Embedding> {
        let [words, features] = self.shape(name)?;
        Ok(Embedding::new(words, features))
    }

    /// The activation named in the description.
    fn activation(&self) -> Result<Activation> {
        let known: [(&str, Activation); 5] = [
            ("relu", ops::relu),
            ("tanh", ops::tanh),
            ("sigmoid", ops::sigmoid),
            ("gelu", ops::gelu),
            ("silu", ops::silu),
        ];
        let text = self.trace.model.to_lowercase();
        let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        let mut found = known.iter().filter(|(name, _)| words.contains(name));
        match (found.next(), found.next()) {
            (Some((_, function)), None) => Ok(*function),
            (None, _) if text.is_empty() => Ok(ops::relu),
            _ => Err(self.unsupported()),
        }
    }

    fn unsupported(&self) -> CaseError {
        let names: Vec<&str> = self.state.keys().copied().collect();
        let (model, names) = (&self.trace.model, names.join(", "));
        CaseError::Unsupported(format!("the model \"{model}\" of {names}"))
    }

    fn mlp(&self, names: &[&str]) -> Result<Mlp> {
        let layer = |name: &&str| Ok((name.to_string(), self.linear(name)?));
        let layers: Vec<(String, Linear)> =
            names.iter().map(layer).collect::<Result<_>>().map_err(|_| self.unsupported())?;
        let activation = if layers.len() == 1 { ops::relu } else { self.activation()? };
        Ok(Mlp { layers, activation })
    }

    fn gpt(&self) -> Result<Gpt> {
        // The tanh approximation of gelu is not supported.
        if self.trace.model.contains("tanh") {
            return Err(self.unsupported());
        }
        let config = Settings::new(&self.trace.name, &self.trace.config);
        let block = |n: usize| -> Result<Block> {
            let part = |name: &str| format!("blocks.{n}.{name}");
            Ok(Block {
                ln1: self.norm(&part("ln1"))?,
                qkv: self.linear(&part("qkv"))?,
                proj: self.linear(&part("proj"))?,
                ln2: self.norm(&part("ln2"))?,
                fc: self.linear(&part("fc"))?,
                out: self.linear(&part("out"))?,
            })
        };
        let count = (0..).take_while(|n| self.has(&format!("blocks.{n}.qkv"))).count();
        Ok(Gpt {
            wte: self.embedding("wte")?,
            wpe: self.embedding("wpe")?,
            blocks: (0..count).map(block).collect::<Result<_>>()?,
            ln_f: self.norm("ln_f")?,
            head: self.linear("head")?,
            heads: config.size("n_head")?,
        })
    }

    fn cnn(&self, x: &Tensor) -> Result<Cnn> {
        let is_head = |name: &&str| !name.starts_with("conv") && !name.starts_with("bn");
        let head: Vec<&str> = self.names().filter(is_head).collect();
        let config = Settings::new(&self.trace.name, &self.trace.config);
        let wanted = head.first().map(|first| self.shape::<2>(first)).transpose()?;
        let [_, wanted] = wanted.ok_or_else(|| self.unsupported())?;
        // The padding is given, or inferred from the input size of the first linear layer.
        let [.., kernel] = self.shape::<4>("conv1")?;
        let mut paddings = vec![config.size_or("padding", kernel / 2)?];
        if config.get("padding").is_none() {
            paddings.push(0);
        }
        for padding in paddings {
            let stages = (1..).take_while(|n| self.has(&format!("conv{n}")));
            let stages = stages.map(|n| self.stage(n, padding)).collect::<Result<_>>()?;
            let pool = MaxPool2d::new(config.size_or("pool", 2)?);
            let model = Cnn { stages, pool, head: self.mlp(&head)? };
            model.eval();
            let features = brasa::catch(|| model.features(x));
            if features.is_ok_and(|features| features.flatten(1).len_of(1) == wanted) {
                return Ok(model);
            }
        }
        Err(self.unsupported())
    }

    fn stage(&self, n: usize, padding: usize) -> Result<Stage> {
        let (name, norm) = (format!("conv{n}"), format!("bn{n}"));
        let [outputs, inputs, rows, columns] = self.shape(&name)?;
        let conv = Conv2d::new(inputs, outputs, vec![rows, columns]).padding(padding);
        let conv = if self.has_bias(&name) { conv } else { conv.without_bias() };
        let norm = self.has(&norm).then(|| BatchNorm2d::new(outputs));
        Ok(Stage { conv, norm })
    }
}
