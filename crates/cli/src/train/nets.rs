//! The models that the command can train.
use super::plan::{Kind, Shape};
use brasa::nn::{
    Conv2d, Dropout, Embedding, Flatten, Init, Layer, LayerNorm, Linear, Lstm, MaxPool2d, Module,
    Param, Relu, Sequential, Tanh, TransformerEncoderLayer,
};
use brasa::{DType, Tensor};

/// A model of this shape, with new weights.
pub fn build(shape: &Shape) -> Result<Box<dyn Layer>, String> {
    if shape.hidden == 0 || shape.layers == 0 || shape.window == 0 {
        return Err("sizes of a model are at least one".to_string());
    }
    Ok(match shape.model {
        Kind::Mlp => Box::new(mlp(shape)),
        Kind::Cnn => Box::new(cnn(shape)),
        Kind::Lstm => Box::new(Recurrent::new(shape)),
        Kind::Gpt if !shape.hidden.is_multiple_of(shape.heads.max(1)) => {
            let Shape { hidden, heads, .. } = shape;
            return Err(format!("{heads} heads cannot share {hidden} features evenly"));
        }
        Kind::Gpt => Box::new(Gpt::new(shape)),
    })
}

/// Pixels from 0 to 255 as numbers around zero, with an axis for the channel.
#[derive(Module, Clone)]
struct Pixels;

impl Layer for Pixels {
    fn forward(&self, x: &Tensor) -> Tensor {
        (x.to(DType::F32) / 127.5 - 1.0).unsqueeze(1)
    }
}

fn mlp(shape: &Shape) -> Sequential {
    let points = shape.task == super::plan::Task::Spiral;
    let first = if points { 2 } else { 28 * 28 };
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

/// Each convolution is followed by a pool, which leaves 7 · 7 of 28 · 28 pixels.
fn cnn(shape: &Shape) -> Sequential {
    let Shape { hidden, classes, .. } = *shape;
    let (few, many) = ((hidden / 8).max(1), (hidden / 4).max(1));
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

/// Characters, one after the other.
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

/// A transformer that sees the characters before.
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
