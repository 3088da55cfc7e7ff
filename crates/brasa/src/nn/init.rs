//! How parameters begin: plain data, so that a model's beginning can be stored and sent.
use crate::{Tensor, no_grad, ops};

/// The first value of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Init {
    /// Zeros.
    Zeros,
    /// Ones.
    Ones,
    /// One number everywhere.
    Constant(f64),
    /// Uniform draws from a range.
    Uniform(f64, f64),
    /// Normal draws of this mean and standard deviation.
    Normal(f64, f64),
    /// Normal draws of this mean and standard deviation, no further than two of these away.
    TruncNormal(f64, f64),
    /// Uniform draws that keep the size of signals in both directions, times a gain.
    XavierUniform(f64),
    /// Normal draws that keep the size of signals in both directions, times a gain.
    XavierNormal(f64),
    /// Uniform draws that keep the size of signals in one direction, times a gain.
    KaimingUniform(f64, Fan),
    /// Normal draws that keep the size of signals in one direction, times a gain.
    KaimingNormal(f64, Fan),
    /// A random rotation, times a gain; of the last axes taken together. Computed here, and no page asks
    /// for it.
    #[cfg(not(brasa_page))]
    Orthogonal(f64),
    /// These numbers, row by row.
    Literal(Vec<f32>),
}

/// The direction in which signals keep their size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fan {
    /// Forward.
    In,
    /// Backward.
    Out,
}

/// The gain that suits an activation: `relu`, `leaky_relu`, `tanh`, `selu`, or anything else for 1.
pub fn gain(activation: &str) -> f64 {
    match activation {
        "relu" => 2f64.sqrt(),
        "leaky_relu" => (2.0 / (1.0 + 0.01f64.powi(2))).sqrt(),
        "tanh" => 5.0 / 3.0,
        "selu" => 0.75,
        _ => 1.0,
    }
}

/// How many numbers enter and leave an element of a weight `[out, in, …]`.
pub fn fans(shape: &[usize]) -> (usize, usize) {
    match shape {
        [] => (1, 1),
        [n] => (*n, *n),
        [out, inner, rest @ ..] => {
            let field: usize = rest.iter().product();
            (inner * field, out * field)
        }
    }
}

impl Init {
    /// What PyTorch begins weights and biases of a layer with, given how many numbers enter it.
    pub fn layer(fan_in: usize) -> Init {
        let bound = 1.0 / (fan_in.max(1) as f64).sqrt();
        Init::Uniform(-bound, bound)
    }

    /// A tensor that begins so.
    #[track_caller]
    pub fn tensor(&self, shape: &[usize]) -> Tensor {
        let (fan_in, fan_out) = fans(shape);
        let fan = |fan: Fan| if fan == Fan::In { fan_in } else { fan_out }.max(1) as f64;
        let both = (fan_in + fan_out).max(1) as f64;
        let uniform = |bound: f64| ops::uniform_with(shape, |o| o.low(-bound).high(bound));
        let normal = |std: f64| ops::randn(shape) * std;
        no_grad(|| match self {
            Init::Zeros => ops::zeros(shape),
            Init::Ones => ops::ones(shape),
            Init::Constant(x) => ops::full(shape, *x),
            Init::Uniform(low, high) => ops::uniform_with(shape, |o| o.low(*low).high(*high)),
            Init::Normal(mean, std) => ops::randn(shape) * *std + *mean,
            Init::TruncNormal(mean, std) => {
                let (a, b) = (mean - 2.0 * std, mean + 2.0 * std);
                ops::truncated_normal_with(shape, |o| o.mean(*mean).std(*std).a(a).b(b))
            }
            Init::XavierUniform(gain) => uniform(gain * (6.0 / both).sqrt()),
            Init::XavierNormal(gain) => normal(gain * (2.0 / both).sqrt()),
            Init::KaimingUniform(gain, mode) => uniform(gain * (3.0 / fan(*mode)).sqrt()),
            Init::KaimingNormal(gain, mode) => normal(gain / fan(*mode).sqrt()),
            #[cfg(not(brasa_page))]
            Init::Orthogonal(gain) => orthogonal(shape) * *gain,
            Init::Literal(data) => Tensor::from_slice(data, shape),
        })
    }
}

/// Rows (or columns, whichever are fewer) of length one at right angles, from random ones by Gram's
/// and Schmidt's method.
#[cfg(not(brasa_page))]
fn orthogonal(shape: &[usize]) -> Tensor {
    let rows = shape.first().copied().unwrap_or(1);
    let columns = shape.iter().skip(1).product::<usize>().max(1);
    let (few, many) = (rows.min(columns), rows.max(columns));
    let drawn = crate::random::normals(few * many);
    let mut basis: Vec<Vec<f64>> = Vec::with_capacity(few);
    for row in drawn.chunks(many.max(1)) {
        let mut row = row.to_vec();
        // Twice is enough to be at right angles in f32.
        for other in basis.iter().chain(&basis) {
            let along: f64 = row.iter().zip(other).map(|(a, b)| a * b).sum();
            row.iter_mut().zip(other).for_each(|(a, b)| *a -= along * b);
        }
        let len = row.iter().map(|x| x * x).sum::<f64>().sqrt().max(1e-30);
        row.iter_mut().for_each(|x| *x /= len);
        basis.push(row);
    }
    let flat: Vec<f32> = basis.into_iter().flatten().map(|x| x as f32).collect();
    let matrix = Tensor::from_vec(flat, [few, many]);
    let matrix = if rows > columns { matrix.t() } else { matrix };
    matrix.reshape(shape.iter().map(|&n| n as isize).collect::<Vec<_>>())
}
