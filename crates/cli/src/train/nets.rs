//! The models of `brasa train`.
use super::plan::{ModelKind, Shape, Task};
use brasa::nn::{
    Conv2d, Dropout, Embedding, Flatten, Init, Layer, LayerNorm, Linear, Lstm, MaxPool2d, Module,
    Param, Relu, Sequential, Tanh, TransformerEncoderLayer,
};
use brasa::{DType, Tensor};

/// Creates a model of this shape with new weights.
pub fn build(shape: &Shape) -> Result<Box<dyn Layer>, String> {
    check(shape)?;
    check_memory(shape, 1.0)?;
    let net = || -> Box<dyn Layer> {
        match shape.model {
            ModelKind::Mlp => Box::new(mlp(shape)),
            ModelKind::Cnn => Box::new(cnn(shape)),
            ModelKind::Lstm => Box::new(Recurrent::new(shape)),
            ModelKind::Gpt => Box::new(Gpt::new(shape)),
        }
    };
    brasa::catch(net).map_err(|error| error.to_string())
}

/// Upper limit of layers: each is an allocation, before any memory check.
const MAX_LAYERS: usize = 10_000;

/// Checks that a shape is valid, before anything is allocated.
pub fn check(shape: &Shape) -> Result<(), String> {
    let Shape { task, model, hidden, layers, heads, window, classes, .. } = *shape;
    if [hidden, layers, window, classes].contains(&0) {
        return Err("hidden, layers, window and classes must be at least 1".to_string());
    }
    if layers > MAX_LAYERS {
        return Err(format!("{layers} layers exceed the maximum of {MAX_LAYERS}"));
    }
    if !task.models().contains(&model) {
        let (task, model) = (task.name(), model.name());
        return Err(format!("model '{model}' does not support task '{task}'"));
    }
    if model == ModelKind::Gpt && (heads == 0 || !hidden.is_multiple_of(heads)) {
        return Err(format!("hidden size {hidden} is not divisible by {heads} heads"));
    }
    if shape.dropout.is_some_and(|share| !(0.0..1.0).contains(&share)) {
        return Err("dropout must be at least 0 and below 1".to_string());
    }
    Ok(())
}

/// Checks that memory for this many copies of the parameters can be reserved.
pub fn check_memory(shape: &Shape, copies: f64) -> Result<(), String> {
    let count = parameters(shape);
    let bytes = 4.0 * count * copies;
    let mut memory = Vec::<u8>::new();
    // The conversion saturates.
    let reserved = memory.try_reserve_exact(bytes as usize);
    // Keeps the compiler from removing the unused allocation.
    std::hint::black_box(&memory);
    match reserved {
        Ok(()) => Ok(()),
        Err(_) => Err(format!(
            "a model of {count} parameters: cannot allocate {bytes} bytes\n  \
             help: reduce --hidden or --layers"
        )),
    }
}

/// Number of parameters of a model, without creating it. Exact up to the precision of `f64`.
pub fn parameters(shape: &Shape) -> f64 {
    let Shape { hidden, layers, window, classes, .. } = *shape;
    let [h, l, w, c] = [hidden, layers, window, classes].map(|len| len as f64);
    let linear = |from: f64, to: f64| from * to + to;
    match shape.model {
        ModelKind::Mlp => linear(inputs(shape) as f64, h) + (l - 1.0) * linear(h, h) + linear(h, c),
        ModelKind::Cnn => {
            let [few, many] = channels(hidden).map(|count| count as f64);
            let convolutions = linear(9.0, few) + linear(9.0 * few, many);
            convolutions + linear(49.0 * many, h) + linear(h, c)
        }
        ModelKind::Lstm => c * h + l * 2.0 * linear(h, 4.0 * h) + linear(h, c),
        ModelKind::Gpt => {
            let attention = linear(h, 3.0 * h) + linear(h, h);
            let block = attention + linear(h, 4.0 * h) + linear(4.0 * h, h) + 4.0 * h;
            (c + w) * h + l * block + 2.0 * h + h * c
        }
    }
}

/// Input features of an MLP.
fn inputs(shape: &Shape) -> usize {
    if shape.task == Task::Spiral { 2 } else { 28 * 28 }
}

/// Channels of the two convolutions.
fn channels(hidden: usize) -> [usize; 2] {
    [(hidden / 8).max(1), (hidden / 4).max(1)]
}

/// Scales pixels from 0..255 to -1..1 and adds a channel axis.
#[derive(Module, Clone)]
struct Pixels;

