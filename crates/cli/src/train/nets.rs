//! The models that the command can train.
use super::plan::{Kind, Shape, Task};
use brasa::nn::{
    Conv2d, Dropout, Embedding, Flatten, Init, Layer, LayerNorm, Linear, Lstm, MaxPool2d, Module,
    Param, Relu, Sequential, Tanh, TransformerEncoderLayer,
};
use brasa::{DType, Tensor};

/// A model of this shape, with new weights.
pub fn build(shape: &Shape) -> Result<Box<dyn Layer>, String> {
    check(shape)?;
    afford(shape, 1.0)?;
    let net = || -> Box<dyn Layer> {
        match shape.model {
            Kind::Mlp => Box::new(mlp(shape)),
            Kind::Cnn => Box::new(cnn(shape)),
            Kind::Lstm => Box::new(Recurrent::new(shape)),
            Kind::Gpt => Box::new(Gpt::new(shape)),
        }
    };
    brasa::catch(net).map_err(|error| error.to_string())
}

/// Deeper models than these are a mistake: each layer is an object before it is a number.
const MOST_LAYERS: usize = 10_000;

/// Whether there can be a model of this shape, before any part of it is made.
pub fn check(shape: &Shape) -> Result<(), String> {
    let Shape { task, model, hidden, layers, heads, window, classes, .. } = *shape;
    if [hidden, layers, window, classes].contains(&0) {
        return Err("sizes of a model are at least one".to_string());
    }
    if layers > MOST_LAYERS {
        return Err(format!("{layers} layers: a model has at most {MOST_LAYERS}"));
    }
    if !task.models().contains(&model) {
        let (task, model) = (task.name(), model.name());
        return Err(format!("a model '{model}' cannot learn '{task}'"));
    }
    if model == Kind::Gpt && (heads == 0 || !hidden.is_multiple_of(heads)) {
        return Err(format!("{heads} heads cannot share {hidden} features evenly"));
    }
    if shape.dropout.is_some_and(|share| !(0.0..1.0).contains(&share)) {
        return Err("dropout is a share from 0 to below 1".to_string());
    }
    Ok(())
}

/// Whether there is memory for so many copies of the parameters, as far as the system tells before.
pub fn afford(shape: &Shape, copies: f64) -> Result<(), String> {
    let count = parameters(shape);
    let bytes = 4.0 * count * copies;
    let mut memory = Vec::<u8>::new();
    // A conversion that is too large gives the largest number.
    let reserved = memory.try_reserve_exact(bytes as usize);
    // A compiler may leave out memory that nobody looks at, and then it is always there.
    std::hint::black_box(&memory);
    match reserved {
        Ok(()) => Ok(()),
        Err(_) => Err(format!(
            "a model of {count} parameters: there is no memory for {bytes} bytes\n  \
             help: make it smaller by --hidden or --layers"
        )),
    }
}

/// Elements of the parameters of a model, before it is made. Exact as long as that can be counted.
pub fn parameters(shape: &Shape) -> f64 {
    let Shape { hidden, layers, window, classes, .. } = *shape;
    let [h, l, w, c] = [hidden, layers, window, classes].map(|len| len as f64);
    let linear = |from: f64, to: f64| from * to + to;
    match shape.model {
        Kind::Mlp => linear(inputs(shape) as f64, h) + (l - 1.0) * linear(h, h) + linear(h, c),
        Kind::Cnn => {
            let [few, many] = channels(hidden).map(|count| count as f64);
            let convolutions = linear(9.0, few) + linear(9.0 * few, many);
            convolutions + linear(49.0 * many, h) + linear(h, c)
        }
        Kind::Lstm => c * h + l * 2.0 * linear(h, 4.0 * h) + linear(h, c),
        Kind::Gpt => {
            let attention = linear(h, 3.0 * h) + linear(h, h);
            let block = attention + linear(h, 4.0 * h) + linear(4.0 * h, h) + 4.0 * h;
            (c + w) * h + l * block + 2.0 * h + h * c
        }
    }
}

/// Numbers of an example of a model without convolutions.
fn inputs(shape: &Shape) -> usize {
    if shape.task == Task::Spiral { 2 } else { 28 * 28 }
}

/// Channels of the two convolutions.
fn channels(hidden: usize) -> [usize; 2] {
    [(hidden / 8).max(1), (hidden / 4).max(1)]
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

/// Each convolution is followed by a pool, which leaves 7 · 7 of 28 · 28 pixels.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_counted_before_they_are_made() {
        for (task, model) in [
            (Task::Spiral, Kind::Mlp),
            (Task::Mnist, Kind::Mlp),
            (Task::Digits, Kind::Cnn),
            (Task::Names, Kind::Lstm),
            (Task::Text, Kind::Gpt),
        ] {
            for (hidden, layers, window) in [(8, 1, 5), (20, 3, 16), (64, 2, 7)] {
                let (heads, classes, chars, dropout) = (4, 13, String::new(), None);
                let shape =
                    Shape { task, model, hidden, layers, heads, window, classes, chars, dropout };
                let made = build(&shape).expect("it is built").num_parameters();
                assert_eq!(parameters(&shape), made as f64, "{shape:?}");
            }
        }
    }
}