impl Layer for Pixels {
    fn forward(&self, x: &Tensor) -> Tensor {
        (x.to(DType::F32) / 127.5 - 1.0).unsqueeze(1)
    }
}

fn mlp(shape: &Shape) -> Sequential {
    let (points, first) = (shape.task == Task::Spiral, inputs(shape));
    let mut net = Sequential::new();
    if !points {
        net = net.add(Pixels).add(Flatten);
    }
    for layer in 0..shape.layers {
        net = net.add(Linear::new(if layer == 0 { first } else { shape.hidden }, shape.hidden));
        net = if points { net.add(Tanh) } else { net.add(Relu) };
        if let Some(p) = shape.dropout {
            net = net.add(Dropout::new(p));
        }
    }
    net.add(Linear::new(shape.hidden, shape.classes))
}

/// Two convolutions, each followed by pooling, which reduces 28 · 28 pixels to 7 · 7.
fn cnn(shape: &Shape) -> Sequential {
    let Shape { hidden, classes, .. } = *shape;
    let [few, many] = channels(hidden);
    Sequential::new()
        .add(Pixels)
        .add(Conv2d::new(1, few, 3).padding(1))
        .add(Relu)
        .add(MaxPool2d::new(2))
        .add(Conv2d::new(few, many, 3).padding(1))
        .add(Relu)
        .add(MaxPool2d::new(2))
        .add(Flatten)
        .add(Linear::new(many * 7 * 7, hidden))
        .add(Relu)
        .add(Dropout::new(shape.dropout.unwrap_or(0.25)))
        .add(Linear::new(hidden, classes))
}

/// Character-level LSTM.
#[derive(Module, Clone)]
struct Recurrent {
    embed: Embedding,
    lstm: Lstm,
    head: Linear,
}

impl Recurrent {
    fn new(shape: &Shape) -> Recurrent {
        let Shape { hidden, layers, classes, .. } = *shape;
        Recurrent {
            embed: Embedding::new(classes, hidden),
            lstm: Lstm::new(hidden, hidden, layers).dropout(shape.dropout.unwrap_or(0.0)),
            head: Linear::new(hidden, classes),
        }
    }
}

impl Layer for Recurrent {
    fn forward(&self, ids: &Tensor) -> Tensor {
        let (states, _, _) = self.lstm.forward(&self.embed.forward(ids), None);
        self.head.forward(&states)
    }
}

/// Character-level causal transformer.
#[derive(Module, Clone)]
struct Gpt {
    embed: Embedding,
    place: Param,
    blocks: Vec<TransformerEncoderLayer>,
    norm: LayerNorm,
    head: Linear,
}

impl Gpt {
    fn new(shape: &Shape) -> Gpt {
        let Shape { hidden, layers, heads, classes, window, .. } = *shape;
        let small = Init::Normal(0.0, 0.02);
        let block = |_| {
            let block = TransformerEncoderLayer::new(hidden, heads, 4 * hidden);
            block.norm_first(true).causal(true).dropout(shape.dropout.unwrap_or(0.0))
        };
        Gpt {
            embed: Embedding { weight: Param::init([classes, hidden], small.clone()) },
            place: Param::init([window, hidden], small),
            blocks: (0..layers).map(block).collect(),
            norm: LayerNorm::new(hidden),
            head: Linear::new(hidden, classes).without_bias(),
        }
    }
}

impl Layer for Gpt {
    fn forward(&self, ids: &Tensor) -> Tensor {
        let x = self.embed.forward(ids) + &*self.place;
        let x = self.blocks.iter().fold(x, |x, block| block.forward(&x));
        self.head.forward(&self.norm.forward(&x))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameter_counts_match_the_built_models() {
        for (task, model) in [
            (Task::Spiral, ModelKind::Mlp),
            (Task::Mnist, ModelKind::Mlp),
            (Task::Digits, ModelKind::Cnn),
            (Task::Names, ModelKind::Lstm),
            (Task::Text, ModelKind::Gpt),
        ] {
            for (hidden, layers, window) in [(8, 1, 5), (20, 3, 16), (64, 2, 7)] {
                let (heads, classes, chars, dropout) = (4, 13, String::new(), None);
                let shape =
                    Shape { task, model, hidden, layers, heads, window, classes, chars, dropout };
                let count = build(&shape).expect("built").num_parameters();
                assert_eq!(parameters(&shape), count as f64, "{shape:?}");
            }
        }
    }
}
